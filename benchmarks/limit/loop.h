/* What the C programs of all games share, part two: the loop of selfplay/loop.py, and the agent `flat_mc`. The game's
   file has said before what State is, MOST_CHOICES (at one decision), and what deal, run, open_all, count_legal,
   kth_legal, actor, score, placing, conceal and determinize do. */

static int flat_mc(const State *state, Streams *streams);
#ifdef WITH_HEURISTIC
static int heuristic(const State *state);
#endif

#ifndef RUNS_BY_ITSELF
ALWAYS int choose(const int kind, State *state, Streams *streams)
{
    if (kind == BY_PLAYOUT) return kth_legal(state, below(&streams->roll, count_legal(state)));
    streams->decisions++;
    if (kind == BY_RANDOM) return kth_legal(state, below(&streams->seat[actor(state)], count_legal(state)));
#ifdef WITH_HEURISTIC
    if (kind == BY_HEURISTIC) return heuristic(state);
#endif
    return kth_legal(state, flat_mc(state, streams));
}

/* Play on to the end of the game, with `action` first if the game is resumed. */
ALWAYS void run(const int kind, const bool resumed, State *restrict state, Chance *restrict chance,
                Streams *restrict streams, int action)
{
    if (resumed) apply(state, action, chance);
    while (!over(state)) apply(state, choose(kind, state, streams), chance);
}
#endif

/* Play deals first .. last - 1 in every seating; returns the number of games.

   seatings : [seating][seat]        the position that sits there
   outcome  : added to
   scores   : [game][seat] written, or NULL */
ALWAYS int64_t play(const int kind, uint64_t seed, int64_t first, int64_t last, int64_t seating_count,
                    const uint8_t *seatings, Outcome *outcome, int32_t *scores)
{
    State state = {0};
    Chance chance;
    Streams streams = {0};
    int64_t played = 0;
    for (int64_t number = first; number < last; number++) {
        uint64_t key = deal_key(seed, GAME, PLAYERS, number);
        for (int64_t seating = 0; seating < seating_count; seating++, played++) {
            const uint8_t *seats = seatings + seating * PLAYERS;
            for (int seat = 0; seat < PLAYERS; seat++) start(&streams.seat[seat], stream_key(key, AGENTS + seat));
            chance.key = key, chance.drawn = false;
            deal(&state, &chance);
            run(kind, false, &state, &chance, &streams, 0);
            outcome->games++;
            for (int seat = 0; seat < PLAYERS; seat++) {
                int position = seats[seat];
                Place place = placing(&state, seat);
                outcome->played[position][seat]++;
                outcome->wins[position][seat] += place.better == 0 ? WIN / place.shared : 0;
                outcome->places[position][seat] += 2 * place.better + place.shared + 1;
                outcome->scores[position][seat] += score(&state, seat);
                if (scores) scores[played * PLAYERS + seat] = score(&state, seat);
            }
        }
    }
    outcome->decisions += streams.decisions;
    return played;
}

/* Flat Monte Carlo with random playouts, as agents/strozzi_agents/search/flat.py plays it by default: equally many
   playouts for each action, all actions of a sweep in the same world, with the same chance and the same stream; the
   most wins. Returns which of the legal actions. */
static int flat_mc(const State *state, Streams *streams)
{
    int count = count_legal(state), seat = actor(state), best = 0;
    double wins[MOST_CHOICES] = {0};
    Random *random = &streams->seat[seat];
    State root = *state, played;
    conceal(&root, seat);
    for (int n = 0; n < (int)FLAT_MC.playouts; n++) {
        State drawn = root;
        Chance sweep, chance;
        determinize(&drawn, seat, random);
        sweep.key = next_word(random), sweep.drawn = true;
        open_all(&sweep, &drawn);
        uint64_t stream = next_word(random);
        for (int k = 0; k < count; k++) {
            played = drawn;
            chance = sweep;
            start(&streams->roll, stream);
            run(BY_PLAYOUT, true, &played, &chance, streams, kth_legal(state, k));
            Place place = placing(&played, seat);
            wins[k] += place.better == 0 ? 1.0 / place.shared : 0.0;
        }
    }
    for (int k = 1; k < count; k++)
        if (wins[k] > wins[best]) best = k;
    return best;
}

#define PLAY(name, kind)                                                                                              \
    int64_t name(int64_t seed, int64_t first, int64_t last, int64_t seating_count, const uint8_t *seatings,           \
                 Outcome *outcome, int32_t *scores)                                                                   \
    {                                                                                                                 \
        return play(kind, seed, first, last, seating_count, seatings, outcome, scores);                               \
    }

PLAY(play_random, BY_RANDOM)
PLAY(play_flat_mc, BY_FLAT_MC)

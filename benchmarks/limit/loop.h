/* What the C programs of all games share, part two: the loop of selfplay/loop.py, and the agents `random` and
   `flat_mc`. The game's file has said before what State and Rules are, MOST_CHOICES (at one decision), and what deal,
   over, actor, count_legal, kth_legal, is_legal, apply, score, placing, conceal and determinize do. */

typedef int64_t (*Act)(const State *, const Rules *, void *params, void *memory, Random *);

typedef struct {
    Act act;
    void *params, *memory;
    int64_t memory_size, sees_state, counter, playouts; /* here everybody sees the state itself and counts its own */
} Agent;

_Static_assert(sizeof(void *) == 8 && sizeof(Agent) == 56 && sizeof(Job) == 48, "64-bit records as in loop.py");

/* The number of decisions, or -1 at the first illegal action. */
static inline int64_t play_game(State *restrict state, const Rules *restrict rules, const Agent *seated,
                                Random *randoms, Chance *restrict chance)
{
    int64_t decisions = 0;
    for (; !over(state); decisions++) {
        int seat = actor(state);
        const Agent *agent = &seated[seat];
        int64_t action = agent->act(state, rules, agent->params, agent->memory, &randoms[seat]);
        if (!is_legal(state, action)) return -1;
        apply(state, rules, (int)action, chance);
    }
    return decisions;
}

/* Play every seating of the deals job->first .. job->last - 1; returns the number of games, or -1 after a fault.

   agents   : [position]
   seatings : [seating][seat]        the position that sits there
   outcome  : added to
   scores   : [game][seat] written, or NULL */
int64_t play(const Job *job, const Rules *restrict rules, const Agent *agents, int64_t seating_count,
             const uint8_t *seatings, Outcome *outcome, int32_t *scores, const volatile int64_t *stop)
{
    State state = {0};
    Chance chance;
    Agent seated[SEATS];
    Random randoms[SEATS];
    int players = (int)job->players;
    int64_t played = 0;
    uint64_t game = absorb(absorb(absorb(0, job->seed), job->game), players);
    for (int64_t number = job->first; number < job->last; number++) {
        uint64_t key = absorb(game, number);
        for (int64_t seating = 0; seating < seating_count; seating++, played++) {
            const uint8_t *seats = seatings + seating * players;
            if (*stop) return played;
            for (int seat = 0; seat < players; seat++) {
                seated[seat] = agents[seats[seat]];
                randoms[seat].cursor = absorb(key, AGENTS + seat);
                if (seated[seat].memory_size > 0) memset(seated[seat].memory, 0, seated[seat].memory_size);
            }
            chance.key = key;
            deal(&state, rules, players, (int)job->start_player, &chance);
            int64_t decisions = play_game(&state, rules, seated, randoms, &chance);
            if (decisions < 0) return -1;
            outcome->games++;
            outcome->decisions += decisions;
            for (int seat = 0; seat < players; seat++) {
                int position = seats[seat];
                Place place = placing(&state, seat);
                outcome->played[position][seat]++;
                outcome->wins[position][seat] += place.better == 0 ? WIN / place.shared : 0;
                outcome->places[position][seat] += 2 * place.better + place.shared + 1;
                outcome->scores[position][seat] += score(&state, seat);
                if (scores) scores[played * players + seat] = score(&state, seat);
            }
        }
    }
    return played;
}

/* The agent that plays any legal action with equal chance. */
int64_t uniform(const State *restrict state, const Rules *restrict rules, void *params, void *memory, Random *random)
{
    (void)rules, (void)params, (void)memory;
    return kth_legal(state, below(random, count_legal(state)));
}

/* Flat Monte Carlo with random playouts, as agents/strozzi_agents/search/flat.py plays it by default: equally many
   playouts for each action, all actions of a sweep in the same world, with the same chance and the same stream; the most wins. */

typedef struct {
    int64_t playouts, per, allocation, utility; /* for each action; the others are 0: action, uniform, win */
    double spread;
    int64_t rollout, rollout_params, rollout_memory, rollout_size, depth; /* random, to the end */
    int64_t model, model_params, model_memory, model_size; /* random: nobody */
} FlatParams;

int64_t flat_mc(const State *restrict state, const Rules *restrict rules, void *params, void *memory, Random *random)
{
    const FlatParams *given = params;
    int count = count_legal(state), seat = actor(state), best = 0;
    double wins[MOST_CHOICES] = {0};
    int64_t *playouts = memory;
    State root = *state;
    conceal(&root, rules, seat);
    for (int64_t n = 0; n < given->playouts; n++) {
        State drawn = root;
        Chance sweep;
        determinize(&drawn, rules, seat, random);
        sweep.key = mix(random->cursor += GOLDEN);
        for (int source = 0; source < SOURCES; source++) open_source(&sweep, source);
        uint64_t stream = mix(random->cursor += GOLDEN);
        for (int k = 0; k < count; k++) {
            State played = drawn;
            Chance chance = sweep;
            Random roll = {stream};
            int action = kth_legal(state, k);
            for (;;) {
                apply(&played, rules, action, &chance);
                if (over(&played)) break;
                action = (int)uniform(&played, rules, NULL, NULL, &roll);
            }
            Place place = placing(&played, seat);
            wins[k] += place.better == 0 ? 1.0 / place.shared : 0.0;
        }
    }
    *playouts += given->playouts * count;
    for (int k = 1; k < count; k++)
        if (wins[k] > wins[best]) best = k;
    return kth_legal(state, best);
}

/* The sizes of the records, to be compared with the dtypes: state, rules, agent, job, outcome, parameters of flat_mc. */
void sizes(int64_t *out)
{
    const size_t all[] = {sizeof(State), sizeof(Rules), sizeof(Agent), sizeof(Job), sizeof(Outcome),
                          sizeof(FlatParams)};
    for (int k = 0; k < 6; k++) out[k] = (int64_t)all[k];
}

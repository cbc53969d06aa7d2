/* Medici vs Strozzi in C11: the speed limit that the compiled Python core is measured against.

   The same work as strozzi_sim/games/medici_vs_strozzi/core.py and scoring.py: the same records, read at run time; the
   same random streams, bit for bit; the same algorithm. loop.h does the work of strozzi_sim/selfplay/loop.py. */

#include "engine.h"

enum { SEATS = 2, MEDICI = 0, STROZZI = 1 };
enum { MOST_SHIPS = 4, MOST_HARBORS = 4, MOST_TYPES = 6, GOLD = MOST_TYPES, MOST_TILES = 64, MOST_REVEAL = 6 };
enum { MOST_HALF_LENGTH = 15, MOST_ROUNDS = 8, MOST_PRICE = 250, MOST_CHOICES = MOST_PRICE + 1, NO_HARBOR = 255 };
enum { REVEAL, PRICE, ANSWER, PLACE, OVER };
enum { REVEAL_MORE = 1, STOP, BUY, DECLINE, DISCARD, LOAD, NAME_PRICE = LOAD + MOST_SHIPS * MOST_HARBORS };
enum { IN_BAG = 255, IN_LOT = 254, DISCARDED = 253 };

/* The records of state.py, field by field. */

typedef struct {
    uint8_t phase, actor, players, round, start_player, proposer, buyer, first_action, shown;
    uint16_t choices, price;
    uint32_t legal;
    uint8_t lot[MOST_REVEAL];
    uint8_t room[SEATS], loaded[SEATS], moored[SEATS], berths[SEATS];
    uint8_t free[SEATS][MOST_SHIPS], harbor[SEATS][MOST_SHIPS];
    uint8_t value[SEATS][MOST_HARBORS], steps[SEATS][MOST_HARBORS][MOST_TYPES];
    int8_t position[MOST_HARBORS][MOST_TYPES];
    int32_t cash[SEATS];
    uint8_t unseen, unseen_tile[MOST_TILES], lies[MOST_TILES];
} State;

typedef struct {
    uint8_t ships, harbors, types, tiles, rounds, reveal_max, capacity[MOST_SHIPS], capacity_total;
    uint8_t starter[MOST_ROUNDS];
    uint8_t tile_type[MOST_TILES], tile_value[MOST_TILES], tile_steps[MOST_TILES];
    uint8_t half_length[MOST_HARBORS][MOST_TYPES];
    uint16_t bonus[MOST_HARBORS][MOST_TYPES][MOST_HALF_LENGTH + 1];
    uint16_t majority, monopoly;
    int32_t start_cash;
    uint16_t top_price;
    uint8_t ends_moored, worthless_wins, net_movement, buy_without_room, hidden_cash;
    uint8_t most[SEATS]; /* restrictions, which nobody has here */
    uint16_t price_cap[SEATS];
    uint8_t no_buy[SEATS];
    uint16_t no_place[SEATS];
} Rules;

/* Asking. */

static inline void ask(State *state, int phase, int seat, int first_action, unsigned legal)
{
    state->phase = phase;
    state->actor = seat;
    state->first_action = first_action;
    state->legal = legal;
    state->choices = __builtin_popcount(legal);
}

static inline void ask_price(State *state, const Rules *rules, int proposer)
{
    state->phase = PRICE;
    state->actor = proposer;
    state->first_action = NAME_PRICE;
    state->choices = rules->top_price + 1;
}

/* Setting up. */

static void show(State *restrict state, const Rules *restrict rules, int proposer, Chance *restrict chance)
{
    int left = state->unseen, k = draw(chance, state->round, left), tile = state->unseen_tile[k], shown = state->shown;
    left--;
    state->unseen_tile[k] = state->unseen_tile[left];
    state->unseen = left;
    state->lot[shown] = tile;
    state->lies[tile] = IN_LOT;
    state->shown = ++shown;
    if (left > 0 && shown < rules->reveal_max && shown < state->room[proposer])
        ask(state, REVEAL, proposer, REVEAL_MORE, 3);
    else
        ask_price(state, rules, proposer);
}

static void begin_turn(State *restrict state, const Rules *restrict rules, int proposer, Chance *restrict chance)
{
    state->proposer = proposer;
    state->shown = 0;
    show(state, rules, proposer, chance);
}

static void begin_round(State *restrict state, const Rules *restrict rules, Chance *restrict chance)
{
    int room = 0;
    for (int ship = 0; ship < MOST_SHIPS; ship++) room = most(room, rules->capacity[ship]);
    for (int seat = 0; seat < SEATS; seat++) {
        state->room[seat] = room;
        state->loaded[seat] = state->moored[seat] = 0;
        state->berths[seat] = only(rules->harbors) - 1;
    }
    for (int seat = 0; seat < SEATS; seat++) memcpy(state->free[seat], rules->capacity, sizeof rules->capacity);
    memset(state->harbor, NO_HARBOR, sizeof state->harbor);
    memset(state->value, 0, sizeof state->value);
    memset(state->steps, 0, sizeof state->steps);
    memset(state->lies, IN_BAG, sizeof state->lies);
    for (int tile = 0; tile < MOST_TILES; tile++) state->unseen_tile[tile] = tile;
    state->unseen = rules->tiles;
    open_source(chance, state->round);
    begin_turn(state, rules, state->start_player, chance);
}

static void deal(State *restrict state, const Rules *restrict rules, int players, int start_player,
                 Chance *restrict chance)
{
    state->players = players;
    state->round = 0;
    state->start_player = start_player;
    memset(state->position, 0, sizeof state->position);
    for (int seat = 0; seat < SEATS; seat++) state->cash[seat] = rules->start_cash;
    begin_round(state, rules, chance);
}

/* Scoring. */

static inline int present(const State *state, int seat, int harbor) { return 1 - (state->berths[seat] >> harbor & 1); }

static void score_round(State *restrict state, const Rules *restrict rules)
{
    int harbors = rules->harbors, types = rules->types, majority = rules->majority, monopoly = rules->monopoly;
    for (int harbor = 0; harbor < harbors; harbor++) {
        int lead = state->value[MEDICI][harbor] - state->value[STROZZI][harbor];
        if (lead == 0 && rules->worthless_wins) lead = present(state, MEDICI, harbor) - present(state, STROZZI, harbor);
        if (lead != 0) state->cash[lead > 0 ? MEDICI : STROZZI] += majority;
    }
    for (int harbor = 0; harbor < harbors; harbor++)
        for (int kind = 0; kind < types; kind++) {
            int half_length = rules->half_length[harbor][kind], position = state->position[harbor][kind];
            int medici = state->steps[MEDICI][harbor][kind], strozzi = state->steps[STROZZI][harbor][kind];
            if (half_length == 0) continue;
            if (rules->net_movement)
                position = least(most(position + medici - strozzi, -half_length), half_length);
            else
                position = most(least(position + medici, half_length) - strozzi, -half_length);
            state->position[harbor][kind] = position;
            if (position > 0)
                state->cash[MEDICI] += monopoly + rules->bonus[harbor][kind][position];
            else if (position < 0)
                state->cash[STROZZI] += monopoly + rules->bonus[harbor][kind][-position];
        }
}

static void end_round(State *restrict state, const Rules *restrict rules, Chance *restrict chance)
{
    state->shown = 0;
    score_round(state, rules);
    int following = state->round + 1;
    if (following < rules->rounds) {
        state->round = following;
        state->start_player = rules->starter[following];
        begin_round(state, rules, chance);
    } else {
        state->phase = OVER;
        state->choices = 0;
        state->legal = 0;
    }
}

static Place placing(const State *restrict state, int seat)
{
    int mine = state->cash[seat], yours = state->cash[1 - seat];
    return (Place){yours > mine, 1 + (yours == mine)};
}

/* Playing. */

static void load(State *restrict state, const Rules *restrict rules, int seat, int ship, int harbor)
{
    int shown = state->shown, value = state->value[seat][harbor], room = 0;
    if (state->harbor[seat][ship] == NO_HARBOR) {
        state->harbor[seat][ship] = harbor;
        state->berths[seat] &= ~only(harbor);
        state->moored[seat]++;
    }
    for (int k = 0; k < shown; k++) {
        int tile = state->lot[k], kind = rules->tile_type[tile];
        value += rules->tile_value[tile];
        if (kind != GOLD) state->steps[seat][harbor][kind] += rules->tile_steps[tile];
        state->lies[tile] = seat * MOST_SHIPS + ship;
    }
    state->value[seat][harbor] = value;
    state->free[seat][ship] -= shown;
    state->loaded[seat] += shown;
    for (int other = 0; other < MOST_SHIPS; other++) room = most(room, state->free[seat][other]);
    state->room[seat] = room;
}

static inline bool round_ends(const State *state, const Rules *rules, int buyer)
{
    bool fleet = rules->ends_moored ? state->moored[buyer] == rules->ships
                                    : state->loaded[buyer] == rules->capacity_total;
    return fleet || state->unseen == 0;
}

static void place(State *restrict state, const Rules *restrict rules, int action, Chance *restrict chance)
{
    int buyer = state->buyer;
    if (action == DISCARD)
        for (int k = 0; k < state->shown; k++) state->lies[state->lot[k]] = DISCARDED;
    else
        load(state, rules, buyer, (action - LOAD) / MOST_HARBORS, (action - LOAD) % MOST_HARBORS);
    if (round_ends(state, rules, buyer))
        end_round(state, rules, chance);
    else
        begin_turn(state, rules, buyer, chance);
}

static unsigned placements(const State *restrict state, const Rules *restrict rules, int seat)
{
    unsigned shown = state->shown, berths = state->berths[seat], found = 0;
    for (int ship = 0; ship < MOST_SHIPS; ship++) {
        int harbor = state->harbor[seat][ship];
        unsigned where = harbor == NO_HARBOR ? berths : only(harbor);
        found |= where << (ship * MOST_HARBORS) & -(unsigned)(state->free[seat][ship] >= shown);
    }
    return found;
}

static void settle(State *restrict state, const Rules *restrict rules, bool buys, Chance *restrict chance)
{
    int buyer = buys ? 1 - state->proposer : state->proposer;
    state->buyer = buyer;
    state->cash[buyer] -= state->price;
    if (state->shown > state->room[buyer]) {
        state->actor = buyer;
        place(state, rules, DISCARD, chance);
    } else {
        ask(state, PLACE, buyer, DISCARD, placements(state, rules, buyer) << 1 | 1);
    }
}

static inline void apply(State *restrict state, const Rules *restrict rules, int action, Chance *restrict chance)
{
    int phase = state->phase, proposer = state->proposer;
    if (phase == PLACE) {
        place(state, rules, action, chance);
    } else if (phase == ANSWER) {
        settle(state, rules, action == BUY, chance);
    } else if (phase == PRICE) {
        state->price = action - NAME_PRICE;
        if (rules->buy_without_room || state->shown <= state->room[1 - proposer])
            ask(state, ANSWER, 1 - proposer, BUY, 3);
        else
            settle(state, rules, false, chance);
    } else if (action == REVEAL_MORE) {
        show(state, rules, proposer, chance);
    } else {
        ask_price(state, rules, proposer);
    }
}

/* What the loop asks. */

static inline bool over(const State *state) { return state->phase == OVER; }

static inline int actor(const State *state) { return state->actor; }

static inline int score(const State *state, int seat) { return state->cash[seat]; }

static inline int count_legal(const State *state) { return state->choices; }

static inline int kth_legal(const State *state, int k)
{
    unsigned legal = state->legal;
    if (state->phase != PLACE) return state->first_action + k;
    for (; k > 0; k--) legal &= legal - 1;
    return state->first_action + lowest(legal);
}

static inline bool is_legal(const State *restrict state, int64_t action)
{
    int64_t bit = action - state->first_action;
    if (state->phase != PLACE) return 0 <= bit && bit < state->choices;
    return 0 <= bit && bit < 32 && (state->legal >> bit & 1);
}

/* The unseen in component-file order; cash is hidden by what `determinize` does. */
static void conceal(State *state, const Rules *rules, int seat)
{
    (void)rules, (void)seat;
    ascending(state->unseen_tile, state->unseen);
}

/* With hidden cash a seat believes that its rival owns as much as itself. */
static void determinize(State *state, const Rules *rules, int seat, Random *random)
{
    (void)random;
    if (rules->hidden_cash) state->cash[1 - seat] = state->cash[seat];
}

#include "loop.h"

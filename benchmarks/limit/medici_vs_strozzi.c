/* Medici vs Strozzi in C11, with the algorithm and the state of strozzi_sim/games/medici_vs_strozzi/core.py and scoring.py.
   The rules of one variant, and the number of players, are constants. */

enum { TILE_SLOT, SOURCES };

#include "engine.h"

enum { SEATS = 2, MEDICI = 0, STROZZI = 1 };
enum { MOST_SHIPS = 4, MOST_HARBORS = 4, MOST_TYPES = 6, GOLD = MOST_TYPES, MOST_TILES = 64, MOST_REVEAL = 6 };
enum { MOST_HALF_LENGTH = 15, MOST_ROUNDS = 8, MOST_PRICE = 250, MOST_CHOICES = MOST_PRICE + 1, NO_HARBOR = 255 };
enum { REVEAL, PRICE, ANSWER, PLACE, OVER };
enum { REVEAL_MORE = 1, STOP, BUY, DECLINE, DISCARD, LOAD, NAME_PRICE = LOAD + MOST_SHIPS * MOST_HARBORS };
enum { IN_BAG = 255, IN_LOT = 254, DISCARDED = 253 };

/* The record of state.py. */

typedef struct {
    uint8_t phase, actor, round, start_player, proposer, buyer, first_action, shown;
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

/* Asking. */

ALWAYS void ask(State *state, int phase, int seat, int first_action, unsigned legal)
{
    state->phase = phase;
    state->actor = seat;
    state->first_action = first_action;
    state->legal = legal;
    state->choices = __builtin_popcount(legal);
}

ALWAYS void ask_price(State *state, int proposer)
{
    state->phase = PRICE;
    state->actor = proposer;
    state->first_action = NAME_PRICE;
    state->choices = RULES.top_price + 1;
}

/* Setting up. */

static void show(State *restrict state, int proposer, Chance *restrict chance)
{
    int left = state->unseen, k = draw(chance, TILE_SLOT, left), tile = state->unseen_tile[k], shown = state->shown;
    left--;
    state->unseen_tile[k] = state->unseen_tile[left];
    state->unseen = left;
    state->lot[shown] = tile;
    state->lies[tile] = IN_LOT;
    state->shown = ++shown;
    if (left > 0 && shown < RULES.reveal_max && shown < state->room[proposer])
        ask(state, REVEAL, proposer, REVEAL_MORE, 3);
    else
        ask_price(state, proposer);
}

static void begin_turn(State *restrict state, int proposer, Chance *restrict chance)
{
    state->proposer = proposer;
    state->shown = 0;
    show(state, proposer, chance);
}

static void begin_round(State *restrict state, Chance *restrict chance)
{
    int room = 0;
    for (int ship = 0; ship < MOST_SHIPS; ship++) room = most(room, RULES.capacity[ship]);
    for (int seat = 0; seat < SEATS; seat++) {
        state->room[seat] = room;
        state->loaded[seat] = state->moored[seat] = 0;
        state->berths[seat] = only(RULES.harbors) - 1;
    }
    for (int seat = 0; seat < SEATS; seat++) memcpy(state->free[seat], RULES.capacity, sizeof RULES.capacity);
    memset(state->harbor, NO_HARBOR, sizeof state->harbor);
    memset(state->value, 0, sizeof state->value);
    memset(state->steps, 0, sizeof state->steps);
    memset(state->lies, IN_BAG, sizeof state->lies);
    for (int tile = 0; tile < MOST_TILES; tile++) state->unseen_tile[tile] = tile;
    state->unseen = RULES.tiles;
    open_source(chance, TILE_SLOT, state->round);
    begin_turn(state, state->start_player, chance);
}

ALWAYS void deal(State *restrict state, Chance *restrict chance)
{
    state->round = 0;
    state->start_player = 0;
    memset(state->position, 0, sizeof state->position);
    for (int seat = 0; seat < SEATS; seat++) state->cash[seat] = RULES.start_cash;
    begin_round(state, chance);
}

/* Scoring. */

ALWAYS int present(const State *state, int seat, int harbor) { return 1 - (state->berths[seat] >> harbor & 1); }

static void score_round(State *restrict state)
{
    int harbors = RULES.harbors, types = RULES.types, majority = RULES.majority, monopoly = RULES.monopoly;
    for (int harbor = 0; harbor < harbors; harbor++) {
        int lead = state->value[MEDICI][harbor] - state->value[STROZZI][harbor];
        if (lead == 0 && RULES.worthless_wins) lead = present(state, MEDICI, harbor) - present(state, STROZZI, harbor);
        if (lead != 0) state->cash[lead > 0 ? MEDICI : STROZZI] += majority;
    }
    for (int harbor = 0; harbor < harbors; harbor++)
        for (int kind = 0; kind < types; kind++) {
            int half_length = RULES.half_length[harbor][kind], position = state->position[harbor][kind];
            int medici = state->steps[MEDICI][harbor][kind], strozzi = state->steps[STROZZI][harbor][kind];
            if (half_length == 0) continue;
            if (RULES.net_movement)
                position = least(most(position + medici - strozzi, -half_length), half_length);
            else
                position = most(least(position + medici, half_length) - strozzi, -half_length);
            state->position[harbor][kind] = position;
            if (position > 0)
                state->cash[MEDICI] += monopoly + RULES.bonus[harbor][kind][position];
            else if (position < 0)
                state->cash[STROZZI] += monopoly + RULES.bonus[harbor][kind][-position];
        }
}

static void end_round(State *restrict state, Chance *restrict chance)
{
    state->shown = 0;
    score_round(state);
    int following = state->round + 1;
    if (following < RULES.rounds) {
        state->round = following;
        state->start_player = RULES.starter[following];
        begin_round(state, chance);
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

static void load(State *restrict state, int seat, int ship, int harbor)
{
    int shown = state->shown, value = state->value[seat][harbor], room = 0;
    if (state->harbor[seat][ship] == NO_HARBOR) {
        state->harbor[seat][ship] = harbor;
        state->berths[seat] &= ~only(harbor);
        state->moored[seat]++;
    }
    for (int k = 0; k < shown; k++) {
        int tile = state->lot[k], kind = RULES.tile_type[tile];
        value += RULES.tile_value[tile];
        if (kind != GOLD) state->steps[seat][harbor][kind] += RULES.tile_steps[tile];
        state->lies[tile] = seat * MOST_SHIPS + ship;
    }
    state->value[seat][harbor] = value;
    state->free[seat][ship] -= shown;
    state->loaded[seat] += shown;
    for (int other = 0; other < MOST_SHIPS; other++) room = most(room, state->free[seat][other]);
    state->room[seat] = room;
}

ALWAYS bool round_ends(const State *state, int buyer)
{
    bool fleet = RULES.ends_moored ? state->moored[buyer] == RULES.ships
                                    : state->loaded[buyer] == RULES.capacity_total;
    return fleet || state->unseen == 0;
}

static void place(State *restrict state, int action, Chance *restrict chance)
{
    int buyer = state->buyer;
    if (action == DISCARD)
        for (int k = 0; k < state->shown; k++) state->lies[state->lot[k]] = DISCARDED;
    else
        load(state, buyer, (action - LOAD) / MOST_HARBORS, (action - LOAD) % MOST_HARBORS);
    if (round_ends(state, buyer))
        end_round(state, chance);
    else
        begin_turn(state, buyer, chance);
}

static unsigned placements(const State *restrict state, int seat)
{
    unsigned shown = state->shown, berths = state->berths[seat], found = 0;
    for (int ship = 0; ship < MOST_SHIPS; ship++) {
        int harbor = state->harbor[seat][ship];
        unsigned where = harbor == NO_HARBOR ? berths : only(harbor);
        found |= where << (ship * MOST_HARBORS) & -(unsigned)(state->free[seat][ship] >= shown);
    }
    return found;
}

static void settle(State *restrict state, bool buys, Chance *restrict chance)
{
    int buyer = buys ? 1 - state->proposer : state->proposer;
    state->buyer = buyer;
    state->cash[buyer] -= state->price;
    if (state->shown > state->room[buyer]) {
        state->actor = buyer;
        place(state, DISCARD, chance);
    } else {
        ask(state, PLACE, buyer, DISCARD, placements(state, buyer) << 1 | 1);
    }
}

ALWAYS void apply(State *restrict state, int action, Chance *restrict chance)
{
    int phase = state->phase, proposer = state->proposer;
    if (phase == PLACE) {
        place(state, action, chance);
    } else if (phase == ANSWER) {
        settle(state, action == BUY, chance);
    } else if (phase == PRICE) {
        state->price = action - NAME_PRICE;
        if (RULES.buy_without_room || state->shown <= state->room[1 - proposer])
            ask(state, ANSWER, 1 - proposer, BUY, 3);
        else
            settle(state, false, chance);
    } else if (action == REVEAL_MORE) {
        show(state, proposer, chance);
    } else {
        ask_price(state, proposer);
    }
}

/* What the loop asks. */

ALWAYS void open_all(Chance *chance, const State *state) { open_source(chance, TILE_SLOT, state->round); }

ALWAYS bool over(const State *state) { return state->phase == OVER; }

ALWAYS int actor(const State *state) { return state->actor; }

ALWAYS int score(const State *state, int seat) { return state->cash[seat]; }

ALWAYS int count_legal(const State *state) { return state->choices; }

ALWAYS int kth_legal(const State *state, int k)
{
    unsigned legal = state->legal;
    if (state->phase != PLACE) return state->first_action + k;
    for (; k > 0; k--) legal &= legal - 1;
    return state->first_action + lowest(legal);
}

/* The unseen in component-file order; cash is hidden by what `determinize` does. */
static void conceal(State *state, int seat)
{
    (void)seat;
    ascending(state->unseen_tile, state->unseen);
}

/* With hidden cash a seat believes that its rival owns as much as itself. */
static void determinize(State *state, int seat, Random *random)
{
    (void)random;
    if (RULES.hidden_cash) state->cash[1 - seat] = state->cash[seat];
}

#include "loop.h"

/* Medici vs Strozzi in C11: the decisions, streams and scores of strozzi_sim/games/medici_vs_strozzi/, with what speed
   needs and nothing else. The rules of one variant are constants, one function runs from question to question, and what a
   seat has loaded for a harbor is one word, a byte for each type of good and one for the value. */

enum { TILE_SLOT, SOURCES };

#include "engine.h"

enum { MEDICI, STROZZI, SEATS };
enum { MOST_SHIPS = 4, MOST_HARBORS = 4, MOST_TYPES = 6, MOST_TILES = 64, MOST_LEVELS = 15, VALUE = 56 };
enum { MOST_CHOICES = 251 };
enum { REVEAL, PRICE, ANSWER, PLACE };
enum { MORE = 0, BUY = 0, DISCARD = 0 }; /* which of the choices */

static const uint32_t EACH_BYTE = 0x01010101, TOP_BITS = 0x80808080;

typedef struct {
    uint64_t loaded[SEATS][MOST_HARBORS], lot; /* bytes: steps of each type, value */
    int32_t cash[SEATS];
    uint32_t free[SEATS];                     /* bytes: room of each ship */
    uint32_t where[SEATS], not_moored[SEATS]; /* nibbles: the harbors where each ship may lie; all of one without harbor */
    int8_t position[MOST_HARBORS][MOST_TYPES];
    uint8_t phase, actor; /* of the question, for who searches */
    uint16_t choices;
    uint32_t legal;
    int32_t price;
    uint8_t round, proposer, buyer, shown, unseen;
    uint8_t unseen_tile[MOST_TILES];
} State;

/* Tables that follow from the rules. */

static uint64_t tile_word[MOST_TILES];
static int64_t pays[MOST_HARBORS][MOST_TYPES][2 * MOST_LEVELS + 1]; /* [position]: Strozzi's coins above Medici's 32 bits */
static uint8_t all_tiles[MOST_TILES];
static uint32_t full_room, anywhere, all_ships;

__attribute__((constructor)) static void prepare(void)
{
    for (int tile = 0; tile < MOST_TILES; tile++) all_tiles[tile] = tile;
    for (int tile = 0; tile < RULES.tiles; tile++) {
        tile_word[tile] = (uint64_t)RULES.tile_value[tile] << VALUE;
        if (RULES.tile_type[tile] != MOST_TYPES)
            tile_word[tile] |= (uint64_t)RULES.tile_steps[tile] << 8 * RULES.tile_type[tile];
    }
    for (int harbor = 0; harbor < RULES.harbors; harbor++)
        for (int kind = 0; kind < RULES.types; kind++)
            for (int at = 1; at <= RULES.half_length[harbor][kind]; at++) {
                int64_t coins = RULES.monopoly + RULES.bonus[harbor][kind][at];
                pays[harbor][kind][MOST_LEVELS + at] = coins;
                pays[harbor][kind][MOST_LEVELS - at] = coins << 32;
            }
    for (int ship = 0; ship < MOST_SHIPS; ship++) full_room |= (uint32_t)RULES.capacity[ship] << 8 * ship;
    for (int ship = 0; ship < RULES.ships; ship++) {
        anywhere |= (only(RULES.harbors) - 1) << MOST_HARBORS * ship;
        all_ships |= 15u << MOST_HARBORS * ship;
    }
}

/* Sets. */

/* The top bit of each byte that is at least `number`, which is below 128, as no byte is above 127. */
ALWAYS uint32_t ships_with(uint32_t free, int number) { return ((free | TOP_BITS) - number * EACH_BYTE) & TOP_BITS; }

/* A nibble full of ones for each of these top bits. */
ALWAYS uint32_t nibbles(uint32_t ships)
{
    uint32_t bits = ships >> 7;
    return ((bits & 1) | (bits >> 4 & 1 << 4) | (bits >> 8 & 1 << 8) | (bits >> 12 & 1 << 12)) * 15;
}

ALWAYS int kth_member(unsigned set, int k)
{
#ifdef __BMI2__
    return lowest(__builtin_ia32_pdep_si(1u << k, set));
#else
    for (; k > 0; k--) set &= set - 1;
    return lowest(set);
#endif
}

/* Setting up. */

ALWAYS void begin_round(State *restrict state, Chance *restrict chance)
{
    memset(state->loaded, 0, sizeof state->loaded);
    for (int seat = 0; seat < SEATS; seat++) {
        state->free[seat] = full_room;
        state->where[seat] = anywhere;
        state->not_moored[seat] = all_ships;
    }
    memcpy(state->unseen_tile, all_tiles, sizeof all_tiles);
    state->unseen = RULES.tiles;
    open_source(chance, TILE_SLOT, state->round);
}

ALWAYS void deal(State *restrict state, Chance *restrict chance)
{
    memset(state->position, 0, sizeof state->position);
    state->cash[MEDICI] = state->cash[STROZZI] = RULES.start_cash;
    state->round = 0;
    state->proposer = 0;
    begin_round(state, chance);
}

/* Scoring. */

ALWAYS void score_round(State *state)
{
    int64_t paid = 0;
    for (int harbor = 0; harbor < RULES.harbors; harbor++) {
        uint64_t medici = state->loaded[MEDICI][harbor], strozzi = state->loaded[STROZZI][harbor];
        int lead = (int)(medici >> VALUE) - (int)(strozzi >> VALUE);
        if (RULES.worthless_wins && lead == 0)
            for (int ship = 0; ship < MOST_SHIPS; ship++) {
                unsigned here = only(MOST_HARBORS * ship + harbor);
                lead += (state->where[MEDICI] & ~state->not_moored[MEDICI] & here) != 0;
                lead -= (state->where[STROZZI] & ~state->not_moored[STROZZI] & here) != 0;
            }
        paid += (lead > 0 ? RULES.majority : 0) + ((int64_t)(lead < 0 ? RULES.majority : 0) << 32);
        for (int kind = 0; kind < RULES.types; kind++) {
            int end = RULES.half_length[harbor][kind], at = state->position[harbor][kind];
            int up = medici >> 8 * kind & 255, down = strozzi >> 8 * kind & 255;
            at = RULES.net_movement ? least(most(at + up - down, -end), end) : most(least(at + up, end) - down, -end);
            state->position[harbor][kind] = at;
            paid += pays[harbor][kind][MOST_LEVELS + at];
        }
    }
    state->cash[MEDICI] += (int32_t)paid;
    state->cash[STROZZI] += (int32_t)(paid >> 32);
}

ALWAYS Place placing(const State *state, int seat)
{
    int mine = state->cash[seat], yours = state->cash[1 - seat];
    return (Place){yours > mine, 1 + (yours == mine)};
}

ALWAYS int score(const State *state, int seat) { return state->cash[seat]; }

/* What who searches asks. */

ALWAYS void open_all(Chance *chance, const State *state) { open_source(chance, TILE_SLOT, state->round); }

ALWAYS int actor(const State *state) { return state->actor; }

ALWAYS int count_legal(const State *state) { return state->choices; }

ALWAYS int kth_legal(const State *state, int k) { return state->phase == PLACE ? kth_member(state->legal, k) : k; }

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

/* Playing. */

static int flat_mc(const State *state, Streams *streams);

/* Which of the choices; of a placement which of the legal bits: 0 to discard, else 1 + ship and harbor. */
ALWAYS int decide(const int kind, State *state, Streams *streams, const int phase, int seat, int choices, unsigned legal)
{
    int k;
    streams->decisions += kind != BY_PLAYOUT;
    if (kind == BY_PLAYOUT) {
        k = below(&streams->roll, choices);
    } else if (kind == BY_RANDOM) {
        k = below(&streams->seat[seat], choices);
    } else {
        state->phase = phase;
        state->actor = seat;
        state->choices = choices;
        state->legal = legal;
        k = flat_mc(state, streams);
    }
    return phase == PLACE ? kth_member(legal, k) : k;
}

/* Play on to the end of the game, from the first turn, or from the question in `state` with `action`. */
ALWAYS void run(const int kind, const bool resumed, State *restrict state, Chance *restrict chance,
                Streams *restrict streams, int action)
{
    int proposer = state->proposer, buyer = 0, shown = 0, price = 0;
    uint64_t lot = 0;
    if (resumed) {
        lot = state->lot;
        shown = state->shown;
        price = state->price;
        buyer = state->buyer;
        if (state->phase == REVEAL) goto revealing;
        if (state->phase == ANSWER) goto answered;
        if (state->phase == PLACE) goto placed;
        price = action;
        goto named;
    }
turn:
    shown = 0;
    lot = 0;
reveal:
    {
        int left = state->unseen, k = draw(chance, TILE_SLOT, left), tile = state->unseen_tile[k];
        state->unseen_tile[k] = state->unseen_tile[left - 1];
        state->unseen = left - 1;
        lot += tile_word[tile];
        shown++;
    }
    if (kind == BY_FLAT_MC) {
        state->proposer = proposer;
        state->lot = lot;
        state->shown = shown;
    }
    if (state->unseen > 0 && shown < RULES.reveal_max && ships_with(state->free[proposer], shown + 1)) {
        action = decide(kind, state, streams, REVEAL, proposer, 2, 0);
revealing:
        if (action == MORE) goto reveal;
    }
    price = decide(kind, state, streams, PRICE, proposer, RULES.top_price + 1, 0);
named:
    buyer = proposer;
    if (RULES.buy_without_room || ships_with(state->free[1 - proposer], shown)) {
        if (kind == BY_FLAT_MC) state->price = price;
        action = decide(kind, state, streams, ANSWER, 1 - proposer, 2, 0);
answered:
        buyer = action == BUY ? 1 - proposer : proposer;
    }
    state->cash[buyer] -= price;
    {
        uint32_t ships = ships_with(state->free[buyer], shown);
        if (ships) {
            uint32_t legal = (state->where[buyer] & nibbles(ships)) << 1 | 1;
            if (kind == BY_FLAT_MC) state->buyer = buyer;
            action = decide(kind, state, streams, PLACE, buyer, __builtin_popcount(legal), legal);
placed:
            if (action != DISCARD) {
                int ship = (action - 1) / MOST_HARBORS, harbor = (action - 1) % MOST_HARBORS;
                uint32_t own = 15u << MOST_HARBORS * ship, others = state->not_moored[buyer] & ~own;
                state->where[buyer] &= ~(0x1111u << harbor & others) & ~(own & ~(1u << harbor << MOST_HARBORS * ship));
                state->not_moored[buyer] &= ~own;
                state->free[buyer] -= (uint32_t)shown << 8 * ship;
                state->loaded[buyer][harbor] += lot;
            }
        }
    }
    proposer = buyer;
    if (state->unseen > 0 && (RULES.ends_moored ? state->not_moored[buyer] : state->free[buyer])) goto turn;
    score_round(state);
    if (state->round + 1 < RULES.rounds) {
        state->round++;
        proposer = RULES.starter[state->round];
        begin_round(state, chance);
        goto turn;
    }
}

#define RUNS_BY_ITSELF
#include "loop.h"

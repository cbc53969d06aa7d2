/* Strozzi in C11, with the algorithm and the state of strozzi_sim/games/strozzi/core.py.
   The rules of one variant, and the number of players, are constants. */

enum { TILE_SLOT, SHIP_SLOT, SOURCES };

#include "engine.h"

enum { SEATS = 6, PORTS = 3, CITIES = 4, FLORENCE = 3, CATEGORIES = 3 };
enum { MOST_SHIPS = 64, MOST_TILES = 64, MOST_SPACES = 32, MOST_FACE_UP = 6 };
enum { PIRATE_FLAG, PLUS_ONE_FLAG, WARE_FLAG };
enum { ALL_FLAGS = 7, ALL_PORTS = 7, NOBODY = 255, NO_WARE = 255 };
enum { CLAIM, PIRACY, PORT, TILE, OVER };
enum { PASS = 1, CLAIM_WITH = 2, PLACE_AT = 5, TAKE_TILE = 8, DECLINE_TILE = TAKE_TILE + MOST_FACE_UP };
enum { TILE_SOURCE, SHIP_SOURCE, MOST_CHOICES = 8 };

/* The record of state.py. */

typedef struct {
    uint8_t phase, actor, legal, first_action;
    uint8_t round, start_player, active, ship, holder, holder_flag;
    uint8_t waiting, with_flag, with_pirate, deck;
    uint8_t hand[SEATS], berths[SEATS];
    uint8_t position[CITIES][SEATS], order[CITIES][SEATS];
    uint8_t ships_at[PORTS];
    uint8_t berth_seat[PORTS][SEATS], berth_speed[PORTS][SEATS], berth_ship[PORTS][SEATS], berth_flag[PORTS][SEATS];
    uint8_t display_size, display[MOST_FACE_UP];
    uint16_t tile_total[CATEGORIES][SEATS];
    uint32_t coins[SEATS];
    uint8_t tile_owner[MOST_TILES];
    uint8_t ships_unseen, unseen_ship[MOST_SHIPS];
    uint8_t tiles_unseen, unseen_tile[MOST_TILES];
} State;

/* Sets of actions and seats. */

static uint8_t kth_member[256][8];

__attribute__((constructor)) static void fill_kth_member(void)
{
    for (int set = 0; set < 256; set++)
        for (int member = 0, k = 0; member < 8; member++)
            if (set >> member & 1) kth_member[set][k++] = member;
}

ALWAYS int next_clockwise(unsigned seats, int seat)
{
    unsigned later = seats & -(2u << seat);
    return lowest(later ? later : seats);
}

/* Setting up. */

ALWAYS int draw_tile(State *state, Chance *chance)
{
    int left = state->tiles_unseen, k = draw(chance, TILE_SLOT, left), tile = state->unseen_tile[k];
    state->unseen_tile[k] = state->unseen_tile[left - 1];
    state->tiles_unseen = left - 1;
    return tile;
}

ALWAYS void ask_claim(State *state, int seat)
{
    state->phase = CLAIM;
    state->actor = seat;
    state->first_action = PASS;
    state->legal = 1 | state->hand[seat] << 1;
}

ALWAYS void ask_piracy(State *state, int seat)
{
    state->phase = PIRACY;
    state->actor = seat;
    state->first_action = PASS;
    state->legal = 1 | 1 << PIRATE_FLAG << 1;
}

static void reveal(State *restrict state, Chance *restrict chance)
{
    int left = state->ships_unseen, k = draw(chance, SHIP_SLOT, left), active = state->active;
    state->ship = state->unseen_ship[k];
    state->unseen_ship[k] = state->unseen_ship[left - 1];
    state->ships_unseen = left - 1;
    state->deck--;
    state->holder = NOBODY;
    state->waiting = state->with_flag & ~only(active);
    ask_claim(state, active);
}

static void begin_round(State *restrict state, Chance *restrict chance)
{
    int ships = RULES.ships;
    for (int seat = 0; seat < PLAYERS; seat++) {
        state->hand[seat] = ALL_FLAGS;
        state->berths[seat] = ALL_PORTS;
    }
    state->with_flag = state->with_pirate = only(PLAYERS) - 1;
    for (int port = 0; port < PORTS; port++) state->ships_at[port] = 0;
    for (int ship = 0; ship < ships; ship++) state->unseen_ship[ship] = ship;
    state->ships_unseen = ships;
    state->deck = RULES.cards[PLAYERS];
    open_source(chance, SHIP_SLOT, SHIP_SOURCE + state->round);
    state->active = state->start_player;
    reveal(state, chance);
}

ALWAYS void deal(State *restrict state, Chance *restrict chance)
{
    state->round = 0;
    state->start_player = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        state->coins[seat] = 0;
        for (int category = 0; category < CATEGORIES; category++) state->tile_total[category][seat] = 0;
    }
    for (int city = 0; city < CITIES; city++)
        for (int k = 0; k < PLAYERS; k++) {
            state->position[city][k] = 0;
            state->order[city][RULES.reverse_start ? PLAYERS - 1 - k : k] = k;
        }
    int tiles = RULES.tiles, shown = RULES.face_up < tiles ? RULES.face_up : tiles;
    for (int tile = 0; tile < tiles; tile++) {
        state->unseen_tile[tile] = tile;
        state->tile_owner[tile] = NOBODY;
    }
    state->tiles_unseen = tiles;
    open_source(chance, TILE_SLOT, TILE_SOURCE);
    for (int slot = 0; slot < shown; slot++) state->display[slot] = draw_tile(state, chance);
    state->display_size = shown;
    begin_round(state, chance);
}

/* Scoring. */

static void score_tiles(State *restrict state)
{
    const uint8_t *order = state->order[FLORENCE];
    for (int category = 0; category < CATEGORIES; category++) {
        const uint16_t *totals = state->tile_total[category];
        for (int rank = 0; rank < PLAYERS; rank++) {
            int seat = order[rank], total = totals[seat], better = 0;
            if (total == 0 && !RULES.zero_total_scores) continue;
            for (int other_rank = 0; other_rank < PLAYERS; other_rank++) {
                int other = totals[order[other_rank]];
                better += other > total || (other == total && other_rank < rank);
            }
            state->coins[seat] += RULES.category_prize[better];
        }
    }
}

static void score_round(State *restrict state, Chance *restrict chance)
{
    for (int port = 0; port < PORTS; port++) {
        int ships = state->ships_at[port];
        for (int rank = 0; rank < ships; rank++) state->coins[state->berth_seat[port][rank]] += RULES.ship_prize[rank];
    }
    for (int city = 0; city < CITIES; city++) {
        bool bonus_here = city != FLORENCE || RULES.florence_bonus;
        for (int rank = 0; rank < PLAYERS; rank++) {
            int seat = state->order[city][rank], space = state->position[city][seat];
            if (space == 0) break;
            state->coins[seat] += RULES.marker_prize[rank] + (bonus_here ? RULES.bonus[space] : 0);
        }
    }
    if (state->round + 1 < RULES.rounds) {
        state->round++;
        state->start_player = state->order[FLORENCE][0];
        begin_round(state, chance);
    } else {
        score_tiles(state);
        state->phase = OVER;
        state->legal = 0;
    }
}

static Place placing(const State *restrict state, int seat)
{
    uint32_t coins = state->coins[seat];
    int better = 0;
    bool ahead = true;
    for (int rank = 0; rank < PLAYERS; rank++) {
        int other = state->order[FLORENCE][rank];
        if (other == seat)
            ahead = false;
        else
            better += state->coins[other] > coins || (state->coins[other] == coins && ahead);
    }
    return (Place){better, 1};
}

/* Playing. */

static void next_turn(State *restrict state, int taker, Chance *restrict chance)
{
    if (state->with_flag == 0 || state->deck == 0) {
        score_round(state, chance);
    } else {
        state->active = next_clockwise(state->with_flag, taker);
        reveal(state, chance);
    }
}

static void move(State *restrict state, int seat, int city, int steps)
{
    uint8_t *position = state->position[city], *order = state->order[city];
    int before = position[seat], after = before + steps < RULES.top ? before + steps : RULES.top, rank = 0;
    if (after == before) return;
    position[seat] = after;
    while (order[rank] != seat) rank++;
    for (; rank > 0 && position[order[rank - 1]] < after; rank--) order[rank] = order[rank - 1];
    order[rank] = seat;
}

static void take_tile(State *restrict state, int seat, int slot, Chance *restrict chance)
{
    if (slot < 0) return;
    int tile = state->display[slot], ware = RULES.tile_ware[tile];
    state->tile_owner[tile] = seat;
    state->tile_total[RULES.tile_category[tile]][seat] += RULES.tile_value[tile];
    if (state->tiles_unseen > 0) {
        state->display[slot] = draw_tile(state, chance);
    } else {
        int display = --state->display_size;
        for (; slot < display; slot++) state->display[slot] = state->display[slot + 1];
    }
    if (ware != NO_WARE) move(state, seat, ware, 1);
}

static void place(State *restrict state, int seat, int port, Chance *restrict chance)
{
    int ship = state->ship, flag = state->holder_flag, rank = state->ships_at[port]++;
    int speed = RULES.sail[ship] + (flag == PLUS_ONE_FLAG ? RULES.plus_one_speed : 0);
    uint8_t *seats = state->berth_seat[port], *speeds = state->berth_speed[port];
    uint8_t *ships = state->berth_ship[port], *flags = state->berth_flag[port];
    state->berths[seat] &= ~only(port);
    for (; rank > 0 && speeds[rank - 1] < speed; rank--) {
        speeds[rank] = speeds[rank - 1];
        seats[rank] = seats[rank - 1];
        ships[rank] = ships[rank - 1];
        flags[rank] = flags[rank - 1];
    }
    speeds[rank] = speed;
    seats[rank] = seat;
    ships[rank] = ship;
    flags[rank] = flag;

    int steps = RULES.cargo[ship][port];
    if (flag == WARE_FLAG && (steps > 0 || !RULES.ware_flag_needs_match)) steps += RULES.ware_steps;
    move(state, seat, port, steps);
    move(state, seat, FLORENCE, RULES.scrolls[ship]);

    int display = state->display_size;
    if (RULES.promotion[ship] && display > 0) {
        if (display > 1 || RULES.tile_optional) {
            state->phase = TILE;
            state->actor = seat;
            state->first_action = TAKE_TILE;
            state->legal = (only(display) - 1) | (RULES.tile_optional ? only(DECLINE_TILE - TAKE_TILE) : 0);
            return;
        }
        take_tile(state, seat, 0, chance);
    }
    next_turn(state, seat, chance);
}

static void take_card(State *restrict state, int seat, int flag, Chance *restrict chance)
{
    state->holder = seat;
    state->holder_flag = flag;
    state->hand[seat] &= ~only(flag);
    if (state->hand[seat] == 0) state->with_flag &= ~only(seat);
    if (flag == PIRATE_FLAG) state->with_pirate &= ~only(seat);
    unsigned berths = state->berths[seat];
    if ((berths & (berths - 1)) == 0) {
        place(state, seat, lowest(berths), chance);
    } else {
        state->phase = PORT;
        state->actor = seat;
        state->first_action = PLACE_AT;
        state->legal = berths;
    }
}

ALWAYS void answer(State *restrict state, int seat, int action,
                          Chance *restrict chance)
{
    int flag = action - CLAIM_WITH;
    unsigned waiting = state->waiting;
    if (flag >= 0) {
        if (flag == PIRATE_FLAG) {
            take_card(state, seat, flag, chance);
            return;
        }
        state->holder = seat;
        state->holder_flag = flag;
        waiting = (RULES.second_lap ? state->with_flag : waiting) & state->with_pirate & ~only(seat);
    }
    if (waiting) {
        int following = next_clockwise(waiting, seat);
        state->waiting = waiting & ~only(following);
        if (state->holder == NOBODY)
            ask_claim(state, following);
        else
            ask_piracy(state, following);
    } else if (state->holder != NOBODY) {
        take_card(state, state->holder, state->holder_flag, chance);
    } else if (state->deck == 0) {
        score_round(state, chance);
    } else {
        reveal(state, chance);
    }
}

ALWAYS void apply(State *restrict state, int action, Chance *restrict chance)
{
    int seat = state->actor;
    if (state->phase <= PIRACY) {
        answer(state, seat, action, chance);
    } else if (state->phase == PORT) {
        place(state, seat, action - PLACE_AT, chance);
    } else {
        take_tile(state, seat, action == DECLINE_TILE ? -1 : action - TAKE_TILE, chance);
        next_turn(state, seat, chance);
    }
}

/* What the loop asks. */

ALWAYS void open_all(Chance *chance, const State *state)
{
    open_source(chance, TILE_SLOT, TILE_SOURCE);
    open_source(chance, SHIP_SLOT, SHIP_SOURCE + state->round);
}

ALWAYS bool over(const State *state) { return state->phase == OVER; }

ALWAYS int actor(const State *state) { return state->actor; }

ALWAYS int score(const State *state, int seat) { return (int)state->coins[seat]; }

ALWAYS int count_legal(const State *state) { return __builtin_popcount(state->legal); }

ALWAYS int kth_legal(const State *state, int k) { return state->first_action + kth_member[state->legal][k]; }

/* The unseen in component-file order. */
static void conceal(State *state, int seat)
{
    (void)seat;
    ascending(state->unseen_ship, state->ships_unseen);
    ascending(state->unseen_tile, state->tiles_unseen);
}

/* Nothing is hidden. */
static void determinize(State *state, int seat, Random *random)
{
    (void)state, (void)seat, (void)random;
}

#define WITH_HEURISTIC
#include "loop.h"
#include "strozzi_heuristic.h"

PLAY(play_heuristic, BY_HEURISTIC)

/* Strozzi in C11: the speed limit that the compiled Python core is measured against.

   The same decisions, streams and scores as strozzi_sim/games/strozzi/core.py, with what speed needs and nothing else:
   the rules of one variant and the player count are constants, one function runs from question to question, and the
   orders of ships and markers are keys that are compared when a round is scored. */

enum { TILE_SLOT, SHIP_SLOT, SOURCES };

#include "engine.h"

enum { LANES = 8, PORTS = 3, CITIES = 4, FLORENCE = 3, CATEGORIES = 3 };
enum { MOST_SHIPS = 64, MOST_TILES = 64, MOST_FACE_UP = 6, MOST_CHOICES = 8 };
enum { PIRATE_FLAG, PLUS_ONE_FLAG, WARE_FLAG };
enum { ALL_FLAGS = 7, ALL_PORTS = 7, NO_WARE = 255, DECLINE = MOST_FACE_UP };
enum { CLAIM, PIRACY, PORT, TILE };
enum { TILE_SOURCE, SHIP_SOURCE };
enum { SEATS_SET = (1 << PLAYERS) - 1 };

/* A key is greater the better its ship or marker stands: speed or space above, and below, who came there earlier.
   Lane k is seat k; 0 is no ship. */
enum { SPEED = 8, SPACE = 10, EARLIEST = (1 << SPACE) - 1 };

typedef int16_t Keys[CITIES][LANES] __attribute__((aligned(64)));
typedef int16_t Lanes __attribute__((vector_size(64))); /* all of them */

typedef struct {
    Keys ship, marker; /* [city]; no ships at florence */
    int32_t coins[LANES];
    uint16_t tile_total[CATEGORIES][LANES];
    uint8_t phase, actor, legal, ship_asked, holder, holder_flag, waiting; /* of the question, for who searches */
    uint8_t round, active, with_flag, with_pirate, deck, placed;
    uint16_t earlier; /* falls with every move */
    uint8_t hand[LANES], berths[LANES];
    uint8_t display_size, display[LANES];
    uint8_t ships_unseen, tiles_unseen;
    uint8_t unseen_ship[MOST_SHIPS], unseen_tile[MOST_TILES];
} State;

static const uint8_t INDEX[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

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

ALWAYS void begin_round(State *restrict state, Chance *restrict chance, int start_player)
{
    memset(state->hand, ALL_FLAGS, LANES);
    memset(state->berths, ALL_PORTS, LANES);
    memset(state->ship, 0, sizeof state->ship);
    memcpy(state->unseen_ship, INDEX, sizeof INDEX);
    state->with_flag = state->with_pirate = SEATS_SET;
    state->placed = 0;
    state->ships_unseen = RULES.ships;
    state->deck = RULES.cards[PLAYERS];
    state->active = start_player;
    open_source(chance, SHIP_SLOT, SHIP_SOURCE + state->round);
}

ALWAYS void open_all(Chance *chance, const State *state)
{
    open_source(chance, TILE_SLOT, TILE_SOURCE);
    open_source(chance, SHIP_SLOT, SHIP_SOURCE + state->round);
}

ALWAYS void deal(State *restrict state, Chance *restrict chance)
{
    memset(state->coins, 0, sizeof state->coins);
    memset(state->tile_total, 0, sizeof state->tile_total);
    for (int city = 0; city < CITIES; city++)
        for (int seat = 0; seat < PLAYERS; seat++)
            state->marker[city][seat] = EARLIEST - (RULES.reverse_start ? PLAYERS - 1 - seat : seat);
    state->earlier = EARLIEST - PLAYERS;
    memcpy(state->unseen_tile, INDEX, sizeof INDEX);
    state->tiles_unseen = RULES.tiles;
    state->display_size = least(RULES.face_up, RULES.tiles);
    open_source(chance, TILE_SLOT, TILE_SOURCE);
    for (int slot = 0; slot < least(RULES.face_up, RULES.tiles); slot++) state->display[slot] = draw_tile(state, chance);
    state->round = 0;
    begin_round(state, chance, 0);
}

/* Scoring. */

#define SAME_SEAT(k) k, k, k, k, k, k, k, k
#define EACH(k) SAME_SEAT(k), SAME_SEAT(k + 8), SAME_SEAT(k + 16), SAME_SEAT(k + 24)

/* How many keys of the same city are greater. */
ALWAYS Lanes ranks(const Keys given)
{
    static const Lanes others[] = {{EACH(0)}, {EACH(1)}, {EACH(2)}, {EACH(3)}, {EACH(4)}, {EACH(5)}};
    Lanes keys = *(const Lanes *)given, above = {0};
    for (int other = 0; other < PLAYERS; other++) above -= __builtin_shuffle(keys, others[other]) > keys;
    return above;
}

/* The item of `table` for each lane. */
ALWAYS Lanes read(const uint16_t *table, size_t size, Lanes lanes)
{
    Lanes all = {0};
    memcpy(&all, table, size);
    return __builtin_shuffle(all, lanes);
}

#define READ(table, lanes) read(table, sizeof table, lanes)

ALWAYS void score_round(State *state)
{
    Lanes ships = *(const Lanes *)state->ship, markers = *(const Lanes *)state->marker, space = markers >> SPACE;
    Lanes paid = READ(RULES.ship_prize, ranks(state->ship)) & (ships > 0);
    Lanes bonus = READ(RULES.bonus, space);
    if (!RULES.florence_bonus) for (int seat = 0; seat < LANES; seat++) bonus[FLORENCE * LANES + seat] = 0;
    paid += (READ(RULES.marker_prize, ranks(state->marker)) + bonus) & (space > 0);
    Keys pays;
    *(Lanes *)pays = paid;
    for (int seat = 0; seat < LANES; seat++)
        state->coins[seat] += pays[0][seat] + pays[1][seat] + pays[2][seat] + pays[3][seat];
}

ALWAYS void score_tiles(State *state)
{
    for (int category = 0; category < CATEGORIES; category++)
        for (int seat = 0; seat < PLAYERS; seat++) {
            int total = state->tile_total[category][seat], better = 0;
            for (int other = 0; other < PLAYERS; other++) {
                int theirs = state->tile_total[category][other];
                better += theirs > total
                          || (theirs == total && state->marker[FLORENCE][other] > state->marker[FLORENCE][seat]);
            }
            state->coins[seat] += total || RULES.zero_total_scores ? RULES.category_prize[better] : 0;
        }
}

ALWAYS Place placing(const State *state, int seat)
{
    int coins = state->coins[seat], better = 0;
    for (int other = 0; other < PLAYERS; other++)
        better += state->coins[other] > coins
                  || (state->coins[other] == coins && state->marker[FLORENCE][other] > state->marker[FLORENCE][seat]);
    return (Place){better, 1};
}

ALWAYS int score(const State *state, int seat) { return state->coins[seat]; }

ALWAYS int leader(const State *state)
{
    int best = 0;
    for (int seat = 1; seat < PLAYERS; seat++)
        best = state->marker[FLORENCE][seat] > state->marker[FLORENCE][best] ? seat : best;
    return best;
}

/* What who searches asks. */

ALWAYS int actor(const State *state) { return state->actor; }

ALWAYS int count_legal(const State *state) { return __builtin_popcount(state->legal); }

ALWAYS int kth_legal(const State *state, int k) { return kth_member[state->legal][k]; }

/* The unseen in component-file order. */
static void conceal(State *state, int seat)
{
    (void)seat;
    ascending(state->unseen_ship, state->ships_unseen);
    ascending(state->unseen_tile, state->tiles_unseen);
}

/* Nothing is hidden. */
static void determinize(State *state, int seat, Random *random) { (void)state, (void)seat, (void)random; }

/* Playing. */

static int flat_mc(const State *state, Streams *streams);

/* The action of a seat: pass (0) or 1 + flag, a port, a slot of the display. */
ALWAYS int decide(const int kind, State *state, Streams *streams, int phase, int seat, unsigned legal)
{
    if (kind == BY_PLAYOUT) return kth_member[legal][below(&streams->roll, __builtin_popcount(legal))];
    streams->decisions++;
    if (kind == BY_RANDOM) return kth_member[legal][below(&streams->seat[seat], __builtin_popcount(legal))];
    state->phase = phase;
    state->actor = seat;
    state->legal = legal;
    return kth_member[legal][flat_mc(state, streams)];
}

ALWAYS void move(State *state, int seat, int city, int steps)
{
    int key = state->marker[city][seat], before = key >> SPACE, after = least(before + steps, RULES.top);
    int moved = after << SPACE | --state->earlier;
    state->marker[city][seat] = after != before ? moved : key;
}

ALWAYS void take_tile(State *restrict state, Chance *restrict chance, int seat, int slot)
{
    int tile = state->display[slot], ware = RULES.tile_ware[tile];
    state->tile_total[RULES.tile_category[tile]][seat] += RULES.tile_value[tile];
    if (state->tiles_unseen > 0) {
        state->display[slot] = draw_tile(state, chance);
    } else {
        int display = --state->display_size;
        for (; slot < display; slot++) state->display[slot] = state->display[slot + 1];
    }
    if (ware != NO_WARE) move(state, seat, ware, 1);
}

/* Play on to the end of the game, from the turn of the first card, or from the question in `state` with `action`. */
ALWAYS void run(const int kind, const bool resumed, State *restrict state, Chance *restrict chance,
                Streams *restrict streams, int action)
{
    const bool told = kind == BY_FLAT_MC; /* who decides reads the state */
    int seat, flag, port, ship, holder;
    unsigned waiting, free;
    if (resumed) {
        seat = state->actor;
        waiting = state->waiting;
        ship = state->ship_asked;
        holder = state->holder;
        flag = state->holder_flag;
        if (state->phase == CLAIM) goto claimed;
        if (state->phase == PIRACY) goto answered;
        if (state->phase == TILE) goto tile_chosen;
        port = action;
        goto port_chosen;
    }
reveal:
    {
        int left = state->ships_unseen, k = draw(chance, SHIP_SLOT, left);
        ship = state->unseen_ship[k];
        state->unseen_ship[k] = state->unseen_ship[left - 1];
        state->ships_unseen = left - 1;
        state->deck--;
    }
    seat = state->active;
    holder = LANES;
    waiting = state->with_flag & ~only(seat);
    if (told) {
        state->ship_asked = ship;
        state->holder = holder;
    }
ask_claim:
    if (told) state->waiting = waiting;
    action = decide(kind, state, streams, CLAIM, seat, 1 | state->hand[seat] << 1);
claimed:
    if (action == 0) {
        if (waiting == 0) {
            if (state->deck == 0) goto end_round;
            goto reveal;
        }
        seat = next_clockwise(waiting, seat);
        waiting &= ~only(seat);
        goto ask_claim;
    }
    flag = action - 1;
    if (flag == PIRATE_FLAG) goto take;
    holder = seat;
    waiting = (RULES.second_lap ? state->with_flag : waiting) & state->with_pirate & ~only(seat);
    if (told) {
        state->holder = holder;
        state->holder_flag = flag;
    }
ask_piracy:
    if (waiting == 0) {
        seat = holder;
        goto take;
    }
    seat = next_clockwise(waiting, seat);
    waiting &= ~only(seat);
    if (told) state->waiting = waiting;
    action = decide(kind, state, streams, PIRACY, seat, 1 | 1 << PIRATE_FLAG << 1);
answered:
    if (action == 0) goto ask_piracy;
    flag = PIRATE_FLAG;
take:
    {
        unsigned hand = state->hand[seat] &= ~only(flag);
        state->with_flag &= ~((unsigned)(hand == 0) << seat);
        state->with_pirate &= ~((unsigned)(flag == PIRATE_FLAG) << seat);
    }
    free = state->berths[seat];
    if (free & (free - 1)) {
        if (told) {
            state->holder = seat;
            state->holder_flag = flag;
        }
        port = decide(kind, state, streams, PORT, seat, free);
    } else {
        port = lowest(free);
    }
port_chosen:
    {
        int speed = RULES.sail[ship] + (flag == PLUS_ONE_FLAG ? RULES.plus_one_speed : 0);
        int steps = RULES.cargo[ship][port];
        steps += flag == WARE_FLAG && (steps > 0 || !RULES.ware_flag_needs_match) ? RULES.ware_steps : 0;
        state->berths[seat] &= ~only(port);
        state->ship[port][seat] = speed << SPEED | (255 - state->placed++);
        move(state, seat, port, steps);
        move(state, seat, FLORENCE, RULES.scrolls[ship]);
    }
    if (RULES.promotion[ship] && state->display_size > 0) {
        if (state->display_size > 1 || RULES.tile_optional) {
            action = decide(kind, state, streams, TILE, seat,
                            (only(state->display_size) - 1) | (RULES.tile_optional ? only(DECLINE) : 0));
        } else {
            action = 0;
        }
tile_chosen:
        if (!RULES.tile_optional || action != DECLINE) take_tile(state, chance, seat, action);
    }
    if (state->with_flag != 0 && state->deck != 0) {
        state->active = next_clockwise(state->with_flag, seat);
        goto reveal;
    }
end_round:
    score_round(state);
    if (state->round + 1 < RULES.rounds) {
        state->round++;
        begin_round(state, chance, leader(state));
        goto reveal;
    }
    score_tiles(state);
}

#define RUNS_BY_ITSELF
#include "loop.h"

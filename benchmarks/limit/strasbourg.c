/* Strasbourg in C11: the speed limit that the compiled Python core is measured against.

   The same work as the kernels in strozzi_sim/games/strasbourg/: the same records, read at run time; the same random
   streams, bit for bit; the same algorithm. loop.h does the work of strozzi_sim/selfplay/loop.py. */

#include "engine.h"

enum { SEATS = 5, MOST_VALUE = 6, MOST_CARDS = 24, MOST_STACKS = 24, MOST_TASKS = 60, MOST_CELLS = 54, MOST_CORNERS = 40 };
enum { MOST_SITES = 16, MOST_EDIFICES = 12, MOST_GUILDS = 8, MOST_ROUNDS = 8, MOST_PRICE = 30, MOST_CHOICES = 64 };
enum { NOBODY = 255, NO_SITE = 255, UNKNOWN_COINS = 65535, UNKNOWN_AMOUNT = 255 };
enum { NOBILITY, CHURCH, MERCHANTS, GUILD_SEAT, CHAIRS = GUILD_SEAT + MOST_GUILDS };
enum { STEP_A = 0, STEP_G = 6, STEP_H = 7, STEP_I = 8, AUCTIONS = 7 };
enum { KEEP, DRAW, SPLIT, BID, TAKE_SEAT, TAKE_GOOD, PLACE, APPRENTICE, SELL, RETURN, BUILD_CHAPEL, BUILD_EDIFICE, OVER };
enum { STOP = 32, DRAW_CARD, CLOSE, PASS = 41, DEFER, REVEAL, NONE = 67, SEAT, GOOD, PLACE_ON, SELL_GOODS = 124 };
enum { RETURN_CARD = 139, CHAPEL = 146, EDIFICE = 186 };
enum { ASKED, PLANNING, STEPPING, BIDDING, ACTING, RETURNING }; /* how a game goes on */
enum { ROUND_SOURCE, EDIFICE_SOURCE, TASK_SOURCE, CARD_SOURCE };
enum { TWO = 3, GOOD_OR_NONE = 1 | 1 << (GOOD - NONE), PLACE_BIT = PLACE_ON - NONE, REVEAL_BIT = REVEAL - PASS };
enum {
    ADJACENT_TO_EDIFICE, MEMBERS_IN_GUILD, SAME_EDIFICE, ORTHOGONAL_LINE, DIAGONAL_LINE, SQUARE_2X2, COUNCIL_MEMBERS,
    DISTINCT_EDIFICES, MOST_MEMBERS_IN_CITY, MOST_COINS, DISTINCT_GUILDS, GUILDS_WITH_PAIRS, DISTINCT_CHAPELS, SAME_CHAPEL,
    CONNECTED_GROUP, BORDER_MEMBERS, NOBILITY_OR_CHURCH
};

static const uint32_t UNKNOWN_STACK = 1u << 31;
static const uint8_t FIRST_ACTION[] = {
    0, STOP, CLOSE, PASS, NONE, NONE, NONE, NONE, SELL_GOODS, RETURN_CARD, CHAPEL - 1, EDIFICE - 1, 0,
};

/* The records of state.py, field by field. */

typedef uint64_t Set;
typedef uint32_t Bag; /* of cards: five bits for each value */

typedef struct {
    Set legal, empty, free_corners, members[SEATS], dealt[SEATS], kept[SEATS];
    uint8_t phase, actor, players, round, step, start_player, planned, drawn[SEATS], last_value, undecided;
    uint32_t queue;
    uint8_t with_stacks, bidders, rank, ranking[SEATS], idle, declined, guild;
    uint16_t proceeds;
    Bag hand;
    uint32_t free_sites;
    uint8_t chapels, council[CHAIRS], edifice_site[MOST_EDIFICES], round_card[MOST_ROUNDS], round_edifice[MOST_ROUNDS];
    uint16_t prestige[SEATS];
    int16_t score[SEATS];
    uint16_t voids[SEATS], coins[SEATS]; /* voids: of restrictions, which nobody has here */
    uint8_t privileges[SEATS], goods[SEATS][MOST_GUILDS];
    Bag deck[SEATS];
    uint8_t deck_left[SEATS], under[SEATS][MOST_CARDS], under_left[SEATS], under_taken[SEATS];
    Bag known[SEATS], shown[SEATS], lost[SEATS], bid[SEATS];
    uint8_t stack_count[SEATS];
    uint32_t unused[SEATS], repeated[SEATS];
    Bag stacks[SEATS][MOST_STACKS];
} State;

typedef struct {
    uint8_t rounds, guilds, edifices, tasks, dealt;
    Set keep;
    Bag all_cards;
    uint8_t cards;
    uint16_t start_coins;
    uint8_t start_privileges, privilege_points;
    uint16_t good_value[MOST_GUILDS];
    uint8_t chapels, chapel_points, edifice_points[MOST_EDIFICES], seat_points, card_guild[MOST_ROUNDS][3];
    uint8_t columns, corners, sites;
    Set spaces, guild_spaces[MOST_GUILDS];
    uint8_t price[MOST_CELLS];
    Set affordable[MOST_PRICE + 1], site_spaces[MOST_SITES], corner_spaces[MOST_CORNERS];
    Set not_first_column, not_last_column, border;
    uint8_t penalty, kind[MOST_TASKS], points[MOST_TASKS], subject[MOST_TASKS], minimum[MOST_TASKS][SEATS + 1];
    uint8_t skip_first_step, min_draw, sequential, return_if_unused, building_optional, hide_money, tie_fulfils;
    uint8_t seat_optional;
    uint8_t restricted, no_bid[SEATS][MOST_ROUNDS], no_defer[SEATS], most_drawn[SEATS]; /* nobody is */
    Set no_space[SEATS];
    uint8_t no_good[SEATS];
    Set no_keep[SEATS], no_task[SEATS];
    uint8_t no_chapel[SEATS], no_edifice[SEATS];
} Rules;

/* Sets of up to 60 members. */

static inline int size(Set set) { return __builtin_popcountll(set); }

static inline int first(Set set) { return __builtin_ctzll(set); }

static inline Set member(int k) { return 1ull << k; }

static inline Set up_to(int count) { return member(count) - 1; }

static inline int kth_member(Set set, int k)
{
    int before = 0;
    for (int width = 32; width >= 8; width /= 2) {
        int lower = size(set & up_to(width)), beyond = -(k >= lower);
        k -= lower & beyond;
        before += width & beyond;
        set = set >> (width & beyond) & up_to(width);
    }
    for (; k > 0; k--) set &= set - 1;
    return before + first(set);
}

/* The members whose places in ascending order are in `choice`. */
static inline Set expand(Set set, Set choice)
{
    Set found = 0;
    for (; choice; choice >>= 1, set &= set - 1) found |= set & -set & -(choice & 1);
    return found;
}

/* Bags of cards. */

static inline Bag one_card(int value) { return 1u << 5 * (value - 1); }

static inline int count_value(Bag bag, int value) { return bag >> 5 * (value - 1) & 31; }

static const uint64_t ONE_EACH = 1 | 1 << 5 | 1 << 10 | 1 << 15 | 1 << 20 | 1 << 25;

static inline int count_cards(Bag bag) { return bag * ONE_EACH >> 25 & 31; }

static inline int add_values(Bag bag)
{
    int total = 0;
    for (int value = 1; value <= MOST_VALUE; value++) total += value * count_value(bag, value);
    return total;
}

static inline int kth_card(Bag bag, int k)
{
    uint64_t lower = bag * ONE_EACH; /* each field: the cards of this value and all lower ones */
    int value = 1;
    for (int other = 1; other < MOST_VALUE; other++) value += k >= (int)(lower >> 5 * (other - 1) & 31);
    return value;
}

static inline int highest_card(Bag bag) { return (31 - __builtin_clz(bag)) / 5 + 1; }

static inline Set values_in(Bag bag)
{
    Set found = 0;
    for (int value = 1; value <= MOST_VALUE; value++) found |= (Set)(count_value(bag, value) != 0) << value;
    return found;
}

/* Asking. */

static inline int ask(State *state, int phase, int seat, Set legal)
{
    state->phase = phase;
    state->actor = seat;
    state->legal = legal;
    return ASKED;
}

static inline int cards_left(const State *state, int seat)
{
    return state->deck_left[seat] + state->under_left[seat] - state->under_taken[seat];
}

static inline Set splits(const State *state, int seat)
{
    int count = state->stack_count[seat];
    uint64_t stack = state->stacks[seat][count], hand = state->hand;
    uint64_t greatest = count > 0 ? state->stacks[seat][count - 1] : 1ull << 32;
    Set found = 1;
    for (int value = 1; value <= state->last_value; value++) {
        Bag card = one_card(value);
        found |= (Set)((hand & (uint64_t)card * 31) != 0 && stack + card <= greatest) << value;
    }
    return found;
}

static inline Set bids(const State *state, int seat)
{
    uint32_t unused = state->unused[seat], reveal = unused & ~(state->repeated[seat] & unused << 1);
    unsigned others = state->undecided & state->with_stacks & ~only(seat);
    return 1 | (Set)(others != 0 && state->privileges[seat] > 0) << 1 | (Set)reveal << REVEAL_BIT;
}

static inline Set placements(const State *state, const Rules *rules, int seat, int guild)
{
    return rules->guild_spaces[guild] & state->empty & rules->affordable[least(state->coins[seat], MOST_PRICE)];
}

static inline Set chapel_choices(const State *state, const Rules *rules)
{
    Set free = state->free_corners;
    return state->chapels > 0 && free ? free << 1 | rules->building_optional : 0;
}

static inline Set edifice_choices(const State *state, const Rules *rules)
{
    Set free = state->free_sites;
    return free ? free << 1 | rules->building_optional : 0;
}

/* Planning. */

static inline void clear_stacks(State *state, int seat)
{
    for (int k = 0; k < least(state->stack_count[seat] + 1, MOST_STACKS); k++) state->stacks[seat][k] = 0;
    state->stack_count[seat] = 0;
    state->unused[seat] = 0;
    state->repeated[seat] = 0;
}

static int begin_round(State *state, const Rules *rules)
{
    for (int seat = 0; seat < state->players; seat++) state->drawn[seat] = state->known[seat] = state->shown[seat] = 0;
    state->planned = 0;
    state->with_stacks = 0;
    state->step = rules->skip_first_step & (state->round == 0);
    return PLANNING;
}

/* Take the k-th card of the first shuffle, or the next one from under the deck. */
static inline Bag take_card(State *state, int seat, int k)
{
    int value;
    if (state->deck_left[seat] > 0) {
        value = kth_card(state->deck[seat], k);
        state->deck[seat] -= one_card(value);
        state->deck_left[seat]--;
    } else {
        value = state->under[seat][state->under_taken[seat]++];
    }
    state->drawn[seat]++;
    return one_card(value);
}

static void draw_card(State *state, int seat, Chance *chance)
{
    int left = state->deck_left[seat];
    state->hand += take_card(state, seat, left > 0 ? draw(chance, CARD_SOURCE + seat, left) : 0);
}

static inline void lay(State *state, int seat, int value)
{
    state->stacks[seat][state->stack_count[seat]] += one_card(value);
    state->hand -= one_card(value);
    state->last_value = value;
}

static void publish(State *state, int seat)
{
    int taken = state->under_taken[seat], left = state->under_left[seat] - taken;
    if (taken > 0) {
        Bag known = 0;
        for (int k = 0; k < taken; k++) known += one_card(state->under[seat][k]);
        for (int k = 0; k < left; k++) state->under[seat][k] = state->under[seat][k + taken];
        for (int k = left; k < left + taken; k++) state->under[seat][k] = 0;
        state->known[seat] = known;
        state->under_left[seat] = left;
        state->under_taken[seat] = 0;
    }
    if (state->stack_count[seat] > 0) state->with_stacks |= only(seat);
}

static inline void finish_stacks(State *state, int seat)
{
    int count = state->stack_count[seat];
    uint32_t repeated = 0;
    for (int k = 1; k < count; k++)
        repeated |= (uint32_t)(state->stacks[seat][k] == state->stacks[seat][k - 1]) << k;
    state->repeated[seat] = repeated;
    state->unused[seat] = up_to(count);
}

static int go_on_splitting(State *state, const Rules *rules, int seat)
{
    for (;;) {
        if (state->last_value == 0) {
            if (state->hand == 0) break;
            lay(state, seat, highest_card(state->hand));
        }
        Set legal = splits(state, seat);
        if (legal != 1) return ask(state, SPLIT, seat, legal);
        state->stack_count[seat]++;
        state->last_value = 0;
    }
    finish_stacks(state, seat);
    state->planned |= only(seat);
    if (rules->sequential) publish(state, seat);
    return PLANNING;
}

static int plan_next(State *state, const Rules *rules, Chance *chance)
{
    int players = state->players;
    for (int k = 0; k < players; k++) {
        int seat = state->start_player + k;
        if (seat >= players) seat -= players;
        if (state->planned >> seat & 1) continue;
        state->actor = seat;
        for (int left = least(rules->min_draw, cards_left(state, seat)); left > 0; left--) draw_card(state, seat, chance);
        return cards_left(state, seat) > 0 ? ask(state, DRAW, seat, TWO) : go_on_splitting(state, rules, seat);
    }
    if (!rules->sequential)
        for (int seat = 0; seat < players; seat++) publish(state, seat);
    return STEPPING;
}

static inline int draw_or_stop(State *state, const Rules *rules, int action, Chance *chance)
{
    int seat = state->actor;
    if (action != STOP) {
        draw_card(state, seat, chance);
        if (cards_left(state, seat) > 0) return ASKED; /* the same question again */
    }
    return go_on_splitting(state, rules, seat);
}

static inline int split(State *state, const Rules *rules, int action)
{
    int seat = state->actor;
    if (action == CLOSE) {
        state->stack_count[seat]++;
        state->last_value = 0;
    } else {
        lay(state, seat, action - CLOSE);
    }
    return go_on_splitting(state, rules, seat);
}

/* Auctions. */

static inline int acting_ranks(const State *state)
{
    if (state->step & 1) return least(state->players - 1, 3);
    return state->step == STEP_A ? 2 : 1;
}

static int begin_auction(State *state, const Rules *rules)
{
    int players = state->players, seat = state->start_player, step = state->step;
    uint32_t queue = 0;
    state->guild = step & 1 ? rules->card_guild[state->round_card[state->round]][step >> 1] : NOBODY;
    if (state->with_stacks == 0) {
        state->step++;
        return STEPPING;
    }
    for (int k = 0; k < players; k++) {
        queue |= (uint32_t)seat << 4 * k;
        seat = seat + 1 < players ? seat + 1 : 0;
    }
    state->queue = queue;
    state->undecided = only(players) - 1;
    state->bidders = 0;
    return BIDDING;
}

static int rank_bids(State *state)
{
    int bidders = state->bidders, players = state->players, seat = state->start_player, found = 0;
    if (bidders == 0) {
        state->step++;
        return STEPPING;
    }
    for (int k = 0; k < players; k++) {
        Bag stack = state->bid[seat];
        if (stack != 0) {
            int total = add_values(stack), place = found++;
            for (; place > 0 && add_values(state->bid[state->ranking[place - 1]]) < total; place--)
                state->ranking[place] = state->ranking[place - 1];
            state->ranking[place] = seat;
        }
        seat = seat + 1 < players ? seat + 1 : 0;
    }
    unsigned idle = 0;
    for (int rank = least(acting_ranks(state), bidders) - 1; rank >= 0; rank--) idle |= only(state->ranking[rank]);
    state->idle = idle;
    state->start_player = state->ranking[0];
    state->rank = 0;
    return ACTING;
}

static int bid_next(State *state)
{
    while (state->undecided) {
        int seat = state->queue & 15;
        state->queue >>= 4;
        if (state->with_stacks >> seat & 1) return ask(state, BID, seat, bids(state, seat));
        state->undecided &= ~only(seat);
    }
    return rank_bids(state);
}

static inline int bid(State *state, int action)
{
    int seat = state->actor;
    if (action == DEFER) {
        state->privileges[seat]--;
        state->queue |= (uint32_t)seat << 4 * (size(state->undecided) - 1);
        return BIDDING;
    }
    if (action != PASS) {
        int k = action - REVEAL;
        Bag stack = state->stacks[seat][k];
        uint32_t unused = state->unused[seat] & ~only(k);
        state->stacks[seat][k] = 0;
        state->unused[seat] = unused;
        if (unused == 0) state->with_stacks &= ~only(seat);
        state->bid[seat] = stack;
        state->shown[seat] += stack;
        state->bidders++;
    }
    state->undecided &= ~only(seat);
    return BIDDING;
}

static inline void lose(State *state, int seat, Bag cards)
{
    state->lost[seat] += cards;
    state->bid[seat] = 0;
    state->rank++;
}

static inline void put_under(State *state, int seat, int value)
{
    state->under[seat][state->under_left[seat]++] = value;
    lose(state, seat, state->bid[seat] - one_card(value));
}

static int return_next(State *state, const Rules *rules)
{
    int acting = acting_ranks(state);
    while (state->rank < state->bidders) {
        int seat = state->ranking[state->rank];
        Bag stack = state->bid[seat];
        if (state->rank >= acting || (rules->return_if_unused && state->idle >> seat & 1)) {
            Set values = values_in(stack);
            if (values & (values - 1)) return ask(state, RETURN, seat, values);
            put_under(state, seat, first(values));
        } else {
            lose(state, seat, stack);
        }
    }
    state->step++;
    return STEPPING;
}

/* What is won. */

static inline void take_chair(State *state, int seat, int chair)
{
    state->council[chair] = seat;
    state->idle &= ~only(seat);
}

static inline void get_good(State *state, int seat)
{
    state->goods[seat][state->guild]++;
    state->idle &= ~only(seat);
}

static inline bool offer(State *state, const Rules *rules, int seat, int from)
{
    for (int guild = from; guild < rules->guilds; guild++)
        if (state->goods[seat][guild] > 0) {
            state->guild = guild;
            ask(state, SELL, seat, up_to(state->goods[seat][guild] + 1));
            return true;
        }
    return false;
}

static inline int end_turn(State *state)
{
    state->declined = 0;
    state->rank++;
    return ACTING;
}

static int act_next(State *state, const Rules *rules)
{
    int step = state->step, guild = state->guild, acting = least(acting_ranks(state), state->bidders);
    while (state->rank < acting) {
        int rank = state->rank, seat = state->ranking[rank];
        if (step & 1) {
            if (rank == 0) {
                if (rules->seat_optional) return ask(state, TAKE_SEAT, seat, TWO);
                take_chair(state, seat, GUILD_SEAT + guild);
            }
            if (rank == 2 || (rank == 1 && state->players == 3))
                return ask(state, APPRENTICE, seat, GOOD_OR_NONE | placements(state, rules, seat, guild) << PLACE_BIT);
            return ask(state, TAKE_GOOD, seat, GOOD_OR_NONE);
        }
        if (step == STEP_A) {
            take_chair(state, seat, rank == 0 ? NOBILITY : CHURCH);
            state->rank = rank + 1;
            continue;
        }
        if (step == STEP_G) take_chair(state, seat, MERCHANTS);
        state->proceeds = 0;
        if (offer(state, rules, seat, 0)) {
            state->declined = 1;
            return ASKED;
        }
        state->rank = rank + 1;
    }
    state->rank = 0;
    return RETURNING;
}

static inline int take_seat(State *state, int action)
{
    if (action == SEAT)
        take_chair(state, state->actor, GUILD_SEAT + state->guild);
    else
        state->declined = 1;
    return ask(state, TAKE_GOOD, state->actor, GOOD_OR_NONE);
}

static inline int take_good(State *state, const Rules *rules, int action)
{
    int seat = state->actor;
    if (action == GOOD)
        get_good(state, seat);
    else
        state->declined = 1;
    Set spaces = placements(state, rules, seat, state->guild);
    return spaces ? ask(state, PLACE, seat, 1 | spaces << PLACE_BIT) : end_turn(state);
}

static inline int place(State *state, const Rules *rules, int action)
{
    int seat = state->actor, cell = action - PLACE_ON;
    if (action == NONE) {
        state->declined = 1;
    } else if (action == GOOD) {
        get_good(state, seat);
    } else {
        state->coins[seat] -= rules->price[cell];
        state->empty &= ~member(cell);
        state->members[seat] |= member(cell);
        state->idle &= ~only(seat);
    }
    return end_turn(state);
}

static int sell(State *state, const Rules *rules, int action)
{
    int seat = state->actor, guild = state->guild, number = action - SELL_GOODS;
    if (number > 0) {
        int coins = number * rules->good_value[guild];
        state->goods[seat][guild] -= number;
        state->coins[seat] += coins;
        state->proceeds += coins;
        state->declined = 0;
        state->idle &= ~only(seat);
    }
    if (offer(state, rules, seat, guild + 1)) return ASKED;
    state->guild = NOBODY;
    return end_turn(state);
}

static inline int build_on(State *state, int step, int site)
{
    if (step == STEP_H && site >= 0) {
        state->chapels--;
        state->free_corners &= ~member(site);
    } else if (site >= 0) {
        state->free_sites &= ~only(site);
        state->edifice_site[state->round_edifice[state->round]] = site;
    }
    state->step = step + 1;
    return STEPPING;
}

static int begin_building(State *state, const Rules *rules)
{
    bool chapel = state->step == STEP_H;
    int seat = state->council[chapel ? CHURCH : NOBILITY];
    Set legal = chapel ? chapel_choices(state, rules) : edifice_choices(state, rules);
    if (legal & (legal - 1)) return ask(state, chapel ? BUILD_CHAPEL : BUILD_EDIFICE, seat, legal);
    return build_on(state, state->step, legal ? first(legal) - 1 : -1);
}

static inline int build(State *state, int action)
{
    int step = state->step;
    return build_on(state, step, action == NONE ? -1 : action - (step == STEP_H ? CHAPEL : EDIFICE));
}

/* Scoring. */

static inline int chairs_held(const State *state, const Rules *rules, int seat)
{
    int held = 0;
    for (int chair = 0; chair < GUILD_SEAT + rules->guilds; chair++) held += state->council[chair] == seat;
    return held;
}

static void hold_council(State *state, const Rules *rules)
{
    int players = state->players, held[SEATS], greatest = 0;
    for (int seat = 0; seat < players; seat++) {
        held[seat] = chairs_held(state, rules, seat);
        greatest = most(greatest, held[seat]);
    }
    for (int seat = 0; seat < players; seat++) {
        state->score[seat] = state->prestige[seat] += held[seat] * rules->seat_points;
        state->privileges[seat] += held[seat] == greatest;
    }
}

static inline Set chapels_built(const State *state, const Rules *rules)
{
    return ~state->free_corners & up_to(rules->corners);
}

static inline int at_edifice(const State *state, const Rules *rules, int seat, int edifice)
{
    int site = state->edifice_site[edifice];
    return site != NO_SITE ? size(state->members[seat] & rules->site_spaces[site]) : 0;
}

static inline int in_guild(const State *state, const Rules *rules, int seat, int guild)
{
    return size(state->members[seat] & rules->guild_spaces[guild]);
}

static bool has_line(Set members, int length, int step, Set columns)
{
    Set line = members;
    for (int k = 1; k < length; k++) line &= members = (members & columns) >> step;
    return line != 0;
}

static int largest_group(const Rules *rules, Set members)
{
    Set east = rules->not_first_column, west = rules->not_last_column;
    int columns = rules->columns, largest = 0;
    while (members) {
        Set group = members & -members, grown = group;
        do {
            group = grown;
            grown |= (group & east) >> 1 | (group & west) << 1 | group >> columns | group << columns;
            grown &= members;
        } while (grown != group);
        largest = most(largest, size(group));
        members &= ~group;
    }
    return largest;
}

static bool has_most(const State *state, const Rules *rules, int seat, bool coins)
{
    int mine = coins ? state->coins[seat] : size(state->members[seat]);
    for (int other = 0; other < state->players; other++) {
        int theirs = coins ? state->coins[other] : size(state->members[other]);
        if (other != seat && (theirs > mine || (theirs == mine && !rules->tie_fulfils))) return false;
    }
    return true;
}

/* So many members at one edifice (chapel), or a member at so many. */
static bool counts_edifices(const State *state, const Rules *rules, int seat, bool same, int minimum)
{
    int each = same ? minimum : 1, wanted = same ? 1 : minimum;
    for (int edifice = 0; edifice < rules->edifices; edifice++)
        wanted -= at_edifice(state, rules, seat, edifice) >= each;
    return wanted <= 0;
}

static bool counts_chapels(const State *state, const Rules *rules, int seat, bool same, int minimum)
{
    int each = same ? minimum : 1, wanted = same ? 1 : minimum;
    for (Set built = chapels_built(state, rules); built; built &= built - 1)
        wanted -= size(state->members[seat] & rules->corner_spaces[first(built)]) >= each;
    return wanted <= 0;
}

static bool is_fulfilled(const State *state, const Rules *rules, int seat, int task)
{
    int kind = rules->kind[task], subject = rules->subject[task], minimum = rules->minimum[task][state->players];
    int columns = rules->columns, each = kind == GUILDS_WITH_PAIRS ? minimum : 1;
    int wanted = kind == GUILDS_WITH_PAIRS ? subject : minimum;
    Set members = state->members[seat], pairs;
    switch (kind) {
    case ADJACENT_TO_EDIFICE: return at_edifice(state, rules, seat, subject) >= minimum;
    case MEMBERS_IN_GUILD: return in_guild(state, rules, seat, subject) >= minimum;
    case ORTHOGONAL_LINE:
        return has_line(members, minimum, 1, rules->not_first_column) || has_line(members, minimum, columns, -1);
    case DIAGONAL_LINE:
        return has_line(members, minimum, columns + 1, rules->not_first_column)
               || has_line(members, minimum, columns - 1, rules->not_last_column);
    case COUNCIL_MEMBERS: return chairs_held(state, rules, seat) >= minimum;
    case MOST_MEMBERS_IN_CITY: case MOST_COINS: return has_most(state, rules, seat, kind == MOST_COINS);
    case CONNECTED_GROUP: return largest_group(rules, members) >= minimum;
    case BORDER_MEMBERS: return size(members & rules->border) >= minimum;
    case NOBILITY_OR_CHURCH: return state->council[NOBILITY] == seat || state->council[CHURCH] == seat;
    case SAME_EDIFICE: case DISTINCT_EDIFICES:
        return counts_edifices(state, rules, seat, kind == SAME_EDIFICE, minimum);
    case DISTINCT_GUILDS: case GUILDS_WITH_PAIRS:
        for (int guild = 0; guild < rules->guilds; guild++) wanted -= in_guild(state, rules, seat, guild) >= each;
        return wanted <= 0;
    case DISTINCT_CHAPELS: case SAME_CHAPEL:
        return counts_chapels(state, rules, seat, kind == SAME_CHAPEL, minimum);
    default:
        pairs = members & (members & rules->not_first_column) >> 1;
        return (pairs & pairs >> columns) != 0;
    }
}

static void score_game(State *state, const Rules *rules)
{
    for (int seat = 0; seat < state->players; seat++) {
        int total = state->prestige[seat] + size(state->members[seat]), chapels = 0;
        for (Set built = chapels_built(state, rules); built; built &= built - 1)
            chapels += size(state->members[seat] & rules->corner_spaces[first(built)]);
        total += chapels * rules->chapel_points + state->privileges[seat] * rules->privilege_points;
        for (int edifice = 0; edifice < rules->edifices; edifice++)
            total += at_edifice(state, rules, seat, edifice) * rules->edifice_points[edifice];
        for (Set kept = state->kept[seat]; kept; kept &= kept - 1) {
            int task = first(kept);
            total += is_fulfilled(state, rules, seat, task) ? rules->points[task] : -rules->penalty;
        }
        state->score[seat] = total;
    }
}

/* The course of a game. */

static int end_round(State *state, const Rules *rules)
{
    hold_council(state, rules);
    for (int seat = 0; seat < state->players; seat++) clear_stacks(state, seat);
    if (state->round + 1 < rules->rounds) {
        state->round++;
        return begin_round(state, rules);
    }
    score_game(state, rules);
    return ask(state, OVER, 0, 0);
}

static inline void run_on(State *restrict state, const Rules *restrict rules, int stage, Chance *restrict chance)
{
    while (stage != ASKED) {
        if (stage == BIDDING) stage = bid_next(state);
        else if (stage == PLANNING) stage = plan_next(state, rules, chance);
        else if (stage == ACTING) stage = act_next(state, rules);
        else if (stage == RETURNING) stage = return_next(state, rules);
        else if (state->step < AUCTIONS) stage = begin_auction(state, rules);
        else if (state->step <= STEP_I) stage = begin_building(state, rules);
        else stage = end_round(state, rules);
    }
}

static inline int keep(State *state, const Rules *rules, int action)
{
    int seat = state->actor;
    state->kept[seat] = expand(state->dealt[seat], action);
    return seat + 1 < state->players ? ask(state, KEEP, seat + 1, rules->keep) : begin_round(state, rules);
}

static inline int act(State *state, const Rules *rules, int phase, int action)
{
    switch (phase) {
    case TAKE_GOOD: return take_good(state, rules, action);
    case PLACE: case APPRENTICE: return place(state, rules, action);
    case TAKE_SEAT: return take_seat(state, action);
    case SELL: return sell(state, rules, action);
    case RETURN: put_under(state, state->actor, action - RETURN_CARD); return RETURNING;
    case KEEP: return keep(state, rules, action);
    default: return build(state, action);
    }
}

static inline void apply(State *restrict state, const Rules *restrict rules, int action, Chance *restrict chance)
{
    int phase = state->phase, stage;
    if (phase == BID) stage = bid(state, action);
    else if (phase == DRAW) stage = draw_or_stop(state, rules, action, chance);
    else if (phase == SPLIT) stage = split(state, rules, action);
    else stage = act(state, rules, phase, action);
    run_on(state, rules, stage, chance);
}

static void deal(State *restrict state, const Rules *restrict rules, int players, int start_player, Chance *restrict chance)
{
    Set cards = up_to(rules->rounds), edifices = up_to(rules->edifices), unseen = up_to(rules->tasks);
    int left = rules->tasks;
    memset(state, 0, sizeof *state);
    state->players = players;
    state->start_player = start_player;
    state->guild = NOBODY;
    state->empty = rules->spaces;
    state->free_corners = up_to(rules->corners);
    state->free_sites = up_to(rules->sites);
    state->chapels = rules->chapels;
    memset(state->council, NOBODY, sizeof state->council);
    state->council[NOBILITY] = start_player;
    state->council[CHURCH] = start_player + 1 < players ? start_player + 1 : 0;
    memset(state->edifice_site, NO_SITE, sizeof state->edifice_site);
    for (int seat = 0; seat < SEATS; seat++) {
        state->coins[seat] = rules->start_coins;
        state->privileges[seat] = rules->start_privileges;
        state->deck[seat] = rules->all_cards;
        state->deck_left[seat] = rules->cards;
    }
    for (int source = 0; source < CARD_SOURCE + players; source++) open_source(chance, source);
    for (int number = 0; number < rules->rounds; number++) {
        int card = kth_member(cards, draw(chance, ROUND_SOURCE, rules->rounds - number));
        int edifice = kth_member(edifices, draw(chance, EDIFICE_SOURCE, rules->edifices - number));
        cards &= ~member(card);
        edifices &= ~member(edifice);
        state->round_card[number] = card;
        state->round_edifice[number] = edifice;
    }
    for (int seat = 0; seat < players; seat++) {
        Set dealt = 0;
        for (int k = 0; k < rules->dealt; k++) dealt |= member(kth_member(unseen & ~dealt, draw(chance, TASK_SOURCE, left--)));
        unseen &= ~dealt;
        state->dealt[seat] = dealt;
    }
    ask(state, KEEP, 0, rules->keep);
    if ((rules->keep & (rules->keep - 1)) == 0) {
        for (int seat = 0; seat < players; seat++) state->kept[seat] = expand(state->dealt[seat], first(rules->keep));
        begin_round(state, rules);
        plan_next(state, rules, chance);
    }
}

/* What the loop asks. */

static inline bool over(const State *state) { return state->phase == OVER; }

static inline int actor(const State *state) { return state->actor; }

static inline int score(const State *state, int seat) { return state->score[seat]; }

static inline int count_legal(const State *state) { return size(state->legal); }

static inline int kth_legal(const State *state, int k)
{
    int bit = kth_member(state->legal, k);
    return bit == 0 && state->phase >= BUILD_CHAPEL ? NONE : FIRST_ACTION[state->phase] + bit;
}

static inline bool is_legal(const State *state, int64_t action)
{
    int64_t bit = action - FIRST_ACTION[state->phase];
    if (state->phase >= BUILD_CHAPEL) bit = action == NONE ? 0 : bit > 0 ? bit : -1;
    return 0 <= bit && bit < 63 && (state->legal >> bit & 1);
}

static inline Place placing(const State *state, int seat)
{
    Place place = {0, 0};
    int mine = state->score[seat] * 64 + size(state->members[seat]);
    for (int other = 0; other < state->players; other++) {
        int theirs = state->score[other] * 64 + size(state->members[other]);
        place.better += theirs > mine;
        place.shared += theirs == mine;
    }
    return place;
}

/* What a seat knows (knowledge.py). */

static inline bool is_planning(const State *state) { return state->phase == DRAW || state->phase == SPLIT; }

static void hide_stacks(State *state, int seat)
{
    uint32_t unused = state->unused[seat];
    int found = 0;
    state->unused[seat] = up_to(size(unused));
    for (; unused; unused &= unused - 1, found++) {
        int k = first(unused), place = found;
        Bag stack = state->stacks[seat][k], unknown = stack & UNKNOWN_STACK ? stack : UNKNOWN_STACK + count_cards(stack);
        state->stacks[seat][k] = 0;
        for (; place > 0 && state->stacks[seat][place - 1] < unknown; place--)
            state->stacks[seat][place] = state->stacks[seat][place - 1];
        state->stacks[seat][place] = unknown;
    }
    state->stack_count[seat] = found;
    state->repeated[seat] = 0;
}

static void hide_plans(State *state, const Rules *rules, int seat)
{
    int players = state->players, other = state->start_player;
    unsigned told = rules->sequential ? state->planned : state->planned & only(seat);
    for (int k = 0; k < players; k++)
        if (k != seat && !(told >> k & 1)) {
            state->deck_left[k] += state->drawn[k] - state->under_taken[k];
            state->under_taken[k] = 0;
            state->drawn[k] = 0;
            clear_stacks(state, k);
        }
    state->planned = told;
    if (state->actor == seat) return;
    state->hand = 0;
    state->last_value = 0;
    state->phase = DRAW;
    for (int k = 0; k < players; k++) {
        if (other != seat && !(told >> other & 1) && cards_left(state, other) > rules->min_draw) {
            state->actor = other;
            return;
        }
        other = other + 1 < players ? other + 1 : 0;
    }
}

static void conceal(State *state, const Rules *rules, int seat)
{
    bool told = over(state);
    if (is_planning(state)) hide_plans(state, rules, seat);
    if (state->actor != seat) state->legal = 0;
    for (int other = 0; other < state->players; other++) {
        if (other == seat) continue;
        state->deck[other] = 0;
        state->dealt[other] = 0;
        hide_stacks(state, other);
        if (told) continue;
        state->kept[other] = 0;
        if (rules->hide_money) {
            state->coins[other] = UNKNOWN_COINS;
            state->privileges[other] = UNKNOWN_AMOUNT;
            memset(state->goods[other], UNKNOWN_AMOUNT, rules->guilds);
        }
    }
}

static inline Bag draw_from(Bag *bag, int number, Random *random)
{
    Bag card = one_card(kth_card(*bag, below(random, number)));
    *bag -= card;
    return card;
}

static void deal_cards(State *state, const Rules *rules, int seat, Random *random)
{
    Bag rest = rules->all_cards - state->lost[seat] - state->bid[seat], certain = 0;
    int count = state->stack_count[seat], places = 0;
    for (int k = 0; k < state->under_left[seat]; k++) rest -= one_card(state->under[seat][k]);
    for (int value = 1; value <= MOST_VALUE; value++) {
        int unseen = count_value(state->known[seat], value) - count_value(state->shown[seat], value);
        certain += most(unseen, 0) * one_card(value);
    }
    rest -= certain;
    for (int k = 0; k < count; k++) places += state->stacks[seat][k] & (UNKNOWN_STACK - 1);
    for (int k = 0; k < count; k++) {
        Bag stack = 0;
        int place = k;
        for (int cards = state->stacks[seat][k] & (UNKNOWN_STACK - 1); cards > 0; cards--, places--) {
            int left = count_cards(certain);
            bool from_certain = left > 0 && below(random, places) < left;
            stack += from_certain ? draw_from(&certain, left, random) : draw_from(&rest, count_cards(rest), random);
        }
        for (; place > 0 && state->stacks[seat][place - 1] < stack; place--)
            state->stacks[seat][place] = state->stacks[seat][place - 1];
        state->stacks[seat][place] = stack;
    }
    finish_stacks(state, seat);
    for (int gone = count_cards(rest); gone > state->deck_left[seat]; gone--) draw_from(&rest, gone, random);
    state->deck[seat] = rest;
}

/* The searcher decides at the root, so nothing of a rival's turn is drawn. */
static void determinize(State *state, const Rules *rules, int seat, Random *random)
{
    Set unseen = up_to(rules->tasks) & ~state->dealt[seat];
    int left = rules->tasks - rules->dealt;
    for (int other = 0; other < state->players; other++) {
        if (other == seat) continue;
        deal_cards(state, rules, other, random);
        Set dealt = 0;
        for (int k = 0; k < rules->dealt; k++) dealt |= member(kth_member(unseen & ~dealt, below(random, left--)));
        unseen &= ~dealt;
        state->dealt[other] = dealt;
        if (state->phase != KEEP || other < state->actor)
            state->kept[other] = expand(dealt, kth_member(rules->keep, below(random, size(rules->keep))));
        if (rules->hide_money) {
            state->coins[other] = state->coins[seat];
            state->privileges[other] = state->privileges[seat];
            memcpy(state->goods[other], state->goods[seat], rules->guilds);
        }
    }
}

#include "loop.h"

/* Strasbourg in C11, with the algorithm and the state of the kernels in strozzi_sim/games/strasbourg/.
   The rules of one variant, and the number of players, are constants. */

enum { ROUND_SOURCE, EDIFICE_SOURCE, TASK_SOURCE, CARD_SOURCE, SOURCES = CARD_SOURCE + 5 };

#include "engine.h"

enum { SEATS = 5, MOST_VALUE = 6, MOST_CARDS = 24, MOST_STACKS = 24, MOST_TASKS = 60 };
enum { MOST_SITES = 16, MOST_EDIFICES = 12, MOST_GUILDS = 8, MOST_ROUNDS = 8, MOST_PRICE = 30, MOST_CHOICES = 64 };
enum { NOBODY = 255, NO_SITE = 255, UNKNOWN_COINS = 65535, UNKNOWN_AMOUNT = 255 };
enum { NOBILITY, CHURCH, MERCHANTS, GUILD_SEAT, CHAIRS = GUILD_SEAT + MOST_GUILDS };
enum { STEP_A = 0, STEP_G = 6, STEP_H = 7, STEP_I = 8, AUCTIONS = 7 };
enum { KEEP, DRAW, SPLIT, BID, TAKE_SEAT, TAKE_GOOD, PLACE, APPRENTICE, SELL, RETURN, BUILD_CHAPEL, BUILD_EDIFICE, OVER };
enum { STOP = 32, DRAW_CARD, CLOSE, PASS = 41, DEFER, REVEAL, NONE = 67, SEAT, GOOD, PLACE_ON, SELL_GOODS = 124 };
enum { RETURN_CARD = 139, CHAPEL = 146, EDIFICE = 186 };
enum { ASKED, PLANNING, STEPPING, BIDDING, ACTING, RETURNING }; /* how a game goes on */
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

/* The record of state.py. */

typedef uint64_t Set;
typedef uint32_t Bag; /* of cards: five bits for each value */

typedef struct {
    Set legal, empty, free_chapel_sites, members[SEATS], dealt[SEATS], kept[SEATS];
    uint8_t phase, actor, round, step, start_player, planned, drawn[SEATS], last_value, undecided;
    uint32_t queue;
    uint8_t with_stacks, bidders, rank, ranking[SEATS], idle, declined, guild;
    uint16_t proceeds;
    Bag hand;
    uint32_t free_sites;
    uint8_t chapels, council[CHAIRS], edifice_site[MOST_EDIFICES], round_card[MOST_ROUNDS], round_edifice[MOST_ROUNDS];
    uint16_t prestige[SEATS];
    int16_t score[SEATS];
    uint16_t coins[SEATS];
    uint8_t privileges[SEATS], goods[SEATS][MOST_GUILDS];
    Bag deck[SEATS];
    uint8_t deck_left[SEATS], under[SEATS][MOST_CARDS], under_left[SEATS], under_taken[SEATS];
    Bag known[SEATS], shown[SEATS], lost[SEATS], bid[SEATS];
    uint8_t stack_count[SEATS];
    uint32_t unused[SEATS], repeated[SEATS];
    Bag stacks[SEATS][MOST_STACKS];
} State;

/* Sets of up to 60 members. */

ALWAYS int size(Set set) { return __builtin_popcountll(set); }

ALWAYS int first(Set set) { return __builtin_ctzll(set); }

ALWAYS Set member(int k) { return 1ull << k; }

ALWAYS Set up_to(int count) { return member(count) - 1; }

ALWAYS int kth_member(Set set, int k)
{
#ifdef __BMI2__
    return first(__builtin_ia32_pdep_di(member(k), set));
#else
    for (; k > 0; k--) set &= set - 1;
    return first(set);
#endif
}

/* The members whose places in ascending order are in `choice`. */
ALWAYS Set expand(Set set, Set choice)
{
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(choice, set);
#else
    Set found = 0;
    for (; choice; choice >>= 1, set &= set - 1) found |= set & -set & -(choice & 1);
    return found;
#endif
}

/* Bags of cards. */

ALWAYS Bag one_card(int value) { return 1u << 5 * (value - 1); }

ALWAYS int count_value(Bag bag, int value) { return bag >> 5 * (value - 1) & 31; }

static const uint64_t ONE_EACH = 1 | 1 << 5 | 1 << 10 | 1 << 15 | 1 << 20 | 1 << 25;

ALWAYS int count_cards(Bag bag) { return bag * ONE_EACH >> 25 & 31; }

/* A byte for each value, the lowest value in the lowest byte. */
ALWAYS uint64_t spread(Bag bag)
{
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(bag, 0x1F1F1F1F1F1F);
#else
    uint64_t bytes = 0;
    for (int value = 1; value <= MOST_VALUE; value++) bytes |= (uint64_t)count_value(bag, value) << 8 * (value - 1);
    return bytes;
#endif
}

ALWAYS int add_values(Bag bag) { return spread(bag) * 0x010203040506 >> 40 & 255; }

ALWAYS int kth_card(Bag bag, int k)
{
    uint64_t lower = bag * ONE_EACH; /* each field: the cards of this value and all lower ones */
    int value = 1;
    for (int other = 1; other < MOST_VALUE; other++) value += k >= (int)(lower >> 5 * (other - 1) & 31);
    return value;
}

ALWAYS int highest_card(Bag bag) { return (31 - __builtin_clz(bag)) / 5 + 1; }

ALWAYS Set values_in(Bag bag)
{
    uint64_t some = (spread(bag) + 0x7F7F7F7F7F7F) >> 7 & 0x010101010101;
    return some * 0x020408102040 >> 40 & 0x7E;
}

/* Asking. */

ALWAYS int ask(State *state, int phase, int seat, Set legal)
{
    state->phase = phase;
    state->actor = seat;
    state->legal = legal;
    return ASKED;
}

ALWAYS int cards_left(const State *state, int seat)
{
    return state->deck_left[seat] + state->under_left[seat] - state->under_taken[seat];
}

ALWAYS Set splits(const State *state, int seat)
{
    int count = state->stack_count[seat];
    uint64_t stack = state->stacks[seat][count], greatest = count > 0 ? state->stacks[seat][count - 1] : 1ull << 32;
    if (greatest == stack) return 1;
    int highest = (63 - __builtin_clzll(greatest - stack)) / 5 + 1; /* card that keeps the stack no greater */
    return 1 | (values_in(state->hand) & up_to(least(highest, state->last_value) + 1));
}

ALWAYS Set bids(const State *state, int seat)
{
    uint32_t unused = state->unused[seat], reveal = unused & ~(state->repeated[seat] & unused << 1);
    unsigned others = state->undecided & state->with_stacks & ~only(seat);
    return 1 | (Set)(others != 0 && state->privileges[seat] > 0) << 1 | (Set)reveal << REVEAL_BIT;
}

ALWAYS Set placements(const State *state, int seat, int guild)
{
    return RULES.guild_spaces[guild] & state->empty & RULES.affordable[least(state->coins[seat], MOST_PRICE)];
}

ALWAYS Set chapel_choices(const State *state)
{
    Set free = state->free_chapel_sites;
    return state->chapels > 0 && free ? free << 1 | RULES.building_optional : 0;
}

ALWAYS Set edifice_choices(const State *state)
{
    Set free = state->free_sites;
    return free ? free << 1 | RULES.building_optional : 0;
}

/* Planning. */

ALWAYS void clear_stacks(State *state, int seat)
{
    for (int k = 0; k < least(state->stack_count[seat] + 1, MOST_STACKS); k++) state->stacks[seat][k] = 0;
    state->stack_count[seat] = 0;
    state->unused[seat] = 0;
    state->repeated[seat] = 0;
}

static int begin_round(State *state)
{
    for (int seat = 0; seat < PLAYERS; seat++) state->drawn[seat] = state->known[seat] = state->shown[seat] = 0;
    state->planned = 0;
    state->with_stacks = 0;
    state->step = RULES.skip_first_step & (state->round == 0);
    return PLANNING;
}

/* Take the k-th card of the first shuffle, or the next one from under the deck. */
ALWAYS Bag take_card(State *state, int seat, int k)
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

ALWAYS void lay(State *state, int seat, int value)
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

ALWAYS void finish_stacks(State *state, int seat)
{
    int count = state->stack_count[seat];
    uint32_t repeated = 0;
    for (int k = 1; k < count; k++)
        repeated |= (uint32_t)(state->stacks[seat][k] == state->stacks[seat][k - 1]) << k;
    state->repeated[seat] = repeated;
    state->unused[seat] = up_to(count);
}

static int go_on_splitting(State *state, int seat)
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
    if (RULES.sequential) publish(state, seat);
    return PLANNING;
}

static int plan_next(State *state, Chance *chance)
{
    for (int k = 0; k < PLAYERS; k++) {
        int seat = state->start_player + k;
        if (seat >= PLAYERS) seat -= PLAYERS;
        if (state->planned >> seat & 1) continue;
        state->actor = seat;
        for (int left = least(RULES.min_draw, cards_left(state, seat)); left > 0; left--) draw_card(state, seat, chance);
        return cards_left(state, seat) > 0 ? ask(state, DRAW, seat, TWO) : go_on_splitting(state, seat);
    }
    if (!RULES.sequential)
        for (int seat = 0; seat < PLAYERS; seat++) publish(state, seat);
    return STEPPING;
}

ALWAYS int draw_or_stop(State *state, int action, Chance *chance)
{
    int seat = state->actor;
    if (action != STOP) {
        draw_card(state, seat, chance);
        if (cards_left(state, seat) > 0) return ASKED; /* the same question again */
    }
    return go_on_splitting(state, seat);
}

ALWAYS int split(State *state, int action)
{
    int seat = state->actor;
    if (action == CLOSE) {
        state->stack_count[seat]++;
        state->last_value = 0;
    } else {
        lay(state, seat, action - CLOSE);
    }
    return go_on_splitting(state, seat);
}

/* Auctions. */

ALWAYS int acting_ranks(const State *state)
{
    if (state->step & 1) return least(PLAYERS - 1, 3);
    return state->step == STEP_A ? 2 : 1;
}

static int begin_auction(State *state)
{
    int seat = state->start_player, step = state->step;
    uint32_t queue = 0;
    state->guild = step & 1 ? RULES.card_guild[state->round_card[state->round]][step >> 1] : NOBODY;
    if (state->with_stacks == 0) {
        state->step++;
        return STEPPING;
    }
    for (int k = 0; k < PLAYERS; k++) {
        queue |= (uint32_t)seat << 4 * k;
        seat = seat + 1 < PLAYERS ? seat + 1 : 0;
    }
    state->queue = queue;
    state->undecided = only(PLAYERS) - 1;
    state->bidders = 0;
    return BIDDING;
}

static int rank_bids(State *state)
{
    int bidders = state->bidders, seat = state->start_player, found = 0;
    if (bidders == 0) {
        state->step++;
        return STEPPING;
    }
    for (int k = 0; k < PLAYERS; k++) {
        Bag stack = state->bid[seat];
        if (stack != 0) {
            int total = add_values(stack), place = found++;
            for (; place > 0 && add_values(state->bid[state->ranking[place - 1]]) < total; place--)
                state->ranking[place] = state->ranking[place - 1];
            state->ranking[place] = seat;
        }
        seat = seat + 1 < PLAYERS ? seat + 1 : 0;
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

ALWAYS int bid(State *state, int action)
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

ALWAYS void lose(State *state, int seat, Bag cards)
{
    state->lost[seat] += cards;
    state->bid[seat] = 0;
    state->rank++;
}

ALWAYS void put_under(State *state, int seat, int value)
{
    state->under[seat][state->under_left[seat]++] = value;
    lose(state, seat, state->bid[seat] - one_card(value));
}

static int return_next(State *state)
{
    int acting = acting_ranks(state);
    while (state->rank < state->bidders) {
        int seat = state->ranking[state->rank];
        Bag stack = state->bid[seat];
        if (state->rank >= acting || (RULES.return_if_unused && state->idle >> seat & 1)) {
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

ALWAYS void take_chair(State *state, int seat, int chair)
{
    state->council[chair] = seat;
    state->idle &= ~only(seat);
}

ALWAYS void get_good(State *state, int seat)
{
    state->goods[seat][state->guild]++;
    state->idle &= ~only(seat);
}

ALWAYS bool offer(State *state, int seat, int from)
{
    for (int guild = from; guild < RULES.guilds; guild++)
        if (state->goods[seat][guild] > 0) {
            state->guild = guild;
            ask(state, SELL, seat, up_to(state->goods[seat][guild] + 1));
            return true;
        }
    return false;
}

ALWAYS int end_turn(State *state)
{
    state->declined = 0;
    state->rank++;
    return ACTING;
}

static int act_next(State *state)
{
    int step = state->step, guild = state->guild, acting = least(acting_ranks(state), state->bidders);
    while (state->rank < acting) {
        int rank = state->rank, seat = state->ranking[rank];
        if (step & 1) {
            if (rank == 0) {
                if (RULES.seat_optional) return ask(state, TAKE_SEAT, seat, TWO);
                take_chair(state, seat, GUILD_SEAT + guild);
            }
            if (rank == 2 || (rank == 1 && PLAYERS == 3))
                return ask(state, APPRENTICE, seat, GOOD_OR_NONE | placements(state, seat, guild) << PLACE_BIT);
            return ask(state, TAKE_GOOD, seat, GOOD_OR_NONE);
        }
        if (step == STEP_A) {
            take_chair(state, seat, rank == 0 ? NOBILITY : CHURCH);
            state->rank = rank + 1;
            continue;
        }
        if (step == STEP_G) take_chair(state, seat, MERCHANTS);
        state->proceeds = 0;
        if (offer(state, seat, 0)) {
            state->declined = 1;
            return ASKED;
        }
        state->rank = rank + 1;
    }
    state->rank = 0;
    return RETURNING;
}

ALWAYS int take_seat(State *state, int action)
{
    if (action == SEAT)
        take_chair(state, state->actor, GUILD_SEAT + state->guild);
    else
        state->declined = 1;
    return ask(state, TAKE_GOOD, state->actor, GOOD_OR_NONE);
}

ALWAYS int take_good(State *state, int action)
{
    int seat = state->actor;
    if (action == GOOD)
        get_good(state, seat);
    else
        state->declined = 1;
    Set spaces = placements(state, seat, state->guild);
    return spaces ? ask(state, PLACE, seat, 1 | spaces << PLACE_BIT) : end_turn(state);
}

ALWAYS int place(State *state, int action)
{
    int seat = state->actor, cell = action - PLACE_ON;
    if (action == NONE) {
        state->declined = 1;
    } else if (action == GOOD) {
        get_good(state, seat);
    } else {
        state->coins[seat] -= RULES.price[cell];
        state->empty &= ~member(cell);
        state->members[seat] |= member(cell);
        state->idle &= ~only(seat);
    }
    return end_turn(state);
}

static int sell(State *state, int action)
{
    int seat = state->actor, guild = state->guild, number = action - SELL_GOODS;
    if (number > 0) {
        int coins = number * RULES.good_value[guild];
        state->goods[seat][guild] -= number;
        state->coins[seat] += coins;
        state->proceeds += coins;
        state->declined = 0;
        state->idle &= ~only(seat);
    }
    if (offer(state, seat, guild + 1)) return ASKED;
    state->guild = NOBODY;
    return end_turn(state);
}

ALWAYS int build_on(State *state, int step, int site)
{
    if (step == STEP_H && site >= 0) {
        state->chapels--;
        state->free_chapel_sites &= ~member(site);
    } else if (site >= 0) {
        state->free_sites &= ~only(site);
        state->edifice_site[state->round_edifice[state->round]] = site;
    }
    state->step = step + 1;
    return STEPPING;
}

static int begin_building(State *state)
{
    bool chapel = state->step == STEP_H;
    int seat = state->council[chapel ? CHURCH : NOBILITY];
    Set legal = chapel ? chapel_choices(state) : edifice_choices(state);
    if (legal & (legal - 1)) return ask(state, chapel ? BUILD_CHAPEL : BUILD_EDIFICE, seat, legal);
    return build_on(state, state->step, legal ? first(legal) - 1 : -1);
}

ALWAYS int build(State *state, int action)
{
    int step = state->step;
    return build_on(state, step, action == NONE ? -1 : action - (step == STEP_H ? CHAPEL : EDIFICE));
}

/* Scoring. */

ALWAYS int chairs_held(const State *state, int seat)
{
    int held = 0;
    for (int chair = 0; chair < GUILD_SEAT + RULES.guilds; chair++) held += state->council[chair] == seat;
    return held;
}

static void hold_council(State *state)
{
    int held[SEATS], greatest = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        held[seat] = chairs_held(state, seat);
        greatest = most(greatest, held[seat]);
    }
    for (int seat = 0; seat < PLAYERS; seat++) {
        state->score[seat] = state->prestige[seat] += held[seat] * RULES.seat_points;
        state->privileges[seat] += held[seat] == greatest;
    }
}

ALWAYS Set chapels_built(const State *state)
{
    return ~state->free_chapel_sites & up_to(RULES.chapel_sites);
}

ALWAYS int at_edifice(const State *state, int seat, int edifice)
{
    int site = state->edifice_site[edifice];
    return site != NO_SITE ? size(state->members[seat] & RULES.site_spaces[site]) : 0;
}

ALWAYS int in_guild(const State *state, int seat, int guild)
{
    return size(state->members[seat] & RULES.guild_spaces[guild]);
}

static bool has_line(Set members, int length, int step, Set columns)
{
    Set line = members;
    for (int k = 1; k < length; k++) line &= members = (members & columns) >> step;
    return line != 0;
}

static int largest_group(Set members)
{
    Set east = RULES.not_first_column, west = RULES.not_last_column;
    int columns = RULES.columns, largest = 0;
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

static bool has_most(const State *state, int seat, bool coins)
{
    int mine = coins ? state->coins[seat] : size(state->members[seat]);
    for (int other = 0; other < PLAYERS; other++) {
        int theirs = coins ? state->coins[other] : size(state->members[other]);
        if (other != seat && (theirs > mine || (theirs == mine && !RULES.tie_fulfils))) return false;
    }
    return true;
}

/* So many members at one edifice (chapel), or a member at so many. */
static bool counts_edifices(const State *state, int seat, bool same, int minimum)
{
    int each = same ? minimum : 1, wanted = same ? 1 : minimum;
    for (int edifice = 0; edifice < RULES.edifices; edifice++)
        wanted -= at_edifice(state, seat, edifice) >= each;
    return wanted <= 0;
}

static bool counts_chapels(const State *state, int seat, bool same, int minimum)
{
    int each = same ? minimum : 1, wanted = same ? 1 : minimum;
    for (Set built = chapels_built(state); built; built &= built - 1)
        wanted -= size(state->members[seat] & RULES.chapel_spaces[first(built)]) >= each;
    return wanted <= 0;
}

static bool is_fulfilled(const State *state, int seat, int task)
{
    int kind = RULES.task_kind[task], subject = RULES.task_subject[task], minimum = RULES.task_minimum[task][PLAYERS];
    int columns = RULES.columns, each = kind == GUILDS_WITH_PAIRS ? minimum : 1;
    int wanted = kind == GUILDS_WITH_PAIRS ? subject : minimum;
    Set members = state->members[seat], pairs;
    switch (kind) {
    case ADJACENT_TO_EDIFICE: return at_edifice(state, seat, subject) >= minimum;
    case MEMBERS_IN_GUILD: return in_guild(state, seat, subject) >= minimum;
    case ORTHOGONAL_LINE:
        return has_line(members, minimum, 1, RULES.not_first_column) || has_line(members, minimum, columns, -1);
    case DIAGONAL_LINE:
        return has_line(members, minimum, columns + 1, RULES.not_first_column)
               || has_line(members, minimum, columns - 1, RULES.not_last_column);
    case COUNCIL_MEMBERS: return chairs_held(state, seat) >= minimum;
    case MOST_MEMBERS_IN_CITY: case MOST_COINS: return has_most(state, seat, kind == MOST_COINS);
    case CONNECTED_GROUP: return largest_group(members) >= minimum;
    case BORDER_MEMBERS: return size(members & RULES.border) >= minimum;
    case NOBILITY_OR_CHURCH: return state->council[NOBILITY] == seat || state->council[CHURCH] == seat;
    case SAME_EDIFICE: case DISTINCT_EDIFICES:
        return counts_edifices(state, seat, kind == SAME_EDIFICE, minimum);
    case DISTINCT_GUILDS: case GUILDS_WITH_PAIRS:
        for (int guild = 0; guild < RULES.guilds; guild++) wanted -= in_guild(state, seat, guild) >= each;
        return wanted <= 0;
    case DISTINCT_CHAPELS: case SAME_CHAPEL:
        return counts_chapels(state, seat, kind == SAME_CHAPEL, minimum);
    default:
        pairs = members & (members & RULES.not_first_column) >> 1;
        return (pairs & pairs >> columns) != 0;
    }
}

static void score_game(State *state)
{
    for (int seat = 0; seat < PLAYERS; seat++) {
        int total = state->prestige[seat] + size(state->members[seat]), chapels = 0;
        for (Set built = chapels_built(state); built; built &= built - 1)
            chapels += size(state->members[seat] & RULES.chapel_spaces[first(built)]);
        total += chapels * RULES.chapel_points + state->privileges[seat] * RULES.privilege_points;
        for (int edifice = 0; edifice < RULES.edifices; edifice++)
            total += at_edifice(state, seat, edifice) * RULES.edifice_points[edifice];
        for (Set kept = state->kept[seat]; kept; kept &= kept - 1) {
            int task = first(kept);
            total += is_fulfilled(state, seat, task) ? RULES.task_points[task] : -RULES.penalty;
        }
        state->score[seat] = total;
    }
}

/* The course of a game. */

static int end_round(State *state)
{
    hold_council(state);
    for (int seat = 0; seat < PLAYERS; seat++) clear_stacks(state, seat);
    if (state->round + 1 < RULES.rounds) {
        state->round++;
        return begin_round(state);
    }
    score_game(state);
    return ask(state, OVER, 0, 0);
}

ALWAYS void run_on(State *restrict state, int stage, Chance *restrict chance)
{
    while (stage != ASKED) {
        if (stage == BIDDING) stage = bid_next(state);
        else if (stage == PLANNING) stage = plan_next(state, chance);
        else if (stage == ACTING) stage = act_next(state);
        else if (stage == RETURNING) stage = return_next(state);
        else if (state->step < AUCTIONS) stage = begin_auction(state);
        else if (state->step <= STEP_I) stage = begin_building(state);
        else stage = end_round(state);
    }
}

ALWAYS int keep(State *state, int action)
{
    int seat = state->actor;
    state->kept[seat] = expand(state->dealt[seat], action);
    return seat + 1 < PLAYERS ? ask(state, KEEP, seat + 1, RULES.keep) : begin_round(state);
}

ALWAYS int act(State *state, int phase, int action)
{
    switch (phase) {
    case TAKE_GOOD: return take_good(state, action);
    case PLACE: case APPRENTICE: return place(state, action);
    case TAKE_SEAT: return take_seat(state, action);
    case SELL: return sell(state, action);
    case RETURN: put_under(state, state->actor, action - RETURN_CARD); return RETURNING;
    case KEEP: return keep(state, action);
    default: return build(state, action);
    }
}

ALWAYS void apply(State *restrict state, int action, Chance *restrict chance)
{
    int phase = state->phase, stage;
    if (phase == BID) stage = bid(state, action);
    else if (phase == DRAW) stage = draw_or_stop(state, action, chance);
    else if (phase == SPLIT) stage = split(state, action);
    else stage = act(state, phase, action);
    run_on(state, stage, chance);
}

ALWAYS void deal(State *restrict state, Chance *restrict chance)
{
    Set cards = up_to(RULES.rounds), edifices = up_to(RULES.edifices), unseen = up_to(RULES.tasks);
    int left = RULES.tasks;
    memset(state, 0, sizeof *state);
    state->guild = NOBODY;
    state->empty = RULES.spaces;
    state->free_chapel_sites = up_to(RULES.chapel_sites);
    state->free_sites = up_to(RULES.sites);
    state->chapels = RULES.chapels;
    memset(state->council, NOBODY, sizeof state->council);
    state->council[NOBILITY] = 0;
    state->council[CHURCH] = 1;
    memset(state->edifice_site, NO_SITE, sizeof state->edifice_site);
    for (int seat = 0; seat < SEATS; seat++) {
        state->coins[seat] = RULES.start_coins;
        state->privileges[seat] = RULES.start_privileges;
        state->deck[seat] = RULES.all_cards;
        state->deck_left[seat] = RULES.cards;
    }
    for (int source = 0; source < CARD_SOURCE + PLAYERS; source++) open_source(chance, source, source);
    for (int number = 0; number < RULES.rounds; number++) {
        int card = kth_member(cards, draw(chance, ROUND_SOURCE, RULES.rounds - number));
        int edifice = kth_member(edifices, draw(chance, EDIFICE_SOURCE, RULES.edifices - number));
        cards &= ~member(card);
        edifices &= ~member(edifice);
        state->round_card[number] = card;
        state->round_edifice[number] = edifice;
    }
    for (int seat = 0; seat < PLAYERS; seat++) {
        Set dealt = 0;
        for (int k = 0; k < RULES.dealt; k++) dealt |= member(kth_member(unseen & ~dealt, draw(chance, TASK_SOURCE, left--)));
        unseen &= ~dealt;
        state->dealt[seat] = dealt;
    }
    ask(state, KEEP, 0, RULES.keep);
    if ((RULES.keep & (RULES.keep - 1)) == 0) {
        for (int seat = 0; seat < PLAYERS; seat++) state->kept[seat] = expand(state->dealt[seat], first(RULES.keep));
        begin_round(state);
        plan_next(state, chance);
    }
}

/* What the loop asks. */

ALWAYS void open_all(Chance *chance, const State *state)
{
    (void)state;
    for (int seat = 0; seat < PLAYERS; seat++) open_source(chance, CARD_SOURCE + seat, CARD_SOURCE + seat);
}

ALWAYS bool over(const State *state) { return state->phase == OVER; }

ALWAYS int actor(const State *state) { return state->actor; }

ALWAYS int score(const State *state, int seat) { return state->score[seat]; }

ALWAYS int count_legal(const State *state) { return size(state->legal); }

ALWAYS int kth_legal(const State *state, int k)
{
    int bit = kth_member(state->legal, k);
    return bit == 0 && state->phase >= BUILD_CHAPEL ? NONE : FIRST_ACTION[state->phase] + bit;
}

ALWAYS Place placing(const State *state, int seat)
{
    Place place = {0, 0};
    int mine = state->score[seat] * 64 + size(state->members[seat]);
    for (int other = 0; other < PLAYERS; other++) {
        int theirs = state->score[other] * 64 + size(state->members[other]);
        place.better += theirs > mine;
        place.shared += theirs == mine;
    }
    return place;
}

/* What a seat knows (knowledge.py). */

ALWAYS bool is_planning(const State *state) { return state->phase == DRAW || state->phase == SPLIT; }

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

static void hide_plans(State *state, int seat)
{
    int other = state->start_player;
    unsigned told = RULES.sequential ? state->planned : state->planned & only(seat);
    for (int k = 0; k < PLAYERS; k++)
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
    for (int k = 0; k < PLAYERS; k++) {
        if (other != seat && !(told >> other & 1) && cards_left(state, other) > RULES.min_draw) {
            state->actor = other;
            return;
        }
        other = other + 1 < PLAYERS ? other + 1 : 0;
    }
}

static void conceal(State *state, int seat)
{
    bool told = over(state);
    if (is_planning(state)) hide_plans(state, seat);
    if (state->actor != seat) state->legal = 0;
    for (int other = 0; other < PLAYERS; other++) {
        if (other == seat) continue;
        state->deck[other] = 0;
        state->dealt[other] = 0;
        hide_stacks(state, other);
        if (told) continue;
        state->kept[other] = 0;
        if (RULES.hide_money) {
            state->coins[other] = UNKNOWN_COINS;
            state->privileges[other] = UNKNOWN_AMOUNT;
            memset(state->goods[other], UNKNOWN_AMOUNT, RULES.guilds);
        }
    }
}

ALWAYS Bag draw_from(Bag *bag, int number, Random *random)
{
    Bag card = one_card(kth_card(*bag, below(random, number)));
    *bag -= card;
    return card;
}

static void deal_cards(State *state, int seat, Random *random)
{
    Bag rest = RULES.all_cards - state->lost[seat] - state->bid[seat], certain = 0;
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
static void determinize(State *state, int seat, Random *random)
{
    Set unseen = up_to(RULES.tasks) & ~state->dealt[seat];
    int left = RULES.tasks - RULES.dealt;
    for (int other = 0; other < PLAYERS; other++) {
        if (other == seat) continue;
        deal_cards(state, other, random);
        Set dealt = 0;
        for (int k = 0; k < RULES.dealt; k++) dealt |= member(kth_member(unseen & ~dealt, below(random, left--)));
        unseen &= ~dealt;
        state->dealt[other] = dealt;
        if (state->phase != KEEP || other < state->actor)
            state->kept[other] = expand(dealt, kth_member(RULES.keep, below(random, size(RULES.keep))));
        if (RULES.hide_money) {
            state->coins[other] = state->coins[seat];
            state->privileges[other] = state->privileges[seat];
            memcpy(state->goods[other], state->goods[seat], RULES.guilds);
        }
    }
}

#include "loop.h"

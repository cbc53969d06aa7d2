/* The agent `heuristic` of agents/strozzi_agents/strozzi/: the same sums in the same order, so that every choice is equal.
   What depends on the rules, the weights and the round alone is worked out once, when the program is loaded. */

#define P HEURISTIC

enum { SHIP, MARKER, CATEGORY };
enum { AT_PORT, AT_FLORENCE };
enum { LEVEL = 2 * MOST_SPACES, MOST_ROUNDS = 8, MOST_SPEED = 256 };

static double prize[3][PLAYERS + 2], bonus[MOST_ROUNDS][2][MOST_SPACES], behind_by[2 * LEVEL];
/* [the rival is behind if both are on one space][lead + MOST_SPACES]: the lead in spaces, and after all of these the
   chance to be behind in a later round */
static double tied[2][4 * MOST_SPACES];
static double florence_steep[2 * PORTS]; /* [ships that two seats may still place] */
static double mean_sail, mean_scrolls, mean_promotion;
static uint64_t faster_than[MOST_SPEED]; /* set of ships */

typedef struct {
    double open, steep[2];
    double berth[PORTS], prize_at[PORTS], prize_plus[PORTS], cargo[PORTS], cargo_ware[PORTS];
    double ware_step, scroll_step;
} View; /* of a decision */

ALWAYS double smaller(double one, double other) { return one < other ? one : other; }

ALWAYS double larger(double one, double other) { return one > other ? one : other; }

ALWAYS double clipped(double number, double low, double high) { return smaller(larger(number, low), high); }

static double plain_prize(int kind, int rank)
{
    return kind == SHIP ? RULES.ship_prize[rank] : kind == MARKER ? RULES.marker_prize[rank] : RULES.category_prize[rank];
}

static int space_bonus(int city, int space) { return city != FLORENCE || RULES.florence_bonus ? RULES.bonus[space] : 0; }

__attribute__((constructor)) static void prepare(void)
{
    int top = RULES.top, sail = 0, scrolls = 0, promotion = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int rank = 0; rank < PLAYERS + 2; rank++) {
            int here = least(rank, PLAYERS - 1);
            prize[kind][rank] = plain_prize(kind, here);
            if (0 < rank && rank < PLAYERS - 1)
                prize[kind][rank] = 0.5 * prize[kind][rank]
                                    + 0.25 * (plain_prize(kind, here - 1) + plain_prize(kind, here + 1));
        }
    for (int ship = 0; ship < RULES.ships; ship++) {
        sail += RULES.sail[ship];
        scrolls += RULES.scrolls[ship];
        promotion += RULES.promotion[ship];
        for (int speed = 0; speed < RULES.sail[ship]; speed++) faster_than[speed] |= 1ull << ship;
    }
    mean_sail = (double)sail / RULES.ships;
    mean_scrolls = (double)scrolls / RULES.ships;
    mean_promotion = (double)promotion / RULES.ships;
    for (int ships = 0; ships < 2 * PORTS; ships++) florence_steep[ships] = 0.5 / (0.1 + P.florence_spread * ships);
    for (int lead = -2 * top - 1; lead < 2 * top + 2; lead++) {
        double by = 0.5 * lead;
        behind_by[LEVEL + lead] = 0.5 - 0.5 * by / ((by < 0 ? -by : by) + P.later_spread);
    }
    for (int tie = 0; tie < 2; tie++)
        for (int lead = -top; lead <= top; lead++) {
            int twice = lead ? 2 * lead : tie ? 1 : -1;
            tied[tie][MOST_SPACES + lead] = 0.5 * twice;
            tied[tie][3 * MOST_SPACES + lead] = behind_by[LEVEL + twice];
        }
    for (int round = 0; round < RULES.rounds; round++)
        for (int kind = 0; kind < 2; kind++)
            for (int space = 0; space <= top; space++) {
                int city = kind == AT_FLORENCE ? FLORENCE : 0;
                double coins = 0.0, climb = kind == AT_FLORENCE ? P.scroll_climb : P.ware_climb;
                for (int k = 0; k < RULES.rounds - round; k++) {
                    double there = smaller(space + climb * k, top), share;
                    int low = (int)there, high = least(low + 1, top);
                    share = there - low;
                    coins += space_bonus(city, low) * (1.0 - share) + space_bonus(city, high) * share;
                }
                bonus[round][kind][space] = P.bonus * coins;
            }
}

ALWAYS double prize_at(int kind, double rank)
{
    int whole = (int)rank;
    return prize[kind][whole] + (rank - whole) * (prize[kind][whole + 1] - prize[kind][whole]);
}

ALWAYS int ships_ahead(const State *state, int port, int speed)
{
    int ahead = 0;
    while (ahead < state->ships_at[port] && state->berth_speed[port][ahead] >= speed) ahead++;
    return ahead;
}

ALWAYS int rounds_left(const State *state) { return RULES.rounds - state->round - 1; }

/* Markers. */

ALWAYS double marker_coins(const State *state, int kind, double now, double later, int space)
{
    double coins = bonus[state->round][kind][space] + P.later * rounds_left(state) * prize_at(MARKER, later);
    if (space > 0) coins += prize_at(MARKER, now);
    if (kind == AT_FLORENCE) coins += P.florence_lead * RULES.marker_prize[0] * larger(1.0 - now, 0.0);
    return coins;
}

/* Coins more for as many steps as `steps` says; `mine`: ships the seat may place there later. */
ALWAYS void gains(const State *restrict state, const View *restrict view, int seat, const int kind, int city, int mine,
                  const int *steps, const int count, double *restrict found)
{
    int here = state->position[city][seat], top = RULES.top, on[4] = {here, here, here, here}, tie = -1;
    for (int k = 0; k < count; k++) found[k] = 0.0;
    if (here == top) return;
    for (int k = 0; k < count; k++) on[k + 1] = least(here + steps[k], top);
    double now[4] = {0}, later[4] = {0};
    for (int rank = 0; rank < PLAYERS; rank++) {
        int other = state->order[city][rank], stands = state->position[city][other];
        bool self = other == seat; /* 0.0 is added, which changes no bit */
        int berths = state->berths[other], theirs = kind == AT_PORT ? berths >> city & 1 : __builtin_popcount(berths);
        double drift = (kind == AT_PORT ? P.berth_drift : P.florence_drift) * (mine - theirs);
        double steep = kind == AT_PORT ? view->steep[theirs] : florence_steep[mine + theirs];
        double behind[4], half[4];
        for (int k = 0; k <= count; k++) {
            int lead = on[k] - stands;
            const double *at = tied[k ? 0 : tie > 0] + MOST_SPACES + lead;
            half[k] = at[0];
            behind[k] = at[2 * MOST_SPACES];
        }
        for (int k = 0; k <= count; k++) {
            now[k] += self ? 0.0 : clipped(0.5 - (half[k] + drift) * steep, 0.0, 1.0);
            later[k] += self ? 0.0 : behind[k];
        }
        tie = self ? 1 : tie;
    }
    double stay = marker_coins(state, kind, now[0], later[0], here);
    for (int k = 0; k < count; k++)
        if (steps[k] > 0) found[k] = marker_coins(state, kind, now[k + 1], later[k + 1], on[k + 1]) - stay;
}

/* Tiles. */

ALWAYS double category_value(const State *state, const View *view, int seat, int category, int total,
                             double steep)
{
    double left = rounds_left(state) + view->open, behind = 0.0, tie = -0.3;
    for (int rank = 0; rank < PLAYERS; rank++) {
        int other = state->order[FLORENCE][rank];
        double lead = total - state->tile_total[category][other] + tie, chance = 0.5 - lead * steep;
        behind += other == seat ? 0.0 : clipped(chance, 0.0, 1.0);
        tie = other == seat ? 0.3 : tie;
    }
    double value = prize_at(CATEGORY, behind);
    return total == 0 && !RULES.zero_total_scores ? value * smaller(1.0, P.none_yet * left) : value;
}

static double best_tile(const State *state, const View *view, int seat, int *slot)
{
    double best = 0.0, now[CATEGORIES], left = rounds_left(state) + view->open;
    double steep = 0.5 / (0.2 + P.tile_spread * left);
    *slot = -1;
    for (int category = 0; category < CATEGORIES; category++)
        now[category] = category_value(state, view, seat, category, state->tile_total[category][seat], steep);
    for (int k = 0; k < state->display_size; k++) {
        int tile = state->display[k], category = RULES.tile_category[tile], ware = RULES.tile_ware[tile];
        int total = state->tile_total[category][seat] + RULES.tile_value[tile];
        double worth = P.promotion * (category_value(state, view, seat, category, total, steep) - now[category]), step;
        if (ware != NO_WARE) {
            gains(state, view, seat, AT_PORT, ware, state->berths[seat] >> ware & 1, (const int[]){1}, 1, &step);
            worth += P.ware * step;
        }
        if (*slot < 0 || worth > best) {
            best = worth;
            *slot = k;
        }
    }
    return best;
}

/* Ships. */

ALWAYS double speed_value(const State *state, int port, int rivals, int speed, double faster)
{
    int ahead = ships_ahead(state, port, speed);
    double taken = prize[SHIP][ahead] - prize[SHIP][state->ships_at[port]];
    return P.speed * (prize_at(SHIP, ahead + rivals * faster) + P.deny * taken);
}

ALWAYS void rivals_faster(const State *state, int sail, double *faster, double *faster_plus)
{
    int unseen = state->ships_unseen, plus = RULES.plus_one_speed;
    uint64_t set = 0;
    for (int k = 0; k < unseen; k++) set |= 1ull << state->unseen_ship[k];
    int more = __builtin_popcountll(set & faster_than[sail]);
    int with_plus = sail < plus ? unseen : __builtin_popcountll(set & faster_than[sail - plus]);
    int than_plus = __builtin_popcountll(set & faster_than[sail + plus]);
    double scale = P.rival_speed / most(unseen, 1);
    *faster = smaller(1.0, scale * (more + P.plus_share * (with_plus - more)));
    *faster_plus = smaller(1.0, scale * (than_plus + P.plus_share * (more - than_plus)));
}

static double value_ports(const State *restrict state, View *restrict view, int seat, int ship, unsigned flags)
{
    unsigned berths = state->berths[seat];
    int sail = RULES.sail[ship], fast = sail + RULES.plus_one_speed, rivals[PORTS] = {0};
    int ref_speed = (int)(mean_sail + P.ref_sail + 1.0);
    bool with_plus = flags >> PLUS_ONE_FLAG & 1, with_ware = flags >> WARE_FLAG & 1;
    double faster, faster_plus, total = 0.0, steps = 0.0;
    rivals_faster(state, sail, &faster, &faster_plus);
    for (int other = 0; other < PLAYERS; other++)
        for (int port = 0; port < PORTS; port++) rivals[port] += other != seat && state->berths[other] >> port & 1;
    for (int port = 0; port < PORTS; port++) {
        view->prize_at[port] = speed_value(state, port, rivals[port], sail, faster);
        if (!(berths >> port & 1)) continue;
        if (with_plus) view->prize_plus[port] = speed_value(state, port, rivals[port], fast, faster_plus);
        int symbols = RULES.cargo[ship][port], more = symbols;
        if (with_ware && (symbols > 0 || !RULES.ware_flag_needs_match)) more += RULES.ware_steps;
        double found[3];
        gains(state, view, seat, AT_PORT, port, 0, (const int[]){2, symbols, more}, 3, found);
        view->cargo[port] = P.ware * found[1];
        view->cargo_ware[port] = P.ware * found[2];
        steps += P.ware * 0.5 * found[0];
        double ahead = ships_ahead(state, port, ref_speed) + rivals[port] * P.ref_faster;
        view->berth[port] = P.speed * prize_at(SHIP, ahead) + P.ware * P.ref_ware * 0.5 * found[0];
        total += view->berth[port];
    }
    int free = most(__builtin_popcount(berths), 1);
    view->ware_step = steps / free;
    return total / free;
}

static double patience_of(const State *state, int seat, double *cards)
{
    int flags = 0, waiting = state->waiting, holder = state->holder;
    for (int other = 0; other < PLAYERS; other++) flags += __builtin_popcount(state->berths[other]);
    double mean = (double)flags / most(__builtin_popcount(state->with_flag), 1), patience;
    if (holder != NOBODY && holder != seat) flags--;
    *cards = (double)state->deck / most(flags, 1);
    if (*cards < 0.5)
        patience = P.patience_scarce * 2.0 * *cards;
    else if (*cards < 1.0)
        patience = P.patience_scarce + (P.patience - P.patience_scarce) * (2.0 * *cards - 1.0);
    else
        patience = P.patience + (P.patience_plenty - P.patience) * smaller(*cards - 1.0, 2.0);
    if (waiting == 0 && holder == NOBODY) patience -= P.patience_last;
    if (*cards > 0.0) {
        patience += P.patience_players * (PLAYERS - 4);
        patience -= P.patience_own * (__builtin_popcount(state->berths[seat]) - mean);
    }
    return patience;
}

static double best_use(const View *view, unsigned berths, int flag, double patience, int *chosen)
{
    double best = -1e30;
    *chosen = -1;
    for (int port = 0; port < PORTS; port++) {
        if (!(berths >> port & 1)) continue;
        double worth = flag == PLUS_ONE_FLAG ? view->prize_plus[port] : view->prize_at[port];
        worth += flag == WARE_FLAG ? view->cargo_ware[port] : view->cargo[port];
        worth -= patience * view->berth[port];
        if (*chosen < 0 || worth > best) {
            best = worth;
            *chosen = port;
        }
    }
    return best;
}

static int claim(const State *restrict state, View *restrict view)
{
    int seat = state->actor, ship = state->ship, holder = state->holder, chosen = PASS, ignored, scrolls = RULES.scrolls[ship];
    bool piracy = state->phase == PIRACY;
    unsigned hand = state->hand[seat], flags = piracy ? 1 << PIRATE_FLAG : state->legal >> 1;
    unsigned berths = state->berths[seat], waiting = state->waiting;
    double reference = value_ports(state, view, seat, ship, flags), found[2], cards;
    gains(state, view, seat, AT_FLORENCE, FLORENCE, __builtin_popcount(berths) - 1, (const int[]){1, scrolls}, 2, found);
    double anywhere = found[1] * P.scroll, tile = P.promotion * P.ref_tile * RULES.category_prize[0];
    view->scroll_step = P.scroll * found[0];
    if (RULES.promotion[ship]) anywhere += best_tile(state, view, seat, &ignored);
    double ref_anywhere = P.ref_scroll * P.scroll * mean_scrolls * found[0] + mean_promotion * tile;
    double patience = patience_of(state, seat, &cards);
    reference += ref_anywhere;
    double common = anywhere - patience * ref_anywhere;

    unsigned asked = (RULES.second_lap ? state->with_flag : waiting) & state->with_pirate;
    double theirs = view->scroll_step * scrolls + tile * RULES.promotion[ship], kept = 1.0, envied = 0.0;
    for (int other = 0; other < PLAYERS; other++) {
        if (other == seat || (!((waiting | asked) >> other & 1) && other != holder)) continue;
        double best = 0.0;
        for (int port = 0; port < PORTS; port++)
            if (state->berths[other] >> port & 1)
                best = larger(best, view->prize_at[port] + view->ware_step * RULES.cargo[ship][port]);
        double above = best + theirs - reference;
        envied = larger(envied, above);
        if (asked >> other & 1) kept *= 1.0 - clipped(P.risk + P.risk_more * above / larger(reference, 1.0), 0.0, 0.95);
    }
    common += P.deny_ship * envied;

    double keeping = (hand & (hand - 1)) == 0 ? 0.0 : reference * smaller(cards, 1.0), best = 0.0;
    for (int flag = 0; flag < 3; flag++) {
        if (!(flags >> flag & 1)) continue;
        double gain = common + best_use(view, berths, flag, patience, &ignored), keep;
        if (flag == PIRATE_FLAG) {
            keep = P.keep_pirate + P.keep_pirate_early * view->open;
            if (piracy) gain -= P.piracy * reference * smaller(cards, 1.0);
        } else {
            keep = flag == PLUS_ONE_FLAG ? P.keep_plus_one : P.keep_ware;
        }
        gain -= keep * keeping;
        if (flag != PIRATE_FLAG) gain *= kept;
        if (gain > best) {
            best = gain;
            chosen = CLAIM_WITH + flag;
        }
    }
    return chosen;
}

static int heuristic(const State *state)
{
    View view;
    double cards;
    int seat = state->actor, chosen;
    view.open = (double)state->deck / most(RULES.cards[PLAYERS], 1);
    double spread = 0.1 + P.now_spread * view.open;
    view.steep[0] = 0.5 / spread;
    view.steep[1] = 0.5 / (spread + P.berth_spread);
    if (state->phase <= PIRACY) return claim(state, &view);
    if (state->phase == PORT) {
        value_ports(state, &view, seat, state->ship, only(state->holder_flag));
        best_use(&view, state->berths[seat], state->holder_flag, patience_of(state, seat, &cards), &chosen);
        return PLACE_AT + chosen;
    }
    double worth = best_tile(state, &view, seat, &chosen);
    return worth < 0.0 && RULES.tile_optional ? DECLINE_TILE : TAKE_TILE + chosen;
}

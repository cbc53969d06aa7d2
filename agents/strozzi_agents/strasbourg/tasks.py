"""The number of steps that a task lacks, and the probability that a seat will fulfil it.

A step towards a task is a member to place, a chair to take or a building to be built; steps B, D and F of a round are
called guild auctions. All steps that a task lacks succeed with the same probability, which grows with the auctions
left, so the probability of the task is a power of it.
"""

from numba import float64, int64

from strozzi_sim.games.strasbourg.legal_actions import closed_steps
from strozzi_sim.games.strasbourg.scoring import chairs_held, largest_group
from strozzi_sim.games.strasbourg.state import (
    ADJACENT_TO_EDIFICE,
    BORDER_MEMBERS,
    CHURCH,
    CONNECTED_GROUP,
    COUNCIL_MEMBERS,
    DIAGONAL_LINE,
    DISTINCT_CHAPELS,
    DISTINCT_EDIFICES,
    DISTINCT_GUILDS,
    GUILDS_WITH_PAIRS,
    MEMBERS_IN_GUILD,
    MOST_COINS,
    MOST_MEMBERS_IN_CITY,
    NO_SITE,
    NOBILITY,
    NOBILITY_OR_CHURCH,
    ORTHOGONAL_LINE,
    PLAYER_COUNTS,
    SAME_CHAPEL,
    SAME_EDIFICE,
    STEP_A,
    STEP_H,
    STEP_I,
)
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit

NEVER = 99  # number of missing steps if a task is impossible


@jit
def guild_auctions_left(state, rules, seat, guild, spaces):
    """Return the number of guild auctions left in the game, this one included, for guilds with a space in `spaces`.

    guild : the only guild to count; -1: all guilds
    seat  : auctions in which this seat may not bid are not counted; -1: all are
    """
    count = int64(0)
    for number in range(state.round, rules.rounds):
        first = state.step if number == state.round else int64(0)
        card = state.round_card[number]
        closed = rules.no_bid[seat, card] if seat >= 0 else int64(0)
        for k in range(3):
            step, step_guild = 2 * k + 1, rules.card_guild[card, k]  # steps B, D and F
            if step < first or (closed >> step) & 1 or rules.guild_spaces[step_guild] & spaces == 0:
                continue
            count += int64(guild < 0 or step_guild == guild)
    return count


@jit
def edifices_to_come(state, rules):
    """Return the set of edifices that may still be built."""
    edifices = int64(0)
    first = state.round + int64(state.step > STEP_I)
    for number in range(first, rules.rounds):
        edifices |= int64(1) << state.round_edifice[number]
    return edifices


@force_inline
def chapels_to_come(state, rules):
    """Return the number of chapels that may still be built, one per round."""
    return min(state.chapels, rules.rounds - state.round - int64(state.step > STEP_H))


@jit
def _most_in_line(members, usable, length, shift, movable):
    """Return the most members on a line of `length` usable spaces, or -1 without such a line.

    `shift` and the set `movable` are `step` and `columns` of `scoring.has_line`. All lines are counted at once: `one`,
    `two` and `four` are the binary digits of every line's count, so the result is right for a `length` of at most 7.
    """
    one = two = four = int64(0)
    chain = usable
    for k in range(length):
        if k > 0:
            usable = (usable & movable) >> shift
            members = (members & movable) >> shift
            chain &= usable
        carry = one & members
        one ^= members
        four |= two & carry
        two ^= carry
    if chain == 0:
        return int64(-1)
    best = int64(0)
    if four & chain:
        chain &= four
        best += 4
    if two & chain:
        chain &= two
        best += 2
    return best + int64((one & chain) != 0)


@jit
def _most_in_square(members, usable, columns, not_first):
    """Return the most members on a 2x2 block of usable spaces, or -1 without such a block."""
    one = two = four = int64(0)
    chain = int64(-1)
    for k in range(4):
        spaces, shifted = usable, members
        if k & 1:
            spaces, shifted = (spaces & not_first) >> 1, (shifted & not_first) >> 1
        if k & 2:
            spaces, shifted = spaces >> columns, shifted >> columns
        chain &= spaces
        carry = one & shifted
        one ^= shifted
        four |= two & carry
        two ^= carry
    if chain == 0:
        return int64(-1)
    if four & chain:
        return int64(4)
    best = int64(0)
    if two & chain:
        chain &= two
        best += 2
    return best + int64((one & chain) != 0)


@jit
def _missing_at_sites(members, usable, spaces_of_site, built, free, to_come, wanted, enough):
    """Return the steps until `wanted` buildings have `enough` members beside each of them, or NEVER.

    For one building: its missing members, plus 1 if it must still be built. For several, `enough` must be 1 and each
    building that lacks a member counts 1. `built` and `free` are sets of sites; `to_come` buildings may follow.
    """
    best, touched, fillable = int64(NEVER), int64(0), int64(0)
    while built != 0:
        spaces = spaces_of_site[lowest_bit(built)]
        built &= built - 1
        beside = count_bits(members & spaces)
        if beside >= enough:
            touched += 1
        elif count_bits(usable & spaces) >= enough:
            fillable += 1
            best = min(best, enough - beside)
    if wanted > 1:
        return max(wanted - touched, 0) if touched + fillable + to_come >= wanted else int64(NEVER)
    if touched > 0:
        return int64(0)
    while to_come > 0 and free != 0:
        spaces = spaces_of_site[lowest_bit(free)]
        free &= free - 1
        if count_bits(usable & spaces) >= enough:
            best = min(best, max(enough - count_bits(members & spaces), 0) + 1)
    return best


@jit
def _missing_at_edifices(state, rules, members, usable, wanted, enough):
    """Return the steps until `wanted` edifices have `enough` members beside each; see `_missing_at_sites`."""
    built, to_come = int64(0), count_bits(edifices_to_come(state, rules))
    for edifice in range(rules.edifices):
        site = state.edifice_site[edifice]
        if site != NO_SITE:
            built |= int64(1) << site
    free = int64(state.free_sites)
    return _missing_at_sites(members, usable, rules.site_spaces, built, free, to_come, wanted, enough)


@jit
def _missing_at_chapels(state, rules, members, usable, wanted, enough):
    """Return the steps until `wanted` chapels have `enough` members beside each; see `_missing_at_sites`."""
    free, to_come = state.free_chapel_sites, chapels_to_come(state, rules)
    built = ~free & ((int64(1) << rules.chapel_sites) - 1)
    return _missing_at_sites(members, usable, rules.chapel_spaces, built, free, to_come, wanted, enough)


@jit
def _missing_at_edifice(state, rules, members, usable, edifice, enough):
    """Return the steps until an edifice has `enough` members beside it; see `_missing_at_sites`."""
    site, none = state.edifice_site[edifice], int64(0)
    if site != NO_SITE:
        built = int64(1) << site
        return _missing_at_sites(members, usable, rules.site_spaces, built, none, none, int64(1), enough)
    to_come, free = (edifices_to_come(state, rules) >> edifice) & 1, int64(state.free_sites)
    return _missing_at_sites(members, usable, rules.site_spaces, none, free, to_come, int64(1), enough)


@jit
def _missing_in_guilds(rules, members, usable, guilds, enough):
    """Return the fewest members to place until each of `guilds` guilds has `enough`, or NEVER."""
    chosen_guilds, total = int64(0), int64(0)
    for _ in range(guilds):
        best, chosen = int64(NEVER), int64(-1)
        for guild in range(rules.guilds):
            spaces = rules.guild_spaces[guild]
            if (chosen_guilds >> guild) & 1 or count_bits(usable & spaces) < enough:
                continue
            need = max(enough - count_bits(members & spaces), 0)
            if need < best:
                best, chosen = need, int64(guild)
        if chosen < 0:
            return int64(NEVER)
        chosen_guilds |= int64(1) << chosen
        total += best
    return total


@jit
def missing(state, rules, seat, task, members, empty):
    """Return the steps that `seat` lacks for a task, with `members` in the city and `empty` spaces free, or NEVER.

    Not for the four kinds about coins, the council, or most members in the city.
    """
    kind, subject = rules.task_kind[task], rules.task_subject[task]
    minimum, usable = rules.task_minimum[task, state.players], members | (empty & ~rules.no_space[seat])
    if kind == ADJACENT_TO_EDIFICE:
        return _missing_at_edifice(state, rules, members, usable, subject, minimum)
    if kind == MEMBERS_IN_GUILD:
        spaces = rules.guild_spaces[subject]
        return (
            max(minimum - count_bits(members & spaces), 0) if count_bits(usable & spaces) >= minimum else int64(NEVER)
        )
    if kind in (ORTHOGONAL_LINE, DIAGONAL_LINE):
        columns = rules.columns
        if kind == ORTHOGONAL_LINE:
            best = _most_in_line(members, usable, minimum, int64(1), rules.not_first_column)
            best = max(best, _most_in_line(members, usable, minimum, columns, int64(-1)))
        else:
            best = _most_in_line(members, usable, minimum, columns + 1, rules.not_first_column)
            best = max(best, _most_in_line(members, usable, minimum, columns - 1, rules.not_last_column))
        return minimum - best if best >= 0 else int64(NEVER)
    if kind == CONNECTED_GROUP:  # here and for the border, the spaces left are ignored
        return max(minimum - largest_group(rules, members), 0)
    if kind == BORDER_MEMBERS:
        return max(minimum - count_bits(members & rules.border), 0)
    if kind == SAME_EDIFICE:
        return _missing_at_edifices(state, rules, members, usable, int64(1), minimum)
    if kind == DISTINCT_EDIFICES:
        return _missing_at_edifices(state, rules, members, usable, minimum, int64(1))
    if kind == DISTINCT_GUILDS:
        return _missing_in_guilds(rules, members, usable, minimum, int64(1))
    if kind == GUILDS_WITH_PAIRS:
        return _missing_in_guilds(rules, members, usable, subject, minimum)
    if kind == DISTINCT_CHAPELS:
        return _missing_at_chapels(state, rules, members, usable, minimum, int64(1))
    if kind == SAME_CHAPEL:
        return _missing_at_chapels(state, rules, members, usable, int64(1), minimum)
    best = _most_in_square(members, usable, rules.columns, rules.not_first_column)  # SQUARE_2X2
    return 4 - best if best >= 0 else int64(NEVER)


@force_inline
def _power(chance, steps):
    """Return `chance` to the power of `steps`, or of 8 if `steps` is greater."""
    result = 1.0
    for _ in range(min(steps, 8)):
        result *= chance
    return result


@jit
def task_chance(state, rules, params, seat, task, members, empty, coins, left):
    """Return the probability that `seat` will fulfil a task, with these members and coins, and `empty` spaces free.

    left : float64  guild auctions left in which the seat may place a member
    """
    kind = rules.task_kind[task]
    if kind in (MOST_COINS, MOST_MEMBERS_IN_CITY):
        if kind == MOST_COINS and rules.hide_money:
            return 0.5
        amount = coins if kind == MOST_COINS else count_bits(members)
        best = int64(0)
        for other in range(state.players):
            if other != seat:
                best = max(best, state.coins[other] if kind == MOST_COINS else count_bits(state.members[other]))
        lead = amount - best - 0.5
        spread = (params.coin_spread if kind == MOST_COINS else params.city_spread) * left + 0.1
        return 0.5 + 0.5 * lead / (spread + abs(lead))
    if kind == COUNCIL_MEMBERS:
        need = rules.task_minimum[task, state.players] - chairs_held(state, rules, seat)
        if rules.no_space[seat] != 0:  # a chair needs no space in the city
            left = float64(guild_auctions_left(state, rules, seat, int64(-1), int64(-1)))
        return _power(left / (left + params.task_seat), max(need, 0))
    if kind == NOBILITY_OR_CHURCH:
        holds_chair = state.council[NOBILITY] == seat or state.council[CHURCH] == seat
        last = state.round == rules.rounds - 1
        if last and state.step > 0:
            return 1.0 if holds_chair else 0.0
        if (closed_steps(state, rules, seat) >> STEP_A) & 1:
            return 0.2 * float64(holds_chair)
        return 0.5 + 0.2 * float64(holds_chair)
    steps = missing(state, rules, seat, task, members, empty)
    if steps == 0:
        return 1.0
    if steps >= NEVER:
        return 0.0
    if kind == MEMBERS_IN_GUILD:
        auctions = guild_auctions_left(state, rules, seat, rules.task_subject[task], ~rules.no_space[seat])
        if auctions < steps:
            return 0.0
        left = params.task_guild * auctions
    return _power(left / (left + params.task_effort), steps)


# The columns of the next two tables are the kinds of tasks, in the order of state.py: beside an edifice, in a guild,
# beside one edifice, row, diagonal, square, council, beside edifices, most in the city, most coins, in guilds, pairs in
# guilds, at chapels, at one chapel, group, border, nobility or church.
#
# Share of seats that fulfil a dealt task if they keep all, with 3, 4 and 5 players: `heuristic` in 1,500 games each.
# Half-widths are 0.03 or less. Tasks are pooled over guilds and edifices; "in a guild" is the share at price 0.
_FIRST_CHANCE = (
    (0.46, 0.55, 0.57, 0.45, 0.71, 0.10, 0.33, 0.58, 0.30, 0.67, 0.60, 0.69, 0.51, 0.40, 0.17, 0.34, 0.88),
    (0.36, 0.74, 0.42, 0.60, 0.68, 0.12, 0.51, 0.45, 0.26, 0.57, 0.80, 0.89, 0.51, 0.41, 0.20, 0.73, 0.83),
    (0.29, 0.50, 0.23, 0.44, 0.48, 0.06, 0.73, 0.27, 0.22, 0.42, 0.57, 0.57, 0.35, 0.27, 0.10, 0.47, 0.82),
)
_PRICED_OUT = 0.19  # relative decrease per coin of the guild's mean price
# Number that the published task of each kind needs (see `_needed`); 0: no number, or it depends on the player count.
_PUBLISHED = (2, 3, 3, 3, 3, 4, 0, 4, 0, 0, 5, 12, 4, 3, 5, 6, 0)
_HARDER = 3  # a task's probability is raised to the power of (number needed / published number) ** _HARDER


@jit
def _needed(rules, task, players):
    """Return (number that a task needs, number that the published task of its kind needs); (1, 1) without a number."""
    kind, minimum = rules.task_kind[task], int64(rules.task_minimum[task, players])
    published = int64(_PUBLISHED[kind])
    if kind == COUNCIL_MEMBERS:
        published = int64(7 - players)
    if kind == GUILDS_WITH_PAIRS:  # squared: a third member of a guild is harder to place than two in another guild
        minimum *= minimum * rules.task_subject[task]
    return (minimum, published) if minimum > 0 and published > 0 else (int64(1), int64(1))


@jit
def _share_left(state, rules, seat, task):
    """Return the factor, 0 to 1, by which a seat's restrictions lower `first_chance` of a task."""
    kind = rules.task_kind[task]
    if kind == MOST_COINS:
        return 1.0
    if kind == NOBILITY_OR_CHURCH:
        return float64((closed_steps(state, rules, seat) >> STEP_A) & 1 == 0)
    guild = rules.task_subject[task] if kind == MEMBERS_IN_GUILD else int64(-1)
    spaces = int64(-1) if kind == COUNCIL_MEMBERS else ~rules.no_space[seat]
    left = guild_auctions_left(state, rules, seat, guild, spaces)
    all_left = guild_auctions_left(state, rules, int64(-1), guild, int64(-1))
    if left == all_left and rules.no_space[seat] == 0:
        return 1.0
    needed = int64(1)
    if kind not in (COUNCIL_MEMBERS, MOST_MEMBERS_IN_CITY):
        needed = missing(state, rules, seat, task, state.members[seat], state.empty)
    return left / all_left if needed <= left else 0.0


@jit
def first_chance(state, rules, seat, task):
    """Return the probability, when a task is dealt, that `seat` will fulfil it."""
    kind = rules.task_kind[task]
    chance = _FIRST_CHANCE[state.players - PLAYER_COUNTS[0]][kind]
    if kind == MEMBERS_IN_GUILD:
        spaces = rules.guild_spaces[rules.task_subject[task]]
        count, coins = max(count_bits(spaces), 1), int64(0)
        while spaces != 0:
            coins += rules.price[lowest_bit(spaces)]
            spaces &= spaces - 1
        chance *= max(1.0 - _PRICED_OUT * coins / count, 0.05)
    needed, published = _needed(rules, task, state.players)
    if needed != published:
        chance **= (float64(needed) / published) ** _HARDER
    return chance * _share_left(state, rules, seat, task) if rules.restricted else chance

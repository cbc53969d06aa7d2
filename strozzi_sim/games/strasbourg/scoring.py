"""The council phase, the end of the game, and the tasks (R11 to R13). Agents may call all of these."""

from numba import int64

from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.legal_actions import cards_left
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import force_inline, inline_source, jit
from strozzi_sim.kernel.journal import write_event


@inline_source
def chairs_held(state, rules, seat):
    """Return the number of the seat's members in the council."""
    chairs = int64(0)
    for chair in range(s.GUILD_SEAT + rules.guilds):
        chairs += int64(state.council[chair] == seat)
    return chairs


@jit
def hold_council(state, rules, journal):
    """Pay prestige for each member in the council, and a privilege for most members there (R11)."""
    players = state.players
    most = int64(0)
    for seat in range(players):
        most = max(most, chairs_held(state, rules, seat))
    for seat in range(players):
        chairs = chairs_held(state, rules, seat)
        gained, privilege = chairs * rules.seat_points, int64(chairs == most)
        total, privileges = state.prestige[seat] + gained, state.privileges[seat] + privilege
        state.prestige[seat] = total
        state.score[seat] = total
        state.privileges[seat] = privileges
        write_event(journal, e.PRESTIGE, seat, gained, privilege, total, privileges)
        if journal is not None:
            goods = int64(0)
            for guild in range(rules.guilds):
                goods += state.goods[seat, guild]
            write_event(journal, e.WEALTH, seat, state.coins[seat], goods, cards_left(state, seat), 0)


@jit
def chapel_neighbours(state, rules, seat):
    """Return the number of the seat's members at chapels, counting a member once for each chapel (R12.1b)."""
    built = ~state.free_chapel_sites & ((int64(1) << rules.chapel_sites) - 1)
    members, touching = state.members[seat], int64(0)
    while built != 0:
        touching += count_bits(members & rules.chapel_spaces[lowest_bit(built)])
        built &= built - 1
    return touching


@inline_source
def at_edifice(state, rules, seat, edifice):
    """Return the number of the seat's members beside an edifice; 0 if it was not built (A39)."""
    site = state.edifice_site[edifice]
    return count_bits(state.members[seat] & rules.site_spaces[site]) if site != s.NO_SITE else int64(0)


@jit
def edifice_points(state, rules, seat):
    """Return the points for members beside edifices (R12.1c)."""
    points = int64(0)
    for edifice in range(rules.edifices):
        points += at_edifice(state, rules, seat, edifice) * rules.edifice_points[edifice]
    return points


@inline_source
def _in_guild(state, rules, seat, guild):
    return count_bits(state.members[seat] & rules.guild_spaces[guild])


@jit
def has_line(members, length, step, columns):
    """Return whether `length` members form a line (A40).

    Consecutive cells differ by `step`; all but the first are in the set `columns`, so that no line runs over the edge.
    """
    line = members
    for _ in range(length - 1):
        members = (members & columns) >> step
        line &= members
    return line != 0


@jit
def largest_group(rules, members):
    """Return the size of the largest orthogonally connected group of members."""
    columns, east, west = rules.columns, rules.not_first_column, rules.not_last_column
    largest = int64(0)
    while members != 0:
        group = members & -members
        while True:
            grown = (group | (group & east) >> 1 | (group & west) << 1 | group >> columns | group << columns) & members
            if grown == group:
                break
            group = grown
        largest = max(largest, count_bits(group))
        members &= ~group
    return largest


@jit
def _has_most(state, rules, seat, coins):
    """Return whether `seat` has more members in the city (if `coins`, more coins) than every other seat (A38, A65).

    With `tie_fulfils` at least as many are enough.
    """
    own = state.coins[seat] if coins else count_bits(state.members[seat])
    for other in range(state.players):
        if other != seat:
            other_amount = state.coins[other] if coins else count_bits(state.members[other])
            if other_amount > own or (other_amount == own and not rules.tie_fulfils):
                return False
    return True


@jit
def is_fulfilled(state, rules, seat, task):
    """Return whether `seat` meets the task's condition at present (R13)."""
    kind, subject = rules.task_kind[task], rules.task_subject[task]
    minimum, members = rules.task_minimum[task, state.players], state.members[seat]
    if kind == s.ADJACENT_TO_EDIFICE:
        return at_edifice(state, rules, seat, subject) >= minimum
    if kind == s.MEMBERS_IN_GUILD:
        return _in_guild(state, rules, seat, subject) >= minimum
    if kind == s.ORTHOGONAL_LINE:
        across = has_line(members, minimum, 1, rules.not_first_column)
        return across or has_line(members, minimum, rules.columns, int64(-1))
    if kind == s.DIAGONAL_LINE:
        falling = has_line(members, minimum, rules.columns + 1, rules.not_first_column)
        return falling or has_line(members, minimum, rules.columns - 1, rules.not_last_column)
    if kind == s.COUNCIL_MEMBERS:
        return chairs_held(state, rules, seat) >= minimum
    if kind in (s.MOST_MEMBERS_IN_CITY, s.MOST_COINS):
        return _has_most(state, rules, seat, kind == s.MOST_COINS)
    if kind == s.CONNECTED_GROUP:
        return largest_group(rules, members) >= minimum
    if kind == s.BORDER_MEMBERS:
        return count_bits(members & rules.border) >= minimum
    if kind == s.NOBILITY_OR_CHURCH:
        return state.council[s.NOBILITY] == seat or state.council[s.CHURCH] == seat
    if kind in (s.SAME_EDIFICE, s.DISTINCT_EDIFICES):
        return _meets_at_edifices(state, rules, seat, kind == s.SAME_EDIFICE, minimum)
    if kind in (s.DISTINCT_GUILDS, s.GUILDS_WITH_PAIRS):
        enough, wanted = (minimum, subject) if kind == s.GUILDS_WITH_PAIRS else (int64(1), minimum)
        for guild in range(rules.guilds):
            wanted -= int64(_in_guild(state, rules, seat, guild) >= enough)
        return wanted <= 0
    if kind in (s.DISTINCT_CHAPELS, s.SAME_CHAPEL):
        return _meets_at_chapels(state, rules, seat, kind == s.SAME_CHAPEL, minimum)
    right = (members & rules.not_first_column) >> 1  # SQUARE_2X2
    pairs = members & right
    return pairs & (pairs >> rules.columns) != 0


@jit
def _meets_at_edifices(state, rules, seat, same, minimum):
    """Return whether there are `minimum` members at one edifice (`same`), or a member at each of `minimum` edifices."""
    enough, wanted = (minimum, int64(1)) if same else (int64(1), minimum)
    for edifice in range(rules.edifices):
        wanted -= int64(at_edifice(state, rules, seat, edifice) >= enough)
    return wanted <= 0


@jit
def _meets_at_chapels(state, rules, seat, same, minimum):
    """Return whether there are `minimum` members at one chapel (`same`), or a member at each of `minimum` chapels."""
    enough, wanted = (minimum, int64(1)) if same else (int64(1), minimum)
    built = ~state.free_chapel_sites & ((int64(1) << rules.chapel_sites) - 1)
    while built != 0:
        members = count_bits(state.members[seat] & rules.chapel_spaces[lowest_bit(built)])
        wanted -= int64(members >= enough)
        built &= built - 1
    return wanted <= 0


@jit
def score_game(state, rules, journal):
    """Compute the final points of all seats (R12)."""
    players = state.players
    for seat in range(players):
        council, city = state.prestige[seat], count_bits(state.members[seat])
        chapels = chapel_neighbours(state, rules, seat) * rules.chapel_points
        edifices = edifice_points(state, rules, seat)
        privileges = state.privileges[seat] * rules.privilege_points
        write_event(journal, e.POINTS, seat, council, city, chapels, edifices)
        tasks, kept = int64(0), state.kept[seat]
        while kept != 0:
            task = lowest_bit(kept)
            kept &= kept - 1
            if is_fulfilled(state, rules, seat, task):
                tasks += rules.task_points[task]
                write_event(journal, e.FULFILLED, seat, task, 0, 0, 0)
            else:
                tasks -= rules.penalty
        state.score[seat] = council + city + chapels + edifices + privileges + tasks
    if journal is not None:
        _write_totals(state, rules, journal)


@jit
def _write_totals(state, rules, journal):
    for seat in range(state.players):
        privileges = state.privileges[seat] * rules.privilege_points
        board = state.prestige[seat] + count_bits(state.members[seat]) + edifice_points(state, rules, seat)
        board += chapel_neighbours(state, rules, seat) * rules.chapel_points
        total = state.score[seat]
        better, _ = placing(state, seat)
        write_event(journal, e.TOTAL, seat, privileges, total - board - privileges, total, int64(better == 0))


@force_inline
def placing(state, seat):
    """Return (seats placed better, seats that share the place), by points, then members in the city (R12.4, A48)."""
    result = state.score[seat] * 64 + count_bits(state.members[seat])
    better, shared = int64(0), int64(0)
    for other in range(state.players):
        other_result = state.score[other] * 64 + count_bits(state.members[other])
        better += int64(other_result > result)
        shared += int64(other_result == result)
    return better, shared

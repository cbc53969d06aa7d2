"""The end of a game of Strasbourg: fulfilled tasks, points, winners (R12, R13)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from strozzi_sim.games.strasbourg.reference_table import Space, Table, beside

Task = Mapping[str, Any]
STRAIGHT = ((1, 0), (0, 1))
DIAGONAL = ((1, 1), (1, -1))


def score(table: Table) -> dict[str, list[Any]]:
    """Return the fields of the line `score_end` (F5.13), each a list by player.

    Coins, goods, council seats and cards score no points by themselves (R12.3); totals may be negative (A45).
    """
    data, seats = table.components, range(table.players)
    each_chapel = data["chapels"]["points_per_adjacent_family_member"]
    council = list(table.prestige)  # the council does not score again (A50)
    city = [len(table.own_members(seat)) for seat in seats]
    chapels = [each_chapel * sum(table.chapel_neighbours(seat)) for seat in seats]
    edifices = [_edifice_points(table, seat) for seat in seats]
    privileges = [data["privileges"]["end_value"] * held for held in table.privileges]
    fulfilled = [[task for task in table.kept[seat] or () if is_fulfilled(table, seat, task)] for seat in seats]
    tasks = [_task_points(table, table.kept[seat] or (), fulfilled[seat]) for seat in seats]
    parts = (council, city, chapels, edifices, privileges, tasks)
    total = [sum(points) for points in zip(*parts, strict=True)]
    best = max(zip(total, city, strict=True))  # a tie goes to more members in the city (R12.4)
    winners = [seat for seat in seats if (total[seat], city[seat]) == best]  # still tied: both win (A48)
    return {
        "council": council, "city": city, "chapels": chapels, "edifices": edifices, "privileges": privileges,
        "tasks": tasks, "fulfilled": fulfilled, "total": total, "winners": winners,
    }  # fmt: skip


def _edifice_points(table: Table, seat: int) -> int:
    return sum(table.edifice_points[edifice] * number for edifice, number in table.edifice_neighbours(seat).items())


def _task_points(table: Table, kept: Iterable[str], fulfilled: Iterable[str]) -> int:
    """Return the points of tasks: its points once for a fulfilled one, else the penalty (R12.1e, A44)."""
    penalty = table.components["tasks_meta"]["penalty_unfulfilled"]
    return sum(table.tasks[task]["points"] if task in fulfilled else -penalty for task in kept)


def is_fulfilled(table: Table, seat: int, task: str) -> bool:
    """Return whether `seat` meets the card's condition at present; the game judges it at the end (R13, A42)."""
    card = table.tasks[task]
    if card["kind"] not in KINDS:
        raise ValueError(f"task {task}: kind is one of {', '.join(KINDS)}, got {card['kind']!r}")
    return KINDS[card["kind"]](table, seat, card)


def _least(card: Task, key: str = "min") -> int:
    """Return a number of the card; all are meant as "at least" (R13.9, A64)."""
    return int(card[key])


# -- edifices and chapels (A43: a chapel is no edifice) ----------------------------------------------------------------


def _adjacent_to_edifice(table: Table, seat: int, card: Task) -> bool:
    """Return whether enough members are beside the edifice; False if it is not on the board (R13.1, A39)."""
    return card["edifice"] in table.built.values() and table.edifice_neighbours(seat)[card["edifice"]] >= _least(card)


def _same_edifice(table: Table, seat: int, card: Task) -> bool:
    return any(number >= _least(card) for number in table.edifice_neighbours(seat).values())


def _distinct_edifices(table: Table, seat: int, card: Task) -> bool:
    return sum(number >= 1 for number in table.edifice_neighbours(seat).values()) >= _least(card)


def _distinct_chapels(table: Table, seat: int, card: Task) -> bool:
    return sum(number >= 1 for number in table.chapel_neighbours(seat)) >= _least(card)


def _same_chapel(table: Table, seat: int, card: Task) -> bool:
    return any(number >= _least(card) for number in table.chapel_neighbours(seat))


# -- guilds ------------------------------------------------------------------------------------------------------------


def _by_guild(table: Table, seat: int) -> list[int]:
    """Return the number of own members in the city, by guild."""
    own = [table.city.guilds[space] for space in table.own_members(seat)]
    return [own.count(guild) for guild in table.guild_order]


def _members_in_guild(table: Table, seat: int, card: Task) -> bool:
    return _by_guild(table, seat)[table.guild_order.index(card["guild"])] >= _least(card)  # at least (A37)


def _distinct_guilds(table: Table, seat: int, card: Task) -> bool:
    return sum(number >= 1 for number in _by_guild(table, seat)) >= _least(card)


def _guilds_with_pairs(table: Table, seat: int, card: Task) -> bool:
    return sum(number >= _least(card) for number in _by_guild(table, seat)) >= _least(card, "guilds")


# -- patterns: a building site interrupts, guilds may mix (A40), and all may be parts of something greater (A41, A64) --


def _has_line(own: set[Space], steps: Iterable[Space], length: int) -> bool:
    """Return whether `length` own members form a line in one of the directions."""
    return any(
        all((column + place * across, row + place * down) in own for place in range(length))
        for column, row in own
        for across, down in steps
    )


def _orthogonal_line(table: Table, seat: int, card: Task) -> bool:
    return _has_line(table.own_members(seat), STRAIGHT, _least(card))


def _diagonal_line(table: Table, seat: int, card: Task) -> bool:
    return _has_line(table.own_members(seat), DIAGONAL, _least(card))


def _square_2x2(table: Table, seat: int, card: Task) -> bool:
    own = table.own_members(seat)
    return any({(column + 1, row), (column, row + 1), (column + 1, row + 1)} <= own for column, row in own)


def _connected_group(table: Table, seat: int, card: Task) -> bool:
    left, largest = table.own_members(seat), 0
    while left:
        group, size = [left.pop()], 0
        while group:
            size += 1
            neighbours = left.intersection(beside(group.pop()))
            left -= neighbours
            group += neighbours
        largest = max(largest, size)
    return largest >= _least(card)


def _border_members(table: Table, seat: int, card: Task) -> bool:
    columns, rows = (1, table.city.columns), (1, table.city.rows)
    return sum(column in columns or row in rows for column, row in table.own_members(seat)) >= _least(card)


# -- the council, and comparisons with the others ----------------------------------------------------------------------


def _council_members(table: Table, seat: int, card: Task) -> bool:
    return table.seats_held(seat) >= _least(card["min_by_players"], f"p{table.players}")  # (R13.6, R14.2)


def _nobility_or_church(table: Table, seat: int, card: Task) -> bool:
    return seat in (table.council["nobility"], table.council["church"])


def _has_most(table: Table, seat: int, amounts: list[int]) -> bool:
    """Return whether `seat` has more than every other seat; with `tie_fulfils`, at least as much (R13.8, A38, A65)."""
    best = max(amounts[:seat] + amounts[seat + 1 :])
    return amounts[seat] >= best if table.switches["tie_fulfils"] else amounts[seat] > best


def _most_members_in_city(table: Table, seat: int, card: Task) -> bool:
    return _has_most(table, seat, [len(table.own_members(other)) for other in range(table.players)])


def _most_coins(table: Table, seat: int, card: Task) -> bool:
    return _has_most(table, seat, table.coins)  # unsold goods do not count


KINDS: Mapping[str, Callable[[Table, int, Task], bool]] = {
    judge.__name__.removeprefix("_"): judge
    for judge in (
        _adjacent_to_edifice, _members_in_guild, _same_edifice, _orthogonal_line, _diagonal_line, _square_2x2, _council_members,
        _distinct_edifices, _most_members_in_city, _most_coins, _distinct_guilds, _guilds_with_pairs, _distinct_chapels, _same_chapel,
        _connected_group, _border_members, _nobility_or_church,
    )
}  # fmt: skip

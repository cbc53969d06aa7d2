"""The end of a game of Strasbourg: fulfilled tasks, points, winners (R12, R13)."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from strozzi_sim.games.strasbourg.reference_table import FullTable, Space, around, beside


def score(table: FullTable) -> dict[str, list[Any]]:
    """Return the fields of the line `score_end` (F5.13): lists by player, and `winners`, a list of seats.

    Coins, goods, council seats and cards score no further points by themselves (R12.3); totals may be negative (A45).
    """
    components, seats = table.components, range(table.players)
    chapel_points = components["chapels"]["points_per_adjacent_family_member"]
    council = list(table.prestige)  # the council does not score again (A50)
    city = [len(table.own_members(seat)) for seat in seats]
    chapels = [chapel_points * sum(table.chapel_neighbours(seat)) for seat in seats]
    edifices = [
        sum(table.edifice_points[edifice] * number for edifice, number in table.edifice_neighbours(seat).items())
        for seat in seats
    ]
    privileges = [components["privileges"]["end_value"] * count for count in table.privileges]
    fulfilled = [[task for task in table.kept[seat] or () if is_fulfilled(table, seat, task)] for seat in seats]
    # a fulfilled task gives its points once, any other costs the penalty (R12.1e, A44)
    penalty = components["tasks_meta"]["penalty_unfulfilled"]
    tasks = [
        sum(table.tasks[task]["points"] if task in fulfilled[seat] else -penalty for task in table.kept[seat] or ())
        for seat in seats
    ]
    parts: dict[str, Any] = {"council": council, "city": city, "chapels": chapels, "edifices": edifices}
    parts |= {"privileges": privileges, "tasks": tasks}
    total = [sum(points) for points in zip(*parts.values(), strict=True)]
    best = max(zip(total, city, strict=True))  # a tie goes to more members in the city (R12.4)
    winners = [seat for seat in seats if (total[seat], city[seat]) == best]  # still tied: all of them win (A48)
    return parts | {"fulfilled": fulfilled, "total": total, "winners": winners}


def is_fulfilled(table: FullTable, seat: int, task: str) -> bool:
    """Return whether `seat` meets the condition of `task` at present; the game judges it at the end (R13, A42).

    All numbers are minimums (R13.9, A37, A64). A chapel is not an edifice (A43). In a line, square or group
    the guilds may differ, but a building site interrupts it (A40); it may be part of a larger one (A41, A64).
    """
    card, members = table.tasks[task], table.own_members(seat)
    least = int(card.get("min", 0))
    edifices, chapels = table.edifice_neighbours(seat), table.chapel_neighbours(seat)
    guilds = Counter(table.city.guilds[space] for space in members)
    match card["kind"]:
        case "adjacent_to_edifice":  # 0 if the edifice was not built (R13.1, A39)
            return edifices.get(card["edifice"], 0) >= least
        case "same_edifice":
            return any(number >= least for number in edifices.values())
        case "distinct_edifices":
            return sum(number >= 1 for number in edifices.values()) >= least
        case "same_chapel":
            return any(number >= least for number in chapels)
        case "distinct_chapels":
            return sum(number >= 1 for number in chapels) >= least
        case "members_in_guild":
            return guilds[card["guild"]] >= least
        case "distinct_guilds":
            return len(guilds) >= least
        case "guilds_with_pairs":
            return sum(number >= least for number in guilds.values()) >= int(card["guilds"])
        case "orthogonal_line":
            return _has_line(members, ((1, 0), (0, 1)), least)
        case "diagonal_line":
            return _has_line(members, ((1, 1), (1, -1)), least)
        case "square_2x2":
            return any(set(around(corner)) <= members for corner in members)  # named by its upper left space
        case "connected_group":
            return _largest_group(members) >= least
        case "border_members":
            columns, rows = (1, table.city.columns), (1, table.city.rows)
            return sum(column in columns or row in rows for column, row in members) >= least
        case "council_members":  # (R13.6, R14.2)
            return table.seats_held(seat) >= int(card["min_by_players"][f"p{table.players}"])
        case "nobility_or_church":
            return seat in (table.council["nobility"], table.council["church"])
        case "most_members_in_city":
            return _has_most(table, seat, [len(table.own_members(other)) for other in range(table.players)])
        case "most_coins":  # unsold goods do not count
            return _has_most(table, seat, table.coins)
    raise ValueError(f"task {task}: unknown kind {card['kind']!r}")


def _has_line(members: set[Space], directions: Iterable[Space], length: int) -> bool:
    """Return whether `length` of the members form a line in one of the directions."""
    return any(
        all((column + k * across, row + k * down) in members for k in range(length))
        for column, row in members
        for across, down in directions
    )


def _largest_group(members: set[Space]) -> int:
    ungrouped, largest = set(members), 0
    while ungrouped:
        frontier, size = [ungrouped.pop()], 0
        while frontier:
            size += 1
            neighbours = ungrouped.intersection(beside(frontier.pop()))
            ungrouped -= neighbours
            frontier += neighbours
        largest = max(largest, size)
    return largest


def _has_most(table: FullTable, seat: int, amounts: list[int]) -> bool:
    """Return whether `seat` has more than every other seat; with `tie_fulfils`, at least as much (R13.8, A38, A65)."""
    best = max(amounts[:seat] + amounts[seat + 1 :])
    return amounts[seat] >= best if table.switches["tie_fulfils"] else amounts[seat] > best

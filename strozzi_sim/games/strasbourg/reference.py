"""The rules of Strasbourg, to be read beside the board. Marks in parentheses: R rules, A ambiguities, F records.

Preparation. The five round cards are laid out in random order, and an edifice under each. Every family has a shuffled
deck of 24 influence cards, the values 1 to 6 four times each, and 5 coins. The start player has a member on the
nobility seat of the council, the left neighbour one on the church seat. Each player is dealt five tasks and keeps
some of them, at least one, in secret.

Planning. All players draw cards from their own decks at the same time, card by card, until they have enough; then they
divide the cards drawn into face-down stacks. Only the sizes of the stacks are public.

Action. A round card has nine steps. In A to G each player in turn, clockwise from the start player, turns over one
stack or passes; a player who pays a privilege decides later. The highest sum is first and becomes start player; a tie
goes to the first of the tied players, clockwise from the old start player.
- A: the first takes the nobility seat, the second the church seat.
- B, D, F, a guild: the first, as master, takes the guild's seat in the council, and may take a good of the guild and,
  for the printed price, a space of the guild in the city. The second, as journeyman, may take a good and a space, the
  third, as apprentice, a good or a space. With three players there is no journeyman: the second is apprentice.
- C, E, G, the merchants: the first may sell goods, and in G takes the merchants' seat.
- H: the holder of the church seat may build a chapel on a corner.
- I: the holder of the nobility seat may put up the round's edifice on a building site.
Stacks that were turned over leave the game, but a bidder ranked too low to act puts one of the cards under its deck.

Council. Each member in the council earns a point; all players with most members there get a privilege. Unused stacks
leave the game unseen; members stay.

End. After the last round a member in the city is worth a point, and one more for each chapel at a corner of its
space; each edifice pays its number for every member beside it, not diagonally; a privilege is worth a point; a task
kept pays its points or costs three. Most points win, then most members in the city; players still tied share the win.

Options are ("keep", (task, ..)), "stop", "draw", "close", ("add", card), "pass", "defer", ("reveal", (card, ..)),
"none", "seat", "good", ("place", (column, row)), ("sell", number), ("return", card), ("chapel", (column, row)) and
("edifice", (column, row)). At the end the game has `scores`, `places` and `winners`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from strozzi_sim.games.strasbourg.reference_round import plan_round, play_step
from strozzi_sim.games.strasbourg.reference_table import FullTable, Play, Space, around, ask, beside, subsets


class Game(FullTable):
    """One game of Strasbourg, from the choice of tasks to the winners."""

    @property
    def places(self) -> list[int]:
        """The place of each player, 1 = won; tied players share the better place. Empty until the end."""
        results = [(total, len(self.own_members(seat))) for seat, total in enumerate(self.scores)]
        return [1 + sum(other > result for other in results) for result in results]

    def course(self) -> Play:
        """Play the whole game."""
        self.write("setup", round_cards=self.round_cards, edifices=self.edifices, start_player=self.start_player)
        yield from self._keep_tasks()
        for number in range(1, self.rounds + 1):
            self.round = number
            self.write("round", round=number, start_player=self.start_player)  # carried over (R3.2)
            yield from plan_round(self)
            for step in "ABCDEFGHI":
                if (number, step) != (1, "A") or not self.switches["skip_A_round1"]:  # (A4)
                    yield from play_step(self, step)
            self._hold_council()
        end = score(self)
        self.scores, self.winners = end["total"], end["winners"]
        self.write("score_end", **end)

    def _keep_tasks(self) -> Play:
        """Let each player keep tasks, secretly, knowing the orders of round cards and edifices (R2.7, A2, A3, A62)."""
        limits = self.components["tasks_meta"]
        for seat, dealt in enumerate(self.dealt):
            choices = subsets(dealt, limits["keep_min"], limits["keep_max"])
            _, kept = yield from ask("keep_tasks", seat, [("keep", tasks) for tasks in choices])
            self.kept[seat] = list(kept)
            self.write("keep_tasks", player=seat, dealt=list(dealt), tasks=list(kept))

    def _hold_council(self) -> None:
        """Pay prestige for each member in the council, and a privilege for most (R11), in the last round too (A46)."""
        all_seats = range(self.players)
        chairs = [self.seats_held(seat) for seat in all_seats]
        prestige = [self.components["council"]["prestige_per_member_each_council_phase"] * number for number in chairs]
        privileges = [int(number == max(chairs)) for number in chairs]
        for seat in all_seats:
            self.prestige[seat] += prestige[seat]
            self.privileges[seat] += privileges[seat]
            self.unseen[seat] += [card for stack in self.hidden_stacks(seat) for card in stack]  # (R11.3, A34)
            self.stacks[seat], self.unused[seat] = [], []
        afterwards = {"total": list(self.prestige), "held": list(self.privileges), "coins": list(self.coins)}
        afterwards |= {"goods": [sum(goods.values()) for goods in self.goods], "deck": self.decks}
        self.write("council", round=self.round, prestige=prestige, privileges=privileges, **afterwards)


def score(table: FullTable) -> dict[str, list[Any]]:
    """Return the fields of the line `score_end` (F5.13): lists by player, and `winners`, a list of seats.

    Coins, goods, council seats and cards score no further points by themselves (R12.3); totals may be negative (A45).
    """
    components, seats = table.components, range(table.players)
    chapel_points = components["chapels"]["points_per_adjacent_family_member"]
    council = list(table.prestige)  # the council does not score again (A50)
    city = [len(table.own_members(seat)) for seat in seats]
    chapels = [chapel_points * sum(table.chapel_neighbours(seat)) for seat in seats]
    worth = table.edifice_points
    edifices = [sum(worth[edifice] * n for edifice, n in table.edifice_neighbours(seat).items()) for seat in seats]
    privileges = [components["privileges"]["end_value"] * count for count in table.privileges]
    fulfilled = [[task for task in table.kept[seat] or () if is_fulfilled(table, seat, task)] for seat in seats]
    # a fulfilled task gives its points once, any other costs the penalty (R12.1e, A44)
    penalty = components["tasks_meta"]["penalty_unfulfilled"]
    printed = {task: card["points"] for task, card in table.tasks.items()}
    tasks = [
        sum(printed[task] if task in fulfilled[seat] else -penalty for task in table.kept[seat] or ()) for seat in seats
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

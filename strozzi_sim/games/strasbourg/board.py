"""The table as text: a View shows what its seat knows, the reference all but hidden cards and, until the end, tasks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from strozzi_sim.games.strasbourg.events import stack_name, step_words
from strozzi_sim.games.strasbourg.geometry import city_of, column_name
from strozzi_sim.games.strasbourg.reference import score
from strozzi_sim.games.strasbourg.reference_table import FullTable
from strozzi_sim.games.strasbourg.tasks import task_names

SOURCES = ("council", "city", "chapels", "edifices", "privileges", "tasks", "total")  # keys of `score_end` (F5.13)
Rows = list[Sequence[Any]]


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the table as text; `position` is a View or the reference game, `names` are the agents by seat."""
    parts = [
        [_heading(position, components)],
        _round_lines(position, components),
        *_city_lines(position, components),
        _council_lines(position, components),
        _seat_lines(position, components, names),
        _card_lines(position),
    ]
    if position.over:
        parts += _score_lines(position, components, names)
    elif not isinstance(position, FullTable):
        parts += _own_lines(position)
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _aligned(rows: Rows, left_aligned: Sequence[int] = ()) -> list[str]:
    """Return rows as lines, with the columns in `left_aligned` aligned to the left and the others to the right."""
    columns = []
    for k, cells in enumerate(zip(*rows, strict=True)):
        width, side = max(len(str(cell)) for cell in cells), "<" if k in left_aligned else ">"
        columns.append([f"{cell!s:{side}{width}}" for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def _heading(position: Any, components: Mapping[str, Any]) -> str:
    rounds = len(components["round_cards"])
    if position.over:
        return f"The game is over after {rounds} rounds"
    supplies = f"start player {position.start_player}, chapels left {position.chapels_left}"
    if position.step:
        return f"Round {position.round} of {rounds}, step {step_words(position.step, position.guild)}, {supplies}"
    if position.round == 0 or (position.round == 1 and not position.kept):
        return f"Tasks are chosen, {supplies}"
    return f"Round {position.round} of {rounds}, planning, {supplies}"


def _round_lines(position: Any, components: Mapping[str, Any]) -> list[str]:
    """Return a table of the rounds' cards and edifices (A2), with the current round marked."""
    guilds = {card["id"]: card["guilds"] for card in components["round_cards"]}
    points = {edifice["id"]: edifice["points"] for edifice in components["edifices"]}
    rows: Rows = [("Round", "card", "B", "D", "F", "edifice", "points")]
    for number, (card, edifice) in enumerate(zip(position.round_cards, position.edifices, strict=True), 1):
        mark = "> " if number == max(position.round, 1) and not position.over else ""
        rows.append((f"{mark}{number}", card, *(guilds[card][step] for step in "BDF"), edifice, points[edifice]))
    return _aligned(rows, range(1, 6))


def _city_lines(position: Any, components: Mapping[str, Any]) -> list[list[str]]:
    city = city_of(components)
    letter = _letters(components)
    key = [
        "City (letter of the guild and price, [seat] of a member, # building site, + chapel, o chapel site)",
        f"Letters: {', '.join(f'{mark} {guild}' for guild, mark in letter.items())}",
    ]
    mark_of = {cell: f"{letter[guild]}{city.prices[cell]}" for cell, guild in city.guilds.items()}
    mark_of |= {cell: f"{mark_of[cell]}[{seat}]" for cell, seat in position.members.items()}
    mark_of |= {cell: position.built.get(cell, "#") for cell in city.sites}
    rows = [[mark_of[column, row] for column in range(1, city.columns + 1)] for row in range(1, city.rows + 1)]
    width = 1 + max(5, *(len(mark) for marks in rows for mark in marks))
    lines = ["   " + "".join(f"{column_name(column):^{width}}" for column in range(1, city.columns + 1)).rstrip()]
    for row, marks in enumerate(rows, 1):
        lines.append(f"{row:>2} " + "".join(f"{mark:^{width}}" for mark in marks).rstrip())
        corners = {x: "+" if (x, y) in position.chapels else "o" for x, y in city.chapel_sites if y == row}
        chapels = "".join(f"{corners.get(column, ' '):>{width}}" for column in range(1, city.columns)).rstrip()
        lines.append(f"   {chapels}")
    return [key, lines[:-1]]  # no corner is below the last row


def _letters(components: Mapping[str, Any]) -> dict[str, str]:
    return {guild: mark for mark, guild in components["guilds"]["letters"].items()}


def _council_lines(position: Any, components: Mapping[str, Any]) -> list[str]:
    holders = ((chair, position.council[chair]) for chair in components["council"]["seats"])
    chairs = ", ".join(f"{chair} {'-' if seat is None else seat}" for chair, seat in holders)
    queue = ", ".join(map(str, position.queue))
    return [f"Council: {chairs}", *([f"Bids to come, in this order: {queue}"] if queue else [])]


def _seat_lines(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    letter = _letters(components)
    rows: Rows = [("Seat", "agent", "prestige", "coins", "privileges", "deck", "stacks", "bid", "goods")]
    for seat, name in enumerate(names):
        counts = position.goods[seat]
        owned = [f"{count}{letter[guild]}" for guild, count in (counts or {}).items() if count]
        goods = "?" if counts is None else " ".join(owned) or "-"
        money = ("?" if amounts[seat] is None else amounts[seat] for amounts in (position.coins, position.privileges))
        sizes, bid = _cards(position.stack_sizes[seat]), position.bids[seat]
        shown_bid = f"{stack_name(bid)} = {sum(bid)}" if bid else "-"
        rows.append((seat, name, position.prestige[seat], *money, position.decks[seat], sizes, shown_bid, goods))
    return _aligned(rows, (1, 6, 7, 8))


def _card_lines(position: Any) -> list[str]:
    """Return a table of the cards that all seats have seen (A11, F9.2), or [] if there are no such cards yet."""
    rows: Rows = [("Seat", "under the deck, the next one first", "turned over this round", "lost for good")]
    for seat, under in enumerate(position.under):
        rows.append((seat, " ".join(map(str, under)) or "-", _cards(position.shown[seat]), _cards(position.lost[seat])))
    return _aligned(rows, (1, 2, 3)) if any(set(row[1:]) != {"-"} for row in rows[1:]) else []


def _cards(cards: Iterable[int]) -> str:
    """Format cards, or sizes of stacks, in descending order, equal ones together: 66 5 333."""
    return " ".join(str(value) * number for value, number in sorted(Counter(cards).items(), reverse=True)) or "-"


def _own_lines(view: Any) -> list[list[str]]:
    conditions, points = task_names(view.components, view.players), _points(view.components)
    tasks: Rows = [(" ", task, conditions[task], points[task], "points") for task in view.kept or view.dealt]
    stacks = ", ".join(map(stack_name, view.stacks.values())) or "none"
    lines = [f"Your stacks: {stacks}; in your deck, in unknown order: {_cards(view.deck)}"]
    if view.hand or view.pile:
        hand, pile = stack_name(view.hand) or "empty", stack_name(view.pile) or "none"
        lines.append(f"Your hand: {hand}; stack under construction: {pile}")
    return [["Your tasks", *(_aligned(tasks, (1, 2)) if tasks else [])], lines]


def _points(components: Mapping[str, Any]) -> dict[str, int]:
    return {task["id"]: task["points"] for task in components["tasks"]}


class _Final(FullTable):
    """The table of the reference, filled from the View of a finished game, for `score`."""

    def __init__(self, view: Any) -> None:
        self.read(view.components)
        for name in ("players", "council", "members", "chapels", "built", "prestige", "coins", "privileges"):
            setattr(self, name, getattr(view, name))
        self.kept = view.tasks


def _score_lines(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> list[list[str]]:
    final = position if isinstance(position, FullTable) else _Final(position)
    end = score(final)
    sources: Rows = [("Seat", "agent", *SOURCES)]
    sources += [(seat, name, *(end[source][seat] for source in SOURCES)) for seat, name in enumerate(names)]
    conditions, points = task_names(components, final.players), _points(components)
    penalty = components["tasks_meta"]["penalty_unfulfilled"]
    tasks: Rows = [("Seat", "task", "asks for", "fulfilled", "points")]
    for seat, kept in enumerate(final.kept):
        for task in kept or ():
            result = ("yes", points[task]) if task in end["fulfilled"][seat] else ("no", -penalty)
            tasks.append((seat, task, conditions[task], *result))
    return [_aligned(sources, (1,)), _aligned(tasks, (1, 2, 3))]

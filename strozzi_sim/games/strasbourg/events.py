"""Strasbourg's journal: the kinds of events, and their translation to the lines of a record.

A row is (kind, a, b, c, d, e); the comments below define a..e. Cards, rounds, tasks and sites count from 0 in the order
of the component file, cells and building sites row by row. A `plan` line is written when its stack sizes are public.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import Verb, by_seat, capitalized, seat_name, verb_of, winners_sentence
from strozzi_sim.games.strasbourg.geometry import City, read_city
from strozzi_sim.games.strasbourg.state import CARD_BITS, CARD_MASK, MAX_VALUE, NOBODY, SPLIT, STEPS
from strozzi_sim.games.strasbourg.tasks import task_texts

SETUP = 1  #    round, round card, edifice, start player of the game
TASK = 2  #     seat, task, 1 = kept                    one for each task dealt
KEPT = 3  #     seat                                    after these
ROUND = 4  #    round, start player
DRAWN = 5  #    seat, value, 1 = from under the deck
STACK = 6  #    seat, bag                               one for each stack, greatest first, then:
PLAN = 7  #     seat, number of stacks
STEP = 8  #     step, start player, guild or NOBODY
BID = 9  #      seat, bag (0 = pass), 1 = the seat had a choice
DEFER = 10  #   seat
CHAIR = 11  #   seat, chair of the council, its former holder or NOBODY
GOOD = 12  #    seat, guild
PLACED = 13  #  seat, cell, price
SOLD = 14  #    seat, guild, number, coins              one for each guild, then:
SALE = 15  #    seat, coins
DECLINE = 16  # seat
RETURNED = 17  # seat, value, 1 = the seat had a choice
CHAPEL = 18  #  seat, chapel site or -1
EDIFICE = 19  # seat, edifice, building site or -1
PRESTIGE = 20  # seat, gained, privileges gained, prestige so far, privileges held
WEALTH = 21  #  seat, coins, goods, cards in the deck
POINTS = 22  #  seat, points of the council, city, chapels, edifices
FULFILLED = 23  # seat, task                            one for each, before:
TOTAL = 24  #   seat, points of privileges, of tasks, total, 1 = won or shared


class _Names:
    """The names behind the numbers in a journal."""

    def __init__(self, components: Mapping[str, Any]) -> None:
        self.city = city_of(components)
        self.guilds: list[str] = list(components["guilds"]["order"])
        self.chairs = ["nobility", "church", "merchants", *self.guilds]
        self.round_cards = [card["id"] for card in components["round_cards"]]
        self.edifices = [edifice["id"] for edifice in components["edifices"]]
        self.tasks = [task["id"] for task in components["tasks"]]


class _Block:
    """A block of component data, with attribute access."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.__dict__.update(data)


def city_of(components: Mapping[str, Any]) -> City:
    """Return the map of plain component data."""
    return read_city(_Block(components["city"]), components["guilds"]["letters"], "city")


def cards_of(bag: int) -> list[int]:
    """Return the cards of a bag, highest first, as in a record."""
    values = range(MAX_VALUE, 0, -1)
    return [value for value in values for _ in range(bag >> CARD_BITS * (value - 1) & CARD_MASK)]


def to_lines(rows: Any, components: dict[str, Any], players: int) -> Iterator[dict[str, Any]]:
    """Yield the record lines of one game, without the header, from its journal rows int32[events, WIDTH]."""
    names = _Names(components)
    journal: list[Any] = rows.tolist()
    setup = [row for row in journal if row[0] == SETUP]
    if setup:
        yield {
            "type": "setup",
            "round_cards": [names.round_cards[row[2]] for row in setup],
            "edifices": [names.edifices[row[3]] for row in setup],
            "start_player": setup[0][4],
        }
    writer = _LineWriter(names, players)
    for row in journal:
        yield from writer.lines_of(*row)


def begun(rows: Any, state: Any) -> Iterator[dict[str, Any]]:
    """Yield this round's `plan` lines that are not in the record yet, as far as known.

    A list is incomplete, a tuple complete.
    """
    drawn: dict[int, list[int]] = {}
    for kind, a, b, *_ in rows.tolist():
        if kind == ROUND:
            drawn = {seat: [] for seat in range(int(state["players"])) if int(state["planned"]) >> seat & 1}
        elif kind == DRAWN:
            drawn.setdefault(a, []).append(b)
        elif kind == PLAN:
            drawn.pop(a, None)
    for seat, cards in drawn.items():
        line: dict[str, Any] = {"type": "plan", "player": seat, "drawn": cards}
        bags = [int(bag) for bag in state["stacks"][seat]][: int(state["stack_count"][seat]) + 1]
        stacks = tuple(tuple(cards_of(bag)) for bag in bags[: int(state["stack_count"][seat])])
        if int(state["planned"]) >> seat & 1:
            line |= {"drawn": tuple(cards), "stacks": stacks}
        elif int(state["phase"]) == SPLIT:
            line |= {"drawn": tuple(cards), "stacks": [*stacks, cards_of(bags[-1])] if bags[-1] else [*stacks]}
        yield line


class _LineWriter:
    """Conversion of rows to lines; some lines take several rows."""

    def __init__(self, names: _Names, players: int) -> None:
        self.names, self.players = names, players
        self.dealt: list[str] = []
        self.kept: list[str] = []
        self.drawn: dict[int, list[int]] = {}
        self.stacks: list[list[int]] = []
        self.sold: dict[str, int] = {}
        self.columns: dict[str, list[Any]] = {}
        self.fulfilled: dict[int, list[str]] = {}
        self.round = 0

    def lines_of(self, kind: int, a: int, b: int, c: int, d: int, e: int) -> Iterator[dict[str, Any]]:
        """Yield the lines that this row completes."""
        names = self.names
        if kind == TASK:
            self.dealt.append(names.tasks[b])
            self.kept += [names.tasks[b]] * c
        elif kind == KEPT:
            yield {"type": "keep_tasks", "player": a, "dealt": self.dealt, "tasks": self.kept}
            self.dealt, self.kept = [], []
        elif kind == ROUND:
            self.round = a + 1
            yield {"type": "round", "round": self.round, "start_player": b}
        elif kind == DRAWN:
            self.drawn.setdefault(a, []).append(b)
        elif kind == STACK:
            self.stacks.append(cards_of(b))
        elif kind == PLAN:
            yield {"type": "plan", "player": a, "drawn": self.drawn.pop(a, []), "stacks": self.stacks}
            self.stacks = []
        elif kind == STEP:
            guild = None if c == NOBODY else names.guilds[c]
            yield {"type": "step", "step": STEPS[a], "start_player": b, "guild": guild}
        elif kind == BID:
            yield {"type": "bid", "player": a, "stack": cards_of(b) or None}
        elif kind == DEFER:
            yield {"type": "defer", "player": a}
        elif kind in (CHAIR, GOOD, PLACED, SOLD, SALE, DECLINE):
            yield from self._act(kind, a, b, c, d)
        elif kind == RETURNED:
            yield {"type": "return_card", "player": a, "card": b}
        elif kind == CHAPEL:
            yield {"type": "chapel", "player": a, "site": None if b < 0 else list(names.city.chapel_sites[b])}
        elif kind == EDIFICE:
            site = None if c < 0 else list(names.city.sites[c])
            yield {"type": "edifice", "player": a, "edifice": names.edifices[b], "site": site}
        else:
            yield from self._score(kind, a, b, c, d, e)

    def _act(self, kind: int, a: int, b: int, c: int, d: int) -> Iterator[dict[str, Any]]:
        names, line = self.names, {"type": "act", "player": a}
        if kind == CHAIR:
            yield {**line, "action": "seat", "seat": names.chairs[b], "replaces": None if c == NOBODY else c}
        elif kind == GOOD:
            yield {**line, "action": "good", "guild": names.guilds[b]}
        elif kind == PLACED:
            yield {**line, "action": "place", "space": list(names.city.cell(b)), "price": c}
        elif kind == SOLD:
            self.sold[names.guilds[b]] = c
        elif kind == SALE:
            yield {**line, "action": "sell", "goods": self.sold, "coins": b}
            self.sold = {}
        else:
            yield {**line, "action": "decline"}

    def _score(self, kind: int, a: int, b: int, c: int, d: int, e: int) -> Iterator[dict[str, Any]]:
        """Yield the lines with one entry per seat; the last seat's row completes them."""
        if kind == PRESTIGE:
            self._note(prestige=b, privileges=c, total=d, held=e)
        elif kind == WEALTH:
            self._note(coins=b, goods=c, deck=d)
            if a == self.players - 1:
                yield {"type": "council", "round": self.round, **self.columns}
                self.columns = {}
        elif kind == POINTS:
            self._note(council=b, city=c, chapels=d, edifices=e)
        elif kind == FULFILLED:
            self.fulfilled.setdefault(a, []).append(self.names.tasks[b])
        elif kind == TOTAL:
            self._note(privileges=b, tasks=c, fulfilled=self.fulfilled.get(a, []), total=d, won=e)
            if a == self.players - 1:
                won = self.columns.pop("won")
                yield {
                    "type": "score_end",
                    **self.columns,
                    "winners": [seat for seat in range(self.players) if won[seat]],
                }
                self.columns = {}

    def _note(self, **numbers: Any) -> None:
        for name, number in numbers.items():
            self.columns.setdefault(name, []).append(number)


def visible(line: dict[str, Any], components: Mapping[str, Any], viewer: int) -> dict[str, Any]:
    """Return the line as `viewer` may see it (F9): without the tasks, cards and stacks of others.

    `sizes` has the sizes of their stacks, greatest first, since the order of stacks ranks them by content. With
    `hide_money` others' coins, goods and privileges are None.
    """
    kind = line["type"]
    if kind == "keep_tasks" and line["player"] != viewer:
        return {**line, "dealt": None, "tasks": None}
    if kind == "plan" and line["player"] != viewer:
        sizes = sorted(map(len, line["stacks"]), reverse=True)
        return {**line, "drawn": None, "stacks": None, "sizes": sizes}
    if kind == "council" and components["switches"]["hide_money"]:
        own = {
            name: [amount if seat == viewer else None for seat, amount in enumerate(line[name])]
            for name in ("held", "coins", "goods")
        }
        return {**line, **own}
    return line


def column_name(column: int) -> str:
    """Return the letters of a column of the map, counted from 1: a .. z, aa, ab, .."""
    before, last = divmod(column - 1, 26)
    return (column_name(before) if before else "") + chr(ord("a") + last)


def space_name(cell: Sequence[int] | None) -> str:
    """Return the name of a cell: column letter and row number, c4."""
    return "none" if cell is None else f"{column_name(cell[0])}{cell[1]}"


def corner_name(cell: Sequence[int]) -> str:
    """Return the name of a chapel site: the cells to its upper left and its lower right, c4d5."""
    return f"{space_name(cell)}{space_name((cell[0] + 1, cell[1] + 1))}"


def stack_name(stack: Sequence[int]) -> str:
    """Format a stack: 6+1."""
    return "+".join(map(str, stack))


_ABOUT = {
    "A": "nobility and church", "C": "sale of goods", "E": "sale of goods", "G": "sale and merchants' seat",
    "H": "chapel", "I": "edifice",
}  # fmt: skip


_CHAIRS = {"nobility": "the nobility seat", "church": "the church seat", "merchants": "the merchants' seat"}


def step_words(step: str, guild: str | None) -> str:
    """Return a step with its subject: B (the smiths)."""
    return f"{step} ({_ABOUT.get(step) or f'the {guild}s'})"


def describe(line: Mapping[str, Any], names: Sequence[str], components: Mapping[str, Any]) -> str:
    """Format one line of a record as text; `names` are the agents by seat."""
    if "player" in line:
        seat = line["player"]
        does = verb_of(names, seat)
        deed = _deed(line, does, names) if line["type"] == "act" else _choice(line, does, len(names), components)
        return capitalized(f"{seat_name(names, seat)} {deed}.")
    kind, who = line["type"], [seat_name(names, seat) for seat in range(len(names))]
    if kind == "setup":
        return f"Round cards {', '.join(line['round_cards'])}; edifices {', '.join(line['edifices'])}."
    if kind == "round":
        start = line["start_player"]
        return f"Round {line['round']} begins; {who[start]} {verb_of(names, start)('starts')}."
    if kind == "step":
        return f"Step {step_words(line['step'], line['guild'])}."
    if kind == "council":
        columns = {"prestige": line["prestige"], "now": line["total"], "privileges": line["privileges"]}
        return by_seat("The council gives", who, columns)
    if kind == "score_end":
        winners = winners_sentence([who[seat] for seat in line["winners"]])
        return f"{by_seat('The game ends.', who, {'points': line['total']})}\n{winners}"
    return str(dict(line))


def _listed(things: Iterable[Any]) -> str:
    return ", ".join(map(str, things)) or "nothing"


def _choice(line: Mapping[str, Any], does: Verb, players: int, components: Mapping[str, Any]) -> str:
    """Return the predicate of a sentence about a seat's choice; `_deed` has the actions in a step."""
    kind = line["type"]
    if kind == "keep_tasks":
        conditions = task_texts(components, players)
        tasks = (
            None
            if line["tasks"] is None
            else [f"{task} ({conditions[task]})" for task in line["tasks"] if task in conditions]
        )
        return f"{does('keeps')} {'some tasks' if tasks is None else ', '.join(tasks)}"
    if kind == "plan":
        return _plan_words(line, does)
    if kind == "bid":
        stack = line["stack"]
        return does("passes") if stack is None else f"{does('turns')} over {stack_name(stack)}: {sum(stack)}"
    if kind == "defer":
        return f"{does('pays')} a privilege and {does('waits')}"
    if kind == "return_card":
        return f"{does('puts')} a {line['card']} under the deck"
    site = line["site"]
    if kind == "chapel":
        return f"{does('builds')} {'no chapel' if site is None else 'a chapel at ' + corner_name(site)}"
    return f"{does('builds')} {line['edifice'] + ' at ' + space_name(site) if site else 'no edifice'}"


def _plan_words(line: Mapping[str, Any], does: Verb) -> str:
    stacks = line["stacks"]
    if stacks is not None:
        made = ", ".join(map(stack_name, stacks)) or "no stacks"
        return f"{does('draws')} {_listed(line['drawn'])} and {does('makes')} {made}"
    sizes = line["sizes"]
    if len(set(sizes)) > 1:
        return f"{does('has')} {len(sizes)} stacks, of {_listed(sizes)} cards"
    if not sizes:
        return f"{does('has')} no stacks"
    cards = pluralize(sizes[0], "card")
    return f"{does('has')} " + (f"a stack of {cards}" if len(sizes) == 1 else f"{len(sizes)} stacks of {cards} each")


def _deed(line: Mapping[str, Any], does: Verb, names: Sequence[str]) -> str:
    action = line["action"]
    if action == "seat":
        chair, held = line["seat"], line["replaces"]
        seat = _CHAIRS.get(chair, f"the {chair}s' seat")
        if held == line["player"]:
            return f"{does('keeps')} {seat}"
        return f"{does('takes')} {seat}" + ("" if held is None else f" from {seat_name(names, held)}")
    if action == "good":
        return f"{does('takes')} a good of the {line['guild']}s"
    if action == "place":
        return f"{does('places')} a member at {space_name(line['space'])} for {pluralize(line['price'], 'coin')}"
    if action == "sell":
        goods = ", ".join(f"{number} {guild}" for guild, number in line["goods"].items())
        return f"{does('sells')} {goods} for {pluralize(line['coins'], 'coin')}"
    return f"{does('does')} no more"

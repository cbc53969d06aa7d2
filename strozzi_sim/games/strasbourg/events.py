"""Strasbourg's events: the journal, the lines of a record, and their text.

In the journal rounds count from 0; round cards, edifices, tasks and chapel sites from 0 in the order of the component
file, cells and building sites from 0 row by row. A `plan` line is written when the sizes of its stacks become public.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.events import (
    Components,
    Event,
    Events,
    Line,
    Rows,
    Say,
    converted,
    final_text,
    number,
    one_of,
    seat,
    unrecorded,
)
from strozzi_sim.games.strasbourg.geometry import Cell, City, city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.state import CARD_BITS, CARD_MASK, LORDS, MAX_VALUE, NOBODY, SPLIT, STEPS
from strozzi_sim.games.strasbourg.tasks import task_texts


def cards_of(bag: int) -> list[int]:
    """Return the cards of a bag, highest first, as in a record."""
    values = range(MAX_VALUE, 0, -1)
    return [value for value in values for _ in range(bag >> CARD_BITS * (value - 1) & CARD_MASK)]


def stack_name(stack: Sequence[int]) -> str:
    """Return a stack as text: 6+1."""
    return "+".join(map(str, stack))


STEP_SUBJECTS = {"A": "nobility and church", "C": "sale of goods", "E": "sale of goods"}
STEP_SUBJECTS |= {"G": "sale and merchants' seat", "H": "chapel", "I": "edifice"}
_CHAIRS = {"nobility": "the nobility seat", "church": "the church seat", "merchants": "the merchants' seat"}


def step_words(step: str, guild: str | None) -> str:
    """Return a step with its subject as text: B (the smiths)."""
    return f"{step} ({STEP_SUBJECTS.get(step) or f'the {guild}s'})"


def ids_of(block: str) -> Callable[[Components], list[str]]:
    """Return a function of component data that returns the ids of the list `block`, such as "tasks"."""
    return lambda components: [entry["id"] for entry in components[block]]


def _guilds(components: Components) -> list[str]:
    return list(components["guilds"]["order"])


def chairs_of(components: Components) -> list[str]:
    """Return the names of the council seats, in the order of `council` in the state."""
    return [*LORDS, *_guilds(components)]


def _place(name: str, cells: Callable[[City, int], Cell]) -> Any:
    """Return a field for a place: [column, row], which `cells` finds by city and number; None below 0."""
    return converted(name, lambda k, components: None if k < 0 else list(cells(city_of(components), k)))


def _setup(rows: Rows, components: Components) -> Line:
    cards, edifices = ids_of("round_cards")(components), ids_of("edifices")(components)
    return {
        "round_cards": [cards[row[1]] for row in rows["laid"]],
        "edifices": [edifices[row[2]] for row in rows["laid"]],
        "start_player": rows["setup"][0][0],
    }


def _kept_tasks(rows: Rows, components: Components) -> Line:
    tasks = ids_of("tasks")(components)
    return {
        "dealt": [tasks[task] for _, task, *_ in rows["task"]],
        "tasks": [tasks[task] for _, task, kept, *_ in rows["task"] if kept],
    }


def _plan(rows: Rows, components: Components) -> Line:
    player = rows["plan"][-1][0]
    return {
        "drawn": [row[1] for row in rows["drawn"] if row[0] == player],
        "stacks": [cards_of(row[1]) for row in rows["stack"] if row[0] == player],
    }


def _sale(rows: Rows, components: Components) -> Line:
    goods = {_guilds(components)[guild]: sold for _, guild, sold, *_ in rows["sold"]}
    return {"goods": goods, "coins": rows["sell"][-1][1]}


def _columns(rows: Sequence[Sequence[int]], *names: str) -> Line:
    """Return columns of rows, one row per seat, as lists by name; `names` are those of the second column on."""
    return {name: [row[k] for row in rows] for k, name in enumerate(names, 1)}


def _council(rows: Rows, components: Components) -> Line:
    prestige = _columns(rows["prestige"], "prestige", "privileges", "total", "held")
    return {"round": rows["round"][-1][0] + 1, **prestige, **_columns(rows["council"], "coins", "goods", "deck")}


def _score_end(rows: Rows, components: Components) -> Line:
    tasks, ends = ids_of("tasks")(components), rows["score_end"]
    fulfilled = [[tasks[task] for other, task, *_ in rows["fulfilled"] if other == player] for player, *_ in ends]
    points = _columns(rows["points"], "council", "city", "chapels", "edifices") | _columns(ends, "privileges", "tasks")
    winners = [player for player, *_, won in ends if won]
    return points | {"fulfilled": fulfilled, "total": [end[3] for end in ends], "winners": winners}


def _hide_tasks(line: Line, components: Components, viewer: int) -> Line:
    return {**line, "dealt": None, "tasks": None}


def _hide_plan(line: Line, components: Components, viewer: int) -> Line:
    """Return the line with only the sizes of stacks, greatest first: the order of `stacks` ranks them by content."""
    return {**line, "drawn": None, "stacks": None, "sizes": sorted(map(len, line["stacks"]), reverse=True)}


def _hide_money(line: Line, components: Components, viewer: int) -> Line:
    """Return the line; with the switch `hide_money`, without the coins, goods and privileges that other seats hold."""
    if not components["switches"]["hide_money"]:
        return line
    hidden = ("held", "coins", "goods")
    return line | {name: [amount if k == viewer else None for k, amount in enumerate(line[name])] for name in hidden}


def _listed(things: Iterable[Any]) -> str:
    return ", ".join(map(str, things)) or "nothing"


def _tasks_text(line: Mapping[str, Any], say: Say) -> str:
    if line["tasks"] is None:
        return say("{player:keeps} some tasks.")
    conditions = task_texts(say.components, len(say.who))
    tasks = [f"{task} ({conditions[task]})" for task in line["tasks"] if task in conditions]
    return say("{player:keeps} {kept}.", kept=", ".join(tasks))


def _plan_text(line: Mapping[str, Any], say: Say) -> str:
    if line["stacks"] is not None:
        stacks = ", ".join(map(stack_name, line["stacks"])) or "no stacks"
        return say("{player:draws} {cards} and {does:makes} {made}.", cards=_listed(line["drawn"]), made=stacks)
    sizes = line["sizes"]
    if not sizes:
        return say("{player:has} no stacks.")
    if len(set(sizes)) > 1:
        return say("{player:has} {count} stacks, of {cards} cards.", count=len(sizes), cards=_listed(sizes))
    cards = pluralize(sizes[0], "card")
    stacks = f"a stack of {cards}" if len(sizes) == 1 else f"{len(sizes)} stacks of {cards} each"
    return say("{player:has} {made}.", made=stacks)


def _step_text(line: Mapping[str, Any], say: Say) -> str:
    return f"Step {step_words(line['step'], line['guild'])}."


def _bid_text(line: Mapping[str, Any], say: Say) -> str:
    if line["stack"] is None:
        return say("{player:passes}.")
    return say("{player:turns} over {cards}: {total}.", cards=stack_name(line["stack"]), total=sum(line["stack"]))


def _chair_text(line: Mapping[str, Any], say: Say) -> str:
    chair, replaced = line["seat"], line["replaces"]
    name = _CHAIRS.get(chair, f"the {chair}s' seat")
    if replaced == line["player"]:
        return say("{player:keeps} {name}.", name=name)
    source = "" if replaced is None else f" from {say.who[replaced]}"
    return say("{player:takes} {name}{source}.", name=name, source=source)


def _space_text(line: Mapping[str, Any], say: Say) -> str:
    return say("{player:places} a member at {at} for {price:coin}.", at=space_name(line["space"]))


def _sale_text(line: Mapping[str, Any], say: Say) -> str:
    sold = ", ".join(f"{count} {guild}" for guild, count in line["goods"].items())
    return say("{player:sells} {sold} for {paid}.", sold=sold, paid=pluralize(line["coins"], "coin"))


def _chapel_text(line: Mapping[str, Any], say: Say) -> str:
    chapel = f"a chapel at {corner_name(line['site'])}" if line["site"] else "no chapel"
    return say("{player:builds} {chapel}.", chapel=chapel)


def _edifice_text(line: Mapping[str, Any], say: Say) -> str:
    built = f"{line['edifice']} at {space_name(line['site'])}" if line["site"] else "no edifice"
    return say("{player:builds} {built}.", built=built)


def _council_text(line: Mapping[str, Any], say: Say) -> str:
    columns = {"prestige": line["prestige"], "now": line["total"], "privileges": line["privileges"]}
    return say.table("The council gives", columns)


_GUILD, _STEP = one_of("guild", _guilds), one_of("step", lambda components: STEPS)
_GUILD_OF_STEP = converted("guild", lambda k, components: None if k == NOBODY else _guilds(components)[k])
_REPLACED = converted("replaces", lambda k, components: None if k == NOBODY else k)
_BUILT = (one_of("edifice", ids_of("edifices")), _place("site", lambda city, k: city.sites[k]))
_END = ("player", "privileges", "tasks", "total", "won")
EVENTS = Events(
    Event("laid", ("round", "round_card", "edifice"), recorded=False),  # one per round, before `setup`
    Event("setup", (unrecorded("start_player"),), "Round cards {round_cards}; edifices {edifices}.", make=_setup),
    Event("task", ("player", "task", "kept"), recorded=False),  # one per task dealt, before `keep_tasks`
    Event("keep_tasks", ("player",), _tasks_text, make=_kept_tasks, hide=_hide_tasks),
    Event("round", (number("round", offset=1), seat("start_player")), "Round {round} begins; {start_player:starts}."),
    Event("drawn", ("player", "value", "from_under"), recorded=False),
    Event("stack", ("player", "bag"), recorded=False),  # one per stack, greatest first, before `plan`
    Event("plan", ("player", unrecorded("stacks")), _plan_text, make=_plan, since=("round",), hide=_hide_plan),
    Event("step", (_STEP, seat("start_player"), _GUILD_OF_STEP), _step_text),
    Event("bid", ("player", converted("stack", lambda bag, components: cards_of(bag) or None)), _bid_text),  # 0 = pass
    Event("defer", ("player",), "{player:pays} a privilege and {does:waits}."),
    Event("seat", ("player", one_of("seat", chairs_of), _REPLACED), _chair_text, of="act"),
    Event("good", ("player", _GUILD), "{player:takes} a good of the {guild}s.", of="act"),
    Event("place", ("player", _place("space", City.cell), "price"), _space_text, of="act"),
    Event("sold", ("player", "guild", "number", "coins"), recorded=False),  # one per guild with a sale, before `sell`
    Event("sell", ("player", unrecorded("coins")), _sale_text, make=_sale, of="act"),
    Event("decline", ("player",), "{player:does} no more.", of="act"),
    Event("return_card", ("player", "card"), "{player:puts} a {card} under the deck."),
    Event("chapel", ("player", _place("site", lambda city, k: city.chapel_sites[k])), _chapel_text),
    Event("edifice", ("player", *_BUILT), _edifice_text),
    Event("prestige", ("player", "gained", "privileges", "total", "held"), recorded=False),
    Event(
        "council", ("player", "coins", "goods", "deck"), _council_text, by_seat=True, make=_council, hide=_hide_money
    ),
    Event("points", ("player", "council", "city", "chapels", "edifices"), recorded=False),
    Event("fulfilled", ("player", "task"), recorded=False),  # one per fulfilled task, before `score_end`
    Event("score_end", _END, final_text("points"), by_seat=True, make=_score_end),
)
LAID, SETUP, TASK, KEPT, ROUND, DRAWN, STACK, PLAN, STEP, BID, DEFER, CHAIR, GOOD, PLACED = EVENTS.kinds[:14]
SOLD, SALE, DECLINE, RETURNED, CHAPEL, EDIFICE, PRESTIGE, WEALTH, POINTS, FULFILLED, TOTAL = EVENTS.kinds[14:]


def begun(rows: Any, state: Any) -> Iterator[Line]:
    """Yield the `plan` lines of this round that are not written yet; a list may be incomplete, a tuple is complete."""
    planned = int(state["planned"])
    drawn: dict[int, list[int]] = {}
    for kind, a, b, *_ in rows.tolist():
        if kind == ROUND:
            drawn = {player: [] for player in range(int(state["players"])) if planned >> player & 1}
        elif kind == DRAWN:
            drawn.setdefault(a, []).append(b)
        elif kind == PLAN:
            drawn.pop(a, None)
    for player, cards in drawn.items():
        line: Line = {"type": "plan", "player": player, "drawn": cards}
        count = int(state["stack_count"][player])
        bags = [tuple(cards_of(int(bag))) for bag in state["stacks"][player][: count + 1]]
        if planned >> player & 1:
            line |= {"drawn": tuple(cards), "stacks": tuple(bags[:count])}
        elif int(state["phase"]) == SPLIT:
            line |= {"drawn": tuple(cards), "stacks": [*bags[:count], *map(list, filter(None, bags[count:]))]}
        yield line

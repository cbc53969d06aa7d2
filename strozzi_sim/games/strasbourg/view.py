"""What a seat may know of a game of Strasbourg: the read-only View, actions by name, and the board in text.

`conceal`, `determinize`, `seen_action` are made in `knowledge.py`, `imagine` in `imagining.py`, `observe` in `observation.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import cards_of, city_of, space_name, stack_name
from strozzi_sim.games.strasbourg.geometry import Cell
from strozzi_sim.games.strasbourg.imagining import imagine
from strozzi_sim.games.strasbourg.knowledge import conceal, determinize, seen_action
from strozzi_sim.games.strasbourg.observation import OBSERVATION, SLICES, observe
from strozzi_sim.games.strasbourg.tasks import task_names

__all__ = [
    "OBSERVATION", "SLICES", "View", "action_name", "conceal", "determinize", "imagine", "observe", "question", "render",
    "seen_action", "view_of",
]  # fmt: skip


@dataclass(frozen=True)
class View:
    """A position as a seat sees it. Seats count from 0; spaces, sites and corners are (column, row), both from 1.

    Attributes:
        seat: who looks. players: number of seats. over: whether the game has ended.
        actor: the seat that must decide, as far as this seat can tell; while others plan, the next one that may be asked.
        round: from 1. step: "A" to "I", None while tasks are chosen and stacks are planned. guild: the one in question, or None.
        start_player: who holds the marker.
        round_cards, edifices: ids in the order of the rounds.
        council: name of a chair -> the seat whose member sits there, or None.
        members: city space -> seat. chapels: corners with a chapel. chapels_left: in the pool. built: building site -> edifice.
        prestige, coins, privileges: for each seat; None = unknown. goods: for each seat guild -> number, or None = unknown.
        decks: for each seat the size of its deck. under: the cards under it, the next one first.
        lost: for each seat the cards that were turned over and left the game. shown: those turned over this round.
        bids: for each seat the stack turned over in this step, or None. queue: the seats that have not decided, in order.
        stack_sizes: for each seat the sizes of its hidden stacks, greatest first.
        stacks: the own hidden stacks by their numbers. hand: own cards drawn and on no stack yet.
        pile: the own stack under construction. deck: the own cards left of the first shuffle, in no telling order.
        dealt, kept: ids of the own tasks.
        scores: for each seat the points so far.
        components: the component data of the variant, as in components.toml.
    """

    seat: int
    players: int
    over: bool
    actor: int
    round: int
    step: str | None
    guild: str | None
    start_player: int
    round_cards: tuple[str, ...]
    edifices: tuple[str, ...]
    council: Mapping[str, int | None]
    members: Mapping[Cell, int]
    chapels: tuple[Cell, ...]
    chapels_left: int
    built: Mapping[Cell, str]
    prestige: tuple[int, ...]
    coins: tuple[int | None, ...]
    privileges: tuple[int | None, ...]
    goods: tuple[Mapping[str, int] | None, ...]
    decks: tuple[int, ...]
    under: tuple[tuple[int, ...], ...]
    lost: tuple[tuple[int, ...], ...]
    shown: tuple[tuple[int, ...], ...]
    bids: tuple[tuple[int, ...] | None, ...]
    queue: tuple[int, ...]
    stack_sizes: tuple[tuple[int, ...], ...]
    stacks: Mapping[int, tuple[int, ...]]
    hand: tuple[int, ...]
    pile: tuple[int, ...]
    deck: tuple[int, ...]
    dealt: tuple[str, ...]
    kept: tuple[str, ...]
    scores: tuple[int, ...]
    components: Mapping[str, Any] = field(repr=False, compare=False)


def view_of(state: Any, components: Mapping[str, Any], seat: int) -> View:
    """The View of `seat` on a row of concealed states; it keeps `components`."""
    state = {name: state[name].tolist() for name in state.dtype.names}  # plain numbers and lists are quick to read
    players, phase, actor = state["players"], state["phase"], state["actor"]
    seats = range(players)
    city, guilds = city_of(components), components["guilds"]["order"]
    tasks = [task["id"] for task in components["tasks"]]
    rounds = len(components["round_cards"])
    chairs = ["nobility", "church", "merchants", *guilds]
    edifices = [edifice["id"] for edifice in components["edifices"]]
    unknown = [state["coins"][other] == s.UNKNOWN_COINS for other in seats]
    planning = phase in (s.DRAW, s.SPLIT) and actor == seat

    def bags(name: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(cards_of(state[name][other])) for other in seats)

    hidden = [
        {
            k: state["stacks"][other][k]
            for k in range(state["stack_count"][other])
            if state["unused"][other] >> k & 1 or (planning and other == seat)  # closed, and not yet the whole plan
        }
        for other in seats
    ]
    pile = state["stacks"][seat][state["stack_count"][seat]] if planning and state["last_value"] else 0
    in_auction = phase in (s.BID,)
    return View(
        seat=seat,
        players=players,
        over=phase == s.OVER,
        actor=actor,
        round=state["round"] + 1,
        step=None if phase in (s.KEEP, s.DRAW, s.SPLIT, s.OVER) else s.STEPS[state["step"]],
        guild=None
        if state["guild"] == s.NOBODY or phase in (s.KEEP, s.DRAW, s.SPLIT, s.OVER)
        else guilds[state["guild"]],
        start_player=state["start_player"],
        round_cards=tuple(components["round_cards"][k]["id"] for k in state["round_card"][:rounds]),
        edifices=tuple(edifices[k] for k in state["round_edifice"][:rounds]),
        council={
            name: None if state["council"][chair] == s.NOBODY else state["council"][chair]
            for chair, name in enumerate(chairs)
        },
        members={
            cell: other for cell in city.guilds for other in seats if state["members"][other] >> city.number(cell) & 1
        },
        chapels=tuple(corner for k, corner in enumerate(city.chapel_sites) if not state["free_chapel_sites"] >> k & 1),
        chapels_left=state["chapels"],
        built={
            city.sites[site]: edifices[k]
            for k, site in enumerate(state["edifice_site"][: len(edifices)])
            if site != s.NO_SITE
        },
        prestige=tuple(state["prestige"][:players]),
        coins=tuple(None if unknown[other] else state["coins"][other] for other in seats),
        privileges=tuple(None if unknown[other] else state["privileges"][other] for other in seats),
        goods=tuple(
            None if unknown[other] else dict(zip(guilds, state["goods"][other], strict=False)) for other in seats
        ),
        decks=tuple(state["deck_left"][k] + state["under_left"][k] - state["under_taken"][k] for k in seats),
        under=tuple(tuple(state["under"][k][state["under_taken"][k] : state["under_left"][k]]) for k in seats),
        lost=bags("lost"),
        shown=bags("shown"),
        bids=tuple(tuple(cards_of(state["bid"][other])) or None for other in seats),
        queue=_queue(state) if in_auction else (),
        stack_sizes=tuple(tuple(sorted(map(_size, stacks.values()), reverse=True)) for stacks in hidden),
        stacks={k: tuple(cards_of(stack)) for k, stack in hidden[seat].items()},
        hand=tuple(cards_of(state["hand"])) if planning else (),
        pile=tuple(cards_of(pile)),
        deck=tuple(cards_of(state["deck"][seat])),
        dealt=tuple(task for k, task in enumerate(tasks) if state["dealt"][seat] >> k & 1),
        kept=tuple(task for k, task in enumerate(tasks) if state["kept"][seat] >> k & 1),
        scores=tuple(state["score"][:players]),
        components=components,
    )


def _size(stack: int) -> int:
    return stack - s.UNKNOWN_STACK if stack & s.UNKNOWN_STACK else len(cards_of(stack))


def _queue(state: Mapping[str, Any]) -> tuple[int, ...]:
    """The actor, then those who come after it."""
    rest = [state["queue"] >> 4 * k & 15 for k in range(state["undecided"].bit_count() - 1)]
    return (state["actor"], *rest)


# -- actions by name -------------------------------------------------------------------------------------------------

_WORDS = {
    s.STOP: "stop", s.DRAW_CARD: "draw", s.CLOSE: "stop", s.PASS: "pass", s.DEFER: "wait", s.NONE: "decline", s.SEAT: "seat",
    s.GOOD: "good",
}  # fmt: skip


def action_name(action: int, view: View) -> str:
    """An action in a word, as a person at the table would say it: the question tells what numbers mean."""
    if action in _WORDS:
        return _WORDS[action]
    if action < s.STOP:
        return str(action)
    if action < s.PASS:
        return str(action - s.ADD)
    if action < s.NONE:
        return stack_name(view.stacks[action - s.REVEAL])
    city = city_of(view.components)
    if action < s.SELL_GOODS:
        return space_name(city.cell(action - s.PLACE_ON))
    if action <= s.RETURN_CARD:
        return str(action - s.SELL_GOODS)
    if action < s.CHAPEL:
        return str(action - s.RETURN_CARD)
    return space_name(city.chapel_sites[action - s.CHAPEL] if action < s.EDIFICE else city.sites[action - s.EDIFICE])


def question(view: View, phase: int) -> str:
    """What the seat is asked, in words."""
    if phase == s.KEEP:
        tasks = ", ".join(f"{task} is {1 << k}" for k, task in enumerate(view.dealt))
        return f"Which tasks do you keep? Add up their numbers: {tasks}"
    if phase == s.DRAW:
        return f"You hold {stack_name(view.hand) or 'no card'}: draw another card, or stop?"
    if phase == s.SPLIT:
        return f"Your stack is {stack_name(view.pile)}, you hold {stack_name(view.hand)}: which card goes on the stack, or stop there?"
    if phase == s.BID:
        return f"Step {view.step}{' (' + view.guild + ')' if view.guild else ''}: turn over a stack, or pass?"
    if phase == s.TAKE_SEAT:
        return f"Do you take the seat of the {view.guild}s in the council?"
    if phase == s.TAKE_GOOD:
        return f"Do you take a good of the {view.guild}s?"
    if phase == s.PLACE:
        return f"Where in the city of the {view.guild}s do you place a member?"
    if phase == s.APPRENTICE:
        return f"A good of the {view.guild}s, or a member in the city?"
    if phase == s.SELL:
        return f"How many {view.guild} goods do you sell?"
    if phase == s.RETURN:
        return "Which card goes under your deck?"
    return (
        "Where do you build the chapel?" if phase == s.BUILD_CHAPEL else "Where do you build the edifice of this round?"
    )


# -- the board in text -------------------------------------------------------------------------------------------------


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """The board in text; `position` is a View, or the reference Game, which has the same attributes for all that is public."""
    lines = [_heading(position, components), ""]
    lines += [*_city_lines(position, components), ""]
    chairs = ", ".join(f"{chair} {'-' if seat is None else seat}" for chair, seat in position.council.items())
    lines += [f"Council: {chairs}", ""]
    longest = max(len(name) for name in names)
    lines.append(f"Seat {'agent':<{longest}}  prestige coins privileges deck  stacks    bid       goods")
    for seat, name in enumerate(names):
        own = position.goods[seat]
        goods = "?" if own is None else ", ".join(f"{number} {guild}" for guild, number in own.items() if number) or "-"
        coins, privileges = (
            "?" if many[seat] is None else many[seat] for many in (position.coins, position.privileges)
        )
        sizes, deck = _sizes_and_deck(position, seat)
        bid = stack_name(position.bids[seat] or ()) or "-"
        lines.append(
            f"{seat:>4} {name:<{longest}}  {position.prestige[seat]:>8} {coins:>5} {privileges:>10} {deck:>4}  "
            f"{' '.join(map(str, sizes)) or '-':<8}  {bid:<8}  {goods}"
        )
    if isinstance(position, View):
        lines += ["", *_own_lines(position)]
    return "\n".join(lines)


def _heading(position: Any, components: Mapping[str, Any]) -> str:
    rounds = len(components["round_cards"])
    if position.over:
        return f"The game is over after {rounds} rounds"
    if position.round == 0:
        return "Tasks are chosen"
    step = f", step {position.step}" if position.step else ""
    guild = f" ({position.guild})" if position.guild else ""
    points = {edifice["id"]: edifice["points"] for edifice in components["edifices"]}
    edifice = position.edifices[position.round - 1]
    return (
        f"Round {position.round} of {rounds}{step}{guild}, start player {position.start_player}, edifice {edifice} "
        f"for {points[edifice]} points"
    )


def _sizes_and_deck(position: Any, seat: int) -> tuple[list[int], int]:
    if isinstance(position, View):
        return list(position.stack_sizes[seat]), position.decks[seat]
    return sorted(map(len, position.hidden_stacks(seat)), reverse=True), position.deck_size(seat)


def _city_lines(position: Any, components: Mapping[str, Any]) -> list[str]:
    """The map: the guild's letter and the price of an empty space, the seat of a member, edifices, chapels on corners."""
    city = city_of(components)
    letter = {guild: mark for mark, guild in components["guilds"]["letters"].items()}
    lines = ["City (letter of the guild and price, seat in [], edifice; +: a chapel, o: a chapel site)"]
    lines.append("   " + "".join(f"{chr(ord('a') + column):^6}" for column in range(city.columns)).rstrip())
    for row in range(1, city.rows + 1):
        marks = []
        for column in range(1, city.columns + 1):
            cell = (column, row)
            if cell in position.members:
                marks.append(f"[{position.members[cell]}]")
            elif cell in city.guilds:
                marks.append(f"{letter[city.guilds[cell]]}{city.prices[cell]}")
            else:
                marks.append(position.built.get(cell, "#"))
        lines.append(f"{row:>2} " + "".join(f"{mark:^6}" for mark in marks).rstrip())
        corners = {
            corner[0]: "+" if corner in position.chapels else "o" for corner in city.chapel_sites if corner[1] == row
        }
        lines.append("   " + "".join(f"     {corners.get(column, ' ')}" for column in range(1, city.columns)).rstrip())
    return lines[:-1]


def _own_lines(view: View) -> list[str]:
    names = task_names(view.components)
    points = {task["id"]: task["points"] for task in view.components["tasks"]}
    lines = [
        f"Your tasks: {', '.join(f'{task} ({names[task]}, {points[task]} points)' for task in view.kept or view.dealt)}"
    ]
    stacks = ", ".join(map(stack_name, view.stacks.values())) or "none"
    lines.append(f"Your stacks: {stacks}; in your deck, in no order: {' '.join(map(str, view.deck)) or 'nothing'}")
    if view.hand or view.pile:
        lines.append(
            f"Your hand: {stack_name(view.hand) or 'empty'}; stack under construction: {stack_name(view.pile) or 'none'}"
        )
    return lines

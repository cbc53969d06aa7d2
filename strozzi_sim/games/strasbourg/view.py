"""A seat's knowledge of a game of Strasbourg: the read-only View, and actions and questions as text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import written_rules
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.board import render as render
from strozzi_sim.games.strasbourg.events import cards_of, chairs_of, stack_name, step_words
from strozzi_sim.games.strasbourg.geometry import Cell, city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.knowledge import conceal as conceal
from strozzi_sim.games.strasbourg.knowledge import determinize as determinize
from strozzi_sim.games.strasbourg.knowledge import seen_action as seen_action
from strozzi_sim.games.strasbourg.observation import SLICES as SLICES
from strozzi_sim.games.strasbourg.observation import observe as observe
from strozzi_sim.games.strasbourg.rival_model import imagine as imagine
from strozzi_sim.games.strasbourg.tasks import task_texts

_QUESTIONS = {
    s.TAKE_SEAT: "Do you take the seat of the {guild}s in the council?",
    s.TAKE_GOOD: "Do you take a good of the {guild}s?",
    s.PLACE: "Where in the city of the {guild}s do you place a member?",
    s.SELL: "How many {guild} goods do you sell?",
    s.RETURN: "Which card goes under your deck?",
    s.BUILD_CHAPEL: "Where do you build the chapel? A corner is named by the cells to its upper left and lower right",
    s.BUILD_EDIFICE: "Where do you build {edifice}, the edifice of this round?",
}
_OFFERS = {"good": "a good of the {guild}s", "place": "a member in the city"}


@dataclass(frozen=True)
class View:
    """A position as a seat sees it. Seats count from 0; spaces, sites and corners are (column, row), both from 1."""

    seat: int  # the viewing seat
    players: int  # number of seats
    over: bool  # the game has ended
    actor: int  # the seat that must decide, as far as this seat knows; while others plan, the next one that may decide
    round: int  # from 1
    step: str | None  # "A" to "I"; None while tasks are chosen or stacks planned, and at the end
    guild: str | None  # of the step, or of the goods on sale; else None
    start_player: int  # the seat that holds the marker
    round_cards: tuple[str, ...]  # ids in the order of the rounds
    edifices: tuple[str, ...]  # ids in the order of the rounds
    council: Mapping[str, int | None]  # name of a chair -> the seat whose member sits there, or None
    members: Mapping[Cell, int]  # city space -> seat
    chapels: tuple[Cell, ...]  # corners with a chapel
    chapels_left: int  # in the pool
    built: Mapping[Cell, str]  # building site -> edifice
    prestige: tuple[int, ...]  # of each seat
    coins: tuple[int | None, ...]  # of each seat; None = unknown
    privileges: tuple[int | None, ...]  # of each seat; None = unknown
    goods: tuple[Mapping[str, int] | None, ...]  # of each seat: guild -> number; None = unknown
    decks: tuple[int, ...]  # sizes of the decks
    under: tuple[tuple[int, ...], ...]  # cards under each deck, the next one first
    lost: tuple[tuple[int, ...], ...]  # of each seat, cards that were turned over and left the game
    shown: tuple[tuple[int, ...], ...]  # of each seat, cards turned over this round
    bids: tuple[tuple[int, ...] | None, ...]  # of each seat, the stack turned over in this step; None = none, or gone
    queue: tuple[int, ...]  # the seats that have not decided in this auction, in order
    stack_sizes: tuple[tuple[int, ...], ...]  # of the hidden stacks of each seat, greatest first
    stacks: Mapping[int, tuple[int, ...]]  # the own hidden stacks by their numbers
    hand: tuple[int, ...]  # own cards drawn and not yet on a stack
    pile: tuple[int, ...]  # the own stack under construction
    deck: tuple[int, ...]  # the own cards left of the first shuffle, highest first
    dealt: tuple[str, ...]  # ids of the own tasks
    kept: tuple[str, ...]  # ids of those kept
    tasks: tuple[tuple[str, ...] | None, ...]  # ids kept by each seat; None = unknown, as others' are during the game
    scores: tuple[int, ...]  # of each seat: prestige, at the end the final points
    offers: tuple[str, ...]  # further options of the seat now: "wait" of a bid, "good" and "place" of an apprentice
    components: Mapping[str, Any] = field(repr=False, compare=False)  # of the variant, as in components.toml


def view_of(state: Any, components: Mapping[str, Any], seat: int) -> View:
    """Return the View of `seat` on a row of concealed states; it keeps a reference to `components`."""
    state = {name: state[name].tolist() for name in state.dtype.names}  # plain numbers and lists are quick to read
    players, phase, actor = state["players"], state["phase"], state["actor"]
    seats = range(players)
    city, guilds = city_of(components), components["guilds"]["order"]
    tasks = [task["id"] for task in components["tasks"]]
    rounds = len(components["round_cards"])
    edifices = [edifice["id"] for edifice in components["edifices"]]
    unknown = [state["coins"][other] == s.UNKNOWN_COINS for other in seats]
    planning = phase in (s.DRAW, s.SPLIT) and actor == seat

    def task_ids(members: int) -> tuple[str, ...]:
        return tuple(task for k, task in enumerate(tasks) if members >> k & 1)

    def bags(name: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(cards_of(state[name][other])) for other in seats)

    hidden = [
        {
            k: state["stacks"][other][k]
            for k in range(state["stack_count"][other])
            if state["unused"][other] >> k & 1 or (planning and other == seat)  # closed stacks of an unfinished plan
        }
        for other in seats
    ]
    pile = state["stacks"][seat][state["stack_count"][seat]] if planning and state["last_value"] else 0
    in_step = phase not in (s.KEEP, s.DRAW, s.SPLIT, s.OVER)
    chairs = dict(zip(chairs_of(components), state["council"], strict=False))
    members = {cell: k for cell in city.guilds for k in seats if state["members"][k] >> city.number(cell) & 1}
    goods = [dict(zip(guilds, numbers, strict=False)) for numbers in state["goods"]]
    edifice_sites = zip(state["edifice_site"], edifices, strict=False)
    return View(
        seat=seat,
        players=players,
        over=phase == s.OVER,
        actor=actor,
        round=state["round"] + 1,
        step=s.STEPS[state["step"]] if in_step else None,
        guild=guilds[state["guild"]] if in_step and state["guild"] != s.NOBODY else None,
        start_player=state["start_player"],
        round_cards=tuple(components["round_cards"][k]["id"] for k in state["round_card"][:rounds]),
        edifices=tuple(edifices[k] for k in state["round_edifice"][:rounds]),
        council={name: None if other == s.NOBODY else other for name, other in chairs.items()},
        members=members,
        chapels=tuple(corner for k, corner in enumerate(city.chapel_sites) if not state["free_chapel_sites"] >> k & 1),
        chapels_left=state["chapels"],
        built={city.sites[site]: name for site, name in edifice_sites if site != s.NO_SITE},
        prestige=tuple(state["prestige"][:players]),
        coins=tuple(None if unknown[other] else state["coins"][other] for other in seats),
        privileges=tuple(None if unknown[other] else state["privileges"][other] for other in seats),
        goods=tuple(None if unknown[other] else goods[other] for other in seats),
        decks=tuple(state["deck_left"][k] + state["under_left"][k] - state["under_taken"][k] for k in seats),
        under=tuple(tuple(state["under"][k][state["under_taken"][k] : state["under_left"][k]]) for k in seats),
        lost=bags("lost"),
        shown=bags("shown"),
        bids=tuple(bag or None for bag in bags("bid")),
        queue=_queue(state) if phase == s.BID else (),
        stack_sizes=tuple(tuple(sorted(map(_size, stacks.values()), reverse=True)) for stacks in hidden),
        stacks={k: tuple(cards_of(stack)) for k, stack in hidden[seat].items()},
        hand=tuple(cards_of(state["hand"])) if planning else (),
        pile=tuple(cards_of(pile)),
        deck=tuple(cards_of(state["deck"][seat])),
        dealt=task_ids(state["dealt"][seat]),
        kept=task_ids(state["kept"][seat]),
        tasks=tuple(task_ids(state["kept"][k]) if phase == s.OVER or k == seat else None for k in seats),
        scores=tuple(state["score"][:players]),
        offers=_offers(phase, state["legal"]),
        components=components,
    )


def _size(bag: int) -> int:
    return bag - s.UNKNOWN_STACK if bag & s.UNKNOWN_STACK else len(cards_of(bag))


def _offers(phase: int, legal: int) -> tuple[str, ...]:
    """Return the offers of the actor, whose legal actions are the set `legal`; () for others, for whom it is empty."""
    if phase == s.BID:
        return ("wait",) if legal >> (s.DEFER - s.PASS) & 1 else ()
    if phase != s.APPRENTICE:
        return ()
    good = ("good",) if legal >> (s.GOOD - s.NONE) & 1 else ()
    return (*good, "place") if legal >> s.PLACE_BIT else good


def _queue(state: Mapping[str, Any]) -> tuple[int, ...]:
    following = [state["queue"] >> 4 * k & 15 for k in range(state["undecided"].bit_count() - 1)]
    return (state["actor"], *following)


_ACTION_NAMES = {s.STOP: "stop", s.DRAW_CARD: "draw", s.CLOSE: "stop", s.PASS: "pass", s.DEFER: "wait"}
_ACTION_NAMES |= {s.NONE: "decline", s.SEAT: "seat", s.GOOD: "good"}


def action_name(action: int, view: View) -> str:
    """Return the short name of an action; the question explains what numbers mean."""
    if action in _ACTION_NAMES:
        return _ACTION_NAMES[action]
    if action < s.STOP:
        return " ".join(view.dealt[k] for k in range(action.bit_length()) if action >> k & 1)
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
    if action < s.EDIFICE:
        return corner_name(city.chapel_sites[action - s.CHAPEL])
    return space_name(city.sites[action - s.EDIFICE])


def compound_choices(view: View, phase: int) -> tuple[str, ...]:
    """Return the items that can be chosen together: the dealt tasks while they are chosen, else ()."""
    return view.dealt if phase == s.KEEP else ()


def meanings(view: View, phase: int) -> dict[str, str]:
    """Return name of a choice -> meaning: a task's condition and points, a space's price, the sum of several cards."""
    if phase == s.KEEP:
        conditions = task_texts(view.components, view.players)
        return {task: conditions[task] for task in view.dealt}
    if phase in (s.PLACE, s.APPRENTICE):
        city = city_of(view.components)
        spaces = [cell for cell in city.spaces_of(str(view.guild)) if cell not in view.members]
        return {space_name(cell): pluralize(city.prices[cell], "coin") for cell in spaces}
    if phase == s.BID:
        return {stack_name(stack): str(sum(stack)) for stack in view.stacks.values() if len(stack) > 1}
    return {}


def question(view: View, phase: int) -> str:
    """Return the pending decision as text."""
    if phase == s.KEEP:
        fewest, most = (view.components["tasks_meta"][name] for name in ("keep_min", "keep_max"))
        number = most if fewest == most else f"{fewest} to {most}"
        return f"Which tasks do you keep, {number} of them? Type their names, separated by blanks, commas or plus"
    if phase == s.DRAW:
        return f"You hold {stack_name(view.hand) or 'no card'}: draw another card, or stop?"
    if phase == s.SPLIT:
        pile, hand = stack_name(view.pile), stack_name(view.hand)
        return f"Your stack is {pile}, you hold {hand}: which card goes on it, or stop there?"
    if phase == s.BID:
        waiting = ", pass, or pay a privilege and wait?" if "wait" in view.offers else ", or pass?"
        return f"Step {step_words(view.step or '', view.guild)}: turn over a stack{waiting}"
    if phase == s.APPRENTICE:
        offers = " or ".join(_OFFERS[name] for name in view.offers)
        return f"{offers[0].upper()}{offers[1:]}, if you want?".format(guild=view.guild)
    edifice = view.edifices[view.round - 1] if phase == s.BUILD_EDIFICE else ""
    return _QUESTIONS[phase].format(guild=view.guild, edifice=edifice)


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return a summary of the rules."""
    second = "may take a good and a member. The third is apprentice and" if players > 3 else "is apprentice and"
    return written_rules(str(__package__), components, rounds=len(components["round_cards"]), second=second)

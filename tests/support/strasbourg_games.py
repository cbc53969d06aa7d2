"""What the tests of Strasbourg share: variants that flip every switch and change every block, and its kit."""

import random
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from kits import Kit, Lines, Pairs, flipped, keys_of
from reference_strasbourg import numbers
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, from_changes, resolve_variant, shipped_variants
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import cards_of
from strozzi_sim.games.strasbourg.geometry import SITE, city_of
from strozzi_sim.games.strasbourg.reference import Game as Reference
from strozzi_sim.games.strasbourg.reference_table import Option
from strozzi_sim.games.strasbourg.tasks import PARAMETERS
from strozzi_sim.play.position import Position

STRASBOURG = load_game("strasbourg")
BASE = resolve_variant(STRASBOURG, "base")
SHIPPED = ("base", "small-city", "other-tasks")

ALL_FLIPPED = flipped(BASE.components["switches"], min_draw=0, planning="sequential")
CHANGES: dict[str, dict[str, Any]] = {
    **{name.replace("_", "-").lower(): {"switches": {name: value}} for name, value in ALL_FLIPPED.items()},
    "all-flipped": {"switches": ALL_FLIPPED, "privileges": {"start_per_player": 2}, "chapels": {"count": 2}},
    "few-cards": {"influence_cards": {"values": [1, 2, 4], "copies_of_each": 3}},  # decks run out, returned cards are drawn
    "two-values": {
        "influence_cards": {"values": [6, 5], "copies_of_each": 12},
        "coins": {"start_per_player": 40},
        "privileges": {"start_per_player": 5},
    },
    "three-rounds": {
        "round_cards": [
            {"id": "X1", "guilds": {"B": "baker", "D": "baker", "F": "baker"}},
            {"id": "X2", "guilds": {"B": "smith", "D": "vintner", "F": "baker"}},
            {"id": "X3", "guilds": {"B": "smith", "D": "vintner", "F": "butcher"}},
        ]
    },
    "no-choice-of-tasks": {"tasks_meta": {"dealt_per_player": 2, "keep_min": 2, "keep_max": 2}},
    "poor": {
        "chapels": {"count": 1, "points_per_adjacent_family_member": 3},
        "coins": {"start_per_player": 0},
        "goods": {"value": {"smith": 0, "vintner": 4, "shoemaker": 1, "butcher": 2, "baker": 9}},
        "privileges": {"end_value": 2},
        "council": {"prestige_per_member_each_council_phase": 2},
        "edifices": {"E2": {"points": 9}},
    },
    "other-box": {  # two guilds, two columns, one building site, six edifices
        "guilds": {"order": ["mason", "smith"], "letters": {"M": "mason", "S": "smith"}},
        "goods": {"value": {"mason": 7, "smith": 2}},
        "council": {"seats": ["nobility", "church", "mason", "smith", "merchants"]},
        "edifices": [{"id": f"F{k}", "points": k} for k in range(6)],
        "round_cards": [
            {"id": "Y1", "guilds": {"B": "smith", "D": "mason", "F": "smith"}},
            {"id": "Y2", "guilds": {"B": "mason", "D": "smith", "F": "mason"}},
        ],
        "city": {
            "columns": 2, "rows": 4,
            "guild_map": ["M M", "M #", "S S", "S M"], "price_map": ["0 1", "2 .", "3 0", "1 9"],
            "chapel_sites": [[1, 1], [1, 3]],
        },
        "tasks": [
            {"id": f"G{k}", "kind": kind, "points": k, **parameters}
            for k, (kind, parameters) in enumerate(
                [
                    ("adjacent_to_edifice", {"edifice": "F5", "min": 1}), ("members_in_guild", {"guild": "smith", "min": 2}),
                    ("same_edifice", {"min": 1}), ("orthogonal_line", {"min": 2}), ("diagonal_line", {"min": 2}),
                    ("orthogonal_line", {"min": 4}), ("diagonal_line", {"min": 1}), ("square_2x2", {}),
                    ("council_members", {"min_by_players": {"p3": 3, "p4": 2, "p5": 1}}), ("distinct_edifices", {"min": 1}),
                    ("most_members_in_city", {}), ("most_coins", {}), ("distinct_guilds", {"min": 2}),
                    ("guilds_with_pairs", {"guilds": 1, "min": 2}), ("distinct_chapels", {"min": 2}),
                    ("same_chapel", {"min": 2}), ("connected_group", {"min": 3}), ("border_members", {"min": 2}),
                    ("nobility_or_church", {}), ("connected_group", {"min": 2}),
                ]
            )
        ],
        "tasks_meta": {"dealt_per_player": 4, "keep_min": 2, "keep_max": 3, "penalty_unfulfilled": 7},
    },
}  # fmt: skip
VARIANTS = (*SHIPPED, *CHANGES)


def variant(name: str) -> Variant:
    """A shipped variant, or one of CHANGES, ready to play."""
    if name in SHIPPED:
        return resolve_variant(STRASBOURG, name)
    return from_changes(STRASBOURG, name, CHANGES[name], f"tests {name}")


def few_choices(name: str) -> Variant:
    """A variant with two rounds, two tasks, few cards and few sites, so that whole trees can be walked."""
    changes = deepcopy({"base": {}, **CHANGES, **shipped_variants(STRASBOURG)}[name])
    city = variant(name).components["city"]
    letter = next(iter(variant(name).components["guilds"]["letters"]))
    guild_map, price_map = (" ; ".join(city[part]).split() for part in ("guild_map", "price_map"))
    for k in [k for k, mark in enumerate(guild_map) if mark == SITE][2:]:
        guild_map[k], price_map[k] = letter, "9"
    changes["city"] = {
        **city, "chapel_sites": city["chapel_sites"][:2],
        "guild_map": " ".join(guild_map).split(" ; "), "price_map": " ".join(price_map).split(" ; "),
    }  # fmt: skip
    changes["tasks_meta"] = {**changes.get("tasks_meta", {}), "dealt_per_player": 2, "keep_min": 1, "keep_max": 2}
    changes["influence_cards"] = {"values": [6, 2], "copies_of_each": 3}
    changes["round_cards"] = variant(name).components["round_cards"][:2]
    return from_changes(STRASBOURG, name, changes, f"tests {name}")


def _members(number: int, things: list[Any]) -> tuple[Any, ...]:
    return tuple(thing for k, thing in enumerate(things) if number >> k & 1)


def option_of(action: int, table: Position) -> Option:
    """An action of the core as the reference names it."""
    state, components = table.state[0], table.variant.components
    words = {
        s.STOP: "stop", s.DRAW_CARD: "draw", s.CLOSE: "close", s.PASS: "pass", s.DEFER: "defer", s.NONE: "none", s.SEAT: "seat",
        s.GOOD: "good",
    }  # fmt: skip
    if action in words:
        return words[action]
    if action < s.STOP:
        dealt = _members(int(state["dealt"][table.actor]), [task["id"] for task in components["tasks"]])
        return "keep", _members(action, list(dealt))
    if action < s.PASS:
        return "add", action - s.ADD
    if action < s.NONE:
        return "reveal", tuple(cards_of(int(state["stacks"][table.actor][action - s.REVEAL])))
    city = city_of(components)
    if action < s.SELL_GOODS:
        return "place", city.cell(action - s.PLACE_ON)
    if action <= s.RETURN_CARD:
        return "sell", action - s.SELL_GOODS
    if action < s.CHAPEL:
        return "return", action - s.RETURN_CARD
    if action < s.EDIFICE:
        return "chapel", city.chapel_sites[action - s.CHAPEL]
    return "edifice", city.sites[action - s.EDIFICE]


def shown_chance(lines: Lines) -> list[list[Any]]:
    """Round cards, edifices, tasks by seat, and the cards of each seat's first shuffle, in the order in which lines show them."""
    setup, players = lines[0], sum(line["type"] == "keep_tasks" for line in lines)
    tasks = [task for line in lines if line["type"] == "keep_tasks" for task in line["dealt"]]
    drawn: list[list[int]] = [[] for _ in range(players)]
    for line in lines:
        if line["type"] == "plan":
            drawn[line["player"]] += line["drawn"]
    return [setup["round_cards"], setup["edifices"], tasks, *drawn]


def _reference(variant: Variant, players: int, lines: Lines, start_player: int) -> Reference:
    components = variant.components
    cards, number = components["influence_cards"], components["tasks_meta"]["dealt_per_player"]
    everything = sorted(cards["values"] * cards["copies_of_each"])
    round_cards, edifices, tasks, *drawn = shown_chance(lines)
    decks = []
    for shown in drawn:  # first the shuffled cards, then those that were put under the deck; the rest in any order
        deck, left = shown[: len(everything)], list(everything)
        for card in deck:
            left.remove(card)
        decks.append(deck + left)
    hands = [tasks[number * seat : number * (seat + 1)] for seat in range(players)]
    return Reference(components, players, round_cards, edifices, hands, decks, start_player)


_KINDS = {
    "keep_tasks": s.KEEP, "draw": s.DRAW, "split": s.SPLIT, "bid": s.BID, "seat": s.TAKE_SEAT, "good": s.TAKE_GOOD,
    "place": s.PLACE, "apprentice": s.APPRENTICE, "sell": s.SELL, "return_card": s.RETURN, "chapel": s.BUILD_CHAPEL,
    "edifice": s.BUILD_EDIFICE,
}  # fmt: skip


def _question(table: Position, reference: Reference) -> Pairs:
    question = reference.question
    assert question is not None
    yield "actor", table.actor, question.seat
    yield "kind", int(table.state["phase"][0]), _KINDS[question.kind]
    yield "numbers", table.legal, numbers(reference)
    yield "legal", [option_of(action, table) for action in table.legal], reference.legal


def _standing(table: Position, reference: Reference) -> Pairs:
    """All that lies on the table and behind the screens."""
    state, components, seats = table.state[0], table.variant.components, range(table.players)
    city, guilds = city_of(components), components["guilds"]["order"]
    tasks, edifices = ([thing["id"] for thing in components[name]] for name in ("tasks", "edifices"))
    for name in ("prestige", "coins", "privileges"):
        yield name, state[name][: table.players].tolist(), getattr(reference, name)
    yield "start player", int(state["start_player"]), reference.start_player
    chairs = ["nobility", "church", "merchants", *guilds]
    held = {
        name: None if state["council"][k] == s.NOBODY else int(state["council"][k]) for k, name in enumerate(chairs)
    }
    yield "council", held, reference.council
    owners = [int(cells) for cells in state["members"]]
    members = {cell: seat for seat in seats for cell in city.guilds if owners[seat] >> city.number(cell) & 1}
    yield "members", members, reference.members
    empty = [cell for cell in city.guilds if int(state["empty"]) >> city.number(cell) & 1]
    yield "empty", empty, [cell for cell in city.guilds if cell not in reference.members]
    free = _members(int(state["free_chapel_sites"]), list(city.chapel_sites))
    yield "chapels", sorted(set(city.chapel_sites) - set(free)), sorted(reference.chapels)
    built = {city.sites[k]: edifices[e] for e, k in enumerate(state["edifice_site"][: len(edifices)]) if k != s.NO_SITE}
    yield "built", built, reference.built
    yield "goods", [dict(zip(guilds, state["goods"][seat].tolist(), strict=False)) for seat in seats], reference.goods
    yield "dealt", [_members(int(state["dealt"][seat]), tasks) for seat in seats], reference.dealt
    yield "kept", [_members(int(state["kept"][seat]), tasks) for seat in seats], [kept or [] for kept in reference.kept]
    shuffled = [sorted(deck) for deck in reference.shuffled]
    yield "shuffled", [sorted(cards_of(int(state["deck"][seat]))) for seat in seats], shuffled
    yield "shuffled sizes", state["deck_left"][: table.players].tolist(), [len(deck) for deck in shuffled]
    under = [
        state["under"][seat][int(state["under_taken"][seat]) : int(state["under_left"][seat])].tolist()
        for seat in seats
    ]
    yield "under", under, reference.under
    yield "bids", [tuple(cards_of(int(state["bid"][seat]))) or None for seat in seats], reference.bids
    out = [sorted(cards) for cards in reference.lost]
    yield "out", [sorted(cards_of(int(state["lost"][seat]))) for seat in seats], out
    phase = int(state["phase"])
    if phase not in (s.DRAW, s.SPLIT):
        stacks = [_members(int(state["unused"][seat]), state["stacks"][seat].tolist()) for seat in seats]
        mine = [[tuple(cards_of(stack)) for stack in own] for own in stacks]
        yield "stacks", mine, [reference.hidden_stacks(seat) for seat in seats]
    if phase == s.BID:
        rest = [int(state["queue"]) >> 4 * k & 15 for k in range(int(state["undecided"]).bit_count() - 1)]
        yield "queue", rest, [seat for seat in reference.queue if seat != table.actor]
    if table.over:
        yield "scores", state["score"][: table.players].tolist(), reference.scores
        shared = [place + (reference.places.count(place) - 1) / 2 for place in reference.places]
        yield "places", table.places, shared
        yield "winners", [seat for seat in seats if table.places[seat] == min(table.places)], reference.winners


def chosen(chooser: random.Random, legal: tuple[int, ...]) -> int:
    """A random legal action; cards are drawn more often than not, so that decks run out."""
    many = s.DRAW_CARD in legal and chooser.random() < 0.4
    return s.DRAW_CARD if many else chooser.choice(legal)


# -- legal variants, whatever they may be ----------------------------------------------------------------------------

points = st.integers(0, s.MAX_POINTS)


@st.composite
def maps(draw, letters):
    """A city in which every guild has a space."""
    columns = draw(st.integers(2, 7))
    rows = draw(st.integers(-(-len(letters) // columns), 7))
    marks = [
        *letters,
        *draw(st.lists(st.sampled_from([*letters, *letters, SITE]), max_size=columns * rows - len(letters))),
    ]
    marks += [letters[0]] * (columns * rows - len(marks))
    marks = draw(st.permutations(marks))
    sites = [k for k, mark in enumerate(marks) if mark == SITE]
    for k in sites[s.MAX_SITES :]:
        marks[k] = letters[0]
    prices = ["." if mark == SITE else str(draw(st.integers(0, 9))) for mark in marks]
    corners = [(column, row) for column in range(1, columns) for row in range(1, rows)]
    chapels = draw(st.lists(st.sampled_from(corners), unique=True)) if corners else []
    lines = [range(columns * row, columns * (row + 1)) for row in range(rows)]
    guild_map, price_map = ([" ".join(part[k] for k in line) for line in lines] for part in (marks, prices))
    return {
        "columns": columns, "rows": rows, "guild_map": guild_map, "price_map": price_map,
        "chapel_sites": [list(corner) for corner in chapels],
    }  # fmt: skip


@st.composite
def task_cards(draw, number, guilds, edifices):
    kind = draw(st.sampled_from(s.TASK_KINDS))
    few = st.integers(1, 6)
    values = {
        "edifice": st.sampled_from(edifices), "guild": st.sampled_from(guilds), "guilds": st.integers(1, s.MAX_GUILDS), "min": few,
        "min_by_players": st.fixed_dictionaries({"p3": few, "p4": few, "p5": few}),
    }  # fmt: skip
    parameters = {name: draw(values[name]) for name in PARAMETERS[kind]}
    return {"id": f"T{number}", "kind": kind, "points": draw(points), **parameters}


@st.composite
def boxes(draw):
    guilds = [f"g{k}" for k in range(draw(st.integers(1, s.MAX_GUILDS)))]
    letters = "ABCDEFGH"[: len(guilds)]
    edifices = [f"E{k}" for k in range(draw(st.integers(1, s.MAX_EDIFICES)))]
    rounds = draw(st.integers(1, min(len(edifices), 5)))
    values = draw(st.lists(st.integers(1, s.MAX_VALUE), min_size=1, max_size=6, unique=True))
    dealt = draw(st.integers(1, s.MAX_DEALT))
    keep = sorted(draw(st.lists(st.integers(1, dealt), min_size=2, max_size=2)))
    tasks = [
        draw(task_cards(k, guilds, edifices)) for k in range(draw(st.integers(dealt * s.SEATS, dealt * s.SEATS + 3)))
    ]
    return {
        "guilds": {"order": guilds, "letters": dict(zip(letters, guilds, strict=True))},
        "goods": {"value": {guild: draw(st.integers(0, 9)) for guild in guilds}},
        "council": {"seats": ["nobility", "church", "merchants", *guilds], "prestige_per_member_each_council_phase": draw(points)},
        "influence_cards": {
            "values": values, "copies_of_each": draw(st.integers(2 if len(values) == 1 else 1, s.MAX_CARDS // len(values))),
        },
        "coins": {"start_per_player": draw(st.integers(0, 30))},
        "privileges": {"start_per_player": draw(st.integers(0, 3)), "end_value": draw(points)},
        "chapels": {"count": draw(st.integers(0, 9)), "points_per_adjacent_family_member": draw(points)},
        "edifices": [{"id": name, "points": draw(points)} for name in edifices],
        "round_cards": [
            {"id": f"R{k}", "guilds": {step: draw(st.sampled_from(guilds)) for step in "BDF"}} for k in range(rounds)
        ],
        "city": draw(maps(letters)),
        "tasks": tasks,
        "tasks_meta": {"dealt_per_player": dealt, "keep_min": keep[0], "keep_max": keep[1], "penalty_unfulfilled": draw(st.integers(1, s.MAX_POINTS))},
        "switches": {
            "min_draw": draw(st.integers(0, 1)), "planning": draw(st.sampled_from(["simultaneous", "sequential"])),
            **{name: draw(st.booleans()) for name, value in ALL_FLIPPED.items() if isinstance(value, bool)},
        },
    }  # fmt: skip


KIT = Kit(
    game=STRASBOURG,
    variants=VARIANTS,
    paired=("small-city", "planning", "hide-money", "tie-fulfils"),
    variant=variant,
    narrow=few_choices,
    tiny={  # two cards each, a city in which nobody can pay for anything, nothing to build
        "influence_cards": {"values": [3, 2], "copies_of_each": 1},
        "coins": {"start_per_player": 0},
        "chapels": {"count": 0},
        "round_cards": [{"id": "X1", "guilds": {"B": "smith", "D": "smith", "F": "baker"}}],
        "city": {"columns": 5, "rows": 1, "guild_map": ["S V H K B"], "price_map": ["5 4 3 2 1"], "chapel_sites": []},
        "tasks_meta": {"dealt_per_player": 1, "keep_min": 1, "keep_max": 1},
    },
    opening=3,  # everybody plans one card
    switches={"base": {}, **{name: CHANGES[name] for name in ("return-if-unused", "seat-optional", "planning")}},
    changes=boxes(),
    deals=(1, 20, 150),
    choose=chosen,
    chance=shown_chance,
    reference=_reference,
    option=option_of,
    question=_question,
    standing=_standing,
    unordered={},
    choices=keys_of(keep_tasks="tasks", bid="stack defer", chapel="site", edifice="site"),
    free=keys_of(
        setup="round_cards edifices",
        keep_tasks="dealt tasks",
        plan="drawn stacks",
        bid="stack",
        act="action space goods",
        return_card="card",
        chapel="site",
        edifice="site",
    ),
    joining=frozenset({"act"}),  # the parts of one turn
    golden=((3, "base"), (4, "base"), (5, "base")),
)

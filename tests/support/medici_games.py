"""What the tests of Medici vs Strozzi share: variants that flip every switch, and its kit."""

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from kits import Kit, Lines, Pairs, drawn_switches, flipped, keys_of
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, from_changes, resolve_variant, shipped_variants
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.reference import Game as Reference
from strozzi_sim.games.medici_vs_strozzi.reference import Option
from strozzi_sim.games.medici_vs_strozzi.view import view_of
from strozzi_sim.play.position import Position

MEDICI_VS_STROZZI = load_game("medici_vs_strozzi")
BASE = resolve_variant(MEDICI_VS_STROZZI, "base")
SHIPPED = ("base", "short", "long", "medici_like")

SWITCHES: dict[str, dict[str, Any]] = {
    "moored": {"switches": {"round_ends_when": "moored"}},
    "worthless-wins": {"switches": {"lone_worthless_ship_wins": True}},
    "one-after-the-other": {"switches": {"net_marker_movement": False}},
    "no-room-no-buy": {"switches": {"buy_without_room": False}},
    "hidden-cash": {"switches": {"hidden_cash": True}},
    "all-flipped": {
        "switches": flipped(BASE.components["switches"], round_ends_when="moored"),
        "tracks": {"half_length": 3, "bonus": {"1": 5, "3": 30}},
    },
    "other-box": {  # more of everything, and one harbor without tracks
        "ships": {"capacities": [2, 7, 1, 4]},
        "tiles": {"values_per_type": [0, 0, 1, 3, 6], "gold_count": 5, "gold_value": 2},
        "type": [{"key": "dye"}, {"key": "salt"}, {"key": "wine"}, {"key": "fur"}, {"key": "tin"}],
        "harbor": [
            {"id": "H1", "tracks": ["dye", "salt", "wine"]}, {"id": "H2", "tracks": ["tin"]}, {"id": "H3", "tracks": []},
            {"id": "H4", "tracks": ["fur", "wine", "dye", "tin"]},
        ],
        "tracks": {"per_track": {"H1.salt": {"half_length": 2, "bonus": {"2": 7}}}},
        "marker_steps": {"value_zero_tile": 3, "other_tile": 2},
        "scoring": {"harbor_majority": 15, "monopoly": 4},
        "money": {"start_cash": -20},
        "rounds": {"count": 4, "starter": ["Medici", "Strozzi", "Medici", "Medici"], "reveal_max": 5},
        "price_space": {"action_space_cap": 30},
    },
}  # fmt: skip


def variant(name: str) -> Variant:
    """A shipped variant, or one of SWITCHES, ready to play."""
    if name in SHIPPED:
        return resolve_variant(MEDICI_VS_STROZZI, name)
    return from_changes(MEDICI_VS_STROZZI, name, SWITCHES[name], f"tests {name}")


def two_prices(name: str) -> Variant:
    """A variant in which only 0 and 1 can be named."""
    known = {"base": {}, **SWITCHES, **shipped_variants(MEDICI_VS_STROZZI)}
    changes = {**known[name], "price_space": {"action_space_cap": 1}}
    return from_changes(MEDICI_VS_STROZZI, name, changes, f"tests {name}")


def option_of(action: int, table: Position) -> Option:
    """An action of the core as the reference names it."""
    components = table.variant.components
    if action >= s.NAME_PRICE:
        return action - s.NAME_PRICE
    if action >= s.LOAD:
        ship, harbor = divmod(action - s.LOAD, s.MAX_HARBORS)
        return components["ships"]["capacities"][ship], components["harbor"][harbor]["id"]
    return {s.REVEAL_MORE: "more", s.STOP: "stop", s.BUY: True, s.DECLINE: False, s.DISCARD: "discard"}[action]


def shown_tiles(lines: Lines) -> list[list[str]]:
    """The tiles of every round in the order in which the lines of a record show them."""
    orders: list[list[str]] = []
    for line in lines:
        if line["type"] == "round":
            orders.append([])
        elif line["type"] == "reveal":
            orders[-1].append(line["tile"])
    return orders


def orders_of(lines: Lines, components: Mapping[str, Any]) -> list[list[str]]:
    """The same, then the tiles that are not shown."""
    everything = [name for name, *_ in tile_ids(components)]
    return [order + [tile for tile in everything if tile not in order] for order in shown_tiles(lines)]


def chosen(chooser: random.Random, legal: tuple[int, ...]) -> int:
    """A random legal action, low prices more often than high ones."""
    if legal[0] >= s.NAME_PRICE and chooser.random() < 0.8:
        return chooser.choice(legal[:30])
    return chooser.choice(legal)


def _reference(variant: Variant, players: int, lines: Lines, start_player: int) -> Reference:
    return Reference(variant.components, orders_of(lines, variant.components), start_player)


def _question(table: Position, reference: Reference) -> Pairs:
    kinds = {s.REVEAL: "reveal", s.PRICE: "price", s.ANSWER: "answer", s.PLACE: "place"}
    kind, options = reference.question.kind, [option_of(action, table) for action in table.legal]
    yield "actor", table.actor, reference.actor
    yield "kind", kinds[int(table.state["phase"][0])], kind
    if kind == "price":  # any price may be named; the core has those up to its cap
        cap = table.variant.components["price_space"]["action_space_cap"]
        yield "legal", options, [price for price in range(cap + 1) if price in reference.legal]
    else:
        yield "legal", sorted(options, key=str), sorted(reference.legal, key=str)


def _standing(table: Position, reference: Reference) -> Pairs:
    view = view_of(table.state[0], table.variant.components, 0)
    for name in ("round", "start_player", "markers", "bag_left"):
        yield name, getattr(view, name), getattr(reference, name)
    if not view.over:
        for name in ("proposer", "lot", "price", "buyer"):
            yield name, getattr(view, name), getattr(reference, name)
    mine, theirs = (
        [{capacity: [harbor, sorted(tiles)] for capacity, (harbor, tiles) in fleet.items()} for fleet in ships]
        for ships in (view.ships, reference.ships)
    )
    yield "ships", mine, theirs
    yield "discards", sorted(view.discards), sorted(reference.discards)
    yield "cash", table.state["cash"][0].tolist(), reference.cash


# -- legal variants, whatever they may be ----------------------------------------------------------------------------

prizes = st.integers(0, 50)


@st.composite
def tracks(draw):
    half = draw(st.integers(1, s.MAX_HALF_LENGTH))
    spaces = draw(st.lists(st.integers(1, half), unique=True, max_size=3))
    return {"half_length": half, "bonus": {str(space): draw(prizes) for space in spaces}}


@st.composite
def boxes(draw):
    ships = draw(st.lists(st.integers(1, s.MAX_CAPACITY), min_size=1, max_size=s.MAX_SHIPS, unique=True))
    types = [f"T{k}" for k in range(draw(st.integers(1, s.MAX_TYPES)))]
    harbors = [
        {"id": f"H{k}", "tracks": draw(st.lists(st.sampled_from(types), unique=True))}
        for k in range(draw(st.integers(len(ships), s.MAX_HARBORS)))
    ]
    places = [f"{harbor['id']}.{kind}" for harbor in harbors for kind in harbor["tracks"]]
    own = draw(st.lists(st.sampled_from(places), unique=True, max_size=2)) if places else []
    families = st.sampled_from(s.PLAYER_NAMES)
    count = draw(st.integers(1, 5))
    return {
        "ships": {"capacities": ships},
        "tiles": {
            "values_per_type": draw(st.lists(st.integers(0, s.MAX_VALUE), min_size=1, max_size=8)),
            "gold_count": draw(st.integers(0, 16)),
            "gold_value": draw(st.integers(0, s.MAX_VALUE)),
        },
        "type": [{"key": name} for name in types],
        "harbor": harbors,
        "tracks": {**draw(tracks()), "per_track": {place: draw(tracks()) for place in own}},
        "marker_steps": {
            "value_zero_tile": draw(st.integers(0, s.MAX_STEPS)),
            "other_tile": draw(st.integers(0, s.MAX_STEPS)),
        },
        "scoring": {"harbor_majority": draw(prizes), "monopoly": draw(prizes)},
        "money": {"start_cash": draw(st.integers(-500, 500))},
        "price_space": {"action_space_cap": draw(st.integers(1, s.MAX_PRICE))},
        "rounds": {
            "count": count,
            "starter": ["Medici", *(draw(families) for _ in range(count - 1))],
            "reveal_max": draw(st.integers(1, s.MAX_REVEAL)),
        },
        "switches": drawn_switches(
            draw, BASE.components["switches"], round_ends_when=st.sampled_from(["full", "moored"])
        ),
    }


KIT = Kit(
    game=MEDICI_VS_STROZZI,
    variants=(*SHIPPED, *SWITCHES),
    paired=("short", "medici_like", "moored", "hidden-cash"),
    variant=variant,
    narrow=two_prices,
    tiny={  # two ships, three tiles
        "ships": {"capacities": [1, 2]},
        "type": [{"key": "dye"}],
        "tiles": {"values_per_type": [0, 3], "gold_count": 1},
        "harbor": [{"id": "H1", "tracks": ["dye"]}, {"id": "H2", "tracks": []}],
        "tracks": {"half_length": 2, "bonus": {"2": 5}},
        "price_space": {"action_space_cap": 1},
        "rounds": {"count": 1, "starter": ["Medici"], "reveal_max": 2},
    },
    opening=0,
    switches={"base": {}, **{name: SWITCHES[name] for name in ("moored", "worthless-wins", "no-room-no-buy")}},
    changes=boxes(),
    deals=(10, 100, 250),
    choose=chosen,
    chance=shown_tiles,
    reference=_reference,
    option=option_of,
    question=_question,
    standing=_standing,
    unordered={"unseen_tile": "unseen"},
    choices=keys_of(load="discard"),
    free=keys_of(reveal="tile", price="price", answer="buy", load="ship harbor"),
    joining=frozenset({"reveal"}),
    golden=((2, "base"), (2, "medici_like"), (2, "all-flipped")),
)

SOLVABLE = {  # one ship of a single place each, two tiles: 309 nodes
    "solvable": {
        "ships": {"capacities": [1]},
        "tiles": {"values_per_type": [0, 2], "gold_count": 0},
        "type": [{"key": "dye"}],
        "harbor": [{"id": "H1", "tracks": ["dye"]}],
        "rounds": {"count": 1, "starter": ["Medici"], "reveal_max": 1},
        "price_space": {"action_space_cap": 2},
    }
}

"""What the tests of Strozzi share: variants that flip every switch, and its kit."""

from typing import Any

from hypothesis import strategies as st

from kits import Kit, Lines, Pairs, drawn_switches, flipped, keys_of
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, from_changes, resolve_variant
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.games.strozzi.reference import Game as Reference
from strozzi_sim.games.strozzi.view import view_of
from strozzi_sim.play.position import Position

STROZZI = load_game("strozzi")
BASE = resolve_variant(STROZZI, "base")
SHIPPED = ("base", "long-tracks")

SWITCHES = {
    "reverse-start": {"rules": {"start_order": "reverse"}},
    "second-lap": {"rules": {"second_lap": True}},
    "ware-needs-match": {"rules": {"ware_flag_needs_match": True}},
    "tile-optional": {"rules": {"tile_optional": True}},
    "zero-total": {"rules": {"zero_total_scores": True}},
    "no-florence-bonus": {"rules": {"florence_bonus": False}},
    "few-tiles": {"setup": {"promotion_tiles_face_up": 6}},
    "short": {
        "tracks": {"top_index": 4, "bonus": {"2": 3, "4": 20}},
        "setup": {"rounds": 5, "cards_removed": {"3": 22, "4": 3, "5": 0, "6": 12}},
        "flags": {"plus_one_speed": 3, "ware_steps": 2},
        "scoring": {"ship_ranks": [9, 7, 5, 3, 2, 1], "marker_ranks": [4], "category_ranks": [1, 1, 1, 1, 1, 1]},
    },
    "all-flipped": {
        "rules": flipped(BASE.components["rules"], start_order="reverse"),
        "tracks": {"top_index": 10, "bonus": {"8": 5, "9": 10, "10": 15}},
    },
}  # fmt: skip


def variant(name: str) -> Variant:
    """A shipped variant, or one of SWITCHES, ready to play."""
    if name in SHIPPED:
        return resolve_variant(STROZZI, name)
    changes: dict[str, Any] = dict(SWITCHES[name])
    if name == "few-tiles":  # so few that the stack and the display run out
        wares = [s.PORT_NAMES[k % 3] if k % 2 == 0 else "" for k in range(7)]
        changes["promotion_tiles"] = [
            {"id": f"T{k}", "category": s.CATEGORIES[k % 3], "value": 1 + k % 2, "ware": ware}
            for k, ware in enumerate(wares)
        ]
    return from_changes(STROZZI, name, changes, f"tests {name}")


def chance_of(lines: Lines) -> list[list[str]]:
    """The tiles, and the ships of every round, in the order in which the lines of a record show them."""
    ships: list[list[str]] = []
    tiles: list[str] = []
    for line in lines:
        if line["type"] == "tiles":
            tiles += line["display"]
        elif line["type"] == "round":
            ships.append([])
        elif line["type"] == "reveal":
            ships[-1].append(line["ship"])
        elif line["type"] == "take_tile" and line["replacement"]:
            tiles.append(line["replacement"])
    return [tiles, *ships]


def option_of(action: int, table: Position) -> str | None:
    """An action of the core as the reference names it."""
    if action == s.DECLINE_TILE:
        return None
    if action >= s.TAKE_TILE:
        return view_of(table.state[0], table.variant.components, 0).display[action - s.TAKE_TILE]
    if action >= s.PLACE_AT:
        return s.PORT_NAMES[action - s.PLACE_AT]
    return "pass" if action == s.PASS else s.FLAG_NAMES[action - s.CLAIM_WITH]


def _reference(variant: Variant, players: int, lines: Lines, start_player: int) -> Reference:
    tiles, *ships = chance_of(lines)
    return Reference(variant.components, players, ships, tiles, start_player)


def _question(table: Position, reference: Reference) -> Pairs:
    view = view_of(table.state[0], table.variant.components, 0)
    yield "actor", table.actor, reference.actor
    yield "legal", [option_of(action, table) for action in table.legal], reference.legal
    yield "ship", view.ship, reference.ship
    yield "holder", (view.holder, view.holder_flag), (reference.holder, reference.holder_flag)


def _standing(table: Position, reference: Reference) -> Pairs:
    view = view_of(table.state[0], table.variant.components, 0)
    for name in ("round", "start_player", "deck_left", "flags", "ports", "tracks", "display", "coins"):
        yield name, getattr(view, name), getattr(reference, name)
    yield "tiles", [sorted(tiles) for tiles in view.tiles], [sorted(tiles) for tiles in reference.tiles]
    if not view.over:
        yield "active", view.active, reference.active
        yield "aside", sorted(view.aside), sorted(reference.aside)


# -- legal variants, whatever they may be ----------------------------------------------------------------------------

symbols = st.integers(0, 4)
prizes = st.lists(st.integers(0, 50), max_size=6)
ships = st.lists(
    st.fixed_dictionaries(
        {
            "sail": st.integers(0, 90), "venice": symbols, "rome": symbols, "naples": symbols, "scrolls": symbols,
            "promotion": st.integers(0, 1),
        }
    ),
    min_size=1,
    max_size=40,
)  # fmt: skip
tiles = st.lists(
    st.fixed_dictionaries(
        {
            "category": st.sampled_from(s.CATEGORIES), "value": st.integers(0, 9),
            "ware": st.sampled_from(["", *s.PORT_NAMES]),
        }
    ),
    max_size=64,
)  # fmt: skip


@st.composite
def variants(draw):
    fleet = [{"id": f"S{k}", **ship} for k, ship in enumerate(draw(ships))]
    top = draw(st.integers(1, 31))
    spaces = draw(st.lists(st.integers(1, top), unique=True, max_size=6))
    return {
        "ships": fleet,
        "promotion_tiles": [{"id": f"T{k}", **tile} for k, tile in enumerate(draw(tiles))],
        "setup": {
            "rounds": draw(st.integers(1, 8)),
            "cards_removed": {str(n): draw(st.integers(0, len(fleet) - 1)) for n in (3, 4, 5, 6)},
            "promotion_tiles_face_up": draw(st.integers(0, 6)),
        },
        "tracks": {"top_index": top, "bonus": {str(space): draw(st.integers(0, 99)) for space in spaces}},
        "scoring": {"ship_ranks": draw(prizes), "marker_ranks": draw(prizes), "category_ranks": draw(prizes)},
        "flags": {"plus_one_speed": draw(symbols), "ware_steps": draw(symbols)},
        "rules": drawn_switches(draw, BASE.components["rules"], start_order=st.sampled_from(["turn", "reverse"])),
    }


KIT = Kit(
    game=STROZZI,
    variants=(*SHIPPED, *SWITCHES),
    paired=("long-tracks", "reverse-start", "second-lap"),
    variant=variant,
    narrow=variant,
    tiny={"setup": {"rounds": 1, "cards_removed": {"3": 27, "4": 28, "5": 28, "6": 28}}},
    opening=0,
    switches={
        "base": {},
        **{name: SWITCHES[name] for name in ("reverse-start", "second-lap", "ware-needs-match", "tile-optional")},
    },
    changes=variants(),
    deals=(3, 20, 150),
    choose=lambda chooser, legal: chooser.choice(legal),
    chance=chance_of,
    reference=_reference,
    option=option_of,
    question=_question,
    standing=_standing,
    unordered={"unseen_ship": "ships_unseen", "unseen_tile": "tiles_unseen"},
    choices=frozenset(),
    free=keys_of(tiles="display", reveal="ship", claim="flag", place="port", take_tile="tile replacement"),
    joining=frozenset(),
    golden=((3, "base"), (4, "base"), (5, "base"), (6, "base")),
)

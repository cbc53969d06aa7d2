"""What several tests of Strozzi share: variants that flip every switch, and games of the core beside the reference."""

import random
from collections.abc import Iterator
from typing import Any

from strozzi_sim.games import load_game
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.games.strozzi.reference import Game as Reference
from strozzi_sim.games.strozzi.view import view_of
from strozzi_sim.games.variants import Variant, from_changes, resolve_variant
from strozzi_sim.play.position import Position

STROZZI = load_game("strozzi")
BASE = resolve_variant(STROZZI, "base")

SWITCHES = {
    "base": {},
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
        "rules": {
            "start_order": "reverse", "second_lap": True, "ware_flag_needs_match": True, "tile_optional": True,
            "zero_total_scores": True, "florence_bonus": False,
        },
        "tracks": {"top_index": 10, "bonus": {"8": 5, "9": 10, "10": 15}},
    },
}  # fmt: skip


def variant(name: str) -> Variant:
    """One of SWITCHES, ready to play."""
    changes: dict[str, Any] = dict(SWITCHES[name])
    if name == "few-tiles":  # so few that the stack and the display run out
        changes["promotion_tiles"] = [
            {
                "id": f"T{k}",
                "category": s.CATEGORIES[k % 3],
                "value": 1 + k % 2,
                "ware": s.PORT_NAMES[k % 3] if k % 2 == 0 else "",
            }
            for k in range(7)
        ]
    return from_changes(STROZZI, name, changes, f"tests {name}")


def chance_of(lines: list[dict[str, Any]]) -> tuple[list[list[str]], list[str]]:
    """The ships of every round and the tiles, in the order in which the lines of a record show them."""
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
    return ships, tiles


def option_of(action: int, display: tuple[str, ...]) -> str | None:
    """An action of the core as the reference names it."""
    if action == s.DECLINE_TILE:
        return None
    if action >= s.TAKE_TILE:
        return display[action - s.TAKE_TILE]
    if action >= s.PLACE_AT:
        return s.PORT_NAMES[action - s.PLACE_AT]
    return "pass" if action == s.PASS else s.FLAG_NAMES[action - s.CLAIM_WITH]


def side_by_side(
    variant: Variant, players: int, deal: int, start_player: int = 0
) -> Iterator[tuple[Position, Reference]]:
    """Play one game at random in the core, then again in both, decision by decision, yielding before each and at the end."""
    chooser = random.Random(f"{variant.name} {players} {deal}")
    first = Position(STROZZI, variant, players, seed=11, deal=deal, start_player=start_player)
    script = []
    while not first.over:
        script.append(chooser.choice(first.legal))
        first.play(script[-1])
    ships, tiles = chance_of(first.lines())
    table = Position(STROZZI, variant, players, seed=11, deal=deal, start_player=start_player)
    reference = Reference(variant.components, players, ships, tiles, start_player)
    for action in script:
        yield table, reference
        option = option_of(action, view_of(table.state[0], variant.components, 0).display)
        table.play(action)
        reference.play(option)
    yield table, reference

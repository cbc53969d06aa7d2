"""What several tests of Medici vs Strozzi share: variants that flip every switch, and the core beside the reference."""

import random
from collections.abc import Iterator
from typing import Any

from strozzi_sim.games import load_game
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.reference import Game as Reference
from strozzi_sim.games.medici_vs_strozzi.reference import Option
from strozzi_sim.games.variants import Variant, from_changes, resolve_variant
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
        "switches": {
            "round_ends_when": "moored", "lone_worthless_ship_wins": True, "net_marker_movement": False,
            "buy_without_room": False, "hidden_cash": True,
        },
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


def option_of(action: int, components: dict[str, Any]) -> Option:
    """An action of the core as the reference names it."""
    if action >= s.NAME_PRICE:
        return action - s.NAME_PRICE
    if action >= s.LOAD:
        ship, harbor = divmod(action - s.LOAD, s.MAX_HARBORS)
        return components["ships"]["capacities"][ship], components["harbor"][harbor]["id"]
    return {s.REVEAL_MORE: "more", s.STOP: "stop", s.BUY: True, s.DECLINE: False, s.DISCARD: "discard"}[action]


def orders_of(lines: list[dict[str, Any]], components: dict[str, Any]) -> list[list[str]]:
    """The tiles of every round in the order in which the lines of a record show them, then the others."""
    everything = [name for name, *_ in tile_ids(components)]
    orders: list[list[str]] = []
    for line in lines:
        if line["type"] == "round":
            orders.append([])
        elif line["type"] == "reveal":
            orders[-1].append(line["tile"])
    return [order + [tile for tile in everything if tile not in order] for order in orders]


def chosen(chooser: random.Random, legal: tuple[int, ...]) -> int:
    """A random legal action, low prices more often than high ones."""
    if legal[0] >= s.NAME_PRICE and chooser.random() < 0.8:
        return chooser.choice(legal[:30])
    return chooser.choice(legal)


def side_by_side(variant: Variant, deal: int, start_player: int = 0) -> Iterator[tuple[Position, Reference]]:
    """Play one game at random in the core, then again in both, decision by decision, yielding before each and at the end."""
    chooser = random.Random(f"{variant.name} {deal}")
    first = Position(MEDICI_VS_STROZZI, variant, 2, seed=11, deal=deal, start_player=start_player)
    script = []
    while not first.over:
        script.append(chosen(chooser, first.legal))
        first.play(script[-1])
    table = Position(MEDICI_VS_STROZZI, variant, 2, seed=11, deal=deal, start_player=start_player)
    reference = Reference(variant.components, orders_of(first.lines(), variant.components), start_player)
    for action in script:
        yield table, reference
        table.play(action)
        reference.play(option_of(action, variant.components))
    yield table, reference

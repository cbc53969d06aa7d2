"""A summary of the rules for human players, with the numbers of the components; one line per paragraph."""

from collections.abc import Mapping
from typing import Any

_TEXT = """\
A game has {rounds} rounds. Each of you has ships for {capacities} tiles, and there are {harbors} harbors.
- The player in turn shows 1 to {most} tiles, one after another (more, stop), never more than fit on one of their ships.
- Then they name a price. The other player buys for that price, or declines; then the one who named it must buy. \
The bank is paid. Cash may fall below 0, without limit or interest.
- The buyer loads all the tiles on one ship that has room, or discards them. 5@H1 is the ship for 5 at harbor H1. A \
ship is moored with its first tile and stays; each of you may have one ship at a harbor. The buyer shows the next tiles.
- A round ends when {end}, or the bag is empty.
- At each harbor the ship with the higher total earns {majority} coins; a tie earns nothing.
- Each tile on a ship moves the marker of its kind at that harbor to your side by {other}, a tile of value 0 \
by {zero}, gold by {gold}. A marker off the centre then earns {monopoly} coins for its side, and its bonus on a bonus \
space (+). Markers stay for the next round; tiles and ships come back.
Most coins win."""


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return the rules in short."""
    moored = components["switches"]["round_ends_when"] == "moored"
    steps = components["marker_steps"]
    return _TEXT.format(
        rounds=components["rounds"]["count"],
        capacities=", ".join(map(str, components["ships"]["capacities"])),
        harbors=len(components["harbor"]),
        most=components["rounds"]["reveal_max"],
        end="every ship of a player holds a tile" if moored else "all ships of a player are full",
        majority=components["scoring"]["harbor_majority"],
        monopoly=components["scoring"]["monopoly"],
        other=steps["other_tile"],
        zero=steps["value_zero_tile"],
        gold=steps["gold_tile"],
    )

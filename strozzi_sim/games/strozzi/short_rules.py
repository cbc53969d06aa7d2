"""A summary of the rules for human players, with the numbers of the components; one line per paragraph."""

from collections.abc import Mapping
from typing import Any

_TEXT = """\
A game has {rounds} rounds. In each you have three flags and may place one ship at each of the three ports.
- The active seat turns over a ship card. It and then the others, clockwise, may pass or claim the card with a flag, \
once around. After a claim with plus_one or ware the seats that follow may only take it with their pirate flag; then \
the other flag goes back to its owner. A claim with the pirate flag is final.
- Who gets the card places it at a free port of their own. Ships lie there by speed, the fastest first; of equal ones \
the earlier. The plus_one flag adds {plus_one} to the speed of the ship.
- Your marker of that port goes up by the port's symbols on the card, and by {ware} with the ware flag. Your marker of \
florence goes up by the scrolls. A promotion symbol lets you choose a tile; a ware on it moves a marker, too.
- A card that all pass is set aside. The seat to the left of who got the card is active next.
- A round ends when no flag or no card is left. Ships pay {ships} at each port, the fastest first. Markers off the \
start pay {markers} in each city, the highest first; a tie goes to the one further left. Bonus spaces pay their bonus.
- After the last round the tiles of each category pay {categories} for the highest totals.
Most coins win; a tie goes to the better marker at florence."""


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return the rules in short."""
    prizes = components["scoring"]
    prize_lists = {
        name: " / ".join(map(str, prizes[key]))
        for name, key in (("ships", "ship_ranks"), ("markers", "marker_ranks"), ("categories", "category_ranks"))
    }
    flags = components["flags"]
    return _TEXT.format(
        rounds=components["setup"]["rounds"], plus_one=flags["plus_one_speed"], ware=flags["ware_steps"], **prize_lists
    )

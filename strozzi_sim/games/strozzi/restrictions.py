"""Actions that can be forbidden to a seat: flags, ports, ship cards and classes of them, promotion tiles, early claims."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError
from strozzi_sim.game.restricting import Use, read_limit
from strozzi_sim.games.strozzi.state import ALL_FLAGS, CATEGORIES, FLAG_NAMES, PORT_NAMES

_FLAGS = {f"flag:{flag}": f"the {flag} flag may not be used" for flag in FLAG_NAMES}
_PORTS = {f"port:{port}": f"no ship may be placed at {port}, while another port is free" for port in PORT_NAMES}
_CATEGORIES = {f"category:{name}": f"no tile of {name} may be taken, while there is another" for name in CATEGORIES}
_EARLY = "claim:before-N"


def names(components: Mapping[str, Any]) -> dict[str, str]:
    """Return every restriction with its description; N is a whole number above 0."""
    sails = sorted({ship["sail"] for ship in components["ships"]})
    return {
        **_FLAGS,
        **_PORTS,
        **_CATEGORIES,
        _EARLY: "no flag may be used before card N of a round",
        **{f"sail:{sail}": f"no flag may be used on a ship with sail {sail}" for sail in sails},
        **{f"card:{ship['id']}": f"no flag may be used on card {ship['id']}" for ship in components["ships"]},
        **{
            f"tile:{tile['id']}": f"tile {tile['id']} may not be taken, while there is another"
            for tile in components["promotion_tiles"]
        },
    }


def uses(components: Mapping[str, Any]) -> dict[str, Use | None]:
    """Return what `worth --all` measures, with the facts that show its use."""
    own: dict[str, Use | None] = {name: Use("ship", f"flag == {name[5:]}", among="order == 1") for name in _FLAGS}
    own |= {name: Use("ship", f"port == {name[5:]}", among="order == 1") for name in _PORTS}
    own |= {name: Use("tile", f"category == {name[9:]}") for name in _CATEGORIES}
    own |= {_EARLY.replace("N", str(number)): None for number in (2, 3)}
    facts = {"sail": ("ship", "sail"), "card": ("ship", "card"), "tile": ("tile", "tile")}
    rest = (name.partition(":") for name in names(components) if name.partition(":")[0] in facts)
    return own | {f"{kind}:{what}": Use(facts[kind][0], f"{facts[kind][1]} == {what}") for kind, _, what in rest}


def restrict(rules: Any, seat: int, name: str, components: Mapping[str, Any]) -> None:
    """Write a restriction of a seat into a row of the rules.

    Raises:
        InputError: the number is not a whole number above 0, or no flag is left, or no card: who may only pass has no decision.
    """
    kind, _, what = name.partition(":")
    rules["restricted"] = 1
    if kind == "flag":
        rules["no_flag"][seat] |= 1 << FLAG_NAMES.index(what)
    elif kind == "port":
        rules["no_port"][seat] |= 1 << PORT_NAMES.index(what)
    elif kind == "category":
        rules["no_category"][seat] |= 1 << CATEGORIES.index(what)
    elif kind == "claim":
        rules["first_claim"][seat] = max(int(rules["first_claim"][seat]), read_limit(name, "before"))
    elif kind == "tile":
        rules["no_tile"][seat] |= np.uint64(1 << [tile["id"] for tile in components["promotion_tiles"]].index(what))
    else:
        cards = [k for k, ship in enumerate(components["ships"]) if str(ship["id" if kind == "card" else kind]) == what]
        rules["no_card"][seat] |= np.uint64(sum(1 << card for card in cards))
    if rules["no_flag"][seat] == ALL_FLAGS:
        raise InputError(
            f"restriction {name} of seat {seat}: all three flags are forbidden; leave the seat one of them"
        )
    if int(rules["no_card"][seat]) == (1 << len(components["ships"])) - 1 or rules["first_claim"][seat] > min(
        cards for cards in rules["cards"] if cards
    ):
        raise InputError(f"restriction {name} of seat {seat}: all cards are forbidden; leave the seat one of them")

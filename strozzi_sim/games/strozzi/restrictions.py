"""Actions that can be forbidden to a seat: flags, ports, ship cards and classes of them, promotion tiles, early claims."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError
from strozzi_sim.game.restricting import Occasions, Use, read_limit
from strozzi_sim.games.strozzi.state import ALL_FLAGS, CATEGORIES, FLAG_NAMES, PORT_NAMES

_FLAGS = {f"flag:{flag}": f"the {flag} flag may not be used" for flag in FLAG_NAMES}
_PORTS = {f"port:{port}": f"no ship may be placed at {port}, while another port is free" for port in PORT_NAMES}
_CATEGORIES = {f"category:{name}": f"no tile of {name} may be taken, while there is another" for name in CATEGORIES}
_EARLY = "claim:before-N"

_ROUNDS, _GAMES, _SHIPS = Occasions("round", "rounds"), Occasions("seat", "games"), Occasions("ship", "ships taken")


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
    """Return what `worth --all` measures, with the facts that show its use.

    A round has one ship a seat at most of each flag, port and card, but several of a sail number.
    """
    return {name: _use(name) for given in names(components) for name in _with_numbers(given)}


def _with_numbers(name: str) -> list[str]:
    return [name.replace("N", str(number)) for number in (2, 3)] if name == _EARLY else [name]


def _use(name: str) -> Use:
    kind, _, what = name.partition(":")
    if kind == "claim":  # the first ship of the seat's round was early enough
        return Use("ship", f"order == 1 and number < {read_limit(name, 'before')}", _ROUNDS)
    if kind == "category":
        return Use(
            "category", f"category == {what} and tiles > 0", Occasions("category", "games", f"category == {what}")
        )
    if kind == "tile":
        return Use("tile", f"tile == {what}", _GAMES)
    return Use("ship", f"{kind} == {what}", _SHIPS if kind == "sail" else _ROUNDS)


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

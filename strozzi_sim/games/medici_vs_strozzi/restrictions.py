"""Actions that can be forbidden to a seat: large lots, high prices, to buy from its rival, a ship, a harbor."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.restricting import Occasions, Use, read_limit
from strozzi_sim.games.medici_vs_strozzi.state import MAX_HARBORS, MAX_SHIPS


def names(components: Mapping[str, Any]) -> dict[str, str]:
    """Return every restriction with its description; N is a whole number above 0."""
    return {
        "lot:above-N": "no more than N tiles may be shown for one lot",
        "price:above-N": "no price above N coins may be named",
        "buy:any": "the rival's lots may not be bought",
        **{
            f"ship:{size}": f"nothing may be loaded on the ship for {size}"
            for size in components["ships"]["capacities"]
        },
        **{f"harbor:{harbor['id']}": f"no ship may be moored at {harbor['id']}" for harbor in components["harbor"]},
    }


def uses(components: Mapping[str, Any]) -> dict[str, Use | None]:
    """Return what `worth --all` measures, with the facts that show its use.

    The proposer shows the tiles of a lot and names its price; the seat of its row is the buyer, who may be the
    responder.
    """
    shown = Occasions("lot", "lots shown")
    found: dict[str, Use | None] = {
        f"lot:above-{number}": Use("lot", f"tiles > {number}", shown, user="proposer") for number in (1, 2)
    }
    found |= {
        f"price:above-{coins}": Use("lot", f"price > {coins}", shown, user="proposer") for coins in (5, 10, 20, 30)
    }
    found["buy:any"] = Use("lot", "bought == yes", Occasions("lot", "offers", "asked == yes"))
    for size in components["ships"]["capacities"]:
        found[f"ship:{size}"] = Use(
            "ship", f"moored == yes and ship == {size}", Occasions("ship", "rounds", f"ship == {size}")
        )
    rounds = Occasions("round", "rounds")
    return found | {
        f"harbor:{each['id']}": Use("ship", f"harbor == {each['id']}", rounds) for each in components["harbor"]
    }


def restrict(rules: Any, seat: int, name: str, components: Mapping[str, Any]) -> None:
    """Write a restriction of a seat into a row of the rules.

    Raises:
        InputError: a number that is no whole number above 0.
    """
    kind, _, what = name.partition(":")
    if kind in ("lot", "price"):
        field = "most" if kind == "lot" else "price_cap"
        rules[field][seat] = min(int(rules[field][seat]), read_limit(name))
    elif kind == "buy":
        rules["no_buy"][seat] = 1
    else:
        sizes, ids = components["ships"]["capacities"], [harbor["id"] for harbor in components["harbor"]]
        ships = [sizes.index(int(what))] if kind == "ship" else list(range(MAX_SHIPS))
        harbors = [ids.index(what)] if kind == "harbor" else list(range(MAX_HARBORS))
        rules["no_place"][seat] |= sum(1 << ship * MAX_HARBORS + harbor for ship in ships for harbor in harbors)

"""Restrictions that a seat can have: on large lots, high prices, the rival's lots, a ship, a harbor."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.restricting import Occasions, Restriction, Use, at_most, never
from strozzi_sim.games.medici_vs_strozzi.state import MAX_HARBORS, MAX_SHIPS

_SHOWN, _ROUNDS = Occasions("lot", "lots shown"), Occasions("round", "rounds")


def restrictions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return every restriction by its name; N is a whole number above 0.

    Large lots and high prices are uses by the proposer; the column `seat` of a lot is its buyer, who may be the rival.
    """
    every_ship = sum(1 << ship * MAX_HARBORS for ship in range(MAX_SHIPS))
    lots, prices = Use("lot", "tiles > N", _SHOWN, "proposer"), Use("lot", "price > N", _SHOWN, "proposer")
    buys = Use("lot", "bought == yes", Occasions("lot", "offers", "asked == yes"))
    by_name = {
        "lot:above-N": Restriction(
            "no more than N tiles may be shown for one lot", at_most("most"), lots, (1, 2), "lots of more than N tiles"
        ),
        "price:above-N": Restriction(
            "no price above N coins may be named", at_most("price_cap"), prices, (5, 10, 20, 30), "prices above N coins"
        ),
        "buy:any": Restriction("the rival's lots may not be bought", never("no_buy", 1), buys, noun="the rival's lots"),
    }
    for k, size in enumerate(components["ships"]["capacities"]):
        berths = ((1 << MAX_HARBORS) - 1) << k * MAX_HARBORS
        use = Use("ship", f"moored == yes and ship == {size}", Occasions("ship", "rounds", f"ship == {size}"))
        by_name[f"ship:{size}"] = Restriction(
            f"nothing may be loaded on the ship for {size}", never("no_place", berths), use, noun=f"the ship for {size}"
        )
    for k, harbor in enumerate(data["id"] for data in components["harbor"]):
        use = Use("ship", f"harbor == {harbor}", _ROUNDS)
        text, noun = f"no ship may be moored at {harbor}", f"harbor {harbor}"
        by_name[f"harbor:{harbor}"] = Restriction(text, never("no_place", every_ship << k), use, noun=noun)
    return by_name

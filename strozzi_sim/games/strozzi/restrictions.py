"""What a seat can be made to do without: flags or their powers, ports, cards, sail numbers, tiles, early claims."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.game.restricting import Occasions, Restriction, Use, never
from strozzi_sim.games.strozzi.state import ALL_FLAGS, CATEGORIES, FLAG_NAMES, PORT_NAMES

# rows of the fact table: what they are called
_ROUNDS, _GAMES, _SHIPS = Occasions("round", "rounds"), Occasions("seat", "games"), Occasions("ship", "ships taken")
_POWERS = {
    "pirate": "it takes over no claim, and may be taken over",
    "plus_one": "it makes no ship faster",
    "ware": "it moves no marker",
}


def restrictions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return every restriction by its name; N is a whole number above 0.

    In a round a seat takes at most one ship with each flag, port and card, but several of a sail number. So uses are
    counted by round, those of a sail number by ship.
    """
    by_name = {}
    for k, flag in enumerate(FLAG_NAMES):
        use = Use("ship", f"flag == {flag}", _ROUNDS)
        noun = f"the {flag.replace('_', '-')} flag"
        text = f"{noun} may not be used, and claims no ship"
        by_name[f"flag:{flag}"] = Restriction(text, never("no_flag", 1 << k), use, noun=noun)
        text = f"{noun} only claims a ship: {_POWERS[flag]}"
        by_name[f"power:{flag}"] = Restriction(text, never("powerless", 1 << k), use, noun=f"the power of {noun}")
    for k, port in enumerate(PORT_NAMES):
        text = f"no ship may be placed at {port}, while another port is free"
        use, noun = Use("ship", f"port == {port}", _ROUNDS), f"the port of {port.title()}"
        by_name[f"port:{port}"] = Restriction(text, never("no_port", 1 << k), use, noun=noun)
    for k, name in enumerate(CATEGORIES):
        text = f"no tile of {name} may be taken, while there is another"
        occasions = Occasions("category", "games", f"category == {name}")
        use = Use("category", f"category == {name} and tiles > 0", occasions)
        by_name[f"category:{name}"] = Restriction(text, never("no_category", 1 << k), use, noun=f"tiles of {name}")
    early = Use("ship", "order == 1 and number < N", _ROUNDS)  # the seat took a ship of the round before card N
    text = "no flag may be used before card N of a round"
    by_name["claim:before-N"] = Restriction(text, _not_before, early, numbers=(2, 3), noun="claims before card N")
    sails = [ship["sail"] for ship in components["ships"]]
    for sail in sorted(set(sails)):
        cards = sum(1 << k for k, ship_sail in enumerate(sails) if ship_sail == sail)
        text, use = f"no flag may be used on a ship with sail {sail}", Use("ship", f"sail == {sail}", _SHIPS)
        by_name[f"sail:{sail}"] = Restriction(text, never("no_card", cards), use, noun=f"ships with sail {sail}")
    for k, card in enumerate(ship["id"] for ship in components["ships"]):
        use = Use("ship", f"card == {card}", _ROUNDS)
        text = f"no flag may be used on card {card}"
        by_name[f"card:{card}"] = Restriction(text, never("no_card", 1 << k), use, noun=f"card {card}")
    for k, tile in enumerate(data["id"] for data in components["promotion_tiles"]):
        text = f"tile {tile} may not be taken, while there is another"
        use = Use("tile", f"tile == {tile}", _GAMES)
        by_name[f"tile:{tile}"] = Restriction(text, never("no_tile", 1 << k), use, noun=f"tile {tile}")
    return by_name


def _not_before(rules: Any, seat: int, number: int) -> None:
    """Forbid flags before card `number` of a round; of two limits the later one holds."""
    rules["first_claim"][seat] = max(int(rules["first_claim"][seat]), min(number, 255))  # more than a round has


def check(rules: Any, seat: int, name: str) -> None:
    """Raise InputError for a seat that could only pass: no flag, no card, or a round may end before its first claim."""
    fewest = min(cards for cards in rules["cards"] if cards)  # by player count, 0 where there is no such game
    for why, could_only_pass in (
        ("all three flags are forbidden", rules["no_flag"][seat] == ALL_FLAGS),
        ("all cards are forbidden", int(rules["no_card"][seat]) == (1 << int(rules["ships"])) - 1),
        (f"a round may have only {fewest} cards", rules["first_claim"][seat] > fewest),
    ):
        if could_only_pass:
            raise InputError(f"restriction {name} of seat {seat}: {why}; leave the seat one of them")

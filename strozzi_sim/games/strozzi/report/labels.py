"""Labels of values in the tables of Strozzi."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.reporting import Tables, pick

WORDS = {
    "all": "all together",
    "pirate": "pirate",
    "plus_one": "plus one",
    "ware": "ware",
    "venice": "Venice",
    "rome": "Rome",
    "naples": "Naples",
    "florence": "Florence",
    "art": "art",
    "science": "science",
    "architecture": "architecture",
    "none": "none at all",
    "yes": "used",
    "no": "kept to the end",
}
BY_LABELS = {
    "sail": "sail number of the ship",
    "cargo": "wares on the ship, of all kinds",
    "match": "wares on the ship for the port it goes to",
    "round": "round",
    "lap": "seats after the active player (0 = that player)",
    "order": "a player's first, second, third ship of the round",
    "port": "port",
    "flag": "flag",
}


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of values in the tables; ships with what is printed on them in this variant."""
    words_of = dict(WORDS)
    for table in ("flags", "ports"):
        if table in tables:
            for breakdown, mark, link in (("pattern", ">", ", "), ("pair", "+", " and ")):
                for level in pick(tables[table], by=breakdown)["level"].unique():
                    if level not in words_of:
                        words_of[level] = link.join(WORDS[part] for part in level.split(mark))
    return words_of | {ship["id"]: ship_words(ship) for ship in data.get("ships", [])}


def ship_words(ship: Mapping[str, Any]) -> str:
    """Return the label of a ship card: "S12 · sail 5 · 2 Rome 1 Naples · 1 scroll · tile"."""
    parts = [str(ship["id"]), f"sail {ship['sail']}"]
    wares = [f"{ship[port]}{port[0].upper()}" for port in ("venice", "rome", "naples") if ship[port]]
    if wares:
        parts.append(" ".join(wares))
    if ship["scrolls"]:
        parts.append("scroll" if ship["scrolls"] == 1 else f"{ship['scrolls']} scrolls")
    if ship["promotion"]:
        parts.append("tile")
    return " · ".join(parts)

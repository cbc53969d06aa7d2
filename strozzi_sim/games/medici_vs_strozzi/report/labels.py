"""Labels of values in the tables of Medici vs Strozzi."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.reporting import Tables
from strozzi_sim.games.medici_vs_strozzi.fact_tables import ESTIMATES
from strozzi_sim.games.medici_vs_strozzi.state import MAX_REVEAL, MAX_ROUNDS, PLAYER_NAMES

MINUS = "\N{MINUS SIGN}"
WORDS = {
    "all": "all together",
    "none": "none",
    "both": "either could load it",
    "proposer": "the proposer",
    "responder": "the responder",
    "no_room": "no ship of the buyer had room",
    "denied": "chosen, the rival had room for it",
    "unwanted": "chosen, the rival had no room either",
    "gold": "gold",
}
BY_LABELS = {column.name: column.text for column in ESTIMATES.columns}
BY_LABELS["price"] = BY_LABELS["price_band"]


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return how the values in the tables are called: raw -> words; seats by their family, tracks by harbor and goods."""
    words_of = dict(WORDS)
    words_of |= {f"seat={seat}": f"{seat} ({name})" for seat, name in enumerate(PLAYER_NAMES)}
    words_of |= {f"tiles={size}": f"{size} tiles" if size > 1 else "1 tile" for size in range(1, MAX_REVEAL + 1)}
    words_of |= {f"round={number}": f"round {number}" for number in range(1, MAX_ROUNDS + 1)}
    for harbor in data.get("harbor", []):
        words_of |= {f"{harbor['id']}.{kind}": f"{harbor['id']} {kind}" for kind in harbor["tracks"]}
    for name, table in tables.items():
        for column in ("level", "column"):
            if column in table and (name in ("monopolies", "prices") or name.startswith("heat_")):
                negative = {level for level in table[column].unique() if level.startswith(("-", "<-"))}
                words_of |= {level: level.replace("-", MINUS) for level in negative}
    return words_of

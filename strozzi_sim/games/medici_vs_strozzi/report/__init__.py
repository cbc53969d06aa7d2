"""What a report of Medici vs Strozzi has: its tables, pictures, heat maps and sentences."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.medici_vs_strozzi.report import scores
from strozzi_sim.games.medici_vs_strozzi.report import tables as from_tallies
from strozzi_sim.games.medici_vs_strozzi.report.findings import sentences
from strozzi_sim.games.medici_vs_strozzi.report.heatmaps import HEATMAPS
from strozzi_sim.games.medici_vs_strozzi.report.pictures import PAGE_TITLES, pictures
from strozzi_sim.games.medici_vs_strozzi.report.words import words
from strozzi_sim.games.reporting import make_tables

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "pictures", "sentences", "tables", "words"]

_PAGES = {
    "balance": ((), scores.add_balance),
    "prices": (("tiles", "by", "level"), from_tallies.add_prices),
    "tiles": (("tile",), from_tallies.add_tiles),
    "harbors": (("harbor", "by", "level"), scores.add_harbors),
    "monopolies": (("track", "by", "level"), scores.add_monopolies),
    "rounds": (("round",), scores.add_rounds),
    "discards": (("by", "level"), from_tallies.add_discards),
}
PAGES = tuple(_PAGES)


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells; see `make_tables`.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    return make_tables(cells, pages, heatmaps, stats, _PAGES, HEATMAPS)

"""What a report of Medici vs Strozzi has: its tables, pictures, heat maps and sentences."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.medici_vs_strozzi import page_scores, page_tables
from strozzi_sim.games.medici_vs_strozzi.page_findings import sentences
from strozzi_sim.games.medici_vs_strozzi.page_heatmaps import HEATMAPS
from strozzi_sim.games.medici_vs_strozzi.page_pictures import PAGE_TITLES, pictures
from strozzi_sim.games.medici_vs_strozzi.page_words import words
from strozzi_sim.games.pages import make_tables

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "pictures", "sentences", "tables", "words"]

_PAGES = {
    "balance": ((), page_scores.add_balance),
    "prices": (("tiles", "by", "level"), page_tables.add_prices),
    "tiles": (("tile",), page_tables.add_tiles),
    "harbors": (("harbor", "by", "level"), page_scores.add_harbors),
    "monopolies": (("track", "by", "level"), page_scores.add_monopolies),
    "rounds": (("round",), page_scores.add_rounds),
    "discards": (("by", "level"), page_tables.add_discards),
}
PAGES = tuple(_PAGES)


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells; see `make_tables`.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    return make_tables(cells, pages, heatmaps, stats, _PAGES, HEATMAPS)

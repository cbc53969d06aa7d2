"""What a report of Strozzi has: its tables, pictures, heat maps and sentences."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.pages import make_tables
from strozzi_sim.games.strozzi import page_tables
from strozzi_sim.games.strozzi.page_findings import sentences
from strozzi_sim.games.strozzi.page_heatmaps import HEATMAPS
from strozzi_sim.games.strozzi.page_pictures import PAGE_TITLES, pictures
from strozzi_sim.games.strozzi.page_words import words

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "pictures", "sentences", "tables", "words"]

_PAGES = {
    "balance": ((), page_tables.add_balance),
    "flags": (("flag", "by", "level"), page_tables.add_flags),
    "ports": (("port", "by", "level"), page_tables.add_ports),
    "promotion": (("category", "place"), page_tables.add_promotion),
    "ships": (("ship",), page_tables.add_ships),
}
PAGES = tuple(_PAGES)


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells; see `make_tables`.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    return make_tables(cells, pages, heatmaps, stats, _PAGES, HEATMAPS)

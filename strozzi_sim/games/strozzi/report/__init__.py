"""What a report of Strozzi has: its tables, pictures, heat maps and sentences."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.reporting import make_tables
from strozzi_sim.games.strozzi.report import tables as from_tallies
from strozzi_sim.games.strozzi.report.findings import sentences
from strozzi_sim.games.strozzi.report.heatmaps import HEATMAPS
from strozzi_sim.games.strozzi.report.pictures import PAGE_TITLES, pictures
from strozzi_sim.games.strozzi.report.words import words

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "pictures", "sentences", "tables", "words"]

_PAGES = {
    "balance": ((), from_tallies.add_balance),
    "flags": (("flag", "by", "level"), from_tallies.add_flags),
    "ports": (("port", "by", "level"), from_tallies.add_ports),
    "promotion": (("category", "place"), from_tallies.add_promotion),
    "ships": (("ship",), from_tallies.add_ships),
}
PAGES = tuple(_PAGES)


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells; see `make_tables`.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    return make_tables(cells, pages, heatmaps, stats, _PAGES, HEATMAPS)

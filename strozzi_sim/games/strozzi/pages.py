"""What a report of Strozzi has: its tables, pictures, heat maps and sentences."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.pages import Tidy, check_names
from strozzi_sim.games.strozzi import page_tables
from strozzi_sim.games.strozzi.page_findings import sentences
from strozzi_sim.games.strozzi.page_heatmaps import HEATMAPS
from strozzi_sim.games.strozzi.page_pictures import PAGE_TITLES, pictures
from strozzi_sim.games.strozzi.page_words import words

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "pictures", "sentences", "tables", "words"]

PAGES = ("balance", "flags", "ports", "promotion", "ships")
_KEYS = {
    "balance": (),
    "flags": ("flag", "by", "level"),
    "ports": ("port", "by", "level"),
    "promotion": ("category", "place"),
    "ships": ("ship",),
}
_ADD = {
    "balance": page_tables.add_balance,
    "flags": page_tables.add_flags,
    "ports": page_tables.add_ports,
    "promotion": page_tables.add_promotion,
    "ships": page_tables.add_ships,
}


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells: `balance`, those of the pages, and heat_<name> of the heat maps.

    Args:
        cells: CellCounts of the study.
        pages: names out of PAGES.
        heatmaps: names out of HEATMAPS.
        stats: the module strozzi_sim.stats.intervals.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    check_names("page", pages, PAGES)
    check_names("heat map", heatmaps, HEATMAPS)
    found = {}
    for page in PAGES:
        if page == "balance" or page in pages:
            table = Tidy(*_KEYS[page])
            for cell in cells:
                _ADD[page](table, cell, stats)
            found[page] = table.frame()
    for name in dict.fromkeys(heatmaps):
        table = Tidy("row", "column")
        for cell in cells:
            for figure, (rows, columns, estimate) in HEATMAPS[name].count(cell, stats).items():
                table.add(cell, figure, estimate, row=rows, column=columns)
        found["heat_" + name.replace("-", "_")] = table.frame()
    return found

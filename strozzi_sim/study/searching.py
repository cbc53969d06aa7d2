"""What kinds of study that search have in common: a box, and heats, which are studies of boxes that they choose."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.variants import Variant
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import figures_of_games
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.running import PlayHeat
from strozzi_sim.study.targets import Measured, figures_by_chunk

ALARM_DEALS, ALARM_CHUNKS = 2000, 40  # of each box of which alarms are raised


@dataclass(frozen=True, kw_only=True)
class SearchStudy(Study):
    """A search that begins at one variant. It plays other studies, its heats, and has no chunks itself."""

    is_search, fixed = True, "a search"

    @property
    def chunks(self) -> int:
        """0: a search has no chunks, only its heats have."""
        return 0

    @property
    def can_grow(self) -> bool:
        """False: with more deals another search would choose other boxes."""
        return False

    @property
    def games(self) -> int:
        """0: the games are those of the heats."""
        return 0

    @cached_property
    def box(self) -> Variant:
        """The variant from which changes are counted."""
        (box,) = self.variant_of.values()
        return box

    def check(self) -> None:
        """Refuse options that only studies with chunks have, and several variants."""
        if self.precision or self.search_deals or self.luck:
            argument = "precision" if self.precision else "search_deals" if self.search_deals else "luck"
            raise ArgumentError(argument, "a search has none; it plays heats of its own")
        if len(self.variants) > 1:
            raise ArgumentError("variants", "changes are counted from one variant")


class Heats:
    """The heats of a search, in the order in which they are played.

    Args:
        study: the search.
        play_heat: plays a study.
        columns: the figures that are measured, of which follow the line-ups.
    """

    def __init__(self, study: SearchStudy, play_heat: PlayHeat, columns: Sequence[Measured]) -> None:
        self._study, self._play_heat, self._columns = study, play_heat, columns
        self._lineups = tuple(dict.fromkeys(column.lineup for column in columns))
        self._is_counted = any(column.is_counted for column in columns)
        self._rows: list[dict[str, int]] = []

    @property
    def table(self) -> pd.DataFrame:
        """The table `heats`: boxes, deals and games of every heat."""
        return pd.DataFrame(self._rows)

    def play(self, boxes: Sequence[Variant], deals: int, chunks: int) -> tuple[Array, int]:
        """Play boxes in a heat; return their columns by chunk, float64[B, C, F], and the deals played."""
        own_deals = max(deals // chunks, 1) * chunks
        cells = self._cells(boxes, self._lineups, own_deals, chunks, ("balance",) if self._is_counted else ())
        return np.stack([self._columns_of(cells, box.name) for box in boxes]), own_deals

    def alarm_tables(self, boxes: Sequence[Variant]) -> dict[str, Any]:
        """Play boxes in a heat, and return the tables on which the game's alarms are raised."""
        search = self._study
        alarms = report_of(search.the_game).alarms.values()
        pages = tuple(dict.fromkeys(["balance", *(alarm.table for alarm in alarms)]))
        cells = self._cells(boxes, search.lineups, ALARM_DEALS, ALARM_CHUNKS, pages)
        tables = figures_of_games(search.the_game, cells, pages, {})
        return {page: tables[page].frame() for page in pages}

    def _cells(
        self,
        boxes: Sequence[Variant],
        lineups: Sequence[tuple[str, ...]],
        deals: int,
        chunks: int,
        pages: tuple[str, ...],
    ) -> list[CellCounts]:
        """Play boxes in a heat with the facts of these pages, and return its cells with their counts."""
        search, number = self._study, len(self._rows)
        heat = Study.of(
            kind="balance",
            game=search.the_game,
            players=search.players,
            # agents declared in code are found by no text
            lineups=[[search.specs.get(agent, agent) for agent in lineup] for lineup in lineups],
            variants=tuple(boxes),
            deals=deals,
            chunks=chunks,
            seatings=search.seatings,
            seed=seed_of(search.kind, search.seed, number),
        )
        cells = self._play_heat(heat, Look(name=f"heat-{number}", pages=pages))
        self._rows.append({"heat": number, "boxes": len(boxes), "deals": deals, "games": heat.games})
        return cells

    def _columns_of(self, cells: Sequence[CellCounts], name: str) -> Array:
        own = [cell for cell in cells if cell.variant == name]
        balances = dict[int, dict[str, Any]]()
        for cell in own if self._is_counted else ():
            balance = figures_of_games(self._study.the_game, [cell], ["balance"], {}, sums=True)["balance"]
            balances[cell.number] = {part.figure.name: part.estimate for part in balance.parts}
        return figures_by_chunk(own, balances, self._columns)


def seed_of(kind: str, seed: int, heat: int) -> int:
    """Return the seed of a heat: one-way hashes, so that no two searches or heats share deals.

    >>> seed_of("tune", 7, 0) == seed_of("tune", 7, 1), seed_of("tune", 7, 1) < 2**53
    (False, True)
    """
    digest = hashlib.sha256(f"{kind} {seed} {heat}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 11

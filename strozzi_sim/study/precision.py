"""The stopping rule of a study with a precision: which chunks suffice for all its headlines."""

from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import CELL, FigureTable, Tables, pick
from strozzi_sim.declare.significance import not_excluded
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.precision import ALPHA, FIRST_LOOK, mean_half_width, share_interval
from strozzi_sim.study.cells import Headline
from strozzi_sim.study.model import POINTS, Study
from strozzi_sim.study.store import Store

DIFFERENCE = WIN_SHARE.difference("win_share_difference", "less that of the reference")
_PART_OF_SHARES = 0.1  # part of a difference's error probability that the intervals of its two shares take


class Precision:
    """The stopping rule of a study with a precision, and the table of its headlines."""

    def __init__(self, study: Study, store: Store) -> None:
        self._study, self._store = study, store
        self._half_width = study.precision / POINTS
        self._headlines = study.headlines()
        self._order = list(self._headlines)  # order in which they are checked
        self._shares_read: dict[tuple[int, str], list[Array]] = {}  # by cell and side, an array for each chunk

    def is_met(self, chunks: int) -> bool:
        """Return whether every headline is known after this number of chunks; False before FIRST_LOOK."""
        if chunks < FIRST_LOOK:
            return False
        for k, headline in enumerate(self._order):
            if not self._study.is_known(*self._interval(headline, chunks)):
                self._order = [*self._order[k:], *self._order[:k]]  # check this one first next time
                return False
        return True

    def table(self, chunks: int) -> Any:
        """Return the headlines after this number of chunks; `known` is 1 for those that are known to the precision."""
        table = FigureTable("by", "level", "than")
        is_known = []
        for headline in self._headlines:
            (cell, by, level, than), interval = headline, self._interval(headline, chunks)
            is_known.append(self._study.is_known(*interval))
            low, value, high = map(np.asarray, interval)
            estimate = Estimate(value, low, high, np.asarray(cell.deals * cell.match.games_per_deal))
            reference = "" if than is None else than.lineup if than.variant == cell.variant else than.variant
            figure = WIN_SHARE if than is None else DIFFERENCE
            table.add(cell, figure, estimate, by=by, level=level, than=reference)
        return table.frame().astype({"level": "int64"}).assign(known=np.array(is_known, np.int64))

    def _interval(self, headline: Headline, chunks: int) -> tuple[float, float, float]:
        ends = np.minimum(np.arange(chunks + 1) * self._study.chunk_deals, self._study.deals)
        weights = np.diff(ends)
        deals = int(ends[-1])
        by_chunk = self._shares_by_chunk(headline, chunks)
        if headline.than is None:
            value = float(np.average(by_chunk, weights=weights))
            low, high = self._share_interval(headline, by_chunk, value, deals, ALPHA)
            return low, value, high
        # The interval of a difference comes from its chunks; if it is too wide, those of the two shares narrow it.
        other = headline._replace(cell=headline.than, than=None)
        by_chunk = by_chunk - self._shares_by_chunk(other, chunks)
        if not by_chunk.any():  # taken as: no deal has differed, so the difference is at most the share that may differ
            rare = float(share_interval(np.zeros(1), deals, self._half_width)[1][0])
            return -rare, 0.0, rare
        value = float(np.average(by_chunk, weights=weights))
        half = float(mean_half_width(by_chunk, (1 - _PART_OF_SHARES) * ALPHA))
        low, high = value - half, value + half
        if half > self._half_width:
            sides = [(part, self._shares_by_chunk(part, chunks)) for part in (headline._replace(than=None), other)]
            alpha = _PART_OF_SHARES * ALPHA / 2
            intervals = [self._share_interval(part, each, float(each.mean()), deals, alpha) for part, each in sides]
            first, second = intervals
            low, high = max(low, first[0] - second[1]), min(high, first[1] - second[0])
        return low, value, high

    def _share_interval(
        self, headline: Headline, shares: Array, value: float, deals: int, alpha: float
    ) -> tuple[float, float]:
        """Return low and high of a share of wins; `shares` is its value in each chunk."""
        if headline.by == "position" and len(set(headline.cell.positions)) == 1 and (shares == shares[0]).all():
            return value, value  # copies that sit in every seat win equally often
        # The mean over a deal's seatings varies less than a game, so a position has a second interval, from chunks.
        of_deals, half = alpha, np.inf
        if headline.by != "seat":
            of_deals, half = alpha / 2, float(mean_half_width(shares, alpha / 2))
        low, high = share_interval(np.array([value]), deals, self._half_width, of_deals)
        return max(float(low[0]), value - half), min(float(high[0]), value + half)

    def _shares_by_chunk(self, headline: Headline, chunks: int) -> Array:
        shares_of_chunks = self._shares_read.setdefault((headline.cell.number, headline.by), [])
        if len(shares_of_chunks) < chunks:
            outcome = self._store.outcome(headline.cell, range(len(shares_of_chunks), chunks))
            wins, played = (outcome[field].sum(axis=1 if headline.by == "seat" else 2) for field in ("wins", "played"))
            shares_of_chunks += list(wins / np.maximum(played, 1) / WIN_UNITS)
        return np.array([shares[headline.level] for shares in shares_of_chunks[:chunks]])


def missed_wins(tables: Tables, wins: pd.DataFrame, chunks: int) -> float:
    """Return the largest change of a share of wins that is not excluded; NaN without intervals.

    `wins` has rows of the table changes of one cell. The table precision, if there, is asked too: its intervals are
    wider, since they are valid whenever play stops.
    """
    size = not_excluded(wins, chunks=chunks, span=(-wins["before"], 1 - wins["before"]))
    if "precision" not in tables or wins.empty:
        return size
    cell = {key: wins[key].iloc[0] for key in (*CELL, "than")}
    ends = pick(tables["precision"], **cell, figure=DIFFERENCE.name)[["low", "high"]].abs()
    return max([size, *ends.max()]) if len(ends) else size

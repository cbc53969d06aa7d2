"""Play until every headline of a study is known to its precision: the rule that stops, and the table of the headlines."""

import numpy as np
import pandas as pd

from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.precision import ALPHA, mean_half_width, share_interval
from strozzi_sim.study.cells import CountsOfChunks, Headline
from strozzi_sim.study.model import Study

_BY_THEMSELVES = 0.1  # of the error of a difference goes to its two shares
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "by": "str", "level": "int64", "than": "str", "figure": "str",
    "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64", "known": "int64",
}  # fmt: skip


class Precision:
    """The rule of a study with a precision."""

    def __init__(self, study: Study, counts: CountsOfChunks) -> None:
        self._study, self._counts, self._half = study, counts, study.precision / 100
        self._headlines = study.headlines()
        self._open = list(self._headlines)
        self._shares: dict[tuple[int, str], list[Array]] = {}  # by cell and side, an array for each chunk

    def is_met(self, chunks: int) -> bool:
        """Return whether every headline is known after so many chunks."""
        if chunks < FIRST_LOOK:
            return False
        for k, each in enumerate(self._open):
            if not self._study.is_known(*self._interval(each, chunks)):
                self._open = [*self._open[k:], *self._open[:k]]  # the last to be known is asked first
                return False
        return True

    def table(self, chunks: int) -> pd.DataFrame:
        """Return the headlines after so many chunks; `known` is 1 for those that are known to the precision."""
        deals, rows = self._deals(chunks)[-1], []
        for each in self._headlines:
            low, value, high = self._interval(each, chunks)
            cell, than = each.cell, each.than
            less = "" if than is None else than.lineup if than.variant == cell.variant else than.variant
            figure = "win_share" if than is None else "win_share_difference"
            known = int(self._study.is_known(low, value, high))
            where = (cell.players, cell.variant, cell.lineup, each.by, each.level, less, figure)
            rows.append((*where, value, low, high, deals * cell.match.games_per_deal, deals, known))
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)

    def _deals(self, chunks: int) -> list[int]:
        """Return the number of deals after each chunk."""
        return [min((chunk + 1) * self._study.chunk_deals, self._study.deals) for chunk in range(chunks)]

    def _interval(self, each: Headline, chunks: int) -> tuple[float, float, float]:
        """Return low, value and high of a headline."""
        ends = self._deals(chunks)
        weights, deals = np.diff(ends, prepend=0), ends[-1]
        own = self._shares_of(each, chunks)
        if each.than is None:
            value = float(np.average(own, weights=weights))
            low, high = self._share(each, own, value, deals, ALPHA)
            return low, value, high
        # A difference is known chunk by chunk; or, if too few chunks differ, from the two shares.
        other = each._replace(cell=each.than, than=None)
        own = own - self._shares_of(other, chunks)
        if not own.any():  # no deal has differed, so a difference is at most the share of deals that may differ
            rare = float(share_interval(np.zeros(1), deals, self._half)[1][0])
            return -rare, 0.0, rare
        value = float(np.average(own, weights=weights))
        half = float(mean_half_width(own, (1 - _BY_THEMSELVES) * ALPHA))
        low, high = value - half, value + half
        if half > self._half:
            sides = [(part, self._shares_of(part, chunks)) for part in (each._replace(than=None), other)]
            alpha = _BY_THEMSELVES * ALPHA / 2
            one, two = (self._share(part, shares, float(shares.mean()), deals, alpha) for part, shares in sides)
            low, high = max(low, one[0] - two[1]), min(high, one[1] - two[0])
        return low, value, high

    def _share(self, each: Headline, own: Array, value: float, deals: int, alpha: float) -> tuple[float, float]:
        """Return low and high of a share of wins; `own` is its value in each chunk."""
        if each.by == "position" and len(set(each.cell.positions)) == 1 and (own == own[0]).all():
            return value, value  # copies that sit in every seat win equally often
        # Seatings of a deal may vary less than games, so a position has two intervals.
        of_deals, half = (alpha, np.inf) if each.by == "seat" else (alpha / 2, float(mean_half_width(own, alpha / 2)))
        low, high = share_interval(np.array([value]), deals, self._half, of_deals)
        return max(float(low[0]), value - half), min(float(high[0]), value + half)

    def _shares_of(self, each: Headline, chunks: int) -> Array:
        """Return a share of wins by chunk, float64[C]."""
        known = self._shares.setdefault((each.cell.number, each.by), [])
        if len(known) < chunks:
            outcome = self._counts(each.cell, range(len(known), chunks)).outcome
            wins, played = (outcome[field].sum(axis=1 if each.by == "seat" else 2) for field in ("wins", "played"))
            known += list(wins / np.maximum(played, 1) / WIN_UNITS)
        return np.array([shares[each.level] for shares in known[:chunks]])

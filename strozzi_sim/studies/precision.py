"""Play until every headline figure of a study is known to a precision: its figures, the rule that stops, and the table of them.

The headline figures are the share of wins of every seat where an agent plays itself, of every position of other line-ups, and, with
several variants, the difference of each from the first variant, or in a sweep from that of the published values. A comparison of agents asks for the compared agent and the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from strozzi_sim.errors import check_range
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.precision import (
    ALPHA,
    CHUNKS_AT_MOST,
    FEWEST_IN_CHUNK,
    mean_half_width,
    most_deals,
    reach,
    share_interval,
)
from strozzi_sim.studies.plan import Cell, Plan

if TYPE_CHECKING:
    import pandas as pd

    from strozzi_sim.studies.store import MemoryStore

_BY_THEMSELVES = 0.1  # of the error of a difference goes to its shares by themselves
POINTS = 100  # a precision is in points of a share of wins
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "by": "str", "level": "int64", "than": "str", "figure": "str",
    "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64", "known": "int64",
}  # fmt: skip


class Headline(NamedTuple):
    """A figure to know: the share of wins of a seat or position in a cell, less that in another cell if there is one."""

    cell: Cell
    by: str
    level: int
    than: Cell | None = None

    @property
    def figure(self) -> str:
        """Its name in the table."""
        return "win_share" if self.than is None else "win_share_difference"

    @property
    def less(self) -> str:
        """What is subtracted: a variant or a line-up, or ""."""
        if self.than is None:
            return ""
        same = self.than.match.variant.name == self.cell.match.variant.name
        return self.than.lineup if same else self.than.match.variant.name


def deals_for(precision: float, deals: int | None, *, paired: bool) -> tuple[int, int]:
    """Return the largest number of deals of a study of this precision, and its number of chunks.

    Args:
        precision: half width in points of a share of wins.
        deals: the most deals that the user allows, if that is fewer; None: what the precision can take.
        paired: whether differences are headline figures.

    Raises:
        InputError: `precision` is out of range.
    """
    check_range("precision", precision, 0.01, 25)
    most = most_deals(precision / POINTS, paired=paired)
    chunks = max(1, min(CHUNKS_AT_MOST, (most if deals is None else min(deals, most)) // FEWEST_IN_CHUNK))
    most = -(-most // chunks) * chunks  # chunks of equal size
    return (most if deals is None else min(deals, most)), chunks


def headlines(plan: Plan, *, differences: bool = True) -> list[Headline]:
    """Return the headline figures of a study; those of line-ups that play fewer deals, or measure worth, are none."""
    found: list[Headline] = []
    reference = {
        (cell.match.players, cell.lineup): cell for cell in plan.lineup_cells if cell.match.variant is plan.reference
    }
    most = max(cell.deals for cell in plan.lineup_cells)
    for cell in plan.lineup_cells:
        if cell.deals < most:
            continue
        by = "seat" if cell.selfplay else "position"
        than = reference[cell.match.players, cell.lineup]
        for level in range(cell.match.players):
            found.append(Headline(cell, by, level))
            if differences and than is not cell:
                found.append(Headline(cell, by, level, than))
    return found


class Precision:
    """The rule that stops a study, and the table of its headline figures.

    Args:
        asked: the headline figures.
        half_width: the precision, as a part of 1.
        decided: whether a figure need not be known to the precision: it is enough that a difference of this size is found or excluded.
    """

    def __init__(self, asked: Sequence[Headline], half_width: float, *, decided: bool = False) -> None:
        self.asked, self.half_width, self.decided = asked, half_width, decided
        self._open = list(asked)
        self._shares: dict[tuple[int, str], list[Array]] = {}  # of each chunk, by cell and seat or position

    def stop(self, plan: Plan, store: MemoryStore) -> bool:
        """Whether every headline figure is known, in the chunks of the plan."""
        if plan.chunks < FIRST_LOOK:
            return False
        for k, each in enumerate(self._open):
            if not self._is_known(*self._interval(each, plan, store)):
                self._open = [*self._open[k:], *self._open[:k]]  # the last to be known is asked first
                return False
        return True

    def table(self, plan: Plan, store: MemoryStore) -> pd.DataFrame:
        """Return the headline figures: players, variant, lineup, by, level, than, figure, value, low, high, n, deals, known (0 or 1)."""
        import pandas as pd

        rows = [
            (
                each.cell.match.players, each.cell.match.variant.name, each.cell.lineup, each.by, each.level, each.less,
                each.figure, value, low, high, plan.deals * each.cell.match.games_per_deal, plan.deals,
                int(self._is_known(low, value, high)),
            )
            for each in self.asked
            for low, value, high in (self._interval(each, plan, store),)
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)

    def _is_known(self, low: float, value: float, high: float) -> bool:
        """Return whether an interval reaches no further from its value than the precision, or decides if there is a difference."""
        if self.decided:
            return low > 0 or high < 0 or max(high, -low) <= self.half_width
        return bool(reach(value, low, high) <= self.half_width)

    def _interval(self, each: Headline, plan: Plan, store: MemoryStore) -> tuple[float, float, float]:
        """Return low, value and high of a headline figure."""
        weights = np.diff([plan.chunk_range(chunk)[1] for chunk in range(plan.chunks)], prepend=0)
        own = self._shares_of(store, each, plan.chunks)
        if each.than is None:
            value = float(np.average(own, weights=weights))
            low, high = self._share(each, own, value, plan.deals, ALPHA)
            return low, value, high
        # A difference is known chunk by chunk; or, if too few chunks differ, from the shares by themselves.
        other = each._replace(cell=each.than, than=None)
        own = own - self._shares_of(store, other, plan.chunks)
        if not own.any():  # no deal has differed, so a difference is at most the share of deals that may differ
            rare = float(share_interval(np.zeros(1), plan.deals, self.half_width)[1][0])
            return -rare, 0.0, rare
        value = float(np.average(own, weights=weights))
        half = float(mean_half_width(own, (1 - _BY_THEMSELVES) * ALPHA))
        low, high = value - half, value + half
        if half > self.half_width:
            one, two = (
                self._share(part, shares, float(shares.mean()), plan.deals, _BY_THEMSELVES * ALPHA / 2)
                for part in (each._replace(than=None), other)
                for shares in (self._shares_of(store, part, plan.chunks),)
            )
            low, high = max(low, one[0] - two[1]), min(high, one[1] - two[0])
        return low, value, high

    def _share(self, each: Headline, own: Array, value: float, deals: int, alpha: float) -> tuple[float, float]:
        """Return low and high of a share of wins; `own` holds its chunks, float64[C]."""
        if each.by == "position" and len(set(each.cell.match.positions)) == 1 and (own == own[0]).all():
            return value, value  # copies that sit in every seat win equally often
        by_deal = (
            alpha if each.by == "seat" else alpha / 2
        )  # seatings of a deal may vary less than games: two intervals
        low, high = share_interval(np.array([value]), deals, self.half_width, by_deal)
        half = np.inf if each.by == "seat" else float(mean_half_width(own, alpha / 2))
        return max(float(low[0]), value - half), min(float(high[0]), value + half)

    def _shares_of(self, store: MemoryStore, each: Headline, chunks: int) -> Array:
        """Return a share of wins by chunk, float64[C]."""
        known = self._shares.setdefault((each.cell.number, each.by), [])
        for chunk in range(len(known), chunks):
            outcome = store.read((each.cell.number, chunk))[0][0]
            wins, played = (outcome[field].sum(axis=0 if each.by == "seat" else 1) for field in ("wins", "played"))
            known.append(wins / np.maximum(played, 1) / WIN_UNITS)
        return np.array([shares[each.level] for shares in known[:chunks]])

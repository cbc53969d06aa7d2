"""Statistics of play from NumPy counts by chunk: intervals, differences and tests."""

from strozzi_sim.stats.differences import difference, paired, variance_saved
from strozzi_sim.stats.intervals import Estimate, ratio
from strozzi_sim.stats.multiple_testing import benjamini_hochberg, benjamini_yekutieli, holm
from strozzi_sim.stats.quantiles import quantiles
from strozzi_sim.stats.seats import SeatGap, equal_shares_p, seat_gap

__all__ = [
    "Estimate",
    "SeatGap",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "difference",
    "equal_shares_p",
    "holm",
    "paired",
    "quantiles",
    "ratio",
    "seat_gap",
    "variance_saved",
]

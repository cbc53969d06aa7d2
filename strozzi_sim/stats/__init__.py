"""Statistics of play from NumPy counts by chunk: intervals, differences and tests."""

from strozzi_sim.stats.differences import difference, paired, variance_saved
from strozzi_sim.stats.intervals import Estimate, Sums, ratio
from strozzi_sim.stats.multiple_testing import benjamini_hochberg, holm
from strozzi_sim.stats.quantiles import quantiles
from strozzi_sim.stats.seats import SeatGap, equal_shares_p, seat_gap

__all__ = ["Estimate", "SeatGap", "Sums", "benjamini_hochberg", "difference", "equal_shares_p", "holm", "paired"]
__all__ += ["quantiles", "ratio", "seat_gap", "variance_saved"]

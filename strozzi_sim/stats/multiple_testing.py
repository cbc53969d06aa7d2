"""p-values adjusted for multiple testing. NaN stays NaN."""

from collections.abc import Callable

import numpy as np

from strozzi_sim.stats.intervals import Array


def holm(p_values: Array) -> Array:
    """Return adjusted p-values that control the family-wise error rate (Holm 1979)."""
    from statsmodels.stats.multitest import multipletests

    return _of_known(p_values, lambda known: multipletests(known, method="holm")[1])


def benjamini_hochberg(p_values: Array) -> Array:
    """Return adjusted p-values that control the false discovery rate (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return _of_known(p_values, false_discovery_control)


def _of_known(p_values: Array, adjust: Callable[[Array], Array]) -> Array:
    p_values = np.asarray(p_values, np.float64)
    result = np.full(p_values.shape, np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        result[known] = adjust(p_values[known])
    return result

"""Several tests judged together: p-values that allow for how many there are. NaN stays NaN."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def holm(p_values: Array) -> Array:
    """Adjusted p-values that keep the chance of any false alarm (Holm 1979)."""
    p_values = np.asarray(p_values, np.float64)
    result = np.full(p_values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    result[order] = np.minimum(np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1)), 1.0)
    return result


def benjamini_hochberg(p_values: Array) -> Array:
    """Adjusted p-values that keep down the share of false alarms (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    p_values = np.asarray(p_values, np.float64)
    result = np.full(p_values.shape, np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        result[known] = false_discovery_control(p_values[known])
    return result

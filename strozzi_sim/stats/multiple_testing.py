"""p-values adjusted for multiple testing. NaN stays NaN."""

from collections.abc import Callable

import numpy as np

from strozzi_sim.stats.intervals import Array


def holm(p_values: Array) -> Array:
    """Return adjusted p-values that control the family-wise error rate (Holm 1979).

    Bit for bit those of statsmodels' `multipletests`, which collects garbage at every call: 0.14 s, and a study of 18
    variants has 476 families.
    """

    def adjust(values: Array) -> Array:
        order = np.argsort(values)
        steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
        adjusted = np.empty_like(values)
        adjusted[order] = np.minimum(steps, 1)
        return adjusted

    return _adjust_known(p_values, adjust)


def benjamini_hochberg(p_values: Array) -> Array:
    """Return adjusted p-values that control the false discovery rate (Benjamini and Hochberg 1995).

    Bit for bit those of `scipy.stats.false_discovery_control`, whose import takes 0.7 s.
    """

    def adjust(values: Array) -> Array:
        order = np.argsort(values)
        number = len(values)
        steps = values[order] * (number / np.arange(1, number + 1))
        adjusted = np.empty_like(values)
        adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
        return np.clip(adjusted, 0, 1)

    return _adjust_known(p_values, adjust)


def _adjust_known(p_values: Array, adjust: Callable[[Array], Array]) -> Array:
    p_values = np.asarray(p_values, np.float64)
    result = np.full(p_values.shape, np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        result[known] = adjust(p_values[known])
    return result

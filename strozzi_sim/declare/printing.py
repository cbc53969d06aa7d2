"""Figures as text: a value rounded to the digits that its interval makes meaningful, and the interval beside it."""

from typing import Any

import numpy as np

from strozzi_sim.declare.pictures import Unit
from strozzi_sim.runtime.digits import decimals, most_digits, rounded_ends, rounded_up

THIN = "\N{NARROW NO-BREAK SPACE}"
_SYMMETRIC = 1.25  # largest ratio of the sides of an interval that is shown as value ± half-width
_DIGITS: dict[Unit, int] = {"share": 1, "amount": 1, "number": 2, "count": 0}


def factor_of(unit: Unit) -> int:
    """Return the factor by which a shown figure is multiplied: 100 for a share, shown in per cent, else 1."""
    return 100 if unit == "share" else 1


def format_value(value: float, unit: Unit, digits: int | None = None, *, sign: str = f"{THIN}%") -> str:
    """Return a figure as text, a share in per cent followed by `sign`; `digits` -1 rounds to tens; NaN is a dash."""
    if np.isnan(value):
        return "\N{EN DASH}"
    digits = _DIGITS[unit] if digits is None else digits
    shown = round(factor_of(unit) * value, digits)
    return f"{shown:z,.{max(digits, 0)}f}{sign if unit == 'share' else ''}".replace("-", "\N{MINUS SIGN}")


def half_width(row: Any) -> float:
    """Return the distance from a row's value to the farther end of its interval; NaN without an interval."""
    return float(max(row.high - row.value, row.value - row.low))


def digits_for(value: float, half: float, unit: Unit, most: int = 2) -> int:
    """Return the number of decimals of a figure with this half-width (0 or NaN: without interval); negative: tens.

    Counts without an interval have all their digits. With `most` = 0 a narrow interval adds no decimals to the unit's.
    """
    if not half > 0:
        return 0 if unit == "count" else decimals(factor_of(unit) * value, 0.0, _DIGITS[unit])
    digits = decimals(factor_of(unit) * value, factor_of(unit) * half, max(_DIGITS[unit], most))
    return max(digits, 0) if unit == "share" else digits


def format_row(row: Any, unit: Unit) -> str:
    """Return a row's figure as text without its interval, rounded to the digits that the interval makes meaningful."""
    return format_value(row.value, unit, digits_for(row.value, half_width(row), unit, 0))


def format_half_width(row: Any, unit: Unit, digits: int) -> str:
    """Return the half-width of a row's interval as text, rounded up at these decimals: 0.95 to 1; "" without one."""
    half = factor_of(unit) * half_width(row)
    if np.isnan(half):
        return ""
    half = rounded_up(half, digits)
    return f"{half:,.{max(min(digits, most_digits(half)), 0)}f}" if half > 0 else "0"


def is_plus_minus(row: Any, unit: Unit) -> bool:
    """Return whether value ± half-width tells a row's interval: nearly symmetric, and for a share in 0 to 100 %.

    >>> row = pd.Series({"value": 0.08, "low": 0.01, "high": 0.22})
    >>> is_plus_minus(row, "share"), is_plus_minus(row.replace(0.22, 0.15), "share")
    (False, True)
    """
    half, nearer = half_width(row), min(row.high - row.value, row.value - row.low)
    leaves_range = unit == "share" and (row.low >= 0 > row.value - half or row.high <= 1 < row.value + half)
    return bool(half <= _SYMMETRIC * nearer and not leaves_range)


def format_interval(row: Any, unit: Unit, digits: int) -> str:
    """Return the ends of a row's interval with these decimals: "29.9 to 31.1"."""
    low, high = rounded_ends(factor_of(unit) * row.low, factor_of(unit) * row.high, digits)
    return " to ".join(format_value(end / factor_of(unit), unit, digits, sign="") for end in (low, high))


def format_beside(row: Any, unit: Unit, digits: int) -> str:
    """Return a row's interval as text to stand after its value: "± 0.6" or "(29.9 to 31.1)"; "" without one."""
    if np.isnan(row.low) or row.low == row.high:
        return ""
    if is_plus_minus(row, unit):
        return f"±{THIN}{format_half_width(row, unit, digits)}"
    return f"({format_interval(row, unit, digits)})"


def format_estimate(row: Any, unit: Unit) -> str:
    """Return a row's figure as text: value ± half-width, or `format_range` if that would not tell the interval."""
    if np.isnan(row.value):
        return "no value"
    if np.isnan(row.low) or row.low == row.high:
        return format_row(row, unit)
    if not is_plus_minus(row, unit):
        return format_range(row, unit)
    digits = digits_for(row.value, half_width(row), unit)
    value, half_text = format_value(row.value, unit, digits, sign=""), format_half_width(row, unit, digits)
    return f"{value}{THIN}±{THIN}{half_text}{THIN + '%' if unit == 'share' else ''}"


def format_range(row: Any, unit: Unit) -> str:
    """Return a row's figure as text with the ends of its interval, if it has one: "30.5 % (29.9 to 31.1)"."""
    if np.isnan(row.low):
        return format_row(row, unit)
    digits = digits_for(row.value, half_width(row), unit)
    return f"{format_value(row.value, unit, digits)} ({format_interval(row, unit, digits)})"

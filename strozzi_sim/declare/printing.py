"""Figures as text: a value rounded to the digits that its interval makes meaningful, and the interval beside it.

No number is outside the range of its figure. A row has value, low and high, NaN where they are not known.
"""

from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np

from strozzi_sim.facts.figures import Figure

THIN = "\N{NARROW NO-BREAK SPACE}"
ALL_DIGITS = 15  # decimals of a figure without uncertainty
_SIGNIFICANT = 3  # digits of a value
_SYMMETRIC = 1.25  # largest ratio of the sides of an interval that is shown as value ± half-width
_ROUNDING = 1e-9  # of sums of rounded numbers


def format_value(value: float, figure: Figure, digits: int | None = None, *, bare: bool = False) -> str:
    """Return a value as text, a share in per cent; `digits` -1 rounds to tens, `bare` omits the sign; NaN is a dash."""
    if np.isnan(value):
        return "\N{EN DASH}"
    measure = figure.measure
    if figure.unit == "p" and digits is None:
        return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
    digits = measure.digits if digits is None else digits
    shown = round(measure.factor * min(max(value, measure.lowest), measure.highest), digits)
    return f"{_number(shown, digits)}{'' if bare else measure.sign}"


def _number(rounded: float, digits: int) -> str:
    return f"{rounded:z,.{max(digits, 0)}f}".replace("-", "\N{MINUS SIGN}")


def half_width(row: Any) -> float:
    """Return the distance from a row's value to the farther end of its interval; NaN without an interval."""
    return float(max(row.high - row.value, row.value - row.low))


def digits_for(value: float, half: float, figure: Figure, most: int = 2) -> int:
    """Return the number of decimals of a value with this half-width (0 or NaN: without interval); negative: tens.

    Counts without an interval have all their digits. With `most` = 0 a narrow interval adds no decimals to the unit's.
    """
    factor, usual = figure.measure.factor, figure.measure.digits
    if not half > 0:
        return 0 if figure.unit == "count" else decimals(factor * value, 0.0, usual)
    digits = decimals(factor * value, factor * half, max(usual, most))
    return max(digits, 0) if factor > 1 else digits


def format_row(row: Any, figure: Figure) -> str:
    """Return a row's value as text without its interval, rounded to the digits that the interval makes meaningful."""
    if figure.unit == "p":
        return format_value(row.value, figure)
    return format_value(row.value, figure, digits_for(row.value, half_width(row), figure, 0))


def format_interval(row: Any, figure: Figure, digits: int, *, as_ends: bool = False) -> tuple[str, bool]:
    """Return a row's interval with these decimals, "± 0.6", and whether value ± half-width tells it; "" without one.

    Otherwise, or if `as_ends`, the text is "29.9 to 31.1": if the interval is not nearly symmetric, or if value ±
    half-width, as printed, leaves the range of the figure. An interval with one end is "at most 31.1".
    """
    if np.isnan(row.low) or (row.low == row.high and not as_ends):
        return "", False
    measure, half = figure.measure, half_width(row)
    lowest, highest = measure.factor * measure.lowest, measure.factor * measure.highest
    if not as_ends and half <= _SYMMETRIC * min(row.high - row.value, row.value - row.low):
        shown_half = rounded_up(measure.factor * half, digits)
        value = round(measure.factor * row.value, digits)
        if lowest <= value - shown_half + _ROUNDING and value + shown_half <= highest + _ROUNDING:
            return f"±{THIN}{_number(shown_half, min(digits, most_digits(shown_half)))}", True
    low, high = (min(max(measure.factor * end, lowest), highest) for end in (row.low, row.high))
    if not isfinite(high - low):
        return f"at least {_number(low, digits)}" if isfinite(low) else f"at most {_number(high, digits)}", False
    return " to ".join(_number(end, digits) for end in rounded_ends(low, high, digits)), False


def format_beside(row: Any, figure: Figure, digits: int) -> str:
    """Return a row's interval as text to stand after its value: "± 0.6" or "(29.9 to 31.1)"; "" without one."""
    text, is_plus_minus = format_interval(row, figure, digits)
    return text if is_plus_minus or not text else f"({text})"


def format_estimate(row: Any, figure: Figure, *, as_ends: bool = False) -> str:
    """Return a row's figure with its interval: "30.5 ± 0.6 %", or with its ends: "30.5 % (29.9 to 31.1)"."""
    if np.isnan(row.value):
        return "no value"
    if np.isnan(row.low) or (row.low == row.high and not as_ends):
        return format_row(row, figure)
    digits = digits_for(row.value, half_width(row), figure)
    text, is_plus_minus = format_interval(row, figure, digits, as_ends=as_ends)
    if not is_plus_minus:
        return f"{format_value(row.value, figure, digits)} ({text})"
    return f"{format_value(row.value, figure, digits, bare=True)}{THIN}{text}{figure.measure.sign}"


def most_digits(half_width: float) -> int:
    """Return the number of decimals at which a half-width has one digit; negative: tens, hundreds.

    A unit of the last decimal is then at least a fifth of the standard error, half_width / 1.96. The result is
    ALL_DIGITS if the half-width is 0, infinite or NaN.

    >>> most_digits(0.3), most_digits(30)
    (1, -1)
    """
    if not isfinite(half_width) or half_width <= 0:
        return ALL_DIGITS
    return min(floor(log10(9.8 / half_width) + 1e-9), ALL_DIGITS)


def decimals(value: float, half_width: float, most: int) -> int:
    """Return the decimals of a figure: at most `most`, one digit of its half-width, three significant of its value.

    A negative result (rounding to tens or more) leaves at least two significant digits of the value.

    >>> decimals(238.94, 0.7, 2), decimals(23.894, 0.7, 2), decimals(23.894, 0.07, 2), decimals(1234.5, 3.0, 2)
    (0, 1, 1, -1)
    >>> decimals(43.0, 13.0, 2), decimals(430.0, 13.0, 2)
    (0, -1)
    """
    if not isfinite(value):
        return min(most, most_digits(half_width))
    first = int(f"{abs(value):.{_SIGNIFICANT - 1}e}".partition("e")[2])  # place of the first digit
    return min(most, max(most_digits(half_width), min(1 - first, 0)), _SIGNIFICANT - 1 - first)


def rounded_ends(low: float, high: float, digits: int) -> tuple[float, float]:
    """Return the ends of an interval rounded to `digits` decimals; outwards if different ends would be equal.

    >>> rounded_ends(239.0, 239.18, 1), rounded_ends(239.0, 239.18, 0)
    ((239.0, 239.2), (239.0, 240.0))
    """
    ends = round(low, digits), round(high, digits)
    if ends[0] == ends[1] and low < high:
        return floor(low * 10.0**digits + 1e-6) * 10.0**-digits, rounded_up(high, digits)
    return ends


def rounded_up(value: float, digits: int) -> float:
    """Return a value rounded up to `digits` decimals."""
    return ceil(value * 10.0**digits - 1e-6) * 10.0**-digits

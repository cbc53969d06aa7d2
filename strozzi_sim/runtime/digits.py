"""The number of meaningful decimals of a figure."""

from math import floor, isfinite, log10

_STANDARD_ERRORS = 1.96  # in the half-width of an interval
ALL_DIGITS = 15


def most_digits(half_width: float) -> int:
    """Return the number of decimals whose last one is not below a fifth of the standard error; negative: tens, hundreds.

    >>> most_digits(0.3), most_digits(30)
    (1, -1)
    """
    if not isfinite(half_width) or half_width <= 0:
        return ALL_DIGITS
    return min(floor(log10(5 * _STANDARD_ERRORS / half_width) + 1e-9), ALL_DIGITS)


def rounded(values: tuple[float, ...], half_width: float, digits: int) -> list[str]:
    """Return values as plain text with at most `digits` decimals, and none that the half-width makes meaningless."""
    digits = min(digits, most_digits(half_width))
    return ["-" if value != value else f"{round(value, digits) + 0.0:.{max(digits, 0)}f}" for value in values]

"""The number of meaningful decimals of a figure."""

from math import ceil, floor, isfinite, log10

ALL_DIGITS = 15  # decimals of a figure without uncertainty
SIGNIFICANT = 3  # digits of a value


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
    first = int(f"{abs(value):.{SIGNIFICANT - 1}e}".partition("e")[2])  # place of the first digit
    return min(most, max(most_digits(half_width), min(1 - first, 0)), SIGNIFICANT - 1 - first)


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

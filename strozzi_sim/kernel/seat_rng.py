"""The random stream of a seat for agents in Python, with the same numbers as `kernel.streams` in compiled code."""

_MASK = 2**64 - 1
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class SeatRng:
    """The random stream of a seat, equal to that of a compiled agent there; the n-th draw depends on n alone.

    >>> SeatRng(0).below(6)
    5
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: int) -> None:
        self._cursor = cursor

    def word(self) -> int:
        """Return the next 64 bits."""
        self._cursor = word = (self._cursor + _GOLDEN) & _MASK
        word = ((word ^ (word >> 30)) * _MIX_1) & _MASK
        word = ((word ^ (word >> 27)) * _MIX_2) & _MASK
        return word ^ (word >> 31)

    def below(self, n: int) -> int:
        """Return the next whole number in 0 .. n - 1, for n from 1 to 2^32 - 1."""
        if not 0 < n < 2**32:
            raise ValueError(f"below: n must be between 1 and 2^32 - 1, got {n}")
        return ((self.word() >> 32) * n) >> 32

    def unit(self) -> float:
        """Return the next number in [0, 1)."""
        return (self.word() >> 11) * 2.0**-53

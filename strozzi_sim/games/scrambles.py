"""What the scrambles of a game's view.py are made of: changes to a state that no seat may notice."""

from typing import Any

import numpy as np

from strozzi_sim.kernel.seat_rng import SeatRng


def shuffle(values: Any, count: int, rng: SeatRng) -> None:
    """Put the first `count` values in another order, each as likely."""
    for last in range(count - 1, 0, -1):
        other = rng.below(last + 1)
        values[last], values[other] = int(values[other]), int(values[last])


def fill(values: Any, below: int, rng: SeatRng) -> None:
    """Write a number below `below` everywhere."""
    values.flat = [rng.below(below) for _ in range(values.size)]


def fill_gaps(states: np.ndarray[Any, Any], rng: SeatRng) -> None:
    """Write anything into the bytes between the fields of a state, array of shape (1,)."""
    used = np.zeros(states.dtype.itemsize, np.bool_)
    for field_type, offset, *_ in (states.dtype.fields or {}).values():
        used[offset : offset + field_type.itemsize] = True
    octets = states.view(np.uint8)
    for k in np.flatnonzero(~used):
        octets[k] = rng.below(256)

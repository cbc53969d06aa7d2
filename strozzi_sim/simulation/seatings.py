"""Seatings: which position of the line-up sits at which seat.

A design is an array uint8[S, P]: `design[s, seat]` is the position that sits at `seat` in seating s. A match plays
each deal in all seatings of the design, except in SPREAD, where it plays deal d once, in seating d modulo S.
"""

from itertools import permutations
from typing import Literal, get_args

import numpy as np

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.kernel.record_types import Array

Design = Literal["one", "rotate", "spread", "all", "latin"]
DESIGNS: tuple[str, ...] = get_args(Design)
SPREAD = "spread"


def seating_design(design: str, players: int) -> Array:
    """Return the seatings of a design for N players.

    one: position p at seat p. rotate: seating s puts position p at seat (p + s) mod N. spread: the seatings of rotate;
    each deal is played in one of them. all: every permutation.
    latin: a Williams design, in which every position also sits next after every other equally often, not counting
    seat 0 as next after the last one (N seatings for even N, 2 N for odd; Williams 1949).
    """
    seats = np.arange(players)
    if design == "one":
        rows = [seats]
    elif design in ("rotate", SPREAD):
        rows = [(seats - s) % players for s in range(players)]
    elif design == "all":
        rows = [np.array(order) for order in permutations(range(players))]
    elif design == "latin":
        zigzag = [(k + 1) // 2 if k % 2 else (players - k // 2) % players for k in range(players)]
        rows = [(np.array(zigzag) + s) % players for s in range(players)]
        if players % 2:
            rows += [row[::-1] for row in rows]
    else:
        raise ArgumentError("seatings", f"unknown design {short_repr(design)}; {suggest_names(design, DESIGNS)}")
    return np.array(rows, np.uint8)

"""Seating designs: everybody everywhere equally often, and in a Williams design after everybody, too."""

from itertools import pairwise
from math import factorial

import numpy as np
import pytest

from strozzi_sim.errors import InputError
from strozzi_sim.simulation.seatings import DESIGNS, seating_design


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("design", ["rotate", "spread", "all", "latin"])
def test_every_position_sits_at_every_seat_equally_often(design, players):
    table = seating_design(design, players)
    assert (np.sort(table, axis=1) == np.arange(players)).all()
    for seat in range(players):
        assert len(set(np.bincount(table[:, seat], minlength=players))) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_in_a_williams_design_everybody_sits_after_everybody_equally_often(players):
    table = seating_design("latin", players)
    assert len(table) == (players if players % 2 == 0 else 2 * players)
    after = np.zeros((players, players), int)
    for row in table:
        for first, second in pairwise(row):
            after[first, second] += 1
    assert len(set(after[~np.eye(players, dtype=bool)])) == 1


def test_rotate_puts_position_p_at_seat_p_plus_s():
    table = seating_design("rotate", 5)
    for seating in range(5):
        for position in range(5):
            assert table[seating, (position + seating) % 5] == position


def test_sizes_and_names():
    assert seating_design("one", 4).tolist() == [[0, 1, 2, 3]]
    assert len(seating_design("all", 5)) == factorial(5)
    assert set(DESIGNS) == {"one", "rotate", "spread", "all", "latin"}
    with pytest.raises(InputError, match="unknown design 'chaos'; known: one, rotate, spread, all, latin"):
        seating_design("chaos", 4)

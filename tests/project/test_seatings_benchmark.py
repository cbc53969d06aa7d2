"""benchmarks/seatings.py: the variance of a game under each design is that of means of such games."""

import numpy as np
import pytest

from benchmarks import benchmark

seatings = benchmark("seatings")


def test_variances_are_those_of_repeated_means(seatings):
    """Of outcomes with a part of the deal, of the seating and of the game: 4,000 means of 40 games under each design."""
    rng = np.random.default_rng(2)
    seats, means = np.array([0.0, 0.5, 2.0, 4.0]), np.zeros((4000, 3))
    outcome = rng.normal(size=(40_000, 1)) + seats + rng.normal(size=(40_000, 4))
    for k in range(len(means)):
        deals = outcome[rng.integers(len(outcome), size=40)]
        turns = np.arange(40), rng.integers(4, size=40)
        means[k] = deals[:10].mean(), deals[turns[0], turns[0] % 4].mean(), deals[turns].mean()
    found = 40 * means.var(axis=0)
    assert seatings.variances(outcome) == pytest.approx(found, rel=0.1)
    assert found[0] > found[1]  # what a deal gives counts four times
    assert found[2] > found[1]  # and a random seating has the seats' variance too
    value, low, high = seatings.worth(outcome)
    assert low < found[0] / found[1] * 1.1
    assert high > found[0] / found[1] / 1.1
    assert low < value < high

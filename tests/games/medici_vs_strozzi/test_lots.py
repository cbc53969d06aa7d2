"""Loads far behind their buyer's best are no longer sampled, and none is once the decision is clear."""

from math import nan

import numpy as np

from strozzi_agents.medici_vs_strozzi.lots import _still_tried

MEMORY = np.dtype([("lead", "f8", (6,)), ("error", "f8", (6,))], align=True)


def still_tried(leads, own, offset, error=1.0):
    """The loads still tried of these leads over the first, whose first `own` are the seat's."""
    memory = np.zeros(1, MEMORY)
    memory["lead"][0, : len(leads)] = leads
    memory["error"][0, 1 : len(leads)] = error
    kept = _still_tried(memory[0], own, len(leads), (1 << len(leads)) - 2, offset)
    return [k for k in range(len(leads)) if kept >> k & 1]


def test_a_load_is_compared_with_its_buyers_best_only():
    # loads 0 to 2 are the seat's, 3 to 5 the rival's, whose best is the one that costs the seat most
    assert still_tried([0.0, -2.0, -3.0, -30.0, -28.0, -27.0], 3, nan) == [1, 3, 4]


def test_the_best_load_of_each_buyer_is_still_tried():
    assert still_tried([0.0, 5.0, 1.0], 2, nan) == [1, 2]


def test_a_sale_is_decided_when_one_side_is_surely_better_off():
    assert still_tried([0.0, -1.0, -9.0], 2, 0.0) == []
    assert still_tried([0.0, -1.0, -9.0], 2, -8.0) == [1, 2]  # a plan that makes buying worse
    assert still_tried([0.0, -1.0, -9.0], 2, nan) == [1, 2]  # a price is never decided


def test_a_buyer_alone_decides_among_its_loads():
    assert still_tried([0.0, -9.0, -8.0], 3, 0.0) == []
    assert still_tried([0.0, 9.0, -8.0], 3, 0.0) == []
    assert still_tried([0.0, 2.0, -8.0], 3, 0.0) == [1]


def test_loads_that_were_dropped_stay_dropped():
    memory = np.zeros(1, MEMORY)
    memory["error"][0, 1:] = 1.0
    assert _still_tried(memory[0], 3, 3, 0b100, 0.0) == 0b100

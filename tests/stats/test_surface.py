"""The fitted response of figures to several numbers: a pair that does more than its numbers alone."""

import numpy as np
import pytest

from strozzi_sim.stats.surface import Surface


def test_one_product_among_many_is_seen_in_boxes_of_four_changed_numbers() -> None:
    random, count, size = np.random.default_rng(3), 12, 1.5
    alone = np.concatenate([6 * np.eye(count), -6 * np.eye(count)])
    groups = np.zeros((60, count))
    for row in groups[:, :-1]:  # the last number is moved alone only
        row[random.choice(count - 1, 4, replace=False)] = random.choice([-6, 6], 4)
    positions = np.concatenate([alone, groups])
    slopes = random.normal(0, 0.5, (count, 2))
    change = positions @ slopes
    change[:, 0] += 0.3 * positions[:, 2] * positions[:, 5]
    noisy = change + random.normal(0, size, change.shape)
    surface = Surface(positions, noisy, np.full(change.shape, size))
    products = surface.products
    clear = np.abs(products.shown / products.error)
    assert clear[2, 5, 0] == clear.max()
    assert products.fitted[2, 5, 0] == pytest.approx(0.3, abs=3 * products.error[2, 5, 0])
    assert products.error[2, 5, 0] < 0.05
    assert np.abs(products.fitted[0, 1]).max() < 0.03
    assert products.error[:-1, -1].min() > 1e3, "of a pair that was not played nothing is known"
    position = np.where(np.arange(count) == 2, 3.0, 0.0) + np.where(np.arange(count) == 5, -4.0, 0.0)
    value, error = surface.at(position)
    tables = surface.along(2, np.array([3.0])) + surface.along(5, np.array([-4.0])) - 12 * products.fitted[2, 5]
    assert value == pytest.approx(tables[0])
    assert np.abs(value - position @ slopes - [0.3 * -12, 0.0]).max() < 4 * error.max()

"""Luck taken out of means: no bias, whatever the luck is worth; fewer games where it explains the result."""

import numpy as np
import pytest

from strozzi_sim import stats
from strozzi_sim.stats.luck import LuckSums


def sums(rng, chunks=100, games=40, slope=1.0, noise=1.0, shift=0.0):
    luck = rng.normal(size=(chunks, games, 1))
    results = shift + slope * luck + noise * rng.normal(size=luck.shape)
    return LuckSums(results.sum(1), luck.sum(1), (luck**2).sum(1), (results * luck).sum(1), np.full((chunks, 1), games))


def interval(counts):
    return stats.ratio(counts.adjusted(), counts.played)


@pytest.mark.parametrize("slope", [0.0, 1.0, -2.0])
def test_the_mean_stays_and_its_interval_covers(slope):
    rng, inside, errors = np.random.default_rng(1), 0, []
    for _ in range(400):
        found = interval(sums(rng, chunks=40, games=30, slope=slope, shift=3.0))
        inside += bool(found.low[0] <= 3.0 <= found.high[0])
        errors.append(found.value[0] - 3.0)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / 20
    assert 0.92 < inside / 400 < 0.98


@pytest.mark.parametrize(("slope", "factor"), [(0.0, 1.0), (1.0, 2.0), (2.0, 5.0)])
def test_the_games_saved_are_those_of_the_variance(slope, factor):
    found = sums(np.random.default_rng(2), chunks=400, games=50, slope=slope).games_saved()
    assert found.low[0] < factor < found.high[0]
    assert found.value[0] == pytest.approx(factor, rel=0.2)


def test_the_coefficient_of_a_chunk_does_not_see_it():
    counts = sums(np.random.default_rng(3), chunks=5)
    changed = LuckSums(*(np.array(part) for part in vars(counts).values()))
    changed.products[2] += 1e6
    assert changed.coefficients()[2] == pytest.approx(counts.coefficients()[2], rel=1e-6)
    assert changed.coefficients()[1] != counts.coefficients()[1]


def test_without_luck_nothing_changes():
    counts = sums(np.random.default_rng(4), chunks=10)
    still = LuckSums(counts.results, 0 * counts.luck, 0 * counts.luck, 0 * counts.luck, counts.played)
    assert (still.adjusted() == counts.results).all()
    assert still.games_saved().value[0] == 1


def rare_wins(rng, chunks, games, share):
    """Wins of an agent that seldom wins, of which luck explains a part."""
    luck = rng.normal(size=(chunks, games, 1)) * 0.1
    wins = (rng.random(luck.shape) + luck > 1 - share).astype(float)
    return LuckSums(wins.sum(1), luck.sum(1), (luck**2).sum(1), (wins * luck).sum(1), np.full((chunks, 1), games))


@pytest.mark.parametrize(("share", "known"), [(0.01, False), (0.3, True)])
def test_a_share_of_few_wins_has_no_interval_without_luck_either(share, known):
    """The adjusted sums of all chunks differ, so that they do not tell that the wins do not."""
    truth = np.mean(rare_wins(np.random.default_rng(6), 1000, 1000, share).results) / 1000
    rng, found = np.random.default_rng(5), []
    for _ in range(200):
        counts = rare_wins(rng, 24, 4, share)
        found.append(interval(counts))
        if not known:
            assert (counts.coefficients() == 0).all()
            assert np.isnan(counts.games_saved().low)
    held = [bool(each.low[0] <= truth <= each.high[0]) for each in found if not np.isnan(each.low[0])]
    assert len(held) > 180 if known else not held
    assert not known or np.mean(held) > 0.92


def test_what_luck_explains_entirely_has_no_infinite_factor():
    counts = sums(np.random.default_rng(7), chunks=40, noise=0.0)
    found = LuckSums(np.zeros((40, 1)), counts.luck, counts.squares, 0 * counts.products, counts.played).games_saved()
    assert np.isnan([found.value, found.low, found.high]).all()
    assert not np.isinf([counts.games_saved().low, counts.games_saved().high]).any()

"""Figures and intervals against direct loops, known values, and simulation."""

import numpy as np
import pytest

from strozzi_sim.stats import intervals as stats


def counts(chunks=12, seed=5, size=()):
    random = np.random.default_rng(seed)
    bottom = random.integers(200, 400, (chunks, *size))
    return random.binomial(bottom, 0.3), bottom


def test_ratio_is_the_ratio_of_sums_and_its_error_the_delete_one_jackknife():
    top, bottom = counts()
    found = stats.ratio(top, bottom)
    without = []
    for left_out in range(len(top)):
        kept = [chunk for chunk in range(len(top)) if chunk != left_out]
        without.append(sum(int(top[k]) for k in kept) / sum(int(bottom[k]) for k in kept))
    mean = sum(without) / len(without)
    error = ((len(top) - 1) / len(top) * sum((value - mean) ** 2 for value in without)) ** 0.5
    assert found.value == pytest.approx(top.sum() / bottom.sum(), rel=1e-14)
    assert found.n == bottom.sum()
    reach = 2.2009851600829 * error  # t of 11 degrees of freedom, two-sided 95 %
    assert found.low == pytest.approx(found.value - reach, rel=1e-10)
    assert found.high == pytest.approx(found.value + reach, rel=1e-10)


def test_unit_scales_and_axes_are_kept():
    top, bottom = counts(size=(2, 3))
    found = stats.ratio(60 * top, bottom, unit=60, share_of=100)
    plain = stats.ratio(top, bottom, share_of=100)
    assert found.value.shape == (2, 3)
    np.testing.assert_allclose(found.value, plain.value)
    np.testing.assert_allclose(found.low, plain.low)


def test_jackknife_of_equal_chunks_is_the_standard_error_of_their_mean():
    values = np.array([3.0, 5.0, 4.0, 8.0, 2.0])
    top = np.array([30, 50, 40, 80, 20])
    error = values.std(ddof=1) / np.sqrt(len(values))
    without = (top.sum() - top) / 40
    assert stats.jackknife(without) == pytest.approx(error, rel=1e-12)


def test_wilson_against_the_published_formula():
    # 15 of 148 with z = 1.96: 0.0624 to 0.1605 (Newcombe 1998, table I, method 3)
    share = np.array(15 / 148)
    error = np.sqrt(share * (1 - share) / 148)
    low, high = stats.wilson(share, error, 1, 1.959963985)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0624, 0.1605)


def test_wilson_of_a_share_that_never_varied_uses_the_deals():
    low, high = stats.wilson(np.array([0.0, 1.0]), np.array([0.0, 0.0]), 100, 1.959963985)
    np.testing.assert_allclose(low, [0.0, 0.963007], atol=1e-6)
    np.testing.assert_allclose(high, [0.036993, 1.0], atol=1e-6)


def test_shares_stay_inside_0_and_1_and_hold_their_value():
    random = np.random.default_rng(1)
    bottom = random.integers(1, 30, (8, 200))
    top = random.binomial(bottom, np.linspace(0, 1, 200))
    found = stats.ratio(top, bottom, share_of=8)
    there = ~np.isnan(found.value)
    assert there.sum() > 150
    assert (found.low[there] >= 0).all()
    assert (found.high[there] <= 1).all()
    assert (found.low[there] <= found.value[there]).all()
    assert (found.value[there] <= found.high[there]).all()


def test_few_events_give_no_value_and_one_chunk_no_interval():
    few = stats.ratio(np.array([3, 4]), np.array([14, 15]))
    assert np.isnan(few.value)
    assert np.isnan(few.low)
    assert few.n == 29
    enough = stats.ratio(np.array([3, 4]), np.array([15, 15]))
    assert enough.value == pytest.approx(7 / 30)
    alone = stats.ratio(np.array([10]), np.array([40]), share_of=40)
    assert alone.value == 0.25
    assert np.isnan(alone.low)


def test_difference_is_paired_chunk_by_chunk():
    random = np.random.default_rng(3)
    luck = random.integers(0, 1000, 40)  # of the deals of a chunk, the same for both
    games = np.full(40, 100)
    ours, theirs = luck + random.integers(40, 60, 40), luck + random.integers(20, 40, 40)
    paired = stats.difference((ours, theirs), (games, games))
    alone = stats.ratio(ours, games)
    assert paired.value == pytest.approx((ours.sum() - theirs.sum()) / 4000)
    assert paired.high - paired.low < (alone.high - alone.low) / 10
    assert paired.low > 0


def test_difference_of_the_same_counts_is_exactly_0():
    top, bottom = counts()
    found = stats.difference((top, top.copy()), (bottom, bottom.copy()))
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_quantiles_of_a_histogram():
    histogram = np.zeros((10, 50), np.int64)
    histogram[:, 10], histogram[:, 20], histogram[:, 30] = 5, 10, 5
    found = stats.quantiles(histogram, (0.5, 0.25, 0.01, 0.99))
    np.testing.assert_allclose(found.value, [20, 13.3333333, 10, 30])
    np.testing.assert_allclose(found.low, found.value)  # all chunks alike
    assert (found.n == 200).all()


def test_quantiles_beyond_the_last_bin_have_no_value():
    histogram = np.zeros((4, 10), np.int64)
    histogram[:, 2], histogram[:, 9] = 20, 30
    found = stats.quantiles(histogram, (0.1, 0.9))
    assert found.value[0] == 2
    assert np.isnan(found.value[1])


def test_intervals_cover():
    random = np.random.default_rng(2008)
    hits = 0
    for _ in range(400):
        wins = random.binomial(50, 0.25, 25)
        found = stats.ratio(wins, np.full(25, 50), share_of=1250)
        hits += bool(found.low <= 0.25 <= found.high)
    assert 0.92 < hits / 400 < 0.98


def seat_wins(random, shares, chunks=60, games=50):
    return random.multinomial(games, shares, chunks)


def test_wald_p_is_uniform_for_equal_seats_and_small_for_unequal_ones():
    random = np.random.default_rng(17)
    p = []
    for _ in range(600):
        wins = seat_wins(random, [0.25] * 4)
        p.append(stats.wald_test(wins, wins.sum(axis=1)))
    p = np.sort(p)
    distance = np.abs(p - (np.arange(600) + 0.5) / 600).max()
    assert distance < 1.63 / np.sqrt(600)  # Kolmogorov-Smirnov at 1 %
    wins = seat_wins(random, [0.31, 0.25, 0.22, 0.22])
    assert stats.wald_test(wins, wins.sum(axis=1)) < 1e-6


def test_wald_p_needs_more_chunks_than_seats_and_is_1_for_exact_equality():
    equal = np.full((20, 3), 7)
    assert stats.wald_test(equal, equal.sum(axis=1)) == 1.0
    assert np.isnan(stats.wald_test(equal[:3], equal[:3].sum(axis=1)))


def test_widest_gap_by_chance_and_bound_hold_as_often_as_they_say():
    random = np.random.default_rng(23)
    wide = broken = 0
    for _ in range(400):
        wins = seat_wins(random, [0.2] * 5, chunks=40)
        gap, by_chance, bound = stats.widest_gap(wins, wins.sum(axis=1))
        assert gap.low <= gap.value <= gap.high
        wide += bool(gap.value > by_chance)
        broken += bound < 0  # no seat gains more than the bound; all gain 0
    assert 0.02 < wide / 400 < 0.09
    assert broken == 0


def test_range_quantile_is_that_of_tables():
    assert [round(stats.range_quantile(k), 3) for k in (2, 3, 4, 5, 6)] == [2.772, 3.314, 3.633, 3.858, 4.03]


def test_adjusted_p_values():
    np.testing.assert_allclose(stats.holm([0.01, 0.04, 0.03, np.nan]), [0.03, 0.06, 0.06, np.nan])
    np.testing.assert_allclose(stats.benjamini_hochberg([0.01, 0.04, 0.03, 0.5]), [0.04, 0.16 / 3, 0.16 / 3, 0.5])

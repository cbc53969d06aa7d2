"""Figures and intervals against direct loops, known values, and simulation."""

import numpy as np
import pytest

from needed import need
from strozzi_sim import stats
from strozzi_sim.stats import intervals
from strozzi_sim.stats.seats import range_quantile


def counts(chunks=12, seed=5, size=()):
    rng = np.random.default_rng(seed)
    denominator = rng.integers(200, 400, (chunks, *size))
    return rng.binomial(denominator, 0.3), denominator


def sides(numerators, denominators, **design):
    return [stats.Sums(*side, **design) for side in zip(numerators, denominators, strict=True)]


def difference(numerators, denominators, *, same=False, **design):
    """The difference of two ratios, given by the numerators and the denominators of both."""
    return stats.difference(*sides(numerators, denominators, **design), same=same)


def test_ratio_is_the_ratio_of_sums_and_its_error_the_delete_one_jackknife():
    numerator, denominator = counts()
    found = stats.ratio(numerator, denominator)
    leave_one_out_values = []
    for left_out in range(len(numerator)):
        kept = [chunk for chunk in range(len(numerator)) if chunk != left_out]
        leave_one_out_values.append(sum(int(numerator[k]) for k in kept) / sum(int(denominator[k]) for k in kept))
    mean = sum(leave_one_out_values) / len(leave_one_out_values)
    error = ((len(numerator) - 1) / len(numerator) * sum((value - mean) ** 2 for value in leave_one_out_values)) ** 0.5
    assert found.value == pytest.approx(numerator.sum() / denominator.sum(), rel=1e-14)
    assert found.n == denominator.sum()
    # t of 11 degrees of freedom for denominators that are about equal, and no skewness to speak of
    assert (found.high - found.low) / 2 == pytest.approx(2.2009851600829 * error, rel=0.02)


def test_wilson_against_the_published_formula():
    # 15 of 148 and 81 of 263: Newcombe 1998, table I, method 3
    low, high = intervals.wilson(np.array([15 / 148, 81 / 263]), np.array([148, 263]))
    np.testing.assert_allclose(np.round(low, 4), [0.0624, 0.2553])
    np.testing.assert_allclose(np.round(high, 4), [0.1605, 0.3662])


def test_exact_and_mid_p_intervals_against_published_ones():
    # the same table, methods 5 and 6
    count, n = np.array([81, 15, 1]), np.array([263, 148, 29])
    low, high = intervals.exact_share(count, n)
    np.testing.assert_allclose(np.round(low, 4), [0.2527, 0.0578, 0.0009])
    np.testing.assert_allclose(np.round(high, 4), [0.3676, 0.1617, 0.1776])
    low, high = intervals.mid_p_share(count, n)
    np.testing.assert_allclose(np.round(low, 4), [0.2544, 0.0601, 0.0017])
    np.testing.assert_allclose(np.round(high, 4), [0.3658, 0.1581, 0.1585])


def test_a_share_that_never_varied_goes_by_deals_and_by_events_whichever_are_fewer():
    none = np.zeros((200, 1), np.int64)
    many = stats.ratio(none, np.full((200, 1), 400), n_deals=20_000)  # each deal has four events
    assert many.high[0] == pytest.approx(1 - 0.025 ** (1 / 20_000), rel=1e-6)
    uneven = np.diff(np.arange(201) * 300 // 200)[:, None]  # one game a deal, chunks of one deal and of two
    assert stats.ratio(none, uneven, n_deals=300).high[0] == pytest.approx(1 - 0.025 ** (1 / 300), rel=1e-6)
    few = none.copy()
    few[:30] = 1  # 30 events in 20,000 deals
    rare = stats.ratio(none, few, n_deals=20_000)
    assert (rare.value[0], rare.low[0]) == (0, 0)
    assert rare.high[0] == pytest.approx(1 - 0.025 ** (1 / 30), rel=0.2)
    always = stats.ratio(few, few, n_deals=20_000)
    assert always.low[0] == pytest.approx(1 - rare.high[0])


def test_a_share_that_is_the_same_in_every_deal_is_bounded_by_deals_that_could_differ():
    games = np.full(50, 3)
    third = stats.ratio(games // 3, games, n_deals=50)
    part = 1 - 0.025 ** (1 / 50)
    assert third.low == pytest.approx((1 - part) / 3)
    assert third.high == pytest.approx(1 / 3 + 2 / 3 * part)
    wins = np.tile([3, 2], 25)  # so a difference from what never varies is about as sure as the other side alone
    less = difference((wins, games // 3), (games, games), n_deals=50)
    alone = stats.ratio(wins, games, n_deals=50)
    assert less.high - less.low < 2 * (alone.high - alone.low)
    assert np.isnan(stats.variance_saved(*sides((wins, games // 3), (games, games), n_deals=50)).value)


def test_shares_stay_inside_0_and_1_and_hold_their_value():
    rng = np.random.default_rng(1)
    denominator = rng.integers(1, 30, (8, 200))
    numerator = rng.binomial(denominator, np.linspace(0, 1, 200))
    found = stats.ratio(numerator, denominator, n_deals=8)
    there = ~np.isnan(found.value)
    assert there.sum() > 150
    assert (found.low[there] >= 0).all()
    assert (found.high[there] <= 1).all()
    assert (found.low[there] <= found.value[there]).all()
    assert (found.value[there] <= found.high[there]).all()


def test_few_events_give_no_value_and_one_chunk_no_interval():
    few = stats.ratio(np.array([3, 4]), np.array([14, 15]))
    assert np.isnan([few.value, few.low, few.high]).all()
    assert few.n == 29
    enough = stats.ratio(np.array([3, 4]), np.array([15, 15]))
    assert enough.value == pytest.approx(7 / 30)
    alone = stats.ratio(np.array([10]), np.array([40]), n_deals=40)
    assert alone.value == 0.25
    assert np.isnan(alone.low)


def test_a_share_of_few_events_has_an_exact_interval():
    one_each = np.zeros((100, 3), np.int64)
    one_each[:20] = 1
    wins = one_each.copy()
    wins[5:] = 0  # 5 of 20
    wins[:, 0] = 0  # none of 20
    found = stats.ratio(wins, one_each, n_deals=100)
    assert np.isnan(found.value).all()
    np.testing.assert_allclose(found.high[:2], [0.16843, 0.49105], rtol=0.03)  # Clopper and Pearson
    np.testing.assert_allclose(found.low[:2], [0, 0.08657], rtol=0.1)
    nothing = stats.ratio(np.zeros((100, 1), int), np.zeros((100, 1), int), n_deals=100)
    assert (nothing.n[0], nothing.low[0], nothing.high[0]) == (0, 0, 1)


def test_a_mean_that_did_not_vary_is_not_exact():
    ones = np.full(50, 1)
    unknown = stats.ratio(3 * ones, ones)
    assert unknown.value == 3
    assert np.isnan(unknown.low)
    nearly = 3 * ones
    nearly[:9] = 2
    assert np.isnan(stats.ratio(nearly, ones).low)  # how rare 9 exceptions are is not known well enough
    nearly[9] = 2
    assert stats.ratio(nearly, ones).low < 2.8 < stats.ratio(nearly, ones).high
    places = stats.ratio(2 * ones, ones, unit=2, span=(1.0, 4.0))  # always first of four, in 50 deals
    assert (places.value, places.low) == (1, 1)
    assert places.high == pytest.approx(1 + 3 * (1 - 0.025 ** (1 / 50)))


def test_the_rank_of_one_of_two_is_as_sure_as_its_share_of_wins():
    games = np.full(50, 2)
    wins = np.where(np.arange(50) % 10 == 0, 1, 2)  # 95 of 100
    share = stats.ratio(wins, games, n_deals=50)
    rank = stats.ratio(2 * (2 * games - wins), games, unit=2, span=(1.0, 2.0), deals=50)
    np.testing.assert_allclose([rank.value, rank.low, rank.high], [2 - share.value, 2 - share.high, 2 - share.low])
    others = np.where(np.arange(50) % 4 == 0, 1, 2)
    apart = difference((wins, others), (games, games), n_deals=50)
    places = [2 * (2 * games - each) for each in (wins, others)]
    ranks = difference(tuple(places), (games, games), unit=2, span=(1.0, 2.0), deals=50)
    np.testing.assert_allclose([ranks.low, ranks.high], [-apart.high, -apart.low], rtol=1e-9)


def test_what_pairing_saves_has_no_value_where_a_few_exceptions_make_the_variance():
    rng = np.random.default_rng(11)
    ones, luck = np.ones(200, np.int64), rng.normal(0, 100, 200)
    scores = [np.round(1000 + luck + rng.normal(0, 100, 200)).astype(int) for _ in range(2)]
    saved = stats.variance_saved(*sides(scores, (ones, ones)))
    assert saved.value == pytest.approx(0.5, abs=0.15)
    assert np.isnan([saved.low, saved.high]).all()
    nearly_always_first = 2 * ones
    nearly_always_first[:29] = 4  # in 29 of 200 deals second
    assert np.isnan(stats.variance_saved(*sides((nearly_always_first, scores[1]), (ones, ones), unit=2)).value)
    nearly_always_first[29] = 4
    assert not np.isnan(stats.variance_saved(*sides((nearly_always_first, scores[1]), (ones, ones), unit=2)).value)


def test_mid_p_ends_leave_out_what_they_say():
    from scipy.special import betainc

    rng = np.random.default_rng(12)
    n = 10 ** rng.uniform(0.7, 5, 2000)
    count = n * rng.random(2000)
    low, high = intervals.mid_p_share(count, n)
    for end, below in ((high, count), (1 - low, n - count)):
        chance = 1 - (betainc(below, n - below + 1, end) + betainc(below + 1, n - below, end)) / 2
        np.testing.assert_allclose(chance[end < 1 - 1e-6], 0.025, rtol=1e-6)


def test_difference_is_paired_chunk_by_chunk():
    rng = np.random.default_rng(3)
    luck = rng.integers(0, 1000, 40)  # of the deals of a chunk, the same for both
    games = np.full(40, 100)
    ours, theirs = luck + rng.integers(40, 60, 40), luck + rng.integers(20, 40, 40)
    paired = difference((ours, theirs), (games, games))
    alone = stats.ratio(ours, games)
    assert paired.value == pytest.approx((ours.sum() - theirs.sum()) / 4000)
    assert paired.high - paired.low < (alone.high - alone.low) / 10
    assert paired.low > 0


def test_a_difference_of_means_that_rests_on_few_deals_has_no_interval():
    """The frequency and size of exceptions are unknown: an interval of one differing deal would exclude 0 (`changes`)."""
    rng = np.random.default_rng(4)
    deals = np.ones(200, np.int64)
    before = rng.integers(200, 300, 200)
    for differing, known in ((1, False), (9, False), (10, True)):
        after = before.copy()
        after[:differing] += rng.integers(5, 20, differing)
        less = difference((after, before), (deals, deals))
        assert less.value > 0
        assert np.isnan([less.low, less.high]).all() == (not known)
        shifted = difference((after + 1, before), (deals, deals))  # all one more, but for the exceptions
        assert np.isnan([shifted.low, shifted.high]).all() == (not known)


def test_a_mean_of_few_rows_that_nearly_always_is_one_number_has_no_interval():
    """A ship that brings 15 coins whoever has it, in other deals than before; in some it once brings 30."""
    rng = np.random.default_rng(5)
    for exceptions, known in ((3, False), (30, True)):
        rows = [(rng.random(200) < 0.4).astype(np.int64) for _ in range(2)]
        coins = [15 * each for each in rows]
        coins[0][np.flatnonzero(rows[0])[:exceptions]] = 30
        less = difference(tuple(coins), tuple(rows))
        assert not np.isnan(less.value)
        assert np.isnan([less.low, less.high]).all() == (not known)


@pytest.mark.parametrize("rare", [0.02, 0.3])
def test_intervals_of_differences_of_rare_means_cover(rare):
    rng, inside = np.random.default_rng(6), []
    deals = np.ones(50, np.int64)
    for _ in range(400):
        before = rng.integers(0, 100, 50)
        after = before + np.where(rng.random(50) < rare, rng.integers(-20, 41, 50), 0)
        less = difference((after, before), (deals, deals))
        if not np.isnan(less.low):
            inside.append(less.low <= 10 * rare <= less.high)
    assert len(inside) == 0 if rare < 0.1 else np.mean(inside) > 0.92


def test_difference_of_the_same_counts_is_exactly_0_if_it_is_the_same_thing():
    numerator, denominator = counts()
    for n_deals in (None, 12):
        found = difference((numerator, numerator.copy()), (denominator, denominator.copy()), n_deals=n_deals, same=True)
        assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
    one, none = np.ones(40, int), np.zeros(40, int)
    for share in (one, none):  # different agents that both won, or lost, every game
        found = difference((share, share), (one, one), n_deals=40)
        assert found.value == 0
        assert found.high == -found.low == pytest.approx(1 - 0.025 ** (1 / 40))
    places = difference((2 * one, 2 * one), (one, one), unit=2, span=(1.0, 2.0))
    assert places.high == -places.low == pytest.approx(1 - 0.025 ** (1 / 40))
    assert np.isnan(difference((one, one), (one, one)).low)


def test_difference_of_shares_is_that_of_published_intervals():
    # 56 of 70 and 48 of 80: Newcombe 1998, "Interval estimation for the difference", table II, method 10
    def wins(count, n):
        return np.repeat([1, 0], [count, n - count])

    first, second = wins(56, 70), wins(48, 80)
    numerator = np.concatenate([first, np.zeros(80, int)]), np.concatenate([np.zeros(70, int), second])
    denominator = np.repeat([1, 0], [70, 80]), np.repeat([0, 1], [70, 80])
    found = difference(numerator, denominator, n_deals=150)
    np.testing.assert_allclose([found.low, found.high], [0.0524, 0.3339], atol=0.006)  # mid-P instead of Wilson


def test_quantiles_of_a_histogram():
    histogram = np.zeros((40, 50), np.int64)
    histogram[:20, 10], histogram[:, 20], histogram[20:, 30] = 10, 10, 10
    found = stats.quantiles(histogram, (0.5, 0.25, 0.01, 0.99), deals=40)
    np.testing.assert_allclose(found.value, [20, 13.3333333, 10, 30])
    assert (found.n == 800).all()
    assert (found.low[:2] < found.value[:2]).all()
    assert (found.high[:2] > found.value[:2]).all()
    assert np.isnan(found.low[2:]).all()  # they may lie beyond what was seen


def test_intervals_of_quantiles_cover_scores_with_gaps():
    rng = np.random.default_rng(7)
    chances = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    truth = stats.quantiles((1000 * chances)[None, :] * (np.ones((2, 1))), (0.25, 0.5), deals=2).value
    hits = np.zeros(2)
    for _ in range(300):
        # two scores a deal that are mostly equal
        first = rng.multinomial(1, chances, 60)
        second = np.where(rng.random((60, 1)) < 0.7, first, rng.multinomial(1, chances, 60))
        found = stats.quantiles(first + second, (0.25, 0.5), deals=60)
        hits += (found.low <= truth) & (truth <= found.high)
    assert (hits / 300 > 0.91).all()
    assert (hits / 300 < 0.99).all()


def test_quantiles_beyond_the_ends_have_no_value():
    histogram = np.zeros((4, 10), np.int64)
    histogram[:, 2], histogram[:, 9] = 20, 30
    found = stats.quantiles(histogram, (0.1, 0.9), deals=4)
    assert found.value[0] == 2
    assert np.isnan(found.value[1])
    below = stats.quantiles(histogram[:, ::-1], (0.1, 0.9), deals=4, open_below=True, open_above=False)
    assert np.isnan(below.value[0])
    assert below.value[1] == 7


def test_intervals_cover():
    rng = np.random.default_rng(2008)
    hits = 0
    for _ in range(400):
        wins = rng.binomial(50, 0.25, 25)
        found = stats.ratio(wins, np.full(25, 50), n_deals=1250)
        hits += bool(found.low <= 0.25 <= found.high)
    assert 0.92 < hits / 400 < 0.98


def seat_wins(rng, shares, chunks=60, games=50):
    return rng.multinomial(games, shares, chunks)


def test_seat_p_is_uniform_for_equal_seats_and_small_for_unequal_ones():
    rng = np.random.default_rng(17)
    p = []
    for _ in range(600):
        p.append(stats.equal_shares_p(seat_wins(rng, [0.25] * 4)))
    p = np.sort(p)
    distance = np.abs(p - (np.arange(600) + 0.5) / 600).max()
    assert distance < 1.63 / np.sqrt(600)  # Kolmogorov-Smirnov at 1 %
    assert stats.equal_shares_p(seat_wins(rng, [0.31, 0.25, 0.22, 0.22])) < 1e-6


@pytest.mark.parametrize(("seats", "deals"), [(2, 200), (4, 50), (6, 50), (6, 200)])
def test_seat_p_holds_its_level_with_one_game_a_deal(seats, deals):
    rng = np.random.default_rng(5)
    p = np.array([stats.equal_shares_p(60 * rng.multinomial(1, [1 / seats] * seats, deals), 60) for _ in range(800)])
    assert 0.02 < (p < 0.05).mean() < 0.075


def test_seat_p_of_two_seats_with_one_game_a_deal_is_that_of_the_sign_test():
    wins = 60 * np.repeat([[1, 0], [0, 1]], [18, 32], axis=0)
    assert stats.equal_shares_p(wins, 60) == pytest.approx(0.0649, abs=5e-5)
    ties = np.full((10, 2), 30)
    assert stats.equal_shares_p(np.concatenate([wins, ties]), 60) == pytest.approx(0.0649, abs=5e-5)
    assert 0 < stats.equal_shares_p(60 * np.repeat([[1, 0]], 200, axis=0), 60) < 1e-50


def test_seat_p_of_a_seat_that_always_wins():
    wins = np.zeros((150, 2), np.int64)
    wins[:, 0] = 2 * 60  # 300 of 300
    assert stats.equal_shares_p(wins, 60) < 1e-6
    found = stats.seat_gap(wins, unit=60, deals=300)
    assert found.gap == 1
    assert found.by_chance < 0.2
    assert found.bound == 0.5


def test_seat_p_and_gap_need_30_games_and_chunks_enough():
    equal = np.full((20, 3), 20)  # 20 games
    assert np.isnan(stats.equal_shares_p(equal, 60))
    assert np.isnan(stats.seat_gap(equal, unit=60, deals=20).gap)
    assert stats.equal_shares_p(2 * equal, 60) == 1.0
    few = np.full((3, 3), 2000)
    assert np.isnan(stats.equal_shares_p(few, 60))
    assert np.isnan(stats.seat_gap(few, unit=60, deals=300).by_chance)


def test_gap_by_chance_and_bound_hold_as_often_as_they_say():
    rng = np.random.default_rng(23)
    wide = broken = 0
    for _ in range(400):
        found = stats.seat_gap(seat_wins(rng, [0.2] * 5, chunks=40), unit=1, deals=2000)
        wide += bool(found.gap > found.by_chance)
        broken += found.bound < 0  # no seat gains more than the bound; all gain 0
    assert 0.02 < wide / 400 < 0.09
    assert broken == 0


@pytest.mark.parametrize(("shares", "df"), [(2, 9), (3, 57), (4, 597), (6, 995), (5, np.inf)])
def test_range_quantile_is_that_of_scipy(shares, df):
    from scipy.stats import studentized_range

    assert range_quantile(shares, df) == round(float(studentized_range.ppf(0.95, shares, df)), 6)


@pytest.mark.slow  # importing statsmodels takes 3 s
def test_adjusted_p_values_are_those_of_scipy_and_statsmodels_to_the_bit():
    from scipy.stats import false_discovery_control

    multipletests = need("statsmodels.stats.multitest").multipletests

    rng = np.random.default_rng(4)
    for size in (1, 2, 30, 500):
        p = rng.beta(0.2, 1, size)
        p[: size // 3] = p[size // 3 : 2 * (size // 3)]  # ties
        assert stats.benjamini_hochberg(p).tobytes() == false_discovery_control(p).tobytes()
        assert stats.holm(p).tobytes() == multipletests(p, method="holm")[1].tobytes()


def test_adjusted_p_values_leave_out_what_has_none():
    np.testing.assert_allclose(stats.holm([0.01, 0.04, 0.03, np.nan]), [0.03, 0.06, 0.06, np.nan])
    for adjusted in (stats.holm, stats.benjamini_hochberg):
        assert np.isnan(adjusted([np.nan, np.nan])).all()
        assert len(adjusted([])) == 0

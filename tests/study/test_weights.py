"""`weights`: the numbers that matter are found with their signs and sizes, those that do nothing are grouped."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant, with_values
from strozzi_sim.study.box_numbers import numbers
from strozzi_sim.study.kinds.weights import (
    ALONE,
    CHUNKS,
    FREE,
    HEAVY,
    MIDDLE,
    MOST,
    NOTHING,
    REAL,
    TIED,
    Effect,
    NumberStep,
    Weights,
    effect_of,
    groups_of,
    hotelling,
    judge,
    race,
    steps,
    table_of,
)
from strozzi_sim.study.progress import GAMES, Progress
from strozzi_sim.study.screen import Screen
from strozzi_sim.study.searching import seed_of
from strozzi_sim.study.verdict import MOST_WORDS
from study_examples import tables_in

BASE = resolve_variant(load_game("strozzi"), "base")


@pytest.mark.slow_for("strozzi", "strasbourg")
@pytest.mark.parametrize("name", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_most_numbers_are_moved(name):
    game = load_game(name)
    base = resolve_variant(game, "base")
    found = dict(numbers(game, base))
    moved = list(steps(game, base))
    assert len(found) > 40
    for key, value in found.items():
        with_values(game, base, {key: value})  # every key is one that --set takes
    assert 0.6 * len(found) < len({step.key for step in moved}) <= len(found)
    assert all(step.variant.components != base.components for step in moved)


@pytest.mark.slow
def test_a_planted_number_has_its_known_effect_and_one_of_another_player_count_none():
    found = ss.weights("strozzi", players=3, agents="random", deals=20_000, keys="s[ce]*", workers=1).tables["weights"]
    score = found.query("figure == 'score_mean'").set_index(["key", "to"])
    # The best of every port is paid 5 more in each of 3 rounds: 45 coins to 3 players; ties share the sum of their ranks.
    row = score.loc["scoring.ship_ranks.0", 20]
    assert row["low"] - 0.1 <= 15 <= row["high"] + 0.1
    assert row["status"] != NOTHING
    other = found[found["key"].isin(["setup.cards_removed.4", "setup.cards_removed.6"])]
    assert len(other)
    assert (other["value"] == 0).all()
    assert set(other["status"]) == {NOTHING}


@pytest.mark.slow
def test_numbers_that_do_nothing_are_grouped_even_if_the_box_itself_was_lucky():
    """All numbers are compared with the same games of the box: with this seed Benjamini and Hochberg (1995) name 19 of all 100."""
    given = {"players": 4, "agents": "random", "deals": 40_000, "seed": 32, "workers": 1}
    table = ss.weights(GAME, **given, keys="*[a-z0-3]").tables["weights"]
    status = table.groupby("key")["status"].first()
    idle = status[status.index.str.startswith("idle.")]
    assert len(idle) == 40
    assert (idle == NOTHING).sum() >= 38
    assert set(status[status.index.str.startswith("start.")]) == {HEAVY}
    assert status["dice.spin"] == NOTHING
    assert {status["dice.faces"], status["dice.rolls"]} == {REAL}  # they change scores and length, of all seats alike


SEATS, NOISE = 4, 0.43  # of one seat's wins in a game, as a standard deviation
SIZES = (("large", 3, 0.02), ("middle", 5, 0.01), ("idle", 200, 0.0))
PLANTED = {f"{kind}.{k}": size for kind, number, size in SIZES for k in range(number)}


def planted_play(seed, sizes):
    """Return a function that plays boxes named KEY=VALUE: a value of 2 gives seat 0 this share of wins, 0 takes half."""
    rng = np.random.default_rng(seed)

    def games(mean, deals):
        shares = rng.normal(0, NOISE / np.sqrt(deals / CHUNKS), (CHUNKS, SEATS))
        shares -= shares.mean(axis=1, keepdims=True)
        rest = rng.normal(0, 1 / np.sqrt(deals / CHUNKS), (CHUNKS, 2))
        shift = mean * SEATS / (SEATS - 1) * (np.arange(SEATS) == 0) - mean / (SEATS - 1)
        return np.hstack([0.25 + shares + shift, rest])

    def play(boxes, deals, chunks):
        assert chunks == CHUNKS
        means = []
        for box in boxes:
            key, _, value = box.name.partition("=")
            means.append(sizes.get(key, 0.0) * {"2": 1.0, "0": -0.5, "": 0.0}[value])
        return np.stack([games(mean, deals) for mean in means]), deals

    return play


def step_of(key, after):
    return NumberStep(key, 1, after, replace(BASE, name=f"{key}={after}"))


def planted_race(seed, planted=PLANTED, deals=150_000):
    """Return the heats of numbers whose upward step gives seat 0 these shares of wins; the downward one takes half."""
    moved = [step_of(key, after) for key in planted for after in (2, 0)]
    return race(moved, Screen(BASE, planted_play(seed, planted), groups_of(SEATS)), deals)


def kind_of(key):
    return key.partition(".")[0]


@pytest.mark.slow
@pytest.mark.parametrize("races", [5, pytest.param(30, marks=pytest.mark.slow)])
def test_of_planted_numbers_none_is_named_wrongly(races):
    """Of three large, five middle and 200 idle numbers no idle one is named, and no middle one above a large one."""
    study = Weights.of(game="strozzi", players=[4], lineups=[["random"]])
    found_large = found_middle = wrong_bounds = 0
    for seed in range(races):
        heats = planted_race(seed)
        assert [len({each.step.key for each in heat}) for heat in heats] == [len(PLANTED), MIDDLE, MOST]
        assert [{each.deals for each in heat} for heat in heats] == [{150_000 // 20}, {150_000 // 5}, {150_000}]
        said = judge(heats)
        assert {each.status for key, each in said.items() if kind_of(key) == "idle"} == {NOTHING}
        large, middle = ([each for key, each in said.items() if kind_of(key) == kind] for kind in ("large", "middle"))
        assert not any(own.places[1] < other.places[0] for own in middle for other in large)
        assert not any(each.status == REAL for each in large)
        wrong_bounds += any(not each.least <= PLANTED[key] <= each.most for key, each in said.items())
        headline, *groups = study.verdict({"weights": table_of(study, heats, said)}, ss.Look()).lines
        assert "large: " in f"{headline} {groups[0]}".lower()
        assert not any("idle" in sentence for sentence in groups if "not known to change anything" not in sentence)
        found_large += sum(each.status == HEAVY for each in large)
        found_middle += sum(each.status == HEAVY for each in middle)
    assert wrong_bounds <= races // 10  # in 1 of 20 on average at most
    assert found_large >= 0.95 * 3 * races
    assert found_middle >= 0.4 * 5 * races


@pytest.mark.slow
def test_of_200_races_of_numbers_that_do_nothing_none_names_one():
    idle = {f"idle.{k}": 0.0 for k in range(12)}
    for seed in range(200):
        assert {each.status for each in judge(planted_race(seed, idle)).values()} == {NOTHING}


def test_more_deals_tell_large_from_middle_numbers():
    for seed in range(2):
        said = judge(planted_race(seed, deals=3_000_000))
        large, middle = ([each for key, each in said.items() if kind_of(key) == kind] for kind in ("large", "middle"))
        assert all(own.places[0] > other.places[1] for own in middle for other in large)
        assert {each.status for each in (*large, *middle)} == {HEAVY}


def test_numbers_of_one_size_are_not_told_apart():
    """Ten of fourteen equal numbers are in the last heat: it is said that the others may matter as much."""
    equal = {f"large.{k}": 0.02 for k in range(14)}
    study = Weights.of(game="strozzi", players=[4], lineups=[["random"]])
    for seed in range(3):
        heats = planted_race(seed, equal)
        said = judge(heats)
        assert all(each.places == (1, 14) for each in said.values() if each.status == HEAVY)
        assert not any(each.status == REAL for each in said.values())
        bound, change, rivals, *_ = study.verdict({"weights": table_of(study, heats, said)}, ss.Look()).lines
        assert change.endswith(" 9 others do about as much, 4 of 14 may.")
        assert bound.startswith("One step of any number moves a player by at most ")
        assert rivals.startswith("The 9 others: ")
        assert change.startswith("Largest found: large: ")
        assert (change.count("large: "), rivals.count("large: ")) == (1, 9)


def test_a_number_that_is_measured_less_is_below_those_listed_only_if_it_is_known():
    """The eleventh of eleven large numbers is left out of the last heat by luck alone: it is not called smaller."""
    eleven = {f"large.{k}": 0.02 for k in range(11)} | {f"tiny.{k}": 0.0 for k in range(5)}
    for seed in range(3):
        heats = planted_race(seed, eleven, 600_000)
        left_out = set(eleven) - {each.step.key for each in heats[-1]}
        said = judge(heats)
        (large,) = [key for key in left_out if kind_of(key) == "large"]
        assert said[large].status != REAL
        assert said[large].places[1] >= said[large].places[0]


def test_hotelling_rejects_as_often_as_it_says():
    rng = np.random.default_rng(3)
    mixed = rng.normal(size=(3, 3))

    def p_of(parts):
        return hotelling(parts.mean(axis=0), np.cov(parts, rowvar=False) / len(parts))

    p = np.array([p_of(rng.normal(size=(FREE + 1, 3)) @ mixed) for _ in range(2000)])
    assert 0.035 < (p < 0.05).mean() < 0.065
    assert p_of(rng.normal(size=(FREE + 1, 3)) + 1) < 1e-6
    assert hotelling(np.zeros(3), np.zeros((3, 3))) == 1


def test_the_size_of_an_effect_has_no_bias():
    rng = np.random.default_rng(4)
    step, error = NumberStep("a.b", 1, 2, BASE), np.full(5, 0.1)
    sizes = [Effect(step, rng.normal(0.1, error), error, (0, 0, 0), (1, 1, 1), 50).size for _ in range(2000)]
    assert abs(np.mean(sizes) - 3 * 0.1**2) < 4 * np.std(sizes) / np.sqrt(2000)


def effects_of_nothing(seed, share, heats, *, kept=0.0, games=100):
    """Return effects of boxes that change nothing but the course of all games, or of those that are not kept.

    A screen has its own games of the box alone, and ten boxes. Seat 0 wins this share, the others the rest.
    """
    rng = np.random.default_rng(seed)
    shares = [share, *[(1 - share) / (SEATS - 1)] * (SEATS - 1)]

    def play(boxes, deals, chunks):
        per = deals // chunks
        wins = [rng.multinomial(per, shares, chunks)]
        for _ in boxes[1:]:
            same = rng.binomial(wins[0], kept)
            wins.append(same + rng.multinomial(per - same.sum(axis=1), shares))
        rest = rng.normal(size=(len(boxes), chunks, 2))
        return np.concatenate([np.stack(wins) / per, rest], axis=2), per * chunks

    for _ in range(heats):
        screen = Screen(BASE, play, groups_of(SEATS))
        screen.play([BASE], 20 * ALONE * games * CHUNKS, CHUNKS)
        moved = [step_of("idle", after) for after in range(2, 12)]
        changes = screen.measure([step.variant for step in moved], games * CHUNKS, CHUNKS)
        yield from (effect_of(step, change, screen) for step, change in zip(moved, changes, strict=True))


@pytest.mark.parametrize(
    ("share", "kept", "least", "most"), [(0.25, 0.0, 0.9, 1.35), (0.25, 0.8, 0.25, 0.55), (0.004, 0.0, 0.9, 1.6)]
)
def test_beside_the_pooled_box_a_change_has_half_the_variance_and_nothing_is_called_something(share, kept, least, most):
    """Two boxes on the same deals alone differ with a variance of 2 (1 - kept); a seat that seldom wins is no trap."""
    effects = [*effects_of_nothing(5, share, 100, kept=kept)]
    of_one = share * (1 - share) / (100 * CHUNKS)
    true = np.mean([effect.value[0] ** 2 for effect in effects]) / of_one
    said = np.mean([effect.error[0] ** 2 for effect in effects]) / of_one
    assert least < true < 1.1 * said  # of 1000 effects, ten of each box
    assert said < most
    p = np.array([effect.p[0] for effect in effects])
    assert (p < 0.05).mean() < 0.05
    assert (p < 0.001).sum() <= 3


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0.0, 0.5, 0.95])
@pytest.mark.parametrize(("share", "games"), [(0.25, 150), (0.25, 1), (0.004, 150), (0.6, 20)])
def test_p_values_of_nothing_are_small_as_seldom_as_they_say(share, games, kept):
    effects = effects_of_nothing(9, share, 400, kept=kept, games=games)
    p = np.array([effect.p for effect in effects])
    assert ((p < 0.01).mean(axis=0) < 0.014).all()
    assert ((p < 0.001).mean(axis=0) < 0.0025).all()


def test_equal_boxes_differ_by_exactly_0():
    play = planted_play(8, {})

    def same(boxes, deals, chunks):
        (box,), played = play([BASE], deals, chunks)
        return np.stack([box] * len(boxes)), played

    screen = Screen(BASE, same, groups_of(SEATS))
    screen.play([BASE], 4000, CHUNKS)
    (change,) = screen.measure([step_of("a", 2).variant], 1000, CHUNKS)
    effect = effect_of(step_of("a", 2), change, screen)
    assert not effect.value.any()
    assert not effect.error.any()
    assert (effect.gap, effect.p) == ((0, 0, 0), (1, 1, 1))


def test_a_step_has_the_figures_of_a_regression_on_the_box():
    """The mean that a regression on the box predicts where that has its pooled figure, less this figure."""
    rng = np.random.default_rng(6)
    alone, box = rng.normal(0, 0.1, size=(2, CHUNKS, 4))
    own = 0.6 * box + rng.normal(0, 0.08, size=(CHUNKS, 4)) + 0.04
    screen = Screen(
        BASE, lambda boxes, deals, chunks: (np.stack([box, own]) if boxes[1:] else alone[None], deals), [0, 1, 2, 3]
    )
    screen.play([BASE], 8000, CHUNKS)
    (change,) = screen.measure([step_of("a", 2).variant], 2000, CHUNKS)
    pooled = 0.8 * alone.mean(axis=0) + 0.2 * box.mean(axis=0)
    assert screen.figures == pytest.approx(pooled)
    for k in range(4):
        fitted = scipy.stats.linregress(box[:, k], own[:, k])
        assert change.joint[k] == pytest.approx(fitted.slope)
        assert change.value[k] == pytest.approx(fitted.intercept + fitted.slope * pooled[k] - pooled[k])
        left = own[:, k] - fitted.intercept - fitted.slope * box[:, k]
        off = pooled[k] - box[:, k].mean()
        variance = (left**2).sum() / (CHUNKS - 2) * (1 / CHUNKS + off**2 / (CHUNKS * box[:, k].var()))
        assert change.covariance[k, k] == pytest.approx(variance)


def test_intervals_bounds_and_tests_are_those_of_the_t_distribution():
    rng = np.random.default_rng(7)
    value, error = rng.normal(0, 0.02, 6), rng.uniform(0.005, 0.02, 6)
    effects = [Effect(step_of(key, 2), value, error, (0.1, 0.0, 0.2), (0.5, 0.5, 0.5), 2000) for key in "ab"]
    heats = [effects, effects[:1]]
    study = Weights.of(game="strozzi", players=[4], lineups=[["random"]])
    table = table_of(study, heats, judge(heats)).query("key == 'a' and figure != 'seat_gap'")
    half = scipy.stats.t.ppf(0.975, FREE) * error
    assert np.allclose(table[["low", "high"]], np.stack([value - half, value + half], axis=1))
    # bounds of four shares of every step in either heat at once
    least, most = [], []
    for steps_of_heat in (2, 1):
        half = scipy.stats.t.ppf(1 - 0.05 / 2 / (2 * 4 * steps_of_heat), FREE) * error[:4]
        least.append(max((abs(value[:4]) - half).max(), 0))
        most.append((abs(value[:4]) + half).max())
    judged = judge(heats)["a"]
    assert (judged.least, judged.most) == pytest.approx((max(least), min(most)))


def test_the_gap_of_a_step_has_its_value_and_its_error():
    """Of 600 screens the change of the gap spreads as its intervals say."""
    sizes = {"a": 0.03}
    gaps = []
    for seed in range(600):
        screen = Screen(BASE, planted_play(seed, sizes), groups_of(SEATS))
        screen.play([BASE], 400_000, CHUNKS)
        (change,) = screen.measure([step_of("a", 2).variant], 20_000, CHUNKS)
        gaps.append(effect_of(step_of("a", 2), change, screen).gap)
    value, low, high = np.array(gaps).T
    true = 0.03 * SEATS / (SEATS - 1)
    assert abs(value.mean() - true) < 0.003  # a gap is a little larger by chance
    assert 0.9 < ((low < true) & (true < high)).mean() < 0.985


def test_each_heat_may_name_half_of_what_one_alone_may():
    heat = [Effect(step_of(str(p), 2), np.zeros(6), np.zeros(6), (0, 0, 0), (1, p, 1), 2000) for p in (0.0003, 0.0007)]
    assert [each.status for each in judge([heat]).values()] == [TIED, TIED]
    assert [each.status for each in judge([heat, heat]).values()] == [TIED, NOTHING]


def test_a_step_is_the_printable_one_next_to_a_tenth():
    sizes = {}
    for name in ("strozzi", "medici_vs_strozzi"):
        game = load_game(name)
        for step in steps(game, resolve_variant(game, "base")):
            sizes.setdefault(step.key, set()).add(abs(step.after - step.before))
    assert sizes["tracks.bonus.9"] == sizes["scoring.harbor_majority"] == {5}
    assert sizes["setup.rounds"] == {1}


def test_an_interval_that_holds_0_has_ends_of_both_signs():
    row = {"players": 3, "key": "a", "from": 1.0, "to": 2.0, "by": "seat", "level": 0, "figure": "win_share"}
    row |= {"value": -0.02, "low": -0.05, "high": 0.01, "status": HEAVY, "least": 0.001, "most": 0.05}
    study = Weights.of(game="strozzi", players=[3], lineups=[["random"]])
    bound, change = study.verdict({"weights": pd.DataFrame([row])}, study.look()).lines
    assert bound == "One step of any number moves a player by at most 5.0 of 100 games."
    assert change == "Largest found: a; at 2 instead of 1 the first player wins 2.0 of 100 games fewer (-1.0 to 5.0)."


@pytest.mark.slow
def test_a_line_up_has_the_shares_of_its_agents():
    given = {"players": 3, "agents": "heuristic,random,random", "deals": 1000, "keys": "flags.*", "workers": 1}
    shares = ss.weights("strozzi", **given).tables["weights"].query("figure == 'win_share'")
    assert set(shares["by"]) == {"position"}
    assert (shares.groupby(["key", "to"])["value"].sum().abs() < 1e-9).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"players": "3-4"}, "players: this is played at one player count, got '3-4'"),
        ({"deals": 900}, "deals: must be between 1,000 and 250,000,000, got 900"),
        ({"keys": "nothing.*"}, "keys: no number has a key like 'nothing.*'"),
        ({"keys": " "}, "keys: is empty; leave it out"),
        ({"deals": 10**9}, "deals: must be between"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(InputError, match=words.replace("*", r"\*")):
        ss.weights("strozzi", **({"players": 3, "agents": ["random"]} | given))


@pytest.mark.slow
def test_verdict_and_page_say_what_matters_and_what_could_be_missed(tmp_path):
    found = ss.weights("strozzi", players=3, agents="random", deals=20_000, keys="setup.*", workers=1)
    headline, *groups = found.verdict.lines
    most = found.tables["weights"]["most"].max()
    (said,) = re.findall(
        r"^No number is found to move who wins: one step of any number moves a player by at most ([\d.]+) of 100 games[.]$",
        headline,
    )
    assert 0 <= float(said) / 100 - most < 0.01
    assert len(headline.split()) <= MOST_WORDS
    assert any("change something, and may change who wins by up to" in each for each in groups)
    (nothing,) = (each for each in groups if "are not known to change anything; up to" in each)
    assert "ship cards removed with 4 players" in nothing
    rows = found.tables["weights"]
    p_of_shares = rows[rows["figure"].isin(["win_share", "seat_gap"])].groupby(["key", "to"])["p"]
    assert (p_of_shares.nunique() == 1).all()  # one test of all shares together
    assert not np.isclose(
        p_of_shares.first(), rows[rows["figure"] == "score_mean"].groupby(["key", "to"])["p"].first()
    ).all()
    page = found.report(tmp_path / "weights.html").read_text("utf-8")
    assert headline in page
    assert "<svg" in page
    assert "What each step does to each share of wins" in page


def test_a_study_file_has_one_player_count_one_line_up_and_no_precision():
    keys = {"kind": "weights", "game": "strozzi", "players": [3], "lineups": [["random"]]}
    for wrong, words in (
        ({"players": [3, 4]}, "players: a study of weights has one, got 2"),
        ({"lineups": [["random"], ["greedy"]]}, "lineups: a study of weights has one, got 2"),
        ({"variants": ["base", "long-tracks"]}, "variants: changes are counted from one variant"),
        ({"precision": 1.0}, "precision: a search has none"),
    ):
        with pytest.raises(InputError, match=words):
            ss.Study.of(**keys | wrong)
    assert ss.Study.of(**keys).summary.endswith("all numbers, a step up and down; at most 150,000 deals each")


def test_a_race_that_was_stopped_goes_on_to_the_same_tables(tmp_path):
    given = {"players": 3, "agents": "random", "deals": 1000, "keys": "coins.*", "workers": 1}
    whole = ss.weights("strozzi", folder=tmp_path / "whole", progress=False, **given)
    phases = []

    def stop_in_the_second_heat(phase, done, total):
        phases.append(phase)
        if phases.count("compiling") == 2 and phase == GAMES:
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        ss.weights("strozzi", folder=tmp_path / "part", progress=Progress(on_phase=stop_in_the_second_heat), **given)
    resumed = ss.weights("strozzi", folder=tmp_path / "part", progress=False, **given)
    assert 0 < resumed.new_games < whole.new_games == whole.n_games == whole.tables["heats"]["games"].sum()
    assert tables_in(tmp_path / "part") == tables_in(tmp_path / "whole")
    assert ss.load_results(tmp_path / "part").verdict == whole.verdict
    assert [*whole.tables["heats"]["deals"]][:2] == [ALONE * 1000, CHUNKS]


def test_heats_of_different_seeds_share_no_deals():
    seeds = [
        seed_of(kind, seed, heat) for kind in ("weights", "tune") for seed in (0, 1, 2**53 - 1) for heat in range(3)
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.slow
def test_the_largest_seed_has_every_heat():
    given = {"players": 3, "agents": "random", "deals": 1000, "keys": "tracks.bonus.*", "workers": 1, "progress": False}
    results = ss.weights("strozzi", seed=2**53 - 1, **given)
    assert 1000 in set(results.tables["weights"]["deals"])


def test_a_change_of_a_share_is_at_most_1():
    effect = Effect(step_of("a", 2), np.array([0.9, -0.9, 0, 0, 0]), np.full(5, 0.1), (0.9, 0.8, 1), (1, 1, 1), 50)
    assert 0 < effect.bounds(1000)[0] < effect.bounds(1000)[1] == 1
    study = Weights.of(game="strozzi", players=[3], lineups=[["random"]])
    ends = table_of(study, [[effect]], judge([[effect]]))[["low", "high"]]
    assert ends.min(axis=None) == -ends.max(axis=None) == -1

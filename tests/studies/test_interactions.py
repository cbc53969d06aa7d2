"""`weights(interactions=True)`: numbers that work together are found with their known indices, and noise is taken out."""

import builtins
from itertools import product

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.studies import interactions

FLAT = {"flat": {"dice": {"rolls": 1, "faces": 2}}}  # one roll cannot be one less, so that rolls has two levels
INDICES = {"rolls": (0.5745, 0.6170), "faces": (0.3830, 0.4255)}  # exact, of the mean score rolls (faces + 1) / 2


@pytest.fixture(autouse=True)
def few_blocks(monkeypatch):
    monkeypatch.setattr(interactions, "BLOCKS", 32)


def measured(seed=0, workers=1, deals=40_000, keys="dice.*"):
    return ss.weights(GAME, 4, ["random"], deals, FLAT, seed, workers, keys=keys, interactions=True, progress=False)


def of_score(table):
    return table[table["outcome"] == "score_mean"].set_index(["key", "other", "figure"])


def test_the_exact_indices_are_those_of_the_planted_score():
    scores = np.array([[rolls * (faces + 1) / 2 for faces in (1, 2, 3)] for rolls in (1, 2)])
    means = {"rolls": scores.mean(axis=1), "faces": scores.mean(axis=0)}
    for name, mean in means.items():
        rest = next(scores.var() - other.var() for key, other in means.items() if key != name)
        assert INDICES[name] == pytest.approx((mean.var() / scores.var(), rest / scores.var()), abs=1e-4)


@pytest.mark.slow
def test_numbers_that_are_multiplied_have_their_known_indices():
    table = of_score(measured().tables["interactions"])
    rows = [(table.loc[f"dice.{name}", "", figure], truth) for name, truths in INDICES.items()
            for figure, truth in zip(("first_order", "total"), truths, strict=True)]  # fmt: skip
    pair = 1 - INDICES["rolls"][0] - INDICES["faces"][0]
    for row, truth in [*rows, (table.loc["dice.rolls", "dice.faces", "second_order"], pair)]:
        assert abs(row["value"] - truth) < 4 * (row["high"] - row["low"]) / 2 / 1.98
        assert row["high"] - row["low"] < 0.05


def table_of(f, count, noise, blocks=128, seed=2):
    """Return the table of boxes whose outcome, the score, is f(levels), with noise of play in it and in shares of wins."""
    rng = np.random.default_rng(seed)
    designs, outcomes = [], []
    for _ in range(blocks):
        a, b = rng.integers(0, 3, (2, count))
        mixed = [[np.where(np.arange(count) == k, two, one) for k in range(count)] for one, two in ((a, b), (b, a))]
        block = np.array([a, *mixed[0], *mixed[1], b])
        outcome = rng.normal(0, noise, (len(block), 5)) + rng.normal(0, 10)  # a block's deals are lucky for all boxes
        outcome[:, -2] += [f(*box) for box in block - 1]
        designs.append(interactions._design(block, [3] * count))
        outcomes.append(outcome)
    plan = ss.Study(name="s", game="strozzi", players=[3], deals=60, lineups=[["random"]]).plan
    rows = interactions._rows(
        plan, [f"k{number}" for number in range(count)], [3] * count, interactions.fitted(designs, outcomes), 60
    )
    return pd.DataFrame(rows, columns=list(interactions.COLUMNS))


def test_pairs_that_work_together_are_found_and_noise_inflates_nothing():
    """f = x + 2 y z, with noise of its own size, and a number that does nothing."""

    def f(x, y, z, nothing):
        return x + 2 * y * z

    whole = np.array([f(*levels) for levels in product((-1, 0, 1), repeat=4)]).var()
    table = of_score(table_of(f, 4, 1.5))
    truths = {("k0", "first_order"): 2 / 3, ("k0", "total"): 2 / 3, ("k1", "first_order"): 0, ("k1", "total"): 16 / 9}
    truths |= {("k2", "first_order"): 0, ("k2", "total"): 16 / 9, ("k3", "first_order"): 0, ("k3", "total"): 0}
    for (key, figure), truth in truths.items():
        row = table.loc[key, "", figure]
        assert abs(row["value"] - truth / whole) < 4 * (row["high"] - row["low"]) / 2 / 1.98
        assert row["high"] - row["low"] < 0.15
    pairs = table[table.index.get_level_values("figure") == "second_order"]
    assert list(pairs.index) == [("k1", "k2", "second_order")]


@pytest.mark.slow
def test_intervals_cover_and_pairs_that_do_nothing_are_seldom_named():
    covered, named = [], 0
    for seed in range(60):
        table = of_score(table_of(lambda x, y, z: x + 0.5 * y * y, 3, 2.0, seed=seed))
        named += (table.index.get_level_values("figure") == "second_order").any()
        for key, truth in (("k0", 2 / 3), ("k1", 1 / 4 * 2 / 9), ("k2", 0)):
            row = table.loc[key, "", "first_order"]
            covered.append(row["low"] <= truth / (2 / 3 + 1 / 18) <= row["high"])
    assert named <= 8  # of 60 at 5 %
    assert np.mean(covered) > 0.9


def test_without_any_effect_there_is_no_share_of_it():
    table = table_of(lambda x, y: 0.0, 2, 1.0)
    assert table["value"].isna().all()
    assert set(table["figure"]) == {"first_order", "total"}


@pytest.mark.slow
def test_tables_are_equal_for_any_number_of_workers():
    one, two = (measured(3, workers, 3000).tables["interactions"] for workers in (1, 2))
    assert one.equals(two)
    assert not one.equals(measured(4, 1, 3000).tables["interactions"])


def test_samples_with_an_invalid_box_are_left_out_and_counted(monkeypatch):
    whole = interactions.with_values

    def refuse(game, base, values):
        if values.get("dice.rolls") == 2 and values.get("dice.faces") == 3:
            raise InputError("no such box")
        return whole(game, base, values)

    monkeypatch.setattr(interactions, "with_values", refuse)
    found = measured(deals=3000)
    table, left_out = found.tables["interactions"], found.manifest["left_out"]
    assert 0 < left_out < interactions.BLOCKS - interactions.FEWEST
    assert set(table["n"]) == {interactions.BLOCKS - left_out}
    monkeypatch.setattr(interactions, "FEWEST", interactions.BLOCKS)
    with pytest.raises(
        InputError, match=r"interactions: only \d+ of 32 samples of dice.rolls, dice.faces make valid boxes"
    ):
        measured(deals=3000)


def test_without_salib_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("SALib"):
            raise ImportError(name)
        return whole(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(
        InputError, match=r"interactions: needs SALib; install it with: pip install 'strozzi-sim\[sensitivity\]'"
    ):
        measured()


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_number(capsys):
    line = ["weights", "strozzi", "--players", "3", "--agents", "random", "--deals", "6000"]
    assert app.run([*line, "--keys", "scoring.ship_ranks.*", "--interactions"]) == 0
    said = capsys.readouterr().out
    assert "sampled together over a step down, the value and a step up" in said
    table = said[said.index("number, % of the variance") :].splitlines()
    assert sum(row.startswith("scoring.ship_ranks.") for row in table[1:4]) == 3
    assert app.run([*line[:-1], "1000", "--keys", "setup.cards_removed.6", "--interactions"]) == 0
    assert "no two numbers matter" in capsys.readouterr().out

"""`weights`: the numbers that matter are found with their signs and sizes, those that do nothing are grouped."""

import numpy as np
import pytest

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import find_variant, with_values
from strozzi_sim.studies.weights import HEAVY, MOST, NOTHING, Effect, Step, hotelling, numbers, steps


@pytest.mark.parametrize("name", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_every_number_is_moved_or_refused_with_a_reason(name):
    game = load_game(name)
    base = find_variant(game, "base")
    found = dict(numbers(game, base))
    moved, refused = steps(game, base)
    assert len(found) > 40
    for key, value in found.items():
        with_values(game, base, {key: value})  # every key is one that --set takes
    assert len(moved) + len(refused) == 2 * len(found)
    assert {step.key for step in moved} | {key.partition("=")[0] for key in refused} == set(found)
    assert all(step.variant.components != base.components for step in moved)
    assert all(refused.values())


@pytest.mark.slow
def test_a_planted_number_has_its_known_effect_and_one_of_another_player_count_none():
    found = ss.weights("strozzi", 3, ["random"], 20_000, keys="s*").tables["weights"]
    score = found.query("figure == 'score_mean'").set_index(["key", "to"])
    # The best of every port is paid 2 more in each of 3 rounds: 18 coins to 3 players; ties share the sum of their ranks.
    row = score.loc["scoring.ship_ranks.0", 17]
    assert row["low"] - 0.1 <= 6 <= row["high"] + 0.1
    assert row["status"] != NOTHING
    other = found[found["key"].isin(["setup.cards_removed.4", "setup.cards_removed.6"])]
    assert len(other)
    assert (other["value"] == 0).all()
    assert set(other["status"]) == {NOTHING}
    assert found.loc[found["status"] == HEAVY, "key"].nunique() <= MOST


@pytest.mark.slow
def test_numbers_that_do_nothing_are_grouped_even_if_the_box_itself_was_lucky():
    """All numbers are compared with the same games of the box: with this seed Benjamini and Hochberg (1995) name 19 of the 100."""
    table = ss.weights(GAME, 4, ["random"], 40_000, seed=32).tables["weights"]
    status = table.groupby("key")["status"].first()
    idle = status[status.index.str.startswith("idle.")]
    assert len(idle) == 100
    assert (idle == NOTHING).sum() >= 95
    assert set(status[status.index.str.startswith(("start.", "dice."))]) == {HEAVY}


def testhotelling_rejects_as_often_as_it_says():
    rng = np.random.default_rng(3)
    mixed = rng.normal(size=(3, 3))
    p = np.array([hotelling(rng.normal(size=(50, 3)) @ mixed) for _ in range(2000)])
    assert 0.035 < (p < 0.05).mean() < 0.065
    assert hotelling(rng.normal(size=(50, 3)) + 1) < 1e-6
    assert hotelling(np.zeros((50, 3))) == 1


def test_the_size_of_an_effect_has_no_bias():
    rng = np.random.default_rng(4)
    step = Step("a.b", 1, 2, find_variant(load_game("strozzi"), "base"))
    sizes = [Effect(step, rng.normal(0.1, 1, (50, 5)), (0, 0, 0), (1, 1, 1), 50).size for _ in range(2000)]
    assert abs(np.mean(sizes) - 3 * 0.1**2) < 4 * np.std(sizes) / np.sqrt(2000)


def test_a_line_up_has_the_shares_of_its_agents():
    found = ss.weights("strozzi", 3, ["heuristic", "random", "random"], 1000, keys="flags.*").tables["weights"]
    shares = found.query("figure == 'win_share'")
    assert set(shares["by"]) == {"position"}
    assert (shares.groupby(["key", "to"])["value"].sum().abs() < 1e-9).all()


@pytest.mark.slow
def test_tables_are_equal_for_any_number_of_workers():
    one, two = (ss.weights("strozzi", 3, ["random"], 2000, keys="flags.*", workers=k).tables["weights"] for k in (1, 2))
    assert one.equals(two)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"players": "3-4"}, "players: expected one player count, got 3, 4"),
        ({"deals": 900}, "deals: must be at least 1000, got 900"),
        ({"keys": "nothing.*"}, "keys: no number has a key like 'nothing.*'"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(InputError, match=words.replace("*", r"\*")):
        ss.weights("strozzi", **({"players": 3, "agents": ["random"]} | given))


def test_the_command_says_what_matters_and_what_does_not(capsys):
    line = ["weights", "strozzi", "--players", "3", "--agents", "random", "--deals", "20000", "--keys", "setup.*"]
    assert app.run(line) == 0
    said = capsys.readouterr().out
    assert "what moves the shares of wins most is setup." in said
    assert "cannot be told from zero at this number of deals: setup.cards_removed.4" in said

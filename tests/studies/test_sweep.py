"""Values of the components over a grid, and the race for the best of them."""

import signal

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError, Interrupted
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import find_variant
from strozzi_sim.studies.lookup import sweep_variants
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.sweep import BEHIND, OPEN, WINNER, WORSE
from strozzi_sim.studies.weights import numbers, steps

BONUS = {"tracks.bonus.9": [5, 15, 25]}


def study(sweep, **keys):
    plan = {"name": "s", "game": "strozzi", "players": [3], "deals": 120, "lineups": [["random"]]}
    return ss.Study(**{**plan, **keys}, sweep=sweep)


@pytest.mark.slow
def test_the_table_has_the_values_beside_the_figures_of_balance():
    found = ss.sweep(study({**BONUS, "tracks.bonus.8": [0, 10]}, players=[3, 4]))
    table, balance = found.tables["sweep"], found.tables["balance"]
    assert list(table.columns[:5]) == ["players", "variant", "lineup", "tracks.bonus.9", "tracks.bonus.8"]
    assert np.array_equal(table["value"], balance["value"], equal_nan=True)
    assert sorted(map(tuple, table[["tracks.bonus.9", "tracks.bonus.8"]].drop_duplicates().to_numpy())) == [
        (5, 0), (5, 10), (15, 0), (15, 10), (25, 0), (25, 10),
    ]  # fmt: skip
    base = ss.simulate("strozzi", 3, ["random"], deals=120).tables["balance"]
    same = table.query("players == 3 and `tracks.bonus.9` == 15 and `tracks.bonus.8` == 10")
    assert np.array_equal(same["value"], base["value"], equal_nan=True)


@pytest.mark.slow
def test_a_folder_of_a_sweep_is_read_again(tmp_path):
    first = ss.sweep(study(BONUS), folder=tmp_path / "r")
    again = ss.sweep(study(BONUS), folder=tmp_path / "r")
    assert again.new_games == 0
    assert again.tables["sweep"].equals(first.tables["sweep"])
    assert (tmp_path / "r" / "tables" / "sweep.csv").is_file()


def test_the_planted_best_value_wins_the_race():
    values = {"tracks.bonus.9": [0, 5, 10, 15, 20, 25, 30, 40]}
    for highest, best in ((True, 40), (False, 0)):
        found = ss.sweep(study(values, deals=400), "score_mean", highest=highest).tables["best"]
        winner = found.iloc[0]
        assert (winner["status"], winner["tracks.bonus.9"]) == (WINNER, best)
        assert len(found) == 8
        assert set(found["status"]) <= {WINNER, OPEN, WORSE, BEHIND}
        worse = found[found["status"] == WORSE]
        assert len(worse) >= 3
        assert winner["minus_winner"] == 0


def test_values_that_change_nothing_are_not_told_from_the_winner():
    found = ss.sweep(study({"coins.v5": [18, 19, 20]}, deals=200), "score_mean").tables["best"]
    assert sorted(found["status"]) == [OPEN, OPEN, WINNER]
    assert (found["minus_winner"] == 0).all()


def test_the_race_is_the_same_for_any_number_of_workers():
    one, two = (ss.sweep(study(BONUS, deals=300), "seat_gap", workers=workers).tables["best"] for workers in (1, 2))
    assert one.equals(two)


@pytest.mark.parametrize(
    ("sweep", "named"),
    [
        ({"tracks.bonus.9": [5]}, "at least two values"),
        ({"tracks.bonus.9": 5}, "list"),
        ({"tracks.bonus.9": [5, 5]}, "listed twice"),
        ({"tracks.bonus.9": [5, "much"]}, "expected numbers"),
        ({"rules.tile_optional": [True, False]}, "expected numbers"),
        ({"tracks.bonus.99": [5, 6]}, "not on the track"),
        ({"track.bonus.9": [5, 6]}, "did you mean 'tracks'"),
        ({**BONUS, "tracks.bonus.7": [1, 2], "tracks.bonus.8": [1, 2]}, "one or 2 keys"),
        ({"tracks.bonus.9": list(range(401))}, "at most 400"),
    ],
)
def test_what_cannot_be_swept_is_named(sweep, named):
    with pytest.raises(InputError, match=named):
        study(sweep)


def test_what_a_sweep_has_not_is_named():
    with pytest.raises(InputError, match=r"file: has no table \[sweep\]"):
        ss.sweep(study({}))
    with pytest.raises(InputError, match="best: unknown figure 'fairness'; known: seat_gap"):
        ss.sweep(study(BONUS), "fairness")
    with pytest.raises(InputError, match="highest: is for best"):
        ss.sweep(study(BONUS), highest=True)
    with pytest.raises(InputError, match="changes one variant"):
        study(BONUS, variants=["base", "long-tracks"])


def test_variants_of_long_keys_keep_different_names():
    game = load_game("strasbourg")
    base = find_variant(game, "base")
    long = sorted((key for key, _ in numbers(game, base)), key=len)[-40:]
    moved = [step for step in steps(game, base)[0] if step.key in long]
    names = [step.variant.name for step in moved]
    assert len(set(names)) == len(names)
    first, second = moved[0], next(step for step in moved if step.key != moved[0].key)
    grid = {first.key: [first.before, first.after], second.key: [second.before, second.after]}
    found = sweep_variants(game, base, grid)
    assert len(found) == 4
    assert all(len(name) <= 64 for name in found)


@pytest.mark.slow_for("seat_gap")
@pytest.mark.parametrize("figure", ["seat_gap", "over_990_share"])
def test_a_race_plays_until_the_winner_is_known_to_the_precision(figure):
    values = {"tracks.bonus.9": [0, 100, 200, 300, 400, 500]}
    given = study(values, deals=100_000)
    results = ss.sweep(given, figure, precision=8)
    table = results.tables["best"]
    winner = table.iloc[0]
    assert winner["status"] == WINNER
    assert 50 * (winner["high"] - winner["low"]) <= (8 if figure != "seat_gap" else 8.0001)
    assert winner["deals"] < 10_000
    assert results.n_games <= 5 * winner["deals"] + 60 * len(table)
    finalists = table[table["deals"] == winner["deals"]]
    assert finalists["minus_winner"].notna().all()
    again = ss.sweep(given, figure, precision=8, workers=2)
    assert again.tables["best"].equals(table)
    assert again.n_games == results.n_games


def test_the_deals_of_the_study_are_the_most_of_a_race_with_a_precision():
    results = ss.sweep(study(BONUS, deals=300), "seat_gap", precision=0.5)
    winner = results.tables["best"].iloc[0]
    assert winner["deals"] == 300
    assert 50 * (winner["high"] - winner["low"]) > 0.5 or np.isnan(winner["high"])


def test_the_best_of_few_values_is_chosen_before_it_is_measured():
    values = {"tracks.bonus.9": [40, 20, 0]}  # the first one is not the lowest
    winner = ss.sweep(study(values, deals=300), "score_mean").tables["best"].iloc[0]
    assert (winner["status"], winner["tracks.bonus.9"]) == (WINNER, 0)


@pytest.mark.slow
def test_a_sweep_costs_at_most_five_values_played_to_the_end():
    values = {"tracks.bonus.9": list(range(0, 60, 2))}
    results = ss.sweep(study(values, deals=600), "score_mean")
    assert len(results.tables["best"]) == 30
    assert results.n_games <= 5 * 600


def test_the_command_says_whether_the_winner_is_known(tmp_path, capsys):
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "s"\ngame = "strozzi"\nplayers = [3]\ndeals = 5000\nlineups = [["random"]]\n[sweep]\n"tracks.bonus.9" = [0, 10, 20]\n'
    )
    assert app.run(["sweep", str(file), "--best", "seat_gap", "--precision", "10"]) == 0
    said = capsys.readouterr()
    assert "the winner's seat gap is known to +- 10 points, after" in said.out
    assert "3 values of tracks.bonus.9 race for the lowest seat_gap: at most" in said.err + said.out
    assert app.run(["sweep", str(file), "--best", "score_mean", "--precision", "1"]) == 2
    assert "--precision: is of a share" in capsys.readouterr().err


def test_a_precision_that_a_race_cannot_have_is_refused():
    given = study(BONUS)
    with pytest.raises(InputError, match="precision: is of a share, in points, and score_mean is not a share"):
        ss.sweep(given, "score_mean", precision=2)
    for wrong in (0, 26):
        with pytest.raises(InputError, match=r"precision: must be between 0\.01 and 25, got"):
            ss.sweep(given, "seat_gap", precision=wrong)
    with pytest.raises(InputError, match=r"best: unknown figure 'seatgap'.*did you mean 'seat_gap'"):
        ss.sweep(given, "seatgap", precision=2)
    with pytest.raises(InputError, match="precision: is for best"):
        ss.sweep(given, precision=2)


def test_an_interrupted_race_has_no_winner():
    """Part of a heat would decide it, as part of a study does where only intervals widen."""
    stopped = []

    def interrupt(done, total):
        if total == 3000 and 2 * done > total and not stopped:  # half of the final has been played
            stopped.append(done)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted):
        ss.sweep(study(BONUS, deals=1000), "seat_gap", workers=1, progress=Progress(on_games=interrupt))
    assert stopped

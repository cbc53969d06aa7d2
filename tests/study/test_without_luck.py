"""Studies whose luck is measured: rows of figures without luck, the same bytes after a resume, the evaluator in the study."""

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_agents.learned.train import main as train
from strozzi_sim.errors import InputError
from study_examples import played, tables_in

pytestmark = pytest.mark.slow

KEYS = {
    "game": "strozzi", "seed": 4, "players": [4], "deals": 120, "chunks": 30, "luck": "learned", "luck_redraws": 3,
    "lineups": [["heuristic", "greedy", "heuristic", "heuristic"]], "report": {"pages": ["balance"]},
}  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return played(KEYS, tmp_path_factory.mktemp("luck"), workers=2)


def figures(table, name, level="position"):
    return table[table["figure"] == name].sort_values(level)


@pytest.mark.slow
def test_every_mean_has_a_row_without_luck_with_an_interval(measured):
    for table, level in ((measured.tables["seats"], "seat"), (measured.tables["lineup"], "position")):
        for figure in ("win_share", "score_mean", "lead_mean"):
            plain, adjusted = figures(table, figure, level), figures(table, f"{figure}_without_luck", level)
            assert len(plain) == len(adjusted) == 4
            assert (adjusted["n"].to_numpy() == plain["n"].to_numpy()).all()
            wide = (plain["high"] - plain["low"]).to_numpy()
            assert (np.abs(adjusted["value"].to_numpy() - plain["value"].to_numpy()) < wide).all()
            known = adjusted["low"].notna()  # a share of few wins has no interval
            assert known.sum() >= (3 if figure == "win_share" else 4)
            assert (adjusted["low"] < adjusted["high"])[known].all()
            assert (figures(table, f"{figure}_games_saved", level)["value"] > 0).all()
    leads = figures(measured.tables["lineup"], "lead_mean_games_saved")["value"].to_numpy()
    assert np.median(leads) > 1.2
    assert measured.tables["lineup"]["figure"].str.contains("without_luck_minus_position_0").sum() == 9


def test_the_other_rows_are_those_without_it(measured):
    plain = played({key: value for key, value in KEYS.items() if not key.startswith("luck")})
    for name in ("seats", "lineup", "balance"):
        mine = measured.tables[name]
        mine = mine[~mine["figure"].str.contains("luck|games_saved")].reset_index(drop=True)
        assert mine.equals(plain.tables[name].reset_index(drop=True))


def test_resumed_and_with_other_workers_the_bytes_are_the_same(measured, tmp_path):
    played({**KEYS, "deals": 60, "chunks": None, "chunk_deals": 4}, tmp_path)
    again = played(KEYS, tmp_path)
    assert 0 < again.new_games < again.n_games
    assert tables_in(tmp_path) == tables_in(measured.folder)
    assert played(KEYS, tmp_path).new_games == 0


@pytest.mark.slow
def test_values_that_changed_are_another_study(tmp_path):
    keys = {**KEYS, "luck": f"learned:weights={tmp_path / 'w.npz'}"}
    how = ["strozzi", str(tmp_path / "w.npz"), "--players", "4", "--stages", "10000", "--hidden", "8"]
    train(how)
    played(keys, tmp_path / "r")
    train([*how, "--seed", "2"])
    with pytest.raises(InputError, match=r"another study \(agents\..*source"):
        played(keys, tmp_path / "r")


@pytest.mark.slow
def test_comparisons_tournaments_and_worth_take_luck_out_too():
    """Adjusted figures agree with the plain ones within both intervals, and have their own."""
    how = {"players": 4, "luck": "learned", "luck_redraws": 2, "workers": 1}
    field = ["greedy", "heuristic", "picky", "racer"]
    found = [
        ("difference", "win_share", ss.compare("strozzi", "heuristic", "picky", deals=80, **how)),
        ("agents", "score_mean", ss.tournament("strozzi", field, deals=40, **how)),
        ("worth", "score_lost", ss.worth("strozzi", "flag:pirate", agents="heuristic", deals=60, **how)),
    ]
    for name, figure, results in found:
        table = results.tables[name]
        plain, adjusted = (table[table["figure"] == each] for each in (figure, f"{figure}_without_luck"))
        assert len(plain) == len(adjusted) > 0
        for one, other in zip(plain.itertuples(), adjusted.itertuples(), strict=True):
            assert other.low < other.high
            assert abs(one.value - other.value) < (one.high - one.low) + (other.high - other.low)

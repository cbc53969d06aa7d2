"""Studies whose luck is measured: rows of figures without luck, the same bytes after a resume, the evaluator in the plan."""

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_agents.learned.train import main as train
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import InputError

STUDY = {
    "name": "luck", "game": "strozzi", "seed": 4, "players": [4], "deals": 120, "chunks": 30, "luck": "learned", "luck_redraws": 3,
    "lineups": [["heuristic", "greedy", "heuristic", "heuristic"]], "report": {"pages": ["balance"]},
}  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return ss.run(ss.Study(**STUDY), tmp_path_factory.mktemp("luck") / "r", workers=2)


def figures(table, name, level="position"):
    rows = table[table["figure"] == name]
    return rows.sort_values(level)


@pytest.mark.slow
def test_every_mean_has_a_row_without_luck_with_an_interval(played):
    for table, level in ((played.tables["seats"], "seat"), (played.tables["lineup"], "position")):
        for figure in ("win_share", "score_mean", "lead_mean"):
            plain, adjusted = figures(table, figure, level), figures(table, f"{figure}_without_luck", level)
            assert len(plain) == len(adjusted) == 4
            assert (adjusted["n"].to_numpy() == plain["n"].to_numpy()).all()
            wide = (plain["high"] - plain["low"]).to_numpy()
            assert (np.abs(adjusted["value"].to_numpy() - plain["value"].to_numpy()) < wide).all()
            known = adjusted["low"].notna()  # a share of few wins has no interval
            assert known.sum() >= (3 if figure == "win_share" else 4)
            assert (adjusted["low"] < adjusted["high"])[known].all()
            saved = figures(table, f"{figure}_games_saved", level)
            assert (saved["value"] > 0).all()
    leads = figures(played.tables["lineup"], "lead_mean_games_saved")["value"].to_numpy()
    assert np.median(leads) > 1.2
    less = played.tables["lineup"]["figure"].str.contains("without_luck_minus_position_0")
    assert less.sum() == 9


def test_the_other_rows_are_those_without_it(played):
    plain = ss.run(ss.Study(**{key: value for key, value in STUDY.items() if not key.startswith("luck")}), workers=1)
    for name in ("seats", "lineup", "balance"):
        mine = played.tables[name]
        mine = mine[~mine["figure"].str.contains("luck|games_saved")].reset_index(drop=True)
        assert mine.equals(plain.tables[name].reset_index(drop=True))
    assert "luck" not in plain.plan
    assert played.plan["luck"]["agent"] == "learned"
    assert len(played.plan["luck"]["digest"]) == 64


def test_resumed_and_with_other_workers_the_bytes_are_the_same(played, tmp_path):
    again = ss.run(ss.Study(**{**STUDY, "deals": 120}), tmp_path / "r", workers=1)
    for file in sorted((played.folder / "tables").iterdir()):
        assert file.read_bytes() == (again.folder / "tables" / file.name).read_bytes(), file.name
    assert ss.run(ss.Study(**STUDY), tmp_path / "r", workers=1).new_games == 0


@pytest.mark.slow
def test_values_that_changed_are_another_plan(played, tmp_path):
    train(["strozzi", str(tmp_path / "w.npz"), "--players", "4", "--stages", "10000", "--hidden", "8"])
    other = ss.Study(**{**STUDY, "luck": f"learned:weights={tmp_path / 'w.npz'}"})
    ss.run(other, tmp_path / "r", workers=1)
    train(["strozzi", str(tmp_path / "w.npz"), "--players", "4", "--stages", "10000", "--hidden", "8", "--seed", "2"])
    with pytest.raises(InputError, match=r"another plan \(luck\.digest"):
        ss.run(ss.Study(**{**STUDY, "luck": f"learned:weights={tmp_path / 'w.npz'}"}), tmp_path / "r", workers=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--luck", "heuristic"], "--luck: agent 'heuristic' does not evaluate positions; give one that does"),
        (["--luck", "learned", "--luck-redraws", "0"], "--luck-redraws: must be between 1 and 10,000, got 0"),
        (["--luck-redraws", "4"], "--luck-redraws: is for a study with luck"),
        (["--luck", "strange"], "--luck: unknown agent 'strange'"),
    ],
)
def test_what_cannot_measure_luck_is_refused(given, message, capsys):
    assert command(["balance", "strozzi", "--players", "4", "--agents", "greedy", "--deals", "20", *given]) == 2
    assert message in capsys.readouterr().err


MEASURED = {"players": 4, "luck": "learned", "luck_redraws": 2, "workers": 1}


@pytest.mark.slow
def test_questions_about_agents_and_things_also_take_luck_out():
    """Adjusted figures agree with the plain ones within both intervals, and have their own."""
    found = [
        ("difference", "win_share", ss.compare("strozzi", "heuristic", "picky", deals=80, **MEASURED)),
        (
            "agents",
            "score_mean",
            ss.tournament("strozzi", ["greedy", "heuristic", "picky", "racer"], deals=40, **MEASURED),
        ),
        ("worth", "score_lost", ss.worth("strozzi", "flag:pirate", agents="heuristic", deals=60, **MEASURED)),
    ]
    for name, figure, results in found:
        table = results.tables[name]
        plain, adjusted = (table[table["figure"] == each] for each in (figure, f"{figure}_without_luck"))
        assert len(plain) == len(adjusted) > 0
        for one, other in zip(plain.itertuples(), adjusted.itertuples(), strict=True):
            assert other.low < other.high
            assert abs(one.value - other.value) < (one.high - one.low) + (other.high - other.low)
        plans = [results.plan["luck"][key] for key in ("agent", "redraws")]
        assert plans == ["learned", 2]


def test_luck_is_printed_where_it_was_measured(capsys):
    given = ["compare", "strozzi", "heuristic", "picky", "--players", "4", "--deals", "40"]
    assert command(given) == 0
    printed = capsys.readouterr().out
    assert "heuristic - picky, paired by deal" in printed
    assert "luck" not in printed
    assert command([*given, "--luck", "learned", "--luck-redraws", "2"]) == 0
    printed = capsys.readouterr().out
    assert "with the luck taken out\nwin share" in printed
    assert "games saved" not in printed  # of a difference

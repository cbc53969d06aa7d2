"""Results folders: shown without their agents, folders of the format before, and kept rows."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.study.store import Part, Store
from study_database import execute

OLD = sorted((Path(__file__).parent / "old_folders").glob("*.zip"))
KEYS = {"game": "strozzi", "players": [3], "lineups": [["random"]], "deals": 40, "chunk_deals": 10, "seed": 7}
BOT = """
import strozzi_sim as ss
@ss.python_agent("first", games=("strozzi",))
class First:
    def act(self, view, legal, rng):
        return legal[0]
"""


@pytest.fixture
def bot(tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(BOT)
    return file


def test_a_folder_is_shown_without_its_agents(tmp_path, bot):
    study = ss.Study.of(**{**KEYS, "lineups": [[f"{bot}::first", "random", "random"]]})
    done = ss.run(study, tmp_path / "out", workers=1, progress=False)
    bot.unlink()
    code = """if True:
        import sys, strozzi_sim as ss
        results = ss.load_results(sys.argv[1])
        print(results.verdict, results.n_games, results.summary, results.report().stat().st_size > 50_000)
        ss.read_study(sys.argv[1])
    """
    shown = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], capture_output=True, text=True)
    assert shown.stdout == f"{done.verdict} {done.n_games} {done.summary} True\n", shown.stderr
    assert "first: no file" in shown.stderr  # played again it is only with its agents


@pytest.mark.parametrize("archive", OLD, ids=lambda path: path.stem)
def test_a_folder_of_the_format_before_is_shown(archive, tmp_path):
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "old")
    results = ss.load_results(tmp_path / "old")
    assert results.study.kind == archive.stem
    assert results.verdict
    assert results.n_games > 0
    report = results.about["report"]
    assert (list(results.look.pages), results.look.explorer) == (report["pages"], report["explorer"])
    assert "<svg" in results.report(tmp_path / "report.html").read_text()
    with pytest.raises(InputError, match="an earlier format"):
        ss.run(ss.Study.of(**KEYS), tmp_path / "old", progress=False)


def test_what_a_killed_run_left_half_written_goes(tmp_path):
    """A file beside a table under the name that it has while it is written; another of the user's stays."""
    study = ss.Study.of(**KEYS)
    ss.run(study, tmp_path / "r", progress=False, workers=1)
    tables = tmp_path / "r" / "tables"
    names = {path.name for path in tables.iterdir()}
    (tables / ".seats.csv.0123456789abcdef.tmp").touch()
    (tables / ".seats.csv.mine.tmp").touch()
    ss.run(study, tmp_path / "r", progress=False, workers=1)
    assert {path.name for path in tables.iterdir()} == {*names, ".seats.csv.mine.tmp"}


def test_a_folder_of_a_run_that_failed_before_it_played_takes_another_study(tmp_path):
    """Such as the first run of a game of one's own that does not compile yet."""
    folder, other = tmp_path / "out", ss.Study.of(**{**KEYS, "seed": 8})
    with Store(folder, ss.Study.of(**KEYS), ss.Look(name="failed"), Part(2, 5)):
        pass
    assert ss.run(other, folder, workers=1, progress=False).n_games == 40
    with pytest.raises(InputError, match=r"holds another study \(seed: 8 there, 7 here\)"):
        ss.run(ss.Study.of(**KEYS), folder, progress=False)


def test_a_table_that_was_changed_is_refused(tmp_path):
    ss.run(ss.Study.of(**KEYS), tmp_path, workers=1, progress=False)
    table = tmp_path / "tables" / "seats.parquet"
    table.write_bytes(table.read_bytes() + b" ")
    with pytest.raises(InputError, match=r"seats\.parquet: is missing, or was changed"):
        ss.load_results(tmp_path)
    assert ss.run(ss.Study.of(**KEYS), tmp_path, workers=1, progress=False).new_games == 0
    assert ss.load_results(tmp_path).verdict


def test_a_table_that_a_killed_run_did_not_write_is_no_obstacle(tmp_path):
    first = ss.run(ss.Study.of(**KEYS), tmp_path, workers=1, progress=False)
    execute(tmp_path, "INSERT INTO files VALUES ('tables/heat_mine.parquet', '')")
    assert ss.run(ss.Study.of(**KEYS), tmp_path, workers=1, progress=False).new_games == 0
    assert ss.load_results(tmp_path).tables.keys() == first.tables.keys()


def test_rows_of_games_that_are_no_longer_asked_for_stay_in_the_chunks(tmp_path):
    study, quiet = ss.Study.of(**KEYS), {"workers": 1, "progress": False}
    rows = ss.run(study, tmp_path, look=ss.Look(rows=True), **quiet).games
    for _ in range(2):
        assert ss.run(study, tmp_path, **quiet).new_games == 0
        assert not (tmp_path / "games").exists()
    again = ss.run(study, tmp_path, look=ss.Look(rows=True), **quiet)
    assert (again.new_games, again.games.equals(rows)) == (0, True)


def test_kept_rows_of_all_deals_answer_a_heat_map_asked_later(tmp_path):
    look = ss.Look(pages=("balance",), facts=("round",))
    ss.run(ss.Study.of(**KEYS), tmp_path, look=look, workers=1, progress=False)
    asked = {"rows": "seat", "columns": "round", "value": "mean coins", "workers": 1, "progress": False}
    later = ss.heatmap(tmp_path, **asked)
    assert later.new_games == 0
    name = "heat_mean_coins_by_seat_and_round"
    plain = ss.heatmap("strozzi", players=3, agents="random", deals=40, seed=7, **asked)
    assert later.tables[name].drop(columns=["low", "high"]).equals(plain.tables[name].drop(columns=["low", "high"]))


@pytest.mark.parametrize("keys", [{}, {"deals": None, "precision": 5}], ids=["all deals", "until precise"])
def test_results_in_memory_answer_a_heat_map_asked_later(keys):
    """The same games are played again."""
    quiet = {"workers": 1, "progress": False}
    study = ss.Study.of(**{**KEYS, "chunk_deals": None, **keys})
    results = ss.run(study, look=ss.Look(pages=("balance",), facts=("round",)), **quiet)
    assert results.study.deals < study.deals or not keys
    later = ss.heatmap(results, rows="seat", columns="round", value="mean coins", **quiet)
    once_more = ss.heatmap(later, rows="round", columns="seat", value="mean coins", **quiet)
    assert once_more.n_games == later.n_games == results.n_games
    there, turned = (each.tables[name] for each, name in ((later, "heat_mean_coins_by_seat_and_round"), (once_more, "heat_mean_coins_by_round_and_seat")))  # fmt: skip
    found = turned.rename(columns={"row": "column", "column": "row"})[list(there)].sort_values(["row", "column"])
    assert found["value"].tolist() == there.sort_values(["row", "column"])["value"].tolist()
    assert later.tables["seats"].equals(results.tables["seats"])


def test_kept_rows_are_of_the_games_behind_the_tables(tmp_path):
    """A precision stops play after a chunk; later ones were played ahead."""
    study, quiet = (
        ss.Study.of(**{**KEYS, "chunk_deals": None, "deals": None, "precision": 5}),
        {"workers": 1, "progress": False},
    )
    look = ss.Look(pages=("balance",), rows=True, facts=("round",))
    results = ss.run(study, tmp_path, look=look, **quiet)
    assert execute(tmp_path, "SELECT sum(games) FROM chunks")[0][0] > results.n_games
    assert len(results.games) == 3 * results.n_games
    assert results.facts("round")["deal"].nunique() == results.study.deals
    assert ss.heatmap(tmp_path, rows="seat", columns="round", value="mean coins", **quiet).new_games == 0


def test_reading_a_folder_leaves_nothing_in_it(tmp_path):
    """Also of a run that was killed: what it left in the log of the database is read."""
    study, look = ss.Study.of(**KEYS), ss.Look()
    ss.run(study, tmp_path / "whole", look=look, workers=1, progress=False)
    with Store(tmp_path / "whole", study, look) as store:  # a copy made now is as after a kill
        store.write(next(store.stored()))
        shutil.copytree(tmp_path / "whole", tmp_path / "killed")
    files = sorted(os.listdir(tmp_path / "whole"))
    assert (tmp_path / "killed" / "study.sqlite-wal").stat().st_size > 0
    for name in ("whole", "killed"):
        assert ss.load_results(tmp_path / name).verdict
        assert sorted(os.listdir(tmp_path / name)) == files

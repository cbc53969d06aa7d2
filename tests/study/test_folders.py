"""Results folders: shown without their agents, refused if of a format before, and kept rows."""

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.cli import app as cli_app
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.game import load_game
from strozzi_sim.simulation import pool
from strozzi_sim.study import files, running
from strozzi_sim.study.games import with_figures
from strozzi_sim.study.store import Store, StudyPart
from study_database import execute

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


@pytest.mark.slow
def test_a_folder_is_shown_without_its_agents(tmp_path, bot):
    study = ss.Study.of(**{**KEYS, "lineups": [[f"{bot}::first", "random", "random"]]})
    done = ss.run(study, tmp_path / "out", workers=1, progress=False)
    bot.unlink()
    code = """if True:
        import sys, strozzi_sim as ss
        results = ss.load_results(sys.argv[1])
        print(results.verdict.lines, results.n_games, results.summary, results.report().stat().st_size > 50_000)
        ss.read_study(sys.argv[1])
    """
    shown = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], capture_output=True, text=True)
    assert shown.stdout == f"{done.verdict.lines} {done.n_games} {done.summary} True\n", shown.stderr
    assert "first: no file" in shown.stderr  # played again it is only with its agents


def test_a_folder_of_a_format_before_study_1_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_text('{"format": "strozzi-sim.results/4"}')
    for use in (lambda: ss.load_results(tmp_path), lambda: ss.run(ss.Study.of(**KEYS), tmp_path, progress=False)):
        with pytest.raises(InputError, match="holds results of a format before study/1; run their study again"):
            use()


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
    with Store(folder, ss.Study.of(**KEYS), ss.Look(name="failed"), StudyPart(2, 5)):
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
    assert ss.load_results(tmp_path).verdict.answer


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


@pytest.mark.slow
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
    assert (tmp_path / "killed" / "study.sqlite-wal").stat().st_size > 0
    for name in ("whole", "killed"):
        files = digests(tmp_path / name)
        assert ss.load_results(tmp_path / name).verdict.answer
        assert digests(tmp_path / name) == files


# -- while a run is writing, or after one was stopped --------------------------------------------------------------------

RUNNING = {**KEYS, "players": [3, 4], "deals": 300, "chunk_deals": 10}
QUIET = {"workers": 1, "progress": False}
WRITER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA locking_mode = EXCLUSIVE")
database.execute("PRAGMA journal_mode = WAL")
database.execute("UPDATE runs SET command = 'again'")
for line in sys.stdin:
    print(*database.execute(line).fetchall(), flush=True)
"""


def digests(folder):
    """The content of every file of a folder."""
    return {path.name: files.digest_of(path) for path in folder.iterdir()}


def stop_after(folder, monkeypatch, chunks):
    """Play a study into a folder, and stop it after so many chunks of both cells."""

    def stopped(tasks, workers, stop):
        for number, found in enumerate(pool.play_tasks(tasks, workers, stop)):
            if number == chunks:
                raise KeyboardInterrupt
            yield found

    study = ss.Study.of(**RUNNING)
    with monkeypatch.context() as patched:
        patched.setattr(running, "play_tasks", stopped)
        with pytest.raises(KeyboardInterrupt):
            ss.run(study, folder, **QUIET)
    return study


@contextlib.contextmanager
def writer(folder):
    """Yield a function that runs a statement in another process, which holds the database of a folder as a run does."""
    command = [sys.executable, "-c", WRITER, str(folder / "study.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:

        def write(statement):
            process.stdin.write(f"{statement}\n")
            return process.stdout.readline().strip()

        write("SELECT 1")
        try:
            yield write
        finally:
            process.kill()


@pytest.fixture
def unfinished(tmp_path, monkeypatch):
    """A folder whose first 20 chunks are finished in both cells, and 5 more in one."""
    stop_after(tmp_path / "r", monkeypatch, 45)
    return tmp_path / "r"


def test_a_running_study_is_shown_as_far_as_its_chunks_are_finished(unfinished, tmp_path, capsys):
    expected = ss.run(ss.Study.of(**{**RUNNING, "deals": 200}), **QUIET)
    with writer(unfinished):
        before = digests(unfinished)
        with pytest.raises(StorageError, match="another run is writing here; wait for it, or look at it with `strozzi"):
            ss.run(ss.Study.of(**RUNNING), unfinished, **QUIET)
        results = ss.load_results(unfinished)
        assert digests(unfinished) == before
        assert cli_app.run(["report", str(unfinished), "--out", str(tmp_path / "page.html")]) == 0
        assert digests(unfinished) == before
    said = "Not finished; these are the first 200 of 300 deals (20 of 30 chunks)"
    assert (results.interrupted, results.n_games, results.folder) == (said, 400, None)
    assert results.tables["seats"].equals(expected.tables["seats"])
    assert f"{said}." in capsys.readouterr().out
    assert said in (tmp_path / "page.html").read_text()
    assert ss.run(ss.Study.of(**RUNNING), unfinished, **QUIET).new_games == 150  # the writer has left it as it was


@pytest.mark.slow
def test_a_heat_map_of_a_running_study_plays_again_what_lacks_its_facts(unfinished):
    asked = {"rows": "seat", "columns": "round", "value": "mean coins", "fact": "round", **QUIET}
    table = "heat_mean_coins_by_seat_and_round"
    part = ss.run(ss.Study.of(**{**RUNNING, "deals": 200}), **QUIET)
    with writer(unfinished):
        before = digests(unfinished)
        results = ss.heatmap(unfinished, **asked)
        assert digests(unfinished) == before
    said = "Not kept in the folder, which cannot be written now; these are the first 200 of 300 deals (20 of 30 chunks)"
    assert results.interrupted == said
    assert results.tables[table].equals(ss.heatmap(part, **asked).tables[table])


def test_a_study_that_has_hardly_begun_says_so(tmp_path, monkeypatch):
    stop_after(tmp_path, monkeypatch, 30)
    with pytest.raises(InputError, match=r"30 of 60 chunks are finished; results need 20 of every cell"):
        ss.load_results(tmp_path)


def test_a_copy_is_one_state_although_the_log_begins_anew_meanwhile(unfinished, monkeypatch):
    """Of the database before and the log after, some pages would be older than the others."""
    copies, copyfile = [], shutil.copyfile
    with writer(unfinished) as write:

        def copied(source, target):
            if source.name.endswith("-wal") and copies == ["study.sqlite"]:
                write("PRAGMA wal_checkpoint(RESTART)")
                write("DELETE FROM chunks WHERE chunk > 0")
            copies.append(source.name)
            return copyfile(source, target)

        monkeypatch.setattr(shutil, "copyfile", copied)
        with files.copied_database(unfinished) as copy:
            assert execute(copy.parent, "PRAGMA integrity_check") == [("ok",)]
            assert execute(copy.parent, "SELECT cell, chunk FROM chunks") == [(0, 0), (1, 0)]
    assert copies.count("study.sqlite") == 2


def is_readable(package):
    """Whether the effective user may read the folder in which a package is installed."""
    try:
        return bool(os.listdir(Path(sys.modules[package].__file__).parents[1]))
    except OSError:
        return False


@pytest.mark.skipif(not hasattr(os, "seteuid") or os.getuid() != 0, reason="only root may become somebody else")
def test_a_folder_that_cannot_be_written_is_read_with_the_log_of_a_killed_run(unfinished):
    with writer(unfinished), tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        shutil.copytree(unfinished, Path(place, "r"))
        os.seteuid(65534)
        try:
            if not all(map(is_readable, ("numpy", "strozzi_sim"))):
                pytest.skip("other users cannot read the installed packages")
            assert ss.load_results(Path(place, "r")).n_games == 400
            with pytest.raises(StorageError, match="cannot read or write"):
                ss.run(ss.Study.of(**RUNNING), Path(place, "r"), **QUIET)
        finally:
            os.seteuid(0)


def test_the_process_that_writes_does_not_give_up_its_locks_by_reading(unfinished):
    study, look = ss.Study.of(**RUNNING), ss.Look()
    with Store(unfinished, study, look), pytest.raises(StorageError, match="this process is writing there"):
        ss.load_results(unfinished)
    assert ss.load_results(unfinished).n_games == 400


def test_a_file_system_without_locks_is_not_told_as_another_run(unfinished, monkeypatch):
    """SQLite reports ENOLCK as a lock that another process holds."""

    def refused(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with writer(unfinished):
        monkeypatch.setattr("fcntl.lockf", refused)
        with pytest.raises(StorageError, match=r"files cannot be locked on this file system \(No locks available\)"):
            ss.run(ss.Study.of(**RUNNING), unfinished, **QUIET)


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
@pytest.mark.parametrize("game", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_a_folder_without_the_table_figures_is_filled_from_what_the_game_declares(game):
    results = ss.simulate(
        game, agents="random", deals=30, heatmaps=list(report_of(load_game(game)).heat_maps)[:3], workers=1
    )
    kept = dict(results.tables)
    measured = kept.pop("figures")
    filled = with_figures(results.study, kept)["figures"]
    keys = ["table", "name"]
    pd.testing.assert_frame_equal(
        filled.sort_values(keys, ignore_index=True), measured.sort_values(keys, ignore_index=True)
    )
    assert set(measured["table"]) == {name for name, table in kept.items() if len(table)}
    assert set(measured["unit"]) >= {"share", "score", "amount", "number", "count", "p"}

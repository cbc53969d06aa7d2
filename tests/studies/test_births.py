"""Runs that are killed while they make study.sqlite: the next run goes on by itself, and a live run is never disturbed."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from strozzi_sim.studies.database import read_database, write_database
from strozzi_sim.studies.folder import TEMPORARY

from strozzi_sim.cli.app import run
from strozzi_sim.errors import StorageError

# Forks a process for every step, which ends itself by SIGKILL before the line of that number of what makes the folder.
AT_EVERY_LINE = """
import json, os, signal, sys
from pathlib import Path
from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.studies.planning import make_plan
from strozzi_sim.studies.store import Store

game = load_game("medici_vs_strozzi")
plan = make_plan("study", game, [(load_agent("random", game),)], [resolve_variant(game, "base")], [2], 40)
watched = {"database.py", "store.py", "folder.py"}
root, step = Path(sys.argv[1]), int(sys.argv[2])

def killed_at(line, folder):
    left = line
    def trace(frame, event, argument):
        nonlocal left
        if Path(frame.f_code.co_filename).name not in watched:
            return None
        left -= event == "line"
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    child = os.fork()
    if not child:
        sys.settrace(trace)
        with Store(folder, plan):
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

line, left = 0, []
while killed_at(line, folder := root / str(line)):
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    with Store(folder, plan) as again:
        assert again.done == {} and again.damaged == []
    left.append((names, sorted(path.name for path in folder.iterdir())))
    line += step
print(json.dumps(left))
"""
# Makes one database after another until it is killed, wherever SQLite is.
UNTIL_KILLED = """
import itertools, sys
from pathlib import Path
from strozzi_sim.studies.database import write_database
print("ready", flush=True)
for number in itertools.count():
    folder = Path(sys.argv[1], str(number))
    folder.mkdir()
    with write_database(folder):
        pass
"""


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_run_killed_at_any_line_of_a_birth_goes_on(step, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", AT_EVERY_LINE, str(tmp_path), str(step)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    left = json.loads(done.stdout)
    assert len(left) > 100 / step
    assert any(TEMPORARY.match(name) for names, _ in left for name in names)  # killed while the database was made
    assert any("study.sqlite-wal" in names for names, _ in left)
    assert all(after == ["study.sqlite"] for _, after in left)  # no remains


@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.nightly)])
def test_a_run_killed_at_any_moment_of_a_birth_goes_on(kills, tmp_path):
    for kill in range(kills):
        place = tmp_path / str(kill)
        place.mkdir()
        process = subprocess.Popen([sys.executable, "-c", UNTIL_KILLED, str(place)], stdout=subprocess.PIPE)
        process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.05 + 0.013 * (kill % 17))
        process.kill()
        process.wait()
        process.stdout.close()
        for folder in place.iterdir():
            with read_database(folder):
                pass
            with write_database(folder) as database:
                assert database.execute("SELECT count(*) FROM chunks").fetchone() == (0,)
            assert {path.name for path in folder.iterdir()} <= {"study.sqlite", "study.sqlite-shm"}


def test_two_births_at_once_leave_one_database(tmp_path, monkeypatch):
    """The other run makes its database after this one saw that there is none, and holds it."""
    from strozzi_sim.studies import database

    made, other = database._make_database, []

    def make(folder):
        monkeypatch.setattr(database, "_make_database", made)
        connection = write_database(folder)
        connection.__enter__()
        other.append(connection)
        made(folder)

    monkeypatch.setattr(database, "_make_database", make)
    with pytest.raises(StorageError, match="another run is writing here"), write_database(tmp_path):
        pass
    other[0].__exit__(None, None, None)
    assert [path.name for path in tmp_path.iterdir()] == ["study.sqlite"]
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_disk_without_hard_links(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    with write_database(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["study.sqlite"]


def test_the_journal_of_another_program_is_not_applied(tmp_path, capsys):
    with write_database(tmp_path) as database:
        database.execute("INSERT INTO plan VALUES ('', '', '')")
    (tmp_path / "study.sqlite-journal").write_bytes(
        bytes.fromhex("d9d505f920a163d7") + b"\0\0\0\1salt\0\0\0\7" + b"\0" * 492
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run(["balance", "medici_vs_strozzi", "--deals", "20", "--out", str(tmp_path)]) == 4
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "study.sqlite-journal: is of another program" in line
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

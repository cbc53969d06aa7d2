"""Faults in the middle of a run: a kill at its birth, a signal, a disk that fills, a clock that jumps. Nothing is lost or counted twice."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys

import pytest

import strozzi_sim as ss
from strozzi_sim.errors import StorageError
from strozzi_sim.simulation import pool
from strozzi_sim.study import running, store
from strozzi_sim.study.running import FEWEST_CHUNKS
from study_database import chunks, execute
from study_examples import played, tables_in

KEYS = {"game": "strozzi", "seed": 9, "players": [3], "deals": 400, "chunks": 40, "lineups": [["random"]], "report": {"pages": ["balance"]}}  # fmt: skip
# Forks a process for every step, which ends itself by SIGKILL before the line of that number of what makes the folder.
AT_EVERY_LINE = """
import json, os, signal, sys
from pathlib import Path
from study_examples import study_of
from strozzi_sim.study.store import Store

study, look = study_of({"game": "medici_vs_strozzi", "deals": 40, "lineups": [["random"]], "pages": ["balance"]})
_ = study.cells
watched = {"store.py", "files.py"}
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
        with Store(folder, study, look):
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

line, left = 0, []
while killed_at(line, folder := root / str(line)):
    names = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    with Store(folder, study, look) as again:
        assert again.done == {} and again.left == []
    left.append((names, sorted(path.name for path in folder.iterdir())))
    line += step
print(json.dumps(left))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(KEYS, tmp_path_factory.mktemp("whole"))


def python(code, *words):
    path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)) + "/support", *sys.path])
    command, environment = [sys.executable, "-c", code, *map(str, words)], {**os.environ, "PYTHONPATH": path}
    return {"args": command, "env": environment, "text": True}


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_run_killed_at_any_line_of_a_birth_goes_on(step, tmp_path):
    done = subprocess.run(**python(AT_EVERY_LINE, tmp_path, step), capture_output=True)
    assert done.returncode == 0, done.stderr
    left = json.loads(done.stdout)
    assert len(left) > 60 / step
    assert any("study.sqlite-wal" in names for names, _ in left)  # killed while the database was made
    assert all({"study.json", "study.sqlite"} <= set(after) for _, after in left)


def test_a_disk_that_fills_in_mid_run_keeps_the_finished_chunks(whole, tmp_path, monkeypatch):
    opened = store.Store._open_study

    def open_small(self):
        opened(self)
        ((pages,),) = self._database.execute("PRAGMA page_count").fetchall()
        self._database.execute(f"PRAGMA max_page_count = {pages + 2}")

    with monkeypatch.context() as small:
        small.setattr(store.Store, "_open_study", open_small)
        with pytest.raises(StorageError, match=r"cannot read or write .*study\.sqlite: database or disk is full"):
            played(KEYS, tmp_path, workers=2)
    kept = len(chunks(tmp_path))
    assert 0 < kept < 40
    assert played(KEYS, tmp_path, workers=2).new_games == 400 - 10 * kept
    assert tables_in(tmp_path) == tables_in(whole.folder)


def test_a_clock_that_jumps_changes_no_figure(whole, tmp_path, monkeypatch):
    """Backwards and forwards by decades, between and during runs."""
    years, jumps = itertools.cycle((2031, 1971, 2026, 1999)), itertools.cycle((5.0, -1e9, 1e9))
    monkeypatch.setattr(store, "now", lambda: f"{next(years)}-01-01T00:00:00+00:00")
    monkeypatch.setattr(running, "monotonic", lambda: next(jumps))
    played(KEYS, tmp_path)
    execute(tmp_path, "DELETE FROM chunks WHERE chunk > 7")
    played(KEYS, tmp_path)
    assert tables_in(tmp_path) == tables_in(whole.folder)
    assert played(KEYS, tmp_path).new_games == 0


@pytest.mark.parametrize("finished", [FEWEST_CHUNKS - 1, FEWEST_CHUNKS + 5])
def test_chunks_that_are_finished_when_a_run_stops_are_given_if_they_say_something(monkeypatch, finished):
    """Two cells; a signal comes after twice so many chunks of a study without a folder."""

    def stopped(tasks, workers, stop):
        for number, found in enumerate(pool.play_tasks(tasks, workers, stop)):
            if number == 2 * finished:
                signal.raise_signal(signal.SIGINT)
            yield found

    monkeypatch.setattr(running, "play_tasks", stopped)
    keys = {**KEYS, "players": [3, 4], "chunks": None, "rows": True}
    if finished < FEWEST_CHUNKS:
        with pytest.raises(KeyboardInterrupt, match="nothing is kept without a results folder") as interrupt:
            played(keys)
        assert interrupt.value.results is None
        return
    deals = 400 * FEWEST_CHUNKS // 200  # as many of every cell are played before more of any
    said = f"Interrupted; these are the first {deals} of 400 deals (20 of 200 chunks)"
    with pytest.raises(KeyboardInterrupt, match=re.escape(said)) as interrupt:
        played(keys)
    assert type(interrupt.value) is KeyboardInterrupt  # of another type Python would end with exit code 1
    part = interrupt.value.results
    assert part.interrupted == said
    monkeypatch.setattr(running, "in_notebook", lambda: True)
    with pytest.warns(UserWarning, match=re.escape(said)):
        assert played(keys).tables["seats"].equals(part.tables["seats"])
    assert (part.n_games, part.study.deals) == (2 * deals, deals)
    monkeypatch.undo()
    rest = played({**keys, "deals": deals, "chunk_deals": 2})
    assert part.tables["seats"].equals(rest.tables["seats"])
    assert part.games.equals(rest.games)


def test_a_signal_keeps_the_chunks_in_a_folder_and_says_how_to_resume(tmp_path, monkeypatch):
    def stopped(tasks, workers, stop):
        for number, found in enumerate(pool.play_tasks(tasks, workers, stop)):
            if number == 7:
                signal.raise_signal(signal.SIGINT)
            yield found

    monkeypatch.setattr(running, "play_tasks", stopped)
    with pytest.raises(KeyboardInterrupt, match=r"Interrupted; \d+ of 40 chunks are kept; run again to resume"):
        played(KEYS, tmp_path)
    kept = len(chunks(tmp_path))
    assert 7 <= kept < 40
    assert not (tmp_path / "tables").exists()
    monkeypatch.undo()
    study, look = ss.read_study(tmp_path)
    assert ss.run(study, tmp_path, look=look, workers=1).new_games == 400 - 10 * kept

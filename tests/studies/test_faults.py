"""Faults in the middle of a run: signals at any moment, a disk that fills, a clock that jumps. Nothing is lost or counted twice."""

import itertools
import random
import signal
import subprocess
import sys
import time

import pytest
from strozzi_sim.studies import manifest, run, store

import strozzi_sim as ss
from strozzi_sim.errors import StorageError
from study_database import chunks, execute, table_bytes

STUDY = {"name": "faults", "game": "strozzi", "seed": 9, "players": [3], "deals": 400, "chunks": 40, "lineups": [["random"]], "report": {"pages": ["balance"]}}  # fmt: skip
FILE = """
name = "faults"
game = "strozzi"
seed = 9
players = [4]
deals = 600_000
chunks = 300
lineups = [["random"]]
report = { pages = ["balance"] }
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return ss.run(ss.Study(**STUDY), tmp_path_factory.mktemp("whole") / "r", workers=1)


@pytest.mark.nightly
def test_after_20_signals_at_random_moments_the_tables_are_those_of_one_run(tmp_path):
    study, folder, chance = tmp_path / "study.toml", tmp_path / "r", random.Random(20)
    study.write_text(FILE)
    command = [sys.executable, "-m", "strozzi_sim", "run", str(study), "--workers", "1", "--out"]
    seen = 0
    for number in range(20):
        process = subprocess.Popen(
            [*command, str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        time.sleep(chance.uniform(0.2, 2.2))
        process.send_signal(chance.choice(SIGNALS))
        _, said = process.communicate(timeout=120)
        assert process.returncode in (0, 130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT), said
        assert said == "" or "internal error" not in said
        if (folder / "study.sqlite").exists():
            kept = len(chunks(folder))
            assert kept >= seen, f"signal {number} lost chunks"
            seen = kept
    assert subprocess.run([*command, str(folder)], capture_output=True).returncode == 0
    assert subprocess.run([*command, str(tmp_path / "whole")], capture_output=True).returncode == 0
    assert table_bytes(folder) == table_bytes(tmp_path / "whole")
    assert execute(folder, "SELECT sum(games), count(DISTINCT chunk) FROM chunks") == [(600_000, 300)]


def test_a_disk_that_fills_in_mid_run_keeps_the_finished_chunks(whole, tmp_path, monkeypatch):
    folder, opened = tmp_path / "r", store.Store._check_plan

    def open_small(self):
        opened(self)
        ((pages,),) = self._connection.execute("PRAGMA page_count").fetchall()
        self._connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    with monkeypatch.context() as small:
        small.setattr(store.Store, "_check_plan", open_small)
        with pytest.raises(StorageError, match=r"cannot write .*study\.sqlite: database or disk is full"):
            ss.run(ss.Study(**STUDY), folder, workers=2)
    kept = len(chunks(folder))
    assert 0 < kept < 40
    assert ss.run(ss.Study(**STUDY), folder, workers=2).new_games == 400 - 10 * kept
    assert table_bytes(folder) == table_bytes(whole.folder)


def test_a_clock_that_jumps_changes_no_figure(whole, tmp_path, monkeypatch):
    """Backwards and forwards by decades, between and during runs."""
    years = itertools.cycle((2031, 1971, 2026, 1999))
    jumps = itertools.cycle((5.0, -1e9, 1e9))
    for module in (manifest, run, store):
        monkeypatch.setattr(module, "now", lambda: f"{next(years)}-01-01T00:00:00+00:00")
    monkeypatch.setattr(run, "monotonic", lambda: next(jumps))
    folder = tmp_path / "r"
    ss.run(ss.Study(**STUDY), folder, workers=1)
    execute(folder, "DELETE FROM chunks WHERE chunk > 7")
    ss.run(ss.Study(**STUDY), folder, workers=1)
    assert table_bytes(folder) == table_bytes(whole.folder)
    assert ss.run(ss.Study(**STUDY), folder, workers=1).new_games == 0

"""Studies of every kind are stopped at random moments, and then finished: the tables have the bytes of one run."""

import atexit
import os
import random
import signal
import sqlite3
import time
import zlib

import pytest

import strozzi_sim as ss
from stopped_scripts import CALLS, SIGNALS, finish, left_behind, started, stopped
from strozzi_sim.errors import StorageError
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.progress import GAMES, Progress
from strozzi_sim.study.store import Store
from study_database import execute
from study_examples import EXAMPLES, KEYS, tables_in

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="stops a forked copy")
KINDS = [
    kind for kind in EXAMPLES if kind not in ("leak_check", "tune", "weights")
]  # these have no chunks of their own
FAULTS = ("SIGKILL", "SIGTERM", "SIGKILL", "SIGINT", "full disk", "SIGKILL")
DONE, STOPPED, FULL = 0, 10, 11  # how a copy ends


def make(kind):
    return study_of({**KEYS, **EXAMPLES[kind], "kind": kind, "deals": 100, "report": {"pages": ["balance"]}})


def forked(kind, folder, workers, *, pages=0):
    """Run a study in a forked copy; return its process, and a pipe with the numbers of games that it said were played.

    With `pages` the disk is full after as many pages more.
    """
    study, look = make(kind)
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        os.read(reading, 8)  # a signal before the copy handles it would end it otherwise
        return process, reading

    def tell(phase, done, total):
        if phase == GAMES:
            os.write(writing, done.to_bytes(8, "big"))

    if pages:
        check = Store._check_chunks

        def fill(store):
            check(store)
            (used,) = store._database.execute("PRAGMA page_count").fetchone()
            store._database.execute(f"PRAGMA max_page_count = {used + pages}")

        Store._check_chunks = fill
    atexit._clear()  # what the tests registered is not the copy's
    code = 1
    try:
        tell(GAMES, 0, 0)
        ss.run(study, folder, look=look, workers=workers, progress=Progress(on_phase=tell))
        code = DONE
    except KeyboardInterrupt:
        code = STOPPED
    except StorageError:
        code = FULL
    finally:
        os._exit(code)


def ended(process, reading):
    """Return how a copy ended, and the last number of games that it told."""
    _, status = os.waitpid(process, 0)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    return os.waitstatus_to_exitcode(status), int.from_bytes(told[-8:], "big")


def games_in(folder):
    try:
        return execute(folder, "SELECT coalesce(sum(games), 0) FROM chunks")[0][0]
    except sqlite3.OperationalError:  # no table yet
        return 0


def played_whole(kind, folder):
    """Play a study in one run; return the seconds of a run by two workers once all is compiled, whose tables are the same."""
    study, look = make(kind)
    whole = ss.run(study, folder, look=look, workers=1, progress=False)
    began = time.monotonic()
    again = ss.run(study, look=look, workers=2, progress=False)
    seconds = time.monotonic() - began
    for name, table in whole.tables.items():
        assert table.equals(again.tables[name]), name
    return seconds


@pytest.mark.slow_for("compare_agents", "compare_variants", "sweep", "exploit", "our_table")
@pytest.mark.parametrize("kind", KINDS)
def test_a_study_that_was_killed_twice_has_the_same_bytes(kind, tmp_path):
    seconds, moments = played_whole(kind, tmp_path / "whole"), random.Random(zlib.crc32(kind.encode()))
    for _ in range(2):
        process, reading = forked(kind, tmp_path / "killed", 1)
        time.sleep(moments.uniform(0, 1.3 * seconds))
        os.kill(process, signal.SIGKILL)
        ended(process, reading)
    study, look = make(kind)
    ss.run(study, tmp_path / "killed", look=look, workers=1, progress=False)
    assert tables_in(tmp_path / "killed") == tables_in(tmp_path / "whole")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_after_six_faults_nothing_is_lost_and_the_bytes_are_the_same(kind, tmp_path):
    """Of what a run said was played, all is kept: a kill loses the chunks under way, and no other."""
    seconds, chance = played_whole(kind, tmp_path / "whole"), random.Random(zlib.crc32(kind.encode()) + 1)
    study, look = make(kind)
    folder, kept, told = tmp_path / "r", 0, 0
    for fault in FAULTS:
        workers = chance.choice((1, 2))
        if fault == "full disk":
            code, told = ended(*forked(kind, folder, workers, pages=1))
            assert code in (DONE, FULL)
        else:
            process, reading = forked(kind, folder, workers)
            time.sleep(chance.uniform(0, seconds / 2))
            os.kill(process, getattr(signal, fault))
            code, told = ended(process, reading)
            assert code in (DONE, STOPPED, -getattr(signal, fault)), fault
        games = games_in(folder) if (folder / "study.sqlite").exists() else 0
        assert games >= max(kept, told), f"{fault} lost chunks"
        kept = games
    execute(folder, "UPDATE chunks SET facts = zeroblob(9) WHERE rowid = (SELECT min(rowid) FROM chunks)")
    told = []
    ss.run(study, folder, look=look, workers=2, progress=Progress(on_message=told.append))
    assert not kept or any("is damaged and is played again" in line for line in told)
    assert tables_in(folder) == tables_in(tmp_path / "whole")
    assert execute(folder, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
@pytest.mark.nightly_for(*CALLS.keys() - {"compare", "worth", "luck"})
@pytest.mark.parametrize("call", CALLS)
def test_a_signal_ends_a_script_within_three_seconds_and_its_folders_resume(call, tmp_path):
    """Code that has been compiled runs here; a call of the compiler ends first."""
    chance = random.Random(call)
    for number in SIGNALS:
        folder = tmp_path / number.name
        folder.mkdir()
        process = started(call, folder)
        time.sleep(chance.uniform(0, 5))
        end = stopped(process, number, patience=60)
        assert (end.status, end.seconds < 3) == (-number, True), end
        assert end.said == "" or (number == signal.SIGINT and end.said.split("\n")[-2].startswith("KeyboardInterrupt"))
        assert "ignored" not in end.said
        until = time.monotonic() + 3
        while left_behind(process.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left_behind(process.pid)
        finish(call, folder)

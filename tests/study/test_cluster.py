"""Chunks on the workers of a Dask cluster: the bytes of a run on one machine, whoever joins, dies or is another version."""

import os
import signal
import warnings
from pathlib import Path

import joblib
import pytest

import strozzi_sim as ss
from dask_cluster import Cluster, free_port
from needed import need
from strozzi_sim.cli.folders import run as run_file
from strozzi_sim.errors import ArgumentError, ClusterError, InputError
from strozzi_sim.study import cluster as clusters
from strozzi_sim.study.look import Look
from strozzi_sim.study.progress import GAMES, Progress
from study_database import execute
from study_examples import tables_in

Client = need("distributed").Client

pytestmark = pytest.mark.slow

STUDY = {"game": "strozzi", "seed": 5, "players": [4], "deals": 1_000, "seatings": "one", "chunk_deals": 1, "lineups": [["heuristic"]]}  # fmt: skip
LOOK = Look(pages=("balance",))
BOTS = '''
from pathlib import Path

from strozzi_sim.agent import python_agent

which = int((Path(__file__).parent / "data" / "which.txt").read_text())


@python_agent(name="fixed", games=("strozzi",), files=["data/which.txt"])
class Fixed:
    """Takes the action at a place that a file tells."""

    def act(self, view, legal, rng):
        return legal[which]
'''
# What a worker runs first, twice.
PATIENT = """
import time
from pathlib import Path

from strozzi_sim.simulation import pool

perform = pool.at_once = getattr(pool, "at_once", pool.perform)
played = 0


def play(tasks, *flags):
    global played
    played += len(tasks)
    while played > 100 and not Path("go").exists():
        time.sleep(0.01)
    return perform(tasks, *flags)


pool.perform = play
"""
OTHER_VERSION = """
from strozzi_sim.study import cluster

versions = cluster.before = getattr(cluster, "before", cluster.versions)
cluster.versions = lambda: {**versions(), "numba": "0.1"}
"""
FATAL = """
import os

from strozzi_sim.simulation import pool

pool.perform = lambda *arguments: os._exit(1)
"""
WITHOUT_US = """
import sys

sys.modules["strozzi_sim.simulation.pool"] = None  # it cannot be imported
"""


def study(**changes):
    return ss.Study.of(**{**STUDY, **changes})


def chunks(folder):
    """Return how many chunks are stored."""
    return execute(folder, "SELECT count(*) FROM chunks")[0][0]


def played_here(folder, **changes):
    """Return the tables of a run on this machine."""
    ss.run(study(**changes), folder, look=LOOK, workers=1, progress=False)
    return tables_in(folder)


@pytest.fixture
def dask(tmp_path, monkeypatch):
    """A scheduler; workers wait after 100 chunks until the folder of the logs has a file `go`."""
    monkeypatch.setattr(clusters, "_CONNECT", 60)  # on a busy machine
    (tmp_path / "logs").mkdir()
    (tmp_path / "patient.py").write_text(PATIENT)
    with Cluster(tmp_path / "logs", tmp_path / "patient.py") as cluster, warnings.catch_warnings():
        yield cluster


def play(cluster, folder, progress=None, **changes):
    return ss.run(study(**changes), folder, look=LOOK, progress=progress, backend="dask", scheduler=cluster.address)


def after(games, action):
    """Return the progress that does something once, when this many games are played."""
    waiting = [action]

    def look(phase, done, total):
        if phase == GAMES and waiting and done >= games:
            waiting.pop()()

    return Progress(on_phase=look)


@pytest.mark.slow
def test_a_thousand_chunks_of_two_workers_are_those_of_this_machine(dask, tmp_path):
    """One worker is killed in the middle, and one joins late."""
    killed, stays = dask.add(), dask.add()
    dask.wait_for(2)

    def swap():
        killed.kill()
        dask.wait_for(1)  # else the one that is gone would be counted for the one that comes
        dask.add()
        dask.wait_for(2)
        (tmp_path / "logs" / "go").touch()

    play(dask, tmp_path / "r", after(20, swap))
    assert killed.wait() == -signal.SIGKILL
    assert stays.poll() is None
    assert chunks(tmp_path / "r") == 1_000
    assert tables_in(tmp_path / "r") == played_here(tmp_path / "here")


@pytest.mark.slow
def test_files_of_agents_travel_with_the_files_that_they_declare(dask, tmp_path, monkeypatch):
    """Two of one name."""
    monkeypatch.chdir(tmp_path)
    for folder, which in (("first", 0), ("last", -1)):
        Path(folder, "data").mkdir(parents=True)
        Path(folder, "bots.py").write_text(BOTS)
        Path(folder, "data", "which.txt").write_text(str(which))
    lineup = ["first/bots.py::fixed", "last/bots.py::fixed", "random", "random"]
    asked = {"lineups": [lineup], "deals": 40, "chunk_deals": 2}
    dask.add()  # in another folder
    dask.wait_for(1)
    play(dask, tmp_path / "r", **asked)
    assert tables_in(tmp_path / "r") == played_here(tmp_path / "here", **asked)
    Path("last/bots.py").write_text(BOTS.replace("data/which.txt", "../first/data/which.txt"))
    with pytest.raises(InputError, match=r"agent file last/bots.py: '../first/data/which.txt' leads out of its folder"):
        play(dask, tmp_path / "s", **asked)


@pytest.mark.slow
def test_a_run_that_is_interrupted_resumes_here(dask, tmp_path):
    dask.add()
    dask.wait_for(1)
    with pytest.raises(KeyboardInterrupt, match=r"Interrupted; \d+ of 1000 chunks are kept; run again to resume"):
        play(dask, tmp_path / "r", after(20, lambda: os.kill(os.getpid(), signal.SIGINT)))
    assert 20 <= chunks(tmp_path / "r") <= 100
    assert 900 <= ss.run(study(), tmp_path / "r", look=LOOK, workers=1).new_games <= 980
    assert tables_in(tmp_path / "r") == played_here(tmp_path / "here")


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run(dask, tmp_path):
    dask.add()
    dask.wait_for(1)
    with pytest.raises(ClusterError, match=f"scheduler at {dask.address} went away; start it again, and run"):
        play(dask, tmp_path / "r", after(20, dask.scheduler.kill))
    assert 20 <= chunks(tmp_path / "r") <= 100


@pytest.mark.slow
def test_a_worker_that_differs_is_named_whenever_it_joins(dask, tmp_path):
    (tmp_path / "stranger.py").write_text(OTHER_VERSION)
    dask.add()
    workers = dask.wait_for(1)

    def join():
        dask.add(tmp_path / "stranger.py")
        workers[:] = set(dask.wait_for(2)).difference(workers)
        (tmp_path / "logs" / "go").touch()

    with pytest.raises(ClusterError) as late:
        play(dask, tmp_path / "r", after(20, join))
    assert 20 <= chunks(tmp_path / "r") < 1_000
    with pytest.raises(ClusterError) as early:
        play(dask, tmp_path / "s")
    for refusal in (late, early):
        assert f"worker {workers[0]} differs from this machine: version.numba: '0.1' there" in str(refusal.value)


@pytest.mark.slow
def test_a_worker_without_our_code_is_named_or_leaves(dask, tmp_path):
    (tmp_path / "stranger.py").write_text(WITHOUT_US)
    dask.add(tmp_path / "stranger.py")
    (stranger,) = dask.wait_for(1)
    with pytest.raises(ClusterError, match=f"worker {stranger}: .*strozzi_sim.simulation.pool"):
        play(dask, tmp_path / "r")
    dask.processes[-1].kill()
    dask.wait_for(0)
    dask.add()
    dask.wait_for(1)

    def join():
        dask.add(tmp_path / "stranger.py")
        dask.wait_for(2)
        (tmp_path / "logs" / "go").touch()

    play(dask, tmp_path / "r", after(20, join))
    assert dask.processes[-1].wait(60) == 0
    assert chunks(tmp_path / "r") == 1_000


@pytest.mark.slow
def test_a_chunk_that_ends_every_worker_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    (tmp_path / "fatal.py").write_text(FATAL)
    with Cluster(tmp_path, tmp_path / "fatal.py") as cluster:
        cluster.add()
        cluster.wait_for(1)
        with pytest.raises(ClusterError, match=r"a chunk ended every worker that played it .*; see a worker's log"):
            play(cluster, tmp_path / "r")


@pytest.mark.slow
def test_an_agent_of_other_code_is_named(dask, tmp_path, monkeypatch):
    """Its file imports a module that is another one there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("bots.py").write_text(
        "from which_one import which\n" + BOTS.replace("which = ", "# ").replace(', files=["data/which.txt"]', "")
    )
    for folder, which in ((Path(), 0), (Path("logs"), -1)):
        (folder / "which_one.py").write_text(f"which = {which}\n")
    dask.add()
    (worker,) = dask.wait_for(1)
    with pytest.raises(ClusterError, match=f"worker {worker} differs from this machine: the code of agent bots.py"):
        play(dask, tmp_path / "r", lineups=[["bots.py::fixed"]])


@pytest.mark.slow
def test_without_a_scheduler_or_with_a_wrong_backend_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "_CONNECT", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ClusterError, match=f"no Dask scheduler answers at {address} within 1 s .*start one with"):
        ss.run(study(), tmp_path / "r", backend="dask", scheduler=address)
    with pytest.raises(ClusterError, match="no Dask scheduler answers at nowhere"):
        ss.run(study(), tmp_path / "r", backend="dask", scheduler="nowhere")
    for asked, argument in (
        ({"backend": "spark"}, "backend"),
        ({"backend": "dask"}, "scheduler"),
        ({"scheduler": address}, "scheduler"),
        ({"backend": "dask", "scheduler": address, "workers": 3}, "workers"),
    ):
        with pytest.raises(ArgumentError) as refusal:
            ss.run(study(), tmp_path / "r", **asked)
        assert refusal.value.argument == argument
    assert not (tmp_path / "r").exists()
    (tmp_path / "s.toml").write_text('game = "strozzi"\ndeals = 9\nlineups = [["random"]]\n')
    with pytest.raises(ClusterError) as refusal:
        run_file(tmp_path / "s.toml", folder=tmp_path / "r", backend="dask", scheduler=address)
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
def test_a_cluster_that_joblib_is_configured_with_plays_too(dask, tmp_path):
    dask.add()
    dask.add()
    dask.wait_for(2)
    (tmp_path / "logs" / "go").touch()
    with Client(dask.address), joblib.parallel_config("dask"):
        ss.run(study(deals=300), tmp_path / "r", look=LOOK)
    assert tables_in(tmp_path / "r") == played_here(tmp_path / "here", deals=300)

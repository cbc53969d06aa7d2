"""Chunks on the workers of a Dask cluster: the bytes of a run on one machine, whoever joins, dies, lies or is another version."""

import os
import signal
import warnings
from pathlib import Path

import pytest

import strozzi_sim as ss
from dask_cluster import Cluster, free_port
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import ArgumentError, ClusterError, Interrupted
from strozzi_sim.studies import cluster as backend
from strozzi_sim.studies.folder import read_manifest
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.replays import Sampler
from study_database import chunks

STUDY = {"name": "cluster", "game": "strozzi", "seed": 5, "players": [4], "deals": 60_000, "chunks": 120, "lineups": [["random"]], "report": {"pages": ["balance", "flags"]}}  # fmt: skip
BOTS = '''
from strozzi_sim.agent import python_agent


@python_agent(name="last", games=("strozzi",))
class Last:
    """Takes the last action."""

    def act(self, view, legal, rng):
        return legal[-1]
'''
PATIENT = """
import time
from pathlib import Path
from strozzi_sim.simulation import pool

play = getattr(pool, "play", pool._play)
pool.play = play  # this file is run twice


def wait(*arguments):
    deadline = time.monotonic() + 60
    while not Path("altered").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return play(*arguments)


pool._play = wait
"""
LIAR = """
from pathlib import Path
from strozzi_sim.simulation import pool

honest = getattr(pool, "honest", pool._play)
pool.honest = honest  # this file is run twice


def alter(*arguments):
    played = honest(*arguments)
    played.outcome["wins"][0, 0] += 1
    Path("altered").touch()
    return played


pool._play = alter
"""
STRANGER = """
from strozzi_sim.studies import manifest

versions = getattr(manifest, "versions", manifest.versions_of)
manifest.versions = versions  # this file is run twice
manifest.versions_of = lambda game: {**versions(game), "numba": "0.1"}
"""


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted((folder / "tables").iterdir())}


def study(**changes):
    return ss.Study(**{**STUDY, **changes})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return ss.run(study(), tmp_path_factory.mktemp("whole") / "r", workers=2)


@pytest.fixture
def dask(tmp_path):
    (tmp_path / "logs").mkdir()
    with Cluster(tmp_path / "logs") as cluster, warnings.catch_warnings():
        yield cluster


def play(cluster, folder, progress=None, **changes):
    return ss.run(study(**changes), folder, progress=progress, backend="dask", scheduler=cluster.address)


class At:
    """Does something once, when this many games are played."""

    def __init__(self, games, action):
        self.games, self.action, self.said = games, action, []

    @property
    def progress(self):
        return Progress(on_games=self._look, on_message=self.said.append)

    def _look(self, done, total):
        if self.action is not None and done >= self.games:
            action, self.action = self.action, None
            action()


@pytest.mark.nightly
def test_a_lost_worker_costs_its_chunks_and_nothing_else(dask, whole, tmp_path):
    first = dask.add()
    dask.wait_for(1)
    joined = []

    def swap():
        joined.append(dask.add())
        dask.wait_for(2)
        first.kill()

    at = At(15_000, swap)
    played = play(dask, tmp_path / "r", at.progress)
    assert joined
    assert first.wait() == -signal.SIGKILL
    assert contents(tmp_path / "r") == contents(whole.folder)
    assert played.manifest["cluster"]["refused"] == {}
    assert played.manifest["cluster"]["replayed"] >= 4
    assert read_manifest(tmp_path / "r")["signature"]


@pytest.mark.slow
def test_a_scheduler_that_goes_away_leaves_the_finished_chunks(dask, whole, tmp_path):
    dask.add()
    with pytest.raises(
        Interrupted, match=r"interrupted by SIGINT; \d+ of 120 chunks are kept; run the same command again"
    ):
        play(dask, tmp_path / "r", At(5_000, lambda: os.kill(os.getpid(), signal.SIGINT)).progress)
    at = At(10_000, dask.scheduler.kill)
    with pytest.raises(
        ClusterError, match=f"scheduler at {dask.address} went away; start it again, and run the same command"
    ):
        play(dask, tmp_path / "r", at.progress)
    assert 20 <= len(chunks(tmp_path / "r")) < 120
    assert 0 < ss.run(study(), tmp_path / "r", workers=2).new_games <= 50_000
    assert contents(tmp_path / "r") == contents(whole.folder)


@pytest.mark.slow
def test_a_worker_that_alters_chunks_is_named_and_its_chunks_are_replayed(dask, whole, tmp_path):
    (tmp_path / "liar.py").write_text(LIAR)
    (tmp_path / "patient.py").write_text(PATIENT)  # else it may have played all before the other is there
    dask.add(tmp_path / "patient.py")
    (honest,) = dask.wait_for(1)
    dask.add(tmp_path / "liar.py")
    (liar,) = set(dask.wait_for(2)) - {honest}
    at = At(0, None)
    played = play(dask, tmp_path / "r", at.progress)
    assert list(played.manifest["cluster"]["refused"]) == [liar]
    (told,) = [line for line in at.said if "not used" in line]
    assert f"worker {liar} is not used: it returned another result than two replays for chunk" in told
    assert "of this run are played again" in told
    assert contents(tmp_path / "r") == contents(whole.folder)


@pytest.mark.slow
def test_a_worker_of_another_version_is_refused_by_name(dask, tmp_path, monkeypatch, capsys):
    (tmp_path / "stranger.py").write_text(STRANGER)
    dask.add(tmp_path / "stranger.py")
    (stranger,) = dask.wait_for(1)
    with pytest.raises(ClusterError) as refusal:
        play(dask, tmp_path / "r")
    assert (
        f"all 1 worker of {dask.address} are refused; worker {stranger} differs from this machine (version.numba: "
        in str(refusal.value)
    )
    assert '"0.1" there' in str(refusal.value)
    assert "install the same versions" in str(refusal.value)
    assert not chunks(tmp_path / "r")


@pytest.mark.slow
def test_files_of_agents_travel_with_the_task(dask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text(BOTS)
    lineups = {"lineups": [["bots.py::last", "random", "random", "random"]], "deals": 400, "chunks": 20}
    dask.add()  # in another folder
    play(dask, tmp_path / "r", **lineups)
    ss.run(study(**lineups), tmp_path / "here", workers=1)
    assert contents(tmp_path / "r") == contents(tmp_path / "here")


def test_without_a_scheduler_or_with_a_wrong_backend_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(backend, "_CONNECT", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(
        ClusterError, match=f"no Dask scheduler answers at {address} within 1 s .*start one with `dask scheduler`"
    ):
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
    (tmp_path / "s.toml").write_text('name = "s"\ngame = "strozzi"\ndeals = 9\nlineups = [["random"]]\n')
    assert (
        command(
            ["run", str(tmp_path / "s.toml"), "--out", str(tmp_path / "r"), "--backend", "dask", "--scheduler", address]
        )
        == 4
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_one_chunk_in_twenty_of_every_worker_is_chosen():
    """Of 1,000 chunks of a worker that alters one in ten, 50 are replayed: it stays unnamed in 0.9^50 = 0.5 % of runs."""
    missed = 0
    for _ in range(1000):
        sampler = Sampler()
        chosen = [chunk for chunk in range(1000) if sampler.chooses_next()]
        assert len(chosen) == 50
        missed += all(chunk % 10 for chunk in chosen)
    assert missed <= 17  # 18 or more of 1,000 have a probability below 0.001 %

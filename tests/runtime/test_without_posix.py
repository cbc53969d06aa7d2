"""The commands on a system without POSIX, as `without_posix` imitates it; Windows itself has not been tried."""

import json
import os
import shlex
import subprocess
import sys
import threading
from contextlib import contextmanager
from urllib.request import Request, urlopen

import psutil
import pytest

from agent_files import agents_file
from commands import wait_until
from paths import ROOT
from strozzi_sim.runtime.frames import Frames, receive, send
from strozzi_sim.runtime.system import process_age

BOTS = """
    import subprocess, sys
    from strozzi_sim.agent import python_agent

    @python_agent(name="first")
    class First:
        '''Takes the first legal action.'''

        def act(self, view, legal, rng):
            return legal[0]

    @python_agent(name="lingering")
    class Lingering:
        '''Never answers, and starts a program that does not end.'''

        def act(self, view, legal, rng):
            program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            open("pid", "w").write(str(program.pid))
            while True:
                pass
"""
bots = agents_file(BOTS)


def started(words, folder, **environment):
    """Return the arguments of a process that runs a command there."""
    paths = [str(ROOT / "tests" / "support" / "without_posix"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **environment}
    command = [sys.executable, "-m", "strozzi_sim", *shlex.split(words)]
    return {"args": command, "cwd": folder, "env": environment}


def strozzi(words, folder, **environment):
    return subprocess.run(**started(words, folder, **environment), capture_output=True, text=True, timeout=600)


def test_the_imitation_lacks_posix_for_the_package_alone(tmp_path):
    words = "import os, sys; from strozzi_sim.runtime import system as s; print(sys.without_posix, hasattr(os, 'fork'), s._HAS_GROUPS, s._HAS_SIGIO)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support" / "without_posix")}
    done = subprocess.run([sys.executable, "-c", words], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "False", "False"], done.stderr


COMMANDS = [
    "balance strozzi --players 3 --agents {bots}::first,random --deals 6 --out kept",
    "compare strozzi --set tracks.bonus.9=20 --players 3 --agents random --deals 40",
    "worth strozzi flag:pirate --players 3 --agents random --deals 40",
    "sweep strozzi 'tracks.bonus.9 = 10 20' --players 3 --agents random --deals 40",
    "tournament strozzi --players 3 --agents random,greedy,heuristic --deals 20",
    "luck strozzi --players 3 --agents random,greedy,heuristic --deals 24",
    "heatmap strozzi --players 3 --agents random --deals 20 --rows flag --columns round",
    "record strozzi --players 3 --agents {bots}::first,random --out games.jsonl",
    "leak-check strozzi {bots}::first --players 3 --deals 1",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works(command, bots, tmp_path):
    done = strozzi(command.format(bots=bots), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_study_is_resumed_reported_and_its_games_are_verified(tmp_path):
    (tmp_path / "study.toml").write_text(
        'name = "here"\ngame = "strozzi"\nplayers = [3]\ndeals = 40\nlineups = [["random"]]\n'
    )
    for words in (
        "run study.toml",
        "run study.toml --deals 60",
        "report results/here",
        "record strozzi --out a.jsonl",
        "verify a.jsonl",
    ):
        done = strozzi(words, tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_an_agent_that_never_answers_is_ended_with_its_children(bots, tmp_path):
    words = f"balance strozzi --players 3 --agents {bots}::lingering,random --deals 1 --workers 1"
    done = strozzi(words, tmp_path, STROZZI_DECISION_SECONDS="0.3")
    assert done.returncode == 3, done.stderr
    assert "did not answer within 0.3 s" in done.stderr
    program = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(program) or psutil.Process(program).status() == psutil.STATUS_ZOMBIE


def test_a_frame_arrives_whole_and_other_output_is_noticed():
    for written, expected in ((b"", [b"x" * 100_000, None]), (b"printed", [b"x" * 100_000, b"", None])):
        reader, writer = os.pipe()
        frames = Frames()
        with os.fdopen(writer, "wb", 0) as file:
            thread = threading.Thread(target=receive, args=(os.fdopen(reader, "rb", 0), frames))
            thread.start()
            send(file, b"x" * 100_000)
            file.write(written)
        thread.join()
        assert [frames.get() for _ in expected] == expected


def test_the_age_of_this_process_is_known():
    assert 0 < process_age() < 24 * 3600


def asked(address, path, body=None):
    """Return the JSON that a page's server answers."""
    headers = {"Content-Type": "application/json", "Origin": address.rpartition("/")[0].rpartition("/")[0]}
    request = Request(address + path, None if body is None else json.dumps(body).encode(), headers)
    with urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


@contextmanager
def served(words, folder):
    """Yield the address of a page that a command serves."""
    with subprocess.Popen(
        **started(words, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            line = server.stdout.readline()
            assert line.startswith("Open http"), server.stderr.read()
            yield line.split()[-1]
            assert server.poll() is None
        finally:
            server.terminate()


@pytest.mark.slow
def test_the_desk_answers_stops_and_forgets(tmp_path):
    values = {"players": "3", "agents": "random", "deals": "60"}
    fair = {"question": "balance", "game": "strozzi", "values": values}
    with served("desk --no-open --shelf shelf", tmp_path) as address:
        first, endless = (
            asked(address, "ask", each)["answer"] for each in (fair, fair | {"values": values | {"deals": "9000000"}})
        )
        status = lambda: {each["number"]: each["status"] for each in asked(address, "state")["answers"]}  # noqa: E731
        wait_until(lambda: status()[first] == "done" and status()[endless] == "plays")
        other = strozzi("desk --no-open --shelf shelf", tmp_path)
        assert (other.returncode, "another desk has these answers open" in other.stderr) == (4, True)
        asked(address, "stop", {"answer": endless})
        wait_until(lambda: status()[endless] == "stopped")
        asked(address, "forget", {"answer": endless})
        assert status() == {first: "done"}


@pytest.mark.slow
def test_a_game_is_played_in_the_browser(tmp_path):
    with served("play strozzi --players 3 --agents random --web", tmp_path) as address:
        assert asked(address, "state")

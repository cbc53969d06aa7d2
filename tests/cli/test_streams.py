"""Streams that the caller has closed end a command quietly, or make no difference."""

import signal
import subprocess
import sys

import pytest

from commands import strozzi
from stopped_scripts import heed_signals

COMMAND = [sys.executable, "-m", "strozzi_sim"]


def ends_with(arguments, shell):
    """The exit code of a command whose streams a shell has redirected, and what it wrote to standard error."""
    line = f'"$@" {shell}'
    done = subprocess.run(["bash", "-c", line, "bash", *COMMAND, *arguments], capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("arguments", "shell", "code"),
    [
        (["agents", "--json"], "| true; exit ${PIPESTATUS[0]}", 141),  # as of a program that SIGPIPE ends
        (["--help"], "| true; exit ${PIPESTATUS[0]}", 141),
        pytest.param(["facts", "strozzi", "nothing"], "2>&1 | true; exit ${PIPESTATUS[0]}", 2, marks=pytest.mark.slow),
        (["games"], "<&- >&- 2>&-", 0),
        pytest.param(["games", "nothing"], "2>&-", 2, marks=pytest.mark.slow),
    ],
)
def test_nobody_reads(arguments, shell, code):
    assert ends_with(arguments, shell) == (code, "")


def test_a_file_never_gets_the_descriptor_of_a_closed_stream():
    code = (
        "import os, sys, tempfile; os.close(2); sys.stderr = None\n"
        "from strozzi_sim.cli.app import _open_closed_streams\n"
        "_open_closed_streams(); print(tempfile.TemporaryFile().fileno() > 2, sys.stderr.fileno())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True 2\n"


@pytest.mark.parametrize("number", ["many", "0"])
def test_the_variable_for_the_number_of_cores_is_checked(number, monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", number)
    done = strozzi("balance", "strozzi", "--agents", "random", "--players", 3, "--deals", 2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"strozzi: error: LOKY_MAX_CPU_COUNT: must be a whole number from 1, got {number!r}\n"


def test_a_signal_to_a_command_that_ends_ends_it_without_a_word():
    code = (
        "import atexit, os, signal, sys\nfrom strozzi_sim.cli.app import main\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGTERM)\nsys.argv = ['strozzi', '--version']\nmain()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=heed_signals)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
    assert done.stdout.startswith("strozzi-sim ")

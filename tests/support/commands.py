"""Runs the command line inside the test's process, which saves the second that a new Python with numba takes to start; waits."""

import io
import sys
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest import mock

from strozzi_sim.cli import app


def strozzi(*arguments, cwd=".", stdin=""):
    """Run a command; return its exit code, standard output and standard error as subprocess does."""
    words, out, err = list(map(str, arguments)), io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "stdin", io.StringIO(stdin)):
        code = app.run(words)
    return CompletedProcess(words, code, out.getvalue(), err.getvalue())


def wait_until(condition, seconds=600):
    """Return what a condition gives once it holds; the time in which it must suffices a machine that is slow and busy."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found

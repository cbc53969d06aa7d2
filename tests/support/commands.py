"""Runs the command line inside the test's process, which saves the second that a new Python with numba takes to start."""

import io
import sys
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

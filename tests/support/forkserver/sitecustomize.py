"""Processes of `multiprocessing` start by forkserver, the default from Python 3.14 on: `PYTHONPATH=tests/support/forkserver pytest`."""

import multiprocessing

multiprocessing.set_start_method("forkserver")

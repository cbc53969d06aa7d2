"""benchmarks/limit: the C programs have the package's records, so that the benchmark can run."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from our_games import OUR_GAMES
from strozzi_sim.games import load_game

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "limit.py"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which(os.environ.get("CC") or "gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_records_in_c_are_as_large_as_ours(name):
    spec = importlib.util.spec_from_file_location("limit", SCRIPT)
    limit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(limit)
    with limit.compiled(load_game(name)):  # fails where a size differs
        pass

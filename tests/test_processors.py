"""What a processor may decide, and what it may not: the kernels that OpenBLAS chooses, and the number of workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("layers_study.py")


@pytest.mark.slow
@pytest.mark.parametrize("kernels", ["Haswell", "Zen", "SkylakeX"])
def test_tables_are_equal_for_any_number_of_workers_and_after_a_kill(kernels, tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        env={**os.environ, "OPENBLAS_CORETYPE": kernels}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ways = dict(line.split() for line in done.stdout.splitlines())
    assert set(ways) == {"one", "two", "resumed"}
    assert len(set(ways.values())) == 1, ways

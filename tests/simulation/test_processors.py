"""What a processor may decide, and what it may not: the kernels that OpenBLAS chooses, and the number of workers."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from paths import TESTS
from strozzi_sim.agent import dense

pytestmark = pytest.mark.slow

has_avx512 = "avx512f" in Path("/proc/cpuinfo").read_text()
needs_avx512 = pytest.mark.skipif(not has_avx512, reason="OpenBLAS's SkylakeX kernels need AVX-512")
SCRIPT = TESTS / "support" / "layers_study.py"


@pytest.mark.parametrize("kernels", ["Haswell", "Zen", pytest.param("SkylakeX", marks=needs_avx512)])
def test_tables_are_equal_for_any_number_of_workers_and_after_a_kill(kernels, tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        env={**os.environ, "OPENBLAS_CORETYPE": kernels}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ways = dict(line.split() for line in done.stdout.splitlines())
    assert set(ways) == {"one", "two", "resumed"}
    assert len(set(ways.values())) == 1, ways


def numbers(*shape, dtype=np.float32):
    """Numbers of both signs and many sizes, by SplitMix64's constant alone."""
    words = np.arange(1, np.prod(shape) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    words ^= words >> np.uint64(29)
    return ((words >> np.uint64(11)) * 2.0**-53 - 0.5).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("inputs", [1, 4, 231])
def test_dense_adds_in_one_order_and_rounds_each_product(dtype, inputs):
    x, weights, bias = numbers(70, inputs, dtype=dtype), numbers(inputs, 37, dtype=dtype), numbers(37, dtype=dtype)
    expected = np.broadcast_to(bias, (70, 37))
    for i in range(inputs):
        expected = expected + x[:, i : i + 1] * weights[i]
    assert dense(x, weights, bias).tobytes() == expected.tobytes()
    for rows in (slice(3, 4), slice(69, None, -1), slice(5, 70, 7)):
        assert dense(x[rows], weights, bias).tobytes() == expected[rows].tobytes()
    read_only = [np.broadcast_to(array, array.shape) for array in (x, weights, bias)]
    assert dense(*read_only).tobytes() == expected.tobytes()
    assert dense(x, weights).tobytes() == dense(x, weights, np.zeros(37, dtype)).tobytes()


DENSE = """
import hashlib
from test_processors import numbers
from strozzi_sim.agent import dense
print(hashlib.sha256(dense(numbers(70, 231), numbers(231, 37), numbers(37)).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("processor", ["generic", "haswell"])
def test_dense_has_the_same_bits_on_another_processor(processor):
    environment = {
        **os.environ, "NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "PYTHONPATH": str(TESTS / "simulation") + os.pathsep + str(SCRIPT.parent),
        "OPENBLAS_CORETYPE": "Haswell",
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-c", DENSE], env=environment, capture_output=True, text=True)
    here = hashlib.sha256(dense(numbers(70, 231), numbers(231, 37), numbers(37)).tobytes()).hexdigest()
    assert (done.returncode, done.stdout.strip()) == (0, here), done.stderr


@pytest.mark.parametrize(
    ("x", "weights", "bias"),
    [
        (np.zeros((2, 3)), np.zeros((4, 2)), None),
        (np.zeros(3), np.zeros((3, 2)), None),
        (np.zeros((2, 3), np.int64), np.zeros((3, 2), np.int64), None),
        (np.zeros((2, 3)), np.zeros((3, 2), np.float32), None),
        (np.zeros((2, 3)), np.zeros((3, 2)), np.zeros(3)),
    ],
)
def test_dense_refuses_other_shapes_and_numbers(x, weights, bias):
    with pytest.raises(ValueError, match="dense: expected"):
        dense(x, weights, bias)

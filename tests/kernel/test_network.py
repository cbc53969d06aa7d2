"""Networks in compiled code: the bits of a plain sum, for layers of any size, and files of them."""

import io
import itertools
from functools import cache

import numpy as np
import pytest
from numba import types

from strozzi_sim.agent.weights import packed_networks, read_networks, write_networks
from strozzi_sim.errors import InputError
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.network import WIDEST, network_outputs, network_work, packed_network, run_network
from strozzi_sim.kernel.record_types import record_type


@cache
def compiled_for(inputs):
    """(run_network, network_outputs) for networks of up to so many inputs."""
    work = record_type(network_work(inputs))
    return (
        entry(jit(run_network.py_func), types.void(types.int64, work), "network"),
        entry(jit(network_outputs.py_func), types.int64(types.int64), "network"),
    )


def layers_of(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(inputs, outputs)).astype(np.float32), rng.normal(size=outputs).astype(np.float32))
        for inputs, outputs in itertools.pairwise(sizes)
    ]


def summed(row, layers):
    """Each output in the order of the inputs, each product rounded before it is added."""
    for number, (weights, bias) in enumerate(layers):
        total = bias.copy()
        for value, line in zip(row, weights, strict=True):
            total = total + value * line
        row = total if number == len(layers) - 1 else np.maximum(total, 0)
    return row


@pytest.mark.parametrize(
    "sizes", [(1, 1), (3, 2), (7, 33, 1), (210, 128, 32, 3), (5, 1, 64, 65, 512, 4), (512, 512), (2000, 7, 2)]
)
def test_every_bit_is_that_of_a_plain_sum(sizes):
    layers, rng = layers_of(*sizes), np.random.default_rng(1)
    run, outputs = compiled_for(sizes[0] if sizes[0] > WIDEST else WIDEST)
    packed, work = packed_network(layers), np.zeros(1, network_work(sizes[0]))
    assert outputs(packed.ctypes.data) == sizes[-1]
    assert packed.ctypes.data % 64 == 0
    for _ in range(5):
        row = rng.normal(size=sizes[0]).astype(np.float32)
        row[rng.random(sizes[0]) < 0.4] = 0
        work["input"][0, : sizes[0]] = row
        work["output"] = np.nan  # of the row before nothing is left
        run(packed.ctypes.data, work[0])
        assert work["output"][0, : sizes[-1]].tobytes() == summed(row, layers).tobytes()


@pytest.mark.parametrize(
    "layers",
    [
        [],
        layers_of(*[2] * 8),
        layers_of(1, 513),
        layers_of(3, 513, 1),
        [*layers_of(2, 3), *layers_of(2, 3)],
        [(np.ones((2, 3), np.float32), np.ones(2, np.float32))],
    ],
)
def test_layers_that_cannot_be_packed_are_refused(layers):
    with pytest.raises(ValueError, match="layer"):
        packed_network(layers)


def test_a_file_is_read_as_it_was_written_and_equal_networks_are_equal_bytes(tmp_path):
    networks = {4: layers_of(9, 5, 3), 3: layers_of(7, 3, seed=2)}
    for name in ("a.npz", "b.npz"):
        write_networks(tmp_path / name, networks)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    read = read_networks(tmp_path / "a.npz", {4: (9, 3)})
    assert list(read) == [3, 4]
    for players, layers in networks.items():
        for before, after in zip(layers, read[players], strict=True):
            assert all(one.tobytes() == other.tobytes() for one, other in zip(before, after, strict=True))
    table, _ = packed_networks(read)
    assert [count for count in range(len(table)) if table[count]] == [3, 4]


NETWORK = {"4/0/weights": np.ones((2, 3), np.float32), "4/0/bias": np.ones(3, np.float32)}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "no array named PLAYERS/LAYER/weights, such as 4/0/weights"),
        ({"4/0/weights": np.ones((2, 3), np.float32)}, "4/0/weights: expected float32 weights, and a bias"),
        ({"4/0/weights": np.float32(1), "4/0/bias": np.float32(1)}, "expected float32 weights, and a bias"),
        ({"4/0/weights": np.ones((2, 3)), "4/0/bias": np.ones(3, np.float32)}, "expected float32 weights"),
        ({"4/0/weights": np.ones((2, 3), np.float32), "4/0/bias": np.ones(2, np.float32)}, r"expected weights \[2, O"),
        *(
            ({**NETWORK, name: np.ones((2, 3), np.float32)}, f"players 1 to 16 or all, layers from 0, got {name}")
            for name in ("99/0/weights", "0/0/weights", "04/0/weights", "4/2/weights", "all/0/bias", "epoch")
        ),
        (
            {"4/0/weights": np.ones((2, 2), np.float32), "4/0/bias": np.ones(2, np.float32)},
            "4 players: expected 2 inputs and 3 outputs, got 2 and 2",
        ),
    ],
)
def test_a_file_of_something_else_is_refused_with_its_name(tmp_path, arrays, message):
    np.savez(tmp_path / "w.npz", **arrays)
    with pytest.raises(InputError, match=message) as error:
        read_networks(tmp_path / "w.npz", {4: (2, 3)})
    assert "w.npz" in str(error.value)


def of_one_array():
    """A file of NumPy with one array, no archive of several."""
    content = io.BytesIO()
    np.save(content, np.zeros(3))
    return content.getvalue()


def damaged():
    """A compressed archive with an invalid first block of data."""
    archive = io.BytesIO()
    np.savez_compressed(archive, **NETWORK)
    content = bytearray(archive.getvalue())
    content[30 + sum(int.from_bytes(content[k : k + 2], "little") for k in (26, 28))] = 0xFF  # after name and extra
    return bytes(content)


@pytest.mark.parametrize("content", [b"", b"no archive", of_one_array(), damaged(), None])
def test_a_file_that_is_no_archive_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "w.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"w\.npz: expected an \.npz file of arrays"):
        read_networks(tmp_path / "w.npz")

"""Files of trained networks, by player count: written, read, and packed for compiled code.

A file is NumPy's `.npz`, without pickled objects: arrays `PLAYERS/LAYER/weights` [I, O] and `PLAYERS/LAYER/bias` [O],
float32. With `all` instead of PLAYERS they are the network for every other player count. Any library that writes such
files can make one.
"""

import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from strozzi_sim.errors import InputError
from strozzi_sim.kernel.network import Layers, packed_network
from strozzi_sim.runtime.files import NETWORKS, check_replaceable, open_atomically

Networks = Mapping[int, Layers]  # by player count; ALL: for every other count
Size = tuple[int, int | tuple[int, ...]]  # number of inputs, and allowed number or numbers of outputs
ALL = 0
_ALL = "all"  # name of ALL in a file
MOST_PLAYERS = 16


def read_networks(file: Path, sizes: Mapping[int, Size] | None = None) -> dict[int, Layers]:
    """Return the networks of a file by player count or ALL; check those for the player counts in `sizes`."""
    try:
        with np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (OSError, ValueError, TypeError, EOFError, RuntimeError, BadZipFile, zlib.error) as error:  # TypeError: .npy
        reason = f"; {error}" if isinstance(error, OSError) else ""  # NumPy's other messages advise allow_pickle=True
        raise InputError(f"weights {file}: expected an .npz file of arrays{reason}") from None
    networks: dict[int, Layers] = {}
    for players in (ALL, *range(1, MOST_PLAYERS + 1)):
        layers: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]] = []
        while (name := f"{_name(players)}/{len(layers)}/weights") in arrays:
            weights, bias = arrays.pop(name), arrays.pop(name.replace("weights", "bias"), None)
            if bias is None or weights.dtype != np.float32 or bias.dtype != np.float32 or not weights.ndim:
                raise InputError(f"weights {file}: {name}: expected float32 weights, and a bias of the same layer")
            layers.append((weights, bias))
        if layers:
            _check_layers(file, players, layers)
            networks[players] = layers
    if arrays:
        expected = f"PLAYERS/LAYER/weights or PLAYERS/LAYER/bias, players 1 to {MOST_PLAYERS} or {_ALL}, layers from 0"
        raise InputError(f"weights {file}: expected arrays named {expected}, got {min(arrays)}")
    if not networks:
        raise InputError(f"weights {file}: no array named PLAYERS/LAYER/weights, such as 4/0/weights")
    for players, (inputs, outputs) in (sizes or {}).items():
        key = players if players in networks else ALL
        if key not in networks:
            continue
        sizes_in_file = (len(networks[key][0][0]), len(networks[key][-1][1]))
        allowed = (outputs,) if isinstance(outputs, int) else outputs
        if sizes_in_file[0] != inputs or sizes_in_file[1] not in allowed:
            expected = f"expected {inputs} inputs and {' or '.join(map(str, allowed))} outputs"
            got = f"{sizes_in_file[0]} and {sizes_in_file[1]}"
            raise InputError(f"weights {file}: {_name(key)} players: {expected}, got {got}")
    return networks


def _name(players: int) -> str:
    return _ALL if players == ALL else str(players)


def _check_layers(file: Path, players: int, layers: Layers) -> None:
    try:
        packed_network(layers)
    except ValueError as error:
        raise InputError(f"weights {file}: {_name(players)} players: {error}") from None


def write_networks(file: Path, networks: Networks, *, overwrite: bool = False) -> None:
    """Write networks by player count, ALL for every other count; equal networks produce equal bytes.

    Only a file of networks is replaced, unless `overwrite`.
    """
    if not networks:
        raise InputError(f"weights {file}: expected at least one network, got none")
    for players, layers in networks.items():
        _check_layers(file, players, layers)
        if wrong_types := [part.dtype for layer in layers for part in layer if part.dtype != np.float32]:
            raise InputError(f"weights {file}: {_name(players)} players: expected float32, got {wrong_types[0]}")
    arrays: dict[str, Any] = {
        f"{_name(players)}/{number}/{kind}": array
        for players, layers in sorted(networks.items())
        for number, layer in enumerate(layers)
        for kind, array in zip(("weights", "bias"), layer, strict=True)
    }
    check_replaceable(file, NETWORKS, "file", overwrite=overwrite)
    with open_atomically(file) as target:  # an older file may hold networks that took hours
        np.savez(target, **arrays)


def packed_networks(networks: Networks) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Return addresses of networks by player count, int64[MOST_PLAYERS + 1] (0: none), and the arrays to keep alive."""
    packed = {players: packed_network(layers) for players, layers in networks.items()}
    table = np.zeros(MOST_PLAYERS + 1, np.int64)
    if ALL in packed:
        table[:] = packed[ALL].ctypes.data
    for players, array in packed.items():
        table[players] = array.ctypes.data
    return table, list(packed.values())


@lru_cache(maxsize=64)
def loaded(file: Path, modified: int, sizes: tuple[tuple[int, Size], ...]) -> tuple[Any, list[Any]]:
    """Return `packed_networks` of a file; `modified` is its modification time, so that a changed file is read again."""
    return packed_networks(read_networks(file, dict(sizes)))

"""Files of trained networks, one for each player count: written, read, and packed for compiled code.

A file is NumPy's `.npz`, without pickled objects: arrays `PLAYERS/LAYER/weights` [I, O] and `PLAYERS/LAYER/bias` [O],
float32. Any library that can save arrays can make one.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from strozzi_sim.errors import InputError
from strozzi_sim.kernel.network import Layers, packed_network

Networks = Mapping[int, Layers]  # by player count
MOST_PLAYERS = 16


def read_networks(file: Path, sizes: Mapping[int, Sequence[int]] | None = None) -> dict[int, Layers]:
    """Return the networks of a file by player count.

    Args:
        file: an `.npz` file.
        sizes: inputs and outputs that a network must have, by player count; default: any.

    Raises:
        InputError: no such file, another kind of file, or a network of other sizes; names file and array.
    """
    try:
        with np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (OSError, ValueError, EOFError, BadZipFile, AttributeError) as error:
        raise InputError(f"weights {file}: expected an .npz file of arrays; {type(error).__name__}: {error}") from None
    found: dict[int, Layers] = {}
    for players in sorted({int(head) for name in arrays if (head := name.partition("/")[0]).isdecimal()}):
        if not 1 <= players <= MOST_PLAYERS:
            raise InputError(f"weights {file}: {players} players; at most {MOST_PLAYERS}")
        layers: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]] = []
        while (name := f"{players}/{len(layers)}/weights") in arrays:
            bias = arrays.get(name.replace("weights", "bias"))
            if bias is None or arrays[name].dtype != np.float32 or bias.dtype != np.float32:
                raise InputError(f"weights {file}: {name}: expected float32 weights, and a bias of the same layer")
            layers.append((arrays[name], bias))
        try:
            packed_network(layers)
        except ValueError as error:
            raise InputError(f"weights {file}: {players} players: {error}") from None
        ends = (len(layers[0][0]), len(layers[-1][1]))
        if sizes is not None and players in sizes and ends != tuple(sizes[players]):
            raise InputError(
                f"weights {file}: {players} players: expected {sizes[players][0]} inputs and {sizes[players][1]} outputs, "
                f"got {ends[0]} and {ends[1]}"
            )
        found[players] = layers
    if not found:
        raise InputError(f"weights {file}: no array named PLAYERS/LAYER/weights, such as 4/0/weights")
    return found


def write_networks(file: Path, networks: Networks) -> None:
    """Write networks; equal networks give equal bytes."""
    arrays: dict[str, Any] = {
        f"{players}/{number}/{kind}": array
        for players, layers in sorted(networks.items())
        for number, layer in enumerate(layers)
        for kind, array in zip(("weights", "bias"), layer, strict=True)
    }
    with file.open("wb") as target:
        np.savez(target, **arrays)


def packed_networks(networks: Networks) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Return the addresses of the packed networks by player count, int64[MOST_PLAYERS + 1], and what they point to; 0: none."""
    packed = {players: packed_network(layers) for players, layers in networks.items()}
    table = np.zeros(MOST_PLAYERS + 1, np.int64)
    for players, array in packed.items():
        table[players] = array.ctypes.data
    return table, list(packed.values())


@lru_cache(maxsize=64)
def loaded(file: Path, modified: int, sizes: tuple[tuple[int, tuple[int, int]], ...]) -> tuple[Any, list[Any]]:
    """Return `packed_networks` of a file; `modified` is its time of change, so that another content is read anew."""
    return packed_networks(read_networks(file, dict(sizes)))


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file, "" without one."""
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""

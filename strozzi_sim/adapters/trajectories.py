"""Trajectories of a VectorEnv in Parquet, written and read in constant memory, and a data set of PyTorch over them.

A folder has two files. `decisions.parquet`: one row for each decision, in the order of play: `game` (its deal), `seat`,
`observation` [F], `mask` [A], `action`, `reward` (of that seat if this decision ended the game, else 0) and `done`.
`games.parquet`: one row for each game that ended: `game`, and `rewards`, `scores` and `wins` [P] of all seats. The metadata of both have
the game, the players, the variant, the reward and the seed. pandas, polars and DuckDB read them.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from strozzi_sim.errors import ArgumentError, InputError, StorageError, check_whole
from strozzi_sim.runtime.files import open_atomically, storage_errors
from strozzi_sim.simulation.vector import VectorEnv
from strozzi_sim.simulation.vector_arrays import Step

DECISIONS, GAMES = "decisions.parquet", "games.parquet"
FORMAT = "strozzi-sim.trajectories/1"
_ROWS = 8192  # rows of a row group, about: what is held in memory
_MOST_ROWS = 2**24

Batch = dict[str, np.ndarray[Any, Any]]


class TrajectoryWriter:
    """Writes the decisions of a VectorEnv into a folder, which has both files once it is closed without an error.

    Args:
        folder: the folder; it is made, and files of an earlier trajectory in it are replaced.
        env: the environment, after `reset`.

    Raises:
        InputError: the environment was not reset.
        StorageError: the folder cannot be written.

    >>> import tempfile
    >>> env = VectorEnv("strozzi", 4, 8)
    >>> shown, folder = env.reset(seed=7), tempfile.mkdtemp()
    >>> with TrajectoryWriter(folder, env) as writer:
    ...     for _ in range(300):
    ...         actions = env.random_actions()
    ...         after = env.step(actions)
    ...         writer.add(shown, actions, after)
    ...         shown = after
    >>> sum(len(batch["action"]) for batch in read_batches(folder, 256)) < writer.rows == 2400
    True
    """

    def __init__(self, folder: str | Path, env: VectorEnv) -> None:
        if env.seed is None:
            raise InputError("env: no games are dealt; call reset(seed) first")
        self.rows = 0
        self._env, self._seed, self._stack = env, env.seed, ExitStack()
        size, actions, players = env.observation_shape[0], env.num_actions, env.players
        about = {
            "format": FORMAT, "game": env.game.name, "behaviour": env.game.behaviour, "players": players,
            "variant": env.variant.name, "reward": env.reward, "seed": env.seed,
        }  # fmt: skip
        metadata = {"strozzi_sim": json.dumps(about)}
        decisions = pa.schema(
            [
                ("game", pa.int64()), ("seat", pa.int8()), ("observation", pa.list_(pa.float32(), size)),
                ("mask", pa.list_(pa.bool_(), actions)), ("action", pa.int16()), ("reward", pa.float32()), ("done", pa.bool_()),
            ],
            metadata,
        )  # fmt: skip
        games = pa.schema(
            [
                ("game", pa.int64()), ("rewards", pa.list_(pa.float32(), players)), ("scores", pa.list_(pa.int64(), players)),
                ("wins", pa.list_(pa.float32(), players)),
            ],
            metadata,
        )  # fmt: skip
        path = Path(folder)
        with self._stack as stack, storage_errors(f"folder: {path}"):
            path.mkdir(parents=True, exist_ok=True)
            self._tables = [
                _Table(stack, path / name, schema) for name, schema in ((DECISIONS, decisions), (GAMES, games))
            ]
            self._stack = stack.pop_all()

    def add(self, shown: Step, actions: Any, after: Step) -> None:
        """Write one step: what was shown, the actions [n], and what came after.

        Raises:
            InputError: arrays of another environment, or the environment was reset with another seed.
            StorageError: the disk is full, or the writer is closed.
        """
        chosen, n = np.asarray(actions), self._env.num_envs
        if chosen.shape != (n,) or len(shown.seats) != n or len(after.seats) != n:
            raise ArgumentError("actions", f"expected one for each of {n} games, got an array of shape {chosen.shape}")
        if self._env.seed != self._seed:
            raise InputError(
                f"env: was reset to seed {self._env.seed} while seed {self._seed} is written; make another writer"
            )
        seats, done = shown.seats, after.done
        rewards = after.rewards[np.arange(n), seats]
        decisions, games = self._tables
        decisions.add(shown.info.deals, seats, shown.observations, shown.masks, chosen, rewards, done)
        end = after.info
        games.add(end.final_deals, after.rewards[end.finished], end.final_scores, end.final_wins)
        self.rows += n

    def close(self) -> None:
        """Finish both files."""
        for table in self._tables:
            table.flush()
        self._stack.close()

    def __enter__(self) -> "TrajectoryWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:  # nothing is left behind
            self._stack.__exit__(kind, error, trace)


class _Table:
    """A Parquet file, and the rows that are not written yet."""

    def __init__(self, stack: ExitStack, path: Path, schema: Any) -> None:
        self._schema, self._path, self._waiting = schema, path, 0
        self._parts: list[list[np.ndarray[Any, Any]]] = [[] for _ in schema.names]
        handle = stack.enter_context(open_atomically(path))
        self._writer = stack.enter_context(pq.ParquetWriter(handle, schema, compression="zstd"))

    def add(self, *columns: np.ndarray[Any, Any]) -> None:
        for part, column in zip(self._parts, columns, strict=True):
            part.append(np.array(column))
        self._waiting += len(columns[0])
        if self._waiting >= _ROWS:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        arrays = [
            _arrow(np.concatenate(part), field.type) for part, field in zip(self._parts, self._schema, strict=True)
        ]
        if not self._writer.is_open:
            raise StorageError(f"{self._path}: the writer is closed")
        with storage_errors(str(self._path)):
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._parts, self._waiting = [[] for _ in self._schema.names], 0


def _arrow(values: np.ndarray[Any, Any], kind: Any) -> Any:
    if values.ndim == 1:
        return pa.array(values).cast(kind)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)).cast(kind.value_type), values.shape[1])


def describe(folder: str | Path) -> dict[str, Any]:
    """Return what a folder's trajectories are of: game, behaviour, players, variant, reward, seed.

    Raises:
        InputError: no trajectories are there.
    """
    return _about(_opened(Path(folder) / DECISIONS))


def _about(file: Any) -> dict[str, Any]:
    found = (file.schema_arrow.metadata or {}).get(b"strozzi_sim", b"{}")
    about: dict[str, Any] = json.loads(found)
    if about.get("format") != FORMAT:
        raise ArgumentError("folder", f"holds no trajectories of format {FORMAT}")
    return about


def _opened(path: Path) -> Any:
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ArgumentError("folder", f"{path}: {str(error).splitlines()[0]}") from None


def read_batches(folder: str | Path, batch: int = 4096, part: int = 0, parts: int = 1) -> Iterator[Batch]:
    """Yield the decisions of games that ended, in the order in which they were written, one row group in memory at a time.

    Args:
        folder: from a TrajectoryWriter.
        batch: most rows of a batch; batches with fewer occur.
        part: first row group that is read; see `parts`.
        parts: every parts-th row group is read, so that several readers share the rows.

    Yields:
        Arrays by name: the columns of `decisions.parquet`, and `result`, `score` and `win`: the reward, the score and the share of the win of
        the row's seat at the end of its game.

    Raises:
        InputError: no trajectories are there, or an invalid argument.
    """
    check_whole("batch", batch, 1, _MOST_ROWS)
    check_whole("parts", parts, 1, _MOST_ROWS)
    check_whole("part", part, 0, parts - 1)
    file, games = _opened(Path(folder) / DECISIONS), _opened(Path(folder) / GAMES).read()
    _about(file)
    ended = games["game"].to_numpy()
    order = np.argsort(ended)
    ended = ended[order]
    results = {
        name: _numpy(games[key])[order] for name, key in (("result", "rewards"), ("score", "scores"), ("win", "wins"))
    }
    groups = list(range(part, file.num_row_groups, parts))
    for rows in file.iter_batches(batch, row_groups=groups) if groups else ():
        found = {name: _numpy(rows[name]) for name in rows.schema.names}
        place = np.searchsorted(ended, found["game"])
        known = place < len(ended)
        known[known] = ended[place[known]] == found["game"][known]
        if known.any():
            chosen = {name: column[known] for name, column in found.items()}
            place, seats = place[known], chosen["seat"].astype(np.int64)
            yield chosen | {name: column[place, seats] for name, column in results.items()}


def _numpy(column: Any) -> np.ndarray[Any, Any]:
    """Return a column as an array; lists of one length as rows."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if not pa.types.is_fixed_size_list(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(len(column), column.type.list_size)


def torch_dataset(folder: str | Path, batch: int = 4096) -> Any:
    """Return a `torch.utils.data.IterableDataset` of the batches of `read_batches`, as dicts of tensors.

    Give it to `DataLoader(dataset, batch_size=None)`; with workers each reads its share of the row groups.

    Raises:
        InputError: PyTorch is not installed, no trajectories are there, or an invalid batch.
    """
    try:
        torch: Any = import_module("torch")  # by name, since type checkers would read all of it
    except ModuleNotFoundError:
        raise InputError("torch_dataset needs PyTorch; install it with: pip install torch") from None
    check_whole("batch", batch, 1, _MOST_ROWS)
    describe(folder)

    class Trajectories(torch.utils.data.IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[dict[str, Any]]:
            worker = torch.utils.data.get_worker_info()
            part, parts = (0, 1) if worker is None else (worker.id, worker.num_workers)
            for rows in read_batches(folder, batch, part, parts):
                yield {name: torch.from_numpy(np.ascontiguousarray(column)) for name, column in rows.items()}

    return Trajectories()

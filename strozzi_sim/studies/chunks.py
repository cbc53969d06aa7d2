"""A chunk of a study as bytes: a line of JSON that says what is in it, compressed records, and the rows of facts it kept.

The first line begins with what the chunk is of and what it holds, so that one that does not hold what is asked is known
by its head.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.keeping import Keep, KeptRows, kept_rows
from strozzi_sim.selfplay.loop import OUTCOME, ROW
from strozzi_sim.selfplay.match import MatchResult
from strozzi_sim.studies.plan import Plan

CHUNK_FORMAT = "strozzi-sim.chunk/2"

Key = tuple[int, int]


class Place(NamedTuple):
    """Where a chunk lies, in memory."""

    games: int
    segment: int
    offset: int
    length: int
    sha256: bytes


def head(key: Key, plan: Plan | None = None) -> bytes:
    """How the bytes of a chunk begin; of one that holds what `plan` counts and keeps, if one is given."""
    start = f'{{"format": "{CHUNK_FORMAT}", "cell": {key[0]}, "chunk": {key[1]}, '
    if plan is not None:
        start += f'"counted": "{plan.digests[key[0]]}", '
        if plan.held.tables:
            start += f'"kept": {json.dumps(plan.held.tables)}, "every": {plan.held.every}, '
    return start.encode()


def pack(key: Key, played: MatchResult, plan: Plan) -> bytes:
    """A chunk as bytes."""
    parts = [played.outcome.tobytes(), played.counts.tobytes(), played.rows.tobytes()]
    packed = zlib.compress(b"".join(parts), 1)
    sizes = json.dumps([len(part) for part in parts])
    return head(key, plan) + f'"sizes": {sizes}, "packed": {len(packed)}}}\n'.encode() + packed + played.kept


def unpack(content: bytes, kind: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """The outcome, counts and rows of a chunk's bytes."""
    line, _, body = content.partition(b"\n")
    says = json.loads(line)
    parts, start = [], 0
    for size, dtype in zip(says["sizes"], (OUTCOME, kind, ROW), strict=True):
        parts.append((start, size, dtype))
        start += size
    raw = zlib.decompress(body[: says["packed"]])
    outcome, counts, rows = (np.frombuffer(raw[at : at + size], dtype) for at, size, dtype in parts)
    return outcome, counts, rows


def unpack_kept(content: bytes, table: Table) -> Iterator[KeptRows]:
    """The rows of a fact table that a chunk kept."""
    line, _, body = content.partition(b"\n")
    says = json.loads(line)
    yield from kept_rows(body[says["packed"] :], Keep(tuple(says["kept"]), says["every"]), table)

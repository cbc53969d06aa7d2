"""Chunks: the share of a study that is played in one folder, and a finished chunk as a store keeps it."""

import hashlib
import re
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.simulation.match import MatchResult

MOST_PARTS = 100_000

Key = tuple[int, int]  # numbers of cell and chunk


class Part(NamedTuple):
    """A share of the chunks of a study: number 1 .. `of`."""

    number: int = 1
    of: int = 1

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return the part that a text such as 2/5 names; "" is all of the study."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text or "1/1")
        if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST_PARTS:
            raise ArgumentError("part", f"must be I/N with 1 <= I <= N, such as 2/5, got {short_repr(text)}")
        return cls(int(found[1]), int(found[2]))

    def has(self, key: Key) -> bool:
        """Return whether a chunk belongs to the part; that does not depend on the number of deals."""
        return sum(key) % self.of == self.number - 1

    def __str__(self) -> str:
        """Return it as text; "" for all of the study."""
        return "" if self.of == 1 else f"{self.number}/{self.of}"


WHOLE = Part()


class Chunk(NamedTuple):
    """A finished chunk: what it holds, the digest of all else, and the results of its games, compressed."""

    cell: int
    chunk: int
    holds: str
    sha256: bytes
    games: int
    outcome: bytes
    facts: bytes
    rows: bytes
    kept: bytes

    @classmethod
    def of(cls, cell: int, chunk: int, holds: str, played: MatchResult) -> Self:
        """Return a chunk that was played. Workers call this, since compressing takes longer than storing."""
        outcome, facts, rows = (
            zlib.compress(part.tobytes(), 1) for part in (played.outcome, played.counts, played.rows)
        )
        found = cls(cell, chunk, holds, b"", played.games, outcome, facts, rows, played.kept)
        return found._replace(sha256=found.digest())

    def digest(self) -> bytes:
        """Return the SHA-256 of the chunk."""
        whole = hashlib.sha256(f"{self.cell} {self.chunk} {self.games} {self.holds}".encode())
        for part in (self.outcome, self.facts, self.rows, self.kept):
            whole.update(len(part).to_bytes(8, "big") + part)
        return whole.digest()


def stacked(rows: Iterator[Any], number: int) -> Any:
    """Return equally long rows of integers as one array, int32 if they fit: counts of many chunks fill the memory."""
    first = next(rows)
    whole = np.empty((number, len(first)), np.int32)
    for at, row in enumerate(chain([first], rows)):
        if whole.dtype == np.int32 and len(row) and max(row.max(), -row.min()) > np.iinfo(np.int32).max:
            whole = whole.astype(np.int64)
        whole[at] = row
    return whole

"""Replays of chunks that other machines played: which ones, and whether the results are equal."""

from collections.abc import Sequence
from hashlib import sha256
from math import ceil
from secrets import SystemRandom

from strozzi_sim.simulation.match import MatchResult
from strozzi_sim.studies.store import Key

REPLAYED = 0.05  # share of the chunks from other machines
_BLOCK = round(1 / REPLAYED)
_chance = SystemRandom()  # a machine that knew which chunks are replayed could alter the others


def sample_of(keys: Sequence[Key]) -> set[Key]:
    """Return the chunks to replay, at least one."""
    return set(_chance.sample(list(keys), ceil(REPLAYED * len(keys))))


class Sampler:
    """Chooses one of every 20 chunks of a worker, as they arrive."""

    def __init__(self) -> None:
        self._arrived, self._chosen = 0, 0

    def chooses_next(self) -> bool:
        """Return whether the chunk that arrives now is replayed."""
        place = self._arrived % _BLOCK
        if place == 0:
            self._chosen = _chance.randrange(_BLOCK)
        self._arrived += 1
        return place == self._chosen


def content_of(played: MatchResult) -> bytes:
    """Return the SHA-256 of the results of a chunk, which do not depend on the machine."""
    whole = sha256(f"{played.games}".encode())
    for part in (played.outcome.tobytes(), played.counts.tobytes(), played.rows.tobytes(), played.kept):
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.digest()

"""The field of a tournament, and who of it meets whom."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.stats.intervals import Array


@dataclass(frozen=True)
class Field:
    """The agents of a tournament, in alphabetical order, so that the order they are given in changes nothing.

    Attributes:
        agents: the agents of the field.
        labels: their names in tables: the spec string, with " #2" for a copy.
    """

    agents: tuple[AgentSpec, ...]
    labels: tuple[str, ...]

    @property
    def same(self) -> Array:
        """int64[F], equal for copies of one agent."""
        texts = [spec.text for spec in self.agents]
        return np.array([texts.index(text) for text in texts])


def make_field(specs: Sequence[AgentSpec]) -> Field:
    """The field of these agents."""
    agents = sorted(specs, key=lambda spec: spec.text)
    labels, seen = [], Counter[str]()
    for spec in agents:
        seen[spec.text] += 1
        labels.append(spec.text if seen[spec.text] == 1 else f"{spec.text} #{seen[spec.text]}")
    return Field(tuple(agents), tuple(labels))


def matchups(field: Field, players: int, most: int, seed: int) -> list[tuple[int, ...]]:
    """The matchups of a player count, as indices into the field: all, or `most` in which agents are about equally often.

    The sample takes the agents in rounds, each in a new order that depends only on the seed, in groups of `players`.
    """
    size = len(field.agents)
    if comb(size, players) <= most:
        return list(combinations(range(size), players))
    found: set[tuple[int, ...]] = set()
    waiting: list[int] = []
    number = 0
    while len(found) < most:
        if len(set(waiting)) < players:
            waiting += sorted(range(size), key=lambda k: _hash(seed, players, number, field.labels[k]))
            number += 1
        chosen = list(dict.fromkeys(waiting))[:players]
        for agent in chosen:
            waiting.remove(agent)
        found.add(tuple(sorted(chosen)))
    return sorted(found)


def _hash(*words: object) -> bytes:
    return hashlib.sha256(repr(words).encode()).digest()

"""Who beats whom in a tournament: whether one agent beats every other, which are beaten by none, and cycles.

Only agents that were in the field are compared: that one of them beats the others does not make its plan the best of the game. Whether a
style has a place among strong players is the question of `study.styles`.

An agent beats another if it finishes ahead of it in significantly more than half of the games that both played, by half a point or more.
All pairs at all player counts and variants are corrected together (Holm 1979), so that in a field of equal agents nothing is said in
19 of 20 tournaments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from strozzi_sim.game.reporting import Tables, listed, pick
from strozzi_sim.game.significance import (
    ALPHA,
    MAX_CHUNKS,
    MIN_SHARE,
    degrees_of_freedom,
    missed,
    not_excluded,
    p_value_of_share,
)
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.multiple_testing import holm

_MOST = 6  # agents named one by one


@dataclass(frozen=True)
class FieldOrder:
    """Who beats whom at one player count in one variant.

    Attributes:
        players: number of players.
        variant: name of the variant.
        agents: the agents, F of them.
        beats: bool[F, F], whether the first beats the second.
        unseen: the largest advantage that pairs which cannot be told apart may hide, a share of games; NaN if there are none.
    """

    players: int
    variant: str
    agents: tuple[str, ...]
    beats: Array
    unseen: float = float("nan")

    @property
    def winner(self) -> str:
        """The agent that beats every other, or ""."""
        wins = self.beats.sum(axis=1)
        return self.agents[int(wins.argmax())] if len(wins) > 1 and wins.max() == len(wins) - 1 else ""

    @property
    def unbeaten(self) -> list[str]:
        """The agents that none beats."""
        return [agent for k, agent in enumerate(self.agents) if not self.beats[:, k].any()]

    def cycles(self) -> list[tuple[str, ...]]:
        """Return one shortest cycle of each group of agents that beat one another in a circle: (a, b, c), c beats a."""
        from scipy.sparse.csgraph import connected_components

        count, group = connected_components(self.beats, directed=True, connection="strong")
        found = []
        for number in range(count):
            members = np.flatnonzero(group == number)
            if len(members) > 1:
                found.append(min((self._cycle_from(int(start), members) for start in members), key=len))
        return [tuple(self.agents[k] for k in cycle) for cycle in found]

    def _cycle_from(self, start: int, members: Array) -> list[int]:
        """Return a shortest cycle through an agent of a strongly connected group, by breadth-first search."""
        paths = [[start]]
        seen: set[int] = set()
        while True:
            path = paths.pop(0)
            if self.beats[path[-1], start]:
                return path
            for other in members:
                if self.beats[path[-1], other] and int(other) not in seen:
                    seen.add(int(other))
                    paths.append([*path, int(other)])


def field_orders(tables: Tables, chunks: int = MAX_CHUNKS) -> list[FieldOrder]:
    """Return who beats whom at every player count and variant of a tournament.

    Args:
        tables: tables of the tournament; pairwise is read.
        chunks: number of chunks behind its intervals.
    """
    pairs = pick(tables["pairwise"], figure="ahead_share")
    once = pairs[pairs["agent"] < pairs["opponent"]].reset_index(drop=True)
    df = degrees_of_freedom(once["n"], once["deals"], chunks)
    p = holm(p_value_of_share(once["value"], once["low"], once["high"], 0.5, df))
    differs = (p < ALPHA) & ((once["value"] - 0.5).abs() >= MIN_SHARE).to_numpy()
    orders = []
    for (players, variant), rows in once.groupby(["players", "variant"], sort=False):
        agents = tuple(dict.fromkeys([*rows["agent"], *rows["opponent"]]))
        place = {agent: k for k, agent in enumerate(agents)}
        beats = np.zeros((len(agents), len(agents)), bool)
        for row, different in zip(rows.itertuples(index=False), differs[rows.index], strict=True):
            pair = (row.agent, row.opponent) if row.value > 0.5 else (row.opponent, row.agent)
            beats[place[pair[0]], place[pair[1]]] = different
        unseen = not_excluded(rows[~differs[rows.index]], 0.5, chunks)
        orders.append(FieldOrder(int(players), str(variant), agents, beats, unseen))
    return orders


def dominance_sentences(orders: Sequence[FieldOrder]) -> list[str]:
    """Return whether one agent beats every other of the field, where, and the cycles."""
    several = len({order.variant for order in orders}) > 1
    where: dict[str, list[FieldOrder]] = {}
    for order in orders:
        where.setdefault(order.winner, []).append(order)
    nowhere = where.pop("", [])
    statements = [
        f"{agent} finishes ahead of {_others(agent, found)} {_places(found, several)}" for agent, found in where.items()
    ]
    groups: dict[str, list[FieldOrder]] = {}
    for order in nowhere:
        groups.setdefault(_unbeaten_words(order), []).append(order)
    for words, found in groups.items():
        size = max((order.unseen for order in found if order.unseen > 0), default=float("nan"))
        rest = f"; {missed(size, what='an advantage')}" if missed(size) else ""
        statements.append(f"no agent beats every other {_places(found, several)}: {words}{rest}")
    circles: dict[tuple[str, ...], list[FieldOrder]] = {}
    for order in orders:
        for cycle in order.cycles():
            circles.setdefault(_turned(cycle), []).append(order)
    for cycle, found in circles.items():
        chain = ", ".join(f"{one} beats {two}" for one, two in _edges(cycle))
        statements.append(f"{_places(found, several)} there is a cycle: {chain}")
    agents = {agent for order in orders for agent in order.agents}
    return [f"{text if text.split()[0] in agents else text[0].upper() + text[1:]}." for text in statements]


def _others(agent: str, orders: Sequence[FieldOrder]) -> str:
    """Return the agents that one of them beats, by name if they are few: "b and c"."""
    others = [f"{each}" for each in dict.fromkeys(each for order in orders for each in order.agents) if each != agent]
    return listed(others) if len(others) <= _MOST else f"each of {len(others)} other agents"


def _unbeaten_words(order: FieldOrder) -> str:
    best = [f"{agent}" for agent in order.unbeaten]
    if not best:
        return "each is beaten by another"
    if len(best) == len(order.agents):
        return "no two can be told apart"
    if len(best) > _MOST:
        return f"{len(best)} of {len(order.agents)} are beaten by none"
    return f"{listed(best)} {'are' if len(best) > 1 else 'is'} beaten by none" + (
        "" if len(best) > 1 else ", and cannot be told from some"
    )


def _places(orders: Sequence[FieldOrder], several: bool) -> str:
    """Return where something holds: "at 3, 4 and 5 players"."""
    by_counts: dict[str, list[str]] = {}
    variants: dict[str, list[int]] = {}
    for order in orders:
        variants.setdefault(order.variant, []).append(order.players)
    for variant, counts in variants.items():
        by_counts.setdefault(f"at {listed([str(count) for count in counts])} players", []).append(variant)
    return " and ".join(f"{counts} of {listed(names)}" if several else counts for counts, names in by_counts.items())


def _turned(cycle: Sequence[str]) -> tuple[str, ...]:
    """Return a cycle that starts at its first name, so that equal ones are equal."""
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])


def _edges(cycle: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(cycle, (*cycle[1:], cycle[0]), strict=True)

"""Opponents of a learner: line-ups of compiled agents, and their memory; one line-up is drawn for each game."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, check_lineup, find_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.registry import AGENT_TYPES
from strozzi_sim.errors import ArgumentError, as_argument_error, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.simulation.loop import AGENT
from strozzi_sim.simulation.match import agent_row

_MEMORY = 2**32  # most bytes of the opponents' memory in all games
_ALIGNED = 16  # bytes to which a game's memory is aligned


class Opponents:
    """The agents that play inside a step, at the positions 1 .. players - 1 of each of L line-ups."""

    def __init__(self, game: Game, variant: Variant, players: int, num_envs: int, opponents: Any) -> None:
        self.pool = _pool(game, players, opponents)  # the line-ups; () if the caller decides for every seat
        self._compiled = [  # keeps alive what is at the addresses
            [as_argument_error("opponents", compile_agent, spec, game) for spec in lineup] for lineup in self.pool
        ]
        # [line-up, position]: the agent, and the bytes from its memory in a slot to its memory in the next slot.
        shape = (max(len(self.pool), 1), players)
        self.agents, self.strides = np.zeros(shape, AGENT), np.zeros(shape, np.int64)
        self.agents["counter"], self.agents["sees_state"] = -1, not variant.hidden
        sizes = [max(agent.memory.itemsize for agent in agents) for agents in zip(*self._compiled, strict=True)]
        sizes = [-(-size // _ALIGNED) * _ALIGNED for size in sizes]
        bytes_per_game = sum(sizes)
        if num_envs * bytes_per_game > _MEMORY:
            most = f"at most {_MEMORY // bytes_per_game:,} games, got {num_envs:,}"
            raise ArgumentError("num_envs", f"the opponents need {bytes_per_game:,} bytes per game; {most}")
        # For each position from 1 on, uint8[n, bytes]; its agents in all line-ups share it.
        self.memories = [np.zeros((num_envs, size), np.uint8) for size in sizes]
        untrusted: dict[str, None] = {}
        for number, (lineup, agents) in enumerate(zip(self.pool, self._compiled, strict=True)):
            for position, (spec, agent, memory) in enumerate(zip(lineup, agents, self.memories, strict=True), 1):
                self.agents[number, position] = agent_row(agent, memory, variant)
                self.strides[number, position] = memory.shape[1]
                if not agent.trusted:
                    untrusted[repr(spec.text)] = None
        self.untrusted = " or ".join(untrusted)

    def seated(self, lineups: Array, positions: Array) -> Array:
        """Return the agents at the seats of n slots, AGENT[n, P], by line-up [n] and position at each seat [n, P]."""
        rows: Array = self.agents[lineups[:, None], positions]
        rows["memory"] += np.arange(len(rows))[:, None] * self.strides[lineups[:, None], positions]
        return rows


def _pool(game: Game, players: int, opponents: Any) -> tuple[tuple[AgentSpec, ...], ...]:
    if opponents is None:
        return ()
    is_list = isinstance(opponents, list | tuple) and bool(opponents)
    if is_list and all(isinstance(lineup, list | tuple) for lineup in opponents):
        return tuple(_lineup(game, players, lineup) for lineup in opponents)
    return (_lineup(game, players, opponents),)


def _lineup(game: Game, players: int, opponents: Any) -> tuple[AgentSpec, ...]:
    agents = [opponents] if isinstance(opponents, AGENT_TYPES) else opponents
    seats = players - 1
    if not isinstance(agents, Sequence) or not all(isinstance(agent, AGENT_TYPES) for agent in agents):
        expected = "None, an agent, a list of agents, or a list of such lists"
        raise ArgumentError("opponents", f"expected {expected}, got {short_repr(opponents)}")
    if not 1 <= len(agents) <= seats:
        raise ArgumentError("opponents", f"expected 1 to {seats} beside the learner, got {len(agents)}")
    specs = [as_argument_error("opponents", find_agent, agent, game) for agent in agents]
    as_argument_error("opponents", check_lineup, specs, game, players)
    for spec in specs:
        if spec.without:
            raise ArgumentError("opponents", f"agent {spec.text!r}: environments take agents without restrictions")
        if spec.agent.kind != "compiled":
            why = "is written in Python, and only compiled agents play inside a step"
            remedy = "leave opponents out and ask it yourself at its seats"
            raise ArgumentError("opponents", f"agent {spec.text!r} {why}; {remedy}")
    return tuple(specs[k % len(specs)] for k in range(seats))

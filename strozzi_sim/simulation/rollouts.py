"""Playouts from a position: the game is played to its end with redrawn chance.

Only compiled agents play here: a playout takes microseconds, and there are millions of them. For third-party agents the
caller must be in a worker process (`simulation.isolation`).
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game.contract import Game, apply, placing, score
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import assign, zero_at
from strozzi_sim.kernel.record_types import array_type, exact_copy, record_type
from strozzi_sim.kernel.streams import RANDOM, SOURCES, hash_combine, next_word, redraw, seat_stream
from strozzi_sim.runtime.workers import HEARTBEAT, active_heartbeat, heartbeat
from strozzi_sim.simulation.interrupts import call_interruptible
from strozzi_sim.simulation.loop import AGENT, FAULT, play_game, work_dtype
from strozzi_sim.simulation.match import Match, describe_failure

Array = np.ndarray[Any, Any]


@jit
def _seat_agents(agents, seat_agents, randoms, key):
    """Seat the agents at the beginning of their streams, with empty memories."""
    for seat in range(agents.shape[0]):
        assign(seat_agents[seat], agents[seat])
        randoms[seat].cursor = seat_stream(key, seat)
        seat_agents[seat].word = next_word(randoms[seat])
        if agents[seat].memory_size > 0:
            zero_at(agents[seat].memory, agents[seat].memory_size)


@jit
def _playouts(starts, rules, work, agents, seat_agents, randoms, word, action, wins, scores, stop, fault, beat):
    state, seen, chance = work.state, work.seen, work.chance
    for k in range(wins.shape[0]):
        if stop[0] != 0:
            return
        key = hash_combine(word, k)
        assign(state, starts[0])
        for source in range(SOURCES):
            redraw(chance, source, key)
        _seat_agents(agents, seat_agents, randoms, key)
        if action > 0:
            apply(state, rules[0], action, chance, None)
        if play_game(state, rules[0], seat_agents, randoms, chance, seen, None, None, None, fault, beat) < 0:
            return
        for seat in range(wins.shape[1]):
            better, shared = placing(state, seat)
            wins[k, seat] = WIN_UNITS // shared if better == 0 else 0
            scores[k, seat] = score(state, seat)


@cache
def _playouts_of(game: Game) -> Any:
    game.register()
    results = [types.int64[:, ::1], types.int64[:, ::1]]
    records = [array_type(game.rules), record_type(work_dtype(game)), *map(array_type, (AGENT, AGENT, RANDOM))]
    ends = [types.int64[::1], record_type(FAULT), record_type(HEARTBEAT)]
    arguments = [array_type(game.state), *records, types.uint64, types.int64, *results, *ends]
    return entry(_playouts, types.void(*arguments), game.name)


class Rollouts:
    """The agents of a match, seated in the order of positions, for playouts; every thread needs its own."""

    def __init__(self, match: Match) -> None:
        if match.in_python or any(spec.without for spec in match.lineup):
            names = ", ".join(spec.text for spec in match.lineup)
            raise InputError(f"playouts need compiled agents without restrictions, got {names}")
        self.match = match
        self._stop = np.zeros(1, np.int64)
        self._agents, self._compiled, self._memories = match.agent_table(self._stop)
        self._rules = exact_copy(match.variant.rules)
        self._work, self._seated = np.zeros(1, work_dtype(match.game)), np.zeros(match.players, AGENT)
        self._randoms, self._fault = np.zeros(match.players, RANDOM), np.zeros(1, FAULT)

    def from_state(self, state: Array, word: int, count: int, action: int = 0) -> tuple[Array, Array]:
        """Return the wins, in WIN_UNITS, and the scores of `count` playouts, int64[count, P] each, by seat.

        `state` is a full state, shape (1,), that is not over. Each playout begins with `action`, or, if that is 0, with
        the choice of the agent at the acting seat. Playout k redraws all future chance by `word` and k alone, so that
        playouts of several actions are paired, and a repeated call has the same results.
        """
        wins, scores = np.zeros((2, count, self.match.players), np.int64)
        kernel, beat = _playouts_of(self.match.game), heartbeat()
        arrays = self._rules, self._work[0], self._agents, self._seated, self._randoms
        ends = self._stop, self._fault[0], beat[0]
        with active_heartbeat(beat, self.match.players):
            call_interruptible(self._stop, lambda: kernel(state, *arrays, np.uint64(word), action, wins, scores, *ends))
        if self._fault["found"][0]:
            seat, what = int(self._fault["seat"][0]), describe_failure(int(self._fault["action"][0]))
            agent = self.match.positions[seat].text
            raise AgentFault(f"agent {agent!r} at seat {seat} {what} (in a playout of {self.match.game.name})")
        return wins, scores

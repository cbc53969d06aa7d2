"""Games played with other chance: play-outs from a position, and whole deals of which some sources are redrawn.

Only compiled agents play here: a play-out takes microseconds, and there are millions of them. A caller that lets third-party agents
play does so in a worker process (`simulation.isolation`).
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import Game, apply, deal, placing, score
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import assign, zero_at
from strozzi_sim.kernel.record_types import array_type, exact_copy, record_type
from strozzi_sim.kernel.streams import (
    RANDOM,
    SOURCES,
    deal_key,
    game_key,
    hash_combine,
    next_word,
    redraw,
    seat_stream,
    seed_chance,
    stream_key,
)
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.runtime.worker import HEARTBEAT, active_heartbeat, heartbeat
from strozzi_sim.simulation.interrupts import call_interruptible
from strozzi_sim.simulation.loop import AGENT, FAULT, JOB, play_game, work_dtype
from strozzi_sim.simulation.match import Match

Array = np.ndarray[Any, Any]
AGENTS = SOURCES  # number of the "source" that stands for the agents' own randomness


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
def _write_results(state, wins, scores):
    for seat in range(wins.shape[0]):
        better, shared = placing(state, seat)
        wins[seat] = WIN_UNITS // shared if better == 0 else 0
        scores[seat] = score(state, seat)


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
        _write_results(state, wins[k], scores[k])


@jit
def _redeals(job, rules, work, agents, seat_agents, randoms, redrawn, wins, scores, stop, fault, beat):
    state, seen, chance = work.state, work.seen, work.chance
    for number in range(job.first, job.last):
        key = deal_key(job.seed, job.game, job.players, number)
        for version in range(redrawn.shape[0]):
            if stop[0] != 0:
                return
            other = stream_key(key, AGENTS + version)
            seed_chance(chance, key)
            for source in range(SOURCES):
                if redrawn[version, source] != 0:
                    redraw(chance, source, stream_key(other, source))
            _seat_agents(agents, seat_agents, randoms, other if redrawn[version, AGENTS] != 0 else key)
            deal(state, rules[0], job.players, job.start_player, chance, None)
            if play_game(state, rules[0], seat_agents, randoms, chance, seen, None, None, None, fault, beat) < 0:
                return
            _write_results(state, wins[number - job.first, version], scores[number - job.first, version])


def _common(game: Game) -> list[Any]:
    """Return the types of rules, work, agents, seated agents and their streams."""
    arrays = [array_type(dtype) for dtype in (AGENT, AGENT, RANDOM)]
    return [array_type(game.rules), record_type(work_dtype(game)), *arrays]


def _ends() -> list[Any]:
    """Return the types of `stop`, the fault and the heartbeat."""
    return [types.int64[::1], record_type(FAULT), record_type(HEARTBEAT)]


@cache
def _playouts_of(game: Game) -> Any:
    game.register()
    results = [types.int64[:, ::1], types.int64[:, ::1]]
    started = [array_type(game.state), *_common(game), types.uint64, types.int64, *results, *_ends()]
    return entry(_playouts, types.void(*started), game.name)


@cache
def _redeals_of(game: Game) -> Any:
    game.register()
    results = [types.int64[:, :, ::1], types.int64[:, :, ::1]]
    return entry(
        _redeals,
        types.void(record_type(JOB), *_common(game), types.uint8[:, ::1], *results, *_ends()),
        game.name,
    )


class Rollouts:
    """The agents of a match, ready to play on from its positions; one for each thread.

    Raises:
        InputError: an agent is not compiled, or is restricted.
    """

    def __init__(self, match: Match) -> None:
        if match.in_python or any(spec.without for spec in match.lineup):
            names = ", ".join(spec.text for spec in match.lineup)
            raise InputError(f"play-outs need compiled agents without restrictions, got {names}")
        self.match = match
        self._stop = np.zeros(1, np.int64)
        self._agents, self._compiled, self._memories = match.agent_table(self._stop)
        self._rules = exact_copy(match.variant.rules)
        self._work, self._seated = np.zeros(1, work_dtype(match.game)), np.zeros(match.players, AGENT)
        self._randoms, self._fault = np.zeros(match.players, RANDOM), np.zeros(1, FAULT)

    def _play(self, kernel: Any, *arguments: Any) -> None:
        beat = heartbeat()
        with active_heartbeat(beat, self.match.players):
            call_interruptible(
                self._stop, lambda: kernel(*arguments, self._stop, self._fault[0], beat[0])
            )  # each play-out begins anew, so that a repeated call has the same results
        if self._fault["found"][0]:
            raise self.match.fault(self._fault[0])

    def _arrays(self) -> tuple[Any, ...]:
        return self._rules, self._work[0], self._agents, self._seated, self._randoms

    def from_state(self, state: Array, word: int, count: int, action: int = 0) -> tuple[Array, Array]:
        """Return wins in WIN_UNITS and scores of play-outs, int64[count, P] each; all chance to come is redrawn.

        Play-out k draws the same chance for every `action`: differences between actions are paired.

        Args:
            state: the full state, shape (1,), with secrets; not over.
            word: key of the play-outs, 64 bits.
            count: number of play-outs.
            action: a legal action to begin with, or 0: the agent at the acting seat chooses.
        """
        wins, scores = np.zeros((2, count, self.match.players), np.int64)
        self._play(_playouts_of(self.match.game), state, *self._arrays(), np.uint64(word), action, wins, scores)
        return wins, scores

    def redealt(self, first: int, last: int, redrawn: Array) -> tuple[Array, Array]:
        """Return wins in WIN_UNITS and scores of versions of each deal, int64[D, V, P] each.

        Args:
            first: first deal.
            last: one past the last deal.
            redrawn: sources that each version redraws, uint8[V, SOURCES + 1]; the last is the agents' own randomness.
        """
        match = self.match
        job = np.zeros(1, JOB)
        job[0] = (game_key(match.game.name), match.seed, match.players, first, last, 0, 0)
        wins, scores = np.zeros((2, last - first, len(redrawn), match.players), np.int64)
        self._play(_redeals_of(match.game), job[0], *self._arrays(), redrawn, wins, scores)
        return wins, scores

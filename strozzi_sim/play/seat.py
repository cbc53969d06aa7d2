"""A seated agent: one seat of one game, with its memory and its random stream."""

from copy import copy
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.python import (
    BATCH_SIZE,
    InvalidAnswer,
    TimeLimit,
    aligned,
    ask_batch,
    ask_one,
    copy_player,
    make_player,
)
from strozzi_sim.errors import InputError
from strozzi_sim.game.components import read_only
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.kernels import kernels
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.runtime.workers import active_heartbeat, heartbeat
from strozzi_sim.simulation.interrupts import call_interruptible


class Seat:
    """An agent at one seat of one game, with its memory and its random stream."""

    def __init__(self, spec: AgentSpec, table: Any, seat: int) -> None:
        if spec.without:
            why = "a restriction holds for whole games; play one with `simulate` or `record`"
            raise InputError(f"agent {spec.text!r}: {why}")
        self.spec, self.game, self.variant, self.seat = spec, table.game, table.variant, seat
        self._kernels = kernels(self.game)
        self._rng = table.rng[seat : seat + 1].copy()
        self._legal = np.zeros(self.game.actions, np.int64)
        self._beat, self._place = heartbeat(), (table.players, table.deal, seat)
        self._player: Any = None
        if spec.agent.kind == "compiled":
            self._stop = np.zeros(1, np.int64)
            self._bound = compile_agent(spec, self.game, stop=self._stop)
            self._memory = np.zeros(1, self._bound.memory)
        else:
            with active_heartbeat(self._beat, *self._place), TimeLimit() as clock:
                self._player = make_player(spec.agent.function, dict(spec.values), clock)
            self._stream = SeatRng(int(self._rng["cursor"][0]))
            self._components = read_only(self.variant.components)

    @property
    def sees_state(self) -> bool:
        """Whether the game loops pass the agent the state itself, not a concealed copy."""
        return self._player is None and self._bound.sees_state(self.variant.hidden)

    def copy(self) -> "Seat":
        """Return the agent with a copy of its memory and stream: it decides as this one would."""
        other = copy(self)
        other._rng = self._rng.copy()
        if self._player is None:
            other._memory = self._memory.copy()
        else:
            other._stream = copy(self._stream)
            if self.spec.agent.kind == "act":
                other._player = copy_player(self._player)
        return other

    def analyse(self, legal: tuple[int, ...], node: Any = None) -> list[ActionAnalysis] | None:
        """Return the analysis of the agent's last decision, or of `node` after it; None if it declares no `analyse`."""
        analyse = self.spec.agent.analyse
        return None if analyse is None else list(analyse(self._memory[0], legal, node))

    def choose(self, state: np.ndarray[Any, Any], *, concealed: bool = True) -> int:
        """Return the agent's action in a state, shape (1,), in which its seat acts.

        The agent receives what its seat knows; with `concealed=False` a copy of the full state, as the game loops pass
        it to agents with `sees_state`.
        """
        seen_state, rules = exact_copy(state), exact_copy(self.variant.rules)
        if concealed:
            self._kernels.conceal(seen_state, rules, self.seat)
        with active_heartbeat(self._beat, *self._place):
            if self._player is not None:
                return self._ask_python(seen_state, rules)
            action = self._ask_compiled(seen_state, rules)
        if rules.tobytes() != self.variant.rules.tobytes():
            raise InvalidAnswer("changed the rules that it received")
        return action

    def _ask_python(self, state: Any, rules: Any) -> int:
        count = self._kernels.legal(state, rules, self._legal)
        legal = tuple(self._legal[:count].tolist())
        view = self.game.view
        with single_threaded_blas(), TimeLimit() as clock:
            if self.spec.agent.kind == "act":
                view_of_seat = view.view_of(state[0], self._components, self.seat)
                return ask_one(self._player, view_of_seat, legal, self._stream, clock)
            observations = aligned((BATCH_SIZE, self.game.observation_size), np.float32)
            mask = aligned((BATCH_SIZE, self.game.actions), np.bool_)
            words = aligned((BATCH_SIZE,), np.uint64)
            self._kernels.observe(state, rules, self.seat, observations[0])
            mask[0, list(legal)] = True
            mask[1:, 0] = True
            words[0] = self._stream.word()
            return int(ask_batch(self._player, observations, mask, words, 1, clock)[0])

    def _ask_compiled(self, state: Any, rules: Any) -> int:
        stream_before, addresses = self._rng.copy(), (self._bound.params.ctypes.data, self._memory.ctypes.data)

        def ask() -> int:
            return int(self._kernels.ask(state, rules, self._bound.address, *addresses, self._rng))

        if self._bound.trusted and self.spec.searches:
            try:
                return call_interruptible(self._stop, ask)
            except BaseException:  # from a signal handler; the next query draws the same random numbers
                self._rng[:] = stream_before
                raise
        if self._bound.trusted:
            return ask()
        with TimeLimit() as clock:  # third-party code may never return
            return int(clock.call(ask))

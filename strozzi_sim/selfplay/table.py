"""A game driven from Python, one decision at a time: for a person at the table, for records, and for tests."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import int64, types

from strozzi_sim.agent import AgentSpec, Bound, bind
from strozzi_sim.games.contract import Game, actor, apply, count_legal, deal, determinize, is_over, kth_legal
from strozzi_sim.games.variants import Variant
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import call_at
from strozzi_sim.kernel.streams import CHANCE, RANDOM, absorb, deal_key, game_key, seat_stream
from strozzi_sim.selfplay.loop import DETERMINIZE, array_of


@jit
def _start(states, rules, chances, randoms, resample, journals, game, seed, players, number, start_player):
    key = deal_key(seed, game, players, number)
    for seat in range(players):
        randoms[seat].cursor = seat_stream(key, seat)
        resample[seat].cursor = absorb(key, int64(DETERMINIZE) + seat)
    chances[0].key = key
    deal(states[0], rules[0], players, start_player, chances[0], journals[0])


@jit
def _step(states, rules, chances, journals, action):
    apply(states[0], rules[0], action, chances[0], journals[0])


@jit
def _look(states, rules, legal):
    """Write the legal actions; returns their number, and the actor in front of them."""
    state = states[0]
    if is_over(state):
        return int64(0)
    count = count_legal(state, rules[0])
    legal[0] = actor(state)
    for k in range(count):
        legal[k + 1] = kth_legal(state, rules[0], k)
    return count


@jit
def _ask(seen, rules, address, params, memory, random, resample, hidden):
    state = seen[0]
    if hidden:
        determinize(state, rules[0], actor(state), resample[0])
    return call_at(address, state, rules[0], params, memory, random[0])


class _Kernels(NamedTuple):
    start: Any
    step: Any
    look: Any
    ask: Any


@cache
def _kernels(game: Game) -> _Kernels:
    game.module("core")
    state, rules, chance = array_of(game.state), array_of(game.rules), array_of(CHANCE)
    random, journal = array_of(RANDOM), array_of(game.journal)
    i8 = types.int64
    return _Kernels(
        entry(_start, types.void(state, rules, chance, random, random, journal, i8, i8, i8, i8, i8), game.name),
        entry(_step, types.void(state, rules, chance, journal, i8), game.name),
        entry(_look, i8(state, rules, i8[::1]), game.name),
        entry(_ask, i8(state, rules, i8, i8, i8, random, random, types.boolean), game.name),
    )


class Table:
    """One game on the table.

    Attributes:
        game, variant, players: what is played.
        state: the game's state, array of shape (1,).
        legal: the legal actions; empty when the game is over.
        actor: the seat that must decide.
    """

    def __init__(
        self, game: Game, variant: Variant, players: int, *, seed: int, deal: int, start_player: int = 0
    ) -> None:
        self.game, self.variant, self.players = game, variant, players
        self._kernels = _kernels(game)
        self.state = np.zeros(1, game.state)
        self._chance, self._journal = np.zeros(1, CHANCE), np.zeros(1, game.journal)
        self._random, self._resample = np.zeros(players, RANDOM), np.zeros(players, RANDOM)
        self._agents: dict[int, tuple[Bound, np.ndarray[Any, Any]]] = {}
        self._legal = np.zeros(1024, np.int64)
        self._kernels.start(
            self.state, variant.rules, self._chance, self._random, self._resample, self._journal,
            game_key(game.name), seed, players, deal, start_player,
        )  # fmt: skip
        self._look()

    def _look(self) -> None:
        count = self._kernels.look(self.state, self.variant.rules, self._legal)
        self.actor = int(self._legal[0])
        self.legal = tuple(self._legal[1 : count + 1].tolist())

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.legal

    def play(self, action: int) -> None:
        """Play an action for the seat that must decide.

        Raises:
            ValueError: the action is not legal now; nothing changes.
        """
        if action not in self.legal:
            raise ValueError(f"action {action} is not legal for seat {self.actor}; legal: {self.legal}")
        self._kernels.step(self.state, self.variant.rules, self._chance, self._journal, action)
        self._look()

    def ask(self, spec: AgentSpec) -> int:
        """What an agent would do at the seat that must decide; one agent, with one memory, per seat."""
        if self.actor not in self._agents:
            bound = bind(spec, self.game)
            self._agents[self.actor] = bound, np.zeros(1, bound.memory)
        bound, memory = self._agents[self.actor]
        seen = self.state.copy()
        seat = slice(self.actor, self.actor + 1)
        return int(
            self._kernels.ask(
                seen,
                self.variant.rules,
                bound.address,
                bound.params.ctypes.data,
                memory.ctypes.data,
                self._random[seat],
                self._resample[seat],
                self.game.hidden,
            )
        )

    @property
    def journal(self) -> np.ndarray[Any, Any]:
        """What has happened so far: int32[events, WIDTH]."""
        rows: np.ndarray[Any, Any] = self._journal["rows"][0, : int(self._journal["count"][0])]
        return rows

    def lines(self) -> list[dict[str, Any]]:
        """What has happened so far, as lines of a record."""
        return list(self.game.module("events").to_lines(self.journal, self.variant.components, self.players))


def precompile(game: Game) -> None:
    """Compile what a table needs, or take it from the cache folder."""
    _kernels(game)

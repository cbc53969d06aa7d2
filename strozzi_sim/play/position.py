"""A game driven from Python, one decision at a time: for a person at the table, for records, and for tests."""

from copy import copy
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.python import (
    CALL,
    BadAnswer,
    Clock,
    aligned,
    ask_batch,
    ask_one,
    copy_player,
    make_player,
    read_only,
    seconds_allowed,
)
from strozzi_sim.errors import AgentFault
from strozzi_sim.games.contract import (
    Game,
    actor,
    apply,
    conceal,
    count_legal,
    deal,
    determinize,
    is_over,
    kth_legal,
    observe,
)
from strozzi_sim.games.variants import Variant
from strozzi_sim.kernel.fields import array_type, exact_copy
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import call_at
from strozzi_sim.kernel.seat_rng import SeatRng
from strozzi_sim.kernel.streams import CHANCE, RANDOM, begin_chance, deal_key, game_key, reseed, seat_stream
from strozzi_sim.kernel.threads import one_thread
from strozzi_sim.kernel.worker import agents_at_work, heartbeat


@jit
def _start(states, rules, chances, randoms, journals, game, seed, players, number, start_player):
    key = deal_key(seed, game, players, number)
    for seat in range(players):
        randoms[seat].cursor = seat_stream(key, seat)
    begin_chance(chances[0], key)
    deal(states[0], rules[0], players, start_player, chances[0], journals[0])


@jit
def _step(states, rules, chances, journals, action):
    apply(states[0], rules[0], action, chances[0], journals[0])


@jit
def _look(states, rules, legal):
    """Write the legal actions; returns their number, and the actor in front of them."""
    state = states[0]
    if is_over(state):
        return 0
    count = count_legal(state, rules[0])
    legal[0] = actor(state)
    for k in range(count):
        legal[k + 1] = kth_legal(state, rules[0], k)
    return count


@jit
def _ask(seen, rules, address, params, memory, rng):
    return call_at(address, seen[0], rules[0], params, memory, rng[0])


@jit
def _observe(states, rules, seat, out):
    observe(states[0], rules[0], seat, out)


@jit
def _conceal(states, rules, seat):
    conceal(states[0], rules[0], seat)


@jit
def _imagine(states, rules, chances, seat, rng):
    conceal(states[0], rules[0], seat)
    determinize(states[0], rules[0], seat, rng[0])
    reseed(chances[0], rng[0])


class _Kernels(NamedTuple):
    start: Any
    step: Any
    look: Any
    ask: Any
    conceal: Any


@cache
def _observing(game: Game) -> Any:
    game.register()
    signature = types.void(array_type(game.state), array_type(game.rules), types.int64, types.float32[::1])
    return entry(_observe, signature, game.name)


@cache
def _imagining(game: Game) -> Any:
    game.register()
    signature = types.void(
        array_type(game.state), array_type(game.rules), array_type(CHANCE), types.int64, array_type(RANDOM)
    )
    return entry(_imagine, signature, game.name)


@cache
def _kernels(game: Game) -> _Kernels:
    game.register()
    state, rules, chance = array_type(game.state), array_type(game.rules), array_type(CHANCE)
    rng, journal = array_type(RANDOM), array_type(game.journal)
    i8 = types.int64
    return _Kernels(
        entry(_start, types.void(state, rules, chance, rng, journal, i8, i8, i8, i8, i8), game.name),
        entry(_step, types.void(state, rules, chance, journal, i8), game.name),
        entry(_look, i8(state, rules, i8[::1]), game.name),
        entry(_ask, i8(state, rules, i8, i8, i8, rng), game.name),
        entry(_conceal, types.void(state, rules, i8), game.name),
    )


def _room(game: Game) -> np.ndarray[Any, Any]:
    """Room for the actor and all legal actions, int64[1 + ACTIONS]."""
    return np.zeros(1 + int(game.actions), np.int64)


class Seat:
    """An agent at one seat of one game, with what it remembers and where its random stream stands."""

    def __init__(self, spec: AgentSpec, table: "Position", seat: int) -> None:
        self.spec, self.game, self.variant, self.seat = spec, table.game, table.variant, seat
        self._kernels = table.kernels
        self._rng = table.rng[seat : seat + 1].copy()
        self._legal = _room(self.game)
        self._beat, self._place = heartbeat(), (table.players, table.deal, seat)
        self._player: Any = None
        if spec.agent.kind == "compiled":
            self._bound = compile_agent(spec, self.game)
            self._memory = np.zeros(1, self._bound.memory)
        else:
            with agents_at_work(self._beat, *self._place), self._clock() as clock:
                self._player = make_player(spec.agent.function, dict(spec.values), clock)
            self._stream = SeatRng(int(self._rng["cursor"][0]))
            self._components = read_only(self.variant.components)

    def _clock(self) -> Clock:
        return Clock(seconds_allowed(), self.game.name, repr(self.spec.text))

    def fork(self) -> "Seat":
        """The same agent with a copy of its memory and stream: it decides as this one would."""
        other = copy(self)
        other._rng = self._rng.copy()
        if self._player is None:
            other._memory = self._memory.copy()
        else:
            other._stream = copy(self._stream)
            if self.spec.agent.kind == "act":
                other._player = copy_player(self._player)
        return other

    def forget(self) -> None:
        """Begin a new game: a compiled agent's memory is zeroed, as by the loop at the start of one."""
        self._memory.view(np.uint8)[:] = 0

    def analyse(self, legal: tuple[int, ...], node: Any = None) -> list[ActionAnalysis] | None:
        """What the agent thought of the actions of its last decision, or of what follows `node`; None if it does not say."""
        say = self.spec.agent.analyse
        return None if say is None else list(say(self._memory[0], legal, node))

    def choose(self, state: np.ndarray[Any, Any], *, concealed: bool = True) -> int:
        """What the agent does in a state, an array of shape (1,), in which it must decide.

        It is handed what its seat knows; with `concealed=False` a copy of the record itself, as the loop hands it to
        agents of the package where nothing but chance is hidden.

        Raises:
            BadAnswer: a Python agent failed or chose no legal action.
        """
        with agents_at_work(self._beat, *self._place):
            return self._choose(state, concealed)

    def _choose(self, state: np.ndarray[Any, Any], concealed: bool) -> int:
        seen, rules = exact_copy(state), exact_copy(self.variant.rules)
        if concealed:
            self._kernels.conceal(seen, rules, self.seat)
        if self._player is None:
            action = self._ask_compiled(seen, rules)
            if rules.tobytes() != self.variant.rules.tobytes():
                raise BadAnswer("changed the rules that it was handed")
            return int(action)
        count = self._kernels.look(seen, rules, self._legal)
        legal = tuple(self._legal[1 : count + 1].tolist())
        view = self.game.view
        with one_thread(), self._clock() as clock:
            if self.spec.agent.kind == "act":
                shown = view.view_of(seen[0], self._components, self.seat)
                return ask_one(self._player, shown, legal, self._stream, clock)
            observations = aligned((CALL, view.OBSERVATION), np.float32)
            mask = aligned((CALL, self.game.actions), np.bool_)
            words = aligned((CALL,), np.uint64)
            _observing(self.game)(seen, rules, self.seat, observations[0])
            mask[0, list(legal)] = True
            mask[1:, 0] = True
            words[0] = self._stream.word()
            return int(ask_batch(self._player, observations, mask, words, 1, clock)[0])

    def _ask_compiled(self, seen: Any, rules: Any) -> int:
        def ask() -> int:
            action: int = self._kernels.ask(
                seen, rules, self._bound.address, self._bound.params.ctypes.data, self._memory.ctypes.data,
                self._rng,
            )  # fmt: skip
            return action

        if self._bound.trusted:
            return ask()
        with Clock(seconds_allowed(), self.game.name, repr(self.spec.text)) as clock:  # it may never return
            return int(clock.call(ask))


class Position:
    """One game on the table.

    Attributes:
        game, variant, players, deal: what is played.
        state: the game's state, array of shape (1,).
        legal: the legal actions; empty when the game is over.
        actor: the seat that must decide.
        rng: RANDOM records, where the streams of every seat begin.
    """

    def __init__(
        self, game: Game, variant: Variant, players: int, *, seed: int, deal: int, start_player: int = 0
    ) -> None:
        self.game, self.variant, self.players, self.deal = game, variant, players, deal
        self.kernels = _kernels(game)
        self.state = np.zeros(1, game.state)
        self._chance, self._journal = np.zeros(1, CHANCE), np.zeros(1, game.journal)
        self.rng = np.zeros(players, RANDOM)
        self._seats: dict[int, Seat] = {}
        self._where = f"{game.name}, {players} players, seed {seed}, deal {deal}"
        self._legal = _room(self.game)
        self.kernels.start(
            self.state, variant.rules, self._chance, self.rng, self._journal,
            game_key(game.name), seed, players, deal, start_player,
        )  # fmt: skip
        self._look()

    def _look(self) -> None:
        count = self.kernels.look(self.state, self.variant.rules, self._legal)
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
        self.kernels.step(self.state, self.variant.rules, self._chance, self._journal, action)
        self._look()

    def known(self, seat: int) -> np.ndarray[Any, Any]:
        """The state as `seat` knows it, array of shape (1,): whoever shows a position to anybody takes this one."""
        seen = exact_copy(self.state)
        self.kernels.conceal(seen, self.variant.rules, seat)
        return seen

    def view(self, seat: int) -> Any:
        """The game's View of what `seat` knows."""
        return self.game.view.view_of(self.known(seat)[0], self.variant.components, seat)

    def seated(self, spec: AgentSpec) -> Seat:
        """An agent at the seat that must decide; one agent, with one memory, per seat."""
        if self.actor not in self._seats:
            self._seats[self.actor] = Seat(spec, self, self.actor)
        return self._seats[self.actor]

    def fork(self) -> "Position":
        """The same game from here on, with the same chance to come; nobody has sat down yet."""
        other = copy(self)
        other.state, other._chance, other._journal = exact_copy(self.state), self._chance.copy(), self._journal.copy()
        other._legal, other._seats = self._legal.copy(), {}
        return other

    def imagine(self, seat: int, rng: np.ndarray[Any, Any]) -> "Position":
        """A game that may go on from here for all that `seat` knows, all it cannot know and all chance redrawn.

        Args:
            seat: who imagines it.
            rng: RANDOM record, array of shape (1,), to draw from.
        """
        other = self.fork()
        _imagining(self.game)(other.state, self.variant.rules, other._chance, seat, rng)
        other._look()
        return other

    def ask(self, spec: AgentSpec) -> int:
        """What an agent would do at the seat that must decide.

        Raises:
            AgentFault: a Python agent failed or chose no legal action.
        """
        try:
            return self.seated(spec).choose(self.state)
        except BadAnswer as bad:
            raise self.fault(spec, bad.what) from bad.__cause__

    def fault(self, spec: AgentSpec, what: str) -> AgentFault:
        """The fault of an agent that did `what` at the seat that must decide."""
        return AgentFault(f"agent {spec.text!r} at seat {self.actor} {what} ({self._where})")

    @property
    def chance(self) -> np.ndarray[Any, Any]:
        """What chance will bring, CHANCE record of shape (1,); no agent is ever handed it."""
        return self._chance

    @property
    def journal(self) -> np.ndarray[Any, Any]:
        """What has happened so far: int32[events, WIDTH]."""
        rows: np.ndarray[Any, Any] = self._journal["rows"][0, : int(self._journal["count"][0])]
        return rows

    def lines(self, viewer: int | None = None) -> list[dict[str, Any]]:
        """What has happened so far, as lines of a record; with a `viewer`, a seat, without what it must not see."""
        events, components = self.game.events, self.variant.components
        lines = list(events.to_lines(self.journal, components, self.players))
        return lines if viewer is None else [events.visible(line, components, viewer) for line in lines]


def precompile(game: Game) -> None:
    """Compile what a table needs, or take it from the cache folder."""
    _kernels(game)

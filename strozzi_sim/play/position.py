"""A single game, one decision at a time: for research, human players, records and tests.

A position has its game's setup, the actions since, and a state. Every move keeps the bytes of the previous state, so
that it can be undone. No journal is written: one is made on request by replaying the actions.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.errors import ArgumentError, InputError, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, AnyVariant, Variant
from strozzi_sim.kernel.record_types import Array, field_bytes
from strozzi_sim.kernel.streams import CHANCE, RANDOM
from strozzi_sim.play.agent_queries import AgentQueries
from strozzi_sim.play.kernels import ILLEGAL, kernels
from strozzi_sim.play.packing import pack, unpack
from strozzi_sim.play.records import RecordedGame, header_line, reconstruct_actions
from strozzi_sim.play.start import GameSetup, check_drawn, illegal_action_error, one_per_seat, parse_action, set_up_game

if TYPE_CHECKING:
    from strozzi_sim.simulation.vector import VectorEnv

_Past = tuple[Any, int, bytes, bytes, int] | None  # the earlier past, an action, and state, chance and actor before it


class Position(AgentQueries):
    """One game at one of its decisions, or at its end.

    Two positions are equal if they are of the same game, player count, rules, seed and deal, and have the same state
    and the same future chance, regardless of history. Since moves change a position, only its `identity` has a hash.

    A `seat` or `viewer` that is left out is the acting seat, so it is needed once the game is over; `lines` without a
    `viewer` shows everything.

    Attributes:
        actor: the seat that must decide; -1 when the game is over.
        state: the full state, array of shape (1,) of the game's state record; it changes with every move.
        chance: future chance, CHANCE or SCRIPT record of shape (1,); agents never receive it.
        rng: RANDOM records of shape (P,), the beginning of the stream of each seat's agent.

    >>> import strozzi_sim as ss
    >>> position = ss.Position("strozzi", players=4, seed=7)
    >>> position
    <Position of strozzi, 4 players, seed 7, deal 0, variant base: seat 0 decides after 0 actions>
    >>> position.legal, position.names[0]
    ((1, 2, 3, 4), 'pass')
    >>> before = position.copy()
    >>> position.play("pass")
    >>> position.actor, position.scores, position.places
    (1, (0, 0, 0, 0), (1.0, 2.0, 3.0, 4.0))
    >>> position.undo()
    1
    >>> position == before == ss.Position.from_bytes(position.to_bytes())
    True
    """

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        seed: int = 0,
        deal: int = 0,
        variant: AnyVariant = BASE,
        *,
        start_player: int = 0,
        chance: Iterable[int] | None = None,
    ) -> None:
        """Deal a game and advance to its first decision.

        Args:
            game: name of an installed game, or a Game.
            players: player count; default: 4, or the game's minimum.
            seed: random seed, below 2^53; with the deal it determines all chance.
            deal: number of the deal, as in studies and records; below 2^53.
            variant: a Variant, the name of a shipped one, or changes by name: {"rich": {"tracks": {"bonus": {7: 10}}}}.
            start_player: the seat that starts; in records and studies it is always seat 0.
            chance: outcomes of all draws in order, 0 .. n - 1 for a draw among n, instead of the chance of seed and
                deal. A draw beyond the last outcome raises ScriptEnded and changes nothing.
        """
        self._begin(set_up_game(game, players, seed, deal, variant, start_player, chance))

    def _begin(self, start: GameSetup) -> None:
        self._start: GameSetup | None = start
        self.game, self.variant, self.players = start.game, start.variant, start.players
        self.seed, self.deal, self.start_player = start.seed, start.deal, start.start_player
        self._kernels, self._actions = kernels(self.game), self.game.actions
        chance, self.rng = start.chance()
        self._set_chance(chance)
        self._state_bytes = bytearray(self.game.state.itemsize)
        self.state: Array = np.frombuffer(self._state_bytes, self.game.state)
        self.actor: int = start.kernels.deal(
            self.state, self.variant.rules, self.chance, self.players, self.start_player
        )
        self._step = start.kernels.step
        self._script, self._rules = start.script, field_bytes(self.variant.rules)
        check_drawn(self._script, self.chance)
        self._past: _Past = None
        self._origin = ""  # of a position without a setup, for its repr
        self._legal: tuple[int, ...] | None = None
        self._seats = {}

    def _set_chance(self, chance: Array) -> None:
        self._chance_bytes = bytearray(chance.tobytes())
        self.chance: Array = np.frombuffer(self._chance_bytes, chance.dtype)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.actor < 0

    @property
    def legal(self) -> tuple[int, ...]:
        """Legal actions in ascending order; empty when the game is over."""
        if self._legal is None:
            self._legal = tuple(self._legal_actions().tolist())
        return self._legal

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Legal actions as a mask, bool[ACTIONS]."""
        mask = np.zeros(self._actions, np.bool_)
        mask[self._legal_actions()] = True
        return mask

    def _legal_actions(self) -> Array:
        out = np.empty(self._actions, np.int64)
        return out[: self._kernels.legal(self.state, self.variant.rules, out)]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the legal actions, in the order of `legal`."""
        if self.over:
            return ()
        view = self.view()
        return tuple(str(self.game.view.action_name(action, view)) for action in self.legal)

    @property
    def compound_choices(self) -> tuple[str, ...]:
        """Items that can be chosen together, else (); each of `names` is a subset of them.

        >>> import strozzi_sim as ss
        >>> ss.Position("strasbourg", 3, seed=3).compound_choices
        ('T_G_smith', 'T_G_vintner', 'T_SAME3', 'T_MOSTCITY', 'T_GROUP5')
        """
        return () if self.over else tuple(self.game.view.compound_choices(self.view(), int(self.state["phase"][0])))

    @property
    def question(self) -> str:
        """The pending decision as text; "" once the game is over."""
        return "" if self.over else self.game.view.question(self.view(), int(self.state["phase"][0]))

    @property
    def meanings(self) -> Mapping[str, str]:
        """What names of actions that do not say it mean, as text; {} once the game is over."""
        return {} if self.over else self.game.view.meanings(self.view(), int(self.state["phase"][0]))

    def play(self, action: int | str) -> None:
        """Play an action for the seat that must decide: one of `legal`, or one of `names`.

        The words of a name that chooses several things at once may come in any order, with blanks, commas or plus
        between them. An illegal action, or a script of chance that ends, raises ArgumentError and changes nothing.
        """
        if type(action) is not int:
            action = parse_action(self, action)
        state, chance = bytes(self._state_bytes), bytes(self._chance_bytes)
        try:
            actor = self._step(self.state, self.variant.rules, self.chance, action)
        except OverflowError:
            actor = ILLEGAL
        if actor == ILLEGAL:
            raise illegal_action_error(self, action)
        if self._script is not None:
            try:
                check_drawn(self._script, self.chance)
            except ArgumentError:
                self._state_bytes[:], self._chance_bytes[:] = state, chance
                raise
        self._past = (self._past, action, state, chance, self.actor)
        self.actor, self._legal = actor, None

    def undo(self) -> int:
        """Undo the last action and return it. Removes seated agents."""
        if self._past is None:
            raise InputError("undo: nothing has been played yet")
        self._past, action, self._state_bytes[:], self._chance_bytes[:], self.actor = self._past
        self._legal, self._seats = None, {}
        return action

    @property
    def actions(self) -> tuple[int, ...]:
        """Actions so far; in an imagined game, or a game from a slot, those since then."""
        actions, past = [], self._past
        while past is not None:
            past, action = past[:2]
            actions.append(action)
        return tuple(actions[::-1])

    @property
    def scores(self) -> tuple[int, ...]:
        """Score of every seat so far, or final once the game is over; includes hidden points."""
        return tuple(self._results()[:, 0].tolist())

    @property
    def places(self) -> tuple[float, ...]:
        """Place of every seat if the game ended now; 1 is best, seats that share places have their mean."""
        return tuple(better + (shared + 1) / 2 for _, better, shared in self._results().tolist())

    def _results(self) -> Array:
        out = np.empty((self.players, 3), np.int64)
        self._kernels.results(self.state, out)
        return out

    def concealed(self, seat: int | None = None) -> Array:
        """Return the state as `seat` knows it, shape (1,). Display this one, not `state`."""
        state = np.frombuffer(bytearray(self._state_bytes), self.game.state)
        self._kernels.conceal(state, self.variant.rules, self._seat("seat", seat))
        return state

    def view(self, seat: int | None = None) -> Any:
        """Return the game's View of what `seat` knows."""
        seat = self._seat("seat", seat)
        return self.game.view.view_of(self.concealed(seat)[0], self.variant.components, seat)

    def observation(self, seat: int | None = None) -> NDArray[np.float32]:
        """Return the observation of `seat`, float32[F]; `game.slices.describe()` explains it."""
        out = np.empty(self.game.observation_size, np.float32)
        self._kernels.observe(self.state, self.variant.rules, self._seat("seat", seat), out)
        return out

    def json(self, seat: int | None = None) -> str:
        """Return what `seat` knows as JSON: game, seat, view, legal actions (none if it does not decide), observation.

        >>> import strozzi_sim as ss
        >>> ss.Position("strozzi", 4, seed=3).json(seat=2)[18:35]
        '"seat":2,"view":{'
        """
        from strozzi_sim.game.as_json import decision, encode

        seat = self._seat("seat", seat)
        legal = () if self.over or seat != self.actor else self.legal
        return encode({**decision(self.view(seat), legal), "observation": self.observation(seat).tolist()}).decode()

    def text(self, viewer: int | None = None, names: Sequence[str] | None = None) -> str:
        """Return the board as `viewer` sees it; `names`: a name for every seat."""
        view, components = self.view(self._seat("viewer", viewer)), self.variant.components
        return self.game.view.render(view, components, one_per_seat("names", names, "seat {}", self.players))

    def copy(self) -> "Position":
        """Return a copy with the same past and the same future chance, without seated agents."""
        other = Position.__new__(Position)
        other.__dict__.update(self.__dict__)
        other._state_bytes, other._chance_bytes = bytearray(self._state_bytes), bytearray(self._chance_bytes)
        other.state = np.frombuffer(other._state_bytes, self.game.state)
        other.chance = np.frombuffer(other._chance_bytes, self.chance.dtype)
        other._seats = {}
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Position":
        return self.copy()

    def imagine(self, seat: int, rng: Array) -> "Position":
        """Sample a position consistent with what `seat` knows; redraw hidden information and future chance.

        The sample begins here: no earlier move can be undone, and it has no journal, record or bytes (InputError). The
        draws advance `rng`, a RANDOM record of shape (1,), such as a copy of `rng[:1]`.
        """
        seat, other = self._seat("seat", seat), self.copy()
        if getattr(rng, "dtype", None) != RANDOM or rng.shape != (1,):
            expected = "a RANDOM record, array of shape (1,), such as position.rng[:1].copy()"
            raise ArgumentError("rng", f"expected {expected}, got {short_repr(rng)}")
        other._set_chance(np.zeros(1, CHANCE))
        other._start, other._script, other._past, other._legal = None, None, None, None
        other._step, other._origin = other._kernels.step, ", imagined"
        other.actor = other._kernels.imagine(other.state, other.variant.rules, other.chance, seat, rng)
        return other

    @staticmethod
    def from_slot(env: "VectorEnv", slot: int) -> "Position":
        """Return the game in a slot of a VectorEnv as a position, with its future chance; `VectorEnv.put` puts it back.

        It begins here, as an imagined position does: it has no moves to undo, no journal, record or bytes.
        """
        contents = env.slot(slot)
        other = Position(env.game, env.players, env.seed or 0, contents.deal, env.variant)
        other._state_bytes[:] = contents.state.tobytes()
        other._set_chance(contents.chance)
        other.actor = contents.actor
        other._start, other._legal, other._origin = None, None, ", from a slot"
        return other

    @property
    def identity(self) -> tuple[Any, ...]:
        """The values that determine the rest of the game; equal positions have equal ones."""
        chance = bytes(self._chance_bytes)
        if self._script is not None:  # the record holds the address of the outcomes
            left = int(self.chance["left"][0])
            chance = self._script[len(self._script) - left :].tobytes()
        start = (self.game.name, self.players, self.seed, self.deal, self._script is None)
        return (*start, self._rules, bytes(self._state_bytes), chance)

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, Position) else NotImplemented

    @property
    def _where(self) -> str:
        return f"{self.game.name}, {self.players} players, seed {self.seed}, deal {self.deal}"

    def __repr__(self) -> str:
        status = "the game is over" if self.over else f"seat {self.actor} decides"
        chance = self._origin or (", chance by script" if self._script is not None else "")
        identity = f"{self._where}, variant {self.variant.name}{chance}"
        return f"<Position of {identity}: {status} after {len(self.actions)} actions>"

    def __str__(self) -> str:
        return f"{self!r}\n{self.text(max(self.actor, 0))}"

    def _repr_html_(self) -> str:
        """Return the table for a notebook; of an imagined game, or one from a slot, its `str`."""
        from strozzi_sim.table.page import frame

        return f"<pre>{escape(str(self))}</pre>" if self._start is None else frame(self)

    def to_bytes(self) -> bytes:
        """Return the position as a few hundred bytes: the game's setup and its actions; see `from_bytes`."""
        return pack(self._setup(), self.actions)

    @staticmethod
    def from_bytes(data: bytes, variant: Variant | None = None) -> "Position":
        """Return the position of the bytes of `to_bytes`; all its actions can be undone. Raises ArgumentError.

        A `variant` with restrictions must be given, since these are not in the bytes.
        """
        start, actions = unpack(data, variant)
        position = Position.__new__(Position)
        try:
            position._begin(start)
            for action in actions:
                position.play(action)
        except InputError as error:
            raise ArgumentError("data", f"the bytes of a position that cannot be played: {error}") from None
        return position

    def _setup(self) -> GameSetup:
        if self._start is None:
            raise InputError("an imagined game has no beginning, nor has one from a slot: no bytes, record or journal")
        return self._start

    def __reduce__(self) -> Any:
        return Position.from_bytes, (self.to_bytes(), self.variant)

    @property
    def journal(self) -> Array:
        """Journal so far, int32[events, WIDTH], made by replaying the game."""
        return self._setup().replay(self.actions)[1]

    def lines(self, viewer: int | None = None) -> list[dict[str, Any]]:
        """Return the events so far as lines of a record; for a seat `viewer`, without the secrets of other seats."""
        events, components = self.game.events.EVENTS, self.variant.components
        lines = list(events.to_lines(self.journal, components, self.players))
        if viewer is None:
            return lines
        viewer = self._seat("viewer", viewer)
        return [events.visible(line, components, viewer) for line in lines]

    def sentences(self, lines: Iterable[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
        """Return events, such as those of `lines`, as sentences; `names`: a name for every seat."""
        return [self.game.events.EVENTS.describe(line, names, self.variant.components) for line in lines]

    def record(self, agents: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the record of the game so far: its `game` line, with the names of the agents by seat, then its events.

        `from_record` deals the game again: it cannot restore a `start_player` above 0, a script of `chance`, or
        restrictions; `from_bytes` can.
        """
        names = one_per_seat("agents", agents, "unknown", self.players)
        return [header_line(self.game, self.variant, names, self.seed, self.deal), *self.lines()]

    @staticmethod
    def from_record(lines: Iterable[Mapping[str, Any]]) -> "Position":
        """Return the position of a recorded game, from `record` or a file of one game.

        An incomplete record may lack its last actions, if they wrote no line: the position is the first one that has
        written all lines. An InputError names the number of a line that is invalid or does not follow from the deal.
        """
        recorded = RecordedGame.of(lines)
        position = Position(**recorded.deal_again())
        for action in reconstruct_actions(recorded, position, complete=False):
            position.play(action)
        return position

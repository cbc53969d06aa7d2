"""The game contract: a game as a value, and the verbs that compiled code for any game calls.

Searches, loops and agents of any game are written with the verbs below. A module of the game's folder (`game.parts`)
implements a verb, or the verb's own body does; the compiler chooses by the dtype of the first argument.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from typing import Any

import numpy as np
from numba import int64

from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.facts.columns import DECISION, SEAT, Table
from strozzi_sim.facts.sink import declared_rows, sink_dtype
from strozzi_sim.game import parts
from strozzi_sim.game.slices import Layout, observer
from strozzi_sim.game.tiers import RANDOM_MOVES, TierNote, check_tiers
from strozzi_sim.kernel.jit import generated, jit, register_overload
from strozzi_sim.kernel.journal import journal_dtype, write_event
from strozzi_sim.runtime.files import check_portable


@dataclass(frozen=True)
class Game:
    """A game: its properties, and its parts."""

    package: str  # dotted name of the game's folder, `__name__` in its `__init__`
    title: str  # name on the box
    score_unit: str = "point"  # what scores count, in the singular
    name: str = ""  # name in commands, files and random streams; default: the folder's name
    behaviour: int = 1  # version, raised whenever any result for the same seed may change; stored with results
    # fields of the state that `determinize` fills with a belief instead of a sample from the rules' distribution
    beliefs: tuple[str, ...] = ()
    # spec strings of agents by level of strength, weakest first: "weak" (one that errs often, or `random`), "usual"
    # (rules of thumb, the default agent), "trained" (by many games) and "strong" (looks further ahead); all optional
    tiers: Mapping[str, str] = field(default_factory=dict, hash=False)
    tier_notes: Mapping[str, TierNote] = field(default_factory=dict, hash=False)  # what is known of their agents
    # where agents that search play fewer deals by default: one per this many deals of the others, see `search_deals`
    deals_per_search: int = 50
    # whether the lowest score wins; searches, leads and the default `placing` then prefer low scores
    lowest_wins: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.package.rpartition(".")[2])
        check_portable(self.name)
        if self.deals_per_search < 1:
            given = short_repr(self.deals_per_search)
            raise InputError(f"game {self.name!r}: deals_per_search: must be 1 or more, got {given}")
        check_tiers(self.name, [*self.tiers, *self.tier_notes])

    # the modules of the game's folder, with their defaults
    state_part = cached_property(parts.StatePart)
    core = cached_property(parts.CorePart)
    components_part = cached_property(parts.ComponentsPart)
    events = cached_property(parts.EventsPart)
    view = cached_property(parts.ViewPart)
    facts = cached_property(parts.FactsPart)
    restrictions = cached_property(parts.RestrictionsPart.if_any)  # None without its file

    @cached_property
    def verify(self) -> parts.VerifyPart:
        """The replay of records: `verify.py`, else `reference.py`."""
        return parts.VerifyPart.if_any(self) or parts.ReferencePart(self)

    @cached_property
    def table(self) -> Any:
        """`TABLE` of `table.py`, a subclass of `game.table.GameTable`, or None."""
        part = parts.TablePart.if_any(self)
        return part.TABLE if part else None

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The player counts, in ascending order."""
        return self.state_part.PLAYER_COUNTS

    @property
    def state(self) -> np.dtype[Any]:
        """The record of a position."""
        return self.state_part.STATE

    @property
    def rules(self) -> np.dtype[Any]:
        """The record of the rules."""
        return self.state_part.RULES

    @property
    def journal_rows(self) -> int:
        """The largest number of events of a game."""
        return int(self.state_part.JOURNAL_ROWS)

    @property
    def sign(self) -> int:
        """The factor that makes the best score the highest: 1, or -1 if the lowest score wins."""
        return -1 if self.lowest_wins else 1

    @property
    def default_agent(self) -> str:
        """The default agent of commands: the usual one, or `random`."""
        return self.tiers.get("usual", "random")

    @cached_property
    def player_names(self) -> dict[str, str]:
        """Agent -> the name that pages give it: its tier, or random moves."""
        tiers = {agent: tier for tier, agent in self.tiers.items() if agent != "random"}
        return {"random": RANDOM_MOVES, **tiers}

    def search_deals(self, deals: int) -> int:
        """Return how many deals an agent that searches plays if others play `deals`: 20 or more, at most `deals`."""
        return min(max(deals // self.deals_per_search, 20), deals)

    @property
    def max_players(self) -> int:
        """The largest player count, which is the length of per-seat fields of the state and the rules."""
        return self.player_counts[-1]

    @property
    def player_count_text(self) -> str:
        """The player counts as text: `3-6 players`, `2 players`, `2, 4 players`."""
        low, high = self.player_counts[0], self.player_counts[-1]
        is_range = 1 < len(self.player_counts) == high - low + 1
        return f"{f'{low}-{high}' if is_range else ', '.join(map(str, self.player_counts))} players"

    @property
    def fact_tables(self) -> tuple[Table, ...]:
        """The game's fact tables."""
        return self.facts.TABLES

    @property
    def actions(self) -> int:
        """A: action numbers are 1 to A - 1; 0 is never legal."""
        return int(self.state_part.ACTIONS)

    @property
    def slices(self) -> Layout:
        """The named slices of an observation."""
        return self.view.SLICES

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        return self.slices.size

    def __reduce__(self) -> Any:
        """Pickle a game as its package: each process has one object per game."""
        return _game_in, (self.package,)

    @cached_property
    def journal(self) -> np.dtype[Any]:
        """The dtype of a journal of this game."""
        return journal_dtype(self.journal_rows)

    def register(self) -> None:
        """Register this game's implementation of every verb, once per process."""
        with _registering:
            known = _registered.get(self.state, self.package)
            if known != self.package:
                raise TypeError(f"{self.package} and {known} have the same state record; every game needs its own")
            if self.state in _registered:
                return
            # `note` handles the events that the core writes
            for verb, (part, make) in {**VERBS, write_event: ("fact_handlers", lambda game: _ignore)}.items():
                dtype = self.facts.SINK if part == "fact_handlers" else self.state
                where, name = f"{self.package}.{part}", "note" if verb is write_event else verb.__name__
                kernel = getattr(import_module(where), name, None) if part and find_spec(where) else None
                declared = next((table.name for table in self.fact_tables if table.each == name), "")
                if kernel is not None and declared:
                    message = f"{where} has {name}, which replaces the default that writes the table {declared}"
                    raise InputError(f"game {self.name!r}: {message}")
                kernel = kernel if kernel is not None else _default(self, verb, make)
                if kernel is None:
                    raise InputError(f"game {self.name!r}: {where} has no {name}, which this file must have")
                inlined = kernel in self.core.FORCE_INLINE or verb in (write_event, actor, is_over, merit, action_count)
                register_overload(verb, dtype, kernel, force_inline=inlined)
            _registered[self.state] = self.package


def _game_in(package: str) -> Game:
    game = import_module(package).GAME
    assert isinstance(game, Game)
    return game


_registering = RLock()
_registered: dict[np.dtype[Any], str] = {}  # state record -> package of the game whose verbs are registered for it
Maker = Callable[[Game], Callable[..., Any]]  # makes the implementation of a verb for a game
# verb -> module of the game's folder that implements it, maker of its default; None: every game implements the verb
VERBS: dict[Callable[..., Any], tuple[str, Maker | None]] = {}


def _verb(part: str, *, required: bool = False, made: Maker | None = None) -> Callable[[Any], Any]:
    """Return a decorator for a verb that the module `part` of a game implements.

    A game may omit a verb, unless `required`: then the function that `made` makes for the game implements it, or
    without `made` the body of the verb.
    """

    def declare(body: Any) -> Any:
        @wraps(body)
        def verb(*arguments: Any) -> Any:
            message = f"{body.__name__} is a verb of compiled code; call it from a kernel with a record of a game"
            raise TypeError(message)

        VERBS[verb] = part, None if required else made or (lambda game: body)
        return verb

    return declare


def _constant(value: int) -> Callable[..., Any]:
    return lambda state: value


def _ignore(sink, kind, a, b, c, d, e):
    """Write nothing: the default handler of events."""


@_verb("core", required=True)
def deal(state, rules, players, start_player, chance, journal):
    """Set up a game for `players` seats, begun by the seat `start_player`, and continue to the first decision.

    `chance` is seeded; call `reset_source` for each source. `journal` is what `write_event` takes. The record is zero,
    or holds an earlier game of as many players. Set every field that is read before `apply` writes it, or that
    `conceal` shows.
    """


@_verb("core")
def actor(state):
    """Return the acting seat; undefined when the game is over. Default: the field `actor`."""
    return state.actor


@_verb("", made=lambda game: _constant(game.actions))
def action_count(state):
    """Return A: action numbers are 1 to A - 1. `Game.register` makes the kernel; games do not implement it."""


@_verb("core")
def count_legal(state, rules):
    """Return the number of legal actions: at least 2 during the game, 0 at its end. Default: a loop over actions."""
    count = 0
    for action in range(1, action_count(state)):
        if is_legal(state, rules, action):
            count += 1
    return count


@_verb("core")
def kth_legal(state, rules, k):
    """Return the k-th legal action (k from 0), in ascending order. Default: a loop over all actions."""
    count = 0
    for action in range(1, action_count(state)):
        if is_legal(state, rules, action):
            if count == k:
                return action
            count += 1
    return 0


def _within_count(kernel):
    """Return `kth_legal` with a check that raises IndexError for an invalid k."""

    def kth_of_count(state, rules, k):
        if k < 0 or k >= count_legal(state, rules):
            raise IndexError("kth_legal: k must be between 0 and count_legal - 1")
        return kernel(state, rules, k)

    return kth_of_count


kth_legal.guard = _within_count


@_verb("core", required=True)
def is_legal(state, rules, action):
    """Return whether `action` (any int64) is legal. Action 0 never is."""


@_verb("core", required=True)
def apply(state, rules, action, chance, journal):
    """Play a legal action, and continue until a seat has more than one legal action or the game is over."""


def _has_phase_over(game: Game) -> Callable[..., Any]:
    over = int(game.state_part.OVER)
    return lambda state: state.phase == over


@_verb("core", made=_has_phase_over)
def is_over(state):
    """Return whether the game has ended. Default: `phase` is OVER of state.py."""


@_verb("core")
def score(state, seat):
    """Return the score of a seat: so far, or final once the game is over. The highest wins, unless `Game.lowest_wins`.

    Default: the field `score`, as players count their points.
    """
    return state.score[seat]


def _best_is_highest(game: Game) -> Callable[..., Any]:
    return (lambda state, points: -points) if game.lowest_wins else (lambda state, points: points)


@_verb("", made=_best_is_highest)
def merit(state, points):
    """Return points of score as a number of which the highest is best: `points`, or `-points` if the lowest score wins.

    `Game.register` makes the kernel; games do not implement it.
    """


@_verb("core")
def placing(state, seat):
    """Return (seats placed better, seats that share the place, including this one); (0, 1) is a sole win.

    Default: the highest score is best (the lowest with `Game.lowest_wins`), equal scores share a place.
    """
    own, better, equal = merit(state, score(state, seat)), 0, 0
    for other in range(state.players):
        theirs = merit(state, score(state, other))
        better += int64(theirs > own)
        equal += int64(theirs == own)
    return better, equal


@jit
def write_scores(state, journal, kind):
    """Write the events SCORE_END, of number `kind`, of a finished game: score and number of seats placed better."""
    for seat in range(state.players):
        write_event(journal, kind, seat, score(state, seat), placing(state, seat)[0], 0, 0)


@_verb("view")
def conceal(state, rules, seat):
    """Reduce a state in place to the knowledge of `seat`, so that equal knowledge is equal bytes.

    Replace every secret by its constant for "unknown", sort items without an order, set unused elements to zero.
    Default, for games without `hidden`: no change.
    """


@_verb("view")
def determinize(state, rules, seat, rng):
    """Sample, in place, every unknown of a concealed state, consistently with the knowledge of `seat`.

    The result depends on the concealed state and on `rng` alone. Fields in `Game.beliefs` get a belief instead of a
    sample. Future chance is in no state: a search makes its own chance record (`kernel.streams.reseed`). Default, for
    games without `hidden`: no change.
    """


@_verb("view")
def imagine(state, rules, seat, policy, rng):
    """Resample, in place, the rivals' secret choices in a state that `determinize` sampled for `seat`, from an agent.

    `policy` is the agent: the addresses of its function, parameters and memory (see `kernel.pointers.call_at`). Where
    its choices contradict the knowledge of `seat`, the sample is kept. The result depends on the state, the agent and
    `rng` alone. Default: no change.
    """


@_verb("view")
def seen_action(before, after, rules, action, viewer):
    """Return what `viewer` learns from a step: the action, a coarser code, or 0 for nothing. Default: the action."""
    return action


@_verb("view", made=lambda game: observer(game.slices, game.state, game.rules))
def observe(state, rules, seat, out):
    """Write the observation of `seat` to float32 `out[F]`. Default: by the sources of view.SLICES (`observer`)."""


@_verb("fact_handlers")
def begin_match(facts, rules, players):
    """Store match data for the handlers in a sink; the default `open_game` would clear them. Default: no change."""


def _zero_notes(game: Game) -> Callable[..., Any]:
    lines, counted = ["def default(facts, number):", "    pass"], sink_dtype(game.facts.TABLES).names or ()
    for name in game.facts.SINK.names or ():
        shape = game.facts.SINK[name].shape
        index = ", ".join(f"k{axis}" for axis in range(len(shape)))
        if name not in counted:
            lines += [f"{'    ' * axis}for k{axis - 1} in range({size}):" for axis, size in enumerate(shape, 1)]
            lines.append(f"{'    ' * (len(shape) + 1)}facts.{name}{f'[{index}]' if index else ''} = 0")
    return generated("\n".join([*lines, ""]), "default")


@_verb("fact_handlers", made=_zero_notes)
def open_game(facts, number):
    """Prepare a sink for a game of deal `number`, before it is dealt. Default: set all fields for handlers to 0."""


def _declared(each: str, *head: str) -> Maker:
    """Return the default of the handler `each`: after the lines `head` it writes the rows of tables declared for it."""

    def default(game: Game) -> Callable[..., Any]:
        lines, bound = declared_rows(game.fact_tables, each)
        indent = 8 if head[-1].endswith(":") else 4
        source = "\n".join([*head, *(f"{' ' * indent}{line}" for line in lines or ["pass"]), ""])
        return generated(source, "default", actor=actor, count_legal=count_legal, **bound)

    return default


_of_decision = _declared(DECISION, "def default(facts, state, rules, action):", "    seat = actor(state)")


@_verb("fact_handlers", made=_of_decision)
def on_decision(facts, state, rules, action):
    """Handle a seat's legal `action`, before the state changes. Default: write the rows of a `decision_table`."""


_of_end = _declared(SEAT, "def default(facts, state, rules):", "    for seat in range(state.players):")


@_verb("fact_handlers", made=_of_end)
def close_game(facts, state, rules):
    """Write the rows that are known only at the end of a game. Default: those of a `seat_table`."""


def _default(game: Game, verb: Callable[..., Any], make: Maker | None) -> Any:
    """Return the default kernel of a verb; None if the game must implement it."""
    has_secrets = game.components_part.declares("hidden")
    if make is None or (has_secrets and verb in (conceal, determinize)):
        return None
    return jit(make(game))

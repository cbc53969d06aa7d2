"""The game contract: every part of a game as a Protocol, and the verbs that compiled code is written against.

A game is one folder, a package of the same modules as any other (GAME in its `__init__`, and the parts below; `report`,
`facts`, `restrictions` and `variants.toml` may be missing). Search, loops and generic agents are written once against the
verbs. A verb has no body of its own: the game's modules implement it for
its own state record, and the choice is made while compiling. All verbs are registered when the first code is compiled
for the game (`Game.register`), so any agent may call any of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.columns import Table
from strozzi_sim.game.protocols import (
    CheckPart,
    ComponentsPart,
    EventsPart,
    FactsPart,
    ReportPart,
    RestrictionsPart,
    StatePart,
    ViewPart,
)
from strozzi_sim.game.slices import Layout
from strozzi_sim.kernel.journal import write_event

TIERS = ("weak", "middle", "search", "learned")  # what kinds of agent a game may name, the weakest first


@dataclass(frozen=True)
class Game:
    """A game: what the engine must know before it plays, and the modules of its folder by what they are for.

    Attributes:
        name: the word used in commands, files and random streams.
        package: the dotted name of the game's folder, `__name__` in its `__init__`.
        title: the name on the box.
        player_counts: the numbers of players it takes, in ascending order.
        state, rules: dtypes of the game's records; no other game may have a state record of the same fields.
        journal_rows: most events of one game, 1 or more.
        behaviour: raised whenever any result for the same seed may change; stored with results.
        beliefs: fields of the state that `determinize` fills in by a belief of its own, not as chance would.
        tiers: spec strings of agents that stand for a strength, by the names in TIERS: "weak", "middle" (rules of thumb),
            "search" and "learned". A game may name none of them.
    """

    name: str
    package: str
    title: str
    player_counts: tuple[int, ...]
    state: np.dtype[Any]
    rules: np.dtype[Any]
    journal_rows: int
    behaviour: int = 1
    beliefs: tuple[str, ...] = ()
    tiers: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Refuse a journal without rows, and a tier that is none of TIERS. Raises InputError."""
        if self.journal_rows < 1:
            raise InputError(
                f"game {self.name!r}: journal_rows: must be 1 or more, got {short_repr(self.journal_rows)}"
            )
        for tier in self.tiers:
            if tier not in TIERS:
                raise InputError(
                    f"game {self.name!r}: tiers: unknown tier {short_repr(tier)}; {suggest_names(tier, TIERS)}"
                )

    @property
    def standard_agent(self) -> str:
        """Who plays where a command is given no agent, and whose weights `exploit` tunes: its middle tier."""
        return self.tiers.get("middle", "random")

    @property
    def max_players(self) -> int:
        """The length of every per-seat array."""
        return self.player_counts[-1]

    @property
    def player_count_text(self) -> str:
        """The numbers of players in words: `3-6 players`, `2 players`."""
        ends = dict.fromkeys((self.player_counts[0], self.player_counts[-1]))
        return f"{'-'.join(map(str, ends))} players"

    def _has(self, name: str) -> bool:
        return find_spec(f"{self.package}.{name}") is not None

    def _part(self, name: str) -> Any:
        if not self._has(name):
            raise InputError(f"game {self.name!r}: {self.package} has no module {name}, which every game must have")
        return import_module(f"{self.package}.{name}")

    @cached_property
    def components_part(self) -> ComponentsPart:
        """`components.py`."""
        return cast(ComponentsPart, self._part("components"))

    @cached_property
    def events(self) -> EventsPart:
        """`events.py`."""
        return cast(EventsPart, self._part("events"))

    @cached_property
    def view(self) -> ViewPart:
        """`view.py`."""
        return cast(ViewPart, self._part("view"))

    @cached_property
    def report(self) -> ReportPart:
        """`report/`, or the plain one of games that have none."""
        own = self._has("report")
        return cast(ReportPart, self._part("report") if own else import_module("strozzi_sim.game.plain_report"))

    @cached_property
    def check(self) -> CheckPart:
        """`check.py`."""
        return cast(CheckPart, self._part("verify"))

    @cached_property
    def restrictions(self) -> RestrictionsPart | None:
        """`restrictions.py`, if the game has one."""
        return cast(RestrictionsPart, self._part("restrictions")) if self._has("restrictions") else None

    @cached_property
    def facts(self) -> FactsPart | None:
        """`facts.py`, if the game has one."""
        return cast(FactsPart, self._part("fact_handlers")) if self._has("fact_handlers") else None

    @property
    def fact_tables(self) -> tuple[Table, ...]:
        """The game's fact tables."""
        return self.facts.TABLES if self.facts is not None else ()

    @property
    def actions(self) -> int:
        """Action numbers lie below it."""
        return int(cast(StatePart, self._part("state")).ACTIONS)

    @property
    def slices(self) -> Layout:
        """The named slices of its observations.

        Raises:
            InputError: the game's view.py names none.
        """
        if not hasattr(self.view, "SLICES"):
            raise InputError(f"game {self.name!r}: {self.package}.view has no SLICES, which every game must have")
        return self.view.SLICES

    def __reduce__(self) -> Any:
        """A game is one object a process; workers find theirs by its package."""
        return _game_in, (self.package,)

    @cached_property
    def journal(self) -> np.dtype[Any]:
        """The dtype of a journal of this game."""
        from strozzi_sim.kernel.journal import journal_dtype

        dtype: np.dtype[Any] = journal_dtype(self.journal_rows)
        return dtype

    def register(self) -> None:
        """Make every verb mean this game's own wherever its state record stands; once a process."""
        _register(self)


def _game_in(package: str) -> Game:
    game = import_module(package).GAME
    assert isinstance(game, Game)
    return game


def _no_game(verb: str) -> Any:
    raise TypeError(f"{verb} is a verb of compiled code; call it from a kernel with the state of a game")


def deal(state, rules, players, start_player, chance, journal):
    """Set up a game for `players` seats and run to the first decision. `chance` must have begun.

    The record holds zeros or the game before, of as many players. Set every field that is read before `apply` writes it, or that
    `conceal` shows.
    """
    _no_game("deal")


def actor(state):
    """The seat that must decide; undefined when the game is over."""
    return _no_game("actor")


def count_legal(state, rules):
    """Number of legal actions; at least 2 until the game is over, then 0."""
    return _no_game("count_legal")


def kth_legal(state, rules, k):
    """The k-th legal action (k from 0), in ascending order."""
    return _no_game("kth_legal")


def _within_count(kernel):
    """`kth_legal` that raises an IndexError where there is no k-th legal action."""

    def kth_of_count(state, rules, k):
        if k < 0 or k >= count_legal(state, rules):
            raise IndexError("kth_legal: k must be between 0 and count_legal - 1")
        return kernel(state, rules, k)

    return kth_of_count


kth_legal.guard = _within_count  # type: ignore[attr-defined]


def is_legal(state, rules, action):
    """Whether `action` (any int64) is legal now. Action 0 never is."""
    return _no_game("is_legal")


def apply(state, rules, action, chance, journal):
    """Play a legal action and run on to the next decision of a seat with more than one legal action."""
    _no_game("apply")


def is_over(state):
    """Whether the game has ended."""
    return _no_game("is_over")


def score(state, seat):
    """The score of a seat: final when the game is over, so far before."""
    return _no_game("score")


def placing(state, seat):
    """(seats placed better, seats that share the place, this one included); (0, 1) is a sole win."""
    return _no_game("placing")


def conceal(state, rules, seat):
    """Rewrite a state in place into what `seat` knows: equal knowledge is equal bytes.

    Every secret becomes its constant for "unknown", what lies in an arbitrary order gets one order, unused places are zero.
    """
    _no_game("conceal")


def determinize(state, rules, seat, rng):
    """Draw in place all that is unknown in a concealed state, consistently with everything that `seat` knows.

    The result depends on the concealed state and on `rng` alone. Chance to come is in no state, so there is nothing to
    draw of it: a search makes a chance record of its own (`kernel.streams.reseed`).
    """
    _no_game("determinize")


def imagine(state, rules, seat, policy, rng):
    """Choose anew in place, in a state that `determinize` has drawn for `seat`, what others have chosen in secret, as an agent would.

    `policy` is an agent: the addresses of its function, its parameters and its memory (see `kernel.pointers.call_at`). Where its choices
    do not agree with everything that `seat` knows, what was drawn stays. The result depends on the state, the agent and `rng` alone.
    """
    _no_game("imagine")


def seen_action(before, after, rules, action, viewer):
    """What `viewer` learns from a step: the action, a coarser code that stands for it, or 0 for nothing."""
    return _no_game("seen_action")


def observe(state, rules, seat, out):
    """Write what `seat` sees into float32 `out[F]`, as the SLICES of the game's view.py say."""
    _no_game("observe")


def prepare(facts, rules, players):
    """What a sink of facts has to know of a match before its games."""
    _no_game("prepare")


def open_game(facts, number):
    """A game of deal `number` is about to be dealt."""
    _no_game("open_game")


def decided(facts, state, rules, action):
    """A seat has chosen `action`, which is legal, and the state has not changed yet."""
    _no_game("decided")


def close_game(facts, state, rules):
    """The game is over: write what is known only now."""
    _no_game("close_game")


# verb -> the module of the game's folder that implements it.
VERBS: Mapping[Callable[..., Any], str] = {
    deal: "core", actor: "core", count_legal: "core", kth_legal: "core", is_legal: "core", apply: "core", is_over: "core",
    score: "core", placing: "core", conceal: "view", determinize: "view", imagine: "view", seen_action: "view",
    observe: "view",
}  # fmt: skip
# Of facts.py, implemented for the game's sink; `note` there is what the core's `write` means to it.
FACT_VERBS: Mapping[Callable[..., Any], str] = {
    prepare: "prepare", open_game: "open_game", write_event: "note", decided: "decided", close_game: "close_game",
}  # fmt: skip


def _all_is_seen(before, after, rules, action, viewer):
    return action


def _nothing_to_imagine(state, rules, seat, policy, rng):
    pass


def _nothing_to_prepare(facts, rules, players):
    pass


def _nothing_to_note(facts, state, rules, action):
    pass


# Of verbs that a game may leave out.
DEFAULTS: Mapping[Callable[..., Any], Callable[..., Any]] = {
    imagine: _nothing_to_imagine, seen_action: _all_is_seen, prepare: _nothing_to_prepare, decided: _nothing_to_note,
}  # fmt: skip

_registered: dict[np.dtype[Any], str] = {}


def _register(game: Game) -> None:
    known = _registered.get(game.state)
    if known == game.package:
        return
    if known is not None:
        raise TypeError(f"{game.package} and {known} have the same state record; every game needs one of its own")
    from strozzi_sim.kernel.jit import jit, register_overload

    inlined = getattr(import_module(f"{game.package}.core"), "FORCE_INLINE", ())
    parts = {verb: (part, verb.__name__, game.state) for verb, part in VERBS.items()}
    if game.facts is not None:
        parts |= {verb: ("fact_handlers", name, game.facts.SINK) for verb, name in FACT_VERBS.items()}
    for verb, (part, name, dtype) in parts.items():
        there = find_spec(f"{game.package}.{part}") is not None
        kernel = getattr(import_module(f"{game.package}.{part}"), name, None) if there else None
        if kernel is None and verb in DEFAULTS:
            kernel = jit(DEFAULTS[verb])
        if kernel is None:
            where = f"{game.package}.{part}"
            raise InputError(f"game {game.name!r}: {where} has no {name}, which every game must have")
        register_overload(verb, dtype, kernel, force_inline=kernel in inlined or verb is write_event)
    _registered[game.state] = game.package

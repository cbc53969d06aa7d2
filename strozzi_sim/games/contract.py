"""The game contract: the verbs that every game implements, and the facts the engine needs of a game.

Search, loops and generic agents are written once against the verbs. A verb has no body of its own: a game's `core.py`
implements it for its own state record (`kernel.jit.implement`), and the choice is made while compiling.
Every state record has a field `players`, every `state.py` a constant `ACTIONS`: action numbers lie below it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Game:
    """What the engine knows of a game before it plays it; everything else is asked of the folder's modules.

    Attributes:
        name: the folder's name, and the word used in commands, files and random streams.
        title: the name on the box.
        player_counts: the numbers of players it takes.
        max_players: the length of every per-seat array.
        behaviour: raised whenever any result for the same seed may change; stored with results.
        state, rules, tallies: dtypes of the game's records.
        journal_rows: most events of one game.
        standard_agent: who plays where a command is given no agent, and whose weights `exploit` tunes.
    """

    name: str
    title: str
    player_counts: tuple[int, ...]
    max_players: int
    behaviour: int
    state: np.dtype[Any]
    rules: np.dtype[Any]
    tallies: np.dtype[Any]
    journal_rows: int
    standard_agent: str

    @property
    def player_count_text(self) -> str:
        """The numbers of players in words: `3-6 players`, `2 players`."""
        ends = dict.fromkeys((self.player_counts[0], self.player_counts[-1]))
        return f"{'-'.join(map(str, ends))} players"

    def module(self, part: str) -> ModuleType:
        """A module of the game's folder: components, core, events, view, tallies, pages or reference."""
        return import_module(f"strozzi_sim.games.{self.name}.{part}")

    def __reduce__(self) -> Any:
        """A game is one object a process; workers find theirs by name."""
        return _game_named, (self.name,)

    @cached_property
    def journal(self) -> np.dtype[Any]:
        """The dtype of a journal of this game."""
        from strozzi_sim.kernel.journal import journal_dtype

        dtype: np.dtype[Any] = journal_dtype(self.journal_rows)
        return dtype


def _game_named(name: str) -> Game:
    from strozzi_sim.games import load_game

    return load_game(name)


def _no_game(verb: str) -> Any:
    raise TypeError(f"{verb} is a verb of compiled code; call it from a kernel with the state of a game")


def deal(state, rules, players, start_player, chance, journal):
    """Set up a game for `players` seats and run to the first decision. `chance.key` must be set."""
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


def determinize(state, rules, seat, rng):
    """Resample in place everything `seat` cannot know, consistently with all it does know."""
    _no_game("determinize")


def arrange(state, rules):
    """Put what lies in an arbitrary order in the state into one order, so that equal knowledge is equal data."""
    _no_game("arrange")


def observe(state, rules, seat, out):
    """Write what `seat` sees into float32 `out[F]`, as the game's view.py documents index by index."""
    _no_game("observe")


def tally(state, rules, journal, tallies):
    """Add one finished game to the game's own tallies."""
    _no_game("tally")


VERBS: tuple[Callable[..., Any], ...] = (
    deal, actor, count_legal, kth_legal, is_legal, apply, is_over, score, placing, determinize, arrange, observe, tally,
)  # fmt: skip

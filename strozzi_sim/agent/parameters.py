"""The parameters that an agent declares: numbers, words, other agents, and files of networks.

`fields` returns a parameter's fields in the parameter record, `parse` parses its value from a spec string, and `format`
formats it for the canonical spec string. The registry parses a policy, since it knows the available agents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from strozzi_sim.agent.named_files import check_named
from strozzi_sim.agent.sent_files import place_of
from strozzi_sim.agent.spec_text import strip_parentheses
from strozzi_sim.agent.weights import MOST_PLAYERS, Size, digest_of, loaded
from strozzi_sim.errors import InputError, range_words, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.parsing import real_number, whole_number


@dataclass(frozen=True)
class Param:
    """A numeric parameter of an agent: its default and the range of its values, ends included.

    An int default makes an integer parameter, a float default a real one. With `samples` it is the number of samples behind a
    decision: with more than one the agent counts as one that searches.
    """

    default: float
    low: float = -1e9
    high: float = 1e9
    description: str = ""
    samples: bool = False

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(key, "i8" if isinstance(self.default, int) else "f8")]

    def parse(self, text: str, key: str, value: str) -> float:
        """Parse the value in a spec string; `text`: the whole spec string, for errors."""
        whole = isinstance(self.default, int)
        try:
            number = whole_number(value) if whole else real_number(value)
        except ValueError:
            kind = "a whole number" if whole else "a number"
            raise InputError(f"agent {short_repr(text)}: {key} must be {kind}, got {short_repr(value)}") from None
        if not self.low <= number <= self.high:
            limits = range_words(self.low, self.high)
            raise InputError(f"agent {short_repr(text)}: {key} {limits}, got {short_repr(value)[1:-1]}")
        return number

    def format(self, value: Any) -> str:
        """Format the value for the canonical spec string."""
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; its field is the index of the word in `options`."""

    default: str
    options: tuple[str, ...]
    description: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(key, "i8")]

    def parse(self, text: str, key: str, value: str) -> str:
        """Parse the value in a spec string; `text`: the whole spec string, for errors."""
        if value not in self.options:
            near = suggest_names(value, self.options).removeprefix("known: ")
            raise InputError(f"agent {short_repr(text)}: {key} must be one of {near}, got {short_repr(value)}")
        return value

    def format(self, value: Any) -> str:
        """Format the value for the canonical spec string."""
        return str(value)


@dataclass(frozen=True)
class Policy:
    """A parameter that is another compiled agent, by spec string (`rollout=(careful:margin=3)`).

    Its fields: the address of that agent's function (0: `random`, faster inlined than called), of its parameters, of
    its memory, and the memory's size. All seats share one memory; the calling agent zeroes it at each decision.
    """

    default: str
    description: str = ""

    def __post_init__(self) -> None:
        """Strip the parentheses that a default may have, as in a spec string."""
        object.__setattr__(self, "default", strip_parentheses(self.default))

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(key, "i8"), (f"{key}_params", "i8"), (f"{key}_memory", "i8"), (f"{key}_size", "i8")]

    def format(self, value: Any) -> str:
        """Format the value for the canonical spec string."""
        return f"({value})" if set(value) & set(",:=") else str(value)


NONE = "none"  # no evaluator


@dataclass(frozen=True)
class Evaluator(Policy):
    """A parameter that is an agent that evaluates positions (see `agent.worth`), or `none`.

    Its fields: those of a policy, with the address of its `evaluation` (0: none), and the address of what it writes.
    """

    default: str = NONE

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [*super().fields(key), (f"{key}_worth", "i8")]


@dataclass(frozen=True)
class Prior(Policy):
    """A parameter that is an agent whose actions are favoured, and which may say probabilities (see `agent.worth`).

    Its fields: those of a policy, with the address of its function `probabilities` (0: it has none), and the address of
    what that writes.
    """

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [*super().fields(key), (f"{key}_function", "i8"), (f"{key}_probabilities", "i8")]


class GivenFile:
    """Base of parameters that are files: the path in a spec string, and the digest of the content."""

    shipped: Path | None  # the file without a value in the spec string; None: the agent plays only with a file

    def given(self, value: str) -> str:
        """Return the path in a spec string."""
        path = strip_parentheses(value)
        if path:
            check_named(place_of(path))
        return path

    def format(self, value: Any) -> str:
        """Format the value for the canonical spec string."""
        return f"({value})" if set(value) & set(",:=") else str(value)

    def file(self, value: str) -> Path | None:
        """Return the file of a value, or None without a file."""
        return place_of(value) if value else self.shipped

    def digest(self, value: str) -> str:
        """Return the SHA-256 of the file of a value."""
        file = self.file(value)
        return "" if file is None else digest_of(file)


@dataclass(frozen=True)
class File(GivenFile):
    """A parameter of an agent in Python that is a file; the agent receives its path, see `sent_files.place_of`.

    The digest of the file is part of the agent's identity, and it travels with the agent to other machines.
    """

    description: str = ""
    requires: str = ""  # module that the agent needs, which may be missing
    extra: str = ""  # the optional dependency of the package with which that module is installed
    shipped: Path | None = None
    default: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return []

    def parse(self, text: str, key: str, value: str) -> str:
        """Return the path in a spec string; `text`: the whole spec string, for errors."""
        path = self.given(value)
        if not place_of(path).is_file():
            raise InputError(f"agent {short_repr(text)}: {key}: no file {short_repr(path)}")
        if self.requires and find_spec(self.requires) is None:
            words = f"needs {self.requires}; install it with: pip install 'strozzi-sim[{self.extra}]'"
            raise InputError(f"agent {short_repr(text)}: {words}")
        return path


Sizes = Mapping[int, Size]


@dataclass(frozen=True)
class Weights(GivenFile):
    """A parameter that is a file of networks (see `agent.weights`); its field is the address of their addresses."""

    shipped: Path | None
    # inputs and outputs of a network by player count; or, for an agent of several games, a function (game, evaluates)
    # that returns them, where `evaluates` is whether the agent is to evaluate positions
    sizes: Sizes | Callable[[Game, bool], Sizes]
    description: str = ""
    default: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(key, "i8")]

    def parse(self, text: str, key: str, value: str) -> str:
        """Return the path in a spec string; `text`: the whole spec string, for errors."""
        path = self.given(value)
        try:
            self.networks(path)
        except InputError as error:
            raise InputError(f"agent {short_repr(text)}: {key}: {error}") from None
        return path

    def networks(self, value: str, game: Game | None = None, evaluates: bool = False) -> tuple[Any, list[Any]]:
        """Return the addresses of the networks by player count (0: none), and the arrays that they point to."""
        file = self.file(value)
        if file is None:
            return np.zeros(MOST_PLAYERS + 1, np.int64), []
        sizes = self.sizes
        if callable(sizes):
            sizes = {} if game is None else sizes(game, evaluates)
        changed = file.stat().st_mtime_ns if file.is_file() else 0
        return loaded(file, changed, tuple(sorted(sizes.items())))


Parameter = Param | Choice | Policy | Weights | File
Value = float | str

"""Parameters that agents declare: numbers, words, other agents, and files.

A spec string has their values as text. A compiled agent reads them from its parameter record (see `agent.compile`); an
agent in Python receives them as keyword arguments.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from strozzi_sim.agent.files import check_named, place_of
from strozzi_sim.agent.spec_text import strip_parentheses
from strozzi_sim.agent.weights import MOST_PLAYERS, Size, loaded
from strozzi_sim.errors import InputError, range_words, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.parsing import real_number, whole_number

NONE = "none"  # value of an Evaluator without an agent
Value = float | str
Sizes = Mapping[int, Size]


class Parameter:
    """A parameter that an agent declares."""

    default: Any
    description: str
    label: str = ""  # what reports call it; default: its key as words
    suffixes: ClassVar[tuple[str, ...]] = ("",)  # its fields in the parameter record, each int64, are KEY + suffix

    def words(self, key: str, value: Any) -> str:
        """Return a value as a phrase: "iterations 600"."""
        return f"{self.label or key.replace('_', ' ')} {self.format(value)}"

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(f"{key}{suffix}", "i8") for suffix in self.suffixes]

    def parse(self, value: str) -> Value:
        """Return the value of a text; the message of an InputError follows KEY. Policies are parsed by the registry."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        """Return the text of a value in the canonical spec string."""
        return f"({value})" if set(value) & set(",:=~") else str(value)


@dataclass(frozen=True)
class Param(Parameter):
    """A numeric parameter of an agent: its default and the range of its values, ends included.

    An int default makes an integer parameter, a float default a real one. With `samples` it is the number of samples
    per decision; a compiled agent with another value than 1 counts as a search.
    """

    default: float
    low: float = -1e9
    high: float = 1e9
    description: str = ""
    samples: bool = False
    label: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its field: int64 for an int default, else float64."""
        return [(key, "i8" if isinstance(self.default, int) else "f8")]

    def parse(self, value: str) -> float:
        """Parse a number in the range."""
        read, kind = (whole_number, "a whole number") if isinstance(self.default, int) else (real_number, "a number")
        try:
            number = read(value)
        except ValueError:
            raise InputError(f" must be {kind}, got {short_repr(value)}") from None
        if not self.low <= number <= self.high:
            raise InputError(f" {range_words(self.low, self.high)}, got {number}")
        return number

    def format(self, value: Any) -> str:
        """Format a number with as few digits as determine it."""
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Choice(Parameter):
    """A parameter that is one of a few words; its field is the index of the word in `options`."""

    default: str
    options: tuple[str, ...]
    description: str = ""
    label: str = ""

    def parse(self, value: str) -> str:
        """Return one of the words."""
        if value not in self.options:
            raise InputError(f": got {short_repr(value)}; {suggest_names(value, self.options)}")
        return value


@dataclass(frozen=True)
class Plan(Choice):
    """A parameter that is one of the plans of an agent, or `none`: a kind of event that it prefers.

    `plans` plays each of them. The agent's parameter `bonus` is the additional worth of an event, in points
    of score.
    """

    default: str = NONE
    options: tuple[str, ...] = ()  # NONE, and the keys of `events`
    events: Mapping[str, str] = field(default_factory=dict)  # plan -> what the player does, "goes left"
    strengths: tuple[float, ...] = ()  # values of `bonus` that are tried, ascending

    @classmethod
    def of(cls, events: Mapping[str, str], strengths: tuple[float, ...]) -> "Plan":
        """Return the parameter with these plans."""
        options = (NONE, *events)
        return cls(options=options, description="what it prefers", events=events, strengths=strengths)

    def words(self, key: str, value: Any) -> str:
        """Return a plan as words: "left first"."""
        return plan_words(value)


def plan_words(plan: str) -> str:
    """Return the name of a plan as words: "left first"."""
    return plan.replace("-", " ")


@dataclass(frozen=True)
class Policy(Parameter):
    """A parameter that is another compiled agent, by spec string (`rollout=(careful:margin=3)`).

    Seats and games share one memory of that agent; the calling agent must zero it at each decision.
    """

    default: str
    description: str = ""
    # addresses of its function (0: `random`, which is inlined), parameters and memory, and the memory's size in bytes
    suffixes: ClassVar[tuple[str, ...]] = ("", "_params", "_memory", "_size")


@dataclass(frozen=True)
class Evaluator(Policy):
    """A parameter that is an agent that evaluates positions (see `agent.analysis`), or `none`."""

    default: str = NONE
    # its function is the agent's `evaluation` (0: NONE); the last field is the address of the worth that it writes
    suffixes = (*Policy.suffixes, "_worth")


@dataclass(frozen=True)
class Prior(Policy):
    """A parameter that is an agent whose actions a search favours; it may have probabilities (see `agent.analysis`)."""

    # addresses of its `probabilities` function (0: none), and of the array that it writes
    suffixes = (*Policy.suffixes, "_function", "_probabilities")


class GivenFile(Parameter):
    """Base of parameters that are files; the value is the path in a spec string, or "" for the shipped file."""

    default = ""
    shipped: Path | None  # None: a spec string must name a file

    def words(self, key: str, value: Any) -> str:
        """Return a file as a phrase: "weights ppo"."""
        return super().words(key, Path(value).stem)

    def file(self, value: str) -> Path | None:
        """Return the path to open for a value (see `files.place_of`); None for "" if no file is shipped."""
        return place_of(value) if value else self.shipped

    def digest(self, value: str) -> str:
        """Return the SHA-256 of the content of a value's file, or "" if there is no file."""
        file = self.file(value)
        return sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else ""

    def parse(self, value: str) -> str:
        """Return the path without parentheses; check that the user named the file and that it can be used."""
        path = strip_parentheses(value)
        try:
            if path:
                check_named(place_of(path))
            self.check(path)
        except InputError as error:
            raise InputError(f": {error}") from None
        return path

    def check(self, path: str) -> None:
        """Check that the file of a value can be used. Raises InputError."""
        raise NotImplementedError


@dataclass(frozen=True)
class File(GivenFile):
    """A parameter of an agent in Python that is a file; the agent receives its path and opens `files.place_of(path)`.

    If no file is given, it receives "" and opens the shipped file itself. The digest of the file is part of the agent's
    identity; a given file travels with the agent to other machines.
    """

    description: str = ""
    requires: str = ""  # module that the agent imports and that may be missing
    extra: str = ""  # name of the optional dependencies of strozzi-sim that install this module
    shipped: Path | None = None
    suffixes = ()  # an agent in Python has no record

    def check(self, path: str) -> None:
        """Check that the given or shipped file and the required module are there."""
        file = self.file(path)
        if file is None or not os.path.isfile(file):  # `Path.is_file` raises for a name that is too long
            raise InputError(f"no file {short_repr(path)}")
        if self.requires and find_spec(self.requires) is None:
            raise InputError(f"needs {self.requires}; install it with: pip install 'strozzi-sim[{self.extra}]'")


@dataclass(frozen=True)
class Weights(GivenFile):
    """A parameter that is a file of networks (see `agent.weights`); its field is the address of their address table."""

    shipped: Path | None
    # inputs and outputs of a network by player count; or, for an agent of several games, a function (game, evaluates)
    # that returns them, where `evaluates` is True if the networks shall evaluate positions
    sizes: Sizes | Callable[[Game, bool], Sizes]
    description: str = ""

    def check(self, path: str) -> None:
        """Check the file, and its networks' sizes unless they depend on the game; `check_lineup` checks the rest."""
        self.networks(path)

    def networks(self, value: str, game: Game | None = None, evaluates: bool = False) -> tuple[Any, list[Any]]:
        """Return the addresses of the networks by player count, int64 (0: none), and the arrays at these addresses."""
        file, sizes = self.file(value), self.sizes
        if file is None:
            return np.zeros(MOST_PLAYERS + 1, np.int64), []
        if callable(sizes):
            sizes = {} if game is None else sizes(game, evaluates)
        modified = os.stat(file).st_mtime_ns if os.path.isfile(file) else 0
        return loaded(file, modified, tuple(sorted(sizes.items())))

"""Declaration of an agent: one function or class, its properties, and its parameters."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from strozzi_sim.agent.analysis import Analyse
from strozzi_sim.agent.files import check_named, place_of
from strozzi_sim.agent.python import kind_of
from strozzi_sim.agent.spec_text import strip_parentheses
from strozzi_sim.agent.weights import MOST_PLAYERS, Size, loaded
from strozzi_sim.errors import InputError, range_words, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.pointers import STOP_FIELD
from strozzi_sim.runtime.parsing import real_number, whole_number

EVERY_GAME = ("*",)
RECORDS = ("state", "rules", "params", "memory", "rng")  # arguments of a compiled agent
NONE = "none"  # no evaluator
Value = float | str
Sizes = Mapping[int, Size]
NO_MEMORY = np.dtype([("nothing", "u8")])

# -- parameters --------------------------------------------------------------------------------------------------------


class Parameter:
    """A parameter that an agent declares."""

    default: Any
    description: str
    more: ClassVar[tuple[str, ...]] = ()  # further fields KEY_NAME of the parameter record, each int64

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its fields in the parameter record."""
        return [(key, "i8"), *((f"{key}_{name}", "i8") for name in self.more)]

    def parse(self, key: str, value: str) -> Value:
        """Return the value that a spec string gives; an InputError begins with `key`. Policies are parsed by the registry."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        """Format the value for the canonical spec string."""
        return f"({value})" if set(value) & set(",:=") else str(value)


@dataclass(frozen=True)
class Param(Parameter):
    """A numeric parameter of an agent: its default and the range of its values, ends included.

    An int default makes an integer parameter, a float default a real one. With `samples` it is the number of samples behind
    a decision: with more than one, the agent counts as a search.
    """

    default: float
    low: float = -1e9
    high: float = 1e9
    description: str = ""
    samples: bool = False

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return its field: int64 or float64, as the default."""
        return [(key, "i8" if isinstance(self.default, int) else "f8")]

    def parse(self, key: str, value: str) -> float:
        """Parse a number in the range."""
        is_whole = isinstance(self.default, int)
        try:
            number = whole_number(value) if is_whole else real_number(value)
        except ValueError:
            kind = "a whole number" if is_whole else "a number"
            raise InputError(f"{key} must be {kind}, got {short_repr(value)}") from None
        if not self.low <= number <= self.high:
            raise InputError(f"{key} {range_words(self.low, self.high)}, got {number}")
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

    def parse(self, key: str, value: str) -> str:
        """Return one of the words."""
        if value not in self.options:
            raise InputError(f"{key}: got {short_repr(value)}; {suggest_names(value, self.options)}")
        return value


@dataclass(frozen=True)
class Policy(Parameter):
    """A parameter that is another compiled agent, by spec string (`rollout=(careful:margin=3)`).

    All seats share one memory of that agent; the calling agent zeroes it at each decision.
    """

    default: str
    description: str = ""
    # addresses of its function (0: `random`, which is inlined), its parameters and its memory, and the memory's size
    more: ClassVar[tuple[str, ...]] = ("params", "memory", "size")

    def __post_init__(self) -> None:
        """Strip enclosing parentheses of the default, as in a spec string."""
        object.__setattr__(self, "default", strip_parentheses(self.default))


@dataclass(frozen=True)
class Evaluator(Policy):
    """A parameter that is an agent that evaluates positions (see `agent.analysis`), or `none`."""

    default: str = NONE
    more = (*Policy.more, "worth")  # the function is its `evaluation` (0: none); address of the worth that it writes


@dataclass(frozen=True)
class Prior(Policy):
    """A parameter that is an agent whose actions are favoured, and which may have probabilities (see `agent.analysis`)."""

    # addresses of its `probabilities` function (0: none), and of the array that it writes
    more = (*Policy.more, "function", "probabilities")


class GivenFile(Parameter):
    """Base of parameters that are files: the path in a spec string, and the digest of the content."""

    shipped: Path | None  # the default; None: a spec string must name a file

    def checked_path(self, value: str) -> str:
        """Return the path in a spec string. Raises InputError if the user did not name the file."""
        path = strip_parentheses(value)
        if path:
            check_named(place_of(path))
        return path

    def file(self, value: str) -> Path | None:
        """Return the file of a value, or None without a file."""
        return place_of(value) if value else self.shipped

    def digest(self, value: str) -> str:
        """Return the SHA-256 of the file of a value."""
        file = self.file(value)
        return sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else ""


@dataclass(frozen=True)
class File(GivenFile):
    """A parameter of an agent in Python that is a file; the agent receives its path, see `files.place_of`.

    The digest of the file is part of the agent's identity, and it travels with the agent to other machines.
    """

    description: str = ""
    requires: str = ""  # module that the agent needs, which may be missing
    extra: str = ""  # the optional dependency of the package with which that module is installed
    shipped: Path | None = None
    default: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """Return no field: an agent in Python has no record."""
        return []

    def parse(self, key: str, value: str) -> str:
        """Return the path of a file that exists."""
        path = self.checked_path(value)
        if not place_of(path).is_file():
            raise InputError(f"{key}: no file {short_repr(path)}")
        if self.requires and find_spec(self.requires) is None:
            raise InputError(f"needs {self.requires}; install it with: pip install 'strozzi-sim[{self.extra}]'")
        return path


@dataclass(frozen=True)
class Weights(GivenFile):
    """A parameter that is a file of networks (see `agent.weights`); its field is the address of their addresses."""

    shipped: Path | None
    # inputs and outputs of a network by player count; or, for an agent of several games, a function (game, evaluates)
    # that returns them, where `evaluates` is whether the agent is to evaluate positions
    sizes: Sizes | Callable[[Game, bool], Sizes]
    description: str = ""
    default: str = ""

    def parse(self, key: str, value: str) -> str:
        """Return the path of a file with networks of these sizes."""
        path = self.checked_path(value)
        try:
            self.networks(path)
        except InputError as error:
            raise InputError(f"{key}: {error}") from None
        return path

    def networks(self, value: str, game: Game | None = None, evaluates: bool = False) -> tuple[Any, list[Any]]:
        """Return the addresses of the networks by player count (0: none), and the arrays that they point to."""
        file = self.file(value)
        if file is None:
            return np.zeros(MOST_PLAYERS + 1, np.int64), []
        sizes = self.sizes
        if callable(sizes):
            sizes = {} if game is None else sizes(game, evaluates)  # without a game sizes are not checked
        modified = file.stat().st_mtime_ns if file.is_file() else 0  # a changed file is read again
        return loaded(file, modified, tuple(sorted(sizes.items())))


# -- agents ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agent:
    """A declared agent."""

    name: str  # its name in spec strings
    games: tuple[str, ...]  # names of the games it plays, or ("*",)
    players: tuple[int, ...] | None  # player counts it plays, or None for all of the game
    stochastic: bool  # whether it uses its random stream
    params: Mapping[str, Parameter]  # its parameters by name
    # dtype of its memory record, or a function (params record values, game) -> dtype
    memory: np.dtype[Any] | Callable[[Mapping[str, Value], Game], np.dtype[Any]]
    function: Callable[..., Any]  # compiled agent: the function; Python agent: the class, or an object with `act_batch`
    description: str = ""  # the first line of its docstring
    kind: str = "compiled"  # "compiled", "act" or "batch"
    # function that reads the analysis of its actions from its memory (see `analysis`), or None
    analyse: Analyse | None = None
    # other files that determine its behaviour, such as weights, relative to the file that declares it
    files: Sequence[str] = ()
    blind: bool = False  # whether it reads only the legal actions from the state
    # whether the last field of its memory is an array of variable length: the code does not depend on the length, and
    # is compiled once for all lengths
    any_length: bool = False
    # function of a compiled agent with the same arguments that writes the worth of a position to every seat into
    # `memory.worth` (see `agent.analysis`) and returns 0, or None
    evaluation: Callable[..., Any] | None = None
    # function of a compiled agent with the same arguments that writes the probability of every legal action into
    # `memory.probabilities` (see `agent.analysis`) and returns 0, or None
    probabilities: Callable[..., Any] | None = None
    # by player count: mean points that each level, from 0 on, loses per decision in self-play, as judged by this agent
    error_rates: Mapping[int, Sequence[float]] = field(default_factory=dict)
    replaces: bool = False  # whether it is a Python agent that replaces illegal answers, which are counted
    spec_of: ClassVar[Any]  # set by the registry, which knows spec strings and looks declared agents up

    def __post_init__(self) -> None:
        """Check the name, `files`, and the function and memory of a compiled agent."""
        if "@" in self.name:
            raise InputError(f"agent {short_repr(self.name)}: '@' is not allowed in a name; list the games in `games`")
        if self.kind == "compiled":
            for function in (self.function, self.evaluation, self.probabilities):
                if function is not None:
                    check_compiled(self.name, function, self.memory)
        if isinstance(self.files, str) or not all(isinstance(file, str) for file in self.files):
            raise InputError(f"agent {self.name}: files must be a list of file names, got {self.files!r}")

    def __call__(self, **values: Any) -> Any:
        """Return the agent with these values of its parameters, as an `AgentSpec`. Raises InputError as a spec string does."""
        return self.spec_of(self)(**values)

    @cached_property
    def params_dtype(self) -> np.dtype[Any]:
        """The dtype of its parameter record, which ends with the address of `stop` (see `kernel.pointers`)."""
        fields = [entry for name, param in self.params.items() for entry in param.fields(name)]
        return np.dtype([*fields, (STOP_FIELD, "i8")], align=True)

    def plays(self, game: Game, players: int) -> bool:
        """Return whether it can play this game with this number of players."""
        return self.plays_in(game) and (self.players is None or players in self.players)

    def plays_in(self, game: str | Game) -> bool:
        """Return whether it is declared for this game."""
        return self.games == EVERY_GAME or (game if isinstance(game, str) else game.name) in self.games


def compiled_agent(
    name: str,
    games: tuple[str, ...] = EVERY_GAME,
    *,
    players: tuple[int, ...] | None = None,
    stochastic: bool = False,
    memory: Any = NO_MEMORY,
    analyse: Analyse | None = None,
    files: Sequence[str] = (),
    blind: bool = False,
    any_length: bool = False,
    evaluation: Callable[..., Any] | None = None,
    probabilities: Callable[..., Any] | None = None,
    **params: Any,
) -> Callable[[Callable[..., Any]], Agent]:
    """Declare the decorated function as a compiled agent.

    Args:
        name: its name in spec strings.
        games: games that it plays; default: every game.
        players: player counts that it plays; default: all of the game.
        stochastic: whether it uses its random stream.
        memory: dtype of its memory record, or a function of (values of the parameters, game) that returns it.
        analyse: returns the analysis of its actions; see `strozzi_sim.agent.analysis`.
        files: further files that determine its behaviour, beside the file that declares it; if one changes, a study does not resume.
        blind: it reads only the legal actions from the state (`count_legal`, `kth_legal`, `is_legal`). If built in, it receives the
            state itself even if this contains hidden information; `strozzi leak-check` also queries it on the concealed state.
        any_length: the last field of `memory` is an array whose length the code ignores, so it is compiled once for all lengths.
        evaluation: function with the same arguments that writes the worth of a position into `memory.worth`; see `agent.analysis`.
        probabilities: function with the same arguments that writes those of the legal actions into `memory.probabilities`, for
            searches with `prior=`.
        params: its parameters by name: Param, Choice, Policy, Evaluator, Prior, Weights; a bare number is a Param with that default.

    Raises:
        InputError: a default is not a number or is outside its range, or `files` is not a list of names.
    """
    parameters = _declared_params(name, params)

    def declare(function: Callable[..., Any]) -> Agent:
        return Agent(
            name, games, players, stochastic, parameters, memory, function, _description(function), analyse=analyse, files=files,
            blind=blind, any_length=any_length, evaluation=evaluation, probabilities=probabilities,
        )  # fmt: skip

    return declare


def python_agent(
    name: str,
    games: tuple[str, ...] = EVERY_GAME,
    *,
    players: tuple[int, ...] | None = None,
    stochastic: bool = False,
    files: Sequence[str] = (),
    replaces: bool = False,
    **params: Any,
) -> Callable[[Any], Agent]:
    """Declare the decorated class as an agent in Python; it is instantiated with its parameters as keyword arguments.

    See `strozzi_sim.agent.python` for its method, `act` or `act_batch`. An object with `act_batch` is also accepted.
    `files`, next to the file that declares it, also determine its behaviour, such as weights: if one changes, a study
    does not resume. An agent that queries a program or a language model, and replaces an illegal answer by a choice of
    its own, returns `Replacement(action)` from `act` and is declared with `replaces`: the table `answers` of a study has
    the share of its illegal answers.

    Raises:
        InputError: neither method, a default is not a number or is outside its range, `files` is not a list of names, or
            `replaces` without a method act.
    """
    parameters = _declared_params(name, params)

    def declare(player: Any) -> Agent:
        kind = kind_of(player)
        if kind is None:
            raise InputError(f"agent {name}: expected a class with a method act or act_batch, got {player!r}")
        if replaces and kind != "act":
            raise InputError(f"agent {name}: replaces: only an agent with a method act can replace answers")
        _check_init(name, player, parameters)
        return Agent(
            name, games, players, stochastic, parameters, NO_MEMORY, player, _description(player), kind=kind, files=files,
            replaces=replaces,
        )  # fmt: skip

    return declare


def _check_init(name: str, player: Any, declared: Mapping[str, Parameter]) -> None:
    """Check that an agent's class can be instantiated with the declared parameters."""
    if not isinstance(player, type):
        return
    try:
        signature = inspect.signature(player)
    except (TypeError, ValueError):  # compiled classes have no signature
        return
    try:
        signature.bind(**declared)
    except TypeError as error:  # such as: missing a required argument: 'depth'
        names = ", ".join(declared) or "none"
        raise InputError(
            f"agent {name}: __init__ does not fit the declared parameters ({names}): {error}; the decorator "
            "declares KEY=DEFAULT for each of its arguments, and no others"
        ) from None


def check_compiled(name: str, function: Any, memory: Any) -> None:
    """Check that a compiled agent's function takes the five records, and that its memory is a record."""
    arguments = tuple(inspect.signature(function).parameters.values())
    if len(arguments) != len(RECORDS) or any(
        argument.kind is not argument.POSITIONAL_OR_KEYWORD for argument in arguments
    ):
        listed = ", ".join(map(str, arguments))
        raise InputError(f"agent {name}: expected a function of ({', '.join(RECORDS)}), got ({listed})")
    is_record = isinstance(memory, np.dtype) and memory.names is not None
    if not is_record and not callable(memory):
        raise InputError(
            f"agent {name}: memory: expected a dtype with named fields, or a function (values, game) that returns one, "
            f"got {memory!r}"
        )


def _description(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


def _declared_params(name: str, params: Mapping[str, Any]) -> Mapping[str, Parameter]:
    """Return the parameters by name, a bare number as a Param. Raises InputError for an invalid default."""
    parameters = {key: value if isinstance(value, Parameter) else Param(value) for key, value in params.items()}
    for key, param in parameters.items():
        if not isinstance(param, Param):
            continue
        if isinstance(param.default, bool) or not isinstance(param.default, (int, float)):
            raise InputError(f"agent {name}: parameter {key}: the default must be a number, got {param.default!r}")
        if not param.low <= param.default <= param.high:
            raise InputError(
                f"agent {name}: parameter {key}: default {param.default} outside {param.low} to {param.high}"
            )
    return MappingProxyType(parameters)

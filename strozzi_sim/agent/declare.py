"""Declaration of an agent: one function or class, its properties, and its parameters."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from strozzi_sim.agent.analysis import Analyse
from strozzi_sim.agent.parameters import Choice, Param, Parameter, Value
from strozzi_sim.agent.python import kind_of
from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.pointers import STOP_FIELD

EVERY_GAME = ("*",)
RECORDS = ("state", "rules", "params", "memory", "rng")  # arguments of a compiled agent
NO_MEMORY = np.dtype([("nothing", "u8")])

Memory = np.dtype[Any] | Callable[[Mapping[str, Value], Game], np.dtype[Any]]


@dataclass(frozen=True)
class Agent:
    """A declared agent; `compiled_agent` and `python_agent` explain the fields."""

    name: str
    function: Callable[..., Any]  # compiled agent: the function; Python agent: the class, or an object with `act_batch`
    games: tuple[str, ...] = EVERY_GAME
    players: tuple[int, ...] | None = None
    stochastic: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)  # each a Parameter; a bare number becomes a Param
    kind: str = "compiled"  # "compiled", "act" or "batch"
    files: Sequence[str] = ()
    memory: Memory = NO_MEMORY
    analyse: Analyse | None = None
    evaluation: Callable[..., Any] | None = None
    probabilities: Callable[..., Any] | None = None
    blind: bool = False
    any_length: bool = False
    replaces: bool = False
    description: str = ""  # default: the first line of the docstring
    # by player count: points lost per choice in self-play at each strength `level`, from 0 on, as judged by this agent
    error_rates: Mapping[int, Sequence[float]] = field(default_factory=dict)
    spec_of: ClassVar[Any]  # set by the registry, which this module cannot import

    def __post_init__(self) -> None:
        if "@" in self.name:
            raise InputError(f"agent {short_repr(self.name)}: '@' is not allowed in a name; list the games in `games`")
        for field_name, entries in (("games", "names"), ("files", "file names")):
            names = getattr(self, field_name)
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise InputError(f"agent {self.name}: {field_name} must be a list of {entries}, got {names!r}")
        if isinstance(self.players, int):
            raise InputError(f"agent {self.name}: players must be a list of player counts, got {self.players}")
        object.__setattr__(self, "games", tuple(self.games))
        params = {key: each if isinstance(each, Parameter) else Param(each) for key, each in self.params.items()}
        for key, param in params.items():
            if isinstance(param, Param | Choice):
                _check_default(f"agent {self.name}: parameter {key}", param)
        object.__setattr__(self, "params", MappingProxyType(params))
        if not self.description:
            object.__setattr__(self, "description", (self.function.__doc__ or "").strip().split("\n")[0])
        if self.kind == "compiled":
            for function in filter(None, (self.function, self.evaluation, self.probabilities)):
                _check_records(self.name, function)
            if not callable(self.memory) and not (isinstance(self.memory, np.dtype) and self.memory.names):
                expected = "expected a dtype with named fields, or a function (values, game) that returns one"
                raise InputError(f"agent {self.name}: memory: {expected}, got {self.memory!r}")
        elif isinstance(self.function, type):
            _check_init(self.name, self.function, params)

    def __call__(self, **values: Any) -> Any:
        """Return the `AgentSpec` with these values of its parameters. Raises InputError, as a spec string does."""
        return self.spec_of(self)(**values)

    @cached_property
    def params_dtype(self) -> np.dtype[Any]:
        """The dtype of its parameter record, whose last field is STOP_FIELD (see `kernel.pointers`)."""
        fields = [entry for name, param in self.params.items() for entry in param.fields(name)]
        return np.dtype([*fields, (STOP_FIELD, "i8")], align=True)

    def plays(self, game: Game, players: int) -> bool:
        """Return whether it can play this game with this number of players."""
        return self.plays_in(game) and (self.players is None or players in self.players)

    def plays_in(self, game: str | Game) -> bool:
        """Return whether it is declared for this game."""
        return self.games == EVERY_GAME or (game if isinstance(game, str) else game.name) in self.games


def _check_default(what: str, param: Param | Choice) -> None:
    if isinstance(param, Choice):
        if param.default not in param.options:
            raise InputError(f"{what}: default {param.default!r} is not one of {', '.join(param.options)}")
        return
    if isinstance(param.default, bool) or not isinstance(param.default, (int, float)):
        raise InputError(f"{what}: the default must be a number, got {param.default!r}")
    if not param.low <= param.default <= param.high:
        raise InputError(f"{what}: default {param.default} outside {param.low} to {param.high}")


def _check_records(name: str, function: Callable[..., Any]) -> None:
    arguments = list(inspect.signature(function).parameters.values())
    if [argument.kind for argument in arguments] != [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(RECORDS):
        listed = ", ".join(map(str, arguments))
        raise InputError(f"agent {name}: expected a function of ({', '.join(RECORDS)}), got ({listed})")


def _check_init(name: str, agent_class: type, declared: Mapping[str, Parameter]) -> None:
    try:
        signature = inspect.signature(agent_class)
    except (TypeError, ValueError):  # compiled classes have no signature
        return
    try:
        signature.bind(**declared)
    except TypeError as error:  # such as: missing a required argument: 'depth'
        fault = f"__init__ does not fit the declared parameters ({', '.join(declared) or 'none'}): {error}"
        advice = "the decorator declares KEY=DEFAULT for each of its arguments, and no others"
        raise InputError(f"agent {name}: {fault}; {advice}") from None


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
        players: player counts that it plays; default: all player counts.
        stochastic: whether it uses its random stream.
        memory: dtype of its memory record, or a function of (values of the parameters, game) that returns it.
        analyse: returns the analysis of its actions; see `strozzi_sim.agent.analysis`.
        files: further files that determine its behaviour, in the folder of the file that declares it; if one changes,
            a study does not resume.
        blind: it reads only the legal actions from the state (`count_legal`, `kth_legal`, `is_legal`). If built in, it
            receives the full state even with hidden information; `strozzi leak-check` compares its choices with those
            in the concealed state.
        any_length: the last field of `memory`, a dtype with align=True, is an array with one axis; the code is compiled
            once, for every length of it.
        evaluation: function of the same arguments that writes a position's worth to `memory.worth` (`agent.analysis`).
        probabilities: function of the same arguments that writes the probability of every legal action to
            `memory.probabilities`, for searches with `prior=`.
        params: its parameters by name: Param, Choice, Policy, Evaluator, Prior, Weights; or the default of a Param.
    """
    return lambda function: Agent(
        name,
        function,
        games,
        players,
        stochastic,
        params,
        files=files,
        memory=memory,
        analyse=analyse,
        evaluation=evaluation,
        probabilities=probabilities,
        blind=blind,
        any_length=any_length,
    )


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
    `files` are further files that determine its behaviour, such as weights, in the folder of the file that declares it:
    if one changes, a study does not resume. An agent that queries a program or a language model may replace an illegal
    answer by its own choice. It then returns `Replacement(action)` from `act` and is declared with `replaces`, and the
    table `answers` of a study has the share of illegal answers.
    """

    def declare(agent_class: Any) -> Agent:
        kind = kind_of(agent_class)
        if kind is None:
            raise InputError(f"agent {name}: expected a class with a method act or act_batch, got {agent_class!r}")
        if replaces and kind != "act":
            raise InputError(f"agent {name}: replaces: only an agent with a method act can replace answers")
        return Agent(name, agent_class, games, players, stochastic, params, kind, files, replaces=replaces)

    return declare

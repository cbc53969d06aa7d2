"""Declaration of an agent: one function or class, with its properties."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from strozzi_sim.agent.analysis import Analyse
from strozzi_sim.agent.parameters import Param, Parameter, Value
from strozzi_sim.agent.python import kind_of
from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.stopping import STOP_FIELD

EVERY_GAME = ("*",)
RECORDS = ("state", "rules", "params", "memory", "rng")  # arguments of a compiled agent
_NOTHING = np.dtype([("nothing", "u8")])


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
    # `memory.worth` (see `agent.worth`) and returns 0, or None
    evaluation: Callable[..., Any] | None = None
    # function of a compiled agent with the same arguments that writes the probability of every legal action into
    # `memory.probabilities` (see `agent.worth`) and returns 0, or None
    probabilities: Callable[..., Any] | None = None
    # mean loss of each level per decision that is a choice, in self-play, in points, by player count; judged by this
    # agent; levels from 0 on
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

    @property
    def params_dtype(self) -> np.dtype[Any]:
        """The dtype of its parameter record, which ends with the address of `stop` (see `kernel.stopping`)."""
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
    memory: Any = _NOTHING,
    analyse: Analyse | None = None,
    files: Sequence[str] = (),
    blind: bool = False,
    any_length: bool = False,
    evaluation: Callable[..., Any] | None = None,
    probabilities: Callable[..., Any] | None = None,
    **params: Any,
) -> Callable[[Callable[..., Any]], Agent]:
    """Declare the function below as a compiled agent; keyword arguments are its parameters (Param, Choice, Policy, Weights).

    A bare number is a Param with that default. `analyse` returns the analysis of its actions; see
    `strozzi_sim.agent.analysis`. `files`, next to the file that declares it, also determine its behaviour: if one
    changes, a study does not resume. A `blind` agent reads only the legal actions from the state (`count_legal`,
    `kth_legal`, `is_legal`). If built in, it receives the state itself even if this contains hidden information;
    `strozzi leak-check` also queries it on the concealed state. With `any_length` the last field of `memory`, which
    depends on parameters, is an array. The code ignores its length, so it is compiled once for all parameters.
    `evaluation`, a function with the same arguments, writes the worth of a position into `memory.worth`; see `agent.worth`.
    `probabilities`, with the same arguments too, writes those of the legal actions into `memory.probabilities`, for searches with `prior=`.

    Raises:
        InputError: a default is not a number or is outside its range, or `files` is not a list of names.
    """
    declared = _declared(name, params)

    def declare(function: Callable[..., Any]) -> Agent:
        return Agent(
            name, games, players, stochastic, declared, memory, function, _about(function), "compiled", analyse, files, blind,
            any_length, evaluation, probabilities,
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
    """Declare the class below as an agent in Python; it is instantiated with its parameters as keyword arguments.

    See `strozzi_sim.agent.python` for its method, `act` or `act_batch`. An object with `act_batch` is also accepted.
    `files`, next to the file that declares it, also determine its behaviour, such as weights: if one changes, a study
    does not resume. An agent that asks something else, such as a program or a language model, and then chooses for it,
    because the answer is illegal, returns `Replacement(action)` from `act` and is declared with `replaces`: the
    table `answers` of a study has the share of its illegal answers.

    Raises:
        InputError: neither method, a default is not a number or is outside its range, `files` is not a list of names, or
            `replaces` without a method act.
    """
    declared = _declared(name, params)

    def declare(player: Any) -> Agent:
        kind = kind_of(player)
        if kind is None:
            raise InputError(f"agent {name}: expected a class with a method act or act_batch, got {player!r}")
        if replaces and kind != "act":
            raise InputError(f"agent {name}: replaces: only an agent with a method act can replace answers")
        _check_init(name, player, declared)
        return Agent(
            name, games, players, stochastic, declared, _NOTHING, player, _about(player), kind, None, files, replaces=replaces
        )  # fmt: skip

    return declare


def _check_init(name: str, player: Any, declared: Mapping[str, Parameter]) -> None:
    """Check that an agent's class can be instantiated with the declared parameters."""
    init: Any = getattr(player, "__init__") if isinstance(player, type) else None  # noqa: B009 - of the class, for mypy
    if init is None or init is object.__init__:
        takes: dict[str, inspect.Parameter] = {}
    else:
        try:
            takes = dict(list(inspect.signature(init).parameters.items())[1:])  # without self
        except (TypeError, ValueError):  # of compiled classes, which have no signature
            return
    kinds = inspect.Parameter
    named = (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    for key, taken in takes.items():
        missing = taken.default is kinds.empty and taken.kind in (*named, kinds.POSITIONAL_ONLY)
        if missing and (key not in declared or taken.kind not in named):
            raise InputError(
                f"agent {name}: __init__ needs {key!r}, which is not declared; add {key}=DEFAULT to the decorator"
            )
    if isinstance(player, type) and not any(taken.kind is kinds.VAR_KEYWORD for taken in takes.values()):
        for key in declared:
            if key not in takes or takes[key].kind not in named:
                raise InputError(f"agent {name}: parameter {key!r} is declared, but __init__ does not take it")


def check_compiled(name: str, function: Any, memory: Any) -> None:
    """Check that a compiled agent's function takes the five records, and that its memory is a record."""
    takes = tuple(inspect.signature(function).parameters.values())
    if len(takes) != len(RECORDS) or any(argument.kind is not argument.POSITIONAL_OR_KEYWORD for argument in takes):
        got = ", ".join(map(str, takes))
        raise InputError(f"agent {name}: expected a function of ({', '.join(RECORDS)}), got ({got})")
    if not (isinstance(memory, np.dtype) and memory.names) and (isinstance(memory, np.dtype) or not callable(memory)):
        raise InputError(
            f"agent {name}: memory: expected a dtype with named fields, or a function (values, game) that returns one, "
            f"got {memory!r}"
        )


def _about(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


def _declared(name: str, params: Mapping[str, Any]) -> Mapping[str, Parameter]:
    declared = {key: value if isinstance(value, Parameter) else Param(value) for key, value in params.items()}
    for key, param in declared.items():
        if not isinstance(param, Param):
            continue
        if isinstance(param.default, bool) or not isinstance(param.default, (int, float)):
            raise InputError(f"agent {name}: parameter {key}: the default must be a number, got {param.default!r}")
        if not param.low <= param.default <= param.high:
            raise InputError(
                f"agent {name}: parameter {key}: default {param.default} outside {param.low} to {param.high}"
            )
    return MappingProxyType(declared)

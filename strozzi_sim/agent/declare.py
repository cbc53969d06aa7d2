"""Declaring an agent: one function, or a class, plus a few facts."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from strozzi_sim.agent.analysis import Analyse
from strozzi_sim.agent.parameters import Param, Parameter, Value
from strozzi_sim.agent.python import kind_of
from strozzi_sim.errors import InputError, shown
from strozzi_sim.game.contract import Game

EVERY_GAME = ("*",)
RECORDS = ("state", "rules", "params", "memory", "rng")  # what a compiled agent is called with
_NOTHING = np.dtype([("nothing", "u8")])


@dataclass(frozen=True)
class Agent:
    """A declared agent.

    Attributes:
        name: its name in spec strings.
        games: names of the games it plays, or ("*",).
        players: player counts it plays, or None for all of the game.
        stochastic: whether it uses its random stream.
        params: its parameters by name.
        memory: dtype of its memory record, or a function (params record values, game) -> dtype.
        function: the agent itself; of a Python agent the class, or an object with `act_batch`.
        about: the first line of its docstring.
        kind: "compiled", "act" or "batch".
        analyse: a function that reads from its memory what it thinks of its actions (see `analysis`), or None.
        files: what else decides what it does, such as weights, beside the file that declares it.
        blind: whether it asks which actions are legal, and nothing else of the state.
        any_length: whether the last field of its memory is an array whose length is data: its code does not ask for the
            length, and is compiled once for all lengths.
    """

    name: str
    games: tuple[str, ...]
    players: tuple[int, ...] | None
    stochastic: bool
    params: Mapping[str, Parameter]
    memory: np.dtype[Any] | Callable[[Mapping[str, Value], Game], np.dtype[Any]]
    function: Callable[..., Any]
    about: str = ""
    kind: str = "compiled"
    analyse: Analyse | None = None
    files: Sequence[str] = ()
    blind: bool = False
    any_length: bool = False

    def __post_init__(self) -> None:
        """Check `files`, and that the function and the memory of a compiled agent can be used.

        Raises:
            InputError: a name with @; `files` must be a list of file names; a function or memory is not usable.
        """
        if "@" in self.name:
            raise InputError(f"agent {shown(self.name)}: a name has no @; `games` says what it plays")
        if self.kind == "compiled":
            check_compiled(self.name, self.function, self.memory)
        if isinstance(self.files, str) or not all(isinstance(file, str) for file in self.files):
            raise InputError(f"agent {self.name}: files must be a list of file names, got {self.files!r}")

    @property
    def params_dtype(self) -> np.dtype[Any]:
        """The dtype of its parameter record."""
        fields = [entry for name, param in self.params.items() for entry in param.fields(name)]
        return np.dtype(fields, align=True) if fields else _NOTHING

    def plays(self, game: Game, players: int) -> bool:
        """Whether it can play this game with that number of players."""
        return self.plays_in(game) and (self.players is None or players in self.players)

    def plays_in(self, game: str | Game) -> bool:
        """Whether it is declared for this game."""
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
    **params: Any,
) -> Callable[[Callable[..., Any]], Agent]:
    """Declare the function below as a compiled agent; keyword arguments are its parameters (Param, Choice, Policy).

    A bare number is a Param with that default. `analyse` says what it thinks of its actions; see `strozzi_sim.agent.analysis`.
    `files` beside the one that declares it decide what it does, too: if one changes, a study does not resume.
    A `blind` agent asks which actions are legal (`count_legal`, `kth_legal`, `is_legal`) and nothing else of the state. One of the
    package is handed the state itself even where it holds secrets; `strozzi leak-check` asks it about what its seat knows, too.
    With `any_length` the last field of `memory`, which depends on parameters, is an array whose length the code does not ask for:
    so it is compiled once, whatever the parameters.

    Raises:
        InputError: a default is not a number or is outside its range, or `files` is not a list of names.
    """
    declared = _declared(name, params)

    def declare(function: Callable[..., Any]) -> Agent:
        about = _about(function)
        return Agent(
            name,
            games,
            players,
            stochastic,
            declared,
            memory,
            function,
            about,
            "compiled",
            analyse,
            files,
            blind,
            any_length,
        )

    return declare


def python_agent(
    name: str,
    games: tuple[str, ...] = EVERY_GAME,
    *,
    players: tuple[int, ...] | None = None,
    stochastic: bool = False,
    files: Sequence[str] = (),
    **params: Any,
) -> Callable[[Any], Agent]:
    """Declare the class below as an agent in Python; it is made with its parameters as keyword arguments.

    See `strozzi_sim.agent.python` for its method, `act` or `act_batch`. An object with `act_batch` serves as well.
    `files` beside the one that declares it decide what it does, such as weights: if one changes, a study does not resume.

    Raises:
        InputError: neither method, a default is not a number or is outside its range, or `files` is not a list of names.
    """
    declared = _declared(name, params)

    def declare(player: Any) -> Agent:
        kind = kind_of(player)
        if kind is None:
            raise InputError(f"agent {name}: expected a class with a method act or act_batch, got {player!r}")
        return Agent(name, games, players, stochastic, declared, _NOTHING, player, _about(player), kind, None, files)

    return declare


def check_compiled(name: str, function: Any, memory: Any) -> None:
    """Refuse a compiled agent's function that does not take the five records, and a memory that is not a record.

    Raises:
        InputError: says what is expected.
    """
    takes = tuple(inspect.signature(function).parameters.values())
    if len(takes) != len(RECORDS) or any(argument.kind is not argument.POSITIONAL_OR_KEYWORD for argument in takes):
        got = ", ".join(map(str, takes))
        raise InputError(f"agent {name}: expected a function of ({', '.join(RECORDS)}), got ({got})")
    if not (isinstance(memory, np.dtype) and memory.names) and (isinstance(memory, np.dtype) or not callable(memory)):
        raise InputError(
            f"agent {name}: memory: expected a dtype with named fields, or a function (values, game) that gives one, "
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

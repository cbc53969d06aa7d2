"""The agent contract: declaring an agent, naming it by a spec string, finding it, and compiling it for a game.

An agent is one function plus a few facts. A compiled one is called as `function(state, rules, params, memory, random)`,
five records, and returns an action (int64):

- state, rules : the game's records (its state.py); the state is what the agent's seat may know
- params : the agent's own record, one field per declared parameter (float64 or int64; see Param, Choice, Policy)
- memory : a record of the dtype it declares, one per seat and thread, zeroed at the start of each game; a field
  `playouts` (int64) is for counting simulated games: it and the fields after it are kept from game to game
- random : its own stream; see `kernel.streams.random_below`

A spec string is an agent's identity everywhere: `NAME[:KEY=VALUE{,KEY=VALUE}]`, for instance `greedy:margin=4`. A value
that contains a comma or colon stands in parentheses. `path/to/bots.py::careful:margin=3` takes one from a file.
"""

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.games.contract import Game

GROUP = "strozzi_sim.agents"
EVERY_GAME = ("*",)
_NOTHING = np.dtype([("nothing", "u8")])


@dataclass(frozen=True)
class Param:
    """A parameter of an agent: its default and the range of values it may take, ends included.

    An int default makes an integer parameter, a float default a real one.
    """

    default: float
    low: float = -1e9
    high: float = 1e9
    about: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8" if isinstance(self.default, int) else "f8")]

    def read(self, text: str, key: str, value: str) -> float:
        """The value in a spec string; `text` is the whole of it, for errors."""
        kind: type = int if isinstance(self.default, int) else float
        try:
            number = kind(value)
        except ValueError:
            kind_name = "a whole number" if kind is int else "a number"
            raise InputError(f"agent {text!r}: {key} must be {kind_name}, got {value!r}") from None
        if not self.low <= number <= self.high:
            raise InputError(f"agent {text!r}: {key} must lie between {self.low:g} and {self.high:g}, got {value}")
        return float(number) if kind is float else number

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; its field holds the number of the word in `options`."""

    default: str
    options: tuple[str, ...]
    about: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8")]

    def read(self, text: str, key: str, value: str) -> str:
        """The value in a spec string; `text` is the whole of it, for errors."""
        if value not in self.options:
            raise InputError(f"agent {text!r}: {key} must be one of {', '.join(self.options)}, got {value!r}")
        return value

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return str(value)


@dataclass(frozen=True)
class Policy:
    """A parameter that is another compiled agent, by spec string (`rollout=(greedy:margin=3)`).

    Its fields: the address of that agent's function (0 = `random`, quicker in place than called), of its parameters, of
    its memory, and the memory's size. It is one memory for all seats: who calls it zeroes it at each decision of his own.
    """

    default: str
    about: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8"), (f"{key}_params", "i8"), (f"{key}_memory", "i8"), (f"{key}_size", "i8")]

    def read(self, text: str, key: str, value: str) -> str:
        """The value in a spec string, in canonical form."""
        inner = value[1:-1] if value.startswith("(") and value.endswith(")") else value
        spec = load_agent(inner)
        if spec.agent.kind != "compiled" or not isinstance(spec.agent.memory, np.dtype):
            raise InputError(f"agent {text!r}: {key} must be a compiled agent that does not search, got {inner!r}")
        return spec.text

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return f"({value})" if set(value) & set(",:=") else str(value)


Parameter = Param | Choice | Policy
Value = float | str


@dataclass(frozen=True)
class Agent:
    """A declared agent.

    Attributes:
        name: how it is called in spec strings.
        games: names of the games it plays, or ("*",).
        players: player counts it plays, or None for all of the game.
        stochastic: whether it uses its random stream.
        params: its parameters by name.
        memory: dtype of its memory record, or a function (params record values, game) -> dtype.
        function: the agent itself.
        about: the first line of its docstring.
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

    @property
    def params_dtype(self) -> np.dtype[Any]:
        """The dtype of its parameter record."""
        fields = [entry for name, param in self.params.items() for entry in param.fields(name)]
        return np.dtype(fields, align=True) if fields else _NOTHING

    def plays(self, game: Game, players: int) -> bool:
        """Whether it can sit in this game with so many players."""
        return (self.games == EVERY_GAME or game.name in self.games) and (
            self.players is None or players in self.players
        )


def compiled_agent(
    name: str,
    games: tuple[str, ...] = EVERY_GAME,
    *,
    players: tuple[int, ...] | None = None,
    stochastic: bool = False,
    memory: Any = _NOTHING,
    **params: Any,
) -> Callable[[Callable[..., Any]], Agent]:
    """Declare the function below as a compiled agent; keyword arguments are its parameters (Param, Choice, Policy).

    A bare number is a Param with that default.

    Raises:
        InputError: a default that is no number or lies outside its range.
    """
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

    def declare(function: Callable[..., Any]) -> Agent:
        about = (function.__doc__ or "").strip().split("\n")[0]
        return Agent(name, games, players, stochastic, MappingProxyType(declared), memory, function, about)

    return declare


@dataclass(frozen=True)
class AgentSpec:
    """An agent with values for its parameters.

    Attributes:
        text: the canonical spec string: only parameters that differ from the default, in alphabetical order.
        agent: the agent.
        values: every parameter's value.
    """

    text: str
    agent: Agent = field(compare=False)
    values: Mapping[str, Value] = field(compare=False)

    def __reduce__(self) -> Any:
        """Workers get agents by name: addresses belong to a process."""
        return load_agent, (self.text,)

    @property
    def builtin(self) -> bool:
        """Whether it comes with the package, and so is trusted with the state itself."""
        return self.agent.function.__module__.split(".")[0] == "strozzi_agents"

    @property
    def file_digest(self) -> str | None:
        """SHA-256 of the file it and its policies were loaded from, or None: part of what decides a study's results."""
        file = _split_file(self.text)[0]
        policies = [str(self.values[key]) for key, param in self.agent.params.items() if isinstance(param, Policy)]
        digests = [digest for policy in policies if (digest := load_agent(policy).file_digest)]
        own = sha256(Path(file).read_bytes()).hexdigest() if file else ""
        return sha256("".join([own, *digests]).encode()).hexdigest() if digests else own or None


# -- spec strings ----------------------------------------------------------------------------------------------------


def split_specs(text: str) -> list[str]:
    """The spec strings of a comma-separated list.

    Commas in parentheses do not separate; a piece with `=` but no `:` before it belongs to the agent before it.
    """
    specs: list[str] = []
    for piece in _split(text, ","):
        head = piece.split("=", 1)[0]
        if specs and "=" in piece and ":" not in head.split("(", 1)[0]:
            specs[-1] += "," + piece
        else:
            specs.append(piece)
    if any(not spec.strip() for spec in specs):
        raise InputError(f"agents {text!r}: an empty name between commas")
    return [spec.strip() for spec in specs]


def _split(text: str, separator: str) -> list[str]:
    """`text` cut at every `separator` that is not in parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    if depth != 0:
        raise InputError(f"agent {text!r}: parentheses do not match")
    return pieces


def _split_file(text: str) -> tuple[str, str]:
    """(file or "", the rest) of a spec string."""
    before, bracket, inside = text.partition("(")
    file, _, rest = before.rpartition("::")
    return file, rest + bracket + inside


def load_agent(text: str) -> AgentSpec:
    """The agent that a spec string names.

    Raises:
        InputError: unknown agent or parameter (the known ones are listed), or a value out of its range.
        AgentFault: an agent's file that does not import.
    """
    file, rest = _split_file(text)
    name, colon, settings = rest.partition(":")
    agent = _from_file(file, name) if file else _registered(name)
    source = f"{file}::{name}" if file else name
    values: dict[str, Value] = {key: param.default for key, param in agent.params.items()}
    given: set[str] = set()
    for piece in _split(settings, ",") if colon else []:
        key, equals, value = piece.partition("=")
        key = key.strip()
        if not equals:
            raise InputError(f"agent {text!r}: expected KEY=VALUE after the colon, got {piece!r}")
        if key not in agent.params:
            known = ", ".join(agent.params) or "it has none"
            raise InputError(f"agent {text!r}: {source} has no parameter {key!r}; known: {known}")
        if key in given:
            raise InputError(f"agent {text!r}: parameter {key!r} is given twice")
        given.add(key)
        values[key] = agent.params[key].read(text, key, value.strip())
    changed = [
        f"{key}={agent.params[key].write(values[key])}"
        for key in sorted(values)
        if values[key] != agent.params[key].default
    ]
    return AgentSpec(f"{source}:{','.join(changed)}" if changed else source, agent, MappingProxyType(values))


# -- finding agents --------------------------------------------------------------------------------------------------


@cache
def _entry_points() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        other = found.get(point.name)
        if other is not None and other.value != point.value:
            packages = " and ".join(str(p.dist.name if p.dist else p.value) for p in (other, point))
            raise InputError(f"agent name {point.name!r} is claimed by two packages: {packages}; remove one of them")
        found[point.name] = point
    return found


def agent_names() -> list[str]:
    """The names of all installed agents, in alphabetical order."""
    return sorted(_entry_points())


@cache
def _registered(name: str) -> Agent:
    points = _entry_points()
    if name not in points:
        raise InputError(f"unknown agent {name!r}; known: {', '.join(sorted(points)) or 'none is installed'}")
    agent = points[name].load()
    if not isinstance(agent, Agent) or agent.name != name:
        raise InputError(f"agent {name!r}: {points[name].value} is not an agent of that name")
    return agent


@cache
def _from_file(file: str, name: str) -> Agent:
    path = Path(file)
    if not path.is_file():
        raise InputError(f"agent {file}::{name}: there is no file {file!r}")
    module_name = f"strozzi_agent_file_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    specification = importlib.util.spec_from_file_location(module_name, path)
    if specification is None or specification.loader is None:
        raise InputError(f"agent {file}::{name}: {file!r} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise AgentFault(f"agent file {file} does not import: {type(error).__name__}: {error}") from error
    agents = {agent.name: agent for agent in vars(module).values() if isinstance(agent, Agent)}
    found = getattr(module, name, None) if name not in agents else agents[name]
    if not isinstance(found, Agent):
        raise InputError(
            f"agent {file}::{name}: the file declares no agent {name!r}; it has: {', '.join(agents) or 'none'}"
        )
    return found


# -- line-ups --------------------------------------------------------------------------------------------------------


def check_lineup(lineup: Sequence[AgentSpec], game: Game, players: int) -> None:
    """Refuse a line-up with an agent that does not play this game or player count."""
    for spec in lineup:
        if not spec.agent.plays(game, players):
            games = ", ".join(spec.agent.games).replace("*", "every game")
            counts = "" if spec.agent.players is None else f" with {spec.agent.players} players"
            raise InputError(
                f"agent {spec.text!r} does not play {game.name} with {players} players; it plays {games}{counts}"
            )


# -- compiling -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """An agent compiled for a game in this process.

    Attributes:
        address: of its function.
        params: its parameter record, array of shape (1,).
        memory: dtype of its memory.
        sees_state: whether it may be handed the state itself.
    """

    address: int
    params: np.ndarray[Any, Any]
    memory: np.dtype[Any]
    sees_state: bool
    keep: Any = None


def bind(spec: AgentSpec, game: Game) -> Bound:
    """Compile an agent for a game, or take it from the cache folder."""
    agent = spec.agent
    params = np.zeros(1, agent.params_dtype)
    policies = []
    for key, param in agent.params.items():
        value = spec.values[key]
        if isinstance(param, Choice):
            params[key] = param.options.index(str(value))
        elif isinstance(param, Policy):
            policy = load_agent(str(value))
            bound = bind(policy, game)
            memory = np.zeros(1, bound.memory)
            policies.append((bound, memory))
            params[key] = bound.address if policy.text != "random" else 0
            params[f"{key}_params"] = bound.params.ctypes.data
            params[f"{key}_memory"] = memory.ctypes.data
            params[f"{key}_size"] = memory.nbytes
        else:
            params[key] = value
    dtype = agent.memory if isinstance(agent.memory, np.dtype) else agent.memory(spec.values, game)
    compiled = _compile(agent, game, dtype, spec.builtin)
    return Bound(compiled.address, params, dtype, spec.builtin and not game.hidden, (compiled, policies))


_COMPILED: dict[tuple[int, str, Any], Any] = {}


def _compile(agent: Agent, game: Game, memory: np.dtype[Any], builtin: bool) -> Any:
    key = (id(agent), game.name, memory)
    if key not in _COMPILED:
        from numba import from_dtype, types
        from numba.core.errors import NumbaError

        from strozzi_sim.kernel.jit import function_at
        from strozzi_sim.kernel.streams import RANDOM

        game.module("core")
        records = (game.state, game.rules, agent.params_dtype, memory, RANDOM)
        signature = types.int64(*(from_dtype(record) for record in records))
        in_file = Path(agent.function.__code__.co_filename).is_file()
        try:
            compiled = function_at(agent.function, signature, game.name, cache=in_file, boundscheck=not builtin)
        except NumbaError as error:
            raise AgentFault(f"agent {agent.name!r} does not compile for {game.name}: {_gist(error)}") from error
        _COMPILED[key] = (agent, compiled)
    return _COMPILED[key][1]


def _gist(error: Exception) -> str:
    """The telling lines of a numba error, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("During", "Failed in", "-", "<source"))]
    return " | ".join(telling[:3])

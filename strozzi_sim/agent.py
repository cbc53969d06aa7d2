"""The agent contract: declaring an agent, naming it by a spec string, and finding it; `binding` compiles it.

An agent is one function plus a few facts. A compiled one is called as `function(state, rules, params, memory, random)`,
five records, and returns an action (int64); for one in Python see `python_agent`:

- state, rules : the game's records (its state.py); the state is what the agent's seat may know
- params : the agent's own record, one field per declared parameter (float64 or int64; see Param, Choice, Policy, Seconds)
- memory : a record of the dtype it declares, one per seat and thread, zeroed at the start of each game; what a field
  `playouts` (int64) has counted, simulated games, is taken over at the end of each
- random : its own stream; see `kernel.streams.random_below`

A spec string is an agent's identity everywhere: `NAME[:KEY=VALUE{,KEY=VALUE}]`, for instance `careful:margin=4`. A value
that contains a comma or colon stands in parentheses. `path/to/bots.py::careful:margin=3` takes one from a file.
"""

import inspect
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, known_names, shown
from strozzi_sim.games.contract import Game
from strozzi_sim.importing import OURS, import_file, load_point
from strozzi_sim.kernel.dense import dense as dense
from strozzi_sim.python_agent import kind_of
from strozzi_sim.spec_text import MAX_NESTED, MAX_SPEC, cut
from strozzi_sim.spec_text import Choice as Choice
from strozzi_sim.spec_text import Param as Param
from strozzi_sim.spec_text import Seconds as Seconds
from strozzi_sim.spec_text import split_specs as split_specs
from strozzi_sim.thoughts import Thoughts

GROUP = "strozzi_sim.agents"
EVERY_GAME = ("*",)
RECORDS = ("state", "rules", "params", "memory", "random")  # what a compiled agent is called with
_NOTHING = np.dtype([("nothing", "u8")])
_depth: ContextVar[int] = ContextVar("depth", default=0)  # of agents that are being loaded for one another


@dataclass(frozen=True)
class Policy:
    """A parameter that is another compiled agent, by spec string (`rollout=(careful:margin=3)`).

    Its fields: the address of that agent's function (0 = `random`, quicker in place than called), of its parameters, of
    its memory, and the memory's size. It is one memory for all seats: who calls it zeroes it at each decision of his own.
    """

    default: str
    about: str = ""

    def __post_init__(self) -> None:
        """The default may stand in parentheses, as it does in a spec string."""
        object.__setattr__(self, "default", _bare(self.default))

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8"), (f"{key}_params", "i8"), (f"{key}_memory", "i8"), (f"{key}_size", "i8")]

    def read(self, text: str, key: str, value: str) -> str:
        """The value in a spec string, in canonical form."""
        spec = load_agent(_bare(value))
        if spec.agent.kind != "compiled" or not isinstance(spec.agent.memory, np.dtype):
            raise InputError(
                f"agent {shown(text)}: {key} must be a compiled agent that does not search, got {shown(_bare(value))}"
            )
        return spec.text

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return f"({value})" if set(value) & set(",:=") else str(value)


def _bare(value: str) -> str:
    """A spec string without the parentheses around it."""
    return value[1:-1] if value.startswith("(") and value.endswith(")") else value


Parameter = Param | Choice | Policy | Seconds
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
        function: the agent itself; of a Python agent the class, or an object with `act_batch`.
        about: the first line of its docstring.
        kind: "compiled", "act" or "batch".
        thoughts: what it thinks of its actions, read from its memory (see `thoughts`), or None if it does not say.
        files: what else decides what it does, such as weights, beside the file that declares it.
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
    thoughts: Thoughts | None = None
    files: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse `files` that are no list of names, and a compiled function or memory that nobody can call or keep.

        Raises:
            InputError: says so.
        """
        if self.kind == "compiled":
            check_compiled(self.name, self.function, self.memory)
        if isinstance(self.files, str) or not all(isinstance(file, str) for file in self.files):
            raise InputError(f"agent {self.name}: files: expected a list of file names, got {self.files!r}")

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
    thoughts: Thoughts | None = None,
    files: Sequence[str] = (),
    **params: Any,
) -> Callable[[Callable[..., Any]], Agent]:
    """Declare the function below as a compiled agent; keyword arguments are its parameters (Param, Choice, Policy).

    A bare number is a Param with that default. `thoughts` says what it thinks of its actions; see `strozzi_sim.thoughts`.
    `files` beside the one that declares it decide what it does, too: if one changes, a study does not resume.

    Raises:
        InputError: a default that is no number or lies outside its range, or `files` that are no names.
    """
    declared = _declared(name, params)

    def declare(function: Callable[..., Any]) -> Agent:
        about = _about(function)
        return Agent(name, games, players, stochastic, declared, memory, function, about, "compiled", thoughts, files)

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

    See `strozzi_sim.python_agent` for its method, `act` or `act_batch`. An object with `act_batch` serves as well.
    `files` beside the one that declares it decide what it does, such as weights: if one changes, a study does not resume.

    Raises:
        InputError: neither method, a default that is no number or lies outside its range, or `files` that are no names.
    """
    declared = _declared(name, params)

    def declare(player: Any) -> Agent:
        kind = kind_of(player)
        if kind is None:
            raise InputError(f"agent {name}: expected a class with a method act or act_batch, got {player!r}")
        return Agent(name, games, players, stochastic, declared, _NOTHING, player, _about(player), kind, None, files)

    return declare


def check_compiled(name: str, function: Any, memory: Any) -> None:
    """Refuse a compiled agent's function that does not take the five records, and a memory that is no record.

    Raises:
        InputError: says what is expected.
    """
    takes = tuple(inspect.signature(function).parameters.values())
    if len(takes) != len(RECORDS) or any(each.kind is not each.POSITIONAL_OR_KEYWORD for each in takes):
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
        """Workers get agents by name: addresses belong to a process. One that has no name elsewhere goes itself."""
        if "::" in self.text or is_installed(self.agent):
            return load_agent, (self.text,)
        parts = {part.name: getattr(self.agent, part.name) for part in fields(self.agent)}
        return _given, (self.text, _pickled(parts | {"params": dict(self.agent.params)}), dict(self.values))

    @property
    def in_seconds(self) -> str | None:
        """The parameter that gives its budget in seconds, or None: one such has to be calibrated before it plays."""
        found = [key for key, param in self.agent.params.items() if isinstance(param, Seconds) and self.values[key]]
        return found[0] if found else None

    @property
    def builtin(self) -> bool:
        """Whether it comes with the package, and so is trusted with the state itself."""
        return self.agent.function.__module__.split(".")[0] == OURS

    @property
    def foreign(self) -> bool:
        """Whether its code, or that of an agent among its parameters, comes from outside the package."""
        return not self.builtin or any(policy.foreign for policy in self.policies)

    @property
    def policies(self) -> tuple["AgentSpec", ...]:
        """The agents among its parameters."""
        return tuple(
            load_agent(str(self.values[key])) for key, param in self.agent.params.items() if isinstance(param, Policy)
        )

    @property
    def source_digest(self) -> str | None:
        """SHA-256 of the files that declare it and its policies and of the `files` beside them.

        None for those that come with the package: their behaviour has a version.
        """
        found = [] if self.builtin else [file.read_bytes() for file in self._files() if file.is_file()]
        found += [digest.encode() for policy in self.policies if (digest := policy.source_digest)]
        return sha256(b"".join(sha256(each).digest() for each in found)).hexdigest() if found else None

    def _files(self) -> list[Path]:
        module = sys.modules.get(self.agent.function.__module__) if is_installed(self.agent) else None
        file = _split_file(self.text)[0] or getattr(module, "__file__", None)
        return [Path(file), *(Path(file).parent / name for name in self.agent.files)] if file else []


def _pickled(parts: Mapping[str, Any]) -> bytes:
    import cloudpickle

    return bytes(cloudpickle.dumps(parts))


@lru_cache(maxsize=256)
def _agent_of(content: bytes) -> Agent:
    """One object a worker, however often it is sent: what is compiled of it is kept by object."""
    parts = pickle.loads(content)
    return Agent(**{**parts, "params": MappingProxyType(parts["params"])})


def _given(text: str, content: bytes, values: Mapping[str, Value]) -> AgentSpec:
    return AgentSpec(text, _agent_of(content), MappingProxyType(dict(values)))


def spec_of(agent: Agent, **values: Any) -> AgentSpec:
    """A declared agent with values for its parameters, in code; workers get it by value.

    Raises:
        InputError: an unknown parameter, or a value out of its range.
    """
    settings = ",".join(f"{key}={value}" for key, value in values.items())
    return _spec(agent.name, agent, f"{agent.name}:{settings}" if values else agent.name, settings)


# -- spec strings ----------------------------------------------------------------------------------------------------


def _split_file(text: str) -> tuple[str, str]:
    """(file or "", the rest) of a spec string."""
    before, bracket, inside = text.partition("(")
    file, _, rest = before.rpartition("::")
    return file, rest + bracket + inside


def load_agent(text: str) -> AgentSpec:
    """The agent that a spec string names.

    Raises:
        InputError: unknown agent or parameter (the known ones are listed), or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    if len(text) > MAX_SPEC or not text.isprintable():
        raise InputError(f"agent {shown(text)}: expected at most {MAX_SPEC:,} printable letters")
    file, rest = _split_file(text)
    name, colon, settings = rest.partition(":")
    if colon and not settings:
        raise InputError(f"agent {text!r}: expected KEY=VALUE after the colon, got ''")
    if _depth.get() > MAX_NESTED:  # such as a policy that is its own default
        raise InputError(f"agent {shown(text)}: at most {MAX_NESTED} agents in one another")
    token = _depth.set(_depth.get() + 1)
    try:
        agent = _from_file(file, name) if file else _registered(name)
        return _spec(f"{file}::{name}" if file else name, agent, text, settings)
    finally:
        _depth.reset(token)


def _spec(source: str, agent: Agent, text: str, settings: str) -> AgentSpec:
    default = {key: _default(text, key, param) for key, param in agent.params.items()}
    values = dict(default)
    given: set[str] = set()
    for piece in cut(settings, ",") if settings else []:
        key, equals, value = piece.partition("=")
        key = key.strip()
        if not equals:
            raise InputError(f"agent {shown(text)}: expected KEY=VALUE after the colon, got {shown(piece)}")
        if key not in agent.params:
            known = known_names(key, agent.params) if agent.params else "known: it has none"
            raise InputError(f"agent {shown(text)}: {source} has no parameter {shown(key)}; {known}")
        if key in given:
            raise InputError(f"agent {shown(text)}: parameter {key!r} is given twice")
        given.add(key)
        values[key] = agent.params[key].read(text, key, value.strip())
    for key, param in agent.params.items():
        if isinstance(param, Seconds) and {key, param.of} <= given:
            raise InputError(f"agent {shown(text)}: give {param.of} or {key}, not both")
    changed = [f"{key}={agent.params[key].write(values[key])}" for key in sorted(values) if values[key] != default[key]]
    return AgentSpec(f"{source}:{','.join(changed)}" if changed else source, agent, MappingProxyType(values))


def _default(text: str, key: str, param: Parameter) -> Value:
    """The value of a parameter that is not given; a policy's in canonical form, so that one agent has one text."""
    return param.read(text, key, param.default) if isinstance(param, Policy) else param.default


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


def is_installed(agent: Agent) -> bool:
    """Whether this very agent is what its name stands for in spec strings."""
    return agent.name in _entry_points() and _registered(agent.name) is agent


@cache
def _registered(name: str) -> Agent:
    points = _entry_points()
    if name not in points:
        raise InputError(f"unknown agent {shown(name)}; {known_names(name, sorted(points))}")
    agent = load_point(name, points[name].value)
    if not isinstance(agent, Agent) or agent.name != name:
        raise InputError(f"agent {name!r}: {points[name].value} is not an agent of that name")
    return agent


@cache
def _from_file(file: str, name: str) -> Agent:
    try:
        there = Path(file).is_file()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"agent {shown(file)}: {error.strerror}") from None
    if not there:
        raise InputError(f"agent {file}::{name}: there is no file {file!r}")
    module = import_file(file)
    agents = {agent.name: agent for agent in vars(module).values() if isinstance(agent, Agent)}
    found = getattr(module, name, None) if name not in agents else agents[name]
    if not isinstance(found, Agent):
        declared = known_names(name, agents).removeprefix("known: ")
        raise InputError(f"agent {file}::{name}: the file declares no agent {name!r}; it has: {declared}")
    return found


# -- line-ups --------------------------------------------------------------------------------------------------------


def check_lineup(lineup: Sequence[AgentSpec], game: Game, players: int) -> None:
    """Refuse a line-up with an agent, or a policy of one, that does not play this game or player count."""
    for spec in lineup:
        check_lineup(spec.policies, game, players)
        if not spec.agent.plays(game, players):
            games = ", ".join(spec.agent.games).replace("*", "every game")
            counts = "" if spec.agent.players is None else f" with {spec.agent.players} players"
            raise InputError(
                f"agent {spec.text!r} does not play {game.name} with {players} players; it plays {games}{counts}"
            )

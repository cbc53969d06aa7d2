"""Look-up of agents: by name among the installed ones, or by file, with parameter values from a spec string."""

import pickle
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from strozzi_sim.agent import sources
from strozzi_sim.agent.declare import EVERY_GAME, Agent
from strozzi_sim.agent.files import SentFile, place_of
from strozzi_sim.agent.parameters import NONE, Evaluator, GivenFile, Param, Parameter, Policy, Value
from strozzi_sim.agent.python import Acting, ActingInBatches
from strozzi_sim.agent.spec_text import MAX_NESTED, MAX_SPEC, split_file, split_top_level, strip_parentheses
from strozzi_sim.errors import AgentFault, InputError, short_repr, suggest_names
from strozzi_sim.game import find_game, game_names
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.entry_points import check_unique, find_entry_points

GROUP = "strozzi_sim.agents"
SEPARATOR = "~"  # between an agent and each restriction in a spec string
_depth: ContextVar[int] = ContextVar("depth", default=0)  # nesting of agents during loading


@dataclass(frozen=True)
class AgentSpec:
    """An agent with values for its parameters."""

    source: str  # its name, after `FILE::` if it is declared in a file
    settings: str  # the parameters that differ from the default, as in a spec string, in alphabetical order
    agent: Agent = field(compare=False, repr=False)
    values: Mapping[str, Value] = field(compare=False, repr=False)  # every parameter's value
    # game in which its name and those of its policies were looked up; None: no game, and it plays several
    game: str | None = field(default=None, compare=False)
    without: tuple[str, ...] = ()  # names of the restrictions under which it plays; see `game.restricting`

    def __reduce__(self) -> Any:
        """Pickle an agent by name, since its code has another address in a worker; an agent without a name by value."""
        if self._file or is_installed(self.agent, self.game):
            return load_agent, (self.text, self.game)
        return _unpickled_spec, (self.source, self.settings, _pickled(self.agent), self.values, self.game, self.without)

    def __call__(self, **values: Any) -> "AgentSpec":
        """Return the agent with these values of its parameters, as in a spec string; the others are unchanged.

        >>> load_agent("ismcts")(iterations=50).text
        'ismcts:iterations=50'
        """
        return _with_values(self.source, self.agent, _texts(values), self.game, self.values).restricted(*self.without)

    def restricted(self, *names: str) -> "AgentSpec":
        """Return the agent with additional restrictions."""
        return replace(self, without=tuple(sorted({*self.without, *names})))

    @cached_property
    def text(self) -> str:
        """The canonical spec string."""
        spec = f"{self.source}:{self.settings}" if self.settings else self.source
        return SEPARATOR.join((spec, *self.without))

    @property
    def default(self) -> "AgentSpec":
        """The same agent with the default of every parameter."""
        return spec_of(self.agent, self.game)

    def changed_words(self, other: "AgentSpec") -> list[str]:
        """Return the parameters that differ from those of another spec of the same agent: "iterations 600"."""
        params, values = self.agent.params, other.values
        return [params[key].words(key, self.values[key]) for key in sorted(params) if self.values[key] != values[key]]

    @property
    def _file(self) -> str:
        """Path of the file that declares it, in the spec string; "" without one."""
        return split_file(self.source)[0]

    def resolve_for(self, game: Game) -> "AgentSpec":
        """Return this agent for `game`, where its policies are looked up. Raises InputError."""
        if self.game == game.name:
            return self
        differs = is_installed(self.agent, self.game) and not is_installed(self.agent, game.name)
        if differs and self.agent.plays_in(game):
            raise InputError(f"agent {self.agent.name!r} is a different agent in {game.name}; look it up for that game")
        return replace(self, game=game.name)

    @property
    def is_uniform(self) -> bool:
        """Whether this is the built-in agent `random`, whose code loops and searches contain."""
        return self.text == "random" and self.builtin

    @property
    def missing(self) -> str | None:
        """The parameter that must be given before it plays, a file without a default, or None."""
        return next((key for key, param, value in self._given_files if param.file(value) is None), None)

    @property
    def searches(self) -> bool:
        """Whether it is compiled and searches: its memory has `playouts` or is a function, or it takes several samples.

        A function does not count for an agent with probabilities, which searches use as their prior.
        """
        memory, params = self.agent.memory, self.agent.params.items()
        counts = "playouts" in (memory.names or ()) if isinstance(memory, np.dtype) else not self.agent.probabilities
        samples = any(isinstance(param, Param) and param.samples and self.values[key] != 1 for key, param in params)
        return self.agent.kind == "compiled" and (counts or samples)

    @property
    def builtin(self) -> bool:
        """Whether it comes with the package and is therefore trusted; see `CompiledAgent.sees_state`."""
        return self.agent.function.__module__.split(".")[0] == sources.BUILTIN_PACKAGE

    @property
    def foreign(self) -> bool:
        """Whether its code, or the code of one of its policies, comes from outside the package."""
        return not self.builtin or any(policy.foreign for policy in self.policies)

    @property
    def policies(self) -> tuple["AgentSpec", ...]:
        """The agents among its parameters."""
        specs = (str(self.values[key]) for key, param in self.agent.params.items() if isinstance(param, Policy))
        return tuple(load_agent(text, self.game) for text in specs if text != NONE)

    @property
    def in_code(self) -> bool:
        """Whether it was declared in code: neither a file nor the name of an installed agent stands for it."""
        return not (self.builtin or self._file or is_installed(self.agent, self.game))

    @property
    def source_digest(self) -> str | None:
        """SHA-256 of its sources and those of its policies, of its `files`, and of the files among its parameters.

        Sources and `files` of built-in agents do not count: their behaviour has a version. None if nothing is left. See
        `undigested`.
        """
        contents = [] if self.builtin else [file.read_bytes() for file in self._files if file.is_file()]
        contents += [code.digest.encode()] if (code := self._code) else []
        contents += [digest.encode() for policy in self.policies if (digest := policy.source_digest)]
        contents += [param.digest(value).encode() for _, param, value in self._given_files]
        return sha256(b"".join(sha256(content).digest() for content in contents)).hexdigest() if contents else None

    @property
    def undigested(self) -> tuple[str, ...]:
        """Descriptions of the parts of its code, or its policies' code, whose changes cannot be detected."""
        names = code.unknown if (code := self._code) else ()
        return tuple(dict.fromkeys([*names, *(name for policy in self.policies for name in policy.undigested)]))

    @property
    def _code(self) -> sources.Sources | None:
        """Its code without its policies' code; None if it is built in."""
        agent = self.agent
        if self.in_code:
            return sources.sources_of_values([agent.function, agent.memory, agent.evaluation, agent.probabilities])
        if self.builtin:
            return None
        module = agent.function.__module__.partition(".")[0]
        return sources.sources_of_files([place_of(self._file)] if self._file else sources.files_of(module))

    @property
    def _given_files(self) -> list[tuple[str, GivenFile, str]]:
        params = self.agent.params.items()
        return [(key, param, str(self.values[key])) for key, param in params if isinstance(param, GivenFile)]

    @property
    def _files(self) -> list[Path]:
        module = sys.modules.get(self.agent.function.__module__)
        file = place_of(self._file) if self._file else getattr(module, "__file__", None)
        return [(Path(file).parent if file else Path()) / name for name in self.agent.files]

    @property
    def sent_files(self) -> tuple[SentFile, ...]:
        """The files named by its spec string and its policies, which travel with it to another machine."""
        files = []
        if file := self._file:
            named_paths = zip((Path(file).name, *self.agent.files), (place_of(file), *self._files), strict=True)
            contents = tuple((name, path.read_bytes()) for name, path in named_paths if path.is_file())
            files.append(SentFile(file, contents))
        path_params = (path for *_, path in self._given_files if path)
        files += [SentFile(path, ((Path(path).name, place_of(path).read_bytes()),)) for path in path_params]
        return tuple(dict.fromkeys([*files, *(file for policy in self.policies for file in policy.sent_files)]))


_pickling = RLock()  # numba names a function when it is first pickled, and fails if two threads do so at once


def _pickled(agent: Agent) -> bytes:
    """Return a declared agent as bytes for workers; code that no module holds is included."""
    import cloudpickle

    with _pickling:
        return bytes(cloudpickle.dumps(agent))


# one object per worker for equal content, since compiled code is cached by object
_unpickled = lru_cache(maxsize=256)(pickle.loads)


def _unpickled_spec(source: str, settings: str, content: bytes, *rest: Any) -> AgentSpec:
    return AgentSpec(source, settings, _unpickled(content), *rest)


def spec_of(agent: Agent, game: str | Game | None = None, /, **values: Any) -> AgentSpec:
    """Return a declared agent with values for its parameters; workers receive it by value, unless a name stands for it.

    Its policies are looked up for `game`, as in `load_agent`.
    """
    return _with_values(agent.name, agent, _texts(values), _name_of(game))


Agent.spec_of = staticmethod(spec_of)
AGENT_TYPES = (str, AgentSpec, Agent)  # types of an agent argument
# For type checkers a class below `@python_agent` is still that class.
AnyAgent = str | AgentSpec | Agent | type[Acting] | type[ActingInBatches] | ActingInBatches


def find_agent(agent: AnyAgent, game: Game) -> AgentSpec:
    """Return the agent of a spec string or AgentSpec in this game; an Agent gets its default parameters."""
    if isinstance(agent, str):
        return load_agent(agent, game)
    if isinstance(agent, Agent):
        return spec_of(agent, game)
    if not isinstance(agent, AgentSpec):
        raise InputError(f"must be a spec string or a declared agent, got {short_repr(agent)}")
    return agent.resolve_for(game)


def _name_of(game: str | Game | None) -> str | None:
    return game.name if isinstance(game, Game) else game


def load_agent(text: str, game: str | Game | None = None) -> AgentSpec:
    """Return the agent that a spec string names in `game`: a name may select a different agent in each game.

    Without a game, game-specific names are not found. The name of a tier, `usual`, is that of the game's agent of this
    strength, unless an agent has the name.

    >>> load_agent("trained:level=4", "strozzi").text
    'learned:level=4'

    Raises:
        InputError: an unknown agent or parameter (the message lists the known ones), a game-specific name without a
            game (the message lists the games), or a value out of its range.
        AgentFault: the import of an agent's file or package fails.
    """
    shown = short_repr(text)
    if len(text) > MAX_SPEC or not text.isprintable():
        raise InputError(f"agent {shown}: expected at most {MAX_SPEC:,} printable characters")
    file, rest = split_file(text)
    rest, *without = split_top_level(rest, SEPARATOR)
    if not all(without) or len(set(without)) < len(without):
        raise InputError(f"agent {shown}: expected {SEPARATOR}RESTRICTION, each once, after the agent")
    name, colon, settings = rest.partition(":")
    given: dict[str, str] = {}
    for piece in split_top_level(settings, ",") if colon else ():
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise InputError(f"agent {shown}: expected KEY=VALUE after the colon, got {short_repr(piece)}")
        if key in given:
            raise InputError(f"agent {shown}: parameter {key!r} is given twice")
        given[key] = value
    if _depth.get() > MAX_NESTED:  # such as a policy that is its own default
        raise InputError(f"agent {shown}: at most {MAX_NESTED} nested agents")
    token = _depth.set(_depth.get() + 1)
    try:
        if not file and (tier := _agent_of_tier(name, game)):
            return _with_values(tier.source, tier.agent, given, _name_of(game), tier.values).restricted(
                *tier.without, *without
            )
        agent = sources.agent_in_file(file, str(place_of(file)), name) if file else _registered(name, _name_of(game))
        source = f"{file}::{name}" if file else name
        return _with_values(source, agent, given, _name_of(game)).restricted(*without)
    finally:
        _depth.reset(token)


def _agent_of_tier(name: str, game: str | Game | None) -> AgentSpec | None:
    """Return the agent of a game's tier; None without the game or the tier, or if an agent has its name."""
    if game is None or _point(name, _name_of(game)) is not None:
        return None
    the_game = find_game(game) if isinstance(game, str) else game
    return load_agent(the_game.tiers[name], the_game) if name in the_game.tiers else None


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    whole = {key: int(value) for key, value in values.items() if isinstance(value, float) and value.is_integer()}
    given = {**values, **whole}
    return {key: value.text if isinstance(value, AgentSpec) else str(value) for key, value in given.items()}


def _with_values(
    source: str, agent: Agent, given: Mapping[str, str], game: str | None, values: Mapping[str, Value] | None = None
) -> AgentSpec:
    """Return an agent with the values that are given as text; the others are `values`, or else the defaults."""
    shown = short_repr(f"{source}:{','.join(map('='.join, given.items()))}" if given else source)
    if unknown := [key for key in given if key not in agent.params]:
        hint = suggest_names(unknown[0], agent.params) if agent.params else "it has no parameters"
        raise InputError(f"agent {shown}: {source} has no parameter {short_repr(unknown[0])}; {hint}")
    if game is None and agent.games != EVERY_GAME and len(agent.games) == 1:
        (game,) = agent.games
    defaults = {
        # a policy's default in canonical form, so that an agent has a single text
        key: _parse_value(shown, key, param, param.default, game) if isinstance(param, Policy) else param.default
        for key, param in agent.params.items()
    }
    parsed = {key: _parse_value(shown, key, agent.params[key], value, game) for key, value in given.items()}
    values = {**defaults, **(values or {}), **parsed}
    changed = [key for key in sorted(values) if values[key] != defaults[key]]
    settings = ",".join(f"{key}={agent.params[key].format(values[key])}" for key in changed)
    return AgentSpec(source, settings, agent, values, game)


def _parse_value(shown: str, key: str, param: Parameter, text: str, game: str | None) -> Value:
    if not isinstance(param, Policy):
        try:
            return param.parse(text)
        except InputError as error:
            raise InputError(f"agent {shown}: {key}{error}") from None
    evaluates = isinstance(param, Evaluator)
    if evaluates and text == NONE:
        return NONE
    spec = load_agent(strip_parentheses(text), game)
    if evaluates and spec.agent.evaluation is None:
        expected = f"an agent that evaluates positions, or {NONE}"
    elif spec.agent.kind != "compiled" or (spec.searches and not evaluates) or spec.without:
        expected = f"a compiled agent{'' if evaluates else ' that does not search'}, without restrictions"
    else:
        return spec.text
    raise InputError(f"agent {shown}: {key} must be {expected}, got {short_repr(strip_parentheses(text))}")


def agents(game: str | Game | None = None) -> list[str]:
    """Return the names of the agents, or of those that play `game`, a name or a Game.

    >>> import strozzi_sim as ss
    >>> "fair-price" in ss.agents("medici_vs_strozzi"), "fair-price" in ss.agents("strozzi")
    (True, False)
    """
    name = None if game is None else find_game(game).name
    return sorted({agent.name for agent, games in installed_agents() if name is None or name in games})


def installed_agents(
    name: str = "", on_error: Callable[[str, Exception], object] = lambda point, error: None
) -> list[tuple[Agent, list[str]]]:
    """Return the installed agents, or those called `name`, each with the games that it plays under its name.

    An agent that does not load is left out, and `on_error` is called; if `name` is given, its error is raised.
    """
    points = find_entry_points(GROUP)
    matching = [point for point in sorted(points) if name in ("", point.partition("@")[0])]
    if name and not matching:
        _registered(name, None)  # raises; the message lists the known names
    loaded = []
    for point in matching:
        try:
            agent = _agent_at(point)
        except (AgentFault, InputError) as error:
            if name:
                raise
            on_error(point, error)
            continue
        games = [game for game in game_names() if _point(agent.name, game) == point and agent.plays_in(game)]
        loaded.append((agent, games))
    return loaded


def is_installed(agent: Agent, game: str | None = None) -> bool:
    """Return whether the agent's name in a spec string selects exactly this agent, in `game` if given."""
    point = _point(agent.name, game)
    try:
        return point is not None and _agent_at(point) is agent
    except (AgentFault, InputError):  # the package that has the name does not load
        return False


def _point(name: str, game: str | None) -> str | None:
    """Return the entry point of a name in a game: `NAME@GAME`, else `NAME`, else None."""
    return next((point for point in (f"{name}@{game}", name) if point in find_entry_points(GROUP)), None)


def _registered(name: str, game: str | None) -> Agent:
    if "@" in name:
        raise InputError(f"agent {short_repr(name)}: '@' is not allowed; the game selects the agent")
    point = _point(name, game)
    if point is not None:
        return _agent_at(point)
    own_points = sorted(point for point in find_entry_points(GROUP) if point.startswith(f"{name}@"))
    games = ", ".join(point.partition("@")[2] for point in own_points)
    if games and game is None:
        raise InputError(f"agent {name!r} is game-specific; name its game: {games}")
    if games:
        raise InputError(f"agent {name!r} does not play {game}; it plays {games}")
    raise InputError(f"unknown agent {short_repr(name)}; {suggest_names(name, agents(game))}")


@cache
def _agent_at(point: str) -> Agent:
    value = find_entry_points(GROUP)[point].value
    check_unique(GROUP, point)
    name, _, game = point.partition("@")
    agent = sources.load_point(point, value)
    if not isinstance(agent, Agent) or agent.name != name:
        raise InputError(f"agent {point!r}: {value} is not an agent of that name")
    if game and not agent.plays_in(game):
        raise InputError(f"agent {point!r}: {value} plays {', '.join(agent.games)}, not {game}")
    return agent

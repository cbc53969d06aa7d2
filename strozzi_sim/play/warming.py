"""Compile in advance: what the matches of a study need, in two processes at once, or all that a game may need."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.compile import compile_agent, compile_evaluator
from strozzi_sim.agent.names import core_count
from strozzi_sim.agent.registry import installed_agents
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.jit import before_compiling
from strozzi_sim.play import kernels as position
from strozzi_sim.runtime.workers import run_beside
from strozzi_sim.simulation import slots
from strozzi_sim.simulation import vector_kernels as vector
from strozzi_sim.simulation.loop import compiled_loop
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.simulation.match import Match

# Seconds of compilation, measured with the games and agents of this package on one core of 2020.
_OF_LOOP, _OF_AGENT = 10, 5


@dataclass(frozen=True)
class _Unit:
    compile: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: int = _OF_AGENT

    def __call__(self) -> None:
        self.compile(*self.arguments)


def warm_all(
    matches: Sequence[tuple[Match, bool]],
    luck: LuckMethod | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    """Compile what workers load to play matches of one game, each with whether its facts are counted.

    Once something is not in the cache, `say` gets a line, and a second process compiles too if there are several cores:
    it takes the agents from the first on, while this process takes the loops, and then the agents from the last on.
    """
    units = deque(_units(matches, luck))
    game = matches[0][0].game
    with ExitStack() as beside:

        def begin() -> None:
            seconds, processes = [unit.seconds for unit in (current, *units)], min(core_count(), 2)
            about = max(*seconds, sum(seconds) // processes)
            say(f"compiling {game.title}, once, about {about} s")
            if units and processes > 1:
                beside.enter_context(run_beside(_drawn(units.popleft)))

        with before_compiling(begin):
            for current in _drawn(units.pop):
                current()
    for match, is_counted in matches:  # load what the other process has compiled
        match.warm(counted=is_counted, luck=luck)


def _drawn(take: Callable[[], _Unit]) -> Iterator[_Unit]:
    """Yield what two processes draw from the two ends of one deque."""
    with suppress(IndexError):
        while True:
            yield take()


def _compile_agents(specs: list[AgentSpec], game: Game) -> None:
    for spec in specs:
        compile_agent(spec, game)


def _units(matches: Sequence[tuple[Match, bool]], luck: LuckMethod | None) -> Iterator[_Unit]:
    """Yield the units of `Match.warm` for all matches, each once, loops last."""
    game = matches[0][0].game
    if luck is not None:
        yield _Unit(compile_evaluator, (luck.agent, game))
    specs = {spec.text: spec for match, _ in matches for spec in match.lineup}
    of_agent = defaultdict(list)  # whose code serves all values of its parameters
    for spec in specs.values():
        if spec.agent.kind == "compiled" and not spec.foreign:
            of_agent[spec.agent.name].append(spec)
    for same in of_agent.values():
        yield _Unit(_compile_agents, (same, game))
    if any(match.in_python for match, _ in matches):
        yield _Unit(slots.kernels, (game,), _OF_LOOP)
    for output in sorted({"facts" if is_counted else "" for _, is_counted in matches}):
        yield _Unit(compiled_loop, (game, output, luck is not None), _OF_LOOP)


def warm(game: Game) -> Iterator[str]:
    """Compile the loops, the kernels of `Position` and `VectorEnv`, and the installed agents; yield the name of each.

    Agents have their default parameters. Third-party agents are left out, since the cache omits them (docs/agents.md).
    """
    for output, name in (("", "silent loop"), ("facts", "counting loop"), ("journal", "recording loop")):
        compiled_loop(game, output)
        yield name
    position.kernels(game).loaded()
    yield "position"
    slots.kernels(game)
    vector.kernels(game)
    yield "vector environment"
    for agent, games in installed_agents():
        if game.name in games and (spec := load_agent(agent.name, game)).builtin and agent.kind == "compiled":
            compile_agent(spec, game)
            yield f"agent {agent.name}"

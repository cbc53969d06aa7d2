"""Calls of third-party agents in a worker process: if the process ends or hangs, the parent raises an AgentFault."""

from collections.abc import Callable
from functools import partial
from typing import Any

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import SECONDS_VARIABLE, seconds_allowed
from strozzi_sim.errors import AgentFault
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.runtime.workers import Hung, WorkerDied, call_in_worker
from strozzi_sim.simulation.interrupts import stop_flag

Blame = Callable[[Array, str], AgentFault]


def run_in_worker(
    function: Callable[..., Any], *arguments: Any, blame: Blame, is_cancelled: Callable[[], bool] = lambda: False
) -> Any:
    """Return the result of a function that queries agents, or raise its exception; `call_in_worker` calls it.

    If the process ended, or was killed because a decision took too long, `blame(beat, what)` returns the AgentFault,
    from its last HEARTBEAT and the cause. Cancelled: `is_cancelled` returned True.
    """
    try:
        with stop_flag():
            return call_in_worker(function, *arguments, seconds=seconds_allowed(), is_cancelled=is_cancelled)
    except Hung as hung:
        raise blame(hung.beat, f"{hung.what} ({SECONDS_VARIABLE} sets the limit)") from None
    except WorkerDied as ended:
        raise blame(ended.beat, ended.what) from None


def query_in_worker(function: Callable[..., Any], spec: AgentSpec, game: Game, *arguments: Any, seed: int = 0) -> Any:
    """Return `function(spec, game, *arguments)`, called in a worker process if the agent is third-party."""
    spec = spec.resolve_for(game)
    call = partial(function, spec, game, *arguments)
    if not spec.foreign:
        return call()

    def blame(beat: Array, what: str) -> AgentFault:
        last = beat[0]
        if not last["busy"]:
            return AgentFault(f"agent {spec.text!r} {what} outside a decision, in {game.name}")
        place = f"{game.name}, {last['players']} players, seed {seed}, deal {last['deal']}"
        return AgentFault(f"agent {spec.text!r} at seat {last['seat']} {what} ({place})")

    return run_in_worker(call, blame=blame)

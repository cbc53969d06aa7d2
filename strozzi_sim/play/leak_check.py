"""Check that an agent's choices depend only on what its seat knows in the current game.

At every decision a copy of the agent, with the same memory and random numbers, decides again on the concealed state,
and another copy on the full state if the agent receives it: all must choose the same action. A third-party agent, or
one that calls one, then decides again in some of the games, in another process with another hash seed, and with games
and seats in reverse order.
"""

import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import cloudpickle

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import InvalidAnswer, Replacement, seconds_allowed
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.agent_queries import Seat
from strozzi_sim.play.position import Position
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.runtime.workers import WorkerDied, call_in_worker

REPEATED = "nothing: it decided twice on the same input"
RECORD = "what the record holds beyond the seat's knowledge: secrets, orders, unused places"
PROCESS = "the process: its hash seed, its global state, the order of games and seats in which it was asked"
PLAYED_AGAIN = 5  # games, at most


@dataclass(frozen=True)
class Leak:
    """A decision that changed when it must not."""

    players: int
    seed: int
    deal: int
    decision: int  # number of the decision in the game, from 0
    seat: int  # seat that decided
    action: str  # choice of the agent, as text
    moved_to: str  # choice of its copy, as text
    changed: str  # the difference between the two decisions: REPEATED, RECORD or PROCESS
    shown: str  # the position as the seat sees it, with its question, as text


@dataclass(frozen=True)
class LeakVerdict:
    """Result of a check of leaks."""

    agent: str  # spec string of the agent
    decisions: int  # number of decisions checked
    leak: Leak | None  # the first leak, or None
    illegal: int = 0  # illegal answers that the agent replaced by legal actions


class _Game(NamedTuple):
    players: int
    deal: int
    actions: list[int]


def check_leaks(
    spec: AgentSpec, game: Game, variant: Variant, *, players: Sequence[int], deals: int, seed: int = 0
) -> LeakVerdict:
    """Check every decision of an agent that plays itself in deals 0 .. deals - 1, up to the first leak."""
    spec = spec.resolve_for(game)
    counts = [count for count in players if spec.agent.plays(game, count)]
    if not counts:
        raise InputError(f"agent {spec.text!r} does not play {game.name} with {', '.join(map(str, players))} players")
    job = cloudpickle.dumps((spec, game, variant, seed)) if spec.foreign else None  # before playing changes the agent
    decisions, illegal, games = 0, 0, list[_Game]()
    with single_threaded_blas():
        for count, deal in product(counts, range(deals)):
            table, leak = Position(game, count, seed=seed, deal=deal, variant=variant), None
            while not table.over and leak is None:
                decisions += 1
                action, leak = _check_decision(spec, table)
                illegal += isinstance(action, Replacement)
            if leak is not None:
                return LeakVerdict(spec.text, decisions, leak, illegal)
            games.append(_Game(count, deal, list(table.actions)))
    games = games[:: max(len(games) // PLAYED_AGAIN, 1)][:PLAYED_AGAIN]
    changed = None if job is None else _play_again(spec.text, job, games)
    if changed is None:
        return LeakVerdict(spec.text, decisions, None, illegal)
    number, decision, moved_to = changed
    played = games[number]
    table = Position(game, played.players, seed=seed, deal=played.deal, variant=variant)
    for action in played.actions[:decision]:
        table.play(action)
    leak = _leak(spec, table, played.actions[decision], moved_to, PROCESS)
    return LeakVerdict(spec.text, decisions, leak, illegal)


def _check_decision(spec: AgentSpec, table: Position) -> tuple[int, Leak | None]:
    """Let an agent decide, and play its choice; return it, and a leak, without playing, if a copy chose otherwise."""
    seat = table.seated(spec)
    sees_record, copy, copy_on_record = seat.sees_state, seat.copy(), seat.copy()
    try:
        action = seat.choose(table.state)
        if (copy_action := copy.choose(table.state)) != action:
            return action, _leak(spec, table, action, copy_action, REPEATED)
        if sees_record and (copy_action := copy_on_record.choose(table.state, concealed=False)) != action:
            return action, _leak(spec, table, action, copy_action, RECORD)
    except InvalidAnswer as invalid:
        raise table.fault(spec, invalid.what) from invalid.__cause__
    if action not in table.legal:
        raise table.fault(spec, f"chose the illegal action {action}")
    table.play(action)
    return action, None


def _leak(spec: AgentSpec, table: Position, action: int, moved_to: int, changed: str) -> Leak:
    view, seat = table.game.view, table.actor
    concealed = table.view()

    def name(action: int) -> str:
        try:
            return str(view.action_name(action, concealed))
        except IndexError:
            return f"illegal action {action}"

    shown = f"{table.text(names=[spec.text] * table.players)}\n\nSeat {seat}: {table.question}"
    decision = len(table.actions)
    return Leak(table.players, table.seed, table.deal, decision, seat, name(action), name(moved_to), changed, shown)


def _play_again(name: str, job: bytes, games: Sequence[_Game]) -> tuple[int, int, int] | None:
    """Return what `_first_changed` returns in another process, with another hash seed; its failure is an AgentFault."""
    variables = {"PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    try:
        changed: tuple[int, int, int] | None = call_in_worker(
            _first_changed, job, games, seconds=seconds_allowed(), environment=variables
        )
    except (InvalidAnswer, WorkerDied) as error:
        raise AgentFault(f"agent {name!r}, playing its games again in another process, {error.what}") from None
    return changed


def _first_changed(job: bytes, games: Sequence[_Game]) -> tuple[int, int, int] | None:
    """Return (game, decision, action) of the first change if games and seats come in reverse order, or None."""
    spec, game, variant, seed = pickle.loads(job)
    with single_threaded_blas():
        for number, played in reversed(list(enumerate(games))):
            for seat in reversed(range(played.players)):
                table, agent = Position(game, played.players, seed, played.deal, variant), None
                for decision, action in enumerate(played.actions):
                    if table.actor == seat:
                        agent = agent or Seat(spec, table, seat)
                        if (choice := agent.choose(table.state)) != action:
                            return number, decision, choice
                    table.play(action)
    return None

"""Fairness: does an agent's choice depend on anything but what its seat knows?

Agents are handed what `conceal` leaves of a state, which is equal for equal knowledge: so they cannot see more. Agents of the
package are handed the record itself where nothing but chance is hidden, and the blind ones among them everywhere; at every
decision a copy, with the same memory and the same random numbers, is asked about the concealed state, and its choice must not
move. Any agent is asked twice.
What chance will bring is in none of the states it is handed. Then the same games are asked once more in another process
(see `elsewhere`), if the agent, or one that it calls, is not of the package. Of an agent that answers batches it is told
whether the rows of a batch matter to each other (`rows`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import BadAnswer
from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import Variant
from strozzi_sim.kernel.threads import one_thread
from strozzi_sim.play.elsewhere import PlayedGame, Witness
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat
from strozzi_sim.selfplay.rows import RowCheck, row_independence

NOTHING = "nothing: it was asked twice"
RECORD = "what the record holds beyond the seat's knowledge: secrets, orders, unused places"


@dataclass(frozen=True)
class Leak:
    """A decision that moved.

    Attributes:
        players, seed, deal: the game. decision: number of the decision in it, from 0. seat: who decided.
        action: what the agent chose. moved_to: what its copy chose. what: what had changed.
        state: what the seat knew, array of shape (1,).
    """

    players: int
    seed: int
    deal: int
    decision: int
    seat: int
    action: int
    moved_to: int
    what: str
    state: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Fairness:
    """What a check found.

    Attributes:
        decisions: how many it looked at.
        leak: the first leak, or None.
        rows: of an agent that answers batches and has no leak, whether its rows are independent of each other.
    """

    decisions: int
    leak: Leak | None
    rows: RowCheck | None = None


def check_fairness(
    spec: AgentSpec, game: Game, variant: Variant, *, players: Sequence[int], deals: int, seed: int = 0
) -> Fairness:
    """Look at every decision of an agent that plays against itself.

    Args:
        spec: the agent.
        game: the game.
        variant: its component data.
        players: player counts; each plays deals 0 .. deals - 1.
        deals: number of deals.
        seed: of the games.

    Raises:
        InputError: the agent plays none of these.
        AgentFault: it failed or chose an illegal action.
    """
    spec = spec.within(game)
    counts = [count for count in players if spec.agent.plays(game, count)]
    if not counts:
        raise InputError(f"agent {spec.text!r} does not play {game.name} with {', '.join(map(str, players))} players")
    trusted = all(each.builtin for each in (spec, *spec.policies))
    witness = None if trusted else Witness(spec, game, variant, seed)
    decisions, games = 0, []
    with one_thread():
        for count in counts:
            for deal in range(deals):
                table = Position(game, count, seed=seed, deal=deal, variant=variant)
                actions, leak = _play_and_doubt(spec, table, seed, deal)
                decisions += len(actions)
                if leak is not None:
                    return Fairness(decisions, leak)
                games.append(PlayedGame(count, deal, actions))
        moved = None if witness is None else witness.ask(games)
        if witness is None or moved is None:
            independent = row_independence(spec, game, variant, counts) if spec.agent.kind == "batch" else None
            return Fairness(decisions, None, independent)
    played = games[moved.game]
    table = Position(game, played.players, seed=seed, deal=played.deal, variant=variant)
    for action in played.actions[: moved.decision]:
        table.play(action)
    action = played.actions[moved.decision]
    leak = Leak(
        played.players, seed, played.deal, moved.decision, table.actor, action, moved.moved_to, witness.cause(games),
        table.known(),
    )  # fmt: skip
    return Fairness(decisions, leak)


def _play_and_doubt(spec: AgentSpec, table: Position, seed: int, deal: int) -> tuple[list[int], Leak | None]:
    """The agent's actions in one game against itself, up to the first that leaks."""
    seats: dict[int, Seat] = {}
    actions: list[int] = []
    while not table.over:
        number = len(actions)
        try:
            if table.actor not in seats:
                seats[table.actor] = Seat(spec, table, table.actor)
            action, moved = _decide(seats[table.actor], table)
        except BadAnswer as bad:
            raise table.fault(spec, bad.what) from bad.__cause__
        actions.append(action)
        if moved is not None:
            what, other = moved
            return actions, Leak(table.players, seed, deal, number, table.actor, action, other, what, table.known())
        if action not in table.legal:
            raise table.fault(spec, f"chose the illegal action {action}")
        table.play(action)
    return actions, None


def _decide(seat: Seat, table: Position) -> tuple[int, tuple[str, int] | None]:
    """The agent's action, and what moved it and to where, if anything did."""
    sees_record = seat.sees_state
    again, other = seat.copy(), seat.copy()
    action = seat.choose(table.state)
    if (moved := again.choose(table.state)) != action:
        return action, (NOTHING, moved)
    if sees_record and (moved := other.choose(table.state, concealed=False)) != action:
        return action, (RECORD, moved)
    return action, None

"""Query an agent's analysis of the decisions of a recorded game.

The agent takes every seat of a wanted decision, with the random stream of the seat's recorded agent. It is queried at
each decision of these seats up to the last wanted one; then the recorded action is played. At a seat that it played
itself it chooses the recorded actions.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, check_lineup
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.kernel.streams import RANDOM, SeatRng
from strozzi_sim.play.agent_queries import Seat, analyses_of, rank_analyses
from strozzi_sim.play.position import Position

LEVELS = 3  # depth of the tree of a decision, its own actions included
LEAST_VISITS = 10  # of an action below the first level; others are omitted
FUTURES = 32  # imagined games from which actions below the first level take their names
_MEANINGS = 3  # maximum names of an action that differs between futures

Futures = list[Position]


def explain(
    table: Position, actions: Sequence[int], spec: AgentSpec, wanted: Sequence[int]
) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Yield each wanted decision, numbered from 1: the position before it and the agent's analysis.

    Yields:
        (table, document): keys decision, seat, question, played, chosen, same, visits and actions. Actions are {action,
            name, visits, share, value, next}, the most visited first. `next` lists what the agent considered after that
            action: actions that an imagined game reaches, {action, name, seat, visits, value, next}. Without an
            analysis, visits, share and value are None. The position is `table` itself; the next iteration plays on it.
    """
    check_lineup([spec], table.game, table.players)
    seats = acting_seats(table, actions)
    wanted_seats = {seats[number - 1] for number in wanted}
    for number, action in enumerate(actions[: max(wanted, default=0)], 1):
        if table.actor in wanted_seats:  # also at earlier decisions, which advance the agent's stream and memory
            chosen = table.ask(spec)
            if number in wanted:
                yield table, _ExplainedDecision(table, table.seated(spec), number).document(action, chosen)
        table.play(action)


def acting_seats(table: Position, actions: Sequence[int]) -> list[int]:
    """Return the acting seat of each decision, given the game as dealt and its actions."""
    ahead, seats = table.copy(), []
    for action in actions:
        seats.append(ahead.actor)
        ahead.play(action)
    return seats


class _ExplainedDecision:
    def __init__(self, table: Position, seat: Seat, number: int) -> None:
        self.table, self.agent_seat, self.number = table, seat, number
        self._rng = SeatRng(number)  # only for names: any fixed stream

    def document(self, played: int, chosen: int) -> dict[str, Any]:
        table, is_analysed = self.table, self.agent_seat.spec.agent.analyse is not None
        names, analyses = dict(zip(table.legal, table.names, strict=True)), analyses_of(self.agent_seat, table.legal)
        visits = sum(analysis.visits for analysis in analyses)
        actions = []
        for each in rank_analyses(analyses) if is_analysed else analyses:
            tried = {"visits": each.visits if is_analysed else None, "share": each.visits / visits if visits else None}
            after: list[dict[str, Any]] = []
            if each.node is not None:
                _, futures = self._play(each, self._futures)
                after = self._after(each, futures, LEVELS - 1)
            named = {"action": each.action, "name": names[each.action]}
            actions.append({**named, **tried, "value": each.value, "next": after})
        decision: dict[str, Any] = {"decision": self.number, "seat": table.actor, "question": table.question}
        for key, action in (("played", played), ("chosen", chosen)):
            decision[key] = {"action": action, "name": names[action]}
        return {**decision, "same": played == chosen, "visits": visits if is_analysed else None, "actions": actions}

    @cached_property
    def _futures(self) -> Futures:
        rng = np.zeros(1, RANDOM)
        rng["cursor"] = self.number
        return [self.table.imagine(self.table.actor, rng) for _ in range(FUTURES)]

    def _after(self, analysis: ActionAnalysis, futures: Futures, levels: int) -> list[dict[str, Any]]:
        """Return the tree below an analysed action, `levels` deep; `futures` are the imagined games after it."""
        if not levels or analysis.node is None:
            return []
        nodes = []
        for each in rank_analyses(self.agent_seat.analyse(self.table.legal, analysis.node) or []):
            if each.visits >= LEAST_VISITS:
                node, after = self._play(each, futures)
                if after:  # else no imagined game reaches the action, so its name is unknown
                    nodes.append({**node, "next": self._after(each, after, levels - 1)})
        return nodes

    def _play(self, analysis: ActionAnalysis, futures: Futures) -> tuple[dict[str, Any], Futures]:
        """Return an analysed action with its names in the imagined games that reach it, and these games after it."""
        seat, action = self.table.actor if analysis.seat is None else analysis.seat, analysis.action
        fitting = [each for each in futures if each.actor == seat and action in each.legal]
        if not fitting:  # the agent's tree omits the actions of other seats
            advanced = [self._advance_to(seat, future) for future in futures]
            fitting = [each for each in advanced if action in each.legal]
        names, after = Counter[str](), []
        for imagined in fitting:
            names[str(imagined.game.view.action_name(action, imagined.view()))] += 1
            after.append(imagined.copy())
            after[-1].play(action)
        meanings = [name for name, _ in names.most_common()]
        if len(meanings) > _MEANINGS:
            meanings[_MEANINGS:] = ["..."]
        name = " or ".join(meanings)
        return {"action": action, "name": name, "seat": seat, "visits": analysis.visits, "value": analysis.value}, after

    def _advance_to(self, seat: int, future: Position) -> Position:
        future = future.copy()
        while not future.over and future.actor != seat:
            future.play(future.legal[self._rng.below(len(future.legal))])
        return future

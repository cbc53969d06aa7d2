"""Query an agent's analysis of the decisions of a recorded game.

The agent takes every seat, with the random stream of the seat's recorded agent. It is queried at each recorded decision;
then the recorded action is played. At its own seats it repeats its recorded decisions.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, check_lineup
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.kernel.streams import RANDOM, SeatRng
from strozzi_sim.play.agent_queries import in_full, ranked
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat

TREE_FORMAT = "strozzi-sim.tree/1"
FUTURES = 32  # imagined games from which actions of a line take their names
_MEANINGS = 3  # maximum names of an action that differs between futures

Futures = list[Position]


def explain(
    table: Position,
    actions: Sequence[int],
    spec: AgentSpec,
    *,
    wanted: Sequence[int],
    lines: int,
    depth: int,
    visits: int,
    tree: bool = False,
) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Yield each wanted decision: the position before it and the agent's analysis.

    `wanted` has the numbers of decisions, from 1. Each of the `lines` begins with a different action, the most visited first.
    Lines and trees are at most `depth` actions deep; their later actions have at least `visits` visits.

    Yields:
        (table, document): keys decision, seat, question, played, chosen, same, visits, actions, lines, and with `tree`
        also next and left_out. An action is {action, name}, in lines and trees with seat, visits and value. For
        an agent without analysis, `visits` is None and `lines` is empty.
    """
    check_lineup([spec], table.game, table.players)
    seats = acting_seats(table, actions)
    wanted_seats = {seats[number - 1] for number in wanted}
    for number, action in enumerate(actions[: max(wanted, default=0)], 1):
        if table.actor in wanted_seats:  # also at earlier decisions, which advance the agent's stream and memory
            chosen = table.ask(spec)
            if number in wanted:
                decision = _ExplainedDecision(table, table.seated(spec), number, depth, visits)
                yield table, decision.document(action, chosen, lines, tree)
        table.play(action)


def acting_seats(table: Position, actions: Sequence[int]) -> list[int]:
    """Return the acting seat of each decision, given the game as dealt and its actions."""
    ahead, seats = table.copy(), []
    for action in actions:
        seats.append(ahead.actor)
        ahead.play(action)
    return seats


class _ExplainedDecision:
    """One decision with the agent's analysis, from which `document` makes JSON."""

    def __init__(self, table: Position, seat: Seat, number: int, depth: int, visits: int) -> None:
        self.table, self.seat, self.number = table, seat, number
        self.depth, self.min_visits = depth, visits
        self.analyses = in_full(seat, table.legal)
        self._rng = SeatRng(number)  # only for names: any fixed stream

    def document(self, played: int, chosen: int, lines: int, tree: bool) -> dict[str, Any]:
        table, analysed = self.table, self.seat.spec.agent.analyse is not None
        names = dict(zip(table.legal, table.names, strict=True))
        visits, in_order = sum(analysis.visits for analysis in self.analyses), ranked(self.analyses)
        actions = []
        for each in in_order if analysed else self.analyses:
            share = each.visits / visits if analysed and visits else None
            tried = {"visits": each.visits if analysed else None, "share": share, "value": each.value}
            actions.append({"action": each.action, "name": names[each.action], **tried})
        best = [each for each in in_order if each.visits and analysed][:lines]
        document: dict[str, Any] = {"decision": self.number, "seat": table.actor, "question": table.question}
        for key, action in (("played", played), ("chosen", chosen)):
            document[key] = {"action": action, "name": names[action]}
        document |= {"same": played == chosen, "visits": visits if analysed else None, "actions": actions}
        document["lines"] = [self._line(each) for each in best]
        return document | self._tree(in_order, self._futures, self.depth) if tree else document

    @cached_property
    def _futures(self) -> Futures:
        """Imagined games consistent with the acting seat's knowledge."""
        rng = np.zeros(1, RANDOM)
        rng["cursor"] = self.number
        return [self.table.imagine(self.table.actor, rng) for _ in range(FUTURES)]

    def _line(self, analysis: ActionAnalysis) -> list[dict[str, Any]]:
        """Return the most visited line that begins with an action, as far as imagined games follow it."""
        step, futures = self._play(analysis, self._futures)
        line = [step]
        while len(line) < self.depth:
            following = self._after(analysis)
            if not following or following[0].visits < self.min_visits:
                break
            analysis = following[0]
            step, futures = self._play(analysis, futures)
            if not futures:
                break  # no imagined game reaches the action, so its name is unknown
            line.append(step)
        return line

    def _tree(self, analyses: list[ActionAnalysis], futures: Futures, depth: int) -> dict[str, Any]:
        """Return the tree below a node and the number of its omitted actions."""
        shown = [analysis for analysis in analyses if analysis.visits >= self.min_visits] if depth > 0 else []
        nodes = []
        for analysis in shown:
            step, after = self._play(analysis, futures)
            nodes.append(step | self._tree(self._after(analysis), after, depth - 1))
        return {"next": nodes, "left_out": len(analyses) - len(shown)}

    def _after(self, analysis: ActionAnalysis) -> list[ActionAnalysis]:
        """Return the actions after one, the most visited first."""
        return ranked(self.seat.analyse(self.table.legal, analysis.node) or []) if analysis.node is not None else []

    def _play(self, analysis: ActionAnalysis, futures: Futures) -> tuple[dict[str, Any], Futures]:
        """Return an action with its names in the imagined games that reach it, and these games after it."""
        seat, action = self.table.actor if analysis.seat is None else analysis.seat, analysis.action
        fitting = [each for each in futures if each.actor == seat and action in each.legal]
        if not fitting:  # the agent's tree omits the actions of others
            fitting = [each for future in futures if action in (each := self._advance_to(seat, future)).legal]
        names, after = Counter[str](), []
        for imagined in fitting:
            names[str(imagined.game.view.action_name(action, imagined.view()))] += 1
            after.append(imagined.copy())
            after[-1].play(action)
        meanings = [name for name, _ in names.most_common()]
        if len(meanings) > _MEANINGS:
            meanings[_MEANINGS:] = ["..."]
        name = " or ".join(meanings) or f"action {action}"
        return {"action": action, "name": name, "seat": seat, "visits": analysis.visits, "value": analysis.value}, after

    def _advance_to(self, seat: int, future: Position) -> Position:
        """Return the game at the next decision of a seat, after random play of the others."""
        future = future.copy()
        while not future.over and future.actor != seat:
            future.play(future.legal[self._rng.below(len(future.legal))])
        return future

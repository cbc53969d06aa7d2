"""What an agent thinks at the decisions of a recorded game.

The agent sits in every seat at once, with the random stream that the seat's own agent had, and is asked at each
decision of the recorded game; then what was played there is played. At a seat that was its own it decides as it did.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, check_lineup
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.kernel.seat_rng import SeatRng
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.agent_queries import in_full, ranked
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat

TREE_FORMAT = "strozzi-sim.tree/1"
FUTURES = 32  # imagined games that give the actions of a line their names
_MEANINGS = 3  # of an action that means different things in different futures

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
    """Each decision that is wanted: the table before it, and what the agent thinks.

    Args:
        table: the game as dealt; it is played on.
        actions: what was played, decision by decision.
        spec: the agent.
        wanted: the numbers of the decisions to explain, from 1.
        lines: how many best lines; each begins with another action, the most visited first.
        depth: most actions of a line, and most levels of a tree.
        visits: lines end, and trees leave out, where the agent tried an action less often.
        tree: whether to give the tree too.

    Yields:
        (table, document): keys decision, seat, question, played, chosen, same, visits, actions, lines, and with `tree`
        also next and left_out. An action is {action, name}, in lines and trees with seat, visits and value. An agent
        that does not say what it thinks leaves None in `visits` and no lines.

    Raises:
        InputError: the agent does not play this game.
        AgentFault: it failed, or chose an illegal action.
    """
    check_lineup([spec], table.game, table.players)
    seats = deciders(table, actions)
    asked = {seats[number - 1] for number in wanted}
    for number, action in enumerate(actions[: max(wanted, default=0)], 1):
        if table.actor in asked:  # earlier decisions too: they move its stream and its memory on
            chosen = table.ask(spec)
            if chosen not in table.legal:
                raise table.fault(spec, f"chose the illegal action {chosen}, or failed in compiled code")
            if number in wanted:
                told = _Told(table, table.seated(spec), number, depth, visits)
                yield table, told.document(action, chosen, lines, tree)
        table.play(action)


def deciders(table: Position, actions: Sequence[int]) -> list[int]:
    """The seat that makes each decision of a game, from its table as dealt and its actions."""
    ahead, seats = table.copy(), []
    for action in actions:
        seats.append(ahead.actor)
        ahead.play(action)
    return seats


def _names(table: Position, actions: Sequence[int]) -> list[str]:
    """Legal actions in words."""
    view, seen = table.game.view, table.view()
    return [str(view.action_name(action, seen)) for action in actions]


class _Told:
    """One decision, described."""

    def __init__(self, table: Position, seat: Seat, number: int, depth: int, visits: int) -> None:
        self.table, self.seat, self.number = table, seat, number
        self.depth, self.least = depth, visits
        self.names = dict(zip(table.legal, table.names, strict=True))
        self.says = seat.spec.agent.analyse is not None
        self.analyses = in_full(seat, table.legal)
        self._rng = SeatRng(number)  # for names only: any stream that is always the same will do

    def document(self, played: int, chosen: int, lines: int, tree: bool) -> dict[str, Any]:
        table = self.table
        visits = sum(analysis.visits for analysis in self.analyses)
        document: dict[str, Any] = {
            "decision": self.number,
            "seat": table.actor,
            "question": table.question,
            "played": {"action": played, "name": self.names[played]},
            "chosen": {"action": chosen, "name": self.names[chosen]},
            "same": played == chosen,
            "visits": visits if self.says else None,
        }
        in_order = ranked(self.analyses)
        actions = in_order if self.says else self.analyses
        document["actions"] = [self._root(analysis, visits) for analysis in actions]
        best = [analysis for analysis in in_order if analysis.visits][:lines] if self.says and lines else []
        document["lines"] = [self._line(analysis, self._futures) for analysis in best]
        return document | self._below(in_order, self._futures, self.depth) if tree else document

    @cached_property
    def _futures(self) -> Futures:
        """Games as they may go on from here."""
        rng = np.zeros(1, RANDOM)
        rng["cursor"] = self.number
        return [self.table.imagine(self.table.actor, rng) for _ in range(FUTURES)]

    def _root(self, analysis: ActionAnalysis, visits: int) -> dict[str, Any]:
        says = self.says
        return {
            "action": analysis.action,
            "name": self.names[analysis.action],
            "visits": analysis.visits if says else None,
            "share": analysis.visits / visits if says and visits else None,
            "value": analysis.value,
        }

    def _line(self, analysis: ActionAnalysis, futures: Futures) -> list[dict[str, Any]]:
        """The most visited line that begins with an action, as far as imagined games follow it."""
        line: list[dict[str, Any]] = []
        while True:
            name, futures = self._play(analysis, futures)
            if line and not futures:
                return line  # no imagined game comes to it, so that nobody knows what it means
            line.append(self._step(analysis, name))
            following = ranked(self._after(analysis))
            if len(line) == self.depth or not following or following[0].visits < self.least:
                return line
            analysis = following[0]

    def _below(self, analyses: list[ActionAnalysis], futures: Futures, depth: int) -> dict[str, Any]:
        """The part of the tree below a node, and how many of its actions are left out."""
        shown = [analysis for analysis in analyses if analysis.visits >= self.least] if depth > 0 else []
        nodes = []
        for analysis in shown:
            name, after = self._play(analysis, futures)
            nodes.append(self._step(analysis, name) | self._below(ranked(self._after(analysis)), after, depth - 1))
        return {"next": nodes, "left_out": len(analyses) - len(shown)}

    def _step(self, analysis: ActionAnalysis, name: str) -> dict[str, Any]:
        seat = self._mover(analysis)
        return {
            "action": analysis.action,
            "name": name,
            "seat": seat,
            "visits": analysis.visits,
            "value": analysis.value,
        }

    def _mover(self, analysis: ActionAnalysis) -> int:
        return self.table.actor if analysis.seat is None else analysis.seat

    def _after(self, analysis: ActionAnalysis) -> list[ActionAnalysis]:
        return [] if analysis.node is None else self.seat.analyse(self.table.legal, analysis.node) or []

    def _play(self, analysis: ActionAnalysis, futures: Futures) -> tuple[str, Futures]:
        """An action in words, as it is called in imagined games that come to it, and these games after it."""
        mover, action = self._mover(analysis), analysis.action
        fitting = [
            imagined
            for imagined in futures
            if not imagined.over and imagined.actor == mover and action in imagined.legal
        ]
        if not fitting:  # the agent's tree skips what others do
            played_on = [self._until(mover, imagined) for imagined in futures]
            fitting = [imagined for imagined in played_on if not imagined.over and action in imagined.legal]
        names, after = Counter[str](), []
        for imagined in fitting:
            names[_names(imagined, [action])[0]] += 1
            future = imagined.copy()
            future.play(action)
            after.append(future)
        words = [name for name, _ in names.most_common()]
        return " or ".join([*words[:_MEANINGS], *["..."][: len(words) > _MEANINGS]]) or f"action {action}", after

    def _until(self, seat: int, future: Position) -> Position:
        """The game after the others have played at random, at the next decision of a seat."""
        future = future.copy()
        while not future.over and future.actor != seat:
            future.play(future.legal[self._rng.below(len(future.legal))])
        return future

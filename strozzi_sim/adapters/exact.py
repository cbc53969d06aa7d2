"""Exact exploitability of an agent in a variant small enough to list every state, by OpenSpiel.

The tree is listed once and passed to OpenSpiel in Gambit's format (EFG), so that its algorithms run in compiled code.
Payoffs are those of `adapters.open_spiel`. Results are in win shares: a payoff u is the win share ((players - 1) u + 1) / players.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strozzi_sim.adapters.common import needs
from strozzi_sim.adapters.game_tree import Decision, Node, Table
from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import AgentFault, ArgumentError
from strozzi_sim.kernel.seat_rng import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat
from strozzi_sim.stats.resampling import draws

with needs("OpenSpiel", "openspiel"):
    import pyspiel

Array = np.ndarray[Any, Any]
Strategy = list[Array]  # probabilities of the legal actions in each information state
Policy = dict[str, list[tuple[int, float]]]  # the same, as OpenSpiel has it
_FAR = 10**6  # a probe estimates the nodes without bias, so it exceeds them by this factor once in 10^6 trees at most
RESAMPLES = 40
_STREAM = 6


@dataclass(frozen=True)
class InformationState:
    """All that a seat knows at a decision.

    Attributes:
        decision: one decision with this information.
        before: number of the seat's previous information state; None at its first decision.
    """

    decision: Decision
    before: int | None


@dataclass(frozen=True)
class Exact:
    """Win shares of a strategy that all seats play.

    Attributes:
        win_share: float64[P], of each seat.
        best_response: float64[P], of the best response in each seat against the strategy in the others.
    """

    win_share: Array
    best_response: Array

    @property
    def gain(self) -> Array:
        """What each seat gains by its best response, float64[P]; the sum is NashConv."""
        return self.best_response - self.win_share


class GameTree:
    """Every state of a game, as a game of OpenSpiel.

    Attributes:
        table: game, variant and players.
        nodes: number of nodes: decisions, draws and ends.
        information: the information states.
    """

    def __init__(self, table: Table, most: int) -> None:
        """List the tree.

        Raises:
            ArgumentError: it has more than `most` nodes; names `exact`. A tree that is far larger is not listed.
        """
        probed = _probe(table)
        if probed > _FAR * most:
            raise ArgumentError("exact", _too_large(table, f"about 10^{np.log10(probed):.0f} nodes", most))
        self.table, self.nodes, self.information = table, 0, list[InformationState]()
        self._efg = self._listed(most)

    def _listed(self, most: int) -> str:
        table, seats = self.table, range(self.table.players)
        lines = [f'EFG 2 R "" {{ {" ".join(f"{chr(34)}{seat}{chr(34)}" for seat in seats)} }}', '""']
        numbers = [
            dict[bytes, tuple[int, int]]() for _ in seats
        ]  # of information states: in all, and of the seat from 1
        outcomes: dict[tuple[float, ...], int] = {}
        waiting: list[tuple[Node, tuple[int | None, ...]]] = [(table.start, (None,) * table.players)]
        while waiting:
            node, last = waiting.pop()
            self.nodes += 1
            if self.nodes > most:
                raise ArgumentError("exact", _too_large(table, f"more than {most:,} nodes", most))
            if node.outcomes:
                parts = " ".join(f'"{k}" 1/{node.outcomes}' for k in range(node.outcomes))
                lines.append(f'c "" {self.nodes} "" {{ {parts} }} 0')
                waiting += [(node.after(k), last) for k in reversed(range(node.outcomes))]
            elif node.over or node.decision is None:
                paid = tuple(node.payoffs())
                number = outcomes.setdefault(paid, len(outcomes) + 1)
                lines.append(f't "" {number} "" {{ {" ".join(map(repr, paid))} }}')
            else:
                seat, legal = node.actor, node.legal
                new = len(self.information), len(numbers[seat]) + 1
                number, of_seat = numbers[seat].setdefault(node.decision.digest(seat), new)
                if number == len(self.information):
                    self.information.append(InformationState(node.decision, last[seat]))
                labels = " ".join(f'"{k}"' for k in range(len(legal)))
                lines.append(f'p "" {seat + 1} {of_seat} "{number}" {{ {labels} }} 0')
                later = (*last[:seat], number, *last[seat + 1 :])
                waiting += [(node.after(action), later) for action in reversed(legal)]
        return "\n".join(lines)

    @cached_property
    def game(self) -> Any:
        """The game of OpenSpiel; action k of a decision is its k-th legal action."""
        return pyspiel.load_efg_game(self._efg)

    @cached_property
    def _keys(self) -> list[str]:
        """OpenSpiel's name of each information state."""
        table = pyspiel.CFRSolver(self.game).tabular_average_policy().policy_table()
        named = {int(key.rpartition("-")[2]): key for key in table}
        return [named[number] for number in range(len(self.information))]

    def strategy(self, spec: AgentSpec, questions: int, seed: int) -> tuple[Strategy, Array | None]:
        """Return an agent's strategy, and the answers of which it is the frequencies; None: it is exact.

        A deterministic agent is asked once in each information state, after its earlier decisions there. `random` is uniform.
        Other agents are asked `questions` times, each with a stream of its own.

        Raises:
            AgentFault: it failed or chose no legal action.
        """
        if spec.agent.name == "random" and spec.builtin:
            return [np.full(len(each.decision.legal), 1 / len(each.decision.legal)) for each in self.information], None
        times = questions if spec.agent.stochastic else 1
        answers = self._answers(spec, times, seed)
        return self.frequencies(answers), answers if spec.agent.stochastic else None

    def _answers(self, spec: AgentSpec, times: int, seed: int) -> Array:
        """Return the places of the answers among the legal actions, int64[information states, times]."""
        table = self.table
        tables = [Position(table.game, table.players, seed, deal, table.variant) for deal in range(times)]
        fresh = [[Seat(spec, each, seat) for each in tables] for seat in range(table.players)]
        found = np.empty((len(self.information), times), np.int64)
        for number, each in enumerate(self.information):
            places = {action: place for place, action in enumerate(each.decision.legal)}
            path, seat = self._path(each), each.decision.actor
            for k, seated in enumerate(fresh[seat]):
                action = _answer(seated.copy(), path)
                if action not in places:
                    raise AgentFault(
                        f"agent {spec.text!r} chose the illegal action {action} in an information state of seat {seat}"
                    )
                found[number, k] = places[action]
        return found

    def frequencies(self, answers: Array) -> Strategy:
        """Return the strategy that chooses each action as often as the answers do."""
        sizes = [len(each.decision.legal) for each in self.information]
        return [np.bincount(row, minlength=size) / len(row) for row, size in zip(answers, sizes, strict=True)]

    def _path(self, last: InformationState) -> list[Decision]:
        path = [last.decision]
        while last.before is not None:
            last = self.information[last.before]
            path.append(last.decision)
        return path[::-1]

    def exact(self, strategy: Strategy) -> Exact:
        """Return the win shares of a strategy, and of the best response to it in each seat."""
        return self._exact(self._policy(strategy))

    def _policy(self, strategy: Strategy) -> Policy:
        return {key: list(enumerate(each)) for key, each in zip(self._keys, strategy, strict=True)}

    def _exact(self, policy: Policy) -> Exact:
        values = self._values([policy] * self.table.players)
        root, seats = self.game.new_initial_state(), range(self.table.players)
        best = [pyspiel.TabularBestResponse(self.game, seat, policy).value_from_state(root) for seat in seats]
        return Exact(values, self._shares(best))

    def _values(self, policies: Sequence[Policy]) -> Array:
        """Return the win share of every seat, float64[P], if each has a policy of its own."""
        tabular = [pyspiel.TabularPolicy(policy) for policy in policies]
        return self._shares(pyspiel.expected_returns(self.game.new_initial_state(), tabular, -1, True))

    def _shares(self, payoffs: Sequence[float]) -> Array:
        players = self.table.players
        return (np.array(payoffs) * (players - 1) + 1) / players

    def responses_apart(self, answers: Array) -> Array:
        """Return the win share of each seat's best response to one half of the answers, against the other half, float64[P].

        Their expectation is at most that of the best response to the agent itself.
        """
        halves = [self._policy(self.frequencies(answers[:, half::2])) for half in (0, 1)]
        found = np.zeros(self.table.players)
        for known, played in (halves, halves[::-1]):
            for seat in range(self.table.players):
                best = pyspiel.TabularBestResponse(self.game, seat, known).get_best_response_policy().policy_table()
                found[seat] += (
                    self._values([best if other == seat else played for other in range(len(found))])[seat] / 2
                )
        return found

    def resampled(self, answers: Array, seed: int) -> list[Exact]:
        """Return the exact results of strategies of questions drawn with replacement: a bootstrap."""
        times = answers.shape[1]
        chosen = draws(seed, _STREAM, (RESAMPLES, times), times)
        return [self.exact(self.frequencies(answers[:, sample])) for sample in chosen]

    def cfr(self, iterations: Sequence[int], say: Callable[[str], None]) -> list[Exact]:
        """Return the exact results of CFR's average strategy after these numbers of iterations, ascending."""
        solver, done, found = pyspiel.CFRSolver(self.game), 0, []
        for count in iterations:
            for _ in range(count - done):
                solver.evaluate_and_update_policy()
            done = count
            found.append(self._exact(solver.tabular_average_policy().policy_table()))
            say(f"CFR: {count:,} of {iterations[-1]:,} iterations")
        return found


def _answer(seat: Seat, path: Sequence[Decision]) -> int:
    try:
        answers = [seat.choose(decision.state) for decision in path]
    except InvalidAnswer as bad:
        raise AgentFault(f"agent {seat.spec.text!r} at seat {seat.seat} {bad.what}") from bad.__cause__
    return answers[-1]


def _probe(table: Table) -> float:
    """Return an unbiased estimate of the number of nodes from one random game (Knuth 1975)."""
    node, rng, alike, nodes = table.start, SeatRng(0), 1.0, 1.0
    while not node.over:
        choices = range(node.outcomes) if node.outcomes else node.legal
        alike *= len(choices)
        nodes += alike
        node = node.after(choices[rng.below(len(choices))])
    return nodes


def _too_large(table: Table, nodes: str, most: int) -> str:
    return (
        f"{table.game.name}, {table.players} players, variant {table.variant.name} has {nodes}, and at most {most:,} are listed; "
        "choose a smaller variant"
    )

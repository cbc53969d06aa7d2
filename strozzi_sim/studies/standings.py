"""The tables of a tournament: counts over its matchups, and the figures that are made of them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.worth import WORTHS
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.simulation.finishing_orders import HALF, ORDER_UNITS
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.stats.confidence_sequences import anytime_interval
from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate
from strozzi_sim.stats.nash import nash_average
from strozzi_sim.stats.ratings import Orders, Ratings, fit_ratings
from strozzi_sim.studies.cells import GAMES_SAVED, WITHOUT_LUCK, luck_sums
from strozzi_sim.studies.matchups import Field
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore

KEYS = {  # of each table, beside those of the cell
    "agents": ("agent",),
    "pairwise": ("agent", "opponent"),
    "ratings": ("agent",),
    "seat_effects": ("seat",),
    "nash": ("agent",),
}


def deals_of_chunks(plan: Plan) -> Array:
    """Return the number of deals of each chunk, int64[C]."""
    ends = np.array([plan.chunk_range(chunk) for chunk in range(plan.chunks)])
    return np.asarray(ends[:, 1] - ends[:, 0])


class Counts:
    """Sums over the matchups of one player count and variant, by chunk.

    Attributes:
        by_agent: int64[4, C, F], wins, places, scores and games played, by agent.
        by_seat: int64[4, C, P], the same by seat.
        ahead, met: int64[C, F, F], times ahead in halves, and games together.
        luck: float64[3, C, F, worths], sums of luck, its squares and its products with the results; None: not measured.
        remaining: int64[C, K], in ORDER_UNITS. members: int64[K, P], the agents of each set.
    """

    def __init__(self, field: Field, players: int, variant: str, plan: Plan, found: Sequence[tuple[int, ...]]) -> None:
        self.field, self.players, self.variant, self.deals = field, players, variant, plan.deals
        self.deals_of_chunks = deals_of_chunks(plan)
        self.lineup, self.until, self.seed = ",".join(field.labels), plan.until, plan.seed
        chunks, size = plan.chunks, len(field.agents)
        self.by_agent = np.zeros((4, chunks, size), np.int64)
        self.by_seat = np.zeros((4, chunks, players), np.int64)
        self.ahead = np.zeros((chunks, size, size), np.int64)
        self.met = np.zeros((chunks, size, size), np.int64)
        self.last = np.zeros((chunks, size), np.int64)
        self.luck = None if plan.luck is None else np.zeros((len(LUCK_SUMS), chunks, size, len(WORTHS)))
        self._parts = [part for part in range(1, 1 << players) if part.bit_count() > 1]
        self._column: dict[tuple[int, ...], int] = {}
        for matchup in found:
            for agents in self._sets(matchup):
                self._column.setdefault(agents, len(self._column))
        self.remaining = np.zeros((chunks, len(self._column)), np.int64)

    def _sets(self, matchup: Sequence[int]) -> list[tuple[int, ...]]:
        """The sets of two and more agents of a matchup, in the order of `_parts`."""
        return [tuple(agent for k, agent in enumerate(matchup) if part >> k & 1) for part in self._parts]

    @cached_property
    def members(self) -> Array:
        """The agents of each set, int64[K, P]; smaller sets are padded with the number of agents."""
        members = np.full((len(self._column), self.players), len(self.field.agents))
        for agents, column in self._column.items():
            members[column, : len(agents)] = agents
        return members

    def add(self, matchup: Sequence[int], cell: Cell, store: MemoryStore) -> None:
        """Add the chunks of one matchup."""
        columns = np.array([self._column[agents] for agents in self._sets(matchup)])
        who = np.array(matchup)
        square = np.ix_(who, who)
        for chunk in range(len(self.last)):
            outcome, orders, _ = store.read((cell.number, chunk))
            for k, name in enumerate(("wins", "places", "scores", "played")):
                found = outcome[name][0][: self.players, : self.players]
                self.by_agent[k, chunk, who] += found.sum(axis=1)
                self.by_seat[k, chunk] += found.sum(axis=0)
            if self.luck is not None:
                for k, name in enumerate(LUCK_SUMS):
                    self.luck[k, chunk, who] += outcome[name][0][: self.players, : self.players].sum(axis=1)
            self.ahead[chunk][square] += orders["ahead"][0][: self.players, : self.players]
            self.met[chunk][square] += outcome["games"][0]
            self.remaining[chunk, columns] += orders["remaining"][0][self._parts]
            self.last[chunk, who] += orders["remaining"][0][[1 << k for k in range(self.players)]]

    def rate(self) -> Ratings:
        """Strengths and ranks."""
        played = self.by_agent[3]
        orders = Orders(
            chosen=played - self.last / ORDER_UNITS,
            members=self.members,
            counts=self.remaining / ORDER_UNITS,
            ahead=self.ahead / HALF,
        )
        return fit_ratings(orders, played.sum(axis=0), self.field.same)


def add_agents(table: FigureTable, counts: Counts) -> None:
    """Add the figures of every agent over all its games, one row per agent and figure."""
    _add_outcome(table, counts, counts.by_agent, agent=counts.field.labels)
    wins, _, scores, played = counts.by_agent
    if counts.luck is not None:
        results = {"win_share": wins / WIN_UNITS, "score_mean": scores}
        for figure, sums in luck_sums(results, counts.luck, played).items():
            without = stats.ratio(sums.adjusted(), played)
            found = {f"{figure}{WITHOUT_LUCK}": without, f"{figure}{GAMES_SAVED}": sums.games_saved()}
            table.add_all(counts, found, agent=counts.field.labels)
    if counts.until:
        share = wins / WIN_UNITS / played
        low, high = anytime_interval(share, counts.deals_of_chunks)
        anytime = Estimate(share.mean(axis=0), low, high, played.sum(axis=0))
        table.add(counts, "win_share_anytime", anytime, agent=counts.field.labels)


def _add_outcome(table: FigureTable, counts: Counts, sums: Array, **levels: Sequence[Any]) -> None:
    """Share of wins, mean rank and mean score, of sums [wins places scores played, C, ...]."""
    wins, places, scores, played = sums
    figures = {
        "win_share": stats.ratio(wins, played, unit=WIN_UNITS, n_deals=counts.deals),
        "rank_mean": stats.ratio(places, played, unit=2, span=(1.0, counts.players), deals=counts.deals),
        "score_mean": stats.ratio(scores, played),
    }
    table.add_all(counts, figures, **levels)


def add_pairwise(table: FigureTable, counts: Counts) -> None:
    """Add how often every agent finished ahead of every other that it met."""
    met = counts.met * ~np.eye(len(counts.field.labels), dtype=bool)
    labels = counts.field.labels
    estimate = stats.ratio(counts.ahead, met, unit=HALF, n_deals=counts.deals)
    # No agent meets itself, and in a sample of the matchups some pairs never meet.
    table.add(counts, "ahead_share", estimate, keep=met.sum(axis=0) > 0, agent=labels, opponent=labels)


def add_ratings(table: FigureTable, counts: Counts) -> None:
    """Strength and rank of every agent."""
    ratings = counts.rate()
    table.add(counts, "strength", ratings.strength, agent=counts.field.labels)
    table.add(counts, "rank", ratings.rank, agent=counts.field.labels)


def unrated(ratings: Any) -> bool:
    """Whether some fit of strengths did not converge: there were games enough, and there is no value."""
    strengths = ratings[ratings["figure"] == "strength"]
    return bool((strengths["value"].isna() & (strengths["n"] >= MIN_EVENTS)).any())


def add_nash(table: FigureTable, counts: Counts) -> None:
    """Add the mixture of agents that no agent beats, and every agent's score against it, with two players."""
    found = nash_average(counts.ahead / HALF, counts.met, counts.deals) if counts.players == 2 else None
    if found is not None:  # in a sample of the matchups not all have met
        table.add(counts, "weight", found.weight, agent=counts.field.labels)
        table.add(counts, "score", found.score, agent=counts.field.labels)


def add_seats(table: FigureTable, counts: Counts) -> None:
    """Add the figures of every seat over all agents."""
    seats, (wins, _, _, played) = range(counts.players), counts.by_seat
    _add_outcome(table, counts, counts.by_seat, seat=seats)
    share = stats.ratio(wins, played, unit=WIN_UNITS, n_deals=counts.deals)
    table.add(counts, "win_share_minus_equal", share.minus(1 / counts.players), seat=seats)

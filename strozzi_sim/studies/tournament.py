"""A tournament: every choice of as many agents as there are seats, on the same deals, in balanced seatings.

It is a study whose line-ups are the matchups, so it plays, stores and resumes like one. Chunk c of every matchup holds
the same deals; figures over all matchups are summed chunk by chunk, and so are paired by deal.

Seatings are Latin squares of Williams (1949) unless asked otherwise: with `rotate` everybody sits at every seat, but
always next after the same opponent, which moves win shares by several points where the one before you matters.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.kernel.wins import WIN_UNITS
from strozzi_sim.selfplay.orders import HALF, SIXTIETH
from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate
from strozzi_sim.stats.nash import nash_average
from strozzi_sim.stats.ratings import Orders, Ratings, rate
from strozzi_sim.stats.sequences import ALPHA, FIRST_LOOK, anytime_interval, surely_differs
from strozzi_sim.studies.plan import CHUNKS, Cell, Plan, make_plan
from strozzi_sim.studies.run import StoppingRule
from strozzi_sim.studies.store import Store

MAX_MATCHUPS = 5000
DECIDED = "decided"
SEATINGS = ("latin", "all", "rotate")
_CHUNKS_IN_ALL, _FEWEST_CHUNKS = 2000, 20


@dataclass(frozen=True)
class Field:
    """The agents of a tournament, in alphabetical order, so that the order they are given in changes nothing.

    Attributes:
        agents: who plays.
        labels: how tables call them: the spec string, with " #2" for a copy.
    """

    agents: tuple[AgentSpec, ...]
    labels: tuple[str, ...]

    @property
    def same(self) -> Array:
        """int64[F], equal for copies of one agent."""
        texts = [spec.text for spec in self.agents]
        return np.array([texts.index(text) for text in texts])


def make_field(specs: Sequence[str]) -> Field:
    """The field of these spec strings.

    Raises:
        InputError: an agent or parameter that is not known.
    """
    agents = sorted((load_agent(spec) for spec in specs), key=lambda spec: spec.text)
    labels, seen = [], Counter[str]()
    for spec in agents:
        seen[spec.text] += 1
        labels.append(spec.text if seen[spec.text] == 1 else f"{spec.text} #{seen[spec.text]}")
    return Field(tuple(agents), tuple(labels))


def matchups(field: Field, players: int, most: int, seed: int) -> list[tuple[int, ...]]:
    """The matchups of a player count, as indices into the field: all, or `most` in which agents are about equally often.

    The sample takes the agents in rounds, each in a new order that depends on the seed alone, as many at a time as there
    are seats.
    """
    size = len(field.agents)
    if comb(size, players) <= most:
        return list(combinations(range(size), players))
    matchups: set[tuple[int, ...]] = set()
    waiting: list[int] = []
    number = 0
    while len(matchups) < most:
        if len(set(waiting)) < players:
            waiting += sorted(range(size), key=lambda k: _hash(seed, players, number, field.labels[k]))
            number += 1
        chosen = list(dict.fromkeys(waiting))[:players]
        for agent in chosen:
            waiting.remove(agent)
        matchups.add(tuple(sorted(chosen)))
    return sorted(matchups)


def _hash(*words: object) -> bytes:
    return hashlib.sha256(repr(words).encode()).digest()


@dataclass(frozen=True)
class Tournament:
    """A tournament, resolved.

    Attributes:
        field: who plays.
        plan: the study that plays it.
        matchups: by player count, indices into the field.
        sampled: whether there would be more matchups.
    """

    field: Field
    plan: Plan
    matchups: dict[int, list[tuple[int, ...]]]
    sampled: bool

    def summary(self) -> str:
        """What times what is how many games."""
        parts = []
        for players in self.plan.players:
            cells = [cell for cell in self.plan.cells if cell.match.players == players]
            lineups = {cell.lineup for cell in cells}
            seatings = len(cells[0].match.design)
            variants = f"{len(self.plan.variants)} variants x " if len(self.plan.variants) > 1 else ""
            games = len(cells) * seatings * self.plan.deals
            parts.append(
                f"{players} players: {len(lineups):,} matchups x {variants}{seatings} seatings x {self.plan.deals:,} deals = {games:,} games"
            )
        total = f"; in all {self.plan.games:,} games" if len(parts) > 1 else ""
        note = " (a balanced sample of the matchups; --matchups sets the maximum)" if self.sampled else ""
        return f"{self.plan.game.title}, {len(self.field.agents)} agents; {'; '.join(parts)}{total}{note}"

    def tables(self, plan: Plan, store: Store) -> dict[str, Any]:
        """The tables: agents, pairwise, ratings, seat_effects; with two players nash too."""
        agents, pairwise, ratings, seats = (
            FigureTable("agent"),
            FigureTable("agent", "opponent"),
            FigureTable("agent"),
            FigureTable("seat"),
        )
        nash = FigureTable("agent")
        for players in plan.players:
            for variant in plan.variants:
                counts = self._counts(plan, store, players, variant.name)
                _add_agents(agents, counts)
                _add_pairwise(pairwise, counts)
                _add_ratings(ratings, counts)
                _add_seats(seats, counts)
                if players == 2:
                    _add_nash(nash, counts)
        tables = {"agents": agents, "pairwise": pairwise, "ratings": ratings, "seat_effects": seats}
        if 2 in plan.players:
            tables["nash"] = nash
        return {name: table.frame() for name, table in tables.items()}

    def stopping_rule(self) -> StoppingRule:
        """Whether the rule `until` is met by the chunks so far, at every player count and variant; asked chunk by chunk.

        A width: every agent's win share is known to within +- width. "decided": for every two agents it is sure whose
        mean place is better, all pairs at once.
        """
        seen: dict[tuple[int, str], list[Array]] = {}

        def stopping_rule(plan: Plan, store: Store) -> bool:
            met = True
            for players in plan.players:
                for variant in plan.variants:
                    sums = seen.setdefault((players, variant.name), [])
                    for chunk in range(len(sums), plan.chunks):
                        sums.append(self._sums(store, players, variant.name, chunk))
                    met = met and _is_enough(np.array(sums), plan, players)
            return met

        return stopping_rule

    def _sums(self, store: Store, players: int, variant: str, chunk: int) -> Array:
        """Wins, doubled places and games of one chunk by agent, int64[3, F]."""
        sums = np.zeros((3, len(self.field.agents)), np.int64)
        for matchup, cell in self._cells(players, variant):
            outcome = store.read((cell.number, chunk))[0]
            for k, name in enumerate(("wins", "places", "played")):
                sums[k, list(matchup)] += outcome[name][0].sum(axis=1)[:players]
        return sums

    def _cells(self, players: int, variant: str) -> list[tuple[tuple[int, ...], Cell]]:
        """The matchups with the cells that play them."""
        cells = {
            tuple(spec.text for spec in cell.match.lineup): cell
            for cell in self.plan.cells
            if (cell.match.players, cell.match.variant.name) == (players, variant)
        }
        texts = [spec.text for spec in self.field.agents]
        return [(matchup, cells[tuple(texts[k] for k in matchup)]) for matchup in self.matchups[players]]

    def _counts(self, plan: Plan, store: Store, players: int, variant: str) -> "_Counts":
        counts = _Counts(self.field, players, variant, plan, self.matchups[players])
        for matchup, cell in self._cells(players, variant):
            counts.add(matchup, cell, store)
        return counts


def plan_tournament(
    game: Game,
    specs: Sequence[str],
    *,
    players: Sequence[int],
    deals: int,
    seatings: str = "latin",
    seed: int = 0,
    variants: Sequence[str] = ("base",),
    most: int = MAX_MATCHUPS,
    until: str = "",
) -> Tournament:
    """The tournament of a field. With `until` (a width, or "decided"), `deals` is the most.

    Raises:
        InputError: the field is too small, or something cannot be played.
    """
    field = make_field(specs)
    for count in players:
        if len(field.agents) < count:
            names = ", ".join(field.labels)
            raise InputError(
                f"--agents: a tournament with {count} players needs at least {count} agents, got {len(field.agents)} ({names})"
            )
    if seatings not in SEATINGS:
        raise InputError(f"--seatings: a tournament takes {', '.join(SEATINGS)}, got {seatings!r}")
    if most < 1:
        raise InputError(f"--matchups: must be at least 1, got {most}")
    chosen = {count: matchups(field, count, most, seed) for count in players}
    texts = [spec.text for spec in field.agents]
    lineups = [[texts[k] for k in matchup] for sample in chosen.values() for matchup in sample]
    cells = len({tuple(lineup) for lineup in lineups}) * len(variants)
    plan = orders_plan(
        {
            "name": f"tournament-{game.name.replace('_', '-')}",
            "game": game.name,
            "seed": seed,
            "players": list(players),
            "deals": deals,
            "chunks": min(max(_CHUNKS_IN_ALL // cells, _FEWEST_CHUNKS * (3 if until else 1)), CHUNKS),
            "seatings": seatings,
            "lineups": lineups,
            "variants": list(variants),
        },
        "tournament",
    )
    if until:
        plan = replace(plan, until=_stop_rule(until))
    sampled = any(comb(len(field.agents), count) > most for count in players)
    return Tournament(field, plan, chosen, sampled)


def _stop_rule(until: str) -> str:
    """The rule in canonical form: "decided", or a width."""
    if until == DECIDED:
        return until
    try:
        width = float(until)
    except ValueError:
        width = 0.0
    if not 0 < width < 1:
        raise InputError(f"--until: expected a width between 0 and 1, such as 0.02, or {DECIDED!r}, got {until!r}")
    return f"{width:g}"


def orders_plan(raw: dict[str, Any], place: str) -> Plan:
    """A plan whose chunks keep finishing orders and no tallies."""
    return replace(make_plan(raw, place), orders=True)


def _is_enough(sums: Array, plan: Plan, players: int) -> bool:
    """Whether the rule is met; `sums` is int64[C, 3, F]."""
    if len(sums) < FIRST_LOOK:
        return False
    wins, places, played = sums[:, 0], sums[:, 1], sums[:, 2]
    if plan.until != DECIDED:
        low, high = anytime_interval(wins / WIN_UNITS / played, _deals_of_chunks(plan)[: len(sums)])
        return bool((high - low <= 2 * float(plan.until)).all())
    place = places / 2 / played
    first, second = np.triu_indices(place.shape[1], 1)
    gap = (place[:, first] - place[:, second]) / (2 * (players - 1)) + 0.5  # in [0, 1], 1/2 if they are equal
    return bool(surely_differs(gap, 0.5, ALPHA / len(first)).all())


def _deals_of_chunks(plan: Plan) -> Array:
    """How many deals each chunk of a cell holds, int64[C]."""
    ends = np.array([plan.chunk_range(chunk) for chunk in range(plan.chunks)])
    return np.asarray(ends[:, 1] - ends[:, 0])


class _Counts:
    """Sums over the matchups of one player count and variant, by chunk.

    Attributes:
        wins, places, scores, played: int64[C, F], by agent.
        seat_wins, seat_places, seat_scores, seat_played: int64[C, P], by seat.
        ahead, met: int64[C, F, F], times ahead in halves, and games together.
        remaining: int64[C, K], in sixtieths. members: int64[K, P], the agents of each set.
    """

    def __init__(
        self, field: Field, players: int, variant: str, plan: Plan, matchups: Sequence[tuple[int, ...]]
    ) -> None:
        self.field, self.players, self.variant, self.deals = field, players, variant, plan.deals
        self.deals_of_chunks = _deals_of_chunks(plan)
        self.lineup, self.until = ",".join(field.labels), plan.until
        chunks, size = plan.chunks, len(field.agents)
        self.by_agent = np.zeros((4, chunks, size), np.int64)
        self.by_seat = np.zeros((4, chunks, players), np.int64)
        self.ahead = np.zeros((chunks, size, size), np.int64)
        self.met = np.zeros((chunks, size, size), np.int64)
        self.last = np.zeros((chunks, size), np.int64)
        self._parts = [part for part in range(1, 1 << players) if part.bit_count() > 1]
        self._column: dict[tuple[int, ...], int] = {}
        for matchup in matchups:
            for agents in self._sets(matchup):
                self._column.setdefault(agents, len(self._column))
        self.remaining = np.zeros((chunks, len(self._column)), np.int64)

    def _sets(self, matchup: Sequence[int]) -> list[tuple[int, ...]]:
        """The sets of two and more agents of a matchup, in the order of `_parts`."""
        return [tuple(agent for k, agent in enumerate(matchup) if part >> k & 1) for part in self._parts]

    @cached_property
    def members(self) -> Array:
        members = np.full((len(self._column), self.players), len(self.field.agents))
        for agents, column in self._column.items():
            members[column, : len(agents)] = agents
        return members

    def add(self, matchup: Sequence[int], cell: Cell, store: Store) -> None:
        """Add the chunks of one matchup."""
        columns = np.array([self._column[agents] for agents in self._sets(matchup)])
        who = np.array(matchup)
        square = np.ix_(who, who)
        for chunk in range(len(self.last)):
            outcome, orders, _ = store.read((cell.number, chunk))
            for k, name in enumerate(("wins", "places", "scores", "played")):
                ahead = outcome[name][0][: self.players, : self.players]
                self.by_agent[k, chunk, who] += ahead.sum(axis=1)
                self.by_seat[k, chunk] += ahead.sum(axis=0)
            self.ahead[chunk][square] += orders["ahead"][0][: self.players, : self.players]
            self.met[chunk][square] += outcome["games"][0]
            self.remaining[chunk, columns] += orders["remaining"][0][self._parts]
            self.last[chunk, who] += orders["remaining"][0][[1 << k for k in range(self.players)]]

    def rate(self) -> Ratings:
        """Strengths and ranks."""
        played = self.by_agent[3]
        orders = Orders(
            chosen=played - self.last / SIXTIETH,
            members=self.members,
            counts=self.remaining / SIXTIETH,
            ahead=self.ahead / HALF,
        )
        return rate(orders, played.sum(axis=0), self.field.same)


def _add_agents(table: FigureTable, counts: _Counts) -> None:
    wins, places, scores, played = counts.by_agent
    _add_outcome(table, counts, wins, places, scores, played, agent=counts.field.labels)
    if counts.until:
        share = wins / WIN_UNITS / played
        low, high = anytime_interval(share, counts.deals_of_chunks)
        anytime = Estimate(share.mean(axis=0), low, high, played.sum(axis=0))
        table.add(counts, "win_share_anytime", anytime, agent=counts.field.labels)


def _add_outcome(
    table: FigureTable,
    counts: _Counts,
    wins: Array,
    places: Array,
    scores: Array,
    played: Array,
    **levels: Sequence[Any],
) -> None:
    table.add(counts, "win_share", stats.ratio(wins, played, unit=WIN_UNITS, n_deals=counts.deals), **levels)
    table.add(
        counts,
        "rank_mean",
        stats.ratio(places, played, unit=2, span=(1.0, counts.players), deals=counts.deals),
        **levels,
    )
    table.add(counts, "score_mean", stats.ratio(scores, played), **levels)


def _add_pairwise(table: FigureTable, counts: _Counts) -> None:
    met = counts.met * ~np.eye(len(counts.field.labels), dtype=bool)
    labels = counts.field.labels
    estimate = stats.ratio(counts.ahead, met, unit=HALF, n_deals=counts.deals)
    # Nobody meets itself, and in a sample of the matchups not everybody meets.
    table.add(counts, "ahead_share", estimate, keep=met.sum(axis=0) > 0, agent=labels, opponent=labels)


def _add_ratings(table: FigureTable, counts: _Counts) -> None:
    ratings = counts.rate()
    table.add(counts, "strength", ratings.strength, agent=counts.field.labels)
    table.add(counts, "rank", ratings.rank, agent=counts.field.labels)


def unrated(ratings: Any) -> bool:
    """Whether some fit of strengths did not converge: there were games enough, and there is no value."""
    strengths = ratings[ratings["figure"] == "strength"]
    return bool((strengths["value"].isna() & (strengths["n"] >= MIN_EVENTS)).any())


def _add_nash(table: FigureTable, counts: _Counts) -> None:
    nash = nash_average(counts.ahead / HALF, counts.met, counts.deals)
    if nash is not None:  # in a sample of the matchups not all have met
        table.add(counts, "weight", nash.weight, agent=counts.field.labels)
        table.add(counts, "score", nash.score, agent=counts.field.labels)


def _add_seats(table: FigureTable, counts: _Counts) -> None:
    wins, places, scores, played = counts.by_seat
    seats = range(counts.players)
    _add_outcome(table, counts, wins, places, scores, played, seat=seats)
    share = stats.ratio(wins, played, unit=WIN_UNITS, n_deals=counts.deals)
    table.add(counts, "win_share_minus_equal", share.minus(1 / counts.players), seat=seats)

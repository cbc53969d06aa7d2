"""tournament: which agent of a field is best?

Every choice of as many agents as there are seats plays the same deals, in balanced seatings. Chunk c of every matchup holds the same
deals, so figures over all matchups are sums chunk by chunk, paired by deal.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, Unpack

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.analysis import WORTHS
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.errors import ArgumentError, check_range, check_whole
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import FigureTable, Tables
from strozzi_sim.game.variants import Variant
from strozzi_sim.simulation.finishing_orders import HALF, ORDER_UNITS
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.stats.confidence_sequences import ALPHA, FIRST_LOOK, anytime_interval, differs_anytime
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.nash import nash_average
from strozzi_sim.stats.precision import reach
from strozzi_sim.stats.ratings import Orders, fit_ratings
from strozzi_sim.study.arguments import RunOptions, documented
from strozzi_sim.study.cells import GAMES_SAVED, WITHOUT_LUCK, Cell, CountsOf, CountsOfChunks, Rule, luck_sums
from strozzi_sim.study.look import Look, Section
from strozzi_sim.study.model import CHUNKS, Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import run
from strozzi_sim.study.standings import dominance_sentences, field_orders, sections_of_field, standing_sentences

DECIDED = "decided"
_CHUNKS_IN_ALL, _FEWEST_CHUNKS = 2000, 20
Matchup = tuple[int, ...]  # places of agents in the field


@documented
def tournament(
    game: str | Game,
    agents: Agents,
    *,
    players: Players = None,
    deals: int = 200,
    until: str = "",
    max_matchups: int = 5000,
    luck: str = "",
    luck_redraws: int | None = None,
    seatings: Design = "latin",
    variant: Variants = "base",
    seed: int = 0,
    **options: Unpack[RunOptions],
) -> Results:
    """Rank a field of agents: every combination of them on the same deals, in every seating.

    Example: strozzi tournament strozzi --players 4 --agents random,greedy,heuristic,florence,racer --deals 200

    Args:
        agents: the agents, separated by commas
        deals: deals for every matchup
        until: stop when win shares are known to within +- this, such as 0.02, or all pairs are `decided`
        max_matchups: most matchups of a player count; of more a balanced sample is played
        seatings: latin, all, rotate or spread (each deal once, seatings in turn)
        variant: a variant; may be given several times

    >>> import strozzi_sim as ss
    >>> found = ss.tournament("strozzi", ["random", "greedy", "heuristic"], players=3, deals=50)
    >>> strength = found.tables["ratings"].query("figure == 'strength'").set_index("agent")["value"]
    >>> bool(strength["heuristic"] > strength["greedy"] > strength["random"])
    True
    """
    the_game = names.game_named(game)
    counts = names.player_counts(the_game, players)
    field = sorted(names.agents_named(the_game, agents, counts=counts), key=lambda spec: spec.text)
    study = Tournament.of(
        game=the_game, lineups=[[agent] for agent in field], players=counts, deals=deals, until=str(until),
        max_matchups=max_matchups, luck=luck, luck_redraws=luck_redraws, seatings=seatings, variants=names.variants_named(the_game, variant), seed=seed,
    )  # fmt: skip
    return run(study, look=study.look(), **options)


class Tournament(Study, frozen=True, kw_only=True, tag="tournament"):
    """A tournament of the agents of its line-ups, in alphabetical order."""

    max_matchups: int = 5000  # of a player count
    until: str = ""  # half width of every agent's win share, or DECIDED, at which play stops; "": all deals are played
    keeps_orders, keeps_copies, usual_deals = True, True, 200
    printed = ("ratings", "agents")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents in tables: copies are numbered."""
        seen, found = Counter[str](), []
        for (text,) in self.lineups:
            seen[text] += 1
            found.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
        return tuple(found)

    @cached_property
    def matchups(self) -> dict[int, list[Matchup]]:
        """The matchups of every player count."""
        return {players: _matchups(self.labels, players, self.max_matchups, self.seed) for players in self.players}

    def _line(self, matchup: Matchup) -> tuple[str, ...]:
        return tuple(self.lineups[k][0] for k in matchup)

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield a cell for every matchup; matchups of the same agents share one."""
        for players, found in self.matchups.items():
            lines = dict.fromkeys(map(self._line, found))
            for line, variant in product(lines, self.variant_of.values()):
                yield players, tuple(self.specs[text] for text in line), variant, ""

    def cells_of(self, players: int, variant: str) -> list[tuple[Matchup, Cell]]:
        """Return the matchups with the cells that play them."""
        here = [cell for cell in self.cells if (cell.match.players, cell.match.variant.name) == (players, variant)]
        found = {tuple(spec.text for spec in cell.match.lineup): cell for cell in here}
        return [(matchup, found[self._line(matchup)]) for matchup in self.matchups[players]]

    @property
    def can_grow(self) -> bool:
        return not self.until and super().can_grow

    @classmethod
    def usual_chunks(cls, keys: Mapping[str, Any]) -> int:
        """Return fewer chunks if there are many matchups."""
        size, most = len(keys["lineups"]), int(keys.get("max_matchups", 5000))
        cells = sum(min(comb(size, players), most) for players in keys["players"]) * len(keys["variants"])
        return min(max(_CHUNKS_IN_ALL // max(cells, 1), _FEWEST_CHUNKS * (3 if keys.get("until") else 1)), CHUNKS)

    def check(self) -> None:
        check_whole("max_matchups", self.max_matchups, 1, 100_000)
        most = max(self.players)
        if len(self.lineups) < most:
            raise ArgumentError("agents", f"{most} players need at least as many agents, got {', '.join(self.labels)}")
        if self.precision:
            raise ArgumentError("precision", "of a tournament is called until: a half width such as 0.02, or `decided`")
        if self.seatings == "one":
            kept = "with one an agent keeps its seat and its gain from it"
            raise ArgumentError("seatings", f"{kept}; give latin, all, rotate or spread")
        if self.until not in ("", DECIDED):
            try:
                width = float(self.until)
            except ValueError:
                raise ArgumentError(
                    "until", f"expected a width such as 0.02, or {DECIDED!r}, got {self.until!r}"
                ) from None
            check_range("until", width, 1e-4, 0.5)

    def rule(self, counts: CountsOfChunks) -> Rule | None:
        return Until(self, counts) if self.until else None

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        keys = {"agents": ["agent"], "pairwise": ["agent", "opponent"], "ratings": ["agent"], "seat_effects": ["seat"], "nash": ["agent"]}  # fmt: skip
        tables = {name: FigureTable(*each) for name, each in keys.items()}
        for players, variant in product(self.players, self.variant_of):
            field = FieldCounts(self, players, variant)
            for matchup, cell in self.cells_of(players, variant):
                found = counts(cell)
                field.add(matchup, found.outcome, found.counts)
            for name, table in tables.items():
                getattr(field, f"add_{name}")(table)
        return tables

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return which agent beats every other one, or how large an advantage could be missed, cycles, and the order by strength."""
        return [*dominance_sentences(field_orders(tables, self.chunks)), *standing_sentences(self, tables)]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        return sections_of_field(self, tables)


@dataclass
class Until:
    """The rule `until` of a tournament: every win share is known to a width, or the better of every two agents is decided."""

    study: Tournament
    counts: CountsOfChunks

    def is_met(self, chunks: int) -> bool:
        """Return whether the rule is met at every player count and variant."""
        every = product(self.study.players, self.study.variant_of)
        return chunks >= FIRST_LOOK and all(self._is_known(*key, range(chunks)) for key in every)

    def table(self, chunks: int) -> None:
        """Return None: `win_share_anytime` has the precision."""

    def _is_known(self, players: int, variant: str, chunks: range) -> bool:
        sums = np.zeros((3, len(chunks), len(self.study.labels)), np.int64)
        cells = self.study.cells_of(players, variant)
        for matchup, cell in cells:
            outcome = self.counts(cell, chunks).outcome
            for k, name in enumerate(("wins", "places", "played")):
                sums[k][:, list(matchup)] += outcome[name].sum(axis=2)[:, :players]
        wins, places, played = sums
        if self.study.until != DECIDED:
            shares = wins / WIN_UNITS / played
            low, high = anytime_interval(shares, deals_by_chunk(self.study, cells[0][1])[: len(chunks)])
            return bool((reach(shares.mean(axis=0), low, high) <= float(self.study.until)).all())
        place = places / 2 / played
        first, second = np.triu_indices(place.shape[1], 1)
        gap = (place[:, first] - place[:, second]) / (2 * (players - 1)) + 0.5  # in [0, 1], 1/2 if they are equal
        return bool(differs_anytime(gap, 0.5, ALPHA / len(first)).all())


class FieldCounts:
    """Sums over the matchups of one player count and variant, by chunk, and the tables made of them; a cell for `FigureTable`."""

    def __init__(self, study: Tournament, players: int, variant: str) -> None:
        size, chunks = len(study.labels), study.chunks
        self.study, self.players, self.variant = study, players, variant
        self.deals, self.lineup = study.deals, ",".join(study.labels)
        self.by_agent = np.zeros((4, chunks, size), np.int64)  # wins, places, scores, played
        self.by_seat = np.zeros((4, chunks, players), np.int64)
        self.ahead, self.met = (np.zeros((chunks, size, size), np.int64) for _ in range(2))
        self.last = np.zeros((chunks, size), np.int64)
        self.luck = np.zeros((len(LUCK_SUMS), chunks, size, len(WORTHS))) if study.luck else None
        self._parts = [part for part in range(1, 1 << players) if part.bit_count() > 1]  # sets of positions
        every = [agents for matchup in study.matchups[players] for agents in self._sets(matchup)]
        self._column = {agents: number for number, agents in enumerate(dict.fromkeys(every))}
        self.remaining = np.zeros((chunks, len(self._column)), np.int64)

    def _sets(self, matchup: Matchup) -> list[Matchup]:
        return [tuple(agent for k, agent in enumerate(matchup) if part >> k & 1) for part in self._parts]

    def add(self, matchup: Matchup, outcome: Array, orders: Array) -> None:
        """Add the chunks of one matchup."""
        who, players = np.array(matchup), self.players
        for k, name in enumerate(("wins", "places", "scores", "played")):
            found = outcome[name][:, :players, :players]
            self.by_agent[k][:, who] += found.sum(axis=2)
            self.by_seat[k] += found.sum(axis=1)
        if self.luck is not None:
            for k, name in enumerate(LUCK_SUMS):
                self.luck[k][:, who] += outcome[name][:, :players, :players].sum(axis=2)
        square = (slice(None), who[:, None], who[None, :])
        self.ahead[square] += orders["ahead"][:, :players, :players]
        self.met[square] += outcome["games"][:, None, None]
        columns = [self._column[agents] for agents in self._sets(matchup)]
        self.remaining[:, columns] += orders["remaining"][:, self._parts]
        self.last[:, who] += orders["remaining"][:, [1 << k for k in range(players)]]

    def add_agents(self, table: FigureTable) -> None:
        """Add the figures of every agent over all its games."""
        labels, (wins, _, scores, played) = self.study.labels, self.by_agent
        table.add_all(self, self._results(self.by_agent), agent=labels)
        if self.luck is not None:
            of_luck = luck_sums({"win_share": wins / WIN_UNITS, "score_mean": scores}, self.luck, played)
            for figure, sums in of_luck.items():
                table.add(self, f"{figure}{WITHOUT_LUCK}", stats.ratio(sums.adjusted(), played), agent=labels)
                table.add(self, f"{figure}{GAMES_SAVED}", sums.games_saved(), agent=labels)
        if self.study.until:
            share, (_, cell) = wins / WIN_UNITS / played, self.study.cells_of(self.players, self.variant)[0]
            low, high = anytime_interval(share, deals_by_chunk(self.study, cell))
            anytime = Estimate(share.mean(axis=0), low, high, played.sum(axis=0))
            table.add(self, "win_share_anytime", anytime, agent=labels)

    def _results(self, sums: Array) -> dict[str, Estimate]:
        wins, places, scores, played = sums
        return {
            "win_share": stats.ratio(wins, played, unit=WIN_UNITS, n_deals=self.deals),
            "rank_mean": stats.ratio(places, played, unit=2, span=(1.0, self.players), deals=self.deals),
            "score_mean": stats.ratio(scores, played),
        }

    def add_pairwise(self, table: FigureTable) -> None:
        """Add how often every agent finished ahead of every other that it met."""
        met, labels = self.met * ~np.eye(len(self.study.labels), dtype=bool), self.study.labels
        estimate = stats.ratio(self.ahead, met, unit=HALF, n_deals=self.deals)
        table.add(self, "ahead_share", estimate, keep=met.sum(axis=0) > 0, agent=labels, opponent=labels)

    def add_ratings(self, table: FigureTable) -> None:
        """Add strength and rank of every agent."""
        members, played = np.full((len(self._column), self.players), len(self.study.labels)), self.by_agent[3]
        for agents, column in self._column.items():
            members[column, : len(agents)] = agents
        texts = [line[0] for line in self.study.lineups]
        chosen, remaining = played - self.last / ORDER_UNITS, self.remaining / ORDER_UNITS
        orders = Orders(chosen, members, remaining, self.ahead / HALF)
        ratings = fit_ratings(orders, played.sum(axis=0), np.array([texts.index(text) for text in texts]))
        table.add_all(self, {"strength": ratings.strength, "rank": ratings.rank}, agent=self.study.labels)

    def add_nash(self, table: FigureTable) -> None:
        """Add the mixture that no agent beats, and every agent's score against it, with two players; nothing if not all have met."""
        found = nash_average(self.ahead / HALF, self.met, self.deals) if self.players == 2 else None
        if found is not None:
            table.add_all(self, {"weight": found.weight, "score": found.score}, agent=self.study.labels)

    def add_seat_effects(self, table: FigureTable) -> None:
        """Add the figures of every seat over all agents."""
        found = self._results(self.by_seat)
        found["win_share_minus_equal"] = found["win_share"].minus(1 / self.players)
        table.add_all(self, found, seat=range(self.players))


def deals_by_chunk(study: Study, cell: Cell) -> Array:
    """Return the number of deals of each chunk, int64[C]."""
    ends = np.array([study.deals_of(cell, chunk) for chunk in range(study.chunks)])
    return np.asarray(ends[:, 1] - ends[:, 0])


def _matchups(labels: Sequence[str], players: int, most: int, seed: int) -> list[Matchup]:
    """Return all matchups, or `most` in which agents are about equally often: in rounds, each in an order that depends on the seed alone."""
    size = len(labels)
    if comb(size, players) <= most:
        return list(combinations(range(size), players))
    found: set[Matchup] = set()
    waiting: list[int] = []
    number = 0
    while len(found) < most:
        if len(set(waiting)) < players:
            keys = [hashlib.sha256(repr((seed, players, number, label)).encode()).digest() for label in labels]
            waiting += sorted(range(size), key=keys.__getitem__)
            number += 1
        chosen = list(dict.fromkeys(waiting))[:players]
        for agent in chosen:
            waiting.remove(agent)
        found.add(tuple(sorted(chosen)))
    return sorted(found)

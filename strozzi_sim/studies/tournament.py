"""A tournament: every choice of as many agents as there are seats, on the same deals, in balanced seatings.

It is a study whose line-ups are the matchups, so it plays, stores and resumes like one. Chunk c of every matchup holds
the same deals; figures over all matchups are summed chunk by chunk, and so are paired by deal.

Seatings are Latin squares of Williams (1949) unless asked otherwise: with `rotate` everybody sits at every seat, but
always next after the same opponent, which moves win shares by several points where the one before you matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, AnyAgent
from strozzi_sim.errors import ArgumentError, check_range, counted, known_names, shown
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.games.variants import AnyVariant, Variant
from strozzi_sim.kernel.wins import WIN_UNITS
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.sequences import ALPHA, FIRST_LOOK, anytime_interval, surely_differs
from strozzi_sim.studies import standings
from strozzi_sim.studies.calibrated import with_counts
from strozzi_sim.studies.matchups import Field, make_field, matchups
from strozzi_sim.studies.names import find_agents, find_players, find_variants
from strozzi_sim.studies.plan import CHUNKS, Cell, Extent, Plan
from strozzi_sim.studies.planning import plan_of
from strozzi_sim.studies.played import Played
from strozzi_sim.studies.run import StoppingRule
from strozzi_sim.studies.store import Store
from strozzi_sim.studies.study import Run, Study, run

MAX_MATCHUPS = 5000
DECIDED = "decided"
SEATINGS = ("latin", "all", "rotate")
_CHUNKS_IN_ALL, _FEWEST_CHUNKS = 2000, 20


@dataclass(frozen=True)
class Sample:
    """How much of a tournament is played.

    Attributes:
        matchups: so many at most at each player count; of more, a balanced sample is taken.
        until: it stops when every win share is known to within +- this width, or when all pairs are "decided"; "" is
            never.

    Raises:
        ArgumentError: out of range.
    """

    matchups: int = MAX_MATCHUPS
    until: str = ""

    def __post_init__(self) -> None:
        """Check both."""
        check_range("matchups", self.matchups, 1, 100_000)
        assert self.rule is not None

    @property
    def rule(self) -> str:
        """`until` in canonical form: "decided", a width, or ""."""
        if self.until in ("", DECIDED):
            return self.until
        try:
            width = float(self.until)
        except ValueError:
            width = 0.0
        if not 0 < width < 1:
            raise ArgumentError(
                "until", f"expected a width between 0 and 1, such as 0.02, or {DECIDED!r}, got {self.until!r}"
            )
        return f"{width:g}"


@dataclass(frozen=True)
class Tournament(Study):
    """A tournament, resolved.

    Attributes:
        plan: the study that plays it.
        field: who plays.
        matchups: by player count, indices into the field.
        sampled: whether there would be more matchups.
    """

    field: Field
    matchups: dict[int, list[tuple[int, ...]]]
    sampled: bool

    def summary(self) -> str:
        """What times what is how many games."""
        parts = []
        for players in self.plan.players:
            cells = [cell for cell in self.plan.cells if cell.match.players == players]
            lineups = {cell.lineup for cell in cells}
            sat, seatings = len(cells[0].match.design), counted(len(cells[0].match.design), "seating")
            variants = f"{len(self.plan.variants)} variants x " if len(self.plan.variants) > 1 else ""
            games = len(cells) * sat * self.plan.deals
            parts.append(
                f"{players} players: {counted(len(lineups), 'matchup')} x {variants}{seatings} x {counted(self.plan.deals, 'deal')} = "
                f"{counted(games, 'game')}"
            )
        total = f"; in all {self.plan.games:,} games" if len(parts) > 1 else ""
        note = " (a balanced sample of the matchups; matchups sets the maximum)" if self.sampled else ""
        return f"{self.plan.game.title}, {len(self.field.agents)} agents; {'; '.join(parts)}{total}{note}"

    def tables(self, plan: Plan, store: Store) -> dict[str, Any]:
        """The tables: agents, pairwise, ratings, seat_effects; with two players nash too."""
        adding = {
            "agents": standings.add_agents,
            "pairwise": standings.add_pairwise,
            "ratings": standings.add_ratings,
            "seat_effects": standings.add_seats,
            "nash": standings.add_nash,
        }
        made = {
            name: (FigureTable(*keys), adding[name])
            for name, keys in standings.KEYS.items()
            if name != "nash" or 2 in plan.players
        }
        for players in plan.players:
            for variant in plan.variants:
                counts = self._counts(plan, store, players, variant.name)
                for name, (table, add) in made.items():
                    if name != "nash" or players == 2:
                        add(table, counts)
        return {name: table.frame() for name, (table, _) in made.items()}

    def stopping_rule(self) -> StoppingRule | None:
        """Whether the rule `until` is met by the chunks so far, at every player count and variant; asked chunk by chunk.

        None if there is no such rule.

        A width: every agent's win share is known to within +- width. "decided": for every two agents it is sure whose
        mean place is better, all pairs at once.
        """
        if not self.plan.until:
            return None
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

    def _counts(self, plan: Plan, store: Store, players: int, variant: str) -> standings.Counts:
        counts = standings.Counts(self.field, players, variant, plan, self.matchups[players])
        for matchup, cell in self._cells(players, variant):
            counts.add(matchup, cell, store)
        return counts


def tournament(
    game: str | Game,
    *,
    agents: Sequence[AnyAgent],
    players: int | Sequence[int] | None = None,
    deals: int = 200,
    seatings: str = "latin",
    variants: AnyVariant | Sequence[AnyVariant] = "base",
    seed: int = 0,
    sample: Sample | None = None,
    how: Run | None = None,
) -> Played:
    """Rank a field of agents: every choice of them on the same deals, in every seating.

    Args:
        game: what is played.
        agents: the field.
        players: player counts; None is 4, or the fewest of the game.
        deals: of every matchup; the most, if it may stop before.
        seatings: latin, all or rotate.
        variants: of the game's components.
        seed: 0 .. 2^53 - 1.
        sample: how many matchups, and when it may stop.
        how: folder, workers and progress.

    Raises:
        InputError: the field is too small, or something cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    how, game = how or Run(), find_game(game)
    counts, field = find_players(game, players), find_agents(agents, game)
    found = find_variants(game, variants)
    field, calibrations = with_counts(
        field, game, counts, found, folder=how.folder, calibrating=how.progress.calibrating
    )
    planned = plan_tournament(game, field, Extent(counts, deals, seatings, seed), found, sample or Sample())
    return run(replace(planned, plan=replace(planned.plan, calibrated=calibrations)), how)


def plan_tournament(
    game: Game, agents: Sequence[AgentSpec], extent: Extent, variants: Sequence[Variant], sample: Sample
) -> Tournament:
    """The tournament of a field.

    Raises:
        InputError: the field is too small, or something cannot be played; names the argument.
    """
    field, size = make_field(agents), len(agents)
    for count in extent.players:
        if size < count:
            names = ", ".join(field.labels)
            raise ArgumentError(
                "agents", f"a tournament with {count} players needs at least {count} agents, got {size} ({names})"
            )
    if extent.seatings not in SEATINGS:
        known = known_names(extent.seatings, SEATINGS)
        raise ArgumentError("seatings", f"no seating design of a tournament: {shown(extent.seatings)}; {known}")
    most = sample.matchups
    chosen = {count: matchups(field, count, most, extent.seed) for count in extent.players}
    lineups = [[field.agents[k] for k in matchup] for found in chosen.values() for matchup in found]
    cells = len({tuple(lineup) for lineup in lineups}) * len(variants)
    chunks = min(max(_CHUNKS_IN_ALL // cells, _FEWEST_CHUNKS * (3 if sample.until else 1)), CHUNKS)
    plan = plan_of("tournament", game, lineups, variants, replace(extent, chunks=chunks), orders=True)
    sampled = any(comb(size, count) > most for count in extent.players)
    return Tournament(replace(plan, until=sample.rule), field, chosen, sampled)


def _is_enough(sums: Array, plan: Plan, players: int) -> bool:
    """Whether the rule is met; `sums` is int64[C, 3, F]."""
    if len(sums) < FIRST_LOOK:
        return False
    wins, places, played = sums[:, 0], sums[:, 1], sums[:, 2]
    if plan.until != DECIDED:
        low, high = anytime_interval(wins / WIN_UNITS / played, standings.deals_of_chunks(plan)[: len(sums)])
        return bool((high - low <= 2 * float(plan.until)).all())
    place = places / 2 / played
    first, second = np.triu_indices(place.shape[1], 1)
    gap = (place[:, first] - place[:, second]) / (2 * (players - 1)) + 0.5  # in [0, 1], 1/2 if they are equal
    return bool(surely_differs(gap, 0.5, ALPHA / len(first)).all())

"""A tournament: every choice of as many agents as there are seats, on the same deals, in balanced seatings.

It is a study whose line-ups are the matchups, so it plays, stores and resumes like one. Chunk c of every matchup holds
the same deals; figures over all matchups are summed chunk by chunk, and so are paired by deal.

Seatings default to Latin squares of Williams (1949): with `rotate` every agent sits at every seat, but
always next after the same opponent, which moves win shares by several points where the one before you matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import ArgumentError, check_whole, pluralize, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.confidence_sequences import ALPHA, FIRST_LOOK, anytime_interval, differs_anytime
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.precision import reach
from strozzi_sim.studies import standings
from strozzi_sim.studies.matchups import Field, make_field, matchups
from strozzi_sim.studies.plan import CHUNKS, Cell, Plan
from strozzi_sim.studies.planning import make_plan, name_of
from strozzi_sim.studies.run import StoppingRule
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind

MAX_MATCHUPS = 5000
DECIDED = "decided"
SEATINGS = ("latin", "all", "rotate", "spread")
_CHUNKS_IN_ALL, _FEWEST_CHUNKS = 2000, 20


@dataclass(frozen=True)
class Tournament(Kind):
    """A tournament, resolved.

    Attributes:
        plan: the study that plays it.
        field: the agents.
        matchups: by player count, indices into the field.
        most: largest number of matchups at each player count; of more, a balanced sample is taken.
    """

    field: Field
    matchups: dict[int, list[tuple[int, ...]]]
    most: int

    def summary(self) -> str:
        """Return the matchups, seatings and deals at each player count, and the number of games."""
        parts = []
        for players in self.plan.players:
            cells = [cell for cell in self.plan.cells if cell.match.players == players]
            lineups = {cell.lineup for cell in cells}
            sat, seatings = cells[0].match.games_per_deal, pluralize(cells[0].match.games_per_deal, "seating")
            variants = f"{len(self.plan.variants)} variants x " if len(self.plan.variants) > 1 else ""
            games = len(cells) * sat * self.plan.deals
            parts.append(
                f"{players} players: {pluralize(len(lineups), 'matchup')} x {variants}{seatings} x {pluralize(self.plan.deals, 'deal')} = "
                f"{pluralize(games, 'game')}"
            )
        total = f"; in all {self.plan.games:,} games" if len(parts) > 1 else ""
        sampled = any(comb(len(self.field.agents), count) > self.most for count in self.plan.players)
        note = " (a balanced sample of the matchups; max_matchups sets the maximum)" if sampled else ""
        return f"{self.plan.game.title}, {len(self.field.agents)} agents; {'; '.join(parts)}{total}{note}"

    def precision(self) -> None:
        """Return None: `win_share_anytime` has the precision of a tournament."""

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return the tables agents, pairwise, ratings, seat_effects and nash."""
        adding = {
            "agents": standings.add_agents,
            "pairwise": standings.add_pairwise,
            "ratings": standings.add_ratings,
            "seat_effects": standings.add_seats,
            "nash": standings.add_nash,
        }
        made = {name: (FigureTable(*keys), adding[name]) for name, keys in standings.KEYS.items()}
        for players in plan.players:
            for variant in plan.variants:
                counts = self._counts(plan, store, players, variant.name)
                for table, add in made.values():
                    add(table, counts)
        return {name: table.frame() for name, (table, _) in made.items()}

    def stopping_rule(self) -> StoppingRule | None:
        """Whether the rule `until` is met by the chunks so far, at every player count and variant; asked chunk by chunk.

        None if there is no such rule.

        A width: every agent's win share is known to within +- width. "decided": for every two agents it is significant whose
        mean place is better, all pairs at once.
        """
        if not self.plan.until:
            return None
        seen: dict[tuple[int, str], list[Array]] = {}

        def stopping_rule(plan: Plan, store: MemoryStore) -> bool:
            met = True
            for players in plan.players:
                for variant in plan.variants:
                    sums = seen.setdefault((players, variant.name), [])
                    for chunk in range(len(sums), plan.chunks):
                        sums.append(self._sums(store, players, variant.name, chunk))
                    met = met and _is_enough(np.array(sums), plan, players)
            return met

        return stopping_rule

    def _sums(self, store: MemoryStore, players: int, variant: str, chunk: int) -> Array:
        """Return wins, doubled places and games of one chunk by agent, int64[3, F]."""
        sums = np.zeros((3, len(self.field.agents)), np.int64)
        for matchup, cell in self._cells(players, variant):
            outcome = store.read((cell.number, chunk))[0]
            for k, name in enumerate(("wins", "places", "played")):
                sums[k, list(matchup)] += outcome[name][0].sum(axis=1)[:players]
        return sums

    def _cells(self, players: int, variant: str) -> list[tuple[tuple[int, ...], Cell]]:
        """Return the matchups with the cells that play them."""
        cells = {
            tuple(spec.text for spec in cell.match.lineup): cell
            for cell in self.plan.cells
            if (cell.match.players, cell.match.variant.name) == (players, variant)
        }
        texts = [spec.text for spec in self.field.agents]
        return [(matchup, cells[tuple(texts[k] for k in matchup)]) for matchup in self.matchups[players]]

    def _counts(self, plan: Plan, store: MemoryStore, players: int, variant: str) -> standings.Counts:
        counts = standings.Counts(self.field, players, variant, plan, self.matchups[players])
        for matchup, cell in self._cells(players, variant):
            counts.add(matchup, cell, store)
        return counts


def plan_tournament(
    game: Game, agents: Sequence[AgentSpec], variants: Sequence[Variant], players: Sequence[int], deals: int, seatings: str,
    seed: int, most: int = MAX_MATCHUPS, until: str | float = "", *, luck: str = "", luck_redraws: int | None = None,
) -> Tournament:  # fmt: skip
    """The tournament of a field.

    Raises:
        InputError: the field is too small, or something cannot be played; names the argument.
    """
    field, size, rule = make_field(agents), len(agents), _rule(str(until))
    for count in players:
        if size < count:
            names = ", ".join(field.labels)
            raise ArgumentError(
                "agents", f"a tournament with {count} players needs at least {count} agents, got {size} ({names})"
            )
    if seatings not in SEATINGS:
        raise ArgumentError(
            "seatings",
            f"no seating design of a tournament: {short_repr(seatings)}; {suggest_names(seatings, SEATINGS)}",
        )
    check_whole("max_matchups", most, 1, 100_000)
    chosen = {count: matchups(field, count, most, seed) for count in players}
    lineups = [[field.agents[k] for k in matchup] for found in chosen.values() for matchup in found]
    cells = len({tuple(lineup) for lineup in lineups}) * len(variants)
    chunks = min(max(_CHUNKS_IN_ALL // cells, _FEWEST_CHUNKS * (3 if rule else 1)), CHUNKS)
    plan = make_plan(
        name_of("tournament", game), game, lineups, variants, players, deals, seatings=seatings, seed=seed, chunks=chunks,
        orders=True, until=rule, luck=luck, luck_redraws=luck_redraws,
    )  # fmt: skip
    return Tournament(plan, field, chosen, most)


def _rule(until: str) -> str:
    """`until` in canonical form: "decided", a width, or ""."""
    if until in ("", DECIDED):
        return until
    try:
        width = float(until)
    except ValueError:
        width = 0.0
    if not 0 < width < 1:
        raise ArgumentError("until", f"expected a width between 0 and 1, such as 0.02, or {DECIDED!r}, got {until!r}")
    return f"{width:g}"


def _is_enough(sums: Array, plan: Plan, players: int) -> bool:
    """Whether the rule is met; `sums` is int64[C, 3, F]."""
    if len(sums) < FIRST_LOOK:
        return False
    wins, places, played = sums[:, 0], sums[:, 1], sums[:, 2]
    if plan.until != DECIDED:
        shares = wins / WIN_UNITS / played
        low, high = anytime_interval(shares, standings.deals_of_chunks(plan)[: len(sums)])
        return bool((reach(shares.mean(axis=0), low, high) <= float(plan.until)).all())
    place = places / 2 / played
    first, second = np.triu_indices(place.shape[1], 1)
    gap = (place[:, first] - place[:, second]) / (2 * (players - 1)) + 0.5  # in [0, 1], 1/2 if they are equal
    return bool(differs_anytime(gap, 0.5, ALPHA / len(first)).all())

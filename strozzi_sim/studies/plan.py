"""The plan of a study, resolved to the last component. `planning` makes one."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import ArgumentError, check_whole, pluralize
from strozzi_sim.facts.blocks import Block
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.facts.row_storage import NO_ROWS, RowSelection
from strozzi_sim.game.component_keys import published_value
from strozzi_sim.game.contract import Game
from strozzi_sim.game.custom_heatmaps import HeatMapSpec
from strozzi_sim.game.restricting import Use, find_things
from strozzi_sim.game.variants import Variant
from strozzi_sim.simulation.finishing_orders import ORDERS
from strozzi_sim.simulation.loop import ROW
from strozzi_sim.simulation.luck import Luck
from strozzi_sim.simulation.match import Match, outcome_dtype
from strozzi_sim.studies.plan_identity import hash_of

CHUNKS = 200
MAX_EXPLORED = 24  # cells of a study with an explorer
MAX_DEALS = 1_000_000_000
RESUMES = "so a results folder resumes only with --trust-agents (in Python: trust_agents=True)"
SEATS, AGENTS, VARIANTS, MAPS = "seats", "agents", "variants", "heatmaps"  # of a headline, beside a game's pages
EFFECT = 0.01  # one point of a share, 1 % of a mean
_FOR_WORTH = {"one": "rotate", "spread": "rotate"}  # seatings where a worth is measured
_FEW = 8  # maximum line-ups, or warnings of a variant, listed one by one
FORMAT = "strozzi-sim.plan/1"


@dataclass(frozen=True)
class Cell:
    """Players x line-up x variant, and its number of deals.

    Attributes:
        number: its place among the cells of the plan, from 0.
        match: what is played.
        selfplay: whether one agent plays itself.
        deals: number of deals.
        thing: restriction of position 0 among copies of its agent, by which the study measures worth; "" of a line-up in the file.
    """

    number: int
    match: Match
    selfplay: bool
    deals: int
    thing: str = ""

    @property
    def lineup(self) -> str:
        """Line-up as tables print it."""
        return ",".join(spec.text for spec in self.match.lineup)


class Part(NamedTuple):
    """A share of the chunks of a study, equally many of every cell: number 1 .. `of`."""

    number: int
    of: int

    def has(self, cell: int, chunk: int) -> bool:
        """Return whether a chunk belongs to this part, which does not depend on the number of deals."""
        return (cell + chunk) % self.of == self.number - 1

    def __str__(self) -> str:
        """Return it as text, as in `2/5`."""
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class Plan:
    """A study, resolved.

    Attributes:
        name: name of the study, used for the results folder alone.
        game: the game.
        seed, deals, chunks, seatings, rows: as in the file; `chunks` is the number of chunks of a cell.
        chunk_deals: deals of a chunk, the last of which may be shorter; 0: `chunks` equal parts, and the study cannot be extended.
        search_deals: deals of the line-ups with an agent that searches; 0: `deals`.
        asked: facts to count where one agent plays itself, and nowhere else; None: those of a report, everywhere.
        players: player counts.
        lineups: the agents.
        variants: the component data.
        pages, heatmaps: what the report shows, heat maps by name; no part of the plan's hash.
        own_maps: specifications of the custom heat maps.
        orders: whether chunks keep finishing orders and count no facts (tournaments and their like).
        keep: the rows of facts that are kept.
        counted, held: the facts that chunks count, and the rows of them that they keep; no part of the hash either.
        worth: restrictions with which every agent that plays itself plays too, at position 0 on the same deals.
        until: when a tournament may stop before all deals are played, or "".
        sweep: swept keys with their values, whose combinations are the variants; no part of the hash, which has their components.
        question: the question that the headline of the report answers; no part of the hash.
        effect: smallest difference between variants that matters; no part of the hash.
        explorer: whether the crosstabs of the page's explorer are counted; no part of the hash.
        part: the share of the chunks that is played here; None: all; no part of the hash.
        luck: how the luck of every game is measured; None: it is not.
    """

    name: str
    game: Game
    seed: int
    players: tuple[int, ...]
    deals: int
    chunks: int
    seatings: str
    lineups: tuple[tuple[AgentSpec, ...], ...]
    variants: tuple[Variant, ...]
    rows: bool
    pages: tuple[str, ...]
    heatmaps: Mapping[str, HeatMap] = field(compare=False)
    own_maps: tuple[HeatMapSpec, ...] = field(default=(), compare=False)
    orders: bool = False
    keep: RowSelection = field(default=NO_ROWS, compare=False)
    counted: tuple[Crosstab, ...] = field(default=(), compare=False)
    held: RowSelection = field(default=NO_ROWS, compare=False)
    worth: tuple[str, ...] = ()
    until: str = ""
    search_deals: int = 0
    asked: tuple[Crosstab, ...] | None = field(default=None, compare=False)
    sweep: tuple[tuple[str, tuple[float, ...]], ...] = field(default=(), compare=False)
    question: str = field(default="", compare=False)
    effect: float = field(default=EFFECT, compare=False)
    explorer: bool = field(default=False, compare=False)
    chunk_deals: int = 0
    part: Part | None = field(default=None, compare=False)
    luck: Luck | None = None

    def __post_init__(self) -> None:
        """Check that the chunks hold all deals: whoever replaces one of these numbers must replace the others."""
        assert not self.chunk_deals or self.chunks == -(-self.deals // self.chunk_deals), "chunks do not hold the deals"

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Cells in the order of player counts, line-ups, variants; then those that measure worth."""
        found: list[Cell] = []
        counted: dict[tuple[int, str], Match] = {}
        for players, lineup, thing in [*self._lineups(), *self._restricted()]:
            for variant in self.variants:
                selfplay = len(lineup) == 1
                # A worth is measured against an equal share, so the restricted agent sits at every seat, of every deal.
                seatings = (
                    "one" if selfplay else _FOR_WORTH.get(self.seatings, self.seatings) if thing else self.seatings
                )
                match = Match(self.game, players, lineup, variant, self.seed, seatings)
                match.count_like(counted.setdefault((players, variant.name), match))
                deals = self.search_deals if any(spec.searches for spec in lineup) else 0
                found.append(Cell(len(found), match, selfplay, deals or self.deals, thing))
        return tuple(found)

    @property
    def lineup_cells(self) -> tuple[Cell, ...]:
        """Cells of the line-ups in the file, without those that measure worth."""
        return tuple(cell for cell in self.cells if not cell.thing)

    def _lineups(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], str]]:
        """Yield (players, line-up, "") of the line-ups that a player count allows."""
        for players, lineup in product(self.players, self.lineups):
            if len(lineup) in (1, players):
                yield players, lineup, ""

    def _restricted(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], str]]:
        """Yield (players, line-up, thing) of each agent that plays itself, with position 0 restricted."""
        for players, lineup, thing in product(self.players, self.lineups, self.worth):
            if len(lineup) == 1:
                yield players, (lineup[0].restricted(thing), *lineup * (players - 1)), thing

    @cached_property
    def things(self) -> dict[str, Use | None]:
        """The things whose worth is measured, with the facts that show their use."""
        return find_things(self.game, self.variants[0], self.worth) if self.worth else {}

    @property
    def swept_values(self) -> dict[str, tuple[float, ...]]:
        """The values of the swept keys, by variant."""
        combinations = product(*(values for _, values in self.sweep))
        return dict(zip((variant.name for variant in self.variants), combinations, strict=True))

    @property
    def reference(self) -> Variant:
        """The variant that others are compared with: in a sweep that of the published values, else the first."""
        published = tuple(published_value(self.game, key) for key, _ in self.sweep)
        known = [name for name, values in self.swept_values.items() if values == published] if self.sweep else []
        return next((each for each in self.variants if each.name in known), self.variants[0])

    def chunk_range(self, chunk: int, deals: int = 0) -> tuple[int, int]:
        """Return the deals of a chunk: first, and one past the last; `deals`: those of its cell, if not those of the plan."""
        deals = deals or self.deals
        if self.chunk_deals:
            return chunk * self.chunk_deals, min((chunk + 1) * self.chunk_deals, deals)
        return chunk * deals // self.chunks, (chunk + 1) * deals // self.chunks

    @cached_property
    def keys(self) -> tuple[tuple[int, int], ...]:
        """Numbers of cell and chunk of every chunk, or of those of the part that is played here."""
        every = ((cell.number, chunk) for cell in self.cells for chunk in range(self.chunks))
        return tuple(key for key in every if self.part is None or self.part.has(*key))

    def chunk_games(self, cell: Cell, chunk: int) -> int:
        """Return the number of games of a chunk of a cell."""
        first, last = self.chunk_range(chunk, cell.deals)
        return (last - first) * cell.match.games_per_deal

    def extended(self, deals: int) -> "Plan":
        """Return the plan with another number of deals and the same chunks; those that were full before stay as they are.

        Raises:
            ArgumentError: the study cannot be extended.
        """
        check_whole("deals", deals, 1, MAX_DEALS)
        if deals == self.deals:
            return self
        check_divisible(self, "deals")
        return replace(self, deals=deals, chunks=-(-deals // self.chunk_deals))

    def first_chunks(self, chunks: int) -> "Plan":
        """Return the plan of the first chunks alone."""
        last = chunks - 1
        search = self.chunk_range(last, self.search_deals)[1] if self.search_deals else 0
        return replace(self, chunks=chunks, deals=self.chunk_range(last)[1], search_deals=search)

    @property
    def outcome(self) -> np.dtype[Any]:
        """Dtype of the outcome of a chunk."""
        return outcome_dtype(self.luck is not None, self.answers)

    @property
    def answers(self) -> bool:
        """Whether answers are counted, because an agent replaces illegal ones."""
        return any(spec.agent.replaces for lineup in self.lineups for spec in lineup)

    @property
    def counts(self) -> np.dtype[Any]:
        """Dtype of the counts of a chunk."""
        return ORDERS if self.orders else np.dtype(np.int64)

    @cached_property
    def required_facts(self) -> tuple[Crosstab, ...]:
        """The facts that the report needs."""
        if self.orders:
            return ()
        if self.asked is not None:
            return self.asked
        maps = (heat_map.block.crosstab for heat_map in self.heatmaps.values() if heat_map.block)
        uses = (crosstab for use in self.things.values() if use for crosstab in use.crosstabs)
        explored = (block.crosstab for block in self.explored.values())
        return tuple(dict.fromkeys([*self.game.report.crosstabs(self.pages), *maps, *uses, *explored]))

    @property
    def has_pages(self) -> bool:
        """Whether all facts of a report are counted, so that tables and heat maps may be added to it."""
        return not self.orders and self.asked is None

    @property
    def explored(self) -> dict[str, Block]:
        """What the page's explorer shows, by name; nothing in a sweep or in a study of many cells, whose tables would be huge."""
        many = self.sweep or len(self.lineup_cells) > MAX_EXPLORED
        return {} if many or not self.explorer else self.game.report.explored(self.game.fact_tables)

    def counts_facts(self, cell: Cell) -> bool:
        """Return whether facts are counted in a cell."""
        return not cell.thing and (cell.selfplay or self.asked is None)

    def counted_in(self, cell: Cell) -> tuple[Crosstab, ...]:
        """Return the facts that the chunks of a cell count."""
        return self.counted if self.counts_facts(cell) else ()

    def chunk_bytes(self, key: tuple[int, int]) -> tuple[int, int, int]:
        """Return the most bytes that outcome, counts and rows of games of a chunk take."""
        cell = self.cells[key[0]]
        seats = self.chunk_games(cell, key[1]) * cell.match.players
        counts = 1 if self.orders else cell.match.plan(self.counted_in(cell)).size
        return self.outcome.itemsize, self.counts.itemsize * counts, ROW.itemsize * seats

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The digest of what chunks count, of every cell."""
        return tuple(cell.match.plan(self.counted_in(cell)).digest for cell in self.cells)

    @property
    def is_covered(self) -> bool:
        """Whether chunks of this plan answer all that its report asks, by what they count or by the rows they keep."""
        whole = self.held.tables if self.held.every == 1 else ()
        cells = [cell for cell in self.cells if self.counts_facts(cell)]
        counting = {id(plan): plan for cell in cells for plan in [cell.match.plan(self.counted)]}
        return all(
            crosstab.fact in whole or plan.can_answer(crosstab)
            for plan in counting.values()
            for crosstab in self.required_facts
        )

    @cached_property
    def games(self) -> int:
        """Games in all, or in the part that is played here."""
        if self.part is not None:
            return sum(self.chunk_games(self.cells[cell], chunk) for cell, chunk in self.keys)
        return sum(cell.deals * cell.match.games_per_deal for cell in self.cells)

    @property
    def kept_rows(self) -> int:
        """Largest number of rows of facts that chunks keep."""
        deals = -(-self.deals // self.held.every)
        tables = [table for table in self.game.fact_tables if table.name in self.held.tables]
        return sum(
            deals * cell.match.games_per_deal * table.max_rows(cell.match.setting) // max(table.sampled, 1)
            for cell in self.cells
            for table in tables
        )

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """All inputs that determine the results, as plain data."""
        kind = {"counts": "orders"} if self.orders else {"counts": "uses"} if self.asked is not None else {}
        rule: dict[str, Any] = {"until": self.until} if self.until else {}
        rule |= {"search_deals": self.search_deals} if self.search_deals else {}
        rule |= {"worth": list(self.worth)} if self.worth else {}
        rule |= {"chunk_deals": self.chunk_deals} if self.chunk_deals else {}
        rule |= {"luck": self.luck.resolved} if self.luck else {}
        rule |= {"answers": True} if self.answers else {}
        specs = self._specs
        rule |= {"undigested": {text: list(what) for text, what in self.undigested.items()}} if self.undigested else {}
        return (
            kind
            | rule
            | {
                "format": FORMAT,
                "game": self.game.name,
                "behaviour": self.game.behaviour,
                "seed": self.seed,
                "players": list(self.players),
                "deals": self.deals,
                "chunks": self.chunks,
                "seatings": self.seatings,
                "lineups": [[spec.text for spec in lineup] for lineup in self.lineups],
                "agents": {spec.text: dict(spec.values) for spec in specs},
                "agent_files": {spec.text: digest for spec in specs if (digest := spec.source_digest)},
                "variants": {variant.name: variant.components for variant in self.variants},
                "rows": self.rows,
            }
        )

    @property
    def _specs(self) -> list[AgentSpec]:
        """Its agents and their policies, by spec string."""
        agents = {spec for lineup in self.lineups for spec in lineup}
        return sorted(agents | {policy for spec in agents for policy in spec.policies}, key=lambda spec: spec.text)

    @cached_property
    def undigested(self) -> dict[str, tuple[str, ...]]:
        """What agents use whose changes cannot be detected, as text, by spec string."""
        return {spec.text: what for spec in self._specs if (what := spec.undigested)}

    @property
    def hash(self) -> str:
        """SHA-256 of the resolved plan."""
        return hash_of(self.resolved)

    def summary(self) -> str:
        """Return the plan in one line: its factors and the number of games."""
        cells = len(self.lineup_cells)
        more = (
            f", and {pluralize(len(self.cells) - cells, 'cell')} for the worth of {pluralize(len(self.worth), 'thing')}"
        )
        counts = ", ".join(str(players) for players in self.players)
        lineups = " | ".join(",".join(spec.text for spec in lineup) for lineup in self.lineups)
        if len(self.lineups) > _FEW:
            lineups = f"{len(self.lineups):,} of {len({spec for lineup in self.lineups for spec in lineup})} agents"
        names = ", ".join(variant.name for variant in self.variants)
        if len(self.variants) > _FEW:
            names = (
                f"{len(self.variants)} of {', '.join(key for key, _ in self.sweep)}"
                if self.sweep
                else f"{len(self.variants)}"
            )
        seatings = sorted({cell.match.games_per_deal for cell in self.cells})
        sat = pluralize(seatings[0], "seating") if len(seatings) == 1 else f"{seatings[0]}-{seatings[-1]} seatings"
        fewer = f" ({self.search_deals:,} with an agent that searches)" if self.search_deals else ""
        return (
            f"{self.game.title}: players {counts} x line-ups {lineups} x variants {names} = {pluralize(cells, 'cell')}{more if self.worth else ''}; "
            f"each {'at most ' if self.until else ''}{pluralize(self.deals, 'deal')}{fewer} x {sat} = {pluralize(self.games, 'game')}"
        )

    def warnings(self) -> list[str]:
        """Return the warnings of its variants and agents, one line each."""
        return [*warnings_of(self.variants), *(f"{line}; {RESUMES}" for line in self.unknown_code())]

    def unknown_code(self) -> list[str]:
        """Return a line for each agent that uses what cannot be digested."""
        return [
            f"agent {text}: changes of {', '.join(what[:_FEW])}{' and more' if len(what) > _FEW else ''} are not detected"
            for text, what in self.undigested.items()
        ]


def warnings_of(variants: Iterable[Variant]) -> list[str]:
    """Return the warnings of variants, one line each, and for each variant at most the first few."""
    lines = []
    for variant in variants:
        words, more = variant.warnings[:_FEW], len(variant.warnings) - _FEW
        rest = [f"and {more} more"] if more > 0 else []
        lines += [f"variant {variant.name}: {line}" for line in (*words, *rest)]
    return lines


def check_divisible(plan: Plan, argument: str) -> None:
    """Refuse a study that can neither be extended nor played in parts.

    Raises:
        ArgumentError: names `argument` and the reason.
    """
    reasons = {
        "it may stop before all deals are played": bool(plan.until),
        "search_deals divides its deals differently": bool(plan.search_deals),
        "only a study of a file can": not plan.chunk_deals,
    }
    for reason, applies in reasons.items():
        if applies:
            raise ArgumentError(argument, f"this study can neither be extended nor played in parts: {reason}")

"""The plan of a study: a TOML file, checked and resolved down to the last component.

name = "balance-by-player-count"
game = "strozzi"
seed = 2008
players = [3, 4, 5, 6]
deals = 20_000
seatings = "rotate"
lineups = [["heuristic"]]
variants = ["base", "rich-ends"]
[variant.rich-ends.tracks]
bonus = { 7 = 10, 8 = 15, 9 = 20 }
[report]
pages = ["balance"]
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import InputError, known_names, shown
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.keeping import NOTHING, Keep, keep_of
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.own_maps import OwnMap, own_heat_map
from strozzi_sim.games.variants import Variant, resolve_variant, words_of
from strozzi_sim.kernel.plain_data import read_toml
from strozzi_sim.play.calibrate import Calibration
from strozzi_sim.selfplay.match import Match
from strozzi_sim.selfplay.orders import ORDERS
from strozzi_sim.selfplay.seatings import DESIGNS, seating_design
from strozzi_sim.studies.names import find_agents

CHUNKS = 200
_FEW = 8  # line-ups that are still listed one by one
FORMAT = "strozzi-sim.plan/1"
_Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class _Report(msgspec.Struct, forbid_unknown_fields=True):
    pages: list[str] | None = None
    heatmaps: list[str] = []


class _StudyFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A study as its file says it; unknown keys are errors."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}$")]
    game: str
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    players: Annotated[list[int], Meta(min_length=1)] | None = None
    deals: _Count
    chunks: Annotated[int, Meta(ge=1, le=100_000)] = CHUNKS
    seatings: str = "rotate"
    lineups: Annotated[list[Annotated[list[str], Meta(min_length=1)]], Meta(min_length=1)]
    variants: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["base"])
    variant: dict[str, dict[str, Any]] = {}
    rows: bool = False
    facts: list[str] = []
    facts_share: float | None = None
    report: _Report = msgspec.field(default_factory=_Report)
    heatmap: list[OwnMap] = []


@dataclass(frozen=True)
class Extent:
    """How much of every line-up and variant is played.

    Attributes:
        players: player counts.
        deals: of every cell.
        seatings: name of the design.
        seed: 0 .. 2^53 - 1.
        chunks: of every cell, at most; never more than deals.
    """

    players: Sequence[int]
    deals: int
    seatings: str = "rotate"
    seed: int = 0
    chunks: int = CHUNKS


@dataclass(frozen=True)
class Cell:
    """Players x line-up x variant. `number` counts the cells of the plan from 0."""

    number: int
    match: Match
    selfplay: bool

    @property
    def lineup(self) -> str:
        """The line-up as tables print it."""
        return ",".join(spec.text for spec in self.match.lineup)


@dataclass(frozen=True)
class Plan:
    """A study, resolved.

    Attributes:
        name: of the study; it names the results folder and nothing else.
        game: what is played.
        seed, deals, chunks, seatings, rows: as in the file; `chunks` is the number of chunks of a cell.
        players: player counts.
        lineups: the agents.
        variants: the component data.
        pages, heatmaps: what the report shows, heat maps by name; no part of the plan's hash.
        own_maps: what was asked for of the heat maps that are no shipped ones.
        orders: whether chunks keep finishing orders and count no facts (tournaments and their like).
        keep: the rows of facts that are kept.
        counted, held: the facts that chunks count, and the rows of them that they keep; no part of the hash either.
        until: when a tournament may stop before all deals are played, or "".
        calibrated: agents given in seconds and the counts they play with; the counts alone are part of the hash.
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
    own_maps: tuple[OwnMap, ...] = field(default=(), compare=False)
    place: str = field(default="", compare=False)
    orders: bool = False
    keep: Keep = field(default=NOTHING, compare=False)
    counted: tuple[Crosstab, ...] = field(default=(), compare=False)
    held: Keep = field(default=NOTHING, compare=False)
    until: str = ""
    calibrated: tuple[Calibration, ...] = field(default=(), compare=False)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of player counts, line-ups, variants."""
        found: list[Cell] = []
        for players in self.players:
            for lineup in self.lineups:
                selfplay = len(lineup) == 1
                if not selfplay and len(lineup) != players:
                    continue
                for variant in self.variants:
                    seatings = "one" if selfplay else self.seatings
                    match = Match(self.game, players, lineup, variant, self.seed, seatings)
                    found.append(Cell(len(found), match, selfplay))
        return tuple(found)

    def chunk_range(self, chunk: int) -> tuple[int, int]:
        """The deals of a chunk: first, and one past the last."""
        return chunk * self.deals // self.chunks, (chunk + 1) * self.deals // self.chunks

    def chunk_games(self, cell: Cell, chunk: int) -> int:
        """The games of a chunk of a cell."""
        first, last = self.chunk_range(chunk)
        return (last - first) * len(cell.match.design)

    @property
    def counts(self) -> np.dtype[Any]:
        """The dtype of what chunks keep beside the outcome."""
        return ORDERS if self.orders else np.dtype(np.int64)

    @property
    def asked(self) -> tuple[Crosstab, ...]:
        """The facts that the report needs."""
        if self.orders:
            return ()
        maps = (heat_map.block.crosstab for heat_map in self.heatmaps.values() if heat_map.block)
        return tuple(dict.fromkeys([*self.game.report.crosstabs(self.pages), *maps]))

    @cached_property
    def games(self) -> int:
        """Games in all."""
        return sum(self.deals * len(cell.match.design) for cell in self.cells)

    @property
    def kept_rows(self) -> int:
        """How many rows of facts chunks keep, at most."""
        deals = -(-self.deals // self.held.every)
        tables = [table for table in self.game.fact_tables if table.name in self.held.tables]
        return sum(
            deals * len(cell.match.design) * table.most(cell.match.setting) // max(table.sampled, 1)
            for cell in self.cells
            for table in tables
        )

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """All that decides the results, as plain data."""
        kind = {"counts": "orders"} if self.orders else {}
        rule = {"until": self.until} if self.until else {}
        agents = {spec for lineup in self.lineups for spec in lineup}
        specs = sorted(agents | {policy for spec in agents for policy in spec.policies}, key=lambda spec: spec.text)
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
    def hash(self) -> str:
        """SHA-256 of the resolved plan."""
        return hash_of(self.resolved)

    def summary(self) -> str:
        """The plan in one line: what times what is how many games."""
        cells = len(self.cells)
        counts = ", ".join(str(players) for players in self.players)
        lineups = " | ".join(",".join(spec.text for spec in lineup) for lineup in self.lineups)
        if len(self.lineups) > _FEW:
            lineups = f"{len(self.lineups):,} of {len({spec for lineup in self.lineups for spec in lineup})} agents"
        names = ", ".join(variant.name for variant in self.variants)
        seatings = sorted({len(cell.match.design) for cell in self.cells})
        sat = f"{seatings[0]}" if len(seatings) == 1 else f"{seatings[0]}-{seatings[-1]}"
        return (
            f"{self.game.title}: players {counts} x line-ups {lineups} x variants {names} = {cells} cells; "
            f"each {self.deals:,} deals x {sat} seatings = {self.games:,} games"
        )


def hash_of(resolved: Mapping[str, Any]) -> str:
    """SHA-256 of a resolved plan."""
    return hashlib.sha256(json.dumps(resolved, sort_keys=True).encode()).hexdigest()


def read_study(file: Path) -> Plan:
    """The plan in a TOML file.

    Raises:
        StorageError: the file cannot be read.
        InputError: there is none, it is no TOML, or something in it cannot be played; names file and key.
    """
    return make_plan(read_toml(file), str(file))


def make_plan(raw: Mapping[str, Any], place: str) -> Plan:
    """The plan in plain data, as a TOML file has it; `place` is named in errors.

    Raises:
        InputError: something that cannot be played; names the place and the key.
    """
    study = _converted(raw, place)
    game = find_game(study.game, f"{place}: game")
    _check_names(study, game, place)
    variants = tuple(resolve_variant(game, name, study.variant, place) for name in study.variants)
    for unused in set(study.variant) - set(study.variants):
        raise InputError(f"{place}: variant.{unused}: defined but not listed in variants = {study.variants}")
    lineups = [find_agents(lineup, game, f"{place}: lineups[{number}]") for number, lineup in enumerate(study.lineups)]
    return _resolved(study, game, lineups, variants, place)


def plan_of(
    kind: str,
    game: Game,
    lineups: Sequence[Sequence[AgentSpec]],
    variants: Sequence[Variant],
    extent: Extent,
    *,
    orders: bool = False,
) -> Plan:
    """The plan of a study that has no file.

    Args:
        kind: what asks for it, such as "tournament"; it is part of the study's name, and errors begin with it.
        game: what is played.
        lineups: the agents; one of one agent is self-play, a longer one fits one player count.
        variants: the component data.
        extent: player counts, deals, seatings and seed.
        orders: whether chunks keep finishing orders and count no facts.

    Raises:
        InputError: something that cannot be played; names the kind and the argument.
    """
    raw = {
        "name": f"{kind}-{game.name.replace('_', '-')}",
        "game": game.name,
        "seed": extent.seed,
        "players": list(extent.players),
        "deals": extent.deals,
        "chunks": extent.chunks,
        "seatings": extent.seatings,
        "lineups": [[spec.text for spec in lineup] for lineup in lineups],
        "variants": [variant.name for variant in variants],
    }
    study = _converted(raw, kind)
    _check_names(study, game, kind)
    plan = _resolved(study, game, lineups, variants, kind)
    return replace(plan, orders=True, counted=()) if orders else plan


def _converted(raw: Mapping[str, Any], place: str) -> _StudyFile:
    try:
        return msgspec.convert(raw, type=_StudyFile)
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: {words_of(error, raw)}") from None


def _check_names(study: _StudyFile, game: Game, place: str) -> None:
    """Refuse player counts that the game does not have, an unknown design, and a variant that is listed twice."""
    for count in study.players or ():
        if count not in game.player_counts:
            raise InputError(f"{place}: players: {game.name} takes {game.player_count_text}, got {count}")
    if study.seatings not in DESIGNS:
        known = known_names(study.seatings, DESIGNS)
        raise InputError(f"{place}: seatings: unknown design {shown(study.seatings)}; {known}")
    for name in study.variants:
        if study.variants.count(name) > 1:
            raise InputError(f"{place}: variants: {name!r} is listed {study.variants.count(name)} times")


def _resolved(
    study: _StudyFile,
    game: Game,
    lineups: Sequence[Sequence[AgentSpec]],
    variants: Sequence[Variant],
    place: str,
) -> Plan:
    """The plan, with names looked up; refuses parts that cannot be played together."""
    players = tuple(dict.fromkeys(study.players or game.player_counts))
    resolved = tuple(dict.fromkeys(tuple(lineup) for lineup in lineups))
    for lineup in resolved:
        if len(lineup) > 1 and len(lineup) not in players:
            names = ", ".join(spec.text for spec in lineup)
            allowed = " or ".join(str(count) for count in players)
            raise InputError(
                f"{place}: lineups: {len(lineup)} agents ({names}) fit no player count; give 1 agent, or {allowed}"
            )
    pages, heatmaps = _report(game, study, place)
    plan = Plan(
        study.name, game, study.seed, players, study.deals, min(study.deals, study.chunks), study.seatings, resolved,
        tuple(variants), study.rows, pages, heatmaps, tuple(study.heatmap), place,
    )  # fmt: skip
    keep = keep_of(game.fact_tables, study.facts, study.facts_share, place)
    plan = replace(plan, counted=plan.asked, keep=keep, held=keep)
    try:
        for cell in plan.cells:
            cell.match.plan(plan.counted)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    for count in players:
        seating_design(study.seatings, count)
    return plan


def _report(game: Game, study: _StudyFile, place: str) -> tuple[tuple[str, ...], dict[str, HeatMap]]:
    """The pages and heat maps that a study asks for."""
    known, report = game.report, study.report
    pages = known.PAGES if report.pages is None else tuple(report.pages)
    for key, asked, names in (("pages", pages, known.PAGES), ("heatmaps", report.heatmaps, known.HEATMAPS)):
        for name in asked:
            if name not in names:
                raise InputError(f"{place}: report.{key}: unknown name {shown(name)}; {known_names(name, names)}")
    heatmaps = {name: known.HEATMAPS[name] for name in report.heatmaps}
    for own in study.heatmap:
        if own.name in heatmaps or own.name in known.HEATMAPS:
            raise InputError(f"{place}: heatmap {own.name}: there is one of that name; give it another")
        heatmaps[own.name] = own_heat_map(game, own, f"{place}: heatmap")
    return tuple(pages), heatmaps


def differences(there: Any, here: Any, key: str = "") -> Iterator[str]:
    """Where two resolved plans differ, key by key."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in sorted({*there, *here}):
            yield from differences(
                there.get(name, "nothing"), here.get(name, "nothing"), f"{key}.{name}" if key else name
            )
    elif there != here:
        long = 60
        old, new = (text if len(text := json.dumps(side)) <= long else text[:long] + "..." for side in (there, here))
        yield f"{key}: {old} there, {new} here"

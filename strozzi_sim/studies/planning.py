"""Makes the plan of a study: of a TOML file, or of objects; everything is looked up and checked here.

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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.agent import AGENT_TYPES, AgentSpec
from strozzi_sim.errors import ArgumentError, InputError, known_names, shown
from strozzi_sim.facts.keeping import keep_of
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.converting import converted
from strozzi_sim.games.own_maps import OwnMap, own_heat_map
from strozzi_sim.games.variants import BASE, Variant, resolve_variant, shipped_variants
from strozzi_sim.kernel.plain_data import read_toml
from strozzi_sim.selfplay.seatings import DESIGNS, seating_design
from strozzi_sim.studies.names import find_agents, text_of
from strozzi_sim.studies.plan import CHUNKS, Extent, Plan

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


def read_study(file: Path) -> Plan:
    """The plan in a TOML file.

    Raises:
        StorageError: the file cannot be read.
        InputError: there is none, it is no TOML, or something in it cannot be played; names file and key.
    """
    return make_plan(read_toml(file), str(file))


def make_plan(raw: Mapping[str, Any], place: str) -> Plan:
    """The plan in plain data, as a TOML file has it; `place` is named in errors. Line-ups may hold agents instead of names.

    Raises:
        InputError: something that cannot be played; names the place and the key.
    """
    given = raw.get("lineups")
    if isinstance(given, list | tuple) and all(isinstance(lineup, list | tuple) for lineup in given):
        names = [[text_of(each) if isinstance(each, AGENT_TYPES) else each for each in lineup] for lineup in given]
        study: _StudyFile = converted({**raw, "lineups": names}, _StudyFile, place)
    else:
        study = converted(raw, _StudyFile, place)
        given = study.lineups
    game = find_game(study.game, f"{place}: game")
    _check_names(study, game, place)
    variants = tuple(_variant(game, name, study, place) for name in study.variants)
    for unused in set(study.variant) - set(study.variants):
        raise InputError(f"{place}: variant.{unused}: defined but not listed in variants = {study.variants}")
    lineups = [find_agents(lineup, game, f"{place}: lineups[{number}]") for number, lineup in enumerate(given)]
    return _resolved(study, game, lineups, variants, place)


def _variant(game: Game, name: str, study: _StudyFile, place: str) -> Variant:
    known = [BASE, *shipped_variants(game), *study.variant]
    if name not in known:
        raise InputError(f"{place}: variants: unknown variant {shown(name)} of {game.name}; {known_names(name, known)}")
    return resolve_variant(game, name, study.variant, place)


def plan_of(
    kind: str,
    game: Game,
    lineups: Sequence[Sequence[AgentSpec]],
    variants: Sequence[Variant],
    extent: Extent,
    *,
    orders: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Plan:
    """The plan of a study that has no file.

    Args:
        kind: what asks for it, such as "tournament"; it is part of the study's name, and errors begin with it.
        game: what is played.
        lineups: the agents; one of one agent is self-play, a longer one fits one player count.
        variants: the component data.
        extent: player counts, deals, seatings and seed.
        orders: whether chunks keep finishing orders and count no facts.
        settings: further keys of a study's file.

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
    with _about_arguments(kind):
        study: _StudyFile = converted({**raw, **(settings or {})}, _StudyFile, kind)
        _check_names(study, game, kind)
        plan = _resolved(study, game, lineups, variants, kind)
    return replace(plan, orders=True, counted=()) if orders else plan


_ARGUMENTS = {key: key for key in ("players", "deals", "seed", "seatings", "facts")} | {"report.heatmaps": "heatmaps"}


@contextmanager
def _about_arguments(kind: str) -> Iterator[None]:
    """Make an error about a key of a study that has no file one about the argument that gave it."""
    try:
        yield
    except InputError as error:
        key, _, words = str(error).removeprefix(f"{kind}: ").partition(": ")
        if key not in _ARGUMENTS:
            raise
        raise ArgumentError(_ARGUMENTS[key], words) from None


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
        key = "lineups: " if str(error).startswith("agent ") else ""
        raise InputError(f"{place}: {key}{error}") from None
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

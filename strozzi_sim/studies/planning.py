"""Make the plan of a study from objects or a TOML file; every check of a plan is here, once.

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

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.agent import AGENT_TYPES, AgentSpec, check_lineup, find_agent
from strozzi_sim.errors import (
    ArgumentError,
    InputError,
    as_argument_error,
    check_range,
    check_whole,
    short_repr,
    suggest_names,
)
from strozzi_sim.facts.row_storage import keep_of
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.game.restricting import find_things, restricted, restrictions
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, resolve_variant, shipped_variants
from strozzi_sim.runtime.parsing import read_toml
from strozzi_sim.simulation.luck import MOST_REDRAWS, REDRAWS, Luck
from strozzi_sim.simulation.seatings import DESIGNS, seating_design
from strozzi_sim.studies.lookup import (
    Folder,
    find_agents,
    find_players,
    find_variants,
    path_of,
    sweep_variants,
    text_of,
)
from strozzi_sim.studies.plan import AGENTS, CHUNKS, EFFECT, MAPS, MAX_DEALS, SEATS, VARIANTS, Plan
from strozzi_sim.studies.precision import POINTS, deals_for

MAX_CHUNKS = 100_000  # of a cell
_FILE_KEYS = {
    "agents": "lineups",
    "pages": "report.pages",
    "heatmaps": "report.heatmaps",
    "effect": "report.effect",
}  # of arguments that a file calls otherwise


def usual_deals(deals: int | None, precision: float | None, usual: int) -> int | None:
    """Return the deals of a study: the usual number if neither deals nor a precision are given."""
    return usual if deals is None and precision is None else deals


def make_plan(
    name: str,
    game: Game,
    lineups: Sequence[Sequence[AgentSpec]],
    variants: Sequence[Variant],
    players: Sequence[int],
    deals: int | None,
    *,
    precision: float | None = None,
    seatings: str = "rotate",
    seed: int = 0,
    chunks: int = CHUNKS,
    chunk_deals: int | None = None,
    orders: bool = False,
    until: str = "",
    search_deals: int | None = None,
    rows: bool = False,
    facts: Sequence[str] = (),
    facts_share: float | None = None,
    pages: Sequence[str] | None = None,
    heatmaps: Sequence[str] = (),
    own_maps: Sequence[HeatMapSpec] = (),
    question: str = "",
    effect: float = EFFECT,
    sweep: Mapping[str, Sequence[float]] | None = None,
    worth: Sequence[str] = (),
    explorer: bool = False,
    luck: AgentSpec | str | None = None,
    luck_redraws: int | None = None,
) -> Plan:
    """Return the plan of objects from `lookup`; for the arguments see `Plan`.

    With `precision`, in points of a share of wins, the study stops once its headline figures are known to that, and `deals` may be
    None. `luck` evaluates positions to take luck out of results, each chance event drawn anew `luck_redraws` times, 8 by default.

    Raises:
        InputError: a value out of range, an unknown name, or an invalid combination; names the argument.
    """
    if deals is not None or precision is None:
        check_whole("deals", deals, 1, MAX_DEALS)
    if precision is not None:
        deals, chunks = deals_for(precision, deals, paired=len(variants) > 1 or bool(sweep) or orders)
        until = f"{precision / POINTS:g}"
    assert deals is not None
    check_whole("seed", seed, 0, 2**53 - 1)
    check_whole("chunks", chunks, 1, MAX_CHUNKS)
    fewer = search_deals is not None and any(spec.searches for lineup in lineups for spec in lineup)
    if search_deals is not None:
        check_whole("search_deals", search_deals, 1, deals)
    chunks = min(deals, chunks, (search_deals or deals) if fewer else deals)
    if chunk_deals is not None:
        check_whole("chunk_deals", chunk_deals, -(-deals // MAX_CHUNKS), MAX_DEALS)
        if until or fewer or orders:
            raise ArgumentError(
                "chunk_deals", "is for a study without precision and search_deals, which divide their deals"
            )
    if not (until or fewer or orders):
        chunk_deals = chunk_deals or -(-deals // chunks)
        chunks = -(-deals // chunk_deals)
    check_range("effect", effect, 0, 1)
    if sweep:
        if len(variants) > 1:
            names = ", ".join(variant.name for variant in variants)
            raise ArgumentError("sweep", f"changes one variant; leave out all but one of {names}")
        variants = tuple(as_argument_error("sweep", sweep_variants, game, variants[0], sweep).values())
    if seatings not in DESIGNS:
        raise ArgumentError("seatings", f"unknown design {short_repr(seatings)}; {suggest_names(seatings, DESIGNS)}")
    resolved = tuple(dict.fromkeys(tuple(lineup) for lineup in lineups))
    for lineup in resolved:
        if len(lineup) > 1 and len(lineup) not in players:
            names = ", ".join(spec.text for spec in lineup)
            allowed = " or ".join(str(count) for count in players)
            raise ArgumentError(
                "agents", f"{len(lineup)} agents ({names}) fit no player count; give 1 agent, or {allowed}"
            )
        for count in players:
            if len(lineup) in (1, count):
                as_argument_error("agents", check_lineup, lineup, game, count)
    known = game.report
    pages = known.PAGES if pages is None else tuple(pages)
    for key, asked, names_of in (("pages", pages, known.PAGES), ("heatmaps", heatmaps, known.HEATMAPS)):
        for each in asked:
            if each not in names_of:
                raise ArgumentError(key, f"unknown name {short_repr(each)}; {suggest_names(each, names_of)}")
    maps = {each: known.HEATMAPS[each] for each in heatmaps}
    for own in own_maps:
        if own.name in maps or own.name in known.HEATMAPS:
            raise InputError(f"heatmap {own.name}: the name is already used; choose another")
        maps[own.name] = custom_heat_map(game, own, "heatmap")
    things = _things(game, variants, resolved, worth)
    keep = keep_of(game.fact_tables, facts, facts_share)
    plan = Plan(
        name, game, seed, tuple(dict.fromkeys(players)), deals, chunks, seatings, resolved,
        tuple(variants), rows, pages, maps, tuple(own_maps), orders, keep, held=keep, worth=things, until=until, effect=effect,
        search_deals=(search_deals or 0) if fewer else 0,
        question=_question(question, game, resolved, variants, maps),
        sweep=tuple((key, tuple(values)) for key, values in (sweep or {}).items()), explorer=explorer,
        chunk_deals=chunk_deals or 0, luck=_luck(luck, luck_redraws, game, players),
    )  # fmt: skip
    plan = replace(plan, counted=plan.required_facts)
    for cell in plan.cells:
        cell.match.plan(plan.counted)
    for count in players:
        seating_design(seatings, count)
    return plan


def _things(
    game: Game, variants: Sequence[Variant], lineups: Sequence[Sequence[AgentSpec]], wanted: Sequence[str]
) -> tuple[str, ...]:
    """Return the things whose worth is measured, from names and patterns: those that can be restricted in every variant.

    Raises:
        ArgumentError: one that cannot be restricted, or not for an agent of the plan; or no agent plays itself.
    """
    if not wanted:
        return ()
    if not restrictions(game, variants[0]):
        raise ArgumentError("worth", f"{game.name} has no restrictions")
    alone = [lineup[0] for lineup in lineups if len(lineup) == 1]
    if not alone:
        raise ArgumentError("worth", "needs a line-up of one agent, which plays itself")
    first, *others = (find_things(game, variant, wanted, "worth") for variant in variants)
    found = tuple(thing for thing in first if all(thing in other for other in others))
    for spec, thing, variant in product(alone, found, variants):
        as_argument_error("worth", restricted, game, variant, {0: (*spec.without, thing)})
    return found


def _luck(agent: AgentSpec | str | None, redraws: int | None, game: Game, players: Sequence[int]) -> Luck | None:
    """Return how luck is measured, None if no agent evaluates.

    Raises:
        ArgumentError: the agent does not evaluate positions of these player counts, or redraws are out of range or for nothing.
    """
    if redraws is not None:
        check_whole("luck_redraws", redraws, 1, MOST_REDRAWS)
    if not agent:
        if redraws is not None:
            raise ArgumentError("luck_redraws", "is for a study with luck; name an agent that evaluates positions")
        return None
    spec = as_argument_error("luck", find_agent, agent, game)
    for count in players:
        as_argument_error("luck", check_lineup, [spec], game, count)
    return as_argument_error("luck", Luck, spec, REDRAWS if redraws is None else redraws)


def _question(
    asked: str, game: Game, lineups: Sequence[Sequence[AgentSpec]], variants: Sequence[Variant], maps: Collection[str]
) -> str:
    """Return the question that the headline answers; default: what varies in the plan.

    Raises:
        ArgumentError: an unknown question, or one that this plan cannot answer.
    """
    differ = any(len(set(lineup)) > 1 for lineup in lineups)
    if not asked:
        return VARIANTS if len(variants) > 1 else AGENTS if differ else SEATS
    known = [SEATS, AGENTS, VARIANTS, MAPS, *(page for page in game.report.PAGES if page != "balance")]
    if asked not in known:
        raise ArgumentError("question", f"unknown question {short_repr(asked)}; {suggest_names(asked, known)}")
    lacks = {
        VARIANTS: "" if len(variants) > 1 else "a second variant",
        AGENTS: "" if differ else "a line-up of different agents",
        MAPS: "" if maps else "a heat map",
    }.get(asked, "")
    if lacks:
        raise ArgumentError("question", f"{asked!r} needs {lacks}")
    return asked


def name_of(kind: str, game: Game) -> str:
    """Return the default name of a study."""
    return f"{kind}-{game.name.replace('_', '-')}"


class _Report(msgspec.Struct, forbid_unknown_fields=True):
    pages: list[str] | None = None
    heatmaps: list[str] = []
    effect: float = EFFECT
    explorer: bool = True


class StudyFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Keys of a study's file; unknown keys are errors. `make_plan` checks the values."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}$")]
    game: str
    seed: int = 0
    players: Annotated[list[int], Meta(min_length=1)] | None = None
    question: str = ""
    deals: int | None = None
    precision: float | None = None
    search_deals: int | None = None
    chunks: int | None = None
    chunk_deals: int | None = None
    seatings: str = "rotate"
    lineups: Annotated[list[Annotated[list[str], Meta(min_length=1)]], Meta(min_length=1)]
    variants: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["base"])
    variant: dict[str, dict[str, Any]] = {}
    rows: bool = False
    facts: list[str] = []
    facts_share: float | None = None
    report: _Report = msgspec.field(default_factory=_Report)
    heatmap: list[HeatMapSpec] = []
    sweep: dict[str, list[Any]] = {}
    worth: list[str] = []
    luck: str = ""
    luck_redraws: int | None = None


def read_plan(file: Path) -> Plan:
    """Return the plan in a TOML file.

    Raises:
        StorageError: the file cannot be read.
        InputError: the file does not exist, is not TOML, or has an invalid value; names file and key.
    """
    return plan_of_keys(read_toml(file), str(file))


def find_study_variant(game: Game, variant: AnyVariant, study: Folder = None) -> Variant:
    """Return a variant by name, changes or as it is; with `study`, the variant of this name in a study file.

    Raises:
        ArgumentError: the game or the file has no such variant.
        InputError, StorageError: the file cannot be used; see `read_plan`.
    """
    if study is None:
        return find_variants(game, variant)[0]
    plan = read_plan(path_of("study", study))
    found = {each.name: each for each in plan.variants}
    if plan.game is not game:
        raise ArgumentError("study", f"{study} is of {plan.game.name}, not of {game.name}")
    if variant not in found:
        known = suggest_names(variant, found)
        raise ArgumentError("variant", f"the study {study} does not list the variant {short_repr(variant)}; {known}")
    return found[str(variant)]


def plan_of_keys(raw: Mapping[str, Any], place: str) -> Plan:
    """Return the plan in plain data, as in a TOML file; `place` begins errors. Line-ups may hold agents instead of names.

    Raises:
        InputError: an invalid value; names the place and the key.
    """
    given = raw.get("lineups")
    if isinstance(given, list | tuple) and all(isinstance(lineup, list | tuple) for lineup in given):
        raw = {
            **raw,
            "lineups": [
                [text_of(each) if isinstance(each, AGENT_TYPES) else each for each in lineup] for lineup in given
            ],
        }
    study: StudyFile = converted(raw, StudyFile, place)
    with error_place(place):
        game = as_argument_error("game", find_game, study.game)
        players = find_players(game, study.players or "all")
    if study.deals is None and study.precision is None:
        raise InputError(
            f"{place}: deals: missing; give a number of deals, or a precision in points of a share of wins"
        )
    if study.chunks is not None and study.precision is not None:
        raise InputError(f"{place}: chunks: is for a study without precision, which has its own")
    if study.chunks is not None and study.chunk_deals is not None:
        raise InputError(f"{place}: chunk_deals: give chunks or chunk_deals, not both")
    for name in study.variants:
        if study.variants.count(name) > 1:
            raise InputError(f"{place}: variants: {name!r} is listed {study.variants.count(name)} times")
    known = [BASE, *shipped_variants(game), *study.variant]
    for name in study.variants:
        if name not in known:
            raise InputError(
                f"{place}: variants: unknown variant {short_repr(name)} of {game.name}; {suggest_names(name, known)}"
            )
    variants = [resolve_variant(game, name, study.variant, place) for name in study.variants]
    for unused in set(study.variant) - set(study.variants):
        raise InputError(f"{place}: variant.{unused}: defined but not listed in variants = {study.variants}")
    with error_place(place):
        lineups = [find_agents(lineup, game, f"lineups[{number}]") for number, lineup in enumerate(given or ())]
        return make_plan(
            study.name, game, lineups, variants, players, study.deals, precision=study.precision, seatings=study.seatings,
            seed=study.seed, chunks=CHUNKS if study.chunks is None else study.chunks,
            chunk_deals=study.chunk_deals, rows=study.rows, facts=study.facts, facts_share=study.facts_share,
            pages=study.report.pages, heatmaps=study.report.heatmaps, own_maps=study.heatmap,
            search_deals=study.search_deals, question=study.question, effect=study.report.effect, sweep=study.sweep,
            worth=study.worth, explorer=study.report.explorer and not study.sweep, luck=study.luck, luck_redraws=study.luck_redraws,
        )  # fmt: skip


@contextmanager
def error_place(place: str) -> Iterator[None]:
    """Make errors begin with a place, a file or folder, and name keys of a file instead of arguments."""
    try:
        yield
    except InputError as error:
        if isinstance(error, ArgumentError):
            error.argument = _FILE_KEYS.get(error.argument, error.argument)
        raise InputError(f"{place}: {error}") from None

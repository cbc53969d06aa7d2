"""Custom heat maps of a game, or of a study that has been played."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from strozzi_sim.agent.named_files import only_named
from strozzi_sim.errors import InputError
from strozzi_sim.facts.row_storage import NO_ROWS, RowSelection, keep_of
from strozzi_sim.game import load_game
from strozzi_sim.game.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.game.variants import from_components
from strozzi_sim.studies.folder import MANIFEST, read_manifest
from strozzi_sim.studies.lookup import find_agents
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.plan_identity import differences, hash_of, with_all_components
from strozzi_sim.studies.planning import error_place, make_plan
from strozzi_sim.studies.progress import ProgressOption
from strozzi_sim.studies.results import Results
from strozzi_sim.studies.run import tables_again
from strozzi_sim.studies.study import Study, run


def add_to_plan(plan: Plan, own: HeatMapSpec) -> Plan:
    """Return the plan with an additional heat map, which replaces a custom one of this name.

    Raises:
        InputError: a column or value that the game does not have, or an invalid combination.
    """
    if own.name in plan.game.report.HEATMAPS:
        raise InputError(f"heatmap {own.name}: the name is that of a heat map of {plan.game.name}; choose another")
    maps = {**plan.heatmaps, own.name: custom_heat_map(plan.game, own)}
    others = tuple(each for each in plan.own_maps if each.name != own.name)
    changed = replace(plan, heatmaps=maps, own_maps=(*others, own))
    changed = replace(changed, counted=changed.required_facts)
    for cell in changed.cells:
        cell.match.plan(changed.counted)
    return changed


def add_heat_map(results: Results, own: HeatMapSpec) -> Results:
    """Return the results with an additional heat map; the study is replayed if its chunks lack the facts that the map needs.

    In a results folder the map becomes part of the study.

    Raises:
        InputError: the results have no facts, the map is invalid, or an agent's file has changed.
        StorageError, AgentFault, Interrupted: as `study.run`.
    """
    if results.folder is not None:
        return add_in(results.folder, own, results.workers, results.watch)
    before = results.played_plan
    if before is None or not before.has_pages:
        raise InputError("heatmap: only `simulate` and studies with a report count the facts that a heat map needs")
    plan = add_to_plan(before, own)
    as_held = replace(plan, counted=before.counted)
    if as_held.is_covered:
        return tables_again(results, as_held)
    return run(Study.of(plan), None, results.workers, results.watch)


def add_in(
    folder: Path,
    own: HeatMapSpec,
    workers: int | None = None,
    progress: ProgressOption = None,
    code: Sequence[str | Path] = (),
) -> Results:
    """Add a heat map to a played study; the study is replayed if its chunks lack the facts that the map needs.

    Args:
        folder: results folder of the study.
        own: heat map to add.
        workers: number of workers; see `run`.
        progress: progress reports; see `run`.
        code: agents' files that the study may run; other files in its manifest are refused.

    Raises:
        InputError: the study does not exist, the map is invalid, or an agent's file has changed or is not in `code`.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    return run(Study.of(add_to_plan(plan_in(folder, code), own)), folder, workers, progress)


def plan_in(folder: Path, code: Sequence[str | Path] = ()) -> Plan:
    """Return the plan of a study, as its results folder has it.

    Args:
        folder: the study's results.
        code: files of agents that may be run; others that the folder names are refused.

    Raises:
        InputError: the folder holds no results of a study from a file, an agent has changed since it was played, or its
            file is not in `code`.
    """
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study (no {MANIFEST})") from None
    resolved = manifest["plan"]
    if "counts" in resolved:
        raise InputError(f"{folder}: contains a tournament or comparison, which has no facts")
    game = load_game(resolved["game"])
    with only_named(code), error_place(str(folder)):
        lineups = [find_agents(lineup, game, "lineups") for lineup in resolved["lineups"]]
    place = f"{folder / MANIFEST}: plan.variants"
    variants = [from_components(game, name, data, f"{place}.{name}") for name, data in resolved["variants"].items()]
    report = manifest["report"]
    extent = {
        key: resolved[key]
        for key in ("seatings", "seed", "chunks", "chunk_deals", "search_deals", "worth")
        if key in resolved
    }
    plan = make_plan("study", game, lineups, variants, resolved["players"], resolved["deals"], **extent)
    shipped = {name: game.report.HEATMAPS[name] for name in report["heatmaps"] if name in game.report.HEATMAPS}
    plan = replace(
        plan, name=manifest["name"], rows=resolved["rows"], pages=tuple(report["pages"]), heatmaps=shipped,
        effect=report.get("effect", plan.effect), question=report.get("question", plan.question),
        explorer=report.get("explorer", False),
        sweep=tuple((key, tuple(values)) for key, values in report.get("sweep", {}).items()),
    )  # fmt: skip
    for own in report.get("own", []):
        plan = add_to_plan(plan, HeatMapSpec(**own))
    before = with_all_components(resolved, game)
    if plan.hash != hash_of(before):
        changes = "; ".join(list(differences(before, plan.resolved))[:3])
        raise InputError(f"{folder}: cannot be played again as it was ({changes})")
    # Without `keep` the rows that the study keeps would be removed.
    keep = msgspec.convert(manifest["kept"], RowSelection) if "kept" in manifest else NO_ROWS
    try:
        keep_of(game.fact_tables, keep.tables)
    except InputError as error:
        raise InputError(f"{folder / MANIFEST}: kept: {error}") from None
    return replace(plan, counted=plan.required_facts, keep=keep, held=keep)

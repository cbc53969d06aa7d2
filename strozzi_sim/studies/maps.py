"""A heat map of a user's own: of a game, or of a study that has been played."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from strozzi_sim.agent import AnyAgent
from strozzi_sim.agent.importing import only_named
from strozzi_sim.errors import InputError
from strozzi_sim.facts.keeping import NOTHING, Keep, keep_of
from strozzi_sim.games import find_game, load_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.own_maps import OwnMap, own_heat_map
from strozzi_sim.games.variants import AnyVariant, from_components
from strozzi_sim.studies.folder import MANIFEST, read_manifest
from strozzi_sim.studies.names import find_agents, find_players
from strozzi_sim.studies.plan import Extent, Plan, as_today, differences, hash_of
from strozzi_sim.studies.planning import plan_of
from strozzi_sim.studies.played import Played
from strozzi_sim.studies.run import tables_again
from strozzi_sim.studies.study import Run, Study, plan_of_lineup, run, run_plan

PAGES = ("balance",)  # that a study of one heat map has besides


def with_map(plan: Plan, own: OwnMap) -> Plan:
    """The plan with one more heat map; it takes the place of one of the same name.

    Raises:
        InputError: something that the game does not have, or that makes no sense.
    """
    if own.name in plan.game.report.HEATMAPS:
        raise InputError(f"heatmap {own.name}: {plan.game.name} has one of that name; give it another")
    maps = {**plan.heatmaps, own.name: own_heat_map(plan.game, own)}
    others = tuple(each for each in plan.own_maps if each.name != own.name)
    changed = replace(plan, heatmaps=maps, own_maps=(*others, own))
    changed = replace(changed, counted=changed.asked)
    for cell in changed.cells:
        cell.match.plan(changed.counted)
    return changed


def heat_map(
    game: str | Game,
    own: OwnMap,
    *,
    agents: Sequence[AnyAgent] = (),
    players: int | Sequence[int] | None = None,
    deals: int = 5000,
    seatings: str = "rotate",
    variants: AnyVariant | Sequence[AnyVariant] = "base",
    seed: int = 0,
    how: Run | None = None,
) -> Played:
    """Play a game and draw a heat map of one's own; table heat_<name> of the results.

    Args:
        game: what is played.
        own: the heat map.
        agents: one line-up; seat i gets agent i mod their number. One agent is self-play; none is the game's own.
        players: player counts; None is the usual one.
        deals: of every cell.
        seatings: one, rotate, all or latin.
        variants: of the game's components.
        seed: 0 .. 2^53 - 1.
        how: folder, workers and progress.

    Raises:
        InputError: something that cannot be played or drawn; names the argument.
        StorageError, AgentFault, Interrupted: as `study.run`.
    """
    how, game = how or Run(), find_game(game)
    extent = Extent(find_players(game, players), deals, seatings, seed)
    plan = plan_of_lineup("heatmap", game, agents, variants, extent)
    return run_plan(with_map(replace(plan, pages=PAGES), own), how)


def add_heat_map(folder: Path, own: OwnMap, how: Run | None = None, code: Sequence[str | Path] = ()) -> Played:
    """Add a heat map to a study that has been played; its chunks are played again if they do not count what it needs.

    Args:
        folder: the study's results.
        own: the heat map.
        how: workers and progress.
        code: files of agents that the study may run; others that its manifest names are refused.

    Raises:
        InputError: no such study, something that cannot be drawn, an agent's file that has changed since or is not in `code`.
        StorageError, AgentFault, Interrupted: as `study.run`.
    """
    plan = with_map(plan_in(folder, code), own)
    return run(Study(plan), replace(how or Run(), folder=folder))


def add_to(played: Played, own: OwnMap, how: Run | None = None) -> Played:
    """Add a heat map to a study that was played in memory; it is played again if it did not count what the map needs.

    Raises:
        InputError: it counts no facts, or something cannot be drawn.
        AgentFault, Interrupted: as `study.run`.
    """
    before = played.cut
    if before is None or before.orders:
        raise InputError("a tournament, comparison or ladder counts no facts; heat maps are of simulate and studies")
    plan = with_map(before, own)
    as_held = replace(plan, counted=before.counted)
    return tables_again(played, as_held) if as_held.is_answered else run(Study(plan), how)


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
        raise InputError(f"{folder}: holds a tournament, comparison or ladder, which counts no facts")
    game = load_game(resolved["game"])
    with only_named(code):
        lineups = [find_agents(lineup, game, f"{folder}: lineups") for lineup in resolved["lineups"]]
    place = f"{folder / MANIFEST}: plan.variants"
    variants = [from_components(game, name, data, f"{place}.{name}") for name, data in resolved["variants"].items()]
    extent = Extent(resolved["players"], resolved["deals"], resolved["seatings"], resolved["seed"], resolved["chunks"])
    report = manifest["report"]
    plan = plan_of("study", game, lineups, variants, extent)
    shipped = {name: game.report.HEATMAPS[name] for name in report["heatmaps"] if name in game.report.HEATMAPS}
    plan = replace(
        plan, name=manifest["name"], rows=resolved["rows"], pages=tuple(report["pages"]), heatmaps=shipped
    )  # fmt: skip
    for own in report.get("own", []):
        plan = with_map(plan, OwnMap(**own))
    before = as_today(resolved, game)
    if plan.hash != hash_of(before):
        changes = "; ".join(list(differences(before, plan.resolved))[:3])
        raise InputError(f"{folder}: cannot be played again as it was ({changes})")
    keep = (
        msgspec.convert(manifest["kept"], Keep) if "kept" in manifest else NOTHING
    )  # else the rows that the study keeps would be removed
    keep_of(game.fact_tables, keep.tables, None, f"{folder / MANIFEST}: was changed by hand: kept")
    return replace(plan, counted=plan.asked, keep=keep, held=keep)

"""Agents with budgets in seconds: calibrated before play, once per results folder."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.named_files import only_named
from strozzi_sim.errors import StorageError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.calibrate import Calibration, in_counts
from strozzi_sim.studies.folder import MANIFEST, read_inside
from strozzi_sim.studies.plan import Plan

CalibrationCallback = Callable[[bool], None]


def with_counts(
    specs: Sequence[AgentSpec],
    game: Game,
    players: Sequence[int],
    variants: Sequence[Variant],
    *,
    folder: Path | None = None,
    calibrating: CalibrationCallback | None = None,
) -> tuple[tuple[AgentSpec, ...], tuple[Calibration, ...]]:
    """Return the agents with counts instead of seconds, and their calibrations; those stored in a results folder are reused.

    Args:
        specs: agents; those without a budget in seconds are returned unchanged.
        game: game to play.
        players: player counts.
        variants: variants to play.
        folder: results folder, whose manifest may contain calibrations.
        calibrating: called before a calibration, with whether the folder contains any; not called if no budget is
            in seconds; default: no callback.

    Raises:
        InputError: an agent does not play this game or cell, or its memory cannot hold the count.
        AgentFault: an agent changed the rules.
    """
    if not any(spec.in_seconds for spec in specs):
        return tuple(specs), ()
    known = noted(folder)
    if calibrating is not None:
        calibrating(bool(known))
    calibrations = in_counts(specs, game, players, variants, known)
    with only_named(()):  # those of `specs` are in use; a manifest can name others
        loaded = {given: load_agent(each.plays, game) for given, each in calibrations.items()}
    return tuple(loaded.get(spec.text, spec) for spec in specs), tuple(calibrations.values())


def calibrated(plan: Plan, folder: Path | None = None, calibrating: CalibrationCallback | None = None) -> Plan:
    """Return the plan with counts instead of seconds; a results folder keeps its stored counts.

    Raises:
        InputError: an agent that does not play this, or whose memory cannot hold the count.
    """
    specs = list(dict.fromkeys(spec for lineup in plan.lineups for spec in lineup))
    counted, calibrations = with_counts(
        specs, plan.game, plan.players, plan.variants, folder=folder, calibrating=calibrating
    )
    plays = dict(zip(specs, counted, strict=True))
    lineups = dict.fromkeys(tuple(plays[spec] for spec in lineup) for lineup in plan.lineups)
    return replace(plan, lineups=tuple(lineups), calibrated=calibrations)


def noted(folder: Path | None) -> list[Calibration]:
    """Return the calibrations in the manifest of a results folder; empty without a readable manifest."""
    try:
        plain = json.loads(read_inside(folder, MANIFEST))["calibrated"] if folder is not None else []
    except (OSError, StorageError, ValueError, KeyError, TypeError):
        return []  # the store reports an unusable folder
    return [found for each in plain if (found := Calibration.of(each))] if isinstance(plain, list) else []


def add_calibrations(document: dict[str, Any], calibrations: Sequence[Calibration]) -> dict[str, Any]:
    """Add the calibrations of agents given in seconds to a document; without any, return it unchanged."""
    return {**document, "calibrated": [each.plain() for each in calibrations]} if calibrations else document

"""Plans whose agents have budgets in seconds: calibrated once, before anything is played, and only once a folder."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.play.calibrate import Calibration, in_counts
from strozzi_sim.studies.plan import Plan


def calibrated(plan: Plan, folder: Path | None = None) -> Plan:
    """The plan with counts in place of seconds; what `folder` holds already was played with the counts noted there.

    Raises:
        InputError: an agent that does not play this, or whose memory cannot hold the count.
    """
    specs = [spec for lineup in plan.lineups for spec in lineup]
    found = in_counts(specs, plan.game, plan.players, plan.variants, noted(folder))

    def with_count(spec: AgentSpec) -> AgentSpec:
        return load_agent(found[spec.text].plays) if spec.text in found else spec

    lineups: Sequence[tuple[AgentSpec, ...]] = [tuple(with_count(spec) for spec in lineup) for lineup in plan.lineups]
    return replace(plan, lineups=tuple(dict.fromkeys(lineups)), calibrated=tuple(found.values()))


def noted(folder: Path | None) -> list[Calibration]:
    """The calibrations that the manifest of a results folder notes; none if there is no manifest that can be read."""
    try:
        plain = json.loads((folder / "manifest.json").read_bytes())["calibrated"] if folder is not None else []
    except (OSError, ValueError, KeyError, TypeError):
        return []  # whether the folder can be used is for the store to say
    return [found for each in plain if (found := Calibration.of(each))] if isinstance(plain, list) else []

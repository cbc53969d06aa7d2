"""manifest.json: the plan, versions, host and times of a results folder."""

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import msgspec

from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.cache import processor_type
from strozzi_sim.runtime.provenance import source_commit
from strozzi_sim.studies.folder import FORMAT
from strozzi_sim.studies.plan import Plan

LIBRARIES = ("numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "joblib", "msgspec", "matplotlib")


def make_manifest(plan: Plan, command: str) -> dict[str, Any]:
    """Return the manifest of a study that begins now; `command` is the command that started it."""
    return {
        "format": FORMAT,
        "name": plan.name,
        "game": plan.game.name,
        "seed": plan.seed,
        "plan": plan.resolved,
        "plan_hash": plan.hash,
        "report": {
            "pages": list(plan.pages),
            "heatmaps": list(plan.heatmaps),
            "own": [msgspec.to_builtins(own) for own in plan.own_maps],
            "question": plan.question,
            "effect": plan.effect,
            "explorer": bool(plan.explored),
            "sweep": dict(plan.sweep),
        },
        "counted": [msgspec.to_builtins(crosstab) for crosstab in plan.counted],
        "kept": msgspec.to_builtins(plan.keep) | {"share": 1 / plan.keep.every},
        "held": msgspec.to_builtins(plan.held),
        "games": plan.games,
        "cells": len(plan.cells),
        "summary": plan.summary(),
        "command": command.encode(errors="backslashreplace").decode(),  # a path need not be UTF-8, JSON is
        "versions": versions_of(plan.game),
        "commit": source_commit(),
        "warnings": plan.warnings(),
        "reconstructed": {variant.name: list(variant.reconstructed) for variant in plan.variants},
        "host": {"system": platform.platform(), "cores": os.cpu_count(), **_processor()},
        "started": now(),
        "finished": None,
        **({"part": str(plan.part)} if plan.part else {}),
    }


def versions_of(game: Game) -> dict[str, str | int]:
    """Return the versions on which results may depend."""
    return {
        "strozzi-sim": version("strozzi-sim"),
        "behaviour": game.behaviour,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def _processor() -> dict[str, str]:
    return {"machine": platform.machine(), "cpu": processor_type(), "byte_order": sys.byteorder}


def machine_of(game: Game) -> dict[str, Any]:
    """Return everything about this machine that must be equal on all that share a study."""
    return {"version": versions_of(game), "processor": _processor()}


def now() -> str:
    """Return the current time in UTC, as manifests store it."""
    return datetime.now(UTC).isoformat(timespec="seconds")

"""Results folders of the formats before (strozzi-sim.results/3 and /4): a manifest and tables, which are shown and not played on."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.game.variant_names import name_of_values
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.store import MANIFEST

FORMATS = ("strozzi-sim.results/3", "strozzi-sim.results/4")


def read_old_results(folder: Path, kind_named: Callable[[str], type[Study]]) -> Results:
    """Return the results in a folder of a format before, as far as they are shown."""
    try:
        with storage_errors(f"{folder}: cannot be read"):
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes())
            if manifest["format"] not in FORMATS or not manifest["finished"]:
                raise InputError(f"{folder}: holds no finished results of the formats {', '.join(FORMATS)}")
            tables = Frames(
                {name: pd.read_parquet(folder / "tables" / f"{name}.parquet") for name in manifest["tables"]}
            )
        plan, report = manifest["plan"], manifest["report"]
        kind, more = _kind(plan, report, tables)
        known = ("game", "behaviour", "seed", "players", "seatings", "lineups", "variants", "search_deals")
        keys = {key: plan[key] for key in known if key in plan} | {
            "deals": manifest["deals"], "chunk_deals": plan.get("chunk_deals") or -(-plan["deals"] // plan["chunks"]),
            "agents": {text: {"values": values, "source": plan["agent_files"].get(text, "")} for text, values in plan["agents"].items()},
        }  # fmt: skip
        study = kind_named(kind).shown({**keys, **more})
        shown = {
            "name": manifest["name"],
            "heatmaps": report["heatmaps"],
            "heatmap": report["own"],
            "pages": report["pages"],
        }
        look = Look.of(**shown, **{key: report[key] for key in ("question", "effect", "explorer") if key in report})
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{folder}: is not as a run of the format before wrote it: {error}") from None
    return Results(study, look, tables, folder, manifest["games"], manifest["summary"], about=manifest)


def _kind(plan: Mapping[str, Any], report: Mapping[str, Any], tables: Frames) -> tuple[str, dict[str, Any]]:
    """Return the kind of study, which the format does not state, and the keys that it has of its own."""
    if "difference" in tables:
        return "compare_variants" if "changes" in tables else "compare_agents", {}
    if "ratings" in tables:
        return "tournament", {"lineups": [[agent] for agent in tables["agents"]["agent"].unique()]}
    if "worth" in tables and "seats" not in tables:
        things = list(tables["worth"]["thing"].unique())
        return "worth", {"things": things, "lineups": [each for each in plan["lineups"] if len(each) == 1]}
    if "luck" in tables:
        return "luck", {}
    if sweep := report.get("sweep"):
        name, data = next(iter(plan["variants"].items()))
        first = name_of_values("", {key: values[0] for key, values in sweep.items()})
        return "sweep", {"sweep": sweep, "variants": {name.removesuffix(first).rstrip("-") or "base": data}}
    return "balance", {}

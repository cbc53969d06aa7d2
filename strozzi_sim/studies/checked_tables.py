"""Check that the tables of a results folder have the columns, types and cells that a run writes.

The digests in files.json find damage. Whoever makes a folder can write tables and digests that fit each other.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError, shown
from strozzi_sim.games import load_game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.games.variants import from_components
from strozzi_sim.studies.folder import MANIFEST
from strozzi_sim.studies.standings import KEYS
from strozzi_sim.studies.tables import study_tables

_NEVER_EMPTY = ("balance", "seats", "agents", "pairwise", "ratings", "seat_effects")


def check_tables(folder: Path, manifest: Mapping[str, Any], frames: Mapping[str, pd.DataFrame]) -> None:
    """Refuse tables of a study or tournament that no run of its plan writes.

    Raises:
        InputError: names the file and the column; or the plan's components cannot be played.
    """
    plan = manifest["plan"]
    if "counts" in plan and "ratings" not in frames:
        return  # of a comparison or ladder, which has no page
    for name, components in plan["variants"].items():
        from_components(load_game(manifest["game"]), name, components, f"{folder / MANIFEST}: plan.variants.{name}")
    cells = {"players": plan["players"], "variant": plan["variants"]}
    empty = _empty_tables(manifest)
    for name, like in empty.items():
        where = f"{folder / 'tables' / name}.parquet"
        if name not in frames:
            raise InputError(f"{where}: is missing; run the study again")
        frame = frames[name]
        if list(frame.columns) != list(like.columns):
            raise InputError(
                f"{where}: was changed by hand: columns must be {', '.join(like.columns)}, got {shown(list(frame.columns))}"
            )
        if not len(frame) and name in _NEVER_EMPTY:
            raise InputError(f"{where}: was changed by hand: has no rows; run the study again")
        for column, dtype in like.dtypes.items():
            if not _has_type(frame[column], dtype):
                raise InputError(f"{where}: was changed by hand: {column}: must be {dtype}, got {frame[column].dtype}")
        for column, known in cells.items():
            unknown = [value for value in frame[column].unique().tolist() if value not in known]
            if unknown:
                raise InputError(f"{where}: was changed by hand: {column}: the plan has no {shown(unknown[0])}")
    for name in frames.keys() - empty.keys():
        raise InputError(f"{folder / 'tables' / name}.parquet: no run of this study writes such a table")


def _empty_tables(manifest: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables of a study or tournament without their rows."""
    plan, report = manifest["plan"], manifest["report"]
    if "counts" in plan:
        return {
            name: FigureTable(*keys).frame() for name, keys in KEYS.items() if name != "nash" or 2 in plan["players"]
        }
    game = load_game(manifest["game"])
    tables = study_tables(game, (), [page for page in report["pages"] if page in game.report.PAGES], {})
    maps = [*report["heatmaps"], *(own["name"] for own in report.get("own", []))]
    heat = FigureTable("row", "column").frame()
    return tables | {f"heat_{name.replace('-', '_')}": heat for name in maps}


def _has_type(column: pd.Series, dtype: Any) -> bool:
    """Return whether a column has a type; text may be stored in several ways, but is text in every row."""
    if pd.api.types.is_numeric_dtype(dtype):
        return bool(column.dtype == dtype)
    return all(isinstance(value, str) for value in column.unique())

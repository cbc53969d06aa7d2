"""Tables in files: Parquet and CSV."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.runtime.files import storage_errors


def read_tables(folder: Path, names: Iterable[str]) -> dict[str, pd.DataFrame]:
    """Return the tables among these files of a folder."""
    paths = [folder / name for name in names if name.startswith("tables/") and name.endswith(".parquet")]
    with storage_errors(f"{folder}: a table cannot be read"):
        return {path.stem: pd.read_parquet(path) for path in paths}


def csv_of(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV; text that a spreadsheet would run as a formula begins with an apostrophe (OWASP, "CSV injection")."""
    texts = {name: column.map(_harmless) for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)}
    return bytes(frame.assign(**texts).to_csv(index=False, lineterminator="\n").encode())


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    is_number = cell.lstrip("+-").replace(".", "", 1).isdigit()
    return (
        "'" if cell[:1] in ("=", "@", "\t", "\r") or (cell[:1] in ("+", "-") and not is_number) else ""
    ) + cell.replace("\r", " ")

"""Tables of results as rows for an assistant: each figure with its interval and the number of games behind it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import InputError, short_repr, suggest_names

if TYPE_CHECKING:
    import pandas as pd

    from strozzi_sim.studies.results import Results

MOST_ROWS, USUAL_ROWS = 200, 50
_DIGITS = 6  # significant ones
_WITHOUT_INTERVAL = ("_p", "_variance_saved")  # endings of figures that never have one


def plain(value: Any) -> Any:
    """Return a cell as plain data: significant digits, None for a missing value."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return None if value != value else float(f"{value:.{_DIGITS}g}")
    return value


def rows_of(
    frame: "pd.DataFrame", where: Mapping[str, Any] | None = None, limit: int = MOST_ROWS, offset: int = 0
) -> dict[str, Any]:
    """Return a table as plain data: what all rows share once, then the rows.

    Figures without an interval are left out, and counted: too few games are behind them, and they would look like findings.

    Args:
        frame: the table.
        where: wanted values by column; text matches numbers too.
        limit: most rows.
        offset: rows to skip.

    Raises:
        InputError: `where` names no column, or a value that it does not have.
    """
    for column, wanted in (where or {}).items():
        if column not in frame.columns:
            raise InputError(f"where: no column {short_repr(column)}; {suggest_names(column, map(str, frame.columns))}")
        known = frame[column].astype(str)
        frame = frame[known == str(wanted)]
        if frame.empty:
            names = list(dict.fromkeys(known))[:40]
            raise InputError(f"where: {column} is never {short_repr(wanted)}; {suggest_names(str(wanted), names)}")
    figures = {"figure", "value", "low", "high", "n"}
    unknown = _unknown(frame)
    frame = frame[~unknown]
    same = [name for name in frame.columns if name not in figures and len(frame) > 1 and frame[name].nunique() == 1]
    shown = frame.drop(columns=same).iloc[offset : offset + limit]
    rows = [{key: plain(cell) for key, cell in row.items()} for row in shown.to_dict("records")]
    found: dict[str, Any] = {"rows_in_all": len(frame), "rows": rows}
    if same:
        found = {"same_in_all_rows": {name: plain(frame[name].iloc[0]) for name in same}} | found
    if unknown.any():
        found["rows_left_out_for_too_few_games"] = int(unknown.sum())
    if len(rows) < len(frame) - offset:
        found["next_offset"] = offset + len(rows)
    return found


def _unknown(frame: "pd.DataFrame") -> "pd.Series[bool]":
    """Return which rows have a figure whose interval is missing, or a figure that never has one and has no value."""
    if not {"figure", "low"} <= set(frame.columns):
        return frame.isna().any(axis=1) & False
    known = frame["low"].notna() | (frame["figure"].str.endswith(_WITHOUT_INTERVAL) & frame["value"].notna())
    return ~known


def chosen_tables(results: "Results", wanted: "list[str]", usual: "tuple[str, ...]") -> dict[str, Any]:
    """Return the wanted tables of results as rows, or the usual ones, and the names of the others.

    Raises:
        InputError: no such table.
    """
    tables = results.tables
    for name in wanted:
        if name not in tables:
            raise InputError(f"tables: no table {short_repr(name)}; {suggest_names(name, tables)}")
    names = wanted or [name for name in usual if name in tables and len(tables[name])]
    others = [name for name in tables if name not in names and len(tables[name])]
    limit = MOST_ROWS if wanted else USUAL_ROWS
    ordered = {
        name: tables[name].sort_values("p", kind="stable") if "p" in tables[name] else tables[name] for name in names
    }
    return {"tables": {name: rows_of(table, limit=limit) for name, table in ordered.items()}, "other_tables": others}


def about_results(results: "Results") -> dict[str, Any]:
    """Return what an answer says of results: verdict, games, versions, and which data is reconstructed."""
    manifest = results.manifest
    versions = manifest.get("versions", {})
    return {
        "verdict": results.findings,
        "games": results.n_games,
        "reconstructed_data": reconstructed_words(manifest.get("reconstructed", {})),
        "made_with": {key: versions[key] for key in ("strozzi-sim", "behaviour") if key in versions},
    }


def reconstructed_words(by_variant: Mapping[str, Any]) -> dict[str, Any]:
    """Return, by variant, which component data is reconstructed: no source gives it."""
    return {name: list(lines) for name, lines in by_variant.items() if lines}

"""Estimates in the terminal: figures with their intervals, shares and differences as text."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli import options
from strozzi_sim.errors import pluralize
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results


def finish(results: "Results", given: dict[str, Any]) -> bool:
    """Print how much was played and where it is; with --json the tables alone, and return True."""
    from strozzi_sim.studies.illegal_answers import answer_sentences

    if given["json"]:
        options.print_tables(results)
        return True
    for line in (*options.precision_words(results), *answer_sentences(results.tables)):
        print(line)
    if "until" in results.plan and "precision" not in results.tables:
        played = results.plan["deals"]
        stopped = f"stopped after {pluralize(played, 'deal')} = {pluralize(results.n_games, 'game')}"
        print(stopped if played < given["deals"] else "not stopped before the last deal")
    if results.folder is not None:
        tables = results.folder / "tables"
        print(f"{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s; tables: {tables}")
    if given["page"] is not None:
        print(f"report: {given['page']}")
    return False


def figure_rows(table: Any, keys: Sequence[str], figures: Sequence[str]) -> str:
    """Return a tidy table for the terminal: a line for each value of the keys that vary, a column for each figure."""
    kept = [key for key in keys if table[key].nunique() > 1 or key in ("step", "budget", "against", "seat")]
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in table.to_dict("records"):
        lines.setdefault(tuple(str(row[key]) for key in kept), {})[row["figure"]] = row
    endings = re.compile("_variance_saved$|_without_luck$|_games_saved$")
    shown = [endings.sub("", figure).replace("_", " ") for figure in figures]
    rows = [[*kept, *shown, "games"]]
    for levels, found in lines.items():
        cells = [estimate_text(found[figure]) if figure in found else "-" for figure in figures]
        rows.append([*levels, *cells, f"{found[figures[0]]['n']:,}"])
    return columns_of(rows)


def print_without_luck(table: Any, keys: Sequence[str]) -> None:
    """Print the figures with the luck taken out, and by how much fewer games do as well; nothing if luck was not measured."""
    from strozzi_sim.studies.cells import GAMES_SAVED, WITHOUT_LUCK

    for ending, title in (
        (WITHOUT_LUCK, "with the luck taken out"),
        (GAMES_SAVED, "games saved, as a factor"),
    ):
        figures = tuple(name for name in table["figure"].unique() if name.endswith(ending))
        if figures:
            print(f"\n{title}\n{figure_rows(table, keys, figures)}")


def estimate_text(row: Any) -> str:
    """Return a figure and its interval."""
    value, low, high = row["value"], row["low"], row["high"]
    if value != value:
        return "-"
    shown, least, most = rounded((value, low, high), (high - low) / 2, 3 if abs(value) < 20 else 1)
    return shown if low != low else f"{shown} ({least} to {most})"


def per_cent(row: Any) -> str:
    """Return a share in per cent, without its interval."""
    return f"{rounded((100 * row.value,), 50 * (row.high - row.low), 1)[0]} %"


def points(row: Any) -> str:
    """Return a difference of shares in points, with its interval."""
    if row.low != row.low:
        return "-"
    ends = tuple(100 * each for each in (row.value, row.low, row.high))
    value, low, high = (
        each if each.startswith("-") or not each.strip("0.") else f"+{each}"
        for each in rounded(ends, (ends[2] - ends[1]) / 2, 1)
    )
    return f"{value} ({low} to {high})"

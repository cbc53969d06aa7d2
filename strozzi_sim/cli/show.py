"""Output of commands: an answer as lines or as one JSON document, and results with their verdict first.

A table for a terminal has a title, at most eight columns, units, and every figure with its interval.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import pluralize
from strozzi_sim.runtime.digits import decimals, rounded, rounded_up

if TYPE_CHECKING:
    from strozzi_sim.study.results import Results

PLACES_ALONE = ("run", "merge")  # commands whose JSON has the paths of the tables, without their rows
ALL_LINES = 10**9
NUMBERS = ("value", "low", "high")
MOST_COLUMNS, MOST_LINES, FEW = 8, 12, 3
_SHARES = ("popularity", "seat_gap", "seat_gap_by_chance", "seat_favour_bound", "gives_away")  # of other names
_BESIDE = ("figure", *NUMBERS, "n", "deals")
# columns of a difference that are no keys
_OF_DIFFERENCE = ("before", "p", "p_corrected", "size", "verdict", "variant", "than")


@dataclass(frozen=True)
class Answer:
    """The answer of a function of the command line."""

    document: Any  # plain data for --json, or a function that returns it
    lines: Iterable[str] = ()  # for the terminal, made while they are printed
    code: int = 0  # of the exit


def show(command: str, answer: Any, *, with_json: bool, every_table: bool) -> int:
    """Print the result of a command's function, and return the exit code."""
    if answer is None:
        return 0
    if not isinstance(answer, Answer):
        answer = _answer(command, answer, every_table)
    if with_json:
        document = answer.document() if callable(answer.document) else answer.document
        print(json.dumps(document, indent=1, allow_nan=False))
    else:
        for line in answer.lines:
            print(line, flush=True)
    return int(answer.code)


def _answer(command: str, results: "Results", every_table: bool) -> Answer:
    """Return the answer of a study; its report is written, if it has a folder. A heat map of an earlier study is shown alone."""
    if "leak_check" in results.tables:
        return _answer_of_check(results)
    if command == "heatmap" and results.folder is not None and not results.new_games:
        return Answer(lambda: rows_of(results), _lines_of_map(results, every_table))
    page = results.report() if results.folder is not None and results.tables else None
    document = places_of(results, page) if command in PLACES_ALONE else rows_of(results)
    return Answer(document, _lines(results, page, every_table))


def _lines(results: "Results", page: Path | None, every_table: bool) -> Iterator[str]:
    yield from results.verdict
    shown = results.tables if every_table else _own_maps(results) or results.study.printed if page is None else ()
    for name in shown:
        if len(results.tables.get(name, ())):
            yield "\n" + table_text(name, results.tables[name], ALL_LINES if every_table else MOST_LINES)
    yield (
        "\n" if results.verdict else ""
    ) + f"{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s"
    if results.folder is not None and not results.tables:
        yield f"part {results.about['part']}: {results.folder}; join all parts: strozzi merge DIR... --out DIR"
    if page is not None:
        yield f"tables: {(results.folder or page.parent) / 'tables'}\nreport: {page}"
    elif sys.stdout.isatty():
        yield "--out DIR keeps the tables and a report with pictures"


def _lines_of_map(results: "Results", every_table: bool) -> Iterator[str]:
    name = _own_maps(results)[-1]
    yield table_text(name, results.tables[name], ALL_LINES if every_table else MOST_LINES)
    yield f"\ntable: {results.folder}/tables/{name}.csv\non the page: strozzi report {results.folder}"


def _own_maps(results: "Results") -> list[str]:
    from strozzi_sim.game.pages import table_of_map

    return [table_of_map(heat_map.name) for heat_map in results.look.heatmap]


def places_of(results: "Results", page: str | Path | None) -> dict[str, Any]:
    """Return the paths of the tables and the report."""
    document: dict[str, Any] = {"results": str(results.folder)} if results.folder else {}
    document |= {"games": results.n_games, "played_now": results.new_games, "seconds": results.seconds}
    if not results.tables:
        return document | {"part": results.about["part"]}
    if results.folder is not None:
        document["tables"] = {name: str(results.folder / "tables" / f"{name}.parquet") for name in results.tables}
    return document | {"report": str(page)}


def rows_of(results: "Results") -> dict[str, Any]:
    """Return results as plain data: the study, the verdict and every table; a missing value is None."""
    import msgspec

    rows = {name: frame.astype(object).where(frame.notna(), None) for name, frame in results.tables.items()}
    tables = {name: frame.to_dict("records") for name, frame in rows.items()}
    study = msgspec.to_builtins(results.study) | {"games": results.n_games}
    return {"study": study, "verdict": results.verdict, "games": results.n_games, "tables": tables}


def _answer_of_check(results: "Results") -> Answer:
    """Return the answer of a leak check, which fails if there is one."""
    (row,) = results.tables["leak_check"].to_dict("records")
    ok, agent, decisions = bool(row.pop("ok")), row.pop("agent"), int(row.pop("decisions"))
    leak = None if ok else {key: value for key, value in row.items() if key != "shown"}
    document = {"ok": ok, "agent": agent, "game": results.study.game, "decisions": decisions, "leak": leak}
    return Answer(document, results.verdict, 0 if ok else 1)


def table_text(name: str, frame: Any, most: int = MOST_LINES) -> str:
    """Return a table for the terminal, with the values that all lines share in its title.

    A table of figures has a column for each figure, or with few things a line for each; a heat map is a grid.
    """
    keys = [key for key in frame.columns if key not in _BESIDE]
    vary = [key for key in keys if frame[key].astype(str).nunique() > 1]
    vary = [key for key in vary if key != "lineup" or not {"agent", "position"} & set(vary)]  # which identify it
    shared = [_in_common(key, frame[key].iloc[0]) for key in keys if key not in vary]
    title = ", ".join(word for word in (name.replace("_", " "), *shared) if word)
    if not set(_BESIDE[:4]) <= set(frame.columns):
        lines = [[key.replace("_", " ") for key in frame.columns][:MOST_COLUMNS]]
        lines += [[plain(cell) for cell in row][:MOST_COLUMNS] for row in frame.itertuples(index=False)]
    elif "verdict" in keys:
        lines = _changes(frame, [key for key in vary if key not in _OF_DIFFERENCE])
    elif {"row", "column"} <= set(keys):
        return "\n\n".join([title, *_grids(frame)])
    else:
        lines = _figures(frame, vary, most)
    remaining = len(lines) - 1 - most
    more = f"\nand {remaining:,} more lines: --tables" if remaining > 0 else ""
    return f"{title}\n{columns_of(lines[: most + 1])}{more}"


def columns_of(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _in_common(key: str, value: Any) -> str:
    """Return a value that all lines of a table share, as text."""
    return _head(key, value) if key == "players" or (isinstance(value, str) and value not in ("base", "all")) else ""


def _head(key: str, value: Any) -> str:
    """Return a value of a key as text: `3 players`, `seat 0`, `random`."""
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return f"{value} players" if key == "players" else str(value) if isinstance(value, str) else f"{key} {plain(value)}"


def _figures(frame: Any, vary: Sequence[str], most: int) -> list[list[str]]:
    """Return the lines of a table of figures, the first of them its heading."""
    rows_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in frame.to_dict("records"):
        rows_by_key.setdefault(tuple(row[key] for key in vary), {})[row["figure"]] = row
    figures = list(dict.fromkeys(frame["figure"]))
    if len(rows_by_key) <= FEW and len(figures) > len(rows_by_key):
        heads = [", ".join(map(_head, vary, key)) or "value" for key in rows_by_key]
        lines = [["figure", *heads, "n"]]
        for figure in figures:
            cells = [rows.get(figure) for rows in rows_by_key.values()]
            count = max((row["n"] for row in cells if row), default=0)
            lines.append([figure.replace("_", " "), *map(estimate, cells), f"{count:,}"])
        return lines
    shown_figures = figures[: max(MOST_COLUMNS - 1 - len(vary), 1)]
    lines = [[*vary, *(figure.replace("_", " ") for figure in shown_figures), "n"]]
    for key, rows in rows_by_key.items():
        count = max(row["n"] for row in rows.values())
        lines.append([*map(plain, key), *(estimate(rows.get(figure)) for figure in shown_figures), f"{count:,}"])
    return lines


def _changes(frame: Any, vary: Sequence[str]) -> list[list[str]]:
    """Return a line for each difference, the surest first, after their heading."""
    lines = [[*vary, "figure", "before", "change", "verdict", "n"]]
    for row in frame.sort_values("p", kind="stable").to_dict("records"):
        keys = [*(plain(row[key]) for key in vary), row["figure"].replace("_", " ")]
        before = f"{plain(100 * row['before'])} %" if _is_share(row["figure"]) else plain(row["before"])
        lines.append([*keys, before, estimate(row).replace(" %", " points"), row["verdict"], f"{row['n']:,}"])
    return lines


def _grids(frame: Any) -> list[str]:
    """Return heat maps, one for each player count, variant and line-up, with half-widths of the intervals."""
    blocks = []
    for (players, variant, lineup), rows in frame.groupby(["players", "variant", "lineup"], sort=False):
        rows = rows.dropna(subset="value")
        sides, columns = list(dict.fromkeys(rows["row"])), list(dict.fromkeys(rows["column"]))
        columns.sort(key=list(dict.fromkeys(frame["column"])).index)
        cells = {(row.row, row.column): _cell(row) for row in rows.itertuples(index=False)}
        lines = [["", *columns], *([side, *(cells.get((side, top), "") for top in columns)] for side in sides)]
        grid = columns_of(lines) if sides else "no cell has 30 facts: play more deals"
        blocks.append(f"{players} players, variant {variant}, {lineup}\n{grid}")
    return blocks


def _cell(row: Any) -> str:
    """Return a cell of a heat map with its half-width, a share in per cent: `31 ±2 %`."""
    share = _is_share(row.figure)
    value, low, high = ((100 if share else 1) * getattr(row, name) for name in NUMBERS)
    half, most, unit = max(high - value, value - low), 1 if share else 3, " %" * share
    if half != half:
        return rounded((value,), 0.0, most)[0] + unit
    digits = decimals(value, half, most)
    return f"{rounded((value,), half, most)[0]} ±{rounded_up(half, digits):.{max(digits, 0)}f}{unit}"


def _is_share(figure: str) -> bool:
    return "share" in figure or figure in _SHARES


def estimate(row: Mapping[str, Any] | None) -> str:
    """Return a figure and its interval, a share in per cent: `25.1 % (23.0 to 27.2)`; "-" without a value."""
    if row is None or row["value"] != row["value"]:
        return "-"
    share = _is_share(row["figure"])
    value, low, high = ((100 if share else 1) * row[name] for name in NUMBERS)
    text, *ends = rounded((value, low, high), (high - low) / 2, 1 if share else 3)
    return f"{text}{' %' if share else ''}" + (f" ({ends[0]} to {ends[1]})" if low == low else "")


def plain(value: Any) -> str:
    """Return a cell without an interval."""
    if isinstance(value, float):
        return "" if value != value else f"{float(f'{value:.3g}'):,.9g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)

"""Output of commands: an answer as lines or as one JSON document, and results with their verdict first."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import nan
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import pluralize
from strozzi_sim.study.arguments import Listing

if TYPE_CHECKING:
    from strozzi_sim.facts.figures import Figure
    from strozzi_sim.study.results import Results

PLACES_ALONE = ("run", "merge")  # commands whose JSON has the paths of the tables, without their rows
ROWS_TOO = ("compare", "worth")  # commands that print their tables even if a page has them
ALL_LINES = 10**9
MOST_COLUMNS, MOST_LINES, FEW = 8, 12, 3  # of a table; at most FEW things have a column each
_HEADING_WIDTH = 14  # of a column with narrower cells
_MOST_CHANGES = 16  # lines of a table of changes
_OF_AGENTS = ("lineup", "agent", "opponent", "challenger", "first", "second")  # columns of agents and line-ups
_BESIDE = ("figure", "value", "low", "high", "n", "deals", "p", "least", "most", "place_low", "place_high")  # not keys


@dataclass(frozen=True)
class Answer:
    """The answer of a command's function."""

    document: Any  # plain data for --json, or a function that returns it
    lines: Iterable[str] = ()  # for the terminal; an iterator makes them while they are printed
    code: int = 0  # exit code
    page: Path | None = None  # the page that was written


def show(command: str, answer: Any, *, with_json: bool, every_table: bool, opens: bool = False) -> int:
    """Print what a command's function returned, an Answer, a Listing, Results or None, and return the exit code."""
    if answer is None:
        return 0
    if isinstance(answer, Listing):
        answer = Answer(answer.document, [f"{answer.title}\n", columns_of(answer.rows), f"\n{answer.hint}"])
    elif not isinstance(answer, Answer):
        answer = _answer(command, answer, every_table)
    if with_json:
        document = answer.document() if callable(answer.document) else answer.document
        print(json.dumps(document, indent=1, allow_nan=False))
    else:
        for line in answer.lines:
            print(line, flush=True)
    if opens:
        _open(answer.page)
    return int(answer.code)


def _open(page: Path | None) -> None:
    import webbrowser

    if page is None:
        print("strozzi: no page was written, so none is opened", file=sys.stderr)
    elif not webbrowser.open(page.absolute().as_uri()):
        print(f"strozzi: no browser can be opened here; open {page} in one", file=sys.stderr)


def linked(path: Path) -> str:
    """Return a path as text; in a terminal that can show links, it is a link."""
    if not sys.stdout.isatty():
        return str(path)
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if console.no_color:
        return str(path)
    with console.capture() as text:
        console.print(Text(str(path), f"link {path.absolute().as_uri()}"), soft_wrap=True, end="")
    return text.get()


def _answer(command: str, results: "Results", every_table: bool) -> Answer:
    """Return the answer of a study, whose report is written into its folder; of an earlier study the new heat map."""
    checked = results.study.check_document(results.tables) if results.tables else None
    if checked is not None:
        return Answer(checked, results.verdict.lines, 0 if checked["ok"] else 1)
    most = ALL_LINES if every_table else MOST_LINES
    if (name := results.added_map) and not results.new_games:
        places = f"\n{results.interrupted}"  # why no folder has it; "" for results in memory
        if results.folder is not None:
            places = f"\ntable: {results.folder}/tables/{name}.csv\non the page: strozzi report {results.folder}"
        return Answer(
            lambda: rows_of(results), [table_text(name, results.tables, _player_names(results), most), places]
        )
    page = results.report() if results.folder is not None and results.tables else None
    document = places_of(results, page) if command in PLACES_ALONE else rows_of(results)
    shows_rows = page is None or command in ROWS_TOO
    return Answer(document, _lines(results, page, every_table, shows_rows=shows_rows), page=page)


def _lines(results: "Results", page: Path | None, every_table: bool, *, shows_rows: bool) -> Iterator[str]:
    from strozzi_sim.study.results import caveat_of, marked_alarms

    verdict = results.verdict.lines if results.tables else []
    yield from verdict
    yield from marked_alarms(results)
    if verdict:
        yield caveat_of(results.study)
    tables: Mapping[str, Any] = results.tables
    if not every_table:
        from strozzi_sim.declare.custom_heatmaps import map_table_name

        names = [map_table_name(heat_map.name) for heat_map in results.look.heatmap]
        own_maps = {name: tables[name] for name in names if name in tables}
        tables = (own_maps or results.study.printed_tables(tables)) if shows_rows else {}
    for name, table in tables.items():
        if name == "changes":
            yield from _changes(results, every_table)
        elif len(table) and (every_table or name != "figures"):
            most = ALL_LINES if every_table else MOST_LINES
            yield "\n" + table_text(name, {**results.tables, **tables}, _player_names(results), most)
    gap = "\n" * bool(verdict)
    if results.new_games:
        yield f"{gap}{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s"
    else:
        yield f"{gap}{pluralize(results.n_games, 'game')}, played before"
    if results.folder is not None and not results.tables:
        yield f"part {results.about['part']}: {results.folder}; join all parts: strozzi merge DIR... --out DIR"
    if page is not None:
        yield f"tables: {linked((results.folder or page.parent) / 'tables')}\nreport: {linked(page)}"
    elif sys.stdout.isatty():
        yield "--out DIR keeps the tables and a report with pictures"


def _changes(results: "Results", every: bool) -> Iterator[str]:
    from strozzi_sim.study.games import labelled_changes

    for first, second, rows in labelled_changes(results.study, results.tables, every=every):
        several = rows["players"].nunique() > 1
        lines = [["what changes", first, "change", "n", "verdict"]]
        for row in rows.itertuples(index=False):
            what = f"{row.players} players: {row.what}" if several else row.what
            change = "+" * (row.value > 0) + estimate(row, row.measured.difference())
            before = estimate(row._replace(value=row.before, low=nan, high=nan), row.measured)
            lines.append([what, before, change, f"{row.n:,}", row.verdict])
        most = ALL_LINES if every else _MOST_CHANGES
        yield f"\n{second} beside {first}\n{_first_lines(lines, most)}"


def places_of(results: "Results", page: str | Path | None) -> dict[str, Any]:
    """Return the numbers of games, the seconds, and the paths of the folder, its tables and the report, or the part."""
    document: dict[str, Any] = {"results": str(results.folder)} if results.folder else {}
    document |= {"games": results.n_games, "played_now": results.new_games, "seconds": results.seconds}
    if not results.tables:
        return document | {"part": results.about["part"]}
    if results.folder is not None:
        document["tables"] = {name: str(results.folder / "tables" / f"{name}.parquet") for name in results.tables}
    return document | {"report": str(page)}


def rows_of(results: "Results") -> dict[str, Any]:
    """Return results as plain data: the study, the verdict, the alarms and every table; a missing value is None."""
    import msgspec

    rows = {name: frame.astype(object).where(frame.notna(), None) for name, frame in results.tables.items()}
    tables = {name: frame.to_dict("records") for name, frame in rows.items()}
    study = msgspec.json.decode(results.study.json) | {"games": results.n_games}
    alarms = [alarm.document for alarm in results.alarms]
    verdict = results.verdict.document
    return {"study": study, "verdict": verdict, "alarms": alarms, "games": results.n_games, "tables": tables}


def _player_names(results: "Results") -> Mapping[str, str]:
    return results.study.the_game.player_names


def table_text(
    name: str, tables: Mapping[str, Any], player_names: Mapping[str, str] = MappingProxyType({}), most: int = MOST_LINES
) -> str:
    """Return one of the tables for the terminal; its title has the player count and the texts that all rows share.

    Args:
        name: name of the table.
        tables: the tables of results.
        player_names: what a game calls the agents of its tiers: agent -> "usual".
        most: lines shown; those beyond are only counted, except in heat maps.
    """
    from strozzi_sim.declare.figure_tables import figures_in

    frame, figures = tables[name], figures_in(tables, name)
    of_agents = [key for key in _OF_AGENTS if key in frame.columns]
    frame = frame.assign(**{key: [_named_agents(each, player_names) for each in frame[key]] for key in of_agents})
    keys = [key for key in frame.columns if key not in _BESIDE]
    vary = [key for key in keys if frame[key].astype(str).nunique() > 1]
    without = [key for key in vary if key != "lineup"]
    if {"agent", "position"} & set(vary) and not frame.duplicated([*without, *({"figure"} & set(frame.columns))]).any():
        vary = without  # the other keys identify a line
    first = {key: frame[key].iloc[0] for key in keys if key not in vary and frame[key].astype(str).nunique() == 1}
    shared = [_head(key, value) for key, value in first.items() if key == "players" or isinstance(value, str)]
    title = ", ".join(word for word in (name.replace("_", " "), *shared) if word not in ("", "base", "all"))
    values = zip(*(frame[key] for key in vary), strict=True)
    things = [", ".join(filter(None, map(_head, vary, row))) for row in values] or ["value"] * len(frame)
    if not set(_BESIDE[:4]) <= set(frame.columns):
        lines = [[key.replace("_", " ") for key in frame.columns][:MOST_COLUMNS]]
        lines += [[plain(cell) for cell in row][:MOST_COLUMNS] for row in frame.itertuples(index=False)]
    elif {"row", "column"} <= set(keys):
        return "\n\n".join([f"heat map: {title.removeprefix('heat ')}", *_grids(frame, figures)])
    else:
        lines = _figures(frame, figures, things)
    return f"{title}\n{_first_lines(lines, most)}"


def _named_agents(value: Any, names: Mapping[str, str]) -> Any:
    """Return a line-up, or an agent, as text, with the names of its players; one that plays itself is named once."""
    from strozzi_sim.agent.spec_text import split_specs

    if not isinstance(value, str):
        return value
    named = [names.get(agent, agent) for agent in split_specs(value)]
    return ",".join(named if len(set(named)) > 1 else named[:1])


def _first_lines(lines: Sequence[Sequence[str]], most: int) -> str:
    remaining = len(lines) - 1 - most
    more = f"\nand {pluralize(remaining, 'more line')}: --tables" if remaining > 0 else ""
    heading, *rows = lines[: most + 1]
    return f"{columns_of([*_wrapped(heading, rows), *rows])}{more}"


def _wrapped(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a heading as lines that are hardly wider than the columns below."""
    widths = [max(_HEADING_WIDTH, *map(len, column)) for column in zip(*rows, strict=True)]
    wrapped = [wrap(text, width, break_long_words=False) for text, width in zip(heading, widths, strict=True)]
    return [list(line) for line in zip_longest(*wrapped, fillvalue="")]


def columns_of(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _head(key: str, value: Any) -> str:
    """Return a key's value as text: `3 players`, `seat 0`, `random`."""
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return f"{value} players" if key == "players" else str(value) if isinstance(value, str) else f"{key} {plain(value)}"


def _figures(frame: Any, figures: "Mapping[str, Figure]", things: Sequence[str]) -> list[list[str]]:
    """Return a heading, then a line per thing with up to six figures; for few things and more figures the reverse."""
    texts = [estimate(row, figures[row.figure]) for row in frame.itertuples(index=False)]
    words = {name: figures[name].words for name in frame["figure"].unique()}
    if len(set(words.values())) < len(words):
        words = {name: name.replace("_", " ") for name in words}
    cells = frame.assign(thing=things, text=texts, figure=frame["figure"].map(words))
    many, few = cells["figure"].nunique(), len(set(things)) <= FEW
    down, across = ("figure", "thing") if few and many > len(set(things)) else ("thing", "figure")
    texts_by_cell = cells.set_index([down, across])["text"]
    grid = texts_by_cell.unstack(across, fill_value="-", sort=False).iloc[:, : MOST_COLUMNS - 2]
    counts = cells.groupby(down)["n"].max()
    return [[down, *grid.columns, "n"], *([name, *row, f"{counts[name]:,}"] for name, *row in grid.itertuples())]


def _grids(frame: Any, figures: "Mapping[str, Figure]") -> Iterator[str]:
    """Yield heat maps, one for each figure, player count, variant and line-up, with half-widths of the intervals."""
    order = list(dict.fromkeys(frame["column"]))
    keys = [key for key in frame.columns if key not in ("row", "column", *_BESIDE[1:])]
    for values, rows in frame.groupby(keys, sort=False):
        rows = rows.dropna(subset="value")
        texts = [estimate(row, figures[row.figure], as_ends=False) for row in rows.itertuples(index=False)]
        rows = rows.assign(row=rows["row"].astype("str").str.replace("_", " "))
        grid = rows.assign(text=texts).set_index(["row", "column"])["text"].unstack(fill_value="", sort=False)
        columns = sorted(grid.columns, key=order.index)
        lines = [["", *columns], *([*row] for row in grid[columns].itertuples())]
        text = columns_of(lines) if len(rows) else "no cell has 30 facts: play more deals"
        shared = [
            figures[value].words if key == "figure" else _head(key, value)
            for key, value in zip(keys, values, strict=True)
            if value != "base" or frame[key].nunique() > 1
        ]
        yield f"{', '.join(shared)}\n{text}"


def estimate(row: Any, figure: "Figure", *, as_ends: bool = True) -> str:
    """Return a figure as on the page, with its interval if it has one: `25.1 % (23.0 to 27.2)`."""
    from strozzi_sim.declare.printing import THIN, format_estimate

    return format_estimate(row, figure, as_ends=as_ends).replace(THIN, " ")


def plain(value: Any) -> str:
    """Return a single value as text: three significant digits of a float, "" for a missing value."""
    if isinstance(value, float):
        return "" if value != value else f"{float(f'{value:.3g}'):,.9g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)

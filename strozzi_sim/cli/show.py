"""What a command prints: an answer as lines or as one JSON document, and results with their verdict first."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.text import MOST_LINES, table_text

if TYPE_CHECKING:
    from strozzi_sim.study.results import Results

PLACES_ALONE = ("run", "merge")  # commands whose JSON says where the tables are, without their rows
ALL_LINES = 10**9


@dataclass(frozen=True)
class Answer:
    """What a function of the command line returns."""

    document: Any  # plain data for --json, or a function that returns it
    lines: Iterable[str] = ()  # for the terminal, made while they are printed
    code: int = 0  # of the exit


def show(command: str, found: Any, *, with_json: bool, every_table: bool) -> int:
    """Print what the function of a command has returned, and return the exit code."""
    if found is None:
        return 0
    if not isinstance(found, Answer):
        found = _answer(command, found, every_table)
    if with_json:
        document = found.document() if callable(found.document) else found.document
        print(json.dumps(document, indent=1, allow_nan=False))
    else:
        for line in found.lines:
            print(line, flush=True)
    return int(found.code)


def _answer(command: str, results: "Results", every_table: bool) -> Answer:
    """Return the answer of a study; its report is written, if it has a folder."""
    if "leak_check" in results.tables:
        return _answer_of_check(results)
    page = results.report() if results.folder is not None and results.tables else None
    document = places_of(results, page) if command in PLACES_ALONE else rows_of(results)
    return Answer(document, _lines(results, page, every_table))


def _lines(results: "Results", page: Path | None, every_table: bool) -> Iterator[str]:
    yield from results.verdict
    own = [f"heat_{each.name.replace('-', '_')}" for each in results.look.heatmap]
    shown = results.tables if every_table else own or results.study.printed if page is None else ()
    for name in shown:
        if len(results.tables.get(name, ())):
            yield "\n" + table_text(name, results.tables[name], ALL_LINES if every_table else MOST_LINES)
    yield ("\n" if results.verdict else "") + results.summary_of_run()
    if results.folder is not None and not results.tables:
        yield f"part {results.about['part']}: {results.folder}; join all parts: strozzi merge DIR... --out DIR"
    if page is not None:
        yield f"tables: {(results.folder or page.parent) / 'tables'}\nreport: {page}"
    elif sys.stdout.isatty():
        yield "--out DIR keeps the tables and a report with pictures"


def places_of(results: "Results", page: str | Path | None) -> dict[str, Any]:
    """Return where the tables and the report are."""
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

    tables = {
        name: [{key: None if cell != cell else cell for key, cell in row.items()} for row in frame.to_dict("records")]
        for name, frame in results.tables.items()
    }
    study = msgspec.to_builtins(results.study) | {"games": results.n_games}
    return {"study": study, "verdict": results.verdict, "games": results.n_games, "tables": tables}


def _answer_of_check(results: "Results") -> Answer:
    """Return the answer of a leak check, which fails if there is one."""
    (row,) = results.tables["leak_check"].to_dict("records")
    ok, agent, decisions = bool(row.pop("ok")), row.pop("agent"), int(row.pop("decisions"))
    leak = None if ok else {key: value for key, value in row.items() if key != "shown"}
    document = {"ok": ok, "agent": agent, "game": results.study.game, "decisions": decisions, "leak": leak}
    return Answer(document, results.verdict, 0 if ok else 1)

"""The command line: a command for every public function of studies, made from what the function says of itself.

Arguments before the star are given by place, those after it by option. Errors name the option. Nothing of the engine is imported
before a command runs.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import ArgumentError, StrozziError
from strozzi_sim.cli.declared import REQUIRED, Argument, Declared, declared
from strozzi_sim.study.kinds import FUNCTIONS

if TYPE_CHECKING:
    from strozzi_sim.study.results import Results

_STUDY = "strozzi_sim.study"
PLACES = {
    "run": f"{_STUDY}.folders:run_file", "merge": f"{_STUDY}.folders:merge", "report": f"{_STUDY}.beside:report",
    **{file.replace("_", "-"): f"{_STUDY}.kinds.{file}:{function}" for function, file in FUNCTIONS.items()},
}  # fmt: skip
OPTIONS = {"folder": "out", "settings": "set", "every": "all"}  # of arguments that are called otherwise in Python
USUAL = {"balance": {"players": "all", "agents": "tiers"}}  # defaults that differ from Python's
EPILOG = "Add --debug to see the traceback of an error. Exit codes: 0 done, 2 bad input, 3 an agent's fault, 4 cannot read or write, 70 internal error."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug, given = "--debug" in given, [each for each in given if each != "--debug"]
    name = given[0] if given else "--help"
    if name not in PLACES:
        return _tell_commands(name)
    command = declared(PLACES[name])
    try:
        options = vars(_parser(name, command).parse_args(given[1:]))
        as_json, usual = options.pop("json"), USUAL.get(name, {})
        results = command.call(**{**usual, **options}, **(_progress(given, as_json) if command.takes_progress else {}))
        _show(results, as_json)
    except SystemExit as ended:  # of the parser, which has said why
        return int(ended.code or 0)
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except StrozziError as error:
        if debug:
            raise
        print(f"strozzi: error: {_words(error, command)}", file=sys.stderr)
        return error.exit_code
    return 0


def _tell_commands(name: str) -> int:
    if name not in ("--help", "-h", "help"):
        print(f"strozzi: error: no command {name!r}; known: {', '.join(PLACES)}", file=sys.stderr)
        return 2
    lines = [f"  {command:10} {declared(place).summary}" for command, place in PLACES.items()]
    print(
        "\n".join(
            [
                "usage: strozzi COMMAND ...",
                "",
                "Simulates millions of games of three Eurogames.",
                "",
                *lines,
                "",
                EPILOG,
            ]
        )
    )
    return 0


def _parser(name: str, command: Declared) -> argparse.ArgumentParser:
    usual = USUAL.get(name, {})
    parser = argparse.ArgumentParser(
        f"strozzi {name}",
        description=command.summary,
        epilog=command.more,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    for each in command.arguments:
        more = f" (here: {usual[each.name]})" if each.name in usual else ""
        rest: dict[str, Any] = {"help": (each.words + more).replace("%", "%%")}
        rest |= {"action": "store_true"} if each.type is bool else {"type": each.type, "metavar": each.name.upper()}
        if each.is_keyword:
            rest |= {"dest": each.name} | ({"action": "append"} if each.is_repeated else {})
        elif each.is_repeated or each.default is not REQUIRED:
            rest["nargs"] = "?" if not each.is_repeated else "+" if each.default is REQUIRED else "*"
        parser.add_argument(_option(each.name) if each.is_keyword else each.name, **rest)
    parser.add_argument("--json", action="store_true", default=False, help="print one JSON document and nothing else")
    return parser


def _option(argument: str) -> str:
    return f"--{OPTIONS.get(argument, argument).replace('_', '-')}"


def _words(error: StrozziError, command: Declared) -> str:
    """Return an error with the option, or the place, instead of the argument."""
    if not isinstance(error, ArgumentError):
        return str(error)
    by_name: dict[str, Argument] = {each.name: each for each in command.arguments}
    found = by_name.get(error.argument)
    shown = error.argument if found is None else _option(found.name) if found.is_keyword else found.name.upper()
    return f"{shown}: {error.message}"


def _progress(given: Sequence[str], as_json: bool) -> dict[str, Any]:
    from strozzi_sim.study.progress import Progress

    line = shlex.join(["strozzi", *given])
    if as_json or not sys.stderr.isatty():
        return {
            "progress": Progress(
                command=line, on_message=lambda text: None if as_json else print(text, file=sys.stderr)
            )
        }
    return {"progress": None}


def _show(results: Results, as_json: bool) -> None:
    """Print a study as one JSON document, or its tables, its verdict and where its report is."""
    page = results.report() if results.folder is not None and results.tables else None
    if as_json:
        print(json.dumps(as_document(results) | ({"report": str(page)} if page else {}), indent=1, allow_nan=False))
        return
    from strozzi_sim.cli.text import table_text

    print(results.summary_of_run())
    for name in results.study.printed if page is None else ():
        if len(results.tables.get(name, ())):
            print(f"\n{name}\n{table_text(results.tables[name])}")
    for sentence in results.verdict:
        print(f"\n{sentence}")
    if page is not None:
        print(f"\ntables: {page.parent / 'tables'}\nreport: {page}")


def as_document(results: Results) -> dict[str, Any]:
    """Return results as plain data: the study, the verdict and every table; a missing value is None."""
    import msgspec

    tables = {
        name: [{key: None if cell != cell else cell for key, cell in row.items()} for row in frame.to_dict("records")]
        for name, frame in results.tables.items()
    }
    return {
        "study": msgspec.to_builtins(results.study),
        "verdict": results.verdict,
        "games": results.n_games,
        "tables": tables,
    }


if __name__ == "__main__":
    sys.exit(main())

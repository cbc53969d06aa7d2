"""Tools for assistants, by the Model Context Protocol: the same functions as the commands, with the schema of their arguments.

What an assistant writes is data of somebody else: code runs only if the user who started the server named it, files are those below the
folder that the server was started in, and a call ends at a number of games and of seconds.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

from strozzi_sim.agent.named_files import only_named
from strozzi_sim.errors import ArgumentError, InputError, StrozziError, suggest_names
from strozzi_sim.cli.app import OPTIONS, PLACES, as_document
from strozzi_sim.cli.declared import Declared, declared
from strozzi_sim.study.kinds import FUNCTIONS
from strozzi_sim.study.progress import Progress

NAMES = tuple(file.replace("_", "-") for file in FUNCTIONS.values())
HIDDEN = ("folder", "workers", "template", "code")  # arguments that an assistant does not choose
FILES = ("study", "file", "source")  # arguments that may name files
MOST_ROWS, MOST_GAMES, SECONDS = 100, 50_000, 120.0  # of a table, and of a call
INSTRUCTIONS = (
    "Simulates Eurogames to measure balance, strategy and agent strength. Every figure has an interval (low, high, 95 %) and n; do not call a "
    "difference real if the interval holds 0, or seats unequal if their intervals hold the same share. Every answer has a verdict, and the "
    "command that gives it again in a terminal. Calls are independent: the same arguments give the same answer."
)


def tools() -> list[Tool]:
    """Return a tool for every kind of study."""
    found = []
    for name in NAMES:
        function = declared(PLACES[name])
        schema = function.schema
        schema["properties"] = {key: value for key, value in schema["properties"].items() if key not in HIDDEN}
        found.append(Tool(name=name, description=f"{function.summary} {function.more}".strip(), input_schema=schema))
    return found


def call(
    name: str, given: Mapping[str, Any], root: Path | None = None, code: Sequence[str] = (), seconds: float = SECONDS
) -> dict[str, Any]:
    """Call a tool and return its answer: verdict, games, the command that gives it again, and the first rows of every table.

    Args:
        name: name of the tool.
        given: arguments of the call.
        root: folder that files must be in; default: the current one.
        code: files of agents that may run.
        seconds: longest time.
    """
    if name not in NAMES:
        raise InputError(f"no tool {name!r}; {suggest_names(name, NAMES)}")
    function = declared(PLACES[name])
    known = [each.name for each in function.arguments]
    for key, value in given.items():
        if key not in known or key in HIDDEN:
            raise ArgumentError(
                key, f"unknown argument of {name}; {suggest_names(key, [each for each in known if each not in HIDDEN])}"
            )
        if key in FILES:
            _check_inside(key, str(value), (root or Path()).resolve())
    command = command_of(name, function, given)
    one = {"workers": 1} if "workers" in known else {}
    with only_named(code, by="the assistant", advice="start the server with its name"):
        results = function.call(**given, **one, progress=_limits(command, seconds))
    document = as_document(results)
    shown = {table: rows[:MOST_ROWS] for table, rows in document["tables"].items()}
    left_out = {table: len(rows) - MOST_ROWS for table, rows in document["tables"].items() if len(rows) > MOST_ROWS}
    return {
        "verdict": document["verdict"], "summary": results.summary, "games": document["games"], "command": command, "tables": shown,
        "rows_left_out": left_out,
    }  # fmt: skip


def _check_inside(argument: str, value: str, root: Path) -> None:
    """Refuse a file outside the folder that the server was started in."""
    if not (root / value).resolve().is_relative_to(root):
        raise ArgumentError(argument, f"{value}: is outside of {root}, where the server was started")


def command_of(name: str, function: Declared, given: Mapping[str, Any]) -> str:
    """Return the command of a call, as a terminal takes it."""
    words = ["strozzi", name]
    for each in function.arguments:
        values = given.get(each.name, [])
        several = values if isinstance(values, list) else [values]
        option = f"--{OPTIONS.get(each.name, each.name).replace('_', '-')}"
        if each.type is bool:
            words += [option] if values else []
        else:
            words += [
                word for value in several for word in ((option, str(value)) if each.is_keyword else (str(value),))
            ]
    return shlex.join(words)


def _limits(command: str, seconds: float) -> Progress:
    """Return the callbacks of a run that end it with an InputError beyond a limit."""
    deadline = monotonic() + seconds

    def check(phase: str, done: int, total: int) -> None:
        elsewhere = f"ask for fewer deals, or run this in a terminal: {command}"
        if total > MOST_GAMES:
            raise InputError(f"{total:,} games are more than the {MOST_GAMES:,} that one call may play; {elsewhere}")
        if monotonic() > deadline and done < total:
            raise InputError(f"{done:,} of {total:,} games were played in {seconds:g} s, the limit; {elsewhere}")

    return Progress(on_phase=check, command=command)


async def _list_tools(context: Any, parameters: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=tools())


async def _call_tool(code: Sequence[str], context: Any, parameters: CallToolRequestParams) -> CallToolResult:
    try:
        given = dict(parameters.arguments or {})
        answer = await run_sync(partial(call, parameters.name, given, code=code))
    except StrozziError as error:
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(answer, allow_nan=False))])


def server(code: Sequence[str] = ()) -> Server[Any]:
    """Return the server of all tools; agents may run these files."""
    return Server(
        "strozzi-sim", version=version("strozzi-sim"), instructions=INSTRUCTIONS, on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, tuple(code)),
    )  # fmt: skip


def serve(code: Sequence[str] = ()) -> None:
    """Serve the tools over standard input and output until input ends."""
    anyio.run(_serve, code)


async def _serve(code: Sequence[str]) -> None:
    made = server(code)
    async with stdio_server() as (reading, writing):
        await made.run(reading, writing, made.create_initialization_options())


if __name__ == "__main__":
    import sys

    serve(sys.argv[1:])

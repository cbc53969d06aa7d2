"""mcp: tools for assistants over the Model Context Protocol, made from functions by their signatures.

Arguments from an assistant are not trusted: only files named by the user are run, paths stay in the folder that the
server was started in, and a call ends after some seconds.
"""

import json
import os
import shlex
import threading
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from strozzi_sim.cli.parser import REQUIRED, Argument, Declared, declared
from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, InputError, StrozziError, check_range, short_repr, suggest_names
from strozzi_sim.runtime.parsing import parse_json
from strozzi_sim.study.kinds import KINDS, STUDIES

Document = dict[str, Any]
MOST_SECONDS = 120.0  # longest time of a call by default
PROGRESS_SECONDS = 5.0  # between two notices that a call is running, since a client may give up after 60 s without one
MOST_ROWS, MOST_ROWS_BY_NAME = 50, 200  # most rows of a main table, and of a table that the call names
HIDDEN = ("heatmaps", "rows", "facts", "facts_share", "workers", "code")  # arguments that no tool offers
INSTRUCTIONS = """Begin with the tool games. Figures of studies have 95 % intervals (low, high) and n: a difference
whose interval holds 0 may be chance. Tell the user the command of an answer, and which component data is reconstructed
(`reconstructed_data`). The same arguments give the same answer, unless files change."""


TABLE_ARGUMENTS = (
    Argument("tables", "names of tables to show, also of kept fact tables; default: the main tables", is_repeated=True),
    Argument("where", "values that rows must have, COLUMN=VALUE such as figure=win_share", is_repeated=True),
)


@cache
def tools() -> dict[str, Declared]:
    """Return the declaration of each tool's function; kinds of study that offer tables are tools, named by `file`."""
    return {
        "games": declared("strozzi_sim.cli.installed:describe_games"),
        "position": declared("strozzi_sim.play.one_game:position"),
        "analyse": declared("strozzi_sim.play.one_game:analyse"),
        **{kind.file: function for kind in KINDS if (function := declared(kind.place)).offer.tables},
        "results": declared("strozzi_sim.study.folders:load_results"),
    }


def function_of(tool: str) -> Declared:
    """Return the declaration of a tool's function."""
    if tool not in tools():
        raise ArgumentError("tool", f"unknown tool {short_repr(tool)}; {suggest_names(tool, tools())}")
    return tools()[tool]


def arguments_of(tool: str) -> dict[str, Argument]:
    """Return the arguments of a tool by name."""
    from strozzi_sim.study.results import Results

    visible = [argument for argument in function_of(tool).arguments if argument.name not in HIDDEN]
    further = TABLE_ARGUMENTS if function_of(tool).returns is Results else ()
    return {argument.name: argument for argument in (*visible, *further)}


def schema_of(tool: str) -> Document:
    """Return the JSON schema of a tool's arguments."""
    from strozzi_sim.game import game_names

    type_names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    defaults, properties = function_of(tool).offer.quick, dict[str, Document]()
    for name, argument in arguments_of(tool).items():
        item: Document = {"type": type_names[argument.type]}
        if name == "game" and argument.type is str:
            item["enum"] = ["", *game_names()] if argument.default == "" else list(game_names())
        kind = {"type": "array", "items": item} if argument.is_repeated else item
        properties[name] = {"description": argument.words, **kind}
        if name in defaults:
            properties[name] |= {"description": argument.words.partition("; default: ")[0], "default": defaults[name]}
    required = [name for name, argument in arguments_of(tool).items() if argument.default is REQUIRED]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def checked(tool: str, given: Mapping[str, Any]) -> Document:
    """Return the checked arguments of a call, with the tool's defaults; see `_parsed`. Raises ArgumentError."""
    declared_arguments, arguments = arguments_of(tool), dict[str, Any](function_of(tool).offer.quick)
    for name, value in given.items():
        if name not in declared_arguments:
            raise ArgumentError(name, f"unknown argument of {tool}; {suggest_names(name, declared_arguments)}")
        if value is not None:
            arguments[name] = _parsed(declared_arguments[name], value)
    for name, argument in declared_arguments.items():
        if argument.default is REQUIRED and name not in arguments:
            raise ArgumentError(name, "is needed")
    return arguments


def _parsed(argument: Argument, value: Any) -> Any:
    """Return the value of an argument from JSON.

    Raises ArgumentError, also for a path that is absolute, has `..`, or leads out of the current folder by a link.
    """
    if argument.is_repeated:
        item = replace(argument, is_repeated=False)
        return [_parsed(item, entry) for entry in (value if isinstance(value, list) else [value])]
    needs_bool = argument.type is bool
    if isinstance(value, dict | list) or isinstance(value, bool) != needs_bool:
        expected = "true or false" if needs_bool else "text or a number"
        raise ArgumentError(argument.name, f"expected {expected}, got {short_repr(value)}")
    try:
        content = value if needs_bool else argument.read(str(value))
    except ArgumentTypeError as error:
        raise ArgumentError(argument.name, str(error)) from None
    if argument.is_path:
        is_refused = Path(content).is_absolute() or ".." in Path(content).parts
        if is_refused or not Path(os.path.realpath(content)).is_relative_to(os.path.realpath(".")):
            expected = "must be a relative path, without `..`, inside the folder that the server was started in"
            raise ArgumentError(argument.name, f"{expected}, got {short_repr(content)}")
    return content


def answer(tool: str, given: Document, code: Sequence[str] = (), status: Path | None = None) -> Any:
    """Return the answer of a tool as plain data, with the command that repeats it.

    The phase of a study, such as "games: 120 of 500", is written to the file `status` from time to time.
    """
    from strozzi_sim.agent.files import only_named
    from strozzi_sim.study.progress import Progress, now_and_then
    from strozzi_sim.study.results import Results

    def write_status(phase: str, done: int, total: int) -> None:
        if status is not None:
            status.write_text(f"{phase}: {done:,} of {total:,}" if total else phase, "utf-8")

    function = function_of(tool)
    command = shlex.join(["strozzi", "mcp", *(f"--code={file}" for file in code), tool, json.dumps(given)])
    arguments = checked(tool, given)
    tables, where = arguments.pop("tables", ()), arguments.pop("where", ())
    reporter = Progress(command=command, on_phase=now_and_then(write_status))
    progress = {"progress": reporter} if function.takes_progress else {}
    with only_named(code, "the call", "start strozzi mcp with --code and this file"):
        result = function.function(**arguments, **progress)
        if isinstance(result, Results):
            played_now = function.takes_progress  # else loaded from a folder
            if played_now and result.folder is not None:
                result.report()
            result = _shown_results(result, tables, where)
    # `analyse` returns a GameAnalysis; `position` has one if an agent judges the choices
    result = result if isinstance(result, dict) else {"analysis": result}
    if "analysis" in result:
        result["analysis"] = result["analysis"].in_short()
    return as_json({"command": command} | result)


def as_json(data: Any) -> Any:
    """Return an answer as JSON types: floats with six significant digits, None for NaN and infinity."""
    data = data.item() if hasattr(data, "item") else data
    if isinstance(data, dict):
        return {str(key): as_json(value) for key, value in data.items()}
    if isinstance(data, float):
        return float(f"{data:.6g}") if isfinite(data) else None
    return [as_json(item) for item in data] if isinstance(data, list | tuple) else data


def _shown_results(results: Any, asked: Sequence[str], conditions: Sequence[str]) -> Document:
    """Return the verdict, and the first rows of the tables `asked`, or else of the main ones, that meet all conditions.

    The main tables are those that the kind of study offers, or else those that the terminal prints. Rows of figures
    without an interval are only counted.
    """
    kept_facts = [name for name in results.look.facts if name not in results.tables]
    known_names = [*results.tables, *kept_facts]
    for name in asked:
        if name not in known_names:
            raise ArgumentError("tables", f"unknown name {short_repr(name)}; {suggest_names(name, known_names)}")
    main = declared(STUDIES[results.study.kind].place).offer.tables or results.study.printed
    names = asked or [name for name in main if name in results.tables]
    frames = {name: results.facts(name) if name in kept_facts else results.tables[name] for name in names}
    for condition in conditions:
        column, separator, value = condition.partition("=")
        if not separator:
            raise ArgumentError("where", f"expected COLUMN=VALUE, got {short_repr(condition)}")
        columns = list(dict.fromkeys(name for frame in frames.values() for name in frame))
        if column not in columns:
            raise ArgumentError("where", f"unknown column {short_repr(column)}; {suggest_names(column, columns)}")
        having = {name: frame for name, frame in frames.items() if column in frame}
        frames = {name: frame[frame[column].astype(str) == value] for name, frame in having.items()}
    tables: dict[str, Document] = {}
    for name, frame in frames.items():
        with_interval = frame[frame["low"].notna()] if "low" in frame else frame
        with_interval = with_interval.sort_values("p", kind="stable") if "p" in with_interval else with_interval
        rows = with_interval.head(MOST_ROWS_BY_NAME if asked else MOST_ROWS).to_dict("records")
        tables[name] = {"rows": rows, "of": len(with_interval), "without_interval": len(frame) - len(with_interval)}
    return {
        "verdict": results.verdict.document,
        "alarms": [
            {"text": alarm.text, "evidence": alarm.evidence, "mended": alarm.is_mended} for alarm in results.alarms
        ],
        "games": results.n_games,
        "tables": tables,
        "all_tables": known_names,
        "reconstructed_data": {name: list(variant.reconstructed) for name, variant in results.study.variant_of.items()},
    }


def call(
    tool: str,
    given: Document,
    code: Sequence[str],
    seconds: float,
    is_abandoned: Callable[[], bool] = lambda: False,
    status: Path | None = None,
) -> Document:
    """Return the answer of a tool; its process is killed after `seconds` or once `is_abandoned` returns True."""
    from strozzi_sim.runtime.workers import Cancelled, WorkerDied, call_in_worker

    deadline, function = monotonic() + seconds, function_of(tool)

    def is_over() -> bool:
        return is_abandoned() or monotonic() > deadline

    try:
        return dict(call_in_worker(answer, tool, given, code, status, seconds=seconds, is_cancelled=is_over))
    except Cancelled:
        hint = ", or name a folder, in which the same call goes on" if function.takes_progress else ""
        raise InputError(f"{tool}: took more than {seconds:g} s and was ended; ask for less{hint}") from None
    except WorkerDied as died:
        raise InputError(f"{tool}: an agent {died.what}") from None


async def _report_progress(session: Any, status: Path) -> None:
    """Send the seconds since the start of a call, and the phase in `status`, to a client that wants to know progress.

    The phase alone would not do: while games are compiled or tables made it does not change.
    """
    from anyio import sleep

    start = monotonic()
    while True:
        await sleep(PROGRESS_SECONDS)
        phase = status.read_text("utf-8") if status.is_file() else ""
        await session.report_progress(round(monotonic() - start, 1), message=phase or "at work")


def make_server(seconds: float = MOST_SECONDS, code: Sequence[str] = ()) -> Any:
    """Return the server of all tools. A call is ended after `seconds`; agents may name no files but `code`."""
    from importlib.metadata import version

    from anyio import create_task_group
    from anyio.to_thread import run_sync
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

    def described(name: str) -> Any:
        function = function_of(name)
        about = " ".join(f"{function.summary} {function.more}".split())
        return Tool(name=name, description=about, input_schema=schema_of(name))

    async def list_tools(context: Any, parameters: Any) -> Any:
        return ListToolsResult(tools=[described(name) for name in tools()])

    async def call_tool(context: Any, parameters: Any) -> Any:
        abandoned, given = threading.Event(), dict(parameters.arguments or {})
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            status = Path(folder, "status")
            async with create_task_group() as beside:
                beside.start_soon(_report_progress, context.session, status)
                try:
                    run_call = partial(call, parameters.name, given, code, seconds, abandoned.is_set, status)
                    document = await run_sync(run_call, abandon_on_cancel=True)
                    text = TextContent(text=json.dumps(document))
                    result = CallToolResult(content=[text], structured_content=document)
                except (StrozziError, OSError) as error:
                    result = CallToolResult(content=[TextContent(text=str(error))], is_error=True)
                finally:
                    abandoned.set()
                    beside.cancel_scope.cancel()
        return result

    handlers = {"on_list_tools": list_tools, "on_call_tool": call_tool}
    return Server("strozzi-sim", version=version("strozzi-sim"), instructions=INSTRUCTIONS, **handlers)


def mcp(
    tool: str = "", arguments: str = "{}", *, seconds: float = MOST_SECONDS, code: Sequence[str | Path] = ()
) -> Answer:
    """Offer tools for an assistant (Model Context Protocol) on standard input and output.

    Example: strozzi mcp games '{"game": "strozzi"}'

    Args:
        tool: call this tool once; default: serve all
        arguments: its arguments, a JSON object
        seconds: longest time of one call; default: 120
        code: a file that agents may use; may be given several times
    """
    check_range("seconds", seconds, 1, 1e6)
    if not tool:
        from strozzi_sim.adapters.common import needs

        with needs("mcp", "mcp"):
            import anyio
            from mcp.server.stdio import stdio_server
        server = make_server(seconds, [*map(str, code)])

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        anyio.run(serve)
        return Answer(None)
    try:
        given = parse_json(arguments.encode())
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ArgumentError("arguments", f"must be a JSON object, got {short_repr(arguments)}")
    document = call(tool, given, [*map(str, code)], seconds)
    return Answer(document, [json.dumps(document, indent=1, allow_nan=False)])

"""mcp: ten tools for assistants over the Model Context Protocol, made from public functions by their signatures.

What an assistant writes is data of somebody else: only files that the user named run, paths stay in the folder that the server was
started in, and a call ends after some seconds.
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
from time import monotonic
from typing import Any

from strozzi_sim.cli.declared import REQUIRED, Argument, Declared, declared
from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, InputError, StrozziError, check_range, short_repr, suggest_names
from strozzi_sim.runtime.parsing import parse_json

Document = dict[str, Any]
_KIND = "strozzi_sim.study.kinds"
SECONDS = 120.0  # of a call
ROWS, MORE_ROWS = 50, 200  # of a table, and of one that is asked for by name
HIDDEN = ("heatmaps", "rows", "facts", "facts_share", "workers")  # arguments that assistants do not choose
INSTRUCTIONS = """Begin with the tool games. Figures have 95 % intervals (low, high) and n: a difference whose interval holds 0 may be chance.
Tell the user the command of an answer, and which component data is reconstructed. The same arguments give the same answer."""
# By tool: its function, the main tables of a study, and defaults for somebody who waits.
TOOLS: dict[str, tuple[str, tuple[str, ...], Document]] = {
    "games": ("strozzi_sim.cli.installed:describe_games", (), {}), "position": ("strozzi_sim.play.one_game:position", (), {}),
    "analyse": ("strozzi_sim.play.one_game:analyse", (), {}),
    "balance": (f"{_KIND}.balance:simulate", ("seats", "lineup", "balance"), {"deals": 500}),
    "compare": (f"{_KIND}.compare:compare", ("changes", "difference", "sides"), {"deals": 300}),
    "worth": (f"{_KIND}.worth:worth", ("worth",), {"deals": 200}),
    "tournament": (f"{_KIND}.tournament:tournament", ("ratings", "pairwise"), {"deals": 50}),
    "sweep": (f"{_KIND}.sweep:sweep", ("sweep",), {"deals": 200}),
    "luck": (f"{_KIND}.luck:luck", ("luck", "drama"), {"deals": 200, "games": 30}),
    "results": ("strozzi_sim.study.folders:load_results", ("seats", "lineup", "balance", "difference", "worth", "ratings", "sweep"), {}),
}  # fmt: skip
SHOWN = (
    Argument("tables", "names of tables to show, of kept facts too; default: the main ones", is_repeated=True),
    Argument("where", "values that rows must have, COLUMN=VALUE such as figure=win_share", is_repeated=True),
)


@cache
def function_of(tool: str) -> Declared:
    """Return what the function of a tool says of itself."""
    if tool not in TOOLS:
        raise ArgumentError("tool", f"unknown tool {short_repr(tool)}; {suggest_names(tool, TOOLS)}")
    return declared(TOOLS[tool][0])


def arguments_of(tool: str) -> dict[str, Argument]:
    """Return the arguments of a tool by name."""
    found = [each for each in function_of(tool).arguments if each.name not in HIDDEN]
    return {each.name: each for each in (*found, *(SHOWN if TOOLS[tool][1] else ()))}


def schema_of(tool: str) -> Document:
    """Return the JSON schema of a tool's arguments."""
    from strozzi_sim.game import game_names

    words = {str: "string", int: "integer", float: "number", bool: "boolean"}
    usual, properties = TOOLS[tool][2], dict[str, Document]()
    for name, each in arguments_of(tool).items():
        one: Document = {"type": words[each.type]}
        if name == "game" and each.type is str:
            one["enum"] = ["", *game_names()] if each.default == "" else list(game_names())
        properties[name] = {"description": each.words, **({"type": "array", "items": one} if each.is_repeated else one)}
        if name in usual:
            properties[name] |= {"description": each.words.partition("; default: ")[0], "default": usual[name]}
    required = [name for name, each in arguments_of(tool).items() if each.default is REQUIRED]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def checked(tool: str, given: Mapping[str, Any]) -> Document:
    """Return the arguments of a call as its function takes them; refuse others by name, and paths that lead out."""
    known, found = arguments_of(tool), dict(TOOLS[tool][2])
    for name, value in given.items():
        if name not in known:
            raise ArgumentError(name, f"unknown argument of {tool}; {suggest_names(name, known)}")
        if value is not None:
            found[name] = _read(known[name], value)
    for name, each in known.items():
        if each.default is REQUIRED and name not in found:
            raise ArgumentError(name, "is needed")
    return found


def _read(argument: Argument, value: Any) -> Any:
    """Return the value of an argument from JSON; a path must not lead out of the current folder."""
    if argument.is_repeated:
        one = replace(argument, is_repeated=False)
        return [_read(one, each) for each in (value if isinstance(value, list) else [value])]
    if isinstance(value, dict | list) or isinstance(value, bool) != (argument.type is bool):
        expected = "true or false" if argument.type is bool else "text or a number"
        raise ArgumentError(argument.name, f"expected {expected}, got {short_repr(value)}")
    try:
        found = value if argument.type is bool else argument.read(str(value))
    except ArgumentTypeError as error:
        raise ArgumentError(argument.name, str(error)) from None
    if argument.is_path:
        leads_out = Path(found).is_absolute() or ".." in Path(found).parts
        if leads_out or not Path(os.path.realpath(found)).is_relative_to(os.path.realpath(".")):
            where = "must be a path inside the folder that the server was started in"
            raise ArgumentError(argument.name, f"{where}, got {short_repr(found)}")
    return found


def answer(tool: str, given: Document, code: Sequence[str] = ()) -> Any:
    """Return the answer of a tool as plain data, with the command that gives it again."""
    from strozzi_sim.agent.files import only_named
    from strozzi_sim.study.progress import Progress

    function, (_, shown, _) = function_of(tool), TOOLS[tool]
    command = shlex.join(["strozzi", "mcp", *(f"--code={file}" for file in code), tool, json.dumps(given)])
    arguments = checked(tool, given)
    wanted, where = arguments.pop("tables", ()), arguments.pop("where", ())
    progress = {"progress": Progress(command=command)} if function.takes_progress else {}
    with only_named(code, "the call", "start strozzi mcp with --code and this file"):
        found = function.call(**arguments, **progress)
        if shown:
            if progress and found.folder is not None:
                found.report()
            found = _told(found, wanted, where, shown)
    found = found if isinstance(found, dict) else {"analysis": found}
    if "analysis" in found:
        found["analysis"] = found["analysis"].in_short()
    return as_json({"command": command} | found)


def as_json(found: Any) -> Any:
    """Return an answer as JSON has it: six digits, and no infinite number."""
    found = found.item() if hasattr(found, "item") else found
    if isinstance(found, dict):
        return {str(key): as_json(value) for key, value in found.items()}
    if isinstance(found, float):
        return float(f"{found:.6g}") if isfinite(found) else None
    return [as_json(each) for each in found] if isinstance(found, list | tuple) else found


def _told(found: Any, wanted: Sequence[str], where: Sequence[str], shown: Sequence[str]) -> Document:
    """Return the verdict and tables of results; rows of figures without an interval are left out, and counted."""
    kept, tables = [name for name in found.look.facts if name not in found.tables], dict[str, Document]()
    for name in wanted or [each for each in shown if each in found.tables]:
        if name not in (*found.tables, *kept):
            raise ArgumentError("tables", f"unknown name {short_repr(name)}; {suggest_names(name, found.tables)}")
        frame = found.facts(name) if name in kept else found.tables[name]
        for condition in where:
            column, _, value = condition.partition("=")
            if column not in frame:
                raise ArgumentError("where", f"unknown column {short_repr(column)}; {suggest_names(column, frame)}")
            frame = frame[frame[column].astype(str) == value]
        known = frame[frame["low"].notna()] if "low" in frame else frame
        known = known.sort_values("p", kind="stable") if "p" in known else known
        rows = known.head(MORE_ROWS if wanted else ROWS).to_dict("records")
        tables[name] = {"rows": rows, "of": len(known), "without_interval": len(frame) - len(known)}
    return {
        "verdict": found.verdict, "games": found.n_games, "tables": tables, "all_tables": [*found.tables, *kept],
        "reconstructed_data": {name: list(variant.reconstructed) for name, variant in found.study.variant_of.items()},
    }  # fmt: skip


def call(
    tool: str, given: Document, code: Sequence[str], seconds: float, is_left: Callable[[], bool] = lambda: False
) -> Document:
    """Return the answer of a tool from a process of its own, which is ended after so many seconds."""
    from strozzi_sim.runtime.workers import Cancelled, WorkerDied, call_in_worker

    until, function = monotonic() + seconds, function_of(tool)

    def over() -> bool:
        return is_left() or monotonic() > until

    try:
        return dict(call_in_worker(answer, tool, given, code, seconds=seconds, is_cancelled=over))
    except Cancelled:
        again = ", or name a folder, in which the same call goes on" if function.takes_progress else ""
        raise InputError(f"{tool}: took more than {seconds:g} s and was ended; ask for less{again}") from None
    except WorkerDied as died:
        raise InputError(f"{tool}: an agent {died.what}") from None


def make_server(seconds: float = SECONDS, code: Sequence[str] = ()) -> Any:
    """Return the server of all tools; a call ends after `seconds`, and uses no agents' files but `code`."""
    from importlib.metadata import version

    from anyio.to_thread import run_sync
    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

    def described(name: str) -> Any:
        function = function_of(name)
        about = " ".join(f"{function.summary} {function.more}".split())
        return Tool(name=name, description=about, input_schema=schema_of(name))

    async def list_tools(context: Any, parameters: Any) -> Any:
        return ListToolsResult(tools=[described(name) for name in TOOLS])

    async def call_tool(context: Any, parameters: Any) -> Any:
        left, given = threading.Event(), dict(parameters.arguments or {})
        try:
            asked = partial(call, parameters.name, given, code, seconds, left.is_set)
            found = await run_sync(asked, abandon_on_cancel=True)
        except (StrozziError, OSError) as error:
            return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        finally:
            left.set()
        return CallToolResult(content=[TextContent(text=json.dumps(found))], structured_content=found)

    return Server(
        "strozzi-sim", version=version("strozzi-sim"), instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool,
    )  # fmt: skip


def mcp(tool: str = "", arguments: str = "{}", *, seconds: float = 120.0, code: Sequence[str | Path] = ()) -> Answer:
    """Offer ten tools for an assistant (Model Context Protocol) on standard input and output.

    Example: strozzi mcp games '{"game": "strozzi"}'

    Args:
        tool: call this tool once; default: serve all
        arguments: its arguments, a JSON object
        seconds: longest time of one call
        code: a file that agents may use; several times
    """
    check_range("seconds", seconds, 1, 1e6)
    if not tool:
        from strozzi_sim.adapters.common import needs

        with needs("mcp", "mcp"):
            import anyio
            from mcp.server.stdio import stdio_server
        made = make_server(seconds, [*map(str, code)])

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await made.run(reading, writing, made.create_initialization_options())

        anyio.run(serve)
        return Answer(None)
    try:
        given = parse_json(arguments.encode())
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ArgumentError("arguments", f"must be a JSON object, got {short_repr(arguments)}")
    found = call(tool, given, [*map(str, code)], seconds)
    return Answer(found, [json.dumps(found, indent=1, allow_nan=False)])

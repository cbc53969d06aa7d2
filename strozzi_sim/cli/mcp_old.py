"""mcp: ten tools for assistants over the Model Context Protocol, made from public functions by their signatures."""

import inspect
import json
import os
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Literal, get_args

import typer

import strozzi_sim as ss
from strozzi_sim.cli import options
from strozzi_sim.cli.about import describe_games
from strozzi_sim.cli.analyse import costs
from strozzi_sim.cli.commands import declared, described
from strozzi_sim.errors import ArgumentError, InputError, StrozziError, short_repr, suggest_names
from strozzi_sim.questions.one_game import position
from strozzi_sim.runtime.parsing import parse_json

Answer = dict[str, Any]
SECONDS = 120.0  # of a call
ROWS, MORE_ROWS = 50, 200  # of a table, and of one that is asked for by name
FILES = {"file", "folder", "record", "study"}  # arguments that name one
HIDDEN = {"facts", "heatmaps", "name", "progress", "workers"}  # arguments that assistants do not choose
INSTRUCTIONS = (
    "Begin with the tool games. Figures have 95 % intervals (low, high) and n: a difference whose interval holds 0 may be "
    "chance. Tell the user the command of an answer, and which component data is reconstructed. The same arguments give "
    "the same answer."
)


def results(folder: str, tables: Sequence[str] = (), where: Mapping[str, str] = {}) -> Answer:
    """Read a results folder: the verdict, and tables as rows.

    Args:
        folder: a results folder
        tables: names of tables to show, of kept facts too; default: the main ones
        where: values that rows must have, by column, such as {"figure": "win_share"}
    """
    from strozzi_sim.studies.results import load_results

    return _told(load_results(Path(folder)), tables, where, [each for _, main, _ in TOOLS.values() for each in main])


# By tool: the function, its main tables if it plays games, and defaults for somebody who waits.
TOOLS: dict[str, tuple[Callable[..., Any], tuple[str, ...], Answer]] = {
    "games": (describe_games, (), {}), "position": (position, (), {}), "analyse": (ss.analyse, (), {}),
    "balance": (ss.simulate, ("seats", "lineup", "balance"), {"deals": 500}),
    "compare": (ss.compare, ("changes", "difference", "sides"), {"deals": 300}),
    "worth": (ss.worth, ("worth",), {"deals": 200}),
    "tournament": (ss.tournament, ("ratings", "pairwise"), {"deals": 50}),
    "sweep": (ss.sweep, ("sweep",), {}),
    "luck": (ss.luck, ("luck", "drama"), {"deals": 200, "games": 30}),
    "results": (results, (), {}),
}  # fmt: skip


def _told(found: "ss.Results", wanted: Sequence[str], where: Mapping[str, str], shown: Sequence[str]) -> Answer:
    """Return the verdict and tables of results; rows of figures without an interval are left out, and counted."""
    kept, tables = found.manifest.get("kept", {}).get("tables", ()), dict[str, Answer]()
    for name in wanted or [each for each in shown if each in found.tables]:
        frame = found.facts(name) if name in kept else found.tables[_known("tables", name, found.tables)]
        for column, value in where.items():
            frame = frame[frame[_known("where", column, frame)].astype(str) == value]
        known = frame[frame["low"].notna()] if "low" in frame else frame
        known = known.sort_values("p", kind="stable") if "p" in known else known
        rows = known.head(MORE_ROWS if wanted else ROWS).to_dict("records")
        tables[name] = {"rows": rows, "of": len(known), "without_interval": len(frame) - len(known)}
    return {
        "verdict": found.findings, "games": found.n_games, "tables": tables, "all_tables": [*found.tables, *kept],
        "reconstructed_data": found.manifest["reconstructed"],
    }  # fmt: skip


def _known(argument: str, name: str, names: Any) -> str:
    """Return a known name; refuse others."""
    if name not in names:
        raise ArgumentError(argument, f"unknown name {short_repr(name)}; {suggest_names(name, names)}")
    return name


def _check_inside(argument: str, path: str) -> None:
    """Refuse a path that leads out of the current folder."""
    leads_out = not path or "\0" in path or Path(path).is_absolute() or ".." in Path(path).parts
    if leads_out or not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(".")):
        allowed = "must be a path inside the folder that the server was started in"
        raise ArgumentError(argument, f"{allowed}, got {short_repr(path)}")


def _plain(found: Any) -> Any:
    """Return an answer as JSON has it: six digits, and no infinite number."""
    found = found.item() if hasattr(found, "item") else found
    found = costs(found) if hasattr(found, "turning_points") else found
    if isinstance(found, dict):
        return {str(key): _plain(value) for key, value in found.items()}
    if isinstance(found, float):
        return float(f"{found:.6g}") if isfinite(found) else None
    return [_plain(each) for each in found] if isinstance(found, list | tuple) else found


def answer(name: str, given: Answer, code: Sequence[str] = ()) -> Any:
    """Return the answer of a tool as plain data, with the command that gives it again."""
    from strozzi_sim.agent.named_files import only_named
    from strozzi_sim.studies.progress import Progress

    function, shown, _ = TOOLS[name]
    for argument in FILES & given.keys():
        _check_inside(argument, given[argument])
    command = shlex.join(["strozzi", "mcp", *(f"--code={file}" for file in code), name, json.dumps(given)])
    with only_named(code, "the call", "start strozzi mcp with --code and this file"):
        if not shown:
            found = function(**given)
            return _plain({"command": command} | (found if isinstance(found, dict) else {"analysis": found}))
        wanted, where = given.pop("tables", ()), given.pop("where", {})
        played = function(**given, progress=Progress(command=command, allow_partial=False))
        options.write_page(played)
        return _plain({"command": command} | _told(played, wanted, where, shown))


def parameters(name: str) -> list[inspect.Parameter]:
    """Return the arguments of a tool, by signature and docstring of its function, in types that JSON has."""
    from pydantic import Field

    from strozzi_sim.simulation.seatings import Design

    function, shown, usual = TOOLS[name]
    allowed: Answer = {"game": Literal[tuple(ss.games())], "seatings": Design, "choices": list[str]}
    allowed |= {"tables": list[str], "where": dict[str, str]}
    said, found = described(results) | described(function), []
    parts = dict(inspect.signature(function).parameters)
    if shown:
        parts |= {each: inspect.signature(results).parameters[each] for each in ("tables", "where")}
    for part in (each for each in parts.values() if each.name not in HIDDEN):
        option = declared(part, said[part.name], {})
        kind, default = get_args(option.annotation)[0], usual.get(part.name, option.default)
        kind = allowed.get(part.name, str) if kind in (str, Any) else kind
        is_text, is_open = kind is str, default is None or default in ("", (), {})
        words = said[part.name].partition("; default: ")[0] if part.name in usual else said[part.name]
        note = Field(description=words, coerce_numbers_to_str=is_text or None)
        kind, default = (kind | None, None) if is_open else (kind, default)
        found.append(option.replace(annotation=Annotated[kind, note], default=default))
    return found


def make_server(seconds: float = SECONDS, code: Sequence[str] = ()) -> Any:
    """Return the server of all tools; a call ends after `seconds`, and uses no agents' files but `code`."""
    from anyio.to_thread import run_sync
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, TextContent
    from pydantic import ValidationError

    from strozzi_sim.runtime.workers import Cancelled, WorkerDied, call_in_worker

    tools: dict[str, Tool] = {}
    for name, (function, _, _) in TOOLS.items():
        asked: Any = partial(answer, name)
        asked.__name__, asked.__signature__ = name, inspect.Signature(parameters(name))
        said = (inspect.getdoc(function) or "").partition("\n\nArgs:")[0]
        tools[name] = Tool.from_function(asked, name, description=" ".join(said.split()))

    def call(name: str, arguments: Answer, is_left: Callable[[], bool]) -> Answer:
        tool, until = tools[_known("tool", name, tools)], monotonic() + seconds
        for argument in arguments:
            _known(name, argument, tool.parameters["properties"])
        given = {
            key: value for key, value in tool.fn_metadata.validate_arguments(arguments).items() if value is not None
        }

        def over() -> bool:
            return is_left() or monotonic() > until

        try:
            return dict(call_in_worker(answer, name, given, code, seconds=seconds, is_cancelled=over))
        except Cancelled:
            again = ", or name a folder, in which the same call goes on" if TOOLS[name][1] else ""
            raise InputError(f"{name}: took more than {seconds:g} s and was ended; ask for less{again}") from None
        except WorkerDied as died:
            raise InputError(f"{name}: an agent {died.what}") from None

    class Server(MCPServer[Any]):  # type: ignore[misc]  # the library is optional
        async def call_tool(self, name: str, arguments: Answer, context: Any = None) -> CallToolResult:
            left = threading.Event()
            try:
                found = await run_sync(call, name, arguments, left.is_set, abandon_on_cancel=True)
            except ValidationError as error:
                wrong = error.errors()
                wanted = " or ".join(each["msg"].removeprefix("Input should be ") for each in wrong)
                words = f"must be {wanted}, got {short_repr(wrong[0]['input'])}"
                raise ToolError(
                    f"{wrong[0]['loc'][0]}: {'is needed' if wrong[0]['type'] == 'missing' else words}"
                ) from None
            except (StrozziError, OSError) as error:
                raise ToolError(str(error)) from error
            finally:
                left.set()
            return CallToolResult(content=[TextContent(text=json.dumps(found))], structured_content=found)

    return Server(
        "strozzi-sim", instructions=INSTRUCTIONS, version=ss.__version__, tools=[*tools.values()], log_level="WARNING"
    )


def mcp(
    tool: Annotated[str, typer.Argument(metavar="[TOOL]", help="call this tool once; default: serve all")] = "",
    arguments: Annotated[str, typer.Argument(metavar="[ARGUMENTS]", help="its arguments, a JSON object")] = "{}",
    seconds: Annotated[float, typer.Option(help="longest time of one call")] = SECONDS,
    code: Annotated[
        list[Path] | None,
        typer.Option(parser=options.named_path, metavar="PATH", help="a file that agents may use; several times"),
    ] = None,
) -> None:
    """Offer ten tools for an assistant (Model Context Protocol) on standard input and output.

    Example: strozzi mcp games '{"game": "strozzi"}'
    """
    from strozzi_sim.adapters.common import needs

    options.check_range("--seconds", seconds, 1, 1e6)
    with needs("mcp", "mcp"):
        server = make_server(seconds, [*map(str, code or ())])
        from anyio import run
        from mcp.server.mcpserver.exceptions import ToolError
    if not tool:
        server.run()
        return
    try:
        given = parse_json(arguments.encode())
    except ValueError as error:
        raise InputError(f"ARGUMENTS: must be a JSON object, got {short_repr(arguments)}: {error}") from None
    if not isinstance(given, dict):
        raise InputError(f"ARGUMENTS: must be a JSON object, got {short_repr(arguments)}")
    try:
        found = run(server.call_tool, tool, given)
    except ToolError as error:
        raise InputError(str(error)) from None
    options.print_json(found.structured_content)


COMMANDS = {"mcp": mcp}

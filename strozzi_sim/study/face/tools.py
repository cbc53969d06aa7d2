"""Tools for assistants, by the Model Context Protocol: the same functions as the commands, with the schema of their arguments."""

import json
from importlib.metadata import version
from typing import Any

from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

from strozzi_sim.errors import StrozziError
from strozzi_sim.study.face.cli import PLACES, as_document
from strozzi_sim.study.face.declared import declared
from strozzi_sim.study.kinds import FUNCTIONS

_HIDDEN = ("folder", "workers")  # arguments that an assistant does not choose
MOST_ROWS = 200  # of a table


def tools() -> list[Tool]:
    """Return a tool for every kind of study."""
    found = []
    for name in (file.replace("_", "-") for file in FUNCTIONS.values()):
        function = declared(PLACES[name])
        schema = function.schema
        schema["properties"] = {key: value for key, value in schema["properties"].items() if key not in _HIDDEN}
        found.append(Tool(name=name, description=f"{function.summary} {function.more}".strip(), input_schema=schema))
    return found


def call(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Call a tool and return its answer; of long tables the first rows."""
    function = declared(PLACES[name])
    one = {"workers": 1} if any(each.name == "workers" for each in function.arguments) else {}
    document = as_document(function.call(**given, **one, progress=False))
    return document | {"tables": {table: rows[:MOST_ROWS] for table, rows in document["tables"].items()}}


async def _list_tools(context: Any, parameters: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=tools())


async def _call_tool(context: Any, parameters: CallToolRequestParams) -> CallToolResult:
    try:
        answer = await run_sync(call, parameters.name, dict(parameters.arguments or {}))
    except StrozziError as error:
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(answer, allow_nan=False))])


def server() -> Server[Any]:
    """Return the server of all tools."""
    return Server("strozzi-sim", version=version("strozzi-sim"), on_list_tools=_list_tools, on_call_tool=_call_tool)

"""The server: offers the tools over standard input and output, by the Model Context Protocol."""

import json
import logging
import sys
import threading
import traceback
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool

from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.assistants.schema import Answer
from strozzi_sim.cli.assistants.tools import TOOLS, call_apart
from strozzi_sim.errors import StrozziError

INSTRUCTIONS = (
    "Simulates Eurogames to measure balance, strategy and agent strength. Begin with the tool games. Every figure has an interval (low, "
    "high, 95 %) and n; do not call a difference real if the interval holds 0, or seats unequal if their intervals hold the same "
    "share. Every answer has the command that gives it again in a terminal, and says which component data is reconstructed: repeat "
    "both where they matter. Calls are independent: a game is named by its arguments, and the same arguments give the same answer."
)


def make_server(limits: Limits) -> Server[Any]:
    """Return the server of all tools."""
    return Server(
        "strozzi-sim", version=version("strozzi-sim"), instructions=INSTRUCTIONS, on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, limits),
    )  # fmt: skip


def serve(limits: Limits) -> None:
    """Serve the tools until standard input ends."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    anyio.run(_serve, limits)


async def _serve(limits: Limits) -> None:
    server = make_server(limits)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _list_tools(context: Any, parameters: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(
        tools=[
            ListedTool(
                name=tool.name,
                description=tool.description,
                input_schema=tool.input_schema,
                annotations=ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
            )
            for tool in TOOLS.values()
        ]
    )  # fmt: skip


async def _call_tool(limits: Limits, context: Any, parameters: CallToolRequestParams) -> CallToolResult:
    left = threading.Event()
    call = partial(call_apart, parameters.name, parameters.arguments or {}, limits, left.is_set)
    try:
        return CallToolResult(content=_content(await run_sync(call, abandon_on_cancel=True)))
    except StrozziError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.filename or parameters.name}: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - the client is told, and the server goes on
        traceback.print_exc()
        return _failed(f"internal error: {type(error).__name__}: {error}")
    finally:
        left.set()


def _content(answer: Answer) -> list[ContentBlock]:
    """Return an answer as blocks: its text as it is, the rest as JSON."""
    rest: Mapping[str, Any] = {key: value for key, value in answer.items() if key != "text"}
    texts = ([answer["text"]] if "text" in answer else []) + [json.dumps(rest, ensure_ascii=False, allow_nan=False)]
    return [TextContent(type="text", text=text) for text in texts]


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)

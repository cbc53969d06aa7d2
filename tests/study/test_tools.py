"""Tools for assistants: driven by a client of the protocol, with wrong calls and a file outside the folder."""

import json
import os
import sys

import anyio
import pytest

from strozzi_sim.errors import ArgumentError, InputError

pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from strozzi_sim.cli.app import PLACES
from strozzi_sim.cli.declared import declared
from strozzi_sim.cli.mcp import call, command_of

ENVIRONMENT = {
    key: value for key, value in os.environ.items() if key.startswith(("PYTHON", "STROZZI", "PATH", "HOME", "NUMBA"))
}
SMALL = {"game": "strozzi", "players": "3", "deals": 30}
CALLS = [
    ("balance", {**SMALL, "agents": "random"}),
    ("compare", {**SMALL, "first": "random", "second": "greedy"}),
    ("worth", {**SMALL, "things": ["flag:ware"], "agents": "random"}),
    ("tournament", {**SMALL, "agents": "random,greedy,racer"}),
]
WRONG = [
    ("worth", {**SMALL, "things": ["flag:no"]}, "things: "),
    ("balance", {**SMALL, "deal": 3}, "deal: unknown argument of balance; known: game, players"),
    (
        "compare",
        {**SMALL, "first": "a", "second": "b", "study": "../../etc/passwd"},
        "study: ../../etc/passwd: is outside of",
    ),
    ("balance", {**SMALL, "agents": "x.py::first"}, "no file"),
]


def test_a_client_calls_tools_and_gets_errors_as_answers(tmp_path):
    async def talk():
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "strozzi_sim.cli.mcp"], cwd=str(tmp_path), env=ENVIRONMENT
        )
        async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            answers = [await session.call_tool(name, given) for name, given in CALLS]
            refused = [await session.call_tool(name, given) for name, given, _ in WRONG]
        return names, answers, refused

    names, answers, refused = anyio.run(talk)
    assert {name for name, _ in CALLS} <= set(names)
    for (name, _), answer in zip(CALLS, answers, strict=True):
        found = json.loads(answer.content[0].text)
        assert found["command"].startswith(f"strozzi {name} strozzi ")
        assert found["verdict"]
        rows = next(iter(found["tables"].values()))
        assert {"low", "high", "n"} <= rows[0].keys()
    for (_, _, words), answer in zip(WRONG, refused, strict=True):
        assert answer.is_error
        assert words in answer.content[0].text


def test_a_call_that_is_too_large_or_too_long_names_the_command():
    with pytest.raises(
        InputError,
        match=r"60,000 games are more than .* strozzi balance strozzi --players 3 --agents random --deals 60000",
    ):
        call("balance", {**SMALL, "agents": "random", "deals": 60_000})
    with pytest.raises(InputError, match="the limit; ask for fewer deals"):
        call("balance", {**SMALL, "agents": "random", "deals": 2000}, seconds=0.0)
    with pytest.raises(ArgumentError, match="folder: unknown argument"):
        call("balance", {**SMALL, "folder": "here"})
    with pytest.raises(InputError, match="no tool 'balanc'"):
        call("balanc", SMALL)


def test_the_command_of_a_call_has_its_arguments():
    given = {"game": "strozzi", "every": True, "players": "3", "agents": "a,b", "deals": 5}
    assert (
        command_of("worth", declared(PLACES["worth"]), given)
        == "strozzi worth strozzi --all --players 3 --agents a,b --deals 5"
    )

"""mcp: the tools for assistants, over the Model Context Protocol."""

from pathlib import Path
from typing import Annotated

import typer

from strozzi_sim.cli.assistants.limits import GAMES, SECONDS, Limits
from strozzi_sim.cli.options import check_range, named_path, print_json
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.runtime.parsing import parse_json


def mcp(
    tool: Annotated[
        str, typer.Argument(metavar="[TOOL]", help="call this tool once and print its answer; default: serve all tools")
    ] = "",
    arguments: Annotated[
        str, typer.Argument(metavar="[ARGUMENTS]", help="arguments of the tool, as a JSON object")
    ] = "{}",
    max_games: Annotated[int, typer.Option(help="most games that one call may play")] = GAMES,
    seconds: Annotated[float, typer.Option(help="longest time of one call")] = SECONDS,
    code: Annotated[
        list[Path] | None,
        typer.Option(
            parser=named_path,
            metavar="PATH",
            help="an agent's file, program, graph or weights that calls may use; may be given several times; default: none",
        ),
    ] = None,
) -> None:
    """Offer games, analyses and questions as tools for an assistant (Model Context Protocol) on standard input and output.

    Example: strozzi mcp games '{"game": "strozzi"}'
    """
    check_range("--max-games", max_games, 1, 1e12)
    check_range("--seconds", seconds, 1, 1e6)
    limits = Limits(max_games, seconds, tuple(map(str, code or ())))
    if not tool:
        _serve(limits)
        return
    from strozzi_sim.cli.assistants.tools import call

    try:
        given = parse_json(arguments.encode())
    except ValueError as error:
        raise InputError(f"ARGUMENTS: not JSON: {error}") from None
    if not isinstance(given, dict):
        raise InputError(f"ARGUMENTS: expected a JSON object, got {arguments[:80]}")
    try:
        print_json(call(tool, given, limits))
    except ArgumentError as error:  # an argument of the tool is no option
        raise InputError(str(error)) from None


def _serve(limits: Limits) -> None:
    from strozzi_sim.adapters.common import needs

    with needs("mcp", "mcp"):
        from strozzi_sim.cli.assistants.server import serve
    serve(limits)


COMMANDS = {"mcp": mcp}

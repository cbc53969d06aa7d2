"""All tools by name, and calling one."""

from collections.abc import Mapping
from time import monotonic
from typing import Any

from strozzi_sim.agent.named_files import only_named
from strozzi_sim.cli.assistants.about import games, rules
from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.assistants.positions import PLACE, analyse_game, analyse_position, position
from strozzi_sim.cli.assistants.questions import QUESTIONS
from strozzi_sim.cli.assistants.schema import Answer, Tool, arguments_of, find_tool
from strozzi_sim.cli.assistants.studies import study
from strozzi_sim.cli.commands import described
from strozzi_sim.errors import InputError
from strozzi_sim.runtime.workers import Cancelled, WorkerDied, call_in_worker

_PLACE = described(position)
TOOLS = {
    tool.name: tool
    for tool in (
        *(Tool(function.__name__, function) for function in (games, rules, position)),
        *(
            Tool(
                function.__name__,
                function,
                arguments=(*PLACE, *arguments_of(function)),
                words={name: _PLACE[name] for name, _, _ in PLACE},
            )
            for function in (analyse_position, analyse_game)
        ),
        *(question.tool() for question in QUESTIONS),
        Tool("study", study, writes=True),
    )
}


def call(name: str, arguments: Mapping[str, Any], limits: Limits) -> Answer:
    """Return the answer of a tool, in this process.

    Raises:
        StrozziError: an unknown tool, an invalid argument, a file that `limits` does not have, or what the tool raises.
    """
    with only_named(limits.code, "the call", "start strozzi mcp with --code and this file"):
        return find_tool(name, TOOLS).call(arguments, limits)


def call_apart(name: str, arguments: Mapping[str, Any], limits: Limits, is_left: Any = lambda: False) -> Answer:
    """Return the answer of a tool from a process of its own, which is ended beyond the limit of time.

    Args:
        name: name of the tool.
        arguments: its arguments.
        limits: limits of the call.
        is_left: returns True once nobody waits for the answer.

    Raises:
        StrozziError: as `call`; or it took too long, or ended its process.
    """
    find_tool(name, TOOLS)
    deadline = monotonic() + limits.seconds

    def is_over() -> bool:
        return bool(is_left()) or monotonic() > deadline

    try:
        answer: Answer = call_in_worker(call, name, arguments, limits, seconds=limits.seconds, is_cancelled=is_over)
        return answer
    except Cancelled:
        raise InputError(f"{name} took more than {limits.seconds:g} s and was ended; ask for less") from None
    except WorkerDied as died:
        raise InputError(f"{name}: an agent {died.what}") from None

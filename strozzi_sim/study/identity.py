"""What makes two studies the same: the agents as they were when they played, and differences in words."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import ArgumentError, short_repr

RESUMES = "so a results folder resumes only with trust_agents"
FEW = 8  # things that a line lists


class PlayedAgent(msgspec.Struct, frozen=True):
    """What an agent was when it played.

    Attributes:
        values: values of its parameters.
        source: digest of its code and files; "": it is built in.
        undigested: what its code uses whose changes cannot be detected.
    """

    values: dict[str, Any]
    source: str = ""
    undigested: tuple[str, ...] = ()


def differences(there: Any, here: Any, key: str = "") -> Iterator[str]:
    """Yield the differences of two studies in plain data, key by key."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in dict.fromkeys([*there, *here]):
            yield from differences(
                there.get(name, "nothing"), here.get(name, "nothing"), f"{key}.{name}" if key else name
            )
    elif there != here:
        yield f"{key}: {short_repr(there)} there, {short_repr(here)} here"


def played_agent(spec: AgentSpec) -> PlayedAgent:
    """Return what an agent is now."""
    return PlayedAgent(dict(spec.values), spec.source_digest or "", spec.undigested)


def refuse_changed_agents(before: Mapping[str, Any], now: Mapping[str, PlayedAgent]) -> None:
    """Refuse agents that are not as they were when the study was played."""
    for line in differences(msgspec.to_builtins(before), msgspec.json.decode(msgspec.json.encode(now))):
        raise ArgumentError("agents", f"not as they were when the study was played: {line}")


def unknown_code(agents: Mapping[str, PlayedAgent]) -> list[str]:
    """Return a line for each agent that uses what cannot be digested."""
    return [
        f"agent {text}: changes of {', '.join(agent.undigested[:FEW])}{' and more' * (len(agent.undigested) > FEW)} are not detected"
        for text, agent in agents.items()
        if agent.undigested
    ]

"""Parts of a study: shares of its chunks, played on different machines or by the jobs of an array."""

import re
from dataclasses import replace

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.studies.plan import Part, Plan, check_divisible

MAX_PARTS = 100_000


def parse_part(text: str) -> Part:
    """Return the part that a text such as 2/5 names.

    Raises:
        ArgumentError: it names none.
    """
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MAX_PARTS:
        raise ArgumentError("part", f"must be I/N with 1 <= I <= N, such as 2/5, got {short_repr(text)}")
    return Part(int(found[1]), int(found[2]))


def part_of(plan: Plan, text: str) -> Plan:
    """Return the plan that plays a part, such as 2/5, of the chunks.

    Raises:
        ArgumentError: no part, more parts than chunks, or a study that cannot be played in parts.
    """
    part = replace(plan, part=parse_part(text))
    check_divisible(plan, "part")
    if not part.keys:
        raise ArgumentError("part", f"{text} has none of the {plan.chunks} chunks of a cell; use fewer parts")
    return part

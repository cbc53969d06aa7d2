"""Parts of a study: shares of its chunks, played on different machines or by the jobs of an array, and their merging."""

import re
from dataclasses import replace

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.studies.plan import Part, Plan, check_divisible

MAX_PARTS = 100_000


def part_of(plan: Plan, text: str) -> Plan:
    """Return the plan that plays a part, such as 2/5, of the chunks.

    Raises:
        ArgumentError: no part, more parts than chunks, or a study that cannot be played in parts.
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MAX_PARTS:
        raise ArgumentError("part", f"must be I/N with 1 <= I <= N, such as 2/5, got {short_repr(text)}")
    check_divisible(plan, "part")
    part = replace(plan, part=Part(int(found[1]), int(found[2])))
    if not part.keys:
        raise ArgumentError(
            "part", f"{text} has none of the {plan.chunks} chunks of {len(plan.cells)} cells; use fewer parts"
        )
    return part

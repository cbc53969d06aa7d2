"""Pages of a batch: one for each line-up of a study with many, and an index of them on the study's page."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from strozzi_sim.game.reporting import Tables, pick
from strozzi_sim.reports.study_page import MAX_SCENARIOS
from strozzi_sim.studies.plan import AGENTS, SEATS, VARIANTS

FOLDER = "styles"  # of these pages


class LineupPage(NamedTuple):
    """The part of a study with one line-up: path of its page, the line-up, and manifest and tables of it alone."""

    path: str
    lineup: str
    manifest: dict[str, Any]
    tables: dict[str, Any]


def lineup_pages(manifest: Mapping[str, Any], tables: Tables) -> Iterator[LineupPage]:
    """Yield the part of each line-up of a study that has more than a page shows."""
    plan = manifest.get("plan", {})
    lineups = list(dict.fromkeys(tables["balance"]["lineup"])) if "balance" in tables and "seats" in tables else []
    if len(lineups) <= MAX_SCENARIOS or "sweep" in tables:
        return
    question = manifest["report"].get("question", SEATS)
    question = SEATS if question in (AGENTS, VARIANTS) else question  # of one line-up
    for number, lineup in enumerate(lineups):
        slug = re.sub(r"[^a-z0-9]+", "-", lineup.lower()).strip("-")[:40]
        own = {name: pick(table, lineup=lineup) if "lineup" in table else table for name, table in tables.items()}
        agents = next((each for each in plan.get("lineups", []) if ",".join(each) == lineup), [lineup])
        part = {
            **manifest, "name": f"{manifest['name']}: {lineup}", "plan": {**plan, "lineups": [agents]},
            "games": int(pick(own["balance"], figure="seat_gap")["n"].sum()), "report": {**manifest["report"], "question": question},
        }  # fmt: skip
        yield LineupPage(f"{FOLDER}/{number:02d}-{slug}.html", lineup, part, own)

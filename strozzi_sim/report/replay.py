"""The pages of recorded games: each game's steps on its table, and a list of the games of a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.play.analyse import GameAnalysis
from strozzi_sim.play.next_draws import Outcome
from strozzi_sim.play.records import RecordedGame
from strozzi_sim.report.judged import judged_data
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.table.page import plain_style, render
from strozzi_sim.table.plain import replayed_steps, table_of

_MARK = b'<meta name="generator" content="strozzi-sim">'
_LIST = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="strozzi-sim"><meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,"><title>{{ title }}</title><style>{{ css }}</style></head>
<body><main><h1>{{ title }}</h1><ol>{% for file, heading, about in games %}
<li><a href="{{ file }}">{{ heading }}</a> <span class="muted">{{ about }}</span></li>{% endfor %}
</ol></main></body></html>
"""


Outcomes = Mapping[int, Sequence[Outcome]]


def replay_data(
    recorded: RecordedGame, analysis: GameAnalysis | None = None, outcomes: Outcomes | None = None
) -> tuple[dict[str, Any], str]:
    """Return the JSON of a recorded game's page, and its heading.

    Args:
        recorded: the game; it must follow the rules.
        analysis: what `analyse_game` found in it; default: the page has no shares of the win.
        outcomes: what `outcomes_of_game` found; default: the page does not show what could have come.
    """
    game = load_game(recorded.header["game"])
    table = table_of(game, recorded.header)
    steps = replayed_steps(table, recorded.header, [line for _, line in recorded.events])
    data: dict[str, Any] = {"head": table.head, "steps": steps, "ask": None}
    if analysis is not None:
        data["judged"] = judged_data(analysis, [step["said"] for step in steps], table, outcomes)
    return data, table.heading()


def replay_page(
    recorded: RecordedGame, analysis: GameAnalysis | None = None, outcomes: Outcomes | None = None
) -> tuple[str, str]:
    """Return the page of a recorded game as HTML, and its heading; see `replay_data`."""
    data, heading = replay_data(recorded, analysis, outcomes)
    return render(load_game(recorded.header["game"]), data, heading), heading


def list_page(title: str, games: Sequence[tuple[str, str, str]]) -> str:
    """Return a page that lists the pages of games.

    Args:
        title: its heading.
        games: for each game the name of its file, its result, and what identifies it.
    """
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(_LIST).render(title=title, games=games, css=Markup(plain_style()))


def write_page(path: Path, page: str) -> None:
    """Write a page to a file, atomically.

    Raises:
        InputError: the file exists and is not a strozzi-sim page.
        StorageError: it cannot be written.
    """
    with storage_errors(f"cannot write {path}"):
        if path.is_file() and _MARK not in path.read_bytes()[:1000]:
            raise InputError(f"{path} exists and is not a page of strozzi-sim; choose another file")
    write_atomically(path, page.encode("utf-8", "backslashreplace"))

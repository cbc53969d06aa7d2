"""The table of a position in a notebook: the page of a record, in a frame of its own."""

from typing import Any

from markupsafe import escape

from strozzi_sim.table.page import render
from strozzi_sim.table.plain import next_steps, table_of

_HEIGHT = 900  # pixels


def frame(position: Any) -> str:
    """Return an HTML frame with the table of a Position, as its acting seat sees it; all is shown once the game is over."""
    viewer = None if position.over else position.actor
    header = position.record()[0]
    header["agents"] = [""] * position.players
    table = table_of(position.game, header, viewer)
    steps = next_steps(table, position.lines(viewer), position, {})
    heading = table.heading() if position.over else f"{position.game.title}: seat {position.actor} decides"
    page = render(position.game, {"head": table.head, "steps": steps, "ask": None, "start": len(steps)}, heading)
    return f'<iframe srcdoc="{escape(page)}" width="100%" height="{_HEIGHT}" style="border:0"></iframe>'

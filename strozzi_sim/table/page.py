"""The page of a table: one self-contained HTML file with style, script and data."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup, escape

from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import seat_words
from strozzi_sim.table.plain import next_steps, table_of

_HERE = Path(__file__).parent
_SCRIPTS = ("shell.js", "curve.js", "steps.js")
_HEIGHT = 900  # pixels of a frame in a notebook


def render(
    game: Game, data: Mapping[str, Any], heading: str, *, rules: Sequence[str] = (), nonce: str = "", before: str = ""
) -> str:
    """Return the page as HTML, drawn by the game's `table.js` or by `plain.js`; `data` is as in `table.schema.Page`.

    `nonce` allows the script and style of a served page; `before` is JavaScript that tests run before the script.
    """
    live = data["head"]["viewer"] is not None and "version" in data
    parts = {"css": Markup(style(game)), "script": Markup(before + script(game, live))}
    parts["json"] = Markup(msgspec.json.encode(data).decode().replace("<", "\\u003c"))
    return template("table.html").render(data=data, heading=heading, live=live, rules=rules, nonce=nonce, **parts)


@cache
def template(name: str) -> jinja2.Template:
    """Return a template: `table.html` for a table's page, `games.html` for a list of pages."""
    options: Any = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    return jinja2.Environment(loader=jinja2.FileSystemLoader(_HERE / "templates"), **options).get_template(name)


@cache
def script(game: Game, live: bool = False) -> str:
    """Return the script of a page: primitives, the game's drawing or the plain one, and the shell; if `live`, play."""
    shell = [*_SCRIPTS, "play.js"] if live else _SCRIPTS
    game_script = _of_game(game, "table.js")
    drawing = [game_script] if game_script else [asset("plain.js"), "const renderer = plain;"]
    parts = [asset("draw.js"), *drawing, *map(asset, shell), "begin();"]
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])


@cache
def style(game: Game) -> str:
    """Return the style of a page: the common one, then the game's."""
    return asset("table.css") + _of_game(game, "table.css")


def asset(name: str) -> str:
    """Return the text of a file that the pages of all tables share."""
    return (_HERE / "assets" / name).read_text("utf-8")


def _of_game(game: Game, name: str) -> str:
    path = files(game.package).joinpath(name)
    return path.read_text("utf-8-sig") if path.is_file() else ""


def page_of(position: Any) -> str:
    """Return the page of a Position's table as its acting seat sees it, or with all lines once the game is over."""
    viewer = None if position.over else position.actor
    header = position.record()[0]
    header["agents"] = [""] * position.players
    table = table_of(position.game, header, viewer)
    steps = next_steps(table, position.lines(viewer), position, {})
    heading = (
        table.heading()
        if position.over
        else f"{position.game.title}: {seat_words(position.actor, position.players)} decides"
    )
    return render(position.game, {"head": table.head, "steps": steps, "ask": None, "start": len(steps)}, heading)


def frame(position: Any) -> str:
    """Return an HTML frame for a notebook with the page of a Position."""
    return f'<iframe srcdoc="{escape(page_of(position))}" width="100%" height="{_HEIGHT}" style="border:0"></iframe>'

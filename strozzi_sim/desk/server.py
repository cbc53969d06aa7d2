"""desk: change the box of a game on a page, ask what that does, and play it."""

import hashlib
import os
import re
import secrets
import webbrowser
from contextlib import closing
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from strozzi_sim.agent import seat_others
from strozzi_sim.agent.names import agents_named, one_count
from strozzi_sim.desk.answers import Answer, Shelf
from strozzi_sim.desk.box import box_of, changed_variant
from strozzi_sim.desk.child import PAGE, STUDY
from strozzi_sim.desk.questions import checked, command_of, forms, question_named, words_for
from strozzi_sim.errors import InputError, Stopped
from strozzi_sim.game import default_players, find_game, game_names, load_game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.restricting import restrictions
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.position import Position
from strozzi_sim.table.page import page_of
from strozzi_sim.web.local import HOST, LocalHandler, LocalServer, Problem, Query, as_object
from strozzi_sim.web.server import TableServer
from strozzi_sim.web.session import Sitting

Json = dict[str, Any]
SHEETS = "sheets.csv"
_ASSETS = Path(__file__).parent / "assets"
_WAIT = 10.0  # seconds that an answer waits for news
MAX_TABLES = 8  # that one desk serves


class DeskServer(LocalServer):
    """The server of a desk.

    Args:
        game: name of the game that is open first.
        shelf: the answers.
        results: where answers are saved.
        port: default: a free one.
        host: address to listen on.
    """

    def __init__(self, game: str, shelf: Shelf, results: Path, port: int = 0, host: str = HOST) -> None:
        self.game, self.shelf, self.results, self.tables = game, shelf, results, list[TableServer]()
        super().__init__(_Handler, port, host)

    def server_close(self) -> None:
        """Close the desk, its tables, and what plays."""
        super().server_close()
        for table in self.tables:
            table.shutdown()
            table.server_close()
        self.shelf.close()


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request of a page: a box, a question about it, players and agents of a table, or an answer and its name."""

    game: str = ""
    variant: str = "base"
    settings: list[str] = []
    question: str = ""
    values: dict[str, str | int | float | bool | None] = {}
    precision: str = "usual"
    players: str = ""
    agents: str = ""
    answer: int = 0
    name: str = ""


class _Handler(LocalHandler):
    server: DeskServer
    max_body = 1_000_000  # score sheets of thousands of games

    def get(self, path: str, query: Query) -> None:
        """Answer with the page, the state of the answers, a file of one, or the table of a box."""
        place, _, rest = path.strip("/").partition("/")
        if not place:
            nonce = secrets.token_urlsafe(16)
            data = {"game": self.server.game, "games": _games(), "questions": forms()}
            self.send_html(_page(data, nonce), nonce, "; frame-src 'self'; style-src-attr 'unsafe-inline'")
        elif place == "state":
            have = query.get("have", ["-1"])[0]
            self.send_json(self.server.shelf.state(int(have) if have.isascii() and have.isdigit() else -1, _WAIT))
        elif place == "board":
            given = converted(as_object(query.get("box", [""])[0].encode()), Request, "box")
            game = find_game(given.game)
            changed = changed_variant(game, given.variant, given.settings)
            self.send_html(page_of(Position(game, default_players(game), variant=changed)), frames="'self'")
        elif place == "answer":
            number, _, name = rest.partition("/")
            self._send_part(self.server.shelf.find(int(number) if number.isdecimal() else 0), name)
        else:
            raise Problem(404, "there is nothing here")

    def _send_part(self, answer: Answer, name: str) -> None:
        file = answer.folder / {"page": PAGE, "study": STUDY}.get(name, "")
        if name == "picture" and "picture" in answer.told:
            self.send_json({key: answer.told[key] for key in ("picture", "title", "legend")})
        elif name == "page" and file.is_file():
            self.send_html(file.read_text("utf-8"), frames="'self'")
        elif name == "study" and file.is_file():
            self.send_file(file.read_bytes(), "application/toml", f"study-{answer.number}.toml")
        else:
            raise Problem(404, "this answer does not have it yet")

    def post(self, path: str, body: Json) -> None:
        """Do what the page asks for."""
        deed, shelf, given = path.strip("/"), self.server.shelf, converted(body, Request, "request")
        reply: Json = {}
        if deed == "box":
            reply = _box(given) | {"own": shelf.variants.get(given.game, {})}
        elif deed == "command":
            reply = {"command": command_of(_words(given)[0])}
        elif deed == "ask":
            words, files = _words(given)
            checked(words)
            reply = {"answer": shelf.ask(msgspec.to_builtins(given) | {"words": words}, files)}
        elif deed in ("stop", "again", "forget"):
            getattr(shelf, deed)(given.answer)
        elif deed == "save":
            reply = {"saved": shelf.save(given.answer, given.name, self.server.results)}
        elif deed == "keep":
            shelf.keep(find_game(given.game).name, given.name, given.variant, given.settings)
        elif deed == "play":
            reply = {"address": self._table(given)}
        else:
            raise Problem(404, "there is nothing here")
        self.send_json(reply)

    def _table(self, given: Request) -> str:
        """Return the address of a new table with the changed box, by default against the learned agent of the game."""
        if len(self.server.tables) >= MAX_TABLES:
            raise InputError(f"{MAX_TABLES} tables are open; start the desk again for more")
        game = find_game(given.game)
        count = one_count(game, given.players or None)
        names = given.agents or game.tiers.get("learned", game.default_agent)
        others = seat_others(agents_named(game, names, counts=[count]), count, 0)
        hint = game.tiers.get("search", game.default_agent)
        changed = changed_variant(game, given.variant, given.settings)
        sitting = Sitting(game, changed, count, 0, 0, 0, others, hint)
        table = TableServer(sitting, host=str(self.server.server_address[0]))
        Thread(target=table.serve_forever, daemon=True).start()
        self.server.tables.append(table)
        return table.address


def _box(given: Request) -> Json:
    """Return the box, with the things of the game that can be restricted and the agents of each strength."""
    game = find_game(given.game)
    things = restrictions(game, resolve_variant(game, given.variant))
    columns = sorted({column.name for table in game.fact_tables for column in table.columns})
    told = {"things": things, "tiers": game.tiers, "agent": game.default_agent, "columns": columns}
    return box_of(game, given.variant, given.settings) | told


def _words(given: Request) -> tuple[list[str], dict[str, str]]:
    """Return the command line of a request, and the files that it needs."""
    game, values, files = find_game(given.game), given.values, dict[str, str]()
    if values.get("file"):
        files[SHEETS], values = _sheets(str(values["file"]), game.player_counts[-1]), values | {"file": SHEETS}
    elif question_named(given.question).command == "our-table":
        raise InputError("write the final scores of your games first, a line a game")
    return words_for(given.question, game.name, given.variant, given.settings, values, given.precision), files


def _sheets(text: str, seats: int) -> str:
    """Return score sheets as CSV: what the user wrote, with the heading that it may lack."""
    rows = [re.sub(r"[;\t]", ",", line.strip()) for line in text.splitlines() if line.strip()]
    if not (rows and rows[0].lower().startswith("seat")):
        rows.insert(0, ",".join(f"seat {seat}" for seat in range(seats)))
    return "\n".join(rows) + "\n"


@cache
def _games() -> list[Json]:
    games = [load_game(name) for name in game_names()]
    return [{"name": game.name, "title": game.title, "players": list(game.player_counts)} for game in games]


def _page(data: Json, nonce: str) -> str:
    """Return the page of the desk."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string((_ASSETS / "desk.html").read_text("utf-8"))
    return template.render(
        nonce=nonce,
        css=Markup((_ASSETS / "desk.css").read_text("utf-8")),
        script=Markup((_ASSETS / "desk.js").read_text("utf-8")),
        data=Markup(msgspec.json.encode(data).decode().replace("<", "\\u003c")),
    )


def usual_shelf() -> Path:
    """Return the folder of the answers of this working folder, in the user's state and not in the working folder."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    digest = hashlib.sha256(os.fsencode(Path.cwd())).hexdigest()[:16]
    return home.absolute() / "strozzi-sim" / "desk" / digest


def desk(
    game: str = "strozzi", *, no_open: bool = False, port: int = 0, host: str = HOST, shelf: str | Path = "", folder: str | Path = "results"
) -> None:  # fmt: skip
    """Open a page on this machine: change the box of a game, ask what that does, play it. Ctrl+C closes it.

    Answers are kept outside the current folder until they are saved, so that an empty folder stays empty.

    Example: strozzi desk strozzi

    Args:
        game: the game that is open first; `strozzi games` lists them
        no_open: only print the address
        port: port to listen on; default: a free one
        host: address to listen on; one that other machines reach lets whoever has the page's address in
        shelf: folder of the answers; default: in the user's state, by current folder
        folder: where answers are saved; default: results
    """
    the_game = find_game(game)
    kept = Shelf(Path(shelf).absolute() if shelf else usual_shelf())
    with closing(kept), DeskServer(the_game.name, kept, Path(folder), port, host) as server:
        print(f"Open {server.address}\nCtrl+C closes the desk.", flush=True)
        if not no_open:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, Stopped):
            print("The desk is closed.")

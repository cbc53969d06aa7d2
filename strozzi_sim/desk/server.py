"""desk: change the box of a game on a page, ask what the change does, and play it."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import jinja2

from strozzi_sim.agent import seat_others
from strozzi_sim.agent.names import agents_named, one_count, player_counts
from strozzi_sim.desk.answers import PAGE, PICTURE, STUDY, Shelf
from strozzi_sim.desk.live import DEFINITIONS, Live, LiveBox
from strozzi_sim.desk.questions import Asked, box_of, command_of, forms, opponent_of, words_for
from strozzi_sim.desk.sheets import history_csv, settings_from, sheet_of, toml_of
from strozzi_sim.game import Game, default_players, find_game, installed_games
from strozzi_sim.game.converting import converted
from strozzi_sim.game.variants import Variant, with_settings
from strozzi_sim.play.position import Position
from strozzi_sim.study.box_numbers import whole
from strozzi_sim.study.screen import values_to_try
from strozzi_sim.table.page import page_of
from strozzi_sim.web.local import HOST, LocalHandler, LocalServer, Pages, Problem, Query, as_object
from strozzi_sim.web.server import PlayedTable
from strozzi_sim.web.session import Refused, Sitting

Json = dict[str, Any]
_WAIT = 10.0  # seconds that a request for the state waits for a change, at most
MAX_TABLES = 8  # of one desk; a further one replaces the one that was not used for the longest time


class Request(Asked, kw_only=True, forbid_unknown_fields=True):
    """A request of the page: about a box, with a question or the players and agents of a table; or about an answer."""

    answer: int = 0  # its number
    other: int = 0  # number of the answer to lay beside it
    key: str = ""  # of the number in hand
    name: str = ""  # of the folder to save in, or of the variant to keep; a note, or the text of a sheet


class DeskServer(LocalServer, Pages):
    """The server of a desk that opens with `game` and saves answers in the folder `results`; port 0 is a free one."""

    conflicts = (Refused,)
    max_body = 1_000_000  # score sheets of thousands of games

    def __init__(self, game: str, shelf: Shelf, results: Path, port: int = 0, host: str = HOST) -> None:
        self.game, self.shelf, self.results = game, shelf, results
        self.live = Live(lambda: shelf.is_playing)
        self._beside = ""  # the page of the two answers that were laid side by side last
        self._tables: dict[str, PlayedTable] = {}  # by number, the latest requested last
        self._tables_opened = 0
        self._tables_lock = Lock()
        super().__init__(self, port, host)

    def server_close(self) -> None:
        """Close the page, and stop all answers."""
        super().server_close()
        self.live.close()
        self.shelf.close()

    def table_at(self, path: str) -> tuple[PlayedTable, str]:
        """Return the open table of a path `table/NUMBER/..`, and the rest of the path. Raises Problem."""
        _, number, *rest = path.split("/")
        with self._tables_lock:
            if (table := self._tables.pop(number, None)) is None:
                raise Problem(404, "this table is closed; open another one at the desk")
            self._tables[number] = table
        return table, "/".join(rest)

    def page(self, nonce: str) -> str:
        """Return the page, whose script and style have this nonce."""
        assets = jinja2.FileSystemLoader(Path(__file__).parent / "assets")
        environment = jinja2.Environment(loader=assets, autoescape=True, undefined=jinja2.StrictUndefined)
        environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
        games = {game.name: game.title for game in installed_games()[0]}
        data = {"game": self.game, "games": games, "questions": forms()}
        return environment.get_template("desk.html").render(nonce=nonce, data=data, definitions=DEFINITIONS)

    def get(self, request: LocalHandler, path: str, query: Query) -> None:
        """Answer a request with the page, the state of the shelf, a board, a part of an answer, or from a table."""
        if path.startswith("table/"):
            table, rest = self.table_at(path)
            table.get(request, rest, query)
            return
        match path.strip("/").split("/"):
            case [""]:
                request.send_page(self.page, "; frame-src 'self'; style-src-attr 'unsafe-inline'")
            case ["state"]:
                request.send_json(self.shelf.state(query.get("have", [""])[0], _WAIT))
            case ["live"]:
                request.send_json(self.live.state(query.get("have", [""])[0], _WAIT))
            case ["history"]:
                rows = self.shelf.state()["history"]
                request.send_file(history_csv(rows).encode(), "text/csv", "boxes.csv")
            case ["sheet"]:
                game, changed = _box_in(query)
                request.send_file(sheet_of(game, changed).encode(), "text/csv", f"{game.name}.csv")
            case ["toml"]:
                game, changed = _box_in(query)
                request.send_file(toml_of(game, changed, "mine").encode(), "application/toml", f"{game.name}.toml")
            case ["board"]:
                game, changed = _box_in(query)
                request.send_html(page_of(Position(game, default_players(game), variant=changed)), frames="'self'")
            case ["beside"]:
                request.send_html(self._beside, frames="'self'")
            case ["answer", number, part] if number.isdecimal():
                self._send_part(request, number, part)
            case _:
                raise Problem(404, "there is nothing here")

    def _send_part(self, request: LocalHandler, number: str, part: str) -> None:
        file = self.shelf.folder / number / {"page": PAGE, "picture": PICTURE, "study": STUDY}.get(part, "")
        try:
            content = file.read_bytes()
        except OSError:  # it may be forgotten just now
            raise Problem(404, "no such answer, or it does not have this yet") from None
        if part == "page":
            request.send_html(content.decode(), frames="'self'")
        elif part == "picture":
            request.send_json({"picture": content.decode()})
        else:
            request.send_file(content, "application/toml", f"study-{number}.toml")

    def post(self, request: LocalHandler, path: str, body: Json) -> None:
        """Carry out a request about a box or an answer, or one of a table."""
        if path.startswith("table/"):
            table, rest = self.table_at(path)
            table.post(request, rest, body)
            return
        shelf = self.shelf
        given = converted(body, Request, "request")
        own = shelf.variants.get(given.game, {})
        deeds: dict[str, Callable[[], Json | None]] = {
            "box": lambda: {**box_of(given.game, given.variant, given.settings), "own": own},
            "live": lambda: {"version": self.live.show(_live_box(given))},
            "remember": self._remember,
            "remark": lambda: shelf.remark(given.answer, given.name),
            "drop": lambda: shelf.drop(given.answer),
            "sheet": lambda: {"settings": settings_from(find_game(given.game), given.name)},
            "tries": lambda: {"text": _sweep_of(given)},
            "example": lambda: {"sheets": _example_sheets(given)},
            "keep": lambda: shelf.keep(find_game(given.game).name, given.name, given.variant, given.settings),
            "command": lambda: {"command": command_of(words_for(given))},
            "ask": lambda: {"answer": shelf.ask(given)},
            "stop": lambda: shelf.stop(given.answer),
            "again": lambda: shelf.again(given.answer),
            "save": lambda: {"saved": shelf.save(given.answer, given.name, self.results)},
            "beside": lambda: self._lay_beside(given.answer, given.other),
            "forget": lambda: shelf.forget(given.answer),
            "play": lambda: {"address": self._table(given)},
        }
        if (deed := path.strip("/")) not in deeds:
            raise Problem(404, "there is nothing here")
        request.send_json(deeds[deed]() or {})

    def _lay_beside(self, one: int, other: int) -> None:
        self._beside = self.shelf.beside(one, other)

    def _remember(self) -> None:
        for row in self.live.rows():
            self.shelf.remember(**row)

    def _table(self, given: Request) -> str:
        """Open a table with the changed box, for which one of MAX_TABLES makes room, and return its address."""
        game = find_game(given.game)
        count = one_count(game, given.values.get("players"))
        names = str(given.values.get("agents") or opponent_of(game))
        others = seat_others(agents_named(game, names, counts=[count]), count, 0)
        changed = with_settings(game, given.variant, given.settings)
        sitting = Sitting(game, changed, count, 0, 0, 0, others, game.tiers.get("strong", game.default_agent))
        table = PlayedTable(sitting)
        with self._tables_lock:
            if len(self._tables) >= MAX_TABLES:
                del self._tables[next(iter(self._tables))]
            self._tables_opened += 1
            self._tables[str(self._tables_opened)] = table
            return f"table/{self._tables_opened}/"


def desk(
    game: str = "strozzi",
    *,
    no_open: bool = False,
    port: int = 0,
    host: str = HOST,
    shelf: str | Path = "",
    folder: str | Path = "results",
) -> None:
    """Open a page on this machine: change the box of a game, ask what it does, play it. Ctrl+C closes it.

    Answers are kept outside the current folder until they are saved, so that an empty folder stays empty.

    Example: strozzi desk strozzi

    Args:
        game: the game shown first; `strozzi games` lists them
        no_open: print the address without opening a browser
        port: port to listen on; default: a free one
        host: address to listen on; users of other machines need the page's whole address too; default: 127.0.0.1
        shelf: folder of the answers; default: one for each current folder, in the user's state folder
        folder: folder in which answers are saved; default: results
    """
    if not shelf:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        shelf = Path(state, "strozzi-sim", "desk", hashlib.sha256(os.fsencode(Path.cwd())).hexdigest()[:16])
    kept = Shelf(Path(shelf).absolute())
    with DeskServer(find_game(game).name, kept, Path(folder), port, host) as server:
        server.serve_until_interrupted("desk", opens=not no_open)


def _box_in(query: Query) -> tuple[Game, Variant]:
    """Return the game and the changed box of an address."""
    given = converted(as_object(query.get("box", [""])[0].encode()), Request, "box")
    game = find_game(given.game)
    return game, with_settings(game, given.variant, given.settings)


def _live_box(given: Request) -> LiveBox:
    """Return what the strip shows for a request: the box, and player counts and line-up of its values."""
    game = find_game(given.game)
    counts = player_counts(game, str(given.values.get("players") or default_players(game)))
    agents = str(given.values.get("agents", ""))
    return LiveBox(game.name, given.variant, tuple(given.settings), tuple(counts), agents, given.key)


def _sweep_of(given: Request) -> str:
    """Return the text of a sweep of a request's key, with a few values around that of its box."""
    game = find_game(given.game)
    values = values_to_try(game, with_settings(game, given.variant, given.settings), given.key)
    return f"{given.key} = {' '.join(map(whole, values))}"


def _example_sheets(given: Request) -> str:
    """Return the final scores of two games with the changed box, as lines of a sheet: scores that the game can have."""
    game = find_game(given.game)
    changed, lines = with_settings(game, given.variant, given.settings), list[str]()
    for deal in range(2):
        position = Position(game, default_players(game), deal=deal, variant=changed)
        while not position.over:
            position.play(position.ask("random"))
        lines.append(", ".join(map(str, position.scores)))
    return "\n".join(lines)

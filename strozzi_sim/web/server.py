"""A table for one player in the browser: its requests, and a local server of one table; the desk serves several."""

from pathlib import Path

from strozzi_sim.errors import InputError
from strozzi_sim.table.page import render
from strozzi_sim.web.ending import Ending
from strozzi_sim.web.local import LocalHandler, LocalServer, Problem, Query
from strozzi_sim.web.session import PATIENCE, Refused, Session, Sitting


class PlayedTable:
    """One player's games, one at a time and a bounded number; finished ones are recorded in `out`, if given."""

    def __init__(self, sitting: Sitting, out: Path | None = None) -> None:
        self.ending = Ending(out)
        self.session = Session(sitting, self.ending.add)

    def get(self, request: LocalHandler, path: str, query: Query) -> None:
        """Answer a request with the page, its state, the record, or the replay of the finished game."""
        session = self.session
        if path == "/":
            game, data = session.sitting.game, session.state()
            request.send_page(lambda nonce: render(game, data, data["heading"], rules=session.rules, nonce=nonce))
        elif path.strip("/") == "state":
            request.send_json(session.state(*(_whole(query, key) for key in ("have", "version"))))
        elif path.strip("/") == "record":
            request.send_file(session.record(), "application/x-ndjson", "game.jsonl")
        elif path.strip("/") == "replay":
            request.send_html(self.ending.page(session))
        else:
            raise Problem(404, "there is nothing here")

    def post(self, request: LocalHandler, path: str, body: dict[str, object]) -> None:
        """Change the game and answer a request with its state, or answer it with a hint."""
        session, version = self.session, body.get("version")
        if type(version) is not int:
            raise Problem(400, "version: expected the number of the last answer")
        command = path.strip("/")
        if command == "play":
            session.play(version, action=body.get("action"), name=body.get("name"), composed=body.get("composed"))
        elif command == "undo":
            session.undo(version)
        elif command == "line":
            session.line(version, body.get("number"))
        elif command == "new":
            session.new()
        elif command == "hint":
            request.send_json(session.hint(version))
            return
        else:
            raise Problem(404, "there is nothing here")
        session.wait(PATIENCE)
        have = body.get("have")
        request.send_json(session.state(have if type(have) is int and have >= 0 else 0, version))


class TableServer(LocalServer):
    """The server of one table; `port` 0 is a free one."""

    def __init__(self, sitting: Sitting, out: Path | None = None, port: int = 0) -> None:
        self.table = PlayedTable(sitting, out)
        super().__init__(_TableHandler, port)


class _TableHandler(LocalHandler):
    server: TableServer
    conflicts = (Refused,)

    def get(self, path: str, query: Query) -> None:
        """Answer a request of the page."""
        self.server.table.get(self, path, query)

    def post(self, path: str, body: dict[str, object]) -> None:
        """Carry out a request of the page."""
        self.server.table.post(self, path, body)


def _whole(query: Query, key: str) -> int:
    """Return a whole number of a query; default: 0."""
    text = query.get(key, ["0"])[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{key}: expected a whole number")
    return int(text)

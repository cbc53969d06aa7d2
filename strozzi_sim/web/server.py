"""The local server of a table for one player on this machine, with one game at a time and a bounded number of games."""

from pathlib import Path

from strozzi_sim.errors import InputError
from strozzi_sim.table.page import render
from strozzi_sim.web.ending import Ending
from strozzi_sim.web.local import HOST, LocalHandler, LocalServer, Problem, Query
from strozzi_sim.web.session import PATIENCE, Refused, Session, Sitting


class TableServer(LocalServer):
    """The server of one player's games; finished ones are recorded in `out`, if given; `port` 0 is a free one."""

    def __init__(self, sitting: Sitting, out: Path | None = None, port: int = 0, host: str = HOST) -> None:
        self.ending = Ending(out)
        super().__init__(_Handler, port, host)
        self.session = Session(sitting, self.ending.add)


class _Handler(LocalHandler):
    server: TableServer
    conflicts = (Refused,)

    def get(self, path: str, query: Query) -> None:
        """Answer with the page, its state, the record, or the replay of the finished game."""
        session = self.server.session
        if path == "/":
            game, data = session.sitting.game, session.state()
            self.send_page(lambda nonce: render(game, data, data["heading"], rules=session.rules, nonce=nonce))
        elif path.strip("/") == "state":
            self.send_json(session.state(*(_whole(query, key) for key in ("have", "version"))))
        elif path.strip("/") == "record":
            self.send_file(session.record(), "application/x-ndjson", "game.jsonl")
        elif path.strip("/") == "replay":
            self.send_html(self.server.ending.page(session))
        else:
            raise Problem(404, "there is nothing here")

    def post(self, path: str, body: dict[str, object]) -> None:
        """Change the game and answer with its state, or answer with a hint."""
        session, version = self.server.session, body.get("version")
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
            self.send_json(session.hint(version))
            return
        else:
            raise Problem(404, "there is nothing here")
        session.wait(PATIENCE)
        have = body.get("have")
        self.send_json(session.state(have if type(have) is int and have >= 0 else 0, version))


def _whole(query: Query, key: str) -> int:
    """Return a whole number of a query; default: 0."""
    text = query.get(key, ["0"])[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{key}: expected a whole number")
    return int(text)

"""A player's games in the browser: requests of the page, and what follows the end of a game."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from strozzi_sim.errors import InputError, StrozziError, pluralize
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.play.analyse import GameAnalysis, analyse_game, level_sentence
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, read_record, write_record
from strozzi_sim.report.replay import replay_data
from strozzi_sim.table.page import render
from strozzi_sim.table.plain import table_of
from strozzi_sim.web.local import LocalHandler, Pages, Problem, Query
from strozzi_sim.web.session import PATIENCE, Refused, Session, Sitting

REDRAWS = 16  # draws of chance behind each worth of a position
COSTLY = 3  # largest number of costly decisions shown


class Ending:
    """The results of a player's finished games; their records are added to the file `out`, if given."""

    def __init__(self, out: Path | None = None) -> None:
        self.out = out
        self._records: list[list[dict[str, Any]]] = []  # the content of `out`
        if out is not None and out.is_file() and out.stat().st_size:
            self._records = [[game.header, *(line for _, line in game.events)] for game in read_record(out)]
        self._judged: dict[tuple[int, tuple[int, ...]], GameAnalysis] = {}  # by deal and actions

    def add(self, session: Session, position: Position) -> None:
        """Verify a finished game, save and judge it if requested, and set the session's result, again once judged."""
        sitting = session.sitting
        record = position.record(sitting.names)
        words = [_verified(record)]
        if self.out is not None:
            words.append(self._saved(self.out, record))
        keys: Sequence[str] = sitting.game.table.sources if sitting.game.table is not None else ()
        result = {"sources": sources(position.lines(), keys), "words": words, "costly": [], "judging": False}
        if sitting.judge is None:
            session.set_result(position, result)
            return
        session.set_result(position, {**result, "judging": True})
        start = Position(sitting.game, sitting.players, position.seed, position.deal, sitting.variant)
        try:
            analysis = analyse_game(start, position.actions, sitting.judge, REDRAWS)
        except StrozziError as error:
            session.set_result(position, {**result, "words": [*words, f"The game was not judged: {error}."]})
            return
        self._judged[position.deal, position.actions] = analysis
        session.set_result(position, {**result, **_judged_words(analysis, record, session)})

    def _saved(self, out: Path, record: list[dict[str, Any]]) -> str:
        self._records = [*(each for each in self._records if each != record), record]
        try:
            write_record(out, self._records)
        except StrozziError as error:
            return f"The record was not saved: {error}."
        return f"Saved in {out}."

    def page(self, session: Session) -> str:
        """Return the page of the finished game with all secrets, and with its analysis once that is complete."""
        position = session.finished()
        if position is None:
            raise Refused("the game is not over")
        recorded = RecordedGame.of(position.record(session.sitting.names))
        data, heading = replay_data(recorded, self._judged.get((position.deal, position.actions)))
        return render(position.game, data, heading)


def sources(lines: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[str, list[int]]:
    """Return source -> points of each seat, summed over the scoring lines; only sources that occur in a line."""
    scored = [line for line in lines if line["type"].startswith("score_")]
    points = {key: [line[key] for line in scored if key in line] for key in keys}
    return {key: [int(sum(of_seat)) for of_seat in zip(*found, strict=True)] for key, found in points.items() if found}


def _verified(record: list[dict[str, Any]]) -> str:
    try:
        RecordedGame.of(record).check()
    except StrozziError as error:
        return f"The record does not follow the rules: {error}."
    return "The record was verified: every line follows the rules."


def _judged_words(analysis: GameAnalysis, record: list[dict[str, Any]], session: Session) -> dict[str, Any]:
    seat = session.sitting.seat
    unit = table_of(session.sitting.game, record[0], seat).unit
    rate, choices = analysis.error_rate(seat)
    words = []
    if choices:
        over = f"over {pluralize(choices, 'decision')} in which choices differ"
        words.append(f"You lost {rate:.2f} {unit} a decision on average, {over}.")
    if (level := analysis.level(seat)) is not None:
        words.append(level_sentence(level, len(analysis.error_rates) - 1, choices))
    costly = []
    for mistake in analysis.costliest(COSTLY, seat):
        lines_left = sum(len(each.events) for each in analysis.decisions[mistake.number - 1 :])  # its own too
        said = with_capital(analysis.lesson(mistake))
        costly.append({"step": len(record) - 1 - lines_left, "said": said})
    return {"rating": words, "costly": costly, "judging": False}


class PlayedTable(Pages):
    """One player's games, one at a time and a bounded number; finished ones are recorded in `out`, if given."""

    conflicts = (Refused,)

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

    def post(self, request: LocalHandler, path: str, body: dict[str, Any]) -> None:
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


def _whole(query: Query, key: str) -> int:
    text = query.get(key, ["0"])[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{key}: expected a whole number")
    return int(text)

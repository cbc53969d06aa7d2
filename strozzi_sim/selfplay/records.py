"""Records: JSON Lines, one event a line, any number of games after another. Writing, reading and checking them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strozzi_sim.errors import BrokenRule, InputError, StorageError
from strozzi_sim.games import GAME_NAMES, load_game
from strozzi_sim.selfplay.match import Match

FORMAT = "strozzi-sim.record/1"


@dataclass
class RecordedGame:
    """One game of a record.

    Attributes:
        header: its `game` line.
        line: number of that line in the file, from 1.
        events: the lines after it, each with its number.
    """

    header: dict[str, Any]
    line: int
    events: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The agent of every seat."""
        return [str(name) for name in self.header["agents"]]


def record_game(match: Match, deal: int, seating: int, row_dependent: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The record of one game, header first; `row_dependent` agents (see `rows`) are named there, if there are any."""
    played = match.play(deal, deal + 1, seating=seating)
    assert played.journal is not None
    seats = match.design[seating]
    positions = match.positions
    header = {
        "type": "game",
        "format": FORMAT,
        "game": match.game.name,
        "players": match.players,
        "agents": [positions[position].text for position in seats],
        "seed": match.seed,
        "deal": deal,
        "seating": seating,
        "variant": match.variant.name,
        "behaviour": match.game.behaviour,
        "components": match.variant.components,
    }
    if row_dependent:
        header["row_dependent"] = list(row_dependent)
    rows = played.journal["rows"][0, : int(played.journal["count"][0])]
    return [header, *match.game.module("events").to_lines(rows, match.variant.components, match.players)]


def write_record(path: Path, games: Iterable[list[dict[str, Any]]]) -> int:
    """Write games to a file, whole or not at all; returns their number.

    Raises:
        StorageError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    count = 0
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            for lines in games:
                for line in lines:
                    file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
                count += 1
        temporary.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return count


def read_record(path: Path) -> Iterator[RecordedGame]:
    """The games of a record, one after another.

    Raises:
        StorageError: the file cannot be read.
        InputError: there is no such file, or a line is no event; names the line.
    """
    game: RecordedGame | None = None
    try:
        with path.open("rb") as file:
            for number, content in enumerate(file, 1):
                line = _event(path, number, content)
                if line["type"] == "game":
                    if game is not None:
                        yield game
                    _check_header(path, number, line)
                    game = RecordedGame(line, number)
                elif game is None:
                    raise InputError(f"{path}: line 1: expected a line of type game, got {line['type']!r}")
                else:
                    game.events.append((number, line))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    if game is None:
        raise InputError(f"{path}: holds no game")
    yield game


def _event(path: Path, number: int, content: bytes) -> dict[str, Any]:
    try:
        line = json.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        torn = "" if content.endswith(b"\n") else " (the file ends in the middle of a line)"
        raise InputError(f"{path}: line {number}: not a line of JSON: {error}{torn}") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise InputError(f"{path}: line {number}: expected an object with a type, got {str(line)[:60]}")
    return line


def _check_header(path: Path, number: int, header: dict[str, Any]) -> None:
    where = f"{path}: line {number}"
    if header.get("format") != FORMAT:
        raise InputError(f"{where}: format: expected {FORMAT!r}, got {header.get('format')!r}")
    if header.get("game") not in GAME_NAMES:
        raise InputError(f"{where}: game: unknown game {header.get('game')!r}; known: {', '.join(GAME_NAMES)}")
    game, players, agents = load_game(header["game"]), header.get("players"), header.get("agents")
    if type(players) is not int or players not in game.player_counts:
        raise InputError(f"{where}: players: {game.name} takes {list(game.player_counts)}, got {players!r}")
    if not isinstance(agents, list) or len(agents) != players:
        raise InputError(f"{where}: agents: expected a list of {players} names, got {agents!r}")
    if not isinstance(header.get("components"), dict):
        raise InputError(f"{where}: components: expected the component data, got {header.get('components')!r}")


def verify_record(path: Path) -> int:
    """Replay every game through the plain-Python rules; returns the number of games.

    Raises:
        BrokenRule: the first line that breaks a rule.
        InputError, StorageError: as `read_record`.
    """
    games = 0
    for game in read_record(path):
        load_game(game.header["game"]).module("check").check_game(game.header, game.line, game.events)
        games += 1
    return games


__all__ = ["FORMAT", "BrokenRule", "RecordedGame", "read_record", "record_game", "verify_record", "write_record"]

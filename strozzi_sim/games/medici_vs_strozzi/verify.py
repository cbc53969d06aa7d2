"""The check of records: each is replayed in the plain-Python reference, line by line."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import RuleViolation
from strozzi_sim.game.record_checking import Draws, Lines, Question, Replay, complete, text
from strozzi_sim.games.medici_vs_strozzi.reference import PRICES, Game, Option, tiles_of


class _Chance(Draws):
    """The tiles of each round in the order of a record's lines, followed by the tiles that it does not show."""

    def __init__(self, components: Mapping[str, Any], lines: Lines) -> None:
        self._all_tiles, rounds = list(tiles_of(components)), components["rounds"]["count"]
        self.tiles: list[list[str]] = []  # of each round
        super().__init__(lines)
        # The replay refuses the line of an extra round.
        self.tiles = [*self.tiles, *([] for _ in range(rounds))][:rounds]
        for order in self.tiles:
            complete(order, self._all_tiles)

    def read(self, line: Mapping[str, Any]) -> None:
        if line.get("type") == "round":
            self.tiles.append([])
        elif line.get("type") == "reveal" and self.tiles:
            self.draw("tile", line.get("tile"), self._all_tiles, self.tiles[-1])


def _set_up(header: Mapping[str, Any], lines: Lines) -> tuple[Game, _Chance]:
    chance = _Chance(header["components"], lines)
    return Game(header["components"], chance.tiles), chance


def _answer(game: Game, number: int, event: Mapping[str, Any]) -> None:
    """Answer the game's question with a line; at a "reveal" a price means stop, which has no line."""
    choice = _choice(game.question, event)
    if choice is None:
        raise RuleViolation(number, f"expected {_expected_line(game)}, found {text(event)}")
    game.play(choice)


def _choice(question: Question, event: Mapping[str, Any]) -> Option | None:
    kind = event.get("type")
    if question.kind == "reveal" and kind in ("reveal", "price"):
        return "more" if kind == "reveal" else "stop"
    if question.kind == "place" and kind == "discard":
        return "discard"
    if question.kind == "place" and kind == "load":
        berth = (event.get("ship"), event.get("harbor"))
        return next((option for option in question.options if option == berth), None)
    if question.kind == kind == "price":
        price = event.get("price")
        return price if type(price) is int and price in PRICES else None
    buys = event.get("buy") if question.kind == kind == "answer" else None
    return buys if type(buys) is bool else None


def _expected_line(game: Game) -> str:
    kind, seat, options = game.question
    if kind == "reveal":
        return f"a reveal or a price of player {seat}"
    if kind == "price":
        return f"a price of player {seat}: a whole number from 0 to {PRICES[-1]}"
    if kind == "answer":
        return f"an answer of player {seat}: buy true or false"
    berths = " or ".join(f"{option[0]} at {option[1]}" for option in options if isinstance(option, tuple))
    return f"a discard of player {seat}, or a load of ship {berths}"


REPLAY = Replay(_set_up, _answer, _expected_line)

"""The check of records: replay in the plain-Python reference, line by line."""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.errors import RuleViolation
from strozzi_sim.game.record_checking import Draws, Lines, Replay, compare, text
from strozzi_sim.games.strozzi.reference import Game


class _Chance(Draws):
    """The order of ships and tiles in the lines of a record.

    Attributes:
        ships: order of each round; missing ships follow in any order.
        tiles: order of the tiles; missing tiles follow in any order.
    """

    def __init__(self, components: Mapping[str, Any], lines: Lines) -> None:
        super().__init__()
        all_ships = [card["id"] for card in components["ships"]]
        all_tiles = [tile["id"] for tile in components["promotion_tiles"]]
        face_up = min(components["setup"]["promotion_tiles_face_up"], len(all_tiles))
        self.ships: list[list[str]] = []
        self.tiles: list[str] = []
        for number, event in lines:
            kind = event.get("type")
            if kind == "tiles":
                self._draw_display(event.get("display"), face_up, all_tiles)
            elif kind == "round":
                self.ships.append([])
            elif kind == "reveal" and self.ships:
                self.draw("ship", event.get("ship"), all_ships, self.ships[-1])
            elif kind == "take_tile" and event.get("replacement") is not None:
                self.draw("tile", event["replacement"], all_tiles, self.tiles)
            if self.message:
                self.broken_line = number
                break
        self.ships += [[] for _ in range(components["setup"]["rounds"] - len(self.ships))]
        for deck in self.ships:
            deck += [ship for ship in all_ships if ship not in deck]
        self.tiles += [tile for tile in all_tiles if tile not in self.tiles]

    def _draw_display(self, shown: Any, face_up: int, all_tiles: Sequence[str]) -> None:
        if not isinstance(shown, list) or len(shown) != face_up:
            self.message = f"expected a display of {face_up} tiles, found {text(shown)}"
            return
        for tile in shown:
            self.draw("tile", tile, all_tiles, self.tiles)


def _set_up(header: Mapping[str, Any], lines: Lines) -> tuple[Game, _Chance]:
    chance = _Chance(header["components"], lines)
    return Game(header["components"], header["players"], chance.ships, chance.tiles), chance


def _answer(game: Game, number: int, event: Mapping[str, Any]) -> None:
    """Answer the game's question with a line."""
    question = game.question
    assert question is not None
    key = {"claim": "flag", "place": "port", "take_tile": "tile"}[question.kind]
    compare({"type": question.kind, "player": question.seat}, number, event)
    choice = event.get(key, "nothing")
    if question.kind == "claim" and choice is None:
        choice = "pass"
    if choice not in question.options:
        got = f"{key} {text(event[key])}" if key in event else f"no {key}"
        raise RuleViolation(number, f"expected {_wanted(game)}, found {got}")
    game.play(choice)


def _wanted(game: Game) -> str:
    """Return the expected line, for a message."""
    assert game.question is not None
    kind, seat, options = game.question
    choices = " or ".join(text(None if option == "pass" else option) for option in options)
    return f"a {kind} of player {seat}: {choices}"


_STROZZI = Replay(_set_up, _answer, _wanted)
check_game, replay_game = _STROZZI.check_game, _STROZZI.replay_game

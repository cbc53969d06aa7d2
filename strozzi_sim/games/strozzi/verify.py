"""The check of records: replay in the plain-Python reference, line by line."""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.game.record_checking import Draws, Lines, Replay, answering, text
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


_ANSWERS = answering({"claim": "flag", "place": "port", "take_tile": "tile"}, {"claim": "pass"})
_STROZZI = Replay(_set_up, *_ANSWERS)
check_game, replay_game = _STROZZI.check_game, _STROZZI.replay_game

"""The check of records: they are replayed in the plain-Python reference, line by line."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.record_checking import Draws, Lines, Replay, answering, complete
from strozzi_sim.games.strozzi.reference import Game


class _Chance(Draws):
    """The orders of ships and tiles in the lines of a record; those that no line shows follow in component order."""

    def __init__(self, components: Mapping[str, Any], lines: Lines) -> None:
        self._all_ships = [card["id"] for card in components["ships"]]
        self._all_tiles = [tile["id"] for tile in components["promotion_tiles"]]
        self._face_up = min(components["setup"]["promotion_tiles_face_up"], len(self._all_tiles))
        self.ships: list[list[str]] = []  # [round]
        self.tiles: list[str] = []
        super().__init__(lines)
        self.ships += [[] for _ in range(components["setup"]["rounds"] - len(self.ships))]
        for deck in self.ships:
            complete(deck, self._all_ships)
        complete(self.tiles, self._all_tiles)

    def read(self, line: Mapping[str, Any]) -> None:
        kind = line.get("type")
        if kind == "tiles":
            self.draw_all("tile", line.get("display"), self._face_up, self._all_tiles, self.tiles)
        elif kind == "round":
            self.ships.append([])
        elif kind == "reveal" and self.ships:
            self.draw("ship", line.get("ship"), self._all_ships, self.ships[-1])
        elif kind == "take_tile" and line.get("replacement") is not None:
            self.draw("tile", line["replacement"], self._all_tiles, self.tiles)


def _set_up(header: Mapping[str, Any], lines: Lines) -> tuple[Game, _Chance]:
    chance = _Chance(header["components"], lines)
    powerless = [
        (seat, name.removeprefix("power:"))
        for seat, names in enumerate(header.get("without", ()))
        for name in names
        if name.startswith("power:")
    ]
    return Game(header["components"], header["players"], chance.ships, chance.tiles, powerless=powerless), chance


REPLAY = Replay(_set_up, *answering({"claim": "flag", "place": "port", "take_tile": "tile"}, {"claim": "pass"}))

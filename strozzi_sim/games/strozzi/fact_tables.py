"""The fact tables of Strozzi; `fact_handlers.py` writes their rows."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from strozzi_sim.facts import columns
from strozzi_sim.facts.columns import YES_NO, Column, GameConfig, Levels, Table, derived, labels, numbers
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.games.strozzi import state as s

_LAST_COUNT = 15  # counts of symbols or tiles from here on are one level
_LAST_TOTAL = 31  # total values of tiles from here on are one level
_LAST_SCORE = 2047  # final coins from here on are one level
COIN = 100  # units per coin, in columns of divided coins
NO_FLAG = 3  # no seat claimed the card
NO_PORT = 3  # several ports paid least
_ORDERS = 64  # number of codes of orders of flags (or ports): first + 4 second + 16 third, each from 1, 0 = none


def _ships(setting: GameConfig, *fields: str) -> np.ndarray[Any, Any]:
    return np.array([[ship[field] for field in fields] for ship in setting.components["ships"]])


def _goods(setting: GameConfig) -> np.ndarray[Any, Any]:
    return _ships(setting, *s.PORT_NAMES)


def _cards_left(setting: GameConfig) -> Levels:
    return numbers(range(len(setting.components["ships"])))


def _rounds(setting: GameConfig) -> int:
    return int(setting.components["setup"]["rounds"])


def _spaces(setting: GameConfig) -> Levels:
    return numbers(range(setting.components["tracks"]["top_index"] + 1))


def _deck(setting: GameConfig) -> int:
    removed: int = setting.components["setup"]["cards_removed"][str(setting.players)]
    return len(setting.components["ships"]) - removed


def _orders(names: tuple[str, ...]) -> Levels:
    orders = [order for k in range(4) for order in permutations(range(1, 4), k)]
    by_code = sorted((sum(kind << 2 * k for k, kind in enumerate(order)), order) for order in orders)
    texts = [">".join(names[kind - 1] for kind in order) or "none" for _, order in by_code]
    return Levels(tuple(texts), tuple(code for code, _ in by_code))


def _unused(*kinds: int) -> Callable[[GameConfig], np.ndarray[Any, Any]]:
    """Return the `values` of a column derived from an order: how many of `kinds` (from 1) it lacks."""
    orders = [[code >> shift & 3 for shift in (0, 2, 4)] for code in range(_ORDERS)]
    counts = np.array([sum(kind not in order for kind in kinds) for order in orders])
    return lambda setting: counts


def _used(kind: int) -> Callable[[GameConfig], np.ndarray[Any, Any]]:
    return lambda setting: 1 - _unused(kind)(setting)


def _totals(setting: GameConfig) -> Levels:
    totals: set[int] = set()
    for category in s.CATEGORIES:
        sums = {0}
        for tile in setting.components["promotion_tiles"]:
            if tile["category"] == category:
                sums |= {total + tile["value"] for total in sums}
        totals |= sums
    return numbers(totals, _LAST_TOTAL)


def _prizes(ranks: str) -> Callable[[GameConfig], Levels]:
    """Return a function setting -> levels of the prizes under a key of [scoring], including 0."""
    return lambda setting: numbers([0, *setting.components["scoring"][ranks]])


def _symbols(name: str, text: str, derived_from: str, values: Callable[..., Any], unit: str = "wares") -> Column:
    """Return a derived column of small numbers, such as symbols; from _LAST_COUNT on they share a level."""
    return derived(
        name, text, derived_from, values, lambda setting: numbers(values(setting).ravel().tolist(), _LAST_COUNT), unit
    )


def _tiles(setting: GameConfig, key: str) -> list[Any]:
    return [tile[key] for tile in setting.components["promotion_tiles"]]


_SEAT = Column("seat", "the seat, 0 starts round 1", columns.each_seat)
_ROUND, _LAST = columns.round_columns(_rounds)
_CARD = Column("card", "the ship card", lambda setting: labels([ship["id"] for ship in setting.components["ships"]]))
_SAIL = _symbols("sail", "sail number of the ship", "card", lambda setting: _ships(setting, "sail")[:, 0], "")
_CARGO = _symbols("cargo", "wares on the ship, of all kinds", "card", lambda setting: _goods(setting).sum(axis=1))
_LEADS = columns.bands((-40, -20, -10, 0, 10, 20, 40))
_LAP = Column("lap", "seats after the active player (0 = that player)", columns.each_seat)
_FLAGS = tuple(enumerate(s.FLAG_NAMES, 1))
_ACTIONS = ("pass", *s.FLAG_NAMES, *s.PORT_NAMES, *(f"slot {slot + 1}" for slot in range(s.MAX_FACE_UP)), "decline")
_DIVIDED: dict[str, Any] = {"dtype": "i4", "unit": "coins", "scale": COIN}

GAME = Table("game", "a game", (
    Column("margin", "coins of the winner minus those of the second place", dtype="u2", unit="coins"),
    Column("florence_tie", "the two best had equal coins", YES_NO),
    Column("lead_changes", "changes of the leader from round to round, and from the last round to the end"),
    Column("set_aside", "ship cards set aside, as no seat claimed them", lambda setting: numbers(range(32), 31)),
    Column("tiles_left", "promotion tiles not taken"),
    Column("over_box", "more coins were paid than are in the box", YES_NO),
), max_rows=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    _SEAT,
    Column("total", "final coins", lambda setting: numbers(range(_LAST_SCORE + 1), _LAST_SCORE), "u2", "coins"),
    Column("ships", "coins from ships", None, "u2", "coins"),
    Column("markers", "coins from markers, without bonus spaces", None, "u2", "coins"),
    Column("bonus", "coins from bonus spaces", None, "u2", "coins"),
    Column("promotion", "coins from promotion tiles", None, "u2", "coins"),
    Column("best_ports", "the two ports that paid most; unclear if several paid least",
           labels(("rome+naples", "venice+naples", "venice+rome", "unclear"))),
), max_rows=lambda setting: setting.players)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    _SEAT,
    _ROUND,
    Column("flags", "the player's flags, in the order in which they took ships", _orders(s.FLAG_NAMES)),
    Column("ports", "the ports of the player's ships, in the order in which they were placed", _orders(s.PORT_NAMES)),
    _LAST,
    *(derived(f"used_{flag}", f"the {flag} flag took a ship", "flags", _used(kind)) for kind, flag in _FLAGS),
    *(derived(f"unused_{flag}", f"the {flag} flag took no ship", "flags", _unused(kind)) for kind, flag in _FLAGS),
    derived("unused", "flags that took no ship", "flags", _unused(1, 2, 3), None),
    Column("coins", "coins of the round, without promotion tiles", dtype="u2", unit="coins"),
    Column("leader", "led after the round, ties decided at Florence", YES_NO),
), max_rows=lambda setting: setting.players * _rounds(setting))  # fmt: skip
CARDS = Table("card", "a ship card turned over", (
    _CARD,
    _SAIL,
    _CARGO,
    _ROUND,
    Column("claimed_by", "flag of the first claim", labels((*s.FLAG_NAMES, "none"))),
    derived("claimed", "a seat claimed it", "claimed_by", lambda setting: [1, 1, 1, 0]),
    Column("taken_over", "a pirate took over the first claim", YES_NO),
    Column("lap", "seats from the active player to that pirate, 0 without one", columns.each_seat),
    Column("taken", "a seat took it", YES_NO),
    derived("set_aside", "no seat took it", "taken", lambda setting: [1, 0]),
), max_rows=lambda setting: len(setting.components["ships"]) * _rounds(setting))  # fmt: skip
SHIPS = Table("ship", "a ship taken", (
    _SEAT,
    _ROUND,
    _CARD,
    _SAIL,
    _CARGO,
    _symbols("match", "wares on the ship for the port it goes to", "card port", _goods),
    Column("flag", "the flag that took it", labels(s.FLAG_NAMES)),
    Column("port", "where it was placed", labels(s.PORT_NAMES)),
    Column("order", "the player's first, second or third ship of the round", numbers(range(1, s.PORTS + 1))),
    _LAP,
    Column("takes_over", "a pirate took it from another seat", YES_NO),
    Column("cards_left", "cards left to turn over in the round when it was taken", _cards_left),
    derived("number", "number of the card in its round, from 1", "cards_left",
            lambda setting: np.maximum(_deck(setting) - np.arange(len(setting.components["ships"])), 1),
            lambda setting: numbers(range(1, _deck(setting) + 1))),
    Column("prize", "coins from its rank in the port", _prizes("ship_ranks"), "u2", "coins"),
    Column("steps", "spaces its owner's marker moved at the port by wares and flag", _spaces, unit="spaces"),
    Column("track",
           "coins of its owner's markers for the spaces it moved them, in this round and later ones",
           **_DIVIDED),
    Column("promotion", "its promotion tile's part of its owner's category prize, in proportion to value", **_DIVIDED),
    Column("brought", "coins from its rank in the port, its spaces and its promotion tile", **_DIVIDED),
), max_rows=lambda setting: s.PORTS * setting.players * _rounds(setting))  # fmt: skip
MARKERS = Table("marker", "a player in a city when a round is scored", (
    _SEAT,
    _ROUND,
    _LAST,
    Column("city", "the city", labels(s.CITY_NAMES)),
    Column("space", "the space of the player's marker, 0 is the start", _spaces),
    Column("prize", "coins by the marker's rank", _prizes("marker_ranks"), "u2", "coins"),
    Column("bonus", "coins of the space", dtype="u2", unit="coins"),
    Column("ships", "coins of the player's ship there", _prizes("ship_ranks"), "u2", "coins"),
), max_rows=lambda setting: s.CITIES * setting.players * _rounds(setting))  # fmt: skip
CATEGORY = Table("category", "a player in a promotion category", (
    _SEAT,
    Column("category", "art, science or architecture", labels(s.CATEGORIES)),
    Column("rank", "rank in the category, ties decided at Florence",
           lambda setting: numbers(range(1, setting.players + 1))),
    Column("total", "total value of the player's tiles there", _totals, "u2"),
    Column("tiles", "number of those tiles", numbers(range(_LAST_COUNT + 1), _LAST_COUNT), unit="tiles"),
    Column("coins", "prize", _prizes("category_ranks"), "u2", "coins"),
), max_rows=lambda setting: len(s.CATEGORIES) * setting.players)  # fmt: skip

TILES = Table("tile", "a promotion tile taken", (
    _SEAT,
    _ROUND,
    Column("tile", "the tile", lambda setting: labels(_tiles(setting, "id"))),
    derived("category", "its category", "tile",
            lambda setting: [s.CATEGORIES.index(name) for name in _tiles(setting, "category")], labels(s.CATEGORIES)),
    derived("value", "its value", "tile",
            lambda setting: _tiles(setting, "value"), lambda setting: numbers(_tiles(setting, "value"))),
    derived("ware", "the city where it moves the marker", "tile",
            lambda setting: [(*s.PORT_NAMES, "").index(ware) for ware in _tiles(setting, "ware")],
            labels((*s.PORT_NAMES, "none"))),
), max_rows=lambda setting: len(setting.components["promotion_tiles"]), optional=True)  # fmt: skip
DECISIONS = Table("decision", "a choice of a seat", (
    _SEAT,
    _ROUND,
    Column("phase", "the decision: claim a card, take it over, choose a port, choose a tile",
           labels(("claim", "piracy", "port", "tile"))),
    Column("action", "the action; tiles by their slot of the display", labels(_ACTIONS, first=1)),
    Column("choices", "number of legal actions", numbers(range(2, 9))),
    _CARD,
    _SAIL,
    _CARGO,
    Column("holder", "the flag on the card", labels((*s.FLAG_NAMES, "none"))),
    Column("flags_left", "flags that the seat has left", numbers(range(len(s.FLAG_NAMES) + 1))),
    Column("rivals_left", "other seats that have a flag left", columns.each_seat),
    Column("cards_left", "cards left to turn over in the round", _cards_left),
    Column("lead", "coins minus those of the best other seat", _LEADS, "i4", "coins"),
    Column("at_stake", "coins that the seat would get if the round were scored now", None, "i4", "coins"),
    # two decisions per seat and card, and two per seat and port
), max_rows=lambda setting: 2 * _rounds(setting) * setting.players * (_deck(setting) + s.PORTS),
    rows=8320, optional=True, of_choices=True)  # fmt: skip

TABLES = (GAME, PLAYER, ROUNDS, CARDS, SHIPS, MARKERS, CATEGORY, TILES, DECISIONS)

_SOURCES = ("ships", "markers", "bonus", "promotion")
AGREEMENTS = (
    ("final coins", Crosstab("seat", (), ("total",)), Crosstab("seat", (), ("score",))),
    ("final coins by source", Crosstab("seat", (), ("total",)), Crosstab("seat", (), _SOURCES)),
    ("coins from ships", Crosstab("seat", (), ("ships",)), Crosstab("ship", (), ("prize",))),
    ("coins from ships by city", Crosstab("ship", (), ("prize",)), Crosstab("marker", (), ("ships",))),
    ("coins from markers", Crosstab("seat", (), ("markers", "bonus")), Crosstab("marker", (), ("prize", "bonus"))),
    ("coins of rounds", Crosstab("round", (), ("coins",)), Crosstab("marker", (), ("ships", "prize", "bonus"))),
    ("coins from promotion tiles", Crosstab("seat", (), ("promotion",)), Crosstab("category", (), ("coins",))),
    ("promotion tiles", Crosstab("tile", (), ("value",)), Crosstab("category", (), ("total",))),
    ("ships set aside", Crosstab("game", (), ("set_aside",)), Crosstab("card", (), ("set_aside",))),
    ("ships of pirates", Crosstab("card", (), ("taken_over",)), Crosstab("ship", (), ("takes_over",))),
)

"""The fact tables of Medici vs Strozzi: what is counted; `facts.py` writes them.

Fair prices are estimates (`worth.fair_price`) and take longer than the game, so they have a table of their own, of a part
of the deals.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import FLAG, Column, Levels, Setting, Table, bands, labels, numbers
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.state import (
    GOLD,
    MAX_HALF_LENGTH,
    MAX_HARBORS,
    MAX_SHIPS,
    MAX_TYPES,
    MAX_VALUE,
    PLAYER_NAMES,
    SEATS,
)

FAIRTH = 10  # fair prices are counted in tenths of a coin
SAMPLED = 16  # of so many deals one has its prices estimated
PRICE_BAND = 5  # coins in a band of prices
GAPS = (-20, -10, -5, -3, -1, 1, 3, 5, 10, 20, 40)  # where bands of price less fair price begin, in coins
LOWEST, HIGHEST = -4096, 2047  # coins won or lost in a game, as far as they are told apart
GOLD_VALUE = MAX_VALUE + 1  # stands for the face value of gold where tiles are sorted
NOWHERE = MAX_HARBORS  # a harbor that is none
NO_RIVAL = MAX_SHIPS  # a ship that is none
_MOST = 15  # where the last level of a number begins, or the last band of prices
_LOAD = 31  # the same of the total of a ship
_PLACES = 2 * MAX_HALF_LENGTH + 1  # Strozzi's are negative, and so counted from the end


def totals(values: Sequence[int], sizes: Iterable[int]) -> set[int]:
    """What this number of these values can add up to, each of them used once."""
    sums: list[set[int]] = [{0}, *(set() for _ in range(max(sizes, default=0)))]
    for value in values:
        for size in range(len(sums) - 1, 0, -1):
            sums[size] |= {total + value for total in sums[size - 1]}
    return set().union(*(sums[size] for size in sizes))


def _tiles(setting: Setting) -> list[tuple[str, int, int]]:
    """Id, type and value of every tile."""
    return tile_ids(dict(setting.components))


def _values(setting: Setting) -> list[int]:
    return [value for _, _, value in _tiles(setting)]


def _rounds(setting: Setting) -> Levels:
    return numbers(range(1, setting.components["rounds"]["count"] + 1))


def _sizes(setting: Setting) -> list[int]:
    return list(range(1, setting.components["rounds"]["reveal_max"] + 1))


def _harbors(setting: Setting) -> Levels:
    return labels([harbor["id"] for harbor in setting.components["harbor"]])


def _berths(setting: Setting) -> Levels:
    known = _harbors(setting)
    return Levels((*known.names, "none"), (*known.starts, NOWHERE))


def _ships(setting: Setting) -> Levels:
    return labels([str(capacity) for capacity in setting.components["ships"]["capacities"]])


def _rivals(setting: Setting) -> Levels:
    known = _ships(setting)
    return Levels((*known.names, "none"), (*known.starts, NO_RIVAL))


def _goods(setting: Setting) -> Levels:
    names = [kind["key"] for kind in setting.components["type"]]
    return Levels((*names, setting.components["gold"]["key"]), (*range(len(names)), GOLD))


def _tracks(setting: Setting) -> list[tuple[int, int, str]]:
    """Harbor, type and name of every track."""
    types = [kind["key"] for kind in setting.components["type"]]
    return [(number, types.index(kind), f"{harbor['id']}.{kind}")
            for number, harbor in enumerate(setting.components["harbor"]) for kind in harbor["tracks"]]  # fmt: skip


def _track_data(setting: Setting, name: str) -> dict[str, Any]:
    tracks = setting.components["tracks"]
    found: dict[str, Any] = tracks["per_track"].get(name, tracks)
    return found


def _by_track(setting: Setting) -> np.ndarray[Any, Any]:
    """The number of the track of a harbor and type."""
    found = np.zeros((MAX_HARBORS, MAX_TYPES), int)
    for number, (harbor, kind, _) in enumerate(_tracks(setting)):
        found[harbor, kind] = number
    return found


def _bonus(setting: Setting) -> np.ndarray[Any, Any]:
    """Bonus coins by harbor, type and place."""
    found = np.zeros((MAX_HARBORS, MAX_TYPES, _PLACES), int)
    for harbor, kind, name in _tracks(setting):
        for space, coins in _track_data(setting, name)["bonus"].items():
            found[harbor, kind, int(space)] = found[harbor, kind, -int(space)] = coins
    return found


def _off_centre(setting: Setting) -> np.ndarray[Any, Any]:
    return (np.arange(_PLACES) > 0).astype(int)


def _distance(setting: Setting) -> np.ndarray[Any, Any]:
    return np.minimum(np.arange(_PLACES), _PLACES - np.arange(_PLACES))


def _places(setting: Setting) -> Levels:
    tracks = setting.components["tracks"]
    half = max([tracks["half_length"], *(track["half_length"] for track in tracks["per_track"].values())])
    return numbers(range(-half, half + 1))


def _traded(setting: Setting) -> np.ndarray[Any, Any]:
    """Whether a tile moves a marker at a harbor, or nowhere."""
    found = np.zeros((len(_values(setting)), MAX_HARBORS + 1), int)
    places = {(harbor, kind) for harbor, kind, _ in _tracks(setting)}
    for tile, (_, kind, _) in enumerate(_tiles(setting)):
        for harbor in range(MAX_HARBORS):
            found[tile, harbor] = (harbor, kind) in places
    return found


def _steps(setting: Setting) -> np.ndarray[Any, Any]:
    steps = setting.components["marker_steps"]
    own = [steps["other_tile"] if value else steps["value_zero_tile"] for value in _values(setting)]
    return np.where(_traded(setting), np.array(own)[:, None], 0)


def _face_values(setting: Setting) -> np.ndarray[Any, Any]:
    return np.array([GOLD_VALUE if kind == GOLD else value for _, kind, value in _tiles(setting)])


def _face_levels(setting: Setting) -> Levels:
    found = numbers(_face_values(setting).tolist())
    return Levels(tuple("gold" if start == GOLD_VALUE else str(start) for start in found.starts), found.starts)


def _price_bands(setting: Setting) -> Levels:
    return _bands_to(setting.components["price_space"]["action_space_cap"] // PRICE_BAND, 1)


def _bands_to(last: int, scale: int) -> Levels:
    """Bands of coins by where they begin, the first at 0."""
    starts = [PRICE_BAND * band for band in range(min(last, _MOST) + 1)]
    names = [f"{start}{'+' if start == PRICE_BAND * _MOST else ''}" for start in starts]
    return Levels(tuple(names), tuple(scale * start for start in starts))


def _reasons(setting: Setting) -> np.ndarray[Any, Any]:
    """By discarded, forced, room and bought."""
    found = np.zeros((2, 2, 2, 2), int)
    found[1, 1], found[1, 0] = 1, 2
    found[1, 0, 1, 0] = 3  # the proposer keeps what the responder has no room for
    return found


_ROUND = Column("round", "round of the game, from 1", _rounds)
_HARBOR = Column("harbor", "the harbor", _harbors)
_TILE_OF_HARBOR = ("tile", "harbor")
_TRACK = ("harbor", "goods")
_PLACE = (*_TRACK, "place")
_LOT = (
    Column("seat", "who bought it", labels(PLAYER_NAMES)),
    _ROUND,
    Column("order", "its number in the round", lambda setting: numbers(range(1, len(_values(setting)) + 1), _MOST + 1)),
    Column("tiles", "tiles in it", lambda setting: numbers(_sizes(setting)), unit="tiles"),
    Column("value", "face values of its tiles, added up",
           lambda setting: numbers(totals(_values(setting), _sizes(setting)), _MOST)),
    Column("zeros", "tiles of value 0 in it",
           lambda setting: numbers(range(min(_sizes(setting)[-1], _face_values(setting).tolist().count(0)) + 1))),
    Column("gold", "gold tiles in it",
           lambda setting: numbers(range(min(_sizes(setting)[-1], setting.components["tiles"]["gold_count"]) + 1))),
    Column("proposer", "who showed it and named the price", labels(PLAYER_NAMES)),
    Column("room", "who had a ship that could load it", labels(("both", "proposer"))),
    Column("price", "its price", lambda setting: numbers(range(setting.components["price_space"]["action_space_cap"] + 1)), unit="coins"),
    Column("price_band", "its price, sorted by bands", _price_bands, unit="coins"),
    Column("asked", "the responder was asked", FLAG),
    Column("bought", "the responder bought it", FLAG),
    Column("discarded", "the buyer discarded it", FLAG),
    Column("forced", "the buyer discarded it for want of room", FLAG),
    Column("rival_fits", "the buyer's rival had room for it", FLAG, of=("room", "bought"),
           values=lambda setting: np.array([[1, 1], [0, 1]])),
    Column("fate", "loaded, or why it was discarded", labels(("loaded", "no_room", "denied", "unwanted")),
           of=("discarded", "forced", "room", "bought"), values=_reasons),
)  # fmt: skip


def _lots(setting: Setting) -> int:
    return int(len(_values(setting)) * setting.components["rounds"]["count"])


def _per_round(count: int) -> Any:
    return lambda setting: count * setting.components["rounds"]["count"]


GAME = Table("game", "a game", (
    Column("tie", "both have equal coins and share the win", FLAG),
    Column("margin", "coins of the winner less those of the loser", dtype="i4", unit="coins"),
    Column("medici_margin", "coins of Medici less those of Strozzi", dtype="i4", unit="coins"),
    Column("lead_changes", "changes of the leader from round to round"),
), most=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    Column("seat", "who it is about", labels(PLAYER_NAMES)),
    Column("gain", "coins at the end less those at the start",
           lambda setting: numbers(range(LOWEST, HIGHEST + 1), HIGHEST), "i4", "coins"),
    Column("below_zero", "owed the bank after paying for a lot", FLAG),
    Column("below_zero_at_end", "owes the bank at the end", FLAG),
), most=lambda setting: SEATS)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    Column("seat", "who it is about", labels(PLAYER_NAMES)),
    _ROUND,
    Column("harbors", "coins for harbors", None, "u2", "coins"),
    Column("monopolies", "coins for markers, without bonus spaces", None, "u2", "coins"),
    Column("bonus", "coins for bonus spaces", None, "u2", "coins"),
    Column("paid", "coins paid for lots", None, "u2", "coins"),
    Column("loaded", "tiles on the player's ships", lambda setting: numbers(range(sum(setting.components["ships"]["capacities"]) + 1)), unit="tiles"),
    Column("held", "markers on the player's side after it", lambda setting: numbers(range(len(_tracks(setting)) + 1)), unit="markers"),
    Column("leader", "led after it", FLAG),
), most=_per_round(SEATS))  # fmt: skip
ENDS = Table("round_end", "a round when it is over", (
    _ROUND,
    Column("lots", "lots shown", unit="lots"),
    Column("tiles", "tiles shown", unit="tiles"),
    Column("left", "tiles left in the bag", unit="tiles"),
    Column("full_fleet", "a player's ships were full, not the bag empty", FLAG),
), most=_per_round(1))  # fmt: skip
LOTS = Table("lot", "a lot of tiles bought", _LOT, most=_lots)
TILES = Table("tile", "a tile shown", (
    Column("seat", "who bought it", labels(PLAYER_NAMES)),
    _ROUND,
    Column("tile", "the tile", lambda setting: labels([name for name, *_ in _tiles(setting)])),
    Column("value", "its face value, or gold", _face_levels, of=("tile",), values=_face_values),
    Column("goods", "its type, or gold", _goods, of=("tile",),
           values=lambda setting: np.array([kind for _, kind, _ in _tiles(setting)])),
    Column("tiles", "tiles of its lot", lambda setting: numbers(_sizes(setting)), unit="tiles"),
    Column("harbor", "where it was loaded; none: it was discarded", _berths),
    Column("alone", "it was a lot by itself", FLAG, of=("tiles",), values=lambda setting: (np.arange(256) == 1).astype(int)),
    Column("loaded", "it was loaded", FLAG, of=("harbor",), values=lambda setting: (np.arange(NOWHERE + 1) < NOWHERE).astype(int)),
    Column("traded", "it was loaded where its type has a track", FLAG, of=_TILE_OF_HARBOR, values=_traded),
    Column("steps", "steps of a marker that it brings", None, of=_TILE_OF_HARBOR, values=_steps),
), most=_lots)  # fmt: skip
SHIPS = Table("ship", "a player's ship when a round is scored", (
    Column("seat", "whose it is", labels(PLAYER_NAMES)),
    _ROUND,
    Column("ship", "the ship, by its spaces", _ships),
    Column("harbor", "where it is moored; none: it is at sea", _berths),
    Column("rival", "the rival's ship there", _rivals),
    Column("load", "face values of its tiles, added up",
           lambda setting: numbers(totals(_values(setting), range(max(setting.components["ships"]["capacities"]) + 1)), _LOAD)),
    Column("tiles", "tiles on it", lambda setting: numbers(range(max(setting.components["ships"]["capacities"]) + 1)), unit="tiles"),
    Column("won", "it is paid for the harbor", FLAG),
    Column("tied", "both have a ship there and nobody is paid", FLAG),
    Column("moored", "it is moored", FLAG, of=("harbor",), values=lambda setting: (np.arange(NOWHERE + 1) < NOWHERE).astype(int)),
    Column("alone", "it is moored and the rival has no ship there", FLAG, of=("harbor", "rival"),
           values=lambda setting: np.outer(np.arange(NOWHERE + 1) < NOWHERE, np.arange(NO_RIVAL + 1) == NO_RIVAL).astype(int)),
    Column("full", "it has no free space", FLAG, of=("ship", "tiles"),
           values=lambda setting: np.equal.outer(setting.components["ships"]["capacities"], np.arange(256)).astype(int)),
), most=lambda setting: SEATS * len(setting.components["ships"]["capacities"]) * setting.components["rounds"]["count"])  # fmt: skip
HARBORS = Table("harbor", "a harbor when a round is scored", (
    _HARBOR,
    _ROUND,
    Column("outcome", "how it is decided", labels(("decided", "tie", "unopposed", "unopposed_unpaid", "empty"))),
    Column("coins", "coins paid for it", None, "u2", "coins"),
), most=lambda setting: len(setting.components["harbor"]) * setting.components["rounds"]["count"])  # fmt: skip
MARKERS = Table("marker", "a marker when a round is scored", (
    _HARBOR,
    Column("goods", "the type of its track", lambda setting: labels([kind["key"] for kind in setting.components["type"]])),
    Column("track", "its track", lambda setting: labels([name for *_, name in _tracks(setting)]), of=_TRACK, values=_by_track),
    _ROUND,
    Column("place", "its space, 0 is the centre, Strozzi's are negative", _places, "i4"),
    Column("steps", "steps that both players made with it", unit="steps"),
    Column("moved", "spaces that it moved", unit="spaces"),
    Column("swapped", "it changed sides", FLAG),
    Column("off_centre", "it is off the centre", FLAG, of=("place",), values=_off_centre),
    Column("distance", "spaces between it and the centre", lambda setting: numbers(map(abs, _places(setting).starts)),
           unit="spaces", of=("place",), values=_distance),
    Column("on_bonus", "it is on a bonus space", FLAG, of=_PLACE, values=lambda setting: (_bonus(setting) > 0).astype(int)),
    Column("monopoly", "coins for it, without the bonus", unit="coins", of=("place",),
           values=lambda setting: setting.components["scoring"]["monopoly"] * _off_centre(setting)),
    Column("bonus", "bonus coins for it", unit="coins", of=_PLACE, values=_bonus),
), most=lambda setting: len(_tracks(setting)) * setting.components["rounds"]["count"])  # fmt: skip
ESTIMATES = Table("price_estimate", f"a lot of tiles bought, in one of {SAMPLED} deals, beside its estimated fair price", (
    *_LOT,
    Column("fair", "estimated fair price", _bands_to(_MOST, FAIRTH), "i4", "coins", FAIRTH),
    Column("gap", "price less estimated fair price", bands(GAPS, FAIRTH), "i4", "coins", FAIRTH),
    Column("miss", "the same, up or down", None, "i4", "coins", FAIRTH),
), most=_lots, sampled=SAMPLED)  # fmt: skip

TABLES = (GAME, PLAYER, ROUNDS, ENDS, LOTS, TILES, SHIPS, HARBORS, MARKERS, ESTIMATES)

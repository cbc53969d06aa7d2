"""The fact tables of Medici vs Strozzi; `fact_handlers.py` writes their rows.

Estimating fair prices (`worth.fair_price`) is slow, so they are in a separate table, for one in SAMPLED deals.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from strozzi_sim.facts import columns
from strozzi_sim.facts.columns import YES_NO, Column, GameConfig, Levels, Table, derived, labels, numbers
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids

TENTHS = 10  # fair prices are stored in tenths of a coin
SAMPLED = 16  # fair prices are estimated in one of this many deals
PRICE_BAND = 5  # coins in a band of prices
FATES = ("loaded", "no_room", "denied", "unwanted")  # of a lot
GAPS = (-20, -10, -5, -3, -1, 1, 3, 5, 10, 20, 40)  # where columns.bands of price less fair price begin, in coins
LOWEST, HIGHEST = -4096, 2047  # first and last level of final coins, counted from start_cash
GOLD_VALUE = s.MAX_VALUE + 1  # code of gold among face values
NOWHERE = s.MAX_HARBORS  # code of "no harbor"
NO_RIVAL = s.MAX_CAPACITY + 1  # code of "no ship"
_LAST_NUMBER = s.MAX_VALUE  # values of lots from here on are one level, so that `face` has an entry for each level
_LAST_BAND = 15  # of prices: the last level, with all higher ones
_LAST_LOAD = 31  # start of the last level of a ship's total
_PLACES = 2 * s.MAX_HALF_LENGTH + 1  # spaces of the longest track; Strozzi's are negative, so they index from the end
_DISTANCE = np.minimum(np.arange(_PLACES), _PLACES - np.arange(_PLACES))  # [place] from the centre


def totals(values: Sequence[int], sizes: Collection[int]) -> set[int]:
    """Return the possible totals of N of the values, each used at most once, for N in `sizes`."""
    sums: list[set[int]] = [{0}, *(set() for _ in range(max(sizes, default=0)))]
    for value in values:
        for size in range(len(sums) - 1, 0, -1):
            sums[size] |= {total + value for total in sums[size - 1]}
    return set().union(*(sums[size] for size in sizes))


def _values(setting: GameConfig) -> list[int]:
    return [value for _, _, value in tile_ids(setting.components)]


def _kinds(setting: GameConfig) -> list[int]:
    return [kind for _, kind, _ in tile_ids(setting.components)]


def _sizes(setting: GameConfig) -> list[int]:
    return list(range(1, setting.components["rounds"]["reveal_max"] + 1))


def _harbors(setting: GameConfig) -> Levels:
    return labels([harbor["id"] for harbor in setting.components["harbor"]])


def _capacities(setting: GameConfig) -> list[int]:
    return list(setting.components["ships"]["capacities"])


def _ships(setting: GameConfig) -> Levels:
    return numbers(_capacities(setting))


def _or_none(levels: Callable[[GameConfig], Levels], none_code: int) -> Callable[[GameConfig], Levels]:
    return lambda setting: Levels((*levels(setting).names, "none"), (*levels(setting).starts, none_code))


_harbor_or_none, _ship_or_none = _or_none(_harbors, NOWHERE), _or_none(_ships, NO_RIVAL)


def _goods(setting: GameConfig) -> Levels:
    names = [kind["key"] for kind in setting.components["type"]]
    return Levels((*names, setting.components["gold"]["key"]), (*range(len(names)), s.GOLD))


def _tracks(setting: GameConfig) -> list[tuple[int, int, str]]:
    types = [kind["key"] for kind in setting.components["type"]]
    return [
        (number, types.index(kind), f"{harbor['id']}.{kind}")
        for number, harbor in enumerate(setting.components["harbor"])
        for kind in harbor["tracks"]
    ]


def _by_track(setting: GameConfig) -> np.ndarray[Any, Any]:
    track_numbers = np.zeros((s.MAX_HARBORS, s.MAX_TYPES), int)
    for number, (harbor, kind, _) in enumerate(_tracks(setting)):
        track_numbers[harbor, kind] = number
    return track_numbers


def _bonus(setting: GameConfig) -> np.ndarray[Any, Any]:
    coins_by_place = np.zeros((s.MAX_HARBORS, s.MAX_TYPES, _PLACES), int)
    tracks = setting.components["tracks"]
    for harbor, kind, name in _tracks(setting):
        for space, coins in tracks["per_track"].get(name, tracks)["bonus"].items():
            coins_by_place[harbor, kind, int(space)] = coins_by_place[harbor, kind, -int(space)] = coins
    return coins_by_place


def _places(setting: GameConfig) -> Levels:
    tracks = setting.components["tracks"]
    half = max([tracks["half_length"], *(track["half_length"] for track in tracks["per_track"].values())])
    return numbers(range(-half, half + 1))


def _traded(setting: GameConfig) -> np.ndarray[Any, Any]:
    """Return whether a tile's type has a track at a harbor, by tile and harbor; NOWHERE has no track."""
    tracks = {(harbor, kind) for harbor, kind, _ in _tracks(setting)}
    return np.array([[(harbor, kind) in tracks for harbor in range(NOWHERE + 1)] for kind in _kinds(setting)])


def _steps(setting: GameConfig) -> np.ndarray[Any, Any]:
    steps = setting.components["marker_steps"]
    steps_by_tile = [steps["other_tile"] if value else steps["value_zero_tile"] for value in _values(setting)]
    return np.where(_traded(setting), np.array(steps_by_tile)[:, None], 0)


def _face_values(setting: GameConfig) -> list[int]:
    return [GOLD_VALUE if kind == s.GOLD else value for _, kind, value in tile_ids(setting.components)]


def _face_levels(setting: GameConfig) -> Levels:
    levels = numbers(_face_values(setting))
    return Levels(tuple("gold" if start == GOLD_VALUE else str(start) for start in levels.starts), levels.starts)


def _cap(setting: GameConfig) -> int:
    return int(setting.components["price_space"]["action_space_cap"])


def _bands_to(last_band: int, scale: int) -> Levels:
    starts = [PRICE_BAND * band for band in range(min(last_band, _LAST_BAND) + 1)]
    names = [f"{start}{'+' if start == PRICE_BAND * _LAST_BAND else ''}" for start in starts]
    return Levels(tuple(names), tuple(scale * start for start in starts), exact=False)


def _final_coins(setting: GameConfig) -> Levels:
    start = setting.components["money"]["start_cash"]
    return numbers(range(start + LOWEST, start + HIGHEST + 1), start + HIGHEST)


def _fates(setting: GameConfig) -> np.ndarray[Any, Any]:
    """Return the fate of a lot, its number in FATES, by discarded, forced, room and bought."""
    fates = np.zeros((2, 2, 2, 2), int)
    fates[1, 1], fates[1, 0] = FATES.index("no_room"), FATES.index("denied")
    fates[1, 0, 1, 0] = FATES.index("unwanted")  # not denied to the rival, who has no room for it
    return fates


def _money(*names: str) -> list[Column]:
    texts = {"harbors": "for harbors", "monopolies": "for markers, without bonus spaces"}
    texts |= {"bonus": "for bonus spaces", "paid": "paid for lots"}
    return [Column(name, f"coins {texts[name]}", None, "u2", "coins") for name in names]


SOURCES = ("harbors", "monopolies", "bonus")
_SEAT = Column("seat", "who it is about", labels(s.PLAYER_NAMES))
_BUYER = Column("seat", "who bought it", labels(s.PLAYER_NAMES))
_ROUND, _LAST = columns.round_columns(lambda setting: int(setting.components["rounds"]["count"]), "round")
_HARBOR = Column("harbor", "harbor", _harbors)
_SIZE = Column("tiles", "tiles of the lot", lambda setting: numbers(_sizes(setting)), unit="tiles")
_MOORED, _ALONE = np.arange(NOWHERE + 1) < NOWHERE, np.arange(NO_RIVAL + 1) == NO_RIVAL
_FROM = "from \N{HORIZONTAL ELLIPSIS} coins up to the next"
_LOT_COLUMNS = (
    _BUYER,
    _ROUND,
    Column("order", "number of the lot in its round",
           lambda setting: numbers(range(1, len(_values(setting)) + 1), _LAST_NUMBER + 1)),
    _SIZE,
    Column("value", "face values of the lot, added up",
           lambda setting: numbers(totals(_values(setting), _sizes(setting)), _LAST_NUMBER)),
    Column("zeros", "value-0 tiles in the lot",
           lambda setting: numbers(range(min(_sizes(setting)[-1], _face_values(setting).count(0)) + 1))),
    Column("gold", "gold tiles in the lot",
           lambda setting: numbers(range(min(_sizes(setting)[-1], setting.components["tiles"]["gold_count"]) + 1))),
    Column("proposer", "who names the price", labels(s.PLAYER_NAMES)),
    Column("room", "who could load it", labels(("both", "proposer"))),
    Column("price", "price", lambda setting: numbers(range(_cap(setting) + 1)), unit="coins"),
    Column("asked", "the responder could buy it", YES_NO),
    Column("bought", "the responder bought it", YES_NO),
    Column("discarded", "the buyer discarded it", YES_NO),
    Column("forced", "the buyer discarded it for want of room", YES_NO),
    derived("price_band", f"price, {_FROM}", "price", lambda setting: np.arange(_cap(setting) + 1),
             lambda setting: _bands_to(_cap(setting) // PRICE_BAND, 1), "coins"),
    derived("capped", "its price is the highest that an agent can name", "price",
             lambda setting: np.arange(_cap(setting) + 1) == _cap(setting)),
    derived("face", "face value of a lot of one tile, or gold", "value gold",
             lambda setting: np.where(np.arange(s.MAX_REVEAL + 1), GOLD_VALUE, np.arange(s.MAX_VALUE + 1)[:, None]),
             _face_levels),
    derived("buyer", "bought by", "bought", lambda setting: [0, 1], labels(("proposer", "responder"))),
    derived("rival_fits", "the buyer's rival had room for it", "room bought", lambda setting: [[1, 1], [0, 1]]),
    derived("fate", "loaded, or why it was discarded", "discarded forced room bought", _fates,
             labels(FATES)),
)  # fmt: skip


def _per_round(count: Callable[[GameConfig], int]) -> Callable[[GameConfig], int]:
    return lambda setting: count(setting) * int(setting.components["rounds"]["count"])


_most_lots = _per_round(lambda setting: len(_values(setting)))
GAME = Table("game", "a game", (
    Column("tie", "both have equal coins and share the win", YES_NO),
    Column("margin", "coins of the winner less those of the loser", dtype="i4", unit="coins"),
    Column("medici_margin", "coins of Medici less those of Strozzi", dtype="i4", unit="coins"),
    Column("lead_changes", "changes of the leader from round to round"),
), max_rows=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    _SEAT,
    Column("total", "final coins", _final_coins, "i4", "coins"),
    *_money(*SOURCES, "paid"),
    Column("below_zero", "owed the bank after paying for a lot", YES_NO),
    Column("below_zero_at_end", "owes the bank at the end", YES_NO),
), max_rows=lambda setting: s.SEATS, of_choices=True)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    _SEAT,
    _ROUND,
    _LAST,
    *_money(*SOURCES, "paid"),
    Column("loaded", "tiles on the player's ships",
           lambda setting: numbers(range(sum(_capacities(setting)) + 1)), unit="tiles"),
    Column("held", "markers on the player's side after it",
           lambda setting: numbers(range(len(_tracks(setting)) + 1)), unit="markers"),
    Column("leader", "led after it", YES_NO),
    derived("full", "no ship has a free space", "loaded", lambda setting: np.arange(256) == sum(_capacities(setting))),
), max_rows=_per_round(lambda setting: s.SEATS), of_choices=True)  # fmt: skip
ENDS = Table("round_end", "a round when it is over", (
    _ROUND,
    Column("lots", "lots shown", unit="lots"),
    Column("tiles", "tiles shown", unit="tiles"),
    Column("left", "tiles left in the bag", unit="tiles"),
    Column("full_fleet", "a player's ships were full, or all moored where that ends a round", YES_NO),
    derived("empty_bag", "the bag was empty, and no ships ended the round", "full_fleet", lambda setting: [1, 0]),
), max_rows=_per_round(lambda setting: 1), of_choices=True)  # fmt: skip
LOTS = Table("lot", "a lot of tiles bought", _LOT_COLUMNS, max_rows=_most_lots, of_choices=True)
TILES = Table("tile", "a tile shown", (
    _BUYER,
    _ROUND,
    Column("tile", "the tile", lambda setting: labels([name for name, *_ in tile_ids(setting.components)])),
    derived("value", "face value, or gold", "tile", _face_values, _face_levels),
    derived("goods", "goods, or gold", "tile", _kinds, _goods),
    _SIZE,
    Column("harbor", "where it was loaded; none: it was discarded", _harbor_or_none),
    derived("alone", "it was a lot by itself", "tiles", lambda setting: np.arange(256) == 1),
    derived("loaded", "it was loaded", "harbor", lambda setting: _MOORED),
    derived("traded", "it was loaded where its goods have a track", "tile harbor", _traded),
    derived("steps", "steps of a marker that it brings", "tile harbor", _steps, None, "steps"),
), max_rows=_most_lots, of_choices=True)  # fmt: skip
SHIPS = Table("ship", "a player's ship when a round is scored", (
    Column("seat", "whose it is", labels(s.PLAYER_NAMES)),
    _ROUND,
    Column("ship", "the ship, by its spaces", _ships),
    Column("harbor", "where it is moored; none: it is at sea", _harbor_or_none),
    Column("rival", "the rival's ship there", _ship_or_none),
    Column("load", "total face value of the ship's tiles",
           lambda setting: numbers(totals(_values(setting), range(max(_capacities(setting)) + 1)), _LAST_LOAD)),
    Column("tiles", "tiles on it", lambda setting: numbers(range(max(_capacities(setting)) + 1)), unit="tiles"),
    Column("won", "it is paid for the harbor", YES_NO),
    Column("tied", "both have a ship there and neither is paid", YES_NO),
    derived("moored", "it is moored", "harbor", lambda setting: _MOORED),
    derived("alone", "it is moored and the rival has no ship there", "harbor rival",
            lambda setting: np.outer(_MOORED, _ALONE)),
    derived("alone_won", "it is paid without a rival", "rival won", lambda setting: np.outer(_ALONE, [0, 1])),
    derived("full", "it has no free space", "ship tiles", lambda setting: np.eye(NO_RIVAL)),
), max_rows=_per_round(lambda setting: s.SEATS * len(_capacities(setting))))  # fmt: skip
HARBORS = Table("harbor", "a harbor when a round is scored", (
    _HARBOR,
    _ROUND,
    Column("outcome", "how it is decided", labels(("decided", "tie", "unopposed", "unopposed_unpaid", "empty"))),
    *_money(*SOURCES),
    derived("tied", "both have a ship there and neither is paid", "outcome", lambda setting: [0, 1, 0, 0, 0]),
), max_rows=_per_round(lambda setting: len(setting.components["harbor"])))  # fmt: skip
MARKERS = Table("marker", "a marker when a round is scored", (
    _HARBOR,
    Column("goods", "the type of its track",
           lambda setting: labels([kind["key"] for kind in setting.components["type"]])),
    derived("track", "track", "harbor goods", _by_track,
            lambda setting: labels([name for *_, name in _tracks(setting)])),
    _ROUND,
    _LAST,
    Column("place", "space; 0 is the centre, Strozzi's are negative", _places, "i4"),
    Column("steps", "steps that both players made with it", unit="steps"),
    Column("moved", "spaces that it moved", unit="spaces"),
    Column("swapped", "it changed sides", YES_NO),
    derived("off_centre", "it is off the centre", "place", lambda setting: _DISTANCE > 0),
    derived("distance", "spaces between it and the centre", "place", lambda setting: _DISTANCE,
             lambda setting: numbers(map(abs, _places(setting).starts)), "spaces"),
    derived("on_bonus", "it is on a bonus space", "harbor goods place", lambda setting: _bonus(setting) > 0),
    derived("monopoly", "coins for it, without the bonus", "place",
             lambda setting: setting.components["scoring"]["monopoly"] * (_DISTANCE > 0), None, "coins"),
    derived("bonus", "bonus coins for it", "harbor goods place", _bonus, None, "coins"),
), max_rows=_per_round(lambda setting: len(_tracks(setting))))  # fmt: skip
_ESTIMATED = f"a lot of tiles bought, in one of {SAMPLED} deals, beside its estimated fair price"
ESTIMATES = Table("price_estimate", _ESTIMATED, (
    *_LOT_COLUMNS,
    Column("fair", f"estimated fair price, {_FROM}", _bands_to(_LAST_BAND, TENTHS), "i4", "coins", TENTHS),
    Column("gap", f"price less estimated fair price, {_FROM}", columns.bands(GAPS, TENTHS), "i4", "coins", TENTHS),
    Column("miss", "distance between price and estimated fair price", None, "i4", "coins", TENTHS),
), max_rows=_most_lots, sampled=SAMPLED, optional=True, of_choices=True)  # fmt: skip

TABLES = (GAME, PLAYER, ROUNDS, ENDS, LOTS, TILES, SHIPS, HARBORS, MARKERS, ESTIMATES)

AGREEMENTS = tuple(
    (text, Crosstab(table, (), (column,)), Crosstab(other_table, (), (other_column,)))
    for text, table, column, other_table, other_column in (
        *((f"coins from {source} by seat", "seat", source, "round", source) for source in SOURCES),
        *((f"coins from {source} by harbor", "seat", source, "harbor", source) for source in SOURCES),
        ("coins from monopolies by marker", "harbor", "monopolies", "marker", "monopoly"),
        ("bonus coins by marker", "harbor", "bonus", "marker", "bonus"),
        ("coins paid for lots", "seat", "paid", "lot", "price"),
        ("final coins", "seat", "total", "seat", "score"),
        ("tiles shown", "lot", "tiles", "round_end", "tiles"),
        ("tiles loaded", "tile", "loaded", "ship", "tiles"),
        ("tiles on ships", "round", "loaded", "ship", "tiles"),
        ("steps of markers", "tile", "steps", "marker", "steps"),
        ("markers off the centre", "round", "held", "marker", "off_centre"),
    )
)

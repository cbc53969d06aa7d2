"""What is counted of Strozzi: fact tables, and the handlers that write them while a game is played."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import FLAG, Column, Levels, Setting, Table, labels, numbers
from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.games.strozzi.events import (
    CARGO,
    CLAIM,
    MARKER,
    MOVE,
    PLACE,
    REVEAL,
    ROUND,
    SCORE,
    SET_ASIDE,
    SHIP_PRIZE,
)
from strozzi_sim.games.strozzi.scoring import category_coins, rank_in_category
from strozzi_sim.games.strozzi.state import (
    CATEGORIES,
    CITIES,
    CITY_NAMES,
    FLAG_NAMES,
    FLORENCE,
    MAX_ROUNDS,
    MAX_SHIPS,
    NOBODY,
    PORT_NAMES,
    PORTS,
    SEATS,
)
from strozzi_sim.kernel.jit import force_inline, jit

_MOST = 15  # where the last level of a number of symbols, tiles or the like begins
_TOTAL = 31  # the same of a total of tiles
_SCORE = 2047  # the same of coins
NO_FLAG = 3  # nobody claimed the card
NO_PORT = 3  # no port clearly paid least
ORDERS = 64  # the k-th flag (or port) of a round in base 4, 0 = none: first + 4 second + 16 third


def _ships(setting: Setting, *fields: str) -> np.ndarray[Any, Any]:
    return np.array([[ship[field] for field in fields] for ship in setting.components["ships"]])


def _cards(setting: Setting) -> Levels:
    return labels([ship["id"] for ship in setting.components["ships"]])


def _seats(setting: Setting) -> Levels:
    return numbers(range(setting.players))


def _rounds(setting: Setting) -> Levels:
    return numbers(range(1, setting.components["setup"]["rounds"] + 1))


def _spaces(setting: Setting) -> Levels:
    return numbers(range(setting.components["tracks"]["top_index"] + 1))


def _kinds(code: int) -> list[int]:
    """The flags (or ports) of an order, from 1."""
    return [kind for shift in (0, 2, 4) if (kind := code >> shift & 3)]


def _orders(words: tuple[str, ...]) -> Levels:
    """The orders in which flags (or ports) can be used: none twice."""
    every = [tuple(order) for k in range(4) for order in permutations(range(1, 4), k)]
    codes = {sum(kind << 2 * k for k, kind in enumerate(order)): order for order in every}
    return Levels(
        tuple(">".join(words[kind - 1] for kind in codes[code]) or "none" for code in sorted(codes)),
        tuple(sorted(codes)),
    )


def _unused(*kinds: int) -> Callable[[Setting], np.ndarray[Any, Any]]:
    counts = np.array([sum(kind not in _kinds(code) for kind in kinds) for code in range(ORDERS)])
    return lambda setting: counts


def _totals(setting: Setting) -> Levels:
    """What the tiles of one category can add up to."""
    totals: set[int] = set()
    for category in CATEGORIES:
        sums = {0}
        for tile in setting.components["promotion_tiles"]:
            if tile["category"] == category:
                sums |= {total + tile["value"] for total in sums}
        totals |= sums
    return numbers(totals, _TOTAL)


def _of_card(field: str) -> dict[str, Any]:
    return {"of": ("card",), "values": lambda setting: _ships(setting, field)[:, 0],
            "levels": lambda setting: numbers(_ships(setting, field).ravel().tolist(), _MOST)}  # fmt: skip


_SEAT = Column("seat", "who it is about, 0 starts round 1", _seats)
_ROUND = Column("round", "round of the game, from 1", _rounds)
_CARD = Column("card", "the ship card", _cards)
_SAIL = Column("sail", "sail number of the ship", **_of_card("sail"))
_CARGO = Column(
    "cargo", "wares on the ship, of all kinds", unit="wares", of=("card",),
    values=lambda setting: _ships(setting, *PORT_NAMES).sum(axis=1),
    levels=lambda setting: numbers(_ships(setting, *PORT_NAMES).sum(axis=1).tolist(), _MOST),
)  # fmt: skip
_LAP = Column("lap", "seats after the active player, who is 0", _seats)

_LAST = Column(
    "last", "it is the last round", FLAG, of=("round",),
    values=lambda setting: (np.arange(MAX_ROUNDS + 1) == setting.components["setup"]["rounds"]).astype(int),
)  # fmt: skip

GAME = Table("game", "a game", (
    Column("margin", "coins of the winner less those of the second", dtype="u2", unit="coins"),
    Column("florence_tie", "the two best had equal coins", FLAG),
    Column("lead_changes", "changes of the leader, from round to round and to the end"),
    Column("set_aside", "ship cards that nobody took"),
    Column("tiles_left", "promotion tiles that nobody took"),
    Column("over_box", "more coins were paid than are in the box", FLAG),
), most=lambda setting: 1)  # fmt: skip
PLAYER = Table("seat", "a player in a game", (
    _SEAT,
    Column("total", "final coins", lambda setting: numbers(range(_SCORE + 1), _SCORE), "u2", "coins"),
    Column("ships", "coins from ships", None, "u2", "coins"),
    Column("markers", "coins from markers, without bonus spaces", None, "u2", "coins"),
    Column("bonus", "coins from bonus spaces", None, "u2", "coins"),
    Column("promotion", "coins from promotion tiles", None, "u2", "coins"),
    Column("best_ports", "the two ports that paid best, if that is clear", labels(("rome+naples", "venice+naples", "venice+rome", "unclear"))),
), most=lambda setting: setting.players)  # fmt: skip
ROUNDS = Table("round", "a player in a round", (
    _SEAT,
    _ROUND,
    Column("flags", "the order in which the player's flags took ships", _orders(FLAG_NAMES)),
    Column("ports", "the order in which ships went to ports", _orders(PORT_NAMES)),
    _LAST,
    *(Column(f"used_{flag}", f"the {flag} flag took a ship", FLAG, of=("flags",),
             values=lambda setting, kind=kind: 1 - _unused(kind)(setting)) for kind, flag in enumerate(FLAG_NAMES, 1)),
    *(Column(f"unused_{flag}", f"the {flag} flag took no ship", FLAG, of=("flags",), values=_unused(kind))
      for kind, flag in enumerate(FLAG_NAMES, 1)),
    Column("unused", "flags that took no ship", of=("flags",), values=_unused(1, 2, 3)),
    Column("coins", "coins of the round, without promotion tiles", dtype="u2", unit="coins"),
    Column("leader", "led after the round, ties decided at Florence", FLAG),
), most=lambda setting: setting.players * setting.components["setup"]["rounds"])  # fmt: skip
CARDS = Table("card", "a ship card turned over", (
    _CARD,
    _SAIL,
    _CARGO,
    _ROUND,
    Column("claimed_by", "flag of the first claim", labels((*FLAG_NAMES, "none"))),
    Column("claimed", "somebody claimed it", FLAG, of=("claimed_by",), values=lambda setting: np.array([1, 1, 1, 0])),
    Column("taken_over", "a pirate took over the first claim", FLAG),
    Column("lap", "seats of that pirate after the active player", _seats),
    Column("taken", "somebody took it", FLAG),
    Column("set_aside", "nobody took it", FLAG, of=("taken",), values=lambda setting: np.array([1, 0])),
), most=lambda setting: len(setting.components["ships"]) * setting.components["setup"]["rounds"])  # fmt: skip
SHIPS = Table("ship", "a ship taken", (
    _SEAT,
    _ROUND,
    _CARD,
    _SAIL,
    _CARGO,
    Column("match", "wares on the ship for the port it goes to", unit="wares", of=("card", "port"),
           values=lambda setting: _ships(setting, *PORT_NAMES),
           levels=lambda setting: numbers(_ships(setting, *PORT_NAMES).ravel().tolist(), _MOST)),
    Column("flag", "the flag that took it", labels(FLAG_NAMES)),
    Column("port", "where it was placed", labels(PORT_NAMES)),
    Column("order", "the player's first, second or third ship of the round", numbers(range(1, PORTS + 1))),
    _LAP,
    Column("takes_over", "a pirate took it from somebody", FLAG),
    Column("cards_left", "cards left to turn over in the round when it was taken", lambda setting: numbers(range(len(setting.components["ships"])))),
    Column("prize", "coins from its rank in the port", dtype="u2", unit="coins"),
    Column("steps", "spaces its owner's marker moved at the port", unit="spaces"),
), most=lambda setting: PORTS * setting.players * setting.components["setup"]["rounds"])  # fmt: skip
MARKERS = Table("marker", "a player in a city when a round is scored", (
    _SEAT,
    _ROUND,
    _LAST,
    Column("city", "where it is", labels(CITY_NAMES)),
    Column("space", "the space of the player's marker, 0 is the start", _spaces),
    Column("prize", "coins by the marker's rank", dtype="u2", unit="coins"),
    Column("bonus", "coins of the space", dtype="u2", unit="coins"),
    Column("ships", "coins of the player's ship there", dtype="u2", unit="coins"),
), most=lambda setting: CITIES * setting.players * setting.components["setup"]["rounds"])  # fmt: skip
CATEGORY = Table("category", "a player in a promotion category", (
    _SEAT,
    Column("category", "art, science or architecture", labels(CATEGORIES)),
    Column("rank", "rank in the category, ties decided at Florence",
           lambda setting: numbers(range(1, setting.players + 1))),
    Column("total", "what the player's tiles are worth there", _totals, "u2"),
    Column("tiles", "number of those tiles", unit="tiles"),
    Column("coins", "prize", dtype="u2", unit="coins"),
), most=lambda setting: len(CATEGORIES) * setting.players)  # fmt: skip

TABLES = (GAME, PLAYER, ROUNDS, CARDS, SHIPS, MARKERS, CATEGORY)
_GAME, _PLAYER, _ROUNDS, _CARDS, _SHIPS, _MARKERS, _CATEGORY = (1 << number for number in range(len(TABLES)))
_SOURCES = 3  # ships, markers, bonus

SINK = sink_dtype(TABLES, [  # shape          meaning, of the game or round being played
    ("players", "i8"),
    ("round", "i8"),
    ("active", "i8"),
    ("left", "i8"),  #                        cards left to turn over
    ("taken", "i8", (SEATS,)),  #            [P] ships placed this round
    ("row_of", "i8", (MAX_SHIPS,)),  #       [ship] its row
    ("paid", "i8", (SEATS, _SOURCES)),  #    [P, source] coins of the game
    ("paid_at", "i8", (SEATS, CITIES)),  #   [P, city] coins of the game
    ("landed", "i8", (SEATS, CITIES)),  #    [P, city] coins of ships of the round
    ("rank", "i8", (SEATS,)),  #             [P] of the marker at Florence
    ("ranked", "i8"),
    ("total", "i8", (SEATS,)),  #            [P] coins after the round
    ("leader", "i8"),  #                     after the round before, or -1
    ("set_aside", "i8"),
    ("lead_changes", "i8"),
])  # fmt: skip


@jit
def prepare(facts, rules, players):
    """Before the games of a match."""
    facts.players = players


@jit
def open_game(facts, number):
    """Before a game of deal `number` is dealt."""
    facts.leader = -1
    facts.set_aside = 0
    facts.lead_changes = 0
    for seat in range(facts.players):
        for source in range(_SOURCES):
            facts.paid[seat, source] = 0
        for city in range(CITIES):
            facts.paid_at[seat, city] = 0
            facts.landed[seat, city] = 0


@force_inline
def note(facts, kind, a, b, c, d, e):
    """An event, as the core writes it; the kind is known where this is put in place."""
    if kind == REVEAL:
        _on_reveal(facts, a, b, c)
    elif kind == CLAIM:
        if b >= 0:
            _on_claim(facts, a, b)
    elif kind == PLACE:
        _on_place(facts, a, b, c, d)
    elif kind == MOVE:
        if e == CARGO:
            facts.ship_steps[facts.ship_rows - 1] = d - c
    elif kind == SET_ASIDE:
        facts.set_aside += 1
        facts.card_taken[facts.card_rows - 1] = 0
    elif kind == ROUND:
        _on_round(facts, a)
    elif kind == SHIP_PRIZE:
        _on_prize(facts, a, b, c, e)
    elif kind == MARKER:
        _on_marker(facts, a, b, c, d, e)
    elif kind == SCORE:
        _on_score(facts, a, b)


@jit
def _on_round(facts, round_):
    facts.round = round_ + 1
    facts.ranked = 0
    first = facts.round_rows
    for seat in range(facts.players):
        row = first + seat
        facts.taken[seat] = 0
        facts.round_seat[row] = seat
        facts.round_round[row] = round_ + 1
        facts.round_flags[row] = 0
        facts.round_ports[row] = 0
        facts.round_coins[row] = 0
        facts.round_leader[row] = 0
    facts.round_rows = first + facts.players


@force_inline
def _row_of(facts, seat):
    """The row of a player in the present round."""
    return facts.round_rows - facts.players + seat


@force_inline
def _lap(facts, seat):
    """Seats after the active player."""
    return seat - facts.active + facts.players if seat < facts.active else seat - facts.active


@jit
def _on_reveal(facts, active, card, left):
    facts.active = active
    facts.left = left
    row = facts.card_rows
    facts.card_card[row] = card
    facts.card_round[row] = facts.round
    facts.card_claimed_by[row] = NO_FLAG
    facts.card_taken_over[row] = 0
    facts.card_lap[row] = 0
    facts.card_taken[row] = 1
    facts.card_rows = row + 1


@jit
def _on_claim(facts, seat, flag):
    row = facts.card_rows - 1
    if facts.card_claimed_by[row] == NO_FLAG:
        facts.card_claimed_by[row] = flag
    else:
        facts.card_taken_over[row] = 1
        facts.card_lap[row] = _lap(facts, seat)


@jit
def _on_place(facts, seat, card, flag, port):
    row, order, mine = facts.ship_rows, facts.taken[seat], _row_of(facts, seat)
    facts.ship_seat[row] = seat
    facts.ship_round[row] = facts.round
    facts.ship_card[row] = card
    facts.ship_flag[row] = flag
    facts.ship_port[row] = port
    facts.ship_order[row] = order + 1
    facts.ship_lap[row] = _lap(facts, seat)
    facts.ship_cards_left[row] = facts.left
    facts.ship_takes_over[row] = facts.card_taken_over[facts.card_rows - 1]
    facts.ship_prize[row] = 0
    facts.ship_steps[row] = 0
    facts.ship_rows = row + 1
    facts.row_of[card] = row
    facts.taken[seat] = order + 1
    facts.round_flags[mine] += (flag + 1) << (2 * order)
    facts.round_ports[mine] += (port + 1) << (2 * order)


@jit
def _on_prize(facts, seat, card, port, coins):
    facts.ship_prize[facts.row_of[card]] = coins
    facts.round_coins[_row_of(facts, seat)] += coins
    facts.paid[seat, 0] += coins
    facts.paid_at[seat, port] += coins
    facts.landed[seat, port] = coins


@jit
def _on_marker(facts, seat, city, space, prize, bonus):
    row = facts.marker_rows
    facts.marker_seat[row] = seat
    facts.marker_round[row] = facts.round
    facts.marker_city[row] = city
    facts.marker_space[row] = space
    facts.marker_prize[row] = prize
    facts.marker_bonus[row] = bonus
    facts.marker_ships[row] = facts.landed[seat, city]
    facts.landed[seat, city] = 0
    facts.marker_rows = row + 1
    facts.round_coins[_row_of(facts, seat)] += prize + bonus
    facts.paid[seat, 1] += prize
    facts.paid[seat, 2] += bonus
    facts.paid_at[seat, city] += prize + bonus
    if city == FLORENCE:  # best first
        facts.rank[seat] = facts.ranked
        facts.ranked += 1


@jit
def _on_score(facts, seat, total):
    facts.total[seat] = total
    if seat < facts.players - 1:
        return
    leader = 0
    for other in range(1, facts.players):
        ahead = facts.total[other] - facts.total[leader]
        if ahead > 0 or (ahead == 0 and facts.rank[other] < facts.rank[leader]):
            leader = other
    facts.round_leader[_row_of(facts, leader)] = 1
    facts.lead_changes += facts.leader >= 0 and facts.leader != leader
    facts.leader = leader


@jit
def close_game(facts, state, rules):
    """The game is over: what is known only now."""
    players = state.players
    best = second = -1
    winner = paid = 0
    for seat in range(players):
        coins = state.coins[seat]
        paid += coins
        if coins > best:
            best, second, winner = coins, best, seat
        else:
            second = max(second, coins)
    tied = best == second
    for rank in range(players):  # ties are decided at Florence
        seat = state.order[FLORENCE, rank]
        if tied and state.coins[seat] == best:
            winner = seat
            break
    row = facts.game_rows
    facts.game_margin[row] = best - second
    facts.game_florence_tie[row] = tied
    facts.game_lead_changes[row] = facts.lead_changes + (facts.leader != winner)
    facts.game_set_aside[row] = facts.set_aside
    facts.game_over_box[row] = paid > rules.box_coins
    left = 0
    for tile in range(rules.tiles):
        left += state.tile_owner[tile] == NOBODY
    facts.game_tiles_left[row] = left
    facts.game_rows = row + 1
    _close_seats(facts, state)
    _close_categories(facts, state, rules)


@jit
def _close_seats(facts, state):
    for seat in range(facts.players):
        row = facts.seat_rows
        facts.seat_seat[row] = seat
        facts.seat_total[row] = state.coins[seat]
        facts.seat_ships[row] = facts.paid[seat, 0]
        facts.seat_markers[row] = facts.paid[seat, 1]
        facts.seat_bonus[row] = facts.paid[seat, 2]
        facts.seat_promotion[row] = state.coins[seat] - facts.total[seat]
        worst, shared = 0, False
        for port in range(1, PORTS):
            lead = facts.paid_at[seat, port] - facts.paid_at[seat, worst]
            shared = lead == 0 or (shared and lead > 0)
            worst = port if lead < 0 else worst
        facts.seat_best_ports[row] = NO_PORT if shared else worst
        facts.seat_rows = row + 1


@jit
def _close_categories(facts, state, rules):
    first = facts.category_rows
    row = first
    for category in range(len(CATEGORIES)):
        for seat in range(facts.players):
            total = state.tile_total[category, seat]
            facts.category_seat[row] = seat
            facts.category_category[row] = category
            facts.category_rank[row] = rank_in_category(state, seat, category, total) + 1
            facts.category_total[row] = total
            facts.category_tiles[row] = 0
            facts.category_coins[row] = category_coins(state, rules, seat, category, total)
            row += 1
    for tile in range(rules.tiles):
        owner = state.tile_owner[tile]
        if owner != NOBODY:
            facts.category_tiles[first + rules.tile_category[tile] * facts.players + owner] += 1
    facts.category_rows = row

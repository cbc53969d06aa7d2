"""Turns and the end of a round: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import copy
import itertools
from typing import Any

import pytest

from scripted import lines, say
from scripted_medici import (
    DISCARD,
    HARBORS,
    MEDICI,
    STROZZI,
    TILES,
    base_components,
    buy_one,
    empty_bag,
    kind,
    left_over,
    loads_on,
    moor,
    sell,
    show,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import Game

# -- revealing tiles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "most"),
    [((0, 1, 2), 2), ((1, 1, 1), 1), ((3, 4, 5), 3), ((0, 0, 1), 1), ((2, 2, 2), 2), ((0, 4, 0), 3), ((3, 0, 0), 3)],
)
def test_items_03_and_04_free_space_on_a_single_ship(free: tuple[int, int, int], most: int) -> None:
    game, tiles = show(table(), 1), iter(TILES[10:])
    ships = [(size, *itertools.islice(tiles, size - space)) for size, space in zip((3, 4, 5), free, strict=True)]
    moor(game, MEDICI, **dict(zip(HARBORS, ships, strict=True)))
    say(game, (MEDICI, 0), (STROZZI, False))
    while kind(game) == "place":  # into the wind, so that Medici proposes with these ships
        say(game, (MEDICI, DISCARD))
    while kind(game) == "reveal":
        say(game, (MEDICI, "more"))
    assert len(game.lot) == most


def test_items_03_and_24_tiles_left_in_the_bag() -> None:
    game = table()
    while game.bag_left > 1:
        buy_one(game, game.proposer)
    assert kind(game) == "reveal"
    assert len(game.discards) == 24
    say(game, (game.proposer, "more"))
    assert (len(game.lot), game.bag_left, kind(game)) == (2, 0, "price")


def test_item_03_other_limits() -> None:
    components = base_components()
    components["rounds"]["reveal_max"] = 4
    assert len(show(table(components=components), 4).lot) == 4
    components["rounds"]["reveal_max"] = 1
    assert kind(table(components=components)) == "price"


def test_item_06_forced_stop_is_not_asked() -> None:
    game = say(table(), (MEDICI, "more"), (MEDICI, "more"))
    assert kind(game) == "price"
    game = show(table(), 1)
    moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))
    say(game, (MEDICI, 0), (STROZZI, False), (MEDICI, DISCARD))
    assert (kind(game), len(game.lot)) == ("price", 1)


# -- price, answer and money ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [0.5, 7.0, True, False, "7", None, -1, 2**53, (7,)])
def test_item_09_whole_coins(price: Any) -> None:
    game = show(table(), 1)
    before = copy.deepcopy((game.events, game.cash, game.question))
    with pytest.raises(ValueError, match="whole numbers from 0 to 9007199254740991"):
        game.play(price)
    assert (game.events, game.cash, game.question) == before


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
@pytest.mark.parametrize("price", [0, 1, 120, 121, 1_000_000, 2**53 - 1])
def test_items_10_to_13_any_price_is_paid_to_the_bank_before_placing(price: int, buyer: int) -> None:
    game = say(show(table(), 3), (MEDICI, price))
    assert (game.price, game.actor, game.legal) == (price, STROZZI, (True, False))
    assert game.events[-1] == {"type": "price", "player": MEDICI, "price": price}
    say(game, (STROZZI, buyer == STROZZI))
    assert (kind(game), game.lot, game.price, game.buyer, game.actor) == ("place", TILES[:3], price, buyer, buyer)
    assert (game.cash[buyer], game.cash[1 - buyer]) == (300 - price, 300)
    say(game, (buyer, DISCARD))
    assert (game.discards, game.proposer) == (TILES[:3], buyer)


def without_room(**switches: Any) -> Game:
    """Strozzi has at most two free spaces on a ship, and three tiles lie open."""
    game = show(table(**switches), 3)
    return moor(game, STROZZI, H1=(3, *TILES[9:12]), H2=(4, *TILES[12:15]), H3=(5, *TILES[15:18]))


def test_item_14_buying_without_room() -> None:
    game = say(without_room(), (MEDICI, 12))
    assert (game.actor, game.legal) == (STROZZI, (True, False))
    say(game, (STROZZI, True))
    assert game.discards == TILES[:3]  # there was nothing else to do
    assert lines(game, "discard") == [{"type": "discard", "player": STROZZI, "tiles": TILES[:3]}]
    assert (game.cash, game.proposer) == ([300, 288], STROZZI)


def test_item_14_switch_buy_without_room() -> None:
    game = say(without_room(buy_without_room=False), (MEDICI, 12))
    assert game.events[-1] == {"type": "answer", "player": STROZZI, "buy": False}
    assert (kind(game), game.actor, game.cash) == ("place", MEDICI, [288, 300])
    game = without_room(buy_without_room=False)
    game.ships[STROZZI][5][1].pop()
    say(game, (MEDICI, 12), (STROZZI, True), (STROZZI, (5, "H3")))
    assert loads_on(game, STROZZI) == [3, 3, 5]


def test_item_15_cash_may_be_negative() -> None:
    game = show(left_over(table()), 1)
    game.cash = [5, 300]
    moor(game, MEDICI, H1=(3, "gold-a"))
    game.markers["H1"]["dye"] = 4
    say(game, (game.proposer, 30), (1 - game.proposer, False))
    assert game.cash[MEDICI] == -25
    say(game, (MEDICI, DISCARD))
    assert game.cash == [-25 + 20 + 10 + 10, 300]  # a payout of 40
    assert game.events[-1] == {"type": "score_end", "total": [15, 300], "winners": [STROZZI]}


# -- loading and mooring ----------------------------------------------------------------------------------------------


def test_item_29_all_on_one_ship_or_none() -> None:
    game = sell(table(), 3, MEDICI, (4, "H2"))
    assert loads_on(game, MEDICI) == [0, 3, 0]
    assert game.ships[MEDICI][4] == ("H2", TILES[:3])
    show(game, 2)
    say(game, (MEDICI, 0), (STROZZI, False))
    assert (4, "H2") not in game.legal  # one tile would fit, two do not
    for option in ((4, "H2"), ((3, "H1"), (5, "H3")), "dye-3", (3,), [3, "H1"]):
        with pytest.raises(ValueError, match="not legal"):
            game.play(option)  # type: ignore[arg-type]


def test_item_31_discards_come_back_next_round() -> None:
    game = sell(table(TILES[::-1], TILES, rounds=2), 3, MEDICI, DISCARD)
    assert game.discards == TILES[:-4:-1]
    later = [*game.lot, *game._bag]
    assert not set(game.discards) & set(later)
    empty_bag(game)
    assert (game.round, game.discards, game.bag_left) == (2, [], 25)
    assert [*game.lot, *game._bag] == TILES


def test_item_32_moored_with_the_first_tile() -> None:
    game = say(show(table(), 1), (MEDICI, 0), (STROZZI, True))
    assert game.ships[STROZZI] == {3: (None, []), 4: (None, []), 5: (None, [])}
    say(game, (STROZZI, (5, "H2")))
    assert game.ships[STROZZI] == {3: (None, []), 4: (None, []), 5: ("H2", ["dye-0"])}
    assert game.events[-2] == {"type": "load", "player": STROZZI, "ship": 5, "harbor": "H2", "tiles": ["dye-0"]}
    say(show(game, 2), (STROZZI, 0), (MEDICI, False))
    assert [option for option in game.legal if option[0] == 5] == [(5, "H2")]  # type: ignore[index]
    say(game, (STROZZI, (5, "H2")))
    assert game.ships[STROZZI][5] == ("H2", TILES[:3])


def test_item_33_where_the_others_may_lie() -> None:
    game = sell(table(), 3, MEDICI, (5, "H1"))
    say(show(game, 3), (MEDICI, 0), (STROZZI, False))
    assert game.legal == [(3, "H2"), (3, "H3"), (4, "H2"), (4, "H3"), DISCARD]
    say(game, (MEDICI, (3, "H3")))
    say(show(game, 1), (MEDICI, 0), (STROZZI, False))
    assert game.legal == [(4, "H2"), (5, "H1"), DISCARD]  # the 3-ship is full, the last harbor forced
    say(game, (MEDICI, DISCARD))
    say(show(game, 3), (MEDICI, 0), (STROZZI, True))
    assert game.legal == [*itertools.product((3, 4, 5), HARBORS), DISCARD]  # Medici's ships are no hindrance


# -- end of a round ---------------------------------------------------------------------------------------------------


def nearly_full(**switches: Any) -> Game:
    """Medici has one free space left, on the 5-ship; a tile lies open."""
    game = show(table(["fur-4a", "fur-4b", "fur-3"], rounds=2, **switches), 1)
    return moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))


def test_item_22_full_means_all_spaces() -> None:
    game = say(nearly_full(), (MEDICI, 0), (STROZZI, True), (STROZZI, DISCARD))
    assert (game.round, kind(game), loads_on(game, MEDICI)) == (1, "reveal", [3, 4, 4])
    say(game, (STROZZI, "stop"), (STROZZI, 3), (MEDICI, True), (MEDICI, (5, "H3")))
    assert [event["type"] for event in game.events[-4:]] == ["load", "score_round", "round", "reveal"]
    assert game.round == 2


def test_item_22_switch_round_ends_when_moored() -> None:
    game = table(round_ends_when="moored")
    for ship, harbor in zip((3, 4), HARBORS, strict=False):
        sell(game, 2, STROZZI, (ship, harbor))
    assert not game.over
    buy_one(game, MEDICI, (5, "H3"))
    buy_one(game, STROZZI, (5, "H3"))
    assert game.over
    assert [event["type"] for event in game.events[-3:]] == ["load", "score_round", "score_end"]


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
@pytest.mark.parametrize("place", [DISCARD, (3, "H2")])
def test_item_23_last_lot_is_sold_and_placed(buyer: int, place: Any) -> None:
    game = left_over(table())
    assert (game.bag_left, game.lot, kind(game)) == (0, ["gold-b"], "price")
    sell(game, 1, buyer, place, price=6)
    assert game.over
    kinds = [event["type"] for event in game.events[-5:]]
    assert kinds == ["price", "answer", "discard" if place == DISCARD else "load", "score_round", "score_end"]
    assert lines(game, "score_round")[0]["harbors"] == [20 * (place != DISCARD and buyer == seat) for seat in (0, 1)]

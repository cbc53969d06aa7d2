"""The reference rules of Medici vs Strozzi against every testable statement of the ambiguities list, item by item.

The switches of [switches] stand with their items; then come the golden scoring examples, the exact bounds as
properties of random games, and the check of records. What items 8 and 19 say of what a player may see, and item 10
of the prices that an agent can name, is no matter of the rules in plain Python.
"""

import copy
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripted_medici import (
    BASE,
    DISCARD,
    MEDICI,
    STROZZI,
    VARIANTS,
    base_components,
    buy_one,
    choose,
    deal,
    empty_bag,
    lines,
    moor,
    random_game,
    record,
    say,
    scored,
    sell,
    show,
    table,
)
from spoiled_records import broken_line, named_line, with_number
from strozzi_sim.errors import InputError, RuleViolation
from strozzi_sim.games.medici_vs_strozzi import verify
from strozzi_sim.games.medici_vs_strozzi.reference import FAMILIES, PRICES, Game, Option, tiles_of
from strozzi_sim.games.medici_vs_strozzi.verify import check_game, replay_game
from strozzi_sim.play.records import check_header

HARBORS = ("H1", "H2", "H3")
TRACKS = [(harbor["id"], goods) for harbor in BASE["harbor"] for goods in harbor["tracks"]]
TILES = list(tiles_of(BASE))
SWITCHES: list[dict[str, Any]] = [
    {},
    {"round_ends_when": "moored"},
    {"lone_worthless_ship_wins": True},
    {"net_marker_movement": False},
    {"buy_without_room": False},
    {"hidden_cash": True},
    {"round_ends_when": "moored", "buy_without_room": False, "net_marker_movement": False},
]
games = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32)
shares = st.floats(0, 1)
highest = st.sampled_from([0, 1, 40, 500])


def kind(game: Game) -> str:
    assert game.question is not None
    return game.question.kind


def loads_on(game: Game, seat: int) -> list[int]:
    """Number of tiles on each ship of a player, the smallest ship first."""
    return [len(aboard) for _, aboard in game.ships[seat].values()]


def left_over(game: Game) -> Game:
    """Show lots of one tile until one is left, which lies on the table."""
    while game.bag_left:
        buy_one(game, game.proposer)
    return game


# -- A. revealing tiles ------------------------------------------------------------------------


def test_item_01_first_tile_is_drawn_at_once() -> None:
    game = table(["fur-2"])
    assert game.events[:2] == [
        {"type": "round", "round": 1, "start_player": MEDICI},
        {"type": "reveal", "player": MEDICI, "tile": "fur-2"},
    ]
    assert (game.lot, kind(game), game.bag_left) == (["fur-2"], "reveal", 25)
    buy_one(game, STROZZI)
    assert (len(game.lot), game.bag_left) == (1, 24)


def test_item_02_each_tile_is_seen_before_the_next_decision() -> None:
    game = table(["fur-2", "gold-a", "dye-0"])
    assert (game.lot, game.legal) == (["fur-2"], ("more", "stop"))
    say(game, (MEDICI, "more"))
    assert (game.lot, game.legal, game.actor) == (["fur-2", "gold-a"], ("more", "stop"), MEDICI)
    assert lines(game, "reveal")[-1] == {"type": "reveal", "player": MEDICI, "tile": "gold-a"}
    say(game, (MEDICI, "stop"))
    assert (game.lot, kind(game)) == (["fur-2", "gold-a"], "price")


@pytest.mark.parametrize(
    ("free", "most"), [((0, 1, 2), 2), ((1, 1, 1), 1), ((3, 4, 5), 3), ((0, 0, 1), 1), ((2, 2, 2), 2), ((0, 4, 0), 3)]
)
def test_item_03_free_space_on_a_single_ship(free: tuple[int, int, int], most: int) -> None:
    game = table()
    show(game, 1)
    tiles = iter(TILES[10:])
    moor(
        game,
        MEDICI,
        **{
            harbor: (capacity, *itertools.islice(tiles, capacity - space))
            for harbor, capacity, space in zip(HARBORS, (3, 4, 5), free, strict=True)
        },
    )
    say(game, (MEDICI, 0), (STROZZI, False))
    while kind(game) == "place":  # into the wind, so that Medici proposes with these ships
        say(game, (MEDICI, DISCARD))
    while kind(game) == "reveal":
        say(game, (MEDICI, "more"))
    assert len(game.lot) == most


def test_item_03_tiles_left_in_the_bag() -> None:
    game = table()
    while game.bag_left > 1:
        buy_one(game, game.proposer)
    assert kind(game) == "reveal"
    say(game, (game.proposer, "more"))
    assert (len(game.lot), game.bag_left, kind(game)) == (2, 0, "price")


def test_item_03_other_limits() -> None:
    components = base_components()
    components["rounds"]["reveal_max"] = 4
    assert len(show(table(components=components), 4).lot) == 4
    components["rounds"]["reveal_max"] = 1
    assert kind(table(components=components)) == "price"


def test_item_04_unmoored_ship_counts() -> None:
    game = table()
    moor(game, MEDICI, H1=(4, *TILES[:4]), H2=(5, *TILES[4:9]))
    assert len(show(game, 3).lot) == 3


def test_item_05_more_than_the_responder_can_load() -> None:
    game = table()
    moor(game, STROZZI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:6]), H3=(5, *TILES[6:9]))
    assert len(show(game, 3).lot) == 3


def test_item_06_forced_stop_is_not_asked() -> None:
    game = say(table(), (MEDICI, "more"), (MEDICI, "more"))
    assert kind(game) == "price"
    game = show(table(), 1)
    moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))
    say(game, (MEDICI, 0), (STROZZI, False), (MEDICI, DISCARD))
    assert (kind(game), len(game.lot)) == ("price", 1)


def test_item_07_proposer_always_has_room() -> None:
    for seed in range(60):
        game = deal(base_components(**SWITCHES[seed % len(SWITCHES)]), seed)
        dice = random.Random(seed)
        while not game.over:
            if game.question and game.question.kind in ("reveal", "price"):
                assert game._room(game.proposer) >= len(game.lot) >= 1
            game.play(choose(game, dice, 0.1))


def test_item_08_nothing_goes_back() -> None:
    game = say(table(TILES[5:8]), (MEDICI, "more"))
    for option in ("back", "look", "less", None, *TILES[5:8]):
        with pytest.raises(ValueError, match="not legal"):
            game.play(option)  # type: ignore[arg-type]
    assert (game.lot, game.bag_left) == (TILES[5:7], 24)


# -- B. price, answer, money ---------------------------------------------------------------------


@pytest.mark.parametrize("price", [0.5, 7.0, True, False, "7", None, -1, 2**53, (7,)])
def test_item_09_whole_coins(price: Any) -> None:
    game = show(table(), 1)
    before = copy.deepcopy((game.events, game.cash, game.question))
    with pytest.raises(ValueError, match="whole numbers from 0 to 9007199254740991"):
        game.play(price)
    assert (game.events, game.cash, game.question) == before


@pytest.mark.parametrize("price", [0, 1, 120, 121, 1_000_000, 2**53 - 1])
def test_item_10_no_highest_price(price: int) -> None:
    game = say(show(table(), 1), (MEDICI, price))
    assert (game.price, game.actor, game.legal) == (price, STROZZI, (True, False))
    assert game.events[-1] == {"type": "price", "player": MEDICI, "price": price}
    say(game, (STROZZI, True))
    assert game.cash == [300, 300 - price]


def test_item_11_price_zero() -> None:
    assert 0 in PRICES
    game = say(show(table(), 1), (MEDICI, 0))
    assert game.legal == (True, False)
    say(game, (STROZZI, True))
    assert (game.actor, game.cash) == (STROZZI, [300, 300])
    say(game, (STROZZI, DISCARD))
    assert game.proposer == STROZZI
    game = say(show(table(), 1), (MEDICI, 0), (STROZZI, False))
    assert (game.actor, game.cash) == (MEDICI, [300, 300])
    say(game, (MEDICI, (3, "H1")))
    assert game.proposer == MEDICI


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
def test_item_12_the_bank_is_paid(buyer: int) -> None:
    game = sell(table(), 2, buyer, price=17)
    assert game.cash[buyer] == 300 - 17
    assert game.cash[1 - buyer] == 300


def test_item_13_proposer_must_buy_what_is_declined() -> None:
    game = say(show(table(), 3), (MEDICI, 30), (STROZZI, False))
    assert (game.buyer, game.cash, game.actor, game.legal[-1]) == (MEDICI, [270, 300], MEDICI, DISCARD)
    say(game, (MEDICI, DISCARD))
    assert game.discards == TILES[:3]


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


def test_item_16_nothing_else_is_asked() -> None:
    asked = set()
    for seed in range(10):
        game, dice = deal(base_components(), seed), random.Random(seed)
        while not game.over:
            asked.add(kind(game))
            game.play(choose(game, dice))
    assert asked == {"reveal", "price", "answer", "place"}  # no loans, no repayments


def test_item_17_final_score_is_signed_cash() -> None:
    game = sell(table(), 1, STROZZI, price=1000)
    empty_bag(game)
    assert game.events[-1] == {"type": "score_end", "total": [300, -700], "winners": [MEDICI]}


def test_item_18_bank_is_unlimited() -> None:
    components = base_components()
    components["scoring"]["harbor_majority"] = 2000
    assert scored({"H1": (3, "gold-a"), "H2": (4, "gold-b")}, {}, components=components)["cash"] == [4300, 300]


def test_item_19_switch_hidden_cash_changes_no_rule() -> None:
    for seed in range(5):
        hidden = random_game(base_components(hidden_cash=True), seed)
        assert hidden.events == random_game(base_components(), seed).events


def test_item_20_two_answers_only() -> None:
    game = say(show(table(), 1), (MEDICI, 8))
    assert game.legal == (True, False)
    for option in (9, 1, 0, "buy", None, 1.0):
        with pytest.raises(ValueError, match="not legal"):
            game.play(option)  # type: ignore[arg-type]


def test_item_21_payment_before_placing() -> None:
    game = say(show(table(), 1), (MEDICI, 8), (STROZZI, True))
    assert (kind(game), game.cash) == ("place", [300, 292])
    assert (game.lot, game.price, game.buyer) == (["dye-0"], 8, STROZZI)


# -- C. round end ---------------------------------------------------------------------------------


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


def test_item_22_a_tile_on_each_ship_is_not_enough() -> None:
    game = table()
    for ship, harbor in zip((3, 4, 5), HARBORS, strict=True):
        buy_one(game, MEDICI, (ship, harbor))
    assert (game.round, game.over, loads_on(game, MEDICI)) == (1, False, [1, 1, 1])


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


def test_item_24_empty_bag_forces_the_stop() -> None:
    game = table()
    while game.bag_left > 1:
        buy_one(game, game.proposer)
    assert len(game.discards) == 24
    say(game, (game.proposer, "more"))
    assert (kind(game), game.bag_left, len(game.lot)) == ("price", 0, 2)


def test_item_25_both_ends_at_once() -> None:
    game = left_over(table())
    moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))
    sell(game, 1, MEDICI, (5, "H3"))
    assert game.over
    assert len(lines(game, "score_round")) == 1


def test_item_26_small_gaps_do_not_stop_a_player() -> None:
    game = say(nearly_full(), (MEDICI, 5), (STROZZI, False), (MEDICI, DISCARD))
    assert (game.proposer, game.actor, kind(game)) == (MEDICI, MEDICI, "price")


def test_item_27_discards_fill_no_ship() -> None:
    game = table()
    for _ in range(8):
        sell(game, 3, MEDICI, DISCARD)
    assert (game.round, len(game.discards), loads_on(game, MEDICI)) == (1, 24, [0, 0, 0])
    assert not game.over


def test_item_28_unmoored_ships_score_nothing() -> None:
    score = scored({"H1": (5, "cloth-3")}, {})
    assert (score["harbors"], score["monopolies"], score["cash"]) == ([20, 0], [0, 0], [320, 300])
    assert scored({}, {})["cash"] == [300, 300]


# -- D. loading and mooring -------------------------------------------------------------------------


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


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
def test_item_30_discarding_is_always_free(buyer: int) -> None:
    game = say(show(table(), 2), (MEDICI, 9), (STROZZI, buyer == STROZZI))
    assert game.actor == buyer
    assert game.legal[-1] == DISCARD
    say(game, (buyer, DISCARD))
    assert game.events[-2] == {"type": "discard", "player": buyer, "tiles": TILES[:2]}
    assert (game.discards, game.proposer, game.cash[buyer]) == (TILES[:2], buyer, 291)


def test_item_31_discards_come_back_next_round() -> None:
    game = sell(table(TILES[::-1], TILES, rounds=2), 3, MEDICI, DISCARD)
    assert game.discards == TILES[:-4:-1]
    later = [*game.lot, *game._bag]
    assert not set(game.discards) & set(later)
    empty_bag(game)
    assert (game.round, game.discards, game.bag_left) == (2, [], 25)
    assert sorted([*game.lot, *game._bag]) == sorted(TILES)


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


@pytest.mark.parametrize("tiles", [1, 2, 3])
def test_item_33_first_purchase(tiles: int) -> None:
    game = say(show(table(), tiles), (MEDICI, 0), (STROZZI, False))
    assert game.legal == [*itertools.product((3, 4, 5), HARBORS), DISCARD]


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


def test_item_34_ships_and_tiles_stay() -> None:
    for seed in range(20):
        game, dice = deal(base_components(), seed), random.Random(seed)
        before = (game.round, copy.deepcopy(game.ships))
        while not game.over:
            game.play(choose(game, dice, 0.1))
            if game.round == before[0]:
                for old, new in zip(before[1], game.ships, strict=True):
                    for ship, (harbor, aboard) in old.items():
                        assert harbor in (None, new[ship][0])
                        assert new[ship][1][: len(aboard)] == aboard
            before = (game.round, copy.deepcopy(game.ships))


def test_item_35_a_second_ship_may_be_begun() -> None:
    game = buy_one(table(), MEDICI, (5, "H1"))
    say(show(game, 1), (MEDICI, 0), (STROZZI, False), (MEDICI, (3, "H2")))
    assert game.ships[MEDICI] == {3: ("H2", ["dye-1"]), 4: (None, []), 5: ("H1", ["dye-0"])}


def test_item_36_order_on_a_ship_does_not_matter() -> None:
    for order in itertools.permutations(["dye-0", "gold-a", "cloth-4b"]):
        score = scored({"H1": (3, *order)}, {"H1": (4, "fur-4a", "fur-3")})
        assert (score["harbors"], score["markers"]["H1"]) == ([20, 0], {"dye": 2, "spice": 0, "fur": -2})


# -- E. scoring ----------------------------------------------------------------------------------------


def test_item_37_all_tiles_count() -> None:
    score = scored({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-1", "cloth-4a")})
    assert score["harbors"] == [20, 0]
    score = scored({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-3", "cloth-4a")})
    assert score["harbors"] == [0, 20]


def test_item_37_ties_pay_nobody() -> None:
    assert scored({"H1": (3, "dye-4a")}, {"H1": (3, "cloth-3", "fur-1")})["harbors"] == [0, 0]
    assert scored({"H1": (3, "dye-0")}, {"H1": (5, "cloth-0", "fur-0")})["harbors"] == [0, 0]


def test_item_37_alone_at_a_harbor() -> None:
    assert scored({}, {"H2": (4, "dye-0", "fur-1")})["harbors"] == [0, 20]
    score = scored({}, {"H2": (4, "dye-0", "fur-0")})
    assert (score["harbors"], score["markers"]["H2"]["dye"]) == ([0, 0], -2)


def test_item_37_switch_lone_worthless_ship_wins() -> None:
    assert scored({}, {"H2": (4, "dye-0", "fur-0")}, lone_worthless_ship_wins=True)["harbors"] == [0, 20]
    assert scored({"H2": (4, "dye-0")}, {}, lone_worthless_ship_wins=True)["harbors"] == [20, 0]
    both = scored({"H1": (3, "dye-0")}, {"H1": (5, "cloth-0")}, lone_worthless_ship_wins=True)
    assert both["harbors"] == [0, 0]
    assert scored({}, {}, lone_worthless_ship_wins=True)["harbors"] == [0, 0]


THREE_STEPS, TWO_STEPS = (3, "dye-1", "dye-2", "dye-3"), (3, "dye-0")


@pytest.mark.parametrize(
    ("old", "net", "one_by_one"), [(5, 5, 3), (4, 5, 3), (3, 4, 3), (0, 1, 1), (-4, -3, -3), (-5, -4, -4)]
)
def test_item_38_net_movement(old: int, net: int, one_by_one: int) -> None:
    score = scored({"H1": THREE_STEPS}, {"H1": TWO_STEPS}, {"H1.dye": old})
    assert score["markers"]["H1"]["dye"] == net
    score = scored({"H1": THREE_STEPS}, {"H1": TWO_STEPS}, {"H1.dye": old}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == one_by_one


def test_item_38_switch_medici_moves_first() -> None:
    score = scored({"H1": TWO_STEPS}, {"H1": THREE_STEPS}, {"H1.dye": -5}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == -5  # first to -3, then stopped at the end
    score = scored({"H1": TWO_STEPS}, {"H1": THREE_STEPS}, {"H1.dye": 5}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == 2


SIX_STEPS = (5, "dye-0", "dye-1", "dye-2", "dye-3", "dye-4a")


def test_item_39_surplus_is_lost() -> None:
    assert scored({"H1": SIX_STEPS}, {}, {"H1.dye": 4})["markers"]["H1"]["dye"] == 5
    assert scored({}, {"H1": TWO_STEPS}, {"H1.dye": 5})["markers"]["H1"]["dye"] == 3
    assert scored({}, {"H2": SIX_STEPS}, {"H2.dye": -3})["markers"]["H2"]["dye"] == -5


def test_item_40_steps_of_a_tile() -> None:
    for value in ("1", "2", "3", "4a", "4b"):
        assert scored({"H1": (3, f"fur-{value}")}, {})["markers"]["H1"]["fur"] == 1
    assert scored({"H1": (3, "fur-0")}, {})["markers"]["H1"]["fur"] == 2
    assert scored({}, {"H1": (3, "fur-0", "fur-1")})["markers"]["H1"]["fur"] == -3
    score = scored({"H1": (5, "gold-a", "gold-b", "cloth-0", "cloth-4a")}, {"H3": (3, "dye-0", "spice-2", "gold-a")})
    assert not any(position for track in score["markers"].values() for position in track.values())


def test_item_40_other_steps() -> None:
    components = base_components()
    components["marker_steps"] |= {"value_zero_tile": 0, "other_tile": 3}
    score = scored({"H1": (4, "fur-0", "dye-1")}, {}, components=components)
    assert score["markers"]["H1"] == {"dye": 3, "spice": 0, "fur": 0}


def test_item_41_monopolies_are_paid_from_the_new_positions() -> None:
    score = scored({"H1": (3, "dye-1")}, {"H2": TWO_STEPS}, {"H1.dye": 3, "H2.dye": 1})
    assert (score["monopolies"], score["bonus"]) == ([10, 10], [10, 0])
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (4, -1)
    assert score["harbors"] == [20, 0]
    assert score["cash"] == [340, 310]


def test_item_42_centre() -> None:
    score = scored({}, {"H1": (3, "dye-1", "spice-0")}, {"H1.dye": 1, "H1.spice": 1})
    assert score["markers"]["H1"] == {"dye": 0, "spice": -1, "fur": 0}
    assert score["monopolies"] == [0, 10]


@pytest.mark.parametrize(("position", "bonus"), [(1, 0), (2, 0), (3, 0), (4, 10), (5, 20)])
@pytest.mark.parametrize(("harbor", "goods"), TRACKS)
def test_item_43_bonus_is_added(harbor: str, goods: str, position: int, bonus: int) -> None:
    score = scored({}, {}, {f"{harbor}.{goods}": position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([10, 0], [bonus, 0], [310 + bonus, 300])
    score = scored({}, {}, {f"{harbor}.{goods}": -position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([0, 10], [0, bonus], [300, 310 + bonus])


def test_item_43_every_scoring_pays_again() -> None:
    game = table(rounds=3)
    game.markers["H2"]["cloth"] = 5
    for _ in range(3):
        empty_bag(game)
    assert [event["cash"] for event in lines(game, "score_round")] == [[330, 300], [360, 300], [390, 300]]


def test_item_43_passing_a_bonus_space_pays_nothing() -> None:
    score = scored({"H1": (5, *SIX_STEPS[1:3])}, {}, {"H1.dye": -5})
    assert (score["markers"]["H1"]["dye"], score["bonus"]) == (-2, [0, 0])


def test_item_44_markers_are_not_reset() -> None:
    game = table(rounds=2)
    game.markers["H3"]["fur"] = -5
    empty_bag(game)
    assert (game.round, game.markers["H3"]["fur"]) == (2, -5)


def test_item_45_harbors_are_independent() -> None:
    score = scored({"H1": (3, "dye-1", "dye-2")}, {"H2": (3, "dye-0", "dye-3")})
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (2, -3)


def test_item_46_ships_come_home() -> None:
    game = sell(table(rounds=2), 3, MEDICI, (3, "H1"))
    empty_bag(game)
    assert game.round == 2
    assert game.ships == [{3: (None, []), 4: (None, []), 5: (None, [])}] * 2
    first = lines(game, "score_round")[0]
    assert first["markers"]["H1"]["dye"] == 4  # dye-0, dye-1, dye-2
    empty_bag(game)
    assert lines(game, "score_round")[1]["markers"] == first["markers"]
    assert lines(game, "score_round")[1]["harbors"] == [0, 0]


def test_item_47_payouts_are_multiples_of_ten() -> None:
    for seed in range(20):
        for event in lines(random_game(base_components(), seed), "score_round"):
            payments = event["harbors"] + event["monopolies"] + event["bonus"]
            assert all(type(payment) is int and payment >= 0 and payment % 10 == 0 for payment in payments)


# -- F. rounds, order, end of game -----------------------------------------------------------------------


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
def test_item_48_first_proposers(buyer: int) -> None:
    game = table(rounds=3)
    proposers = []
    while not game.over:
        proposers.append((game.round, game.start_player, game.proposer))
        number = game.round
        while not game.over and game.round == number:
            buy_one(game, buyer)
    assert proposers == [(1, MEDICI, MEDICI), (2, STROZZI, STROZZI), (3, STROZZI, STROZZI)]
    assert [event["start_player"] for event in lines(game, "round")] == [MEDICI, STROZZI, STROZZI]


def test_item_48_start_player_of_round_1() -> None:
    game = table(rounds=3, start=STROZZI)
    assert (game.start_player, game.proposer, game.actor) == (STROZZI, STROZZI, STROZZI)
    assert lines(empty_bag(game), "round")[1]["start_player"] == STROZZI
    for start in (-1, 2):
        with pytest.raises(ValueError, match="start player"):
            table(start=start)


def test_item_48_other_starters() -> None:
    components = base_components()
    components["rounds"] |= {"count": 4, "starter": ["Medici", "Strozzi", "Medici", "Strozzi"]}
    game = random_game(components, 48)
    assert [event["start_player"] for event in lines(game, "round")] == [0, 1, 0, 1]
    for starters in (["Medici"], ["Medici"] * 5, ["Medici", "Strozzi", "Medici", "Pazzi"]):
        components["rounds"]["starter"] = starters
        with pytest.raises(ValueError, match=r"starters|not in"):
            deal(components, 48)


def test_item_49_the_buyer_proposes_next() -> None:
    game = table()
    for _ in range(3):  # declined three times
        say(show(game, 1), (MEDICI, 40), (STROZZI, False), (MEDICI, (5, "H1")))
    assert [event["player"] for event in lines(game, "reveal")] == [MEDICI] * 4
    say(show(game, 1), (MEDICI, 0), (STROZZI, True), (STROZZI, (5, "H1")))
    assert (game.proposer, game.actor) == (STROZZI, STROZZI)


@pytest.mark.parametrize("price", [0, 25])
def test_item_50_buying_and_discarding_takes_the_turn(price: int) -> None:
    game = sell(table(), 1, STROZZI, DISCARD, price)
    assert (game.proposer, game.actor) == (STROZZI, STROZZI)
    assert lines(game, "reveal")[-1]["player"] == STROZZI
    assert (game.lot, game.price, game.buyer) == (["dye-1"], None, None)


def test_item_51_medici_is_player_0() -> None:
    assert FAMILIES == ("Medici", "Strozzi") == tuple(player["name"] for player in BASE["player"])
    assert scored({"H1": (3, "dye-1")}, {})["markers"]["H1"]["dye"] == BASE["player"][MEDICI]["side"] == 1


def test_item_52_all_tiles_return_every_round() -> None:
    for seed in range(10):
        game, dice = deal(base_components(), seed), random.Random(seed)
        seen: dict[int, list[str]] = {}
        while not game.over:
            seen.setdefault(game.round, [*game.lot, *game._bag])
            game.play(choose(game, dice))
        assert [sorted(tiles) for tiles in seen.values()] == [sorted(TILES)] * 3
        assert len({tuple(tiles) for tiles in seen.values()}) == 3


@pytest.mark.parametrize("change", ["missing", "twice", "unknown", "round"])
def test_item_52_order_must_name_every_tile_once(change: str) -> None:
    orders = [list(TILES) for _ in range(3)]
    if change == "missing":
        orders[2].pop()
    elif change == "twice":
        orders[1][0] = orders[1][1]
    elif change == "unknown":
        orders[0][0] = "salt-1"
    else:
        orders.pop()
    with pytest.raises(ValueError, match="each of the 26 tiles once a round"):
        Game(base_components(), orders)


def test_item_53_always_three_rounds() -> None:
    game = table(rounds=3)
    game.cash = [100_000, -100_000]
    for number in (1, 2, 3):
        assert (game.round, game.over) == (number, False)
        empty_bag(game)
    assert game.over
    assert (game.actor, game.legal, game.question) == (None, (), None)
    assert len(lines(game, "score_round")) == 3


def test_item_54_shared_victory() -> None:
    game = empty_bag(table())
    assert game.events[-1] == {"type": "score_end", "total": [300, 300], "winners": [MEDICI, STROZZI]}
    game = empty_bag(sell(table(), 1, MEDICI, price=1))
    assert game.events[-1] == {"type": "score_end", "total": [299, 300], "winners": [STROZZI]}


def test_item_55_third_round_is_scored_in_full() -> None:
    game = table(rounds=3)
    for _ in range(2):
        empty_bag(game)
    sell(game, 3, STROZZI, (4, "H2"))
    empty_bag(game)
    assert [event["type"] for event in game.events[-2:]] == ["score_round", "score_end"]
    last = lines(game, "score_round")[2]
    assert (last["harbors"], last["monopolies"], last["bonus"]) == ([0, 20], [0, 10], [0, 10])
    assert game.events[-1] == {"type": "score_end", "total": [300, 340], "winners": [STROZZI]}


# -- G. data -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tracks", "length", "bonus"),
    [
        ("base", 5, {4: 10, 5: 20}),
        ("short", 4, {3: 10, 4: 20}),
        ("long", 6, {5: 10, 6: 20}),
        ("medici_like", 7, {6: 10, 7: 20}),
    ],
)
def test_item_56_tracks_of_the_variants(tracks: str, length: int, bonus: dict[int, int]) -> None:
    components = base_components(tracks)
    for position in range(1, length + 1):
        score = scored({}, {}, {"H1.fur": -position, "H3.cloth": position}, components)
        assert score["bonus"] == [bonus.get(position, 0)] * 2
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, {"H1.dye": 3, "H2.dye": -3}, components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (length, -length)
    assert components["tracks"]["provenance"] == "reconstructed"


def test_item_56_variants_are_called_reconstructed() -> None:
    assert set(VARIANTS) == {"short", "long", "medici_like"}
    for variant in VARIANTS.values():
        assert variant["about"]
        assert variant["provenance"] == "reconstructed"
        assert set(variant) == {"about", "provenance", "tracks"}


def test_item_57_each_type_has_two_tracks() -> None:
    types = [entry["key"] for entry in BASE["type"]]
    assert sorted(goods for _, goods in TRACKS) == sorted(types * 2)
    assert [len(harbor["tracks"]) for harbor in BASE["harbor"]] == BASE["harbors_summary"]["track_counts"]
    assert len(TRACKS) == BASE["harbors_summary"]["tracks_total"] == BASE["rounds"]["markers_wooden"]
    assert len(TILES) == len(set(TILES)) == BASE["tiles"]["total"]
    assert TILES[:7] == ["dye-0", "dye-1", "dye-2", "dye-3", "dye-4a", "dye-4b", "spice-0"]
    assert TILES[-2:] == ["gold-a", "gold-b"]


def transcript(game: Game, seed: int) -> list[Any]:
    """Play as the dice choose in the base game with the bags of this seed."""
    dice = random.Random(seed)
    twin = deal(base_components(), seed)
    while not twin.over:
        option = choose(twin, dice)
        twin.play(option)
        game.play(option)
    assert game.over
    return game.events


@games
@given(seed=seeds, order=st.permutations([entry["key"] for entry in BASE["type"]]))
def test_item_57_types_may_change_names(seed: int, order: list[str]) -> None:
    new = dict(zip([entry["key"] for entry in BASE["type"]], order, strict=True)) | {"gold": "gold"}
    components = base_components()
    for harbor in components["harbor"]:
        harbor["tracks"] = [new[goods] for goods in harbor["tracks"]]
    twin = random_game(base_components(), seed)

    def tile(old: str) -> str:
        return f"{new[old.split('-')[0]]}-{old.split('-')[1]}"

    game = Game(components, [[tile(old) for old in bag] for bag in twin._orders])
    expected = []
    for event in transcript(deal(base_components(), seed), seed):
        changed = {**event}
        if "tile" in event:
            changed["tile"] = tile(event["tile"])
        if "tiles" in event:
            changed["tiles"] = [tile(old) for old in event["tiles"]]
        if "markers" in event:
            changed["markers"] = {
                harbor: {new[goods]: position for goods, position in track.items()}
                for harbor, track in event["markers"].items()
            }
        expected.append(changed)
    assert transcript(game, seed) == expected


def swapped(event: dict[str, Any]) -> dict[str, Any]:
    """The same line when Medici and Strozzi have changed sides."""
    changed = {**event}
    for key in ("player", "start_player"):
        if key in event:
            changed[key] = 1 - event[key]
    for key in ("harbors", "monopolies", "bonus", "cash", "total"):
        if key in event:
            changed[key] = event[key][::-1]
    if "winners" in event:
        changed["winners"] = sorted(1 - seat for seat in event["winners"])
    if "markers" in event:
        changed["markers"] = {
            harbor: {goods: -position for goods, position in track.items()}
            for harbor, track in event["markers"].items()
        }
    return changed


@games
@given(seed=seeds, switches=st.sampled_from([each for each in SWITCHES if each.get("net_marker_movement", True)]))
def test_item_57_players_may_change_sides(seed: int, switches: dict[str, Any]) -> None:
    components = base_components(**switches)
    mirror = base_components(**switches)
    mirror["rounds"]["starter"] = ["Strozzi", "Medici", "Medici"]
    twin, dice = deal(components, seed), random.Random(seed)
    game = Game(mirror, twin._orders, STROZZI)
    while not twin.over:
        assert game.actor == 1 - twin.actor  # type: ignore[operator]
        option = choose(twin, dice)
        twin.play(option)
        game.play(option)
    assert game.events == [swapped(event) for event in twin.events]


def test_item_58_a_track_of_its_own() -> None:
    components = base_components()
    components["tracks"]["per_track"] = {"H1.dye": {"half_length": 2, "bonus": {"2": 50, "1": 7}}}
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, components=components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (2, -5)
    assert score["bonus"] == [50, 20]
    score = scored({}, {"H1": (3, "dye-1")}, components=components)
    assert (score["markers"]["H1"]["dye"], score["bonus"]) == (-1, [0, 7])


@games
@given(seed=seeds, order=st.permutations(range(3)))
def test_item_59_position_of_the_harbors(seed: int, order: list[int]) -> None:
    components = base_components()
    components["harbor"] = [components["harbor"][number] for number in order]
    game = deal(components, seed)
    assert transcript(game, seed) == transcript(deal(base_components(), seed), seed)


# -- golden scoring examples ---------------------------------------------------------------------------------


def test_golden_1_rulebook_scoring() -> None:
    score = scored(
        {"H1": (3, "gold-a"), "H2": (4, "gold-b"), "H3": (5, "dye-1")},
        {"H3": (3, "spice-1")},
        {
            "H1.dye": 2, "H1.spice": 1, "H1.fur": 3, "H2.dye": 1,
            "H2.spice": -5, "H2.cloth": -1, "H3.cloth": -2, "H3.fur": 0,
        },
    )  # fmt: skip
    assert score["harbors"] == [40, 0]
    assert score["monopolies"] == [40, 30]
    assert score["bonus"] == [0, 20]
    assert score["cash"] == [300 + 80, 300 + 50]


def test_golden_2_net_movement() -> None:
    white, green, blue, other = "fur", "spice", "dye", "cloth"
    score = scored(
        {"H1": (5, f"{white}-4a", f"{green}-4a", f"{green}-3", f"{blue}-4a", f"{other}-1")},
        {"H1": (4, "gold-a", f"{blue}-3", f"{blue}-4b", f"{green}-1")},
    )
    assert score["harbors"] == [20, 0]  # 16 against 13
    assert score["markers"]["H1"] == {white: 1, green: 1, blue: -1}


def test_golden_3_rulebook_turn() -> None:
    game = say(show(table(["cloth-2", "fur-3"]), 2), (MEDICI, 7), (STROZZI, False), (MEDICI, (4, "H2")))
    assert game.events[1:7] == [
        {"type": "reveal", "player": MEDICI, "tile": "cloth-2"},
        {"type": "reveal", "player": MEDICI, "tile": "fur-3"},
        {"type": "price", "player": MEDICI, "price": 7},
        {"type": "answer", "player": STROZZI, "buy": False},
        {"type": "load", "player": MEDICI, "ship": 4, "harbor": "H2", "tiles": ["cloth-2", "fur-3"]},
        {"type": "reveal", "player": MEDICI, "tile": "dye-0"},
    ]
    assert game.cash == [293, 300]
    assert game.ships[MEDICI] == {3: (None, []), 4: ("H2", ["cloth-2", "fur-3"]), 5: (None, [])}


# -- exact bounds and invariants ---------------------------------------------------------------------------------


def check_position(game: Game, length: int) -> None:
    """What holds whenever somebody is asked."""
    assert game.question is not None
    assert len(game.legal) > 1
    assert game.actor == {"answer": 1 - game.proposer, "place": game.buyer}.get(kind(game), game.proposer)
    aboard = [tile for fleet in game.ships for _, load in fleet.values() for tile in load]
    assert sorted([*game._bag, *game.lot, *aboard, *game.discards]) == sorted(TILES)
    assert game.bag_left == len(game._bag)
    assert 1 <= len(game.lot) <= 3
    assert (game.price is None) == (kind(game) in ("reveal", "price"))
    assert (game.buyer is None) == (kind(game) != "place")
    for fleet in game.ships:
        moored = [harbor for harbor, _ in fleet.values() if harbor]
        assert len(moored) == len(set(moored))
        for ship, (harbor, load) in fleet.items():
            assert (harbor is None) == (load == [])
            assert len(load) <= ship
    assert all(abs(position) <= length for track in game.markers.values() for position in track.values())
    if kind(game) == "place":
        assert len(game.legal) <= 10
        assert len(set(game.legal)) == len(game.legal)
        for option in game.legal[:-1]:
            assert isinstance(option, tuple)
            ship, harbor = option
            location, load = game.ships[game.buyer][ship]  # type: ignore[index]
            assert location in (None, harbor)
            assert len(load) + len(game.lot) <= ship


def check_money(game: Game) -> None:
    """What was paid and paid out so far is what the players have."""
    paid, out = [0, 0], [0, 0]
    price = proposer = 0
    for event in game.events:
        if event["type"] == "price":
            price, proposer = event["price"], event["player"]
        elif event["type"] == "answer":
            assert event["player"] == 1 - proposer
            paid[event["player"] if event["buy"] else proposer] += price
        elif event["type"] == "score_round":
            for seat in (0, 1):
                out[seat] += event["harbors"][seat] + event["monopolies"][seat] + event["bonus"][seat]
            assert event["cash"] == [300 - paid[seat] + out[seat] for seat in (0, 1)]
    assert game.cash == [300 - paid[seat] + out[seat] for seat in (0, 1)]


def rounds_of(game: Game) -> Iterator[list[dict[str, Any]]]:
    """The events of each round."""
    start = 0
    for number, event in enumerate(game.events):
        if event["type"] == "score_round":
            yield game.events[start : number + 1]
            start = number + 1


@games
@given(
    seed=seeds, discarding=shares, highest=highest,
    tracks=st.sampled_from(["base", *VARIANTS]), switches=st.sampled_from(SWITCHES),
)  # fmt: skip
def test_section_5_bounds(seed: int, discarding: float, highest: int, tracks: str, switches: dict[str, Any]) -> None:
    components = base_components(tracks, **switches)
    length = components["tracks"]["half_length"]
    game, dice = deal(components, seed), random.Random(seed)
    first = {}
    while not game.over:
        check_position(game, length)
        check_money(game)
        if kind(game) == "place" and not any(loads_on(game, game.actor)):  # type: ignore[arg-type]
            first[game.round, game.actor] = len(game.legal)
        game.play(choose(game, dice, discarding, highest))
    check_money(game)
    assert set(first.values()) <= {10}  # nine berths and the sea
    assert len(lines(game, "price")) <= 78
    before = {harbor: dict.fromkeys(track, 0) for harbor, track in game.markers.items()}
    for events in rounds_of(game):
        check_round(events, before, switches)
        before = events[-1]["markers"]
    end = game.events[-1]
    assert end["total"] == game.cash
    assert end["winners"] == [seat for seat in (0, 1) if game.cash[seat] >= game.cash[1 - seat]]


def check_round(events: list[dict[str, Any]], before: dict[str, dict[str, int]], switches: dict[str, Any]) -> None:
    """The bounds of one round, from its events and the markers before it."""
    score = events[-1]
    loads = [event for event in events if event["type"] == "load"]
    lots = [event for event in events if event["type"] in ("load", "discard")]
    tiles = [tile for event in lots for tile in event["tiles"]]
    assert len([event for event in events if event["type"] == "price"]) == len(lots) <= 26
    assert len(tiles) == len(set(tiles)) == len([event for event in events if event["type"] == "reveal"])
    fleets: dict[tuple[int, int], list[str]] = {}
    berths: dict[tuple[int, int], str] = {}
    for event in loads:
        fleets.setdefault((event["player"], event["ship"]), []).extend(event["tiles"])
        assert berths.setdefault((event["player"], event["ship"]), event["harbor"]) == event["harbor"]
    full = [all(len(fleets.get((seat, ship), [])) == ship for ship in (3, 4, 5)) for seat in (0, 1)]
    if switches.get("round_ends_when") == "moored":
        full = [all((seat, ship) in fleets for ship in (3, 4, 5)) for seat in (0, 1)]
    elif not any(full):
        assert len(tiles) - sum(len(event["tiles"]) for event in loads) >= 4
    assert sum(full) <= 1
    assert len(tiles) == 26 or any(full)
    if any(full):
        assert lots[-1]["type"] == "load"
        assert lots[-1]["player"] == full.index(True)
    for aboard in fleets.values():
        assert sum(tiles_of(BASE)[tile].value for tile in aboard) <= 22
    for harbor, track in score["markers"].items():
        assert all(abs(position - before[harbor][goods]) <= 6 for goods, position in track.items())
    payout = sum(score["harbors"]) + sum(score["monopolies"]) + sum(score["bonus"])
    assert payout <= 300
    assert payout % 10 == 0


def test_section_5_bounds_are_reached() -> None:
    assert len(lines(empty_bag(table()), "price")) == 26
    score = scored({"H1": SIX_STEPS}, {})
    assert score["markers"]["H1"]["dye"] == 5  # six steps, stopped at the end
    assert scored({"H1": SIX_STEPS}, {}, {"H1.dye": -5})["markers"]["H1"]["dye"] == 1
    fives = {"H1": (3, "gold-a"), "H2": (4, "gold-b"), "H3": (5, "dye-4a")}
    score = scored(fives, {}, {f"{harbor}.{goods}": 5 for harbor, goods in TRACKS})
    assert sum(score["harbors"] + score["monopolies"] + score["bonus"]) == 300
    heavy = ["gold-a", "gold-b", "dye-4a", "dye-4b", "fur-4a"]
    assert sum(tiles_of(BASE)[tile].value for tile in heavy) == 22
    game = left_over(table())  # nobody full, eleven tiles each, and the four others in the sea
    moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))
    moor(game, STROZZI, H1=(3, *TILES[11:14]), H2=(4, *TILES[14:18]), H3=(5, *TILES[18:22]))
    assert not any(map(game._is_loaded, game.ships))


# -- the class itself -----------------------------------------------------------------------------------------


def test_options_enter_the_record_as_they_are_offered() -> None:
    game = say(show(table(), 1), (MEDICI, 0), (STROZZI, True))
    game.play((3.0, "H1"))  # type: ignore[arg-type]
    assert [type(ship) for ship in game.ships[STROZZI]] == [int] * 3
    assert type(lines(game, "load")[0]["ship"]) is int


def test_other_components() -> None:
    components = base_components()
    components["ships"]["capacities"] = [2, 6]
    components["tiles"] |= {"values_per_type": [7, 7, 0], "gold_count": 1, "gold_value": 9}
    components["type"] = components["type"][:2]
    components["harbor"] = [{"id": "A", "tracks": ["spice"]}, {"id": "B", "tracks": []}]
    components["money"]["start_cash"] = 12
    tiles = ["dye-7a", "dye-7b", "dye-0", "spice-7a", "spice-7b", "spice-0", "gold-a"]
    assert list(tiles_of(components)) == tiles
    game = Game(components, [tiles] * 3)
    assert game.cash == [12, 12]
    say(show(game, 3), (MEDICI, 2), (STROZZI, True))
    assert game.legal == [(6, "A"), (6, "B"), DISCARD]
    for seed in range(20):
        assert named_line(verify, *record(random_game(components, seed, 0.1), components)) is None


def test_ships_of_a_player_differ() -> None:
    components = base_components()
    components["ships"]["capacities"] = [3, 5, 5]
    with pytest.raises(ValueError, match="differ in capacity"):
        table(components=components)


# -- checking records -------------------------------------------------------------------------------------------


def line_after(numbered: list[Any], position: int, *kinds: str) -> int:
    """The number of the next line of one of these types."""
    return next(line for line, event in numbered[position:] if event["type"] in kinds)


RECORDED = [  # components, seed, share of discards
    (base_components(), 11, 0.1),
    (base_components("short", round_ends_when="moored", lone_worthless_ship_wins=True), 12, 0.0),
    (base_components("long", net_marker_movement=False), 13, 0.3),
    (base_components("medici_like", buy_without_room=False), 14, 0.1),
]
recorded = pytest.mark.parametrize(("components", "seed", "discarding"), RECORDED)


def with_options(components: dict[str, Any], seed: int, discarding: float) -> tuple[Game, dict[int, list[Option]]]:
    """A random game, and what could be chosen at each position of its events where a lot was placed."""
    game, dice = deal(components, seed), random.Random(seed)
    options: dict[int, list[Option]] = {}
    while not game.over:
        if kind(game) == "place":
            options[len(game.events)] = list(game.legal)
        game.play(choose(game, dice, discarding))
    return game, options


def test_check_accepts_any_price() -> None:
    game = sell(table(rounds=3), 2, MEDICI, (3, "H1"), price=2**53 - 1)
    for _ in range(3):
        empty_bag(game)
    components = base_components()
    header, numbered = record(game, components)
    assert named_line(verify, header, numbered) is None
    position = next(number for number, (_, event) in enumerate(numbered) if event["type"] == "price")
    line, event = numbered[position]
    for price in (2**53, -1, 7.0, True, None, "7", [7]):
        assert broken_line(verify, header, numbered, position, {**event, "price": price}) == line


@recorded
@pytest.mark.parametrize("step", [1, -1])
def test_check_names_every_changed_number(components: dict[str, Any], seed: int, discarding: float, step: int) -> None:
    game, options = with_options(components, seed, discarding)
    header, numbered = record(game, components)
    count = 0
    for position, (line, event) in enumerate(numbered):
        for changed in with_number(event, lambda number: number + step):
            named = broken_line(verify, header, numbered, position, changed)
            if event["type"] == "price" and changed["player"] == event["player"] and changed["price"] >= 0:
                assert named == line_after(numbered, position, "score_round")  # where the cash is told
            elif event["type"] == "load" and (changed["ship"], event["harbor"]) in options.get(position, []):
                assert named is None or named >= line
                assert changed["player"] == event["player"] or named == line
            else:
                assert named == line
            count += 1
    assert count > len(numbered)


@pytest.mark.slow
@recorded
def test_check_changed_choices(components: dict[str, Any], seed: int, discarding: float) -> None:
    game, options = with_options(components, seed, discarding)
    header, numbered = record(game, components)
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "answer":
            named = broken_line(verify, header, numbered, position, {**event, "buy": not event["buy"]})
            assert named in (line, numbered[position + 1][0])  # the other player would place the lot
        if event["type"] not in ("load", "discard"):
            continue
        known = options.get(position, [])
        for ship, harbor in itertools.product((3, 4, 5, 6), (*HARBORS, "H4", None)):
            changed = {**event, "type": "load", "ship": ship, "harbor": harbor}
            if event["type"] == "discard" or (ship, harbor) != (event["ship"], event["harbor"]):
                named = broken_line(verify, header, numbered, position, changed)
                assert (named is None or named > line) if (ship, harbor) in known else named == line
        if event["type"] == "load":
            named = broken_line(verify, header, numbered, position, {**event, "type": "discard"})
            assert named is None or named > line


@recorded
def test_check_changed_tiles(components: dict[str, Any], seed: int, discarding: float) -> None:
    header, numbered = record(random_game(components, seed, discarding), components)
    drawn: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "round":
            drawn = []
        if event["type"] == "reveal":
            placed = line_after(numbered, position, "load", "discard")
            again = {
                later["tile"]: number for number, later in numbered[position:] if number < placed and "tile" in later
            }
            for other in [*TILES[position % 3 :: 3], "salt-1", None, 7, ["dye-0"]]:
                if other == event["tile"]:
                    continue
                named = broken_line(verify, header, numbered, position, {**event, "tile": other})
                if other not in TILES or other in drawn:
                    assert named == line
                else:
                    assert named == again.get(other, placed)
            drawn.append(event["tile"])
        for index, _ in enumerate(event.get("tiles", ())):
            other_tiles = [*event["tiles"]]
            other_tiles[index] = "gold-a" if other_tiles[index] != "gold-a" else "gold-b"
            assert broken_line(verify, header, numbered, position, {**event, "tiles": other_tiles}) == line


def test_check_says_what_is_wrong() -> None:
    game = sell(table(["dye-2", "fur-1"], rounds=3), 1, MEDICI, (3, "H1"), price=5)
    header, numbered = record(game, base_components())
    changes: list[tuple[int, dict[str, Any], str]] = [
        (1, {"tile": "salt-1"}, 'expected the id of a tile, found "salt-1"'),
        (5, {"tile": "dye-2"}, 'expected a tile not drawn yet, found "dye-2" again'),
        (2, {"price": -5}, "a price of player 0: a whole number from 0 to 9007199254740991"),
        (2, {"player": 1}, "player 1 instead of 0"),
        (3, {"buy": "no"}, "an answer of player 1: buy true or false"),
        (4, {"ship": 6}, "a discard of player 0, or a load of ship 3 at H1 or 3 at H2"),
        (4, {"type": "price"}, "a discard of player 0, or a load of ship 3 at H1"),
    ]
    for position, change, message in changes:
        changed = [*numbered]
        line, event = numbered[position]
        changed[position] = (line, {**event, **change})
        with pytest.raises(RuleViolation, match=re.escape(message)) as refusal:
            check_game(header, 1, changed)
        assert refusal.value.line == line
    with pytest.raises(RuleViolation, match="stops early: expected a reveal or a price of player 0 after this"):
        check_game(header, 1, numbered)


def whole_header() -> dict[str, Any]:
    """The header of a game that was written down."""
    with (Path(__file__).parent / "golden" / "random-base.jsonl").open() as file:
        header: dict[str, Any] = json.loads(file.readline())
    return header


NUMBERS = [
    "ships.capacities.0", "tiles.values_per_type.2", "tiles.gold_value", "tracks.half_length", "tracks.bonus.4",
    "marker_steps.value_zero_tile", "marker_steps.other_tile", "scoring.harbor_majority", "scoring.monopoly",
    "money.start_cash", "rounds.count", "rounds.reveal_max",
]  # fmt: skip


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.parametrize("value", [None, "3", 2.5, [1]])
def test_a_header_needs_whole_numbers(key: str, value: Any) -> None:
    header = whole_header()
    *sections, last = (int(part) if part in ("0", "2") else part for part in key.split("."))
    place = header["components"]
    for section in sections:
        place = place[section]
    place[last] = value
    with pytest.raises(InputError, match="line 1: components"):
        check_header(header, "line 1")


def test_replay_stops_at_every_decision() -> None:
    game, dice = deal(base_components(), 23), random.Random(23)
    asked = []
    while not game.over:
        asked.append((game.actor, kind(game), len(game.events)))
        game.play(choose(game, dice))
    header, numbered = record(game, base_components())
    stops = []
    told: list[Any] = []
    for position, new in replay_game(header, 1, numbered):
        told += new
        assert len(told) == len(position.events)
        if not position.over:
            stops.append((position.actor, kind(position), len(position.events)))
    assert stops == asked
    assert told == game.events

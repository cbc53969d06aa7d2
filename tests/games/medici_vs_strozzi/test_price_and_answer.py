"""Price, answer and money: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import copy
import random
from typing import Any

import pytest

from scripted_medici import (
    DISCARD,
    MEDICI,
    STROZZI,
    TILES,
    base_components,
    choose,
    deal,
    empty_bag,
    kind,
    left_over,
    lines,
    loads_on,
    moor,
    random_game,
    say,
    scored,
    sell,
    show,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import PRICES, Game


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

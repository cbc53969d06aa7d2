"""End of a round: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

from typing import Any

import pytest

from scripted_medici import (
    DISCARD,
    HARBORS,
    MEDICI,
    STROZZI,
    TILES,
    buy_one,
    kind,
    left_over,
    lines,
    loads_on,
    moor,
    say,
    scored,
    sell,
    show,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import Game


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

"""Revealing tiles: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import itertools
import random

import pytest

from scripted_medici import (
    DISCARD,
    HARBORS,
    MEDICI,
    STROZZI,
    SWITCHES,
    TILES,
    base_components,
    buy_one,
    choose,
    deal,
    kind,
    lines,
    moor,
    say,
    show,
    table,
)


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

"""Loading and mooring: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import copy
import itertools
import random

import pytest

from scripted_medici import (
    DISCARD,
    HARBORS,
    MEDICI,
    STROZZI,
    TILES,
    base_components,
    buy_one,
    choose,
    deal,
    empty_bag,
    loads_on,
    say,
    scored,
    sell,
    show,
    table,
)


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

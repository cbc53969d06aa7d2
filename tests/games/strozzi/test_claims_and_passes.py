"""Claims, pirates and passes: the reference rules of Strozzi against the ambiguities list, item by item."""

import random

import pytest

from scripted_strozzi import (
    ALL_FLAGS,
    base_components,
    card,
    choose,
    deal,
    lines,
    pass_card,
    pass_round,
    random_game,
    say,
    seats_asked,
    ships_at,
    table,
    take,
)
from strozzi_sim.games.strozzi.reference import PORTS


def test_item_09_reveal_before_any_decision() -> None:
    for seed in range(10):
        game = random_game(base_components(), 4, seed)
        open_ship = None
        for event in game.events:
            if event["type"] == "reveal":
                open_ship = event["ship"]
            elif event["type"] in ("place", "set_aside"):
                assert event["ship"] == open_ship
                open_ship = None
            elif event["type"] == "claim":
                assert open_ship is not None


def test_item_10_claiming_is_optional() -> None:
    game = table(4, [card()])
    for seat in range(4):
        assert game.actor == seat
        assert game.legal == ("pass", "pirate", "plus_one", "ware")
        game.play("pass")
    game.flags[0] = ["ware"]
    assert game.actor == 0
    game = take(pass_card(game), 0, "ware", "venice")  # a useless ship
    assert ships_at(game, "venice") == ["C03"]


def test_item_10_last_flag() -> None:
    game = table(3)
    game.flags[1] = ["ware"]
    say(game, (0, "pass"))
    assert game.legal == ("pass", "ware")


def test_item_11_one_flag_per_claim() -> None:
    game = table(4)
    take(game, 0, "plus_one", "rome")
    assert game.flags == [["pirate", "ware"], ALL_FLAGS, ALL_FLAGS, ALL_FLAGS]
    assert game.ports["rome"] == [(0, "C01", "plus_one")]
    with pytest.raises(ValueError, match="not legal"):
        game.play("pirate plus_one")


def test_item_12_pirate_is_final() -> None:
    game = say(table(4), (0, "pass"), (1, "pirate"), (1, "rome"))
    assert seats_asked(game) == [0, 1]
    game = say(table(4), (0, "pirate"), (0, "rome"))
    assert seats_asked(game) == [0]


def test_item_13_poll_after_claim_of_the_active_player() -> None:
    game = table(5, start=2)
    game.flags[4] = ["plus_one", "ware"]
    say(game, (2, "plus_one"), (3, "pass"), (0, "pass"))
    assert game.legal == ("pass", "pirate")
    say(game, (1, "pass"), (2, "rome"))
    assert seats_asked(game) == [2, 3, 0, 1]


def test_item_14_no_forced_pass() -> None:
    game = table(4)
    game.flags[1] = ["ware"]
    game.flags[2] = []
    say(game, (0, "ware"), (3, "pass"), (0, "naples"))
    assert seats_asked(game) == [0, 3]
    for seed in range(10):
        game = deal(base_components(), 4, seed)
        dice = random.Random(seed)
        while not game.over:
            assert len(game.legal) > 1
            game.play(choose(game, dice, 0.5))


def test_item_15_claimant_is_not_asked_again() -> None:
    game = say(table(4), (0, "ware"), (1, "pass"), (2, "pass"), (3, "pass"))
    assert game.actor == 0
    assert game.legal == PORTS
    assert seats_asked(game) == [0, 1, 2, 3]


def test_item_16_first_pirate_wins() -> None:
    game = say(table(5), (0, "ware"), (1, "pass"), (2, "pirate"))
    assert game.actor == 2
    assert game.legal == PORTS
    assert game.flags[3] == game.flags[4] == ALL_FLAGS


def test_item_17_pirated_flag_goes_back_to_its_owner() -> None:
    game = say(table(4), (0, "pass"), (1, "plus_one"))
    assert game.flags[1] == ["pirate", "ware"]  # the flag lies on the ship
    assert (game.holder, game.holder_flag) == (1, "plus_one")
    say(game, (2, "pirate"))
    assert game.flags == [ALL_FLAGS, ALL_FLAGS, ["plus_one", "ware"], ALL_FLAGS]
    assert (game.holder, game.holder_flag) == (2, "pirate")
    say(game, (2, "rome"))
    assert seats_asked(game) == [0, 1, 2]  # seat 1 had no second chance
    say(game, (3, "pass"), (0, "pass"))
    assert game.legal == ("pass", "pirate", "plus_one", "ware")


def test_item_18_no_compensation() -> None:
    game = say(table(5), (0, "ware"), (1, "pass"), (2, "pirate"), (2, "rome"))
    assert game.active == game.actor == 3
    assert game.coins == [0] * 5


def test_item_19_one_single_lap() -> None:
    game = say(table(5), (0, "pass"), (1, "pass"), (2, "plus_one"), (3, "pass"), (4, "pass"), (2, "rome"))
    assert seats_asked(game) == [0, 1, 2, 3, 4]


def test_item_19_switch_second_lap() -> None:
    game = table(5, second_lap=True)
    say(game, (0, "pass"), (1, "pass"), (2, "plus_one"), (3, "pass"), (4, "pass"))
    assert game.legal == ("pass", "pirate")
    say(game, (0, "pass"), (1, "pirate"), (1, "rome"))
    assert game.flags[2] == ALL_FLAGS
    assert game.active == 2

    game = table(5, second_lap=True)
    game.flags[0] = ["ware"]
    say(game, (0, "pass"), (1, "pass"), (2, "pass"), (3, "pass"), (4, "ware"))
    say(game, (1, "pass"), (2, "pass"), (3, "pass"), (4, "rome"))

    say(table(3, second_lap=True), (0, "ware"), (1, "pass"), (2, "pass"), (0, "rome"))
    say(table(3, second_lap=True), (0, "pass"), (1, "pirate"), (1, "rome"))


def test_item_20_same_options_as_the_active_player() -> None:
    game = say(table(4), (0, "pass"), (1, "pass"))
    assert game.legal == ("pass", "pirate", "plus_one", "ware")
    say(game, (2, "ware"))
    assert (game.actor, game.legal) == (3, ("pass", "pirate"))
    say(game, (3, "pass"), (2, "rome"))


@pytest.mark.parametrize("flag", ["ware", "plus_one"])
def test_item_21_claim_of_the_last_player(flag: str) -> None:
    game = say(table(4, start=1), (1, "pass"), (2, "pass"), (3, "pass"), (0, flag), (0, "rome"))
    assert seats_asked(game) == [1, 2, 3, 0]
    assert game.ports["rome"] == [(0, "C01", flag)]


def test_item_22_pirate_as_first_claim() -> None:
    game = say(table(4), (0, "pass"), (1, "pass"), (2, "pirate"), (2, "venice"))
    assert game.ports["venice"] == [(2, "C01", "pirate")]


def test_item_23_all_pass() -> None:
    game = table(4, start=1)
    left = game.deck_left
    say(game, (1, "pass"), (2, "pass"), (3, "pass"), (0, "pass"))
    assert (game.active, game.actor, game.deck_left) == (1, 1, left - 1)
    assert game.events[-2:] == [
        {"type": "set_aside", "ship": "C01"},
        {"type": "reveal", "player": 1, "ship": "C02"},
    ]
    assert game.aside == ["C01"]


def test_item_24_set_aside_for_the_round() -> None:
    game = pass_card(pass_card(table(3, rounds=2)))
    assert game.aside == ["C01", "C02"]
    pass_round(game)
    seen = [event["ship"] for event in lines(game, "reveal")]
    assert len(set(seen[:12])) == 12
    assert seen[12] == "C01"
    assert game.aside == []


def test_item_25_pass_does_not_bind() -> None:
    game = pass_card(table(4))
    since = len(game.events)
    for seat in range(4):
        assert game.legal == ("pass", "pirate", "plus_one", "ware")
        say(game, (seat, "pass"))
    assert seats_asked(game, since) == [0, 1, 2, 3]

"""Taking and placing a card, moves of the markers: the reference rules of Strozzi against the ambiguities list, item by item."""

import copy
import itertools
import random

import pytest

from scripted_strozzi import (
    base_components,
    card,
    choose,
    deal,
    first_round,
    levels,
    lines,
    pass_round,
    put_markers,
    say,
    ships_at,
    table,
    take,
    up,
)
from strozzi_sim.games.strozzi.reference import CITIES, PORTS, Game


def test_item_27_port_after_the_poll() -> None:
    game = say(table(3), (0, "ware"), (1, "pass"))
    assert game.legal == ("pass", "pirate")
    say(game, (2, "pass"))
    assert (game.actor, game.legal) == (0, PORTS)
    say(game, (0, "naples"))
    kinds = [event["type"] for event in game.events]
    assert kinds == ["tiles", "round", "reveal", "claim", "claim", "claim", "place", "reveal"]


def test_item_28_own_unused_ports() -> None:
    game = take(table(3), 0, "ware", "rome")
    take(game, 1, "ware", "venice")
    take(game, 2, "ware", "naples")
    say(game, (0, "pirate"))
    assert game.legal == ("venice", "naples")
    say(game, (0, "naples"), (1, "pass"), (2, "pass"), (0, "plus_one"), (1, "pass"), (2, "pass"))
    assert [owner for owner, _, _ in game.ports["venice"]] == [0, 1]  # the last port was not asked for
    assert game.flags[0] == []
    assert lines(game, "place")[-1]["port"] == "venice"


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_item_29_unused_flags_are_unused_ports(players: int) -> None:
    for seed in range(10):
        game, dice = deal(base_components(), players, seed), random.Random(seed)
        while not game.over:
            if game.events[-1]["type"] == "reveal":
                for seat in range(players):
                    used = sum(owner == seat for quay in game.ports.values() for owner, _, _ in quay)
                    assert len(game.flags[seat]) == 3 - used
            game.play(choose(game, dice, 0.3))


def test_item_30_port_without_matching_goods() -> None:
    game = take(table(3, [card(rome=2, naples=1)]), 0, "pirate", "venice")
    assert ships_at(game, "venice") == ["C01"]
    assert levels(game, 0) == up()


def test_item_31_below_all_equals() -> None:
    game = table(4, [card(5), card(5), card(5), card(6), card(4)])
    for seat in (0, 1, 2):
        take(game, seat, "pirate", "rome")
    assert ships_at(game, "rome") == ["C01", "C02", "C03"]
    take(game, 3, "pirate", "rome")
    assert ships_at(game, "rome") == ["C04", "C01", "C02", "C03"]

    game = table(4, [card(2), card(7), card(4)])
    for seat in (0, 1, 2):
        take(game, seat, "pirate", "rome")
    assert ships_at(game, "rome") == ["C02", "C03", "C01"]


def test_item_32_plus_one_in_both_directions() -> None:
    game = table(5, [card(5), card(4), card(5), card(4), card(8)])
    take(game, 0, "ware", "rome")
    take(game, 1, "plus_one", "rome")
    assert ships_at(game, "rome") == ["C01", "C02"]
    take(game, 2, "ware", "rome")
    assert ships_at(game, "rome") == ["C01", "C02", "C03"]
    take(game, 3, "ware", "rome")
    take(game, 4, "plus_one", "rome")
    assert ships_at(game, "rome") == ["C05", "C01", "C02", "C03", "C04"]
    assert [event["speed"] for event in lines(game, "place")] == [5, 5, 5, 4, 9]


def test_item_32_other_bonus_of_the_flag() -> None:
    components = base_components()
    components["flags"]["plus_one_speed"] = 3
    game = take(table(3, [card(4)], components=components), 0, "plus_one", "rome")
    assert lines(game, "place")[0]["speed"] == 7


def test_item_33_ships_stay_in_order() -> None:
    dice = random.Random(33)
    for seed in range(20):
        game = deal(base_components(), 6, seed)
        before = {port: list(quay) for port, quay in game.ports.items()}
        number = game.round
        while not game.over:
            game.play(choose(game, dice, 0.2))
            if game.round == number and not game.over:
                for port, quay in game.ports.items():
                    assert [ship for ship in quay if ship in before[port]] == before[port]
            number = game.round
            before = {port: list(quay) for port, quay in game.ports.items()}


@pytest.mark.parametrize(("flag", "speed"), [("ware", 4), ("pirate", 4), ("plus_one", 5)])
def test_item_34_only_plus_one_changes_speed(flag: str, speed: int) -> None:
    game = take(table(3, [card(4)]), 0, flag, "rome")
    assert lines(game, "place")[0] == {
        "type": "place", "player": 0, "ship": "C01", "flag": flag, "port": "rome", "speed": speed
    }  # fmt: skip


@pytest.mark.parametrize(("port", "steps"), [("venice", 1), ("rome", 2), ("naples", 3)])
def test_item_35_goods_of_the_port_only(port: str, steps: int) -> None:
    game = take(table(3, [card(venice=1, rome=2, naples=3)]), 0, "pirate", port)
    assert levels(game, 0) == up(**{port: steps})
    assert levels(game, 1) == levels(game, 2) == up()


def test_item_36_ware_flag_without_matching_ware() -> None:
    game = take(table(3, [card()]), 0, "ware", "naples")
    assert levels(game, 0) == up(naples=1)
    game = take(table(3, [card(naples=2)]), 0, "ware", "naples")
    assert levels(game, 0) == up(naples=3)
    game = take(table(3, [card()]), 0, "plus_one", "naples")
    assert levels(game, 0) == up()


def test_item_36_switch_ware_flag_needs_match() -> None:
    game = take(table(3, [card(venice=2)], ware_flag_needs_match=True), 0, "ware", "naples")
    assert levels(game, 0) == up()
    game = take(table(3, [card(naples=2)], ware_flag_needs_match=True), 0, "ware", "naples")
    assert levels(game, 0) == up(naples=3)


def test_item_36_other_steps_of_the_flag() -> None:
    components = base_components()
    components["flags"]["ware_steps"] = 3
    game = take(table(3, [card(rome=1)], components=components), 0, "ware", "rome")
    assert levels(game, 0) == up(rome=4)


def test_item_37_ware_flag_at_the_ships_port_only() -> None:
    game = table(3, [card(venice=1, rome=1, scrolls=2, promotion=1)], tiles=["T13", "T02", "T03", "T04"])
    take(game, 0, "ware", "rome", tile="T13")
    assert levels(game, 0) == up(venice=1, rome=2, florence=2)


def random_position(dice: random.Random, players: int) -> Game:
    """A game whose tracks are in some disorder."""
    game = table(players)
    for city in CITIES:
        for _ in range(20):
            game._move(city, dice.randrange(players), dice.randrange(3))
    return game


def test_item_38_one_move_or_two() -> None:
    dice = random.Random(38)
    for _ in range(300):
        players = dice.randint(3, 6)
        game = random_position(dice, players)
        start = copy.deepcopy(game.tracks["rome"])
        seat, first, second = dice.randrange(players), dice.randrange(4), dice.randrange(4)
        game._move("rome", seat, first)
        game._move("rome", seat, second)
        split = copy.deepcopy(game.tracks["rome"])
        game.tracks["rome"] = start
        game._move("rome", seat, first + second)
        assert game.tracks["rome"] == split


def test_item_39_right_of_all_present() -> None:
    game = put_markers(table(4, [card(rome=2)]), "rome", on2=[3, 1])
    take(game, 0, "pirate", "rome")
    assert game.tracks["rome"][2] == [3, 1, 0]
    game = take(table(4, [card(rome=2)]), 0, "pirate", "rome")
    assert game.tracks["rome"][2] == [0]


def test_item_40_gaps_close() -> None:
    game = put_markers(table(4, [card(rome=1)]), "rome", on2=[0, 1, 2])
    take(game, 0, "pirate", "rome")
    assert game.tracks["rome"][2:4] == [[1, 2], [0]]


def test_item_41_zero_steps() -> None:
    game = put_markers(table(4, [card()]), "rome", on2=[0, 1])
    put_markers(game, "florence", on3=[0, 2])
    take(game, 0, "pirate", "rome")
    assert game.tracks["rome"][2] == [0, 1]
    assert game.tracks["florence"][3] == [0, 2]
    assert game.tracks["venice"][0] == [0, 1, 2, 3]


def test_item_42_top_space() -> None:
    game = put_markers(table(4, [card(rome=3)]), "rome", on8=[0], on9=[2, 3])
    take(game, 0, "pirate", "rome")
    assert game.tracks["rome"][8:] == [[], [2, 3, 0]]
    assert levels(game, 0) == up(rome=9)
    game = put_markers(table(4, [card(rome=2, scrolls=1)]), "rome", on9=[0, 1])
    put_markers(game, "florence", on9=[0, 3])
    take(game, 0, "pirate", "rome")
    assert game.tracks["rome"][9] == [0, 1]
    assert game.tracks["florence"][9] == [0, 3]


@pytest.mark.parametrize("scrolls", [1, 2])
@pytest.mark.parametrize("port", PORTS)
def test_item_43_scrolls(port: str, scrolls: int) -> None:
    game = put_markers(table(4, [card(scrolls=scrolls)]), "florence", **{f"on{scrolls}": [3, 2]})
    take(game, 0, "pirate", port)
    assert levels(game, 0) == up(florence=scrolls)
    assert game.tracks["florence"][scrolls] == [3, 2, 0]


def test_item_44_moves_are_compulsory() -> None:
    game = say(table(3, [card(rome=2, scrolls=1)]), (0, "pirate"), (0, "rome"))
    assert levels(game, 0) == up(rome=2, florence=1)
    assert game.question is not None
    assert (game.question.kind, game.actor) == ("claim", 1)


def test_item_45_order_of_the_moves_does_not_matter() -> None:
    dice = random.Random(45)
    for _ in range(40):
        game = random_position(dice, 4)
        before = copy.deepcopy(game.tracks)
        scripted = table(4, [card(rome=2, scrolls=1, promotion=1)], tiles=["T04", "T10", "T11", "T12"])
        scripted.tracks = copy.deepcopy(before)
        take(scripted, 0, "ware", "rome", tile="T04")
        moves = [("rome", 0, 3), ("florence", 0, 1), ("rome", 0, 1)]
        for order in itertools.permutations(moves):
            game.tracks = copy.deepcopy(before)
            for move in order:
                game._move(*move)
            assert game.tracks == scripted.tracks


def test_item_45_tile_after_port_and_florence() -> None:
    game = say(table(3, [card(rome=2, scrolls=1, promotion=1)]), (0, "pirate"), (0, "rome"))
    assert game.question is not None
    assert game.question.kind == "take_tile"
    assert levels(game, 0) == up(rome=2, florence=1)
    assert game.stack_left == 33
    assert (game.ship, game.holder) == ("C01", 0)


def test_item_46_further_left_is_higher() -> None:
    game = put_markers(table(3, rounds=2), "florence", on4=[2, 0])
    pass_round(game)
    assert first_round(game)["markers"] == [10, 0, 15]
    assert game.start_player == 2

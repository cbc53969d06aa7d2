"""Turns: the reference rules of Strozzi against the ambiguities list, item by item."""

import pytest

from scripted import lines, say
from scripted_strozzi import (
    ALL_FLAGS,
    base_components,
    card,
    first_round,
    levels,
    pass_card,
    pass_round,
    put_markers,
    seats_asked,
    ships_at,
    table,
    take,
    up,
)
from strozzi_sim.games.strozzi.reference import PORTS

# -- claims, pirates and passes ---------------------------------------------------------------------------------------


def test_item_10_claiming_is_optional_and_a_pass_does_not_bind() -> None:
    game = table(4, [card()])
    for seat in (*range(4), *range(4)):
        assert game.actor == seat
        assert game.legal == ("pass", "pirate", "plus_one", "ware")
        game.play("pass")
    game.flags[0] = ["ware"]
    game = take(pass_card(game), 0, "ware", "venice")  # a useless ship
    assert ships_at(game, "venice") == ["C04"]
    game.flags[2] = ["ware"]
    say(game, (1, "pass"))
    assert game.legal == ("pass", "ware")


def test_item_16_first_pirate_wins_without_compensation() -> None:
    game = say(table(5), (0, "ware"), (1, "pass"), (2, "pirate"))
    assert (game.actor, game.legal) == (2, PORTS)
    assert game.flags[3] == game.flags[4] == ALL_FLAGS
    say(game, (2, "rome"))
    assert game.active == game.actor == 3
    assert game.coins == [0] * 5


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


def test_item_23_all_pass() -> None:
    game = table(4, start=1)
    left = game.deck_left
    say(game, (1, "pass"), (2, "pass"), (3, "pass"), (0, "pass"))
    assert (game.active, game.actor, game.deck_left) == (1, 1, left - 1)
    assert game.events[-2:] == [{"type": "set_aside", "ship": "C01"}, {"type": "reveal", "player": 1, "ship": "C02"}]
    assert game.aside == ["C01"]


# -- taking and placing a card, moves of the markers ------------------------------------------------------------------


def test_item_27_port_after_the_poll() -> None:
    game = say(table(3), (0, "ware"), (1, "pass"))
    assert game.legal == ("pass", "pirate")
    say(game, (2, "pass"))
    assert (game.actor, game.legal) == (0, PORTS)  # the claimant is not asked again
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


def test_items_32_and_36_other_values_of_the_flags() -> None:
    components = base_components()
    components["flags"] |= {"plus_one_speed": 3, "ware_steps": 3}
    game = take(table(3, [card(4)], components=components), 0, "plus_one", "rome")
    assert lines(game, "place")[0]["speed"] == 7
    game = take(table(3, [card(rome=1)], components=components), 0, "ware", "rome")
    assert levels(game, 0) == up(rome=4)


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


def test_item_45_tile_after_port_and_florence() -> None:
    game = say(table(3, [card(rome=2, scrolls=1, promotion=1)]), (0, "pirate"), (0, "rome"))
    assert game.question is not None
    assert game.question.kind == "take_tile"
    assert levels(game, 0) == up(rome=2, florence=1)
    assert game.stack_left == 33
    assert (game.ship, game.holder) == ("C01", 0)


# -- promotion tiles --------------------------------------------------------------------------------------------------


def test_item_47_switch_tile_optional() -> None:
    game = say(table(3, [card(promotion=1)], tile_optional=True), (0, "pirate"), (0, "rome"))
    assert game.legal == ("T01", "T02", "T03", None)
    say(game, (0, None))
    assert game.events[-2] == {"type": "take_tile", "player": 0, "tile": None, "replacement": None}
    assert (game.tiles, game.display, game.stack_left) == ([[], [], []], ["T01", "T02", "T03"], 33)
    assert levels(game, 0) == up()
    assert game.actor == 1

    game = say(table(3, [card(promotion=1)], tiles=["T01"], tile_optional=True), (0, "pirate"), (0, "rome"))
    assert game.legal == ("T01", None)
    game = say(table(3, [card(promotion=1)], tiles=[], tile_optional=True), (0, "pirate"), (0, "rome"))
    assert (game.actor, lines(game, "take_tile")) == (1, [])


def test_items_47_and_49_a_compulsory_choice_from_the_display() -> None:
    game = say(table(3, [card(promotion=1)]), (0, "pirate"), (0, "rome"))
    assert game.legal == tuple(game.display) == ("T01", "T02", "T03")
    for unreachable in ("T04", None, "pass"):
        with pytest.raises(ValueError, match="not legal"):
            game.play(unreachable)
    say(game, (0, "T02"))
    assert game.tiles == [["T02"], [], []]


@pytest.mark.parametrize(("tile", "port"), [("T01", "venice"), ("T16", "rome"), ("T31", "naples")])
def test_item_50_ware_on_a_tile(tile: str, port: str) -> None:
    game = table(3, [card(promotion=1)], tiles=["T10", tile, "T11", "T12"])
    put_markers(game, port, on1=[2, 1])
    take(game, 0, "pirate", "rome", tile=tile)
    assert levels(game, 0) == up(**{port: 1})
    assert game.tracks[port][1] == [2, 1, 0]
    take(game, 1, "pirate", "rome")
    assert levels(game, 0) == up(**{port: 1})  # once only


def test_item_54_refill_at_once_into_the_slot() -> None:
    game = table(3, [card(promotion=1), card(promotion=1)])
    take(game, 0, "pirate", "rome", tile="T02")
    assert game.events[-2] == {"type": "take_tile", "player": 0, "tile": "T02", "replacement": "T04"}
    assert (game.display, game.stack_left) == (["T01", "T04", "T03"], 32)
    say(game, (1, "pirate"), (1, "rome"))
    assert game.legal == ("T01", "T04", "T03")


def test_item_55_stack_exhausted() -> None:
    game = table(4, [card(promotion=1)] * 4, tiles=["T01", "T02", "T03"])
    take(game, 0, "pirate", "rome", tile="T01")
    assert lines(game, "take_tile")[0]["replacement"] is None
    assert (game.display, game.stack_left) == (["T02", "T03"], 0)
    say(game, (1, "pirate"), (1, "rome"))
    assert game.legal == ("T02", "T03")
    say(game, (1, "T03"))
    say(game, (2, "pirate"), (2, "rome"))  # the last tile is taken without a question
    assert lines(game, "take_tile")[-1] == {"type": "take_tile", "player": 2, "tile": "T02", "replacement": None}
    assert game.tiles == [["T01"], ["T03"], ["T02"], []]
    say(game, (3, "pirate"), (3, "rome"))
    assert (len(lines(game, "take_tile")), game.actor, game.display) == (3, 0, [])


def test_items_56_and_57_tiles_stay_and_score_at_the_end() -> None:
    game = take(table(3, [card(promotion=1)], rounds=2), 0, "pirate", "rome", tile="T02")
    before = (list(game.display), list(game.stack))
    pass_round(game)
    assert (game.round, (game.display, game.stack), game.tiles) == (2, before, [["T02"], [], []])
    assert first_round(game)["total"] == [15 + 15, 0, 0]  # fastest ship at Rome, first marker in Venice
    pass_round(game)
    assert lines(game, "score_end")[0]["promotion"] == [30, 0, 0]

"""Preparation, scoring and the rulebook's example: the reference rules of Strozzi against the ambiguities list, item by item."""

import copy
import random
from typing import Any

import pytest

from scripted import lines, say
from scripted_strozzi import (
    ALL_FLAGS,
    base_components,
    card,
    choose,
    deal,
    first_round,
    levels,
    pass_card,
    pass_round,
    put_markers,
    seats_asked,
    table,
    take,
    up,
)
from strozzi_sim.games.strozzi.reference import CITIES, Game

# -- preparation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "seats"), [("turn", [2, 3, 0, 1]), ("reverse", [1, 0, 3, 2])])
def test_item_01_start_spaces(order: str, seats: list[int]) -> None:
    game = table(4, [card(scrolls=1)], start=2, start_order=order)
    for city in CITIES:
        assert game.tracks[city][0] == seats
    take(game, 3, "pirate", "rome")
    assert game.tracks["florence"][:2] == [[seat for seat in seats if seat != 3], [3]]


@pytest.mark.parametrize("city", CITIES)
def test_item_03_bonus_spaces(city: str) -> None:
    game = table(5)
    assert len(game.tracks[city]) == 10
    pass_round(put_markers(game, city, on6=[0], on7=[1], on8=[2], on9=[3]))
    assert first_round(game)["bonus"] == [0, 5, 10, 15, 0]


@pytest.mark.parametrize("face_up", range(7))
def test_item_06_display_and_stack(face_up: int) -> None:
    components = base_components()
    components["setup"]["promotion_tiles_face_up"] = face_up
    game = table(4, [card(promotion=1)], components=components)
    assert game.events[0] == {"type": "tiles", "display": [f"T{k:02}" for k in range(1, face_up + 1)]}
    assert (game.display, game.stack_left) == (game.events[0]["display"], 36 - face_up)
    take(game, 0, "pirate", "rome")
    assert len(game.tiles[0]) == min(1, face_up)
    assert len(lines(game, "take_tile")) == min(1, face_up)


# -- turn order, scoring and the time between rounds ------------------------------------------------------------------


def test_item_60_last_card_passed() -> None:
    game = table(3)
    for _ in range(12):
        assert not game.over
        pass_card(game)
    assert game.over
    assert [event["type"] for event in game.events[-3:]] == ["set_aside", "score_round", "score_end"]
    assert game.flags == [ALL_FLAGS] * 3
    assert game.coins == [0, 0, 0]
    assert (game.actor, game.legal) == (None, ())


def test_item_60_last_card_taken() -> None:
    game = table(3, [card()] * 11 + [card(venice=2, scrolls=1, promotion=1)])
    for _ in range(11):
        pass_card(game)
    take(game, 1, "pirate", "venice", tile="T03")
    assert game.over
    assert levels(game, 1) == up(venice=3, florence=1)
    assert game.tiles[1] == ["T03"]
    assert first_round(game)["total"] == [0, 45, 0]


def tiles_scored(tiles: list[list[str]], florence: dict[str, list[int]], **switches: Any) -> list[int]:
    """The promotion prizes for these tiles and this order at Florence."""
    game = put_markers(table(len(tiles), **switches), "florence", **florence)
    game.tiles = tiles
    promotion = lines(pass_round(game), "score_end")[0]["promotion"]
    assert isinstance(promotion, list)
    return promotion


def test_item_61_zero_total_does_not_score() -> None:
    assert tiles_scored([["T10", "T01"], [], []], {"on3": [2]}) == [30, 0, 0]
    assert tiles_scored([[], [], []], {}) == [0, 0, 0]
    all_score = tiles_scored([["T10", "T01"], [], []], {"on3": [2]}, zero_total_scores=True)
    assert all_score == [30 + 20 + 20, 10 + 10 + 10, 20 + 30 + 30]


def test_item_62_equal_totals() -> None:
    tiles = [["T10"], ["T11"], ["T12"], ["T01"]]
    assert tiles_scored(tiles, {"on5": [3], "on4": [1, 0], "on2": [2]}) == [20, 30, 10, 0]
    assert tiles_scored(tiles, {}) == [30, 20, 10, 0]  # all at the start: as they sit


def test_item_62_categories_are_separate() -> None:
    tiles = [["T10"], ["T01", "T22"], ["T13", "T34", "T25"]]
    assert tiles_scored(tiles, {}) == [30, 20 + 30, 20 + 30]
    sums = [["T01", "T02", "T03"], ["T10"], []]  # three ones beat one two
    assert tiles_scored(sums, {"on1": [1]}) == [30, 20, 0]


def test_item_63_start_player_of_later_rounds() -> None:
    game = pass_round(table(4, start=2, rounds=2))
    assert (game.start_player, game.active, game.actor) == (2, 2, 2)
    assert lines(game, "round")[1] == {"type": "round", "round": 2, "start_player": 2}
    game = pass_round(put_markers(table(4, start=2, rounds=2), "florence", on4=[3, 1], on3=[0]))
    assert game.active == game.start_player == 3
    game = pass_round(table(4, start=2, rounds=2, start_order="reverse"))
    assert game.start_player == 1


def test_item_64_ship_prizes() -> None:
    game = take(table(4), 1, "pirate", "rome")
    assert first_round(pass_round(game))["ships"] == [0, 15, 0, 0]
    game = table(4, [card(1), card(2), card(3), card(4)])
    for seat in (0, 1, 2, 3):
        take(game, seat, "pirate", "rome")
    assert first_round(pass_round(game))["ships"] == [0, 5, 10, 15]


@pytest.mark.parametrize("prizes", [[], [7], [9, 8, 7, 6, 5, 4]])
def test_item_65_other_numbers_of_prizes(prizes: list[int]) -> None:
    components = base_components()
    for ranks in ("ship_ranks", "marker_ranks", "category_ranks"):
        components["scoring"][ranks] = prizes
    game = table(4, [card(4), card(3), card(2), card(1)], components=components)
    for seat in range(4):
        take(game, seat, "pirate", "rome")
    put_markers(game, "naples", on4=[0], on3=[1], on2=[2], on1=[3])
    game.tiles = [["T01", "T02", "T10"], ["T03", "T11"], ["T12"], ["T04"]]
    pass_round(game)
    paid = (prizes + [0] * 4)[:4]
    assert first_round(game)["ships"] == first_round(game)["markers"] == paid
    assert lines(game, "score_end")[0]["promotion"] == paid


def test_item_66_bonus_for_every_marker_every_round() -> None:
    game = put_markers(table(4, rounds=2), "venice", on9=[0], on8=[1, 2, 3])
    pass_round(pass_round(game))
    for scored in lines(game, "score_round"):
        assert scored["markers"] == [15, 10, 5, 0]
        assert scored["bonus"] == [15, 10, 10, 10]
    assert game.coins == [60, 40, 30, 20]


@pytest.mark.parametrize("paid", [True, False])
def test_item_67_bonus_at_florence(paid: bool) -> None:
    game = put_markers(table(3, florence_bonus=paid), "florence", on8=[1])
    pass_round(put_markers(game, "rome", on7=[1]))
    assert first_round(game)["bonus"] == [0, 10 * paid + 5, 0]
    assert first_round(game)["markers"] == [0, 30, 0]


def test_item_66_start_spaces_earn_nothing() -> None:
    components = base_components()
    components["tracks"]["bonus"] = {0: 5, 1: 10}
    game = pass_round(put_markers(table(3, components=components), "rome", on1=[2]))
    assert first_round(game)["bonus"] == [0, 0, 10]


def test_item_69_three_marker_scorings_then_tiles() -> None:
    game = table(3, rounds=3)
    put_markers(game, "florence", on1=[1])
    for _ in range(2):
        pass_round(game)
    game.tiles = [["T10"], ["T11"], []]
    put_markers(game, "florence", on2=[0])  # overtakes before the tiles are scored
    pass_round(game)
    assert [event["markers"] for event in lines(game, "score_round")] == [[0, 15, 0], [0, 15, 0], [15, 0, 0]]
    assert game.events[-1]["promotion"] == [30, 20, 0]
    assert game.events[-1]["total"] == [45, 50, 0]


def test_item_70_game_tie() -> None:
    game = put_markers(table(3), "florence", on2=[2], on1=[0])
    game.coins = [5, 15, 0]
    pass_round(game)
    assert game.events[-1]["total"] == [15, 15, 15]
    assert game.events[-1]["ranking"] == [2, 0, 1]
    game = put_markers(table(3), "florence", on2=[2], on1=[0])
    game.coins = [5, 16, 0]
    assert pass_round(game).events[-1]["ranking"] == [1, 2, 0]


@pytest.mark.parametrize("seed", range(5))
def test_item_72_what_changes_between_rounds(seed: int) -> None:
    game, dice = deal(base_components(), 4, seed), random.Random(seed)
    while game.deck_left > 2:
        game.play(choose(game, dice, 0.5))
        assert game.round == 1, "the script should not use all flags"
    while game.events[-1]["type"] != "reveal":
        game.play(game.legal[0])
    kept = copy.deepcopy((game.tracks, game.tiles, game.display, game.stack))
    pass_round(game)
    assert game.round == 2
    assert (game.tracks, game.tiles, game.display, game.stack) == kept
    assert game.coins == first_round(game)["total"]
    assert game.flags == [ALL_FLAGS] * 4
    assert game.ports == {"venice": [], "rome": [], "naples": []}
    assert (game.aside, game.deck_left, game.holder) == ([], 14, None)
    assert game.active == game.start_player
    assert [event["type"] for event in game.events[-3:]] == ["score_round", "round", "reveal"]


def test_item_73_ships_can_recur() -> None:
    components = base_components()
    ships = [ship["id"] for ship in components["ships"]]
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    game = Game(components, 3, [ships, ships[::-1], ships], tiles)
    for _ in range(3):
        pass_round(game)
    seen = [event["ship"] for event in lines(game, "reveal")]
    assert seen == ships[:12] + ships[:-13:-1] + ships[:12]


def test_item_75_one_player_left_with_flags() -> None:
    game = table(3)
    game.flags[1] = game.flags[2] = []
    say(game, (0, "pass"), (0, "ware"), (0, "rome"), (0, "plus_one"), (0, "naples"))
    say(game, (0, "pass"), (0, "pirate"))
    assert game.over
    assert set(seats_asked(game)) == {0}
    assert game.aside == ["C01", "C04"]


@pytest.mark.parametrize("players", [0, 1, 2, 7])
def test_item_79_player_count(players: int) -> None:
    with pytest.raises(ValueError, match="3-6 players"):
        table(players)


# -- the rulebook's example ------------------------------------------------------------------------------------------


def test_section_12_rulebook_example() -> None:
    anna, scott, todd, heather, james = range(5)
    tiles = ["T13", "T01", "T34", "T25"]
    game = table(5, [card(3, rome=2, naples=2, promotion=1)], tiles=tiles)
    game.flags[anna] = ["pirate"]
    game.ports["naples"] = [(anna, "C20", "plus_one")]
    game.ports["rome"] = [(anna, "C21", "ware")]
    say(game, (anna, "pass"), (scott, "ware"), (todd, "pass"), (heather, "pirate"))
    assert game.flags[scott] == ALL_FLAGS
    assert game.actor == heather
    say(game, (heather, "naples"))
    assert levels(game, heather) == up(naples=2)
    say(game, (heather, "T01"))
    assert levels(game, heather) == up(naples=2, venice=1)
    assert game.display == ["T13", "T25", "T34"]
    assert seats_asked(game) == [anna, scott, todd, heather]
    assert game.ports["naples"] == [(heather, "C01", "pirate"), (anna, "C20", "plus_one")]
    assert game.active == game.actor == james


def test_running_out_of_given_ships() -> None:
    components = base_components()
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    game = Game(components, 3, [["S01", "S02"]], tiles)
    pass_card(game)
    say(game, (0, "pass"), (1, "pass"))
    with pytest.raises(IndexError, match="round 1 end after 2 cards"):
        game.play("pass")

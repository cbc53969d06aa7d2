"""Promotion tiles: the reference rules of Strozzi against the ambiguities list, item by item."""

import pytest

from scripted_strozzi import (
    BASE,
    card,
    first_round,
    levels,
    lines,
    pass_round,
    put_markers,
    say,
    table,
    take,
    up,
)


def test_item_47_tile_is_compulsory() -> None:
    game = say(table(3, [card(promotion=1)]), (0, "pirate"), (0, "rome"))
    assert game.legal == ("T01", "T02", "T03")
    say(game, (0, "T02"))
    assert game.tiles == [["T02"], [], []]


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


def test_item_48_one_tile_per_ship() -> None:
    assert {ship["promotion"] for ship in BASE["ships"]} == {0, 1}
    game = take(table(3, [card(promotion=1), card(promotion=0)]), 0, "pirate", "rome")
    assert (len(game.tiles[0]), game.actor) == (1, 1)
    take(game, 1, "pirate", "rome")
    assert len(lines(game, "take_tile")) == 1


def test_item_49_choice_from_the_display() -> None:
    game = say(table(3, [card(promotion=1)]), (0, "pirate"), (0, "rome"))
    assert list(game.legal) == game.display
    for unreachable in ("T04", None, "pass"):
        with pytest.raises(ValueError, match="not legal"):
            game.play(unreachable)


@pytest.mark.parametrize(("tile", "port"), [("T01", "venice"), ("T16", "rome"), ("T31", "naples")])
def test_item_50_ware_on_a_tile(tile: str, port: str) -> None:
    game = table(3, [card(promotion=1)], tiles=["T10", tile, "T11", "T12"])
    put_markers(game, port, on1=[2, 1])
    take(game, 0, "pirate", "rome", tile=tile)
    assert levels(game, 0) == up(**{port: 1})
    assert game.tracks[port][1] == [2, 1, 0]
    take(game, 1, "pirate", "rome")
    assert levels(game, 0) == up(**{port: 1})  # once only


def test_item_51_same_port_as_the_ship() -> None:
    game = table(3, [card(rome=2, promotion=1)], tiles=["T04", "T10", "T11", "T12"])
    put_markers(game, "rome", on2=[1], on3=[2])
    take(game, 0, "pirate", "rome", tile="T04")
    assert game.tracks["rome"][:4] == [[], [], [1], [2, 0]]


@pytest.mark.parametrize("tile", ["T10", "T22", "T34"])
def test_item_52_value_two_moves_nothing(tile: str) -> None:
    game = table(3, [card(promotion=1)], tiles=[tile, "T01", "T02", "T03"])
    take(game, 0, "pirate", "rome", tile=tile)
    assert game.tiles[0] == [tile]
    assert levels(game, 0) == up()


def test_item_53_tile_for_a_marker_at_the_top() -> None:
    game = put_markers(table(3, [card(promotion=1)]), "venice", on9=[0, 1])
    take(game, 0, "pirate", "rome", tile="T01")
    assert game.tiles[0] == ["T01"]
    assert game.tracks["venice"][9] == [0, 1]
    assert levels(game, 0) == up(venice=9)


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
    assert lines(game, "take_tile")[-1] == {
        "type": "take_tile", "player": 2, "tile": "T02", "replacement": None
    }  # fmt: skip
    assert game.tiles == [["T01"], ["T03"], ["T02"], []]
    say(game, (3, "pirate"), (3, "rome"))
    assert (len(lines(game, "take_tile")), game.actor, game.display) == (3, 0, [])


def test_item_56_tiles_between_rounds() -> None:
    game = take(table(3, [card(promotion=1)], rounds=2), 0, "pirate", "rome", tile="T02")
    before = (list(game.display), list(game.stack))
    pass_round(game)
    assert game.round == 2
    assert (game.display, game.stack) == before


def test_item_57_tiles_are_open_and_score_at_the_end() -> None:
    game = take(table(3, [card(promotion=1)], rounds=2), 0, "pirate", "rome", tile="T02")
    assert game.tiles == [["T02"], [], []]
    pass_round(game)
    assert first_round(game)["total"] == [15 + 15, 0, 0]  # fastest ship at Rome, first marker in Venice
    pass_round(game)
    assert lines(game, "score_end")[0]["promotion"] == [30, 0, 0]

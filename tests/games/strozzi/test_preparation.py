"""Preparation: the reference rules of Strozzi against the ambiguities list, item by item."""

import pytest

from scripted_strozzi import (
    SEATS_AND_DECKS,
    base_components,
    card,
    first_round,
    lines,
    pass_round,
    put_markers,
    random_game,
    record,
    table,
    take,
)
from spoiled_records import named_line
from strozzi_sim.games.strozzi import verify
from strozzi_sim.games.strozzi.reference import CITIES


def test_item_01_start_spaces_in_turn_order() -> None:
    game = table(4, [card(scrolls=1)], start=2)
    for city in CITIES:
        assert game.tracks[city][0] == [2, 3, 0, 1]
    take(game, 3, "pirate", "rome")
    assert game.tracks["florence"][:2] == [[2, 0, 1], [3]]
    assert game.tracks["rome"][0] == [2, 3, 0, 1]


def test_item_01_switch_start_order_reverse() -> None:
    game = table(4, [card(scrolls=1)], start=2, start_order="reverse")
    for city in CITIES:
        assert game.tracks[city][0] == [1, 0, 3, 2]
    take(game, 3, "pirate", "rome")
    assert game.tracks["florence"][:2] == [[1, 0, 2], [3]]


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_item_02_one_marker_per_player_and_city(players: int) -> None:
    game = table(players)
    assert set(game.tracks) == {"venice", "rome", "naples", "florence"}
    for track in game.tracks.values():
        assert [sorted(space) for space in track] == [list(range(players))] + [[]] * 9


@pytest.mark.parametrize("city", CITIES)
def test_item_03_bonus_spaces(city: str) -> None:
    game = table(5)
    assert len(game.tracks[city]) == 10
    pass_round(put_markers(game, city, on6=[0], on7=[1], on8=[2], on9=[3]))
    assert first_round(game)["bonus"] == [0, 5, 10, 15, 0]


def test_item_03_long_tracks() -> None:
    components = base_components()
    components["tracks"] = {"top_index": 10, "bonus": {8: 5, 9: 10, 10: 15}}
    game = table(5, components=components)
    pass_round(put_markers(game, "rome", on7=[0], on8=[1], on9=[2], on10=[3]))
    assert first_round(game)["bonus"] == [0, 5, 10, 15, 0]


@pytest.mark.parametrize(("players", "deck"), SEATS_AND_DECKS)
def test_item_05_deck_size(players: int, deck: int) -> None:
    game = table(players)
    assert game.deck_left == deck - 1  # one ship lies open
    pass_round(game)
    assert len(lines(game, "reveal")) == deck


def test_item_06_display_and_stack() -> None:
    game = table(4)
    assert game.events[0] == {"type": "tiles", "display": ["T01", "T02", "T03"]}
    assert game.display == ["T01", "T02", "T03"]
    assert game.stack_left == 33


@pytest.mark.parametrize("face_up", range(7))
def test_item_06_other_displays(face_up: int) -> None:
    components = base_components()
    components["setup"]["promotion_tiles_face_up"] = face_up
    game = table(4, [card(promotion=1)], components=components)
    assert (len(game.display), game.stack_left) == (face_up, 36 - face_up)
    take(game, 0, "pirate", "rome")
    assert len(game.tiles[0]) == min(1, face_up)
    assert len(lines(game, "take_tile")) == min(1, face_up)


def test_item_07_first_reveal() -> None:
    assert lines(table(4), "reveal")[0]["player"] == 0
    assert lines(table(4, start=2), "reveal")[0]["player"] == 2
    assert lines(table(4, start=2), "round")[0] == {"type": "round", "round": 1, "start_player": 2}
    for start in (-1, 4):
        with pytest.raises(ValueError, match="start player"):
            table(4, start=start)


def test_item_08_bank_is_unlimited() -> None:
    components = base_components()
    components["scoring"]["ship_ranks"] = [500, 300, 100]
    game = random_game(components, 4, seed=1)
    assert game.over
    assert sum(game.coins) > 990  # all the coins in the box
    assert named_line(verify, *record(game, components)) is None

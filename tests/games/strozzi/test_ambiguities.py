"""The reference rules of Strozzi against every testable statement of the ambiguities list, item by item.

The switches of [rules] stand with their items; then come the invariants on random games, and the check of
records. Items 4, 71 and 74 speak of what a player may see, and 26, 76 and 78 have nothing to test. The
frequency in item 73 belongs to the deal, which the reference gets from outside.
"""

import copy
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from scripted_strozzi import (
    BASE,
    SEATS_AND_DECKS,
    base_components,
    card,
    choose,
    deal,
    lines,
    pass_card,
    pass_round,
    put_markers,
    random_game,
    record,
    say,
    table,
    take,
)
from spoiled_records import broken_line, named_line, with_number
from strozzi_sim.errors import InputError, RuleViolation
from strozzi_sim.games.strozzi import verify
from strozzi_sim.games.strozzi.reference import CITIES, FLAGS, PORTS, Game
from strozzi_sim.games.strozzi.verify import check_game
from strozzi_sim.play.records import check_header

ALL_FLAGS = list(FLAGS)
SMALL_COUNT = 40  # random games per player count


def level(game: Game, city: str, seat: int) -> int:
    """The space on which the marker of `seat` stands."""
    return next(index for index, space in enumerate(game.tracks[city]) if seat in space)


def levels(game: Game, seat: int) -> dict[str, int]:
    return {city: level(game, city, seat) for city in CITIES}


def up(**cities: int) -> dict[str, int]:
    """Levels of a marker that has left the start in some cities only."""
    return dict.fromkeys(CITIES, 0) | cities


def seats_asked(game: Game, since: int = 0) -> list[int]:
    return [event["player"] for event in game.events[since:] if event["type"] == "claim"]


def ships_at(game: Game, port: str) -> list[str]:
    return [ship for _, ship, _ in game.ports[port]]


def first_round(game: Game) -> dict[str, Any]:
    return lines(game, "score_round")[0]


# -- 1. preparation ----------------------------------------------------------------------------


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


# -- 2. turn and first decision ------------------------------------------------------------------


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


# -- 3. the active player passes -------------------------------------------------------------------


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


# -- 4. taking and placing -------------------------------------------------------------------------


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


# -- 5. marker movement ----------------------------------------------------------------------------


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


# -- 6. promotion tiles ----------------------------------------------------------------------------


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


# -- 7. turn order, end of a round ---------------------------------------------------------------------


@pytest.mark.parametrize("start", [1, 2])
def test_item_58_next_is_left_of_the_taker(start: int) -> None:
    game = table(5, start=start)
    game.flags[4] = game.flags[0] = []
    take(game, 3, "pirate", "rome")
    assert game.active == game.actor == 1
    assert lines(game, "reveal")[-1]["player"] == 1


def test_item_58_taker_goes_on_alone() -> None:
    game = table(5, start=2)
    for seat in (0, 1, 2, 4):
        game.flags[seat] = []
    say(game, (2, "pass"), (3, "plus_one"), (3, "rome"))
    assert game.active == game.actor == 3


def test_item_59_players_without_flags_are_never_asked() -> None:
    game = table(4)
    game.flags[1] = []
    say(game, (0, "pass"), (2, "pass"), (3, "pass"), (0, "ware"), (2, "pass"), (3, "pass"), (0, "rome"))
    assert 1 not in seats_asked(game)
    assert game.active == 2


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


def test_item_60_all_flags_used() -> None:
    game = table(3)
    for seat, (flag, port) in itertools.product(range(3), zip(FLAGS, PORTS, strict=True)):
        take(game, seat, flag, port)
    assert game.over
    assert game.deck_left == 3
    assert game.flags == [[], [], []]


# -- 8. scoring --------------------------------------------------------------------------------------


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


def test_item_61_switch_zero_total_scores() -> None:
    assert tiles_scored([["T10", "T01"], [], []], {"on3": [2]}, zero_total_scores=True) == [
        30 + 20 + 20,
        10 + 10 + 10,
        20 + 30 + 30,
    ]


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


def test_item_65_marker_prizes() -> None:
    game = pass_round(put_markers(table(4), "rome", on3=[2], on1=[1]))
    assert first_round(game)["markers"] == [0, 10, 15, 0]
    game = pass_round(put_markers(table(4), "venice", on3=[2, 3], on1=[1, 0]))
    assert first_round(game)["markers"] == [0, 5, 15, 10]


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


def test_item_66_start_spaces_earn_nothing() -> None:
    components = base_components()
    components["tracks"]["bonus"] = {0: 5, 1: 10}
    game = pass_round(put_markers(table(3, components=components), "rome", on1=[2]))
    assert first_round(game)["bonus"] == [0, 0, 10]


def test_item_67_bonus_at_florence() -> None:
    game = pass_round(put_markers(table(3), "florence", on8=[1]))
    assert first_round(game)["bonus"] == [0, 10, 0]


def test_item_67_switch_florence_bonus() -> None:
    game = put_markers(table(3, florence_bonus=False), "florence", on8=[1])
    pass_round(put_markers(game, "rome", on7=[1]))
    assert first_round(game)["bonus"] == [0, 5, 0]
    assert first_round(game)["markers"] == [0, 30, 0]


@pytest.mark.parametrize("seed", range(5))
def test_item_68_order_of_scorings_is_irrelevant(seed: int) -> None:
    kinds = ("ship_ranks", "marker_ranks", "category_ranks", "bonus")
    totals = []
    for kept in kinds:  # each scoring alone
        components = base_components()
        for kind in kinds[:3]:
            if kind != kept:
                components["scoring"][kind] = [0]
        if kept != "bonus":
            components["tracks"]["bonus"] = {}
        totals.append(random_game(components, 4, seed).coins)
    whole = random_game(base_components(), 4, seed).coins
    assert [sum(parts) for parts in zip(*totals, strict=True)] == whole


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


# -- 9. between rounds -----------------------------------------------------------------------------------


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


def test_item_77_unused_flags() -> None:
    seen = set()
    for (players, deck), seed in itertools.product(SEATS_AND_DECKS, range(SMALL_COUNT)):
        components = base_components()
        components["setup"]["rounds"] = 1
        game = random_game(components, players, seed, passing=0.2 + 0.7 * (seed % 2))
        unused, placed = sum(map(len, game.flags)), len(lines(game, "place"))
        assert unused == 3 * players - placed
        if game.deck_left == 0:
            assert deck == 3 * players + 3
            assert placed == 3 * players + 3 - len(game.aside)
            assert unused == max(0, len(game.aside) - 3)
        seen.add((unused > 0, game.deck_left > 0))
    assert seen == {(False, True), (False, False), (True, False)}


@pytest.mark.parametrize("players", [0, 1, 2, 7])
def test_item_79_player_count(players: int) -> None:
    with pytest.raises(ValueError, match="3-6 players"):
        table(players)


# -- 12. the rulebook's example ----------------------------------------------------------------------------


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


# -- the class itself ----------------------------------------------------------------------------------


def test_running_out_of_given_ships() -> None:
    components = base_components()
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    game = Game(components, 3, [["S01", "S02"]], tiles)
    pass_card(game)
    say(game, (0, "pass"), (1, "pass"))
    with pytest.raises(IndexError, match="round 1 end after 2 cards"):
        game.play("pass")


# -- 13. invariants ------------------------------------------------------------------------------------


def check_position(game: Game, number_of_ships: int) -> None:
    """What holds whenever somebody is asked."""
    removed = number_of_ships - game.deck_size
    placed = [entry for quay in game.ports.values() for entry in quay]
    ships = [ship for _, ship, _ in placed] + game.aside
    if game.question and game.question.kind != "take_tile":
        ships.append(str(game.ship))  # not placed yet
    assert len(set(ships)) == len(ships)
    assert game.deck_left + len(ships) + removed == number_of_ships
    tiles = game.stack + game.display + [tile for owned in game.tiles for tile in owned]
    assert sorted(tiles) == sorted(game.tile_data)
    for track in game.tracks.values():
        assert sorted(seat for space in track for seat in space) == list(range(game.players))
    for seat in range(game.players):
        flags = game.flags[seat] + [flag for owner, _, flag in placed if owner == seat]
        if game.holder == seat and game.question and game.question.kind != "take_tile":
            flags.append(str(game.holder_flag))
        assert sorted(flags) == sorted(FLAGS)
        assert game.flags[seat] == [flag for flag in FLAGS if flag in game.flags[seat]]
    arrivals = {(event["ship"], game.round): number for number, event in enumerate(lines(game, "place"))}
    for quay in game.ports.values():
        keys = []
        for _, ship, flag in quay:
            keys.append((-game.cards[ship]["sail"] - (flag == "plus_one"), arrivals[ship, game.round]))
        assert keys == sorted(keys)


def check_card(events: list[dict[str, Any]]) -> None:
    """What holds for the claims on one ship, from `reveal` to `place` or `set_aside`."""
    claims = [event for event in events if event["type"] == "claim"]
    seats = [event["player"] for event in claims]
    assert len(set(seats)) == len(seats)  # nobody decides twice
    flags = [event["flag"] for event in claims if event["flag"]]
    assert len(flags) <= 2
    if len(flags) == 2:
        assert flags[0] != "pirate"
        assert flags[1] == "pirate"
    assert events[-1]["type"] == ("place" if flags else "set_aside")
    if flags:
        assert events[-1]["flag"] == flags[-1]
    if "pirate" in flags:
        assert claims[-1]["flag"] == "pirate"


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_section_13_invariants(players: int) -> None:
    components = base_components()
    for seed in range(SMALL_COUNT):
        game, dice = deal(components, players, seed), random.Random(seed)
        before = [levels(game, seat) for seat in range(players)]
        while not game.over:
            check_position(game, len(components["ships"]))
            game.play(choose(game, dice, (seed % 10) / 10))
            after = [levels(game, seat) for seat in range(players)]
            for old, new in zip(before, after, strict=True):
                assert all(old[city] <= new[city] for city in CITIES)
            before = after
        check_payments(game)
        start = 0
        for number, event in enumerate(game.events):
            if event["type"] == "reveal":
                start = number
            elif event["type"] in ("place", "set_aside"):
                check_card(game.events[start : number + 1])


def check_payments(game: Game) -> None:
    """Prizes, totals and ranking of a finished game."""
    total = [0] * game.players
    placed = 0
    pirates = 0
    for event in game.events:
        if event["type"] == "place":
            placed += 1
            pirates += event["flag"] == "pirate"
        if event["type"] != "score_round":
            continue
        assert pirates <= game.players
        assert sum(event["ships"]) <= 90
        assert sum(event["markers"]) <= 120
        if game.players == 3 and placed == 9:
            assert sum(event["ships"]) == 90
        payments = event["ships"] + event["markers"] + event["bonus"]
        assert all(payment >= 0 and payment % 5 == 0 for payment in payments)
        for seat in range(game.players):
            total[seat] += event["ships"][seat] + event["markers"][seat] + event["bonus"][seat]
        assert event["total"] == total
        placed = pirates = 0
    end = game.events[-1]
    assert sum(end["promotion"]) <= 180
    assert end["total"] == [sum(pair) for pair in zip(total, end["promotion"], strict=True)] == game.coins
    assert sorted(end["ranking"]) == list(range(game.players))
    ranked_coins = [game.coins[seat] for seat in end["ranking"]]
    assert ranked_coins == sorted(ranked_coins, reverse=True)
    assert len(lines(game, "score_round")) == 3


# -- checking records ------------------------------------------------------------------------------------


def variant_components(number: int) -> dict[str, Any]:
    """Component data that differ from the base in many ways."""
    variants: list[dict[str, Any]] = [
        {},
        {"second_lap": True, "tile_optional": True, "start_order": "reverse"},
        {"ware_flag_needs_match": True, "zero_total_scores": True, "florence_bonus": False},
    ]
    components = base_components(**variants[number % 3])
    setup, scoring = components["setup"], components["scoring"]
    setup["rounds"] = (3, 1, 5, 2)[number % 4]
    setup["promotion_tiles_face_up"] = (3, 0, 1, 6, 2)[number % 5]
    scoring["ship_ranks"] = ([15, 10, 5], [21], [], [9, 8, 7, 6, 5, 4])[number % 4]
    scoring["category_ranks"] = ([30, 20, 10], [50], [5, 4, 3, 2, 1])[number % 3]
    if number % 2:
        components["promotion_tiles"] = components["promotion_tiles"][::6]  # a stack that runs out
    return components


def test_check_accepts_a_display_of_all_tiles() -> None:
    components = base_components()
    components["promotion_tiles"] = components["promotion_tiles"][:2]
    game = random_game(components, 3, 1, 0.1)
    assert len(game.events[0]["display"]) == 2
    assert lines(game, "take_tile")
    assert named_line(verify, *record(game, components)) is None


TWO_ROUNDS = base_components()
TWO_ROUNDS["setup"]["rounds"] = 2
RECORDED = [  # components, players, seed, share of passes
    (base_components(), 3, 11, 0.3),
    (TWO_ROUNDS, 6, 12, 0.5),
    (variant_components(1), 4, 13, 0.4),
    (variant_components(11), 5, 14, 0.5),
]
recorded = pytest.mark.parametrize(("components", "players", "seed", "passing"), RECORDED)


@recorded
def test_check_names_every_changed_number(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    count = 0
    for position, (line, event) in enumerate(numbered):
        for changed in with_number(event, lambda number: number + 1):
            assert broken_line(verify, header, numbered, position, changed) == line
            count += 1
    assert count > len(numbered) / 2


@recorded
def test_check_changed_ships(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    ships = [ship["id"] for ship in components["ships"]]
    drawn: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "round":
            drawn = []
        if "ship" not in event:
            continue
        for other in [*ships[position % 5 :: 5], *drawn[-1:], "S99", (None, 7, ["S01"])[position % 3]]:
            if other == event["ship"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "ship": other})
            if event["type"] == "reveal" and other in ships and other not in drawn:
                after = (number for number, later in numbered[position + 1 :] if later.get("ship"))
                assert named == next(after)  # the line that says where the ship went
            else:
                assert named == line
        if event["type"] == "reveal":
            drawn.append(event["ship"])


@recorded
def test_check_changed_tiles(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    drawn: list[str] = []
    display: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "tiles":
            for slot, other in itertools.product(range(len(event["display"])), [*tiles, "T99", None]):
                shown = [*event["display"]]
                shown[slot] = other
                if shown == event["display"]:
                    continue
                named = broken_line(verify, header, numbered, position, {**event, "display": shown})
                if other not in tiles or other in event["display"]:
                    assert named == line
                else:
                    assert named == line_of_first_use(numbered[1:], event["display"][slot], other)
            for shown in (event["display"][1:], [*event["display"], "T01"], None):
                if shown != event["display"]:
                    assert broken_line(verify, header, numbered, position, {**event, "display": shown}) == line
            drawn, display = [*event["display"]], [*event["display"]]
        if event["type"] != "take_tile":
            continue
        for other in [*tiles, "T99", None, 3]:
            if other == event["tile"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "tile": other})
            if other in display or (other is None and components["rules"]["tile_optional"]):
                assert named is None or named >= line
            else:
                assert named == line
        for other in [*tiles, "T99", None, 3]:
            if other == event["replacement"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "replacement": other})
            if other not in tiles or other in drawn or event["replacement"] is None:
                assert named == line
            else:
                assert named == line_of_first_use(numbered[position + 1 :], event["replacement"], other)
        if event["tile"] is not None:
            display.remove(event["tile"])
        if event["replacement"] is not None:
            display.append(event["replacement"])
            drawn.append(event["replacement"])


def line_of_first_use(numbered: list[Any], old: str, new: str) -> int | None:
    """Where a tile is taken that is not there any more, or one is drawn that is out already."""
    for line, event in numbered:
        if event["type"] == "take_tile" and (event["tile"] == old or event["replacement"] == new):
            assert isinstance(line, int)
            return line
    return None


@recorded
def test_check_changed_flags(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    game, dice = deal(components, players, seed), random.Random(seed)
    options: dict[int, tuple[str | None, ...]] = {}
    while not game.over:
        options[len(game.events)] = game.legal
        game.play(choose(game, dice, passing))
    header, numbered = record(game, components)
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "claim" and event["flag"] is None:
            assert broken_line(verify, header, numbered, position, {**event, "flag": "pass"}) == line
        for flag in (None, *FLAGS, ("black", 1)[position % 2]):
            if "flag" not in event or flag == event["flag"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "flag": flag})
            if event["type"] == "place" or (flag or "pass") not in options[position]:
                assert named == line
                continue
            rest = list(itertools.takewhile(lambda later: "ship" not in later[1], numbered[position + 1 :]))
            place = numbered[position + 1 + len(rest)][0]
            pirated = any(later["flag"] == "pirate" for _, later in rest)
            if {flag, event["flag"]} == {"plus_one", "ware"}:  # a flag that goes back leaves no trace
                assert named == (None if pirated else place)
            elif named is None:
                assert pirated
                assert flag != "pirate"
            else:
                assert line < named <= place
        if event["type"] == "place":
            for port in {*PORTS, "florence", "rom", None} - {event["port"]}:
                named = broken_line(verify, header, numbered, position, {**event, "port": port})
                if position in options and port in options[position]:
                    assert named is None or named > line
                else:
                    assert named == line


def test_check_says_what_was_expected() -> None:
    game = take(table(3, [card(4)]), 0, "plus_one", "rome")
    components = base_components()
    components["ships"] = list(game.cards.values())
    header, numbered = record(game, components)
    places = [position for position, (_, event) in enumerate(numbered) if event["type"] == "place"]
    messages = [
        (0, "display", ["T01"], "a display of 3 tiles"),
        (0, "display", ["T01", "T02", "T99"], 'the id of a tile, found "T99"'),
        (0, "display", ["T01", "T02", "T01"], 'a tile not drawn yet, found "T01" again'),
        (2, "ship", "S99", 'the id of a ship, found "S99"'),
        (3, "player", 2, '{"type": "claim", "player": 0}, found player 2 instead of 0'),
        (3, "flag", "red", 'a claim of player 0: null or "pirate" or "plus_one" or "ware", found flag "red"'),
        (places[0], "speed", 6, '"rome", "speed": 5}, found speed 6 instead of 5'),
        (places[0], "port", "bari", 'a place of player 0: "venice" or "rome" or "naples", found port "bari"'),
        (places[0], "ship", "C02", 'found ship "C02" instead of "C01"'),
        (places[0], "type", "draw", '{"type": "place", "player": 0}, found type "draw" instead of "place"'),
    ]
    for position, key, value, message in messages:
        line, event = numbered[position]
        changed = [*numbered]
        changed[position] = (line, {**event, key: value})
        with pytest.raises(RuleViolation) as caught:
            check_game(header, 1, changed)
        assert message in caught.value.message
        assert caught.value.message.startswith("expected ")
        assert str(caught.value).startswith(f"line {line}: ")
    with pytest.raises(RuleViolation, match="stops early: expected a claim of player 1: null or"):
        check_game(header, 1, numbered)


def test_a_header_has_a_player_count_of_the_game() -> None:
    with (Path(__file__).parent / "golden" / "random-4.jsonl").open() as file:
        header = json.loads(file.readline())
    with pytest.raises(InputError, match="players: strozzi takes 3-6 players, got 7"):
        check_header({**header, "players": 7}, "line 1")
    header, numbered = record(random_game(base_components(), 4, 22, 0.4), base_components())
    assert named_line(verify, {**header, "players": 3}, numbered) is not None

"""Scoring, rounds and data: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted import lines
from scripted_medici import (
    MEDICI,
    SIX_STEPS,
    STROZZI,
    SWITCHES,
    TILES,
    TRACKS,
    base_components,
    buy_one,
    choose,
    deal,
    empty_bag,
    games,
    random_game,
    scored,
    seeds,
    sell,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import Game

Fleet = dict[str, tuple[Any, ...]]

# -- scoring, with the golden examples --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("medici", "strozzi", "paid", "switched"),
    [
        ({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-1", "cloth-4a")}, [20, 0], [20, 0]),
        ({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-3", "cloth-4a")}, [0, 20], [0, 20]),
        ({"H1": (3, "dye-4a")}, {"H1": (3, "cloth-3", "fur-1")}, [0, 0], [0, 0]),  # a tie
        ({"H1": (3, "dye-0")}, {"H1": (5, "cloth-0", "fur-0")}, [0, 0], [0, 0]),
        ({}, {"H2": (4, "dye-0", "fur-1")}, [0, 20], [0, 20]),  # alone
        ({}, {"H2": (4, "dye-0", "fur-0")}, [0, 0], [0, 20]),
        ({"H2": (4, "dye-0")}, {}, [0, 0], [20, 0]),
        ({}, {}, [0, 0], [0, 0]),
    ],
)
def test_item_37_harbors(medici: Fleet, strozzi: Fleet, paid: list[int], switched: list[int]) -> None:
    assert scored(medici, strozzi)["harbors"] == paid
    assert scored(medici, strozzi, lone_worthless_ship_wins=True)["harbors"] == switched


THREE_STEPS, TWO_STEPS = (3, "dye-1", "dye-2", "dye-3"), (3, "dye-0")


@pytest.mark.parametrize(
    ("old", "net", "one_by_one", "swapped"),  # Medici moves first: with fewer steps it is stopped at its end, if at all
    [(5, 5, 3, 2), (4, 5, 3, 2), (3, 4, 3, 2), (0, 1, 1, -1), (-4, -3, -3, -5), (-5, -4, -4, -5)],
)
def test_item_38_net_movement(old: int, net: int, one_by_one: int, swapped: int) -> None:
    for medici, strozzi, switches, expected in (
        (THREE_STEPS, TWO_STEPS, {}, net),
        (THREE_STEPS, TWO_STEPS, {"net_marker_movement": False}, one_by_one),
        (TWO_STEPS, THREE_STEPS, {"net_marker_movement": False}, swapped),
    ):
        score = scored({"H1": medici}, {"H1": strozzi}, {"H1.dye": old}, **switches)
        assert score["markers"]["H1"]["dye"] == expected


def test_item_39_surplus_is_lost() -> None:
    assert scored({"H1": SIX_STEPS}, {}, {"H1.dye": 4})["markers"]["H1"]["dye"] == 5
    assert scored({}, {"H1": TWO_STEPS}, {"H1.dye": 5})["markers"]["H1"]["dye"] == 3
    assert scored({}, {"H2": SIX_STEPS}, {"H2.dye": -3})["markers"]["H2"]["dye"] == -5


def test_item_40_steps_of_a_tile() -> None:
    for value in ("1", "2", "3", "4a", "4b"):
        assert scored({"H1": (3, f"fur-{value}")}, {})["markers"]["H1"]["fur"] == 1
    assert scored({"H1": (3, "fur-0")}, {})["markers"]["H1"]["fur"] == 2
    assert scored({}, {"H1": (3, "fur-0", "fur-1")})["markers"]["H1"]["fur"] == -3
    score = scored({"H1": (5, "gold-a", "gold-b", "cloth-0", "cloth-4a")}, {"H3": (3, "dye-0", "spice-2", "gold-a")})
    assert not any(position for track in score["markers"].values() for position in track.values())
    components = base_components()
    components["marker_steps"] |= {"value_zero_tile": 0, "other_tile": 3}
    score = scored({"H1": (4, "fur-0", "dye-1")}, {}, components=components)
    assert score["markers"]["H1"] == {"dye": 3, "spice": 0, "fur": 0}


def test_item_41_monopolies_are_paid_from_the_new_positions() -> None:
    score = scored({"H1": (3, "dye-1")}, {"H2": TWO_STEPS}, {"H1.dye": 3, "H2.dye": 1})
    assert (score["monopolies"], score["bonus"]) == ([10, 10], [10, 0])
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (4, -1)
    assert score["harbors"] == [20, 0]
    assert score["cash"] == [340, 310]


@pytest.mark.parametrize(("position", "bonus"), [(1, 0), (2, 0), (3, 0), (4, 10), (5, 20)])
@pytest.mark.parametrize(("harbor", "goods"), TRACKS)
def test_item_43_bonus_is_added(harbor: str, goods: str, position: int, bonus: int) -> None:
    score = scored({}, {}, {f"{harbor}.{goods}": position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([10, 0], [bonus, 0], [310 + bonus, 300])
    score = scored({}, {}, {f"{harbor}.{goods}": -position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([0, 10], [0, bonus], [300, 310 + bonus])


def test_item_46_ships_come_home() -> None:
    game = sell(table(rounds=2), 3, MEDICI, (3, "H1"))
    empty_bag(game)
    assert game.round == 2
    assert game.ships == [{3: (None, []), 4: (None, []), 5: (None, [])}] * 2
    assert game.discards == []
    first = lines(game, "score_round")[0]
    assert first["markers"]["H1"]["dye"] == 4  # dye-0, dye-1, dye-2
    empty_bag(game)
    assert lines(game, "score_round")[1]["markers"] == first["markers"]
    assert lines(game, "score_round")[1]["harbors"] == [0, 0]


def test_golden_1_rulebook_scoring() -> None:
    score = scored(
        {"H1": (3, "gold-a"), "H2": (4, "gold-b"), "H3": (5, "dye-1")},
        {"H3": (3, "spice-1")},
        {
            "H1.dye": 2, "H1.spice": 1, "H1.fur": 3, "H2.dye": 1,
            "H2.spice": -5, "H2.cloth": -1, "H3.cloth": -2, "H3.fur": 0,
        },
    )  # fmt: skip
    assert score["harbors"] == [40, 0]
    assert score["monopolies"] == [40, 30]
    assert score["bonus"] == [0, 20]
    assert score["cash"] == [300 + 80, 300 + 50]


# -- rounds, order, end of the game and data --------------------------------------------------------------------------


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
def test_item_48_first_proposers(buyer: int) -> None:
    game = table(rounds=3)
    proposers = []
    while not game.over:
        proposers.append((game.round, game.start_player, game.proposer))
        number = game.round
        while not game.over and game.round == number:
            buy_one(game, buyer)
    assert proposers == [(1, MEDICI, MEDICI), (2, STROZZI, STROZZI), (3, STROZZI, STROZZI)]
    assert [event["start_player"] for event in lines(game, "round")] == [MEDICI, STROZZI, STROZZI]


def test_item_48_other_starters() -> None:
    components = base_components()
    components["rounds"] |= {"count": 4, "starter": ["Medici", "Strozzi", "Medici", "Strozzi"]}
    game = random_game(components, 48)
    assert [event["start_player"] for event in lines(game, "round")] == [0, 1, 0, 1]


def test_item_52_all_tiles_return_every_round() -> None:
    for seed in range(10):
        game, dice = deal(base_components(), seed), random.Random(seed)
        seen: dict[int, list[str]] = {}
        while not game.over:
            seen.setdefault(game.round, [*game.lot, *game._bag])
            game.play(choose(game, dice))
        assert [sorted(tiles) for tiles in seen.values()] == [sorted(TILES)] * 3
        assert len({tuple(tiles) for tiles in seen.values()}) == 3


def test_item_54_shared_victory() -> None:
    game = empty_bag(table())
    assert game.events[-1] == {"type": "score_end", "total": [300, 300], "winners": [MEDICI, STROZZI]}
    game = empty_bag(sell(table(), 1, MEDICI, price=1))
    assert game.events[-1] == {"type": "score_end", "total": [299, 300], "winners": [STROZZI]}


@pytest.mark.parametrize(
    ("tracks", "length", "bonus"),
    [
        ("base", 5, {4: 10, 5: 20}),
        ("short", 4, {3: 10, 4: 20}),
        ("long", 6, {5: 10, 6: 20}),
        ("medici_like", 7, {6: 10, 7: 20}),
    ],
)
def test_item_56_tracks_of_the_variants(tracks: str, length: int, bonus: dict[int, int]) -> None:
    components = base_components(tracks)
    for position in range(1, length + 1):
        score = scored({}, {}, {"H1.fur": -position, "H3.cloth": position}, components)
        assert score["bonus"] == [bonus.get(position, 0)] * 2
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, {"H1.dye": 3, "H2.dye": -3}, components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (length, -length)
    assert components["tracks"]["provenance"] == "reconstructed"


def swapped(event: dict[str, Any]) -> dict[str, Any]:
    """The same line when Medici and Strozzi have changed sides."""
    changed = {**event}
    for key in ("player", "start_player"):
        if key in event:
            changed[key] = 1 - event[key]
    for key in ("harbors", "monopolies", "bonus", "cash", "total"):
        if key in event:
            changed[key] = event[key][::-1]
    if "winners" in event:
        changed["winners"] = sorted(1 - seat for seat in event["winners"])
    if "markers" in event:
        changed["markers"] = {
            harbor: {goods: -position for goods, position in track.items()}
            for harbor, track in event["markers"].items()
        }
    return changed


@games
@given(seed=seeds, switches=st.sampled_from([each for each in SWITCHES if each.get("net_marker_movement", True)]))
def test_item_57_players_may_change_sides(seed: int, switches: dict[str, Any]) -> None:
    components = base_components(**switches)
    mirror = base_components(**switches)
    mirror["rounds"]["starter"] = ["Strozzi", "Medici", "Medici"]
    twin, dice = deal(components, seed), random.Random(seed)
    game = Game(mirror, twin._orders, STROZZI)
    while not twin.over:
        assert game.actor == 1 - twin.actor  # type: ignore[operator]
        option = choose(twin, dice)
        twin.play(option)
        game.play(option)
    assert game.events == [swapped(event) for event in twin.events]


def test_item_58_a_track_of_its_own() -> None:
    components = base_components()
    components["tracks"]["per_track"] = {"H1.dye": {"half_length": 2, "bonus": {"2": 50, "1": 7}}}
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, components=components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (2, -5)
    assert score["bonus"] == [50, 20]
    score = scored({}, {"H1": (3, "dye-1")}, components=components)
    assert (score["markers"]["H1"]["dye"], score["bonus"]) == (-1, [0, 7])

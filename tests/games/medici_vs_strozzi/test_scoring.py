"""Scoring, with the golden examples: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import pytest

from scripted_medici import (
    MEDICI,
    SIX_STEPS,
    STROZZI,
    TRACKS,
    base_components,
    empty_bag,
    lines,
    random_game,
    say,
    scored,
    sell,
    show,
    table,
)


def test_item_37_all_tiles_count() -> None:
    score = scored({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-1", "cloth-4a")})
    assert score["harbors"] == [20, 0]
    score = scored({"H3": (3, "gold-a", "dye-1")}, {"H3": (4, "fur-0", "fur-3", "cloth-4a")})
    assert score["harbors"] == [0, 20]


def test_item_37_ties_pay_nobody() -> None:
    assert scored({"H1": (3, "dye-4a")}, {"H1": (3, "cloth-3", "fur-1")})["harbors"] == [0, 0]
    assert scored({"H1": (3, "dye-0")}, {"H1": (5, "cloth-0", "fur-0")})["harbors"] == [0, 0]


def test_item_37_alone_at_a_harbor() -> None:
    assert scored({}, {"H2": (4, "dye-0", "fur-1")})["harbors"] == [0, 20]
    score = scored({}, {"H2": (4, "dye-0", "fur-0")})
    assert (score["harbors"], score["markers"]["H2"]["dye"]) == ([0, 0], -2)


def test_item_37_switch_lone_worthless_ship_wins() -> None:
    assert scored({}, {"H2": (4, "dye-0", "fur-0")}, lone_worthless_ship_wins=True)["harbors"] == [0, 20]
    assert scored({"H2": (4, "dye-0")}, {}, lone_worthless_ship_wins=True)["harbors"] == [20, 0]
    both = scored({"H1": (3, "dye-0")}, {"H1": (5, "cloth-0")}, lone_worthless_ship_wins=True)
    assert both["harbors"] == [0, 0]
    assert scored({}, {}, lone_worthless_ship_wins=True)["harbors"] == [0, 0]


THREE_STEPS, TWO_STEPS = (3, "dye-1", "dye-2", "dye-3"), (3, "dye-0")


@pytest.mark.parametrize(
    ("old", "net", "one_by_one"), [(5, 5, 3), (4, 5, 3), (3, 4, 3), (0, 1, 1), (-4, -3, -3), (-5, -4, -4)]
)
def test_item_38_net_movement(old: int, net: int, one_by_one: int) -> None:
    score = scored({"H1": THREE_STEPS}, {"H1": TWO_STEPS}, {"H1.dye": old})
    assert score["markers"]["H1"]["dye"] == net
    score = scored({"H1": THREE_STEPS}, {"H1": TWO_STEPS}, {"H1.dye": old}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == one_by_one


def test_item_38_switch_medici_moves_first() -> None:
    score = scored({"H1": TWO_STEPS}, {"H1": THREE_STEPS}, {"H1.dye": -5}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == -5  # first to -3, then stopped at the end
    score = scored({"H1": TWO_STEPS}, {"H1": THREE_STEPS}, {"H1.dye": 5}, net_marker_movement=False)
    assert score["markers"]["H1"]["dye"] == 2


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


def test_item_40_other_steps() -> None:
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


def test_item_42_centre() -> None:
    score = scored({}, {"H1": (3, "dye-1", "spice-0")}, {"H1.dye": 1, "H1.spice": 1})
    assert score["markers"]["H1"] == {"dye": 0, "spice": -1, "fur": 0}
    assert score["monopolies"] == [0, 10]


@pytest.mark.parametrize(("position", "bonus"), [(1, 0), (2, 0), (3, 0), (4, 10), (5, 20)])
@pytest.mark.parametrize(("harbor", "goods"), TRACKS)
def test_item_43_bonus_is_added(harbor: str, goods: str, position: int, bonus: int) -> None:
    score = scored({}, {}, {f"{harbor}.{goods}": position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([10, 0], [bonus, 0], [310 + bonus, 300])
    score = scored({}, {}, {f"{harbor}.{goods}": -position})
    assert (score["monopolies"], score["bonus"], score["cash"]) == ([0, 10], [0, bonus], [300, 310 + bonus])


def test_item_43_every_scoring_pays_again() -> None:
    game = table(rounds=3)
    game.markers["H2"]["cloth"] = 5
    for _ in range(3):
        empty_bag(game)
    assert [event["cash"] for event in lines(game, "score_round")] == [[330, 300], [360, 300], [390, 300]]


def test_item_43_passing_a_bonus_space_pays_nothing() -> None:
    score = scored({"H1": (5, *SIX_STEPS[1:3])}, {}, {"H1.dye": -5})
    assert (score["markers"]["H1"]["dye"], score["bonus"]) == (-2, [0, 0])


def test_item_44_markers_are_not_reset() -> None:
    game = table(rounds=2)
    game.markers["H3"]["fur"] = -5
    empty_bag(game)
    assert (game.round, game.markers["H3"]["fur"]) == (2, -5)


def test_item_45_harbors_are_independent() -> None:
    score = scored({"H1": (3, "dye-1", "dye-2")}, {"H2": (3, "dye-0", "dye-3")})
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (2, -3)


def test_item_46_ships_come_home() -> None:
    game = sell(table(rounds=2), 3, MEDICI, (3, "H1"))
    empty_bag(game)
    assert game.round == 2
    assert game.ships == [{3: (None, []), 4: (None, []), 5: (None, [])}] * 2
    first = lines(game, "score_round")[0]
    assert first["markers"]["H1"]["dye"] == 4  # dye-0, dye-1, dye-2
    empty_bag(game)
    assert lines(game, "score_round")[1]["markers"] == first["markers"]
    assert lines(game, "score_round")[1]["harbors"] == [0, 0]


def test_item_47_payouts_are_multiples_of_ten() -> None:
    for seed in range(20):
        for event in lines(random_game(base_components(), seed), "score_round"):
            payments = event["harbors"] + event["monopolies"] + event["bonus"]
            assert all(type(payment) is int and payment >= 0 and payment % 10 == 0 for payment in payments)


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


def test_golden_2_net_movement() -> None:
    white, green, blue, other = "fur", "spice", "dye", "cloth"
    score = scored(
        {"H1": (5, f"{white}-4a", f"{green}-4a", f"{green}-3", f"{blue}-4a", f"{other}-1")},
        {"H1": (4, "gold-a", f"{blue}-3", f"{blue}-4b", f"{green}-1")},
    )
    assert score["harbors"] == [20, 0]  # 16 against 13
    assert score["markers"]["H1"] == {white: 1, green: 1, blue: -1}


def test_golden_3_rulebook_turn() -> None:
    game = say(show(table(["cloth-2", "fur-3"]), 2), (MEDICI, 7), (STROZZI, False), (MEDICI, (4, "H2")))
    assert game.events[1:7] == [
        {"type": "reveal", "player": MEDICI, "tile": "cloth-2"},
        {"type": "reveal", "player": MEDICI, "tile": "fur-3"},
        {"type": "price", "player": MEDICI, "price": 7},
        {"type": "answer", "player": STROZZI, "buy": False},
        {"type": "load", "player": MEDICI, "ship": 4, "harbor": "H2", "tiles": ["cloth-2", "fur-3"]},
        {"type": "reveal", "player": MEDICI, "tile": "dye-0"},
    ]
    assert game.cash == [293, 300]
    assert game.ships[MEDICI] == {3: (None, []), 4: ("H2", ["cloth-2", "fur-3"]), 5: (None, [])}

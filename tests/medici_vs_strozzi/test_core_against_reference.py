"""The compiled core and the plain-Python rules agree at every decision of thousands of random games."""

import pytest

from medici_games import BASE, SHIPPED, SWITCHES, option_of, side_by_side, variant
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.view import view_of

SHARED = ("round", "start_player", "proposer", "lot", "price", "buyer", "ships", "markers", "bag_left", "over")  # fmt: skip
KIND = {s.REVEAL: "reveal", s.PRICE: "price", s.ANSWER: "answer", s.PLACE: "place"}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def in_order(ships):
    return [{capacity: [harbor, sorted(tiles)] for capacity, (harbor, tiles) in fleet.items()} for fleet in ships]


def assert_same_decision(table, reference, replay):
    assert table.over == reference.over, replay
    if table.over:
        return
    assert table.actor == reference.actor, replay
    assert KIND[int(table.state["phase"][0])] == reference.question.kind, replay
    options = [option_of(action, table.variant.components) for action in table.legal]
    if reference.question.kind == "price":
        assert options == list(range(table.variant.components["price_space"]["action_space_cap"] + 1)), replay
        assert options[-1] in reference.legal, replay
    else:
        assert len(options) == len(reference.legal), replay
        assert set(options) == set(reference.legal), replay


def assert_same_position(table, reference, replay):
    view = view_of(table.state[0], table.variant.components, 0)
    for name in SHARED:
        if view.over and name in ("lot", "price", "buyer", "proposer"):
            continue
        mine, theirs = getattr(view, name), getattr(reference, name)
        if name == "ships":
            mine, theirs = in_order(mine), in_order(theirs)
        assert plain(mine) == plain(theirs), f"{name}: {replay}"
    assert sorted(view.discards) == sorted(reference.discards), replay
    assert table.state["cash"][0].tolist() == reference.cash, replay


@pytest.mark.parametrize("name", [*SHIPPED, *SWITCHES])
def test_every_decision_is_the_same(name):
    played = variant(name)
    for deal in range(300 if name == "base" else 150):
        replay = f"variant {name}, seed 11, deal {deal}"
        decisions = 0
        for table, reference in side_by_side(played, deal):
            assert_same_decision(table, reference, f"{replay}, decision {decisions}")
            if deal < 25 or table.over:
                assert_same_position(table, reference, f"{replay}, decision {decisions}")
            decisions += 1
        assert table.lines() == reference.events, replay
        assert decisions > 20


def test_start_player_is_an_argument():
    for table, reference in side_by_side(BASE, 0, start_player=1):
        assert_same_decision(table, reference, "start player 1")
        assert_same_position(table, reference, "start player 1")
    assert table.lines()[0] == {"type": "round", "round": 1, "start_player": 1}

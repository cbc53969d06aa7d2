"""The compiled core and the plain-Python rules agree at every decision of thousands of random games."""

import pytest

from strozzi_games import BASE, SWITCHES, option_of, side_by_side, variant
from strozzi_sim.games.strozzi.view import view_of

SHARED = (
    "round", "start_player", "active", "deck_left", "flags", "ports", "tracks", "display", "coins", "over",
)  # fmt: skip


def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def assert_same_decision(table, reference, replay):
    view = view_of(table.state[0], table.variant.components, 0)
    assert table.over == reference.over, replay
    if not table.over:
        assert table.actor == reference.actor, replay
        assert tuple(option_of(action, view.display) for action in table.legal) == reference.legal, replay
        assert view.ship == reference.ship, replay
        assert (view.holder, view.holder_flag) == (reference.holder, reference.holder_flag), replay
    return view


def assert_same_position(view, reference, replay):
    for name in SHARED:
        if not (view.over and name == "active"):
            assert plain(getattr(view, name)) == plain(getattr(reference, name)), f"{name}: {replay}"
    assert [sorted(tiles) for tiles in view.tiles] == [sorted(tiles) for tiles in reference.tiles], replay
    if not view.over:
        assert sorted(view.aside) == sorted(reference.aside), replay


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        *((name, 0, 15) for name in SWITCHES),
        *(pytest.param(name, 15, 40, marks=pytest.mark.slow) for name in SWITCHES),
        pytest.param("base", 40, 250, marks=pytest.mark.slow),
    ],
)
def test_every_decision_is_the_same(name, first, last, players):
    chosen = variant(name)
    for deal in range(first, last):
        replay = f"variant {name}, {players} players, seed 11, deal {deal}"
        decisions = 0
        for table, reference in side_by_side(chosen, players, deal):
            view = assert_same_decision(table, reference, f"{replay}, decision {decisions}")
            if deal < 15 or table.over:
                assert_same_position(view, reference, f"{replay}, decision {decisions}")
            decisions += 1
        assert table.lines() == reference.events, replay
        assert decisions > 20


def test_start_player_is_an_argument():
    for table, reference in side_by_side(BASE, 4, 0, start_player=2):
        view = assert_same_decision(table, reference, "start player 2")
        assert_same_position(view, reference, "start player 2")
    assert table.lines()[1] == {"type": "round", "round": 1, "start_player": 2}

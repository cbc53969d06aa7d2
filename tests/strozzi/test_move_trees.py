"""Counted move trees for fixed deals: core against the reference where it is small, golden counts where it is not."""

import numpy as np
import pytest
from numba import int64, njit

from strozzi_games import BASE, STROZZI, chance_of, option_of, variant
from strozzi_sim.games.contract import apply, count_legal, is_over, kth_legal
from strozzi_sim.games.strozzi.reference import Game as Reference
from strozzi_sim.games.strozzi.view import view_of
from strozzi_sim.kernel.pointers import clone
from strozzi_sim.play.position import Position


@njit
def leaves(state, rules, chance, depth):
    """Positions after `depth` decisions; finished games count as one."""
    if depth == 0 or is_over(state):
        return int64(1)
    total = int64(0)
    for k in range(count_legal(state, rules)):
        branch, luck = clone(state), clone(chance)
        apply(branch, rules, kth_legal(state, rules, k), luck, None)
        total += leaves(branch, rules, luck, depth - 1)
    return total


@njit
def count(states, rules, chances, depth):
    return leaves(states[0], rules[0], chances[0], depth)


def core_leaves(chosen, players, deal, depth):
    table = Position(STROZZI, chosen, players, seed=5, deal=deal)
    return count(table.state, chosen.rules, table._chance, depth)


def reference_leaves(chosen, players, deal, depth):
    """The same count by replaying every path through the reference."""
    longest = Position(STROZZI, chosen, players, seed=5, deal=deal)
    while not longest.over and int(longest.state["round"][0]) == 0:
        longest.play(longest.legal[0])  # always pass, so that the whole deck of round 1 is seen
    ships, _ = chance_of(longest.lines())

    def below(path):
        table = Position(STROZZI, chosen, players, seed=5, deal=deal)
        for action in path:
            table.play(action)
        _, tiles = chance_of(table.lines())
        reference = Reference(chosen.components, players, ships, tiles)
        replayed = Position(STROZZI, chosen, players, seed=5, deal=deal)
        for action in path:
            reference.play(option_of(action, view_of(replayed.state[0], chosen.components, 0).display))
            replayed.play(action)
        options = tuple(option_of(a, view_of(table.state[0], chosen.components, 0).display) for a in table.legal)
        assert options == reference.legal, path
        if len(path) == depth - 1:
            return len(reference.legal)
        return sum(below([*path, action]) for action in table.legal)

    return below([])


@pytest.mark.parametrize("players", [pytest.param(3, marks=pytest.mark.slow), 4, 5, 6])
@pytest.mark.parametrize(
    "name", ["base", *(pytest.param(n, marks=pytest.mark.slow) for n in ("second-lap", "tile-optional"))]
)
def test_core_counts_what_the_rules_allow(name, players):
    chosen = variant(name)
    assert core_leaves(chosen, players, 1, 4) == reference_leaves(chosen, players, 1, 4)


# players -> leaves after 1, 2, ... decisions of seed 5, deal 0; raised with `behaviour` only
GOLDEN = {
    3: [4, 11, 33, 106, 341, 1011, 3094, 9383, 26715, 74383, 208085, 578577],
    4: [4, 11, 30, 94, 301, 920, 2904, 8758, 26308, 76001, 212304, 588853],
    5: [4, 11, 30, 94, 293, 871, 2585, 7995, 24448, 74273, 221047, 643529],
    6: [4, 11, 30, 94, 293, 888, 2692, 8111, 24558, 73342, 213563, 618135],
}


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_golden_counts(players):
    assert [core_leaves(BASE, players, 0, depth) for depth in range(1, 13)] == GOLDEN[players]


def test_counting_leaves_the_position_alone():
    table = Position(STROZZI, BASE, 4, seed=5, deal=0)
    before = table.state.tobytes(), table._chance.tobytes()
    count(table.state, BASE.rules, table._chance, 5)
    assert (table.state.tobytes(), table._chance.tobytes()) == before
    assert isinstance(before[0], bytes)
    assert np.any(table.state["legal"])

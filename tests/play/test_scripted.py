"""Chance by script, in the games: every way it can take, once, with its probability."""

from collections import Counter
from math import isclose, perm

import numpy as np
import pytest

from strozzi_sim.game import load_game
from strozzi_sim.game.variants import from_changes, resolve_variant
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.play.kernels import kernels
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import ScriptEnded, branches, successor_states

pytestmark = pytest.mark.slow

FEW_SHIPS = {"ships": [
    {"id": f"S{k}", "sail": k, "venice": 1, "rome": 0, "naples": 2, "scrolls": k % 2, "promotion": k % 2} for k in range(5)
], "promotion_tiles": [
    {"id": f"T{k}", "category": "art", "value": k, "ware": ""} for k in range(4)
], "setup": {"cards_removed": {str(players): 1 for players in (3, 4, 5, 6)}, "promotion_tiles_face_up": 2}}  # fmt: skip


def shown(variant, game, state, seat=0):
    return game.view.view_of(state[0], variant.components, seat)


def initial_states(game, rules, players, start_player=0):
    """Every state that can be dealt, and its probability."""
    kernel = kernels(game, scripted=True).deal
    return branches(np.zeros(1, game.state), lambda state, script: kernel(state, rules, script, players, start_player))


def test_strozzi_is_dealt_in_every_way_once():
    game = load_game("strozzi")
    few = from_changes(game, "few", FEW_SHIPS, "few")
    dealt = [(shown(few, game, state), chance) for state, chance in initial_states(game, few.rules, 3)]
    assert len(dealt) == perm(4, 2) * 5  # two tiles face up, and the first ship
    assert {(view.display, view.ship) for view, _ in dealt} == {
        ((f"T{a}", f"T{b}"), f"S{ship}") for a in range(4) for b in range(4) if a != b for ship in range(5)
    }
    assert all(isclose(chance, 1 / 60) for _, chance in dealt)


def test_positions_by_script_are_those_ways():
    game = load_game("strozzi")
    few, waiting, dealt = from_changes(game, "few", FEW_SHIPS, "few"), [[]], []
    while waiting:
        script = waiting.pop()
        try:
            dealt.append(Position(game, 3, variant=few, chance=script).state.tobytes())
        except ScriptEnded as ended:
            waiting += [[*script, outcome] for outcome in range(ended.outcomes)]
    assert sorted(dealt) == sorted(state.tobytes() for state, _ in initial_states(game, few.rules, 3))


@pytest.mark.slow
def test_medici_vs_strozzi_is_dealt_in_every_way_once():
    game, base = load_game("medici_vs_strozzi"), resolve_variant(load_game("medici_vs_strozzi"), "base")
    lots = Counter(shown(base, game, state).lot for state, _ in initial_states(game, base.rules, 2, start_player=1))
    assert set(lots.values()) == {1}
    assert len(lots) == 26


@pytest.mark.parametrize("name", ["strozzi", "medici_vs_strozzi"])
def test_seeded_games_take_one_of_the_ways_and_probabilities_add_up_to_1(name):
    game = load_game(name)
    variant = resolve_variant(game, "base")
    for deal in range(3):
        position = Position(game, game.player_counts[0], seed=3, deal=deal, variant=variant)
        while not position.over:
            action = position.legal[(deal + len(position.journal)) % len(position.legal)]
            before = exact_copy(position.state)
            position.play(action)
            ways = list(successor_states(game, variant.rules, before, action))
            assert isclose(sum(chance for _, chance in ways), 1.0)
            assert position.state.tobytes() in {state.tobytes() for state, _ in ways}


def test_what_is_likely_by_script_happens_as_often_in_seeded_games():
    game = load_game("strozzi")
    few = from_changes(game, "few", FEW_SHIPS, "few")
    likely = Counter()
    for state, chance in initial_states(game, few.rules, 3):
        likely[shown(few, game, state).ship] += chance
    found = Counter(Position(game, 3, seed=0, deal=deal, variant=few).view(0).ship for deal in range(1000))
    expected = np.array([1000 * likely[ship] for ship in sorted(found)])
    assert (((np.array([found[ship] for ship in sorted(found)]) - expected) ** 2) / expected).sum() < 20

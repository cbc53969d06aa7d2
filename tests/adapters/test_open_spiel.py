"""OpenSpiel's own simulation passes for every game and player count; its searches play, and it solves tiny variants."""

import copy
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from medici_games import SOLVABLE
from needed import need
from our_games import OUR_GAMES
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position

pyspiel = need("pyspiel")

from open_spiel.python.algorithms import cfr, exploitability, mcts
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.observation import make_observation

from strozzi_sim.adapters import open_spiel

COUNTS = [(name, players) for name in OUR_GAMES for players in load_game(name).player_counts]


def random_game(game, seed, states=lambda state: None):
    """Play a game at random, and return its last state; `states` is called with every state."""
    draws, state = np.random.default_rng(seed), game.new_initial_state()
    while not state.is_terminal():
        states(state)
        state.apply_action(int(draws.choice(state.legal_actions())))
    states(state)
    return state


@pytest.mark.nightly_for("strozzi-4", "strozzi-5", "strasbourg-3", "strasbourg-4", "strasbourg-5")
@pytest.mark.slow_for("strozzi-6")
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_the_simulation_of_open_spiel_passes(name, players):
    game = pyspiel.load_game(f"python_{name}", {"players": players})
    assert game.num_players() == players
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_a_game_is_that_of_a_position_with_these_draws(name):
    game = pyspiel.load_game(f"python_{name}")
    state = random_game(game, seed=3)
    outcomes = [each.action for each in state.full_history() if each.player == pyspiel.PlayerId.CHANCE]
    position = Position(name, game.num_players(), chance=outcomes)
    for each in state.full_history():
        if each.player >= 0:
            assert each.player == position.actor
            position.play(each.action)
    assert position.over
    won = [place == min(position.places) for place in position.places]
    assert [value > -1 / (game.num_players() - 1) for value in state.returns()] == won
    assert sum(state.returns()) == pytest.approx(0)


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_states_are_copied_and_stored(name):
    game = pyspiel.load_game(f"python_{name}")
    seen = []

    def look(state):
        seen.append(str(state))
        if len(seen) % 20 == 1:
            for other in (state.clone(), game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))):
                assert str(other) == str(state)
                assert other.legal_actions() == state.legal_actions()
            before = str(state)
            if not state.is_terminal():
                copied = copy.deepcopy(state)
                copied.apply_action(copied.legal_actions()[-1])
                assert str(state) == before != str(copied)

    random_game(game, 1, look)
    assert len(set(seen)) == len(seen)
    again = pickle.loads(pickle.dumps(game))
    assert str(again) == str(game)


def test_information_states_have_perfect_recall_and_no_secrets():
    """Equal for a seat where it saw and did the same, whatever else happened; a seat's own plan shows to it alone."""
    game = pyspiel.load_game("python_strasbourg(players=3)")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    mover = state.current_player()
    first, second = (state.child(action) for action in state.legal_actions()[:2])
    for after in (first, second):
        while after.is_chance_node():
            after.apply_action(0)
    assert first.information_state_string(mover) != second.information_state_string(mover)
    assert first.information_state_tensor(mover) != second.information_state_tensor(mover)
    for other in {0, 1, 2} - {mover}:
        assert first.information_state_string(other) == second.information_state_string(other)
        assert first.information_state_tensor(other) == second.information_state_tensor(other)
        assert first.observation_string(other) == second.observation_string(other)


@pytest.mark.parametrize("players", [3, 5])
def test_resampling_keeps_an_information_state_and_changes_the_rest(players):
    game = pyspiel.load_game("python_strasbourg", {"players": players})
    draws, found = np.random.default_rng(0), Counter()

    def look(state):
        if state.current_player() < 0 or draws.random() > 0.1:
            return
        for seat in range(players):
            other = state.resample_from_infostate(seat, draws.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert other.observation_string(seat) == state.observation_string(seat)
            found[str(other.node.decision.state) == str(state.node.decision.state)] += 1
            assert str(game.deserialize_state(other.serialize())) == str(other)
            if seat == state.current_player():
                assert other.legal_actions() == state.legal_actions()
                other.apply_action(other.legal_actions()[0])
                while not other.is_terminal():
                    other.apply_action(int(draws.choice(other.legal_actions())))

    random_game(game, 4, look)
    assert found[False] > 5 * found[True]


def test_resampling_where_nothing_is_hidden_is_a_copy():
    state = pyspiel.load_game("python_strozzi(players=3)").new_initial_state()
    with pytest.raises(InputError, match="chance must draw first"):
        state.resample_from_infostate(0, lambda: 0.5)
    while state.is_chance_node():
        state.apply_action(1)
    assert str(state.resample_from_infostate(0, lambda: 0.5)) == str(state)


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_searches_of_open_spiel_play(name):
    game = pyspiel.load_game(f"python_{name}")
    rollout, seed = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), np.random.RandomState(1)
    for bot in (
        mcts.MCTSBot(game, 2.0, 2, rollout, random_state=seed),
        ISMCTSBot(game, rollout, 2.0, 2, random_state=seed),
    ):
        draws, state = np.random.default_rng(1), game.new_initial_state()
        moves = 0
        while not state.is_terminal():
            if not state.is_chance_node() and moves % 10 == 0:
                action = int(bot.step(state))
                assert action in state.legal_actions()
            else:
                action = int(draws.choice(state.legal_actions()))
            moves += not state.is_chance_node()
            state.apply_action(action)


@pytest.mark.slow
def test_counterfactual_regrets_solve_a_tiny_variant():
    game = open_spiel.load_game("medici_vs_strozzi", variant=SOLVABLE)
    assert str(game) == "python_medici_vs_strozzi(players=2,variant=solvable)"
    solver, gaps = cfr.CFRSolver(game), []
    for iteration in range(40):
        solver.evaluate_and_update_policy()
        if iteration in (3, 39):
            gaps.append(exploitability.exploitability(game, solver.average_policy()))
    assert 0 <= gaps[1] < 0.03 < gaps[0]
    assert str(pyspiel.load_game("python_medici_vs_strozzi", {"variant": "solvable"})) == str(game)
    with pytest.raises(InputError, match="'solvable' is already the name of other changes"):
        open_spiel.load_game("medici_vs_strozzi", variant={"solvable": {"rounds": {"reveal_max": 2}}})


def test_observers_have_named_parts():
    game = pyspiel.load_game("python_strozzi(players=3)")
    state = random_game(game, 2)
    observation = make_observation(game)
    observation.set_from(state, 1)
    position = state.node.decision
    assert observation.dict["phase"].shape == (4,)
    assert observation.tensor.tolist() == state.observation_tensor(1)
    assert len(state.observation_tensor(1)) == load_game("strozzi").observation_size
    assert observation.string_from(state, 1).startswith("seat 1\n")
    assert position.actor == -1
    kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(InputError, match="must have public_info=True, private_info=SINGLE_PLAYER"):
        game.make_py_observer(kind)
    with pytest.raises(InputError, match="takes no parameters"):
        game.make_py_observer(None, {"x": 1})


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="7"):
        open_spiel.load_game("strozzi", 7)
    with pytest.raises(InputError, match="unknown variant 'lng'"):
        open_spiel.load_game("strozzi", variant="lng")
    changed = replace(Variant.of("strozzi", values={"setup.rounds": 1}), name="base")
    with pytest.raises(InputError, match="'base' is already the name of other changes"):
        open_spiel.load_game("strozzi", variant=changed)
    state = pyspiel.load_game("python_strozzi").new_initial_state()
    with pytest.raises(InputError, match="99 is not an outcome of this draw; outcomes: 0 to 35"):
        state.node.after(99)

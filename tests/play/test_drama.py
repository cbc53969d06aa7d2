"""The drama of `luck`: planted games of chance and of kings are read as what they are."""

from types import SimpleNamespace

import numpy as np
import pytest

from strozzi_sim.agent import compiled_agent, load_agent, spec_of
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game import load_game
from strozzi_sim.play.drama import (
    HALFWAY,
    HALVES,
    KINGMAKING,
    Rollouts,
    drama_figures,
    drama_of,
    follow,
    follow_to_half,
    halves_of,
)
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow


def match_of(game="strozzi", players=3, agent="random", variant="base", seed=5):
    found = load_game(game)
    return Match(found, players, (load_agent(agent, found),), Position(found, players, variant=variant).variant, seed)


def test_playouts_of_a_state_repeat_and_depend_on_their_key_alone():
    match = match_of(agent="heuristic")
    position = Position("strozzi", 3, seed=1)
    one, two = Rollouts(match), Rollouts(match)
    for _ in range(2):
        assert np.array_equal(one.from_state(position.state, 7, 50)[1], two.from_state(position.state, 7, 50)[1])
    assert np.array_equal(one.from_state(position.state, 7, 20)[1], two.from_state(position.state, 7, 50)[1][:20])
    assert not np.array_equal(one.from_state(position.state, 7, 50)[1], two.from_state(position.state, 8, 50)[1])
    assert position.state.tobytes() == Position("strozzi", 3, seed=1).state.tobytes()


@pytest.mark.slow
def test_playouts_of_an_action_are_those_of_the_position_after_it():
    """Strozzi's passing is a decision without chance: the mean score goes on where the action leads."""
    match = match_of(agent="heuristic")
    position = Position("strozzi", 3, seed=1)
    after = position.copy()
    after.play(position.legal[1])
    direct = Rollouts(match).from_state(position.state, 7, 20_000, position.legal[1])[1]
    later = Rollouts(match).from_state(after.state, 11, 20_000)[1]
    error = np.hypot(direct.std(axis=0), later.std(axis=0)) / np.sqrt(20_000)
    assert (abs(direct.mean(axis=0) - later.mean(axis=0)) < 4.5 * error).all()


def test_a_restricted_or_a_python_agent_has_no_playouts():
    game = load_game("strozzi")
    with pytest.raises(InputError, match="playouts need compiled agents without restrictions"):
        Rollouts(Match(game, 3, (load_agent("heuristic~flag:pirate", game),), Position(game, 3).variant, 0))


@compiled_agent(name="wrong", games=("strozzi",))
def wrong(state, rules, params, memory, rng):
    """Chooses what is never legal."""
    return 77


def test_the_fault_of_a_playout_names_the_agent_of_its_seat():
    game = load_game("strozzi")
    lineup = (load_agent("random", game), spec_of(wrong, game))
    rollouts = Rollouts(Match(game, 3, lineup, Position(game, 3).variant, 0))
    words = r"agent 'wrong' at seat 1 chose the illegal action 77 \(in a playout of strozzi\)$"
    with pytest.raises(AgentFault, match=words):
        rollouts.from_state(Position(game, 3, seed=1).state, 7, 1)


@pytest.mark.parametrize(
    ("chances", "decided", "changes", "lowest"),
    [
        ([[1, 0], [1, 0], [1, 0], [1, 0]], 0.0, 0, 1.0),
        ([[0.5, 0.5], [0.4, 0.6], [0.96, 0.04], [1, 0]], 0.5, 1, 0.4),
        ([[0.97, 0.03], [0.3, 0.7], [0.55, 0.45], [0.6, 0.4]], 1.0, 2, 0.3),  # 0.55 is no clear favourite
    ],
)
def test_drama_of_told_chances(chances, decided, changes, lowest):
    found = drama_of(np.array(chances), np.array([True, False]), np.arange(4) / 4, 10_000)
    assert found == (decided, changes, pytest.approx(lowest))


def test_winners_who_share_are_taken_together():
    chances = np.array([[0.5, 0.47, 0.03], [0.5, 0.5, 0]])
    assert drama_of(chances, np.array([True, True, False]), np.array([0, 0.5]), 10_000)[0] == 0.0


def plant(monkeypatch, chances):
    """Let playouts of a state with an action end as `chances(state, action)` says, float[P]."""

    def from_state(self, state, word, count, action=0):
        drawn = np.random.default_rng(word % 2**32).choice(self.match.players, size=count, p=chances(state, action))
        wins = np.eye(self.match.players, dtype=np.int64)[drawn] * WIN_UNITS
        return wins, np.zeros_like(wins)

    monkeypatch.setattr(Rollouts, "from_state", from_state)


def test_a_game_that_is_decided_at_its_start_is_a_runaway(monkeypatch):
    match = match_of()
    won = Position("strozzi", 3, seed=5)
    while not won.over:
        won.play(won.ask("random"))
    shares = (np.array(won.places) == min(won.places)) / 1.0
    plant(monkeypatch, lambda state, action: shares / shares.sum())
    assert follow(match, match, 0, 100).decided == 0
    assert follow(match, match, 0, 100).runaway == 1
    plant(monkeypatch, lambda state, action: np.full(3, 1 / 3))
    story = follow(match, match, 0, 1000)
    assert (story.decided, story.runaway, story.lead_changes, story.kingmaking) == (1, 0, 0, 0)


def test_a_game_followed_to_its_half_has_the_leader_of_its_story():
    match = match_of()
    halves = [follow_to_half(match, match, deal, 60) for deal in range(4)]
    assert halves == [follow(match, match, deal, 60).halfway for deal in range(4)]
    assert drama_figures(match, match, 3, 50)[HALFWAY].n == halves_of(match, 3) == HALVES
    assert halves_of(match, HALVES + 1) == HALVES + 1
    assert halves_of(SimpleNamespace(in_python=True), 30) == 30


@pytest.mark.parametrize(("gain", "kings"), [(0.4, True), (0.0, False)])
def test_a_seat_that_cannot_win_and_chooses_who_does_is_found(monkeypatch, gain, kings):
    """Seat 2 never wins; each of its odd actions moves `gain` from seat 0 to seat 1."""
    match = match_of()
    plant(monkeypatch, lambda state, action: np.array([0.7, 0.3, 0]) + (action % 2) * gain * np.array([-1, 1, 0]))
    found = drama_figures(match, match, 30, 100)[KINGMAKING]
    assert (found.value > 0.05) == kings
    assert found.value > 0 or not kings

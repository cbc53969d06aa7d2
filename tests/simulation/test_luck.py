"""Luck in the loop: mean zero whatever the evaluator says, the same games as without it, the parts of a total."""

from functools import partial

import numpy as np
import pytest

from strozzi_games import KIT, STROZZI
from strozzi_sim.agent import Param, compiled_agent, load_agent, spec_of
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, worth_field
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import actor, score
from strozzi_sim.simulation.luck import LUCK_FIELDS, LuckMethod
from strozzi_sim.stats.luck import LuckSums

pytestmark = pytest.mark.slow

_WORTH = np.dtype([worth_field(6)], align=True)


def _nonsense(state, rules, params, memory, rng):
    """A worth that means nothing: bits of the position and of a counter, large and without any sense."""
    for seat in range(state.players):
        mixed = (state.ship * 7919 + state.deck * 104_729 + seat * 15_485_863 + score(state, seat) * 31) % 1009
        memory.worth[seat, 0] = mixed * params.size
        memory.worth[seat, 1] = (mixed * mixed) % 977 - 400.0
        memory.worth[seat, 2] = 1.0 if mixed > 500 else 0.0
    return 0


def _simple(state, rules, params, memory, rng):
    """A fast ship is worth something to who turned it over."""
    for seat in range(state.players):
        there = float(rules.sail[state.ship]) if seat == state.active else 0.0
        memory.worth[seat, 0] = score(state, seat) + 3.0 * there
        memory.worth[seat, 1] = memory.worth[seat, 2] = there
    return 0


def _first(state, rules, params, memory, rng):
    return actor(state) * 0 + state.first_action


NONSENSE = spec_of(
    compiled_agent(name="nonsense", games=("strozzi",), memory=_WORTH, evaluation=_nonsense, size=Param(3.0))(_first)
)
SIMPLE = spec_of(compiled_agent(name="simple", games=("strozzi",), memory=_WORTH, evaluation=_simple)(_first))
LEARNED = load_agent("learned", STROZZI)


match = partial(KIT.match, players=4, seed=5)


@pytest.mark.slow
@pytest.mark.slow_for("lineup0-evaluator0", "lineup0-evaluator2")
@pytest.mark.parametrize(("evaluator", "deals"), [(NONSENSE, 4000), (SIMPLE, 4000), (LEARNED, 200)])
@pytest.mark.parametrize("lineup", [("heuristic",), ("random", "greedy", "heuristic", "random")])
def test_its_mean_is_zero_whatever_the_evaluator_says(evaluator, deals, lineup):
    measured = LuckMethod(evaluator, 4)
    chunks = 40
    parts = [(k * deals // chunks, (k + 1) * deals // chunks) for k in range(chunks)]
    outcome = np.concatenate([match(*lineup).play(*part, luck=measured).outcome for part in parts])
    for position in range(len(lineup)):
        for worth in (SCORE, LEAD, WIN):
            luck = outcome["luck"][:, position, :4, worth].sum(axis=1)
            error = luck.std(ddof=1) * np.sqrt(chunks)
            assert 0 < abs(luck.sum()) <= 4.5 * error, (position, worth)


def test_games_are_those_without_it():
    plain, measured = match("heuristic", "random"), match("heuristic", "random")
    without, with_luck = plain.play(0, 30, rows=True), measured.play(0, 30, rows=True, luck=LuckMethod(NONSENSE, 3))
    assert without.rows.tobytes() == with_luck.rows.tobytes()
    for name in without.outcome.dtype.names:
        assert (without.outcome[name] == with_luck.outcome[name]).all()
    assert set(with_luck.outcome.dtype.names) - set(without.outcome.dtype.names) == {name for name, *_ in LUCK_FIELDS}


def test_sums_of_parts_are_those_of_the_whole():
    played = match("heuristic", "random", seatings="rotate")
    whole = played.play(0, 20, luck=LuckMethod(LEARNED, 2)).outcome
    parts = [played.play(first, last, luck=LuckMethod(LEARNED, 2)).outcome for first, last in ((0, 7), (7, 20))]
    for name, *_ in LUCK_FIELDS:
        np.testing.assert_allclose(parts[0][name] + parts[1][name], whole[name], rtol=1e-9)
    again = played.play(0, 20, luck=LuckMethod(LEARNED, 2)).outcome
    assert again.tobytes() == whole.tobytes()


def test_it_is_the_same_with_agents_in_python(tmp_path):
    bots = tmp_path / "bots.py"
    bots.write_text(
        "from strozzi_sim.agent import python_agent\n\n\n"
        '@python_agent(name="first", games=("strozzi",))\nclass First:\n    """Takes the first."""\n\n'
        "    def act(self, view, legal, rng):\n        return legal[0]\n"
    )
    outcome = match(f"{bots}::first", "heuristic").play(0, 6, luck=LuckMethod(LEARNED, 2)).outcome
    assert (outcome["luck_squares"][0, 1, 1] > 0).all()


@pytest.mark.slow
def test_good_values_explain_what_happens():
    played = match("heuristic")
    outcome = np.concatenate([played.play(10 * k, 10 * k + 10, luck=LuckMethod(LEARNED, 8)).outcome for k in range(40)])
    count = outcome["games"][:, None]
    scores, luck = (outcome[name][:, 0, 0] for name in ("scores", "luck"))
    parts = [outcome[name][:, 0, 0, SCORE][:, None] for name in ("luck", "luck_squares", "luck_products")]
    assert luck.shape == (40, 3)
    saved = LuckSums(scores[:, None].astype(float), *parts, count).games_saved()
    assert saved.value[0] > 1.3


def test_an_agent_that_does_not_evaluate_is_refused():
    with pytest.raises(InputError, match="agent 'heuristic' does not evaluate positions"):
        LuckMethod(load_agent("heuristic", STROZZI))
    with pytest.raises(InputError, match="redraws must be from 1 to 10,000, got 0"):
        LuckMethod(LEARNED, 0)


def test_an_evaluator_without_the_field_is_refused():
    wrong = compiled_agent(name="wrong", games=("strozzi",), evaluation=_first)(_first)
    with pytest.raises(AgentFault, match=r"an agent that evaluates has a field worth, float64\[P, 3\]"):
        match("heuristic").play(0, 1, luck=LuckMethod(spec_of(wrong)))

"""The learned values of every game: features that say what a seat knows, worth that is exact in the end, and more wins."""

from functools import cache
from importlib import import_module

import numpy as np
import pytest
from numba import types

from every_kit import KITS
from machine_code import worth_of
from strozzi_agents.learned.train import Stage, Trainer
from strozzi_agents.learned.verbs import describe
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.agent.compile import compile_evaluator
from strozzi_sim.errors import InputError
from strozzi_sim.games.medici_vs_strozzi.state import REVEAL
from strozzi_sim.games.strasbourg.state import DRAW
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.record_types import exact_copy, record_type
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

QUIET = {  # game -> (agent, players, whether nothing is under way at a state)
    "strozzi": ("heuristic", 4, lambda state: state["phase"] == 0 and state["actor"] == state["active"]),
    "medici_vs_strozzi": ("fair-price", 2, lambda state: state["phase"] == REVEAL and state["shown"] == 1),
    "strasbourg": ("heuristic", 4, lambda state: state["phase"] == DRAW),
}
POSITIONS = [  # a game, and a number of actions after which the next quiet position comes
    ("strozzi", 0), ("strozzi", 15), ("strozzi", 80), ("medici_vs_strozzi", 0), ("medici_vs_strozzi", 90),
    ("strasbourg", 0), ("strasbourg", 150), ("strasbourg", 250),
]  # fmt: skip
of_every_game = pytest.mark.parametrize("name", QUIET)


def quiet_position(name, moves, players=None):
    """The first quiet position after so many actions."""
    agent, most, is_quiet = QUIET[name]
    table = Position(name, players or most, seed=1, deal=0)
    guide = load_agent(agent, table.game)
    while len(table.actions) < moves or not is_quiet(table.state[0]):
        table.play(table.ask(guide))
    return table


@cache
def describer(name):
    """Return a function of a state, array of shape (1,), and of rules if they are not those of base, that returns the features."""
    game, base = KITS[name].game, KITS[name].variant("base")
    features = import_module(f"strozzi_agents.{name}.features")

    def call(state, rules, guide, out):
        describe(state, rules, guide, out)

    game.register()
    records = (record_type(dtype) for dtype in (game.state, game.rules, features.GUIDE))
    kernel = entry(jit(call), types.void(*records, types.float32[::1]), game.name)

    def described(state, rules=base.rules):
        players = int(state["players"][0]) if "players" in state.dtype.names else 2
        out = np.full(features.COMMON + players * features.OWN, np.nan, np.float32)
        kernel(state[0], exact_copy(rules)[0], np.zeros(1, features.GUIDE)[0], out)
        return out

    return described


@pytest.mark.parametrize(("name", "moves"), POSITIONS)
def test_every_feature_is_written_and_small(name, moves):
    for players in (KITS[name].game.player_counts[0], KITS[name].game.player_counts[-1]):
        found = describer(name)(quiet_position(name, moves, players).state.copy())
        assert np.isfinite(found).all()
        assert np.abs(found).max() < 12
        assert 20 < np.count_nonzero(found) < len(found)


def with_other_chance(state):
    """A state that differs in what was just shown and in the order of what was not."""
    other = state.copy()
    if "dealt" in state.dtype.names:  # another first card of those left in the deck
        seat, card = int(state["actor"][0]), int(state["hand"][0])
        left = int(state["deck"][0, seat])
        value = next(1 << 5 * k for k in range(6) if left >> 5 * k & 31 and 1 << 5 * k != card)
        other["hand"][0] = value
        other["deck"][0, seat] += card - value
        return other
    shown, unseen, count = (
        ("ship", "unseen_ship", "ships_unseen") if "ship" in state.dtype.names else ("lot", "unseen_tile", "unseen")
    )
    other[shown].flat[0], other[unseen][0, 0] = state[unseen][0, 0], state[shown].flat[0]
    number = int(state[count][0])
    other[unseen][0, 1:number] = other[unseen][0, 1:number][::-1].copy()
    return other


@of_every_game
def test_features_do_not_depend_on_what_chance_has_shown_or_will(name):
    state = quiet_position(name, {"strasbourg": 150}.get(name, 30)).state.copy()
    other = with_other_chance(state)
    assert other.tobytes() != state.tobytes()
    np.testing.assert_allclose(describer(name)(other), describer(name)(state), atol=1e-6)


def turned_strozzi(state):
    """(state, rules) in which port p is called ports[p]."""
    rules, turned, ports = exact_copy(KITS["strozzi"].variant("base").rules), state.copy(), [1, 2, 0]
    for field in ("ships_at", "berth_seat", "berth_speed", "berth_ship", "berth_flag", "position", "order"):
        turned[field][0][ports] = state[field][0][[0, 1, 2]]
    turned["berths"][0] = [sum(1 << ports[p] for p in range(3) if int(old) >> p & 1) for old in state["berths"][0]]
    rules["cargo"][0][:, ports] = rules["cargo"][0].copy()
    rules["tile_ware"][0] = [ports[ware] if ware < 3 else ware for ware in rules["tile_ware"][0]]
    return turned, rules


def turned_medici_vs_strozzi(state):
    """(state, rules) in which dye is called spice: both have tiles of the same values in the same order."""
    rules, turned = KITS["medici_vs_strozzi"].variant("base").rules, state.copy()
    kinds, same = rules["tile_type"][0, :26], {tile: tile for tile in range(26)}
    for field in ("steps", "position"):
        turned[field][0][..., [0, 1]] = state[field][0][..., [1, 0]]
    for one, other in zip(np.flatnonzero(kinds == 0), np.flatnonzero(kinds == 1), strict=True):
        same[int(one)], same[int(other)] = int(other), int(one)
    turned["unseen_tile"][0] = [same.get(int(tile), int(tile)) for tile in state["unseen_tile"][0]]
    turned["lot"][0, 0] = same[int(state["lot"][0, 0])]
    return turned, rules


@pytest.mark.parametrize(
    ("name", "turned", "symmetries"),
    [("strozzi", turned_strozzi, 3), ("medici_vs_strozzi", turned_medici_vs_strozzi, 2)],
    ids=["strozzi", "medici_vs_strozzi"],
)
def test_a_symmetry_of_the_game_moves_features_alone(name, turned, symmetries):
    table = quiet_position(name, 45)
    features, before = import_module(f"strozzi_agents.{name}.features").FEATURES, describer(name)(table.state.copy())
    out, orders = describer(name)(*turned(table.state.copy())), range(features.symmetries)
    same = [turns for turns in orders if np.allclose(out[features.order(table.players, turns)], before, atol=1e-6)]
    assert features.symmetries == symmetries
    assert len(same) == 1
    assert same != [0]


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
@of_every_game
def test_worth_adds_up_and_is_exact_in_the_end(name):
    table = quiet_position(name, {"strozzi": 60, "medici_vs_strozzi": 100, "strasbourg": 200}[name])
    evaluator = compile_evaluator(
        load_agent("learned:redraws=2" if name == "strasbourg" else "learned", table.game), table.game
    )
    worth = worth_of(evaluator, table)
    assert worth[:, WIN].sum() == pytest.approx(1)
    assert worth[:, LEAD].sum() == pytest.approx(0, abs=1e-6)
    while not table.over:
        table.play(table.legal[0])
    worth, points = worth_of(evaluator, table), np.array(table.scores, float)
    assert (worth[:, SCORE] == points).all()
    np.testing.assert_allclose(worth[:, LEAD], points - (points.sum() - points) / (len(points) - 1))
    assert worth[:, WIN].tolist() == [(place == 1) + (1 < place < 2) / 2 for place in table.places]


@pytest.mark.parametrize(
    (
        "name",
        "deals",
        "least",
    ),  # strozzi: 0.25 is an equal share, the standard error 0.02; medici_vs_strozzi: 0.5, and 0.035
    [("strozzi", 100, 0.33), pytest.param("medici_vs_strozzi", 100, 0.75, marks=pytest.mark.slow)],
)
def test_it_wins_more_than_its_guide(name, deals, least):
    kit, (guide, players, _) = KITS[name], QUIET[name]
    lineup = (load_agent("learned", kit.game), *[load_agent(guide, kit.game)] * (players - 1))
    played = Match(kit.game, players, lineup, kit.variant("base"), 11, "rotate").play(0, deals)
    assert played.outcome["wins"][0, 0].sum() / 60 / played.games > least


@pytest.mark.slow_for("medici_vs_strozzi")
@pytest.mark.parametrize(
    ("name", "restriction"),
    [("strozzi", "flag:pirate"), ("medici_vs_strozzi", "lot:above-1"), ("medici_vs_strozzi", "buy:any")],
)
def test_it_keeps_to_restrictions(name, restriction):
    kit, (guide, players, _) = KITS[name], QUIET[name]
    lineup = tuple(load_agent(agent, kit.game) for agent in (f"learned~{restriction}", guide))
    assert Match(kit.game, players, lineup, kit.variant("all-flipped"), 1).play(0, 10).outcome["games"] == 10


@pytest.mark.nightly
def test_most_games_of_a_training_keep_a_quiet_position():
    games = Trainer("medici_vs_strozzi", 2, seed=7).play(0, 200, Stage(1), None, 150)
    assert (games["kept"] == 1).mean() > 0.9


def test_with_more_than_one_sample_it_counts_as_a_search():
    """Studies then play fewer of its games, and no search asks it for actions; its values may be asked for."""
    assert load_agent("learned", "strasbourg").searches
    assert not load_agent("learned:redraws=1", "strasbourg").searches
    load_agent("flat_mc:playouts=4,depth=1,evaluate=learned", "strasbourg")
    with pytest.raises(InputError, match="rollout must be a compiled agent that does not search"):
        load_agent("flat_mc:playouts=4,rollout=learned", "strasbourg")

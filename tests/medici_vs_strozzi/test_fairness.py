"""Fairness in Medici vs Strozzi: nobody looks into the bag, and with the switch hidden_cash into the rival's purse."""

import dataclasses
import textwrap

import numpy as np
import pytest

from medici_games import BASE, MEDICI_VS_STROZZI, variant
from strozzi_sim.agent import agent_names, load_agent, python_agent, spec_of
from strozzi_sim.games.medici_vs_strozzi import view as v
from strozzi_sim.games.medici_vs_strozzi.state import NAME_PRICE
from strozzi_sim.python_agent import SeatRandom
from strozzi_sim.selfplay.fairness import check_fairness
from strozzi_sim.selfplay.match import Match
from strozzi_sim.selfplay.table import Table, _observing

HIDDEN = variant("hidden-cash")
BUDGETS = {"flat_mc": "flat_mc:playouts=3", "ismcts": "ismcts:iterations=40", "appraiser": "appraiser:playouts=1"}
PLAYERS = [name for name in agent_names() if load_agent(name).agent.plays(MEDICI_VS_STROZZI, 2)]

CHEATS = """
    from numba import int64
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.games.contract import count_legal, kth_legal

    @compiled_agent(name="cheat", games=("medici_vs_strozzi",))
    def cheat(state, rules, params, memory, random):
        '''Reads the first of the tiles that are still to come.'''
        return kth_legal(state, rules, int64(state.unseen_tile[0]) % count_legal(state, rules))

    @compiled_agent(name="pickpocket", games=("medici_vs_strozzi",))
    def pickpocket(state, rules, params, memory, random):
        '''Reads the cash of its rival.'''
        return kth_legal(state, rules, abs(int64(state.cash[1 - int64(state.actor)])) % count_legal(state, rules))

    @compiled_agent(name="purse", games=("medici_vs_strozzi",))
    def purse(state, rules, params, memory, random):
        '''Reads its own cash.'''
        return kth_legal(state, rules, abs(int64(state.cash[int64(state.actor)])) % count_legal(state, rules))
"""


@pytest.fixture(scope="module")
def cheats(tmp_path_factory):
    path = tmp_path_factory.mktemp("cheats") / "cheats.py"
    path.write_text(textwrap.dedent(CHEATS))
    return str(path)


def check(spec, played=BASE, deals=2):
    return check_fairness(spec, MEDICI_VS_STROZZI, played, players=[2], deals=deals)


@pytest.mark.parametrize("played", [BASE, HIDDEN], ids=["base", "hidden-cash"])
@pytest.mark.parametrize("name", PLAYERS)
def test_every_agent_is_fair(name, played):
    found = check(load_agent(BUDGETS.get(name, name)), played, deals=1)
    assert found.leak is None, found.leak
    assert found.decisions > 50


def test_a_cheat_is_caught(cheats):
    leak = check(load_agent(f"{cheats}::cheat")).leak
    assert leak is not None
    assert leak.what == "the order of the tiles in the bag"


def test_hidden_cash_is_nowhere_in_what_an_agent_is_handed(cheats):
    assert check(load_agent(f"{cheats}::pickpocket")).leak is None, "in the base game cash is open"
    assert check(load_agent(f"{cheats}::pickpocket"), HIDDEN).leak is None


def test_an_engine_that_hands_hidden_cash_out_is_caught(cheats):
    careless = dataclasses.replace(HIDDEN, hidden=False)
    leak = check(load_agent(f"{cheats}::pickpocket"), careless).leak
    assert leak is not None
    assert leak.what == "the rival's cash, where it is hidden"
    assert check(load_agent(f"{cheats}::purse"), careless).leak is None


def test_with_hidden_cash_the_rival_seems_to_own_what_one_owns(cheats):
    """What the compiled loop hands out, not only a table: a thief plays as one who looks into his own purse."""
    thief, owner = (load_agent(f"{cheats}::{name}") for name in ("pickpocket", "purse"))
    played = [Match(MEDICI_VS_STROZZI, 2, (spec,), HIDDEN, 3).play(0, 40, rows=True) for spec in (thief, owner)]
    assert played[0].rows.tobytes() == played[1].rows.tobytes()
    open_ = [Match(MEDICI_VS_STROZZI, 2, (spec,), BASE, 3).play(0, 40, rows=True) for spec in (thief, owner)]
    assert open_[0].rows.tobytes() != open_[1].rows.tobytes()
    assert open_[1].rows.tobytes() == played[1].rows.tobytes(), "the switch changes nothing but what is seen (19)"


@python_agent(name="accountant")
class Accountant:
    """Names the price of all the cash that it sees."""

    def act(self, view, legal, random):
        assert (view.cash[1 - view.seat] is None) == view.components["switches"]["hidden_cash"]
        return legal[sum(abs(coins) for coins in view.cash if coins is not None) % len(legal)]


@python_agent(name="clerk")
class Clerk:
    """Adds up all that it is shown."""

    def act_batch(self, observations, legal, random):
        wishes = np.abs(observations.sum(axis=1) * 64).astype(np.int64)
        return (legal.cumsum(axis=1) > (wishes % legal.sum(axis=1))[:, None]).argmax(axis=1)


@pytest.mark.parametrize("agent", [Accountant, Clerk], ids=["act", "batch"])
def test_python_agents_do_not_see_hidden_cash(agent):
    assert check(spec_of(agent), HIDDEN, deals=1).leak is None
    match = Match(MEDICI_VS_STROZZI, 2, (spec_of(agent), load_agent("random")), HIDDEN, 3, "rotate")
    assert match.play(0, 4).games == 8


@pytest.mark.parametrize("played", [BASE, HIDDEN], ids=["base", "hidden-cash"])
def test_scrambles_change_the_state_and_nothing_that_is_shown(played):
    table = Table(MEDICI_VS_STROZZI, played, 2, seed=3, deal=1)
    random = SeatRandom(7)
    look = _observing(MEDICI_VS_STROZZI)
    changed, prices = set(), 0
    while not table.over:
        before = table.state.copy()
        seen = v.view_of(before[0], played.components, table.actor)
        out = np.zeros((2, v.OBSERVATION), np.float32)
        look(before, played.rules, table.actor, out[0])
        for words, scramble in v.SCRAMBLES.items():
            state = before.copy()
            scramble(state, played.rules[0], table.actor, random)
            changed |= {words} if (state != before).any() else set()
            assert v.view_of(state[0], played.components, table.actor) == seen
            look(state, played.rules, table.actor, out[1])
            assert out[0].tobytes() == out[1].tobytes()
        prices += table.legal[0] == NAME_PRICE and len(table.legal) == 121
        table.play(table.legal[random.below(len(table.legal))])
    assert changed >= set(v.SCRAMBLES) - {"the rival's cash, where it is hidden"}
    assert ("the rival's cash, where it is hidden" in changed) == (played is HIDDEN)
    assert prices > 10

"""LeakCheck: agents are blind to hidden cash; whoever looks is caught. That all agents are fair is in tests of every game."""

import dataclasses

import pytest

from agent_files import agents_file
from medici_games import BASE, MEDICI_VS_STROZZI, variant
from strozzi_sim.agent import AgentSpec, load_agent, python_agent, spec_of
from strozzi_sim.play.leak_check import RECORD, check_leaks
from strozzi_sim.simulation.match import Match

CHEATS = """
    from numba import int64
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal

    @compiled_agent(name="purse", games=("medici_vs_strozzi",))
    def purse(state, rules, params, memory, rng):
        '''Reads the cash of its rival.'''
        return kth_legal(state, rules, (int64(state.cash[1 - int64(state.actor)]) & 255) % count_legal(state, rules))
"""


cheats = agents_file(CHEATS)


def check(spec, played=BASE, deals=1):
    return check_leaks(spec, MEDICI_VS_STROZZI, played, players=[2], deals=deals)


@pytest.mark.slow
def test_open_cash_may_be_read(cheats):
    assert check(load_agent(f"{cheats}::purse")).leak is None


@pytest.mark.slow
def test_a_reader_of_hidden_cash_reads_nothing(cheats, monkeypatch):
    """It is handed a copy in which there is nothing to see; handed the record itself, it would be caught."""
    hidden, purse = variant("hidden-cash"), load_agent(f"{cheats}::purse")
    assert hidden.hidden
    assert not BASE.hidden
    assert check(purse, hidden, deals=2).leak is None
    monkeypatch.setattr(AgentSpec, "builtin", True)
    assert check(purse, dataclasses.replace(hidden, hidden=False)).leak.changed == RECORD


def rows(spec, played, deals=6):
    match = Match(MEDICI_VS_STROZZI, 2, (spec, load_agent("fixed-price")), played, 3, "rotate")
    return match.play(0, deals, rows=True).rows


def test_hiding_the_cash_changes_what_is_seen_and_never_what_is_paid(cheats):
    hidden = variant("hidden-cash")
    for name in ("fair-price", "shader"):  # read no cash
        assert rows(load_agent(name), hidden).tobytes() == rows(load_agent(name), BASE).tobytes()
    purse = load_agent(f"{cheats}::purse")
    assert rows(purse, hidden).tobytes() != rows(purse, BASE).tobytes()


HIDDEN = set()  # whether the rival's cash was, as `glance` found it


@python_agent(name="glance")
class Glance:
    """Reads all cash that it is shown."""

    def act(self, view, legal, rng):
        HIDDEN.add(view.cash[1 - view.seat] is None)
        return legal[sum(cash or 0 for cash in view.cash) % len(legal)]


@python_agent(name="gaze")
class Gaze:
    """Reads the whole observation."""

    def act_batch(self, observations, legal, rng):
        wishes = (abs(observations).sum(axis=1) * 64).astype(int)
        return (legal.cumsum(axis=1) > (wishes % legal.sum(axis=1))[:, None]).argmax(axis=1)


@pytest.mark.slow
def test_python_agents_are_shown_no_hidden_cash():
    for played, hides in ((BASE, False), (variant("hidden-cash"), True)):
        HIDDEN.clear()
        found = check(spec_of(Glance), played)
        assert found.leak is None, found.leak
        assert found.decisions > 20
        assert {hides} == HIDDEN
        assert check(spec_of(Gaze), played).leak is None

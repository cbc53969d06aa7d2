"""Fairness in Strasbourg: whoever reads a rival's cards, tasks, numbers of stacks, or hidden coins is caught."""

import textwrap

import pytest

from strasbourg_games import BASE, STRASBOURG, variant
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.play.leak_check import RECORD, check_leaks

# Every cheat looks at the next seat. A deck's order is in no state, only what is left in it: a rival's is secret, the own one is not.
READERS = {
    "stack": "state.stacks[rival, 0]",
    "task": "state.kept[rival]",
    "deck": "state.deck[rival]",
    "places": "state.unused[rival]",  # numbers of stacks rank them by content
    "coins": "state.coins[rival]",
}
ALL = {"all": " ^ ".join(READERS.values())}
ALLOWED = {
    "own": "state.deck[state.actor] ^ state.stacks[state.actor, 0] ^ state.kept[state.actor]",
    "sizes": "state.deck_left[rival] + state.under_left[rival]",
}
HEAD = """
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal
    from strozzi_sim.games.strasbourg.state import BID
"""
AGENT = """
    @compiled_agent(name="{name}", games=("strasbourg",), blind=True)
    def {name}(state, rules, params, memory, rng):
        '''Chooses by something that it reads.'''
        rival = (state.actor + 1) % state.players
        number = {read} if state.phase == BID else state.drawn[state.actor]  # draws two cards, makes two stacks
        return kth_legal(state, rules, number % 11 % count_legal(state, rules))
"""


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    path = tmp_path_factory.mktemp("readers") / "readers.py"
    agents = [AGENT.format(name=name, read=read) for name, read in {**READERS, **ALL, **ALLOWED}.items()]
    path.write_text("".join(textwrap.dedent(part) for part in (HEAD, *agents)))
    return path


def leak(readers, name, played=BASE):
    return check_leaks(load_agent(f"{readers}::{name}"), STRASBOURG, played, players=[3], deals=1).leak


@pytest.mark.parametrize("name", READERS)
def test_a_cheat_that_is_handed_the_record_is_caught(readers, monkeypatch, name):
    monkeypatch.setattr(AgentSpec, "builtin", True)
    hidden = variant("hide-money")
    assert leak(readers, name, hidden).changed == RECORD
    assert (leak(readers, name) is None) == (name == "coins")  # open coins may be read


@pytest.mark.parametrize("name", ALLOWED)
def test_what_a_seat_knows_may_be_read(readers, monkeypatch, name):
    monkeypatch.setattr(AgentSpec, "builtin", True)
    assert leak(readers, name) is None


@pytest.mark.slow
def test_a_cheat_from_outside_reads_nothing(readers):
    assert leak(readers, "all", variant("hide-money")) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "mo_ismcts:iterations=6,model=heuristic,prior=heuristic,bias=5,widening=0.5",
        "strategist:iterations=6,model=heuristic",
    ],
)
@pytest.mark.parametrize("changes", ["base", "all-flipped"])
def test_a_search_that_imagines_what_rivals_have_planned_is_fair(name, changes):
    found = check_leaks(load_agent(name, STRASBOURG), STRASBOURG, variant(changes), players=[3], deals=1)
    assert found.leak is None, found.leak
    assert found.decisions > 20

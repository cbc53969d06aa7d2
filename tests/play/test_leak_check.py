"""LeakCheck: every agent that comes with the package is blind to what its seat must not know; a cheat is caught."""

import json
import re
import textwrap

import numpy as np
import pytest

import strozzi_sim as ss
from agent_files import agents_file
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import AgentSpec, load_agent, python_agent, spec_of
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.python import Replacement
from strozzi_sim.cli import app
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.leak_check import PROCESS, RECORD, REPEATED, check_leaks
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.loop import AGENT
from strozzi_sim.simulation.match import Match, agent_row

CHEATS = """
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal

    @compiled_agent(name="cheat", games=("strozzi",))
    def cheat(state, rules, params, memory, rng):
        '''Reads the first of the ships that are still to come.'''
        return kth_legal(state, rules, state.unseen_ship[0] % count_legal(state, rules))

    @compiled_agent(name="peeper", games=("strozzi",))
    def peeper(state, rules, params, memory, rng):
        '''Reads the place of a tile that was shown.'''
        return kth_legal(state, rules, state.unseen_tile[state.tiles_unseen] % count_legal(state, rules))

    @compiled_agent(name="sorter", games=("strozzi",))
    def sorter(state, rules, params, memory, rng):
        '''Counts the unseen ships, which it may.'''
        total = 0
        for k in range(state.ships_unseen):
            total += state.unseen_ship[k]
        return kth_legal(state, rules, total % count_legal(state, rules))
"""


cheats = agents_file(CHEATS)


def check(spec, **options):
    return check_leaks(spec, STROZZI, BASE, **{"players": [3, 6], "deals": 1, **options})


@pytest.mark.slow
@pytest.mark.slow_for("sorter", "peeper")
@pytest.mark.parametrize("name", ["cheat", "peeper", "sorter"])
def test_an_agent_from_outside_is_handed_what_its_seat_knows(cheats, name):
    """So whatever it reads, it may: the first unseen ship is the first one of the file, and unused places are zero."""
    spec = load_agent(f"{cheats}::{name}")
    assert check(spec).leak is None
    table = Position(STROZZI, 4, seed=3, deal=1)
    while not table.over:
        changed = table.state.copy()
        left = int(changed["ships_unseen"][0])
        changed["unseen_ship"][0, :left] = changed["unseen_ship"][0, :left][::-1].copy()
        changed["unseen_tile"][0, int(changed["tiles_unseen"][0]) :] = 7
        assert table.seated(spec).choose(changed) == table.ask(spec)
        table.play(table.legal[0])


def test_an_agent_that_is_handed_the_record_is_caught_and_shown(cheats, capsys, monkeypatch):
    monkeypatch.setattr(AgentSpec, "builtin", True)
    assert check(load_agent(f"{cheats}::sorter")).leak is None
    assert check(load_agent(f"{cheats}::peeper")).leak.changed == RECORD
    assert app.run(["leak-check", "strozzi", f"{cheats}::cheat", "--players", "4"]) == 1
    out = capsys.readouterr().out
    assert f"after a change of {RECORD}" in out
    assert re.search(r"At 4 players, as (the \w+ player|player \d of 4) in decision \d+ of deal \d+, it chose ", out)
    assert app.run(["leak-check", "strozzi", f"{cheats}::cheat", "--players", "4", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["leak"]["changed"] == RECORD
    assert document["leak"]["action"] != document["leak"]["moved_to"]


@pytest.mark.slow
def test_a_blind_agent_of_the_package_is_handed_the_state():
    """Whoever says so and reads more is caught, see `games/strasbourg/test_leak_check.py`."""
    game = load_game("strasbourg")
    variant, handed = resolve_variant(game, "base"), []
    assert variant.hidden
    for text in ("random", "ismcts"):
        agent = compile_agent(load_agent(text, game), game)
        handed.append(agent_row(agent, np.zeros(1, agent.memory), variant)[AGENT.names.index("sees_state")])
    assert handed == [True, False]


def test_the_document_of_a_fair_agent(capsys):
    assert app.run(["leak-check", "strozzi", "greedy", "--players", "3", "--deals", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document.pop("decisions") > 20
    assert document == {"ok": True, "agent": "greedy", "game": "strozzi", "leak": None}


@python_agent(name="mindful", stochastic=True)
class Mindful:
    """Remembers its decisions and draws from its stream."""

    def __init__(self):
        self.before = []

    def act(self, view, legal, rng):
        self.before.append(len(view.unseen_ships) + rng.below(99))
        return legal[sum(self.before) % len(legal)]


@python_agent(name="batches")
class Batches:
    """Reads all that it is shown."""

    def act_batch(self, observations, legal, rng):
        wishes = (observations.sum(axis=1) * 64).astype(np.int64) + (rng % np.uint64(64)).astype(np.int64)
        return (legal.cumsum(axis=1) > (wishes % legal.sum(axis=1))[:, None]).argmax(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("agent", [Mindful, Batches], ids=["act", "batch"])
def test_python_agents_are_asked_with_equal_memory_and_random_numbers(agent):
    found = check(spec_of(agent), players=[4])
    assert found.leak is None
    assert found.decisions > 50


def test_an_agent_with_randomness_of_its_own_is_found_out():
    calls = []

    @python_agent(name="moody")
    class Moody:
        def act(self, view, legal, rng):
            calls.append(1)
            return legal[len(calls) % len(legal)]

    leak = check(spec_of(Moody)).leak
    assert leak is not None
    assert leak.changed == REPEATED


IMPURE = """
    from strozzi_sim.agent import python_agent

    SEEN = []

    class Base:
        def act(self, view, legal, rng):
            return legal[self.number() % len(legal)]

    @python_agent(name="globals")
    class Globals(Base):
        def __init__(self):  # remembers the seats that it has sat at
            SEEN.append(1)
            self.mine = len(SEEN)
        def number(self):
            return self.mine

    @python_agent(name="hashes")
    class Hashes(Base):
        asked = 0
        def number(self):  # another one at each decision, since a single one may be alike in two processes
            self.asked += 1
            return hash(f"name {self.asked}")

    @python_agent(name="class-attributes")
    class ClassAttributes(Base):
        count, seen = 0, []
        def number(self):
            type(self).count += 1
            self.seen.append(type(self).count)
            return sum(self.seen)

"""


impure = agents_file(IMPURE)


@pytest.mark.slow_for("hashes")
@pytest.mark.slow_for("globals")
@pytest.mark.parametrize("name", ["globals", "hashes"])
def test_what_is_not_of_the_game_is_caught_in_another_process(name, impure):
    leak = check(load_agent(f"{impure}::{name}"), players=[3]).leak
    assert leak is not None
    assert leak.changed == PROCESS
    assert leak.action != leak.moved_to


@pytest.mark.slow
def test_class_attributes_belong_to_one_seat_of_one_game(impure):
    spec = load_agent(f"{impure}::class-attributes")
    assert check(spec, players=[3]).leak is None
    match = Match(STROZZI, 3, (spec,), BASE, 1)
    whole = match.play(0, 4, rows=True).rows
    assert whole.tobytes() == b"".join(match.play(deal, deal + 1, rows=True).rows.tobytes() for deal in range(4))


NEEDS = """
    import os
    from strozzi_sim.agent import python_agent

    @python_agent(name="needs")
    class Needs:
        def __init__(self):
            if os.environ.get("PYTHONHASHSEED") in ("1", "2"):
                raise KeyError("seed")
        def act(self, view, legal, rng):
            return legal[0]
"""


@pytest.mark.slow
def test_a_fault_in_the_other_process_is_a_fault(tmp_path, monkeypatch):
    file = tmp_path / "bots.py"
    file.write_text(textwrap.dedent(NEEDS))
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    with pytest.raises(AgentFault, match=r"playing its games again in another process, raised KeyError: 'seed'"):
        check(load_agent(f"{file}::needs"), players=[3])


def test_a_fault_is_no_leak():
    @python_agent(name="broken")
    class Broken:
        def act(self, view, legal, rng):
            raise ValueError("no")

    with pytest.raises(AgentFault, match="raised ValueError: no"):
        check(spec_of(Broken))


@pytest.mark.slow
def test_an_agent_must_play_the_game():
    @python_agent(name="six", players=(6,))
    class Six:
        def act(self, view, legal, rng):
            return legal[0]

    assert check(spec_of(Six)).decisions > 50
    with pytest.raises(InputError, match="does not play strozzi with 3, 4 players"):
        check(spec_of(Six), players=[3, 4])


def test_the_verdict_counts_decisions_and_says_what_a_check_could_miss():
    verdict = ss.leak_check("strozzi", "greedy", players=3, deals=2, progress=False).verdict
    (decisions,) = re.search(r"^Greedy uses only what its seat knows in (\d+) decisions\.$", verdict.answer).groups()
    said = verdict.notes[-1]
    (percent,) = re.search(r"A leak in (.*) % of decisions would be", said).groups()
    missed = (1 - float(percent) / 100) ** int(decisions)
    assert 0.04 < missed <= 0.05
    assert said.endswith(" would be missed in 1 of 20 such checks.")


def test_illegal_answers_are_counted_among_the_decisions_checked():
    @python_agent("stubborn", games=("strozzi",), stochastic=True, replaces=True)
    class Stubborn:
        def act(self, view, legal, rng):
            action = legal[rng.below(len(legal))]
            return Replacement(action) if action == legal[0] else action

    results = ss.leak_check("strozzi", Stubborn, players=3, deals=1, progress=False)
    (row,) = results.tables["leak_check"].to_dict("records")
    assert 0 < row["illegal"] < row["decisions"]
    assert results.verdict.notes[-1:] == (
        f"Illegal answers of stubborn: {row['illegal']} of {row['decisions']} decisions.",
    )
    assert "answers" not in results.tables

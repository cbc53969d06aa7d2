"""What an agent thinks of a recorded game: the decisions found again, the agent's own ones agreed with, numbers that add up."""

import json
import re

import numpy as np
import pytest

from paths import ROOT
from strozzi_games import BASE, STROZZI, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.cli.app import run
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.explain import LEAST_VISITS, acting_seats, explain
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, reconstruct_actions, record_game, write_record
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow


def dealt(recorded):
    """Deal the game of a record again."""
    return Position(**recorded.deal_again())


BOTS = """
import numpy as np
from strozzi_sim.agent import compiled_agent, python_agent
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.kernel.streams import randbelow
from strozzi_sim.agent.analysis import ActionAnalysis


def luck(memory, legal, node):
    '''Number drawn.'''
    return [ActionAnalysis(legal[int(memory["k"])], 1, float(memory["k"]))] if node is None else []


@compiled_agent(name="lot", stochastic=True, memory=np.dtype([("k", "i8")]), analyse=luck)
def lot(state, rules, params, memory, rng):
    '''Draws a lot.'''
    memory.k = randbelow(rng, count_legal(state, rules))
    return kth_legal(state, rules, memory.k)


@compiled_agent(name="bad")
def bad(state, rules, params, memory, rng):
    '''Chooses what is not there.'''
    return 99


@python_agent(name="turns", stochastic=True)
class Turns:
    '''Remembers, and draws.'''

    def __init__(self):
        self.asked = 0

    def act(self, view, legal, rng):
        self.asked += 1
        return legal[(self.asked + rng.below(3)) % len(legal)]


@python_agent(name="many", stochastic=True)
class Many:
    '''Answers in batches.'''

    def act_batch(self, observations, legal, rng):
        return np.where(legal, 1 + rng[:, None] % np.uint64(97) * np.arange(legal.shape[1], dtype=np.uint64) % np.uint64(97), 0).argmax(axis=1)
"""


@pytest.fixture
def bots(tmp_path):
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return path


def recorded(*names, players=4, played=BASE, deal=0, seating=0):
    match = Match(STROZZI, players, tuple(load_agent(name) for name in names), played, 7, "rotate")
    header, *events = record_game(match, deal, seating)
    lines = json.loads(json.dumps([header, *events]))
    return RecordedGame(lines[0], 1, list(enumerate(lines[1:], 2)))


def explained(game, name, *, wanted=None, seat=None):
    """(decisions explained, actions played)."""
    table = dealt(game)
    actions = reconstruct_actions(game, table)
    seats = acting_seats(table, actions)
    if wanted is None:
        wanted = [number for number, who in enumerate(seats, 1) if seat in (None, who)]
    spec = load_agent(name)
    return [document for _, document in explain(table, actions, spec, wanted)], actions


# -- from lines to actions -------------------------------------------------------------------------------------------


def test_a_game_of_another_deal_is_refused_at_its_line():
    game = recorded("random")
    number = next(k for k, (_, line) in enumerate(game.events) if line["type"] == "claim") + 1
    line = game.events[number][0]
    game.events[number][1]["player"] = 9
    with pytest.raises(InputError, match=f"record: line {line}: does not follow from the game of seed 7, deal 0"):
        reconstruct_actions(game, dealt(game))
    other = recorded("random")
    other.header |= {"seed": 8, "behaviour": 0}
    with pytest.raises(InputError, match=r"line 2: does not follow from the game of seed 8.*recorded with behaviour 0"):
        reconstruct_actions(other, dealt(other))


# -- what an agent thinks --------------------------------------------------------------------------------------------

OWN = ["random", "heuristic", "flat_mc:playouts=5", "ismcts:iterations=60", "BOTS::lot", "BOTS::turns", "BOTS::many"]
OWN += ["flat_mc:playouts=20,per=decision,allocation=halving,rollout=greedy"]
OWN += ["ismcts:iterations=60,backup=selfish,rollout=heuristic,bias=1,prior=greedy"]


@pytest.mark.parametrize("name", OWN)
def test_an_agent_decides_as_it_did_at_its_own_seats(name, bots):
    name = name.replace("BOTS", str(bots))
    game = recorded(name, "greedy", name, "trader", played=variant("all-flipped"), deal=3, seating=1)
    seats = [seat for seat, agent in enumerate(game.names) if agent == load_agent(name).text]
    assert seats == [1, 3]
    for seat in seats:
        found, _ = explained(game, name, seat=seat)
        assert len(found) > 10
        assert all(document["same"] and document["chosen"] == document["played"] for document in found)


def test_one_decision_looks_as_it_does_in_the_whole_game():
    game = recorded("ismcts:iterations=40", "random")
    whole, _ = explained(game, "ismcts:iterations=40")
    assert [document["decision"] for document in whole] == list(range(1, len(whole) + 1))
    for number in (1, 7, len(whole)):
        assert explained(game, "ismcts:iterations=40", wanted=[number])[0] == [whole[number - 1]]


def test_all_iterations_are_shown_and_the_most_visited_action_is_chosen():
    found, actions = explained(recorded("random"), "ismcts:iterations=200")
    for document, played in zip(found, actions, strict=True):
        rows = document["actions"]
        assert document["visits"] == sum(row["visits"] for row in rows) == 200
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        assert [row["visits"] for row in rows] == sorted((row["visits"] for row in rows), reverse=True)
        chosen = next(row for row in rows if row["action"] == document["chosen"]["action"])
        assert chosen["visits"] == rows[0]["visits"]
        assert all(0 <= row["value"] <= 1 for row in rows)
        assert document["played"]["action"] == played
        assert document["same"] == (document["played"] == document["chosen"])


def test_an_agent_without_analysis_shows_its_choice_alone():
    for document in explained(recorded("random"), "heuristic", wanted=[1, 2])[0]:
        assert document["visits"] is None
        assert {row["visits"] for row in document["actions"]} == {row["value"] for row in document["actions"]} == {None}


def test_the_documented_agent_says_what_it_thinks(tmp_path):
    document = (ROOT / "docs" / "agents.md").read_text()
    (text,) = [block for block in re.findall(r"```python\n(.*?)```", document, re.DOTALL) if "ActionAnalysis(" in block]
    bots = tmp_path / "bots.py"
    bots.write_text(text)
    game = recorded(f"{bots}::glimpse", "random")
    found, _ = explained(game, f"{bots}::glimpse", seat=2)
    assert all(document["same"] for document in found)
    for document in found:
        values = {row["action"]: row["value"] for row in document["actions"]}
        assert values[document["chosen"]["action"]] == max(values.values())
    assert len({row["value"] for document in found for row in document["actions"]}) > 10


def test_actions_that_were_not_considered_have_no_visits(bots):
    document = explained(recorded("random"), f"{bots}::lot", wanted=[1])[0][0]
    assert [row["visits"] for row in document["actions"]] == [1] + [0] * (len(document["actions"]) - 1)
    assert document["actions"][0]["action"] == document["chosen"]["action"]
    assert {row["value"] for row in document["actions"][1:]} == {None}


def test_an_illegal_choice_is_a_fault(bots):
    with pytest.raises(AgentFault, match=r"bad.*chose the illegal action 99"):
        explained(recorded("random"), f"{bots}::bad", wanted=[2])


def test_nobody_imagines_from_the_chance_to_come():
    tables = [Position(STROZZI, 4, seed=seed, deal=0) for seed in (1, 2)]
    tables[1].state[:] = tables[0].state
    ends = []
    for table in tables:
        future = table.imagine(table.actor, np.full(1, 5, np.uint64).view(RANDOM))
        while not future.over:
            future.play(future.legal[0])
        ends.append(future.state)
    assert ends[0] == ends[1]  # field by field
    really = tables[0].copy()
    while not really.over:
        really.play(really.legal[0])
    assert really.state != ends[0]


# -- the tree --------------------------------------------------------------------------------------------------------


def nodes(actions, level=1):
    for node in actions:
        yield level, node
        yield from nodes(node["next"], level + 1)


def test_the_tree_has_three_levels_of_what_was_tried_often():
    ((document,), _) = explained(recorded("random"), "ismcts:iterations=500", wanted=[1])
    tree = list(nodes(document["actions"]))
    assert {level for level, _ in tree} == {1, 2, 3}
    assert all(node["visits"] >= LEAST_VISITS for level, node in tree if level > 1)
    for _, node in tree:
        assert [each["visits"] for each in node["next"]] == sorted(
            (each["visits"] for each in node["next"]), reverse=True
        )
        assert sum(each["visits"] for each in node["next"]) < max(node["visits"], 1)


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    lineup = tuple(load_agent(name) for name in ("ismcts:iterations=40", "random", "greedy"))
    match = Match(STROZZI, 3, lineup, BASE, 7, "rotate")
    write_record(path, (record_game(match, deal, 0) for deal in range(2)))
    return path


def said(capsys, *arguments):
    code = run(["replay", *map(str, arguments)])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_the_command_shows_every_decision(file, capsys):
    code, out, _ = said(capsys, file, "--game", 2, "--explain", "ismcts:iterations=40")
    document = json.loads(said(capsys, file, "--game", 2, "--explain", "ismcts:iterations=40", "--json")[1])
    assert code == 0
    assert out.count("\nDecision ") == len(document["decisions"]) == sum(row["decisions"] for row in document["seats"])
    assert "; value: " in out
    assert "the best first: " in out
    own = document["seats"][0]
    assert own["agent"] == "ismcts:iterations=40"
    assert own["same"] == own["decisions"]
    assert f"seat 0 (ismcts:iterations=40): {own['same']} of {own['same']} decisions as played" in out
    assert out.count("chosen, played") == sum(row["same"] for row in document["seats"])
    assert (document["header"]["deal"], document["agent"]) == (1, "ismcts:iterations=40")


def test_one_decision_is_shown_with_the_board(file, capsys):
    code, out, _ = said(capsys, file, "--explain", "heuristic", "--decision", 4)
    assert code == 0
    assert out.count("Decision ") == out.count("Tracks ") == 1
    assert "heuristic provides no analysis; only its choice is shown" in out
    assert "  heuristic chooses " in out
    assert json.loads(said(capsys, file, "--explain", "heuristic", "--decision", 4, "--json")[1])["value"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--decision", "500"], "--decision: the game has decisions 1 to"),
        (["--decision", "0"], "--decision: the game has decisions 1 to"),
        (["--explain", "nobody"], "unknown agent 'nobody'"),
        (["--explain", "BOTS::chess"], "does not play strozzi with 3 players; it plays chess"),
    ],
)
def test_bad_options_are_one_line(file, tmp_path, capsys, arguments, words):
    bots = tmp_path / "bots.py"
    bots.write_text("from strozzi_sim.agent import compiled_agent\n"
                    "@compiled_agent(name='chess', games=('chess',))\n"
                    "def chess(state, rules, params, memory, rng):\n    '''e4.'''\n    return 1\n")  # fmt: skip
    arguments = [argument.replace("BOTS", str(bots)) for argument in arguments]
    code, out, err = said(capsys, file, "--explain", "random", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_decision_needs_an_explanation(file, capsys):
    assert said(capsys, file, "--decision", "1")[0] == 2

"""Agents in any language: what a program reads, what it may answer, and what happens if it does not."""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from our_games import OUR_GAMES
from paths import ROOT
from strozzi_agents import pipe
from strozzi_sim.agent import Replacement, load_agent, python_agent, spec_of
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.as_json import decision, decision_type, encode
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

VARIANT = resolve_variant(load_game("strozzi"), "base")
FIRST = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"action": json.loads(line)["legal"][0]["action"]}), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """Writes a program and returns its spec string."""

    def write(text, more="", name="bot.py"):
        (tmp_path / name).write_text(text)
        return f"pipe:program={tmp_path / name}{more}"

    yield write
    for running in list(pipe._programs.values()):
        running.end()


def scores(text, game="strozzi", players=3, deals=1):
    game = load_game(game)
    lineup = (load_agent(text, game), load_agent("random", game))
    return (
        Match(game, players, lineup, resolve_variant(game, "base"), 5).play(0, deals, rows=True).rows["score"].tolist()
    )


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_decision_of_a_random_game_fits_the_published_schema(name):
    game = load_game(name)
    kind, rng = decision_type(game), np.random.default_rng(3)
    table = Position(game, game.player_counts[0], seed=2)
    while not table.over:
        line = encode(decision(table.view(), table.legal))
        found = msgspec.json.decode(line, type=kind, strict=True)
        assert [choice.action for choice in found.legal] == list(table.legal)
        assert [choice.name for choice in found.legal] == list(table.names)
        assert (found.game, found.seat, found.view.players) == (name, table.actor, table.players)
        assert b"components" not in line
        assert b"\n" not in line
        table.play(int(rng.choice(table.legal)))


def test_a_position_says_its_decision_as_json():
    table = Position("strasbourg", 3, seed=1)
    found = json.loads(table.json())
    assert found["view"]["seat"] == found["seat"] == table.actor
    assert found["observation"] == pytest.approx(table.observation().tolist())
    assert json.loads(table.json(seat=(table.actor + 1) % 3))["legal"] == []  # it does not decide


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("name", OUR_GAMES)
def test_a_program_plays_as_the_same_agent_in_python(name, program, tmp_path):
    (tmp_path / "lowest.py").write_text(
        "from strozzi_sim.agent import python_agent\n\n\n@python_agent(name='lowest')\nclass Lowest:\n"
        "    'Plays the lowest action.'\n\n    def act(self, view, legal, rng):\n        return legal[0]\n"
    )
    players = load_game(name).player_counts[0]
    assert scores(program(FIRST), name, players) == scores(f"{tmp_path / 'lowest.py'}::lowest", name, players)


def test_a_name_is_an_answer_too(program):
    by_name = FIRST.replace(
        '{"action": json.loads(line)["legal"][0]["action"]}', '{"name": json.loads(line)["legal"][0]["name"]}'
    )
    assert scores(program(by_name)) == scores(program(FIRST, name="other.py"))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_example_in_javascript_plays():
    assert len(scores(f"pipe:program={ROOT / 'examples' / 'first_action.js'}")) == 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("'pass'", r"answered b'pass\\n', which is not JSON"),
        ("'7'", r"answered b'7\\n'; expected {\"action\": NUMBER} or {\"name\": NAME}"),
        ("'{\"action\": 0}'", "which is not a legal action"),
        ('\'{"name": "pass", "action": 2}\'', "which is not a legal action"),
    ],
)
def test_an_illegal_answer_is_a_fault(answer, said, program):
    text = program(f"import sys\nfor line in sys.stdin:\n    print({answer}, flush=True)\n")
    with pytest.raises(AgentFault, match=said):
        scores(text)


def test_a_program_that_ends_is_a_fault(program):
    with pytest.raises(AgentFault, match="ended, with exit code"):
        scores(program("import sys\nsys.stdin.readline()\nsys.exit(4)\n"))
    assert not pipe._programs  # another game starts it again


def test_a_program_that_hangs_is_ended_in_time(program, monkeypatch):
    monkeypatch.setenv("STROZZI_DECISION_SECONDS", "0.5")
    with pytest.raises(AgentFault, match=r"did not answer within 0\.5 s"):
        scores(program("import time\ntime.sleep(60)\n"))
    assert not pipe._programs


def test_illegal_answers_are_replaced_by_the_seat_s_own_chance(program):
    text = program("import sys\nfor line in sys.stdin:\n    print('{}', flush=True)\n", ",illegal=random")
    assert scores(text) == scores(text)


SLOPPY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    illegal = (asked["random"] >> 40) % 10 == 0
    print(json.dumps({"action": 9999 if illegal else asked["legal"][0]["action"]}), flush=True)
"""


@pytest.mark.slow
def test_the_share_of_illegal_answers_is_a_figure_with_an_interval(program, tmp_path, capsys):
    text = program(SLOPPY, ",illegal=random")
    asked = {"players": 3, "agents": f"{text},random,random", "deals": 12, "seed": 3}
    played = ss.simulate("strozzi", workers=2, folder=tmp_path / "out", **asked)
    row = played.tables["answers"].iloc[0]
    assert (row["agent"], row["figure"], row["deals"]) == (load_agent(text).text, "illegal_share", 12)
    assert row["low"] < 0.1 < row["high"] < 0.2
    lineup = tuple(map(load_agent, (text, "random", "random")))
    whole = Match(load_game("strozzi"), 3, lineup, VARIANT, 3, "rotate")
    outcome = whole.play(0, 12, answers=True).outcome[0]
    assert (outcome["answers"][1:] == 0).all()
    assert row["n"] == outcome["answers"][0]
    assert row["value"] == outcome["replaced"][0] / row["n"]
    assert 0 < row["n"] < outcome["decisions"]
    pd.testing.assert_frame_equal(ss.load_results(tmp_path / "out").tables["answers"], played.tables["answers"])
    said = f"Illegal answers of {load_agent(text).text}: "
    assert said in played.report(tmp_path / "page.html").read_text()
    assert command(["compare", "strozzi", text, "random", "--players", "3", "--deals", "4"]) == 0
    assert "Illegal answers of pipe:" in capsys.readouterr().out


def test_only_an_agent_that_is_declared_to_replaces_answers():
    class Lowest:
        """Plays the lowest action."""

        def act(self, view, legal, rng):
            return Replacement(legal[0])

    honest = spec_of(python_agent("lowest", replaces=True)(Lowest))
    match = Match(load_game("strozzi"), 3, (honest, load_agent("random")), VARIANT, 1)
    assert match.play(0, 1, answers=True).outcome["replaced"][0, 0] > 0
    with pytest.raises(AgentFault, match=r"returned a Replacement; an agent that does is declared with replaces=True"):
        Match(load_game("strozzi"), 3, (spec_of(python_agent("lowest")(Lowest)),), VARIANT, 1).play(0, 1)
    Lowest.act_batch = lambda *_: 0
    with pytest.raises(InputError, match="agent many: replaces: only an agent with a method act can"):
        python_agent("many", replaces=True)(Lowest)


def test_wrong_programs_are_refused(program, tmp_path, capsys):
    with pytest.raises(InputError, match="no file"):
        load_agent(f"pipe:program={tmp_path / 'nowhere.py'}")
    with pytest.raises(AgentFault, match=r"expected an executable program or one of \.py, \.js, \.mjs; chmod \+x"):
        scores(program(FIRST, name="bot.txt"))
    assert command(["balance", "strozzi", "--players", "3", "--agents", "pipe", "--deals", "2"]) == 2
    assert "program must be a file" in capsys.readouterr().err


def test_another_program_is_another_agent(program):
    before = load_agent(program(FIRST)).source_digest
    assert load_agent(program(FIRST + "# changed\n")).source_digest != before


class _Model(BaseHTTPRequestHandler):
    """A language model that always says 1, or nonsense to every third question."""

    asked = 0

    def do_POST(self):
        _Model.asked += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert "Your actions:\n1: pass" in body["messages"][1]["content"]
        said = "I would rather pass." if _Model.asked % 3 == 0 else "1"
        reply = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def test_the_example_of_a_language_model_plays(monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{server.server_port}/v1/chat/completions")
    monkeypatch.setenv("LLM_MODEL", "none")
    table = Position("strozzi", 3, seed=1)
    spec = load_agent(f"pipe:program={ROOT / 'examples' / 'language_model.py'},illegal=random", table.game)
    answers = []
    for _ in range(3):
        while table.legal[0] != 1:  # the deviating questions have no pass
            table.play(table.legal[0])
        answers.append(table.ask(spec))
        table.play(answers[-1])
    server.shutdown()
    server.server_close()
    for running in list(pipe._programs.values()):
        running.end()
    assert [isinstance(answer, Replacement) for answer in answers] == [False, False, True]

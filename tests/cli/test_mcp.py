"""The tools for assistants: a client plays and asks over standard input and output, and is told what is wrong."""

import json
import os
import re
import shlex
import sys

import pytest

import strozzi_sim as ss
from commands import strozzi
from needed import need
from our_games import OUR_GAMES
from paths import ROOT
from strozzi_sim.agent.analysis import LEAD
from strozzi_sim.cli.mcp import MOST_ROWS_BY_NAME, MOST_SECONDS, make_server, tools
from strozzi_sim.play.one_game import position

anyio, mcp = need("anyio"), need("mcp")

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "assistants.md").read_text()
NOISY = """
from strozzi_sim.agent import python_agent

@python_agent(name="noisy")
class Noisy:
    def act(self, view, legal, rng):
        print("I play the first one")
        return legal[0]
"""
GAME = {"game": "strozzi", "players": 3}
ASKED = {
    "games": ("games", {}),
    "a game": ("games", {"game": "strozzi"}),
    "position": ("position", {**GAME, "seed": 7, "opponents": "heuristic", "choices": ["pass"], "agent": "flat_mc:playouts=5"}),
    "balance": ("balance", {**GAME, "agents": "heuristic,random", "deals": 40, "seed": 5, "folder": "kept"}),
    "a seat": ("balance", {**GAME, "agents": "random", "deals": 40, "where": ["seat=0"]}),
    "noisy": ("balance", {**GAME, "agents": "noisy.py::noisy", "deals": 2}),
    "rows": ("results", {"folder": "kept", "tables": ["seats"], "where": ["figure=win_share", "seat=0"]}),
    "compare": ("compare", {**GAME, "settings": ["tracks.bonus.7=10"], "deals": 40}),
    "worth": ("worth", {**GAME, "things": ["flag:pirate"], "agents": "heuristic", "deals": 40}),
    "tournament": ("tournament", {**GAME, "agents": "heuristic,greedy,random", "deals": 10}),
    "sweep": ("sweep", {**GAME, "agents": "random", "values": "tracks.bonus.7 = 0 5", "deals": 30}),
    "luck": ("luck", {**GAME, "agents": "heuristic,greedy,random", "deals": 30, "games": 0}),
    "analyse": ("analyse", {"record": "games.jsonl", "game": 2, "redraws": 4}),
}  # fmt: skip
INSIDE = "must be a relative path, without `..`, inside the folder that the server was started in, got "
WRONG = [
    ("balance", {}, ["game: is needed"]),
    ("balance", {**GAME, "sede": 7}, ["sede: unknown argument of balance", "did you mean 'seed'?"]),
    ("balance", {**GAME, "deals": True}, ["deals: expected text or a number, got True"]),
    ("worth", {**GAME, "every": "yes"}, ["every: expected true or false, got 'yes'"]),
    ("balance", {**GAME, "agents": "evil.py::evil", "deals": 2}, ["named only by the call", "start strozzi mcp with --code"]),
    ("balance", {**GAME, "deals": 24, "tables": ["seat"]}, ["tables: ", "did you mean 'seats'?"]),
    ("balance", {**GAME, "deals": 24, "where": ["seats=1"]}, ["where: unknown column 'seats'", "did you mean 'seat'?"]),
    ("balance", {**GAME, "deals": 24, "where": ["seat"]}, ["where: expected COLUMN=VALUE, got 'seat'"]),
    ("balance", {**GAME, "workers": 2}, ["workers: unknown argument of balance"]),
    ("position", {**GAME, "seat": 4}, ["seat: ", "between 0 and 2", "got 4"]),
    ("position", {**GAME, "agent": "greedy"}, ["agent: ", "greedy"]),
    ("gmaes", {}, ["unknown tool 'gmaes'", "did you mean 'games'?"]),
    ("analyse", {"record": "/etc/passwd"}, [f"record: {INSIDE}'/etc/passwd'"]),
    ("results", {"folder": "../kept"}, [f"folder: {INSIDE}'../kept'"]),
    ("results", {"folder": "kept/../kept"}, [f"folder: {INSIDE}'kept/../kept'"]),
    ("results", {"folder": "out"}, [f"folder: {INSIDE}'out'"]),
    ("results", {"folder": ""}, ["folder: a file or folder name must not be empty"]),
    ("compare", {**GAME, "study": "out/x.toml"}, [f"study: {INSIDE}"]),
    ("balance", {**GAME, "deals": 24, "folder": "kept/../.."}, [f"folder: {INSIDE}"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """The tools, the answers, the errors, and all that the server wrote to standard output."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    home = tmp_path_factory.mktemp("outside") / "home"
    home.mkdir()
    for name in ("noisy", "evil"):
        (home / f"{name}.py").write_text(NOISY.replace("noisy", name))
    (home / "out").symlink_to(home.parent)
    recorded = strozzi(
        "record", "strozzi", "--players", 3, "--agents", "heuristic,random", "--games", 2, "--out", home / "games.jsonl"
    )
    assert recorded.returncode == 0
    line = f"{shlex.quote(sys.executable)} -m strozzi_sim mcp --code noisy.py | tee wire"
    server = StdioServerParameters(command="sh", args=["-c", line], env=dict(os.environ), cwd=home)

    async def talk():
        async with mcp.Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            answers = {label: await client.call_tool(name, given) for label, (name, given) in ASKED.items()}
            errors = [await client.call_tool(name, given) for name, given, _ in WRONG]
            assert not (await client.call_tool("games", {})).is_error
            return tools, answers, errors

    tools, answers, errors = anyio.run(talk)
    for label, found in answers.items():
        assert not found.is_error, (label, found.content)
    documents = {label: found.structured_content for label, found in answers.items()}
    assert [json.loads(found.content[0].text) for found in answers.values()] == list(documents.values())
    return {"home": home, "tools": tools, "answers": documents, "errors": errors, "wire": (home / "wire").read_text()}


def test_there_are_thirteen_tools_whose_schemas_say_what_is_allowed(said):
    assert [tool.name for tool in said["tools"]] == list(tools())
    assert len(tools()) == 13
    for tool in said["tools"]:
        assert len(tool.description) > 20
        parts = tool.input_schema["properties"]
        assert all(part["description"] for part in parts.values()), tool.name
        if "game" in parts and tool.name != "analyse":  # there it is the number of a game
            assert all(game in json.dumps(parts["game"]) for game in OUR_GAMES)
    balance = {tool.name: tool.input_schema for tool in said["tools"]}["balance"]
    assert balance["required"] == ["game"]
    assert balance["properties"]["deals"]["default"] == 500
    assert balance["properties"]["variant"]["type"] == "array"
    assert not balance["additionalProperties"]
    assert not {"workers", "progress"} & balance["properties"].keys()


def test_answers_have_intervals_n_and_the_command_that_gives_them_again(said, monkeypatch):
    answers = said["answers"]
    monkeypatch.chdir(said["home"])
    for label in ("position", "compare"):
        words = shlex.split(answers[label]["command"])
        assert words[:3] == ["strozzi", "mcp", "--code=noisy.py"]
        done = strozzi(*words[1:])
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == answers[label]
    for label in ("balance", "rows", "compare", "worth", "tournament", "sweep", "luck"):
        rows = [row for table in answers[label]["tables"].values() for row in table["rows"]]
        assert rows, label
        for row in rows:
            assert row["low"] is not None, label
            assert row["n"] > 0
    assert answers["balance"]["reconstructed_data"]["base"]
    assert sum(table["without_interval"] for table in answers["noisy"]["tables"].values()) > 0


def test_an_answer_is_that_of_python(said):
    answers = said["answers"]
    found = ss.simulate("strozzi", players=3, agents="heuristic,random", deals=40, seed=5)
    share = found.tables["seats"].query("figure == 'win_share' and seat == 0").iloc[0]
    assert answers["balance"]["verdict"] == found.verdict.document
    assert [alarm["text"] for alarm in answers["balance"]["alarms"]] == [alarm.text for alarm in found.alarms]
    for label in ("balance", "rows"):
        row = answers[label]["tables"]["seats"]["rows"][0]
        assert [row[name] for name in ("value", "low", "high")] == pytest.approx(
            list(share[["value", "low", "high"]]), rel=1e-5
        )
    assert len(answers["rows"]["tables"]["seats"]["rows"]) == 1
    assert list(answers["a seat"]["tables"]) == ["seats"]  # the other tables have no seats
    analysis = ss.analyse(said["home"] / "games.jsonl", 2, redraws=4)
    assert [row["luck"]["lead"] for row in answers["analyse"]["analysis"]["seats"]] == pytest.approx(
        [float(analysis.parts(seat)["luck"][LEAD]) for seat in range(3)], abs=1e-3
    )
    assert {"heuristic", "flat_mc"} <= answers["a game"]["agents"].keys()
    assert "playouts" in answers["a game"]["agents"]["flat_mc"]["parameters"]
    assert set(answers["games"]["games"]) >= set(OUR_GAMES)


def test_choices_have_their_worth(said):
    answer = said["answers"]["position"]
    assert answer["seen_by"] == answer["decides"] == 0
    assert {row["choice"] for row in answer["worth"]} == set(answer["choices"])
    assert all(row["low"] < row["value"] < row["high"] and row["n"] == 40 for row in answer["worth"])


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_input_is_one_line_that_names_it(said, number):
    found = said["errors"][number]
    assert found.is_error
    (block,) = found.content
    assert "\n" not in block.text
    for word in WRONG[number][2]:
        assert word in block.text, block.text


def test_the_server_writes_nothing_but_the_protocol(said):
    for line in said["wire"].splitlines():
        assert json.loads(line, parse_constant=pytest.fail)["jsonrpc"] == "2.0"


def test_a_game_is_played_as_the_command_plays_it_and_analysed():
    choices = []
    while (seen := position("strozzi", 3, seed=7, opponents="heuristic", seat=1, choices=choices))[
        "decides"
    ] is not None:
        assert seen["decides"] == seen["seen_by"] == 1
        choices.append(next(iter(seen["choices"])))
    words = ["play", "strozzi", "--players", 3, "--seed", 7, "--agents", "heuristic", "--seat", 1]
    done = strozzi(*words, stdin="\n".join(choices) + "\n")
    assert re.findall(r"^ +1 you +(\d+) ", done.stdout, re.MULTILINE)[-1] == str(seen["scores"][1])
    told = position("strozzi", 3, seed=7, opponents="heuristic", seat=1, choices=choices, agent="learned")
    assert len(told["analysis"].seat_table) == 3


def test_what_a_seat_cannot_know_does_not_show():
    """Whatever a rival keeps in secret, and with agents as rivals whatever they keep."""

    def see(**more):
        return position("strasbourg", 3, seed=11, **more)

    own = next(iter(see(seat=0)["choices"]))
    one, two, *_ = see(choices=[own])["choices"]
    kept_one, kept_two = (see(choices=[own, kept], seat=0) for kept in (one, two))
    assert kept_one == kept_two
    assert kept_one["decides"] == 2
    assert "choices" not in kept_one
    assert one in see(choices=[own, one], seat=1)["text"]
    assert one not in json.dumps(kept_one)
    against = see(choices=[own], opponents="heuristic")
    assert against["decides"] == 0
    hidden = see(choices=[own])["choices"].keys() - see(seat=0)["choices"].keys()
    assert not any(task in json.dumps(against) for task in hidden)


@pytest.mark.slow
def test_a_call_that_takes_too_long_is_ended_and_the_server_goes_on():
    async def talk():
        async with mcp.Client(make_server(15.0)) as client:
            ended = await client.call_tool("position", {**GAME, "agent": "flat_mc:playouts=100000000"})
            assert not (await client.call_tool("games", {})).is_error
            return ended.content[0].text

    assert "position: took more than 15 s and was ended" in anyio.run(talk)


def test_a_client_that_asks_for_progress_is_told_while_a_call_runs(monkeypatch):
    """A client may give up after 60 s without a notice."""
    monkeypatch.setattr("strozzi_sim.cli.mcp.PROGRESS_SECONDS", 0.02)
    told = []

    async def note(progress, total, message):
        told.append((progress, message))

    async def talk():
        async with mcp.Client(make_server()) as client:
            given = {**GAME, "agents": "heuristic", "deals": 3000}
            assert not (await client.call_tool("balance", given, progress_callback=note)).is_error
            noted = len(told)
            assert not (await client.call_tool("balance", given)).is_error
            wrong = await client.call_tool("balance", {"game": "none"}, progress_callback=note)
            assert "unknown game 'none'" in wrong.content[0].text
            return noted

    noted = anyio.run(talk)
    seconds, messages = zip(*told[:noted], strict=True)
    assert list(seconds) == sorted(seconds)
    assert any(re.fullmatch(r"games: [\d,]+ of 3,000", message) for message in messages)


def test_without_the_library_the_command_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = strozzi("mcp")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "pip install 'strozzi-sim[mcp]'" in done.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["games", "{"], "ARGUMENTS: must be a JSON object"),
        (["games", "[]"], "ARGUMENTS: must be a JSON object"),
        (["gmaes"], "did you mean 'games'?"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_wrong_words_of_the_command_are_one_line(words, part):
    done = strozzi("mcp", *words)
    assert done.returncode == 2
    assert part in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_the_page_says_is_so():
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(tools())
    (configured,) = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert configured["mcpServers"]["strozzi-sim"]["args"] == ["mcp"]
    assert f"{MOST_ROWS_BY_NAME} rows" in PAGE
    assert f"after {MOST_SECONDS:g} s" in PAGE
    asked, opened = (json.loads(text) for text in re.findall(r"^`\w+` with `(\{.*?\})`", PAGE, re.MULTILINE))
    shares = (
        ss.simulate(asked["game"], players=asked["players"], deals=asked["deals"])
        .tables["seats"]
        .query("figure == 'win_share'")
    )
    for row in shares.itertuples(index=False):
        assert f"| {row.seat} | {row.value:.4f} | {row.low:.4f} | {row.high:.4f} | {row.n} |" in PAGE
    assert list(position(**opened)["choices"]) == ["pass", "pirate", "plus_one", "ware"]
    line = re.search(r"^strozzi mcp .*", PAGE, re.MULTILINE)[0]
    assert strozzi(*shlex.split(line)[1:]).returncode == 0

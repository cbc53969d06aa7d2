"""The tools for assistants: a client plays and asks, in memory and over the command's standard input and output."""

import json
import os
import re
import shlex
import sys
from functools import partial

import anyio
import pytest

import strozzi_sim as ss
from commands import strozzi
from our_games import OUR_GAMES
from paths import ROOT
from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.assistants.tools import TOOLS, call
from strozzi_sim.errors import InputError

mcp = pytest.importorskip("mcp")

PAGE = (ROOT / "docs" / "assistants.md").read_text()

GAME = {"game": "strozzi", "players": 3, "seed": 7}


def with_client(server, talk):
    """Return what a client's talk with a server returns."""

    async def run():
        async with mcp.Client(server) as client:
            return await talk(client)

    return anyio.run(run)


def served(limits=None):
    from strozzi_sim.cli.assistants.server import make_server

    return make_server(limits or Limits())


def over_stdio(cwd):
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "strozzi_sim", "mcp"], env=dict(os.environ), cwd=cwd
    )
    return stdio_client(command)


async def ask(client, name, **arguments):
    """The answer of a tool: its JSON, with the text under "text"."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    *texts, document = [block.text for block in result.content]
    return json.loads(document) | ({"text": texts[0]} if texts else {})


async def refused(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return result.content[0].text


def remade(answer):
    """What the command of an answer prints as JSON."""
    words = shlex.split(answer["command"])
    assert words[0] == "strozzi"
    done = strozzi(*words[1:], *([] if words[1] == "mcp" else ["--json"]))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def figures(rows, *keys):
    return {tuple(row[key] for key in keys): (row["value"], row["low"], row["high"], row["n"]) for row in rows}


def assert_same(answer, tables):
    """The rows of an answer are rows of these tables, to the digits that an answer has."""
    compared = 0
    for name, shown in answer["tables"].items():
        frame = tables[name]
        rows = frame.to_dict("records") if hasattr(frame, "to_dict") else frame
        keys = [
            key
            for key in rows[0]
            if key not in ("value", "low", "high", "n", "p", "p_corrected", "before", "size", "verdict")
        ]
        known = figures(rows, *keys)
        for row in shown["rows"]:
            whole = shown.get("same_in_all_rows", {}) | row
            expected = known[tuple(whole[key] for key in keys)]
            for got, cell in zip((row["value"], row["low"], row["high"], row["n"]), expected, strict=True):
                assert got == (None if cell is None or cell != cell else pytest.approx(cell, rel=1e-5, abs=1e-12))
            compared += 1
    assert compared > 3


def test_there_are_at_most_ten_tools_and_each_is_described():
    listed = with_client(served(), lambda client: client.list_tools()).tools
    assert len(listed) <= 10
    assert {tool.name for tool in listed} == set(TOOLS)
    for tool in listed:
        assert 20 < len(tool.description) < 600
        properties = tool.input_schema["properties"]
        assert all(each["description"] for each in properties.values()), tool.name
        if "game" in properties:
            assert set(properties["game"]["enum"]) >= set(OUR_GAMES)
        assert not tool.annotations.destructive_hint


def test_a_game_is_played_over_standard_input_and_output(tmp_path):
    """As `strozzi play` plays it: the same choices against the same agents lead to the same end."""

    async def talk(client):
        choices = []
        while True:
            seen = await ask(client, "position", **GAME, opponents="heuristic", seat=1, choices=choices)
            if seen["over"]:
                return seen, choices
            assert seen["decides"] == seen["seen_by"] == 1
            choices.append(seen["choices"][0])

    seen, choices = with_client(over_stdio(tmp_path), talk)
    done = strozzi(
        "play",
        "strozzi",
        "--players",
        3,
        "--seed",
        7,
        "--agents",
        "heuristic",
        "--seat",
        1,
        stdin="\n".join(choices) + "\n",
    )
    assert f"with {seen['result'][1]['score']}." in done.stdout.splitlines()[-1]
    again = remade(seen)
    assert again["result"] == seen["result"]
    assert again["text"] == seen["text"]


def test_the_answer_of_a_question_is_that_of_python_and_of_its_command():
    async def talk(client):
        balance = await ask(
            client, "balance", game="strozzi", players=3, agents=["heuristic", "random"], deals=40, seed=5
        )
        compared = await ask(
            client, "compare", game="strozzi", first="heuristic", second="greedy", players=3, deals=20, seed=3
        )
        return balance, compared

    balance, compared = with_client(served(), talk)
    found = ss.simulate("strozzi", 3, ["heuristic", "random"], deals=40, seed=5)
    assert_same(balance, found.tables)
    assert_same(balance, remade(balance)["tables"])
    assert balance["games"] == 120
    assert balance["verdict"] == found.findings
    assert balance["reconstructed_data"]["base"]
    assert_same(compared, ss.compare("strozzi", "heuristic", "greedy", 3, deals=20, seed=3).tables)
    assert_same(compared, remade(compared)["tables"])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("worth", {"game": "strozzi", "things": ["flag:pirate"], "players": 3, "agents": "heuristic", "deals": 20}),
        ("tournament", {"game": "strozzi", "agents": ["heuristic", "greedy", "random"], "players": 3, "deals": 10}),
        ("compare", {"game": "strozzi", "settings": ["tracks.bonus.7=10"], "players": 3, "deals": 20}),
        ("balance", {"game": "medici_vs_strozzi", "deals": 20, "tables": ["seats", "prices"]}),
    ],
)
def test_the_command_of_a_question_gives_its_figures(name, arguments):
    answer = call(name, arguments, Limits())
    assert_same(answer, remade(answer)["tables"])
    for table in answer["tables"].values():
        for row in table["rows"]:
            assert row["n"] > 0
            assert row["low"] is not None or row["figure"].endswith("_p")


def test_no_figure_is_shown_without_an_interval():
    answer = call("balance", {"game": "strozzi", "deals": 1}, Limits())
    shown = [row for table in answer["tables"].values() for row in table["rows"]]
    assert all(row["low"] is not None for row in shown if not row["figure"].endswith("_p"))
    assert sum(table.get("rows_left_out_for_too_few_games", 0) for table in answer["tables"].values()) > 10


def test_what_a_seat_cannot_know_does_not_show():
    """Whatever a rival keeps in secret, and with agents as rivals whatever they keep."""
    deal = {"game": "strasbourg", "players": 3, "seed": 11, "as_data": True}
    see = partial(call, "position", limits=Limits())

    def seen(answer):
        return {key: value for key, value in answer.items() if key != "command"}

    own = see({**deal, "seat": 0})["choices"][0]["choice"]
    one, two, *_ = [each["choice"] for each in see({**deal, "choices": [own]})["choices"]]
    kept_one, kept_two = (see({**deal, "choices": [own, kept], "seat": 0}) for kept in (one, two))
    assert seen(kept_one) == seen(kept_two)
    assert kept_one["decides"] == 2
    assert "seat 2 only" in kept_one["choices"]
    rival = see({**deal, "choices": [own, one], "seat": 1})
    assert one in rival["text"]
    assert one not in json.dumps(seen(kept_one))
    against = see({**deal, "choices": [own], "opponents": "heuristic"})
    shown = json.dumps(seen(against))
    tasks = {each["choice"] for each in see({**deal, "choices": [own]})["choices"]}
    assert against["decides"] == 0
    assert not any(task in shown for task in tasks - {each["choice"] for each in see({**deal, "seat": 0})["choices"]})


def test_a_position_of_a_record_is_that_of_the_game(tmp_path):
    file = tmp_path / "games.jsonl"
    assert (
        strozzi(
            "record", "strozzi", "--players", 3, "--agents", "heuristic,random", "--games", 2, "--out", file
        ).returncode
        == 0
    )
    end = call("position", {"record": str(file), "game_number": 2}, Limits())
    assert end["over"]
    early = call("position", {"record": str(file), "decisions": 2}, Limits())
    more = call("position", {"record": str(file), "decisions": 2, "choices": [early["choices"][0]]}, Limits())
    assert more["decisions_so_far"] == early["decisions_so_far"] + 1 == 3
    answer = call("analyse_game", {"record": str(file), "game_number": 2, "redraws": 4, "top": 3}, Limits())
    whole = remade(answer)
    for row, known in zip(answer["seats"], whole["seats"], strict=True):
        assert row["luck"] == known["luck"]
        assert row["error_rate"]["value"] == pytest.approx(known["error_rate"], rel=1e-5)
        assert row["error_rate"]["low"] <= row["error_rate"]["value"] <= row["error_rate"]["high"]
    assert len(answer["costliest_decisions"]) == 3


def test_choices_are_analysed_by_an_evaluation_or_by_a_search():
    judged = call("analyse_position", GAME, Limits())
    assert judged["agent"] == "learned"
    assert judged["choices"][0]["points_lost"]["value"] == 0
    assert {row["choice"] for row in judged["choices"]} == set(ss.Position("strozzi", 3, seed=7).names)
    searched = call("analyse_position", {**GAME, "agent": "flat_mc:playouts=5"}, Limits())
    for row in searched["choices"]:
        assert row["n"] == 40
        assert row["value"]["low"] < row["value"]["value"] < row["value"]["high"]
    assert remade(searched)["choices"] == searched["choices"]


def test_a_study_is_explained_played_and_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "mine"\ngame = "strozzi"\nplayers = [3]\ndeals = 60\nlineups = [["random"]]\n[report]\npages = ["balance"]\n'
    )
    told = call("study", {"file": "mine.toml"}, Limits())
    assert told["games"] == 60
    assert not told["folder_exists"]
    assert told["command"] == "strozzi run mine.toml --out results/mine"
    played = call("study", {"file": "mine.toml", "run": True}, Limits())
    assert "seats" in played["tables"]
    rows = call(
        "study", {"folder": "results/mine", "table": "seats", "where": {"figure": "win_share", "seat": 0}}, Limits()
    )
    (row,) = rows["rows"]
    known = ss.simulate("strozzi", 3, "random", deals=60).tables["seats"].query("figure == 'win_share' and seat == 0")
    assert row["value"] == pytest.approx(known["value"].item(), rel=1e-5)
    other = tmp_path / "notes"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="did you mean 'seats'"):
        call("study", {"folder": "results/mine", "table": "seat"}, Limits())
    with pytest.raises(InputError, match="not empty"):
        call("study", {"file": "mine.toml", "run": True, "folder": "notes"}, Limits())
    assert (other / "mine.txt").read_text() == "mine"


WRONG = [
    ("position", {"game": "strozi"}, ["game: invalid value 'strozi'", "did you mean 'strozzi'?"]),
    ("position", {}, ["game", "record"]),
    ("position", {**GAME, "sede": 7}, ["unknown key 'sede'", "did you mean 'seed'?"]),
    ("position", {**GAME, "seed": -1}, ["seed", "-1", ">= 0"]),
    ("position", {**GAME, "players": 9}, ["9", "3"]),
    ("position", {**GAME, "choices": ["pass", "fly"]}, ["choice 2", "'fly'", "known: pass"]),
    ("position", {**GAME, "choices": [77]}, ["choice 1", "77", "legal: 1"]),
    ("position", {**GAME, "seat": 4}, ["seat", "0 to 2", "got 4"]),
    ("position", {**GAME, "opponents": "nobody"}, ["opponents", "nobody"]),
    ("position", {"record": "no-such.jsonl"}, ["no-such.jsonl"]),
    ("analyse_position", {**GAME, "agent": "greedy"}, ["agent", "greedy"]),
    ("analyse_position", {**GAME, "draws": 10**6}, ["draws", "10,000"]),
    ("analyse_game", GAME, ["not over", "0 decisions"]),
    ("balance", {"game": "strozzi", "deals": 100_000}, ["100,000 games", "50,000", "strozzi balance strozzi --"]),
    ("balance", {"game": "strozzi", "deals": 1.5}, ["deals", "1.5"]),
    ("balance", {"game": "strozzi", "deals": 5, "tables": ["seat"]}, ["tables", "did you mean 'seats'?"]),
    ("compare", {"game": "strozzi", "first": "heuristic"}, ["first", "two agents"]),
    ("worth", {"game": "strozzi"}, ["things", "flag:pirate"]),
    ("worth", {"game": "strozzi", "things": ["flag:red"]}, ["flag:red"]),
    ("tournament", {"game": "strozzi", "agents": ["random"]}, ["agents"]),
    ("study", {"folder": "nowhere"}, ["nowhere", "no results"]),
    ("study", {"file": "nowhere.toml"}, ["nowhere.toml"]),
    ("study", {}, ["file", "folder"]),
    ("rules", {"game": "strozzi", "find": "dragon"}, ["'dragon'"]),
    ("games", {"game": "strozzi", "facts": "sips"}, ["'sips'", "did you mean 'ship'?"]),
    ("games", {"game": "strozzi", "agent": "flat"}, ["'flat'", "flat_mc"]),
    ("gmaes", {}, ["'gmaes'", "did you mean 'games'?"]),
]


def test_wrong_input_is_an_error_that_names_it_and_the_server_goes_on():
    async def talk(client):
        said = [await refused(client, name, **arguments) for name, arguments, _ in WRONG]
        await ask(client, "games")
        return said

    for (name, arguments, words), said in zip(WRONG, with_client(served(), talk), strict=True):
        assert "\n" not in said
        assert "internal" not in said
        for word in words:
            assert word in said, (name, arguments, said)


@pytest.mark.slow
def test_a_call_that_takes_too_long_is_ended_and_the_server_goes_on():
    async def talk(client):
        said = await refused(client, "analyse_position", **GAME, agent="flat_mc:playouts=100000000")
        await ask(client, "games")
        return said

    assert "took more than 4 s" in with_client(served(Limits(seconds=4.0)), talk)


def test_games_and_rules_are_told():
    assert {each["name"] for each in call("games", {}, Limits())["games"]} >= set(OUR_GAMES)
    for game in OUR_GAMES:
        told = call("games", {"game": game}, Limits())
        assert {"random", "flat_mc"} <= set(told["agents"])
        assert told["reconstructed_data"]["base"]
        table = next(iter(told["facts"]))
        assert "playouts" in call("games", {"game": game, "agent": "flat_mc"}, Limits())["parameters"]
        assert call("games", {"game": game, "facts": table}, Limits())["columns"]
        assert call("rules", {"game": game}, Limits())["in_short"]
    (found,) = call("rules", {"game": "strozzi", "find": "12"}, Limits())["paragraphs"]
    assert found["text"].startswith("12. ")


def test_without_the_library_the_command_names_the_extra(monkeypatch):
    for name in [
        name for name in sys.modules if name == "mcp" or name.startswith("mcp.") or name.endswith("assistants.server")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = strozzi("mcp")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "pip install 'strozzi-sim[mcp]'" in done.stderr
    assert strozzi("mcp", "games").returncode == 0


def test_wrong_words_of_the_command_are_one_line():
    for words, part in (
        (["mcp", "games", "{"], "not JSON"),
        (["mcp", "games", "[]"], "JSON object"),
        (["mcp", "gmaes"], "did you mean 'games'?"),
        (["mcp", "--seconds", "0"], "--seconds"),
    ):
        done = strozzi(*words)
        assert done.returncode == 2
        assert part in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_what_the_page_says_is_so():
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(TOOLS)
    (configured,) = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert configured["mcpServers"]["strozzi-sim"]["args"] == ["mcp"]
    asked, opened = (json.loads(text) for text in re.findall(r"^`\w+` with `(\{.*?\})`", PAGE, re.MULTILINE))
    answer = call("balance", asked, Limits())
    assert f"`{answer['command']}`" in PAGE
    rows = [row for row in answer["tables"]["seats"]["rows"] if row["figure"] == "win_share"]
    for row in rows:
        assert f"| {row['seat']} | {row['value']:.4f} | {row['low']:.4f} | {row['high']:.4f} | {row['n']} |" in PAGE
    assert call("position", opened, Limits())["choices"] == ["pass", "pirate", "plus_one", "ware"]
    lost = {row["choice"]: row["points_lost"]["value"] for row in call("analyse_position", opened, Limits())["choices"]}
    assert (round(lost["pass"]), round(lost["plus_one"]), round(lost["pirate"])) == (0, 19, 36)
    assert (Limits().games, Limits().seconds) == (50_000, 120)
    line = re.search(r"^strozzi mcp .*", PAGE, re.MULTILINE)[0]
    assert strozzi(*shlex.split(line)[1:]).returncode == 0

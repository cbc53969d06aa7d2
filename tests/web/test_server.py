"""The local server: requests without the token, from elsewhere, too long, too many or wrong are refused in words; the game goes on."""

import http.client
import json
import socket
import threading
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from types import SimpleNamespace

import numpy as np
import pytest

from commands import wait_until
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.analysis import LEAD
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.analyse import GameAnalysis
from strozzi_sim.play.judged import JudgedDecision
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import record_games, write_record
from strozzi_sim.simulation.match import Match
from strozzi_sim.web.local import MAX_CONNECTIONS, LocalHandler, LocalServer, Pages
from strozzi_sim.web.server import Ending, PlayedTable, _judged_words, sources
from strozzi_sim.web.session import Session, Sitting


@pytest.fixture
def server(tmp_path):
    game = load_game("strozzi")
    sitting = Sitting(game, resolve_variant(game, "base"), 3, 5, 0, 1, [load_agent("random", game)] * 3, "heuristic")
    server = LocalServer(PlayedTable(sitting, tmp_path / "games.jsonl"))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(10)


def request(server, method="GET", path="", body=None, token=None, **headers):
    """Return the status, the headers and the body of an answer."""
    connection = http.client.HTTPConnection(*server.server_address, timeout=60)
    sent = {"Host": server.here, "Origin": f"http://{server.here}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in sent.items() if value is not None}
    text = json.dumps(body) if isinstance(body, dict | list) else body
    try:
        connection.putrequest(method, f"/{server.token if token is None else token}/{path}", skip_host=True)
        if text is not None and "Content-Length" not in sent:
            sent["Content-Length"] = str(len(text))
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        if text is not None:
            connection.send(text.encode())
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def state(server):
    status, _, body = request(server, path="state")
    assert status == 200
    return json.loads(body)


def settled(server):
    server.pages.session.wait(600)
    return state(server)


def test_it_listens_on_this_machine_alone_and_the_page_may_load_nothing_else(server):
    assert server.server_address[0] == "127.0.0.1"
    status, headers, body = request(server)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'<script nonce="{nonce}">'.encode() in body
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert request(server)[1]["Content-Security-Policy"] != policy  # a nonce serves once


@pytest.mark.parametrize(
    ("code", "given"),
    [
        (404, {"token": "guess"}), (404, {"token": ""}), (404, {"Host": "evil.example"}), (404, {"Host": None}),
        (404, {"Host": "127.0.0.1.evil.example"}), (404, {"Host": "evil.example:80"}), (404, {"Host": "["}), (404, {"Host": ""}),
        (403, {"Host": "localhost"}), (403, {"Origin": "http://evil.example"}), (403, {"Origin": "null"}),
        (404, {"path": "etc/passwd"}), (404, {"path": "../state"}),
        (403, {"method": "POST", "path": "new", "body": {}, "Origin": None}),
        (403, {"method": "POST", "path": "new", "body": {}, "Origin": "https://127.0.0.1"}),
        (415, {"method": "POST", "path": "new", "body": {}, "Content_Type": "text/plain"}),
        (413, {"method": "POST", "path": "play", "body": "x" * (Pages.max_body + 1)}),
        (413, {"method": "POST", "path": "play", "Content_Length": "-1"}),
        (413, {"method": "POST", "path": "play", "Content_Length": "many"}),
        (413, {"method": "POST", "path": "play", "Content_Length": "9" * 50}),
        (400, {"method": "POST", "path": "play", "body": "{"}), (400, {"method": "POST", "path": "play", "body": "[1]"}),
        (400, {"method": "POST", "path": "play", "body": "[" * 2_000}), (400, {"method": "POST", "path": "play", "body": {}}),
        (400, {"method": "POST", "path": "play", "body": {"version": True}}),
        (404, {"method": "POST", "path": "shell", "body": {"version": 1}}),
        (409, {"method": "POST", "path": "play", "body": {"version": -5, "name": "pass"}}),
        (400, {"path": "state?have=x"}), (400, {"path": "state?have=-1"}), (409, {"path": "record"}), (409, {"path": "replay"}),
        (501, {"method": "PUT"}), (501, {"method": "OPTIONS", "Origin": "http://evil.example"}),
    ],
)  # fmt: skip
def test_what_may_not_be_asked_is_refused_in_words(server, code, given):
    before = settled(server)
    status, _, body = request(server, **given)
    assert status == code, body
    assert b"Traceback" not in body
    if code != 501:
        assert len(json.loads(body)["error"]) > 5
    assert state(server) == before


def test_illegal_actions_are_refused_and_the_game_goes_on(server):
    before = settled(server)
    for wrong in ({"action": 9999}, {"action": 1e300}, {"name": "<script>"}, {"name": ["pass"]}, {"composed": [[6]]}):
        status, _, body = request(server, "POST", "play", {"version": before["version"], **wrong})
        assert status == 400, body
        assert json.loads(body)["error"]
    assert state(server) == before
    status, _, body = request(
        server, "POST", "play", {"version": before["version"], "name": "pass", "have": len(before["steps"])}
    )
    assert status == 200
    assert json.loads(body)["keep"] == len(before["steps"])
    assert request(server, "POST", "play", {"version": before["version"], "name": "pass"})[0] == 409


def test_ten_megabytes_are_not_read(server):
    before = settled(server)
    with socket.create_connection(server.server_address, timeout=60) as plain:
        head = f"POST /{server.token}/play HTTP/1.1\r\nHost: {server.here}\r\nOrigin: http://{server.here}\r\n"
        plain.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 10000000\r\n\r\n".encode())
        assert b"413" in plain.recv(100)
    assert state(server) == before


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:9000",
        "LOCALHOST:9000",
        "127.0.0.1",
        "127.0.0.1:80",
        "[::1]",
        "[::1]:9000",
        "desk.example:1",
    ],
)
def test_a_page_behind_a_tunnel_or_in_a_container_has_another_port(server, host):
    server.hosts.add("desk.example")  # as with --host
    origin = f"http://{host}"
    assert request(server, Host=host, Origin=None)[0] == 200
    assert request(server, "POST", "new", {"version": 1}, Host=host, Origin=origin)[0] == 200
    for other in ("http://localhost:1234", "http://127.0.0.1:1234", f"https://{host}"):
        assert request(server, "POST", "new", {"version": 1}, Host=host, Origin=other)[0] == 403


def test_the_address_of_ipv6_has_brackets_and_the_browser_is_opened_once_it_is_served(monkeypatch, capfd):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")

    class Echo(Pages):
        def get(self, request, path, query):
            request.send_json({"path": path})

    fetched = Queue()

    def text_browser(address):
        with urllib.request.urlopen(address, timeout=60) as answer:
            fetched.put((address, json.load(answer)))
        closed.wait(60)  # as its user reads

    closed = threading.Event()
    monkeypatch.setattr("webbrowser.open", text_browser)
    with LocalServer(Echo(), host="::1") as server:
        thread = threading.Thread(target=server.serve_until_interrupted, args=("table",), kwargs={"opens": True})
        thread.start()
        address = f"http://[::1]:{server.server_address[1]}/{server.token}/"
        assert fetched.get(timeout=60) == (address, {"path": "/"})
        assert urllib.request.urlopen(f"{address}more", timeout=60).status == 200
        server.shutdown()
        thread.join(60)
        closed.set()
    assert capfd.readouterr().out.startswith(f"Open {address}\n")


@pytest.mark.slow
def test_a_thousand_at_once_are_all_answered(server):
    before, begin = settled(server), threading.Barrier(1_000)

    def one(number):
        begin.wait()
        return request(server, path="state" if number % 2 else "", token=None if number % 4 else "guess")[0]

    with ThreadPoolExecutor(1_000) as pool:
        answers = Counter(pool.map(one, range(1_000)))
    assert answers == {200: 750, 404: 250}
    assert state(server) == before


def test_connections_that_say_nothing_keep_others_waiting_at_most(server, monkeypatch):
    monkeypatch.setattr(LocalHandler, "timeout", 0.5)  # seconds
    silent = [socket.create_connection(server.server_address, timeout=60) for _ in range(MAX_CONNECTIONS + 8)]
    assert state(server)["version"] > 0
    for each in silent:
        each.close()


def test_a_finished_game_is_added_to_the_records_of_the_file(tmp_path):
    match = Match(game := load_game("strozzi"), 3, (load_agent("random"),), resolve_variant(game, "base"), 5, "one")
    out, (first, second) = tmp_path / "games.jsonl", record_games(match, range(2))
    write_record(out, [first])
    assert Ending(out)._saved(out, second) == f"Saved in {out}."
    assert [json.loads(line) for line in out.read_text().splitlines()] == [*first, *second]
    out.write_text("")
    assert Ending(out)._saved(out, first) == f"Saved in {out}."
    out.write_text("mine")
    with pytest.raises(InputError, match=r"games\.jsonl: line 1"):
        Ending(out)


def test_a_judge_that_fails_is_said_with_the_result(monkeypatch):
    def fails(*_):
        raise AgentFault("it failed")

    monkeypatch.setattr("strozzi_sim.web.server.analyse_game", fails)
    game, results = load_game("strozzi"), []
    agents, judge = [load_agent("random", game)] * 3, load_agent("heuristic", game)
    sitting = Sitting(game, resolve_variant(game, "base"), 3, 1, 0, 0, agents, "heuristic", judge)
    position = Position(game, 3, seed=1)
    while not position.over:
        position.play(position.legal[0])
    Ending().add(SimpleNamespace(sitting=sitting, set_result=lambda _, result: results.append(result)), position)
    assert [each["judging"] for each in results] == [True, False]
    assert results[-1]["words"][-1] == "The game was not judged: it failed."


def test_a_game_over_http_is_verified_and_saved(server, tmp_path):
    for _ in range(400):
        now = settled(server)
        if now["ask"] is None:
            break
        body = {"version": now["version"], "action": now["ask"]["choices"][-1]["action"]}
        assert request(server, "POST", "play", body)[0] == 200
    result = wait_until(lambda: state(server)["result"])
    assert result["words"] == [
        "The record was verified: every line follows the rules.",
        f"Saved in {tmp_path / 'games.jsonl'}.",
    ]
    total = [sum(parts) for parts in zip(*result["sources"].values(), strict=True)]
    assert total == list(server.pages.session.finished().scores)
    status, headers, record = request(server, path="record")
    assert status == 200
    assert "attachment" in headers["Content-Disposition"]
    saved = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert saved == [json.loads(line) for line in record.splitlines()]
    status, _, page = request(server, path="replay")
    assert status == 200
    assert b'<body class="replay">' in page


def test_points_by_source_are_sums_over_rounds():
    lines = [
        {"type": "score_round", "round": 1, "ships": [1, 2], "total": [1, 2]},
        {"type": "claim", "player": 0},
        {"type": "score_round", "round": 2, "ships": [3, 4], "markers": {"a": 1}, "total": [4, 6]},
        {"type": "score_end", "promotion": [5, 0], "fulfilled": [["a"], []], "total": [9, 6], "ranking": [0, 1]},
    ]
    assert sources(lines, ("ships", "promotion", "bonus")) == {"ships": [4, 6], "promotion": [5, 0]}


def test_a_rating_is_said_to_be_a_mean():
    """One loss of 6 and one of nothing are not 3 in each of two decisions."""
    names = ["agent", "you", "agent"]
    game = load_game("strozzi")
    session = Session(
        Sitting(game, resolve_variant(game, "base"), 3, 5, 0, 1, [load_agent("random", game)] * 3, "heuristic"), lambda *_: None
    )  # fmt: skip
    effects = np.zeros((2, 3, 3))
    effects[0, 1, LEAD] = -6
    decisions = tuple(
        JudgedDecision(number, 1, 1, "?", "a", "b", *np.zeros((1, 3, 3)), effect, *np.zeros((2, 3, 3)), True)
        for number, effect in enumerate(effects, 1)
    )
    analysis = GameAnalysis("learned", 4, np.zeros((3, 3)), np.zeros((3, 3)), decisions, np.zeros((3, 3)), (), names)
    record = Position(game, 3, 5).record(names)
    said = _judged_words(analysis, record, session)["rating"]
    assert said == ["You lost 3.00 coins a decision on average, over 2 decisions in which choices differ."]


@pytest.mark.parametrize("asked", ["http://[x", "/{token}/state?a=1&b=2&c=3&d=4&e=5", "/{token}/state?have=1_0"])
def test_an_address_that_is_none_is_refused_in_words(server, asked, capfd):
    with socket.create_connection(server.server_address, timeout=60) as line:
        line.sendall(f"GET {asked.format(token=server.token)} HTTP/1.1\r\nHost: {server.here}\r\n\r\n".encode())
        answer = line.recv(4096).decode()
    assert answer.startswith("HTTP/1.1 400 ")
    assert (
        "expected the address of the page, with at most 4 fields" in answer or "have: expected a whole number" in answer
    )
    assert capfd.readouterr().err == ""
    assert state(server)  # the game goes on

"""The desk's parts without a browser: the box, the questions as commands, the shelf, and the server."""

import errno
import http.client
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
from urllib.parse import quote, urlsplit

import pytest

import strozzi_sim as ss
from commands import strozzi, wait_until
from our_games import OUR_GAMES
from strozzi_sim.cli.parser import arguments_of, parsed
from strozzi_sim.desk.answers import PAGE, PICTURE, Shelf, _ending
from strozzi_sim.desk.child import study_toml
from strozzi_sim.desk.questions import (
    MOST_SEEN,
    SHEETS,
    Asked,
    box_of,
    command_of,
    fields_of,
    forms,
    precisions_of,
    python_of,
    questions,
    words_for,
)
from strozzi_sim.desk.server import MAX_TABLES, DeskServer
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.game import default_players, game_names, load_game
from strozzi_sim.game.variants import published_value, resolve_variant, with_settings, with_values
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.screen import values_to_try

ADDED = 'ships.add=[{id="S90",sail=4,venice=1,rome=1,naples=1,scrolls=0,promotion=0}]'
CHANGED = ["tracks.bonus.9=20", "ships.S03.sail=8", 'ships.remove=["S01"]', ADDED]
ASKED = {
    "question": "balance",
    "game": "strozzi",
    "values": {"players": "3", "agents": "random", "deals": "80"},
    "precision": "usual",
}


def document(*words):
    """Return the JSON document of a command."""
    done = strozzi(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# -- the box -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_target_and_every_tick_of_the_form_is_understood(name):
    """A row of each figure is a target of the study, and the ticks are the numbers that a search takes by default."""
    game, box = load_game(name), box_of(name)
    written = [f"{aim['text']} {aim['relation']} {aim['number'] or 20}" for aim in box["aims"]]
    written = [
        f"{text} +- {aim['tolerance']}" if aim["relation"] == "=" else text
        for text, aim in zip(written, box["aims"], strict=True)
    ]
    patterns = [pattern for group in box["tunable"] for pattern, _ in group["numbers"]]
    keys = {"kind": "tune", "game": name, "targets": written, "players": [default_players(game)], "deals": 4000}
    keys |= {"lineups": [[game.default_agent]], "variants": ["base"]}
    study, _ = study_of(keys | {"keys": ", ".join(patterns)})
    assert len(study.parsed[1]) == len(written)
    untold, _ = study_of(keys)
    chosen = {number.key for number in study.numbers if len(number.values) > 1}
    assert chosen == {number.key for number in untold.numbers}


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_field_of_the_box_can_be_set_to_its_own_value(name):
    game = load_game(name)
    fields = [field for group in box_of(game)["groups"] for field in group.get("fields", ())]
    assert len(fields) > 20
    for field in fields:
        if field["kind"] not in ("fixed", "text"):
            assert field["value"] == field["before"]
            text = json.dumps(field["value"]).replace('": ', '" = ')
            with_settings(game, "base", [f"{field['key']}={text}"])


@pytest.mark.parametrize("name", OUR_GAMES)
def test_numbers_outside_their_range_are_refused(name):
    game, tried = load_game(name), 0
    for field in (field for group in box_of(game)["groups"] for field in group.get("fields", ())):
        if type(field["value"]) is int:
            for wrong in [field[end] + by for end, by in (("low", -1), ("high", 1)) if field.get(end) is not None]:
                tried += 1
                with pytest.raises(InputError, match=f"got {wrong}$"):
                    box_of(game, settings=[f"{field['key']}={wrong}"])
    assert tried > 8


def test_changed_added_and_removed_cards_are_marked():
    (ships,) = [group for group in box_of(load_game("strozzi"), settings=CHANGED)["groups"] if group["name"] == "ships"]
    rows = {row["id"]: row for row in ships["rows"]}
    assert (rows["S01"]["state"], rows["S90"]["state"], rows["S02"]["state"]) == ("removed", "added", "")
    sail = [column["name"] for column in ships["columns"]].index("sail")
    assert (rows["S03"]["values"][sail], rows["S03"]["before"][sail]) == (8, 7)
    assert {row["source"] for row in ships["rows"]} > {"reconstructed"}


def test_the_players_of_a_game_are_named_and_each_has_a_sentence():
    box = box_of(load_game("strozzi"))
    assert [name for name, *_ in box["agents"]] == ["random moves", "weak", "usual", "trained", "strong"]
    assert [agent for _, agent, *_ in box["agents"]] == ["random", *load_game("strozzi").tiers.values()]
    assert box["opponent"] == "the trained player"
    assert box_of(load_game("strasbourg"))["opponent"] == "the trained player"
    assert [words for *_, words in box["agents"]][:2] == ["random moves", "weak players"]
    (trained,) = [words for name, _, words, _ in box["agents"] if name == "trained"]
    assert trained.endswith("it wins 47 of 100 games against three usual players (4,000 games; 25 would be equal).")


# -- questions ---------------------------------------------------------------------------------------------------------

CHANGED_BOX = {"game": "strozzi", "variant": "long-tracks", "settings": ["tracks.bonus.9=20"]}
VALUES = {"worth": {"things": "flag:*"}, "sweep": {"values": "tracks.bonus.9 = 0 15"}, "tournament": {"agents": "random,greedy,heuristic"},
          "heatmap": {"rows": "flag", "columns": "round"}, "our-table": {"file": "60, 50, 40"}}  # fmt: skip


@pytest.mark.parametrize("name", questions())
def test_a_question_is_a_command_that_is_understood(name):
    for precision in next(form["precisions"] for form in forms() if form["name"] == name):
        asked = Asked(question=name, values=VALUES.get(name, {}), precision=precision, **CHANGED_BOX)
        words = words_for(asked)
        given = arguments_of(words[0], parsed(words[0], words[1:]))
        assert shlex.split(command_of(words))[1:] == words
        variants = given["variant"] if isinstance(given.get("variant"), list) else [given.get("variant")]
        assert given.get("settings") or all("20" in variant.name for variant in variants)
        compile(python_of(words), "python_of", "exec")


def test_python_gives_what_the_command_gives():
    values = {"players": "3", "agents": "random", "deals": "60"}
    words = words_for(Asked(game="strozzi", settings=["setup.rounds=2"], question="balance", values=values))
    names = {}
    exec(python_of(words).rpartition("\n")[0].replace("ss.simulate(", "ss.simulate(progress=False, game="), names)
    assert names["results"].tables["seats"].to_dict("records") == document(*words)["tables"]["seats"]


def test_a_quick_look_is_not_of_fewer_deals_than_the_strip_has_played():
    def deals(question="compare", precision="quick", seen=61_234, **values):
        values = VALUES.get(question, {}) | values
        asked = Asked(question=question, values=values, precision=precision, seen=seen, **CHANGED_BOX)
        words = words_for(asked)
        return parsed(words[0], words[1:]).get("deals")

    assert deals() == deals("balance", agents="heuristic") == 61_234
    assert deals(seen=12) == 1000
    assert deals(seen=400_000) == MOST_SEEN["compare"]
    assert deals("sweep") == MOST_SEEN["sweep"] > deals("sweep", seen=900) == 900
    assert deals("worth") == 300, "a question that the strip does not answer in part"
    assert deals("balance") == 500, "some of all strengths are slow"
    assert deals(precision="usual") is None
    assert deals(deals="70") == 70


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_number_to_try_has_a_few_values_that_its_game_allows(name):
    game, box = load_game(name), resolve_variant(load_game(name), "base")
    offered = box_of(name)["sweeps"]
    assert len(offered) > 10
    for key, label in offered:
        values = values_to_try(game, box, key)
        assert published_value(game, key) in values
        assert 3 <= len(values) <= 10
        assert label
        for value in values:
            with_values(game, box, {key: value})


def test_a_changed_number_is_offered_first_and_tried_around_both_its_values():
    changed = box_of("strozzi", settings=["ships.S03.sail=8"])["sweeps"]
    assert changed[0] == ("ships.S03.sail", "sail number of ship S03")
    own = with_settings(load_game("strozzi"), "base", ["tracks.bonus.9=40"])
    assert {0, 40} < set(values_to_try(load_game("strozzi"), own, "tracks.bonus.9"))


def test_wrong_forms_are_named():
    with pytest.raises(InputError, match=r"unknown question 'balnce'.*did you mean 'balance'"):
        words_for(Asked(question="balnce"))
    with pytest.raises(InputError, match=r"unknown field 'deels'; .*did you mean 'deals'"):
        words_for(Asked(question="balance", values={"deels": "3"}))
    with pytest.raises(InputError, match="change something in the box first"):
        words_for(Asked(question="compare"))
    with pytest.raises(InputError, match=r"^Number and its values: fill in this field first$"):
        words_for(Asked(game="strozzi", question="sweep", values={"values": ""}))
    with pytest.raises(InputError, match="unknown precision 'exact'; known: quick, usual, sure"):
        words_for(Asked(question="balance", precision="exact"))


@pytest.mark.parametrize("odd", ["--help", "-h", "--workers=64", "--out", "--", "-"])
def test_a_value_is_never_an_option(odd, capfd):
    kept = 0
    for name, question in questions().items():
        for field in [each.name for each in fields_of(question).values() if each.type is not bool]:
            asked = Asked(question=name, values=VALUES.get(name, {}) | {field: odd}, **CHANGED_BOX)
            try:
                words = words_for(asked)
                value = parsed(words[0], words[1:])[field]
            except InputError:
                continue
            kept += 1
            assert value in (odd, [odd]) or (field, name) == ("file", "our-table"), words
        with pytest.raises(InputError, match=f"^game: unknown game '{odd}'; "):
            words_for(Asked(question=name, game=odd, settings=["tracks.bonus.9=20"], values=VALUES.get(name, {})))
    with pytest.raises(InputError, match=f"^things: must not begin with -, got '{odd}'$"):
        words_for(Asked(question="worth", game="strozzi", values={"things": f"flag:pirate {odd}"}))
    assert kept > 20 or odd == "--"  # which argparse drops
    assert capfd.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize("settings", [[], CHANGED])
def test_a_study_as_toml_is_the_same_study(settings):
    for results in (
        ss.compare("strozzi", "long-tracks", settings=settings or ["setup.rounds=2"], players=3, deals=40, agents="random", progress=False),
        ss.worth("strozzi", ["flag:*"], players=3, deals=40, agents="random", progress=False),
        ss.heatmap("strozzi", rows="flag", columns="round", players=3, agents="random", deals=40, progress=False),
    ):  # fmt: skip
        study, look = study_of(tomllib.loads(study_toml(results.study, results.look)))
        assert (study.hash, look) == (results.study.hash, results.look)


# -- the server --------------------------------------------------------------------------------------------------------


@pytest.fixture
def serve(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    servers = []

    def served(shelf="shelf"):
        server = DeskServer("strozzi", Shelf(tmp_path / shelf), tmp_path / "results")
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield served
    for server in servers:
        server.shutdown()
        server.server_close()


def call(server, path, body=None, **headers):
    """Return the status and the answer of a request, as plain data if it is JSON."""
    parts = urlsplit(server.address)
    given = {"Host": parts.netloc} | (
        {"Origin": f"http://{parts.netloc}", "Content-Type": "application/json"} if body is not None else {}
    )
    with closing(http.client.HTTPConnection(parts.hostname, parts.port, timeout=600)) as connection:
        method, text = ("GET", None) if body is None else ("POST", json.dumps(body))
        connection.request(method, parts.path + path, text, given | headers)
        response = connection.getresponse()
        content = response.read()
    return response.status, json.loads(content) if "json" in response.headers["Content-Type"] else content.decode()


def finished(server, number, *, until=("done", "failed", "stopped")):
    """Return an answer once it has one of these states."""

    def found():
        (each,) = [each for each in call(server, "state")[1]["answers"] if each["number"] == number]
        return each["status"] in until and each

    return wait_until(found)


@pytest.mark.slow
def test_an_answer_is_that_of_its_command_and_stays(serve, tmp_path):
    server = serve()
    assert list(tmp_path.iterdir()) == []  # nothing is written before something is asked
    number = call(server, "ask", ASKED)[1]["answer"]
    answer = finished(server, number)
    assert answer["status"] == "done", answer["error"]
    told = document(*shlex.split(answer["command"])[1:])
    assert answer["games"] == told["study"]["games"] == 80
    table = ss.load_results(tmp_path / "shelf" / str(number) / "results").tables["seats"]
    assert table.to_dict("records") == told["tables"]["seats"]
    assert call(server, f"answer/{number}/picture")[1]["picture"].startswith("<svg")
    assert [words for words, _, _ in answer["alarms"]] == [alarm["text"] for alarm in told["alarms"]]
    assert answer["verdict"][0] in call(server, f"answer/{number}/page")[1].replace("&#39;", "'")
    assert 'name = "balance-strozzi"' in call(server, f"answer/{number}/study")[1]
    assert call(server, "save", {"answer": number, "name": "fair"})[1] == {"saved": str(tmp_path / "results" / "fair")}
    assert (tmp_path / "results" / "fair" / "report.html").exists()
    assert call(server, "save", {"answer": number, "name": "fair"})[0] == 400
    server.shutdown()
    server.server_close()
    again = serve()
    (kept,) = call(again, "state")[1]["answers"]
    assert (kept["status"], kept["verdict"], kept["saved"]) == (
        "done",
        answer["verdict"],
        str(tmp_path / "results" / "fair"),
    )
    assert call(again, "forget", {"answer": number}) == (200, {})
    assert call(again, "state")[1]["answers"] == []
    assert (tmp_path / "results" / "fair").exists()
    assert call(again, "ask", ASKED)[1]["answer"] == number + 1  # a page knows pictures by number


@pytest.mark.slow
def test_a_stopped_answer_goes_on(serve):
    server = serve()
    number = call(server, "ask", ASKED | {"values": ASKED["values"] | {"deals": "4000000"}})[1]["answer"]
    wait_until(lambda: finished(server, number, until=("plays",))["verdict"])
    assert call(server, "stop", {"answer": number})[0] == 200
    stopped = finished(server, number)
    assert stopped["status"] == "stopped"
    assert "win" in stopped["verdict"][0]
    assert call(server, "again", {"answer": number})[0] == 200
    assert finished(server, number, until=("plays",))["status"] == "plays"


def test_the_page_has_the_questions_and_their_precisions_in_order(serve):
    found = re.search(r'id="data"[^>]*>(.*?)</script>', call(serve(), "")[1])
    data = json.loads(found[1])
    assert [(each["name"], list(each["precisions"])) for each in data["questions"]] == [
        (name, list(precisions_of(each))) for name, each in questions().items()
    ]
    assert list(precisions_of(questions()["balance"])) == ["quick", "usual", "sure"]
    assert list(data["games"]) == list(game_names())


@pytest.mark.slow
def test_wrong_requests_are_one_sentence(serve):
    server = serve()
    for path, body, words in (
        ("box", {"game": "strozi"}, "did you mean 'strozzi'"),
        ("box", {"game": "strozzi", "settings": ["tracks.bonus.9=-1"]}, "tracks.bonus.9"),
        ("box", {"game": "strozzi", "settings": "x"}, "settings: expected a list"),
        ("ask", ASKED | {"values": {"agents": "nobody"}}, "nobody"),
        ("ask", {"game": "strozzi", "question": "our-table"}, "write the final scores"),
        ("stop", {"answer": 7}, "no answer 7"),
        ("play", {"game": "strozzi", "values": {"players": "9"}}, "players"),
        ("ask", {"game": "strozzi", "question": "worth", "values": {"things": "--help"}}, "things: must not begin with -"),
        ("ask", {"game": "strozzi", "question": "worth", "values": {"things": True}}, "True"),
        ("command", {"game": "--help", "question": "balance"}, "game: unknown game '--help'"),
        (f"table/{'9' * 5000}/play", {"version": 1}, "this table is closed"),
    ):  # fmt: skip
        status, told = call(server, path, body)
        if path == "ask" and status == 200:  # what only the command can find out
            told = finished(server, told["answer"])
        assert words in told["error"], (path, body, told)
        assert "\n" not in told["error"]
    assert call(server, "nowhere")[0] == 404


def test_other_pages_hosts_and_desks_are_refused(serve, tmp_path):
    server, late = serve(), Shelf(tmp_path / "shelf")  # neither has made the folder
    assert call(server, "box", {"game": "strozzi"}, Origin="http://example.org")[0] == 403
    assert call(server, "", Host="example.org")[0] == 404
    assert call(server, "ask", ASKED)[0] == 200
    with pytest.raises(StorageError, match="another desk has these answers open"):
        Shelf(tmp_path / "shelf")
    for _ in range(2):  # a refused lock is tried again
        with pytest.raises(StorageError, match="another desk has these answers open"):
            late.ask(Asked(**ASKED))


def test_a_shelf_that_is_none_and_an_address_of_all_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "shelf.json").write_text("{")
    for shelf, words in (("file", "is not a folder"), ("broken", "shelf.json: not of a desk")):
        done = strozzi("desk", "--no-open", "--shelf", tmp_path / shelf)
        assert words in done.stderr
        assert done.returncode in (2, 4)
    done = strozzi("desk", "--no-open", "--shelf", tmp_path / "none", "--host", "0.0.0.0")
    assert (done.returncode, "--host: must be one address of this machine" in done.stderr) == (2, True)
    assert not (tmp_path / "none").exists()


def content_of(folder):
    return {file.relative_to(folder): file.is_file() and file.read_text() for file in folder.rglob("*")}


def test_a_folder_that_no_desk_made_is_refused_and_left_alone(tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "thesis.txt").write_text("years of work")
    (tmp_path / "lock").write_text("of the cellar")
    before = content_of(tmp_path)
    with pytest.raises(InputError, match=r"shelf: .* is not empty and holds no answers of a desk; name another folder"):
        Shelf(tmp_path)
    (tmp_path / "shelf.json").write_text('{"books": ["Dune"]}')
    with pytest.raises(StorageError, match=r"shelf.json: not of a desk .*; move it away, or name another folder"):
        Shelf(tmp_path)
    assert content_of(tmp_path) == before | {Path("shelf.json"): '{"books": ["Dune"]}'}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A shelf whose answers wait."""
    monkeypatch.setattr(Shelf, "_start", lambda *_: None)
    with closing(Shelf(tmp_path / "shelf")) as made:
        yield made


def test_a_shelf_whose_alarms_are_text_and_evidence_opens(tmp_path, monkeypatch):
    monkeypatch.setattr(Shelf, "_start", lambda *_: None)
    with closing(Shelf(tmp_path)) as made:
        made.ask(Asked(**ASKED))
    file = tmp_path / "shelf.json"
    kept = json.loads(file.read_text())
    kept["answers"]["1"]["alarms"] = [["Coins run out.", "4 players: 7 %"]]
    file.write_text(json.dumps(kept))
    with closing(Shelf(tmp_path)) as made:
        (alarm,) = made.answers[1].alarms
        assert (alarm.text, alarm.is_mended) == ("Coins run out.", False)


def test_numbers_in_use_are_skipped_and_only_what_the_desk_wrote_is_forgotten(shelf):
    shelf.keep("strozzi", "rich", "base", ["tracks.bonus.9=20"])
    thesis = shelf.folder / "1" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    assert shelf.ask(Asked(**ASKED)) == 2
    for name in (PICTURE, PAGE):
        (shelf.folder / "2" / name).parent.mkdir(exist_ok=True)
        (shelf.folder / "2" / name).write_text("of the desk")
    (shelf.folder / "2" / "note.txt").write_text("mine")
    shelf.forget(2)
    assert content_of(shelf.folder / "2") == {Path("note.txt"): "mine"}
    assert shelf.ask(Asked(**ASKED)) == 3
    shelf.forget(3)
    assert not (shelf.folder / "3").exists()
    assert thesis.read_text() == "years of work"


def test_an_answer_whose_files_cannot_be_removed_stays(shelf, tmp_path, monkeypatch):
    number = shelf.ask(Asked(**ASKED))
    place, elsewhere = shelf.folder / str(number), tmp_path / "elsewhere"
    (place / "results").mkdir()
    monkeypatch.setattr("shutil.rmtree", mock.Mock(side_effect=OSError(errno.EBUSY, "Device or resource busy")))
    with pytest.raises(StorageError, match=r"cannot remove .*: Device or resource busy"):
        shelf.forget(number)
    assert shelf.find(number).status == "waits"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(StorageError, match="it is a link, which no desk makes"):
        shelf.forget(number)
    assert (elsewhere / "results").is_dir()


def test_a_folder_that_cannot_be_locked_is_not_taken_for_another_desks(shelf, monkeypatch):
    refused = mock.Mock(side_effect=OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr("fcntl.lockf", refused)
    shelf.folder.mkdir()
    with closing(sqlite3.connect(shelf.folder / "lock", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        words = r"files cannot be locked on this file system \(No locks available\); name another folder with --shelf"
        with pytest.raises(StorageError, match=words):
            shelf.ask(Asked(**ASKED))


def test_a_lock_that_is_something_else_is_named(shelf):
    shelf.folder.mkdir()
    (shelf.folder / "lock").write_bytes(b"bought in 1470" * 100)
    with pytest.raises(StorageError, match=r"lock cannot be locked \(file is not a database\); name another folder"):
        shelf.ask(Asked(**ASKED))


def test_a_killed_answer_says_so(tmp_path):
    with closing(Shelf(tmp_path / "shelf")) as shelf:
        number = shelf.ask(Asked(**ASKED))
        os.kill(shelf._process.pid, signal.SIGKILL)
        answer = wait_until(lambda: shelf._process is None and shelf.find(number))
    words = "its process was ended by signal 9 (Killed), as when memory runs out"
    assert (answer.status, answer.error) == ("failed", words)


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        (0, ("done", "")),
        *((code, ("stopped", "")) for code in (129, 130, 143, -1, -2, -15)),
        (-11, ("failed", "its process was ended by signal 11 (Segmentation fault)")),
        (70, ("failed", "its process ended with code 70; the terminal of the desk says more")),
    ],
)
def test_how_the_process_of_an_answer_ended(code, ending):
    assert _ending(code) == ending


@pytest.mark.parametrize("name", ["con", "lpt1"])
def test_a_name_that_windows_refuses_is_refused_for_a_folder(shelf, name):
    with pytest.raises(InputError, match=f"name: '{name}' names a device on Windows; choose another name"):
        shelf.keep("strozzi", name, "base", ["tracks.bonus.9=20"])


def test_a_stopped_process_has_not_failed_where_the_system_gives_it_any_code():
    assert _ending(1, is_stopping=True) == ("stopped", "")
    assert _ending(0, is_stopping=True) == ("done", "")


def test_a_process_that_does_not_start_is_said_and_the_next_can(tmp_path, monkeypatch):
    too_long = OSError(errno.E2BIG, "Argument list too long")
    monkeypatch.setattr("subprocess.Popen", mock.Mock(side_effect=too_long))
    with closing(Shelf(tmp_path / "shelf")) as shelf:
        for number in (1, 2):
            assert shelf.ask(Asked(**ASKED)) == number
            answer = shelf.find(number)
            assert (answer.status, answer.error) == ("failed", "its process cannot be started: Argument list too long")


def test_variants_of_ones_own_are_kept_listed_and_forgotten(serve):
    server = serve()
    mine = {"game": "strozzi", "name": "rich", "variant": "long-tracks", "settings": ["tracks.bonus.9=20"]}
    assert call(server, "keep", mine) == (200, {})
    assert "name: must be lower-case" in call(server, "keep", mine | {"name": "Rich!"})[1]["error"]
    server.shutdown()
    server.server_close()
    again = serve()
    own = {"rich": {"variant": "long-tracks", "settings": ["tracks.bonus.9=20"]}}
    assert call(again, "box", {"game": "strozzi"})[1]["own"] == own
    assert call(again, "box", {"game": "strasbourg"})[1]["own"] == {}
    assert call(again, "keep", mine | {"settings": []}) == (200, {})
    assert call(again, "box", {"game": "strozzi"})[1]["own"] == {}


def test_the_board_shows_the_changed_box(serve):
    server, changed = serve(), {"game": "strozzi", "settings": ["tracks.bonus.9=31"]}
    status, page = call(server, f"board?box={quote(json.dumps(changed))}")
    assert (status, "tracks-bonus-9-31" in page) == (200, True)
    assert "not JSON" in call(server, "board?box=no")[1]["error"]
    assert "did you mean" in call(server, "board?box=%7B%22game%22%3A%22strozi%22%7D")[1]["error"]


@pytest.mark.slow
def test_a_thousand_requests_of_ten_kinds_at_once_are_all_answered(serve):
    server = serve()
    number = call(server, "ask", ASKED)[1]["answer"]
    table = call(server, "play", {"game": "strozzi", "values": {"agents": "random"}})[1]["address"]
    requests = [
        ("", None, 200),
        (f"board?box={quote(json.dumps({'game': 'strozzi'}))}", None, 200),
        ("box", {"game": "strozzi"}, 200),
        ("box", {"game": "strozzi", "settings": ["tracks.bonus.9=-1"]}, 400),
        ("command", ASKED, 200),
        ("stop", {"answer": 99}, 400),
        (f"answer/{number + 7}/page", None, 404),
        (table, None, 200),
        (f"{table}state", None, 200),
        (f"{table}play", {"version": -1, "name": "pass"}, 409),
    ]
    begin = threading.Barrier(1000)

    def one(count):
        path, body, status = requests[count % len(requests)]
        begin.wait()
        found, told = call(server, path, body)
        return (found == status and (found == 200 or "\n" not in told["error"])) or (path, found, told)

    with ThreadPoolExecutor(1000) as pool:
        assert set(pool.map(one, range(1000))) == {True}
    assert finished(server, number)["status"] == "done"


def test_an_error_of_ours_is_answered_and_shown_in_the_terminal(serve, monkeypatch, capfd):
    monkeypatch.setattr("strozzi_sim.desk.server.box_of", lambda *_: {}["no such key"])
    status, told = call(serve(), "box", {"game": "strozzi"})
    assert (status, told) == (500, {"error": "an internal error; the terminal that serves this page shows it"})
    said: list[str] = []  # a traceback may be read in pieces
    wait_until(lambda: said.append(capfd.readouterr().err) or "KeyError: 'no such key'" in "".join(said))


@pytest.mark.slow
def test_a_killed_desk_loses_nothing(tmp_path):
    shelf = tmp_path / "shelf"
    code = "import sys; from strozzi_sim.cli import app; app.run(sys.argv[1:])"
    command = [sys.executable, "-c", code, "desk", "--no-open", "--shelf", str(shelf)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as desk:
        address = desk.stdout.readline().split()[-1]
        server = SimpleNamespace(address=address)
        number = call(server, "ask", ASKED | {"values": ASKED["values"] | {"deals": "4000000"}})[1]["answer"]
        wait_until(lambda: finished(server, number, until=("plays",))["verdict"])
        desk.kill()
    again = Shelf(shelf)
    try:
        answer = again.state()["answers"][0]
        assert (answer["status"], "win" in answer["verdict"][0]) == ("stopped", True)
        played = answer["games"]
        assert played > 0
        again.again(1)  # the process of the killed desk has ended, so that its folder is free
        wait_until(lambda: again.find(1).status == "failed" or again.find(1).phase[1] > played)
        assert again.find(1).error == ""
        assert again.find(1).phase[1] > played
    finally:
        again.close()


def test_score_sheets_are_kept_as_they_were_written(shelf):
    number = shelf.ask(Asked(game="strozzi", question="our-table", values={"file": "41,0;33,0;28,0\n"}))
    assert (shelf.folder / str(number) / SHEETS).read_text() == "41,0;33,0;28,0\n"


@pytest.mark.slow
def test_the_example_of_score_sheets_is_two_games_of_the_changed_box(serve):
    found = call(serve(), "example", {"game": "strozzi", "settings": ["setup.rounds=1"]})[1]["sheets"]
    rows = ss.simulate(
        "strozzi",
        players=4,
        agents="random",
        deals=2,
        seatings="one",
        variant={"short": {"setup": {"rounds": 1}}},
        rows=True,
        workers=1,
        progress=False,
    ).games
    scores = rows.sort_values(["deal", "seat"])["score"].to_numpy().reshape(2, 4).tolist()
    assert [list(map(int, line.split(", "))) for line in found.split("\n")] == scores


@pytest.mark.slow
def test_score_sheets_may_lack_their_heading(serve):
    server = serve()
    sheets = "\n".join(f"{60 + game % 7},0;50,0;45,0" for game in range(24))
    asked = {"question": "our-table", "game": "strozzi", "values": {"file": sheets, "deals": "5"}, "precision": "usual"}
    number = call(server, "ask", asked)[1]["answer"]
    answer = finished(server, number)
    assert answer["status"] == "done", answer["error"]
    study = ss.load_results(server.shelf.folder / str(number) / "results").study
    assert study.sheets["3"][:2] == ((60, 50, 45), (61, 50, 45))


TABLE = {"game": "strozzi", "settings": ["setup.rounds=1"], "values": {"players": "3", "agents": "random"}}


def test_a_table_with_the_changed_box_opens_at_the_address_of_the_desk(serve):
    server = serve()
    status, told = call(server, "play", TABLE)
    assert (status, told) == (200, {"address": "table/1/"})
    assert "setup-rounds-1" in call(server, "table/1/")[1]
    state = call(server, "table/1/state")[1]
    status, played = call(server, "table/1/play", {"version": state["version"], "name": "pass"})
    assert (status, played["version"] > state["version"]) == (200, True)
    assert call(server, "table/1/play", {"version": state["version"], "name": "pass"})[0] == 409
    assert call(server, "table/1")[0] == 404  # from where the page would not find its parts


def test_a_further_table_takes_the_room_of_the_one_that_was_not_used_for_longest(serve):
    server = serve()
    tables = [call(server, "play", TABLE)[1]["address"] for _ in range(MAX_TABLES)]
    assert call(server, f"{tables[0]}state")[0] == 200
    tables.append(call(server, "play", TABLE)[1]["address"])
    answers = [call(server, f"{address}state") for address in tables]
    assert [status for status, _ in answers] == [200, 404, *[200] * (MAX_TABLES - 1)]
    assert answers[1][1] == {"error": "this table is closed; open another one at the desk"}

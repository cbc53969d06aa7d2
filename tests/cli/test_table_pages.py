"""`replay --html` and `play --web` as commands: files, options, errors, and how they end."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest

from commands import strozzi
from strozzi_sim.cli.records import replay


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    assert strozzi("record", "strozzi", "--players", 3, "--games", 3, "--seed", 4, "--out", path).returncode == 0
    return path


def test_a_game_becomes_a_page(games, tmp_path):
    page = tmp_path / "new" / "game.html"
    page.parent.mkdir()
    done = strozzi("replay", games, "--html", page, "--game", 2)
    assert (done.returncode, done.stdout) == (0, f"1 page written: open {page}\n")
    text = page.read_text()
    assert re.search(r"<h1[^>]*>The (first|second|last) player wins with \d+ coins", text)
    assert "deal 1<" in text
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", text)
    assert strozzi("replay", games, "--html", page).returncode == 0  # an older page is replaced


def test_a_file_becomes_a_folder_of_pages_with_a_list(games, tmp_path):
    folder = tmp_path / "pages"
    done = strozzi("replay", games, "--html", folder, "--json")
    assert json.loads(done.stdout)["page"] == str(folder / "index.html")
    assert sorted(each.name for each in folder.iterdir()) == ["game-1.html", "game-2.html", "game-3.html", "index.html"]
    listed = (folder / "index.html").read_text()
    assert re.findall(r'href="(game-\d.html)"', listed) == ["game-1.html", "game-2.html", "game-3.html"]
    assert listed.count("Game 2: The ") == 1


def test_a_folder_has_so_many_games_and_says_that_there_are_more(games, tmp_path, monkeypatch):
    monkeypatch.setattr("strozzi_sim.cli.records.MAX_PAGES", 2)
    (said,) = replay(games, html=tmp_path / "pages").lines
    assert said == f"2 pages written: open {tmp_path / 'pages' / 'index.html'}; the file has more games"


@pytest.mark.slow
def test_a_judged_page_has_shares_of_the_win_and_what_could_have_come(games, tmp_path):
    page = tmp_path / "judged.html"
    assert strozzi("replay", games, "--html", page, "--judge", "learned", "--redraws", 2).returncode == 0
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
    judged = data["judged"]
    assert len(judged["win"]) == len(data["steps"])
    decisive = max(judged["turns"], key=lambda turn: abs(turn["change"]))["said"].partition("; best found")[0]
    assert re.fullmatch(
        rf"It turned in round \d[.] {re.escape(decisive[0].upper() + decisive[1:])}[.]", judged["turned"]
    )
    assert page.read_text().index('id="turned"') < page.read_text().index('id="board"')
    assert judged["agent"] == "the trained player"
    assert len(judged["next"]["steps"]) > 10
    for step, draws in judged["next"]["steps"].items():
        came = [row for row in draws["rows"] if row[2]]
        assert len(came) == 1
        assert judged["next"]["names"][came[0][0]] in data["steps"][int(step)]["said"]
        assert all(990 <= sum(row[3:]) <= 1010 for row in draws["rows"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--html", "x.html", "--game", 9), "--game: {games} holds 3 games, got 9"),
        (("--html", "x.html", "--judge", "random"), "--judge: agent 'random' does not evaluate positions"),
        (("--html", "x.html", "--judge", "nobody"), "--judge: unknown agent 'nobody'"),
        (("--html", "x.html", "--explain", "random"), "--html: leave out --explain"),
        (("--html", "x.html", "--decision", 2), "--decision: a page shows all decisions"),
        (("--judge", "learned"), "--judge: only valid with --html PAGE"),
        (("--html", "x.html", "--redraws", 0), "--redraws: "),
        (("--html", "x.html", "--redraws", 8), "--redraws: only valid with --judge AGENT"),
        (("--overwrite",), "--overwrite: only valid with --html PAGE"),
    ],
)
def test_wrong_options_are_named_and_nothing_is_written(arguments, words, games, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = strozzi("replay", games, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words.format(games=games) in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_not_overwritten_and_a_broken_record_has_no_page(games, tmp_path):
    mine = tmp_path / "mine.html"
    mine.write_text("mine")
    done = strozzi("replay", games, "--html", mine)
    assert done.returncode == 2
    assert done.stderr.startswith(f"strozzi: error: --html: {mine} exists and is not a page of a game of strozzi-sim")
    assert mine.read_text() == "mine"
    assert strozzi("replay", games, "--html", mine, "--overwrite").returncode == 0
    assert strozzi("replay", games, "--html", mine).returncode == 0
    done = strozzi("analyse", games, "--page", mine)
    assert done.stderr.startswith(f"strozzi: error: --page: {mine} exists and is not a report page of strozzi-sim")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "game-1.html").symlink_to(mine)
    assert "game-1.html: is a link" in strozzi("replay", games, "--html", folder).stderr
    assert "is a file; name a page" in strozzi("replay", games, "--html", games).stderr
    lines = games.read_text().splitlines()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:3], lines[4]]) + "\n")
    assert strozzi("replay", broken, "--html", tmp_path / "broken.html").returncode == 1
    assert not (tmp_path / "broken.html").exists()


def test_games_with_secrets_are_not_judged(tmp_path):
    record = tmp_path / "games.jsonl"
    strozzi("record", "strasbourg", "--players", 3, "--out", record)
    done = strozzi("replay", record, "--html", tmp_path / "x.html", "--judge", "learned")
    assert done.returncode == 2
    assert "players have secrets" in done.stderr
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--hint", "greedy"), "--hint: only valid with --web"),
        (("--port", 8000), "--port: only valid with --web"),
        (("--out", "x.jsonl"), "--out: only valid with --web"),
        (("--web", "--hint", "nobody"), "--hint: unknown agent 'nobody'"),
        (("--web", "--port", 70000), "--port: "),
        (("--web", "--out", "no/such/folder/x.jsonl"), "no/such/folder"),
    ],
)
def test_wrong_options_of_a_table_are_named(arguments, words):
    done = strozzi("play", "strozzi", "--players", 3, *arguments)
    assert done.returncode in (2, 4)
    assert words in done.stderr


@contextmanager
def ended(running):
    """End a process in any case, so that a test that fails does not wait for it."""
    try:
        yield
    finally:
        running.kill()


@pytest.mark.slow
def test_a_table_is_served_until_it_is_interrupted(tmp_path):
    command = [sys.executable, "-m", "strozzi_sim", "play", "strozzi", "--players", "3", "--agents", "random", "--web"]

    def heed_interrupts():  # which a shell lets its background jobs ignore, the tests too
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, preexec_fn=heed_interrupts
        ) as running,
        ended(running),
    ):
        address = running.stdout.readline().split()[1]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert "you are player 1" in answer.read().decode()
        port = int(address.split(":")[2].split("/")[0])
        taken = strozzi("play", "strozzi", "--players", 3, "--web", "--port", port)
        assert taken.returncode == 2
        assert f"--port: cannot listen on port {port} of 127.0.0.1" in taken.stderr
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 0
        assert "The table is closed." in running.stdout.read()
        assert running.stderr.read() == ""

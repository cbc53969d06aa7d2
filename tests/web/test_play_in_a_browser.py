"""Whole games played by clicks in a browser: on the board and by buttons, at both widths and themes, with keys, undo and hints."""

import random
import re
import subprocess
import sys
import threading

import pytest

from browser import NEEDS_CHROMIUM, chromium, expect, violations, watched
from own_game import install
from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.records import verify_record
from strozzi_sim.web.local import LocalServer
from strozzi_sim.web.server import PlayedTable
from strozzi_sim.web.session import Sitting

pytestmark = [NEEDS_CHROMIUM, pytest.mark.slow]
LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
GAMES = {"strozzi": 3, "medici_vs_strozzi": 2, "strasbourg": 3}
NOW = """() => ["#count", "#question", "#choices"].map(id => document.querySelector(id).textContent).join("|")"""
WARNED = """document.querySelector("#note").textContent.includes("again")"""
MOVED = f"before => ({NOW})() !== before || {WARNED}"


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def serve(tmp_path):
    """Return a function that serves a table; returns the server."""
    servers = []

    def served(game="strozzi", players=None, agents="", hint="random", **more):
        the_game = load_game(game)
        players = players or GAMES.get(game, the_game.player_counts[0])
        spec = load_agent(agents or "random", the_game)
        sitting = Sitting(the_game, resolve_variant(the_game, "base"), players, 5, 0, 1, [spec] * players, hint, **more)
        server = LocalServer(PlayedTable(sitting, tmp_path / f"{game}.jsonl"))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server

    yield served
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def opened(browser):
    """Return a function that opens a table."""
    with watched(browser, ("http://127.0.0.1:", "data:"), excused="409|400|ERR_FAILED") as open_page:

        def open_table(address, width=1280, scheme="light", **options):
            return open_page(f"{address}?quick", width, 900 if width > 600 else 844, color_scheme=scheme, **options)

        yield open_table


def choose(page, rng):
    """Click a choice: check boxes, a number, stacks, a part of the board or a button."""
    if page.locator("#choices input[type=checkbox]").count():
        page.locator("#choices label").nth(rng.randrange(page.locator("#choices label").count())).click()
        page.click("#keep")
    elif page.locator("#number").count():
        page.fill("#number", str(rng.randint(5, 30)))
        page.click("#keep")
    elif page.locator("#lay").count():
        page.click("#lay")
    elif page.locator("#board .hit-area").count() and rng.random() < 0.5:
        spots = page.locator("#board .hit-area")
        spots.nth(rng.randrange(spots.count())).click()
    else:
        buttons = page.locator("#choices button[data-k]")
        buttons.nth(rng.randrange(buttons.count())).click()


def asked_or_over(page):
    expect(page.locator("#choices .go, #choices button[data-k], #lay, #result:not([hidden])").first).to_be_visible()
    return page.locator("#result").is_hidden()


def press_until_told(page, words):
    """Press 1, which counts only while the page shows the last step of the game, until its note has the words."""
    for _ in range(400):
        page.keyboard.press("1")
        page.wait_for_timeout(250)
        if re.search(words, page.locator("#note").inner_text()):
            return
    raise AssertionError(f"the note never says {words!r}")


def play_to_the_end(page, rng, audit):
    """Play by clicks; each new kind of question is audited. Return the number of choices."""
    count, audited = 0, set()
    while asked_or_over(page):
        kind = " ".join(page.locator("#question").inner_text().split()[:3])
        if audit and kind not in audited:
            audited.add(kind)
            assert violations(page) == [], kind
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), kind
        before = page.evaluate(NOW)
        choose(page, rng)
        page.wait_for_function(MOVED, arg=before)
        count += 1
        assert count < 1_000
    return count


@pytest.mark.nightly_for("light", "medici_vs_strozzi", "strozzi-1280-dark", "strasbourg-390-dark")
@pytest.mark.slow_for("light", "1280-dark", "medici_vs_strozzi", "strasbourg")
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_clicks(game, width, scheme, serve, opened, tmp_path):
    server = serve(game)
    page = opened(server.address, width, scheme, bypass_csp=True)  # for wait_for_function alone, which evaluates text
    assert play_to_the_end(page, random.Random(1), audit=True) > 5
    assert "verified" in page.locator("#result").inner_text()
    assert verify_record(tmp_path / f"{game}.jsonl") == 1
    assert page.locator("#heading").inner_text() == server.pages.session.state()["heading"]
    assert violations(page) == []
    with page.context.expect_page() as replay:
        page.locator("#result a", has_text="Replay").click()
    replay.value.keyboard.press("End")
    expect(replay.value.locator("h1")).to_contain_text("win")


def test_keys_hint_undo_and_lines_of_play(serve, opened):
    page = opened(serve(hint="flat_mc:playouts=20").address)
    assert asked_or_over(page)
    count = page.locator("#count").inner_text()
    page.keyboard.press("h")
    expect(page.locator("#note")).to_contain_text("flat_mc:playouts=20 would choose ")
    assert page.locator("#choices .hinted").count() == 1
    page.keyboard.press("1")
    expect(page.locator("#count")).not_to_have_text(count)
    asked_or_over(page)
    page.keyboard.press("ArrowLeft")
    assert page.locator("#question").inner_text() == "You look back"
    page.click("#tonow")
    page.keyboard.press("u")
    expect(page.locator("#count")).to_have_text(count)
    expect(page.locator("#others button")).to_have_count(1)
    page.locator("#others button").click()
    expect(page.locator("#count")).not_to_have_text(count)


def test_a_choice_on_the_board_needs_no_mouse(serve, opened):
    page = opened(serve().address)
    asked_or_over(page)
    while not page.locator("#board .hit-area").count():
        page.keyboard.press("1")
        asked_or_over(page)
    spot = page.locator("#board .hit-area").first
    assert spot.get_attribute("role") == "button"
    assert ":" in spot.get_attribute("aria-label")
    count = page.locator("#count").inner_text()
    spot.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#count")).not_to_have_text(count)


def test_cards_are_divided_by_dragging_by_clicks_and_by_keys(serve, opened):
    page = opened(serve("strasbourg").address, 390)
    for _ in range(30):
        asked_or_over(page)
        if page.locator("#lay").count():
            break
        before = page.evaluate(NOW)
        if page.locator("#choices input[type=checkbox]").count():
            page.locator("#choices label").first.click()
            page.click("#keep")
        else:
            drawn = page.locator(".mine .influence").count()
            page.locator("#choices button", has_text="Draw a card" if drawn < 4 else "Stop").first.click()
        page.wait_for_function(MOVED, arg=before)
    cards = page.locator("#compose [data-place]")
    assert cards.count() == 4
    rows = page.locator("#compose [data-stack]")
    assert rows.count() == 4
    start, target = cards.nth(3).bounding_box(), rows.nth(0).bounding_box()
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + 120, target["y"] + 20, steps=5)
    page.mouse.up()
    expect(rows.nth(0).locator("[data-place]")).to_have_count(2)
    rows.nth(1).locator("[data-place]").click()
    rows.nth(2).click(position={"x": 200, "y": 20})
    expect(page.locator("#compose [data-stack='2'] [data-place]")).to_have_count(2)
    page.locator("#compose [data-stack='2'] [data-place]").first.focus()
    page.keyboard.press("1")
    expect(rows.nth(0).locator("[data-place]")).to_have_count(3)
    assert violations(page) == []
    shown = sorted(page.locator("#compose [data-stack]").evaluate_all(
        "all => all.map(each => [...each.querySelectorAll('[data-place]')].map(card => card.textContent).join('+')).filter(text => text)"))  # fmt: skip
    assert len(shown) == 2
    before = page.evaluate(NOW)
    page.click("#lay")
    page.wait_for_function(MOVED, arg=before)
    asked_or_over(page)
    labels = page.locator("#board [data-at^='stack:']").evaluate_all("all => all.map(each => each.dataset.at.slice(6))")
    assert sorted(labels) == shown


def test_a_search_is_shown_while_it_thinks_and_a_refusal_in_words(serve, opened):
    server = serve(agents="flat_mc:playouts=5000")
    page = opened(server.address)
    at_once = (
        "[document.querySelectorAll('#choices button[data-k]').length, document.querySelector('#question').innerText]"
    )
    choices, question = page.evaluate(at_once)
    assert choices or re.fullmatch(r"The \w+ player is thinking", question)
    asked_or_over(page)
    server.pages.session.play(server.pages.session.state()["version"], name="pass")  # in another window
    press_until_told(page, "load the page again|still thinking")


@pytest.mark.slow
def test_closing_the_terminal_is_said(serve, opened):
    server = serve()
    page = opened(server.address)
    asked_or_over(page)
    page.route("**/play", lambda route: route.abort())
    press_until_told(page, "does not answer")


@pytest.mark.nightly_for("1280-light", "1280-dark", "390-light")
@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_game_of_ones_own_is_played_by_clicks(width, scheme, opened, tmp_path):
    environment = install(tmp_path)
    command = [sys.executable, "-m", "strozzi_sim", "play", "goofspiel", "--web", "--seed", "3", "--out", "own.jsonl"]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:
        try:
            page = opened(running.stdout.readline().split()[1], width, scheme, bypass_csp=True)
            assert play_to_the_end(page, random.Random(1), audit=True) == 4
            assert "verified" in page.locator("#result").inner_text()
            assert violations(page) == []
        finally:
            running.terminate()
    assert (tmp_path / "own.jsonl").read_text().count('"type":"game"') == 1

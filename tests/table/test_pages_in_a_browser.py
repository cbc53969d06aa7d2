"""The pages of recorded games in a browser: readable, usable by keyboard and touch, and they ask nothing of a network."""

import re
from dataclasses import replace

import numpy as np
import pytest

from browser import NEEDS_CHROMIUM, chromium, expect, violations, watched
from every_kit import KITS
from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.game.sentences import seat_words, with_capital
from strozzi_sim.play.analyse import analyse_game, find_judge
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, reconstruct_actions
from strozzi_sim.report.replay import replay_data, replay_page
from strozzi_sim.table.page import render
from strozzi_sim.table.plain import replayed_steps, table_of
from strozzi_sim.template import GAME

pytestmark = [NEEDS_CHROMIUM, pytest.mark.slow]
LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
SMALL_TEXT = """() => [...document.querySelectorAll("#board text, #curve text")].map(node => {
  const svg = node.closest("svg"), scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [Math.round(100 * parseFloat(getComputedStyle(node).fontSize) * scale) / 100, node.textContent];
}).filter(([size]) => size < 10.9)"""
OUTSIDE = """() => { const box = document.querySelector("#board svg").getBoundingClientRect();
  return [...document.querySelectorAll("#board svg text")].map(node => [node.textContent, node.getBoundingClientRect()])
    .filter(([, b]) => b.left < box.left - 2 || b.right > box.right + 2).map(([text]) => text); }"""
OVERLAPPING = """() => {
  const boxes = [...document.querySelectorAll("#board svg text, #curve svg text")].map(node => [node.textContent, node.getBoundingClientRect()]).filter(([, b]) => b.width);
  return boxes.flatMap(([text, a], k) => boxes.slice(0, k).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5
  ).map(([other]) => [text, other])); }"""


def recorded(game, players=None, deal=0):
    kit = KITS[game]
    position = kit.position(kit.variant("base"), players or kit.game.player_counts[0], deal)
    for action in kit.script(position, f"page {game}"):
        position.play(action)
    header, *lines = position.record(["heuristic"] * position.players)
    return RecordedGame(header, 1, list(enumerate(lines, 2)))


def played_on(position):
    """Play the first legal actions to the end; return the record."""
    while not position.over:
        position.play(position.legal[0])
    header, *lines = position.record()
    return RecordedGame(header, 1, list(enumerate(lines, 2)))


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a page's text."""
    with watched(browser, ("file:", "data:")) as open_page:

        def open_text(text, step=1, **options):
            file = tmp_path / f"page-{len(list(tmp_path.iterdir()))}.html"
            file.write_text(text)
            return open_page(f"{file.as_uri()}#{step}", **options)

        yield open_text


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "strozzi" else pytest.mark.slow) for game in KITS]
)
def test_a_game_is_readable_in_every_width_and_theme(game, opened):
    for players in {KITS[game].game.player_counts[0], KITS[game].game.player_counts[-1]}:
        text, heading = replay_page(recorded(game, players))
        page = opened(text)
        assert page.locator("h1").inner_text() == heading
        steps = page.evaluate("document.querySelectorAll('#log li').length")
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            for step in (1, steps // 2, steps):
                page.evaluate(
                    "k => { document.querySelector('#slide').value = k; document.querySelector('#slide').oninput({target: {value: k}}); }",
                    step - 1,
                )
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, step)
                assert page.evaluate(SMALL_TEXT) == []
                assert page.evaluate(OUTSIDE) == []
                assert page.evaluate(OVERLAPPING) == [], (width, step)
            if (width, scheme) in ((1280, "light"), (390, "dark")):
                assert violations(page) == [], (game, width, scheme)


def test_keys_slider_rounds_list_and_swipes_step_through_the_game(opened):
    page = opened(replay_page(recorded("strozzi"))[0], has_touch=True)
    count, said = page.locator("#count"), page.locator("#said")
    total = int(count.inner_text().split(" / ")[1])
    assert said.inner_text().startswith("The promotion tiles to choose from are ")
    page.keyboard.press("ArrowRight")
    assert said.inner_text() == "Round 1 begins with the first player."
    page.keyboard.press("PageDown")
    assert said.inner_text().startswith("Round 2 begins")
    page.keyboard.press("End")
    assert count.inner_text() == f"{total} / {total}"
    assert page.locator("#next").is_disabled()
    page.keyboard.press("PageUp")
    assert said.inner_text().startswith("Round 3 begins")
    page.keyboard.press("Home")
    page.click("#rounds button >> nth=1")
    assert page.locator("#where").inner_text() == "Round 2 of 3"
    page.click("#log li >> nth=4")
    assert count.inner_text() == f"5 / {total}"
    assert page.locator("#log [aria-current]").inner_text() == said.inner_text()
    swipe = """x => { const board = document.querySelector("#board"), at = x => [new Touch({identifier: 1, target: board, clientX: x, clientY: 200})];
      board.dispatchEvent(new TouchEvent("touchstart", {touches: at(200), changedTouches: at(200)}));
      board.dispatchEvent(new TouchEvent("touchend", {touches: [], changedTouches: at(x)})); }"""
    page.evaluate(swipe, 90)
    assert count.inner_text() == f"6 / {total}"
    page.evaluate(swipe, 210)  # a tap
    assert count.inner_text() == f"6 / {total}"
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_steps_play_by_themselves(opened):
    page = opened(replay_page(recorded("strozzi"))[0])
    page.click("#run")
    assert page.locator("#run").inner_text() == "Pause"
    expect(page.locator("#count")).to_have_text(re.compile("^2 /"))
    page.click("#run")
    assert page.locator("#run").get_attribute("aria-label") == "Play the steps"


def test_without_javascript_the_list_tells_the_game(opened):
    page = opened(replay_page(recorded("strozzi"))[0], java_script_enabled=False)
    assert page.locator("#log li").count() > 60
    assert page.locator("noscript p").is_visible()
    assert not page.locator("#slide").is_visible()
    assert not page.locator("#theme").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("words", [("Face up",), ("Face up:", "The last player")], ids=["zones", "text"])
def test_a_game_without_a_table_of_its_own_has_zones_or_the_text_of_its_render(opened, monkeypatch, words):
    monkeypatch.setattr(GAME.view, "declares", lambda name: len(words) > 1)
    record = played_on(Position(GAME, 3, seed=2))
    table = table_of(GAME, record.header)
    steps = replayed_steps(table, record.header, [line for _, line in record.events])
    page = opened(
        render(GAME, {"head": table.head, "steps": steps, "ask": None}, table.heading()), 12, width=390, height=800
    )
    picture = page.locator("#board svg").text_content()
    assert all(word in picture for word in words)
    assert "The last player the last player" not in picture
    assert not page.locator(".jump").is_visible()  # the game has no rounds
    assert "rounds" not in page.locator("footer").inner_text()
    assert page.evaluate(SMALL_TEXT) == []
    assert page.evaluate(OUTSIDE) == []
    assert violations(page) == []
    page.keyboard.press("End")
    assert "wins" in page.locator("#seats").inner_text()


# What an analysis found


def planted(record, table):
    """An analysis in which decision 7 is a blunder of seat 1, and decision 12 brings seat 2 luck."""
    analysis = analyse_game(
        table, actions_of(record, table), find_judge("learned", table.game, table.players, table.variant), 1
    )
    decisions = []
    for each in analysis.decisions:
        effect, luck = np.zeros_like(each.effect), np.zeros_like(each.luck)
        if each.number == 7:
            effect[each.seat, WIN], effect[each.seat, LEAD] = -0.5, -40.0
        if each.number == 12:
            luck[2, WIN] = 0.4
        decisions.append(replace(each, effect=effect, luck=luck, is_choice=True))
    return replace(analysis, decisions=tuple(decisions))


def actions_of(record, table):
    return reconstruct_actions(record, table)


@pytest.fixture(scope="module")
def judged():
    record = recorded("strozzi")
    analysis = planted(record, Position(**record.deal_again()))
    data, _ = replay_data(record, analysis)
    return analysis, data, replay_page(record, analysis)[0]


def test_a_planted_blunder_and_a_planted_stroke_of_luck_are_marked_on_the_curve(judged, opened):
    analysis, data, text = judged
    error, luck = (next(turn for turn in data["judged"]["turns"] if turn["kind"] == kind) for kind in ("error", "luck"))
    blunder = analysis.decisions[6]
    assert error["seat"] == blunder.seat
    assert error["change"] == -0.5
    first = len(data["steps"]) - sum(len(each.events) for each in analysis.decisions)
    lines = [first + sum(len(each.events) for each in analysis.decisions[:k]) for k in (6, 11, 12)]
    assert error["step"] == lines[0]
    assert (luck["seat"], luck["change"], luck["step"]) == (2, 0.4, lines[2] - 1)
    assert len(data["judged"]["win"]) == len(data["steps"])
    assert all(len(shares) == 3 for shares in data["judged"]["win"])
    assert (
        data["judged"]["notes"][error["step"]]
        == f"{with_capital(seat_words(blunder.seat, 3))} chose {blunder.played}: its chance to win {blunder.chances(blunder.seat)}; best found: {blunder.best_words}."
    )
    page = opened(text)
    marks = page.locator("#curve .turn-mark")
    assert marks.count() == len(data["judged"]["turns"])
    assert {"p2", f"p{blunder.seat}"} <= set(
        " ".join(marks.evaluate_all("all => all.map(each => each.getAttribute('class'))")).split()
    )
    page.locator("#turns button", has_text="its chance to win fell from").first.click()
    assert "its chance to win fell from" in page.locator("#judged").inner_text()
    assert page.locator("#turns [aria-current]").count() == 1
    assert (
        "chose" in page.locator("#curve title").all_text_contents()[0]
        or "luck" in page.locator("#curve title").all_text_contents()[0]
    )
    page.locator("#curve .turn-mark").last.click()
    assert page.locator("#count").inner_text().startswith(f"{data['judged']['turns'][-1]['step'] + 1} /")
    page.click("#tab-now")
    assert page.locator("#curve .turn-mark").count() == 0
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.click("#tab-win")
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []


def test_the_curve_begins_before_the_first_decision_and_ends_with_the_result(judged):
    analysis, data, _ = judged
    win = data["judged"]["win"]
    assert win[0] == analysis.curve()[0].round(3).tolist()
    assert win[-1] == analysis.result[:, WIN].round(3).tolist()
    assert sum(win[len(win) // 2]) == pytest.approx(1, abs=0.01)

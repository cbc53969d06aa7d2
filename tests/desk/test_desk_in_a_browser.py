"""The desk in a browser: a designer changes the box, asks, stops, saves, lays side by side and plays; in two widths and themes."""

import re
import threading

import pytest

from browser import NEEDS_CHROMIUM, chromium, expect, violations, watched
from strozzi_sim.desk.answers import Shelf
from strozzi_sim.desk.server import DeskServer

pytestmark = [NEEDS_CHROMIUM, pytest.mark.slow]
FETCHES = "http://127.0.0.1"


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture
def desk(tmp_path):
    server = DeskServer("strozzi", Shelf(tmp_path / "shelf"), tmp_path / "results")
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def ask(page, question, **fields):
    """Choose a question, fill its form, and play it; return the number of its answer."""
    page.get_by_role("button", name=question, exact=True).click()
    if "deals" in fields:
        page.get_by_text("More", exact=True).click()
    for name, value in fields.items():
        control = page.locator(f"#form [name={name}]")
        control.select_option(value) if name == "players" else control.fill(value)
    before = page.locator("article.answer").count()
    page.get_by_role("button", name="Play it", exact=True).click()
    expect(page.locator("article.answer")).to_have_count(before + 1)
    return before + 1


def answer(page, number):
    return page.locator(f"article[data-number='{number}']")


def is_done(page, number):
    expect(answer(page, number).locator("[data-status]")).to_have_attribute("data-status", "done", timeout=300_000)


def keeps_the_rules_in_both_looks(page):
    """Whether a page breaks no rule of axe and fits its window: wide and light, and at last narrow and dark."""
    for width, theme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        page.evaluate("scrollTo(0, 0)")  # elsewhere the strip lies over a part of some control
        assert violations(page) == [], (width, theme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, theme)
    return True


@pytest.mark.slow
def test_a_designer_changes_asks_stops_saves_and_plays(browser, desk, tmp_path):
    """The box is changed in a wide window, and all else is done in a narrow one."""
    with watched(browser, FETCHES, "status of 400") as open_page:  # of the value that is refused
        page = open_page(desk.address)
        page.locator("[data-name=tracks] summary").click()
        field = page.locator("[id='field-tracks.bonus.9']")
        field.fill("1001")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("1001")
        expect(field).to_have_value("15")
        field.fill("20")
        field.press("Enter")
        expect(page.locator("#changes")).to_contain_text("space 9 of the tracks pays 20 coins instead of 15")
        field.fill("")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("back to 15, the value of the published game")
        expect(field).to_have_value("15")
        expect(page.locator("#changes")).to_be_empty()
        page.locator("[data-name=scoring] summary").click()
        ranks = page.locator("[id='field-scoring.ship_ranks']")
        for text in ("[20,10,5]", "20, 10, 5"):
            ranks.fill(text)
            ranks.press("Enter")
            expect(ranks).to_have_value("[20,10,5]")
            expect(page.locator("#changes")).to_contain_text("the first ship at a port earns 20 coins instead of 15")
            ranks.fill("")
            ranks.press("Enter")
            expect(page.locator("#changes")).to_be_empty()
        field.fill("20")
        field.press("Enter")
        page.locator("[data-name=ships] summary").click()
        page.locator("[data-name=ships]").get_by_role("button", name="Add one").click()
        expect(page.locator("#changes")).to_contain_text("new-1 added")
        page.get_by_label("new-1 sail").fill("8")
        page.get_by_label("new-1 sail").press("Enter")
        page.get_by_role("button", name="Remove S01").click()
        expect(page.locator("#changes")).to_contain_text("3 changes")
        page.once("dialog", lambda dialog: dialog.accept("rich-end"))
        page.get_by_role("button", name="Keep as a variant").click()
        expect(page.get_by_role("button", name="Forget my variant rich-end")).to_be_visible()
        page.locator("#board summary").click()
        board = page.locator("#board iframe").content_frame
        expect(board.get_by_text("+20").first).to_be_visible()
        assert keeps_the_rules_in_both_looks(page)

        change = ask(page, "What did my change do?", players="3", agents="random")
        is_done(page, change)
        expect(answer(page, change)).to_contain_text("You changed: ")
        expect(answer(page, change).locator("figure svg").filter(visible=True)).to_have_count(1)
        page.get_by_role("button", name="Undo all").click()
        expect(page.locator("#changes")).to_be_empty()
        page.get_by_label("Begin with").select_option(label="rich-end")
        expect(page.locator("#changes")).to_contain_text("3 changes")
        page.get_by_role("button", name="Undo all").click()
        expect(page.locator("#changes")).to_be_empty()
        fair = ask(page, "Is it fair?", players="3", agents="random")
        page.get_by_role("button", name="What is a thing worth?").click()
        for noun in ("the pirate flag", "the ware flag"):
            page.get_by_label("Thing to do without").select_option(label=noun)
        assert page.locator("#form input[name=things]").input_value() == "flag:pirate flag:ware"
        assert page.locator("#form input[name=agents]").get_attribute("placeholder") == "usual players and random moves"
        worth = ask(page, "What is a thing worth?", players="3", agents="random", things="flag:pirate")
        long = ask(page, "What is a thing worth?", things="flag:ware", deals="30000000")
        is_done(page, fair)
        is_done(page, worth)
        expect(answer(page, long).locator("[data-status]")).to_have_attribute("data-status", "plays")
        answer(page, long).get_by_role("button", name=re.compile("Stop")).click()
        expect(answer(page, long).locator("[data-status]")).to_have_attribute("data-status", "stopped")

        page.once("dialog", lambda dialog: dialog.accept("my-change"))
        answer(page, change).get_by_role("button", name="Save").click()
        expect(answer(page, change)).to_contain_text("my-change")
        assert (tmp_path / "results" / "my-change" / "report.html").exists()
        answer(page, fair).get_by_label("side by side").check()
        answer(page, change).get_by_label("side by side").check()
        expect(page.locator("#beside iframe")).to_have_count(1)
        expect(page.locator("#beside")).to_be_in_viewport()
        expect(page.locator("#beside + #shelf")).to_have_count(1)
        both = page.locator("#beside iframe").content_frame
        expect(both.locator("h1")).to_be_visible()
        expect(both.locator("h1")).to_contain_text("who wins")
        answer(page, fair).get_by_label("side by side").uncheck()
        expect(page.locator("#beside")).to_be_hidden()
        answer(page, long).get_by_role("button", name="Forget").click()
        expect(answer(page, long)).to_have_count(0)
        assert keeps_the_rules_in_both_looks(page)

        answer(page, change).get_by_role("button", name="Ask again").click()
        expect(page.locator("#changes")).to_contain_text("space 9 of the tracks pays 20 coins instead of 15")
        page.get_by_role("button", name="Play it myself").click()
        page.locator("#form [name=agents]").fill("random")
        with page.context.expect_page() as opened:
            page.get_by_role("button", name="Open a table").click()
        table = opened.value
        expect(table.locator("#choices button").first).to_be_visible()
        before = table.locator("#count").text_content()
        table.locator("#choices button").first.click()
        expect(table.locator("#count")).not_to_have_text(before)


@pytest.mark.slow
def test_two_windows_show_the_same_answers(browser, desk):
    with watched(browser, FETCHES) as open_page:
        one, two = open_page(desk.address), open_page(desk.address, 390)
        number = ask(one, "Is it fair?", players="3", agents="random", deals="100")
        is_done(two, number)
        answer(two, number).get_by_role("button", name="Forget").click()
        expect(answer(one, number)).to_have_count(0)


def test_the_strip_follows_a_slider_and_boxes_are_kept(browser, desk):
    """A number is moved with the keyboard, the strip and the curve follow, and the box returns to the published one."""
    with watched(browser, FETCHES) as open_page:
        page = open_page(desk.address)
        live = page.locator("#live")
        expect(live.get_by_role("row", name=re.compile("^the first player"))).to_be_visible()
        page.get_by_label("Who plays").select_option(label="random moves")
        page.get_by_label("3", exact=True).check()
        page.get_by_label("4", exact=True).uncheck()
        expect(live.locator("table")).to_have_count(1)
        expect(live.locator("table")).to_have_attribute("data-players", "3")
        page.locator("[data-name=tracks] summary").click()
        slider = page.locator("input[data-key='tracks.bonus.9']")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#changes")).to_contain_text("space 9 of the tracks pays 20 coins instead of 15")
        expect(live).to_have_attribute("data-box", '["strozzi","base",["tracks.bonus.9=20"]]')
        expect(live.get_by_role("row", name="mean score")).to_contain_text(re.compile(r"\+\d+\.\d \(\d"))
        expect(page.locator("[data-curve='tracks.bonus.9'] .curve")).to_be_visible()
        page.get_by_role("button", name="Keep this box below").click()
        expect(page.locator("#history")).to_contain_text("space 9 of the tracks pays 20 coins instead of 15")
        expect(page.locator("#box-command")).to_contain_text("--set tracks.bonus.9=20")
        slider.dblclick()
        expect(page.locator("#changes")).to_be_empty()
        page.get_by_role("button", name="Keep this box below").click()
        for number in (1, 2):
            page.get_by_label(f"compare box {number}").check()
        expect(page.locator("#history-rows")).to_contain_text("gap between the seats:")
        page.get_by_role("button", name="Back to it").last.click()
        expect(page.locator("#changes")).to_contain_text("20 coins instead of 15")
        assert keeps_the_rules_in_both_looks(page)


def test_the_strip_shows_no_box_under_the_name_of_another(browser, desk):
    """Until the changed box is played the strip says that it follows; the number in hand and the player are left with their game."""
    with watched(browser, FETCHES) as open_page:
        page = open_page(desk.address)
        live, slider = page.locator("#live"), page.locator("input[data-key='tracks.bonus.9']")
        expect(live).to_have_attribute("data-box", '["strozzi","base",[]]')
        desk.live._job = lambda *given: None  # nothing more is played
        page.locator("[data-name=tracks] summary").click()
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#changes")).to_contain_text("20 coins instead of 15")
        expect(page.locator("#live-says")).to_have_text("Following \u2026")
        expect(live).to_have_attribute("data-box", '["strozzi","base",[]]')
        del desk.live._job
        expect(live).to_have_attribute("data-box", '["strozzi","base",["tracks.bonus.9=20"]]')
        page.get_by_label("Under the slider").select_option("mean score")
        expect(page.locator("[data-curve='tracks.bonus.9'] .curve")).to_have_attribute(
            "aria-label", re.compile("^mean score: ")
        )
        page.get_by_label("Who plays").select_option(label="weak players")
        page.locator("#game").select_option("medici_vs_strozzi")
        expect(live.locator("table")).to_have_attribute("data-players", "2")
        expect(page.locator("#problem")).to_be_hidden()


def test_a_slider_is_not_taken_from_the_hand(browser, desk):
    """A box that arrives while a slider is held is shown once it is let go, and what is dragged meanwhile counts."""
    with watched(browser, FETCHES) as open_page:
        page = open_page(desk.address)
        page.locator("[data-name=tracks] summary").click()
        slider = page.locator("input[data-key='tracks.bonus.9']")
        slider.scroll_into_view_if_needed()
        place = slider.bounding_box()
        height = place["y"] + place["height"] / 2
        page.mouse.move(place["x"] + place["width"] / 2, height)
        page.mouse.down()
        field = page.locator("[id='field-tracks.bonus.7']")
        field.evaluate("field => { field.value = '10'; field.dispatchEvent(new Event('change')); }")
        expect(page.locator("#live")).to_have_attribute("data-box", re.compile(r'"tracks\.bonus\.7=10"'))
        expect(page.locator("#changes")).to_be_empty()
        page.mouse.move(place["x"] + place["width"] - 1, height, steps=4)
        page.mouse.up()
        expect(page.locator("#changes")).to_contain_text("space 7 of the tracks pays 10 coins")
        expect(page.locator("#changes")).to_contain_text("space 9 of the tracks pays 30 coins")


@pytest.mark.slow
def test_targets_are_rows_and_numbers_are_ticks_which_write_the_text(browser, desk):
    with watched(browser, FETCHES) as open_page:
        page = open_page(desk.address)
        page.get_by_role("button", name="What would make it fair?", exact=True).click()
        targets, keys, command = (
            page.locator("#form [name=targets]"),
            page.locator("#form [name=keys]"),
            page.locator("#command"),
        )
        of_row = {
            name: page.locator("#form").get_by_label(name, exact=True)
            for name in ("Figure", "Relation", "Number", "Tolerance")
        }
        expect(targets).to_have_value("gap <= 5")
        of_row["Number"].fill("2.5")
        page.get_by_role("button", name="Add a target").click()
        of_row["Number"].nth(1).fill("27")
        of_row["Tolerance"].fill("2")
        expect(targets).to_have_value("gap <= 2.5; the first player wins = 27 +- 2")
        of_row["Relation"].nth(1).select_option(label="at most")
        expect(of_row["Tolerance"]).to_have_count(0)
        expect(targets).to_have_value("gap <= 2.5; the first player wins <= 27")
        of_row["Figure"].nth(1).select_option(label="games won by one weak player among usual players")
        expect(targets).to_have_value("gap <= 2.5")  # without a number it is no target yet
        of_row["Number"].nth(1).fill("20")
        weak = "learned:level=3 among heuristic wins <= 20"  # the relation that was chosen stays
        expect(targets).to_have_value(f"gap <= 2.5; {weak}")
        page.get_by_role("button", name="Remove the target: gap between the seats").click()
        expect(targets).to_have_value(weak)
        targets.fill("score_mean >= 1 at 3 players")
        expect(of_row["Figure"]).to_have_count(0)
        page.get_by_role("button", name="Add a target").click()
        expect(targets).to_have_value("score_mean >= 1 at 3 players; gap <= 5")
        page.get_by_role("button", name="Remove the target: gap between the seats").click()

        page.get_by_text("Tick the numbers").click()
        ticks = page.locator("details.ticks")
        expect(ticks).to_contain_text("All of these may change.")
        expect(keys).to_have_value("")
        for group in ("The setup", "The flags", "The prizes", "The ship cards", "The promotion tiles"):
            ticks.get_by_label(group, exact=True).uncheck()
        expect(keys).to_have_value("tracks.top_index, tracks.bonus.7, tracks.bonus.8, tracks.bonus.9")
        tracks = ticks.locator("details[data-name='The tracks of the cities']")
        tracks.locator("summary").click()
        tracks.get_by_label("length of the tracks").uncheck()
        expect(ticks).to_contain_text("3 of 27 may change.")
        expect(ticks.get_by_label("The tracks of the cities", exact=True)).to_have_js_property("indeterminate", True)
        ticks.get_by_label("The ship cards", exact=True).check()
        expect(keys).to_have_value(
            re.compile(r"^tracks\.bonus\.7, tracks\.bonus\.8, tracks\.bonus\.9, ships\.\*\.sail, ")
        )
        assert keeps_the_rules_in_both_looks(page)
        keys.fill("tracks.bonus.9 = 0 to 30")
        expect(ticks).to_contain_text("Written by hand")
        expect(command).to_contain_text("--targets 'score_mean >= 1 at 3 players'")
        expect(command).to_contain_text("--keys 'tracks.bonus.9 = 0 to 30'")
        number = ask(page, "What would make it fair?", players="3", agents="random", deals="4000")
        is_done(page, number)
        expect(answer(page, number)).to_contain_text("Change nothing: the box meets the target.")
        expect(answer(page, number).get_by_role("button", name="Put this box in the form")).to_have_count(0)


def test_an_answer_puts_its_box_in_the_form(browser, desk):
    """A prize is moved; the search that is asked about that box finds another, which follows in form and strip."""
    with watched(browser, FETCHES, "status of 400") as open_page:  # of a form that is not filled in yet
        page = open_page(desk.address)
        live = page.locator("#live")
        page.locator("[data-name=scoring] summary").click()
        slider = page.locator("input[data-key='scoring.ship_ranks.0']")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#changes")).to_contain_text("the first ship at a port earns 20 coins instead of 15")
        expect(live).to_have_attribute("data-box", '["strozzi","base",["scoring.ship_ranks=[20,10,5]"]]')
        expect(page.locator("[data-curve='scoring.ship_ranks.0'] .curve")).to_be_visible()
        expect(page.locator("#live-alarms .alarm").first).to_contain_text("Coins run out in")
        page.get_by_role("button", name="What did my change do?", exact=True).click()
        expect(page.locator("#command")).to_contain_text(re.compile(r"--deals \d{4,}$"))
        wish = {"targets": "score_mean = 300 +- 12", "keys": "scoring.marker_ranks.0"}
        number = ask(page, "What would make it fair?", players="3", agents="random", deals="4000", **wish)
        is_done(page, number)
        page.get_by_role("button", name="Undo all").click()
        expect(page.locator("#changes")).to_be_empty()
        answer(page, number).get_by_role("button", name="Put this box in the form").click()
        expect(page.locator("#changes li")).to_have_count(2)
        expect(page.locator("#changes")).to_contain_text("the first ship at a port earns 20 coins instead of 15")
        expect(page.locator("#changes")).to_contain_text("the first marker of a city earns")
        expect(live).to_have_attribute("data-box", re.compile(r"scoring\.marker_ranks=\["))
        page.get_by_role("button", name="Which value is fairest?", exact=True).click()
        page.get_by_label("Number to try").select_option(label="bonus of space 9 of the tracks")
        expect(page.locator("#form [name=values]")).to_have_value("tracks.bonus.9 = 0 5 10 15 20 25 30")
        assert keeps_the_rules_in_both_looks(page)

"""Pages in a browser: they are readable, usable by keyboard and without JavaScript, ask nothing of a network, and answer questions."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

import pytest

import strozzi_sim as ss
from browser import NEEDS_CHROMIUM, chromium, violations, watched
from own_game import install
from strozzi_sim.study.beside import side_by_side
from strozzi_sim.study.folders import study_of

pytestmark = [NEEDS_CHROMIUM, pytest.mark.slow]
STUDY = {"name": "first-study", "deals": 60, "chunks": 12, "seed": 4}
QUIET = {"workers": 1, "progress": False}
AUDITED = [(1280, "light"), (390, "dark")]
LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def goofspiel(folder):
    """Write the page of the game of docs/your-own-game.md, which is played by a Python of its own."""
    environment = install(folder)
    code = "import strozzi_sim as ss; ss.simulate('goofspiel', agents='random', deals=60).report('goofspiel.html')"
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)


def our_table():
    """Read score sheets of made-up games."""
    with tempfile.TemporaryDirectory() as folder:
        sheets = Path(folder) / "sheets.csv"
        sheets.write_text("seat 0,seat 1\n" + "".join(f"{60 + k},{90 - k}\n" for k in range(24)), "utf-8")
        return ss.our_table("medici_vs_strozzi", sheets, deals=60, **QUIET)


def study(game, pages=(), **keys):
    """Play a small study of a game."""
    study, look = study_of({**STUDY, "game": game, "players": [3, 4], "lineups": [["random"]], "pages": ["balance", *pages], "explorer": True, **keys})  # fmt: skip
    return ss.run(study, look=look, **QUIET)


KINDS = {
    "strozzi": lambda: study("strozzi", lineups=[["heuristic"], ["random"]], variants=["base", "long-tracks"]),
    "medici_vs_strozzi": lambda: study("medici_vs_strozzi", ["prices"], players=[2], heatmaps=["price-by-tiles-round"]),
    "strasbourg": lambda: study("strasbourg", ["city", "tasks"], question="tasks"),
    "tournament": lambda: ss.tournament("strozzi", "greedy,random,eager", players=3, deals=40, **QUIET),
    "curves": lambda: ss.sweep("strozzi", "tracks.bonus.9 = 0 40 80", players=3, agents="random", deals=60, **QUIET),
    "maps": lambda: ss.sweep("strozzi", "tracks.bonus.9 = 0 80; tracks.bonus.8 = 10 60", players=3, agents="random", deals=60, **QUIET),
    "compare": lambda: ss.compare("strozzi", "greedy", "random", players=3, deals=40, **QUIET),
    "side by side": lambda: side_by_side([study("strozzi", name="a-study-of-the-game", players=[3], variants=[box]) for box in ("base", "long-tracks")]),
    "luck": lambda: ss.luck("strozzi", players=3, agents="greedy,random,eager", deals=60, **QUIET),
    "worth": lambda: ss.worth("strozzi", "flag:*", players=3, agents="random", deals=40, **QUIET),
    "styles": lambda: study("strozzi", players=[3], question="agents", lineups=[[style, "random", "random"] for style in ("greedy", "eager")]),
    "changed": lambda: ss.compare("strozzi", "base", "long-tracks", players=3, agents="random", deals=60, **QUIET),
    "exploit": lambda: ss.exploit("strozzi", "greedy", players=3, deals=75, challengers="heuristic,random", **QUIET),
    "weights": lambda: ss.weights("strozzi", players=3, agents="random", deals=4000, keys="tracks.*", **QUIET),
    "our table": our_table,
    "leak check": lambda: ss.leak_check("strozzi", "greedy", players=3, deals=1, progress=False),
    "heat map": lambda: ss.heatmap("strozzi", rows="flag", columns="round", value="mean prize", players=3, agents="random", deals=60, **QUIET),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return a function that returns the address of the page of a kind, which is written once."""
    folder = tmp_path_factory.mktemp("pages")

    def written(kind):
        file = folder / f"{kind}.html"
        if not file.exists():
            goofspiel(folder) if kind == "goofspiel" else KINDS[kind]().report(file)
        return file.as_uri()

    return written


@pytest.fixture
def opened(browser):
    with watched(browser, ("file:", "blob:")) as open_page:
        yield open_page


def open_details(page):
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


SMALL_TEXT = """() => [...document.querySelectorAll("body *")].flatMap(node => {
  const shown = node.getBoundingClientRect(), style = getComputedStyle(node), svg = node.closest("svg");
  const speaks = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
  if (!speaks || !shown.width || !shown.height || style.visibility === "hidden") return [];
  const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1, size = parseFloat(style.fontSize) * scale;
  return [[Math.round(100 * size) / 100, node.textContent.trim().slice(0, 40)]];
})"""
HIDDEN_TEXT = """() => [...document.querySelectorAll("svg[role=img]")].flatMap(svg => {
  const boxes = [...svg.querySelectorAll("text")].map(node => [node.textContent, node.getBoundingClientRect()]).filter(([, box]) => box.width);
  return boxes.flatMap(([text, a], k) => boxes.slice(0, k).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5
  ).map(([other]) => [text, other]));
})"""


@pytest.mark.slow
@pytest.mark.nightly_for("medici_vs_strozzi", "tournament", "maps", "curves", "compare", "worth", "luck", "styles", "changed", "exploit", "weights", "our table", "leak check")  # fmt: skip
@pytest.mark.parametrize("kind", [*KINDS, "goofspiel"])
def test_a_page_is_readable_in_every_width_and_theme(kind, address, opened):
    page = opened(address(kind))
    open_details(page)
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, "scrolls sideways")
        sizes = page.evaluate(SMALL_TEXT)
        assert len(sizes) > 40
        assert [each for each in sizes if each[0] < 11] == [], width
        assert page.evaluate("document.querySelectorAll('[data-t=\"\"]').length") == 0, "a mark that says nothing"
        assert page.evaluate(HIDDEN_TEXT) == [], "words of a picture lie on each other"
        if (width, scheme) not in AUDITED:
            continue
        assert violations(page) == [], (width, scheme)


POLICY = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src 'self'; style-src 'self'\">"


@pytest.mark.slow
def test_a_page_whose_styles_are_refused_keeps_every_whisker_and_shows_a_picture_once(address, browser, tmp_path):
    """Under the policy of a server for other people's files; open details by attribute, as scripts are refused too."""
    text = Path(unquote(urlparse(address("strozzi")).path)).read_text().replace("<details", "<details open")
    refused = tmp_path / "refused.html"
    refused.write_text(text.replace("<head>", f"<head>{POLICY}"))
    with watched(browser, ("file:",), excused="Content Security Policy") as open_page:
        page = open_page(refused.as_uri())
        strokes = page.locator("figure g[stroke]").evaluate_all("all => all.map(each => getComputedStyle(each).stroke)")
        assert len(strokes) > 50
        assert "none" not in strokes
        pictures = page.locator("figure").all()
        assert len(pictures) > 5
        assert {each.locator("svg[role=img]:visible").count() for each in pictures} == {1}


# What a reader does


@pytest.fixture
def strozzi(address, opened):
    page = opened(address("strozzi"))
    page.wait_for_selector(".hero figure [data-t]")  # the sentences of marks are unpacked
    return page


def cells_of(page):
    return page.locator("#maps td:not(.few)").all_inner_texts()


def chosen(page, name):
    return page.locator(f"#form [name={name}]")


def test_a_table_is_sorted_by_its_head(strozzi):
    open_details(strozzi)
    table = strozzi.locator("table.figures", has=strozzi.locator("tbody tr:nth-child(4)")).first
    head = table.locator("thead th.num").first

    def values():
        return [
            float(value)
            for value in table.locator("tbody tr").evaluate_all(
                f"rows => rows.map(row => row.children[{column}].dataset.v)"
            )
        ]

    column = head.evaluate("node => [...node.parentElement.children].indexOf(node)")
    before = values()
    assert len(set(before)) > 2
    head.locator("button").first.click()
    assert values() == sorted(before, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").first.click()
    assert values() == sorted(before)
    assert head.get_attribute("aria-sort") == "ascending"


def download(page, locator):
    with page.expect_download() as found:
        locator.click()
    return found.value.suggested_filename, found.value.path().read_text("utf-8")


def test_tables_and_pictures_can_be_saved(strozzi):
    open_details(strozzi)
    name, table = download(strozzi, strozzi.locator("table.figures .csv").first)
    head, *rows = table.splitlines()
    assert name.endswith(".csv")
    assert head.endswith(",figure,value,low,high,n")
    assert len(rows) > 4
    assert all(re.search(r",-?[\d.e-]+,-?[\d.e-]*,-?[\d.e-]*,\d+$", row) for row in rows)
    hero = strozzi.locator(".hero figure").first
    called = hero.locator(".link.svg").get_attribute("data-name")
    name, drawn = download(strozzi, hero.locator(".link.svg"))
    assert (name, "var(" in drawn) == (f"{called}.svg", False)
    texts = ["".join(node.itertext()) for node in ElementTree.fromstring(drawn).iter() if node.tag.endswith("text")]
    assert sorted(texts) == sorted(hero.locator(".wide svg text").all_text_contents())
    assert len(texts) > 8
    name, marks = download(strozzi, hero.locator(".link.marks"))
    assert name == f"{called}.csv"
    assert all(
        sum(f'"{tip}' in line or tip in line for line in marks.splitlines()) == 1
        for tip in hero.locator(".wide [data-t]").evaluate_all("all => all.map(each => each.dataset.t)")
    )
    _, question = download(strozzi, strozzi.locator("#askcsv"))
    assert len(question.splitlines()) == 1 + len(cells_of(strozzi))
    _, drawn = download(strozzi, strozzi.locator("#asksvg"))
    assert set(cells_of(strozzi)) <= {node.text for node in ElementTree.fromstring(drawn).iter()}


def test_a_theme_is_chosen_and_remembered(strozzi):
    def paper():
        return strozzi.evaluate("getComputedStyle(document.body).backgroundColor")

    light = paper()
    assert strozzi.locator("#theme").inner_text() == "Dark"
    strozzi.locator("#theme").click()
    dark = paper()
    assert dark != light
    assert strozzi.locator("#theme").inner_text() == "Light"
    strozzi.reload()
    assert paper() == dark
    strozzi.locator("#theme").click()
    assert paper() == light


SIDES = ("top", "right", "bottom", "left")


@pytest.mark.slow
@pytest.mark.nightly_for("maps", "curves", "luck", "exploit", "weights", "styles", "side by side", "our table")
@pytest.mark.parametrize("kind", KINDS)
def test_print_is_one_page(kind, address, opened):
    page = opened(address(kind))
    for paper in ({"prefer_css_page_size": True}, {"format": "Letter", "margin": dict.fromkeys(SIDES, "12mm")}):
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(**paper))) == 1
    page.emulate_media(media="print")
    for shown in ("#verdict", ".caveat"):
        assert page.locator(shown).first.is_visible()
    assert page.locator(".finding").evaluate_all("all => all.every(each => each.offsetHeight === 0)")
    assert not [each for each in page.locator("code, .caveat a").all() if each.is_visible()]  # commands and links
    said = page.locator("body").inner_text()
    assert "no network" not in said
    assert " figures, " not in said
    if kind in ("strozzi", "changed", "worth"):
        assert "Reconstructed, as no known source has it: the positions of the bonus spaces" in said
    if kind == "strozzi":
        assert "Who plays: usual (plays by rules of thumb)." in said
        assert re.search(r"simulated by strozzi-sim \S+ on \d{4}-\d\d-\d\d\.", said)


LABELS = """all => all.flatMap(text => {
  const scale = text.getScreenCTM();
  return text.closest("svg").getBoundingClientRect().width ? [0.75 * parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b)] : [];
})"""


@pytest.mark.parametrize("kind", ["strozzi", "compare", "worth", "changed"])
def test_labels_of_printed_pictures_can_be_read(kind, address, opened):
    """On A4 they have at least 7.5 points."""
    page = opened(address(kind))
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1032})  # A4 less its margins
    points = page.locator(".hero svg[role=img] text").evaluate_all(LABELS)
    assert points
    assert min(points) >= 7.5


def test_everything_is_printed_on_demand(strozzi):
    closed = strozzi.locator("details:not([open])").count()
    assert closed > 3
    strozzi.evaluate("window.print = () => dispatchEvent(new Event('beforeprint'))")
    strozzi.locator("#print-all").click()
    strozzi.emulate_media(media="print")
    assert strozzi.locator("details:not([open])").count() == 0
    pictures = strozzi.locator("figure.picture")
    widths = "all => all.filter(each => each.getBoundingClientRect().width > 0).length"
    assert [each.locator("svg[role=img]").evaluate_all(widths) for each in pictures.all()] == [1] * pictures.count()
    assert all(table.is_visible() for table in strozzi.locator("table.figures").all())
    assert not strozzi.locator("#theme").is_visible()
    assert not strozzi.locator("#tip").is_visible()
    strozzi.evaluate("dispatchEvent(new Event('afterprint'))")
    assert strozzi.locator("details:not([open])").count() == closed


def test_without_javascript_all_findings_and_pictures_are_there(address, opened):
    page = opened(address("strozzi"), java_script_enabled=False)
    figures = page.locator(".hero figure.picture, .lead figure.picture")
    assert figures.count() > 1
    for figure in figures.all():
        assert figure.locator("svg[role=img]:visible").count() == 1
    assert page.locator("#ask noscript p").is_visible()
    for control in ("#theme", "#form", "#askcsv", ".link.svg"):
        assert not page.locator(control).first.is_visible(), control
    assert "who wins" in page.locator("h1").inner_text()


def hero_narrow(page):
    return (
        page.locator(".hero .narrow").first.locator("[data-t]").evaluate_all("all => all.map(each => each.dataset.t)")
    )


def test_arrow_keys_walk_over_marks_and_cells_and_escape_hides_what_is_told(strozzi):
    tip = strozzi.locator("#tip")
    picture = strozzi.locator(".hero .wide").first
    said = picture.locator("[data-t]").evaluate_all("all => all.map(each => each.dataset.t)")
    assert len(set(said)) == len(said) > 4
    picture.focus()
    assert said == hero_narrow(strozzi)  # a phone's picture says the same
    for sentence in (said[0], said[1], said[2]):
        strozzi.keyboard.press("ArrowRight")
        assert tip.inner_text() == sentence
    strozzi.keyboard.press("ArrowLeft")
    assert tip.inner_text() == said[1]
    assert strozzi.locator("footer [role=status]").inner_text() == said[1]
    strozzi.keyboard.press("Escape")
    assert tip.is_hidden()
    picture.locator("[data-t]").nth(3).hover()
    assert tip.inner_text() == said[3]
    cell = strozzi.locator("#maps td").first
    cell.focus()
    first = cell.get_attribute("data-t")
    strozzi.keyboard.press("ArrowRight")
    assert strozzi.evaluate("document.activeElement.dataset.t") == strozzi.locator("#maps tr:first-child td").nth(
        1
    ).get_attribute("data-t")
    strozzi.keyboard.press("ArrowLeft")
    assert strozzi.evaluate("document.activeElement.dataset.t") == first
    strozzi.keyboard.press("ArrowDown")
    assert strozzi.evaluate("document.activeElement.closest('tr').rowIndex") == 2
    assert tip.inner_text() == strozzi.evaluate("document.activeElement.dataset.t")


# The explorer


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
@pytest.mark.parametrize("kind", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_every_question_has_cells(kind, address, opened):
    page = opened(address(kind))
    presets = page.locator("#presets button")
    assert presets.count() >= 12
    said, empty = set(), []
    for preset in presets.all():
        preset.click()
        said.add(page.locator("#said").inner_text())
        if not page.locator("#maps td").count():
            empty.append(preset.inner_text())
        assert preset.get_attribute("aria-pressed") == "true"
        assert page.locator("#presets [aria-pressed=true]").count() == 1
    assert empty == []
    assert len(said) > 8


def test_a_question_is_narrowed_and_its_address_keeps_it(strozzi):
    strozzi.locator("#presets button").first.click()
    for name in ("players", "variant", "agent"):
        before = cells_of(strozzi)
        options = chosen(strozzi, name).locator("option").evaluate_all("all => all.map(each => each.value)")
        assert len(options) == 2, name
        other = next(value for value in options if value != chosen(strozzi, name).input_value())
        chosen(strozzi, name).select_option(other)
        assert cells_of(strozzi) != before, name
        assert len(cells_of(strozzi)) > 3
    rounds = chosen(strozzi, "round").locator("option").evaluate_all("all => all.map(each => each.value)")
    assert len(rounds) > 2
    before = cells_of(strozzi)
    chosen(strozzi, "round").select_option(rounds[1])
    assert cells_of(strozzi) != before
    chosen(strozzi, "panel").select_option("0")
    assert strozzi.locator("#maps table").count() == 2
    assert chosen(strozzi, "players").is_disabled()
    assert "#ask=" in strozzi.url
    kept = strozzi.locator("#said").inner_text(), cells_of(strozzi)
    strozzi.reload()
    strozzi.wait_for_selector("#maps td")
    assert (strozzi.locator("#said").inner_text(), cells_of(strozzi)) == kept


@pytest.mark.slow
def test_another_study_is_laid_beside(strozzi, address, tmp_path):
    other = tmp_path / "other study.html"
    other.write_text(Path(unquote(urlparse(strozzi.url).path)).read_text())
    strozzi.set_input_files("#other", other)
    strozzi.wait_for_function("document.querySelectorAll('#maps table').length == 4")
    assert sorted(strozzi.locator("#maps caption").all_inner_texts()) == [
        "base",
        "base (other study)",
        "long-tracks",
        "long-tracks (other study)",
    ]
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<p>no page of a study")
    strozzi.set_input_files("#other", wrong)
    strozzi.wait_for_function("document.querySelector('#said').textContent.includes('wrong.html is not a page')")

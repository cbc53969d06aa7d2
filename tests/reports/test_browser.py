"""Pages in a browser: they are readable, usable by keyboard and without JavaScript, ask nothing of a network, and answer questions."""

import os
import shutil
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import strozzi_sim as ss
from own_game import install

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("STROZZI_BROWSER") != "required", reason="no chromium is installed"
)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
STUDY = {"name": "first-study", "game": "strozzi", "players": [3], "deals": 60, "chunks": 12, "seed": 4}
AUDITED = [(1280, "light"), (390, "dark")]
LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def goofspiel(folder):
    """Write the page of the game of docs/your-own-game.md, which is played by a Python of its own."""
    environment = install(folder)
    code = "import strozzi_sim as ss; ss.simulate('goofspiel', agents='random', deals=60).report('goofspiel.html')"
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)


def study(game, pages, **keys):
    plan = {
        **STUDY,
        "game": game,
        "players": [3, 4],
        "lineups": [["random"]],
        "report": {"pages": ["balance", *pages]},
        **keys,
    }
    return ss.run(ss.Study(**plan))


KINDS = {
    "strozzi": lambda: study("strozzi", ["ships"], lineups=[["heuristic"], ["random"]], variants=["base", "long-tracks"]),
    "medici_vs_strozzi": lambda: study("medici_vs_strozzi", ["auctions"], players=[2], report={"heatmaps": ["price-by-tiles-round"]}),
    "strasbourg": lambda: study("strasbourg", ["city", "tasks"], question="tasks"),
    "tournament": lambda: ss.tournament("strozzi", "greedy,random,eager", 3, 40),
    "curves": lambda: ss.sweep(ss.Study(**STUDY, lineups=[["random"]], report={"pages": []}, sweep={"tracks.bonus.9": [0, 40, 80]})),
    "maps": lambda: ss.sweep(ss.Study(
        **STUDY, lineups=[["random"]], report={"pages": []}, sweep={"tracks.bonus.9": [0, 80], "tracks.bonus.8": [10, 60]})),
    "compare": lambda: ss.compare("strozzi", "greedy", "random", players=3, deals=40),
    "worth": lambda: ss.worth("strozzi", "flag:*", players=3, agents="random", deals=40),
}  # fmt: skip
OF_EVERY_KIND = [
    pytest.param(kind, marks=() if kind == "strozzi" else pytest.mark.slow) for kind in (*KINDS, "goofspiel")
]


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


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


class Watched:
    """What a page complained of, and what it asked for."""

    def __init__(self, page):
        self.page, self.said, self.asked = page, [], []
        page.on(
            "console", lambda message: self.said.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture
def opened(browser):
    """Return a function that opens an address in a context of its own; what is wrong with it fails the test at its end."""
    watched, contexts = [], []

    def open_page(url, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        watched.append(Watched(page))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    for each in watched:
        assert each.said == []
        assert [url for url in each.asked if not url.startswith(("file:", "blob:"))] == []


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


@pytest.mark.parametrize("kind", OF_EVERY_KIND)
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
        if (width, scheme) not in AUDITED:
            continue
        found = Axe().run(page, options=RULES).response
        assert len(found["passes"]) > 20
        wrong = [
            (each["id"], node["html"][:200], node["failureSummary"])
            for each in found["violations"]
            for node in each["nodes"]
        ]
        assert wrong == [], (width, scheme)

"""Drawing: the SVG of a page is small, in the page's colours and numbers its marks; files have light colours, title and legend."""

import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from strozzi_sim.pictures.draw import Drawing
from strozzi_sim.pictures.ink import HERO, LIGHT, PATHS, UNSTYLED
from strozzi_sim.pictures.marks import Chart
from strozzi_sim.pictures.panel import Scale

TIPS = ['one: 2 <">&', "agent:greed=0.125, wins 0.3046 (0.2968 to 0.3125), n = 20,000"]
MARKS = [{"value": k, "tip": tip} for k, tip in enumerate(TIPS)]


def dots(sheet):
    """Two dots and a third that says nothing, a broken line, words that look like markup, numbers."""
    panel = sheet.panel(30, 20, 200, 90, (0.0, 3.0), (0.0, 3.0), 24)
    panel.title("ink & <b>")
    panel.numbers("y", Scale((0.0, 3.0)))
    panel.line("y", 2.5)
    panel.dots([1 / 7, 2.0], [2.0, 3.0], "s1", "circle", 4.2, TIPS)
    panel.dots([1.0], [1.0], "s2", "diamond", 4.2)
    panel.text(1, 1, "S1.005: -2.345", "s2")


def drawn(legend=(), width=240, title="Dots"):
    return Chart(dots, [], "Dots", legend, MARKS, width=width, name=title.lower(), title=title)


@pytest.fixture(scope="module")
def svg():
    return drawn().svg(240, 'A "picture" & its label')


def test_every_mark_has_the_number_of_its_sentence_and_nothing_else_speaks(svg):
    root = ElementTree.fromstring(svg)
    numbers = [node.get("data-m") for node in root.iter() if node.get("data-m") is not None]
    assert [MARKS[int(number)]["tip"] for number in numbers] == TIPS
    assert not any(tip in svg for tip in TIPS)
    assert (root.get("role"), root.get("aria-label")) == ("img", 'A "picture" & its label')
    assert not [node.tag for node in root.iter() if node is not root and (node.get("role") or node.get("aria-label"))]
    assert drawn().data() == {"columns": ["value", "tip"], "rows": [[0, TIPS[0]], [1, TIPS[1]]]}


def test_a_figure_in_a_file_of_matplotlib_has_no_links():
    content = io.BytesIO()
    drawn().figure.savefig(content, format="svg")
    assert b"marks-0" in content.getvalue()
    assert b"href" not in re.sub(rb"<use [^>]*>", b"", content.getvalue())


def test_colours_are_variables_of_the_page(svg):
    root = ElementTree.fromstring(svg)
    colours = {node.get(side) for node in root.iter() for side in ("fill", "stroke")} - {None, "none"}
    assert colours == {f"var(--{name},{UNSTYLED[name]})" for name in ("ink", "muted", "faint", "s1", "s2")}


def test_words_keep_every_letter_and_only_coordinates_are_rounded(svg):
    root = ElementTree.fromstring(svg)
    assert {"ink & <b>", "S1.005: -2.345"} <= {node.text for node in root.iter()}
    for node in root.iter():
        for name in ("d", "x", "y", "cx", "cy", "r"):
            assert not re.search(r"\d\.\d{2}", node.get(name, "")), (name, node.get(name))


def test_it_is_small(svg):
    assert not re.search(r"<g[^>]*>\s*</g>|<g[^>]*/>|style=|class=|font-family|transform=", svg)
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert len(svg) < 1500


def test_marks_lie_above_lines_in_the_order_in_which_they_are_drawn(svg):
    order = [svg.index(each) for each in ("stroke-dasharray", "<circle", "S1.005")]
    assert order == sorted(order)


def test_a_circle_lies_where_its_value_is(svg):
    root = ElementTree.fromstring(svg)
    spots = [(float(node.get("cx")), float(node.get("cy"))) for node in root.iter() if node.tag == "circle"]
    assert spots == [pytest.approx((30 + 200 / 3 / 7, 20 + 30), abs=0.06), pytest.approx((30 + 400 / 3, 20), abs=0.06)]


def test_two_drawings_are_equal_to_the_byte_whatever_a_user_likes(svg):
    with matplotlib.rc_context(
        {"font.family": "serif", "path.simplify": True, "text.color": "red", "savefig.dpi": 40, "text.usetex": True}
    ):
        assert drawn().svg(240, 'A "picture" & its label') == svg
        files = drawn().files(("svg", "png", "pdf"))
    assert files == drawn().files(("svg", "png", "pdf"))


def test_files_are_in_light_colours_on_paper():
    files = drawn(title="A title that is <long>").files()
    assert sorted(files) == ["png", "svg"]
    svg = files["svg"].decode()
    assert "var(" not in svg
    assert all(LIGHT[name] in svg for name in ("paper", "ink", "s1", "s2"))
    root = ElementTree.fromstring(svg)
    said = [node.text for node in root.iter() if node.tag.endswith("title")]
    assert said == ["A title that is <long>", *TIPS]
    with Image.open(io.BytesIO(files["png"])) as picture:
        assert picture.size == tuple(round(2 * float(root.get(side))) for side in ("width", "height"))
        colours = {tuple(colour) for _, colour in picture.convert("RGB").getcolors(1000)}
    paper, dot = (tuple(int(LIGHT[name][k : k + 2], 16) for k in (1, 3, 5)) for name in ("paper", "s1"))
    assert min(np.abs(np.subtract(paper, colour)).max() for colour in colours) <= 4
    assert min(np.abs(np.subtract(dot, colour)).max() for colour in colours) <= 12


def test_a_file_is_no_wider_than_what_it_shows():
    def width(**keys):
        return float(ElementTree.fromstring(drawn(**keys).files(["svg"])["svg"]).get("width"))

    assert width(width=HERO) < 310
    assert width(width=HERO, legend=[("a long name of a series " * 4, "s1", "circle")]) > 500


def test_a_file_has_its_legend_in_lines_that_fit():
    legend = [(f"series & {k}", "s1", shape) for k, shape in enumerate([*PATHS, "frame"])]
    root = ElementTree.fromstring(drawn(legend).files(["svg"])["svg"])
    places = [
        (float(node.get("x")), float(node.get("y")))
        for node in root.iter()
        if (node.text or "").startswith("series & ")
    ]
    assert len(places) == 7
    assert all(x < float(root.get("width")) - 60 and y < float(root.get("height")) for x, y in places)
    assert len({y for _, y in places}) > 1
    assert "series" not in drawn().files(["svg"])["svg"].decode()


def test_several_pictures_are_one_below_the_other_in_a_notebook(tmp_path):
    both = Drawing("Dots", [drawn(title="Dots: a"), drawn(width=HERO, title="Dots: b")])
    assert repr(both) == "<Drawing: Dots, 2 figures>"
    assert [path.name for path in both.save(tmp_path / "dots.pdf")] == ["dots-1.pdf", "dots-2.pdf"]
    sizes = [Image.open(io.BytesIO(chart.files(["png"])["png"])).size for chart in both.charts]
    with Image.open(io.BytesIO(both._repr_png_())) as picture:
        assert picture.size == (max(wide for wide, _ in sizes), sum(tall for _, tall in sizes))
    assert list(both.figures) == ["dots: a", "dots: b"]
    assert both.figure.get_size_inches()[0] * 72 < 320

"""Drawing: the SVG of a page is small, in the page's colours and says what each mark is; files have light colours."""

import hashlib
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import vl_convert

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.declare import declare
from strozzi_sim.pictures.vega import LIGHT, declaration, drawn, files_of, svg_of_page

DOTS = {
    "data": {"values": [{"a": 1, "b": 2, "tip": 'one: 2 <">&'}, {"a": 2, "b": 3, "tip": "two: 3"}]}, "width": 100, "height": 60, "title": "ink",
    "layer": [
        {"data": {"values": [{}]}, "mark": {"type": "rule", "stroke": "ink"}, "encoding": {"y": {"datum": 2.5}}},
        {"mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": {
            "x": {"field": "a", "type": "quantitative", "axis": {"grid": True}}, "y": {"field": "b", "type": "quantitative"},
            "color": {"value": "s1"}, "description": {"field": "tip"}}},
        {"mark": {"type": "text", "fill": "s2"}, "encoding": {"x": {"field": "a", "type": "quantitative"}, "text": {"field": "b"}}},
    ],
}  # fmt: skip
DRAWN = "0f43b46e2b5ce8a6d81828a226ad2f20dee9689267be74a839fa0c36cc524e9c"  # SHA-256 of the SVG that Vega draws of these dots


@pytest.fixture(scope="module")
def svg():
    return svg_of_page(drawn(DOTS), 'A "picture" & its label')


def test_vega_is_the_version_whose_svg_is_cleaned():
    """Another version of vl-convert may draw other SVG.

    If this fails after an update: compare the pictures of a page before and after, check that the other tests of this file hold, and
    only then put the new version and digest into this test.
    """
    assert vl_convert.get_vega_version() == "6.2.0"
    drawn = vl_convert.vegalite_to_svg(declaration(DOTS), vl_version="6.1")
    assert hashlib.sha256(drawn.encode()).hexdigest() == DRAWN, drawn


def test_every_mark_says_its_sentence_and_nothing_else_speaks(svg):
    root = ElementTree.fromstring(svg)
    assert [node.get("data-t") for node in root.iter() if node.get("data-t") is not None] == ['one: 2 <">&', "two: 3"]
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'A "picture" & its label'
    assert not [node.tag for node in root.iter() if node is not root and (node.get("role") or node.get("aria-label"))]
    assert "graphics-symbol" in vl_convert.vegalite_to_svg(declaration(DOTS))  # which the clean-up removes
    assert "graphics-symbol" not in svg


def test_colours_are_variables_of_the_page(svg):
    assert "#0101" not in svg
    colours = {node.get(side) for node in ElementTree.fromstring(svg).iter() for side in ("fill", "stroke")} - {
        None,
        "none",
        "transparent",
    }
    assert {"var(--s1)", "var(--ink)", "var(--s2)", "var(--muted)", "var(--faint)"} == colours
    assert "ink" in [
        node.text for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")
    ]  # a word is no colour


def test_labels_that_vega_hides_are_left_out(svg):
    assert 'opacity="0"' in vl_convert.vegalite_to_svg(declaration(DOTS))
    assert 'opacity="0"' not in svg
    assert {"0.0", "1.0", "2.0"} <= set(re.findall(r">([\d.]+)</text>", svg))


def test_a_clean_up_leaves_no_empty_groups_and_no_size_but_that_of_the_picture(svg):
    assert not re.search(r"<g[^>]*>\s*</g>|<g[^>]*/>", svg)
    assert not re.search(r"aria-hidden|font-family|class=|\d\.\d{3}", svg)
    root = ElementTree.fromstring(svg)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert len(svg) < len(vl_convert.vegalite_to_svg(declaration(DOTS))) * 0.7


@pytest.mark.parametrize("there", [(), ("q5",), ("q0", "q4", "q1", "q3")])
def test_a_picture_without_some_marks_is_whole(there):
    """Vega draws a layer without marks as a group that closes itself."""
    table = pd.DataFrame(
        {"players": 3, "figure": f"q{k}", "value": float(k) if f"q{k}" in there or k == 2 else np.nan} for k in range(6)
    ).assign(low=np.nan, high=np.nan, n=90, deals=90)
    shown = Picture("x", "x", "spread", "x", tuple(Figure(f"q{k}", f"q{k}", "count") for k in range(6)), "X")
    svg = svg_of_page(drawn(declare(shown, table, {}).wide), "X")
    assert "3 players" in {node.text for node in ElementTree.fromstring(svg).iter()}
    assert "<g/>" not in svg


def test_only_coordinates_are_rounded_and_no_word_of_the_data():
    """Tips, labels and titles keep every digit and every letter, also those that look like markup."""
    said = [
        "agent:greed=0.125, wins 0.3046 (0.2968 to 0.3125), n = 20,000",
        'y <b x="1.2345" class="a"> & x=',
        "S1.005: -2.345",
    ]
    dots = {
        "data": {"values": [{"a": k / 7, "b": k / 3, "tip": tip, "name": tip} for k, tip in enumerate(said)]}, "width": 301, "height": 97,
        "layer": [
            {"mark": {"type": "point", "opacity": 0.987}, "encoding": {
                "x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "quantitative"}, "description": {"field": "tip"}}},
            {"mark": {"type": "text", "limit": 0}, "encoding": {
                "x": {"field": "a", "type": "quantitative"}, "text": {"field": "name"}}},
        ],
    }  # fmt: skip
    svg = svg_of_page(drawn(dots), "of greed=0.125")
    root = ElementTree.fromstring(svg)
    assert [node.get("data-t") for node in root.iter() if node.get("data-t") is not None] == said
    assert set(said) <= {node.text for node in root.iter()}
    assert root.get("aria-label") == "of greed=0.125"
    for node in root.iter():
        for name in ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r"):
            assert not re.search(r"\d\.\d{2}", node.get(name, "")), (name, node.get(name))


def test_two_drawings_are_equal_to_the_byte(svg):
    assert svg_of_page(drawn(DOTS), 'A "picture" & its label') == svg
    assert files_of(drawn(DOTS)) == files_of(drawn(DOTS))


def test_files_are_in_light_colours_on_paper():
    files = files_of(drawn(DOTS))
    assert sorted(files) == ["png", "svg"]
    assert files["png"][:8] == b"\x89PNG\r\n\x1a\n"
    svg = files["svg"].decode()
    assert "var(" not in svg
    assert "#0101" not in svg
    assert all(LIGHT[name] in svg for name in ("paper", "ink", "s1", "s2"))


def test_a_file_has_its_legend_in_lines_that_fit():
    legend = [(f"series & {k}", "s1", "diamond") for k in range(6)]
    plain, svg = files_of(drawn(DOTS))["svg"].decode(), files_of(drawn(DOTS), legend)["svg"].decode()
    ElementTree.fromstring(svg)
    assert svg.count("series &amp; ") == 6
    places = re.findall(r'translate\(([\d.]+),([\d.]+)\)" fill="#0b5fa5"', svg)
    wide, tall = (float(side) for side in re.search(r'width="([\d.]+)" height="([\d.]+)"', svg).groups())
    assert len(places) == 6
    assert all(float(x) < wide and float(y) < tall for x, y in places)
    assert len({y for _, y in places}) > 1
    assert "series" not in plain


def test_a_declaration_is_one_that_any_viewer_draws():
    whole = declaration({**DOTS, "description": "What it is."})
    assert whole["$schema"].endswith("/vega-lite/v6.json")
    assert whole["data"] == DOTS["data"]
    assert LIGHT["s1"] == whole["layer"][1]["encoding"]["color"]["value"]
    assert DOTS["layer"][1]["encoding"]["color"]["value"] == "s1"  # the declaration that was given stays as it is
    assert "<svg" in vl_convert.vegalite_to_svg(whole)


def test_a_limit_of_address_space_is_named_before_vega_ends_the_process():
    """V8 reserves some 64 GiB and ends the process with a signal where it may not."""
    words = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (8_000_000 << 10,) * 2)\n"
        "from strozzi_sim.pictures.vega import drawn\n"
        "drawn({'data': {'values': [{'x': 1}]}, 'mark': 'point'})\n"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.endswith(
        "StorageError: pictures cannot be drawn in 7,812 MiB of address space, the limit of this process; lift it, as with "
        "`ulimit -v unlimited`, and run again"
    )

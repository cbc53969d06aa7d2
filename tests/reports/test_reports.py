"""Tables, figures and the page of a report, on studies of a few hundred games of every game."""

import base64
import itertools
import json
import re
import tomllib
import zlib
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from strozzi_sim.reports import heat_panels
from strozzi_sim.reports.study_page import MAX_CELLS, MAX_SCENARIOS, StudyPage
from strozzi_sim.reports.writing import write_report
from strozzi_sim.studies.database import write_files
from strozzi_sim.studies.tables import study_tables

from paths import ROOT
from report_cells import CELL, FIGURE, cell
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import SCENARIO, Picture
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.pictures.chance import no_significant_difference
from strozzi_sim.pictures.heat import draw_panels
from strozzi_sim.pictures.heat_grid import TALLEST, grid_of, lines_of
from strozzi_sim.pictures.style import DIVERGING, SEQUENTIAL
from strozzi_sim.report.painter import Painter
from study_database import list_file

# Player counts of the study, another variant, what is said to be reconstructed, a picture and a heat map of every game.
CASES = {
    "strozzi": ((3, 5), "long-tracks", "29 ship cards", "ships", "flag-by-sail"),
    "medici_vs_strozzi": ((2,), "long", "the length of the monopoly tracks", "harbor-loads", "price-by-tiles-round"),
    "strasbourg": ((3, 4), "small-city", "what 7 of the 25 tasks ask for", "tasks-dots", "winning-bid-by-step"),
}


SLOW = {"medici_vs_strozzi": pytest.mark.slow, "strasbourg": pytest.mark.slow}


@pytest.fixture(scope="module", params=[pytest.param(name, marks=SLOW.get(name, ())) for name in CASES])
def game(request):
    return load_game(request.param)


@pytest.fixture(scope="module")
def counts(game):
    return CASES[game.name][0]


@pytest.fixture(scope="module")
def pages(game):
    return game.report


@pytest.fixture(scope="module")
def cells(game, counts):
    return [cell(game, players) for players in counts]


@pytest.fixture(scope="module")
def tables(game, pages, cells):
    return study_tables(game, cells, pages.PAGES, pages.HEATMAPS)


@pytest.fixture(scope="module")
def same(game, counts):
    """A line-up of identical agents, rotated."""
    return cell(game, counts[0], ",".join(["random"] * counts[0]), deals=60, chunks=6)


@pytest.fixture(scope="module")
def manifest(game, counts, pages):
    variant = resolve_variant(game, "base")
    return {
        "name": "a-b-test",
        "game": game.name,
        "seed": 2008,
        "plan": {
            "players": list(counts),
            "deals": 240,
            "chunks": 12,
            "seatings": "rotate",
            "lineups": [["random"]],
            "variants": {"base": variant.components},
        },
        "report": {"pages": list(pages.PAGES), "heatmaps": list(pages.HEATMAPS)},
        "plan_hash": "0123abcd",
        "versions": {"strozzi-sim": "0.1.0", "numpy": "2"},
        "reconstructed": {"base": list(variant.reconstructed)},
        "games": 480,
        "started": "2026-01-01T00:00:00+00:00",
        "command": "strozzi run <a & b>.toml",
    }


@pytest.fixture(scope="module")
def report(game, tables, manifest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return write_report(folder, manifest, tables, game)


# Tables


def test_columns_and_types(tables, pages):
    own = {"balance": [], "seats": ["seat"], "lineup": ["position", "agent"]}
    for name, table in tables.items():
        keys = own.get(name, ["row", "column"] if name.startswith("heat_") else list(table.columns[3:-6]))
        assert list(table.columns) == CELL + keys + FIGURE, name
        assert [str(kind) for kind in table[["players", "n", "deals"]].dtypes] == ["int64"] * 3
        assert [str(kind) for kind in table[["value", "low", "high"]].dtypes] == ["float64"] * 3
    heat = {"heat_" + name.replace("-", "_") for name in pages.HEATMAPS}
    assert set(tables) == {"seats", "lineup", *pages.PAGES} | heat
    assert str(tables["seats"]["seat"].dtype) == "int64"


def test_all_self_play_gives_an_empty_line_up_with_columns_and_types(game, tables, same):
    empty, full = tables["lineup"], study_tables(game, [same], (), {})["lineup"]
    assert len(empty) == 0
    assert len(full)
    assert list(empty.columns) == list(full.columns)
    assert list(empty.dtypes) == list(full.dtypes)


def test_values_lie_in_their_intervals_and_shares_between_0_and_1(tables):
    for name, table in tables.items():
        whole = table.dropna(subset=["value", "low", "high"])
        assert (whole["low"] <= whole["value"] + 1e-12).all(), name
        assert (whole["value"] <= whole["high"] + 1e-12).all(), name
        shares = whole[whole["figure"].str.contains("share") & ~whole["figure"].str.contains("minus")]
        assert shares["low"].ge(0).all(), name
        assert shares["high"].le(1).all(), name
        assert (table["n"] >= 0).all(), name
        assert table.loc[table["n"] < 30, "value"].isna().all(), name


def test_one_row_a_figure(tables):
    for name, table in tables.items():
        keys = [column for column in table.columns if column not in FIGURE[1:]]
        assert not table.duplicated(keys).any(), name


def test_the_widest_gap_is_that_of_the_seats(tables, counts):
    balance = tables["balance"].set_index(["players", "figure"])["value"]
    for players in counts:
        shares = tables["seats"].query("players == @players and figure == 'win_share'")["value"]
        assert shares.sum() == pytest.approx(1)
        assert balance[players, "seat_gap"] == pytest.approx(shares.max() - shares.min())
    assert list(tables["balance"]["players"].drop_duplicates()) == list(counts)


def test_identical_agents_differ_by_exactly_0(game, same):
    lineup = study_tables(game, [same], (), {})["lineup"]
    differences = lineup[lineup["figure"].str.endswith("_minus_position_0")]
    assert sorted(differences["position"].unique()) == list(range(1, same.players))
    assert len(differences) == 4 * (same.players - 1)
    assert (differences[["value", "low", "high"]] == 0).all(axis=None)


def test_pages_choose_tables(game, pages, cells):
    page, heat_map = pages.PAGES[1], CASES[game.name][4]
    found = study_tables(game, cells[:1], [page], {heat_map: pages.HEATMAPS[heat_map]})
    assert set(found) == {"balance", "seats", "lineup", page, "heat_" + heat_map.replace("-", "_")}


# The page


class Page(HTMLParser):
    """Checks that what opens is closed; collects ids, links, names of pictures and words."""

    EMPTY = frozenset({"meta", "br", "img", "link", "hr", "input"})

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.words, self.tags, self.pictures = [], [], [], [], [], []
        self.heat = 0

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if "link svg" in dict(attributes).get("class", ""):
            self.pictures.append(dict(attributes)["data-name"])
        self.heat += "heat" in dict(attributes).get("class", "").split() and tag == "table"
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "src", "xlink:href") and value:
                self.links.append(value)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def page(report):
    parser = Page()
    parser.feed(report.read_text("utf-8"))
    parser.close()
    return parser


@pytest.mark.slow
def test_the_page_is_whole(page, pages):
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    for anchor in (*pages.PAGES, "verdict", "heatmaps", "sure", "reconstructed"):
        assert anchor in page.ids


def test_the_page_needs_nothing_but_itself(page, report):
    for link in page.links:
        assert link.startswith("#")
        assert link[1:] in page.ids
    assert "url(http" not in report.read_text("utf-8")
    assert report.stat().st_size < 6_000_000


def drawn_by_count(name, count, counts):
    """Return the name of the drawing of a heat map at a player count."""
    return f"{name}--{count}-players" if len(counts) > 1 else name


def test_every_picture_is_a_file_named_on_the_page(page, pages, report, counts):
    files = sorted((report.parent / "figures").iterdir())
    stems = {file.stem for file in files}
    assert len(files) == 2 * len(stems)
    for file in files:
        assert file.suffix in (".png", ".svg")
        assert file.stat().st_size > 500
    maps = {drawn_by_count(f"heat-{name}", count, counts) for name in pages.HEATMAPS for count in counts}
    assert len(page.pictures) == len(set(page.pictures)) > 5
    assert stems == {*page.pictures, *maps}
    assert not list(report.parent.rglob("*.tmp"))


def test_every_heat_map_is_a_table_for_each_player_count_or_the_page_says_where_they_are(page, pages, tables, counts):
    cells = sum(len(table) for name, table in tables.items() if name.startswith("heat_"))
    anchors = {f"heat-{name}" for name in pages.HEATMAPS}
    if cells > MAX_CELLS:
        assert f"{len(anchors)} heat maps have more than 6,000 cells" in "".join(page.words)
        assert not anchors & set(page.ids)
    else:
        assert anchors <= set(page.ids)
        assert page.heat >= len(anchors) * len(counts)


def test_a_requested_heat_map_is_shown_and_not_hidden_or_missing_in_silence(game, pages, tables, manifest):
    """The first one is open on the page, below it the others can be opened; one without a value says why."""
    names = list(pages.HEATMAPS)[:3]
    empty, _, drawn = (f"heat_{name.replace('-', '_')}" for name in names)
    few = {name: table for name, table in tables.items() if not name.startswith("heat_")}
    few |= {drawn: tables[drawn], empty: tables[empty].assign(value=np.nan, low=np.nan, high=np.nan, n=12)}
    asked = {**manifest, "report": {"pages": ["balance"], "heatmaps": names}}
    section = StudyPage(asked, few, game, Painter()).content().sections[-1]
    assert section.anchor == "heatmaps"
    assert [item.anchor for item in section.items] == [f"heat-{names[2]}"]
    assert section.lead is section.items[0]
    said = " ".join(map(str, section.paragraphs))
    assert f"(<code>{names[0]}</code>), since every cell has too few events (at most 12) for a value" in said
    assert f"(<code>{names[1]}</code>), which these tables do not have" in said
    none = {**few, drawn: few[drawn].assign(value=np.nan)}
    bare = StudyPage(asked, none, game, Painter()).content().sections[-1]
    assert (bare.anchor, bare.items, len(bare.paragraphs)) == ("heatmaps", (), 3)


@pytest.mark.slow
def test_a_page_on_a_heat_map_begins_with_it(game, pages, tables, manifest):
    name = CASES[game.name][4]
    asked = {**manifest, "report": {"pages": ["balance"], "heatmaps": [name], "question": "heatmaps"}}
    content = StudyPage(asked, tables, game, Painter()).content()
    assert [item.anchor for item in content.hero] == [f"item-heat-{name}"]
    assert re.search(r"varies from .* to |known to differ", content.answer.verdict)
    assert content.answer.detail == pages.HEATMAPS[name].caption
    for number in content.answer.numbers:
        assert number.what.startswith(pages.HEATMAPS[name].figure.label)


def test_the_page_says_what_was_played_and_how_to_again(game, page):
    text = "".join(page.words)
    assert "A b test" in text
    assert "480 games in all" in text
    assert "strozzi run <a & b>.toml" in text
    assert "0123abcd" in text
    assert CASES[game.name][2] in text
    assert "no significant difference" in text or "; fair " in text
    assert "nan" not in text.lower().split()


def test_every_picture_is_drawn_wide_or_narrow_and_has_its_declaration(page, report):
    text = report.read_text("utf-8")
    packed = re.search(r'id="declarations">([^<]+)<', text)[1]
    declarations = json.loads(zlib.decompress(base64.b64decode(packed), -15))
    assert set(page.pictures) == set(declarations)
    assert "<!--picture" not in text
    assert text.count('<svg viewBox="0 0 ') - text.count('class="wide"') == len(declarations)
    assert all(each["$schema"] and each["description"] for each in declarations.values())


def test_every_tooltip_of_the_page_is_the_sentence_of_its_declaration(report):
    """Drawing and cleaning a picture changes no letter of what a mark says."""
    text = report.read_text("utf-8")
    packed = re.search(r'id="declarations">([^<]+)<', text)[1]
    declarations = json.loads(zlib.decompress(base64.b64decode(packed), -15))
    tips = {tip.replace("\N{NARROW NO-BREAK SPACE}", " ") for tip in _tips(declarations)}
    drawings = re.findall(r"<svg viewBox.*?</svg>", text, re.DOTALL)
    shown = {unescape(tip) for drawing in drawings for tip in re.findall(r' data-t="([^"]*)"', drawing)}
    assert len(shown) > 50
    assert {tip.replace("\N{NARROW NO-BREAK SPACE}", " ") for tip in shown} <= tips


def _tips(part):
    """Yield the sentences of marks anywhere in a declaration."""
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key == "tip" and isinstance(value, str))
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _tips(each)


@pytest.mark.slow
def test_the_same_tables_give_the_same_files(game, tables, manifest, report, tmp_path, counts):
    picture, heat_map = CASES[game.name][3:]
    kept = "heat_" + heat_map.replace("-", "_")
    few = {name: table for name, table in tables.items() if not name.startswith("heat_") or name == kept}
    again = write_report(tmp_path, manifest, few, game)
    for name in ("seats", picture, drawn_by_count(f"heat-{heat_map}", counts[0], counts)):
        for suffix in ("svg", "png"):
            file = f"figures/{name}.{suffix}"
            assert (again.parent / file).read_bytes() == (report.parent / file).read_bytes()


def test_a_report_of_little(tmp_path, game, same):
    """Few games, one page, a manifest with next to nothing in it, figures of an earlier report and of the user."""
    folder = tmp_path / "results"
    (folder / "figures").mkdir(parents=True)
    for name in ("old.png", "mine.png"):
        (folder / "figures" / name).write_bytes(b"old")
    with write_files(folder):
        pass
    list_file(folder, "figures/old.png")
    tables = study_tables(game, [same], ["balance"], {})
    parser = Page()
    parser.feed(write_report(folder, {"game": game.name}, tables, game).read_text("utf-8"))
    assert parser.open == []
    assert "ll agents win exactly equally often" in "".join(parser.words)
    assert not (folder / "figures" / "old.png").exists()
    assert (folder / "figures" / "mine.png").exists()


# Heat maps of many panels


def heat_table(cell_value, players=(3, 4), variants=("base",), lineups=("a",), shape=(4, 3), half=0.1):
    """A table heat_<name>; `cell_value` takes player count, line-up's number, row and column."""
    places = itertools.product(variants, enumerate(lineups), players, range(shape[0]), range(shape[1]))
    rows = [
        (count, variant, lineup, f"row {i}", str(j), "gain", value := float(cell_value(count, k, i, j)), value - half, value + half, 400, 400)
        for variant, (k, lineup), count, i, j in places
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*CELL, "row", "column", *FIGURE])


def drawn_of(table, **options):
    figure = Figure("gain", "coins gained", "amount")
    return draw_panels(HeatMap("Gains", "What is gained.", "row", "column", figure, None), table, {}, **options)


def panels_of(drawing):
    """The colours of each panel's cells, [cells, 4]; the colour scale left out."""
    found = [each.get_facecolor() for each in drawing.axes[0].collections if isinstance(each, PolyCollection)]
    return found[:-1]


def texts_of(drawing):
    return [text.get_text() for text in drawing.axes[0].texts]


@pytest.mark.parametrize("lineups", [("a",), ("a", "b"), tuple("abcdefgh")])
def test_all_panels_of_a_heat_map_have_one_scale(lineups):
    """The same value has the same colour everywhere, also where the other values of its panel are larger."""
    drawn = drawn_of(
        heat_table(lambda players, k, i, j: 5 if (i, j) == (0, 0) else players * (k + 1) + i, lineups=lineups)
    )
    panels = [panel for _, _, drawing in drawn.drawings for panel in panels_of(drawing)]
    assert len(panels) == 2 * len(lineups)
    assert np.ptp([panel[0] for panel in panels], axis=0).max() == 0
    assert len({tuple(panel[-1]) for panel in panels}) > 1


def test_colours_diverge_around_zero_where_figures_lie_below_it():
    blues = panels_of(drawn_of(heat_table(lambda players, k, i, j: i + j)).drawings[0][2])
    assert tuple(blues[0][0]) == SEQUENTIAL(0.0)
    cells = panels_of(drawn_of(heat_table(lambda players, k, i, j: 4 * (i - 1) if j else -3 * (i - 1))).drawings[0][2])[
        0
    ]
    middle, largest = cells[3], cells[-1]  # 0 in row 1, 8 in the last one
    assert tuple(middle) == DIVERGING(0.5)
    assert tuple(largest) == DIVERGING(1.0)
    assert cells[1][0] > cells[1][2]  # -4: orange, of the same strength as 4
    assert cells[7][0] < cells[7][2]  # 4: blue


def test_noise_is_said_to_be_none_and_has_one_colour():
    rng = np.random.default_rng(3)
    drawn = drawn_of(heat_table(lambda players, k, i, j: 2 + rng.normal() / 30 + (players == 4) * i, half=0.07))
    assert drawn.noise == "At 3 players no cells differ significantly."
    assert not drawn.flat
    flat, varied = panels_of(drawn.drawings[0][2])
    assert len(np.unique(flat, axis=0)) == 1
    assert len(np.unique(varied, axis=0)) > 4
    assert "3 players \N{ALMOST EQUAL TO}" in texts_of(drawn.drawings[0][2])
    both = drawn_of(heat_table(lambda players, k, i, j: 2 + rng.normal() / 30, half=0.07))
    assert both.flat
    assert both.noise == "No significant differences in any panel."
    no_intervals = heat_table(lambda players, k, i, j: 2).assign(low=np.nan, high=np.nan)
    assert drawn_of(no_intervals).noise == ""


@pytest.mark.parametrize("share", [False, True])
def test_noise_is_seldom_taken_for_a_pattern(share):
    """Without a correction for their number, among 30 figures two nearly always lie outside each other's intervals."""
    rng = np.random.default_rng(5)
    figures, sets, patterns = 30, 300, 0
    for _ in range(sets):
        value = 0.4 + 0.02 * rng.standard_normal(figures)
        n = np.full(figures, 600)
        patterns += not no_significant_difference(value, value - 0.0392, value + 0.0392, n, n, share=share)
    assert patterns <= sets // 20
    value[0] = 0.6
    assert not no_significant_difference(value, value - 0.0392, value + 0.0392, n, n, share=share)


@pytest.mark.slow
def test_no_variant_or_line_up_is_left_out_and_no_drawing_too_tall():
    lineups = [f"style-{k}" for k in range(10)]
    table = heat_table(lambda players, k, i, j: k + i - j, (3, 4, 5, 6), ("base", "long"), lineups, shape=(4, 7))
    drawn = drawn_of(table)
    assert [suffix for suffix, _, _ in drawn.drawings] == ["-base", "-long"]
    for _, variant, drawing in drawn.drawings:
        assert len(panels_of(drawing)) == 40
        assert {f"Variant: {variant}", *lineups, "3 players", "6 players"} <= set(texts_of(drawing))
        assert drawing.get_size_inches()[1] <= TALLEST + 0.5
    tall = drawn_of(heat_table(lambda players, k, i, j: k + i, (3, 4, 5, 6), lineups=lineups, shape=(36, 3)))
    assert len({suffix for suffix, _, _ in tall.drawings}) == len(tall.drawings) > 1
    assert sum(len(panels_of(drawing)) for _, _, drawing in tall.drawings) == 40
    sides = drawn_of(heat_table(lambda players, k, i, j: k + i, (2,), ("base", "long"), lineups))
    assert {"base", "long", *lineups} <= set(texts_of(sides.drawings[0][2]))
    alone = drawn_of(heat_table(lambda players, k, i, j: k + i, (2,), lineups=lineups))
    assert set(lineups) <= {text for _, _, drawing in alone.drawings for text in texts_of(drawing)}


@pytest.mark.parametrize("series", ["", SCENARIO])
def test_a_caption_counts_what_its_own_picture_leaves_out(series):
    """One that tells variants and line-ups apart draws all of them; others are drawn for the first few."""
    table = heat_table(lambda players, k, i, j: k, variants=("base", "long"), lineups=("a", "b", "c"))
    shown = Picture(
        "gains", "ports", "dots", "ports", (Figure("gain", "coins gained", "amount"),), "Gains", series=series
    )
    drawn = []
    painter = SimpleNamespace(
        parts=lambda shown, name, rows, *_: drawn.append(set(zip(rows["variant"], rows["lineup"], strict=True))) or []
    )
    naming = SimpleNamespace(of_all=dict, of=lambda variant, lineup: {})
    page = SimpleNamespace(
        _tables={"ports": table}, _first={"ports": table}, _naming=naming, _variants={}, _painter=painter, _tiers={}
    )
    item = StudyPage._item(page, shown)
    together = set().union(*drawn)
    assert len(together) == (6 if series else MAX_SCENARIOS)
    assert item.left_out == ("" if series else "The first 4 of 6; `tables/ports.csv` has all.")


@pytest.mark.parametrize("chosen", [[], ["flags"]])
def test_a_page_without_the_balance_still_begins_with_the_seats(tmp_path, chosen):
    strozzi = load_game("strozzi")
    tables = study_tables(strozzi, [cell(strozzi, 3, deals=60, chunks=6)], chosen, {})
    report = write_report(tmp_path, {"report": {"pages": chosen}}, tables, strozzi)
    parser = Page()
    parser.feed(report.read_text("utf-8"))
    assert parser.pictures[0] == "seats"
    assert ("flags" in parser.ids, "balance" in parser.ids) == (bool(chosen), False)


def test_the_study_of_all_heat_maps_names_them_all():
    study = tomllib.loads((ROOT / "experiments" / "strategy_heatmaps.toml").read_text("utf-8"))
    assert study["report"]["heatmaps"] == list(load_game("strozzi").report.HEATMAPS)


def test_a_line_up_stands_below_the_player_counts_that_it_plays_at():
    """Small panels have their titles at the head alone: an empty place, not the wrong column."""
    table = heat_table(lambda players, k, i, j: players + i + j, lineups=tuple("abcd"))
    table = table[(table["lineup"] != "d") | (table["players"] == 4)]
    shown = HeatMap("Gains", "What is gained.", "row", "column", Figure("gain", "coins gained", "amount"))
    found = heat_panels.panels_of(shown, table)
    band = found.bands[-1]
    assert (band.heading, [panel.players for panel in band.panels]) == ("d", [4])
    nothing, four = found.aligned(band)
    assert np.isnan(nothing.value).all()
    assert four is band.panels[0]
    lines = lines_of(grid_of(found, list("wxyz"), list("abc"), 2), found)
    assert {tuple(panel.title for panel in panels) for line in lines for _, panels in line.bands} == {
        ("3 players", "4 players")
    }
    assert texts_of(drawn_of(table).drawings[0][2]).count("n 1.2k") == 7

"""The explorer of a page: its packed numbers are those of the tables, and every question has an answer."""

import base64
import json
import re
import zlib
from collections import Counter

import pytest

import strozzi_sim as ss
from strozzi_sim.declare.pages import report_of
from strozzi_sim.report import explorer
from strozzi_sim.report.explorer import packed_explorer
from strozzi_sim.report.outline import Outline
from strozzi_sim.stats.intervals import MIN_EVENTS
from strozzi_sim.study.folders import study_of

pytestmark = pytest.mark.slow

GAMES = {"strozzi": [3, 4], "medici_vs_strozzi": [2], "strasbourg": [3]}
SLOW = {"strasbourg": pytest.mark.slow}
OWN = {"name": "late", "rows": "flag", "columns": "cards_left", "value": "mean prize", "where": "round == 3"}


@pytest.fixture(scope="module", params=[pytest.param(name, marks=SLOW.get(name, ())) for name in GAMES])
def results(request):
    keys = {
        "name": "x",
        "game": request.param,
        "players": GAMES[request.param],
        "deals": 60,
        "chunks": 12,
        "lineups": [["random"]],
    }
    own = [OWN] if request.param == "strozzi" else []
    study, look = study_of({**keys, "pages": ["balance"], "heatmap": own, "explorer": True})
    return ss.run(study, look=look, workers=1, progress=False)


def explored(results, tables, maps):
    outline = Outline(results)
    pictures = [each for section in outline.sections for each in section.shown if each.kind != "heat"]
    return packed_explorer("x", tables, results.study.the_game, maps, outline.words(), pictures)


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text), -15))


@pytest.fixture(scope="module")
def data(results):
    return unpacked(explored(results, results.tables, results.look.maps_in(results.study.the_game)))


def numbers_of(data, one):
    """Yield (cell, round, row, column, measure -> (n, (value, low, high) or None)) of a map, as page.js reads it."""
    numbers = iter(one["data"])
    for cell in data["cells"]:
        for round_ in one["rounds"]:
            for row in one["rows"]:
                for column in one["columns"]:
                    found = {}
                    for measure in one["measures"]:
                        n, sides = next(numbers), None
                        if n >= data["few"]:
                            value, below, more = next(numbers), next(numbers), next(numbers)
                            if value is not None:
                                ends = (None, None) if below is None else (value - below, value + below + more)
                                sides = tuple(
                                    side if side is None else side / measure["scale"] for side in (value, *ends)
                                )
                        found[measure["id"]] = n, sides
                    yield tuple(cell), round_, row, column, found
    assert next(numbers, "end") == "end"


def table_of(results, name):
    if name == "late":
        return results.tables["heat_late"].assign(round="all")
    explored = results.tables["explorer"]
    return explored[explored["map"] == name]


def test_the_numbers_are_those_of_the_tables(results, data):
    """Of every map, cell and round all values; at their place where names on the page are those of the table."""
    placed = 0
    for one in data["maps"]:
        table, scales = table_of(results, one["id"]), {measure["id"]: measure["scale"] for measure in one["measures"]}
        table = table[table["figure"].isin(scales) & (table["n"] > 0)]
        known = {
            (row.players, row.lineup, row.variant, row.round, row.row, row.column, row.figure): (
                row.value,
                row.low,
                row.high,
                row.n,
            )
            for row in table.itertuples(index=False)
        }
        wanted, found = Counter(), Counter()
        for (players, lineup, variant, round_, _, _, figure), (value, *_) in known.items():
            if value == value:
                wanted[players, lineup, variant, round_, figure, round(value * scales[figure])] += 1
        for (players, called, variant), round_, row, column, measures in numbers_of(data, one):
            lineup = {"random moves": "random"}[called]
            for figure, (n, sides) in measures.items():
                if sides is None:
                    continue
                value, low, high = sides
                assert n >= MIN_EVENTS
                assert low is None or low <= value <= high
                found[players, lineup, variant, round_, figure, round(value * scales[figure])] += 1
                key = (players, lineup, variant, round_, row, column, figure)
                if key in known:
                    placed += 1
                    step = 0.5001 / scales[figure]
                    assert value == pytest.approx(known[key][0], abs=step), key
                    if low is not None:
                        assert low == pytest.approx(known[key][1], abs=2 * step), key
                        assert high == pytest.approx(known[key][2], abs=2 * step), key
                    assert n == known[key][3]
        assert found == wanted, one["id"]
        assert found, one["id"]
    assert placed > 200


def test_every_map_of_the_game_and_of_the_study_is_there(results, data):
    blocks = {name: heat_map.block for name, heat_map in report_of(results.study.the_game).heat_maps.items()}
    there = {one["id"] for one in data["maps"]}
    empty = {
        name
        for name in report_of(results.study.the_game).explored(results.study.the_game.fact_tables)
        if not table_of(results, name)["value"].notna().any()
    }
    assert {name for name in blocks if blocks[name] not in [blocks[each] for each in there if each in blocks]} <= {
        name for name in blocks if blocks[name] in [blocks[each] for each in empty]
    }
    assert len(empty) < len(there) / 3
    assert ("late" in there) == (results.study.the_game.name == "strozzi")
    assert any(len(one["rounds"]) > 2 for one in data["maps"])


def test_every_question_names_a_map_and_a_measure_of_it(results, data):
    assert len(data["presets"]) >= 12
    maps = {one["id"]: {measure["id"] for measure in one["measures"]} for one in data["maps"]}
    for question, name, measure in data["presets"]:
        assert question in report_of(results.study.the_game).questions or name == "late"
        assert measure in maps[name]
    assert len({tuple(preset[1:]) for preset in data["presets"]}) > 8
    assert data["first"] in results.study.the_game.player_counts


def test_every_measure_says_what_it_is(results, data):
    """A map of games won or of coins has not the caption of the shares that the same block counts."""
    every = results.look.maps_in(results.study.the_game) | dict(report_of(results.study.the_game).heat_maps)
    for one in data["maps"]:
        shown = {each.figure.name: each for each in every.values() if each.block == every[one["id"]].block}
        for measure in one["measures"]:
            if measure["id"] in shown:
                captions = [each.caption for each in every.values() if each.figure.name == measure["id"]]
                assert any(measure["means"].endswith(caption) for caption in captions), measure
            else:
                assert re.match(
                    rf"{re.escape(measure['label'])}: (sum of|number of) ", measure["means"], re.IGNORECASE
                ), measure
            if "add up to 100 %" in measure["means"]:
                assert measure["id"].startswith("share"), measure
    assert len({measure["means"] for one in data["maps"] for measure in one["measures"]}) > 12


def test_the_page_has_it(results, tmp_path):
    page = results.report(tmp_path / "page.html").read_text("utf-8")
    (cube,) = re.findall(r'<script type="text/plain" id="cube">([^<]+)</script>', page)
    assert unpacked(cube)["cells"] == [
        [players, "random moves", "base"] for players in GAMES[results.study.the_game.name]
    ]


def test_a_study_without_it_has_none(monkeypatch, results):
    bare = {name: table for name, table in results.tables.items() if name not in ("explorer", "heat_late")}
    assert explored(results, bare, {}) == ""
    monkeypatch.setattr(explorer, "MAX_ROWS", 100)
    assert explored(results, results.tables, {}) == ""

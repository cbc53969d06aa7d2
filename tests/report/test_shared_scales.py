"""Pictures laid beside each other share one scale: of a picture of every kind, and of every picture of a game in two variants and two line-ups."""

import itertools

import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

import strozzi_sim as ss
from drawn import panels
from report_cells import cell, tables_of
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import Board, Picture, Place
from strozzi_sim.errors import ArgumentError
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import load_game
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.ink import NARROW
from strozzi_sim.report.outline import Outline
from strozzi_sim.study.look import Look
from strozzi_sim.study.results import Frames, Results

FIGURES = tuple(Figure(name, name, "amount") for name in ("a", "b", "c", "d", "e", "f"))
BOARD = Board(2, 1, {"1": Place(0.5, 0.5), "2": Place(1.5, 0.5)}, {"square": "a space"})
KINDS = {
    "intervals by level": {"kind": "intervals", "x": "level", "figures": FIGURES[:1]},
    "intervals by players": {"kind": "intervals", "x": "players", "figures": FIGURES[:2], "series": "level"},
    "lines": {"kind": "lines", "x": "level", "figures": FIGURES[:1]},
    "dots": {"kind": "dots", "x": "level", "figures": FIGURES[:2], "series": "players"},
    "bars": {"kind": "bars", "x": "level", "figures": FIGURES[:3]},
    "spread": {"kind": "spread", "figures": FIGURES},
    "board": {"kind": "board", "x": "level", "figures": FIGURES[:1], "board": lambda data: BOARD},
}
VALUES = ["value", "low", "high"]


def spread_out(table):
    """Return the rows of a cell as those of two variants with two line-ups each, which differ in range."""
    scenes = enumerate(itertools.product(("base", "long"), ("few", "many")))
    parts = []
    for k, (variant, lineup) in scenes:
        rows = table.assign(variant=variant, lineup=lineup)
        rows[VALUES] = rows[VALUES] * (0.7 + 0.1 * k)
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def album():
    """Return every picture of the game that has one of each kind, drawn in two variants with two line-ups."""
    game = load_game("strasbourg")
    one = cell(game, 3)
    tables = {name: spread_out(table) for name, table in tables_of(game, [one], report_of(game).pages, {}).items()}
    study = ss.Study.of(game=game.name, players=[3], lineups=[["random"]], deals=one.deals)
    shown = Results(study, Look(name="x"), Frames(tables))
    outline, found = Outline(shown), {}
    outline.variants = dict.fromkeys(("base", "long"), one.components)
    for section in outline.sections:
        for picture in section.shown:
            if picture.kind != "table":
                found[picture.name] = picture, [chart for _, chart in outline.parts(section, picture)]
    return {name: each for name, each in found.items() if each[1]}


def scale_of(picture, drawn):
    """Return what tells the scale of a picture: the ends of its axes of numbers, and of a board what its colours mean."""
    if picture.kind == "board":
        return drawn.legend[0]
    upright = {panel for panel in panels(drawn) if "x" in panel.levels}
    return [
        [panel.y if upright else panel.x, *([panel.y] if "y" in panel.scales else [])]
        for width in (drawn.width, NARROW)
        for panel in panels(drawn, width)
    ]


@pytest.mark.parametrize("kind", [*KINDS, "scatter"])
def test_a_picture_of_every_kind_is_drawn_on_axes(kind):
    keys = {"kind": "scatter", "x": "level", "figures": FIGURES[:2]} if kind == "scatter" else KINDS[kind]
    picture, axes = Picture("x", "", table="", title="X", **keys), Canvas().subplots()
    drawn = draw_picture(picture, rows_of_cell("few", 1.0, 1 if kind == "spread" else 2), {}, {"": 0})
    drawn.on(axes, None)
    assert axes.collections
    one = len({mark.get("panel") for mark in drawn.marks}) > 1 and kind != "dots" and "players" not in kind
    if one:
        assert axes.get_title("left") == "4 players"
        with pytest.raises(ArgumentError, match=r"players: 7: this picture has \[3, 4\]"):
            drawn.on(axes, 7)


def rows_of_cell(lineup, factor, levels):
    """Return figures of two player counts with as many levels, as large as the factor."""
    return pd.DataFrame(
        {
            "players": players, "variant": "base", "lineup": lineup, "level": str(level), "figure": figure.name,
            "value": factor * (k + level), "low": factor * (k + level - 0.5), "high": factor * (k + level + 0.5), "n": 90, "deals": 90,
        }
        for players in (3, 4) for level in range(1, levels + 1) for k, figure in enumerate(FIGURES)
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_drawings_that_are_compared_share_one_scale(kind):
    picture = Picture("x", "", table="", title="X", **KINDS[kind])
    few, many = (
        rows_of_cell("few", 1.0, 1 if kind == "spread" else 2),
        rows_of_cell("many", 2.0 if kind == "spread" else 7.0, 1 if kind == "spread" else 2),
    )
    every = pd.concat([few, many])
    alone = [scale_of(picture, draw_picture(picture, rows, {}, {"": 0})) for rows in (few, many)]
    beside = [scale_of(picture, draw_picture(picture, rows, {}, {"": 0}, every)) for rows in (few, many)]
    assert alone[0] != alone[1]
    assert beside[0] == beside[1]
    assert all(beside[0])


def test_a_spread_has_an_axis_of_its_own_if_another_is_far_wider():
    picture, few, many = (
        Picture("x", "", table="", title="X", **KINDS["spread"]),
        rows_of_cell("few", 1.0, 1),
        rows_of_cell("many", 7.0, 1),
    )
    every = pd.concat([few, many])
    alone = scale_of(picture, draw_picture(picture, few, {}))
    assert scale_of(picture, draw_picture(picture, few, {}, compared=every)) == alone
    assert scale_of(picture, draw_picture(picture, many, {}, compared=every)) != alone


def test_a_level_lies_at_the_same_place_in_lines_that_are_compared():
    picture = Picture("x", "", table="", title="X", **KINDS["lines"])
    few, many = rows_of_cell("few", 1.0, 3), rows_of_cell("many", 1.0, 9)
    for rows in (few, many):
        drawn = draw_picture(picture, rows, {}, None, pd.concat([few, many]))
        assert {panel.levels["x"] for panel in panels(drawn)} == {tuple("123456789")}


@pytest.mark.slow
def test_variants_and_line_ups_share_the_scale_of_every_picture(album):
    assert len(album) > 3
    for name, (picture, drawings) in album.items():
        assert len(drawings) == (1 if picture.series == "scenario" else 4), name
        first, *others = [scale_of(picture, drawing) for drawing in drawings]
        assert all(other == first for other in others), name

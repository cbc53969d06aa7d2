"""Pictures and findings of a sweep: planted curves, values that are equal, and the pages of small sweeps."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.reports.sweep_findings import Sweep
from strozzi_sim.reports.sweep_pictures import draw_sweep

ERROR = 0.01  # half width of an interval
VALUES = [0, 5, 10, 20]


def planted(curves, keys=("k",), values=None, figure="tie_share", noise=ERROR):
    """Return a sweep whose figure has these values, by players; the first variant is the first value."""
    values = values or [(value,) for value in VALUES]
    rows, changes = [], []
    for players, curve in curves.items():
        for number, (at, value) in enumerate(zip(values, curve, strict=True)):
            cell = {"players": players, "variant": f"v{number}", "lineup": "random"}
            own = {
                "figure": figure,
                "value": value,
                "low": value - noise,
                "high": value + noise,
                "n": 900,
                "deals": 900,
            }
            rows.append(cell | dict(zip(keys, map(float, at), strict=True)) | own)
            if number:
                less = value - curve[0]
                own = {
                    "figure": figure,
                    "value": less,
                    "low": less - noise,
                    "high": less + noise,
                    "n": 900,
                    "deals": 900,
                }
                changes.append(cell | {"than": "v0", "table": "balance", "level": ""} | own)
    manifest = {"report": {"sweep": {key: [] for key in keys}}}
    return Sweep(manifest, {"sweep": pd.DataFrame(rows), "changes": pd.DataFrame(changes)}, {})


def test_a_planted_minimum_is_named_with_its_games_and_its_test():
    said = planted({4: [0.5, 0.2, 0.3, 0.6]}).headline("tie_share")
    assert said.startswith("At 4 players (random), ")
    assert "lowest at `k` = 5 (20\N{NARROW NO-BREAK SPACE}%)" in said
    assert "highest at 20 (60\N{NARROW NO-BREAK SPACE}%)" in said
    assert said.endswith("both significantly different from that at 0, the first (50\N{NARROW NO-BREAK SPACE}%).")
    assert "cannot be told apart" not in said
    only = planted({4: [0.5, 0.2, 0.3, 0.5]}).headline("tie_share")
    assert "highest" not in only
    assert "significantly lower than at 0" in only


def test_equal_values_cannot_be_told_apart():
    for curve in ([0.5, 0.5, 0.5, 0.5], [0.5, 0.503, 0.498, 0.501]):
        said = planted({4: curve}).headline("tie_share")
        assert "cannot be told apart at any of the 4 values of `k` from that at 0, the first" in said
        assert "lowest" not in said
    several = planted({3: [0.5] * 4, 4: [0.4] * 4}).headline("tie_share")
    assert several.startswith("At 3 and 4 players (random), ")
    assert "cannot be told apart" in several


def test_values_near_the_lowest_are_counted():
    said = planted({4: [0.5, 0.2, 0.205, 0.6]}).headline("tie_share")
    assert "lowest at `k` = 5 (20\N{NARROW NO-BREAK SPACE}%; 1 more cannot be told apart from it)" in said


def test_differences_are_corrected_for_the_number_of_values():
    """One of two values 1.2 half widths away is significant alone; of 40 values it is not."""
    few = planted({4: [0.5, 0.488]}, values=[(0,), (1,)])
    assert list(few.rows("tie_share")["changed"]) == [0, -1]
    many = planted({4: [0.5, 0.488, *[0.5] * 38]}, values=[(k,) for k in range(40)])
    assert not many.rows("tie_share")["changed"].any()


def test_the_first_value_is_first_in_the_list_not_the_smallest():
    sweep = planted({4: [0.5, 0.2, 0.3, 0.6]}, values=[(20,), (0,), (5,), (10,)])
    rows = sweep.rows("tie_share")
    assert list(rows["k"]) == [0, 5, 10, 20]
    assert list(rows["first"]) == [False, False, False, True]
    assert "at 20, the first" in sweep.headline("tie_share")


def test_panels_of_a_curve_share_one_scale_and_open_dots_are_not_told_apart():
    drawing = draw_sweep(planted({3: [0.5, 0.2, 0.5, 0.6], 4: [0.9, 0.9, 0.9, 0.9]}), "tie_share")
    drawing.canvas.draw()
    one, two = drawing.axes
    assert one.get_ylim() == two.get_ylim()
    assert one.get_xlim() == two.get_xlim()
    assert [axes.get_title(loc="left") for axes in drawing.axes] == ["3 players", "4 players"]
    faces = [dots.lines[0].get_markerfacecolor() for dots in two.containers]
    assert len(faces) == 2  # the first value, and those that cannot be told apart from it
    assert faces[0] != faces[1] == "#ffffff"
    assert len(one.containers) == 3


@pytest.mark.parametrize("values", [[0, 1, 2, 3, 100], list(range(0, 4000, 100)), [0.125, 0.25, 0.5, 1]])
def test_names_and_numbers_of_a_curve_do_not_touch(values):
    curve = np.linspace(0.2, 0.6, len(values))
    drawing = draw_sweep(planted(dict.fromkeys((3, 4, 5, 6), curve), values=[(each,) for each in values]), "tie_share")
    drawing.canvas.draw()
    whole = drawing.bbox
    for axes in drawing.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert len(boxes) > 1
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
        for text in (*axes.texts, axes.title):
            box = text.get_window_extent()
            assert box.x0 >= whole.x0
            assert box.x1 <= whole.x1
            assert box.y1 <= whole.y1


def grid(curve):
    places = list(itertools.product([0, 5, 10], [0.5, 1, 2.5]))
    return planted({4: curve}, ("rows.key", "columns.key"), places)


def test_cells_of_a_map_that_cannot_be_told_apart_have_one_colour():
    curve = [0.5, 0.5, 0.2, 0.502, 0.499, 0.8, 0.5, 0.5, 0.5]
    drawing = draw_sweep(grid(curve), "tie_share")
    cells = drawing.axes[0].collections[0].get_facecolors()
    assert len(cells) == 9
    grey = [tuple(cells[k]) for k in (0, 1, 3, 4, 6, 7, 8)]
    assert len(set(grey)) == 1
    assert tuple(cells[2]) != grey[0] != tuple(cells[5]) != tuple(cells[2])
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert {"0.5", "1", "2.5"} <= set(texts)
    assert texts.index("0.5") < texts.index("1") < texts.index("2.5")
    (frame,) = drawing.axes[0].patches
    assert (frame.get_x(), frame.get_y()) == tuple(drawing.axes[0].collections[0].get_paths()[0].vertices[0])


def test_two_keys_are_named_with_both_values():
    said = grid([0.5, 0.5, 0.2, 0.5, 0.5, 0.8, 0.5, 0.5, 0.5]).headline("tie_share")
    assert "lowest at `rows.key` = 0 and `columns.key` = 2.5" in said
    assert "highest at 5 and 2.5" in said
    assert "at 0 and 0.5, the first" in said


def study(sweep, **keys):
    plan = {
        "name": "s",
        "game": "strozzi",
        "players": [3, 4],
        "deals": 120,
        "lineups": [["random"]],
        "report": {"pages": []},
    }
    return ss.Study(**{**plan, **keys}, sweep=sweep)


@pytest.mark.parametrize(
    "sweep", [{"tracks.bonus.9": [0, 40, 80]}, {"tracks.bonus.9": [0, 80], "tracks.bonus.8": [10, 60]}]
)
def test_the_page_of_a_sweep(sweep, tmp_path):
    results = ss.sweep(study(sweep), folder=tmp_path / "r")
    page = results.report().read_text("utf-8")
    (head,) = results.findings
    assert len(re.findall(r"\.(?: |$)", head)) == 1  # one sentence
    assert "gap between the seats" in head
    names = ["seat-gap", "score-mean", "margin-mean", "decisions-mean"]
    assert [name for name in names if (tmp_path / "r" / "figures" / f"sweep-{name}.png").is_file()] == names
    assert page.count('id="item-sweep-') == 4
    assert 'id="changes"' not in page
    assert "the mean score is highest at" in page
    assert page.index('id="sweep"') < page.index('id="plan"')
    assert "tracks-bonus-9-0" not in page.partition("<section")[0]


def test_any_figure_of_the_table_can_be_drawn():
    results = ss.sweep(study({"tracks.bonus.9": [0, 40, 80]}))
    assert results.pictures[0] == "sweep-seat-gap"
    known = set(results.tables["sweep"].dropna(subset="value")["figure"])
    assert {f"sweep-{figure.replace('_', '-')}" for figure in known} <= set(results.pictures)
    drawing = results.plot("sweep-winner-score-mean")
    assert "highest at tracks.bonus.9 = 80" in drawing.title
    assert len(drawing.figures) == 1
    with pytest.raises(InputError, match="no picture 'sweep-winer-score'"):
        results.plot("sweep-winer-score")

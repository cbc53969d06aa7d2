"""Pictures and findings of a sweep: planted curves, values that are equal, and the pages of small sweeps."""

import html
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.reports.findings import with_scenario
from strozzi_sim.reports.sweep_findings import Sweep
from strozzi_sim.reports.sweep_pictures import declare_curves, heat_map_of, sweep_of

import strozzi_sim as ss
from declared import domain, layers, marks, panels, texts
from strozzi_sim.errors import InputError
from strozzi_sim.game.reporting import THIN
from strozzi_sim.pictures.marks import legend_of
from strozzi_sim.report.heat_tables import heat_tables

ERROR = 0.01  # half width of an interval
VALUES = [0, 5, 10, 20]


def planted(curves, keys=("k",), values=None, figure="tie_share", noise=ERROR):
    """Return a sweep whose figure has these values, by players; the first variant is the first value."""

    def of_figure(value):
        return {"figure": figure, "value": value, "low": value - noise, "high": value + noise, "n": 900, "deals": 900}

    values = values or [(value,) for value in VALUES]
    rows, changes = [], []
    for players, curve in curves.items():
        for number, (at, value) in enumerate(zip(values, curve, strict=True)):
            cell = {"players": players, "variant": f"v{number}", "lineup": "random"}
            rows.append(cell | dict(zip(keys, map(float, at), strict=True)) | of_figure(value))
            if number:
                changes.append(cell | {"than": "v0", "table": "balance", "level": ""} | of_figure(value - curve[0]))
    manifest = {"report": {"sweep": {key: [] for key in keys}}}
    return Sweep(manifest, {"sweep": pd.DataFrame(rows), "changes": pd.DataFrame(changes)}, {})


def test_a_planted_minimum_is_named_with_its_games_and_its_test():
    said = planted({4: [0.5, 0.2, 0.3, 0.6]}).headline("tie_share")
    assert said.startswith("At 4 players (random), ")
    assert "lowest at `k` = 5 (20\N{NARROW NO-BREAK SPACE}%)" in said
    assert "highest at 20 (60\N{NARROW NO-BREAK SPACE}%)" in said
    assert said.endswith("both significantly different from that at 0, the first value (50\N{NARROW NO-BREAK SPACE}%).")
    assert "cannot be told apart" not in said
    only = planted({4: [0.5, 0.2, 0.3, 0.5]}).headline("tie_share")
    assert "highest" not in only
    assert "significantly lower than at 0" in only


def test_equal_values_cannot_be_told_apart():
    for curve in ([0.5, 0.5, 0.5, 0.5], [0.5, 0.503, 0.498, 0.501]):
        said = planted({4: curve}).headline("tie_share")
        assert "cannot be told apart at any of the 4 values of `k` from that at 0, the first value" in said
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
    assert list(rows["reference"]) == [False, False, False, True]
    assert "at 20, the first value" in sweep.headline("tie_share")


def gaps(curve, noise=ERROR, values=None, players=(4,)):
    """Return a sweep of the gap between the seats, whose gap by chance is planted with it."""
    sweep = planted(dict.fromkeys(players, curve), values=values, figure="seat_gap", noise=noise)
    table = sweep._table.assign(low=np.nan, high=np.nan)
    chance = table.assign(figure="seat_gap_by_chance", value=noise)
    tables = {"sweep": pd.concat([table, chance], ignore_index=True), "changes": sweep._changes}
    return Sweep({"report": {"sweep": {"k": []}}}, tables, {})


@pytest.mark.parametrize(
    ("curve", "noise", "verdict"),
    [
        ([0.10, 0.04, 0.045, 0.12], 0.01, "The seats are most equal at k = 5: 4.0 points apart, 10.0 points at 0, the first value; 10 cannot be told apart from 5."),
        ([0.10, 0.04, 0.08, 0.12], 0.01, "The seats are most equal at k = 5: 4.0 points apart, 10.0 points at 0, the first value; every other value is less fair."),
        ([0.10, 0.11, 0.09, 0.16], 0.02, "No value of k is known to be fairer than 0, the first value; 20 is less fair; a gap smaller by up to 3.5 points could be missed."),
        ([0.10, 0.10, 0.10, 0.10], 0.02, "No value of k is known to be fairer than 0, the first value; a gap smaller by up to 2.5 points could be missed."),
    ],
)  # fmt: skip
def test_the_fairest_values_are_named_with_their_ties(curve, noise, verdict):
    answer = gaps(curve, noise).answer()
    assert answer.verdict.replace(THIN, " ") == verdict
    assert len(answer.numbers) == 3
    for number in answer.numbers:
        assert float(number.half_width) == pytest.approx(100 * noise)
        assert number.what.startswith("points between the seats at ")
    assert sum("the first value" in number.what for number in answer.numbers) == 1


def test_values_are_ranked_and_those_that_may_be_as_low_stand_together():
    ranked = gaps([0.10, 0.04, 0.045, 0.03], 0.02, players=(3, 4)).ranked()
    rows = ranked[ranked["figure"] == "seat_gap"]
    assert list(zip(rows["players"], rows["k"], rows["seats"], strict=True)) == [
        (players, *each)
        for players in (3, 4)
        for each in [
            (20, "lowest gap"),
            (5, "not told apart from it"),
            (10, "not told apart from it"),
            (0, "larger gap"),
        ]
    ]
    assert (rows["high"] - rows["value"]).to_numpy() == pytest.approx(0.02)
    assert len(ranked) == 2 * len(rows)  # the gap by chance too


def test_several_player_counts_are_answered_together():
    assert gaps([0.1, 0.1, 0.1, 0.1], players=(3, 4)).answer().verdict.startswith("No value of k is known to be fairer")
    verdict = gaps([0.1, 0.04, 0.1, 0.1], players=(3, 4)).answer().verdict
    assert verdict.startswith("At 3 players, the seats are most equal at k = 5")
    assert verdict.endswith("in 2 of 2 combinations of players and line-up.")


def test_seven_values_and_more_are_drawn():
    values = [(k,) for k in range(9)]
    (panel,) = curves(gaps(np.linspace(0.02, 0.2, 9), values=values), "seat_gap")
    assert sorted(mark["at"] for mark in marks(panel)) == [float(k) for k in range(9)]
    shares = [
        {"players": 3, "variant": f"v{k}", "lineup": "random", "seat": seat, "figure": "win_share", "value": 1 / 3, "low": 0.3, "high": 0.36,
         "n": 900, "deals": 900}
        for k in range(9) for seat in range(3)
    ]  # fmt: skip
    kept = with_scenario(pd.DataFrame(shares))
    assert kept["scenario"].nunique() == 9
    assert (
        len(set(legend_of([f"v{k}" for k in range(12)])))
        == len({look[1:] for look in legend_of([f"v{k}" for k in range(12)])})
        == 12
    )


def test_the_reference_is_the_published_value_where_it_is_swept(tmp_path):
    found = ss.run(study({"tracks.bonus.9": [0, 15, 40]}, players=[3], deals=60))
    assert set(found.tables["changes"]["than"]) == {"tracks-bonus-9-15"}
    assert "15, the published value" in found.findings[0]
    sweep = sweep_of(found.manifest, found.tables, found.game)
    assert sweep.caveats() == ["`tracks.bonus.9` = 15 in the published game is reconstructed: no source gives it"]
    other = ss.run(study({"tracks.bonus.9": [0, 40]}, players=[3], deals=60))
    assert "than 0, the first value" in other.findings[0]
    assert "which is not among the values" in sweep_of(other.manifest, other.tables, other.game).caveats()[1]
    asked = ss.run(study({"tracks.bonus.9": [0, 15]}, players=[3], deals=60, question="seats"))
    assert "fair" in asked.findings[0]
    page = asked.report(tmp_path / "page.html").read_text("utf-8")
    assert '<p class="caveat"><code>tracks.bonus.9</code> = 15 in the published game is reconstructed' in page
    assert page.count('class="link svg" data-name="sweep-seat-gap"') == 1  # the picture of the answer


def curves(sweep, figure="tie_share"):
    return panels(declare_curves(sweep, sweep.figure(figure), sweep.rows(figure)).wide)


def test_panels_of_a_curve_share_one_scale_and_open_dots_are_not_told_apart():
    one, two = curves(planted({3: [0.5, 0.2, 0.5, 0.6], 4: [0.9, 0.9, 0.9, 0.9]}))
    assert (one["title"], two["title"]) == ("3 players", "4 players")
    assert domain(one, "y") == domain(two, "y")
    assert domain(one, "x") == domain(two, "x")
    assert domain(one, "y")[1] > 91
    for panel, kinds in ((one, "reference told open told"), (two, "reference open open open")):
        assert " ".join(mark["kind"] for mark in sorted(marks(panel), key=lambda mark: mark["at"])) == kinds
    looks = {rows[0]["kind"]: (mark["shape"], mark["fill"]) for _, rows, mark in layers(one, "point")}
    assert len(set(looks.values())) == 3
    assert looks["open"] == ("circle", "paper")
    (line,) = [encoding["y"]["datum"] for encoding, _, mark in layers(one, "rule") if mark.get("strokeDash")]
    assert line == 50


def test_dots_of_a_curve_have_value_interval_and_n():
    (panel,) = curves(planted({4: [0.5, 0.2, 0.3, 0.6]}))
    found = {mark["at"]: mark for mark in marks(panel)}
    assert list(found) == VALUES or sorted(found) == VALUES
    assert (found[5]["low"], found[5]["value"], found[5]["high"]) == (
        pytest.approx(19),
        pytest.approx(20),
        pytest.approx(21),
    )
    assert found[5]["tip"] == "4 players, k = 5: 20 % (19 to 21), n = 900"


def test_the_first_value_and_the_ends_that_differ_from_it_are_written():
    assert sorted(texts(*curves(planted({4: [0.5, 0.2, 0.3, 0.6]})))) == ["20 %", "50 %", "60 %"]
    assert texts(*curves(planted({4: [0.5, 0.5, 0.5, 0.5]}))) == ["50 %"]


@pytest.mark.parametrize("values", [[0, 1, 2, 3, 100], list(range(0, 4000, 100)), [0.125, 0.25, 0.5, 1]])
def test_a_curve_is_over_its_values_where_they_lie(values):
    curve = np.linspace(0.2, 0.6, len(values))
    found = curves(planted(dict.fromkeys((3, 4, 5, 6), curve), values=[(each,) for each in values]))
    assert len(found) == 4
    for panel in found:
        assert sorted(mark["at"] for mark in marks(panel)) == values
        left, right = domain(panel, "x")
        assert left < values[0]
        assert values[-1] < right
        axis = next(encoding["x"]["axis"] for encoding, _, _ in layers(panel, "point"))
        assert axis["values"] == values
        assert axis["labelOverlap"] is True  # numbers that would touch are left out


def grid(curve):
    places = list(itertools.product([0, 5, 10], [0.5, 1, 2.5]))
    return planted({4: curve}, ("rows.key", "columns.key"), places)


def test_cells_of_a_map_that_cannot_be_told_apart_have_no_colour():
    sweep = grid([0.5, 0.5, 0.2, 0.502, 0.499, 0.8, 0.5, 0.5, 0.5])
    heat_map, table = heat_map_of(sweep, sweep.figure("tie_share"), sweep.rows("tie_share"))
    heat = heat_tables(heat_map, table, {})
    assert (heat.row_label, heat.column_label, heat.columns) == ("rows.key", "columns.key", ("0.5", "1", "2.5"))
    assert heat.note == "uncoloured: not told apart from the framed cell"
    (panel,) = heat.panels
    cells = {(name, column): cell for name, row in panel.rows for column, cell in zip(heat.columns, row, strict=True)}
    assert [cell.text for cell in cells.values()] == ["50", "50", "20", "50", "50", "80", "50", "50", "50"]
    coloured = {place for place, cell in cells.items() if float(cell.part) > 0}
    assert coloured == {("0", "2.5"), ("5", "2.5")}
    assert cells["0", "2.5"].classes == "neg"
    assert cells["5", "2.5"].classes == ""
    assert [place for place, cell in cells.items() if "marked" in cell.classes] == [("0", "0.5")]


def test_two_keys_are_named_with_both_values():
    said = grid([0.5, 0.5, 0.2, 0.5, 0.5, 0.8, 0.5, 0.5, 0.5]).headline("tie_share")
    assert "lowest at `rows.key` = 0 and `columns.key` = 2.5" in said
    assert "highest at 5 and 2.5" in said
    assert "at 0 and 0.5, the first values" in said


def study(sweep, **keys):
    plan = {"name": "s", "game": "strozzi", "players": [3, 4], "deals": 120, "lineups": [["random"]]}
    return ss.Study(**{**plan, "report": {"pages": []}, **keys}, sweep=sweep)


@pytest.mark.slow_for("sweep1")
@pytest.mark.parametrize(
    "sweep", [{"tracks.bonus.9": [0, 40, 80]}, {"tracks.bonus.9": [0, 80], "tracks.bonus.8": [10, 60]}]
)
def test_the_page_of_a_sweep(sweep, tmp_path):
    results = ss.sweep(study(sweep), folder=tmp_path / "r")
    page = results.report().read_text("utf-8")
    verdict, detail = results.findings
    assert len(re.findall(r"\.(?: |$)", detail)) == 1  # one sentence
    assert "is known to be fairer than" in verdict or "the seats are most equal at" in verdict
    names = ["seat-gap", "score-mean", "margin-mean", "decisions-mean"]
    if len(sweep) == 1:
        drawn = sorted(file.name for file in (tmp_path / "r" / "figures").iterdir())
        assert drawn == sorted(f"sweep-{name}.{kind}" for name in names for kind in ("png", "svg"))
        assert [page.count(f'class="link svg" data-name="sweep-{name}"') for name in names] == [1, 1, 1, 1]
        assert "the mean score is highest at" in page
    else:
        assert page.count('<table class="heat"') == 2 * len(names)  # a panel for each player count
    assert page.count('id="item-sweep-') == 3
    assert 'id="changes"' not in page
    assert page.index('id="sweep"') < page.index('id="sure"')
    assert f'<h1 id="verdict">{html.escape(verdict, quote=False)}</h1>' in page
    assert "tracks-bonus-9-0" not in page.partition("<section")[0]


@pytest.mark.slow
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

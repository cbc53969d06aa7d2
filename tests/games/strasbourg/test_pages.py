"""What the pages of Strasbourg say, against the counts behind them."""

import numpy as np
import pytest

from report_cells import CELL, cell, sums, tables_of
from strozzi_sim.declare.pages import report_of
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.games.strasbourg.report import board
from strozzi_sim.games.strasbourg.tasks import task_names

pytestmark = pytest.mark.slow

GAME = load_game("strasbourg")
PAGES, HEATMAPS = report_of(GAME).pages, report_of(GAME).heat_maps
SOURCES = ("council", "city", "chapels", "edifices", "privileges", "tasks")
DEALS = 480


@pytest.fixture(scope="module")
def cells():
    return [cell(GAME, players, "heuristic", deals=DEALS, chunks=24) for players in (3, 4)]


@pytest.fixture(scope="module")
def tables(cells):
    return tables_of(GAME, cells, PAGES, HEATMAPS)


def figures(table, **where):
    """figure -> row, of the rows with these keys."""
    for key, level in where.items():
        table = table[table[key] == level]
    return {row.figure: row for row in table.itertuples(index=False)}


@pytest.mark.slow
def test_every_rate_has_n_and_an_interval(tables):
    for name, table in tables.items():
        rates = table[table["figure"].str.endswith("_share") & (table["n"] > 0)]
        assert (rates["low"] <= rates["high"]).all(), name
        valued = rates.dropna(subset="value")
        assert ((valued["low"] <= valued["value"]) & (valued["value"] <= valued["high"])).all(), name


@pytest.mark.slow
def test_sums_of_shares_are_1(tables):
    auctions = tables["auctions"]
    for found in (
        sums(tables["seats"], "win_share", CELL),
        sums(auctions, "share", [*CELL, "step", "by"], by=["bid", "waited", "returned"]),
        sums(tables["tasks"], "share", CELL, by=["kept"]),
        sums(tables["heat_returned_by_step"], "share", [*CELL, "row"]),
        sums(tables["heat_site_by_edifice"], "share", [*CELL, "row"]),
        sums(tables["heat_drawn_by_round"], "share", [*CELL, "column"]),
    ):
        assert len(found)
        np.testing.assert_allclose(found, 1, rtol=1e-12)


def test_points_by_source_add_up(tables):
    for players in (3, 4):
        found = figures(tables["balance"], players=players)
        for who in ("", "winner_"):
            parts = [found[f"{who}points_{source}_mean"].value for source in SOURCES]
            assert sum(parts) == pytest.approx(found[f"{who}score_mean"].value)
        assert found["winner_score_mean"].value > found["score_mean"].value
        spent = found["coins_left_mean"].value + found["paid_mean"].value
        assert spent == pytest.approx(5 + found["earned_mean"].value)  # 5 coins at the start


def test_auctions_against_the_counts(tables, cells):
    bids = cells[1].count(Crosstab("bid", ("step", "sum"), ("acts",))).sum(axis=0)
    found = figures(tables["auctions"], players=4, step="B", by="all")
    rows, influence = cells[1].count(Crosstab("bid", ("step",), ("sum",))).sum(axis=0)[1]
    assert rows == bids[1, :, 0].sum()
    assert found["bids_mean"].value == pytest.approx(rows / DEALS)
    assert found["bid_mean"].value == pytest.approx(influence / rows)
    assert found["spent_mean"].value == pytest.approx(influence / DEALS / 4)
    spent = tables["auctions"].query("figure == 'spent_share' and players == 4")
    assert list(spent["step"]) == list("ABCDEFG")
    assert spent["value"].iloc[1] == pytest.approx(
        influence / cells[1].count(Crosstab("bid", (), ("sum",))).sum(axis=0)[1]
    )
    nine = figures(tables["auctions"], players=4, step="B", by="bid", level="9")["acts_share"]
    assert nine.value == pytest.approx(bids[1, 8, 1] / bids[1, 8, 0])
    assert nine.n == bids[1, 8, 0]


def test_members_of_spaces_and_of_guilds_agree(tables, cells):
    for each in cells:
        taken = tables["city"].query("figure == 'taken_share' and players == @each.players").set_index("place")["value"]
        spaces = {place for place, where in board(each.components).places.items() if where.shape == "square"}
        members = figures(tables["guilds"], players=each.players, guild="all", rank="all")["members_mean"].value
        assert taken[taken.index.isin(spaces)].sum() == pytest.approx(members)
        city = figures(tables["balance"], players=each.players)["members_mean"].value
        assert members == pytest.approx(city * each.players)


def test_every_place_of_the_city_lies_on_the_board(tables, cells):
    shown = board(cells[0].components)
    assert set(tables["city"]["place"]) == set(shown.places)
    shapes = [place.shape for place in shown.places.values()]
    assert set(shown.key) == {"square", "frame", "disc"}
    assert (shapes.count("square"), shapes.count("frame"), shapes.count("disc")) == (47, 7, 15)
    assert shown.places["d3"].note == "S 4"
    assert (shown.places["c1"].shape, shown.places["a1b2"].shape) == ("frame", "disc")
    assert (shown.places["a1b2"].x, shown.places["a1b2"].y) == (1.0, 1.0)  # where four cells meet


def test_points_proposed_make_every_task_worth_the_same(tables, cells):
    """Paid so, each task that is kept brings what the mean task kept brings now."""
    for each in cells:
        counts = each.count(Crosstab("task", ("task",), ("fulfilled", "points", "lost"), "kept == yes")).sum(axis=0)
        worth = counts[:, 2].sum() / counts[:, 0].sum()
        names = each.plan.levels("task", "task").names
        rows = tables["tasks"].query("figure == 'fair_points' and players == @each.players").set_index("task")
        printed = {task["id"]: task["points"] for task in each.components["tasks"]}
        less = tables["tasks"].query("figure == 'fair_less_printed' and players == @each.players").set_index("task")
        checked = 0
        for name, (kept, fulfilled, _, lost) in zip(names, counts, strict=True):
            row = rows.loc[name]
            assert row["n"] == fulfilled
            if fulfilled < 30 or lost + worth * kept < 0:
                assert np.isnan([row["value"], row["low"], row["high"], less.loc[name]["value"]]).all()
                continue
            assert (fulfilled * row["value"] - lost) / kept == pytest.approx(worth)
            assert less.loc[name]["value"] == pytest.approx(row["value"] - printed[name])
            assert less.loc[name]["high"] == pytest.approx(row["high"] - printed[name])
            assert 0 <= row["low"] < row["value"] < row["high"]
            checked += 1
        assert checked > 3


def test_no_points_are_proposed_where_0_would_be_too_many():
    """Random players lose points by tasks: one that they fulfil often is worth more than the mean task even for nothing."""
    unskilled = cell(GAME, 4, deals=240)
    tables = tables_of(GAME, [unskilled], PAGES, {})
    rows = tables["tasks"].query("figure == 'fair_points'").set_index("task")
    assert rows.loc["T_LORD"]["n"] >= 30
    assert np.isnan(rows.loc["T_LORD"]["value"])
    assert (rows["value"].dropna() >= 0).all()
    assert (rows["low"].dropna() >= 0).all()


def test_points_of_positions_add_up_to_those_of_all(tables):
    for players in (3, 4):
        mine = tables["positions"].query("players == @players")
        rows = mine.pivot_table(index="position", columns="figure", values="value")
        whole = figures(tables["balance"], players=players)
        for name in ("score_mean", "kept_mean", *(f"points_{source}_mean" for source in SOURCES)):
            assert rows[name].mean() == pytest.approx(whole[name].value)
        for name in ("earned_mean", "paid_mean", "privileges_gained_mean", "waited_mean"):
            assert rows[name].mean() == pytest.approx(whole[name].value)


def test_the_error_of_points_proposed_is_that_of_leaving_chunks_out(tables, cells):
    crosstab = Crosstab("task", ("task",), ("fulfilled", "points", "lost"), "kept == yes")
    counts = cells[1].count(crosstab).astype(float)
    name = "T_LORD"
    k = cells[1].plan.levels("task", "task").names.index(name)

    def proposed(sums):
        worth = sums[:, 2].sum() / sums[:, 0].sum()
        return (sums[k, 3] + worth * sums[k, 0]) / sums[k, 1]

    whole = counts.sum(axis=0)
    left = np.array([proposed(whole - chunk) for chunk in counts])
    error = np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())
    row = tables["tasks"].query("figure == 'fair_points' and players == 4 and task == @name").iloc[0]
    half = (row["high"] - row["low"]) / 2
    assert half == pytest.approx(2.07 * error, rel=0.08)  # Student's t of 24 chunks


def test_changes_of_seats_are_counted_from_round_2_on(tables, cells):
    council = tables["council"].query("figure == 'changed_share' and players == 4")
    counts = cells[1].count(Crosstab("council", ("chair", "round"), ("changed",))).sum(axis=0)
    assert set(council.query("by == 'round'")["level"]) == {"2", "3", "4", "5"}
    found = council.query("by == 'all'").set_index("chair")["value"]
    for chair, (rows, changed) in zip(
        cells[1].plan.levels("council", "chair").names, counts[:, 1:].sum(1), strict=True
    ):
        assert found[chair] == pytest.approx(changed / rows)


def test_tasks_are_called_by_what_they_ask_for():
    for variant in ("base", "other-tasks"):
        data = resolve_variant(GAME, variant).components
        names = task_names(data)
        assert set(names) == {task["id"] for task in data["tasks"]}
        assert len(set(names.values())) == len(names)
    assert names["N_THREE_E4"] == "3 beside E4"
    words = report_of(GAME).words({}, data)
    assert words["N_ROW4"] == "row of 4 \N{MIDDLE DOT} 9"
    assert "no" not in words  # of any column but that of bids made after waiting

"""What the pages of Strozzi say, against the counts behind them."""

from types import SimpleNamespace

import numpy as np
import pytest

from report_cells import CELL, cell, sums, tables_of
from strozzi_sim.declare.pages import report_of
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.games.strozzi.report import MAPS

GAME = load_game("strozzi")
PAGES = report_of(GAME).pages
HEATMAPS = report_of(GAME).heat_maps
BALANCE = [
    "seat_gap", "seat_fairness_p", "score_q05", "score_q25", "score_q50", "score_q75", "score_q95", "score_mean",
    "winner_score_mean", "margin_mean", "florence_tie_share", "lead_changes_mean", "leader_1_wins_share",
    "leader_2_wins_share", "decisions_mean", "set_aside_mean", "unused_flags_mean", "over_990_share",
    "tiles_left_mean", "payout_mean",
]  # fmt: skip
USES = ("sail", "cargo", "match", "round", "lap", "order")


@pytest.fixture(scope="module")
def cells():
    return [cell(GAME, 3), cell(GAME, 5)]


@pytest.fixture(scope="module")
def tables(cells):
    return tables_of(GAME, cells, PAGES, HEATMAPS)


def test_sums_of_shares_are_1(tables):
    flags, ports = tables["flags"], tables["ports"]
    for found in (
        sums(tables["seats"], "win_share", CELL),
        sums(flags, "share", [*CELL, "flag", "by"], by=[*USES, "port", "pattern", "pirate_lap"]),
        sums(flags, "share_of_level", [*CELL, "by", "level"], by=USES, flag=["pirate", "plus_one", "ware"]),
        sums(flags, "share", [*CELL, "flag"], by=["used"]),
        sums(ports, "share", [*CELL, "port", "by"], by=[*USES, "flag", "space", "pattern", "pair"]),
        sums(ports, "share_of_level", [*CELL, "by", "level"], by=USES, port=["venice", "rome", "naples"]),
        sums(tables["heat_flag_by_sail"], "share", [*CELL, "row"]),
        sums(tables["heat_ship_by_port"], "share", [*CELL, "row"]),
    ):
        assert len(found)
        np.testing.assert_allclose(found, 1, rtol=1e-12)
    ships = tables["ships"].set_index([*CELL, "ship", "figure"])["value"].unstack()
    np.testing.assert_allclose(ships["taken_share"] + ships["set_aside_share"], 1)
    ports_of_ship = ships[[f"port_{port}_share" for port in ("venice", "rome", "naples")]].sum(axis=1, skipna=False)
    np.testing.assert_allclose(ports_of_ship, 1)


def test_balance_has_its_figures_once_a_cell(tables, cells):
    balance = tables["balance"].set_index(["players", "figure"])["value"]
    for each in cells:
        for figure in BALANCE:
            assert np.isfinite(balance[each.players, figure]), figure
        coins = [balance[each.players, f"coins_{source}_mean"] for source in ("ships", "markers", "bonus", "promotion")]
        assert sum(coins) == pytest.approx(balance[each.players, "score_mean"])
        assert sum(coins) * each.players == pytest.approx(balance[each.players, "payout_mean"])
        assert balance[each.players, "winner_score_mean"] > balance[each.players, "score_mean"]


def test_flags_against_the_counts(tables, cells):
    ships = cells[1].count(Crosstab("ship", ("flag", "sail"), ("sail",))).sum(axis=(0, 2))[2]  # [rows, sail numbers]
    claims = cells[1].count(Crosstab("card", ("claimed_by",), ("taken_over",))).sum(axis=0)[2]
    flags = tables["flags"].query("players == 5 and flag == 'ware' and by == 'all'").set_index("figure")
    placed = ships[0]
    rounds = 5 * 3 * 240
    assert flags["value"]["uses_mean"] == pytest.approx(placed / 240)
    assert flags["value"]["unused_share"] == pytest.approx(1 - placed / rounds)
    assert flags["n"]["unused_share"] == rounds
    assert flags["value"]["pirated_share"] == pytest.approx(claims[1] / claims[0])
    assert flags["value"]["sail_mean"] == pytest.approx(ships[1] / placed)


def test_every_level_that_can_occur_has_a_row(tables, cells):
    flags = tables["flags"]
    rows = tables_of(GAME, [cell(GAME, 3, deals=4, chunks=4)], ["flags"], {})["flags"]
    sails = {str(ship["sail"]) for ship in cells[0].components["ships"]}
    assert set(rows[rows["by"] == "sail"]["level"]) == sails
    assert len(rows[(rows["by"] == "pattern") & (rows["figure"] == "share")]) == 16
    assert set(flags[flags["by"] == "lap"].query("players == 5")["level"]) == set("01234")
    none = rows[(rows["figure"] == "share") & (rows["value"] == 0)]
    assert len(none), "in 36 rounds of a player not all orders of flags occur"
    assert (none["low"] == 0).all()
    assert ((none["high"] > 0) & (none["high"] < 1)).all()
    unseen = rows[(rows["figure"] == "win_share") & (rows["n"] == 0)]
    assert len(unseen)
    assert unseen["value"].isna().all()
    assert ((unseen["low"] == 0) & (unseen["high"] == 1)).all()


def test_the_active_player_is_a_column_of_pirates_only_with_a_second_lap():
    exclude = MAPS["pirated-by-lap"].exclude["column"]
    for second_lap, levels in ((False, ("0",)), (True, ())):
        assert exclude(SimpleNamespace(components={"rules": {"second_lap": second_lap}})) == levels

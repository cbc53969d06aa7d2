"""Tables of a page: lines, digits, numbers for CSV, and what is left out."""

import numpy as np
import pandas as pd

from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import THIN, format_value
from strozzi_sim.facts.figures import Figure
from strozzi_sim.report.html_tables import cell_of, page_table

FAIRNESS = Figure("equal_seats", "equal seats", "p")
WON, SCORE = Figure("win_share", "games won", "share"), Figure("score_mean", "mean score", "amount")


def rows(values, half=0.008, players=(3, 4), figure="win_share", n=900):
    return pd.DataFrame(
        {"players": count, "variant": "base", "lineup": "a", "ship": ship, "figure": figure, "value": value, "low": value - half, "high": value + half,
         "n": n, "deals": 300}
        for count in players
        for ship, value in values.items()
    )  # fmt: skip


def shown(*figures, **options):
    return Picture("ships", "", "table", "ships", figures, "", **{"x": "ship", "x_label": "ship"} | options)


def test_a_line_for_each_level_and_player_count():
    table = pd.concat([rows({"B": 0.3, "A": 0.412}), rows({"B": 41.2, "A": 52.34}, 0.2, figure="score_mean")])
    found = page_table(shown(WON, SCORE), table, {"A": "Anna"})
    assert found.keys == ("ship", "players")
    assert found.columns == (("games won", "%", "win_share"), ("mean score", "", "score_mean"))
    assert [keys for keys, _ in found.rows] == [("B", "3"), ("B", "4"), ("Anna", "3"), ("Anna", "4")]
    _, (won, score) = found.rows[2]
    assert (won.text, won.interval.replace(THIN, " ")) == ("41.2", "± 0.8")
    assert won.tip == "95 % interval 40.4 to 42.0; n = 900"
    assert won.numbers == ("41.2", "40.4", "42", "900")
    assert (score.text, score.interval.replace(THIN, " ")) == ("52.3", "± 0.2")
    one = page_table(shown(WON), rows({"A": 0.4}, players=(3,)), {})
    assert (one.keys, [keys for keys, _ in one.rows]) == (("ship",), [("A",)])


def test_a_cell_without_a_value_or_an_interval():
    table = rows({"A": np.nan, "B": 0.4}, players=(3,), n=12)
    table.loc[1, ["low", "high"]] = np.nan
    lines = {keys[0]: cells[0] for keys, cells in page_table(shown(WON), table, {}).rows}
    assert (lines["A"].numbers, lines["A"].interval, lines["A"].tip) == (("", "", "", "12"), "", "n = 12")
    assert (lines["B"].text, lines["B"].interval, lines["B"].numbers) == ("40.0", "", ("40", "", "", "12"))
    assert page_table(shown(SCORE), table, {}) is None
    never = rows({"A": 0.3, "B": 0.4}, players=(3,))
    never.loc[0, "n"] = 0
    assert [keys for keys, _ in page_table(shown(WON), never, {}).rows] == [("B",)]


def test_sorted_lines_begin_with_the_largest_and_name_what_is_left_out():
    values = {"A": 0.1, "B": np.nan, "C": 0.3, "all": 0.2}
    found = page_table(shown(WON, sort="win_share"), rows(values, players=(3,)), {"B": "Bruno"})
    assert [keys for keys, _ in found.rows] == [("C",), ("A",), ("all",)]
    assert (found.left_out, found.sorted_by) == (("Bruno",), "games won")
    most = page_table(shown(WON, sort="win_share", most=1), rows(values, players=(3,)), {})
    assert [keys for keys, _ in most.rows] == [("C",)]
    assert page_table(shown(WON, sort="win_share"), rows(dict.fromkeys(values, np.nan), players=(3,)), {}) is None


def test_figures_as_lines_have_a_column_for_each_player_count():
    table = pd.concat([rows({"": 0.4}), rows({"": 52.3}, 0.2, figure="score_mean", players=(4,))])
    found = page_table(shown(WON, SCORE, x="figure"), table, {})
    assert (found.keys, found.columns) == (("figure",), (("3 players", "", ""), ("4 players", "", "")))
    assert [keys for keys, _ in found.rows] == [("games won, %",), ("mean score",)]
    assert found.rows[1][1][0] is None
    assert found.rows[1][1][1].text == "52.3"


def test_a_p_value_has_no_interval():
    row = next(pd.DataFrame([{"value": 0.0123, "low": np.nan, "high": np.nan, "n": 900}]).itertuples(index=False))
    cell = cell_of(row, FAIRNESS, 2)
    assert (cell.text, cell.interval, cell.tip) == ("0.012", "", "n = 900")
    texts = [format_value(p, FAIRNESS) for p in (np.nan, 1e-9, 0.0499, 0.5)]
    assert texts == ["\N{EN DASH}", "< 0.001", "0.050", "0.50"]

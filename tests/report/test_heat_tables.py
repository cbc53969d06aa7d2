"""Heat maps as tables: values, colours, cells without one, frames."""

import numpy as np
import pandas as pd
import pytest

from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.facts.figures import WIN_SHARE, Figure
from strozzi_sim.pictures.heat import heat_tables

WINS = HeatMap("Wins", "", "flag", "sail", WIN_SHARE)
GAIN = HeatMap("Gains", "", "flag", "sail", Figure("gain", "coins gained", "amount"))


def table(values, figure="win_share", half=0.02, players=4, n=900, **keys):
    """The rows of a heat map: (row, column) -> value."""
    return pd.DataFrame(
        {"players": players, "variant": "base", "lineup": "a", "row": row, "column": column, "figure": figure, "value": value,
         "low": value - half, "high": value + half, "n": n, "deals": 300, **keys}
        for (row, column), value in values.items()
    )  # fmt: skip


def cells(heat, panel=0):
    return {
        (name, column): cell
        for name, row in heat.panels[panel].rows
        for column, cell in zip(heat.columns, row, strict=True)
    }


def test_a_cell_has_its_value_and_says_its_interval_and_n():
    heat = heat_tables(
        WINS, table({("a", "1"): 0.4, ("a", "2"): 0.12, ("b", "1"): 0.25, ("b", "2"): 0.3}), {"a": "Anna"}
    )
    assert (heat.row_label, heat.column_label, heat.columns) == ("flag", "sail", ("1", "2"))
    assert [panel.title for panel in heat.panels] == ["4 players"]
    found = cells(heat)
    assert {place: cell.text for place, cell in found.items()} == {
        ("Anna", "1"): "40",
        ("Anna", "2"): "12",
        ("b", "1"): "25",
        ("b", "2"): "30",
    }
    assert found["Anna", "1"].tip == "flag Anna, sail 1: 40 % (38 to 42), n = 900"
    assert found["Anna", "1"].numbers == ("0.4", "0.38", "0.42", "900")


def test_beside_an_equal_share_only_what_is_told_apart_has_a_colour():
    heat = heat_tables(WINS, table({("a", "1"): 0.4, ("a", "2"): 0.12, ("b", "1"): 0.25, ("b", "2"): 0.255}), {})
    found = cells(heat)
    assert float(found["a", "1"].part) == pytest.approx(1)
    assert float(found["a", "2"].part) == pytest.approx(0.13 / 0.15, abs=0.001)
    assert (found["a", "1"].classes, found["a", "2"].classes) == ("", "neg")
    for place in (("b", "1"), ("b", "2")):
        assert (found[place].part, found[place].classes) == ("0.000", "noise")
    assert (heat.two, heat.note) == (True, "in the cells: per cent; uncoloured: not told apart from an equal share")
    assert (heat.low, heat.high) == ("\N{MINUS SIGN}15.0 points", "15.0 points")


def test_amounts_are_coloured_from_the_lowest_to_the_highest():
    heat = heat_tables(GAIN, table({("a", "1"): 2.0, ("a", "2"): 6.0, ("b", "1"): 4.0}, "gain", 0.1), {})
    found = cells(heat)
    assert [float(found[place].part) for place in (("a", "1"), ("b", "1"), ("a", "2"))] == [0, 0.5, 1]
    assert (heat.low, heat.high, heat.two) == ("2.0", "6.0", False)
    assert found["b", "2"] is None  # never counted
    below = heat_tables(GAIN, table({("a", "1"): -2.0, ("a", "2"): 6.0, ("b", "1"): 0.0}, "gain", 0.1), {})
    assert below.two
    assert [(cells(below)[place].classes, float(cells(below)[place].part)) for place in (("a", "1"), ("b", "1"), ("a", "2"))] == [
        ("neg", pytest.approx(1 / 3, abs=0.001)), ("", 0), ("", 1)
    ]  # fmt: skip
    assert (below.low, below.high) == ("\N{MINUS SIGN}6.0", "6.0")


def test_few_events_are_a_dash_and_not_a_value():
    values = table({("a", "1"): 0.4, ("a", "2"): np.nan, ("b", "1"): 0.25, ("b", "2"): 0.3})
    values.loc[values["value"].isna(), "n"] = 12
    found = cells(heat_tables(WINS, values, {}))
    few = found["a", "2"]
    assert (few.text, few.classes, few.numbers) == ("\N{EN DASH}", "few", ("", "", "", "12"))
    assert few.tip == "flag a, sail 2: n = 12, too few for a value"
    assert heat_tables(WINS, values.assign(value=np.nan), {}) is None


def test_a_marked_cell_is_framed_and_colours_are_differences_from_it():
    shown = HeatMap("Gains", "", "k", "m", GAIN.figure, shade_label="from the framed cell")
    values = table({("0", "1"): 5.0, ("0", "2"): 7.0, ("5", "1"): 4.0, ("5", "2"): 5.1}, "gain", 0.1).assign(
        shade=[np.nan, 2.0, -1.0, np.nan], marked=[True, False, False, False]
    )
    heat = heat_tables(shown, values, {})
    found = cells(heat)
    assert {place: cell.classes for place, cell in found.items()} == {
        ("0", "1"): "marked",
        ("0", "2"): "",
        ("5", "1"): "neg",
        ("5", "2"): "",
    }
    assert [float(cell.part) for cell in found.values()] == [0, 1, 0.5, 0]
    assert heat.note == "colour: the difference from the framed cell"


def test_all_panels_have_one_scale():
    both = pd.concat(
        [table({("a", "1"): 0.35, ("b", "1"): 0.2}), table({("a", "1"): 0.45, ("b", "1"): 0.2}, lineup="b")]
    )
    heat = heat_tables(WINS, both, {})
    assert len(heat.panels) == 2
    assert [float(cells(heat, k)["a", "1"].part) for k in range(2)] == [0.5, 1]
    alone = heat_tables(WINS, both[both["lineup"] == "a"], {})
    beside = heat_tables(WINS, both[both["lineup"] == "a"], {}, compared=both)
    assert (float(cells(alone)["a", "1"].part), float(cells(beside)["a", "1"].part)) == (1, 0.5)


@pytest.mark.parametrize(
    ("values", "half", "unit", "said"),
    [
        ((0.289, 0.249, 0.315), 0.004, "share", ["28.9", "24.9", "31.5"]),
        ((0.289, 0.249, 0.315), 0.03, "share", ["29", "25", "32"]),
        ((0.051, 0.049, 0.004), 0.002, "share", ["5.1", "4.9", "0.4"]),
        ((0.289, 0.249, 0.315), 0.004, "amount", ["0.289", "0.249", "0.315"]),
        ((2.289, 2.249, 12.3), 0.04, "amount", ["2.29", "2.25", "12.3"]),
        ((241.26, 249.4, 231.5), 3.0, "amount", ["241", "249", "232"]),
    ],
)
def test_digits_of_a_cell_are_those_of_its_error(values, half, unit, said):
    shown = HeatMap("Map", "", "flag", "sail", Figure("some", "some", unit))
    rows = table(dict(zip([("a", "1"), ("a", "2"), ("b", "1")], values, strict=True)), "some", half)
    assert [cell.text for cell in cells(heat_tables(shown, rows, {})).values() if cell] == said

"""Nothing that a page shows has digits below a fifth of its standard error, and nothing is in scientific notation."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strozzi_sim as ss
from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import THIN, format_estimate, format_row, format_value
from strozzi_sim.report.html_tables import page_table
from strozzi_sim.runtime.digits import most_digits, rounded

SCIENTIFIC = re.compile(r"\d[eE][+-]?\d")


def decimals(text):
    """Return the decimals of a number; minus the zeros at the end of a whole one."""
    digits = re.sub(r"[^\d.]", "", text)
    whole, _, fraction = digits.partition(".")
    return len(fraction) if fraction else -(len(whole) - len(whole.rstrip("0"))) if whole.strip("0") else -15


def is_meaningful(text, half_width):
    """Whether the last digit shown is not below a fifth of the standard error (or the number is rounded to tens)."""
    return not half_width > 0 or 10.0 ** -decimals(text) >= half_width / 1.96 / 5 * (1 - 1e-6)


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6))
def test_any_figure(value, half):
    texts = rounded((value, value - half, value + half), half, 4)
    assert all(is_meaningful(text, half) for text in texts)
    assert not any(SCIENTIFIC.search(text) for text in texts)
    step = 10.0 ** -min(most_digits(half), 4)
    assert abs(float(texts[0]) - value) <= step / 2 * (1 + 1e-6) + abs(value) * 1e-12


def test_examples():
    assert rounded((262.7913, 262.54, 263.05), 0.255, 2) == ["262.8", "262.5", "263.1"]
    assert rounded((0.3059, 0.296, 0.316), 0.0095, 4) == ["0.306", "0.296", "0.316"]
    assert rounded((1234.0, 1100.0, 1368.0), 134.0, 2) == ["1200", "1100", "1400"]
    assert rounded((float("nan"), 0.0, 1.0), 0.5, 2) == ["-", "0.0", "1.0"]
    assert format_value(1234.5, "amount", -1) == "1,230"


@pytest.fixture(scope="module", params=["strozzi", "medici_vs_strozzi", "strasbourg"])
def study(request):
    game = load_game(request.param)
    return game, ss.simulate(game, agents=["random"], deals=60, heatmaps=list(game.report.HEATMAPS)[:2], workers=1)


def test_every_table_of_the_page(study):
    game, results = study
    seen = in_cells = 0
    for picture in game.report.pictures(results.tables):
        table = results.tables.get(picture.table)
        if picture.kind != "table" or table is None or not len(table):
            continue
        units = {figure.name: figure.unit for figure in picture.figures}
        rows = table[table["figure"].isin(list(units))]
        shown = page_table(picture, table, {})
        if shown is not None:
            cells = [
                (each, figure)
                for _, own in shown.rows
                for each, (_, figure) in zip(own, shown.columns, strict=True)
                if each
            ]
            assert cells
            for each, figure in cells:
                assert not SCIENTIFIC.search(f"{each.text} {each.half_width} {each.tip}")
                if figure and each.half_width:
                    low, high = (float(side) * (100 if units[figure] == "share" else 1) for side in each.numbers[1:3])
                    assert is_meaningful(each.text, (high - low) / 2), each
                    in_cells += 1
        for row in rows.itertuples(index=False):
            unit = units[row.figure]
            half = (row.high - row.low) / 2 * (100 if unit == "share" else 1)
            for text in (format_row(row, unit), re.split(rf"{THIN}±| \(", format_estimate(row, unit))[0]):
                assert is_meaningful(text, half), (row, text)
                seen += 1
    assert seen > 50
    assert in_cells > 50


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.0161, 0.003, 0.083, "2 % (0 to 8)"),
        (0.99, 0.93, 1.0, "99 % (93 to 100)"),
        (0.25, 0.23, 0.272, "25 ± 3 %"),
        (0.01, -0.02, 0.04, "1 ± 3 %"),  # a difference of shares may be below 0
    ],
)
def test_no_interval_of_a_share_in_a_sentence_leaves_0_to_100_per_cent(value, low, high, text):
    row = SimpleNamespace(value=value, low=low, high=high)
    assert format_estimate(row, "share").replace(THIN, " ") == text

"""No page shows more than three digits, digits below a fifth of the standard error, or scientific notation."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strozzi_sim as ss
from strozzi_sim.cli.show import estimate
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.printing import THIN, digits_for, format_estimate, format_row, format_value
from strozzi_sim.declare.printing import decimals as decimals_of
from strozzi_sim.facts.figures import UNITS, WIN_SHARE, Figure
from strozzi_sim.game import load_game
from strozzi_sim.pictures.marks import label_of
from strozzi_sim.pictures.marks import sentence as mark
from strozzi_sim.pictures.panel import Scale
from strozzi_sim.report.html_tables import cell_of, page_table
from strozzi_sim.report.write import _number
from strozzi_sim.study.look import KeyNumber

pytestmark = pytest.mark.slow

AMOUNT, COUNT = Figure("coins", "coins", "amount"), Figure("games", "games", "count")
SCIENTIFIC = re.compile(r"\d[eE][+-]?\d")


def decimals(text):
    """Return the decimals of a number; minus the zeros at the end of a whole one."""
    digits = re.sub(r"[^\d.]", "", text)
    whole, _, fraction = digits.partition(".")
    return len(fraction) if fraction else -(len(whole) - len(whole.rstrip("0"))) if whole.strip("0") else -15


def is_meaningful(text, half_width):
    """Whether the last digit shown is not below a fifth of the standard error (or the second one before the point)."""
    return (
        not half_width > 0
        or len(re.sub(r"[^\d.]", "", text).rstrip("0")) < 3
        or 10.0 ** -decimals(text) >= half_width / 1.96 / 5 * (1 - 1e-6)
    )


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6))
def test_any_figure(value, half):
    digits = decimals_of(value, half, 4)
    text, step = f"{round(value, digits) + 0.0:.{max(digits, 0)}f}", 10.0**-digits
    assert is_meaningful(text, half)
    assert abs(float(text) - value) <= step / 2 * (1 + 1e-6) + abs(value) * 1e-12


# value, half-width, what a sentence shows of it, and what a terminal, a mark and a table show: value, low, high
PLANTED = [
    (238.94, 0.7, "239 ± 1", "239", "238", "240"),
    (239.09, 0.09, "239 ± 1", "239", "239", "240"),
    (99.97, 0.02, "100 ± 1", "100", "99", "100"),
    (26.72, 0.04, "26.7 ± 0.1", "26.7", "26.7", "26.8"),
    (4.317, 0.022, "4.32 ± 0.03", "4.32", "4.29", "4.34"),
    (26.72, 0.96, "26.7 ± 1", "26.7", "25.8", "27.7"),
    (4.317, 0.22, "4.3 ± 0.3", "4.3", "4.1", "4.5"),
    (12345.0, 7.0, "12,300 ± 100", "12,300", "12,300", "12,400"),
    (12345.0, 2000.0, "12,000 ± 2,000", "12,000", "10,000", "14,000"),
]


@pytest.mark.parametrize(("value", "half", "sentence", "shown", "low", "high"), PLANTED)
def test_planted_figures_have_three_digits_and_one_of_their_interval(value, half, sentence, shown, low, high):
    planted = {"figure": "coins", "players": 4, "value": value, "low": value - half, "high": value + half, "n": 50}
    (row,) = pd.DataFrame([planted]).itertuples(index=False)
    figure = AMOUNT
    assert format_estimate(row, AMOUNT).replace(THIN, " ") == sentence
    assert format_row(row, AMOUNT) in (shown, f"{value:.1f}")
    assert estimate(row, figure) == f"{shown} ({low} to {high})"
    assert mark(["a"], row, figure) == f"a: {shown} ({low} to {high}), n = 50"
    assert label_of(value, half, figure, Scale((0.0, 1.0))) in (shown, f"{value:.1f}")
    cell = cell_of(row, figure, 2)
    assert (cell.text, cell.tip) == (shown, f"95 % interval {low} to {high}; n = 50")
    assert f"{cell.text} {cell.interval}".replace(THIN, " ") == sentence


def test_figures_without_an_interval_have_three_digits_and_counts_all():
    rows = [SimpleNamespace(value=value, low=float("nan"), high=float("nan")) for value in (239.14, 39.14, 3.914)]
    assert [format_estimate(row, AMOUNT) for row in rows] == ["239", "39.1", "3.9"]
    assert format_value(12345, COUNT) == "12,345"
    assert digits_for(12345, float("nan"), COUNT) == 0


def test_points_of_a_share_may_be_below_0():
    row = SimpleNamespace(value=0.01, low=-0.02, high=0.04)
    assert format_estimate(row, WIN_SHARE.difference()).replace(THIN, " ") == "1 ± 3 points"


FIGURES = [Figure("x", unit=unit) for unit in UNITS if unit != "p"]
FIGURES += [Figure("place", lowest=1.0, highest=6.0), Figure("gain", unit="amount", lowest=-5.0, highest=12.0)]
NUMBER = re.compile(r"\N{MINUS SIGN}?[\d,]+(?:\.\d+)?")


def numbers_in(text):
    """Return the numbers that a text says: its numbers, and both ends of value ± half-width."""
    numbers = [float(each.replace("\N{MINUS SIGN}", "-").replace(",", "")) for each in NUMBER.findall(text)]
    return [numbers[0], numbers[0] - numbers[1], numbers[0] + numbers[1]] if "±" in text else numbers


def test_nothing_that_is_printed_of_2000_random_tables_leaves_the_range_of_its_figure():
    """Values are anywhere in the range, often at its ends; intervals are lopsided, and estimates may leave the range."""
    rng, printed, as_plus_minus = np.random.default_rng(3), 0, 0
    for number in range(2000):
        figure = FIGURES[number % len(FIGURES)]
        lowest, highest = max(figure.measure.lowest, -300.0), min(figure.measure.highest, 300.0)
        values = lowest + (highest - lowest) * np.clip(rng.uniform(-0.2, 1.2, 5), -0.02, 1.02)
        down, up = (highest - lowest) * rng.exponential(10.0 ** rng.uniform(-4, 0), (2, 5))
        up = np.where(rng.random(5) < 0.5, down, up)
        for value, low, high in zip(values, values - down, values + up, strict=True):
            row = SimpleNamespace(value=value, low=low, high=high, figure="x", n=60)
            cell = cell_of(row, figure, 1)
            texts = [format_estimate(row, figure, as_ends=as_ends) for as_ends in (False, True)]
            texts += [f"{cell.text} {cell.interval}", estimate(row, figure), format_row(row, figure)]
            for text in texts:
                factor = figure.measure.factor
                ends = factor * figure.measure.lowest - 1e-9, factor * figure.measure.highest + 1e-9
                inside = [ends[0] <= each <= ends[1] for each in numbers_in(text)]
                assert all(inside), (figure, row, text)
                as_plus_minus += "±" in text
                printed += 1
    assert printed == 50_000
    assert as_plus_minus > 5000


@pytest.fixture(scope="module", params=["strozzi", "medici_vs_strozzi", "strasbourg"])
def study(request):
    game = load_game(request.param)
    return game, ss.simulate(game, agents=["random"], deals=60, heatmaps=list(report_of(game).heat_maps)[:2], workers=1)


def test_every_table_of_the_page(study):
    game, results = study
    seen = in_cells = 0
    for picture in report_of(game).pictures(results.tables):
        table = results.tables.get(picture.table)
        if picture.kind != "table" or table is None or not len(table):
            continue
        figures = {figure.name: figure for figure in picture.figures}
        rows = table[table["figure"].isin(list(figures))]
        shown = page_table(picture, table, {})
        if shown is not None:
            cells = [
                (each, figure)
                for _, own in shown.rows
                for each, (*_, figure) in zip(own, shown.columns, strict=True)
                if each
            ]
            assert cells
            for each, figure in cells:
                assert not SCIENTIFIC.search(f"{each.text} {each.interval} {each.tip}")
                if figure and each.interval:
                    low, high = (float(side) for side in each.numbers[1:3])
                    assert is_meaningful(each.text, (high - low) / 2), each
                    in_cells += 1
        for row in rows.itertuples(index=False):
            figure = figures[row.figure]
            half = (row.high - row.low) / 2 * figure.measure.factor
            for text in (format_row(row, figure), re.split(rf"{THIN}±| \(", format_estimate(row, figure))[0]):
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
        (0.01, -0.02, 0.04, "1 % (0 to 4)"),  # an estimate without bias may leave the range
    ],
)
def test_no_interval_of_a_share_in_a_sentence_leaves_0_to_100_per_cent(value, low, high, text):
    row = SimpleNamespace(value=value, low=low, high=high)
    assert format_estimate(row, WIN_SHARE).replace(THIN, " ") == text


@pytest.mark.parametrize(
    ("value", "low", "high", "shown", "beside"),
    [
        (0.08, 0.01, 0.22, "8 %", "(1 to 22)"),
        (1.0, 0.92, 1.0, "100 %", "(92 to 100)"),
        (0.0, 0.0, 0.08, "0 %", "(0 to 8)"),
        (0.2, 0.14, 0.32, "20 %", "(14 to 32)"),  # not symmetric
        (0.25, 0.23, 0.272, "25 %", "± 3"),
    ],
)
def test_numbers_and_cells_show_the_ends_of_an_interval_that_plus_minus_does_not_tell(value, low, high, shown, beside):
    row = SimpleNamespace(figure="win_share", value=value, low=low, high=high, n=60)
    number = _number(KeyNumber(row, WIN_SHARE, "games won"))
    assert (number.value.replace(THIN, " "), number.interval.replace(THIN, " ")) == (shown, beside)
    cell = cell_of(row, Figure("win_share", "games won", "share"), 1)
    assert (f"{cell.text} %", cell.interval.replace(THIN, " ")) == (shown, beside)
    assert format_estimate(row, WIN_SHARE).replace(THIN, " ") in (f"{shown} {beside}", "25 ± 3 %")

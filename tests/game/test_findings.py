"""The finding of a section: true of what is planted, in the words of the game, silent where nothing is certain."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from strozzi_sim import stats
from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.finding import Finding, comparison_of, finding_of
from strozzi_sim.game.reporting import SCENARIO, THIN, FigureTable, Picture

WON = Figure("win_share", "games won", "share")
COINS = Figure("coins_mean", "coins it brings", "amount")
DEFAULT = Finding()
CELL = SimpleNamespace(players=4, variant="base", lineup="random", deals=400)


def said(table, picture, finding=DEFAULT, names=None, figures=(), players=4):
    """What is found in a picture of a table."""
    compared = comparison_of(picture, finding, figures)
    if compared is None:
        return ""
    text = finding_of(compared, finding, table, players, lambda key, level: (names or {}).get(level, level))
    return text.replace(THIN, " ")


def picture(*figures, kind="intervals", x="thing", **more):
    return Picture("p", "page", kind, "page", figures or (WON,), "", x=x, **more)


def rows(values, half=0.01, figure="coins_mean", **more):
    """A table of one figure by thing: level -> value."""
    table = FigureTable("thing", *more)
    for level, value in values.items():
        estimate = stats.Estimate(*(np.array(each) for each in (value, value - half, value + half, 4000)))
        table.add(CELL, figure, estimate, thing=level, **more)
    return table.frame()


def planted(rng, shares, deals=120, uses=3):
    """A table of games won by the takers of things: in each deal every thing is taken some times, and wins with its share."""
    shares = np.asarray(shares)
    taken = rng.poisson(uses, (deals, len(shares)))
    table = FigureTable("thing")
    share = stats.ratio(WIN_UNITS * rng.binomial(taken, shares), taken, unit=WIN_UNITS, n_deals=deals)
    cell = SimpleNamespace(**{**vars(CELL), "deals": deals})
    table.add(cell, "win_share", share, thing=[f"T{k}" for k in range(len(shares))])
    return table.frame()


@pytest.mark.parametrize("levels", [3, 20])
def test_levels_that_are_equal_are_seldom_said_to_differ(levels):
    claims = sum(said(planted(np.random.default_rng(seed), [0.25] * levels), picture()) != "" for seed in range(60))
    assert claims <= 3  # 5 %


@pytest.mark.parametrize("parts", [2, 6])
def test_shares_of_one_whole_that_are_equal_are_seldom_said_to_differ(parts):
    """What one level has more another has less: independent errors would be too small by a factor of up to 1.4."""
    claims = 0
    for seed in range(60):
        wins = np.random.default_rng(seed).multinomial(1, [1 / parts] * parts, 200)
        share = stats.ratio(WIN_UNITS * wins, np.ones_like(wins), unit=WIN_UNITS, n_deals=200)
        table = FigureTable("thing")
        table.add(CELL, "win_share", share, thing=[f"T{k}" for k in range(parts)])
        claims += said(table.frame(), picture()) != ""
    assert claims <= 3


def test_what_equals_a_number_is_seldom_said_to_differ_from_it():
    against = Finding("{most} wins {most.value}.", "{most} wins only {most.value}.", against="equal")
    claims = sum(
        said(planted(np.random.default_rng(seed), [0.25] * 10), picture(), against) != "" for seed in range(60)
    )
    assert claims <= 3


def test_the_largest_certain_difference_is_found():
    table = planted(np.random.default_rng(3), [0.25, 0.6, 0.25, 0.1], deals=400)
    text = said(table, picture(), Finding("{most} over {least}"))
    assert text == "T1 over T3"


def test_a_larger_difference_that_is_not_certain_is_passed_over():
    table = pd.concat([rows({"a": 10.0, "b": 12.0}), rows({"c": 20.0}, half=15.0)])
    assert said(table, picture(COINS), Finding("{most} over {least}")) == "b over a"


def test_the_level_of_all_together_is_no_level():
    table = rows({"a": 10.0, "b": 12.0, "all": 99.0})
    assert said(table, picture(COINS)) == "Coins it brings: b 12.0, a 10.0."


@pytest.mark.parametrize(
    ("values", "half"),
    [({"a": 10.0, "b": 10.0}, 0.01), ({"a": 10.0, "b": 12.0}, 1.5), ({"a": 10.0}, 0.01), ({}, 1), ({"a": np.nan, "b": 1.0}, 0.1)],
    ids=["equal", "uncertain", "one level", "no rows", "no value"],
)  # fmt: skip
def test_nothing_is_said_where_nothing_is_certain(values, half):
    assert said(rows(values, half), picture(COINS)) == ""


def test_small_differences_are_no_finding():
    table = rows({"a": 54.9, "b": 55.1})
    assert said(table, picture(COINS)) != ""
    assert said(table, picture(COINS), Finding(least=2.0)) == ""
    shares = rows({"a": 0.501, "b": 0.499}, 1e-5, "win_share")
    assert said(shares, picture()) == ""  # half a point is the least of shares


def test_another_player_count_is_not_spoken_of():
    assert said(rows({"a": 10.0, "b": 12.0}), picture(COINS), players=3) == ""


@pytest.mark.parametrize(
    ("values", "half", "text"),
    [
        ({"a": 34.68, "b": 15.71}, 0.04, "a 34.7, b 15.7"),  # three digits at most
        ({"a": 34.68, "b": 15.71}, 3.0, "a 35, b 16"),  # none that the error makes meaningless
        ({"a": 1234.6, "b": 1034.6}, 1.0, "a 1,230, b 1,030"),
        ({"a": 3.21, "b": -1.2}, 0.1, "a 3.2, b \N{MINUS SIGN}1.2"),
    ],
)
def test_figures_have_at_most_three_digits_and_no_more_than_their_error_allows(values, half, text):
    assert said(rows(values, half), picture(COINS)) == f"Coins it brings: {text}."


def test_values_that_read_alike_are_no_finding():
    assert (
        said(rows({"a": 0.9996, "b": 0.9930}, 1e-4, "win_share"), picture(), Finding(least=0.001))
        == "Games won: a 100 %, b 99 %."
    )
    assert said(rows({"a": 0.9996, "b": 0.9970}, 1e-4, "win_share"), picture(), Finding(least=0.001)) == ""


def test_nouns_agree_with_their_numbers():
    finding = Finding("{most.value:coin}, {least.value:coin}, {most:tile}, {least:tile}, {size:loss|losses}")
    table = rows({"3": 9.0, "1": 1.0}, 1.2)
    assert said(table, picture(COINS), finding) == "9 coins, 1 coin, 3 tiles, 1 tile, 8 losses"


def test_a_column_that_a_table_lacks_is_no_error_of_a_page():
    table = rows({"a": 10.0, "b": 12.0})
    assert said(table, picture(COINS), Finding(key="thign")) == ""
    assert said(table, picture(COINS), Finding(where={"by": "all"})) == ""


def test_levels_have_the_names_of_the_game():
    finding = Finding("{most} beat {least}.")
    table = rows({"pirate": 3.0, "ware": 1.0})
    assert said(table, picture(COINS), finding, {"pirate": "pirate flags"}) == "pirate flags beat ware."


def test_series_are_compared_at_the_same_place():
    """Flags at one sail number, not one flag at different sail numbers."""
    table = pd.concat([rows({"pirate": 0.8, "ware": 0.1}, 0.01, "win_share", sail="1"), rows({"pirate": 0.3, "ware": 0.35}, 0.01, "win_share", sail="5")])  # fmt: skip
    lines = picture(kind="lines", x="sail", series="thing")
    assert (
        said(table, lines, Finding("sail {at}: {most} {most.value}, {least} {least.value}"))
        == "sail 1: pirate 80 %, ware 10 %"
    )
    assert said(table, lines, Finding("{at} {most} {least}", key="sail")) == "pirate 1 5"
    assert said(table, lines) == "Games won, 1: pirate 80 %, ware 10 %."


def test_variants_side_by_side_are_not_compared():
    table = rows({"a": 10.0, "b": 12.0})
    assert said(table, picture(COINS, series=SCENARIO)) == "Coins it brings: b 12.0, a 10.0."
    assert said(table, picture(COINS, x="players", series=SCENARIO)) == ""


def test_the_parts_of_bars_are_compared_one_by_one():
    points, tasks = Figure("points_mean", "edifices", "amount"), Figure("tasks_mean", "tasks", "amount")
    table = pd.concat(
        [rows({"a": 10.0, "b": 11.0}, figure="points_mean"), rows({"a": 5.0, "b": 3.0}, figure="tasks_mean")]
    )
    finding = Finding("{most} has {most.value} from {at}, {least} {least.value}.")
    assert said(table, picture(points, tasks, kind="bars"), finding) == "a has 5.0 from tasks, b 3.0."


def test_figures_of_one_panel_are_compared_where_they_have_no_other_key():
    first, last = (
        Figure("leader_1", "leader after round 1", "share"),
        Figure("leader_3", "leader after round 3", "share"),
    )
    table = pd.concat([rows({"all": 0.4}, figure="leader_1"), rows({"all": 0.8}, figure="leader_3")])
    leaders = picture(first, last, x="players", series="figure")
    assert said(table, leaders, Finding("{most} {most.value}, {least} {least.value}")) == "leader after round 3 80 %, leader after round 1 40 %"  # fmt: skip


@pytest.mark.parametrize(("value", "text"), [(0.4, "more: 40 %, not 25 %"), (0.1, "less: 10 %, not 25 %"), (0.26, "")])
def test_a_figure_beside_an_equal_chance(value, text):
    finding = Finding("more: {most.value}, not {equal}", "less: {most.value}, not {equal}", against="equal")
    table = rows({"a": value}, 0.02, "win_share")
    assert said(table, picture(), finding) == text
    if value < 0.25:
        assert said(table, picture(), Finding("more", against="equal")) == ""


def test_a_figure_beside_zero_has_a_size():
    finding = Finding("{most} needs {size:point} more.", "{most} needs {size:point} fewer.", against=0.0)
    table = rows({"a": -2.5, "b": 1.0}, 0.01)
    assert said(table, picture(COINS), finding) == "a needs 2.5 points fewer."


@pytest.mark.parametrize(
    ("text", "against", "words"),
    [
        ("{mots}", None, "unknown slot 'mots'; known: .* did you mean 'most'"),
        ("{equal}", None, "unknown slot 'equal'"),
        ("{least}", 0.5, "unknown slot 'least'"),
        ("{most.values}", None, "did you mean 'most.value'"),
        ("{most", None, "expected '}'"),
        ("{}", None, "unknown slot ''"),
    ],
)
def test_an_unknown_slot_is_named(text, against, words):
    with pytest.raises(InputError, match=f"^report.toml: .*{words}"):
        Finding(text, against=against).check("report.toml: pictures.x.finding")

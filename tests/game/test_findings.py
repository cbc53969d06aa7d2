"""The finding of a section: true of what is planted, in the words of the game, silent where nothing is certain."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from strozzi_sim import stats
from strozzi_sim.declare.figure_tables import FigureTable
from strozzi_sim.declare.finding import Finding, comparison_of, finding_of
from strozzi_sim.declare.pictures import SCENARIO, Picture
from strozzi_sim.declare.printing import THIN
from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import Figure

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
        table.add(CELL, Figure(figure), estimate, thing=level, **more)
    return table.frame()


def planted(rng, shares, deals=120, uses=3):
    """A table of games won by the takers of things: in each deal every thing is taken some times, and wins with its share."""
    shares = np.asarray(shares)
    taken = rng.poisson(uses, (deals, len(shares)))
    table = FigureTable("thing")
    share = stats.ratio(WIN_UNITS * rng.binomial(taken, shares), taken, unit=WIN_UNITS, n_deals=deals)
    cell = SimpleNamespace(**{**vars(CELL), "deals": deals})
    table.add(cell, WON, share, thing=[f"T{k}" for k in range(len(shares))])
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
        table.add(CELL, WON, share, thing=[f"T{k}" for k in range(parts)])
        claims += said(table.frame(), picture()) != ""
    assert claims <= 3


def test_what_equals_a_number_is_seldom_said_to_differ_from_it():
    against = Finding("{most} wins {most.value}.", "{most} wins only {most.value}.", against="equal")
    claims = sum(
        said(planted(np.random.default_rng(seed), [0.25] * 10), picture(), against) != "" for seed in range(60)
    )
    assert claims <= 3


AB, WORST = {"a": 10.0, "b": 12.0}, Finding("{most} over {least}")
BOTH = Finding("{most} {most.value}, {least} {least.value}")
BY_SAIL = pd.concat(
    [
        rows({"pirate": 0.8, "ware": 0.1}, 0.01, "win_share", sail="1"),
        rows({"pirate": 0.3, "ware": 0.35}, 0.01, "win_share", sail="5"),
    ]
)
LINES = picture(kind="lines", x="sail", series="thing")
PARTS = [Figure(name, name.removesuffix("_mean"), "amount") for name in ("points_mean", "tasks_mean")]
OF_PARTS = [rows({"a": 10.0, "b": 11.0}, figure="points_mean"), rows({"a": 5.0, "b": 3.0}, figure="tasks_mean")]
LEADERS = [Figure(f"leader_{k}", f"leader after round {k}", "share") for k in (1, 3)]
OF_LEADERS = [rows({"all": 0.4}, figure="leader_1"), rows({"all": 0.8}, figure="leader_3")]
NOUNS = Finding("{most.value:coin}, {least.value:coin}, {most:tile}, {least:tile}, {size:loss|losses}")
CLOSE = Finding(least=0.001)


@pytest.mark.parametrize(
    ("table", "shown", "finding", "text"),
    [
        (planted(np.random.default_rng(3), [0.25, 0.6, 0.25, 0.1], deals=400), picture(), WORST, "T1 over T3"),
        # a larger difference that is not certain is passed over; the level of all together is no level
        (pd.concat([rows(AB), rows({"c": 20.0}, half=15.0)]), picture(COINS), WORST, "b over a"),
        (rows({**AB, "all": 99.0}), picture(COINS), DEFAULT, "Coins it brings: b with 12.0, a with 10.0."),
        # nothing is certain: equal, uncertain, one level, no rows, no value
        (rows({"a": 10.0, "b": 10.0}), picture(COINS), DEFAULT, ""),
        (rows(AB, 1.5), picture(COINS), DEFAULT, ""),
        (rows({"a": 10.0}), picture(COINS), DEFAULT, ""),
        (rows({}), picture(COINS), DEFAULT, ""),
        (rows({"a": np.nan, "b": 1.0}), picture(COINS), DEFAULT, ""),
        # small differences; half a point is the least of shares
        (rows({"a": 54.9, "b": 55.1}), picture(COINS), Finding(least=2.0), ""),
        (rows({"a": 0.501, "b": 0.499}, 1e-5, "win_share"), picture(), DEFAULT, ""),
        # three digits at most, and none that the error makes meaningless; values that read alike are no finding
        (rows({"a": 34.68, "b": 15.71}, 0.04), picture(COINS), BOTH, "a 34.7, b 15.7"),
        (rows({"a": 34.68, "b": 15.71}, 3.0), picture(COINS), BOTH, "a 35, b 16"),
        (rows({"a": 1234.6, "b": 1034.6}, 1.0), picture(COINS), BOTH, "a 1,230, b 1,030"),
        (rows({"a": 3.21, "b": -1.2}, 0.1), picture(COINS), BOTH, "a 3.2, b \N{MINUS SIGN}1.2"),
        (
            rows({"a": 0.9996, "b": 0.9930}, 1e-4, "win_share"),
            picture(),
            CLOSE,
            "Games won: a with 100 %, b with 99 %.",
        ),
        (rows({"a": 0.9996, "b": 0.9970}, 1e-4, "win_share"), picture(), CLOSE, ""),
        (rows({"3": 9.0, "1": 1.0}, 1.2), picture(COINS), NOUNS, "9 coins, 1 coin, 3 tiles, 1 tile, 8 losses"),
        # a column that the table lacks is no error of a page
        (rows(AB), picture(COINS), Finding(key="thign"), ""),
        (rows(AB), picture(COINS), Finding(where={"by": "all"}), ""),
        # series are compared at the same place: flags at one sail number, not one flag at different ones
        (BY_SAIL, LINES, Finding("sail {at}: {most} {most.value}, {least}"), "sail 1: pirate 80 %, ware"),
        (BY_SAIL, LINES, Finding("{at} {most} {least}", key="sail"), "pirate 1 5"),
        (BY_SAIL, LINES, DEFAULT, "Games won, sail 1: pirate with 80 %, ware with 10 %."),
        # numbers are named by their key
        (
            rows({"5": 0.9, "<3": 0.1}, 0.01, "win_share"),
            picture(),
            DEFAULT,
            "Games won: thing 5 with 90 %, thing <3 with 10 %.",
        ),
        # variants side by side are not compared; parts of bars are, one by one, and figures where there is no other key
        (rows(AB), picture(COINS, series=SCENARIO), DEFAULT, "Coins it brings: b with 12.0, a with 10.0."),
        (rows(AB), picture(COINS, x="players", series=SCENARIO), DEFAULT, ""),
        (
            pd.concat(OF_PARTS),
            picture(*PARTS, kind="bars"),
            Finding("{most} {most.value} from {at}"),
            "a 5.0 from tasks",
        ),
        (
            pd.concat(OF_LEADERS),
            picture(*LEADERS, x="players", series="figure"),
            WORST,
            "leader after round 3 over leader after round 1",
        ),
        # beside zero a figure has a size
        (
            rows({"a": -2.5, "b": 1.0}),
            picture(COINS),
            Finding("more", "{most} {size:point} fewer", against=0.0),
            "a 2.5 points fewer",
        ),
    ],
)
def test_what_is_said(table, shown, finding, text):
    assert said(table, shown, finding) == text


def test_levels_have_the_names_of_the_game_and_another_player_count_is_not_spoken_of():
    table = rows({"pirate": 3.0, "ware": 1.0})
    assert said(table, picture(COINS), WORST, {"pirate": "pirate flags"}) == "pirate flags over ware"
    assert said(table, picture(COINS), players=3) == ""


@pytest.mark.parametrize(("value", "text"), [(0.4, "more: 40 %, not 25 %"), (0.1, "less: 10 %, not 25 %"), (0.26, "")])
def test_a_figure_beside_an_equal_chance(value, text):
    finding = Finding("more: {most.value}, not {equal}", "less: {most.value}, not {equal}", against="equal")
    table = rows({"a": value}, 0.02, "win_share")
    assert said(table, picture(), finding) == text
    if value < 0.25:
        assert said(table, picture(), Finding("more", against="equal")) == ""


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

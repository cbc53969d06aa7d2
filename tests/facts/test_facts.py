"""How facts are counted: any crosstab of any rows is what plain Python counts, whatever it is counted together with."""

import msgspec
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from strozzi_games import BASE, STROZZI, variant
from strozzi_sim.declare.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import GameConfig, Levels, bands, labels, numbers
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.counting import count_rows, finish_counts
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan
from strozzi_sim.facts.sink import SEATS, batch_for
from strozzi_sim.game import load_game
from strozzi_sim.pictures.series import in_order

TABLES = STROZZI.facts.TABLES
SHIP = next(table for table in TABLES if table.name == "ship")
GAMES, PLAYERS = 5, 4
SETTING = GameConfig(PLAYERS, BASE.components)
WHERE = {
    "": lambda row: True,
    "round == 3": lambda row: row["round"] == 3,
    "not (flag == pirate or prize < 20)": lambda row: not (row["flag"] == 0 or row["prize"] < 20),
    "sail >= 4 and port != rome": lambda row: row["sail"] >= 4 and row["port"] != 1,
    "win == 1 or 2 <= order": lambda row: row["win"] == 60 or row["order"] >= 2,
    "score > 250": lambda row: row["score"] > 250,
    "place <= 1.5": lambda row: row["place"] <= 3,
    "match == 0 and takes_over == no": lambda row: row["match"] == 0 and row["takes_over"] == 0,
}
BY = ["seat", "round", "card", "sail", "cargo", "match", "flag", "port", "order", "lap", "position", "prize", "place"]
ADDED = ["prize", "steps", "win", "score", "sail", "match", "order", "takes_over", "place"]

crosstabs = some.builds(
    Crosstab, some.just("ship"),
    some.lists(some.sampled_from(BY), max_size=3, unique=True).map(tuple),
    some.lists(some.sampled_from(ADDED), max_size=4, unique=True).map(tuple), some.sampled_from(list(WHERE)),
)  # fmt: skip


def sink_of(seed):
    """A sink with rows of ships as they might be, and the rows as plain dicts."""
    rng = np.random.default_rng(seed)
    sink, rows = np.zeros(1, STROZZI.facts.SINK), []
    sink["games"] = GAMES
    ships = BASE.components["ships"]
    for game in range(GAMES):
        fared = {"position": rng.permutation(PLAYERS), "score": rng.integers(150, 350, PLAYERS),
                 "place": rng.integers(2, 8, PLAYERS), "win": rng.choice([0, 20, 30, 60], PLAYERS)}  # fmt: skip
        for name, values in fared.items():
            sink[f"of_seat_{name}"][0, game, :PLAYERS] = values
        for _ in range(rng.integers(0, 30)):
            row = {}
            for column in SHIP.written:
                levels = column.levels_in(SETTING)
                row[column.name] = int(rng.choice(levels.starts) if levels else rng.integers(0, 5000))
                sink[f"ship_{column.name}"][0, len(rows)] = row[column.name]
            row |= {name: int(values[row["seat"]]) for name, values in fared.items()}
            ship = ships[row["card"]]
            wares = [ship[port] for port in ("venice", "rome", "naples")]
            row |= {"sail": ship["sail"], "cargo": sum(wares), "match": wares[row["port"]]}
            rows.append(row)
        sink["ship_ends"][0, game] = len(rows)
    sink["ship_rows"] = len(rows)
    return sink, rows


def counts_of(plan, sink, games=GAMES, times=1):
    """What a plan counts of a sink."""
    counting, counts = plan.counting(sink), np.zeros(plan.size, np.int64)
    for _ in range(times):
        count_rows(games, counts, *counting)
    finish_counts(counts, *counting)
    return counts


def counted(crosstab, plan, rows):
    """The crosstab in plain Python."""
    levels = [plan.levels("ship", name) for name in crosstab.by]
    found = np.zeros((*(len(each.names) for each in levels), 1 + len(crosstab.sums)), int)
    for row in rows:
        if WHERE[crosstab.where](row):
            at = tuple(
                max(k for k, start in enumerate(each.starts) if row[name] >= start or k == 0)
                for each, name in zip(levels, crosstab.by, strict=True)
            )
            found[at] += [1, *(row[name] for name in crosstab.sums)]
    return found


@settings(deadline=None, max_examples=60)
@given(asked=some.lists(crosstabs, min_size=1, max_size=6), seed=some.integers(0, 1000))
def test_any_crosstabs_together_are_what_plain_python_counts(asked, seed):
    sink, rows = sink_of(seed)
    plan = CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, asked)
    counts = counts_of(plan, sink)
    for crosstab in asked:
        np.testing.assert_array_equal(plan.read(crosstab, counts[None])[0], counted(crosstab, plan, rows))


@settings(deadline=None, max_examples=30)
@given(asked=some.lists(crosstabs, min_size=1, max_size=3), later=crosstabs, seed=some.integers(0, 1000))
def test_a_plan_answers_later_questions_only_if_it_can(asked, later, seed):
    sink, rows = sink_of(seed)
    plan = CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, asked)
    if later in asked or plan.can_answer(later):
        found = plan.read(later, counts_of(plan, sink)[None])[0]
        np.testing.assert_array_equal(found, counted(later, plan, rows))


def test_counts_of_two_sinks_add_up():
    crosstab = Crosstab("ship", ("flag", "sail"), ("prize", "win"))
    plan = CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, [crosstab])
    (one, first), (two, second) = sink_of(1), sink_of(2)
    both = plan.read(crosstab, np.stack([counts_of(plan, sink) for sink in (one, two)])).sum(axis=0)
    np.testing.assert_array_equal(both, counted(crosstab, plan, first + second))


def test_no_part_of_a_sink_is_cut_off():
    """More rows than are counted at once, in every table."""
    table = next(table for table in TABLES if table.name == "marker")
    sink = np.zeros(1, STROZZI.facts.SINK)
    sink["marker_rows"], sink["marker_ends"] = table.rows, table.rows
    sink["marker_round"] = 1 + np.arange(table.rows) % 3
    crosstab = Crosstab("marker", ("round",))
    plan = CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, [crosstab])
    assert plan.read(crosstab, counts_of(plan, sink, games=1)[None])[0].sum() == table.rows


def test_sums_of_the_largest_and_smallest_values_overflow_nothing():
    table = next(table for table in TABLES if table.name == "decision")
    sink = np.zeros(1, STROZZI.facts.SINK)
    sink["decision_rows"] = table.rows
    sink["decision_cards_left"], sink["decision_phase"] = 255, np.arange(table.rows) % 2
    sink["decision_lead"], sink["decision_at_stake"] = -(2**31), 2**31 - 1
    sink["seat_rows"], sink["seat_ships"] = 4000, 2**16 - 1
    cards = Crosstab("decision", ("phase",), ("flags_left", "cards_left", "lead", "at_stake"))
    coins = Crosstab("seat", (), ("ships", "markers", "bonus"))
    plan = CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, [cards, coins])
    counts = counts_of(plan, sink, games=1, times=20)
    rows = 20 * table.rows // 2
    expected = [rows, 0, 255 * rows, -(2**31) * rows, (2**31 - 1) * rows]
    assert plan.read(cards, counts[None])[0][:2].tolist() == [expected, expected]
    assert plan.read(coins, counts[None])[0].tolist() == [80_000, 80_000 * (2**16 - 1), 0, 0]


def test_a_sink_has_room_for_its_batch():
    for players in STROZZI.player_counts:
        for name in ("base", "long-tracks"):
            setting = GameConfig(players, variant(name).components)
            assert batch_for(TABLES, setting, asked=0) >= 16
            assert batch_for(TABLES, setting) >= 4
            assert all(batch_for(TABLES, setting) * table.max_rows(setting) <= table.rows for table in TABLES)
    assert batch_for([table for table in TABLES if table.optional], SETTING, asked=0) == 64  # no table is written
    assert SEATS == 6


def test_levels_take_together_what_lies_between():
    assert numbers([5, 1, 3, 9], 5) == Levels(("1", "3", "5+"), (1, 3, 5), exact=False)
    assert labels(["a", "b"]).of(np.array([0, 1, 7])).tolist() == [0, 1, 1]
    gaps = bands([-5, 0, 5], 10)
    assert gaps.names == ("<-5", "-5", "0", "5+")
    assert gaps.of(np.array([-99, -50, -1, 0, 49, 50])).tolist() == [0, 1, 1, 2, 2, 3]


def test_bands_of_whole_numbers_are_named_by_both_ends_in_order_and_stay_numbers():
    levels = bands((-20, -5, -4, 0, 10))
    assert levels.names == ("<-20", "-20 to -6", "-5", "-4 to -1", "0 to 9", "10+")
    assert levels.are_numbers  # so that kept rows have the numbers
    assert in_order(pd.Series(levels.names[::-1]), ()) == [*levels.names]
    values = np.array([-30, -6, -5, 9])
    for text in ("gap == '-20 to -6'", "gap >= -20 and gap < -5"):
        found = Condition(text).evaluate({"gap": values}, {"gap": levels}, {"gap": 1})
        assert found.tolist() == [False, True, False, False]
    found = Condition("gap == '<-20'").evaluate({"gap": values}, {"gap": levels}, {"gap": 1})
    assert found.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("round = 3", "is not a condition"), ("__import__('os')", "is not a condition"), ("round == 3 and", "is not a condition"),
        ("1 < round < 3", "is not a condition"), ("flag", "is not a condition"), ("", "is not a condition"),
        ("round + 1 == 2", "is not a condition"), ("round == [3]", "is not a condition"), ("(" * 500 + "x == 1" + ")" * 500, "is not a condition"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        Condition(text)


def test_a_table_of_a_sample_of_deals_is_meant_only_by_name():
    lots = HeatMapSpec("mine", rows="order", columns="seat", value="mean price")
    game = load_game("medici_vs_strozzi")
    assert custom_heat_map(game, lots).block.fact == "lot"
    assert custom_heat_map(game, msgspec.structs.replace(lots, fact="price_estimate")).block.fact == "price_estimate"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rows": "flg"}, "unknown column 'flg'; did you mean flag"),
        ({"columns": "cards"}, "unknown column 'cards'; did you mean card"),
        ({"rows": "xyz"}, "unknown column 'xyz'; `strozzi facts strozzi` lists all"),
        ({"columns": "score"}, "score has no levels and cannot be a row or column; did you mean "),
        ({"value": "mean"}, 'value: must be "count", "share", "mean COLUMN" or "share COLUMN", got'),
        ({"value": "share steps"}, "steps is not yes or no"),
        ({"columns": "flag"}, "rows and columns are both 'flag'"),
        ({"fact": "shp"}, "unknown table 'shp'"),
        ({"fact": "card"}, "table card: no column 'flag'"),
        (
            {"rows": "seat", "columns": "round"},
            "round and ship and marker and tile and decision have the columns seat, round; name one",
        ),
        ({"rows": "flag", "columns": "city"}, "no fact table has all of flag, city"),
    ],
)
def test_a_map_that_cannot_be_is_refused_in_words(asked, said):
    wanted = {"name": "mine", "rows": "flag", "columns": "sail", **asked}
    with pytest.raises(InputError) as refused:
        custom_heat_map(STROZZI, HeatMapSpec(**wanted))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("where", "said"),
    [("flag == pirat", "flag is never 'pirat'; known: pirate, plus_one, ware; did you mean 'pirate'"),
     ("flag == 1", "flag is never 1"), ("round == first", "round is never 'first'; it is a number"),
     ("colour == red", "no column 'colour'"), ("prize > 1e400", "prize is compared with inf; give a number between"),
     ("score > -2000000000 or score > 2000000000", "score is compared with -2e+09"), ("prize == 10000000000000000000000", "compared with 1e+22"),
     ("prize == 1" + 400 * "0", "compared with inf"), ("win < -17477", "give a number between -17476 and 17476")],
)  # fmt: skip
def test_a_condition_on_what_never_is_is_refused(where, said):
    with pytest.raises(InputError) as refused:
        CrosstabPlan(TABLES, STROZZI.facts.SINK, SETTING, [Crosstab("ship", (), (), where)])
    assert said in str(refused.value)


def test_a_value_may_be_called_what_python_reserves():
    levels, values = labels(["pass", "None", "ware"]), {"action": np.array([0, 1, 2])}
    for text, holds in (
        ("action == pass", [1, 0, 0]), ("action != pass and not action == None", [0, 0, 1]), ("action == 'pass'", [1, 0, 0]),
    ):  # fmt: skip
        found = Condition(text).evaluate(values, {"action": levels}, {"action": 1})
        assert found.tolist() == [bool(each) for each in holds]

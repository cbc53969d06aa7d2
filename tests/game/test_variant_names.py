"""Variants of changed values: one name for one set of values, and an error where two different variants share a name."""

import re
from dataclasses import replace

import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import NAME, name_of_values, resolve_variant, with_values

MEDICI = load_game("medici_vs_strozzi")
VALUES = [
    100, -100, 10, 1, -1, 0, 1.5, -1.5, 15, 0.1, 1e-7, 1e22, True, False, "true", "1", "-1", "a", "A", "a b", "a-b", "ab", "", None,
    [1, 0], [10], [1, -1], [[1], 0], [], {}, {"7": 10}, {"7": -10}, {"7": "10"}, {"71": 0}, "minus-1", "minus", "1-5", "x" * 90, "x" * 91,
]  # fmt: skip


def test_a_name_has_one_value_and_a_value_one_name():
    names = {repr(value): name_of_values("", {"money.start_cash": value}) for value in VALUES}
    assert len(set(names.values())) == len(VALUES), names
    assert all(NAME.fullmatch(name) for name in names.values()), names
    for one, same in ((1, 1.0), (-100, -100.0), ([1, 2], (1.0, 2)), ({7: 1, 8: 2}, {"8": 2, "7": 1.0})):
        assert name_of_values("base-x", {"a.b": one}) == name_of_values("base-x", {"a.b": same})


def test_pairs_of_keys_have_names_of_their_own():
    pairs = [{"a.b": one, "c.d": other} for one in (1, -1, 11, [1]) for other in (1, -1, 11, [1])]
    assert len({name_of_values("", pair) for pair in pairs}) == len(pairs)
    long = [{"a." + "b" * 70: value} for value in (1, -1, 2, 12)]
    assert len({name_of_values("", values) for values in long}) == len(long)


@pytest.mark.slow
def test_a_sweep_over_zero_keeps_every_value():
    found = ss.sweep("medici_vs_strozzi", "money.start_cash = -100 100 300", agents="random", deals=40)
    scores = found.tables["sweep"].query("figure == 'score_mean'").set_index("money.start_cash")["value"]
    assert list(scores.index) == [-100, 100, 300]
    assert scores[300] - scores[100] == pytest.approx(200)


def test_two_variants_of_one_name_are_an_error_that_names_both():
    rich, poor = (with_values(MEDICI, "base", {"money.start_cash": cash}) for cash in (300, -100))
    twins = [replace(variant, name="cash") for variant in (rich, poor)]
    words = re.escape("two variants are called 'cash': money.start_cash=300; and money.start_cash=-100")
    with pytest.raises(InputError, match=words):
        ss.compare("medici_vs_strozzi", *twins, agents="random", deals=20)
    with pytest.raises(InputError, match=words):
        ss.simulate("medici_vs_strozzi", agents="random", variant=twins, deals=20)
    with pytest.raises(InputError, match="two variants are called 'base'"):
        ss.compare("medici_vs_strozzi", replace(poor, name="base"), "base", agents="random", deals=20)


@pytest.mark.slow
def test_values_of_opposite_sign_are_compared():
    two = [with_values(MEDICI, "base", {"money.start_cash": cash}) for cash in (-100, 100)]
    found = ss.compare("medici_vs_strozzi", *two, agents="random", deals=40, progress=False)
    score = found.tables["difference"].query("figure == 'score_mean'")
    assert score["value"].to_list() == pytest.approx([-200, -200])
    assert [variant.name for variant in two] == ["money-start-cash-minus-100", "money-start-cash-100"]
    assert resolve_variant(MEDICI, two[0]) is two[0]

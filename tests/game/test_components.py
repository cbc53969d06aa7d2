"""The rules record filled from component data by name: lists of blocks in a section or beside them, also empty ones."""

from typing import Annotated

import numpy as np
import pytest
from msgspec import Meta, Struct

from strozzi_sim.errors import InputError
from strozzi_sim.game.components import rules_dtype, rules_from, to_plain


class Lot(Struct):
    price: int
    is_rare: bool
    goods: Annotated[list[int], Meta(max_length=2)]


Lots = Annotated[list[Lot], Meta(max_length=3)]


class Market(Struct):
    stalls: Lots
    fee: int


class Components(Struct):
    lots: Lots
    market: Market


LOT = Lot(7, True, [1, 2])


@pytest.mark.parametrize(
    ("lots", "stalls"), [([LOT], []), ([], [LOT, Lot(9, False, [3, 4])]), ([LOT], [LOT]), ([], [])]
)
def test_blocks_fill_the_rules_wherever_they_are(lots, stalls):
    dtype = rules_dtype(Components)
    assert dtype.names == (
        "lots_count", "lots_price", "lots_is_rare", "lots_goods",
        "stalls_count", "stalls_price", "stalls_is_rare", "stalls_goods", "fee",
    )  # fmt: skip
    rules = rules_from(dtype, Components(lots, Market(stalls, 5)))[0]
    assert rules["fee"] == 5
    for name, blocks in (("lots", lots), ("stalls", stalls)):
        empty = 3 - len(blocks)
        assert rules[f"{name}_count"] == len(blocks)
        assert rules[f"{name}_price"].tolist() == [block.price for block in blocks] + [0] * empty
        assert rules[f"{name}_is_rare"].tolist() == [block.is_rare for block in blocks] + [0] * empty
        assert rules[f"{name}_goods"].tolist() == [block.goods for block in blocks] + [[0, 0]] * empty


def test_a_field_without_a_value_is_refused_also_beside_an_empty_list():
    with pytest.raises(InputError, match="rules field 'lots_prize': no section has a key of this name"):
        rules_from(np.dtype([("lots_prize", "i8", 3)]), Components([], Market([], 5)))
    with pytest.raises(InputError, match=r"rules field 'fee': cannot hold \[\]"):
        rules_from(np.dtype([("fee", "i8")]), Components([], Market([], 5)), fee=[])


def test_totals_replace_the_values_that_are_given():
    class Coins(Struct):
        total: int | None
        note: str = ""

    class Box(Struct):
        coins: Coins

    totals = {"coins.total": 12}
    assert to_plain(Box(Coins(9, "x")), ["coins"], ["note"], totals) == {"coins": {"total": 12}}
    assert to_plain(Box(Coins(None)), ["coins"], ["note"], totals) == {"coins": {}}

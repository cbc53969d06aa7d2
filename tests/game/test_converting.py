"""What does not fit its type is told by place, value and what is allowed; a place names ids and entries of tables."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from strozzi_sim.errors import InputError
from strozzi_sim.game.converting import converted

Small = Annotated[int, Meta(le=9)]


class Leaf(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    colour: Literal["red", "blue"] | None = None
    size: Small = 0


class Tree(msgspec.Struct):
    leaves: list[Leaf] = []
    by_name: dict[str, dict[str, Small]] = {}
    by_number: dict[int, Literal[1, 2]] = {}
    pair: tuple[Small, Literal["a", "b"]] = (0, "a")
    rows: list[list[Literal["x", ""]]] = []


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"leaves": [{"id": "A"}, {"id": "B", "size": 10}]}, "leaves.B.size: expected a whole number <= 9, got 10"),
        ({"leaves": [{"id": "A"}, {"id": "A", "size": 10}]}, "leaves[1].size: expected a whole number <= 9, got 10"),
        ({"leaves": [{"size": 10}]}, "leaves[0].size: expected a whole number <= 9, got 10"),
        ({"leaves": [{"size": 10, "id": "no id"}]}, "leaves[0].size: expected a whole number <= 9, got 10"),
        ({"leaves": [{"id": 3}]}, "leaves[0].id: expected text, got 3"),
        ({"leaves": [{"id": "A"}, 3]}, "leaves[1]: expected a table, got 3"),
        ({"leaves": [{"id": "A", "age": 3}]}, "leaves.A: unknown key 'age'; known: id, colour, size"),
        ({"leaves": [{"id": "A", "colour": "rot"}]}, "leaves.A.colour: invalid value 'rot'; known: blue, red"),
        ({"by_name": {"a": {"b": 1}, "c": {"d": 1, "e": 11}}}, "by_name.c.e: expected a whole number <= 9, got 11"),
        ({"by_number": {"1": 1, "2": 3}}, "by_number.2: invalid value 3; known: 1, 2"),
        ({"by_number": {"1": 1, "two": 1}}, "by_number: expected a whole number as a key, got 'two'"),
        ({"pair": [1, "c"]}, "pair[1]: invalid value 'c'; known: a, b"),
        ({"rows": [[], ["x", "y"]]}, "rows[1][1]: invalid value 'y'; known: '', x"),
        (3, "expected a table, got 3"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_by_its_place(raw, words):
    with pytest.raises(InputError) as refused:
        converted(raw, Tree, "here", str_keys=True)
    assert str(refused.value) == f"here: {words}"

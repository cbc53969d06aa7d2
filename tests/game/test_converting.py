"""What does not fit its type is told by place, value and what is allowed; a place names ids and entries of tables."""

import ast
import subprocess
import sys
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from paths import ROOT
from sources import tree_of
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


FIRST_USES = """
import sys
from threading import Barrier, Thread
import msgspec
from strozzi_sim.game.converting import converted

def convert(kind, begin):
    begin.wait()
    assert converted([{"leaf": {"f5": 3}}], list[kind], "here")[0].leaf.f5 == 3

sys.setswitchinterval(1e-6)
for _ in range(150):
    fields = [(f"f{number}", dict[str, list[int]] | int | None, None) for number in range(30)]
    kind, begin = msgspec.defstruct("Tree", [("leaf", msgspec.defstruct("Leaf", fields))]), Barrier(4)
    threads = [Thread(target=convert, args=(kind, begin)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_can_use_a_type_for_the_first_time_at_once():
    """In a process of its own, which msgspec ends by a signal if two threads build a type."""
    done = subprocess.run([sys.executable, "-c", FIRST_USES], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_every_type_that_msgspec_uses_is_built_by_one_thread():
    found = 0
    for file in (ROOT / "strozzi_sim").rglob("*.py"):
        for call in (node for node in ast.walk(tree_of(file)) if isinstance(node, ast.Call)):
            name, kinds = ast.unparse(call.func), [each.value for each in call.keywords if each.arg == "type"]
            if name == "msgspec.convert":
                kinds = [call.args[1]]
            elif not (name.startswith("msgspec.") and name.endswith("decode")):
                continue
            for kind in map(ast.unparse, kinds):
                found += 1
                assert kind.startswith("built(") or kind == "dict[str, Any]", f"{file.name}: {ast.unparse(call)}"
    assert found > 8

"""Conditions on columns: `round == 3 and not (seat == 0 or steps < 2)`, parsed and never executed as code."""

import ast
import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.facts.columns import Array, Levels
from strozzi_sim.runtime.parsing import real_number

_COMPARED = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WORDS = {
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.Lt: "is below",
    ast.LtE: "is at most",
    ast.Gt: "is above",
    ast.GtE: "is at least",
}
_FLIPPED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
MAX_NUMBER = 2**20  # largest number in a comparison, times the column's scale: a table has an entry for each value
_FORM = "comparisons of a column with a number or a name, joined by and, or, not, in parentheses"

# Names of values that are keywords of Python ("pass") are parsed as quoted names.
_RESERVED = re.compile(r"\"[^\"]*\"|'[^']*'|\b(" + "|".join({*keyword.kwlist} - {"and", "or", "not"}) + r")\b")


def _parsed(text: str) -> ast.Expression:
    """Return the tree of an expression.

    CPython 3.11 may raise SystemError while another thread parses; the text is then parsed again.
    """
    try:
        return ast.parse(text, mode="eval")
    except SystemError:
        return ast.parse(text, mode="eval")


def _constant(node: ast.AST) -> str | float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


class Condition:
    """A condition parsed from its text. Invalid text and values raise ArgumentError for the argument `where`."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            plain = _RESERVED.sub(lambda match: repr(match[1]) if match[1] else match[0], text.strip())
            tree = _parsed(plain)
            for node in ast.walk(tree):
                if isinstance(_constant(node), int | float):
                    real_number(ast.get_source_segment(plain, node) or "")  # unlike Python, without 1_0 and 0x10
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ArgumentError("where", f"{short_repr(text)} is not a condition; give {_FORM}") from None
        self._tree = self._checked(tree.body)

    def _checked(self, node: ast.expr) -> Any:
        """Return the tree as nested tuples: ("and", ...), ("not", part), (column, comparison, value)."""
        if isinstance(node, ast.BoolOp):
            return ("and" if isinstance(node.op, ast.And) else "or", *map(self._checked, node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ("not", self._checked(node.operand))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
            left, right, kind = node.left, node.comparators[0], type(node.ops[0])
            if not isinstance(left, ast.Name) and isinstance(right, ast.Name):
                left, right, kind = right, left, _FLIPPED.get(kind, kind)  # 3 == round
            value = self._value(right)
            if isinstance(left, ast.Name) and value is not None:
                return (left.id, kind, value)
        raise ArgumentError("where", f"{short_repr(self.text)}: {ast.unparse(node)!r} is not a condition; give {_FORM}")

    @staticmethod
    def _value(node: ast.expr) -> str | float | None:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = Condition._value(node.operand)
            return -inner if isinstance(inner, int | float) else None
        return _constant(node)

    def _comparisons(self, tree: Any) -> Iterator[tuple[str, type, Any]]:
        if isinstance(tree[1], type):  # not by tree[0]: ast normalizes full-width letters, so a column can be "and"
            yield tree
        else:
            for part in tree[1:]:
                yield from self._comparisons(part)

    @property
    def columns(self) -> list[str]:
        """The names of the compared columns, each once."""
        return list(dict.fromkeys(column for column, _, _ in self._comparisons(self._tree)))

    @property
    def words(self) -> str:
        """The condition as a clause: `round == 3 and seat != 0` is "round is 3 and seat is not 0"."""
        return self._clause(self._tree)

    def _clause(self, tree: Any) -> str:
        if isinstance(tree[1], type):
            column, kind, value = tree
            text = value if isinstance(value, str) else f"{value:g}"
            return f"{column} {_WORDS[kind]} {text}".replace("_", " ")
        parts = [self._clause(part) if isinstance(part[1], type) else f"({self._clause(part)})" for part in tree[1:]]
        return f"not {parts[0]}" if tree[0] == "not" else f" {tree[0]} ".join(parts)

    def bounds(self, column: str, levels: Levels | None, scale: int) -> list[int]:
        """Return the column's values at which a comparison of it can change its result, ascending."""
        compared = [value for name, _, value in self._comparisons(self._tree) if name == column]
        return sorted({end for value in compared for end in self._between(column, value, levels, scale)})

    def _between(self, column: str, value: Any, levels: Levels | None, scale: int) -> tuple[int, int]:
        """Return the smallest stored value not below `value`, a number or a level, and the smallest above it.

        A column stores whole numbers, `scale` times the number.
        """
        names = levels.names if levels else ()
        numeric = levels is None or levels.are_numbers
        if levels and isinstance(value, str) and value in names:
            level, ends = names.index(value), (-(2**31), *levels.starts[1:], 2**31)  # outer levels are open
            return ends[level], ends[level + 1]
        if isinstance(value, str) or not numeric:
            hint = "it is a number" if numeric else suggest_names(str(value), names)
            raise ArgumentError("where", f"{short_repr(self.text)}: {column} is never {value!r}; {hint}")
        if not abs(value * scale) <= MAX_NUMBER:
            number = float(str(value))  # a whole number too large for a float becomes inf
            compared = f"{short_repr(self.text)}: {column} is compared with {number:g}"
            most = MAX_NUMBER // scale
            raise ArgumentError("where", f"{compared}; give a number between {-most} and {most}")
        return int(np.ceil(value * scale)), int(np.floor(value * scale)) + 1

    def evaluate(
        self, values: Mapping[str, Array], levels: Mapping[str, Levels | None], scales: Mapping[str, int]
    ) -> Array:
        """Return where the condition holds, bool of the common shape of its columns' values."""

        def evaluate_part(tree: Any) -> Any:
            if not isinstance(tree[1], type):
                parts = [evaluate_part(part) for part in tree[1:]]
                if tree[0] == "not":
                    return ~parts[0]
                return np.logical_and.reduce(parts) if tree[0] == "and" else np.logical_or.reduce(parts)
            column, kind, value = tree
            low, high = self._between(column, value, levels[column], scales[column])
            column_values = values[column]
            if kind in (ast.Eq, ast.NotEq):
                equal = (column_values >= low) & (column_values < high)
                return equal if kind is ast.Eq else ~equal
            bound = low if kind in (ast.Lt, ast.GtE) else high
            return column_values < bound if kind in (ast.Lt, ast.LtE) else column_values >= bound

        return np.asarray(evaluate_part(self._tree))

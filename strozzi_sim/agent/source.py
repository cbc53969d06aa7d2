"""The source text of an agent declared in code: in a notebook cell or a script."""

import ast
import inspect
import linecache
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any


def source_of(player: Any) -> str | None:
    """Return the source text of a function, a class with the bases from its module, or an object's class; None without.

    Functions that it calls are not included. IPython keeps the text of cells, Python the text of files; code from a
    prompt or from `exec` has no text.
    """
    if isinstance(player, FunctionType):
        try:
            return inspect.getsource(player)
        except (OSError, TypeError):
            return None
    made = player if isinstance(player, type) else type(player)
    family = [base for base in made.__mro__ if base.__module__ == made.__module__]
    files = {function.__code__.co_filename: function.__globals__ for base in family for function in _functions(base)}
    texts = [_class_text(base, files) for base in family]
    return None if None in texts else "\n".join(map(str, texts))


def _class_text(made: type, files: Mapping[str, dict[str, Any]]) -> str | None:
    """Return the text of a class with its decorators, located by its methods; `inspect` finds it in files only."""
    own = {(each.__code__.co_filename, each.__code__.co_firstlineno) for each in _functions(made)}
    for file, names in files.items():
        lines = linecache.getlines(file, names)
        try:
            nodes = [node for node in ast.walk(ast.parse("".join(lines))) if isinstance(node, ast.ClassDef)]
        except SyntaxError:
            continue
        found = [(node.lineno, node.end_lineno or node.lineno, node) for node in nodes if node.name == made.__name__]
        at = {line for where, line in own if where == file}
        held = [each for each in found if any(each[0] <= line <= each[1] for line in at)] or ([] if own else found)
        for first, last, node in held[-1:]:
            return "".join(lines[min([first, *(decorator.lineno for decorator in node.decorator_list)]) - 1 : last])
    return None


def _functions(made: type) -> Iterator[FunctionType]:
    """Yield the functions in the body of a class."""
    for each in vars(made).values():
        function = each.__func__ if isinstance(each, staticmethod | classmethod) else each
        if isinstance(function, FunctionType):
            yield function

"""Kernels made from declarations: their source is generated, because compiled code has no loops over names."""

from collections.abc import Callable
from textwrap import indent
from typing import Any


def generated(source: str, name: str, **bound: Any) -> Callable[..., Any]:
    """Return the function `name` that `source` defines; it refers to the values `bound` by their names.

    The values are bound as a closure, so that the cache of compiled code distinguishes equal sources (`kernel.kept_drafts`).

    >>> generated("def add(a): return a + b", "add", b=2)(3)
    5
    """
    maker = f"def make({', '.join(bound)}):\n{indent(source, '    ')}\n    return {name}\n"
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(maker, __file__, "exec"), space)
    function: Callable[..., Any] = space["make"](**bound)
    return function

"""Search for draws from the process's global random stream in the code of a compiled agent, before it plays.

numba compiles calls of the modules `random` of Python and of NumPy with an internal stream, which no seed of a study
sets. Games of such an agent could not be repeated.
"""

import dis
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

from strozzi_sim.errors import AgentFault

_MODULES = ("random", ".".join(("numpy", "random")))


def refuse_global_random(name: str, function: Callable[..., Any]) -> None:
    """Check that a compiled agent and the compiled functions that it calls draw only from the agent's stream."""
    if draw := _global_draw(function):
        raise AgentFault(
            f"agent {name!r}: {draw} is not the agent's stream, so its games could not be repeated; draw with randbelow(rng, n) of "
            "strozzi_sim.kernel.streams"
        )


@lru_cache(maxsize=1024)
def _global_draw(function: Callable[..., Any]) -> str:
    """Return the place and the name of the first use of a global stream, or ""."""
    pending, seen = [function], set[int]()
    while pending:
        current = pending.pop()
        if id(current) in seen or not isinstance(current, FunctionType):
            continue
        seen.add(id(current))
        for name, value, line in _values(current):
            if _is_global_stream(value):
                return f"{Path(current.__code__.co_filename).name}, line {line}: {name}"
            compiled = getattr(value, "py_func", None)  # the Python function, if numba compiled it
            if compiled is not None and not compiled.__module__.startswith("strozzi_sim."):
                pending.append(compiled)
    return ""


def _values(function: FunctionType) -> Iterator[tuple[str, Any, int]]:
    """Yield the global values that a function reads, and the attributes that it takes of modules: name, value and line."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    bound = function.__globals__ | {name: cell.cell_contents for name, cell in cells if cell != CellType()}
    name, value = "", None
    for step in dis.get_instructions(function):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            name, value = step.argval, bound.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            name, value = f"{name}.{step.argval}", getattr(value, step.argval, None)
        else:
            value = None
        if value is not None:
            yield name, value, (step.positions and step.positions.lineno) or function.__code__.co_firstlineno


def _is_global_stream(value: Any) -> bool:
    """Return whether a value is a module of random numbers, or a function of one."""
    if isinstance(value, ModuleType):
        return value.__name__ in _MODULES
    owner = type(getattr(value, "__self__", None)).__module__
    return callable(value) and (owner in _MODULES or owner.startswith(f"{_MODULES[1]}."))

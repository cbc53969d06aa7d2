"""Write docs/api.md and strozzi_sim/__init__.pyi from the public names of strozzi_sim: `python docs/write_api.py`."""

import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import strozzi_sim as ss

GROUPS: dict[str, tuple[str, ...]] = {
    "Play and count": (
        "simulate",
        "heatmap",
        "Study",
        "Look",
        "read_study",
        "run",
        "Results",
        "load_results",
        "merge",
        "side_by_side",
    ),
    "Questions": (),  # all that are in no other group
    "One game": ("Position", "record", "analyse"),
    "Thousands of games at once": ("VectorEnv",),
    "What there is": ("game_names", "agents", "load_game", "load_agent"),
    "Agents and games of your own": ("compiled_agent", "python_agent", "Param", "check_agent", "check_game"),
}
SECTIONS = ("Args:", "Attributes:", "Returns:", "Raises:")
_LISTED = {name for names in GROUPS.values() for name in names} | {"__version__"}
GROUPS["Questions"] = tuple(name for name in dir(ss) if name not in _LISTED)
FILE = Path(__file__).parent / "api.md"
STUB = Path(ss.__file__).with_suffix(".pyi")


def page() -> str:
    """Return the page."""
    lines = [
        "# The Python interface",
        "",
        "Only the names on this page are public (`import strozzi_sim as ss`). Every command is also a function, with identical results.",
        "Pass games, agents and variants by name, as on the command line, or as objects. Errors are exceptions",
        "of `strozzi_sim.errors`; `InputError`, for a wrong argument, names the argument and the allowed values.",
        "",
        "`python docs/write_api.py` generates this page from the docstrings.",
    ]
    for title, names in GROUPS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += ["", *_entry(name)]
    return "\n".join(lines) + "\n"


def stub() -> str:
    """Return strozzi_sim/__init__.pyi, in which type checkers find the public names, which are imported on first use."""
    names_of_module: dict[str, list[str]] = {}
    for name, place in ss._PLACES.items():
        names_of_module.setdefault(place.partition(":")[0], []).append(name)
    imports = [f"from {module} import {', '.join(names)}" for module, names in names_of_module.items()]
    listed = [f'    "{name}",' for name in ss.__all__]
    return "\n".join([*sorted(imports), "", "__version__: str", "", "__all__ = [", *listed, "]", ""])


def _entry(name: str) -> list[str]:
    thing = getattr(ss, name)
    made_by_us = "" if name == "Results" else _signature(thing)
    lines = [f"### `ss.{name}{made_by_us}`", "", *_text(inspect.getdoc(thing) or "")]
    if inspect.isclass(thing) and thing.__module__.split(".")[1] != "agent":
        of_ours = [base for base in thing.__mro__ if base.__module__.startswith("strozzi_sim.")]
        own = [
            (key, each)
            for base in of_ours
            for key, each in vars(base).items()
            if not key.startswith("_")
            and (each.__class__ in (property, cached_property) or callable(getattr(each, "__func__", each)))
        ]
        for key, each in own:
            plain = each.__func__ if isinstance(each, staticmethod | classmethod) else each
            what = f"`.{key}`" if isinstance(each, property | cached_property) else f"`.{key}{_signature(plain)}`"
            lines += ["", f"**{what}**  ", *_text(inspect.getdoc(plain) or "")]
    return lines


def _signature(thing: Any) -> str:
    """Return the arguments and their defaults, without types."""
    parts, star = [], False
    for argument in inspect.signature(thing).parameters.values():
        if argument.name in ("self", "cls"):
            continue
        if argument.kind == argument.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or argument.kind in (argument.KEYWORD_ONLY, argument.VAR_POSITIONAL)
        mark = {argument.VAR_POSITIONAL: "*", argument.VAR_KEYWORD: "**"}.get(argument.kind, "")
        parts.append(mark + argument.name + ("" if argument.default is argument.empty else f"={argument.default!r}"))
    return f"({', '.join(parts)})"


def _text(doc: str) -> list[str]:
    """Return a docstring as Markdown: sections as lists, examples as code."""
    lines: list[str] = []
    section = code = False
    for line in doc.split("\n"):
        if line.startswith(">>>") and not code:
            lines.append("```python")
            code = True
        elif code and not line:
            lines.append("```")
            code = False
        if code:
            lines.append(line)
        elif line in SECTIONS:
            lines += [f"*{line[:-1]}*", ""]
            section = True
        elif section and re.match(r" {4}\S", line) and (match := re.match(r" {4}([\w, *]+): (.*)", line)):
            lines.append(f"- `{match[1]}`: {match[2]}")
        elif section and line.startswith(" "):
            lines.append(("- " if not lines[-1].startswith(("-", " ")) else "  ") + line.strip())
        else:
            section = section and not line
            lines.append(line)
    return [*lines, "```"] if code else lines


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")
    STUB.write_text(stub(), "utf-8")

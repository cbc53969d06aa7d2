"""Commands generated from public functions: arguments become options, docstrings the help, and errors name options.

An omitted option is not passed. Other options are passed as text, since the functions accept text wherever they accept
objects.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.cli.error_text import OPTIONS, PLACES

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results

Show = Callable[
    ["Results", dict[str, Any]], int | None
]  # the results and all options; `page`: path of the report or None

_TYPES: dict[str, Any] = {
    "int": int, "float": float, "bool": bool, "int | None": int | None, "float | None": float | None, "Things": list[str] | None,
    "Variants": list[str] | None, "Settings": list[str] | None, "Sequence[str | Path]": list[Path] | None,
}  # fmt: skip
_LISTS = (_TYPES["Variants"], _TYPES["Things"], _TYPES["Sequence[str | Path]"])
_PARSERS = {"Folder": options.named_path}
_LAST = ("variant", "seed", "workers", "folder")  # of the options, in every command
_GAME = "a game; `strozzi games` lists them"


def command(
    question: Callable[..., "Results"], show: Show, example: str, *, without: Sequence[str] = (),
    usual: Mapping[str, Any] | None = None, words: Mapping[str, str] | None = None,
    instead: Callable[[Mapping[str, Any]], bool] = lambda given: False, **fixed: Any,
) -> Callable[..., int | None]:  # fmt: skip
    """Return the command made from a question.

    Args:
        question: the function.
        show: prints the results as text, or as JSON; receives all options and the report's path as `page`.
        example: a command line, after `Example: `.
        without: arguments that only Python has.
        usual: other defaults than in Python.
        words: help of options whose argument's line in the docstring does not fit here; "" is what the command does.
        instead: answers without asking, if it returns True; receives all options.
        fixed: arguments that this command settles.
    """
    usual = usual or {}
    said = {**described(question), "game": _GAME, **(words or {})}
    left_out = {"progress", *without, *fixed}
    asked = [part for part in inspect.signature(question).parameters.values() if part.name not in left_out]
    asked.sort(key=lambda part: (part.name not in PLACES, part.name in _LAST and 1 + _LAST.index(part.name)))
    parts = [declared(part, said[part.name], usual) for part in asked]

    names = {part.name for part in parts}
    settings = inspect.Parameter("settings", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=options.Settings)
    takes_settings = "variant" in names and "settings" not in names

    def ask(**given: Any) -> int | None:
        changed = given.pop("settings") if takes_settings else None
        typed = {part.name: given[part.name] for part in parts if given[part.name] != part.default}
        if changed:
            typed["variant"] = options.changed_variants(given["game"], given["variant"], given.get("study"), changed)
            typed.pop("study", None)
        if instead({**given, **typed}):
            return None
        with options.watching(given["json"]) as progress:
            results = question(**{**usual, **typed, **fixed}, progress=progress)
            page = options.write_page(results, progress)
        return show(results, {**given, "page": page})

    json = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=options.Json)
    ask.__signature__ = inspect.Signature([*parts, *([settings] if takes_settings else []), json])  # type: ignore[attr-defined]
    ask.__annotations__ = {}
    ask.__doc__ = f"{said['']}\n\n{example}"
    return ask


def declared(part: inspect.Parameter, words: str, usual: Mapping[str, Any]) -> inspect.Parameter:
    """Return an argument as an option of the parser; a default without a text form becomes "" or None."""
    kind, default = _TYPES.get(part.annotation, str), usual.get(part.name, part.default)
    if default is not part.empty and (
        (kind not in (int, float, bool) and not isinstance(default, str)) or kind in _LISTS
    ):
        default = "" if kind is str and part.annotation not in _PARSERS else None
    hidden = isinstance(usual.get(part.name), str)  # the help states it
    rest: dict[str, Any] = {"help": words, "show_default": not hidden}
    if part.annotation in _PARSERS:
        rest, kind = {**rest, "parser": _PARSERS[part.annotation], "metavar": "PATH"}, Any
    if part.name in PLACES:
        info: Any = typer.Argument(metavar=PLACES[part.name], help=words)
    else:
        info = typer.Option(*([OPTIONS[part.name]] if part.name in OPTIONS else []), **rest)
    return part.replace(kind=part.KEYWORD_ONLY, default="" if hidden else default, annotation=Annotated[kind, info])


def described(question: Callable[..., Any]) -> dict[str, str]:
    """Return the docstring's text about the function, under "", and about each argument."""
    text = inspect.getdoc(question) or ""
    arguments = text.partition("\nArgs:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", arguments, re.MULTILINE)
    return {"": text.partition("\n\n")[0]} | {name: " ".join(words.split()).rstrip(".") for name, words in found}

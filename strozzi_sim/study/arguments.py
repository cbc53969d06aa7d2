"""Arguments that many functions share: their descriptions, and the options of a run. Imports no engine code."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from strozzi_sim.errors import ArgumentError
from strozzi_sim.study.progress import ProgressOption

WORDS = {
    "game": "a game; `strozzi games` lists them",
    "players": "player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game",
    "precision": "play until shares of wins, and their differences between agents or variants compared, are known to "
    "+- these points, but at most `deals` deals",
    "luck": "an agent that evaluates positions, such as learned: adds rows of figures without the luck of chance",
    "luck_redraws": "number of redraws of each chance event, which measure its luck; default: 8",
    "seatings": "one, rotate, spread (each deal once, seatings in turn), all or latin",
    "variant": "a variant of the game's components",
    "study": "a study's TOML file that defines the variant",
    "seed": "random seed, below 2^53",
    "workers": "number of workers; default: all cores",
    "folder": "results folder for tables and report, in which a run resumes; default: none",
    "progress": "True or False to show a bar or lines, or a `Progress`; default: a bar in a terminal or notebook only",
}


class RunOptions(TypedDict, total=False):
    """Options of a run, as keywords; none changes a figure."""

    workers: int | None
    folder: str | Path | None
    progress: ProgressOption


# name -> annotation as text; `RunOptions` holds it as a ForwardRef, since annotations are not evaluated
RUN_OPTIONS = {name: str(kind.__forward_arg__) for name, kind in RunOptions.__annotations__.items()}
Function = TypeVar("Function", bound=Callable[..., Any])


def split_docstring(docstring: str) -> tuple[str, dict[str, str], str]:
    """Return the text before the arguments of a docstring, each argument's description, and the text after them."""
    before_arguments, _, rest = cleandoc(docstring).partition("\nArgs:\n")
    argument_text, _, after = rest.partition("\n\n")
    argument_lines = re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", argument_text, re.MULTILINE)
    return before_arguments, {name: " ".join(line.split()).rstrip(".") for name, line in argument_lines}, after


def documented(function: Function) -> Function:
    """Return the function with all arguments in its docstring, and RUN_OPTIONS for **options in its signature."""
    before_arguments, words, after = split_docstring(function.__doc__ or "")
    own_signature = signature(function)
    parameters = [each for each in own_signature.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    if len(parameters) < len(own_signature.parameters):
        options = RUN_OPTIONS.items()
        parameters += [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in options]
    lines = [f"    {parameter.name}: {words.get(parameter.name) or WORDS[parameter.name]}" for parameter in parameters]
    function.__doc__ = "\n".join([before_arguments, "\nArgs:", *lines, *([f"\n{after}"] if after else [])])
    function.__signature__ = own_signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def refuse_given(why: str, **arguments: Any) -> None:
    """Raise an ArgumentError for the first argument with a value; None, (), "" and [] are no values."""
    for argument, value in arguments.items():
        if value not in (None, (), "", []):
            raise ArgumentError(argument, why)

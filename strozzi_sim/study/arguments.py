"""Arguments that many functions share: their words, said once, and the options of every run. Imports nothing of the engine."""

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
    "precision": "play until shares of wins are known to within +- these points, and at most deals",
    "luck": "an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows",
    "luck_redraws": "number of redraws of each chance event, which measure its luck; default: 8",
    "seatings": "one, rotate, spread (each deal once, seatings in turn), all or latin",
    "variant": "a variant of the game's components",
    "study": "a study's TOML file that defines the variant",
    "seed": "random seed, below 2^53",
    "workers": "number of workers; default: all cores",
    "folder": "keep everything in this folder, with a report, and resume there; default: only print",
    "progress": "True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only",
}


class RunOptions(TypedDict, total=False):
    """How a study is run, as keywords; nothing of it changes a figure."""

    workers: int | None
    folder: str | Path | None
    progress: ProgressOption


RUN_OPTIONS = {
    name: str(kind.__forward_arg__) for name, kind in RunOptions.__annotations__.items()
}  # name -> annotation
Function = TypeVar("Function", bound=Callable[..., Any])


def words_of(docstring: str) -> tuple[str, dict[str, str], str]:
    """Return what stands before the arguments of a docstring, the words of each argument, and what stands after them."""
    beginning, _, rest = cleandoc(docstring).partition("\nArgs:\n")
    listed, _, after = rest.partition("\n\n")
    found = re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", listed, re.MULTILINE)
    return beginning, {name: " ".join(line.split()).rstrip(".") for name, line in found}, after


def documented(function: Function) -> Function:
    """Return the function with the words that its docstring leaves out, and with the options of a run in its signature."""
    beginning, words, after = words_of(function.__doc__ or "")
    own = signature(function)
    named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    if len(named) < len(own.parameters):
        named += [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in RUN_OPTIONS.items()
        ]
    lines = [f"    {each.name}: {words.get(each.name) or WORDS[each.name]}" for each in named]
    function.__doc__ = "\n".join([beginning, "\nArgs:", *lines, *([f"\n{after}"] if after else [])])
    function.__signature__ = own.replace(parameters=named)  # type: ignore[attr-defined]
    return function


def refuse_given(why: str, **given: Any) -> None:
    """Refuse arguments that have a value where none has a use."""
    for argument, value in given.items():
        if value not in (None, (), "", []):
            raise ArgumentError(argument, why)

"""Arguments that functions of studies share, and their offers to commands, desk and assistants; no engine code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import Any, TypedDict, TypeVar, get_args, get_type_hints

from strozzi_sim.errors import ArgumentError
from strozzi_sim.study.progress import ProgressOption

REPEATED = "repeated"  # mark of an `Annotated` argument that the command line takes once for each value
WORDS = {
    "game": "a game; `strozzi games` lists them",
    "players": "player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game",
    "deals": "deals for every player count, line-up and variant",
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


class StudyOptions(RunOptions, total=False):
    """Options of a study, which `Study.of` takes as they are, and of its run."""

    deals: int | None
    seed: int


class PrecisionOptions(StudyOptions, total=False):
    """Options of a study that can stop at a precision, and take the luck of chance out of its figures."""

    precision: float | None
    luck: str
    luck_redraws: int | None


_DEFAULTS = {"seed": 0, "luck": ""}  # of options; the others are None
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Listing:
    """A list of the things that a game has to measure, for a command that is given none of them."""

    title: str
    rows: Sequence[Sequence[str]]  # the head first
    hint: str
    document: Any  # plain data for --json


WHO_PLAYS = {"players": "Players", "agents": "Who plays"}


@dataclass(frozen=True)
class Offer:
    """A function's declarations beside its signature, for its command, the desk and assistants."""

    asks: str = ""  # the question of the desk, in plain words; "": the desk does not ask it
    about: str = ""  # a sentence below the question
    front: Mapping[str, str] = field(default_factory=WHO_PLAYS.copy)  # argument -> label of the fields that stand first
    needs_change: bool = False  # whether the question compares the changed box with the one before
    quick: Mapping[str, int] = field(default_factory=dict)  # arguments of a quick look, and defaults for assistants
    tables: tuple[str, ...] = ()  # tables that an assistant is shown first; (): assistants have no such tool
    plays: str = ""  # who plays if no agents are given, "usual and random players"; "": copies of the default agent
    usual: Mapping[str, str] = field(default_factory=dict)  # defaults of the command, where they differ from Python's
    listing: Callable[..., Listing] | None = None  # answers a command with no arguments but those of this function


PLAIN = Offer()


def split_docstring(docstring: str) -> tuple[str, dict[str, str], str]:
    """Return the text before the arguments of a docstring, each argument's description, and the text after them."""
    before_arguments, _, rest = cleandoc(docstring).partition("\nArgs:\n")
    argument_text, _, after = rest.partition("\n\n")
    argument_lines = re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", argument_text, re.MULTILINE)
    return before_arguments, {name: " ".join(line.split()).rstrip(".") for name, line in argument_lines}, after


def documented(**offer: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds an `Offer` of these fields, and completes the function's docstring and signature.

    The docstring gets the WORDS that it lacks, and the keys of the TypedDict of `**options` become arguments.
    """

    def decorate(function: Function) -> Function:
        own_signature, hints = signature(function), get_type_hints(function, include_extras=True)
        parameters = [each for each in own_signature.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        if len(parameters) < len(own_signature.parameters):
            (options,) = get_args(hints.pop("options"))
            of_options = get_type_hints(options, include_extras=True)
            own_first = sorted(of_options, key=lambda name: name in RunOptions.__annotations__)
            parameters += [
                Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=of_options[name])
                for name in own_first
            ]
            hints |= of_options
        before_arguments, words, after = split_docstring(function.__doc__ or "")
        lines = [f"    {each.name}: {words.get(each.name) or WORDS[each.name]}" for each in parameters]
        function.__doc__ = "\n".join([before_arguments, "\nArgs:", *lines, *([f"\n{after}"] if after else [])])
        function.__annotations__ = hints
        vars(function).update(__signature__=own_signature.replace(parameters=parameters), offer=Offer(**offer))
        return function

    return decorate


def refuse_given(why: str, **arguments: Any) -> None:
    """Raise an ArgumentError for the first argument with a value; None, (), "" and [] are no values."""
    for argument, value in arguments.items():
        if value not in (None, (), "", []):
            raise ArgumentError(argument, why)

"""The ten questions of the desk: each is a command, whose form is made from what its function says of itself.

A question adds plain words, the fields that stand in front, and precisions by how long they take; all other options stand under *more*.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from strozzi_sim.cli.declared import REQUIRED, Argument
from strozzi_sim.cli.parser import arguments_of, command_named, parsed
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.study.kinds import FUNCTIONS

Json = dict[str, Any]
# Arguments that the desk gives itself, or that a form cannot ask.
_OWN = ("game", "source", "settings", "variant", "study", "workers", "folder", "file", "template", "code", "rows", "facts", "facts_share", "every")  # fmt: skip
QUICK, USUAL, SURE = "quick", "usual", "sure"


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question in plain words, as questions.toml declares it."""

    command: str
    asks: str
    about: str
    front: dict[str, str]
    quick: tuple[str, ...]
    sure: tuple[str, ...] = ()
    needs_change: bool = False


_FILE = Path(__file__).parent / "assets" / "questions.toml"
QUESTIONS = msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, Question])


def question_named(name: Any) -> Question:
    """Return a question; raise InputError for an unknown one."""
    if not isinstance(name, str) or name not in QUESTIONS:
        raise ArgumentError("question", f"unknown question {short_repr(name)}; {suggest_names(str(name), QUESTIONS)}")
    return QUESTIONS[name]


def forms() -> list[Json]:
    """Return the questions with their fields, in the order of the page."""
    return [
        {
            "name": name, "asks": each.asks, "about": each.about, "command": each.command, "needs_change": each.needs_change,
            "precisions": [QUICK, USUAL, *([SURE] if each.sure else [])],
            "front": [_field(command_named(each.command).by_name[name], label) for name, label in each.front.items()],
            "more": [_field(argument, argument.label.lstrip("-").replace("-", " ").lower()) for argument in _more(each)],
        }
        for name, each in QUESTIONS.items()
    ]  # fmt: skip


def _more(question: Question) -> list[Argument]:
    front = {*question.front, *_OWN, *(word[2:].replace("-", "_") for word in question.sure if word.startswith("--"))}
    taken = ("first", "second", "opponents") if question.needs_change else ()
    return [each for each in command_named(question.command).arguments if each.name not in (*front, *taken)]


def _field(argument: Argument, label: str) -> Json:
    kind = {bool: "switch", int: "number", float: "number"}.get(argument.type, "text")
    return {
        "name": argument.name, "label": label, "help": argument.words, "kind": kind,
        "needed": argument.default is REQUIRED or argument.name == "things",
        "default": argument.default if isinstance(argument.default, str | int | float) else "",
    }  # fmt: skip


def words_for(
    name: Any, game: str, variant: str, settings: Sequence[str], values: Mapping[str, Any], precision: str
) -> list[str]:
    """Return the command line, without `strozzi`, of a question with what its form holds.

    Args:
        name: name of the question
        game: name of the game
        variant: variant that was begun with
        settings: its changed keys, KEY=VALUE
        values: what the form holds, by argument
        precision: quick, usual or sure

    Raises:
        InputError: an unknown field, or a value that the command refuses; names it.
    """
    question = question_named(name)
    known = command_named(question.command).by_name
    allowed = [*question.front, *(each.name for each in _more(question))]
    options: list[str] = []
    places: dict[str, list[str]] = {}
    for field, value in values.items():
        if field not in allowed:
            raise ArgumentError(str(field), f"no such field of this question; {suggest_names(str(field), allowed)}")
        argument = known[field]
        if value is None or value == "" or value is False:
            continue
        texts = str(value).split() if argument.is_repeated and field == "things" else [str(value)]
        if not argument.is_option:
            places[field] = texts
        elif argument.type is bool:
            options.append(argument.label)
        else:
            options += [word for text in texts for word in (argument.label, text)]
    if question.needs_change:
        if not settings:
            raise InputError("change something in the box first: this question compares it with the box before")
        places = {} if variant == "base" else {"first": [variant]}
    ways = {QUICK: question.quick, USUAL: (), SURE: question.sure}
    if precision not in ways or (precision == SURE and not question.sure):
        raise ArgumentError("precision", f"must be {QUICK}, {USUAL} or {SURE}, got {short_repr(precision)}")
    given = {word for word in options if word.startswith("--")}
    way = ways[precision]
    options += [word for at in range(0, len(way), 2) if way[at] not in given for word in way[at : at + 2]]
    options += [word for setting in settings for word in ("--set", setting)]
    if variant != "base" and not question.needs_change:
        options += ["--variant", variant]
    ordered = [
        text for each in command_named(question.command).arguments if each.name in places for text in places[each.name]
    ]
    return [question.command, game, *ordered, *options]


def checked(words: Sequence[str]) -> Json:
    """Return the arguments of the function that a command line calls; raise InputError for a wrong one."""
    return arguments_of(words[0], parsed(words[0], words[1:]))


def command_of(words: Sequence[str]) -> str:
    """Return a command line as it is typed."""
    return shlex.join(["strozzi", *words])


def python_of(words: Sequence[str]) -> str:
    """Return the lines of Python that give the same results as a command line.

    >>> print(python_of(["balance", "strozzi", "--players", "4", "--agents", "random", "--deals", "100"]))
    import strozzi_sim as ss
    <BLANKLINE>
    results = ss.simulate("strozzi", players="4", agents="random", deals=100)
    results.report("report.html")
    """
    file = words[0].replace("-", "_")
    function = next(name for name, each in FUNCTIONS.items() if each == file)
    known = command_named(words[0]).by_name
    options = parsed(words[0], words[1:])
    settings = options.pop("settings", [])
    given = arguments_of(words[0], options)
    lines = ["import strozzi_sim as ss", ""]
    if settings and function == "compare":
        given["settings"] = settings
    elif settings:
        values = ", ".join(
            f"{json.dumps(key)}: {_literal(text)}" for key, _, text in (each.partition("=") for each in settings)
        )
        begun = json.dumps(options.get("variant", "base"))
        lines.append(f"changed = ss.Variant.of({json.dumps(words[1])}, {begun}, {{{values}}})")
    places = [_shown(given.pop(name)) for name, each in known.items() if not each.is_option and name in given]
    named = [
        f"{name}={_shown(value)}"
        for name, value in given.items()
        if name != "variant" or not settings or function == "compare"
    ]
    if settings and function != "compare":
        named.append("variant=changed")
    lines += [f"results = ss.{function}({', '.join([*places, *named])})", 'results.report("report.html")']
    return "\n".join(lines)


def _literal(text: str) -> str:
    """Return the value of a setting as Python writes it."""
    from strozzi_sim.runtime.parsing import toml_value

    return _shown(toml_value(text.strip()))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

"""The questions of the desk: each is a command, and its form is made from the declaration of the command's function.

The function adds plain words, the fields that stand first, and the size of a quick look; most other options are under
*More*.
"""

import json
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from strozzi_sim.cli.parser import Argument, Declared, arguments_of, command_named, parsed
from strozzi_sim.errors import ArgumentError, InputError, check_names, short_repr
from strozzi_sim.game import find_game
from strozzi_sim.game.variants import BASE, Variant
from strozzi_sim.runtime.parsing import toml_value
from strozzi_sim.study.kinds import KINDS

SHEETS = "sheets.csv"  # file of final scores in the folder of an answer
# Arguments that the desk sets itself, or that a form leaves out unless they are in `front`.
_OWN = {"game", "source", "settings", "variant", "study", "first", "second", "opponents", "precision"}
_OWN |= {"workers", "folder", "file", "code", "rows", "facts", "facts_share", "every"}


@cache
def questions() -> dict[str, Declared]:
    """Return the commands that are questions of the desk, by name."""
    commands = {kind.command: command_named(kind.command) for kind in KINDS}
    return {name: command for name, command in commands.items() if command.offer.asks}


def fields_of(question: Declared) -> dict[str, Argument]:
    """Return the arguments in the form of a question, by name; those in front come first."""
    known = question.by_name
    front = [name for name in question.offer.front if name in known]
    return {name: known[name] for name in [*front, *known] if name in front or name not in _OWN}


def precisions_of(question: Declared) -> dict[str, dict[str, int]]:
    """Return the arguments of each precision: a quick look, the usual one and, if play can stop, until it is sure."""
    sure = {"sure": {"precision": 1}} if "precision" in question.by_name else {}
    return {"quick": dict(question.offer.quick), "usual": {}, **sure}


class Asked(msgspec.Struct, kw_only=True):
    """A question about a box, a variant with `settings` (KEY=VALUE), and the form's `values` by argument."""

    game: str = ""
    variant: str = BASE
    settings: list[str] = []
    question: str = ""
    values: dict[str, str | bool] = {}
    precision: str = "usual"


def forms() -> list[dict[str, Any]]:
    """Return the questions with the arguments in their forms, in the order of the page."""
    asked = []
    for name, each in questions().items():
        form = {"name": name, "fields": [*fields_of(each).values()], "precisions": precisions_of(each)}
        offer = {key: getattr(each.offer, key) for key in ("asks", "about", "front", "needs_change")}
        asked.append(form | offer)
    # a type becomes its name, and REQUIRED becomes ""
    return list(msgspec.to_builtins(asked, enc_hook=lambda other: getattr(other, "__name__", "")))


def words_for(asked: Asked, folder: Path = Path()) -> list[str]:
    """Return a question's command line without `strozzi`; `folder` is that of its answer. Raises InputError."""
    check_names("question", [asked.question], questions())
    question = questions()[asked.question]
    offer, precisions = question.offer, precisions_of(question)
    check_names("field", asked.values, fields_of(question))
    check_names("precision", [asked.precision], precisions)
    if offer.needs_change and not asked.settings:
        raise InputError("change something in the box first: this question compares it with the box before")
    given: dict[str, Any] = {"settings": asked.settings, **precisions[asked.precision]}
    given |= {name: value for name, value in asked.values.items() if value}
    if asked.variant != BASE:
        given["first" if offer.needs_change else "variant"] = asked.variant
    if "file" in offer.front:
        if "file" not in given:
            raise InputError("write the final scores of your games first, a line a game")
        given["file"] = str(folder / SHEETS)
    words = [asked.question, find_game(asked.game).name]
    for name, each in question.by_name.items():
        value = given.get(name, [])
        texts = value if isinstance(value, list) else str(value).split() if name == "things" else [str(value)]
        for text in texts:
            words += _words_of(each, text)
    return words


def _words_of(argument: Argument, text: str) -> list[str]:
    """Return an argument's words of a command line, of which only the first can be read as an option."""
    if text == "--" or (text.startswith("-") and not argument.is_option):
        raise ArgumentError(argument.name, f"must not begin with -, got {short_repr(text)}")
    if not argument.is_option:
        return [text]
    if argument.type is bool:
        return [argument.label]
    return [f"{argument.label}={text}"] if text.startswith("-") else [argument.label, text]


def command_of(words: Sequence[str]) -> str:
    """Return the text of a command line, quoted for a shell."""
    return shlex.join(["strozzi", *words])


def python_of(words: Sequence[str]) -> str:
    """Return Python code that gives the results of a command line and their page. Raises InputError.

    >>> print(python_of(["balance", "strozzi", "--players", "4", "--agents", "random", "--deals", "100"]))
    import strozzi_sim as ss
    <BLANKLINE>
    results = ss.simulate("strozzi", players="4", agents="random", deals=100)
    results.report("report.html")
    """
    command, options = command_named(words[0]), parsed(words[0], words[1:])
    given = arguments_of(words[0], options)

    def shown(value: Any) -> str:
        if isinstance(value, Variant):  # with changed keys
            pairs = [setting.partition("=") for setting in options["settings"]]
            changed = {key: toml_value(text) for key, _, text in pairs}
            return f"ss.Variant.of({shown(words[1])}, {shown(value.origin)}, {changed})"
        if isinstance(value, list):
            return f"[{', '.join(map(shown, value))}]"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

    named = [(f"{each.name}=" if each.is_option else "", each.name) for each in command.arguments if each.name in given]
    called = ", ".join(key + shown(given[name]) for key, name in named)
    function = command.function.__name__
    return f'import strozzi_sim as ss\n\nresults = ss.{function}({called})\nresults.report("report.html")'

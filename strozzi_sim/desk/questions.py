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
from strozzi_sim.cli.parser import SETTINGS, arguments_of, command_named, parsed
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.runtime.parsing import toml_value
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

    @property
    def more(self) -> list[Argument]:
        """The arguments that stand under *more*."""
        known = {*self.front, *_OWN, *(word[2:].replace("-", "_") for word in self.sure if word.startswith("--"))}
        known |= {"first", "second", "opponents"} if self.needs_change else set()
        return [each for each in command_named(self.command).arguments if each.name not in known]


_FILE = Path(__file__).parent / "assets" / "questions.toml"
QUESTIONS = msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, Question])


def question_named(name: Any) -> Question:
    """Return a question; raise InputError for an unknown one."""
    if not isinstance(name, str) or name not in QUESTIONS:
        raise ArgumentError("question", f"unknown question {short_repr(name)}; {suggest_names(str(name), QUESTIONS)}")
    return QUESTIONS[name]


def forms() -> list[Json]:
    """Return the questions with their fields, in the order of the page."""
    return [{"name": name, **_form(each)} for name, each in QUESTIONS.items()]


def _form(question: Question) -> Json:
    known = command_named(question.command).by_name
    form: Json = {key: getattr(question, key) for key in ("asks", "about", "command", "needs_change")}
    form["precisions"] = [QUICK, USUAL, *([SURE] if question.sure else [])]
    form["front"] = [_field(known[name], label) for name, label in question.front.items()]
    return form | {"more": [_field(each, each.label.lstrip("-").replace("-", " ").lower()) for each in question.more]}


def _field(argument: Argument, label: str) -> Json:
    kind = {bool: "switch", int: "number", float: "number"}.get(argument.type, "text")
    needed = argument.default is REQUIRED or argument.name == "things"
    default = argument.default if isinstance(argument.default, str | int | float) else ""
    return {"name": argument.name, "label": label, "help": argument.words, "kind": kind, "needed": needed, "default": default}  # fmt: skip


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
    allowed = [*question.front, *(each.name for each in question.more)]
    for field in values:
        if field not in allowed:
            raise ArgumentError(field, f"no such field of this question; {suggest_names(field, allowed)}")
    ways = {QUICK: question.quick, USUAL: (), **({SURE: question.sure} if question.sure else {})}
    if precision not in ways:
        raise ArgumentError("precision", f"must be {' or '.join(ways)}, got {short_repr(precision)}")
    if question.needs_change and not settings:
        raise InputError("change something in the box first: this question compares it with the box before")
    begun = [] if variant == "base" else [variant] if question.needs_change else ["--variant", variant]
    places, options = [question.command, game], list[str]()
    for each in command_named(question.command).arguments:
        value = values.get(each.name)
        if value is None or value == "" or value is False:
            continue
        texts = str(value).split() if each.name == "things" else [str(value)]
        if each.is_option:
            options += [each.label] if each.type is bool else [word for text in texts for word in (each.label, text)]
        else:
            places += texts
    way = ways[precision]
    options += [word for at in range(0, len(way), 2) if way[at] not in options for word in way[at : at + 2]]
    return [*places, *begun, *options, *(word for setting in settings for word in ("--set", setting))]


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
    name, known = words[0], command_named(words[0])
    function = next(function for function, file in FUNCTIONS.items() if file == name.replace("-", "_"))
    options = parsed(name, words[1:])
    changed = options.pop("settings", []) if SETTINGS in known.arguments else []
    begun = "".join(options.get("variant", "base"))
    given = {each: _shown(value) for each, value in arguments_of(name, options).items()}
    if changed:
        pairs = (setting.partition("=") for setting in changed)
        values = {key: toml_value(text.strip()) for key, _, text in pairs}
        given["variant"] = f"ss.Variant.of({_shown(words[1])}, {_shown(begun)}, {values})"
    elif "variant" in given:
        given["variant"] = _shown(begun)
    places = [given.pop(each.name) for each in known.arguments if not each.is_option and each.name in given]
    named = [f"{key}={value}" for key, value in given.items()]
    call = f"results = ss.{function}({', '.join([*places, *named])})"
    return "\n".join(["import strozzi_sim as ss", "", call, 'results.report("report.html")'])


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)

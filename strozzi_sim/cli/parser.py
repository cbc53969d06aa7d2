"""Commands made from functions: a list of all, the declaration and parser of each, and the arguments of a call.

A declaration has the arguments, types, defaults and docstring of a function. Its module is imported for it, so that the
list of commands, which has their summaries, shows help without importing the engine.
"""

import argparse
import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from os import PathLike
from types import NoneType, UnionType
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin, get_type_hints

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, nearest, short_repr, short_text
from strozzi_sim.study.arguments import PLAIN, REPEATED, WORDS, Offer, split_docstring
from strozzi_sim.study.kinds import KINDS

REQUIRED = object()
OPTIONS = {"folder": "out", "settings": "set", "every": "all", "start": "from"}  # argument -> option of another name
BY_OPTION = ("agents",)  # always an option, even if positional in Python
_MODULES = {  # module -> the functions of its commands, which have their names
    "cli.folders": ("run", "report"),
    "cli.installed": ("facts", "agents", "games", "new"),
    "cli.machine": ("cache", "bench"),
    "cli.mcp": ("mcp",),
    "cli.play": ("play",),
    "cli.records": ("record", "verify", "analyse", "replay"),
    "desk.server": ("desk",),
    "study.folders": ("merge",),
}
_PLACES = {name: f"strozzi_sim.{module}:{name}" for module, names in _MODULES.items() for name in names}
_PLACES |= {kind.command: kind.place for kind in KINDS}
SUMMARIES = {  # command -> first paragraph of its function's docstring
    "run": "Play a study file and write its tables and, by the command, its report; run it again to resume.",
    "report": "Write the report of a results folder from its tables, or one page of several studies side by side.",
    "merge": "Join the parts of a study in a new results folder. Its tables are those of a single run, to the byte.",
    **{kind.command: kind.summary for kind in KINDS},
    "facts": "List the fact tables of a game, or the columns of one table, which custom heat maps can use.",
    "record": "Play games and write their records, one event per line.",
    "replay": "Show a recorded game move by move, as a page with its table, or with an agent's analysis of decisions.",
    "verify": "Replay a record through the plain-Python rules; name the first line that breaks one.",
    "analyse": "Say what each seat's errors in a recorded game cost, how lucky it was, and what turned the game.",
    "play": "Play a game yourself against agents, in the terminal (type a name, or ? for help) or in the browser.",
    "mcp": "Offer tools for an assistant (Model Context Protocol) on standard input and output.",
    "agents": "List the agents, or the parameters of one.",
    "games": "List the games with their player counts and variants; of one game also its sizes.",
    "cache": "Show, clear or fill the folder that keeps compiled code.",
    "bench": "Measure self-play: games, rounds and decisions per second, time per decision, start-up, memory.",
    "new": "Write a small playable game into a new folder, with a fact table, a report page, an agent and a test.",
    "desk": "Open a page on this machine: change the box of a game, ask what it does, play it. Ctrl+C closes it.",
}
PLACES = {name: _PLACES[name] for name in SUMMARIES}  # command -> MODULE:FUNCTION
ABOUT = "Simulates millions of games of three Eurogames to measure balance, strategy and agent strength."
EPILOG = (
    "Add --debug to any command to see the traceback of an error. Exit codes: 0 done, 1 the check failed, 2 bad input, "
    "3 an agent's fault, 4 a file or cluster cannot be used, 70 internal error, 129/130/143 interrupted, "
    "141 closed pipe."
)


@dataclass(frozen=True)
class Argument:
    """An argument of a function."""

    name: str  # in Python
    words: str  # its description in the docstring
    type: type = str  # int, float, bool, or str for everything that is given as text
    default: Any = None  # REQUIRED if there is none
    is_option: bool = True  # False: a positional argument of the command line
    is_repeated: bool = False  # takes several values
    is_path: bool = False  # may name a file or folder

    @property
    def label(self) -> str:
        """The name on the command line: an option, or in capitals for a positional argument."""
        option = f"--{OPTIONS.get(self.name, self.name).replace('_', '-')}"
        return option if self.is_option else self.name.replace("_", "-").upper()

    def read(self, text: str) -> Any:
        """Return the value of a text. Raises ArgumentTypeError, also for numbers such as `1_0` and `nan`."""
        from strozzi_sim.runtime.parsing import real_number, whole_number

        readers: dict[type, Callable[[str], Any]] = {int: whole_number, float: real_number}
        if self.is_path and not text:
            raise ArgumentTypeError("a file or folder name must not be empty; use . for the current folder")
        if "\0" in text:
            raise ArgumentTypeError(f"must not hold a NUL character, got {short_repr(text)}")
        try:
            return readers.get(self.type, str)(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None


@dataclass(frozen=True)
class Declared:
    """A function that is a command or a tool."""

    function: Callable[..., Any]
    summary: str  # first paragraph of its docstring
    more: str  # the paragraphs after it, without the example
    example: str  # the command line after `Example: `
    arguments: tuple[Argument, ...]  # those with a description, except `progress`, which has no text form
    takes_progress: bool
    returns: Any  # its type
    offer: Offer  # what it declares beside its signature

    @property
    def by_name(self) -> dict[str, Argument]:
        """The arguments by name."""
        return {argument.name: argument for argument in self.arguments}


def declared(place: str, *further: Argument) -> Declared:
    """Return the declaration of the function at MODULE:FUNCTION, with `further` arguments if it has one `variant`."""
    module, _, name = place.partition(":")
    function = getattr(import_module(module), name)
    description, words_of_function, _ = split_docstring(function.__doc__)
    description, words = description.partition("\n>>> ")[0], WORDS | words_of_function
    parameters, types = signature(function).parameters, get_type_hints(function, include_extras=True)
    described = [each for each in parameters.values() if each.name in words and each.name != "progress"]
    arguments = [_argument(each, types[each.name], words[each.name]) for each in described]
    arguments += [argument for argument in further if "variant" in parameters and argument.name not in parameters]
    summary, *paragraphs = [" ".join(part.split()) for part in description.strip().split("\n\n")]
    example = next((part for part in paragraphs if part.startswith("Example: ")), "")
    return Declared(
        function,
        summary,
        more="\n\n".join(part for part in paragraphs if part != example),
        example=example.removeprefix("Example: "),
        arguments=tuple(arguments),
        takes_progress="progress" in parameters,
        returns=types.get("return"),
        offer=getattr(function, "offer", PLAIN),
    )


def _argument(parameter: Parameter, kind: Any, words: str) -> Argument:
    types = set(_types_in(kind))
    return Argument(
        parameter.name,
        words,
        type=next((each for each in (bool, int, float) if types == {each}), str),
        default=REQUIRED if parameter.default is Parameter.empty else parameter.default,
        is_option=parameter.kind is Parameter.KEYWORD_ONLY or parameter.name in BY_OPTION,
        is_repeated=get_origin(kind) is Sequence or REPEATED in getattr(kind, "__metadata__", ()),
        is_path=any(isinstance(each, type) and issubclass(each, PathLike) for each in types),
    )


def _types_in(kind: Any) -> Iterator[Any]:
    """Yield the types of an annotation: of a union all but None, of a sequence those of its items."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType, Sequence):
        for each in inner:
            yield from _types_in(each)
    elif origin is Annotated:
        yield from _types_in(inner[0])
    elif kind is not NoneType:
        yield origin or kind


SETTINGS = Argument(  # of every command that takes a variant
    "settings",
    'change a key of the components, as tracks.bonus.7=10; a list as SECTION.KEY=[20,10,5]; SECTION.add=[{id="X",...}] '
    'adds a block that has an id, SECTION.remove=["X"] removes one; may be given several times',
    is_repeated=True,
)
_METAVARS = {str: "TEXT", int: "N", float: "X"}
JSON = Argument("json", "print one JSON document and nothing else", bool)
TABLES = Argument("tables", "print every table, and all of its lines", bool)
OPEN = Argument("open", "open the page in the browser", bool)
# command -> option without which it writes no page, or "" if it always writes one; of other studies it is --out
_PAGES_OF = {"report": "", "run": "", "replay": "html", "analyse": "page"}


@cache
def command_named(name: str) -> Declared:
    """Return the declaration of a command's function. Raises InputError for an unknown command."""
    if name not in PLACES:
        suggestion = nearest(name, list(PLACES))
        hint = f"did you mean {suggestion!r}?" if suggestion else "strozzi --help lists them"
        raise InputError(f"no command {short_repr(name)}; {hint}")
    return declared(PLACES[name], SETTINGS)


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors as an InputError: one line that names the option or the value."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (?:-h/)?", "", message)
        message = re.sub(r"^the following arguments are required: (.*)", r"\1: is needed", message)
        message = message.replace("expected one argument", "a value is missing")
        message = message.replace("ignored explicit argument", "takes no value, got")
        raise InputError(f"{message} (see {self.prog} --help)")


def help_text() -> str:
    """Return the help of `strozzi` itself: all commands, each with its summary."""
    listed = "\n".join(f"  {name:<12} {SUMMARIES[name]}" for name in PLACES)
    return f"usage: strozzi COMMAND ...\n\n{ABOUT}\n\n{listed}\n\nstrozzi COMMAND --help shows its options. {EPILOG}"


def parser_of(name: str) -> _Parser:
    """Return the parser of a command."""
    from shutil import get_terminal_size
    from textwrap import fill

    command = command_named(name)
    defaults = command.offer.usual
    description = fill(f"{command.summary} {command.more}".strip(), get_terminal_size().columns - 2)
    places = [argument for argument in command.arguments if not argument.is_option]
    labels = [argument.label if argument.default is REQUIRED else f"[{argument.label}]" for argument in places]
    usage, example = " ".join(["strozzi", name, *labels, "[OPTION ...]"]), f"Example: {command.example}"
    parser = _Parser(f"strozzi {name}", usage, description, example, allow_abbrev=False)
    parser.argument_default = argparse.SUPPRESS
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for argument in command.arguments:
        _add(parser, argument, f"; here: {defaults[argument.name]}" if argument.name in defaults else "")
    further = {Answer: [JSON], NoneType: []}.get(command.returns, [JSON, TABLES, OPEN])  # the others return Results
    for argument in (*further, *([OPEN] if name in _PAGES_OF and OPEN not in further else [])):
        if argument.name not in command.by_name:
            _add(parser, argument)
    return parser


def _add(parser: argparse.ArgumentParser, argument: Argument, note: str = "") -> None:
    """Add an argument to the parser; its help names an informative default that its words lack, then adds `note`."""
    is_plain = argument.default in (REQUIRED, None, "", ()) or argument.type is bool or "default" in argument.words
    words = argument.words if is_plain else f"{argument.words}; default: {argument.default}"
    options: dict[str, Any] = {"help": (words + note).replace("%", "%%")}
    if argument.type is bool:
        options["action"] = "store_true"
    else:
        metavar = "PATH" if argument.is_path else _METAVARS[argument.type]
        options |= {"type": argument.read, "metavar": metavar if argument.is_option else argument.label}
    if argument.is_option:
        options |= {"dest": argument.name, "required": argument.default is REQUIRED}
        options |= {"action": "append"} if argument.is_repeated else {}
    elif argument.is_repeated or argument.default is not REQUIRED:
        options["nargs"] = "?" if not argument.is_repeated else "+" if argument.default is REQUIRED else "*"
    parser.add_argument(argument.label if argument.is_option else argument.name, **options)


def parsed(name: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the values given on a command line, by argument of the function. Raises SystemExit after printing help."""
    parser = parser_of(name)
    options, unknown = parser.parse_known_intermixed_args(list(words))
    for word in unknown:
        option = word.partition("=")[0]
        if not word.startswith("-"):
            parser.error(f"{short_repr(word)}: there is no place for it")
        names = [text for action in parser._actions for text in action.option_strings if text.startswith("--")]
        suggestion = nearest(option, names)
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        hint = "; `strozzi run FILE --part` has it" if option == "--part" else hint
        parser.error(f"{short_text(option)}: there is no such option{hint}")
    given = {key: value for key, value in vars(options).items() if value != []}
    needed = _PAGES_OF.get(name, "folder")
    if given.get("open") and needed and not given.get(needed):
        raise InputError(f"--open: there is no page without {command_named(name).by_name[needed].label}")
    return given


def arguments_of(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a command's function: `options`, the command's defaults, and --set as a variant."""
    command = command_named(name)
    arguments = {**command.offer.usual, **options}
    if SETTINGS in command.arguments and (settings := arguments.pop("settings", None)):
        arguments["variant"] = _changed(arguments, settings)
        arguments.pop("study", None)
    return arguments


def _changed(arguments: dict[str, Any], settings: Sequence[str]) -> Any:
    """Return the variant of --variant with the changed keys of --set; a list if --variant gives a list."""
    from strozzi_sim.agent.names import one_variant
    from strozzi_sim.game import find_game
    from strozzi_sim.game.variants import with_settings

    place = "game" if "game" in arguments else "source"
    game, names = find_game(arguments[place], place), arguments.get("variant", "base")
    listed = [names] if isinstance(names, str) else names
    variants = [one_variant(game, "variant", name, arguments.get("study", "")) for name in listed]
    changed = [as_argument_error("settings", with_settings, game, variant, settings) for variant in variants]
    return changed[0] if isinstance(names, str) else changed


def error_text(error: Exception, command: Declared | None) -> str:
    """Return the text of an error, with the labels of the command line for the arguments that it names.

    An ArgumentError begins with a name; other names in the text of an error stand in backquotes.
    """
    arguments = {} if command is None else command.by_name

    def label(argument: str) -> str:
        return arguments[argument].label if argument in arguments else argument

    text = error.message if isinstance(error, ArgumentError) else str(error)
    text = re.sub(r"`(\w+)`", lambda match: f"`{label(match[1])}`", text)
    return f"{label(error.argument)}: {text}" if isinstance(error, ArgumentError) else text

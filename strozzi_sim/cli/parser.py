"""Commands made from functions: a list of all, the declaration and parser of each, and the arguments of a call.

A declaration has the arguments, types, defaults and docstring of a function, read from its source without importing it.
So help is shown without importing the engine, and a command or tool is declared by its function alone.
"""

import argparse
import ast
import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, nearest, short_repr, short_text
from strozzi_sim.study.arguments import RUN_OPTIONS, WORDS, split_docstring
from strozzi_sim.study.kinds import FUNCTIONS

REQUIRED = object()
OPTIONS = {"folder": "out", "settings": "set", "every": "all", "start": "from"}  # argument -> option of another name
BY_OPTION = ("agents",)  # always an option, even if positional in Python
_TYPES = {"int": int, "float": float, "bool": bool}
_REPEATED = ("Sequence[", "Variants", "Things")  # beginnings of annotations of several values
_STUDY, _CLI = "strozzi_sim.study", "strozzi_sim.cli"
PLACES = {  # command -> MODULE:FUNCTION
    "run": f"{_STUDY}.folders:run_file",
    "report": f"{_CLI}.report:report",
    "merge": f"{_STUDY}.folders:merge",
    **{file.replace("_", "-"): f"{_STUDY}.kinds.{file}:{function}" for function, file in FUNCTIONS.items()},
    "facts": f"{_CLI}.installed:facts",
    "record": f"{_CLI}.records:record",
    "replay": f"{_CLI}.replay:replay",
    "verify": f"{_CLI}.records:verify",
    "analyse": f"{_CLI}.records:analyse",
    "play": f"{_CLI}.play:play",
    "mcp": f"{_CLI}.mcp:mcp",
    "agents": f"{_CLI}.installed:agents",
    "games": f"{_CLI}.installed:games",
    "cache": f"{_CLI}.machine:cache",
    "bench": f"{_CLI}.machine:bench",
    "new": f"{_CLI}.installed:new",
    "desk": "strozzi_sim.desk.server:desk",
}
USUAL = {"balance": {"players": "all", "agents": "tiers"}}  # defaults of a command that differ from Python's
ABOUT = "Simulates millions of games of three Eurogames to measure balance, strategy and agent strength."
EPILOG = (
    "Add --debug to any command to see the traceback of an error. Exit codes: 0 done, 1 the check failed, 2 bad input, "
    "3 an agent's fault, 4 a file or cluster cannot be used, 70 internal error, 130/143 interrupted, 141 closed pipe."
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

    place: str  # MODULE:FUNCTION
    summary: str  # first paragraph of its docstring
    more: str  # the paragraphs after it, without the example
    example: str  # the command line after `Example: `
    arguments: tuple[Argument, ...]  # those with a description, except `progress`, which has no text form
    takes_progress: bool
    returns: str  # annotation

    @property
    def by_name(self) -> dict[str, Argument]:
        """The arguments by name."""
        return {argument.name: argument for argument in self.arguments}

    def call(self, **arguments: Any) -> Any:
        """Import the function and call it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)(**arguments)


def declared(place: str, *further: Argument) -> Declared:
    """Return the declaration of the function at MODULE:FUNCTION, with `further` arguments if it has one `variant`."""
    module, _, name = place.partition(":")
    spec = find_spec(module)
    assert spec is not None, module
    source = Path(str(spec.origin)).read_text("utf-8")  # parsing only the function is faster
    (function,) = ast.parse(re.findall(rf'(?ms)^def {name}\(.*?^    """.*?"""$', source)[0]).body
    assert isinstance(function, ast.FunctionDef)
    description, words_of_function, _ = split_docstring(ast.get_docstring(function) or "")
    description, words = description.partition("\n>>> ")[0], WORDS | words_of_function
    signature, options = function.args, RUN_OPTIONS if function.args.kwarg else {}
    of_run = (ast.arg(option, ast.parse(kind, mode="eval").body) for option, kind in options.items())
    keyword = [*signature.kwonlyargs, *of_run]
    defaults = [None] * (len(signature.args) - len(signature.defaults)) + [*signature.defaults, *signature.kw_defaults]
    defaults += [ast.Constant(None) for _ in options]
    nodes = zip([*signature.args, *keyword], defaults, strict=True)
    described = [(node, default) for node, default in nodes if node.arg in words and node.arg != "progress"]
    arguments = [_argument(node, words[node.arg], default, node in keyword) for node, default in described]
    names = [argument.name for argument in arguments]
    arguments += [argument for argument in further if "variant" in names and argument.name not in names]
    summary, *paragraphs = [" ".join(part.split()) for part in description.strip().split("\n\n")]
    example = next((part for part in paragraphs if part.startswith("Example: ")), "")
    more = "\n\n".join(part for part in paragraphs if part != example)
    takes_progress = any(node.arg == "progress" for node in keyword)
    returns = ast.unparse(function.returns) if function.returns else ""
    return Declared(place, summary, more, example[len("Example: ") :], tuple(arguments), takes_progress, returns)


def _argument(node: ast.arg, words: str, default: ast.expr | None, is_keyword: bool) -> Argument:
    """Return an argument of a function; a default that is a constant of the module is given as its name."""
    annotation = ast.unparse(node.annotation) if node.annotation else "str"
    value = REQUIRED if default is None else default.id if isinstance(default, ast.Name) else ast.literal_eval(default)
    kind, is_path = _TYPES.get(annotation.removesuffix(" | None"), str), "Path" in annotation or "Folder" in annotation
    is_option, is_repeated = is_keyword or node.arg in BY_OPTION, annotation.startswith(_REPEATED)
    return Argument(node.arg, words, kind, value, is_option, is_repeated, is_path)


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
    listed = "\n".join(f"  {name:<12} {command_named(name).summary}" for name in PLACES)
    return f"usage: strozzi COMMAND ...\n\n{ABOUT}\n\n{listed}\n\nstrozzi COMMAND --help shows its options. {EPILOG}"


def parser_of(name: str) -> _Parser:
    """Return the parser of a command."""
    from shutil import get_terminal_size
    from textwrap import fill

    command, defaults = command_named(name), USUAL.get(name, {})
    description = fill(f"{command.summary} {command.more}".strip(), get_terminal_size().columns - 2)
    places = [argument for argument in command.arguments if not argument.is_option]
    labels = [argument.label if argument.default is REQUIRED else f"[{argument.label}]" for argument in places]
    usage, example = " ".join(["strozzi", name, *labels, "[OPTION ...]"]), f"Example: {command.example}"
    parser = _Parser(f"strozzi {name}", usage, description, example, allow_abbrev=False)
    parser.argument_default = argparse.SUPPRESS
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for argument in command.arguments:
        _add(parser, argument, f"; here: {defaults[argument.name]}" if argument.name in defaults else "")
    further = {"Results": (JSON, TABLES), "Answer": (JSON,)}.get(command.returns, ())
    for argument in (*further, *([OPEN] if name in _PAGES_OF or command.returns == "Results" else [])):
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
        parser.error(f"{short_text(option)}: there is no such option{hint}")
    given = {key: value for key, value in vars(options).items() if value != []}
    needed = _PAGES_OF.get(name, "folder")
    if given.get("open") and needed and not given.get(needed):
        raise InputError(f"--open: there is no page without {command_named(name).by_name[needed].label}")
    return given


def arguments_of(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a command's function: `options`, the command's defaults, and --set as a variant."""
    command, arguments = command_named(name), {**USUAL.get(name, {}), **options}
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

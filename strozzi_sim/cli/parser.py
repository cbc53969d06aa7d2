"""Commands from functions: the list of them, a parser for each, and what is passed on to the function.

Nothing of the engine is imported before a command runs.
"""

import argparse
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

from strozzi_sim.cli.declared import REQUIRED, Argument, Declared, declared
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, nearest, short_repr
from strozzi_sim.study.kinds import FUNCTIONS

_STUDY, _CLI = "strozzi_sim.study", "strozzi_sim.cli"
PLACES = {
    "run": f"{_STUDY}.folders:run_file", "report": f"{_CLI}.report:report", "merge": f"{_STUDY}.folders:merge",
    **{file.replace("_", "-"): f"{_STUDY}.kinds.{file}:{function}" for function, file in FUNCTIONS.items()},
    "facts": f"{_CLI}.installed:facts", "record": f"{_CLI}.records:record", "replay": f"{_CLI}.replay:replay",
    "verify": f"{_CLI}.records:verify", "analyse": f"{_CLI}.records:analyse", "play": f"{_CLI}.play:play", "mcp": f"{_CLI}.mcp:mcp",
    "agents": f"{_CLI}.installed:agents", "games": f"{_CLI}.installed:games", "cache": f"{_CLI}.machine:cache",
    "bench": f"{_CLI}.machine:bench", "new": f"{_CLI}.installed:new", "desk": "strozzi_sim.desk.server:desk",
}  # fmt: skip
USUAL = {"balance": {"players": "all", "agents": "tiers"}}  # defaults that differ from Python's
ABOUT = "Simulates millions of games of three Eurogames to measure balance, strategy and agent strength."
EPILOG = "Add --debug to any command to see the traceback of an error. Exit codes: 0 done, 1 the check failed, 2 bad input, 3 an agent's fault, 4 cannot read or write, 70 internal error, 130/143 interrupted, 141 closed pipe."
SETTINGS = Argument(
    "settings",
    'change a key of the components, as tracks.bonus.7=10; a list as SECTION.KEY=[20,10,5]; SECTION.add=[{id="X",...}] adds a block '
    'that has an id, SECTION.remove=["X"] removes one; may be given several times',
    is_repeated=True,
)  # of every command that takes a variant
_METAVARS = {str: "TEXT", int: "N", float: "X"}
JSON = Argument("json", "print one JSON document and nothing else", bool)
TABLES = Argument("tables", "print every table, and all of its lines", bool)


@cache
def command_named(name: str) -> Declared:
    """Return what the function of a command says of itself."""
    if name not in PLACES:
        near = nearest(name, list(PLACES))
        meant = f"did you mean {near!r}?" if near else "strozzi --help lists them"
        raise InputError(f"no command {short_repr(name)}; {meant}")
    return declared(PLACES[name], SETTINGS)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are an InputError of one line, with the option and the value."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (?:-h/)?", "", message)
        message = re.sub(r"^the following arguments are required: (.*)", r"\1: is needed", message)
        message = message.replace("expected one argument", "a value is missing")
        message = message.replace("ignored explicit argument", "takes no value, got")
        raise InputError(f"{message} (see {self.prog} --help)")


def help_text() -> str:
    """Return the list of all commands with what each does."""
    listed = "\n".join(f"  {name:<12} {command_named(name).summary}" for name in PLACES)
    return f"usage: strozzi COMMAND ...\n\n{ABOUT}\n\n{listed}\n\nstrozzi COMMAND --help shows its options. {EPILOG}"


def parser_of(name: str) -> _Parser:
    """Return the parser of a command."""
    from shutil import get_terminal_size
    from textwrap import fill

    command, usual = command_named(name), USUAL.get(name, {})
    about = fill(f"{command.summary} {command.more}".strip(), get_terminal_size().columns - 2)
    places = [each for each in command.arguments if not each.is_option]
    labels = [each.label if each.default is REQUIRED else f"[{each.label}]" for each in places]
    usage, example = " ".join(["strozzi", name, *labels, "[OPTION ...]"]), f"Example: {command.example}"
    parser = _Parser(f"strozzi {name}", usage, about, example, argument_default=argparse.SUPPRESS, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for each in command.arguments:
        _add(parser, each, f"; here: {usual[each.name]}" if each.name in usual else "")
    own = {"Results": (JSON, TABLES), "Answer": (JSON,)}.get(command.returns, ())
    for each in own:
        if each.name not in command.by_name:
            _add(parser, each)
    return parser


def _add(parser: argparse.ArgumentParser, each: Argument, more: str = "") -> None:
    """Add an argument, with its default if its words leave it out and it says something."""
    plain = each.default in (REQUIRED, None, "", ()) or each.type is bool or "default" in each.words
    words = each.words if plain else f"{each.words}; default: {each.default}"
    rest: dict[str, Any] = {"help": (words + more).replace("%", "%%")}
    if each.type is bool:
        rest["action"] = "store_true"
    else:
        metavar = "PATH" if each.is_path else _METAVARS[each.type]
        rest |= {"type": each.read, "metavar": metavar if each.is_option else each.label}
    if each.is_option:
        rest |= {"dest": each.name, "required": each.default is REQUIRED}
        rest |= {"action": "append"} if each.is_repeated else {}
    elif each.is_repeated or each.default is not REQUIRED:
        rest["nargs"] = "?" if not each.is_repeated else "+" if each.default is REQUIRED else "*"
    parser.add_argument(each.label if each.is_option else each.name, **rest)


def parsed(name: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the options of a command line by the names of the function's arguments; SystemExit after printing help."""
    parser = parser_of(name)
    found, unknown = parser.parse_known_intermixed_args(list(words))
    for word in unknown:
        option = word.partition("=")[0]
        if not word.startswith("-"):
            parser.error(f"{short_repr(word)}: there is no place for it")
        known = [each for action in parser._actions for each in action.option_strings if each.startswith("--")]
        near = nearest(option, known)
        parser.error(f"{short_repr(option)[1:-1]}: there is no such option{f'; did you mean {near}?' if near else ''}")
    return {key: value for key, value in vars(found).items() if value != []}


def arguments_of(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the function: with the usual ones, and with changed keys as a variant."""
    command, given = command_named(name), {**USUAL.get(name, {}), **options}
    if SETTINGS in command.arguments and (settings := given.pop("settings", None)):
        given["variant"] = _changed(given, settings)
        given.pop("study", None)
    return given


def _changed(given: dict[str, Any], settings: Sequence[str]) -> Any:
    """Return the variants of --variant with the changed keys of --set: one, or as many as the command takes."""
    from strozzi_sim.agent.names import one_variant
    from strozzi_sim.game import find_game
    from strozzi_sim.game.variants import with_settings

    place = "game" if "game" in given else "source"
    game, names = find_game(given[place], place), given.get("variant", "base")
    changed = [
        as_argument_error(
            "settings", with_settings, game, one_variant(game, "variant", each, given.get("study", "")), settings
        )
        for each in ([names] if isinstance(names, str) else names)
    ]
    return changed[0] if isinstance(names, str) else changed


def words_of(error: Exception, command: Declared | None) -> str:
    """Return the text of an error, with options and places instead of the arguments that it names.

    An ArgumentError names one; other text names one in backquotes.
    """
    known = {} if command is None else command.by_name

    def label(argument: str) -> str:
        return known[argument].label if argument in known else argument

    text = error.message if isinstance(error, ArgumentError) else str(error)
    text = re.sub(r"`(\w+)`", lambda found: f"`{label(found[1])}`", text)
    return f"{label(error.argument)}: {text}" if isinstance(error, ArgumentError) else text

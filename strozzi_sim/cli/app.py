"""The command's frame: every subcommand, and how each kind of error ends.

Subcommands import what they need when they are called, so that `strozzi --help` is quick.
"""

import os
import re
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from types import FrameType
from typing import Annotated, Any

import typer

from strozzi_sim.cli import (
    about,
    agent_questions,
    analyse,
    bench,
    facts,
    game_questions,
    mcp,
    new,
    play,
    records,
    study,
)
from strozzi_sim.cli.error_text import error_words
from strozzi_sim.cli.plain_values import refuse_nul, with_plain_numbers
from strozzi_sim.errors import MAX_SHOWN, Stopped, StorageError, StrozziError, short_repr
from strozzi_sim.runtime.signals import postponed

EPILOG = "Add --debug to any command to see the traceback of an error. Exit codes: 0 done, 1 the check failed, 2 bad input, 3 an agent's fault, 4 cannot read or write, 70 internal error, 130/143 interrupted, 141 closed pipe."
_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_MAX_LINE = 2_000  # letters of an error
_CLOSED_PIPE = 141  # as of a program that SIGPIPE ends
_signals: list[int] = []  # that were to stop the command that runs

app = typer.Typer(
    name="strozzi",
    help="Simulates millions of games of three Eurogames to measure balance, strategy and agent strength.",
    epilog=EPILOG,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _first_sentences(command: Callable[..., Any]) -> str:
    """Return what a command does, uncut: the parser would shorten it to a line."""
    return " ".join((command.__doc__ or "").partition("\n\n")[0].split())


_SHOWN = [
    part.COMMANDS
    for part in (study, facts, agent_questions, game_questions, records, analyse, play, mcp, about, bench, new)
]
for _commands in _SHOWN:
    for _name, _command in _commands.items():
        app.command(name=_name, short_help=_first_sentences(_command))(with_plain_numbers(_command))


def _tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"strozzi-sim {version('strozzi-sim')}")
        raise typer.Exit


@app.callback()
def _frame(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Simulates millions of games of three Eurogames to measure balance, strategy and agent strength."""


def main() -> None:
    """Run the command line and exit with its code; SIGINT and SIGTERM leave through every block that tidies up."""
    _open_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text, nor terminals know all
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        code = run(sys.argv[1:])
    except Stopped as stopped:
        stopped_by = signal.Signals(stopped.signal_number)
        code = _complain(f"interrupted by {stopped_by.name}", 128 + stopped_by, "--debug" in sys.argv)
    sys.exit(code)


def _open_closed_streams() -> None:
    """Open the null device for standard streams that the caller has closed, before a file gets their descriptor."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - open until the end


def _stop(number: int, frame: FrameType | None) -> None:
    if postponed(number, frame) is None:
        _signals.append(number)
        raise Stopped(number)


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; returns the exit code. Errors are one line on standard error."""
    _signals.clear()
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"] or ["--help"]
    try:
        refuse_nul(arguments)
        code = _call(arguments)
    except StrozziError as error:
        return _complain(error_words(error), error.exit_code, debug)
    except typer.Exit as error:
        return int(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("interrupted", 130, debug)
    except BrokenPipeError:
        for number in (1, 2):  # what is still to be flushed goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        return _CLOSED_PIPE
    except OSError as error:  # an unexpected failure of a file or folder
        name = f"{error.filename}: " if error.filename else ""
        return _complain(f"{name}{error.strerror or error}", StorageError.exit_code, debug)
    except Exception as error:  # noqa: BLE001 - the outermost frame: anything else is an internal error
        words = getattr(error, "format_message", None)
        if words is not None:  # the parser's own errors
            return _complain(_usage(error, words()), 2, debug)
        return _complain(f"internal error: {type(error).__name__}: {error} (--debug shows where)", 70, debug)
    return code if isinstance(code, int) else 0


def _call(arguments: list[str]) -> object:
    try:
        code = app(args=arguments, prog_name="strozzi", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # which the parser turns into the code of a failed check
            raise error.__context__ from None
        raise
    except Exception as error:
        if _signals:  # an extension module interrupted during its import raises an ImportError instead
            raise Stopped(_signals[0]) from error
        raise
    return code


def _usage(error: Exception, words: str) -> str:
    context = getattr(error, "ctx", None)
    where = f" (see {context.command_path} --help)" if context is not None else ""
    near = sorted(getattr(error, "possibilities", None) or ())
    option, wrong = re.match(r"Invalid value for '([^']*)'", words), getattr(error.__cause__, "errors", None)
    if option is not None and callable(wrong):  # the parser's words leave the value out
        first = wrong()[0]
        ours = first.get("ctx", {}).get("error")  # of a parser of this package
        kind = _KINDS.get(str(first["type"]).partition("_")[0], "another value")
        words = f"{option[1]}: {ours or f'expected {kind}, got ' + short_repr(first['input'])}"
    if near:
        words = f"{words.partition(' (Possible options')[0]}; did you mean {' or '.join(near)}?"
    return " ".join(words.split()).rstrip(".") + where


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in " ".join(message.split()))
    if len(line) > _MAX_LINE:
        line = f"{line[: _MAX_LINE - MAX_SHOWN]} ... {line[-MAX_SHOWN:]}"
    with suppress(OSError):  # nobody reads it any more
        print(f"strozzi: error: {line}", file=sys.stderr)
    return code

"""The command's frame: signals, standard streams, exit codes of errors. `parser` makes commands from functions."""

import gc
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from inspect import signature
from io import TextIOWrapper
from types import FrameType
from typing import Any

from strozzi_sim.cli.parser import Declared, arguments_of, command_named, error_text, help_text, parsed
from strozzi_sim.cli.show import show
from strozzi_sim.errors import MAX_SHOWN, InputError, Stopped, StorageError, StrozziError
from strozzi_sim.runtime.system import ENDING, postpones

_MAX_LINE = 2_000  # characters of an error
_CLOSED_PIPE = 141  # exit code of a program that SIGPIPE ends: 128 + 13
_signals: list[int] = []  # signals that raised Stopped in the running command


def main() -> None:
    """Run the command line and exit with its code. Signals raise exceptions, so that `finally` blocks run."""
    gc.set_threshold(100_000)  # modules, tables and pages are many objects with few cycles
    _open_closed_streams()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for file names that are no text, or not printable here
    stop_on_signals()
    try:
        code = run(sys.argv[1:])
    except Stopped as stopped:
        code = _complain(str(stopped), 128 + stopped.signal_number, "--debug" in sys.argv)
    for number in ENDING:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)  # nothing is left to be put in order
    sys.exit(code)


def _open_closed_streams() -> None:
    """Open the null device for standard streams that the caller has closed, before a file gets their descriptor."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - open until the end


def stop_on_signals() -> None:
    """Make signals that end a process raise Stopped in the main thread, later where it would be lost."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as SIGINT in a script's background job, SIGHUP by nohup
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    if not postpones(number, frame):
        _signals.append(number)
        raise Stopped(number)


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and return the exit code; Stopped passes through."""
    _signals.clear()
    debug, words = "--debug" in arguments, [word for word in arguments if word != "--debug"] or ["--help"]
    command: Declared | None = None
    code = 0
    try:
        if words[0] == "--version":
            from importlib.metadata import version

            print(f"strozzi-sim {version('strozzi-sim')}")
        elif words[0] in ("--help", "-h"):
            print(help_text())
        else:
            with _signals_before_errors():
                command = command_named(words[0])
                code = _call(command, words)
        sys.stdout.flush()
    except StrozziError as error:
        return _complain(error_text(error, command), error.exit_code, debug)
    except KeyboardInterrupt:
        return _complain("interrupted", 130, debug)
    except BrokenPipeError:
        for number in (1, 2):  # buffered output is discarded
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        return _CLOSED_PIPE
    except OSError as error:  # an unexpected failure of a file or folder
        name = f"{error.filename}: " if error.filename else ""
        return _complain(f"{name}{error.strerror or error}", StorageError.exit_code, debug)
    except Exception as error:  # noqa: BLE001 - the outermost frame: an error in a package, or an internal one
        from strozzi_sim.runtime.entry_points import error_in_package

        if text := error_in_package(error):
            return _complain(text, InputError.exit_code, debug)
        return _complain(f"internal error: {type(error).__name__}: {error} (--debug shows where)", 70, debug)
    return code


@contextmanager
def _signals_before_errors() -> Iterator[None]:
    """Raise Stopped for an error after a signal, as the import of an extension module turns it into an ImportError."""
    try:
        yield
    except Exception as error:
        if _signals:
            raise Stopped(_signals[0]) from error
        raise


def _call(command: Declared, words: Sequence[str]) -> int:
    name, *rest = words
    try:
        options = parsed(name, rest)
    except SystemExit:  # after printing help
        return 0
    as_json, every_table, opens = options.get("json", False), options.pop("tables", False), options.pop("open", False)
    if "json" not in command.by_name:
        options.pop("json", None)
    arguments = arguments_of(name, options)
    listing = command.offer.listing
    if listing is not None and arguments.keys() <= signature(listing).parameters.keys() and not every_table:
        answer: Any = listing(**arguments)
    elif command.takes_progress:
        from strozzi_sim.study.progress import progress_of

        with progress_of(not as_json) as progress:
            watched = replace(progress, command=shlex.join(["strozzi", *words]))
            answer = command.function(**arguments, progress=watched)
    else:
        answer = command.function(**arguments)
    return show(name, answer, with_json=as_json, every_table=every_table, opens=opens)


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in " ".join(message.split()))
    if len(line) > _MAX_LINE:
        line = f"{line[: _MAX_LINE - MAX_SHOWN]} ... {line[-MAX_SHOWN:]}"
    with suppress(OSError):  # standard error is closed
        print(f"strozzi: error: {line}", file=sys.stderr)
    return code

"""The command's frame: every subcommand, and how each kind of error ends.

Subcommands import what they need when they are called, so that `strozzi --help` is quick.
"""

import os
import signal
import sys
import traceback
from types import FrameType
from typing import Annotated

import typer

from strozzi_sim.cli import about, bench, exploit, fairness, play, records, study, tournament
from strozzi_sim.errors import StrozziError

EPILOG = "Add --debug to any command to see the traceback of an error. Exit codes: 0 done, 1 the check failed, 2 bad input, 3 an agent's fault, 4 cannot read or write, 70 a bug of ours, 130/143 interrupted."

app = typer.Typer(
    name="strozzi",
    help="Plays Renaissance Eurogames millions of times and says what that teaches.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _module in (study, tournament, exploit, fairness, records, play, about, bench):
    for _name, _command in _module.COMMANDS.items():
        app.command(name=_name)(_command)


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
    """Plays Renaissance Eurogames millions of times and says what that teaches."""


class _Stopped(BaseException):
    """SIGINT or SIGTERM came; no `except Exception` on the way out takes it for something else."""


def main() -> None:
    """Run the command line and exit with its code; SIGINT and SIGTERM leave through every block that tidies up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    try:
        code = run(sys.argv[1:])
    except _Stopped as stopped:
        (number,) = stopped.args
        code = _complain(f"interrupted by {signal.Signals(number).name}", 128 + number, "--debug" in sys.argv)
    sys.exit(code)


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped(number)


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; returns the exit code. Errors are one line on standard error."""
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    try:
        code = app(args=arguments, prog_name="strozzi", standalone_mode=False)
        sys.stdout.flush()
    except StrozziError as error:
        return _complain(str(error), error.exit_code, debug)
    except typer.Exit as error:
        return int(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("interrupted", 130, debug)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the outermost frame: anything else is a bug of ours
        words = getattr(error, "format_message", None)
        if words is not None:  # the parser's own errors
            help_asked = type(error).__name__ == "NoArgsIsHelpError"
            return 0 if help_asked else _complain(_usage(error, words()), 2, debug)
        return _complain(f"a bug of ours: {type(error).__name__}: {error} (--debug shows where)", 70, debug)
    return code if isinstance(code, int) else 0


def _usage(error: Exception, words: str) -> str:
    context = getattr(error, "ctx", None)
    where = f" (see {context.command_path} --help)" if context is not None else ""
    return " ".join(words.split()).rstrip(".") + where


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(f"strozzi: error: {' '.join(message.split())}", file=sys.stderr)
    return code

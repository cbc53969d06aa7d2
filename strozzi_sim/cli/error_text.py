"""Errors of lower parts in the words of the command line: they name arguments, a person gives options."""

from strozzi_sim.errors import ArgumentError

OPTIONS = {"folder": "--out", "start": "--from"}  # of arguments with another name in Python
# Arguments that are given without an option.
PLACES = {"game": "GAME", "source": "DIR|GAME", "first": "[A]", "second": "[B]", "agent": "AGENT"}
_ENDINGS = {
    "name another folder": "name another folder with --out",
    "choose another folder": "choose --out",
    "name it with code": "name it with --code",
    "kept without a folder": "kept without --out",
    "name the count with param": "name the count with --param",
    "matchups sets the maximum)": "--matchups sets the maximum)",
}


def option_of(argument: str) -> str:
    """The option that gives an argument: `held_out` comes from `--held-out`."""
    place = PLACES.get(argument, "").strip("[]")
    return place or OPTIONS.get(argument, f"--{argument.replace('_', '-')}")


def arguments_to_options(text: str) -> str:
    """A line of a lower part whose last words tell the reader which argument helps, with the option instead."""
    for ending, ours in _ENDINGS.items():
        if text.endswith(ending):
            return text.removesuffix(ending) + ours
    return text


def error_words(error: Exception) -> str:
    """The text of an error, as the command line says it."""
    if isinstance(error, ArgumentError):
        return f"{option_of(error.argument)}: {error.message}"
    return arguments_to_options(str(error))

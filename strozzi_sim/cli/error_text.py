"""Errors on the command line: options instead of the arguments that the functions name."""

from strozzi_sim.errors import ArgumentError

OPTIONS = {
    "folder": "--out",
    "start": "--from",
    "settings": "--set",
    "every": "--all",
}  # of arguments with another name in Python
# Arguments that are given without an option.
PLACES = {
    "game": "GAME",
    "source": "DIR|GAME",
    "first": "[A]",
    "second": "[B]",
    "agent": "AGENT",
    "things": "[THING...]",
    "file": "FILE",
    "parts": "DIR...",
}
_ENDINGS = {
    "name another folder": "name another folder with --out",
    "choose another folder": "choose --out",
    "name it with code": "name it with --code",
    "name it with folder": "name it with --out",
    "that were played with part": "that were played with --part",
    "kept without a folder": "kept without --out",
    "max_matchups sets the maximum)": "--max-matchups sets the maximum)",
}


def option_of(argument: str) -> str:
    """Return the option of an argument: `held_out` comes from `--held-out`."""
    place = PLACES.get(argument, "").strip("[]")
    return place or OPTIONS.get(argument, f"--{argument.replace('_', '-')}")


def arguments_to_options(text: str) -> str:
    """Return a line whose last words name an argument, with the option instead."""
    for ending, replacement in _ENDINGS.items():
        if text.endswith(ending):
            return text.removesuffix(ending) + replacement
    return text


def error_words(error: Exception) -> str:
    """Return the text of an error on the command line."""
    if isinstance(error, ArgumentError):
        return f"{option_of(error.argument)}: {arguments_to_options(error.message)}"
    return arguments_to_options(str(error))

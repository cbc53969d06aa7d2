"""Errors of numba in the kernels of a game, as one line: place and cause."""

import re
from pathlib import Path

from numba import types
from numba.core.errors import NumbaError

from strozzi_sim.errors import short_repr, suggest_names

_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_CAUSES = re.compile(
    r"missing a required argument: '\w+'|too many positional arguments|got an unexpected keyword argument '\w+'|"
    r"[Uu]ntyped global name '\w+'[^\n]*|NameError: [^\n]*|Unknown attribute '\w+' of type \w+|Cannot unify [^\n]*|"
    r"Invalid use of [^\n]*|cannot assign [^\n]*"
)
_LONGEST = 200  # letters of a cause


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def plain_text(error: BaseException) -> str:
    """Return the text of an error without colours, which numba adds where colorama is installed."""
    return _COLOURS.sub("", str(error))


def describe_compile_error(error: NumbaError | KeyError) -> str:
    """Return the place and the cause of an error of numba in one line, such as `core.py, line 46: no field 'actr'; known: actor`."""
    if isinstance(error, KeyError):
        return _unknown_field(error)
    text = plain_text(error)
    places, causes = _PLACE.findall(text), _CAUSES.findall(text)
    place = f"{Path(places[0][0]).name}, line {places[0][1]}: " if places else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    cause = causes[-1] if causes else next((line for line in lines if not line.startswith(("Failed in", "-"))), text)
    return place + cause[:_LONGEST]


def _unknown_field(error: KeyError) -> str:
    """Describe access to an unknown field of a record; only the frames of the traceback contain the record and the line."""
    record, loc, step = None, None, error.__traceback__
    while step is not None:
        here = step.tb_frame.f_locals.get("self")
        record = here if isinstance(here, types.Record) else record
        loc = getattr(here, "loc", loc)
        step = step.tb_next
    place = f"{Path(loc.filename).name}, line {loc.line}: " if loc is not None else ""
    name = error.args[0] if error.args else ""
    fields = [] if record is None else [field for field in record.fields if field != "nothing"]
    return f"{place}no field {short_repr(name)}; {suggest_names(name, fields)}"

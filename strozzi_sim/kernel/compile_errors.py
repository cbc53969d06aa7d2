"""Compile errors of numba in the code of a game or an agent, as one line: place and cause."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from strozzi_sim.errors import short_repr, suggest_names

COMPILE_ERRORS = (NumbaError, UnsupportedBytecodeError, KeyError)  # what numba raises for code that does not compile
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_OTHER_PLACE = re.compile(r'(?: at|Raised from) ([^\n"]+?) \((\d+)\)')
_CALL_PLACE = re.compile(r"typing of call at (.+?) \(\d+\)")
_DURING_CALL = r"\s*During: typing of call at [^\n]*"
_CALLEE = rf"resolving callee type: [^\n]*<function (\w+) at [^\n]*\n(?:{_DURING_CALL}\n)*?{_DURING_CALL}"
_UNKNOWN_NAME = re.compile(r"NameError: name '(\w+)' is not defined(?s:.*?)<function (\w+) at ")
_CAUSES = re.compile(
    r"missing a required argument: '\w+'|too many positional arguments|got an unexpected keyword argument '\w+'|"
    r"[Uu]ntyped global name '\w+'[^\n]*|NameError: [^\n]*|Unknown attribute '\w+' of type [^\n]*|Cannot unify [^\n]*|"
    r"Invalid use of [^\n]*|cannot assign [^\n]*|[^\n]*; an action is a whole number"
)
_OUTSIDE = "outside the function; make it a tuple or an array"
# what numba's text shows -> the cause as a plain sentence, with the group of the pattern
_PLAIN = {
    r"ntyped global name ('\w+'): [^\n]*<class 'dict'>": f"{{}} is a dict {_OUTSIDE}",
    r"reflected [^\n]* type, assigned to variable ('\w+') in globals": f"{{}} is a list, or has one, {_OUTSIDE}",
    r"DictType\[|LiteralStrKey|literal dictionary|typing of dict |castedkey": (
        "this use of a dict cannot be compiled; use a tuple, an array or a field of the rules"
    ),
    r"on a literal list": "a list of values of different types cannot be compiled; use a list or a tuple of numbers",
    r"(?:Type of|infer the type of) variable ('\w+')": "the values of {} must be of one type that can be compiled",
    r"Use of unsupported opcode \((\w+)\)": "a construct of Python that cannot be compiled ({})",
}
# RETURN_CONST is an instruction of Python 3.12 and 3.13.
_NO_RETURN = re.compile(r"No conversion from (.+?) to int64 for '[^']*return_(?:value|const)")
_CALL = re.compile(r"^\s*>>> (\w+)\((.*)\)\s*$", re.MULTILINE)
_INFIX = {"and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "add": "+", "sub": "-", "mul": "*"}
_IN_PLACE = {f"i{name.strip('_')}": f"{sign}=" for name, sign in _INFIX.items()}
_OPERATORS = {"getitem": "an index [ ]", "setitem": "an index [ ]", "invert": "~", **_INFIX, **_IN_PLACE}
_INTERNAL_FOLDERS = ("strozzi_sim", Path(numba.__file__).parent.name)
_LONGEST = 200  # characters of a cause
NO_RECORDS: Mapping[Any, str] = MappingProxyType({})
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def describe_compile_error(error: Exception, records: Mapping[Any, str] = NO_RECORDS) -> str:
    """Return the place and the cause of an error of numba, such as `core.py, line 46: no field 'x'; known: actor`.

    The place is the innermost one in the author's code, else in any code. If types do not fit inside a function that is
    called there, the cause names this function. `records`: names of record types, for an error about a field.
    """
    if isinstance(error, KeyError):
        return _unknown_field(error, records)
    text = _COLOURS.sub("", str(error))  # numba adds colours if colorama is installed
    places = _PLACE.findall(text)
    author_places = [place for place in places + _OTHER_PLACE.findall(text) if _is_author_file(place[0])]
    path, line = _place_of_name(text) or (author_places or places or [("", "")])[0]
    file = Path(path).name
    callee = re.search(rf"{_CALLEE}{re.escape(file)} \({line}\)", text)
    return (f"{file}, line {line}: " if file else "") + _cause(text, callee[1] if callee else "")[:_LONGEST]


def _is_author_file(file: str | Path) -> bool:
    return not set(Path(file).parts) & set(_INTERNAL_FOLDERS)


def _place_of_name(text: str) -> tuple[str, int] | None:
    """Return the file and line of an unknown name, for which numba names only the function; None if not found."""
    if (unknown := _UNKNOWN_NAME.search(text)) is None:
        return None
    files = [Path(file) for file in _CALL_PLACE.findall(text[unknown.start() :])]
    folders = dict.fromkeys(file.parent for file in files if _is_author_file(file))
    for file in (file for folder in folders for file in sorted(folder.glob("*.py"))):
        before, _, function = file.read_text("utf-8").partition(f"def {unknown[2]}(")
        if name := re.search(rf"\b{unknown[1]}\b", function):
            return str(file), before.count("\n") + function.count("\n", 0, name.start()) + 1
    return None


def _cause(text: str, callee: str) -> str:
    """Return the cause stated in an error's text; `callee` is the function called at its place, "" if none failed."""
    if no_return := _NO_RETURN.search(text):
        fault = "can end without `return`" if no_return[1] == "none" else f"returns {_short_kinds(no_return[1])}"
        return f"it {fault}; an action is a whole number"
    for pattern, sentence in _PLAIN.items():
        if plain := re.search(pattern, text):
            return sentence.format(*plain.groups())
    if causes := _CAUSES.findall(text):
        return _short_kinds(causes[-1])
    if calls := _CALL.findall(text):
        # the call of `callee`, or the innermost call if numba does not state the arguments of `callee`
        name, kinds = next((call for call in calls if call[0] == callee), calls[-1])
        kinds_given = _short_kinds(kinds)
        advice = "; a float must be made a whole number by // or int()" if "float64" in kinds_given else ""
        within = f"in {callee}: " if callee not in ("", name) else ""
        return f"{within}{_OPERATORS.get(name, name)} cannot take ({kinds_given}){advice}"
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith(("Failed in", "-"))), text)


def _short_kinds(kinds: str) -> str:
    """Return a text with its numba types in short form: records without fields, literals as their type.

    >>> _short_kinds("NarrowRecord(phase[type=nestedarray(uint8, (6,));offset=0];64;True), Literal[int](3), float64")
    'record, int64, float64'
    """
    while (start := re.search(r"(?:Narrow)?Record\(", kinds)) is not None:
        depth, end = 1, start.end()
        while depth and end < len(kinds):
            depth += {"(": 1, ")": -1}.get(kinds[end], 0)
            end += 1
        kinds = f"{kinds[: start.start()]}record{kinds[end:]}"
    kinds = re.sub(r"Literal\[int\]\([^)]*\)", "int64", kinds)
    kinds = re.sub(r"Literal\[str\]\([^)]*\)|unicode_type", "text", kinds)
    kinds = re.sub(r"(?:nested|readonly )?array\([^()]*(?:\([^()]*\))?[^()]*\)", "array", kinds)
    return re.sub(r"(?:reflected )?list\(\w+\)<\w+=[^>]*>", "a list", kinds)


def _unknown_field(error: KeyError, records: Mapping[Any, str]) -> str:
    """Describe access to an unknown field of a record; only the traceback has the type of the record, and the place."""
    record, loc, step, author_loc = None, None, error.__traceback__, None
    while step is not None:
        instance = step.tb_frame.f_locals.get("self")
        record = instance if isinstance(instance, types.Record) else record
        loc = getattr(instance, "loc", loc)
        author_loc = loc if loc is not None and _is_author_file(loc.filename) else author_loc
        step = step.tb_next
    loc = author_loc or loc
    place = f"{Path(loc.filename).name}, line {loc.line}: " if loc is not None else ""
    owner = f"{records[record]} has " if record in records else ""
    fields = [] if record is None else [field for field in record.fields if field != "nothing" and field[0] != "_"]
    name = error.args[0] if error.args else ""
    return f"{place}{owner}no field {short_repr(name)}; {suggest_names(name, fields)}"

"""Declarations of functions: arguments, types, defaults and docstring, read from their source without importing them.

So the help of a command takes no import of the engine, and commands and tools need no further declaration.
"""

import ast
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from strozzi_sim.errors import short_repr
from strozzi_sim.study.arguments import RUN_OPTIONS, WORDS, split_docstring

REQUIRED = object()
OPTIONS = {"folder": "out", "settings": "set", "every": "all", "start": "from"}  # argument in Python -> its option
BY_OPTION = ("agents",)  # options in every command, even if positional in Python
_TYPES = {"int": int, "float": float, "bool": bool}
_REPEATED = ("Sequence[", "Variants", "Things")


@dataclass(frozen=True)
class Argument:
    """An argument of a function."""

    name: str  # in Python
    words: str  # its line in the docstring
    type: type = str  # int, float, bool, or str for everything that is given as text
    default: Any = None  # REQUIRED without one
    is_option: bool = True  # given by option, not by place
    is_repeated: bool = False  # takes several values
    is_path: bool = False  # may name a file or folder

    @property
    def label(self) -> str:
        """The name on the command line: the option, or the place in capitals."""
        option = f"--{OPTIONS.get(self.name, self.name).replace('_', '-')}"
        return option if self.is_option else self.name.replace("_", "-").upper()

    def read(self, text: str) -> Any:
        """Return a value from text; ArgumentTypeError says what is expected. Numbers are plain digits: not `1_0` and not `nan`."""
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
    summary: str  # first sentence of its docstring
    more: str  # the paragraphs after it, without the example
    example: str  # the command line after `Example: `
    arguments: tuple[Argument, ...]  # that have a line in the docstring; `progress` has no text form
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
    """Return the declaration of the function at MODULE:FUNCTION, with further arguments that the caller handles."""
    module, _, name = place.partition(":")
    spec = find_spec(module)
    assert spec is not None, module
    source = Path(str(spec.origin)).read_text("utf-8")  # of which the function alone is parsed, to be quick
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
    """Return an argument; a default that is a name of the module is given as this name."""
    annotation = ast.unparse(node.annotation) if node.annotation else "str"
    value = REQUIRED if default is None else default.id if isinstance(default, ast.Name) else ast.literal_eval(default)
    kind, is_path = _TYPES.get(annotation.removesuffix(" | None"), str), "Path" in annotation or "Folder" in annotation
    is_option, is_repeated = is_keyword or node.arg in BY_OPTION, annotation.startswith(_REPEATED)
    return Argument(node.arg, words, kind, value, is_option, is_repeated, is_path)

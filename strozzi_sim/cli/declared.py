"""What a public function says of itself: arguments, types, defaults and docstring, read from its source without importing it.

So the help of a command costs no import of the engine, and a command and a tool have no declaration of their own.
"""

import ast
import re
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path
from typing import Any

REQUIRED = object()
_TYPES = {"int": int, "float": float, "bool": bool}
_REPEATED = ("Sequence[", "Variants")


@dataclass(frozen=True)
class Argument:
    """An argument of a function.

    Attributes:
        name: name in Python.
        words: its line in the docstring.
        type: int, float, bool, or str for everything that is given as text.
        default: default value, or REQUIRED.
        is_keyword: whether it can be given by keyword alone.
        is_repeated: whether it takes several values.
    """

    name: str
    words: str
    type: type
    default: Any
    is_keyword: bool
    is_repeated: bool


@dataclass(frozen=True)
class Declared:
    """A public function.

    Attributes:
        place: where it is, MODULE:FUNCTION.
        summary: first sentence of its docstring.
        more: the paragraphs after it.
        arguments: those that have a line in the docstring, except `progress`, which has no text form.
        takes_progress: whether it reports its progress.
    """

    place: str
    summary: str
    more: str
    arguments: tuple[Argument, ...]
    takes_progress: bool

    def call(self, **given: Any) -> Any:
        """Import the function and call it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)(**given)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, for tools of assistants."""
        words = {str: "string", int: "integer", float: "number", bool: "boolean"}
        properties: dict[str, Any] = {}
        for each in self.arguments:
            one = {"type": words[each.type]}
            properties[each.name] = {
                "description": each.words,
                **({"type": "array", "items": one} if each.is_repeated else one),
            }
        required = [each.name for each in self.arguments if each.default is REQUIRED]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def declared(place: str) -> Declared:
    """Return what the function at MODULE:FUNCTION says of itself."""
    module, _, name = place.partition(":")
    spec = find_spec(module)
    assert spec is not None, module
    tree = ast.parse(Path(str(spec.origin)).read_text("utf-8"))
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    text = cleandoc(ast.get_docstring(function) or "")
    beginning, _, rest = text.partition("\nArgs:\n")
    found = re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", rest.partition("\n\n")[0], re.MULTILINE)
    words = {name: " ".join(line.split()) for name, line in found}
    plain, keyword = function.args.args, function.args.kwonlyargs
    defaults = [REQUIRED] * (len(plain) - len(function.args.defaults)) + [
        ast.literal_eval(each) for each in function.args.defaults
    ]
    defaults += [REQUIRED if each is None else ast.literal_eval(each) for each in function.args.kw_defaults]
    arguments = [
        _argument(each, words[each.arg], default, each in keyword)
        for each, default in zip([*plain, *keyword], defaults, strict=True)
        if each.arg in words and each.arg != "progress"
    ]
    summary, _, more = beginning.strip().partition("\n\n")
    return Declared(
        place,
        " ".join(summary.split()),
        more.strip(),
        tuple(arguments),
        any(each.arg == "progress" for each in keyword),
    )


def _argument(node: ast.arg, words: str, default: Any, is_keyword: bool) -> Argument:
    annotation = ast.unparse(node.annotation) if node.annotation else "str"
    kind = _TYPES.get(annotation.removesuffix(" | None"), str)
    return Argument(node.arg, words, kind, default, is_keyword, annotation.startswith(_REPEATED))

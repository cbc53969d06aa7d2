"""Tools made from functions: the schema of the arguments, their check, and the command that gives the same answer."""

import inspect
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta

from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.commands import described
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.game.converting import converted

COMMAND = "command"  # key of an answer
Answer = dict[str, Any]
Seed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Names = str | list[str]


@dataclass(frozen=True)
class Tool:
    """A tool.

    Attributes:
        name: its name.
        function: takes the arguments by name, and `limits` if it plays; returns the answer.
        writes: whether it may write files.
        arguments: (name, type, default) of each argument, if the signature of the function does not tell them.
        words: text about the tool, under "", and about each argument; default: the docstring's.
    """

    name: str
    function: Callable[..., Answer]
    writes: bool = False
    arguments: tuple[tuple[str, Any, Any], ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def _said(self) -> dict[str, str]:
        whole = (inspect.getdoc(self.function) or "").partition("\n\nArgs:\n")[0]
        return {**described(self.function), "": " ".join(whole.split()), **self.words}

    @property
    def description(self) -> str:
        """What the tool does."""
        return self._said[""]

    @cached_property
    def kind(self) -> Any:
        """Type of the arguments, a msgspec Struct."""
        asked = self.arguments or arguments_of(self.function)
        said = self._said
        fields = [
            (name, Annotated[_named(name, kind), Meta(description=said[name])], default)
            for name, kind, default in asked
        ]
        needed = [(name, kind) for name, kind, default in fields if default is inspect.Parameter.empty]
        rest = [(name, kind, default) for name, kind, default in fields if default is not inspect.Parameter.empty]
        return msgspec.defstruct(self.name, [*needed, *rest], kw_only=True, forbid_unknown_fields=True)

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        (found,), parts = msgspec.json.schema_components([self.kind])
        schema = dict(parts[found["$ref"].rpartition("/")[2]])
        for each in schema["properties"].values():
            if each.get("default") in ("", None, [], {}):  # as good as left out
                each.pop("default", None)
        return schema

    def call(self, arguments: Mapping[str, Any], limits: Limits) -> Answer:
        """Return the answer, with the command that makes it again.

        Raises:
            StrozziError: an invalid argument, or what the function raises.
        """
        given = converted(dict(arguments), self.kind, self.name)
        values = {name: getattr(given, name) for name in given.__struct_fields__}
        for argument, value in values.items():
            if isinstance(value, str) and "\0" in value:  # no name of a file or an agent has one
                raise ArgumentError(argument, f"must not hold a NUL character, got {short_repr(value)}")
        if "limits" in inspect.signature(self.function).parameters:
            values["limits"] = limits
        answer = self.function(**values)
        if COMMAND not in answer:
            text = json.dumps(dict(arguments), ensure_ascii=False)
            answer[COMMAND] = shlex.join(["strozzi", "mcp", *limits.options, self.name, text])
        return answer


def arguments_of(function: Callable[..., Any]) -> tuple[tuple[str, Any, Any], ...]:
    """Return (name, type, default) of the arguments of a function by its signature, but for `limits` and `**` ones."""
    kinds = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    asked = [each for each in parameters if each.name != "limits" and each.kind != each.VAR_KEYWORD]
    return tuple((each.name, kinds[each.name], each.default) for each in asked)


def _named(name: str, kind: Any) -> Any:
    """Return the type of an argument; the name of a game is one of those installed."""
    if name != "game":
        return kind
    from strozzi_sim.game import game_names

    return Literal[tuple(game_names())]


def find_tool(name: str, tools: Mapping[str, Tool]) -> Tool:
    """Return a tool by name. Raises InputError."""
    if name not in tools:
        raise InputError(f"no tool {short_repr(name)}; {suggest_names(name, tools)}")
    return tools[name]


def as_text(names: Names) -> str:
    """Return names as the command line takes them, separated by commas."""
    return names if isinstance(names, str) else ",".join(names)

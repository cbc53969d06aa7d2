"""A decision as JSON, for programs in any language: what the seat sees and what it may do."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from strozzi_sim.game.contract import Game
from strozzi_sim.game.parts import CONSTANT, StateView


class Action(msgspec.Struct):
    """A legal action: its number and its name."""

    action: int
    name: str


def decision(view: Any, legal: Sequence[int]) -> dict[str, Any]:
    """Return a decision as a document for `encode`: game, seat, the view without component data, named legal actions.

    >>> import strozzi_sim as ss
    >>> position = ss.Position("strozzi", 4, seed=7)
    >>> document = decision(position.view(), position.legal)
    >>> document["game"], document["seat"], document["legal"][0]
    ('strozzi', 0, {'action': 1, 'name': 'pass'})
    """
    # a View that a game declares is in the game's package
    game = view.game if isinstance(view, StateView) else import_module(type(view).__module__.rpartition(".")[0]).GAME
    return {
        "game": game.name,
        "seat": view.seat,
        "view": {name: getattr(view, name) for name in _view_fields(view)},
        "legal": [{"action": action, "name": game.view.action_name(action, view)} for action in legal],
    }


def encode(document: Any) -> bytes:
    """Return a document as one line of JSON, without a newline; a tuple as a key becomes text: (1, 2) is "1,2"."""
    return msgspec.json.encode(document, enc_hook=_plain)


def decision_type(game: Game) -> Any:
    """Return the msgspec type of a game's decisions, for checks of lines of JSON; the game must declare its View."""
    view = get_type_hints(game.view.view_of)["return"]
    kinds = get_type_hints(view)
    view_type = msgspec.defstruct(f"{game.name}.View", [(name, _json_type(kinds[name])) for name in _view_fields(view)])
    parts: list[Any] = [("game", Literal[game.name]), ("seat", int), ("view", view_type), ("legal", list[Action])]
    return msgspec.defstruct(f"{game.name}.Decision", parts)


def _view_fields(view: Any) -> list[str]:
    """Return the names of the fields of a View, or of the class of a declared one, without CONSTANT ones."""
    names = vars(view) if isinstance(view, StateView) else [field.name for field in fields(view)]
    return [name for name in names if name not in CONSTANT]


def _json_type(kind: Any) -> Any:
    """Return the type of a field as JSON has it: tuples as keys are text."""
    if get_origin(kind) is not None and issubclass(get_origin(kind), Mapping):
        key, value = get_args(kind)
        return Mapping[str, value] if get_origin(key) is tuple else kind  # type: ignore[valid-type]
    return kind


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):  # a key; msgspec writes other tuples itself
        return ",".join(map(str, value))
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not plain data")

"""The default View: the fields of a concealed state, for agents in Python and for text."""

from collections.abc import Mapping
from typing import Any


class StateView:
    """A position as a seat sees it: every field of the concealed state, as a number or as nested tuples."""

    def __init__(self, state: Any, components: Mapping[str, Any], seat: int, over: int) -> None:
        """Read a row of concealed states; `over` is the phase of a finished game."""
        fields = {name: _frozen(state[name].tolist()) for name in state.dtype.names}
        self.__dict__.update(fields, seat=seat, over=fields["phase"] == over, components=components)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateView) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if name != "components")
        return f"{type(self).__name__}({fields})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a View is read-only: {name} cannot be set")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the view has no {name}; it has {', '.join(self.__dict__)}")


def _frozen(value: Any) -> Any:
    """Return nested lists as nested tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

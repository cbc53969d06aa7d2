"""The parts of a game: a class for each module of its folder. Kernels are declared in `game.contract`.

A member with a value or a body here is optional, and this is its default. A file must have the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import isfunction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import Table, decision_table, seat_table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.game.components import components_type, read_only, rules_dtype, rules_from
from strozzi_sim.game.events import Events
from strozzi_sim.game.record_checking import Replay
from strozzi_sim.game.sentences import capitalized, seat_name, written_rules
from strozzi_sim.game.slices import Layout, name_of, things_shown

Plain = Mapping[str, Any]  # component data as plain mappings, lists, numbers and text, as in records
CONSTANT = "components", "game"  # what a View has that is equal in all games of a variant


class Part:
    """A module of a game's folder, as an object: its names are attributes, and a subclass has defaults of some of them.

    Where the class has a method, the module may have a value, such as `question = "Which token?"`, that calls return.
    """

    FILE: ClassVar[str]  # name of the module
    OPTIONAL: ClassVar[bool] = False  # whether a game without the module has the defaults alone

    def __init__(self, game: Any) -> None:
        self._place = f"{game.package}.{self.FILE}"
        has_file = find_spec(self._place) is not None
        if not has_file and not self.OPTIONAL:
            why = f"{game.package} has no module {self.FILE}, which every game must have"
            raise InputError(f"game {game.name!r}: {why}")
        self._declared = vars(import_module(self._place)) if has_file else {}
        for name, value in self._declared.items():
            replaces_method = isfunction(getattr(type(self), name, None)) and not callable(value)
            vars(self)[name] = _returning(value) if replaces_method else value
        self.game = game

    @classmethod
    def if_any(cls, game: Any) -> Self | None:
        """Return the part of a game, or None if the game lacks the module."""
        return None if find_spec(f"{game.package}.{cls.FILE}") is None else cls(game)

    def declares(self, name: str) -> bool:
        """Return whether the module itself has this member."""
        return name in self._declared

    if not TYPE_CHECKING:  # for the type checker a part has the members of its class alone

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            raise InputError(f"game {self.game.name!r}: {self._place} has no {name}, which this file must have")


def _returning(value: Any) -> Callable[..., Any]:
    return lambda *arguments: value


class StatePart(Part):
    """`state.py`: the state and rules records as commented tables, phases, action numbers and limits.

    The state has at least the fields `players`, `actor` and `phase`; no other game may have a state of the same fields.
    """

    FILE = "state"
    PLAYER_COUNTS: tuple[int, ...]  # in ascending order
    STATE: np.dtype[Any]  # the record of a position
    JOURNAL_ROWS: int  # largest number of events of a game
    ACTIONS: int  # A: action numbers are 1 to A - 1; 0 is never legal
    OVER: int  # the phase of a finished game; required for the defaults of `is_over` and `view_of`

    @cached_property
    def RULES(self) -> np.dtype[Any]:
        """The dtype of the rules record, which kernels read; default: made by `rules_dtype`."""
        return rules_dtype(self.game.components_part.Components)


class CorePart(Part):
    """`core.py`: the rules as kernels, the verbs of `game.contract`."""

    FILE = "core"
    FORCE_INLINE: tuple[Any, ...] = ()  # kernels of verbs to inline into every caller


class ComponentsPart(Part):
    """`components.py`: the component data, its checks, and its conversion to the rules record."""

    FILE = "components"
    OPTIONAL = True
    # for the default `Components`: SECTION.KEY -> smallest and largest value, also of the entries of a list
    LIMITS: Mapping[str, tuple[int, int]] = MappingProxyType({})
    MERGED: tuple[str, ...] = ()  # keys of tables that a variant changes entry by entry, such as `setup.cards_removed`
    # section -> its description if it is "reconstructed", see `reconstructed_sections`; None: general descriptions
    RECONSTRUCTED: Mapping[str, str] | None = None
    PROVENANCE: tuple[str, ...] = ("provenance", "provenance_note")  # keys that name sources; records omit them

    @cached_property
    def Components(self) -> Any:
        """The msgspec type of components.toml; default: the types of the values there, within LIMITS."""
        return components_type(self.game.package, self.LIMITS)

    @cached_property
    def VARIABLE(self) -> tuple[str, ...]:
        """The sections that a variant can change, and that records repeat; default: all but `meta`."""
        return tuple(name for name in self.Components.__struct_fields__ if name != "meta")

    def check(self, components: Any, where: str) -> None:
        """Check the data for faults that its types allow. Raises InputError, which names `where` and the key."""

    def totals(self, components: Any) -> Mapping[str, Any]:
        """Return SECTION.KEY -> value derived from others; checked in components.toml, derived again in a variant."""
        return {}

    def check_players(self, components: dict[str, Any], players: int, where: str) -> None:
        """Check that the data allows this player count. Raises InputError."""

    def warnings(self, components: Any) -> Sequence[str]:
        """Return warnings for a designer about data that is playable, but probably a mistake."""
        return ()

    def to_rules(self, components: Any) -> np.ndarray[Any, Any]:
        """Return the rules record that kernels read, array of shape (1,); default: filled by field names."""
        return rules_from(self.game.rules, components)

    def hidden(self, components: dict[str, Any]) -> bool:
        """Return whether seats have secrets; default: False. Future chance is not a secret, as no state contains it."""
        return False

    def rounds(self, components: dict[str, Any]) -> int:
        """Return the number of rounds of a game; default: 0, a game without rounds."""
        return 0


class EventsPart(Part):
    """`events.py`: kinds of journal events, their lines in a record, their visibility, and their text."""

    FILE = "events"
    EVENTS: Events  # the declaration, from which the lines of a record and their text are made

    def begun(self, rows: Any, state: Any) -> Iterator[dict[str, Any]]:
        """Yield the lines that are begun and not written yet; a list in a line may be incomplete, a tuple is complete.

        Required if a line reports several decisions, so that `play.records` can find each of them.
        """
        return iter(())


class StateView:
    """A position as a seat sees it: every field of the concealed state, as a number or as nested tuples."""

    def __init__(self, game: Any, state: Any, components: Mapping[str, Any], seat: int) -> None:
        fields = {name: read_only(state[name].tolist()) for name in state.dtype.names}
        is_over = fields["phase"] == game.state_part.OVER
        self.__dict__.update(fields, seat=seat, over=is_over, components=components, game=game)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StateView) and vars(self) == vars(other)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if name not in CONSTANT)
        return f"{type(self).__name__}({fields})"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the view has no {name}; it has {', '.join(vars(self))}")


def _in_words(value: Any) -> str:
    if not isinstance(value, Sequence):
        return str(value)
    has_names = bool(value) and isinstance(value[0], str)
    return (", " if has_names else " ").join(map(str, value)) or "-"


class ViewPart(Part):
    """`view.py`: the knowledge of a seat, and texts for players. `view_of` takes a state as `conceal` leaves it.

    The text of `render` has parts, divided by empty lines; `strozzi play` prints those that changed.
    """

    FILE = "view"
    SLICES: Layout  # the named slices of the observation tensor

    def view_of(self, state: Any, components: Plain, seat: int) -> Any:
        """Return the View of `seat` on a row of concealed states; default: the fields of the state."""
        return StateView(self.game, state, components, seat)

    def action_name(self, action: int, view: Any) -> str:
        """Return the name of an action as a player types it; default: its number."""
        return str(action)

    def question(self, view: Any, phase: int) -> str:
        """Return the pending decision as text."""
        return "Your choice?"

    def render(self, position: Any, components: Plain, names: Sequence[str]) -> str:
        """Return a View or the reference game as text; `names` by seat. Default: the fields that SLICES name."""
        who = [seat_name(names, seat) for seat in range(len(names))]
        shared, by_seat = [], [f"{capitalized(name)}:" for name in who]
        for part, value in things_shown(self.SLICES, position, who):
            if part.group:
                by_seat = [
                    f"{line} {name_of(part).lower()} {_in_words(own)};"
                    for line, own in zip(by_seat, value, strict=False)
                ]
            else:
                shared.append(f"{name_of(part)}: {_in_words(value)}")
        return "\n".join(["Table", *shared, "", "Seats", *(line.rstrip(";") for line in by_seat)])

    def compound_choices(self, view: Any, phase: int) -> Sequence[str]:
        """Return the items that can be chosen together, or ().

        Items have no blanks, commas or plus signs. The name of an action is its items, in this order, joined by blanks.
        """
        return ()

    def meanings(self, view: Any, phase: int) -> Mapping[str, str]:
        """Return explanations of the names of choices, such as costs."""
        return {}

    def caution(self, action: int, view: Any) -> str:
        """Return a sentence that a human player must confirm before a costly action, or ""."""
        return ""

    def short_rules(self, components: Plain, players: int) -> str:
        """Return a summary of the rules, one line per paragraph; default: `short_rules.txt`, see `written_rules`."""
        return written_rules(self.game.package, components)


class FactsPart(Part):
    """`fact_handlers.py`: the fact tables (`facts.columns`) and the handlers that write their rows into a sink.

    The handlers `begin_match`, `open_game`, `on_decision` and `close_game` are verbs of `game.contract`; `note` handles
    events (`Events.handlers`). A `decision_table` or `seat_table` needs none of them.
    """

    FILE = "fact_handlers"
    OPTIONAL = True
    TABLES: tuple[Table, ...] = (decision_table(), seat_table())  # the fact tables

    @cached_property
    def SINK(self) -> np.dtype[Any]:
        """The dtype of the record that handlers write to (`facts.sink.sink_dtype`); default: no further fields."""
        return sink_dtype(self.TABLES, [(f"of_{self.game.name}", "u1")])  # distinct for each game: it selects the verbs

    # (description, crosstab, crosstab) whose sums, or rows if a crosstab has none, must be equal
    AGREEMENTS: tuple[tuple[str, Crosstab, Crosstab], ...] = ()


class TablePart(Part):
    """`table.py`: the game's table on a page, as data; `table.js` and `table.css` beside it draw it."""

    FILE = "table"
    TABLE: Any  # subclass of `game.table.GameTable`, which folds the lines of a record


class VerifyPart(Part):
    """`verify.py`: the replay of a record in the plain-Python reference."""

    FILE = "verify"
    REPLAY: Replay


class ReferencePart(VerifyPart):
    """`reference.py`, of a game that replays records there."""

    FILE = "reference"


class RestrictionsPart(Part):
    """`restrictions.py`: actions that can be forbidden to a seat, by name; see `game.restricting`."""

    FILE = "restrictions"
    # function of the component data that returns every restriction, a `restricting.Restriction`, by name; KIND:WORD-N
    # stands for any N above 0
    restrictions: Callable[[Plain], Mapping[str, Any]]

    def check(self, rules: Any, seat: int, name: str) -> None:
        """Refuse a restriction, written into a row of the rules, with which the seat cannot play. Raises InputError."""

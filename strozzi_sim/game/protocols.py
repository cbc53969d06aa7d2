"""The parts of a game as Protocols: what each module of its folder has; the verbs are in `games.contract`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game.slices import Layout

Plain = Mapping[str, Any]  # component data as plain mappings, lists, numbers and words, as records have it


class StatePart(Protocol):
    """`state.py`: the state and rules records as commented tables, phases, action numbers and limits.

    The state has at least the fields `players`, `actor` and `phase`.

    Attributes:
        ACTIONS: action numbers lie below it; 0 is never legal.
    """

    @property
    def ACTIONS(self) -> int: ...  # noqa: D102 - a constant of the module


class ComponentsPart(Protocol):
    """`components.py`: reads and checks component data, and makes the record of the rules.

    It may have a function `warnings(components)`, too: what can be played and a designer should be told, in words.

    Attributes:
        VARIABLE: the sections that a variant can change, which are those that records repeat.
        MERGED: keys whose tables are laid over the old ones entry by entry.
        Components: the msgspec type of the whole data.
    """

    VARIABLE: tuple[str, ...]
    MERGED: tuple[str, ...]
    Components: Any

    def check(self, components: Any, where: str) -> None:
        """Refuse what cannot be played. Raises InputError."""

    def check_totals(self, components: Any, where: str) -> None:
        """Refuse data of the box whose totals do not add up. Raises InputError."""

    def check_players(self, components: dict[str, Any], players: int, where: str) -> None:
        """Refuse a player count that the data does not allow. Raises InputError."""

    def plain(self, components: Any) -> dict[str, Any]:
        """The data as records have it."""

    def reconstructed(self, components: Any) -> list[str]:
        """The parts that were not read off the box, in words."""

    def to_rules(self, components: Any) -> np.ndarray[Any, Any]:
        """The rules record that compiled code reads, array of shape (1,)."""

    def rounds(self, components: dict[str, Any]) -> int:
        """Rounds of a game."""

    def hidden(self, components: dict[str, Any]) -> bool:
        """Whether seats know what others must not see; chance to come is in no state."""


class EventsPart(Protocol):
    """`events.py`: journal event kinds, and their translation to lines of a record and to words.

    A game that tells decisions in a line only some decisions later has a function `begun(rows, state)`, too: it yields the lines that
    are not told yet, as far as they are known; of a list in them only the beginning, a tuple is whole. So the decisions of a
    record are found one by one (`play.retrace`).
    """

    def to_lines(self, rows: Any, components: dict[str, Any], players: int) -> Iterator[dict[str, Any]]:
        """The lines of a record from journal rows int32[events, WIDTH]."""

    def visible(self, line: dict[str, Any], components: Plain, viewer: int) -> dict[str, Any]:
        """The line without what the seat `viewer` must not see; that reads None."""

    def describe(self, line: Plain, names: Sequence[str], components: Plain) -> str:
        """A line in words; "" where there is nothing to say."""


class ViewPart(Protocol):
    """`view.py`: what a seat knows. Every function takes a state as `conceal` leaves it.

    A game in which several things are chosen at once has a function `together(view, phase)`, too: a tuple of what there is to
    choose from, words without blanks, commas and plus. An action's name is then those that it chooses, in this order, with
    blanks between them. Where nothing of the kind is asked it is ().

    For a person at the table a game may have three more functions:

    - `meanings(view, phase)`: a mapping of names of choices to what they stand for in a few words, such as what they cost.
    - `caution(action, view)`: a sentence about what an action may cost beyond what is usual, "" if nothing; the person confirms it.
    - `short_rules(components, players)`: the rules in short, a line for each paragraph.

    The text of `render` has its parts divided by empty lines; each begins with a heading that stays while the part does.

    Attributes:
        SLICES: what stands where in the observation tensor, by name.
        OBSERVATION: its length, SLICES.size.
    """

    SLICES: Layout

    @property
    def OBSERVATION(self) -> int: ...  # noqa: D102 - a constant of the module

    def view_of(self, state: Any, components: Plain, seat: int) -> Any:
        """The View of `seat` on a row of concealed states."""

    def action_name(self, action: int, view: Any) -> str:
        """An action in words, as a person would type it."""

    def question(self, view: Any, phase: int) -> str:
        """What the seat is asked, in words."""

    def render(self, position: Any, components: Plain, names: Sequence[str]) -> str:
        """The position in text."""


class ReportPart(Protocol):
    """`report/`: tables, pictures, heat maps, sentences, and the words for values; see `games.reporting`."""

    PAGES: tuple[str, ...]
    PAGE_TITLES: Mapping[str, tuple[str, str]]
    HEATMAPS: Mapping[str, Any]

    def crosstabs(self, pages: Sequence[str]) -> list[Crosstab]:
        """What has to be counted for them."""

    def tables(
        self, cells: Sequence[Any], pages: Sequence[str], heatmaps: Mapping[str, Any], stats: Any
    ) -> dict[str, Any]:
        """Tables by name."""

    def pictures(self, tables: Mapping[str, Any]) -> list[Any]:
        """What can be drawn of these tables."""

    def sentences(self, tables: Mapping[str, Any], components: Mapping[str, Plain]) -> dict[str, list[str]]:
        """Return what was found, by page; each sentence names the games it is about. `components` are those of each variant."""

    def words(self, tables: Mapping[str, Any], data: Plain) -> Mapping[str, str]:
        """Return how raw values of the tables are called in a variant with this component data, which may be empty."""


class FactsPart(Protocol):
    """`facts.py`: what happens, as tables; see `facts.columns`. A game without it has no facts, its studies count outcomes.

    Its handlers write rows into a sink: `prepare`, `open_game`, `note`, `decided` and `close_game`.

    Attributes:
        TABLES: the fact tables.
        SINK: the dtype of the record that they are written to (`facts.sink.sink_dtype`).
        AGREEMENTS: what is counted twice two ways: in words, and two crosstabs whose sums are equal.
    """

    TABLES: tuple[Table, ...]
    SINK: np.dtype[Any]
    AGREEMENTS: tuple[tuple[str, Crosstab, Crosstab], ...]


class CheckPart(Protocol):
    """`check.py`: plays a record again in the game's plain-Python reference."""

    def check_game(self, header: Plain, header_line: int, lines: Sequence[tuple[int, Plain]]) -> None:
        """Raises RuleViolation at the first line that cannot be."""

    def replay_game(self, header: Plain, header_line: int, lines: Sequence[tuple[int, Plain]]) -> Iterator[Any]:
        """The same, stopping wherever somebody decides."""


class RestrictionsPart(Protocol):
    """`restrictions.py`: what a seat may be forbidden, by name; see `games.restricting`."""

    def names(self, components: Plain) -> dict[str, str]:
        """Every restriction by name, and in words; N in a name stands for a number."""

    def restrict(self, rules: Any, seat: int, name: str, components: Plain) -> None:
        """Write a restriction into a row of the rules, whose kernels honour it. Raises InputError for a wrong N."""

"""Figures as values: the name in tables, unit, range, label and definition of what is measured.

A figure is declared where it is computed. Tables keep its name; the table `figures` of a study has the rest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Literal, NamedTuple

Unit = Literal["share", "points", "ratio", "score", "amount", "number", "count", "p"]
# what the size of a difference is relative to: all games (a share), the mean score, the figure itself; "": not compared
Scale = Literal["share", "score", "itself", ""]


class Measure(NamedTuple):
    """The rules of a unit: how its figures are printed and compared, and the range of their values."""

    factor: int = 1  # of the number shown
    digits: int = 1  # decimals of a number without an interval
    sign: str = ""  # after the number
    lowest: float = -inf
    highest: float = inf
    scale: Scale = "itself"


UNITS: dict[Unit, Measure] = {
    "share": Measure(100, 1, "\N{NARROW NO-BREAK SPACE}%", 0.0, 1.0, "share"),
    "points": Measure(100, 1, " points", -1.0, 1.0, "share"),  # differences of shares
    "ratio": Measure(100, 1, "\N{NARROW NO-BREAK SPACE}%"),  # changes in parts of what changes
    "score": Measure(scale="score"),  # final scores of a player
    "amount": Measure(),  # points and other amounts
    "number": Measure(digits=2),
    "count": Measure(digits=0, lowest=0.0),
    "p": Measure(digits=3, lowest=0.0, highest=1.0, scale=""),  # probabilities of a test
}


@dataclass(frozen=True)
class Figure:
    """A figure: its name in tables, its unit and what is known of its values, and words, in which equals may differ."""

    name: str
    label: str = field(default="", compare=False)  # default: the name as words
    unit: Unit = "number"
    definition: str = field(default="", compare=False)  # how it is counted
    # lowest, highest: smallest and largest possible value, within the range of the unit; NaN is no limit
    lowest: float = -inf
    highest: float = inf
    scale: Scale | None = None  # default: that of the unit
    equal: bool = False  # whether equal seats have 1 / players each
    better: Literal["higher", "lower", ""] = ""  # which values are better for the player who is measured

    @property
    def measure(self) -> Measure:
        """The rules of its unit, with the figure's own range and scale."""
        known = UNITS[self.unit]
        lowest, highest = max(known.lowest, self.lowest), min(known.highest, self.highest)
        return known._replace(lowest=lowest, highest=highest, scale=known.scale if self.scale is None else self.scale)

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, not a difference of shares."""
        return self.unit == "share"

    @property
    def words(self) -> str:
        """The label, or without one the name as words."""
        return self.label or self.name.replace("_", " ")

    def difference(self, name: str = "", how: str = "", scale: Scale = "itself") -> "Figure":
        """Return the figure that is a difference of two of these; of shares in points. `how`: ends the definition."""
        definition = "; ".join(filter(None, [self.definition, how]))
        unit: Unit = "points" if self.is_share else "amount" if self.unit in ("score", "count") else self.unit
        return Figure(name or self.name, self.label, unit, definition, scale=scale)

    def derived(self, ending: str, words: str, how: str, unit: Unit | None = None) -> "Figure":
        """Return a figure that follows from this one: `ending`, `words` and `how` end name, label and definition."""
        label = f"{self.label}, {words}" if self.label else ""
        definition = "; ".join(filter(None, [self.definition, how]))
        own_unit: Unit = "amount" if self.unit == "score" else self.unit
        return Figure(f"{self.name}_{ending}", label, unit or own_unit, definition, scale=self.scale)

    def of_level(self, level: str) -> "Figure":
        """Return the figure with a level in place of {} in its name and its label."""
        return replace(self, name=self.name.replace("{}", level), label=self.label.replace("{}", level))


def share(name: str, definition: str = "", label: str = "", **more: Any) -> Figure:
    """Return a figure that is a share."""
    return Figure(name, label, "share", definition, **more)


def filled(figure: Figure, names: Iterable[str]) -> Iterator[Figure]:
    """Yield the figure, or if its name has {} each figure among these names that it is with a level in that place."""
    start, braces, end = figure.name.partition("{}")
    if not braces:
        yield figure
        return
    for name in names:
        if len(name) > len(start + end) and name.startswith(start) and name.endswith(end):
            yield figure.of_level(name[len(start) : len(name) - len(end)])


_OF_WINS = "share of games that are won; a win shared by k counts 1/k for each"
WIN_SHARE = Figure("win_share", "games won", "share", _OF_WINS, equal=True, better="higher")
SCORE = Figure("score_mean", "mean score", "score", "mean of the final scores")
DECISIONS = Figure("decisions_mean", "decisions in a game", "count", "mean of the decisions of all players")

"""What the pages of a report are made of, whatever the game: tidy tables, pictures, heat maps, numbers in words.

A game's `report` has
    PAGES       the names of its pages
    HEATMAPS    name -> HeatMap
    crosstabs(pages) -> what has to be counted
    tables(cells, pages, heatmaps, stats) -> name -> DataFrame
    pictures(tables) -> list of Picture
    sentences(tables, components) -> page -> sentences, each of which names the games it is about
    words(tables, data) -> how raw values of the tables ("plus_one") are called in a variant with this component data
most of which `games.pages` makes of the game's pages;
`cells` are the cells' counts (studies.cells.CellCounts), `stats` is the module that turns counts into figures
(strozzi_sim.stats) and `components` is variant name -> component data.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.pictures import Board, Figure, Unit

Tables = Mapping[str, pd.DataFrame]

CELL = ("players", "variant", "lineup")
FIGURE = ("figure", "value", "low", "high", "n", "deals")
NUMBER_KEYS = ("seat", "position")
SCENARIO = "scenario"  # a variant with a line-up
THIN = "\N{NARROW NO-BREAK SPACE}"
NO_VALUE = "no value"  # in place of a figure; sentences with it are not said


@dataclass(frozen=True)
class Picture:
    """One picture or table of a report, by what it shows; how it looks is the report's business.

    Attributes:
        name: file name without ending.
        page: the page it stands on.
        kind: intervals (dots with whiskers by a few levels), lines (by a number), dots (many levels, one row each),
            bars (stacked sums), spread (quantiles), board (a figure where things lie), table.
        table: the table its figures are in.
        figures: one panel or column each; in `bars` the parts of a bar; in `spread` five quantiles and a mark.
        title, caption: in words.
        where: the rows of the table it shows, column -> value.
        x: the column along the axis, or of the rows ("players" compares player counts in one panel).
        series: the column told apart by colour; SCENARIO puts variants and line-ups into one picture.
        levels, series_levels: the values of `x` and of `series` in their order; empty = those there are.
        groups: `bars` only, name of a bar -> its parts, instead of `x` and `figures`.
        x_label: what `x` is.
        equal: draw a line at an equal chance, 1 / players; of `board`: colours are of multiples of it.
        board: `board` only, component data of a variant -> where the levels of `x` lie.
        zero: `lines` and `dots` only, draw a line at zero: the figures are differences.
        sort: the figure by which the levels of `x` are sorted, largest first; "" leaves their order.
        most: number of levels shown, of those that are sorted; 0 = all.
    """

    name: str
    page: str
    kind: Literal["intervals", "lines", "dots", "bars", "spread", "board", "table"]
    table: str
    figures: tuple[Figure, ...]
    title: str
    caption: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    x: str = ""
    series: str = ""
    levels: tuple[str, ...] = ()
    series_levels: tuple[str, ...] = ()
    groups: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    x_label: str = ""
    equal: bool = False
    board: Callable[[Mapping[str, Any]], Board] | None = None
    zero: bool = False
    sort: str = ""
    most: int = 0


class FigureTable:
    """Collects figures into a tidy table: players, variant, lineup, the keys, figure, value, low, high, n, deals."""

    def __init__(self, *keys: str) -> None:
        self.columns = (*CELL, *keys, *FIGURE)
        self._keys = keys
        self._parts: list[dict[str, Any]] = []

    def add(
        self,
        cell: Any,
        figure: str,
        estimate: Any,
        *,
        keep: Any = True,
        **levels: str | int | Sequence[str] | Sequence[int],
    ) -> None:
        """Add an estimate of shape [L1, L2, ...], one axis for every key given as a list, in the order of the keys.

        Every level gets a row, also one without an event: that there was none is a result, and a share that stood in
        the table only when it occurred would be overestimated on average.

        Args:
            cell: players, variant, lineup, deals.
            figure: its name.
            estimate: value, low, high, n.
            keep: bool of the same shape, False for what cannot occur.
            levels: one or many for every key.
        """
        lists = [list(levels[key]) for key in self._keys if not isinstance(levels[key], str | int)]  # type: ignore[arg-type]
        shape = tuple(len(axis) for axis in lists)
        n = np.broadcast_to(estimate.n, shape).ravel()
        there = np.broadcast_to(keep, shape).ravel()
        axes = iter(np.meshgrid(*[np.arange(size) for size in shape], indexing="ij"))
        part: dict[str, Any] = {"players": cell.players, "variant": cell.variant, "lineup": cell.lineup}
        names = iter(lists)
        for key in self._keys:
            level = levels[key]
            if isinstance(level, str | int):
                part[key] = level
            else:
                row = next(names)
                part[key] = [row[k] for k in next(axes).ravel()[there]]
        for side in ("value", "low", "high"):
            part[side] = np.broadcast_to(getattr(estimate, side), shape).ravel()[there].astype(np.float64)
        part |= {"figure": figure, "n": n[there].astype(np.int64), "deals": cell.deals}
        self._parts.append(part)

    def add_all(
        self, cell: Any, estimates: Mapping[str, Any], **levels: str | int | Sequence[str] | Sequence[int]
    ) -> None:
        """Add estimates by figure, all with the same levels."""
        for figure, estimate in estimates.items():
            self.add(cell, figure, estimate, **levels)

    def frame(self) -> pd.DataFrame:
        """The table; without rows it still has its columns and their types."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for part in self._parts:
            size = len(part["n"])
            for name, column in columns.items():
                entry = part[name]
                column.extend([entry] * size if isinstance(entry, str | int) else entry)
        types = dict.fromkeys(self.columns, "str")
        types |= dict.fromkeys(("players", "n", "deals", *NUMBER_KEYS), "int64")
        types |= dict.fromkeys(("value", "low", "high"), "float64")
        return pd.DataFrame({name: pd.Series(column, dtype=types[name]) for name, column in columns.items()})


def check_names(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that are not known.

    Raises:
        InputError: lists the known ones.
    """
    known = list(known)
    for name in names:
        if name not in known:
            raise InputError(f"unknown {kind} {short_repr(name)}; {suggest_names(name, known)}")


def unknown_figures(picture: Picture, table: pd.DataFrame) -> list[str]:
    """Return, as text, the figures of a picture that its table has no row of, and the known ones; none of an empty table."""
    if table.empty:
        return []
    known = sorted(table["figure"].unique())
    bars = list(picture.groups.values()) or [picture.figures]
    names = dict.fromkeys([*(figure.name for bar in bars for figure in bar), *filter(None, [picture.sort])])
    return [f"unknown figure {short_repr(name)}; {suggest_names(name, known)}" for name in names if name not in known]


def in_words(value: float, unit: Unit, digits: int | None = None) -> str:
    """A figure as a person reads it: shares as per cent."""
    if np.isnan(value):
        return "\N{EN DASH}"
    scaled, sign = (100 * value, f"{THIN}%") if unit == "share" else (value, "")
    return f"{scaled:z,.{_DIGITS[unit] if digits is None else digits}f}{sign}".replace("-", "\N{MINUS SIGN}")


_DIGITS: dict[Unit, int] = {"share": 1, "amount": 1, "number": 2, "count": 0}


def digits_for(half: float, unit: Unit, most: int = 2) -> int:
    """Decimals that show an interval of this half-width: as few as can be."""
    half = 100 * half if unit == "share" else half
    needed = int(np.ceil(-np.log10(half) - 1e-9)) if half > 0 else 0
    return max(_DIGITS[unit], min(needed, most))


def reach_in_words(row: Any, unit: Unit, digits: int) -> str:
    """The half-width of a row's interval, rounded up to the decimals shown; "" if there is no interval."""
    if np.isnan(row.low) or np.isnan(row.high):
        return ""
    half = max(row.high - row.value, row.value - row.low) * (100 if unit == "share" else 1)
    return "0" if half <= 0 else f"{max(np.ceil(half * 10**digits - 1e-6), 1) / 10**digits:,.{digits}f}"


def quote(row: Any, unit: Unit) -> str:
    """A row of a table in words: value ± half-width."""
    if np.isnan(row.value):
        return NO_VALUE
    if np.isnan(row.low):
        return in_words(row.value, unit)
    digits = digits_for((row.high - row.low) / 2, unit)
    said, per_cent, _ = in_words(row.value, unit, digits).partition(f"{THIN}%")
    return f"{said}{THIN}±{THIN}{reach_in_words(row, unit, digits)}{per_cent}"


def pick(table: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows of a table whose columns have these values."""
    keep = np.ones(len(table), bool)
    for column, value in where.items():
        keep &= (table[column] == value).to_numpy()
    return table[keep]


def row_of(table: pd.DataFrame, **where: Any) -> Any:
    """The only such row with a value, as a named tuple; None if there is none."""
    rows = pick(table, **where)
    return next(rows.itertuples(index=False)) if len(rows) == 1 and not np.isnan(rows["value"].iloc[0]) else None


def first_scenario(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table's first variant and line-up."""
    if table.empty:
        return table
    first = table.iloc[0]
    return pick(table, variant=first["variant"], lineup=first["lineup"])


def listed(words: Sequence[str]) -> str:
    """Words in a row: a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


class Named(str):
    """A sentence that names the games it is about, or is about none."""

    __slots__ = ()


class Narrator:
    """Quotes one table at one player count, of one variant and line-up: a cell of the study.

    Args:
        table: its rows of that variant and line-up.
        players: the player count.
        name: the cell, in words: "3 players (long: random)".
        where: what tells it from the narrator whose `elsewhere` it is in, in words: "at 3 players".
        elsewhere: those of the table's other player counts, variants and line-ups.
        data: component data of the variant.
        agents: what agents are called, by position; seats where one agent plays itself.
    """

    def __init__(
        self, table: pd.DataFrame, players: int, name: str = "", where: str = "", elsewhere: Sequence["Narrator"] = (),
        data: Mapping[str, Any] | None = None, agents: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.table, self.players, self.name, self.where, self.elsewhere = table, players, name, where, elsewhere
        self.data, self.agents = data or {}, agents

    def says(self, text: str) -> Named:
        """Return the sentence with the name of the cell before it."""
        return Named(f"{self.name}: {text[:1].upper()}{text[1:]}")

    def row(self, figure: str, **where: Any) -> Any:
        """The only such row with a value, at the player count spoken of unless `where` names another; or None."""
        return row_of(self.table, figure=figure, **{"players": self.players, **where})

    def _quote(self, figure: str, unit: Unit, where: Mapping[str, Any]) -> str:
        row = self.row(figure, **where)
        return quote(row, unit) if row else NO_VALUE

    def share(self, figure: str, **where: Any) -> str:
        """The figure in words, as a share."""
        return self._quote(figure, "share", where)

    def amount(self, figure: str, **where: Any) -> str:
        """The figure in words, as an amount of what scores are counted in."""
        return self._quote(figure, "amount", where)

    def number(self, figure: str, **where: Any) -> str:
        """The figure in words, as a number."""
        return self._quote(figure, "number", where)

    @property
    def equal(self) -> str:
        """What an equal chance is, as the end of a sentence."""
        return f"an equal chance is {in_words(1 / self.players, 'share')}."

    def rows(self, figure: str, **where: Any) -> list[Any]:
        """All such rows with a value."""
        rows = pick(self.table, figure=figure, **{"players": self.players, **where}).dropna(subset="value")
        return list(rows.itertuples(index=False))

    def extremes(self, figure: str, **where: Any) -> tuple[Any, Any] | None:
        """The rows with the lowest and the highest value; None with less than two."""
        rows = sorted(self.rows(figure, **where), key=lambda row: float(row.value))
        return (rows[0], rows[-1]) if len(rows) > 1 else None

    def span(self, figure: str, unit: Unit, **where: Any) -> str:
        """Between what the figure lies elsewhere, to stand behind it: " (elsewhere 44.1 ± 0.5 % at 5 players to ...)"."""
        rows = [(cell.where, row) for cell in self.elsewhere if (row := cell.row(figure, **where))]
        rows.sort(key=lambda found: float(found[1].value))
        ends = rows if len(rows) < 2 else [rows[0], rows[-1]]
        words = " to ".join(f"{quote(row, unit)} {place}" for place, row in ends)
        return f" (elsewhere {words})" if words else ""

    def also(self, figure: str, key: str, level: str, *, least: bool = False, called: str = "{}", **where: Any) -> str:
        """Whether the level with most (or least) of a figure has so elsewhere too, to stand behind it: "; elsewhere too".

        What differs is named where it is sure: where another level has more by intervals that do not overlap.
        """
        same, others, sign = 0, [], -1 if least else 1
        cells = [(cell, cell.rows(figure, **where)) for cell in self.elsewhere]
        known = [(cell, rows) for cell, rows in cells if len(rows) > 1]
        for cell, rows in known:
            best = max(rows, key=lambda row: sign * float(row.value))
            own = next((row for row in rows if getattr(row, key) == level), best)
            same += own is best
            if best.low > own.high if sign > 0 else best.high < own.low:
                others.append(f"{called.format(getattr(best, key))} {cell.where}")
        if others:
            return f"; but {some_of(others)}"
        if not known:
            return ""
        return "; elsewhere too" if same == len(known) else "; elsewhere no other for sure"


def some_of(words: Sequence[str], most: int = 4) -> str:
    """The first of them in a row, and how many more there are."""
    return listed([*words[:most], f"{len(words) - most} more"] if len(words) > most else words)


def narrators(tables: Tables, page: str, players: int, components: Mapping[str, Any]) -> Narrator:
    """Return what quotes the first variant and line-up of a page's table at a player count, and elsewhere all other cells.

    Args:
        tables: the tables of the study.
        page: name of the table.
        players: the player count.
        components: variant -> component data.
    """
    table = tables[page]
    cells = table[list(CELL)].drop_duplicates()
    several = cells["variant"].nunique() > 1
    first = cells.iloc[0]

    def narrator(count: int, variant: str, lineup: str, elsewhere: Sequence[Narrator] = ()) -> Narrator:
        words = [
            f"at {count} players" if count != players else "",
            f"in {variant}" if variant != first["variant"] else "",
            f"with {lineup.replace(',', ', ')}" if lineup != first["lineup"] else "",
        ]
        cell = {"variant": variant, "lineup": lineup}
        return Narrator(
            pick(table, **cell), count, cell_name(count, variant, lineup, several=several), " ".join(filter(None, words)),
            elsewhere, components.get(variant), agent_names(pick(tables["lineup"], players=count, **cell), count),
        )  # fmt: skip

    own = players, first["variant"], first["lineup"]
    others = [(int(count), *rest) for count, *rest in cells.itertuples(index=False) if (count, *rest) != own]
    return narrator(*own, [narrator(*cell) for cell in others])


def cell_name(players: int, variant: str, lineup: str, *, several: bool = False) -> str:
    """Return a cell in words: "3 players (random)", with its variant if there are several or it is not the base."""
    shown_variant = f"{variant}: " if several or variant != "base" else ""
    return f"{players} players ({shown_variant}{lineup.replace(',', ', ')})"


def agent_names(lineup: pd.DataFrame, players: int) -> list[str]:
    """Return what the positions of a line-up are called: agents by name, copies in their order ("first random").

    Args:
        lineup: rows of the line-up's table; without any an agent plays itself, and position k is seat k.
        players: the player count.
    """
    agents = dict(zip(lineup["position"], lineup["agent"], strict=True))
    if not agents:
        return [f"seat {seat}" for seat in range(players)]
    many, named = Counter(agents.values()), Counter[str]()
    names = []
    for _, agent in sorted(agents.items()):
        named[agent] += 1
        names.append(agent if many[agent] == 1 else f"{_ordinal(named[agent])} {agent}")
    return names


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth", "sixth")
    return words[number - 1] if number <= len(words) else f"{number}th"


def spoken_of(table: pd.DataFrame) -> int:
    """Return the player count that sentences are about: 4, or the smallest."""
    return 4 if (table["players"] == 4).any() else int(table["players"].min())

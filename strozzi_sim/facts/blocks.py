"""Figures as data: what a table says of facts, each figure the ratio of two sums by the levels of some columns.

A block is a part of a table: some figures by the same columns of one fact table. It knows the crosstabs that it needs, and
writes its figures once they are counted. `cell` is a cell of a study (studies.cells.CellCounts), `stats` the package
strozzi_sim.stats and `table` a games.reporting.FigureTable; they are handed in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import Array
from strozzi_sim.facts.crosstabs import Crosstab

ALL = "all"  # the level that has all others together
GAMES, PLAYERS = "games", "players"  # what sums can be divided by besides columns: games, and games times players
ROWS = ""  # the number of rows, in place of a column


@dataclass(frozen=True)
class Ratio:
    """A figure: a sum over another.

    Attributes:
        name: the figure's.
        over: the columns whose sum it is of, ROWS for the number of rows; one with "-" before it is subtracted.
        under: what it is divided by: a column, ROWS, GAMES or PLAYERS.
        along: a key of the block whose levels are taken together in `under`.
        share: whether it is a share, in [0, 1].
        rows_count: whether its n is the number of rows, where `under` is not.
    """

    name: str
    over: tuple[str, ...] = (ROWS,)
    under: str = ROWS
    along: str = ""
    share: bool = False
    rows_count: bool = False


def mean(name: str, *columns: str) -> Ratio:
    """The mean of a column, or of the sum of some, over rows."""
    return Ratio(name, columns)


def share(name: str, column: str) -> Ratio:
    """The share of rows for which a column of 0 and 1 is 1; of `win`, the share of games won."""
    return Ratio(name, (column,), share=True)


def share_along(name: str, key: str, column: str = ROWS) -> Ratio:
    """The level's share of all levels of a key: of rows, or of what a column adds up to."""
    return Ratio(name, (column,), column, key, share=True)


def per_game(name: str, *columns: str) -> Ratio:
    """What columns add up to in a game; without one, the number of rows."""
    return Ratio(name, columns or (ROWS,), GAMES)


def per_player(name: str, *columns: str) -> Ratio:
    """The same for each player."""
    return Ratio(name, columns or (ROWS,), PLAYERS)


@dataclass(frozen=True)
class Difference:
    """A figure: that of one level less that of each other one, paired by deal; none where the level or any other lacks.

    Attributes:
        name: the figure's.
        of: what is compared.
        key: of the block.
        level: of the key.
    """

    name: str
    of: Ratio
    key: str
    level: str


@dataclass(frozen=True)
class Block:
    """Figures of one fact table by the same columns.

    Attributes:
        fact: the table.
        axes: key of the table that is written -> the column whose levels are its values.
        figures: what is said; a name with {} is completed by the level of `named`.
        levels: other keys, and what stands there.
        where: which rows, a condition; "" for all.
        margins: keys that have a further level, ALL.
        only: key -> the levels that are written; what figures are divided by takes all into account.
        without: key -> levels that are not, or what names them for a cell.
        named: key, none of the table's, whose levels complete the names of figures.
        trim: keys whose levels end with the last one that occurs.
        differences: figures that compare levels.
    """

    fact: str
    axes: Mapping[str, str]
    figures: Sequence[Ratio]
    levels: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    margins: tuple[str, ...] = ()
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    without: Mapping[str, Sequence[str] | Callable[[Any], Sequence[str]]] = field(default_factory=dict)
    named: str = ""
    trim: tuple[str, ...] = ()
    differences: Sequence[Difference] = ()

    @property
    def crosstab(self) -> Crosstab:
        """What has to be counted."""
        ratios = [*self.figures, *(figure.of for figure in self.differences)]
        columns = [name.removeprefix("-") for ratio in ratios for name in (*ratio.over, ratio.under)]
        sums = tuple(dict.fromkeys(name for name in columns if name not in (ROWS, GAMES, PLAYERS)))
        return Crosstab(self.fact, tuple(self.axes.values()), sums, self.where)

    def write(self, table: Any, cell: Any, stats: Any) -> None:
        """Add the figures of a cell to the table."""
        crosstab, cell = self.crosstab, cell.of_table(self.fact)
        counts = cell.count(crosstab)  # [C, levels of each axis, 1 + sums]
        keys = list(self.axes)
        names = [list(cell.plan.levels(self.fact, column).names) for column in self.axes.values()]
        whole = counts
        for axis, key in enumerate(keys, 1):
            if key in self.margins:
                whole = np.concatenate(
                    [whole, whole.take(range(counts.shape[axis]), axis).sum(axis, keepdims=True)], axis
                )
                names[axis - 1].append(ALL)
        left_out = {key: given(cell) if callable(given) else given for key, given in self.without.items()}
        keep = [
            [
                k
                for k, name in enumerate(known)
                if name in self.only.get(key, known) and name not in left_out.get(key, ())
            ]
            for key, known in zip(keys, names, strict=True)
        ]
        scales = {column: cell.plan.column(self.fact, column).scale for column in crosstab.sums}

        def sums(array: Array, columns: Iterable[str]) -> Array:
            """What columns add up to, and the number of rows for ROWS."""
            found = np.zeros(array.shape[:-1], np.int64)
            for column in columns:
                place = 0 if column == ROWS else 1 + crosstab.sums.index(column.removeprefix("-"))
                found += -array[..., place] if column.startswith("-") else array[..., place]
            return found

        def sides(ratio: Ratio) -> tuple[Array, Array, dict[str, Any]]:
            """Numerator and denominator of a figure, and what else its estimate is told."""
            over = sums(whole, ratio.over) * scales.get(ratio.under, 1)
            if ratio.under in (GAMES, PLAYERS):
                games = cell.outcome["games"] * (cell.players if ratio.under == PLAYERS else 1)
                under = games.reshape(-1, *[1] * len(keys))
            else:
                under = sums(whole, (ratio.under,))
            if ratio.along:
                axis = 1 + keys.index(ratio.along)
                under = under.take(range(counts.shape[axis]), axis).sum(axis, keepdims=True)
            told = {"unit": scales.get(ratio.over[0], 1), "n_deals": cell.deals if ratio.share else None}
            return over[chosen], np.broadcast_to(under, over.shape)[chosen], told

        for key in self.trim:
            axis = 1 + keys.index(key)
            others = tuple(other for other in range(counts.ndim - 1) if other != axis)
            last = np.flatnonzero(counts[..., 0].sum(others)).max(initial=-1)
            keep[axis - 1] = [k for k in keep[axis - 1] if k <= last or k == counts.shape[axis]]
        chosen = np.ix_(range(len(counts)), *keep)
        shown = {key: [names[axis][k] for k in keep[axis]] for axis, key in enumerate(keys)}
        for figure in self.figures:
            over, under, told = sides(figure)
            events = sums(whole, (ROWS,))[chosen] if figure.rows_count else None
            self._add(table, cell, figure.name, stats.ratio(over, under, **told, events=events), shown)
        for less in self.differences:
            axis, levels = 1 + keys.index(less.key), shown[less.key]
            if less.level in levels and len(levels) > 1:
                over, under, told = sides(less.of)
                first = levels.index(less.level)
                pairs = [(array.take([first], axis), np.delete(array, first, axis)) for array in (over, under)]
                rest = {**shown, less.key: [name for name in levels if name != less.level]}
                self._add(table, cell, less.name, stats.difference(*pairs, **told), rest)

    def as_map(self, row: str, column: str = "level", figures: Sequence[Ratio] = ()) -> "Block":
        """The block as that of a heat map, some of its figures or all: these keys along its rows and columns."""
        renamed = {row: "row", column: "column"}
        chosen = [replace(figure, along=renamed.get(figure.along, "")) for figure in figures or self.figures]
        return replace(
            self, axes={renamed[key]: name for key, name in self.axes.items()}, figures=chosen, levels={},
            margins=tuple(renamed[key] for key in self.margins), trim=tuple(renamed[key] for key in self.trim),
            only={renamed[key]: names for key, names in self.only.items()},
            without={renamed[key]: names for key, names in self.without.items()},
        )  # fmt: skip

    def _add(self, table: Any, cell: Any, name: str, estimate: Any, shown: Mapping[str, list[str]]) -> None:
        if not self.named:
            table.add(cell, name, estimate, **shown, **self.levels)
            return
        axis = list(shown).index(self.named)
        rest = {key: found for key, found in shown.items() if key != self.named}
        for k, level in enumerate(shown[self.named]):
            place = (slice(None),) * axis + (k,)
            table.add(cell, name.format(level), estimate.at(place), **rest, **self.levels)


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of a column, each a figure.

    Attributes:
        fact, column: what is looked at; the column has a level for every value.
        figures: name -> which quantile.
        levels: keys of the table, and what stands there.
        where: which rows.
        by: a key -> the column whose levels are its values, and ALL; or nothing.
        open_above, open_below: whether the last and the first level take all beyond.
    """

    fact: str
    column: str
    figures: Mapping[str, float]
    levels: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    by: Mapping[str, str] = field(default_factory=dict)
    open_above: bool = True
    open_below: bool = False

    @property
    def crosstab(self) -> Crosstab:
        """What has to be counted."""
        return Crosstab(self.fact, (*self.by.values(), self.column), (), self.where)

    def write(self, table: Any, cell: Any, stats: Any) -> None:
        """Add the figures of a cell to the table."""
        cell = cell.of_table(self.fact)
        counts = cell.count(self.crosstab)[..., 0]
        starts = cell.plan.levels(self.fact, self.column).starts
        assert starts[-1] - starts[0] == len(starts) - 1
        parts = [(self.levels, counts if not self.by else counts.sum(1))]
        for key, column in self.by.items():
            names = cell.plan.levels(self.fact, column).names
            own = [({**self.levels, key: name}, counts[:, k]) for k, name in enumerate(names)]
            parts = [*own, ({**self.levels, key: ALL}, counts.sum(1))]
        for levels, histogram in parts:
            estimate = stats.quantiles(
                histogram, tuple(self.figures.values()), deals=cell.deals, open_above=self.open_above,
                open_below=self.open_below,
            )  # fmt: skip
            estimate = estimate.minus(-starts[0]) if starts[0] else estimate
            for k, name in enumerate(self.figures):
                table.add(cell, name, estimate.at(k), **levels)

"""Figures as data: ratios of two sums, differences of ratios, and quantiles, by the levels of columns of a fact table.

A block is a part of a report's table: figures of one fact table by the same columns. Its `crosstab` is what a study
counts, and `write` adds its figures to a table.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, Self

import numpy as np

from strozzi_sim import stats
from strozzi_sim.facts.columns import Array, Table
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan
from strozzi_sim.facts.figures import Figure, Unit
from strozzi_sim.stats import Estimate

ALL = "all"  # the level that combines all others
GAMES, PLAYERS = "games", "players"  # denominators other than columns: games, and games times players
ROWS = ""  # the number of rows, used as a column


class CellName(Protocol):
    """A cell of a study as tables name it: players x line-up x variant, and the number of its deals."""

    @property
    def players(self) -> int: ...  # noqa: D102
    @property
    def variant(self) -> str: ...  # noqa: D102
    @property
    def lineup(self) -> str: ...  # noqa: D102
    @property
    def deals(self) -> int: ...  # noqa: D102


class CountedCell(CellName, Protocol):
    """A cell of a study with its counts, by chunk; see `study.cells.CellCounts`."""

    @property
    def outcome(self) -> Array: ...  # noqa: D102
    @property
    def plan(self) -> CrosstabPlan: ...  # noqa: D102
    @property
    def components(self) -> dict[str, Any]: ...  # noqa: D102
    @property
    def match(self) -> Any: ...  # noqa: D102
    def count(self, crosstab: Crosstab) -> Array: ...  # noqa: D102
    def of_table(self, fact: str) -> Self: ...  # noqa: D102


class FigureSink(Protocol):
    """A table that takes figures; see `declare.figure_tables.FigureTable.add`."""

    def add(self, cell: CellName, figure: Figure, estimate: Estimate, **levels: Any) -> None: ...  # noqa: D102


@dataclass(frozen=True)
class Ratio:
    """A figure that is the ratio of two sums."""

    figure: Figure
    # columns summed in the numerator, ROWS for the number of rows; a column prefixed "-" is subtracted
    numerator: tuple[str, ...] = (ROWS,)
    denominator: str = ROWS  # a column, ROWS, GAMES or PLAYERS
    along: str = ""  # key of the block over all of whose levels the denominator is summed
    rows_count: bool = False  # whether n is the number of rows instead of the denominator

    @property
    def name(self) -> str:
        """The name of the figure."""
        return self.figure.name

    def defined(self, fact: str, where: str = "") -> Figure:
        """Return the figure with a definition: by default the formula over these rows."""
        return replace(self.figure, definition=self.figure.definition or self.formula(fact, where))

    def formula(self, fact: str, where: str = "") -> str:
        """Return how the figure is counted: "sum of points / number of rows; rows of turn where round == 3"."""
        rows = f"rows of {fact}" + (f" where {where}" if where else "")

        def total(columns: tuple[str, ...]) -> str:
            return "number of rows" if columns == (ROWS,) else f"sum of {' + '.join(columns)}".replace("+ -", "- ")

        denominators = {GAMES: "number of games", PLAYERS: "games times players"}
        denominator = denominators.get(self.denominator) or total((self.denominator,))
        scope = f", over all levels of {self.along} together" if self.along else ""
        return f"{total(self.numerator)} / {denominator}{scope}; {rows}"

    def meaning(self, table: Table, where: str = "") -> str:
        """Return what the figure says of these rows of a table, in words of its columns, for readers of no formula."""
        condition = f", if {Condition(where).words}" if where else ""
        counted = f"(counted: {re.sub('^an? ', 'each ', table.text)}{condition})"
        if self.along and self.numerator == (ROWS,):
            return f"part of all, in per cent {counted}"
        share = self.figure.is_share
        if divisor := _column(self.denominator):
            of = f"“{table.column(divisor).text}”"
            kind = f"in per cent of {of}" if share else f"for each of {of}"
        elif share:
            kind = "how many of 100 games have it" if self.denominator == GAMES else "how many of 100"
        else:
            kind = {GAMES: "mean of a game", PLAYERS: "mean of a player in a game"}.get(self.denominator, "mean")
        signs = ["less " if name.startswith("-") else "plus " for name in self.numerator]
        texts = [table.column(column).text for name in self.numerator if (column := _column(name))]
        what = ", ".join(sign + text for sign, text in zip(signs, texts, strict=False)).removeprefix("plus ")
        return f"{kind}: {what} {counted}" if what else f"{kind.replace('mean of', 'mean number in')} {counted}"


def _column(name: str) -> str:
    """Return the column that a name in a formula stands for; "" for rows, games and players."""
    return "" if name in (ROWS, GAMES, PLAYERS) else name.removeprefix("-")


def ratio_of(figure: Figure, formula: str) -> Ratio:
    """Return a figure with its formula, such as `points`, `prize + bonus - paid` or `rows / games`.

    `rows` is the number of rows, and the default denominator; `games` is the number of games, `players` games times
    players. `X along KEY`, with X one column or `rows`, is each level's part of the sum of X over all levels of KEY;
    `X / Y along KEY` is X divided by the sum of Y over them.
    """
    quotient, _, along = formula.partition(" along ")
    total, _, denominator = quotient.partition(" / ")
    columns = [*total.replace("- ", "-").replace("+ ", "").split(" "), denominator]
    *summed, divisor = (ROWS if column == "rows" else column for column in columns)
    divisor = summed[0] if along and not denominator else divisor
    return Ratio(figure, tuple(summed), divisor, along)


def of_unit(unit: Unit, /, *names: str, **formulas: str) -> tuple[Ratio, ...]:
    """Return a figure of this unit for each name and its formula; see `ratio_of`.

    A name without a formula, COLUMN_mean or COLUMN_share, is the sum of COLUMN / number of rows.

    >>> for figure in of_unit("amount", "points_mean", spent_mean="cost / players", part="rows along level"):
    ...     print(figure.formula("turn"))
    sum of points / number of rows; rows of turn
    sum of cost / games times players; rows of turn
    number of rows / number of rows, over all levels of level together; rows of turn
    """
    formula_of = {name: name.rpartition("_")[0] for name in names} | formulas
    # equal seats have equal shares of the column `win`
    return tuple(ratio_of(Figure(name, "", unit, equal=text == "win"), text) for name, text in formula_of.items())


shares = partial(of_unit, "share")  # figures in [0, 1]
amounts = partial(of_unit, "amount")  # such as points
ratios = partial(of_unit, "number")  # other numbers


@dataclass(frozen=True)
class Difference:
    """A figure of one level minus the figure of each other level, paired by deal.

    It is not written if the level, or every other level, is missing.
    """

    name: str  # name of the difference
    of: Ratio  # figure to compare
    key: str  # key of the block
    level: str  # level of the key

    def defined(self, fact: str, where: str = "") -> Figure:
        """Return the difference as a figure, with its definition."""
        how = f"where {self.key} is {self.level}, less each other {self.key}, paired by deal"
        return self.of.defined(fact, where).difference(self.name, how=how)


@dataclass(frozen=True)
class Block:
    """Figures of one fact table by the same columns."""

    fact: str
    axes: Mapping[str, str]  # key of the report's table -> column whose levels are the key's values
    figures: Sequence[Ratio]  # figures to write; {} in a name is replaced by the level of `named`
    levels: Mapping[str, str] = field(default_factory=dict)  # constant keys -> value
    where: str = ""  # condition on rows; "" for all
    margins: tuple[str, ...] = ()  # keys with an additional level, ALL
    # key -> levels to write, ALL only if listed; other levels still count in ALL and in denominators `along` the key
    include: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # key -> levels to omit, or a function of the cell that returns them; they count likewise
    exclude: Mapping[str, Sequence[str] | Callable[[CountedCell], Sequence[str]]] = field(default_factory=dict)
    named: str = ""  # key whose levels complete the names of figures, instead of being a key of the report's table
    trim: tuple[str, ...] = ()  # keys whose levels after the last one that occurs are omitted
    differences: Sequence[Difference] = ()  # figures that compare levels

    @property
    def crosstab(self) -> Crosstab:
        """The crosstab to count."""
        ratios = [*self.figures, *(figure.of for figure in self.differences)]
        columns = [name.removeprefix("-") for ratio in ratios for name in (*ratio.numerator, ratio.denominator)]
        sums = tuple(dict.fromkeys(name for name in columns if name not in (ROWS, GAMES, PLAYERS)))
        return Crosstab(self.fact, tuple(self.axes.values()), sums, self.where)

    def write(self, table: FigureSink, cell: CountedCell) -> None:
        """Add the figures of a cell to the table."""
        crosstab, cell = self.crosstab, cell.of_table(self.fact)
        counts = cell.count(crosstab)  # [C, levels of each axis, 1 + sums]
        keys = list(self.axes)
        names, keep = self._levels(cell, counts)
        with_margins = counts
        for axis, key in enumerate(keys, 1):
            if key in self.margins:
                with_margins = np.concatenate([with_margins, with_margins.sum(axis, keepdims=True)], axis)
        scales = {column: cell.plan.column(self.fact, column).scale for column in crosstab.sums}

        def chosen(array: Array) -> Array:
            for axis, places in enumerate(keep, 1):
                if array.shape[axis] == with_margins.shape[axis] != len(places):
                    array = array.take(places, axis)
            return array

        def summed(array: Array, columns: Sequence[str]) -> Array:
            """Return the sum of columns, entries of the last axis of `array`; ROWS is the number of rows."""
            indices = [0 if column == ROWS else 1 + crosstab.sums.index(column.removeprefix("-")) for column in columns]
            signs = [-1 if column.startswith("-") else 1 for column in columns]
            parts = [array[..., k] if sign > 0 else -array[..., k] for k, sign in zip(indices, signs, strict=True)]
            return sum(parts[1:], parts[0])

        written_counts = np.moveaxis(np.ascontiguousarray(np.moveaxis(chosen(with_margins), -1, 0)), 0, -1)

        def sums_of(ratio: Ratio) -> stats.Sums:
            numerator, scale = summed(written_counts, ratio.numerator), scales.get(ratio.denominator, 1)
            numerator = numerator if scale == 1 else numerator * scale
            if ratio.denominator in (GAMES, PLAYERS):
                games = cell.outcome["games"] * (cell.players if ratio.denominator == PLAYERS else 1)
                denominator = games.reshape(-1, *[1] * len(keys))
            elif ratio.along:
                axis = 1 + keys.index(ratio.along)
                denominator = summed(with_margins, (ratio.denominator,))
                denominator = chosen(denominator.take(range(counts.shape[axis]), axis).sum(axis, keepdims=True))
            else:
                denominator = summed(written_counts, (ratio.denominator,))
            n_deals = cell.deals if ratio.figure.is_share else None
            unit = scales.get(ratio.numerator[0], 1)
            return stats.Sums(numerator, np.broadcast_to(denominator, numerator.shape), unit, n_deals)

        written_levels = {key: [names[key][k] for k in places] for key, places in zip(keys, keep, strict=True)}
        for figure in self.figures:
            sums = sums_of(figure)
            rows = summed(written_counts, (ROWS,)) if figure.rows_count else None
            estimate = stats.ratio(sums.numerator, sums.denominator, unit=sums.unit, n_deals=sums.n_deals, events=rows)
            self._add(table, cell, figure.defined(self.fact, self.where), estimate, written_levels)
        for comparison in self.differences:
            levels = written_levels[comparison.key]
            others = [k for k, level in enumerate(levels) if level != comparison.level]
            if len(others) < len(levels) and others:
                sums, axis = sums_of(comparison.of), 1 + keys.index(comparison.key)
                one, other = (sums.take(places, axis) for places in ([levels.index(comparison.level)], others))
                estimate = stats.difference(one, other)
                other_levels = {**written_levels, comparison.key: [levels[k] for k in others]}
                self._add(table, cell, comparison.defined(self.fact, self.where), estimate, other_levels)

    def _levels(self, cell: CountedCell, counts: Array) -> tuple[dict[str, list[str]], list[list[int]]]:
        """Return the levels of each key, with a margin's ALL, and for each key the places of the levels to write."""
        names: dict[str, list[str]] = {}
        keep: list[list[int]] = []
        for axis, (key, column) in enumerate(self.axes.items(), 1):
            levels = [*cell.plan.levels(self.fact, column).names, *([ALL] if key in self.margins else [])]
            included = self.include.get(key, levels)
            excluded = self.exclude.get(key, ())
            excluded = excluded(cell) if callable(excluded) else excluded
            places = [k for k, level in enumerate(levels) if level in included and level not in excluded]
            if key in self.trim:
                others = tuple(other for other in range(counts.ndim - 1) if other != axis)
                last = np.flatnonzero(counts[..., 0].sum(others)).max(initial=-1)
                places = [k for k in places if k <= last or k == counts.shape[axis]]  # or ALL
            names[key] = levels
            keep.append(places)
        return names, keep

    def defined(self) -> list[Figure]:
        """Return the figures with their definitions; {} in a name stands for a level of `named`."""
        figures: list[Ratio | Difference] = [*self.figures, *self.differences]
        return [figure.defined(self.fact, self.where) for figure in figures]

    def as_map(self, row: str, column: str = "level", figures: Sequence[Ratio] = ()) -> "Block":
        """Return the block of a heat map: these keys, all that it has, become row and column; default: all figures."""
        renamed = {row: "row", column: "column"}

        def rename(by_key: Mapping[str, Any]) -> dict[str, Any]:
            return {renamed[key]: value for key, value in by_key.items()}

        axes, include, exclude = map(rename, (self.axes, self.include, self.exclude))
        margins, trim = (tuple(renamed[key] for key in keys) for keys in (self.margins, self.trim))
        figures = [replace(figure, along=renamed.get(figure.along, "")) for figure in figures or self.figures]
        return replace(
            self, axes=axes, figures=figures, levels={}, margins=margins, include=include, exclude=exclude, trim=trim
        )

    def _add(
        self,
        table: FigureSink,
        cell: CountedCell,
        figure: Figure,
        estimate: Estimate,
        levels_by_key: Mapping[str, list[str]],
    ) -> None:
        if not self.named:
            table.add(cell, figure, estimate, **levels_by_key, **self.levels)
            return
        axis = list(levels_by_key).index(self.named)
        other_levels = {key: levels for key, levels in levels_by_key.items() if key != self.named}
        for k, level in enumerate(levels_by_key[self.named]):
            index = (slice(None),) * axis + (k,)
            table.add(cell, figure.of_level(level), estimate.at(index), **other_levels, **self.levels)


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of a column, each a figure."""

    fact: str
    column: str  # column of the fact table, with one level for each whole number of a range
    figures: Mapping[str, float]  # name -> probability of the quantile
    levels: Mapping[str, str] = field(default_factory=dict)  # constant keys -> value
    where: str = ""  # condition on rows; "" for all
    # key -> column whose levels, and ALL, are the key's values; at most one
    by: Mapping[str, str] = field(default_factory=dict)
    open_above: bool = True  # whether the last level includes all larger values
    open_below: bool = False  # whether the first level includes all smaller values
    unit: Unit = "amount"

    @property
    def crosstab(self) -> Crosstab:
        """The crosstab to count."""
        return Crosstab(self.fact, (*self.by.values(), self.column), (), self.where)

    def write(self, table: FigureSink, cell: CountedCell) -> None:
        """Add the figures of a cell to the table."""
        cell = cell.of_table(self.fact)
        counts = cell.count(self.crosstab)[..., 0]
        starts = cell.plan.levels(self.fact, self.column).starts
        assert starts[-1] - starts[0] == len(starts) - 1
        open_ends = {"open_above": self.open_above, "open_below": self.open_below}
        parts = [(self.levels, counts)]
        for key, column in self.by.items():
            names = cell.plan.levels(self.fact, column).names
            by_level = [({**self.levels, key: name}, counts[:, k]) for k, name in enumerate(names)]
            parts = [*by_level, ({**self.levels, key: ALL}, counts.sum(1))]
        for levels, histogram in parts:
            estimate = stats.quantiles(histogram, tuple(self.figures.values()), deals=cell.deals, **open_ends)
            estimate = estimate.minus(-starts[0]) if starts[0] else estimate
            for k, figure in enumerate(self.defined()):
                table.add(cell, figure, estimate.at(k), **levels)

    def defined(self) -> list[Figure]:
        """Return the figures with their definitions."""
        how = f"of the values of {self.column} are lower; rows of {self.fact}"
        return [Figure(name, "", self.unit, f"{part:.0%} {how}") for name, part in self.figures.items()]

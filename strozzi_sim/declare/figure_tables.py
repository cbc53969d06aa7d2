"""Tidy tables of figures, the rows of them that are shown, and the table `figures`, which says what they measure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.blocks import CellName
from strozzi_sim.facts.figures import Figure, filled
from strozzi_sim.game.sentences import ordinal_word, seat_words
from strozzi_sim.stats import Estimate

Tables = Mapping[str, pd.DataFrame]
Words = Mapping[str, str]  # raw value, or column=value -> display name
Level = str | int | Sequence[str] | Sequence[int]

CELL = ("players", "variant", "lineup")
FIGURE = ("figure", "value", "low", "high", "n", "deals")
OF_CHANGE = ("than", "table", "before", "p", "p_corrected", "size", "verdict")  # of the table `changes`
NUMBER_KEYS = ("seat", "position")
FIGURES = "figures"  # the table of what the figures of the other tables measure


@dataclass(frozen=True)
class TableSpec:
    """The key columns of a table of games, and how several studies or variants use it."""

    keys: tuple[str, ...] = ()
    joined: bool = True  # whether the tables of studies that are laid side by side become one
    compared: bool = True  # whether its figures are compared between variants


@dataclass(frozen=True)
class FigurePart:
    """The figures that one call adds to a table: one figure at all combinations of levels."""

    players: int
    variant: str
    lineup: str
    deals: int
    figure: Figure
    levels: dict[str, Any]  # one level or a list, for every key
    estimate: Estimate  # with one axis for each list
    keep: Any  # True, or a bool array of this shape, False for impossible combinations

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The keys with a list of levels, in order."""
        return {key: levels for key, levels in self.levels.items() if isinstance(levels, list)}


class FigureTable:
    """A tidy table of figures: players, variant, lineup, the keys, figure, value, low, high, n, deals.

    With `sums`, `parts` keep what paired differences need: counts of ratios, or figures without each chunk. Columns
    that mean nothing in this table are `omitted`.
    """

    def __init__(self, *keys: str, sums: bool = False, omitted: Sequence[str] = ()) -> None:
        self.columns = tuple(column for column in (*CELL, *keys, *FIGURE) if column not in omitted)
        self.keys, self._sums = keys, sums
        self.parts: list[FigurePart] = []

    def add(self, cell: CellName, figure: Figure, estimate: Estimate, *, keep: Any = True, **levels: Level) -> None:
        """Add an estimate of shape [L1, L2, ...], with one axis for each key given as a list, in the order of the keys.

        Every level has a row, even without an event: zero events are a result, and a share listed only when it
        occurred would be overestimated on average. `levels` has one level or a list for every key; `keep`, a bool
        array of this shape, is False for impossible combinations.
        """
        if not self._sums:
            estimate = replace(estimate, sums=None, without=None)
        known = {key: level if isinstance(level := levels[key], str | int) else list(level) for key in self.keys}
        part = FigurePart(cell.players, cell.variant, cell.lineup, cell.deals, figure, known, estimate, keep)
        self.parts.append(part)

    def add_all(self, cell: CellName, estimates: Mapping[Figure, Estimate], **levels: Level) -> None:
        """Add estimates by figure, all with the same levels."""
        for figure, estimate in estimates.items():
            self.add(cell, figure, estimate, **levels)

    def frame(self) -> pd.DataFrame:
        """Return the table; without rows it still has its columns and their types."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for part in self.parts:
            entries = _entries(part)
            for name, column in columns.items():
                entry = entries[name]
                column.extend([entry] * len(entries["n"]) if isinstance(entry, str | int) else entry)
        types = dict.fromkeys(self.columns, "str")
        types |= dict.fromkeys(("players", "n", "deals", *NUMBER_KEYS), "int64")
        types |= dict.fromkeys(("value", "low", "high"), "float64")
        return pd.DataFrame({name: pd.Series(column, dtype=types[name]) for name, column in columns.items()})


def _entries(part: FigurePart) -> dict[str, Any]:
    shape = tuple(len(axis) for axis in part.axes.values())
    is_possible = np.broadcast_to(part.keep, shape).ravel()
    rows = list(compress(product(*part.axes.values()), is_possible))
    entries: dict[str, Any] = {"players": part.players, "variant": part.variant, "lineup": part.lineup, **part.levels}
    entries |= {key: [row[k] for row in rows] for k, key in enumerate(part.axes)}
    for side in ("value", "low", "high", "n"):
        entries[side] = np.broadcast_to(getattr(part.estimate, side), shape).ravel()[is_possible]
    return entries | {"figure": part.figure.name, "deals": part.deals}


def figures_frame(tables: Mapping[str, Any], known: Mapping[str, Sequence[Figure]]) -> pd.DataFrame:
    """Return the table `figures`: a row for each table and figure; data frames have those of `known`, by table.

    A figure without a label or definition takes those of `known`; "" are the figures of any table. A table of figures
    of other tables, which it names in its column `table`, has no rows.
    """
    rows: list[dict[str, Any]] = []
    for name, table in tables.items():
        frame = table.frame() if isinstance(table, FigureTable) else table
        if "figure" not in frame or "table" in frame:
            continue
        # of equal names the first of a table
        declared = figures_in({name: frame}, name, (*known.get("", ()), *reversed(known.get(name, ()))))
        parts = table.parts if isinstance(table, FigureTable) else ()
        measured = {part.figure.name: part.figure for part in reversed(parts)}
        for figure, words in ((measured.get(each, own), own) for each, own in declared.items()):
            row = {"table": name, **vars(figure), **figure.measure._asdict()}
            rows.append(row | {key: row[key] or getattr(words, key) for key in ("label", "definition")})
    table_of_figures = pd.DataFrame(rows, columns=["table", *Figure.__match_args__])
    types = {"lowest": float, "highest": float, "equal": bool}
    table_of_figures = table_of_figures.astype(types).replace([np.inf, -np.inf], np.nan)
    return table_of_figures.sort_values("table", kind="stable", ignore_index=True)


def figures_in(tables: Tables, table: str, known: Iterable[Figure] = ()) -> dict[str, Figure]:
    """Return the figures of a table by name: those of the table `figures`; without it, the last of those `known`."""
    if FIGURES in tables:
        rows = pick(tables[FIGURES], table=table).drop(columns="table").to_dict("records")
        return {row["name"]: Figure(**row) for row in rows}
    names = tables[table]["figure"].unique() if table in tables else ()
    figures = {name: Figure(name) for name in names}
    return figures | {each.name: each for one in known for each in filled(one, names) if each.name in figures}


def pick(table: pd.DataFrame, /, **where: Any) -> pd.DataFrame:
    """Return the rows of a table whose columns have these values."""
    keep = np.ones(len(table), bool)
    for column, value in where.items():
        keep &= (table[column] == value).to_numpy()
    return table[keep]


def first_scenario(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the table's first variant and line-up."""
    if table.empty:
        return table
    first = table.iloc[0]
    return pick(table, variant=first["variant"], lineup=first["lineup"])


def named(value: Any, words: Words, column: str = "", players: int | None = None) -> str:
    """Return the display name of a raw value: that of "column=value", else that of the value, else the value.

    A seat without a name of its own is its player: "first player", at a player count also "last player".
    """
    if column == "seat" and str(value).isdecimal():
        return words.get(f"{column}={value}", seat_words(int(value), players).removeprefix("the "))
    return words.get(f"{column}={value}", words.get(str(value), str(value)))


def agent_names(lineup: pd.DataFrame, players: int, called: Mapping[str, str]) -> list[str]:
    """Return the names of a line-up's positions: agents by name, copies numbered ("first usual").

    `called` has the names of agents that are not called by their spec.
    Without rows one agent plays itself, and the names are those of the seats: "the first player".
    """
    agents = dict(zip(lineup["position"], lineup["agent"], strict=True))
    if not agents:
        return [seat_words(seat, None) for seat in range(players)]
    many, named = Counter(agents.values()), Counter[str]()
    names = []
    for _, agent in sorted(agents.items()):
        named[agent] += 1
        name = called.get(agent, agent)
        names.append(name if many[agent] == 1 else f"{ordinal_word(named[agent])} {name}")
    return names


def headline_players(table: pd.DataFrame) -> int:
    """Return the player count of the headline: 4, or the smallest."""
    return 4 if (table["players"] == 4).any() else int(table["players"].min())

"""The finding of a picture: its largest significant difference, in one sentence.

Levels of one key are compared with each other, or with a number, in the games of one variant, line-up and player count.
Tests are corrected for their number (Holm). Figures of one picture often come from the same games, so the standard
errors of two figures are added, which is valid however they depend on each other.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal

import msgspec
import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import pick
from strozzi_sim.declare.pictures import SCENARIO, Picture
from strozzi_sim.declare.printing import THIN, digits_for, format_value, half_width
from strozzi_sim.declare.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value, p_value_of_share
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.stats.intervals import t_quantile
from strozzi_sim.stats.multiple_testing import holm

FIGURE = "figure"
Figures = tuple[str, ...] | dict[str, str]  # names of figures, or name -> label
Namer = Callable[[str, str], str]  # takes a key and a level, returns what a sentence calls it
_LEVEL_SLOTS = ("most", "most.value", "least", "least.value", "at", "size")  # of a text that compares levels
_NUMBER_SLOTS = ("most", "most.value", "at", "size", "equal")  # of a text that compares with a number


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The comparison and the text of a picture's finding; defaults follow from the picture."""

    # {most} and {least} are levels, {most.value} and {least.value} their figures, {at} is the level of the other key,
    # {size} the difference, {equal} the number compared with; a noun can follow: {most.value:coin}, {size:loss|losses}
    text: str = ""  # default: made from the label of the figure, the levels and their figures
    below: str = ""  # text for a figure below `against`; default: such figures are no finding
    figures: Figures = ()  # default: the picture's `sort`, or its first; all in bars, or to compare figures
    key: str = ""  # column whose levels are compared; default: `series`, `x` or the figures (`comparison_of`)
    levels: tuple[str, ...] = ()  # levels that are compared; default: those of the picture
    where: dict[str, str] = {}  # key -> level of the rows to compare, in addition to the conditions of the picture
    # number to compare levels with, "equal": 1 / players; default: levels are compared with each other
    against: float | Literal["equal"] | None = None
    least: float = 0.0  # smaller differences are no finding; 0: MIN_SHARE for shares

    def check(self, where: str) -> None:
        """Check that the texts have no unknown slot. Raises InputError."""
        known = _LEVEL_SLOTS if self.against is None else _NUMBER_SLOTS
        try:
            slots = [slot for text in (self.text, self.below) for _, slot, _, _ in Formatter().parse(text)]
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        for slot in slots:
            if slot is not None and slot not in known:
                raise InputError(f"{where}: unknown slot {short_repr(slot)}; {suggest_names(slot, known)}")


@dataclass(frozen=True)
class Comparison:
    """The levels of a key to compare, separately for each figure or each level of another key."""

    figures: tuple[Figure, ...]
    key: str  # column whose levels are compared
    at: str  # column with equal levels in the rows of one comparison; "" for none
    where: Mapping[str, str]  # key -> level of the rows that are compared
    levels: tuple[str, ...]  # levels that are compared; () for all levels except `all`


def comparison_of(picture: Picture, finding: Finding, figures: tuple[Figure, ...] = ()) -> Comparison | None:
    """Return the comparison of a picture, None if it has nothing to compare; `figures`: those of the finding."""
    keys = [key for key in (picture.series, picture.x) if key not in ("", "players", SCENARIO)]
    key = finding.key or next((each for each in keys if each != FIGURE), "")
    if not key and (finding.against is not None or (FIGURE in keys and picture.kind != "table")):
        key = FIGURE  # the figures of a table are of different kinds
    shown = figures or picture.figures
    if not key or not shown or picture.kind in ("spread", "scatter"):
        return None
    if not figures and key != FIGURE and picture.kind != "bars":
        shown = tuple(figure for figure in shown if figure.name == picture.sort) or shown[:1]
    at = FIGURE if len(shown) > 1 and key != FIGURE else next((each for each in keys if each not in (key, FIGURE)), "")
    own = {picture.series: picture.series_levels, picture.x: picture.levels}.get(key, ())
    return Comparison(shown, key, at, {**picture.where, **finding.where}, finding.levels or own)


def finding_of(
    compared: Comparison, finding: Finding, table: pd.DataFrame, players: int, name: Namer, chunks: int = MAX_CHUNKS
) -> str:
    """Return the largest significant difference of a variant and line-up at `players` as a sentence; "" without one."""
    if {compared.key, compared.at, *compared.where} - {"", *table.columns}:
        return ""  # `check_game` names the column
    rows = compared_rows(compared, pick(table, players=players, **compared.where))
    if rows.empty:
        return ""
    first = compared.figures[0]
    null = 1 / players if isinstance(finding.against, str) else finding.against
    sizes, p, ends = _between(rows, compared.at, chunks) if null is None else _beside(rows, null, first, chunks)
    least = finding.least or (MIN_SHARE if first.measure.factor > 1 else 0.0)
    is_found = (holm(p) < ALPHA) & (np.abs(sizes) >= least)
    is_found &= (sizes > 0) | bool(finding.below)
    if not is_found.any():
        return ""
    best = int(np.argmax(np.where(is_found, np.abs(sizes), -1.0)))
    end_rows = [rows.iloc[side[best]] for side in ends]
    digits_of_ends = [digits_for(row["value"], half_width(row), first, 0) for row in end_rows]
    digits = max(min(digits_of_ends), 0)  # of both ends; an end with a wide interval is rounded to tens
    most, *rest = (
        _Level(_called(row, compared.key, compared, name), _Text(format_value(row["value"], first, min(own, digits))))
        for row, own in zip(end_rows, digits_of_ends, strict=True)
    )
    equal = _Text(f"{100 * null:.3g}{THIN}%" if first.is_share else f"{null:g}") if null is not None else None
    other = rest[0].value if rest else equal
    if other is None or most.value.text == other.text:
        return ""
    half = sum((row["high"] - row["low"]) / 2 for row in end_rows)
    at = _called(end_rows[0], compared.at, compared, name) if compared.at else ""
    size = _Text(format_value(abs(sizes[best]), first, digits_for(abs(sizes[best]), half, first, 0)))
    slots = {"most": most, "least": rest[0] if rest else None, "at": _Text(at), "equal": equal, "size": size}
    text = finding.text if sizes[best] > 0 else finding.below
    if text:
        return text.format(**slots)
    label = next(figure.label for figure in compared.figures if figure.name == end_rows[0][FIGURE])
    beside = f"{with_key(compared.key, rest[0].text)} with {other}" if rest else f"beside {other}"
    where = f", {with_key(compared.at, at)}" if compared.at not in ("", FIGURE) else ""
    return f"{with_capital(label)}{where}: {with_key(compared.key, most.text)} with {most.value}, {beside}."


def compared_rows(compared: Comparison, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the compared rows that have a value and an interval."""
    rows = rows[rows[FIGURE].isin([figure.name for figure in compared.figures])].dropna(subset=["value", "low", "high"])
    for key in {compared.key, compared.at} - {"", FIGURE}:
        rows = rows[rows[key].astype("str") != ALL]
    return rows[rows[compared.key].astype("str").isin(compared.levels)] if compared.levels else rows


def _beside(rows: pd.DataFrame, null: float, figure: Figure, chunks: int) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return the differences of rows from a number, their p-values, and the rows' positions as a 1-tuple."""
    test = p_value_of_share if figure.is_share else p_value
    p = test(rows["value"], rows["low"], rows["high"], null, degrees_of_freedom(rows["n"], rows["deals"], chunks))
    return rows["value"].to_numpy() - null, p, (np.arange(len(rows)),)


def _between(rows: pd.DataFrame, at: str, chunks: int) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return differences of all pairs of rows with equal `at`, their p-values, and the positions (larger, smaller)."""
    from scipy.special import stdtr

    value, low, high = (rows[side].to_numpy(np.float64) for side in ("value", "low", "high"))
    groups = rows.groupby(at, sort=False).indices.values() if at else [np.arange(len(rows))]
    pairs = []
    for places in groups:
        falling = places[np.argsort(-value[places], kind="stable")]
        first, second = np.triu_indices(len(places), 1)
        pairs.append((falling[first], falling[second]))
    larger, smaller = (np.concatenate(side) for side in zip(*pairs, strict=True))
    df = np.broadcast_to(degrees_of_freedom(rows["n"], rows["deals"], chunks), len(rows))
    scale, size = t_quantile(df), value[larger] - value[smaller]
    error = ((value - low) / scale)[larger] + ((high - value) / scale)[smaller]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, size / error, np.where(size > 0, np.inf, 0.0))
    return size, 2 * stdtr(np.minimum(df[larger], df[smaller]), -t), (larger, smaller)


@dataclass(frozen=True)
class _Text:
    """A number or a level in a sentence; the format is a noun that follows it: "coin", "loss|losses"."""

    text: str

    def __format__(self, noun: str) -> str:
        one, _, several = noun.partition("|")
        return f"{self.text} {one if self.text == '1' else several or f'{one}s'}" if noun else self.text


@dataclass(frozen=True)
class _Level(_Text):
    value: _Text


def _called(row: Any, key: str, compared: Comparison, name: Namer) -> str:
    if key == FIGURE:
        return next(figure.label for figure in compared.figures if figure.name == row[FIGURE])
    return name(key, str(row[key]))


def with_key(key: str, level: str) -> str:
    """Return the name of a level in a sentence: a number with its key, such as "token 5", others unchanged."""
    return f"{key.replace('_', ' ')} {level}" if re.match(r"<?-?\d", level) else level

"""Alarms: facts of a game that its designer must not overlook, each one short sentence once it is certain.

A game declares them in `report.toml`, as thresholds for shares in its tables. A share raises an alarm if it is
significantly beyond its threshold. All shares of a report are tested together (Holm), so that a game whose shares are
all within their thresholds has an alarm in at most ERROR_RATE of its reports.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import CELL, FIGURE, Tables, figures_in, pick
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.figures import Figure, filled
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.stats.intervals import Array, z_quantile
from strozzi_sim.stats.multiple_testing import holm

ERROR_RATE = 0.05
MOST_ALARMS = 3  # shown of a report, the first ones that its game declares
MOST_WORDS = 12  # of an alarm
SLOTS = ("share", "count", "of")  # of texts, in addition to the key columns of the table
_MOST_WORDS_AROUND = 4  # "6 players: ..., before 60", "New box, 6 players: ..."
_MOST_ROWS = 6  # most figures in the evidence of an alarm


class Alarm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure with a threshold, and the clause that is shown if it is beyond: "coins run out in {share} games"."""

    text: str  # {share} is the figure as text, "97 of 100"; {KEY} is the level of a key column of the table
    figure: str  # a share; with `below`, also a number per game, which has to be 0
    table: str = "balance"
    above: float | None = None  # threshold that the share exceeds
    below: float | None = None  # threshold below which the share is
    equal: bool = False  # whether the threshold is added to an equal share, 1 / players
    several: str = ""  # the clause for {count} of {of} levels; default: the text, for the level farthest beyond
    where: dict[str, str] = {}  # key column -> level of the rows that are tested
    omit: tuple[str, ...] = ()  # levels that are not tested

    @property
    def threshold(self) -> float:
        """The share beyond which there is an alarm, or that less an equal share."""
        return float((self.above if self.below is None else self.below) or 0.0)

    def thresholds(self, rows: pd.DataFrame) -> Array:
        """Return the share of each row beyond which there is an alarm."""
        return np.asarray(self.threshold + self.equal / rows["players"].to_numpy(np.float64))

    def check(self, where: str, figures: Mapping[str, Sequence[Figure]], keys: Mapping[str, Sequence[str]]) -> None:
        """Check table, figure, keys, threshold, slots and length. Raises InputError.

        Args:
            where: place of the alarm in its file, for errors.
            figures: table -> figures that it may have.
            keys: table -> its key columns.
        """
        if self.table not in keys:
            known = suggest_names(self.table, [*keys])
            raise InputError(f"{where}.table: unknown table {short_repr(self.table)}; {known}")
        named = [each.name for figure in figures[self.table] for each in filled(figure, [self.figure])]
        if self.figure not in named:
            known = suggest_names(self.figure, [each.name for each in figures[self.table]])
            raise InputError(f"{where}.figure: no {short_repr(self.figure)} in table {self.table}; {known}")
        for key in self.where:
            if key not in keys[self.table]:
                known = suggest_names(key, keys[self.table])
                raise InputError(f"{where}.where: {short_repr(key)} is not a key of table {self.table}; {known}")
        if (self.above is None) == (self.below is None):
            raise InputError(f"{where}: give `above` or `below`, the share beyond which there is an alarm")
        if not 0 <= self.threshold <= 1:
            raise InputError(f"{where}: {self.threshold:g}: a threshold is a share, from 0 to 1")
        sample = {"share": "97 of 100"} | dict.fromkeys((*SLOTS[1:], *keys[self.table]), "1")
        most = MOST_WORDS - _MOST_WORDS_AROUND
        for key, text in {"text": self.text, "several": self.several}.items():
            try:
                slots = [slot for _, slot, _, _ in Formatter().parse(text) if slot is not None]
            except ValueError as error:
                raise InputError(f"{where}.{key}: {error}") from None
            for slot in slots:
                if slot not in sample:
                    raise InputError(f"{where}.{key}: unknown slot {short_repr(slot)}; {suggest_names(slot, sample)}")
            if len(text.format_map(sample).split()) > most:
                raise InputError(f"{where}.{key}: must have {most} words at most, got {short_repr(text)}")


# of every game, in line-ups of an agent and random ones
NO_CHOICE = Alarm(
    "{agent} wins no more than random moves",
    "win_share",
    "lineup",
    below=0.01,
    equal=True,
    omit=("random",),
)
VARIANT = "variant"  # key of the names of variants
Lineups = Callable[[str], Sequence[str]]  # takes the name of a table
Namer = Callable[[str, str, str], str]  # takes a variant, a key and a level, returns what a sentence calls the level


@dataclass(frozen=True)
class FoundAlarm:
    """An alarm that is certain."""

    name: str
    text: str  # the sentence
    evidence: str  # figures behind it, with intervals and n
    table: str
    figure: str
    rows: pd.DataFrame  # of the table, those that it is about first
    is_mended: bool = False  # of two boxes only the one before the change has what it says

    @property
    def document(self) -> dict[str, Any]:
        """The alarm as plain data; a missing value is None."""
        rows = self.rows.astype(object).where(self.rows.notna(), None).to_dict("records")
        found = {"alarm": self.name, "text": self.text, "table": self.table, "figure": self.figure, "rows": rows}
        return {**found, "mended": self.is_mended}


def found_alarms(
    alarms: Mapping[str, Alarm], tables: Tables, lineups: Lineups, reference: str, name_of: Namer
) -> list[FoundAlarm]:
    """Return the alarms that are certain in the games of these line-ups, in the order of `alarms`, mended ones last.

    An alarm has to hold in the games of each of the line-ups; its figures are those of the first line-up.

    Args:
        alarms: alarms by name.
        tables: tables of a study.
        lineups: line-ups whose games are tested, for a table.
        reference: variant that the others are compared with; of others, alarms come first that it does not have.
        name_of: names of levels; of the key VARIANT, those of variants.
    """
    tested: dict[str, tuple[Figure, pd.DataFrame]] = {}
    for name, alarm in alarms.items():
        if alarm.table in tables:
            figure = figures_in(tables, alarm.table).get(alarm.figure, Figure(alarm.figure))
            rows = _tested(alarm, figure, tables[alarm.table], lineups(alarm.table))
            if len(rows):
                tested[name] = figure, rows
    if not tested:
        return []
    is_certain = holm(np.concatenate([rows["p"] for _, rows in tested.values()])) < ERROR_RATE
    parts = np.split(is_certain, np.cumsum([len(rows) for _, rows in tested.values()])[:-1])
    found = [
        _found(name, alarms[name], figure, rows, part, reference, name_of)
        for (name, (figure, rows)), part in zip(tested.items(), parts, strict=True)
        if part.any()
    ]
    return sorted(found, key=lambda alarm: alarm.is_mended)


def _levels(rows: pd.DataFrame) -> list[str]:
    """Return the key columns of a table."""
    return [column for column in rows if column not in (*CELL, *FIGURE, "p")]


def _tested(alarm: Alarm, figure: Figure, table: pd.DataFrame, lineups: Sequence[str]) -> pd.DataFrame:
    """Return the rows to test, with a column `p`: one row for each combination of players, variant and levels."""
    rows = pick(table, figure=figure.name, **alarm.where).dropna(subset="value")
    order = {lineup: number for number, lineup in enumerate(lineups)}
    rows = rows[rows["lineup"].isin(order)]
    for key in _levels(rows):
        if key not in alarm.where:
            rows = rows[~rows[key].astype("str").isin([ALL, *alarm.omit])]
    rows = rows.assign(p=_p_beyond(alarm, figure, rows))
    rows = rows.sort_values("lineup", key=lambda names: names.map(order), kind="stable")
    keys = ["players", "variant", *_levels(rows)]
    rows["p"] = rows.groupby(keys, sort=False)["p"].transform("max")
    return rows.drop_duplicates(keys)


def _p_beyond(alarm: Alarm, figure: Figure, rows: pd.DataFrame) -> Array:
    """Return one-sided p-values of "the share is within its threshold": the binomial test with the effective n.

    The effective n follows from the end e of the interval that faces the threshold, taken as Wilson's:
    (e - value)^2 = z^2 e (1 - e) / n. For a number per game that is 0, n is the number of deals.
    """
    from scipy.special import betainc

    value, low, high, n, deals = (rows[name].to_numpy(np.float64) for name in ("value", "low", "high", "n", "deals"))
    end = low if alarm.below is None else high
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.minimum(z_quantile() ** 2 * end * (1 - end) / (end - value) ** 2, n)
    if not figure.is_share:
        effective = np.where(value == 0, np.minimum(n, deals), 0.0)
    is_known = effective > 0
    n, count = (np.where(is_known, number, 1.0) for number in (effective, value * effective))
    others, thresholds = n - count, alarm.thresholds(rows)
    if alarm.below is None:
        p = np.where(count > 0, betainc(np.maximum(count, 1e-9), others + 1, thresholds), 1.0)
    else:
        p = np.where(others > 0, betainc(np.maximum(others, 1e-9), count + 1, 1 - thresholds), 1.0)
    return np.where(is_known, p, 1.0)


def _found(
    name: str,
    alarm: Alarm,
    figure: Figure,
    tested: pd.DataFrame,
    is_certain: Array,
    reference: str,
    name_of: Namer,
) -> FoundAlarm:
    certain, keys = tested[is_certain], [key for key in _levels(tested) if key not in alarm.where]
    rows = _of_variant(certain, keys, reference, alarm)
    rows = rows.iloc[np.argsort(-np.abs(rows["value"] - alarm.thresholds(rows)), kind="stable")]
    variant = str(rows["variant"].iloc[0])
    players = int(rows["players"].value_counts(sort=False).idxmax())  # of equal counts the first, thus farthest beyond
    shown, first = pick(rows, players=players), pick(rows, players=players).iloc[0]

    def names(row: Any) -> dict[str, str]:
        return {key: name_of(variant, key, str(row[key])) for key in keys}

    count, whole = len(shown), pick(tested, players=players, variant=variant)
    variants = tested["variant"].nunique()
    told = len(pick(certain, players=players, variant=variant)) if variants == 2 else count
    is_counted = told > 1 and bool(alarm.several)
    clause = alarm.several if is_counted else alarm.text
    own = pick(tested, variant=variant)["players"].unique()
    is_everywhere = "{share}" not in alarm.text and all((rows["players"] == each).sum() == count for each in own)
    at = "" if len(own) == 1 or is_everywhere else f"{players} players"
    said = _Beside(of_100(first["value"]), count)
    if variants == 2:
        tested_here, certain_here = (pick(each, players=players) for each in (tested, certain))
        kind = "count" if is_counted else "share" if "{share}" in clause else ""
        said = _beside(shown, tested_here, certain_here, keys, reference, kind)
        if not said.box:  # it is said of the changed box, and compared with the other
            whole = tested_here[tested_here["variant"] != reference]
    elif variants > 1:
        said = replace(said, box="Unchanged" if variant == reference else name_of(variant, VARIANT, variant))
    clause = clause.format(share=said.share, count=said.count, of=len(whole), **names(first)) + said.ending
    place = ", ".join(filter(None, [said.box, at]))
    text = with_capital(f"{place}: {clause}." if place else f"{clause}.")
    rows = pd.concat([shown, rows[rows["players"] != players]])
    parts = [
        f"{', '.join([f'{row.players} players', *names(row).values()])}: {format_estimate(row, figure)}, n = {row.n:,}"
        for _, row in rows.head(_MOST_ROWS).iterrows()
    ]
    more = [f"and {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else []
    evidence = f"{with_capital(figure.words)}, {first['lineup']}. {'; '.join([*parts, *more])}."
    return FoundAlarm(name, text, evidence, alarm.table, alarm.figure, rows.drop(columns="p"), said.is_mended)


@dataclass(frozen=True)
class _Beside:
    """What a sentence has that may be on two boxes."""

    share: str
    count: int  # of levels
    box: str = ""  # at its beginning
    ending: str = ""
    is_mended: bool = False


def _beside(
    shown: pd.DataFrame, tested: pd.DataFrame, certain: pd.DataFrame, keys: Sequence[str], reference: str, kind: str
) -> _Beside:
    """Return what a sentence on two boxes has.

    Both boxes are in one sentence unless only one of them is known to have what it says.

    Args:
        shown: rows of one box that are certain and that the other lacks if any are, the one that is named first.
        tested: rows of both boxes at the same player count.
        certain: those of them that are certain.
        keys: the columns that name a level.
        reference: the variant before the change.
        kind: what the sentence has: "share", "count" of rows, or "" for neither.
    """
    variant = str(shown["variant"].iloc[0])
    here, there, known, known_there = (
        {tuple(row[key] for key in keys): row for _, row in rows.iterrows()}
        for each in (tested, certain)
        for rows in (pick(each, variant=variant), each[each["variant"] != variant])
    )
    first = tuple(shown.iloc[0][key] for key in keys)
    share, count = of_100(here[first]["value"]), len(known)
    levels = known.keys() ^ known_there.keys() if kind == "count" else {first}
    pairs = [(here.get(level), there.get(level)) for level in levels]
    differs = any(one is None or other is None or _is_known_to_differ(one, other) for one, other in pairs)
    is_new = variant != reference
    if kind == "share" and first in there:
        own, other = here[first]["value"], there[first]["value"]
        after, before = (own, other) if is_new else (other, own)
        (number, whole), (_, whole_after) = _of_whole(before), _of_whole(after)
        ending = f", before {number if whole == whole_after else of_100(before)}"
        if of_100(after) == of_100(before):
            ending = ", as before"
        elif not differs:
            ending = ", perhaps unchanged"
        is_mended = differs and not is_new and first not in known_there
        return _Beside(of_100(after), count, ending=ending, is_mended=is_mended)
    if not differs:
        is_same = not levels if kind == "count" else first in known_there
        return _Beside(share, count, ending=", as before" if is_same else ", perhaps unchanged")
    old, new = (len(known_there), count) if is_new else (count, len(known_there))
    if kind == "count" and new > 1 and new != old:
        return _Beside(share, new, ending=f", before {old or 'none'}")
    return _Beside(share, count, "New box" if is_new else "Old box", is_mended=not is_new)


def _is_known_to_differ(one: Any, other: Any) -> bool:
    """Return whether two figures are further apart than the halves of their intervals that face each other allow.

    The figures count as independent, which is cautious for boxes that were played on the same deals.
    """
    lower, upper = sorted([one, other], key=lambda row: float(row["value"]))
    return bool(
        upper["value"] - lower["value"] > np.hypot(lower["high"] - lower["value"], upper["value"] - upper["low"])
    )


def _of_variant(rows: pd.DataFrame, keys: Sequence[str], reference: str, alarm: Alarm) -> pd.DataFrame:
    """Return the rows of one variant: the first that has rows which the reference lacks, else the reference.

    A row that is clearly farther beyond its threshold than that of the reference counts as one that it lacks. Of two
    variants with the same rows it is the changed one.
    """
    places = [*rows[["players", *keys]].itertuples(index=False, name=None)]
    old = {place: row for place, (_, row) in zip(places, rows.iterrows(), strict=True) if row["variant"] == reference}
    sign = 1 if alarm.below is None else -1

    def is_lacked(place: tuple[Any, ...], row: Any) -> bool:
        if place not in old:
            return True
        return sign * (row["value"] - old[place]["value"]) > 0 and _is_known_to_differ(row, old[place])

    is_new = np.array([is_lacked(place, row) for place, (_, row) in zip(places, rows.iterrows(), strict=True)])
    others = rows["variant"][rows["variant"] != reference].unique()
    variant = rows["variant"][is_new].iloc[0] if is_new.any() else reference
    if not is_new.any() and len(others) == 1 and len(rows) == 2 * len(old):
        variant = others[0]
    return rows[(rows["variant"] == variant).to_numpy() & (is_new | ~is_new.any())]


def of_100(share: float) -> str:
    """Return a share as text: "97 of 100".

    >>> of_100(0.966), of_100(0.004), of_100(0.9997), of_100(1.0), of_100(0.0)
    ('97 of 100', '4 of 1,000', '999 of 1,000', 'all', '0 of 100')
    """
    number, whole = _of_whole(share)
    return f"{number} of {whole}" if whole else number


def _of_whole(share: float) -> tuple[str, str]:
    """Return a share as a number and that of which it is one, as text; ("all", "") if it is 1."""
    if share == 1:
        return "all", ""
    if share == 0 or 0.01 <= share < 0.995:
        return f"{100 * share:.0f}", "100"
    return f"{min(max(round(1000 * share), 1), 999)}", "1,000"

"""What a sweep found: each figure by the swept values, which values differ significantly from the reference, and sentences about it.

The reference is the published value, or the first one if the published value is not among them.
A value differs if the difference from the reference, on the same deals, is significant, corrected for all values, player counts
and line-ups of the figure (Holm 1979). Other values may be as low as the lowest one if the intervals of both differences overlap;
these are wider than a test of the two values needs, so that a value is never said to be the only lowest one without reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.component_keys import is_reconstructed, published_value
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    THIN,
    Tables,
    cell_name,
    format_row,
    format_value,
    listed,
    pick,
    some_of,
)
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom, p_value
from strozzi_sim.reports.content import Answer, Number
from strozzi_sim.stats.multiple_testing import holm

GAP, BY_CHANCE = "seat_gap", "seat_gap_by_chance"
SHOWN = (GAP, "score_mean", "margin_mean", "decisions_mean")  # on the page
_NAMES = {
    GAP: Figure(GAP, "the gap between the seats' shares of wins", "share"),
    "score_mean": Figure("score_mean", "the mean score", "amount"),
    "margin_mean": Figure("margin_mean", "the winner's margin", "amount"),
    "decisions_mean": Figure("decisions_mean", "the number of decisions in a game", "amount"),
}
_MOST_CELLS = 8  # maximum player counts and line-ups with a sentence each


@dataclass(frozen=True)
class Finding:
    """A figure at one player count with one line-up.

    Attributes:
        where: name of the player count and line-up.
        rows: the values in order; columns `changed` (-1, 0 or 1), `change`, `change_low`, `change_high`.
        text: sentence without its place and full stop.
    """

    where: str
    rows: pd.DataFrame
    text: str

    @property
    def largest(self) -> float:
        """Size of the largest significant change."""
        return float(np.abs(self.rows["change"] * self.rows["changed"]).max())

    @property
    def gain(self) -> float:
        """Size of the largest significant decrease."""
        return float((-self.rows["change"] * (self.rows["changed"] == -1)).max())


class Sweep:
    """The tables of a sweep.

    Args:
        manifest: manifest of the study.
        tables: its tables; `sweep` and `changes` are read.
        labels: figures of the game's report by name.
        game: the game, which has the published values.

    Attributes:
        keys: the swept keys.
        figures: names of the figures that have a value.
        reference: name of the variant that the others are compared with.
    """

    def __init__(
        self, manifest: Mapping[str, Any], tables: Tables, labels: Mapping[str, Figure], game: Game | None = None
    ) -> None:
        self._table, self._changes, self._labels, self._game = tables["sweep"], tables["changes"], labels, game
        self.keys = list(manifest.get("report", {}).get("sweep", {}))
        compared = list(self._changes["than"].unique())
        self.reference = compared[0] if len(compared) else self._table["variant"].iloc[0]
        self.chunks = int(manifest.get("plan", {}).get("chunks") or MAX_CHUNKS)
        known = self._table.dropna(subset="value")
        self.figures = list(dict.fromkeys(known["figure"]))

    def figure(self, name: str) -> Figure:
        """Return a figure with its label and unit."""
        if name in _NAMES:
            return _NAMES[name]
        known = self._labels.get(name) or Figure(name, name.replace("_", " "), "share" if "share" in name else "amount")
        return replace(known, label=f"\N{LEFT DOUBLE QUOTATION MARK}{known.label}\N{RIGHT DOUBLE QUOTATION MARK}")

    def rows(self, name: str) -> pd.DataFrame:
        """Return the rows of a figure with its changes; in the order of the values, of each player count and line-up.

        Columns beside those of the table: change, change_low, change_high (minus the reference), changed (1 or -1: significantly
        higher or lower), reference (whether it is the reference), by_chance (the gap by chance, or NaN). The interval of a gap
        reaches as far as chance moves the largest difference of any two seats (Tukey), and so holds for the largest of them.
        """
        at = ["players", "variant", "lineup"]
        rows = pick(self._table, figure=name)
        changes = pick(self._changes, table="balance", figure=name, than=self.reference, level="")
        ends = changes[[*at, "value", "low", "high", "n", "deals"]].rename(
            columns={"value": "change", "low": "change_low", "high": "change_high", "n": "pairs", "deals": "paired"}
        )
        rows = rows.merge(ends, "left", at)
        rows["reference"] = rows["variant"] == self.reference
        rows.loc[rows["reference"], ["change", "change_low", "change_high"]] = 0.0
        others = rows[~rows["reference"]]
        freedom = degrees_of_freedom(others["pairs"].fillna(1), others["paired"].fillna(1), self.chunks)
        p = holm(p_value(others["change"], others["change_low"], others["change_high"], 0.0, freedom))
        rows["changed"] = 0
        rows.loc[~rows["reference"], "changed"] = np.where(p < ALPHA, np.sign(others["change"]), 0).astype(np.int64)
        chance = pick(self._table, figure=BY_CHANCE)[[*at, "value"]].rename(columns={"value": "by_chance"})
        rows = rows.merge(chance, "left", at) if name == GAP else rows.assign(by_chance=np.nan)
        rows["low"] = rows["low"].fillna((rows["value"] - rows["by_chance"]).clip(lower=0))
        rows["high"] = rows["high"].fillna((rows["value"] + rows["by_chance"]).clip(upper=1))
        return rows.sort_values(["players", "lineup", *self.keys], kind="stable", ignore_index=True)

    def ranked(self) -> pd.DataFrame:
        """Return the table ranked by the gap between the seats, with its interval; column `seats` groups what is as low as the lowest gap."""
        at, parts = ["players", "lineup"], []
        for _, rows in self.rows(GAP).dropna(subset="value").groupby(at, sort=False):
            rows = rows.sort_values("value", kind="stable")
            lowest = rows.iloc[0]
            larger = rows["change_low"] > lowest["change_high"]
            said = np.where(rows["variant"] == lowest["variant"], "lowest gap", "not told apart from it")
            rows = rows.assign(larger=larger, seats=np.where(larger, "larger gap", said))
            parts.append(rows.sort_values("larger", kind="stable"))
        gaps = pd.concat(parts)
        table = gaps[[*at, "variant", "seats"]].merge(self._table, "left", [*at, "variant"])
        table.loc[table["figure"] == GAP, ["low", "high"]] = gaps[["low", "high"]].to_numpy()
        return table

    def at(self, row: Any) -> str:
        """Return the values of a row: "5", or "5 and 10"."""
        return " and ".join(f"{row[key]:g}" for key in self.keys)

    def findings(self, name: str) -> list[Finding]:
        """Return the finding of every player count and line-up with a value at the reference."""
        found = []
        for (players, lineup), rows in self.rows(name).groupby(["players", "lineup"], sort=False):
            known = rows.dropna(subset="value")
            if known["reference"].any():
                found.append(Finding(cell_name(int(players), "base", str(lineup)), known, self._text(name, known)))
        return found

    @property
    def is_published(self) -> bool:
        """Whether the reference has the published values."""
        rows = self._table[self._table["variant"] == self.reference]
        return self._game is not None and all(
            published_value(self._game, key) == rows[key].iloc[0] for key in self.keys
        )

    def reference_words(self) -> str:
        """Return what the reference is: "the published value", or "the first value"."""
        which, more = "published" if self.is_published else "first", "s" if len(self.keys) > 1 else ""
        return f"the {which} value{more}"

    def caveats(self) -> list[str]:
        """Return sentences on the reference: published values that are not swept, and those that no source gives."""
        said: list[str] = []
        if self._game is None:
            return said
        for key in self.keys:
            value, there = published_value(self._game, key), set(self._table[key])
            shown = "no value" if value is None else f"`{key}` = {value}"
            if is_reconstructed(self._game, key):
                said.append(f"{shown} in the published game is reconstructed: no source gives it")
            if value not in there:
                said.append(
                    f"the published game has {shown}, which is not among the values; they are compared with the first"
                )
        return [f"{each[:1].upper()}{each[1:]}" for each in said]

    def answer(self) -> Answer:
        """Return which values make the seats most equal, as far as they can be told apart, and the gaps behind that."""
        found = self.findings(GAP)
        if not found:
            return Answer(f"There are too few games for {self.figure(GAP).label}.")
        most = max(found, key=lambda each: (each.gain, each.largest))
        rows, fairer = most.rows, sum(each.gain > 0 for each in found)
        reference, best, worst = _reference(rows), rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
        if len(found) == 1 or not fairer:
            verdict = self._fairest(pd.concat([each.rows for each in found]))
        else:
            verdict = f"at {most.where.split(' (', 1)[0]}, {self._fairest(rows)}"
            verdict += f"; a value is fairer than {self.reference_words()} in {fairer} of {len(found)} combinations of players and line-up"
        named = {row["variant"]: row for row in (reference, best, worst)}
        others = rows[~rows["variant"].isin(list(named))].sort_values("value", kind="stable")
        chosen = [*named.values(), *(row for _, row in others.iterrows())][:3]
        numbers = tuple(self._number(row, most.where) for row in sorted(chosen, key=lambda row: float(row["value"])))
        return Answer(f"{verdict[:1].upper()}{verdict[1:]}.", self.headline(GAP).replace("`", ""), numbers)

    def _number(self, row: Any, where: str) -> Number:
        """Return a gap between the seats with its interval."""
        half = float(row["by_chance"])
        digits = 0 if half >= 0.1 else 1
        of = f", {self.reference_words()}" if row["reference"] else ""
        return Number(
            format_value(row["value"], "share", digits).removesuffix(f"{THIN}%"),
            "" if np.isnan(half) else format_value(half, "share", digits).removesuffix(f"{THIN}%"),
            f"points between the seats at {self.at(row)}{of} ({where})",
        )

    def _fairest(self, rows: pd.DataFrame) -> str:
        """Return the fairest value at one player count with one line-up, its ties, or what could be missed."""
        keys, reference = " and ".join(self.keys), _reference(rows)
        at = f"{self.at(reference)}, {self.reference_words()}"
        fairer = rows[rows["changed"] == -1]
        if len(fairer):
            best = fairer.loc[fairer["value"].idxmin()]
            ties = tied(rows, best, -1)
            said = f"the seats are most equal at {keys} = {self.at(best)}: {self._apart(best)} apart, {self._apart(reference)} at {at}"
            if ties.empty:
                return f"{said}; every other value is less fair"
            others_too = some_of([self.at(row) for _, row in ties.iterrows()], 8)
            return f"{said}; {others_too} cannot be told apart from {self.at(best)}"
        others = rows[~rows["reference"]]
        worse = others[others["changed"] == 1]
        gain = missed(not_excluded(_as_changes(others), chunks=self.chunks, sign=-1), what="a gap smaller")
        gain = gain.replace("smaller of up to", "smaller by up to")
        names = list(dict.fromkeys(self.at(row) for _, row in worse.iterrows()))
        less = f"; {some_of(names, 8)} {'is' if len(names) == 1 else 'are'} less fair" if names else ""
        return f"no value of {keys} is known to be fairer than {at}{less}{f'; {gain}' if gain else ''}"

    def _apart(self, row: Any) -> str:
        return self.value_text(GAP, row).replace(f"{THIN}%", " points")

    def headline(self, name: str) -> str:
        """Return one sentence about all player counts and line-ups: where the figure changes most, or that it does not."""
        found = self.findings(name)
        if not found:
            return f"There are too few games for {self.figure(name).label}."
        most = max(found, key=lambda each: each.largest)
        many = sum(each.largest > 0 for each in found)
        if len(found) == 1:
            return f"At {most.where}, {most.text}."
        cells = f"{len(found)} combinations of players and line-up"
        if not many:
            rows = pd.concat([each.rows for each in found])
            counts, lineups = [str(each) for each in rows["players"].unique()], rows["lineup"].unique()
            where = f"At {listed(counts)} players ({lineups[0]})" if len(lineups) == 1 else f"In all {cells}"
            size = max(self._not_seen(each.rows) for each in found)
            return f"{where}, {self.figure(name).label} cannot be told apart from that at {self.reference_words()} at any other of the {self._values(most.rows)}{self._missed(name, size)}."
        return f"At {most.where}, {most.text}; it changes significantly in {many} of the {cells}."

    def sentences(self, name: str) -> list[str]:
        """Return a sentence per player count and line-up."""
        found = self.findings(name)
        texts = [f"{each.where}: {each.text}." for each in found[:_MOST_CELLS]]
        return [*texts, "The other combinations are in `tables/sweep.csv`."] if len(found) > _MOST_CELLS else texts

    def _values(self, rows: pd.DataFrame) -> str:
        """Return the values as text: "6 values of `key`"."""
        keys = " and ".join(f"`{key}`" for key in self.keys)
        return f"{len(rows)} {'values' if len(self.keys) == 1 else 'pairs of values'} of {keys}"

    def _text(self, name: str, rows: pd.DataFrame) -> str:
        """Return where the figure is lowest and highest, as far as the values can be told from the reference."""
        label = self.figure(name).label
        reference = _reference(rows)
        at_it = f"{self.at(reference)}, {self.reference_words()} ({self.value_text(name, reference)})"
        if rows["change"][~rows["reference"]].isna().all():
            return f"{label} is not tested over the {self._values(rows)}; it is {self.value_text(name, reference)} at {self.at(reference)}"
        if not rows["changed"].any():
            return f"{label} cannot be told apart at any of the {self._values(rows)} from that at {at_it}{self._missed(name, self._not_seen(rows))}"
        parts: list[str] = []
        for sign, word in ((-1, "lowest"), (1, "highest")):
            side = rows[rows["changed"] == sign]
            if len(side):
                end = side.loc[(sign * side["value"]).idxmax()]
                at = " and ".join(f"`{key}` = {end[key]:g}" for key in self.keys) if not parts else self.at(end)
                parts.append(f"{word} at {at} ({self.value_text(name, end)}{_ties(rows, end, sign)})")
        lower, higher = (rows["changed"] == -1).any(), (rows["changed"] == 1).any()
        verdict = (
            "both significantly different from that"
            if lower and higher
            else f"significantly {'lower' if lower else 'higher'} than"
        )
        return f"{label} is {' and '.join(parts)}, {verdict} at {at_it}"

    def _not_seen(self, rows: pd.DataFrame) -> float:
        return not_excluded(_as_changes(rows[~rows["reference"]]), chunks=self.chunks)

    def _missed(self, name: str, size: float) -> str:
        said = missed(size, self.figure(name).unit)
        return f"; {said}" if said else ""

    def value_text(self, name: str, row: Any) -> str:
        """Return a figure as text; the digits of a gap between seats are those of the gap by chance."""
        if not np.isnan(row["by_chance"]):
            half = row["by_chance"] / 2
            row = pd.Series({"value": row["value"], "low": row["value"] - half, "high": row["value"] + half})
        return format_row(row, self.figure(name).unit)


def _reference(rows: pd.DataFrame) -> Any:
    return rows[rows["reference"]].iloc[0]


def _as_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the changes of rows as figures with intervals."""
    changes = {"value": rows["change"], "low": rows["change_low"], "high": rows["change_high"]}
    return pd.DataFrame({**changes, "n": rows["pairs"].fillna(1), "deals": rows["paired"].fillna(1)})


def tied(rows: pd.DataFrame, end: Any, sign: int) -> pd.DataFrame:
    """Return the other values that may be as low (sign -1) or as high: those whose change has an overlapping interval."""
    others = rows[rows["variant"] != end["variant"]]
    if sign < 0:
        return others[others["change_low"].fillna(others["change"]) <= end["change_high"]]
    return others[others["change_high"].fillna(others["change"]) >= end["change_low"]]


def _ties(rows: pd.DataFrame, end: Any, sign: int) -> str:
    """Return how many other values may be as low or as high."""
    ties = len(tied(rows, end, sign))
    return f"; {ties} more cannot be told apart from it" if ties else ""


def name_of_picture(figure: str) -> str:
    """Return the name of the picture of a figure."""
    return f"sweep-{figure.replace('_', '-')}"


def shown_figures(known: Sequence[str]) -> list[str]:
    """Return the figures with a picture on the page."""
    return [name for name in SHOWN if name in known]

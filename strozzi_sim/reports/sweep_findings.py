"""What a sweep found: each figure by the swept values, which values differ significantly from the first one, and sentences about it.

A value differs if the difference from the first value, on the same deals, is significant, corrected for all values, player counts
and line-ups of the figure (Holm 1979). Other values may be as low as the lowest one if the intervals of both differences overlap;
these are wider than a test of the two values needs, so that a value is never said to be the only lowest one without reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Tables, cell_name, format_row, listed, pick
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
        rows: the values in order, the first value first; columns `changed` (-1, 0 or 1), `change`, `change_low`, `change_high`.
        text: sentence without its place and full stop.
    """

    where: str
    rows: pd.DataFrame
    text: str

    @property
    def largest(self) -> float:
        """Size of the largest significant change."""
        return float(np.abs(self.rows["change"] * self.rows["changed"]).max())


class Sweep:
    """The tables of a sweep.

    Args:
        manifest: manifest of the study.
        tables: its tables; `sweep` and `changes` are read.
        labels: figures of the game's report by name.

    Attributes:
        keys: the swept keys.
        figures: names of the figures that have a value.
    """

    def __init__(self, manifest: Mapping[str, Any], tables: Tables, labels: Mapping[str, Figure]) -> None:
        self._table, self._changes, self._labels = tables["sweep"], tables["changes"], labels
        self.keys = list(manifest.get("report", {}).get("sweep", {}))
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

        Columns beside those of the table: change, change_low, change_high (minus the first value), changed (1 or -1: significantly
        higher or lower), first (whether it is the first value), by_chance (the gap by chance, or NaN).
        """
        first = self._table["variant"].iloc[0]
        at = ["players", "variant", "lineup"]
        rows = pick(self._table, figure=name)
        changes = pick(self._changes, table="balance", figure=name, than=first, level="")
        ends = changes[[*at, "value", "low", "high", "n", "deals"]].rename(
            columns={"value": "change", "low": "change_low", "high": "change_high", "n": "pairs", "deals": "paired"}
        )
        rows = rows.merge(ends, "left", at)
        rows["first"] = rows["variant"] == first
        rows.loc[rows["first"], ["change", "change_low", "change_high"]] = 0.0
        others = rows[~rows["first"]]
        freedom = degrees_of_freedom(others["pairs"].fillna(1), others["paired"].fillna(1), self.chunks)
        p = holm(p_value(others["change"], others["change_low"], others["change_high"], 0.0, freedom))
        rows["changed"] = 0
        rows.loc[~rows["first"], "changed"] = np.where(p < ALPHA, np.sign(others["change"]), 0).astype(np.int64)
        chance = pick(self._table, figure=BY_CHANCE)[[*at, "value"]].rename(columns={"value": "by_chance"})
        rows = rows.merge(chance, "left", at) if name == GAP else rows.assign(by_chance=np.nan)
        return rows.sort_values(["players", "lineup", *self.keys], kind="stable", ignore_index=True)

    def at(self, row: Any) -> str:
        """Return the values of a row: "5", or "5 and 10"."""
        return " and ".join(f"{row[key]:g}" for key in self.keys)

    def findings(self, name: str) -> list[Finding]:
        """Return the finding of every player count and line-up with a value at the first value."""
        found = []
        for (players, lineup), rows in self.rows(name).groupby(["players", "lineup"], sort=False):
            known = rows.dropna(subset="value")
            if known["first"].any():
                found.append(Finding(cell_name(int(players), "base", str(lineup)), known, self._text(name, known)))
        return found

    def answer(self, name: str) -> Answer:
        """Return whether any value changes the figure, which changes it most, and the numbers of that player count."""
        found = self.findings(name)
        if not found:
            return Answer(f"There are too few games for {self.figure(name).label}.")
        most = max(found, key=lambda each: each.largest)
        keys, label = " and ".join(self.keys), self.figure(name).label
        first = most.rows[most.rows["first"]].iloc[0]
        numbers = [
            Number(self.value_text(name, first), "", f"{label} at {self.at(first)}, the first value ({most.where})")
        ]
        if not most.largest:
            verdict = f"No value of {keys} is known to change {label}."
            return Answer(verdict, self.headline(name).replace("`", ""), tuple(numbers))
        ends = [(sign, most.rows[most.rows["changed"] == sign]) for sign in (-1, 1)]
        best = [(sign, side.loc[(sign * side["value"]).idxmax()]) for sign, side in ends if len(side)]
        said = [f"{'smallest' if sign < 0 else 'largest'} at {self.at(row)}" for sign, row in best]
        where = most.where.split(" (", 1)[0]
        verdict = f"{keys} changes {label}: at {where} it is {listed(said)}."
        numbers += [Number(self.value_text(name, row), "", f"at {self.at(row)} ({most.where})") for _, row in best]
        return Answer(verdict, self.headline(name).replace("`", ""), tuple(numbers))

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
            return f"{where}, {self.figure(name).label} cannot be told apart from that at the first of the {self._values(most.rows)} at any other."
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
        """Return where the figure is lowest and highest, as far as the values can be told from the first one."""
        label = self.figure(name).label
        first = rows[rows["first"]].iloc[0]
        at_first = f"{self.at(first)}, the first ({self.value_text(name, first)})"
        if rows["change"][~rows["first"]].isna().all():
            return f"{label} is not tested over the {self._values(rows)}; it is {self.value_text(name, first)} at {self.at(first)}"
        if not rows["changed"].any():
            return f"{label} cannot be told apart at any of the {self._values(rows)} from that at {at_first}"
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
        return f"{label} is {' and '.join(parts)}, {verdict} at {at_first}"

    def value_text(self, name: str, row: Any) -> str:
        """Return a figure as text; the digits of a gap between seats are those of the gap by chance."""
        if np.isnan(row["low"]) and not np.isnan(row["by_chance"]):
            half = row["by_chance"] / 2
            row = pd.Series({"value": row["value"], "low": row["value"] - half, "high": row["value"] + half})
        return format_row(row, self.figure(name).unit)


def _ties(rows: pd.DataFrame, end: Any, sign: int) -> str:
    """Return how many other values may be as low or as high: those whose interval overlaps."""
    others = rows[rows["variant"] != end["variant"]]
    if sign < 0:
        ties = int((others["change_low"].fillna(others["change"]) <= end["change_high"]).sum())
    else:
        ties = int((others["change_high"].fillna(others["change"]) >= end["change_low"]).sum())
    return f"; {ties} more cannot be told apart from it" if ties else ""


def name_of_picture(figure: str) -> str:
    """Return the name of the picture of a figure."""
    return f"sweep-{figure.replace('_', '-')}"


def shown_figures(known: Sequence[str]) -> list[str]:
    """Return the figures with a picture on the page."""
    return [name for name in SHOWN if name in known]

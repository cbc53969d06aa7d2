"""The answer of `tune` in words: the change of the box, its figures, and what stays undecided or out of reach."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from strozzi_sim.declare.figure_tables import Tables, pick
from strozzi_sim.declare.printing import format_value
from strozzi_sim.errors import pluralize
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.sentences import listed, some_of, with_capital
from strozzi_sim.game.tiers import RANDOM_MOVES
from strozzi_sim.study.box_numbers import whole
from strozzi_sim.study.targets import MET, OPEN, Target
from strozzi_sim.study.verdict import MOST_WORDS, Verdict, word_count

NUMBERS = {1: "one number", 2: "two numbers", 3: "three numbers"}
_NOT_MISSED = {MET, OPEN}


class TuneAnswer:
    """The answer of a search.

    Args:
        game: the game.
        targets: the targets, whose labels differ.
        tables: of the search: `ladder` has a row for each rung and target, `box` one for each changed number of a rung,
            `reach` the targets that cannot be met, and those that cannot be met together. A rung is a box, from 0, the
            box as it is, to those with most changes.
    """

    def __init__(self, game: Game, targets: Sequence[Target], tables: Tables) -> None:
        self._game, self._tables = game, tables
        self._target = {target.label: target for target in targets}
        self._statuses = {int(rung): set(rows["status"]) for rung, rows in tables["ladder"].groupby("rung")}

    @cached_property
    def told_rung(self) -> int:
        """The rung of the answer: the first that meets every target, else the nearest that misses none, or of all."""
        met = [rung for rung, found in self._statuses.items() if found == {MET}]
        if met:
            return met[0]
        rows = self._tables["ladder"]
        losses = [float(self._target[row["target"]].loss(row["value"])) for row in rows.to_dict("records")]
        loss = rows.assign(loss=losses).groupby("rung")["loss"].max()
        undecided = [rung for rung, found in self._statuses.items() if found <= _NOT_MISSED]
        return int(loss[undecided or [*self._statuses]].idxmin())

    @property
    def rows(self) -> pd.DataFrame:
        """The rows of the ladder at the rung of the answer."""
        return pick(self._tables["ladder"], rung=self.told_rung)

    def verdict(self, check: str) -> Verdict:
        """Return the smallest change that meets the targets, or how near the nearest box comes and why.

        `check` is the command that compares the box with the one before any change; "" if there is none.
        """
        shown = [*self._shown()]
        if self._statuses[self.told_rung] != {MET}:
            return self._nearest(shown, check)
        if not self.told_rung:
            aim = "every target" if len(self._target) > 1 else "the target"
            return Verdict(f"Change nothing: the box meets {aim}.", shown[0], tuple(shown[1:]))
        changes, count = self.changes(self.told_rung), self._changed(self.told_rung)
        answer = f"Change {NUMBERS[count]}: {changes}."
        subject, *others = shown
        if word_count(answer) > MOST_WORDS:
            answer = f"{subject.removesuffix('.')}, if {NUMBERS[count]} change{'s' if count == 1 else ''}."
            subject = with_capital(f"{changes}.")
        notes = tuple(filter(None, [*others, *self._smaller(), check]))
        return Verdict(answer, subject, notes, self._settings(), unprinted=(check,))

    def changes(self, rung: int) -> str:
        """Return the changed numbers of a rung as clauses."""
        clauses = []
        for row in pick(self._tables["box"], rung=rung).to_dict("records"):
            before, after = (int(end) if float(end).is_integer() else end for end in (row["from"], row["to"]))
            clauses.append(name_of_key(self._game, row["key"]).change(before, after))
        return listed(clauses)

    def _settings(self) -> tuple[str, ...]:
        """Return the changes of the rung of the answer, KEY=VALUE."""
        rows = pick(self._tables["box"], rung=self.told_rung).to_dict("records")
        return tuple(f"{row['key']}={whole(row['to'])}" for row in rows)

    def _changed(self, rung: int) -> int:
        return len(pick(self._tables["box"], rung=rung))

    def _smaller(self) -> Iterator[str]:
        """Yield a sentence for each undecided rung that has a change, but fewer than the answer."""
        for rung, found in self._statuses.items():
            if found <= _NOT_MISSED and OPEN in found and 0 < self._changed(rung) < self._changed(self.told_rung):
                yield f"Undecided is whether less would do: {self.changes(rung)}."

    def _nearest(self, shown: Sequence[str], check: str) -> Verdict:
        """Return that the targets are undecided, out of reach, in conflict or not found, and the nearest box."""
        reach = self._tables["reach"]
        # `outside` is how far from its range a target stays alone; `other` is one that it cannot be met together with
        outside = list(dict.fromkeys(reach[reach["outside"] > 0]["target"]))
        pairs = [f"{row['target']} and {row['other']}" for row in reach[reach["other"] != ""].to_dict("records")]
        several = len(self._target) > 1
        is_undecided = self._statuses[self.told_rung] <= _NOT_MISSED
        if is_undecided:
            deals = pluralize(int(self.rows["deals"].iloc[0]), "deal")
            answer = f"Undecided after {deals}: more deals decide it."
        elif outside and several:
            answer = f"The targets cannot be met in these ranges: out of reach is {some_of(outside, 1)}."
        elif outside:
            answer = "The target cannot be met in these ranges."
        elif pairs:
            answer = f"The targets can be met one by one, but not together: {pairs[0]}."
        elif several:
            answer = "The targets are met at most in part: no box that meets all was found."
        else:
            answer = "No box that meets the target was found."
        box = f"Nearest: {self.changes(self.told_rung)}." if self.told_rung else "Nearest is the box as it is."
        notes = [*shown]
        if not is_undecided:
            notes.append("That is so as far as the boxes show that were played, and what was fitted to them.")
        if self.told_rung and check:
            notes.append(check)
        changes = self._settings() if is_undecided else ()
        return Verdict(answer, box, tuple(notes), changes, unprinted=(check,))

    def ladder(self, names: Mapping[int, str]) -> pd.DataFrame:
        """Return the ladder as text: box, target, its figure with the interval, what is wanted, and the status.

        `names` is rung -> its name.
        """
        rows = []
        for row in self._tables["ladder"].to_dict("records"):
            target = self._target[row["target"]]
            value, low, high, _ = self._texts(target, row)
            rows.append(
                (names[row["rung"]], target.label, f"{value} ({low} to {high})", target.range_text, row["status"])
            )
        return pd.DataFrame(rows, columns=["box", "target", "value", "wanted", "status"])

    @staticmethod
    def _texts(target: Target, row: Mapping[str, Any]) -> list[str]:
        """Return value, low, high and the value before the change of a row of the ladder as text."""
        ends = (row[end] for end in ("value", "low", "high", "before"))
        if target.who:
            return [format_value(end, WIN_SHARE, 1, bare=True) for end in ends]
        value, low, high, before = ends
        bare_ends = (format_value(end, target.figure, 1, bare=True) for end in (low, high))
        return [target.text(value), *bare_ends, target.text(before)]

    def _shown(self) -> Iterator[str]:
        """Yield a sentence for each target: its figure at the rung of the answer with the interval, and before."""
        for row in self.rows.to_dict("records"):
            target, is_changed = self._target[row["target"]], row["changes"] > 0
            then = " then" if is_changed else ""
            value, low, high, before = self._texts(target, row)
            if target.who:
                wins = "win" if target.who.startswith(RANDOM_MOVES) else "wins"
                words = f"{target.who}{then} {wins} {value} of 100 games ({low} to {high})"
            else:
                words = f"{target.label}:{then} {value} ({low} to {high})"
            # a figure to keep is itself a change, which has no value before
            was = f", before {before}" if is_changed and not target.is_paired else ""
            asked = "" if row["status"] == MET else f"; wanted: {target.range_text}"
            yield f"{with_capital(words)}{was}{asked}."

"""sweep: what changes with one or two values of the components?

All values are played on the same deals and compared with the published ones, which are always among them; where the
published game has no such value, with the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Self, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.declare.figure_tables import CELL, FIGURE, Tables, figures_in, headline_players, pick
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import ALPHA, corrected_p, not_excluded, rounded_up
from strozzi_sim.errors import ArgumentError, as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import difference_in_words, name_of_key
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, is_reconstructed, published_value, with_values
from strozzi_sim.study.arguments import WHO_PLAYS, StudyOptions, documented
from strozzi_sim.study.box_numbers import whole
from strozzi_sim.study.cells import GAP_BY_CHANCE, SEAT_GAP, CountsOf
from strozzi_sim.study.decided import Decided
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import Look, Section, key_numbers, picture, section
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.screen import values_to_try
from strozzi_sim.study.verdict import MOST_WORDS, Verdict, word_count
from strozzi_sim.study.wording import players_words

MOST_KEYS, MOST_VALUES = 2, 400
GAP = SEAT_GAP.name
_REFERENCE, _DIFFERS, _UNCLEAR = "compared with", "significantly different", "not told apart from it"
_EFFECT = 0.01  # smallest difference of a share of wins that is decided by default
_MOST_FAIRER = 4  # further values that are named


@documented(
    asks="Which value is fairest?",
    about="One number with several values, all on the same deals: which has the smallest gap between seats?",
    front={"values": "Number and its values", **WHO_PLAYS},
    quick={"deals": 500},
    tables=("sweep",),
)
def sweep(
    game: str | Game,
    values: str | Mapping[str, Sequence[float]],
    *,
    players: Players = None,
    agents: Agents = (),
    precision: float | None = None,
    variant: AnyVariant = "base",
    **options: Unpack[StudyOptions],
) -> Results:
    """Play lists of values of one or two components in all combinations, on the same deals.

    Example: strozzi sweep strozzi "tracks.bonus.9 = 0 15 30" --players 4

    Args:
        values: keys and values, such as "tracks.bonus.7 = 0 5 10", two keys separated by a semicolon; a key alone has
            a few values around its own
        agents: one line-up, separated by commas; one agent plays itself; default: the game's default agent
        deals: deals for every combination of values; default: as many as the precision takes; without one, as many as
            find or exclude a difference of a point in wins from the published values, within the limits of compare
        variant: the variant whose values are changed

    >>> import strozzi_sim as ss
    >>> results = ss.sweep("strozzi", "tracks.bonus.9 = 10 15 20", players=3, agents="random", deals=60)
    >>> results.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    lineups = names.lineups_of(the_game, agents, counts)
    keys: dict[str, Any] = {"game": the_game, "players": counts, "lineups": lineups}
    keys["variants"] = names.variants_named(the_game, variant)
    try:
        keys["sweep"] = _values_by_key(the_game, keys["variants"][0], values) if isinstance(values, str) else values
        if options.get("deals") is None and precision is None:
            decided = Sweep.until_decided(_EFFECT, keys)
            options["deals"] = decided.pop("deals")
            keys |= decided
        else:
            keys["precision"] = precision
        return play(Sweep, options, **keys)
    except ArgumentError as error:
        argument = "values" if error.argument in ("sweep", "key") else error.argument
        raise ArgumentError(argument, error.message) from None


@dataclass(frozen=True, kw_only=True)
class Sweep(Decided):
    """A study of values of one or two components of a variant."""

    kind = "sweep"
    sweep: dict[str, tuple[float, ...]]  # values by key; their combinations are the variants that are played
    is_comparison, has_pages, printed = True, True, ("sweep",)

    @classmethod
    def of(cls, **keys: Any) -> Self:
        """Return the study with these keys; the published value of each key is added if it is missing."""
        is_complete = {"agents", "behaviour", "variants"} <= keys.keys() and not isinstance(keys["variants"], Sequence)
        given = keys.get("sweep")
        if isinstance(given, Mapping) and not is_complete and "game" in keys:
            keys["sweep"] = {key: _with_published(find_game(keys["game"]), key, given[key]) for key in given}
        return super().of(**keys)

    @cached_property
    def grid(self) -> dict[str, tuple[tuple[float, ...], Variant]]:
        """Name of a variant -> its values, in the order of the keys, and the variant; one for each combination."""
        (base,) = self.listed_variants.values()
        grid: dict[str, tuple[tuple[float, ...], Variant]] = {}
        for values in product(*self.sweep.values()):
            keys = dict(zip(self.sweep, map(_as_written, values), strict=True))
            changed_variant = as_argument_error("sweep", with_values, self.the_game, base, keys)
            grid[changed_variant.name] = values, changed_variant
        return grid

    @property
    def boxes(self) -> dict[str, str]:
        """The values of each variant in a sentence, by its name: "with 15 and 10"."""
        texts = {name: " and ".join(f"{value:g}" for value in values) for name, (values, _) in self.grid.items()}
        return {name: f"with {text}" for name, text in texts.items()}

    @property
    def variant_of(self) -> dict[str, Variant]:
        return {name: variant for name, (_, variant) in self.grid.items()}

    @property
    def reference(self) -> str:
        published = tuple(published_value(self.the_game, key) for key in self.sweep)
        return next((name for name, (values, _) in self.grid.items() if values == published), next(iter(self.grid)))

    def check(self) -> None:
        super().check()
        if len(self.variants) > 1:
            raise ArgumentError("sweep", f"changes one variant; leave out all but one of {', '.join(self.variants)}")
        sizes = [len(values) for values in self.sweep.values()]
        differ = all(len(set(values)) == len(values) > 1 for values in self.sweep.values())
        if not 1 <= len(sizes) <= MOST_KEYS or np.prod(sizes) > MOST_VALUES or not differ:
            allowed = f"one or {MOST_KEYS} keys of several different values each, at most {MOST_VALUES} combinations"
            raise ArgumentError("sweep", f"give {allowed}")
        _ = self.grid  # raises for a key or value that the game does not allow

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        return facts_of_games(self, look)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the tables of the games, and sweep: the rows of balance, with the values as columns."""
        tables = tables_of_games(self, counts, look)
        balance = tables["balance"].frame()
        values = [self.grid[name][0] for name in balance["variant"]]
        columns = pd.DataFrame(values, balance.index, list(self.sweep), np.float64)
        return {**tables, "sweep": balance.join(columns)[[*CELL, *self.sweep, *FIGURE]]}

    def _differences(self, tables: Tables, figure: str) -> pd.DataFrame:
        """Return a figure's differences from the reference, with `known`: significant, corrected for all these rows."""
        differences = pick(tables["changes"], table="balance", figure=figure, than=self.reference)
        return differences.assign(known=corrected_p(differences, 0.0, self.chunks) < ALPHA)

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the fairest value that is known to be fairer than the published one, or what could be missed."""
        gaps = pick(tables["sweep"], figure=GAP)
        usual = pick(gaps, lineup=self.the_game.default_agent)
        main = usual if len(usual) else pick(gaps, lineup=gaps["lineup"].iloc[0])
        main = pick(main, players=headline_players(main))
        found = self._fairest(tables, main, self._where(gaps, main))
        notes = list(found.notes)
        for (players, lineup), rows in gaps.groupby(["players", "lineup"], sort=False):
            if (players, lineup) != (main["players"].iloc[0], main["lineup"].iloc[0]):
                notes.append(self._fairest(tables, rows, self._where(gaps, rows)).answer)
        subject = " ".join(filter(None, [found.subject, self._else_changed()]))
        return replace(found, subject=subject, notes=tuple(notes))

    def _where(self, gaps: pd.DataFrame, rows: pd.DataFrame) -> str:
        """Return the player count and line-up of some rows as text, each if it is not the only one of all gaps."""
        players = f" at {rows['players'].iloc[0]} players" if gaps["players"].nunique() > 1 else ""
        words = players_words(self.the_game, str(rows["lineup"].iloc[0]), bare=True)
        return f"{players} with {words}" if gaps["lineup"].nunique() > 1 else players

    def _fairest(self, tables: Tables, rows: pd.DataFrame, at: str) -> Verdict:
        """Return the verdict of one player count and line-up, `at` in words, whose gaps are `rows`."""
        where = {"players": rows["players"].iloc[0], "lineup": rows["lineup"].iloc[0]}
        differences = pick(self._differences(tables, GAP), **where)
        if rows["value"].isna().any():
            return Verdict(f"There are too few games{at} to measure the gap between the seats.")
        order = rows.sort_values("value", kind="stable").to_dict("records")
        gap_of = {row["variant"]: row["value"] for row in order}
        points = {name: format_value(gap, SEAT_GAP, bare=True) for name, gap in gap_of.items()}
        texts = {row["variant"]: self._text(row) for row in order}
        compared = f"{self._reference_word} {texts[self.reference]}"
        fairer = set(differences[differences["known"] & (differences["value"] < 0)]["variant"])
        if fairer:
            best, *others = [name for name in gap_of if name in fairer]
            apart = f"best and worst seat are {points[best]} games of 100 apart ({compared}: {points[self.reference]})"
            named = listed([f"{texts[name]} ({points[name]})" for name in others[:_MOST_FAIRER]])
            which = f"Fairer than the {compared}, too, but not compared with {texts[best]}"
            more = (f"{which}: {named}.",) if others else ()
            changes = tuple(f"{key}={whole(value)}" for key, value in zip(self.sweep, self.grid[best][0], strict=True))
            answer = f"Fairest found{at}: {self._in_words(best)}; {apart}."
            if word_count(answer) <= MOST_WORDS:
                return Verdict(answer, notes=more, changes=changes)
            meaning = f"{texts[best]}: {self._in_words(best)}."
            return Verdict(f"Fairest found{at}: {texts[best]}; {apart}.", meaning, more, changes)
        fall = not_excluded(differences, chunks=self.chunks, sign=-1, span=(-gap_of[self.reference], 1))
        missed = f"; up to {rounded_up(fall)} games of 100 could be missed" if fall > 0 else ""
        found = f"no value is found fairer{at} than the {compared}{missed}."
        answer, subject = f"{with_capital(self._keys_in_words)}: {found}", ""
        if word_count(answer) > MOST_WORDS:
            answer, subject = with_capital(found), f"Tried: {self._keys_in_words}."
        gap = f"With {texts[self.reference]} best and worst seat are {points[self.reference]} games of 100 apart"
        lowest = next(iter(gap_of))
        is_lower = points[lowest] != points[self.reference]
        perhaps = f"; perhaps by chance, {points[lowest]} with {texts[lowest]}" if is_lower else ""
        return Verdict(answer, subject, (f"{gap}{perhaps}.",))

    def _text(self, row: Mapping[str, Any]) -> str:
        return " and ".join(f"{row[key]:g}" for key in self.sweep)

    @property
    def _reference_word(self) -> str:
        """The word for the values that the others are compared with."""
        published = tuple(published_value(self.the_game, key) for key in self.sweep)
        return "published" if self.grid[self.reference][0] == published else "first"

    def _in_words(self, name: str) -> str:
        """Return the values of a variant as clauses: "space 9 of the tracks pays 0 coins"."""
        values, _ = self.grid[name]
        pairs = zip(self.sweep, map(_as_written, values), strict=True)
        return listed([name_of_key(self.the_game, key).clause(value) for key, value in pairs])

    def _else_changed(self) -> str:
        """Return a sentence on what differs from the published game beside the values; "" for nothing."""
        values, played = self.grid[self.reference]
        keys = dict(zip(self.sweep, map(_as_written, values), strict=True))
        known = {key: value for key, value in keys.items() if published_value(self.the_game, key) is not None}
        published = with_values(self.the_game, BASE, known)
        return difference_in_words(self.the_game, published, played, "Also changed")

    @property
    def _keys_in_words(self) -> str:
        return " and ".join(name_of_key(self.the_game, key).label for key in self.sweep)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return a section with a picture of each figure and a table of all, then the pages of the game."""
        keys, known = self._keys_in_words, set(tables["sweep"].dropna(subset="value")["figure"])
        of_balance = figures_in(tables, "balance").values()
        figures = [each for each in picture("values", {}, of_balance, keys=keys).figures if each.name in known]
        pages = [each for each in sections_of_games(self, tables, look) if each.name != "What changed"]
        if not figures:  # under 30 games
            return pages
        shown = {f"sweep-{figure.name}": self._rows(tables, figure.name) for figure in figures}
        all_rows = pd.concat(shown.values(), ignore_index=True)
        # beside a number, what a gap reaches by chance would be read as its interval
        shown["values"] = all_rows = all_rows.assign(**all_rows[["low", "high"]].mask(all_rows["figure"] == GAP))
        gaps = pick(all_rows, figure=GAP).dropna(subset="value").sort_values("value", kind="stable")
        gaps = pick(gaps, players=headline_players(all_rows), lineup=all_rows["lineup"].iloc[0])
        ends = pd.concat([gaps.head(1), gaps[gaps["marked"]], gaps.tail(1)]).drop_duplicates("at")
        chance = [f"; chance alone: up to {format_value(gap, SEAT_GAP)}" if gap > 0 else "" for gap in ends["chance"]]
        label = "gap between the seats with {at} at {players} players{by_chance}"
        in_figures = replace(picture("values", shown, keys=keys), figures=tuple(figures))
        numbers = key_numbers(ends.assign(by_chance=chance), SEAT_GAP, label)
        declared = section("values", shown, numbers=numbers, keys=keys, figure="", of_gap="")
        pictures = *(self._picture(figure, shown) for figure in figures), in_figures
        return [replace(declared, shown=pictures, sentences=tuple(self._published())), *pages]

    def _picture(self, figure: Figure, shown: Tables) -> Picture | HeatMap:
        table, label, keys = f"sweep-{figure.name}", with_capital(figure.label), self._keys_in_words
        if len(self.sweep) > 1:
            caption = "All are compared with the framed cell, on the same deals, corrected for the number of values."
            down, across = (name_of_key(self.the_game, key).label for key in self.sweep)
            shaded = "from the framed cell, where significant"
            title = f"{label} over {keys}"
            return HeatMap(title, caption, down, across, figure, shade_label=shaded, table=table)
        of_gap = "; those of a gap reach as far as chance moves equal seats" if figure.name == GAP else ""
        line = picture("over-values", shown, figure=label, keys=keys, of_gap=of_gap)
        levels = tuple(dict.fromkeys(shown["values"]["at"]))
        return replace(line, name=table.replace("_", "-"), table=table, figures=(figure,), levels=levels)

    def _rows(self, tables: Tables, figure: str) -> pd.DataFrame:
        """Return the rows of a figure in the order of the values, with the columns of pictures; `at`: values as text.

        A gap gets the interval gap +- `seat_gap_by_chance`, the 95 % quantile of the gap of equal seats (Tukey).
        """
        differences, keys = self._differences(tables, figure), list(self.sweep)
        change = differences.assign(change=differences["value"].where(differences["known"]))[[*CELL, "change"]]
        rows = pick(tables["sweep"], figure=figure).merge(change, "left", list(CELL))
        rows = rows.sort_values(keys, kind="stable", ignore_index=True)
        is_reference = (rows["variant"] == self.reference).to_numpy()
        chance = pick(tables["sweep"], figure=GAP_BY_CHANCE.name)[[*CELL, "value"]]
        rows = rows.merge(chance.rename(columns={"value": "chance"}), "left", list(CELL))
        if figure == GAP:
            rows["low"] = rows["low"].fillna((rows["value"] - rows["chance"]).clip(lower=0))
            rows["high"] = rows["high"].fillna((rows["value"] + rows["chance"]).clip(upper=1))
        marks = np.where(is_reference, f" ({self._reference_word})", "")
        texts = [f"{self._text(row)}{mark}" for row, mark in zip(rows.to_dict("records"), marks, strict=True)]
        told = np.where(is_reference, _REFERENCE, np.where(rows["change"].notna(), _DIFFERS, _UNCLEAR))
        down, across = ([f"{value:g}" for value in rows[key]] for key in (keys[0], keys[-1]))
        rows = rows.assign(at=texts, row=down, column=across, told=told, shade=rows["change"])
        return rows.assign(marked=is_reference, variant="")

    def _published(self) -> Iterator[str]:
        """Yield a sentence for each published value that is missing or reconstructed."""
        for key in self.sweep:
            value, label = published_value(self.the_game, key), name_of_key(self.the_game, key).label
            if value is None:
                yield f"The published game has no {label}; the values are compared with the first."
            elif is_reconstructed(self.the_game, key):
                yield f"In the published game the {label}, {value}, is reconstructed: no source gives it."


def _as_written(value: float) -> float:
    """Return a value as a file has it: a whole number as an integer."""
    return int(value) if value.is_integer() else value


def _with_published(game: Game, key: str, values: Any) -> Any:
    """Return the values of a key with the published one; unchanged if these are no numbers."""
    published = published_value(game, key)
    given = values if isinstance(values, Sequence) else ()
    are_numbers = all(isinstance(each, int | float) for each in (published, *given))
    if not given or not are_numbers or isinstance(published, bool):
        return values
    return values if float(published) in map(float, values) else sorted([*values, published])


def _values_by_key(game: Game, variant: Variant, text: str) -> dict[str, list[float]]:
    """Return the values in a text such as `tracks.bonus.7 = 0 5 10; tracks.bonus.8`; a key alone has those to try."""
    values_by_key: dict[str, list[float]] = {}
    for piece in text.split(";"):
        key, equals, values = (part.strip() for part in piece.partition("="))
        if key in values_by_key:
            raise ArgumentError("values", f"{key} is given twice")
        if key and not equals:
            values_by_key[key] = values_to_try(game, variant, key)
            continue
        try:
            values_by_key[key] = [float(number) for number in values.replace(",", " ").split()]
        except ValueError:
            values_by_key[key] = []
        if not (key and values_by_key[key]):
            raise ArgumentError("values", f"expected KEY = NUMBER NUMBER ..., got {piece.strip()!r}")
    return values_by_key

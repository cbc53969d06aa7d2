"""sweep: what changes with one or two values of the components?

All values are played on the same deals and compared with the published ones, or, if these are missing, with the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.declare.figure_tables import CELL, FIGURE, Tables, figures_in, pick
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import ALPHA, corrected_p, not_excluded
from strozzi_sim.errors import ArgumentError, as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.game.variants import AnyVariant, Variant, is_reconstructed, published_value, with_values
from strozzi_sim.study.arguments import WHO_PLAYS, StudyOptions, documented
from strozzi_sim.study.cells import GAP_BY_CHANCE, SEAT_GAP, CountsOf
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import Look, Section, key_numbers, picture, section
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.wording import players_words

MOST_KEYS, MOST_VALUES = 2, 400
GAP = SEAT_GAP.name
_REFERENCE, _DIFFERS, _UNCLEAR = "reference", "differs from the reference", "not told apart from it"


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
        values: keys and values, such as "tracks.bonus.7 = 0 5 10", two keys separated by a semicolon
        agents: one line-up, separated by commas; one agent plays itself; default: the game's default agent
        deals: deals for every combination of values; default: 1,000, or as many as the precision takes
        variant: the variant whose values are changed

    >>> import strozzi_sim as ss
    >>> results = ss.sweep("strozzi", "tracks.bonus.9 = 10 15 20", players=3, agents="random", deals=60)
    >>> results.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    lineups = names.lineups_of(the_game, agents, counts)
    variants = names.variants_named(the_game, variant)
    try:
        return play(
            Sweep,
            options,
            game=the_game,
            players=counts,
            lineups=lineups,
            variants=variants,
            sweep=_values_by_key(values) if isinstance(values, str) else values,
            precision=precision,
        )
    except ArgumentError as error:
        raise ArgumentError("values" if error.argument == "sweep" else error.argument, error.message) from None


@dataclass(frozen=True, kw_only=True)
class Sweep(Study):
    """A study of values of one or two components of a variant."""

    kind = "sweep"
    sweep: dict[str, tuple[float, ...]]  # values by key; their combinations are the variants that are played
    is_comparison, has_pages, printed = True, True, ("sweep",)

    @cached_property
    def grid(self) -> dict[str, tuple[tuple[float, ...], Variant]]:
        """Name of a variant -> its values, in the order of the keys, and the variant; one for each combination."""
        (base,) = self.listed_variants.values()
        grid: dict[str, tuple[tuple[float, ...], Variant]] = {}
        for values in product(*self.sweep.values()):
            values_as_written = (int(value) if value.is_integer() else value for value in values)
            keys = dict(zip(self.sweep, values_as_written, strict=True))
            changed_variant = as_argument_error("sweep", with_values, self.the_game, base, keys)
            grid[changed_variant.name] = values, changed_variant
        return grid

    @property
    def variant_of(self) -> dict[str, Variant]:
        return {name: variant for name, (_, variant) in self.grid.items()}

    @property
    def reference(self) -> str:
        published = tuple(published_value(self.the_game, key) for key in self.sweep)
        return next((name for name, (values, _) in self.grid.items() if values == published), next(iter(self.grid)))

    def check(self) -> None:
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

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return for each player count and line-up the values fairer than the reference, or what could be missed."""
        sentences, keys = [], " and ".join(self.sweep)
        differences, balance = self._differences(tables, GAP), tables["sweep"]
        for (players, lineup), rows in pick(balance, figure=GAP).groupby(["players", "lineup"], sort=False):
            where = {"players": players, "lineup": lineup}
            own, chance = pick(differences, **where), pick(balance, figure=GAP_BY_CHANCE.name, **where)["value"].max()
            digits = 0 if chance >= 0.1 else 1
            order = rows.sort_values("value", kind="stable").to_dict("records")
            words = {row["variant"]: f"{self._text(row)} ({100 * row['value']:.{digits}f} points)" for row in order}
            reference = words[self.reference]
            if rows["value"].isna().any():
                finding = "there are too few games to measure the gap between the seats"
            elif fairer := set(own[own["known"] & (own["value"] < 0)]["variant"]):
                values = "; ".join([text for name, text in words.items() if name in fairer][:5])
                finding = f"the seats are nearer to equal at {keys} = {values} than at {reference}"
            else:
                gap = pick(rows, variant=self.reference)["value"].iloc[0]
                least = gap - not_excluded(own, chunks=self.chunks, sign=-1, span=(-gap, 1))
                down = np.floor(100 * least * 10**digits + 1e-6) / 10**digits
                size = "" if np.isnan(least) else f": a gap as small as {down:.{digits}f} points could be missed"
                finding = f"no value is known to be fairer than {keys} = {reference}{size}"
            sentences.append(f"At {players} players, played by {players_words(self.the_game, lineup)}, {finding}.")
        return sentences

    def _text(self, row: Mapping[str, Any]) -> str:
        return " and ".join(f"{row[key]:g}" for key in self.sweep)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return a section with a picture of each figure and a table of all, then the pages of the game."""
        keys, known = " and ".join(self.sweep), set(tables["sweep"].dropna(subset="value")["figure"])
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
        gaps = pick(gaps, **all_rows.iloc[0][["players", "lineup"]])
        ends = pd.concat([gaps.head(1), gaps[gaps["marked"]], gaps.tail(1)]).drop_duplicates("at")
        chance = [f"; chance alone: up to {format_value(gap, SEAT_GAP)}" if gap > 0 else "" for gap in ends["chance"]]
        who = ends["lineup"].map(partial(players_words, self.the_game))
        label = f"gap between the seats at {keys} = {{at}}, {{players}} players ({{who}}){{by_chance}}"
        in_figures = replace(picture("values", shown, keys=keys), figures=tuple(figures))
        numbers = key_numbers(ends.assign(by_chance=chance, who=who), SEAT_GAP, label)
        declared = section("values", shown, numbers=numbers, keys=keys, figure="", of_gap="")
        pictures = *(self._picture(figure, shown) for figure in figures), in_figures
        return [replace(declared, shown=pictures, sentences=tuple(self._published())), *pages]

    def _picture(self, figure: Figure, shown: Tables) -> Picture | HeatMap:
        table, label, keys = f"sweep-{figure.name}", with_capital(figure.label), " and ".join(self.sweep)
        if len(self.sweep) > 1:
            caption = "All are compared with the framed cell, on the same deals, corrected for the number of values."
            (down, across), shaded = self.sweep, "from the framed cell, where significant"
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
        marks = np.where(is_reference, " (*)", "")
        texts = [f"{self._text(row)}{mark}" for row, mark in zip(rows.to_dict("records"), marks, strict=True)]
        told = np.where(is_reference, _REFERENCE, np.where(rows["change"].notna(), _DIFFERS, _UNCLEAR))
        down, across = ([f"{value:g}" for value in rows[key]] for key in (keys[0], keys[-1]))
        rows = rows.assign(at=texts, row=down, column=across, told=told, shade=rows["change"])
        return rows.assign(marked=is_reference, variant="")

    def _published(self) -> Iterator[str]:
        """Yield a sentence for each published value that is not among these, is missing, or is reconstructed."""
        for key, values in self.sweep.items():
            value = published_value(self.the_game, key)
            if value is None:
                yield f"The published game has no {key}; the values are compared with the first."
                continue
            if is_reconstructed(self.the_game, key):
                yield f"In the published game {key} = {value} is reconstructed: no source gives it."
            if value not in values:
                missing = f"The published game has {key} = {value}, which is not among the values"
                yield f"{missing}; they are compared with the first."


def _values_by_key(text: str) -> dict[str, list[float]]:
    """Return the values in a text such as `tracks.bonus.7 = 0 5 10; tracks.bonus.8 = 0 5`."""
    values_by_key: dict[str, list[float]] = {}
    for piece in text.split(";"):
        key, _, values = (part.strip() for part in piece.partition("="))
        if key in values_by_key:
            raise ArgumentError("values", f"{key} is given twice")
        try:
            values_by_key[key] = [float(number) for number in values.replace(",", " ").split()]
        except ValueError:
            values_by_key[key] = []
        if not (key and values_by_key[key]):
            raise ArgumentError("values", f"expected KEY = NUMBER NUMBER ..., got {piece.strip()!r}")
    return values_by_key

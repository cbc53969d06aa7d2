"""sweep: what do values of the components change?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.errors import ArgumentError, as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import game_names
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, FIGURE, Tables, pick
from strozzi_sim.game.significance import ALPHA, degrees_of_freedom, missed, not_excluded, p_value
from strozzi_sim.game.variant_names import check_names_differ
from strozzi_sim.game.variants import AnyVariant, Variant, published_value, with_values
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.folders import read_study
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.swept import GAP, values_section
from strozzi_sim.study.wording import players_words

MOST_KEYS, MOST_VALUES = 2, 400


def sweep(
    game: str | Path | Game,
    values: str | dict[str, Any] = "",
    *,
    players: Players = None,
    agents: Agents = (),
    deals: int | None = None,
    precision: float | None = None,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Play one or two component values over a list of values, on common deals.

    Example: strozzi sweep experiments/strozzi_bonus.toml

    Args:
        game: a game; or a study's file with keys and values in a table `sweep`
        values: (game) keys and values, such as "tracks.bonus.7 = 0 5 10", two keys separated by a semicolon
        players: player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; one agent plays itself; default: the game's default agent
        deals: deals for every value; default: 1,000, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        variant: the variant whose values are changed
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim as ss
    >>> found = ss.sweep("strozzi", "tracks.bonus.9 = 10 15 20", players=3, agents="random", deals=60)
    >>> found.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    if not values and not isinstance(game, Game) and game not in game_names():
        for argument, given in {"players": players, "agents": agents, "precision": precision}.items():
            if given not in (None, (), "", []):
                raise ArgumentError(argument, f"{game} has its own")
        study, look = read_study(game)
        if not isinstance(study, Sweep):
            raise ArgumentError("game", f"{game}: has no table sweep")
        return run(study, folder, look=look, deals=deals, workers=workers, progress=progress)
    the_game = names.game_named(game)  # type: ignore[arg-type]
    if not values:
        raise ArgumentError("values", 'give keys and values, such as "tracks.bonus.7 = 0 5 10"')
    counts = names.player_counts(the_game, players)
    lineups = names.lineups_of(the_game, agents, counts)
    try:
        study = Sweep.of(
            game=the_game, players=counts, lineups=lineups, deals=deals, precision=precision, seed=seed,
            variants=names.variants_named(the_game, variant), sweep=_grid(values) if isinstance(values, str) else values,
        )  # fmt: skip
    except ArgumentError as error:
        raise ArgumentError("values" if error.argument == "sweep" else error.argument, error.message) from None
    return run(
        study, folder, look=Look(name=f"sweep-{study.game.replace('_', '-')}"), workers=workers, progress=progress
    )


class Sweep(Study, frozen=True, kw_only=True, tag="sweep"):
    """A study of values of one variant.

    Attributes:
        sweep: values by key; their combinations are the variants that are played.
    """

    sweep: dict[str, tuple[float, ...]]
    has_pages, printed = True, ("sweep",)

    @cached_property
    def grid(self) -> dict[str, tuple[tuple[float, ...], Variant]]:
        """The combinations of values, by name of the variant that has them."""
        (base,) = self.listed_variants.values()
        found: dict[str, tuple[tuple[float, ...], Variant]] = {}
        for values in product(*self.sweep.values()):
            made = as_argument_error(
                "sweep", with_values, self.the_game, base, dict(zip(self.sweep, map(_whole, values), strict=True))
            )
            found[made.name] = values, made
        as_argument_error("sweep", check_names_differ, [variant for _, variant in found.values()])
        return found

    @property
    def variant_of(self) -> dict[str, Variant]:
        """The variants that are played."""
        return {name: variant for name, (_, variant) in self.grid.items()}

    @property
    def reference(self) -> str:
        """Name of the variant that the others are compared with: that of the published values, else the first."""
        published = tuple(published_value(self.the_game, key) for key in self.sweep)
        return next((name for name, (values, _) in self.grid.items() if values == published), next(iter(self.grid)))

    @classmethod
    def is_paired(cls, keys: Mapping[str, Any]) -> bool:
        """Return True: differences from the reference are headlines."""
        return True

    def check(self) -> None:
        """Refuse several variants, and lists that are no range."""
        count = np.prod([len(values) for values in self.sweep.values()])
        if len(self.variants) > 1:
            raise ArgumentError("sweep", f"changes one variant; leave out all but one of {', '.join(self.variants)}")
        if (
            not 1 <= len(self.sweep) <= MOST_KEYS
            or count > MOST_VALUES
            or any(len(set(each)) < max(len(each), 2) for each in self.sweep.values())
        ):
            raise ArgumentError(
                "sweep",
                f"give one or {MOST_KEYS} keys, each with different values, and at most {MOST_VALUES} combinations",
            )
        _ = self.grid

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts of pages and heat maps."""
        return facts_of_games(self, look)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the tables of the games, and sweep: balance beside the values."""
        found = tables_of_games(self, counts, look)
        balance = found["balance"].frame()
        columns = {
            key: np.array([self.grid[name][0][number] for name in balance["variant"]], np.float64)
            for number, key in enumerate(self.sweep)
        }
        return {**found, "sweep": balance.assign(**columns)[[*CELL, *self.sweep, *FIGURE]]}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return in every cell which values are fairer than the reference, or what gap could be missed; corrected for all values and cells."""
        gaps = pick(tables["sweep"], figure=GAP.name)
        less = pick(tables["changes"], table="balance", figure=GAP.name, than=self.reference, level="").reset_index(
            drop=True
        )
        df = degrees_of_freedom(less["n"], less["deals"], self.chunks)
        less["known"] = holm(p_value(less["value"], less["low"], less["high"], 0.0, df)) < ALPHA
        said, keys = [], " and ".join(self.sweep)
        for (players, lineup), rows in gaps.groupby(["players", "lineup"], sort=False):
            here = less[(less["players"] == players) & (less["lineup"] == lineup)]
            fairer = set(here[here["known"] & (here["value"] < 0)]["variant"])
            reference = rows[rows["variant"] == self.reference].iloc[0]
            chance = pick(tables["sweep"], figure="seat_gap_by_chance", players=players, lineup=lineup)["value"].max()
            digits = 0 if chance >= 0.1 else 1
            at = f"{self._at(reference)} ({100 * reference['value']:.{digits}f} points)"
            if fairer:
                order = rows[rows["variant"].isin(fairer)].sort_values("value", kind="stable")
                values = [
                    f"{self._at(row)} ({100 * row['value']:.{digits}f} points)" for _, row in order.head(5).iterrows()
                ]
                words = f"the seats are nearer to equal at {keys} = {'; '.join(values)} than at {at}"
            else:
                size = missed(not_excluded(here, chunks=self.chunks, sign=-1), what="a gap smaller")
                words = f"no value is known to be fairer than {keys} = {at}{f': {size}' if size else ''}".replace(
                    "smaller of up to", "smaller by up to"
                )
            said.append(f"At {players} players, played by {players_words(self.the_game, lineup)}, {words}.")
        return said

    def _at(self, row: Any) -> str:
        return " and ".join(f"{row[key]:g}" for key in self.sweep)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the figures over the values, with what differs from the reference, then the pages of the game."""
        pages = [each for each in sections_of_games(self, tables, look) if each.name != "What changed"]
        return [values_section(self, self.sweep, tables), *pages]


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _grid(text: str) -> dict[str, list[float]]:
    """Return the values in a text such as `tracks.bonus.7 = 0 5 10; tracks.bonus.8 = 0 5`."""
    found: dict[str, list[float]] = {}
    for piece in text.split(";"):
        key, _, values = (part.strip() for part in piece.partition("="))
        try:
            found[key] = [float(each) for each in values.replace(",", " ").split()]
        except ValueError:
            found[key] = []
        if not (key and found[key]):
            raise ArgumentError("values", f"expected KEY = NUMBER NUMBER ..., got {piece.strip()!r}")
    return found

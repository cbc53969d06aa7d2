"""our-table: which strength of play gives the scores of real games?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.errors import ArgumentError, as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, listed
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import KeyNumber, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.score_sheets import FIGURES, SHARE, Sheets, bands, likelihood, read_sheets
from strozzi_sim.study.score_sheets import template as empty_sheet
from strozzi_sim.study.wording import PLAY


def our_table(
    game: str | Game,
    file: str | Path = "",
    *,
    deals: int | None = None,
    variant: AnyVariant = "base",
    template: str | Path = "",
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Find the strength of play that fits the score sheets of real games, and what differs from it.

    Example: strozzi our-table strozzi sheets.csv

    Args:
        game: a game; `strozzi games` lists them
        file: score sheets (CSV): one line a game, at most 10,000, columns `seat 0`, `seat 1`, .. with the final scores
        deals: games of each strength and player count that are simulated; a fraction for agents that search; default: 5,000
        variant: the variant that was played
        template: write an empty sheet to this new file first, and read it if no other file is named
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only
    """
    the_game = names.game_named(game)
    if template:
        write_template(the_game, template)
    if not file:
        raise ArgumentError("file", f"give the score sheets{f'; fill in {template}' if template else ''}")
    sheets = as_argument_error("file", read_sheets, names.path_of("file", file), the_game)
    most = OurTable.usual_deals if deals is None else deals
    study = OurTable.of(
        game=the_game, players=tuple(sheets.scores), deals=deals, seatings="one", variants=names.variants_named(the_game, variant), seed=seed,
        lineups=[[text] for text in the_game.tiers.values()] or [[the_game.default_agent]], search_deals=the_game.search_deals(most),
        sheets={str(players): scores.tolist() for players, scores in sheets.scores.items()},
    )  # fmt: skip
    look = Look(name=f"our-table-{study.game.replace('_', '-')}", pages=("balance",))
    return run(study, folder, look=look, workers=workers, progress=progress)


def write_template(game: Game, file: str | Path) -> None:
    """Write an empty sheet into a new file."""
    path = names.path_of("template", file)
    with storage_errors(f"cannot write {path}"):
        try:
            with path.open("x", encoding="utf-8") as new:
                new.write(empty_sheet(game))
        except FileExistsError:
            raise ArgumentError("template", f"{path} exists; give a new file") from None


class OurTable(Study, frozen=True, kw_only=True, tag="our_table"):
    """Score sheets, and games of the agents of each strength.

    Attributes:
        sheets: scores of real games in seat order, by player count.
    """

    sheets: dict[str, tuple[tuple[int, ...], ...]]
    usual_deals = 5000
    keeps_rows = has_pages = True
    printed = ("fit", "figures")

    @property
    def read(self) -> Sheets:
        """The sheets as arrays."""
        found = {int(players): np.array(scores, np.int64) for players, scores in self.sheets.items()}
        return Sheets(found, (), self.the_game.sign)

    def check(self) -> None:
        """Refuse sheets of other player counts."""
        if sorted(self.read.scores) != sorted(self.players) or any(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("sheets", "expected scores of every player count, and agents that play themselves")

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts of the pages."""
        return facts_of_games(self, look)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return fit (the likelihood of every strength), figures (of the sheets, with their bands), and the tables of the games."""
        simulated: dict[str, dict[int, Array]] = {}
        for cell in map(counts, self.cells):
            rows = np.sort(np.concatenate(list(cell.read_rows())), order=("deal", "seat"))
            scores = rows["score"].astype(np.int64).reshape(-1, cell.players)
            simulated.setdefault(cell.lineup, {})[cell.players] = scores
        tiers = {tier: text for tier, text in self._tiers.items() if text in simulated}
        fits = {tier: likelihood(self.read, simulated[text]) for tier, text in tiers.items()}
        best = max(fits, key=lambda tier: fits[tier])
        weight = np.exp(np.array(list(fits.values())) - fits[best])
        fit = pd.DataFrame(
            {
                "tier": list(fits), "agent": list(tiers.values()), "log_likelihood": list(fits.values()),
                "probability": weight / weight.sum(), "n": self.read.games,
                "simulated": [sum(map(len, simulated[text].values())) for text in tiers.values()],
            }
        )  # fmt: skip
        figures = bands(self.read, simulated[tiers[best]], self.seed)
        return {"fit": fit, "figures": figures, **tables_of_games(self, counts, look)}

    @property
    def _tiers(self) -> Mapping[str, str]:
        return self.the_game.tiers or {"usual": self.the_game.default_agent}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return the strength that fits best, and which figures of the sheets lie outside the band of its games."""
        fit, figures = tables["fit"], tables["figures"]
        best = fit.loc[fit["log_likelihood"].idxmax()]
        outside = [FIGURES[row.figure] for row in figures.itertuples(index=False) if not row.inside]
        rest = (
            f"outside its band: {listed(outside)}"
            if outside
            else "all figures of the sheets lie in the band of its games"
        )
        return [
            f"{self.read.games} games of {self.the_game.title} are played most like {PLAY.get(best['tier'], best['tier'])}; {rest}.",
            f"That is how {best['agent']} plays; its probability is {100 * best['probability']:.0f} % among the {len(fit)} strengths that were played.",
        ]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the figures of the sheets beside those of the strength that fits best, then the pages of the game."""
        figures, agent = tables["figures"], tables["fit"].loc[tables["fit"]["log_likelihood"].idxmax(), "agent"]
        unit = np.where(figures["figure"] == SHARE, 100, 1)
        what = [f"{FIGURES[name]}{', %' * (name == SHARE)}" for name in figures["figure"]]
        rows = figures.assign(what=what, players=self.players[0], variant="", lineup="", deals=figures["n"])
        ours = rows.assign(figure="ours", value=unit * rows["value"], low=np.nan, high=np.nan)
        bands = {
            end: unit * rows[column]
            for end, column in (("value", "simulated"), ("low", "band_low"), ("high", "band_high"))
        }
        shown = Figure("ours", "the sheets", "amount"), Figure("simulated", f"as many games of {agent}", "amount")
        drawn = Picture(
            "fit", "", "intervals", "beside", shown, f"The sheets beside games of {agent}",
            f"Thin lines are the bands in which all figures of 19 of 20 sets of {self.read.games} games of {agent} lie.",
            x="what", series="figure", levels=tuple(what),
        )  # fmt: skip
        table = replace(
            drawn, name="fit-table", kind="table", title="The sheets in figures", series="", x_label="figure"
        )
        beside = pd.concat([ours, rows.assign(figure="simulated", **bands)], ignore_index=True)
        question = "How do the figures of the sheets fit those of simulated games?"
        pairs = zip(beside[beside["figure"] == "simulated"].itertuples(index=False), ours["value"], strict=True)
        numbers = tuple(
            KeyNumber(row, "amount", f"{row.what}, in games of {agent}; the sheets have {own:.3g}")
            for row, own in pairs
        )[:3]
        return [
            Section("Fit", question, (drawn, table), tables={"beside": beside}, numbers=numbers),
            *sections_of_games(self, tables, look),
        ]

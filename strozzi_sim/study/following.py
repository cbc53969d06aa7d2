"""Studies that follow some of their games, after all are played: playouts estimate every seat's chance of winning."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import FigureTable, pick
from strozzi_sim.facts.figures import DECISIONS
from strozzi_sim.play.drama import drama_of_lineup, follow, follow_to_half, halves_of, is_quick, quick_match
from strozzi_sim.study.cells import Cell
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import Show

FEWEST_FOLLOWED, MOST_FOLLOWED = 30, 100  # games; fewer than 30 give no interval
FOLLOWED_DECISIONS = 10_000  # of the games followed by default of one line-up
_MOST_TIMED = 4  # line-ups of which one game is followed to estimate the time of all


class Following(Study):
    """A study whose tables are completed by `drama`, the figures of games that are followed."""

    followed: int | None  # games of each line-up; 0: none; None: 30 to 100, as many as FOLLOWED_DECISIONS allow
    playouts: int  # at each followed decision

    @cached_property
    def _followed_cells(self) -> list[Cell]:
        """The cells whose games are followed: those of line-ups without an agent that searches."""
        return [cell for cell in self.cells if not any(spec.searches for spec in cell.match.lineup)]

    def _games_to_follow(self, cell: Cell, decisions: float) -> int:
        """Return how many games of a cell are followed if a game has so many decisions, NaN if that is not known."""
        decisions = np.nan_to_num(decisions, nan=np.inf)
        usual = int(np.clip(FOLLOWED_DECISIONS // decisions, FEWEST_FOLLOWED, MOST_FOLLOWED))
        games = usual if self.followed is None else self.followed
        return games if all(map(is_quick, cell.match.lineup)) else min(games, FEWEST_FOLLOWED)

    def seconds_to_follow(self, workers: int) -> float:
        """Return an estimate of the seconds that the games to follow take, from one game of a few line-ups."""
        cells = self._followed_cells if self.followed != 0 else []
        timed = cells[:: max(-(-len(cells) // _MOST_TIMED), 1)]
        seconds = 0.0
        for cell in timed:
            playing = quick_match(cell.match)
            follow(cell.match, playing, 0, 1)  # the first call may compile
            start = monotonic()
            story = follow(cell.match, playing, 0, self.playouts)
            followed = monotonic()
            follow_to_half(cell.match, playing, 0, self.playouts)
            games = self._games_to_follow(cell, story.decisions)
            halves = halves_of(cell.match, games) - games
            seconds += games * (followed - start) + halves * (monotonic() - followed)
        return seconds / max(len(timed), 1) * len(cells) / workers

    def followed_tables(self, tables: Mapping[str, Any], show: Show) -> dict[str, Any]:
        """Return drama, if games are followed, whose number depends on the lengths in the table luck."""
        return {"drama": self._drama(tables["luck"].frame(), show)} if self.followed != 0 else {}

    def _drama(self, luck_table: pd.DataFrame, show: Show) -> FigureTable:
        """Return the figures of drama of the cells whose games are followed."""
        table = FigureTable(omitted=("deals",))
        # of the longest games, so that the same number is followed in every variant
        longest = pick(luck_table, figure=DECISIONS.name).groupby("players")["value"].max()
        games = [self._games_to_follow(cell, longest[cell.players]) for cell in self._followed_cells]
        before = 0
        for cell, own_games in zip(self._followed_cells, games, strict=True):

            def tick(done: int, before: int = before) -> None:
                show("followed games", before + done, sum(games))

            tick(0)
            match = replace(cell.match, seatings="one")
            table.add_all(Cell(0, match, own_games), drama_of_lineup(match, own_games, self.playouts, tick))
            before += own_games
        return table

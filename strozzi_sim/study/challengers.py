"""Studies of challengers, each alone among copies of one agent: the first deals choose the best, the others measure it.

On the deals that choose it, luck makes the share of wins of the best one too high.
"""

from dataclasses import replace

import pandas as pd

from strozzi_sim.declare.figure_tables import FigureTable
from strozzi_sim.errors import ArgumentError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import SCORE, WIN_SHARE, Figure
from strozzi_sim.stats.intervals import ratio
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.model import Study

CHOOSING = 5  # parts of the chunks; the first part chooses a challenger
COLUMNS = ["players", "variant", "agent", "challenger", "chosen", "figure", "value", "low", "high", "n", "deals"]


class Challengers(Study):
    """A study of challengers."""

    def check(self) -> None:
        """Refuse deals that cannot both choose and measure, and line-ups of other kinds."""
        if self.chunks < 2:
            why = "must be at least 2, in 2 chunks: some choose a challenger, the others measure it"
            raise ArgumentError("deals", why)
        if any(len(lineup) == 1 or len({*lineup[1:], self.lineups[0][1]}) > 1 for lineup in self.lineups):
            raise ArgumentError("lineups", "expected one challenger each among copies of one agent")
        if self.seatings == "one":
            raise ArgumentError("seatings", "with one a challenger keeps its seat and its gain from it; give rotate")

    def challengers(self, counts: CountsOf, gained: Figure) -> pd.DataFrame:
        """Return share of wins, gain over an equal share, the figure `gained`, and score of each challenger.

        All are of the deals that do not choose; `chosen` marks the challenger that won most on those that do.
        """
        table, chosen, best_share, choosing = FigureTable("agent", "challenger"), "", -1.0, -(-self.chunks // CHOOSING)
        for cell in map(counts, self.cells):
            challenger, agent, *_ = cell.positions
            games, wins, scores = (cell.outcome[name][:, 0].sum(axis=1) for name in ("played", "wins", "scores"))
            share_of_choice = wins[:choosing].sum() / games[:choosing].sum()
            chosen, best_share = (challenger, share_of_choice) if share_of_choice > best_share else (chosen, best_share)
            games, wins, scores = (counts_by_chunk[choosing:] for counts_by_chunk in (games, wins, scores))
            measured = replace(cell, deals=cell.deals - self.deals_of(cell, choosing)[0])
            share = ratio(wins, games, unit=WIN_UNITS, n_deals=measured.deals)
            gain = share.minus(1 / cell.players)
            figures = {WIN_SHARE: share, gained: gain, SCORE: ratio(scores, games)}
            table.add_all(measured, figures, agent=agent, challenger=challenger)
        frame = table.frame()
        return frame.assign(chosen=frame["challenger"] == chosen)[COLUMNS]

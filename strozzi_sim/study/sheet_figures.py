"""The figures of games that tell how strong their players are, and how well those of score sheets fit a strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.score_sheets import Scores

STEP = 0.1  # between places on the scale of levels
FITTED = 2  # first figures of `GameFigures`, by which the strength is found
_SHRUNK = 1e-3  # of the variance, so that figures that are equal in every game have a likelihood


@dataclass(frozen=True)
class GameFigures:
    """Mean and covariance of figures over games of one player count."""

    # float64[3 + P]: mean score, distance from highest to lowest, squared distance of the mean score from that of all
    # games, and the lead of every seat over the mean score
    mean: Array
    covariance: Array
    games: int

    @classmethod
    def of(cls, scores: Array) -> GameFigures:
        """Return the figures of games with these final scores, int64[games, P]."""
        mean = scores.mean(axis=1, keepdims=True)
        squared = (mean - mean.mean()) ** 2 * (len(mean) / max(len(mean) - 1, 1))
        each = np.hstack([mean, np.ptp(scores, axis=1, keepdims=True), squared, scores - mean])
        covariance = np.cov(each, rowvar=False, ddof=min(1, len(each) - 1))  # of a single game: 0
        return cls(each.mean(axis=0), covariance, len(scores))

    def between(self, other: GameFigures, part: float) -> GameFigures:
        """Return the figures at `part` of the way to others."""
        mean = (1 - part) * self.mean + part * other.mean
        return GameFigures(mean, (1 - part) * self.covariance + part * other.covariance, self.games)

    def error_of(self, games: int) -> Array:
        """Return the covariance of the mean over so many other games less this mean."""
        return self.covariance * (1 / games + 1 / self.games)


Strength = Mapping[int, GameFigures]  # player count -> figures of games among equal players


def figures_of(scores: Scores) -> Strength:
    """Return the figures of games by player count."""
    return {players: GameFigures.of(of_count) for players, of_count in scores.items()}


def capped(sheets: Scores, simulated: Sequence[Scores]) -> Scores:
    """Return sheets on which a score beyond all simulated ones is the farthest of these: one slip decides nothing."""
    ends = {players: np.concatenate([scores[players] for scores in simulated]) for players in sheets}
    return {players: scores.clip(ends[players].min(), ends[players].max()) for players, scores in sheets.items()}


def scale_of(levels: Sequence[Strength]) -> list[Strength]:
    """Return the strengths at every STEP of a level from the first level to the last, by linear interpolation."""
    places = np.arange(round((len(levels) - 1) / STEP) + 1) * STEP
    lower = [min(int(place + STEP / 2), len(levels) - 2) for place in places]
    return [
        {players: own.between(levels[k + 1][players], place - k) for players, own in levels[k].items()}
        for k, place in zip(lower, places, strict=True)
    ]


def misfit(ours: Strength, strength: Strength) -> float:
    """Return minus twice the log likelihood of the mean figures of sheets at a strength, but for a constant."""
    total = 0.0
    for players, own in ours.items():
        error = strength[players].error_of(own.games)[:FITTED, :FITTED]
        error = error + (_SHRUNK * np.trace(error) / FITTED + 1e-9) * np.eye(FITTED)
        off = (own.mean - strength[players].mean)[:FITTED]
        total += float(off @ np.linalg.solve(error, off) + np.linalg.slogdet(error)[1])
    return total

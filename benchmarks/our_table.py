"""Measure how well score sheets distinguish strengths: sheets of players of known levels are fitted as `our-table` fits them.

    python benchmarks/our_table.py --players 4                     # all levels, 400 tables of each: some minutes
    python benchmarks/our_table.py --players 4 --mixed 2,8,2,8     # beside them, tables of unequal players

The games of a level stand for all of its games: those on the sheets and, for each table anew, those that are compared with
are drawn from them. Compared with one set of games, drawn from another, all tables of a level would share the errors of both.

A row is a level: how many tables of these equal players are said to be like no level, or mixed; how many of the
intervals that are printed for the others hold the level, and how wide they are; how often the nearest level is the true
one and the next one is excluded. Of mixed players, who keep their seats or change them, and of scores drawn at random:
how often they are said to be mixed, and to be like no level. Exit 1 if too few intervals hold.
"""

import argparse
import sys
from typing import Any

import numpy as np

import strozzi_sim as ss
from strozzi_sim.agent import load_agent
from strozzi_sim.game import find_game
from strozzi_sim.study.kinds.our_table import (
    LEAD,
    LEVEL,
    OF_LEVELS,
    bands,
    is_unlike,
    level_row,
    levels_of,
)
from strozzi_sim.study.sheet_figures import capped, figures_of, misfit, scale_of

SIMULATED, PLANTED = 0, 104  # seeds of the games of the levels, and of mixed tables and of all that is drawn
HOLDS = 0.93  # of the tables, at least


def scores(game: str, players: int, agents: list[str], deals: int, seed: int) -> Any:
    """Return final scores, int64[deals, seatings, players]."""
    seatings = "one" if len(agents) == 1 else "rotate"
    rows = ss.simulate(game, players=players, agents=agents, deals=deals, seatings=seatings, rows=True, seed=seed).games
    ordered = rows.sort_values(["deal", "seating", "seat"])["score"].to_numpy(np.int64)
    return ordered.reshape(deals, -1, players)


def said_of(fits: Any) -> str:
    """Return how often one seat is said to lead, and how often sheets are said to be like no level."""
    return f"in {fits[:, 3].mean():.1%} a seat leads, {fits[:, 4].mean():.1%} are like no level"


def drawn(games: Any, count: int, rng: np.random.Generator) -> Any:
    """Return so many games drawn from some, with replacement."""
    return games[rng.integers(len(games), size=count)]


class Scale:
    """The levels of a game's player, from simulated games at one player count."""

    def __init__(self, game: str, players: int, deals: int) -> None:
        self.players, self.levels = players, [spec.text for spec in levels_of(find_game(game))]
        self.games = [{players: scores(game, players, [text], deals, SIMULATED)[:, 0]} for text in self.levels]

    def fit(self, sheets: Any, rng: np.random.Generator) -> tuple[float, float, float, bool, bool]:
        """Return the level of sheets, the ends of its interval, whether a seat leads, and whether no level is like them."""
        ours = figures_of(capped({self.players: sheets}, self.games))
        compared = [drawn(games[self.players], len(games[self.players]), rng) for games in self.games]
        strengths = scale_of([figures_of({self.players: games}) for games in compared])
        misfits = np.array([misfit(ours, strength) for strength in strengths])
        level = level_row(LEVEL, len(sheets), misfits)
        figures = bands(ours, strengths[int(misfits.argmin())])
        leads = not figures[figures["figure"] == LEAD.name]["inside"].all()
        return level["value"], level["low"], level["high"], leads, is_unlike(figures)

    def fits(self, pool: Any, count: int, tables: int, rng: np.random.Generator) -> Any:
        """Return the fits of so many tables of `count` games drawn from a pool, float64[tables, 5]."""
        return np.array([self.fit(drawn(pool, count, rng), rng) for _ in range(tables)], float)


def main() -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="strozzi")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--deals", type=int, default=OF_LEVELS, help="games simulated of each level")
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--games", type=int, nargs="+", default=[40, 200], help="games on the sheets of a table")
    parser.add_argument(
        "--mixed", nargs="*", default=[], help="levels or agents of the players of a table, such as 2,8,2,8"
    )
    given = parser.parse_args()
    scale, rng = Scale(given.game, given.players, given.deals), np.random.default_rng(PLANTED)
    columns = ("like no level", "a seat leads", "interval holds it", "its width", "nearest", "next excluded")
    print(f"| {given.players} players, level | games | {' | '.join(columns)} |")
    print("|---|---|---|---|---|---|---|---|")
    held = {count: [] for count in given.games}
    for level, games in enumerate(scale.games):
        pool = games[given.players]
        neighbour = level + 1 if level + 1 < len(scale.levels) else level - 1
        for count in given.games:
            fits = scale.fits(pool, count, given.tables, rng)
            unlike, leads = fits[:, 4].mean(), fits[:, 3].mean()
            value, low, high = fits[fits[:, 4] == 0, :3].T
            holds, excludes = ((low <= each) & (each <= high) for each in (level, neighbour))
            held[count].append(holds.mean())
            width = np.mean(high - low)
            told = f"{np.mean(np.round(value) == level):.1%} | {1 - excludes.mean():.1%}"
            print(
                f"| {level} | {count} | {unlike:.1%} | {leads:.1%} | {holds.mean():.1%} | {width:.2f} | {told} |",
                flush=True,
            )
    for count, shares in held.items():
        print(
            f"{count} games: {np.mean(shares):.1%} of all intervals hold the level, {min(shares):.1%} of those of a level"
        )
    for text in given.mixed:
        names = [
            f"{load_agent(scale.levels[0], given.game).source}:level={each}" if each.isdecimal() else each
            for each in text.split(",")
        ]
        found = scores(given.game, given.players, names, given.deals // given.players, PLANTED)
        for how, pool in (("keep their seats", found[:, 0]), ("change seats", found.reshape(-1, given.players))):
            for count in given.games:
                print(f"{text}, players {how}, {count} games: {said_of(scale.fits(pool, count, given.tables, rng))}")
    usual = scale.games[-1][given.players]
    for part in (0.5, 0.8, 1.25, 2):
        for count in given.games:
            noise = rng.normal(usual.mean(), part * usual.std(), (given.tables * count, given.players))
            found = scale.fits(np.rint(noise).astype(np.int64), count, given.tables, rng)
            print(f"noise of {part} times the spread, {count} games: {said_of(found)}")
    return int(min(map(np.mean, held.values())) < HOLDS)


if __name__ == "__main__":
    sys.exit(main())

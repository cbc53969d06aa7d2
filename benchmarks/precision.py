"""Whether `--precision` holds: 500 studies each of a fair and an unfair game, the deals they take, and how often they cover the truth.

The deals of each study are drawn, with replacement, from deals that were played; so the truth is the share of wins in all of those.

    python benchmarks/precision.py [--studies 500] [--points 1 3] [--deals 100000]
"""

import argparse

import numpy as np

import strozzi_sim as ss
from strozzi_sim.agent import find_agent
from strozzi_sim.game import find_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.precision import FIRST_LOOK, most_deals, share_interval

GAMES = (("strozzi", 4, "random", "fair"), ("strozzi", 4, "heuristic", "unfair"), ("strasbourg", 3, "random", "unfair"))


def shares_by_deal(name: str, players: int, agent: str, deals: int) -> np.ndarray:
    """Return every seat's share of the win of each deal in self-play, float64[deals, players]."""
    game = find_game(name)
    match = Match(game, players, (find_agent(agent, game),), resolve_variant(game, "base"), 1, "one")
    rows = match.play(0, deals, rows=True).rows
    place = np.zeros((deals, players))
    place[rows["deal"], rows["seat"]] = rows["twice_place"]
    won = place == place.min(axis=1, keepdims=True)
    return won / won.sum(axis=1, keepdims=True)


def study(pool: np.ndarray, points: float, rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """Return the deals that a study plays, and whether each seat's interval covers the truth."""
    played = ss.Study.of(game="strozzi", lineups=[["random"]], precision=points)
    chunks, size, truth = played.chunks, played.chunk_deals, pool.mean(axis=0)
    wins = np.zeros(pool.shape[1])
    for chunk in range(1, chunks + 1):
        wins += pool[rng.integers(len(pool), size=size)].sum(axis=0)
        if chunk < FIRST_LOOK:
            continue
        low, high = share_interval(wins / (chunk * size), chunk * size, points / 100)
        if (high - low <= points / 50).all():
            break
    return chunk * size, (low <= truth) & (truth <= high)


def main() -> None:
    """Print a line for each game and precision."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--points", type=float, nargs="+", default=[1.0, 3.0])
    parser.add_argument("--deals", type=int, default=100_000)
    given = parser.parse_args()
    print(f"{'game':22} {'points':>6} {'deals':>8} {'at most':>8} {'one look':>8} {'covers':>8} {'all seats':>9}")
    for name, players, agent, kind in GAMES:
        pool = shares_by_deal(name, players, agent, given.deals)
        for points in given.points:
            rng = np.random.default_rng(7)
            found = [study(pool, points, rng) for _ in range(given.studies)]
            deals, covered = np.mean([each[0] for each in found]), np.array([each[1] for each in found])
            once = 1.96**2 * pool.var(axis=0).max() / (points / 100) ** 2
            print(
                f"{f'{name} {agent} ({kind})':22} {points:6g} {deals:8,.0f} {most_deals(points / 100, paired=False):8,} "
                f"{once:8,.0f} {covered.mean():8.3f} {covered.all(axis=1).mean():9.3f}"
            )


if __name__ == "__main__":
    main()

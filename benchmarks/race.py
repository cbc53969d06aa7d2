"""What a race among 200 values costs, and how often it finds the best one.

A sweep of 20 x 10 values of a published game, in which the best value is known from many games of all values, and figures from as
many other games. Every race has a seed of its own. `ratio` is the games of the whole race over those of one value at the final precision.

- found: the winner is the best value, or its true figure is worse by less than the precision.
- missed: the best value was called significantly worse; its rate should be at most 5 %.

    python benchmarks/race.py [--races 20] [--points 2] [--figure seat_gap] [--agent heuristic] [--truth 5000]
"""

import argparse
from time import perf_counter
from typing import Any

import numpy as np

import strozzi_sim as ss
from strozzi_sim.studies.candidates import candidates
from strozzi_sim.studies.lookup import worker_count
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.race import WORSE
from strozzi_sim.studies.run import run_in_memory
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.sweep import part_of

SWEEP = {"tracks.bonus.8": list(range(0, 40, 2)), "tracks.bonus.9": list(range(0, 60, 6))}


def study(seed: int, deals: int, agent: str) -> ss.Study:
    """Return the sweep at 4 players."""
    plan = {"name": "race", "game": "strozzi", "players": [4], "lineups": [[agent]], "report": {"pages": []}}
    return ss.Study(**plan, seed=seed, deals=deals, sweep=SWEEP)


def truth(figure: str, deals: int, agent: str, seed: int) -> dict[str, float]:
    """Return the figure of every value, by variant, from many games of all values on common deals."""
    plan = part_of(study(seed, deals, agent).plan, deals, 40, figure)
    found: dict[str, float] = {}

    def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
        found.update({each.name: each.value for each in candidates(cut, store, figure)})
        return {}

    run_in_memory(plan, workers=worker_count(None), tables=read)
    return found


def real_races(given: argparse.Namespace) -> None:
    """Print what races of a published game cost and find."""
    began = perf_counter()
    chosen, known = (truth(given.figure, given.truth, given.agent, seed) for seed in (10_000, 10_001))
    best = min(
        chosen, key=lambda name: chosen[name]
    )  # its figure in other games is free of the luck by which it is the best
    print(
        f"{len(known)} values, {given.figure}: {min(known.values()):.4f} to {max(known.values()):.4f}, {perf_counter() - began:.0f} s"
    )
    print(f"{'seed':>4} {'games':>8} {'one':>7} {'ratio':>6} {'s':>6} {'winner less best':>16}  status of the best")
    ratios, found, missed = [], [], []
    for seed in range(1, given.races + 1):
        began = perf_counter()
        results = ss.sweep(study(seed, 1_000_000, given.agent), given.figure, precision=given.points)
        table, spent = results.tables["best"], perf_counter() - began
        winner, own = table.iloc[0], table.set_index("variant").loc[best]
        ratios.append(results.n_games / winner["deals"])
        less = known[winner["variant"]] - known[best]
        found.append(less < given.points / 100)
        missed.append(own["status"] == WORSE)
        print(
            f"{seed:4} {results.n_games:8,} {winner['deals']:7,} {ratios[-1]:6.2f} {spent:6.1f} {less:16.4f}  {own['status']}"
        )
    print(
        f"ratio: mean {np.mean(ratios):.2f}, most {max(ratios):.2f}; found {sum(found)}, missed {sum(missed)} of {given.races}"
    )


def main() -> None:
    """Print a line for each race."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races", type=int, default=20)
    parser.add_argument("--points", type=float, default=2.0)
    parser.add_argument("--figure", default="seat_gap")
    parser.add_argument("--agent", default="heuristic")
    parser.add_argument("--truth", type=int, default=5_000)
    real_races(parser.parse_args())


if __name__ == "__main__":
    main()

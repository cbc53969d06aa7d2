"""Steps per second of VectorEnv with trivial policies in NumPy, beside the compiled self-play loop in the same run.

A step is one decision of the caller in one game; observations, masks, rewards and the policy's own work are all counted. Policies:
`first` takes the first legal action (`masks.argmax`), `random` a random one by `info.words` and the masks in NumPy alone,
`sampled` a random one by `random_actions`. The loop plays the agent `random`, without arrays. All sides play in turn on one
thread; times are processor seconds of this thread, wall seconds are told beside them.

    python benchmarks/vector.py            # both games, half a minute
    python benchmarks/vector.py --json
"""

import argparse
import json
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.game import game_names, load_game
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.vector import Step, VectorEnv

SEED = 2008
LOOP = 400_000  # decisions of the self-play loop in a turn, about
STEPS = 40  # calls of `step` in a turn


def first(env: VectorEnv, shown: Step) -> Any:
    return shown.masks.argmax(axis=1)


def random(env: VectorEnv, shown: Step) -> Any:
    k = ((shown.info.random_bits >> np.uint64(32)) * shown.info.num_legal.astype(np.uint64)) >> np.uint64(32)
    legal = np.flatnonzero(shown.masks)
    begins = np.cumsum(shown.info.num_legal) - shown.info.num_legal
    return legal[begins + k.astype(np.int64)] % env.num_actions


def sampled(env: VectorEnv, shown: Step) -> Any:
    return env.random_actions()


POLICIES: dict[str, Callable[[VectorEnv, Step], Any]] = {"first": first, "random": random, "sampled": sampled}


def timed(action: Callable[[], int]) -> tuple[float, float]:
    """(per processor second, per wall second) of what the action counts."""
    wall, cpu = perf_counter(), thread_time()
    count = action()
    return count / (thread_time() - cpu), count / (perf_counter() - wall)


def measure(name: str, players: int, n: int, turns: int) -> dict[str, Any]:
    """All sides in turn, `turns` times."""
    game = load_game(name)
    envs = {policy: VectorEnv(game, players, n) for policy in POLICIES}
    shown = {policy: env.reset(SEED) for policy, env in envs.items()}
    match = Match(game, players, (load_agent("random"),), envs["first"].variant, SEED)
    match.warm()
    deals = max(1, LOOP // int(match.play(0, 100).outcome["decisions"][0] / 100))

    def stepped(policy: str) -> int:
        for _ in range(STEPS):
            shown[policy] = envs[policy].step(POLICIES[policy](envs[policy], shown[policy]))
        return STEPS * n

    sides: dict[str, Callable[[], int]] = {
        **{policy: lambda policy=policy: stepped(policy) for policy in POLICIES},  # type: ignore[misc]
        "loop": lambda: int(match.play(0, deals).outcome["decisions"][0]),
    }
    for _ in range(2):
        rates: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}  # the first round warms up
        for _ in range(turns):
            for side, action in sides.items():
                rates[side].append(timed(action))
    ratios = {
        side: [one[0] / loop[0] for one, loop in zip(rates[side], rates["loop"], strict=True)] for side in POLICIES
    }
    return {
        "game": name,
        "players": players,
        "games_at_once": n,
        "turns": turns,
        "steps_per_s": {side: spread([cpu for cpu, _ in each]) for side, each in rates.items()},
        "steps_per_wall_s": {side: spread([wall for _, wall in each]) for side, each in rates.items()},
        "ratio_to_loop": {side: spread(each) for side, each in ratios.items()},
    }


def spread(values: list[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    return {"median": median(values), "low": min(values), "high": max(values)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure steps per second of VectorEnv.")
    parser.add_argument("--games", type=int, default=4096, help="games at once (default: 4096)")
    parser.add_argument("--turns", type=int, default=9, help="of every side (default: 9)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    rows = [
        measure(name, players, given.games, given.turns)
        for name in game_names()
        for players in load_game(name).player_counts
    ]
    if given.json:
        print(json.dumps(rows, indent=1))
        return 0
    print(
        f"million steps/s, {given.games:,} games at once, one thread: processor seconds (low-high; wall), ratio to the loop"
    )
    for row in rows:
        print(f"{row['game']}, {row['players']} players")
        for side, rate in row["steps_per_s"].items():
            wall = row["steps_per_wall_s"][side]["median"]
            ratio = f"  {row['ratio_to_loop'][side]['median']:.3f}" if side in POLICIES else ""
            print(
                f"  {side:<8}{rate['median'] / 1e6:>7.2f} ({rate['low'] / 1e6:.2f}-{rate['high'] / 1e6:.2f}; {wall / 1e6:.2f}){ratio}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tune the default weights of Strasbourg's `heuristic` by the cross-entropy method against a pool (Rubinstein 1999).

All candidates of a generation play the same deals, in all rotations, against the same line-ups: the weights of the moment, past
selves, styles, `random`. The centre of the best fifth becomes the weights of the moment only if it does better than those on further
deals. What is reported was played on deals that no generation has seen.

    python benchmarks/tuning/tune_strasbourg.py --minutes 20 --threads 2
"""

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from strozzi_sim.agent import AgentSpec, Param, load_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import BASE, resolve_variant
from strozzi_sim.simulation.match import Match

FOUND = Path(__file__).with_name("found_strasbourg.json")
TRAINING_SEED, HELD_OUT_SEED = 1, 2
STYLES = ("councillor", "hoarder", "merchant", "spender", "tasker")
POPULATION, ELITE = 30, 6
DEALS, CHECK_DEALS = 12, 150  # of each line-up: for a candidate, and for the centre against the weights before
MARGIN = 60.0  # points ahead of the others that count as much as winning always
KEPT = 0.4  # of the old centre and spread
LOWEST_SPREAD = 0.1  # of the first one

Weights = dict[str, float]
Lineup = tuple[AgentSpec, ...]

game = load_game("strasbourg")
variant = resolve_variant(game, BASE)
PARAMS = {key: param for key, param in load_agent("heuristic", game).agent.params.items() if isinstance(param, Param)}
NAMES = [key for key in PARAMS if key != "keep_blindly"]
LOW, HIGH = (np.array([float(getattr(PARAMS[key], end)) for key in NAMES]) for end in ("low", "high"))


def candidate(weights: np.ndarray[Any, Any]) -> AgentSpec:
    """`heuristic` with these weights."""
    text = ",".join(f"{key}={weight:.4g}" for key, weight in zip(NAMES, weights, strict=True))
    return load_agent(f"heuristic:{text}", game)


def play(first: AgentSpec, others: Lineup, deals: range, seed: int) -> tuple[float, float]:
    """(win share, points ahead of the mean of the others) of `first`, in all rotations."""
    players = len(others) + 1
    played = Match(game, players, (first, *others), variant, seed, "rotate").play(deals.start, deals.stop)
    outcome = played.outcome[0]
    scores = outcome["scores"].sum(axis=1) / played.games
    share = float(outcome["wins"][0].sum()) / WIN_UNITS / played.games
    return share, float(scores[0] - scores[1:players].mean())


def draw_lineups(now: AgentSpec, past: list[AgentSpec], rng: random.Random) -> list[Lineup]:
    """Opponents: for each player count the weights of the moment, past selves, and a mixture with styles; one of `random`."""
    styles = [load_agent(name, game) for name in STYLES]
    lineups: list[Lineup] = [(load_agent("random", game),) * 3]
    for players in game.player_counts:
        lineups.append((now,) * (players - 1))
        lineups.append(tuple(rng.choice([*past, *styles, now]) for _ in range(players - 1)))
    lineups.append((now,) * 3)
    lineups.append(tuple(rng.choice([*past, now]) for _ in range(3)))
    return lineups


def fitness(spec: AgentSpec, lineups: list[Lineup], deals: range) -> float:
    """Mean of win share, plus points ahead over `MARGIN`."""
    return float(
        np.mean([share + ahead / MARGIN for share, ahead in (play(spec, o, deals, TRAINING_SEED) for o in lineups)])
    )


def tune(minutes: float, width: float, threads: int) -> tuple[np.ndarray[Any, Any], list[dict[str, Any]]]:
    """(best weights, one row a generation)."""
    end = time.monotonic() + 60 * minutes
    best = np.array([float(PARAMS[key].default) for key in NAMES])
    widest = width * np.maximum(0.35 * np.abs(best), 0.04 * np.minimum(HIGH - LOW, 10.0))
    centre, spread = best.copy(), widest.copy()
    generator, chooser = np.random.default_rng(1), random.Random(1)
    past, rows, first = [candidate(best)], [], 0
    workers = Parallel(threads, backend="threading")  # the loop is compiled, and free of the interpreter's lock
    fitness(past[0], [(past[0],) * 2], range(1))  # compiles
    while time.monotonic() < end:
        now = candidate(best)
        lineups = draw_lineups(now, past, chooser)
        deals = range(first, first + DEALS)
        half = generator.standard_normal((POPULATION // 2, len(NAMES)))
        points = np.clip(centre + spread * np.concatenate([half, -half]), LOW, HIGH)
        values = np.array(workers(delayed(fitness)(candidate(point), lineups, deals) for point in points))
        elite = points[np.argsort(-values)[:ELITE]]
        centre = KEPT * centre + (1 - KEPT) * elite.mean(axis=0)
        spread = np.maximum(KEPT * spread + (1 - KEPT) * elite.std(axis=0), LOWEST_SPREAD * widest)
        further = range(first + DEALS, first + DEALS + CHECK_DEALS)
        first += DEALS + CHECK_DEALS
        before, after = workers(delayed(fitness)(spec, lineups, further) for spec in (now, candidate(centre)))
        if after > before:
            best = np.clip(centre, LOW, HIGH)
            past = [*past, now][-6:]
        row = {
            "generation": len(rows), "values": [round(float(v), 4) for v in (values.mean(), values.max())],
            "before": round(before, 4), "after": round(after, 4),
        }  # fmt: skip
        rows.append(row)
        print(row, flush=True)
        if len(rows) % 5 == 0:
            print({key: round(float(w), 3) for key, w in zip(NAMES, best, strict=True)}, flush=True)
    return best, rows


def strengths(weights: np.ndarray[Any, Any], deals: int) -> list[dict[str, Any]]:
    """Win share of one seat against equal others on held-out deals, for every player count and opponent."""
    spec = candidate(weights)
    rows = []
    for players in game.player_counts:
        for name in ("random", "heuristic", *STYLES):
            share, ahead = play(spec, (load_agent(name, game),) * (players - 1), range(deals), HELD_OUT_SEED)
            rows.append(
                {
                    "players": players,
                    "opponent": name,
                    "share": round(share, 4),
                    "ahead": round(ahead, 2),
                    "n": deals * players,
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=20.0, help="time for tuning; the report takes a minute more")
    parser.add_argument("--width", type=float, default=1.0, help="how widely to look, 1 = a third of a weight")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOUND)
    arguments = parser.parse_args()
    weights, rows = tune(arguments.minutes, arguments.width, arguments.threads)
    found: Weights = {key: float(f"{weight:.3g}") for key, weight in zip(NAMES, weights, strict=True)}
    result = {
        "weights": found, "start": {key: PARAMS[key].default for key in NAMES},
        "held_out": strengths(weights, 500), "generations": rows,
        "settings": {
            "minutes": arguments.minutes, "width": arguments.width, "population": POPULATION, "elite": ELITE, "deals": DEALS,
            "check_deals": CHECK_DEALS, "margin": MARGIN, "training_seed": TRAINING_SEED, "held_out_seed": HELD_OUT_SEED,
        },
    }  # fmt: skip
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(found))
    for row in result["held_out"]:
        print(row)


if __name__ == "__main__":
    main()

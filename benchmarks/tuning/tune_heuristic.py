"""Tune the default weights of `heuristic` against a pool of other agents and its own earlier weights.

Weights are tuned block by block with optuna's TPE sampler: within a stage every trial plays the same deals against the
same line-ups, so trials are compared pairwise; each stage has new deals and draws its line-ups again. A block's best
trials meet the weights before it on further deals and replace them only if they are better there. Every few stages the
weights of the moment join the pool for good. What is reported was played on deals that no stage has seen.

    python benchmarks/tuning/tune_heuristic.py --minutes 25
"""

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import BASE, resolve_variant
from strozzi_sim.simulation.match import Match, MatchResult

FOUND = Path(__file__).with_name("found.json")
TRAINING_SEED, HELD_OUT_SEED = 1, 2
STYLES = ("eager", "florence", "picky", "pirate-early", "pirate-late", "promoter", "racer", "trader")
POOL = ("random", "greedy", *STYLES)
DEALS = 16  # a trial's deals for each line-up, each in all rotations
FINALISTS, FINAL_DEALS = 3, 96  # a block's best trials, and the deals on which they meet the weights before
FIRST_TRIALS = 12  # of a block, before its sampler models anything
MARGIN = 150.0  # coins ahead of the others that count as much as winning always
WASTE = 0.05  # share of wins given up for one unused flag less a player and game, among equals

# Half the width of the range in which a stage looks for a weight, by block.
BLOCKS: dict[str, dict[str, float]] = {
    "worth": {
        "speed": 0.3, "ware": 0.3, "scroll": 0.4, "promotion": 0.3, "bonus": 0.4, "deny": 0.2, "deny_ship": 0.15,
    },
    "ranks": {
        "rival_speed": 0.3, "plus_share": 0.3, "now_spread": 1.0, "berth_spread": 1.0, "berth_drift": 0.7,
        "florence_spread": 0.5, "florence_drift": 0.4, "florence_lead": 0.2,
    },
    "later": {
        "later_spread": 2.0, "later": 0.3, "ware_climb": 0.8, "scroll_climb": 0.8, "tile_spread": 1.0, "none_yet": 0.3,
    },
    "reference": {"ref_sail": 1.0, "ref_faster": 0.2, "ref_ware": 0.6, "ref_scroll": 0.5, "ref_tile": 0.15},
    "patience": {
        "patience": 0.15, "patience_scarce": 0.2, "patience_plenty": 0.3, "patience_players": 0.05, "patience_own": 0.1,
        "patience_last": 0.15,
    },
    "flags": {
        "keep_pirate": 0.3, "keep_pirate_early": 0.3, "keep_plus_one": 0.15, "keep_ware": 0.15, "piracy": 0.2,
        "risk": 0.15, "risk_more": 0.5,
    },
}  # fmt: skip

Weights = dict[str, float]
Lineup = tuple[AgentSpec, ...]

game = load_game("strozzi")
variant = resolve_variant(game, BASE)
PARAMS = load_agent("heuristic").agent.params


def candidate(weights: Weights) -> AgentSpec:
    """`heuristic` with these weights."""
    return load_agent("heuristic:" + ",".join(f"{key}={weight!r}" for key, weight in sorted(weights.items())))


def play(first: AgentSpec, others: Lineup, deals: range, seed: int) -> tuple[float, float]:
    """(win share, coins ahead of the mean of the others) of `first`, in all rotations."""
    players = len(others) + 1
    match = Match(game, players, (first, *others), variant, seed, "rotate")
    played = match.play(deals.start, deals.stop)
    outcome = played.outcome[0]
    scores = outcome["scores"].sum(axis=1) / played.games
    share = float(outcome["wins"][0].sum()) / WIN_UNITS / played.games
    return share, float(scores[0] - scores[1:players].mean())


def draw_lineups(past: list[AgentSpec], rng: random.Random) -> list[tuple[float, Lineup]]:
    """Opponents with their weights: for each player count all greedy, all random, styles, past selves, and mixtures."""
    styles = [load_agent(name) for name in STYLES]
    greedy, uniform = load_agent("greedy"), load_agent("random")
    lineups: list[tuple[float, Lineup]] = []
    for players in game.player_counts:
        seats = players - 1
        lineups.append((0.5, (greedy,) * seats))
        lineups.append((0.3, (uniform,) * seats))
        for sources in (styles, past, past, past + styles, [*past, *styles, greedy, uniform]):
            lineups.append((1.0, tuple(rng.choice(sources) for _ in range(seats))))
    return lineups


def self_play_of(spec: AgentSpec, players: int, seed: int, deals: range) -> tuple[MatchResult, dict[str, float]]:
    """Games of equal seats, and what happens in a game on average."""
    match = Match(game, players, (spec,), variant, seed)
    crosstabs = (
        Crosstab("game", (), ("margin", "set_aside")),
        Crosstab("card", (), ("taken_over",)),
        Crosstab("round", (), ("unused",)),
    )
    plan = match.plan(crosstabs)
    played = match.play(deals.start, deals.stop, plan=plan)
    of_game, cards, rounds = (plan.read(crosstab, played.counts[None])[0] / played.games for crosstab in crosstabs)
    per_game = {"unused_flags": rounds[1], "margin": of_game[1], "set_aside": of_game[2], "pirated": cards[1]}
    return played, {name: float(value) for name, value in per_game.items()}


def fitness(weights: Weights, lineups: list[tuple[float, Lineup]], deals: range) -> float:
    """Weighted mean of win share, plus coins ahead over `MARGIN`, less unused flags among equals times `WASTE`."""
    spec = candidate(weights)
    total = 0.0
    for weight, others in lineups:
        share, ahead = play(spec, others, deals, TRAINING_SEED)
        total += weight * (share + ahead / MARGIN)
    unused = 0.0
    for players in game.player_counts:
        unused += self_play_of(spec, players, TRAINING_SEED, deals)[1]["unused_flags"] / players
    return total / sum(weight for weight, _ in lineups) - WASTE * unused / len(game.player_counts)


def stage(
    before: Weights, block: str, past: list[AgentSpec], number: int, deadline: float, narrow: float
) -> tuple[Weights, dict[str, Any]]:
    """The better of the weights before and the block's best trials, and what happened."""
    rng = random.Random(number)
    lineups = draw_lineups(past, rng)
    first = number * (DEALS + FINAL_DEALS)
    deals, final_deals = range(first, first + DEALS), range(first + DEALS, first + DEALS + FINAL_DEALS)

    def objective(trial: optuna.Trial) -> float:
        weights = dict(before)
        for key, width in BLOCKS[block].items():
            low = max(PARAMS[key].low, before[key] - narrow * width)
            high = min(PARAMS[key].high, before[key] + narrow * width)
            weights[key] = trial.suggest_float(key, low, high)
        return fitness(weights, lineups, deals)

    sampler = optuna.samplers.TPESampler(seed=number, multivariate=True, n_startup_trials=FIRST_TRIALS)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial({key: before[key] for key in BLOCKS[block]})
    study.optimize(objective, timeout=max(1.0, deadline - time.monotonic()))
    trials = sorted(study.trials, key=lambda trial: -(trial.value or -1e9))[: 3 * FINALISTS]
    mean = {key: float(np.mean([trial.params[key] for trial in trials])) for key in BLOCKS[block]}
    finalists = [before, {**before, **mean}]
    finalists += [{**before, **trial.params} for trial in trials[:FINALISTS] if trial.number > 0]
    fits = [fitness(weights, lineups, final_deals) for weights in finalists]
    best = int(np.argmax(fits))
    row = {
        "stage": number, "block": block, "trials": len(study.trials), "before": round(fits[0], 4),
        "after": round(fits[best], 4), "replaced": best > 0,
    }  # fmt: skip
    return finalists[best], row


def rounded(weights: Weights) -> Weights:
    """Weights with three digits after the point."""
    return {key: round(weight, 3) for key, weight in weights.items()}


def earlier_selves() -> list[Weights]:
    """The past selves of the run before, as far as its weights still have the same names."""
    if not FOUND.is_file():
        return []
    selves = json.loads(FOUND.read_text())["past_selves"]
    return [weights for weights in selves if weights.keys() == PARAMS.keys()]


def tune(minutes: float) -> tuple[Weights, list[Weights], list[dict[str, Any]]]:
    """(best weights, the past selves in the pool, one row a stage)."""
    start = time.monotonic()
    end = start + 60 * minutes
    best: Weights = {key: float(param.default) for key, param in PARAMS.items()}
    past_weights = [*earlier_selves(), dict(best)]
    rows: list[dict[str, Any]] = []
    number = 0
    length = max(10.0, 60 * minutes / (5 * len(BLOCKS)))  # seconds of a stage: each block about five times
    while time.monotonic() < end - 0.5 * length:
        cycle, position = divmod(number, len(BLOCKS))
        block = list(BLOCKS)[position]
        past = [candidate(weights) for weights in past_weights]
        deadline = min(end, start + (number + 0.8) * length)
        best, row = stage(best, block, past, number, deadline, narrow=max(0.4, 1.0 - 0.15 * cycle))
        best = rounded(best)
        rows.append(row)
        changed = {key: best[key] for key in BLOCKS[block]}
        print(f"{time.monotonic() - start:6.0f} s", row, changed, flush=True)
        number += 1
        if number % len(BLOCKS) == 0:
            past_weights.append(dict(best))
    return best, past_weights, rows


def strengths(weights: Weights, start: Weights, seed: int, games: int) -> list[dict[str, Any]]:
    """Win share of one seat against equal others, for every player count and opponent.

    The 95 % intervals are those of the mean over deals: the rotations of a deal are not independent games.
    """
    spec = candidate(weights)
    rows = []
    for players in game.player_counts:
        for name in (*POOL, "weights before tuning"):
            other = candidate(start) if name not in POOL else load_agent(name)
            lineup = (spec, *(other,) * (players - 1))
            played = Match(game, players, lineup, variant, seed, "rotate").play(0, games // players + 1, rows=True)
            own = played.rows[played.rows["position"] == 0]
            others = played.rows[played.rows["position"] != 0]
            shares = (own["twice_place"] == 2).reshape(-1, players).mean(axis=1)  # of each deal
            share, half = float(shares.mean()), 1.96 * float(shares.std(ddof=1)) / len(shares) ** 0.5
            rows.append({
                "players": players, "opponent": name, "share": round(share, 4),
                "interval": [round(share - half, 4), round(share + half, 4)], "fair": round(1 / players, 4),
                "coins_ahead": round(float(own["score"].mean() - others["score"].mean()), 2), "n": played.games,
            })  # fmt: skip
    return rows


def self_play(weights: Weights, seed: int, first: int, games: int) -> list[dict[str, Any]]:
    """Unused flags, set-aside ships and more of four equal seats, per game."""
    spec = candidate(weights)
    rows = []
    for players in game.player_counts:
        played, per_game = self_play_of(spec, players, seed, range(first, first + games))
        rows.append({
            "players": players, "n": played.games,
            **{name: round(per_game[name], 3) for name in ("unused_flags", "set_aside", "pirated")},
            "score": round(float(played.outcome["scores"].sum()) / played.games / players, 2),
            "margin": round(per_game["margin"], 2),
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=25.0, help="time for tuning; the report takes minutes more")
    parser.add_argument("--games", type=int, default=6000, help="games of a row of the report")
    parser.add_argument("--out", type=Path, default=FOUND)
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    start = {key: float(param.default) for key, param in PARAMS.items()}
    best, past, rows = tune(arguments.minutes)
    games = arguments.games
    result = {
        "weights": best,
        "start": start,
        "held_out": strengths(best, start, HELD_OUT_SEED, games),
        "training": strengths(best, start, TRAINING_SEED, games),
        "self_play": self_play(best, HELD_OUT_SEED, 1_000_000, games),
        "self_play_start": self_play(start, HELD_OUT_SEED, 1_000_000, games),
        "past_selves": past,
        "stages": rows,
        "settings": {
            "minutes": arguments.minutes, "games": games, "pool": POOL, "margin": MARGIN, "waste": WASTE,
            "training_seed": TRAINING_SEED, "held_out_seed": HELD_OUT_SEED,
            "deals": DEALS, "final_deals": FINAL_DEALS, "finalists": FINALISTS,
            "sampler": "optuna TPESampler, multivariate", "optuna": optuna.__version__, "blocks": BLOCKS,
        },
    }  # fmt: skip
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    for row in result["held_out"]:
        print(row)
    for row in result["self_play"]:
        print(row)


if __name__ == "__main__":
    main()

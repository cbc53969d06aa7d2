"""Fit the weights of `fair-price` (Medici vs Strozzi) to what positions turn out to be worth.

Policy iteration: two agents with the weights of the moment play games; at many placements the position is played on to
the end of the round by the same agents, again and again; the weights are then fitted by least squares to the mean
margins, and the next iteration plays with the new ones. A position is worth what the two make of it, so a fit to games of
other players does not help: the weights that fit best lose. The last weights are measured against those at the start and
against fixed prices, on deals that no fit has seen.

    python benchmarks/tuning/fit_fair_price.py --iterations 4
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numba import int64
from scipy.optimize import least_squares

from strozzi_agents.medici_vs_strozzi import appraiser
from strozzi_sim.agent import AgentSpec, Param, load_agent
from strozzi_sim.agent.compile import CompiledAgent, compile_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import BASE, resolve_variant
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi import worth
from strozzi_sim.games.medici_vs_strozzi.core import load, round_ends
from strozzi_sim.kernel.jit import jit
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

FOUND = Path(__file__).with_name("found_fair_price.json")
SEED, HELD_OUT_SEED = 77, 2
ASKED, ASTRAY = 0.35, 0.1  # share of placements looked at; of those played at random, to see more positions
NOISE = 20.0  # variance that no fit can explain, in coins squared
HELD_OUT_DEALS = 2_000

Weights = dict[str, float]
game = load_game("medici_vs_strozzi")
variant = resolve_variant(game, BASE)
PARAMS = {key: value for key, value in worth.DEFAULT._asdict().items() if key not in ("looks", "later")}


@jit
def play_on(states, rules, params, memory, stream, after):
    """At a placement: (Medici's mean margin to come, its variance, 1 if the round ends); `after` is the position."""
    state, tables, known = states[0], rules[0], memory[0]
    worth.fill_round(state, tables, params[0], known.now)
    seat = int64(state.actor)
    action, _ = worth.best_placement(state, tables, params[0], known.now, seat)
    mean = appraiser.play_on(state, tables, params[0], known, seat, action, stream, int64(2))
    mean = mean if seat == s.MEDICI else -mean
    spread = 0.0
    for k in range(params[0].playouts):
        spread += (known.sample[2, k] - mean) ** 2
    if action != s.DISCARD:
        load(after[0], tables, seat, (action - s.LOAD) // s.MAX_HARBORS, (action - s.LOAD) % s.MAX_HARBORS)
    cash = int64(state.cash[s.MEDICI]) - int64(state.cash[s.STROZZI])
    return mean - cash, spread / params[0].playouts ** 2, round_ends(after[0], tables, seat)


@jit
def estimate(states, rules, params, memory, over, out):
    """What `worth.margin` says of each position; they come round by round."""
    last = int64(-1)
    for k in range(len(states)):
        state = states[k]
        if int64(state.round) != last:
            last = int64(state.round)
            memory[0].filled = 0
            worth.fill_round(state, rules[0], params[0], memory[0])
        out[k] = worth.margin(state, rules[0], params[0], memory[0], int64(state.actor), over[k])


def spec_of(name: str, weights: Weights, **more: float) -> AgentSpec:
    """An agent with these weights."""
    return load_agent(f"{name}:" + ",".join(f"{key}={value!r}" for key, value in sorted({**weights, **more}.items())))


def collect(weights: Weights, deals: range, playouts: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(positions, [margin, variance, over]) from games of two agents with these weights."""
    compiled: CompiledAgent = compile_agent(spec_of("appraiser", weights, playouts=playouts, lots=s.MAX_TILES), game)
    fair, rng = spec_of("fair-price", weights), np.random.default_rng(deals.start)
    positions, worths = [], []
    for deal in deals:
        table = Position(game, 2, seed=SEED, deal=deal, variant=variant)
        while not table.over:
            if table.state["phase"][0] == s.PLACE and rng.random() < ASKED:
                after, memory = table.state.copy(), np.zeros(1, compiled.memory)
                stream = np.uint64(rng.integers(1 << 62))
                worths.append(play_on(table.state, variant.rules, compiled.params, memory, stream, after))
                positions.append(after)
            astray = table.state["phase"][0] == s.PLACE and rng.random() < ASTRAY
            table.play(int(rng.choice(table.legal)) if astray else table.ask(fair))
    states, values = np.concatenate(positions), np.array(worths, float)
    order = np.argsort(states["round"], kind="stable")
    return states[order], values[order]


def fit(weights: Weights, states: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> tuple[Weights, float, float]:
    """The weights that fit best, and the standard deviation of what is left, before and after."""
    params = compile_agent(spec_of("fair-price", weights), game).params.copy()
    memory, out, over = np.zeros(1, worth.MEMORY), np.zeros(len(states)), values[:, 2] > 0
    scale = 1.0 / np.sqrt(values[:, 1] + NOISE)

    def left(point: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        for key, value in zip(weights, point, strict=True):
            params[key] = value
        estimate(states, variant.rules, params, memory, over, out)
        return out - values[:, 0]

    declared = load_agent("fair-price").agent.params
    bounds = [(param.low, param.high) for key in weights if isinstance(param := declared[key], Param)]
    start = np.array(list(weights.values()))
    before = float(left(start).std())
    result = least_squares(
        lambda point: left(point) * scale, start, bounds=tuple(zip(*bounds, strict=True)), x_scale=start, diff_step=1e-3
    )
    return dict(zip(weights, result.x.tolist(), strict=True)), before, float(left(result.x).std())


def play(one: AgentSpec, other: AgentSpec) -> tuple[float, float]:
    """(win share, mean margin) of `one` on both sides of the held-out deals."""
    played = Match(game, 2, (one, other), variant, HELD_OUT_SEED, "rotate").play(0, HELD_OUT_DEALS)
    outcome = played.outcome[0]
    scores = outcome["scores"].sum(axis=1) / played.games
    return float(outcome["wins"][0].sum()) / WIN_UNITS / played.games, float(scores[0] - scores[1])


def main() -> None:
    """Iterate, then say what was found and write it beside this file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--iterations", type=int, default=4)
    parser.add_argument("--deals", type=int, default=300, help="games of an iteration")
    parser.add_argument("--playouts", type=int, default=30, help="of a position")
    args = parser.parse_args()
    weights = start = dict(PARAMS)
    history = []
    for number in range(args.iterations):
        states, values = collect(weights, range(number * args.deals, (number + 1) * args.deals), args.playouts)
        weights, before, after = fit(weights, states, values)
        noise = float(np.sqrt(values[:, 1].mean()))
        history.append({"positions": len(states), "left_before": before, "left_after": after, "noise": noise})
        print(f"{len(states)} positions: {before:.2f} -> {after:.2f} coins left, of which noise {noise:.2f}")
        print("  " + " ".join(f"{key}={value:.3f}" for key, value in weights.items()), flush=True)
    held_out = {}
    new = spec_of("fair-price", weights)
    for text in (
        spec_of("fair-price", start).text,
        "fixed-price:value=4",
        "fixed-price:value=6",
        "fixed-price:value=8",
    ):
        share, ahead = play(new, load_agent(text))
        held_out[text] = {"win_share": round(share, 4), "margin": round(ahead, 2), "games": 2 * HELD_OUT_DEALS}
        print(f"{text}: {share:.4f}, margin {ahead:.1f}, n={2 * HELD_OUT_DEALS}")
    rounded = {key: round(value, 3) for key, value in weights.items()}
    FOUND.write_text(json.dumps({"weights": rounded, "iterations": history, "held_out": held_out}, indent=1) + "\n")


if __name__ == "__main__":
    main()

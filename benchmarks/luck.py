"""Luck taken out: mean zero with three evaluators, coverage of the intervals, games saved and cost of a game.

python benchmarks/luck.py [--games 100000] [--deals 500] [--quick]
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import compiled_agent, load_agent, spec_of
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, worth_field
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import actor, kth_legal, score
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.luck import LuckSums

NAMES = {SCORE: "score", LEAD: "lead", WIN: "win"}
_MEMORY = np.dtype([worth_field(6)], align=True)


def _nonsense(state, rules, params, memory, rng):
    """A worth without any sense, the same for the same position."""
    for seat in range(state.players):
        mixed = (state.ship * 7919 + state.deck * 104_729 + seat * 15_485_863 + score(state, seat) * 31) % 1009
        memory.worth[seat, 0] = 3.0 * mixed
        memory.worth[seat, 1] = (mixed * mixed) % 977 - 400.0
        memory.worth[seat, 2] = 1.0 if mixed > 500 else 0.0
    return 0


def _simple(state, rules, params, memory, rng):
    """A fast ship is worth something to who turned it over."""
    for seat in range(state.players):
        there = float(rules.sail[state.ship]) if seat == state.active else 0.0
        memory.worth[seat, 0] = score(state, seat) + 3.0 * there
        memory.worth[seat, 1] = 3.0 * there
        memory.worth[seat, 2] = 0.05 * there
    return 0


def _first(state, rules, params, memory, rng):
    return kth_legal(state, rules, actor(state) * 0)


def evaluators(game):
    """Return the three evaluators by name."""
    found = {
        name: spec_of(compiled_agent(name=name, games=(game.name,), memory=_MEMORY, evaluation=function)(_first))
        for name, function in (("nonsense", _nonsense), ("simple", _simple))
    }
    return {**found, "learned": load_agent("learned", game)}


def chunks_of(match, luck, deals, chunk):
    """Return the outcomes of chunks, and the seconds."""
    began = time.perf_counter()
    outcome = [match.play(first, first + chunk, luck=luck).outcome for first in range(0, deals, chunk)]
    return np.concatenate(outcome), time.perf_counter() - began


def sums_of(outcome, position, players, worth):
    """Return the sums of one figure of a position, over seats."""
    played = outcome["played"][:, position, :players].sum(axis=1, keepdims=True)
    scores = outcome["scores"][:, position, :players].sum(axis=1, keepdims=True).astype(float)
    total = outcome["scores"][:, :players, :players].sum(axis=(1, 2))[:, None]
    results = {
        SCORE: scores,
        LEAD: (players * scores - total) / (players - 1),
        WIN: outcome["wins"][:, position, :players].sum(axis=1, keepdims=True) / 60,
    }
    parts = [
        outcome[name][:, position, :players, worth].sum(axis=1, keepdims=True)
        for name in ("luck", "luck_squares", "luck_products")
    ]
    return LuckSums(results[worth], *parts, played)


def zero(game, variant, games):
    """Print the mean luck of position 0 with its error for each evaluator, and how often intervals cover the truth."""
    print(f"mean luck of position 0, {games:,} games of greedy among three heuristic, one draw; z = mean / error")
    match = Match(game, 4, tuple(load_agent(name, game) for name in ("greedy", *["heuristic"] * 3)), variant, 11)
    for name, spec in evaluators(game).items():
        outcome, _ = chunks_of(match, LuckMethod(spec, 1), games, 10)
        line = []
        for worth, figure in NAMES.items():
            luck = outcome["luck"][:, 0, :4, worth].sum(axis=1)
            error = luck.std(ddof=1) * np.sqrt(len(luck))
            line.append(f"{figure} {luck.sum() / games:+.4f} (z {luck.sum() / error:+.2f})")
        print(f"  {name:<9} {'  '.join(line)}")
        covered = {worth: [] for worth in NAMES}
        for worth in NAMES:
            whole = sums_of(outcome, 1, 4, worth)
            truth = whole.results.sum() / whole.played.sum()
            for start in range(0, len(outcome) - 39, 40):
                part = LuckSums(*(each[start : start + 40] for each in vars(whole).values()))
                found = stats.ratio(part.adjusted(), part.played)
                covered[worth].append(found.low[0] <= truth <= found.high[0])
        words = "  ".join(f"{NAMES[worth]} {100 * np.mean(hits):.1f} %" for worth, hits in covered.items())
        print(f"            intervals of 400 games cover the mean of all: {words} of {len(covered[WIN])}")


def table(game, variant, deals, redraws, lineups: Sequence[tuple[str, ...]], counts: Sequence[int]):
    """Print games saved and cost."""
    print(
        f"\n| players | line-up | seatings | redraws | lead: games saved | win: games saved | ms a game without | with |\n|{'---|' * 8}"
    )
    for players in counts:
        for names in lineups:
            full = (names * players)[:1] + names[-1:] * (players - 1)
            for design in ("rotate", "spread") if len(set(full)) > 1 else ("one",):
                match = Match(game, players, tuple(load_agent(name, game) for name in full), variant, 12, design)
                number = deals if design == "rotate" else deals * players  # equally many games
                luck = LuckMethod(load_agent("learned", game), redraws)
                match.play(0, 1, luck=luck)
                match.play(0, 1)
                outcome, seconds = chunks_of(match, luck, number, max(number // 100, 1))
                began = time.perf_counter()
                few = max(number // 10, 1)
                games = match.play(0, few).games
                alone = (time.perf_counter() - began) / games
                saved = []
                for worth in (LEAD, WIN):
                    found = sums_of(outcome, 0, players, worth).games_saved()
                    saved.append(f"{found.value[0]:.2f} ({found.low[0]:.2f}-{found.high[0]:.2f})")
                count = outcome["games"].sum()
                print(
                    f"| {players} | {', '.join(dict.fromkeys(full))} | {design} | {redraws} | {saved[0]} | {saved[1]} | {1e3 * alone:.3f} | "
                    f"{1e3 * seconds / count:.2f} |",
                    flush=True,
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--redraws", type=int, default=16)
    parser.add_argument("--players", type=int, nargs="+", default=[4])
    parser.add_argument("--quick", action="store_true", help="few games, to see that it runs")
    options = parser.parse_args()
    game = load_game("strozzi")
    variant = resolve_variant(game, "base")
    zero(game, variant, 1_200 if options.quick else options.games)
    lineups = [("heuristic", "heuristic"), ("greedy", "heuristic"), ("learned", "heuristic"), ("random", "random"), ("flat_mc:playouts=20,rollout=heuristic", "heuristic")]  # fmt: skip
    deals = 20 if options.quick else options.deals
    table(
        game,
        variant,
        deals,
        2 if options.quick else options.redraws,
        lineups[: 2 if options.quick else None],
        options.players,
    )


if __name__ == "__main__":
    main()

"""The levels of `learned`: each is ahead of the one below it in 0.60 of all pairs of seats, and what each loses a choice.

python benchmarks/levels.py calibrate strozzi [--players 4] [--deals 1000]
python benchmarks/levels.py check strozzi [--players 4] [--deals 1000]
python benchmarks/levels.py seats strozzi [--players 4] [--deals 10000]
python benchmarks/levels.py rates strozzi [--players 4] [--deals 30]

Two agents take the seats of a game in turn; every pair of one seat of each counts, a tie for half.
"""

import argparse
from statistics import NormalDist

import numpy as np

import strozzi_sim as ss
from strozzi_sim.agent import load_agent
from strozzi_sim.game import find_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.analyse import analyse_game
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

LEVELS = 10
AHEAD = 0.60
SEARCHED, CHECKED = 7, 104  # seeds
STEPS = 9  # of a bisection
RANGE = (0.02, 200.0)  # points
OTHERS = {"strozzi": ["heuristic", "picky", "greedy", "eager", "random"]}  # whose error rates are printed too
STRONGEST = {"strozzi": ["learned:beyond=4,redraws=16"]}
Z = NormalDist().inv_cdf(0.975)


def ahead(game, players, agents, deals, seed):
    """Return the share of the pairs of seats in which the first agent is ahead of the second, and its standard error."""
    lineup = tuple(load_agent(agents[seat % 2], game) for seat in range(players))
    match = Match(game, players, lineup, resolve_variant(game, "base"), seed, "rotate")
    rows = match.play(0, deals, rows=True).rows
    places = rows["twice_place"].reshape(deals, -1, players)
    second = rows["position"].reshape(places.shape) % 2 == 1
    pairs = ~second[..., :, None] & second[..., None, :]
    before = np.sign(places[..., None, :] - places[..., :, None]) * 0.5 + 0.5
    shares = (before * pairs).sum((1, 2, 3)) / pairs.sum((1, 2, 3))
    return shares.mean(), shares.std(ddof=1) / deals**0.5


def calibrate(game, players, deals):
    """Print the temperatures of all levels, from the highest down."""
    heats = [0.0]
    for level in range(LEVELS - 1, -1, -1):
        low, high = max(RANGE[0], heats[-1]), RANGE[1]
        for _ in range(STEPS):
            middle = (low * high) ** 0.5
            better, worse = (f"learned:temperature={heat!r}" for heat in (heats[-1], middle))
            share, _ = ahead(game, players, (better, worse), deals, SEARCHED)
            low, high = (middle, high) if share < AHEAD else (low, middle)
        heats.append(float(f"{(low * high) ** 0.5:.3g}"))
        print(f"{players} players, level {level}: {heats[-1]}", flush=True)
    print(f"{players} players: {heats[::-1]}", flush=True)


def check(game, players, deals):
    """Print a table of each level against the one below it, `heuristic` and `random`, on deals on which nothing was chosen."""
    others = [game.default_agent, "random"]
    print(
        f"\n| {players} players: level | ahead of the one below | "
        + " | ".join(f"ahead of `{name}`" for name in others)
    )
    print("|---|---|" + "---|" * len(others))
    for level in range(LEVELS, -1, -1):
        cells = []
        for other in [f"learned:level={level - 1}" if level else None, *others]:
            share, error = (
                ahead(game, players, (f"learned:level={level}", other), deals, CHECKED) if other else (None, 0)
            )
            cells.append("" if share is None else f"{share:.3f} ({share - Z * error:.3f} to {share + Z * error:.3f})")
        print(f"| {level} | {' | '.join(cells)} |", flush=True)


def rates(game, players, deals):
    """Print what each level loses a choice in play with its like, judged by `learned`; then the same of the game's agents."""
    judge = load_agent("learned", game)
    names = [f"learned:level={level}" for level in range(LEVELS + 1)] + OTHERS.get(game.name, [])
    found = []
    for name in names:
        spec, means = load_agent(name, game), []
        for deal in range(deals):
            table = Position(game, players, seed=CHECKED, deal=deal)
            while not table.over:
                table.play(table.ask(spec))
            analysis = analyse_game(Position(game, players, seed=CHECKED, deal=deal), table.actions, judge)
            means.append(np.mean([analysis.error_rate(seat)[0] for seat in range(players)]))
        found.append(float(np.mean(means)))
        half = Z * np.std(means, ddof=1) / deals**0.5
        print(f"{players} players, {name}: {found[-1]:.3f} +- {half:.3f} points a choice, {deals} games", flush=True)
    print(f"    {players}: {tuple(float(f'{rate:.3g}') for rate in found[: LEVELS + 1])},")


def seats(game, players, deals):
    """Print every seat's share of wins when all seats are played by one agent, from random play to the strongest."""
    names = ["random", *(f"learned:level={level}" for level in range(0, LEVELS + 1, 2))]
    names += [game.default_agent, *STRONGEST.get(game.name, [])]
    print(f"\n| {players} players: agent | " + " | ".join(f"seat {seat}" for seat in range(players)) + " | games |")
    print("|---|" + "---|" * (players + 1))
    for name in names:
        (spec,) = [load_agent(name, game)]
        count = deals if name not in STRONGEST.get(game.name, []) else max(deals // 25, 100)
        study = {
            "game": game.name,
            "players": [players],
            "lineups": [[spec]],
            "deals": count,
            "seed": CHECKED,
        }
        tables = ss.run(ss.Study.of(**study), workers=2).tables
        table = tables["seats"].query("figure == 'win_share'").sort_values("seat")
        cells = [f"{row.value:.3f} ({row.low:.3f} to {row.high:.3f})" for row in table.itertuples()]
        print(
            f"| `{name}` | {' | '.join(cells)} | {count:,} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("calibrate", "check", "rates", "seats"))
    parser.add_argument("game")
    parser.add_argument("--players", type=int, nargs="+", default=[4])
    parser.add_argument("--deals", type=int, default=1000)
    options = parser.parse_args()
    for players in options.players:
        {"calibrate": calibrate, "check": check, "rates": rates, "seats": seats}[options.what](
            find_game(options.game), players, options.deals
        )


if __name__ == "__main__":
    main()

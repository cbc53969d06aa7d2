"""CFR and exploitability of a variant small enough to list every state, by OpenSpiel.

Run it with `python examples/solve_tiny.py [STUDY] [ITERATIONS]`; it needs the extra `openspiel`. The study file defines the variant; the
default is a Strozzi of 14,240 nodes for three players.
"""

import sys
import tomllib
from pathlib import Path

from open_spiel.python.algorithms import cfr, exploitability
from open_spiel.python.policy import UniformRandomPolicy

from strozzi_sim.adapters.open_spiel import load_game


def given_away(game, policy):
    """Return what a seat gains on average by a best response to copies of the policy, in shares of wins: NashConv / P."""
    players = game.num_players()
    nash_conv = exploitability.nash_conv(game, policy, use_cpp_br=False)  # in payoffs, P / (P - 1) times as large
    return nash_conv * (players - 1) / players / players


def solve(file, iterations):
    """Print what uniform play gives away, then CFR's average policy after 1, 2, 4, ... iterations; return all of them."""
    study = tomllib.loads(Path(file).read_text())
    game = load_game(study["game"], study["players"][0], study["variant"])
    found = [given_away(game, UniformRandomPolicy(game))]
    print(f"uniform play gives away {found[0]:.4f} of the wins")
    solver = cfr.CFRSolver(game)
    for count in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if count & (count - 1) == 0:
            found.append(given_away(game, solver.average_policy()))
            print(f"CFR after {count} iterations gives away {found[-1]:.4f}", flush=True)
    return found


if __name__ == "__main__":
    arguments = sys.argv[1:] + [str(Path(__file__).with_name("tiny_strozzi.toml")), "8"][len(sys.argv) - 1 :]
    solve(arguments[0], int(arguments[1]))

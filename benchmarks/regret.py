"""What decisions gain over those of `learned`, by games to the end from reference positions, and how far its values err.

python benchmarks/regret.py strozzi AGENT [AGENT ...] [--players 4] [--positions 300] [--seed 404]
python benchmarks/regret.py strozzi --fit [--players 4]

A position is one of a game of `learned` among usual players, at random among its decisions with a choice. The worth of
an action is the mean of GAMES games from there, with the same chance for all actions, in which `learned` plays on among
the usual players. No agent sees these games, so the gain of settings that were fixed beforehand is unbiased.
"""

import argparse
from functools import cache
from time import process_time

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game import default_players, find_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.drama import Rollouts
from strozzi_sim.play.judging import Judge
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.simulation.match import Match

GAMES, SAMPLES = 320, 20  # of each action, and of the hidden information among them
PRIZE = 30.0  # points of lead that a win is worth
COMPARED = 4  # actions of a decision whose values are judged, the best by value
FAR = 40.0  # points: an action this far behind is no matter of doubt


class Reference:
    """One position, and the worth of its actions by games to the end."""

    def __init__(self, game, players, seed, number):
        self.seat, dice = number % players, np.random.default_rng((seed, number))
        self.learned, usual = load_agent("learned", game), load_agent(game.tiers["usual"], game)
        lineup = tuple(self.learned if seat == self.seat else usual for seat in range(players))
        self.playouts = Rollouts(Match(game, players, lineup, resolve_variant(game, "base"), seed))
        table, open_decisions = Position(game, players, seed, number), []
        while not table.over:
            if table.actor == self.seat and len(table.legal) > 1:
                open_decisions.append(table.copy())
            table.play(table.ask(lineup[table.actor]))
        self.table = open_decisions[dice.integers(len(open_decisions))]
        rng = self.table.rng[:1].copy()
        self.states = [self.table.imagine(self.seat, rng).state for _ in range(SAMPLES)]

    @cache  # noqa: B019 - the positions live as long as the program
    def games(self, action):
        """Return the leads and wins of the games after an action, float64[2, GAMES]."""
        played = [self.playouts.from_state(state, k, GAMES // SAMPLES, action) for k, state in enumerate(self.states)]
        wins, scores = (np.concatenate(parts) for parts in zip(*played, strict=True))
        own = scores[:, self.seat]
        return np.array([own - (scores.sum(1) - own) / (scores.shape[1] - 1), wins[:, self.seat] / WIN_UNITS])

    def errors(self):
        """Return (error of the value, variance of the games' mean) of each difference from the action best by value."""
        worths = Judge(self.table, LuckMethod(self.learned, 8)).actions(1)[:, self.seat]
        values = worths[:, LEAD] + PRIZE * worths[:, WIN]
        best, *others = np.argsort(-values)[:COMPARED]
        for other in others:
            leads, wins = self.games(self.table.legal[other]) - self.games(self.table.legal[best])
            worth = leads + PRIZE * wins
            if abs(worth.mean()) < FAR:
                yield values[other] - values[best] - worth.mean(), worth.var(ddof=1) / GAMES


def fit(references):
    """Print the standard deviation of the error of a difference of two values, without the noise of the games."""
    per_position = [np.array(list(reference.errors())).reshape(-1, 2) for reference in references]
    squares = np.array([(rows[:, 0] ** 2 - rows[:, 1]).sum() for rows in per_position])
    counts = np.array([len(rows) for rows in per_position])
    mean = squares.sum() / counts.sum()
    error = (squares - mean * counts).std() * len(counts) ** 0.5 / counts.sum()
    low, high = (max(mean + side * 1.96 * error, 0.0) ** 0.5 for side in (-1, 1))
    print(f"{mean**0.5:.2f} points ({low:.2f} to {high:.2f}), {counts.sum()} differences")


def judge(references, agents, game):
    """Print what the decisions of each agent gain over those of `learned`: of its lead, its wins, and both together."""
    print("| agent | ms a decision | differ | lead | wins, % | lead + 30 wins |\n|---|---|---|---|---|---|")
    first = [reference.table.ask("learned") for reference in references]
    for agent in agents:
        spec, took, gains = load_agent(agent, game), 0.0, []
        for reference, usual in zip(references, first, strict=True):
            reference.table.ask(spec)  # seats the agent
            began = process_time()
            chosen = reference.table.ask(spec)
            took += process_time() - began
            same = chosen == usual
            gains.append(np.zeros(2) if same else (reference.games(chosen) - reference.games(usual)).mean(1))
        leads, wins = np.array(gains).T
        figures = (leads, 100 * wins, leads + PRIZE * wins)
        cells = [f"{x.mean():+.2f} ± {1.96 * x.std(ddof=1) / len(x) ** 0.5:.2f}" for x in figures]
        differ = np.mean([bool(np.any(gain)) for gain in gains])
        print(f"| `{agent}` | {1e3 * took / len(gains):.2f} | {differ:.2f} | {' | '.join(cells)} |", flush=True)


def main():
    """Judge agents, or fit the error of the values."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--players", type=int)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_intermixed_args()
    game = find_game(given.game)
    players = given.players or default_players(game)
    references = [Reference(game, players, given.seed, number) for number in range(given.positions)]
    if given.fit:
        fit(references)
    if given.agents:
        judge(references, given.agents, game)


if __name__ == "__main__":
    main()

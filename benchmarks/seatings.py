"""Measure the variance of a game under three seating designs: what one game of each tells about a question.

`rotate` plays every deal in N seatings, `spread` every deal once, in the seatings in turn, `random` every deal once, in a random
one of them. The games of all three are those of `rotate`, so one run of it measures them: with Y the outcome of deal d in
seating s, the variance of a mean of n games is, times n,

    rotate  N times the variance over deals of the mean of Y over s
    spread  the mean over s of the variance of Y over deals
    random  the variance of all Y

Outcomes: the share of wins and the lead of one agent among others, the difference of two agents in its place (both
play the same deals in the same seatings), and the share of wins of the first seat less that of the last among copies.
The last column is how many games of `rotate` one of `spread` is worth, with a 95 % interval (jackknife over 50 blocks of deals).

    python benchmarks/seatings.py --deals 4000
    python benchmarks/seatings.py --game strozzi --deals 20000 --json
"""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match

BLOCKS = 50
DESIGNS = ("rotate", "spread", "random")
Array = np.ndarray[Any, Any]


class Field(NamedTuple):
    """Agents whose place at the table is compared: `first` or `second` among copies of `others`."""

    game: str
    players: int
    first: str
    second: str
    others: str


FIELDS = (
    Field("strozzi", 4, "heuristic", "greedy", "random"),
    Field("strozzi", 4, "heuristic", "florence", "greedy"),
    Field("strozzi", 4, "florence", "trader", "heuristic"),
    Field("strozzi", 4, "heuristic:ware=1.2", "heuristic:ware=0.9", "heuristic"),
    Field("strozzi", 6, "florence", "trader", "heuristic"),
    Field("medici_vs_strozzi", 2, "fair-price", "shader:factor=0.5", "fixed-price"),
    Field("medici_vs_strozzi", 2, "shader", "shader:factor=0.9", "fair-price"),
    Field("strasbourg", 4, "heuristic", "hoarder", "councillor"),
    Field("strasbourg", 4, "councillor", "merchant", "heuristic"),
)


def outcomes(field: Field, agent: str, deals: int) -> tuple[Array, Array]:
    """Return wins and leads of `agent` at position 0 among the others, float64[deals, seatings] each."""
    return _of_position(*_played(field, (agent, *[field.others] * (field.players - 1)), deals, "rotate"), field.players)


def _played(field: Field, agents: tuple[str, ...], deals: int, seatings: str) -> tuple[Array, Array, Array]:
    """Return positions, shares of the win and scores, [deals, seatings, seats] each."""
    game = load_game(field.game)
    lineup = tuple(load_agent(text, game) for text in agents)
    match = Match(game, field.players, lineup, resolve_variant(game, "base"), 2008, seatings)
    rows = match.play(0, deals, rows=True).rows
    position, place, score = (
        rows[name].reshape(deals, -1, field.players).astype(np.int64) for name in ("position", "twice_place", "score")
    )
    won = place == place.min(axis=2, keepdims=True)
    return position, won / won.sum(axis=2, keepdims=True), score


def _of_position(position: Array, wins: Array, score: Array, players: int) -> tuple[Array, Array]:
    own = position == 0
    lead = (players * score - score.sum(axis=2, keepdims=True)) / (players - 1)
    return (wins * own).sum(axis=2), (lead * own).sum(axis=2)


def questions(field: Field, deals: int) -> Iterator[tuple[str, str, Array]]:
    """Yield (question, agents, outcome float64[deals, seatings])."""
    one, two = (outcomes(field, agent, deals) for agent in (field.first, field.second))
    for name, ours, theirs in zip(("wins", "lead"), one, two, strict=True):
        yield f"{name} of one", f"{field.first} among {field.others}", ours
        yield f"{name}, difference", f"{field.first} less {field.second} among {field.others}", ours - theirs


def seat_gap(game: str, players: int, agent: str, deals: int) -> Array:
    """Return the win of the first seat less that of the last among copies, in every seating of a deal."""
    field = Field(game, players, agent, agent, agent)
    _, wins, _ = _played(field, (agent,) * players, deals, "rotate")
    return wins[:, :, 0] - wins[:, :, -1]


def variances(outcome: Array) -> Array:
    """Return the variance of a game under each of DESIGNS, float64[3]."""
    seatings = outcome.shape[1]
    return np.array([seatings * outcome.mean(axis=1).var(ddof=1), outcome.var(axis=0, ddof=1).mean(), outcome.var()])


def worth(outcome: Array) -> tuple[float, float, float]:
    """Return how many games of `rotate` a game of `spread` is worth: value, low, high."""

    def logarithm(part: Array) -> float:
        rotate, spread, _ = variances(part)
        return float(np.log(rotate / spread))

    blocks = np.array_split(np.arange(len(outcome)), BLOCKS)
    without = np.array([logarithm(np.delete(outcome, block, axis=0)) for block in blocks])
    error = np.sqrt((BLOCKS - 1) / BLOCKS * ((without - without.mean()) ** 2).sum())
    value = logarithm(outcome)
    low, high = np.exp([value - 2.01 * error, value + 2.01 * error])
    return float(np.exp(value)), float(low), float(high)


def measured(game: str, deals: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a game's fields, or of all games'."""
    chosen = [field for field in FIELDS if game in ("", field.game)]
    for field in chosen:
        for question, agents, outcome in questions(field, deals):
            if outcome.std() > 0:  # an agent that wins always tells nothing
                yield _row(field, question, agents, outcome)
    for name, players in dict.fromkeys((field.game, field.players) for field in chosen):
        agent = load_game(name).default_agent
        field = Field(name, players, agent, agent, agent)
        yield _row(field, "seat gap", f"copies of {agent}", seat_gap(name, players, agent, deals))


def _row(field: Field, question: str, agents: str, outcome: Array) -> dict[str, Any]:
    value, low, high = worth(outcome)
    return {
        "game": field.game, "players": field.players, "question": question, "agents": agents,
        **dict(zip(DESIGNS, variances(outcome).tolist(), strict=True)), "worth": value, "low": low, "high": high,
    }  # fmt: skip


def main() -> int:
    """Measure and print a line for each question."""
    parser = argparse.ArgumentParser(description="Measure the variance of a game under three seating designs.")
    parser.add_argument("--game", default="", help="measure only this game")
    parser.add_argument("--deals", type=int, default=4000, help="deals of each line-up (default: 4000)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    if given.deals < 2 * BLOCKS:
        parser.error(f"--deals: must be at least {2 * BLOCKS}, got {given.deals}")
    rows = []
    for row in measured(given.game, given.deals):
        rows.append(row)
        if not given.json:
            numbers = "  ".join(f"{name} {row[name]:.4g}" for name in DESIGNS)
            print(
                f"{row['game']} {row['players']}, {row['question']}, {row['agents']}: {numbers}; "
                f"1 of spread = {row['worth']:.2f} ({row['low']:.2f}-{row['high']:.2f}) of rotate",
                flush=True,
            )
    if given.json:
        print(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

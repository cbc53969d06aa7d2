"""What each thing that a Position does takes, at random decisions of whole games; run it by itself: `python benchmarks/position.py`.

Beside each time stands its ratio to the floor, measured in turn with it: one call of the compiled `legal`, with nothing around it.
The ratio is what to compare between machines.
"""

from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from strozzi_sim.game import game_names, load_game
from strozzi_sim.play.kernels import kernels
from strozzi_sim.play.position import Position

GAMES = 30  # whose lengths and bytes are measured
POSITIONS = 200  # decisions at which each operation is timed
REPEATS = 50  # of it at each
LIMIT = 10.0  # microseconds
LIMITED = ("play", "copy", "undo", "legal", "observation")


def _play(position: Position, action: int) -> float:
    began = perf_counter()
    position.play(action)
    taken = perf_counter() - began
    position.undo()
    return taken


def _undo(position: Position, action: int) -> float:
    position.play(action)
    began = perf_counter()
    position.undo()
    return perf_counter() - began


def _legal(position: Position, action: int) -> float:
    position.play(action)
    position.undo()  # so that it is not known yet
    began = perf_counter()
    _ = position.legal
    return perf_counter() - began


def _floor(position: Position, action: int) -> float:
    legal, found = kernels(position.game).legal, np.empty(position.game.actions, np.int64)
    state, rules = position.state, position.variant.rules
    began = perf_counter()
    legal(state, rules, found)
    return perf_counter() - began


def _of(operation: Callable[[Position], Any]) -> Callable[[Position, int], float]:
    def timed(position: Position, action: int) -> float:
        began = perf_counter()
        operation(position)
        return perf_counter() - began

    return timed


OPERATIONS: dict[str, Callable[[Position, int], float]] = {
    "play": _play, "undo": _undo, "copy": _of(Position.copy), "legal": _legal, "mask": _of(lambda here: here.mask),
    "observation": _of(Position.observation), "scores": _of(lambda here: here.scores), "places": _of(lambda here: here.places),
    "equal": _of(lambda here: here == here), "hash": _of(hash), "known": _of(Position.known), "view": _of(Position.view),
    "names": _of(lambda here: here.names), "to_bytes": _of(Position.to_bytes), "journal": _of(lambda here: here.journal),
    "record": _of(Position.record),
}  # fmt: skip


def positions(name: str, players: int) -> list[tuple[Position, int]]:
    """Decisions of random games, each with an action."""
    dice, found = Random(1), []
    for deal in range(GAMES):
        position = Position(name, players, deal=deal)
        while not position.over:
            action = dice.choice(position.legal)
            found.append((position.copy(), action))
            position.play(action)
    return dice.sample(found, POSITIONS)


def main() -> None:
    """Measure every game and print the tables."""
    for name in game_names():
        players = load_game(name).max_players
        asked = positions(name, players)
        sizes, lengths = zip(
            *((len(end.to_bytes()), len(end.actions)) for end in (_end(name, players, deal) for deal in range(GAMES))),
            strict=True,
        )
        most = f"{max(sizes)} bytes, and the longest has {max(lengths)} actions"
        print(f"\n{name}, {players} players; the largest of {GAMES} whole games takes {most}")
        print("  operation    microseconds: median, 99 %     times the floor")
        for operation, timed in OPERATIONS.items():
            pairs = [[(timed(*one), _floor(*one)) for _ in range(REPEATS)] for one in asked]
            best, floor = zip(*([min(times) for times in zip(*pair, strict=True)] for pair in pairs), strict=True)
            middle, high = 1e6 * median(best), 1e6 * sorted(best)[len(best) * 99 // 100]
            ratio = median(one / least for one, least in zip(best, floor, strict=True))
            over = "  over the limit" if operation in LIMITED and high > LIMIT else ""
            print(f"  {operation:<12} {middle:>18.2f} {high:>7.2f} {ratio:>19.1f}{over}")


def _end(name: str, players: int, deal: int) -> Position:
    dice, position = Random(deal), Position(name, players, deal=deal)
    while not position.over:
        position.play(dice.choice(position.legal))
    return position


if __name__ == "__main__":
    main()

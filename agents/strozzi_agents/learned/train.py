"""Train the values of a game: `python -m strozzi_agents.learned.train GAME FILE`; networks are fitted with NumPy.

A stage without LEARNERS learns the results of the guide from any position. The others are policy iteration: LEARNERS
play by the values so far. On one machine the same command with the same seed learns the same networks, bit by bit.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from strozzi_agents.learned.features import Features
from strozzi_agents.learned.fit import Fit, batches, initial, parts_of, predictions, rows_of
from strozzi_agents.learned.positions import FIRST, LATER, ORDER, position_dtype, positions_kernel
from strozzi_agents.learned.value import OUTPUTS
from strozzi_sim.agent import AgentSpec, Weights, load_agent
from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.agent.weights import packed_networks, read_networks, write_networks
from strozzi_sim.errors import InputError
from strozzi_sim.game import find_game
from strozzi_sim.game.variants import AnyVariant, resolve_variant
from strozzi_sim.kernel.network import MOST_LAYERS, WIDEST
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, game_key

CHUNK = 10_000  # games that are played at once
HELD_OUT = 1 << 40  # number of the first held-out game
_STAGE = 1 << 32  # game numbers that a stage may use
BATCH = 512  # games per step; the last games of a chunk, too few for a batch, are not used
_PLAYING = 2  # threads that play


@dataclass(frozen=True)
class Stage:
    """The settings of a training stage.

    Attributes:
        games: number of games, two branches each.
        learners: labelled seats, which play by the values so far: 1 at random, or above 1 all; 0: all, by the guide.
        passes: number of times that each game is used.
        rate: first step size.
        prize: points of lead that a win is worth to the seats that play by the values.
        trust: share of the rest of a label that the values so far give at each later quiet position; 0: only results.
        explore: share of random actions before a game splits into its branches.
    """

    games: int
    learners: int = 0
    passes: int = 1
    rate: float = 2e-3
    prize: float = 0.0
    trust: float = 0.0
    explore: float = 0.15

    @classmethod
    def read(cls, text: str) -> "Stage":
        """Return the stage given as GAMES[:LEARNERS[:PASSES[:RATE[:PRIZE[:TRUST[:EXPLORE]]]]]]."""
        try:
            parts = text.split(":")
            kinds: tuple[Callable[[str], Any], ...] = (float, int, int, float, float, float, float)
            games, *rest = (kind(part) for kind, part in zip(kinds[: len(parts)], parts, strict=True))
            if games < CHUNK or games % CHUNK:
                raise InputError(f"stage {text!r}: games: expected a multiple of {CHUNK:,}, got {parts[0]}")
            return cls(int(games), *rest)
        except ValueError:
            raise InputError(
                f"stage {text!r}: expected GAMES[:LEARNERS[:PASSES[:RATE[:PRIZE[:TRUST[:EXPLORE]]]]]], "
                "such as 1e6:1:4:1e-3"
            ) from None


class Trainer:
    """Trainer of a game's network for one player count."""

    def __init__(self, game: str, players: int, seed: int, variant: AnyVariant = "base") -> None:
        self.game, self.players, self.seed = find_game(game), players, seed
        self._stages = 0
        self.spec: AgentSpec = load_agent("learned", self.game)
        weights = self.spec.agent.params["weights"]
        assert isinstance(weights, Weights)
        assert isinstance(weights.sizes, Mapping)
        self.sizes = weights.sizes
        if players not in self.sizes:
            raise InputError(f"{game}: no values for {players} players; they are learned for {sorted(self.sizes)}")
        features = import_module(f"strozzi_agents.{self.game.name}.features").FEATURES
        assert isinstance(features, Features)
        self.features = features
        self.rules = resolve_variant(self.game, variant).rules
        assert isinstance(self.spec.agent.memory, np.dtype)
        self.memory = self.spec.agent.memory
        self.position_dtype = position_dtype(players, self.sizes[players][0])
        self.kernel = positions_kernel(self.game, self.memory, self.position_dtype)

    def play(self, first: int, count: int, stage: Stage, networks: Any, horizon: int) -> Any:
        """Return `count` games of a stage, records of `position_dtype`; `networks` are packed, None: only the guide."""
        order = np.zeros(1, ORDER)
        weights, trust = (0, 0.0) if networks is None else (networks[0].ctypes.data, stage.trust)
        which = game_key(self.game.name), self.seed, self.players, first
        order[0] = (*which, weights, stage.learners, trust, stage.prize, horizon, stage.explore)
        states = np.zeros(2, self.game.state)
        rules, memory, chances = exact_copy(self.rules), np.zeros(1, self.memory), np.zeros(2, CHANCE)
        games = np.zeros(count, self.position_dtype)
        self.kernel(
            order[0], states[0], states[1], rules[0], memory[0], chances[0], chances[1], np.zeros(1, RANDOM)[0], games
        )
        return games

    def horizon(self, stage: Stage, networks: Any) -> int:
        """Return a limit of the number of the decision at which a game splits: 99 % of 500 games split below it."""
        games = self.play(HELD_OUT - CHUNK, 500, stage, networks, 100_000)
        return max(int(np.quantile(games["decision"], 0.99)) + 2, 2)

    def fit(
        self, layers: Any, stage: Stage, hidden: Sequence[int], report: Any = print
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Play the games of a stage and learn from them; return the network's layers and its learning curve.

        Args:
            layers: network so far, by which the learners play; None: start a new one, with a stage without learners.
            stage: settings of the stage.
            hidden: widths of the hidden layers of a new network.
            report: callback that receives lines of progress.
        """
        networks = None if layers is None else packed_networks({self.players: layers})
        horizon = self.horizon(stage, networks)
        sizes = [self.position_dtype["features"].shape[-1], *hidden, OUTPUTS]
        parts = initial(sizes, self.seed) if layers is None else parts_of(layers, self.features.scale)
        chunks = -(-stage.games // CHUNK)
        fit = Fit(parts, chunks * (CHUNK // BATCH) * 2 * stage.passes, stage.rate, self.features.scale)
        held_out = self.play(HELD_OUT, CHUNK, replace(stage, trust=0.0), networks, horizon)
        orders = [self.features.order(self.players, turn) for turn in range(self.features.symmetries)]
        curve = [self.measure(fit.layers() if layers is None else layers, held_out) | {"games": 0, "seconds": 0.0}]
        start, stored = time.process_time(), list[Any]()
        first, self._stages = self._stages * _STAGE, self._stages + 1
        with threadpool_limits(1), ThreadPoolExecutor(_PLAYING) as pool:
            results = _in_order(
                pool, lambda chunk: self.play(first + chunk * CHUNK, CHUNK, stage, networks, horizon), chunks
            )
            for number, games in enumerate(results):
                if stage.passes > 1:
                    stored.append(games)
                self._learn(fit, games, orders)
                if (number + 1) % max(chunks // 8, 1) == 0:
                    curve.append(self._row(fit, held_out, (number + 1) * CHUNK, start))
                    report(_line(curve[-1]))
            for turn in range(1, stage.passes):
                for games in stored:
                    self._learn(fit, games, orders)
                curve.append(self._row(fit, held_out, chunks * CHUNK * (turn + 1), start))
                report(_line(curve[-1]))
        report(f"correlation of the branches' errors: {fit.correlation.round(2).tolist()}")
        return fit.layers(), curve

    def _learn(self, fit: Fit, games: Any, orders: Sequence[Any]) -> None:
        for batch in batches(len(games), BATCH):
            for kind in (FIRST, LATER):
                order = orders[fit.step % len(orders)]
                rows = rows_of(games[batch], kind, self.features.common, self.features.own, order, self.features.scale)
                fit.learn(rows, kind)

    def _row(self, fit: Fit, held_out: Any, games: int, start: float) -> dict[str, Any]:
        return self.measure(fit.layers(), held_out) | {"games": games, "seconds": time.process_time() - start}

    def measure(self, layers: Any, games: Any) -> dict[str, Any]:
        """Return the mean squared errors of lead and of its difference between branches, and the log loss of wins."""
        rows = rows_of(games, FIRST, self.features.common, self.features.own, None, 1.0)
        outputs = predictions(layers, rows.inputs)
        error = outputs[:, LEAD] - rows.labels[:, LEAD]
        half = len(error) // 2
        logit, won = outputs[:, WIN].astype(np.float64), rows.labels[:, WIN]
        return {
            "lead_mse": float((error**2).mean()),
            "difference_mse": float(((error[:half] - error[half:]) ** 2).mean()),
            "win_loss": float((np.logaddexp(0, logit) - won * logit).mean()),
        }


def _in_order(pool: ThreadPoolExecutor, play: Any, chunks: int) -> Iterator[Any]:
    """Yield `play(0)` to `play(chunks - 1)` in order, while threads compute the next results."""
    futures = [pool.submit(play, chunk) for chunk in range(min(_PLAYING + 1, chunks))]
    for chunk in range(chunks):
        yield futures.pop(0).result()
        if chunk + _PLAYING + 1 < chunks:
            futures.append(pool.submit(play, chunk + _PLAYING + 1))


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['games']:>12,} games {row['seconds']:>7.0f} s  lead {row['lead_mse']:.1f}  difference "
        f"{row['difference_mse']:.1f}  win {row['win_loss']:.4f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the networks of a game for some player counts, and write them to a file."""
    parser = argparse.ArgumentParser(prog="python -m strozzi_agents.learned.train", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("file", type=Path, help=".npz file to write; it keeps its networks of other player counts")
    parser.add_argument("--players", type=int, nargs="+", help="player counts; default: all")
    parser.add_argument(
        "--stages",
        nargs="+",
        default=["3e6", "5e5:1:6:1e-3:30"],
        help="GAMES[:LEARNERS[:PASSES[:RATE[:PRIZE[:TRUST[:EXPLORE]]]]]]",
    )
    parser.add_argument("--hidden", type=int, nargs="+", default=[192, 32], help="widths of the hidden layers")
    parser.add_argument("--start", type=Path, help=".npz file of networks to begin with")
    parser.add_argument("--variant", default="base")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if not options.file.parent.is_dir():  # before hours are spent
        parser.error(f"{options.file}: there is no folder {options.file.parent}")
    try:
        _train(options)
    except InputError as error:
        parser.error(str(error))


def _train(options: argparse.Namespace) -> None:
    stages = [Stage.read(text) for text in options.stages]
    if stages[0].learners and not options.start:
        raise InputError(f"stage {options.stages[0]!r}: learners: must be 0 in the first stage without --start")
    if not all(0 < width <= WIDEST for width in options.hidden) or len(options.hidden) >= MOST_LAYERS:
        raise InputError(f"--hidden: expected at most {MOST_LAYERS - 1} widths of 1 to {WIDEST}, got {options.hidden}")
    for players in options.players or find_game(options.game).player_counts:
        trainer = Trainer(options.game, players, options.seed, options.variant)
        starts: dict[int, Any] = read_networks(options.start, trainer.sizes) if options.start else {players: None}
        if players not in starts:
            raise InputError(f"--start {options.start}: no network for {players} players")
        layers = starts[players]
        for stage in stages:
            print(f"{options.game}, {players} players: {stage}", flush=True)
            layers, _ = trainer.fit(layers, stage, options.hidden, lambda line: print(line, flush=True))
            others = read_networks(options.file) if options.file.exists() else {}
            write_networks(options.file, {**others, players: layers})


if __name__ == "__main__":
    main()

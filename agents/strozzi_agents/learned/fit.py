"""Fit a network to positions with NumPy: Adam, a cosine schedule, weights averaged over the last quarter of the steps.

The two branches of a game have the same chance, so the errors of their labels are correlated. The loss is that of
generalised least squares: with correlation rho, the gradient at an output of a branch is (e - rho * e') / (1 - rho^2),
where e is the error of this branch and e' that of the other one.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from strozzi_agents.learned.value import OUTPUTS
from strozzi_sim.agent.analysis import WIN
from strozzi_sim.kernel.streams import draws

Array = npt.NDArray[Any]
_HEADS = np.array([0.3, 1.0, 2.0], np.float32)  # weights of half the squared errors of score and lead, and of log loss
_FINE = 1 << 24  # values of a uniform draw
_MEMORY = 0.99  # share of the running correlation that a step keeps
_SETTLED = 0.75  # share of the steps before the averaging of weights begins


def initial(sizes: Sequence[int], seed: int) -> list[Array]:
    """Return weights and biases, alternately: uniform weights as in He et al. 2015, 0 in the last layer; biases 0."""
    parts = list[Array]()
    for number, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        draw = draws(seed, number, (inputs, outputs), _FINE) / (_FINE / 2) - 1
        limit = 0.0 if number == len(sizes) - 2 else np.sqrt(6 / inputs)
        parts += [(draw * limit).astype(np.float32), np.zeros(outputs, np.float32)]
    return parts


@dataclass
class Rows:
    """Rows of one batch: N rows of first branches, then the same N of second branches.

    Attributes:
        inputs: features for one seat: the common ones, its own, those of the next seats in turn, float32[2 * N, I].
        labels: score and lead to come in the unit of the fit, share of the win, float32[2 * N, 3].
    """

    inputs: Array
    labels: Array


def rows_of(games: Array, kind: int, common: int, own: int, order: Array | None, scale: float) -> Rows:
    """Return the rows of the games in which both branches kept a position of this kind, one for each learning seat.

    Args:
        games: records of `learned.positions.position_dtype`.
        kind: FIRST or LATER.
        common: number of common features.
        own: number of features of each seat.
        order: result of `Features.order`, int64[F], or None.
        scale: points per unit of score and lead in the labels.
    """
    games = games[(games["kept"][:, kind] == 1).all(axis=1)]
    players = games["label"].shape[3]
    turns = [
        np.concatenate([np.arange(common), common + (np.arange(players * own) + seat * own) % (players * own)])
        for seat in range(players)
    ]
    index = np.stack(turns) if order is None else order[np.stack(turns)]  # [P, F]
    learns = (games["learners"][:, None] >> np.arange(players) & 1).astype(bool)  # [N, P]
    inputs, labels = [], []
    for branch in range(2):
        features = games["features"][:, kind, branch]
        final, current = games["label"][:, kind, branch], games["now"][:, kind, branch]
        parts = [features[learns[:, seat]][:, index[seat]] for seat in range(players)]
        inputs.append(np.concatenate(parts))
        to_come = np.concatenate([(final[..., :2] - current) / scale, final[..., 2:]], axis=2)
        labels.append(np.concatenate([to_come[learns[:, seat], seat] for seat in range(players)]))
    return Rows(np.concatenate(inputs), np.concatenate(labels).astype(np.float32))


@dataclass
class Fit:
    """A network while it is fitted.

    Attributes:
        parts: weights and biases, alternately.
        steps: number of steps of the whole fit, for the cosine schedule from `rate` to `last`.
        rate: first step size; over the first 200 steps it rises from 0.
        scale: points per unit of output.
        last: last step size.
        correlation: running correlation of the two branches' errors, float64[kind, output].
    """

    parts: list[Array]
    steps: int
    rate: float
    scale: float
    last: float = 3e-5
    correlation: Array = field(default_factory=lambda: np.zeros((2, OUTPUTS)))
    step: int = 0

    def __post_init__(self) -> None:
        """Set the moments of Adam to 0."""
        self._first = [np.zeros_like(part) for part in self.parts]
        self._second = [np.zeros_like(part) for part in self.parts]
        self.averaged = [part.copy() for part in self.parts]

    def learn(self, rows: Rows, kind: int) -> None:
        """Take one step with rows of one kind, FIRST or LATER."""
        outputs, hidden = _forward(self.parts, rows.inputs)
        errors = _errors(outputs, rows.labels)
        half = len(errors) // 2
        one, other = errors[:half], errors[half:]
        correlation = (one * other).mean(axis=0) / np.maximum(np.sqrt((one**2).mean(0) * (other**2).mean(0)), 1e-9)
        share = max(1 - _MEMORY, 1 / (self.step + 1))
        self.correlation[kind] += share * (correlation - self.correlation[kind])
        rho = np.clip(self.correlation[kind], 0, 0.95).astype(np.float32)
        crossed = np.concatenate([one - rho * other, other - rho * one]) / (1 - rho**2)
        self._update(_backward(self.parts, hidden, crossed * _HEADS / np.float32(len(errors))))

    def _update(self, gradients: list[Array]) -> None:
        self.step += 1
        progress = self.step / self.steps
        rate = self.last + (self.rate - self.last) * 0.5 * (1 + np.cos(np.pi * min(progress, 1.0)))
        rate *= min(1.0, self.step / 200)
        for part, gradient, first, second, mean in zip(
            self.parts, gradients, self._first, self._second, self.averaged, strict=True
        ):
            first += np.float32(0.1) * (gradient - first)
            second += np.float32(0.001) * (gradient * gradient - second)
            step_size = np.float32(rate / (1 - 0.9**self.step))
            part -= step_size * first / (np.sqrt(second / np.float32(1 - 0.999**self.step)) + np.float32(1e-8))
            mean += np.float32(1 / max(self.step - _SETTLED * self.steps, 1)) * (part - mean)

    def layers(self) -> list[tuple[Array, Array]]:
        """Return weights and bias of each layer, averaged; the network's score and lead are in points."""
        parts = [part.copy() for part in self.averaged]
        unit = np.array([self.scale, self.scale, 1.0], np.float32)
        parts[-2] *= unit
        parts[-1] *= unit
        return list(zip(parts[::2], parts[1::2], strict=True))


def parts_of(layers: Sequence[tuple[Array, Array]], scale: float) -> list[Array]:
    """Return weights and biases of a finished network, alternately, for a further fit; the reverse of `Fit.layers`."""
    parts = [part.copy() for layer in layers for part in layer]
    unit = np.array([1 / scale, 1 / scale, 1.0], np.float32)
    parts[-2] *= unit
    parts[-1] *= unit
    return parts


def predictions(layers: Sequence[tuple[Array, Array]], inputs: Array) -> Array:
    """Return score and lead to come in points, and the logit of a win, float32[N, 3]."""
    return _forward([part for layer in layers for part in layer], inputs)[0]


def batches(count: int, size: int) -> Iterator[slice]:
    """Return slices of `size` games, in order; an incomplete last slice is left out."""
    return (slice(start, start + size) for start in range(0, count - size + 1, size))


def _forward(parts: list[Array], inputs: Array) -> tuple[Array, list[Array]]:
    hidden = [inputs]
    for weights, bias in zip(parts[:-2:2], parts[1:-2:2], strict=True):
        hidden.append(np.maximum(hidden[-1] @ weights + bias, 0))
    return hidden[-1] @ parts[-2] + parts[-1], hidden


def _errors(outputs: Array, labels: Array) -> Array:
    errors = outputs - labels
    errors[:, WIN] = 1 / (1 + np.exp(-outputs[:, WIN])) - labels[:, WIN]
    return errors


def _backward(parts: list[Array], hidden: list[Array], upper: Array) -> list[Array]:
    gradients = list[Array]()
    for layer in reversed(range(len(hidden))):
        gradients = [hidden[layer].T @ upper, upper.sum(axis=0), *gradients]
        if layer:
            upper = (upper @ parts[2 * layer].T) * (hidden[layer] > 0)
    return gradients

"""The response of figures to several numbers, from measured changes with known errors.

A Gaussian process for each figure, additive with products (Duvenaud et al. 2011): each number has a slope and a smooth
deviation from it that starts at 0 (a cubic spline on either side, Wahba 1978), each pair of numbers a product. So a
prediction is a sum of a function of each number and a coefficient for each pair, and any box of few changed numbers is
predicted from tables. A pair that clearly does more than the slopes of its numbers suggest has a product of its size.

Axes: N points, K numbers, F figures. Positions are in steps from the box, which is 0.
"""

from dataclasses import dataclass

import numpy as np

from strozzi_sim.stats.differences import SMALLEST
from strozzi_sim.stats.intervals import Array

BEND = 0.1  # variance of the deviation from a straight line, in squared slopes for each cubed step
PRODUCT = 0.05  # size of a product's coefficient, in slopes for each step of the other number
_LEAST = 0.1  # least size of a slope, in typical slopes of the figure
_CLEAR = 3.0  # standard errors from which a pair shows a product that the slopes of its numbers do not suggest


@dataclass(frozen=True)
class Products:
    """The coefficients of the pairs, first before second number, each float64[K, K, F].

    Attributes:
        fitted: as predictions take them, small unless a pair clearly shows more.
        shown, error: what the points show of a coefficient if nothing is known of it before, and its standard error,
            huge for a pair that was not played.
    """

    fitted: Array
    shown: Array
    error: Array


class Surface:
    """Figures as functions of numbers.

    Attributes:
        slope: prior size of the slopes, float64[K, F], from the points themselves.
        products: the coefficients of the pairs.
    """

    def __init__(self, positions: Array, change: Array, error: Array) -> None:
        """Fit changes float64[N, F] with standard errors float64[N, F] at positions float64[N, K]."""
        self._positions = positions
        self.slope = _slopes(positions, change, error)
        self._first, self._second = np.triu_indices(positions.shape[1], 1)
        self._products_of_points = positions[:, self._first] * positions[:, self._second]  # float64[N, P], pairs
        self._variance = (PRODUCT * self.slope[self._first] * self.slope[self._second]) ** 2  # float64[P, F]
        self._weights = np.zeros(change.shape)
        self._inverse = list[Array]()
        shape = positions.shape[1], *self.slope.shape
        self.products = Products(np.zeros(shape), np.zeros(shape), np.full(shape, np.inf))
        linear = positions[:, None, :] * positions[None, :, :]
        additive = linear + BEND * _spline(positions[:, None, :], positions[None, :, :])
        for figure in range(change.shape[1]):
            self._fit(figure, additive @ self.slope[:, figure] ** 2, change[:, figure], error[:, figure])

    def _fit(self, figure: int, additive: Array, change: Array, error: Array) -> None:
        """Fit a figure; the pair that shows the clearest product is given its size until no other is clear."""
        of_points, variance = self._products_of_points, self._variance[:, figure]
        covariance = additive + (of_points * variance) @ of_points.T
        inverse = np.linalg.inv(covariance + np.diag(error**2 + 1e-12))
        while True:
            along = inverse @ of_points
            information = np.maximum((of_points * along).sum(axis=0), SMALLEST)
            score = along.T @ change
            clear = score**2 / information
            pair = int(np.argmax(clear)) if len(clear) else 0
            if not len(clear) or clear[pair] <= _CLEAR**2:
                break
            more = (clear[pair] - 1) / information[pair]
            inverse -= np.outer(along[:, pair], along[:, pair]) * more / clear[pair]
            variance[pair] += more
        self._inverse.append(inverse)
        self._weights[:, figure] = inverse @ change
        places = self._first, self._second, figure
        self.products.fitted[places] = variance * score
        self.products.shown[places] = score / information
        self.products.error[places] = np.sqrt(1 / information - variance)

    def along(self, number: int, positions: Array) -> Array:
        """Return the predicted changes with one number at these positions, float64[V] -> float64[V, F]."""
        column = self._positions[:, number]
        at = np.asarray(positions, np.float64)[:, None]
        kernel = at * column + BEND * _spline(at, column[None, :])
        return np.asarray(self.slope[number] ** 2 * (kernel @ self._weights))

    def at(self, position: Array) -> tuple[Array, Array]:
        """Return the predicted changes at a position, float64[K], and their standard errors, float64[F] each."""
        moved = np.flatnonzero(position)
        own, others = position[moved], self._positions[:, moved]
        additive = own * others + BEND * _spline(own[None, :], others)
        own_additive = own**2 + BEND * _spline(own, own)
        products = position[self._first] * position[self._second]
        pairs = np.flatnonzero(products)
        value, error = np.zeros(self.slope.shape[1]), np.zeros(self.slope.shape[1])
        for figure, slope in enumerate(self.slope[moved].T):
            variance = self._variance[pairs, figure] * products[pairs]
            kernel = additive @ slope**2 + self._products_of_points[:, pairs] @ variance
            prior = float(own_additive @ slope**2 + products[pairs] @ variance)
            value[figure] = kernel @ self._weights[:, figure]
            error[figure] = np.sqrt(max(prior - kernel @ self._inverse[figure] @ kernel, 0.0))
        return value, error


def _spline(first: Array, second: Array) -> Array:
    """Return the kernel of a smooth function whose value and slope are 0 at 0, independent on its two sides."""
    low = np.minimum(np.abs(first), np.abs(second))
    high = np.maximum(np.abs(first), np.abs(second))
    return np.where(first * second > 0, low**2 * (high - low / 3) / 2, 0.0)


def _slopes(positions: Array, change: Array, error: Array) -> Array:
    """Return the size of each number's slope, float64[K, F]: squared changes for each step, less their errors."""
    squares = np.zeros((positions.shape[1], change.shape[1]))
    for number, column in enumerate(positions.T):
        alone = (column != 0) & ((positions != 0).sum(axis=1) == 1)
        if alone.any():
            squares[number] = ((change[alone] ** 2 - error[alone] ** 2) / column[alone, None] ** 2).mean(axis=0)
    typical = np.maximum(squares, 0).max(axis=0) + 1e-18
    return np.asarray(np.sqrt(np.maximum(squares, _LEAST**2 * typical)))

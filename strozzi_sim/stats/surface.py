"""The response of figures to several numbers, from measured changes with known errors.

A Gaussian process for each figure, additive with products (Duvenaud et al. 2011): each number has a slope and a smooth
deviation from it that starts at 0 (a cubic spline on either side, Wahba 1978), each pair of numbers a product. So a
prediction is a sum of a function of each number and a coefficient for each pair, and any box of few changed numbers is
predicted from tables.

Axes: N points, K numbers, F figures. Positions are in steps from the box, which is 0.
"""

import numpy as np

from strozzi_sim.stats.intervals import Array

BEND = 0.1  # variance of the deviation from a straight line, in squared slopes for each cubed step
PRODUCT = 0.05  # size of a product's coefficient, in slopes for each step of the other number
_LEAST = 0.1  # least size of a slope, in typical slopes of the figure
_CLEAR = 3.0  # standard errors from which a pair shows a product that the slopes of its numbers do not suggest


class Surface:
    """Figures as functions of numbers.

    Attributes:
        slope: prior size of the slopes, float64[K, F], from the points themselves.
        product: coefficients of the pairs, float64[K, K, F], symmetric, with zeros on the diagonal.
    """

    def __init__(self, positions: Array, change: Array, error: Array) -> None:
        """Fit changes float64[N, F] with standard errors float64[N, F] at positions float64[N, K]."""
        self._positions = positions
        self.slope = _slopes(positions, change, error)
        self._shown = _shown_products(positions, change, error)
        self._weights = np.zeros(change.shape)
        self._inverse = list[Array]()
        linear = positions[:, None, :] * positions[None, :, :]
        bent = _spline(positions[:, None, :], positions[None, :, :])
        for figure, slope in enumerate(self.slope.T):
            covariance = _kernel(linear, bent, slope) + self._of_shown(positions, figure)
            noise = np.diag(error[:, figure] ** 2 + 1e-12)
            self._inverse.append(np.linalg.inv(covariance + noise))
            self._weights[:, figure] = self._inverse[-1] @ change[:, figure]
        pairs = np.einsum("ik,il,if->klf", positions, positions, self._weights)
        self.product = PRODUCT**2 * self.slope[:, None] * self.slope[None, :] * pairs
        for (k, other), variance in self._shown.items():
            for place in ((k, other), (other, k)):
                self.product[place] += variance * pairs[place]
        self.product[np.diag_indices(len(self.slope))] = 0.0

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
        linear = own * others
        bent = _spline(own[None, :], others)
        own_linear, own_bent = own**2, _spline(own, own)
        value, error = np.zeros(self.slope.shape[1]), np.zeros(self.slope.shape[1])
        for figure, slope in enumerate(self.slope[moved].T):
            kernel = _kernel(linear, bent, slope) + self._of_shown(position[None, :], figure)[0]
            prior = float(_kernel(own_linear, own_bent, slope))
            prior += sum(
                variance[figure] * (position[k] * position[other]) ** 2 for (k, other), variance in self._shown.items()
            )
            value[figure] = kernel @ self._weights[:, figure]
            error[figure] = np.sqrt(max(prior - kernel @ self._inverse[figure] @ kernel, 0.0))
        return value, error

    def _of_shown(self, at: Array, figure: int) -> Array:
        """Return what `_shown` adds to the prior covariances at positions float64[M, K] and the points, [M, N]."""
        total = np.zeros((len(at), len(self._positions)))
        for (k, other), variance in self._shown.items():
            if not (at[:, k] * at[:, other]).any():
                continue
            products = self._positions[:, k] * self._positions[:, other]
            total += variance[figure] * np.outer(at[:, k] * at[:, other], products)
        return total


def _kernel(linear: Array, bent: Array, slope: Array) -> Array:
    """Return the prior covariances of a figure, without `_shown`, from products and splines of positions [..., K]."""
    products = (linear @ slope) ** 2 - linear**2 @ slope**2
    return np.asarray((linear + BEND * bent) @ slope**2 + PRODUCT**2 * products / 2)


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


def _shown_products(positions: Array, change: Array, error: Array) -> dict[tuple[int, int], Array]:
    """Return the variance of the product of each pair that clearly does more than its numbers alone, float64[F].

    The pair and each number by itself must have been played at the same positions.
    """
    place_of = {tuple(position): place for place, position in enumerate(positions)}
    shown: dict[tuple[int, int], Array] = {}
    for place, position in enumerate(positions):
        moved = np.flatnonzero(position)
        if len(moved) != 2:
            continue
        alone = (tuple(np.where(np.arange(len(position)) == k, position, 0.0)) for k in moved)
        singles = [place_of[single] for single in alone if single in place_of]
        if len(singles) < 2:
            continue
        more = change[place] - change[singles].sum(axis=0)
        variance = error[place] ** 2 + (error[singles] ** 2).sum(axis=0)
        size = np.where(more**2 > _CLEAR**2 * variance, more**2 - variance, 0.0) / np.prod(position[moved]) ** 2
        if size.any():
            pair = (int(moved[0]), int(moved[1]))
            shown[pair] = np.maximum(shown.get(pair, 0.0), size)
    return shown

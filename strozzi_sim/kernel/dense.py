"""A dense layer with independent rows: the result of a row has the same bits in any batch, at any index.

Each sum adds the inputs in their order, and each product is rounded before it is added (no fused multiply-add, no
reassociation). IEEE 754 then determines the result, so the bits are equal on every processor.
"""

from functools import cache
from typing import Any

import numpy as np

_FOLDER = "dense"  # used instead of a game's name in the name of the cache folder


def _dense(x, weights, bias, out):
    """Compute `out = x @ weights + bias`, with four inputs per pass, added one after another."""
    inputs, outputs = weights.shape
    for row in range(x.shape[0]):
        for j in range(outputs):
            out[row, j] = bias[j]
        i = 0
        while i + 4 <= inputs:
            a, b, c, d = x[row, i], x[row, i + 1], x[row, i + 2], x[row, i + 3]
            for j in range(outputs):
                total = out[row, j] + a * weights[i, j]
                total = total + b * weights[i + 1, j]
                total = total + c * weights[i + 2, j]
                out[row, j] = total + d * weights[i + 3, j]
            i += 4
        while i < inputs:
            a = x[row, i]
            for j in range(outputs):
                out[row, j] = out[row, j] + a * weights[i, j]
            i += 1


@cache
def _compiled(dtype: Any) -> Any:
    from numba import types  # here, so that declaring an agent does not import numba

    from strozzi_sim.kernel.jit import entry, jit

    number = types.float32 if dtype == np.float32 else types.float64
    return entry(jit(_dense), types.void(number[:, ::1], number[:, ::1], number[::1], number[:, ::1]), _FOLDER)


def dense(x: Any, weights: Any, bias: Any = None) -> Any:
    """Return `x @ weights + bias`, with bits that depend neither on the other rows nor on the processor.

    `x` is float32[B, I] or float64[B, I]; `weights` [I, O] and `bias` [O], with which the sums begin, have its dtype.

    >>> dense(np.eye(2, dtype=np.float32), np.ones((2, 3), np.float32)).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    x, weights = np.ascontiguousarray(x), np.ascontiguousarray(weights)
    if x.dtype not in (np.float32, np.float64) or x.ndim != 2 or weights.ndim != 2 or x.shape[1] != weights.shape[0]:
        got = f"{x.dtype}{list(x.shape)} and {weights.dtype}{list(weights.shape)}"
        raise ValueError(f"dense: expected x float32[B, I] or float64[B, I] and weights [I, O], got {got}")
    outputs = weights.shape[1]
    bias = np.zeros(outputs, x.dtype) if bias is None else np.ascontiguousarray(bias)
    if weights.dtype != x.dtype or bias.dtype != x.dtype or bias.shape != (outputs,):
        got = f"{weights.dtype} and {bias.dtype}{list(bias.shape)}"
        raise ValueError(f"dense: expected weights and bias [{outputs}] of {x.dtype} like x, got {got}")
    out = np.empty((len(x), outputs), x.dtype)
    # The compiled signature excludes read-only arrays, such as the class attributes of Python agents.
    arrays = [np.require(array, requirements=["C", "A", "W"]) for array in (x, weights, bias)]
    _compiled(x.dtype)(*arrays, out)
    return out

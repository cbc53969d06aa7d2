"""Random draws for resampling, which depend on a seed and a stream alone."""

import numpy as np
import numpy.typing as npt

from strozzi_sim.kernel.streams import mix

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_UPPER = np.uint64(32)


def draws(seed: int, stream: int, shape: tuple[int, ...], below: int, skip: int = 0) -> npt.NDArray[np.int64]:
    """Return random numbers from 0 to `below` - 1, int64[shape]: SplitMix64, keyed by seed < 2^53, stream < 2^10.

    `below` is at most 2^32; the bias is less than `below` / 2^32. `skip` omits the first numbers, to draw in pieces.

    >>> draws(0, 1, (2, 3), 100).tolist()
    [[74, 37, 43], [95, 20, 59]]
    >>> draws(0, 1, (3,), 100, skip=3).tolist()
    [95, 20, 59]
    """
    start = mix.py_func(np.array([(seed << 10) + stream], np.uint64))
    counts = np.arange(skip + 1, skip + int(np.prod(shape)) + 1, dtype=np.uint64)
    words = mix.py_func(start + counts * _GOLDEN)
    return np.asarray(((words >> _UPPER) * np.uint64(below)) >> _UPPER, np.int64).reshape(shape)

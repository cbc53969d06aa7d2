"""Single-threaded linear algebra: the bits of a matrix product depend on the number of threads."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_lock = threading.Lock()
_users = 0
_limits = ExitStack()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread inside the block, in the whole process; the last user restores the limits."""
    global _users
    with _lock:
        _users += 1
        first = _users == 1
    try:
        if first:  # finding the libraries takes most of a millisecond
            limit_loaded()
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _limits.close()


def limit_loaded() -> None:
    """Limit libraries loaded inside the block of `single_threaded_blas` too; call it there."""
    from threadpoolctl import threadpool_limits

    with _lock:
        _limits.enter_context(threadpool_limits(1))

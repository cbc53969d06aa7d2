"""One thread for linear algebra: the bits of a matrix product depend on how many threads share it."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_lock = threading.Lock()
_users = 0
_limits = ExitStack()


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP have one thread inside the block, in all threads of the process; after its last user, as before."""
    global _users
    with _lock:
        _users += 1
        first = _users == 1
    try:
        if first:  # looking for the libraries takes most of a millisecond
            limit_loaded()
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _limits.close()


def limit_loaded() -> None:
    """Inside `one_thread`: the same for libraries that were loaded since."""
    from threadpoolctl import threadpool_limits

    with _lock:
        _limits.enter_context(threadpool_limits(1))

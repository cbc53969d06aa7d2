"""File locks that exclude other processes; closing the file releases the lock.

filelock locks a path; here the caller keeps the open file, to check that the path still leads to it.
"""

import os
from typing import IO


def take_lock(file: IO[bytes], *, wait: bool) -> None:
    """Take the lock of an open file.

    Raises:
        BlockingIOError: another process holds it (without `wait`).
        OSError: the file system has no locks.
    """
    if os.name == "nt":
        import msvcrt

        mode = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
        try:
            msvcrt.locking(file.fileno(), mode, 1)  # type: ignore[attr-defined,unused-ignore]
        except PermissionError as error:  # on Windows the lock is taken
            raise BlockingIOError(*error.args) from error
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

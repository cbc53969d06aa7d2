"""A lock on a file that keeps other processes out; closing the file releases it."""

import os
from typing import IO


def take_lock(file: IO[bytes], *, wait: bool) -> None:
    """Take the lock of an open file.

    Raises:
        BlockingIOError: another process has it (without `wait`).
        OSError: there are no locks here.
    """
    if os.name == "nt":
        import msvcrt

        mode = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
        try:
            msvcrt.locking(file.fileno(), mode, 1)  # type: ignore[attr-defined,unused-ignore]
        except PermissionError as error:  # what Windows says of a lock that is taken
            raise BlockingIOError(*error.args) from error
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

"""Frames: messages of any length in a pipe, received by a thread, as Windows cannot wait for a pipe for some time."""

from contextlib import suppress
from queue import SimpleQueue
from typing import IO

Frames = SimpleQueue[bytes | None]
_MARK = b"strozzi:"  # begins a frame, before the length of its content, so that other output is noticed
_LENGTH = 8  # bytes


def send(file: IO[bytes], content: bytes) -> None:
    """Write a frame to an unbuffered file."""
    rest = memoryview(_MARK + len(content).to_bytes(_LENGTH) + content)
    while rest:
        rest = rest[file.write(rest) :]


def receive(file: IO[bytes], frames: Frames) -> None:
    """Put the content of each frame of an unbuffered file into a queue, and None at the end of the file.

    What is not a frame is put as b"", and nothing after it is read.
    """
    with file, suppress(OSError):
        while head := _read(file, len(_MARK) + _LENGTH):
            if not head.startswith(_MARK):
                frames.put(b"")
                break
            frames.put(_read(file, int.from_bytes(head[len(_MARK) :])))
    frames.put(None)


def _read(file: IO[bytes], size: int) -> bytes:
    content = bytearray()
    while len(content) < size and (part := file.read(size - len(content))):
        content += part
    return bytes(content)

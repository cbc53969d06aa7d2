"""Reads a results folder, and changes its study.sqlite, as anybody with sqlite3 can."""

import sqlite3
import time
from contextlib import closing


def execute(folder, statement, *values):
    """Run one statement; return its rows."""
    with closing(sqlite3.connect(folder / "study.sqlite", timeout=20, isolation_level=None)) as database:
        return database.execute(statement, values).fetchall()


def chunks(folder):
    """(cell, chunk) of every stored chunk."""
    return execute(folder, "SELECT cell, chunk FROM chunks ORDER BY cell, chunk")


def keep_chunks(folder, count):
    """Remove all chunks but the first ones."""
    execute(
        folder, "DELETE FROM chunks WHERE rowid NOT IN (SELECT rowid FROM chunks ORDER BY cell, chunk LIMIT ?)", count
    )


def listed_files(folder):
    return {name for (name,) in execute(folder, "SELECT name FROM files")}


def list_file(folder, name):
    """Note a file as one that a run wrote."""
    execute(folder, "INSERT OR REPLACE INTO files VALUES (?, '')", name)


def wait_for_chunks(folder, count, process, seconds=120):
    """Wait until a run has stored this many chunks: the log grows by a few pages for each."""
    log, deadline = folder / "study.sqlite-wal", time.monotonic() + seconds
    size = 0
    while time.monotonic() < deadline and process.poll() is None:
        size = log.stat().st_size if log.exists() else size
        if size >= 16_384 * (2 * count + 8):  # the first pages hold the plan
            return
        time.sleep(0.005)
    raise AssertionError(f"no {count} chunks: {process.communicate()}")

"""Reads a results folder, and changes its study.sqlite, as anybody with sqlite3 can."""

import sqlite3
from contextlib import closing


def execute(folder, statement, *values):
    """Run one statement; return its rows."""
    with closing(sqlite3.connect(folder / "study.sqlite", timeout=60, isolation_level=None)) as database:
        return database.execute(statement, values).fetchall()


def chunks(folder):
    """(cell, chunk) of every stored chunk."""
    return execute(folder, "SELECT cell, chunk FROM chunks ORDER BY cell, chunk")


def keep_chunks(folder, count):
    """Remove all chunks but the first ones."""
    execute(
        folder, "DELETE FROM chunks WHERE rowid NOT IN (SELECT rowid FROM chunks ORDER BY cell, chunk LIMIT ?)", count
    )


def list_file(folder, name):
    """Note a file as one that a run wrote."""
    execute(folder, "INSERT OR REPLACE INTO files VALUES (?, '')", name)

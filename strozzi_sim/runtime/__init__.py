"""Atomic files, bounded input, signals, entry points, worker processes for third-party code, the code cache."""

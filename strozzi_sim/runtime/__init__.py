"""Atomic files, bounded input, signals, locks, worker processes for third-party code, the cache of compiled code."""

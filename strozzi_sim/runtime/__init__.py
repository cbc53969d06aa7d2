"""Atomic files, bounded input, signals, entry points, worker processes for third-party code, the code cache."""

# Modules and packages that the compiled code of a game can reach beside the game itself, by dotted name. The package
# `strozzi_sim` states them, since it alone knows all rooms; `runtime.cache` makes its key of their sources.
compiled_sources: tuple[str, ...] = ()

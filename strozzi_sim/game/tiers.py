"""The tiers of a game: names of levels of strength, each with an agent."""

from collections.abc import Iterable

from strozzi_sim.errors import InputError, short_repr, suggest_names

TIERS = ("weak", "usual", "trained", "strong")  # weakest first
_RENAMED = {"middle": "usual", "learned": "trained", "search": "strong"}  # what other versions called them


def check_tiers(game: str, tiers: Iterable[str]) -> None:
    """Check that a game's tiers are known. Raises InputError."""
    for tier in tiers:
        if tier not in TIERS:
            hint = f"call it {_RENAMED[tier]!r}" if tier in _RENAMED else suggest_names(tier, TIERS)
            raise InputError(f"game {game!r}: tiers: unknown tier {short_repr(tier)}; {hint}")

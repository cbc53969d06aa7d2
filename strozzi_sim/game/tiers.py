"""The tiers of a game: names of levels of strength, each with an agent."""

from collections.abc import Iterable
from dataclasses import dataclass

from strozzi_sim.errors import InputError, short_repr, suggest_names

STRONG = "strong"  # the tier of agents that search, which are slow
TIERS = ("weak", "usual", "trained", STRONG)  # weakest first
RANDOM_MOVES = "random moves"  # name of the agent `random`, also as a tier
_RENAMED = {"middle": "usual", "learned": "trained", "search": "strong"}  # what other versions called them
_COUNTS = ("no", "one", "two", "three", "four", "five")


@dataclass(frozen=True)
class TierNote:
    """A description of the agent of a tier, for readers who know no agents."""

    short: str  # a clause that follows its name: "errs on purpose"
    made: str  # how it was made: "A network trained on 900,000 games"
    errs: str  # how it errs: "it ignores what rivals plan"
    wins: float = 0.0  # share of games that it won, alone among usual players
    games: int = 0  # the number of these games; 0: not measured
    players: int = 2  # their player count

    @property
    def sentence(self) -> str:
        """The note as a sentence."""
        if not self.games:
            return f"{self.made}; {self.errs}."
        usual = f"{_COUNTS[self.players - 1]} usual player{'s' * (self.players > 2)}"
        fair = f"{100 / self.players:.3g} would be equal"
        wins = f"it wins {100 * self.wins:.0f} of 100 games against {usual} ({self.games:,} games; {fair})"
        return f"{self.made}; {self.errs}; {wins}."


def check_tiers(game: str, tiers: Iterable[str]) -> None:
    """Check that a game's tiers are known. Raises InputError."""
    for tier in tiers:
        if tier not in TIERS:
            hint = f"call it {_RENAMED[tier]!r}" if tier in _RENAMED else suggest_names(tier, TIERS)
            raise InputError(f"game {game!r}: tiers: unknown tier {short_repr(tier)}; {hint}")

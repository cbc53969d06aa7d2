"""Limits of one call: what it may play, so that an answer comes while somebody waits for it, and which files it may use."""

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from strozzi_sim.errors import InputError

if TYPE_CHECKING:
    from strozzi_sim.studies.progress import Progress

GAMES = 50_000
SECONDS = 120.0
_SHARE = 0.9  # of the time, after which a run ends itself with a better message


@dataclass(frozen=True)
class Limits:
    """Limits of one call.

    Attributes:
        games: most games.
        seconds: longest time.
        code: the files that agents may use; the arguments of a call are an assistant's and name none by themselves.
    """

    games: int = GAMES
    seconds: float = SECONDS
    code: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """Options of `strozzi mcp` without which a call of the same arguments would be refused."""
        return [word for file in self.code for word in ("--code", file)]

    def progress(self, command: str, *, resumes: bool = False) -> "Progress":
        """Return the callbacks of a run that end it with an InputError beyond a limit; `resumes`: calling again continues it."""
        from strozzi_sim.studies.progress import Progress

        deadline = monotonic() + _SHARE * self.seconds

        def check(done: int, total: int) -> None:
            elsewhere = f"ask for fewer deals, or run this in a terminal: {command}"
            if total > self.games:
                raise InputError(
                    f"{total:,} games are more than the {self.games:,} that one call may play; {elsewhere}"
                )
            if monotonic() > deadline and done < total:
                again = "they are kept, so call again to go on" if resumes else elsewhere
                raise InputError(f"{done:,} of {total:,} games were played in {self.seconds:g} s, the limit; {again}")

        return Progress(on_games=check, command=command, allow_partial=False)

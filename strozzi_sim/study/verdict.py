"""The verdict of a study: its answer, in words that can be repeated at the table. Every kind of study has this form.

The numbers of an answer are games of 100, coins or points, rounded by the functions of `declare.printing` that also
print cells. An answer is said only of what is significant; the notes say what could be missed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import rounded_up
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import listed

MOST_WORDS = 24  # of an answer: two lines of a page that is 1280 pixels wide
MOST_WORDS_ON_SCREEN = 45  # of the sentences of a verdict that are on the first screen of a page


@dataclass(frozen=True)
class Verdict:
    """The answer of a study and what is said with it."""

    answer: str  # a sentence of at most MOST_WORDS words, with one or two numbers
    subject: str = ""  # a sentence on what was changed or taken away
    notes: tuple[str, ...] = ()  # sentences: who played, what could be missed, other places; the first matter most
    changes: tuple[str, ...] = ()  # KEY=VALUE of the changed box that the answer names, if it finds one
    unprinted: tuple[str, ...] = ()  # those of the notes that a sheet of paper lacks, such as commands

    @property
    def lines(self) -> list[str]:
        """All sentences, the answer first."""
        return [line for line in (self.answer, self.subject, *self.notes) if line]

    @property
    def document(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {"answer": self.answer, "subject": self.subject, "notes": list(self.notes)}

    @property
    def printed(self) -> list[str]:
        """The notes for a sheet of paper."""
        return [note for note in self.notes if note not in self.unprinted]

    def with_notes(self, notes: Iterable[str]) -> "Verdict":
        """Return the verdict with more notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def fitting(self, words: int) -> int:
        """Return how many of the notes fit if all that is said has at most this number of words."""
        used = word_count(self.answer) + word_count(self.subject)
        return sum(used + length <= words for length in accumulate(map(word_count, self.notes)))


def word_count(text: str) -> int:
    """Return the number of words in a text."""
    return len(text.split())


def score_unit(game: Game) -> str:
    """Return the unit of scores in the plural: "coins"."""
    return f"{game.score_unit}s"


def with_unit(amount: str, game: Game) -> str:
    """Return an amount of score with its unit: "97 coins", "1 coin"."""
    return f"{amount} {game.score_unit if amount == '1' else score_unit(game)}"


def games_at_most(share: float) -> str:
    """Return an upper bound of a share, rounded up, as games of 100: "at most 46 of 100 games"."""
    return f"at most {rounded_up(share)} of 100 games"


def games_of_100(*shares: float, among: Sequence[float] = ()) -> str:
    """Return shares of wins as games of 100: whole ones, or tenths if one would look equal to another of `among`.

    >>> games_of_100(0.3949, 0.31), games_of_100(0.2524, among=(0.25,)), games_of_100(0.25, among=(0.25,))
    ('39 and 31', '25.2', '25')
    """

    def text(share: float, digits: int) -> str:
        return format_value(share, WIN_SHARE, digits, bare=True)

    is_close = any(text(one, 0) == text(other, 0) and one != other for one in shares for other in among)
    return listed([text(share, 1 if is_close else 0) for share in shares])

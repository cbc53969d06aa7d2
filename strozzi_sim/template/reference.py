"""The rules in plain Python, written from the rule text and not from core.py.

Every seat in turn takes one of the tokens that are face up, and a token from the sack replaces it. The game ends after
each seat's last turn, or when no token is left. The highest sum of values wins.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from strozzi_sim.game.record_checking import Question, ReferenceGame


class Game(ReferenceGame):
    """One game; `tokens` are the values in the order in which they are turned face up."""

    def __init__(
        self, components: Mapping[str, Any], players: int, tokens: Sequence[int], start_player: int = 0
    ) -> None:
        """Prepare the game, and play up to the first decision."""
        self.components, self.players, self.start_player = components, players, start_player
        self.order = list(tokens)
        self.table: list[int] = []
        self.score = [0] * players
        self.begin()

    @property
    def face_up(self) -> list[int]:
        """Number of tokens face up, by value."""
        return [self.table.count(kind + 1) for kind in range(len(self.components["tokens"]["copies"]))]

    @property
    def sack(self) -> list[int]:
        """Number of tokens in the sack, by value."""
        return [self.order.count(kind + 1) for kind in range(len(self.components["tokens"]["copies"]))]

    def course(self) -> Generator[Question, Any, None]:
        """Play the whole game."""
        for _ in range(self.components["table"]["face_up"]):
            self.reveal()
        for turn in range(self.components["table"]["turns"] * self.players):
            if not self.table:
                break
            seat = (self.start_player + turn) % self.players
            value = yield from self.ask("take", seat, sorted(set(self.table)))
            self.table.remove(value)
            self.score[seat] += value
            self.write("take", player=seat, value=value)
            self.reveal()
        winners = [seat for seat, total in enumerate(self.score) if total == max(self.score)]
        self.write("score_end", total=list(self.score), winners=winners)

    def reveal(self) -> None:
        """Turn the next token face up, if there is one."""
        if self.order:
            self.table.append(self.order.pop(0))
            self.write("reveal", value=self.table[-1])

"""The rules in plain Python, written from the rule text and not from core.py.

In turn order each seat takes one of the face-up tokens, and a token from the sack replaces it. The game ends when every
seat has taken its last turn, or when no token is left. The highest sum of values wins.
"""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.record_checking import Course, Drawn, ReferenceGame, replayer


class Game(ReferenceGame):
    """One game."""

    tokens: list[int]  # values of the tokens in the order, drawn by chance, in which they are revealed

    def course(self) -> Course:
        """Play the whole game."""
        self.table: list[int] = []
        self.score = [0] * self.players
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
        self.write_scores(self.score)

    def reveal(self) -> None:
        """Turn the next token face up, if there is one."""
        if self.tokens:
            self.table.append(self.tokens.pop(0))
            self.write("reveal", value=self.table[-1])

    @property
    def face_up(self) -> list[int]:
        """The number of face-up tokens of each value, as the table in the browser shows it."""
        return [self.table.count(kind + 1) for kind in range(len(self.components["tokens"]["copies"]))]


def _all_tokens(components: Mapping[str, Any]) -> list[int]:
    return [kind + 1 for kind, copies in enumerate(components["tokens"]["copies"]) for _ in range(copies)]


# for `strozzi verify`: a draw is `value` of a line `reveal`, an answer to `ask("take", ...)` that of a line `take`
REPLAY = replayer(Game, [Drawn("tokens", "reveal", "value", _all_tokens)], {"take": "value"})

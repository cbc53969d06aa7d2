"""A game as a tree in which every draw of chance is a separate node, as in OpenSpiel.

A draw occurs during the deal or an action; after it, the action is replayed with the outcomes so far as a script.
"""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.kernel.jit import Kernels
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SeatRng
from strozzi_sim.play.kernels import kernels
from strozzi_sim.play.start import script_of, set_up_game

DIGEST = 16  # bytes of the digest of what a seat has seen and done
_SAMPLES = 16  # random games that `largest_draw` plays
Array = np.ndarray[Any, Any]


class TreeGame:
    """A game, its variant and its number of seats, with the kernels that play it."""

    def __init__(self, game: str | Game, players: int | None, variant: AnyVariant) -> None:
        start = set_up_game(game, players, 0, 0, variant)
        self.game, self.variant, self.players = start.game, start.variant, start.players

    @cached_property
    def kernels(self) -> Kernels:
        """Kernels that read or sample states."""
        return kernels(self.game)

    @cached_property
    def scripted(self) -> Kernels:
        """Kernels that deal and play, with the outcomes of chance as a list."""
        return kernels(self.game, scripted=True)

    @cached_property
    def start(self) -> "Node":
        """The first node: the first draw of the deal, or the first decision if the deal draws nothing."""
        return Node(self, None, None, ())

    def largest_draw(self) -> int:
        """Return the most outcomes of a draw in 16 random games; a draw in another game may have more."""
        rng, largest = SeatRng(0), 1
        for _ in range(_SAMPLES):
            node = self.start
            while not node.over:
                if node.outcomes:
                    largest = max(largest, node.outcomes)
                    node = node.after(rng.below(node.outcomes))
                else:
                    legal = node.legal
                    node = node.after(legal[rng.below(len(legal))])
        return largest

    def __deepcopy__(self, memo: Any) -> "TreeGame":
        return self

    def __reduce__(self) -> Any:
        return TreeGame, (self.game, self.players, self.variant)


@dataclass(eq=False, repr=False)
class Decision:
    """A state in which a seat must decide, or the end of a game. Only `seen` is filled later.

    `before` is the previous decision, `action` the one played there (both None after the deal), `drawn` the outcomes of
    all draws since then. An `imagined` decision was sampled and has none of these. The `actor` of the end is -1.
    """

    table: TreeGame
    state: Array
    actor: int
    before: "Decision | None" = None
    action: int | None = None
    drawn: tuple[int, ...] = ()
    imagined: bool = False
    seen: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)  # seat -> digest, bytes of the concealed state

    @cached_property
    def legal(self) -> list[int]:
        """Legal actions in ascending order."""
        out = np.empty(self.table.game.actions, np.int64)
        count = self.table.kernels.legal(self.state, self.table.variant.rules, out)
        return out[:count].tolist()  # type: ignore[no-any-return]

    def concealed(self, seat: int) -> Array:
        """Return the state as `seat` knows it, shape (1,)."""
        state = exact_copy(self.state)
        self.table.kernels.conceal(state, self.table.variant.rules, seat)
        return state

    def view(self, seat: int) -> Any:
        """Return the game's View of what `seat` knows."""
        return self.table.game.view.view_of(self.concealed(seat)[0], self.table.variant.components, seat)

    def digest(self, seat: int) -> bytes:
        """Return a digest of what `seat` has seen and played, which other steps leave unchanged."""
        undigested: list[Decision] = []
        decision: Decision | None = self
        while decision is not None and seat not in decision.seen:
            undigested.append(decision)
            decision = decision.before
        for decision in reversed(undigested):
            decision.seen[seat] = decision._look(seat)
        return self.seen[seat][0]

    def _look(self, seat: int) -> tuple[bytes, bytes]:
        """Return the entry of `seen` for a seat, from the previous decision's entry."""
        concealed = self.concealed(seat).tobytes()
        if self.before is None:
            return _digest(b"", concealed), concealed
        digest, known_before = self.before.seen[seat]
        step = self.table.kernels.seen(self.before.state, self.state, self.table.variant.rules, self.action, seat)
        if step == 0 and concealed == known_before:
            return digest, concealed
        own_action = self.action if self.before.actor == seat else 0
        step_bytes = np.array([self.before.actor, step, own_action], np.int64).tobytes()
        return _digest(digest, step_bytes + concealed), concealed

    def imagine(self, seat: int, random_bits: int) -> "Decision":
        """Sample, by 64 random bits, a decision that `seat` cannot distinguish from this; `digest(seat)` is equal."""
        digest = self.digest(seat)
        state, rng, chance = exact_copy(self.state), np.zeros(1, RANDOM), np.zeros(1, CHANCE)
        rng["cursor"] = random_bits
        actor = self.table.kernels.imagine(state, self.table.variant.rules, chance, seat, rng)
        return Decision(self.table, state, int(actor), imagined=True, seen={seat: (digest, self.seen[seat][1])})


def _digest(before: bytes, more: bytes) -> bytes:
    return blake2b(before + more, digest_size=DIGEST).digest()


class Node:
    """A decision, a draw of chance, or the end of a game. Never changed, so that copies share it.

    At a draw, `decision` is the last one, `action` the action played there (both None during the deal), and `drawn`
    the outcomes since. The draw is from chance source `source`, with `outcomes` equally likely outcomes. Otherwise
    `decision` is this decision or the end, and `outcomes` is 0.
    """

    __slots__ = ("action", "decision", "drawn", "outcomes", "source", "table")

    def __init__(self, table: TreeGame, decision: Decision | None, action: int | None, drawn: tuple[int, ...]) -> None:
        """Play `action` with these outcomes, or the deal without a decision; without an action stay at `decision`."""
        self.table, self.decision, self.action, self.drawn = table, decision, action, drawn
        self.source = self.outcomes = 0
        if decision is not None and action is None:
            return
        outcomes = np.array(drawn, np.int64)
        script, rules = script_of(outcomes), table.variant.rules
        if decision is None:
            state = np.zeros(1, table.game.state)
            actor = table.scripted.deal(state, rules, script, table.players, 0)
        else:
            state = exact_copy(decision.state)
            actor = table.scripted.step(state, rules, script, action)
        self.source, self.outcomes = int(script["source"][0]), int(script["outcomes"][0])
        if self.outcomes == 0:
            self.decision = Decision(table, state, int(actor), decision, action, drawn)
            self.action, self.drawn = None, ()

    @property
    def actor(self) -> int:
        """The seat that must decide; -1 at a draw and at the end."""
        return -1 if self.outcomes or self.decision is None else self.decision.actor

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.outcomes == 0 and self.actor < 0

    @property
    def legal(self) -> list[int]:
        """Legal actions in ascending order; [] at a draw and at the end."""
        return [] if self.outcomes or self.decision is None else self.decision.legal

    def payoffs(self) -> list[float]:
        """Return the utilities of all seats, which add up to zero; zeros before the end.

        A sole winner has 1, every loser -1 / (players - 1); several winners have equal shares of what the losers lose.
        """
        table, out = self.table, np.zeros((self.table.players, 3), np.int64)
        if not self.over or self.decision is None:
            return [0.0] * table.players
        table.kernels.results(self.decision.state, out)
        wins = np.where(out[:, 1] == 0, 1 / np.maximum(out[:, 2], 1), 0.0)
        return ((table.players * wins - 1) / (table.players - 1)).tolist()  # type: ignore[no-any-return]

    def after(self, choice: int) -> "Node":
        """Return the node after a legal action, or after an outcome of a draw. Raises ArgumentError."""
        if self.outcomes:
            if not 0 <= choice < self.outcomes:
                known = f"outcomes: 0 to {self.outcomes - 1}"
                raise ArgumentError("action", f"{choice} is not an outcome of this draw; {known}")
            return Node(self.table, self.decision, self.action, (*self.drawn, choice))
        if choice not in self.legal:
            legal = ", ".join(map(str, self.legal)) or "none, the game is over"
            raise ArgumentError("action", f"{choice} is not legal; legal: {legal}")
        return Node(self.table, self.decision, choice, ())

    def history(self) -> tuple["Decision | None", list[int]]:
        """Return where the game begins (an imagined decision; None: the deal), and all actions and outcomes since."""
        choices = [*reversed(self.drawn)] + ([] if self.action is None else [self.action])
        decision = self.decision
        while decision is not None and not decision.imagined:
            choices += [*reversed(decision.drawn)] + ([] if decision.action is None else [decision.action])
            decision = decision.before
        return decision, choices[::-1]

    def __deepcopy__(self, memo: Any) -> "Node":
        return self

    def __reduce__(self) -> Any:
        start, choices = self.history()
        return _node, (self.table, start and (start.state, start.actor, start.seen), choices)


def _node(table: TreeGame, start: tuple[Array, int, Any] | None, choices: list[int]) -> Node:
    node = table.start
    if start is not None:
        node = Node(table, Decision(table, start[0], start[1], imagined=True, seen=start[2]), None, ())
    for choice in choices:
        node = node.after(choice)
    return node

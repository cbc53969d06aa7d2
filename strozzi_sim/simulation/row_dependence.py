"""Test whether rows of a batch affect each other: the same decisions are repeated in other places and among other rows.

The bits of a matrix product depend on a row's place and on its neighbours with the kernels that OpenBLAS has for many
processors. Where that moves a choice, a game is a function of the match and the range of deals it was played in, and may
be another one when it is played alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import BATCH_SIZE, InvalidAnswer, TimeLimit, aligned, make_player, seconds_allowed
from strozzi_sim.errors import AgentFault
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match

DEALS = 64  # games of self-play that rows are taken from, at each player count
MAX_ROWS = 16 * BATCH_SIZE  # rows that are repeated
_PER_CALL = (BATCH_SIZE, BATCH_SIZE // 2, BATCH_SIZE - 3, 1)  # rows in a call; the others are empty
_SINGLE = 64  # rows that are repeated alone

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RowCheck:
    """Result: number of different decisions repeated, and of those that changed at least once."""

    rows: int
    moved: int

    @property
    def independent(self) -> bool:
        """Whether none changed."""
        return self.moved == 0


class _Listener:
    """Agent that answers as another one does, and records its inputs."""

    def __init__(self, player: Any) -> None:
        self._player = player
        self.rows: list[tuple[Array, Array, Array, Array]] = []

    def act_batch(self, observations: Array, legal: Array, rng: Array) -> Any:
        """See `python_agent`."""
        actions = np.array(self._player.act_batch(observations.copy(), legal.copy(), rng.copy()))
        if actions.shape == (len(legal),):
            real = ~legal[:, 0]
            self.rows.append((observations[real], legal[real], rng[real], actions[real]))
        return actions


def row_independence(spec: AgentSpec, game: Game, variant: Variant, players: Sequence[int]) -> RowCheck:
    """Repeat the decisions of some games by a batch agent, in other places and among other rows.

    "Independent" means that none of many choices changed; where two actions are worth nearly the same, a choice may still change.

    Args:
        spec: an agent with `act_batch`.
        game: the game.
        variant: its component data.
        players: player counts; each plays DEALS deals of seed 0 with the agent at every seat.

    Raises:
        AgentFault: it failed.
    """
    clock = TimeLimit(seconds_allowed(), game.name, repr(spec.text))
    try:
        with single_threaded_blas(), clock:
            player = make_player(spec.agent.function, dict(spec.values), clock)
        listener: Any = _Listener(player)
        heard = replace(spec, agent=replace(spec.agent, function=listener))
        for count in players:
            Match(game, count, (heard,), variant, 0).play(0, DEALS)
        rows = [np.concatenate(parts) for parts in zip(*listener.rows, strict=True)]
        chosen = np.linspace(0, len(rows[0]) - 1, min(len(rows[0]), MAX_ROWS)).astype(np.int64)
        observations, legal, rng, actions = (part[chosen] for part in rows)
        moved = np.zeros(len(actions), np.bool_)
        with single_threaded_blas(), clock:
            for size in _PER_CALL:
                order = np.arange(len(actions))[::-1]
                order = order[:: max(1, len(order) // _SINGLE)][:_SINGLE] if size == 1 else order
                for first in range(0, len(order), size):
                    part = order[first : first + size]
                    place = (7 * first) % (BATCH_SIZE - len(part) + 1)
                    again = _ask(player, observations[part], legal[part], rng[part], place, clock)
                    moved[part] |= again != actions[part]
    except InvalidAnswer as bad:
        raise AgentFault(f"agent {spec.text!r} {bad.what}") from bad.__cause__
    return RowCheck(len(actions), int(moved.sum()))


def row_dependent(match: Match) -> list[str]:
    """Return the spec strings of agents whose rows affect each other here: a game of theirs played alone may differ.

    Raises:
        AgentFault: one failed.
    """
    if not any(spec.agent.kind == "batch" for spec in match.lineup):
        return []
    if not match.foreign:
        return _row_dependent(match)
    dependent: list[str] = run_in_worker(_row_dependent, match, blame=match.lost)
    return dependent


def _row_dependent(match: Match) -> list[str]:
    specs = {spec.text: spec for spec in match.lineup if spec.agent.kind == "batch"}
    checks = {text: row_independence(spec, match.game, match.variant, [match.players]) for text, spec in specs.items()}
    return [text for text, check in checks.items() if not check.independent]


def _ask(player: Any, observations: Array, legal: Array, rng: Array, place: int, clock: TimeLimit) -> Array:
    """Return the actions for these rows, which begin at row `place` of a call."""
    rows = slice(place, place + len(legal))
    seen, mask = (
        aligned((BATCH_SIZE, observations.shape[1]), np.float32),
        aligned((BATCH_SIZE, legal.shape[1]), np.bool_),
    )
    words = aligned((BATCH_SIZE,), np.uint64)
    mask[:, 0] = True
    seen[rows], mask[rows], words[rows] = observations, legal, rng
    actions: Array = clock.call(lambda: np.array(player.act_batch(seen, mask, words)))[rows]
    return actions

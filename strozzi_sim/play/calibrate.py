"""Convert seconds per decision to a count for this machine: `ismcts:seconds=0.1` to `ismcts:iterations=N`.

Timing is not reproducible, so no clock is read during play. Before a run, a calibration on some positions finds the count
that takes the given CPU time per decision on average. The run uses this count and is reproducible with it; another
calibration, even on the same machine, finds another count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from time import thread_time
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, Param, Seconds, check_lineup, load_agent
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat
from strozzi_sim.simulation.isolation import query_in_worker
from strozzi_sim.simulation.match import check_players

POSITIONS = 24  # positions of a calibration, over all player counts and variants
MIN = 0.3  # minimum seconds of a measurement
_SHORT = 0.1  # up to these seconds per decision, all positions are measured
_LONGEST = 0.5  # maximum seconds per measured decision; above, time is extrapolated in proportion to the count
_DIGITS = 3  # significant digits of a count


@dataclass(frozen=True)
class Calibration:
    """Result of a calibration.

    Attributes:
        given: spec string with the budget in seconds.
        plays: spec string with the count, which plays.
        count: the count, such as "iterations=4050".
        players: player counts of the positions.
        measured: seconds per decision with that count, estimated from the measurement.
    """

    given: str
    plays: str
    count: str
    players: tuple[int, ...]
    measured: float

    def __str__(self) -> str:
        """Format the calibration as a sentence for the terminal and reports."""
        return (
            f"{self.given} plays with {self.count} ({self.measured:.3g} s per decision when calibrated on this machine), "
            f"as {self.plays}; results with seconds= cannot be reproduced, those of {self.plays} can"
        )

    def plain(self) -> dict[str, Any]:
        """Return plain data for a manifest or a JSON document."""
        return {**asdict(self), "players": list(self.players)}

    @classmethod
    def of(cls, plain: Any) -> "Calibration | None":
        """Return the calibration of this plain data; None if invalid."""
        try:
            given, plays, count = (str(plain[key]) for key in ("given", "plays", "count"))
            return cls(given, plays, count, tuple(plain["players"]), float(plain["measured"]))
        except (KeyError, TypeError, ValueError):
            return None


def calibrate(spec: AgentSpec, game: Game, players: Sequence[int], variants: Sequence[Variant]) -> Calibration:
    """Find the count with which an agent takes, on average, the seconds per decision of its spec string.

    Args:
        spec: agent with a budget in seconds.
        game: game to play.
        players: player counts; positions are distributed equally over them.
        variants: variants; positions are distributed equally over them.

    Raises:
        InputError: the agent does not play this game or cell, or its memory cannot hold the count.
        AgentFault: the agent failed, such as by changing the rules.
    """
    key = spec.in_seconds
    assert key is not None, f"{spec.text} has no budget in seconds"
    wanted = float(spec.values[key])
    seconds = spec.agent.params[key]
    assert isinstance(seconds, Seconds)
    count = spec.agent.params.get(seconds.of)
    if spec.agent.kind != "compiled" or not isinstance(count, Param):
        raise InputError(f"agent {spec.text!r}: {key} needs a compiled agent that has a parameter {seconds.of!r}")
    for number in players:
        check_lineup([spec], game, number)
        for variant in variants:
            check_players(game, number, variant)
    tables = _positions(game, players, variants)

    def with_count(number: float) -> tuple[AgentSpec, int]:
        digits = 10 ** max(int(np.log10(max(number, 1))) - _DIGITS + 1, 0)
        whole = int(min(max(round(number / digits) * digits, count.low), count.high))
        return spec.with_values({key: seconds.default, seconds.of: whole}), whole

    tried, whole = with_count(count.default)
    try:
        mean_seconds = _seconds(tried, tables, POSITIONS)
        trial = min(wanted, _LONGEST)
        tried, whole = with_count(whole * trial / mean_seconds)
        mean_seconds = _seconds(tried, tables, POSITIONS if trial <= _SHORT else POSITIONS // 3)
    except InvalidAnswer as bad:
        raise AgentFault(f"agent {spec.text!r} {bad.what}") from bad
    plays, number = with_count(whole * wanted / mean_seconds)
    try:
        Seat(plays, tables[0], 0)
    except InputError as error:
        raise InputError(f"{spec.text}: {error}") from None
    return Calibration(spec.text, plays.text, f"{seconds.of}={number}", tuple(players), mean_seconds * number / whole)


def in_counts(
    specs: Iterable[AgentSpec],
    game: Game,
    players: Sequence[int],
    variants: Sequence[Variant],
    known: Sequence[Calibration] = (),
) -> dict[str, Calibration]:
    """Return calibrations of the agents with a budget in seconds, by spec string; reuse the `known` ones."""
    by_text = {calibration.given: calibration for calibration in known}
    asked = dict.fromkeys(spec.text for spec in specs if spec.in_seconds)
    of = {spec.text: spec for spec in specs}
    return {text: by_text.get(text) or query_in_worker(calibrate, of[text], game, players, variants) for text in asked}


def _positions(game: Game, players: Sequence[int], variants: Sequence[Variant]) -> list[Position]:
    """Return positions of randomly played games, uniformly spaced in each game."""
    cells = [(number, variant) for number in players for variant in variants]
    share = -(-POSITIONS // len(cells))
    positions = []
    for number, variant in cells:
        table = Position(game, number, variant=variant)
        passed = []
        player = load_agent("random", game)
        while not table.over:
            passed.append(table.copy())
            table.play(table.ask(player))
        positions += [passed[(2 * k + 1) * len(passed) // (2 * share)] for k in range(share)]
    return positions


def _seconds(spec: AgentSpec, tables: Sequence[Position], positions: int) -> float:
    """Return mean seconds per decision over this number of positions, repeated until `MIN` seconds are measured."""
    seat = Seat(spec, tables[0], 0)
    seat.choose(tables[0].state)  # warm-up: first access to its memory
    chosen = [tables[(2 * k + 1) * len(tables) // (2 * positions)] for k in range(positions)]
    total, asked = 0.0, 0
    while total < MIN:
        for table in chosen:
            seat.variant = table.variant
            seat.forget()
            began = thread_time()
            seat.choose(table.state)
            total += thread_time() - began
        asked += positions
    return total / asked

"""Seconds a decision, turned into a count: `ismcts:seconds=0.1` into `ismcts:iterations=N` for this machine.

Timing cannot be reproduced, so nothing plays by the clock: before a run, the agent is asked about some positions, and a
count is fixed that takes that long on average, in time of one core. The run is then played with that count and can be
reproduced with it; another calibration, here or elsewhere, will find another count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from time import thread_time
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, Param, Seconds, check_lineup, is_installed, load_agent, spec_of
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat
from strozzi_sim.simulation.isolation import ask_apart
from strozzi_sim.simulation.match import check_players

POSITIONS = 24  # of which the agent is asked, of all player counts and variants together
MIN = 0.3  # seconds measured at least
_SHORT = 0.1  # seconds a decision up to which all positions are measured
_LONGEST = 0.5  # seconds a decision while measuring; beyond, time is taken to grow with the count
_DIGITS = 3  # significant digits of a count


@dataclass(frozen=True)
class Calibration:
    """What came out of a calibration.

    Attributes:
        given: the agent with its budget in seconds, spec string.
        plays: the agent with the count, which is what plays.
        count: that count, such as "iterations=4050".
        players: the player counts of the positions.
        measured: seconds a decision with that count, estimated from the measurement.
    """

    given: str
    plays: str
    count: str
    players: tuple[int, ...]
    measured: float

    def __str__(self) -> str:
        """In words, for the terminal and for reports."""
        return (
            f"{self.given} plays with {self.count} ({self.measured:.3g} s a decision when calibrated on this machine), "
            f"as {self.plays}; results with seconds= cannot be reproduced, those of {self.plays} can"
        )

    def plain(self) -> dict[str, Any]:
        """As plain data for a manifest or a JSON document."""
        return {**asdict(self), "players": list(self.players)}

    @classmethod
    def of(cls, plain: Any) -> "Calibration | None":
        """From plain data; None if it is none."""
        try:
            given, plays, count = (str(plain[key]) for key in ("given", "plays", "count"))
            return cls(given, plays, count, tuple(plain["players"]), float(plain["measured"]))
        except (KeyError, TypeError, ValueError):
            return None


def calibrate(spec: AgentSpec, game: Game, players: Sequence[int], variants: Sequence[Variant]) -> Calibration:
    """The count that takes an agent as many seconds a decision as its spec string says, on average.

    Args:
        spec: an agent whose budget is in seconds.
        game: what is played.
        players: player counts; positions are taken from all of them alike.
        variants: the component data, likewise.

    Raises:
        InputError: the agent does not play this, or its memory cannot hold the count.
        AgentFault: it changed the rules.
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
        return with_values(spec, {key: seconds.default, seconds.of: whole}), whole

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


def with_values(spec: AgentSpec, values: dict[str, Any]) -> AgentSpec:
    """The same agent with other values for some of its parameters."""
    changed = {
        key: param.write(value)
        for key, param in spec.agent.params.items()
        if (value := values.get(key, spec.values[key])) != param.default
    }
    place, _, rest = spec.text.split("(", 1)[0].rpartition("::")
    name = rest.partition(":")[0]
    if not place and not is_installed(spec.agent, spec.game):
        return spec_of(spec.agent, spec.game, **changed)
    source = f"{place}::{name}" if place else name
    settings = ",".join(f"{key}={value}" for key, value in changed.items())
    return load_agent(f"{source}:{settings}" if changed else source, spec.game)


def in_counts(
    specs: Iterable[AgentSpec],
    game: Game,
    players: Sequence[int],
    variants: Sequence[Variant],
    known: Sequence[Calibration] = (),
) -> dict[str, Calibration]:
    """Calibrations of those agents whose budget is in seconds, by spec string; the `known` ones are taken as they are."""
    by_text = {calibration.given: calibration for calibration in known}
    asked = dict.fromkeys(spec.text for spec in specs if spec.in_seconds)
    of = {spec.text: spec for spec in specs}
    return {text: by_text.get(text) or ask_apart(calibrate, of[text], game, players, variants) for text in asked}


def _positions(game: Game, players: Sequence[int], variants: Sequence[Variant]) -> list[Position]:
    """Positions of games played at random, spread evenly over each."""
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
    """Mean seconds a decision over that many of the positions, in turn until LEAST seconds have been measured."""
    seat = Seat(spec, tables[0], 0)
    seat.choose(tables[0].state)  # its memory is touched for the first time
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

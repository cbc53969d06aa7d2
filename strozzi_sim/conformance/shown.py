"""Check what a seat is shown: its observation, and its table in the browser."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import numpy as np

from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import in_ranges
from strozzi_sim.game.contract import Game
from strozzi_sim.game.table import GameTable, Line, ask, fold
from strozzi_sim.game.variants import BASE, shipped_variants
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import PlainTable, next_steps, table_of
from strozzi_sim.table.schema import check

SHOWN = 6  # number of columns, or ranges of columns, listed in an error
_EVERY = 4  # decisions from one comparison to the next
Array = np.ndarray[Any, Any]


@cache
def _ranges(game: Game) -> tuple[frozenset[str], Array, Array]:
    """Return the names of the variants for which ranges hold, and the lowest and highest values, float32[F] each."""
    return frozenset((BASE, *shipped_variants(game))), *game.slices.limits()


def check_range(checked: Checked, observation: Array, seat: int) -> None:
    """Check that every number is in the range of its slice; only in shipped variants, since others may exceed it."""
    names, low, high = _ranges(checked.game)
    if checked.variant.name not in names:
        return
    outside = np.flatnonzero((observation < low) | (observation > high))
    message = ""
    if outside.size:
        column = outside[0]
        part = [part for part in checked.game.slices.values() if column in part.index][-1]  # a field, not its group
        message = f"{part.name}, seen by seat {seat}, is {observation[column]:g}, outside {part.low:g} to {part.high:g}"
    checked.require("observe", not message, message)


def check_written(checked: Checked, observation: Array, seat: int) -> None:
    """Check that an observation, NaN before it was written, is finite; name the slices and columns that are not."""
    unwritten = np.flatnonzero(~np.isfinite(observation))
    slices = checked.game.slices
    parts = [part for part in slices.values() if not slices.fields(part.name)]  # a group's fields instead of the group
    by_slice = {part.name: np.intersect1d(part.index, unwritten).tolist() for part in parts if unwritten.size}
    listed = "; ".join(f"{name}, {_format_columns(columns)}" for name, columns in by_slice.items() if columns)
    what = f"not every column seen by seat {seat} is written with a finite number: {listed}"
    checked.require("observe", unwritten.size == 0, what)


def _format_columns(columns: Sequence[int]) -> str:
    listed = in_ranges([str(column) for column in columns])
    ending = f", ... ({len(columns)} in all)" if len(listed) > SHOWN else ""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(listed[:SHOWN])}{ending}"


def check_table(checked: Checked) -> None:
    """Check the promise `table`: play one game at random, and compare the tables of the seats with the core."""
    position, rng = checked.position(), SeatRng((checked.seed << 40) + (checked.deal << 8) + checked.players + 1)
    while not position.over:
        seat = position.actor if rng.below(2) else rng.below(checked.players)
        if len(checked.actions) % _EVERY == 0:
            _check_seat(checked, position, seat)
            _check_secrets(checked, position, position.legal[rng.below(len(position.legal))])
        action = position.legal[rng.below(len(position.legal))]
        position.play(action)
        checked.actions.append(action)
    for seat in range(checked.players):
        table = _check_seat(checked, position, seat)
        if not isinstance(table, PlainTable):
            points, scores = list(table.view["now"]), list(position.scores)
            checked.require("table", points == scores, f"the points in the end are {points}, the scores {scores}")


def _page(checked: Checked, position: Position, seat: int) -> tuple[GameTable, dict[str, Any]]:
    header = {"players": checked.players, "components": checked.variant.components, "variant": checked.variant.name}
    table = table_of(checked.game, header, seat)
    if isinstance(table, PlainTable):
        steps = next_steps(table, position.lines(seat), position, {})
    else:
        steps, before = [], dict[str, bytes]()
        for line in position.lines(seat):
            steps += fold(table, [line], before)
            _check_standing(checked, table, line)
    return table, {"head": table.head, "steps": steps, "ask": ask(table, position)}


def _check_standing(checked: Checked, table: GameTable, line: Line) -> None:
    """Check that `now` is what `standing` returns after a line: an override of `apply` may not change that later."""
    points, standing = list(table.view["now"]), list(table.standing())
    what = f"after a line of type {line['type']} the page shows the points {points}, a line late: standing() returns "
    what += f"{standing}; change what it reads in on_TYPE or lay_out, not after GameTable.apply"
    checked.require("table", points == standing, what)


def _check_seat(checked: Checked, position: Position, seat: int) -> GameTable:
    table, page = _page(checked, position, seat)
    try:
        check(msgspec.json.decode(msgspec.json.encode(page)))
    except msgspec.ValidationError as error:
        checked.require("table", False, f"the JSON of seat {seat} is not as declared: {error}")
    checked.require("table", all(step["said"] for step in page["steps"]), f"an event has no sentence for seat {seat}")
    for what, folded, known in table.agreements(position.view(seat)):
        checked.require("table", folded == known, f"seat {seat} is shown {what}: {folded}, but knows {known}")
    return table


def _check_secrets(checked: Checked, position: Position, other_action: int) -> None:
    """Check that seats that cannot distinguish `other_action` from the first legal action get equal pages."""
    actor, first = position.actor, position.legal[0]
    after_first, after_other = position.copy(), position.copy()
    after_first.play(first)
    after_other.play(other_action)
    for viewer in range(checked.players):
        codes = [
            checked.kernels.seen(position.state, after.state, checked.variant.rules, action, viewer)
            for after, action in ((after_first, first), (after_other, other_action))
        ]
        known = [after.concealed(viewer).tobytes() for after in (after_first, after_other)]
        if viewer == actor or codes[0] != codes[1] or known[0] != known[1]:
            continue
        pages = [msgspec.json.encode(_page(checked, after, viewer)[1]) for after in (after_first, after_other)]
        what = f"the page of seat {viewer} distinguishes {first} of seat {actor} from {other_action}"
        checked.require("table", pages[0] == pages[1], what)

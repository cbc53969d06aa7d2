"""Check a game's table, the promise `table`: it contains only what its seat knows.

The fold of a seat's lines agrees with its View; hidden information does not change a byte of its page; every choice has
a label; the standing follows the last line; and the final points are the scores.
"""

from typing import Any

import msgspec

from strozzi_sim.conformance.checked import Checked
from strozzi_sim.game.table import Line, Table, ask, fold
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import PlainTable, next_steps, table_of
from strozzi_sim.table.schema import check

_EVERY = 4  # decisions between two comparisons


def check_table(checked: Checked) -> None:
    """Play one game at random, and compare the tables of the seats with the core."""
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


def _page(checked: Checked, position: Position, seat: int) -> tuple[Table, dict[str, Any]]:
    """Return the table of a seat, and the JSON of its page."""
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


def _check_standing(checked: Checked, table: Table, line: Line) -> None:
    """Check that `now` is what `standing` returns after a line, and after all that an override of `apply` changed."""
    points, standing = list(table.view["now"]), list(table.standing())
    checked.require(
        "table",
        points == standing,
        f"after a line of type {line['type']} the page shows the points {points}, a line late: standing() returns "
        f"{standing}; change what it reads in on_TYPE or lay_out, not after Table.apply",
    )


def _check_seat(checked: Checked, position: Position, seat: int) -> Table:
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
    """Check that two actions of which a seat learns the same lead to the same page."""
    actor, first = position.actor, position.legal[0]
    after_first, after_other = position.copy(), position.copy()
    after_first.play(first)
    after_other.play(other_action)
    for viewer in range(checked.players):
        codes = [
            checked.kernels.seen(position.state, after.state, checked.variant.rules, action, viewer)
            for after, action in ((after_first, first), (after_other, other_action))
        ]
        if (
            viewer == actor
            or codes[0] != codes[1]
            or after_first.concealed(viewer).tobytes() != after_other.concealed(viewer).tobytes()
        ):
            continue
        pages = [msgspec.json.encode(_page(checked, after, viewer)[1]) for after in (after_first, after_other)]
        what = f"the page of seat {viewer} distinguishes {first} of seat {actor} from {other_action}"
        checked.require("table", pages[0] == pages[1], what)

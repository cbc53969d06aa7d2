"""Check a game's table in the browser, the promise `table`: it shows what its seat knows, and no more.

The fold of a seat's lines agrees with its View; hidden information does not change a byte of its page; every event has
a sentence, and every choice a label; the points shown are up to date, and in the end the scores.
"""

from typing import Any

import msgspec

from strozzi_sim.conformance.checked import Checked
from strozzi_sim.game.table import GameTable, Line, ask, fold
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import PlainTable, next_steps, table_of
from strozzi_sim.table.schema import check

_EVERY = 4  # decisions from one comparison to the next


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


def _page(checked: Checked, position: Position, seat: int) -> tuple[GameTable, dict[str, Any]]:
    """Return the table of a seat, folded from all lines so far, and its page as JSON values."""
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
    checked.require(
        "table",
        points == standing,
        f"after a line of type {line['type']} the page shows the points {points}, a line late: standing() returns "
        f"{standing}; change what it reads in on_TYPE or lay_out, not after GameTable.apply",
    )


def _check_seat(checked: Checked, position: Position, seat: int) -> GameTable:
    """Check the page of a seat, and return its table."""
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

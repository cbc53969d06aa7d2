"""The table of a game keeps to what a seat knows: promise `table`.

The fold of the lines that a seat may see agrees with its View; what a seat may not know does not change a byte of its page; every
choice has a label; the standing is that of the last line; and the points in the end are the scores.
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


def check_table(here: Checked) -> None:
    """Play one game at random, and compare the tables of the seats with the core."""
    position, rng = here.position(), SeatRng((here.seed << 40) + (here.deal << 8) + here.players + 1)
    while not position.over:
        seat = position.actor if rng.below(2) else rng.below(here.players)
        if len(here.actions) % _EVERY == 0:
            _check_seat(here, position, seat)
            _check_secrets(here, position, position.legal[rng.below(len(position.legal))])
        action = position.legal[rng.below(len(position.legal))]
        position.play(action)
        here.actions.append(action)
    for seat in range(here.players):
        table = _check_seat(here, position, seat)
        if not isinstance(table, PlainTable):
            now, scores = list(table.view["now"]), list(position.scores)
            here.require("table", now == scores, f"the points in the end are {now}, the scores {scores}")


def _page(here: Checked, position: Position, seat: int) -> tuple[Table, dict[str, Any]]:
    """Return the table of a seat, and the JSON of its page."""
    header = {"players": here.players, "components": here.variant.components, "variant": here.variant.name}
    table = table_of(here.game, header, seat)
    if isinstance(table, PlainTable):
        steps = next_steps(table, position.lines(seat), position, {})
    else:
        steps, before = [], dict[str, bytes]()
        for line in position.lines(seat):
            steps += fold(table, [line], before)
            _check_standing(here, table, line)
    return table, {"head": table.head, "steps": steps, "ask": ask(table, position)}


def _check_standing(here: Checked, table: Table, line: Line) -> None:
    """Check that `now` is what `standing` returns after a line, rather than before what an override of `apply` changed."""
    shown, standing = list(table.view["now"]), list(table.standing())
    here.require(
        "table",
        shown == standing,
        f"after a line of type {line['type']} the page shows the points {shown}, a line late: standing() returns {standing}; change "
        "what it reads in on_TYPE or lay_out, not after Table.apply",
    )


def _check_seat(here: Checked, position: Position, seat: int) -> Table:
    table, page = _page(here, position, seat)
    try:
        check(msgspec.json.decode(msgspec.json.encode(page)))
    except msgspec.ValidationError as error:
        here.require("table", False, f"the JSON of seat {seat} is not as declared: {error}")
    here.require("table", all(step["said"] for step in page["steps"]), f"an event has no sentence for seat {seat}")
    for what, folded, known in table.agreements(position.view(seat)):
        here.require("table", folded == known, f"seat {seat} is shown {what}: {folded}, but knows {known}")
    return table


def _check_secrets(here: Checked, position: Position, instead: int) -> None:
    """Check that two actions of which a seat learns the same lead to the same page."""
    actor, first = position.actor, position.legal[0]
    one, other = position.copy(), position.copy()
    one.play(first)
    other.play(instead)
    for viewer in range(here.players):
        seen = [
            here.kernels.seen(position.state, after.state, here.variant.rules, action, viewer)
            for after, action in ((one, first), (other, instead))
        ]
        if (
            viewer == actor
            or seen[0] != seen[1]
            or one.concealed(viewer).tobytes() != other.concealed(viewer).tobytes()
        ):
            continue
        pages = [msgspec.json.encode(_page(here, after, viewer)[1]) for after in (one, other)]
        what = f"the page of seat {viewer} distinguishes {first} of seat {actor} from {instead}"
        here.require("table", pages[0] == pages[1], what)

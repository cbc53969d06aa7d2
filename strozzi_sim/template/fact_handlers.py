"""A fact table, and the handlers that write its rows while a game is played."""

from strozzi_sim.facts.columns import Column, Table, each_seat, numbers
from strozzi_sim.facts.sink import row_writer, sink_dtype
from strozzi_sim.kernel.jit import jit
from strozzi_sim.template.events import EVENTS
from strozzi_sim.template.state import VALUES

TAKES = Table("take", "a token taken", (
    Column("seat", "seat that takes it", each_seat),
    Column("turn", "turn of the game, from 1"),
    Column("token", "value of the token", numbers(range(1, VALUES + 1))),
), max_rows=lambda setting: setting.players * setting.components["table"]["turns"])  # fmt: skip
TABLES = (TAKES,)
SINK = sink_dtype(TABLES, [("turn", "i8")])  # and fields of your own, 0 when a game begins

_add_take = row_writer(TAKES)


@jit
def _on_take(facts, seat, value):
    facts.turn += 1
    _add_take(facts, seat=seat, turn=facts.turn, token=value)


note = EVENTS.handlers(take=_on_take)

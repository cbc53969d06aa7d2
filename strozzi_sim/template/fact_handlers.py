"""A fact table, and the handlers that write its rows while a game is played."""

from strozzi_sim.facts.columns import Column, Table, numbers
from strozzi_sim.facts.sink import row_writer, sink_dtype
from strozzi_sim.kernel.jit import jit
from strozzi_sim.template.events import EVENTS
from strozzi_sim.template.state import VALUES

TAKES = Table("take", "a token taken", (
    Column("seat", "seat that takes it", lambda setting: numbers(range(setting.players))),
    Column("turn", "turn of the game, from 1"),
    Column("token", "value of the token", numbers(range(1, VALUES + 1))),
), max_rows=lambda setting: setting.players * setting.components["table"]["turns"])  # fmt: skip
TABLES = (TAKES,)
SINK = sink_dtype(TABLES, [("turn", "i8")])

_add_take = row_writer(TAKES)


@jit
def open_game(facts, number):
    """Reset the turn, before a game is dealt."""
    facts.turn = 0


@jit
def _on_take(facts, seat, value):
    facts.turn += 1
    _add_take(facts, seat=seat, turn=facts.turn, token=value)


note = EVENTS.handlers(take=_on_take)

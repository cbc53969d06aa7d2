"""The fact tables: a row for every choice and for every player, whose columns are read from the state."""

from strozzi_sim.facts.columns import Column, decision_table, numbers, seat_table
from strozzi_sim.template.state import VALUES

TABLES = (
    decision_table([Column("token", "value of the token taken", numbers(range(1, VALUES + 1)), of="action")]),
    seat_table(),
)

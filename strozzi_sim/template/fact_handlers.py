"""The fact tables: a row for every choice, with the token taken, and a row for every player."""

from strozzi_sim.facts.columns import Column, decision_table, numbers, seat_table
from strozzi_sim.template.state import VALUES

TABLES = (
    decision_table([Column("token", "value of the token taken", numbers(range(1, VALUES + 1)), of="action")]),
    seat_table(),
)

"""The events: their fields and text; the journal and the lines of a record follow from them."""

from strozzi_sim.game.events import SCORE_END, Event, Events

EVENTS = Events(
    Event("reveal", ("value",), "A {value} is turned face up."),
    Event("take", ("player", "value"), "{player:takes} a {value}."),
    SCORE_END,
)
REVEAL, TAKEN, END = EVENTS.kinds

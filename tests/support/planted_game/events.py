"""The events."""

from strozzi_sim.game.events import SCORE_END, Event, Events

EVENTS = Events(Event("roll", ("player", "pips"), "{player:rolls} a {pips}."), SCORE_END)
ROLLED, END = EVENTS.kinds
to_lines, visible, describe = EVENTS.to_lines, EVENTS.visible, EVENTS.describe

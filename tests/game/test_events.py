"""The texts of events that a game declares."""

import pytest

from strozzi_sim.errors import InputError
from strozzi_sim.game.events import Event, Events, number


def test_a_text_that_cannot_be_filled_in_is_named():
    events = Events(Event("paid", (number("chips"),), "pays {chips:chip}"))
    with pytest.raises(InputError, match=r"events.py: the text 'pays \{chips:chip\}' cannot be filled in"):
        events.describe({"type": "paid", "chips": 2}, [], {})
    events = Events(Event("paid", (number("chips"),), "pays {chip}"))
    with pytest.raises(InputError, match="'chip'"):
        events.describe({"type": "paid", "chips": 2}, [], {})

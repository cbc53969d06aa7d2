"""The texts of events that a game declares."""

import pytest

from strozzi_sim.errors import InputError
from strozzi_sim.game.events import Event, Events, number, one_of


def test_a_text_that_cannot_be_filled_in_is_named():
    events = Events(Event("paid", ("chips",), "pays {chip}"))
    with pytest.raises(InputError, match=r"events.py: the text 'pays \{chip\}' cannot be filled in: 'chip'"):
        events.describe({"type": "paid", "chips": 2}, [], {})


def test_a_number_has_its_noun():
    events = Events(Event("paid", ("chips", number("loss", secret="a loss")), "pays {chips:chip}, {loss:loss|losses}"))
    texts = [events.describe({"type": "paid", "chips": n, "loss": n or None}, [], {}) for n in (0, 1, 2)]
    assert texts == ["pays 0 chips, a loss", "pays 1 chip, 1 loss", "pays 2 chips, 2 losses"]


def test_an_index_below_zero_that_would_look_hidden_is_refused():
    events = Events(Event("chosen", ("player", one_of("card", ("ace", "king"), secret="a card"))))
    assert [line["card"] for line in events.to_lines([[1, 0, 1, 0, 0, 0]], {}, 2)] == ["king"]
    with pytest.raises(InputError, match="secret field 'card': an index below 0 would be None"):
        list(events.to_lines([[1, 0, -1, 0, 0, 0]], {}, 2))

"""Checks of Strozzi records: every changed line is refused with its place."""

import pytest

from scripted import record
from scripted_strozzi import base_components, card, table, take
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.strozzi.verify import REPLAY


def test_check_says_what_was_expected() -> None:
    game = take(table(3, [card(4)]), 0, "plus_one", "rome")
    components = base_components()
    components["ships"] = list(game.cards.values())
    header, numbered = record(game, components)
    places = [position for position, (_, event) in enumerate(numbered) if event["type"] == "place"]
    messages = [
        (0, "display", ["T01"], "expected the ids of 3 tiles"),
        (0, "display", ["T01", "T02", "T99"], 'the id of a tile, found "T99"'),
        (0, "display", ["T01", "T02", "T01"], 'a tile not drawn yet, found "T01" again'),
        (2, "ship", "S99", 'the id of a ship, found "S99"'),
        (3, "player", 2, '{"type": "claim", "player": 0}, found player 2 instead of 0'),
        (3, "flag", "red", 'a claim of player 0: null or "pirate" or "plus_one" or "ware", found flag "red"'),
        (places[0], "speed", 6, '"rome", "speed": 5}, found speed 6 instead of 5'),
        (places[0], "port", "bari", 'a place of player 0: "venice" or "rome" or "naples", found port "bari"'),
        (places[0], "ship", "C02", 'found ship "C02" instead of "C01"'),
        (places[0], "type", "draw", '{"type": "place", "player": 0}, found type "draw" instead of "place"'),
    ]
    for position, key, value, message in messages:
        line, event = numbered[position]
        changed = [*numbered]
        changed[position] = (line, {**event, key: value})
        with pytest.raises(RuleViolation) as caught:
            REPLAY.check_game(header, 1, changed)
        assert message in caught.value.message
        assert caught.value.message.startswith("expected ")
        assert str(caught.value).startswith(f"line {line}: ")
    with pytest.raises(RuleViolation, match="stops early: expected a claim of player 1: null or"):
        REPLAY.check_game(header, 1, numbered)

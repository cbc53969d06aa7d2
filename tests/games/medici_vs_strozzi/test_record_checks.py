"""Checks of Medici vs Strozzi records: every changed line is refused with its place."""

import re
from typing import Any

import pytest

from scripted import record
from scripted_medici import MEDICI, base_components, empty_bag, sell, table
from spoiled_records import broken_line, named_line
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.medici_vs_strozzi.verify import REPLAY


def test_check_accepts_any_price() -> None:
    game = sell(table(rounds=3), 2, MEDICI, (3, "H1"), price=2**53 - 1)
    for _ in range(3):
        empty_bag(game)
    components = base_components()
    header, numbered = record(game, components)
    assert named_line(REPLAY, header, numbered) is None
    position = next(number for number, (_, event) in enumerate(numbered) if event["type"] == "price")
    line, event = numbered[position]
    told = next(number for number, later in numbered if later["type"] == "score_round")
    assert broken_line(REPLAY, header, numbered, position, {**event, "price": 0}) == told  # where the cash is
    for price in (2**53, -1, 7.0, True, None, "7", [7]):
        assert broken_line(REPLAY, header, numbered, position, {**event, "price": price}) == line


def test_check_says_what_is_wrong() -> None:
    game = sell(table(["dye-2", "fur-1"], rounds=3), 1, MEDICI, (3, "H1"), price=5)
    header, numbered = record(game, base_components())
    changes: list[tuple[int, dict[str, Any], str]] = [
        (1, {"tile": "salt-1"}, 'expected the id of a tile, found "salt-1"'),
        (5, {"tile": "dye-2"}, 'expected a tile not drawn yet, found "dye-2" again'),
        (2, {"price": -5}, "a price of player 0: a whole number from 0 to 9007199254740991"),
        (2, {"player": 1}, "player 1 instead of 0"),
        (3, {"buy": "no"}, "an answer of player 1: buy true or false"),
        (4, {"ship": 6}, "a discard of player 0, or a load of ship 3 at H1 or 3 at H2"),
        (4, {"type": "place", "buy": True}, "a discard of player 0, or a load of ship 3 at H1"),
        (4, {"type": "price"}, "a discard of player 0, or a load of ship 3 at H1"),
    ]
    for position, change, message in changes:
        changed = [*numbered]
        line, event = numbered[position]
        changed[position] = (line, {**event, **change})
        with pytest.raises(RuleViolation, match=re.escape(message)) as refusal:
            REPLAY.check_game(header, 1, changed)
        assert refusal.value.line == line
    with pytest.raises(RuleViolation, match="stops early: expected a reveal or a price of player 0 after this"):
        REPLAY.check_game(header, 1, numbered)

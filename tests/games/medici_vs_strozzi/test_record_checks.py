"""Checks of Medici vs Strozzi records: every changed line is refused with its place."""

import itertools
import random
import re
from typing import Any

import pytest

from scripted_medici import (
    HARBORS,
    MEDICI,
    TILES,
    base_components,
    choose,
    deal,
    empty_bag,
    kind,
    random_game,
    record,
    sell,
    table,
)
from spoiled_records import broken_line, named_line, with_number
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.medici_vs_strozzi import verify
from strozzi_sim.games.medici_vs_strozzi.reference import Game, Option
from strozzi_sim.games.medici_vs_strozzi.verify import check_game


def line_after(numbered: list[Any], position: int, *kinds: str) -> int:
    """The number of the next line of one of these types."""
    return next(line for line, event in numbered[position:] if event["type"] in kinds)


RECORDED = [  # components, seed, share of discards
    (base_components(), 11, 0.1),
    (base_components("short", round_ends_when="moored", lone_worthless_ship_wins=True), 12, 0.0),
    (base_components("long", net_marker_movement=False), 13, 0.3),
    (base_components("medici_like", buy_without_room=False), 14, 0.1),
]
recorded = pytest.mark.parametrize(("components", "seed", "discarding"), RECORDED)


def with_options(components: dict[str, Any], seed: int, discarding: float) -> tuple[Game, dict[int, list[Option]]]:
    """A random game, and what could be chosen at each position of its events where a lot was placed."""
    game, dice = deal(components, seed), random.Random(seed)
    options: dict[int, list[Option]] = {}
    while not game.over:
        if kind(game) == "place":
            options[len(game.events)] = list(game.legal)
        game.play(choose(game, dice, discarding))
    return game, options


def test_check_accepts_any_price() -> None:
    game = sell(table(rounds=3), 2, MEDICI, (3, "H1"), price=2**53 - 1)
    for _ in range(3):
        empty_bag(game)
    components = base_components()
    header, numbered = record(game, components)
    assert named_line(verify, header, numbered) is None
    position = next(number for number, (_, event) in enumerate(numbered) if event["type"] == "price")
    line, event = numbered[position]
    for price in (2**53, -1, 7.0, True, None, "7", [7]):
        assert broken_line(verify, header, numbered, position, {**event, "price": price}) == line


@pytest.mark.slow_for("components2", "components3")
@recorded
@pytest.mark.parametrize("step", [1, -1])
def test_check_names_every_changed_number(components: dict[str, Any], seed: int, discarding: float, step: int) -> None:
    game, options = with_options(components, seed, discarding)
    header, numbered = record(game, components)
    count = 0
    for position, (line, event) in enumerate(numbered):
        for changed in with_number(event, lambda number: number + step):
            named = broken_line(verify, header, numbered, position, changed)
            if event["type"] == "price" and changed["player"] == event["player"] and changed["price"] >= 0:
                assert named == line_after(numbered, position, "score_round")  # where the cash is told
            elif event["type"] == "load" and (changed["ship"], event["harbor"]) in options.get(position, []):
                assert named is None or named >= line
                assert changed["player"] == event["player"] or named == line
            else:
                assert named == line
            count += 1
    assert count > len(numbered)


@pytest.mark.slow
@recorded
def test_check_changed_choices(components: dict[str, Any], seed: int, discarding: float) -> None:
    game, options = with_options(components, seed, discarding)
    header, numbered = record(game, components)
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "answer":
            named = broken_line(verify, header, numbered, position, {**event, "buy": not event["buy"]})
            assert named in (line, numbered[position + 1][0])  # the other player would place the lot
        if event["type"] not in ("load", "discard"):
            continue
        known = options.get(position, [])
        for ship, harbor in itertools.product((3, 4, 5, 6), (*HARBORS, "H4", None)):
            changed = {**event, "type": "load", "ship": ship, "harbor": harbor}
            if event["type"] == "discard" or (ship, harbor) != (event["ship"], event["harbor"]):
                named = broken_line(verify, header, numbered, position, changed)
                assert (named is None or named > line) if (ship, harbor) in known else named == line
        if event["type"] == "load":
            named = broken_line(verify, header, numbered, position, {**event, "type": "discard"})
            assert named is None or named > line


@pytest.mark.slow_for("components0", "components2", "components3")
@recorded
def test_check_changed_tiles(components: dict[str, Any], seed: int, discarding: float) -> None:
    header, numbered = record(random_game(components, seed, discarding), components)
    drawn: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "round":
            drawn = []
        if event["type"] == "reveal":
            placed = line_after(numbered, position, "load", "discard")
            again = {
                later["tile"]: number for number, later in numbered[position:] if number < placed and "tile" in later
            }
            for other in [*TILES[position % 3 :: 3], "salt-1", None, 7, ["dye-0"]]:
                if other == event["tile"]:
                    continue
                named = broken_line(verify, header, numbered, position, {**event, "tile": other})
                if other not in TILES or other in drawn:
                    assert named == line
                else:
                    assert named == again.get(other, placed)
            drawn.append(event["tile"])
        for index, _ in enumerate(event.get("tiles", ())):
            other_tiles = [*event["tiles"]]
            other_tiles[index] = "gold-a" if other_tiles[index] != "gold-a" else "gold-b"
            assert broken_line(verify, header, numbered, position, {**event, "tiles": other_tiles}) == line


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
        (4, {"type": "price"}, "a discard of player 0, or a load of ship 3 at H1"),
    ]
    for position, change, message in changes:
        changed = [*numbered]
        line, event = numbered[position]
        changed[position] = (line, {**event, **change})
        with pytest.raises(RuleViolation, match=re.escape(message)) as refusal:
            check_game(header, 1, changed)
        assert refusal.value.line == line
    with pytest.raises(RuleViolation, match="stops early: expected a reveal or a price of player 0 after this"):
        check_game(header, 1, numbered)

"""Checks of Strozzi records: every changed line is refused with its place."""

import itertools
import random
from typing import Any

import pytest

from scripted_strozzi import (
    base_components,
    card,
    choose,
    deal,
    random_game,
    record,
    table,
    take,
)
from spoiled_records import broken_line, with_number
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.strozzi import verify
from strozzi_sim.games.strozzi.reference import FLAGS, PORTS
from strozzi_sim.games.strozzi.verify import check_game


def variant_components(number: int) -> dict[str, Any]:
    """Component data that differ from the base in many ways."""
    variants: list[dict[str, Any]] = [
        {},
        {"second_lap": True, "tile_optional": True, "start_order": "reverse"},
        {"ware_flag_needs_match": True, "zero_total_scores": True, "florence_bonus": False},
    ]
    components = base_components(**variants[number % 3])
    setup, scoring = components["setup"], components["scoring"]
    setup["rounds"] = (3, 1, 5, 2)[number % 4]
    setup["promotion_tiles_face_up"] = (3, 0, 1, 6, 2)[number % 5]
    scoring["ship_ranks"] = ([15, 10, 5], [21], [], [9, 8, 7, 6, 5, 4])[number % 4]
    scoring["category_ranks"] = ([30, 20, 10], [50], [5, 4, 3, 2, 1])[number % 3]
    if number % 2:
        components["promotion_tiles"] = components["promotion_tiles"][::6]  # a stack that runs out
    return components


TWO_ROUNDS = base_components()

TWO_ROUNDS["setup"]["rounds"] = 2
RECORDED = [  # components, players, seed, share of passes
    (base_components(), 3, 11, 0.3),
    (TWO_ROUNDS, 6, 12, 0.5),
    (variant_components(1), 4, 13, 0.4),
    (variant_components(11), 5, 14, 0.5),
]
recorded = pytest.mark.parametrize(("components", "players", "seed", "passing"), RECORDED)


@pytest.mark.slow_for("components1")
@recorded
def test_check_names_every_changed_number(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    count = 0
    for position, (line, event) in enumerate(numbered):
        for changed in with_number(event, lambda number: number + 1):
            assert broken_line(verify, header, numbered, position, changed) == line
            count += 1
    assert count > len(numbered) / 2


@pytest.mark.slow_for("components0", "components1")
@recorded
def test_check_changed_ships(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    ships = [ship["id"] for ship in components["ships"]]
    drawn: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "round":
            drawn = []
        if "ship" not in event:
            continue
        for other in [*ships[position % 5 :: 5], *drawn[-1:], "S99", (None, 7, ["S01"])[position % 3]]:
            if other == event["ship"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "ship": other})
            if event["type"] == "reveal" and other in ships and other not in drawn:
                after = (number for number, later in numbered[position + 1 :] if later.get("ship"))
                assert named == next(after)  # the line that says where the ship went
            else:
                assert named == line
        if event["type"] == "reveal":
            drawn.append(event["ship"])


@pytest.mark.slow_for("components0", "components1")
@recorded
def test_check_changed_tiles(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    header, numbered = record(random_game(components, players, seed, passing), components)
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    drawn: list[str] = []
    display: list[str] = []
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "tiles":
            for slot, other in itertools.product(range(len(event["display"])), [*tiles, "T99", None]):
                shown = [*event["display"]]
                shown[slot] = other
                if shown == event["display"]:
                    continue
                named = broken_line(verify, header, numbered, position, {**event, "display": shown})
                if other not in tiles or other in event["display"]:
                    assert named == line
                else:
                    assert named == line_of_first_use(numbered[1:], event["display"][slot], other)
            for shown in (event["display"][1:], [*event["display"], "T01"], None):
                if shown != event["display"]:
                    assert broken_line(verify, header, numbered, position, {**event, "display": shown}) == line
            drawn, display = [*event["display"]], [*event["display"]]
        if event["type"] != "take_tile":
            continue
        for other in [*tiles, "T99", None, 3]:
            if other == event["tile"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "tile": other})
            if other in display or (other is None and components["rules"]["tile_optional"]):
                assert named is None or named >= line
            else:
                assert named == line
        for other in [*tiles, "T99", None, 3]:
            if other == event["replacement"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "replacement": other})
            if other not in tiles or other in drawn or event["replacement"] is None:
                assert named == line
            else:
                assert named == line_of_first_use(numbered[position + 1 :], event["replacement"], other)
        if event["tile"] is not None:
            display.remove(event["tile"])
        if event["replacement"] is not None:
            display.append(event["replacement"])
            drawn.append(event["replacement"])


def line_of_first_use(numbered: list[Any], old: str, new: str) -> int | None:
    """Where a tile is taken that is not there any more, or one is drawn that is out already."""
    for line, event in numbered:
        if event["type"] == "take_tile" and (event["tile"] == old or event["replacement"] == new):
            assert isinstance(line, int)
            return line
    return None


@pytest.mark.slow_for("components0", "components1")
@recorded
def test_check_changed_flags(components: dict[str, Any], players: int, seed: int, passing: float) -> None:
    game, dice = deal(components, players, seed), random.Random(seed)
    options: dict[int, tuple[str | None, ...]] = {}
    while not game.over:
        options[len(game.events)] = game.legal
        game.play(choose(game, dice, passing))
    header, numbered = record(game, components)
    for position, (line, event) in enumerate(numbered):
        if event["type"] == "claim" and event["flag"] is None:
            assert broken_line(verify, header, numbered, position, {**event, "flag": "pass"}) == line
        for flag in (None, *FLAGS, ("black", 1)[position % 2]):
            if "flag" not in event or flag == event["flag"]:
                continue
            named = broken_line(verify, header, numbered, position, {**event, "flag": flag})
            if event["type"] == "place" or (flag or "pass") not in options[position]:
                assert named == line
                continue
            rest = list(itertools.takewhile(lambda later: "ship" not in later[1], numbered[position + 1 :]))
            place = numbered[position + 1 + len(rest)][0]
            pirated = any(later["flag"] == "pirate" for _, later in rest)
            if {flag, event["flag"]} == {"plus_one", "ware"}:  # a flag that goes back leaves no trace
                assert named == (None if pirated else place)
            elif named is None:
                assert pirated
                assert flag != "pirate"
            else:
                assert line < named <= place
        if event["type"] == "place":
            for port in {*PORTS, "florence", "rom", None} - {event["port"]}:
                named = broken_line(verify, header, numbered, position, {**event, "port": port})
                if position in options and port in options[position]:
                    assert named is None or named > line
                else:
                    assert named == line


def test_check_says_what_was_expected() -> None:
    game = take(table(3, [card(4)]), 0, "plus_one", "rome")
    components = base_components()
    components["ships"] = list(game.cards.values())
    header, numbered = record(game, components)
    places = [position for position, (_, event) in enumerate(numbered) if event["type"] == "place"]
    messages = [
        (0, "display", ["T01"], "a display of 3 tiles"),
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
            check_game(header, 1, changed)
        assert message in caught.value.message
        assert caught.value.message.startswith("expected ")
        assert str(caught.value).startswith(f"line {line}: ")
    with pytest.raises(RuleViolation, match="stops early: expected a claim of player 1: null or"):
        check_game(header, 1, numbered)

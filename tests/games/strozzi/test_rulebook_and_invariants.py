"""The rulebook's example of Strozzi, and invariants of random games."""

import random
from typing import Any

import pytest

from scripted_strozzi import (
    ALL_FLAGS,
    SMALL_COUNT,
    base_components,
    card,
    choose,
    deal,
    levels,
    lines,
    pass_card,
    say,
    seats_asked,
    table,
    up,
)
from strozzi_sim.games.strozzi.reference import CITIES, FLAGS, Game


def test_section_12_rulebook_example() -> None:
    anna, scott, todd, heather, james = range(5)
    tiles = ["T13", "T01", "T34", "T25"]
    game = table(5, [card(3, rome=2, naples=2, promotion=1)], tiles=tiles)
    game.flags[anna] = ["pirate"]
    game.ports["naples"] = [(anna, "C20", "plus_one")]
    game.ports["rome"] = [(anna, "C21", "ware")]
    say(game, (anna, "pass"), (scott, "ware"), (todd, "pass"), (heather, "pirate"))
    assert game.flags[scott] == ALL_FLAGS
    assert game.actor == heather
    say(game, (heather, "naples"))
    assert levels(game, heather) == up(naples=2)
    say(game, (heather, "T01"))
    assert levels(game, heather) == up(naples=2, venice=1)
    assert game.display == ["T13", "T25", "T34"]
    assert seats_asked(game) == [anna, scott, todd, heather]
    assert game.ports["naples"] == [(heather, "C01", "pirate"), (anna, "C20", "plus_one")]
    assert game.active == game.actor == james


def test_running_out_of_given_ships() -> None:
    components = base_components()
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    game = Game(components, 3, [["S01", "S02"]], tiles)
    pass_card(game)
    say(game, (0, "pass"), (1, "pass"))
    with pytest.raises(IndexError, match="round 1 end after 2 cards"):
        game.play("pass")


def check_position(game: Game, number_of_ships: int) -> None:
    """What holds whenever somebody is asked."""
    removed = number_of_ships - game.deck_size
    placed = [entry for quay in game.ports.values() for entry in quay]
    ships = [ship for _, ship, _ in placed] + game.aside
    if game.question and game.question.kind != "take_tile":
        ships.append(str(game.ship))  # not placed yet
    assert len(set(ships)) == len(ships)
    assert game.deck_left + len(ships) + removed == number_of_ships
    tiles = game.stack + game.display + [tile for owned in game.tiles for tile in owned]
    assert sorted(tiles) == sorted(game.tile_data)
    for track in game.tracks.values():
        assert sorted(seat for space in track for seat in space) == list(range(game.players))
    for seat in range(game.players):
        flags = game.flags[seat] + [flag for owner, _, flag in placed if owner == seat]
        if game.holder == seat and game.question and game.question.kind != "take_tile":
            flags.append(str(game.holder_flag))
        assert sorted(flags) == sorted(FLAGS)
        assert game.flags[seat] == [flag for flag in FLAGS if flag in game.flags[seat]]
    arrivals = {(event["ship"], game.round): number for number, event in enumerate(lines(game, "place"))}
    for quay in game.ports.values():
        keys = []
        for _, ship, flag in quay:
            keys.append((-game.cards[ship]["sail"] - (flag == "plus_one"), arrivals[ship, game.round]))
        assert keys == sorted(keys)


def check_card(events: list[dict[str, Any]]) -> None:
    """What holds for the claims on one ship, from `reveal` to `place` or `set_aside`."""
    claims = [event for event in events if event["type"] == "claim"]
    seats = [event["player"] for event in claims]
    assert len(set(seats)) == len(seats)  # nobody decides twice
    flags = [event["flag"] for event in claims if event["flag"]]
    assert len(flags) <= 2
    if len(flags) == 2:
        assert flags[0] != "pirate"
        assert flags[1] == "pirate"
    assert events[-1]["type"] == ("place" if flags else "set_aside")
    if flags:
        assert events[-1]["flag"] == flags[-1]
    if "pirate" in flags:
        assert claims[-1]["flag"] == "pirate"


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_section_13_invariants(players: int) -> None:
    components = base_components()
    for seed in range(SMALL_COUNT):
        game, dice = deal(components, players, seed), random.Random(seed)
        before = [levels(game, seat) for seat in range(players)]
        while not game.over:
            check_position(game, len(components["ships"]))
            game.play(choose(game, dice, (seed % 10) / 10))
            after = [levels(game, seat) for seat in range(players)]
            for old, new in zip(before, after, strict=True):
                assert all(old[city] <= new[city] for city in CITIES)
            before = after
        check_payments(game)
        start = 0
        for number, event in enumerate(game.events):
            if event["type"] == "reveal":
                start = number
            elif event["type"] in ("place", "set_aside"):
                check_card(game.events[start : number + 1])


def check_payments(game: Game) -> None:
    """Prizes, totals and ranking of a finished game."""
    total = [0] * game.players
    placed = 0
    pirates = 0
    for event in game.events:
        if event["type"] == "place":
            placed += 1
            pirates += event["flag"] == "pirate"
        if event["type"] != "score_round":
            continue
        assert pirates <= game.players
        assert sum(event["ships"]) <= 90
        assert sum(event["markers"]) <= 120
        if game.players == 3 and placed == 9:
            assert sum(event["ships"]) == 90
        payments = event["ships"] + event["markers"] + event["bonus"]
        assert all(payment >= 0 and payment % 5 == 0 for payment in payments)
        for seat in range(game.players):
            total[seat] += event["ships"][seat] + event["markers"][seat] + event["bonus"][seat]
        assert event["total"] == total
        placed = pirates = 0
    end = game.events[-1]
    assert sum(end["promotion"]) <= 180
    assert end["total"] == [sum(pair) for pair in zip(total, end["promotion"], strict=True)] == game.coins
    assert sorted(end["ranking"]) == list(range(game.players))
    ranked_coins = [game.coins[seat] for seat in end["ranking"]]
    assert ranked_coins == sorted(ranked_coins, reverse=True)
    assert len(lines(game, "score_round")) == 3

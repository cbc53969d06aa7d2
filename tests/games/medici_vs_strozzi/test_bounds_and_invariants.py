"""Exact bounds and invariants of random games of Medici vs Strozzi."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted_medici import (
    BASE,
    MEDICI,
    SIX_STEPS,
    STROZZI,
    SWITCHES,
    TILES,
    TRACKS,
    VARIANTS,
    base_components,
    choose,
    deal,
    empty_bag,
    games,
    kind,
    left_over,
    lines,
    loads_on,
    moor,
    say,
    scored,
    seeds,
    show,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import Game, tiles_of

shares = st.floats(0, 1)
highest = st.sampled_from([0, 1, 40, 500])


def check_position(game: Game, length: int) -> None:
    """What holds whenever somebody is asked."""
    assert game.question is not None
    assert len(game.legal) > 1
    assert game.actor == {"answer": 1 - game.proposer, "place": game.buyer}.get(kind(game), game.proposer)
    aboard = [tile for fleet in game.ships for _, load in fleet.values() for tile in load]
    assert sorted([*game._bag, *game.lot, *aboard, *game.discards]) == sorted(TILES)
    assert game.bag_left == len(game._bag)
    assert 1 <= len(game.lot) <= 3
    assert (game.price is None) == (kind(game) in ("reveal", "price"))
    assert (game.buyer is None) == (kind(game) != "place")
    for fleet in game.ships:
        moored = [harbor for harbor, _ in fleet.values() if harbor]
        assert len(moored) == len(set(moored))
        for ship, (harbor, load) in fleet.items():
            assert (harbor is None) == (load == [])
            assert len(load) <= ship
    assert all(abs(position) <= length for track in game.markers.values() for position in track.values())
    if kind(game) == "place":
        assert len(game.legal) <= 10
        assert len(set(game.legal)) == len(game.legal)
        for option in game.legal[:-1]:
            assert isinstance(option, tuple)
            ship, harbor = option
            location, load = game.ships[game.buyer][ship]  # type: ignore[index]
            assert location in (None, harbor)
            assert len(load) + len(game.lot) <= ship


def check_money(game: Game) -> None:
    """What was paid and paid out so far is what the players have."""
    paid, out = [0, 0], [0, 0]
    price = proposer = 0
    for event in game.events:
        if event["type"] == "price":
            price, proposer = event["price"], event["player"]
        elif event["type"] == "answer":
            assert event["player"] == 1 - proposer
            paid[event["player"] if event["buy"] else proposer] += price
        elif event["type"] == "score_round":
            for seat in (0, 1):
                out[seat] += event["harbors"][seat] + event["monopolies"][seat] + event["bonus"][seat]
            assert event["cash"] == [300 - paid[seat] + out[seat] for seat in (0, 1)]
    assert game.cash == [300 - paid[seat] + out[seat] for seat in (0, 1)]


def rounds_of(game: Game) -> Iterator[list[dict[str, Any]]]:
    """The events of each round."""
    start = 0
    for number, event in enumerate(game.events):
        if event["type"] == "score_round":
            yield game.events[start : number + 1]
            start = number + 1


@games
@given(
    seed=seeds, discarding=shares, highest=highest,
    tracks=st.sampled_from(["base", *VARIANTS]), switches=st.sampled_from(SWITCHES),
)  # fmt: skip
def test_section_5_bounds(seed: int, discarding: float, highest: int, tracks: str, switches: dict[str, Any]) -> None:
    components = base_components(tracks, **switches)
    length = components["tracks"]["half_length"]
    game, dice = deal(components, seed), random.Random(seed)
    first = {}
    while not game.over:
        check_position(game, length)
        check_money(game)
        if kind(game) == "place" and not any(loads_on(game, game.actor)):  # type: ignore[arg-type]
            first[game.round, game.actor] = len(game.legal)
        game.play(choose(game, dice, discarding, highest))
    check_money(game)
    assert set(first.values()) <= {10}  # nine berths and the sea
    assert len(lines(game, "price")) <= 78
    before = {harbor: dict.fromkeys(track, 0) for harbor, track in game.markers.items()}
    for events in rounds_of(game):
        check_round(events, before, switches)
        before = events[-1]["markers"]
    end = game.events[-1]
    assert end["total"] == game.cash
    assert end["winners"] == [seat for seat in (0, 1) if game.cash[seat] >= game.cash[1 - seat]]


def check_round(events: list[dict[str, Any]], before: dict[str, dict[str, int]], switches: dict[str, Any]) -> None:
    """The bounds of one round, from its events and the markers before it."""
    score = events[-1]
    loads = [event for event in events if event["type"] == "load"]
    lots = [event for event in events if event["type"] in ("load", "discard")]
    tiles = [tile for event in lots for tile in event["tiles"]]
    assert len([event for event in events if event["type"] == "price"]) == len(lots) <= 26
    assert len(tiles) == len(set(tiles)) == len([event for event in events if event["type"] == "reveal"])
    fleets: dict[tuple[int, int], list[str]] = {}
    berths: dict[tuple[int, int], str] = {}
    for event in loads:
        fleets.setdefault((event["player"], event["ship"]), []).extend(event["tiles"])
        assert berths.setdefault((event["player"], event["ship"]), event["harbor"]) == event["harbor"]
    full = [all(len(fleets.get((seat, ship), [])) == ship for ship in (3, 4, 5)) for seat in (0, 1)]
    if switches.get("round_ends_when") == "moored":
        full = [all((seat, ship) in fleets for ship in (3, 4, 5)) for seat in (0, 1)]
    elif not any(full):
        assert len(tiles) - sum(len(event["tiles"]) for event in loads) >= 4
    assert sum(full) <= 1
    assert len(tiles) == 26 or any(full)
    if any(full):
        assert lots[-1]["type"] == "load"
        assert lots[-1]["player"] == full.index(True)
    for aboard in fleets.values():
        assert sum(tiles_of(BASE)[tile].value for tile in aboard) <= 22
    for harbor, track in score["markers"].items():
        assert all(abs(position - before[harbor][goods]) <= 6 for goods, position in track.items())
    payout = sum(score["harbors"]) + sum(score["monopolies"]) + sum(score["bonus"])
    assert payout <= 300
    assert payout % 10 == 0


def test_section_5_bounds_are_reached() -> None:
    assert len(lines(empty_bag(table()), "price")) == 26
    score = scored({"H1": SIX_STEPS}, {})
    assert score["markers"]["H1"]["dye"] == 5  # six steps, stopped at the end
    assert scored({"H1": SIX_STEPS}, {}, {"H1.dye": -5})["markers"]["H1"]["dye"] == 1
    fives = {"H1": (3, "gold-a"), "H2": (4, "gold-b"), "H3": (5, "dye-4a")}
    score = scored(fives, {}, {f"{harbor}.{goods}": 5 for harbor, goods in TRACKS})
    assert sum(score["harbors"] + score["monopolies"] + score["bonus"]) == 300
    heavy = ["gold-a", "gold-b", "dye-4a", "dye-4b", "fur-4a"]
    assert sum(tiles_of(BASE)[tile].value for tile in heavy) == 22
    game = left_over(table())  # nobody full, eleven tiles each, and the four others in the sea
    moor(game, MEDICI, H1=(3, *TILES[:3]), H2=(4, *TILES[3:7]), H3=(5, *TILES[7:11]))
    moor(game, STROZZI, H1=(3, *TILES[11:14]), H2=(4, *TILES[14:18]), H3=(5, *TILES[18:22]))
    assert not any(map(game._is_loaded, game.ships))


def test_options_enter_the_record_as_they_are_offered() -> None:
    game = say(show(table(), 1), (MEDICI, 0), (STROZZI, True))
    game.play((3.0, "H1"))  # type: ignore[arg-type]
    assert [type(ship) for ship in game.ships[STROZZI]] == [int] * 3
    assert type(lines(game, "load")[0]["ship"]) is int


def test_ships_of_a_player_differ() -> None:
    components = base_components()
    components["ships"]["capacities"] = [3, 5, 5]
    with pytest.raises(ValueError, match="differ in capacity"):
        table(components=components)

"""Rounds, order, end of the game and data: the reference rules of Medici vs Strozzi against the ambiguities list, item by item."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted_medici import (
    BASE,
    DISCARD,
    MEDICI,
    SIX_STEPS,
    STROZZI,
    SWITCHES,
    TILES,
    TRACKS,
    VARIANTS,
    base_components,
    buy_one,
    choose,
    deal,
    empty_bag,
    games,
    lines,
    random_game,
    say,
    scored,
    seeds,
    sell,
    show,
    table,
)
from strozzi_sim.games.medici_vs_strozzi.reference import FAMILIES, Game


@pytest.mark.parametrize("buyer", [MEDICI, STROZZI])
def test_item_48_first_proposers(buyer: int) -> None:
    game = table(rounds=3)
    proposers = []
    while not game.over:
        proposers.append((game.round, game.start_player, game.proposer))
        number = game.round
        while not game.over and game.round == number:
            buy_one(game, buyer)
    assert proposers == [(1, MEDICI, MEDICI), (2, STROZZI, STROZZI), (3, STROZZI, STROZZI)]
    assert [event["start_player"] for event in lines(game, "round")] == [MEDICI, STROZZI, STROZZI]


def test_item_48_start_player_of_round_1() -> None:
    game = table(rounds=3, start=STROZZI)
    assert (game.start_player, game.proposer, game.actor) == (STROZZI, STROZZI, STROZZI)
    assert lines(empty_bag(game), "round")[1]["start_player"] == STROZZI
    for start in (-1, 2):
        with pytest.raises(ValueError, match="start player"):
            table(start=start)


def test_item_48_other_starters() -> None:
    components = base_components()
    components["rounds"] |= {"count": 4, "starter": ["Medici", "Strozzi", "Medici", "Strozzi"]}
    game = random_game(components, 48)
    assert [event["start_player"] for event in lines(game, "round")] == [0, 1, 0, 1]
    for starters in (["Medici"], ["Medici"] * 5, ["Medici", "Strozzi", "Medici", "Pazzi"]):
        components["rounds"]["starter"] = starters
        with pytest.raises(ValueError, match=r"starters|not in"):
            deal(components, 48)


def test_item_49_the_buyer_proposes_next() -> None:
    game = table()
    for _ in range(3):  # declined three times
        say(show(game, 1), (MEDICI, 40), (STROZZI, False), (MEDICI, (5, "H1")))
    assert [event["player"] for event in lines(game, "reveal")] == [MEDICI] * 4
    say(show(game, 1), (MEDICI, 0), (STROZZI, True), (STROZZI, (5, "H1")))
    assert (game.proposer, game.actor) == (STROZZI, STROZZI)


@pytest.mark.parametrize("price", [0, 25])
def test_item_50_buying_and_discarding_takes_the_turn(price: int) -> None:
    game = sell(table(), 1, STROZZI, DISCARD, price)
    assert (game.proposer, game.actor) == (STROZZI, STROZZI)
    assert lines(game, "reveal")[-1]["player"] == STROZZI
    assert (game.lot, game.price, game.buyer) == (["dye-1"], None, None)


def test_item_51_medici_is_player_0() -> None:
    assert FAMILIES == ("Medici", "Strozzi") == tuple(player["name"] for player in BASE["player"])
    assert scored({"H1": (3, "dye-1")}, {})["markers"]["H1"]["dye"] == BASE["player"][MEDICI]["side"] == 1


def test_item_52_all_tiles_return_every_round() -> None:
    for seed in range(10):
        game, dice = deal(base_components(), seed), random.Random(seed)
        seen: dict[int, list[str]] = {}
        while not game.over:
            seen.setdefault(game.round, [*game.lot, *game._bag])
            game.play(choose(game, dice))
        assert [sorted(tiles) for tiles in seen.values()] == [sorted(TILES)] * 3
        assert len({tuple(tiles) for tiles in seen.values()}) == 3


@pytest.mark.parametrize("change", ["missing", "twice", "unknown", "round"])
def test_item_52_order_must_name_every_tile_once(change: str) -> None:
    orders = [list(TILES) for _ in range(3)]
    if change == "missing":
        orders[2].pop()
    elif change == "twice":
        orders[1][0] = orders[1][1]
    elif change == "unknown":
        orders[0][0] = "salt-1"
    else:
        orders.pop()
    with pytest.raises(ValueError, match="each of the 26 tiles once a round"):
        Game(base_components(), orders)


def test_item_53_always_three_rounds() -> None:
    game = table(rounds=3)
    game.cash = [100_000, -100_000]
    for number in (1, 2, 3):
        assert (game.round, game.over) == (number, False)
        empty_bag(game)
    assert game.over
    assert (game.actor, game.legal, game.question) == (None, (), None)
    assert len(lines(game, "score_round")) == 3


def test_item_54_shared_victory() -> None:
    game = empty_bag(table())
    assert game.events[-1] == {"type": "score_end", "total": [300, 300], "winners": [MEDICI, STROZZI]}
    game = empty_bag(sell(table(), 1, MEDICI, price=1))
    assert game.events[-1] == {"type": "score_end", "total": [299, 300], "winners": [STROZZI]}


def test_item_55_third_round_is_scored_in_full() -> None:
    game = table(rounds=3)
    for _ in range(2):
        empty_bag(game)
    sell(game, 3, STROZZI, (4, "H2"))
    empty_bag(game)
    assert [event["type"] for event in game.events[-2:]] == ["score_round", "score_end"]
    last = lines(game, "score_round")[2]
    assert (last["harbors"], last["monopolies"], last["bonus"]) == ([0, 20], [0, 10], [0, 10])
    assert game.events[-1] == {"type": "score_end", "total": [300, 340], "winners": [STROZZI]}


@pytest.mark.parametrize(
    ("tracks", "length", "bonus"),
    [
        ("base", 5, {4: 10, 5: 20}),
        ("short", 4, {3: 10, 4: 20}),
        ("long", 6, {5: 10, 6: 20}),
        ("medici_like", 7, {6: 10, 7: 20}),
    ],
)
def test_item_56_tracks_of_the_variants(tracks: str, length: int, bonus: dict[int, int]) -> None:
    components = base_components(tracks)
    for position in range(1, length + 1):
        score = scored({}, {}, {"H1.fur": -position, "H3.cloth": position}, components)
        assert score["bonus"] == [bonus.get(position, 0)] * 2
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, {"H1.dye": 3, "H2.dye": -3}, components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (length, -length)
    assert components["tracks"]["provenance"] == "reconstructed"


def test_item_56_variants_are_called_reconstructed() -> None:
    assert set(VARIANTS) == {"short", "long", "medici_like"}
    for variant in VARIANTS.values():
        assert variant["about"]
        assert variant["provenance"] == "reconstructed"
        assert set(variant) == {"about", "provenance", "tracks"}


def test_item_57_each_type_has_two_tracks() -> None:
    types = [entry["key"] for entry in BASE["type"]]
    assert sorted(goods for _, goods in TRACKS) == sorted(types * 2)
    assert [len(harbor["tracks"]) for harbor in BASE["harbor"]] == BASE["harbors_summary"]["track_counts"]
    assert len(TRACKS) == BASE["harbors_summary"]["tracks_total"] == BASE["rounds"]["markers_wooden"]
    assert len(TILES) == len(set(TILES)) == BASE["tiles"]["total"]
    assert TILES[:7] == ["dye-0", "dye-1", "dye-2", "dye-3", "dye-4a", "dye-4b", "spice-0"]
    assert TILES[-2:] == ["gold-a", "gold-b"]


def transcript(game: Game, seed: int) -> list[Any]:
    """Play as the dice choose in the base game with the bags of this seed."""
    dice = random.Random(seed)
    twin = deal(base_components(), seed)
    while not twin.over:
        option = choose(twin, dice)
        twin.play(option)
        game.play(option)
    assert game.over
    return game.events


@games
@given(seed=seeds, order=st.permutations([entry["key"] for entry in BASE["type"]]))
def test_item_57_types_may_change_names(seed: int, order: list[str]) -> None:
    new = dict(zip([entry["key"] for entry in BASE["type"]], order, strict=True)) | {"gold": "gold"}
    components = base_components()
    for harbor in components["harbor"]:
        harbor["tracks"] = [new[goods] for goods in harbor["tracks"]]
    twin = random_game(base_components(), seed)

    def tile(old: str) -> str:
        return f"{new[old.split('-')[0]]}-{old.split('-')[1]}"

    game = Game(components, [[tile(old) for old in bag] for bag in twin._orders])
    expected = []
    for event in transcript(deal(base_components(), seed), seed):
        changed = {**event}
        if "tile" in event:
            changed["tile"] = tile(event["tile"])
        if "tiles" in event:
            changed["tiles"] = [tile(old) for old in event["tiles"]]
        if "markers" in event:
            changed["markers"] = {
                harbor: {new[goods]: position for goods, position in track.items()}
                for harbor, track in event["markers"].items()
            }
        expected.append(changed)
    assert transcript(game, seed) == expected


def swapped(event: dict[str, Any]) -> dict[str, Any]:
    """The same line when Medici and Strozzi have changed sides."""
    changed = {**event}
    for key in ("player", "start_player"):
        if key in event:
            changed[key] = 1 - event[key]
    for key in ("harbors", "monopolies", "bonus", "cash", "total"):
        if key in event:
            changed[key] = event[key][::-1]
    if "winners" in event:
        changed["winners"] = sorted(1 - seat for seat in event["winners"])
    if "markers" in event:
        changed["markers"] = {
            harbor: {goods: -position for goods, position in track.items()}
            for harbor, track in event["markers"].items()
        }
    return changed


@games
@given(seed=seeds, switches=st.sampled_from([each for each in SWITCHES if each.get("net_marker_movement", True)]))
def test_item_57_players_may_change_sides(seed: int, switches: dict[str, Any]) -> None:
    components = base_components(**switches)
    mirror = base_components(**switches)
    mirror["rounds"]["starter"] = ["Strozzi", "Medici", "Medici"]
    twin, dice = deal(components, seed), random.Random(seed)
    game = Game(mirror, twin._orders, STROZZI)
    while not twin.over:
        assert game.actor == 1 - twin.actor  # type: ignore[operator]
        option = choose(twin, dice)
        twin.play(option)
        game.play(option)
    assert game.events == [swapped(event) for event in twin.events]


def test_item_58_a_track_of_its_own() -> None:
    components = base_components()
    components["tracks"]["per_track"] = {"H1.dye": {"half_length": 2, "bonus": {"2": 50, "1": 7}}}
    score = scored({"H1": SIX_STEPS}, {"H2": SIX_STEPS}, components=components)
    assert (score["markers"]["H1"]["dye"], score["markers"]["H2"]["dye"]) == (2, -5)
    assert score["bonus"] == [50, 20]
    score = scored({}, {"H1": (3, "dye-1")}, components=components)
    assert (score["markers"]["H1"]["dye"], score["bonus"]) == (-1, [0, 7])


@games
@given(seed=seeds, order=st.permutations(range(3)))
def test_item_59_position_of_the_harbors(seed: int, order: list[int]) -> None:
    components = base_components()
    components["harbor"] = [components["harbor"][number] for number in order]
    game = deal(components, seed)
    assert transcript(game, seed) == transcript(deal(base_components(), seed), seed)

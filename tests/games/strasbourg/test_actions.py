"""Guilds and merchants: the reference rules of Strasbourg against the ambiguities list, item by item."""

import pytest

from scripted_strasbourg import (
    BASE,
    Scene,
    actions,
    base_components,
    council,
    random_game,
)
from strozzi_sim.games.strasbourg.reference_scoring import is_fulfilled


def test_a25_the_merchants_seat_is_taken_in_g_only() -> None:
    scene = Scene(3, {0: [[3], [2], [1]]})
    scene.bid_in("C", p0=[3]).bid_in("E", p0=[2]).to("F")
    assert scene.game.council["merchants"] is None
    scene.bid_in("G", p0=[1])
    assert scene.game.council["merchants"] == 0
    assert actions(scene, "G") == [(0, "seat")]  # nothing was sold


def test_a26_the_journeyman_takes_both() -> None:
    scene = Scene(4, {0: [[6]], 1: [[5]]}).bid_in("B", p0=[6], p1=[5])
    scene.say((0, "none"), (0, "none"), (1, "good"))
    assert scene.asked == "place"
    scene.say((1, scene.game.legal[1]))
    assert actions(scene, "B")[2:] == [(1, "good"), (1, "place")]


def test_a26_a_space_is_taken_once() -> None:
    """Who comes later places on another space of the guild."""
    scene = Scene(4, {0: [[6]], 1: [[5]], 2: [[4]]}).bid_in("B", p0=[6], p1=[5], p2=[4])
    free = [space for space, guild in scene.game.city.guilds.items() if guild == "vintner"]
    scene.say((0, "none"), (0, ("place", free.pop(3))), (1, "none"))
    assert scene.game.legal == ("none", *(("place", space) for space in free))
    scene.say((1, ("place", free.pop(0))))
    assert scene.game.legal == ("none", "good", *(("place", space) for space in free))


@pytest.mark.parametrize(("good", "place"), [("none", "none"), ("none", "place"), ("good", "none"), ("good", "place")])
def test_a27_actions_are_voluntary(good: str, place: str) -> None:
    scene = Scene(4, {0: [[6]]}).bid_in("B", p0=[6]).say((0, good))
    scene.say((0, scene.game.legal[0 if place == "none" else 1]))
    told = [action for _, action in actions(scene, "B")]
    declined = ["decline"] if "none" in (good, place) else []
    assert told == ["seat", *[word for word in (good, place) if word != "none"], *declined]


def test_a28_chapel_and_edifice_may_be_declined() -> None:
    scene = Scene(3, edifices=["E6", "E2", "E3", "E4", "E5"]).to("H")
    assert scene.game.legal == ("none", *(("chapel", corner) for corner in scene.game.city.corners))
    scene.say((1, "none"))
    assert scene.game.legal == ("none", *(("edifice", site) for site in scene.game.city.sites))
    scene.say((0, "none"))
    assert scene.lines("chapel") == [{"type": "chapel", "player": 1, "site": None}]
    assert scene.lines("edifice") == [{"type": "edifice", "player": 0, "edifice": "E6", "site": None}]
    for number in range(2, 6):
        scene.to("H", number).say((1, ("chapel", scene.game.city.corners[number])))
        scene.say((0, ("edifice", scene.game.city.sites[number])))
    scene.to_end()
    assert len(scene.game.chapels) == 4  # one a round: the declined one cannot be made up for
    assert sorted(scene.game.built.values()) == ["E2", "E3", "E4", "E5"]
    scene.game.members = dict.fromkeys(scene.game.city.guilds, 0)
    assert not is_fulfilled(scene.game, 0, "T_ED6")
    assert is_fulfilled(scene.game, 0, "T_ED2")


def test_a28_switch_building_is_compulsory() -> None:
    scene = Scene(3, building_optional=False).to("H")
    assert scene.game.legal == tuple(("chapel", corner) for corner in scene.game.city.corners)
    scene.say((1, ("chapel", (3, 2))))
    assert scene.game.legal == tuple(("edifice", site) for site in scene.game.city.sites)
    scene.to_end()
    assert (len(scene.game.chapels), len(scene.game.built)) == (5, 5)


@pytest.mark.parametrize("coins", range(6))
def test_a29_only_what_can_be_paid_is_offered(coins: int) -> None:
    scene = Scene(4, {0: [[6]]}, round_cards=["R1", "R2", "R3", "R4", "R5"]).to("B")
    scene.game.coins[0] = coins
    scene.bid(p0=[6]).say((0, "good"))
    city = scene.game.city
    affordable = [space for space, guild in city.guilds.items() if guild == "vintner" and city.prices[space] <= coins]
    assert {city.prices[space] for space in affordable} == {3, 4} & set(range(coins + 1))
    if not affordable:
        assert scene.asked != "place"  # a price of 3, and too few coins
        return
    assert scene.game.legal == ("none", *(("place", space) for space in affordable))
    scene.say((0, scene.game.legal[1]))
    assert scene.game.coins[0] == coins - city.prices[affordable[0]]


def test_a30_winning_an_own_seat_again() -> None:
    scene = Scene(3, {0: [[6], [5]]}).bid(p0=[6])
    assert scene.lines("act")[0]["replaces"] == 0
    assert council(scene).count(0) == 1
    scene.bid_in("B", p0=[5]).to("A", 2)
    assert scene.lines("council")[0]["prestige"] == [2, 1, 0]


def test_a31_goods_are_sold_in_parts() -> None:
    scene = Scene(3, {0: [[1]]}).to("C")
    scene.game.goods[0].update(vintner=3, baker=1)
    scene.bid(p0=[1])
    assert scene.game.legal == (("sell", 0), ("sell", 1), ("sell", 2), ("sell", 3))
    assert scene.game.question is not None
    assert scene.game.question.guild == "vintner"
    scene.say((0, ("sell", 1)), (0, ("sell", 0)))
    assert actions(scene, "C") == [(0, "sell")]
    assert scene.lines("act")[-1]["goods"] == {"vintner": 1}
    assert (scene.game.coins[0], scene.game.goods[0]["vintner"], scene.game.goods[0]["baker"]) == (9, 2, 1)


def test_a31_goods_may_be_kept() -> None:
    scene = Scene(3, {0: [[2], [1]]}).to("C")
    scene.game.goods[0]["vintner"] = 1
    scene.bid(p0=[2]).say((0, ("sell", 0)))
    assert actions(scene, "C") == [(0, "decline")]
    scene.bid_in("G", p0=[1]).say((0, ("sell", 0)))
    assert actions(scene, "G") == [(0, "seat"), (0, "decline")]


def test_a32_nothing_runs_out() -> None:
    scene = Scene(4, {0: [[6]]}).to("B")
    guild = "vintner"
    for seat in range(4):
        scene.game.goods[seat][guild] = 6
        scene.game.privileges[seat] = 10
    scene.game.members = {space: 0 for space, owner in scene.game.city.guilds.items() if owner != guild}
    assert len(scene.game.members) > 15
    scene.bid(p0=[6]).say((0, "good"))
    scene.say((0, scene.game.legal[-1]))
    assert scene.game.goods[0][guild] == 7
    assert actions(scene, "B")[-1] == (0, "place")
    scene.to(None, 2)
    assert scene.lines("council")[0]["held"] == [11, 10, 10, 10]


def test_a33_money_is_known_to_all() -> None:
    game = random_game(BASE, 4, 3)
    for seat in range(4):
        seen = game.seen_by(seat)
        assert (seen["coins"], seen["goods"], seen["privileges"]) == (game.coins, game.goods, game.privileges)


def test_a33_switch_hide_money() -> None:
    game = random_game(base_components(hide_money=True), 4, 3)
    for seat in range(4):
        for name, amounts in (("coins", game.coins), ("goods", game.goods), ("privileges", game.privileges)):
            assert game.seen_by(seat)[name] == [amounts[other] if other == seat else None for other in range(4)]


def test_a34_unused_stacks_leave_unseen() -> None:
    one, other = (Scene(3, {1: [[card, 2], [1]]}).bid_in("C", p1=[1]).to("A", 2).game for card in (6, 3))
    for seat in (0, 2):
        assert one.seen_by(seat) == other.seen_by(seat)
    assert one.seen_by(1) != other.seen_by(1)  # the owner has looked at them
    assert one.seen_by(0)["out"][1] == [1]


def test_a35_the_third_of_three_returns_a_card() -> None:
    bids = {"p0": [6], "p1": [5], "p2": [3, 1]}
    scene = Scene(3, {0: [[6]], 1: [[5]], 2: [[3, 1]]}).bid_in("B", **bids)
    scene.say((0, "none"), (0, "none"))
    assert (scene.game.actor, scene.asked) == (1, "apprentice")  # there is no journeyman
    scene.say((1, "good"), (2, ("return", 3)))
    assert scene.lines("return_card") == [{"type": "return_card", "player": 2, "card": 3}]
    scene = Scene(4, {0: [[6]], 1: [[5]], 2: [[3, 1]]}).bid_in("B", **bids).skip()
    assert scene.lines("return_card") == []

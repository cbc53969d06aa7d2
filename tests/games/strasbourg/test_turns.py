"""Setup, planning, bidding and actions: the reference rules of Strasbourg against the ambiguities list, item by item."""

import random
from typing import Any

import pytest

from reference_strasbourg import seen_by
from scripted import lines
from scripted_strasbourg import BASE, Scene, actions, council, deck, lines_of_step, types
from strozzi_sim.games.strasbourg.reference import is_fulfilled

# -- setup and planning -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "players", "church"), [(2, 4, 3), (3, 4, 0), (0, 3, 1), (4, 5, 0)])
def test_a01_the_left_neighbour_has_the_church_seat(start: int, players: int, church: int) -> None:
    scene = Scene(players, start=start, ready=False)
    assert scene.game.events[0]["start_player"] == start
    assert council(scene) == [start, church] + [None] * 6


def test_a02_tasks_are_chosen_after_the_layout() -> None:
    scene = Scene(4, round_cards=["R3", "R1", "R5", "R2", "R4"], edifices=["E2", "E6", "E5", "E4", "E3"], ready=False)
    assert (scene.asked, types(scene.game)) == ("keep_tasks", ["setup"])
    seen = seen_by(scene.game, 0)
    assert seen["round_cards"] == ["R3", "R1", "R5", "R2", "R4"]
    assert seen["edifices"] == ["E2", "E6", "E5", "E4", "E3"]
    assert seen["own_tasks"] == (["T_ED2", "T_ED3", "T_ED4", "T_ED5", "T_ED6"], None)


@pytest.mark.parametrize("skipped", [False, True])
def test_a04_step_a_in_the_first_round(skipped: bool) -> None:
    scene = Scene(4, start=2, skip_A_round1=skipped)
    assert (scene.game.round, scene.game.step) == (1, "B" if skipped else "A")
    scene.bid().to("A", 2)  # all pass
    assert council(scene) == [2, 3] + [None] * 6
    assert scene.game.start_player == 2
    assert [line["step"] for line in scene.lines("step")] == [*"ABCDEFGHI"[skipped:], "A"]


def test_a06_one_card_must_be_drawn() -> None:
    scene = Scene(3, {1: [[5]]}, ready=False)
    scene.rest(lambda: scene.asked == "keep_tasks")
    game = scene.game
    for seat, card in enumerate([1, 5, 1]):
        assert (game.actor, scene.asked, game.legal) == (seat, "draw", ("stop", "draw"))
        assert game.hand[seat] == [card]  # it is looked at before the first choice
        game.play("stop")
    assert [line["drawn"] for line in scene.lines("plan")] == [[1], [5], [1]]


def plan_by_chance(scene: Scene, seat: int, dice: random.Random) -> None:
    while scene.game.actor == seat and scene.asked in ("draw", "split"):
        scene.game.play(dice.choice(scene.game.legal))


def begin_planning(**switches: Any) -> Scene:
    scene = Scene(4, {0: [[6], [3]]}, start=1, ready=False, **switches)
    return scene.rest(lambda: scene.asked == "keep_tasks")


def test_a08_planning_is_simultaneous_and_hidden() -> None:
    seen = []
    for seed in range(12):
        scene, dice = begin_planning(), random.Random(seed)
        plan_by_chance(scene, 1, dice)
        here = [seen_by(scene.game, 2)]
        plan_by_chance(scene, 2, random.Random(0))
        plan_by_chance(scene, 3, dice)
        here.append(seen_by(scene.game, 2))
        seen.append(here)
        assert here[0]["stack_sizes"][1] is None
        assert here[0]["decks"][1] == (24, [])
        plan_by_chance(scene, 0, random.Random(0))
        assert scene.asked == "bid"
        sizes = [sorted(map(len, line["stacks"])) for line in sorted(scene.lines("plan"), key=lambda p: p["player"])]
        assert seen_by(scene.game, 2)["stack_sizes"] == sizes
        assert seen_by(scene.game, 2)["decks"] == [(24 - sum(size), []) for size in sizes]
    assert all(here == seen[0] for here in seen)


def test_a08_switch_planning_sequential() -> None:
    scene = begin_planning(planning="sequential")
    assert seen_by(scene.game, 0)["stack_sizes"] == [[], None, None, None]
    scene.say((1, "draw"), (1, "draw"))
    assert seen_by(scene.game, 0)["decks"][1] == (24, [])  # only when the player has finished
    scene.say((1, "stop"), (1, ("add", 1)), (1, "close"))
    assert seen_by(scene.game, 0)["stack_sizes"] == [[], [1, 2], None, None]
    assert seen_by(scene.game, 0)["decks"][1] == (21, [])


def test_a11_returned_cards_come_last_and_in_order() -> None:
    plan = {0: [[6], [6]], 1: [[5], [5]], 2: [[3], [2]]}
    scene = Scene(3, plan).bid(p0=[6], p1=[5], p2=[3]).bid_in("B", p0=[6], p1=[5], p2=[2]).to(None, 2)
    assert (scene.game.under[2], scene.game.decks[2]) == ([3, 2], 24)
    while scene.asked in ("draw", "split"):
        draws = scene.game.actor == 2 and scene.asked == "draw"
        scene.game.play("draw" if draws else scene.least())
    drawn = scene.lines("plan", player=2)[1]["drawn"]
    assert drawn[-2:] == [3, 2]
    assert sorted(drawn) == deck(BASE)


# -- bidding ----------------------------------------------------------------------------------------------------------


def test_a12_no_stack_no_question() -> None:
    scene = Scene(4, {seat: [[6]] for seat in range(4)}).bid(p1=[6]).to("B")
    asked = []
    while scene.game.step == "B" and scene.asked == "bid":
        asked.append(scene.game.actor)
        scene.game.play("pass")
    assert asked == [2, 3, 0]  # the start player, seat 1, has no stack
    bids = [line for line in lines_of_step(scene.game, "B") if line["type"] == "bid"]
    assert bids == [{"type": "bid", "player": seat, "stack": None} for seat in (1, 2, 3, 0)]


def test_a14_deferring_is_first_in_first_out() -> None:
    scene = Scene(4, {seat: [[2]] for seat in range(4)}, privileges=[2, 1, 0, 3])
    game = scene.game
    scene.say((0, "defer"), (1, "defer"), (2, "pass"), (3, "defer"), (0, "defer"))
    assert game.queue == [1, 3, 0]
    assert game.privileges == [0, 0, 0, 2]
    assert game.legal == ("pass", ("reveal", (2,)))  # seat 1 has no privilege left
    scene.say((1, "pass"), (3, "defer"), (0, "pass"))
    assert game.privileges == [0, 0, 0, 1]
    assert "defer" not in game.legal
    scene.say((3, ("reveal", (2,))))
    told = [(line["type"], line["player"]) for line in lines_of_step(game, "A") if line["type"] in ("bid", "defer")]
    assert told == [
        ("defer", 0), ("defer", 1), ("bid", 2), ("defer", 3), ("defer", 0), ("bid", 1), ("defer", 3), ("bid", 0),
        ("bid", 3),
    ]  # fmt: skip


def test_a15_no_deferring_without_effect() -> None:
    scene = Scene(3, {seat: [[2]] for seat in range(3)}, privileges=[0, 1, 1])
    assert "defer" not in scene.game.legal  # no privilege
    scene.say((0, "pass"))
    assert "defer" in scene.game.legal
    scene.say((1, "pass"))
    assert scene.game.actor == 2
    assert "defer" not in scene.game.legal  # the last who has not decided


def test_a16_deferring_does_not_change_ties() -> None:
    scene = Scene(3, {seat: [[4]] for seat in range(3)}, privileges=[1, 0, 0])
    scene.say((0, "defer"), (1, ("reveal", (4,))), (2, ("reveal", (4,))), (0, ("reveal", (4,))))
    assert [line["player"] for line in scene.lines("act")] == [0, 1]
    assert council(scene)[:2] == [0, 1]


def test_a17_the_winner_of_every_step_becomes_start_player() -> None:
    plan = {seat: [[6]] * 2 + [[5], [3], [2]] for seat in range(3)}
    scene = Scene(3, plan).bid_in("C", p2=[2])
    assert scene.game.start_player == 2
    scene.to("D")
    assert scene.game.actor == 2
    scene.bid(p2=[6], p0=[6], p1=[5])  # a tie goes by the old start player: 2, 0, 1
    assert scene.game.start_player == 2
    for step, winner in zip("EFG", (1, 2, 1), strict=True):
        scene.bid_in(step, **{f"p{winner}": [3] if step != "G" else [2]})
        assert scene.game.start_player == winner
    scene.to("A", 2)
    assert lines(scene.game, "round")[1]["start_player"] == 1
    assert [line["start_player"] for line in scene.lines("step")] == [0, 0, 0, 2, 2, 1, 2, 1, 1, 1]


def test_a18_a_right_not_used_gives_no_card_back() -> None:
    scene = Scene(3, {0: [[5, 2], [4, 1]], 1: [[3, 1]]}).bid_in("C", p0=[5, 2])
    assert actions(scene, "C") == []
    scene.bid_in("D", p0=[4, 1], p1=[3, 1]).skip()
    assert actions(scene, "D") == [(0, "seat"), (0, "decline"), (1, "decline")]
    assert scene.lines("return_card") == []
    assert scene.game.under == [[], [], []]
    assert scene.game.lost == [[5, 2, 4, 1], [3, 1], []]


def test_a19_a_lost_single_card_comes_back() -> None:
    scene = Scene(3, {0: [[6]], 1: [[6, 1]], 2: [[6]]}).bid(p0=[6], p1=[6, 1], p2=[6])
    assert scene.asked != "return_card"  # nothing to choose
    assert scene.lines("return_card") == [{"type": "return_card", "player": 2, "card": 6}]
    assert (scene.game.under[2], scene.game.lost[2]) == ([6], [])
    scene = Scene(3, {0: [[6]], 1: [[6, 1]], 2: [[3, 2]]}).bid(p0=[6], p1=[6, 1], p2=[3, 2])
    assert (scene.game.actor, scene.game.legal) == (2, (("return", 2), ("return", 3)))  # and no declining
    scene.say((2, ("return", 3)))
    assert all(seen_by(scene.game, seat)["decks"][2][1] == [3] for seat in range(3))


@pytest.mark.parametrize(("seat", "prestige"), [(3, [0, 1, 0, 1]), (1, [0, 2, 0, 0])])  # seat 1 holds the church seat
def test_a20_and_a22_a_single_bidder_in_a_takes_the_nobility_seat_only(seat: int, prestige: list[int]) -> None:
    scene = Scene(4, {seat: [[1]]}).bid(**{f"p{seat}": [1]})
    assert council(scene)[:2] == [seat, 1]
    assert actions(scene, "A") == [(seat, "seat")]
    scene.to("A", 2)
    assert scene.lines("council")[0]["prestige"] == prestige


# -- guilds and merchants ---------------------------------------------------------------------------------------------


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


def test_a31_goods_are_sold_in_parts_or_kept() -> None:
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
    scene = Scene(3, {0: [[2], [1]]}).to("C")
    scene.game.goods[0]["vintner"] = 1
    scene.bid(p0=[2]).say((0, ("sell", 0)))
    assert actions(scene, "C") == [(0, "decline")]
    scene.bid_in("G", p0=[1]).say((0, ("sell", 0)))
    assert actions(scene, "G") == [(0, "seat"), (0, "decline")]


def test_a23_and_a34_unused_stacks_leave_unseen() -> None:
    one, other = (Scene(3, {1: [[card, 2], [1]]}).bid_in("C", p1=[1]).to("A", 2).game for card in (6, 3))
    for seat in (0, 2):
        assert seen_by(one, seat) == seen_by(other, seat)
    after = next(number for number, line in enumerate(one.events) if line["type"] == "step")
    assert one.events[after:] == other.events[after:]
    assert (one.unseen[1], other.unseen[1]) == ([6, 2], [3, 2])
    assert seen_by(one, 1) != seen_by(other, 1)  # the owner has looked at them
    assert seen_by(one, 0)["out"][1] == [1]


def test_a35_the_third_of_three_returns_a_card() -> None:
    bids = {"p0": [6], "p1": [5], "p2": [3, 1]}
    scene = Scene(3, {0: [[6]], 1: [[5]], 2: [[3, 1]]}).bid_in("B", **bids)
    scene.say((0, "none"), (0, "none"))
    assert (scene.game.actor, scene.asked) == (1, "apprentice")  # there is no journeyman
    scene.say((1, "good"), (2, ("return", 3)))
    assert scene.lines("return_card") == [{"type": "return_card", "player": 2, "card": 3}]
    scene = Scene(4, {0: [[6]], 1: [[5]], 2: [[3, 1]]}).bid_in("B", **bids).skip()
    assert scene.lines("return_card") == []

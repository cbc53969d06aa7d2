"""Bidding: the reference rules of Strasbourg against the ambiguities list, item by item."""

import itertools

import pytest

from scripted_strasbourg import (
    PLAYERS,
    Scene,
    actions,
    base_components,
    council,
    lines,
    lines_of_step,
    random_game,
    types,
)


def test_a12_no_stack_no_question() -> None:
    scene = Scene(4, {seat: [[6]] for seat in range(4)}).bid(p1=[6]).to("B")
    asked = []
    while scene.game.step == "B" and scene.asked == "bid":
        asked.append(scene.game.actor)
        scene.game.play("pass")
    assert asked == [2, 3, 0]  # the start player, seat 1, has no stack
    bids = [line for line in lines_of_step(scene.game, "B") if line["type"] == "bid"]
    assert bids == [{"type": "bid", "player": seat, "stack": None} for seat in (1, 2, 3, 0)]


def test_a13_bids_are_seen_at_once() -> None:
    scene = Scene(3, {0: [[5, 2], [4]]}).say((0, ("reveal", (5, 2))))
    for seat in range(3):
        assert scene.game.seen_by(seat)["bids"] == [(5, 2), None, None]
        assert scene.game.seen_by(seat)["stack_sizes"][0] == [1]


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
    assert scene.game.out == [[5, 2, 4, 1], [3, 1], []]


def test_a19_a_lost_single_card_comes_back() -> None:
    scene = Scene(3, {0: [[6]], 1: [[6, 1]], 2: [[6]]}).bid(p0=[6], p1=[6, 1], p2=[6])
    assert scene.asked != "return_card"  # nothing to choose
    assert scene.lines("return_card") == [{"type": "return_card", "player": 2, "card": 6}]
    assert (scene.game.under[2], scene.game.out[2]) == ([6], [])
    scene = Scene(3, {0: [[6]], 1: [[6, 1]], 2: [[3, 2]]}).bid(p0=[6], p1=[6, 1], p2=[3, 2])
    assert (scene.game.actor, scene.game.legal) == (2, (("return", 2), ("return", 3)))  # and no declining
    scene.say((2, ("return", 3)))
    assert all(scene.game.seen_by(seat)["decks"][2][1] == [3] for seat in range(3))


def test_a20_one_player_may_hold_nobility_and_church() -> None:
    scene = Scene(4, {1: [[1]]}).bid(p1=[1])  # the holder of the church seat
    assert council(scene)[:2] == [1, 1]
    scene.to("A", 2)
    assert scene.lines("council")[0]["prestige"] == [0, 2, 0, 0]


def test_a21_who_passed_never_acts() -> None:
    scene = Scene(4, {2: [[1]], 3: [[6]]}).bid_in("B", p2=[1]).skip()
    assert {player for player, _ in actions(scene, "B")} == {2}
    assert scene.game.out == [[], [], [1], []]


def test_a22_a_single_bidder_in_a_takes_the_nobility_seat_only() -> None:
    scene = Scene(4, {3: [[1]]}).bid(p3=[1])
    assert council(scene)[:2] == [3, 1]
    assert actions(scene, "A") == [(3, "seat")]


def test_a23_unused_stacks_are_not_shown() -> None:
    one, other = (Scene(3, {1: [[card, 2]]}).to("A", 2).game for card in (6, 3))
    after = next(number for number, line in enumerate(one.events) if line["type"] == "step")
    assert one.events[after:] == other.events[after:]
    assert (one.unseen[1], other.unseen[1]) == ([6, 2], [3, 2])


@pytest.mark.parametrize("players", PLAYERS)
def test_a24_actions_come_before_returns(players: int) -> None:
    found = 0
    for seed in range(10):
        kinds = types(random_game(base_components(return_if_unused=True), players, seed))
        for before, after in itertools.pairwise(kinds):
            assert (before, after) != ("return_card", "act")
            found += (before, after) == ("act", "return_card")
    assert found

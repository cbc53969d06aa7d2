"""Setup and planning: the reference rules of Strasbourg against the ambiguities list, item by item."""

import random
from typing import Any

import pytest

from scripted_strasbourg import (
    BASE,
    PLAYERS,
    Scene,
    council,
    deck,
    lines,
    random_game,
    types,
)
from strozzi_sim.games.strasbourg.reference import Game


@pytest.mark.parametrize(("start", "players", "church"), [(2, 4, 3), (3, 4, 0), (0, 3, 1), (4, 5, 0)])
def test_a01_the_left_neighbour_has_the_church_seat(start: int, players: int, church: int) -> None:
    scene = Scene(players, start=start, ready=False)
    assert scene.game.events[0]["start_player"] == start
    assert council(scene) == [start, church] + [None] * 6


def test_a02_tasks_are_chosen_after_the_layout() -> None:
    scene = Scene(4, round_cards=["R3", "R1", "R5", "R2", "R4"], edifices=["E2", "E6", "E5", "E4", "E3"], ready=False)
    assert (scene.asked, types(scene.game)) == ("keep_tasks", ["setup"])
    seen = scene.game.seen_by(0)
    assert seen["round_cards"] == ["R3", "R1", "R5", "R2", "R4"]
    assert seen["edifices"] == ["E2", "E6", "E5", "E4", "E3"]
    assert seen["own_tasks"] == (["T_ED2", "T_ED3", "T_ED4", "T_ED5", "T_ED6"], None)


def test_a03_the_number_of_kept_tasks_is_secret() -> None:
    tasks = [task["id"] for task in BASE["tasks"]]
    few, many = (Scene(4, keep={0: tasks[:number]}).game for number in (1, 5))
    assert few.seen_by(0) != many.seen_by(0)
    for seat in (1, 2, 3):
        assert few.seen_by(seat) == many.seen_by(seat)


def test_a04_step_a_is_played_in_every_round() -> None:
    scene = Scene(4, start=2)
    assert (scene.game.round, scene.game.step) == (1, "A")
    scene.bid().to("A", 2)  # all pass
    assert council(scene) == [2, 3] + [None] * 6
    assert scene.game.start_player == 2
    assert [line["step"] for line in scene.lines("step")[:9]] == list("ABCDEFGHI")


def test_a04_switch_skip_a_round1() -> None:
    scene = Scene(4, start=2, skip_A_round1=True)
    assert (scene.game.round, scene.game.step) == (1, "B")
    assert council(scene) == [2, 3] + [None] * 6
    scene.to("A", 2)
    assert [line["step"] for line in scene.lines("step")] == [*"BCDEFGHI", "A"]


@pytest.mark.parametrize("players", PLAYERS)
def test_a05_tasks_not_dealt_are_out(players: int) -> None:
    game = random_game(BASE, players, 1)
    dealt = [task for hand in game.dealt for task in hand]
    assert len(set(dealt)) == len(dealt) == 5 * players
    told = {task for line in lines(game, "keep_tasks") for task in line["dealt"] + line["tasks"]}
    assert told == set(dealt)
    known = [game.seen_by(seat)["own_tasks"][0] for seat in range(players)]
    assert sorted(task for hand in known for task in hand) == sorted(dealt)


def test_a06_one_card_must_be_drawn() -> None:
    scene = Scene(3, {1: [[5]]}, ready=False)
    scene.rest(lambda: scene.asked == "keep_tasks")
    game = scene.game
    for seat, card in enumerate([1, 5, 1]):
        assert (game.actor, scene.asked, game.legal) == (seat, "draw", ("stop", "draw"))
        assert game.hand[seat] == [card]  # it is looked at before the first choice
        game.play("stop")
    assert [line["drawn"] for line in scene.lines("plan")] == [[1], [5], [1]]


@pytest.mark.parametrize("players", PLAYERS)
def test_a07_all_cards_drawn_go_into_stacks(players: int) -> None:
    for seed in range(10):
        for line in lines(random_game(BASE, players, seed), "plan"):
            assert sorted(card for stack in line["stacks"] for card in stack) == sorted(line["drawn"])
            assert all(line["stacks"])


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
        here = [scene.game.seen_by(2)]
        plan_by_chance(scene, 2, random.Random(0))
        plan_by_chance(scene, 3, dice)
        here.append(scene.game.seen_by(2))
        seen.append(here)
        assert here[0]["stack_sizes"][1] is None
        assert here[0]["decks"][1] == (24, [])
        plan_by_chance(scene, 0, random.Random(0))
        assert scene.asked == "bid"
        sizes = [sorted(map(len, line["stacks"])) for line in sorted(scene.lines("plan"), key=lambda p: p["player"])]
        assert scene.game.seen_by(2)["stack_sizes"] == sizes
        assert scene.game.seen_by(2)["decks"] == [(24 - sum(size), []) for size in sizes]
    assert all(here == seen[0] for here in seen)


def test_a08_switch_planning_sequential() -> None:
    scene = begin_planning(planning="sequential")
    assert scene.game.seen_by(0)["stack_sizes"] == [[], None, None, None]
    scene.say((1, "draw"), (1, "draw"))
    assert scene.game.seen_by(0)["decks"][1] == (24, [])  # only when the player has finished
    scene.say((1, "stop"), (1, ("add", 1)), (1, "close"))
    assert scene.game.seen_by(0)["stack_sizes"] == [[], [1, 2], None, None]
    assert scene.game.seen_by(0)["decks"][1] == (21, [])


def test_a09_any_number_of_stacks() -> None:
    nine = [[6], [6], [5], [5], [4], [3], [2], [1], [1]]
    scene = Scene(3, {1: nine, 2: [[6, 5, 4, 3, 2]]})
    assert scene.lines("plan", player=1)[0]["stacks"] == nine
    assert scene.game.seen_by(0)["stack_sizes"] == [[1], [1] * 9, [5]]


def test_a10_the_next_card_is_not_seen_before_stopping() -> None:
    views = []
    for cards in ([4, 2, 6], [4, 6, 2]):
        decks = [deck(BASE, [[cards]]), deck(BASE), deck(BASE)]
        ids = [task["id"] for task in BASE["tasks"]]
        rounds, edifices = ([entry["id"] for entry in BASE[block]] for block in ("round_cards", "edifices"))
        game = Game(BASE, 3, rounds, edifices, [ids[:5], ids[5:10], ids[10:15]], decks)
        while game.question and game.question.kind == "keep_tasks":
            game.play(game.legal[0])
        before = game.seen_by(0)
        game.play("stop")
        views.append((before, game.seen_by(0)))
        assert game.deck_size(0) == 23
    assert views[0] == views[1]
    game.play("draw")
    assert game.hand[1] == [1, 1]  # what is drawn is kept
    assert ("stop" in game.legal, game.deck_size(1)) == (True, 22)


def test_a11_returned_cards_are_known() -> None:
    """One who has drawn the whole shuffled deck has exactly the returned cards left."""
    all_cards = [[6] * 4, [5] * 4, [4] * 4, [3] * 4, [2] * 4, [1] * 4]
    scene = Scene(3, {0: all_cards, 1: [[6, 6, 6, 6, 5]], 2: [[6, 6, 6, 6, 5]]})
    scene.bid(p0=all_cards[0], p1=[6, 6, 6, 6, 5], p2=[6, 6, 6, 6, 5]).to("B")
    for seat in range(3):
        assert scene.game.seen_by(seat)["decks"] == [(1, [6]), (19, []), (19, [])]
    assert scene.game.shuffled[0] == []
    scene.to(None, 2)
    asked = set()
    while scene.asked in ("draw", "split"):
        asked.add(scene.game.actor)
        scene.game.play(scene.least())
    assert asked == {1, 2}  # seat 0 draws its last card and has nothing to choose
    assert scene.lines("plan", player=0)[1] == {"type": "plan", "player": 0, "drawn": [6], "stacks": [[6]]}


def test_a11_returned_cards_come_last_and_in_order() -> None:
    plan = {0: [[6], [6]], 1: [[5], [5]], 2: [[3], [2]]}
    scene = Scene(3, plan).bid(p0=[6], p1=[5], p2=[3]).bid_in("B", p0=[6], p1=[5], p2=[2]).to(None, 2)
    assert (scene.game.under[2], scene.game.deck_size(2)) == ([3, 2], 24)
    while scene.asked in ("draw", "split"):
        draws = scene.game.actor == 2 and scene.asked == "draw"
        scene.game.play("draw" if draws else scene.least())
    drawn = scene.lines("plan", player=2)[1]["drawn"]
    assert drawn[-2:] == [3, 2]
    assert sorted(drawn) == deck(BASE)

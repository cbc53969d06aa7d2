"""Tasks, the end of the game, components and switches: the reference rules of Strasbourg against the ambiguities list, item by item."""

from typing import Any

import pytest

from reference_strasbourg import numbers, seen_by
from scripted import lines
from scripted_strasbourg import (
    BASE,
    PLAYERS,
    SETTINGS,
    Scene,
    actions,
    base_components,
    lines_of_step,
    random_game,
    rivals,
    settled,
)
from strozzi_sim.games.strasbourg.reference import is_fulfilled, score

# -- geometry, tasks and the end of the game --------------------------------------------------------------------------


def test_a36_a_chapel_touches_four_spaces() -> None:
    touching = []
    for space in Scene(3).game.city.guilds:
        end = score(settled(space, chapels=((4, 5),), players=3))
        assert end["chapels"][0] in (0, 1)
        touching += [space] * end["chapels"][0]
    assert touching == [(4, 5), (5, 5), (4, 6), (5, 6)]


@pytest.mark.parametrize("players", PLAYERS)
def test_a42_the_council_task_is_judged_after_the_last_council(players: int) -> None:
    outcomes = set()
    for seed in range(12):
        game = random_game(BASE, players, seed, 0.5)
        last = lines(game, "council")[-1]["prestige"]
        for seat in range(players):
            assert is_fulfilled(game, seat, "T_COUNCIL") is (last[seat] >= {3: 4, 4: 3, 5: 2}[players])
            outcomes.add(is_fulfilled(game, seat, "T_COUNCIL"))
    assert outcomes == {True, False}


def test_a46_the_last_council_is_played_in_full() -> None:
    scene = Scene(3, {0: [[6]]}).bid(p0=[6]).to_end()
    councils = scene.lines("council")
    assert [line["round"] for line in councils] == [1, 2, 3, 4, 5]
    assert councils[4]["prestige"] == [1, 1, 0]
    assert councils[4]["privileges"] == [1, 1, 0]
    end = scene.game.events[-1]
    assert end["type"] == "score_end"
    assert (end["council"], end["privileges"]) == ([5, 5, 0], [5, 5, 0])


def test_a47_privileges_serve_from_the_next_round_on() -> None:
    scene = Scene(3, {0: [[2], [1]], 1: [[2], [1]], 2: [[2], [1]]}, {0: [[2], [1]], 1: [[2], [1]], 2: [[2], [1]]})
    while scene.game.round == 1:
        assert "defer" not in scene.game.legal
        scene.game.play(scene.least())
    scene.to("A", 2)
    assert "defer" in scene.game.legal
    assert scene.game.privileges == [1, 1, 0]


def test_a48_a_last_tie_is_a_shared_victory() -> None:
    game = settled((1, 1), others={(1, 2): 1, (2, 2): 2, (1, 6): 2})
    game.kept = [[], [], [], []]
    game.prestige = [10, 10, 0, 0]
    assert (score(game)["total"], score(game)["winners"]) == ([11, 11, 2, 0], [0, 1])
    game.prestige = [10, 10, 9, 11]
    assert (score(game)["total"], score(game)["winners"]) == ([11, 11, 11, 11], [2])  # two members in the city
    scene = Scene(3).to_end()
    assert scene.game.places == [1, 1, 3]
    assert scene.game.winners == [0, 1]


# -- components, and what the record's specification added ------------------------------------------------------------


def test_a57_players_without_stacks_are_not_waited_for() -> None:
    bids = {"p0": [6], "p1": [5], "p2": [4]}
    scene = Scene(3, {0: [[6], [3]], 1: [[5]], 2: [[4]]}, privileges=[1, 1, 1]).bid(**bids).to("B")
    assert scene.game.queue == [0, 1, 2]
    assert scene.game.legal == ("pass", ("reveal", (3,)))
    scene = Scene(3, {0: [[6], [3]], 1: [[5]], 2: [[4], [2]]}, privileges=[1, 0, 0]).bid(**bids).to("B")
    scene.say((0, "defer"))
    assert scene.game.actor == 2  # seat 1 keeps its place in the queue and has passed
    assert scene.lines("bid")[-1] == {"type": "bid", "player": 1, "stack": None}


def test_a58_the_master_takes_the_seat_whatever_else() -> None:
    scene = Scene(3, {0: [[6]]}).bid_in("B", p0=[6]).say((0, "none"), (0, "none"))
    assert scene.game.council["vintner"] == 0
    assert actions(scene, "B") == [(0, "seat"), (0, "decline")]


def test_a58_switch_seat_optional() -> None:
    scene = Scene(3, {0: [[6], [5], [4], [3]]}, seat_optional=True).bid(p0=[6])
    assert actions(scene, "A") == [(0, "seat")]  # no choice
    scene.bid_in("B", p0=[5])
    assert (scene.asked, scene.game.legal, numbers(scene.game)) == ("seat", ("none", "seat"), (67, 68))
    scene.say((0, "none"), (0, "good"))
    scene.say((0, scene.game.legal[1]))
    assert scene.game.council["vintner"] is None
    assert actions(scene, "B") == [(0, "good"), (0, "place"), (0, "decline")]
    scene.bid_in("D", p0=[4]).say((0, "seat"))
    assert scene.game.council["smith"] == 0
    scene.bid_in("G", p0=[3])
    assert actions(scene, "G")[0] == (0, "seat")


def test_a59_switch_return_if_unused() -> None:
    plan = {0: [[6], [5, 2], [4, 1], [3, 1]], 1: [[6, 1], [5, 3]], 2: [[6, 2], [5, 1]]}
    scene = Scene(4, plan, return_if_unused=True).bid_in("C", p0=[5, 2])
    assert (scene.asked, scene.game.legal) == ("return_card", (("return", 2), ("return", 5)))
    scene.say((0, ("return", 5)))
    scene.bid_in("D", p0=[6], p1=[5, 3], p2=[5, 1])  # sums 6, 8 and 6
    assert scene.game.start_player == 1
    scene.say((1, "none"), (1, "none"), (0, "none"), (0, "none"), (2, "none"), (2, ("return", 1)))
    told = [line for line in lines_of_step(scene.game, "D") if line["type"] == "return_card"]
    assert [(line["player"], line["card"]) for line in told] == [(0, 6), (2, 1)]  # never the master
    scene.bid_in("G", p0=[4, 1])
    assert lines_of_step(scene.game, "G")[-1]["type"] == "act"  # a seat was taken
    assert scene.game.under == [[5, 6], [], [1], []]


def test_a59_with_an_optional_seat() -> None:
    scene = Scene(4, {0: [[6, 2]]}, return_if_unused=True, seat_optional=True).bid_in("B", p0=[6, 2])
    scene.say((0, "none"), (0, "none"), (0, "none"))
    assert scene.game.legal == (("return", 2), ("return", 6))
    scene = Scene(4, {0: [[6, 2]]}, return_if_unused=True, seat_optional=True).bid_in("B", p0=[6, 2])
    scene.say((0, "seat"), (0, "none"), (0, "none"))
    assert scene.asked != "return_card"


def test_a59_each_use_of_a_right_counts_in_its_own_step() -> None:
    plan = {0: [[6], [5]], 1: [[5], [4]], 2: [[4], [3]]}
    scene = Scene(4, plan, return_if_unused=True).bid_in("B", p0=[6], p1=[5], p2=[4])
    scene.say((0, "none"), (0, "none"), (1, "none"), (1, "none"), (2, "good"))
    assert scene.game.under == [[], [5], [], []]
    scene.bid_in("D", p0=[5], p1=[4], p2=[3]).say((0, "none"), (0, "none"), (1, "none"))
    scene.say((1, scene.game.legal[1]), (2, "none"))
    assert scene.game.under == [[], [5], [3], []]  # a space was taken by seat 1, nothing by seat 2 in this step


@pytest.mark.parametrize("optional", [True, False])
def test_a60_no_chapel_or_site_left(optional: bool) -> None:
    components = base_components(building_optional=optional)
    components["chapels"]["count"] = 1
    scene = Scene(3, components=components).to("H")
    scene.say((1, ("chapel", (1, 1)))).to("I", 2)
    assert scene.lines("chapel")[1] == {"type": "chapel", "player": 1, "site": None}
    components = base_components(building_optional=optional)
    components["city"]["chapel_sites"] = [[1, 1]]
    scene = Scene(3, components=components)
    if optional:
        scene.to("H").say((1, ("chapel", (1, 1))))  # else there is one corner, and no choice
    scene.to("I", 2)
    assert [line["site"] for line in scene.lines("chapel")] == [[1, 1], None]
    assert scene.game.chapels == [(1, 1)]


def test_a60_no_building_site_left() -> None:
    components = base_components()
    city = components["city"]
    rows = [row.replace("#", "B") for row in city["guild_map"]]
    city["guild_map"] = [rows[0].replace("B B B", "B B #"), *rows[1:]]
    prices = [row.replace(".", "2") for row in city["price_map"]]
    city["price_map"] = [prices[0].replace("1 2 2", "1 2 ."), *prices[1:]]
    scene = Scene(3, components=components).to("I")
    assert scene.game.legal == ("none", ("edifice", (3, 1)))
    scene.say((0, ("edifice", (3, 1)))).to("A", 3)
    assert [(line["edifice"], line["site"]) for line in scene.lines("edifice")] == [("E2", [3, 1]), ("E3", None)]


def test_a61_as_many_rounds_as_round_cards() -> None:
    components = base_components()
    del components["round_cards"][2]
    scene = Scene(3, components=components, edifices=["E6", "E2", "E3", "E4", "E5"]).to_end()
    assert [line["round"] for line in scene.lines("round")] == [1, 2, 3, 4]
    assert scene.lines("setup")[0]["edifices"] == ["E6", "E2", "E3", "E4"]
    assert scene.lines("setup")[0]["round_cards"] == ["R1", "R2", "R4", "R5"]
    assert [line["edifice"] for line in scene.lines("edifice")] == ["E6", "E2", "E3", "E4"]
    assert len(scene.lines("council")) == 4


def test_a62_the_order_of_simultaneous_things() -> None:
    plan = {0: [[6, 1]], 1: [[5, 1]], 2: [[4, 1]], 3: [[3, 1]], 4: [[2, 1]]}
    scene = Scene(5, plan, start=3)
    assert [line["player"] for line in scene.lines("keep_tasks")] == [0, 1, 2, 3, 4]
    assert [line["player"] for line in scene.lines("plan")] == [3, 4, 0, 1, 2]
    scene.bid(p0=[6, 1], p1=[5, 1], p2=[4, 1], p3=[3, 1], p4=[2, 1]).to("B")
    assert [line["player"] for line in scene.lines("return_card")] == [2, 3, 4]
    assert [line["player"] for line in scene.lines("bid")[:5]] == [3, 4, 0, 1, 2]


def test_a63_returns_are_asked_in_the_last_round() -> None:
    plan: dict[int, list[list[int]]] = {0: [[6]], 1: [[5]], 2: [[2, 1]]}
    scene = Scene(3, {}, {}, {}, {}, plan).to("A", 5).bid(p0=[6], p1=[5], p2=[2, 1])
    assert (scene.game.round, scene.asked, scene.game.legal) == (5, "return_card", (("return", 1), ("return", 2)))
    scene = Scene(3, {}, {}, {}, {}, plan | {2: [[2, 2]]}).to("A", 5).bid(p0=[6], p1=[5], p2=[2, 2])
    assert scene.asked != "return_card"
    assert scene.lines("return_card") == [{"type": "return_card", "player": 2, "card": 2}]


def test_a64_nobility_or_church() -> None:
    game = settled()
    assert [is_fulfilled(game, seat, "T_LORD") for seat in range(4)] == [True, True, False, False]
    game.council.update(nobility=3, church=3, smith=0)
    assert [is_fulfilled(game, seat, "T_LORD") for seat in range(4)] == [False, False, False, True]


@pytest.mark.parametrize("fulfils", [False, True])
@pytest.mark.parametrize("task", ["T_MOSTCITY", "T_MOSTCOINS"])
def test_a38_and_a65_ties(task: str, fulfils: bool) -> None:
    one, tie = (rivals(tie, tie_fulfils=fulfils) for tie in (False, True))
    assert [is_fulfilled(one, seat, task) for seat in range(4)] == [True, False, False, False]
    assert [is_fulfilled(tie, seat, task) for seat in range(4)] == [fulfils, False, False, fulfils]
    tie.members, tie.coins = {}, [0] * 4
    assert [is_fulfilled(tie, seat, task) for seat in range(4)] == [fulfils] * 4  # all have nothing


def divisions(cards: list[int]) -> list[list[list[int]]]:
    """Every way in which these cards can be divided, by the questions of the game."""
    found = []
    waiting: list[list[Any]] = [[]]
    while waiting:
        path = waiting.pop()
        scene = Scene(3, {0: [cards]}, ready=False)
        while scene.asked in ("keep_tasks", "draw") and not scene.lines("plan"):
            scene.game.play(scene.least())
        for option in path:
            scene.game.play(option)
        if not scene.lines("plan"):
            waiting += [[*path, option] for option in scene.game.legal]
        else:
            found.append(scene.lines("plan")[0]["stacks"])
    return found


def partitions(cards: tuple[int, ...]) -> set[tuple[tuple[int, ...], ...]]:
    """Every way to divide cards, found by putting each card on every stack in turn."""
    if not cards:
        return {()}
    found = set()
    for smaller in partitions(cards[1:]):
        for place in range(len(smaller) + 1):
            stack = smaller[place] if place < len(smaller) else ()
            rest = [other for number, other in enumerate(smaller) if number != place]
            found.add(tuple(sorted([*rest, tuple(sorted((*stack, cards[0]), reverse=True))], reverse=True)))
    return found


@pytest.mark.parametrize(
    "cards", [[1], [3, 3, 3], [2, 1], [2, 2, 1], [5, 3, 2, 2], [6, 6, 5, 5, 1], [4, 4, 4, 4], [6, 5, 4, 3, 2], [2, 2, 2, 1, 1, 1]]
)  # fmt: skip
def test_a66_each_division_can_be_made_in_one_way(cards: list[int]) -> None:
    found = [tuple(map(tuple, stacks)) for stacks in divisions(cards)]
    assert len(set(found)) == len(found)
    assert set(found) == partitions(tuple(cards))
    for stacks in found:
        assert list(stacks) == sorted(stacks, reverse=True)


def test_a66_equal_cards_and_stacks_are_one_choice() -> None:
    assert len(divisions([3, 3, 3])) == 3
    scene = Scene(3, {0: [[5], [2], [2]], 1: [[6]], 2: [[6]]})
    assert scene.game.legal == ("pass", ("reveal", (5,)), ("reveal", (2,)))
    assert numbers(scene.game) == (41, 43, 44)
    scene.bid(p0=[2], p1=[6], p2=[6])
    scene.to("B").rest(lambda: scene.game.actor != 0)
    assert scene.game.legal == ("pass", ("reveal", (5,)), ("reveal", (2,)))
    assert numbers(scene.game) == (41, 43, 45)  # stack 1 is used
    scene = Scene(3, {0: [[3, 3, 1]], 1: [[6, 6]], 2: [[6, 6]]}).bid(p0=[3, 3, 1], p1=[6, 6], p2=[6, 6])
    assert scene.game.legal == (("return", 1), ("return", 3))
    assert numbers(scene.game) == (140, 142)


def test_a67_positions_of_stacks_tell_nothing() -> None:
    """Two stacks of two and one of one: whichever of them is highest, the others see the same."""
    plans = [[[6, 1], [5, 2], [4]], [[6, 2], [5, 1], [4]], [[6], [5, 4], [2, 1]]]
    seen = [[seen_by(Scene(3, {1: plan}).game, seat) for seat in (0, 2)] for plan in plans]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0]["stack_sizes"][1] == [1, 2, 2]
    seen = [
        [seen_by(Scene(3, {1: plan}).bid(p1=[3]).to("B").game, seat) for seat in (0, 2)]
        for plan in ([[5], [4, 1], [3]], [[4, 1], [3], [2]])
    ]
    assert seen[0] == seen[1]


def test_a68_switch_min_draw_0() -> None:
    scene = Scene(3, min_draw=0, ready=False)
    scene.rest(lambda: scene.asked == "keep_tasks")
    assert (scene.asked, scene.game.legal, scene.game.hand[0]) == ("draw", ("stop", "draw"), [])
    scene.say((0, "stop"))
    assert scene.lines("plan") == [{"type": "plan", "player": 0, "drawn": [], "stacks": []}]
    scene.say((1, "draw"), (1, "stop"), (2, "stop"))
    assert (scene.asked, scene.game.actor) == ("bid", 1)
    assert lines_of_step(scene.game, "A")[1] == {"type": "bid", "player": 0, "stack": None}


@pytest.mark.parametrize("switches", SETTINGS[1:], ids=lambda switches: "-".join(switches)[:20])
def test_switches_change_what_they_say(switches: dict[str, Any]) -> None:
    """Play under knowledge switches is the same line by line; under the others it is not."""
    games = [random_game(base_components(**changes), 4, seed, 0.3) for changes in ({}, switches) for seed in range(6)]
    same = [one.events == other.events for one, other in zip(games[:6], games[6:], strict=True)]
    knowledge = set(switches) <= {"planning", "hide_money"}
    assert all(same) if knowledge else not all(same)

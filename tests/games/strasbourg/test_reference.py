"""The reference rules of Strasbourg: tasks on random boards, how it is asked, and the check of records."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from reference_strasbourg import numbers
from scripted import record
from scripted_strasbourg import (
    Scene,
    random_boards,
)
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.strasbourg import verify
from strozzi_sim.games.strasbourg.reference import Game, is_fulfilled
from strozzi_sim.games.strasbourg.reference_table import Space

# -- tasks ------------------------------------------------------------------------------------------------------------


def in_a_line(spaces: Sequence[Space]) -> str | None:
    """How three spaces, in any order, lie on three consecutive cells."""
    steps = [(two[0] - one[0], two[1] - one[1]) for one, two in itertools.pairwise(sorted(spaces))]
    if steps[0] != steps[1]:
        return None
    return {(1, 0): "row", (0, 1): "row", (1, 1): "diagonal", (1, -1): "diagonal"}.get(steps[0])


def are_connected(spaces: Sequence[Space]) -> bool:
    reached, before = {spaces[0]}, 0
    while len(reached) != before:
        before = len(reached)
        reached |= {s for s in spaces if any(abs(s[0] - r[0]) + abs(s[1] - r[1]) == 1 for r in reached)}
    return before == len(spaces)


def sought(game: Game, own: list[Space]) -> dict[str, bool]:
    """Whether the tasks about places are fulfilled, by looking at every choice of so many members."""
    guild, neighbour = game.city.guilds, {}
    for site, edifice in game.built.items():
        neighbour[edifice] = [s for s in own if abs(s[0] - site[0]) + abs(s[1] - site[1]) == 1]
    touching = [[s for s in own if 0 <= s[0] - c <= 1 and 0 <= s[1] - r <= 1] for c, r in game.chapels]
    threes = [in_a_line(spaces) for spaces in itertools.combinations(own, 3)]
    counts = Counter(guild[space] for space in own)
    fulfilled = {
        "T_SAME3": any(len(spaces) >= 3 for spaces in neighbour.values()),
        "T_ROW3": "row" in threes,
        "T_DIAG3": "diagonal" in threes,
        "T_SQUARE": any(
            len({c for c, _ in four}) == len({r for _, r in four}) == 2 and are_connected(four)
            for four in itertools.combinations(own, 4)
        ),
        "T_EDIF4": sum(map(bool, neighbour.values())) >= 4,
        "T_ALLGUILDS": len(counts) == 5,
        "T_PAIRS3": sorted([*counts.values(), 0, 0, 0])[-3] >= 2,
        "T_CHAPEL4": sum(map(bool, touching)) >= 4,
        "T_CHAPELSAME": any(len(spaces) >= 3 for spaces in touching),
        "T_GROUP5": any(are_connected(five) for five in itertools.combinations(own, 5)),
        "T_BORDER6": sum(c in (1, 9) or r in (1, 6) for c, r in own) >= 6,
    }
    for number in range(2, 7):
        fulfilled[f"T_ED{number}"] = len(neighbour.get(f"E{number}", [])) >= 2
    return fulfilled | {f"T_G_{name}": counts[name] >= 3 for name in game.guild_order}


def test_tasks_on_boards_laid_at_random() -> None:
    game, outcomes = Scene(4).game, Counter()
    for own in random_boards(game, 300):
        for task, fulfilled in sought(game, own).items():
            assert is_fulfilled(game, 2, task) is fulfilled, (task, own, game.built, game.chapels)
            outcomes[task, fulfilled] += 1
    assert min(outcomes.values()) >= 5
    assert len(outcomes) == 2 * (25 - 4)  # all but those about the council and the others


# -- how it is asked ---------------------------------------------------------------------------------------------------


def test_some_numbers() -> None:
    """Each formula of F6.1 once, from the table of F6.1 and the map."""
    scene = Scene(4, {0: [[6, 1], [5]]}, round_cards=["R1", "R2", "R3", "R4", "R5"], ready=False)
    game = scene.game
    assert numbers(game) == tuple(range(1, 32))
    assert game.legal[0b10110 - 1] == ("keep", ("T_ED3", "T_ED4", "T_ED6"))
    scene.rest(lambda: scene.asked == "keep_tasks")
    assert numbers(game) == (32, 33)
    scene.say((0, "draw"), (0, "draw"), (0, "stop"))
    assert (game.legal, numbers(game)) == (("close", ("add", 1), ("add", 5)), (34, 35, 39))
    scene.to("B")
    assert numbers(game) == (41, 43, 44)
    scene.bid(p0=[5]).say((0, "good"))
    vintner = {"place": [(4, 1), (5, 1), (6, 1), (7, 1), (8, 1), (9, 1), (6, 2), (7, 2), (9, 2)]}
    assert game.legal == ("none", *(("place", space) for space in vintner["place"]))
    assert numbers(game) == (67, 73, 74, 75, 76, 77, 78, 84, 85, 87)
    scene.say((0, "none")).bid_in("C", p0=[6, 1])
    assert numbers(game) == (124, 125)
    scene.say((0, ("sell", 1))).to("H")
    assert numbers(game) == (67, *range(146, 161))
    assert game.legal[10] == ("chapel", (4, 5))
    scene.to("I")
    assert numbers(game) == (67, *range(186, 193))
    assert game.legal[1:] == tuple(("edifice", s) for s in ((3, 1), (5, 2), (8, 2), (7, 3), (5, 4), (2, 5), (8, 5)))


# -- checking records --------------------------------------------------------------------------------------------------


PLAN = {0: [[6, 1], [6], [5, 2]], 1: [[5, 3], [4]], 2: [[4, 4], [2]]}


def played() -> Scene:
    scene = Scene(3, PLAN, keep={0: ["T_ED2", "T_ED4"]}).bid(p0=[6, 1], p1=[5, 3], p2=[4, 4])
    scene.say((0, ("return", 6))).bid_in("B", p0=[6], p1=[4], p2=[2]).say((0, "good"), (0, "none"), (1, "none"))
    scene.to("C").bid(p0=[5, 2]).say((0, ("sell", 1))).to("H").say((2, ("chapel", (1, 1))))
    return scene.to_end()


@pytest.mark.parametrize(
    ("kind", "fields", "change", "message"),
    [
        ("setup", {}, {"start_player": 1}, "start_player 1 instead of 0"),
        ("setup", {}, {"round_cards": ["R1", "R2", "R3", "R4", "R1"]}, "expected a round card not drawn yet"),
        ("keep_tasks", {}, {"tasks": ["T_ED4", "T_ED2"]}, "in this order"),
        ("keep_tasks", {"player": 1}, {"dealt": ["T_ED2", "T_ED3", "T_ED4", "T_ED5", "T_ED6"]}, "a task not drawn yet"),
        ("plan", {}, {"stacks": [[6, 6, 1], [5, 2]]}, None),
        ("plan", {}, {"stacks": [[1, 6], [6], [5, 2]]}, "stacks in descending order"),
        ("plan", {}, {"stacks": [[]]}, "a plan of player 0 with stacks that begin"),
        ("plan", {}, {"drawn": [6, 6, 6, 6, 6]}, "expected a card left in the shuffled deck of player 0, found 6"),
        ("bid", {}, {"stack": [5, 2]}, None),
        ("bid", {}, {"stack": [6, 5]}, r"a line bid of player 0, bid: pass or \[6, 1\] or \[6\] or \[5, 2\]"),
        ("act", {}, {"seat": "church"}, 'found seat "church" instead of "nobility"'),
        ("return_card", {}, {"card": 5}, "a line return_card of player 0, return_card: 1 or 6"),
        ("act", {"action": "good"}, {"action": "place", "space": [1, 1], "price": 1}, "a line act of player 0, "),
        ("act", {"action": "sell"}, {"coins": 5}, "found coins 5 instead of 4"),
        ("chapel", {}, {"site": [1, 6]}, "a line chapel of player 2, chapel: none or"),
        ("edifice", {}, {"site": [1, 1]}, "a line edifice of player 1, edifice: none or"),
        ("score_end", {}, {"winners": []}, r"found winners \[\]"),
    ],
)
def test_check_says_what_was_expected(kind: str, fields: dict[str, Any], change: dict[str, Any], message: Any) -> None:
    """`message` None: legal in itself, a later line breaks."""
    game = played().game
    header, numbered = record(game, game.components)
    position = next(k for k, (_, e) in enumerate(numbered) if e["type"] == kind and fields.items() <= e.items())
    numbered[position] = (numbered[position][0], numbered[position][1] | change)
    with pytest.raises(RuleViolation, match=message) as broken:
        verify.REPLAY.check_game(header, 1, numbered)
    assert (broken.value.line == numbered[position][0]) is (message is not None)

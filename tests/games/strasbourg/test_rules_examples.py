"""The rulebook's examples (R15, and the first round of F10) played in the reference rules of Strasbourg."""

import json
from collections import deque
from typing import Any

import pytest

from reference_strasbourg import play_number, seen_by
from scripted_strasbourg import BASE, Scene, base_components, lines, lines_of_step, record
from strozzi_sim.errors import RuleViolation
from strozzi_sim.games.strasbourg.reference import Game
from strozzi_sim.games.strasbourg.reference_scoring import score
from strozzi_sim.games.strasbourg.verify import Chance, replay_game

NICOLE, PETER, SANDRA, THOMAS = range(4)  # in clockwise order


def test_15_1_ranks_of_an_auction() -> None:
    """Step B of four players, Nicole first: 5, 2 + 1, 5 and 6."""
    plan = {NICOLE: [[5]], PETER: [[2, 1]], SANDRA: [[5]], THOMAS: [[6]]}
    scene = Scene(4, plan, round_cards=["R1", "R2", "R3", "R4", "R5"]).to("B")
    game = scene.game
    assert game.guild == "vintner"
    scene.bid(p0=[5], p1=[2, 1], p2=[5], p3=[6])
    assert game.start_player == THOMAS  # at once
    assert scene.asked == "good"  # the master's seat is automatic
    scene.say((THOMAS, "good"), (THOMAS, ("place", (4, 1))), (NICOLE, "good"), (NICOLE, ("place", (6, 1))))
    assert scene.asked == "apprentice"
    scene.say((SANDRA, "good"))
    assert scene.asked == "return_card"
    assert game.legal == (("return", 1), ("return", 2))
    scene.say((PETER, ("return", 2)))
    assert lines_of_step(game, "B")[5:] == [
        {"type": "act", "player": THOMAS, "action": "seat", "seat": "vintner", "replaces": None},
        {"type": "act", "player": THOMAS, "action": "good", "guild": "vintner"},
        {"type": "act", "player": THOMAS, "action": "place", "space": [4, 1], "price": 4},
        {"type": "act", "player": NICOLE, "action": "good", "guild": "vintner"},
        {"type": "act", "player": NICOLE, "action": "place", "space": [6, 1], "price": 3},
        {"type": "act", "player": SANDRA, "action": "good", "guild": "vintner"},
        {"type": "return_card", "player": PETER, "card": 2},
    ]
    assert game.under == [[], [2], [], []]
    assert game.lost == [[5], [1], [5], [6]]
    assert lines_of_step(game, "C")[0]["start_player"] == THOMAS


def test_15_2_a_sale() -> None:
    """One weapon, one cask and one shoe are worth 12 coins."""
    scene = Scene(3, {0: [[1]]}).to("C")
    game = scene.game
    game.goods[0].update(smith=1, vintner=1, shoemaker=1)
    scene.bid(p0=[1]).say((0, ("sell", 1)), (0, ("sell", 1)), (0, ("sell", 1)))
    sale = {"smith": 1, "vintner": 1, "shoemaker": 1}
    assert scene.lines("act") == [{"type": "act", "player": 0, "action": "sell", "goods": sale, "coins": 12}]
    assert list(scene.lines("act")[0]["goods"]) == ["smith", "vintner", "shoemaker"]
    assert game.coins == [17, 5, 5]
    assert not any(game.goods[0].values())


def test_15_3_the_first_council() -> None:
    """Six members sit there after a round with bidders in A, B, D, F and G: 2, 2, 1 and 1."""
    plan = {0: [[6], [5]], 1: [[6], [5]], 2: [[1]], 3: [[1]]}
    scene = Scene(4, plan).bid(p2=[1], p3=[1])
    assert scene.game.council["nobility"] == 2
    assert scene.game.council["church"] == 3
    scene.bid_in("B", p0=[6]).bid_in("D", p1=[6]).bid_in("F", p0=[5]).bid_in("G", p1=[5]).to("A", 2)
    assert scene.game.council == {
        "nobility": 2, "church": 3, "smith": 1, "vintner": 0, "shoemaker": 0, "butcher": None, "baker": None,
        "merchants": 1,
    }  # fmt: skip
    council = scene.lines("council")[0]
    assert council["prestige"] == council["total"] == [2, 2, 1, 1]
    assert council["privileges"] == council["held"] == [1, 1, 0, 0]


def test_15_4_the_final_scoring() -> None:
    game = Scene(4).game
    members: dict[int, list[tuple[int, int]]] = {
        PETER: [(5, 5), (1, 1)],
        SANDRA: [(4, 6), (5, 6)],
        THOMAS: [(6, 4), (4, 4), (7, 4)],
        NICOLE: [(6, 5)],
    }
    game.members = {space: seat for seat, spaces in members.items() for space in spaces}
    game.built = {(5, 4): "E4", (7, 3): "E3"}  # the inn and the fountain
    game.chapels = [(4, 5)]
    end = score(game)
    board = [sum(parts) for parts in zip(end["city"], end["chapels"], end["edifices"], strict=True)]
    assert (board[PETER], board[SANDRA], board[THOMAS], board[NICOLE]) == (7, 4, 14, 1)
    assert (end["city"], end["chapels"], end["edifices"]) == ([1, 2, 2, 3], [0, 1, 2, 0], [0, 4, 0, 11])


def test_15_5_deferring() -> None:
    """Thomas defers, Nicole has no privilege and must decide before him; with one she could wait for him."""
    thomas, nicole, peter, sandra = range(4)
    plan = {seat: [[3]] for seat in range(4)}
    scene = Scene(4, plan, privileges=[1, 0, 0, 0])
    game = scene.game
    assert game.queue == [thomas, nicole, peter, sandra]
    scene.say((thomas, "defer"))
    assert game.queue == [nicole, peter, sandra, thomas]
    assert game.actor == nicole
    assert game.legal == ("pass", ("reveal", (3,)))
    game.play("pass")
    assert game.queue == [peter, sandra, thomas]

    scene = Scene(4, plan, privileges=[1, 1, 0, 0])
    game = scene.game
    scene.say((thomas, "defer"), (nicole, "defer"))
    assert game.queue == [peter, sandra, thomas, nicole]
    scene.say((peter, "pass"), (sandra, "pass"))
    assert game.actor == thomas
    assert [line["player"] for line in scene.lines("defer")] == [thomas, nicole]


@pytest.mark.parametrize(
    "stacks",
    [
        [[6], [5], [3, 2], [2]],  # as Nicole does
        [[6, 5, 3], [2, 2]],
        [[6, 5, 3, 2, 2]],
        [[6], [5], [3], [2], [2]],
    ],
)
def test_the_planning_example(stacks: list[list[int]]) -> None:
    """Nicole draws 5, 2, 2, 3 and 6, and may divide them in many ways."""
    drawn = [5, 2, 2, 3, 6]
    scene = Scene(4, {NICOLE: [drawn]}, ready=False)
    scene.plans = ({NICOLE: stacks},)
    scene.rest(lambda: scene.asked in ("keep_tasks", "draw", "split"))
    assert scene.lines("plan")[0] == {"type": "plan", "player": NICOLE, "drawn": drawn, "stacks": stacks}
    assert seen_by(scene.game, PETER)["stack_sizes"][NICOLE] == sorted(map(len, stacks))


# -- F10: the first round of a record ----------------------------------------------------------------------------------

FIRST_ROUND = """
{"type":"setup","round_cards":["R2","R5","R4","R1","R3"],"edifices":["E6","E4","E3","E2","E5"],"start_player":0}
{"type":"keep_tasks","player":0,"dealt":["T_ED2","T_ED4","T_DIAG3","T_PAIRS3","T_LORD"],"tasks":["T_ED2","T_PAIRS3"]}
{"type":"keep_tasks","player":1,"dealt":["T_ED6","T_G_butcher","T_SAME3","T_ALLGUILDS","T_BORDER6"],"tasks":["T_G_butcher","T_ALLGUILDS","T_BORDER6"]}
{"type":"keep_tasks","player":2,"dealt":["T_G_smith","T_G_shoemaker","T_MOSTCITY","T_MOSTCOINS","T_CHAPELSAME"],"tasks":["T_MOSTCOINS"]}
{"type":"round","round":1,"start_player":0}
{"type":"plan","player":0,"drawn":[5,3,2],"stacks":[[5,3,2]]}
{"type":"plan","player":1,"drawn":[1,1,6,2],"stacks":[[6,1],[2,1]]}
{"type":"plan","player":2,"drawn":[1,6,6,1,5,4,6],"stacks":[[6,4],[6,1,1],[6],[5]]}
{"type":"step","step":"A","start_player":0,"guild":null}
{"type":"bid","player":0,"stack":[5,3,2]}
{"type":"bid","player":1,"stack":[6,1]}
{"type":"bid","player":2,"stack":[6,1,1]}
{"type":"act","player":0,"action":"seat","seat":"nobility","replaces":0}
{"type":"act","player":2,"action":"seat","seat":"church","replaces":1}
{"type":"return_card","player":1,"card":6}
{"type":"step","step":"B","start_player":0,"guild":"smith"}
{"type":"bid","player":0,"stack":null}
{"type":"bid","player":1,"stack":null}
{"type":"bid","player":2,"stack":[5]}
{"type":"act","player":2,"action":"seat","seat":"smith","replaces":null}
{"type":"act","player":2,"action":"place","space":[4,3],"price":4}
{"type":"act","player":2,"action":"decline"}
{"type":"step","step":"C","start_player":2,"guild":null}
{"type":"bid","player":2,"stack":null}
{"type":"bid","player":0,"stack":null}
{"type":"bid","player":1,"stack":[2,1]}
{"type":"step","step":"D","start_player":1,"guild":"shoemaker"}
{"type":"bid","player":1,"stack":null}
{"type":"bid","player":2,"stack":[6,4]}
{"type":"bid","player":0,"stack":null}
{"type":"act","player":2,"action":"seat","seat":"shoemaker","replaces":null}
{"type":"act","player":2,"action":"good","guild":"shoemaker"}
{"type":"step","step":"E","start_player":2,"guild":null}
{"type":"bid","player":2,"stack":[6]}
{"type":"bid","player":0,"stack":null}
{"type":"bid","player":1,"stack":null}
{"type":"act","player":2,"action":"sell","goods":{"shoemaker":1},"coins":3}
{"type":"step","step":"F","start_player":2,"guild":"baker"}
{"type":"bid","player":2,"stack":null}
{"type":"bid","player":0,"stack":null}
{"type":"bid","player":1,"stack":null}
{"type":"step","step":"G","start_player":2,"guild":null}
{"type":"bid","player":2,"stack":null}
{"type":"bid","player":0,"stack":null}
{"type":"bid","player":1,"stack":null}
{"type":"step","step":"H","start_player":2,"guild":null}
{"type":"chapel","player":2,"site":[1,2]}
{"type":"step","step":"I","start_player":2,"guild":null}
{"type":"edifice","player":0,"edifice":"E6","site":[2,5]}
{"type":"council","round":1,"prestige":[1,0,3],"privileges":[0,0,1],"total":[1,0,3],"held":[0,0,1],"coins":[5,5,4],"goods":[0,0,0],"deck":[21,21,17]}
"""


def first_round() -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate(map(json.loads, FIRST_ROUND.strip().splitlines()), start=2))


def test_f10_the_lines_of_the_first_round() -> None:
    """Replayed line by line, then played on to the end; the record of the whole game is accepted."""
    told = first_round()
    header = {"type": "game", "game": "strasbourg", "players": 3, "components": BASE}
    replay = replay_game(header, 1, told)
    game, _ = next(replay)  # the same game all the time
    with pytest.raises(RuleViolation, match=r'the game stops early: expected ."type": "round", "round": 2'):
        deque(replay)
    assert game.events[: len(told)] == [line for _, line in told]
    assert [list(event) for event in game.events[: len(told)]] == [list(line) for _, line in told]  # keys in this order
    assert game.events[len(told)] == {"type": "round", "round": 2, "start_player": 2}
    while not game.over:
        game.play(game.legal[0])
    header, numbered = record(game)
    *_, (end, _) = replay_game(header, 1, numbered)
    assert end.over
    assert end.scores == game.scores


def test_f10_the_numbers_of_the_first_decisions() -> None:
    """The same round by action numbers (F6.1)."""
    told = first_round()
    chance = Chance(base_components(), 3, told)
    game = Game(base_components(), 3, chance.round_cards, chance.edifices, chance.tasks, chance.decks)
    keep = [0b01001, 0b11010, 0b01000]
    plans = [
        [33, 33, 32, 34 + 3, 34 + 2],
        [33, 33, 33, 32, 34 + 1, 34, 34 + 1],
        [33] * 6 + [32, 34 + 4, 34, 34 + 1, 34 + 1],  # the rest can be divided in one way only
    ]
    step_a = [43, 43, 43 + 1, 139 + 6]
    step_b = [41, 43 + 3, 67, 70 + 2 * 9 + 3]
    step_c = [41, 43 + 1]  # player 0 has no stack left; the number of a used stack is not used again
    step_d = [43, 68 + 1]
    step_e = [43 + 2, 124 + 1]
    numbers = [*keep, *(number for plan in plans for number in plan), *step_a, *step_b, *step_c, *step_d, *step_e]
    for number in [*numbers, 146 + 1, 186 + 5]:
        play_number(game, number)
    assert game.events[: len(told)] == [line for _, line in told]
    assert [line["type"] for line in lines(game, "council")] == ["council"]

"""Geometry, tasks and the end of the game: the reference rules of Strasbourg against the ambiguities list, item by item."""

import pytest

from scripted_strasbourg import (
    AT_FOUR_CHAPELS,
    BASE,
    FOUR_CHAPELS,
    PLAYERS,
    Scene,
    Space,
    lines,
    random_game,
    rivals,
    settled,
)
from strozzi_sim.games.strasbourg.reference_scoring import is_fulfilled, score


def test_a36_a_chapel_touches_four_spaces() -> None:
    touching = []
    for space in Scene(3).game.city.guilds:
        end = score(settled(space, chapels=((4, 5),), players=3))
        assert end["chapels"][0] in (0, 1)
        touching += [space] * end["chapels"][0]
    assert touching == [(4, 5), (5, 5), (4, 6), (5, 6)]


VINTNERS = [(4, 1), (6, 1), (8, 1), (6, 2)]


@pytest.mark.parametrize(("members", "fulfilled"), [(2, False), (3, True), (4, True)])
def test_a37_at_least_three_in_the_guild(members: int, fulfilled: bool) -> None:
    game = settled(*VINTNERS[:members], (1, 1), (1, 2), (4, 6))
    assert is_fulfilled(game, 0, "T_G_vintner") is fulfilled
    assert is_fulfilled(game, 0, "T_G_smith") is False


@pytest.mark.parametrize("task", ["T_MOSTCITY", "T_MOSTCOINS"])
def test_a38_a_tie_does_not_fulfil(task: str) -> None:
    assert [is_fulfilled(rivals(False), seat, task) for seat in range(4)] == [True, False, False, False]
    assert [is_fulfilled(rivals(True), seat, task) for seat in range(4)] == [False] * 4


def test_a39_the_edifice_must_stand() -> None:
    spaces = ((4, 4), (6, 4), (5, 5))
    assert not is_fulfilled(settled(*spaces, built={(5, 4): "E3"}), 0, "T_ED4")
    assert is_fulfilled(settled(*spaces, built={(5, 4): "E4"}), 0, "T_ED4")
    assert is_fulfilled(settled(*spaces[:2], built={(5, 4): "E4"}), 0, "T_ED4")
    assert not is_fulfilled(settled(*spaces[:1], built={(5, 4): "E4"}), 0, "T_ED4")
    assert not is_fulfilled(settled((4, 4), (4, 5), (6, 5), built={(5, 4): "E4"}), 0, "T_ED4")  # diagonal ones


@pytest.mark.parametrize(
    ("spaces", "orthogonal", "diagonal"),
    [
        ([(1, 5), (3, 5), (4, 5)], False, False),  # across the site (2, 5)
        ([(3, 5), (4, 5), (5, 5)], True, False),  # of two guilds
        ([(2, 1), (2, 2), (2, 3)], True, False),  # a column, of two guilds
        ([(7, 6), (8, 6), (9, 6)], True, False),
        ([(9, 6), (1, 5), (1, 6)], False, False),  # not around the edge
        ([(1, 4), (3, 6), (4, 6)], False, False),  # a diagonal across the site (2, 5)
        ([(2, 4), (3, 3), (4, 2)], False, True),
        ([(2, 2), (3, 3), (4, 4)], False, True),
        ([(2, 2), (3, 3), (4, 5)], False, False),
    ],
)
def test_a40_lines_are_consecutive_spaces(spaces: list[Space], orthogonal: bool, diagonal: bool) -> None:
    game = settled(*spaces)
    assert is_fulfilled(game, 0, "T_ROW3") is orthogonal
    assert is_fulfilled(game, 0, "T_DIAG3") is diagonal
    del game.members[spaces[1]]
    game.members[spaces[1]] = 1  # somebody else's
    assert not is_fulfilled(game, 0, "T_ROW3")
    assert not is_fulfilled(game, 0, "T_DIAG3")


def test_a41_longer_lines_and_several_tasks() -> None:
    row, column = [(column, 6) for column in range(3, 7)], [(3, row) for row in range(2, 5)]
    game = settled(*row, *column, (4, 4), (5, 5))
    game.kept[0] = ["T_G_baker", "T_ROW3", "T_DIAG3"]
    assert score(game)["fulfilled"][0] == game.kept[0]
    assert score(game)["tasks"][0] == 5 + 6 + 7
    assert is_fulfilled(settled(*row), 0, "T_ROW3")


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


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("held", range(5))
def test_a42_how_many_members_the_council_task_asks_for(players: int, held: int) -> None:
    game = Scene(players).game
    for chair in ("smith", "vintner", "butcher", "merchants")[:held]:
        game.council[chair] = 2
    assert is_fulfilled(game, 2, "T_COUNCIL") is (held + players >= 7)


def test_a43_chapels_are_no_edifices() -> None:
    game = settled(*AT_FOUR_CHAPELS, chapels=FOUR_CHAPELS)
    assert is_fulfilled(game, 0, "T_CHAPEL4")
    assert not is_fulfilled(game, 0, "T_EDIF4")
    game = settled((2, 1), (7, 4), (1, 5), (9, 5), built={(3, 1): "E2", (7, 3): "E3", (2, 5): "E4", (8, 5): "E5"})
    assert is_fulfilled(game, 0, "T_EDIF4")
    assert not is_fulfilled(game, 0, "T_CHAPEL4")
    del game.built[8, 5]
    assert not is_fulfilled(game, 0, "T_EDIF4")


def test_a44_a_task_scores_once() -> None:
    squares = [(column, row) for column in (2, 3, 4) for row in (3, 4)]  # two of them
    game = settled(*squares)
    game.kept[0] = ["T_SQUARE"]
    assert (score(game)["fulfilled"][0], score(game)["tasks"][0]) == (["T_SQUARE"], 12)
    game = settled(*squares[:3])
    assert not is_fulfilled(game, 0, "T_SQUARE")


def test_a45_totals_have_no_bounds() -> None:
    game = settled()
    game.kept[0] = ["T_SQUARE", "T_ROW3", "T_DIAG3", "T_BORDER6", "T_GROUP5"]
    game.kept[1] = []
    game.prestige = [4, 300, 0, 0]
    end = score(game)
    assert (end["tasks"][0], end["total"][0]) == (-15, -11)
    assert (end["total"][1], end["winners"]) == (300, [1])


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


def test_a49_the_order_of_scoring_has_no_effect() -> None:
    for seed in range(5):
        game = random_game(BASE, 4, seed, 0.5)
        end = game.events[-1]
        for things in ("members", "built"):
            setattr(game, things, dict(reversed(getattr(game, things).items())))
        game.chapels.reverse()
        assert {"type": "score_end", **score(game)} == end
        names = ("council", "city", "chapels", "edifices", "privileges", "tasks")
        assert end["total"] == [sum(end[name][seat] for name in names) for seat in range(4)]


@pytest.mark.parametrize("players", PLAYERS)
def test_a50_the_council_does_not_score_again(players: int) -> None:
    for seed in range(5):
        game = random_game(BASE, players, seed)
        councils = [line["prestige"] for line in lines(game, "council")]
        assert game.events[-1]["council"] == [sum(points) for points in zip(*councils, strict=True)]

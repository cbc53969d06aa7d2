"""The rulebook's examples (R15) played in the reference rules of Strasbourg."""

from scripted_strasbourg import Scene, lines_of_step
from strozzi_sim.games.strasbourg.reference import score

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

"""What people read at the table: actions and questions in words, the table in text, what happens line by line."""

import re
from itertools import combinations, product

import pytest

from strasbourg_games import BASE, KIT, STRASBOURG, variant
from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.restricting import restricted
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.board import SOURCES
from strozzi_sim.games.strasbourg.events import EVENTS
from strozzi_sim.games.strasbourg.geometry import corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import task_names
from strozzi_sim.games.strasbourg.view import render
from strozzi_sim.play.position import Position

pytestmark = pytest.mark.slow

NAMES = ["ann", "bob", "cat", "dan", "eve"]
WIDE = 100  # columns of a terminal


def phases(chosen, players, deals, phase):
    """Positions in which something of one kind is decided."""
    for table in KIT.positions(chosen, players, deals):
        if not table.over and table.state["phase"][0] == phase:
            yield table


def ended(chosen, players, deal=0):
    table = KIT.position(chosen, players, deal)
    for action in KIT.script(table, f"end {deal}"):
        table.play(action)
    return table


def cells(line):
    """The cells of a row of one of the tables in the text."""
    return re.split(r"  +", line.strip())


def table_of(text, heads):
    """The rows of the table with this heading, without it."""
    _, _, below = text.partition(heads)
    assert below, f"no {heads!r} in:\n{text}"
    return [cells(line) for line in below.split("\n\n")[0].splitlines()[1:]]


# -- the table in text -----------------------------------------------------------------------------------------------


def test_the_text_tells_what_every_round_brings():
    """A2: round cards and edifices lie open from the start, so that stacks and tasks can be planned."""
    guilds = {card["id"]: card["guilds"] for card in BASE.components["round_cards"]}
    points = {edifice["id"]: str(edifice["points"]) for edifice in BASE.components["edifices"]}
    for table in KIT.positions(BASE, 3, 1):
        view = table.view(0)
        rows = table_of(table.text(0), "Round  card")
        for number, (row, card, edifice) in enumerate(zip(rows, view.round_cards, view.edifices, strict=True), 1):
            mark = "> " if number == view.round and not table.over else ""
            steps = [guilds[card][step] for step in "BDF"]
            assert row == [f"{mark}{number}", card, *steps, edifice, points[edifice]]


def in_cards(text):
    """Cards of a cell such as 66 5 333."""
    return [int(card) for card in text.replace(" ", "").replace("-", "")]


@pytest.mark.parametrize("players", [3, 5])
def test_the_text_tells_all_that_is_public(players):
    """A11: cards under each deck, lost and shown ones, who is still to bid, chapels left."""
    seen = {"under": 0, "queue": 0}
    for table in KIT.positions(BASE, players, 1):
        if table.over or table.view(0).step is None:
            continue
        viewer = (table.actor + 1) % players
        view, text = table.view(viewer), table.text(viewer, NAMES[:players])
        assert f", chapels left {view.chapels_left}\n" in text
        order = re.search(r"^Bids to come, in this order: (.*)$", text, re.MULTILINE)
        assert ([] if order is None else order[1].split(", ")) == [str(seat) for seat in view.queue]
        seen["queue"] += order is not None
        public = [view.under, view.shown, view.lost]
        if not any(any(cards) for cards in public):
            assert "under the deck" not in text
            continue
        for seat, row in enumerate(table_of(text, "Seat  under the deck")):
            assert int(row[0]) == seat
            assert in_cards(row[1]) == list(view.under[seat])
            assert in_cards(row[2]) == sorted(view.shown[seat], reverse=True)
            assert in_cards(row[3]) == sorted(view.lost[seat], reverse=True)
            seen["under"] += bool(view.under[seat])
    assert min(seen.values()) > 20


@pytest.mark.parametrize("name", ["base", "other-box"])
def test_the_text_of_the_reference_is_the_public_part(name):
    """`replay` shows the reference game: in an auction the same text, but for the own lines."""
    chosen, compared = variant(name), 0
    for table, reference in KIT.side_by_side(chosen, 4, 0):
        mine = table.text(0, NAMES[:4])
        if table.over or table.state["phase"][0] not in (s.KEEP, s.DRAW, s.SPLIT):
            assert mine.split("\n\nYour tasks")[0] == render(reference, chosen.components, NAMES[:4])
            compared += 1
    assert compared > 40 or name != "base"


def test_the_text_fits_a_terminal():
    names = ["ismcts:iterations=500"] * 5
    for table in KIT.positions(BASE, 5, 2):
        lines = [*table.text(max(table.actor, 0), names).splitlines(), table.question]
        assert max(map(len, lines)) <= WIDE, lines


@pytest.mark.parametrize("name", ["base", "other-tasks", "other-box"])
def test_own_tasks_are_told_in_words_and_no_others(name):
    table = KIT.position(variant(name), 3, 0)
    points = {task["id"]: task["points"] for task in table.variant.components["tasks"]}
    words = task_names(table.variant.components, 3)
    for seat in range(3):
        _, _, below = table.text(seat).partition("Your tasks\n")
        dealt = table.view(seat).dealt
        told = [cells(line) for line in below.splitlines()[: len(dealt)]]
        assert told == [[task, words[task], str(points[task]), "points"] for task in dealt]
        assert not any(f" {task} " in below.split("\n", len(dealt))[-1] for task in points)


def test_the_council_task_says_how_many():
    """R13.6: 4, 3 or 2, by the number of players."""
    told = [task_names(BASE.components, players)["T_COUNCIL"] for players in (3, 4, 5)]
    assert told == ["4 council seats", "3 council seats", "2 council seats"]
    assert task_names(BASE.components)["T_COUNCIL"] == "council seats"
    for players, words in zip((3, 4, 5), told, strict=True):
        tables = [Position(STRASBOURG, players, deal=deal) for deal in range(40)]
        assert words in next(table for table in tables if "T_COUNCIL" in table.view(0).dealt).text(0)


@pytest.mark.parametrize("name", ["base", "hide-money", "tie-fulfils", "other-box", "poor"])
def test_the_end_tells_points_by_source_and_tasks(name):
    chosen = variant(name)
    for players, deal in product((3, 5), range(3)):
        table = ended(chosen, players, deal)
        line = table.lines()[-1]
        text = table.text(deal, NAMES[:players])
        found = table_of(text, "Seat  agent  council  city")
        assert found == [
            [str(seat), NAMES[seat], *(str(line[source][seat]) for source in SOURCES)] for seat in range(players)
        ]
        kept = [line["tasks"] for line in table.lines() if line["type"] == "keep_tasks"]
        penalty = chosen.components["tasks_meta"]["penalty_unfulfilled"]
        points = {task["id"]: task["points"] for task in chosen.components["tasks"]}
        rows = table_of(text, "Seat  task")
        assert [(row[0], row[1]) for row in rows] == [
            (str(seat), task) for seat, tasks in enumerate(kept) for task in tasks
        ]
        for seat, task, _, done, gained in rows:
            fulfilled = task in line["fulfilled"][int(seat)]
            assert (done, int(gained)) == (("yes", points[task]) if fulfilled else ("no", -penalty))
        assert "Your tasks" not in text


def test_tasks_of_others_are_told_at_the_end_and_not_before():
    table = KIT.position(BASE, 3, 0)
    for action in KIT.script(table, "end 0"):
        assert [tasks is not None for tasks in table.view(1).tasks] == [False, True, False]
        assert table.view(1).tasks[1] == table.view(1).kept
        table.play(action)
    kept = [tuple(line["tasks"]) for line in table.lines() if line["type"] == "keep_tasks"]
    assert table.view(1).tasks == tuple(kept)


# -- names of actions, and questions -----------------------------------------------------------------------------------


def test_tasks_are_chosen_by_their_names():
    table = Position(STRASBOURG, 3, seed=3)
    dealt = table.view().dealt
    assert table.compound_choices == dealt
    assert set(table.names) == {" ".join(some) for k in range(1, 6) for some in combinations(dealt, k)}
    assert "1 to 5 of them" in table.question
    one, two, three, *_ = dealt
    for text in (f"{one} {three}", f"{three} {one}", f"{three},{one}", f" {one} + {three} ", f"{three}, {one}"):
        other = table.copy()
        other.play(text)
        assert other.actions == (0b101,)
    assert "T_LORD" not in dealt
    for text in ("T_LORD", f"{one} {one}", f"{one} T_LORD", "", ",", "3", one.lower()):
        with pytest.raises(ArgumentError, match=rf"^action: unknown to seat 0: .*; known: {one}, {two}, .*; give one"):
            table.play(text)
    assert table.actions == ()
    for _ in range(3):
        table.play(table.names[0])
    assert table.compound_choices == ()


def test_a_chapel_corner_has_one_name():
    """The one of reports and facts, in actions and in what happened."""
    corners = {corner_name(corner) for corner in BASE.components["city"]["chapel_sites"]}
    built = 0
    for table in phases(BASE, 3, 4, s.BUILD_CHAPEL):
        names = set(table.names) - {"decline"}
        assert names <= corners
        assert "upper left" in table.question
        name = table.names[-1]
        after = table.copy()
        after.play(name)
        line = next(line for line in reversed(after.lines()) if line["type"] == "chapel")
        assert EVENTS.describe(line, NAMES, BASE.components).endswith(f" builds a chapel at {name}.")
        assert corner_name(line["site"]) == name
        built += 1
    assert built > 5


def test_waiting_is_named_where_it_is_allowed():
    seen = set()
    for name in ("base", "two-values", "all-flipped"):
        for table in phases(variant(name), 3, 2, s.BID):
            allowed = s.DEFER in table.legal
            assert ("wait" in table.question) == allowed, table.question
            assert ("wait" in table.names) == allowed
            seen.add((allowed, bool(table.view().privileges[table.actor])))
    assert seen == {(True, True), (False, True), (False, False)}


def test_a_wide_city_has_names_for_its_columns():
    """Beyond z come aa, ab, ..; every space and corner has a name of its own."""
    columns = 27
    city = {
        "columns": columns, "rows": 2, "guild_map": [" ".join("SVHBK"[k % 5] for k in range(columns))] * 2,
        "price_map": [" ".join("0" * columns)] * 2, "chapel_sites": [[k, 1] for k in range(1, columns)],
    }  # fmt: skip
    wide = from_changes(STRASBOURG, "wide", {"city": city}, "tests wide")
    names = [space_name((column, row)) for column in range(1, 55) for row in range(1, 3)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]{1,2}[12]", name) for name in names)
    assert [space_name((column, 1)) for column in (1, 26, 27, 28, 52, 53)] == ["a1", "z1", "aa1", "ab1", "az1", "ba1"]
    corners = [corner_name((column, 1)) for column in range(1, 54)]
    assert len(set(corners)) == len(corners)
    table = KIT.position(wide, 3, 0)
    assert re.search(r" y +z +aa$", table.text(0), re.MULTILINE)
    placed = set()
    for position in KIT.positions(wide, 3, 3):
        if not position.over and position.state["phase"][0] in (s.PLACE, s.BUILD_CHAPEL):
            placed |= set(position.names)
            for name, action in zip(position.names, position.legal, strict=True):
                twin = position.copy()
                twin.play(name)
                assert twin.actions[-1] == action
    assert {"aa1", "aa2"} & placed
    assert "z1aa2" in placed


# -- what happens, in words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"type": "plan", "player": 1, "sizes": []}, "bob (second player) has no stacks."),
        ({"type": "plan", "player": 1, "sizes": [3, 1]}, "bob (second player) has 2 stacks, of 3, 1 cards."),
        ({"type": "step", "step": "B", "guild": "smith"}, "Step B (the smiths)."),
        ({"seat": "church", "replaces": 0}, "ann (first player) keeps the church seat."),
        ({"seat": "smith", "replaces": 2}, "ann (first player) takes the smiths' seat from cat (third player)."),
        ({"action": "sell", "goods": {"smith": 2}, "coins": 10}, "ann (first player) sells 2 smith for 10 coins."),
        (
            {"type": "council", "prestige": [1, 0, 3], "privileges": [0, 0, 1], "total": [4, 1, 5]},
            "The council gives      prestige  now  privileges\n"
            "  ann (first player)          1    4           0\n"
            "  bob (second player)         0    1           0\n"
            "  cat (third player)          3    5           1",
        ),
        (
            {"type": "score_end", "total": [7, 9, 9], "winners": [1, 2]},
            "The game ends.         points\n  ann (first player)        7\n"
            "  bob (second player)       9\n  cat (third player)        9\n"
            "bob (second player) and cat (third player) win.",
        ),
    ],
)  # fmt: skip
def test_lines_in_words(line, words):
    told = {"type": "act", "player": 0, "action": "seat", "drawn": None, "stacks": None, **line}
    if line.get("type", "act") in ("step", "council", "score_end"):
        del told["player"]
    assert EVENTS.describe(told, NAMES, BASE.components) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            {"type": "keep_tasks", "tasks": ["T_ED5", "T_BORDER6"]},
            "You keep T_ED5 (2 beside E5, 5 points), T_BORDER6 (6 on the border, 5 points).",
        ),
        ({"type": "bid", "stack": None}, "You pass."),
        ({"seat": "church", "replaces": 2}, "You take the church seat from cat (last player)."),
        ({"player": 1, "seat": "church", "replaces": 0}, "bob (second player) takes the church seat from you."),
    ],
)  # fmt: skip
def test_lines_in_words_for_the_person_who_plays(line, words):
    told = {"type": "act", "player": 0, "action": "seat", **line}
    assert EVENTS.describe(told, ["you", *NAMES[1:3]], BASE.components) == words


def test_choices_come_with_what_they_stand_for():
    seen = set()
    for table in KIT.positions(BASE, 3, 2):
        if table.over:
            continue
        phase = int(table.state["phase"][0])
        meanings = STRASBOURG.view.meanings(table.view(), phase)
        if phase == s.KEEP:
            assert list(meanings) == list(table.compound_choices)
            assert all(re.search(r", \d+ points?$", words) for words in meanings.values())
        elif phase == s.PLACE:
            assert {*meanings, "decline"} >= set(table.names)
        elif phase == s.BID:
            assert all(meanings[name] == str(sum(map(int, name.split("+")))) for name in meanings)
        seen.add(phase)
    assert {s.KEEP, s.PLACE, s.BID} <= seen


def test_no_question_offers_what_a_restriction_forbids():
    bound = restricted(STRASBOURG, BASE, {seat: ["defer:any", "good:any"] for seat in range(3)})
    asked = set()
    for table in KIT.positions(bound, 3, 4):
        if table.over:
            continue
        phase, named = int(table.state["phase"][0]), set(table.names)
        assert ("wait" in table.question) == ("wait" in named)
        if phase == s.APPRENTICE:
            assert ("a good" in table.question.lower()) == ("good" in named)
        if phase == s.BID and table.view().privileges[table.actor]:
            asked.add("wait")
        asked.add(phase)
    assert {"wait", s.APPRENTICE} <= asked

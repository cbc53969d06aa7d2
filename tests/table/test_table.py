"""The table of every game: the fold of a seat's lines agrees with the core, knows no secret, and is what the schema declares."""

import json

import msgspec
import pytest

from every_kit import KITS
from needed import need
from strozzi_sim.conformance.checked import Checked, GameCheck
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.conformance.shown import check_table
from strozzi_sim.errors import ContractViolation
from strozzi_sim.game.events import Events
from strozzi_sim.game.sentences import YOU, ordinal
from strozzi_sim.game.table import fold
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import PlainTable, next_steps, table_of
from strozzi_sim.table.schema import check, schema
from strozzi_sim.template import GAME as TEMPLATE

QUICK = ("base", "all-flipped")
CASES = [
    pytest.param(game, variant, marks=() if variant in QUICK else pytest.mark.nightly)
    for game, kit in KITS.items()
    for variant in kit.variants
]


def checked(game, variant="base", players=None, deal=0):
    kit = KITS[game]
    players = players or kit.game.player_counts[-1]
    return Checked(kit.game, kit.variant(variant), players, 5, deal, GameCheck(), kernels(kit.game))


def played(game, players=None, variant="base", deal=0):
    kit = KITS[game]
    table = kit.position(kit.variant(variant), players or kit.game.player_counts[0], deal)
    for action in kit.script(table, f"{game} {deal}"):
        table.play(action)
    return table


def folded(position, viewer=None):
    header = position.record()[0]
    table = table_of(position.game, header, viewer)
    return table, fold(table, position.lines(viewer))


@pytest.mark.slow_for("all-flipped")
@pytest.mark.slow_for("base", "strozzi-all-flipped")
@pytest.mark.parametrize(("game", "variant"), CASES)
def test_the_fold_agrees_with_the_core_under_every_switch(game, variant):
    here = checked(game, variant)
    check_table(here)
    assert here.result.promises["table"] > 100


@pytest.mark.parametrize("game", KITS)
def test_the_player_of_a_line_acts_and_a_part_of_the_drawing_is_marked(game):
    position = played(game)
    table = table_of(position.game, position.record()[0])
    for line in position.lines():
        table.apply(line)
        if "player" in line:
            assert table.view["actor"] == line["player"], line
            assert table.marks, line


@pytest.mark.parametrize("game", ["strozzi", "medici_vs_strozzi"])
@pytest.mark.parametrize("deal", [0, 1])
def test_the_points_if_the_round_ended_are_what_the_round_pays(game, deal):
    for variant in KITS[game].variants:
        position = played(game, variant=variant, deal=deal)
        table, before, compared = table_of(position.game, position.record()[0]), None, 0
        for line in position.lines():
            table.apply(line)
            if line["type"].startswith("score_"):
                assert table.view["now"] == before, (variant, line)
                compared += 1
            before = table.view["now"]
        assert compared > 1
        assert before == list(position.scores)


@pytest.mark.slow
@pytest.mark.parametrize("game", KITS)
def test_a_page_shows_every_line_and_is_what_the_schema_declares(game):
    jsonschema = need("jsonschema")
    position = played(game)
    for viewer in (None, 0):
        table, steps = folded(position, viewer)
        page = json.loads(msgspec.json.encode({"head": table.head, "steps": steps, "ask": None}))
        check(page)
        jsonschema.validate(page, schema())
        assert len(steps) == len(position.lines())
        assert all(step["said"][:1].isupper() or step["said"][:1].isdigit() for step in steps)
        assert "None" not in " ".join(step["said"] for step in steps)
        assert ("You" in {seat["name"] for seat in table.head["seats"]}) == (viewer == 0)
    assert table.heading().split()[0] in ("The", "Player", "You", "Medici", "Strozzi")


@pytest.mark.parametrize("game", KITS)
def test_a_game_without_a_table_has_its_words_and_its_picture_in_text(game):
    position = KITS[game].position(KITS[game].variant("base"), KITS[game].game.player_counts[0], 0)
    plain = PlainTable(position.game, position.record()[0], position.actor)
    steps = next_steps(plain, position.lines(position.actor), position, {})
    names = [YOU if seat == position.actor else f"seat {seat}" for seat in range(position.players)]
    assert steps[-1]["set"]["text"] == position.text(names=names)
    assert [step["said"] for step in steps[:-1]].count("") == 0
    assert next_steps(plain, [], position, {}) == []  # after an action that writes no line


def test_a_rivals_secret_on_the_page_is_found(monkeypatch):
    here = checked("strasbourg", players=3)
    monkeypatch.setattr(Events, "visible", lambda events, line, *_: line)
    with pytest.raises(ContractViolation, match=r"table: the page of seat \d distinguishes"):
        check_table(here)


def test_a_fold_that_errs_is_found(monkeypatch):
    here = checked("strozzi", players=3)
    table = here.game.table
    monkeypatch.setattr(
        table, "on_set_aside", lambda self, line: table.on_claim(self, {**line, "player": 0, "flag": None})
    )
    monkeypatch.setattr(table, "_gain", lambda self, card, port, flag: 1)
    with pytest.raises(ContractViolation, match=r"table: seat \d is shown tracks"):
        check_table(here)


def test_a_step_has_only_what_changed_and_copies():
    position = played("strozzi", 3)
    _, steps = folded(position)
    passes = [step for step in steps if step["said"].endswith(" passes.")]
    assert passes
    assert all(set(step["set"]) <= {"actor", "now"} for step in passes)
    first = steps[0]["set"]["flags"]
    assert first == [["pirate", "plus_one", "ware"]] * 3  # later claims have not changed it


def test_ordinals():
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 102, 113)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "102nd", "113th",
    ]  # fmt: skip


def test_a_position_is_shown_in_a_notebook():
    position = Position("strozzi", 3, seed=7)
    shown = position._repr_html_()
    assert shown.startswith("<iframe")
    assert "srcdoc=" in shown
    imagined = position.imagine(0, position.rng[:1].copy())
    assert imagined._repr_html_().startswith("<pre>&lt;Position of strozzi, ")


@pytest.mark.parametrize("game", KITS)
def test_points_of_a_plain_table_are_those_of_the_core_or_unknown(game):
    """Where nothing is hidden and the View has no attribute `score`, the core counts them; a secret game's stay unknown."""
    position = played(game)
    plain = PlainTable(position.game, position.record()[0], 0)
    lines = [line for line in position.lines(0) if "total" not in line]
    assert plain.view["now"] == [None] * position.players
    next_steps(plain, lines, position, {})
    has_score = any(hasattr(position.view(0), name) for name in ("score", "scores"))
    if position.variant.hidden and not has_score:
        assert plain.view["now"] == [None] * position.players
    else:
        assert plain.view["now"] == list(position.scores)


def test_a_standing_that_is_a_line_late_is_found(monkeypatch):
    here = checked("strozzi", players=3)
    table = here.game.table
    apply = table.apply

    def late(self, line):
        said = apply(self, line)
        self.shown = [number + 1 for number in self.standing()]
        return said

    monkeypatch.setattr(table, "standing", lambda self: getattr(self, "shown", [0] * self.players))
    monkeypatch.setattr(table, "apply", late)
    with pytest.raises(ContractViolation, match=r"table: after a line of type \w+ the page shows the points .*, a"):
        check_table(here)


def test_lay_out_comes_before_the_standing():
    position = played("strozzi", 3)

    class Laid(position.game.table):
        def lay_out(self):
            self.lines = getattr(self, "lines", -1) + 1

        def standing(self):
            return [self.lines] * self.players

    table = Laid(position.game, position.record()[0])
    for number, line in enumerate(position.lines(), 1):
        table.apply(line)
        assert table.view["now"] == [number] * 3


@pytest.mark.parametrize(
    ("winners", "words"),
    [
        ([2], "The last player wins with 30 points, ahead of the first player"),
        ([0, 2], "The first player and the last player have 30 points each"),
        (None, "The first player and the last player have 30 points each"),  # lines that name no winners
    ],
)
def test_a_tie_break_decides_the_heading(winners, words):
    table = PlainTable(TEMPLATE, {**played("strozzi", 3).record()[0], "components": {}})
    if winners is None:
        table.view |= {"over": True, "now": [30, 10, 30]}
    else:
        table.apply({"type": "score_end", "total": [30, 10, 30], "winners": winners})
    assert table.heading() == words

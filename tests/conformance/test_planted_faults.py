"""Faults that a game's author may make, planted one at a time: `check_game` names each, and where it is."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from machine_code import with_kernels
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.conformance import ContractViolation, check_game, declared, game
from strozzi_sim.conformance.checked import Checked, GameCheck
from strozzi_sim.conformance.deal import check_deal
from strozzi_sim.conformance.declared import check_report
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.declare.pages import report_of
from strozzi_sim.errors import InputError
from strozzi_sim.facts.figures import Figure
from strozzi_sim.kernel.journal import JournalFull, events_in, journal_dtype, write_event
from strozzi_sim.play import kernels as stepping
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation.match import Match
from strozzi_sim.template import GAME


def checked(game=STROZZI, players=3, variant=BASE):
    return Checked(game, variant, players, 0, 0, GameCheck(), kernels(game))


def broken(promise, check, *arguments, **options):
    with pytest.raises(ContractViolation) as refused:
        check(*arguments, **options)
    assert refused.value.promise == promise
    assert str(refused.value).startswith(f"{STROZZI.name}: {promise}: ")
    return str(refused.value)


def test_a_number_without_limits_is_named(monkeypatch):
    monkeypatch.setattr("strozzi_sim.template.components.LIMITS", {"tokens.copies": (0, 20), "table.turns": (1, 20)})
    with pytest.raises(
        ContractViolation, match=r"template: components: table\.face_up: any number is allowed; give the limits"
    ):
        check_game(GAME, deals=1)


def test_events_beyond_the_journal_are_counted_and_not_stored():
    @njit
    def note(journals, events):
        for k in range(events):
            write_event(journals[1], k, 1, 2, 3, 4, 5)

    journals = np.zeros(3, journal_dtype(2))
    journals["rows"] = -7
    note(journals, 2)
    assert events_in(journals[1:2], "any")[:, 0].tolist() == [0, 1]
    note(journals, 50_000)
    assert journals["count"].tolist() == [0, 50_002, 0]
    assert (journals["rows"][[0, 2]] == -7).all()
    assert journals["rows"][1, :, 0].tolist() == [0, 1]
    with pytest.raises(JournalFull) as refused:
        events_in(journals[1:2], "any")
    said = "any: journal: a game wrote 50,002 events; JOURNAL_ROWS has room for 2; make it at least 50,002"
    assert str(refused.value) == said


@pytest.mark.slow
def test_a_journal_that_is_too_small_is_named_whoever_reads_it():
    small = replace(STROZZI, title="Strozzi with another journal")  # kernels are kept by game
    vars(small.state_part)["JOURNAL_ROWS"] = 1
    said = r"a game wrote (\d+) events; JOURNAL_ROWS has room for 1; make it at least \1"
    found = re.search(said, broken("journal", check_game, small, players=[3], deals=1))
    assert 200 < int(found[1]) < 300
    position = Position(small, 3)
    while not position.over:
        position.play(position.legal[-1])
    for read in (position.lines, position.record, lambda: position.journal):
        with pytest.raises(InputError, match=f"strozzi: journal: {said}"):
            read()
    match = Match(small, 3, (load_agent("random", small),), BASE, 0)
    with pytest.raises(JournalFull, match="JOURNAL_ROWS has room for 1; make it at least 2"):
        record_game(match, 0, 0)


def test_a_game_that_does_not_end_by_first_actions_has_a_length(monkeypatch):
    monkeypatch.setattr(game, "MAX_DECISIONS", 3)
    assert game._length(checked()) == 3


def forget(monkeypatch, field, at=()):
    """Let the deal leave a field as it was, or a place of it."""
    compiled = stepping.kernels(STROZZI, scripted=False)  # as a `Start` asks for them
    deal = compiled.deal

    def forgetful(states, *arguments):
        before = states[field].copy()
        seat = deal(states, *arguments)
        states[field][(0, *at)] = before[(0, *at)]
        return seat

    monkeypatch.setitem(vars(compiled), "deal", forgetful)


@pytest.mark.parametrize(
    ("field", "at", "words"),
    [
        ("coins", (), "seat 0 is shown other bytes of coins than in a record of zeros"),
        ("tile_total", (1, 2), "seat 0 is shown other bytes of tile_total than in a record of zeros"),
        ("start_player", (), "seat 0 is shown other bytes of start_player than in a record of zeros"),
    ],
)
def test_a_deal_that_leaves_a_field_is_refused(monkeypatch, field, at, words):
    forget(monkeypatch, field, at)
    assert f"`deal` does not reset {field}: {words}" in broken("deal", check_deal, checked(), 1)


def test_a_hidden_field_is_named_by_what_comes_of_it(monkeypatch):
    """One that `conceal` hides from every seat, and that decides what is drawn."""

    def hiding(states, rules, seat):
        concealing(states, rules, seat)
        states["unseen_ship"] = 0

    here = checked()
    concealing = here.kernels.conceal
    forget(monkeypatch, "unseen_ship")
    words = broken("deal", check_deal, replace(here, kernels=with_kernels(here.kernels, conceal=hiding)), 1)
    assert "`deal` does not reset unseen_ship: seat 0 " in words


def test_places_of_no_seat_may_stay(monkeypatch):
    """With three players nothing is ever written for the fourth: its places stay zero."""
    forget(monkeypatch, "coins", (3,))
    check_deal(checked(), 1)


def test_columns_that_are_not_written_are_named(monkeypatch):
    from strozzi_sim.conformance import game as checks

    slices = STROZZI.slices
    coins, phase = slices["seats.coins"].index, slices["phase"].index

    def forgetful(states, rules, seat, out):
        observing(states, rules, seat, out)
        out[coins[1:3]] = np.nan
        out[phase] = np.inf

    observing = kernels(STROZZI).observe
    monkeypatch.setattr(checks, "kernels", lambda game: with_kernels(kernels(game), observe=forgetful))
    words = broken("observe", check_game, STROZZI, players=[3], deals=1)
    assert "observe: not every column seen by seat 0 is written with a finite number: phase, columns 0 to 3; " in words
    assert f"; seats.coins, columns {coins[1]}, {coins[2]} (3 players, " in words


@pytest.fixture(scope="module")
def figures():
    """Return what makes the tables of a report, once for all tests."""
    make, made = declared.figures_of_games, []
    return lambda *arguments: made[0] if made else (made.append(make(*arguments)) or made[0])


@pytest.fixture
def same_tables(figures, monkeypatch):
    monkeypatch.setattr(declared, "figures_of_games", figures)


def change_first(monkeypatch, kind="lines", **changes):
    """Change a picture of the game's report; returns its name."""
    making = report_of(STROZZI).pictures
    found = []

    def pictures(tables):
        made = making(tables)
        k = next((k for k, picture in enumerate(made) if picture.kind == kind), None)
        if k is not None:
            found[:] = [made[k].name]
            made[k] = replace(made[k], **changes)
        return made

    monkeypatch.setattr(report_of(STROZZI), "pictures", pictures)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"figures": (Figure("share_of_levle", "", "share"),)},
            "table 'flags': unknown figure 'share_of_levle'; known: .* did you mean 'share_of_level'",
        ),
        ({"table": "flag"}, "unknown table 'flag'; known: .* did you mean 'flags'"),
        ({"x": "levle"}, "unknown column 'levle'; known: .* did you mean 'level'"),
        ({"where": {"by": "sial"}}, "unknown value of by 'sial'; known: .* did you mean 'sail'"),
        ({"series_levels": ("red",)}, "unknown levels .'red'. of flag; known: "),
    ],
    ids=["figure", "table", "column", "value", "levels"],
)
def test_a_misspelt_name_in_a_picture_is_named(same_tables, monkeypatch, changes, words):
    change_first(monkeypatch, **changes)
    with pytest.raises(ContractViolation, match=f"^strozzi: report: picture 'flags-by-sail'.*{words}"):
        check_report(checked())


@pytest.mark.slow_for("key", "levels")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"figures": (Figure("coins_maen", "", "amount"),)}, "unknown figure 'coins_maen'; known: .* did you mean 'coins_mean'"),
        ({"key": "prot"}, "unknown column 'prot'; known: .* did you mean 'port'"),
        ({"levels": ("venise",)}, "unknown levels .'venise'. of port; known: "),
    ],
    ids=["figure", "key", "levels"],
)  # fmt: skip
def test_a_misspelt_name_in_a_finding_is_named(same_tables, monkeypatch, changes, words):
    given = report_of(STROZZI).comparisons

    def comparisons(tables):
        picture, compared, finding = given(tables)["ports"]
        return {"ports": (picture, replace(compared, **changes), finding)}

    monkeypatch.setattr(report_of(STROZZI), "comparisons", comparisons)
    with pytest.raises(ContractViolation, match=f"^strozzi: report: finding of picture 'city-coins'.*{words}"):
        check_report(checked())


@pytest.mark.slow
def test_a_misspelt_figure_of_a_heat_map_is_named(monkeypatch):
    name, heat_map = next(iter(report_of(STROZZI).heat_maps.items()))
    wrong = {name: replace(heat_map, figure=replace(heat_map.figure, name="shrae"))}
    monkeypatch.setattr(report_of(STROZZI), "heat_maps", wrong)
    assert f"heat map {name!r}: unknown figure 'shrae'; known: " in broken("report", check_report, checked())

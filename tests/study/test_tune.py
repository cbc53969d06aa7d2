"""The search of `tune` on planted figures, which are known exactly; its grammar; and whole runs."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from drawn import panels
from strozzi_sim.agent import python_agent
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.facts.figures import SCORE, WIN_SHARE
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.report.html_tables import page_table
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.box_numbers import as_settings, numbers, tunable_numbers, whole
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.kinds.tune import RUNG
from strozzi_sim.study.look import Look
from strozzi_sim.study.progress import Progress
from strozzi_sim.study.screen import changed_box
from strozzi_sim.study.targets import MET, MISSED, OPEN, Target, wanted
from strozzi_sim.study.tuning import LOOKS, PER_LOOK, Search

GAME = load_game("strozzi")
BASE = Variant.of(GAME)
KEYS = "tracks.bonus.*,scoring.*"
SPREAD = np.array([0.45, 45.0])  # of a share of wins and of a score, for one game


class Planted:
    """A share that bonus 9 and rank 0 of the ships move, and a score that these and rank 0 of the markers move.

    With `only_together` the share moves only if bonus 7 and bonus 8 both change.
    """

    def __init__(self, seed: int, *, only_together: bool = False) -> None:
        self.random = np.random.default_rng(seed)
        self.only_together = only_together

    def figures(self, variant: Variant) -> Array:
        value = dict(numbers(GAME, variant))
        bonus = [value[f"tracks.bonus.{space}"] for space in (7, 8, 9)]
        ship, marker = value["scoring.ship_ranks.0"], value["scoring.marker_ranks.0"]
        if self.only_together:
            return np.array([0.30 - 0.0004 * (bonus[0] - 5) * (bonus[1] - 10), 240.0])
        share = 0.30 + 0.006 * (bonus[2] - 15) - 0.004 * (ship - 15)
        return np.array([share, 240 + 0.5 * (bonus[2] - 15) + 2.0 * (ship - 15) + 4.0 * (marker - 15)])

    def play(self, boxes: Sequence[Variant], deals: int, chunks: int) -> tuple[Array, int]:
        size = SPREAD / np.sqrt(max(deals // chunks, 1))
        common, own = (self.random.normal(0, 0.7, (many, chunks, 2)) * size for many in (1, len(boxes)))
        return np.stack([self.figures(box) for box in boxes])[:, None] + common + own, deals


def share_target(low: float, high: float) -> Target:
    return Target("share", (0,), low, high, (high - low) / 2, "value", WIN_SHARE)


def score_target(low: float, high: float) -> Target:
    return Target("score", (1,), low, high, (high - low) / 2, "value", SCORE)


def searched(box: Variant, targets: Sequence[Target], planted: Planted) -> Search:
    search = Search(GAME, box, targets, tunable_numbers(GAME, box, KEYS), planted.play, deals=60_000, most=3)
    search.run()
    return search


@pytest.mark.parametrize("seed", range(3))
def test_a_spoilt_number_is_put_back(seed: int) -> None:
    spoilt, planted = with_values(GAME, BASE, {"tracks.bonus.9": 30}), Planted(seed)
    search = searched(spoilt, [share_target(0.285, 0.315), score_target(236, 244)], planted)
    best = min((box for box in search.ladder if search.status(box) == MET), key=len)
    share, score = planted.figures(search.variants[best])
    assert len(best) == 1
    assert 0.285 <= share <= 0.315
    assert 236 <= score <= 244


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_two_numbers_that_do_nothing_alone_are_found_together(seed: int) -> None:
    planted = Planted(seed, only_together=True)
    search = searched(BASE, [share_target(0.225, 0.255)], planted)
    best = min((box for box in search.ladder if search.status(box) == MET), key=len)
    assert {search.numbers[k].key for k, _ in best} == {"tracks.bonus.7", "tracks.bonus.8"}
    assert 0.225 <= planted.figures(search.variants[best])[0] <= 0.255


def test_a_box_that_meets_its_targets_is_left_alone() -> None:
    search = searched(BASE, [share_target(0.27, 0.33)], Planted(0))
    assert list(search.ladder) == [()]
    assert search.status(()) == MET
    assert not search.seen


@pytest.mark.slow
def test_what_is_out_of_reach_is_never_met() -> None:
    search = searched(BASE, [share_target(0.9, 0.95)], Planted(0))
    assert {search.status(box) for box in search.ladder} == {MISSED}
    assert search.reach["share"] > 0


def test_a_target_is_out_of_reach_only_if_no_pair_may_reach_it() -> None:
    planted = Planted(1, only_together=True)
    for low, is_excluded in ((0.2, False), (0.9, True)):
        target = share_target(low, low + 0.03)
        search = Search(GAME, BASE, [target], tunable_numbers(GAME, BASE, KEYS), planted.play, deals=60_000, most=3)
        search._screen()
        assert search._model().reach(3)[0]["share"] <= 0, "no pair was played"
        search._play_pairs()
        assert (search._model().reach(3)[0]["share"] > 0) == is_excluded


@pytest.mark.slow
def test_two_targets_in_conflict_are_named() -> None:
    kept = Target("kept", (1,), -0.01, 0.01, 0.01, "ratio", SCORE)
    search = searched(BASE, [score_target(270, 280), kept], Planted(0))
    assert MET not in {search.status(box) for box in search.ladder}
    assert search.conflicts == [("score", "kept")]


def test_targets_are_read() -> None:
    first, second, third = wanted("the first player wins = 25 +- 1; gap <= 1.5 at 3 players", "score_mean +- 5 %")
    assert (first.figure, first.low, first.high) == ("the first player wins", 24, 26)
    assert (second.figure, second.high, second.players) == ("gap", 1.5, 3)
    assert (third.low, third.high, third.is_percent) == (-0.05, 0.05, True)


def test_values_are_those_that_a_designer_prints() -> None:
    spoilt = with_values(GAME, BASE, {"tracks.bonus.9": 29})
    (bonus,) = tunable_numbers(GAME, spoilt, "tracks.bonus.9 = 0 to 30")
    assert [*bonus.values] == [0, 5, 10, 15, 20, 25, 29, 30]
    assert bonus.is_reconstructed
    assert bonus.at(-1) == 25
    assert not [each.key for each in tunable_numbers(GAME, BASE) if each.key.startswith("coins.")]
    assert len(tunable_numbers(GAME, BASE, "*")) == len([*numbers(GAME, BASE)])
    (tile,) = tunable_numbers(GAME, BASE, "promotion_tiles.T10.value", reach=100)
    assert tile.values[-1] == 9, "the type of the component allows no more"
    ends = {each.key: (each.values[0], each.values[-1]) for each in tunable_numbers(GAME, BASE)}
    assert ends["scoring.ship_ranks.0"] == (0, 30), "from nothing to twice as much"
    assert ends["tracks.bonus.7"] == (0, 20), "three printed steps at least"


def test_numbers_with_one_value_are_no_designers() -> None:
    game = load_game("medici_vs_strozzi")
    (least,) = tunable_numbers(game, Variant.of(game), "money.min_price")
    assert least.values == (0,)
    assert "money.min_price" not in [number.key for number in tunable_numbers(game, Variant.of(game))]


@pytest.mark.parametrize("name", ["strozzi", "strasbourg"])
def test_games_allow_every_value_that_a_designer_may_try(name: str) -> None:
    game = load_game(name)
    for number in tunable_numbers(game, Variant.of(game)):
        for value in {number.values[0], number.values[-1]}:
            with_values(game, Variant.of(game), {number.key: value})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"targets": ""}, "targets: expected one such as"),
        ({"targets": "seat 0 wins = 25"}, "needs a tolerance"),
        ({"targets": "seat 0 wins = 25 +- 0"}, "a tolerance of 0 can never be shown"),
        ({"targets": "seat 0 wins <= 25 +- 1"}, "<= takes no tolerance"),
        ({"targets": "seat 0 wins = 250 +- 1"}, "a share lies between 0 and 100"),
        ({"targets": "seat 0 wins = 50 +- 60"}, "a share lies between 0 and 100"),
        ({"targets": "seat 9 wins >= 25"}, "the seats at 3 players are 0 to 2"),
        ({"targets": "gap <= 3 at 5 players"}, "no games of 5 players"),
        ({"targets": "nonsense = 3 +- 1"}, "unknown figure 'nonsense'; of wins, write 'the first player wins = 25"),
        ({"targets": "random wins >= 30"}, "write random among AGENT wins"),
        ({"keep": "gap +- 1"}, "a gap cannot be kept"),
        ({"keep": "score_mean = 5"}, "keep: got 'score_mean = 5'"),
        ({"targets": "score_mean = 170 +- 5 %"}, "mean score is no share"),
        ({"targets": "gap <= 3; seat_gap <= 2"}, "targets: seat_gap <= 2: a second range of the same figure"),
        ({"targets": "nobody among random wins <= 3"}, "targets: .*nobody"),
        ({"targets": "greedy:margin=15 among random wins <= 3"}, "targets: greedy:margin=15: write greedy, which"),
        ({"keep": "nonsense +- 1"}, "keep: .*unknown figure 'nonsense'; known: seat_gap"),
        ({"keys": "tracks.bonus.9 = 0 to inf"}, "both ends must be numbers"),
        ({"keys": "tracks.bonus.9 = 14 to 16"}, "keys: tracks.bonus.9 has no other value"),
        ({"keys": "nothing.*"}, "keys: no number has a key like"),
        ({"keys": "tracks.bonus.9 = 30"}, "expected KEY = LOW to HIGH"),
        ({"keys": "tracks.bonus.9 = 30 to 0"}, "the range is empty"),
        ({"most": 4}, "most: must be"),
        ({"deals": 100}, "deals: must be"),
    ],
)
def test_wrong_input_is_named(options: dict[str, object], words: str) -> None:
    keys: Any = {"targets": "gap <= 3", "players": 3, "agents": "random", "deals": 2000, **options}
    with pytest.raises(ArgumentError, match=words):
        ss.tune("strozzi", **keys)


@python_agent(name="in_code")
class InCode:
    def act(self, view: Any, legal: Any, rng: Any) -> Any:
        return legal[0]


def tune_study(**keys: Any) -> Any:
    usual = {"game": "strozzi", "players": [3], "lineups": [["random"]], "targets": ["gap <= 3"]}
    return ss.Study.of(kind="tune", **{**usual, **keys})


def planted_tables(rungs: Sequence[tuple[int, dict[str, tuple[float, str]]]]) -> dict[str, Any]:
    """Return the tables of a search: of each rung its changes, and by target the value and the status."""
    rows, boxes = [], []
    for rung, (changes, by_target) in enumerate(rungs):
        for target, (value, status) in by_target.items():
            figure = ("win_share", value, value - 0.01, value + 0.01, 1000, 1000)
            rows.append((rung, changes, target, *figure, 0.0, 0.3, status, 0.4))
        boxes += [(rung, f"tracks.bonus.{7 + k}", 5.0, 10.0 * rung, True) for k in range(changes)]
    return {
        "ladder": pd.DataFrame(rows, columns=RUNG),
        "box": pd.DataFrame(boxes, columns=["rung", "key", "from", "to", "reconstructed"]),
        "effects": pd.DataFrame(columns=["key", "target", "tolerances"]),
        "reach": pd.DataFrame(columns=["target", "outside", "other"]),
    }


SEAT_GAP = "gap between the seats"
TWO_TARGETS = ["seat 0 wins <= 30", "seat 1 wins <= 30"]
FIRST, SECOND = "games won by the first player", "games won by the second player"


def test_key_numbers_are_of_the_rung_of_the_verdict() -> None:
    study = tune_study(targets=TWO_TARGETS)
    rungs = [(0, (0.4, MISSED)), (1, (0.25, MET)), (2, (0.35, OPEN))]
    tables = planted_tables([(changes, {FIRST: figure, SECOND: figure}) for changes, figure in rungs])
    assert "25.0 of 100 games" in study.verdict(tables, study.look()).subject
    assert {number.row.value for number in study.sections(tables, study.look())[0].numbers} == {0.25}


@pytest.mark.parametrize(
    ("target", "bounds", "text"),
    [
        ("seat 0 wins <= 30", (-np.inf, 0.3), "(0 to 30)"),
        ("seat 0 wins >= 30", (0.3, np.inf), "(30 to 100)"),
        ("score_mean <= 30", (-np.inf, 30.0), "(at most 30.0)"),
    ],
)
def test_a_target_of_one_bound_is_drawn_from_the_end_of_the_axis_to_the_bound(
    target: str, bounds: tuple[float, float], text: str
) -> None:
    study = tune_study(targets=[target])
    label = study.parsed[1][0].label
    tables = planted_tables([(0, {label: (0.4, MISSED)}), (1, {label: (0.25, MET)})])
    tables["ladder"][["least", "most"]] = [end if np.isfinite(end) else np.nan for end in bounds]  # as in a file
    ladder, table = study.sections(tables, study.look())[0].shown
    rows = study.sections(tables, study.look())[0].tables["rungs"]
    chart = draw_picture(ladder, rows, {})
    assert chart is not None
    factor = study.parsed[1][0].figure.measure.factor
    (panel,) = panels(chart)
    ends = [end if np.isinf(bound) else factor * bound for bound, end in zip(bounds, panel.x, strict=True)]
    lines = [[x for x, _ in line] for _, dash, line in panel.drawn_lines if dash == "-"]
    assert ends in lines
    (wanted_line,) = (cells for keys, cells in page_table(table, rows, {}).rows if keys == ("wanted",))
    assert wanted_line[0].interval == text
    assert None in next(row for row in chart.data()["rows"] if "wanted" in row)[3:6]


def test_only_an_undecided_rung_of_fewer_changes_may_do() -> None:
    study = tune_study(targets=TWO_TARGETS)
    met, is_open, missed = (0.2, MET), (0.3, OPEN), (0.4, MISSED)
    rungs = [(0, missed, missed), (1, is_open, missed), (1, is_open, met), (2, met, met), (2, is_open, met)]
    tables = planted_tables([(changes, {FIRST: first, SECOND: second}) for changes, first, second in rungs])
    verdict = study.verdict(tables, study.look())
    less = [note for note in verdict.notes if note.startswith("Undecided")]
    assert less == ["Undecided is whether less would do: space 7 of the tracks pays 20 coins instead of 5."]
    assert len(verdict.changes) == 2
    assert any("strozzi compare" in note for note in verdict.notes)
    assert not any("strozzi compare" in note for note in verdict.printed)  # paper has no commands


def test_a_verdict_names_a_box_unless_nothing_changes_or_its_box_misses_a_target() -> None:
    study = tune_study(targets=["seat 0 wins <= 30"])

    def changes(*statuses: str) -> tuple[str, ...]:
        tables = planted_tables([(number, {FIRST: (0.3, status)}) for number, status in enumerate(statuses)])
        return study.verdict(tables, study.look()).changes

    assert changes(MISSED, MET) == changes(MISSED, OPEN) == ("tracks.bonus.7=10",)
    assert changes(MET, MET) == changes(MISSED, MISSED) == ()


def test_an_undecided_rung_is_nearer_than_a_missed_one() -> None:
    study = tune_study(targets=["seat 0 wins <= 30"])
    rungs = [(0, (0.4, MISSED)), (1, (0.301, MISSED)), (2, (0.31, OPEN))]
    tables = planted_tables([(changes, {FIRST: figure}) for changes, figure in rungs])
    verdict = study.verdict(tables, study.look())
    assert verdict.answer.startswith("Undecided after 1,000 deals")
    assert "space 8 of the tracks pays 20 coins" in verdict.subject


def test_prizes_by_rank_stay_in_falling_order() -> None:
    third = "scoring.marker_ranks.2"
    assert changed_box(GAME, BASE, {third: 10}) is not None
    assert changed_box(GAME, BASE, {third: 15}) is None, "the second marker earns 10"
    assert changed_box(GAME, BASE, {third: 15, "scoring.marker_ranks.1": 15}) is not None
    odd = with_values(GAME, BASE, {third: 55})
    assert changed_box(GAME, odd, {third: 50}) is not None, "a box that is in no order may stay so"


def test_a_rung_that_is_tried_again_starts_on_new_deals() -> None:
    targets = [share_target(0.30, 0.40)]  # the box is at its end
    search = Search(GAME, BASE, targets, tunable_numbers(GAME, BASE, KEYS), Planted(0).play, deals=60_000, most=3)
    search._confirm([()])
    first = search.ladder[()][0]
    assert search.status(()) == OPEN
    search._confirm([()])
    assert search.deals_of_rung[()] == 60_000
    assert search.ladder[()][0].shape == first.shape == (LOOKS * PER_LOOK, 2)
    assert not (search.ladder[()][0] == first).any()


def test_a_range_of_a_share_that_reaches_its_end_is_open_there() -> None:
    (rare,) = tune_study(targets=["greedy among heuristic wins = 0.4 +- 1"]).parsed[1]
    assert (rare.low, rare.high) == (-np.inf, pytest.approx(0.014))
    (sure,) = tune_study(targets=["heuristic among random wins = 99.5 +- 1"]).parsed[1]
    assert (sure.low, sure.high) == (pytest.approx(0.985), np.inf)


def test_a_sign_of_one_character_is_understood() -> None:
    assert (
        tune_study(targets=["gap \N{LESS-THAN OR EQUAL TO} 3"]).parsed[1] == tune_study(targets=["gap <= 3"]).parsed[1]
    )


def test_a_relative_change_to_keep_has_its_own_figure() -> None:
    (_, kept) = tune_study(keep=["score_mean +- 5 %"]).parsed[1]
    assert kept.figure.name == "score_mean_change"
    assert kept.text(-0.031) == "\N{MINUS SIGN}3.1\N{NARROW NO-BREAK SPACE}%"
    (_, kept) = tune_study(keep=["score_mean +- 5"]).parsed[1]
    assert kept.text(-3.1) == "\N{MINUS SIGN}3.1"


def test_a_heat_plays_agents_declared_in_code() -> None:
    heats = []

    def play_heat(heat: ss.Study, look: Look) -> list[CellCounts]:
        heats.append(heat)
        raise RuntimeError("played")

    study = tune_study(lineups=[[InCode]], targets=["greedy among in_code wins <= 30", "gap <= 3"])
    with pytest.raises(RuntimeError, match="played"):
        study.search(play_heat)
    assert heats[0].specs["in_code"].agent is InCode
    assert ("greedy", "in_code", "in_code") in heats[0].lineups


BY_COMPUTED_NAME = """
from strozzi_sim.agent import python_agent
import importlib

@python_agent(name="bot")
class Bot:
    def act(self, view, legal, rng):
        return legal[len(importlib.import_module("js" + "on").dumps("")) - 2]
"""


@pytest.mark.slow
def test_heats_resume_only_if_agents_that_targets_name_are_trusted(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BY_COMPUTED_NAME)
    study = tune_study(targets=[f"{tmp_path / 'bot.py'}::bot among random wins <= 90"], deals=2000)
    first = ss.run(study, tmp_path / "run")
    assert first.verdict.answer == "Change nothing: the box meets the target."
    (tmp_path / "run" / "tables" / "ladder.csv").unlink()  # so that the heats are asked for again
    with pytest.raises(InputError, match="by a computed name are not detected"):
        ss.run(study, tmp_path / "run")
    assert ss.run(study, tmp_path / "run", trust_agents=True).new_games == 0


def test_a_search_has_no_parts_and_no_further_deals(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="part: a search has no parts"):
        ss.run(tune_study(), tmp_path / "run", part="1/2")
    with pytest.raises(ArgumentError, match="deals: a search has its own"):
        ss.run(tune_study(), tmp_path / "run", deals=90_000)
    assert not (tmp_path / "run").exists()


def test_line_ups_that_do_not_fit_are_named() -> None:
    with pytest.raises(ArgumentError, match="lineups: give one of a single agent, or one for each player count"):
        tune_study(lineups=[["random", "greedy", "greedy"]], players=[3, 4])


def test_a_coarse_range_moves_a_number_to_its_next_value_on_that_side() -> None:
    (bonus,) = tunable_numbers(GAME, with_values(GAME, BASE, {"tracks.bonus.9": 29}), "tracks.bonus.9 = 0 to 3000")
    assert bonus.at(1) == bonus.at(-1) == 29
    assert (bonus.moved(1, (1,)), bonus.moved(-1, (1,))) == ([50], [15])  # the published value is 15
    (above,) = tunable_numbers(GAME, BASE, "tracks.bonus.9 = 20 to 30")
    assert above.moved(-1, (6, 1)) == []


def test_the_check_names_numbers_in_full_and_a_variant_that_is_shipped() -> None:
    assert (whole(1_234_567.0), whole(0.25)) == ("1234567", "0.25")
    own = with_values(GAME, BASE, {"tracks.bonus.9": 30})
    assert as_settings(GAME, BASE) == ("base", {})
    assert as_settings(GAME, own) == ("base", {"tracks.bonus.9": 30})
    study = tune_study(variants=[own], lineups=[[GAME.default_agent]])
    tables = planted_tables([(0, {SEAT_GAP: (0.4, MISSED)}), (1, {SEAT_GAP: (0.02, MET)})])
    command = "strozzi compare strozzi --set tracks.bonus.9=30 --set tracks.bonus.7=10 --players 3 --seed 1"
    assert study.verdict(tables, study.look()).notes[-1] == f"Check: {command}"
    in_turn = tune_study(lineups=[["greedy", "random", "greedy"], ["greedy", "random"] * 2], players=[3, 4])
    assert in_turn._agents_option == "--agents greedy,random"
    assert tune_study(lineups=[[InCode]])._agents_option is None


def test_a_run_finds_a_box_and_says_how_to_check_it(tmp_path: Path) -> None:
    keys: Any = {"players": 3, "agents": "random", "keys": "scoring.*", "deals": 4000}
    results = ss.tune("strozzi", targets="score_mean = 300 +- 12", folder=tmp_path / "run", **keys)
    assert results.verdict.answer.startswith("Change one number: ")
    (change,) = results.tables["box"].query("rung == 1").to_dict("records")
    setting = f"--set {change['key']}={change['to']:g}"
    command = f"strozzi compare strozzi {setting} --players 3 --agents random --seed 1"
    assert results.verdict.notes[-1] == f"Check: {command}"
    assert set(results.tables["ladder"].query("changes == 1")["status"]) == {"met"}
    page = results.report(tmp_path / "page.html").read_text("utf-8")
    assert "What each number does to each target" in page
    assert results.n_games == results.new_games == results.tables["heats"]["games"].sum()
    assert ss.load_results(tmp_path / "run").verdict == results.verdict
    again = ss.tune("strozzi", targets="score_mean = 300 +- 12", folder=tmp_path / "run", **keys)
    assert again.new_games == 0
    assert again.n_games == results.n_games
    with pytest.raises(InputError, match="holds another study"):
        ss.tune("strozzi", targets="score_mean = 290 +- 12", folder=tmp_path / "run", **keys)


def test_what_a_change_breaks_is_said_of_the_box_after_it() -> None:
    keys: Any = {"players": 4, "keys": "tracks.bonus.9 = 15 to 200", "deals": 4000, "workers": 1}
    raised = ss.tune("strozzi", targets="score_mean = 300 +- 20", **keys)
    assert raised.verdict.answer.startswith("Change one number: space 9 of the tracks pays ")
    assert re.fullmatch(r"Coins run out in .+ games, before \d( of 100)?[.]", raised.alarms[0].text)
    kept = ss.tune("strozzi", targets="score_mean >= 1", **keys)
    assert kept.verdict.answer.startswith("Change nothing")
    assert set(kept.tables["balance"]["variant"]) == {"base"}
    assert not re.search("before|New box", "".join(alarm.text for alarm in kept.alarms))


def test_a_search_that_was_stopped_goes_on_to_the_same_tables(tmp_path: Path) -> None:
    keys: Any = {
        "players": 3,
        "agents": "random",
        "keys": "scoring.*",
        "deals": 4000,
        "targets": "score_mean = 300 +- 12",
    }
    whole = ss.tune("strozzi", folder=tmp_path / "whole", **keys)

    phases = []

    def stop_in_the_second_heat(phase: str, done: int, total: int) -> None:
        phases.append(phase)
        if phases.count("compiling") == 2 and phase == "games":
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        ss.tune("strozzi", folder=tmp_path / "part", progress=Progress(on_phase=stop_in_the_second_heat), **keys)
    before = (tmp_path / "part" / "study.json").read_bytes()
    with pytest.raises(InputError, match="holds another study"):
        ss.tune("strozzi", folder=tmp_path / "part", **{**keys, "targets": "score_mean = 290 +- 12"})
    with pytest.raises(InputError, match="the search has not ended"):
        ss.load_results(tmp_path / "part")
    assert (tmp_path / "part" / "study.json").read_bytes() == before
    resumed = ss.tune("strozzi", folder=tmp_path / "part", **keys)
    assert 0 < resumed.new_games < whole.new_games
    for name in ("ladder", "box", "effects", "reach", "heats"):
        file = f"tables/{name}.csv"
        assert (tmp_path / "part" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()

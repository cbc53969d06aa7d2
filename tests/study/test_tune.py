"""The search of `tune` on planted figures, which are known exactly; its grammar; and whole runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.facts.figures import SCORE, WIN_SHARE
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.box_numbers import numbers, tunable_numbers
from strozzi_sim.study.progress import Progress
from strozzi_sim.study.targets import MET, MISSED, Target, wanted
from strozzi_sim.study.tuning import Search

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
            return np.array([0.30 - 0.0002 * (bonus[0] - 5) * (bonus[1] - 10), 240.0])
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


def test_two_numbers_that_do_nothing_alone_are_found_together() -> None:
    planted = Planted(1, only_together=True)
    search = searched(BASE, [share_target(0.225, 0.255)], planted)
    best = min((box for box in search.ladder if search.status(box) == MET), key=len)
    assert {search.numbers[k].key for k, _ in best} == {"tracks.bonus.7", "tracks.bonus.8"}
    assert 0.225 <= planted.figures(search.variants[best])[0] <= 0.255


def test_a_box_that_meets_its_targets_is_left_alone() -> None:
    search = searched(BASE, [share_target(0.27, 0.33)], Planted(0))
    assert list(search.ladder) == [()]
    assert search.status(()) == MET
    assert not search.seen


def test_what_is_out_of_reach_is_never_met() -> None:
    search = searched(BASE, [share_target(0.9, 0.95)], Planted(0))
    assert {search.status(box) for box in search.ladder} == {MISSED}
    assert search.reach["share"] > 0


def test_two_targets_in_conflict_are_named() -> None:
    kept = Target("kept", (1,), -0.01, 0.01, 0.01, "ratio", SCORE)
    search = searched(BASE, [score_target(270, 280), kept], Planted(0))
    assert MET not in {search.status(box) for box in search.ladder}
    assert search.conflicts == [("score", "kept")]


def test_targets_are_read() -> None:
    first, second, third = wanted("the first player wins = 25 +- 1; gap <= 1.5 at 3 players", "score_mean +- 5 %")
    assert (first.figure, first.low, first.high) == ("the first player wins", 24, 26)
    assert (second.figure, second.high, second.players) == ("gap", 1.5, 3)
    assert (third.low, third.high, third.is_relative) == (-0.05, 0.05, True)


def test_values_are_those_that_a_designer_prints() -> None:
    spoilt = with_values(GAME, BASE, {"tracks.bonus.9": 29})
    (bonus,) = tunable_numbers(GAME, spoilt, "tracks.bonus.9 = 0 to 30")
    assert [*bonus.values] == [0, 5, 10, 15, 20, 25, 29, 30]
    assert bonus.is_reconstructed
    assert bonus.at(-1) == 25
    assert not [each.key for each in tunable_numbers(GAME, BASE) if each.key.startswith("coins.")]
    assert len(tunable_numbers(GAME, BASE, "*")) == len([*numbers(GAME, BASE)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"targets": ""}, "targets: expected one such as"),
        ({"targets": "seat 0 wins = 25"}, "needs a tolerance"),
        ({"targets": "seat 0 wins = 25 +- 0"}, "a tolerance of 0 can never be shown"),
        ({"targets": "seat 0 wins <= 25 +- 1"}, "<= takes no tolerance"),
        ({"targets": "seat 0 wins = 250 +- 1"}, "a share lies between 0 and 100"),
        ({"targets": "seat 9 wins >= 25"}, "the seats at 3 players are 0 to 2"),
        ({"targets": "gap <= 3 at 5 players"}, "no games of 5 players"),
        ({"targets": "nonsense = 3 +- 1"}, "unknown figure 'nonsense'"),
        ({"targets": "random wins >= 30"}, "write random among AGENT wins"),
        ({"keep": "gap +- 1"}, "a gap cannot be kept"),
        ({"keep": "score_mean = 5"}, "keep: got 'score_mean = 5'"),
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


def test_a_run_finds_a_box_and_says_how_to_check_it(tmp_path: Path) -> None:
    keys: Any = {"players": 3, "agents": "random", "keys": "scoring.*", "deals": 4000}
    results = ss.tune("strozzi", targets="score_mean = 300 +- 12", folder=tmp_path / "run", **keys)
    assert results.verdict.answer.startswith("Change one number: ")
    (change,) = results.tables["box"].query("rung == 1").to_dict("records")
    setting = f"--set {change['key']}={change['to']:g}"
    assert results.verdict.notes[-1] == f"Check: strozzi compare strozzi {setting} --players 3 --seed 1"
    assert set(results.tables["ladder"].query("changes == 1")["status"]) == {"met"}
    assert results.n_games == results.new_games == results.tables["heats"]["games"].sum()
    again = ss.tune("strozzi", targets="score_mean = 300 +- 12", folder=tmp_path / "run", **keys)
    assert again.new_games == 0
    assert again.n_games == results.n_games
    with pytest.raises(InputError, match="holds another study"):
        ss.tune("strozzi", targets="score_mean = 290 +- 12", folder=tmp_path / "run", **keys)


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
    resumed = ss.tune("strozzi", folder=tmp_path / "part", **keys)
    assert 0 < resumed.new_games < whole.new_games
    for name in ("ladder", "box", "effects", "reach", "heats"):
        file = f"tables/{name}.csv"
        assert (tmp_path / "part" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()

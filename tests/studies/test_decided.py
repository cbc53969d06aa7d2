"""`compare` without deals plays until a difference of one point is found or excluded, and says what it could miss where it does not."""

import pandas as pd
import pytest
from strozzi_sim.cli.options import precision_words
from strozzi_sim.reports.changes import change_headline, change_verdict
from strozzi_sim.reports.comparisons import contest_answer
from strozzi_sim.studies.compare import most_deals_by_default

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.missed import missed_between, not_excluded, size_text

STROZZI = load_game("strozzi")
TURNED = {"turned": {"idle": {"turns": [6] * 100}}}  # another game with the same odds
FINE, AHEAD = {"fine": {"dice": {"faces": 50}}}, {"ahead": {"dice": {"faces": 50}, "start": {"head": [2, 0, 0, 0]}}}


def compared(*variants, **more):
    return ss.compare(GAME, *variants, players=4, agents="random", workers=1, progress=False, **more)


def test_a_large_difference_is_found_early():
    found = compared("base", {"head": {"start": {"head": [0, 0, 0, 3]}}})
    assert found.plan["deals"] < 20_000
    table = found.tables["precision"]
    assert (table["figure"] == "win_share_difference").all()
    assert table["known"].all()
    assert "changes who wins" in change_verdict(found.tables, GAME)
    (words,) = precision_words(found)
    assert words.startswith("every difference of 1 point of games won is found or excluded, after ")


def test_a_variant_that_changes_no_winner_is_known_to_after_few_deals():
    found = compared("base", {"all": {"start": {"head": [1, 1, 1, 1]}}})
    assert found.plan["deals"] < 10_000
    assert "does not change who wins enough to matter" in change_verdict(found.tables, GAME)


def test_what_is_neither_found_nor_excluded_is_said():
    found = compared("base", TURNED, effect=0.005)
    (words,) = precision_words(found)
    assert "of 4 differences of 0.5 points of games won are neither found nor excluded after the last of" in words
    assert words.endswith("--deals plays more")
    assert "could be missed" in change_verdict(found.tables, GAME)


def test_deals_and_precision_are_played_as_given():
    assert compared("base", TURNED, deals=60).plan["deals"] == 60
    assert "precision" not in compared("base", TURNED, deals=60).tables
    assert set(compared("base", TURNED, precision=5).tables["precision"]["figure"]) == {
        "win_share",
        "win_share_difference",
    }


def test_few_deals_say_how_much_they_could_miss():
    found = compared("base", TURNED, deals=200)
    rows = found.tables["changes"].query("table == 'seats' and figure == 'win_share'")
    most = not_excluded(rows)
    assert most > rows[["low", "high"]].abs().max(axis=None)  # corrected for the number of seats
    said = f"no share of wins is known to change (a change of up to {size_text(most)} could be missed)"
    assert said in change_headline(found.tables, found.manifest)


@pytest.mark.nightly
def test_sixty_studies_of_nothing_and_sixty_of_two_points():
    claimed = 0
    for seed in range(60):
        claimed += "changes who wins" in change_verdict(compared("base", TURNED, seed=seed).tables, GAME)
        words = change_verdict(compared(FINE, AHEAD, seed=seed).tables, GAME)
        assert "changes who wins" in words, words
    assert claimed <= 6  # 3 expected at most


def test_slow_agents_have_fewer_deals():
    deals = {
        name: most_deals_by_default([[load_agent(name, STROZZI)]], 2)
        for name in ("heuristic", "learned", "learned:beyond=2,redraws=32", "ismcts")
    }
    assert deals["heuristic"] == 50_000
    assert deals["learned"] == 7500
    assert deals["learned:beyond=2,redraws=32"] == deals["ismcts"] == 300


def difference(value, half, players=4):
    cell = {"players": players, "variant": "base", "lineup": "a,b", "first": "a", "second": "b"}
    cell |= {"by": "position", "level": "0"}
    row = {"figure": "win_share", "value": value, "low": value - half, "high": value + half, "n": 4000, "deals": 1000}
    return cell | row


def test_agents_that_are_not_known_to_differ_say_by_how_much_they_could():
    same = contest_answer({"difference": pd.DataFrame([difference(0.01, 0.03)])}, STROZZI)
    assert (
        same.verdict
        == "a and b are not known to differ in games won: a difference of up to 4.0 points could be missed."
    )
    rows = [difference(0.1, 0.03, 3), difference(0.01, 0.03, 4)]
    mixed = contest_answer({"difference": pd.DataFrame(rows)}, STROZZI)
    assert mixed.verdict.endswith(": at 4 players it is not known, a difference of up to 4.0 points could be missed.")


def test_figures_that_are_not_known_to_differ_say_by_how_much_they_could():
    rows = list(pd.DataFrame({"value": [10.0, 10.5], "low": [9.0, 9.7], "high": [11.0, 11.3]}).itertuples())
    assert missed_between(rows, called="coins") == "a difference of up to 2.3 coins could be missed"
    assert missed_between(rows[:1]) == ""


def test_titles_that_find_nothing_say_what_they_could_miss():
    plan = {"name": "q", "game": "strozzi", "players": [3], "deals": 40, "lineups": [["random"]]}
    for page, words in (
        ("flags", "No flag is known to take other ships than the rest: a difference of up to "),
        ("ports", "No port is known to pay more than another: a difference of up to "),
    ):
        (said, *_) = ss.run(ss.Study(**plan, question=page), progress=False).findings
        assert said.startswith(f"Played by random at 3 players: {words}")
        assert "could be missed" in said
    found = ss.run(ss.Study(name="q", game="medici_vs_strozzi", deals=60, lineups=[["random"]]), progress=False)
    title = found.game.report.titles(found.tables, {"base": found.plan["variants"]["base"]})["balance"]
    assert title.startswith("Neither family is known to win more than the other: a gain of up to ")

"""Verdicts: what a kind of study says, of whom, and how much it could have missed."""

import pytest

import strozzi_sim as ss
from strozzi_sim.agent import python_agent
from strozzi_sim.agent.python import Replacement
from strozzi_sim.errors import ArgumentError
from strozzi_sim.study.games import verdict_on_page

QUIET = {"workers": 1, "progress": False}


def first(results):
    return results.verdict.answer


def test_agents_that_do_not_differ_say_how_large_a_difference_could_be_missed():
    said = first(ss.compare("strozzi", "greedy:margin=4", "greedy:margin=5", players=3, deals=40, **QUIET))
    assert said == "Greedy with margin 4 and greedy with margin 5 are not known to differ in games won."
    same = first(ss.compare("strozzi", "random", "random", players=3, deals=40, **QUIET))
    assert same == "The first agent and the second agent win exactly alike."


def test_a_precision_says_whether_it_was_reached():
    keys = {"players": 3, "agents": "random", **QUIET}
    known = ss.simulate("strozzi", precision=8, **keys).verdict.notes[-1]
    assert known.startswith("Every share of wins is known to +- 8 points, after ")
    unknown = ss.simulate("strozzi", precision=2, deals=200, **keys).verdict.notes[-1]
    assert unknown == "3 of 3 shares of wins are not known to +- 2 points after the last of 200 deals."


def test_a_precision_of_a_comparison_names_the_differences_too():
    keys = {"players": 3, "deals": 200, "precision": 2, **QUIET}
    said = ss.compare("strozzi", "greedy:margin=4", "greedy:margin=5", **keys).verdict.notes[-1]
    assert " shares of wins and differences are not known to +- 2 points after the last of 200 deals." in said


def test_illegal_answers_are_counted_in_a_sentence():
    @python_agent("stubborn", games=("strozzi",), replaces=True)
    class Stubborn:
        def act(self, view, legal, rng):
            return legal[0] if 1 in legal else Replacement(legal[0])

    found = ss.simulate("strozzi", players=3, agents=[Stubborn, "random", "random"], deals=40, **QUIET)
    assert found.verdict.notes[-1].startswith("Illegal answers of stubborn: ")


def test_a_tournament_says_who_beats_whom():
    said = ss.tournament("strozzi", ["random", "greedy", "heuristic"], players=3, deals=60, **QUIET).verdict
    assert said.answer.startswith("The usual player finishes ahead of 2 other agents and wins 9")
    assert said.notes[-2] == "The usual player finishes ahead of greedy and random moves at 3 players."
    assert said.notes[-1] == "By strength in Strozzi at 3 players: usual, greedy, random moves."


def test_styles_among_copies_are_no_dominant_strategy_unless_they_win_more():
    keys = {"game": "strozzi", "players": [3], "deals": 120}
    company = ["heuristic", "heuristic"]
    study = ss.Study.of(**keys, lineups=[["greedy", *company], ["random", *company]])
    assert first(ss.run(study, **QUIET)).startswith("No plan here beats usual players: the best wins ")


def test_a_sweep_says_what_gap_could_be_missed():
    said = first(ss.sweep("strozzi", "tracks.bonus.9 = 10 15", players=3, agents="random", deals=60, **QUIET))
    assert said.startswith("No value is found fairer than the published 15; up to ")


def test_a_question_is_answered_or_refused():
    asked = {"rows": "seat", "columns": "round", "value": "mean coins", "fact": "round"}
    results = ss.heatmap("strozzi", **asked, players=3, agents="random", deals=60, **QUIET)
    assert " player; round " in first(results) or "no two cells" in first(results)
    page = ss.run(results.study, look=ss.Look(question="flags"), **QUIET)
    assert page.verdict.answer == verdict_on_page(page.study, page.tables, "flags").answer
    wrong = {"no": "unknown question 'no'", "variants": "needs a second variant", "heatmaps": "needs a heat map"}
    for question, why in wrong.items():
        with pytest.raises(ArgumentError, match=f"question: .*{why}"):
            ss.run(results.study, look=ss.Look(question=question), **QUIET)


def test_agents_of_few_games_have_no_verdict_and_no_numbers(tmp_path):
    results = ss.simulate("strozzi", players=3, agents="greedy,random,racer", deals=4, **QUIET)
    assert results.verdict.answer == "There are too few games of Strozzi to compare the agents."
    assert '<dl class="keys">' not in results.report(tmp_path / "page.html").read_text()


def test_the_numbers_of_copies_say_which_copy():
    results = ss.simulate("strozzi", players=3, agents="greedy,random,random", deals=40, **QUIET)
    numbers = results.study.sections(results.tables, results.look)[0].numbers
    names = {number.what.removeprefix("games won by ").partition(",")[0] for number in numbers}
    assert names == {"greedy", "the first player who moves at random", "the second player who moves at random"}

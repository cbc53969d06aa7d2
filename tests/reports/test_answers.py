"""The answer of a study: planted truths, whom it speaks of, and how long it is."""

import itertools

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.reports.answers import agents_answer, seats_answer
from strozzi_sim.reports.findings import headline_by_strength
from strozzi_sim.reports.study_page import answer_of

import strozzi_sim as ss
from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import THIN

STROZZI = load_game("strozzi")
FAIR, FIRST, LAST, NOISE = (1 / 3, 1 / 3, 1 / 3), (0.40, 0.32, 0.28), (0.30, 0.32, 0.38), (0.36, 0.33, 0.31)
TIERS = {"random": "random", "middle": "heuristic", "search": "strategist"}


def tables(cells, half=0.003):
    """The tables of cells: (players, variant, lineup) -> shares of wins; p is planted with them."""
    seats, balance = [], []
    for (players, variant, lineup), shares in cells.items():
        cell = {"players": players, "variant": variant, "lineup": lineup, "n": 90_000, "deals": 30_000}
        for seat, share in enumerate(shares):
            seats.append(
                {**cell, "seat": seat, "figure": "win_share", "value": share, "low": share - half, "high": share + half}
            )
        told = max(abs(share - 1 / players) for share in shares) > 2 * half
        for figure, value in (
            ("seat_fairness_p", 1e-9 if told else 0.5),
            ("seat_favour_bound", 4 * half),
            ("score_mean", 120.0),
        ):
            wide = 0.5 if figure == "score_mean" else np.nan
            balance.append({**cell, "figure": figure, "value": value, "low": value - wide, "high": value + wide})
    return {"seats": pd.DataFrame(seats), "balance": pd.DataFrame(balance), "lineup": pd.DataFrame()}


def of_one(shares, half=0.003, players=3, variant="base"):
    return seats_answer(tables({(players, variant, "random"): shares}, half), STROZZI, {})


def words_of(answer):
    return len(f"{answer.verdict} {answer.detail}".split())


@pytest.mark.parametrize(
    ("shares", "half", "verdict", "detail"),
    [
        (FAIR, 0.003, "Played by random: every seat of Strozzi wins its share to within 0.5 points.", "A gain of up to 1.2 points could be missed."),
        (FIRST, 0.003, "Played by random, Strozzi favours the player who begins.", "seat 0 wins 40.0 % at 3 players, where 33.3 % would be equal."),
        (LAST, 0.003, "Played by random, Strozzi favours the player who moves last.", "the last seat wins 38.0 % at 3 players"),
        (NOISE, 0.03, "Played by random: no seat of Strozzi is known to win more than its share.", "A gain of up to 12 points could be missed."),
    ],
)  # fmt: skip
def test_planted_truths_of_one_line_up(shares, half, verdict, detail):
    answer = of_one(shares, half)
    assert answer.verdict == verdict
    assert detail in answer.detail.replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_too_few_games_are_said_to_be_too_few():
    found = tables({(3, "base", "random"): FIRST})
    found["balance"].loc[found["balance"]["figure"] == "seat_fairness_p", "value"] = np.nan
    assert (
        seats_answer(found, STROZZI, {}).verdict
        == "Played by random: there are too few games to say whether a seat of Strozzi is favoured."
    )
    none = {name: table.iloc[:0] for name, table in found.items()}
    assert seats_answer(none, STROZZI, {}).verdict == "No game of Strozzi was played."


def test_player_counts_that_differ_are_named():
    answer = seats_answer(tables({(3, "base", "random"): FIRST, (4, "base", "random"): (0.25,) * 4}), STROZZI, {})
    assert (
        answer.verdict
        == "Played by random, Strozzi favours the player who begins at 3 players; at 4 players no seat is known to gain."
    )


def test_several_combinations_are_counted():
    cells = {
        (3, variant, agent): FIRST if agent == "random" else FAIR
        for variant in ("base", "long")
        for agent in ("random", "greedy")
    }
    assert (
        seats_answer(tables(cells), STROZZI, {}).verdict
        == "2 of 4 combinations of players, line-up and variant of Strozzi favour the player who begins."
    )
    fair = seats_answer(tables(dict.fromkeys(cells, FAIR)), STROZZI, {}).verdict
    assert (
        fair
        == "Each seat of Strozzi wins its share to within 0.5 points, in any of 4 combinations of players, line-up and variant."
    )


@pytest.mark.parametrize(
    ("by_tier", "half", "verdict"),
    [
        ((FIRST, FIRST, FIRST), 0.003, "Strozzi favours the player who begins, however well it is played."),
        (
            (FAIR, FAIR, FAIR),
            0.003,
            "Every seat of Strozzi wins its share to within 0.5 points, however well it is played.",
        ),
        (
            (NOISE, NOISE, NOISE),
            0.03,
            "No seat of Strozzi is known to win more than its share, however well it is played.",
        ),
        (
            (FIRST, FAIR, FAIR),
            0.003,
            "Strozzi favours the player who begins under random moves, but not under middling play and strong play.",
        ),
        ((FIRST, LAST, FAIR), 0.003, "Who is favoured in Strozzi depends on how well it is played."),
    ],
)
def test_by_strength_the_game_is_spoken_of_where_all_agree(by_tier, half, verdict):
    cells = {(3, "base", agent): shares for agent, shares in zip(TIERS.values(), by_tier, strict=True)}
    assert seats_answer(tables(cells, half), STROZZI, TIERS).verdict == verdict


def test_what_is_not_known_of_a_strength_is_not_called_fair():
    cells = {(3, "base", agent): FIRST if agent == "random" else FAIR for agent in TIERS.values()}
    found = tables(cells)
    strong = found["seats"]["lineup"] == "strategist"
    found["seats"]["low"] -= 0.05 * strong
    found["seats"]["high"] += 0.05 * strong
    verdict = seats_answer(found, STROZZI, TIERS).verdict
    assert (
        verdict
        == "Strozzi favours the player who begins under random moves, but not under middling play; under strong play that is not known."
    )


def test_each_strength_of_play_has_its_own_sentence_and_number():
    cells = {(3, "base", agent): FIRST if agent == "heuristic" else FAIR for agent in TIERS.values()}
    found = tables(cells)
    for agent, bound, half in (("random", 0.018, 0.01), ("strategist", 0.22, 0.2)):
        found["balance"].loc[
            (found["balance"]["lineup"] == agent) & (found["balance"]["figure"] == "seat_favour_bound"), "value"
        ] = bound
        of_agent = found["seats"]["lineup"] == agent
        found["seats"].loc[of_agent, "low"] -= half
        found["seats"].loc[of_agent, "high"] += half
    answer = seats_answer(found, STROZZI, TIERS)
    assert answer.detail.replace(THIN, " ") == (
        "Random moves (random): no seat is known to gain (a gain of up to 1.8 points could be missed). "
        "Middling play (heuristic): seat 0 wins 40.0 % at 3 players (fair: 33.3 %). "
        "Strong play (strategist): no seat is known to gain (a gain of up to 22 points could be missed)."
    )
    two = {tier: agent for tier, agent in TIERS.items() if tier != "search"}
    few = {name: table[table["lineup"] != "strategist"] if len(table) else table for name, table in found.items()}
    assert "Strong play (learned:beyond=2,redraws=32) was left out" in seats_answer(few, STROZZI, two).detail
    said = headline_by_strength(found, TIERS)
    assert "random moves (a gain of up to 1.8 points could be missed)" in said
    assert "strong play (a gain of up to 22 points could be missed)" in said


def test_a_strength_that_favours_a_seat_at_some_player_counts_says_at_which():
    four = (0.32, 0.24, 0.23, 0.21)
    cells = {(n, "base", agent): {3: FIRST, 4: four}[n] for n in (3, 4) for agent in TIERS.values()}
    assert (
        seats_answer(tables(cells), STROZZI, TIERS).verdict
        == "Strozzi favours the player who begins, however well it is played."
    )
    cells[3, "base", "random"] = FAIR
    assert seats_answer(tables(cells), STROZZI, TIERS).verdict == (
        "Strozzi favours the player who begins under random moves at 4 players and under middling play and strong play."
    )
    cells |= {(3, "base", agent): FAIR for agent in TIERS.values()}
    assert (
        seats_answer(tables(cells), STROZZI, TIERS).verdict
        == "Strozzi favours the player who begins at 4 players, however well it is played."
    )


def test_a_gain_that_could_be_missed_is_that_of_the_cells_without_one():
    found = tables({(3, "base", "random"): FIRST, (4, "base", "random"): (0.25,) * 4})
    bounds = found["balance"]["figure"] == "seat_favour_bound"
    found["balance"].loc[bounds & (found["balance"]["players"] == 3), "value"] = 0.3
    assert "Elsewhere a gain of up to 1.2 points could be missed." in seats_answer(found, STROZZI, {}).detail


@pytest.mark.parametrize("half", [0.003, 0.03])
@pytest.mark.parametrize("shares", list(itertools.product((FAIR, FIRST, LAST, NOISE), repeat=3)), ids=str)
def test_an_answer_is_short(shares, half):
    cells = {(3, "base", agent): each for agent, each in zip(TIERS.values(), shares, strict=True)}
    for tiers in (TIERS, {}):
        answer = seats_answer(tables(cells, half), STROZZI, tiers)
        assert words_of(answer) <= (105 if tiers else 60)  # a sentence for each strength of play
        assert answer.verdict.endswith(".")
        assert answer.verdict.count(". ") == 0  # one sentence
        assert 1 <= len(answer.numbers) <= 3
        assert all(number.value and number.what for number in answer.numbers)
        assert not {"nan", "None"} & set(f"{answer.verdict} {answer.detail}".split())


def test_three_numbers_have_their_half_widths():
    gain, loss, score = of_one(FIRST).numbers
    assert (gain.value, gain.half_width) == ("+6.7", "0.3")
    assert gain.what == "points above its share: seat 0 at 3 players (random)"
    assert (loss.value, loss.half_width) == ("\N{MINUS SIGN}5.3", "0.3")
    assert loss.what.startswith("points below its share: seat 2")
    assert (score.value, score.half_width) == ("120.0", "0.5")


# Agents


def lineup(shares, players=3, half=0.01):
    agents = list(shares)
    rows = [
        {"players": players, "variant": "base", "lineup": ",".join(agents), "position": k, "agent": agent, "figure": "win_share",
         "value": share, "low": share - half, "high": share + half, "n": 9000, "deals": 3000}
        for k, (agent, share) in enumerate(shares.items())
    ]  # fmt: skip
    return {"lineup": pd.DataFrame(rows)}


def test_the_agent_that_wins_most_is_named_and_equals_are_not():
    answer = agents_answer(lineup({"greedy": 0.2, "eager": 0.5, "random": 0.3}), STROZZI)
    assert answer.verdict == "eager wins most among greedy, eager and random."
    assert answer.numbers[0].what == "games won by eager, 3 players"
    equal = agents_answer(lineup({"greedy": 0.331, "eager": 0.334, "random": 0.335}), STROZZI)
    assert (
        equal.verdict
        == "No agent of greedy, eager and random is known to win more than its share of Strozzi: a gain of up to 1.4 points could be missed."
    )
    both = pd.concat(
        [
            lineup({"greedy": 0.2, "eager": 0.5, "random": 0.3})["lineup"],
            lineup({"a": 0.5, "eager": 0.1, "b": 0.2, "c": 0.2}, 4)["lineup"],
        ]
    )
    assert "depends on the players" in agents_answer({"lineup": both}, STROZZI).verdict


# Of studies


@pytest.mark.slow
@pytest.mark.parametrize("name", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_an_answer_never_depends_on_the_name_of_its_study(name):
    results = ss.simulate(name, agents="random", deals=60)
    for question in ("seats", *results.game.report.PAGES):
        manifest = {**results.manifest, "report": {**results.manifest["report"], "question": question}}
        answers = [
            answer_of({**manifest, "name": called}, results.tables, results.game)
            for called in ("fair-game", "who-wins-by-seat", "")
        ]
        assert answers[0] == answers[1] == answers[2]
        assert answers[0].verdict
        assert words_of(answers[0]) <= 60, question

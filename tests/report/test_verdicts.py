"""What pages say of planted tables: what is known and of whom, and how much could be missed; corrected for many comparisons."""

import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.declare.figure_tables import figures_frame
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.significance import MAX_CHUNKS
from strozzi_sim.facts.figures import SCORE, WIN_SHARE
from strozzi_sim.game.component_names import boxes_in_words, difference_in_words
from strozzi_sim.game.variants import from_changes, resolve_variant
from strozzi_sim.study.beside import compared_pairs
from strozzi_sim.study.change_verdict import change_verdict
from strozzi_sim.study.changes import (
    CHANGED,
    EQUAL,
    SMALL,
    UNCLEAR,
    changes_section,
)
from strozzi_sim.study.field_orders import standing_sentences
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.games import verdict_on_maps
from strozzi_sim.study.kinds.balance import styles_verdict, verdict_on_agents
from strozzi_sim.study.look import Look
from strozzi_sim.study.restricted import SMALL as TOO_SMALL
from strozzi_sim.study.restricted import WORTH, rank_of, verdicts
from strozzi_sim.study.seats import held_elsewhere, seat_cells, seat_verdict

STUDY = ss.Study.of(game="strozzi", players=[3], lineups=[["random"]], deals=1000)
FAIR, FIRST, LAST, NOISE = (1 / 3, 1 / 3, 1 / 3), (0.40, 0.32, 0.28), (0.30, 0.32, 0.38), (0.36, 0.33, 0.31)


def seats(cells, half=0.003, p=None):
    """The tables of cells: (players, variant, lineup) -> shares of wins; p is planted with them."""
    shares, balance = [], []
    for (players, variant, lineup), values in cells.items():
        cell = {"players": players, "variant": variant, "lineup": lineup, "n": 90_000, "deals": 30_000}
        for seat, share in enumerate(values):
            shares.append({**cell, "seat": seat, "figure": "win_share", "value": share, "low": share - half, "high": share + half})  # fmt: skip
        told = max(abs(share - 1 / players) for share in values) > 2 * half
        tests = {"seat_fairness_p": (1e-9 if told else 0.5) if p is None else p, "seat_favour_bound": 4 * half}
        balance += [{**cell, "figure": figure, "value": value, "low": np.nan, "high": np.nan} for figure, value in tests.items()]  # fmt: skip
    return {"seats": pd.DataFrame(shares), "balance": pd.DataFrame(balance), "lineup": pd.DataFrame()}


def seats_said(cells, **keys):
    """The answer on planted seats and its notes."""
    verdict = seat_verdict(seats(cells, **keys), STUDY.the_game)
    return verdict.answer, verdict.notes


def gained(players, gain=0.06):
    """Shares of wins of which the first seat has so much more than an equal one, and the last one less."""
    return (1 / players + gain, *[1 / players] * (players - 2), 1 / players - gain)


@pytest.mark.parametrize(
    ("shares", "half", "said"),
    [
        (FAIR, 0.0045, "No seat of Strozzi wins more than 36 of 100 games at 3 players."),  # widened, not within a half
        (FAIR, 0.003, "Every seat of Strozzi wins its share at 3 players, to within half a game of 100."),
        (FIRST, 0.003, "The first player wins 40 of 100 games at 3 players, the last one 28."),
        (LAST, 0.003, "The last player wins 38 of 100 games at 3 players, the first one 30."),
        ((0.40, 0.30, 0.30), 0.02, "The first player wins 40 of 100 games at 3 players, the last one 30."),
        (NOISE, 0.03, "No seat is found to win more than its share at 3 players: at most 46 of 100 games, 33 would be fair."),
        (NOISE, 0.006, "No seat of Strozzi wins more than 36 of 100 games at 3 players."),
    ],
)  # fmt: skip
def test_planted_truths_of_seats(shares, half, said):
    p = 0.5 if shares is NOISE else None
    assert seats_said({(3, "base", "random"): shares}, half=half, p=p)[0] == said


def test_every_seat_whose_widened_interval_leaves_an_equal_share_is_named():
    shares = (0.306, 0.263, 0.236, 0.195)
    answer, (others,) = seats_said({(4, "base", "heuristic"): shares}, half=0.006)
    assert answer == "The first player wins 31 of 100 games at 4 players, the last one 20."
    assert others == "The second player wins 26 and the third player wins 24; 25 would be fair."
    # the same intervals in ten cells are not all significant together
    unsure = {(4, "base", f"agent-{k}"): (0.306, 0.2575, 0.241, 0.1955) for k in range(10)}
    cells = seat_cells(seats(unsure, half=0.006))
    assert {tuple(int(row.seat) for row in cell.above) for cell in cells} == {(0,)}
    alone = seat_cells(seats({(4, "base", "agent-0"): (0.306, 0.2580, 0.241, 0.195)}, half=0.006))
    assert [int(row.seat) for row in alone[0].above] == [0, 1]


def test_one_seat_is_named_where_another_is_ahead_of_it_by_less_than_can_be_known():
    cells = {(players, "base", "heuristic"): gained(players) for players in (3, 4)}
    close, clear = (0.243, 0.244, 0.20, 0.163, 0.15), (0.23, 0.28, 0.20, 0.15, 0.14)
    answer, _ = seats_said({**cells, (5, "base", "heuristic"): close})
    assert answer == "The first player wins more than its share at 3, 4 and 5 players: 39, 31 and 24 of 100 games."
    answer, _ = seats_said({**cells, (5, "base", "heuristic"): clear})
    assert answer == "The first player wins 39 and 31 of 100 games at 3 and 4 players; at 5 the second player wins 28."


def test_the_notes_on_other_seats_say_who_plays_if_several_do():
    usual = {(players, "base", "heuristic"): gained(players) for players in (3, 4)}
    _, notes = seats_said({**usual, (4, "base", "learned:level=3"): (0.25, 0.25, 0.25, 0.25)})
    assert "At 4 players with usual players the last player wins 19; 25 would be fair." in notes


def test_a_seat_alone_that_wins_less_is_named():
    answer, _ = seats_said({(4, "base", "heuristic"): (0.27, 0.27, 0.27, 0.19)}, half=0.02)
    assert answer == "The last player wins 19 of 100 games at 4 players, where 25 would be fair."


def test_other_boxes_are_named_where_the_verdict_is_that_of_the_box_that_they_vary():
    def held(variant, lineup, shares):
        return list(held_elsewhere(seats({(4, variant, lineup): shares}), STUDY.the_game))

    first, last = (0.31, 0.26, 0.22, 0.21), (0.21, 0.22, 0.26, 0.31)
    (said,) = held("base", "heuristic", first)
    assert said.startswith(
        "The first player was favoured at 4 players, played by usual players, in 28 of 30 other reconstructions"
    )
    others = [("base", "random", first), ("long-tracks", "heuristic", first), ("base", "heuristic", last)]
    assert [held(*each) for each in others] == [[], [], []]


def test_a_seat_is_named_only_if_less_than_one_in_fifty_fair_studies_say_so():
    cells = {(3, "base", "random"): FIRST}
    assert seats_said(cells, p=0.01)[0].startswith("The first player wins 40 of")
    assert seats_said(cells, p=0.03)[0].startswith("No seat of Strozzi wins more than ")
    many = {(3, "base", f"agent-{k}"): FIRST for k in range(6)}  # the same p-value in six cells is none any more
    assert seats_said(many, p=0.01)[0].startswith("No seat of Strozzi wins more than ")


def test_too_few_games_are_said_to_be_too_few():
    answer, notes = seats_said({(3, "base", "random"): FIRST}, p=np.nan)
    assert answer == "There are too few games of Strozzi to say whether a seat is favoured."
    assert notes == ()


def test_several_player_counts_are_one_sentence():
    counts = {(players, "base", "heuristic"): gained(players) for players in (3, 4, 5, 6)}
    answer, (others,) = seats_said(counts)
    assert answer == (
        "The first player wins more than its share at every player count: 39, 31, 26 and 23 of 100 games."
    )
    assert others == "At 4 players the last player wins 19; 25 would be fair."
    assert seats_said(dict(reversed(counts.items())))[0] == answer  # in whatever order the counts are played


def test_player_counts_at_which_nothing_is_found_are_in_the_sentence():
    counts = {(players, "base", "heuristic"): gained(players) for players in (3, 4, 5)}
    equal = {(6, "base", "heuristic"): (1 / 6,) * 6}
    assert seats_said(counts | equal)[0] == (
        "The first player wins 39, 31 and 26 of 100 games at 3, 4 and 5; at 6 no seat over 1.2 points more."
    )
    unsure = {(3, "base", "random"): FIRST, (4, "base", "random"): (0.26, 0.25, 0.25, 0.24)}
    answer, notes = seats_said(unsure, half=0.02)
    assert answer == (
        "The first player wins 40 of 100 games at 3 players, the last one 28; at 4 no seat wins over 8.0 points more."
    )
    assert not notes
    tiers = counts | equal | {(players, "base", "learned:level=3"): (1 / players,) * players for players in (3, 4)}
    tiers |= {(4, "base", "learned"): (0.22, 0.25, 0.25, 0.28), (6, "base", "learned"): gained(6)}
    answer, notes = seats_said(tiers)
    assert answer == (
        "With usual players the first player wins more than its share at 3, 4 and 5 players: 31 of 100 games at 4."
    )
    assert notes[:3] == (
        "With usual players the first player wins 39, 31 and 26 of 100 games at 3, 4 and 5 players; "
        "no seat is found to win more at 6 players: at most 1.2 points more.",
        "With weak players no seat is found to win more: at most 1.2 points more.",
        "With trained players the first player wins 23 of 100 games at 6 players; "
        "the last player wins 28 of 100 games at 4 players.",
    )
    turned = counts | {(6, "base", "heuristic"): (*[1 / 6 + 0.002] * 5, 1 / 6 - 0.05)}
    assert seats_said(turned)[0] == (
        "The first player wins 39, 31 and 26 of 100 games at 3, 4 and 5; at 6 the last only 12."
    )
    learned = {(3, "base", "learned"): FAIR}
    assert seats_said(turned | learned)[0] == (
        "With usual players the first player wins 39, 31 and 26 of 100 at 3, 4 and 5; at 6 the last only 12."
    )
    less = {(3, "base", "heuristic"): (0.335, 0.27, 0.335), (4, "base", "heuristic"): (0.25, 0.19, 0.25, 0.25)}
    assert seats_said(less | equal)[0] == (
        "The second player wins only 27 and 19 of 100 games at 3 and 4; at 6 no seat over 1.2 points more."
    )


def test_a_study_of_one_strength_says_how_to_ask_the_others():
    def notes(*agents):
        study = ss.Study.of(game="strozzi", players=[3], lineups=[[agent] for agent in agents], deals=1000)
        verdict = study.verdict(seats({(3, "base", agent): FIRST for agent in agents}), Look(name="x"))
        assert not [note for note in verdict.printed if "asks" in note]  # paper has no commands
        return verdict.notes

    others = "players: `strozzi balance strozzi` asks them too, in about a minute."
    assert notes("heuristic")[0] == f"Weak and trained {others}"
    assert notes("learned")[0] == f"Weak and usual {others}"
    strong = (
        "Strong players: `--search-deals 600` asks them too (into another folder), and says first how long it takes."
    )
    assert notes("learned:level=3", "heuristic", "learned")[-1] == strong
    assert not [note for agents in (("greedy",), ("greedy", "heuristic")) for note in notes(*agents) if "asks" in note]


def test_without_a_favoured_seat_every_player_count_has_the_most_that_a_seat_may_win():
    equal = {(players, "base", "heuristic"): (1 / players,) * players for players in (3, 4, 6)}
    answer, notes = seats_said(equal, half=0.006)
    assert answer == "No seat clearly wins more: at most 36, 28 and 20 of 100 games at 3, 4 and 6 players."
    assert notes == ("Elsewhere a gain of up to 2.4 points could be missed.",)
    tiers = equal | {(3, "base", "learned"): FAIR}
    assert seats_said(tiers, half=0.006)[0].startswith("No seat clearly wins more with usual players: at most 36, ")


def test_a_seat_without_a_word_of_its_own_wins():
    assert seats_said({(6, "base", "random"): (0.25, 0.15, 0.17, 0.165, 0.10, 0.165)})[0] == (
        "The first player wins 25 of 100 games at 6 players, player 5 of 6 wins 10."
    )


def test_strengths_of_play_are_named_in_words_with_the_numbers_of_usual_players():
    kinds = ("learned:level=3", "heuristic", "learned")
    every = {(players, "base", kind): gained(players) for kind in kinds for players in (3, 4, 5, 6)}
    answer, notes = seats_said(every)
    assert answer == (
        "Whoever plays, the first player wins more than its share: 39, 31, 26 and 23 of 100 games at 3 to 6 players."
    )
    assert seat_verdict(seats(every), STUDY.the_game).subject == (
        "Usual players; weak: 39, 31, 26, 23; trained: 39, 31, 26, 23; ± 0.6; fair: 33, 25, 20, 17."
    )
    assert notes == ("At 4 players with usual players the last player wins 19; 25 would be fair.",)
    few = seats(every)
    is_unknown = (few["seats"]["players"] == 3) & (few["seats"]["lineup"] == "learned")
    few["seats"].loc[is_unknown, ["value", "low", "high"]] = np.nan
    assert seat_verdict(few, STUDY.the_game).subject == "Weak: 39, 31, 26, 23; ± 0.6; fair: 33, 25, 20, 17."
    two = {cell: shares for cell, shares in every.items() if cell[0] < 5}
    answer, notes = seats_said(two)
    assert answer == (
        "Whoever plays, the first player wins more than its share: 39 and 31 of 100 games at 3 and 4 players."
    )
    some = two | {(players, "base", "learned:level=3"): (1 / players,) * players for players in (3, 4)}
    answer, notes = seats_said(some)
    assert answer == (
        "With usual players the first player wins more than its share: 39 and 31 of 100 games at 3 and 4 players."
    )
    assert seat_verdict(seats(some), STUDY.the_game).subject == ("Weak: 33, 25; trained: 39, 31; ± 0.5; fair: 33, 25.")
    assert notes[0] == "With weak players no seat is found to win more: at most 1.2 points more."
    at_4 = {cell: shares for cell, shares in some.items() if cell[0] == 4}
    assert seats_said(at_4)[0].endswith("the first player wins more than its share: 31 of 100 games at 4 players.")
    assert seat_verdict(seats(at_4), STUDY.the_game).subject == (
        "The first player; weak: 25; trained: 31; ± 0.5; fair: 25."
    )
    doubtful = two | {(3, "base", "learned"): gained(3, 0.0059)}  # whose interval leaves out a third
    assert seat_verdict(seats(doubtful), STUDY.the_game).subject == (
        "Weak: 39, 31; trained: 34?, 31; ± 0.5; ?: unsure; fair: 33, 25."
    )
    one_count = {cell: shares for cell, shares in every.items() if cell[0] == 4}
    assert seats_said(one_count)[0] == (
        "Whoever plays, the first player wins more than its share: 31 of 100 games at 4 players."
    )
    turned = {(3, "base", "random"): FAIR, (3, "base", "heuristic"): FIRST, (3, "base", "learned"): LAST}
    answer, notes = seats_said(turned)
    assert answer == "With usual players the first player wins 40 of 100 games at 3 players, the last one 28."
    assert notes[:2] == (
        "With random moves no seat is found to win more: at most 1.2 points more.",
        "With trained players the last player wins 38 of 100 games.",
    )


@pytest.mark.parametrize(
    ("shares", "half", "said"),
    [
        (
            (0.334, 0.333, 0.333),
            0.0001,
            "No agent is found to win more than its share: at most 34 of 100 games at 3 players, where 33.3",
        ),
        ((0.6, 0.2, 0.2), 0.01, "A wins most: 60 of 100 games at 3 players, where 33 would be equal."),
        (
            (0.35, 0.33, 0.32),
            0.05,
            "No agent is found to win more than its share: at most 42 of 100 games at 3 players",
        ),
    ],
)
def test_planted_truths_of_agents(shares, half, said):
    rows = [
        {"players": 3, "variant": "base", "lineup": "a,b,c", "position": k, "agent": "abc"[k], "figure": "win_share", "value": share,
         "low": share - half, "high": share + half, "n": 3000, "deals": 1000}
        for k, share in enumerate(shares)
    ]  # fmt: skip
    assert verdict_on_agents(STUDY, {"lineup": pd.DataFrame(rows)}).answer.startswith(said)


@pytest.mark.parametrize(
    ("shares", "half", "said"),
    [
        ((0.45, 0.2), 0.01, "Greedy wins 45 of 100 games alone among usual players at 3 players: more than its share; 33 would be equal."),
        ((0.36, 0.2), 0.05, "No plan is found to beat usual players: the best wins 36 of 100 games, 33 would be equal."),
        ((0.3, 0.2), 0.01, "No plan here beats usual players: the best wins 30 of 100 games, 33 would be equal."),
    ],
)  # fmt: skip
def test_planted_truths_of_styles(shares, half, said):
    keys = {"players": 3, "variant": "base", "position": 0, "figure": "win_share", "n": 3000, "deals": 1000}
    ends = {"value": shares, "low": np.subtract(shares, half), "high": np.add(shares, half)}
    rows = pd.DataFrame({"agent": ["greedy", "racer"], **keys, **ends})
    rows["lineup"] = rows["agent"] + ",heuristic,heuristic"
    verdict = styles_verdict({"lineup": rows}, STUDY.the_game)
    assert verdict.answer == said
    assert "greedy " in verdict.notes[0]


def test_a_small_loss_of_the_first_agent_is_a_gain_of_the_second_with_its_digits():
    lineups = [[agent, "heuristic", "heuristic"] for agent in ("greedy", "racer")]
    study = ss.Study.of(kind="compare_agents", game="strozzi", players=[3], lineups=lineups, deals=1000)
    row = {"players": 3, "variant": "base", "lineup": "x", "by": "position", "level": "0", "figure": "win_share"}
    ends = {"value": -0.004, "low": -0.005, "high": -0.003, "n": 90_000, "deals": 30_000}
    verdict = study.verdict({"difference": pd.DataFrame([{**row, **ends}])}, Look(name="x"))
    assert verdict.answer == "Racer wins 0.4 of 100 games more than greedy in its place."


def test_what_could_be_missed_is_said_of_the_player_counts_without_a_difference():
    lineups = [[agent, *["heuristic"] * (players - 1)] for players in (3, 4, 5) for agent in ("greedy", "racer")]
    study = ss.Study.of(kind="compare_agents", game="strozzi", players=[3, 4, 5], lineups=lineups, deals=1000)
    row = {
        "variant": "base",
        "lineup": "x",
        "by": "position",
        "level": "0",
        "figure": "win_share",
        "n": 90_000,
        "deals": 30_000,
    }
    shown = {3: (0.0, 0.02), 4: (0.2, 0.01), 5: (0.25, 0.01)}
    rows = [
        {**row, "players": players, "value": value, "low": value - half, "high": value + half}
        for players, (value, half) in shown.items()
    ]
    verdict = study.verdict({"difference": pd.DataFrame(rows)}, Look(name="x"))
    assert (
        verdict.answer
        == "Greedy wins more than racer in its place at 4 and 5 players: 20 more of 100 games at 4 players."
    )
    missed, *others = verdict.notes
    assert missed.startswith("At 3 players a difference of up to 2")
    assert missed.endswith(" points could be missed.")
    assert [note.partition(" the ")[0] for note in others] == ["At 3 players", "At 4 players", "At 5 players"]

    known = study.verdict({"difference": pd.DataFrame(rows[1:])}, Look(name="x"))
    assert not [note for note in known.notes if "missed" in note]  # of no player count could one be


def changes(wins, scores):
    """The table changes of one pair of variants: verdicts of games won and of the mean score."""
    kinds = [("seats", k, "win_share", each) for k, each in enumerate(wins)]
    kinds += [("balance", None, "score_mean", each) for each in scores]
    of_seats, of_balance = (pd.DataFrame({"figure": [figure.name]}) for figure in (WIN_SHARE, SCORE))
    value = {CHANGED: 0.05, SMALL: 0.001, UNCLEAR: 0.01, EQUAL: 0.0}
    half = {CHANGED: 0.02, SMALL: 0.005, UNCLEAR: 0.02, EQUAL: 0.0}
    return {
        "changes": pd.DataFrame(
            {"players": 3, "variant": "long-tracks", "lineup": "random", "than": "base", "table": table, "seat": seat, "by": "", "figure": figure,
             "value": value[verdict], "low": value[verdict] - half[verdict], "high": value[verdict] + half[verdict], "n": 3000, "deals": 1000,
             "before": 0.3, "size": value[verdict] / 0.01, "verdict": verdict}
            for table, seat, figure, verdict in kinds
        ).astype({"seat": "Int64"}),
        "figures": figures_frame({"seats": of_seats, "balance": of_balance}, {"": (WIN_SHARE, SCORE)}),
    }  # fmt: skip


BOXES = {name: resolve_variant(STUDY.the_game, name) for name in ("base", "long-tracks")}


def changed(wins, scores, gap=None):
    tables = changes(wins, scores)
    if gap is not None:
        row = tables["changes"].iloc[-1:].assign(figure="seat_gap", before=0.11, value=gap, verdict=CHANGED)
        tables["changes"] = pd.concat([tables["changes"], row], ignore_index=True)
    return change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS)


@pytest.mark.parametrize(
    ("wins", "scores", "gap", "said"),
    [
        ([CHANGED, UNCLEAR], [CHANGED], -0.096, "Fairer: the gap between the seats falls from 11.0 to 1.4 points."),
        ([CHANGED, UNCLEAR], [CHANGED], 0.05, "Less fair: the gap between the seats rises from 11.0 to 16.0 points."),
        ([CHANGED, UNCLEAR], [CHANGED], None, "The first player wins 35 of 100 games instead of 30."),
        ([SMALL, EQUAL], [EQUAL], None, "Nobody wins a game of 100 more or less; scores stay the same."),
        ([EQUAL, EQUAL], [EQUAL], None, "Nobody wins more or less, and every score stays the same."),
        ([SMALL, SMALL], [CHANGED], None, "Nobody wins a game of 100 more or less, but scores rise by 0.1 coins."),
        ([UNCLEAR], [CHANGED], None, "No change of who wins is found, but scores rise by 0.1 coins."),
    ],
)  # fmt: skip
def test_a_verdict_on_variants_is_of_wins_and_scores(wins, scores, gap, said):
    verdict = changed(wins, scores, gap)
    assert verdict.answer == said
    assert verdict.subject.startswith("You changed: the tracks end at space 10 instead of 9 and 4 more changes.")
    assert verdict.notes[-1].startswith("Of ")  # how many of the figures changed, which paper lacks
    assert verdict.printed == list(verdict.notes[:-1])
    if CHANGED in wins:
        assert verdict.notes[0] == "Scores rise by 0.1 coins."
    if UNCLEAR in wins and CHANGED not in wins:
        assert verdict.notes[0] == "3.0 of 100 games more or less could be missed."


def length(after, before=158.0, verdict=CHANGED):
    """The row of a change of the decisions in a game."""
    row = changes([], [CHANGED])["changes"].assign(figure="decisions_mean", before=before, value=after - before)
    return row.assign(size=(after - before) / before / 0.01, verdict=verdict)


@pytest.mark.parametrize(
    ("wins", "scores", "after", "said"),
    [
        (
            [SMALL],
            [SMALL],
            165,
            "Nobody wins a game of 100 more or less, but a game takes 165 decisions instead of 158.",
        ),
        ([SMALL], [CHANGED], 165, "Nobody wins a game of 100 more or less, but scores rise by 0.1 coins."),
        (
            [SMALL],
            [CHANGED],
            200,
            "Nobody wins a game of 100 more or less, but a game takes 200 decisions instead of 158.",
        ),
        ([UNCLEAR], [SMALL], 165, "No change of who wins is found, but a game takes 165 decisions instead of 158."),
    ],
)
def test_where_nobody_is_known_to_win_more_the_largest_other_change_is_the_answer(wins, scores, after, said):
    tables = changes(wins, scores)
    tables["changes"] = pd.concat([tables["changes"], length(after)], ignore_index=True)
    verdict = change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS)
    assert verdict.answer == said
    beside = change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS, beside=True)
    assert beside.answer == f"Long-tracks beside base: {said[0].lower()}{said[1:]}"


@pytest.mark.parametrize(
    ("gap", "half", "said"),
    [
        (-0.0083, 0.0075, "Who wins hardly changes: at most 1.3 of 100 games more or less."),
        (-0.0149, 0.0087, "Who wins hardly changes: at most 1.3 of 100 games more or less."),
        (-0.0149, 0.003, "Fairer: the gap between the seats falls from 11.0 to 9.5 points."),
        (-0.025, 0.02, "Fairer: the gap between the seats falls from 11.0 to 8.5 points."),
    ],
)
def test_a_small_change_of_the_gap_or_of_one_seat_is_no_answer_as_other_seeds_do_not_find_it(gap, half, said):
    tables = changes([CHANGED, SMALL], [SMALL])
    ends = {"value": 0.007, "low": 0.0024, "high": 0.0116}
    tables["changes"].loc[0, list(ends)] = list(ends.values())
    row = tables["changes"].iloc[-1:].assign(figure="seat_gap", before=0.11, value=gap, verdict=CHANGED)
    row = row.assign(low=gap - half, high=gap + half)
    tables["changes"] = pd.concat([tables["changes"], row], ignore_index=True)
    assert change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS).answer == said


@pytest.mark.parametrize(("wide", "missed"), [("table", "1.2"), ("precision", "1.4")])
def test_nobody_wins_more_or_less_only_if_a_change_of_a_point_is_excluded(wide, missed):
    """Together the intervals of several shares are wider, and those of a stopping rule wider still."""
    tables = changes([SMALL, SMALL], [SMALL])
    ends = ["low", "high"]
    tables["precision"] = tables["changes"].iloc[:2].assign(figure="win_share_difference")
    assert change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS).answer.startswith(
        "Nobody wins a game of 100 more or less; "
    )
    tables[{"table": "changes"}.get(wide, wide)].loc[[0, 1], ends] = {
        "table": (-0.0088, 0.0098),
        "precision": (-0.005, 0.014),
    }[wide]
    said = f"Who wins hardly changes: at most {missed} of 100 games more or less."
    verdict = change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS)
    assert (verdict.answer, verdict.notes[0]) == (said, "Scores hardly change.")


def test_the_headline_of_several_variants_is_the_largest_change_in_its_headline_cell():
    """Changes elsewhere, and of other line-ups, choose no variant; who played comes in a note."""
    one = changes([CHANGED, UNCLEAR], [CHANGED])["changes"].assign(lineup="heuristic", variant="flat", value=0.04)
    two = one.assign(variant="long-tracks", value=0.05)
    elsewhere = one.assign(lineup="learned", value=0.2)
    tables = {**changes([CHANGED], [CHANGED]), "changes": pd.concat([one, elsewhere, two], ignore_index=True)}
    verdict = change_verdict(tables, STUDY.the_game, {}, 0.01, MAX_CHUNKS)
    assert verdict.answer.startswith("Long-tracks beside base: the first player wins 35 of 100 games instead of 30")
    assert "flat beside base: played by usual players." in verdict.notes


def test_a_change_of_scores_that_rounds_to_nothing_and_no_games_won():
    tables = changes([SMALL], [CHANGED])
    tables["changes"].loc[1, ["value", "low", "high"]] = 0.003, 0.003, 0.003
    assert (
        change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS).answer
        == "Nobody wins a game of 100 more or less; scores hardly change."
    )
    tables["changes"] = tables["changes"].iloc[1:]
    verdict = change_verdict(tables, STUDY.the_game, BOXES, 0.01, MAX_CHUNKS)
    assert (verdict.answer, verdict.notes[0]) == ("Scores hardly change.", "No games won are compared.")


def test_a_box_is_called_by_its_only_change():
    game = STUDY.the_game
    boxes = {
        name: from_changes(game, name, changes, name)
        for name, changes in {
            "base": {},
            "ships-remove-s01": {"ships": {"remove": ["S01"]}},
            "rich": {"tracks": {"bonus": {7: 5, 8: 10, 9: 20}}},
            "both": {"tracks": {"bonus": {7: 5, 8: 15, 9: 20}}},
        }.items()
    }
    boxes["long-tracks"] = resolve_variant(game, "long-tracks")
    assert list(boxes_in_words(game, boxes).values()) == [
        "the published box",
        "without ship S01",
        "space 9 of the tracks pays 20 coins",
        "the changed box",
        "long-tracks",
    ]
    several = dict.fromkeys(("mine", "yours"), boxes["both"])
    assert boxes_in_words(game, several) == {"mine": "mine", "yours": "yours"}


def test_the_reference_of_a_study_beside_another_need_not_be_its_first_variant():
    boxes = {name: SimpleNamespace(components={"value": name}) for name in ("5", "15", "25")}
    study = SimpleNamespace(variant_of=boxes, reference="15")
    other = SimpleNamespace(variant_of={"x": SimpleNamespace(components={"value": "15"})}, reference="x")
    studies = [SimpleNamespace(study=each) for each in (study, other)]
    labels = [{name: f"one: {name}" for name in boxes}, {"x": "two"}]
    assert sorted(compared_pairs(studies, labels)) == sorted([("one: 5", "two"), ("one: 25", "two")])


def test_a_change_is_told_in_words():
    base = BOXES["base"]
    rich = from_changes(STUDY.the_game, "rich", {"tracks": {"bonus": {7: 5, 8: 10, 9: 20}}}, "rich")
    assert (
        difference_in_words(STUDY.the_game, base, rich)
        == "You changed: space 9 of the tracks pays 20 coins instead of 15."
    )
    fewer = from_changes(STUDY.the_game, "fewer", {"ships": {"remove": ["S01"]}}, "fewer")
    assert difference_in_words(STUDY.the_game, base, fewer) == "You changed: ship S01 is removed."
    assert difference_in_words(STUDY.the_game, base, base) == ""


def test_what_changed_is_shown_with_the_components_that_differ():
    tables = changes([CHANGED, UNCLEAR], [CHANGED])
    variants = {name: resolve_variant(STUDY.the_game, name) for name in ("base", "long-tracks")}
    section = changes_section(tables, STUDY.the_game, variants, {})
    assert section.keys[:2] == (("component", "before", "after"), ("length of the tracks", "9", "10"))
    rich = from_changes(STUDY.the_game, "rich", {"tracks": {"bonus": {7: 5, 8: 10, 9: 20}}}, "rich")
    few = changes_section(tables, STUDY.the_game, {**variants, "long-tracks": rich}, {})
    assert few.keys[1:] == (("bonus of space 9 of the tracks", "15", "20"),)
    dear = from_changes(STUDY.the_game, "dear", {"tracks": {"bonus": dict.fromkeys(range(1, 10), 77)}}, "dear")
    many = changes_section(tables, STUDY.the_game, {**variants, "long-tracks": dear}, {})
    assert len(many.keys) == 1 + 8
    assert [picture.kind for picture in section.shown] == ["dots", "table", "table"]
    assert section.numbers[0].what == "points of games won, the first player, 3 players: change"
    unknown = changes_section(changes([UNCLEAR], [UNCLEAR]), STUDY.the_game, variants, {})
    assert unknown.numbers[0].what.endswith(", not known to be one")
    assert len(unknown.shown) == 1  # nothing is known to have changed
    tables = changes([CHANGED, CHANGED], [UNCLEAR])
    tables["changes"].loc[[0, 1], "size"] = [1.0, -9.0]
    listed = changes_section(tables, STUDY.the_game, variants, {}).tables["changes-share"]["what"]
    assert list(listed) == 2 * ["games won, the second player", "games won, the first player"]  # the largest first


def worth_rows(things, agent="heuristic", players=3):
    """The table worth: thing -> (loss of games won, its half width, share of games won by its users)."""
    rows = []
    for thing, (lost, half, naive) in things.items():
        for figure, value, reach in (("win_share_lost", lost, half), ("score_lost", 100 * lost, 1.0), ("popularity", 0.5, 0.01), ("naive_win_share", naive, 0.01)):  # fmt: skip
            rows.append({"players": players, "variant": "base", "lineup": agent, "thing": thing, "agent": agent, "figure": figure, "value": value,
                         "low": value - reach, "high": value + reach, "n": 3000, "deals": 1000})  # fmt: skip
    return {"worth": pd.DataFrame(rows)}


def test_worth_says_what_is_worth_most_what_misleads_and_what_could_be_missed():
    tables = worth_rows({"A": (0.10, 0.01, 0.33), "B": (0.0, 0.005, 0.45), "C": (0.01, 0.03, 0.33)})
    study = ss.Study.of(
        kind="worth", game="strozzi", players=[3], lineups=[["heuristic"]], things=["flag:*"], deals=1000
    )
    found = {line["thing"]: line for line in verdicts(tables["worth"], 0.01)}
    assert (found["A"]["verdict"], found["B"]["verdict"], found["C"]["verdict"]) == (WORTH, TOO_SMALL, "unclear")
    verdict = study.verdict(tables, Look(name="x"))
    assert verdict.answer == "Most is lost without A: a player wins 23 of 100 games instead of 33."
    alone = study.verdict(worth_rows({"A": (0.10, 0.01, 0.33)}), Look(name="x"))
    assert alone.answer == "Without A a player wins 23 of 100 games instead of 33."
    small, unclear, misleading = verdict.notes
    assert small == "1 of 3 too small to matter."
    assert unclear.startswith("1 of 3 unclear (a worth or a cost of up to")
    assert misleading == "The wins of users mislead about B."
    lost = study.verdict(worth_rows({"A": (0.333, 0.001, 0.33)}), Look(name="x"))
    assert lost.answer == "Without A a player loses 33 coins a game and hardly wins."
    (section,) = study.sections(tables, Look(name="x"))
    assert set(section.tables["worth"]["verdict"]) == {"A: worth having", "B: too small to matter (!)", "C: unclear"}
    assert [number.what for number in section.numbers][:1] == ["games of 100, lost without A, 3 players"]
    assert all(number.is_change for number in section.numbers)


def test_what_is_worth_all_wins_is_told_apart_by_score():
    """Each of A and B costs all games; the page begins with the score lost, the larger one first."""
    study = ss.Study.of(
        kind="worth", game="strozzi", players=[3], lineups=[["heuristic"]], things=["flag:*"], deals=1000
    )
    table = worth_rows({"A": (1 / 3, 0.001, 0.33), "B": (0.3330, 0.001, 0.33), "C": (0.10, 0.01, 0.33)})["worth"]
    table.loc[(table["thing"] == "B") & (table["figure"] == "score_lost"), ["value", "low", "high"]] = 97, 96, 98
    (section,) = study.sections({"worth": table}, Look(name="x"))
    losses, scatter, _ = section.shown
    assert (losses.name, losses.levels) == ("losses", ("B", "A", "C"))
    assert [(figure.name, figure.label) for figure in losses.figures] == [
        ("score_lost", "coins lost"),
        ("win_share_lost", "games lost"),
    ]
    assert [figure.name for figure in scatter.figures] == ["popularity", "score_lost"]
    assert [(number.what, number.row.value) for number in section.numbers[:2]] == [
        ("coins a game, lost without B, 3 players", 97),
        ("coins a game, lost without A, 3 players", pytest.approx(100 / 3)),
    ]
    (section,) = study.sections(worth_rows({"A": (0.10, 0.01, 0.33), "C": (0.05, 0.01, 0.33)}), Look(name="x"))
    assert [figure.name for figure in section.shown[0].figures] == ["win_share_lost", "score_lost"]
    assert [figure.name for figure in section.shown[1].figures] == ["popularity", "win_share_lost"]


def test_the_thing_worth_most_is_known_to_be_worth_having():
    """A thing that may be worth more, and of which nothing is known, comes beside it."""
    study = ss.Study.of(
        kind="worth", game="strozzi", players=[3], lineups=[["heuristic"]], things=["flag:*"], deals=1000
    )
    verdict = study.verdict(worth_rows({"A": (0.05, 0.06, 0.33), "B": (0.045, 0.005, 0.33)}), Look(name="x"))
    assert verdict.answer.startswith("Much is lost without B: a player wins 29 of 100 games")
    assert verdict.notes[0] == "May be worth as much: A."


def test_a_player_who_moves_at_random_is_a_subject_and_the_default_agent_has_the_headline():
    lineups = [["greedy"], ["random"]]
    study = ss.Study.of(kind="worth", game="strozzi", players=[3], lineups=lineups, things=["flag:*"], deals=1000)
    tables = [worth_rows({"A": (0.10, 0.01, 0.33)}, agent)["worth"] for agent in ("greedy", "random")]
    verdict = study.verdict({"worth": pd.concat(tables, ignore_index=True)}, Look(name="x"))
    assert verdict.answer == "Without A greedy wins 23 of 100 games instead of 33."
    assert "without A a player who moves at random wins 23 of 100 games instead of 33." in verdict.notes[0]
    own = SimpleNamespace(the_game=SimpleNamespace(tiers={}, default_agent="mine"))
    assert max(["random", "mine"], key=partial(rank_of, own)) == "mine"


def test_the_numbers_of_worth_are_of_the_first_variant():
    keys = {"kind": "worth", "game": "strozzi", "players": [3], "lineups": [["heuristic"]], "things": ["flag:*"]}
    study = ss.Study.of(**keys, variants=["base", "long-tracks"], deals=1000)
    rows = worth_rows({"A": (0.10, 0.01, 0.33), "B": (0.05, 0.01, 0.33)})["worth"]
    both = pd.concat([rows, rows.assign(variant="long-tracks")], ignore_index=True)
    (section,) = study.sections({"worth": both}, Look(name="x"))
    assert {number.row.variant for number in section.numbers} == {"base"}
    assert len({number.what for number in section.numbers}) == len(section.numbers) == 4


def field(ahead, half=0.02):
    """The tables of a tournament of a, b, c at 3 players; (agent, opponent) -> share finished ahead."""
    both = ahead | {(two, one): 1 - share for (one, two), share in ahead.items()}
    cell = {"players": 3, "variant": "base", "lineup": "a,b,c", "n": 900, "deals": 300}
    pairs = [{**cell, "agent": one, "opponent": two, "figure": "ahead_share", "value": v, "low": v - half, "high": v + half} for (one, two), v in both.items()]  # fmt: skip
    ratings = [
        {**cell, "agent": agent, "figure": figure, "value": value, "low": low, "high": high}
        for agent, strength, ranks in (("a", 1.0, (1, 2)), ("b", 0.5, (1, 2)), ("c", -1.5, (3, 3)))
        for figure, value, low, high in (("strength", strength, strength - 0.4, strength + 0.4), ("rank", 1, *ranks))
    ]
    agents = [{**cell, "agent": agent, "figure": "win_share", "value": v, "low": v - 0.02, "high": v + 0.02} for agent, v in (("a", 0.4), ("b", 0.35), ("c", 0.25))]  # fmt: skip
    sides = [{**cell, "seat": seat, "figure": "win_share", "value": 1 / 3, "low": 0.32, "high": 0.35} for seat in range(3)]  # fmt: skip
    return {name: pd.DataFrame(rows) for name, rows in {"pairwise": pairs, "ratings": ratings, "agents": agents, "seat_effects": sides}.items()}  # fmt: skip


def tournament():
    keys = {
        "kind": "tournament",
        "game": "strozzi",
        "players": [3],
        "lineups": [["random"], ["greedy"], ["racer"]],
        "deals": 300,
    }
    return study_of(keys)[0]


def test_a_copy_that_wins_most_is_called_one():
    study = study_of(
        {
            "kind": "tournament",
            "game": "strozzi",
            "players": [3],
            "lineups": [["heuristic"], ["heuristic"], ["greedy"]],
            "deals": 300,
        }
    )[0]
    tables = field({("a", "b"): 0.52, ("b", "c"): 0.8, ("a", "c"): 0.8})
    called = {"a": "heuristic #2", "b": "heuristic", "c": "greedy"}
    tables = {name: table.replace(called) for name, table in tables.items()}
    assert study.verdict(tables, Look()).answer == (
        "No agent beats every other at 3 players; a copy of the usual player wins most, 40 of 100 games."
    )
    notes = study.verdict(tables, Look()).notes
    assert notes[0].startswith(
        "No agent beats every other at 3 players: the usual player and the second usual player are"
    )
    assert notes[1].startswith("By strength in Strozzi at 3 players: second usual, usual, greedy")
    standing, pairs, _ = study.sections(tables, Look())
    assert [number.what for number in standing.numbers][:1] == ["games won by the second usual player, 3 players"]
    assert set(pairs.tables["pairs"]["row"]) == {"1 second usual", "2 usual", "3 greedy"}


def test_no_seats_are_too_few_games():
    empty = {name: table.iloc[:0] for name, table in seats({(3, "base", "random"): FIRST}).items()}
    assert seat_verdict(empty, STUDY.the_game).answer.startswith("There are too few games of Strozzi")


def test_a_standing_says_who_may_be_as_strong_and_where_no_ranking_is():
    tables = field({("a", "b"): 0.52, ("b", "c"): 0.8, ("a", "c"): 0.8})
    assert standing_sentences(tournament(), tables) == [
        "By strength in Strozzi at 3 players: a, b, c; b may be as strong as a."
    ]
    lost = tables["ratings"].assign(value=np.nan)
    (said,) = standing_sentences(tournament(), {**tables, "ratings": lost})
    assert said.startswith("The fit of strengths did not converge at 3 players: there is no ranking")
    few = standing_sentences(tournament(), {**tables, "ratings": lost.assign(n=27)})
    assert few == ["There are too few games for a ranking at 3 players."]


def test_a_map_of_pairs_colours_what_is_significant_alone_and_a_cycle_is_its_title():
    cyclic = field({("a", "b"): 0.6, ("b", "c"): 0.6, ("a", "c"): 0.4})
    standing, pairs, seat_section = tournament().sections(cyclic, Look())
    assert pairs.finding == "At 3 players there is a cycle: a beats b, b beats c, c beats a."
    assert set(standing.tables["standing"]["who"]) == {"a (1\N{EN DASH}2)", "b (1\N{EN DASH}2)", "c (3)"}
    assert seat_section.name == "Seats"
    rows = pairs.tables["pairs"]
    assert rows["shade"].notna().all()
    _, open_pairs, _ = tournament().sections(field({("a", "b"): 0.52, ("b", "c"): 0.8, ("a", "c"): 0.8}), Look())
    shades = open_pairs.tables["pairs"].set_index(["agent", "opponent"])["shade"]
    assert np.isnan(shades["a", "b"])
    assert shades["a", "c"] == pytest.approx(0.3)
    assert open_pairs.finding == ""


@pytest.mark.slow
def test_a_sweep_marks_the_reference_and_what_differs_from_it():
    results = ss.sweep("strozzi", "tracks.bonus.9 = 15 200; tracks.bonus.8 = 10 11", players=3, agents="random", deals=60, workers=1, progress=False)  # fmt: skip
    section = results.study.sections(results.tables, results.look)[0]
    rows = section.tables["sweep-score_mean"]
    marked = rows[rows["marked"]]
    assert [(row.row, row.column) for row in marked.itertuples()] == [("15", "10")]
    assert marked["shade"].isna().all()
    assert rows.loc[rows["row"] == "200", "shade"].notna().all()  # 185 points more a track
    assert all("(published)" in text for text in marked["at"])
    assert not any(each.name == "What changed" for each in results.study.sections(results.tables, results.look))
    assert any("reconstructed" in said for said in section.sentences) == bool(section.sentences)


def test_a_heat_map_names_its_ends_only_if_cells_differ():
    def said(values, unknown=""):
        rows = [
            {"players": 3, "variant": "base", "lineup": "random", "row": row, "column": column, "figure": "win_share", "value": value,
             "low": np.nan if row == unknown else value - 0.01, "high": np.nan if row == unknown else value + 0.01, "n": 3000, "deals": 1000}
            for (row, column), value in values.items()
        ]  # fmt: skip
        name, heat_map = next((name, each) for name, each in report_of(STUDY.the_game).heat_maps.items() if each.equal)
        look = Look(name="x", heatmaps=(name,))
        rows = pd.DataFrame(rows).assign(figure=heat_map.figure.name)
        tables = {f"heat_{name.replace('-', '_')}": rows, "balance": rows}
        return verdict_on_maps(STUDY, tables, look).answer

    named = said({("plus_one", "1"): 0.2, ("ware", "1"): 0.5})
    assert "from 20" in named
    assert "(flag plus one; " in named
    assert "uncertain" not in named
    lower = said({("pirate", "1"): 0.1, ("plus_one", "1"): 0.2, ("ware", "1"): 0.5}, unknown="pirate")
    assert "from 20" in lower
    assert re.search(r"; lowest, but uncertain: 10.0\W%? \(flag pirate; ", lower)
    assert said({("pirate", "1"): 0.33, ("ware", "1"): 0.335}).endswith("no two cells are known to differ.")

"""Is there a dominant strategy? Styles among copies of one agent, with planted truths, and what winners do more than losers."""

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.studies.worth import COSTS, UNCLEAR, WORTH

import strozzi_sim as ss
from strozzi_sim.reports.styles import styles_answer, winners_sentence
from strozzi_sim.stats.intervals import ratio

GAMES, CHUNKS = 4000, 100


def lineup_table(shares, strong="learned", players=4, seed=1):
    """Return the table `lineup` of a study in which each style, alone among copies of `strong`, wins its share on average."""
    rng, rows = np.random.default_rng(seed), []
    for style, share in shares.items():
        lineup = ",".join([style, *[strong] * (players - 1)])
        wins = rng.binomial(GAMES // CHUNKS, share, CHUNKS)
        played = np.full(CHUNKS, GAMES // CHUNKS)
        for position in range(players):
            won, out_of = (wins, played) if position == 0 else (played - wins, played * (players - 1))
            found = ratio(won, out_of, n_deals=GAMES)
            agent = style if position == 0 else strong
            ends = (float(found.value), float(found.low), float(found.high))
            rows.append((players, "base", lineup, position, agent, "win_share", *ends, GAMES, GAMES))
    names = ["players", "variant", "lineup", "position", "agent", "figure", "value", "low", "high", "n", "deals"]
    return pd.DataFrame(rows, columns=names)


def answer(*tables):
    return styles_answer({"lineup": pd.concat(tables, ignore_index=True)}, ss.load_game("strozzi"), CHUNKS)


def test_a_style_that_strong_players_do_not_stop_is_named():
    found = answer(lineup_table({"racer": 0.10, "trader": 0.32, "picky": 0.25}))
    assert found.verdict == (
        "Strozzi may have a dominant strategy: trader wins more than its share among copies of learned at 4 players."
    )
    assert found.detail == (
        "Alone among learned at 4 players trader wins 32 % (31 to 34), picky wins 24 % (23 to 25) and racer wins 10.1 % (9.2 to 11.0); "
        "25 % would be equal. Plans that no agent here follows are not tested."
    )
    assert found.numbers[0].what == "games won by trader among learned, 4 players"


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ({"racer": 0.10, "trader": 0.20}, "of 2 styles each wins less than its share"),
        ({"racer": 0.10, "trader": 0.25}, "of 2 styles none is known to win more than its share"),
    ],
)
def test_where_no_style_pays_nothing_is_called_dominant(shares, words):
    verdict = answer(lineup_table(shares)).verdict
    assert verdict == f"No style of Strozzi is known to be a dominant strategy: {words} among copies of learned."


def test_a_parameter_with_a_comma_is_no_agent():
    found = answer(lineup_table({"racer": 0.10, "trader": 0.20}, "learned:level=3,beyond=1"))
    assert "copies of learned:level=3,beyond=1." in found.verdict


@pytest.mark.parametrize("shares", [{"racer": 0.2}, {"learned": 0.25, "racer": 0.2}])
def test_other_studies_have_other_answers(shares):
    assert answer(lineup_table(shares)) is None


def test_equal_styles_are_called_dominant_in_one_of_twenty_studies_at_most():
    wrong = sum(
        "may have" in answer(lineup_table(dict.fromkeys("abcdef", 0.25), seed=seed)).verdict for seed in range(100)
    )
    assert wrong <= 6


def line(thing, used, win_share, half, verdict):
    def row(value, by):
        return pd.DataFrame([{"value": value, "low": value - by, "high": value + by, "n": 20_000, "deals": 5000}])

    popularity, naive = (next(row(*each).itertuples(index=False)) for each in ((used, 0.003), (win_share, half)))
    return {"players": 4, "thing": thing, "popularity": popularity, "naive_win_share": naive, "verdict": verdict}


def test_what_winners_do_more_is_said_with_what_it_is_worth():
    lines = [
        line("port:rome", 0.5, 0.30, 0.003, WORTH),
        line("flag:florence", 0.2, 0.28, 0.003, COSTS),
        line("flag:pirate", 0.5, 0.252, 0.003, UNCLEAR),
        line("pass:early", 0.5, 0.20, 0.003, WORTH),
        {"players": 4, "thing": "never", "verdict": UNCLEAR},
    ]
    assert winners_sentence(lines) == (
        "Winners do more often than losers, most of all: `port:rome` (users win 30.0 % (29.7 to 30.3); it is worth having) and `flag:florence` "
        "(users win 28.0 % (27.7 to 28.3); it costs them games); 25 % would be equal."
    )
    assert winners_sentence(lines[2:3]).startswith("There is nothing counted here")
    assert winners_sentence(lines[4:]) == ""

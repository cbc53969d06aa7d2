"""What a tournament says of who beats whom, with planted truths."""

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.reports.dominance import declare_cycle, dominance_sentences, field_orders

from declared import marks, panels, texts
from strozzi_sim.cli import app
from strozzi_sim.stats.intervals import ratio

GAMES, CHUNKS = 4000, 100


def pairwise(shares, rng, players=3, variant="base", games=GAMES):
    """Return the rows of a table pairwise in which each share is drawn from chunks; `shares` by (agent, opponent)."""
    rows = []
    for (one, two), share in shares.items():
        ahead = rng.binomial(games // CHUNKS, share, CHUNKS)
        played = np.full(CHUNKS, games // CHUNKS)
        for pair, wins in (((one, two), ahead), ((two, one), played - ahead)):
            found = ratio(wins, played, n_deals=games)
            ends = map(float, (found.value, found.low, found.high))
            rows.append((players, variant, "field", *pair, "ahead_share", *ends, games, games))
    names = ["players", "variant", "lineup", "agent", "opponent", "figure", "value", "low", "high", "n", "deals"]
    return pd.DataFrame(rows, columns=names)


def said(*tables):
    return dominance_sentences(field_orders({"pairwise": pd.concat(tables, ignore_index=True)}, CHUNKS))


def test_an_agent_that_beats_every_other_is_said_to_beat_these():
    rng = np.random.default_rng(1)
    shares = {("a", "b"): 0.6, ("a", "c"): 0.58, ("b", "c"): 0.5}
    assert said(pairwise(shares, rng), pairwise(shares, rng, players=4)) == [
        "`a` finishes ahead of `b` and `c` at 3 and 4 players."
    ]


def test_where_it_does_not_is_said():
    rng = np.random.default_rng(2)
    first = {("a", "b"): 0.6, ("a", "c"): 0.6, ("b", "c"): 0.5}
    second = {("a", "b"): 0.5, ("a", "c"): 0.6, ("b", "c"): 0.6}
    assert said(pairwise(first, rng), pairwise(second, rng, players=4)) == [
        "`a` finishes ahead of `b` and `c` at 3 players.",
        "No agent beats every other at 4 players: `a` and `b` are beaten by none; an advantage of up to 2.6 points could be missed.",
    ]


def test_a_cycle_is_named_and_drawn():
    rng = np.random.default_rng(3)
    shares = {("rock", "scissors"): 0.6, ("scissors", "paper"): 0.6, ("paper", "rock"): 0.6}
    shares |= {(agent, "lamp"): 0.7 for agent in ("rock", "paper", "scissors")}
    table = pairwise(shares, rng)
    assert said(table) == [
        "No agent beats every other at 3 players: each is beaten by another.",
        "At 3 players there is a cycle: `paper` beats `rock`, `rock` beats `scissors`, `scissors` beats `paper`.",
    ]
    (order,) = field_orders({"pairwise": table}, CHUNKS)
    (cycle,) = order.cycles()
    assert sorted(cycle) == ["paper", "rock", "scissors"]
    declared = declare_cycle(order, cycle)
    (panel,) = panels(declared.wide)
    assert sorted(texts(panel)) == sorted(cycle)
    assert {mark["tip"] for mark in marks(declared.wide)} == {
        "rock beats scissors",
        "scissors beats paper",
        "paper beats rock",
    }
    spots = {
        row["text"]: np.array([row["x"], row["y"]])
        for layer in panel["layer"]
        for row in layer["data"]["values"]
        if "text" in row
    }
    for mark in marks(declared.wide):
        winner, loser = mark["tip"].split(" beats ")
        head = np.array([mark["x"], mark["y"]])
        assert np.linalg.norm(head - spots[loser]) < np.linalg.norm(head - spots[winner])
        across, up = spots[loser] - spots[winner]
        assert mark["angle"] == pytest.approx(np.degrees(np.arctan2(across, up)))


def test_a_longer_cycle_is_found_by_its_shortest_circle():
    rng = np.random.default_rng(4)
    names = "abcde"
    shares = {(one, two): 0.65 for k, one in enumerate(names) for two in names[k + 1 :]}
    del shares["a", "e"]
    shares["e", "a"] = 0.65
    (order,) = field_orders({"pairwise": pairwise(shares, rng)}, CHUNKS)
    (cycle,) = order.cycles()
    assert len(cycle) == 3
    assert order.winner == ""


@pytest.mark.slow
def test_in_a_field_of_equals_nothing_is_said_in_19_of_20_tournaments():
    names = "abcdef"
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        shares = {(one, two): 0.5 for k, one in enumerate(names) for two in names[k + 1 :]}
        found = said(pairwise(shares, rng, games=2000))
        (words,) = found if len(found) == 1 else ("",)
        wrong += not words.startswith("No agent beats every other at 3 players: no two can be told apart; ")
    assert wrong <= 18  # 10 expected


def test_variants_are_named_where_there_are_several():
    rng = np.random.default_rng(5)
    shares = {("a", "b"): 0.6}
    found = said(pairwise(shares, rng, 2), pairwise({("a", "b"): 0.4}, rng, 2, "other"))
    assert found == [
        "`a` finishes ahead of `b` at 2 players of base.",
        "`b` finishes ahead of `a` at 2 players of other.",
    ]


def test_a_real_field(capsys, tmp_path):
    line = "tournament strozzi --agents heuristic,greedy,random --players 3 --deals 60 --out"
    assert app.run([*line.split(), str(tmp_path / "t")]) == 0
    said = capsys.readouterr().out
    assert "`heuristic` finishes ahead of " in said
    page = (tmp_path / "t/report.html").read_text()
    assert "Which agent beats which" in page
    assert "dominat" not in page + said  # a field says nothing of the game's other plans

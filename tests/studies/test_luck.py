"""`luck`: planted sources of variance are found, and none where there is none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.reports.comparisons import _luck
from strozzi_sim.reports.luck import course_sentences, share_text, who_plays
from strozzi_sim.studies.luck import BY_STRENGTH, COLUMNS, Luck, _of_playouts, usual_fields

import strozzi_sim as ss
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.stats.latin_squares import SOURCES, moments, variance_shares

DEALS, CHUNKS = 400, 50


def squares(rng, players=4, *, agents=0.0, seats=0.0, deal=0.0, of_seat=0.0, of_agent=0.0, of_game=0.0, wins=False):
    """Return outcomes of deals with effects of these standard deviations, and noise of 1 in every cell."""
    game = (np.arange(players) - np.arange(players)[:, None]) % players
    line = np.linspace(-1, 1, players) / np.linspace(-1, 1, players).std()
    found = agents * line[:, None] + seats * line[None, :] + deal * rng.normal(size=(DEALS, 1, 1))
    found = found + of_seat * rng.normal(size=(DEALS, 1, players)) + of_agent * rng.normal(size=(DEALS, players, 1))
    found = found + of_game * rng.normal(size=(DEALS, players))[:, game] + rng.normal(size=(DEALS, players, players))
    if not wins:
        return found
    won = np.zeros_like(found)
    for number in range(players):
        best = np.where(game == number, found, -np.inf).reshape(DEALS, -1).argmax(axis=1)
        won.reshape(DEALS, -1)[np.arange(DEALS), best] = 1
    return won


def shares(outcomes):
    found, _ = variance_shares(moments(outcomes, np.arange(DEALS) * CHUNKS // DEALS))
    return found


@pytest.mark.parametrize("wins", [False, True])
@pytest.mark.parametrize("players", [3, 5])
def test_sources_that_do_not_exist_have_intervals_that_hold_zero(players, wins):
    rng = np.random.default_rng(1)
    missed = dict.fromkeys(SOURCES, 0)
    for _ in range(100):
        for source, share in shares(squares(rng, players, wins=wins)).items():
            missed[source] += not share.low - 1e-9 <= 0 <= share.high + 1e-9
    assert missed.pop("rest") == 100
    assert all(count <= 18 for count in missed.values()), missed  # skewed near 0: 5 to 10 expected


def test_planted_sources_have_their_shares():
    rng = np.random.default_rng(2)
    planted = {"agents": 1.0, "seats": 0.5, "of_agent": 0.8, "of_game": 0.7}
    found = [shares(squares(rng, **planted)) for _ in range(40)]
    means = {source: np.mean([float(each[source].value) for each in found]) for source in SOURCES}
    total = 1 + sum(size**2 for size in planted.values())
    assert means["agents"] == pytest.approx(1 / total, abs=0.02)
    assert means["seats"] == pytest.approx(0.25 / total, abs=0.02)
    assert means["deal_of_seat"] == pytest.approx(0, abs=0.01)
    # An agent's own luck in a deal is centred over the K agents; its mean is luck of the whole deal.
    assert means["deal_of_agent"] == pytest.approx(0.64 * 3 / 4 / total, abs=0.02)
    assert means["deal"] == pytest.approx(0.64 / 4 / total, abs=0.02)
    assert sum(means.values()) == pytest.approx(1)


def test_a_deal_that_decides_by_the_seat_is_read_as_such():
    found = shares(squares(np.random.default_rng(3), of_seat=5.0, wins=True))
    assert float(found["deal_of_seat"].value) > 0.7
    assert float(found["agents"].value) < 0.02


def test_intervals_of_a_planted_share_cover_it():
    rng = np.random.default_rng(4)
    truth = 0.64 * 3 / 4 / 1.64
    found = [shares(squares(rng, of_agent=0.8))["deal_of_agent"] for _ in range(200)]
    covered = sum(float(each.low) <= truth <= float(each.high) for each in found)
    assert 180 <= covered <= 199


def test_a_strong_and_two_weak_agents():
    table = ss.luck("strozzi", 3, ["heuristic", "greedy", "random"], 300, games=0).tables["luck"]
    won = table.query("outcome == 'win' and figure == 'variance_share'").set_index("source")
    assert won["value"].sum() == pytest.approx(1)
    assert won.loc["agents", "low"] > 0.3
    assert won.loc["agents", "value"] == won["value"].max()
    assert set(table["figure"]) == {"variance_share", "variance", "decisions_mean", "minutes_mean"}
    length = table.set_index("figure")["value"]
    assert length["minutes_mean"] == pytest.approx(length["decisions_mean"] * 20 / 60)


@pytest.mark.nightly
def test_bytes_are_equal_for_any_number_of_workers_and_after_a_resume(tmp_path):
    one = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, workers=1, folder=tmp_path / "one")
    two = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, workers=2, folder=tmp_path / "two")
    again = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, folder=tmp_path / "one")
    assert again.new_games == 0
    for table in ("luck", "drama"):
        files = [(tmp_path / name / f"tables/{table}.parquet").read_bytes() for name in ("one", "two")]
        assert files[0] == files[1]
        assert one.tables[table].equals(two.tables[table])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agents": "heuristic,random,random"}, "agents: random is listed twice"),
        ({"agents": "heuristic,random"}, r"agents: needs 3 different agents, got 2 \(heuristic, random\)"),
        (
            {"agents": "heuristic,random,greedy,eager,racer", "players": "3-4"},
            "agents: needs 4 different agents, got 5",
        ),
        ({"seconds": 0}, "seconds: must be between 0.01 and 3,600"),
        ({"games": 29}, "games: must be between 30 and 1,000,000"),
        ({"playouts": 10}, "playouts: must be between 50"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        ss.luck("strozzi", **({"players": 3, "deals": 20} | given))


@pytest.mark.slow
def test_the_command_says_what_decides(capsys):
    given = "--players 3 --deals 100 --seconds 30 --games 30 --playouts 50"
    assert app.run(["luck", "strozzi", *given.split()]) == 0
    said = capsys.readouterr().out
    first = said.split("\n\n")[1].splitlines()  # after the plan
    assert [line.split(" ")[0] for line in first] == ["How", "A", "The", "The", "At"]
    assert first[0].startswith("How much of who wins Strozzi at 3 players is who plays depends on the field: ")
    assert "with one heuristic among learned:level=3" in first[0]
    assert "with one learned among heuristic" in first[0]
    assert first[0].endswith("among equal players it is nothing.")
    assert "at 30 seconds each (an assumption)" in first[1]
    assert "the rest is luck" not in said
    assert "learned:beyond" not in said  # an agent that searches would play too few games


def test_the_share_of_who_plays_is_said_of_fields_and_never_of_the_game():
    """One `heuristic` among `random` wins nearly always, among styles it does not: both are said, the smaller first."""
    fields = {
        "heuristic,random,random,random": (0.97, 0.96, 0.98),
        "learned:level=3,beyond=1,heuristic,trader,picky": (0.036, 0.029, 0.042),
    }
    rows = [(4, "base", lineup, "win", "agents", "variance_share", *ends, 100, 100) for lineup, ends in fields.items()]
    tables = {"luck": pd.DataFrame(rows, columns=list(COLUMNS))}
    assert who_plays(tables, "Strozzi") == (
        "How much of who wins Strozzi at 4 players is who plays depends on the field: 3.6 % (2.9 to 4.2) among "
        "learned:level=3,beyond=1, heuristic, trader and picky and 97 % (96 to 98) with one heuristic among random; among equal players it is "
        "nothing."
    )


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.38, 0.36, 0.39), "38 % (36 to 39)"),
        ((0.996, 0.988, 1.004), "99.6 % (98.8 to 100.0)"),
        ((-0.001, -0.004, 0.002), "0.0 % (0.0 to 0.2)"),
        ((0.3, np.nan, np.nan), "30.0 %"),
    ],
)
def test_a_share_is_within_0_and_1(ends, words):
    """The analysis of variance may estimate less than nothing or more than all."""
    assert share_text(pd.Series(dict(zip(("value", "low", "high"), ends, strict=True)))) == words


def test_the_course_of_a_game_is_said_with_intervals():
    luck = [
        (4, "base", "heuristic,random,random,random", "game", "all", figure, value, value, value, 100, 100)
        for figure, value in (("decisions_mean", 120.0), ("minutes_mean", 40.0))
    ]
    planted = {
        "decisions_mean": (151.3, 150.0, 152.6), "decided_mean": (0.92, 0.88, 0.95), "runaway_share": (0.01, 0.0, 0.05),
        "lead_changes_mean": (1.4, 1.1, 1.7), "winner_lowest_mean": (0.13, 0.11, 0.16), "kingmaking_share": (0.023, 0.016, 0.032),
    }  # fmt: skip
    drama = [
        (4, "base", strength, agent, figure, *ends, 100)
        for strength, agent in (("weak", "random"), ("middle", "heuristic"))
        for figure, ends in planted.items()
    ]
    tables = {
        "luck": pd.DataFrame(luck, columns=list(COLUMNS)),
        "drama": pd.DataFrame(drama, columns=[*BY_STRENGTH, "figure", "value", "low", "high", "n"]),
    }
    assert course_sentences(tables) == [
        "A game of heuristic at 4 players has 151 (150 to 153) decisions: 50.4 (50.0 to 50.9) minutes at 20 seconds each (an assumption).",
        "The leader runs away in 1 % (0 to 5) of games, which are decided in the first half; a game is decided after 92 % (88 to 95) of its "
        "decisions (100 games of heuristic followed).",
        "The clear leader changes 1.4 (1.1 to 1.7) times a game.",
        "At 2.3 % (1.6 to 3.2) of the decisions a seat that can no longer win picks which rival does.",
    ]
    assert course_sentences({"luck": tables["luck"]}) == [
        "A game with one heuristic among random at 4 players has 120.0 (120.0 to 120.0) decisions: 40.0 (40.0 to 40.0) minutes at 20 seconds each "
        "(an assumption)."
    ]


def test_the_page_draws_each_field_by_itself():
    fields = ["heuristic,random,random,random", "heuristic,trader,florence,picky"]
    rows = [
        (4, "base", lineup, outcome, source, "variance_share", 0.3, 0.2, 0.4, 100, 100)
        for lineup in fields
        for outcome in ("win", "score")
        for source in SOURCES
    ]
    drawn = list(_luck(pd.DataFrame(rows, columns=list(COLUMNS))))
    assert [(shown.name, shown.title, len(marks)) for shown, marks, _ in drawn] == [
        ("luck", "What decides a game with one heuristic among random, 4 players", 14),
        ("luck-1", "What decides a game among heuristic, trader, florence and picky, 4 players", 14),
    ]


@pytest.mark.parametrize(
    ("game", "players", "fields"),
    [
        ("strozzi", 4, ["heuristic,learned:level=3,learned:level=3,learned:level=3", "learned,heuristic,heuristic,heuristic", "heuristic,eager,florence,greedy"]),
        ("medici_vs_strozzi", 2, ["fair-price,random", "learned,fair-price", "fair-price,fixed-price"]),
        ("strasbourg", 3, ["heuristic,random,random", "heuristic,councillor,hoarder"]),
    ],
)  # fmt: skip
def test_the_fields_are_neighbouring_strengths_and_the_styles(game, players, fields):
    found = usual_fields(ss.load_game(game), players)
    assert [",".join(spec.text for spec in field) for field in found] == fields


@pytest.mark.parametrize(
    ("tiers", "fields"),
    [
        ({"middle": "greedy"}, ["greedy,random", "greedy,eager"]),
        ({"weak": "random"}, ["eager,random", "eager,florence"]),
        ({}, ["eager,random", "eager,florence"]),
    ],
)
def test_a_game_with_few_tiers_has_fields(tiers, fields):
    found = usual_fields(replace(ss.load_game("strozzi"), tiers=tiers), 2)
    assert [",".join(spec.text for spec in field) for field in found] == fields


def test_long_games_are_followed_less_often():
    """By default; 30 games at least, since fewer have no intervals."""
    luck = Luck(None, 20.0, None, 200)
    games = [
        luck._most_games(pd.DataFrame({"figure": ["decisions_mean"], "value": [decisions]}))
        for decisions in (40.0, 150.0, 200.0, 468.0, 2000.0)
    ]
    assert games == [100, 66, 50, 30, 30]
    assert Luck(None, 20.0, 50, 200)._most_games(pd.DataFrame()) == 50


def test_random_players_finish_the_games_of_agents_that_are_not_quick():
    game = ss.load_game("strozzi")
    assert _of_playouts(game).text == "heuristic"
    assert _of_playouts(replace(game, tiers={"weak": "random", "middle": "learned"})).text == "random"


def test_fewer_players_are_the_first_agents():
    table = ss.luck("strozzi", "3-4", "greedy,random,eager,racer", 60, games=0).tables["luck"]
    assert set(table["lineup"]) == {"greedy,random,eager", "greedy,random,eager,racer"}

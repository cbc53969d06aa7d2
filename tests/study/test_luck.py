"""`luck`: planted sources of variance are found, and none where there is none."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.declare.printing import format_value
from strozzi_sim.errors import InputError
from strozzi_sim.facts.figures import DECISIONS
from strozzi_sim.play import drama
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.luck import SOURCES, moments, variance_shares
from strozzi_sim.study import following
from strozzi_sim.study.kinds.luck import usual_lineups
from strozzi_sim.study.wording import lineup_words

QUIET = {"workers": 1, "progress": False}
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


@pytest.mark.slow_for("5-True", "5-False")
@pytest.mark.parametrize("wins", [False, True])
@pytest.mark.parametrize("players", [3, 5])
def test_sources_that_do_not_exist_have_intervals_that_hold_zero(players, wins):
    rng = np.random.default_rng(1)
    missed = dict.fromkeys(SOURCES, 0)
    for _ in range(100):
        for source, share in shares(squares(rng, players, wins=wins)).items():
            is_zero = abs(share.value) < 1e-9 and np.isnan(share.low)  # what a deal gives to all, if one seat wins
            missed[source] += not (is_zero or share.low <= 0 <= share.high)
    assert missed.pop("rest") == 100
    assert all(count <= 18 for count in missed.values()), missed  # skewed near 0: 5 to 10 expected


def test_a_share_that_no_chunk_changes_has_no_interval():
    always_first = np.zeros((DEALS, 3, 3))
    always_first[:, 0] = 1.0
    won = shares(always_first)["agents"]
    assert won.value == pytest.approx(1)
    assert np.isnan([won.low, won.high]).all()


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


@pytest.mark.slow
def test_intervals_of_a_planted_share_cover_it():
    rng = np.random.default_rng(4)
    truth = 0.64 * 3 / 4 / 1.64
    found = [shares(squares(rng, of_agent=0.8))["deal_of_agent"] for _ in range(200)]
    covered = sum(float(each.low) <= truth <= float(each.high) for each in found)
    assert 180 <= covered <= 199


def test_a_strong_and_two_weak_agents():
    found = ss.luck("strozzi", players=3, agents=["heuristic", "greedy", "random"], deals=300, games=0, **QUIET)
    table = found.tables["luck"]
    won = table.query("outcome == 'win' and figure == 'variance_share'").set_index("source")
    assert won["value"].sum() == pytest.approx(1)
    assert won.loc["agents", "low"] > 0.3
    assert won.loc["agents", "value"] == won["value"].max()
    assert set(table["figure"]) == {"variance_share", "variance", "decisions_mean", "minutes_mean"}
    length = table.set_index("figure")["value"]
    assert length["minutes_mean"] == pytest.approx(length["decisions_mean"] * 20 / 60)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"agents": "heuristic,random,random"}, "agents: random is listed 2 times"),
        ({"agents": "heuristic,random"}, r"agents: needs 3 different agents, got 2 \(heuristic, random\)"),
        ({"agents": "heuristic,random,greedy,eager,racer", "players": "3-4"}, "agents: needs 4 different agents, got"),
        ({"seconds": 0}, "seconds: must be between 0.01 and 3,600"),
        ({"games": 29}, "games: must be between 30 and 1,000,000"),
        ({"playouts": 10}, "playouts: must be between 50"),
    ],
)
def test_wrong_arguments_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        ss.luck("strozzi", **({"players": 3, "deals": 20} | given))


@pytest.mark.slow
def test_the_verdict_says_what_decides():
    found = ss.luck("strozzi", players=3, deals=100, seconds=30, games=30, playouts=50, **QUIET)
    verdict = found.verdict
    assert re.fullmatch(
        r"Luck decides \d+.% of who wins with one trained player among usual players\.",
        verdict.answer,
    )
    *leader, kings, length = verdict.subject.split("; ")
    assert re.fullmatch(r"Half-time leaders win \d+ of 100 games \(\d+ to \d+; chance 33\)", "; ".join(leader))
    assert re.fullmatch(r"\d+ minutes at 30 seconds each\.", length)
    assert re.fullmatch(r"players without hope pick the winner at \d+(?: to \d+)? of \d+ decisions", kings)
    followed = found.tables["drama"].query("lineup == 'learned,heuristic,heuristic'").set_index("figure")
    _games, decided, times, lasts, who = verdict.notes[:5]
    assert decided.endswith(f"({followed.loc['decided_mean', 'n']} games were followed).")
    assert times == "Without hope is a chance of at most 1 of 100 (30 games)."
    assert re.fullmatch(r"A game has \d+ decisions and takes \d+ minutes at 3 players\.", lasts)
    assert "in games of one usual player among weak players" in who
    assert set(found.tables["drama"]["lineup"]) == set(found.tables["luck"]["lineup"])
    assert "search" not in who  # an agent that searches would play too few games
    first = found.study.sections(found.tables, found.look)[0]
    assert (
        first.tables["luck"]["lineup"].iloc[0] == "one trained player among usual players"
    )  # whose picture is the first
    said = format_value(first.numbers[0].row.value, first.numbers[0].figure, 0)
    assert verdict.answer.startswith(f"Luck decides {said} ")


COLUMNS = ["players", "variant", "lineup", "outcome", "source", "figure", "value", "low", "high", "n", "deals"]


def test_the_share_of_who_plays_is_said_of_fields_and_never_of_the_game():
    """One `heuristic` among `random` wins nearly always, among styles it does not: both are said, the larger luck first."""
    fields = {
        "heuristic,random,random,random": (0.97, 0.96, 0.98),
        "learned:level=3,beyond=1,heuristic,trader,picky": (0.036, 0.029, 0.042),
    }
    rows = [(4, "base", lineup, "win", "agents", "variance_share", *ends, 100, 100) for lineup, ends in fields.items()]
    rows += [
        (4, "base", lineup, "game", "all", figure, 120.0, 119.0, 121.0, 100, 100)
        for lineup in fields
        for figure in ("decisions_mean", "minutes_mean")
    ]
    study = ss.Study.of(kind="luck", game="strozzi", players=[4], lineups=[["random", "greedy", "racer", "trader"]])
    answer, length, note, who = study.verdict({"luck": pd.DataFrame(rows, columns=COLUMNS)}, ss.Look()).lines
    assert answer.replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "Luck decides 3 % of who wins with one usual player among random moves."
    )
    assert length == "A game takes 120 minutes at 20 seconds a decision."
    assert note == "A game has 120 decisions and takes 120 minutes at 4 players."
    assert who.replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "Luck decides, at 4 players: 96.4 ± 0.7 % in games of usual players, the weak player with beyond 1, trader and picky and 3 ± 1 % "
        "in games of one usual player among random moves; among equal players, everything."
    )
    assert lineup_words(study.the_game, "heuristic,random,random") == "one usual player among random moves"
    assert lineup_words(study.the_game, "heuristic,random") == "usual players and random moves"


@pytest.mark.parametrize(
    ("game", "players", "fields"),
    [
        ("strozzi", 4, ["heuristic,learned:level=3,learned:level=3,learned:level=3", "learned,heuristic,heuristic,heuristic", "heuristic,eager,florence,greedy"]),
        ("medici_vs_strozzi", 2, ["fair-price,learned:level=0", "learned,fair-price", "fair-price,fixed-price"]),
        ("strasbourg", 3, ["heuristic,novice,novice", "heuristic,councillor,hoarder"]),
    ],
)  # fmt: skip
def test_the_fields_are_neighbouring_strengths_and_the_styles(game, players, fields):
    found = usual_lineups(ss.load_game(game), players)
    assert [",".join(spec.text for spec in field) for field in found] == fields


@pytest.mark.parametrize(
    ("tiers", "fields"),
    [
        ({"usual": "greedy"}, ["greedy,random", "greedy,eager"]),
        ({"weak": "random"}, ["eager,random", "eager,florence"]),
        ({}, ["eager,random", "eager,florence"]),
    ],
)
def test_a_game_with_few_tiers_has_fields(tiers, fields):
    found = usual_lineups(replace(ss.load_game("strozzi"), tiers=tiers), 2)
    assert [",".join(spec.text for spec in field) for field in found] == fields


def followed(monkeypatch, decisions, games=None):
    """Return how many games are followed where a game has so many decisions."""
    asked = []
    monkeypatch.setattr(following, "drama_of_lineup", lambda match, games, *_: asked.append(games) or {})
    keys = {"game": "strozzi", "players": [3], "lineups": [["random", "greedy", "racer"]], "followed": games}
    table = pd.DataFrame({"players": [3], "figure": ["decisions_mean"], "value": [decisions]})
    shown = []
    ss.Study.of(kind="luck", **keys)._drama(table, lambda *progress: shown.append(progress))
    assert shown == [("followed games", 0, max(asked))]
    return max(asked)


def test_long_games_are_followed_less_often(monkeypatch):
    """By default; 30 games at least, since fewer have no intervals."""
    games = [followed(monkeypatch, decisions) for decisions in (40.0, 150.0, 200.0, 468.0, 2000.0)]
    assert games == [100, 66, 50, 30, 30]
    assert followed(monkeypatch, 150.0, games=50) == 50
    assert followed(monkeypatch, np.nan) == 30  # under 30 games, of unknown length


def test_the_time_of_the_games_to_follow_is_known_from_one_game_of_a_few_fields(monkeypatch):
    """100 games of 50 decisions of each of 5 fields, and 200 halves of games, 2 s each, by two workers."""
    followed_games = []

    def follow(match, playing, deal, playouts):
        followed_games.append((match.lineup[0].text, playouts))
        return drama.Story(50, 0.5, 0, 1, 2, 0.1, 40, 0)

    monkeypatch.setattr(following, "follow", follow)
    monkeypatch.setattr(following, "follow_to_half", lambda *_: 1.0)
    monkeypatch.setattr(following, "monotonic", iter(range(0, 100, 2)).__next__)
    lineups = [[first, "random", "random"] for first in ("greedy", "racer", "heuristic", "eager", "florence")]
    study = ss.Study.of(kind="luck", game="strozzi", players=[3], lineups=lineups)
    assert study.seconds_to_follow(2) == (100 + 200) * 2 * 5 / 2
    assert followed_games == [(name, count) for name in ("greedy", "heuristic", "florence") for count in (1, 200)]
    assert replace(study, followed=0).seconds_to_follow(2) == 0


def test_every_followed_game_is_reported(monkeypatch):
    monkeypatch.setattr(drama, "follow", lambda match, playing, deal, playouts: drama.Story(9, 0.5, 0, 1, 2, 0.1, 9, 0))
    game, variant = ss.load_game("strozzi"), ss.Position("strozzi", 3).variant
    match, done = Match(game, 3, (ss.load_agent("greedy", game),), variant, 0), []
    figures = drama.drama_of_lineup(match, 4, 50, done.append)
    assert done == [1, 2, 3, 4]
    assert figures[DECISIONS].n == 4


def test_other_players_finish_the_games_of_agents_that_are_not_quick(monkeypatch):
    game, playing = ss.load_game("strozzi"), []
    monkeypatch.setattr(drama, "drama_figures", lambda match, playing_match, *_: playing.append(playing_match) or {})
    variant = ss.Position("strozzi", 3).variant
    for agent, default in (("greedy", "heuristic"), ("learned", "heuristic"), ("learned", "learned")):
        own = replace(game, tiers={"usual": default}, tier_notes={})
        drama.drama_of_lineup(Match(own, 3, (ss.load_agent(agent, own),), variant, 0), 30, 50)
    assert [match.lineup[0].text for match in playing] == ["greedy", "heuristic", "random"]


def test_an_answer_on_luck_names_no_number_that_is_not_known_and_no_parameters():
    def said(share, kings, lineup="greedy:margin=4,racer,racer"):
        figures = {"decisions_mean": 120.0, "minutes_mean": 40.0}
        drama = {"halfway_leader_share": 0.7, "decided_mean": 0.5, "runaway_share": 0.1, "kings_mean": kings}
        keys = {"players": 3, "variant": "base", "lineup": lineup, "low": np.nan, "high": np.nan, "n": 60, "deals": 60}
        ends = {"outcome": "win", "source": "agents", "figure": "variance_share", "value": share}
        luck = [{**keys, **ends, "low": -0.01, "high": 0.03}]
        luck += [
            {**keys, "outcome": "game", "source": "all", "figure": name, "value": figures[name]} for name in figures
        ]
        of_drama = [{**keys, "figure": name, "value": value} for name, value in drama.items()]
        study = ss.Study.of(kind="luck", game="strozzi", players=[3], lineups=[["random", "greedy", "racer"]])
        return study.verdict({"luck": pd.DataFrame(luck), "drama": pd.DataFrame(of_drama)}, ss.Look())

    verdict = said(-0.02, np.nan)
    assert (
        verdict.answer
        == "Nothing but luck is known to decide who wins with one greedy with margin 4 among copies of racer."
    )
    assert verdict.subject.startswith("Half-time leaders win 70 of 100 games (chance 33); a game takes ")
    assert "nan" not in verdict.subject
    assert said(1.01, 0.1).answer.startswith("Luck decides hardly anything of who wins with ")
    assert said(0.5, 1.5).subject.endswith(
        "; players without hope pick the winner at 1.5 of 120 decisions; 40 minutes at 20 seconds each."
    )
    several = said(0.5, 0.1, "greedy,racer,trader,picky,eager,random,heuristic").answer
    assert several.replace("\N{NARROW NO-BREAK SPACE}", " ") == "Luck decides 50 % of who wins with 3 agents."


def test_fewer_players_are_the_first_agents():
    found = ss.luck("strozzi", players="3-4", agents="greedy,random,eager,racer", deals=60, games=0, **QUIET)
    assert set(found.tables["luck"]["lineup"]) == {"greedy,random,eager", "greedy,random,eager,racer"}


def test_few_games_have_neither_a_share_of_skill_nor_a_length():
    found = ss.luck("strozzi", players=3, agents="heuristic,greedy,random", deals=4, games=0, **QUIET)
    assert found.tables["luck"][["value", "low", "high"]].isna().all(axis=None)
    assert found.verdict.answer == "There are too few games of Strozzi to say how much of who wins is luck."


def test_a_share_without_an_interval_says_why_and_none_leaves_0_to_100_per_cent():
    ends = {"greedy,random": (1.0, np.nan, np.nan), "learned,greedy": (1.01, 0.9, 1.12)}
    rows = [(2, "base", lineup, "win", "agents", "variance_share", *each, 60, 30) for lineup, each in ends.items()]
    rows += [
        (2, "base", "greedy,random", "game", "all", name, 9.0, 8.0, 10.0, 60, 30)
        for name in ("decisions_mean", "minutes_mean")
    ]
    study = ss.Study.of(kind="luck", game="strozzi", players=[4], lineups=[["random", "greedy", "racer", "trader"]])
    said = study.verdict({"luck": pd.DataFrame(rows, columns=COLUMNS)}, ss.Look()).notes[-1]
    assert said.replace("\N{NARROW NO-BREAK SPACE}", " ") == (
        "Luck decides, at 2 players: 0.0 % in games of greedy and random moves (all 30 deals ended alike) and "
        "0 % (0 to 10) in games of trained players and greedy; among equal players, everything."
    )

"""`luck`: planted sources of variance are found, and none where there is none."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("game", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_every_game_has_a_field_for_its_fewest_players(game):
    table = ss.luck(game, ss.load_game(game).player_counts[0], deals=60, games=0).tables["luck"]
    assert table["value"].notna().all()


@pytest.mark.nightly
def test_bytes_are_equal_for_any_number_of_workers_and_after_a_resume(tmp_path):
    one = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, workers=1, folder=tmp_path / "one")
    two = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, workers=2, folder=tmp_path / "two")
    again = ss.luck("strozzi", 3, deals=100, games=30, playouts=50, folder=tmp_path / "one")
    assert again.new_games == 0
    for table in ("luck", "streams", "drama"):
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
    assert said.count("of what decides who wins: ") == 1
    assert "if each takes 30 seconds (an assumption)" in said
    assert said.count("learned:beyond=2,redraws=32") == 1  # it is followed, and plays too few deals for the sources
    assert said.count("  ships  ") == 2


def test_fewer_players_are_the_first_agents():
    table = ss.luck("strozzi", "3-4", "greedy,random,eager,racer", 60, games=0).tables["luck"]
    assert set(table["lineup"]) == {"greedy,random,eager", "greedy,random,eager,racer"}

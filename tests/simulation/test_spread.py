"""The seatings `spread`: every deal is played once, in the seatings of `rotate` in turn; the games are those of `rotate`."""

import json

import numpy as np
import pytest

import strozzi_sim as ss
from commands import strozzi
from strozzi_sim.agent import load_agent, spec_of
from strozzi_sim.errors import AgentFault
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation import mixed
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats import ratio

STROZZI = load_game("strozzi")
FIELD = ("heuristic", "random", "greedy", "racer")


@ss.python_agent("sure", games=["strozzi"])
class Sure:
    """Chooses the last legal action."""

    def act(self, view, legal, rng):
        return legal[-1]


@ss.python_agent("stumbles", games=["strozzi"])
class Stumbles:
    """Fails at the third seat."""

    def act(self, view, legal, rng):
        return legal[0] if view.seat != 2 else 0


def match(seatings, *agents, players=4, seed=5):
    specs = tuple(load_agent(each, STROZZI) if isinstance(each, str) else spec_of(each) for each in agents)
    return Match(STROZZI, players, specs, resolve_variant(STROZZI, "base"), seed, seatings)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_games_of_a_deal(players):
    games = {each: match(each, "random", players=players).games_per_deal for each in ("one", "spread", "rotate")}
    assert games == {"one": 1, "spread": 1, "rotate": players}


@pytest.mark.parametrize(
    ("players", "agents"),
    [
        (4, FIELD),
        (3, ("greedy", "random~flag:pirate", "racer~port:rome")),  # rules of each seating
        (4, (Sure, "heuristic", "random", "greedy")),  # in waves
        (5, ("random",)),
    ],
    ids=["compiled", "restricted", "python", "copies"],
)
def test_games_are_those_of_rotate_in_turn(players, agents, monkeypatch):
    monkeypatch.setattr(mixed, "MAX_SLOTS", 3)
    first, last = 7, 20
    every = match("rotate", *agents, players=players).play(first, last, rows=True).rows
    spread = match("spread", *agents, players=players)
    one = spread.play(first, last, rows=True)
    assert one.games == last - first
    assert one.rows.tobytes() == every[every["seating"] == every["deal"] % players].tobytes()
    assert [spread.seating_of(deal) for deal in range(first, last)] == one.rows["seating"][::players].tolist()
    halves = [spread.play(*part, rows=True).rows for part in ((first, 11), (11, last))]
    assert np.concatenate(halves).tobytes() == one.rows.tobytes()


def test_every_position_has_every_seat_equally_often():
    played = match("spread", *FIELD).play(100, 140).outcome["played"][0]
    assert (played[:4, :4] == 10).all()


def test_facts_are_those_of_the_games():
    crosstab = Crosstab("seat", ("seat", "position", "place"))
    counts = []
    for seatings in ("spread", "rotate"):
        played = match(seatings, *FIELD)
        plan = played.plan([crosstab])
        seating_of = (lambda deal: None) if seatings == "spread" else (lambda deal: deal % 4)
        parts = [played.play(deal, deal + 1, plan=plan, seating=seating_of(deal)) for deal in range(12)]
        counts.append(plan.read(crosstab, sum(part.counts for part in parts)[None])[0])
    assert (counts[0] == counts[1]).all()
    assert counts[0][..., 0].sum() == 4 * 12


@pytest.mark.parametrize("agents", [(Stumbles, "random", "random", "random"), ("random", Stumbles, "random", "random")])
def test_a_fault_names_the_seating_in_which_it_is_replayed(agents):
    spread = match("spread", *agents)
    with pytest.raises(AgentFault, match=r"seat 2 .*--deal (\d+) --seating (\d+) --seatings spread") as fault:
        spread.play(0, 12)
    words = str(fault.value).split()
    deal, seating = (int(words[words.index(option) + 1]) for option in ("--deal", "--seating"))
    assert seating == deal % 4
    with pytest.raises(AgentFault, match=f"--deal {deal} --seating {seating} "):
        record_game(spread, deal, seating)


def test_records_have_the_seating_of_their_deal(tmp_path):
    file = tmp_path / "games.jsonl"
    options = ("record", "strozzi", "--agents", ",".join(FIELD), "--seatings", "spread", "--out", file)
    assert strozzi(*options, "--games", 6).returncode == 0
    headers = [line for line in map(json.loads, file.read_text().splitlines()) if line["type"] == "game"]
    assert [line["seating"] for line in headers] == [0, 1, 2, 3, 0, 1]
    assert [line["agents"].index("heuristic") for line in headers] == [0, 1, 2, 3, 0, 1]
    assert strozzi(*options, "--deal", 6, "--seating", 1).returncode == 0
    assert json.loads(file.read_text().splitlines()[0])["seating"] == 1


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say():
    """200 studies of 60 deals among agents of which each has its chances."""
    studies, deals = 200, 60
    field = match("spread", "heuristic", "trader", "florence", "promoter", seed=11)
    rows = field.play(0, studies * deals, rows=True).rows
    place, position = (rows[field].reshape(-1, 4).astype(np.int64) for field in ("twice_place", "position"))
    won = place == place.min(axis=1, keepdims=True)
    wins = np.zeros(won.shape, np.int64)
    np.put_along_axis(wins, position, won * (WIN_UNITS // won.sum(axis=1, keepdims=True)), axis=1)
    by_study = wins.reshape(studies, deals, 4)
    found = [ratio(each, np.ones((deals, 4), np.int64), unit=WIN_UNITS, n_deals=deals) for each in by_study]
    truth = wins.mean(axis=0) / WIN_UNITS
    covered = np.mean([(each.low <= truth) & (truth <= each.high) for each in found])
    assert 0.93 < covered < 0.985
    scatter = np.std([each.value for each in found], axis=0)
    width = np.mean([each.high - each.low for each in found], axis=0) / 4
    assert (np.abs(width / scatter - 1) < 0.2).all()


def test_a_study_plays_each_deal_once():
    keys = {"game": "strozzi", "players": [4], "lineups": [[*FIELD]], "seatings": "spread", "seed": 5}
    found = ss.run(ss.Study.of(**keys, deals=400, chunks=50))
    assert found.n_games == 400
    wins = found.tables["lineup"].query("figure == 'win_share'").set_index("position")
    played = match("spread", *FIELD).play(0, 400).outcome
    assert wins["value"].tolist() == pytest.approx((played["wins"][0][:4].sum(axis=1) / played["wins"].sum()).tolist())
    assert set(wins["n"]) == {400}
    assert ((wins["low"] < wins["value"]) & (wins["value"] < wins["high"])).all()


def test_worth_rotates_whatever_the_seatings_of_the_study():
    keys = {"game": "strozzi", "players": [3], "deals": 30, "lineups": [["greedy"]], "worth": ["flag:ware"], "seed": 1}
    one, other = (ss.run(ss.Study.of(**keys, seatings=each)).tables["worth"] for each in ("rotate", "spread"))
    assert one.equals(other)


@pytest.mark.slow
def test_every_question_takes_it():
    common = {"deals": 40, "seatings": "spread", "workers": 1}
    asked = [
        (ss.simulate("strozzi", players=4, agents=[*FIELD], **common), 40),
        (ss.compare("strozzi", "greedy", "heuristic", players=4, opponents=["random"], **common), 2 * 40),
        (ss.tournament("strozzi", [*FIELD, "trader"], players=4, **common), 5 * 40),
    ]
    assert [results.n_games for results, _ in asked] == [games for _, games in asked]
    found = ss.simulate("strozzi", players=4, agents=[*FIELD], seatings="spread", precision=5, workers=1)
    known = found.tables["precision"]
    assert (known["n"] == known["deals"]).all()
    assert known["known"].all()

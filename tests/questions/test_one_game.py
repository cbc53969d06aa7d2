"""`record` and `analyse` from Python: the same as the commands, and wrong arguments by name."""

import json

import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.agent import python_agent
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import InputError

ASKED = {"players": 3, "agents": "heuristic,greedy", "games": 2, "seed": 7}


@pytest.fixture(scope="module")
def games():
    return ss.record("strozzi", **ASKED)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    words = ["--players", "3", "--agents", "heuristic,greedy", "--games", "2", "--seed", "7", "--out", str(path)]
    assert command(["record", "strozzi", *words]) == 0
    return path


def test_the_lines_are_those_of_the_command(games, file):
    assert [line for lines in games for line in lines] == [json.loads(line) for line in file.read_text().splitlines()]


def test_a_deal_a_seating_and_agents_of_python_are_recorded():
    @python_agent("lowest")
    class Lowest:
        """Plays the lowest action."""

        def act(self, view, legal, rng):
            return legal[0]

    (lines,) = ss.record("strasbourg", 4, [Lowest, "random"], deal=5, seating=1, seatings="all", seed=3, variant="base")
    assert (lines[0]["deal"], lines[0]["seating"], lines[0]["seed"]) == (5, 1, 3)
    assert lines[0]["agents"].count("lowest") == 2
    position = ss.Position.from_record(lines)
    assert position.over
    assert position.record(lines[0]["agents"])[1:] == lines[1:]


def test_an_analysis_is_that_of_the_command(games, file, capsys):
    assert command(["analyse", str(file), "--game", "2", "--redraws", "4", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = ss.analyse(games[1], redraws=4)
    decisions = found.decision_table
    for key in ("decision", "seat", "question", "played", "best", "is_choice"):
        assert decisions[key].tolist() == [row[key] for row in said["decisions"]]
    assert decisions["loss"].round(4).tolist() == [abs(row["loss"]) for row in said["decisions"]]
    parts = found.part_table.set_index(["seat", "part"])
    assert set(parts["agent"]) == {"heuristic", "greedy"}
    for row in said["seats"]:
        for part in ("start", "luck", "own_errors", "rivals_errors", "unexplained", "result"):
            assert round(float(parts.loc[row["seat"], part]["lead"]), 4) == row[part]["lead"]
        of_seat = found.seat_table.iloc[row["seat"]]
        assert (of_seat["error_rate"], of_seat["choices"]) == (row["error_rate"], row["choices"])
        assert [of_seat["level"], of_seat["low"], of_seat["high"]] == row["level"]
    again = ss.analyse(ss.Position.from_record(games[1]), redraws=4)
    pd.testing.assert_frame_equal(again.decision_table.drop(columns="agent"), decisions.drop(columns="agent"))
    assert ss.analyse(file, 2, redraws=4).part_table.equals(found.part_table)
    assert repr(found).startswith("<GameAnalysis: heuristic, greedy, heuristic; ")
    shown = found._repr_html_()
    assert f"Decision {found.turning_points(1)[0][1].number}: " in shown
    assert "rivals' errors" in shown


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"players": "3-5"}, "players: expected one number of players, got '3-5'"),
        ({"players": 7}, "players: strozzi takes 3-6 players, got 7"),
        ({"agents": "nobody"}, "agents: unknown agent 'nobody'"),
        ({"agents": ["random"] * 5}, "agents: a line-up of 5 agents"),
        ({"games": 0}, "games: must be between 1 and"),
        ({"games": 2, "deal": 1}, "games: deal is one game, got games=2"),
        ({"deal": -1}, "deal: must be between 0 and"),
        ({"seating": 4}, "seating: must be between 0 and 3, got 4"),
        ({"seating": True}, "seating: must be a whole number, got True"),
        ({"seatings": "round"}, "seatings: unknown design 'round'"),
        ({"seed": -1}, "seed: must be between 0 and"),
        ({"variant": "nope"}, "variant: unknown variant 'nope' of strozzi"),
        ({"variant": ["base", "long-tracks"]}, "variant: expected one variant, got 2"),
    ],
)
def test_a_wrong_argument_of_record_is_named(given, said):
    with pytest.raises(InputError) as refused:
        ss.record("strozzi", **given)
    assert str(refused.value).startswith(said)


def test_a_wrong_argument_of_analyse_is_named(games, file):
    (hidden,) = ss.record("strasbourg", 3)
    for given, said in (
        ((5,), "record: expected a file, the lines of a record or a finished Position, got 5"),
        ((ss.Position("strozzi", 3),), "record: the game is not over after 0 decisions"),
        ((games[0][:-1],), "record: line "),
        ((file.with_name("none"),), f"{file.with_name('none')}: there is no such file"),
        ((file, 3), f"game: {file} holds 2 games, got 3"),
        ((games[0], 2), "game: these are the lines of one game, got game=2"),
        ((games[0], 1, "greedy"), "agent: agent 'greedy' does not evaluate positions"),
        ((games[0], 1, "learned", 0), "redraws: must be between 1 and 10,000, got 0"),
        ((hidden,), "strasbourg, variant base: players have secrets"),
    ):
        with pytest.raises(InputError) as refused:
            ss.analyse(*given)
        assert str(refused.value).startswith(said)

"""`record` and `analyse`: of a file, of lines or of a position, and wrong arguments by name."""

import json

import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.agent import python_agent
from strozzi_sim.errors import InputError

ASKED = {"players": 3, "agents": "heuristic,greedy", "games": 2, "seed": 7}


@pytest.fixture(scope="module")
def games():
    return ss.record("strozzi", **ASKED)


@pytest.fixture(scope="module")
def file(tmp_path_factory, games):
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for lines in games for line in lines))
    return path


def test_a_deal_a_seating_and_agents_of_python_are_recorded():
    @python_agent("lowest")
    class Lowest:
        """Plays the lowest action."""

        def act(self, view, legal, rng):
            return legal[0]

    (lines,) = ss.record("strozzi", 4, [Lowest, "random"], deal=5, seating=1, seatings="all", seed=3, variant="base")
    assert (lines[0]["deal"], lines[0]["seating"], lines[0]["seed"]) == (5, 1, 3)
    assert lines[0]["agents"].count("lowest") == 2
    position = ss.Position.from_record(lines)
    assert position.over
    assert position.record(lines[0]["agents"])[1:] == lines[1:]


@pytest.mark.slow
def test_an_analysis_of_lines_of_a_file_and_of_a_position_is_the_same(games, file):
    found = ss.analyse(games[1], redraws=4)
    decisions = found.decision_table
    assert set(found.part_table["agent"]) == {"heuristic", "greedy"}
    again = ss.analyse(ss.Position.from_record(games[1]), redraws=4)
    pd.testing.assert_frame_equal(again.decision_table.drop(columns="agent"), decisions.drop(columns="agent"))
    assert ss.analyse(file, 2, redraws=4).part_table.equals(found.part_table)
    assert repr(found).startswith("<GameAnalysis: heuristic, greedy, heuristic; ")
    shown = found._repr_html_()
    assert f"Decision {found.turning_points(1)[0].decision.number}: " in shown
    assert "rivals' errors" in shown


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"players": "3-5"}, "players: this is played at one player count, got '3-5'"),
        ({"agents": ["random"] * 5}, "agents: 5 agents ("),
        ({"games": 0}, "games: must be between 1 and"),
        ({"games": 2, "deal": 1}, "games: `deal` is one game, got 2 games"),
        ({"seating": 4}, "seating: must be between 0 and 3, got 4"),
        ({"variant": ["base", "long-tracks"]}, "variant: expected the name of a variant"),
    ],
)
def test_a_wrong_argument_of_record_is_named(given, said):
    with pytest.raises(InputError) as refused:
        ss.record("strozzi", **given)
    assert str(refused.value).startswith(said)


def test_a_wrong_argument_of_analyse_is_named(games, file):
    (hidden,) = ss.record("strasbourg", 3)
    dealt = ss.Position("strozzi", 3).record()
    for given, said in (
        ((5,), "record: expected a file, the lines of a record or a finished Position, got 5"),
        ((ss.Position("strozzi", 3),), "record: the game is not over after 0 decisions"),
        ((games[0][:-1],), "record: line "),
        ((dealt,), f"record: line {len(dealt)}: the record ends here, but the game of seed 0, deal 0, behaviour "),
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

"""Restricted agents: `heuristic~flag:pirate` plays without the pirate flag, in whichever seat it sits."""

import pickle

import pytest

import strozzi_sim as ss
from strozzi_sim.agent import load_agent, spec_of, split_specs
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.records import record_game, verify_record, write_record
from strozzi_sim.simulation.match import Match

STROZZI, MEDICI = load_game("strozzi"), load_game("medici_vs_strozzi")


@ss.python_agent("last", games=["strozzi"])
class Last:
    """Chooses the last legal action."""

    def act(self, view, legal, rng):
        return legal[-1]


def match(lineup, game=STROZZI, players=4, seatings="rotate"):
    agents = tuple(load_agent(text, game) if isinstance(text, str) else text for text in lineup)
    return Match(game, players, agents, resolve_variant(game, "base"), 5, seatings)


def test_the_text_of_a_restricted_agent_is_canonical():
    spec = load_agent("greedy:margin=3~port:rome~flag:pirate", STROZZI)
    assert spec.text == "greedy:margin=3~flag:pirate~port:rome"
    assert spec.without == ("flag:pirate", "port:rome")
    assert pickle.loads(pickle.dumps(spec)).without == spec.without
    assert spec(margin=5.0).text == "greedy:margin=5~flag:pirate~port:rome"
    assert load_agent("greedy", STROZZI).restricted("port:rome").text == "greedy~port:rome"
    several = ["random~flag:pirate", "greedy:margin=3~port:rome", "random"]
    assert split_specs(",".join(several)) == several


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("greedy~", "~RESTRICTION"),
        ("greedy~flag:pirate~flag:pirate", "each once"),
        ("ismcts:rollout=(greedy~flag:pirate)", "without restrictions"),
    ],
)
def test_a_malformed_restriction_is_refused(text, named):
    with pytest.raises(InputError, match=named):
        load_agent(text, STROZZI)


def test_an_unknown_restriction_is_refused_with_those_that_there_are():
    with pytest.raises(InputError, match=r"greedy~flag:gold.*unknown in strozzi; known: .*flag:\*"):
        match(["greedy~flag:gold"])
    with pytest.raises(InputError, match="all three flags are forbidden"):
        match(["greedy~flag:pirate~flag:plus_one~flag:ware"])
    with pytest.raises(InputError, match="whole games"):
        ss.Position("strozzi", 4).ask("greedy~flag:pirate")


@pytest.mark.parametrize("first", ["greedy", "random", "heuristic"])
def test_the_restricted_position_does_without_at_every_seat(first):
    lineup = [f"{first}~flag:pirate", first, first, first]
    ships = ss.simulate("strozzi", players=4, agents=lineup, deals=30, facts=["ship"], workers=1).facts("ship")
    assert set(ships[ships["position"] == 0]["seat"]) == {0, 1, 2, 3}
    used = ships[ships["flag"] == "pirate"]["position"]
    assert set(used) == {1, 2, 3}


@pytest.mark.slow
def test_a_python_agent_is_restricted_alike():
    lineup = (load_agent("random", STROZZI), spec_of(Last, STROZZI).restricted("flag:ware"))
    lines = [record_game(match([*lineup, *lineup], seatings="rotate"), deal, deal % 4) for deal in range(8)]
    taken = {"random": set(), "last~flag:ware": set()}
    for header, *events in lines:
        for line in events:
            if line["type"] == "place":
                taken[header["agents"][line["player"]]].add(line["flag"])
    assert taken["random"] == {"pirate", "plus_one", "ware"}
    assert taken["last~flag:ware"] == {"pirate", "plus_one"}


@pytest.mark.slow
def test_a_restriction_that_cannot_bite_changes_nothing():
    free, limited = (
        match(lineup, MEDICI, 2).play(0, 40, rows=True)
        for lineup in (["fair-price", "random"], ["fair-price~price:above-100000", "random"])
    )
    assert free.rows.tobytes() == limited.rows.tobytes()


def test_results_do_not_depend_on_the_batch_and_seating_alone_is_the_same():
    lineup = ["heuristic~port:venice", "random", "heuristic", "random"]
    whole = match(lineup).play(0, 6, rows=True).rows
    single = [row for seating in range(4) for row in match(lineup).play(0, 6, rows=True, seating=seating).rows.tolist()]
    scores = sorted((deal, position, seat, score) for deal, _, seat, position, score, *_ in whole.tolist())
    assert scores == sorted((deal, position, seat, score) for deal, _, seat, position, score, *_ in single)


@pytest.mark.slow
def test_records_of_restricted_agents_follow_the_rules(tmp_path):
    file = tmp_path / "games.jsonl"
    lineup = ["heuristic~flag:pirate~port:rome", "random~power:pirate", "random", "random"]
    games = [record_game(match(lineup), deal, 0) for deal in range(5)]
    write_record(file, games)
    assert verify_record(file) == 5
    assert games[0][0]["without"] == [["flag:pirate", "port:rome"], ["power:pirate"], [], []]
    for wrong, said in (([[]], "a list for each of 4 seats"), ([["power:tuba"], [], [], []], "unknown in strozzi")):
        with pytest.raises(InputError, match=said):
            ss.Position.from_record([games[0][0] | {"without": wrong}, *games[0][1:]])
    for lines in games:
        assert ss.Position.from_record(lines).over


def test_environments_take_no_restricted_opponents():
    with pytest.raises(InputError, match="without restrictions"):
        ss.VectorEnv("strozzi", 4, 2, opponents="greedy~flag:pirate")

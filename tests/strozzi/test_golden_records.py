"""Golden records: the same seed gives the same game, to the byte, for as long as `behaviour` stays the same.

They are made anew, when `behaviour` is raised, with
`strozzi record strozzi --players N --agents random --games 1 --seed 2008 --out random-N.jsonl`.
"""

import json
from pathlib import Path

import pytest

from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.games.variants import resolve_variant
from strozzi_sim.play.records import record_game, verify_record, write_record
from strozzi_sim.selfplay.match import Match

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_same_seed_gives_the_same_game(players, tmp_path):
    golden = GOLDEN / f"random-{players}.jsonl"
    match = Match(STROZZI, players, (load_agent("random"),), BASE, 2008, "rotate")
    write_record(tmp_path / "now.jsonl", [record_game(match, 0, 0)])
    assert (tmp_path / "now.jsonl").read_text() == golden.read_text()
    assert json.loads(golden.read_text().splitlines()[0])["behaviour"] == STROZZI.behaviour
    assert verify_record(golden) == 1


@pytest.mark.parametrize("players", [3, 6])
def test_lineup_seating_and_variant_are_not_in_the_random_streams(players):
    """What pairs comparisons: the first ships and tiles of a deal are the same whoever plays, wherever, under what."""

    def opening(agents, seating, variant):
        match = Match(STROZZI, players, tuple(load_agent(name) for name in agents), variant, 5, "rotate")
        lines = record_game(match, 3, seating)
        reveals = [[]]
        for line in lines:
            if line["type"] == "round":
                reveals.append([])
            elif line["type"] == "reveal":
                reveals[-1].append(line["ship"])
        return lines[1]["display"], [round_[:9] for round_ in reveals[1:]]

    longer = resolve_variant(STROZZI, "long-tracks")
    first = opening(["random"], 0, BASE)
    assert opening(["greedy", "random"], 0, BASE) == first
    assert opening(["greedy", "random"], 2, longer) == first


def test_other_deals_seeds_and_counts_are_other_games():
    def reveals(players, seed, deal):
        match = Match(STROZZI, players, (load_agent("random"),), BASE, seed)
        return [line["ship"] for line in record_game(match, deal, 0) if line["type"] == "reveal"][:8]

    shown = [reveals(4, 1, 0), reveals(4, 1, 1), reveals(4, 2, 0), reveals(5, 1, 0)]
    assert len({tuple(ships) for ships in shown}) == 4


def test_a_batch_has_as_many_different_deals_as_it_says():
    match = Match(STROZZI, 4, (load_agent("random"),), BASE, 1)
    seen = {
        tuple(line["ship"] for line in record_game(match, deal, 0) if line["type"] == "reveal") for deal in range(200)
    }
    assert len(seen) == 200

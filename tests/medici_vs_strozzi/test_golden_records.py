"""Golden records: the same seed gives the same game, to the byte, for as long as `behaviour` stays the same.

They are made anew, when `behaviour` is raised, with
`PYTHONPATH=tests python tests/medici_vs_strozzi/test_golden_records.py`.
"""

import json
from pathlib import Path

import pytest

from medici_games import BASE, MEDICI_VS_STROZZI, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.play.records import record_game, verify_record, write_record
from strozzi_sim.selfplay.match import Match

GOLDEN = Path(__file__).parent / "golden"
VARIANTS = ("base", "medici_like", "all-flipped")


def write_golden(name, path):
    match = Match(MEDICI_VS_STROZZI, 2, (load_agent("random"),), variant(name), 2008, "rotate")
    write_record(path, [record_game(match, 0, 0)])


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_seed_gives_the_same_game(name, tmp_path):
    golden = GOLDEN / f"random-{name}.jsonl"
    write_golden(name, tmp_path / "now.jsonl")
    assert (tmp_path / "now.jsonl").read_text() == golden.read_text()
    assert json.loads(golden.read_text().splitlines()[0])["behaviour"] == MEDICI_VS_STROZZI.behaviour
    assert verify_record(golden) == 1


def shown(agents, seating, played, seed=5, deal=3):
    """The tiles of every round in the order in which they come."""
    match = Match(MEDICI_VS_STROZZI, 2, tuple(load_agent(name) for name in agents), played, seed, "rotate")
    rounds = []
    for line in record_game(match, deal, seating):
        if line["type"] == "round":
            rounds.append([])
        elif line["type"] == "reveal":
            rounds[-1].append(line["tile"])
    return rounds


@pytest.mark.parametrize("name", ["short", "medici_like", "moored", "hidden-cash"])
def test_lineup_seating_and_variant_are_not_in_the_random_streams(name):
    """What pairs comparisons: the tiles of a deal come in the same order whoever plays, wherever, under what."""
    first = shown(["random"], 0, BASE)
    compared = 0
    for agents, seating in ((["fixed-price", "random"], 0), (["fixed-price", "random"], 1), (["fair-price"], 0)):
        for played in (BASE, variant(name)):
            other = shown(agents, seating, played)
            for one, two in zip(first, other, strict=True):
                count = min(len(one), len(two))
                assert one[:count] == two[:count]
                compared += count
    assert compared > 3 * 2 * 3 * 4  # line-ups, variants, rounds; at least four tiles a round


def test_other_deals_and_seeds_are_other_games():
    openings = [shown(["random"], 0, BASE, seed, deal)[0][:8] for seed, deal in ((1, 0), (1, 1), (2, 0))]
    assert len({tuple(tiles) for tiles in openings}) == 3


def test_every_round_has_an_order_of_its_own():
    rounds = shown(["random"], 0, BASE)
    assert len({tuple(tiles[:8]) for tiles in rounds}) == 3


def test_a_batch_has_as_many_different_deals_as_it_says():
    seen = {tuple(shown(["random"], 0, BASE, deal=deal)[0][:10]) for deal in range(200)}
    assert len(seen) == 200


if __name__ == "__main__":
    for each in VARIANTS:
        write_golden(each, GOLDEN / f"random-{each}.jsonl")

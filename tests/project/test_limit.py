"""benchmarks/limit: the programs in C play the package's games."""

import os
import shutil

import numpy as np
import pytest

from benchmarks import benchmark
from our_games import OUR_GAMES
from strozzi_sim.game import load_game

needs_compiler = pytest.mark.skipif(shutil.which(os.environ.get("CC") or "gcc") is None, reason="needs a C compiler")

limit = benchmark("limit", "limit_c")


def compared(limit, name, folder, choose, agents=None):
    """The comparisons of the variants and player counts that `choose` picks, with few deals, of all agents or some."""
    game, subject, found = load_game(name), limit.SUBJECTS[name], []
    for number, (cell, matches) in enumerate(limit.matches(game, sorted(subject.players)).items()):
        if choose(*cell):
            place = folder / str(number)
            place.mkdir()
            every = tuple(subject.agents)
            programs = {each: limit.compile_program(each, matches[0], every, place) for each in subject.programs}
            for match, deals in zip(matches, subject.agents.values(), strict=True):
                if agents is None or match.lineup[0].text in agents:
                    found += limit.compare(programs, match, max(2, deals // 25))
    return found


@pytest.mark.slow_for("strasbourg", "strozzi")
@needs_compiler
@pytest.mark.parametrize("name", OUR_GAMES)
def test_random_games_in_c_are_ours(name, limit, tmp_path, monkeypatch):
    import limit_c

    monkeypatch.setattr(limit_c, "OPTIONS", (*limit_c.OPTIONS, "-O0"))  # compiles in a tenth of the time
    fewest, subject = load_game(name).player_counts[0], limit.SUBJECTS[name]
    found = compared(limit, name, tmp_path, lambda *cell: cell == ("base", fewest), ["random"])
    assert [row for row in found if not limit.is_equal(row)] == []
    assert tuple(row["program"] for row in found) == subject.programs


@pytest.mark.nightly
@needs_compiler
@pytest.mark.parametrize("name", OUR_GAMES)
def test_scores_in_c_are_ours_in_every_variant(name, limit, tmp_path):
    found = compared(limit, name, tmp_path, lambda variant, players: True)
    assert [row for row in found if not limit.is_equal(row)] == []
    assert {row["program"] for row in found} == set(limit.SUBJECTS[name].programs)
    assert {row["agent"] for row in found} == set(limit.SUBJECTS[name].agents)


def test_records_become_constants_of_c(limit):
    import limit_c

    record = np.zeros(1, np.dtype([("a", "u1"), ("b", "i8", (2, 2)), ("c", "f8")]))
    record[0] = (255, [[1, -(2**40)], [3, 4]], 0.5)
    assert limit_c.c_constant("R", record[0]) == (
        "static const struct { uint8_t a; int64_t b[2][2]; double c; } R = "
        "{.a = 255u, .b = {{1, -1099511627776ll}, {3, 4}}, .c = 0x1.0000000000000p-1};"
    )

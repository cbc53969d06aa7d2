"""benchmarks/planted.py: planted truths are read correctly, and what is not planted is not read."""

import pytest

from benchmarks import benchmark

planted = benchmark("planted")


PARTS = ["port", "seat", "kings", "fate", "weights", "nothing", "two-points"]


def test_every_part_is_tested(planted):
    assert list(planted.PARTS) == PARTS


@pytest.mark.nightly_for("nothing", "weights", "two-points")
@pytest.mark.slow_for("port", "seat", "kings")
@pytest.mark.parametrize("part", PARTS)
def test_what_is_planted_is_read(planted, part):
    found = list(planted.PARTS[part](quick=True))
    assert found
    assert not [each for each in found if not each.ok]


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("seat", {"head": 0}),
        ("kings", {"crown": 0}),
        ("fate", {"prize": 0}),
        pytest.param("port", {"without": ""}, marks=pytest.mark.slow),
        pytest.param("nothing", {"head": 1}, marks=pytest.mark.slow),
    ],
)
def test_what_is_not_planted_is_not_read(planted, part, changed):
    assert not all(each.ok for each in planted.PARTS[part](quick=True, **changed))


@pytest.mark.nightly
def test_an_effect_of_another_size_is_not_the_planted_one(planted, monkeypatch):
    monkeypatch.setattr(planted, "ROLLS", 2)
    wrong = [each.truth for each in planted.PARTS["weights"](quick=True) if not each.ok]
    assert len(wrong) == 5
    assert "100 numbers do nothing" not in wrong

"""bench: tasks are as large as an agent needs to show its real speed."""

import pytest

from strozzi_sim.cli.machine import _SLICE, _slice_size


@pytest.mark.parametrize(
    ("start", "per_game", "least", "most"),
    [
        (0.010, 8e-6, 2_000, 20_000),  # a NumPy policy: 10 ms for any number of games, then little for each
        (0.0, 40.0 / 2e6, 4_000, 6_000),  # a compiled agent
        (0.0, 0.4, 1, 1),  # a search
    ],
)
def test_a_task_is_measured_at_its_own_size(start, per_game, least, most):
    def seconds(games):
        tried.append(games)
        return start + per_game * games

    tried = []
    size = _slice_size(seconds, None, _SLICE)
    assert least <= size <= most
    assert sum(map(seconds, tried[:])) < 20 * _SLICE
    assert _slice_size(seconds, 50, _SLICE) <= 50

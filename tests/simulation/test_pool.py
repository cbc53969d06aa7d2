"""Small tasks are played in batches: each is yielded once, with what its worker made of it, also when play is stopped."""

from functools import partial

import numpy as np
import pytest

from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.simulation import pool
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.pool import Task, play_tasks


@pytest.fixture(scope="module")
def matches():
    return [Match(STROZZI, players, (load_agent("random"),), BASE, 5) for players in (3, 4)]


def outcome(key, played):
    return key, played.outcome.tobytes()


def test_every_task_is_yielded_once_with_what_its_worker_made_of_it(matches):
    tasks = [
        Task((k, each.players), each, k, k + 1, finish=partial(outcome, k)) for k in range(150) for each in matches
    ]
    found = {task.key: made for task, made in play_tasks(iter(tasks), 2, np.zeros(1, np.int64))}
    assert len(found) == len(tasks)
    for k, players in ((0, 3), (77, 4), (149, 3)):
        assert found[k, players] == outcome(k, matches[players - 3].play(k, k + 1))


def test_batches_are_as_long_as_their_matches_take(matches):
    quick, slow = matches
    known = {id(quick): pool._SECONDS / 9.5, id(slow): pool._SECONDS * 3}
    tasks = [Task(k, quick, k, k + 1) for k in range(25)] + [Task(k, slow, k, k + 1) for k in range(25, 28)]
    assert [len(batch) for batch in pool._batches(tasks, {})] == [1] * 28
    assert [len(batch) for batch in pool._batches(tasks, known)] == [9, 9, 7, 1, 1, 1]
    assert max(len(batch) for batch in pool._batches(tasks[:25] * 10, {id(quick): 0.0})) == pool._MOST


def test_of_a_batch_that_is_stopped_the_finished_tasks_are_yielded(matches, monkeypatch):
    stop, played = np.zeros(1, np.int64), pool.perform

    def perform(task, *flags):
        stop[0] = task.key == 7
        return played(task, *flags)

    monkeypatch.setattr(pool, "perform", perform)
    monkeypatch.setattr(pool, "_batches", lambda tasks, seconds: [list(tasks)])
    tasks = (Task(k, matches[0], k, k + 1) for k in range(20))
    assert [task.key for task, _ in play_tasks(tasks, 1, stop)] == list(range(7))

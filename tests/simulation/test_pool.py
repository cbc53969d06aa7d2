"""Small tasks are played in batches: each is yielded once, with what its worker made of it, also when play is stopped."""

import multiprocessing
import subprocess
import sys
from functools import partial
from itertools import islice

import numpy as np
import pytest

from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation import pool
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.simulation.match import Match, Measures
from strozzi_sim.simulation.pool import PlayTask, play_tasks


@pytest.fixture(scope="module")
def matches():
    made = [Match(STROZZI, players, (load_agent("random"),), BASE, 5) for players in (3, 4)]
    made[0].play(0, 1)  # compiles here, once, and not in each worker
    return made


def outcome(key, played):
    return key, played.outcome.tobytes()


def test_every_task_is_yielded_once_with_what_its_worker_made_of_it(matches):
    tasks = [
        PlayTask((k, each.players), each, k, k + 1, finish=partial(outcome, k)) for k in range(150) for each in matches
    ]
    found = {task.key: made for task, made in play_tasks(iter(tasks), 2, np.zeros(1, np.int64))}
    assert len(found) == len(tasks)
    for k, players in ((0, 3), (77, 4), (149, 3)):
        assert found[k, players] == outcome(k, matches[players - 3].play(k, k + 1))


def test_batches_are_as_long_as_their_matches_take(matches):
    quick, slow = matches
    known = {id(quick): pool._SECONDS / 9.5, id(slow): pool._SECONDS * 3}
    tasks = [PlayTask(k, quick, k, k + 1) for k in range(25)] + [PlayTask(k, slow, k, k + 1) for k in range(25, 28)]
    assert [len(batch) for batch in pool._batches(tasks, {})] == [1] * 28
    assert [len(batch) for batch in pool._batches(tasks, known)] == [9, 9, 7, 1, 1, 1]
    assert max(len(batch) for batch in pool._batches(tasks[:25] * 10, {id(quick): 0.0})) == pool._MOST


def test_of_a_batch_that_is_stopped_the_calls_that_ended_before_are_yielded(matches, monkeypatch):
    stop, played = np.zeros(1, np.int64), pool.perform

    def perform(tasks, *flags):
        stop[0] = tasks[0].key == 7
        return played(tasks, *flags)

    monkeypatch.setattr(pool, "perform", perform)
    monkeypatch.setattr(pool, "_batches", lambda tasks, seconds: [list(tasks)])
    tasks = (PlayTask(k, matches[k >= 7], k, k + 1) for k in range(20))
    assert [task.key for task, _ in play_tasks(tasks, 1, stop)] == list(range(7))


def contents(tasks, monkeypatch, most):
    """The results of tasks by key, played in batches of at most so many, as bytes."""
    monkeypatch.setattr(pool, "_batches", lambda tasks, seconds: iter(lambda: list(islice(tasks, most)), []))
    return {
        task.key: (found.games, found.playouts, *(part.tobytes() for part in (found.outcome, found.counts, found.rows)))
        for task, found in play_tasks(iter(tasks), 1, np.zeros(1, np.int64))
    }


@pytest.mark.slow_for("3")
@pytest.mark.parametrize(
    ("game", "players", "agents", "facts"),
    [
        ("strozzi", 4, "random", True),
        ("strozzi", 3, "greedy,flat_mc:playouts=6,ismcts:iterations=8", False),
        ("medici_vs_strozzi", 2, "random", True),
        ("strasbourg", 3, "heuristic", True),
    ],
)
def test_what_is_played_in_one_call_equals_what_is_played_alone(game, players, agents, facts, monkeypatch):
    game = load_game(game)
    lineup = tuple(load_agent(each, game) for each in agents.split(","))
    match = Match(game, players, lineup, resolve_variant(game, "base"), 5, "rotate")
    counted = report_of(game).crosstabs(report_of(game).pages) if facts else ()
    luck = None if facts else LuckMethod(load_agent("learned", game), 2)
    measures = Measures(tuple(counted), rows=True, luck=luck)
    tasks = [PlayTask(k, match, 3 * k + k % 2, 3 * k + 3, measures) for k in range(12)]
    alone = contents(tasks, monkeypatch, 1)
    assert contents(tasks, monkeypatch, 12) == alone
    assert all(alone[k] == contents(tasks[k:], monkeypatch, 5)[k] for k in (5, 11))
    assert len(set(alone.values())) == len(tasks)


PLAYS = """
import multiprocessing, sys
import joblib
import strozzi_sim as ss

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    options = {"players": 3, "agents": "random", "deals": 40, "workers": 2, "progress": False}
    with joblib.parallel_config(backend="multiprocessing"):
        found = ss.simulate("strozzi", **options)
    assert found.tables["seats"].equals(ss.simulate("strozzi", **options).tables["seats"])
    print(found.n_games)
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_of_every_start_method_play_the_same_and_end_without_a_word(method, tmp_path):
    (tmp_path / "plays.py").write_text(PLAYS)
    done = subprocess.run(
        [sys.executable, "plays.py", method], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert (done.stdout, "Traceback" in done.stderr) == ("40\n", False), done.stderr

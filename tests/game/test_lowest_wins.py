"""A game whose lowest score wins: what searches, learners, leads and checks make of it."""

import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_sim.adapters.common import final_rewards
from strozzi_sim.conformance import check_game
from strozzi_sim.errors import ContractViolation
from strozzi_sim.game.new_game import write_new_game
from strozzi_sim.game.record_checking import ReferenceGame

pytestmark = pytest.mark.slow

CHANGES = {  # of the game that `strozzi new` writes: file -> what makes its lowest sum win
    "__init__.py": [
        ('tiers={"weak": "random", "usual": "highest"}', "lowest_wins=True"),
    ],
    "state.py": [("turns_left", "turns_to_come")],  # every game in a process needs its own record
}


@pytest.fixture(scope="module")
def golf(tmp_path_factory):
    """Return the game of `strozzi new`, changed so that the lowest sum wins."""
    folder = tmp_path_factory.mktemp("golf") / "golf"
    write_new_game("golf", folder)
    package = folder / "src" / "golf"
    for file, changes in CHANGES.items():
        text = (package / file).read_text()
        for old, new in changes:
            assert old in text, (file, old)
            text = text.replace(old, new)
        (package / file).write_text(text)
    for file in (package / "core.py", package / "view.py"):
        file.write_text(file.read_text().replace("turns_left", "turns_to_come"))
    sys.path.insert(0, str(package.parent))
    game = import_module("golf").GAME
    game.register()  # its verbs are those of a game whose lowest score wins, whichever test comes first
    yield game
    sys.path.remove(str(package.parent))
    for name in [name for name in sys.modules if name.partition(".")[0] == "golf"]:
        del sys.modules[name]


@pytest.mark.nightly
def test_it_keeps_every_promise(golf):
    assert check_game(golf, players=[3], deals=2).promises["results"] > 0


@pytest.mark.slow
def test_a_placing_that_contradicts_the_score_is_named(golf):
    with pytest.raises(ContractViolation) as broken:
        check_game(replace(golf, lowest_wins=False), players=[3], deals=3)
    said = str(broken.value)
    assert "golf: results: a seat with score " in said
    assert "though the highest score wins; declare Game(lowest_wins=True), or let `score` and `placing` agree" in said


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["flat_mc:playouts=40", "ismcts:iterations=200", "mo_ismcts:iterations=200"])
@pytest.mark.parametrize("utility", ["margin", "rank"])
def test_searches_play_to_win(golf, agent, utility):
    results = ss.simulate(golf, players=2, agents=[f"{agent},utility={utility}", "random"], deals=40, seed=3, workers=1)
    table = results.tables["lineup"].query("position == 0").set_index("figure")
    assert table["value"]["win_share"] > 0.75
    assert table["value"]["lead_mean"] > 0
    assert table["value"]["score_mean"] < results.tables["balance"].set_index("figure")["value"]["score_mean"]


def test_rewards_grow_as_scores_fall(golf):
    for reward in ("score", "lead"):
        env = ss.VectorEnv(golf, 3, 8, reward=reward)
        step = env.reset(5)
        while not len(step.info.finished):
            step = env.step(env.random_actions())
        scores, rewards = step.info.final_scores, step.rewards[step.info.finished]
        wanted = -scores if reward == "score" else (scores.sum(axis=1, keepdims=True) - 3 * scores) / 2
        assert np.allclose(rewards, wanted)
        won = step.info.final_wins > 0
        assert (rewards[won] >= rewards.max(axis=1).repeat(won.sum(axis=1))).all()
    position = ss.Position(golf, 3)
    while not position.over:
        position.play(position.ask("random"))
    assert final_rewards(position, "score") == [-score for score in position.scores]
    best = int(np.argmax(final_rewards(position, "lead")))
    assert position.places[best] == 1
    assert position.scores[best] == min(position.scores)


@pytest.mark.parametrize(
    ("total", "tie_breaks", "highest", "lowest"),
    [
        ([5, 3, 5, 3], [], [0, 2], [1, 3]),
        ([5, 3, 5, 3], [[1, 1, 2, 1]], [2], [1, 3]),
        ([5, 3, 5, 3], [[2, 7, 2, 7], [0, 4, 1, 5]], [2], [3]),
        ([5, 3, 4, 4], [[0, 0, 9, 9]], [0], [1]),  # a tie-break of other seats decides nothing
    ],
)
def test_the_reference_breaks_ties_of_the_best_score(golf, total, tie_breaks, highest, lowest):
    def ended(base):
        class Ended(base):
            __module__ = base.__module__  # by which the game is found

            def course(self):
                self.write_scores(total, *tie_breaks)
                return
                yield

        return Ended({}, players=4).events[-1]["winners"]

    assert ended(ReferenceGame) == highest
    assert ended(import_module("golf.reference").Game) == lowest

"""A small study whose every choice hangs on the last bits of matrix products, run in three ways; `test_processors` runs it.

`python layers_study.py FOLDER` writes the folders `one` (one worker), `two` (two workers) and `resumed` (killed after
three chunks and run again), and prints the digest of the tables of each.
"""

import hashlib
import sys
from pathlib import Path

from strozzi_sim.studies.planning import plan_of_keys as make_plan
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.run import run_study

AGENT = """
import numpy as np
from strozzi_sim.agent import python_agent
from strozzi_sim.games.strozzi.view import OBSERVATION
from strozzi_sim.kernel.seat_rng import SeatRng


@python_agent(name="layers")
class Layers:
    def __init__(self):
        draws = SeatRng(1)
        self.first = np.array([[draws.unit() - 0.5 for _ in range(32)] for _ in range(OBSERVATION)], np.float32)
        self.second = np.array([[draws.unit() - 0.5 for _ in range(15)] for _ in range(32)], np.float32)

    def act_batch(self, observations, legal, rng):
        scores = np.maximum(observations @ self.first, 0) @ self.second
        bits = scores.astype(np.float32).view(np.uint32)
        return np.where(legal, (bits % 1009).astype(np.int64), -1).argmax(axis=1)
"""


class Killed(BaseException):
    """Ends a run as a signal would."""


def digest(folder):
    """SHA-256 of all tables."""
    files = sorted((folder / "tables").iterdir())
    return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).hexdigest()


def kill_after_three(done, total):
    """A progress that kills the run."""
    if done >= 3 * total // 8:
        raise Killed


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "bots.py").write_text(AGENT)
    settings = {
        "name": "layers", "game": "strozzi", "seed": 3, "players": [4], "deals": 600, "chunks": 8, "seatings": "rotate",
        "lineups": [[f"{folder / 'bots.py'}::layers", "random"] * 2], "report": {"pages": ["balance"]},
    }  # fmt: skip
    plan = make_plan(settings, "study.toml")
    for workers, name in ((1, "one"), (2, "two")):
        print(name, digest(run_study(plan, folder / name, workers=workers).folder))
    try:
        run_study(plan, folder / "resumed", workers=2, progress=Progress(on_games=kill_after_three))
    except Killed:
        resumed = run_study(plan, folder / "resumed", workers=1)
        assert 0 < resumed.new_games < resumed.n_games
        print("resumed", digest(resumed.folder))

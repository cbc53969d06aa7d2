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

AGENT = (Path(__file__).parent / "layers_agent.py").read_text()


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

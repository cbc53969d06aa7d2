"""A small study whose every choice hangs on the last bits of matrix products, run in three ways; `test_processors` runs it.

`python layers_study.py FOLDER` writes the folders `one` (one worker), `two` (two workers) and `resumed` (killed after
three chunks and run again), and prints the digest of the tables of each.
"""

import hashlib
import sys
from pathlib import Path

from strozzi_sim.study.progress import GAMES, Progress
from study_examples import played

AGENT = (Path(__file__).parent / "layers_agent.py").read_text()


class Killed(BaseException):
    """Ends a run as a signal would."""


def digest(folder):
    """SHA-256 of all tables."""
    files = sorted((folder / "tables").iterdir())
    return hashlib.sha256(b"".join(file.name.encode() + file.read_bytes() for file in files)).hexdigest()


def kill_after_three(phase, done, total):
    """A progress that kills the run."""
    if phase == GAMES and done >= 3 * total // 8:
        raise Killed


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "bots.py").write_text(AGENT)
    settings = {
        "game": "strozzi", "seed": 3, "players": [4], "deals": 600, "chunks": 8, "seatings": "rotate",
        "lineups": [[f"{folder / 'bots.py'}::layers", "random"] * 2], "report": {"pages": ["balance"]},
    }  # fmt: skip
    for workers, name in ((1, "one"), (2, "two")):
        print(name, digest(played(settings, folder / name, workers=workers).folder))
    try:
        played(settings, folder / "resumed", workers=2, progress=Progress(on_phase=kill_after_three))
    except Killed:
        resumed = played(settings, folder / "resumed")
        assert 0 < resumed.new_games < resumed.n_games
        print("resumed", digest(resumed.folder))

"""How many workers make a study faster, computed from processor seconds, so that two cores tell what sixteen would do.

    python benchmarks/scaling.py [--games 400000] [--turns 3]

Random self-play of Strozzi with 4 players, all facts of the default pages counted, 200 chunks. Workers are threads. Play
releases the interpreter's lock; what surrounds a chunk in its worker (set-up, packing, checksum) and in the parent (storing)
is taken to hold it. So with K chunks of g games on W workers, play takes K * max((g * game + worker) / W, worker + parent)
seconds, and the command adds its fixed part: start, tables, report. A study of 1 game a chunk gives `worker` and `parent`, the
difference from a larger one gives `game`. `bench --count-facts` takes g * K * game / W. Medians of the turns.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import process_time, thread_time
from typing import Any, NamedTuple

import strozzi_sim as ss
from strozzi_sim.study.progress import GAMES, Progress

CHUNKS = 200
WORKERS = 16  # of the computed times
SIZES = (80_000, 1_000_000, 10_000_000, 100_000_000)  # games of a study
NEAR = 1.3


class Costs(NamedTuple):
    """Processor seconds: of a game, of a chunk in its worker and in the parent, and of the rest of the command."""

    game: float
    worker: float
    parent: float
    fixed: float

    def play(self, games: int, workers: int) -> float:
        """Return the seconds in which the chunks of a study are played."""
        return CHUNKS * max((games / CHUNKS * self.game + self.worker) / workers, self.worker + self.parent)

    def saturation(self, games: int) -> float:
        """Return the number of workers beyond which play gets no faster."""
        return (games / CHUNKS * self.game + self.worker) / (self.worker + self.parent)


def played(games: int) -> tuple[float, float]:
    """Return the processor seconds of the parent and of two workers while they play a study in a folder."""
    at: list[tuple[str, float, float]] = []

    def phase(name: str, done: int, total: int) -> None:
        if not at or at[-1][0] != name:
            at.append((name, thread_time(), process_time()))

    study = ss.Study.of(game="strozzi", players=[4], deals=games, lineups=[["random"]])
    with tempfile.TemporaryDirectory() as folder:
        ss.run(study, Path(folder) / "r", workers=2, progress=Progress(on_phase=phase))
    begin = next(k for k, (name, *_) in enumerate(at) if name == GAMES)
    (_, thread, process), (_, thread_after, process_after) = at[begin : begin + 2]
    parent = thread_after - thread
    return parent, process_after - process - parent


def command() -> float:
    """Return the processor seconds of the command with the smallest study, from the start of its process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.toml"
        file.write_text(f'name = "s"\ngame = "strozzi"\nplayers = [4]\ndeals = {CHUNKS}\nlineups = [["random"]]\n')
        words = [sys.executable, "-m", "strozzi_sim", "run", str(file), "--out", f"{folder}/r"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(games: int, turns: int) -> Costs:
    """Return the costs: medians of the turns, after one that fills the cache folder."""
    played(CHUNKS)

    def middle(results: list[Any]) -> Any:
        return [median(each) for each in zip(*results, strict=True)]

    small = middle([played(CHUNKS) for _ in range(turns)])
    large = middle([played(games) for _ in range(turns)])
    game = (large[1] - small[1]) / (games - CHUNKS)
    parent, worker = small[0] / CHUNKS, small[1] / CHUNKS - game
    return Costs(game, worker, parent, median(command() for _ in range(turns)) - sum(small))


def main() -> None:
    """Measure, and print a row for each size of a study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400_000, help="games of the larger study (default: 400000)")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    costs = measured(given.games, given.turns)
    print(f"a game {1e6 * costs.game:.2f} us; a chunk {1e3 * costs.worker:.2f} ms in its worker, ", end="")
    print(f"{1e3 * costs.parent:.2f} ms in the parent; the rest of the command {costs.fixed:.2f} s")
    print(f"| games | saturating workers | play on {WORKERS}, s | / bench | command, s | / bench |\n|{'---|' * 6}")
    for games in SIZES:
        bench, play = games * costs.game / WORKERS, costs.play(games, WORKERS)
        seconds = " | ".join(f"{part:.2f} | {part / bench:.2f}" for part in (play, play + costs.fixed))
        print(f"| {games:,} | {costs.saturation(games):,.0f} | {seconds} |")
    for name, fixed in (("play", 0.0), ("the command", costs.fixed)):
        candidates = (leading * 10**power for power in range(4, 12) for leading in range(1, 10))
        least = next(n for n in candidates if costs.play(n, WORKERS) + fixed <= NEAR * n * costs.game / WORKERS)
        print(f"{name} takes at most {NEAR} times as long as bench from {least:,} games on")


if __name__ == "__main__":
    main()

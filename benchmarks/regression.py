"""Compare the speed of the working tree with that of the last release, and fail where it is slower.

The other revision is checked out as a git worktree in a temporary folder, with a virtual environment of its own that has the versions of
this environment's packages. Both sides play the same deals in turn on one core; a ratio is formed within a turn, so that a machine that gets
slower on the way does not matter. Everything is compiled before it is timed. Times are processor seconds.

A ratio is the speed of the working tree over that of the other revision: the median of the turns, with a 99 % bootstrap interval over turns.
A workload fails if that whole interval is below --limit.

    python benchmarks/regression.py                      # against the last tag
    python benchmarks/regression.py --against HEAD~50 --turns 15
    python benchmarks/regression.py --only vector --json

Exit codes: 0 done, 1 a workload is slower, 2 bad input, 4 a side cannot be built or played.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
from paired import Failure, Side

ROOT = Path(__file__).resolve().parents[1]
SLICE = 0.3  # processor seconds of a turn of the first side, about
LIMIT = 0.95
CONFIDENCE = 0.99
RESAMPLES = 10_000
WORKLOADS: dict[str, tuple[str, ...]] = {  # name: arguments of paired.Side.start, or none for the start of the command
    "strozzi random": ("play", "strozzi", "4", "random"),
    "strozzi heuristic": ("play", "strozzi", "4", "heuristic"),
    "medici_vs_strozzi random": ("play", "medici_vs_strozzi", "2", "random"),
    "medici_vs_strozzi fair-price": ("play", "medici_vs_strozzi", "2", "fair-price"),
    "strasbourg random": ("play", "strasbourg", "4", "random"),
    "strasbourg heuristic": ("play", "strasbourg", "4", "heuristic"),
    "strozzi ismcts": ("play", "strozzi", "4", "ismcts:iterations=500"),
    "strozzi vector": ("vector", "strozzi", "4", "sampled"),
    "strozzi --help": (),
}


def git(*arguments: str) -> str:
    """Return what git prints, in the repository of this file."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(2, f"git {arguments[0]}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return done.stdout.strip()


def last_release() -> str:
    """Return the newest tag that the working tree descends from."""
    try:
        return git("describe", "--tags", "--abbrev=0")
    except Failure:
        raise Failure(2, "--against: there is no tag yet; name a revision") from None


@contextmanager
def other_side(revision: str) -> Iterator[Side]:
    """Yield the other revision, built in a temporary folder that is removed afterwards."""
    commit = git("rev-parse", "--verify", f"{revision}^{{commit}}")
    with tempfile.TemporaryDirectory(prefix="strozzi-regression-") as place:
        folder, environment = Path(place) / "tree", Path(place) / "venv"
        git("worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            venv.create(environment, with_pip=True)
            python, constraints = environment / "bin" / "python", Path(place) / "constraints.txt"
            installed = {each.metadata["Name"]: each.version for each in distributions()}
            lines = (f"{name}=={version}\n" for name, version in installed.items() if name != "strozzi-sim")
            constraints.write_text("".join(lines))
            command = [python, "-m", "pip", "install", "--quiet", "-c", constraints, "-e", folder]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Failure(4, f"{revision}: {(done.stderr.strip().splitlines() or ['cannot be installed'])[-1]}")
            yield Side(f"{folder}={python}")
        finally:
            git("worktree", "remove", "--force", str(folder))


def start_up(side: Side) -> float:
    """Return the processor seconds of `strozzi --help`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [side.python, "-m", "strozzi_sim", "--help"]
    done = subprocess.run(command, capture_output=True, check=False, env=side.environment(), cwd=side.folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Failure(4, f"{side.folder}: strozzi --help ends with {done.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def turns_of(asks: Sequence[Callable[[], float]], turns: int) -> np.ndarray[Any, Any]:
    """Return the times of all sides in turn, float[turns, sides]; every other turn begins with the last side."""
    times = np.zeros((turns, len(asks)))
    for turn in range(turns):
        order = range(len(asks)) if turn % 2 == 0 else reversed(range(len(asks)))
        for side in order:
            times[turn, side] = asks[side]()
    return times


def ratio(times: np.ndarray[Any, Any], confidence: float = CONFIDENCE, seed: int = 0) -> tuple[float, float, float]:
    """Return (median, low, high) of the speed of the second side over that of the first, with a bootstrap interval over turns."""
    found = times[:, 0] / times[:, 1]
    drawn = np.random.default_rng(seed).integers(0, len(found), (RESAMPLES, len(found)))
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.median(found[drawn], axis=1), (tail, 1 - tail))
    return float(np.median(found)), float(low), float(high)


def measure(sides: Sequence[Side], name: str, turns: int) -> dict[str, Any]:
    """Time a workload on both sides in turn."""
    arguments = WORKLOADS[name]
    with ExitStack() as stack:
        if arguments:
            workers = [side.start(stack, *arguments) for side in sides]
            number = 1
            for worker in workers:
                worker(1)
            while (took := workers[0](number)) < SLICE / 4:
                number *= 2
            number = max(1, int(number * SLICE / took))
            asks = [lambda worker=worker: worker(number) for worker in workers]
        else:
            number, asks = 1, [lambda side=side: start_up(side) for side in sides]
        turns_of(asks, 1)  # warms up
        times = turns_of(asks, turns)
    middle, low, high = ratio(times)
    before, after = (number / np.median(times, axis=0)).tolist()
    row = {"workload": name, "before_per_s": before, "after_per_s": after, "ratio": middle, "low": low, "high": high}
    return {**row, "turns": turns}


def main() -> int:
    """Build, measure, print a line for each workload; return the exit code."""
    parser = argparse.ArgumentParser(description="Compare the speed of the working tree with another revision.")
    parser.add_argument("--against", help="revision (default: the last tag)")
    parser.add_argument("--turns", type=int, default=15, help="turns of every side, at least 5 (default: 15)")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"ratio below which a workload fails (default: {LIMIT})")  # fmt: skip
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    try:
        if given.turns < 5:
            raise Failure(2, f"--turns: must be 5 or more, got {given.turns}")
        names = [name for name in WORKLOADS if given.only in name]
        if not names:
            raise Failure(2, f"--only: {given.only!r} is in no workload; they are {', '.join(WORKLOADS)}")
        with other_side(given.against or last_release()) as before:
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
            for name in names:
                rows.append(row := measure((before, Side(str(ROOT))), name, given.turns))
                row["slower"] = row["high"] < given.limit
                if not given.json:
                    print(shown(row), flush=True)
    except Failure as failure:
        print(f"regression: error: {failure}", file=sys.stderr)
        return failure.code
    if given.json:
        print(json.dumps(rows, indent=1))
    return int(any(row["slower"] for row in rows))


def shown(row: dict[str, Any]) -> str:
    """Return a measured workload as a row of Markdown."""
    verdict = "slower" if row["slower"] else "within the limit"
    interval = f"{row['ratio']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
    return f"| {row['workload']} | {row['before_per_s']:,.4g} | {row['after_per_s']:,.4g} | {interval} | {verdict} |"


if __name__ == "__main__":
    sys.exit(main())

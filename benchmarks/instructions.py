"""Count the instructions of a game: the working tree against another commit.

Seconds are noisy to 10 % on a shared machine, instructions are not. Each side plays N and then 3 N games, in a process each, with
compiled code from the cache folder; the difference over 2 N is the cost of a game, since imports and start-up cancel. `perf stat` counts
where the machine lets it, else valgrind, which is slow and has a processor of its own, without AVX-512: everything is compiled
for x86-64-v3, once more, in there. Where neither works the benchmark says so and ends with 0.

    python benchmarks/instructions.py --against v0.1.0
    python benchmarks/instructions.py --against HEAD~3 --only strozzi/heuristic --json

Exit codes: 0 done or nothing to count with, 1 a case costs over 2 % more, 2 bad input, 4 a side cannot be played.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = 1.02  # a ratio above this is named
CASES = {  # game, players, agent, games
    "strozzi/random": ("strozzi", 4, "random", 4_000),
    "strozzi/heuristic": ("strozzi", 4, "heuristic", 400),
    "medici_vs_strozzi/random": ("medici_vs_strozzi", 2, "random", 4_000),
    "medici_vs_strozzi/flat_mc": ("medici_vs_strozzi", 2, "flat_mc:playouts=5", 4),
    "strasbourg/random": ("strasbourg", 4, "random", 4_000),
}
PLAY = """
import sys
from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match
name, players, agent, games = sys.argv[1:]
game = load_game(name)
match = Match(game, int(players), (load_agent(agent, game),), resolve_variant(game, "base"), 2008)
match.play(0, int(games))
"""
_VALGRIND = ["valgrind", "--smc-check=all-non-file"]  # numba makes code while it runs
COUNTERS = {  # commands that run another one: to fill the cache folder, to count; and where the number is told
    "perf": ([], ["perf", "stat", "-x,", "-e", "instructions:u"], re.compile(r"^(\d+),[^,]*,instructions", re.M)),
    "valgrind": (
        [*_VALGRIND, "--tool=none"],
        [*_VALGRIND, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
        re.compile(r"I\s+refs:\s+([\d,]+)"),
    ),
}


class Failure(Exception):
    """An error that ends the benchmark, with its exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def count(counter: str, command: list[str], folder: Path, *, warm: bool = False) -> int | None:
    """Return the instructions that a Python command takes, or None if they are not counted.

    Args:
        counter: key of COUNTERS.
        command: arguments of the interpreter.
        folder: checkout whose sources are imported.
        warm: run it without counting, so that its compiled code is in the cache folder.
    """
    fill, wrapper, told = COUNTERS[counter]
    environment = {
        **os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'agents'}", "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
    }  # fmt: skip
    if counter == "valgrind":
        environment |= {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    words = [*(fill if warm else wrapper), sys.executable, *command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=folder, check=False)
    if done.returncode != 0:
        raise Failure(4, f"{folder}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    found = told.search(done.stderr)
    return int(found[1].replace(",", "")) if found else None


def find_counter() -> str | None:
    """Return the first counter that works here."""
    for name in COUNTERS:
        try:
            if shutil.which(name) and count(name, ["-c", "pass"], ROOT) is not None:
                return name
        except Failure:
            continue
    return None


def per_game(counter: str, case: str, folder: Path) -> float:
    """Return the instructions of a game of the case with the sources in `folder`."""
    game, players, agent, games = CASES[case]
    play = ["-c", PLAY, game, str(players), agent]
    count(counter, [*play, "1"], folder, warm=True)
    few, many = (count(counter, [*play, str(number)], folder) for number in (games, 3 * games))
    if few is None or many is None:
        raise Failure(4, f"{case}: {counter} counted nothing")
    return (many - few) / (2 * games)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Check the commit out into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="strozzi-instructions-") as scratch:
        folder, git = Path(scratch) / "tree", ["git", "-C", str(ROOT), "worktree"]
        done = subprocess.run(
            [*git, "add", "--detach", str(folder), commit], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise Failure(2, f"--against: {done.stderr.strip().splitlines()[-1]}")
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], capture_output=True, check=False)


def main() -> int:
    """Count, print, and name what has grown."""
    parser = argparse.ArgumentParser(description="Count the instructions of a game, here and in another commit.")
    parser.add_argument("--against", required=True, metavar="COMMIT", help="commit, tag or branch to compare with")
    parser.add_argument("--only", default="", help=f"cases whose name contains this, of {', '.join(CASES)}")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    rows = []
    try:
        cases = [case for case in CASES if given.only in case]
        if not cases:
            raise Failure(2, f"--only: must be part of one of {', '.join(CASES)}, got {given.only!r}")
        counter = find_counter()
        if counter is None:
            print("instructions: skipped: neither perf nor valgrind counts instructions here", file=sys.stderr)
            return 0
        with checkout(given.against) as other:
            for case in cases:
                before, after = (per_game(counter, case, folder) for folder in (other, ROOT))
                rows.append({"case": case, "before": before, "after": after, "ratio": after / before})
                if not given.json:
                    grown = f"  over {NAMED - 1:+.0%}" if after > NAMED * before else ""
                    print(f"{case:<27} {before:>14,.0f} -> {after:>14,.0f}  {after / before:.4f}{grown}", flush=True)
    except Failure as failure:
        print(f"instructions: error: {failure}", file=sys.stderr)
        return failure.code
    if given.json:
        print(json.dumps({"against": given.against, "counter": counter, "instructions_per_game": rows}, indent=1))
    return 1 if any(row["ratio"] > NAMED for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

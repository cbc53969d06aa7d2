"""Compare the speed of two checkouts, and of C, in turn: medians of paired ratios with the lowest and highest.

Each side is a process that has compiled everything before it is timed. The sides play the same deals in turn, in processor seconds
of one thread; a ratio is formed within a turn, so that a machine that gets slower on the way does not matter. Where limit/ has the
agent in C, that plays in the same turns. `vector` counts calls of `VectorEnv.step` with 4,096 games, `cold` the processor seconds of a
process with an empty cache folder.

    python benchmarks/paired.py ../before . --pairs 15
    python benchmarks/paired.py ../before=../before/.venv/bin/python . --only strozzi --pairs 5 --json

A side is a folder, or FOLDER=PYTHON with the interpreter of its environment (default: this one, with the folder on PYTHONPATH).
Exit codes: 0 done, 2 bad input, 4 a side cannot be played.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from limit import SUBJECTS, timed
from limit_c import Failure, compile_program, play_c, plays

from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match

SLICE = 0.4  # processor seconds of a turn of the first side, about
HEURISTICS = {"strozzi": "heuristic", "medici_vs_strozzi": "appraiser", "strasbourg": "heuristic"}
SEARCHES = ("flat_mc:playouts=50,utility=win", "ismcts:iterations=500")
WORKER = """
import sys
from time import thread_time
from strozzi_sim.agent import load_agent
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.vector import VectorEnv
kind, name, players, agent = sys.argv[1:]
game, players = load_game(name), int(players)
if kind == "vector":
    env = VectorEnv(game, players, 4096)
    env.reset(2008)
    def play(number):
        for _ in range(number):
            env.step(env.random_actions())
else:
    match = Match(game, players, (load_agent(agent, game),), resolve_variant(game, "base"), 2008)
    plan = match.plan(report_of(game).crosstabs(report_of(game).pages)) if kind == "counted" else None
    def play(number):
        match.play(0, number, plan=plan)
play(1)
for line in sys.stdin:
    began = thread_time()
    play(int(line))
    print(thread_time() - began, flush=True)
"""
COLD = {  # what a process does with an empty cache folder
    "first result": "import strozzi_sim.cli.app as app; app.run(['bench', NAME, '--games', '1', '--workers', '1', '--json'])",
    "first position": "from strozzi_sim import Position; print(Position(NAME, players=PLAYERS).observation(0).shape)",
}


class Side:
    """A checkout and its interpreter."""

    def __init__(self, text: str) -> None:
        folder, _, python = text.partition("=")
        self.folder, self.python = Path(folder).resolve(), python or sys.executable
        if not (self.folder / "strozzi_sim").is_dir():
            raise Failure(2, f"{folder}: must be a checkout, with a folder strozzi_sim in it")

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment in which the side's own sources are imported."""
        return {**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{self.folder / 'agents'}", **more}

    def start(self, stack: ExitStack, *arguments: str) -> Callable[[int], float]:
        """Start a worker; return what has it play so many games or steps and returns the seconds that took."""
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        command = [self.python, "-c", WORKER, *arguments]
        worker: Any = stack.enter_context(subprocess.Popen(command, env=self.environment(), cwd=self.folder, **pipes))

        def ask(number: int) -> float:
            with suppress(BrokenPipeError):
                worker.stdin.write(f"{number}\n")
            if answer := worker.stdout.readline():
                return float(answer)
            raise Failure(4, f"{self.folder}: the worker for {' '.join(arguments)} has ended")

        return ask

    def cold(self, code: str) -> float:
        """Return the processor seconds of a process that runs `code` with an empty cache folder."""
        with tempfile.TemporaryDirectory(prefix="strozzi-paired-") as cache:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            options: dict[str, Any] = {"env": self.environment(STROZZI_CACHE_DIR=cache), "cwd": self.folder}
            done = subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=False, **options)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise Failure(4, f"{self.folder}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cases() -> Iterator[tuple[str, str, int, str]]:
    """Yield (kind, game, players, agent) of everything that is timed."""
    for name in SUBJECTS:
        for players in load_game(name).player_counts:
            yield "counted", name, players, "random"
            for agent in ("random", HEURISTICS[name], *SEARCHES):
                yield "play", name, players, agent
            yield "vector", name, players, "sampled"
        for what in COLD:
            yield "cold", name, load_game(name).player_counts[0], what


def in_c(stack: ExitStack, name: str, players: int, agent: str) -> dict[str, Callable[[int], float]]:
    """Return the programs of limit/ that have the agent, as sides."""
    game = load_game(name)
    match = Match(game, players, (load_agent(agent, game),), resolve_variant(game, "base"), 2008)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strozzi-paired-")))
    found = {}
    for each in SUBJECTS[name].programs:
        library = compile_program(each, match, tuple(SUBJECTS[name].agents), folder)
        if plays(library, match.lineup[0]):
            found[f"{each}.c"] = partial(play_c, library, match)
    return {each: lambda number, play=play: timed(lambda: play(number)) for each, play in found.items()}


def measure(before: Side, after: Side, pairs: int, kind: str, name: str, players: int, agent: str) -> dict[str, Any]:
    """Time a case on all sides in turn; return rates a second (cold starts: seconds) and how fast `after` is beside each."""
    number = 1
    with ExitStack() as stack:
        if kind == "cold":
            code = COLD[agent].replace("NAME", repr(name)).replace("PLAYERS", str(players))
            asks: dict[str, Any] = {"before": lambda _: before.cold(code), "after": lambda _: after.cold(code)}
        else:
            sides = {"before": before, "after": after}
            asks = {key: side.start(stack, kind, name, str(players), agent) for key, side in sides.items()}
            if kind == "play" and agent in SUBJECTS[name].agents:
                asks |= in_c(stack, name, players, agent)
            for ask in asks.values():
                ask(1)
            while (took := asks["before"](number)) < SLICE / 4:
                number *= 2
            number = max(1, int(number * SLICE / took))
        times = [{key: ask(number) for key, ask in asks.items()} for _ in range(pairs)]
    ratios = {key: sorted(turn[key] / turn["after"] for turn in times) for key in asks if key != "after"}
    middle = {key: median(turn[key] for turn in times) for key in asks}
    speed = {key: each if kind == "cold" else number / each for key, each in middle.items()}
    case = {"kind": kind, "game": name, "players": players, "agent": agent, "pairs": pairs}
    found = {key: (median(each), each[0], each[-1]) for key, each in ratios.items()}
    return {**case, "seconds" if kind == "cold" else "per_s": speed, "speed_of_after": found}


def shown(row: dict[str, Any]) -> str:
    """Return a measured case as a line."""
    case = f"{row['kind']} {row['game']} {row['players']} {row['agent']}"
    speed = " ".join(f"{key} {each:,.5g}" for key, each in row.get("per_s", row.get("seconds")).items())
    spread = [f"{mid:.3f} ({low:.3f}-{high:.3f}) of {key}" for key, (mid, low, high) in row["speed_of_after"].items()]
    return f"{case}: {speed}; after is {', '.join(spread)}"


def main() -> int:
    """Measure and print a line for each case."""
    parser = argparse.ArgumentParser(description="Compare the speed of two checkouts, and of C, in turn.")
    parser.add_argument("before", help="FOLDER or FOLDER=PYTHON")
    parser.add_argument("after", help="FOLDER or FOLDER=PYTHON")
    parser.add_argument("--pairs", type=int, default=15, help="turns of every side (default: 15)")
    parser.add_argument("--only", default="", help="cases whose line contains this, e.g. 'play strozzi 4'")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args()
    rows = []
    try:
        before, after = Side(given.before), Side(given.after)
        for case in cases():
            if given.only not in " ".join(map(str, case)):
                continue
            rows.append(row := measure(before, after, given.pairs, *case))
            if not given.json:
                print(shown(row), flush=True)
    except Failure as failure:
        print(f"paired: error: {failure}", file=sys.stderr)
        return failure.code
    if given.json:
        print(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Games per second of whole studies on 1 and 2 workers, local and Dask, beside play alone, and what the rest is spent on.

    python benchmarks/scaling.py [--deals 4000000] [--turns 3]

A small study (20,000 deals) and a large one, 200 chunks each, random self-play of Strozzi with 4 players. "Play" is the same chunks
without store, tables or report. Median of the turns. Dask's scheduler and workers are processes of this machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import strozzi_sim as ss
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.simulation.pool import Task, play_tasks
from strozzi_sim.study.progress import Progress

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from dask_cluster import Cluster

SMALL = 20_000


def study(deals: int) -> ss.Study:
    return ss.Study.of(game="strozzi", players=[4], deals=deals, lineups=[["random"]])


def play_alone(deals: int, workers: int) -> float:
    played = study(deals)
    tasks = [
        Task((cell.number, chunk), cell.match, *played.deals_of(cell, chunk), played.facts(ss.Look()))
        for cell in played.cells
        for chunk in range(played.chunks)
    ]
    began = time.monotonic()
    with stop_flag() as stop:
        for _ in play_tasks(tasks, workers, stop):
            pass
    return time.monotonic() - began


def whole(deals: int, **where: object) -> tuple[float, dict[str, float]]:
    """Return the seconds of a run, and of each of its phases."""
    at = [("start", time.monotonic())]

    def phase(name: str, done: int, total: int) -> None:
        if at[-1][0] != name:
            at.append((name, time.monotonic()))

    with tempfile.TemporaryDirectory() as folder:
        progress = Progress(on_phase=phase)
        results = ss.run(study(deals), Path(folder) / "r", progress=progress, **where)  # type: ignore[arg-type]
        at.append(("report", time.monotonic()))
        results.report()
    at.append(("end", time.monotonic()))
    spent: dict[str, float] = {}
    for (name, begin), (_, end) in pairwise(at):
        spent[name] = spent.get(name, 0.0) + end - begin
    return at[-1][1] - at[0][1], spent


def command(deals: int) -> float:
    """Return the seconds of the command, from the start of its process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.toml"
        file.write_text(f'name = "s"\ngame = "strozzi"\nplayers = [4]\ndeals = {deals}\nlineups = [["random"]]\n')
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "strozzi_sim", "run", str(file), "--out", f"{folder}/r"],
            check=True,
            capture_output=True,
        )
        return time.monotonic() - began


def show(name: str, deals: int, measure: Callable[[], tuple[float, dict[str, float]]], turns: int) -> None:
    found = [measure() for _ in range(turns)]
    seconds = statistics.median(took for took, _ in found)
    phases = {key: statistics.median(spent.get(key, 0.0) for _, spent in found) for key in found[0][1]}
    rest = ", ".join(f"{key} {value:.2f}" for key, value in phases.items())
    print(f"| {name} | {deals:,} | {deals / seconds:,.0f} | {seconds:.2f} | {rest} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=4_000_000)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores")
    print("| where | games | games/s | seconds | of them |\n|---|---|---|---|---|")
    whole(SMALL, workers=1)  # compiles
    for deals in (SMALL, given.deals):
        for workers in (1, 2):
            show(
                f"play alone, {workers} workers", deals, lambda d=deals, w=workers: (play_alone(d, w), {}), given.turns
            )  # type: ignore[misc]
            show(f"study, {workers} workers", deals, lambda d=deals, w=workers: whole(d, workers=w), given.turns)  # type: ignore[misc]
        show("command, all cores", deals, lambda d=deals: (command(d), {}), given.turns)  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder)) as cluster:
        for workers in (1, 2):
            cluster.add()
            cluster.wait_for(workers)
            whole(SMALL, backend="dask", scheduler=cluster.address)  # the worker loads its compiled code
            for deals in (SMALL, given.deals):
                show(
                    f"Dask, {workers} workers",
                    deals,
                    lambda d=deals: whole(d, backend="dask", scheduler=cluster.address),
                    given.turns,
                )  # type: ignore[misc]
    print(f"load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()

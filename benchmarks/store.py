"""Measure the store of a study, or kill and damage it: nothing may be lost.

    python benchmarks/store.py                         # chunks written per second, and how long a full database takes to open
    python benchmarks/store.py --kills 40 --faults 20  # a study killed or damaged at random, resumed, and compared

A killed run (SIGKILL) must keep every chunk that was stored, and the resumed study must have the tables of an undisturbed one,
byte for byte. A fault is a flipped, overwritten or cut part of study.sqlite, outside its first page.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

import numpy as np

import strozzi_sim as ss
from strozzi_sim.simulation.loop import OUTCOME, ROW
from strozzi_sim.simulation.match import MatchResult
from strozzi_sim.study.store import Chunk, Store

STUDY = """name = "store"
game = "strozzi"
players = [3, 4]
deals = 3_000
lineups = [["greedy"], ["random"]]
"""
PAGE = 4_096


def measure(chunks: int, size: int) -> None:
    """Print the rate of writing chunks with `size` bytes of rows, and the time to open and check them all."""
    study = ss.Study.of(game="strozzi", players=[3], lineups=[["random"]], deals=chunks, chunk_deals=1)
    look, kept = ss.Look(pages=()), np.random.default_rng(0).bytes(size)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "r"
        with Store(folder, study, look) as store:
            began = monotonic()
            for cell in study.cells:
                for chunk in range(study.chunks):
                    counts, rows = np.zeros(0, np.int64), np.zeros(0, ROW)
                    played = MatchResult(1, np.zeros(1, OUTCOME), counts, rows, None, kept=kept)
                    store.write(Chunk.of(cell.number, chunk, store._holds[cell.number], played))
            seconds = monotonic() - began
        written = len(study.cells) * study.chunks
        began = monotonic()
        with Store(folder, study, look) as store:
            opened = monotonic() - began
            assert len(store.done) == written
        mib = (folder / "study.sqlite").stat().st_size / 2**20
        print(
            f"{written:,} chunks of {size:,} bytes: {written / seconds:,.0f} written per second; opened in {opened:.2f} s; {mib:,.0f} MiB"
        )


def tables(folder: Path) -> dict[str, bytes]:
    """Return the tables of a results folder."""
    return {path.name: path.read_bytes() for path in (folder / "tables").iterdir()}


def run(study: Path, folder: Path) -> subprocess.Popen[str]:
    """Start `strozzi run`."""
    command = [sys.executable, "-m", "strozzi_sim", "run", str(study), "--out", str(folder), "--workers", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def damage(rng: random.Random, database: Path) -> str:
    """Flip a byte, overwrite a page or cut the end of the database; return what was done."""
    size = database.stat().st_size
    how = rng.choice(("byte", "page", "cut"))
    place = rng.randrange(PAGE, size)
    if how == "cut":
        os.truncate(database, place)
        return f"cut to {place:,} of {size:,} bytes"
    with database.open("r+b") as file:
        file.seek(place if how == "byte" else place // PAGE * PAGE)
        old = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([old[0] ^ 0xFF]) if how == "byte" else rng.randbytes(PAGE))
    return f"{how} at {place:,} of {size:,} bytes"


def disturb(kills: int, faults: int, seed: int) -> int:
    """Kill and damage studies, resume them and compare; return the number of failures."""
    rng, failed, refused = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        study = place / "study.toml"
        study.write_text(STUDY)
        run(study, place / "first").communicate()  # compiles everything, so that it does not count as play below
        began = monotonic()
        run(study, place / "whole").communicate()
        seconds = monotonic() - began
        expected = tables(place / "whole")
        for number in range(kills + faults):
            folder = place / "r"
            if number < kills:
                process = run(study, folder)
                sleep(rng.uniform(0.1, 0.9) * seconds)
                process.kill()
                process.communicate()
                what = "killed"
            else:
                shutil.copytree(place / "whole", folder)
                what = damage(rng, folder / "study.sqlite")
            again = run(study, folder)
            errors = again.communicate()[1]
            if again.returncode == 2 and "study.sqlite" in errors and number >= kills:
                refused += 1  # the schema, the study or the list of files is hit: one line says so
            elif again.returncode or tables(folder) != expected:
                failed += 1
                print(f"case {number}, {what}: exit code {again.returncode}\n{errors}", flush=True)
            shutil.rmtree(folder)
    print(f"{kills} kills, {faults} faults: {failed} failed, {refused} refused in one line")
    return failed


def main() -> int:
    """Measure, or disturb."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.kills or given.faults:
        return int(disturb(given.kills, given.faults, given.seed) > 0)
    measure(given.chunks, 1_000)
    measure(max(given.chunks // 20, 1), 60_000)
    return 0


if __name__ == "__main__":
    sys.exit(main())

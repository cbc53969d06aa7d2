"""Scripts that call public functions again and again, until a signal stops them."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from paths import ROOT

SHEETS = ROOT / "tests" / "study" / "sheets.csv"
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
CALLS = {  # k is the number of the call
    "simulate": "ss.simulate('strozzi', players='3,4', agents='heuristic', deals=20_000, seed=k, folder=f'r{k}')",
    "precision": "ss.simulate('strozzi', players=3, agents='random', precision=0.3, seed=k, folder=f'r{k}')",
    "compare": "ss.compare('strozzi', 'heuristic', 'random', opponents='greedy', players=3, deals=150, seed=k)",
    "worth": "ss.worth('strozzi', 'flag:*', players=3, agents='random', deals=3000, seed=k, folder=f'r{k}')",
    "sweep": "ss.sweep('strozzi', {'tracks.bonus.9': [10, 15]}, players=3, agents='random', deals=9000, folder=f'r{k}')",
    "tournament": "ss.tournament('strozzi', ['random', 'greedy', 'racer'], players=3, deals=500, folder=f'r{k}')",
    "weights": "ss.weights('strozzi', players=3, agents='random', deals=20_000, keys='t*', seed=k, folder=f'r{k}')",
    "luck": "ss.luck('strozzi', agents='heuristic,random,greedy', players=3, deals=200, games=30, seed=k, folder=f'r{k}')",
    "exploit": "ss.exploit('strozzi', 'greedy', challengers='random,racer', players=3, deals=3000, folder=f'r{k}')",
    "our_table": "ss.our_table('strozzi', SHEETS, deals=3000, seed=k, folder=f'r{k}')",
    "leak_check": "ss.leak_check('strozzi', 'heuristic', players=3, deals=40)",
    "heatmap": "ss.heatmap('strozzi', rows='seat', columns='round', value='mean coins', fact='round', deals=5000)",
    "search": "ss.simulate('strozzi', players=3, agents='flat_mc:playouts=2000', deals=40, folder=f'r{k}')",
    "run": "ss.run(ss.Study.of(game='strasbourg', deals=9000, lineups=[['random']], seed=k), f'r{k}')",
    "merge": (
        "[ss.run(STUDY, f'p{part}-{k}', part=f'{part}/2') for part in (1, 2)];"
        "ss.merge([f'p1-{k}', f'p2-{k}'], folder=f'r{k}')"
    ),
    "report": "ss.load_results('whole').report()",
    "record": "ss.record('strozzi', 4, 'heuristic', 300, seed=k)",
    "analyse": "ss.analyse(RECORD, agent='learned')",
    "check_agent": "ss.check_agent('heuristic', 'strozzi')",
    "check_game": "ss.check_game('medici_vs_strozzi')",
    "position": "ss.Position('strozzi', 3, seed=k).ask('flat_mc:playouts=200000')",
}
BEFORE = {
    "our_table": f"SHEETS = {str(SHEETS)!r}",
    "merge": "STUDY = ss.Study.of(game='strozzi', players=[3], deals=9000, lineups=[['heuristic']])",
    "report": "ss.simulate('strozzi', players=3, agents='random', deals=200, folder='whole')",
    "analyse": "(RECORD,) = ss.record('strozzi', 3, 'heuristic', seed=2)",
}


class End(NamedTuple):
    """How a script ended."""

    status: int
    seconds: float  # after the signal
    said: str


def script(name: str, calls: str = "itertools.count()") -> str:
    """Return a script that calls a function with the numbers `calls`."""
    return (
        f"import itertools\nimport strozzi_sim as ss\n{BEFORE.get(name, '')}\nprint('ready', flush=True)\n"
        f"for k in {calls}:\n    {CALLS[name]}\n"
    )


def heed_signals() -> None:
    """Give signals their usual meaning, in a new process: a shell lets its background jobs ignore some of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def started(name: str, folder: Path, **environment: str) -> "subprocess.Popen[str]":
    """Start a script in a session of its own, once it is ready to call."""
    process = subprocess.Popen(
        [sys.executable, "-c", script(name)], cwd=folder, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}, preexec_fn=heed_signals,
    )  # fmt: skip
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 600)[0]
    assert process.stdout.readline() == "ready\n"
    return process


def stopped(process: "subprocess.Popen[str]", number: int, patience: float) -> End:
    """Send a signal; return how the script ended."""
    began = time.monotonic()
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=patience)
    finally:
        process.kill()
    return End(process.returncode, time.monotonic() - began, said)


def left_behind(session: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def finish(name: str, folder: Path) -> None:
    """Call the function again for every results folder that a stopped script has begun."""
    last = max((int(path.name.removeprefix("r")) for path in folder.glob("r[0-9]*")), default=-1)
    again = script(name, f"range({max(last - 1, 0)}, {last + 1})")
    subprocess.run([sys.executable, "-c", again], cwd=folder, check=True, stdout=subprocess.DEVNULL)

"""Whatever is typed or read: one line of error, a documented exit code, no hang, and the user's files as they were.

Each case is a command with the files it reads, spoiled at random; it is made of the seed and its number alone, so that
one can be played again. Most run in a process of many cases, some in one of their own, as a user's do.

    python benchmarks/fuzz.py --cases 5000             # about 20 minutes
    python benchmarks/fuzz.py --seed 1 --case 4711     # one of them, with its files kept and its output shown
    python benchmarks/fuzz.py --pages 100              # pages of small studies instead, about 10 minutes

A case fails if it ends with an exit code that is not documented or is 70, prints a traceback, prints more or less than
one line of error or anything else besides it, takes more than 20 seconds (of processor time, so that a busy machine finds
no hangs; if it waits for something, of five minutes), or leaves, changes or loses a file that is
not its own; and if it ends with 0 where nonsense was put in. Exit codes: 0 no case failed, 1 some did.
"""

import argparse
import contextlib
import io
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any
from unittest import mock

from fuzz_cases import STUDY, Case, make_case
from fuzz_pages import make_page, make_study

ALLOWED = (0, 1, 2, 3, 4)
SECONDS = 20
PATIENCE = 300  # seconds of the clock
TOLD = 250  # the count so far is printed after this many cases
MEMORY = 12 * 2**30  # of addresses; a case that needs more has no measure
OWN_PROCESS = 100  # one case in this many is a process of its own
SAID = (
    "resuming: ",
    "chunk ",
    "add --out ",
    "an agent was never ahead ",
    "Strozzi, ",
    "Medici vs Strozzi, ",
    "Strasbourg, ",
)


@dataclass
class Outcome:
    """What a case did."""

    code: int
    out: str
    err: str
    seconds: float


class _Hang(BaseException):
    """A case took too long; no `except Exception` catches it."""


def template(folder: Path) -> Path:
    """Records and results folders that nothing is wrong with."""
    (folder / "study.toml").write_text(STUDY)
    commands = (
        "record strozzi --players 3 --games 2 --out strozzi.jsonl",
        "record medici_vs_strozzi --games 2 --out medici_vs_strozzi.jsonl",
        "run study.toml --workers 1 --out study",
        "tournament strozzi --players 3 --agents random,greedy,racer --deals 4 --workers 1 --out tournament",
        "replay strozzi.jsonl --explain random --decision 2",
        "replay medici_vs_strozzi.jsonl --explain random --decision 2",
    )
    for command in commands:
        done = call(command.split(), folder, "", 600)  # it may have to compile
        assert done.code == 0, (command, done.err)
    return folder


def call(arguments: list[str], folder: Path, stdin: str, limit: int = SECONDS) -> Outcome:
    """Run a command in `folder` within this process; `limit` is in seconds of processor time."""
    from strozzi_sim.cli.app import run

    def hang(number: int, frame: Any) -> None:
        raise _Hang

    out, err, here, began = io.StringIO(), io.StringIO(), Path.cwd(), monotonic()
    before = signal.signal(signal.SIGPROF, hang)
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            mock.patch("sys.stdin", io.StringIO(stdin)),
        ):
            signal.setitimer(signal.ITIMER_PROF, limit)
            code = run(arguments)
    except _Hang:
        code = -1
    except BaseException as error:  # noqa: BLE001 - what gets out of the command is what this looks for
        code = -2
        err.write(f"Traceback: {error!r} got out\n" + "".join(traceback.format_tb(error.__traceback__)[-3:]))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        os.chdir(here)
    return Outcome(code, out.getvalue(), err.getvalue(), monotonic() - began)


def own_process(arguments: list[str], folder: Path, stdin: str) -> Outcome:
    """Run the `strozzi` command in `folder`, as a user does."""
    began = monotonic()
    command = [str(Path(sys.executable).with_name("strozzi")), *arguments]
    try:
        done = subprocess.run(
            [os.fsencode(word) for word in command], cwd=folder, input=stdin.encode(errors="surrogateescape"),
            capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Outcome(-1, "", "", monotonic() - began)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode(), monotonic() - began)


def _files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder: the bytes of files, where links lead, the names of folders."""
    contents = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            contents[name] = b"-> " + os.fsencode(path.readlink())
        else:
            contents[name] = b"folder" if path.is_dir() else path.read_bytes()
    return contents


def wrong(case: Case, done: Outcome, before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[str]:
    """What is wrong with an outcome, in words."""
    code, err = done.code, done.err
    if code == -1:
        yield f"hangs for more than {SECONDS} s"
        return
    if code not in ALLOWED:
        yield f"exit code {code}"
    if "--debug" not in case.arguments and ("Traceback" in err or "Exception ignored" in err):
        yield "a traceback"
    errors = [line for line in err.splitlines() if line.startswith("strozzi: error: ")]
    others = [line for line in err.splitlines() if line not in errors and not line.startswith(SAID)]
    fails = code not in (0, 1)
    if len(errors) != (1 if fails else min(len(errors), 1)) or (code == 0 and errors):
        yield f"{len(errors)} lines of error"
    if fails and others and "--debug" not in case.arguments:
        yield f"other lines on standard error: {others[0]!r}"
    if errors and code in (1, 2) and done.out:
        yield "standard output beside an error"
    if case.must_fail and code == 0:
        yield "nonsense was let through"
    if code == 0 and done.out and any(b == "--json" != a and a != "--out" for a, b in pairwise(case.arguments)):
        try:
            json.loads(done.out)
        except ValueError:
            if not done.out.startswith(("Usage: ", "strozzi-sim ")):  # of --help and --version
                yield "standard output is not one JSON document"
    ours = tuple(f"{name.rstrip('/')}" for name in case.writes)
    for name in sorted({*before, *after}):
        if name.startswith("__pycache__"):
            continue  # Python's own, of the user's agents
        mine = any(os.path.normpath(name) == os.path.normpath(own) or name.startswith(f"{own}/") for own in ours)
        touched = before.get(name) != after.get(name)
        if touched and (not mine or name.endswith("mine.txt")):
            yield f"{name!r} was {'lost' if name not in after else 'changed' if name in before else 'left behind'}"
        elif touched and code == 2 and name not in before:
            yield f"{name!r} was left behind by bad input"
        elif touched and name.endswith(".tmp"):
            yield f"{name!r} is half-written"


def play(
    seed: int, number: int, model: Path, *, quick: bool = False, folder: Path | None = None
) -> tuple[Case, Outcome, list[str]]:
    """Run one case; gives it, what it did, and what is wrong with that."""
    with contextlib.ExitStack() as stack:
        here = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-")))
        case = make_case(seed, number, here, model, quick=quick)
        before = _files(here)
        own = not quick and number % OWN_PROCESS == 0 and not any("\0" in word for word in case.arguments)
        done = (own_process if own else call)(case.arguments, here, case.stdin)
        return case, done, list(wrong(case, done, before, _files(here)))


def _work(seed: int, first: int, last: int, model: Path) -> None:
    """Cases in this process, each told in a line of JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="fuzz-warm-") as name:
        template(Path(name))  # so that no case has to wait for the compiler
    told = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a case may write to `-`
    for number in range(first, last):
        case, done, faults = play(seed, number, model)
        line = {
            "case": number,
            "code": done.code,
            "seconds": done.seconds,
            "faults": faults,
            "kind": case.arguments[0][:20],
        }
        print(
            json.dumps(line | {"arguments": [word[:60] for word in case.arguments], "err": done.err[:300]}),
            file=told,
            flush=True,
        )


def _all(seed: int, first: int, last: int, model: Path) -> Iterator[dict[str, Any]]:
    """All cases, in a process that is replaced if it hangs or dies."""
    while first < last:
        command = [sys.executable, __file__, "--seed", str(seed), "--work", f"{first}-{last}", "--model", str(model)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            while first < last:
                ready, _, _ = select.select([worker.stdout], [], [], PATIENCE)
                line = worker.stdout.readline() if ready else b""
                if not line:
                    worker.kill()
                    how = "ended the process" if ready else "hangs and cannot be interrupted"
                    yield {
                        "case": first,
                        "code": -3,
                        "seconds": 0.0,
                        "faults": [how],
                        "kind": "?",
                        "arguments": [],
                        "err": "",
                    }
                    first += 1
                    break
                yield json.loads(line)
                first += 1


def draw_pages(seed: int, first: int, last: int) -> int:
    """Make pages of small studies; return how many failed."""
    failed = 0
    for number in range(first, last):
        study = make_study(seed, number)
        faults = make_page(study)
        if faults:
            failed += 1
            print(f"page {number}: {'; '.join(faults)}\n    {study}", flush=True)
    print(f"seed {seed}, {last - first} pages: {failed} failed")
    return failed


def main() -> int:
    """Run the cases that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="this one alone, shown whole")
    parser.add_argument("--pages", type=int, help="make so many pages of small studies instead")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--model", type=Path, help="a folder that `template` filled; default: a new one")
    asked = parser.parse_args()
    if asked.work:
        first, last = map(int, asked.work.split("-"))
        _work(asked.seed, first, last, asked.model)
        return 0
    if asked.pages:
        return draw_pages(asked.seed, asked.first, asked.first + asked.pages) > 0
    began, failed, codes, kinds = monotonic(), 0, Counter[int](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="fuzz-model-") as name:
        model = asked.model or template(Path(name))
        if asked.case is not None:
            folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{asked.seed}-{asked.case}-"))
            case, done, faults = play(asked.seed, asked.case, model, folder=folder)
            print(
                f"{folder}\n{case}\n--- exit code {done.code} after {done.seconds:.1f} s\n{done.out}\n---\n{done.err}\n--- {faults}"
            )
            return bool(faults)
        slowest = 0.0
        for outcome in _all(asked.seed, asked.first, asked.first + asked.cases, model):
            codes[outcome["code"]] += 1
            kinds[outcome["kind"]] += 1
            slowest = max(slowest, outcome["seconds"])
            if outcome["case"] % TOLD == TOLD - 1:
                print(f"{sum(codes.values())} cases, {failed} failed, {monotonic() - began:.0f} s", flush=True)
            if outcome["faults"]:
                failed += 1
                print(
                    f"case {outcome['case']}: {'; '.join(outcome['faults'])}\n    {outcome['arguments']}\n    {outcome['err']}",
                    flush=True,
                )
    print(
        f"seed {asked.seed}, {asked.cases} cases in {monotonic() - began:.0f} s, the slowest {slowest:.1f} s: {failed} failed"
    )
    print(f"exit codes {dict(sorted(codes.items()))}, commands {dict(kinds.most_common())}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

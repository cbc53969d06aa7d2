"""Results folders of strangers: links, pipes, changed manifests, foreign code, wrong types, truncated files.

Each case spoils a copy of a results folder, lays it beside files of the user's and gives it to a command. It is made of the
seed and its number alone.

    python benchmarks/fuzz_folders.py --cases 300            # about 8 minutes
    python benchmarks/fuzz_folders.py --seed 1 --case 47     # one of them, with its files kept and its output shown

A case fails if it ends with an exit code other than 0, 2 and 4; prints a traceback, a warning, or more or less than one line
of error; hangs; runs code that lies in the folder; changes, replaces or makes a file outside the folder, or one of the user's
inside it; or writes markup of the stranger's into the page. Exit codes: 0 no case failed, 1 some did.
"""

import argparse
import os
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from fuzz import SAID, Outcome, call, own_process
from fuzz_folder_cases import MARKUP, OURS, STUDY, TOURNAMENT, Stranger, make_case

ALLOWED = (0, 2, 4)
SECONDS = 60  # of the clock: a pipe that is waited for takes no processor time
OWN_PROCESS = 30  # one case in this many is a process of its own
TOLD = 50  # the count so far is printed after this many cases
READ = (
    "manifest.json",
    "study.sqlite",
    "tables",
    "tables/seats.parquet",
    "games",
    "facts",
    "facts/round",
)  # from Python


def template(folder: Path) -> Path:
    """Fill `folder` with results that nothing is wrong with."""
    (folder / "study.toml").write_text(STUDY)
    for command in ("run study.toml --workers 1 --out study", f"{TOURNAMENT} tournament"):
        done = call(command.split(), folder, "", 600)  # it may have to compile
        assert done.code == 0, (command, done.err)
    return folder


def users(root: Path) -> dict[str, tuple[Any, ...]]:
    """All that is the user's: everything outside the results folder, and what lies in it and is not of a run."""
    kept: dict[str, tuple[Any, ...]] = {}
    for path in (root, *root.rglob("*")):
        inside = path.is_relative_to(root / "r")
        if (inside and path.name not in ("mine", "mine.txt")) or "__pycache__" in path.parts:
            continue
        state = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        times = (state.st_mtime_ns,) if path != root else ()
        kept[str(path.relative_to(root))] = (state.st_mode, state.st_ino, *times, content)
    return kept


def perform(case: Stranger, number: int) -> Outcome:
    """Do what the user does with the folder."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    if case.inside:
        arguments = (
            ["report", "."]
            if case.arguments == ["python"]
            else [word.replace("study.toml", "../study.toml") for word in case.arguments]
        )
        return own_process([{"r": "."}.get(word, word) for word in arguments], case.folder, "")
    if case.arguments != ["python"] and number % OWN_PROCESS == 0:
        return own_process(case.arguments, case.root, "")
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        return _read(case.folder) if case.arguments == ["python"] else call(case.arguments, case.root, "", SECONDS)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _read(folder: Path) -> Outcome:
    """Read everything in a folder from Python."""
    from strozzi_sim.errors import StrozziError
    from strozzi_sim.studies.results import load_results

    began, code, err = monotonic(), 0, ""
    try:
        results = load_results(folder)
        str(results)
        results._repr_html_()
        for read in (lambda: results.facts("round"), lambda: results.games, lambda: results.plot()):
            try:
                read()
            except StrozziError as error:
                code, err = error.exit_code, f"strozzi: error: {error}\n"
    except StrozziError as error:
        code, err = error.exit_code, f"strozzi: error: {error}\n"
    except BaseException as error:  # noqa: BLE001 - what gets out is what this looks for
        code, err = -2, f"Traceback: {error!r} got out\n" + "".join(traceback.format_tb(error.__traceback__)[-3:])
    return Outcome(code, "", err, monotonic() - began)


def wrong(case: Stranger, done: Outcome, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What is wrong with an outcome, in words."""
    if done.code == -1 or "more than" in done.err.partition("TimeoutError")[2][:30]:
        yield f"hangs for more than {SECONDS} s"
    elif done.code not in ALLOWED:
        yield f"exit code {done.code}"
    if "Traceback" in done.err or "Exception ignored" in done.err or "Warning: " in done.err:
        yield "a traceback or a warning"
    lines = done.err.splitlines()
    errors = [line for line in lines if line.startswith("strozzi: error: ")]
    others = [line for line in lines if line not in errors and not line.startswith(SAID) and "played again" not in line]
    if len(errors) != (done.code != 0):
        yield f"{len(errors)} lines of error"
    if others:
        yield f"other lines on standard error: {others[0][:80]!r}"
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"{name!r} was {'lost' if name not in after else 'changed' if name in before else 'made'}"
    if "ran" in after:
        yield "code of the folder was run"
    looked_at = READ if case.arguments == ["python"] else OURS
    if done.code == 0 and (links := [name for name in looked_at if name in case.links]):
        yield f"links were passed over: {', '.join(links)}"
    page = case.folder / "report.html"
    if done.code == 0 and page.is_file() and MARKUP in page.read_text("utf-8", "replace"):
        yield "markup of the stranger's stands on the page"


def play(seed: int, number: int, model: Path, root: Path) -> tuple[Stranger, Outcome, list[str]]:
    """Run one case in an empty folder; return it, what it did, and what is wrong with that."""
    case = make_case(seed, number, root, model)
    before = users(root)
    done = perform(case, number)
    return case, done, list(wrong(case, done, before, users(root)))


def main() -> int:
    """Run the cases that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="this one alone, shown whole")
    asked = parser.parse_args()
    began, failed, codes, deeds = monotonic(), 0, Counter[int](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="strangers-model-") as name:
        model = template(Path(name))
        if asked.case is not None:
            root = Path(tempfile.mkdtemp(prefix=f"stranger-{asked.seed}-{asked.case}-"))
            case, done, faults = play(asked.seed, asked.case, model, root)
            print(
                f"{case}\n--- exit code {done.code} after {done.seconds:.1f} s\n{done.out}\n---\n{done.err}\n--- {faults}"
            )
            return bool(faults)
        for number in range(asked.first, asked.first + asked.cases):
            with tempfile.TemporaryDirectory(prefix="stranger-") as place:
                case, done, faults = play(asked.seed, number, model, Path(place))
            codes[done.code] += 1
            deeds.update(deed.partition(":")[0] for deed in case.deeds)
            if faults:
                failed += 1
                print(
                    f"case {number}: {'; '.join(faults)}\n    {case.arguments} {case.deeds}\n    {done.err[-600:]}",
                    flush=True,
                )
            if number % TOLD == TOLD - 1:
                print(f"{sum(codes.values())} cases, {failed} failed, {monotonic() - began:.0f} s", flush=True)
    print(f"seed {asked.seed}, {asked.cases} folders in {monotonic() - began:.0f} s: {failed} failed")
    print(f"exit codes {dict(sorted(codes.items()))}, deeds {dict(deeds.most_common())}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

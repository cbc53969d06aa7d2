"""Count how many changed lines of the cores, the scoring and the studies the tests notice.

    python benchmarks/mutations.py learned.json --learn                      # once: the seconds of every test, and who runs which line of a study
    python benchmarks/mutations.py learned.json --number 60 --seed 1 --json found.jsonl      # a line as each change is judged; run again, it resumes
    python benchmarks/mutations.py other.json --tests ../other --before found.jsonl --json others.jsonl    # the same changes, by another checkout's tests

Each change is one operator, comparison, number, or word of logic of one line, drawn uniformly from all that there are in `PLACES`, half of them of
games and half of studies, the same for a seed and a commit. A copy of the working tree gets the change and runs tests until one fails: of a study
those that run the line and then those beside them, of a core those of files in which a test names its game; the quickest first, as many as took
`--seconds` when they were learned, so that the speed of the machine decides nothing. A change that no test notices is shown as a difference; some
of them change nothing that can be seen, so what counts is the number beside that of another commit.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from strozzi_sim.runtime.cache import cache_root

ROOT = Path(__file__).parents[1]
COPIED = (
    "strozzi_sim",
    "agents",
    "tests",
    "docs",
    "experiments",
    "benchmarks",
    "examples",
    "pyproject.toml",
    "README.md",
)
STUDY, TESTS_OF_STUDIES = "strozzi_sim/study", ("tests/study", "tests/report", "tests/game", "tests/facts", "tests/cli")
GAMES = ("strozzi", "medici_vs_strozzi", "strasbourg")
PLACES = (
    *(f"strozzi_sim/games/{game}/{name}.py" for game in GAMES for name in ("core", "scoring", "legal_actions", "step_actions")),
    STUDY,
)  # fmt: skip
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One line of a file and its replacement."""

    file: str
    line: int  # from 1
    before: str
    after: str

    @property
    def name(self) -> str:
        """The change as a line of a difference."""
        return f"{self.file}:{self.line}: {self.before.strip()}  ->  {self.after.strip()}"


def changes_of(file: Path) -> Iterator[Change]:
    """Yield all changes of a file, each in one line."""
    source = file.read_text("utf-8")
    lines = source.splitlines()
    nodes = list(ast.walk(ast.parse(source)))
    strict = {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg == "strict"}  # of zip
    notes = [note for node in nodes for name in ("annotation", "returns") if (note := getattr(node, name, None))]
    typed = {id(part) for note in notes for part in ast.walk(note)}  # which changes nothing
    for node in nodes:
        for place, old, new in _replacements(node):
            if id(place) in strict | typed or place.lineno != place.end_lineno or place.lineno > len(lines):
                continue
            text = lines[place.lineno - 1]
            start, end = (len(text.encode()[:offset].decode()) for offset in (place.col_offset, place.end_col_offset))
            if text[start:end] == old:
                after = text[:start] + new + text[end:]
                yield Change(str(file.relative_to(ROOT)), place.lineno, text, after)


def _replacements(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield expressions with their source and what replaces it."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare):
        operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
        if type(operator) in SWAPS and not (isinstance(node, ast.Compare) and len(node.ops) > 1):
            old = ast.unparse(node)
            other = SWAPS[type(operator)]()
            if isinstance(node, ast.Compare):
                new = ast.unparse(ast.Compare(node.left, [other], node.comparators))
            elif isinstance(node, ast.BoolOp):
                new = ast.unparse(ast.BoolOp(other, node.values))
            else:
                new = ast.unparse(ast.BinOp(node.left, other, node.right))
            yield node, old, new
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, str(node.value), str(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield node, str(node.value), str(not node.value)


def drawn(number: int, seed: int) -> list[Change]:
    """Return so many changes, half of them of games and half of studies, in random order."""
    kinds: dict[bool, list[Change]] = {True: [], False: []}
    for place in PLACES:
        path = ROOT / place
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.is_file() else []
        kinds[place == STUDY] += [each for file in files for each in changes_of(file)]
    stream = random.Random(seed)
    found = [each for kind in kinds.values() for each in stream.sample(kind, min(number // 2, len(kind)))]
    stream.shuffle(found)
    return found


class Learned(msgspec.Struct):
    """What tests take, and which of them run a line of a study."""

    seconds: dict[str, float]  # of each test
    lines: dict[str, dict[int, list[str]]]  # file -> line -> tests

    def tests_of(self, change: Change, limit: float) -> list[str]:
        """Return the tests that judge a change, the likeliest and quickest first, as many as take `limit` seconds."""
        if change.file.startswith(STUDY):
            ran = self.lines.get(change.file, {})
            likely = set(ran.get(change.line, ()))
            files = {test.split("::")[0] for tests in ran.values() for test in tests}
            beside = {test for test in self.seconds if test.split("::")[0] in files} - likely
        else:
            game = change.file.split("/")[2]
            games_of = {
                test: {name for name in GAMES if re.search(rf"[/[-]{name}[]/-]", test)} for test in self.seconds
            }
            files = {test.split("::")[0] for test, games in games_of.items() if game in games}
            likely = {test for test, games in games_of.items() if test.split("::")[0] in files and games <= {game}}
            beside = set()
        chosen, taken = [], 0.0
        for test in sorted(likely & self.seconds.keys(), key=self._time) + sorted(beside, key=self._time):
            taken += self.seconds[test]
            if taken < limit:
                chosen.append(test)
        return chosen

    def _time(self, test: str) -> tuple[float, str]:
        return self.seconds[test], test


def learn(tests: Path, file: Path) -> None:
    """Write how long the default tests take, and which tests of studies run which line of a study."""
    with tempfile.TemporaryDirectory() as folder:
        report, environment = Path(folder) / "report", _environment(tests) | {"COVERAGE_FILE": f"{folder}/coverage"}

        def ask(*words: str) -> str:
            command = [sys.executable, "-m", *words]
            done = subprocess.run(command, cwd=tests, env=environment, capture_output=True, text=True, check=False)
            return done.stdout

        printed = ask("pytest", "-p", "no:cacheprovider", "--durations=0", "--durations-min=0", "-vv")
        seconds: dict[str, float] = defaultdict(float)
        for taken, test in re.findall(r"^([\d.]+)s (?:setup|call) +(.*)$", printed, re.MULTILINE):
            seconds[test] += float(taken)
        if not seconds:
            raise SystemExit(printed[-2000:])
        lines = ("--cov=strozzi_sim.study", "--cov-context=test", "--cov-report=")
        # without the test that spoils SQLite, in which coverage keeps its data
        ask("pytest", "-p", "no:cacheprovider", *lines, *TESTS_OF_STUDIES, "-k", "not a_disk_without_locks")
        # not imported: a script beside this one has its name
        ask("coverage", "json", "--show-contexts", "-o", str(report))
        found = json.loads(report.read_text("utf-8"))["files"]
    file.write_bytes(msgspec.json.encode(Learned(dict(seconds), _lines(found, seconds))))


def _lines(found: dict[str, Any], seconds: Iterable[str]) -> dict[str, dict[int, list[str]]]:
    """Return the tests that ran each line of each file. A fixture may serve every test of its file."""
    of_file: dict[str, list[str]] = defaultdict(list)
    for test in seconds:
        of_file[test.split("::")[0]].append(test)

    def served(context: str) -> list[str]:
        test, _, phase = context.rpartition("|")
        return [test] if phase == "run" else of_file[test.split("::")[0]]

    return {
        file: {
            int(line): sorted({test for context in contexts if context for test in served(context)})
            for line, contexts in each["contexts"].items()
        }
        for file, each in found.items()
    }


def _environment(tree: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{tree}{os.pathsep}{tree / 'agents'}"}


def judge(change: Change, tree: Path, tests: list[str], timeout: float) -> str:
    """Return the test that notices a change, "time" if none ends, or "" if all pass."""
    file = tree / change.file
    kept = file.read_text("utf-8")
    lines = kept.splitlines(keepends=True)
    lines[change.line - 1] = lines[change.line - 1].replace(change.before, change.after)
    file.write_text("".join(lines), "utf-8")
    environment = _environment(tree) | {"STROZZI_CACHE_DIR": str(tree / "cache")}
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-rfE", "-p", "no:cacheprovider", "--no-header", *tests]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        file.write_text(kept, "utf-8")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else "" if done.returncode == 0 else f"exit code {done.returncode}"


def _judged(file: Path | None) -> dict[str, str]:
    """Return what noticed each change, from a file with a line for each."""
    if file is None or not file.exists():
        return {}
    return {each["change"]: each["noticed"] for each in map(json.loads, file.read_text("utf-8").splitlines())}


def main() -> None:
    """Judge the changes and print how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("learned", type=Path, help="what --learn wrote")
    parser.add_argument("--learn", action="store_true", help="write it, with the default tests of the checkout")
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", type=Path, default=ROOT, help="checkout whose tests judge; default: this one")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the tests of one change, as they were learned")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds after which a change counts as noticed")
    parser.add_argument("--before", type=Path, help="a file of --json: the test that noticed there judges first")
    parser.add_argument("--json", type=Path, default=Path("mutations.jsonl"), help="a line for each change judged")
    given = parser.parse_args()
    if given.learn:
        return learn(given.tests.resolve(), given.learned)
    learned = msgspec.json.decode(given.learned.read_bytes(), type=Learned)
    known, earlier = _judged(given.json), _judged(given.before)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            source = (given.tests if name == "tests" else ROOT) / name
            copy: Any = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, tree / name)
        if cache_root().exists():
            shutil.copytree(cache_root(), tree / "cache")
        changes = drawn(given.number, given.seed)
        for number, change in enumerate(changes, 1):
            if change.name not in known:
                tests = learned.tests_of(change, given.seconds)
                first = earlier.get(change.name, "").partition(" ")[2]
                if first in learned.seconds:
                    known[change.name] = judge(change, tree, [first], given.timeout)
                if not known.get(change.name) and tests:
                    known[change.name] = judge(change, tree, tests, given.timeout)
                known.setdefault(change.name, "")
                with given.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"change": change.name, "noticed": known[change.name]}) + "\n")
            print(f"{number} of {len(changes)}: {known[change.name] or 'NOT NOTICED'}: {change.name}", flush=True)
    for kind, of_kind in (("studies", True), ("games", False)):
        judged = [known[change.name] for change in changes if change.file.startswith(STUDY) == of_kind]
        print(f"{kind}: {sum(map(bool, judged))} of {len(judged)} noticed")


if __name__ == "__main__":
    main()

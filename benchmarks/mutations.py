"""Count how many changed lines of the cores, the scoring and the studies the tests notice.

    python benchmarks/mutations.py --number 300 --seed 1 --json found.jsonl     # a line as each change is judged; run again, it resumes
    python benchmarks/mutations.py --tests /path/to/another/checkout ...        # the same changes, judged by another commit's tests

Each change is one operator, comparison, number, or word of logic of one line, drawn uniformly from all that there are in `PLACES`, the same for a seed
and a commit. A copy of the working tree gets the change and runs the tests of its room until one fails. A change that no test notices is shown
as a difference; some of them change nothing that can be seen, so what counts is the number beside that of another commit.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
# What is changed, and the tests that must notice, the quickest first.
PLACES = {
    **{
        f"strozzi_sim/games/{game}/{name}.py": (f"tests/games/{game}", "tests/games")
        for game in ("strozzi", "medici_vs_strozzi", "strasbourg")
        for name in ("core", "scoring", "legal_actions", "step_actions")
    },
    "strozzi_sim/study": ("tests/study", "tests/cli", "tests/report"),
}
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
    for node in nodes:
        for place, old, new in _replacements(node):
            if id(place) in strict or place.lineno != place.end_lineno or place.lineno > len(lines):
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
        kinds["/games/" in place] += [each for file in files for each in changes_of(file)]
    stream = random.Random(seed)
    found = [each for kind in kinds.values() for each in stream.sample(kind, min(number // 2, len(kind)))]
    stream.shuffle(found)
    return found


def judge(change: Change, tree: Path, timeout: float) -> str:
    """Return the test that notices a change, "time" if none ends, or "" if all pass."""
    file = tree / change.file
    kept = file.read_text("utf-8")
    lines = kept.splitlines(keepends=True)
    lines[change.line - 1] = lines[change.line - 1].replace(change.before, change.after)
    file.write_text("".join(lines), "utf-8")
    tests = next(tests for place, tests in PLACES.items() if change.file.startswith(place))
    given = [each for each in tests if (tree / each).exists()]
    environment = os.environ | {
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'agents'}",
        "STROZZI_CACHE_DIR": str(tree / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header", *given]
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


def main() -> None:
    """Judge the changes and print how many were noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", type=Path, default=ROOT, help="checkout whose tests judge; default: this one")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds of the tests of one change")
    parser.add_argument("--json", type=Path, default=Path("mutations.jsonl"), help="a line for each change judged")
    given = parser.parse_args()
    known = {}
    if given.json.exists():
        known = {
            each["change"]: each["noticed"] for each in map(json.loads, given.json.read_text("utf-8").splitlines())
        }
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            source = (given.tests if name == "tests" else ROOT) / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, tree / name)
        changes = drawn(given.number, given.seed)
        for number, change in enumerate(changes, 1):
            if change.name not in known:
                known[change.name] = judge(change, tree, given.timeout)
                with given.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"change": change.name, "noticed": known[change.name]}) + "\n")
            print(f"{number} of {len(changes)}: {known[change.name] or 'NOT NOTICED'}: {change.name}", flush=True)
    noticed = sum(bool(known[change.name]) for change in changes)
    print(f"{noticed} of {len(changes)} noticed")


if __name__ == "__main__":
    main()

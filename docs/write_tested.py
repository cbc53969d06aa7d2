"""Write docs/tested.md: by which independent checks each game is tested, with numbers that this script collects.

python docs/write_tested.py            # writes the page from docs/tested.json, in seconds
python docs/write_tested.py --run      # first runs the checks and counts (a few minutes), and writes docs/tested.json
python docs/write_tested.py --check    # fails unless the page says what docs/tested.json and the code say
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE, STORED = ROOT / "docs" / "tested.md", ROOT / "docs" / "tested.json"
SUPPORT, BENCHMARKS = ROOT / "tests" / "support", ROOT / "benchmarks"
GOLDEN = ROOT / "tests" / "games"
COUNTED = [  # test files that are run with counters
    "tests/games/test_rules_of_every_game.py", "tests/games/strozzi/test_record_checks.py",
    "tests/games/medici_vs_strozzi/test_record_checks.py", "tests/games/strasbourg/test_reference.py",
]  # fmt: skip
SELECTED = (
    "every_decision or all_ways or tiny_game or start_player or illegal_option or check_ or seed_gives"  # of COUNTED
)
KINDS = {  # what a test is about, by its name
    "a run that is killed, interrupted or resumed": r"_killed|_a_kill|resum|SIGKILL|interrupted",
    "planted faults of games that `check_game` must name": r"conformance/test_planted_faults",
    "planted truths that figures must show": r"test_planted\.py",
    "malformed input": r"test_fuzz|test_wrong_input|test_parsing|test_strangers",
    "secrets: what a seat must not know": r"leak_check|test_view|test_what_a_seat_knows|one_way_keys",
    "equal bytes, whatever the number of workers or the machine": r"any_number_of_workers|thousand_chunks_of_two_workers|bytes_are_the_same|test_processors",
    "intervals, tests and ratings": r"^tests/stats/|test_intervals_benchmark|test_bands_hold",
    "games in C": r"test_limit\.py",
}
FUZZ = {"inputs": ("fuzz.py", "200")}


# -- the run ---------------------------------------------------------------------------------------------------------


class Counters:
    """A pytest plugin that counts what the tests of the rules compare, by game."""

    def __init__(self) -> None:
        self.games: Counter[str] = Counter()
        self.decisions: Counter[str] = Counter()
        self.leaves: Counter[str] = Counter()
        self.trees: Counter[str] = Counter()
        self.records: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.failed = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count failures."""
        self.failed += report.failed

    def pytest_collection_finish(self, session: Any) -> None:
        """Put counters around what the tests call."""
        from every_kit import KITS
        from kits import Kit

        plain = Kit.side_by_side

        def side_by_side(kit: Any, *arguments: Any, **more: Any) -> Iterator[Any]:
            name, positions = kit.game.name, 0
            for pair in plain(kit, *arguments, **more):
                positions += 1
                yield pair
            self.games[name] += 1
            self.decisions[name] += positions - 1  # the last one is the end

        Kit.side_by_side = side_by_side  # type: ignore[method-assign]
        for name, kit in KITS.items():
            replay = kit.game.verify.REPLAY
            object.__setattr__(replay, "check_game", self._checked(name, replay.check_game))  # frozen
        for module in {item.module for item in session.items}:
            if hasattr(module, "assert_same_tree"):
                module.assert_same_tree = self._walked(module.assert_same_tree)

    def _checked(self, name: str, check: Callable[..., Any]) -> Callable[..., Any]:
        from strozzi_sim.errors import RuleViolation

        def checked(*arguments: Any) -> Any:
            self.records[name] += 1
            try:
                return check(*arguments)
            except RuleViolation:
                self.refused[name] += 1
                raise

        return checked

    def _walked(self, walk: Callable[..., int]) -> Callable[..., int]:
        def walked(kit: Any, *arguments: Any) -> int:
            leaves = walk(kit, *arguments)
            self.trees[kit.game.name] += 1
            self.leaves[kit.game.name] += leaves
            return leaves

        return walked


def rules_run() -> dict[str, Any]:
    """Run the tests of the rules with counters, and measure which branches of the references they take."""
    import coverage
    import pytest

    watched = coverage.Coverage(branch=True, data_file=None, config_file=False, include=["*/strozzi_sim/games/*/reference*.py"])  # fmt: skip
    counters = Counters()
    watched.start()  # and no pytest-cov below, which would end it
    options = ["-q", "-o", "addopts=", "--import-mode=importlib", "-p", "no:cov", "-p", "no:xdist", "-m", "not slow"]
    pytest.main([*options, "-k", SELECTED, *COUNTED], plugins=[counters])
    watched.stop()
    branches: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file in watched.get_data().measured_files():
        found = watched._analyze(file).numbers
        branches[Path(file).parent.name][0] += found.n_branches - found.n_missing_branches
        branches[Path(file).parent.name][1] += found.n_branches
    if counters.failed:
        sys.exit(f"{counters.failed} tests failed; nothing is written")
    names = ("games", "decisions", "trees", "leaves", "records", "refused")
    return {
        game: {**{name: getattr(counters, name)[game] for name in names}, "branches": branches[game]}
        for game in sorted(counters.games)
    }


def tests_by_kind() -> dict[str, dict[str, int]]:
    """Return how many tests there are: all, default and slow, and of each kind."""
    found: dict[str, dict[str, int]] = {"all": {}, **{kind: {} for kind in KINDS}}
    for run, marks in (("default", "not slow"), ("slow", "slow")):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-o",
            "addopts=",
            "--import-mode=importlib",
            "--collect-only",
            "-m",
            marks,
            "tests",
        ]
        out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        names = [line for line in out.splitlines() if "::" in line]
        found["all"][run] = len(names)
        for kind, pattern in KINDS.items():
            found[kind][run] = sum(bool(re.search(pattern, name)) for name in names)
    return found


def fuzz_run() -> dict[str, dict[str, int]]:
    """Run the fuzzing scripts; return cases and failures."""
    found = {}
    for what, (script, cases) in FUZZ.items():
        command = [sys.executable, str(BENCHMARKS / script), "--cases", cases, "--seed", "2"]
        out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
        failed = re.findall(r"(\d+) failed", out)
        if not failed:
            sys.exit(f"{script} printed no number of failures; nothing is written")
        found[what] = {"cases": int(cases), "failed": int(failed[-1])}
    return found


def run() -> dict[str, Any]:
    """Return everything that is measured."""
    sys.path[:0] = [str(SUPPORT)]
    rules = rules_run()  # first: pytest rewrites the assertions of what it is the first to import
    return {**constants(), "rules": rules, "tests": tests_by_kind(), "fuzz": fuzz_run()}


# -- what the code says ----------------------------------------------------------------------------------------------


def constants() -> dict[str, Any]:
    """Return the version, and of each game what its tests play."""
    sys.path[:0] = [path for path in (str(SUPPORT), str(GOLDEN)) if path not in sys.path]
    kits = import_module("every_kit").KITS
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return {"version": version, "kits": {name: _kit(name, kits[name]) for name in sorted(kits)}}


def _kit(name: str, kit: Any) -> dict[str, Any]:
    golden = sorted((GOLDEN / name / "golden").glob("*.jsonl"))
    trees = tomllib.loads((ROOT / "strozzi_sim" / "games" / name / "trees.toml").read_text("utf-8"))["leaves"]
    return {
        "behaviour": kit.game.behaviour, "players": list(kit.game.player_counts), "variants": len(kit.variants),
        **_refereed(kit), "golden": len(golden), "golden_lines": sum(len(file.read_text("utf-8").splitlines()) for file in golden),
        "tree_depth": [min(map(len, trees.values())), max(map(len, trees.values()))],
        "tree_positions": sum(map(sum, trees.values())),
    }  # fmt: skip


def _refereed(kit: Any) -> dict[str, int]:
    """Return the games that core and reference play decision by decision, in default tests and in slow ones."""
    rules, (first, more, most) = import_module("test_rules_of_every_game"), kit.deals
    of_kit = [case for case in rules.cases(rules.every_variant, rules.slow_between) if case.values[0] is kit]
    in_turn = [case for case in rules.in_turn() if case.values[0] is kit and not case.marks]  # the others are nightly
    slow = first * sum(bool(case.marks) for case in of_kit)
    slow += sum((most if case.values[1] == "base" else more) - first for case in in_turn)
    return {"refereed": first * sum(not case.marks for case in of_kit), "refereed_slow": slow}


def literals(file: str, *patterns: str) -> list[str]:
    """Return what the groups of regular expressions find in a file of benchmarks/."""
    text = (BENCHMARKS / file).read_text("utf-8")
    found = [re.search(pattern, text) for pattern in patterns]
    if None in found:
        sys.exit(f"benchmarks/{file}: {patterns[found.index(None)]!r} is not there; change docs/write_tested.py")
    return [match[1] for match in found if match]


def c_programs() -> Iterator[str]:
    """Yield a row for each game that has programs in C."""
    sys.path[:0] = [str(BENCHMARKS)]
    try:
        import_module("numba")  # imports the library `coverage`, whose name a benchmark has too
        subjects = import_module("limit").SUBJECTS
    finally:
        sys.path.remove(str(BENCHMARKS))
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import shipped_variants

    for name in sorted(subjects):
        subject = subjects[name]
        variants = 2 + len(shipped_variants(load_game(name)))  # with base, and all switches turned
        games = variants * len(subject.players) * sum(subject.agents.values())
        programs = ", ".join(f"`{each}.c`" for each in subject.programs)
        agents = ", ".join(f"`{each}`" for each in subject.agents)
        yield f"| {_title(name)} | {programs} | {agents} | {variants} | {_list(sorted(subject.players))} | {games:,} |"


# -- the page --------------------------------------------------------------------------------------------------------


def _title(name: str) -> str:
    from strozzi_sim.game import load_game

    return str(load_game(name).title)


def _list(values: list[int]) -> str:
    return f"{values[0]}-{values[-1]}" if len(values) > 1 else str(values[0])


def page(found: dict[str, Any]) -> str:
    """Return the page of what was measured."""
    kits, rules, tests, fuzz = (found[key] for key in ("kits", "rules", "tests", "fuzz"))
    titles = {name: _title(name) for name in kits}
    studies, seat_tests = literals("intervals.py", r"options\.studies or \((\d+) if", r"options\.tests or \((\d+) if")
    low, high = literals("intervals.py", r"LOW, HIGH, ALARM = ([\d.]+),", r"LOW, HIGH, ALARM = [\d.]+, ([\d.]+),")
    lines = [
        "# How it is tested",
        "",
        f"By which independent checks the games are tested, in version {found['version']}. `python docs/write_tested.py --run` runs the checks and",
        "counts; `python docs/write_tested.py` writes this page. Every number is collected from the tests or from that run.",
        "",
        "## Against the rules in plain Python",
        "",
        "Each game has a second implementation, `reference.py`, in plain Python from the rule text; it shares no code with the compiled core.",
        "Both play the same games, and at every decision the acting seat, the legal actions and the position must be equal, and at the end",
        "every line of the record. The default tests play the first columns, `pytest -m slow` the additional games of the last.",
        "",
        "| game | behaviour | players | variants | games | decisions | branches of the reference taken | additional games, slow |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, kit in kits.items():
        counted, (taken, branches) = rules[name], rules[name]["branches"]
        lines.append(
            f"| {titles[name]} | {kit['behaviour']} | {_list(kit['players'])} | {kit['variants']} | {counted['games']:,} | {counted['decisions']:,} "
            f"| {taken} of {branches} ({taken / branches:.1%}) | {kit['refereed_slow']:,} |"
        )
    lines += [
        "",
        f"Of these games {_sum(kits, 'refereed'):,} are compared decision by decision, as published and with every switch turned; the others test start players and illegal options.",
        "The variants together turn every switch. The branches are those of `reference*.py` that the counted tests take. Branches of the",
        "compiled cores are not counted: games run as compiled code only, which reports no lines.",
        "",
        "**Trees.** From the same position core and reference try every action, to some depth or to the end of a small game, and must agree",
        "in every position. The numbers of positions of larger trees are stored in `trees.toml` and counted again by `check_game`.",
        "",
        "| game | trees walked | last positions | stored depths | stored positions |",
        "|---|---|---|---|---|",
        *(
            f"| {titles[name]} | {rules[name]['trees']} | {rules[name]['leaves']:,} | {_list(sorted(set(kit['tree_depth'])))} | {kit['tree_positions']:,} |"
            for name, kit in kits.items()
        ),
        "",
        "## Records",
        "",
        "Golden records are played again to the byte as long as `behaviour` stays. `strozzi verify` checks records against the reference: tests",
        "spoil one line, in its numbers, types, keys and order, and the check must name that line.",
        "",
        "| game | golden records | lines | records checked | of them refused, with their line |",
        "|---|---|---|---|---|",
        *(
            f"| {titles[name]} | {kit['golden']} | {kit['golden_lines']:,} | {rules[name]['records']:,} | {rules[name]['refused']:,} |"
            for name, kit in kits.items()
        ),
        "",
        "## Games in C",
        "",
        "Programs in C, written for `benchmarks/limit.py`, play the same games; every score must be equal. Games are those of one run of the script.",
        "",
        "| game | programs | agents | variants | players | games compared |",
        "|---|---|---|---|---|---|",
        *c_programs(),
        "",
        "## Tests by subject",
        "",
        "A test is counted once for each of its parameters. A test may be in two rows.",
        "",
        "| subject | default | slow |",
        "|---|---|---|",
        *(f"| {kind} | {tests[kind]['default']:,} | {tests[kind]['slow']:,} |" for kind in KINDS),
        f"| all tests of the repository | {tests['all']['default']:,} | {tests['all']['slow']:,} |",
        "",
        "## Malformed input",
        "",
        "Random spoiled input must end in one line of error, a documented exit code, no hang, and the user's files as they were.",
        "",
        "| input | cases in the run | failed |",
        "|---|---|---|",
        *(
            f"| {what}, `benchmarks/{FUZZ[what][0]}` | {each['cases']} | {each['failed']} |"
            for what, each in fuzz.items()
        ),
        "",
        "## Statistics",
        "",
        f"`benchmarks/intervals.py --quick`, part of `.ci/run`, plays {studies} small studies of each case and fails if an interval holds in less than {float(low):.0%} or",
        f"more than {float(high):.0%} of them, beyond chance; it makes {int(seat_tests):,} tests of equal seats",
        "([results](../benchmarks/README.md#coverage)). Stated strengths and speeds are measured again by `benchmarks/claims.py`",
        "([how](../benchmarks/README.md#claims)).",
    ]
    return "\n".join(lines) + "\n"


def _sum(kits: dict[str, Any], key: str) -> int:
    return sum(kit[key] for kit in kits.values())


def stale(found: dict[str, Any]) -> list[str]:
    """Return what in the stored run the code no longer says."""
    now = constants()
    return [key for key in now if now[key] != found[key]]


def main() -> None:
    """Run, write or check, as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true", help="run the checks and store what they count")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    if given.run:
        STORED.write_text(json.dumps(run(), indent=1) + "\n", "utf-8")
    found = json.loads(STORED.read_text("utf-8"))
    if old := stale(found):
        sys.exit(f"{STORED.name}: {', '.join(old)} changed since; run python docs/write_tested.py --run")
    if not given.check:
        PAGE.write_text(page(found), "utf-8")
    elif page(found) != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE.name} does not say what {STORED.name} says; run python docs/write_tested.py")


if __name__ == "__main__":
    main()

"""Measure again what the documents state of strength and speed, and fail where a figure no longer holds.

claims.toml has one claim for each stated figure or row of figures: its words in the document, the command that measures it, and the values.
Commands with deals are run with another seed than the documents', so that no deal is played twice.

A strength agrees unless it differs from the stated value significantly. The difference of two estimates has the half-widths that face each
other, added in quadrature, as 95 % interval (Zou and Donner 2008; for symmetric intervals the z test). Of the k figures in a run each is tested at
the level 0.01 / k, so that a run in which every statement is true fails at most once in a hundred times. Half a unit of the last stated
digit counts for nothing.

A speed agrees if the range of its turns meets the stated value within the claim's tolerance, a factor 1 + tolerance to both sides. Ratios are formed
within one run. Absolute speeds are compared only on the type of processor that claims.toml names, otherwise just shown.

    python benchmarks/claims.py --list                      # names and minutes
    python benchmarks/claims.py --minutes 0.5               # those that take half a minute or less each
    python benchmarks/claims.py learned-4 utility-random --share 0.2 --json found.json

Exit codes: 0 all agree, 1 a figure disagrees or cannot be measured, 2 bad input.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from statistics import NormalDist, median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_name("claims.toml")
SEED = 7001  # of no document
FAMILY = 0.01  # probability that a run fails although every statement is true, at most
FEWEST_DEALS = 25  # with --share
Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, or with the range of its turns."""

    value: float
    low: float
    high: float
    n: int | None = None


@dataclass(frozen=True)
class Figure:
    """One stated value of a claim.

    Attributes:
        name: figure of the command's table, or the name of a speed.
        value: stated value.
        low, high: stated 95 % interval or range; default: none is stated.
        unit: the last stated digit.
        where: columns of the row, besides those of the claim.
        read: path to the value in the command's JSON, if it prints no tables.
        pattern: regular expression for commands that print text; groups: value, value and half-width, or value, low and high.
        table: table of the command, if it is not that of the claim.
    """

    name: str
    value: Decimal
    low: Decimal | None = None
    high: Decimal | None = None
    where: dict[str, Any] = field(default_factory=dict)
    read: tuple[Any, ...] = ()
    pattern: str = ""
    table: str = ""

    @property
    def unit(self) -> float:
        """Return the last stated digit."""
        return float(10 ** Decimal(self.value.as_tuple().exponent))

    @property
    def estimate(self) -> Estimate:
        """Return the stated value; without an interval, as if it were exact."""
        low, high = (self.value if end is None else end for end in (self.low, self.high))
        return Estimate(float(self.value), float(low), float(high))


@dataclass(frozen=True)
class Claim:
    """What a document states, and how it is measured.

    Attributes:
        name: name in claims.toml.
        kind: "strength", "speed", "seconds" (how long the command takes) or "exact" (the same at every run).
        file, words: where it is stated; the words are found there, however the lines break.
        command: command that measures it.
        figures: stated values.
        n: stated number of games.
        table, where: table of the command, and columns of the rows.
        minutes: duration of the command on two cores.
        behaviour: version of the game's behaviour with which the figure was measured, if not the package's.
        tolerance: of a speed, as a factor less 1.
        machine: whether it is compared on the named type of processor only.
        cold: whether the command begins with an empty cache of compiled code.
        needs: what must be installed.
        aside: numbers in the words that are no figures.
    """

    name: str
    kind: str
    file: str
    words: str
    command: str
    figures: tuple[Figure, ...]
    minutes: float
    n: int | None = None
    table: str = "lineup"
    where: dict[str, Any] = field(default_factory=dict)
    behaviour: int | None = None
    tolerance: float = 0.25
    machine: bool = False
    cold: bool = False
    needs: str = ""
    aside: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Row:
    """A stated figure beside the measured one."""

    claim: str
    figure: str
    stated: Estimate
    measured: Estimate | None
    agrees: bool | None  # None: not compared
    why: str = ""


class Unmeasured(Exception):
    """A command did not return what was asked for."""


def read_claims(file: Path = FILE) -> tuple[dict[str, Claim], dict[str, Any]]:
    """Return the claims by name, and everything else in the file."""
    document = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    claims = {}
    for name, given in document.pop("claim").items():
        figures = tuple(_figure(each) for each in given.pop("figures"))
        given["aside"] = tuple(given.pop("aside", ()))
        for key in ("minutes", "tolerance"):
            if key in given:
                given[key] = float(given[key])
        claims[name] = Claim(name=name, figures=figures, **given)
    return claims, document


def _figure(given: dict[str, Any]) -> Figure:
    given = {key: Decimal(each) if key in ("value", "low", "high") else each for key, each in given.items()}
    if "plus_minus" in given:
        half = Decimal(given.pop("plus_minus"))
        given |= {"low": given["value"] - half, "high": given["value"] + half}
    return Figure(**{**given, "read": tuple(given.get("read", ()))})


# -- the rules -------------------------------------------------------------------------------------------------------


def z_of_difference(stated: Estimate, measured: Estimate, unit: float = 0.0) -> float:
    """Return the difference of two independent estimates in standard errors, beyond half a unit of rounding."""
    difference = measured.value - stated.value
    if difference > 0:
        reach = math.hypot(measured.value - measured.low, stated.high - stated.value)
    else:
        reach = math.hypot(measured.high - measured.value, stated.value - stated.low)
    beyond = max(0.0, abs(difference) - unit / 2)
    if reach == 0:
        return 0.0 if beyond == 0 else math.inf
    return Z95 * beyond / reach


def critical(figures: int) -> float:
    """Return the z beyond which one of so many figures disagrees."""
    return NormalDist().inv_cdf(1 - FAMILY / (2 * max(1, figures)))


def within(stated: float, measured: Estimate, tolerance: float) -> bool:
    """Return whether a measured range meets the stated speed, a factor 1 + tolerance to both sides."""
    return measured.high * (1 + tolerance) >= stated and measured.low <= stated * (1 + tolerance)


# -- the measurement -------------------------------------------------------------------------------------------------


def arguments_of(claim: Claim, share: float = 1.0) -> list[str]:
    """Return the command as it is run: by this interpreter, other deals, JSON."""
    words = claim.command.replace("\\\n", " ").split()
    if words[0] == "strozzi":
        command = [sys.executable, "-m", "strozzi_sim", *words[1:]]
        if claim.kind == "strength":
            command += ["--seed", str(SEED)]
            if "--deals" in command and share < 1:
                at = command.index("--deals") + 1
                deals = int(command[at])
                command[at] = str(min(deals, max(FEWEST_DEALS, round(deals * share))))
        return [*command, "--json"]
    if words[0] != "python":
        raise Unmeasured(f"{claim.name}: command: must begin with strozzi or python, got {words[0]!r}")
    return [sys.executable, *words[1:]]


def run(arguments: Sequence[str], cold: bool = False) -> tuple[str, float]:
    """Return what a command prints, and the seconds it takes; "{temporary}" in an argument is an empty folder."""
    with tempfile.TemporaryDirectory(prefix="strozzi-claims-") as folder:
        place = Path(folder) / "files"
        place.mkdir()
        command = [each.replace("{temporary}", str(place)) for each in arguments]
        environment = {**os.environ, **({"STROZZI_CACHE_DIR": str(Path(folder) / "cache")} if cold else {})}
        began = perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
        seconds = perf_counter() - began
    if done.returncode != 0:
        raise Unmeasured((done.stderr.strip().splitlines() or [f"ends with {done.returncode}"])[-1])
    return done.stdout, seconds


def value_at(document: Any, path: Iterable[Any]) -> Any:
    """Return what is at a path: keys, and tables of keys that select a row of a list. A key of a list of rows gives a list."""
    for step in path:
        if isinstance(step, dict):
            rows = [row for row in document if all(row.get(key) == each for key, each in step.items())]
            if len(rows) != 1:
                raise Unmeasured(f"{len(rows)} rows have {step}")
            document = rows[0]
        elif isinstance(document, list):
            document = [row[step] for row in document]
        else:
            document = document[step]
    return document


def measured(claim: Claim, figure: Figure, out: str, seconds: float) -> Estimate:
    """Return the figure in what the command printed."""
    if claim.kind == "seconds":
        return Estimate(seconds, seconds, seconds)
    if figure.pattern:
        found = re.search(figure.pattern, out)
        if found is None:
            raise Unmeasured(f"{figure.pattern!r} is not in the output")
        value, *ends = (float(each.replace(",", "")) for each in found.groups())
        low, high = ends if len(ends) == 2 else (value - sum(ends), value + sum(ends))
        return Estimate(value, low, high)
    document = json.loads(out)
    if figure.read:
        found = value_at(document, figure.read)
        if isinstance(found, dict):
            return Estimate(found["median"], found["low"], found["high"])
        if isinstance(found, list):
            return Estimate(median(found), min(found), max(found))
        return Estimate(found, found, found)
    row = value_at(
        document["tables"][figure.table or claim.table], [{**claim.where, **figure.where, "figure": figure.name}]
    )
    if row["low"] is None or row["high"] is None:
        raise Unmeasured(f"{figure.name} has no interval")
    value = (row["low"] + row["high"]) / 2 if row["value"] is None else row["value"]
    return Estimate(value, row["low"], row["high"], int(row["n"]))


def judge(claim: Claim, figure: Figure, found: Estimate, figures: int, same_machine: bool) -> Row:
    """Return the row of a measured figure; `figures` strengths are judged in the run."""
    stated, name = figure.estimate, " ".join([figure.name, *(f"{key} {each}" for key, each in figure.where.items())])
    if claim.kind == "strength":
        z = z_of_difference(stated, found, figure.unit)
        limit = critical(figures)
        return Row(claim.name, name, stated, found, z <= limit, f"z {z:.1f} of {limit:.1f}")
    if claim.kind == "exact":
        return Row(claim.name, name, stated, found, abs(found.value - stated.value) < figure.unit, "exact")
    if claim.machine and not same_machine:
        return Row(claim.name, name, stated, found, None, "another processor")
    agrees = within(stated.value, found, claim.tolerance)
    return Row(claim.name, name, stated, found, agrees, f"factor {1 + claim.tolerance:g}")


def processor() -> str:
    """Return the model name of this machine's processor, or nothing."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def check(claims: Sequence[Claim], machine: str, share: float = 1.0, show: Any = lambda row: None) -> list[Row]:
    """Measure claims, each command once, and return a row for each figure."""
    figures = sum(len(claim.figures) for claim in claims if claim.kind == "strength")
    same_machine = processor() == machine
    outputs: dict[tuple[str, ...], Any] = {}
    rows = []
    for claim in claims:
        key = tuple(arguments_of(claim, share))
        if key not in outputs:
            try:
                outputs[key] = run(key, claim.cold)
            except Unmeasured as failure:
                outputs[key] = failure
        for figure in claim.figures:
            try:
                if isinstance(outputs[key], Unmeasured):
                    raise outputs[key]
                row = judge(claim, figure, measured(claim, figure, *outputs[key]), figures, same_machine)
            except (Unmeasured, KeyError) as failure:
                row = Row(claim.name, figure.name, figure.estimate, None, False, str(failure))
            rows.append(row)
            show(row)
    return rows


# -- the output ------------------------------------------------------------------------------------------------------


def shown(row: Row) -> str:
    """Return a row as a line of Markdown."""
    verdict = {True: "yes", False: "NO", None: "-"}[row.agrees]
    n = "" if row.measured is None or row.measured.n is None else f"{row.measured.n:,}"
    found = "" if row.measured is None else _words(row.measured)
    return f"| {row.claim} | {row.figure} | {_words(row.stated)} | {found} | {n} | {verdict} | {row.why} |"


def _words(each: Estimate) -> str:
    value, low, high = (
        f"{end:,.4g}" if abs(end) < 10_000 else f"{end:,.0f}" for end in (each.value, each.low, each.high)
    )
    return value if low == high else f"{value} ({low} to {high})"


def as_document(row: Row) -> dict[str, Any]:
    """Return a row as it is written to JSON."""
    found = None if row.measured is None else vars(row.measured)
    return {**vars(row), "stated": vars(row.stated), "measured": found}


def main() -> int:
    """Measure what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="claims, or beginnings of names (default: all)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="leave out claims that take longer")
    parser.add_argument("--share", type=float, default=1.0, help="play this share of the deals (default: 1)")
    parser.add_argument("--kind", choices=("strength", "speed", "seconds", "exact"))
    parser.add_argument("--all-needs", action="store_true", help="also claims that need more packages than [test]")
    parser.add_argument("--list", action="store_true", help="print names, minutes and commands, and measure nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to this file")
    given = parser.parse_args()
    claims, more = read_claims()
    for name in given.names:
        if not any(each.startswith(name) for each in claims):
            parser.error(f"unknown claim {name!r}; --list prints them")
    if not 0 < given.share <= 1:
        parser.error(f"--share: must be above 0 and at most 1, got {given.share:g}")
    chosen = [
        claim
        for claim in claims.values()
        if (not given.names or claim.name.startswith(tuple(given.names)))
        and claim.minutes * (given.share if claim.kind == "strength" else 1) <= given.minutes
        and given.kind in (None, claim.kind)
        and (given.all_needs or not claim.needs)
    ]
    if given.list:
        for claim in chosen:
            print(f"{claim.name:<32} {claim.kind:<9} {claim.minutes:>6.2f} min  {claim.command}")
        return 0
    print("| claim | figure | stated | measured | n | agrees | rule |\n|---|---|---|---|---|---|---|")
    rows = check(chosen, more["machine"], given.share, lambda row: print(shown(row), flush=True))
    if given.json:
        given.json.write_text(json.dumps([as_document(row) for row in rows], indent=1) + "\n", "utf-8")
    wrong = [row for row in rows if row.agrees is False]
    print(f"{len(rows)} figures of {len(chosen)} claims, {len(wrong)} disagree")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

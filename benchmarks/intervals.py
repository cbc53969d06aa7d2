"""Do 95 % intervals hold in 95 % of studies? Hundreds of small studies against a long one of other deals.

    python benchmarks/intervals.py                      all of it, 20 to 1,000 deals: hours on two cores
    python benchmarks/intervals.py --quick              a few cases of 50 deals; exit 1 outside 92-98 %
    python benchmarks/intervals.py --only "compare" --deals 50 --studies 400

Three parts. `intervals`: by table and figure, how often the interval of a small study holds the value of the long one, how
often it lies below and above it, and how often there is no value, no interval or no row. `seats`: how often the test of
equal seats finds fault with seats that are equal.
Everything depends only on the arguments. What is judged is what commands print: the package's own tables of real games.
"""

# ruff: noqa: E402, the path comes before the imports
import argparse
import json
import re
import sys
from pathlib import Path

# The modules of the parts are in `covering/`.
sys.path[0] = str(Path(__file__).parent / "covering")

import pandas as pd
from cases import cases
from judging import long_study, outside, small_studies, summary, together
from scipy.stats import binom
from seats import sizes_of_test

PARTS = ("intervals", "seats")
LONG = 40  # times the deals of the largest small study
LOW, HIGH, ALARM = 0.92, 0.98, 0.0005
ENOUGH = 150  # trials below which 80 % could not be told from 92 %
SEATS_LOW, SEATS_HIGH = 0.035, 0.06
COLUMNS = {"no value": "no_value", "no interval": "no_interval", "no row": "absent", "below": "below", "above": "above"}


def per_cent(value: float, digits: int = 1) -> str:
    return "-" if pd.isna(value) else f"{100 * value:.{digits}f}"


def intervals(options: argparse.Namespace, workers: int) -> pd.DataFrame:
    """Coverage by group, table, figure and deals."""
    summaries = []
    for case in cases(quick=options.quick):
        if not re.search(options.only, f"{case.group}: {case.name}"):
            continue
        truth = long_study(case, options.long * max(options.deals))
        if truth.error:
            tell(f"{case.group}: {case.name}: the long study failed: {truth.error}")
            continue
        for deals in options.deals:
            bits, failed = small_studies(case, truth, deals, options.studies, workers)
            tell(f"{case.group}: {case.name}: {deals} deals" + (f"; {failed} studies FAILED" if failed else ""))
            summaries.append(summary(case, truth, deals, bits))
    return together(pd.concat(summaries, ignore_index=True)) if summaries else pd.DataFrame()


def show_intervals(table: pd.DataFrame) -> None:
    for (group, deals), rows in table.groupby(["group", "deals"], sort=False):
        print(f"\n{group}, {deals} deals (per cent; +- is one standard error)")
        shown = pd.DataFrame({
            "table": rows["table"],
            "figure": rows["figure"] + rows["kind"].map(lambda kind: f" ({kind})" if kind else ""),
            "figures": rows["figures"],
            "coverage": [
                f"{per_cent(row.coverage)} +- {per_cent(row.error)}" if row.trials else "-" for row in rows.itertuples()
            ],
            "worst": rows["worst"].map(per_cent),
            **{words: rows[column].map(per_cent) for words, column in COLUMNS.items()},
        })  # fmt: skip
        print(shown.sort_values(["table", "figure"]).to_string(index=False))


def failures(tables: dict[str, pd.DataFrame]) -> list[str]:
    """What is beyond chance outside the limits, in lines."""
    lines = []
    if len(tables.get("intervals", ())):
        for row in outside(tables["intervals"], LOW, HIGH, ALARM, ENOUGH).itertuples():
            kind = f" ({row.kind})" if row.kind else ""
            lines.append(
                f"{row.group}, {row.table}, {row.figure}{kind}, {row.deals} deals: {per_cent(row.coverage)} % of "
                f"{row.trials:,} intervals hold, allowed {100 * LOW:g}-{100 * HIGH:g}"
            )
    table = tables.get("seats", pd.DataFrame())
    for row in table.to_dict("records"):
        level = ALARM / (2 * len(table))
        few_steps = "self-play" not in row["seats"]  # of unequal agents, few deals say anything
        too_often = binom.sf(row["hits"] - 1, row["tests"], SEATS_HIGH) < level
        if too_often or (not few_steps and binom.cdf(row["hits"], row["tests"], SEATS_LOW) < level):
            lines.append(
                f"seats: {row['seats']}, {row['deals']} deals: {per_cent(row['below_05'])} % of {row['tests']:,}, allowed "
                f"{100 * SEATS_LOW:g}-{100 * SEATS_HIGH:g}"
            )
    return lines


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", help="deals of a small study, by commas (20,50,200,1000)")
    parser.add_argument("--studies", type=int, help="small studies of a case (200; 160 with --quick)")
    parser.add_argument("--tests", type=int, help="tests of equal seats (2,000; 1,000 with --quick)")
    parser.add_argument("--long", type=int, default=LONG, help=f"how many times as long the long study is ({LONG})")
    parser.add_argument("--parts", default=",".join(PARTS), help="by commas (intervals,seats)")
    parser.add_argument("--only", default="", help="cases whose name this regular expression finds")
    parser.add_argument("--quick", action="store_true", help="a few cases of 50 deals; exit 1 outside the limits")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args()
    options.deals = [int(text) for text in (options.deals or ("50" if options.quick else "20,50,200,1000")).split(",")]
    options.studies = options.studies or (160 if options.quick else 200)
    tests = options.tests or (1000 if options.quick else 2000)
    parts = options.parts.split(",")
    frames: dict[str, pd.DataFrame] = {}
    if "intervals" in parts:
        frames["intervals"] = intervals(options, options.workers)
        if not options.json:
            show_intervals(frames["intervals"])
    if "seats" in parts:
        fields = ["2, unequal agents", "4, mixed", "6, self-play"] if options.quick else None
        frames["seats"] = sizes_of_test(
            [deals for deals in options.deals if deals <= 200] or [200], tests, options.workers, fields
        )
        if not options.json:
            print(f"\nseats\n{frames['seats'].to_string(index=False, float_format=lambda value: f'{value:.4f}')}")
    wrong = failures(frames)
    if options.json:
        tables = {name: json.loads(table.to_json(orient="records")) for name, table in frames.items()}
        print(json.dumps({"tables": tables, "outside": wrong}, indent=1))
    for line in wrong:
        tell(f"outside: {line}")
    return 1 if options.quick and wrong else 0


if __name__ == "__main__":
    sys.exit(main())

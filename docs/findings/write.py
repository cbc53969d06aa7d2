"""Write docs/findings.md, docs/findings-in-detail.md and their pictures from the kept tables; with --play, play the commands behind them again.

python docs/findings/write.py                   # from docs/findings/tables, in seconds
python docs/findings/write.py --play            # plays everything first
python docs/findings/write.py --play strozzi-luck strozzi-sweep
python docs/findings/write.py --check           # fails unless the pages say what the tables say
"""

import argparse
import sys
from pathlib import Path
from time import monotonic

import detail
import pictures
import reading
import runs
import summary

DOCS = Path(__file__).parents[1]
PAGES = {"findings-in-detail.md": detail.page, "findings.md": summary.page}


def main() -> None:
    """Play, write or check, as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--play", nargs="*", metavar="RUN", help=f"play these runs again; default: {', '.join(runs.RUNS)}"
    )
    parser.add_argument("--check", action="store_true", help="compare the pages with the tables, and write nothing")
    given = parser.parse_args()
    unknown = [name for name in given.play or () if name not in runs.RUNS]
    if unknown:
        parser.error(f"unknown run {unknown[0]!r}; there are {', '.join(runs.RUNS)}")
    if given.play is not None:
        began = monotonic()
        for name in given.play or runs.RUNS:
            print(f"{name}: {runs.RUNS[name].command}", flush=True)
            print(f"{name}: {runs.play(name):.0f} s", flush=True)
        print(f"all played in {monotonic() - began:.0f} s")
    reading.forget()
    for name, text in PAGES.items():
        page = text()
        if not given.check:
            (DOCS / name).write_text(page, "utf-8")
        elif page != (DOCS / name).read_text("utf-8"):
            sys.exit(f"{name} does not say what its tables say; run python docs/findings/write.py")
    if not given.check:
        pictures.draw_all()
    print(f"findings: {reading.checked()} fixed statements hold")


if __name__ == "__main__":
    main()

"""Run the commands of the tables in docs/index.md and README.md, in one new folder, and print the seconds that each takes.

    python benchmarks/questions.py            # in the order of the pages: some commands read what earlier ones wrote
    python benchmarks/questions.py --write    # and put the seconds of this run into the pages

Run it twice, the first time to compile. A command that serves a page is ended once it has printed the address. Exit 1 if a
command fails.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "docs" / "index.md", ROOT / "README.md")
ROW = re.compile(r"^(\|.*\| `((?:strozzi|python) [^`]+)` \| )(\d+)( \|.*)$", re.MULTILINE)
SERVES = re.compile(r"strozzi (desk|play .*--web)")


def run(command: str, folder: Path) -> tuple[float, int]:
    """Return the seconds that a command takes, until its end or its address, and its exit code."""
    began = time.perf_counter()
    command = f"exec {command}"  # the shell becomes the command, which signals then reach
    with subprocess.Popen(
        command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        for line in running.stdout or ():
            if SERVES.search(command) and b"http://" in line:
                running.send_signal(signal.SIGINT)
                return time.perf_counter() - began, 0
        running.wait()
    return time.perf_counter() - began, running.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the seconds into the pages")
    write, texts = parser.parse_args().write, {page: page.read_text("utf-8") for page in PAGES}
    stated = {row[2]: row[3] for text in texts.values() for row in ROW.finditer(text)}
    measured, failed = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for command, before in stated.items():
            seconds, code = run(command, Path(folder))
            measured[command] = before if code else str(max(1, round(seconds)))
            failed += code != 0
            print(f"{seconds:6.1f} (page: {before}) {'' if code == 0 else f'exit code {code} '}{command}", flush=True)
    for page, text in texts.items():
        if write:
            page.write_text(ROW.sub(lambda row: f"{row[1]}{measured[row[2]]}{row[4]}", text), "utf-8")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

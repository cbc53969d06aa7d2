"""Measure pages: seconds to make one beyond the play, bytes, words before the first picture, first paint in a browser.

python benchmarks/page.py                 # needs playwright and a chromium
python benchmarks/page.py --deals 2000    # smaller studies
"""

import argparse
import re
import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import sync_playwright

import strozzi_sim as ss
from strozzi_sim.reports.writing import write_report
from strozzi_sim.studies.results import load_results

STUDIES = {
    "strozzi": {"players": [3, 4, 5, 6], "lineups": [["heuristic"]], "deals": 20_000},
    "medici_vs_strozzi": {"players": [2], "lineups": [["fair-price"]], "deals": 80_000},
    "strasbourg": {"players": [3, 4, 5], "lineups": [["heuristic"]], "deals": 5000},
}
LOADS = 5


def words_before_picture(page: str) -> int:
    """Return the number of words of the verdict and of the numbers behind it."""
    hero = page.split('id="verdict"')[1].split("<figure")[0]
    return len(re.sub(r"<[^>]*>", " ", hero.split(">", 1)[1]).split())


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, help="deals of every study; default: 80,000 games of each")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    print("game                 games   made, s  again, s     kB  words  first paint, ms")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for game, keys in STUDIES.items():
            keys = keys | ({"deals": given.deals} if given.deals else {})
            place = Path(folder) / game
            ss.run(ss.Study(name="page", game=game, **keys), place)
            results, seconds = load_results(place), []
            for _ in range(2):  # the first one starts worker processes
                (place / "report.html").unlink(missing_ok=True)
                began = perf_counter()
                page = write_report(place, results.manifest, results.tables, results.game)
                seconds.append(perf_counter() - began)
            paints = []
            for _ in range(LOADS):
                tab = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
                tab.goto(page.as_uri())
                tab.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
                paints.append(tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            text = page.read_text("utf-8")
            print(
                f"{game:20} {results.n_games:6,}  {seconds[0]:8.1f}  {seconds[1]:8.1f}  {len(text.encode()) / 1000:5.0f}  "
                f"{words_before_picture(text):5}  {median(paints):15.0f}"
            )
        browser.close()


if __name__ == "__main__":
    main()

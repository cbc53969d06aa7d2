"""Make the pictures of pages and of the desk that the documents show.

    python docs/screenshots.py [NAME ...] [--browser PATH]

It plays the studies that the pages are of, and needs Playwright and a chromium.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from strozzi_sim.desk.answers import Shelf
from strozzi_sim.desk.server import DeskServer

IMAGES = Path(__file__).parent / "images"
STUDIES = {
    "fair": ["balance", "strozzi", "--players", "3-6"],
    "worth": ["worth", "strozzi", "--all", "--players", "4", "--agents", "heuristic"],
    "city": ["balance", "strasbourg", "--players", "4", "--agents", "heuristic", "--deals", "1000"],
    "six": [
        "tune", "strozzi", "--players", "6", "--targets", "gap <= 5; over_990_share <= 10", "--keep", "decisions_mean +- 5 %",
    ],
}  # fmt: skip
SURE = (
    "#live[data-box*='tracks.bonus.9=0'] table[data-players='6'][data-half^='0.00']"  # every share is known to a point
)


def first_screen(page: Any) -> None:
    """Show the page as it opens."""


def explorer(page: Any) -> None:
    """Show a question of the explorer, in a panel for each round."""
    page.get_by_role("button", name="When I take a fast ship").click()
    page.locator("#form [name=agent]").select_option(label="usual")
    page.locator("#form [name=panel]").select_option(label="round")
    page.evaluate("document.activeElement.blur(), document.querySelector('#presets').scrollIntoView()")
    page.mouse.move(0, 0)


def city(page: Any) -> None:
    """Show the section with the city."""
    page.locator("section:has(#item-city-taken)").evaluate("section => section.scrollIntoView()")


def printed(page: Any) -> None:
    """Show what is printed."""
    page.emulate_media(media="print")
    page.evaluate("document.body.style.margin = '28px'")


def changed_box(page: Any) -> None:
    """Put the box for six into the form, and wait until the strip is sure."""
    players = page.locator("#live-who")
    players.get_by_label("6", exact=True).check(timeout=300_000)
    players.get_by_label("4", exact=True).uncheck()
    for group, key, value in (("flags", "flags.ware_steps", "4"), ("scoring", "scoring.ship_ranks", "15, 10, 0"), ("tracks", "tracks.bonus.9", "0")):  # fmt: skip
        page.locator(f"[data-name={group}] > summary").click()
        field = page.locator(f"[id='field-{key}']")
        field.fill(value)
        field.press("Enter")
    page.locator(SURE).wait_for(timeout=300_000)
    page.locator("#live-alarms .alarm").first.wait_for(timeout=300_000)
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")


# picture -> the study, or "" for the desk; what is done on its page; and the size of the window
PICTURES: dict[str, tuple[str, Callable[[Any], None], tuple[int, int]]] = {
    "page-strozzi": ("fair", first_screen, (1280, 800)),
    "page-explorer": ("fair", explorer, (1280, 800)),
    "page-phone": ("fair", first_screen, (390, 844)),
    "page-strasbourg": ("city", city, (1280, 800)),
    "page-worth": ("worth", first_screen, (1280, 800)),
    "six-answer": ("six", first_screen, (1280, 800)),
    "six-sheet": ("six", printed, (850, 880)),
    "six-desk": ("", changed_box, (1280, 800)),
}


def played(name: str, folder: Path) -> str:
    """Play a study that is not played yet, and return the address of its page."""
    results = folder / name
    if not results.exists():
        subprocess.run([sys.executable, "-m", "strozzi_sim", *STUDIES[name], "--out", results], check=True)
    return (results / "report.html").as_uri()


def opened_desk(folder: Path) -> str:
    """Serve a desk until this process ends, and return its address."""
    server = DeskServer("strozzi", Shelf(folder / "shelf"), folder / "results")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.address


def main() -> None:
    """Make all pictures, or those named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(PICTURES)}; none is all")
    parser.add_argument(
        "--browser", default=shutil.which("chromium") or shutil.which("chromium-browser"), help="its path"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.browser, args=["--no-sandbox"])
        for name in asked.names or PICTURES:
            study, act, (width, height) = PICTURES[name]
            look = "dark" if name == "page-phone" else "light"
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=look, reduced_motion="reduce"
            )
            page.goto(played(study, Path(folder)) if study else opened_desk(Path(folder)))
            act(page)
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE)
            picture.save(IMAGES / f"{name}.png", optimize=True)
            page.close()


if __name__ == "__main__":
    main()

"""Measure the strip of the desk: how soon a change is seen, whether its intervals hold, and how narrow they are.

    python benchmarks/live.py latency --changes 200     # in a browser: from a change to the first picture, and to +-2 points
    python benchmarks/live.py coverage --boxes 40       # the intervals at random moments, beside 200,000 games of the box
    python benchmarks/live.py width --numbers 50        # a change's interval beside that of two boxes played alike
    python benchmarks/live.py dragging --minutes 10     # memory, refused changes, and processes that are killed

Times hold for an idle machine. Every choice is drawn from --seed.
"""

import argparse
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from strozzi_sim.agent.names import core_count, lineups_of
from strozzi_sim.desk.answers import Shelf
from strozzi_sim.desk.live import Live, LiveBox, LiveTable, play_chunks
from strozzi_sim.desk.measured import Series, change
from strozzi_sim.desk.server import DeskServer
from strozzi_sim.errors import InputError
from strozzi_sim.game import default_players, find_game, load_game
from strozzi_sim.game.variants import resolve_variant, with_settings
from strozzi_sim.runtime import workers
from strozzi_sim.study.box_numbers import tunable_numbers, whole

TRUE_DEALS = 200_000
# Moves a slider, and returns the milliseconds until the strip shows the box and until every share is known to 2 points, or
# null for a value that the game refuses.
MOVE = """async (slider, [value, key, patience]) => {
  const live = document.getElementById("live"), began = performance.now();
  const [, list, place] = key.match(/^(.*)\\.(\\d+)$/) ?? [];
  const has = text => text === `${key}=${value}` || (text.startsWith(`${list}=[`) && JSON.parse(text.slice(list.length + 1))[place] == value);
  const problem = document.getElementById("problem");
  problem.hidden = true;
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const until = seen => new Promise(done => {
    const look = () => (seen() || !problem.hidden || performance.now() - began > patience ? done(performance.now() - began) : setTimeout(look, 4));
    look();
  });
  const shows = () => JSON.parse(live.dataset.box)[2].some(has);
  const first = await until(shows);
  const known = await until(() => shows() && [...live.querySelectorAll("table")].every(each => Number(each.dataset.half) <= 0.02));
  return problem.hidden ? [first, known] : null;
}"""
# Drags a slider over some values and lets it go.
DRAG = """async (slider, values) => {
  for (const value of values) {
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(done => setTimeout(done, 60));
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
}"""
# Keeps what the page complains of.
COMPLAINTS = """() => {
  window.said = new Set();
  const problem = document.getElementById("problem");
  new MutationObserver(() => problem.textContent && said.add(problem.textContent)).observe(problem, { childList: true });
}"""
PAGE_MB = "Math.round(performance.memory.usedJSHeapSize / 2 ** 20)"


@contextmanager
def desk_page(game: str) -> Iterator[Any]:
    """Yield the page of a desk in a browser, once its strip shows the published box."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = DeskServer(game, Shelf(Path(folder, "shelf")), Path(folder, "results"))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(server.address)
        page.locator("#live-tables table").wait_for(timeout=300_000)
        for group in page.locator("#groups details").all():
            group.locator("summary").click()
        yield page
        browser.close()
        server.shutdown()
        server.server_close()


def latency(changes: int, seed: int, games: tuple[str, ...]) -> None:
    """Print the quantiles of the times from a change to the first picture and to +-2 points, by game."""
    random = np.random.default_rng(seed)
    for game in games:
        with desk_page(game) as page:
            time.sleep(10)  # a designer looks at the box first, and the strip plays it further
            sliders = page.locator("input[type=range][data-key]").all()
            tunable = {
                number.key for number in tunable_numbers(load_game(game), resolve_variant(load_game(game), "base"))
            }
            sliders = [slider for slider in sliders if slider.get_attribute("data-key") in tunable]
            found, moved, refused = [], set(), 0
            for _ in range(changes):
                slider = sliders[random.integers(len(sliders))]
                key = slider.get_attribute("data-key")
                times = slider.evaluate(MOVE, [random_value(slider, random), key, 20_000])
                refused += times is None
                found += [(*times, key in moved)] if times else []
                moved.add(key)
            print(f"{game}: {len(found)} changes, {refused} refused", flush=True)
            times = np.array(found)
            for which, rows in (("all", times), ("sliders moved for the first time", times[times[:, 2] == 0])):
                print(f"  {which}, {len(rows)}: milliseconds to the first picture: {quantiles(rows[:, 0])}")
                print(f"    to +-2 points of every share: {quantiles(rows[:, 1])}", flush=True)


def quantiles(values: Any) -> str:
    """Return p50, p95 and the largest of some milliseconds as text."""
    return ", ".join(f"p{q} {np.quantile(values, q / 100):,.0f}" for q in (50, 95, 100))


def random_box(game: str, random: Any) -> tuple[str, ...]:
    """Return a change of one to three numbers that the game allows, as settings."""
    the_game = load_game(game)
    numbers = tunable_numbers(the_game, resolve_variant(the_game, "base"))
    while True:
        chosen = random.choice(len(numbers), random.integers(1, 4), replace=False)
        settings = tuple(f"{numbers[k].key}={whole(random.choice(numbers[k].values).item())}" for k in chosen)
        try:
            with_settings(the_game, "base", settings)
        except InputError:
            continue
        return settings


def coverage(boxes: int, stops: int, seed: int, games: tuple[str, ...]) -> None:
    """Print how often every interval of the strip holds at random moments of random boxes and player counts."""
    random = np.random.default_rng(seed)
    rates: dict[str, list[float]] = {}  # by figure: of each box, the part of its intervals that held
    seen = 0
    for number in range(boxes):
        game = games[number % len(games)]
        settings, count = random_box(game, random), int(random.choice(find_game(game).player_counts))
        live = Live(lambda: False)
        live.show(LiveBox(game, counts=(count,)))
        time.sleep(random.uniform(1, 4))
        live.state()
        live.show(LiveBox(game, settings=settings, counts=(count,)))
        shown = []
        for _ in range(stops):
            until = time.monotonic() + random.uniform(0, 0.3)
            while time.monotonic() < until:
                live.state(str(live.version), 0.02)
            shown += live.state()["tables"]
        live.close()
        seen += len(shown)
        table = table_of(game, count)
        true, first = true_figures(table, settings), true_figures(table, ())
        held: dict[str, list[bool]] = {}
        for row, figure, value in (each for known in shown for each in intervals(known, true, first)):
            if row[1] is not None:
                held.setdefault(figure, []).append(row[1] <= value <= row[2])
        for figure, found in held.items():
            rates.setdefault(figure, []).append(float(np.mean(found)))
        print(f"{seen} stops of {number + 1} boxes", flush=True)
    for figure, found in rates.items():
        print(f"  {figure}: {held_words(found)}", flush=True)


def intervals(shown: Any, true: Any, first: Any) -> Iterator[tuple[Any, str, float]]:
    """Yield the intervals of a table of the strip, each with the kind of its figure and the true value."""
    sides = len(shown["sides"])
    kinds = ["wins"] * sides + ["score", "length", "lead"]
    yield shown["gap"], "gap", np.ptp(true[:sides])
    for row, kind, value, before in zip([*shown["sides"], *shown["figures"]], kinds, true, first, strict=True):
        yield row["ends"], kind, value
        if row["change"]:
            yield row["change"], f"change of {kind}", value - before


def held_words(rates: list[float]) -> str:
    """Return the mean of the boxes' rates with an interval of 95 %, resampled by box, as the stops of a box go together."""
    draws = np.random.default_rng(0).choice(rates, (2_000, len(rates))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return f"{np.mean(rates):.1%} ({low:.1%} to {high:.1%}), all of {sum(rate == 1 for rate in rates)} of {len(rates)} boxes"


KNOWN: dict[tuple[Any, ...], Any] = {}


def true_figures(table: LiveTable, settings: tuple[str, ...]) -> Any:
    """Return the figures of a box in TRUE_DEALS games that no strip plays."""
    if (table.name, settings) not in KNOWN:
        series = played(table, settings, TRUE_DEALS // 100, first=10**7)
        KNOWN[table.name, settings] = series.by_chunk().mean(axis=0)
    return KNOWN[table.name, settings]


def table_of(game: str, count: int) -> LiveTable:
    """Return a table of usual players."""
    the_game = load_game(game)
    return LiveTable(the_game, count, lineups_of(the_game, "", (count,))[0])


def played(table: LiveTable, settings: tuple[str, ...], chunks: int, first: int = 0) -> Series:
    """Return a box played for so many chunks of 100 deals."""
    series = Series(100)
    match = table.match(with_settings(table.game, "base", settings))
    outcomes, _ = play_chunks(match, first, chunks, 100, core_count())
    series.add(outcomes, table.players, is_selfplay=True)
    return series


def width(numbers: int, seed: int) -> None:
    """Print the median ratio of the interval of a change to that of two boxes that share the same games."""
    random = np.random.default_rng(seed)
    for game in ("strozzi", "medici_vs_strozzi"):
        table = table_of(game, default_players(find_game(game)))
        base = played(table, (), 2_000)
        ratios = []
        for _ in range(numbers):
            settings = random_box(game, random)
            ours = change(played(table, settings, 200), base, table.players)
            alike = change(played(table, settings, 100), played(table, (), 100), table.players)
            ratios.append(
                np.median((ours.high - ours.low)[: table.players] / (alike.high - alike.low)[: table.players])
            )
        print(f"{game}: median ratio {np.median(ratios):.2f}, quartiles {np.quantile(ratios, [0.25, 0.75]).round(2)}")
    table = table_of("strozzi", 4)
    tiny = played(table, ("ships.S01.sail=9",), 200)
    ours = change(tiny, played(table, (), 2_000), 4)
    paired = change(tiny, played(table, (), 200), 4)
    print(
        f"ships.S01.sail 8 to 9: {100 * (ours.high - ours.low)[:4] / 2} points, paired {100 * (paired.high - paired.low)[:4] / 2}"
    )


def dragging(minutes: float, seed: int) -> None:
    """Drag sliders at random; every minute kill the process that plays, and print memory, processes and complaints."""
    random = np.random.default_rng(seed)
    with desk_page("strozzi") as page:
        page.evaluate(COMPLAINTS)
        process, began, kills, drags, slowest = psutil.Process(), time.monotonic(), 0, 0, 0.0
        keys = [each.get_attribute("data-key") for each in page.locator("input[type=range][data-key]").all()]
        while time.monotonic() - began < 60 * minutes:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                slider = page.locator(f'input[data-key="{random.choice(keys)}"]')
                slider.evaluate(DRAG, [random_value(slider, random) for _ in range(random.integers(1, 8))])
                time.sleep(random.uniform(0, 1))
                drags += 1
            died = time.monotonic()
            for worker in [each for each in workers._all if each.pool == play_chunks.__name__]:
                psutil.Process(worker._process.pid).kill()
                kills += 1
            if page.get_by_role("button", name="Undo all").count():
                page.get_by_role("button", name="Undo all").click()
                page.locator("#changes strong").wait_for(state="detached")
            slider, lost = page.locator(f'input[data-key="{random.choice(keys)}"]'), time.monotonic() - died
            first, _ = slider.evaluate(
                MOVE, [random_value(slider, random), slider.get_attribute("data-key"), 20_000]
            ) or (0, 0)
            slowest = max(slowest, lost + first / 1_000)
            own = [psutil.Process(each._process.pid) for each in workers._all if each.alive]
            row = {"minutes": round((time.monotonic() - began) / 60, 1), "drags": drags, "kills": kills}
            row |= {"seconds after the last": round(lost + first / 1_000, 2), "slowest": round(slowest, 2)}
            row |= {
                "MB": process.memory_info().rss >> 20,
                "MB of workers": [each.memory_info().rss >> 20 for each in own],
            }
            row |= {"threads": process.num_threads(), "MB of the page": page.evaluate(PAGE_MB)}
            print(json.dumps(row | {"said": page.evaluate("[...said]")}), flush=True)


def random_value(slider: Any, random: Any) -> float:
    """Return a value that a slider can be dragged to."""
    low, high, step = (float(slider.get_attribute(name) or 1) for name in ("min", "max", "step"))
    return whole(low + step * random.integers(0, int((high - low) / step) + 1))


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["latency", "coverage", "width", "dragging"])
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--boxes", type=int, default=40)
    parser.add_argument("--stops", type=int, default=50, help="of each box")
    parser.add_argument("--numbers", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--games", default="strozzi,medici_vs_strozzi,strasbourg")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.what == "latency":
        latency(options.changes, options.seed, tuple(options.games.split(",")))
    elif options.what == "coverage":
        coverage(options.boxes, options.stops, options.seed, tuple(options.games.split(",")))
    elif options.what == "width":
        width(options.numbers, options.seed)
    else:
        dragging(options.minutes, options.seed)


if __name__ == "__main__":
    main()

"""Random self-play of other libraries and ours, in turn on one core: decisions a CPU-second, start-up and peak memory.

    python benchmarks/peers/race.py [--seconds S] [--turns K] [--environments FOLDER] [--tag CHECKOUT] [--json]

Each library is installed into a separate environment, in FOLDER (default: `.venv-*` next to this file). TAG (Java) is measured in a checkout; its classes and
libraries must be on CLASSPATH. Games differ, so a ratio says how
many decisions of such games a researcher gets for the time. One game is the same on both sides: goofspiel for three, 5 cards, prizes in random order,
ours the one in examples/goofspiel. Then the searches: OpenSpiel's C++ ISMCTSBot and ours (see peers.py).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import median

import peers

HERE = Path(__file__).parent
PACKAGES = {
    "openspiel": ["open_spiel"], "rlcard": ["rlcard", "pettingzoo[classic]"], "catanatron": ["catanatron"], "pgx": ["pgx", "jax[cpu]"],
}  # fmt: skip
GOOFSPIEL = "turn_based_simultaneous_game(game=goofspiel(num_cards={},players=3,points_order=random))"
ROWS = {  # as printed: environment, row of random_play.py
    "OpenSpiel C++, goofspiel, 3 players, 5 cards": ("openspiel", f"openspiel-cpp {GOOFSPIEL.format(5)}"),
    "OpenSpiel C++, goofspiel, 3 players, 13 cards": ("openspiel", f"openspiel-cpp {GOOFSPIEL.format(13)}"),
    "OpenSpiel C++, oh_hell, 4 players": ("openspiel", "openspiel-cpp oh_hell(players=4)"),
    "OpenSpiel C++, gin_rummy, 2 players": ("openspiel", "openspiel-cpp gin_rummy"),
    "OpenSpiel in Python, goofspiel, 3 players, 13 cards": ("openspiel", f"openspiel-python {GOOFSPIEL.format(13)}"),
    "OpenSpiel in Python, oh_hell, 4 players": ("openspiel", "openspiel-python oh_hell(players=4)"),
    "OpenSpiel in Python, gin_rummy, 2 players": ("openspiel", "openspiel-python gin_rummy"),
    "RLCard, gin-rummy, 2 players": ("rlcard", "rlcard gin-rummy"),
    "RLCard, mahjong, 4 players": ("rlcard", "rlcard mahjong"),
    "PettingZoo, leduc_holdem, 2 players": ("rlcard", "pettingzoo leduc_holdem_v4"),
    "PettingZoo, texas_holdem, 2 players": ("rlcard", "pettingzoo texas_holdem_v4"),
    "catanatron, 4 players": ("catanatron", "catanatron"),
    "pgx, sparrow_mahjong, 3 players": ("pgx", "pgx sparrow_mahjong"),
    "pgx, leduc_holdem, 2 players": ("pgx", "pgx leduc_holdem"),
}
OURS = {
    "strozzi-sim, goofspiel, 3 players, 5 cards": "strozzi-sim goofspiel 3",
    "strozzi-sim, Strozzi, 4 players": "strozzi-sim strozzi 4",
    "strozzi-sim, Medici vs Strozzi, 2 players": "strozzi-sim medici_vs_strozzi 2",
    "strozzi-sim, Strasbourg, 4 players": "strozzi-sim strasbourg 4",
}
TAG = {  # as printed: arguments of TagPlay.java
    "TAG, Uno, 4 players": ["Uno", "4"], "TAG, Sushi Go, 4 players": ["SushiGo", "4"], "TAG, Dominion, 4 players": ["Dominion", "4"],
    "TAG, Catan, 4 players": ["Catan", "4"],
}  # fmt: skip
_ORDER = ("decisions", "games", "start", "peak")


def install(folder):
    """Make the environments that are not there; return those that could be made."""
    made = {}
    for name, packages in PACKAGES.items():
        place = folder / f".venv-{name}"
        if not (place / "bin" / "python").exists():
            venv.create(place, with_pip=True)
            if subprocess.run([place / "bin" / "pip", "install", "--quiet", *packages], check=False).returncode:
                print(f"race: {name} cannot be installed here", file=sys.stderr)
                continue
        made[name] = place / "bin" / "python"
    return made


def measured(python, row, seconds, environment=None):
    """Return what random_play.py measured."""
    done = subprocess.run(
        [python, HERE / "random_play.py", row, str(seconds)],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return json.loads(done.stdout.splitlines()[-1])


def in_tag(checkout, classes, row, seconds):
    """Return what TagPlay.java, compiled in `classes`, measured."""
    libraries = os.pathsep.join([str(classes), os.environ.get("CLASSPATH", "")])
    command = ["java", "-cp", libraries, "TagPlay", *row, str(seconds)]
    done = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def race(seconds, turns, pythons, tag=None):
    """Return all measurements: row -> list of dicts, the rows in turn."""
    sys.path.insert(0, str(HERE.parents[1] / "tests" / "support"))
    from own_game import install as install_goofspiel

    found = {name: [] for name in (*OURS, *(name for name, (place, _) in ROWS.items() if place in pythons))}
    found |= {name: [] for name in TAG} if tag else {}
    searches = {"OpenSpiel's C++ ISMCTSBot": [], **{f"strozzi-sim, {agent}": [] for agent in peers.OURS.values()}}
    with tempfile.TemporaryDirectory() as folder:
        environment = install_goofspiel(Path(folder))
        if tag:
            subprocess.run(["javac", "-d", folder, HERE / "TagPlay.java"], check=True)
        for _ in range(turns):
            for name in found:
                if name in OURS:
                    found[name].append(measured(sys.executable, OURS[name], seconds, environment))
                elif name in TAG:
                    found[name].append(in_tag(tag, folder, TAG[name], seconds))
                else:
                    place, row = ROWS[name]
                    found[name].append(measured(pythons[place], row, seconds))
            if "openspiel" in pythons:
                searches["OpenSpiel's C++ ISMCTSBot"].append(peers.openspiel(pythons["openspiel"].parents[1], seconds))
                for agent in peers.OURS.values():
                    searches[f"strozzi-sim, {agent}"].append(peers.ours(agent, seconds))
    return found, searches


def main():
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--environments", type=Path, default=HERE)
    parser.add_argument(
        "--tag", type=Path, default=os.environ.get("TAG_CHECKOUT"), help="checkout of TAG; default: $TAG_CHECKOUT"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.tag and not (options.tag.is_dir() and os.environ.get("CLASSPATH")):
        parser.error(
            f"--tag: expected a checkout of TAG, with its classes and libraries on CLASSPATH, got {options.tag}"
        )
    pythons = install(options.environments)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found, searches = race(options.seconds, options.turns, pythons, options.tag)
    if options.json:
        print(json.dumps({"random play": found, "simulations/s": searches}, indent=1))
        return
    print("| random self-play | decisions/s | games/s | first result, s | peak memory, MiB |\n|---|---|---|---|---|")
    for name, runs in found.items():
        middle = {key: median(each[key] for each in runs) for key in _ORDER}
        low, high = (end(each["decisions"] for each in runs) for end in (min, max))
        print(
            f"| {name} | {middle['decisions']:,.0f} ({low:,.0f}-{high:,.0f}) | {middle['games']:,.0f} | "
            f"{middle['start']:.1f} | {middle['peak']:,.0f} |"
        )
    print("\n| search, random playouts | simulations/s |\n|---|---|")
    for name, rates in searches.items():
        if rates:
            print(f"| {name} | {median(rates):,.0f} ({min(rates):,.0f}-{max(rates):,.0f}) |")


if __name__ == "__main__":
    main()

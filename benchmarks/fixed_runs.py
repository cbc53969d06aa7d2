"""Write the outputs of 40 fixed runs and every agent's choices at 200 positions of each game, or compare those of two checkouts byte by byte.

A change that claims to leave results alone is checked by running this before and after it:

    python benchmarks/fixed_runs.py --out /tmp/before      # on the old checkout
    python benchmarks/fixed_runs.py --out /tmp/after       # on the new one
    python benchmarks/fixed_runs.py --compare /tmp/before /tmp/after

The runs cover every command that computes something, all three games, every player count and every kind of agent. JSON documents are
written with sorted keys and without times, folders and versions. `--compare` exits with 1 and names each file and key that differs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

# Keys of JSON documents that hold times, places or versions, and so differ between equal runs.
UNSTABLE = {"seconds", "results", "report", "out", "path", "commit", "versions", "compile_s", "first_result_s"}

AGENTS = {
    "strozzi": "heuristic,greedy,random",
    "medici_vs_strozzi": "appraiser,fair-price",
    "strasbourg": "heuristic,tasker,random",
}
PLAYERS = {"strozzi": [3, 4, 5, 6], "medici_vs_strozzi": [2], "strasbourg": [3, 4, 5]}
SEARCHES = ["flat_mc:playouts=20", "ismcts:iterations=60", "mo_ismcts:iterations=40"]
STUDIES = [
    "balance_by_player_count",
    "flag_usage",
    "port_strategy",
    "strategy_heatmaps",
    "medici_vs_strozzi_balance",
    "medici_vs_strozzi_prices",
    "medici_vs_strozzi_tracks",
    "strasbourg_balance",
    "strasbourg_map",
    "strasbourg_tasks",
]


def commands() -> dict[str, list[str]]:
    """Return the arguments of each run, by name; `OUT` stands for the file or folder it writes."""
    runs: dict[str, list[str]] = {}
    for game, agents in AGENTS.items():
        for players in PLAYERS[game]:
            some = ",".join(agents.split(",")[:players])
            runs[f"record-{game}-{players}"] = [
                *("record", game, "--players", str(players), "--agents", some),
                *("--games", "20", "--seed", "7", "--out", "OUT"),
            ]
        fewest = str(PLAYERS[game][0])
        for search in SEARCHES:
            name = search.split(":")[0]
            runs[f"record-{game}-{name}"] = [
                *("record", game, "--players", fewest, "--agents", f"{search},random"),
                *("--games", "3", "--seed", "5", "--out", "OUT"),
            ]
        runs[f"balance-{game}"] = [
            "balance",
            game,
            "--players",
            fewest,
            "--agents",
            "random",
            "--deals",
            "2000",
            "--json",
        ]
        runs[f"tournament-{game}"] = [
            *("tournament", game, "--players", fewest, "--agents", agents, "--deals", "60", "--json"),
        ]
        first, second = agents.split(",")[:2]
        runs[f"compare-{game}"] = ["compare", game, first, second, "--players", fewest, "--deals", "200", "--json"]
    runs["exploit"] = [
        *(
            "exploit",
            "strozzi",
            "greedy",
            "--players",
            "3",
            "--challengers",
            "heuristic,racer,learned",
            "--deals",
            "500",
            "--json",
        ),
    ]
    runs["heatmap"] = [
        *("heatmap", "strozzi", "--rows", "flag", "--columns", "cards_left", "--value", "mean prize"),
        *("--where", "round == 3", "--agents", "promoter", "--deals", "500", "--json"),
    ]
    runs["leaks"] = ["leak-check", "strasbourg", "heuristic", "--players", "3", "--deals", "2", "--json"]
    for study in STUDIES:
        runs[f"study-{study}"] = ["run", f"experiments/{study}.toml", "--deals", "200", "--out", "OUT", "--json"]
    return runs


def choices(game: str) -> dict[str, list[int]]:
    """Return what every agent of `game` chooses at the same 200 positions, reached by random play at each player count."""
    import strozzi_sim as ss

    cheap = {"iterations": 30, "playouts": 4}
    agents = []
    for name in ss.agents(game):
        spec = ss.load_agent(name, ss.load_game(game))
        params = spec.agent.params
        if spec.missing:
            continue
        values = [f"{key}={value}" for key, value in cheap.items() if key in params]
        agents.append(name + (":" + ",".join(values) if values else ""))
    chosen: dict[str, list[int]] = {agent: [] for agent in agents}
    for number in range(200):
        players = PLAYERS[game][number % len(PLAYERS[game])]
        position = ss.Position(game, players=players, seed=11, deal=number)
        for step in range(number):
            if not position.over:
                position.play(position.legal[(7 * number + step) % len(position.legal)])
        while position.over:
            position.undo()
        for agent in agents:
            chosen[agent].append(int(position.ask(agent)))
    return chosen


def stable(document: Any) -> Any:
    """Return the JSON document without the keys that differ between equal runs."""
    if isinstance(document, dict):
        return {key: stable(value) for key, value in document.items() if key not in UNSTABLE}
    if isinstance(document, list):
        return [stable(value) for value in document]
    return document


def run(name: str, arguments: list[str], out: Path) -> str:
    """Run one command and keep what it wrote; return the line that reports it."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "written"
        words = [str(place) if word == "OUT" else word for word in arguments]
        if words[0] == "run":  # fewer deals than the file says
            text = Path(words[1]).read_text()
            deals = words.pop(words.index("--deals") + 1)
            words.remove("--deals")
            lines = [f"deals = {deals}" if line.startswith("deals =") else line for line in text.splitlines()]
            shorter = Path(scratch) / Path(words[1]).name
            shorter.write_text("\n".join(lines) + "\n")
            words[1] = str(shorter)
        done = subprocess.run(
            [sys.executable, "-m", "strozzi_sim", *words], capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1):
            return f"{name}: exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
        if "--json" in words:
            document = json.loads(done.stdout)
            if "tables" in document:  # the words around them may change
                document = {"tables": document["tables"]}
            text = json.dumps(stable(document), indent=1, sort_keys=True).replace(scratch, "SCRATCH")
            (out / f"{name}.json").write_text(text + "\n")
        if place.is_dir():
            shutil.copytree(place / "tables", out / f"{name}.tables")
        elif place.exists():
            shutil.copy(place, out / f"{name}.jsonl")
    return f"{name}: written"


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yield a line for each file that differs between the two folders."""
    names = {path.relative_to(root) for root in (before, after) for path in root.rglob("*") if path.is_file()}
    for name in sorted(names):
        one, other = before / name, after / name
        if not one.exists() or not other.exists():
            yield f"{name}: only in {before if one.exists() else after}"
        elif one.read_bytes() != other.read_bytes():
            yield f"{name}: differs"


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--out", type=Path, help="folder to write to; must not exist")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.compare:
        found = list(differences(*options.compare))
        print("\n".join(found) or "equal")
        return 1 if found else 0
    if options.out is None:
        parser.error("--out or --compare is required")
    options.out.mkdir(parents=True)
    chosen = {name: words for name, words in commands().items() if options.only in name}
    with ThreadPoolExecutor(options.jobs) as pool:
        lines = list(pool.map(lambda item: run(*item, options.out), chosen.items()))
    for game in AGENTS:
        if options.only in f"choices-{game}":
            (options.out / f"choices-{game}.json").write_text(json.dumps(choices(game), indent=1) + "\n")
            lines.append(f"choices-{game}: written")
    print("\n".join(lines))
    return 1 if any("exit" in line for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())

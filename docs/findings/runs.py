"""The commands behind the findings: playing them, and keeping the tables that the page reads."""

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

import boxes
import pandas as pd

import strozzi_sim as ss
from strozzi_sim.game import load_game

ROOT = Path(__file__).parents[2]
TABLES = Path(__file__).parent / "tables"
DIGITS = "%.6g"  # of a figure in a kept table
Frames = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Run:
    """One command.

    Attributes:
        command: as it is typed.
        tables: names of the tables to keep.
        rows: returns the rows to keep of a table; default: all.
        function: plays in place of the command line.
    """

    command: str
    tables: tuple[str, ...]
    rows: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table
    function: Callable[[], Frames] | None = None


def _overall(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are of no level of another column."""
    return table[table["by"] == "all"] if "by" in table else table


def _wins(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of shares of wins."""
    return table[table["figure"] == "win_share"]


def _gaps(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of gaps between the seats."""
    return table[table["figure"].isin(["seat_gap", "seat_gap_by_chance"])]


def _alarms(game: str, players: str, deals: int) -> Frames:
    """Return what goes wrong in games of usual players, as the sentences that a page has below its answer."""
    results = ss.simulate(game, players=players, deals=deals, progress=False)
    return {"alarms": pd.DataFrame({"text": [alarm.text for alarm in results.alarms]})}


STYLES = {
    "strozzi": "heuristic,eager,florence,picky,pirate-early,pirate-late,promoter,racer,trader",
    "medici_vs_strozzi": "fair-price,shader,fixed-price,appraiser",
    "strasbourg": "heuristic,councillor,hoarder,merchant,spender,tasker",
}
PLAYERS = {"strozzi": "3-6", "medici_vs_strozzi": "2", "strasbourg": "3-5"}
_DEALS = {  # balance, worth, weights, tournament
    "strozzi": (20_000, 5000, 80_000, 100),
    "medici_vs_strozzi": (20_000, 5000, 20_000, 200),
    "strasbourg": (10_000, 5000, 20_000, 100),
}
_SEARCHED = {"strozzi": 600, "medici_vs_strozzi": 5000, "strasbourg": 400}  # deals of agents that search
_FIELDS = {
    "strozzi": "heuristic,trader,florence,picky,promoter,racer",
    "medici_vs_strozzi": "fair-price,shader",
    "strasbourg": "heuristic,spender,tasker,councillor",
}
_FOLLOWED = {"strozzi": 60, "medici_vs_strozzi": 100, "strasbourg": 40}  # games
PLANNED = {  # runs of plans: game, who follows them, deals of each plan, each from every seat
    "strozzi-plans": ("strozzi", "trained", 1250),
    "strozzi-plans-strong": ("strozzi", "strong", 250),
    "medici_vs_strozzi-plans": ("medici_vs_strozzi", "trained", 2500),
    "medici_vs_strozzi-plans-strong": ("medici_vs_strozzi", "strong", 250),
    "strasbourg-plans": ("strasbourg", "trained", 625),
    "strasbourg-plans-strong": ("strasbourg", "strong", 125),
}
AGAIN = {  # a run of plans -> the three that won most there, and the deals that chose none of them on which they play
    "strozzi-plans": ("promoter,scholar,wares", 1250),
    "medici_vs_strozzi-plans": ("gold,big-lots,ahead", 2500),
    "strasbourg-plans": ("few-tasks,edifices,goods", 300),
}
_WATCHED = {"strozzi": 3000, "medici_vs_strozzi": 3000, "strasbourg": 1000}  # deals of which alarms are counted
RUNS: dict[str, Run] = {}
for game, counts in PLAYERS.items():
    fair, worth, weights, tournament = _DEALS[game]
    RUNS[f"{game}-balance"] = Run(
        f"strozzi balance {game} --players {counts} --deals {fair} --search-deals {_SEARCHED[game]}",
        ("balance", "seats"),
    )
    RUNS[f"{game}-worth"] = Run(f"strozzi worth {game} --all --players {counts} --deals {worth}", ("worth",))
    several = "4" if game == "strasbourg" else counts  # its games are long
    RUNS[f"{game}-luck"] = Run(
        f"strozzi luck {game} --players {several} --agents {_FIELDS[game]} --games {_FOLLOWED[game]}",
        ("luck", "drama"),
    )
    RUNS[f"{game}-fields"] = Run(
        f"strozzi luck {game} --players {2 if game == 'medici_vs_strozzi' else 4} --deals 500 --games 0", ("luck",)
    )
    RUNS[f"{game}-weights"] = Run(f"strozzi weights {game} --deals {weights}", ("weights",))
    RUNS[f"{game}-tournament"] = Run(
        f"strozzi tournament {game} --players {counts} --agents {STYLES[game]} --deals {tournament}",
        ("agents", "pairwise"),
    )
    RUNS[f"{game}-alarms"] = Run(
        f"strozzi balance {game} --players {counts} --deals {_WATCHED[game]}",
        ("alarms",),
        function=partial(_alarms, game, counts, _WATCHED[game]),
    )
    RUNS[f"{game}-boxes"] = Run(
        f"python docs/findings/write.py --play {game}-boxes", ("balance", "worth"), function=boxes.player(game)
    )
RUNS["strozzi-powers"] = Run(
    "strozzi worth strozzi 'flag:*' 'power:*' --players 4 --agents heuristic,learned --deals 5000", ("worth",)
)
for name, (game, tier, deals) in PLANNED.items():
    agent = "" if tier == "trained" else f" --agent {load_game(game).tiers[tier]}"
    command = f"strozzi plans {game}{agent}"
    RUNS[name] = Run(f"{command} --deals {deals}", ("plans",), rows=_wins)
    if name in AGAIN:
        only, deals = AGAIN[name]
        RUNS[f"{name}-again"] = Run(f"{command} --only {only} --seed 1 --deals {deals}", ("plans",), rows=_wins)
FAIR_GAP = "gap <= 6"  # points between the seats
# searches for the smallest change after which all seats are fair: game, players, agent, most deals of a box
FAIRER = {
    "strozzi-fairer": ("strozzi", "3-6", "heuristic", 60_000),
    "strozzi-fairer-trained": ("strozzi", "4", "learned", 30_000),
    "medici_vs_strozzi-fairer": ("medici_vs_strozzi", "2", "fair-price", 60_000),
    "medici_vs_strozzi-fairer-trained": ("medici_vs_strozzi", "2", "learned", 60_000),
    "strasbourg-fairer": ("strasbourg", "3-5", "heuristic", 20_000),
}
for name, (game, counts, agent, deals) in FAIRER.items():
    RUNS[name] = Run(
        f'strozzi tune {game} --players {counts} --agents {agent} --targets "{FAIR_GAP}" --deals {deals}',
        ("ladder", "box", "reach"),
    )
RUNS["strozzi-sweep"] = Run("strozzi run experiments/strozzi_bonus.toml", ("sweep", "changes"), rows=_gaps)
RUNS["medici_vs_strozzi-prices"] = Run(
    "strozzi run experiments/medici_vs_strozzi_prices.toml", ("prices",), rows=_overall
)
RUNS["strasbourg-tasks"] = Run("strozzi run experiments/strasbourg_tasks.toml", ("tasks",), rows=_overall)


def play(name: str) -> float:
    """Play a run, keep its tables, and return the seconds that it took."""
    run, began = RUNS[name], monotonic()
    tables = run.function() if run.function else _of_command(run.command)
    TABLES.mkdir(exist_ok=True)
    for table in run.tables:
        run.rows(tables[table]).to_csv(TABLES / f"{name}-{table}.csv", index=False, float_format=DIGITS)
    seconds = monotonic() - began
    times = _times() | {name: round(seconds)}
    lines = [f"{each},{times[each]}" for each in RUNS if each in times]
    (TABLES / "seconds.csv").write_text("\n".join(["run,seconds", *lines, ""]))
    return seconds


def _times() -> dict[str, int]:
    file = TABLES / "seconds.csv"
    return dict(pd.read_csv(file).itertuples(index=False, name=None)) if file.exists() else {}


def read(name: str, table: str, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return a kept table; one without rows has these columns."""
    file = TABLES / f"{name}-{table}.csv"
    if not file.read_text().strip():
        return pd.DataFrame(columns=columns)
    return pd.read_csv(file, keep_default_na=False, na_values=[""])


def seconds() -> pd.DataFrame:
    """Return the time that every run took when its tables were made."""
    return pd.read_csv(TABLES / "seconds.csv").set_index("run")["seconds"]


def _of_command(command: str) -> Frames:
    """Return the tables that a command prints as JSON; those of `strozzi run` are files."""
    program, *words = shlex.split(command)
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "run":
            words += ["--out", f"{folder}/results"]
        done = subprocess.run(
            [Path(sys.executable).with_name(program), *words, "--json"], cwd=ROOT, check=True, stdout=subprocess.PIPE
        )
        tables = json.loads(done.stdout)["tables"]
        return {
            name: pd.read_parquet(rows) if isinstance(rows, str) else pd.DataFrame(rows)
            for name, rows in tables.items()
        }

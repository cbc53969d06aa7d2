"""Play the same studies by `strozzi_sim.study` and by the code that it replaces, and compare their tables byte by byte.

    python benchmarks/one_study.py              # all cases
    python benchmarks/one_study.py worth sweep  # some

A case passes if both make the same tables, in the same order, and each has the same bytes as Parquet. Cases with a folder compare the
files below `tables/`. Exits with 1 and names each table and column that differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

import strozzi_sim as old
from strozzi_sim.agent.python import Replacement

new: Any = import_module("strozzi_sim.study")
QUIET: dict[str, Any] = {"workers": 1, "progress": False}
Case = Callable[[Path], tuple[Any, Any]]  # of a folder: results, or folders of results, by the old code and by the new

VARIANTS = """
name = "two-variants"
game = "strozzi"
players = [3, 4]
deals = 150
seed = 5
rows = true
facts = ["ship", "seat"]
facts_share = 0.5
lineups = [["heuristic"], ["heuristic", "random", "random"]]
variants = ["base", "rich-ends"]
[variant.rich-ends.tracks]
bonus = { 7 = 10, 8 = 15, 9 = 20 }
[report]
pages = ["balance", "flags", "ports"]
heatmaps = ["flag-by-sail"]
[[heatmap]]
name = "late"
fact = "ship"
rows = "flag"
columns = "cards_left"
value = "mean prize"
where = "round == 3"
"""
WORTH = """
name = "with-worth"
game = "strozzi"
players = [3, 4]
deals = 100
lineups = [["random"], ["heuristic", "random", "random"]]
worth = ["flag:*"]
[report]
pages = ["balance"]
"""
SWEEP = """
name = "sweep"
game = "strozzi"
players = [3]
deals = 200
lineups = [["random"]]
[sweep]
"tracks.bonus.7" = [0, 5, 10]
"tracks.bonus.9" = [10, 15]
[report]
pages = ["balance"]
"""


def in_folders(text: str, **more: Any) -> Case:
    """Return the case of a study file, which both play into folders."""

    def case(place: Path) -> tuple[Path, Path]:
        file = place / "study.toml"
        file.write_text(text)
        old.run(old.read_study(file), place / "old", **QUIET, **more)
        new.run_file(file, folder=place / "new", **QUIET, **more)
        return place / "old", place / "new"

    return case


def both(function: str, *given: Any, **keys: Any) -> Case:
    """Return the case of a function that both have."""
    return lambda place: tuple(getattr(each, function)(*given, **keys, **QUIET) for each in (old, new))  # type: ignore[return-value]


def both_alone(function: str, *given: Any, **keys: Any) -> Case:
    """Return the case of a function without workers."""
    return lambda place: tuple(getattr(each, function)(*given, **keys, progress=False) for each in (old, new))  # type: ignore[return-value]


def sheets(place: Path) -> tuple[Any, Any]:
    """Fit 30 score sheets."""
    file = place / "sheets.csv"
    lines = [f"{k},{40 + k % 7},{38 + k % 5},{35 + k % 11}" for k in range(30)]
    file.write_text("\n".join(["game,seat 0,seat 1,seat 2", *lines]))
    return tuple(  # type: ignore[return-value]
        each.our_table("strozzi", file=str(file), deals=100, **QUIET) for each in (old, new)
    )


def beside(place: Path) -> tuple[Any, Any]:
    """Lay two studies beside each other, of different deals and variants."""
    from strozzi_sim.studies.side_by_side import side_by_side

    keys = {"players": 3, "agents": "random", "deals": 60}
    made = [
        [
            each.simulate("strozzi", **keys, **more, folder=place / each.__name__ / str(k), **QUIET)
            for k, more in enumerate(({}, {"variant": ["base", "long-tracks"], "seed": 1}))
        ]
        for each in (old, new)
    ]
    return side_by_side(made[0]), new.side_by_side(made[1])


def resumed(place: Path) -> tuple[Path, Path]:
    """Play a part of the deals, then all of them, by the new code; and all of them by the old code."""
    file = place / "study.toml"
    file.write_text(VARIANTS.replace("deals = 150", "deals = 150\nchunk_deals = 10"))
    old.run(old.read_study(file), place / "old", **QUIET)
    new.run_file(file, folder=place / "new", deals=45, **QUIET)
    new.run_file(file, folder=place / "new", **QUIET)
    return place / "old", place / "new"


def in_parts(place: Path) -> tuple[Path, Path]:
    """Play two parts and merge them by the new code, and the whole by the old code."""
    file = place / "study.toml"
    file.write_text(VARIANTS)
    old.run(old.read_study(file), place / "old", **QUIET)
    for part in ("1/2", "2/2"):
        new.run_file(file, folder=place / part[0], part=part, **QUIET)
    new.merge([place / "1", place / "2"], folder=place / "new", **QUIET)
    return place / "old", place / "new"


def answering(place: Path) -> tuple[Any, Any]:
    """Play an agent in code whose illegal answers are replaced."""

    @old.python_agent("stubborn", games=("strozzi",), replaces=True)
    class Stubborn:
        def act(self, view: Any, legal: Any, rng: Any) -> Any:
            return legal[0] if 1 in legal else Replacement(legal[0])

    return tuple(  # type: ignore[return-value]
        each.simulate("strozzi", players=3, agents=[Stubborn, "random", "random"], deals=60, **QUIET)
        for each in (old, new)
    )


CASES: dict[str, Case] = {
    "file": in_folders(Path("experiments/balance_by_player_count.toml").read_text(), deals=400),
    "variants": in_folders(VARIANTS),
    "extended": resumed,
    "parts": in_parts,
    "sweep": in_folders(SWEEP),
    "file-with-worth": in_folders(WORTH),
    "tiers": both("simulate", "medici_vs_strozzi", agents="tiers", deals=300, search_deals=20),
    "precision": both("simulate", "strozzi", players=3, agents="random", precision=3),
    "luck": both("simulate", "strozzi", players=3, agents="heuristic", luck="learned", luck_redraws=2, deals=40),
    "heat-map": both(
        "simulate", "strozzi", players=3, agents="random", deals=100, heatmaps=[{"rows": "seat", "columns": "round", "fact": "round"}]
    ),
    "answers": answering,
    "agents": both("compare", "strozzi", "racer", "trader", players="3-4", deals=400),
    "agents-decided": both("compare", "strozzi", "heuristic", "random", players=3),
    "agents-precision": both("compare", "strozzi", "racer", "trader", players=3, precision=5),
    "settings": both("compare", "strozzi", settings=["tracks.bonus.7=10"], players=3, deals=400),
    "variants-decided": both("compare", "strozzi", settings=["tracks.bonus.7=10"], players=3, effect=0.05),
    "long": both("compare", "medici_vs_strozzi", "base", "long", deals=200),
    "same-variant": both("compare", "medici_vs_strozzi", "base", "base", deals=200),
    "worth": both("worth", "strozzi", "flag:*", players="3-4", deals=200),
    "worth-of-strasbourg": both("worth", "strasbourg", "task:any", players=3, agents="random", deals=200),
    "worth-of-search": both("worth", "medici_vs_strozzi", "ship:*", agents="random,flat_mc:playouts=5", deals=100),
    "worth-precision": both("worth", "strozzi", "flag:ware", players=3, agents="random", precision=4),
    "tournament": both("tournament", "strozzi", ["random", "greedy", "racer", "trader"], players="3,4", deals=60),
    "tournament-of-two": both("tournament", "medici_vs_strozzi", ["random", "appraiser", "fair-price"], deals=100),
    "tournament-until": both("tournament", "strozzi", ["random", "greedy", "racer"], players=3, deals=600, until="decided"),
    "tournament-luck": both("tournament", "strozzi", ["random", "greedy", "racer"], players=3, deals=40, luck="learned", luck_redraws=2),
    "luck-of-fields": both("luck", "strozzi", players=3, deals=100, games=30, playouts=50),
    "luck-of-two": both("luck", "medici_vs_strozzi", deals=100, games=0),
    "weights": both("weights", "strozzi", players=3, agents="random", deals=4000, keys="tracks.bonus.*"),
    "exploit": both("exploit", "strozzi", "greedy", players=3, challengers="racer", generations=2, population=4, deals=20, held_out=400),
    "our-table": sheets,
    "side-by-side": beside,
    "leak-check": both_alone("leak_check", "strozzi", "greedy", players="3,4", deals=1),
}  # fmt: skip


# Cases whose tables differ, with the reason.
NAMED = {
    "agents-decided": "the last deals are no multiple of the chunks: chunks are cut elsewhere, and play stops at another one",
    "leak-check": "one more column, the position of a leak as its seat sees it",
}
GONE = {"streams", "index"}  # tables of the old code that the new one does not make


def differences(before: dict[str, pd.DataFrame], after: dict[str, pd.DataFrame]) -> list[str]:
    """Return a line for each difference between tables by name."""
    before, found = {name: table for name, table in before.items() if name not in GONE}, []
    if list(before) != list(after):
        found.append(f"tables: {list(before)} and {list(after)}")
    for name in before.keys() & after.keys():
        one, two = before[name], after[name]
        if _parquet(one) == _parquet(two):
            continue
        if list(one.columns) != list(two.columns) or len(one) != len(two):
            found.append(f"{name}: {one.shape} {list(one.columns)} and {two.shape} {list(two.columns)}")
            continue
        for column in one:
            same = (one[column] == two[column]) | (one[column].isna() & two[column].isna())
            if one[column].dtype != two[column].dtype or not same.all():
                rows = np.flatnonzero(~same.to_numpy())[:1]
                shown = "; ".join(f"{one.iloc[k].to_dict()} and {two.iloc[k].to_dict()}" for k in rows)
                found.append(f"{name}.{column}: {int((~same).sum())} of {len(one)} rows differ: {shown}")
    return found


def _parquet(frame: pd.DataFrame) -> bytes:
    content = BytesIO()
    frame.to_parquet(content, index=False)
    return content.getvalue()


def _files(folder: Path) -> dict[str, bytes]:
    """Return the tables and rows of a results folder."""
    paths = (path for part in ("tables", "games", "facts") for path in sorted((folder / part).rglob("*.*")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _file_differences(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    names = [f"files: {sorted(before.keys() ^ after.keys())}"] if before.keys() != after.keys() else []
    return [*names, *(f"{name}: differs" for name in before.keys() & after.keys() if before[name] != after[name])]


def main() -> int:
    """Run the cases; return 1 if tables differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"default: all of {', '.join(CASES)}")
    failed = False
    for name in parser.parse_args().cases or CASES:
        began = monotonic()
        with tempfile.TemporaryDirectory() as place:
            before, after = CASES[name](Path(place))
            if isinstance(before, Path):
                files = _files(before)
                lines, many = _file_differences(files, _files(after)), len(files)
            else:
                lines, many = differences(dict(before.tables), dict(after.tables)), len(before.tables)
        failed |= bool(lines) and name not in NAMED
        verdict = f"{len(lines)} differences" if lines else "equal"
        why = f": {NAMED[name]}" if name in NAMED else ""
        seconds = monotonic() - began
        print(
            f"{name}: {many} {'files' if isinstance(before, Path) else 'tables'}, {verdict}{why} ({seconds:.0f} s)",
            flush=True,
        )
        for line in lines if name not in NAMED else ():
            print(f"  {line[:600]}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

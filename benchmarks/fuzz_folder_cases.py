"""Results folders for fuzz_folders.py, spoiled as a stranger may spoil them; each is made of a seed and a number alone."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import socket
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz_cases import HOSTILE, spoiled_bytes, spoiled_value

MARKUP = "<script>alert(1)</script>"
STUDY = """name = "mine"
game = "strozzi"
seed = 7
players = [3]
deals = 4
chunks = 2
lineups = [["random"]]
rows = true
facts = ["round"]
[report]
pages = ["balance"]
heatmaps = []
"""
TOURNAMENT = "tournament strozzi --players 3 --agents random,greedy,racer --deals 4 --workers 1 --out"
CODE = """from pathlib import Path
Path({ran!r}).touch()
from strozzi_sim.agent import python_agent

@python_agent(name="first")
class First:
    def act(self, view, legal, rng):
        return legal[0]
"""
LEFT = ".x.0123456789abcdef.tmp"  # as a killed run leaves it
OURS = (
    "report.html", "manifest.json", "study.sqlite", "study.sqlite-wal", "study.sqlite-shm", "tables", "figures", "games", "facts",
    "spreadsheet", "spreadsheet.xlsx", "spreadsheet/seats.csv", "facts/round", "figures/x.png", "figures/seats.svg", "tables/seats.parquet", "tables/new.csv", LEFT, f"figures/{LEFT}", f"tables/{LEFT}", ".manifest.json.0123456789abcdef.tmp",
)  # fmt: skip
PATHS = (
    "../outside/notes.txt", "figures/../../outside/notes.txt", "tables/../../outside/notes.txt", "figures/..",
    "facts/round/players=3/variant=../lineup=x/../../../../../outside/notes.txt", "/etc/passwd", "study.sqlite", "", ".",
    "tables/a\0b", "figures/" + "x" * 300, "figures/a\nb", "manifest.json", MARKUP, "=1+1",
)  # fmt: skip
SURROUNDINGS = {  # what libraries read from the folder that they are called in
    "matplotlibrc": "backend: module://evil\ntext.usetex: True\nfont.size: 90\n",
    ".numba_config.yaml": "disable_jit: 1\n",
    "numpy.py": "",
    "sitecustomize.py": "",
    "strozzi_agents.py": "",
}


@dataclass
class Stranger:
    """A folder of a stranger, the user's files beside it, and what the user does with it.

    Attributes:
        root: holds everything; `root / "r"` is the results folder.
        arguments: the command; "python" reads the folder from Python.
        deeds: what was done to the folder.
        inside: whether the command is called in the results folder, in a process of its own.
        links: names of a run's files and folders that are links.
    """

    root: Path
    arguments: list[str]
    deeds: list[str] = field(default_factory=list)
    inside: bool = False
    links: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Path:
        """The results folder."""
        return self.root / "r"


def make_case(seed: int, number: int, root: Path, model: Path) -> Stranger:
    """Fill `root` with the files of a case."""
    rng = random.Random(f"{seed}/{number}")
    outside = root / "outside"
    (outside / "keep").mkdir(parents=True)
    for name in ("notes.txt", LEFT, f"keep/{LEFT}", "keep/notes.txt"):
        (outside / name).write_text("mine")
    (root / "study.toml").write_text(STUDY)
    kind = rng.choice(("study", "study", "tournament"))
    shutil.copytree(model / kind, root / "r")
    again = ["run", "study.toml", "--workers", "1", "--out", "r"] if kind == "study" else [*TOURNAMENT.split(), "r"]
    heat_map = ["heatmap", "r", "--rows", "seat", "--columns", "round", "--fact", "round", "--workers", "1"]
    tables = ["spreadsheet", "r", *rng.choice(([], ["--xlsx"]))]
    arguments = rng.choice((["report", "r"], ["report", "r", "--json"], tables, again, heat_map, ["python"]))
    case = Stranger(root, arguments)
    for place in (root / "r", outside):
        (place / "evil.py").write_text(CODE.format(ran=str(root / "ran")))
    for place in ("", "tables", "figures", "chunks"):
        (root / "r" / place).mkdir(exist_ok=True)
        (root / "r" / place / "mine.txt").write_text("mine")
    (root / "r" / "mine").symlink_to(outside)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        spoil = rng.choices(list(SPOILERS), list(SPOILERS.values()))[0]
        with contextlib.suppress(
            OSError, LookupError, ValueError, TypeError
        ):  # an earlier deed took what this one needs
            case.deeds.append(f"{spoil.__name__}: {spoil(rng, case)}")
    case.links = {
        name for name in OURS if "/" in name or name[0] != "." or name == ".lock" if (root / "r" / name).is_symlink()
    }
    return case


# -- what strangers do -------------------------------------------------------------------------------------------------


def link(rng: random.Random, case: Stranger) -> str:
    """Put a link where something of a run is, or will be."""
    outside, name = case.root / "outside", rng.choice(OURS)
    path, moved = case.folder / name, outside / "moved"
    targets: list[Any] = [
        outside / "notes.txt", outside, outside / "keep", outside / "new.txt", outside / "new" / "deep.txt", outside / LEFT,
        "../outside/notes.txt", "../../outside", path, case.folder / "mine.txt", case.folder / "manifest.json", "/dev/zero",
        "/dev/null", moved, moved, moved,
    ]  # fmt: skip
    target = rng.choice(targets)
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        path.rename(moved)  # what it was lies outside now, and a link may lead there
    path.symlink_to(target)
    return f"{name} -> {target}"


def special(rng: random.Random, case: Stranger) -> str:
    """Put a pipe, a socket, a folder or a file where something else is."""
    name, how = rng.choice(OURS), rng.choice(("pipe", "pipe", "socket", "folder", "file"))
    path = case.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove(path)
    if how == "pipe":
        os.mkfifo(path)
    elif how == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    elif how == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"")
    return f"{name} is a {how}"


def truncate(rng: random.Random, case: Stranger) -> str:
    """Cut or change bytes of a file, or remove it; its digest may be made right again."""
    files = sorted(path for path in _files(case.folder) if path.name not in ("mine.txt", "evil.py"))
    path = rng.choice(files)
    content = _content(path)
    how = rng.choice(("cut", "cut", "empty", "bytes", "gone"))
    _remove(path)
    if how != "gone":
        cut = content[: rng.randrange(len(content) + 1)]
        path.write_bytes({"cut": cut, "empty": b"", "bytes": spoiled_bytes(rng, content)}[how])
    fits = rng.random() < 0.5 and _make_digest_fit(case.folder, path)
    return f"{path.relative_to(case.folder)} {how}{', digest made to fit' if fits else ''}"


def change(rng: random.Random, case: Stranger) -> str:
    """Put a hostile value into a manifest or the database; the plan's hash may be made right again."""
    name = rng.choice(("manifest.json", "manifest.json", "manifest.json", "study.sqlite", "study.sqlite"))
    path = case.folder / name
    if name == "study.sqlite":
        return f"{name}: {_change_database(rng, path)}"
    document = spoiled_value(rng, json.loads(_content(path)))
    if rng.random() < 0.3:
        key = rng.choice(("plan", "report", "counted", "kept", "held", "tables", "deals", "games", "name"))
        document[key] = rng.choice(HOSTILE) if rng.random() < 0.3 else spoiled_value(rng, document.get(key))
    path.write_bytes(json.dumps(document).encode() + b"\n")
    fits = rng.random() < 0.7 and _make_hash_fit(path)
    return f"{name}{', hash made to fit' if fits else ''}"


def code(rng: random.Random, case: Stranger) -> str:
    """Name a file of code in the manifest."""
    file = rng.choice(
        (case.folder / "evil.py", case.root / "outside" / "evil.py", "r/evil.py", "outside/evil.py", "evil.py")
    )
    spec, path = rng.choice((f"{file}::first", f"pipe:program={file}")), case.folder / "manifest.json"
    manifest = json.loads(_content(path))
    where = rng.choice(("lineups", "parameter"))
    if where == "lineups":
        manifest["plan"]["lineups"] = [[spec]] if rng.random() < 0.7 else [["random"], [spec, "random", "random"]]
        manifest["plan"]["agent_files"] = rng.choice(({}, {spec: "0" * 64}))
    else:
        manifest["plan"]["lineups"] = [[f"ismcts:rollout=({spec}),iterations=3"]]
    path.write_text(json.dumps(manifest))
    _make_hash_fit(path)
    return f"{spec} in {where}"


def names(rng: random.Random, case: Stranger) -> str:
    """Name paths and markup where a manifest or a list of files has names."""
    manifest = case.folder / "manifest.json"
    text, place = (
        rng.choice(PATHS),
        rng.choice(("files", "files", "pages", "heatmaps", "own", "name", "tables", "plan", "summary")),
    )
    if place == "files":
        digest = rng.choice((hashlib.sha256(b"mine").hexdigest(), "0" * 64, None))
        _execute(case.folder / "study.sqlite", "INSERT OR REPLACE INTO files VALUES (?, ?)", text, digest)
        return f"{text[:60]!r} in files"
    document = json.loads(_content(manifest))
    own = {"name": text, "rows": "seat", "columns": "round", "fact": "round", "title": text}
    if place in ("pages", "heatmaps"):
        document["report"][place] = [*document["report"][place], text]
    elif place == "own":
        document["report"]["own"] = [own | rng.choice(({}, {"name": "a"}, {"name": "a", "where": text}))]
    elif place == "tables":
        document["tables"] = [*document["tables"], text]
    elif place == "plan":
        plan = document["plan"]
        plan["variants"] = (
            {text: next(iter(plan["variants"].values()))} if isinstance(plan.get("variants"), dict) else text
        )
        document["plan"]["name"] = text
    else:
        document[place] = text
    manifest.write_text(json.dumps(document))
    _make_hash_fit(manifest)
    return f"{text[:60]!r} in {place}"


def table(rng: random.Random, case: Stranger) -> str:
    """Change columns, types or values of a table, and make its digest fit."""
    import pandas as pd

    path = rng.choice(sorted(_files(case.folder, "*.parquet")))
    frame = pd.read_parquet(path)
    column = rng.choice(list(frame.columns))
    how = rng.choice(
        (
            "drop",
            "rename",
            "text",
            "number",
            "empty",
            "fewer",
            "fewer",
            "null",
            "markup",
            "huge",
            "double",
            "no columns",
        )
    )
    if how == "drop":
        frame = frame.drop(columns=column)
    elif how == "rename":
        frame = frame.rename(columns={column: rng.choice(("x", MARKUP, ""))})
    elif how == "empty":
        frame = frame.iloc[:0]
    elif how == "fewer":
        frame = frame.sample(frac=rng.random(), random_state=rng.randrange(2**32))
    elif how == "double":
        frame = pd.concat([frame, frame])
    elif how == "no columns":
        frame = frame[[]]
    else:
        values = {"text": "x", "number": 1e300, "null": None, "markup": MARKUP, "huge": 2**62}
        frame = frame.assign(**{column: values[how]})
    frame.to_parquet(path, index=False)
    _make_digest_fit(case.folder, path)
    return f"{path.relative_to(case.folder)}: {how} {column}"


def surroundings(rng: random.Random, case: Stranger) -> str:
    """Lay files beside the results that libraries read where they are called; the command is called there."""
    for name, content in SURROUNDINGS.items():
        (case.folder / name).write_text(content or CODE.format(ran=str(case.root / "ran")))
    case.inside = True
    return ", ".join(SURROUNDINGS)


SPOILERS: dict[Callable[[random.Random, Stranger], str], int] = {
    link: 28, special: 10, truncate: 12, change: 18, code: 10, names: 12, table: 12, surroundings: 1,
}  # fmt: skip


def _files(folder: Path, pattern: str = "*") -> Iterator[Path]:
    return (path for path in folder.rglob(pattern) if path.is_file() and not path.is_symlink())


def _content(path: Path) -> bytes:
    """Return the content of a file. Raises OSError for what an earlier deed put there: a pipe or /dev/zero has no end."""
    if not path.is_file():
        raise OSError(f"{path}: is no file")
    return path.read_bytes()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _make_hash_fit(manifest: Path) -> bool:
    from strozzi_sim.studies.plan_identity import hash_of

    with contextlib.suppress(Exception):  # whatever the plan is now
        document = json.loads(_content(manifest))
        manifest.write_text(json.dumps(document | {"plan_hash": hash_of(document["plan"])}))
        return True
    return False


def _execute(path: Path, statement: str, *values: Any) -> list[Any]:
    """Run a statement in a database; one that cannot be read stays as it is."""
    _content(path)  # a link is not followed here either
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database,
    ):
        return database.execute(statement, values).fetchall()
    return []


def _change_database(rng: random.Random, path: Path) -> str:
    """Put a hostile value, or a hostile object, into the database."""
    table = rng.choice(("plan", "cells", "chunks", "files", "runs"))
    columns = [row[1] for row in _execute(path, f"PRAGMA table_info({table})")]
    if rng.random() < 0.2 or not columns:
        statement = rng.choice(
            (
                "CREATE TRIGGER evil AFTER INSERT ON chunks BEGIN DELETE FROM files; END",
                "CREATE VIEW evil AS SELECT randomblob(1000000000)",
                f"DROP TABLE {table}",
                "PRAGMA journal_mode = DELETE",
                "PRAGMA user_version = 77",
            )
        )
        _execute(path, statement)
        return statement
    column, value = (
        rng.choice(columns),
        rng.choice((None, -1, 2**62, "x", MARKUP, b"", b"x" * 40, 0.5, "[" * 5000, "{}")),
    )
    _execute(path, f"UPDATE {table} SET {column} = ? WHERE rowid % 3 = 0 OR ? < 1", value, rng.randrange(3))
    return f"{table}.{column}"


def _make_digest_fit(folder: Path, path: Path) -> bool:
    """Note the digest of a changed file as what a run wrote."""
    name, database = str(path.relative_to(folder)), folder / "study.sqlite"
    with contextlib.suppress(OSError):
        if _execute(database, "SELECT 1 FROM files WHERE name = ?", name):
            digest = hashlib.sha256(_content(path)).hexdigest()
            _execute(database, "UPDATE files SET sha256 = ? WHERE name = ?", digest, name)
            return True
    return False

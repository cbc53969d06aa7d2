"""Every command writes into its results folder, the files it is told to write, caches and temporary folders alone.

A process with an audit hook notes all that it opens for writing, makes, renames and removes, links resolved.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from strozzi_sim.runtime.cache import cache_root
from study_examples import EXAMPLES, KEYS

STUDY = 'name = "s"\ngame = "strozzi"\nplayers = [3]\ndeals = 20\nlineups = [["random"]]\nrows = true\nfacts = ["ship"]\n[report]\npages = ["balance"]\nheatmaps = ["port-by-sail"]\n'
COMMANDS = [
    "run study.toml --workers 1 --out results/s",
    "run study.toml --workers 1 --out results/s --deals 40",
    "report results/s --figures --spreadsheet csv",
    "report results/s --spreadsheet xlsx",
    "heatmap results/s --rows seat --columns round --fact round --workers 1",
    "run study.toml --workers 1 --out results/1 --part 1/2",
    "run study.toml --workers 1 --out results/2 --part 2/2",
    "merge results/1 results/2 --workers 1 --out results/whole",
    "report results/s results/whole --figures --out named/side.html",
    "record strozzi --players 3 --games 2 --out named/games.jsonl",
    "replay named/games.jsonl --html named/game.html",
    "replay named/games.jsonl --html named/pages",
    "replay named/games.jsonl --explain random --decision 2",
    "verify named/games.jsonl",
    "analyse named/games.jsonl --redraws 1 --page named/analysis.html",
    "worth strozzi flag:pirate --players 3 --agents random --deals 4 --workers 1 --out results/worth",
    "new fair --out named/fair",
]
NOTED = """
import json, os, sys
from pathlib import Path

written, WRITES = set(), os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

def note(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)) and arguments[2] & WRITES:
        written.add(os.path.realpath(os.fsdecode(arguments[0])))
    elif event == "sqlite3.connect" and "mode=r" not in arguments[0] and "immutable" not in arguments[0]:
        written.add(os.path.realpath(arguments[0]))
    elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.rename", "os.link", "os.symlink"):
        paths = arguments[: 2 if event in ("os.rename", "os.link", "os.symlink") else 1]
        # a link that is renamed or removed is not followed: its folder counts
        written.update(os.path.join(os.path.realpath(os.path.dirname(p) or "."), os.path.basename(p)) for p in map(os.fsdecode, paths))

sys.addaudithook(note)
from strozzi_sim.cli import app
asked, codes = json.loads(sys.stdin.read()), []
for words in asked["commands"]:
    codes.append(app.run(words.split()))
if asked["kinds"]:
    import strozzi_sim as ss
    from strozzi_sim.study.folders import study_of
    for kind, keys in asked["kinds"].items():
        study, look = study_of(keys)
        results = ss.run(study, f"results/{kind}", look=look, workers=1, progress=False)
        results.report(figures=True)
        results.spreadsheet("csv")
        results.spreadsheet("xlsx")
sys.stderr.flush()
Path(os.environ["NOTED"]).write_text(json.dumps({"codes": codes, "written": sorted(written)}))
"""


def written_by(home, commands, kinds=()):
    """Run commands in `home`; return their exit codes, and what they wrote, within `home` as relative paths."""
    noted = home.parent / "noted.json"
    places = {"TMPDIR": home / "tmp", "MPLCONFIGDIR": home / "tmp" / "matplotlib", "NOTED": noted}
    for folder in ("tmp/matplotlib", "named"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **{name: str(place) for name, place in places.items()}, "PYTHONDONTWRITEBYTECODE": "1"}
    asked = json.dumps({"commands": commands, "kinds": dict(kinds)})
    command = [sys.executable, "-c", NOTED]
    done = subprocess.run(command, cwd=home, env=environment, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, cache = json.loads(noted.read_text()), os.path.realpath(cache_root())
    ours = [
        path
        for path in found["written"]
        if not path.startswith((cache, "/dev/", "/proc/self/", str(home / "tmp"), str(noted)))
    ]
    return found["codes"], [os.path.relpath(path, home) for path in ours], done.stderr


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "study.toml").write_text(STUDY)
    return tmp_path / "home"


@pytest.mark.slow
def test_every_command_writes_into_declared_places_alone(home):
    codes, written, said = written_by(home, COMMANDS)
    assert codes == [0] * len(COMMANDS), said
    assert {path.split("/")[0] for path in written} == {"results", "named"}
    assert {path.split("/")[1] for path in written if path.startswith("results/")} == {"s", "1", "2", "whole", "worth"}


@pytest.mark.slow
def test_every_kind_of_study_writes_into_its_folder_alone(home):
    kinds = {kind: {**KEYS, "deals": 40, "kind": kind, **keys} for kind, keys in EXAMPLES.items()}
    _, written, _ = written_by(home, [], kinds)
    assert {"/".join(path.split("/")[:2]) for path in written} - {"results"} == {f"results/{kind}" for kind in EXAMPLES}


@pytest.mark.slow
def test_a_folder_in_which_anything_is_a_link_leads_nowhere(home):
    """Each folder of a finished study, and a file in each, in turn is a link to one of the user's."""
    written_by(home, COMMANDS[:4])
    shown, mine = home / "results" / "s", home / "mine"
    folders = [shown, *(path for path in shown.rglob("*") if path.is_dir())]
    linked = [*folders[1:], *(path for path in shown.iterdir() if path.is_file())]
    linked += [min(path for path in folder.iterdir() if path.is_file()) for folder in folders[1:] if folder.name != "facts" and folder.name != "ship"]  # fmt: skip
    commands = []
    for number, path in enumerate(linked):
        copy, precious = home / "results" / f"copy-{number}", mine / f"{number}" / path.name
        shutil.copytree(shown, copy)
        precious.parent.mkdir(parents=True)
        (copy / path.relative_to(shown)).rename(precious)
        (copy / path.relative_to(shown)).symlink_to(precious)
        figures = "--figures" if "figures" in path.parts else ""
        commands += [f"report {copy} --overwrite --spreadsheet {kind} {figures}" for kind in ("csv", "xlsx")]
        commands += [f"run study.toml --workers 1 --out {copy} --deals 60"]
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    assert len(before) > len(linked) > 12
    codes, written, _ = written_by(home, commands)
    assert {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()} == before
    assert {path.split("/")[0] for path in written} == {"results"}
    assert set(codes) == {0, 4}

"""A folder made by a stranger, opened by every command: nothing of it runs, and nothing outside it changes.

It names programs, agents' files and networks, notes forged files as written by runs, and has links where runs write.
"""

import json
import os
import shutil
import sys

import pytest
import typer
from strozzi_sim.studies.plan_identity import hash_of
from strozzi_sim.studies.results import load_results

import strozzi_sim as ss
from strozzi_sim.agent import load_agent, named_files
from strozzi_sim.agent.named_files import only_named
from strozzi_sim.cli.app import app, run
from strozzi_sim.errors import InputError, StrozziError
from study_database import execute

STUDY = """
name = "mine"
game = "strozzi"
players = [3]
deals = 20
lineups = [["random"]]
rows = true
facts = ["round"]
[report]
pages = ["balance"]
heatmaps = []
"""
# As a program, it runs when it is started; as agents' file, when it is imported.
EVIL = """#!{python}
from pathlib import Path
Path({ran!r}).touch()
from strozzi_sim.agent import python_agent

@python_agent(name="first")
class First:
    def act(self, view, legal, rng):
        return legal[0]
"""
SPECS = (
    "pipe:program={evil}", "{evil}::first", "network:weights={weights}", "learned:weights={weights}", "onnx_network:file={weights}",
    "ismcts:iterations=3,rollout=(network:weights={weights})", "ismcts:iterations=3,evaluate=(network:weights={weights}),prior=none",
    "ismcts:iterations=3,prior=({evil}::first)", "flat_mc:playouts=1,rollout=({evil}::first)",
)  # fmt: skip
# By command, what a user does with a folder; {loot} is the stranger's. A command that is not named reads no folder.
COMMANDS = {
    "run": ["run {study} --out {loot}", "run {study} --deals 40 --out {loot}"],
    "report": [
        "report {loot}", "report {loot} {mine} --out {out}/side.html", "report {loot} --spreadsheet csv", "report {loot} --spreadsheet xlsx",
    ],
    "merge": ["merge {loot} {loot} --out {out}/whole", "merge {part_1} {part_2} --out {out}/whole", "merge {own_1} {own_2} --out {loot}"],
    "heatmap": ["heatmap {loot} --rows seat --columns round --fact round", "heatmap strozzi --rows seat --columns round --fact round --deals 20 --players 3 --agents random --out {loot}"],
    "balance": ["balance strozzi --players 3 --agents random --deals 20 --out {loot}"],
    "tournament": ["tournament strozzi --players 3 --agents random,greedy,racer --deals 2 --out {loot}"],
    "compare": ["compare strozzi random greedy --players 3 --deals 20 --out {loot}"],
    "luck": ["luck strozzi --players 3 --deals 20 --out {loot}"],
    "worth": ["worth strozzi flag:pirate --players 3 --agents random --deals 20 --out {loot}"],
    "sweep": ["sweep {sweep} --out {loot}"],
    "record": ["record strozzi --players 3 --out {loot}"],
    "verify": ["verify {record}"],
    "replay": ["replay {record}", "replay {record} --html {out}/game.html"],
    "analyse": ["analyse {record} --redraws 1"],
    "new": ["new game --out {loot}"],
    "mcp": ["mcp results {as_folder}", "mcp sweep {as_sweep}", "mcp analyse {as_record}"],
}  # fmt: skip
WITHOUT_FOLDERS = {"our-table", "play"}  # read score sheets, write the record of a game


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A study of the user's, and its parts."""
    place = tmp_path_factory.mktemp("model")
    (place / "study.toml").write_text(STUDY)
    (place / "sweep.toml").write_text(STUDY + '[sweep]\n"tracks.bonus.7" = [0, 5]\n')
    study = f"run {place / 'study.toml'} --workers 1"
    for more in (
        f"--out {place / 'r'}",
        f"--part 1/2 --out {place / 'part-1'}",
        f"--part 2/2 --out {place / 'part-2'}",
    ):
        assert run([*study.split(), *more.split()]) == 0
    assert run(f"record strozzi --players 3 --out {place / 'game.jsonl'}".split()) == 0
    return place


@pytest.fixture
def home(model, tmp_path):
    """The user's files; beside them, in `loot`, what the stranger sent."""
    mine = tmp_path / "mine"
    (mine / "keep").mkdir(parents=True)
    for name in ("notes.csv", "notes.html", "keep/notes.csv", "keep/.x.0123456789abcdef.tmp"):
        (mine / name).write_text("mine")
    shutil.copytree(model, tmp_path / "loot")
    for name in ("r", "part-1", "part-2"):
        shutil.copytree(model / name, mine / name)
    for file in ("study.toml", "sweep.toml"):
        shutil.copy(model / file, mine / file)
    evil = tmp_path / "loot" / "evil.py"
    evil.write_text(EVIL.format(python=sys.executable, ran=str(tmp_path / "ran")))
    evil.chmod(0o755)
    (tmp_path / "loot" / "weights.npz").write_bytes(b"PK")
    return tmp_path


def forge(home, names=("r", "part-1", "part-2")):
    """Name programs, agents and networks wherever these folders and a record name agents."""
    evil = home / "loot" / "evil.py"
    spec = load_agent(f"pipe:program={evil}", "strozzi")
    named = {
        "answers": True, "lineups": [[spec.text]], "agents": {spec.text: dict(spec.values)}, "agent_files": {spec.text: spec.source_digest},
    }  # fmt: skip
    for name in names:
        folder = home / "loot" / name
        manifest = json.loads((folder / "manifest.json").read_bytes())
        manifest["plan"] |= named  # as if it had been played by that program
        manifest["plan_hash"] = hash_of(manifest["plan"])
        (folder / "manifest.json").write_text(json.dumps(manifest))
        execute(folder, "UPDATE plan SET hash = ?, resolved = ?", manifest["plan_hash"], json.dumps(manifest["plan"]))
    record = home / "loot" / "game.jsonl"
    header, *lines = record.read_text().splitlines()
    agents = [f"pipe:program={evil}", f"{evil}::first", "random"]
    record.write_text("\n".join([json.dumps(json.loads(header) | {"agents": agents}), *lines, ""]))


def list_files_of_the_user(home):
    """Note files outside the folder as what runs wrote, each of which is to be removed or replaced."""
    forge(home, ("part-1", "part-2"))  # runs take the other folder up again
    for name in (
        "tables/../../../mine/notes.csv",
        str(home / "mine" / "notes.html"),
        "spreadsheet/../../../mine/notes.csv",
    ):
        execute(home / "loot" / "r", "INSERT INTO files VALUES (?)", name)


def link(*names):
    """Return what puts links to the user's files into a folder, and notes what they lead to as written by runs."""

    def spoil(home):
        forge(home, ("part-1", "part-2"))
        for name in names:
            path = home / "loot" / "r" / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            folder = "." not in name
            listed = f"{name}/notes.csv" if folder else name
            execute(home / "loot" / "r", "INSERT OR REPLACE INTO files VALUES (?)", listed)
            path.symlink_to(home / "mine" / ("keep" if folder else "notes.html"))

    spoil.__name__ = f"links at {', '.join(names)}"
    return spoil


SPOILED = [
    forge, list_files_of_the_user, link("manifest.json"), link("study.sqlite-journal"),
    link("spreadsheet", "spreadsheet.xlsx", "tables", "figures", "styles", "games", "facts", "report.html"),
]  # fmt: skip


def users(home):
    """Every file outside the stranger's folder: its kind, its inode and its content."""
    return {
        str(path.relative_to(home)): (state.st_mode, state.st_ino, path.read_bytes() if path.is_file() else b"")
        for path in sorted(home.rglob("*"))
        if not path.is_relative_to(home / "loot") and not path.is_relative_to(home / "out")
        for state in (path.lstat(),)
    }


def lines_of(home, commands):
    """Return the commands as lists of words, each with an empty folder for what the user asks to be written."""
    loot, mine, out = home / "loot", home / "mine", home / "out"
    words = {
        "loot": loot / "r", "part_1": loot / "part-1", "part_2": loot / "part-2", "record": loot / "game.jsonl",
        "own_1": mine / "part-1", "own_2": mine / "part-2", "mine": mine / "r", "study": mine / "study.toml", "sweep": mine / "sweep.toml", "out": out,
    }  # fmt: skip
    documents = {
        "{as_folder}": {"folder": "loot/r"},
        "{as_sweep}": {"file": "mine/sweep.toml", "folder": "loot/r"},
        "{as_record}": {"record": "loot/game.jsonl", "redraws": 1},
    }
    for command in commands:
        for line in COMMANDS[command]:
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            yield [json.dumps(documents[word]) if word in documents else word.format(**words) for word in line.split()]


def from_python(home):
    """Call everything in Python that opens a results folder."""
    loot = home / "loot" / "r"
    calls = [
        lambda: ss.read_study(loot), lambda: load_results(loot), lambda: load_results(loot).games,
        lambda: load_results(loot).facts("round"), lambda: load_results(loot).plot(), lambda: load_results(loot).report(),
        lambda: load_results(loot).heatmap("seat", "round", "mean coins", fact="round"),
        lambda: load_results(loot).spreadsheet(),
    ]  # fmt: skip
    codes = set()
    for call in calls:
        try:
            call()
        except StrozziError as error:
            codes.add(error.exit_code)
    assert codes <= {2, 4}


def test_the_list_of_commands_is_complete():
    """A command that opens a folder or a record, or writes into a folder, has an argument or option that says so."""
    shown = {"DIR", "DIR...", "DIR|GAME", "FILE", "FOLDER"}
    opens = {
        name
        for name, command in typer.main.get_command(app).commands.items()
        if any("--out" in part.opts or part.metavar in shown for part in command.params)
    }
    assert opens - WITHOUT_FOLDERS == COMMANDS.keys() - {"mcp"}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_nothing_runs_and_nothing_outside_changes(spoil, home, capfd, monkeypatch):
    spoil(home)
    monkeypatch.setattr(named_files, "_used", set())  # as in a new process
    monkeypatch.chdir(home)
    before = users(home)
    for words in lines_of(home, COMMANDS):
        code = run(words)
        said = capfd.readouterr().err
        assert code in (0, 1, 2, 4), (words, said)
        assert "Traceback" not in said
        assert users(home) == before, words
        assert not (home / "ran").exists(), words
    from_python(home)
    assert users(home) == before
    assert not (home / "ran").exists()


@pytest.mark.parametrize("text", SPECS)
def test_no_file_in_a_spec_string_is_used_unless_the_user_names_it(text, home, monkeypatch):
    monkeypatch.setattr(named_files, "_used", set())
    evil, weights = home / "loot" / "evil.py", home / "loot" / "weights.npz"
    spec = text.format(evil=evil, weights=weights)
    with (
        only_named([]),
        pytest.raises(InputError, match="named only by the folder, so it is not used; if you trust it"),
    ):
        load_agent(spec, "strozzi")
    assert not (home / "ran").exists()
    with only_named([evil]), only_named([weights]), pytest.raises(InputError, match="named only by the folder"):
        load_agent(spec, "strozzi")  # an inner block adds nothing
    os.symlink(evil, home / "loot" / "alias.py")
    with only_named([home / "loot" / "alias.py", weights]):
        said = ""
        try:
            load_agent(spec, "strozzi")
        except InputError as error:  # onnxruntime may be missing, weights need not fit; but it was looked at
            said = str(error)
        assert "named only by" not in said


@pytest.mark.parametrize("text", ["pipe:program={evil}", "{evil}::first"])
def test_an_assistant_runs_only_what_the_server_was_started_with(text, home, monkeypatch, capfd):
    monkeypatch.setattr(named_files, "_used", set())
    evil = home / "loot" / "evil.py"
    spec = text.format(evil=evil)
    asked = {"game": "strozzi", "players": 3}
    calls = {
        "position": {**asked, "opponents": f"random,{spec}"},
        "balance": {**asked, "agents": f"{spec},random", "deals": 2},
        "compare": {**asked, "first": spec, "second": "random", "deals": 2},
        "worth": {**asked, "things": ["flag:pirate"], "agents": spec, "deals": 2},
        "tournament": {**asked, "agents": f"{spec},random,greedy", "deals": 1},
        "luck": {**asked, "agents": f"{spec},random,greedy", "deals": 1},
        "sweep": {"file": "loot/evil.toml"},
    }
    monkeypatch.chdir(home)
    study = STUDY.replace('"random"', f'"{spec}"')
    (home / "loot" / "evil.toml").write_text(study + '[sweep]\n"tracks.bonus.7" = [0, 5]\n')
    for tool, arguments in calls.items():
        assert run(["mcp", tool, json.dumps(arguments)]) == 2, tool
        said = capfd.readouterr().err
        assert "named only by the call, so it is not used; if you trust it, start strozzi mcp with --code" in said, tool
        assert not (home / "ran").exists(), tool
    run(["mcp", "--code", str(evil), "balance", json.dumps(calls["balance"])])
    assert "named only by" not in capfd.readouterr().err
    assert (home / "ran").exists()

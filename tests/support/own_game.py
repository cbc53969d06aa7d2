"""Games of users: the one of docs/your-own-game.md, which is the package in examples/goofspiel, and commands that know them."""

import os
import re
import subprocess
import sys
import tomllib

from paths import ROOT


def files_of(page):
    """Return the files that a page shows: name -> text."""
    return dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


FOLDER = ROOT / "examples" / "goofspiel"
FILES = {
    path.relative_to(FOLDER).as_posix(): path.read_text()
    for path in sorted(FOLDER.rglob("*.*"))
    if path.suffix in (".py", ".toml", ".js")
}
GROUPS = ("strozzi_sim.games", "strozzi_sim.agents")


def install(folder):
    """Install the game into a folder; return the environment of a Python that finds it."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]
    assert set(points) == set(GROUPS)
    lines = [f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in points[group].items()) for group in GROUPS]
    (about / "entry_points.txt").write_text("".join(lines))
    path = os.pathsep.join(filter(None, (str(folder), str(folder / "src"), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


COMMANDS = """
import shlex, sys
from strozzi_sim.cli.app import run

for command in sys.argv[1:]:
    code = run(shlex.split(command))
    print(end=f"\\0{code}\\0")
"""


def outputs(environment, folder, *commands, code=0, stdin=""):
    """Run commands one after another in one new Python, and return what each prints; all must end with the code."""
    asked = [sys.executable, "-c", COMMANDS, *commands]
    done = subprocess.run(asked, cwd=folder, env=environment, input=stdin, capture_output=True, text=True)
    *parts, _ = done.stdout.split("\0")
    assert parts[1::2] == [str(code)] * len(commands), done.stdout + done.stderr
    return parts[::2]

"""The game of docs/your-own-game.md: the package in examples/goofspiel."""

import os
import re
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

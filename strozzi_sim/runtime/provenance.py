"""The commit that the installed package was made from."""

import json
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

PACKAGE = "strozzi-sim"
_SECONDS = 5.0  # limit of a git command


@cache
def source_commit() -> str:
    """Return the commit of the package's source, with ", changed" if tracked files differ from it; "" if unknown.

    It is known for an install from version control, and for an editable one from a checkout if git is available.
    """
    try:
        text = distribution(PACKAGE).read_text("direct_url.json")  # PEP 610
    except PackageNotFoundError:
        return ""
    origin = json.loads(text) if text else {}
    if "vcs_info" in origin:
        return str(origin["vcs_info"].get("commit_id", ""))
    if not origin.get("dir_info", {}).get("editable"):
        return ""
    folder = Path(url2pathname(urlparse(origin["url"]).path))
    commit, top = _git(folder, "rev-parse", "HEAD"), _git(folder, "rev-parse", "--show-toplevel")
    if not commit or not top or Path(top).resolve() != folder.resolve():  # no checkout, or one of an outer folder
        return ""
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    if changes is None:
        return ""
    return f"{commit}, changed" if changes else commit


def _git(folder: Path, *words: str) -> str | None:
    command = ["git", "-C", str(folder), "--no-optional-locks", *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()

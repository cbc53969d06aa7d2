"""Hooks of the documentation site (`mkdocs build`): pages that lie elsewhere in the repository, and links to its files.

README.md is the page readme.md. A link out of docs/ leads to a page if it is Markdown, otherwise to a copy of the file.
"""

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
MOVED = {"README.md": "readme.md"}  # in the repository -> on the site
_LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add what the pages link to, and what that links to."""
    waiting = [ROOT / "README.md", *(ROOT / "docs" / file.src_uri for file in files.documentation_pages())]
    seen = set(waiting)
    while waiting:
        page = waiting.pop()
        if (place := _place(page)) not in files.src_uris:
            files.append(File.generated(config, place, abs_src_path=str(page)))
        if page.suffix == ".md":
            linked = {_target(page, link[2]) for link in _LINK.finditer(page.read_text("utf-8"))}
            found = sorted(target for target in linked - seen if target.is_file())
            seen |= set(found)
            waiting += found
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links between files of the repository into links between places of the site."""
    source = Path(page.file.abs_src_path)
    return _LINK.sub(lambda link: f"{link[1]}{_moved(source, page.file.src_uri, link[2])}{link[3] or ''})", markdown)


def _target(page: Path, link: str) -> Path:
    return Path(os.path.normpath(page.parent / link))


def _place(file: Path) -> str:
    """Return where a file of the repository lies on the site."""
    inside = file.relative_to(ROOT).as_posix()
    return MOVED.get(inside, inside.removeprefix("docs/"))


def _moved(source: Path, place: str, link: str) -> str:
    target = _target(source, link)
    if not target.is_file():
        return link
    return os.path.relpath(_place(target), PurePosixPath(place).parent)

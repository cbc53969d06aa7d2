"""Writes the report of whatever was played: the page of a study or of a tournament, and its pictures."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.studies.database import read_files, write_files
from strozzi_sim.studies.made_of import digest_of_page

if TYPE_CHECKING:  # matplotlib and pandas take a second that a page which is there already does not need
    import pandas as pd

    from strozzi_sim.reports.page import Content
    from strozzi_sim.reports.painter import Painter

Tables = Mapping[str, "pd.DataFrame"]
PAGE = "report.html"


def has_page(tables: Tables) -> bool:
    """Whether results with these tables have a page: those of studies and tournaments."""
    return "ratings" in tables or "seats" in tables


def page_of(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: "Painter") -> "Content":
    """What the page of these results says, with its pictures painted.

    Raises:
        InputError: nothing draws results of this kind.
    """
    from strozzi_sim.reports.page import study_page
    from strozzi_sim.reports.tournament import tournament_page

    if not has_page(tables):
        raise InputError(f"there are no pictures and no report of these results; their tables: {', '.join(tables)}")
    if "ratings" in tables:
        return tournament_page(manifest, tables, game, painter)
    return study_page(manifest, tables, game, painter)


def paint_pictures(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: "Painter") -> None:
    """Let the pictures of these results be painted: those of their page, or of a comparison, ladder or best response.

    Raises:
        InputError: nothing draws results of this kind.
    """
    from strozzi_sim.reports.comparisons import contest_pictures, has_pictures
    from strozzi_sim.reports.page import paint_study

    if has_pictures(tables):
        contest_pictures(tables, painter)
    elif "seats" in tables and "ratings" not in tables:
        paint_study(manifest, tables, game, painter)  # without the sentences, which take longer than a picture
    else:
        page_of(manifest, tables, game, painter)


def write_report(
    folder: Path,
    manifest: Mapping[str, Any],
    tables: Tables,
    game: Game,
    phase: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Write figures/*.png, figures/*.svg and report.html into a results folder; return the page's path.

    If all of them are there as they were written, made of the same tables by the same code, they stay.

    Args:
        folder: the results folder.
        manifest: what its manifest.json says.
        tables: the tables by name.
        game: what was played.
        phase: called with ("pictures", how many are drawn, 0).

    Raises:
        InputError: nothing draws results of this kind.
        StorageError: the folder cannot be written, is in use, or holds a file of that name that no run wrote.
    """
    mark = f'<meta name="made-of" content="{digest_of_page(manifest, tables, game)}">'
    if _is_written(folder, mark):
        return folder / PAGE
    from strozzi_sim.reports.page import render
    from strozzi_sim.reports.painter import Painter

    painter = Painter(phase)
    page = render(manifest, game, page_of(manifest, tables, game, painter), mark)
    with storage_errors(f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    with write_files(folder) as files:
        contents = {**painter.drawn, PAGE: page.encode(errors="backslashreplace")}
        files.replace(contents, parts=("figures/", PAGE))
    return folder / PAGE


def _is_written(folder: Path, mark: str) -> bool:
    """Return whether the page with this mark is there, it and its pictures as they were written."""
    files = read_files(folder)
    names = [name for name in files.digests if name == PAGE or name.startswith("figures/")]
    if PAGE not in names or not files.are_as_written(names):
        return False
    return mark.encode() in files.read(PAGE)[:1000]

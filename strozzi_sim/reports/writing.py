"""Writes the report of whatever was played: the page of a study or of a tournament, and its pictures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.kernel.files import storage_errors
from strozzi_sim.reports.contests import contest_pictures, has_pictures
from strozzi_sim.reports.page import Content, paint_study, render, study_page
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.tournament import tournament_page
from strozzi_sim.studies.folder import folder_lock, replace_files

Tables = Mapping[str, pd.DataFrame]


def has_page(tables: Tables) -> bool:
    """Whether results with these tables have a page: those of studies and tournaments."""
    return "ratings" in tables or "seats" in tables


def page_of(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """What the page of these results says, with its pictures painted.

    Raises:
        InputError: nothing draws results of this kind.
    """
    if not has_page(tables):
        raise InputError(f"there are no pictures and no report of these results; their tables: {', '.join(tables)}")
    if "ratings" in tables:
        return tournament_page(manifest, tables, game, painter)
    return study_page(manifest, tables, game, painter)


def paint_pictures(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> None:
    """Let the pictures of these results be painted: those of their page, or of a comparison, ladder or best response.

    Raises:
        InputError: nothing draws results of this kind.
    """
    if has_pictures(tables):
        contest_pictures(tables, painter)
    elif "seats" in tables and "ratings" not in tables:
        paint_study(manifest, tables, game, painter)  # without the sentences, which take longer than a picture
    else:
        page_of(manifest, tables, game, painter)


def write_report(folder: Path, manifest: Mapping[str, Any], tables: Tables, game: Game) -> Path:
    """Write figures/*.png, figures/*.svg and report.html into a results folder; returns the page's path.

    Args:
        folder: the results folder.
        manifest: what its manifest.json says.
        tables: the tables by name.
        game: what was played.

    Raises:
        InputError: nothing draws results of this kind.
        StorageError: the folder cannot be written, is in use, or holds a file of that name that no run wrote.
    """
    painter = Painter()
    page = render(manifest, game, page_of(manifest, tables, game, painter))
    with storage_errors(f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    with folder_lock(folder):
        contents = {**painter.drawn, "report.html": page.encode(errors="backslashreplace")}
        replace_files(folder, contents, parts=("figures/", "report.html"))
    return folder / "report.html"

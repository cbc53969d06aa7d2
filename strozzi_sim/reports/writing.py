"""Write the report of results: the page of a study or tournament, and its pictures."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.studies.database import read_files, write_files
from strozzi_sim.studies.illegal_answers import answer_sentences

if TYPE_CHECKING:  # importing matplotlib and pandas takes a second
    import pandas as pd

    from strozzi_sim.reports.content import Answer, Content
    from strozzi_sim.reports.painter import Painter

Tables = Mapping[str, "pd.DataFrame"]
PAGE = "report.html"


def has_page(tables: Tables) -> bool:
    """Return whether results with these tables have a page."""
    return not _WITH_PAGES.isdisjoint(tables)


_WITH_PAGES = {"ratings", "seats", "worth", "difference", "challengers", "luck"}


def page_of(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: "Painter") -> "Content":
    """Paint the pictures of these results and return the content of their page.

    Raises:
        InputError: results of this kind have no page.
    """
    return replace(_page_of_kind(manifest, tables, game, painter), notes=answer_sentences(tables))


def _page_of_kind(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: "Painter") -> "Content":
    from strozzi_sim.reports.batch import lineup_pages
    from strozzi_sim.reports.comparisons import contest_page
    from strozzi_sim.reports.study_page import StudyPage
    from strozzi_sim.reports.tournament import tournament_page
    from strozzi_sim.reports.worth import with_worth, worth_page

    if not has_page(tables):
        raise InputError(f"there are no pictures and no report of these results; their tables: {', '.join(tables)}")
    if "ratings" in tables:
        return tournament_page(manifest, tables, game, painter)
    if "seats" in tables:
        content = StudyPage(manifest, tables, game, painter).content()
        if pages := tuple((part.path, part.lineup) for part in lineup_pages(manifest, tables)):
            content = replace(
                content,
                pages=pages,
                sections=[each for each in content.sections if each.anchor in ("changes", "heatmaps")],
            )
        return with_worth(content, manifest, tables, game, painter) if "worth" in tables else content
    page = worth_page if "worth" in tables else contest_page
    return page(manifest, tables, game, painter)


def answer_of(manifest: Mapping[str, Any], tables: Tables, game: Game) -> "Answer":
    """Return what the page of these results begins with.

    Raises:
        InputError: results of this kind have no page.
    """
    from strozzi_sim.reports.comparisons import contest_answer
    from strozzi_sim.reports.study_page import answer_of as study_answer
    from strozzi_sim.reports.tournament import tournament_answer
    from strozzi_sim.reports.worth import effect_of, worth_answer

    if not has_page(tables):
        raise InputError(f"there is no answer in these results; their tables: {', '.join(tables)}")
    if "ratings" in tables:
        return tournament_answer(manifest, tables, game)
    if "seats" in tables:
        return study_answer(manifest, tables, game)
    return worth_answer(tables, effect_of(manifest), game) if "worth" in tables else contest_answer(tables, game)


def paint_pictures(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: "Painter") -> None:
    """Paint the pictures of these results: of their page, or of a comparison or best response.

    Raises:
        InputError: results of this kind have no pictures.
    """
    from strozzi_sim.reports.comparisons import contest_pictures, has_pictures
    from strozzi_sim.reports.study_page import StudyPage
    from strozzi_sim.reports.sweep_pictures import paint_sweep
    from strozzi_sim.reports.worth import worth_section

    if has_pictures(tables):
        contest_pictures(tables, painter)
    if "seats" in tables:
        study = StudyPage(manifest, tables, game, painter)
        if study.sweep is not None:
            paint_sweep(study.sweep, painter, every=True)
        study.paint_all()  # skips the sentences, which take longer than a picture
    if "worth" in tables:
        worth_section(manifest, tables, game, painter)
    elif "seats" not in tables and not has_pictures(tables):
        page_of(manifest, tables, game, painter)


def write_report(
    folder: Path,
    manifest: Mapping[str, Any],
    tables: Tables,
    game: Game,
    phase: Callable[[str, int, int], None] | None = None,
    *,
    newer: bool = False,
) -> Path:
    """Write figures/*.png, figures/*.svg and report.html into a results folder; return the page's path.

    A study of many line-ups has a page for each too, styles/*.html.

    Args:
        folder: results folder.
        manifest: content of its manifest.json.
        tables: tables by name.
        game: game of the results.
        phase: callback for ("pictures", number of drawn pictures, 0); default: no callback.
        newer: write nothing if all files exist and the page is newer than the tables.

    Raises:
        InputError: results of this kind have no page.
        StorageError: the folder cannot be written, is in use, or contains a file of that name not written by a run.
    """
    if newer and _is_newer(folder):
        return folder / PAGE
    from strozzi_sim.reports.batch import FOLDER, lineup_pages
    from strozzi_sim.reports.heat_files import heat_map_files
    from strozzi_sim.reports.page import render
    from strozzi_sim.reports.painter import Painter

    def drawn(manifest: Mapping[str, Any], tables: Tables, painter: Painter) -> bytes:
        return render(manifest, game, page_of(manifest, tables, game, painter), painter).encode(
            errors="backslashreplace"
        )

    painter = Painter(phase, files=True)
    contents = {PAGE: drawn(manifest, tables, painter)}
    for part in lineup_pages(manifest, tables):
        contents[part.path] = drawn(part.manifest, part.tables, Painter(phase))
    contents |= painter.drawn | heat_map_files(manifest, tables, game, phase)
    with storage_errors(f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    with write_files(folder) as files:
        files.replace(contents, parts=("figures/", f"{FOLDER}/", PAGE))
    return folder / PAGE


def _is_newer(folder: Path) -> bool:
    """Return whether the page and its pictures exist, and the page is newer than every table."""
    files = read_files(folder)
    if PAGE not in files.names or not files.exist(("tables/", "figures/", "styles/", PAGE)):
        return False
    tables = (name for name in files.names if name.startswith("tables/"))
    return all((folder / name).stat().st_mtime_ns <= (folder / PAGE).stat().st_mtime_ns for name in tables)

"""Results: what was played, as tables, pictures and a report; they show themselves in a notebook."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import InputError, pluralize, short_repr, suggest_names
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.custom_heatmaps import heat_map_spec
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.studies.database import write_files
from strozzi_sim.studies.fact_files import check_kept, read_facts
from strozzi_sim.studies.folder import MANIFEST, read_manifest, refuse_links
from strozzi_sim.studies.lookup import path_of
from strozzi_sim.studies.outputs import finite, read_tables
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.progress import report_progress
from strozzi_sim.studies.store import MemoryStore

if TYPE_CHECKING:
    import pandas as pd

    from strozzi_sim.reports.drawings import Drawing


class Tables(dict[str, Any]):
    """Data frames by name; an unknown name lists the known ones."""

    def __missing__(self, name: str) -> Any:
        """Refuse it. Raises KeyError."""
        raise KeyError(f"no table {short_repr(name)}; {suggest_names(name, self)}")

    def __repr__(self) -> str:
        """The names and how long the tables are."""
        return ", ".join(f"{name} ({len(table)} rows)" for name, table in self.items())


@dataclass(repr=False, eq=False)
class Results:
    """Results of a study, tournament or comparison.

    Attributes:
        plan: all that decides the results, as plain data, as far as it was played.
        tables: data frames by name, one figure a row, with `value`, `low`, `high` (95 %), `n` and `deals`; shares are in
            [0, 1]. The preceding columns identify the row.
        n_games: games behind the tables. played_now: games that were played now, and not in an earlier run.
        seconds: this run took.
        folder: where they are kept, or None. manifest: content of manifest.json.
        interrupted: the finished part as text, if a signal stopped the run, else "".

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=4, agents=["random"], deals=200, seed=1)
    >>> results
    <Results: Strozzi, 4 players, random: 200 games>
    >>> results.tables["seats"].query("figure == 'win_share'")[["seat", "value", "low", "high"]].shape
    (4, 4)
    """

    plan: dict[str, Any]
    tables: dict[str, Any]
    n_games: int
    new_games: int
    seconds: float
    folder: Path | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
    interrupted: str = ""
    kept: dict[str, Any] = field(default_factory=dict)  # rows of facts by table, if nothing was kept on the disk
    played_plan: Plan | None = None  # the plan as far as it was played, if in memory
    chunks: MemoryStore | None = None  # what was played then
    workers: int | None = None
    watch: Any = None
    leak_check: Any = None

    def __post_init__(self) -> None:
        """Make sure that an unknown table lists the known ones, and that no table holds an infinite number."""
        self.tables = Tables({name: finite(table) for name, table in self.tables.items()})

    @cached_property
    def games(self) -> "pd.DataFrame":
        """One row per game and seat: players, variant, lineup, deal, seating, seat, position, agent, score, place, decisions.

        In memory no rows are kept: the games are replayed on first access.

        Raises:
            InputError: a folder that keeps no rows (`rows = true` in a study).
        """
        from strozzi_sim.studies.lookup import worker_count
        from strozzi_sim.studies.run import games_played

        with report_progress(self.watch) as progress:
            return games_played(self, workers=worker_count(self.workers), progress=progress)

    def facts(self, name: str) -> "pd.DataFrame":
        """Return the kept rows of a fact table (`facts=[...]`); `strozzi facts GAME` lists its columns.

        Raises:
            InputError: none were kept of it; lists the tables of which there are.
        """
        if self.folder is not None:
            return read_facts(self.folder, name)
        check_kept(name, self.kept, "the study")
        return self.kept[name]

    def heatmap(
        self, rows: str, columns: str, value: str = "share", where: str | None = None, fact: str | None = None,
        *, name: str | None = None, title: str = "",
    ) -> "Drawing":  # fmt: skip
        """Draw a custom heat map: any column of a fact table against any other; its table is `heat_<name>`.

        If what it needs was not counted, the games are played again. In a results folder it becomes part of the study.

        Args:
            rows: column whose values are the rows.
            columns: column whose values are the columns.
            value: "count", "share" (of the row), "mean COLUMN" or "share COLUMN".
            where: condition on columns, such as "round == 3 and seat != 0".
            fact: fact table, if several have these columns.
            name: lower-case letters, digits and -; default: formed from the other arguments.
            title: title of the picture.

        Raises:
            InputError: an unknown column, or an invalid combination; lists the available columns.

        >>> import strozzi_sim as ss
        >>> results = ss.simulate("strozzi", players=4, agents=["random"], deals=200)
        >>> results.heatmap("seat", "round", "mean coins", fact="round")
        <Drawing: Mean of coins, coins by seat and round>
        """
        from strozzi_sim.studies.heatmaps import add_heat_map

        own = heat_map_spec(rows, columns, value, where or "", fact or "", name or "", title)
        vars(self).update(vars(add_heat_map(self, own)))
        return self.plot(f"heat-{own.name}")

    def plot(self, name: str | None = None, *, ax: Any = None, players: int | None = None) -> "Drawing | Any":
        """Draw a picture of the report, or of a comparison or a best response.

        Args:
            name: one of `pictures`; default: the first.
            ax: a matplotlib axes to draw on, which is returned; dots with intervals, of one player count.
            players: the player count on `ax`; default: 4, or the smallest.

        Raises:
            InputError: no such picture, or no pictures at all; lists those available. A picture of another kind for `ax`.

        >>> import strozzi_sim as ss
        >>> ss.compare("strozzi", "greedy", "random", players=3, deals=30).plot().title.endswith("minus random, on the same deals")
        True
        """
        from strozzi_sim.reports.drawings import drawn, drawn_on, names_of

        about = self.manifest, self.tables, self.game
        name = next(iter(names_of(*about)), "") if name is None else name
        return drawn(name, *about) if ax is None else drawn_on(ax, players, name, *about)

    @property
    def pictures(self) -> list[str]:
        """The names of the pictures that `plot` draws; none if results of this kind have none."""
        from strozzi_sim.reports.drawings import names_of

        try:
            return names_of(self.manifest, self.tables, self.game)
        except InputError:
            return []

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML page that needs no other file.

        Args:
            path: the page; default: report.html in the results folder, with its pictures next to it.

        Returns:
            Where it is.

        Raises:
            InputError: there is no folder and no path, results of this kind have no report, or the file exists and is not a strozzi-sim report.
            StorageError: it cannot be written.
        """
        from strozzi_sim.reports.page import render, write_page
        from strozzi_sim.reports.painter import Painter
        from strozzi_sim.reports.writing import page_of, write_report

        manifest, tables = self.manifest, self.tables
        if path is None:
            if self.folder is None:
                raise InputError("path: nothing is kept in a folder; say where the report goes, such as 'report.html'")
            return write_report(self.folder, manifest, tables, self.game)
        path = path_of("path", path)
        painter = Painter()
        page = render(manifest, self.game, page_of(manifest, tables, self.game, painter), painter)
        write_page(path, page)
        return path

    def spreadsheet(self, path: str | Path | None = None, *, xlsx: bool = False) -> Path:
        """Write the tables for a spreadsheet: one a question, plain column names, rounded, and one that says what each column is.

        Args:
            path: a new folder, or with `xlsx` a new file; default: spreadsheet, or spreadsheet.xlsx, in the results folder.
            xlsx: write one .xlsx file (needs openpyxl) instead of a folder of CSV files.

        Returns:
            Where they are.

        Raises:
            InputError: there is no folder and no path, the path exists, or openpyxl is not installed.
            StorageError: it cannot be written.
        """
        from strozzi_sim.reports.spreadsheet import csv_files, sheets, workbook

        found, name = sheets(self.manifest, self.tables, self.game), "spreadsheet.xlsx" if xlsx else "spreadsheet"
        contents = (
            {name: workbook(found)} if xlsx else {f"{name}/{file}": text for file, text in csv_files(found).items()}
        )
        if path is None:
            if self.folder is None:
                raise InputError(f"path: nothing is kept in a folder; say where the tables go, such as {name!r}")
            with write_files(self.folder) as files:
                files.replace(contents, parts=(name if xlsx else f"{name}/",))
            return self.folder / name
        path = path_of("path", path)
        if path.exists():
            raise InputError(f"path: {path} exists; choose another name")
        with storage_errors(f"cannot write {path}"):
            if xlsx:
                path.write_bytes(contents[name])
                return path
            path.mkdir(parents=True)
            for file, text in contents.items():
                (path / Path(file).name).write_bytes(text)
        return path

    def __repr__(self) -> str:
        """One line that describes the results."""
        return f"<Results: {self._summary}>"

    def _repr_html_(self) -> str:
        tables = ", ".join(f"<code>{escape(name)}</code>" for name in self.tables)
        lines = [f"<b>{escape(self._summary)}</b>", *map(escape, self.findings), f"Tables: {tables}"]
        return "".join(f'<div style="max-width: 46em">{line}</div>' for line in lines)

    @property
    def files(self) -> dict[str, Path]:
        """The tables' Parquet files in the folder, by name."""
        return {name: self.folder / "tables" / f"{name}.parquet" for name in self.tables} if self.folder else {}

    @property
    def game(self) -> Game:
        """The game."""
        return load_game(self.plan["game"])

    @property
    def _summary(self) -> str:
        plan = self.plan
        players = plan.get("players", [])
        counts = ", ".join(map(str, players if isinstance(players, Sequence) else [players]))
        lineups = [",".join(lineup) for lineup in plan.get("lineups", [])] or [str(plan.get("agent", ""))]
        who = " | ".join(lineups) if len(lineups) <= 3 else f"{len(lineups)} line-ups"
        variants = [name for name in plan.get("variants", {}) if name != "base"]
        which = f", variants {', '.join(plan['variants'])}" if variants else ""
        where = f", in {self.folder}" if self.folder is not None else ""
        part = f" ({self.interrupted})" if self.interrupted else ""
        return f"{self.game.title}, {counts} players, {who}{which}: {pluralize(self.n_games, 'game')}{where}{part}"

    @property
    def findings(self) -> list[str]:
        """The verdict of the report and the numbers behind it, if results of this kind have one."""
        from strozzi_sim.reports.writing import answer_of, has_page

        if not has_page(self.tables):
            return []
        answer = answer_of(self.manifest, self.tables, self.game)
        return [each for each in (answer.verdict, answer.detail) if each]


def load_results(folder: Path) -> Results:
    """Return what a finished run left in `folder`.

    Raises:
        InputError: there are no results, the study is not finished, or a file is missing or damaged.
        StorageError: a file cannot be read, or something of a run is a link.
    """
    refuse_links(folder)
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study (no {MANIFEST})") from None
    if manifest.get("part"):
        raise InputError(f"{folder}: holds part {manifest['part']} of a study; join all parts with `strozzi merge`")
    if not manifest["finished"]:
        raise InputError(f"{folder}: the study is not finished; run it again to resume: {manifest['command']}")
    names = manifest.get("tables", [])
    if "counts" in manifest["plan"] and {"ratings", "worth"}.isdisjoint(names):
        raise InputError(
            f"{folder}: holds a comparison, whose report is written when it is played; see {folder / 'report.html'}"
        )
    frames = read_tables(folder, names)
    plan = {**manifest["plan"], "deals": manifest["deals"], "games": manifest["games"]}
    return Results(plan, frames, manifest["games"], 0, 0.0, folder, manifest)

"""Results: what was played, as tables, pictures and a report; they show themselves in a notebook."""

import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.api.bars import bar
from strozzi_sim.api.drawings import Drawing, drawn, names_of
from strozzi_sim.errors import InputError, counted, known_names, shown
from strozzi_sim.games import load_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.own_maps import OwnMap, name_of_map
from strozzi_sim.kernel.files import storage_errors
from strozzi_sim.studies.maps import add_heat_map, add_to
from strozzi_sim.studies.played import Played
from strozzi_sim.studies.run import games_played
from strozzi_sim.studies.study import Run

if TYPE_CHECKING:
    import pandas as pd

_MARK = '<meta name="generator" content="strozzi-sim">'


class Tables(dict[str, Any]):
    """Data frames by name; an unknown name lists the known ones."""

    def __missing__(self, name: str) -> Any:
        """Refuse it. Raises KeyError."""
        raise KeyError(f"no table {shown(name)}; {known_names(name, self)}")

    def __repr__(self) -> str:
        """The names and how long the tables are."""
        return ", ".join(f"{name} ({len(table)} rows)" for name, table in self.items())


class Results:
    """What a study, tournament or comparison came to.

    Attributes:
        tables: data frames by name, one figure a row, with `value`, `low`, `high` (95 %), `n` and `deals`; shares are in
            [0, 1]. What a table is of stands in the columns before.
        plan: all that decides the results, as plain data.
        folder: where they are kept, or None.
        n_games: games behind the tables. played_now: games that were played now, and not in an earlier run.

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=4, agents=["random"], deals=200, seed=1)
    >>> results
    <Results: Strozzi, 4 players, random: 200 games>
    >>> results.tables["seats"].query("figure == 'win_share'")[["seat", "value", "low", "high"]].shape
    (4, 4)
    """

    def __init__(self, played: Played, *, workers: int | None = None, progress: Any = None) -> None:
        self._played, self._workers, self._progress = played, workers, progress
        self._games: Any = None
        if played.interrupted:
            warnings.warn(played.interrupted, stacklevel=3)

    @property
    def tables(self) -> Tables:
        """The tables by name."""
        return Tables(self._played.tables)

    @property
    def plan(self) -> dict[str, Any]:
        """All that decides the results."""
        return self._played.plan

    @property
    def folder(self) -> Path | None:
        """Where everything is kept, or None."""
        return self._played.folder

    @property
    def n_games(self) -> int:
        """Games behind the tables."""
        return self._played.games

    @property
    def played_now(self) -> int:
        """Games that were played now, and not in an earlier run."""
        return self._played.played_now

    @property
    def games(self) -> "pd.DataFrame":
        """One row a game and seat: players, variant, lineup, deal, seating, seat, position, agent, score, place, decisions.

        In memory no rows are kept: the same games are played again when this is first asked for.

        Raises:
            InputError: a folder that keeps no rows (`rows = true` in a study).
        """
        if self._games is None:
            with bar(self._progress) as progress:
                self._games = games_played(self._played, workers=self._team, progress=progress)
        return self._games

    def facts(self, name: str) -> "pd.DataFrame":
        """The rows of a fact table that were kept (`facts=[...]`); `strozzi facts GAME` says what the columns are.

        Raises:
            InputError: none were kept of it; lists the tables of which there are.
        """
        return self._played.facts(name)

    def heatmap(
        self, rows: str, columns: str, value: str = "share", where: str | None = None, fact: str | None = None,
        *, name: str | None = None, title: str = "",
    ) -> Drawing:  # fmt: skip
        """A heat map of one's own, of any column of a fact table by any other; its table is `heat_<name>`.

        If what it needs was not counted, the games are played again. In a results folder it becomes part of the study.

        Args:
            rows: the column whose values are the rows.
            columns: the column whose values are the columns.
            value: "count", "share" (of the row), "mean COLUMN" or "share COLUMN".
            where: a condition on columns, such as "round == 3 and seat != 0".
            fact: the fact table, if several have these columns.
            name: lower-case letters, digits and -; None makes one of the rest.
            title: above the picture.

        Raises:
            InputError: a column that is not there, or something that makes no sense; says what there is.

        >>> import strozzi_sim as ss
        >>> results = ss.simulate("strozzi", players=4, agents=["random"], deals=200)
        >>> results.heatmap("seat", "round", "mean coins", fact="round")
        <Drawing: Mean of coins, coins by seat and round>
        """
        own = OwnMap(
            name=name or name_of_map(value, rows, columns, where or ""), rows=rows, columns=columns, value=value,
            where=where or "", fact=fact or "", title=title,
        )  # fmt: skip
        with bar(self._progress) as progress:
            how = Run(None, self._workers, progress)
            if self.folder is not None:
                self._played = add_heat_map(self.folder, own, how)
            else:
                self._played = add_to(self._played, own, how)
        return self.plot(f"heat-{own.name}")

    def plot(self, name: str | None = None) -> Drawing:
        """A picture: one of the report's, or of a comparison, a ladder or a best response.

        Args:
            name: as in `pictures`; None is the first one.

        Raises:
            InputError: there is none of that name, or no picture at all; lists what there is.

        >>> import strozzi_sim as ss
        >>> ss.compare("strozzi", "greedy", "random", players=3, deals=30).plot().title.endswith("less random, on the same deals")
        True
        """
        manifest, tables, game = self._played.manifest, self._played.tables, self._game
        if name is None:
            name = next(iter(names_of(manifest, tables, game)), "")
        return drawn(name, manifest, tables, game)

    @property
    def pictures(self) -> list[str]:
        """The names of the pictures that `plot` draws; none if results of this kind have none."""
        try:
            return names_of(self._played.manifest, self._played.tables, self._game)
        except InputError:
            return []

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML page that needs no other file.

        Args:
            path: the page; None is report.html in the results folder, with its pictures beside it.

        Returns:
            Where it is.

        Raises:
            InputError: there is no folder and no path, results of this kind have no report, or the file is not ours.
            StorageError: it cannot be written.
        """
        from strozzi_sim.reports.page import render
        from strozzi_sim.reports.painter import Painter
        from strozzi_sim.reports.writing import page_of, write_report

        manifest, tables = self._played.manifest, self._played.tables
        if path is None:
            if self.folder is None:
                raise InputError("path: nothing is kept in a folder; say where the report goes, such as 'report.html'")
            return write_report(self.folder, manifest, tables, self._game)
        path = Path(path)
        page = render(manifest, self._game, page_of(manifest, tables, self._game, Painter()))
        with storage_errors(f"cannot write {path}"):
            if path.exists() and _MARK not in path.read_text("utf-8", "replace")[:1000]:
                raise InputError(f"path: {path} is there and is no report of ours; name another file")
            path.write_text(page, "utf-8", "backslashreplace")
        return path

    def __repr__(self) -> str:
        """What was played, in a line."""
        return f"<Results: {self._summary}>"

    def _repr_html_(self) -> str:
        tables = ", ".join(f"<code>{escape(name)}</code>" for name in self._played.tables)
        lines = [f"<b>{escape(self._summary)}</b>", *map(escape, self._findings), f"Tables: {tables}"]
        return "".join(f'<div style="max-width: 46em">{line}</div>' for line in lines)

    @property
    def _team(self) -> int:
        return Run(None, self._workers).team

    @property
    def _game(self) -> Game:
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
        part = f" ({self._played.interrupted})" if self._played.interrupted else ""
        return f"{self._game.title}, {counts} players, {who}{which}: {counted(self.n_games, 'game')}{where}{part}"

    @property
    def _findings(self) -> list[str]:
        """What was found, in a sentence, if there is a report that says it."""
        if "seats" not in self._played.tables:
            return []
        from strozzi_sim.reports.findings import headline

        return [headline(self._played.tables)]

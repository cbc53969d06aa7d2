"""Results: a study, its tables, and the folder that holds them. `report` and `plot` load the part that draws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from strozzi_sim.agent.names import path_of
from strozzi_sim.declare.alarms import MOST_ALARMS, FoundAlarm
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.declare.significance import rounded_up
from strozzi_sim.errors import pluralize, short_repr, suggest_names
from strozzi_sim.facts.figures import share
from strozzi_sim.study.files import read_summary
from strozzi_sim.study.games import alarms_of_games
from strozzi_sim.study.kept import read_rows
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import POINTS, Study
from strozzi_sim.study.verdict import Verdict

NOT_PEOPLE = "computer players, not people"
ILLEGAL_SHARE = share("illegal_share", "share of an agent's answers that are illegal and replaced", "illegal answers")


class Frames(dict[str, Any]):
    """Tables by name; an unknown name lists the known ones."""

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"no table {short_repr(name)}; {suggest_names(name, self)}")

    def __repr__(self) -> str:
        return ", ".join(f"{name} ({len(table)} rows)" for name, table in self.items())


@dataclass(frozen=True, repr=False)
class Results:
    """Results of a study.

    Attributes:
        study: the study; if play stopped early, only its first deals.
        look: the look with which it was counted and is shown.
        tables: data frames by name, most with one figure a row: `value`, `low`, `high` (95 %), `n` and `deals`. They
            are the user's own: verdict, pictures and reports are made from copies, whatever is changed in them.
        n_games: games of the study, those of earlier runs included.
        new_games: games that were played now, and not in an earlier run.
        about: command, versions, part and day of the run; in loaded results, what the folder has of its last run.
        interrupted: how far the run came if a signal stopped it, or if it was not finished yet; else "".
        rows: of a study in memory, the Parquet files of the rows that it keeps, by name.
        added_map: table of the heat map that was added to a study which had been played, or "".

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=4, agents="random", deals=200, seed=1)
    >>> results
    <Results: Strozzi, 4 players: random moves; 200 deals, 200 games>
    >>> results.tables["seats"].query("figure == 'win_share'")[["seat", "value", "low", "high"]].shape
    (4, 4)
    """

    study: Study
    look: Look
    tables: Frames
    folder: Path | None = None
    n_games: int = 0
    summary: str = ""
    new_games: int = 0
    seconds: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)
    interrupted: str = ""
    rows: dict[str, bytes] = field(default_factory=dict)
    added_map: str = ""
    originals: Frames = field(init=False, repr=False, compare=False)  # copies of `tables`, which nobody changes

    def __post_init__(self) -> None:
        copies = Frames({name: table.copy() for name, table in self.tables.items()})
        object.__setattr__(self, "originals", copies)

    @property
    def answer(self) -> Verdict:
        """The verdict of the study; its first note says how many games were played by whom."""
        if not self.originals:
            return Verdict(self.summary)
        verdict = self.study.verdict(self.originals, self.look)
        return replace(verdict, notes=(f"{pluralize(self.n_games, 'game')}, {self.study.cast}.", *verdict.notes))

    @property
    def verdict(self) -> Verdict:
        """The answer of the study, with notes on its tables."""
        part = [f"{self.interrupted}."] if self.interrupted else []
        return self.answer.with_notes([*notes(self.study, self.originals), *part] if self.originals else [])

    @property
    def alarms(self) -> list[FoundAlarm]:
        """The facts of the game that its designer must not overlook: at most three, the most important first."""
        return alarms_of_games(self.study, self.originals)[:MOST_ALARMS]

    @property
    def games(self) -> Any:
        """The rows of games and seats (`rows = true`) as a data frame."""
        return self._rows("")

    def facts(self, table: str) -> Any:
        """Return the kept rows of a fact table (`facts = [...]`) as a frame; `strozzi facts GAME` lists its columns."""
        return self._rows(table)

    def _rows(self, table: str) -> Any:
        if (folder := self.folder) is None:
            return read_rows(self.rows, self.rows.__getitem__, table, "the study")
        return read_rows(read_summary(folder)["files"], lambda name: (folder / name).read_bytes(), table, f"{folder}:")

    def report(self, path: str | Path | None = None, *, figures: bool = False, overwrite: bool = False) -> Path:
        """Write the report, one HTML page; default: report.html in the results folder. Returns where it is.

        With `figures` every picture and heat map is also written as PNG and SVG into figures/ beside the page. Only
        `overwrite` replaces files that are not such a page or picture.
        """
        place = None if path is None else path_of("path", path)
        return Path(_report_part("write_report")(self, place, figures=figures, overwrite=overwrite))

    def spreadsheet(self, kind: str = "xlsx", path: str | Path | None = None, *, overwrite: bool = False) -> list[Path]:
        """Write the tables of the report for a spreadsheet; default: into the results folder. Returns the files.

        `kind` is csv, a file for each table in the folder `path`, or xlsx, the workbook `path`. Only `overwrite`
        replaces files that are not such tables.
        """
        place = None if path is None else path_of("path", path)
        return list(_report_part("spreadsheet")(self, kind, place, overwrite=overwrite))

    @property
    def pictures(self) -> list[str]:
        """The names of the pictures that `plot` draws."""
        return list(_report_part("pictures_of")(self))

    def plot(self, name: str | None = None, *, ax: Any = None, players: int | None = None) -> Any:
        """Return one of `pictures`, by default the first, which a notebook shows and `save` writes to a file.

        Drawn on `ax`, a matplotlib axes, which is then returned, it has one panel, of one player count; default: 4, or
        the smallest.

        >>> import strozzi_sim as ss
        >>> ss.simulate("strozzi", players=3, agents="random", deals=60).plot("seats").title
        'How often each seat wins'
        """
        return _report_part("picture")(self, name, ax, players)

    def __repr__(self) -> str:
        return f"<Results: {self.summary}{f', in {self.folder}' if self.folder else ''}>"

    def _repr_html_(self) -> str:
        said = (*self.verdict.lines, *marked_alarms(self), repr(self.originals))
        lines = (f"<b>{escape(self.summary)}</b>", *map(escape, said))
        return "".join(f'<div style="max-width: 46em">{line}</div>' for line in lines)


def _report_part(function: str) -> Callable[..., Any]:
    attribute: Callable[..., Any] = getattr(import_module("strozzi_sim.report.write"), function)
    return attribute


def caveat_of(study: Study) -> str:
    """Return as a sentence what no answer of a study can say: how people play, and what a real box has."""
    is_reconstructed = any(variant.reconstructed for variant in study.variant_of.values())
    data = "; part of the game's data is reconstructed" if is_reconstructed else ""
    return f"Read with care: {NOT_PEOPLE}{data}."


def marked_alarms(results: Results) -> list[str]:
    """Return the alarms as lines of text to stand below the verdict; a change has mended those with a tick."""
    return [f"{'✓' if alarm.is_mended else '!'} {alarm.text}" for alarm in results.alarms]


def notes(study: Study, tables: Mapping[str, Any]) -> list[str]:
    """Return the notes on the tables precision and answers, a sentence each; none without these tables."""
    sentences = [_precision_note(study, tables["precision"])] if "precision" in tables else []
    if "answers" in tables:
        for row in tables["answers"].itertuples():
            where = f" at {row.players} players" if len(study.players) > 1 else ""
            where += f" in {row.variant}" if len(study.variant_of) > 1 else ""
            share = f"{format_estimate(row, ILLEGAL_SHARE)}, n = {row.n:,} decisions"
            sentences.append(f"Illegal answers of {row.agent}{where}: {share}.")
    return sentences


def _precision_note(study: Study, table: Any) -> str:
    played, unknown = pluralize(int(table["deals"].iloc[0]), "deal"), int((table["known"] == 0).sum())
    valid = f"after {played}, wherever play stops."
    if (table["figure"] == "win_share_difference").all():
        size = f"of {rounded_up(study.precision / POINTS)} of 100 games won"
        if not unknown:
            return f"A difference {size} would have been found ({played})."
        ends = table.loc[table["known"] == 0, ["low", "high"]]
        games = rounded_up(float(ends.abs().max(axis=None)))
        return f"Up to {games} games of 100 more or less could be missed after {played}; more deals tell."
    width = f"to +- {study.precision:g} points"
    has_differences = (table["figure"] == "win_share_difference").any()
    if not unknown:
        return f"Every share of wins{' and difference' if has_differences else ''} is known {width}, {valid}"
    shares = f"shares of wins{' and differences' if has_differences else ''}"
    return f"{unknown} of {len(table)} {shares} are not known {width} after the last of {played}."

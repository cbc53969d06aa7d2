"""What a study came to, in memory or in a results folder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.studies.folder import FILES, MANIFEST, read_list, read_manifest, refuse_links
from strozzi_sim.studies.kept import check_kept, read_facts
from strozzi_sim.studies.outputs import read_tables
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.store import Store


@dataclass(frozen=True)
class Played:
    """What a study came to.

    Attributes:
        plan: all that decides it, as plain data, with `deals` and `games` as far as they were played, and `calibrated`
            if agents were given in seconds.
        tables: data frames by name.
        games: games behind the tables. played_now: games played by this run. seconds: this run took.
        folder: the results folder, or None: then nothing was kept.
        manifest: what manifest.json in it says, or would say.
        files: the tables' Parquet files in it, by name.
        kept: rows of facts by table, if nothing was kept on the disk; see `facts`.
        interrupted: how far it was played when a signal stopped it, in words, or "".
        cut: the plan as far as it was played, if the study was played in memory; chunks: what was played then.
    """

    plan: dict[str, Any]
    tables: dict[str, Any]
    games: int
    played_now: int
    seconds: float
    folder: Path | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)
    interrupted: str = ""
    cut: Plan | None = None
    chunks: Store | None = None

    def facts(self, name: str) -> Any:
        """The rows of a fact table that the study keeps, as a data frame.

        Raises:
            InputError: it keeps none; lists the tables of which it does.
        """
        if self.folder is not None:
            return read_facts(self.folder, name)
        check_kept(name, self.kept, "the study")
        return self.kept[name]


def load_results(folder: Path) -> Played:
    """What a finished run left in `folder`.

    Raises:
        InputError: there are no results, the study is not finished, or a file was changed since it was written.
        StorageError: a file cannot be read, or something of a run is a link.
    """
    from strozzi_sim.studies.checked_tables import check_tables

    refuse_links(folder)
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study (no {MANIFEST})") from None
    files = read_list(folder)
    if "counts" in manifest["plan"] and "tables/ratings.parquet" not in files:
        raise InputError(f"{folder}: holds a comparison or ladder, which has no report; see {folder / 'tables'}")
    if not manifest["finished"]:
        raise InputError(f"{folder}: the study is not finished; run it again to resume: {manifest['command']}")
    frames, tables = read_tables(folder)
    if sorted(frames) != manifest.get("tables"):
        raise InputError(f"{folder}: {FILES} and {MANIFEST} name different tables; run the study again")
    check_tables(folder, manifest, frames)
    plan = {**manifest["plan"], "deals": manifest["deals"], "games": manifest["games"]}
    if manifest["calibrated"]:
        plan["calibrated"] = manifest["calibrated"]
    return Played(plan, frames, manifest["games"], 0, 0.0, folder, manifest, tables)

"""Join the parts of a study, after they were compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from strozzi_sim.errors import ArgumentError, InputError, in_ranges
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.studies.folder import MANIFEST, read_manifest, refuse_links
from strozzi_sim.studies.heatmaps import plan_in
from strozzi_sim.studies.parts import parse_part
from strozzi_sim.studies.plan import Part
from strozzi_sim.studies.plan_identity import differences
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.results import Results
from strozzi_sim.studies.run import run_study
from strozzi_sim.studies.store import Store, read_chunks


def merge_parts(
    folders: Sequence[Path],
    out: Path,
    *,
    code: Sequence[str | Path] = (),
    progress: Progress,
) -> Results:
    """Join the parts of a study in a new results folder: the tables of one run, to the byte.

    All is checked before anything is written.

    Args:
        folders: results folders of the parts.
        out: results folder of the study.
        code: agents' files that may be run; other files that a part names are refused.
        progress: progress reports.

    Raises:
        InputError: a part is missing, given twice, unfinished, damaged, or of another plan, version or processor.
        StorageError, Interrupted: as `run_study`.
    """
    manifests = {folder: _manifest_of(folder) for folder in dict.fromkeys(folders)}
    _check_alike(manifests)
    by_part = _check_complete(manifests)
    plan = replace(plan_in(next(iter(manifests)), code), part=None)
    for part, folder in by_part.items():
        own = replace(plan, part=part)
        found = {chunk[:2] for chunk in read_chunks(folder, own)}
        if missing := len(own.keys) - len(found):
            again = f"run its command again: {manifests[folder]['command']}"
            raise InputError(f"{folder}: part {part} lacks {missing} of its {len(own.keys)} chunks; {again}")
    with Store(out, plan) as store, stop_flag():
        for part, folder in by_part.items():
            for chunk in read_chunks(folder, replace(plan, part=part)):
                if chunk[:2] not in store.done:
                    store.adopt(chunk)
    return run_study(plan, out, workers=1, progress=progress, kind="Study {}", trust_agents=True)


def _manifest_of(folder: Path) -> dict[str, Any]:
    refuse_links(folder)
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no part of a study (no {MANIFEST})") from None
    if not manifest.get("part"):
        raise InputError(f"{folder}: holds a study without parts; give folders that were played with part")
    return manifest


def _check_alike(manifests: Mapping[Path, Mapping[str, Any]]) -> None:
    """Refuse parts of different plans, versions or processors."""
    (first, here), *others = manifests.items()
    for folder, there in others:
        for name, find in _DECISIVE.items():
            changes = list(differences(find(there), find(here)))
            if changes:
                shown = "; ".join(changes[:3]).replace(" there", f" in {folder}").replace(" here", f" in {first}")
                raise InputError(
                    f"{folder}: has another {name} than {first} ({shown}); play this part again as the others"
                )


_DECISIVE: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "plan": lambda manifest: manifest["plan"],
    "version": lambda manifest: manifest["versions"],
    "processor": lambda manifest: {key: manifest["host"].get(key) for key in ("machine", "cpu", "byte_order")},
    "number of parts": lambda manifest: {"parts": str(manifest["part"]).partition("/")[2]},
}


def _check_complete(manifests: Mapping[Path, Mapping[str, Any]]) -> dict[Part, Path]:
    """Return the folders by part; refuse parts that are given twice or missing."""
    by_part: dict[Part, Path] = {}
    for folder, manifest in manifests.items():
        try:
            part = parse_part(str(manifest["part"]))
        except ArgumentError as error:
            raise InputError(f"{folder / MANIFEST}: {error}") from None
        if part in by_part:
            raise InputError(f"part {part} is given twice: {by_part[part]} and {folder}; leave one of them out")
        by_part[part] = folder
    of = next(iter(by_part)).of
    missing = [str(number) for number in range(1, of + 1) if Part(number, of) not in by_part]
    if missing:
        which = f"part {', '.join(in_ranges(missing))} of {of} is missing"
        raise InputError(f"{which}; play it with part {missing[0]}/{of} into a folder of its own, and give all folders")
    return dict(sorted(by_part.items()))

"""Studies in files and folders: read a study, load results, and join parts."""

from __future__ import annotations

import contextlib
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec

from strozzi_sim.agent import names
from strozzi_sim.agent.files import only_named
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game.converting import built, differences
from strozzi_sim.runtime.parsing import read_toml
from strozzi_sim.study.arguments import RunOptions, documented
from strozzi_sim.study.files import DATABASE, STUDY_FILE, content_errors, read_summary, read_tables
from strozzi_sim.study.games import with_figures
from strozzi_sim.study.kinds import kind_named
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import look_at, run
from strozzi_sim.study.store import Store, StudyPart

_LOOK_KEYS = {"report", *Look.__struct_fields__}


def study_of(keys: Mapping[str, Any]) -> tuple[Study, Look]:
    """Return the study and the look with these keys; default kind: sweep with a key `sweep`, else balance."""
    look = Look.of(**{key: value for key, value in keys.items() if key in _LOOK_KEYS})
    played = {key: value for key, value in keys.items() if key not in _LOOK_KEYS}
    return Study.of(**{"kind": "sweep" if "sweep" in keys else "balance", **played}), look


def read_study(path: str | Path, code: Sequence[str | Path] = ()) -> tuple[Study, Look]:
    """Return the study and the look in a TOML or JSON file, or in a results folder.

    An InputError names the file, and the key if there is one. A TOML file without `explorer` has one, except a sweep.
    `code` are files of agents that a results folder may run, beside those that this process has used before.
    """
    place = names.path_of("path", path)
    file = place / STUDY_FILE if place.is_dir() else place
    try:
        if file.suffix == ".json":
            keys = msgspec.json.decode(file.read_bytes().removeprefix(BOM_UTF8), type=dict[str, Any])
        else:
            keys = read_toml(file)  # its errors name the file
            report = keys.get("report")
            if not (isinstance(report, dict) and "explorer" in report):
                keys.setdefault("explorer", "sweep" not in keys)  # a sweep has too many cells
    except FileNotFoundError:
        raise InputError(f"{path}: holds no study") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}") from None
    try:
        with only_named(code) if place.is_dir() else contextlib.nullcontext():
            study, look = study_of(keys)
            study.check_look(look)
            return study, look
    except InputError as error:
        report = keys.get("report")
        is_of_report = isinstance(error, ArgumentError) and isinstance(report, dict) and error.argument in report
        raise InputError(f"{path}: {'report.' if is_of_report else ''}{error}") from None


def load_results(folder: str | Path, code: Sequence[str | Path] = ()) -> Results:
    """Return the results in a folder; `strozzi report` also writes their page. The folder is not changed.

    Of a run that is going on, or was stopped, these are results of its finished chunks, which are counted for this: 20
    or more. No code in the folder is run, and agents of a finished run need not exist any more.

    Args:
        folder: a results folder
        code: files of agents that an unfinished study may run, beside those that this process has used before
    """
    place = names.path_of("folder", folder)
    summary = read_summary(place)
    if summary["part"]:
        raise InputError(f"{place}: holds part {summary['part']} of a study; join all parts with `strozzi merge`")
    last_run = summary["run"]
    if not last_run.get("finished"):
        study, look = read_study(place, code)
        return look_at(place, study, look, "Not finished")
    with content_errors(str(place / DATABASE)):
        study = kind_named(summary["study"]["kind"]).shown(summary["study"])
        study = study.first_chunks(last_run["chunks"]) if last_run["chunks"] < study.chunks else study
        look = msgspec.convert(summary["look"], built(Look))
    tables = Frames(with_figures(study, read_tables(place, summary["files"])))
    return Results(study, look, tables, place, last_run["all_games"], last_run["summary"], about=last_run)


@documented()
def merge(parts: Sequence[str | Path], *, code: Sequence[str | Path] = (), **options: Unpack[RunOptions]) -> Results:
    """Join the parts of a study in a new results folder. Its tables are those of a single run, to the byte.

    Example: strozzi merge part-1 part-2 part-3 --out results/whole

    Args:
        parts: the results folders of all parts
        code: files of agents that the folders may run, beside those that this process has used before
        folder: the new results folder
    """
    if (folder := options.get("folder")) is None:
        raise ArgumentError("folder", "name the results folder of the whole study")
    places = [names.path_of("parts", part) for part in parts]
    if not places:
        raise ArgumentError("parts", "name the results folders of all parts")
    if repeated := [place for place in places if places.count(place) > 1]:
        raise ArgumentError("parts", f"{repeated[0]} is named {len(repeated)} times")
    summaries = {place: read_summary(place) for place in places}
    for place, summary in summaries.items():
        if not summary["run"]:
            raise InputError(f"{place}: its run ended before it began to play; run its command again")
    (first, first_summary), *others = summaries.items()
    for place, summary in others:
        for line in differences(_shared_keys(summary), _shared_keys(first_summary)):
            advice = "parts are of one study, and played with the same versions on the same processor"
            raise InputError(f"{place}: does not fit {first} ({line}); {advice}")
    shares = {place: StudyPart.of_text(summary["part"]) for place, summary in summaries.items()}
    given, count = list(shares.values()), shares[first].of
    every = [StudyPart(number, count) for number in range(1, count + 1)]
    if sorted(given) != every:
        lacking = [str(part) for part in every if part not in given]
        hint = f"; play {lacking[0]} like the others, with --part {lacking[0]}" if lacking else ""
        raise InputError(f"expected every part once, got {', '.join(map(str, given))}{hint}")
    study, look = read_study(first, code)
    with contextlib.ExitStack() as opened:
        stores = [opened.enter_context(Store(place, study, look, share)) for place, share in shares.items()]
        for (place, share), store in zip(shares.items(), stores, strict=True):
            if len(store.done) < len(store.keys):
                command = summaries[place]["run"]["command"]
                raise InputError(f"{place}: part {share} is not finished; run its command again: {command}")
        joined = opened.enter_context(Store(names.path_of("folder", folder), study, look))
        for store in stores:
            for chunk in store.stored():
                joined.write(chunk)
    return run(study, look=look, trust_agents=True, **options)  # plays no chunk that it has: it makes the tables


def _shared_keys(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be equal in all parts; another processor may change the last bits of a figure."""
    last_run = summary["run"]
    versions, processor = last_run["versions"], last_run["host"]["cpu"]
    return {**summary["study"], "look": summary["look"], "versions": versions, "processor": processor}

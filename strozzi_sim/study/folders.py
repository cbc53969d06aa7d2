"""Studies in files and folders: read, run a file, load results, join parts, and write a report again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from strozzi_sim.agent import names
from strozzi_sim.agent.named_files import only_named
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.runtime.parsing import read_toml
from strozzi_sim.study.chunks import Part
from strozzi_sim.study.files import DATABASE, STUDY_FILE, read_tables
from strozzi_sim.study.identity import differences
from strozzi_sim.study.kinds import kind_named
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.old_folders import read_old_results
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.store import MANIFEST, Store, about, content_errors

_SHOWN = {"report", *Look.__struct_fields__}


def study_of(keys: Mapping[str, Any]) -> tuple[Study, Look]:
    """Return the study and the look with these keys, of any kind; a file without a kind is one of balance, or a sweep."""
    made: type[Study] = kind_named(keys.get("kind", "sweep" if "sweep" in keys else "balance"))
    look = Look.of(**{key: value for key, value in keys.items() if key in _SHOWN})
    return made.of(**{key: value for key, value in keys.items() if key not in _SHOWN and key != "kind"}), look


def read_study(path: str | Path, code: Sequence[str | Path] = ()) -> tuple[Study, Look]:
    """Return the study and the look in a TOML or JSON file, or in a results folder. Errors name the file and the key.

    Args:
        path: the file or folder.
        code: files of agents that a results folder may run; others that it names are refused.
    """
    place = names.path_of("path", path)
    file = place / STUDY_FILE if place.is_dir() else place
    given: Any = ()  # keys of the table `report`
    try:
        keys = msgspec.json.decode(file.read_bytes()) if file.suffix == ".json" else dict(read_toml(file))
        given = keys["report"] if isinstance(keys.get("report"), dict) else ()
        if file.suffix != ".json":
            keys = {"explorer": "sweep" not in keys, **keys}
        with only_named(code) if place.is_dir() else contextlib.nullcontext():
            study, look = study_of(keys)
            study.check_look(look)
            return study, look
    except FileNotFoundError:
        raise InputError(f"{path}: holds no study") from None
    except ArgumentError as error:
        section = "report." if error.argument in given else ""
        raise InputError(f"{path}: {section}{error}") from None
    except InputError as error:  # of the reader of files, which names the file, or of the study
        raise error if str(error).startswith(f"{file}: ") else InputError(f"{path}: {error}") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}") from None


def run_file(
    file: str | Path,
    *,
    deals: int | None = None,
    part: str = "",
    backend: str = "",
    scheduler: str = "",
    trust_agents: bool = False,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Play a study file and write its tables and report; run it again to resume.

    Example: strozzi run experiments/balance_by_player_count.toml

    Args:
        file: a study file (TOML or JSON)
        deals: deals of every cell instead of the file's; more extend a study
        part: play a share of the chunks, such as 2/5, for `merge`
        backend: dask plays on the workers of a Dask cluster; default: on this machine
        scheduler: address of the Dask scheduler, such as tcp://10.0.0.1:8786
        trust_agents: resume although changes of the agents' code could not be detected; the first run says so
        workers: number of workers; default: all cores
        folder: results folder; default: results/<name>
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only
    """
    study, look = read_study(file)
    place = folder or Path("results") / (look.name if not part else f"{look.name}-{part.replace('/', '-of-')}")
    where: dict[str, Any] = {"workers": workers, "backend": backend, "scheduler": scheduler}
    return run(study, place, look=look, progress=progress, deals=deals, part=part, trust_agents=trust_agents, **where)


def load_results(folder: str | Path) -> Results:
    """Return what a finished run left in a folder; the command writes its report again.

    Nothing in the folder is run: its agents need not exist any more.

    Args:
        folder: a results folder
    """
    place = names.path_of("folder", folder)
    if (place / MANIFEST).exists():
        return read_old_results(place, kind_named)
    found = about(place)
    if found["part"]:
        raise InputError(f"{place}: holds part {found['part']} of a study; join all parts with `strozzi merge`")
    if not found["run"].get("finished"):
        raise InputError(f"{place}: the study is not finished; run it again to resume: {found['run'].get('command')}")
    with content_errors(str(place / DATABASE)):
        document, last = msgspec.json.decode(found["study"]), found["run"]
        study = kind_named(document["kind"]).shown(document)
        study = study.first_chunks(last["chunks"]) if last["chunks"] < study.chunks else study
        look, told = msgspec.json.decode(found["look"], type=Look), {**last, "versions": json.loads(last["versions"])}
    tables = Frames(read_tables(place, found["files"]))
    return Results(study, look, tables, place, last["all_games"], last["summary"], about=told)


def merge(
    parts: Sequence[str | Path],
    *,
    folder: Folder = None,
    code: Sequence[str | Path] = (),
    workers: int | None = None,
    progress: ProgressOption = None,
) -> Results:
    """Join the parts of a study in a new results folder: the tables of one run, to the byte.

    Example: strozzi merge part-1 part-2 part-3 --out results/whole

    Args:
        parts: the results folders of all parts
        folder: the new results folder
        code: files of agents that the folders may run; others that they name are refused
        workers: number of workers; default: all cores
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only
    """
    if folder is None:
        raise ArgumentError("folder", "name the results folder of the whole study")
    places = [names.path_of("parts", part) for part in parts]
    found = {place: about(place) for place in places}
    (first, here), *others = found.items()
    for place, there in others:
        for key in ("study", "look"):
            for line in differences(msgspec.json.decode(there[key]), msgspec.json.decode(here[key])):
                raise InputError(f"{place}: is of another study than {first} ({line})")
        if there["run"]["versions"] != here["run"]["versions"]:
            raise InputError(
                f"{place}: was played with other versions than {first}; play this part again as the others"
            )
        if json.loads(there["run"]["host"])["cpu"] != json.loads(here["run"]["host"])["cpu"]:
            raise InputError(f"{place}: was played on another processor than {first}, which may change the last bits")
    shares = {place: Part.of_text(each["part"]) for place, each in found.items()}
    missing = set(range(1, shares[first].of + 1)) - {share.number for share in shares.values()}
    if missing or len(set(shares.values())) < len(shares) or len({share.of for share in shares.values()}) > 1:
        raise InputError(f"expected every part once, got {', '.join(map(str, shares.values()))}")
    study, look = read_study(first, code)
    with contextlib.ExitStack() as opened:
        stores = [opened.enter_context(Store(place, study, look, share)) for place, share in shares.items()]
        for (place, share), store in zip(shares.items(), stores, strict=True):
            if len(store.done) < len(store.keys):
                raise InputError(
                    f"{place}: part {share} is not finished; run its command again: {found[place]['run']['command']}"
                )
        whole = opened.enter_context(Store(names.path_of("folder", folder), study, look))
        for store in stores:
            for chunk in store.stored():
                whole.write(chunk)
    return run(study, folder, look=look, workers=workers, progress=progress, trust_agents=True)

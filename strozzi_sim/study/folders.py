"""Studies in files and folders: read, run a file, load results, join parts, and write a report again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.files import only_named
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game.variant_names import name_of_values
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.runtime.parsing import read_toml
from strozzi_sim.study.files import DATABASE, MANIFEST, STUDY_FILE, about, content_errors, read_tables
from strozzi_sim.study.kinds import kind_named
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study, differences
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.store import Part, Store

OLD_FORMATS = ("strozzi-sim.results/3", "strozzi-sim.results/4")  # a manifest and tables: shown, and not played on
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
        if file.suffix == ".json":
            keys = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
        else:
            found = read_toml(file)
            keys = {"explorer": "sweep" not in found, **found}
        given = keys["report"] if isinstance(keys.get("report"), dict) else ()
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
        return _read_old(place)
    found = about(place)
    if found["part"]:
        raise InputError(f"{place}: holds part {found['part']} of a study; join all parts with `strozzi merge`")
    last = found["run"]
    if not last.get("finished"):
        raise InputError(f"{place}: the study is not finished; run it again to resume: {last.get('command')}")
    with content_errors(str(place / DATABASE)):
        document = msgspec.json.decode(found["study"])
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
    found = {place: about(place) for place in (names.path_of("parts", part) for part in parts)}
    (first, here), *others = found.items()
    for place, there in others:
        for key in ("study", "look"):
            for line in differences(msgspec.json.decode(there[key]), msgspec.json.decode(here[key])):
                raise InputError(f"{place}: is of another study than {first} ({line})")
        if there["run"]["versions"] != here["run"]["versions"]:
            again = "play this part again as the others"
            raise InputError(f"{place}: was played with other versions than {first}; {again}")
        if json.loads(there["run"]["host"])["cpu"] != json.loads(here["run"]["host"])["cpu"]:
            raise InputError(f"{place}: was played on another processor than {first}, which may change the last bits")
    shares = {place: Part.of_text(each["part"]) for place, each in found.items()}
    if sorted(shares.values()) != [Part(number, len(shares)) for number in range(1, len(shares) + 1)]:
        raise InputError(f"expected every part once, got {', '.join(map(str, shares.values()))}")
    study, look = read_study(first, code)
    with contextlib.ExitStack() as opened:
        stores = [opened.enter_context(Store(place, study, look, share)) for place, share in shares.items()]
        for (place, share), store in zip(shares.items(), stores, strict=True):
            if len(store.done) < len(store.keys):
                command = found[place]["run"]["command"]
                raise InputError(f"{place}: part {share} is not finished; run its command again: {command}")
        whole = opened.enter_context(Store(names.path_of("folder", folder), study, look))
        for store in stores:
            for chunk in store.stored():
                whole.write(chunk)
    return run(study, folder, look=look, workers=workers, progress=progress, trust_agents=True)


def _read_old(folder: Path) -> Results:
    """Return the results in a folder of an earlier format, as far as they are shown."""
    with content_errors(str(folder)):
        with storage_errors(f"{folder}: cannot be read"):
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes())
            if manifest["format"] not in OLD_FORMATS or not manifest["finished"]:
                raise InputError(f"{folder}: holds no finished results of the formats {', '.join(OLD_FORMATS)}")
            files = {name: folder / "tables" / f"{name}.parquet" for name in manifest["tables"]}
            tables = Frames({name: pd.read_parquet(file) for name, file in files.items()})
        plan, report = manifest["plan"], manifest["report"]
        kind, more = _kind(plan, report, tables)
        known = ("game", "behaviour", "seed", "players", "seatings", "lineups", "variants", "search_deals")
        sources = plan["agent_files"]
        keys = {key: plan[key] for key in known if key in plan} | {
            "deals": manifest["deals"],
            "chunk_deals": plan.get("chunk_deals") or -(-plan["deals"] // plan["chunks"]),
            "agents": {text: {"values": had, "source": sources.get(text, "")} for text, had in plan["agents"].items()},
        }
        study = kind_named(kind).shown({**keys, **more})
        shown = {key: report[key] for key in ("heatmaps", "pages", "question", "effect", "explorer") if key in report}
        look = Look.of(name=manifest["name"], heatmap=report["own"], **shown)
    return Results(study, look, tables, folder, manifest["games"], manifest["summary"], about=manifest)


def _kind(plan: Mapping[str, Any], report: Mapping[str, Any], tables: Frames) -> tuple[str, dict[str, Any]]:
    """Return the kind of study, which the format does not state, and the keys that it has of its own."""
    if "difference" in tables:
        return "compare_variants" if "changes" in tables else "compare_agents", {}
    if "ratings" in tables:
        return "tournament", {"lineups": [[agent] for agent in tables["agents"]["agent"].unique()]}
    if "worth" in tables and "seats" not in tables:
        things = list(tables["worth"]["thing"].unique())
        return "worth", {"things": things, "lineups": [each for each in plan["lineups"] if len(each) == 1]}
    if "luck" in tables:
        return "luck", {}
    if sweep := report.get("sweep"):
        name, data = next(iter(plan["variants"].items()))
        first = name_of_values("", {key: values[0] for key, values in sweep.items()})
        return "sweep", {"sweep": sweep, "variants": {name.removesuffix(first).rstrip("-") or "base": data}}
    return "balance", {}

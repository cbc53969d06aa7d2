"""Several studies of a game beside each other: their tables as variants of one study, and what is different."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.studies.changes import changes_between
from strozzi_sim.studies.plan import EFFECT, VARIANTS
from strozzi_sim.studies.results import Results


def side_by_side(studies: Sequence[Results]) -> Results:
    """Return the results of several studies as those of one, in which each is a variant, or each of its variants.

    Every variant of every study is compared: with the first study's variant of the same name, else with its first variant. The
    differences are not paired, since the deals may differ.

    Raises:
        InputError: fewer than two studies, results of another kind, or studies of different games.
    """
    if len(studies) < 2:
        raise InputError("side by side: needs two or more studies")
    for each in studies:
        if "seats" not in each.tables:
            raise InputError(f"{_place(each)}: holds no study of seats; only studies can be laid side by side")
    games = list(dict.fromkeys(each.plan["game"] for each in studies))
    if len(games) > 1:
        raise InputError(f"side by side: these are studies of different games: {', '.join(games)}")
    names = _names(studies)
    frames = [_renamed(each, name) for each, name in zip(studies, names, strict=True)]
    shared = [name for name in frames[0] if all(name in other for other in frames[1:])]
    tables: dict[str, Any] = {
        name: pd.concat([own[name] for own in frames], ignore_index=True) for name in shared if name not in _APART
    }
    compared = [
        changes_between(_of_variant(frames[k], first), _of_variant(frames[j], second), (first, second), EFFECT)
        for (k, first), (j, second) in _pairs(studies, names)
    ]
    tables["changes"] = pd.concat(compared, ignore_index=True)
    return replace(
        studies[0], tables=tables, n_games=sum(each.n_games for each in studies), folder=None,
        manifest=_manifest(studies, names), plan={**studies[0].plan, "variants": _variants(studies, names)},
    )  # fmt: skip


_APART = ("changes", "worth", "sweep", "precision", "difference", "sides")


def _place(results: Results) -> str:
    return str(results.folder or results.manifest.get("name", "results"))


def _names(studies: Sequence[Results]) -> list[str]:
    """Return a name for each study: its own, or that of its folder, or both if they are not alone."""
    names = [str(each.manifest.get("name", "study")) for each in studies]
    if len(set(names)) < len(names):
        names = [each.folder.name if each.folder else name for each, name in zip(studies, names, strict=True)]
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    return names


def _label(results: Results, name: str, variant: str) -> str:
    return name if len(results.plan["variants"]) == 1 else f"{name}: {variant}"


def _renamed(results: Results, name: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a study with its name in place of its variant."""
    return {
        table: frame.assign(variant=[_label(results, name, variant) for variant in frame["variant"]])
        for table, frame in results.tables.items()
        if "variant" in frame
    }


_Side = tuple[int, str]  # the number of a study, and the label of one of its variants


def _pairs(studies: Sequence[Results], names: Sequence[str]) -> list[tuple[_Side, _Side]]:
    """Return what is compared with what: (first, second), so that no variant is left out."""
    own = [list(each.plan["variants"]) for each in studies]
    pairs = []
    for number, variants in enumerate(own):
        for variant in variants:
            than = variant if number and variant in own[0] else own[0][0]
            if (number, variant) != (0, than):
                first, second = _label(studies[0], names[0], than), _label(studies[number], names[number], variant)
                pairs.append(((0, first), (number, second)))
    return pairs


def _of_variant(tables: Mapping[str, pd.DataFrame], variant: str) -> dict[str, pd.DataFrame]:
    """Return the rows of a variant."""
    return {name: table[table["variant"] == variant] for name, table in tables.items()}


def _variants(studies: Sequence[Results], names: Sequence[str]) -> dict[str, Any]:
    return {
        _label(each, name, variant): data
        for each, name in zip(studies, names, strict=True)
        for variant, data in each.plan["variants"].items()
    }


def _manifest(studies: Sequence[Results], names: Sequence[str]) -> dict[str, Any]:
    """Return a manifest for all: what they share, and what they show."""
    first, manifests = studies[0].manifest, [each.manifest for each in studies]
    plan = first["plan"]

    def union(key: str) -> list[Any]:
        found: list[Any] = []
        for manifest in manifests:
            found += [each for each in manifest["plan"].get(key, []) if each not in found]
        return found

    report = first.get("report", {})
    pages = [
        page for page in report.get("pages", []) if all(page in m.get("report", {}).get("pages", []) for m in manifests)
    ]
    maps = [
        name
        for name in report.get("heatmaps", [])
        if all(name in m.get("report", {}).get("heatmaps", []) for m in manifests)
    ]
    reconstructed = {
        _label(each, name, variant): lines
        for each, name in zip(studies, names, strict=True)
        for variant, lines in each.manifest.get("reconstructed", {}).items()
    }
    return {
        **first, "name": " beside ".join(names), "games": sum(each.n_games for each in studies), "plan_hash": "",
        "command": "strozzi report " + " ".join(_place(each) for each in studies),
        "plan": {**plan, "variants": _variants(studies, names), "players": union("players"), "lineups": union("lineups")},
        "report": {**report, "pages": pages, "heatmaps": maps, "own": [], "question": VARIANTS, "unpaired": True, "sweep": {}},
        "reconstructed": reconstructed,
        "warnings": [f"{pluralize(len(studies), 'study', 'studies')} side by side: differences are not paired by deal"],
    }  # fmt: skip

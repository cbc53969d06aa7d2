"""Several studies of a game beside each other: their tables as variants of one study, and what is different.

Every variant of every study is compared: with the first study's variant of the same name, else with its first variant. The differences
are not paired, since the deals may differ.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.study.changes import changes_between
from strozzi_sim.study.kinds.balance import Balance
from strozzi_sim.study.look import VARIANTS, Look
from strozzi_sim.study.results import Frames, Results

APART = ("changes", "worth", "sweep", "precision", "difference", "sides")  # tables of one study alone
_Side = tuple[int, str]  # the number of a study, and the label of one of its variants


class SideBySide(Balance, frozen=True, kw_only=True, tag="side_by_side"):
    """Several studies as one, to be shown: each of their variants is a variant, and the deals may differ."""

    is_paired_by_deal = False


def side_by_side(studies: Sequence[Results]) -> Results:
    """Return the results of several studies as those of one, in which each is a variant, or each of its variants.

    Raises:
        InputError: fewer than two studies, results of another kind, or studies of different games.
    """
    if len(studies) < 2:
        raise InputError("side by side: needs two or more studies")
    for each in studies:
        if "seats" not in each.tables:
            raise InputError(f"{_place(each)}: holds no study of seats; only studies can be laid side by side")
    games = list(dict.fromkeys(each.study.game for each in studies))
    if len(games) > 1:
        raise InputError(f"side by side: these are studies of different games: {', '.join(games)}")
    names = _names(studies)
    frames = [_renamed(each, name) for each, name in zip(studies, names, strict=True)]
    shared = [name for name in frames[0] if all(name in other for other in frames[1:]) and name not in APART]
    first = studies[0]
    tables = {name: pd.concat([own[name] for own in frames], ignore_index=True) for name in shared}
    compared = [
        changes_between(_of_variant(frames[k], one), _of_variant(frames[j], two), (one, two), first.look.effect)
        for (k, one), (j, two) in _pairs(studies, names)
    ]
    tables["changes"] = pd.concat(compared, ignore_index=True)
    keys: dict[str, Any] = {
        "players": tuple(dict.fromkeys(count for each in studies for count in each.study.players)),
        "lineups": tuple(dict.fromkeys(lineup for each in studies for lineup in each.study.lineups)),
        "variants": {
            _label(each, name, variant): data.components
            for each, name in zip(studies, names, strict=True)
            for variant, data in each.study.variant_of.items()
        },
    }
    plain = {key: getattr(first.study, key) for key in ("game", "deals", "chunk_deals", "seatings", "seed", "behaviour", "agents")}  # fmt: skip
    study = SideBySide.shown(msgspec.to_builtins({**plain, **keys}))
    pages, maps = ([name for name in shown if all(name in other for other in others)] for shown, *others in (
        [each.look.pages_in(study.the_game) for each in studies], [each.look.heatmaps for each in studies],
    ))  # fmt: skip
    look = Look(
        name="-beside-".join(names)[:64].strip("-"),
        question=VARIANTS,
        pages=tuple(pages),
        heatmaps=tuple(maps),
        effect=first.look.effect,
    )
    games_played, said = (
        sum(each.n_games for each in studies),
        f"{' beside '.join(names)}: differences are not paired by deal",
    )
    return Results(study, look, Frames(tables), None, games_played, said)


def _place(results: Results) -> str:
    return str(results.folder or results.look.name)


def _names(studies: Sequence[Results]) -> list[str]:
    """Return a name for each study: its own, or that of its folder, or a number too if they are not alone."""
    names = [each.look.name for each in studies]
    if len(set(names)) < len(names):
        names = [each.folder.name if each.folder else name for each, name in zip(studies, names, strict=True)]
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    return names


def _label(results: Results, name: str, variant: str) -> str:
    return name if len(results.study.variant_of) == 1 else f"{name}: {variant}"


def _renamed(results: Results, name: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a study with its name in place of its variant."""
    return {
        table: frame.assign(variant=[_label(results, name, variant) for variant in frame["variant"]])
        for table, frame in results.tables.items()
        if "variant" in frame
    }


def _pairs(studies: Sequence[Results], names: Sequence[str]) -> list[tuple[_Side, _Side]]:
    """Return what is compared with what: (first, second), so that no variant is left out."""
    own = [list(each.study.variant_of) for each in studies]
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

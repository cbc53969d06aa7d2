"""Several studies of a game beside each other: their tables as variants of one study, and what is different.

Every variant of every study is compared: with the first study's variant of the same name, else with its first variant. The differences
are not paired, since the deals may differ.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.game.reporting import pick
from strozzi_sim.study.changes import changes_between
from strozzi_sim.study.kinds.balance import Balance
from strozzi_sim.study.look import VARIANTS, Look
from strozzi_sim.study.results import Frames, Results

APART = ("changes", "worth", "sweep", "precision", "difference", "sides")  # tables of one study alone
_KEPT = ("game", "deals", "chunk_deals", "seatings", "seed", "behaviour", "agents")  # keys of the first study


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
            place = each.folder or each.look.name
            raise InputError(f"{place}: holds no study of seats; only studies can be laid side by side")
    games = list(dict.fromkeys(each.study.game for each in studies))
    if len(games) > 1:
        raise InputError(f"side by side: these are studies of different games: {', '.join(games)}")
    names, first = _names(studies), studies[0]
    labels, frames = list[dict[str, str]](), list[dict[str, pd.DataFrame]]()  # of each study: its variants, its tables
    for each, name in zip(studies, names, strict=True):
        variants = list(each.study.variant_of)
        labels.append({variant: name if len(variants) == 1 else f"{name}: {variant}" for variant in variants})
        known = {name: table for name, table in each.tables.items() if "variant" in table}
        frames.append({name: table.assign(variant=table["variant"].map(labels[-1])) for name, table in known.items()})
    shared = [name for name in frames[0] if all(name in other for other in frames[1:]) and name not in APART]
    tables = {name: pd.concat([own[name] for own in frames], ignore_index=True) for name in shared}
    compared = []
    for number, own in enumerate(labels):
        for variant, label in own.items():
            than = labels[0].get(variant if number else "", next(iter(labels[0].values())))
            if label != than:
                before = {name: pick(table, variant=than) for name, table in frames[0].items()}
                after = {name: pick(table, variant=label) for name, table in frames[number].items()}
                compared.append(changes_between(before, after, (than, label), first.look.effect))
    tables["changes"] = pd.concat(compared, ignore_index=True)
    keys: dict[str, Any] = {
        "players": tuple(dict.fromkeys(count for each in studies for count in each.study.players)),
        "lineups": tuple(dict.fromkeys(lineup for each in studies for lineup in each.study.lineups)),
        "variants": {},
    }
    for each, own in zip(studies, labels, strict=True):
        keys["variants"] |= {own[name]: variant.components for name, variant in each.study.variant_of.items()}
    study = SideBySide.shown(msgspec.to_builtins({key: getattr(first.study, key) for key in _KEPT} | keys))
    game = study.the_game
    pages = [page for page in first.look.pages_in(game) if all(page in each.look.pages_in(game) for each in studies)]
    maps = [name for name in first.look.heatmaps if all(name in each.look.heatmaps for each in studies)]
    name = "-beside-".join(names)[:64].strip("-")
    look = Look(name=name, question=VARIANTS, pages=tuple(pages), heatmaps=tuple(maps), effect=first.look.effect)
    said = f"{' beside '.join(names)}: differences are not paired by deal"
    return Results(study, look, Frames(tables), None, sum(each.n_games for each in studies), said)


def _names(studies: Sequence[Results]) -> list[str]:
    """Return a name for each study: its own, or that of its folder, or a number too if they are not alone."""
    own = [each.look.name for each in studies]
    of_folders = [each.folder.name if each.folder else name for each, name in zip(studies, own, strict=True)]
    numbered = [f"{name} {number}" for number, name in enumerate(of_folders, 1)]
    return next(names for names in (own, of_folders, numbered) if len(set(names)) == len(names))

"""Several studies of a game as one study with the variants of all: joined tables, and the changes between variants.

The variants of a study are compared with those of other studies that have the same reference, the largest change
first; equal boxes are not compared. Differences are not paired, as the deals may differ.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.declare.figure_tables import FIGURES, Tables, pick
from strozzi_sim.errors import InputError
from strozzi_sim.game.component_names import CHANGED_BOX
from strozzi_sim.study.change_verdict import change_size, change_verdict
from strozzi_sim.study.changes import changes_between
from strozzi_sim.study.games import specs_of_games, with_figures
from strozzi_sim.study.kinds.balance import Balance
from strozzi_sim.study.look import VARIANTS, Look
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.verdict import Verdict

_KEPT = ("game", "deals", "chunk_deals", "seatings", "seed", "behaviour", "agents")  # values of the first study


class SideBySide(Balance):
    """The variants of several studies as one study, for tables and reports only; their deals may differ."""

    kind = "side_by_side"
    is_paired_by_deal = False

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the changes between the studies, or that they share no figures."""
        if "changes" in tables:
            return change_verdict(tables, self.the_game, self.variant_of, look.effect, self.chunks, beside=True)
        boxes = [variant.components for variant in self.variant_of.values()]
        if all(box == boxes[0] for box in boxes):
            advice = f"Players are compared by `strozzi compare {self.game} AGENT AGENT`."
            notes = (advice,) if len(self.lineups) > 1 else ()
            return Verdict(
                "These studies play the same box, so that nothing is compared.", notes=notes, unprinted=notes
            )
        return Verdict("Nothing is compared: no line-up plays different boxes of two studies that share a base.")


def side_by_side(studies: Sequence[Results]) -> Results:
    """Return the results of several studies as those of one study, which has the variants of all. Raises InputError."""
    if len(studies) < 2:
        raise InputError("side by side: needs two or more studies")
    for results in studies:
        if "seats" not in results.originals:
            place = results.folder or results.look.name
            raise InputError(f"{place}: has no table `seats`; only studies with one can be laid side by side")
    games = list(dict.fromkeys(results.study.game for results in studies))
    if len(games) > 1:
        raise InputError(f"side by side: these are studies of different games: {', '.join(games)}")
    names, first = _names(studies), studies[0]
    labels = list[dict[str, str]]()  # of each study: variant -> name in the joined tables
    frames = list[dict[str, pd.DataFrame]]()  # of each study: its tables that have variants, with these names
    joined: dict[str, Any] = {"players": (), "lineups": (), "variants": {}}  # keys with the values of all studies
    for results, label_of in zip(studies, _labels(studies), strict=True):
        study = results.study
        labels.append(label_of)
        by_variant = {name: table for name, table in results.originals.items() if "variant" in table}
        frames.append({name: each.assign(variant=each["variant"].map(label_of)) for name, each in by_variant.items()})
        for key in ("players", "lineups"):
            joined[key] = tuple(dict.fromkeys([*joined[key], *getattr(study, key)]))
        joined["variants"] |= {label: study.variant_of[variant].components for variant, label in label_of.items()}
    game = first.study.the_game
    specs = specs_of_games(game, {name: each for one in studies for name, each in one.look.maps_in(game).items()})
    joined_names = [name for name in frames[0] if name in specs and specs[name].joined]
    shared = [name for name in joined_names if all(name in other for other in frames[1:])]
    tables = {name: pd.concat([of_study[name] for of_study in frames], ignore_index=True) for name in shared}
    of_study = {label: number for number, own in enumerate(labels) for label in own.values()}
    changes = []
    for names_of_pair in compared_pairs(studies, labels):
        one, other = (
            {name: pick(table, variant=label) for name, table in frames[of_study[label]].items()}
            for label in names_of_pair
        )
        one[FIGURES] = studies[of_study[names_of_pair[0]]].originals[FIGURES]
        changes.append(changes_between(one, other, names_of_pair, first.look.effect, specs))
    changes = [rows for rows in changes if rows["value"].notna().any()]
    if changes:
        changes.sort(key=lambda rows: -change_size(rows, game))
        tables["changes"] = pd.concat(changes, ignore_index=True)
    together = SideBySide.shown(msgspec.to_builtins({key: getattr(first.study, key) for key in _KEPT} | joined))
    pages = [page for page in first.look.pages_in(game) if all(page in each.look.pages_in(game) for each in studies)]
    maps = [name for name in first.look.heatmaps if all(name in results.look.heatmaps for results in studies)]
    joined_name = "-beside-".join(names)[:64].strip("-")
    look = Look(name=joined_name, question=VARIANTS, pages=tuple(pages), heatmaps=tuple(maps), effect=first.look.effect)
    summary = f"{' beside '.join(names)}: differences are not paired by deal"
    frames_of_all = Frames(with_figures(together, tables))
    return Results(together, look, frames_of_all, None, sum(results.n_games for results in studies), summary)


def compared_pairs(studies: Sequence[Results], labels: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the labels (first, second) of the variants to compare: different boxes of two studies that share a base.

    These have equal references, which are not compared themselves; the box of a study with one variant is compared with
    all of the others.
    """
    boxes = [results.study.variant_of for results in studies]
    base_of = [box_of[results.study.reference].components for box_of, results in zip(boxes, studies, strict=True)]
    is_single = [len(box_of) == 1 for box_of in boxes]
    sides = [
        (number, label, boxes[number][variant].components, variant == studies[number].study.reference)
        for number, label_of in enumerate(labels)
        for variant, label in label_of.items()
    ]
    for (one, first, box, is_base), (other, second, other_box, is_other_base) in combinations(sides, 2):
        shares_base = base_of[one] == base_of[other] or is_single[one] or is_single[other]
        has_change = (not is_base or is_single[one]) and (not is_other_base or is_single[other])
        if one != other and shares_base and has_change and box != other_box:
            yield first, second


def _labels(studies: Sequence[Results]) -> Iterator[dict[str, str]]:
    """Yield variant -> its name beside the variants of the other studies, for every study.

    A study with one variant, or with one that has several changes, gives it its name. Others are called by their change
    in words, if no other is called so.
    """
    names = _names(studies)
    words = [results.study.boxes for results in studies]
    used = Counter(text for of_study in words for text in of_study.values())
    for name, of_study in zip(names, words, strict=True):
        if len(of_study) == 1:
            yield dict.fromkeys(of_study, name)
        else:
            yield {
                key: name if text == CHANGED_BOX else text if used[text] == 1 else f"{name}: {text}"
                for key, text in of_study.items()
            }


def _names(studies: Sequence[Results]) -> list[str]:
    own = [results.look.name for results in studies]
    of_folders = [results.folder.name if results.folder else results.look.name for results in studies]
    numbered = [f"{name} {number}" for number, name in enumerate(of_folders, 1)]
    return next(names for names in (own, of_folders, numbered) if len(set(names)) == len(names))

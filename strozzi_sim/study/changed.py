"""What is said and shown of the table changes: whether variants change who wins and how much is scored, and what changed most."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.reporting import Picture, Tables, listed, pick, some_of
from strozzi_sim.game.significance import MAX_CHUNKS, missed, not_excluded
from strozzi_sim.game.variants import Variant, differing_keys
from strozzi_sim.study.changes import CHANGED, EQUAL, SMALL, UNCLEAR
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.wording import seat_words

_MOST_KEYS, _MOST_ROWS, _LETTERS = 6, 12, 40  # keys in a sentence, lines of a table, letters of a value
_NOT_KNOWN = {UNCLEAR: ", not known to be one", SMALL: ", too small to matter", EQUAL: ", which is none"}
_COUNTED = {CHANGED: "{} changed", SMALL: "{} changed too little to matter", UNCLEAR: "of {} it is not known", EQUAL: "{} are equal"}  # fmt: skip
_WINS = Figure("win_share", "change of games won", "share")
_PARTS: tuple[tuple[str, Unit], ...] = (("who wins", "share"), ("how much is scored", "amount"))


def change_sentences(tables: Tables, title: str, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return whether each variant changes who wins and how much is scored, what could be missed, and how many figures changed."""
    said = []
    for (first, second), rows in _pairs(tables):
        wins, scores = _wins(rows), pick(rows, table="balance", figure="score_mean")
        parts = [_verdict(of, words, unit, chunks) for of, (words, unit) in zip((wins, scores), _PARTS, strict=True) if len(of)]  # fmt: skip
        parts.sort(key=lambda part: not part.startswith("changes"))
        counts = rows["verdict"].value_counts()
        many = listed([words.format(f"{counts[each]:,}") for each, words in _COUNTED.items() if counts.get(each, 0)])
        words = f"Compared with {first}, {second} {', and '.join(parts)} in {title}" if parts else f"There are too few games of {title} to compare {second} with {first}"  # fmt: skip
        said += [f"{words}.", f"Of {len(rows):,} figures {many}."]
    return said


def _verdict(rows: pd.DataFrame, words: str, unit: Unit, chunks: int) -> str:
    verdicts = set(rows["verdict"])
    if CHANGED in verdicts:
        return f"changes {words}"
    if verdicts <= {SMALL, EQUAL}:
        return f"does not change {words} enough to matter" if SMALL in verdicts else f"leaves {words} exactly as it was"
    size = missed(not_excluded(rows[rows["verdict"] == UNCLEAR], chunks=chunks), unit)
    return f"is not known to change {words}{f' ({size})' if size else ''}"


def changes_section(
    tables: Tables, variants: Mapping[str, Variant], labels: Mapping[str, Figure], *, paired: bool = True
) -> Section:
    """Return the section of what changed.

    Args:
        tables: tables with changes.
        variants: the variants by name.
        labels: figures of the pictures of the page, by name.
        paired: whether the variants were played on the same deals.
    """
    shown: list[Picture] = []
    made: dict[str, pd.DataFrame] = {}
    for number, ((first, second), rows) in enumerate(_pairs(tables)):
        wins, name = _wins(rows), f"changes-{number}" if number else "changes"
        several = rows["lineup"].nunique() > 1
        at = [f"{row.players} players{f', {row.lineup}' if several else ''}, {row.level}" for row in wins.itertuples(index=False)]  # fmt: skip
        made[name] = wins.assign(place=at, variant="", lineup="")
        shown.append(
            Picture(
                name, "", "dots", name, (_WINS,), f"Change of games won, {second} minus {first}",
                f"A dot is the share of games won less that in {first}{', on the same deals' if paired else '; the deals may differ'}. Thin lines are 95 % intervals.",
                x="place", zero=True, levels=tuple(dict.fromkeys(at)),
            )
        )  # fmt: skip
        for unit, called in (("share", "shares, in points"), ("number", "scores and other means")):
            most = _most(rows, labels, shares=unit == "share")
            if len(most):
                made[f"{name}-{unit}"] = most
                columns = Figure("before", f"in {first}", unit), Figure("change", f"{second} minus {first}", unit)  # type: ignore[arg-type]
                caption = f"The first {_MOST_ROWS} of the figures that changed, by size; `tables/changes.csv` has all."
                shown.append(Picture(f"{name}-{unit}", "", "table", f"{name}-{unit}", columns, f"What changed most: {called}", caption, x="what", x_label="figure", levels=tuple(dict.fromkeys(most["what"]))[:_MOST_ROWS]))  # fmt: skip
    sentences = [_keys_words(variants[first], variants[second]) for (first, second), _ in _pairs(tables) if {first, second} <= variants.keys()]  # fmt: skip
    question = f"What is different between the variants{', on the same deals' if paired else ''}?"
    return Section(
        "What changed", question, tuple(shown), tuple(sentences), numbers=tuple(_numbers(tables)), tables=made
    )


def _pairs(tables: Tables) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield (first, second) and the changes of every two variants that are compared."""
    known = tables["changes"].dropna(subset="value")
    for (first, second), rows in known.groupby(["than", "variant"], sort=False):
        yield (str(first), str(second)), rows


def _wins(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the changes of games won, by agent where they differ, else by seat."""
    wins = rows[rows["table"].isin(["seats", "lineup"]) & (rows["figure"] == "win_share")]
    mixed = set(wins.loc[wins["table"] == "lineup", "lineup"])
    return wins[(wins["table"] == "lineup") | ~wins["lineup"].isin(mixed)]


def _most(rows: pd.DataFrame, labels: Mapping[str, Figure], *, shares: bool) -> pd.DataFrame:
    """Return the figures that changed, of this kind, the largest first: before, and the change; no breakdowns by another column."""
    is_share = np.array([_unit(name, labels) == "share" for name in rows["figure"]], bool)
    is_part = np.array([bool(re.search(rf"\bby (?!{ALL}\b)", level)) for level in rows["level"]], bool)
    chosen = rows[(is_share == shares) & ~is_part & (rows["verdict"] == CHANGED).to_numpy()]
    chosen = chosen.reindex(chosen["size"].abs().fillna(np.inf).sort_values(ascending=False, kind="stable").index)
    several = rows["lineup"].nunique() > 1
    what = [
        ", ".join(filter(None, [labels[row.figure].label if row.figure in labels else row.figure.replace("_", " "), row.level, row.lineup if several else ""]))
        for row in chosen.itertuples(index=False)
    ]  # fmt: skip
    chosen = chosen.assign(what=what, variant="", lineup="")
    before = chosen.assign(figure="before", value=chosen["before"], low=np.nan, high=np.nan)
    return pd.concat([before, chosen.assign(figure="change")], ignore_index=True)


def _unit(figure: str, labels: Mapping[str, Figure]) -> Unit:
    known = labels.get(figure.removesuffix("_minus_position_0"))
    return known.unit if known else "share" if "share" in figure or figure == "seat_gap" else "number"


def _keys_words(first: Variant, second: Variant) -> str:
    """Return the component data in which two variants differ."""
    found = [f"{key} ({_short(new)} instead of {_short(old)})" for key, old, new in differing_keys(first.components, second.components)]  # fmt: skip
    if not found:
        return f"{second.name} has the same components as {first.name}."
    return f"{second.name} differs from {first.name} in {some_of(found, _MOST_KEYS)}."


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"


def _who(row: Any) -> str:
    """Return the level of a change, a seat in words."""
    name, _, seat = row["level"].partition(" ")
    return seat_words(int(seat), row["players"]) if name == "seat" and seat.isdecimal() else str(row["level"])


def _numbers(tables: Tables) -> Iterator[KeyNumber]:
    """Yield the largest known change of games won, of the gap, of the mean score and the length; else the largest, as not known."""
    table = tables["changes"].dropna(subset=["value", "low"])
    kinds: tuple[tuple[pd.DataFrame, Unit, str], ...] = (
        (_wins(table), "share", "games won"),
        (pick(table, table="balance", figure="seat_gap"), "share", "gap between the seats"),
        (pick(table, table="balance", figure="score_mean"), "amount", "mean score"),
        (pick(table, table="balance", figure="decisions_mean"), "amount", "decisions in a game"),
    )
    for rows, unit, what in kinds:
        if len(rows):
            known = rows[rows["verdict"] == CHANGED] if CHANGED in set(rows["verdict"]) else rows
            row = known.loc[known["size"].abs().fillna(np.inf).idxmax()]  # without a size: it was 0 before
            place = ", ".join(filter(None, [what, _who(row), f"{row['players']} players"]))
            of = "points of " if unit == "share" else ""
            yield KeyNumber(row, unit, f"{of}{place}: change to {row['variant']}{_NOT_KNOWN.get(row['verdict'], '')}", is_change=True)  # fmt: skip

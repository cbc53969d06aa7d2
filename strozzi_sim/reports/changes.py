"""The section *What changed* of a study with several variants: keys, sentences, a picture and tables of the differences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    THIN,
    Picture,
    Tables,
    cell_name,
    digits_for,
    format_estimate,
    format_value,
    listed,
    pick,
    some_of,
)
from strozzi_sim.game.variants import differing_keys
from strozzi_sim.reports.content import Part
from strozzi_sim.reports.findings import WIN, seat_pictures
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.series import players_title
from strozzi_sim.runtime.text_columns import columns_of
from strozzi_sim.studies.changes import CHANGED, EQUAL, SMALL, UNCLEAR

_MOST_KEYS = 6  # maximum keys that a sentence lists
_MOST_ROWS = 12  # maximum lines of a table on the page
_VALUE_LENGTH = 40  # maximum characters of a component's value
_MOST_CELLS = 8  # maximum cells with a sentence each
_OF_GAME = ("balance", "seats", "lineup")  # tables that the sentences count; the others are in the tables below

_SHARE: Unit = "share"
_AMOUNT: Unit = "amount"

Words = Mapping[str, str]
Labels = Mapping[str, Figure]


def keys_sentence(first: str, second: str, variants: Mapping[str, Any]) -> str:
    """Return the component data in which two variants differ: "`rich` differs from `base` in tracks.bonus.7 (10 instead of 5)"."""
    found = list(differing_keys(variants.get(first, {}), variants.get(second, {})))
    if not found:
        return f"`{second}` has the same components as `{first}`."
    words = [f"`{key}` ({_short(new)} instead of {_short(old)})" for key, old, new in found]
    return f"`{second}` differs from `{first}` in {some_of(words, _MOST_KEYS)}."


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _VALUE_LENGTH else f"{text[: _VALUE_LENGTH - 1]}\N{HORIZONTAL ELLIPSIS}"


def change_headline(tables: Tables, manifest: Mapping[str, Any]) -> str:
    """Return what changed in a sentence per pair of variants: the wins of seats and agents first, then the mean score."""
    table, variants = tables["changes"], manifest.get("plan", {}).get("variants", {})
    sentences = []
    for first, second in _pairs(table):
        rows = pick(table, than=first, variant=second)
        keys = [key for key, *_ in differing_keys(variants.get(first, {}), variants.get(second, {}))]
        changed = f" ({some_of(keys, 2)})" if keys else ""
        sentences.append(
            f"From {first} to {second}{changed}: {'; '.join(filter(None, [_wins_words(rows), _score_words(rows)]))}."
        )
    return " ".join(sentences)


def change_verdict(tables: Tables, game: Game) -> str:
    """Return in a short sentence whether the variants change who wins, or the scores."""
    table = tables["changes"].dropna(subset="value")
    wins = table[table["table"].isin(["seats", "lineup"]) & (table["figure"] == "win_share")]
    scores = pick(table, table="balance", figure="score_mean")
    names = listed(list(dict.fromkeys(table["variant"])))
    first = listed(list(dict.fromkeys(table["than"]))) or "base"
    said, unseen = [], {}
    for rows, words, unit in ((wins, "who wins", _SHARE), (scores, "how much is scored", _AMOUNT)):
        verdicts = set(rows["verdict"])
        unseen[words] = f" ({size})" if (size := missed(not_excluded(rows), unit)) else ""
        if CHANGED in verdicts:
            said.append((0, words))
        elif verdicts and verdicts <= {SMALL, EQUAL}:
            said.append((2 if SMALL in verdicts else 3, words))
        elif verdicts:
            said.append((1, words))
    by_kind = {kind: [words for k, words in said if k == kind] for kind in range(4)}
    parts = [f"changes {listed(by_kind[0])}"] if by_kind[0] else []
    parts += (
        [f"is not known to change {' or '.join(f'{words}{unseen[words]}' for words in by_kind[1])}"]
        if by_kind[1]
        else []
    )
    parts += [f"does not change {' or '.join(by_kind[2])} enough to matter"] if by_kind[2] else []
    parts += [f"leaves {listed(by_kind[3])} exactly as it was"] if by_kind[3] else []
    verbs = [_of_several(part) for part in parts] if table["variant"].nunique() > 1 else parts
    return f"Beside {first}, {names} {', and '.join(verbs)} in {game.title}." if parts else f"There are too few games of {game.title} to compare {names} with {first}."  # fmt: skip


def _of_several(words: str) -> str:
    """Return words that begin with a verb in the third person with the verb of several subjects.

    >>> _of_several("is not known to change who wins")
    'are not known to change who wins'
    """
    verb, _, rest = words.partition(" ")
    several = {"is": "are", "does": "do"}.get(verb, verb.removesuffix("s"))
    return f"{several} {rest}"


def _wins_words(rows: pd.DataFrame) -> str:
    wins = rows[rows["table"].isin(["seats", "lineup"]) & (rows["figure"] == "win_share")]
    return _verdict_words(wins, "share of wins", "share", several=_several(rows))


def _score_words(rows: pd.DataFrame) -> str:
    scores = pick(rows, table="balance", figure="score_mean")
    return _verdict_words(scores, "mean score", "amount", several=_several(rows))


def _several(rows: pd.DataFrame) -> bool:
    return len(rows[["players", "lineup"]].drop_duplicates()) > 1


def _verdict_words(rows: pd.DataFrame, called: str, unit: Unit, *, several: bool) -> str:
    """Return the verdict on all rows of one kind of figure, with the one that changed most."""
    known = rows.dropna(subset="value")
    if known.empty:
        return ""
    if (known["verdict"] == EQUAL).all():
        return f"every {called} is exactly equal"
    changed = known[known["verdict"] == CHANGED]
    if changed.empty:
        small = (known["verdict"].isin([SMALL, EQUAL])).all()
        size = "" if small else missed(not_excluded(known), unit)
        return (
            f"no {called} changes enough to matter"
            if small
            else f"no {called} is known to change{f' ({size})' if size else ''}"
        )
    row = changed.loc[changed["value"].abs().idxmax()]
    where = [row["level"]] if row["level"] else []
    where += [cell_name(row["players"], "base", row["lineup"])] if several else []
    more = "more" if row["value"] > 0 else "less"
    size = change_estimate(row if row["value"] > 0 else _negated(row), unit)
    many = f" in {len(changed)} of {len(known)} places, most" if len(known) > 1 else ""
    at = f" ({', '.join(where)})" if where else ""
    rest = known[known["verdict"] == UNCLEAR]
    elsewhere = missed(not_excluded(rest), unit) if len(rest) else ""
    at += f"; elsewhere {elsewhere}" if elsewhere else ""
    return f"the {called} changes{many} by {size} {more}{at}" if many or where else f"the {called} is {size} {more}"


def change_estimate(row: Any, unit: Unit) -> str:
    """Return a change as text, shares in points: "7.5 ± 1.7 points"; where rounding would make an interval beside 0 contain 0, its ends.

    A change that is known is never written as "2 ± 2 points".
    """
    points = " points" if unit == "share" else ""
    text = format_estimate(row, unit).replace(f"{THIN}%", points)
    half = max(row.high - row.value, row.value - row.low)
    digits = digits_for((row.high - row.low) / 2, unit) if row.low < row.high else 0
    step = (0.01 if unit == "share" else 1.0) * 10.0**-digits
    if not (row.low > 0 or row.high < 0) or np.ceil(half / step - 1e-6) < abs(round(row.value / step)):
        return text
    end = min(abs(row.low), abs(row.high)) / step
    digits += min(max(0, int(np.ceil(-np.log10(end / 0.5)))), 2)  # the end beside 0 is not written as 0
    value, low, high = (
        format_value(side, unit, digits).removesuffix(f"{THIN}%") for side in (row.value, row.low, row.high)
    )
    return f"{value} ({low} to {high}){points}"


def _negated(row: pd.Series) -> pd.Series:
    return pd.concat(
        [row.drop(["value", "low", "high"]), -row[["value", "low", "high"]].set_axis(["value", "high", "low"])]
    )


def change_sentences(tables: Tables, manifest: Mapping[str, Any], labels: Labels, words: Words) -> Iterator[str]:
    """Yield the differing keys of each pair, and per cell how many figures changed and which changed most."""
    table, plan = tables["changes"], manifest.get("plan", {})
    for first, second in _pairs(table):
        yield keys_sentence(first, second, plan.get("variants", {}))
        cells = list(pick(table, than=first, variant=second).groupby(["players", "lineup"], sort=False))
        for (players, lineup), rows in cells[:_MOST_CELLS]:
            yield f"{cell_name(players, second, lineup, several=True)}: {_counts_words(rows, labels, words)}"
    effect = manifest.get("report", {}).get("effect", 0.01)
    yield (
        f"Footnote: differences are {'not paired, since the deals may differ' if manifest.get('report', {}).get('unpaired') else 'paired by deal'}. A change is one that is significant, corrected for the number of figures of "
        f"its table; too small to matter is one whose interval stays within {100 * effect:g} points of a share, or "
        f"{100 * effect:g} % of a score or of another mean (`effect`). Everything else is unclear: more deals decide it."
    )


def changes_in_words(tables: Tables, manifest: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield lines for a terminal: what differs, the verdict, and the figures that changed, the largest change first."""
    labels, words = labels_of_game(tables, game), _names(tables, manifest, game)
    for sentence in [change_headline(tables, manifest), *change_sentences(tables, manifest, labels, words)]:
        yield sentence.replace("`", "").removeprefix("Footnote: ").replace(THIN, " ")
    table = tables["changes"]
    for (first, second, players, lineup), rows in table.groupby(["than", "variant", "players", "lineup"], sort=False):
        whole = rows[[not _is_detail(level) for level in rows["level"]]].dropna(subset="value")
        chosen = _sorted(whole[whole["verdict"] == CHANGED]).head(2 * _MOST_ROWS)
        if len(chosen):
            lines = [["figure", f"in {first}", "change", "95 % interval"]]
            lines += [_line(row, labels, words) for row in chosen.itertuples(index=False)]
            yield f"\nchanged most, {players} players, {lineup}, {second} minus {first}\n{columns_of(lines)}"


def _line(row: Any, labels: Labels, words: Words) -> list[str]:
    unit = _unit(row, labels)
    digits = digits_for((row.high - row.low) / 2, unit)
    before, value, low, high = (format_value(side, unit, digits) for side in (row.before, row.value, row.low, row.high))
    change, low, high = (side.removesuffix(f"{THIN}%") for side in (value, low, high))
    sign, points = "+" if row.value > 0 else "", " points" if unit == "share" else ""
    return [
        f"{_called(row, labels, words)} ({row.table})",
        before.replace(THIN, " "),
        f"{sign}{change}{points}",
        f"{low} to {high}",
    ]


def labels_of_game(tables: Tables, game: Game) -> Labels:
    """Return the figures of all pictures of a study's report by name."""
    return labels_of([*seat_pictures(tables), *game.report.pictures(tables)])


def _names(tables: Tables, manifest: Mapping[str, Any], game: Game) -> Words:
    return Naming(game, tables, manifest.get("plan", {}).get("variants", {})).of_all()


def _counts_words(rows: pd.DataFrame, labels: Labels, words: Words) -> str:
    """Return how many figures of the whole game changed, and the largest of these changes."""
    known = rows[rows["table"].isin(_OF_GAME)].dropna(subset="value")
    counts = known["verdict"].value_counts()
    if counts.get(EQUAL, 0) == len(known):
        return f"all {len(known)} figures are exactly equal."
    parts = [f"{counts[verdict]} {verdict}" for verdict in (CHANGED, SMALL, UNCLEAR, EQUAL) if counts.get(verdict, 0)]
    text = f"of {pluralize(len(known), 'figure')} of balance, seats and agents, {listed(parts)}"
    top = _sorted(known[known["verdict"] == CHANGED]).head(3)
    most = [f"{_called(row, labels, words)} {_signed(row, labels)}" for row in top.itertuples(index=False)]
    return f"{text}. Most: {'; '.join(most)}." if most else f"{text}."


def _sorted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows in order of their size in effects, the largest first, before them those that began at 0 and so have none."""
    return rows.sort_values("size", key=abs, ascending=False, kind="stable", na_position="first")


def _called(row: Any, labels: Labels, words: Words) -> str:
    """Return a figure with its level: "games won, seat 0"."""
    figure = labels[row.figure].label if row.figure in labels else row.figure.replace("_", " ")
    level = _level_words(row.level, words)
    return f"{figure}, {level}" if level else figure


def _level_words(level: str, words: Words) -> str:
    """Return the levels of a row as text, without those that stand for all."""
    pairs = [piece.split(" ", 1) for piece in level.split(", ")] if level else []
    parts = [words.get(f"{key}={value}", f"{key} {value}") for key, value in pairs if value != ALL]
    return ", ".join(part for part in parts if part)


def _unit(row: Any, labels: Labels) -> Unit:
    if row.figure in labels:
        return labels[row.figure].unit
    return "share" if "share" in row.figure or row.figure == "seat_gap" else "number"


def _signed(row: Any, labels: Labels) -> str:
    unit = _unit(row, labels)
    return f"{'+' if row.value > 0 else ''}{change_estimate(row, unit)}"


def _pairs(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(table["than"], table["variant"], strict=True)))


def change_parts(
    tables: Tables, manifest: Mapping[str, Any], labels: Labels, words: Words, painter: Painter
) -> Iterator[tuple[str, str, Sequence[Part]]]:
    """Yield (title, caption, parts) of the picture of win shares and of the tables of what changed most."""
    table = tables["changes"]
    title = "Games won: how much more than before"
    parts: list[Part] = []
    for first, second in _pairs(table):
        rows = pick(table, than=first, variant=second, figure="win_share")
        rows = rows[rows["table"].isin(["seats", "lineup"])].dropna(subset="value")
        if rows.empty:
            continue
        at = [_place(row, several=_several(table), words=words) for row in rows.itertuples(index=False)]
        picture = Picture(
            f"changes-{second}",
            "",
            "dots",
            "changes",
            (WIN,),
            title,
            x="place",
            levels=tuple(dict.fromkeys(at)),
            zero=True,
        )
        parts += painter.parts(picture, picture.name, rows.assign(place=at), {}, f"{second} minus {first}")
    deals = "" if manifest.get("report", {}).get("unpaired") else ", on the same deals"
    yield title, f"Each dot is the variant's share minus that of the variant before it{deals}.", parts
    for unit, called in (("share", "shares, in points"), ("number", "scores and other means")):
        parts = [
            part for pair in _pairs(table) for part in _tables(table, pair, unit == "share", labels, words, painter)
        ]
        yield f"What changed most: {called}", f"The first {_MOST_ROWS} by size; `tables/changes.csv` has all.", parts


def _place(row: Any, *, several: bool, words: Words) -> str:
    cell = f", {row.lineup}" if several and row.table == "seats" else ""
    return f"{players_title(row.players)}{cell}, {_level_words(row.level, words)}"


def _tables(
    table: pd.DataFrame, pair: tuple[str, str], shares: bool, labels: Labels, words: Words, painter: Painter
) -> Iterator[Part]:
    """Yield one table for each line-up: the figure before, and its change."""
    first, second = pair
    for lineup, rows in pick(table, than=first, variant=second, verdict=CHANGED).groupby("lineup", sort=False):
        whole = rows[np.array([not _is_detail(level) for level in rows["level"]], bool)]
        of_kind = [(_unit(row, labels) == "share") == shares for row in whole.itertuples(index=False)]
        chosen = whole[np.array(of_kind, bool)]  # an empty list would select columns
        chosen = _sorted(chosen)
        what = [f"{_called(row, labels, words)} ({row.table})" for row in chosen.itertuples(index=False)]
        chosen = chosen.assign(what=what)
        levels = tuple(dict.fromkeys(what))[:_MOST_ROWS]
        if not levels:
            continue
        before = chosen.assign(figure="before", value=chosen["before"], low=float("nan"), high=float("nan"))
        both = pd.concat([before, chosen.assign(figure="change")], ignore_index=True)
        unit: Unit = "share" if shares else "number"
        shown = (Figure("before", f"in {first}", unit), Figure("change", "change", unit))
        picture = Picture(
            f"changes-table-{second}", "", "table", "changes", shown, "", x="what", levels=levels, x_label="figure"
        )
        yield from painter.parts(picture, picture.name, both, {}, f"{second} minus {first}: {lineup}")


def _is_detail(level: str) -> bool:
    """Return whether a row is one of a breakdown by another column."""
    return any(piece.startswith("by ") and piece != f"by {ALL}" for piece in level.split(", "))


def labels_of(pictures: Iterable[Picture]) -> dict[str, Figure]:
    """Return the figures of pictures by name, with their labels."""
    found: dict[str, Figure] = {}
    for picture in pictures:
        bars = [replace(each, label=f"{each.label} ({name})") for name, bar in picture.groups.items() for each in bar]
        for figure in (*picture.figures, *bars):
            found.setdefault(figure.name, figure)
    return found

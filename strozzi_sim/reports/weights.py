"""What `weights` says: which numbers of the box move the shares of wins most, which may, and which show no effect."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.studies.weights import HEAVY, NOTHING, REAL, SHARE, TIED

_FEW = 15  # names in a line


def weights_sentences(table: pd.DataFrame) -> tuple[str, list[str]]:
    """Return the headline of a table weights, and a sentence about each group of numbers that is not listed.

    A number is said to be above another, and a group below, only if the bounds of all numbers say so.
    """
    numbers = table.drop_duplicates("key").set_index("key")
    heavy = numbers[numbers["status"] == HEAVY]
    return _headline(table, numbers, heavy), list(_groups(numbers, heavy))


def first_few(names: Sequence[str]) -> str:
    """Return names in a line; of many the first ones."""
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f", and {more} more (--json has all)" if more > 0 else "")


def _headline(table: pd.DataFrame, numbers: pd.DataFrame, heavy: pd.DataFrame) -> str:
    if heavy.empty:
        return "no number is known to move the shares of wins"
    best = heavy.index[0]
    rivals = numbers[(numbers["most"] >= heavy["least"].iloc[0]) & (numbers.index != best)]
    known = [str(key) for key in rivals.index if key in heavy.index]
    others = len(rivals) - len(known)
    moved = _largest_change(table, best)
    unknown = f"; {pluralize(others, 'other number')} may move them as much" if others else ""
    if known:
        most = "" if others else " most"
        names = first_few([str(best), *known])
        said = f"these {len(known) + 1} move the shares of wins{most} and cannot be told apart: {names}"
        return f"{said}; furthest moved {moved}{unknown}"
    return f"what {'is known to move' if others else 'moves'} the shares of wins most is {moved}{unknown}"


def _largest_change(table: pd.DataFrame, key: Any) -> str:
    """Return the step of a number that moved a share furthest, and how far."""
    rows = table[(table["key"] == key) & (table["figure"] == SHARE)]
    row = rows.loc[rows["value"].abs().idxmax()]
    low, high = sorted(100 * abs(row[side]) for side in ("low", "high"))
    return (
        f"{key}: from {row['from']:g} to {row['to']:g}, {row['by']} {row['level']} wins {100 * abs(row['value']):.1f} "
        f"({low:.1f} to {high:.1f}) points {'more' if row['value'] > 0 else 'fewer'}"
    )


def _groups(numbers: pd.DataFrame, heavy: pd.DataFrame) -> Iterator[str]:
    keys = {status: [str(key) for key in own.index] for status, own in numbers.groupby("status", sort=False)}
    bound = numbers.groupby("status")["most"].max()
    if tied := keys.get(TIED):
        light = [str(key) for key, least in heavy["least"].items() if least <= bound[TIED]]
        if light:
            yield (
                f"these {len(light) + len(tied)} change something, and it cannot be told which of them move the "
                "shares of wins more "
                f"(each by up to {100 * bound[TIED]:.1f} points): {first_few([*light, *tied])}"
            )
        else:
            yield (
                f"{len(tied)} change something, but are not known to move the shares of wins; a change of them by "
                f"{100 * bound[TIED]:.1f} points "
                f"could be missed: {first_few(tied)}"
            )
    if real := keys.get(REAL):
        yield (
            f"{len(real)} change something, and are known to move the shares of wins less than those listed: "
            f"{first_few(real)}"
        )
    if nothing := keys.get(NOTHING):
        yield (
            f"{len(nothing)} {NOTHING} at this number of deals; a change of a share of wins by "
            f"{100 * bound[NOTHING]:.1f} points could be "
            f"missed: {first_few(nothing)}"
        )

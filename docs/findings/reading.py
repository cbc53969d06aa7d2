"""Kept tables as rows and as text, and statements that are tested on them."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import runs

from strozzi_sim.declare.printing import decimals, rounded_ends
from strozzi_sim.game import load_game
from strozzi_sim.study.look import PLAIN
from strozzi_sim.study.restricted import verdicts

GAMES = {"strozzi": "Strozzi", "medici_vs_strozzi": "Medici vs Strozzi", "strasbourg": "Strasbourg"}
USUAL = {"strozzi": 4, "medici_vs_strozzi": 2, "strasbourg": 4}  # players of the tables of one player count
_held: set[str] = set()


class UntrueError(Exception):
    """A statement of the page that its tables do not bear out."""


def hold(true: Any, statement: str) -> str:
    """Return a statement that is true of the tables.

    Raises:
        UntrueError: it is not.
    """
    if not bool(true):
        raise UntrueError(statement)
    _held.add(statement)
    return statement


def rounded(values: tuple[float, ...], half_width: float, digits: int) -> list[str]:
    """Return numbers as text with the `decimals` of the first, at most `digits`; two of three are an interval."""
    digits = decimals(values[0], half_width, digits)
    if len(values) == 3:
        values = (values[0], *rounded_ends(*values[1:], digits))
    return ["-" if value != value else f"{round(value, digits) + 0.0:.{max(digits, 0)}f}" for value in values]


def lowered(sentences: list[str]) -> str:
    """Return sentences that go on after a few words."""
    text = " ".join(sentences)
    return f"{text[:1].lower()}{text[1:]}"


def forget() -> None:
    """Begin a page: no statement was tested yet."""
    _held.clear()


def checked() -> int:
    """Return how many fixed statements were tested; all other sentences are chosen by their figures."""
    return len(_held)


def rows(run: str, table: str, **where: Any) -> pd.DataFrame:
    """Return the rows of a kept table with these values."""
    found = runs.read(run, table)
    for column, value in where.items():
        found = found[found[column] == value]
    return found


def row(run: str, table: str, **where: Any) -> Any:
    """Return the one row with these values.

    Raises:
        UntrueError: there is none, or several.
    """
    found = rows(run, table, **where)
    if len(found) != 1:
        raise UntrueError(f"{run}: {len(found)} rows of {table} with {where}, not one")
    return found.iloc[0]


def shifted(found: Any, by: float) -> Any:
    """Return an estimate with a constant added to value and interval."""
    moved = found.copy()
    for column in ("value", "low", "high"):
        moved[column] += by
    return moved


def spread(values: Sequence[float], scale: float = 1.0) -> str:
    """Return the lowest and the highest of several values."""
    low, high = scale * min(values), scale * max(values)
    if low == high:
        return rounded((low,), abs(low) / 10 or 1.0, 3)[0]
    return " to ".join(rounded((low, high), max((high - low) / 4, abs(high) / 20), 3))


def grid(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return a table in Markdown; the first line is its head."""
    head, *body = lines
    return [f"| {' | '.join(each)} |" for each in (head, ["---"] * len(head), *body)]


def command(run: str) -> str:
    """Return the command of a run, and the time that it took."""
    return f"`{runs.RUNS[run].command}` ({runs.seconds()[run]} s)"


def worth_lines(game: str) -> tuple[list[Any], list[Any]]:
    """Return the verdicts on the things of a game, and those of its usual agent at the usual player count, the dearest first."""
    found, cell = (
        list(verdicts(runs.read(f"{game}-worth", "worth"), PLAIN.effect)),
        (USUAL[game], load_game(game).tiers["usual"]),
    )
    here = [each for each in found if (each["players"], each["agent"]) == cell]
    return found, sorted(here, key=lambda each: -each["score_lost"].value)


def negative(found: Any) -> Any:
    """Return an estimate with the other sign."""
    return pd.Series({"value": -found.value, "low": -found.high, "high": -found.low})


def estimate(found: Any) -> str:
    """Return a figure and its interval."""
    value, low, high = found.value, found.low, found.high
    shown, least, most = rounded((value, low, high), (high - low) / 2, 3 if abs(value) < 20 else 1)
    return shown if low != low else f"{shown} ({least} to {most})"


def points(found: Any) -> str:
    """Return a difference of shares in points, with its interval."""
    value, low, high = (
        each if each.startswith("-") or not each.strip("0.") else f"+{each}"
        for each in rounded((100 * found.value, 100 * found.low, 100 * found.high), 50 * (found.high - found.low), 1)
    )
    return f"{value} ({low} to {high})"


def percent(found: Any) -> str:
    """Return a share in per cent, without its interval."""
    return f"{rounded((100 * found.value,), 50 * (found.high - found.low), 1)[0]} %"

"""Pictures of results without a page: comparisons, ladders and searches for a best response."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, Tables, pick
from strozzi_sim.reports.findings import RANK, SCORE, WIN
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.series import players_title

LEAD = Figure("lead_mean", "mean lead over the others", "amount")
_LONG = 48  # maximum letters of an agent's name beside a picture

Shown = tuple[Picture, pd.DataFrame, Mapping[str, str]]


def has_pictures(tables: Tables) -> bool:
    """Return whether this module draws results with these tables."""
    return not _KINDS.keys().isdisjoint(tables)


def contest_pictures(tables: Tables, painter: Painter) -> None:
    """Paint the pictures of these results.

    Args:
        tables: tables by name, among them difference, ladder or challengers.
        painter: receives the pictures.
    """
    for name in _KINDS.keys() & tables.keys():
        for picture, rows, words in _KINDS[name](tables[name]):
            painter.parts(picture, picture.name, rows, words)


def _difference(table: pd.DataFrame) -> Iterator[Shown]:
    """Yield first minus second for every player count; for variants, also by seat and by position."""
    first, second = table["first"].iloc[0], table["second"].iloc[0]
    title = f"{_short(first)} minus {_short(second)}, on the same deals"
    agents = set(table["by"]) == {"position"} and set(table["level"]) == {"0"}
    counts = table["players"].nunique()
    for by in dict.fromkeys(table["by"]):
        rows = pick(table, by=by)
        at = [players_title(players) for players in rows["players"]]
        if not agents:
            at = [
                f"{f'{where}, ' if counts > 1 else ''}{by} {level}"
                for where, level in zip(at, rows["level"], strict=True)
            ]
        name = "difference" if by == table["by"].iloc[0] else f"difference-by-{by}"
        levels = tuple(dict.fromkeys(at))
        figures = WIN, RANK, SCORE
        yield (
            Picture(name, "", "dots", "difference", figures, title, x="row", levels=levels, zero=True),
            rows.assign(row=at),
            {},
        )


def _ladder(table: pd.DataFrame) -> Iterator[Shown]:
    """Yield the win share and the lead of one seat with twice the budget, step by step."""
    words = {f"budget={row.budget}": f"{row.budget} : {row.against}" for row in table.itertuples(index=False)}
    label, levels = "budget of one seat : of each other seat", tuple(dict.fromkeys(table["budget"]))
    share = Picture(
        "ladder",
        "",
        "lines",
        "ladder",
        (WIN,),
        "Win share with twice the budget",
        x="budget",
        levels=levels,
        x_label=label,
        equal=True,
    )
    lead = Picture(
        "lead", "", "lines", "ladder", (LEAD,), "Mean lead with twice the budget", x="budget", levels=levels, x_label=label,
        zero=True,
    )  # fmt: skip
    yield share, table, words
    yield lead, table, words


def _challengers(table: pd.DataFrame) -> Iterator[Shown]:
    """Yield the win share of each challenger among copies of the agent."""
    first = table.iloc[0]
    title = f"Win share of one challenger among copies of {_short(first['agent'])}, {players_title(first['players'])}"
    words: dict[str, str] = {f"challenger={each}": _short(each) for each in table["challenger"]}
    words |= {"chosen=yes": "the best on other deals: its gain is the bound", "chosen=no": "other challengers"}
    rows = table.assign(chosen=table["chosen"].map({True: "yes", False: "no"}))
    yield (
        Picture(
            "challengers", "", "dots", "challengers", (WIN,), title, x="challenger", series="chosen",
            series_levels=("yes", "no"), equal=True,
        ),
        rows,
        words,
    )  # fmt: skip


def _short(name: str) -> str:
    return name if len(name) <= _LONG else f"{name[: _LONG - 1]}\N{HORIZONTAL ELLIPSIS}"


_KINDS: dict[str, Any] = {"difference": _difference, "ladder": _ladder, "challengers": _challengers}

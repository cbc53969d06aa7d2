"""What stands below every verdict: whether a precision was reached, and how often agents answered with an illegal action."""

from collections.abc import Iterator, Mapping
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.missed import size_text
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.study.extent import POINTS
from strozzi_sim.study.model import Study

_DIFFERENCE = "win_share_difference"


def notes(study: Study, tables: Mapping[str, Any]) -> list[str]:
    """Return the notes on the tables precision and answers, a sentence each; none without these tables."""
    found = [_precision_note(study, tables["precision"])] if "precision" in tables else []
    return [*found, *_answer_notes(tables["answers"].to_dict("records"))] if "answers" in tables else found


def _precision_note(study: Study, table: Any) -> str:
    """Return whether the headlines are known, or whether differences are found or excluded."""
    played = pluralize(int(table["deals"].iloc[0]), "deal")
    unknown = int((table["known"] == 0).sum())
    if (table["figure"] == _DIFFERENCE).all():
        size = size_text(study.precision / POINTS)
        if not unknown:
            return f"Every difference of {size} of games won is found or excluded, after {played}; intervals are valid whenever play stops."
        return f"{unknown} of {len(table)} differences of {size} of games won are neither found nor excluded after the last of {played}; more deals decide them."
    if not unknown:
        return f"Every share of wins is known to +- {study.precision:g} points, after {played}; intervals are valid whenever play stops."
    return f"{unknown} of {len(table)} shares of wins are not known to +- {study.precision:g} points after the last of {played}."


def _answer_notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each agent that replaces illegal answers: how many there were, with an interval."""
    several = [key for key in ("players", "variant") if len({row[key] for row in rows}) > 1]
    for row in rows:
        of = "".join(f", {row[key]} players" if key == "players" else f", variant {row[key]}" for key in several)
        share = "too few to say"
        if row["value"] == row["value"]:
            ends = (100 * row["value"], 100 * row["low"], 100 * row["high"])
            value, low, high = rounded(ends, 50 * (row["high"] - row["low"]), 2)
            share = f"{value} % ({low} to {high})"
        yield f"Illegal answers of {row['agent']}{of}: {share}, n = {row['n']:,} decisions."

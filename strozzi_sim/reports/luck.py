"""What `luck` found, in sentences: how much of who wins is who plays, how long a game is, and how it goes.

The share of the agents is that of a field and no property of a game: among equals it is 0, beside players of random moves it is large. So
the sentence names the fields and gives the range. What is left is the seats, the deal and the course of the games.
"""

from typing import Any

import pandas as pd

from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.errors import pluralize
from strozzi_sim.game.reporting import Tables, headline_players, listed, pick
from strozzi_sim.runtime.digits import rounded


def who_plays(tables: Tables, title: str) -> str:
    """Return how much of who wins is who plays, by field, at the player count of the headline."""
    shares = agents_shares(tables)
    fields = [f"{share_text(row)} {field_name(row.lineup)}" for row in shares.itertuples(index=False)]
    players = int(shares["players"].iloc[0])
    return (
        f"How much of who wins {title} at {players} players is who plays depends on the field: {listed(fields)}; among equal players it is "
        "nothing."
    )


def agents_shares(tables: Tables) -> pd.DataFrame:
    """Return the rows of the agents' share of who wins at the player count of the headline, the smallest first."""
    shares = pick(tables["luck"], figure="variance_share", outcome="win", source="agents")
    return pick(shares, players=headline_players(shares)).sort_values("value", kind="stable")


def field_name(lineup: str) -> str:
    """Return a line-up in words: "with one A among B", "among A, B and C"."""
    first, *others = split_specs(lineup)
    if len(others) > 1 and set(others) == {others[0]} != {first}:
        return f"with one {first} among {others[0]}"
    return f"among {listed(list(dict.fromkeys([first, *others])))}"


def course_sentences(tables: Tables) -> list[str]:
    """Return length, runaway leaders, changes of leader and kingmaking, each in a sentence with its interval, at the headline's player count.

    Without games that were followed there is only the length, of the first field.
    """
    drama, luck = tables.get("drama"), tables["luck"]
    players = headline_players(luck)
    of_field = pick(luck, players=players, outcome="game")
    decisions, minutes = (pick(of_field, figure=name).iloc[0] for name in ("decisions_mean", "minutes_mean"))
    each = 60 * minutes["value"] / decisions["value"]  # seconds of a decision
    if drama is None or drama.empty:
        return [_length(decisions, each, field_name(decisions["lineup"]), players)]
    here = pick(drama, players=players)
    usual = pick(here, strength="middle") if "middle" in set(here["strength"]) else here
    figures = {row["figure"]: row for _, row in usual[usual["agent"] == usual["agent"].iloc[0]].iterrows()}
    agent = usual["agent"].iloc[0]
    games = pluralize(int(figures["decided_mean"]["n"]), "game")
    said = [
        _length(figures["decisions_mean"], each, f"of {agent}", players),
        f"The leader runs away in {share_text(figures['runaway_share'])} of games, which are decided in the first half; a game is decided after "
        f"{share_text(figures['decided_mean'])} of its decisions ({games} of {agent} followed).",
        f"The clear leader changes {_text(figures['lead_changes_mean'])} times a game.",
    ]
    if "kingmaking_share" in figures:
        kings = figures["kingmaking_share"]
        said.append(f"At {share_text(kings)} of the decisions a seat that can no longer win picks which rival does.")
    return said


def _length(decisions: Any, seconds: float, agents: str, players: int) -> str:
    minutes = {end: decisions[end] * seconds / 60 for end in ("value", "low", "high")}
    return (
        f"A game {agents} at {players} players has {_text(decisions)} decisions: {_text(minutes)} minutes at {seconds:.3g} seconds each "
        "(an assumption)."
    )


def share_text(row: Any) -> str:
    """Return a share in per cent with its interval, cut at 0 and 1: "38 % (36 to 39)"."""
    row = row if isinstance(row, pd.Series) else pd.Series(row._asdict())
    inside = row[["value", "low", "high"]].astype("float64").clip(0.0, 1.0)
    value, _, ends = _text(100 * inside).partition(" (")
    return f"{value} %" + (f" ({ends}" if ends else "")


def _text(row: Any) -> str:
    """Return a figure with its interval, if it has one."""
    value, low, high = row["value"], row["low"], row["high"]
    shown, least, most = rounded((value, low, high), (high - low) / 2, 1)
    return shown if low != low else f"{shown} ({least} to {most})"

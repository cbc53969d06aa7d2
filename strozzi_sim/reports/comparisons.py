"""Pages of contests: comparisons of agents, searches for a best response, and what is luck."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    THIN,
    Picture,
    Tables,
    format_row,
    format_value,
    headline_players,
    listed,
    pick,
    row_of,
)
from strozzi_sim.reports.answers import number
from strozzi_sim.reports.content import Answer, Content, Item, Number, section
from strozzi_sim.reports.findings import RANK, SCORE, WIN, certainty
from strozzi_sim.reports.luck import agents_shares, course_sentences, field_name, who_plays
from strozzi_sim.reports.marks import HERO, WIDE
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.study_page import definitions_of, known_facts

_LONG = 48  # maximum letters of an agent's name beside a picture

Shown = tuple[Picture, pd.DataFrame, Mapping[str, str]]


def has_pictures(tables: Tables) -> bool:
    """Return whether this module draws results with these tables."""
    return not _KINDS.keys().isdisjoint(tables)


def contest_pictures(tables: Tables, painter: Painter) -> list[Item]:
    """Paint the pictures of these results and return their items.

    Args:
        tables: tables by name, among them difference, challengers or luck.
        painter: receives the pictures.
    """
    items = []
    for name in _KINDS.keys() & tables.keys():
        for place, (picture, rows, words) in enumerate(_KINDS[name](tables[name])):
            width = WIDE if place else HERO
            parts = painter.parts(picture, picture.name, rows, words, width=width)
            items.append(Item(picture.title, picture.caption, tuple(parts), f"item-{picture.name}"))
    return items


def contest_page(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """Paint the pictures of a contest and return the content of its page; arguments as of `StudyPage`."""
    kind = next(name for name in _KINDS if name in tables)
    plan, items = manifest.get("plan", {}), [item for item in contest_pictures(tables, painter) if item.parts]
    figures = [item for name in tables if len(tables[name]) for item in _figures(name, tables[name], painter)]
    players = listed([str(count) for count in plan.get("players", [])])
    facts = [
        ("Agents", "; ".join(", ".join(lineup) for lineup in plan.get("lineups", []))),
        ("Deals", f"{manifest['deals']:,}" if manifest.get("deals") else ""),
    ]
    return Content(
        answer=_ANSWERS[kind](tables, game),
        hero=tuple(items[:1]),
        sections=[section(kind, "The figures", _QUESTIONS[kind], [], [*items[1:], *figures])],
        plan=f"{game.title} at {players} players, {manifest.get('games', 0):,} games in all.",
        facts=known_facts(manifest, facts),
        certainty=certainty(manifest)[:2],
        tables=sorted(tables),
        glossary={},
        definitions=definitions_of(tables, game),
    )


def contest_answer(tables: Tables, game: Game) -> Answer:
    """Return the answer of a contest."""
    return (
        Answer("")
        if not has_pictures(tables)
        else _ANSWERS[next(name for name in _KINDS if name in tables)](tables, game)
    )


_SHARES = ("decided_mean", "winner_lowest_mean", "first_order", "total")  # figures of contests that are shares


def _figures(name: str, table: pd.DataFrame, painter: Painter) -> list[Item]:
    """Return all figures of a table as tables of the page, one line each: shares in per cent, and the others."""
    keys = [key for key in table.columns if key not in ("value", "low", "high", "n", "deals", "variant")]
    varying = [key for key in keys if key != "players" and table[key].nunique() > 1] or keys[:1]
    rows = table.assign(line=[", ".join(str(row[key]).replace("_", " ") for key in varying) for row in table.to_dict("records")], figure="value")  # fmt: skip
    is_share = table["figure"].str.contains("share|variance_saved") | table["figure"].isin(_SHARES)
    is_share &= ~table["figure"].str.endswith("_games_saved")
    items = []
    kinds: tuple[tuple[Unit, pd.DataFrame], ...] = (("share", rows[is_share]), ("number", rows[~is_share]))
    for unit, own in kinds:
        shown = Picture(
            name, "", "table", name, (Figure("value", "value", unit),), "", x="line", x_label=", ".join(varying)
        )
        parts = painter.parts(shown, "", own, {}) if len(own) else []
        which = " that are shares" if unit == "share" else "" if len(own) == len(rows) else " that are no shares"
        items += [Item(f"All figures of {name}{which}", "", tuple(parts), f"item-all-{name}-{unit}")] if parts else []
    return items


def _difference_answer(tables: Tables, game: Game) -> Answer:
    """Return whether one agent is better than the other in the same place, at every player count."""
    table = pick(tables["difference"], figure="win_share").dropna(subset="low")
    first, second = tables["difference"].iloc[0][["first", "second"]]
    signs = {0 if row.low <= 0 <= row.high else 1 if row.value > 0 else -1 for row in table.itertuples(index=False)}
    if not signs:
        return Answer(f"There are too few games of {game.title} to compare {first} with {second}.")
    if signs <= {1} or signs <= {-1}:
        better, other = (first, second) if signs == {1} else (second, first)
        verdict = f"{better} wins more than {other} in the same place, on the same deals of {game.title}."
    elif signs == {0}:
        same = bool((table["value"].abs() + table["high"] - table["low"] == 0).all())
        verdict = (
            f"{first} and {second} win exactly alike."
            if same
            else f"{first} and {second} are not known to differ in games won: {missed(not_excluded(table), what='a difference')}."
        )
    else:
        unknown = table[(table["low"] <= 0) & (table["high"] >= 0)]
        size = missed(not_excluded(unknown), what="a difference")
        counts = listed([str(count) for count in dict.fromkeys(unknown["players"])])
        more = f": at {counts} players it is not known, {size}" if size else ""
        verdict = f"Whether {first} or {second} wins more depends on the number of players{more}."
    row = next(table[table["players"] == headline_players(table)].itertuples(index=False))
    wins = number(row, "share", f"points of games won: {first} minus {second}, {row.players} players")
    numbers = [Number(("+" if row.value > 0 else "") + wins.value.replace(f"{THIN}%", ""), wins.half_width, wins.what)]
    for figure, what in (("score_mean", "points of score"), ("rank_mean", "places")):
        of = row_of(tables["difference"], figure=figure, players=row.players, by=row.by, level=row.level)
        if of is not None:
            found = number(of, "amount", f"{what}: {first} minus {second}")
            numbers.append(Number(("+" if of.value > 0 else "") + found.value, found.half_width, found.what))
    saved = row_of(
        tables["difference"], figure="win_share_variance_saved", players=row.players, by=row.by, level=row.level
    )
    detail = (
        f"Playing the same deals saved {format_value(saved.value, 'share')} of the variance of that difference."
        if saved
        else ""
    )
    return Answer(verdict, detail, tuple(numbers))


def _challengers_answer(tables: Tables, game: Game) -> Answer:
    """Return by how much the best challenger beats copies of an agent."""
    table = tables["challengers"]
    best = next(pick(table[table["chosen"]], figure="win_share").itertuples(index=False))
    agent, fair = table.iloc[0]["agent"], 1 / best.players
    beaten = not best.low <= fair
    words = (
        f"{best.challenger} beats copies of {agent}" if beaten else f"No challenger is known to beat copies of {agent}"
    )
    size = "" if beaten else missed(best.high - fair, what="a gain of the best one")
    detail = f"The best of {pluralize(table['challenger'].nunique(), 'challenger')} on other deals wins {format_row(best, 'share')}, where {format_value(fair, 'share')} would be equal."
    return Answer(
        f"{words} in {game.title} at {best.players} players{f': {size}' if size else ''}.",
        detail,
        (number(best, "share", f"games won by {best.challenger}"),),
    )


def _luck_answer(tables: Tables, game: Game) -> Answer:
    """Return how much of who wins is who plays, by field, and how a game goes, at the player count of the headline."""
    numbers = tuple(
        number(row, "share", f"of who wins is who plays, {field_name(row.lineup)}")
        for row in agents_shares(tables).itertuples(index=False)
    )
    return Answer(who_plays(tables, game.title), " ".join(course_sentences(tables)), numbers[:3])


def _luck(table: pd.DataFrame) -> Iterator[Shown]:
    """Yield the share of the variance of wins and scores by source, a picture for each field."""
    shares = pick(table, figure="variance_share")
    words = {f"source={source}": text for source, text in SOURCES.items()} | {
        "outcome=win": "who wins",
        "outcome=score": "scores",
    }
    figure = Figure("variance_share", "share of the variance", "share")
    caption = (
        "A field of agents plays every deal in every rotation; the variance of wins and of scores is divided among what differs. "
        "With two players what the deal does cannot be told from the course of play."
    )
    levels = tuple(source for source in SOURCES if source in set(shares["source"]))
    first = headline_players(shares)
    fields = sorted(
        dict.fromkeys(zip(shares["players"], shares["lineup"], strict=True)), key=lambda field: field[0] != first
    )
    for place, (players, lineup) in enumerate(fields):
        name, title = (
            f"luck-{place}" if place else "luck",
            f"What decides a game {field_name(lineup)}, {players_title(players)}",
        )
        rows = pick(shares, players=players, lineup=lineup)
        yield Picture(name, "", "intervals", "luck", (figure,), title, caption, x="source", series="outcome", levels=levels, series_levels=("win", "score")), rows, words  # fmt: skip


SOURCES = {
    "agents": "the agents",
    "seats": "the seats",
    "agents_at_seats": "which agent sits where",
    "deal": "the deal, for all alike",
    "deal_of_seat": "what the deal gives a seat",
    "deal_of_agent": "what the deal gives an agent",
    "rest": "how the games went",
}


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


_KINDS: dict[str, Any] = {"difference": _difference, "challengers": _challengers, "luck": _luck}
_ANSWERS: dict[str, Any] = {
    "difference": _difference_answer, "challengers": _challengers_answer, "luck": _luck_answer,
}  # fmt: skip
_QUESTIONS = {
    "difference": "What is different, on the same deals?",
    "challengers": "Can it be beaten?", "luck": "What is skill, and what is luck?",
}  # fmt: skip

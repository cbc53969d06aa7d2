"""What is said and shown of the field of a tournament: the standing, who finishes ahead of whom, Nash averaging, and the seats."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.reporting import Picture, Tables, headline_players, listed, pick
from strozzi_sim.study.dominance import dominance_sentences, field_orders
from strozzi_sim.study.games import RANK, SCORE, WIN
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.model import Study

STRENGTH, AHEAD = Figure("strength", "strength", "number"), Figure("ahead_share", "finished ahead", "share")
_WEIGHT, _AGAINST = Figure("weight", "Nash weight", "share"), Figure("score", "wins against the mixture", "share")
_LETTERS, _MOST_MAPPED = 60, 40  # of an agent's name; agents of a heat map


def standing_sentences(study: Study, tables: Tables) -> list[str]:
    """Return the order by strength at every player count, who may be as strong as the first, and where there is no ranking."""
    said = []
    for (players, variant), rows in tables["ratings"].groupby(["players", "variant"], sort=False):
        where = f"at {players} players{f', {variant}' if len(study.variant_of) > 1 else ''}"
        order = (
            pick(rows, figure="strength").sort_values("value", ascending=False, kind="stable").dropna(subset="value")
        )
        if order.empty:
            said.append(
                f"The fit of strengths did not converge {where}, so there is no ranking; the other figures are valid."
            )
            continue
        agents = list(order["agent"])
        ranks = pick(rows, figure="rank").set_index("agent")["low"]
        rivals = [agent for agent in agents[1:] if ranks.get(agent) == 1]
        unsure = f"; {listed(rivals)} may be as strong as {agents[0]}" if rivals else ""
        few = "; there are too few games for intervals of the ranks" if ranks.isna().all() else ""
        said.append(f"By strength in {study.the_game.title} {where}: {', '.join(agents)}{unsure}{few}.")
    return said


def sections_of_field(study: Study, tables: Tables) -> list[Section]:
    """Return the sections of a tournament, each with a part for every player count and variant."""
    several = len(study.variant_of) > 1
    orders = field_orders(tables, study.chunks)
    standing = _titled(pd.concat([tables["ratings"], tables["agents"]], ignore_index=True), several)
    ranks = {(row.variant, row.agent): _span(row) for row in pick(standing, figure="rank").itertuples(index=False)}
    standing["who"] = [
        _short(row.agent) + ranks.get((row.variant, row.agent), "") for row in standing.itertuples(index=False)
    ]
    strength = Picture(
        "strength", "", "dots", "standing", (STRENGTH,), "How strong each agent is",
        "Plackett-Luce strengths of complete finishing orders: logarithms with mean 0. A difference of 1 means finishing ahead about 2.7 times "
        "as often as behind. Thin lines are 95 % intervals; in parentheses the 95 % interval of the rank, corrected for the number of agents.",
        x="who", sort="strength",
    )  # fmt: skip
    in_figures = Picture(
        "standing", "", "table", "standing", (STRENGTH, WIN, RANK, SCORE), "The standing in figures",
        "Over all games of an agent, against any opponents.", x="who", sort="strength", x_label="agent (interval of its rank)",
    )  # fmt: skip
    found = [
        Section(
            "Standing", "Who is strongest, and how certain is that?", (strength, in_figures), numbers=tuple(_numbers(tables)),
            tables={"standing": standing},
        ),
        _pairs(study, tables),
    ]  # fmt: skip
    if "nash" in tables and len(tables["nash"]):
        nash = Picture(
            "nash", "", "table", "nash", (_WEIGHT, _AGAINST), "Weights, and wins against the mixture",
            "The mixture of agents that no agent beats (Balduzzi et al. 2018). Copies and weak agents do not change it.", x="agent", sort="weight",
        )  # fmt: skip
        found.append(
            Section(
                "Nash averaging",
                "Which mixture of agents is unbeaten?",
                (nash,),
                tables={"nash": _titled(tables["nash"], several)},
            )
        )
    seats = Picture(
        "seats", "", "intervals", "seat_effects", (WIN,), "How often each seat wins",
        "All games of the tournament. The broken line is an equal share. Every agent sits at every seat equally often.",
        x="seat", x_label="seat", equal=True,
    )  # fmt: skip
    of_seats = Picture(
        "seats-table", "", "table", "seat_effects", (WIN, RANK, SCORE), "Seats in figures", x="seat", x_label="seat"
    )
    seat_effects = tables["seat_effects"].assign(lineup="")
    found.append(
        Section(
            "Seats",
            "How much does a seat matter, over all agents?",
            (seats, of_seats),
            tables={"seat_effects": seat_effects},
        )
    )
    circles = [text for text in dominance_sentences(orders) if "there is a cycle" in text]
    return [found[0], Section(**{**vars(found[1]), "finding": circles[0] if circles else ""}), *found[2:]]


def _pairs(study: Study, tables: Tables) -> Section:
    """Return the section of the heat map of pairs, coloured where an agent beats another."""
    strengths = pick(tables["ratings"], figure="strength")
    strengths = pick(strengths, players=headline_players(strengths)).sort_values(
        "value", ascending=False, kind="stable"
    )
    number = {agent: k for k, agent in enumerate(dict.fromkeys(strengths["agent"].head(_MOST_MAPPED)), 1)}
    told = {
        (order.players, order.variant, one, two)
        for order in field_orders(tables, study.chunks)
        for j, one in enumerate(order.agents)
        for k, two in enumerate(order.agents)
        if order.beats[j, k] or order.beats[k, j]
    }
    rows = pick(tables["pairwise"], figure="ahead_share")
    rows = rows[rows["agent"].isin(list(number)) & rows["opponent"].isin(list(number))]
    keys = zip(rows["players"], rows["variant"], rows["agent"], rows["opponent"], strict=True)
    rows = rows.assign(
        row=[f"{number[agent]} {_short(agent)}" for agent in rows["agent"]], column=[str(number[agent]) for agent in rows["opponent"]],
        shade=np.where([key in told for key in keys], rows["value"] - 0.5, np.nan), marked=False, lineup="",
        order=rows["agent"].map(number),
    ).sort_values("order", kind="stable")  # fmt: skip
    heat_map = HeatMap(
        "Who finishes ahead of whom",
        "How often the row's agent finished ahead of the column's in games that both played; a tie counts half. Agents are numbered by strength.",
        "agent", "of the agent with this number", AHEAD, shade_label="from one half, where significant, all pairs judged together",
    )  # fmt: skip
    return Section("Pairs", "Who beats whom?", (("pairs", heat_map),), tables={"pairs": rows})


def _numbers(tables: Tables) -> Iterator[KeyNumber]:
    """Yield the games won by the agents that win most, at the player count of the headline."""
    rows = pick(tables["agents"], figure="win_share").dropna(subset="low")
    if len(rows):
        rows = rows[(rows["players"] == headline_players(rows)) & (rows["variant"] == rows["variant"].iloc[0])]
        for _, row in rows.sort_values("value", ascending=False, kind="stable").head(3).iterrows():
            yield KeyNumber(row, "share", f"games won by {row['agent']}, {row['players']} players")


def _titled(table: pd.DataFrame, several: bool) -> pd.DataFrame:
    """Return a table whose variants are player counts too, so that each has a part of its own."""
    titles = [
        f"{row.players} players{f', variant {row.variant}' if several else ''}" for row in table.itertuples(index=False)
    ]
    return table.assign(variant=titles, lineup="")


def _span(rank: object) -> str:
    low, high = getattr(rank, "low", np.nan), getattr(rank, "high", np.nan)
    return "" if np.isnan(low) else f" ({low:.0f})" if low == high else f" ({low:.0f}\N{EN DASH}{high:.0f})"


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"

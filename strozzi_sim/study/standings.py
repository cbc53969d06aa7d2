"""What is said and shown of the field of a tournament: who beats whom, the standing, Nash averaging, and the seats.

An agent beats another if it finishes ahead of it in significantly more than half of the games that both played, by half a point or more.
All pairs at all player counts and variants are corrected together (Holm 1979), so that in a field of equal agents nothing is said in
19 of 20 tournaments. Only agents of the field are compared: that one beats the others does not make its plan the best of the game.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.reporting import Picture, Tables, headline_players, listed, pick
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, corrected_p, missed, not_excluded
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.games import RANK, SCORE, WIN
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.wording import grouped, shortened

_STRENGTH, _AHEAD = Figure("strength", "strength", "number"), Figure("ahead_share", "finished ahead", "share")
_WEIGHT, _AGAINST = Figure("weight", "Nash weight", "share"), Figure("score", "wins against the mixture", "share")
_LETTERS, _MOST_MAPPED, _MOST_NAMED = 60, 40, 6  # of an agent's name; agents of a heat map, and of a sentence


@dataclass(frozen=True)
class FieldOrder:
    """Who beats whom at one player count in one variant."""

    players: int
    variant: str
    agents: tuple[str, ...]
    beats: Array  # bool[F, F], whether the first agent beats the second
    unseen: float = float("nan")  # largest advantage that pairs which cannot be told apart may hide, a share of games

    @property
    def winner(self) -> str:
        """The agent that beats every other, or ""."""
        wins = self.beats.sum(axis=1)
        return self.agents[int(wins.argmax())] if len(wins) > 1 and wins.max() == len(wins) - 1 else ""

    @property
    def unbeaten(self) -> list[str]:
        """The agents that none beats."""
        return [agent for k, agent in enumerate(self.agents) if not self.beats[:, k].any()]

    def cycles(self) -> Iterator[tuple[str, ...]]:
        """Yield one shortest cycle of each group of agents that beat one another in a circle: (a, b, c), c beats a; the least name first."""
        from scipy.sparse.csgraph import connected_components

        count, group = connected_components(self.beats, directed=True, connection="strong")
        for number in range(count):
            members = np.flatnonzero(group == number)
            if len(members) > 1:
                shortest = min((self._cycle_from(int(start), members) for start in members), key=len)
                names = [self.agents[k] for k in shortest]
                first = names.index(min(names))
                yield (*names[first:], *names[:first])

    def _cycle_from(self, start: int, members: Array) -> list[int]:
        """Return a shortest cycle through an agent of a strongly connected group, by breadth-first search."""
        paths = [[start]]
        seen: set[int] = set()
        while True:
            path = paths.pop(0)
            if self.beats[path[-1], start]:
                return path
            further = [int(k) for k in members if self.beats[path[-1], k] and int(k) not in seen]
            seen.update(further)
            paths += [[*path, k] for k in further]


def field_orders(tables: Tables, chunks: int = MAX_CHUNKS) -> list[FieldOrder]:
    """Return who beats whom at every player count and variant, from the table pairwise, whose intervals are of so many chunks."""
    pairs = pick(tables["pairwise"], figure="ahead_share")
    once = pairs[pairs["agent"] < pairs["opponent"]]
    differs = (once["value"] - 0.5).abs() >= MIN_SHARE
    once = once.assign(told=differs & (corrected_p(once, 0.5, chunks, share=True) < ALPHA))
    orders = []
    for (players, variant), rows in once.groupby(["players", "variant"], sort=False):
        agents = tuple(dict.fromkeys([*rows["agent"], *rows["opponent"]]))
        beats = np.zeros((len(agents), len(agents)), bool)
        for row in rows.itertuples(index=False):
            pair = (row.agent, row.opponent) if row.value > 0.5 else (row.opponent, row.agent)
            beats[tuple(map(agents.index, pair))] = row.told
        unseen = not_excluded(rows[~rows["told"]], 0.5, chunks)
        orders.append(FieldOrder(int(players), str(variant), agents, beats, unseen))
    return orders


def dominance_sentences(orders: Sequence[FieldOrder]) -> list[str]:
    """Return whether one agent beats every other of the field, where, and the cycles."""
    winners, said = grouped((order.winner, order) for order in orders), []
    nowhere = winners.pop("", [])
    for agent, found in winners.items():
        others = [each for each in dict.fromkeys(each for order in found for each in order.agents) if each != agent]
        beaten = listed(others) if len(others) <= _MOST_NAMED else f"each of {len(others)} other agents"
        said.append(f"{agent} finishes ahead of {beaten} {_places(found, orders)}.")
    for words, found in grouped((_unbeaten_words(order), order) for order in nowhere).items():
        size = missed(max((order.unseen for order in found if order.unseen > 0), default=np.nan), what="an advantage")
        said.append(f"No agent beats every other {_places(found, orders)}: {words}{f'; {size}' if size else ''}.")
    for cycle, found in grouped((cycle, order) for order in orders for cycle in order.cycles()).items():
        where = _places(found, orders)
        chain = ", ".join(f"{one} beats {two}" for one, two in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        said.append(f"{where[0].upper()}{where[1:]} there is a cycle: {chain}.")
    return said


def _unbeaten_words(order: FieldOrder) -> str:
    best = order.unbeaten
    if not best:
        return "each is beaten by another"
    if len(best) == len(order.agents):
        return "no two can be told apart"
    if len(best) > _MOST_NAMED:
        return f"{len(best)} of {len(order.agents)} are beaten by none"
    return (
        f"{listed(best)} are beaten by none"
        if len(best) > 1
        else f"{best[0]} is beaten by none, and cannot be told from some"
    )


def _places(orders: Sequence[FieldOrder], every: Sequence[FieldOrder]) -> str:
    """Return where something holds: "at 3, 4 and 5 players", with the variants if there are several."""
    counts = grouped((order.variant, str(order.players)) for order in orders)
    places = grouped((f"at {listed(found)} players", variant) for variant, found in counts.items())
    several = len({order.variant for order in every}) > 1
    return " and ".join(f"{place} of {listed(names)}" if several else place for place, names in places.items())


def standing_sentences(study: Study, tables: Tables) -> list[str]:
    """Return the order by strength at every player count, who may be as strong as the first, and where there is no ranking."""
    said = []
    for (players, variant), rows in tables["ratings"].groupby(["players", "variant"], sort=False):
        where = f"at {players} players{f', {variant}' if len(study.variant_of) > 1 else ''}"
        order = pick(rows, figure="strength").sort_values("value", ascending=False, kind="stable")
        agents = list(order.dropna(subset="value")["agent"])
        if not agents:
            lost = f"The fit of strengths did not converge {where}, so there is no ranking"
            said.append(f"{lost}; the other figures are valid.")
            continue
        ranks = pick(rows, figure="rank").set_index("agent")["low"]
        rivals = [agent for agent in agents[1:] if ranks.get(agent) == 1]
        unsure = f"; {listed(rivals)} may be as strong as {agents[0]}" if rivals else ""
        few = "; there are too few games for intervals of the ranks" if ranks.isna().all() else ""
        said.append(f"By strength in {study.the_game.title} {where}: {', '.join(agents)}{unsure}{few}.")
    return said


def sections_of_field(study: Study, tables: Tables) -> list[Section]:
    """Return the sections of a tournament, each with a part for every player count and variant."""
    several, orders = len(study.variant_of) > 1, field_orders(tables, study.chunks)
    standing = _titled(pd.concat([tables["ratings"], tables["agents"]], ignore_index=True), several)
    ranks = {(row.variant, row.agent): _span(row.low, row.high) for row in pick(standing, figure="rank").itertuples()}
    keys = zip(standing["variant"], standing["agent"], strict=True)
    standing["who"] = [f"{shortened(key[1], _LETTERS)}{ranks.get(key, '')}" for key in keys]
    strength = Picture(
        "strength", "", "dots", "standing", (_STRENGTH,), "How strong each agent is",
        "Plackett-Luce strengths of complete finishing orders: logarithms with mean 0. A difference of 1 means finishing ahead about 2.7 times "
        "as often as behind. Thin lines are 95 % intervals; in parentheses the 95 % interval of the rank, corrected for the number of agents.",
        x="who", sort="strength",
    )  # fmt: skip
    in_figures = Picture(
        "standing", "", "table", "standing", (_STRENGTH, WIN, RANK, SCORE), "The standing in figures",
        "Over all games of an agent, against any opponents.", x="who", sort="strength", x_label="agent (interval of its rank)",
    )  # fmt: skip
    found = [
        Section("Standing", "Who is strongest, and how certain is that?", (strength, in_figures), numbers=tuple(_numbers(tables)), tables={"standing": standing}),
        _pairs(orders, tables),
    ]  # fmt: skip
    if "nash" in tables and len(tables["nash"]):
        nash = Picture(
            "nash", "", "table", "nash", (_WEIGHT, _AGAINST), "Weights, and wins against the mixture",
            "The mixture of agents that no agent beats (Balduzzi et al. 2018). Copies and weak agents do not change it.", x="agent", sort="weight",
        )  # fmt: skip
        made = {"nash": _titled(tables["nash"], several)}
        found.append(Section("Nash averaging", "Which mixture of agents is unbeaten?", (nash,), tables=made))
    seats = Picture(
        "seats", "", "intervals", "seat_effects", (WIN,), "How often each seat wins",
        "All games of the tournament. The broken line is an equal share. Every agent sits at every seat equally often.",
        x="seat", x_label="seat", equal=True,
    )  # fmt: skip
    of_seats = Picture("seats-table", "", "table", "seat_effects", (WIN, RANK, SCORE), "Seats in figures", x="seat", x_label="seat")  # fmt: skip
    made = {"seat_effects": tables["seat_effects"].assign(lineup="")}
    question = "How much does a seat matter, over all agents?"
    return [*found, Section("Seats", question, (seats, of_seats), tables=made)]


def _pairs(orders: Sequence[FieldOrder], tables: Tables) -> Section:
    """Return the section of the heat map of pairs, coloured where an agent beats another, and titled by a cycle."""
    every = pick(tables["ratings"], figure="strength").sort_values("value", ascending=False, kind="stable")
    strengths = pick(every, players=headline_players(every))
    number = {agent: k for k, agent in enumerate(dict.fromkeys(strengths["agent"].head(_MOST_MAPPED)), 1)}
    told = {
        (order.players, order.variant, order.agents[j], order.agents[k])
        for order in orders
        for j, k in product(range(len(order.agents)), repeat=2)
        if order.beats[j, k] or order.beats[k, j]
    }
    rows = pick(tables["pairwise"], figure="ahead_share")
    rows = rows[rows["agent"].isin(list(number)) & rows["opponent"].isin(list(number))]
    keys = zip(rows["players"], rows["variant"], rows["agent"], rows["opponent"], strict=True)
    rows = rows.assign(
        row=[f"{number[agent]} {shortened(agent, _LETTERS)}" for agent in rows["agent"]], column=[str(number[agent]) for agent in rows["opponent"]],
        shade=np.where([key in told for key in keys], rows["value"] - 0.5, np.nan), marked=False, lineup="",
        order=rows["agent"].map(number),
    ).sort_values("order", kind="stable")  # fmt: skip
    heat_map = HeatMap(
        "Who finishes ahead of whom",
        "How often the row's agent finished ahead of the column's in games that both played; a tie counts half. Agents are numbered by strength.",
        "agent", "ahead of number", _AHEAD, shade_label="from one half, where significant, all pairs judged together",
    )  # fmt: skip
    circle = next((text for text in dominance_sentences(orders) if "there is a cycle" in text), "")
    return Section("Pairs", "Who beats whom?", (("pairs", heat_map),), finding=circle, tables={"pairs": rows})


def _numbers(tables: Tables) -> Iterator[KeyNumber]:
    """Yield the games won by the agents that win most, at the player count of the headline."""
    rows = pick(tables["agents"], figure="win_share").dropna(subset="low")
    if len(rows):
        rows = pick(rows, players=headline_players(rows), variant=rows["variant"].iloc[0])
        for _, row in rows.sort_values("value", ascending=False, kind="stable").head(3).iterrows():
            yield KeyNumber(row, "share", f"games won by {row['agent']}, {row['players']} players")


def _titled(table: pd.DataFrame, several: bool) -> pd.DataFrame:
    """Return a table whose variants are player counts too, so that each has a part of its own."""
    keys = zip(table["players"], table["variant"], strict=True)
    titles = [f"{players} players{f', variant {variant}' if several else ''}" for players, variant in keys]
    return table.assign(variant=titles, lineup="")


def _span(low: float, high: float) -> str:
    return "" if np.isnan(low) else f" ({low:.0f})" if low == high else f" ({low:.0f}\N{EN DASH}{high:.0f})"

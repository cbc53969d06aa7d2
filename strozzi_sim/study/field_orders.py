"""The order of a field of agents: which finish ahead of which significantly, and what is said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strozzi_sim.declare.figure_tables import Tables, pick
from strozzi_sim.declare.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, corrected_p, missed, not_excluded
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed, some_of, with_capital
from strozzi_sim.stats.intervals import MIN_EVENTS, Array
from strozzi_sim.study.model import Study
from strozzi_sim.study.wording import grouped, player_name, player_words, players_words

_MOST_NAMED = 6  # most agents named in a sentence


@dataclass(frozen=True)
class FieldOrder:
    """The significant wins of agents over each other at one player count in one variant."""

    players: int
    variant: str
    agents: tuple[str, ...]
    beats: Array  # bool[F, F], [a, b]: whether agent a beats agent b
    unseen: float = float("nan")  # largest advantage that could be missed in the other pairs, as a share of games

    def renamed(self, names: Mapping[str, str]) -> "FieldOrder":
        """Return the order with other names of some agents, by their own."""
        return replace(self, agents=tuple(names.get(agent, agent) for agent in self.agents))

    @property
    def winner(self) -> str:
        """The agent that beats every other, or ""."""
        wins = self.beats.sum(axis=1)
        return self.agents[int(wins.argmax())] if len(wins) > 1 and wins.max() == len(wins) - 1 else ""

    @property
    def unbeaten(self) -> tuple[str, ...]:
        """The agents that no other agent beats."""
        return tuple(np.array(self.agents)[~self.beats.any(axis=0)].tolist())

    @property
    def cycle(self) -> tuple[str, ...]:
        """Three agents, each of which beats the next and the last the first, from the first in `agents` on; or ()."""
        beats = self.beats
        cycles = np.argwhere(beats[:, :, None] & beats[None, :, :] & beats.T[:, None, :])
        return tuple(self.agents[k] for k in cycles[0]) if len(cycles) else ()


def field_orders(tables: Tables, chunks: int = MAX_CHUNKS) -> list[FieldOrder]:
    """Return the significant wins at each player count and variant, from the table pairwise of `chunks` chunks."""
    pairs = pick(tables["pairwise"], figure="ahead_share")
    one_way = pairs[pairs["agent"] < pairs["opponent"]]
    is_large = (one_way["value"] - 0.5).abs() >= MIN_SHARE
    one_way = one_way.assign(known=is_large & (corrected_p(one_way, 0.5, chunks, share=True) < ALPHA))
    orders = []
    for (players, variant), rows in one_way.groupby(["players", "variant"], sort=False):
        agents = tuple(dict.fromkeys([*rows["agent"], *rows["opponent"]]))
        beats = np.zeros((len(agents), len(agents)), bool)
        for row in rows.itertuples(index=False):
            pair = (row.agent, row.opponent) if row.value > 0.5 else (row.opponent, row.agent)
            beats[tuple(map(agents.index, pair))] = row.known
        unseen = not_excluded(rows[~rows["known"]], 0.5, chunks, span=(0, 1))
        orders.append(FieldOrder(int(players), str(variant), agents, beats, unseen))
    return orders


def dominance_sentences(orders: Sequence[FieldOrder], game: Game) -> list[str]:
    """Return which agents beat every other one and where, where no agent does, and the cycles."""
    several = len({order.variant for order in orders}) > 1

    def places(group: Sequence[FieldOrder]) -> str:
        """Return where something holds: "at 3, 4 and 5 players", with the variants if there are several."""
        counts = grouped((order.variant, str(order.players)) for order in group)
        variants = grouped((f"at {listed(players)} players", variant) for variant, players in counts.items())
        return " and ".join(f"{place} of {listed(names)}" if several else place for place, names in variants.items())

    sentences = []
    for winner, group in grouped((order.winner, order) for order in orders if order.winner).items():
        others = [name for name in dict.fromkeys(name for order in group for name in order.agents) if name != winner]
        beaten = players_words(game, *others) if len(others) <= _MOST_NAMED else f"each of {len(others)} other agents"
        sentences.append(f"{player_words(game, winner, 'The')} finishes ahead of {beaten} {places(group)}.")
    for best, group in grouped((order.unbeaten, order) for order in orders if not order.winner).items():
        called = some_of([player_words(game, agent) for agent in best], _MOST_NAMED)
        words = f"{called} {'are' if len(best) > 1 else 'alone is'} beaten by none"
        words = words if best else "each is beaten by another"
        words = "no two can be told apart" if len(best) == len(group[0].agents) else words
        size = missed(max((order.unseen for order in group if order.unseen > 0), default=np.nan), what="an advantage")
        sentences.append(f"No agent beats every other {places(group)}: {words}{f'; {size}' if size else ''}.")
    for cycle, group in grouped((order.cycle, order) for order in orders if order.cycle).items():
        pairs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        chain = ", ".join(f"{player_words(game, winner)} beats {player_words(game, loser)}" for winner, loser in pairs)
        sentences.append(f"{with_capital(places(group))} there is a cycle: {chain}.")
    return sentences


def standing_sentences(study: Study, tables: Tables) -> list[str]:
    """Return the agents by strength at each player count and variant, and those that may be as strong as the first."""
    sentences = []
    for (players, variant), rows in tables["ratings"].groupby(["players", "variant"], sort=False):
        where = f"at {players} players{f', {variant}' if len(study.variant_of) > 1 else ''}"
        order = pick(rows, figure="strength").sort_values("value", ascending=False, kind="stable")
        agents = list(order.dropna(subset="value")["agent"])
        if order["n"].min() < MIN_EVENTS:
            sentences.append(f"There are too few games for a ranking {where}.")
            continue
        if not agents:
            why = "there is no ranking, the other figures are valid"
            sentences.append(f"The fit of strengths did not converge {where}: {why}.")
            continue
        ranks = pick(rows, figure="rank").set_index("agent")["low"]
        called = {agent: player_name(study.the_game, agent) for agent in agents}
        rivals = [called[agent] for agent in agents[1:] if ranks.get(agent) == 1]
        unsure = f"; {listed(rivals)} may be as strong as {called[agents[0]]}" if rivals else ""
        few = "; there are too few games for intervals of the ranks" if ranks.isna().all() else ""
        sentences.append(f"By strength in {study.the_game.title} {where}: {', '.join(called.values())}{unsure}{few}.")
    return sentences

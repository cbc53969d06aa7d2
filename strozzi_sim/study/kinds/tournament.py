"""tournament: which agent of a field is best?

A matchup is a choice of as many agents as there are seats. All matchups, or a balanced sample of very many, play the
same deals in balanced seatings. Chunk c of every matchup has the same deals, so chunks are summed over matchups.

An agent beats another if it finishes ahead of it in significantly more than half of the games that both played, by half
a point or more. All pairs at all player counts and variants are corrected together (Holm 1979): with equal agents, at
least 19 of 20 tournaments find no difference. An agent that beats all others need not have the game's best plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Annotated, Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.analysis import WORTHS
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.declare.figure_tables import FigureTable, Tables, headline_players, pick
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.errors import ArgumentError, check_whole, pluralize
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import SCORE, WIN_SHARE, Figure, share
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import ordinal_word, with_capital
from strozzi_sim.game.variants import Variant
from strozzi_sim.simulation.finishing_orders import AHEAD_UNITS, ORDER_UNITS
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.ratings import Orders, fit_ratings, nash_average
from strozzi_sim.study.arguments import REPEATED, WHO_PLAYS, PrecisionOptions, documented
from strozzi_sim.study.cells import OF_SIDES, RANK, CountsOf, games_saved, luck_sums, without_luck
from strozzi_sim.study.field_orders import FieldOrder, dominance_sentences, field_orders, standing_sentences
from strozzi_sim.study.games import leading_agents
from strozzi_sim.study.look import Look, Section, picture, section
from strozzi_sim.study.model import CHUNKS, Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.verdict import Verdict, games_of_100
from strozzi_sim.study.wording import agent_labels, plain_player, player_name, player_noun, player_words, shortened

_CHUNKS_IN_ALL, _FEWEST_CHUNKS = 2000, 20  # default chunks of all cells together; fewest of a cell
_LETTERS, _MOST_MAPPED, _MOST_NAMED = 60, 40, 6  # most of a name; agents in a heat map; agents in a sentence
Matchup = tuple[int, ...]  # numbers of agents in the field, ascending


@documented(
    asks="Who is stronger?",
    about="A field of agents, every combination on the same deals.",
    front={"agents": WHO_PLAYS["agents"], "players": WHO_PLAYS["players"]},
    quick={"deals": 50},
    tables=("ratings", "pairwise"),
)
def tournament(
    game: str | Game,
    agents: Agents,
    *,
    players: Players = None,
    max_matchups: int = 5000,
    seatings: Design = "latin",
    variant: Annotated[Variants, REPEATED] = "base",
    **options: Unpack[PrecisionOptions],
) -> Results:
    """Rank a field of agents, which all play each other on the same deals in balanced seatings.

    All combinations are matchups, or of very many a balanced sample.

    Example: strozzi tournament strozzi --players 4 --agents random,greedy,heuristic,florence,racer --deals 200

    Args:
        agents: the agents, separated by commas
        deals: deals for every matchup; default: 200, or as many as the precision takes
        precision: play until shares of wins in every matchup are known to +- these points, but at most `deals` deals
        max_matchups: most matchups at a player count; if there are more, a balanced sample is played
        seatings: latin, all, rotate or spread (each deal once, seatings in turn)
        variant: a variant; may be given several times

    >>> import strozzi_sim as ss
    >>> results = ss.tournament("strozzi", ["random", "greedy", "heuristic"], players=3, deals=50)
    >>> strength = results.tables["ratings"].query("figure == 'strength'").set_index("agent")["value"]
    >>> bool(strength["heuristic"] > strength["greedy"] > strength["random"])
    True
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    field = sorted(names.agents_named(the_game, agents, counts=counts), key=lambda spec: spec.text)
    try:
        return play(
            Tournament,
            options,
            game=the_game,
            players=counts,
            lineups=[[agent] for agent in field],
            variants=names.variants_named(the_game, variant),
            max_matchups=max_matchups,
            seatings=seatings,
        )
    except ArgumentError as error:
        raise ArgumentError("agents" if error.argument == "lineups" else error.argument, error.message) from None


AHEAD_SHARE = share(
    "ahead_share",
    "share of games that both played in which the agent finished ahead of the other; a tie counts half",
    "finished ahead",
)
STRENGTH = Figure(
    "strength", "strength", "number", "Plackett-Luce strength of complete finishing orders, logarithm, mean 0"
)
STANDING = Figure("rank", "rank", "number", "rank by strength, with all ranks that its interval allows", lowest=1.0)
WEIGHT = share("weight", "weight of the agent in the mixture that no agent beats (Nash averaging)", "Nash weight")
AGAINST_MIXTURE = share("score", "games won against that mixture", "wins against the mixture")
MINUS_EQUAL = WIN_SHARE.difference("win_share_minus_equal", "less an equal share")


@dataclass(frozen=True, kw_only=True)
class Tournament(Study):
    """A tournament of a field of agents, each a line-up by itself."""

    kind = "tournament"
    seatings: str = "latin"
    max_matchups: int = 5000  # at a player count
    keeps_orders, keeps_copies, usual_deals = True, True, 200
    printed = ("ratings", "agents")
    measured = (*OF_SIDES, AHEAD_SHARE, STRENGTH, STANDING, WEIGHT, AGAINST_MIXTURE, MINUS_EQUAL)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents in tables; further copies of an agent are numbered from 2."""
        pairs = zip(self.lineups, self._numbers, strict=True)
        return tuple(text if number == 1 else f"{text} #{number}" for (text,), number in pairs)

    @cached_property
    def _numbers(self) -> list[int]:
        """The number of each agent of the field among its copies, from 1."""
        return [self.lineups[: k + 1].count(lineup) for k, lineup in enumerate(self.lineups)]

    @cached_property
    def _players_of_copies(self) -> dict[str, str]:
        """The label of each further copy of an agent, and the copy in a sentence: "the second usual player"."""
        return {label: f"the {noun}" for label, noun in self._copies(player_noun).items()}

    def _player_of(self, label: str) -> str:
        """Return an agent of the field in a sentence: "the usual player"."""
        return self._players_of_copies.get(label) or player_words(self.the_game, label)

    def _copies(self, name_of: Callable[[Game, str], str]) -> dict[str, str]:
        """Return the label of each further copy of an agent, and its name with an ordinal: "second usual"."""
        field = zip(self.labels, self.lineups, self._numbers, strict=True)
        return {
            label: f"{ordinal_word(number)} {name_of(self.the_game, text)}"
            for label, (text,), number in field
            if number > 1
        }

    @cached_property
    def matchups(self) -> dict[int, list[Matchup]]:
        """The matchups by player count."""
        return {players: _matchups(self.labels, players, self.max_matchups, self.seed) for players in self.players}

    def line(self, matchup: Matchup) -> tuple[str, ...]:
        """Return the spec strings of a matchup's agents."""
        return tuple(self.lineups[k][0] for k in matchup)

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield a cell for every matchup and variant; matchups with equal lines of agents (copies) share one."""
        for players, matchups in self.matchups.items():
            for line, variant in product(dict.fromkeys(map(self.line, matchups)), self.variant_of.values()):
                yield players, tuple(self.specs[text] for text in line), variant, ""

    @classmethod
    def usual_chunks(cls, keys: Mapping[str, Any]) -> int:
        """Return the default number of chunks of a cell: fewer if there are many matchups."""
        size, most = len(keys["lineups"]), check_whole("max_matchups", keys.get("max_matchups", 5000))
        cells = sum(min(comb(size, players), most) for players in keys["players"]) * len(keys["variants"])
        return min(max(_CHUNKS_IN_ALL // max(cells, 1), _FEWEST_CHUNKS), CHUNKS)

    def check(self) -> None:
        check_whole("max_matchups", self.max_matchups, 1, 100_000)
        if any(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("lineups", "a tournament has one agent in each line-up")
        seats = max(self.players)
        if len(self.lineups) < seats:
            message = f"{seats} players need at least as many agents, got {', '.join(self.labels)}"
            raise ArgumentError("lineups", message)
        if self.search_deals:
            raise ArgumentError("search_deals", "a tournament plays all matchups on the same deals; leave it out")
        if self.seatings == "one":
            message = "with one an agent keeps its seat and its gain from it"
            raise ArgumentError("seatings", f"{message}; give latin, all, rotate or spread")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        tables = {"agents": FigureTable("agent"), "pairwise": FigureTable("agent", "opponent")}
        tables |= {"ratings": FigureTable("agent"), "seat_effects": FigureTable("seat"), "nash": FigureTable("agent")}
        cells = {(cell.players, cell.variant, cell.lineup): cell for cell in self.cells}
        for players, variant in product(self.players, self.variant_of):
            field = FieldCounts(self, players, variant)
            for matchup in self.matchups[players]:
                cell = counts(cells[players, variant, ",".join(self.line(matchup))])
                field.add(matchup, cell.outcome, cell.counts)
            field.write(tables)
        return tables

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return which agent beats all others, or wins most."""
        orders = field_orders(tables, self.chunks)
        in_words = [each.renamed(self._players_of_copies) for each in orders]
        ratings = tables["ratings"].replace({"agent": self._copies(player_name)})
        standing = standing_sentences(self, {"ratings": ratings})
        notes = *dominance_sentences(in_words, self.the_game), *standing
        wins = pick(tables["agents"], figure="win_share", variant=self.reference).dropna(subset="value")
        if wins.empty or not orders:
            return Verdict(f"There are too few games of {self.the_game.title} to rank the agents.", notes=notes)
        players = headline_players(wins)
        rows = pick(wins, players=players).sort_values("value", ascending=False, kind="stable")
        order = next(each for each in orders if (each.players, each.variant) == (players, self.reference))
        best = order.winner or str(rows["agent"].iloc[0])
        wins_text = f"{games_of_100(pick(rows, agent=best)['value'].iloc[0], among=[1 / players])} of 100 games"
        (spec,) = self.lineups[self.labels.index(best)]
        who = plain_player(self.the_game, spec)
        who = who if spec == best else f"a copy of {who}"
        answer = f"No agent beats every other at {players} players; {who} wins most, {wins_text}."
        if order.winner:
            beaten = f"finishes ahead of {pluralize(len(order.agents) - 1, 'other agent')}"
            answer = f"{with_capital(who)} {beaten} and wins {wins_text} at {players} players."
        return Verdict(answer, notes=notes)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the sections standing, pairs, Nash averaging (of two players) and seats."""
        several, orders = len(self.variant_of) > 1, field_orders(tables, self.chunks)
        agents = pick(tables["agents"], figure="win_share", variant=self.reference)
        agents = agents.assign(who=agents["agent"].map(self._player_of))
        standing = _titled(pd.concat([tables["ratings"], tables["agents"]], ignore_index=True), several)
        ranks = {}
        for row in pick(standing, figure="rank").dropna(subset="low").itertuples():
            ends = "\N{EN DASH}".join(f"{end:.0f}" for end in sorted({row.low, row.high}))
            ranks[row.variant, row.agent] = f" ({ends})"
        rows = zip(standing["variant"], standing["agent"], strict=True)
        called = agent_labels(self.the_game, tables["agents"]["agent"].unique(), _LETTERS) | self._copies(player_name)
        standing["who"] = [f"{called[agent]}{ranks.get((name, agent), '')}" for name, agent in rows]
        shown = {"standing": standing, "seat_effects": tables["seat_effects"].assign(lineup="")}
        if len(mixture := tables.get("nash", ())):
            shown["nash"] = _titled(mixture, several).replace({"agent": called})
        sections = [
            section("standing", shown, self.measured, numbers=leading_agents(agents)),
            _pairs(orders, tables, self.the_game, called),
        ]
        sections += [section("nash", shown, self.measured)] if "nash" in shown else []
        seats = replace(picture("seat-effects", shown), name="seats")
        return [*sections, replace(section("seat_effects", shown), shown=(seats,))]


class FieldCounts:
    """Sums over the matchups at a player count and variant, by chunk; `FigureTable` takes it as a cell."""

    def __init__(self, study: Tournament, players: int, variant: str) -> None:
        size, chunks = len(study.labels), study.chunks
        self.study, self.players, self.variant = study, players, variant
        self.deals, self.lineup = study.deals, ",".join(study.labels)
        self.by_agent = np.zeros((4, chunks, size), np.int64)  # of wins, places, scores and games
        self.by_seat = np.zeros((4, chunks, players), np.int64)
        self.ahead, self.met = (np.zeros((chunks, size, size), np.int64) for _ in range(2))
        self.last = np.zeros((chunks, size), np.int64)  # games that an agent finished last, in 1 / ORDER_UNITS
        self.luck = np.zeros((len(LUCK_SUMS), chunks, size, len(WORTHS))) if study.luck else None
        self._parts = [part for part in range(1, 1 << players) if part.bit_count() > 1]  # sets of 2 or more positions
        all_sets = [agents for matchup in study.matchups[players] for agents in self._sets(matchup)]
        self._column = {agents: number for number, agents in enumerate(dict.fromkeys(all_sets))}
        self.remaining = np.zeros((chunks, len(self._column)), np.int64)

    def _sets(self, matchup: Matchup) -> list[Matchup]:
        return [tuple(agent for k, agent in enumerate(matchup) if part >> k & 1) for part in self._parts]

    def add(self, matchup: Matchup, outcome: Array, orders: Array) -> None:
        """Add the chunks of one matchup: OUTCOME records and ORDERS records, [C] each."""
        members, players = np.array(matchup), self.players
        for k, name in enumerate(("wins", "places", "scores", "played")):
            sums = outcome[name][:, :players, :players]
            self.by_agent[k][:, members] += sums.sum(axis=2)
            self.by_seat[k] += sums.sum(axis=1)
        if self.luck is not None:
            for k, name in enumerate(LUCK_SUMS):
                self.luck[k][:, members] += outcome[name][:, :players, :players].sum(axis=2)
        square = (slice(None), members[:, None], members[None, :])
        self.ahead[square] += orders["ahead"][:, :players, :players]
        self.met[square] += outcome["games"][:, None, None]
        columns = [self._column[agents] for agents in self._sets(matchup)]
        self.remaining[:, columns] += orders["remaining"][:, self._parts]
        self.last[:, members] += orders["remaining"][:, [1 << k for k in range(players)]]

    def write(self, tables: Mapping[str, FigureTable]) -> None:
        """Add the figures of this player count and variant to the tables of a tournament."""
        labels, played, size = self.study.labels, self.by_agent[3], len(self.study.labels)
        tables["agents"].add_all(self, self._results(self.by_agent), agent=labels)
        if self.luck is not None:
            wins, _, scores, _ = self.by_agent
            of_luck = luck_sums({WIN_SHARE: wins / WIN_UNITS, SCORE: scores}, self.luck, played)
            for figure, sums in of_luck.items():
                tables["agents"].add(self, without_luck(figure), stats.ratio(sums.adjusted(), played), agent=labels)
                tables["agents"].add(self, games_saved(figure), sums.games_saved(), agent=labels)
        met = self.met * ~np.eye(size, dtype=bool)
        ahead_share = stats.ratio(self.ahead, met, unit=AHEAD_UNITS, n_deals=self.deals)
        keep = met.sum(axis=0) > 0
        tables["pairwise"].add(self, AHEAD_SHARE, ahead_share, keep=keep, agent=labels, opponent=labels)
        members = np.full((len(self._column), self.players), size)
        for agents, column in self._column.items():
            members[column, : len(agents)] = agents
        chosen, remaining = played - self.last / ORDER_UNITS, self.remaining / ORDER_UNITS
        texts = list(self.study.line(tuple(range(size))))
        copies = np.array([texts.index(text) for text in texts])
        ratings = fit_ratings(Orders(chosen, members, remaining, self.ahead / AHEAD_UNITS), played.sum(axis=0), copies)
        tables["ratings"].add_all(self, {STRENGTH: ratings.strength, STANDING: ratings.rank}, agent=labels)
        seats = self._results(self.by_seat)
        seats[MINUS_EQUAL] = seats[WIN_SHARE].minus(1 / self.players)
        tables["seat_effects"].add_all(self, seats, seat=range(self.players))
        # The mixture that no agent beats, and every agent's score against it; None if two agents never met.
        nash = nash_average(self.ahead / AHEAD_UNITS, self.met, self.deals) if self.players == 2 else None
        if nash is not None:
            tables["nash"].add_all(self, {WEIGHT: nash.weight, AGAINST_MIXTURE: nash.score}, agent=labels)

    def _results(self, sums: Array) -> dict[Figure, Estimate]:
        wins, places, scores, played = sums
        won = stats.ratio(wins, played, unit=WIN_UNITS, n_deals=self.deals)
        rank = stats.ratio(places, played, unit=2, span=(1.0, self.players), deals=self.deals)
        return {WIN_SHARE: won, RANK: rank, SCORE: stats.ratio(scores, played)}


def _matchups(labels: Sequence[str], players: int, most: int, seed: int) -> list[Matchup]:
    """Return all matchups, or, if there are more than `most`, as many in which agents are about equally often.

    The agents queue in rounds, each in an order hashed from seed, player count, round number and label.
    """
    size = len(labels)
    if comb(size, players) <= most:
        return list(combinations(range(size), players))
    matchups, queue, round_number = set[Matchup](), list[int](), 0
    while len(matchups) < most:
        if len(set(queue)) < players:
            keys = [hashlib.sha256(repr((seed, players, round_number, label)).encode()).digest() for label in labels]
            queue += sorted(range(size), key=keys.__getitem__)
            round_number += 1
        chosen = list(dict.fromkeys(queue))[:players]
        for agent in chosen:
            queue.remove(agent)
        matchups.add(tuple(sorted(chosen)))
    return sorted(matchups)


def _pairs(orders: Sequence[FieldOrder], tables: Tables, game: Game, called: Mapping[str, str]) -> Section:
    strengths = pick(tables["ratings"], figure="strength").sort_values("value", ascending=False, kind="stable")
    strongest = pick(strengths, players=headline_players(strengths))["agent"].unique()[:_MOST_MAPPED]
    number = {agent: k for k, agent in enumerate(strongest, 1)}
    order_of = {(order.players, order.variant): order for order in orders}
    rows = pick(tables["pairwise"], figure="ahead_share")
    rows = rows[rows["agent"].isin(list(number)) & rows["opponent"].isin(list(number))]
    is_known = []
    for row in rows.itertuples(index=False):
        order = order_of[row.players, row.variant]
        pair = order.agents.index(row.agent), order.agents.index(row.opponent)
        is_known.append(order.beats[pair] or order.beats[pair[::-1]])
    shade = np.where(is_known, rows["value"] - 0.5, np.nan)
    names = {agent: f"{k} {shortened(called[agent], _LETTERS)}" for agent, k in number.items()}
    rows = rows.assign(row=rows["agent"].map(names), column=rows["opponent"].map(number).astype("str"), shade=shade)
    rows = rows.assign(marked=False, lineup="", order=rows["agent"].map(number)).sort_values("order", kind="stable")
    caption = "How often the row's agent finished ahead of the column's in games that both played; a tie counts half. "
    caption += "Agents are numbered by strength."
    title, axes = "Who finishes ahead of whom", ("agent", "ahead of number")
    label = "from one half, where significant, all pairs judged together"
    heat_map = HeatMap(title, caption, *axes, AHEAD_SHARE, shade_label=label, table="pairs")
    cycle = next((text for text in dominance_sentences(orders, game) if "there is a cycle" in text), "")
    return replace(section("pairs", {"pairs": rows}), shown=(heat_map,), finding=cycle)


def _titled(table: pd.DataFrame, several: bool) -> pd.DataFrame:
    """Return a table with the player count in the column `variant`, so that the page shows each count separately."""
    keys = zip(table["players"], table["variant"], strict=True)
    titles = [f"{players} players{f', variant {variant}' if several else ''}" for players, variant in keys]
    return table.assign(variant=titles, lineup="")

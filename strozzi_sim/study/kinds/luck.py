"""luck: how much of an outcome is skill, seat and deal, and how dramatic is the game?

Every line-up plays every deal in every rotation; the variance of the outcomes is then that of agents, of seats, of what the deal does to
all, to a seat and to an agent, and of the rest (analysis of variance of Latin squares).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent, names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.agent.registry import agents as agents_of
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.errors import ArgumentError, check_range, check_whole
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, Picture, Tables, format_estimate, headline_players, listed, pick
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.latin_squares import SOURCES, moments, variance_shares
from strozzi_sim.study.cells import CellCounts, CountsOf
from strozzi_sim.study.drama import FEWEST, drama_figures
from strozzi_sim.study.look import KeyNumber, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run

WIN, SCORE = "win", "score"
COLUMNS = (*CELL, "outcome", "source", "figure", "value", "low", "high", "n", "deals")
BY_STRENGTH = ("players", "variant", "strength", "agent")  # of the table drama
MOST, DECISIONS = 100, 10_000  # games that are followed by default, and the decisions that they have in all
WORDS = {
    "agents": "the agents", "seats": "the seats", "agents_at_seats": "which agent sits where", "deal": "the deal, for all alike",
    "deal_of_seat": "what the deal gives a seat", "deal_of_agent": "what the deal gives an agent", "rest": "how the games went",
}  # fmt: skip


def luck(
    game: str | Game,
    *,
    players: Players = None,
    agents: Agents = (),
    deals: int | None = None,
    variant: AnyVariant = "base",
    seconds: float = 20.0,
    games: int | None = None,
    playouts: int = 200,
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure how much of a win and of a score is skill, seat, deal and the rest, and how dramatic a game is.

    Every line-up plays every deal in every rotation. The share of the agents is that of the line-up, so there are two or three of them.
    The game's agents of each strength that do not search then play among themselves games that are followed with play-outs.

    Example: strozzi luck strozzi --players 3-6

    Args:
        game: a game; `strozzi games` lists them
        players: player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: different agents, one for each seat, separated by commas; fewer players are the first of them; default: several
            line-ups: of each strength of play one agent among those of the next lower strength, and the game's middle tier with its styles
        deals: deals for every player count, each played in every rotation; default: 1,000
        variant: a variant of the game's components
        seconds: seconds that a decision takes at a table, an assumption from which minutes follow
        games: games to follow at each strength of play, at least 30 (an agent with learned values plays 30); 0: none; default: 100, of
            a game with more than 100 decisions fewer
        playouts: play-outs at each of the (at most 40) decisions of a game that is followed
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim as ss
    >>> table = ss.luck("strozzi", players=3, agents=["heuristic", "greedy", "random"], deals=200, games=0).tables["luck"]
    >>> found = table.query("outcome == 'win'").set_index("source")["value"]
    >>> bool(found["agents"] > 0.2 > found["seats"])
    True
    """
    the_game = names.game_named(game)
    counts = names.player_counts(the_game, players)
    field = names.agents_named(the_game, agents) if agents else ()
    texts = [spec.text for spec in field]
    if twice := sorted({text for text in texts if texts.count(text) > 1}):
        raise ArgumentError(
            "agents", f"{twice[0]} is listed twice; copies play equal games in several rotations, so all must differ"
        )
    if field and len(field) != max(counts):
        raise ArgumentError("agents", f"needs {max(counts)} different agents, got {len(field)} ({', '.join(texts)})")
    study = Luck.of(
        game=the_game, players=counts, deals=deals, variants=names.variants_named(the_game, variant), seed=seed, seconds=seconds,
        followed=games, playouts=playouts,
        lineups=[each for count in counts for each in ([field[:count]] if field else usual_fields(the_game, count))],
    )  # fmt: skip
    return run(
        study, folder, look=Look(name=f"luck-{study.game.replace('_', '-')}"), workers=workers, progress=progress
    )


class Luck(Study, frozen=True, kw_only=True, tag="luck"):
    """A measurement of luck: line-ups play every deal in every rotation.

    Attributes:
        seconds: seconds that a decision takes at a table, an assumption.
        followed: games to follow at each strength of play; 0: none; None: as many as have DECISIONS decisions, from FEWEST to MOST.
        playouts: play-outs at each decision that is looked at.
    """

    seconds: float = 20.0
    followed: int | None = None
    playouts: int = 200
    keeps_rows = True
    printed = ("luck", "drama")

    @classmethod
    def usual_chunks(cls, keys: Mapping[str, Any]) -> int:
        """Return 50: every chunk is left out once."""
        return 50

    def check(self) -> None:
        """Refuse numbers out of range, and agents that play themselves."""
        check_range("seconds", self.seconds, 0.01, 3600)
        if self.followed:
            check_whole("games", self.followed, FEWEST, 1_000_000)
        check_whole("playouts", self.playouts, 50, 1_000_000)
        if any(len(lineup) == 1 for lineup in self.lineups) or self.seatings != "rotate":
            raise ArgumentError("lineups", "luck is measured of line-ups of several agents, in every rotation")

    @property
    def summary(self) -> str:
        """The study in one line."""
        games = f"{FEWEST} to {MOST}" if self.followed is None else self.followed
        return super().summary + (f"; {games} games of each strength are followed" if games else "")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return luck (shares of variance, length), and drama if games are followed."""
        rows: list[tuple[Any, ...]] = []
        for cell in map(counts, self.cells):
            rows += self._shares(cell)
            decisions = stats.ratio(cell.outcome["decisions"], cell.outcome["games"])
            value, low, high = (end * self.seconds / 60 for end in (decisions.value, decisions.low, decisions.high))
            minutes = Estimate(value, low, high, decisions.n)
            rows.append(self._row(cell, "game", "all", "decisions_mean", decisions))
            rows.append(self._row(cell, "game", "all", "minutes_mean", minutes))
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        return {"luck": table} | ({"drama": self._drama(table)} if self.followed != 0 else {})

    def _shares(self, cell: CellCounts) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of the shares of variance."""
        chunks = list(cell.read_rows())
        squares = {
            outcome: np.concatenate([_squares(chunk, outcome, cell.players) for chunk in chunks])
            for outcome in (WIN, SCORE)
        }
        chunk_of = np.repeat(np.arange(len(chunks)), [len(np.unique(chunk["deal"])) for chunk in chunks])
        for outcome, found in squares.items():
            shares, variance = variance_shares(moments(found, chunk_of))
            for source, share in shares.items():
                yield self._row(cell, outcome, source, "variance_share", share)
            yield self._row(cell, outcome, "all", "variance", variance)

    def _row(self, cell: CellCounts, outcome: str, source: str, figure: str, found: Estimate) -> tuple[Any, ...]:
        where = cell.players, cell.variant, cell.lineup, outcome, source, figure
        return *where, *_numbers(found), self.deals

    def _drama(self, luck_table: pd.DataFrame) -> pd.DataFrame:
        """Return the figures of drama: the agents of each strength that do not search, each by itself."""
        rows = []
        tiers = {
            strength: names.agents_named(self.the_game, text)[0]
            for strength, text in (self.the_game.tiers or {"usual": self.the_game.default_agent}).items()
        }
        for players in self.players:
            decisions = pick(luck_table, players=players, figure="decisions_mean")["value"].max()
            usual = int(np.clip(DECISIONS // decisions, FEWEST, MOST))
            most = usual if self.followed is None else self.followed
            for variant in self.variant_of.values():
                for strength, spec in tiers.items():
                    if spec.searches:
                        continue
                    match = Match(self.the_game, players, (spec,), variant, self.seed)
                    figures = _followed(match, most if is_quick(spec) else min(most, FEWEST), self.playouts)
                    for figure, found in figures.items():
                        rows.append((players, variant.name, strength, spec.text, figure, *_numbers(found)))
        return pd.DataFrame(rows, columns=[*BY_STRENGTH, "figure", "value", "low", "high", "n"])

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return how much of who wins is who plays, how long a game is, and how it goes."""
        players = headline_players(tables["luck"])
        said = [who_plays(tables, self.the_game.title), length_sentence(tables, players, self.seconds)]
        return [*said, course_sentence(tables["drama"], players)] if "drama" in tables else said

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the shares of the variance by field, and the drama."""
        share = Figure("variance_share", "share of the variance", "share")
        shares = pick(tables["luck"], figure="variance_share")
        words = {source: WORDS.get(source, source) for source in SOURCES}
        made = shares.assign(
            source=shares["source"].map(words), outcome=shares["outcome"].map({WIN: "who wins", SCORE: "scores"})
        )
        drawn = Picture(
            "luck", "", "intervals", "luck", (share,), "What decides a game",
            "A field of agents plays every deal in every rotation; the variance of wins and of scores is divided among what differs. "
            "With two players what the deal does cannot be told from the course of play.",
            x="source", series="outcome", levels=tuple(words.values()), series_levels=("who wins", "scores"),
        )  # fmt: skip
        made = made.assign(line=made["source"] + ", " + made["outcome"])
        table = Picture(
            "luck-table", "", "table", "luck", (share,), "The shares in figures", x="line", x_label="source"
        )
        rows = pick(shares, source="agents", outcome=WIN, players=headline_players(shares)).dropna(subset="value")
        numbers = tuple(KeyNumber(row, "share", f"of who wins is who plays, {field_words(row['lineup'])}") for _, row in rows.head(3).iterrows())  # fmt: skip
        found = [
            Section("Luck", "What is skill, and what is luck?", (drawn, table), numbers=numbers, tables={"luck": made})
        ]
        if "drama" in tables:
            figures = tuple(Figure(name, words, "share") for name, words in _SHARES.items())
            table = Picture("drama", "", "table", "drama", figures, "How a game goes", x="strength")
            found.append(Section("Drama", "When is a game decided, and who decides it?", (table,)))
        return found


_SHARES = {
    "runaway_share": "games decided in their first half", "decided_mean": "decisions taken when a game is decided",
    "winner_lowest_mean": "lowest chance of the later winner", "kingmaking_share": "decisions that make a rival win",
}  # fmt: skip


def who_plays(tables: Tables, title: str) -> str:
    """Return how much of who wins is who plays, by field, at the player count of the headline."""
    shares = pick(tables["luck"], figure="variance_share", outcome=WIN, source="agents")
    players = headline_players(shares)
    shares = pick(shares, players=players).sort_values("value", kind="stable")
    fields = [f"{format_estimate(row, 'share')} {field_words(row.lineup)}" for row in shares.itertuples(index=False)]
    return (
        f"How much of who wins {title} at {players} players is who plays depends on the field: {listed(fields)}; "
        "among equal players it is nothing."
    )


def length_sentence(tables: Tables, players: int, seconds: float) -> str:
    """Return how long a game of the first field is."""
    length = pick(tables["luck"], players=players, outcome="game")
    decisions, minutes = (
        next(pick(length, figure=figure).itertuples(index=False)) for figure in ("decisions_mean", "minutes_mean")
    )
    return (
        f"A game {field_words(decisions.lineup)} has {format_estimate(decisions, 'amount')} decisions: "
        f"{format_estimate(minutes, 'amount')} minutes at {seconds:g} seconds each (an assumption)."
    )


def course_sentence(drama: pd.DataFrame, players: int) -> str:
    """Return when games are decided, changes of leader and kingmaking, of the agent of the middle tier or else the first."""
    here = pick(drama, players=players)
    usual = pick(here, strength="middle") if "middle" in set(here["strength"]) else here
    usual = pick(usual, agent=usual["agent"].iloc[0])
    rows = {row.figure: row for row in usual.itertuples(index=False)}
    shares = {figure: format_estimate(row, "share") for figure, row in rows.items() if figure in _SHARES}
    kings = f" At {shares['kingmaking_share']} of the decisions a seat that can no longer win picks which rival does." if "kingmaking_share" in shares else ""  # fmt: skip
    return (
        f"The leader runs away in {shares['runaway_share']} of games, which are decided in the first half; a game is decided after "
        f"{shares['decided_mean']} of its decisions, and its clear leader changes {format_estimate(rows['lead_changes_mean'], 'amount')} "
        f"times ({rows['decided_mean'].n} games of {usual['agent'].iloc[0]} followed).{kings}"
    )


def field_words(lineup: str) -> str:
    """Return a line-up in words: "with one A among B", "among A, B and C"."""
    first, *others = split_specs(lineup)
    if len(others) > 1 and set(others) == {others[0]} != {first}:
        return f"with one {first} among {others[0]}"
    return f"among {listed(list(dict.fromkeys([first, *others])))}"


def _followed(match: Match, games: int, playouts: int) -> dict[str, Estimate]:
    """Return the figures of games that are followed; where agents are not quick another one plays the play-outs."""
    playing = match
    if not is_quick(match.lineup[0]):
        usual = load_agent(match.game.default_agent, match.game)
        playing = replace(match, lineup=(usual if is_quick(usual) else load_agent("random", match.game),))
    follow = partial(drama_figures, match, playing, games, playouts)
    found: dict[str, Estimate] = (
        run_in_worker(follow, blame=match.lost) if match.foreign or playing.foreign else follow()
    )
    return found


def is_quick(spec: AgentSpec) -> bool:
    """Return whether an agent is compiled and neither searches nor looks learned values up."""
    return spec.agent.kind == "compiled" and not spec.searches and spec.agent.evaluation is None


def usual_fields(game: Game, players: int) -> list[list[AgentSpec]]:
    """Return the default line-ups: one agent among those of the next lower strength, for each strength, and the game's styles.

    With several agents of the higher strength the share of the agents could not be large, since equal agents win by luck among themselves.
    Agents that search are left out, since they would play too few games, and others' agents, which must not change the defaults.
    """
    weak = load_agent(game.tiers.get("weak", "random"), game)
    tiers = (load_agent(text, game) for text in game.tiers.values())
    above = [spec for spec in tiers if not spec.searches and spec.text != weak.text]
    ends = {game.tiers.get("middle"): 0, weak.text: 2, "random": 2}
    shipped = (load_agent(name, game) for name in agents_of(game))
    styles = [spec for spec in shipped if _is_shipped(spec, game) and not spec.searches and not spec.missing]
    styles.sort(key=lambda spec: (ends.get(spec.text, 1), spec.text))
    steps = [weak, *(above or [spec for spec in styles if spec.text != weak.text][:1])]
    fields = [[stronger, *[weaker] * (players - 1)] for weaker, stronger in pairwise(steps)]
    if len(styles) >= players and not {spec.text for spec in styles[:players]} <= {spec.text for spec in steps}:
        fields.append(styles[:players])
    if not fields:
        known = ", ".join(spec.text for spec in styles)
        raise ArgumentError(
            "agents", f"name {players} different agents, of which {game.name} has too few that do not search ({known})"
        )
    return fields


def _is_shipped(spec: AgentSpec, game: Game) -> bool:
    return spec.builtin or spec.agent.function.__module__.split(".")[0] == game.package.split(".")[0]


def _squares(rows: Array, outcome: str, players: int) -> Array:
    """Return the outcomes of a chunk by deal, position and seat, float64[D, P, P]."""
    deals, place = np.unique(rows["deal"], return_inverse=True)
    squares = np.zeros((len(deals), players, players))
    squares[place, rows["position"], rows["seat"]] = rows["score"] if outcome == SCORE else _wins(rows)
    return squares


def _wins(rows: Array) -> Array:
    """Return the share of the win of every row."""
    games = pd.DataFrame({"deal": rows["deal"], "seating": rows["seating"], "place": rows["twice_place"]})
    keys = [games["deal"], games["seating"]]
    first = games["place"] == games["place"].groupby(keys).transform("min")
    return np.asarray(first / first.groupby(keys).transform("sum"), np.float64)


def _numbers(found: Estimate) -> tuple[float, float, float, int]:
    return float(found.value), float(found.low), float(found.high), int(found.n)

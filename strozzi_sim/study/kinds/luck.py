"""luck: how much of an outcome is skill, seat and deal, and how dramatic is the game?

Every line-up plays every deal in every rotation. So the variance of outcomes splits into parts of agents, seats, agents
at seats, the deal for all, for a seat and for an agent, and the rest (analysis of variance of Latin squares).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent, names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.figure_tables import FIGURES, FigureTable, Tables, figures_frame, headline_players, pick
from strozzi_sim.declare.printing import format_estimate, format_value
from strozzi_sim.errors import ArgumentError, check_range, check_whole, pluralize
from strozzi_sim.facts.figures import DECISIONS, Figure, share
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.drama import DECIDED_AFTER, HALFWAY, HOPELESS, KINGS, OF_DRAMA, RUNAWAY
from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate
from strozzi_sim.stats.luck import moments, variance_shares
from strozzi_sim.study.arguments import StudyOptions, documented
from strozzi_sim.study.cells import CellCounts, CountsOf
from strozzi_sim.study.following import FEWEST_FOLLOWED, MOST_FOLLOWED, Following
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.verdict import Verdict, games_of_100, word_count
from strozzi_sim.study.wording import at_players, lineup_words

WIN, SCORE = "win", "score"
_MOST_WORDS = 9  # of the names of those who play, in the answer
MOST_GAMES = 1_000_000
WORDS = {
    "agents": "skill: who plays",
    "seats": "luck: the seat",
    "agents_at_seats": "luck: who sits where",
    "deal": "luck: a deal that helps all",
    "deal_of_seat": "luck: a deal that helps a seat",
    "deal_of_agent": "luck: a deal that suits a player",
    "rest": "luck: the course of play",
}
OUTCOMES = {WIN: "who wins", SCORE: "scores"}


@documented(
    asks="How much is luck?",
    about="Different agents play every deal in every seat: what do they, the seat and the deal explain?",
    quick={"deals": 200, "games": FEWEST_FOLLOWED},
    tables=("luck", "drama"),
    plays="players of unequal strength",
)
def luck(
    game: str | Game,
    *,
    players: Players = None,
    agents: Agents = (),
    variant: AnyVariant = "base",
    seconds: float = 20.0,
    games: int | None = None,
    playouts: int = 200,
    **options: Unpack[StudyOptions],
) -> Results:
    """Measure how much of a win and of a score is skill, seat, deal and the rest, and how dramatic games are.

    Every line-up plays every deal in every rotation. By default there is one for each step in strength, and one of the
    game's styles, each with its own share of skill. Games of each are then followed, unless an agent searches, and
    playouts from their decisions estimate every seat's chance of winning.

    Example: strozzi luck strozzi --players 3-6

    Args:
        agents: different agents, one for each seat, separated by commas; with fewer players the first of them play;
            default: line-ups of one agent of each strength among those of the next lower one, and of the game's styles
        deals: deals for every player count, each played in every rotation; default: 1,000
        seconds: seconds that a decision takes at a table, an assumption from which minutes follow
        games: games to follow of each line-up, at least 30 (of an agent with learned values or in Python 30);
            0: none; default: 100, fewer if a game has more than 100 decisions
        playouts: playouts, at least 50, at each of the (at most 40) decisions of a game that is followed

    >>> import strozzi_sim as ss
    >>> results = ss.luck("strozzi", players=3, agents="heuristic,greedy,random", deals=200, games=0)
    >>> share = results.tables["luck"].query("outcome == 'win'").set_index("source")["value"]
    >>> bool(share["agents"] > 0.2 > share["seats"])
    True
    """
    the_game = find_game(game)
    if games:
        check_whole("games", games, FEWEST_FOLLOWED, MOST_GAMES)
    counts = names.player_counts(the_game, players)
    specs = names.agents_named(the_game, agents) if agents else ()
    texts = [spec.text for spec in specs]
    if repeated := [text for text in texts if texts.count(text) > 1]:
        why = "copies can play equal games in several rotations, so all must differ"
        raise ArgumentError("agents", f"{repeated[0]} is listed {texts.count(repeated[0])} times; {why}")
    if specs and len(specs) != max(counts):
        raise ArgumentError("agents", f"needs {max(counts)} different agents, got {len(specs)} ({', '.join(texts)})")
    by_count = ([specs[:count]] if specs else usual_lineups(the_game, count) for count in counts)
    lineups = [lineup for lineups_of_count in by_count for lineup in lineups_of_count]
    return play(
        Luck,
        options,
        game=the_game,
        players=counts,
        lineups=lineups,
        variants=names.variants_named(the_game, variant),
        seconds=seconds,
        followed=games,
        playouts=playouts,
    )


VARIANCE_SHARE = share(
    "variance_share",
    "part of the variance of wins or scores over a field that plays every deal in every rotation",
    "share of the variance",
)
VARIANCE = Figure("variance", "variance", "number", "variance of wins or scores", lowest=0.0)
MINUTES = Figure("minutes_mean", "minutes of a game", "amount", "decisions of all players times an assumed duration")


@dataclass(frozen=True, kw_only=True)
class Luck(Following):
    """A measurement of luck: line-ups play every deal in every rotation."""

    kind = "luck"
    seconds: float = 20.0  # duration of a decision at a table, an assumption
    followed: int | None = None  # games of each line-up; 0: none; None: 30 to 100, as many as FOLLOWED_DECISIONS allow
    playouts: int = 200  # at each followed decision
    keeps_rows, printed = True, ("drama",)
    measured = (VARIANCE_SHARE, VARIANCE, DECISIONS, MINUTES, *OF_DRAMA)
    most_chunks = 50  # since every chunk is left out once

    def check(self) -> None:
        check_range("seconds", self.seconds, 0.01, 3600)
        if self.followed:
            check_whole("followed", self.followed, FEWEST_FOLLOWED, MOST_GAMES)
        check_whole("playouts", self.playouts, 50, 1_000_000)
        # line-ups that equal one of their rotations, which then play equal games
        turned = [each for each in self.lineups if any(each == each[k:] + each[:k] for k in range(1, len(each)))]
        if turned or any(len(lineup) == 1 for lineup in self.lineups) or self.seatings != "rotate":
            argument = "seatings" if self.seatings != "rotate" else "lineups"
            why = "luck is measured with line-ups of several agents, in every rotation; these must all differ"
            raise ArgumentError(argument, why)

    @property
    def summary(self) -> str:
        games = MOST_FOLLOWED if self.followed is None else self.followed
        return super().summary + (f"; up to {games} games of each line-up are followed" if games else "")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return luck: shares of the variance, game lengths."""
        table = FigureTable("outcome", "source")
        for cell in map(counts, self.cells):
            self._add(table, cell)
        return {"luck": table}

    def _add(self, table: FigureTable, cell: CellCounts) -> None:
        chunks = list(cell.read_rows())
        chunk_of = np.repeat(np.arange(len(chunks)), [len(np.unique(chunk["deal"])) for chunk in chunks])
        for outcome in (WIN, SCORE):
            squares = _squares(np.concatenate(chunks), outcome, cell.players)
            shares, variance = variance_shares(moments(squares, chunk_of))
            for source, part in shares.items():
                table.add(cell, VARIANCE_SHARE, _known(part), outcome=outcome, source=source)
            table.add(cell, VARIANCE, _known(variance), outcome=outcome, source="all")
        decisions = stats.ratio(cell.outcome["decisions"], cell.outcome["games"])
        value, low, high = (end * self.seconds / 60 for end in (decisions.value, decisions.low, decisions.high))
        lengths = {DECISIONS: decisions, MINUTES: Estimate(value, low, high, decisions.n)}
        table.add_all(cell, lengths, outcome="game", source="all")

    def printed_tables(self, tables: Tables) -> dict[str, Any]:
        """Return the shares of the variance of wins, with a column for each line-up, and the drama."""
        shares = pick(tables["luck"], figure="variance_share", outcome=WIN)
        words = shares["lineup"].map(self._field_words)
        shares = shares.assign(figure="share in games of " + words, source=shares["source"].map(WORDS))
        own = {"what_explains_who_wins": shares.drop(columns=["lineup", "outcome"])}
        by_lineup = [replace(VARIANCE_SHARE, name=name) for name in shares["figure"].unique()]
        figures = figures_frame(own, {"": by_lineup})
        figures = pd.concat([figures, tables[FIGURES]], ignore_index=True)
        return own | super().printed_tables(tables) | {FIGURES: figures}

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return how much luck decides, the wins of the halfway leader, length and kingmaking, all of one field."""
        shares = _of_luck(tables["luck"])
        if shares.empty:
            return Verdict(f"There are too few games of {self.the_game.title} to say how much of who wins is luck.")
        field = self._headline_field(shares)
        words, players = lineup_words(self.the_game, field.lineup, bare=True), int(field.players)
        words = words if word_count(words) <= _MOST_WORDS else f"{players} agents"
        figures = self._course(tables, field)
        at = f" at {players} players" if len(self.players) > 1 else ""
        answer = f"{_decided_by_luck(field.value)} with {words}{at}."
        leader = figures.get(HALFWAY.name)
        minutes, length_note = self._length(tables)
        lasts = f"a game takes {minutes} a decision"
        notes = length_note, *self._notes(shares, players)
        if leader is None or np.isnan(leader.value):
            return Verdict(answer, f"{with_capital(lasts)}.", notes)
        ends = "" if np.isnan(leader.low) else f"{games_of_100(leader.low)} to {games_of_100(leader.high)}; "
        runs_away = (
            f"Half-time leaders win {games_of_100(leader.value)} of 100 games ({ends}chance {100 / players:.0f})"
        )
        kings = figures.get(KINGS.name)
        if kings is not None and not np.isnan(kings.value):
            moves = format_value(figures[DECISIONS.name].value, DECISIONS, 0)
            lasts = f"players without hope pick the winner at {_span(kings)} of {moves} decisions; {minutes} each"
        return Verdict(answer, f"{runs_away}; {lasts}.", (*_course_notes(figures), *notes))

    def _headline_field(self, shares: pd.DataFrame) -> Any:
        """Return the row of the field with one other agent among usual players, or else the first field's."""
        usual = self.the_game.default_agent
        rows = list(shares.itertuples(index=False))
        return next((row for row in rows if set(split_specs(row.lineup)[1:]) == {usual}), rows[0])

    def _field_words(self, lineup: str) -> str:
        """Return who plays a field; beside other fields one of many different agents is "4 styles of play"."""
        styles = len({*split_specs(lineup)})
        if styles > 2 and len(self.lineups) > 1:
            return f"{styles} styles of play"
        return lineup_words(self.the_game, lineup)

    def _course(self, tables: Tables, field: Any) -> dict[str, Any]:
        """Return the figures of a field's games, the length and the drama if its games were followed."""
        where = {"players": field.players, "variant": field.variant, "lineup": field.lineup}
        rows = list(pick(tables["luck"], outcome="game", **where).itertuples(index=False))
        rows += list(pick(tables["drama"], **where).itertuples(index=False)) if "drama" in tables else []
        return {row.figure: row for row in reversed(rows)}

    def _length(self, tables: Tables) -> tuple[str, str]:
        """Return the length of a game as "53 minutes at 20 seconds", and a sentence on it at each player count."""
        rows = pick(tables["luck"], figure=VARIANCE_SHARE.name, outcome=WIN, source="agents")
        fields = [self._headline_field(own) for _, own in rows.groupby("players")]
        courses = [self._course(tables, field) for field in fields]
        each = [format_value(course[MINUTES.name].value, MINUTES, 0) for course in courses]
        decisions = [format_value(course[DECISIONS.name].value, DECISIONS, 0) for course in courses]
        span = each[0] if len(each) == 1 else f"{each[0]} to {each[-1]}"
        counts = at_players(int(field.players) for field in fields)
        return (
            f"{span} minutes at {self.seconds:g} seconds",
            f"A game has {listed(decisions)} decisions and takes {listed(each)} minutes {counts}.",
        )

    def _notes(self, shares: pd.DataFrame, players: int) -> Iterator[str]:
        """Yield how much of who wins is luck in each field."""
        rows = shares.sort_values("value", ascending=False, kind="stable").itertuples(index=False)
        parts = list[str]()
        for row in rows:
            alike = f" (all {pluralize(row.deals, 'deal')} ended alike)" if np.isnan(row.low) else ""
            parts.append(f"{format_estimate(row, VARIANCE_SHARE)} in games of {self._field_words(row.lineup)}{alike}")
        yield f"Luck decides, at {players} players: {listed(parts)}; among equal players, everything."

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the shares of the variance by line-up, those of the verdict's field first, and the drama."""
        shares, wins = pick(tables["luck"], figure="variance_share"), _of_luck(tables["luck"])
        if len(wins):
            field = self._headline_field(wins)
            shares = _first(shares, (shares["lineup"] == field.lineup) & (shares["variant"] == field.variant))
            wins = _first(wins, (wins["lineup"] == field.lineup) & (wins["variant"] == field.variant))
        wins = wins.dropna(subset="low").head(3)
        wins = wins.assign(agents=wins["lineup"].map(self._field_words))
        shares = shares.assign(source=shares["source"].map(WORDS), outcome=shares["outcome"].map(OUTCOMES))
        fields = shares["lineup"].map(self._field_words)
        shares = shares.assign(line=shares["source"] + ", " + shares["outcome"], lineup=fields)
        numbers = key_numbers(wins, VARIANCE_SHARE, "of who wins is luck, in games of {agents}")
        sections = [section("luck", {"luck": shares}, self.measured, numbers=numbers)]
        if "drama" in tables:
            who = tables["drama"]["lineup"].map(self._field_words)
            sections.append(section("drama", {"drama": tables["drama"].assign(who=who, lineup="")}, self.measured))
        return sections


def _span(figure: Any) -> str:
    """Return the ends of the interval of a number a game as text, "2 to 6"; the number if it has none."""
    if np.isnan(figure.low):
        return format_value(figure.value, KINGS, 1)
    low, high = (format_value(end, KINGS, 0) for end in (figure.low, figure.high))
    return low if low == high else f"{low} to {high}"


def _course_notes(figures: dict[str, Any]) -> Iterator[str]:
    """Yield when games are decided and how many of them early, and what a player without hope is."""
    decided, runaway, kings = figures[DECIDED_AFTER.name], figures[RUNAWAY.name], figures.get(KINGS.name)
    after = format_value(decided.value, DECIDED_AFTER, 0)
    early = f"in its first half in {games_of_100(runaway.value)} of 100 games"
    yield f"A game is decided after {after} of its decisions, and {early} ({decided.n} games were followed)."
    if kings is not None and not np.isnan(kings.value):
        yield f"Without hope is a chance of at most {100 * HOPELESS:g} of 100 ({kings.n} games)."


def _known(figure: Estimate) -> Estimate:
    """Return a figure, without value and interval if it is of fewer than MIN_EVENTS games."""
    missing = np.asarray(np.nan)
    return figure if figure.n >= MIN_EVENTS else replace(figure, value=missing, low=missing, high=missing)


def _decided_by_luck(share: float) -> str:
    """Return the share of the variance of wins that is luck as a clause.

    An estimate that is bounded or rounds to 0 or 1 is no number.
    """
    if round(share, 2) <= 0:
        return "Luck decides hardly anything of who wins"
    if round(share, 2) >= 1:
        return "Nothing but luck is known to decide who wins"
    return f"Luck decides {format_value(share, VARIANCE_SHARE, 0)} of who wins"


def _of_luck(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the variance of wins that is luck, a row for each field of the headline's player count.

    Luck is all that is not who plays: the seats, the deal, and how the games went. The shares are within 0 to 1, which
    estimates without bias may leave.
    """
    agents = pick(table, figure=VARIANCE_SHARE.name, outcome=WIN, source="agents")
    agents = pick(agents, players=headline_players(agents)).dropna(subset="value")
    value, low, high = ((1 - agents[end]).clip(0, 1) for end in ("value", "high", "low"))
    return agents.assign(value=value, low=low, high=high)


def _first(rows: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    """Return the rows with the chosen ones first."""
    return pd.concat([rows[chosen], rows[~chosen]])


def usual_lineups(game: Game, players: int) -> list[list[AgentSpec]]:
    """Return the default line-ups: an agent of each strength among those of the next lower one, and the styles.

    Only one agent of a line-up is stronger: equal ones win by luck among themselves, which hides the share of skill.
    Agents that search would play too few games, and third-party agents must not change the defaults: both are left out.
    """
    weak = load_agent(game.tiers.get("weak", "random"), game)
    tiers = (load_agent(text, game) for text in game.tiers.values())
    stronger_tiers = [spec for spec in tiers if not spec.searches and spec.text != weak.text]
    order = {game.tiers.get("usual"): 0, weak.text: 2, "random": 2}  # of styles: the usual first, the weakest last
    styles = sorted(names.styles_of(game), key=lambda spec: (order.get(spec.text, 1), spec.text))
    steps = [weak, *(stronger_tiers or [spec for spec in styles if spec.text != weak.text][:1])]
    lineups = [[stronger, *[weaker] * (players - 1)] for weaker, stronger in pairwise(steps)]
    is_new = not {spec.text for spec in styles[:players]} <= {spec.text for spec in steps}
    if len(styles) >= players and is_new:
        lineups.append(styles[:players])
    if not lineups:
        available = ", ".join(spec.text for spec in styles)
        few = f"of which {game.name} has too few that do not search ({available})"
        raise ArgumentError("agents", f"name {players} different agents, {few}")
    return lineups


def _squares(rows: Array, outcome: str, players: int) -> Array:
    """Return the outcomes of games by deal, position and seat, float64[D, P, P]; the rows of a game are adjacent."""
    deals, index = np.unique(rows["deal"], return_inverse=True)
    squares = np.zeros((len(deals), players, players))
    squares[index, rows["position"], rows["seat"]] = rows["score"] if outcome == SCORE else _wins(rows, players)
    return squares


def _wins(rows: Array, players: int) -> Array:
    places = rows["twice_place"].reshape(-1, players)
    is_first = places == places.min(axis=1, keepdims=True)
    return np.asarray(is_first / is_first.sum(axis=1, keepdims=True)).ravel()

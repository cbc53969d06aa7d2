"""Skill and luck: the variance from agents, seats, deal and rest, and the drama."""

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.lineups import agents
from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, pick
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.latin_squares import moments, variance_shares
from strozzi_sim.studies.drama import FEWEST, drama_figures
from strozzi_sim.studies.outputs import games_of
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind

WIN, SCORE = "win", "score"
COLUMNS = (*CELL, "outcome", "source", "figure", "value", "low", "high", "n", "deals")
BY_STRENGTH = ("players", "variant", "strength", "agent")  # of the table drama
MOST, DECISIONS = 100, 10_000  # games that are followed by default, and the decisions that they have in all


@dataclass(frozen=True)
class Luck(Kind):
    """A measurement of luck, resolved.

    Attributes:
        plan: the study that plays the line-ups, every deal in every rotation, and keeps the rows of games.
        seconds: seconds that a decision takes at a table, an assumption.
        games: games to follow at each strength of play, for the drama; 0: none. One that is not quick plays FEWEST. None: as many as have
            DECISIONS decisions, from FEWEST to MOST.
        playouts: play-outs at each decision that is looked at.
        workers: number of threads for what is played besides the plan; does not affect results.
    """

    seconds: float
    games: int | None
    playouts: int
    workers: int = field(default=1, compare=False)

    def summary(self) -> str:
        """Return the plan in one line."""
        games = f"{FEWEST} to {MOST}" if self.games is None else self.games
        followed = f"; {games} games of each strength are followed" if games else ""
        return super().summary() + followed

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return the tables luck (shares of variance, length) and drama."""
        from joblib import parallel_config

        games = games_of(plan, store)
        rows: list[tuple[Any, ...]] = []
        for cell in plan.cells:
            where = (cell.match.players, cell.match.variant.name, cell.lineup)
            here = pick(games, players=where[0], variant=where[1], lineup=where[2])
            for outcome in (WIN, SCORE):
                squares, deals = _squares(here, outcome, where[0])
                shares, variance = variance_shares(moments(squares, _chunks(plan, deals)))
                for source, share in shares.items():
                    rows.append(_row(where, outcome, source, "variance_share", share, plan.deals))
                rows.append(_row(where, outcome, "all", "variance", variance, plan.deals))
            rows += _length(where, plan, store, cell, self.seconds)
        tables = {"luck": pd.DataFrame(rows, columns=list(COLUMNS))}
        if self.games != 0:
            with parallel_config(n_jobs=self.workers):
                tables["drama"] = self._drama(plan, tables["luck"])
        return tables

    def _drama(self, plan: Plan, luck: pd.DataFrame) -> pd.DataFrame:
        """Return the figures of drama of the game's tiers that do not search, at every player count and variant."""
        rows = []
        tiers = plan.game.tiers or {"usual": plan.game.default_agent}
        for players, variant, (strength, text) in product(plan.players, plan.variants, tiers.items()):
            spec = load_agent(text, plan.game)
            if spec.searches:
                continue
            match = Match(plan.game, players, (spec,), variant, plan.seed)
            playing = match if _is_quick(spec) else replace(match, lineup=(_of_playouts(plan.game),))
            most = self._most_games(luck[luck["players"] == players])
            follow = partial(
                drama_figures, match, playing, most if _is_quick(spec) else min(most, FEWEST), self.playouts
            )
            apart = match.foreign or playing.foreign
            figures = run_in_worker(follow, blame=match.lost) if apart else follow()
            for figure, found in figures.items():
                rows.append((players, variant.name, strength, spec.text, figure, *_numbers(found)))
        return pd.DataFrame(rows, columns=[*BY_STRENGTH, "figure", "value", "low", "high", "n"])

    def _most_games(self, luck: pd.DataFrame) -> int:
        """Return the games to follow, given the rows of the table luck of a player count: few of a game of many decisions."""
        if self.games is not None:
            return self.games
        decisions = luck.loc[luck["figure"] == "decisions_mean", "value"].max()
        return int(np.clip(DECISIONS // decisions, FEWEST, MOST))


def _is_quick(spec: AgentSpec) -> bool:
    """Return whether an agent is compiled and neither searches nor looks learned values up."""
    return spec.agent.kind == "compiled" and not spec.searches and spec.agent.evaluation is None


def _of_playouts(game: Game) -> AgentSpec:
    """Return the agent of the play-outs where the agents of a game are not quick: the default agent, or one of random moves."""
    usual = load_agent(game.default_agent, game)
    return usual if _is_quick(usual) else load_agent("random", game)


def usual_fields(game: Game, players: int) -> list[list[AgentSpec]]:
    """Return the default line-ups: one agent among those of the next lower strength, for each strength, and the game's styles.

    With several agents of the higher strength the share of the agents could not be large, since equal agents win by luck among themselves.
    Agents that search are left out, since they would play too few games.

    Raises:
        ArgumentError: the game has too few agents.
    """
    weak = load_agent(_weak(game), game)
    above = [
        spec for text in game.tiers.values() if not (spec := load_agent(text, game)).searches and spec.text != weak.text
    ]
    styles = usual_field(game)
    tiers = [weak, *(above or [spec for spec in styles if spec.text != weak.text][:1])]
    fields = [[stronger, *[weaker] * (players - 1)] for weaker, stronger in pairwise(tiers)]
    if len(styles) >= players and not {spec.text for spec in styles[:players]} <= {spec.text for spec in tiers}:
        fields.append(styles[:players])
    if not fields:
        names = ", ".join(spec.text for spec in styles)
        raise ArgumentError(
            "agents", f"name {players} different agents, of which {game.name} has too few that do not search ({names})"
        )
    return fields


def usual_field(game: Game) -> list[AgentSpec]:
    """Return the agents of a game that do not search: its middle tier first, then its styles, `random` last."""
    every = (load_agent(name, game) for name in agents(game))
    shipped = [spec for spec in every if _is_shipped(spec, game) and not spec.searches and not spec.missing]
    ends = {game.tiers.get("middle"): 0, _weak(game): 2, "random": 2}
    return sorted(shipped, key=lambda spec: (ends.get(spec.text, 1), spec.text))


def _weak(game: Game) -> str:
    """Return the agent of the weak tier, by default random moves."""
    return game.tiers.get("weak", "random")


def _is_shipped(spec: AgentSpec, game: Game) -> bool:
    """Return whether an agent comes with the package or with the game, so that others' agents do not change the defaults."""
    return spec.builtin or spec.agent.function.__module__.split(".")[0] == game.package.split(".")[0]


def _squares(games: pd.DataFrame, outcome: str, players: int) -> tuple[Array, Array]:
    """Return outcomes by deal, position and seat, float64[D, K, K], and the deals."""
    deals, place = np.unique(games["deal"].to_numpy(), return_inverse=True)
    squares = np.zeros((len(deals), players, players))
    values = games["score"].to_numpy(np.float64) if outcome == SCORE else _wins(games)
    squares[place, games["position"].to_numpy(), games["seat"].to_numpy()] = values
    return squares, deals


def _wins(games: pd.DataFrame) -> Array:
    """Return the share of the win of every row."""
    keys = [games["deal"], games["seating"]]
    first = games["place"] == games["place"].groupby(keys).transform("min")
    return np.asarray(first / first.groupby(keys).transform("sum"), np.float64)


def _chunks(plan: Plan, deals: Array) -> Array:
    ends = np.array([plan.chunk_range(chunk)[1] for chunk in range(plan.chunks)])
    return np.asarray(np.searchsorted(ends, deals, side="right"))


def _length(
    where: tuple[int, str, str], plan: Plan, store: MemoryStore, cell: Cell, seconds: float
) -> list[tuple[Any, ...]]:
    """Return the decisions of a game, and the minutes that they take."""
    outcome = np.concatenate([store.read((cell.number, chunk))[0] for chunk in range(plan.chunks)])
    decisions = stats.ratio(outcome["decisions"], outcome["games"])
    value, low, high = (end * seconds / 60 for end in (decisions.value, decisions.low, decisions.high))
    minutes = Estimate(value, low, high, decisions.n)
    return [
        _row(where, "game", "all", "decisions_mean", decisions, plan.deals),
        _row(where, "game", "all", "minutes_mean", minutes, plan.deals),
    ]


def _row(
    where: tuple[int, str, str], outcome: str, source: str, figure: str, found: Estimate, deals: int
) -> tuple[Any, ...]:
    return (*where, outcome, source, figure, *_numbers(found), deals)


def _numbers(found: Estimate) -> tuple[float, float, float, int]:
    return float(found.value), float(found.low), float(found.high), int(found.n)

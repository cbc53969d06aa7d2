"""The studies whose intervals are judged: every command that prints intervals, with line-ups easy and hard for them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from strozzi_sim.studies.compare import Comparison
from strozzi_sim.studies.exploit import CHUNKS, Copies, _table
from strozzi_sim.studies.lookup import find_agents, find_variants
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.planning import make_plan, plan_of_keys
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.tables import study_tables
from strozzi_sim.studies.tournament import Tournament, plan_tournament

from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.pool import Task, play_tasks

Frames = dict[str, pd.DataFrame]
GO = np.zeros(1, np.int64)  # a stop flag that nobody sets


@dataclass(frozen=True)
class Case:
    """One study, of any number of deals.

    Attributes:
        group: the command and game; figures of a group's cases are counted together.
        name: what is played.
        frames: (first deal, deals) -> the tables of the study of these deals, as a user gets them.
    """

    group: str
    name: str
    frames: Callable[[int, int], Frames]


class Chunks:
    """A study's chunks, in memory: of the deals from `first` on instead of those from 0 on."""

    def __init__(self, plan: Plan, first: int) -> None:
        tasks = (
            Task(
                (cell.number, chunk),
                cell.match,
                *(first + deal for deal in plan.chunk_range(chunk)),
                plan.counted,
                orders=plan.orders,
            )
            for cell in plan.cells
            for chunk in range(plan.chunks)
        )
        self._chunks = {
            task.key: (played.outcome, played.counts, played.rows) for task, played in play_tasks(tasks, 1, GO)
        }

    def read(self, key: tuple[int, int]) -> tuple[Any, Any, Any]:
        """A chunk's outcome, counts and rows."""
        return self._chunks[key]


def _study(game: str, players: int, lineup: str, *, heatmaps: list[str] | None = None) -> Case:
    """All pages of one line-up, and all heat maps or some."""
    shown = list(load_game(game).report.HEATMAPS) if heatmaps is None else heatmaps

    def frames(first: int, deals: int) -> Frames:
        raw = {
            "name": "coverage",
            "game": game,
            "players": [players],
            "deals": deals,
            "lineups": [lineup.split(",")],
            "report": {"heatmaps": shown},
        }
        plan = plan_of_keys(raw, "coverage")
        chunks = Chunks(plan, first)
        cells = [cell_counts(plan, chunks, cell) for cell in plan.cells]
        return study_tables(plan.game, cells, plan.pages, plan.heatmaps)

    return Case(f"study {game}", f"{players} players: {lineup}", frames)


def _resolved(group: str, name: str, make: Callable[[int], Any]) -> Case:
    """A tournament or comparison: what has a plan, and makes tables of its chunks."""

    def frames(first: int, deals: int) -> Frames:
        resolved = make(deals)
        frames: Frames = resolved.tables(resolved.plan, Chunks(resolved.plan, first))
        return frames

    return Case(group, name, frames)


def _tournament(name: str, agents: list[str], players: int, deals: int) -> Tournament:
    game = load_game(name)
    return plan_tournament(game, find_agents(agents, game), find_variants(game, "base"), [players], deals, "latin", 0)


def _agents(name: str, first: str, second: str, against: list[str], players: int, deals: int) -> Comparison:
    game = load_game(name)
    others = find_agents(against, game)
    lineups = [
        (side, *(others[k % len(others)] for k in range(players - 1))) for side in find_agents([first, second], game)
    ]
    plan = make_plan("compare", game, lineups, find_variants(game, "base"), [players], deals, orders=True)
    return Comparison(plan, "agent")


def _variants(name: str, first: str, second: str, agents: list[str], players: int, deals: int) -> Comparison:
    game = load_game(name)
    variants = find_variants(game, [first, second])
    plan = make_plan(
        "compare", game, [find_agents(agents, game)], variants, [players], deals
    )  # counts facts: `changes`
    return Comparison(plan, "variant")


def _exploit(game: str, players: int, agent: str, challengers: list[str]) -> Case:
    """The held-out figures of `exploit`, of challengers that are found already."""
    game_played = load_game(game)
    specs = [load_agent(text, game_played) for text in challengers]
    field = Copies(
        game_played, players, load_agent(agent, game_played), resolve_variant(game_played, "base", {}, "coverage"), 0, 1
    )

    def frames(first: int, deals: int) -> Frames:
        outcomes = field.outcomes(specs, first, first + deals, min(CHUNKS, deals), GO)
        return {"exploit": _table(field, specs, specs[0], outcomes, deals).drop(columns="chosen")}

    return Case(f"exploit {game}", f"{players} players: {agent}", frames)


def cases(*, quick: bool = False) -> list[Case]:
    """All cases, or the few that are looked at each time."""
    s, m = "strozzi", "medici_vs_strozzi"
    first = [
        _study(s, 4, "greedy,heuristic,random,racer", heatmaps=["win-by-last-space"] if quick else None),
        _study(m, 2, "fair-price,shader", heatmaps=["harbor-by-load"] if quick else None),
        _resolved(
            f"tournament {m}",
            "2 players: random, fair-price, shader",
            lambda n: _tournament(m, ["random", "fair-price", "shader"], players=2, deals=n),
        ),
        _resolved(
            f"compare {s}",
            "4 players: heuristic and greedy against random",
            lambda n: _agents(s, "heuristic", "greedy", against=["random"], players=4, deals=n),
        ),
    ]
    if quick:
        return first
    return [
        *first,
        _study(s, 3, "heuristic"),
        _study(s, 4, "heuristic,heuristic,heuristic,heuristic"),
        _study(s, 5, "trader,florence,promoter,racer,heuristic"),
        _study(s, 6, "random"),
        _study(m, 2, "fair-price"),
        _study(m, 2, "fair-price,random"),
        _resolved(
            f"tournament {s}",
            "4 players: five agents",
            lambda n: _tournament(s, ["random", "greedy", "heuristic", "racer", "trader"], players=4, deals=n),
        ),
        _resolved(
            f"tournament {m}",
            "2 players: with a dominated agent",
            lambda n: _tournament(m, ["random", "fixed-price:value=6", "shader", "fair-price"], players=2, deals=n),
        ),
        _resolved(
            f"compare {s}",
            "4 players: heuristic and trader against heuristic",
            lambda n: _agents(s, "heuristic", "trader", against=["heuristic"], players=4, deals=n),
        ),
        _resolved(
            f"compare {s}",
            "variants base and long-tracks, 4 players: heuristic",
            lambda n: _variants(s, "base", "long-tracks", agents=["heuristic"], players=4, deals=n),
        ),
        _resolved(
            f"compare {m}",
            "fair-price and random against shader",
            lambda n: _agents(m, "fair-price", "random", against=["shader"], players=2, deals=n),
        ),
        _resolved(
            f"compare {m}",
            "variants base and short: fair-price, shader",
            lambda n: _variants(m, "base", "short", agents=["fair-price", "shader"], players=2, deals=n),
        ),
        _exploit(s, 4, "greedy", ["heuristic", "trader", "random"]),
        _exploit(m, 2, "shader", ["fair-price", "random"]),
    ]

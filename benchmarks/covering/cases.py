"""The studies whose intervals are judged: every command that prints intervals, with line-ups easy and hard for them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import strozzi_sim as ss
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.simulation.match import Measures
from strozzi_sim.simulation.pool import PlayTask, play_tasks
from strozzi_sim.study.cells import Cell
from strozzi_sim.study.model import Study
from strozzi_sim.study.running import tables_of
from strozzi_sim.study.store import Store

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


class Chunks(Store):
    """A study's chunks, in memory: of the deals from `first` on instead of those from 0 on."""

    def __init__(self, study: Study, look: ss.Look, first: int) -> None:
        super().__init__(None, study, look)
        tasks = (
            PlayTask(
                (cell.number, chunk),
                cell.match,
                *(first + deal for deal in study.deals_of(cell, chunk)),
                Measures(self.counted),
                orders=study.keeps_orders,
            )
            for cell in study.cells
            for chunk in range(study.chunks)
        )
        self._played = {task.key: played for task, played in play_tasks(tasks, 1, GO)}

    def outcome(self, cell: Cell, chunks: range) -> Any:
        """Return the OUTCOME records of some chunks of a cell."""
        return np.concatenate([self._played[cell.number, chunk].outcome for chunk in chunks])

    def facts(self, cell: Cell, chunks: range) -> Any:
        """Return the counts of facts of some chunks of a cell, or their ORDERS records."""
        join = np.concatenate if self.study.keeps_orders else np.stack
        return join([self._played[cell.number, chunk].counts for chunk in chunks])


def _case(group: str, name: str, maps: tuple[str, ...] = (), pages: tuple[str, ...] | None = None, **keys: Any) -> Case:
    """Return the case of the study with these keys."""

    def frames(first: int, deals: int) -> Frames:
        study = ss.Study.of(**keys, deals=deals)
        look = ss.Look(heatmaps=maps, pages=pages)
        return tables_of(study, Chunks(study, look, first))

    return Case(group, name, frames)


def _study(game: str, players: int, lineup: str, *, heatmaps: list[str] | None = None) -> Case:
    """Return the case of all pages of one line-up, and all heat maps or some."""
    maps = tuple(report_of(load_game(game)).heat_maps if heatmaps is None else heatmaps)
    keys = {"game": game, "players": [players], "lineups": [lineup.split(",")]}
    return _case(f"study {game}", f"{players} players: {lineup}", maps, **keys)


def _tournament(game: str, name: str, agents: list[str], players: int) -> Case:
    field = [[agent] for agent in sorted(agents)]
    keys = {"kind": "tournament", "game": game, "players": [players], "lineups": field, "seatings": "latin"}
    return _case(f"tournament {game}", name, **keys)


def _agents(game: str, name: str, first: str, second: str, opponents: list[str], players: int) -> Case:
    lineups = [[side, *(opponents[k % len(opponents)] for k in range(players - 1))] for side in (first, second)]
    return _case(f"compare {game}", name, kind="compare_agents", game=game, players=[players], lineups=lineups)


def _variants(game: str, name: str, first: str, second: str, agents: list[str], players: int) -> Case:
    keys = {"kind": "compare_variants", "game": game, "players": [players], "variants": [first, second]}
    return _case(f"compare {game}", name, lineups=[agents], **keys)


def cases(*, quick: bool = False) -> list[Case]:
    """Return all cases, or the few that are looked at each time."""
    s, m = "strozzi", "medici_vs_strozzi"
    first = [
        _study(s, 4, "greedy,heuristic,random,racer", heatmaps=["win-by-last-space"] if quick else None),
        _study(m, 2, "fair-price,shader", heatmaps=["harbor-by-load"] if quick else None),
        _tournament(m, "2 players: random, fair-price, shader", ["random", "fair-price", "shader"], 2),
        _agents(s, "4 players: heuristic and greedy against random", "heuristic", "greedy", ["random"], 4),
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
        _tournament(s, "4 players: five agents", ["random", "greedy", "heuristic", "racer", "trader"], 4),
        _tournament(
            m, "2 players: with a dominated agent", ["random", "fixed-price:value=6", "shader", "fair-price"], 2
        ),
        _agents(s, "4 players: heuristic and trader against heuristic", "heuristic", "trader", ["heuristic"], 4),
        _variants(s, "base and long-tracks, 4 players: heuristic", "base", "long-tracks", ["heuristic"], 4),
        _agents(m, "fair-price and random against shader", "fair-price", "random", ["shader"], 2),
        _variants(m, "base and short: fair-price, shader", "base", "short", ["fair-price", "shader"], 2),
    ]

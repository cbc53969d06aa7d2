"""ladder: does twice the budget win, and where does that stop?

Each step seats one agent with twice the budget among agents with the budget, in every seat (Lantz and others 2017, "Depth in strategic
games"). A step is flat if the interval of its win share holds the fair share.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from strozzi_sim.agent import AnyAgent, Param
from strozzi_sim.errors import ArgumentError, check_range, suggest_names
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import FigureTable, Picture, Tables, pick
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.study import names
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.games import WIN
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.names import Players
from strozzi_sim.study.pages import Section
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run


def ladder(
    game: str | Game,
    agent: AnyAgent,
    *,
    param: str = "iterations",
    start: float = 250,
    steps: int = 5,
    players: Players = None,
    deals: int = 200,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure how much doubling a search budget gains, step by step.

    Args:
        game: a game; `strozzi games` lists them
        agent: an agent with a budget, such as playouts
        param: the parameter that is the budget
        start: the smallest budget
        steps: number of doublings
        players: player count; default: 4, or the fewest of the game
        deals: deals for every step
        seatings: one, rotate, spread (each deal once, seatings in turn), all or latin
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim.study as ss
    >>> found = ss.ladder("strozzi", "greedy", param="margin", start=2, steps=2, players=3, deals=50)
    >>> list(found.tables["ladder"]["step"].unique())
    ['1', '2']
    """
    the_game = names.game_named(game)
    count, *others = names.player_counts(the_game, players)
    (spec,) = names.agents_named(the_game, [agent], "agent")
    numbers = {key: known for key, known in spec.agent.params.items() if isinstance(known, Param)}
    if others or param not in numbers:
        argument, known = ("players", "one count") if others else ("param", suggest_names(param, numbers))
        raise ArgumentError(argument, f"a ladder has one player count, and doubles a number; {known}")
    check_range("steps", steps, 1, 30)
    check_range("start", start * 2**steps, numbers[param].low, numbers[param].high)
    budgets = [start * 2**k for k in range(steps + 1)]
    agents = [spec.with_values({param: int(budget) if budget == int(budget) else budget}) for budget in budgets]
    study = Ladder.of(
        game=the_game, players=[count], lineups=[[above, *[below] * (count - 1)] for below, above in pairwise(agents)],
        budgets=budgets[:-1], deals=deals, seatings=seatings, variants=names.variants_named(the_game, variant), seed=seed,
    )  # fmt: skip
    look = Look(name=f"ladder-{study.game.replace('_', '-')}")
    return run(study, folder, look=look, workers=workers, progress=progress)


class Ladder(Study, frozen=True, kw_only=True, tag="ladder"):
    """A ladder: line-up k is step k.

    Attributes:
        budgets: the smaller budget of every step.
    """

    budgets: tuple[float, ...]
    printed = ("ladder",)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the table ladder, by step from 1."""
        table = FigureTable("step", "budget", "against")
        for number, (cell, budget) in enumerate(zip(self.cells, self.budgets, strict=True), 1):
            counted, keys = counts(cell), {"step": str(number), "budget": f"{2 * budget:g}", "against": f"{budget:g}"}
            for sums in counted.sums("position"):
                estimate = sums.of(0).estimate()
                table.add(counted, sums.figure, estimate, **keys)
                if sums.figure == "win_share":
                    table.add(counted, "win_share_minus_fair", estimate.minus(1 / counted.players), **keys)
        return {"ladder": table}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return up to which budget twice the budget wins more."""
        rows = pick(tables["ladder"], figure="win_share_minus_fair")
        flat = rows[(rows["low"] <= 0) & (rows["high"] >= 0)]
        if rows["low"].isna().any():
            return ["There are too few games to tell whether twice the budget wins more."]
        end = (
            f"up to a budget of {flat['against'].iloc[0]}"
            if len(flat)
            else f"up to the largest, {rows['budget'].iloc[-1]}"
        )
        return [f"Twice the budget wins more in {self.the_game.title} {end}."]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the win share and the lead with twice the budget, step by step."""
        lead, label = Figure("lead_mean", "mean lead over the others", "amount"), "budget of one seat"
        share = Picture("ladder", "", "lines", "ladder", (WIN,), "Win share with twice the budget", x="budget", x_label=label, equal=True)  # fmt: skip
        ahead = Picture("lead", "", "lines", "ladder", (lead,), "Mean lead with twice the budget", x="budget", x_label=label, zero=True)  # fmt: skip
        return [Section("Steps", "How far does thinking longer help?", (share, ahead))]

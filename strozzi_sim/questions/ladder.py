"""ladder: does more budget win, and how far?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.agent import AnyAgent
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.simulation.seatings import Design
    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def ladder(
    game: str | Game,
    agent: AnyAgent,
    param: str = "iterations",
    start: float = 250,
    steps: int = 5,
    players: int | str | None = None,
    *,
    deals: int = 200,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure how much doubling a search budget gains, step by step.

    Args:
        game: a name or a Game.
        agent: an agent with a budget, such as playouts
        param: the parameter that is the budget
        start: the smallest budget
        steps: number of doublings
        players: player count; default: 4, or the game's minimum
        deals: deals for every line-up
        seatings: one, rotate, spread (each deal once, seatings in turn), all or latin
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        folder: keep everything in this folder, and resume there; default: only print
        progress: as in `simulate`

    Returns:
        Table ladder.

    Raises:
        InputError: no such parameter, a budget out of its range, or an invalid argument; names it.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.ladder("strozzi", "greedy", param="margin", start=2, steps=2, players=3, deals=50)
    >>> list(found.tables["ladder"]["step"].unique())
    ['1', '2']
    """
    from strozzi_sim.game import find_game
    from strozzi_sim.studies.ladder import Ladder, find_budgets, lineups_of
    from strozzi_sim.studies.lookup import find_agents, find_variants, one_count
    from strozzi_sim.studies.planning import make_plan, name_of
    from strozzi_sim.studies.study import run

    game = find_game(game)
    count, (spec,) = one_count(game, players), find_agents([agent], game, "agent")
    budgets = find_budgets(spec, param, start, steps)
    plan = make_plan(
        name_of("ladder", game), game, lineups_of(spec, param, budgets, count), find_variants(game, variant), [count],
        deals, seatings=seatings, seed=seed, orders=True, luck=luck, luck_redraws=luck_redraws,
    )  # fmt: skip
    return run(Ladder(plan, param, tuple(budgets[:-1])), folder, workers, progress)

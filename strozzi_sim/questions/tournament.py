"""tournament: which agent of a field is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.simulation.seatings import Design
    from strozzi_sim.studies.lookup import Folder, Lineup, Players, Variants
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def tournament(
    game: str | Game,
    agents: Lineup,
    players: Players = None,
    deals: int = 200,
    seatings: Design = "latin",
    variant: Variants = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    precision: float | None = None,
    max_matchups: int = 5000,
    until: str | float = "",
    luck: str = "",
    luck_redraws: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Rank a field of agents: every combination of them on the same deals, in every seating.

    Args:
        game: a name or a Game.
        agents: the agents, separated by commas
        players: player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        deals: deals for every line-up
        seatings: latin, all, rotate or spread (each deal once, seatings in turn)
        variant: a variant; may be given several times
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        precision: stop when win shares are known to within +- these points: 2 is until=0.02
        max_matchups: maximum number of line-ups; more are sampled
        until: stop when win shares are known to within +- this, or all pairs are `decided`
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        folder: keep everything in this folder, and resume there; default: only print
        progress: as in `simulate`

    Returns:
        Tables agents, pairwise, ratings, seat_effects and nash (two players).

    Raises:
        InputError: the field is too small, or something cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.tournament("strozzi", ["random", "greedy", "heuristic"], players=3, deals=50)
    >>> strength = found.tables["ratings"].query("figure == 'strength'").set_index("agent")["value"]
    >>> bool(strength["heuristic"] > strength["greedy"] > strength["random"])
    True
    """
    from strozzi_sim.errors import ArgumentError, check_range
    from strozzi_sim.game import find_game
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants
    from strozzi_sim.studies.study import run
    from strozzi_sim.studies.tournament import plan_tournament

    game = find_game(game)
    if precision is not None:
        check_range("precision", precision, 0.01, 25)
        if until:
            raise ArgumentError("precision", "is another form of until; use one or the other")
        until = precision / 100
    field, variants, counts = find_agents(agents, game), find_variants(game, variant), find_players(game, players)
    study = plan_tournament(
        game, field, variants, counts, deals, seatings, seed, max_matchups, until, luck=luck, luck_redraws=luck_redraws,
    )  # fmt: skip
    return run(study, folder, workers, progress)

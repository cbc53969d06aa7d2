"""weights: which numbers of the box matter?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.studies.lookup import Lineup
    from strozzi_sim.studies.plan import Plan
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import Tables


def weights(
    game: str | Game,
    players: int | None = None,
    agents: Lineup = (),
    deals: int = 150_000,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    keys: str = "*",
    progress: ProgressOption = None,
) -> Results:
    """Move every number of the components one step up and down, and measure what that changes.

    All play a twentieth of the deals first, the same ones. The forty that move shares of wins furthest then play a
    fifth of the deals, and the ten furthest of these all, each time on new deals.

    Args:
        game: a name or a Game.
        players: number of players; default: 4, or the game's minimum
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth
        variant: a variant of the components, from which the steps are made
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        keys: only numbers whose key has this pattern, such as 'tracks.*'
        progress: as in `simulate`

    Returns:
        Table weights: for every number and step the change of each seat's share of wins (of a line-up of each agent's), the gap
        between seats, mean score and length, with intervals; p is corrected for all numbers of a heat (Holm). least
        and most bound the largest change of a share by the number, for all numbers at once; place_low and place_high
        are the places that it can have by these bounds. status is "among those that matter most" (known to move the
        shares, measured longest), "matters less" (known to), "may matter as much" (it changes something, but is not
        known to move the shares less than all of those) or "cannot be told from zero". Numbers that cannot be moved
        are in `manifest["refused"]`.

    Raises:
        InputError: an invalid argument; names it.
        AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(found.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    from dataclasses import replace
    from fnmatch import fnmatchcase
    from time import monotonic

    from strozzi_sim.errors import ArgumentError, suggest_names
    from strozzi_sim.game import find_game
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants, make_lineups, worker_count
    from strozzi_sim.studies.planning import make_plan, name_of
    from strozzi_sim.studies.progress import report_progress
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import run_in_memory
    from strozzi_sim.studies.weights import CHUNKS, FIRST, numbers, steps, weigh

    game = find_game(game)
    (played,) = find_variants(game, variant)
    counts, number = find_players(game, players), worker_count(workers)
    if len(counts) != 1:
        raise ArgumentError("players", f"expected one player count, got {', '.join(map(str, counts))}")
    lineups = make_lineups(find_agents(agents or [game.default_agent], game), counts)
    plan = make_plan(name_of("weights", game), game, lineups, [played], counts, deals, seed=seed, pages=())
    plan = replace(plan, asked=(), counted=())
    first = deals // FIRST
    if first < CHUNKS:
        raise ArgumentError("deals", f"must be at least {FIRST * CHUNKS}, got {deals}")
    moved, refused = steps(game, played)
    moved = [step for step in moved if fnmatchcase(step.key, keys)]
    if not moved:
        raise ArgumentError(
            "keys",
            f"no number has a key like {keys!r}; {suggest_names(keys, [key for key, _ in numbers(game, played)])}",
        )
    refused = {key: why for key, why in refused.items() if fnmatchcase(key.partition("=")[0], keys)}
    began = monotonic()
    with report_progress(progress) as reporter:
        whole = replace(reporter, allow_partial=False)  # parts of a heat would decide what matters
        reporter.on_planned(
            f"{game.title}: {len({step.key for step in moved})} numbers in {len(moved)} steps, {first:,} deals each; "
            "those that move wins "
            f"furthest up to {deals:,}; {plan.cells[0].lineup} at {counts[0]} players",
        )

        def play(part: Plan, tables: Tables) -> None:
            run_in_memory(part, workers=number, progress=whole, tables=tables)

        table, games = weigh(plan, moved, play)
    kept: dict[str, Any] = {"game": game.name, "players": list(counts), "seed": seed, "deals": deals, "games": games}
    return Results(
        kept,
        {"weights": table},
        games,
        games,
        round(monotonic() - began, 3),
        manifest={"game": game.name, "refused": refused},
        workers=workers,
        watch=progress,
    )

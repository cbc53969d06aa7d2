"""leak-check: does an agent use what its seat cannot know?"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.agent import AnyAgent
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.studies.lookup import Folder, Players
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def leak_check(
    game: str | Game,
    agent: AnyAgent,
    players: Players = None,
    deals: int = 5,
    seed: int = 0,
    variant: AnyVariant = "base",
    *,
    study: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Check that an agent's choices depend only on what its seat knows in the current game.

    Args:
        game: a name or a Game
        agent: agent to check; it plays itself, and every decision is repeated on the concealed state
        players: player counts: 4, 3-6 or 3,5; default: all that the game allows
        deals: games for each player count
        seed: random seed, below 2^53
        variant: variant of the game's components
        study: study file (TOML) that defines the variant
        progress: as in `simulate`

    Returns:
        Table leak_check, one row: agent, decisions checked, `ok`, and if not, the leak (players, seed, deal, decision, seat),
        its action, the action it changed to, and the change that caused it. `Results.leak_check` has the same as an object.

    Raises:
        InputError: the agent does not play this game or these player counts.
        AgentFault: the agent failed, hung or chose an illegal action.

    >>> import strozzi_sim as ss
    >>> ss.leak_check("strozzi", "greedy", players=3, deals=1).tables["leak_check"]["ok"].item()
    True
    """
    import pandas as pd

    from strozzi_sim.errors import check_whole
    from strozzi_sim.game import find_game
    from strozzi_sim.play.leak_check import LeakCheck, check_leaks
    from strozzi_sim.simulation.interrupts import stop_flag
    from strozzi_sim.simulation.isolation import query_in_worker
    from strozzi_sim.studies.lookup import find_agents, find_players
    from strozzi_sim.studies.planning import find_study_variant
    from strozzi_sim.studies.progress import report_progress
    from strozzi_sim.studies.results import Results

    game = find_game(game)
    counts = find_players(game, "all" if players is None else players)
    check_whole("deals", deals, 1, 1_000_000_000)
    check_whole("seed", seed, 0, 2**53 - 1)
    played = find_study_variant(game, variant, study)
    (spec,) = find_agents([agent], game, "agent")
    began = monotonic()
    with report_progress(progress) as reporter, stop_flag():
        reporter.on_planned(f"{spec.text} against itself, players {', '.join(map(str, counts))}, {deals:,} deals")
        check = partial(check_leaks, players=counts, deals=deals, seed=seed)
        found: LeakCheck = query_in_worker(check, spec, game, played, seed=seed)
    leak = {} if found.leak is None else found.leak.where
    keys = ("players", "deal", "decision", "seat", "action", "moved_to", "changed")
    row = {"agent": spec.text, "decisions": found.decisions, "ok": not leak, "seed": seed}
    row |= {key: leak.get(key) for key in keys}
    plan = {"game": game.name, "players": list(counts), "agent": spec.text, "deals": deals, "seed": seed}
    games, tables = deals * len(counts), {"leak_check": pd.DataFrame([row])}
    seconds = round(monotonic() - began, 3)
    return Results(plan, tables, games, games, seconds, leak_check=found)

"""fairness: may this agent see what it should not?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.agent import AnyAgent
    from strozzi_sim.games.contract import Game
    from strozzi_sim.studies.names import AnyVariant, Players
    from strozzi_sim.studies.results import Results


def fairness(
    game: str | Game,
    agent: AnyAgent,
    players: Players = None,
    deals: int = 5,
    seed: int = 0,
    variant: AnyVariant = "base",
) -> Results:
    """Does an agent's choice depend on what it must not know, or on more than its game?

    Args:
        game: a name or a Game.
        agent: plays against itself; every decision is doubted.
        players: player counts; None is all of the game that the agent plays.
        deals: games at each player count.
        seed: of the games.
        variant: of the game's components.

    Returns:
        Table fairness, one row: agent, decisions looked at, `ok`, and if not, where the agent leaks (players, seed, deal,
        decision, seat), its action, what it was moved to, and the change that moved it.

    Raises:
        InputError: the agent plays none of these.
        AgentFault: it failed, hung or chose an illegal action.

    >>> import strozzi_sim as ss
    >>> ss.fairness("strozzi", "greedy", players=3, deals=1).tables["fairness"]["ok"].item()
    True
    """
    from functools import partial
    from time import monotonic

    import pandas as pd

    from strozzi_sim.errors import check_range
    from strozzi_sim.games import find_game
    from strozzi_sim.play.fairness import check_fairness
    from strozzi_sim.selfplay.apart import ask_apart
    from strozzi_sim.selfplay.interrupts import stop_flag
    from strozzi_sim.studies.calibrated import noted_in, with_counts
    from strozzi_sim.studies.names import find_agents, find_players, find_variants
    from strozzi_sim.studies.results import Results

    game = find_game(game)
    counts = game.player_counts if players is None else find_players(game, players)
    check_range("deals", deals, 1, 1e9)
    check_range("seed", seed, 0, 2**53 - 1)
    (played,) = find_variants(game, variant)
    specs, calibrations = with_counts(find_agents([agent], game, "agent"), game, counts, [played])
    check = partial(check_fairness, players=counts, deals=deals, seed=seed)
    began = monotonic()
    with stop_flag():
        found = ask_apart(check, specs[0], game, played, seed=seed)
    where = {
        key: getattr(found.leak, key, None) for key in ("players", "deal", "decision", "seat", "action", "moved_to")
    }
    row = {"agent": specs[0].text, "decisions": found.decisions, "ok": found.leak is None, "seed": seed, **where}
    row["changed"] = getattr(found.leak, "what", None)
    row["row_independent"] = None if found.rows is None else found.rows.independent
    plan = {"game": game.name, "players": list(counts), "agent": specs[0].text, "deals": deals, "seed": seed}
    games = deals * len(counts)
    tables = {"fairness": pd.DataFrame([row])}
    return Results(noted_in(plan, calibrations), tables, games, games, round(monotonic() - began, 3))

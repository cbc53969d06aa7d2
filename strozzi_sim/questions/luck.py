"""luck: how much of an outcome is skill, seat and deal, and how dramatic is the game?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.studies.lookup import Folder, Lineup, Players
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def luck(
    game: str | Game,
    players: Players = None,
    agents: Lineup = (),
    deals: int = 1000,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    seconds: float = 20.0,
    games: int | None = None,
    playouts: int = 200,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure how much of a win and of a score is skill, seat, deal and the rest, and the drama.

    Every line-up plays every deal in every rotation; the variance of the outcomes is then that of agents, of seats, of what the
    deal does to all, to a seat and to an agent, and of the rest (analysis of variance of Latin squares). The share of the agents is that of
    the line-up, so there are two or three of them. The game's agents of each strength that do not search
    then play among themselves games that are followed with play-outs.

    Args:
        game: a name or a Game.
        players: player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        agents: different agents, one for each seat, separated by commas; fewer players are the first of them; default: several
            line-ups: of each strength of play one agent among those of the next lower strength, and the game's middle tier with its styles
        deals: deals for every player count, each played in every rotation
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        seconds: seconds that a decision takes at a table, an assumption from which minutes follow
        games: games to follow at each strength of play, at least 30 (an agent with learned values plays 30); 0: none; default: 100, of a game
            with more than 100 decisions fewer
        playouts: play-outs at each of the (at most 40) decisions of a game that is followed
        folder: keep everything in this folder, and resume there; default: only print
        progress: as in `simulate`

    Returns:
        Table luck: variance_share by outcome (win, score) and source: agents, seats, agents_at_seats, deal (what it gives to
        all), deal_of_seat (to whoever sits there), deal_of_agent (to an agent wherever it sits), rest; the variance; decisions and minutes.
        Table drama, by strength: decisions_mean, decided_mean (share of the decisions after which the winner's chance stays at 95 % or more), runaway_share (games decided in the first half),
        lead_changes_mean, winner_lowest_mean (lowest chance of the later winner), kingmaking_share (decisions of a seat that
        cannot win, two of whose actions differ by 10 points in a rival's chance; not with two players).

    Raises:
        InputError: an invalid argument, or an agent that is listed twice; names it.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> table = ss.luck("strozzi", players=3, agents=["heuristic", "greedy", "random"], deals=200, games=0).tables["luck"]
    >>> found = table.query("outcome == 'win'").set_index("source")["value"]
    >>> bool(found["agents"] > 0.2 > found["seats"])
    True
    """
    from strozzi_sim.errors import ArgumentError, check_range, check_whole
    from strozzi_sim.game import find_game
    from strozzi_sim.studies.drama import FEWEST
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants, worker_count
    from strozzi_sim.studies.luck import Luck, usual_fields
    from strozzi_sim.studies.planning import make_plan, name_of
    from strozzi_sim.studies.study import run

    game = find_game(game)
    check_range("seconds", seconds, 0.01, 3600)
    if games is not None and games != 0:
        check_whole("games", games, FEWEST, 1_000_000)
    check_whole("playouts", playouts, 50, 1_000_000)
    counts = find_players(game, players)
    field = find_agents(agents, game) if agents else []
    texts = [spec.text for spec in field]
    twice = sorted({text for text in texts if texts.count(text) > 1})
    if twice:
        raise ArgumentError(
            "agents", f"{twice[0]} is listed twice; copies play equal games in several rotations, so all must differ"
        )
    if field and len(field) != max(counts):
        raise ArgumentError("agents", f"needs {max(counts)} different agents, got {len(field)} ({', '.join(texts)})")
    lineups = [each for count in counts for each in ([field[:count]] if field else usual_fields(game, count))]
    plan = make_plan(
        name_of("luck", game), game, lineups, find_variants(game, variant), counts, deals, seed=seed,
        chunks=50, rows=True, orders=True,
    )  # fmt: skip
    return run(Luck(plan, seconds, games, playouts, worker_count(workers)), folder, workers, progress)

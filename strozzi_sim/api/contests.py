"""Agents and variants against each other: each command's work as a function that gives Results."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from strozzi_sim.agent import Agent, AnyAgent
from strozzi_sim.api.bars import bar
from strozzi_sim.api.results import Results
from strozzi_sim.api.studies import Watch, how
from strozzi_sim.errors import check_range
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import AnyVariant
from strozzi_sim.play.fairness import check_fairness
from strozzi_sim.selfplay.apart import ask_apart
from strozzi_sim.selfplay.interrupts import stop_flag
from strozzi_sim.selfplay.seatings import Design
from strozzi_sim.studies import compare as comparing
from strozzi_sim.studies import exploit as exploiting
from strozzi_sim.studies import ladder as climbing
from strozzi_sim.studies import tournament as ranking
from strozzi_sim.studies.calibrated import noted_in, with_counts
from strozzi_sim.studies.names import find_agents, find_players, find_variants
from strozzi_sim.studies.played import Played


def tournament(
    game: str | Game,
    agents: Sequence[AnyAgent],
    players: int | Sequence[int] | None = None,
    deals: int = 200,
    seatings: Design = "latin",
    variant: AnyVariant | Sequence[AnyVariant] = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    matchups: int = ranking.MAX_MATCHUPS,
    until: str | float = "",
    folder: str | Path | None = None,
    progress: Watch = None,
) -> Results:
    """Rank a field of agents: every choice of them on the same deals, in every seating.

    Args:
        game: a name or a Game.
        agents: the field, at least as many as players.
        players: player counts; None is 4, or the fewest of the game.
        deals: of every matchup; the most, if it may stop before.
        seatings: latin, all or rotate.
        variant: as in `simulate`.
        seed: 0 .. 2^53 - 1.
        workers: how many; None is one a core.
        matchups: at most; of more, a balanced sample is played.
        until: stop when every win share is known to within +- this, or when all pairs are "decided".
        folder: as in `simulate`.
        progress: as in `simulate`.

    Returns:
        Tables agents, pairwise, ratings, seat_effects, and with two players nash.

    Raises:
        InputError: the field is too small, or something cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.tournament("strozzi", ["random", "greedy", "heuristic"], players=3, deals=50)
    >>> strength = found.tables["ratings"].query("figure == 'strength'").set_index("agent")["value"]
    >>> bool(strength["heuristic"] > strength["greedy"] > strength["random"])
    True
    """
    sample = ranking.Sample(matchups, str(until))
    with bar(progress) as told:
        played = ranking.tournament(
            game, agents=agents, players=players, deals=deals, seatings=seatings, variants=variant, seed=seed,
            sample=sample, how=how(folder, workers, told),
        )  # fmt: skip
    return Results(played, workers=workers, progress=progress)


def compare(
    game: str | Game,
    first: AnyAgent | AnyVariant,
    second: AnyAgent | AnyVariant,
    players: int | Sequence[int] | None = None,
    *,
    against: Sequence[AnyAgent] = (),
    agents: Sequence[AnyAgent] = (),
    deals: int = 1000,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: str | Path | None = None,
    progress: Watch = None,
) -> Results:
    """Two agents, or two variants, on the same deals: the difference, paired by deal, with its interval.

    Args:
        game: a name or a Game.
        first: an agent, or a variant if both are some.
        second: the other side.
        players: player counts; None is 4, or the fewest of the game.
        against: who sits in the other seats, if agents are compared; none is the game's own.
        agents: who plays, if variants are compared; one is self-play, none is the game's own.
        deals: of every line-up.
        seatings: one, rotate, all or latin.
        variant: of the game's components, if agents are compared.
        seed: 0 .. 2^53 - 1.
        workers: how many; None is one a core.
        folder: as in `simulate`.
        progress: as in `simulate`.

    Returns:
        Tables sides (each by itself) and difference (first - second).

    Raises:
        InputError: something that cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.compare("strozzi", "heuristic", "random", players=3, deals=60)
    >>> found.tables["difference"].query("figure == 'win_share'")["low"].item() > 0
    True
    """
    game = find_game(game)
    sides: list[Any] = [_side(game, each) for each in (first, second)]
    with bar(progress) as told:
        played = comparing.compare(
            game, first=sides[0], second=sides[1], against=against, agents=agents, players=players, deals=deals,
            seatings=seatings, variant=variant, seed=seed, how=how(folder, workers, told),
        )  # fmt: skip
    return Results(played, workers=workers, progress=progress)


def _side(game: Game, side: Any) -> Any:
    """An object of what was declared or changed in code; a name stays one."""
    if isinstance(side, Mapping):
        return find_variants(game, side)[0]
    return find_agents([side], game)[0] if isinstance(side, Agent) else side


def ladder(
    game: str | Game,
    agent: AnyAgent,
    param: str = "iterations",
    start: float = 250,
    steps: int = 5,
    players: int | None = None,
    *,
    deals: int = 200,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: str | Path | None = None,
    progress: Watch = None,
) -> Results:
    """Does twice the budget win, and where does that stop? One seat has twice the budget of the others.

    Args:
        game: a name or a Game.
        agent: one with a budget, such as playouts.
        param: the parameter that is the budget.
        start: the smallest budget.
        steps: number of doublings.
        players: player count; None is 4, or the fewest of the game.
        deals: of every step.
        seatings: one, rotate, all or latin.
        variant: of the game's components.
        seed: 0 .. 2^53 - 1.
        workers: how many; None is one a core.
        folder: as in `simulate`.
        progress: as in `simulate`.

    Returns:
        Table ladder.

    Raises:
        InputError: no such parameter, a budget out of its range, or something that cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.ladder("strozzi", "greedy", param="margin", start=2, steps=2, players=3, deals=50)
    >>> list(found.tables["ladder"]["step"].unique())
    ['1', '2']
    """
    with bar(progress) as told:
        played = climbing.ladder(
            game, agent=agent, climb=climbing.Climb(param, start, steps), players=players, deals=deals,
            seatings=seatings, variant=variant, seed=seed, how=how(folder, workers, told),
        )  # fmt: skip
    return Results(played, workers=workers, progress=progress)


def exploit(
    game: str | Game,
    agent: AnyAgent,
    players: int | None = None,
    *,
    tune: AnyAgent | None = None,
    search: Sequence[AnyAgent] = (),
    generations: int = 12,
    population: int = 32,
    deals: int = 150,
    held_out: int = 2000,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    progress: Watch = None,
) -> Results:
    """Look for a challenger that beats copies of an agent; a lower bound on what it gives away.

    Args:
        game: a name or a Game.
        agent: the agent to be exploited.
        players: player count; None is 4, or the fewest of the game.
        tune: agent whose weights are tuned against it; default: the game's default agent. Tuning is skipped for an agent
            without real-valued parameters.
        search: more challengers, played as given.
        generations: of the tuning.
        population: candidates in each generation.
        deals: training deals for each candidate, each from every seat.
        held_out: deals of the measurement, each from every seat.
        variant: of the game's components.
        seed: 0 .. 2^53 - 1.
        workers: how many; None is one a core.
        progress: as in `simulate`.

    Returns:
        Table challengers.

    Raises:
        InputError: something that cannot be played.
        AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.exploit("strozzi", "random", 3, generations=1, population=4, deals=20, held_out=100)
    >>> found.tables["challengers"].query("chosen and figure == 'gives_away'")["low"].item() > 0
    True
    """
    looking = exploiting.Search(generations, population, deals, held_out)
    with bar(progress) as told:
        played = exploiting.exploit(
            game, agent=agent, tuned=tune, searchers=search, search=looking, players=players, variant=variant,
            seed=seed, how=how(None, workers, told),
        )  # fmt: skip
    return Results(played, workers=workers, progress=progress)


def fairness(
    game: str | Game,
    agent: AnyAgent,
    players: int | Sequence[int] | None = None,
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
    import pandas as pd

    game = find_game(game)
    counts = game.player_counts if players is None else find_players(game, players)
    check_range("deals", deals, 1, 1e9)
    check_range("seed", seed, 0, 2**53 - 1)
    (played,) = find_variants(game, variant)
    specs, calibrations = with_counts(find_agents([agent], game, argument="agent"), game, counts, [played])
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
    return Results(Played(noted_in(plan, calibrations), tables, games, games, round(monotonic() - began, 3)))

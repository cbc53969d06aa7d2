"""record and analyse: games one by one, as lines of a record, and what each decision of one cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.play.analyse import GameAnalysis
    from strozzi_sim.play.position import Position
    from strozzi_sim.studies.lookup import Lineup


def record(
    game: str | Game,
    players: int | None = None,
    agents: Lineup = "random",
    games: int = 1,
    *,
    deal: int | None = None,
    seating: int | None = None,
    seatings: str = "rotate",
    seed: int = 0,
    variant: AnyVariant = "base",
) -> list[list[dict[str, Any]]]:
    """Play games and return their records: of each game its lines, as `strozzi record` writes them.

    Args:
        game: a name or a Game.
        players: number of players; default: 4, or the game's minimum.
        agents: the line-up.
        games: number of games, deals 0 .. games - 1.
        deal: only this deal.
        seating: number of the seating in the design; default: 0, with spread that of the deal.
        seatings: seating design: one, rotate, spread, all or latin.
        seed: random seed, below 2^53.
        variant: variant of the game's components.

    Raises:
        InputError: an argument that is not valid; names it and what is allowed.
        AgentFault: an agent failed, hung or chose an illegal action.

    >>> import strozzi_sim as ss
    >>> (lines,) = ss.record("strozzi", players=3, agents="random", seed=7)
    >>> lines[0]["agents"], lines[0]["seed"], len(lines) > 100
    (['random', 'random', 'random'], 7, True)
    """
    from strozzi_sim.errors import ArgumentError, as_argument_error, check_whole
    from strozzi_sim.game import find_game
    from strozzi_sim.play.records import record_games
    from strozzi_sim.simulation.interrupts import stop_flag
    from strozzi_sim.simulation.match import Match
    from strozzi_sim.simulation.seatings import seating_design
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants

    the_game = find_game(game)
    counts = find_players(the_game, players)
    if len(counts) != 1:
        raise ArgumentError("players", f"expected one number of players, got {players!r}")
    check_whole("games", games, 1, 10**9)
    if deal is not None:
        check_whole("deal", deal, 0, 2**53 - 1)
        if games != 1:
            raise ArgumentError("games", f"deal is one game, got games={games}")
    check_whole("seed", seed, 0, 2**53 - 1)
    variants = find_variants(the_game, variant)
    if len(variants) != 1:
        raise ArgumentError("variant", f"expected one variant, got {len(variants)}")
    lineup = find_agents(agents, the_game)
    seating_design(seatings, counts[0])
    match = as_argument_error("agents", Match, the_game, counts[0], tuple(lineup), variants[0], seed, seatings)
    if seating is not None:
        check_whole("seating", seating, 0, len(match.design) - 1)
    deals = range(games) if deal is None else range(deal, deal + 1)
    with stop_flag():
        return list(record_games(match, deals, seating))


def analyse(
    record: str | PathLike[str] | Iterable[Mapping[str, Any]] | Position,
    game: int = 1,
    agent: str = "learned",
    redraws: int = 32,
) -> GameAnalysis:
    """Say of a finished game what each decision cost, how lucky each seat was, and what turned it.

    Args:
        record: file of games, the lines of one game, as `record` returns them, or a finished Position.
        game: number of the game in the file, from 1.
        agent: an agent that evaluates positions.
        redraws: draws of chance behind each figure.

    Raises:
        InputError: no finished game, an agent that does not evaluate it, or a game in which something is hidden.
        StorageError: the file cannot be read.

    >>> import strozzi_sim as ss
    >>> (lines,) = ss.record("strozzi", players=3, agents="random", seed=7)
    >>> found = ss.analyse(lines, redraws=4)
    >>> found.seat_table["agent"].tolist()
    ['random', 'random', 'random']
    >>> found.decision_table.columns.tolist()
    ['decision', 'seat', 'agent', 'question', 'played', 'best', 'loss', 'win_loss', 'is_choice']
    """
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from pathlib import Path

    from strozzi_sim.errors import ArgumentError, check_whole, short_repr
    from strozzi_sim.play.analyse import analyse_record
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.reconstruct import only_game
    from strozzi_sim.play.records import numbered_game

    check_whole("redraws", redraws, 1, 10_000)
    check_whole("game", game, 1, 10**12)
    if isinstance(record, Position):
        if not record.over:
            raise ArgumentError("record", f"the game is not over after {len(record.actions)} decisions")
        record = record.record([f"seat {seat}" for seat in range(record.players)])
    if isinstance(record, str | PathLike):
        return analyse_record(numbered_game(Path(record), game), str(record), agent, redraws)[1]
    if isinstance(record, bytes | Mapping) or not isinstance(record, Iterable):
        raise ArgumentError(
            "record", f"expected a file, the lines of a record or a finished Position, got {short_repr(record)}"
        )
    if game != 1:
        raise ArgumentError("game", f"these are the lines of one game, got game={game}")
    return analyse_record(only_game(record, "record"), "record", agent, redraws)[1]

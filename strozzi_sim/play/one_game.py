"""The functions `record`, `position` and `analyse`, for single games."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from strozzi_sim.agent import check_lineup, seat_others
from strozzi_sim.agent.names import Agents, agents_named
from strozzi_sim.errors import ArgumentError, as_argument_error, check_whole, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import YOU
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.analyse import GameAnalysis, analyse_record
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, match_of, numbered_game, record_games
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.stats.intervals import t_quantile

_SEARCHES = 8  # searches behind the worth of a choice


def record(
    game: str | Game,
    players: int | None = None,
    agents: Agents = "random",
    games: int = 1,
    *,
    deal: int | None = None,
    seating: int | None = None,
    seatings: str = "rotate",
    seed: int = 0,
    variant: AnyVariant = "base",
) -> list[list[dict[str, Any]]]:
    """Play games and return their records: for each game a list of lines, as `strozzi record` writes them.

    The line-up `agents` plays the deals 0 .. games - 1, or only `deal`, each in one seating of the design `seatings`
    (one, rotate, spread, all or latin): number `seating`, or by default 0, with spread the deal's own.

    >>> import strozzi_sim as ss
    >>> (lines,) = ss.record("strozzi", players=3, agents="random", seed=7)
    >>> lines[0]["agents"], lines[0]["seed"], len(lines) > 100
    (['random', 'random', 'random'], 7, True)
    """
    match, deals = match_of(game, players, agents, games, deal, seating, seatings, seed, variant)
    with stop_flag():
        return list(record_games(match, deals, seating))


def position(
    game: str,
    players: int | None = None,
    variant: str = "base",
    seed: int = 0,
    deal: int = 0,
    choices: Sequence[str] = (),
    opponents: str = "",
    seat: int | None = None,
    agent: str = "",
) -> dict[str, Any]:
    """Open a game, see the table as one seat sees it, and choose: call again with one more entry in choices.

    With opponents, agents play the other seats, and choices are those of one seat; without them, those of all seats, in
    order. With agent, each choice has its worth, and each decision of a finished game its cost.

    Args:
        game: name of a game
        players: number of players; default: 4, or the game's minimum
        variant: a variant of the game's components
        seed: random seed, below 2^53; with the deal it decides all chance
        deal: number of the deal
        choices: names of the choices so far, in order
        opponents: agents of the other seats in turn order, separated by commas, such as random
        seat: the seat that sees the table and, with opponents, chooses, from 0; default: the seat that decides, or 0
            with opponents and at the end
        agent: a search agent, such as flat_mc:playouts=50; for a finished game a judge of positions, such as learned

    Returns:
        What the seat sees and what has happened since it decided; if it decides, its choices and what they mean; at
        the end scores and places, and with agent a GameAnalysis. It omits what the seat cannot know.

    >>> from strozzi_sim.play.one_game import position
    >>> answer = position("strozzi", 3, seed=7, opponents="heuristic", choices=["pass"])
    >>> answer["seen_by"], answer["decides"], len(answer["choices"])
    (0, 0, 4)
    """
    current = Position(game, players, seed, deal, variant)
    names = [f"seat {number}" for number in range(current.players)]
    specs = agents_named(current.game, opponents or (), "opponents")
    if seat is not None:
        check_whole("seat", seat, 0, current.players - 1)
    if specs:
        seat = seat or 0
        as_argument_error("opponents", check_lineup, specs, current.game, current.players)
        if len(specs) >= current.players:
            raise ArgumentError("opponents", f"must be 1 to {current.players - 1} agents, got {len(specs)}")
        specs = tuple(seat_others(specs, current.players, seat))
        names = [YOU if number == seat else spec.text for number, spec in enumerate(specs)]
    chosen = 0
    before_own_choice: dict[int, Position] = {}  # by seat, the position before its last choice
    while not current.over:
        before_choice = current.copy()
        if specs and current.actor != seat:
            current.play(current.ask(specs[current.actor]))
        elif chosen == len(choices):
            break
        else:
            chosen += 1
            try:
                current.play(choices[chosen - 1])
            except ArgumentError as error:
                raise ArgumentError("choices", f"choice {chosen}: {error.message}") from None
        before_own_choice[before_choice.actor] = before_choice
    if chosen < len(choices):
        raise ArgumentError("choices", f"the game is over after {chosen} of them, got {len(choices)}")
    viewer = seat if seat is not None else max(current.actor, 0)
    seen_lines = len(before_own_choice[viewer].lines()) if viewer in before_own_choice else 0
    answer: dict[str, Any] = {
        "text": current.text(viewer, names),
        "seen_by": viewer,
        "decides": None if current.over else current.actor,
        "happened": current.sentences(current.lines(viewer)[seen_lines:], names),
        "reconstructed_data": list(current.variant.reconstructed),
    }
    if current.over:
        analysis = {"analysis": analyse(current, agent=agent)} if agent else {}
        return answer | {"scores": list(current.scores), "places": list(current.places)} | analysis
    if current.actor != viewer:
        return answer
    meanings = current.meanings
    answer["question"] = current.question
    answer["choices"] = {name: meanings.get(name, "") for name in current.compound_choices or current.names}
    answer["several_at_once"] = bool(current.compound_choices)  # one choice may name several, separated by blanks
    return answer | ({"worth": _worths(current, agent)} if agent else {})


def _worths(current: Position, agent: str) -> list[dict[str, Any]]:
    """Return the value of each legal choice, best first: the mean of independent searches, with its 95 % interval."""
    import pandas as pd

    analyses = []
    for seed in range(1, 1 + _SEARCHES):
        other = current.copy()  # the same game, but the agent draws the random numbers of a game of this seed
        other.rng = Position(current.game, current.players, seed, current.deal, current.variant).rng
        analyses.append(other.analyse(agent))
    rows = pd.concat(analyses).groupby("name", sort=False)
    summary = rows["value"].agg(["mean", "std", "count"]).assign(n=rows["visits"].sum())
    quantiles = np.array([t_quantile(max(n - 1, 1)) for n in summary["count"]])
    summary["half"] = quantiles * summary["std"] / summary["count"] ** 0.5
    return [
        {"choice": row.Index, "value": row.mean, "low": row.mean - row.half, "high": row.mean + row.half, "n": row.n}
        for row in summary.sort_values("mean", ascending=False, kind="stable").itertuples()
    ]


def analyse(
    record: str | PathLike[str] | Iterable[Mapping[str, Any]] | Position,
    game: int = 1,
    agent: str = "learned",
    redraws: int = 32,
) -> GameAnalysis:
    """Return the analysis of a finished game: what each decision cost, each seat's luck, and the turning points.

    Args:
        record: file of games, the lines of one game, as `record` returns them, or a finished Position.
        game: number of the game in the file, from 1.
        agent: an agent that evaluates positions.
        redraws: number of draws of chance behind each figure.

    Raises:
        InputError: an unfinished game, an agent that does not evaluate positions, a game with hidden information, or a
            Position that its record cannot restore (see `Position.record`).

    >>> import strozzi_sim as ss
    >>> (lines,) = ss.record("strozzi", players=3, agents="random", seed=7)
    >>> analysis = ss.analyse(lines, redraws=4)
    >>> analysis.seat_table["agent"].tolist()
    ['random', 'random', 'random']
    """
    check_whole("redraws", redraws, 1, 10_000)
    check_whole("game", game, 1, 10**12)
    if isinstance(record, str | PathLike):
        return analyse_record(numbered_game(Path(record), game), agent, redraws)[1]
    if isinstance(record, Position):
        if not record.over:
            raise ArgumentError("record", f"the game is not over after {len(record.actions)} decisions")
        record = record.record([f"seat {seat}" for seat in range(record.players)])
    if isinstance(record, bytes | Mapping) or not isinstance(record, Iterable):
        expected = "a file, the lines of a record or a finished Position"
        raise ArgumentError("record", f"expected {expected}, got {short_repr(record)}")
    if game != 1:
        raise ArgumentError("game", f"these are the lines of one game, got game={game}")
    return analyse_record(RecordedGame.of(record), agent, redraws)[1]

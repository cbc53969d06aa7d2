"""bench: speed on this machine."""

import os
import sys
from collections.abc import Callable, Iterator
from time import monotonic, time
from typing import Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import InputError

_SLICE = 0.1  # seconds a task should take, about
_BATCH_SLICE = 0.5  # with an agent that answers batches: some thousand games at once
_GROWTH = 8  # times as many games in the next trial


def bench(
    game: options.GameName,
    players: options.OnePlayers = "",
    agents: options.Agents = "random",
    seconds: Annotated[float | None, typer.Option(help="seconds to play; default 5")] = None,
    games: Annotated[int | None, typer.Option(help="number of games to play")] = None,
    seed: options.Seed = 0,
    variant: options.VariantName = "base",
    settings: options.Settings = None,
    workers: options.Workers = None,
    count_facts: Annotated[
        bool, typer.Option("--count-facts", help="count all crosstabs of the default pages, as a study does")
    ] = False,
    json: options.Json = False,
) -> None:
    """Measure self-play: games, rounds and decisions per second, time per decision, start-up, memory.

    Example: strozzi bench strozzi --players 4 --agents random --workers 1 --json
    """
    from strozzi_sim.game import load_game
    from strozzi_sim.kernel.numba_patches import fallbacks
    from strozzi_sim.simulation.interrupts import stop_flag
    from strozzi_sim.simulation.match import Match
    from strozzi_sim.simulation.pool import Task, play_tasks
    from strozzi_sim.studies.lookup import worker_count

    if seconds is not None and games is not None:
        raise InputError("--seconds and --games: use only one of them")
    options.check_range("--seconds", seconds, 0.01, 1e6)
    options.check_range("--games", games, 1, 1e12)
    the_game = load_game(game)
    count = options.one_player_count(players, the_game)
    chosen = options.find_variant(the_game, variant, None, settings)
    match = Match(the_game, count, options.parse_lineup(agents, the_game, count), chosen, seed)
    team = worker_count(workers)
    began = monotonic()
    match.warm(counted=count_facts)
    compiled = monotonic() - began
    crosstabs = tuple(the_game.report.crosstabs(the_game.report.PAGES)) if count_facts else ()
    _seconds(match, 1, crosstabs)
    first_result = _process_age()
    in_batches = any(spec.agent.kind == "batch" for spec in match.lineup)
    size = _slice_size(lambda trial: _seconds(match, trial, crosstabs), games, _BATCH_SLICE if in_batches else _SLICE)

    def tasks() -> Iterator[Task]:
        first, limit = 0, monotonic() + (5.0 if seconds is None else seconds) if games is None else float("inf")
        while first == 0 or (
            monotonic() < limit and (games is None or first < games)
        ):  # one at least, however slow the machine
            last = first + size if games is None else min(first + size, games)
            yield Task(first, match, first, last, crosstabs)
            first = last

    done = decisions = playouts = 0
    began = monotonic()
    with stop_flag() as stop:
        for _, played in play_tasks(tasks(), team, stop):
            done += played.games
            decisions += int(played.outcome["decisions"][0])
            playouts += played.playouts
    elapsed = monotonic() - began
    rounds = the_game.components_part.rounds(match.variant.components)
    document: dict[str, Any] = {
        "game": the_game.name,
        "players": count,
        "agents": [spec.text for spec in match.positions],
        "workers": team,
        "games": done,
        "seconds": elapsed,
        "games_per_s": done / elapsed,
        "rounds_per_s": done * rounds / elapsed,
        "decisions_per_s": decisions / elapsed,
        "decisions_per_game": decisions / done,
        "s_per_decision": elapsed * team / decisions,
        "playouts_per_s": playouts / elapsed if playouts else None,
        "compile_s": compiled,
        "first_result_s": first_result,
        "peak_rss_mib": _peak_memory(),
        "slower": fallbacks(),
    }
    if json:
        options.print_json(document)
        return
    print(*document["slower"], sep="\n", end="\n" if document["slower"] else "")
    print(f"{the_game.title}, {count} players, {','.join(document['agents'])}, {team} workers")
    print(f"  {document['games_per_s']:,.0f} games/s   {document['decisions_per_s']:,.0f} decisions/s   "
          f"{document['rounds_per_s']:,.0f} rounds/s")  # fmt: skip
    if playouts:
        print(f"  {document['playouts_per_s']:,.0f} playouts/s, {playouts / done:,.0f} a game")
    each = 1e6 * document["s_per_decision"]
    print(f"  {done:,} games in {elapsed:.2f} s, {document['decisions_per_game']:.1f} decisions per game, "
          f"{each:,.2f} microseconds of a worker each")  # fmt: skip
    print(f"  compiled or loaded in {compiled:.2f} s, first result {first_result:.2f} s after the start, "
          f"peak memory {document['peak_rss_mib'] or 0:.0f} MiB")  # fmt: skip


def _slice_size(seconds: Callable[[int], float], most: int | None, wanted: float) -> int:
    """Return the number of games of a task that takes about `wanted` seconds.

    More games at once fill the calls of an agent that answers batches, so its speed is known only from a task that
    takes that long: it is tried with more and more games, `most` at most.
    """
    trial, took = 1, seconds(1)
    while took < wanted and (most is None or _GROWTH * trial <= most):
        trial *= _GROWTH
        took = seconds(trial)
    return max(trial if took < wanted else int(trial * wanted / took), trial // _GROWTH, 1)


def _seconds(match: Any, games: int, crosstabs: Any) -> float:
    """Return the seconds that this number of games takes."""
    from strozzi_sim.simulation.isolation import run_in_worker

    if match.foreign:
        return float(run_in_worker(_measure, match, games, crosstabs, blame=match.lost))
    return _measure(match, games, crosstabs)


def _measure(match: Any, games: int, crosstabs: Any) -> float:
    plan = match.plan(crosstabs) if crosstabs else None
    began = monotonic()
    match.play(0, games, plan=plan)
    return monotonic() - began


def _process_age() -> float:
    """Return the seconds since this process started."""
    try:
        with open("/proc/self/stat", encoding="ascii") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        with open("/proc/uptime", encoding="ascii") as file:
            return float(file.read().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        from strozzi_sim.cli import BEGAN

        return time() - BEGAN


def _peak_memory() -> float | None:
    """Return the peak resident memory of this process in MiB; None where the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


COMMANDS = {"bench": bench}

"""bench, cache: speed on this machine, and the folder that keeps its compiled code."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, check_range
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.runtime import cache as cache_folders
from strozzi_sim.runtime.system import peak_memory, process_age

Document = dict[str, Any]
_SLICE = 0.1  # approximate seconds of a task
_BATCH_SLICE = 0.5  # with an agent that answers batches, for some thousand games at once
_GROWTH = 8  # times as many games in the next trial
_SLOW_SETTINGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUGINFO")  # environment variables that can slow games


def _crosstabs_of(game: Any) -> tuple[Any, ...]:
    """Return the crosstabs of all pages of a game's report; it loads pandas, which other measurements do without."""
    from strozzi_sim.declare.pages import report_of

    report = report_of(game)
    return tuple(report.crosstabs(report.pages))


def bench(
    game: str,
    *,
    players: str | None = None,
    agents: str = "random",
    seconds: float | None = None,
    games: int | None = None,
    seed: int = 0,
    variant: AnyVariant = "base",
    workers: int | None = None,
    count_facts: bool = False,
) -> Answer:
    """Measure self-play: games, rounds and decisions per second, time per decision, start-up, memory.

    Example: strozzi bench strozzi --players 4 --agents random --workers 1 --json

    Args:
        players: player count; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; seat i gets agent i mod k
        seconds: seconds to play; default: 5
        games: number of games to play, instead of seconds
        count_facts: count all crosstabs of the default pages, as a study does
    """
    from strozzi_sim.agent.names import worker_count
    from strozzi_sim.play.records import match_of
    from strozzi_sim.play.warming import warm_all
    from strozzi_sim.simulation.interrupts import stop_flag
    from strozzi_sim.simulation.match import Measures
    from strozzi_sim.simulation.pool import PlayTask, play_tasks

    if seconds is not None and games is not None:
        raise ArgumentError("seconds", "leave out --games, or this")
    check_range("seconds", 5.0 if seconds is None else seconds, 0.01, 1e6)
    check_range("games", 1 if games is None else games, 1, 1e12)
    number_of_workers = worker_count(workers)
    match, _ = match_of(game, players, agents, 1, None, None, "one", seed, variant)
    start = monotonic()
    warm_all([(match, count_facts)])
    compile_seconds = monotonic() - start
    measures = Measures(_crosstabs_of(match.game) if count_facts else ())

    def seconds_of(trial: int) -> float:
        began = monotonic()
        with stop_flag() as stop:
            list(play_tasks([PlayTask(0, match, 0, trial, measures)], 1, stop))
        return monotonic() - began

    seconds_of(1)
    first_result = process_age()
    in_batches = any(spec.agent.kind == "batch" for spec in match.lineup)
    size = _slice_size(seconds_of, games, _BATCH_SLICE if in_batches else _SLICE)

    def tasks() -> Iterator[PlayTask]:
        first, limit = 0, monotonic() + (seconds or 5.0)
        while first < games if games else first == 0 or monotonic() < limit:  # at least one, even on a slow machine
            last = min(first + size, games or first + size)
            yield PlayTask(first, match, first, last, measures)
            first = last

    games_played = decisions = playouts = 0
    start = monotonic()
    with stop_flag() as stop:
        for _, played in play_tasks(tasks(), number_of_workers, stop):
            games_played += played.games
            decisions += int(played.outcome["decisions"][0])
            playouts += played.playouts
    elapsed = monotonic() - start
    rounds = games_played * match.game.components_part.rounds(match.variant.components)
    document: Document = {"game": match.game.name, "players": match.players}
    document |= {"agents": [spec.text for spec in match.positions], "workers": number_of_workers}
    document |= {"games": games_played, "seconds": elapsed}
    for name, number in (("games", games_played), ("rounds", rounds), ("decisions", decisions)):
        document[f"{name}_per_s"] = number / elapsed
    document["decisions_per_game"] = decisions / games_played
    document["s_per_decision"] = elapsed * number_of_workers / decisions
    document["playouts_per_s"] = playouts / elapsed if playouts else None
    document |= {"compile_s": compile_seconds, "first_result_s": first_result, "peak_rss_mib": peak_memory()}
    document["slower"] = [f"may be slower: {name} is set" for name in _SLOW_SETTINGS if name in os.environ]
    return Answer(document, _lines(document, match.game.title, playouts / games_played))


def _lines(document: Document, title: str, playouts: float) -> Iterator[str]:
    yield from document["slower"]
    yield f"{title}, {document['players']} players, {','.join(document['agents'])}, {document['workers']} workers"
    speeds = {name: document[f"{name}_per_s"] for name in ("games", "decisions", "rounds", "playouts")}
    rates = "   ".join(f"{speed:,.0f} {name}/s" for name, speed in speeds.items() if speed)
    yield f"  {rates}" + (f", {playouts:,.0f} a game" if playouts else "")
    each = f"{1e6 * document['s_per_decision']:,.2f} microseconds of a worker each"
    decisions = f"{document['decisions_per_game']:.1f} decisions per game"
    yield f"  {document['games']:,} games in {document['seconds']:.2f} s, {decisions}, {each}"
    first, memory = f"first result {document['first_result_s']:.2f} s after the start", document["peak_rss_mib"]
    yield f"  compiled or loaded in {document['compile_s']:.2f} s, {first}, peak memory {memory:.0f} MiB"


def _slice_size(seconds: Callable[[int], float], most: int | None, target: float) -> int:
    """Return the number of games of a task that takes about `target` seconds, or less if `most` ends the trials.

    `seconds(n)` plays n games and returns the time taken. Trials grow, up to `most` games, until one takes `target`
    seconds, since an agent that answers batches is faster the more games are played at once.
    """
    trial, duration = 1, seconds(1)
    while duration < target and (most is None or _GROWTH * trial <= most):
        trial *= _GROWTH
        duration = seconds(trial)
    return max(trial if duration < target else int(trial * target / duration), trial // _GROWTH, 1)


def cache(game: str = "", *, clear: bool = False, warm: bool = False) -> Answer:
    """Show, clear or fill the folder that keeps compiled code.

    Example: strozzi cache --warm strozzi

    Args:
        game: with --warm: this game; default: every game
        clear: remove all compiled code; the next run compiles again
        warm: compile the games and the built-in agents in advance, so that later commands start fast
    """
    if clear and warm:
        raise ArgumentError("clear", "leave out --warm, or this")
    if game and not warm:
        raise ArgumentError("game", f"must be left out without --warm, got {game}")
    if warm:
        return _warmed(game)
    folders = cache_folders.clear() if clear else cache_folders.folders()
    root = str(cache_folders.cache_root())
    document = {"root": root, "cleared": clear, "folders": [folder.name for folder in folders]}
    lines = [f"{root}: {len(folders)} folders{' removed' if clear else ''}"]
    return Answer(document, lines + [f"    {folder.name}  {_mib(folder):.1f} MiB" for folder in folders if not clear])


def _warmed(game: str) -> Answer:
    from joblib import Parallel, delayed

    from strozzi_sim.agent.names import core_count
    from strozzi_sim.game import find_game, installed_games

    names = [listed.name for listed in ([find_game(game)] if game else installed_games()[0])]
    documents = Parallel(n_jobs=min(len(names), core_count()))(delayed(_warm)(name) for name in names)
    lines = []
    for document in documents:
        kept = f"kept in {document['folder']}, {document['mib']:.1f} MiB"
        place = kept if document["folder"] else "could not be stored"
        work = f"{document['pieces']} pieces of machine code in {document['seconds']:.1f} s"
        lines.append(f"{document['game']}: {work}, {place}")
    return Answer(documents, lines)


def _warm(name: str) -> Document:
    from strozzi_sim.game import load_game
    from strozzi_sim.play.warming import warm

    start = monotonic()
    pieces, folder_name = len(list(warm(load_game(name)))), cache_folders.folder_of(name).name
    document: Document = {"game": name, "pieces": pieces, "seconds": monotonic() - start, "folder": None, "mib": 0.0}
    kept = [each for each in cache_folders.folders() if each.name == folder_name]
    return document | ({"folder": str(kept[0]), "mib": _mib(kept[0])} if kept else {})


def _mib(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20

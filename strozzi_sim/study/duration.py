"""Estimates of a study's playing time: a few deals of each line-up, and a few followed games, are timed beforehand."""

from time import monotonic

from strozzi_sim.errors import pluralize
from strozzi_sim.study.cells import Cell
from strozzi_sim.study.following import Following
from strozzi_sim.study.progress import Progress, duration_text
from strozzi_sim.study.store import Store

PATIENCE = 20.0  # seconds of play that are announced beforehand, at least
_TIMED, _SLOW = 0.1, 1.0  # seconds that a line-up plays to be timed; of a deal that is timed alone
_MOST_TIMED = 12  # line-ups that are timed, at most


def announce(store: Store, workers: int, reporter: Progress, heat: int = 0) -> None:
    """Say how long the chunks that a store lacks will take a command, if that is PATIENCE or more.

    `heat` is the number of a heat of a search, from 1; 0 for other studies.

    Nothing is said beside third-party agents, whose play must not be timed in this process: it might never return.
    """
    in_workers = any(cell.match.in_python or cell.match.foreign for cell in store.study.cells)
    if reporter.command == Progress.command or in_workers:
        return
    seconds = seconds_of_play(store) / workers
    if isinstance(store.study, Following):
        seconds += store.study.seconds_to_follow(workers)
    if seconds >= PATIENCE:
        before = "at most " if store.study.precision else ""
        if heat:  # a search chooses its next heat by this one
            before = f"stage {heat + 1} of the search: {before}"
        reporter.on_message(f"{before}about {duration_text(seconds)} of play with {pluralize(workers, 'worker')}")


def seconds_of_play(store: Store) -> float:
    """Return the seconds that one worker needs for the chunks that a store lacks, from a few deals of each line-up.

    Beyond the first line-ups, those of a large tournament, a deal takes as long as it takes these on average.
    """
    timed, seconds = dict[tuple[int, str], float](), 0.0
    for number, chunk in store.keys:
        if (number, chunk) in store.done:
            continue
        cell = store.study.cells[number]
        first, last = store.study.deals_of(cell, chunk)
        key = cell.players, cell.lineup
        if key not in timed and len(timed) < _MOST_TIMED:
            timed[key] = seconds_per_deal(store, cell)
        mean = sum(timed.values()) / len(timed)
        seconds += (last - first) * timed.get(key, mean)
    return seconds


def seconds_per_deal(store: Store, cell: Cell) -> float:
    """Return the seconds of a deal of a cell: of more and more deals, what they take longer than a single one."""

    def timed(deals: int) -> float:
        start = monotonic()
        cell.match.play(0, deals, crosstabs=store.plan(cell).crosstabs, luck=store.study.how_luck)
        return monotonic() - start

    deals, single = 1, timed(1)
    if single < _SLOW:
        single = min(single, timed(1))  # the first call may load code
    more = single
    while single < _SLOW and more - single < _TIMED and deals < cell.deals:
        deals = min(4 * deals, cell.deals)
        more = timed(deals)
    return single if deals == 1 else max(more - single, 0.0) / (deals - 1)

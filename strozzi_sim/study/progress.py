"""Progress of a run: callbacks, a bar in a terminal or a notebook, and lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Any

Show = Callable[[str, int, int], None]  # function(phase, done, total); total is 0 if unknown
GAMES = "games"
_PAUSE = 0.2  # seconds between two reports within a phase, at least
_LINE = 10.0  # seconds between two lines


@dataclass(frozen=True)
class Progress:
    """Callbacks of a run; each does nothing by default."""

    on_message: Callable[[str], None] = field(default=lambda line: None)  # a line for the user
    on_phase: Show = field(default=lambda phase, done, total: None)  # phases: compiling, games, tables
    # results of the first tenth and third of the chunks, each if 20 or more; with a precision, of half more each time
    on_results: Callable[[Any], None] | None = None
    command: str = "strozzi_sim in Python"  # the command that started the run, for the results folder


ProgressOption = bool | Progress | None


@contextmanager
def terminal_bar(console: Any) -> Iterator[Show]:
    """Yield a callback that shows a bar on a rich console, one phase at a time."""
    from rich import progress as rich

    columns = [rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn()]
    columns += [rich.TimeElapsedColumn(), rich.TimeRemainingColumn()]
    with rich.Progress(*columns, console=console, transient=True) as bar:

        def show(phase: str, done: int, total: int) -> None:
            if [task.description for task in bar.tasks] != [phase]:
                for task in bar.task_ids:
                    bar.remove_task(task)
                bar.add_task(phase, total=None)
            bar.update(bar.task_ids[0], completed=done, total=total or None)

        yield show


def now_and_then(show: Show) -> Show:
    """Return a callback that calls `show` when a phase starts or is complete, else at most every 0.2 s."""
    last, current = 0.0, ""

    def shown(phase: str, done: int, total: int) -> None:
        nonlocal last, current
        if monotonic() - last >= _PAUSE or done == total or phase != current:
            last, current = monotonic(), phase
            show(phase, done, total)

    return shown


@contextmanager
def regular_lines(write: Callable[[str], None], seconds: float = _LINE) -> Iterator[Show]:
    """Yield a callback after which, as long as the block runs, a line is written every so many seconds."""
    state, ended = ("", 0, 0, 0, 0.0), Event()  # the last report, then the count and the time at which its phase began

    def show(phase: str, done: int, total: int) -> None:
        nonlocal state
        state = phase, done, total, *(state[3:] if phase == state[0] else (done, monotonic()))

    def write_lines() -> None:
        with suppress(OSError):  # standard error is closed
            while not ended.wait(seconds):
                if state[0]:
                    write(_line(*state))

    thread = Thread(target=write_lines, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()


def _line(phase: str, done: int, total: int, before: int, began: float) -> str:
    """Return how far a phase is, with its speed since it began with `before` done, as in a resumed run."""
    seconds = monotonic() - began
    if not total:
        return f"{phase}, {seconds:.0f} s so far"
    if done == before:
        return f"{done:,} of {total:,} {phase}"
    speed = (done - before) / seconds
    left = (total - done) / speed
    speed_text = f"{speed:,.{0 if speed >= 10 else 1}f} {phase}/s"
    return f"{done:,} of {total:,} {phase}, {speed_text}, about {duration_text(left)} left"


def duration_text(seconds: float) -> str:
    """Return a duration as text, in minutes from two on: "90 s", "14 min"."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


@contextmanager
def notebook_bar() -> Iterator[Show]:
    """Yield a callback that shows a bar below the cell of a notebook; the bar is removed at the end."""
    from IPython.display import display

    nothing = {"text/html": "", "text/plain": ""}
    shown = display(nothing, raw=True, display_id=True)

    def show(phase: str, done: int, total: int) -> None:
        text = f"{phase}: {done:,} of {total:,}" if total else f"{phase}: {done:,}" if done else phase
        ends = f' value="{done}" max="{total}"' if total else ""
        html = f'<progress{ends} style="width: 20em"></progress> {text}'
        shown.update({"text/html": html, "text/plain": text}, raw=True)

    try:
        yield now_and_then(show)
    finally:
        shown.update(nothing, raw=True)


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    module = sys.modules.get("IPython")
    return module is not None and hasattr(module.get_ipython(), "kernel")


@contextmanager
def progress_of(wanted: ProgressOption) -> Iterator[Progress]:
    """Yield the given callbacks, or for False idle ones.

    None: those of a bar in a terminal or notebook, True: elsewhere those of lines on standard error.
    """
    if isinstance(wanted, Progress):
        yield wanted
    elif in_notebook() and wanted is not False:
        with notebook_bar() as show:
            yield Progress(on_message=print, on_phase=show)
    elif sys.stderr.isatty() and wanted is not False:
        from rich.console import Console

        console = Console(stderr=True)
        with terminal_bar(console) as show:
            yield Progress(on_message=console.print, on_phase=show)
    elif wanted:
        write = partial(print, file=sys.stderr, flush=True)
        with regular_lines(write) as show:
            yield Progress(on_message=write, on_phase=show)
    else:
        yield Progress()

"""Who is told how far a study is, and bars that count games: on a terminal, and in a notebook."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from strozzi_sim.play.calibrate import Calibration

Games = Callable[[int, int], None]
_OFTEN = 0.2  # seconds between two looks of a notebook's bar


@dataclass(frozen=True)
class Progress:
    """What a run tells while it goes on; give what you want to hear.

    Attributes:
        say: called with a line for the user.
        games: called with (games done so far, games in all).
        calibrating: called before agents with budgets in seconds are calibrated, with whether the results folder
            says of some what they play as.
        planned: called with the plan in one line and the calibrations, once nothing is in the way of playing.
        command: what started it, as the manifest notes it.
        partly: whether an interruption in memory gives what is finished, instead of Interrupted.
    """

    say: Callable[[str], None] = field(default=lambda line: None)
    games: Callable[[int, int], None] = field(default=lambda done, total: None)
    calibrating: Callable[[bool], None] = field(default=lambda noted: None)
    planned: Callable[[str, Sequence[Calibration]], None] = field(default=lambda summary, calibrations: None)
    command: str = "strozzi_sim.run(...) in Python"
    partly: bool = True


Watch = bool | Progress | None


@contextmanager
def terminal_bar(console: Any) -> Iterator[Games]:
    """A bar on a rich console; gives what is told the games done and the games in all."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("games", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def notebook_bar() -> Iterator[Games]:
    """A bar in the output of a notebook's cell; it goes away at the end."""
    from IPython.display import display

    nothing = {"text/html": "", "text/plain": ""}  # raw, since an HTML object without text still has a name
    shown = display(nothing, raw=True, display_id=True)
    last = 0.0

    def games(done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last >= _OFTEN or done == total:
            last = monotonic()
            text = f"{done:,} of {total:,} games"
            bar = f'<progress value="{done}" max="{total}" style="width: 20em"></progress> {text}'
            shown.update({"text/html": bar, "text/plain": text}, raw=True)

    try:
        yield games
    finally:
        shown.update(nothing, raw=True)


def in_notebook() -> bool:
    """Whether the code runs in a cell of a notebook."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def bar(wanted: Watch) -> Iterator[Progress]:
    """Who is told how far a study is.

    Args:
        wanted: None is a bar where a person watches, a notebook or a terminal; True is one in any case; False is none;
            or who shall be told.
    """
    if isinstance(wanted, Progress):
        yield wanted
    elif in_notebook() and wanted is not False:
        with notebook_bar() as games:
            yield Progress(say=print, games=games)
    elif wanted or (wanted is None and sys.stderr.isatty()):
        from rich.console import Console

        console = Console(stderr=True)
        with terminal_bar(console) as games:
            yield Progress(say=console.print, games=games)
    else:
        yield Progress()

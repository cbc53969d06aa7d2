"""Progress callbacks of a run, and bars that show its phases in a terminal and in a notebook."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

Show = Callable[[str, int, int], None]  # (phase, done, in all or 0)
GAMES = "games"
_OFTEN = 0.2  # seconds between two looks of a notebook's bar


@dataclass(frozen=True)
class Progress:
    """Progress callbacks of a run; each defaults to a no-op.

    Attributes:
        on_message: called with a line for the user.
        on_games: called with (games done so far, games in all).
        on_phase: called with (phase, done so far, total or 0 if unknown) for the phases without play: "compiling", "tables",
            "saving" and, with a report, "pictures".
        on_planned: called with the plan in one line, once nothing is in the way of playing.
        command: command that started the run, for the manifest.
        allow_partial: whether an interruption in memory returns the finished part instead of raising Interrupted.
    """

    on_message: Callable[[str], None] = field(default=lambda line: None)
    on_games: Callable[[int, int], None] = field(default=lambda done, total: None)
    on_phase: Callable[[str, int, int], None] = field(default=lambda phase, done, total: None)
    on_planned: Callable[[str], None] = field(default=lambda summary: None)
    command: str = "strozzi_sim.run(...) in Python"
    allow_partial: bool = True


ProgressOption = bool | Progress | None


@contextmanager
def terminal_bar(console: Any) -> Iterator[Show]:
    """Show a bar on a rich console, one phase at a time."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    description = TextColumn("{task.description}")
    columns = (description, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                for other in tasks.values():
                    bar.update(other, visible=False)
                tasks[phase] = bar.add_task(phase, total=None)
            bar.update(tasks[phase], completed=done, total=total or None)

        yield show


@contextmanager
def notebook_bar() -> Iterator[Show]:
    """Show a bar in the output of a notebook's cell; it goes away at the end."""
    from IPython.display import display

    nothing = {"text/html": "", "text/plain": ""}  # raw, since an HTML object without text still has a name
    shown = display(nothing, raw=True, display_id=True)
    last, current = 0.0, ""

    def show(phase: str, done: int, total: int) -> None:
        nonlocal last, current
        if monotonic() - last >= _OFTEN or done == total or phase != current:
            last, current = monotonic(), phase
            text = f"{phase}: {done:,} of {total:,}" if total else f"{phase}: {done:,}" if done else phase
            ends = f' value="{done}" max="{total}"' if total else ""
            bar = f'<progress{ends} style="width: 20em"></progress> {text}'
            shown.update({"text/html": bar, "text/plain": text}, raw=True)

    try:
        yield show
    finally:
        shown.update(nothing, raw=True)


def in_notebook() -> bool:
    """Whether the code runs in a cell of a notebook."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def report_progress(wanted: ProgressOption) -> Iterator[Progress]:
    """Yield the callbacks that receive a study's progress.

    Args:
        wanted: True or False to show a progress bar, or a `Progress` with callbacks; default: a bar only in a terminal or
            notebook.
    """
    if isinstance(wanted, Progress):
        yield wanted
    elif in_notebook() and wanted is not False:
        with notebook_bar() as show:
            yield Progress(on_message=print, on_games=partial(show, GAMES), on_phase=show)
    elif wanted or (wanted is None and sys.stderr.isatty()):
        from rich.console import Console

        console = Console(stderr=True)
        with terminal_bar(console) as show:
            yield Progress(on_message=console.print, on_games=partial(show, GAMES), on_phase=show)
    else:
        yield Progress()

"""The process that answers one question: runs its command, tells how far it is, and shows what is known so far.

It reads the command line in the folder of the answer, works there, and writes a JSON object per line to standard output. SIGTERM ends it, and
so does the end of the desk; finished chunks stay in the folder, from which the same command resumes.
"""

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from strozzi_sim.cli.parser import arguments_of, command_named, parsed, words_of
from strozzi_sim.desk.questions import command_of
from strozzi_sim.desk.study_toml import study_toml
from strozzi_sim.errors import Interrupted, Stopped, StrozziError
from strozzi_sim.runtime.files import write_atomically
from strozzi_sim.study.progress import Progress
from strozzi_sim.study.results import Results

QUESTION, ANSWER, RESULTS, PAGE, STUDY = "question.json", "answer.json", "results", "page.html", "study.toml"
WIDTH = 620  # pixels of the first picture
_PAUSE = 0.1  # seconds between two messages of how far it is


def _say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


class _Phase:
    """Tells the phase and how far it is, a few times a second."""

    last, phase = 0.0, ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self.phase or monotonic() - self.last > _PAUSE:
            self.last, self.phase = monotonic(), phase
            _say(phase=phase, done=done, total=total)


def _tell(results: Results, folder: Path) -> None:
    """Tell the verdict, and the first picture as it is on a page; both are kept."""
    told: dict[str, Any] = {"verdict": results.verdict, "games": results.n_games}
    if results.pictures:
        drawing = results.plot()
        name, drawn = next(iter(drawing.drawn.items()))
        title = drawing.titles.get(name, drawing.title)
        told |= {"picture": drawn.svg(WIDTH, title), "title": title, "legend": [each[:2] for each in drawn.legend]}
    write_atomically(folder / ANSWER, json.dumps(told).encode())
    _say(**told)


def answer(words: list[str], folder: Path) -> None:
    """Run a command in the folder of its answer, and write its page and study there."""
    name, *rest = words
    tell = partial(_tell, folder=folder)
    command, progress = command_named(name), Progress(on_phase=_Phase(), on_results=tell, command=command_of(words))
    given = arguments_of(name, parsed(name, rest))
    if "folder" in command.by_name:
        given["folder"] = folder / RESULTS
    results: Results = command.call(**given, progress=progress)
    tell(results)
    _say(phase="page", done=0, total=0)
    write_atomically(folder / STUDY, study_toml(results.study, results.look).encode())
    results.report(folder / PAGE)


def _stop(number: int, frame: Any) -> None:
    raise Stopped(number)


def main() -> int:
    """Answer the question in the folder that is named; return the exit code."""
    signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    folder = Path(sys.argv[1])
    words: list[str] = json.loads((folder / QUESTION).read_text("utf-8"))["words"]
    try:
        answer(words, folder)
    except (Stopped, Interrupted):
        return 130
    except BrokenPipeError:  # the desk was killed
        os._exit(1)
    except StrozziError as error:
        _say(error=words_of(error, command_named(words[0])))
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

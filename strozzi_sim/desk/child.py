"""The process that answers one question: it runs the command, and reports progress and the results so far.

It writes files into the answer's folder, and fields of the answer to standard output, one JSON object per line.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from strozzi_sim.cli.app import stop_on_signals
from strozzi_sim.cli.parser import arguments_of, command_named, error_text, parsed
from strozzi_sim.desk.answers import PAGE, PICTURE, RESULTS, STUDY
from strozzi_sim.desk.questions import command_of
from strozzi_sim.desk.sheets import changes_of, lines
from strozzi_sim.errors import Stopped, StrozziError
from strozzi_sim.pictures.ink import NARROW
from strozzi_sim.runtime.files import write_atomically
from strozzi_sim.runtime.workers import stdout_to_stderr
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import Progress, now_and_then
from strozzi_sim.study.results import Results

_WIDTHS = 620, NARROW  # pixels of the picture on wide and narrow pages
_RESOLVED = ("behaviour", "agents", "variants")  # keys that are derived, or written in another form


def answer(words: Sequence[str], folder: Path, desk: IO[str]) -> int:
    """Run a command, write its results, page, picture and study file, report to `desk`; return the exit code."""
    command = command_named(words[0])

    def say(**fields: Any) -> None:
        print(json.dumps(fields), file=desk, flush=True)

    def show(results: Results) -> None:
        verdict = results.verdict
        known: dict[str, Any] = {"verdict": verdict.lines, "told": verdict.changes, "games": results.n_games}
        known["alarms"] = [(alarm.text, alarm.evidence, alarm.is_mended) for alarm in results.alarms]
        if results.pictures:
            chart = results.plot().charts[0]
            drawn = "".join(chart.svg(width, chart.title) for width in _WIDTHS)
            write_atomically(folder / PICTURE, drawn.encode())
            known["picture"] = {"title": chart.title, "legend": chart.legend}
        say(**known)

    phases = now_and_then(lambda *phase: say(phase=phase))
    progress = Progress(on_phase=phases, on_results=show, command=command_of(words))
    try:
        given = arguments_of(words[0], parsed(words[0], words[1:]))
        if "folder" in command.by_name:
            given["folder"] = folder / RESULTS
        results: Results = command.function(**given, progress=progress)
        show(results)
        progress.on_phase("page", 0, 0)
        (folder / RESULTS).mkdir(exist_ok=True)
        write_atomically(folder / STUDY, study_toml(results.study, results.look).encode())
        results.report(folder / PAGE)
    except Stopped:
        return 130
    except BrokenPipeError:  # the desk was killed
        os._exit(1)
    except StrozziError as error:
        say(error=error_text(error, command))
        return error.exit_code
    return 0


def study_toml(study: Study, look: Look) -> str:
    """Return the text of the study file: the keys that differ from their defaults, and variants changed by settings."""
    fields = [each for each in msgspec.structs.fields(study.form()) if each.name not in _RESOLVED]
    changed = [each for each in study.listed_variants.values() if each.settings]
    keys = {
        "name": look.name,
        "kind": study.kind,
        **{each.name: value for each in fields if (value := getattr(study, each.name)) != each.default},
        "variants": list(study.variants),
        "variant": {each.name: changes_of(study.the_game, each) for each in changed},
        "report": {key: value for key, value in msgspec.to_builtins(look).items() if key != "name"},
    }
    return "".join(lines(msgspec.to_builtins(keys)))


if __name__ == "__main__":
    stop_on_signals()
    # Agents may print; `desk` may not receive that.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as stdout, stdout_to_stderr():
        sys.exit(answer(sys.argv[2:], Path(sys.argv[1]), stdout))

"""The agent `pipe`: a program in any language that reads decisions as lines of JSON and answers with lines of JSON."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from shutil import which
from threading import get_ident

import msgspec

from strozzi_sim.agent import Choice, File, Replacement, python_agent
from strozzi_sim.agent.files import place_of
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.game.as_json import decision, encode

_INTERPRETERS = {".py": sys.executable, ".js": "node", ".mjs": "node"}  # for files that are not executable
_LONGEST = 1 << 20  # most bytes of an answer


def command_of(file):
    """Return the command that runs a program: the file if it is executable, else its interpreter with the file."""
    place = place_of(file).resolve()
    interpreter = _INTERPRETERS.get(place.suffix)
    if os.access(place, os.X_OK) and not (interpreter and sys.platform == "win32"):  # where every file is executable
        return [str(place)]
    if interpreter is None:
        raise InputError(
            f"pipe: {file}: expected an executable program or one of {', '.join(_INTERPRETERS)}; "
            "chmod +x makes it executable"
        )
    if which(interpreter) is None:
        raise InputError(f"pipe: {file}: needs {interpreter}, which is not installed")
    return [interpreter, str(place)]


class _Program:
    """A running program."""

    def __init__(self, file):
        self.file = file
        self._process = subprocess.Popen(command_of(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._questions, self._answers = self._process.stdin, self._process.stdout

    def ask(self, line):
        """Return the program's line of answer. Raises InvalidAnswer if it ended or the line is not complete."""
        answered = False
        try:
            self._questions.write(line + b"\n")
            self._questions.flush()
            answer = self._answers.readline(_LONGEST)
            answered = answer.endswith(b"\n")
        except OSError:  # BrokenPipeError, or on Windows EINVAL
            answer = b""
        finally:
            if not answered:  # also at the time limit: a late answer must not count for the next line
                self.end()
        if not answered:
            code = self._process.poll()
            raise InvalidAnswer(
                f"ended, with exit code {code}, or answered an unfinished line: {short_repr(answer[:80])}"
            )
        return answer

    def end(self):
        """End the program."""
        self._process.kill()
        self._answers.close()
        with suppress(OSError):  # it did not read all lines
            self._questions.close()
        self._process.wait()
        _programs.pop((self.file, get_ident()), None)


_programs: dict[tuple[str, int], _Program] = {}  # by (file, thread); shared by all games that the thread plays


@atexit.register
def _end_all():
    for program in list(_programs.values()):
        program.end()


def _program(file):
    key = file, get_ident()
    if key not in _programs:
        _programs[key] = _Program(file)
    return _programs[key]


def _legal_answer(answer, offered):
    """Return (legal action, None) of an answer, or (None, description of its fault)."""
    try:
        reply = msgspec.json.decode(answer)
    except msgspec.DecodeError:
        return None, f"answered {short_repr(answer[:80])}, which is not JSON"
    if not isinstance(reply, dict) or not {"action", "name"} & set(reply):
        return None, f'answered {short_repr(answer[:80])}; expected {{"action": NUMBER}} or {{"name": NAME}}'
    for choice in offered:
        if (
            reply.get("action", choice["action"]) == choice["action"]
            and reply.get("name", choice["name"]) == choice["name"]
        ):
            return choice["action"], None
    return None, f"answered {short_repr(answer[:80])}, which is not a legal action"


@python_agent(
    name="pipe",
    stochastic=True,
    replaces=True,
    program=File("program that reads and answers lines of JSON; required"),
    illegal=Choice(
        "fault", ("fault", "random"), "an invalid answer ends the run, or is counted and replaced by a random action"
    ),
)
class Pipe:
    """Plays by a program in any language, which reads each decision as a line of JSON and answers with one."""

    def __init__(self, program, illegal):
        self._file, self._illegal = program, illegal

    def act(self, view, legal, rng):
        """Return the action that the program answers, or a random Replacement with illegal=random."""
        question = decision(view, legal)
        program = _program(self._file)
        answer = program.ask(encode({**question, "random": rng.word()}))
        action, fault = _legal_answer(answer, question["legal"])
        if fault is None:
            return action
        if self._illegal == "fault":
            raise InvalidAnswer(fault)
        return Replacement(legal[rng.below(len(legal))])

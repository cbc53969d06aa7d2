"""The shelf: answers in a folder each, played one after another in processes of their own, kept until they are forgotten."""

import fcntl
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import IO, Any

from strozzi_sim.desk.child import PAGE, RESULTS, STUDY
from strozzi_sim.desk.questions import QUESTIONS, command_of, python_of
from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr
from strozzi_sim.game.variants import NAME
from strozzi_sim.runtime.files import storage_errors, write_atomically

Json = dict[str, Any]
JOB, TOLD = "question.json", "answer.json"
WAITS, PLAYS, DONE, STOPPED, FAILED = "waits", "plays", "done", "stopped", "failed"
MOST = 200  # answers of a shelf
_PATIENCE = 30.0  # seconds that a stopped process has to finish
_DESK = ("question", "game", "variant", "settings", "values", "precision", "command", "python")  # that the page needs


@dataclass
class Answer:
    """A question on the shelf, and its answer as far as it is known: `told` has the verdict, games, and the first picture."""

    number: int
    folder: Path
    asked: Json
    told: Json = field(default_factory=dict)
    status: str = WAITS
    error: str = ""
    phase: tuple[str, int, int] = ("", 0, 0)
    began: float = 0.0
    seconds: float = 0.0
    is_stopped: bool = False  # by the user
    process: "subprocess.Popen[str] | None" = None

    def as_json(self) -> Json:
        """Return the answer for the page, without its picture."""
        phase, done, total = self.phase
        now = time.monotonic() - self.began if self.status == PLAYS else self.seconds
        left = (total - done) * now / done if self.status == PLAYS and phase == "games" and done else None
        return {
            "number": self.number, "asks": QUESTIONS[self.asked["question"]].asks, "status": self.status, "error": self.error,
            "verdict": self.told.get("verdict", []), "games": self.told.get("games", 0), "title": self.told.get("title", ""),
            "legend": self.told.get("legend", []), "picture": bool(self.told.get("picture")), "phase": phase, "done": done, "total": total,
            "seconds": round(now, 1), "left": left, "page": (self.folder / PAGE).exists(), "study": (self.folder / STUDY).exists(),
            "saved": self.asked.get("saved", ""), **{key: self.asked[key] for key in _DESK},
        }  # fmt: skip


class Shelf:
    """All answers of a folder; one plays at a time, with all workers.

    Args:
        folder: made with the first answer; those of an earlier desk are found there.

    Raises:
        StorageError: another desk has the folder open.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.changed = folder, Condition()
        self.answers: dict[int, Answer] = {}
        self.version, self._closed = 0, False
        self._lock: IO[bytes] | None = None
        if folder.exists() and not folder.is_dir():
            raise ArgumentError("shelf", f"{folder} is not a folder")
        if folder.exists():
            self._open()
        self._player = Thread(target=self._play_all, daemon=True)
        self._player.start()

    def _open(self) -> None:
        """Lock the folder, and read the answers in it; those that were not finished are stopped."""
        self._lock = _locked(self.folder)
        found = {
            int(each.name): each for each in self.folder.iterdir() if each.name.isdigit() and (each / JOB).exists()
        }
        for number, place in sorted(found.items()):
            told = place / TOLD
            try:
                known = json.loads(told.read_text("utf-8")) if told.exists() else {}
                asked = json.loads((place / JOB).read_text("utf-8"))
            except ValueError as error:
                self._lock.close()
                raise StorageError(f"{place}: holds no answer of a desk ({error}); remove this folder") from None
            self.answers[number] = Answer(number, place, asked, known, DONE if (place / PAGE).exists() else STOPPED)

    def _changed(self) -> None:
        self.version += 1
        self.changed.notify_all()

    def state(self, have: int = -1, seconds: float = 0.0) -> Json:
        """Return all answers, once something is newer than version `have`, or after these seconds."""
        with self.changed:
            self.changed.wait_for(lambda: self.version != have or self._closed, seconds)
            answers = [each.as_json() for each in self.answers.values()]
            return {"version": self.version, "answers": answers[::-1]}

    def find(self, number: Any) -> Answer:
        """Return an answer; raise InputError for an unknown number."""
        with self.changed:
            if type(number) is not int or number not in self.answers:
                raise ArgumentError("answer", f"no answer {short_repr(number)}; it may be forgotten already")
            return self.answers[number]

    def ask(self, asked: Json, files: Mapping[str, str] | None = None) -> int:
        """Put a question on the shelf; it plays when those before it are done. Return its number."""
        with self.changed:
            if len(self.answers) >= MOST:
                raise InputError(f"the shelf holds {MOST} answers; forget some")
            number = max(self.answers, default=0) + 1
            place = self.folder / str(number)
            with storage_errors(f"cannot write {place}"):
                place.mkdir(parents=True)
                for name, text in (files or {}).items():
                    (place / name).write_text(text, "utf-8")
            if self._lock is None:
                self._lock = _locked(self.folder)
            words = [str(place / word) if word in (files or {}) else word for word in asked["words"]]
            asked = asked | {"words": words, "command": command_of(words), "python": python_of(words)}
            self.answers[number] = Answer(number, place, asked)
            self._write(self.answers[number])
            self._changed()
            return number

    def _write(self, answer: Answer) -> None:
        write_atomically(answer.folder / JOB, json.dumps(answer.asked).encode())

    def again(self, number: Any) -> None:
        """Go on with a stopped or failed answer from where it was."""
        answer = self.find(number)
        with self.changed:
            if answer.status in (STOPPED, FAILED):
                answer.status, answer.error, answer.is_stopped = WAITS, "", False
                self._changed()

    def stop(self, number: Any) -> None:
        """End the process of an answer; what is finished is kept."""
        answer = self.find(number)
        with self.changed:
            if answer.status == WAITS:
                answer.status = STOPPED
            elif answer.process is not None:
                answer.is_stopped = True
                answer.process.send_signal(signal.SIGTERM)
            self._changed()

    def forget(self, number: Any) -> None:
        """Remove an answer that does not play."""
        answer = self.find(number)
        with self.changed:
            if answer.status == PLAYS:
                raise InputError("stop this answer before you forget it")
            del self.answers[answer.number]
            with storage_errors(f"cannot remove {answer.folder}"):
                shutil.rmtree(answer.folder)
            self._changed()

    def save(self, number: Any, name: Any, place: Path) -> str:
        """Copy the results of an answer to a folder of the user's, with its page and study; return the folder."""
        answer = self.find(number)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ArgumentError("name", f"must be lower-case letters, digits, - and _, got {short_repr(name)}")
        target = place / name
        if answer.status != DONE:
            raise InputError("this answer is not finished; it can be saved when it is")
        if target.exists():
            raise ArgumentError("name", f"{target} exists; choose another name")
        with storage_errors(f"cannot write {target}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            if (answer.folder / RESULTS).is_dir():
                shutil.copytree(answer.folder / RESULTS, target)
            target.mkdir(exist_ok=True)
            shutil.copy(answer.folder / PAGE, target / "report.html")
            shutil.copy(answer.folder / STUDY, target / STUDY)
        with self.changed:
            answer.asked["saved"] = str(target)
            self._write(answer)
            self._changed()
        return str(target)

    def close(self) -> None:
        """End what plays; its finished part is kept."""
        with self.changed:
            self._closed = True
            for answer in self.answers.values():
                if answer.process is not None:
                    answer.process.send_signal(signal.SIGTERM)
            self.changed.notify_all()
        self._player.join(_PATIENCE)
        if self._lock is not None:
            self._lock.close()

    # -- the thread that plays -------------------------------------------------------------------------------------------

    def _play_all(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self._closed or self._next() is not None)
                if self._closed:
                    return
                answer = self._next()
                assert answer is not None
                answer.status, answer.began, answer.phase = PLAYS, time.monotonic(), ("starting", 0, 0)
                self._changed()
            status, error = self._play(answer)
            with self.changed:
                answer.process, answer.status, answer.error = None, status, error
                answer.seconds = time.monotonic() - answer.began
                self._changed()

    def _next(self) -> Answer | None:
        return next((each for each in self.answers.values() if each.status == WAITS), None)

    def _play(self, answer: Answer) -> tuple[str, str]:
        """Run the process of an answer to its end; return the status and, of a failed one, a sentence."""
        command = [sys.executable, "-m", "strozzi_sim.desk.child", str(answer.folder)]
        error = ""
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            with self.changed:
                answer.process = process
            with suppress(BrokenPipeError):  # it was stopped at once
                process.stdin.write(json.dumps(answer.asked["words"]) + "\n")
                process.stdin.close()
            for line in process.stdout:
                error = self._hear(answer, line) or error
        code = process.returncode
        if code == 0:
            return DONE, ""
        if answer.is_stopped or self._closed:
            return STOPPED, ""
        return FAILED, error or f"the process ended with code {code}; the terminal of the desk says more"

    def _hear(self, answer: Answer, line: str) -> str:
        """Note a message of the process; return the sentence of an error."""
        try:
            told = json.loads(line)
        except ValueError:  # a line that an agent prints
            return ""
        with self.changed:
            if "phase" in told:
                answer.phase = (told["phase"], told["done"], told["total"])
            elif "verdict" in told:
                answer.told = told
                write_atomically(answer.folder / TOLD, json.dumps(told).encode())
            self._changed()
        return str(told.get("error", ""))


def _locked(folder: Path) -> IO[bytes]:
    """Return an open file whose lock keeps other desks out, and ends with this process."""
    file = (folder / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        words = "another desk has these answers open; use that one, or name another folder with --shelf"
        raise StorageError(f"{folder}: {words}") from None
    return file

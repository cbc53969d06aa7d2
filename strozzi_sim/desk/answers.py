"""The shelf: answers in a folder each, played one after another in processes of their own, kept until they are forgotten."""

import fcntl
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import IO, Any

from strozzi_sim.desk.child import ANSWER, PAGE, QUESTION, RESULTS, STUDY
from strozzi_sim.desk.questions import QUESTIONS, command_of, python_of
from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr
from strozzi_sim.game.variants import NAME
from strozzi_sim.runtime.files import storage_errors, write_atomically

Json = dict[str, Any]
VARIANTS = "variants.json"
WAITS, PLAYS, DONE, STOPPED, FAILED = "waits", "plays", "done", "stopped", "failed"
MOST = 200  # answers of a shelf
_PATIENCE = 30.0  # seconds that a stopped process has to finish


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
        seconds = time.monotonic() - self.began if self.status == PLAYS else self.seconds
        left = (total - done) * seconds / done if self.status == PLAYS and phase == "games" and done else None
        known = {"verdict": [], "games": 0, "title": "", "legend": [], "saved": "", **self.asked, **self.told}
        known |= {"number": self.number, "asks": QUESTIONS[self.asked["question"]].asks, "status": self.status}
        known |= {"error": self.error, "phase": phase, "done": done, "total": total, "seconds": seconds, "left": left}
        has = {"page": (self.folder / PAGE).exists(), "study": (self.folder / STUDY).exists()}
        return known | has | {"picture": "picture" in self.told}


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
        self.variants: dict[str, Json] = {}  # of the user's own, by game and name: a variant and its changed keys
        self.version, self._closed = 0, False
        self._lock: IO[bytes] | None = None
        if folder.exists() and not folder.is_dir():
            raise ArgumentError("shelf", f"{folder} is not a folder")
        if folder.exists():
            self._open()
        self._player = Thread(target=self._play_all, daemon=True)
        self._player.start()

    def _open(self) -> None:
        """Lock the folder, and read what is in it; answers that were not finished are stopped."""
        self._lock = _locked(self.folder)
        try:
            self.variants = _read(self.folder / VARIANTS)
            for place in sorted(self.folder.iterdir(), key=lambda each: (len(each.name), each.name)):
                if place.name.isdigit() and (place / QUESTION).exists():
                    status = DONE if (place / PAGE).exists() else STOPPED
                    number = int(place.name)
                    self.answers[number] = Answer(number, place, _read(place / QUESTION), _read(place / ANSWER), status)
        except StorageError:
            self._lock.close()
            raise

    def _changed(self) -> None:
        self.version += 1
        self.changed.notify_all()

    def state(self, have: int = -1, seconds: float = 0.0) -> Json:
        """Return all answers, once something is newer than version `have`, or after these seconds."""
        with self.changed:
            self.changed.wait_for(lambda: self.version != have or self._closed, seconds)
            answers = [each.as_json() for each in self.answers.values()]
            return {"version": self.version, "answers": answers[::-1]}

    def find(self, number: int) -> Answer:
        """Return an answer; raise InputError for an unknown number."""
        with self.changed:
            if number not in self.answers:
                raise ArgumentError("answer", f"no answer {number}; it may be forgotten already")
            return self.answers[number]

    def ask(self, asked: Json, files: Mapping[str, str] | None = None) -> int:
        """Put a question on the shelf; it plays when those before it are done. Return its number."""
        with self.changed:
            if len(self.answers) >= MOST:
                raise InputError(f"the shelf holds {MOST} answers; forget some")
            number = max(self.answers, default=0) + 1
            place = self._made(str(number))
            for name, text in (files or {}).items():
                write_atomically(place / name, text.encode())
            words = [str(place / word) if word in (files or {}) else word for word in asked["words"]]
            asked = asked | {"words": words, "command": command_of(words), "python": python_of(words)}
            self.answers[number] = Answer(number, place, asked)
            _write(place / QUESTION, asked)
            self._changed()
            return number

    def keep(self, game: str, name: str, variant: str, settings: list[str]) -> None:
        """Keep changed keys of a variant under a name of the user's own; without changes, forget the name."""
        with self.changed:
            own = self.variants.setdefault(game, {})
            own[_checked(name)] = {"variant": variant, "settings": settings}
            if not settings:
                del own[name]
            _write(self._made() / VARIANTS, self.variants)

    def _made(self, name: str = "") -> Path:
        """Return the folder of the shelf or one in it, made and locked."""
        place = self.folder / name
        with storage_errors(f"cannot write {place}"):
            place.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = _locked(self.folder)
        return place

    def again(self, number: int) -> None:
        """Go on with a stopped or failed answer from where it was."""
        answer = self.find(number)
        with self.changed:
            if answer.status in (STOPPED, FAILED):
                answer.status, answer.error, answer.is_stopped = WAITS, "", False
                self._changed()

    def stop(self, number: int) -> None:
        """End the process of an answer; what is finished is kept."""
        answer = self.find(number)
        with self.changed:
            if answer.status == WAITS:
                answer.status = STOPPED
            elif answer.process is not None:
                answer.is_stopped = True
                answer.process.send_signal(signal.SIGTERM)
            self._changed()

    def forget(self, number: int) -> None:
        """Remove an answer that does not play."""
        answer = self.find(number)
        with self.changed:
            if answer.status == PLAYS:
                raise InputError("stop this answer before you forget it")
            del self.answers[answer.number]
            with storage_errors(f"cannot remove {answer.folder}"):
                shutil.rmtree(answer.folder)
            self._changed()

    def save(self, number: int, name: str, place: Path) -> str:
        """Copy the results of an answer to a folder of the user's, with its page and study; return the folder."""
        answer = self.find(number)
        target = place / _checked(name)
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
            _write(answer.folder / QUESTION, answer.asked)
            self._changed()
        return str(target)

    def close(self) -> None:
        """End what plays; its finished part is kept."""
        with self.changed:
            self._closed = True
            for answer in self.answers.values():
                if answer.process is not None:
                    answer.is_stopped = True
                    answer.process.send_signal(signal.SIGTERM)
            self.changed.notify_all()
        self._player.join(_PATIENCE)
        if self._lock is not None:
            self._lock.close()

    # -- the thread that plays -------------------------------------------------------------------------------------------

    def _play_all(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(
                    lambda: self._closed or any(each.status == WAITS for each in self.answers.values())
                )
                if self._closed:
                    return
                answer = next(each for each in self.answers.values() if each.status == WAITS)
                answer.status, answer.began, answer.phase = PLAYS, time.monotonic(), ("starting", 0, 0)
                command = [sys.executable, "-m", "strozzi_sim.desk.child", str(answer.folder)]
                answer.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
                self._changed()
            with answer.process as process:
                assert process.stdout is not None
                for line in process.stdout:
                    self._hear(answer, line)
            with self.changed:
                answer.process, answer.seconds = None, time.monotonic() - answer.began
                answer.status = DONE if process.returncode == 0 else STOPPED if answer.is_stopped else FAILED
                if answer.status == FAILED and not answer.error:
                    answer.error = (
                        f"the process ended with code {process.returncode}; the terminal of the desk says more"
                    )
                self._changed()

    def _hear(self, answer: Answer, line: str) -> None:
        """Note a message of the process."""
        try:
            told = json.loads(line)
        except ValueError:  # a line that an agent prints
            return
        with self.changed:
            if "phase" in told:
                answer.phase = (told["phase"], told["done"], told["total"])
            elif "verdict" in told:
                answer.told = told
            answer.error = told.get("error", "")
            self._changed()


def _checked(name: str) -> str:
    """Return a name that a user chose; raise InputError for one that files cannot have."""
    if not NAME.fullmatch(name):
        raise ArgumentError("name", f"must be lower-case letters, digits, - and _, got {short_repr(name)}")
    return name


def _read(file: Path) -> Json:
    """Return a JSON object of the shelf, {} without its file."""
    try:
        found = json.loads(file.read_text("utf-8")) if file.exists() else {}
    except ValueError as error:
        raise StorageError(f"{file}: not of a desk ({error}); remove it") from None
    return dict(found)


def _write(file: Path, content: Json) -> None:
    write_atomically(file, json.dumps(content).encode())


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

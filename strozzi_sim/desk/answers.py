"""The shelf: a folder with a folder for each answer. Answers are played one at a time, each in its own process."""

import fcntl
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Condition, Thread
from time import monotonic
from typing import IO, Any

import msgspec

from strozzi_sim.desk.questions import SHEETS, Asked, command_of, python_of, words_for
from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr
from strozzi_sim.game.variants import NAME
from strozzi_sim.runtime.files import storage_errors, write_atomically

Json = dict[str, Any]
SHELF = "shelf.json"
PICTURE, RESULTS, PAGE, STUDY = "picture.svg", "results", "results/report.html", "results/study.toml"  # of an answer
WAITS, PLAYS, DONE, STOPPED, FAILED = "waits", "plays", "done", "stopped", "failed"
MOST = 200  # answers of a shelf
_ENDINGS = {0: DONE, 130: STOPPED, -15: STOPPED}  # by exit code; -15 before the process could hear the signal
_PATIENCE = 30.0  # seconds that a stopped process has to finish


class Answer(Asked, kw_only=True):
    """A question on the shelf, and its answer as far as it is known; as sent to the page and written to SHELF."""

    number: int
    # command, python: the question as a command line, and as a call of the Python interface
    command: str
    python: str
    status: str = WAITS
    error: str = ""
    phase: tuple[str, int, int] = ("", 0, 0)  # how far it is, and how far it goes or 0
    seconds: float = 0.0  # of its process so far
    verdict: tuple[str, ...] = ()
    games: int = 0  # behind the verdict
    picture: Json | None = None  # title and legend of the first picture
    saved: str = ""  # where


class _Kept(msgspec.Struct):
    """The content of SHELF."""

    answers: dict[int, Answer] = {}
    variants: dict[str, dict[str, Json]] = {}  # [game][the user's name] -> changed variant, and its settings


class Shelf:
    """The answers in a folder, which the first one makes. One desk uses it; the answer that plays has all workers."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.changed, self.version = folder, Condition(), 0
        self._lock: IO[bytes] | None = None  # keeps other desks out until this process ends
        self._process: subprocess.Popen[str] | None = None  # of what plays
        file = folder / SHELF
        if folder.exists() and not folder.is_dir():
            raise ArgumentError("shelf", f"{folder} is not a folder")
        try:
            kept = msgspec.json.decode(file.read_bytes() if file.exists() else b"{}", type=_Kept)
        except msgspec.DecodeError as error:
            raise StorageError(f"{file}: not of a desk ({error}); remove it") from None
        self.answers, self.variants = kept.answers, kept.variants
        for answer in self.answers.values():
            answer.status = STOPPED if answer.status in (WAITS, PLAYS) else answer.status
        if folder.exists():
            self._make_and_lock()

    def _make_and_lock(self) -> None:
        """Make the folder of the shelf if needed, and lock it; raise StorageError if another desk has locked it."""
        with storage_errors(f"cannot write {self.folder}"):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = self._lock or (self.folder / "lock").open("wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            words = "another desk has these answers open; use that one, or name another folder with --shelf"
            raise StorageError(f"{self.folder}: {words}") from None
        self._lock = lock

    def state(self, have: str = "", seconds: float = 0.0) -> Json:
        """Return all answers, once something is newer than version `have`, or after these seconds."""
        with self.changed:
            self.changed.wait_for(lambda: str(self.version) != have, seconds)
            return {"version": self.version, "answers": msgspec.to_builtins([*self.answers.values()][::-1])}

    def find(self, number: int) -> Answer:
        """Return an answer; raise ArgumentError for an unknown number."""
        if number not in self.answers:
            raise ArgumentError("answer", f"no answer {number}; it may be forgotten already")
        return self.answers[number]

    def ask(self, asked: Asked) -> int:
        """Put a question on the shelf; it plays when those before it are done. Return its number."""
        with self.changed:
            if len(self.answers) >= MOST:
                raise InputError(f"the shelf holds {MOST} answers; forget some")
            number = max(self.answers, default=0) + 1
            place = self.folder / str(number)
            words = words_for(asked, place)
            given = {name: getattr(asked, name) for name in Asked.__struct_fields__}
            answer = Answer(**given, number=number, command=command_of(words), python=python_of(words))
            self._make_and_lock()
            with storage_errors(f"cannot write {place}"):
                place.mkdir(exist_ok=True)
            if sheets := asked.values.get("file"):  # on the desk, the text of the file
                write_atomically(place / SHEETS, _sheets(str(sheets)).encode())
            self.answers[number] = answer
            self._note(answer)
            return number

    def again(self, number: int) -> None:
        """Go on with a stopped or failed answer from where it was."""
        if (answer := self.find(number)).status in (STOPPED, FAILED):
            self._note(answer, status=WAITS, error="")

    def stop(self, number: int) -> None:
        """End the process of an answer; what is finished is kept."""
        with self.changed:
            if (answer := self.find(number)).status == WAITS:
                self._note(answer, status=STOPPED)
            elif answer.status == PLAYS and self._process is not None:
                self._process.terminate()

    def forget(self, number: int) -> None:
        """Remove an answer that does not play."""
        with self.changed:
            if self.find(number).status == PLAYS:
                raise InputError("stop this answer before you forget it")
            del self.answers[number]
            self._publish()
            with storage_errors(f"cannot remove answer {number}"):
                shutil.rmtree(self.folder / str(number))

    def save(self, number: int, name: str, results: Path) -> str:
        """Copy an answer, with its page and study, to the new folder `name` in `results`; return the path."""
        with self.changed:
            answer, target = self.find(number), results / _checked(name)
            if answer.status != DONE:
                raise InputError("this answer is not finished; it can be saved when it is")
            if target.exists():
                raise ArgumentError("name", f"{target} exists; choose another name")
            with storage_errors(f"cannot write {target}"):
                shutil.copytree(self.folder / str(number) / RESULTS, target)
            self._note(answer, saved=str(target))
            return answer.saved

    def keep(self, game: str, name: str, variant: str, settings: list[str]) -> None:
        """Keep changed keys of a variant under a name of the user's own; without changes, forget the name."""
        with self.changed:
            own = self.variants.setdefault(game, {})
            if settings:
                own[_checked(name)] = {"variant": variant, "settings": settings}
            else:
                own.pop(_checked(name), None)
            self._publish()

    def close(self) -> None:
        """End what plays; its finished part is kept."""
        with self.changed:
            for number in self.answers:
                self.stop(number)
            self.changed.wait_for(lambda: self._process is None, _PATIENCE)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _note(self, answer: Answer, **known: Any) -> None:
        """Set these fields of an answer, and publish it."""
        with self.changed:
            for name, value in known.items():
                setattr(answer, name, value)
            self._publish(is_kept="phase" not in known)

    def _publish(self, *, is_kept: bool = True) -> None:
        """Wake the waiting pages, play the next answer if none plays, and write SHELF if `is_kept`."""
        self.version += 1
        self.changed.notify_all()
        waiting = [each for each in self.answers.values() if each.status == WAITS]
        if waiting and self._process is None:
            answer, command = waiting[0], [sys.executable, "-m", "strozzi_sim.desk.child"]
            command += [str(self.folder / str(answer.number)), *shlex.split(answer.command)[1:]]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            self._note(answer, status=PLAYS, phase=("starting", 0, 0))
            Thread(target=self._hear, args=(answer, self._process), daemon=True).start()
        if is_kept:
            kept = msgspec.json.encode(_Kept(self.answers, self.variants))
            self._make_and_lock()
            write_atomically(self.folder / SHELF, kept)

    def _hear(self, answer: Answer, process: "subprocess.Popen[str]") -> None:
        """Note the fields of an answer that its process prints until it ends, one JSON object per line."""
        began = monotonic()
        with process:
            for line in process.stdout or ():
                self._note(answer, **json.loads(line), seconds=monotonic() - began)
        with self.changed:
            self._process, status = None, _ENDINGS.get(process.returncode, FAILED)
            unsaid = f"the process ended with code {process.returncode}; the terminal of the desk says more"
            self._note(answer, status=status, error=answer.error or (unsaid if status == FAILED else ""))


def _sheets(text: str) -> str:
    """Return score sheets as CSV: what the user wrote, with the heading that it may lack."""
    text = re.sub(r"[;\t]", ",", text.strip())
    if text.lower().startswith("seat"):
        return text
    seats = 1 + max(line.count(",") for line in text.splitlines())
    return "\n".join([",".join(f"seat {seat}" for seat in range(seats)), text])


def _checked(name: str) -> str:
    """Return a name that a user chose; raise ArgumentError for one that is not allowed."""
    if not NAME.fullmatch(name):
        raise ArgumentError("name", f"must be lower-case letters, digits, - and _, got {short_repr(name)}")
    return name

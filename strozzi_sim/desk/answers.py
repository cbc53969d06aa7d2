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
from strozzi_sim.game.converting import built
from strozzi_sim.game.variants import NAME
from strozzi_sim.runtime.files import storage_errors, write_atomically

Json = dict[str, Any]
SHELF = "shelf.json"
PICTURE, RESULTS, PAGE, STUDY = "picture.svg", "results", "results/report.html", "results/study.toml"  # in its folder
WAITS, PLAYS, DONE, STOPPED, FAILED = "waits", "plays", "done", "stopped", "failed"
MOST = 200  # most answers on a shelf
_ENDINGS = {0: DONE, 130: STOPPED, -2: STOPPED, -15: STOPPED}  # by exit code; < 0: a signal during its imports
_PATIENCE = 30.0  # seconds that a closed shelf waits for its process to end


class Answer(Asked, kw_only=True):
    """A question on the shelf, and its answer as far as known. The page receives this, and SHELF holds it."""

    number: int
    command: str  # the question as a command line
    python: str  # the question as a call of the Python interface
    status: str = WAITS
    error: str = ""
    phase: tuple[str, int, int] = ("", 0, 0)  # (phase, done, total); total is 0 if unknown
    seconds: float = 0.0  # that its process has run so far
    verdict: tuple[str, ...] = ()
    games: int = 0  # behind the verdict
    picture: Json | None = None  # title and legend of the first picture
    saved: str = ""  # path of the folder in which it was saved
    has_file: bool = True  # whether its study can be a file; that of `weights` cannot


class _Kept(msgspec.Struct):
    """The content of SHELF."""

    answers: dict[int, Answer] = {}
    variants: dict[str, dict[str, Json]] = {}  # game -> custom name -> {variant, settings}


class Shelf:
    """The answers in a folder, which one desk at a time uses. One answer plays at a time, on all cores."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.changed, self.version = folder, Condition(), 0
        self._lock: IO[bytes] | None = None  # keeps other desks out
        self._process: subprocess.Popen[str] | None = None  # of the answer that plays
        file = folder / SHELF
        if folder.exists() and not folder.is_dir():
            raise ArgumentError("shelf", f"{folder} is not a folder")
        try:
            kept = msgspec.json.decode(file.read_bytes() if file.exists() else b"{}", type=built(_Kept))
        except msgspec.DecodeError as error:
            raise StorageError(f"{file}: not of a desk ({error}); remove it") from None
        self.answers, self.variants = kept.answers, kept.variants
        self._last = max(self.answers, default=0)  # last number; pages know pictures by number, so a desk reuses none
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
        """Return the version and all answers, newest first, once the version is not `have`, or after `seconds`."""
        with self.changed:
            self.changed.wait_for(lambda: str(self.version) != have, seconds)
            return {"version": self.version, "answers": msgspec.to_builtins([*self.answers.values()][::-1])}

    def find(self, number: int) -> Answer:
        """Return an answer; raise ArgumentError for an unknown number."""
        if number not in self.answers:
            raise ArgumentError("answer", f"no answer {number}; it may be forgotten already")
        return self.answers[number]

    def ask(self, asked: Asked) -> int:
        """Put a question on the shelf and return its number; it plays when those before it have ended."""
        with self.changed:
            if len(self.answers) >= MOST:
                raise InputError(f"the shelf holds {MOST} answers; forget some")
            number = self._last + 1
            place = self.folder / str(number)
            words = words_for(asked, place)
            given = {name: getattr(asked, name) for name in Asked.__struct_fields__}
            answer = Answer(**given, number=number, command=command_of(words), python=python_of(words))
            self._make_and_lock()
            with storage_errors(f"cannot write {place}"):
                place.mkdir(exist_ok=True)
            if sheets := asked.values.get("file"):  # the form has its text
                write_atomically(place / SHEETS, _sheets(str(sheets)).encode())
            self.answers[number], self._last = answer, number
            self._note(answer)
            return number

    def again(self, number: int) -> None:
        """Resume a stopped or failed answer once no other plays; without a results folder it begins again."""
        if (answer := self.find(number)).status in (STOPPED, FAILED):
            self._note(answer, status=WAITS, error="")

    def stop(self, number: int) -> None:
        """Stop an answer that plays or waits; its results folder keeps finished chunks."""
        with self.changed:
            if (answer := self.find(number)).status == WAITS:
                self._note(answer, status=STOPPED)
            elif answer.status == PLAYS and self._process is not None:
                self._process.terminate()

    def forget(self, number: int) -> None:
        """Remove an answer and its folder. Raises InputError for one that plays."""
        with self.changed:
            if self.find(number).status == PLAYS:
                raise InputError("stop this answer before you forget it")
            del self.answers[number]
            self._publish()
            with storage_errors(f"cannot remove answer {number}"):
                shutil.rmtree(self.folder / str(number))

    def save(self, number: int, name: str, results: Path) -> str:
        """Copy an answer's results, with page and study, to the new folder `name` in `results`; return its path."""
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
        """Keep a variant with changed keys under the custom name `name`; without `settings`, forget the name."""
        with self.changed:
            own = self.variants.setdefault(game, {})
            if settings:
                own[_checked(name)] = {"variant": variant, "settings": settings}
            else:
                own.pop(_checked(name), None)
            self._publish()

    def close(self) -> None:
        """Stop all answers, wait at most _PATIENCE for the one that plays, and unlock the folder."""
        with self.changed:
            for number in self.answers:
                self.stop(number)
            self.changed.wait_for(lambda: self._process is None, _PATIENCE)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _note(self, answer: Answer, **known: Any) -> None:
        """Set these fields of an answer, and publish them."""
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
        """Set the fields of an answer that its process prints, one JSON object per line, and in the end its status."""
        began = monotonic()
        with process:
            for line in process.stdout or ():
                self._note(answer, **json.loads(line), seconds=monotonic() - began)
        with self.changed:
            self._process, status = None, _ENDINGS.get(process.returncode, FAILED)
            unsaid = f"the process ended with code {process.returncode}; the terminal of the desk says more"
            self._note(answer, status=status, error=answer.error or (unsaid if status == FAILED else ""))


def _sheets(text: str) -> str:
    """Return the score sheets that a user wrote as CSV with a heading; semicolons and tabs become commas."""
    text = re.sub(r"[;\t]", ",", text.strip())
    if text.lower().startswith("seat"):
        return text
    seats = 1 + max((line.count(",") for line in text.splitlines()), default=0)
    return "\n".join([",".join(f"seat {seat}" for seat in range(seats)), text])


def _checked(name: str) -> str:
    """Return a name that a user chose; raise ArgumentError for one that is not allowed."""
    if not NAME.fullmatch(name):
        words = "must be lower-case letters, digits, - and _, at most 64, the first a letter or digit"
        raise ArgumentError("name", f"{words}, got {short_repr(name)}")
    return name

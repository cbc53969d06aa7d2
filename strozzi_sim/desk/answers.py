"""The shelf: a folder with a folder for each answer. Answers are played one at a time, each in its own process."""

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from signal import strsignal
from tempfile import TemporaryDirectory
from threading import Condition, Thread
from time import monotonic
from typing import Any

import msgspec

from strozzi_sim.desk.questions import SHEETS, Asked, changes_of_box, command_of, python_of, words_for
from strozzi_sim.errors import ArgumentError, InputError, StorageError, as_argument_error, short_repr
from strozzi_sim.game.converting import built
from strozzi_sim.game.variants import NAME
from strozzi_sim.runtime.files import check_portable, storage_errors, write_atomically
from strozzi_sim.runtime.system import ENDING, KILLED, why_not_locked

Json = dict[str, Any]
SHELF, LOCK = "shelf.json", "lock"
PICTURE, RESULTS, PAGE, STUDY = "picture.svg", "results", "results/report.html", "results/study.toml"  # in its folder
WAITS, PLAYS, DONE, STOPPED, FAILED = "waits", "plays", "done", "stopped", "failed"
MOST = 200  # most answers on a shelf
_LONGEST_NOTE = 500  # characters
_PATIENCE = 30.0  # seconds that a closed shelf waits for its process to end


class ShelfAlarm(msgspec.Struct, array_like=True):
    """An alarm of an answer; shelves written before alarms could be mended have the first two fields."""

    text: str
    evidence: str
    is_mended: bool = False


class ShelfAnswer(Asked, kw_only=True):
    """A question on the shelf, and its answer as far as known. The page receives this, and SHELF holds it."""

    number: int
    command: str  # the question as a command line
    python: str  # the question as a call of the Python interface
    box: str = ""  # the changes of its box in words
    status: str = WAITS
    error: str = ""
    phase: tuple[str, int, int] = ("", 0, 0)  # (phase, done, total); total is 0 if unknown
    seconds: float = 0.0  # that its process has run so far
    verdict: tuple[str, ...] = ()
    alarms: tuple[ShelfAlarm, ...] = ()
    told: tuple[str, ...] = ()  # KEY=VALUE of the box that the verdict names
    games: int = 0  # behind the verdict
    picture: Json | None = None  # title and legend of the first picture
    saved: str = ""  # path of the folder in which it was saved


class HistoryRow(msgspec.Struct, kw_only=True):
    """A box that was kept or asked about, with what the strip knew of it."""

    number: int
    game: str
    variant: str
    settings: list[str]
    box: str  # its changes in words
    players: int
    agents: str
    who: str  # who plays, in words
    games: int
    figures: dict[str, list[float | None]]  # value, low and high by name
    shares: int  # of the figures the first, which are shares of wins
    note: str = ""


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    answers: dict[int, ShelfAnswer] = {}
    variants: dict[str, dict[str, Json]] = {}  # game -> custom name -> {variant, settings}
    history: list[HistoryRow] = []


class Shelf:
    """The answers in a folder, which one desk at a time uses. One answer plays at a time, on all cores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.changed = Condition()
        self.version = 0
        self._lock: sqlite3.Connection | None = None  # keeps other desks out
        self._process: subprocess.Popen[str] | None = None  # of the answer that plays
        self._is_stopping = False  # whether the desk is ending that process
        file = folder / SHELF
        if folder.exists() and not folder.is_dir():
            raise ArgumentError("shelf", f"{folder} is not a folder")
        with storage_errors(f"cannot read {folder}"):
            content = file.read_bytes() if file.exists() else b"{}"
            is_foreign = folder.exists() and not file.exists() and any(each.name != LOCK for each in folder.iterdir())
        if is_foreign:
            raise ArgumentError("shelf", f"{folder} is not empty and holds no answers of a desk; name another folder")
        try:
            kept = msgspec.json.decode(content, type=built(_Kept))
        except msgspec.DecodeError as error:
            raise StorageError(f"{file}: not of a desk ({error}); move it away, or name another folder") from None
        self.answers, self.variants, self.history = kept.answers, kept.variants, kept.history
        self._last = max(self.answers, default=0)  # last number; pages know pictures by number, so a desk reuses none
        for answer in self.answers.values():
            answer.status = STOPPED if answer.status in (WAITS, PLAYS) else answer.status
        if folder.exists():
            self._make_and_lock()

    def _make_and_lock(self) -> None:
        """Make the folder of the shelf if needed, and lock it; raise StorageError if another desk has locked it."""
        with storage_errors(f"cannot write {self.folder}"):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / LOCK).touch()
        if self._lock is not None:
            return
        # SQLite locks a file on every system; the file stays empty.
        lock = sqlite3.connect(self.folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            lock.close()
            is_held = getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY"
            why = why_not_locked(self.folder) if is_held else f"{LOCK} cannot be locked ({error})"
            advice = "; " if why else "another desk has these answers open; use that one, or "
            raise StorageError(f"{self.folder}: {why}{advice}name another folder with --shelf") from None
        self._lock = lock

    def state(self, have: str = "", seconds: float = 0.0) -> Json:
        """Return the version and all answers, newest first, once the version is not `have`, or after `seconds`."""
        with self.changed:
            self.changed.wait_for(lambda: str(self.version) != have, seconds)
            answers, history = msgspec.to_builtins(([*self.answers.values()][::-1], self.history[::-1]))
            return {"version": self.version, "answers": answers, "history": history}

    @property
    def is_playing(self) -> bool:
        """Whether an answer is being played."""
        return self._process is not None

    def find(self, number: int) -> ShelfAnswer:
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
            while os.path.lexists(self.folder / str(number)):  # a folder that someone else made
                number += 1
            place = self.folder / str(number)
            words = words_for(asked, place)
            given = {name: getattr(asked, name) for name in Asked.__struct_fields__}
            command, python = command_of(words), python_of(words)
            answer = ShelfAnswer(**given, number=number, command=command, python=python, box=changes_of_box(asked))
            self._write()
            with storage_errors(f"cannot write {place}"):
                place.mkdir()
            if sheets := asked.values.get("file"):  # the form has its text
                write_atomically(place / SHEETS, str(sheets).encode())
            self.answers[number] = answer
            self._last = number
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
                self._is_stopping = True
                self._process.terminate()

    def forget(self, number: int) -> None:
        """Remove the files of an answer that does not play, its folder unless it holds others, and the answer."""
        with self.changed:
            if self.find(number).status == PLAYS:
                raise InputError("stop this answer before you forget it")
            _remove(self.folder / str(number))
            del self.answers[number]
            self._publish()

    def save(self, number: int, name: str, results: Path) -> str:
        """Copy an answer's results, with page and study, to the new folder `name` in `results`; return its path."""
        with self.changed:
            answer = self.find(number)
            target = results / _checked(name)
            if answer.status != DONE:
                raise InputError("this answer is not finished; it can be saved when it is")
            if target.exists():
                raise ArgumentError("name", f"{target} exists; choose another name")
            with storage_errors(f"cannot write {target}"):
                shutil.copytree(self.folder / str(number) / RESULTS, target)
            self._note(answer, saved=str(target))
            return answer.saved

    def beside(self, one: int, other: int) -> str:
        """Return the page of two answers side by side, which a process of its own writes. Raises InputError."""
        folders = [str(self.folder / str(self.find(number).number) / RESULTS) for number in (one, other)]
        with TemporaryDirectory() as place:
            page = Path(place, "page.html")
            command = [sys.executable, "-m", "strozzi_sim", "report", *folders, "--out", str(page)]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
            if done.returncode:
                raise InputError(f"these two answers have no page together: {done.stderr.strip()}")
            return page.read_text("utf-8")

    def keep(self, game: str, name: str, variant: str, settings: list[str]) -> None:
        """Keep a variant with changed keys under the custom name `name`; without `settings`, forget the name."""
        with self.changed:
            own = self.variants.setdefault(game, {})
            if settings:
                own[_checked(name)] = {"variant": variant, "settings": settings}
            else:
                own.pop(_checked(name), None)
            self._publish()

    def remember(self, **row: Any) -> None:
        """Add a box to the history, in place of the same box with the same players."""
        with self.changed:
            new = HistoryRow(number=max((each.number for each in self.history), default=0) + 1, **row)
            same = [each for each in self.history if _is_same_box(each, new)]
            new.note = same[-1].note if same else ""
            self.history = [*(each for each in self.history if each not in same), new][-MOST:]
            self._publish()

    def remark(self, number: int, note: str) -> None:
        """Set the note of a box of the history."""
        with self.changed:
            for row in self.history:
                row.note = note[:_LONGEST_NOTE] if row.number == number else row.note
            self._publish()

    def drop(self, number: int) -> None:
        """Remove a box from the history."""
        with self.changed:
            self.history = [row for row in self.history if row.number != number]
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

    def _note(self, answer: ShelfAnswer, **known: Any) -> None:
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
            self._start(waiting[0])
        if is_kept:
            self._write()

    def _write(self) -> None:
        """Write SHELF, which marks the folder as a desk's; make and lock the folder if needed."""
        kept = msgspec.json.encode(_Kept(self.answers, self.variants, self.history))
        self._make_and_lock()
        write_atomically(self.folder / SHELF, kept)

    def _start(self, answer: ShelfAnswer) -> None:
        command = [sys.executable, "-m", "strozzi_sim.desk.child", str(self.folder / str(answer.number))]
        command += shlex.split(answer.command)[1:]
        self._is_stopping = False
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8"
            )
        except OSError as error:  # such as a command that is too long
            self._note(answer, status=FAILED, error=f"its process cannot be started: {error.strerror or error}")
            return
        self._note(answer, status=PLAYS, phase=("starting", 0, 0))
        Thread(target=self._hear, args=(answer, self._process), daemon=True).start()

    def _hear(self, answer: ShelfAnswer, process: "subprocess.Popen[str]") -> None:
        """Set the fields of an answer that its process prints, one JSON object per line, and in the end its status.

        If they cannot be written, as on a full disk, the next request that writes reports that.
        """
        began = monotonic()
        with process:
            for line in process.stdout or ():
                with suppress(StorageError):
                    self._note(answer, **json.loads(line), seconds=monotonic() - began)
        status, error = _ending(process.returncode, self._is_stopping)
        with self.changed, suppress(StorageError):
            self._process = None
            self._note(answer, status=status, error=answer.error or error)


def _ending(code: int, is_stopping: bool = False) -> tuple[str, str]:
    """Return the status of an answer whose process ended with this exit code, and the error if it reported none."""
    number = -code if code < 0 else code - 128  # of the signal that ended it
    if code == 0:
        return DONE, ""
    if is_stopping or number in ENDING:
        return STOPPED, ""
    if code > 0:
        return FAILED, f"its process ended with code {code}; the terminal of the desk says more"
    hint = ", as when memory runs out" if number == KILLED else ""
    return FAILED, f"its process was ended by signal {number} ({strsignal(number)}){hint}"


def _remove(place: Path) -> None:
    """Remove what the desk has written in the folder of an answer, and the folder if nothing else is in it."""
    with storage_errors(f"cannot remove {place}"):
        if place.is_symlink():
            raise OSError("it is a link, which no desk makes")
        for name in (SHEETS, PICTURE):
            (place / name).unlink(missing_ok=True)
        if os.path.lexists(place / RESULTS):
            shutil.rmtree(place / RESULTS)
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()


def _is_same_box(first: HistoryRow, second: HistoryRow) -> bool:
    names = ("game", "variant", "settings", "players", "agents")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        words = "must be lower-case letters, digits, - and _, at most 64, the first a letter or digit"
        raise ArgumentError("name", f"{words}, got {short_repr(name)}")
    as_argument_error("name", check_portable, name)
    return name

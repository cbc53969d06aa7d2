"""The strip under the box: the figures of the box on the page, which follow every change and get surer.

A thread hands batches of a few milliseconds of play to one worker process, which has compiled the game and plays on all
cores; between two batches the newest box is taken up. Nothing is played unless a page has asked lately, nor while a
question plays. What was played of a box is remembered, so a box that was seen before is known at once. Once the box is
known well, the first box is played further, and then the boxes beside it: other values of the number in hand.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Thread
from time import monotonic
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.names import core_count, lineups_of
from strozzi_sim.desk import measured
from strozzi_sim.desk.batches import alarms_of, in_worker, play_chunks
from strozzi_sim.desk.measured import Series
from strozzi_sim.errors import InputError, StrozziError
from strozzi_sim.facts.figures import DECISIONS, SCORE
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import changes_in_words
from strozzi_sim.game.sentences import listed, seat_words
from strozzi_sim.game.variants import BASE, Variant, resolve_variant, with_settings, with_values
from strozzi_sim.runtime.workers import Hung, WorkerDied
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.box_numbers import box_number
from strozzi_sim.study.wording import player_words, players_words

Json = dict[str, Any]
UNSEEN_SECONDS = 10.0  # after the last request of a page nothing plays
SEEN = 200  # boxes that are remembered
NEIGHBOURS = 9  # most other values of the number in hand that are played
FIRST_BESIDE, ENOUGH_BESIDE = 2_000, 20_000  # deals of each, before the box is known finely and afterwards
_MOST_DEALS = 400_000  # of a box
_REST = 2.0  # seconds that a box is shown before its alarms are counted, which takes about a second of a core
_TIMED = 0.03  # seconds of play from which the pace of a table is known
MOST_DEATHS = 3  # of the worker without a batch between them; then nothing plays until the next box
_WAIT = 0.5  # seconds before a worker that replaced one is replaced
_SEED = 0
GAP = "gap between the seats"
DEFINITIONS = (
    ("wins", "games of 100 that a seat wins, all seats played by copies of the player chosen; a shared win is divided"),
    ("between (95 %)", "an interval that holds in 95 of 100 boxes, whenever you look; it narrows as more is played"),
    ("change", "difference from the box that you began with, with an interval of the same kind; bold: not by chance"),
    (GAP, "wins of the best seat less wins of the worst one, of 100 games; chance alone makes some"),
    (SCORE.label, "final score of a player, mean over seats and games"),
    (DECISIONS.label, "decisions of all players in a game; the length of a game"),
    ("lead of the first", "mean score of the first of these players less that of the others"),
)


@dataclass(frozen=True)
class LiveBox:
    """A changed box and its players, as the strip shows them.

    Attributes:
        counts: player counts.
        agents: one line-up, or "" for the usual player.
        key: the number in hand, "" for none.
    """

    game: str
    variant: str = BASE
    settings: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    agents: str = ""
    key: str = ""


@dataclass(frozen=True)
class LiveTable:
    """One player count with its line-up."""

    game: Game
    players: int
    lineup: tuple[AgentSpec, ...]

    @property
    def name(self) -> tuple[str, int, str]:
        """What tells tables apart."""
        return self.game.name, self.players, ",".join(spec.text for spec in self.lineup)

    @property
    def is_selfplay(self) -> bool:
        """Whether one agent plays itself."""
        return len(self.lineup) == 1

    def match(self, variant: Variant) -> Match:
        """Return the match of a box at this table."""
        seatings = "one" if self.is_selfplay else "rotate"
        return Match(self.game, self.players, self.lineup, variant, _SEED, seatings)

    @property
    def who(self) -> list[str]:
        """The sides of which shares are shown, as text."""
        if self.is_selfplay:
            return [seat_words(seat, self.players) for seat in range(self.players)]
        positions = [self.lineup[place % len(self.lineup)].text for place in range(self.players)]
        names = [player_words(self.game, text) for text in positions]
        return [f"{name} ({k})" if names.count(name) > 1 else name for k, name in enumerate(names, 1)]


@dataclass(frozen=True)
class Boxed:
    """A box, and what tells boxes apart: a digest of its rules."""

    variant: Variant = field(compare=False)
    mark: bytes

    @classmethod
    def of(cls, variant: Variant) -> "Boxed":
        """Return a box with its digest."""
        return cls(variant, hashlib.blake2b(variant.rules.tobytes(), digest_size=16).digest())


@dataclass(frozen=True)
class Job:
    """The next batch: chunks of a box, or the games of which its alarms are counted."""

    series: Series
    table: LiveTable
    box: Boxed
    is_of_alarms: bool = False


class Live:
    """The strip of a desk. All pages of a desk show the same."""

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        """Make a strip that pauses while `is_busy` returns True."""
        self._is_busy = is_busy
        self._changed = Condition()
        self._box: LiveBox | None = None
        self._tables: list[LiveTable] = []
        self._now: Boxed | None = None
        self._first: Boxed | None = None
        self._neighbours: dict[float, Boxed] = {}
        self._own_value = 0.0
        self._seen: OrderedDict[tuple[Any, ...], Series] = OrderedDict()
        self._pace: dict[tuple[str, int, str], float] = {}  # by table: seconds of a deal on all cores
        self._chunk: dict[tuple[str, int, str], int] = {}  # by table: deals of a chunk
        self._asked = self._shown = 0.0
        self._is_closed = False
        self._is_stopped = False  # until another box is shown
        self._deaths = 0  # of the worker, since it played the last batch
        self._says = ""
        self.version = 0
        self.restarts = 0
        self._thread: Thread | None = None

    # -- for the pages -------------------------------------------------------------------------------------------------

    def show(self, box: LiveBox) -> int:
        """Take up a box, and return the version of the state before it. Raises InputError for one that is refused."""
        game = find_game(box.game)
        first = resolve_variant(game, box.variant)
        now = with_settings(game, box.variant, box.settings)
        counts = box.counts or (game.player_counts[0],)
        lineups = lineups_of(game, box.agents, counts)
        tables = [LiveTable(game, count, lineups[k % len(lineups)]) for k, count in enumerate(counts)]
        for table in tables:
            table.match(now)
        own, beside = 0.0, dict[float, Boxed]()
        if box.key:
            own = box_number(game, now, box.key).value
            before = self._box
            is_same = before is not None and (before.game, before.variant, before.key) == (
                box.game,
                box.variant,
                box.key,
            )
            values = _values_beside(game, first, box.key)
            beside = _beside(game, now, box.key, values, self._neighbours if is_same else {})
        with self._changed:
            self._box, self._tables = box, tables
            self._now, self._first = Boxed.of(now), Boxed.of(first)
            self._own_value, self._neighbours = own, beside
            self._is_stopped, self._deaths = False, 0
            self._shown = monotonic()
            self._say("")
            return self.version - 1

    def state(self, have: str = "", seconds: float = 0.0) -> Json:
        """Return what is known of the box, once the version is not `have` or after `seconds`; play goes on."""
        with self._changed:
            self._asked = monotonic()
            if self._thread is None and self._box is not None:
                self._thread = Thread(target=self._run, daemon=True)
                self._thread.start()
            self._changed.notify_all()
            self._changed.wait_for(lambda: str(self.version) != have, seconds)
            self._asked = monotonic()
            return self._state()

    def rows(self) -> list[Json]:
        """Return the box as rows of the history, one for each player count. Raises InputError before any play."""
        with self._changed:
            state, box, now, first = self._state(), self._box, self._now, self._first
        if box is None or now is None or first is None or not state["tables"]:
            raise InputError("nothing is known of this box yet")
        game = find_game(box.game)
        clauses = [words for _, words in changes_in_words(game, first.variant.components, now.variant.components)]
        place = {"game": box.game, "variant": box.variant, "settings": list(box.settings), "agents": box.agents}
        place |= {"box": listed(clauses) or ("the published game" if box.variant == BASE else box.variant)}
        place |= {"who": players_words(game, box.agents or game.default_agent, bare=True)}
        rows = []
        for table in state["tables"]:
            known = {"players": table["players"], "games": table["games"], "shares": 1 + len(table["sides"])}
            rows.append({**place, **known, "figures": _ends(table)})
        return rows

    def close(self) -> None:
        """Stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    # -- what is known -------------------------------------------------------------------------------------------------

    def _series(self, table: LiveTable, box: Boxed) -> Series:
        """Return what was played of a box at a table, and mark it as seen last."""
        key = (*table.name, box.mark)
        if key not in self._seen:
            self._seen[key] = Series(self._chunk.get(table.name, 1))
        self._seen.move_to_end(key)
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)
        return self._seen[key]

    def _state(self) -> Json:
        found: Json = {"version": self.version, "says": self._says, "restarts": self.restarts, "tables": []}
        if self._box is None or self._now is None or self._first is None:
            return found
        found |= {"game": self._box.game, "variant": self._box.variant, "settings": list(self._box.settings)}
        found |= {"agents": self._box.agents, "key": self._box.key}
        for table in self._tables:
            series, base = self._series(table, self._now), self._series(table, self._first)
            if not series.chunks:
                continue
            is_changed = self._now != self._first and base.chunks > 1
            found["tables"].append(_shown(table, series, base if is_changed else None))
        if self._box.key and self._tables:
            found["curve"] = list(self._curve(self._tables[0], self._now))
        return found

    def _curve(self, table: LiveTable, now: Boxed) -> Iterator[Json]:
        """Yield the figures of every value of the number in hand that was played."""
        boxes = {**self._neighbours, self._own_value: now}
        for value in sorted(boxes):
            series = self._series(table, boxes[value])
            if series.chunks:
                yield {"value": value, "ends": _ends(_shown(table, series)), "is_now": value == self._own_value}

    # -- play ----------------------------------------------------------------------------------------------------------

    def _is_wanted(self) -> bool:
        return monotonic() - self._asked < UNSEEN_SECONDS and not self._is_busy()

    def _run(self) -> None:
        """Play batches while a page asks for them and anything is worth playing."""
        try:
            while not self._is_closed:
                with self._changed:
                    is_wanted = self._is_wanted()
                    job = self._next() if is_wanted else None
                    if job is None:
                        self._pause(is_wanted)
                if job is not None:
                    self._try_to_play(job)
        finally:
            if not self._is_closed:
                self._stop("This strip has stopped; the terminal that serves this page shows why.")

    def _pause(self, is_wanted: bool) -> None:
        """Wait for a page or a box, a little if a question plays."""
        is_seen = monotonic() - self._asked < UNSEEN_SECONDS
        says = "A question is being played; this goes on afterwards." if is_seen and not is_wanted else ""
        if says != self._says and is_seen and not self._is_stopped:
            self._say(says)
        self._changed.wait(1.0 if is_seen else None)

    def _next(self) -> Job | None:
        """Return what is worth playing most: the box until it is seen, the first box, the box, and those beside it."""
        if self._now is None or self._first is None or self._is_stopped:
            return None
        for table in self._tables:
            for limit, box in ((measured.COARSE, self._now), (measured.COARSE, self._first)):
                if job := self._job(table, box, limit):
                    return job
        if job := self._beside(FIRST_BESIDE):
            return job
        for table in self._tables if monotonic() - self._shown > _REST else ():
            series = self._series(table, self._now)
            if series.alarms is None:
                return Job(series, table, self._now, is_of_alarms=True)
        for table in self._tables:
            own, first = self._series(table, self._now), self._series(table, self._first)
            if first.chunks < own.chunks:
                return Job(first, table, self._first)
            for limit, box in ((measured.FINE, self._now), (measured.BASE_FINE, self._first)):
                if job := self._job(table, box, limit):
                    return job
        return self._beside(ENOUGH_BESIDE)

    def _beside(self, most: int) -> Job | None:
        """Return the next batch of the box beside this one that was played least, until each has so many deals."""
        jobs = [self._job(self._tables[0], box, 0.0, most) for box in self._neighbours.values()]
        return min((job for job in jobs if job), key=lambda job: job.series.chunks, default=None)

    def _job(self, table: LiveTable, box: Boxed, limit: float, most: int = _MOST_DEALS) -> Job | None:
        """Return the next batch of a box, or None if its shares are known to `limit`, or after `most` deals."""
        series = self._series(table, box)
        if series.total >= most:
            return None
        if series.chunks > 1 and limit:
            found = measured.bounds(series, len(table.who), min(limit, measured.FINE))
            if measured.precision_of(found, len(table.who)) <= limit:
                return None
        return Job(series, table, box)

    def _try_to_play(self, job: Job) -> None:
        """Play a batch; a process that ends is replaced, and a box that cannot be played is left until the next one."""
        try:
            if job.is_of_alarms:
                job.series.alarms = []
                Thread(target=self._count_alarms, args=(job,), daemon=True).start()
            elif job.table.name in self._pace:
                self._play(job)
            else:
                self._warm(job)
            self._deaths = 0
        except WorkerDied as died:
            self._deaths += 1
            if isinstance(died, Hung) or self._deaths == MOST_DEATHS:
                self._stop(f"The process that plays {died.what}; change the box or who plays to go on.")
                return
            with self._changed:
                self.restarts += 1
                self._say(f"The process that plays {died.what}; another one goes on.")
                self._changed.wait(_WAIT * (self._deaths - 1))
        except StrozziError as error:
            self._stop(str(error))

    def _play(self, job: Job) -> None:
        """Play a batch in the worker, and add it to what is known."""
        threads, pace, deals = core_count(), self._pace[job.table.name], job.series.deals
        per_batch = int(measured.BATCH_SECONDS / pace / deals)
        chunks = max(threads, min(per_batch, 1 + 2 * job.series.chunks))  # at first few, to be seen soon
        match = job.table.match(job.box.variant)
        outcomes, seconds = in_worker(play_chunks, match, job.series.total, chunks, deals, threads)
        with self._changed:
            self._pace[job.table.name] = 0.7 * pace + 0.3 * seconds / (chunks * deals)
            job.series.add(outcomes, job.table.players, is_selfplay=job.table.is_selfplay)
            self._say("")

    def _count_alarms(self, job: Job) -> None:
        """Count the alarms of a box in another worker, so that a new box need not wait; if it dies there are none."""
        seconds = self._pace[job.table.name] * core_count()
        with suppress(WorkerDied, StrozziError):
            found = in_worker(alarms_of, job.table.match(job.box.variant), seconds)
            with self._changed:
                job.series.alarms = found
                self.version += 1
                self._changed.notify_all()

    def _warm(self, job: Job) -> None:
        """Compile what a table needs, measure its pace, and settle the deals of its chunks."""
        with self._changed:
            self._say("Getting ready to play; the first time this takes a minute.")
        match, threads = job.table.match(job.box.variant), core_count()
        deals, seconds = 0, 0.0
        while seconds < _TIMED and deals < 1_000:
            deals = max(1, 4 * deals)
            _, seconds = in_worker(play_chunks, match, 0, threads, deals, threads)
            seconds = seconds if deals > 1 else 0.0  # the first call compiles, or loads code
        with self._changed:
            self._pace[job.table.name] = seconds / (deals * threads)
            self._chunk[job.table.name] = measured.chunk_deals(self._pace[job.table.name])
            for key in [key for key in self._seen if key[:3] == job.table.name]:  # with chunks of another size
                del self._seen[key]
            self._say("")

    def _say(self, words: str) -> None:
        """Publish what is known, with these words; the lock must be held."""
        self._says = words
        self.version += 1
        self._changed.notify_all()

    def _stop(self, words: str) -> None:
        """Say why nothing plays until a page shows another box."""
        with self._changed:
            self._is_stopped = True
            self._say(words)


def _values_beside(game: Game, first: Variant, key: str) -> list[float]:
    """Return values of the number in hand, spread over those around the one that the designer began with."""
    values = box_number(game, first, key).values
    places = np.linspace(0, len(values) - 1, min(len(values), 1 + NEIGHBOURS))
    return [values[place] for place in places.round().astype(int)]


def _beside(game: Game, now: Variant, key: str, values: list[float], known: dict[float, Boxed]) -> dict[float, Boxed]:
    """Return the boxes with these values of a number, those `known` if they differ from this box in no other number."""
    found: dict[float, Boxed] = {}
    for value in values:
        with suppress(InputError):  # the game refuses it beside the other numbers
            found[value] = Boxed.of(with_values(game, now, {key: value}))
            if found[value] == known.get(value):
                return known
    return found


def _shown(table: LiveTable, series: Series, base: Series | None = None) -> Json:
    """Return what is known at a table: sides, figures and gap, each with its interval, and their change from `base`."""
    sides = len(table.who)
    names = [*table.who, SCORE.label, DECISIONS.label, f"lead of {table.who[0]}"]
    own = measured.bounds(series, sides).rows()
    changes = [None] * len(names) if base is None else measured.change(series, base, sides).rows()
    rows = [
        {"who": name, "ends": ends, "change": change} for name, ends, change in zip(names, own, changes, strict=True)
    ]
    games = series.total * (1 if table.is_selfplay else table.players)
    return {
        "players": table.players,
        "games": games,
        "deals": series.total,
        "fair": 1 / table.players,
        "sides": rows[:sides],
        "figures": rows[sides:],
        "gap": measured.gap(series, sides),
        "alarms": series.alarms or [],
    }


def _ends(shown: Json) -> dict[str, list[float | None]]:
    """Return every figure of a table by name, with the ends of its interval; the gap comes first."""
    return {GAP: shown["gap"], **{row["who"]: row["ends"] for row in [*shown["sides"], *shown["figures"]]}}

"""Run a study: play the missing chunks, all or until every headline has its precision, then make the tables."""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from msgspec.structs import replace

from strozzi_sim import stats
from strozzi_sim.agent.names import path_of, worker_count
from strozzi_sim.declare.custom_heatmaps import map_table_name
from strozzi_sim.declare.figure_tables import FIGURES, FigureTable
from strozzi_sim.declare.pages import map_tables
from strozzi_sim.errors import SIGNALS, ArgumentError, InputError, Stopped, pluralize, short_repr
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.row_storage import recount
from strozzi_sim.play.warming import warm_all
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.simulation.pool import play_tasks
from strozzi_sim.stats.precision import FIRST_LOOK
from strozzi_sim.study.arguments import RunOptions, StudyOptions
from strozzi_sim.study.cells import Cell, CellCounts
from strozzi_sim.study.cluster import cluster_of
from strozzi_sim.study.duration import announce
from strozzi_sim.study.files import HEATS, csv_of
from strozzi_sim.study.following import Following
from strozzi_sim.study.games import ANSWERS, with_figures
from strozzi_sim.study.kept import row_files
from strozzi_sim.study.look import PLAIN, Look
from strozzi_sim.study.model import RESUMES, Study
from strozzi_sim.study.precision import Precision
from strozzi_sim.study.progress import GAMES, Progress, ProgressOption, Show, in_notebook, progress_of
from strozzi_sim.study.results import ILLEGAL_SHARE, Frames, Results
from strozzi_sim.study.store import Content, Key, Store, StudyPart, now, versions

Folder = str | PathLike[str] | None
PlayHeat = Callable[[Study, Look], list[CellCounts]]
_SILENT = Progress()
FEWEST_CHUNKS = 20  # fewest chunks of a cell from which preliminary tables are made
REPORT_DIVISORS = (10, 3)  # without a precision, results are reported to a callback after 1/10 and 1/3 of the chunks


def run(
    study: Study,
    folder: Folder = None,
    *,
    look: Look = PLAIN,
    workers: int | None = None,
    progress: ProgressOption = None,
    deals: int | None = None,
    part: str = "",
    backend: str = "",
    scheduler: str = "",
    trust_agents: bool = False,
) -> Results:
    """Play a study and make its tables. A run in a results folder resumes; more deals extend the study.

    Args:
        study: the study.
        folder: results folder; default: in memory only.
        look: what is counted beside wins and scores, kept and shown.
        workers: number of workers, which does not affect results; default: one per core.
        progress: True or False to show a bar or lines, or a `Progress`; default: a bar in a terminal or notebook only.
        deals: deals of every cell instead of the study's.
        part: play only a share of the chunks, such as 2/5, and make no tables; `merge` joins the folders of all parts.
        backend: "dask", or "" for the backend set with `joblib.parallel_config`, by default threads of this process.
        scheduler: address of the Dask scheduler whose workers play, such as tcp://10.0.0.1:8786.
        trust_agents: resume a folder although some changes of agents' code cannot be detected; every run says which.

    Raises:
        KeyboardInterrupt: Ctrl-C. A folder keeps the finished chunks. In memory, 20 chunks or more are the attribute
            `results` of the exception; in a notebook the function returns these results, with a warning.

    >>> import strozzi_sim as ss
    >>> study = ss.Study.of(game="medici_vs_strozzi", deals=100, lineups=[["random"]])
    >>> ss.run(study).n_games
    100
    """
    if not isinstance(study, Study):
        raise ArgumentError("study", f"expected a Study, got {short_repr(study)}")
    results_folder = None if folder is None else path_of("folder", folder)
    own_part = StudyPart.of_text(part)
    if deals is not None:
        study = study.extended(deals)
    study.check_look(look)
    if own_part.of > 1 and study.is_search:
        raise ArgumentError("part", "a search has no parts: each of its heats depends on those before")
    if own_part.of > 1 and (results_folder is None or not study.can_grow):
        raise ArgumentError("part", "needs a results folder, and a study without precision and search_deals")
    worker_total = worker_count(workers)
    cluster = cluster_of(backend, scheduler, workers, study)
    store_of_run = Store(results_folder, study, look, own_part)
    try:
        with stop_flag(), progress_of(progress) as reporter, cluster, store_of_run as store:
            return _run(store, worker_total, reporter, trust_agents)
    except KeyboardInterrupt as interrupt:
        finished: Results | None = vars(interrupt).setdefault("results", None)
        if finished is None or not in_notebook():
            raise
        warnings.warn(finished.interrupted, stacklevel=2)
        return finished


def play(kind: type[Study], options: StudyOptions, look: Look | None = None, /, **keys: Any) -> Results:
    """Play a study of this kind, which has the options but those of the run, and these keys, and return its results."""
    of_run, of_study = RunOptions(), dict[str, Any]()
    for name, value in options.items():
        (of_run if name in RunOptions.__annotations__ else of_study)[name] = value  # type: ignore[literal-required]
    study = kind.of(**of_study, **keys)
    return run(study, look=look or study.look(), **of_run)


def _run(store: Store, worker_total: int, reporter: Progress, trust_agents: bool) -> Results:
    study, folder = store.study, store.folder
    start = monotonic()
    if reporter.command != Progress.command and study.chunks:
        reporter.on_message(study.summary)
    for line in study.warnings:
        reporter.on_message(line)
    _check_resumed(store, reporter, trust_agents)
    if store.done and folder is not None:
        reporter.on_message(f"resuming: {len(store.done) / len(store.keys):.0%} of the games are already played")
    store.begin_run(reporter.command)
    games_before = store.games
    tables, rows = dict[str, Any](), dict[str, bytes]()
    try:
        played = _play(store, worker_total, reporter)
        new_games = store.games - games_before
        if store.part.of == 1:
            if not study.is_search:
                reporter.on_phase("tables", 0, 0)
            heats = _Heats(folder, worker_total, reporter, trust_agents)
            with _one_thread_each(worker_total):
                tables, rows = _make_tables(played, store, heats, reporter.on_phase, is_new=new_games > 0)
            new_games += heats.new_games
    except SIGNALS as interrupt:
        _explain(interrupt, store, worker_total)
        raise
    seconds = round(monotonic() - start, 3)
    all_games = int(tables[HEATS]["games"].sum()) if study.is_search else played.games
    store.end_run(played, all_games, new_games, seconds)
    about = {"command": reporter.command, "part": str(store.part), "versions": versions(), "finished": now()[:10]}
    return Results(
        played,
        store.look,
        Frames(tables),
        folder,
        n_games=all_games,
        summary=played.summary,
        new_games=new_games,
        seconds=seconds,
        about=about,
        rows=rows,
    )


def _check_resumed(store: Store, reporter: Progress, trust_agents: bool) -> None:
    """Say which stored chunks are played again, and refuse to resume with agents whose changes cannot be detected."""
    for line in store.left:
        reporter.on_message(line)
    code = store.study.unknown_code
    if (store.done or store.has_heats) and code and not trust_agents:
        raise InputError(f"{store.folder}: {'; '.join(code)}; {RESUMES}, or name another folder")


def _explain(interrupt: BaseException, store: Store, workers: int) -> None:
    """Say in the exception of a signal what is kept; a KeyboardInterrupt has it as `results`, if it is in memory."""
    kept = f"{len(store.done)} of {len(store.keys)} chunks are kept; run again to resume"
    if store.study.is_search:
        kept = "the games played so far are kept; run again to resume"
    kept = kept if store.folder is not None else "nothing is kept without a results folder"
    if isinstance(interrupt, Stopped):
        interrupt.kept = kept
        return
    part, chunks = None, _first_chunks(store, store.done)
    if store.folder is None and FEWEST_CHUNKS <= chunks < store.study.chunks:
        part = _finished_part(store, chunks, workers, "Interrupted")
    interrupt.args = (part.interrupted if part else f"Interrupted; {kept}",)
    vars(interrupt)["results"] = part


def look_at(
    folder: Path, study: Study, look: Look, why: str, *, workers: int | None = None, progress: ProgressOption = None
) -> Results:
    """Return results of the finished chunks in a folder, which another run may be writing; nothing is written there.

    Chunks that lack facts of the look are played again. `why` are the first words of the attribute `interrupted`.
    """
    if study.is_search:
        raise InputError(f"{folder}: the search has not ended; run it again to resume, or look again later")
    worker_total = worker_count(workers)
    with stop_flag(), progress_of(progress) as reporter, Store(None, study, look, copy_of=folder) as store:
        stored = store.stored_keys()
        chunks = _first_chunks(store, stored)
        if chunks < min(study.chunks or FEWEST_CHUNKS, FEWEST_CHUNKS):
            done = f"{len(stored):,} of {len(store.keys):,} chunks are finished"
            needs = f"results need {FEWEST_CHUNKS} of every cell; run it again to resume, or look again later"
            raise InputError(f"{folder}: {done}; {needs}")
        _play_chunks(store, worker_total, reporter, range(chunks))
        return _finished_part(store, chunks, worker_total, why)


def _first_chunks(store: Store, done: Collection[Key]) -> int:
    """Return how many chunks, from the first, are done in every cell."""
    return min((chunk for cell, chunk in store.keys if (cell, chunk) not in done), default=store.study.chunks)


def _finished_part(store: Store, chunks: int, workers: int, why: str) -> Results:
    study = store.study
    part = study.first_chunks(chunks)
    with _one_thread_each(workers):
        tables = tables_of(part, store)
        rows = {} if store.is_copy else _rows_in_memory(part, store)
    deals, of_chunks = f"the first {part.deals:,} of {study.deals:,} deals", f"{chunks:,} of {study.chunks:,} chunks"
    interrupted = f"{why}; these are {deals} ({of_chunks})" if chunks < study.chunks else why
    about = {"versions": versions()}
    frames, games = Frames(tables), part.games
    return Results(part, store.look, frames, None, games, part.summary, about=about, interrupted=interrupted, rows=rows)


@contextmanager
def _one_thread_each(workers: int) -> Iterator[None]:
    """Let BLAS use one thread inside the block, on which the bits of a fit depend, and joblib as many as workers."""
    with stop_flag(), single_threaded_blas(), parallel_config("threading", n_jobs=workers):
        yield


def _make_tables(
    played: Study, store: Store, heats: "_Heats", show: Show, *, is_new: bool
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the tables, and without a folder the files of kept rows; write both into a folder that lacks them."""
    stored = None if is_new else store.tables()
    if stored is not None and replace(stored[0], heatmap=store.look.heatmap) == store.look:
        return _with_maps(*stored, played, store), {}
    if played.is_search:
        tables = _frames(with_figures(played, played.search(heats.play)))
    else:
        tables = tables_of(played, store, show)
    if store.folder is None:
        return tables, _rows_in_memory(played, store)
    store.write_files({**_table_files(tables), **row_files(store, played)})
    return tables, {}


def _rows_in_memory(played: Study, store: Store) -> dict[str, bytes]:
    rows = row_files(store, played)
    contents = {name: BytesIO() for name in rows}
    for name, write in rows.items():
        write(contents[name])
    return {name: file.getvalue() for name, file in contents.items()}


def _with_maps(look: Look, tables: Mapping[str, Any], played: Study, store: Store) -> dict[str, Any]:
    """Return the tables of an earlier run, and make only the custom heat maps that are new in the look."""
    maps = store.look.heatmap
    outdated = {map_table_name(each.name) for each in look.heatmap if each not in maps}
    new_maps = _tables_of_maps(played, store, [each.name for each in maps if each not in look.heatmap])
    if not (new_maps or outdated):
        store.write_files({}, ())  # removes what a killed run left half written
        return dict(tables)
    kept = {name: table for name, table in tables.items() if name not in outdated}
    figures = with_figures(played, tables)[FIGURES]
    parts = [figures[~figures["table"].isin(outdated)]]
    if new_maps:
        parts.append(with_figures(played, new_maps)[FIGURES])
    figures = pd.concat(parts).sort_values("table", kind="stable", ignore_index=True)
    new_tables = _frames({**new_maps, FIGURES: figures})
    gone = [f"tables/{name}.{end}" for name in outdated for end in ("csv", "parquet")]
    store.write_files(_table_files(new_tables), gone)
    return kept | new_tables


def _table_files(tables: Mapping[str, Any]) -> dict[str, Content]:
    files: dict[str, Content] = {f"tables/{name}.csv": csv_of(table) for name, table in tables.items()}
    return files | {f"tables/{name}.parquet": table.to_parquet(index=False) for name, table in tables.items()}


def _play(store: Store, workers: int, reporter: Progress) -> Study:
    study = store.study
    precision = Precision(study, store) if study.precision else None
    first = reported = 0
    for end in _chunk_ends(study, reporter):
        _play_chunks(store, workers, reporter, range(first, end))
        # Chunks are played in groups, which keeps all workers busy, but the precision is checked chunk by chunk, so
        # that the end of play does not depend on the groups.
        for chunk in range(first, end):
            if precision is not None and precision.is_met(chunk + 1):
                return study.first_chunks(chunk + 1)
        is_due = 2 * end >= 3 * reported  # results may take longer to show than games to play
        if is_due and end < study.chunks and reporter.on_results is not None and store.part.of == 1:
            reported = end
            part = study.first_chunks(end)
            tables = Frames(tables_of(part, store))
            reporter.on_results(Results(part, store.look, tables, n_games=part.games, summary=part.summary))
        first = end
    return study


def _chunk_ends(study: Study, reporter: Progress) -> Iterator[int]:
    """Yield the numbers of chunks after which the precision is checked or results are reported; the last is all."""
    if study.precision:
        end = FIRST_LOOK
        while end < study.chunks:
            yield end
            end += end // FIRST_LOOK
    elif reporter.on_results is not None:
        yield from (end for divisor in REPORT_DIVISORS if (end := study.chunks // divisor) >= FEWEST_CHUNKS)
    yield study.chunks


def _play_chunks(store: Store, workers: int, reporter: Progress, chunks: range, heat: int = 0) -> None:
    study = store.study
    missing = [key for key in store.keys if key[1] in chunks and key not in store.done]
    # In rounds of FEWEST_CHUNKS: the finished part then has all cells, and a cell is still played in long calls.
    missing.sort(key=lambda key: (key[1] // FEWEST_CHUNKS, key))
    if not missing:
        return
    store.check_space(len(missing))
    games = _games_of(store)
    with stop_flag() as stop:
        reporter.on_phase("compiling", 0, 0)
        counted = [bool(store.plan(cell).crosstabs or store.held.tables) for cell in study.cells]
        matches = [cell.match for cell in study.cells]
        warm_all(list(zip(matches, counted, strict=True)), study.how_luck, reporter.on_message)
        if chunks.start == 0:
            announce(store, workers, reporter, heat)
        for _, chunk in play_tasks((store.task(*key) for key in missing), workers, stop):
            store.write(chunk)
            reporter.on_phase(GAMES, store.games, games)


def _games_of(store: Store) -> int:
    study = store.study
    if store.part.of == 1:
        return study.games
    ranges = ((study.cells[cell], study.deals_of(study.cells[cell], chunk)) for cell, chunk in store.keys)
    return sum((last - first) * cell.match.games_per_deal for cell, (first, last) in ranges)


class _Heats:
    """The studies that a search plays, one after another, each in a results folder of its own if the search has one.

    A search that runs again asks for the same heats, of which only the missing chunks are played.
    """

    def __init__(self, folder: Path | None, workers: int, reporter: Progress, trust_agents: bool = False) -> None:
        self._folder = None if folder is None else folder / HEATS
        self._workers, self._reporter = workers, reporter
        self._trust_agents = trust_agents
        self._heats = 0  # asked for so far
        self.new_games = 0

    def play(self, study: Study, look: Look) -> list[CellCounts]:
        """Play a study and return each cell with its counts."""
        folder = None if self._folder is None else self._folder / look.name
        if folder is not None:
            folder.parent.mkdir(exist_ok=True)
        with Store(folder, study, look) as store:
            _check_resumed(store, self._reporter, self._trust_agents)
            games_before = store.games
            if folder is not None:
                store.begin_run(self._reporter.command)
            start = monotonic()
            self._heats += 1
            _play_chunks(store, self._workers, self._reporter, range(study.chunks), self._heats)
            new_games = store.games - games_before
            if folder is not None:
                store.end_run(study, study.games, new_games, round(monotonic() - start, 3))
            self.new_games += new_games
            return [counts_of(study, store, study.facts(look), cell) for cell in study.cells]


def tables_of(study: Study, store: Store, show: Show = _SILENT.on_phase) -> dict[str, Any]:
    """Return every table of a study, from the chunks of a store."""
    tables = study.tables(partial(counts_of, study, store, study.facts(store.look)), store.look)
    if isinstance(study, Following):
        tables |= study.followed_tables(tables, show)
    if study.precision:
        tables["precision"] = Precision(study, store).table(study.chunks)
    if study.counts_answers and study.chunks:
        tables["answers"] = _answers(study, store)
    return _frames(with_figures(study, tables))


def _tables_of_maps(study: Study, store: Store, names: Sequence[str]) -> dict[str, FigureTable]:
    maps = {name: each for name, each in store.look.maps_in(study.the_game).items() if name in names}
    needed = [each.block.crosstab for each in maps.values() if each.block is not None]
    cells = [counts_of(study, store, needed, cell) for cell in study.cells if maps and not cell.without]
    return map_tables(cells, maps)


def _frames(tables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _finite(table.frame() if isinstance(table, FigureTable) else table) for name, table in tables.items()}


def _finite(frame: Any) -> Any:
    """Return a table with NaN in place of infinite numbers; if `low` or `high` is infinite, both become NaN."""
    numbers = frame.select_dtypes("floating")
    is_infinite, ends = np.isinf(numbers), [name for name in ("low", "high") if name in numbers]
    is_infinite.loc[is_infinite[ends].any(axis=1), ends] = True
    return frame.assign(**numbers.mask(is_infinite)) if is_infinite.any(axis=None) else frame


def counts_of(study: Study, store: Store, facts: Sequence[Crosstab], cell: Cell) -> CellCounts:
    """Return the counts of a cell with these facts; those that its chunks lack are counted from the kept rows."""
    chunks, plan = range(study.chunks), store.plan(cell)
    needed = () if cell.without else facts
    missing = cell.match.plan([crosstab for crosstab in needed if not plan.can_answer(crosstab)])
    tables = [missing.table(fact) for fact in dict.fromkeys(crosstab.fact for crosstab in missing.crosstabs)]
    by_table = ([recount(missing, table, rows) for rows in store.kept(cell, table, chunks)] for table in tables)
    outcome = store.outcome(cell, chunks)
    if not outcome["decisions"].any():
        games = f"{pluralize(int(outcome['games'].sum()), 'game')} with {cell.players} players"
        why = f"no seat has a choice in {games}; change its components"
        raise InputError(f"{study.game}: variant {cell.variant}: {why}")
    return CellCounts(
        **vars(cell),
        outcome=outcome,
        counts=store.facts(cell, chunks),
        plan=plan,
        recounted=(missing, np.asarray(sum(map(np.stack, by_table)))) if tables else None,
        read_rows=partial(store.rows, cell, chunks),
    )


def _answers(study: Study, store: Store) -> FigureTable:
    table = FigureTable(*ANSWERS.keys, omitted=("lineup",))  # over all line-ups
    sums: dict[tuple[int, str, str], tuple[Cell, Any]] = {}  # first cell, and answers and replaced ones, [2, C]
    for cell in study.cells:
        outcome = store.outcome(cell, range(study.chunks))
        for position, spec in enumerate(cell.match.positions):
            if spec.agent.replaces:
                first, total = sums.get((cell.players, cell.variant, spec.text), (cell, 0))
                chunk_answers = np.stack([outcome[field][:, position] for field in ("answers", "replaced")])
                sums[cell.players, cell.variant, spec.text] = first, total + chunk_answers
    for (_, _, agent), (first, (answers, replaced)) in sums.items():
        table.add(first, ILLEGAL_SHARE, stats.ratio(replaced, answers, n_deals=first.deals), agent=agent)
    return table

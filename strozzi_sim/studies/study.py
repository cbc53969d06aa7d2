"""A study ready to run (its plan, tables and stopping rule), and running it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import with_text_keys
from strozzi_sim.studies import illegal_answers
from strozzi_sim.studies.backends import cluster_of
from strozzi_sim.studies.lookup import (
    Folder,
    Lineup,
    Players,
    Variants,
    find_agents,
    find_players,
    find_variants,
    make_lineups,
    path_of,
    worker_count,
)
from strozzi_sim.studies.parts import part_of
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.planning import make_plan, name_of, plan_of_keys, read_plan, usual_deals
from strozzi_sim.studies.precision import Headline, Precision, headlines
from strozzi_sim.studies.progress import ProgressOption, report_progress
from strozzi_sim.studies.results import Results
from strozzi_sim.studies.run import StoppingRule, run_in_memory, run_study, study_tables
from strozzi_sim.studies.store import MemoryStore

TIERS = "tiers"  # instead of agents: the game's agents of each strength
USUAL_DEALS = 5000  # of a study that states none
TIER_DEALS = 14_000  # of the tiers, shared by the player counts: about a minute on two cores
SEARCH_DEALS = 600  # fewer do not tell any share of wins to 4 points


@dataclass(frozen=True)
class Kind:
    """A kind of study; the tables of this one are seats, line-ups and the pages of its game.

    Attributes:
        plan: the resolved plan.
    """

    plan: Plan

    def summary(self) -> str:
        """Return the plan in one line."""
        return self.plan.summary()

    @property
    def identity(self) -> str:
        """Class of the study and everything that determines its tables (fields that are compared) except the plan."""
        rest = {each.name: getattr(self, each.name) for each in fields(self) if each.compare and each.name != "plan"}
        return f"{type(self).__name__} {rest}"

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return its tables by name, for the played part of the plan."""
        return study_tables(plan, store)

    def headlines(self) -> list[Headline]:
        """Return the figures that a precision is about."""
        return headlines(self.plan)

    def precision(self) -> Precision | None:
        """Return the precision to which its headline figures are asked, or None."""
        return Precision(self.headlines(), float(self.plan.until)) if self.plan.until else None

    def stopping_rule(self) -> StoppingRule | None:
        """Return the rule that may stop the run before the last deal, or None."""
        precision = self.precision()
        return precision.stop if precision else None

    def all_tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return all tables: those of `tables`, precision if requested, and answers if an agent replaces illegal answers."""
        precision, found = self.precision(), self.tables(plan, store)
        found |= {"precision": precision.table(plan, store)} if precision else {}
        return found | ({illegal_answers.TABLE: illegal_answers.answer_table(plan, store)} if plan.answers else {})

    def with_plan(self, plan: Plan) -> Self:
        """Return the study with another plan."""
        return replace(self, plan=plan)


class Study(Kind):
    """A study that is ready to run; its keys are those of a study's file.

    Args:
        **keys: name, game, deals and lineups, and if wanted seed, players, chunks, seatings, variants, variant, rows, facts,
            facts_share, report, heatmap, precision, search_deals, question, sweep, worth, luck, luck_redraws. Line-ups may hold agents that are declared in code, instead of spec strings.

    Attributes:
        plan: the resolved plan.

    Raises:
        InputError: an unknown or missing key, or an invalid value; names the key.

    >>> import strozzi_sim as ss
    >>> study = ss.Study(name="mine", game="strozzi", players=[3, 4], deals=100, lineups=[["random"]])
    >>> study
    <Study mine: Strozzi: players 3, 4 x line-ups random x variants base = 2 cells; each 100 deals x 1 seating = 200 games>
    """

    def __init__(self, **keys: Any) -> None:
        super().__init__(plan_of_keys(with_text_keys(keys), "study"))

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return the study of a plan."""
        study = cls.__new__(cls)
        Kind.__init__(study, plan)
        return study

    def with_plan(self, plan: Plan) -> Self:
        """Return the study with another plan."""
        return self.of(plan)

    def __repr__(self) -> str:
        """One line with the name and the plan."""
        return f"<Study {self.plan.name}: {self.plan.summary()}>"


def read_study(path: str | Path, code: Sequence[str | Path] = ()) -> Study:
    """Return the study in a TOML file, or in the results folder of one that was played.

    Args:
        path: file or folder.
        code: files of agents that a results folder may run; others that it names are refused.

    Raises:
        InputError: it does not exist, or has an invalid value; names file and key.
        StorageError: it cannot be read.

    >>> import strozzi_sim as ss
    >>> ss.read_study("experiments/balance_by_player_count.toml").plan.players
    (3, 4, 5, 6)
    """
    from strozzi_sim.studies.heatmaps import plan_in

    path = path_of("path", path)
    return Study.of(plan_in(path, code) if path.is_dir() else read_plan(path))


def lineup_study(
    name: str, game: str | Game, players: Players, agents: Lineup, deals: int | None, seatings: str, variant: Variants, seed: int, **more: Any
) -> Study:  # fmt: skip
    """Return the study of one line-up at every player count; default: the game's default agent. `more`: see `make_plan`.

    With `agents="tiers"` the game's agent of each strength plays itself, on fewer deals at several player counts. Agents that search
    play on `search_deals`; without these on a fraction of the deals (`Game.search_deals`), or not at all where that would be too few.
    """
    game = find_game(game)
    counts = find_players(game, players)
    lineups: list[tuple[AgentSpec, ...]]
    if agents == TIERS:
        specs = find_agents(list(game.tiers.values()) or [game.default_agent], game)
        most = usual_deals(deals, more.get("precision"), min(USUAL_DEALS, TIER_DEALS // len(counts)))
        searched = game.search_deals(USUAL_DEALS if most is None else most)
        if "search_deals" not in more and searched < SEARCH_DEALS:
            specs = tuple(spec for spec in specs if not spec.searches) or specs
        lineups, deals = [(spec,) for spec in specs], most
        more = {"search_deals": searched} | more
    else:
        lineups = make_lineups(find_agents(agents or [game.default_agent], game), counts)
    variants = find_variants(game, variant)
    deals = usual_deals(deals, more.get("precision"), USUAL_DEALS)
    return Study.of(
        make_plan(name_of(name, game), game, lineups, variants, counts, deals, seatings=seatings, seed=seed, **more)
    )


def run(
    study: Kind, folder: Folder = None, workers: int | None = None, progress: ProgressOption = None, *,
    deals: int | None = None, part: str = "", backend: str = "", scheduler: str = "", trust_agents: bool = False,
) -> Results:  # fmt: skip
    """Play a study, as `strozzi run` does, to the byte.

    Args:
        study: the study.
        folder: results folder, in which an interrupted run resumes; default: results in memory only.
        workers: number of workers; default: one per core. Does not affect results.
        progress: True or False to show a progress bar, or a `Progress` with callbacks; default: only in a terminal or notebook.
        deals: deals of every cell, instead of those of the study; more than a folder holds extend it, with chunks as before.
        part: play only a share of the chunks, such as 2/5, into a folder of its own; `merge` joins the parts.
        backend: where to play: "dask", or as joblib is configured (`joblib.parallel_config`); default: threads here.
        scheduler: address of the Dask scheduler, such as tcp://10.0.0.1:8786; its workers play instead of this machine's.
        trust_agents: resume a folder although changes of its agents' code could not be detected, such as of a module whose name
            is computed; the first run says so.

    Raises:
        InputError: the folder holds the results of another plan, or of agents whose code may have changed.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action, failed or hung.
        Interrupted: a signal asked to stop; finished chunks are kept in the folder. Without a folder, their results are
            returned, if they suffice for intervals.

    >>> import strozzi_sim as ss
    >>> study = ss.Study(name="mine", game="medici_vs_strozzi", deals=100, lineups=[["random"]])
    >>> ss.run(study).n_games
    100
    """
    if not isinstance(study, Kind):
        raise ArgumentError("study", f"expected a Study; read_study makes one of a file, got {short_repr(study)}")
    number = worker_count(workers)
    place = None if folder is None else path_of("folder", folder)
    if deals is not None:
        study = study.with_plan(study.plan.extended(deals))
    if part:
        if place is None:
            raise ArgumentError("part", "needs a results folder of its own; name it with folder")
        study = study.with_plan(part_of(study.plan, part))
    with report_progress(progress) as reporter:
        for warning in study.plan.warnings():
            reporter.on_message(warning)
        ready = partial(reporter.on_planned, study.summary())
        with cluster_of(backend, scheduler, workers, study.plan):
            rest: Any = {"workers": number, "progress": reporter, "ready": ready}
            rest |= {"tables": study.all_tables, "stopping_rule": study.stopping_rule()}
            played = (
                run_in_memory(study.plan, **rest)
                if place is None
                else run_study(study.plan, place, kind=study.identity, trust_agents=trust_agents, **rest)
            )
    if played.interrupted:
        warnings.warn(played.interrupted, stacklevel=2)
    return replace(played, workers=workers, watch=progress)

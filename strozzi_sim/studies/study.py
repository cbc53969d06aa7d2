"""A study that is ready to run: its plan, the tables it makes, and when it may stop; and how it is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from strozzi_sim.agent import AnyAgent, check_lineup
from strozzi_sim.errors import about
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import AnyVariant
from strozzi_sim.studies.calibrated import calibrated
from strozzi_sim.studies.names import check_seats, find_agents, find_players, find_variants, in_list, seated
from strozzi_sim.studies.plan import Extent, Plan
from strozzi_sim.studies.planning import plan_of, read_study
from strozzi_sim.studies.played import Played
from strozzi_sim.studies.run import Progress, StoppingRule, run_in_memory, run_study, study_tables
from strozzi_sim.studies.store import Store


@dataclass(frozen=True)
class Run:
    """How a study is run; nothing of it changes a figure.

    Attributes:
        folder: where everything is kept, and resumed; None keeps nothing.
        workers: how many; None is one a core.
        progress: who is told what.
        command: what started it, as the manifest notes it.
        partly: whether an interruption in memory gives what is finished, instead of Interrupted.
    """

    folder: Path | None = None
    workers: int | None = None
    progress: Progress = field(default_factory=Progress)
    command: str = ""
    partly: bool = False

    @property
    def team(self) -> int:
        """The number of workers."""
        from joblib import cpu_count

        return int(cpu_count()) if self.workers is None else self.workers


@dataclass(frozen=True)
class Study:
    """A study whose tables are its seats, its line-ups and its game's own pages.

    Attributes:
        plan: what is played.
    """

    plan: Plan

    def summary(self) -> str:
        """What times what is how many games."""
        return self.plan.summary()

    @property
    def kind(self) -> str:
        """What makes the tables, with all that decides them beside the plan."""
        rest = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "plan"}
        return f"{type(self).__name__} {rest}"

    def tables(self, plan: Plan, store: Store) -> dict[str, Any]:
        """Its tables by name, of `plan` as far as it was played."""
        return study_tables(plan, store)

    def stopping_rule(self) -> StoppingRule | None:
        """What says that it may stop before the last deal; None: nothing does."""
        return None


def run(study: Study, how: Run | None = None) -> Played:
    """Play a study, in a folder or in memory.

    Raises:
        InputError: the folder holds the results of another plan.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop; finished chunks are kept in the folder.
    """
    how = how or Run()
    for warning in study.plan.warnings():
        how.progress.say(warning)
    ready = partial(how.progress.planned, study.summary(), study.plan.calibrated)
    rest: Any = {"tables": study.tables, "stopping_rule": study.stopping_rule()}
    rest |= {"workers": how.team, "progress": how.progress}
    rest["command"] = how.command
    if how.folder is not None:
        return run_study(study.plan, how.folder, ready=ready, kind=study.kind, **rest)
    ready()
    return run_in_memory(study.plan, partly=how.partly, **rest)


def run_file(file: Path, how: Run | None = None) -> Played:
    """Play the study in a TOML file, in a folder: `results/<name>` if none is named.

    Raises:
        InputError: there is no such file, it is no TOML, or something in it cannot be played; and as `run`.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    how, plan = how or Run(), read_study(file)
    return run_plan(plan, replace(how, folder=how.folder or Path("results") / plan.name))


def run_plan(plan: Plan, how: Run) -> Played:
    """Calibrate the agents of a plan that are given in seconds, and play it."""
    return run(Study(calibrated(plan, how.folder, how.progress.calibrating)), how)


def plan_of_lineup(
    kind: str,
    game: Game,
    agents: AnyAgent | Sequence[AnyAgent],
    variants: AnyVariant | Sequence[AnyVariant],
    extent: Extent,
    settings: Mapping[str, Any] | None = None,
) -> Plan:
    """The plan of a study of one line-up at every player count; without agents, of the game's own.

    Args:
        kind: what asks for it; errors begin with it.
        game: what is played.
        agents: names or objects.
        variants: names or objects.
        extent: player counts, deals, seatings and seed.
        settings: further keys of a study's file.

    Raises:
        InputError: something that cannot be played; names the kind and the argument.
    """
    lineup = in_list(agents) or [game.standard_agent]
    check_seats(lineup, extent.players)
    specs = find_agents(lineup, game)
    for count in extent.players:
        about("agents", check_lineup, specs, game, count)
    lineups = seated(specs, extent.players)
    return plan_of(kind, game, lineups, find_variants(game, variants), extent, settings=settings)


def balance(
    game: str | Game,
    *,
    agents: Sequence[AnyAgent] = (),
    players: int | Sequence[int] | None = None,
    deals: int = 5000,
    seatings: str = "rotate",
    variants: AnyVariant | Sequence[AnyVariant] = "base",
    seed: int = 0,
    how: Run | None = None,
) -> Played:
    """Is a game fair to its seats, and how do the agents of a line-up fare?

    Args:
        game: what is played.
        agents: one line-up; seat i gets agent i mod their number. One agent is self-play; none is the game's own.
        players: player counts; None is all of the game.
        deals: of every cell.
        seatings: one, rotate, all or latin.
        variants: of the game's components.
        seed: 0 .. 2^53 - 1.
        how: folder, workers and progress.

    Raises:
        InputError: something that cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    how, game = how or Run(), find_game(game)
    counts = game.player_counts if players is None else find_players(game, players)
    extent = Extent(counts, deals, seatings, seed)
    return run_plan(plan_of_lineup("balance", game, agents, variants, extent), how)

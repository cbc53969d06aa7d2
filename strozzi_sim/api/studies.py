"""Studies: simulate to a frame, a study from its keys or its file, and running one."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from strozzi_sim.agent import AnyAgent, installed_agents
from strozzi_sim.api.bars import bar
from strozzi_sim.api.results import Results
from strozzi_sim.errors import ArgumentError, shown
from strozzi_sim.games import find_game
from strozzi_sim.games.contract import Game
from strozzi_sim.games.own_maps import name_of_map
from strozzi_sim.games.variants import AnyVariant
from strozzi_sim.selfplay.seatings import Design
from strozzi_sim.studies.maps import plan_in
from strozzi_sim.studies.names import find_players
from strozzi_sim.studies.plan import Extent, Plan
from strozzi_sim.studies.planning import make_plan
from strozzi_sim.studies.planning import read_study as plan_in_file
from strozzi_sim.studies.run import Progress
from strozzi_sim.studies.study import Run, plan_of_lineup, run_plan

PYTHON = "strozzi_sim.run(...) in Python"  # what started it, as manifests say

Watch = bool | Progress | None


def agents(game: str | Game | None = None) -> list[str]:
    """The names of the agents, or of those that play a game.

    Args:
        game: a name or a Game.

    Raises:
        InputError: there is no such game.

    >>> import strozzi_sim as ss
    >>> "fair-price" in ss.agents("medici_vs_strozzi"), "fair-price" in ss.agents("strozzi")
    (True, False)
    """
    name = None if game is None else find_game(game).name
    return sorted({agent.name for agent, games in installed_agents() if name is None or name in games})


class Study:
    """A study that is ready to run; its keys are those of a study's file.

    Args:
        **keys: name, game, deals and lineups, and if wanted seed, players, chunks, seatings, variants, variant, rows, facts,
            facts_share, report, heatmap. Line-ups may hold agents that are declared in code, instead of spec strings.

    Attributes:
        plan: what is played, resolved.

    Raises:
        InputError: a key that is not known or missing, or something that cannot be played; names the key.

    >>> import strozzi_sim as ss
    >>> study = ss.Study(name="mine", game="strozzi", players=[3, 4], deals=100, lineups=[["random"]])
    >>> study
    <Study mine: Strozzi: players 3, 4 x line-ups random x variants base = 2 cells; each 100 deals x 1 seating = 200 games>
    """

    def __init__(self, **keys: Any) -> None:
        self.plan: Plan = make_plan(_plain(keys), "study")

    @classmethod
    def of(cls, plan: Plan) -> "Study":
        """The study of a plan."""
        study = cls.__new__(cls)
        study.plan = plan
        return study

    def __repr__(self) -> str:
        """What times what is how many games."""
        return f"<Study {self.plan.name}: {self.plan.summary()}>"


def _plain(value: Any) -> Any:
    """Keys as a file has them: text; agents stay as they are."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def read_study(path: str | Path, code: Sequence[str | Path] = ()) -> Study:
    """Return the study in a TOML file, or in the results folder of one that was played.

    Args:
        path: file or folder.
        code: files of agents that a results folder may run; others that it names are refused.

    Raises:
        InputError: there is none, or something in it cannot be played; names file and key.
        StorageError: it cannot be read.

    >>> import strozzi_sim as ss
    >>> ss.read_study("experiments/balance_by_player_count.toml").plan.players
    (3, 4, 5, 6)
    """
    path = path_of("path", path)
    return Study.of(plan_in(path, code) if path.is_dir() else plan_in_file(path))


def run(study: Study, folder: str | Path | None = None, workers: int | None = None, progress: Watch = None) -> Results:
    """Play a study: what `strozzi run` does, to the byte.

    Args:
        study: what is played.
        folder: where everything is kept, and resumed; None keeps nothing.
        workers: how many; None is one a core. No figure depends on it.
        progress: None shows a bar where a person watches, True anywhere, False never; or who shall be told.

    Raises:
        InputError: the folder holds the results of another plan.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action, failed or hung.
        Interrupted: a signal asked to stop; finished chunks are kept in the folder. Without a folder, what is finished is
            returned, if it is enough for intervals.

    >>> import strozzi_sim as ss
    >>> study = ss.Study(name="mine", game="medici_vs_strozzi", deals=100, lineups=[["random"]])
    >>> ss.run(study).n_games
    100
    """
    if not isinstance(study, Study):
        raise ArgumentError("study", f"expected a Study; read_study makes one of a file, got {shown(study)}")
    with bar(progress) as told:
        return Results(run_plan(study.plan, how(folder, workers, told)), workers=workers, progress=progress)


def how(folder: str | Path | None, workers: int | None, progress: Progress) -> Run:
    """How a study is run, of the arguments that all functions take.

    Raises:
        ArgumentError: no number of workers.
    """
    if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
        raise ArgumentError("workers", f"must be a whole number of at least 1, got {shown(workers)}")
    return Run(None if folder is None else path_of("folder", folder), workers, progress, PYTHON, partly=True)


def path_of(argument: str, path: Any) -> Path:
    """Return the path that an argument names.

    Raises:
        ArgumentError: it is neither text nor a path.
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(argument, f"expected a path, got {shown(path)}")
    return Path(path)


def simulate(
    game: str | Game,
    players: int | Sequence[int] | None = None,
    agents: AnyAgent | Sequence[AnyAgent] = (),
    deals: int = 1000,
    seatings: Design = "rotate",
    variant: AnyVariant | Sequence[AnyVariant] = "base",
    seed: int = 0,
    workers: int | None = None,
    facts: Sequence[str] = (),
    *,
    heatmaps: Sequence[str | Mapping[str, str]] = (),
    folder: str | Path | None = None,
    progress: Watch = None,
) -> Results:
    """Play games and count what happens in them.

    Args:
        game: a name (see `games`) or a Game.
        players: player counts; None is 4, or the fewest of the game.
        agents: one line-up; seat i gets agent i mod their number. One agent is self-play; none is the game's own.
        deals: of every player count and variant; each is played in all seatings.
        seatings: one, rotate, all or latin; self-play sits one way.
        variant: a name, changes as in a study's file under a name of their own, {"rich": {"tracks": {"bonus": {7: 10}}}},
            or a list of these.
        seed: 0 .. 2^53 - 1.
        workers: how many; None is one a core. No figure depends on it.
        facts: fact tables whose rows are kept; see `Results.facts`.
        heatmaps: heat maps that are counted besides the pages: names of the game's, and of one's own the keys of `[[heatmap]]` in
            a study's file, such as {"rows": "seat", "columns": "round"}. Table and picture are called
            heat_<name>; of a map without a name the rest makes one.
        folder: where everything is kept, and resumed; None keeps nothing.
        progress: None shows a bar where a person watches, True anywhere, False never; or who shall be told.

    Raises:
        InputError: something that cannot be played; names the argument.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=3, agents=["heuristic", "random", "random"], deals=100)
    >>> results.tables["lineup"].query("figure == 'win_share' and position == 0")["value"].item() > 0.6
    True
    """
    game = find_game(game)
    extent = Extent(find_players(game, players), deals, seatings, seed)
    if not isinstance(facts, Iterable):
        raise ArgumentError("facts", f"expected names of fact tables, got {shown(facts)}")
    kept = {"facts": [facts] if isinstance(facts, str) else list(facts)}
    plan = plan_of_lineup("simulate", game, agents, variant, extent, kept | _maps(heatmaps))
    with bar(progress) as told:
        return Results(run_plan(plan, how(folder, workers, told)), workers=workers, progress=progress)


def _maps(heatmaps: Any) -> dict[str, Any]:
    """The keys of a study's file that ask for these heat maps.

    Raises:
        ArgumentError: no list of names and mappings.
    """
    listed = [heatmaps] if isinstance(heatmaps, str | Mapping) else heatmaps
    if not isinstance(listed, Sequence) or not all(isinstance(each, str | Mapping) for each in listed):
        raise ArgumentError(
            "heatmaps", f"expected names of heat maps, or mappings with rows and columns, got {shown(heatmaps)}"
        )
    own = [{"name": _name_of(each), **each} for each in listed if isinstance(each, Mapping)]
    return {"report": {"heatmaps": [each for each in listed if isinstance(each, str)]}, "heatmap": own}


def _name_of(own: Mapping[str, Any]) -> str:
    parts = (own.get("value", "share"), own.get("rows"), own.get("columns"), own.get("where", ""))
    return name_of_map(*map(str, parts))

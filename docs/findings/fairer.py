"""The section of docs/findings-in-detail.md on what would be fairer: the smallest change, a bonus, and the numbers that matter."""

from collections.abc import Iterator

import runs
from reading import GAMES, command, hold, lowered, points, row, rows

from strozzi_sim.agent.names import player_counts
from strozzi_sim.game import load_game
from strozzi_sim.study.folders import read_study
from strozzi_sim.study.kinds.tune import Tune
from strozzi_sim.study.wording import players_words

_COLUMNS = {
    "ladder": (),
    "box": ("rung", "key"),
    "reach": ("target", "outside", "other"),
}  # of tables that may be empty


def section() -> Iterator[str]:
    """Yield the lines of the section."""
    yield from ("## What would be fairer?", "")
    yield f"**The smallest change** after which no two seats differ by more than {runs.FAIR_GAP.split()[-1]} points, at every player count. What it breaks elsewhere, such as coins that run out, stands below the answer of the command:"
    yield ""
    yield from map(_smallest_change, runs.FAIRER)
    yield ""
    yield from _bonuses()
    yield ""
    for game, title in GAMES.items():
        run = f"{game}-weights"
        table = runs.read(run, "weights")
        shares = table[(table["figure"] == "win_share") & table["status"].eq("among those that matter most")]
        groups = table.groupby("status")["key"].nunique()
        total, nothing = int(table["key"].nunique()), int(groups.get("cannot be told from zero", 0))
        half = 100 * ((shares["high"] - shares["low"]) / 2).max() if len(shares) else float("nan")
        text = f"**{title}.** Moved by one step, {nothing} of the {total} numbers of the box have no detectable effect on wins, scores and length"
        if len(shares):
            top = shares.loc[shares["value"].abs().idxmax()]
            text += (
                f"; of the ten numbers measured longest `{top['key']}` moved wins furthest: from {top['from']:g} to "
                f"{top['to']:g}, {top['by']} "
                f"{int(top['level'])} wins {points(top)} points of win share (each is known to ± {half:.1f})"
            )
        yield f"{text}. {command(run)}"
        yield ""


def _smallest_change(run: str) -> str:
    """Return the answer of a search as an item of a list."""
    name, *_ = runs.FAIRER[run]
    return f"- {GAMES[name]}, {players_of(run)}: {smallest_change(run)} {command(run)}"


def players_of(run: str) -> str:
    """Return who plays in a search: "usual players"."""
    name, _, agent, _ = runs.FAIRER[run]
    return players_words(load_game(name), agent)


def smallest_change(run: str) -> str:
    """Return the answer of a search, as it continues after a colon."""
    name, counts, agent, deals = runs.FAIRER[run]
    game = load_game(name)
    study = Tune.of(
        game=game, players=player_counts(game, counts), lineups=[[agent]], targets=[runs.FAIR_GAP], deals=deals
    )
    tables = {table: runs.read(run, table, columns) for table, columns in _COLUMNS.items()}
    lines = [line for line in study.verdict(tables, study.look()).lines if not line.startswith("Check: ")]
    return lowered(lines)


def _bonuses() -> Iterator[str]:
    run = "strozzi-sweep"
    study, look = read_study(runs.ROOT / "experiments" / "strozzi_bonus.toml")
    tables = {"sweep": runs.read(run, "sweep"), "changes": runs.read(run, "changes")}
    gaps, chance = (rows(run, "sweep", figure=figure)["value"] for figure in ("seat_gap", "seat_gap_by_chance"))
    gap, by_chance = (
        row("strozzi-balance", "balance", players=4, lineup="heuristic", figure=figure)["value"]
        for figure in ("seat_gap", "seat_gap_by_chance")
    )
    yield (
        f"**Strozzi.** Without a bonus on space 9, {lowered(study.verdict(tables, look).lines)} "
        f"Each gap is known to ± {100 * chance.max():.1f} points. "
        + hold(
            gaps.min() + chance.max() < gap - by_chance,
            f"The published box is less fair than that: its best and its worst seat differ by {100 * gap:.1f} points. Its bonus spaces are reconstructed.",
        )
        + f" {command(run)}"
    )

"""weights: which numbers of the box matter? See `study.steps` for the race of the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents
from strozzi_sim.errors import ArgumentError, pluralize, suggest_names
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, listed, some_of
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.stats.intervals import Array, t_quantile
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.look import KeyNumber, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption, progress_of
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import counts_in_memory
from strozzi_sim.study.steps import (
    FIRST,
    HEAVY,
    NOTHING,
    REAL,
    TIED,
    Effect,
    Judged,
    Step,
    adjusted,
    effect_of,
    judge,
    numbers,
    place_of,
    race,
    steps,
)
from strozzi_sim.study.wording import seat_words

CHUNKS, FEWEST_CHUNKS = 50, 4
SHARE, GAP, SCORE, LENGTH = "win_share", "seat_gap", "score_mean", "decisions_mean"
FEW = 15  # names in a line
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "from": "float64", "to": "float64", "by": "str",
    "level": "int64", "figure": "str", "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
    "p": "float64", "status": "str", "least": "float64", "most": "float64", "place_low": "int64", "place_high": "int64",
}  # fmt: skip


def weights(
    game: str | Game,
    *,
    players: int | str | None = None,
    agents: Agents = (),
    deals: int = 150_000,
    variant: AnyVariant = "base",
    keys: str = "*",
    seed: int = 0,
    workers: int | None = None,
    progress: ProgressOption = None,
) -> Results:
    """Move every number of the components one step up and down, and measure what that changes.

    All play a twentieth of the deals first, the same ones. The forty that move shares of wins furthest then play a fifth of the deals, and
    the ten furthest of these all, each time on new deals.

    Example: strozzi weights strozzi --players 4

    Args:
        game: a game; `strozzi games` lists them
        players: number of players; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth
        variant: a variant of the components, from which the steps are made
        keys: only numbers whose key has this pattern, such as 'tracks.*'
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim as ss
    >>> found = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(found.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    the_game, began = names.game_named(game), monotonic()
    (box,) = names.variants_named(the_game, variant)
    counts, number = names.player_counts(the_game, players), names.worker_count(workers)
    if len(counts) != 1:
        raise ArgumentError("players", f"expected one player count, got {', '.join(map(str, counts))}")
    lineups = names.lineups_of(the_game, agents, counts)
    if deals // FIRST < CHUNKS:
        raise ArgumentError("deals", f"must be at least {FIRST * CHUNKS}, got {deals}")
    moved, refused = steps(the_game, box)
    moved = [step for step in moved if fnmatchcase(step.key, keys)]
    if not moved:
        known = [key for key, _ in numbers(the_game, box)]
        raise ArgumentError("keys", f"no number has a key like {keys!r}; {suggest_names(keys, known)}")
    studies: list[Weights] = []
    with progress_of(progress) as reporter:

        def measure(chosen: Sequence[Step], own_deals: int, heat: int) -> list[Effect]:
            chunks = min(CHUNKS, own_deals)
            study = Weights.of(
                game=the_game, players=counts, lineups=lineups, variants=(box, *(each.variant for each in chosen)),
                deals=own_deals - own_deals % chunks, chunks=chunks, seed=seed + heat,
            )  # fmt: skip
            studies.append(study)
            base, *others = counts_in_memory(study, number, reporter)
            figures = by_chunk(study, base.outcome)
            return [
                effect_of(step, figures, by_chunk(study, other.outcome), study.deals)
                for step, other in zip(chosen, others, strict=True)
            ]

        heats = race(moved, measure, deals)
    first, played = studies[0], sum(study.games for study in studies)
    about = {"refused": {key: why for key, why in refused.items() if fnmatchcase(key.partition("=")[0], keys)}}
    tables = Frames({"weights": table_of(first, heats, judge(heats))})
    look = Look(name=f"weights-{first.game.replace('_', '-')}")
    seconds = round(monotonic() - began, 3)
    return Results(first, look, tables, None, played, first.summary, played, seconds, about)


class Weights(Study, frozen=True, kw_only=True, tag="weights"):
    """A heat of a race of numbers: the box, and a variant for every step."""

    printed = ("weights",)

    @property
    def steps(self) -> list[Step]:
        """The steps, of every variant but the first."""
        box, *others = self.variant_of.values()
        before, found = dict(numbers(self.the_game, box)), []
        for other in others:
            moved = ((key, after) for key, after in numbers(self.the_game, other) if before.get(key, after) != after)
            key, after = next(moved, ("", 0.0))
            found.append(Step(key, before.get(key, 0.0), after, other))
        return found

    def check(self) -> None:
        """Refuse several player counts or line-ups, and too few deals for a test."""
        if len(self.players) > 1 or len(self.lineups) > 1 or self.chunks < FEWEST_CHUNKS:
            raise ArgumentError("players", f"expected one player count, one line-up and {FEWEST_CHUNKS} chunks")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return weights, of this heat alone."""
        base, *others = (by_chunk(self, counts(cell).outcome) for cell in self.cells)
        heat = [effect_of(step, base, other, self.deals) for step, other in zip(self.steps, others, strict=True)]
        return {"weights": table_of(self, [heat], judge([heat]))}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return which numbers move the shares of wins most, and of every other group how large a change could be missed."""
        table = tables["weights"]
        found = table.drop_duplicates("key").set_index("key")
        return [_headline(table, found), *_groups(found)]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the largest change of a share of wins by each step of a number, and all its changes in figures."""
        table = tables["weights"]
        step = [f"{row['key']}: {row['from']:g} to {row['to']:g}" for row in table.to_dict("records")]
        table = table.assign(step=step, lineup="", variant="")
        wins = table[table["figure"] == SHARE]
        furthest = wins.loc[wins.groupby("step", sort=False)["value"].apply(lambda values: values.abs().idxmax())]
        share = Figure(SHARE, "largest change of a share of wins", "share")
        named = (Figure(GAP, "change of the gap between the seats", "share"), Figure(SCORE, "change of the mean score", "amount"), Figure(LENGTH, "change of the decisions in a game", "amount"))  # fmt: skip
        drawn = Picture(
            "weights", "", "dots", "furthest", (share,), "How far a step of each number moves a share of wins",
            "The seat or position that the step moves furthest. Thin lines are 95 % intervals; which numbers move most is corrected for all of them.",
            x="step", zero=True,
        )  # fmt: skip
        figures = Picture(
            "weights-table", "", "table", "steps", (share, *named), "The steps in figures", x="step", x_label="number"
        )
        made = {"furthest": furthest, "steps": pd.concat([furthest, table[table["figure"] != SHARE]])}
        numbers = tuple(
            KeyNumber(row, "share", f"points of games won by {_who(row)}, {row['step']}", is_change=True)
            for _, row in furthest.head(3).iterrows()
        )
        question = "Which numbers of the box matter?"
        return [Section("Weights", question, (drawn, figures), numbers=numbers, tables=made)]


def _headline(table: pd.DataFrame, found: pd.DataFrame) -> str:
    """Return the number that moves the shares of wins most, and those that cannot be told from it."""
    heavy = found[found["status"] == HEAVY]
    if heavy.empty:
        return "No number is known to move the shares of wins."
    best = heavy.index[0]
    rows = table[(table["key"] == best) & (table["figure"] == SHARE)]
    row = rows.loc[rows["value"].abs().idxmax()]
    low, high = sorted(100 * abs(row[side]) for side in ("low", "high"))
    more = "more" if row["value"] > 0 else "fewer"
    moved = f"from {row['from']:g} to {row['to']:g}, {_who(row)} wins {100 * abs(row['value']):.1f} ({low:.1f} to {high:.1f}) points {more}"
    rivals = [str(key) for key in found.index[found["most"] >= heavy["least"].iloc[0]] if key != best]
    known = [key for key in rivals if key in heavy.index]
    others = [pluralize(len(rivals) - len(known), "other number")] if len(known) < len(rivals) else []
    as_much = f"; {listed([*known, *others])} may move them as much" if rivals else ""
    return f"{best} moves the shares of wins most: {moved}{as_much}."


def _who(row: Any) -> str:
    """Return whose games won a row is about."""
    return seat_words(int(row["level"]), row["players"]) if row["by"] == "seat" else f"{row['by']} {row['level']}"


def _groups(found: pd.DataFrame) -> list[str]:
    said = []
    for status, own in found.groupby("status", sort=False):
        bound = f"{100 * own['most'].max():.1f} points"
        words = {TIED: f"change something; a change of the shares of wins by up to {bound} could be missed", REAL: "change something, and are known to move the shares of wins less",
                 NOTHING: f"{NOTHING}; a change of up to {bound} could be missed"}.get(str(status))  # fmt: skip
        said += (
            [f"{len(own)} of {len(found)} {words}: {some_of([str(key) for key in own.index], FEW)}."] if words else []
        )
    return said


def table_of(study: Study, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judged]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, those that moved a share most first."""
    p = {place_of(each): own for heat in heats for each, own in zip(heat, adjusted(heat), strict=True)}
    last = {place_of(each): each for heat in heats for each in heat}
    groups = (HEAVY, TIED, REAL, NOTHING)
    furthest: dict[str, float] = {}
    for each in last.values():
        furthest[each.step.key] = max(
            furthest.get(each.step.key, 0.0), np.abs(each.differences[:, :-2].mean(axis=0)).max()
        )
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -furthest[key]))
    rank = {key: number for number, key in enumerate(keys)}
    ordered = sorted(last.items(), key=lambda place: rank[place[1].step.key])
    rows = [row for place, each in ordered for row in _rows(study, each, p[place], judged[each.step.key])]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def by_chunk(study: Study, outcome: Array) -> Array:
    """Return shares of wins (by seat; of a line-up by position), mean score and length by chunk, float64[C, P + 2]."""
    (players,), axis = study.players, 1 if len(study.lineups[0]) == 1 else 2
    wins, scores = (outcome[name].sum(axis=axis)[:, :players] for name in ("wins", "scores"))
    games = outcome["games"][:, None]
    means = scores.sum(axis=1, keepdims=True) / players / games, outcome["decisions"][:, None] / games
    return np.concatenate([wins / WIN_UNITS / games, *means], axis=1)


def _rows(study: Study, effect: Effect, p: Array, judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a step: its effect on every figure."""
    cell = study.cells[0]
    step, chunks = effect.step, len(effect.differences)
    where = (cell.match.players, cell.match.variant.name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    by = "seat" if cell.selfplay else "position"
    said = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(value) - 2):
        ends = (value[k], value[k] - half[k], value[k] + half[k])
        yield (*where, by, k, SHARE, *ends, n, effect.deals, p[0], *said)
    yield (*where, "", 0, GAP, *effect.gap, n, effect.deals, p[0], *said)
    for k, figure in ((-2, SCORE), (-1, LENGTH)):
        yield (*where, "", 0, figure, value[k], value[k] - half[k], value[k] + half[k], n, effect.deals, p[k], *said)

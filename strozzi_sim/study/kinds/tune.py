"""tune: the smallest change of the box that meets targets. See `study.tuning` for the search."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.agent.registry import agents as agents_of
from strozzi_sim.declare.figure_tables import FIGURE, FIGURES, Tables, figures_frame, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.errors import ArgumentError, check_whole
from strozzi_sim.facts.figures import WIN_SHARE, Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.sentences import listed, seat_words
from strozzi_sim.game.variants import BASE, AnyVariant
from strozzi_sim.stats.intervals import t_quantile
from strozzi_sim.study.arguments import WHO_PLAYS, StudyOptions, documented
from strozzi_sim.study.box_numbers import REACH, BoxNumber, as_settings, tunable_numbers, whole
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.look import KeyNumber, Look, Section, picture, section
from strozzi_sim.study.model import MOST_DEALS
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import PlayHeat, play
from strozzi_sim.study.searching import Heats, SearchStudy
from strozzi_sim.study.targets import (
    Measured,
    Target,
    Wanted,
    columns_of,
    known_figure,
    pieces,
    target_of,
    wanted,
)
from strozzi_sim.study.tuning import CHUNKS, LOOKS, PER_LOOK, Search
from strozzi_sim.study.tuning_model import Box
from strozzi_sim.study.tuning_words import NUMBERS, TuneAnswer
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import copies_words, player_words

FEWEST_DEALS = 10 * LOOKS * PER_LOOK
MOST_CHANGES = 3
EFFECT = Figure("effect", "change, in tolerances", definition="change of a target's figure, in halves of its range")
_WANTED = "wanted"
_MOST_NUMBERS = 3  # of a page's first screen
RUNG = ["rung", "changes", "target", *FIGURE, "least", "most", "status", "before"]


@documented(
    asks="What would make it fair?",
    about="Targets in, the smallest change of the box out: which numbers must change, and to what?",
    front={"targets": "Targets", "keep": "What must stay", "keys": "Numbers that may change", **WHO_PLAYS},
    quick={"deals": 20_000},
    tables=("ladder", "box"),
)
def tune(
    game: str | Game,
    *,
    targets: str | Sequence[str] = "gap <= 3",
    keep: str | Sequence[str] = (),
    players: Players = None,
    agents: Agents = (),
    keys: str | None = None,
    most: int = MOST_CHANGES,
    reach: int = REACH,
    variant: AnyVariant = "base",
    **options: Unpack[StudyOptions],
) -> Results:
    """Find the smallest change of the components that meets targets, and check it on new deals.

    Example: strozzi tune strozzi --players 4 --targets "the first player wins = 25 +- 1" --keys "tracks.*"

    Args:
        targets: ranges of figures, separated by semicolons: 'the first player wins = 25 +- 1', 'gap <= 3 at 4 players',
            'AGENT among AGENT wins <= 15', 'score_mean = 170 +- 5'; shares are games of 100
        keep: figures that may not change by more than a tolerance: 'score_mean +- 5 %; decisions_mean +- 2'
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        keys: numbers that may change, patterns separated by commas, with a range if wanted: 'tracks.bonus.9 = 0 to 30';
            default: those that a designer would tune; '*': all
        most: most numbers that may change, 1 to 3
        reach: range of a number without one, up and down, in tenths of it, but at least three printed steps; default:
            10, from nothing to twice as much
        deals: most deals of each box that is checked, at most seven boxes; the search before plays up to four times as
            many, and at least 200 of each box that is tried; default: 60,000
        variant: a variant of the components, from which changes are counted

    >>> import strozzi_sim as ss
    >>> results = ss.tune("strozzi", targets="score_mean >= 1", players=3, agents="random", deals=4000)
    >>> results.verdict.answer
    'Change nothing: the box meets the target.'
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    for argument, text in (("keep", keep), ("keys", keys)):
        if isinstance(text, str) and not text.strip():
            raise ArgumentError(argument, "is empty; leave it out")
    return play(
        Tune,
        options,
        game=the_game,
        players=counts,
        lineups=names.lineups_of(the_game, agents, counts),
        variants=names.variants_named(the_game, variant),
        targets=tuple(pieces(targets)),
        keep=tuple(pieces(keep)),
        keys=keys or "",
        most=most,
        reach=reach,
    )


@dataclass(frozen=True, kw_only=True)
class Tune(SearchStudy):
    """A search for the smallest change of one variant."""

    kind = "tune"
    targets: tuple[str, ...]
    keep: tuple[str, ...] = ()
    keys: str = ""
    most: int = MOST_CHANGES
    reach: int = REACH
    usual_deals = 60_000

    @property
    def summary(self) -> str:
        """The study in one line."""
        lineups = " | ".join(",".join(lineup) for lineup in self.lineups)
        wishes = "; ".join((*self.targets, *(f"keep {text}" for text in self.keep)))
        counts = listed([str(count) for count in self.players])
        return f"{self.the_game.title}, {counts} players: {lineups}; {wishes}; at most {self.deals:,} deals a box"

    def check(self) -> None:
        """Check the options, targets, figures to keep and keys."""
        super().check()
        sizes = sorted(len(lineup) for lineup in self.lineups)
        if sizes not in ([1], sorted(self.players)):
            counts, got = listed(list(map(str, self.players))), listed(list(map(str, sizes)))
            why = f"give one of a single agent, or one for each player count ({counts}); got some of {got} agents"
            raise ArgumentError("lineups", why)
        check_whole("most", self.most, 1, MOST_CHANGES)
        check_whole("reach", self.reach, 1, 1000)
        check_whole("deals", self.deals, FEWEST_DEALS, MOST_DEALS)
        _ = self.parsed, self.numbers

    @cached_property
    def numbers(self) -> list[BoxNumber]:
        """The numbers that may change."""
        numbers = tunable_numbers(self.the_game, self.box, self.keys, self.reach)
        if all(len(number.values) == 1 for number in numbers):
            raise ArgumentError("keys", f"{numbers[0].key} has no other value in its range; give a wider one")
        return numbers

    @cached_property
    def parsed(self) -> tuple[list[Measured], list[Target]]:
        """The figures that are measured, and the targets of them."""
        lineup_of = {len(lineup): lineup for lineup in self.lineups}
        columns, targets = list[Measured](), list[Target]()
        for wish in wanted(self.targets, self.keep):
            if wish.players not in (None, *self.players):
                raise ArgumentError("targets", f"{wish.text}: the study has no games of {wish.players} players")
            for count in self.players if wish.players is None else (wish.players,):
                needed = columns_of(wish, count, lineup_of.get(1) or lineup_of[count])
                for agent in dict.fromkeys(needed[0].lineup):
                    self._check_agent(wish.argument, agent)
                columns += [column for column in needed if column not in columns]
                places = [columns.index(column) for column in needed]
                target = target_of(wish, places, *self._figure(wish, needed[0], len(needed)))
                if target.label in (other.label for other in targets):
                    why = f"{wish.text}: a second range of the same figure; write one, FIGURE = VALUE +- TOLERANCE"
                    raise ArgumentError(wish.argument, why)
                targets.append(target)
        return columns, targets

    def _check_agent(self, argument: str, agent: str) -> None:
        """Check that a target names an agent as tables do; agents of a finished run need not exist any more."""
        if self.given is None or agent in self.specs:
            return
        (spec,) = names.agents_named(self.the_game, [agent], argument, self.players)
        if spec.text != agent:
            raise ArgumentError(argument, f"{agent}: write {spec.text}, which is the same agent")

    def _figure(self, wish: Wanted, column: Measured, columns: int) -> tuple[Figure, str, str]:
        """Return the figure of a target, its label in words, and the player whose share of wins it is."""
        where = f" at {column.players} players" if len(self.players) > 1 else ""
        if columns > 1:
            return SEAT_GAP, f"gap between the seats{where}", ""
        if column.by == "balance":
            of_game = report_of(self.the_game).figures.get("balance", ())
            figure = known_figure(wish, column.figure, of_game)
            return figure, f"{figure.words}{where}", ""
        if column.by == "seat":
            who = seat_words(column.level, column.players)
        else:
            agent, *others = column.lineup
            alone = f" among {copies_words(self.the_game, others[0])}" if " among " in wish.figure else ""
            who = f"{player_words(self.the_game, column.lineup[column.level] if not alone else agent)}{alone}"
        return WIN_SHARE, f"games won by {who}{where}", f"{who}{where}"

    # -- the search ----------------------------------------------------------------------------------------------------

    def search(self, play_heat: PlayHeat) -> dict[str, Any]:
        """Return ladder, box, effects, reach, heats and the tables of alarms, from the heats that a search plays."""
        columns, targets = self.parsed
        heats = Heats(self, play_heat, columns)
        found = Search(self.the_game, self.box, targets, self.numbers, heats.play, deals=self.deals, most=self.most)
        found.run()
        rungs = sorted(found.ladder, key=len)
        reach = [
            (target, outside, second)
            for target, outside in found.reach.items()
            for second in [other for first, other in found.conflicts if first == target] or [""]
        ]
        tables = {
            "ladder": self._ladder(found, rungs),
            "box": self._boxes(found, rungs),
            "effects": self._effects(found),
            "reach": pd.DataFrame(reach, columns=["target", "outside", "other"]).astype({"outside": float}),
        }
        told = rungs[TuneAnswer(self.the_game, targets, tables).told_rung]
        tables |= heats.alarm_tables([self.box, found.variants[told]] if told else [self.box])
        tables["heats"] = heats.table
        declared = {**report_of(self.the_game).figures, "ladder": [target.figure for target in targets]}
        return {**tables, FIGURES: figures_frame(tables, declared)}

    def _ladder(self, found: Search, rungs: Sequence[Box]) -> pd.DataFrame:
        """Return the figure of every target at every rung, the fewest changes first."""
        columns = self.parsed[0]
        rows = []
        for number, rung in enumerate(rungs):
            deals = found.deals_of_rung[rung]
            before = found.screen.figures
            for target, (low, value, high) in zip(found.targets, found.intervals(rung), strict=True):
                lineup = columns[target.columns[0]].lineup
                n = deals * (1 if len(set(lineup)) == 1 else len(lineup))
                figure = (target.figure.name, value, low, high, n, deals)
                status = target.status(low, high)
                at_start = float(target.value(before, before))
                rows.append((number, len(rung), target.label, *figure, target.low, target.high, status, at_start))
        return pd.DataFrame(rows, columns=RUNG)

    def _boxes(self, found: Search, rungs: Sequence[Box]) -> pd.DataFrame:
        """Return the changed numbers of every rung."""
        rows = [
            (rung, self.numbers[k].key, self.numbers[k].value, value, self.numbers[k].is_reconstructed)
            for rung, box in enumerate(rungs)
            for k, value in box
        ]
        return pd.DataFrame(rows, columns=["rung", "key", "from", "to", "reconstructed"]).astype(
            {"from": float, "to": float}
        )

    def _effects(self, found: Search) -> pd.DataFrame:
        """Return the change of every target by every number that stayed in the screen, moved far up or down."""
        rows, base = [], found.screen.figures
        for box in found.screened:
            ((k, value),) = box
            seen = found.seen[box]
            for target in found.targets:
                before, after = (float(target.value(base + change, base)) for change in (0.0, seen.change))
                half = t_quantile(CHUNKS - 1) * target.most_moved(np.sqrt(seen.variance), base)
                number, change = self.numbers[k], after - before
                ends = (change, change - half, change + half, change / target.scale)
                rows.append((number.key, number.value, value, target.label, before, *ends, seen.deals))
        names_of_columns = ["key", "from", "to", "target", "before", "change", "low", "high", "tolerances", "deals"]
        return pd.DataFrame(rows, columns=names_of_columns).astype({"from": float, "to": float})

    # -- the answer ----------------------------------------------------------------------------------------------------

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the smallest change that meets the targets, or how near the nearest box comes and why."""
        answer = TuneAnswer(self.the_game, self.parsed[1], tables)
        return answer.verdict(self._how_to_check(tables, answer.told_rung) if answer.told_rung else "")

    def printed_tables(self, tables: Tables) -> dict[str, Any]:
        """Return the ladder and the changed numbers of its rungs, which have names."""
        names_of_rungs = _rung_names(tables["ladder"])
        changed = tables["box"].rename(columns={"rung": "box"})
        changed["box"] = changed["box"].map(names_of_rungs)
        return {"ladder": TuneAnswer(self.the_game, self.parsed[1], tables).ladder(names_of_rungs), "box": changed}

    def _how_to_check(self, tables: Tables, rung: int) -> str:
        """Return the command that compares a box with the one before any change, on new deals; "" if there is none."""
        box = as_settings(self.the_game, self.box)
        agents = self._agents_option
        if box is None or agents is None:
            return ""
        variant, settings = box
        settings |= {row["key"]: row["to"] for row in pick(tables["box"], rung=rung).to_dict("records")}
        sets = [f"--set {key}={whole(value)}" for key, value in settings.items()]
        counts = f"--players {','.join(map(str, self.players))}"
        origin = f"--variant {variant}" if variant != BASE else ""
        words = ["strozzi compare", self.game, *sets, counts, agents, origin, f"--seed {self.seed + 1}"]
        return f"Check: {' '.join(filter(None, words))}"

    @property
    def _agents_option(self) -> str | None:
        """The option that names the line-ups; "" for the default agent, None if no text names them."""
        if self.lineups == ((self.the_game.default_agent,),):
            return ""
        longest, known = max(self.lineups, key=len), agents_of(self.the_game)
        if not all("::" in agent or agent.partition(":")[0] in known for agent in longest):  # declared in code
            return None
        for size in range(1, min(len(longest), min(self.players)) + 1):
            agents = longest[:size]
            if all(agent == agents[k % size] for lineup in self.lineups for k, agent in enumerate(lineup)):
                return f"--agents {shlex.quote(','.join(agents))}"
        return None

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the ladder beside the ranges, and the effects of the numbers on the targets."""
        ladder, effects = tables["ladder"], tables["effects"]
        figures = {
            target.label: replace(target.figure, name=f"target_{number}", label=target.label, equal=False)
            for number, target in enumerate(self.parsed[1])
        }
        answer = TuneAnswer(self.the_game, self.parsed[1], tables)
        words = _rung_names(ladder)
        keys = [("box", "what is changed"), *((name, answer.changes(rung)) for rung, name in words.items() if rung)]
        rows = ladder.assign(at=ladder["rung"].map(words), told=ladder["status"])
        wishes = ladder.drop_duplicates("target")
        ends = wishes[["least", "most"]].fillna({"least": -np.inf, "most": np.inf})  # a file has no infinite numbers
        middle = ends.replace([np.inf, -np.inf], np.nan).mean(axis=1)  # of one bound that bound
        asked = wishes.assign(at=_WANTED, told=_WANTED, value=middle, low=ends["least"], high=ends["most"])
        shown = pd.concat([asked, rows], ignore_index=True)
        shown["figure"] = [figures[label].name for label in shown["target"]]
        shown = shown.assign(players=self.players[0], variant="", lineup="")
        ladder_shown = {"rungs": shown}
        drawn = tuple(
            replace(picture(name, ladder_shown), figures=tuple(figures.values())) for name in ("ladder", "ladder-table")
        )
        told = answer.rows.head(_MOST_NUMBERS).itertuples()
        numbers = [KeyNumber(row, figures[row.target], row.target) for row in told]
        pictures = replace(
            section("tune", ladder_shown),
            shown=drawn,
            numbers=tuple(numbers),
            keys=tuple(keys) if len(words) > 1 else (),
        )
        if effects.empty:
            return [pictures]
        furthest = effects.loc[
            effects.groupby(["key", "target"], sort=False)["tolerances"].apply(lambda each: each.abs().idxmax())
        ]
        step = [
            f"{name_of_key(self.the_game, row['key']).label}: {whole(row['from'])} to {whole(row['to'])}"
            for row in furthest.to_dict("records")
        ]
        cells = furthest.assign(row=step, column=furthest["target"], figure=EFFECT.name, value=furthest["tolerances"])
        cells = cells.assign(low=np.nan, high=np.nan, n=cells["deals"], players=self.players[0], variant="", lineup="")
        caption = "Each number moved as far as the range or the game allows, up to six steps, alone."
        title = "What each number does to each target, in tolerances"
        heat = HeatMap(title, caption, "number", "target", EFFECT, table="matrix")
        of_matrix = replace(section("effects", {"matrix": cells}, [EFFECT]), shown=(heat,), tables={"matrix": cells})
        return [pictures, of_matrix]


def _rung_names(ladder: pd.DataFrame) -> dict[int, str]:
    """Return rung -> its name: "one number changed", of a second box with as many changes "..., another"."""
    names_of_rungs: dict[int, str] = {}
    for rung, changes in ladder.groupby("rung")["changes"].first().items():
        name = f"{NUMBERS[changes]} changed" if changes else "the box as it is"
        while name in names_of_rungs.values():
            name += ", another"
        names_of_rungs[int(rung)] = name
    return names_of_rungs

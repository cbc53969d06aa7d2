"""compare: which of two agents, or of two variants, and by how much?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, AnyAgent, names
from strozzi_sim.agent.names import Agents, Players
from strozzi_sim.declare.figure_tables import FigureTable, Tables, figures_in, headline_players, pick
from strozzi_sim.declare.printing import format_row
from strozzi_sim.declare.significance import ALPHA, corrected_p, missed, not_excluded
from strozzi_sim.errors import ArgumentError, as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import SCORE, WIN_SHARE, Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import boxes_in_words
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, differing_keys, shipped_variants, with_settings
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.stats import Estimate
from strozzi_sim.study.arguments import PrecisionOptions, documented, refuse_given
from strozzi_sim.study.cells import RANK, Cell, CellCounts, CountsOf, Headline, Side
from strozzi_sim.study.change_verdict import change_verdict
from strozzi_sim.study.decided import Decided
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import PLAIN, KeyNumber, Look, Section, key_numbers, section
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import at_players, grouped, plain_player, plain_words, player_name, points


@documented(
    asks="What did my change do?",
    about="The box before and after your changes, on the same deals.",
    needs_change=True,
    quick={"deals": 1000},
    tables=("changes", "difference", "sides"),
)
def compare(
    game: str | Game,
    first: AnyAgent | AnyVariant = "",
    second: AnyAgent | AnyVariant = "",
    *,
    settings: Sequence[str] = (),
    study: str | Path = "",
    players: Players = None,
    opponents: Agents = (),
    agents: Agents = (),
    effect: float = 0.01,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    **options: Unpack[PrecisionOptions],
) -> Results:
    """Compare two agents, or two variants, on the same deals: the paired difference with its interval.

    For variants, all figures but heat maps are compared, and called changed, too small to matter, unclear or equal.

    Example: strozzi compare strozzi greedy florence --players 4 --opponents heuristic --deals 1000

    Args:
        first: an agent, or a variant
        second: the other one
        settings: changes that make the second side: tracks.bonus.7=10, SECTION.KEY=[20,10,5] for a list, and
            SECTION.add=[{id="X",...}] or SECTION.remove=["X"] for blocks with ids; the first side is the variant itself
        study: a study's TOML file that defines the variants
        opponents: agents in the other seats (agents compared); default: the game's default agent
        agents: line-up (variants compared); one agent plays itself; default: the game's default agent
        effect: smallest difference of variants that matters: 0.01 is one point of a share and 1 % of a score
        deals: deals for every line-up; default: as many as the precision takes; without one, as many as find or exclude
            a difference of `effect` in wins, in at most 100,000 games, 15,000 of trained or Python agents and 600 of
            searching ones, or 60 deals if these are more
        variant: variant that compared agents play, or with settings the first side

    >>> import strozzi_sim as ss
    >>> results = ss.compare("strozzi", "heuristic", "random", players=3, deals=60)
    >>> results.tables["difference"].query("figure == 'win_share'")["low"].item() > 0
    True
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    variants = _variants(the_game, first, second, settings, variant, study)
    if variants is not None:
        other_variant = None if variant == BASE or (settings and not first) else variant
        refuse_given("is for comparing agents; leave it out", opponents=opponents, variant=other_variant)
        as_argument_error("second", names.check_one_variant_per_name, variants)
        kind: type[Compare] = CompareVariants
        lineups = names.lineups_of(the_game, agents, counts)
        played = variants if variants[0].name != variants[1].name else variants[:1]
    else:
        other_effect = None if effect == PLAIN.effect else effect
        refuse_given("is for comparing variants; leave it out", agents=agents, effect=other_effect)
        kind, sides = CompareAgents, [_agent(the_game, "first", first), _agent(the_game, "second", second)]
        opponent_specs = names.agents_named(the_game, opponents or [the_game.default_agent], "opponents")
        other_seats = min(counts) - 1
        if len(opponent_specs) > other_seats:
            why = f"{len(opponent_specs)} agents for {other_seats} other seats; give at most {other_seats}"
            raise ArgumentError("opponents", why)
        opponents_by_count = {count: list(islice(cycle(opponent_specs), count - 1)) for count in counts}
        lineups = [(side, *opponents_by_count[count]) for count in counts for side in sides]
        played = names.variants_named(the_game, variant)
    keys: dict[str, Any] = {"game": the_game, "players": counts, "lineups": lineups, "variants": played}
    keys["seatings"] = seatings
    has_limit = options.get("deals") is not None or options.get("precision") is not None
    if not has_limit and effect > 0 and (variants is None or len(played) > 1):
        keys |= kind.until_decided(effect, keys)
    look = Look(name=f"compare-{the_game.name.replace('_', '-')}", effect=effect)
    return play(kind, options, look, **keys)


_NUMBERS = {WIN_SHARE: "points of games won", SCORE: "points of score", RANK: "places"}


def _variance_saved(figure: Figure) -> Figure:
    """Return what part of the variance of a difference playing the same deals saved."""
    how = "part of the variance of its difference that playing the same deals saved"
    return figure.derived("variance_saved", "variance saved", how, unit="share")


@dataclass(frozen=True, kw_only=True)
class Compare(Decided):
    """A comparison of two sides: tables sides (each by itself) and difference (first minus second)."""

    is_of_variants: ClassVar[bool] = False

    def check(self) -> None:
        super().check()
        _ = [*self.pairs()]  # raises for more than two sides

    @property
    def summary(self) -> str:
        first, second = self._sides_in_words()
        return f"{with_capital(first)} against {second} on the same deals. {super().summary}"

    def _sides_in_words(self) -> tuple[str, str]:
        """Return what both sides are called; of equal names the agents or variants themselves."""
        first, second = (plain_words(self.the_game, side) for side in self.sides)
        return (first, second) if first != second else self.sides

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the sides: variants, or the agents at position 0."""
        names = list(self.variants) if self.is_of_variants else [agent for agent, *_ in self.lineups]
        return names[0], names[-1]

    def pairs(self) -> Iterator[tuple[Cell, Cell]]:
        """Yield the cells of both sides, a pair for each player count and, if variants are compared, each line-up."""
        for cells in grouped(((cell.players, cell.lineup * self.is_of_variants), cell) for cell in self.cells).values():
            if len(cells) > 2:
                side = "variants" if self.is_of_variants else "lineups"
                raise ArgumentError(side, f"a comparison has two sides, got {len(cells)} at {cells[0].players} players")
            yield cells[0], cells[-1]

    def figures(self, cell: CellCounts) -> dict[tuple[str, str, Figure], Estimate]:
        """Return the figures to compare: of position 0; or of all seats and, except in self-play, all positions."""
        levels: dict[Side, int] = {"position": 1}
        if self.is_of_variants:
            levels = {"seat": cell.players, "position": 0 if cell.selfplay else cell.players}
        figures = dict[tuple[str, str, Figure], Estimate]()
        for by, count in levels.items():
            of_side = cell.figures(by)
            figures |= {(by, str(k), figure): each.at(k) for k in range(count) for figure, each in of_side.items()}
        return figures

    def compared(self, counts: CountsOf, side_key: str) -> dict[str, Any]:
        """Return the tables sides, in which column `side_key` names the side, and difference."""
        (first, second), keys = self.sides, ("by", "level")
        sides, difference = FigureTable(side_key, *keys), FigureTable("first", "second", *keys)
        for cells in self.pairs():
            first_cell, second_cell = map(counts, cells)
            first_figures, second_figures = map(self.figures, (first_cell, second_cell))
            for name, cell, figures in ((first, first_cell, first_figures), (second, second_cell, second_figures)):
                for (by, level, figure), estimate in figures.items():
                    sides.add(cell, figure, estimate, **{side_key: name, "by": by, "level": level})
            for (by, level, figure), estimate in first_figures.items():
                where = {"first": first, "second": second, "by": by, "level": level}
                other = second_figures[by, level, figure]
                paired = stats.paired(estimate, other, same=first == second)
                difference.add(first_cell, figure.difference(), paired, **where)
                assert estimate.sums is not None
                assert other.sums is not None
                saved = stats.variance_saved(estimate.sums, other.sums)
                difference.add(first_cell, _variance_saved(figure), saved, **where)
        return {"sides": sides, "difference": difference}


class CompareAgents(Compare):
    """A comparison of two agents: the first line-up has one of them at position 0, the last line-up the other."""

    kind = "compare_agents"
    is_comparison, printed = True, ("sides", "difference")

    def headlines(self) -> list[Headline]:
        """Return the wins of both sides and their differences; if `decided`, the differences alone."""
        headlines = list[Headline]()
        for first, second in self.pairs():
            of_sides = [Headline(first, "position", 0), Headline(second, "position", 0)]
            headlines += [*([] if self.decided else of_sides), Headline(first, "position", 0, second)]
        return headlines

    def check(self) -> None:
        super().check()
        if self.search_deals and any(first.deals != second.deals for first, second in self.pairs()):
            raise ArgumentError("search_deals", "both sides play the same deals; leave it out")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        return self.compared(counts, "agent")

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return which agent wins more, at which player counts, and the largest difference not excluded elsewhere."""
        game, (first, second) = self.the_game, map(self._side, (0, 1))
        named = f"First: {self.sides[0]}; second: {self.sides[1]}." if first == "the first agent" else ""
        rows = pick(tables["difference"], figure="win_share").dropna(subset="low")
        if rows.empty:
            return Verdict(f"There are too few games of {game.title} to compare {first} with {second}.", named)
        rows = rows.assign(sign=np.where(corrected_p(rows, 0.0, self.chunks) < ALPHA, np.sign(rows["value"]), 0))
        unknown = pick(rows, sign=0)
        size = missed(not_excluded(unknown, chunks=self.chunks, span=(-1, 1)), what="a difference")
        answers = []
        better_first, better_second = (
            plain_player(game, side) if words == plain_words(game, side) else words
            for side, words in zip(self.sides, (first, second), strict=True)
        )
        for better, other, sign in ((better_first, second, 1), (better_second, first, -1)):
            if len(known := pick(rows, sign=sign)):
                row = next(pick(known, players=headline_players(known)).itertuples(index=False))
                more, where = format_row(row, WIN_SHARE.difference()).removeprefix("\N{MINUS SIGN}"), ""
                if len(known) < len(rows):
                    where = f" {at_players(known['players'])}"
                elif len(rows) > 1:
                    where = " at every player count"
                number = more.removesuffix(" points")
                wins = f"wins {number} of 100 games more than {other} in its place"
                if len(rows) > 1:
                    at = f"{number} more of 100 games at {row.players} players"
                    wins = f"wins more than {other} in its place{where}: {at}"
                answers.append(with_capital(f"{better} {wins}."))
        if not answers and not (rows["value"].abs() + rows["high"] - rows["low"]).any():
            return Verdict(f"{with_capital(first)} and {second} win exactly alike.", named)
        notes = [f"At {row.players} players the difference is {points(row)}." for row in rows.itertuples()]
        if not answers:
            answers = [f"{with_capital(first)} and {second} are not known to differ in games won."]
        unsure = f"At {listed([str(count) for count in unknown['players']])} players {size}." if size else ""
        return Verdict(answers[0], named, (*answers[1:], *filter(None, [unsure]), *notes))

    def _side(self, number: int) -> str:
        """Return an agent in words, "random moves"; "the first agent" if the names of both are equal."""
        words = [plain_words(self.the_game, side) for side in self.sides]
        return words[number] if words[0] != words[1] else f"the {('first', 'second')[number]} agent"

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the section of the differences: a picture, and a table of all of them."""
        table = tables["difference"]
        sides = " minus ".join(player_name(self.the_game, side) for side in self.sides)
        figures = figures_in(tables, "difference")
        table = table.assign(at=table["players"].astype("str") + " players", whom=sides)
        if table.groupby("players")["lineup"].nunique().max() <= 1:
            table["lineup"] = ""
        rows = table.dropna(subset="value")
        rows = pick(rows, players=headline_players(rows)) if len(rows) else rows
        numbers: tuple[KeyNumber, ...] = ()
        for figure, what in _NUMBERS.items():
            row = pick(rows, figure=figure.name).head(1)
            numbers += key_numbers(row, figure.difference(), f"{what}: {sides}, {{at}}", is_change=True)
        return [section("difference", {"difference": table}, figures.values(), numbers=numbers, sides=sides)]


class CompareVariants(Compare):
    """A comparison of two variants, played by the same line-ups."""

    kind = "compare_variants"
    is_of_variants, has_pages, printed = True, True, ("changes",)

    @property
    def boxes(self) -> dict[str, str]:
        """The variants in words, by name."""
        return boxes_in_words(self.the_game, self.variant_of)

    def _sides_in_words(self) -> tuple[str, str]:
        first, second = (self.boxes[side] for side in self.sides)
        return first, second

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        return facts_of_games(self, look)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the tables of the games, changes (second minus first), sides and difference."""
        return {**tables_of_games(self, counts, look, [self.sides]), **self.compared(counts, "variant")}

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        return change_verdict(tables, self.the_game, self.variant_of, look.effect, self.chunks)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        return sections_of_games(self, tables, look, "changes")


def _variants(
    game: Game, first: Any, second: Any, settings: Sequence[str], variant: AnyVariant, study: str | Path
) -> tuple[Variant, ...] | None:
    if settings:
        if second:
            raise ArgumentError("settings", "makes the second side; leave out the second one")
        settings = [settings] if isinstance(settings, str) else settings
        before = names.one_variant(game, "first" if first else "variant", first or variant, study)
        after = as_argument_error("settings", with_settings, game, before, settings)
        if not list(differing_keys(before.components, after.components)):
            raise ArgumentError("settings", f"{', '.join(settings)} changes nothing in {before.name}")
        return before, after
    if not (first and second):
        advice = f"give two agents or two variants, such as {game.default_agent} and random"
        raise ArgumentError("second" if first else "first", advice)
    known = [BASE, *shipped_variants(game)]
    if not (study or any(isinstance(side, Variant | Mapping) or side in known for side in (first, second))):
        return None
    return names.one_variant(game, "first", first, study), names.one_variant(game, "second", second, study)


def _agent(game: Game, argument: str, side: Any) -> AgentSpec:
    try:
        return names.agents_named(game, [side], argument)[0]
    except ArgumentError as error:
        variants = f"variants: {', '.join([BASE, *shipped_variants(game)])}"
        raise ArgumentError(argument, f"{error.message}; {variants}") from None

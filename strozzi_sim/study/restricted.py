"""Restricted play: the worth of a thing, as the loss of an agent that plays without it (Jaffe and others 2012).

The agent at position 0 plays without the thing, in every seat in turn, against copies that may use it; the same deals
are also played by such copies alone. Compiled agents receive the restriction as part of the rules.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec
from strozzi_sim.declare.figure_tables import FigureTable, Tables, headline_players, pick
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.declare.printing import format_row, format_value
from strozzi_sim.declare.significance import (
    ALPHA,
    MAX_CHUNKS,
    MIN_SHARE,
    corrected_p,
    degrees_of_freedom,
    missed,
    not_excluded,
    p_value,
)
from strozzi_sim.errors import as_argument_error
from strozzi_sim.facts.crosstabs import Crosstab, fact_union
from strozzi_sim.facts.figures import SCORE, WIN_SHARE, Figure, share
from strozzi_sim.game import Game
from strozzi_sim.game.restricting import Use, find_things, noun_of, restricted, things
from strozzi_sim.game.sentences import some_of
from strozzi_sim.game.variants import Variant
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.cells import Cell, CellCounts, CountsOf, without_luck
from strozzi_sim.study.look import PLAIN, KeyNumber, Look, Section, section
from strozzi_sim.study.model import Study
from strozzi_sim.study.verdict import (
    MOST_WORDS_ON_SCREEN,
    Verdict,
    games_at_most,
    games_of_100,
    score_unit,
    with_unit,
    word_count,
)
from strozzi_sim.study.wording import grouped, plain_player, player_name, players_words

WORTH, COSTS, SMALL, UNCLEAR = "worth having", "better not used", "too small to matter", "unclear"
SIGNIFICANT, MISLEADS = "significant worth", "its users' wins mislead"
_WITHOUT = "of an agent without restrictions less that of one that must do without, on the same deals"
WIN_SHARE_LOST = Figure("win_share_lost", "games lost without it", "points", f"share of games won {_WITHOUT}")
SCORE_LOST_BY = Figure("score_lost", "score lost without it", "amount", f"score {_WITHOUT}")
POPULARITY = share("popularity", "share of its occasions, such as rounds, with a use", "how often it is used")
NAIVE_WINS = share("naive_win_share", "games won by the seats that used it, each use counted", "games won by its users")
LOST, SCORE_LOST, USED, NAIVE = WIN_SHARE_LOST.name, SCORE_LOST_BY.name, POPULARITY.name, NAIVE_WINS.name
_RARE = 0.05  # share of occasions up to which a thing is hardly ever used
_OFTEN = 0.9  # share of hands from which a thing comes up in all of them
_FEW_THINGS = 16  # of so many or fewer, what is lost is the first picture
_FEW_SAID = 6  # of so many or fewer, what is lost without each is said
_MOST_NUMBERS = 3  # things with a number on the first screen
_KEYS = ["players", "variant", "agent", "thing"]
Line = Mapping[str, Any]  # a line of `verdicts`


class WithWorth(Study):
    """A study of what things are worth to agents that play themselves: its facts, table, verdict and section."""

    measured = (WIN_SHARE_LOST, SCORE_LOST_BY, POPULARITY, NAIVE_WINS)
    things_field: ClassVar[str]  # the field that names the things, or patterns of them

    @cached_property
    def uses(self) -> dict[str, Use | None]:
        """Thing -> facts that show its use, or None; the requested things that every variant can restrict."""
        variants, key = self.variant_of.values(), self.things_field
        first, *others = [find_things(self.the_game, variant, getattr(self, key), key) for variant in variants]
        return {thing: use for thing, use in first.items() if all(thing in other for other in others)}

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield the cells without restrictions, then those of self-play with position 0 restricted."""
        yield from super().plan()
        for players, lineup, thing, variant in product(self.players, self.lineups, self.uses, self.variant_of.values()):
            if len(lineup) == 1:
                agent = self.specs[lineup[0]]
                yield players, (agent.restricted(thing), *[agent] * (players - 1)), variant, thing

    def check(self) -> None:
        """Refuse a thing that a self-playing agent cannot do without in one of the variants."""
        for lineup, thing, variant in product(self.lineups, self.uses, self.variant_of.values()):
            if len(lineup) == 1:
                restrictions = {0: (*self.specs[lineup[0]].without, thing)}
                as_argument_error(self.things_field, restricted, self.the_game, variant, restrictions)

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts that show the use of things."""
        return fact_union(*(use.crosstabs for use in self.uses.values() if use))

    def worth_table(self, cells: Sequence[Cell], counts: CountsOf) -> FigureTable:
        """Return the table worth: the worth of each thing, in the order of the restricted cells among these."""
        table = FigureTable("thing", "agent")
        unrestricted = (cell for cell in cells if cell.selfplay and not cell.without)
        free = {(cell.players, cell.variant, cell.lineup): counts(cell) for cell in unrestricted}
        for cell in (cell for cell in cells if cell.without):
            of_free = free[cell.players, cell.variant, cell.match.lineup[1].text]
            figures = _losses(of_free, counts(cell)) | _uses(of_free, self.uses[cell.without])
            table.add_all(of_free, figures, thing=cell.without, agent=of_free.lineup)
        return table

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return what is lost without the thing worth most to the strongest agent, at the headline's player count."""
        lines = list(verdicts(tables["worth"], look.effect, self.chunks))
        groups = grouped(((line["players"], line["variant"], line["agent"]), line) for line in lines)
        main = self.headline_group(lines)
        order = ranked(groups[main])
        best = next((line for line in order if line["verdict"] == WORTH), order[0])
        notes = [*self._notes(order, best)]
        for (players, variant, agent), group in groups.items():
            if (players, variant, agent) != main:
                of_variant = f" of {variant}" if len(self.variant_of) > 1 else ""
                where = f"At {players} players{of_variant}, played by {players_words(self.the_game, agent)}"
                notes.append(f"{where}: {_uncapped(self._lost(ranked(group)))}")
        words = things(self.the_game, next(iter(self.variant_of.values()))).get(best["thing"])
        taken = f"Taken away: {words.words}." if words else ""
        answer = self._lost(order)
        others = self._others(order, best, MOST_WORDS_ON_SCREEN - word_count(answer))
        said = [line for line in (others, taken) if line]
        return Verdict(answer, "".join(said[:1]), (*said[1:], *notes))

    def _others(self, order: Sequence[Line], best: Line, words: int) -> str:
        """Return what is lost without each of a few other things, or without the first of each other kind.

        If all are of one kind, it is those next to the best one that are known to be worth having. The numbers are of
        the figure that tells things apart. Of more things than fit into so many words the last are left out.
        """
        ranking, nouns = self._ranking(order), _nouns(self)
        others = [line for line in order if line is not best and not np.isnan(line[ranking.name].value)]
        what = "Without each other thing"
        what_of_some = "Next"
        if len(order) > _FEW_SAID:
            by_kind = grouped((line["thing"].partition(":")[0], line) for line in others)
            of_kinds = [lines[0] for kind, lines in by_kind.items() if not best["thing"].startswith(f"{kind}:")]
            next_best = [line for line in others if line["verdict"] == WORTH][: _FEW_SAID - 2]
            others = of_kinds or next_best
            what = what_of_some = "Most of other kinds" if of_kinds else "Next"
        if not 0 < len(others) < _FEW_SAID:
            return ""
        losses = [format_value(line[ranking.name].value, ranking, 1, bare=True) for line in others]
        names = [nouns(line["thing"]).removeprefix("the ") for line in others]
        parts = [f"{name} {loss}" for name, loss in zip(names, losses, strict=True)]
        if _came_up(others[0]) < _OFTEN:
            parts[0] += f" ({_loss_where_it_came_up(others[0], ranking)})"
        unit = _score_words(self.the_game) if ranking is SCORE_LOST_BY else "games of 100"
        sentence = f"{what}, in {unit}: {', '.join(parts)}."
        while word_count(sentence) > words:
            parts.pop()
            sentence = f"{what_of_some}, in {unit}: {', '.join(parts)}." if parts else ""
        return sentence

    def worth_in_words(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table worth with things as nouns and players by name, the thing worth most first.

        The first figure is the one that tells things apart.
        """
        lines = list(verdicts(table, PLAIN.effect, self.chunks))
        first = self._ranking(lines).name
        place = {tuple(line[key] for key in _KEYS): number for number, line in enumerate(ranked(lines))}
        places = [place[key] for key in table[_KEYS].itertuples(index=False, name=None)]
        order = table.assign(place=places, is_other=table["figure"] != first)
        table = table.loc[order.sort_values(["players", "place", "is_other"], kind="stable").index]
        named = {"thing": _nouns(self), "agent": partial(player_name, self.the_game)}
        return table.assign(**{key: table[key].map(name) for key, name in named.items()})

    def headline_group(self, lines: Sequence[Line]) -> tuple[int, str, str]:
        """Return player count, variant and agent of the headline: the strongest agent, in the first variant."""
        lines = [line for line in lines if line["variant"] == self.reference]
        players = headline_players(pd.DataFrame(lines, columns=["players"]))
        agents = dict.fromkeys(line["agent"] for line in lines if line["players"] == players)
        return players, self.reference, max(agents, key=partial(rank_of, self))

    def _lost(self, lines: Sequence[Line]) -> str:
        """Return what is lost without the thing worth most, the first with the verdict WORTH; the lines are `ranked`.

        The loss is of wins, or of score if almost no wins remain.
        """
        nouns = _nouns(self)
        best = next((line for line in lines if line["verdict"] == WORTH), None)
        if best is None and len(lines) > 1:
            return f"None of {len(lines)} things is known to be worth having."
        line = lines[0] if best is None else best
        loss, thing = line[LOST], nouns(line["thing"])
        player = "a player"
        if len(self.lineups) > 1:
            player = plain_player(self.the_game, line["agent"])
            player = f"a {player.removeprefix('the ')}" if player.startswith("the ") else player
        most = "Much" if best is not None and _rivals(lines, best) else "Most"
        fair = 1 / loss.players
        if best is not None and best["at_ceiling"]:
            amount = with_unit(format_row(best[SCORE_LOST], SCORE_LOST_BY), self.the_game)
            if len(lines) == 1:
                return f"Without {thing} {player} loses {amount} a game and hardly wins."
            return f"{most} is lost without {thing}: {amount} a game, and {player} without it hardly wins."
        shares = games_of_100(fair - loss.value, among=[fair]), games_of_100(fair, among=[fair - loss.value])
        wins = f"{player} wins {shares[0]} of 100 games instead of {shares[1]}"
        if line["verdict"] in (WORTH, COSTS):
            return f"Without {thing} {wins}." if len(lines) == 1 else f"{most} is lost without {thing}: {wins}."
        if line["verdict"] == SMALL:
            return f"Without {thing} a player wins about as often."
        size = not_excluded(pd.DataFrame([loss]), chunks=self.chunks, span=(-1, 1))
        up_to = f": {games_at_most(size)} more or less" if size > 0 else ""
        return f"It is not known what is lost without {thing}{up_to}."

    def _notes(self, order: Sequence[Line], best: Line) -> Iterator[str]:
        """Yield what may be worth as much as the best thing, the verdicts on the others, and whose users mislead."""
        nouns, others = _nouns(self), [line for line in order if line is not best]
        rivals = _rivals(order, best)
        if rivals and best["verdict"] == WORTH:
            yield f"May be worth as much: {some_of([nouns(line['thing']) for line in rivals], 3)}."
        losses = grouped((line["verdict"], line[LOST]) for line in others)
        for verdict in (each for each in (COSTS, SMALL, UNCLEAR) if each in losses):
            largest = not_excluded(pd.DataFrame(losses[verdict]), chunks=self.chunks, span=(-1, 1))
            said = missed(largest if verdict == UNCLEAR else np.nan, what="a worth or a cost")
            if verdict == SMALL and (most := _most_used(others)) <= _RARE:
                said = f"hardly ever used, at most {games_of_100(most)} of 100 times"
            yield f"{len(losses[verdict])} of {len(order)} {verdict}{f' ({said})' if said else ''}."
        if best["verdict"] == WORTH and _came_up(best) < _OFTEN:
            yield f"The loss is an average over all games: {_loss_where_it_came_up(best, self._ranking(order))}."
        if misleading := [nouns(line["thing"]) for line in order if line["misleads"]]:
            yield f"The wins of users mislead about {some_of(misleading, 3)}."

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the section of worth: losses against the use of things, the losses, and the figures with verdicts."""
        lines, nouns = list(verdicts(tables["worth"], look.effect, self.chunks)), _nouns(self)
        words = pd.DataFrame([{key: line[key] for key in _KEYS} for line in lines])
        words["noun"] = [nouns(thing).removeprefix("the ") for thing in words["thing"]]
        kinds = [line["verdict"] if line["verdict"] in (SMALL, UNCLEAR) else SIGNIFICANT for line in lines]
        words["seen"] = [MISLEADS if line["misleads"] else kind for line, kind in zip(lines, kinds, strict=True)]
        words["verdict"] = words["noun"] + ": " + [f"{line['verdict']}{' (!)' * line['misleads']}" for line in lines]
        table = tables["worth"].merge(words, "left", _KEYS)
        used = table.merge(pick(table, figure=USED).dropna(subset="value")[_KEYS], "inner", _KEYS)
        things = table[["thing", "noun"]].drop_duplicates().sort_values("thing")
        uncounted = list(things[~things["thing"].isin(used["thing"])]["noun"])
        shown = {"worth": table.assign(thing=table["noun"]), "used": used.assign(thing=used["noun"])}
        texts = {"series": "players" if table["players"].nunique() > 1 else "", "effect": f"{100 * look.effect:g}"}
        no_dot = f" Without a dot, since their use is not known: {some_of(uncounted, 6)}."
        texts["uncounted"] = no_dot if uncounted else ""
        texts["score"] = _score_words(self.the_game)
        declared = section("worth", shown, self.measured, numbers=tuple(self._numbers(lines)), **texts)
        return [replace(declared, shown=tuple(self._pictures(declared.shown, lines)))]

    def _ranking(self, lines: Sequence[Line]) -> Figure:
        """Return the figure that tells things apart: score if without one of them the headline's agent hardly wins."""
        return SCORE_LOST_BY if any(line["at_ceiling"] for line in self._of_headline(lines)) else WIN_SHARE_LOST

    def _of_headline(self, lines: Sequence[Line]) -> list[Line]:
        main = self.headline_group(lines)
        return [line for line in lines if (line["players"], line["variant"], line["agent"]) == main]

    def _pictures(self, declared: Iterable[Picture | HeatMap], lines: Sequence[Line]) -> list[Picture | HeatMap]:
        """Return the pictures by the figure that tells things apart; what is lost of few things is the first one."""
        ranking, nouns = self._ranking(lines).name, _nouns(self)
        order = ranked(self._of_headline(lines))
        matter = [line for line in order if line["verdict"] != SMALL]
        is_cut = len(order) > _FEW_THINGS >= len(matter) > 1  # then those too small to matter are left out
        things = tuple(nouns(line["thing"]).removeprefix("the ") for line in (matter if is_cut else order))
        pictures = list[Picture | HeatMap]()
        for each in declared:
            if isinstance(each, Picture) and each.kind == "scatter":
                figures = tuple(figure for figure in each.figures if figure.name in (USED, ranking))
                pictures.append(replace(each, figures=figures))
            elif isinstance(each, Picture) and each.kind == "dots":
                figures = tuple(sorted(each.figures, key=lambda figure: figure.name != ranking))
                left_out = f" {len(order) - len(matter)} things too small to matter are left out." if is_cut else ""
                own = replace(each, figures=figures, levels=things, caption=f"{each.caption}{left_out}")
                pictures.insert(0 if len(things) <= _FEW_THINGS else len(pictures), own)
            else:
                pictures.append(each)
        return pictures

    def _numbers(self, lines: Sequence[Line]) -> Iterator[KeyNumber]:
        """Yield the strongest agent's losses without the things worth most to it, in the headline's games."""
        nouns, players = _nouns(self), self.headline_group(lines)[0]
        of_agent = ranked(self._of_headline(lines))[:_MOST_NUMBERS]
        score = _score_words(self.the_game)
        words = {WIN_SHARE_LOST: "games of 100, lost", SCORE_LOST_BY: f"{score} a game, lost"}
        ranking = self._ranking(lines)
        for figure in sorted(words, key=lambda each: each is not ranking):
            for line in of_agent:
                who = f", {players_words(self.the_game, line['agent'])}" if len(self.lineups) > 1 else ""
                if not np.isnan(line[figure.name].value):
                    what = f"{words[figure]} without {nouns(line['thing'])}{who}, {players} players"
                    yield KeyNumber(line[figure.name], figure, what, is_change=True)


def _score_words(game: Game) -> str:
    """Return the unit of scores beside points of games won: "coins", "points of score"."""
    unit = score_unit(game)
    return "points of score" if unit == "points" else unit


def _nouns(study: Study) -> Callable[[str], str]:
    return partial(noun_of, study.the_game, next(iter(study.variant_of.values())))


def _came_up(line: Line) -> float:
    """Return the share of hands or games in which a thing could be used, at most; 1 if this is not known."""
    return float(min(line[POPULARITY.name].n / line[LOST].n, 1.0)) if POPULARITY.name in line else 1.0


def _loss_where_it_came_up(line: Line, figure: Figure) -> str:
    """Return what is lost in the games in which a thing came up, as words: "14 in the 20 of 100 games with it".

    In all other games the agent that must do without it plays as it would, so that nothing is lost there.
    """
    came_up = _came_up(line)
    loss = format_value(line[figure.name].value / came_up, figure, 0, bare=True)
    return f"{loss} in the {games_of_100(came_up)} of 100 games with it"


def _most_used(lines: Iterable[Line]) -> float:
    """Return how often the things that are too small to matter are used at most; 1 if this is not known of one."""
    uses = [
        line[POPULARITY.name].value if POPULARITY.name in line else 1.0 for line in lines if line["verdict"] == SMALL
    ]
    return float(np.nan_to_num(max(uses, default=1.0), nan=1.0))


def _uncapped(sentence: str) -> str:
    """Return a sentence as it continues after a colon."""
    return f"{sentence[:1].lower()}{sentence[1:]}"


def _rivals(lines: Sequence[Line], best: Line) -> list[Line]:
    """Return the lines of other things that are not known to be worth less than the best one."""
    measures = [LOST, *([SCORE_LOST] if best["at_ceiling"] else [])]
    others = (line for line in lines if line is not best)
    return [line for line in others if all(line[each].high >= best[each].low for each in measures)]


def rank_of(study: Study, agent: str) -> tuple[int, bool]:
    """Return the index of an agent among the game's tiers, weakest first, or -1; and whether it is the default one."""
    tiers = list(study.the_game.tiers.values())
    return tiers.index(agent) if agent in tiers else -1, agent == study.the_game.default_agent


def _losses(free: CellCounts, restricted_cell: CellCounts) -> dict[Figure, Estimate]:
    """Return what position 0 loses by doing without: of an equal share of wins, and of the mean score of all seats."""
    restricted_figures = {name: figure.at(0) for name, figure in restricted_cell.figures("position").items()}
    of_seats = free.figures("seat")
    fair = 1 / free.players
    losses = {}
    of_all, less_luck = (lambda figure: figure), without_luck
    for version in (of_all, less_luck) if without_luck(WIN_SHARE) in restricted_figures else (of_all,):
        won = restricted_figures[version(WIN_SHARE)]
        losses[version(WIN_SHARE_LOST)] = Estimate(fair - won.value, fair - won.high, fair - won.low, won.n)
        sums = of_seats[version(SCORE)].sums
        assert sums is not None
        more = stats.ratio(sums.numerator.sum(axis=1), sums.denominator.sum(axis=1))
        less = restricted_figures[version(SCORE)]
        if free.match.game.lowest_wins:
            more, less = less, more
        losses[version(SCORE_LOST_BY)] = replace(stats.paired(more, less), n=won.n)
    return losses


def _uses(free: CellCounts, use: Use | None) -> dict[Figure, Estimate]:
    """Return the share of occasions on which a thing is used, and of uses whose user wins; {} without facts of it."""
    if use is None:
        return {}
    use_crosstab, occasion_crosstab = use.crosstabs
    cell = free.of_table(use.fact)
    unit = cell.plan.column(use.fact, "win").scale
    uses, wins = use.uses_and_wins(cell.count(use_crosstab), unit)
    occasions = use.of.times * free.of_table(use.of.fact).count(occasion_crosstab)[..., 0]
    popularity = stats.ratio(uses, occasions, n_deals=cell.deals)
    return {POPULARITY: popularity, NAIVE_WINS: stats.ratio(wins, uses, unit=unit, n_deals=cell.deals)}


def verdicts(table: Any, effect: float, chunks: int = MAX_CHUNKS) -> Iterator[Line]:
    """Yield a line for each thing, agent, variant and player count: its keys, figures by name, a verdict, two marks.

    A thing is SMALL only if its loss or gain is known to be below `effect`, the smallest share of wins that matters.
    `misleads`: the wins of its users suggest another verdict; never if UNCLEAR. `at_ceiling`: without it the agent wins
    less than `effect` of its games, so such things lose about the same share of wins and are ranked by score.
    """
    losses, shares = (pick(table, figure=figure).set_index(_KEYS, drop=False) for figure in (LOST, NAIVE))
    p_of_loss = dict(zip(losses.index, corrected_p(losses, chunks=chunks), strict=True))
    p_of_share = corrected_p(shares, 1 / shares["players"].to_numpy(), chunks, share=True)
    p_of_naive = dict(zip(shares.index, p_of_share, strict=True))
    df = degrees_of_freedom(losses["n"], losses["deals"], chunks)
    as_large = [p_value(losses["value"], losses["low"], losses["high"], side, df) for side in (effect, -effect)]
    smaller = holm(np.where(losses["value"].abs() < effect, np.maximum(*as_large), 1.0))
    p_of_size = dict(zip(losses.index, smaller, strict=True))
    for key, rows in table.groupby(_KEYS, sort=False):
        figures = {row.figure: row for row in rows.itertuples(index=False)}
        loss, naive = figures[LOST], figures.get(NAIVE)
        if p_of_size[key] < ALPHA:
            verdict = SMALL
        elif p_of_loss[key] < ALPHA:
            verdict = WORTH if loss.value > 0 else COSTS
        else:
            verdict = UNCLEAR
        excess = 0.0 if naive is None or not p_of_naive[key] < ALPHA else naive.value - 1 / naive.players
        points_to = WORTH if excess >= MIN_SHARE else COSTS if excess <= -MIN_SHARE else ""
        misleads = points_to not in ("", verdict) and verdict != UNCLEAR
        marks = {"misleads": misleads, "at_ceiling": loss.value > 1 / loss.players - effect}
        yield {**dict(zip(_KEYS, key, strict=True)), **figures, "verdict": verdict, **marks}


def ranked(lines: Iterable[Line]) -> list[Line]:
    """Return the lines, most valuable thing first: those at the ceiling by score, then the others by wins."""

    def key(line: Line) -> tuple[bool, float]:
        figure = SCORE_LOST if line["at_ceiling"] else LOST
        return not line["at_ceiling"], -np.nan_to_num(line[figure].value, nan=-np.inf)

    return sorted(lines, key=key)

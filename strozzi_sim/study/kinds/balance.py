"""balance: are the seats equal, which agents of a line-up win, and what happens in the game?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.declare.custom_heatmaps import split_maps
from strozzi_sim.declare.figure_tables import CELL, Tables, headline_players, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.declare.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, corrected_p, missed, not_excluded
from strozzi_sim.errors import ArgumentError, as_argument_error, check_names, in_ranges, pluralize, short_repr
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import BASE
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.arguments import REPEATED, PrecisionOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.changes import change_sentences
from strozzi_sim.study.games import (
    company_of,
    facts_of_games,
    sections_of_games,
    tables_of_games,
    verdict_on_maps,
    verdict_on_page,
)
from strozzi_sim.study.look import AGENTS, HEATMAPS, SEATS, VARIANTS, Look, Section
from strozzi_sim.study.model import Study, fact_union
from strozzi_sim.study.restricted import WithWorth
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.wording import (
    conclusion,
    copies_words,
    grouped,
    player_words,
    players_words,
    seat_words,
    strengths,
)

FAVOURED, EQUAL, OPEN, FEW = "favoured", "equal", "open", "few"
MOST_NAMED = 8  # most favoured cells whose shares are named, and most groups that are named
FALSE_ALARMS = 0.02  # largest share of studies of equal seats that call one favoured; verdicts are quoted without notes
_EQUAL = f"every seat{{}} wins its share to within {100 * MIN_SHARE:g} points"
_FEW = "there are too few games to say"
TIERS = "tiers"
TIER_DEALS = 14_000  # of each tier, for all player counts together: about a minute on two cores
_MOST = 6  # most styles named one by one
SEARCH_DEALS = 600  # fewer do not estimate a share of wins to 4 points


@documented(
    asks="Is it fair?",
    about="Agents of each strength play themselves; how often does each seat win?",
    quick={"deals": 500},
    tables=("seats", "lineup", "balance"),
    usual={"players": "all", "agents": "tiers"},
)
def simulate(
    game: str | Game,
    *,
    players: Players = None,
    agents: Agents = (),
    search_deals: int | None = None,
    seatings: Design = "rotate",
    variant: Annotated[Variants, REPEATED] = "base",
    heatmaps: Sequence[str | Mapping[str, str]] = (),
    rows: bool = False,
    facts: Sequence[str] = (),
    facts_share: float | None = None,
    **options: Unpack[PrecisionOptions],
) -> Results:
    """Play games and count what happens in them: seat balance, and the strength of agents.

    Example: strozzi balance strozzi --players 4 --agents heuristic,random,random,random --deals 5000

    Args:
        agents: one line-up, separated by commas; one agent plays itself; `tiers`: the game's agents of each strength,
            each by itself; one that searches only with search_deals, or with deals enough to know its wins to 4 points;
            default: the game's default agent
        deals: deals for every player count, line-up and variant; default: 5,000; of `tiers`: 14,000 shared by the
            player counts, at most 5,000 each; with a precision: as many as it takes
        search_deals: deals of line-ups with an agent that searches; default: as the others; of `tiers`: fewer or none
        variant: a variant; may be given several times
        heatmaps: heat maps of the game by name, or custom ones by the keys of `[[heatmap]]` in a study's file
        rows: keep a row of every game and seat
        facts: fact tables whose rows are kept
        facts_share: share of the deals whose rows of facts are kept, made one in round(1 / share); default: all

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=3, agents=["heuristic", "random", "random"], deals=100)
    >>> results.tables["lineup"].query("figure == 'win_share' and position == 0")["value"].item() > 0.6
    True
    """
    the_game = find_game(game)
    counts = names.player_counts(the_game, players)
    if agents == TIERS:
        if options.get("deals") is None and options.get("precision") is None:
            options["deals"] = min(Balance.usual_deals, TIER_DEALS // len(counts))
        tiers, search_deals = _tiers(the_game, options.get("deals"), search_deals)
        lineups: list[tuple[AgentSpec, ...]] = [(spec,) for spec in tiers]
    else:
        lineups = names.lineups_of(the_game, agents, counts)
    shipped, custom = split_maps(heatmaps)
    facts = (facts,) if isinstance(facts, str) else facts
    if not isinstance(facts, Iterable):
        raise ArgumentError("facts", f"expected names of fact tables, got {short_repr(facts)}")
    look = Look(
        name=f"balance-{the_game.name}".replace("_", "-"),
        heatmaps=tuple(shipped),
        heatmap=tuple(custom),
        rows=rows,
        facts=tuple(facts),
        facts_share=facts_share,
        explorer=options.get("folder") is not None,
    )
    return play(
        Balance,
        options,
        look,
        game=the_game,
        players=counts,
        lineups=lineups,
        variants=names.variants_named(the_game, variant),
        search_deals=search_deals,
        seatings=seatings,
    )


def _tiers(game: Game, deals: int | None, search_deals: int | None) -> tuple[tuple[AgentSpec, ...], int]:
    """Return the game's agents of each strength and the search deals; if these are too few, without searching ones."""
    specs = names.agents_named(game, list(game.tiers.values()) or [game.default_agent])
    if search_deals is not None:
        return specs, search_deals
    search_deals = game.search_deals(Balance.usual_deals if deals is None else deals)
    if search_deals < SEARCH_DEALS:
        specs = tuple(spec for spec in specs if not spec.searches) or specs
    return specs, search_deals


@dataclass(frozen=True, kw_only=True)
class Balance(WithWorth):
    """A study of seats, line-ups and the pages of the game."""

    kind = "balance"
    worth: tuple[str, ...] = ()  # things whose worth to agents that play themselves is measured too, by name or pattern
    usual_deals, has_pages = 5000, True
    things_field, printed = "worth", ("seats", "lineup")
    is_paired_by_deal: ClassVar[bool] = True  # whether its variants are played on the same deals

    def check(self) -> None:
        if self.worth and all(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("worth", "needs a line-up of one agent, which plays itself")
        super().check()

    def check_look(self, look: Look) -> None:
        """Refuse also a question that the game or this study does not have."""
        super().check_look(look)
        pages, question = look.pages_in(self.the_game), look.question
        questions = [SEATS, AGENTS, VARIANTS, HEATMAPS, *(page for page in pages if page != "balance")]
        as_argument_error("question", check_names, "question", filter(None, [question]), questions)
        needs = {
            VARIANTS: ("a second variant", len(self.variant_of) > 1),
            AGENTS: ("a line-up of different agents", any(len(set(lineup)) > 1 for lineup in self.lineups)),
            HEATMAPS: ("a heat map", bool(look.maps_in(self.the_game))),
        }
        if question in needs and not needs[question][1]:
            raise ArgumentError("question", f"{question!r} needs {needs[question][0]}")

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        return fact_union(facts_of_games(self, look), super().facts(look))

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the tables of the games, and worth if things are named."""
        tables = tables_of_games(self, counts, look)
        return tables | ({"worth": self.worth_table(self.cells, counts)} if self.worth else {})

    def answers(self, tables: Tables, look: Look) -> str:
        """Return the subject of the verdict: the question, else what varies, if the tables have it; else the seats."""
        question = look.question or (VARIANTS if len(self.variant_of) > 1 else AGENTS)
        needed = {VARIANTS: "changes" in tables, AGENTS: len(tables["lineup"]) > 0}
        return question if needed.get(question, True) else AGENTS if needed[AGENTS] and not look.question else SEATS

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return the answer to the question: on variants, agents, heat maps, seats or a page of the game."""
        question = self.answers(tables, look)
        if question == VARIANTS:
            return change_sentences(tables, self.the_game, self.chunks)
        if question == AGENTS:
            return styles_sentences(tables, self.the_game, self.chunks) or verdict_on_agents(self, tables)
        if question == HEATMAPS:
            return verdict_on_maps(self, tables, look)
        return seat_sentences(tables, self.the_game) if question == SEATS else verdict_on_page(self, tables, question)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the section of the verdict first, then changes, the pages of the game, heat maps, and worth."""
        question = self.answers(tables, look)
        first = {SEATS: "balance", AGENTS: "lineup", VARIANTS: "changes", HEATMAPS: "heatmaps"}.get(question, question)
        sections = sections_of_games(self, tables, look, first, paired=self.is_paired_by_deal)
        if question == SEATS:
            sections[0] = replace(sections[0], caveats=tuple(held_elsewhere(tables, self.the_game)))
        if not self.worth:
            return sections
        (of_worth,) = super().sections(tables, look)
        return [*sections, replace(of_worth, sentences=tuple(super().verdict(tables, look)))]


class SeatCell(NamedTuple):
    """The verdict on the seats of one cell."""

    players: int
    variant: str
    lineup: str
    # FAVOURED if its corrected p is below FALSE_ALARMS, and the largest share is known to be above an equal one and was
    # by MIN_SHARE or more; EQUAL if all intervals are within MIN_SHARE of an equal share; FEW without a test; else OPEN
    verdict: str
    favoured: str  # seats that may win most, in words: "the player who begins and perhaps others"
    best: Any  # the row of the seat that wins most; None if no seat is favoured
    bound: float  # the largest gain of a seat that could be missed; NaN if it is not known


def seat_cells(tables: Tables) -> list[SeatCell]:
    """Return the verdict on the seats of every cell."""
    tests, wins = pick(tables["balance"], figure="seat_fairness_p"), pick(tables["seats"], figure="win_share")
    bounds = pick(tables["balance"], figure="seat_favour_bound").set_index([*CELL])["value"]
    cells = []
    for test, p in zip(tests.itertuples(index=False), holm(tests["value"].to_numpy()), strict=True):
        cell, fair = {key: getattr(test, key) for key in CELL}, 1 / test.players
        shares = pick(wins, **cell).dropna(subset="value").sort_values("value", ascending=False, kind="stable")
        above = (shares["low"] > fair) & (shares["value"] >= fair + MIN_SHARE)
        verdict, favoured, best = OPEN, "", None
        if np.isnan(p) or shares.empty:
            verdict = FEW
        elif p < FALSE_ALARMS and above.iloc[0]:
            verdict, best = FAVOURED, next(shares.itertuples(index=False))
            favoured = _named(shares, above, test.players)
        elif (shares["low"] > fair - MIN_SHARE).all() and (shares["high"] < fair + MIN_SHARE).all():
            verdict = EQUAL
        bound = float(bounds.get(tuple(cell.values()), np.nan))
        cells.append(SeatCell(**cell, verdict=verdict, favoured=favoured, best=best, bound=bound))
    return cells


def _named(shares: Any, is_above: Any, players: int) -> str:
    may_win_most = shares["high"] >= shares["value"].iloc[0]
    known = [seat_words(int(seat), players) for seat in shares["seat"][may_win_most & is_above]]
    others = [seat_words(int(seat), players) for seat in shares["seat"][may_win_most & ~is_above]]
    return listed([*known, *(f"perhaps {who}" for who in (others if len(others) < 2 else ["others"]))])


def held_elsewhere(tables: Tables, game: Game) -> Iterator[str]:
    """Yield a sentence for each seat of `report.held` favoured in the base box: in how many other boxes it was too."""
    favoured = [cell for cell in seat_cells(tables) if cell.verdict == FAVOURED and cell.variant == BASE]
    favoured_seats = {(cell.players, cell.lineup, int(cell.best.seat)) for cell in favoured}
    for entry in report_of(game).held:
        if (entry.players, entry.agent, entry.seat) in favoured_seats:
            seat, agent = with_capital(seat_words(entry.seat, entry.players)), players_words(game, entry.agent)
            boxes = f"{entry.held} of {entry.boxes} other reconstructions that fit the known facts as well"
            yield f"{seat} was favoured at {entry.players} players, played by {agent}, in {boxes}"


def seat_sentences(tables: Tables, game: Game) -> list[str]:
    """Return which seats are favoured, and the size of a gain elsewhere that could be missed.

    If each line-up is an agent of another strength, the second text says that the strong one did not play.
    """
    cells = seat_cells(tables)
    lineups = {cell.lineup for cell in cells}
    verdicts, title = {cell.verdict for cell in cells}, game.title
    unknown = max((cell.bound for cell in cells if cell.verdict == OPEN and cell.bound > 0), default=np.nan)
    size = missed(unknown, what="a gain")
    few = f", or {_FEW}" if FEW in verdicts and size else ""
    if FAVOURED in verdicts:
        others = size + few or (_EQUAL.format("") if EQUAL in verdicts else _FEW)
        favours = f"{title} favours {_favours(cells, game)}"
        words = conclusion(favours, "", others if len(verdicts) > 1 else "", "; elsewhere ")
    elif verdicts <= {FEW}:
        words = f"there are too few games of {title} to say whether a seat is favoured"
    elif verdicts == {EQUAL}:
        words = _EQUAL.format(f" of {title}")
    else:
        words = conclusion("", f"no seat of {title} is known to win more than its share", size + few)
    if len(lineups) == 1:
        words = f"played by {players_words(game, cells[0].lineup)}, {words}"
    sentence = f"{with_capital(words)}."
    tiers = strengths(game, lineups)
    if not tiers or "strong" in tiers or "strong" not in game.tiers:
        return [sentence]
    return [sentence, "Strong players are slower, and need search_deals or more deals."]


def _favours(cells: Sequence[SeatCell], game: Game) -> str:
    """Return who is favoured and where, with the largest shares if cells are few; for many groups only in how many."""
    favoured = [cell for cell in cells if cell.verdict == FAVOURED]
    several_variants, one_lineup = len({cell.variant for cell in cells}) > 1, len({cell.lineup for cell in cells}) == 1
    few = len(favoured) <= MOST_NAMED

    def count(cell: SeatCell) -> str:
        share = format_estimate(cell.best, WIN_SHARE)
        return f"{cell.players} players ({share})" if few else str(cell.players)

    counts = grouped(((cell.favoured, cell.lineup, cell.variant), count(cell)) for cell in favoured)
    if len(counts) > MOST_NAMED:
        places = Counter(cell.favoured for cell in favoured).most_common()
        return f"{listed([f'{place} in {many}' for place, many in places])} of {len(cells)} cells"

    def at(texts: Sequence[str], variant: str) -> str:
        return f"at {listed(in_ranges(texts))}{'' if few else ' players'}{f' in {variant}' if several_variants else ''}"

    lineups_of = grouped(((place, at(texts, variant)), lineup) for (place, lineup, variant), texts in counts.items())
    where = grouped(
        (place, text if one_lineup else f"in games of {players_words(game, *lineups)} {text}")
        for (place, text), lineups in lineups_of.items()
    )
    return "; ".join(f"{place}{'' if one_lineup else ','} {listed(texts)}" for place, texts in where.items())


def verdict_on_agents(study: Study, tables: Tables) -> list[str]:
    """Return which agent wins most at the headline's player count, or the size of a gain that could be missed."""
    title = study.the_game.title
    shares = pick(tables["lineup"], figure="win_share", players=headline_players(tables["lineup"]))
    shares = shares.dropna(subset=["value", "low"])
    if shares.empty:
        return [f"There are too few games of {title} to compare the agents."]
    rows = shares.sort_values("value", ascending=False, kind="stable")
    best, fair = rows.iloc[0], 1 / rows["players"].to_numpy()
    whom = player_words(study.the_game, best["agent"], "The")
    share_text = f"{format_estimate(best, WIN_SHARE)}, where {100 * fair[0]:.3g} % would be equal."
    p = corrected_p(rows, fair, study.chunks, share=True)
    if p[0] < ALPHA and best["value"] - fair[0] >= MIN_SHARE:
        return [f"{whom} wins most in {title} at {best['players']} players: {share_text}"]
    size = missed(not_excluded(rows, fair, study.chunks, sign=1, span=(0, 1)), what="a gain")
    unknown = f"No agent is known to win more than its share of {title} at {best['players']} players"
    return [f"{conclusion('', unknown, size)}.", f"{whom}: {share_text}"]


def styles_sentences(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return whether a style wins more than its share among copies of an agent; empty for other line-ups.

    A style that wins more than its share among copies of a strong agent is a strategy that this agent does not stop. A
    tournament of styles does not answer this: in it one agent may win by beating its own distorted copies.
    """
    strong = company_of(tables["lineup"])
    rows = pick(tables["lineup"], figure="win_share").dropna(subset=["value", "low"])
    rows = rows[rows["position"].astype("str") == "0"]
    if not strong or rows.empty:
        return []
    gap = rows["value"] - 1 / rows["players"]
    p = corrected_p(rows, 1 / rows["players"].to_numpy(), chunks, share=True)
    significant = (p < ALPHA) & (gap.abs() >= MIN_SHARE)
    ahead, company = rows[significant & (gap > 0)], f"among {copies_words(game, strong)}"
    if len(ahead):
        counts = [str(count) for count in dict.fromkeys(ahead["players"])]
        styles = [player_words(game, agent) for agent in dict.fromkeys(ahead["agent"])]
        where = f" at {listed(counts)} players" if len(ahead) < len(rows) else ""
        win = "wins more than its share" if len(styles) == 1 else "each win more than their share"
        verdict = f"{game.title} may have a dominant strategy: {listed(styles)} {win} {company}{where}."
    else:
        behind = "each wins less" if (significant & (gap < 0)).all() else "none is known to win more"
        styles_text = f"of {pluralize(rows['agent'].nunique(), 'style')} {behind} than its share {company}"
        verdict = f"No style of {game.title} is known to be a dominant strategy: {styles_text}."
    rows_of_headline = pick(rows, players=headline_players(rows)).sort_values("value", ascending=False, kind="stable")
    players = int(rows_of_headline["players"].iloc[0])
    shown = rows_of_headline.head(_MOST).itertuples(index=False)
    shares = [f"{player_words(game, row.agent)} wins {format_estimate(row, WIN_SHARE)}" for row in shown]
    more = f"; the other {len(rows_of_headline) - _MOST} win less" if len(rows_of_headline) > _MOST else ""
    words = f"Alone {company} at {players} players {listed(shares)}{more}; {100 / players:.3g} % would be equal."
    return [verdict, f"{words} Plans that no agent here follows are not tested."]

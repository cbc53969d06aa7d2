"""balance: are the seats equal, which agents of a line-up win, and what happens in the game?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Unpack

from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.declare.custom_heatmaps import split_maps
from strozzi_sim.declare.figure_tables import Tables, headline_players, pick
from strozzi_sim.declare.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, corrected_p, not_excluded
from strozzi_sim.errors import ArgumentError, as_argument_error, check_names, short_repr
from strozzi_sim.facts.crosstabs import Crosstab, fact_union
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.tiers import STRONG
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.study.arguments import REPEATED, PrecisionOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.change_verdict import change_verdict
from strozzi_sim.study.games import (
    company_of,
    facts_of_games,
    sections_of_games,
    tables_of_games,
    verdict_on_maps,
    verdict_on_page,
)
from strozzi_sim.study.look import AGENTS, HEATMAPS, SEATS, VARIANTS, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.restricted import WithWorth
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.seats import held_elsewhere, seat_verdict
from strozzi_sim.study.verdict import Verdict, games_at_most, games_of_100
from strozzi_sim.study.wording import plain_player, player_name, player_sentence, players_words

TIERS = "tiers"
TIER_DEALS = 14_000  # of each tier, for all player counts together: about a minute on two cores
_MOST = 6  # most styles named one by one
SEARCH_DEALS = 600  # fewer do not estimate a share of wins to 4 points


@documented(
    asks="Is it fair?",
    about="Agents of each strength play themselves; how often does each seat win?",
    quick={"deals": 500},
    tables=("seats", "lineup", "balance"),
    plays="players of each strength",
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

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the answer to the question: on variants, agents, heat maps, seats or a page of the game."""
        question = self.answers(tables, look)
        if question == VARIANTS:
            return change_verdict(tables, self.the_game, self.variant_of, look.effect, self.chunks)
        if question == AGENTS:
            return styles_verdict(tables, self.the_game, self.chunks) or verdict_on_agents(self, tables)
        if question == HEATMAPS:
            return verdict_on_maps(self, tables, look)
        if question == SEATS:
            further = tuple(_further_players(self))
            verdict = replace(seat_verdict(tables, self.the_game, self.chunks), unprinted=further)
            is_of_one = len(set(self.lineups)) == 1
            return replace(verdict, notes=(*further, *verdict.notes)) if is_of_one else verdict.with_notes(further)
        return verdict_on_page(self, tables, question)

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
        return [*sections, replace(of_worth, sentences=tuple(super().verdict(tables, look).lines))]


def _further_players(study: Study) -> Iterator[str]:
    """Yield how to ask players of other strengths, if those of one alone played, or all but strong ones."""
    game, played = study.the_game, {",".join(lineup) for lineup in study.lineups}
    missing = [tier for tier, agent in game.tiers.items() if agent not in played]
    if not played <= set(game.tiers.values()):
        return
    if len(played) == 1 and (others := [tier for tier in missing if tier != STRONG]):
        yield f"{with_capital(listed(others))} players: `strozzi balance {game.name}` asks them too, in about a minute."
    elif missing == [STRONG]:
        asks = f"`--search-deals {SEARCH_DEALS}` asks them too (into another folder)"
        yield f"Strong players: {asks}, and says first how long it takes."


def verdict_on_agents(study: Study, tables: Tables) -> Verdict:
    """Return which agent wins most at the headline's player count, or the most that an agent wins."""
    game = study.the_game
    shares = pick(tables["lineup"], figure="win_share", players=headline_players(tables["lineup"]))
    shares = shares.dropna(subset=["value", "low"])
    if shares.empty:
        return Verdict(f"There are too few games of {game.title} to compare the agents.")
    rows = shares.sort_values("value", ascending=False, kind="stable")
    best, fair = rows.iloc[0], 1 / rows["players"].to_numpy()
    at = f"at {best['players']} players, where {games_of_100(fair[0], among=[best['value']])} would be equal"
    who = plain_player(game, best["agent"])
    p = corrected_p(rows, fair, study.chunks, share=True)
    if p[0] < ALPHA and best["value"] - fair[0] >= MIN_SHARE:
        share = games_of_100(best["value"], among=[fair[0]])
        return Verdict(f"{with_capital(who)} wins most: {share} of 100 games {at}.")
    most = not_excluded(rows, fair, study.chunks, sign=1, span=(0, 1))
    answer = "No agent is found to win more than its share"
    if most > 0:
        answer += f": {games_at_most(fair[0] + most)} {at}"
    return Verdict(f"{answer}.")


def styles_verdict(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> Verdict | None:
    """Return whether a style wins more than its share among copies of an agent; None for other line-ups.

    A style that wins more than its share among copies of a strong agent is a strategy that this agent does not stop. A
    tournament of styles does not answer this: in it one agent may win by beating its own distorted copies.
    """
    strong = company_of(tables["lineup"])
    rows = pick(tables["lineup"], figure="win_share").dropna(subset=["value", "low"])
    rows = rows[rows["position"].astype("str") == "0"]
    if not strong or rows.empty:
        return None
    gap = rows["value"] - 1 / rows["players"]
    p = corrected_p(rows, 1 / rows["players"].to_numpy(), chunks, share=True)
    significant = (p < ALPHA) & (gap.abs() >= MIN_SHARE)
    rivals = players_words(game, strong, bare=True)
    ahead, among = rows[significant & (gap > 0)], f"alone among {rivals}"
    shown = ahead if len(ahead) else rows
    shown = pick(shown, players=headline_players(shown)).sort_values("value", ascending=False, kind="stable")
    best, players = next(shown.itertuples(index=False)), int(shown["players"].iloc[0])
    share = games_of_100(best.value, among=[1 / players])
    wins = f"{plain_player(game, best.agent)} wins {share} of 100 games {among} at {players} players"
    fair = f"{games_of_100(1 / players, among=[best.value])} would be equal"
    if len(ahead):
        answer = f"{with_capital(wins)}: more than its share; {fair}."
    elif (significant & (gap < 0)).all():
        answer = f"No plan here beats {rivals}: the best wins {share} of 100 games, {fair}."
    else:
        answer = f"No plan is found to beat {rivals}: the best wins {share} of 100 games, {fair}."
    named = pick(rows, players=players).sort_values("value", ascending=False, kind="stable")
    first, *others = [(player_name(game, row.agent), games_of_100(row.value)) for row in named.head(_MOST).itertuples()]
    shares = [f"{first[0]} wins {first[1]} of 100 games", *(f"{name} {wins}" for name, wins in others)]
    more = f"; the other {len(named) - _MOST} win less" if len(named) > _MOST else ""
    plans = f"Each plays {among}: {listed(shares)}{more}."
    about = player_sentence(game, best.agent)
    of_best = [f"{with_capital(first[0])}: {about[:1].lower()}{about[1:]}"] if about else []
    return Verdict(answer, notes=(plans, *of_best, "Plans that no agent here follows are not tested."))

"""balance: are the seats equal, which agents of a line-up win, and what happens in the game?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game.contract import Game
from strozzi_sim.game.custom_heatmaps import split_maps
from strozzi_sim.game.reporting import Tables, format_estimate, headline_players, pick
from strozzi_sim.game.restricting import Use
from strozzi_sim.game.significance import ALPHA, MIN_SHARE, degrees_of_freedom, missed, not_excluded, p_value_of_share
from strozzi_sim.game.variants import Variant
from strozzi_sim.simulation.seatings import Design
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.changed import change_sentences
from strozzi_sim.study.games import (
    facts_of_games,
    sections_of_games,
    tables_of_games,
    verdict_on_maps,
    verdict_on_page,
)
from strozzi_sim.study.look import AGENTS, HEATMAPS, SEATS, VARIANTS, Look, Section
from strozzi_sim.study.model import Study, fact_union
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.restricted import (
    check_uses,
    restricted_cells,
    uses_of,
    worth_section,
    worth_sentences,
    worth_table,
)
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run
from strozzi_sim.study.seats import seat_sentences
from strozzi_sim.study.styles import styles_sentences

TIERS = "tiers"
TIER_DEALS = 14_000  # of the tiers, shared by the player counts: about a minute on two cores
SEARCH_DEALS = 600  # fewer do not tell any share of wins to 4 points


def simulate(
    game: str | Game,
    *,
    players: Players = None,
    agents: Agents = (),
    deals: int | None = None,
    precision: float | None = None,
    search_deals: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    seatings: Design = "rotate",
    variant: Variants = "base",
    heatmaps: Sequence[str | Mapping[str, str]] = (),
    rows: bool = False,
    facts: Sequence[str] = (),
    facts_share: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Play games and count what happens in them: seat balance, and the strength of agents.

    Example: strozzi balance strozzi --players 4 --agents heuristic,random,random,random --deals 5000

    Args:
        game: a game; `strozzi games` lists them
        players: player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; one agent plays itself; `tiers`: the game's agents of each strength by themselves;
            one that searches only with search_deals, or deals enough for a share of wins to 4 points
        deals: deals for every cell; default: 5,000, of `tiers` 14,000 shared by the player counts, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        search_deals: deals of line-ups with an agent that searches; default: as the others, with `tiers` a fraction or none
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of every figure, as one more row
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        seatings: one, rotate, spread (each deal once, seatings in turn), all or latin
        variant: a variant; may be given several times
        heatmaps: heat maps of the game by name, or custom ones by the keys of `[[heatmap]]` in a study's file
        rows: keep a row of every game and seat
        facts: fact tables whose rows are kept
        facts_share: share of the deals whose rows of facts are kept; default: all
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=3, agents=["heuristic", "random", "random"], deals=100)
    >>> results.tables["lineup"].query("figure == 'win_share' and position == 0")["value"].item() > 0.6
    True
    """
    the_game = names.game_named(game)
    counts = names.player_counts(the_game, players)
    if agents == TIERS:
        if deals is None and precision is None:
            deals = min(Balance.usual_deals, TIER_DEALS // len(counts))
        tiers, search_deals = _tiers(the_game, deals, search_deals)
        lineups: list[tuple[AgentSpec, ...]] = [(spec,) for spec in tiers]
    else:
        lineups = names.lineups_of(the_game, agents, counts)
    shipped, own = split_maps(heatmaps)
    if not isinstance(facts, Iterable):
        raise ArgumentError("facts", f"expected names of fact tables, got {short_repr(facts)}")
    study = Balance.of(
        game=the_game, players=counts, lineups=lineups, deals=deals, precision=precision, search_deals=search_deals, luck=luck,
        luck_redraws=luck_redraws, seatings=seatings, variants=names.variants_named(the_game, variant), seed=seed,
    )  # fmt: skip
    look = Look(
        name=f"balance-{study.game.replace('_', '-')}",
        heatmaps=tuple(shipped),
        heatmap=tuple(own),
        explorer=folder is not None,
        rows=rows,
        facts=(facts,) if isinstance(facts, str) else tuple(facts),
        facts_share=facts_share,
    )
    return run(study, folder, look=look, workers=workers, progress=progress)


def _tiers(game: Game, deals: int | None, search_deals: int | None) -> tuple[tuple[AgentSpec, ...], int]:
    """Return the game's agents of each strength, and the deals of those that search, which are left out where they would play too few."""
    found = names.agents_named(game, list(game.tiers.values()) or [game.default_agent])
    fewer = game.search_deals(Balance.usual_deals if deals is None else deals) if search_deals is None else search_deals
    if search_deals is None and fewer < SEARCH_DEALS:
        found = tuple(spec for spec in found if not spec.searches) or found
    return found, fewer


class Balance(Study, frozen=True, kw_only=True, tag="balance"):
    """A study of seats, line-ups and the pages of the game.

    Attributes:
        worth: things whose worth to the agents that play themselves is measured too, by name or pattern.
    """

    worth: tuple[str, ...] = ()
    usual_deals, has_pages = 5000, True
    printed = ("seats", "lineup")
    is_paired_by_deal: ClassVar[bool] = True  # whether its variants are played on the same deals

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield the cells of the line-ups, then those that measure worth."""
        yield from super().plan()
        yield from restricted_cells(self, self.uses)

    @cached_property
    def uses(self) -> dict[str, Use | None]:
        """The things whose worth is measured, with the facts that show their use."""
        return uses_of(self, self.worth, "worth") if self.worth else {}

    def check(self) -> None:
        """Refuse a worth to line-ups of several agents, and things that an agent cannot do without."""
        if self.worth and all(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("worth", "needs a line-up of one agent, which plays itself")
        check_uses(self, self.uses, "worth")

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts of pages, heat maps and explorer, and of the use of things."""
        return fact_union(facts_of_games(self, look), *(use.crosstabs for use in self.uses.values() if use))

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return seats, lineup, balance, the tables of pages and heat maps, and what changed between variants."""
        found = tables_of_games(self, counts, look)
        return found | ({"worth": worth_table(self.cells, counts, self.uses)} if self.worth else {})

    def answers(self, tables: Tables, look: Look) -> str:
        """Return what the verdict is about: the question, or what varies in the study."""
        question = look.question or (VARIANTS if len(self.variant_of) > 1 else AGENTS)
        needed = {VARIANTS: "changes" in tables, AGENTS: len(tables["lineup"]) > 0}
        return question if needed.get(question, True) else AGENTS if needed[AGENTS] and not look.question else SEATS

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return whether variants differ, agents differ, or seats are equal."""
        question = self.answers(tables, look)
        if question == VARIANTS:
            return change_sentences(tables, self.the_game.title, self.chunks)
        if question == AGENTS:
            return styles_sentences(tables, self.the_game, self.chunks) or verdict_on_agents(self, tables)
        if question == HEATMAPS:
            return verdict_on_maps(self, tables, look)
        return seat_sentences(tables, self.the_game) if question == SEATS else verdict_on_page(self, tables, question)

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the section of the verdict first, then what changed, the pages of the game, heat maps, and worth."""
        question = self.answers(tables, look)
        first = {SEATS: "balance", AGENTS: "lineup", VARIANTS: "changes", HEATMAPS: "heatmaps"}.get(question, question)
        found = sections_of_games(self, tables, look, first, paired=self.is_paired_by_deal)
        said = tuple(worth_sentences(self, tables, look)) if self.worth else ()
        return [*found, replace(worth_section(self, tables, look), sentences=said)] if self.worth else found


def verdict_on_agents(study: Study, tables: Tables) -> list[str]:
    """Return which agent of the line-up wins most, or how large a gain could be missed, at the player count of the headline."""
    shares = pick(tables["lineup"], figure="win_share", players=headline_players(tables["lineup"])).dropna(subset="low")
    if shares.empty:
        return [f"There are too few games of {study.the_game.title} to compare the agents."]
    rows = shares.sort_values("value", ascending=False, kind="stable").reset_index(drop=True)
    fair = 1 / rows["players"].to_numpy()
    df = degrees_of_freedom(rows["n"], rows["deals"], study.chunks)
    p = holm(p_value_of_share(rows["value"], rows["low"], rows["high"], fair, df))
    best, equal = rows.iloc[0], f"where {100 * fair[0]:.1f} % would be equal"
    if p[0] < ALPHA and best["value"] - fair[0] >= MIN_SHARE:
        words = f"{best['agent']} wins most in {study.the_game.title} at {best['players']} players"
        return [f"{words}: {format_estimate(best, 'share')}, {equal}."]
    size = missed(not_excluded(rows, fair, study.chunks, sign=1), what="a gain")
    words = f"No agent is known to win more than its share of {study.the_game.title} at {best['players']} players"
    return [f"{words}{f': {size}' if size else ''}.", f"{best['agent']}: {format_estimate(best, 'share')}, {equal}."]

"""Findings of a Strasbourg study, as sentences computed from its tables.

Sentences are about the first variant and line-up at one player count, unless they name other games, and add where other
games differ.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from strozzi_sim.facts.pictures import Unit
from strozzi_sim.game.missed import missed
from strozzi_sim.game.pages import ALL
from strozzi_sim.game.reporting import Named, Narrator, format_estimate, listed, pick, some_of
from strozzi_sim.game.significance import differs_significantly, extreme_levels
from strozzi_sim.games.strasbourg.fact_tables import SOURCES
from strozzi_sim.games.strasbourg.report.labels import STEPS
from strozzi_sim.games.strasbourg.report.tables import MIN_KEPT
from strozzi_sim.games.strasbourg.tasks import task_names
from strozzi_sim.stats.intervals import MIN_EVENTS

_WHOLE = {"by": ALL, "level": ALL}
MIN_POINTS = 0.5  # smaller differences are not reported
_MANY = 4  # spaces that a sentence names
_ALIKE = 0.1  # tolerance of a task's keep rate around the mean's, for tasks kept equally often
FEW = 3  # most other line-ups that are reported


def _each(
    say: Narrator, figure: str, unit: Unit, key: str, levels: Iterable[str], called: str = "{}", **where: Any
) -> str:  # fmt: skip
    """List the figure of each level that has an interval: "smith 3.1 ± 0.1, vintner 2.8 ± 0.1 and baker 1.9 ± 0.1"."""
    rows = [(level, say.row(figure, **{key: level}, **where)) for level in levels]
    return listed(
        [f"{called.format(level)} {format_estimate(row, unit)}" for level, row in rows if row and row.low <= row.high]
    )


def _ends(say: Narrator, figure: str, unit: Unit, key: str, called: str = "{}", **where: Any) -> list[str]:
    """Return the levels with least and most of a figure, and whether elsewhere too; empty if their intervals overlap."""
    said = []
    for (row, *others), least in zip(extreme_levels(say.rows(figure, **where), key) or (), (True, False), strict=False):
        level = getattr(row, key)
        like = f"; not told apart from {some_of([getattr(other, key) for other in others])}" if others else ""
        also = say.also(figure, key, level, least=least, called=called, **where)
        said.append(f"{called.format(level)} ({format_estimate(row, unit)}{like}{also})")
    return said


def _beside(say: Narrator, figure: str, **where: Any) -> list[Narrator]:
    """Return the cells of other variants and line-ups at the same player count that have a figure, FEW at most."""
    return [cell for cell in say.elsewhere if cell.players == say.players and cell.row(figure, **where)][:FEW]


def sources_ahead(say: Narrator) -> list[tuple[str, Any, Any]]:
    """Return the two sources in which winners lead most, significantly: (source, row of winners, row of all players)."""
    rows = [(source, *(say.row(f"{who}points_{source}_mean") for who in ("winner_", ""))) for source in SOURCES]
    ahead = [(source, winner, mean) for source, winner, mean in rows if winner and mean and winner.low > mean.high]
    return sorted(ahead, key=lambda found: found[2].value - found[1].value)[:2]


def _balance(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements: list[str] = [
        cell.named(
            f"a player ends with {cell.amount('score_mean')} points{say.span('score_mean', 'amount') if cell is say else ''} and "
            f"the winner with {cell.amount('winner_score_mean')}, {cell.amount('margin_mean')} ahead of the second."
        )
        for cell in (say, *_beside(say, "winner_score_mean"))
    ]
    if ahead := sources_ahead(say):
        said = [
            f"{source} ({format_estimate(winner, 'amount')} points, all players {format_estimate(mean, 'amount')})"
            for source, winner, mean in ahead
        ]
        own = {source for source, *_ in ahead}
        other = [
            f"{cell.where} with {listed([source for source, *_ in found])}"
            for cell in say.elsewhere
            if (found := sources_ahead(cell)) and {source for source, *_ in found} != own
        ]
        same = say.elsewhere and all(sources_ahead(cell) for cell in say.elsewhere)
        also = f"; but {some_of(other, FEW)}" if other else "; elsewhere too" if same else ""
        statements.append(f"winners lead most in points from {listed(said)}{also}.")
    rounds = range(1, len(data.get("round_cards", [])) + 1)
    starts = [f"round {k} {say.share(name)}" for k in rounds if say.row(name := f"start_{k}_wins_share")]
    if starts:
        statements.append(f"Games won by the starting player of a round: {listed(starts)}; {say.equal}")
    statements.append(
        f"A player bids {say.share('influence_bid_share')} of the influence drawn, gains "
        f"{say.number('privileges_gained_mean')} privileges and pays {say.number('waited_mean')} of them to defer bids."
    )
    if say.elsewhere:
        footnote = "elsewhere means the study's other player counts, variants and line-ups."
        statements.append(Named(f"Footnote: {footnote}"))
    return statements


def _positions(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    return [cell.named(f"{_who_gets_what(cell)}.") for cell in (say, *_beside(say, "score_mean", position=0))]


def _who_gets_what(cell: Narrator) -> str:
    """Return, for each source with a significant difference, the positions with most and least points."""
    who = cell.agents
    ends = [(source, cell.extremes(f"points_{source}_mean")) for source in SOURCES]
    narrator = [
        f"{source} {who[most.position]} most ({format_estimate(most, 'amount')}), {who[least.position]} least ({format_estimate(least, 'amount')})"
        for source, (least, most) in ((source, found) for source, found in ends if found)
        if least.high < most.low and most.value - least.value >= MIN_POINTS
    ]
    return (
        f"points by source: {'; '.join(narrator)}"
        if narrator
        else f"no significant difference between players in any source of points{missed_of_sources(cell)}"
    )


def missed_of_sources(cell: Narrator) -> str:
    """Return the largest difference between players that could be missed, over all sources of points."""
    every = (cell.rows(f"points_{source}_mean") for source in SOURCES)
    spans = [max(row.high for row in rows) - min(row.low for row in rows) for rows in every if len(rows) > 1]
    return f": {missed(max(spans), 'amount', 'a difference')}" if spans else ""


def _auctions(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements, whole = [], {"step": ALL}
    if ends := _ends(say, "winning_bid_mean", "number", "step", "step {}", by=ALL):
        statements.append(f"the most expensive auction to win is {ends[1]}; the cheapest {ends[0]}.")
    if spent := _each(say, "spent_share", "share", "step", STEPS, by=ALL):
        statements.append(f"Share of the influence bid, by step: {spent}.")
    for figure, words in (("won_share", "wins"), ("acts_share", "gets a turn")):
        bids = [
            (step, next((row for row in say.rows(figure, by="bid", step=step) if row.low >= 0.5), None))
            for step in STEPS
        ]
        half = [f"{enough.level} in {step}" for step, enough in bids if enough and enough.level != "1"]
        if half:
            rest = "; in other steps 1" if any(enough and enough.level == "1" for _, enough in bids) else ""
            statements.append(
                f"Influence that {words} at least half of the time (95 % confidence): {listed(half)}{rest}."
            )
    laps = say.rows("won_share", by="lap", **whole)
    if len(laps) > 1:
        first, last = (format_estimate(laps[k], "share") for k in (0, -1))
        statements.append(f"{first} of the starting player's bids win, {last} of those of the last seat in turn.")
    if say.row("won_share", by="waited", level="yes", **whole):
        later, turn = (say.share("won_share", by="waited", level=level, **whole) for level in ("yes", "no"))
        statements.append(
            f"{later} of deferred bids win, {turn} of bids in turn. Seats choose when to defer, so this is not a "
            "privilege's value."
        )
    return statements


def _council(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    if paid := say.row("points_mean", chair=ALL, by=ALL):
        statements.append(f"the council pays {format_estimate(paid, 'amount')} points per game, all players together.")
    if ends := _ends(say, "changed_share", "share", "chair", by=ALL):
        statements.append(
            f"The council seat that changes hands most often between rounds is {ends[1]}; least often {ends[0]}."
        )
    rows = [row for row in say.rows("win_share", by=ALL) if row.chair != ALL]
    significant = [
        row
        for row, significant in zip(rows, differs_significantly(rows, 1 / say.players, share=True), strict=True)
        if significant
    ]
    if significant:
        said = [
            f"{row.chair} {format_estimate(row, 'share')}" for row in sorted(significant, key=lambda row: -row.value)
        ]
        statements.append(
            f"Games won by a council seat's final holder, where significantly unequal: {listed(said)}; {say.equal}"
        )
    return statements


def _guilds(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    order, every = data.get("guilds", {}).get("order", []), {"guild": ALL}
    statements = []
    if points := _each(say, "points_mean", "amount", "guild", order, rank=ALL):
        prices = _each(say, "price_mean", "amount", "guild", order, rank=ALL)
        statements.append(f"points of a member, by guild: {points}. Coins for its space: {prices}.")
    if ends := _ends(say, "points_mean", "amount", "guild", rank=ALL):
        statements.append(f"A member earns most with guild {ends[1]}; least with {ends[0]}.")
    if goods := _each(say, "good_coins_mean", "amount", "guild", order, rank=ALL):
        sold = say.share("sold_share", rank=ALL, **every)
        statements.append(f"{sold} of goods are sold. Coins per good, 0 if unsold: {goods}.")
    if placed := _each(say, "placed_share", "share", "rank", ("1", "2", "3"), "by rank {} in", **every):
        statements.append(f"At a guild, members are placed {placed} of turns.")
    return statements


def _city(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    kinds: tuple[tuple[str, Unit, str], ...] = (
        ("taken_share", "share", "the spaces taken most often are {}; least often {}"),
        ("points_mean", "amount", "a member earns most points, without tasks, on {}; fewest on {}"),
    )
    for figure, unit, words in kinds:
        rows = spaces(say, figure)
        mean = float(np.mean([row.value for row in rows])) if rows else 0.0
        certain = differs_significantly(rows, mean, share=unit == "share")
        significant = [row for row, is_significant in zip(rows, certain, strict=True) if is_significant]
        ends = [
            [row for row in significant if row.value > mean][:_MANY],
            [row for row in significant if row.value < mean][: -_MANY - 1 : -1],
        ]
        if all(ends):
            most, least = (listed([f"{row.place} ({format_estimate(row, unit)})" for row in end]) for end in ends)
            statements.append(f"{words.format(most, least)}{_still_first(say, figure, unit, ends[0])}.")
    note = (
        "The city's guilds, prices and chapel sites are reconstructed; these results do not apply to the printed city."
    )
    return [*statements, Named(note)]


def spaces(say: Narrator, figure: str) -> list[Any]:
    """Return the rows of spaces, highest value first."""
    places = {row.place for row in say.rows("round_mean")}
    return sorted((row for row in say.rows(figure) if row.place in places), key=lambda row: -row.value)


def _still_first(say: Narrator, figure: str, unit: Unit, first: list[Any]) -> str:
    """Return a clause with the least value that the first spaces have elsewhere in the same city."""
    variant, own = say.table["variant"].iloc[0], {row.place for row in first}
    cells = [cell for cell in say.elsewhere if cell.table["variant"].iloc[0] == variant]
    rows = [(row, cell.where) for cell in cells for row in cell.rows(figure) if row.place in own]
    if not rows:
        return ""
    row, where = min(rows, key=lambda found: float(found[0].value))
    return f"; elsewhere the first {len(own)} have {format_estimate(row, unit)} or more ({row.place} {where})"


def _kept_evenly(cell: Narrator) -> bool:
    """Return whether no task's keep rate differs significantly and by more than _ALIKE from the mean (no selection)."""
    rows = [row for row in cell.rows("kept_share", **_WHOLE) if row.task != ALL]
    mean = cell.row("kept_share", task=ALL, **_WHOLE)
    if not rows or not mean:
        return False
    significant = differs_significantly(rows, mean.value, share=True)
    return not any(
        abs(row.value - mean.value) > _ALIKE for row, significant in zip(rows, significant, strict=True) if significant
    )


def _tasks(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    whole = {"task": ALL, **_WHOLE}
    statements = [
        f"{say.share('kept_share', **whole)} of the tasks dealt are kept and "
        f"{say.share('fulfilled_share', **whole)} of those fulfilled{say.span('fulfilled_share', 'share', **whole)}; a task kept "
        f"brings {say.amount('worth_mean', **whole)} points, net of penalties."
    ]
    names = task_names(data)
    unselected = [cell for cell in (say, *say.elsewhere) if cell.players == say.players and _kept_evenly(cell)]
    narrator = next(iter(unselected), say)
    rows = sorted((row for row in say.rows("kept_share", by=ALL) if row.task in names), key=lambda row: row.value)
    if narrator is say and not unselected and rows:
        statements.append(
            f"Tasks are kept selectively: from {format_estimate(rows[0], 'share')} ({names[rows[0].task]}) to "
            f"{format_estimate(rows[-1], 'share')} ({names[rows[-1].task]}) of the times dealt. Task values are known only for players "
            "whom they suit (selection)."
        )
    if narrator is not say:
        statements.append(
            narrator.named(
                "all tasks are kept about equally often, so that task values are free of selection; the following is "
                "about these games."
            )
        )
    names, data = task_names(narrator.data), narrator.data
    note = (
        "The points of all tasks, and the conditions of some, are reconstructed; a task's value depends on how well "
        "agents play it."
    )
    return [
        *statements,
        *map(narrator.named, _what_keeping_adds(narrator, names)),
        *map(narrator.named, _mispriced(narrator, names, data)),
        Named(note),
    ]


def _what_keeping_adds(say: Narrator, names: Mapping[str, str]) -> list[str]:
    """Return a sentence on the effect of keeping one more task, if all tasks are kept about equally often."""
    one = {"by": ALL, "level": "no"}
    if not _kept_evenly(say) or not (more := say.row("score_mean_minus_not_kept", task=ALL, **one)):
        return []
    rows = [row for row in say.rows("score_mean_minus_not_kept", **one) if row.task in names]
    significant = [
        row for row, significant in zip(rows, differs_significantly(rows, more.value), strict=True) if significant
    ]
    significant.sort(key=lambda row: -abs(row.value - more.value))
    tasks = [f"{names[row.task]} ({format_estimate(row, 'amount')})" for row in significant]
    return [
        f"Keeping one more task changes its player's final points by {format_estimate(more, 'amount')}, including opportunity "
        f"costs, and wins {say.share('win_share_minus_not_kept', task=ALL, **one)} more of the games"
        f"{f'; significantly different: {some_of(tasks)}' if tasks else ''}."
    ]


def _mispriced(say: Narrator, names: Mapping[str, str], data: Mapping[str, Any]) -> list[str]:
    """Return sentences on tasks worth more or less than their points, and on tasks without an estimate."""
    printed, statements = {task["id"]: task["points"] for task in data.get("tasks", [])}, []
    rows = [row for row in say.rows("fair_less_printed", by=ALL) if row.task in printed]
    certain = zip(rows, differs_significantly(rows, 0.0), strict=True)
    significant = sorted(
        (row for row, significant in certain if significant and abs(row.value) >= MIN_POINTS),
        key=lambda row: -abs(row.value),
    )
    for sign, verb in ((-1, "lower"), (1, "raise")):
        found = [row.task for row in significant if sign * row.value > 0]
        said = [f"{names[one]} from {printed[one]} to {say.amount('fair_points', task=one, **_WHOLE)}" for one in found]
        against = [
            f"{names[one]} {cell.where}" for one in found for cell in say.elsewhere if _is_against(cell, say, one, sign)
        ]
        if said:
            statements.append(
                f"To make all tasks worth the same, {verb} the points of {some_of(said)}"
                f"{f'; but not of {some_of(against)}' if against else ''}."
            )
    if rows and not significant:
        statements.append("No task's value differs significantly from its points.")
    rows = pick(say.table, figure="fair_points", players=say.players, by=ALL)
    unpriced = [row for row in rows.itertuples(index=False) if np.isnan(row.value) and row.task in printed]
    kept = {row.task: row.value for row in say.rows("kept_share", by=ALL)}
    known = {row.task: row.n >= MIN_EVENTS and kept.get(row.task, 0) >= MIN_KEPT for row in unpriced}
    paying, seldom = ([names[task] for task in known if known[task] == side] for side in (True, False))
    if paying:
        statements.append(
            f"Lower the points of {some_of(paying)}: they would be worth more than the mean task even at 0 points."
        )
    if seldom:
        statements.append(
            f"{len(seldom)} of {len(printed)} tasks are kept or fulfilled too rarely to propose points: "
            f"{some_of(seldom)}."
        )
    return statements


def _is_against(cell: Narrator, say: Narrator, task: str, sign: int) -> bool:
    """Return whether the same card should significantly be changed the other way in another cell."""
    row = cell.row("fair_less_printed", task=task, **_WHOLE)
    cards = [next((card for card in data["tasks"] if card["id"] == task), None) for data in (cell.data, say.data)]
    return bool(row) and cards[0] == cards[1] and (row.low > 0 if sign < 0 else row.high < 0)


def _buildings(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    if paid := _each(say, "points_mean", "amount", "thing", [edifice["id"] for edifice in data.get("edifices", [])]):
        own = say.share("own_share", thing=ALL)
        statements.append(
            f"points of edifices: {paid}; {own} of them go to the builder{say.span('own_share', 'share', thing=ALL)}."
        )
    if chapel := say.row("points_mean", thing="chapel"):
        built, own = (say.share(figure, thing="chapel") for figure in ("built_share", "own_share"))
        statements.append(
            f"A chapel is built in {built} of rounds and pays {format_estimate(chapel, 'amount')} points, {own} of that to its "
            f"builder{say.span('own_share', 'share', thing='chapel')}."
        )
    return statements


SENTENCES = {
    "balance": _balance, "positions": _positions, "auctions": _auctions, "council": _council, "guilds": _guilds, "city": _city,
    "tasks": _tasks, "buildings": _buildings,
}  # fmt: skip

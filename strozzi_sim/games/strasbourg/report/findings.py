"""What a Strasbourg study found, in sentences computed from its tables.

Sentences speak of the first variant and line-up, and of one player count, the one that the captions quote too.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from strozzi_sim.facts.pictures import Unit
from strozzi_sim.games.pages import ALL
from strozzi_sim.games.reporting import Narrator, in_words, listed, pick, quote
from strozzi_sim.games.strasbourg.fact_tables import SOURCES
from strozzi_sim.games.strasbourg.report.words import STEPS
from strozzi_sim.games.strasbourg.tasks import task_names
from strozzi_sim.games.verdicts import surely_not
from strozzi_sim.stats.intervals import MIN_EVENTS

_WHOLE = {"by": ALL, "level": ALL}
_MIN_POINTS = 0.5  # of a task; less is not told
_MANY = 4  # tasks or spaces that a sentence names


def _each(
    say: Narrator, figure: str, unit: Unit, key: str, levels: Iterable[str], called: str = "{}", **where: Any
) -> str:  # fmt: skip
    """The figure of each level that has one: "smith 3.1 ± 0.1, vintner 2.8 ± 0.1 and baker 1.9 ± 0.1"."""
    rows = [(level, say.row(figure, **{key: level}, **where)) for level in levels]
    return listed([f"{called.format(level)} {quote(row, unit)}" for level, row in rows if row])


def _first(words: list[str]) -> str:
    """The first of them in a row, and how many more there are."""
    rest = [f"{len(words) - _MANY} more"] if len(words) > _MANY else []
    return listed(words[:_MANY] + rest)


def _balance(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    scores, winners, margins = (say.ends(name, "amount") for name in ("score_mean", "winner_score_mean", "margin_mean"))
    for (players, score), (_, winner), (_, margin) in zip(scores, winners, margins, strict=False):
        statements.append(
            f"At {players} players the mean player ends with {score} points and the winner with {winner}, {margin} ahead "
            "of the second."
        )
    sources = {source: [say.row(f"{who}points_{source}_mean") for who in ("", "winner_")] for source in SOURCES}
    if all(all(rows) for rows in sources.values()):
        ahead = {source: winner.value - mean.value for source, (mean, winner) in sources.items()}
        most = sorted(ahead, key=lambda source: -ahead[source])[:2]
        said = [
            f"{one} ({quote(sources[one][1], 'amount')} points, {in_words(ahead[one], 'amount')} more than the mean player)"
            for one in most
        ]
        statements.append(f"{say.who} games are won with {listed(said)}.")
    rounds = range(1, len(data.get("round_cards", [])) + 1)
    starts = [f"round {k} {say.share(name)}" for k in rounds if say.row(name := f"start_{k}_wins_share")]
    if starts:
        statements.append(f"How often the starting player of a round wins the game: {listed(starts)}; {say.equal}")
    statements.append(
        f"A player bids {say.share('influence_bid_share')} of the influence drawn, gets "
        f"{say.number('privileges_gained_mean')} privileges and pays {say.number('waited_mean')} of them to wait."
    )
    return statements


def _enough(say: Narrator, figure: str, step: str) -> Any:
    """The smallest bid of which the figure is at least one half, or None."""
    return next((row for row in say.rows(figure, by="bid", step=step) if row.value >= 0.5), None)


def _auctions(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements, whole = [], {"step": ALL}
    if ends := say.extremes("winning_bid_mean", by=ALL):
        cheap, dear = (f"step {end.step} ({quote(end, 'number')})" for end in ends)
        statements.append(f"{say.who} {dear} costs the most influence to win, {cheap} the least.")
    if spent := _each(say, "spent_share", "share", "step", STEPS, by=ALL):
        statements.append(f"Of the influence bid, by step: {spent}.")
    for figure, words in (("won_share", "To win an auction"), ("acts_share", "To act")):
        half = [f"{enough.level} in {step}" for step in STEPS if (enough := _enough(say, figure, step))]
        if half:
            statements.append(f"{words} at least half of the time takes a bid of {listed(half)}.")
    laps = say.rows("won_share", by="lap", **whole)
    if len(laps) > 1:
        first, last = (quote(laps[k], "share") for k in (0, -1))
        statements.append(
            f"The starting player, who bids first, wins with {first} of bids, the last in turn with {last}."
        )
    if say.row("won_share", by="waited", level="yes", **whole):
        later, turn = (say.share("won_share", by="waited", level=level, **whole) for level in ("yes", "no"))
        statements.append(f"Of bids made after waiting {later} win, of those made in turn {turn}.")
    return statements


def _council(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    chairs = [row.chair for row in say.rows("points_mean", by=ALL) if row.chair != ALL]
    statements = []
    if paid := _each(say, "points_mean", "amount", "chair", chairs, by=ALL):
        statements.append(f"{say.who} a seat of the council pays in a game, in points: {paid}.")
    if changed := _each(say, "changed_share", "share", "chair", chairs, by=ALL):
        statements.append(f"How often a seat changes hands from one round to the next: {changed}.")
    return statements


def _guilds(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    order, every = data.get("guilds", {}).get("order", []), {"guild": ALL}
    statements = []
    if points := _each(say, "points_mean", "amount", "guild", order, rank=ALL):
        statements.append(f"{say.who} a member on a space earns, in points: {points}.")
    if goods := _each(say, "good_coins_mean", "amount", "guild", order, rank=ALL):
        sold = say.share("sold_share", rank=ALL, **every)
        statements.append(f"{sold} of goods are sold later; a good brings, in coins, 0 if it never is: {goods}.")
    if placed := _each(say, "placed_share", "share", "rank", ("1", "2", "3"), "by rank {} in", **every):
        statements.append(f"At a guild a member is placed {placed} of turns.")
    return statements


def _city(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    spaces = {row.place for row in say.rows("round_mean")}
    statements = []
    for figure, unit, words in (
        ("taken_share", "share", "the spaces taken most often are {}; least often {}"),
        ("points_mean", "amount", "a member earns most points on {}; fewest on {}; tasks left out"),
    ):
        rows = sorted((row for row in say.rows(figure) if row.place in spaces), key=lambda row: -row.value)
        if len(rows) > 1:
            ends = [rows[:_MANY], rows[: -_MANY - 1 : -1]]
            most, least = (listed([f"{row.place} ({quote(row, unit)})" for row in end]) for end in ends)  # type: ignore[arg-type]
            statements.append(f"{say.who} {words.format(most, least)}.")
    return [
        *statements,
        "The guilds and prices of the spaces and the chapel sites are reconstructed: this says nothing of the printed city.",
    ]


def _tasks(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    whole = {"task": ALL, **_WHOLE}
    statements = [
        f"{say.who} {say.share('kept_share', **whole)} of the tasks dealt are kept and "
        f"{say.share('fulfilled_share', **whole)} of those fulfilled; a task kept brings "
        f"{say.amount('worth_mean', **whole)} points, points lost taken off."
    ]
    printed, names = {task["id"]: task["points"] for task in data.get("tasks", [])}, task_names(data)
    rows = [row for row in say.rows("fair_less_printed", by=ALL) if row.task in printed]
    certain = zip(rows, surely_not(rows, 0.0), strict=True)
    sure = sorted(
        (row for row, sure in certain if sure and abs(row.value) >= _MIN_POINTS), key=lambda row: -abs(row.value)
    )
    for sign, words in ((-1, "more"), (1, "less")):
        found = [row.task for row in sure if sign * row.value > 0]
        if found:
            said = [
                f"{names[one]} ({printed[one]} points; proposed: {say.amount('fair_points', task=one, **_WHOLE)})"
                for one in found
            ]
            statements.append(f"Worth {words} than their points: {_first(said)}.")
    if rows and not sure:
        statements.append("No task is shown to be worth more or less than its points.")
    rows = pick(say.table, figure="fair_points", players=say.players, by=ALL)
    unpriced = rows[rows["value"].isna() & rows["task"].isin(list(printed))]
    known = unpriced["n"] >= MIN_EVENTS
    paying, seldom = ([names[task] for task in unpriced[side]["task"]] for side in (known, ~known))
    if paying:
        statements.append(
            f"Worth more than the mean task even at 0 points, so that none are proposed: {_first(paying)}."
        )
    if seldom:
        statements.append(
            f"{len(seldom)} of {len(printed)} tasks are kept and fulfilled too seldom to say what they should be worth: "
            f"{_first(seldom)}."
        )
    return [
        *statements,
        "The points of all tasks, and what some of them ask for, are reconstructed; what a task is worth depends on how "
        "well it is played.",
    ]


def _buildings(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    if paid := _each(say, "points_mean", "amount", "thing", [edifice["id"] for edifice in data.get("edifices", [])]):
        own = say.share("own_share", thing=ALL)
        statements.append(f"{say.who} edifices pay, in points: {paid}; {own} of that goes to the builder.")
    if chapel := say.row("points_mean", thing="chapel"):
        built, own = (say.share(figure, thing="chapel") for figure in ("built_share", "own_share"))
        statements.append(
            f"A chapel is built in {built} of rounds and pays {quote(chapel, 'amount')} points, {own} of that to its builder."
        )
    return statements


SENTENCES = {
    "balance": _balance, "auctions": _auctions, "council": _council, "guilds": _guilds, "city": _city, "tasks": _tasks,
    "buildings": _buildings,
}  # fmt: skip

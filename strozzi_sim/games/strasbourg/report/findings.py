"""What a Strasbourg study found, in sentences computed from its tables.

Sentences speak of the first variant and line-up, and of one player count, the one that the captions quote too.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from strozzi_sim.facts.pictures import Unit
from strozzi_sim.games.pages import ALL
from strozzi_sim.games.reporting import Narrator, in_words, listed, quote
from strozzi_sim.games.strasbourg.fact_tables import SOURCES
from strozzi_sim.games.verdicts import surely_not

_WHOLE = {"by": ALL, "level": ALL}
_MIN_POINTS = 0.5  # of a task; less is not told
_MANY = 4  # tasks or spaces that a sentence names


def _each(say: Narrator, figure: str, unit: Unit, key: str, levels: Iterable[str], **where: Any) -> str:
    """The figure of each level that has one: "smith 3.1 ± 0.1, vintner 2.8 ± 0.1 and baker 1.9 ± 0.1"."""
    rows = [(level, say.row(figure, **{key: level}, **where)) for level in levels]
    return listed([f"{level} {quote(row, unit)}" for level, row in rows if row])


def _balance(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    scores, winners, margins = (say.ends(name, "amount") for name in ("score_mean", "winner_score_mean", "margin_mean"))
    for (players, score), (_, winner), (_, margin) in zip(scores, winners, margins, strict=False):
        statements.append(
            f"At {players} players a player ends with {score} points and the winner with {winner}, {margin} ahead of "
            "the second."
        )
    sources = {source: [say.row(f"{who}points_{source}_mean") for who in ("", "winner_")] for source in SOURCES}
    if all(all(rows) for rows in sources.values()):
        ahead = {source: winner.value - mean.value for source, (mean, winner) in sources.items()}
        most = sorted(ahead, key=lambda source: -ahead[source])[:2]
        said = [
            f"{in_words(ahead[one], 'amount')} more from {one} ({quote(sources[one][1], 'amount')})" for one in most
        ]
        statements.append(f"{say.who} the winner is ahead of the mean player above all by {listed(said)}.")
    rounds = range(1, len(data.get("round_cards", [])) + 1)
    starts = [f"{say.share(name)} in round {k}" for k in rounds if say.row(name := f"start_{k}_wins_share")]
    if starts:
        statements.append(f"Whoever starts a round goes on to win the game: {listed(starts)}; {say.equal}")
    statements.append(
        f"{say.share('influence_bid_share')} of the influence drawn is bid; the rest lies in stacks that nobody sees. "
        f"A player gets {say.number('privileges_gained_mean')} privileges and pays {say.number('waited_mean')} of them "
        "to wait."
    )
    return statements


def _auctions(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements, whole = [], {"step": ALL}
    if ends := say.extremes("winning_bid_mean", by=ALL):
        cheap, dear = (f"{end.step} with {quote(end, 'number')}" for end in ends)
        statements.append(
            f"{say.who} the dearest auction is won in {dear} influence on average, the cheapest in {cheap}."
        )
    bids = say.rows("acts_share", by="bid", **whole)
    if enough := next((row for row in bids if row.value >= 0.5), None):
        highest = say.share("won_share", by="bid", level=enough.level, **whole)
        statements.append(
            f"The smallest bid that lets its player act half of the time is {enough.level} ({quote(enough, 'share')}); it "
            f"wins {highest} of auctions."
        )
    laps = say.rows("won_share", by="lap", **whole)
    if len(laps) > 1:
        first, last = (quote(laps[k], "share") for k in (0, -1))
        statements.append(f"Of the starting player's bids {first} are the highest, of those of the last seat {last}.")
    if say.row("won_share", by="waited", level="yes", **whole):
        later, turn = (say.share("won_share", by="waited", level=level, **whole) for level in ("yes", "no"))
        statements.append(f"A bid laid after waiting is the highest in {later} of cases, one laid in turn in {turn}.")
    return statements


def _council(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    for figure, unit, words in (
        ("points_mean", "amount", "the seat that pays most points in a game is {} and the one that pays least {}"),
        ("changed_share", "share", "members are new in a council phase most often on the seat {}, least on {}"),
    ):
        rows = sorted((row for row in say.rows(figure, by=ALL) if row.chair != ALL), key=lambda row: -row.value)
        if len(rows) > 1:
            most, least = (f"{row.chair} ({quote(row, unit)})" for row in (rows[0], rows[-1]))  # type: ignore[arg-type]
            statements.append(f"{say.who} {words.format(most, least)}.")
    return statements


def _guilds(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    order, every = data.get("guilds", {}).get("order", []), {"guild": ALL}
    statements = []
    if points := _each(say, "points_mean", "amount", "guild", order, rank=ALL):
        statements.append(f"{say.who} a member in the city earns, in points: {points}.")
    if goods := _each(say, "good_coins_mean", "amount", "guild", order, rank=ALL):
        sold = say.share("sold_share", rank=ALL, **every)
        statements.append(f"{sold} of goods are sold; one brings, in coins, those never sold included: {goods}.")
    if placed := _each(say, "placed_share", "share", "rank", ("1", "2", "3"), **every):
        statements.append(f"Turns at a guild that place a member, by rank: {placed}.")
    return statements


def _city(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    spaces = {row.place for row in say.rows("round_mean")}
    statements = []
    for figure, unit, words in (
        ("taken_share", "share", "the spaces most often taken are {}, least often {}"),
        ("points_mean", "amount", "a member earns most points on {}, least on {}, tasks not counted"),
    ):
        rows = sorted((row for row in say.rows(figure) if row.place in spaces), key=lambda row: -row.value)
        if len(rows) > 1:
            ends = [rows[:_MANY], rows[: -_MANY - 1 : -1]]
            most, least = (listed([f"{row.place} ({quote(row, unit)})" for row in end]) for end in ends)  # type: ignore[arg-type]
            statements.append(f"{say.who} {words.format(most, least)}.")
    return [
        *statements,
        "Guilds and prices of the spaces and the chapel sites are reconstructed: this tells nothing of the printed city.",
    ]


def _tasks(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    whole = {"task": ALL, **_WHOLE}
    statements = [
        f"{say.who} {say.share('kept_share', **whole)} of the tasks dealt are kept and "
        f"{say.share('fulfilled_share', **whole)} of those fulfilled; keeping one is worth "
        f"{say.amount('worth_mean', **whole)} points."
    ]
    printed = {task["id"]: task["points"] for task in data.get("tasks", [])}
    rows = [row for row in say.rows("fair_less_printed", by=ALL) if row.task in printed]
    certain = zip(rows, surely_not(rows, 0.0), strict=True)
    sure = sorted(
        (row for row, sure in certain if sure and abs(row.value) >= _MIN_POINTS), key=lambda row: -abs(row.value)
    )
    for sign, words in ((-1, "more"), (1, "less")):
        found = [row.task for row in sure if sign * row.value > 0]
        if found:
            said = [
                f"{one} (has {printed[one]}, proposed {say.amount('fair_points', task=one, **_WHOLE)})" for one in found
            ]
            rest = [f"{len(found) - _MANY} others"] if len(found) > _MANY else []
            statements.append(f"Worth {words} than their points are {listed(said[:_MANY] + rest)}.")
    if rows and not sure:
        statements.append("No task is shown to be worth more or less than its points.")
    if seldom := sum(not say.row("fair_points", task=task, **_WHOLE) for task in printed):
        statements.append(
            f"{seldom} of {len(printed)} tasks are fulfilled too seldom to say what they should be worth."
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
        statements.append(f"{say.who} edifices that are built pay, in points: {paid}; {own} of that to the builder.")
    if chapel := say.row("points_mean", thing="chapel"):
        built, own = (say.share(figure, thing="chapel") for figure in ("built_share", "own_share"))
        statements.append(
            f"A chapel is built in {built} of rounds; it pays {quote(chapel, 'amount')} points, {own} of them to its builder."
        )
    return statements


SENTENCES = {
    "balance": _balance, "auctions": _auctions, "council": _council, "guilds": _guilds, "city": _city, "tasks": _tasks,
    "buildings": _buildings,
}  # fmt: skip

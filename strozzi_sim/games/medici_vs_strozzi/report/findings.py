"""Sentences of a Medici vs Strozzi report, computed from its tables.

Sentences are about the first variant and line-up, if they do not name other games.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from strozzi_sim.game.missed import missed
from strozzi_sim.game.pages import ALL
from strozzi_sim.game.reporting import Narrator, format_estimate, format_row, format_value, listed
from strozzi_sim.game.significance import MIN_COINS, MIN_SHARE, contrast, differs_significantly
from strozzi_sim.games.medici_vs_strozzi.report.tables import ESTIMATED, ROLES, SOURCES
from strozzi_sim.games.medici_vs_strozzi.state import PLAYER_NAMES

_COUNTED = ("no", "one", "two", "three", "four", "five", "six")
_SOURCE_WORDS = {"harbors": "harbors", "monopolies": "monopolies", "bonus": "bonus spaces"}


def _rounds_of(data: Mapping[str, Any]) -> list[str]:
    return [str(number) for number in range(1, data.get("rounds", {}).get("count", 0) + 1)]


def _rows(say: Narrator, figure: str, key: str, levels: Iterable[str], **where: Any) -> list[tuple[str, Any]]:
    """Return the rows with a value of the levels of a key."""
    found = [(level, say.row(figure, **{key: level}, **where)) for level in levels]
    return [(level, row) for level, row in found if row]


def _other_cells(say: Narrator) -> list[str]:
    """Return the seat in the other variants and line-ups, one sentence each."""
    return [
        cell.named(
            f"Medici wins {cell.share('medici_win_share')} of games, with a mean margin of {cell.amount('medici_margin_mean')} "
            f"coins; the winner is {cell.amount('margin_mean')} coins ahead."
        )
        for cell in say.elsewhere
        if cell.row("medici_win_share")
    ]


def _seat(say: Narrator, data: Mapping[str, Any]) -> str:
    """Return a sentence about the worth of Medici's side."""
    share = say.row("medici_win_share")
    if share is None:
        return "There are too few games to say whether it matters who is Medici."
    ahead = say.amount("medici_margin_mean")
    starts: dict[str, list[str]] = {name: [] for name in PLAYER_NAMES}
    for number, name in enumerate(data.get("rounds", {}).get("starter", []), 1):
        starts[name].append(str(number))
    who = "; ".join(
        f"{name} starts {'rounds' if len(own) > 1 else 'round'} {listed(own)}" for name, own in starts.items() if own
    )
    return (
        f"Medici wins {format_estimate(share, 'share')} of games, a tie counted as half, with a mean margin of {ahead} coins"
        f"{f' ({who})' if who else ''}."
    )


def _balance(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = [_seat(say, data)]
    statements.append(
        f"A player ends with {say.amount('score_mean')} coins, the winner with {say.amount('winner_score_mean')} and the "
        f"loser with {say.amount('loser_score_mean')}; {say.share('tie_share')} of games are ties."
    )
    for who in ("winner", "loser"):
        earned = [f"{say.amount(f'{who}_coins_{name}_mean')} from {_SOURCE_WORDS[name]}" for name in SOURCES]
        statements.append(f"The {who} earns {listed(earned)}, and pays {say.amount(f'{who}_paid_mean')} for lots.")
    said = [
        f"{say.share(figure)} after round {number}"
        for number in _rounds_of(data)[:-1]
        if say.row(figure := f"leader_{number}_wins_share")
    ]
    if said:
        statements.append(f"the leader later wins {listed(said)}; {say.equal}")
    statements.append(
        f"A round takes {say.number('lots_mean')} lots and {say.number('tiles_mean')} tiles, "
        f"{say.number('tiles_per_lot')} per lot; {say.share('full_fleet_share')} of rounds end with a full fleet, the "
        f"others with an empty bag. A player loads {say.number('loaded_mean')} tiles{_of_room(data)}."
    )
    statements.append(
        f"{say.share('below_zero_share')} of players owe the bank at some time, "
        f"{say.share('below_zero_at_end_share')} at the end."
    )
    cap = say.row("price_cap_share")
    if cap and cap.value > 0:
        statements.append(
            f"The highest price that an agent can name is named for {format_estimate(cap, 'share')} of lots."
        )
    return [*statements, *_other_cells(say)]


def _of_room(data: Mapping[str, Any]) -> str:
    room = sum(data.get("ships", {}).get("capacities", []))
    return f" a round, of the {room} that their ships hold" if room else " a round"


def _prices(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    whole = {"tiles": ALL, "by": ALL}
    rows = _rows(say, "price_mean", "tiles", map(str, range(1, len(_COUNTED))), by=ALL)
    if rows:
        costs = [
            f"{_COUNTED[int(size)]} {'tile' if size == '1' else 'tiles'} {format_estimate(row, 'amount')}"
            for size, row in rows
        ]
        median, high = (say.row(figure, **whole) for figure in ("price_q50", "price_q95"))
        spread = ""
        if median and high:
            spread = (
                f"; half of all lots cost less than {format_row(median, 'count')}, one in 20 more than "
                f"{format_row(high, 'count')}"
            )
        statements.append(f"mean prices in coins are: {listed(costs)}{spread}.")
    rounds = _rows(say, "price_mean", "level", _rounds_of(data), tiles=ALL, by="round")
    if rounds:
        said = listed([f"{format_estimate(row, 'amount')} in round {name}" for name, row in rounds])
        statements.append(f"A lot costs {said}.")
    if bought := say.row("responder_share", **whole):
        statements.append(
            f"The responder buys {format_estimate(bought, 'share')} of lots, the proposer keeps the others."
        )
    gap, miss = (say.row(figure, **whole) for figure in ("price_minus_fair_mean", "miss_mean"))
    if gap and miss:
        statements.append(
            f"On average prices are {_beside_fair(gap)}; a single price differs from it by {format_estimate(miss, 'amount')} coins, up or down. "
            f"{ESTIMATED} Agents that use this estimate show that they follow it, not that it is right."
        )
    return statements + _over_and_underpriced(say)


def _beside_fair(gap: Any) -> str:
    """Return the difference of mean prices from the estimated fair price; "near" only if that is significant."""
    if np.isnan(gap.low):
        return f"{_above_or_below(gap.value)} the estimated fair price, in too few games to say how certain that is"
    if gap.low > -MIN_COINS and gap.high < MIN_COINS:
        return f"within half a coin of the estimated fair price ({format_estimate(gap, 'amount')})"
    if gap.low > 0 or gap.high < 0:
        return f"{_quote_size(gap)} coins {'above' if gap.value >= 0 else 'below'} the estimated fair price"
    return (
        f"somewhere from {_above_or_below(gap.low)} to {_above_or_below(gap.high)} the estimated fair price, which is too "
        "wide to say on which side"
    )


def _quote_size(gap: Any) -> str:
    """Return a difference without its sign."""
    return format_estimate(
        gap if gap.value >= 0 else gap._replace(value=-gap.value, low=-gap.high, high=-gap.low), "amount"
    )


def _above_or_below(coins: float) -> str:
    return f"{format_value(abs(coins), 'amount')} coins {'above' if coins >= 0 else 'below'}"


def _over_and_underpriced(say: Narrator) -> list[str]:
    """Return a sentence about the buyers of lots priced far too low or too high, if there are any."""
    rows = say.rows("responder_share", tiles=ALL, by="gap")
    if len(rows) < 2:
        return []
    starts = [(int(row.level.strip("<+")), row) for row in rows]
    underpriced = [row for start, row in starts if row.level.startswith("<") or start < -1]
    overpriced = [row for start, row in starts if start >= 1]
    said = []
    if underpriced:
        said.append(f"{format_estimate(underpriced[0], 'share')} of the lots with the lowest price for their worth")
    if overpriced:
        said.append(f"{format_estimate(overpriced[-1], 'share')} of those with the highest")
    return [f"The responder buys {listed(said)}."] if said else []


def _tiles(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    name_of = {row.tile: "gold" if row.tile == "gold" else f"a {row.tile}" for row in say.table.itertuples(index=False)}
    costs = [f"{name_of[row.tile]} {format_estimate(row, 'amount')}" for row in say.rows("price_mean")]
    if len(costs) > 1:
        statements.append(f"a lot of one tile costs, by the tile's value: {listed(costs)} coins.")
    steps = say.number("steps_mean", tile="0")
    more = []
    rows = say.rows("value_0_price_minus_this_mean")
    for row, significant in zip(rows, differs_significantly(rows, 0.0), strict=True):
        if significant and abs(row.value) >= MIN_COINS:
            more.append(f"{_quote_size(row)} coins {'more' if row.value > 0 else 'less'} than {name_of[row.tile]}")
    if say.row("steps_mean", tile="0"):
        costs_words = f" and costs {listed(more)}" if more else ""
        statements.append(
            f"A value-0 tile adds nothing to its harbor but moves its marker {steps} steps for each one loaded"
            f"{costs_words}. Players choose which lots to show, so the compared tiles were sold in different positions."
        )
    return statements


def _harbors(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    statements = []
    tracks = {harbor["id"]: len(harbor["tracks"]) for harbor in data.get("harbor", [])}
    pays = _rows(say, "coins_mean", "harbor", tracks, by=ALL)
    if pays:
        said = listed(
            [f"{format_estimate(row, 'amount')} at {name} with its {tracks[name]} tracks" for name, row in pays]
        )
        statements.append(f"a player earns {said}.")
    whole = {"harbor": ALL, "by": ALL}
    statements.append(
        f"{say.share('tie_of_contested_share', **whole)} of the harbors where both have a ship are tied; at "
        f"{say.share('unopposed_share', **whole)} of all harbors a lone ship is paid."
    )
    ships = map(str, data.get("ships", {}).get("capacities", []))
    wins = _rows(say, "won_share", "level", ships, harbor=ALL, by="ship")
    if wins:
        said = listed([f"the ship for {ship} in {format_estimate(row, 'share')}" for ship, row in wins])
        statements.append(
            f"Of the rounds in which a ship is moored, it wins its harbor: {said}. It then carries a total face value of "
            f"{say.number('load_mean', **whole)}."
        )
    loads = say.rows("won_share", harbor=ALL, by="load")
    significant = differs_significantly(loads, 0.5, share=True)
    first = next((row for k, row in enumerate(loads) if significant[k] and row.value >= 0.5 + MIN_SHARE), None)
    if first:
        statements.append(
            f"Of the loads that certainly win more often than not, the smallest is {first.level}: it wins {format_estimate(first, 'share')}."
        )
    return statements


def _monopolies(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    rows = {name: {"track": ALL, "by": "round", "level": name} for name in _rounds_of(data)}
    places = [
        f"after round {name}, {say.share('off_centre_share', **where)} of the markers are off the centre and "
        f"{say.share('bonus_share', **where)} on a bonus space"
        for name, where in rows.items()
    ]
    swapped = [f"{say.share('swapped_share', **where)} in round {name}" for name, where in rows.items() if name != "1"]
    coins = [f"{say.amount('coins_mean', **where)} coins in round {name}" for name, where in rows.items()]
    statements = []
    if places:
        statements.append(f"{'; '.join(places).capitalize()}.")
        statements.append(f"A marker pays {listed(coins)}.")
    if swapped:
        statements.append(f"Markers that change sides: {listed(swapped)}.")
    whole = {"track": ALL, "by": ALL}
    statements.append(
        f"Of all steps made on tracks {say.share('effective_share', **whole)} move a marker; the others cancel out or "
        "would go beyond the end."
    )
    ends = say.rows("win_share", track=ALL, by="held")
    if len(ends) > 1:
        few, many = ends[0], ends[-1]
        statements.append(
            f"A player who ends with {few.level} {'marker' if few.level == '1' else 'markers'} on their side wins "
            f"{format_estimate(few, 'share')} of games, with {many.level} {format_estimate(many, 'share')}."
        )
    half = data.get("tracks", {}).get("half_length")
    if half:
        statements.append(
            f"The length of the tracks, here {half} spaces per side, and the places of the bonus spaces are reconstructed."
        )
    return statements


def _rounds(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    return [
        f"Round {name} brings a player {format_estimate(row, 'amount')} coins and costs them {say.amount('paid_mean', round=name)}; it "
        f"takes {say.number('lots_mean', round=name)} lots, and in {say.share('full_fleet_share', round=name)} of games it "
        "ends with a full fleet."
        for name, row in _rows(say, "payout_mean", "round", _rounds_of(data))
    ]


def _discards(say: Narrator, data: Mapping[str, Any]) -> list[str]:
    whole = say.row("discard_share", by=ALL)
    if whole is None or whole.value == 0:
        return ["No lot was discarded."] if whole else []
    keeps, buys = (say.share("discard_share", by="buyer", level=role) for role in ROLES)
    statements = [
        f"{format_estimate(whole, 'share')} of lots are discarded, {say.number('discards_mean', by=ALL)} per game; "
        f"{say.share('forced_share', by=ALL)} of them for want of room, the others by choice.",
        f"The proposer discards {keeps} of the lots that they keep, the responder {buys} of those that they buy.",
    ]
    denied = say.row("share", by="why", level="denied")
    price = say.row("price_mean", by="why", level="denied")
    if denied and price:
        statements.append(
            f"{format_estimate(denied, 'share')} of the discards keep from the rival what the rival had room for, at "
            f"{format_estimate(price, 'amount')} coins."
        )
    return statements


SENTENCES = {
    "balance": _balance, "prices": _prices, "tiles": _tiles, "harbors": _harbors, "monopolies": _monopolies,
    "rounds": _rounds, "discards": _discards,
}  # fmt: skip


def _title_of_balance(say: Narrator) -> str:
    share = say.row("medici_win_share")
    if share is None or np.isnan(share.low):
        return ""
    if share.low <= 0.5 <= share.high or abs(share.value - 0.5) < MIN_SHARE:
        size = missed(max(share.high - 0.5, 0.5 - share.low), what="a gain")
        return f"Neither family is known to win more than the other: {size}."
    return f"{PLAYER_NAMES[0 if share.value > 0.5 else 1].capitalize()} wins more: Medici has {format_row(share, 'share')} of games."


def _title_of_prices(say: Narrator) -> str:
    rows = _rows(say, "price_mean", "tiles", map(str, range(1, len(_COUNTED))), by=ALL)
    costs = [f"{_COUNTED[int(size)]} {format_row(row, 'amount')}" for size, row in rows[:3]]
    return (
        f"A lot of one tile costs {costs[0].split(' ')[1]} coins{f'; of {listed(costs[1:])}' if costs[1:] else ''}."
        if costs
        else ""
    )


def _title_of_tiles(say: Narrator) -> str:
    def phrase(rows: list[Any], word: str) -> str:
        tiles = listed(["gold" if row.tile == "gold" else f"a {row.tile}" for row in rows], "or")
        return f"the {word} {tiles} for {format_row(rows[0], 'amount')}"

    words, whole = ("cheapest", "most expensive tile is"), "Alone in its lot, {1} coins, {0}."
    return contrast(say.rows("price_mean"), "tile", words, phrase, whole)


def _title_of_harbors(say: Narrator) -> str:
    rows = say.rows("won_share", harbor=ALL, by="ship")
    rows = [row for row in rows if row.level != ALL]
    if len(rows) < 2:
        return ""
    best = max(rows, key=lambda row: float(row.value))
    return f"The ship for {best.level} tiles wins its harbor in {format_row(best, 'share')} of the rounds in which it is moored."


def _title_of_monopolies(say: Narrator) -> str:
    rows = _rows(say, "coins_mean", "level", _rounds_of(say.data), track=ALL, by="round")
    if len(rows) < 2:
        return ""
    (first, low), (last, high) = rows[0], rows[-1]
    return f"A marker pays {format_row(low, 'amount')} coins in round {first} and {format_row(high, 'amount')} in round {last}."


def _title_of_rounds(say: Narrator) -> str:
    rows = _rows(say, "payout_mean", "round", _rounds_of(say.data))  # the table has a row of all rounds too
    if len(rows) < 2:
        return ""
    (first, low), (last, high) = rows[0], rows[-1]
    return (
        f"Round {first} brings a player {format_row(low, 'amount')} coins, round {last} {format_row(high, 'amount')}."
    )


def _title_of_discards(say: Narrator) -> str:
    whole = say.row("discard_share", by=ALL)
    return (
        f"{format_row(whole, 'share')} of lots are thrown away."
        if whole and whole.value > 0
        else "No lot is thrown away."
    )


TITLES = {
    "balance": _title_of_balance, "prices": _title_of_prices, "tiles": _title_of_tiles, "harbors": _title_of_harbors,
    "monopolies": _title_of_monopolies, "rounds": _title_of_rounds, "discards": _title_of_discards,
}  # fmt: skip

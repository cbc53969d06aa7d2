"""The tables of a Medici vs Strozzi report that come from scoring: balance, rounds, harbors, monopolies.

Axes: C chunks, R rounds, H harbors. `stats` is strozzi_sim.stats, handed in.
"""

from typing import Any

import numpy as np

from strozzi_sim.games.medici_vs_strozzi import tallies as at
from strozzi_sim.games.medici_vs_strozzi.report.tables import Array, totals
from strozzi_sim.games.medici_vs_strozzi.state import MAX_HALF_LENGTH, MAX_SHIPS, MEDICI, SEATS
from strozzi_sim.games.pages import ALL, QUANTILES, add_quantiles
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.kernel.wins import WIN_UNITS

SOURCES = {"harbors": at.HARBORS, "monopolies": at.MONOPOLIES, "bonus": at.BONUS}
OUTCOMES = {
    "decided_share": at.DECIDED, "tie_share": at.TIE, "unopposed_share": at.LONE, "unopposed_unpaid_share": at.LONE_UNPAID,
    "empty_share": at.EMPTY,
}  # fmt: skip
NO_RIVAL = "none"


def round_count(cell: Any) -> int:
    """Rounds of a game."""
    return int(cell.components["rounds"]["count"])


def round_names(cell: Any) -> list[str]:
    """The rounds as tables write them, from 1."""
    return [str(1 + round_) for round_ in range(round_count(cell))]


def with_total(counts: Array, axis: int) -> Array:
    """The counts with one more level along an axis: all together."""
    return np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)


def add_balance(table: FigureTable, cell: Any, stats: Any) -> None:
    """Scores, margins, ties, leaders, how rounds go, credit, and where the coins come from."""
    t, deals, games = cell.tallies, cell.deals, cell.tallies["games"]
    everyone, rounds = games * SEATS, t["round"].sum(axis=1)
    start = cell.components["money"]["start_cash"]
    quantiles = stats.quantiles(t["score"], tuple(QUANTILES.values()), deals=deals, open_below=True)
    add_quantiles(table, cell, tuple(QUANTILES), quantiles.minus(at.LOWEST - start))
    gains = t["income"][..., : at.PAID].sum(axis=(1, 2, 3)) - t["income"][..., at.PAID].sum(axis=(1, 2))
    table.add(cell, "score_mean", stats.ratio(t["start_cash"] + gains, everyone))
    decided = games - t["ties"]
    for k, name in enumerate(("winner", "loser")):
        own = t["decided_income"][:, :, k].sum(axis=1)  # [C, HARBORS..PAID]
        own_gains = own[:, : at.PAID].sum(axis=1) - own[:, at.PAID]
        table.add(cell, f"{name}_score_mean", stats.ratio(own_gains + start * decided, decided))
        for source, part in SOURCES.items():
            table.add(cell, f"{name}_coins_{source}_mean", stats.ratio(own[:, part], decided))
        table.add(cell, f"{name}_paid_mean", stats.ratio(own[:, at.PAID], decided))
    all_income = t["income"].sum(axis=(1, 2))
    for source, part in SOURCES.items():
        table.add(cell, f"coins_{source}_mean", stats.ratio(all_income[:, part], everyone))
    table.add(cell, "paid_mean", stats.ratio(all_income[:, at.PAID], everyone))
    table.add(cell, "margin_mean", stats.ratio(t["margin"], games))
    medici = cell.outcome["wins"].sum(axis=1)[:, MEDICI]
    table.add(cell, "medici_win_share", stats.ratio(medici, games, unit=WIN_UNITS, n_deals=deals))
    table.add(cell, "medici_margin_mean", stats.ratio(t["medici_margin"], games))
    table.add(cell, "tie_share", stats.ratio(t["ties"], games, n_deals=deals))
    table.add(cell, "lead_changes_mean", stats.ratio(t["lead_changes"], games))
    for round_ in range(round_count(cell) - 1):
        leader = t["leader"][:, round_]
        share = stats.ratio(leader[:, 1], leader[:, 0], unit=WIN_UNITS, n_deals=deals)
        table.add(cell, f"leader_{round_ + 1}_wins_share", share)
    table.add(cell, "lots_mean", stats.ratio(rounds[:, at.ROUND_LOTS], rounds[:, at.ROUNDS]))
    table.add(cell, "tiles_mean", stats.ratio(rounds[:, at.ROUND_TILES], rounds[:, at.ROUNDS]))
    table.add(cell, "tiles_per_lot", stats.ratio(rounds[:, at.ROUND_TILES], rounds[:, at.ROUND_LOTS]))
    table.add(cell, "full_fleet_share", stats.ratio(rounds[:, at.FULL_FLEET], rounds[:, at.ROUNDS], n_deals=deals))
    bag = rounds[:, at.ROUNDS] - rounds[:, at.FULL_FLEET]
    table.add(cell, "empty_bag_share", stats.ratio(bag, rounds[:, at.ROUNDS], n_deals=deals))
    loaded = t["loaded"].sum(axis=1)
    tiles = (loaded * np.arange(loaded.shape[1])).sum(axis=1)
    table.add(cell, "loaded_mean", stats.ratio(tiles, loaded.sum(axis=1)))
    table.add(cell, "below_zero_share", stats.ratio(t["below_zero"][:, 0], everyone, n_deals=deals))
    table.add(cell, "below_zero_at_end_share", stats.ratio(t["below_zero"][:, 1], everyone, n_deals=deals))
    table.add(cell, "price_cap_share", stats.ratio(t["capped"], rounds[:, at.ROUND_LOTS], n_deals=deals))


def add_rounds(table: FigureTable, cell: Any, stats: Any) -> None:
    """How each round goes and ends, and what it brings and costs a player, the winner and the loser."""
    t, deals, count = cell.tallies, cell.deals, round_count(cell)
    where: dict[str, Any] = {"round": [*round_names(cell), ALL]}
    rounds = with_total(t["round"][:, :count], 1)
    played, lots = rounds[..., at.ROUNDS], rounds[..., at.ROUND_LOTS]
    loaded = with_total(t["loaded"][:, :count], 1)
    players = loaded.sum(axis=2)
    tiles = (loaded * np.arange(loaded.shape[2])).sum(axis=2)
    ships = cell.components["ships"]["capacities"]
    prices = with_total(t["lot"][:, 0, :count].sum(axis=2), 1)
    figures = {
        "lots_mean": stats.ratio(lots, played),
        "tiles_mean": stats.ratio(rounds[..., at.ROUND_TILES], played),
        "tiles_per_lot": stats.ratio(rounds[..., at.ROUND_TILES], lots),
        "price_mean": stats.ratio(prices[..., at.PRICE], prices[..., at.LOTS]),
        "full_fleet_share": stats.ratio(rounds[..., at.FULL_FLEET], played, n_deals=deals),
        "empty_bag_share": stats.ratio(played - rounds[..., at.FULL_FLEET], played, n_deals=deals),
        "left_mean": stats.ratio(rounds[..., at.LEFT], played),
        "loaded_mean": stats.ratio(tiles, players),
        "full_ships_share": stats.ratio(loaded[..., sum(ships)], players, n_deals=deals),
    }
    table.add_all(cell, figures, **where)
    everyone = with_total(t["income"][:, :count].sum(axis=2), 1)
    _add_income(table, cell, stats, "", everyone, players)
    decided = np.broadcast_to((t["games"] - t["ties"])[:, None], (len(t), count))
    games = with_total(decided, 1)
    for k, name in enumerate(("winner", "loser")):
        _add_income(table, cell, stats, f"{name}_", with_total(t["decided_income"][:, :count, k], 1), games)


def _add_income(table: FigureTable, cell: Any, stats: Any, who: str, coins: Array, count: Array) -> None:
    """Coins int64[C, R + 1, HARBORS..PAID] of this number of player-rounds, by source."""
    where: dict[str, Any] = {"round": [*round_names(cell), ALL]}
    for source, part in SOURCES.items():
        table.add(cell, f"{who}coins_{source}_mean", stats.ratio(coins[..., part], count), **where)
    payout = coins[..., : at.PAID].sum(axis=2)
    table.add(cell, f"{who}payout_mean", stats.ratio(payout, count), **where)
    table.add(cell, f"{who}paid_mean", stats.ratio(coins[..., at.PAID], count), **where)
    table.add(cell, f"{who}gain_mean", stats.ratio(payout - coins[..., at.PAID], count), **where)


def harbor_names(cell: Any) -> list[str]:
    """The harbors' ids."""
    return [harbor["id"] for harbor in cell.components["harbor"]]


def ship_names(cell: Any) -> list[str]:
    """The ships, by their capacity."""
    return [str(capacity) for capacity in cell.components["ships"]["capacities"]]


def berths(cell: Any) -> Array:
    """Sums over moored ships, int64[C, H + 1, ships + 1, MOORED..], all together last."""
    own = cell.tallies["berth"][:, : len(harbor_names(cell)), : len(ship_names(cell))]
    return with_total(with_total(own, 1), 2)


def ship_figures(counts: Array, deals: int, stats: Any) -> dict[str, Any]:
    """What moored ships came to, of sums [C, ..., MOORED..]."""
    moored = counts[..., at.MOORED]
    return {
        "load_mean": stats.ratio(counts[..., at.LOAD], moored),
        "tiles_mean": stats.ratio(counts[..., at.TILES], moored),
        "full_share": stats.ratio(counts[..., at.FULL], moored, n_deals=deals),
        "won_share": stats.ratio(counts[..., at.MAJORITY], moored, n_deals=deals),
        "tied_share": stats.ratio(counts[..., at.TIED], moored, n_deals=deals),
        "alone_share": stats.ratio(counts[..., at.UNOPPOSED], moored, n_deals=deals),
        "alone_won_share": stats.ratio(counts[..., at.UNOPPOSED_PAID], counts[..., at.UNOPPOSED], n_deals=deals),
        "win_share": stats.ratio(counts[..., at.SHIP_WON], moored, unit=WIN_UNITS, n_deals=deals),
    }


def load_counts(cell: Any) -> tuple[list[str], Array]:
    """The totals that ships can have, and the sums int64[C, H + 1, L, count paid tied]."""
    counts = with_total(cell.tallies["load"][:, : len(harbor_names(cell))], 1)
    tiles, room = cell.components["tiles"], max(cell.components["ships"]["capacities"])
    every = len(cell.components["type"]) * tiles["values_per_type"] + tiles["gold_count"] * [tiles["gold_value"]]
    keep = sorted({min(total, at.LOADS - 1) for total in totals(every, range(room + 1))})
    return [f"{level}+" if level == at.LOADS - 1 else str(level) for level in keep], counts[:, :, keep]


def duel_counts(cell: Any) -> tuple[list[str], list[str], Array]:
    """Own ships, the rival's or none, and the sums int64[C, own, rival, count paid tied]."""
    own = ship_names(cell)
    rivals = [*range(len(own)), MAX_SHIPS]
    return own, [*own, NO_RIVAL], cell.tallies["duel"][:, : len(own)][:, :, rivals]


def add_harbors(table: FigureTable, cell: Any, stats: Any) -> None:
    """Who is paid for a harbor, with which ship and load, how often nobody is, and what each harbor pays."""
    t, deals, count = cell.tallies, cell.deals, round_count(cell)
    names = [*harbor_names(cell), ALL]
    ends = with_total(t["harbor"][:, : len(names) - 1, :count], 1)  # [C, H + 1, R, DECIDED..]
    coins = with_total(t["harbor_coins"][:, : len(names) - 1, :count], 1)
    for breakdown, levels, outcomes, sums, rounds in (
        (ALL, [ALL], ends.sum(axis=2, keepdims=True), coins.sum(axis=2, keepdims=True), 1),
        ("round", round_names(cell), ends, coins, count),
    ):
        where: dict[str, Any] = {"harbor": names, "by": breakdown, "level": levels}
        scored = outcomes.sum(axis=3)
        for figure, part in OUTCOMES.items():
            table.add(cell, figure, stats.ratio(outcomes[..., part], scored, n_deals=deals), **where)
        both = outcomes[..., at.DECIDED] + outcomes[..., at.TIE]
        table.add(cell, "tie_of_contested_share", stats.ratio(outcomes[..., at.TIE], both, n_deals=deals), **where)
        players = np.broadcast_to((SEATS * t["games"])[:, None, None], (len(t), len(names), rounds))
        for source, part in SOURCES.items():
            table.add(cell, f"coins_{source}_mean", stats.ratio(sums[..., part], players), **where)
        table.add(cell, "coins_mean", stats.ratio(sums.sum(axis=3), players), **where)
    ships = berths(cell)
    table.add_all(cell, ship_figures(ships[:, :, -1:], deals, stats), harbor=names, by=ALL, level=[ALL])
    own = {"harbor": names, "by": "ship", "level": ship_names(cell)}
    table.add_all(cell, ship_figures(ships[:, :, :-1], deals, stats), **own)
    moored = ships[:, :, :-1, at.MOORED]
    rows = np.broadcast_to((SEATS * count * t["games"])[:, None, None], moored.shape)
    table.add(cell, "moored_share", stats.ratio(moored, rows, n_deals=deals), **own)
    levels, loads = load_counts(cell)
    where = {"harbor": names, "by": "load", "level": levels}
    ships_there = loads[..., 0]
    table.add(cell, "share", stats.ratio(ships_there, ships_there.sum(axis=2, keepdims=True), n_deals=deals), **where)
    table.add(cell, "won_share", stats.ratio(loads[..., 1], ships_there, n_deals=deals), **where)
    table.add(cell, "tied_share", stats.ratio(loads[..., 2], ships_there, n_deals=deals), **where)


def track_names(cell: Any) -> tuple[list[tuple[int, int]], list[str]]:
    """(harbor, type) of every track, and its name."""
    types = [kind["key"] for kind in cell.components["type"]]
    tracks = [(h, types.index(kind), f"{harbor['id']}.{kind}")
             for h, harbor in enumerate(cell.components["harbor"]) for kind in harbor["tracks"]]  # fmt: skip
    return [(h, kind) for h, kind, _ in tracks], [name for _, _, name in tracks]


def track_counts(cell: Any) -> tuple[list[str], Array]:
    """The tracks and all together, and the sums int64[C, tracks + 1, R, MARKERS..]."""
    places, names = track_names(cell)
    counts = np.stack([cell.tallies["track"][:, h, kind, : round_count(cell)] for h, kind in places], axis=1)
    return [*names, ALL], with_total(counts, 1)


def track_figures(counts: Array, deals: int, stats: Any) -> dict[str, Any]:
    """Where markers lie and what they pay, of sums [C, ..., MARKERS..]."""
    markers = counts[..., at.MARKERS]
    return {
        "off_centre_share": stats.ratio(counts[..., at.OFF_CENTRE], markers, n_deals=deals),
        "distance_mean": stats.ratio(counts[..., at.DISTANCE], markers),
        "bonus_share": stats.ratio(counts[..., at.ON_BONUS], markers, n_deals=deals),
        "swapped_share": stats.ratio(counts[..., at.SWAPPED], markers, n_deals=deals),
        "coins_mean": stats.ratio(counts[..., at.COINS], markers),
        "steps_mean": stats.ratio(counts[..., at.STEPS_MADE], markers),
        "moved_mean": stats.ratio(counts[..., at.MOVED], markers),
        "effective_share": stats.ratio(
            counts[..., at.MOVED], counts[..., at.STEPS_MADE], n_deals=deals, events=counts[..., at.STEPS_MADE]
        ),
    }


def space_counts(cell: Any) -> tuple[list[str], Array]:
    """The spaces from Strozzi's end to Medici's, and the markers int64[C, R, spaces]."""
    tracks = cell.components["tracks"]
    half = max([tracks["half_length"], *(track["half_length"] for track in tracks["per_track"].values())])
    spaces = np.arange(-half, half + 1)
    counts = cell.tallies["space"][:, : round_count(cell)][..., spaces + MAX_HALF_LENGTH]
    return [str(space) for space in spaces], counts


def add_monopolies(table: FigureTable, cell: Any, stats: Any) -> None:
    """Where the markers lie after each round, what that pays, and who wins with how many of them."""
    deals = cell.deals
    names, counts = track_counts(cell)
    for breakdown, levels, sums in (
        (ALL, [ALL], counts.sum(axis=2, keepdims=True)),
        ("round", round_names(cell), counts),
    ):
        table.add_all(cell, track_figures(sums, deals, stats), track=names, by=breakdown, level=levels)
    spaces, markers = space_counts(cell)
    last = markers[:, -1]
    share = stats.ratio(last, last.sum(axis=1, keepdims=True), n_deals=deals)
    table.add(cell, "share", share, track=ALL, by="space", level=spaces)
    held = cell.tallies["held"][:, round_count(cell) - 1]
    keep = range(len(track_names(cell)[1]) + 1)
    where: dict[str, Any] = {"track": ALL, "by": "held", "level": [str(number) for number in keep]}
    players = held[:, keep, 0]
    table.add(cell, "share", stats.ratio(players, held[..., 0].sum(axis=1, keepdims=True), n_deals=deals), **where)
    table.add(cell, "win_share", stats.ratio(held[:, keep, 1], players, unit=WIN_UNITS, n_deals=deals), **where)

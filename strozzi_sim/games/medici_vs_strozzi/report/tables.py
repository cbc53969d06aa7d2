"""The tables of a Medici vs Strozzi report from its tallies: lots, tiles, discards; the others are in scores.

Axes: C chunks, L levels of what is counted by, K sizes of lots, F the sums LOTS..WON. `stats` is
strozzi_sim.stats, handed in.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from strozzi_sim.games.medici_vs_strozzi import tallies as at
from strozzi_sim.games.medici_vs_strozzi.state import PLAYER_NAMES
from strozzi_sim.games.pages import ALL, add_quantiles
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.kernel.wins import WIN_UNITS

Array = np.ndarray[Any, Any]

FROM_ONE = ("round", "order")  # levels that people count from 1
ROLES = ("proposer", "responder")
WHY = ("no_room", "denied", "unwanted")
PRICE_QUANTILES = {"price_q05": 0.05, "price_q50": 0.5, "price_q95": 0.95}


def level_names(breakdown: str) -> list[str]:
    """The levels of `breakdown` as tables write them; bands of coins by where they begin."""
    if breakdown == "proposer":
        return list(PLAYER_NAMES)
    if breakdown == "room":
        return ["both", "proposer"]
    if breakdown == "gap":
        return [f"<{at.GAPS[0]}", *(str(start) for start in at.GAPS[:-1]), f"{at.GAPS[-1]}+"]
    width = at.PRICE_BAND if breakdown in ("price", "fair") else 1
    first = 1 if breakdown in FROM_ONE else 0
    names = [str(first + width * level) for level in range(at.LEVELS)]
    return [*names[:-1], names[-1] + "+"]


def possible_levels(cell: Any, breakdown: str, occurring: Array) -> list[int]:
    """The levels of `breakdown` that lots can have with these components.

    What estimates of fair prices can be is not known beforehand: their levels go up to the highest one `occurring`.
    """
    tiles, most = cell.components["tiles"], cell.components["rounds"]["reveal_max"]
    values, kinds = tiles["values_per_type"], len(cell.components["type"])
    every = kinds * values + tiles["gold_count"] * [tiles["gold_value"]]
    levels = {
        "round": range(cell.components["rounds"]["count"]),
        "order": range(len(every)),
        "value": totals(every, range(1, most + 1)),
        "zeros": range(min(most, kinds * values.count(0)) + 1),
        "gold": range(min(most, tiles["gold_count"]) + 1),
        "proposer": range(len(PLAYER_NAMES)),
        "room": range(2),
        "price": range(cell.components["price_space"]["action_space_cap"] // at.PRICE_BAND + 1),
        "fair": range(int(occurring.max(initial=-1)) + 1),
        "gap": range(len(at.GAPS) + 1),
    }[breakdown]
    return sorted({min(level, at.LEVELS - 1) for level in levels})


def totals(values: Sequence[int], sizes: Iterable[int]) -> set[int]:
    """What this number of these values can add up to, each of them used once."""
    sums: list[set[int]] = [{0}, *(set() for _ in range(max(sizes, default=0)))]
    for value in values:
        for size in range(len(sums) - 1, 0, -1):
            sums[size] |= {total + value for total in sums[size - 1]}
    return set().union(*(sums[size] for size in sizes))


def lots_by(cell: Any, breakdown: str) -> tuple[list[str], Array]:
    """The levels of `breakdown` that can occur, and the sums int64[C, L, K, F], K up to the largest lot allowed."""
    counts: Array = cell.tallies["lot"][:, at.BY.index(breakdown), :, : cell.components["rounds"]["reveal_max"]]
    keep = possible_levels(cell, breakdown, np.flatnonzero(counts[..., at.LOTS].sum(axis=(0, 2))))
    names = level_names(breakdown)
    return [names[level] for level in keep], counts[:, keep]


def sizes(cell: Any) -> list[str]:
    """The sizes of lots."""
    return [str(1 + size) for size in range(cell.components["rounds"]["reveal_max"])]


def lot_figures(counts: Array, deals: int, stats: Any) -> dict[str, Any]:
    """What lots came to: figure -> estimate of shape [K + 1, L], the last row all sizes together.

    share: of the lots of the size, adds up to 1 over the levels. share_of_level: of the level's lots, adds up to 1 over
    the sizes. Prices less fair ones are in coins; the ratio is that of the means.
    """
    by_size = counts.transpose(0, 2, 1, 3)
    whole = np.concatenate([by_size, by_size.sum(axis=1, keepdims=True)], axis=1)  # [C, K + 1, L, F]
    lots, price, fair = whole[..., at.LOTS], whole[..., at.PRICE], whole[..., at.FAIR]
    return {
        "share": stats.ratio(lots, lots.sum(axis=2, keepdims=True), n_deals=deals),
        "share_of_level": stats.ratio(lots, lots[:, -1:, :], n_deals=deals),
        "price_mean": stats.ratio(price, lots),
        "fair_mean": stats.ratio(fair, lots, unit=at.FAIRTH),
        "price_minus_fair_mean": stats.ratio(at.FAIRTH * price - fair, lots, unit=at.FAIRTH),
        "price_to_fair_ratio": stats.ratio(at.FAIRTH * price, fair, events=lots),
        "miss_mean": stats.ratio(whole[..., at.MISS], lots, unit=at.FAIRTH),
        "responder_share": stats.ratio(whole[..., at.BOUGHT], whole[..., at.ASKED], n_deals=deals),
        "discard_share": stats.ratio(whole[..., at.DISCARDED], lots, n_deals=deals),
        "win_share": stats.ratio(whole[..., at.WON], lots, unit=WIN_UNITS, n_deals=deals),
    }


def add_prices(table: FigureTable, cell: Any, stats: Any) -> None:
    """What lots cost and who buys them, by size and by everything that lots are sorted by."""
    names = [*sizes(cell), ALL]
    _, counts = lots_by(cell, "round")
    overall = lot_figures(counts.sum(axis=1, keepdims=True), cell.deals, stats)
    del overall["share"]  # of all lots it is share_of_level
    table.add_all(cell, overall, tiles=names, by=ALL, level=[ALL])
    prices = cell.tallies["price"][:, : len(names) - 1]
    for k, name in enumerate(names):
        histogram = prices[:, k] if name != ALL else prices.sum(axis=1)
        quantiles = stats.quantiles(histogram, tuple(PRICE_QUANTILES.values()), deals=cell.deals, open_above=False)
        add_quantiles(table, cell, tuple(PRICE_QUANTILES), quantiles, tiles=name, by=ALL, level=ALL)
    for breakdown in at.BY:
        levels, counts = lots_by(cell, breakdown)
        table.add_all(cell, lot_figures(counts, cell.deals, stats), tiles=names, by=breakdown, level=levels)


def tile_names(cell: Any) -> tuple[list[int], list[str]]:
    """The rows of the tally of tiles that the component data has, and their names: face values, and gold."""
    values = sorted({int(value) for value in cell.components["tiles"]["values_per_type"]})
    names = [str(value) for value in values]
    return ([*values, at.GOLD_VALUE], [*names, "gold"]) if cell.components["tiles"]["gold_count"] else (values, names)


def add_tiles(table: FigureTable, cell: Any, stats: Any) -> None:
    """What becomes of tiles by face value, and what a tile costs that is a lot alone."""
    rows, names = tile_names(cell)
    tiles, deals = cell.tallies["tile"][:, rows], cell.deals
    shown, loaded, alone = tiles[..., at.SHOWN], tiles[..., at.LOADED], tiles[..., at.ALONE]
    price, fair = tiles[..., at.ALONE_PRICE], tiles[..., at.ALONE_FAIR]
    figures = {
        "shown_mean": stats.ratio(shown, cell.tallies["games"][:, None]),
        "loaded_share": stats.ratio(loaded, shown, n_deals=deals),
        "traded_share": stats.ratio(tiles[..., at.TRADED], loaded, n_deals=deals),
        "steps_mean": stats.ratio(tiles[..., at.STEPS], loaded),
        "win_share": stats.ratio(tiles[..., at.TILE_WON], loaded, unit=WIN_UNITS, n_deals=deals),
        "alone_share": stats.ratio(alone, shown, n_deals=deals),
        "price_mean": stats.ratio(price, alone),
        "fair_mean": stats.ratio(fair, alone, unit=at.FAIRTH),
        "responder_share": stats.ratio(tiles[..., at.ALONE_BOUGHT], alone, n_deals=deals),
    }
    table.add_all(cell, figures, tile=names)
    if "0" in names and len(names) > 1:
        zero, others = names.index("0"), [k for k, name in enumerate(names) if name != "0"]
        less = stats.difference((price[:, [zero]], price[:, others]), (alone[:, [zero]], alone[:, others]))
        table.add(cell, "value_0_price_minus_this_mean", less, tile=[names[k] for k in others])


def add_discards(table: FigureTable, cell: Any, stats: Any) -> None:
    """How often lots are discarded: by size, round, who buys, and why.

    discard_share: of the level's lots. forced_share: of its discards. share: of all discards, adds up to 1 over the
    levels. price_mean: what was paid for the lots discarded.
    """
    deals = cell.deals

    def add(breakdown: str, levels: Sequence[str], lots: Array | None, discards: Array, forced: Array | None) -> None:
        where: dict[str, Any] = {"by": breakdown, "level": levels}
        if lots is not None:
            table.add(cell, "discard_share", stats.ratio(discards, lots, n_deals=deals), **where)
        if forced is not None:
            table.add(cell, "forced_share", stats.ratio(forced, discards, n_deals=deals), **where)
        if breakdown != ALL:
            whole = discards.sum(axis=1, keepdims=True)
            table.add(cell, "share", stats.ratio(discards, whole, n_deals=deals), **where)

    rounds, counts = lots_by(cell, "round")
    whole = counts.sum(axis=(1, 2))[:, None]
    per_game = stats.ratio(whole[:, 0, at.DISCARDED], cell.tallies["games"])
    table.add(cell, "discards_mean", per_game, by=ALL, level=ALL)
    why = cell.tallies["why"]  # [C, proposed, chosen, fits rival, count or price]
    paid = why.sum(axis=(1, 2, 3))
    table.add(cell, "price_mean", stats.ratio(paid[:, 1], paid[:, 0]), by=ALL, level=ALL)
    by_size = counts.sum(axis=1)
    for breakdown, levels, sums in (
        (ALL, [ALL], whole),
        ("tiles", sizes(cell), by_size),
        ("round", rounds, counts.sum(axis=2)),
    ):
        add(breakdown, levels, sums[..., at.LOTS], sums[..., at.DISCARDED], sums[..., at.FORCED])
    bought = whole[:, 0, at.BOUGHT]
    lots = np.stack([whole[:, 0, at.LOTS] - bought, bought], axis=1)
    by_role = why[:, ::-1].sum(axis=3)  # [C, ROLES, chosen, count or price]
    add("buyer", ROLES, lots, by_role[..., 0].sum(axis=2), by_role[:, :, 0, 0])
    kinds = why.sum(axis=1)  # [C, chosen, fits rival, count or price]
    reasons = np.stack([kinds[:, 0].sum(axis=1), kinds[:, 1, 1], kinds[:, 1, 0]], axis=1)  # [C, WHY, count or price]
    add("why", WHY, None, reasons[..., 0], None)
    table.add(cell, "price_mean", stats.ratio(reasons[..., 1], reasons[..., 0]), by="why", level=WHY)
    paid_by_role = by_role.sum(axis=2)
    table.add(cell, "price_mean", stats.ratio(paid_by_role[..., 1], paid_by_role[..., 0]), by="buyer", level=ROLES)

"""The tables of a Strozzi report from its tallies.

Axes: C chunks, L levels of what is counted by, K kinds (flags or ports), F the four sums PLACED, PRIZE, STEPS, WON.
`stats` is strozzi_sim.stats, handed in.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from strozzi_sim.games.pages import ALL, QUANTILES, add_quantiles
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.games.strozzi import tallies as at
from strozzi_sim.games.strozzi.state import CATEGORIES, CITY_NAMES, FLAG_NAMES, PORT_NAMES
from strozzi_sim.kernel.wins import WIN_UNITS

Array = np.ndarray[Any, Any]

SOURCES = ("ships", "markers", "bonus", "promotion")
FROM_ONE = ("round", "order")  # levels that people count from 1


def level_names(breakdown: str, count: int = at.LEVELS) -> list[str]:
    """The levels of `breakdown` as tables write them; the last one takes everything beyond."""
    first = 1 if breakdown in FROM_ONE else 0
    names = [str(first + level) for level in range(count)]
    return [*names[:-1], names[-1] + "+"] if count == at.LEVELS else names


def pattern_names(words: Sequence[str]) -> list[str]:
    """PATTERNS codes as "first>second>third"."""
    names = []
    for code in range(at.PATTERNS):
        kinds = [(code >> shift) & 3 for shift in (0, 2, 4)]
        names.append(">".join(words[kind - 1] for kind in kinds if kind) or "none")
    return names


def outcomes(counts: Array, deals: int, stats: Any, coins: str) -> dict[str, Any]:
    """Of int64[..., L, COUNT..]: each level's share of all levels, mean coins by that name, and win share."""
    count = counts[..., at.COUNT]
    return {
        "share": stats.ratio(count, count.sum(axis=-1, keepdims=True), n_deals=deals),
        coins: stats.ratio(counts[..., at.COINS], count),
        "win_share": stats.ratio(counts[..., at.VICTORIES], count, unit=WIN_UNITS, n_deals=deals),
    }


def use_by(cell: Any, breakdown: str, axis: str) -> Array:
    """Ships placed, int64[C, L, K, F]; axis "flag" or "port" is what the kinds are."""
    use: Array = cell.tallies["use"][:, at.BY.index(breakdown)]
    by_kind: Array = use.sum(axis=3) if axis == "flag" else use.sum(axis=2)
    return by_kind


def use_figures(counts: Array, deals: int, stats: Any) -> dict[str, Any]:
    """What ships placed came to: figure -> estimate of shape [K + 1, L], the last row all kinds together.

    share: of the kind's ships, adds up to 1 over the levels. share_of_level: of the level's ships, adds up to 1 over
    the kinds.
    """
    by_kind = counts.transpose(0, 2, 1, 3)
    whole = np.concatenate([by_kind, by_kind.sum(axis=1, keepdims=True)], axis=1)  # [C, K + 1, L, F]
    placed = whole[..., at.PLACED]
    return {
        "share": stats.ratio(placed, placed.sum(axis=2, keepdims=True), n_deals=deals),
        "share_of_level": stats.ratio(placed, placed[:, -1:, :], n_deals=deals),
        "ship_prize_mean": stats.ratio(whole[..., at.PRIZE], placed),
        "steps_mean": stats.ratio(whole[..., at.STEPS], placed),
        "win_share": stats.ratio(whole[..., at.WON], placed, unit=WIN_UNITS, n_deals=deals),
    }


def possible_levels(cell: Any, breakdown: str) -> list[int]:
    """The levels of `breakdown` that can occur with these components and players; see `tallies.BY`."""
    ships = cell.components["ships"]
    wares = [[ship[port] for port in PORT_NAMES] for ship in ships]
    levels: set[int] = {
        "sail": {ship["sail"] for ship in ships},
        "cargo": {sum(ship) for ship in wares},
        "match": {number for ship in wares for number in ship},
        "round": set(range(cell.components["setup"]["rounds"])),
        "lap": set(range(cell.players)),
        "order": set(range(len(FLAG_NAMES))),  # every ship takes a flag
    }[breakdown]
    return sorted({min(level, at.LEVELS - 1) for level in levels})


def possible_patterns(patterns: Array) -> list[int]:
    """The codes of `PATTERNS` in which no kind comes twice, and those counted in int64[C, PATTERNS, COUNT..]."""
    counted = patterns[..., at.COUNT].sum(axis=0)
    codes = []
    for code in range(at.PATTERNS):
        kinds = [(code >> shift) & 3 for shift in (0, 2, 4)]
        used = [kind for kind in kinds if kind]
        if counted[code] or (len(set(used)) == len(used) and kinds[: len(used)] == used):
            codes.append(code)
    return codes


def _add_use(
    table: FigureTable, cell: Any, stats: Any, key: str, kinds: Sequence[str], breakdown: str, counts: Array, names: Any
) -> None:
    keep = range(len(names)) if breakdown in ("port", "flag") else possible_levels(cell, breakdown)
    where = {key: [*kinds, ALL], "by": breakdown, "level": [names[level] for level in keep]}
    table.add_all(cell, use_figures(counts[:, keep], cell.deals, stats), **where)


def _add_patterns(table: FigureTable, cell: Any, stats: Any, key: str, patterns: Array, words: Sequence[str]) -> None:
    """Player-rounds by the order of flags or ports, int64[C, PATTERNS, COUNT..]."""
    keep, names = possible_patterns(patterns), pattern_names(words)
    figures = outcomes(patterns[:, keep], cell.deals, stats, "round_coins_mean")
    table.add_all(cell, figures, **{key: ALL, "by": "pattern", "level": [names[code] for code in keep]})


def add_balance(table: FigureTable, cell: Any, stats: Any) -> None:
    """Scores, margins, ties, leaders, what was left over, and where the coins come from."""
    t, players, deals = cell.tallies, cell.players, cell.deals
    games = t["games"]
    scores = stats.quantiles(t["score"], tuple(QUANTILES.values()), deals=deals)
    add_quantiles(table, cell, tuple(QUANTILES), scores)
    paid = t["source"].sum(axis=1)
    table.add(cell, "score_mean", stats.ratio(paid, games * players))
    table.add(cell, "winner_score_mean", stats.ratio(t["winner_source"].sum(axis=1), games))
    table.add(cell, "payout_mean", stats.ratio(paid, games))
    for k, source in enumerate(SOURCES):
        table.add(cell, f"coins_{source}_mean", stats.ratio(t["source"][:, k], games * players))
        table.add(cell, f"winner_coins_{source}_mean", stats.ratio(t["winner_source"][:, k], games))
    table.add(cell, "margin_mean", stats.ratio(t["margin"], games))
    table.add(cell, "florence_tie_share", stats.ratio(t["florence_ties"], games, n_deals=deals))
    table.add(cell, "lead_changes_mean", stats.ratio(t["lead_changes"], games))
    for round_ in range(cell.components["setup"]["rounds"] - 1):
        leader = stats.ratio(t["leader_wins"][:, round_], games, n_deals=deals)
        table.add(cell, f"leader_{round_ + 1}_wins_share", leader)
    rounds = t["flag_pattern"][..., at.COUNT].sum(axis=1)  # a player's rounds, each with one flag of each kind
    unused = len(FLAG_NAMES) * rounds - t["use"][:, 0, ..., at.PLACED].sum(axis=(1, 2, 3))
    table.add(cell, "set_aside_mean", stats.ratio(t["set_aside"], games))
    table.add(cell, "unused_flags_mean", stats.ratio(unused, games))
    table.add(cell, "tiles_left_mean", stats.ratio(t["tiles_left"], games))
    table.add(cell, "over_990_share", stats.ratio(t["over_box"], games, n_deals=deals))


def add_flags(table: FigureTable, cell: Any, stats: Any) -> None:
    """What each flag is used on, what that brings, how often it is robbed or left unused."""
    t, deals = cell.tallies, cell.deals
    games, flags = t["games"], list(FLAG_NAMES)
    uses = t["use"][:, 0].sum(axis=(1, 3))  # [C, K, F]
    placed, rounds = uses[..., at.PLACED], t["flag_pattern"][..., at.COUNT].sum(axis=1)[:, None]
    claims, pirated = t["claim"].sum(axis=2), t["pirated"].sum(axis=2)
    overall = {
        "uses_mean": stats.ratio(placed, games[:, None]),
        "share": stats.ratio(placed, placed.sum(axis=1, keepdims=True), n_deals=deals),
        "unused_share": stats.ratio(rounds - placed, np.broadcast_to(rounds, placed.shape), n_deals=deals),
        "claims_mean": stats.ratio(claims, games[:, None]),
        "ship_prize_mean": stats.ratio(uses[..., at.PRIZE], placed),
        "steps_mean": stats.ratio(uses[..., at.STEPS], placed),
        "win_share": stats.ratio(uses[..., at.WON], placed, unit=WIN_UNITS, n_deals=deals),
    }
    for breakdown in ("sail", "cargo", "match", "lap", "order"):
        counts = use_by(cell, breakdown, "flag")[..., at.PLACED]
        first = int(level_names(breakdown)[0])
        sums = (counts * np.arange(first, first + at.LEVELS)[None, :, None]).sum(axis=1)
        overall[f"{breakdown}_mean"] = stats.ratio(sums, placed)
    table.add_all(cell, overall, flag=flags, by=ALL, level=ALL)
    taken_over = t["pirated"].sum(axis=(1, 2))  # every take-over is a use of the pirate flag
    share = stats.ratio(taken_over, placed[:, 0], n_deals=deals)
    table.add(cell, "takeover_share", share, flag=flags[0], by=ALL, level=ALL)
    share = stats.ratio(pirated[:, 1:], claims[:, 1:], n_deals=deals)
    table.add(cell, "pirated_share", share, flag=flags[1:], by=ALL, level=ALL)
    for breakdown in at.BY:
        _add_use(table, cell, stats, "flag", flags, breakdown, use_by(cell, breakdown, "flag"), level_names(breakdown))
    ports = t["use"][:, 0].sum(axis=1).transpose(0, 2, 1, 3)  # [C, port as level, flag, F]
    _add_use(table, cell, stats, "flag", flags, "port", ports, PORT_NAMES)
    sails = possible_levels(cell, "sail")
    names = [level_names("sail")[sail] for sail in sails]
    share = stats.ratio(t["pirated"][:, 1:, sails], t["claim"][:, 1:, sails], n_deals=deals)
    table.add(cell, "pirated_share", share, flag=flags[1:], by="claim_sail", level=names)
    laps = t["pirate_lap"][:, 1:, : cell.players]
    where = {"flag": flags[1:], "by": "pirate_lap", "level": [str(seat_offset) for seat_offset in range(cell.players)]}
    table.add(cell, "share", stats.ratio(laps, laps.sum(axis=2, keepdims=True), n_deals=deals), **where)
    table.add(cell, "pirated_share", stats.ratio(laps, claims[:, 1:, None], n_deals=deals), **where)
    _add_patterns(table, cell, stats, "flag", t["flag_pattern"], FLAG_NAMES)
    for kind, flag in enumerate(FLAG_NAMES):
        used = np.array([any((code >> shift) & 3 == kind + 1 for shift in (0, 2, 4)) for code in range(at.PATTERNS)])
        sides = np.stack([t["flag_pattern"][:, used].sum(axis=1), t["flag_pattern"][:, ~used].sum(axis=1)], axis=1)
        figures = outcomes(sides, deals, stats, "round_coins_mean")
        table.add_all(cell, figures, flag=flag, by="used", level=["yes", "no"])


def add_ports(table: FigureTable, cell: Any, stats: Any) -> None:
    """What ships and markers earn in each city, last spaces, orders and pairs of ports."""
    t, deals, players = cell.tallies, cell.deals, cell.players
    ports, cities = list(PORT_NAMES), list(CITY_NAMES)
    uses = t["use"][:, 0].sum(axis=(1, 2))  # [C, port, F]
    placed, everyone = uses[..., at.PLACED], (t["games"] * players)[:, None]
    overall = {
        "share": stats.ratio(placed, placed.sum(axis=1, keepdims=True), n_deals=deals),
        "ship_prize_mean": stats.ratio(uses[..., at.PRIZE], placed),
        "steps_mean": stats.ratio(uses[..., at.STEPS], placed),
        "win_share": stats.ratio(uses[..., at.WON], placed, unit=WIN_UNITS, n_deals=deals),
        "coins_ships_mean": stats.ratio(t["port_coins"][:, :3, 0], everyone),
    }
    table.add_all(cell, overall, port=ports, by=ALL, level=ALL)
    for figure, coins in (("coins_markers_mean", t["port_coins"][..., 1]), ("coins_mean", t["port_coins"].sum(axis=2))):
        table.add(cell, figure, stats.ratio(coins, everyone), port=cities, by=ALL, level=ALL)
    for breakdown in at.BY:
        _add_use(table, cell, stats, "port", ports, breakdown, use_by(cell, breakdown, "port"), level_names(breakdown))
    _add_use(table, cell, stats, "port", ports, "flag", t["use"][:, 0].sum(axis=1), FLAG_NAMES)
    spaces = cell.components["tracks"]["top_index"] + 1
    last = outcomes(t["space"][:, :, :spaces], deals, stats, "coins_mean")
    table.add_all(cell, last, port=cities, by="space", level=[str(space) for space in range(spaces)])
    rounds = cell.components["setup"]["rounds"]
    mean = stats.ratio(t["space_by_round"][:, :, :rounds], everyone[:, :, None])
    table.add(cell, "space_mean", mean, port=cities, by="space_round", level=level_names("round", rounds))
    _add_patterns(table, cell, stats, "port", t["port_pattern"], PORT_NAMES)
    names = ["+".join(port for port in ports if port != left_out) for left_out in ports]
    pairs = outcomes(t["port_pair"], deals, stats, "score_mean")
    table.add_all(cell, pairs, port=ALL, by="pair", level=names)


def add_promotion(table: FigureTable, cell: Any, stats: Any) -> None:
    """Promotion tiles by category and place, and what a tile and a point of value are worth."""
    counts = cell.tallies["category"][:, :, : cell.players]  # [C, category, place, count value coins tiles wins]
    counts = np.concatenate([counts, counts.sum(axis=2, keepdims=True)], axis=2)
    counts = np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)
    count, value, coins, tiles, wins = (counts[..., k] for k in range(5))
    where = {"category": [*CATEGORIES, ALL], "place": [*(str(place + 1) for place in range(cell.players)), ALL]}
    table.add(cell, "total_mean", stats.ratio(value, count), **where)
    table.add(cell, "tiles_mean", stats.ratio(tiles, count), **where)
    table.add(cell, "prize_mean", stats.ratio(coins, count), **where)
    table.add(cell, "win_share", stats.ratio(wins, count, unit=WIN_UNITS, n_deals=cell.deals), **where)
    where["place"] = [ALL]
    table.add(cell, "prize_per_tile", stats.ratio(coins[..., -1:], tiles[..., -1:]), **where)
    table.add(cell, "prize_per_value", stats.ratio(coins[..., -1:], value[..., -1:]), **where)


def ship_counts(cell: Any) -> tuple[list[str], Array]:
    """The ships' ids, and their sums int64[C, ship, REVEALED..]."""
    ids = [ship["id"] for ship in cell.components["ships"]]
    return ids, cell.tallies["ship"][:, : len(ids)]


def add_ships(table: FigureTable, cell: Any, stats: Any) -> None:
    """What becomes of every ship card, and what it earns."""
    ids, ships = ship_counts(cell)
    revealed, taken, claimed = ships[..., at.REVEALED], ships[..., at.TAKEN], ships[..., at.CLAIMED]

    def share(numerator: Array, denominator: Array, unit: int = 1) -> Any:
        return stats.ratio(numerator, denominator, unit=unit, n_deals=cell.deals)

    figures = {
        "claimed_share": share(claimed, revealed),
        "pirated_share": share(ships[..., at.PIRATED], claimed),
        "set_aside_share": share(ships[..., at.ASIDE], revealed),
        "taken_share": share(taken, revealed),
        "ship_prize_mean": stats.ratio(ships[..., at.EARNED], taken),
        "steps_mean": stats.ratio(ships[..., at.DELIVERED], taken),
        "win_share": share(ships[..., at.WINS], taken, WIN_UNITS),
    }
    table.add_all(cell, figures, ship=ids)
    for field, prefix, kinds in (("ship_port", "port", PORT_NAMES), ("ship_flag", "flag", FLAG_NAMES)):
        counts = cell.tallies[field][:, : len(ids)]
        for k, kind in enumerate(kinds):
            table.add(cell, f"{prefix}_{kind}_share", share(counts[..., k], taken), ship=ids)

"""The tables and heat maps of a Strozzi report: figures of facts, block by block; report.toml has their labels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from strozzi_sim.declare.figure_tables import Tables, pick
from strozzi_sim.declare.pages import LEADERS, QUANTILES
from strozzi_sim.facts.blocks import ALL, Block, Quantiles, Ratio, amounts, ratio_of, ratios, shares
from strozzi_sim.facts.figures import SCORE
from strozzi_sim.games.strozzi.state import FLAG_NAMES, PORT_NAMES

SOURCES = ("ships", "markers", "bonus", "promotion")
BY = ("sail", "cargo", "match", "round", "lap", "order")
PAIRS = ("rome+naples", "venice+naples", "venice+rome")
_WHOLE = {"by": ALL, "level": ALL}
_WON = shares(win_share="win")
_OF_LEVEL = shares(share="rows along level")
_BROUGHT = (*amounts(ship_prize_mean="prize"), *ratios(steps_mean="steps"), *_WON)
_OF_ROUND = (*_OF_LEVEL, *amounts(round_coins_mean="coins"), *_WON)
_PIRATED = shares(pirated_share="taken_over")
_NO_PIRATES = {"flag": FLAG_NAMES[1:]}  # a pirate is not taken over


def use(key: str, by: str) -> Block:
    """Return a block of the results of ships, by `key` (flag or port) and the column `by`."""
    figures = (*_OF_LEVEL, *shares(share_of_level=f"rows along {key}"))
    return Block("ship", {key: key, "level": by}, (*figures, *_BROUGHT), {"by": by}, margins=(key,))


def _orders(key: str) -> Block:
    """Return a block of player-rounds by the order in which flags or ports were used; `key` is flag or port."""
    return Block("round", {"level": f"{key}s"}, _OF_ROUND, {key: ALL, "by": "pattern"})


def _unused(flag: str) -> tuple[Block, ...]:
    return (
        Block("round", {}, shares(unused_share=f"unused_{flag}"), {"flag": flag, **_WHOLE}),
        Block("round", {"level": f"used_{flag}"}, _OF_ROUND, {"flag": flag, "by": "used"}),
    )


def _claims(by: str, figures: tuple[Ratio, ...], name: str) -> Block:
    """Return a block of cards claimed with plus-one or ware, by flag and the column `by`."""
    return Block("card", {"flag": "claimed_by", "level": by}, figures, {"by": name}, include=_NO_PIRATES)


_ALONG_LAPS = shares(share="taken_over along level", pirated_share="taken_over / rows along level")
PIRATED_BY_SAIL = _claims("sail", _PIRATED, "claim_sail")
PIRATED_BY_LAP = _claims("lap", _ALONG_LAPS, "pirate_lap")
_LANDED = (*_OF_LEVEL, *amounts(coins_mean="prize + bonus"), *_WON)
LAST_SPACE = Block("marker", {"port": "city", "level": "space"}, _LANDED, {"by": "space"}, where="last == yes")
SPACE_BY_ROUND = Block("marker", {"port": "city", "level": "round"}, ratios("space_mean"), {"by": "space_round"})

_COINS_OF = {f"coins_{name}_mean": name for name in SOURCES}
_SCORES = (ratio_of(SCORE, "total"), *amounts(payout_mean="total / games", **_COINS_OF))
_OF_WINNER = amounts(winner_score_mean="total", **{f"winner_coins_{name}_mean": name for name in SOURCES})
_COURSE = (
    *amounts("margin_mean"),
    *shares("florence_tie_share"),
    *ratios("lead_changes_mean", "set_aside_mean", "tiles_left_mean"),
    *shares(over_990_share="over_box"),
)
_MEANS = ("sail_mean", "cargo_mean", "match_mean", "lap_mean", "order_mean")
_USED = (*ratios(uses_mean="rows / games"), *shares(share="rows along flag"), *_BROUGHT)
_OF_SHIPS = amounts(coins_ships_mean="ships / players")
_SHARES_OF = {key: shares(**{f"{key}_{{}}_share": f"rows along {key}"}) for key in ("port", "flag")}
_OF_MARKERS = amounts(coins_markers_mean="prize + bonus / players", coins_mean="ships + prize + bonus / players")
_OF_PAIR = (*_OF_LEVEL, ratio_of(SCORE, "score"), *_WON)
_CLEAR = "best_ports != unclear"
_RANKED = (*ratios("total_mean", "tiles_mean"), *amounts(prize_mean="coins"), *_WON)
_PRIZES = amounts(prize_per_tile="coins / tiles", prize_per_value="coins / total")
_FATES = {"claimed_share": "claimed", "pirated_share": "taken_over / claimed"}
_COINS = amounts(coins_track_mean="track", coins_tile_mean="promotion", coins_brought_mean="brought")
BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": (
        Quantiles("seat", "total", QUANTILES),
        Block("seat", {}, _SCORES),
        Block("seat", {}, _OF_WINNER, where="win == 1"),
        Block("game", {}, _COURSE),
        LEADERS,
        Block("round", {}, ratios(unused_flags_mean="unused / games")),
    ),
    "flags": (
        Block("ship", {"flag": "flag"}, (*_USED, *ratios(*_MEANS)), _WHOLE),
        Block("card", {"flag": "claimed_by"}, ratios(claims_mean="rows / games"), _WHOLE, include={"flag": FLAG_NAMES}),
        Block("card", {"flag": "claimed_by"}, _PIRATED, _WHOLE, include=_NO_PIRATES),
        Block("ship", {"flag": "flag"}, shares(takeover_share="takes_over"), _WHOLE, include={"flag": FLAG_NAMES[:1]}),
        *(use("flag", by) for by in (*BY, "port")),
        PIRATED_BY_SAIL,
        PIRATED_BY_LAP,
        _orders("flag"),
        *(block for flag in FLAG_NAMES for block in _unused(flag)),
    ),
    "ports": (
        Block("ship", {"port": "port"}, (*shares(share="rows along port"), *_BROUGHT), _WHOLE),
        Block("marker", {"port": "city"}, _OF_SHIPS, _WHOLE, include={"port": PORT_NAMES}),
        Block("marker", {"port": "city"}, _OF_MARKERS, _WHOLE),
        *(use("port", by) for by in (*BY, "flag")),
        LAST_SPACE,
        SPACE_BY_ROUND,
        _orders("port"),
        Block("seat", {"level": "best_ports"}, _OF_PAIR, {"port": ALL, "by": "pair"}, _CLEAR, include={"level": PAIRS}),
    ),
    "promotion": (
        Block("category", {"category": "category", "place": "rank"}, _RANKED, margins=("category", "place")),
        Block("category", {"category": "category"}, _PRIZES, {"place": ALL}, margins=("category",)),
    ),
    "ships": (
        Block("card", {"ship": "card"}, shares(**_FATES, set_aside_share="set_aside", taken_share="taken")),
        Block("ship", {"ship": "card"}, (*_BROUGHT, *_COINS)),
        *(Block("ship", {"ship": "card", key: key}, figures, named=key) for key, figures in _SHARES_OF.items()),
    ),
}


_OF_COLUMN = shares(share="rows along column")
# without `second_lap` the active player never takes over a claim
_PIRATES_LAPS: Any = {"column": lambda cell: () if cell.components["rules"]["second_lap"] else ("0",)}
_MATCH = (*amounts(coins_brought_mean="brought", ship_prize_mean="prize", coins_track_mean="track"), *_WON)
_TOTAL = (*_OF_COLUMN, *amounts(prize_mean="coins"), *_WON)
MAPS = {
    **{f"flag-by-{by}": use("flag", by).as_map("flag") for by in (*BY, "port")},
    **{f"port-by-{by}": use("port", by).as_map("port") for by in BY},
    "coins-by-port-and-match": Block("ship", {"row": "port", "column": "match"}, _MATCH, margins=("row",)),
    "pirated-by-sail": PIRATED_BY_SAIL.as_map("flag"),
    "pirated-by-lap": replace(PIRATED_BY_LAP.as_map("flag"), exclude=_PIRATES_LAPS),
    "marker-by-round": SPACE_BY_ROUND.as_map("port"),
    "last-space": LAST_SPACE.as_map("port"),
    "prize-by-category-total": Block("category", {"row": "category", "column": "total"}, _TOTAL),
    **{f"ship-by-{by}": Block("ship", {"row": "card", "column": by}, _OF_COLUMN) for by in ("flag", "port")},
}
# breakdown -> separator of the parts in its levels, and in their labels
_JOINS = {"pattern": (">", ", "), "pair": ("+", " and ")}


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of the orders and pairs in the tables, and of the ships of the variant: what is printed on them."""
    labels = {}
    for table in ("flags", "ports"):
        for breakdown, (separator, link) in _JOINS.items() if table in tables else ():
            for level in pick(tables[table], by=breakdown)["level"].unique():
                if separator in level:
                    labels[level] = link.join(_label_of(part) for part in level.split(separator))
    return labels | {ship["id"]: _ship_label(ship) for ship in data.get("ships", [])}


def _label_of(part: str) -> str:
    return part.capitalize() if part in PORT_NAMES else part.replace("_", " ")


def _ship_label(ship: Mapping[str, Any]) -> str:
    """Return the label of a ship card: "S12 · sail 5 · 2R 1N · 2 scrolls · tile"."""
    parts = [str(ship["id"]), f"sail {ship['sail']}"]
    wares = [f"{ship[port]}{port[0].upper()}" for port in PORT_NAMES if ship[port]]
    if wares:
        parts.append(" ".join(wares))
    if ship["scrolls"]:
        parts.append("scroll" if ship["scrolls"] == 1 else f"{ship['scrolls']} scrolls")
    if ship["promotion"]:
        parts.append("tile")
    return " · ".join(parts)

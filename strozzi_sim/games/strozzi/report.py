"""The tables and heat maps of a Strozzi report: figures of facts, block by block. What they are called is in report.toml."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from strozzi_sim.facts.blocks import ALL, Block, Quantiles, Ratio, mean, per_game, per_player, share, share_along
from strozzi_sim.game.pages import QUANTILES
from strozzi_sim.game.reporting import Tables, pick
from strozzi_sim.games.strozzi.state import FLAG_NAMES, PORT_NAMES

SOURCES = ("ships", "markers", "bonus", "promotion")
BY = ("sail", "cargo", "match", "round", "lap", "order")
_WHOLE = {"by": ALL, "level": ALL}
_WON = share("win_share", "win")
_BROUGHT = (mean("ship_prize_mean", "prize"), mean("steps_mean", "steps"), _WON)


def use(key: str, by: str) -> Block:
    """Return a block of the results of ships, by flag or port and another column."""
    figures = (share_along("share", "level"), share_along("share_of_level", key), *_BROUGHT)
    return Block("ship", {key: key, "level": by}, figures, {"by": by}, margins=(key,))


def _orders(key: str) -> Block:
    """Return a block of player-rounds by the order of flags or ports."""
    figures = (share_along("share", "level"), mean("round_coins_mean", "coins"), _WON)
    return Block("round", {"level": f"{key}s"}, figures, {key: ALL, "by": "pattern"})


def _unused(flag: str) -> tuple[Block, ...]:
    figures = (share_along("share", "level"), mean("round_coins_mean", "coins"), _WON)
    return (
        Block("round", {}, (share("unused_share", f"unused_{flag}"),), {"flag": flag, **_WHOLE}),
        Block("round", {"level": f"used_{flag}"}, figures, {"flag": flag, "by": "used"}),
    )


PIRATED_BY_SAIL = Block(
    "card", {"flag": "claimed_by", "level": "sail"}, (share("pirated_share", "taken_over"),), {"by": "claim_sail"},
    include={"flag": FLAG_NAMES[1:]},
)  # fmt: skip
PIRATED_BY_LAP = Block("card", {"flag": "claimed_by", "level": "lap"}, (
    share_along("share", "level", "taken_over"), Ratio("pirated_share", ("taken_over",), along="level", share=True),
), {"by": "pirate_lap"}, include={"flag": FLAG_NAMES[1:]})  # fmt: skip
LAST_SPACE = Block("marker", {"port": "city", "level": "space"}, (
    share_along("share", "level"), mean("coins_mean", "prize", "bonus"), _WON,
), {"by": "space"}, where="last == yes")  # fmt: skip
SPACE_BY_ROUND = Block(
    "marker", {"port": "city", "level": "round"}, (mean("space_mean", "space"),), {"by": "space_round"}
)
_SCORES = (mean("score_mean", "total"), Ratio("payout_mean", ("total",), "games"))
BALANCE = (
    Quantiles("seat", "total", QUANTILES),
    Block("seat", {}, (*_SCORES, *(mean(f"coins_{source}_mean", source) for source in SOURCES))),
    Block("seat", {}, (mean("winner_score_mean", "total"), *(mean(f"winner_coins_{source}_mean", source) for source in SOURCES)),
          where="win == 1"),
    Block("game", {}, (
        mean("margin_mean", "margin"), share("florence_tie_share", "florence_tie"), mean("lead_changes_mean", "lead_changes"),
        mean("set_aside_mean", "set_aside"), mean("tiles_left_mean", "tiles_left"), share("over_990_share", "over_box"),
    )),
    Block("round", {"round": "round"}, (share("leader_{}_wins_share", "win"),), where="leader == yes",
          exclude={"round": lambda cell: [str(cell.components["setup"]["rounds"])]}, named="round"),
    Block("round", {}, (per_game("unused_flags_mean", "unused"),)),
)  # fmt: skip
FLAGS = (
    Block("ship", {"flag": "flag"}, (
        per_game("uses_mean"), share_along("share", "flag"), *_BROUGHT,
        *(mean(f"{by}_mean", by) for by in ("sail", "cargo", "match", "lap", "order")),
    ), _WHOLE),
    Block("card", {"flag": "claimed_by"}, (per_game("claims_mean"),), _WHOLE, include={"flag": FLAG_NAMES}),
    Block("card", {"flag": "claimed_by"}, (share("pirated_share", "taken_over"),), _WHOLE, include={"flag": FLAG_NAMES[1:]}),
    Block("ship", {"flag": "flag"}, (share("takeover_share", "takes_over"),), _WHOLE, include={"flag": FLAG_NAMES[:1]}),
    *(use("flag", by) for by in (*BY, "port")),
    PIRATED_BY_SAIL,
    PIRATED_BY_LAP,
    _orders("flag"),
    *(block for flag in FLAG_NAMES for block in _unused(flag)),
)  # fmt: skip
PORTS = (
    Block("ship", {"port": "port"}, (share_along("share", "port"), *_BROUGHT), _WHOLE),
    Block("marker", {"port": "city"}, (per_player("coins_ships_mean", "ships"),), _WHOLE, include={"port": PORT_NAMES}),
    Block("marker", {"port": "city"}, (
        per_player("coins_markers_mean", "prize", "bonus"), per_player("coins_mean", "ships", "prize", "bonus"),
    ), _WHOLE),
    *(use("port", by) for by in (*BY, "flag")),
    LAST_SPACE,
    SPACE_BY_ROUND,
    _orders("port"),
    Block("seat", {"level": "best_ports"}, (share_along("share", "level"), mean("score_mean", "score"), _WON),
          {"port": ALL, "by": "pair"}, where="best_ports != unclear", include={"level": ("rome+naples", "venice+naples", "venice+rome")}),
)  # fmt: skip
PROMOTION = (
    Block("category", {"category": "category", "place": "rank"}, (
        mean("total_mean", "total"), mean("tiles_mean", "tiles"), mean("prize_mean", "coins"), _WON,
    ), margins=("category", "place")),
    Block("category", {"category": "category"}, (
        Ratio("prize_per_tile", ("coins",), "tiles"), Ratio("prize_per_value", ("coins",), "total"),
    ), {"place": ALL}, margins=("category",)),
)  # fmt: skip
SHIPS = (
    Block("card", {"ship": "card"}, (
        share("claimed_share", "claimed"), Ratio("pirated_share", ("taken_over",), "claimed", share=True),
        share("set_aside_share", "set_aside"), share("taken_share", "taken"),
    )),
    Block("ship", {"ship": "card"}, (
        *_BROUGHT, mean("coins_track_mean", "track"), mean("coins_tile_mean", "promotion"), mean("coins_brought_mean", "brought"),
    )),
    *(Block("ship", {"ship": "card", key: key}, (share_along(f"{key}_{{}}_share", key),), named=key) for key in ("port", "flag")),
)  # fmt: skip
BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": BALANCE, "flags": FLAGS, "ports": PORTS, "promotion": PROMOTION, "ships": SHIPS,
}  # fmt: skip


def _ship_by(column: str) -> Block:
    return Block("ship", {"row": "card", "column": column}, (share_along("share", "column"),))


MAPS = {
    **{f"flag-by-{by}": use("flag", by).as_map("flag") for by in (*BY, "port")},
    **{f"port-by-{by}": use("port", by).as_map("port") for by in BY},
    "coins-by-port-and-match": Block("ship", {"row": "port", "column": "match"}, (
        mean("coins_brought_mean", "brought"), mean("ship_prize_mean", "prize"), mean("coins_track_mean", "track"), _WON,
    ), margins=("row",)),
    "pirated-by-sail": PIRATED_BY_SAIL.as_map("flag"),
    "pirated-by-lap": replace(PIRATED_BY_LAP.as_map("flag"), exclude={"column": ("0",)}),  # a pirate is another seat
    "marker-by-round": SPACE_BY_ROUND.as_map("port"),
    "last-space": LAST_SPACE.as_map("port"),
    "prize-by-category-total": Block("category", {"row": "category", "column": "total"}, (
        share_along("share", "column"), mean("prize_mean", "coins"), _WON,
    )),
    "ship-by-flag": _ship_by("flag"),
    "ship-by-port": _ship_by("port"),
}  # fmt: skip
_NAMES = {
    "pirate": "pirate",
    "plus_one": "plus one",
    "ware": "ware",
    "venice": "Venice",
    "rome": "Rome",
    "naples": "Naples",
}
_JOINS = {
    "pattern": (">", ", "),
    "pair": ("+", " and "),
}  # breakdown -> sign between the parts of its levels, and words


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of orders and pairs in the tables, and of ships with what is printed on them in this variant."""
    labels = {}
    for table in ("flags", "ports"):
        for breakdown, (sign, link) in _JOINS.items() if table in tables else ():
            for level in pick(tables[table], by=breakdown)["level"].unique():
                if sign in level:
                    labels[level] = link.join(_NAMES[part] for part in level.split(sign))
    return labels | {ship["id"]: ship_words(ship) for ship in data.get("ships", [])}


def ship_words(ship: Mapping[str, Any]) -> str:
    """Return the label of a ship card: "S12 · sail 5 · 2 Rome 1 Naples · 1 scroll · tile"."""
    parts = [str(ship["id"]), f"sail {ship['sail']}"]
    wares = [f"{ship[port]}{port[0].upper()}" for port in PORT_NAMES if ship[port]]
    if wares:
        parts.append(" ".join(wares))
    if ship["scrolls"]:
        parts.append("scroll" if ship["scrolls"] == 1 else f"{ship['scrolls']} scrolls")
    if ship["promotion"]:
        parts.append("tile")
    return " · ".join(parts)

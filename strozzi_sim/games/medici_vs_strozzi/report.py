"""The tables and heat maps of a Medici vs Strozzi report: figures of facts, block by block. What they are called is in report.toml."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from strozzi_sim.facts.blocks import (
    ALL,
    Block,
    Difference,
    Quantiles,
    Ratio,
    mean,
    per_game,
    per_player,
    share,
    share_along,
)
from strozzi_sim.game.pages import QUANTILES
from strozzi_sim.game.reporting import Tables
from strozzi_sim.games.medici_vs_strozzi.state import MAX_REVEAL, MAX_ROUNDS, PLAYER_NAMES

SOURCES = ("harbors", "monopolies", "bonus")
WHY = ("no_room", "denied", "unwanted")
PRICE_QUANTILES = {"price_q05": 0.05, "price_q50": 0.5, "price_q95": 0.95}
# What lots are sorted by: name -> column.
LOTS_BY = {by: by for by in ("round", "order", "value", "zeros", "gold", "proposer", "room")} | {"price": "price_band"}
FAIR_BY = {"fair": "fair", "gap": "gap"}
_WHOLE = {"by": ALL, "level": ALL}
_WON = share("win_share", "win")
_COINS = (*(mean(f"coins_{source}_mean", source) for source in SOURCES), mean("payout_mean", *SOURCES),
          mean("paid_mean", "paid"), mean("gain_mean", *SOURCES, "-paid"))  # fmt: skip
_COURSE = (
    mean("lots_mean", "lots"), mean("tiles_mean", "tiles"), Ratio("tiles_per_lot", ("tiles",), "lots"),
    share("full_fleet_share", "full_fleet"), share("empty_bag_share", "empty_bag"),
)  # fmt: skip
_SCORE = (mean("score_mean", "total"), *_COINS[:3], mean("paid_mean", "paid"))
_DECIDED = {"winner_": "win == 1", "loser_": "win == 0"}
_BOUGHT = (
    mean("price_mean", "price"), Ratio("responder_share", ("bought",), "asked", share=True),
    share("discard_share", "discarded"), _WON,
)  # fmt: skip
_FAIR = (
    mean("fair_mean", "fair"), mean("price_minus_fair_mean", "gap"), mean("miss_mean", "miss"),
    Ratio("price_to_fair_ratio", ("price",), "fair", rows_count=True),
)  # fmt: skip
_SHARES = (share_along("share", "level"), share_along("share_of_level", "tiles"))
_SHIP = (
    mean("load_mean", "load"), mean("tiles_mean", "tiles"), share("full_share", "full"), share("won_share", "won"),
    share("tied_share", "tied"), share("alone_share", "alone"), Ratio("alone_won_share", ("alone_won",), "alone", share=True),
    _WON,
)  # fmt: skip
_MARKER = (
    share("off_centre_share", "off_centre"), mean("distance_mean", "distance"), share("bonus_share", "on_bonus"),
    share("swapped_share", "swapped"), mean("coins_mean", "monopoly", "bonus"), mean("steps_mean", "steps"),
    mean("moved_mean", "moved"), Ratio("effective_share", ("moved",), "steps", share=True),
)  # fmt: skip


def _prefixed(figures: tuple[Ratio, ...], prefix: str) -> tuple[Ratio, ...]:
    return tuple(Ratio(f"{prefix}{figure.name}", figure.numerator) for figure in figures)


def lots(by: str) -> Block:
    """Return blocks of the prices and buyers of lots."""
    return Block("lot", {"tiles": "tiles", "level": LOTS_BY[by]}, (*_SHARES, *_BOUGHT), {"by": by}, margins=("tiles",))


def estimates(by: str) -> Block:
    """Return blocks of fair prices, and of all figures of lots by fair price."""
    figures = (*_SHARES, *_BOUGHT, *_FAIR) if by in FAIR_BY else _FAIR
    axes, trim = {"tiles": "tiles", "level": (LOTS_BY | FAIR_BY)[by]}, ("level",) if by == "fair" else ()
    return Block("price_estimate", axes, figures, {"by": by}, margins=("tiles",), trim=trim)


def _harbor(levels: Mapping[str, str], by: Mapping[str, str]) -> tuple[Block, ...]:
    """Return blocks of the outcomes of harbors and their pay per player and game."""
    axes = {"harbor": "harbor", **levels}
    coins = [per_player(f"coins_{source}_mean", source) for source in SOURCES]
    return (
        Block("harbor", {**axes, "outcome": "outcome"}, (share_along("{}_share", "outcome"),), by, named="outcome", margins=("harbor",)),
        Block("harbor", axes, (share("tie_of_contested_share", "tied"),), by, "outcome == decided or outcome == tie", margins=("harbor",)),
        Block("harbor", axes, (*coins, per_player("coins_mean", *SOURCES)), by, margins=("harbor",)),
    )  # fmt: skip


def ships(axes: Mapping[str, str], levels: Mapping[str, str], margins: tuple[str, ...] = ("harbor",)) -> Block:
    """Return blocks of the results of moored ships."""
    return Block("ship", axes, _SHIP, levels, "moored == yes", margins, exclude={"harbor": ("none",)})


LOADS = Block("ship", {"harbor": "harbor", "level": "load"}, (
    share_along("share", "level"), share("won_share", "won"), share("tied_share", "tied"),
), {"by": "load"}, "moored == yes", ("harbor",), exclude={"harbor": ("none",)})  # fmt: skip
TRACKS = Block("marker", {"track": "track", "level": "round"}, _MARKER, {"by": "round"}, margins=("track",))
BALANCE: tuple[Block | Quantiles, ...] = (
    Quantiles("seat", "total", QUANTILES, open_below=True),
    Block("seat", {}, (
        *_SCORE, share("below_zero_share", "below_zero"), share("below_zero_at_end_share", "below_zero_at_end"),
    )),
    *(Block("seat", {}, _prefixed(_SCORE, who), where=where) for who, where in _DECIDED.items()),
    Block("seat", {}, (share("medici_win_share", "win"),), where="seat == Medici"),
    Block("game", {}, (
        mean("margin_mean", "margin"), mean("medici_margin_mean", "medici_margin"), share("tie_share", "tie"),
        mean("lead_changes_mean", "lead_changes"),
    )),
    Block("round", {"round": "round"}, (share("leader_{}_wins_share", "win"),), where="leader == yes",
          exclude={"round": lambda cell: [str(cell.components["rounds"]["count"])]}, named="round"),
    Block("round_end", {}, _COURSE),
    Block("round", {}, (mean("loaded_mean", "loaded"),)),
    Block("lot", {}, (share("price_cap_share", "capped"),)),
)  # fmt: skip
PRICES: tuple[Block | Quantiles, ...] = (
    Block("lot", {"tiles": "tiles"}, (_SHARES[1], *_BOUGHT), _WHOLE, margins=("tiles",)),
    Block("price_estimate", {"tiles": "tiles"}, _FAIR, _WHOLE, margins=("tiles",)),
    Quantiles("lot", "price", PRICE_QUANTILES, _WHOLE, by={"tiles": "tiles"}, open_above=False),
    *(block(by) for by in LOTS_BY for block in (lots, estimates)),
    *(estimates(by) for by in FAIR_BY),
)  # fmt: skip
TILES = (
    Block("tile", {"tile": "value"}, (
        per_game("shown_mean"), share("loaded_share", "loaded"), share("alone_share", "alone"),
    )),
    Block("tile", {"tile": "value"}, (share("traded_share", "traded"), mean("steps_mean", "steps"), _WON), where="loaded == yes"),
    Block("lot", {"tile": "face"}, (
        mean("price_mean", "price"), share("responder_share", "bought"),
    ), where="tiles == 1", differences=(Difference("value_0_price_minus_this_mean", mean("", "price"), "tile", "0"),)),
    Block("price_estimate", {"tile": "face"}, (mean("fair_mean", "fair"),), where="tiles == 1"),
)  # fmt: skip
HARBORS = (
    *_harbor({}, _WHOLE),
    *_harbor({"level": "round"}, {"by": "round"}),
    ships({"harbor": "harbor"}, _WHOLE),
    ships({"harbor": "harbor", "level": "ship"}, {"by": "ship"}),
    Block("ship", {"harbor": "harbor", "level": "ship"}, (share_along("moored_share", "harbor"),), {"by": "ship"},
          exclude={"harbor": ("none",)}),
    Block("ship", {"level": "ship"}, (share("moored_share", "moored"),), {"harbor": ALL, "by": "ship"}),
    LOADS,
)  # fmt: skip
MONOPOLIES = (
    Block("marker", {"track": "track"}, _MARKER, _WHOLE, margins=("track",)),
    TRACKS,
    Block("marker", {"level": "place"}, (share_along("share", "level"),), {"track": ALL, "by": "space"}, "last == yes"),
    Block("round", {"level": "held"}, (share_along("share", "level"), _WON), {"track": ALL, "by": "held"}, "last == yes"),
)  # fmt: skip
ROUNDS = tuple(
    Block(fact, {"round": "round"}, figures, where=where, margins=("round",))
    for fact, figures, where in (
        ("round_end", (*_COURSE, mean("left_mean", "left")), ""),
        ("lot", (mean("price_mean", "price"),), ""),
        ("round", (mean("loaded_mean", "loaded"), share("full_ships_share", "full"), *_COINS), ""),
        *(("round", _prefixed(_COINS, who), where) for who, where in _DECIDED.items()),
    )
)  # fmt: skip
_PAID = (mean("price_mean", "price"),)
_DISCARDED = (share("discard_share", "discarded"), Ratio("forced_share", ("forced",), "discarded", share=True))
DISCARDS = (
    Block("lot", {}, (*_DISCARDED, per_game("discards_mean", "discarded")), _WHOLE),
    Block("lot", {}, _PAID, _WHOLE, "discarded == yes"),
    *(Block("lot", {"level": by}, (*_DISCARDED, share_along("share", "level", "discarded")), {"by": by})
      for by in ("tiles", "round", "buyer")),
    Block("lot", {"level": "buyer"}, _PAID, {"by": "buyer"}, "discarded == yes"),
    Block("lot", {"level": "fate"}, (share_along("share", "level"), *_PAID), {"by": "why"}, "discarded == yes", include={"level": WHY}),
)  # fmt: skip
BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": BALANCE, "prices": PRICES, "tiles": TILES, "harbors": HARBORS, "monopolies": MONOPOLIES, "rounds": ROUNDS,
    "discards": DISCARDS,
}  # fmt: skip


def _lots(block: Block, *, sized: bool = False) -> Block:
    """Return a heat map of lots by size.

    With `sized` it shows the share of each size, and no margin, in which the shares would total 1.
    """
    figures = [figure for figure in block.figures if sized or figure.name != "share_of_level"]
    return replace(block, margins=() if sized else block.margins).as_map("tiles", figures=figures)


def _tracks(*rounds: str) -> Block:
    """Return a heat map of tracks by round, without some rounds."""
    return replace(TRACKS, exclude={"level": rounds} if rounds else {}).as_map("track")


MAPS = {
    "price-by-tiles-round": _lots(lots("round")),
    "price-by-size-value": _lots(lots("value")),
    "price-by-size-zeros": _lots(lots("zeros")),
    "price-by-size-order": _lots(lots("order")),
    "fair-by-size-value": _lots(estimates("value")),
    "gap-by-tiles-round": _lots(estimates("round")),
    "buyer-by-price-size": _lots(lots("price")),
    "buyer-by-gap-size": _lots(estimates("gap")),
    "tiles-by-order": _lots(lots("order"), sized=True),
    "harbor-by-ship": ships({"harbor": "harbor", "level": "ship"}, {}, ("harbor", "level")).as_map("harbor"),
    "ship-against-ship": Block("ship", {"row": "ship", "column": "rival"}, (
        share_along("share", "column"), share("won_share", "won"), share("tied_share", "tied"),
    ), where="moored == yes"),
    "harbor-by-load": LOADS.as_map("harbor", figures=LOADS.figures[:2]),
    "cargo-by-harbor": Block("tile", {"row": "goods", "column": "harbor"}, (share_along("share", "column"),), where="loaded == yes",
                             exclude={"column": ("none",)}),
    "position-by-round": Block("marker", {"row": "round", "column": "place"}, (share_along("share", "column"),)),
    "coins-by-track": _tracks(),
    "swapped-by-track": _tracks("1"),  # in round 1 all markers come from the centre, and none can change sides
}  # fmt: skip


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of seats by their family, of tracks by harbor and goods, and of negative numbers."""
    labels = {f"seat={seat}": f"{seat} ({name})" for seat, name in enumerate(PLAYER_NAMES)}
    labels |= {f"tiles={size}": f"{size} tiles" if size > 1 else "1 tile" for size in range(1, MAX_REVEAL + 1)}
    labels |= {f"round={number}": f"round {number}" for number in range(1, MAX_ROUNDS + 1)}
    for harbor in data.get("harbor", []):
        labels |= {f"{harbor['id']}.{kind}": f"{harbor['id']} {kind}" for kind in harbor["tracks"]}
    for name, table in tables.items():
        for column in ("level", "column"):
            if column in table and (name in ("monopolies", "prices") or name.startswith("heat_")):
                negative = {level for level in table[column].unique() if level.startswith(("-", "<-"))}
                labels |= {level: level.replace("-", "\N{MINUS SIGN}") for level in negative}
    return labels

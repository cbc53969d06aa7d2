"""The pictures and tables that a Medici vs Strozzi report shows, page by page."""

from functools import partial

from strozzi_sim.games.medici_vs_strozzi.report.tables import SOURCES
from strozzi_sim.games.medici_vs_strozzi.report.tables import PRICE_QUANTILES, ROLES, WHY
from strozzi_sim.games.medici_vs_strozzi.report.words import BY_LABELS
from strozzi_sim.games.pages import ALL, leaders, score_pictures
from strozzi_sim.games.reporting import SCENARIO, Figure, Narrator, Picture, Tables, first_scenario

SIZES = ("1", "2", "3", "4", "5", "6")
WON = Figure("win_share", "games won", "share")
PRICE = Figure("price_mean", "mean price in coins", "amount")
FAIR = Figure("fair_mean", "estimated fair price", "amount")
BUYER = Figure("responder_share", "bought by the responder", "share")
_PARTS = (("harbors", "harbors"), ("monopolies", "monopolies"), ("bonus", "bonus spaces"))


def compared(tables: Tables) -> list[Picture]:
    """Several variants or line-ups side by side, if there are several."""
    if first_scenario(tables["balance"]).equals(tables["balance"]):
        return []
    seats = (
        Figure("margin_mean", "coins of the winner less the loser's", "amount"),
        Figure("leader_1_wins_share", "won by the leader of round 1", "share"),
    )
    by_round = (
        ("monopolies", {"track": ALL}, Figure("bonus_share", "on a bonus space", "share"),
         "How many markers come to a bonus space", "Share of all markers that lie on a bonus space after the round."),
        ("monopolies", {"track": ALL}, Figure("coins_mean", "coins", "amount"),
         "What a marker pays", "Mean coins that a marker brings in the round's scoring."),
        ("prices", {"tiles": ALL}, PRICE, "What a lot costs", "Mean price of all lots of the round."),
    )  # fmt: skip
    drawn = [
        Picture(
            "compared-balance", "balance", "intervals", "balance", seats, "The variants and line-ups compared",
            "Whiskers are 95 % intervals.", x="players", series=SCENARIO, x_label="players",
        )
    ]  # fmt: skip
    for page, where, figure, title, caption in by_round:
        if page in tables:
            name = f"compared-{page}-{figure.name.replace('_', '-')}"
            drawn.append(
                Picture(
                    name, page, "lines", page, (figure,), f"{title}, compared", caption, {**where, "by": "round"},
                    x="level", series=SCENARIO, x_label="round",
                )
            )  # fmt: skip
    return drawn


def _income(who: str = "") -> tuple[Figure, ...]:
    assert [name for name, _ in _PARTS] == list(SOURCES)
    return tuple(Figure(f"{who}coins_{name}_mean", label, "amount") for name, label in _PARTS)


def _balance(say: Narrator, tables: Tables) -> list[Picture]:
    winner = Figure("winner_score_mean", "mean of the winners", "amount")
    figures = (
        Figure("medici_win_share", "games won by Medici, ties as halves", "share"),
        Figure("medici_margin_mean", "coins of Medici less Strozzi's", "amount"),
        Figure("seat_fairness_p", "p-value of equal seats", "number"),
        Figure("score_mean", "coins of a player", "amount"),
        winner,
        Figure("loser_score_mean", "mean of the losers", "amount"),
        Figure("margin_mean", "coins of the winner less the loser's", "amount"),
        Figure("tie_share", "games with a shared win", "share"),
        Figure("lead_changes_mean", "changes of the leader from round to round", "number"),
        *leaders(tables, "games won by the leader after round {}"),
        Figure("decisions_mean", "decisions in a game", "count"),
        Figure("lots_mean", "lots in a round", "number"),
        Figure("tiles_mean", "tiles shown in a round", "number"),
        Figure("tiles_per_lot", "tiles in a lot", "number"),
        Figure("full_fleet_share", "rounds that end with a full fleet", "share"),
        Figure("empty_bag_share", "rounds that end with an empty bag", "share"),
        Figure("loaded_mean", "tiles a player loads in a round", "number"),
        Figure("paid_mean", "coins a player pays for lots in a game", "amount"),
        Figure("below_zero_share", "players with less than 0 coins at some time", "share"),
        Figure("below_zero_at_end_share", "players with less than 0 coins at the end", "share"),
        Figure("price_cap_share", "lots at the highest price an agent can name", "share"),
    )
    bars = {"a player": _income(), "the winner": _income("winner_"), "the loser": _income("loser_")}
    return [
        *score_pictures(
            "coins",
            "Thin line: 5 % to 95 % of all players' final coins. Thick line: the middle half. Dot: the median. "
            "Diamond: the mean of the winners.",
            bars,
            "Mean coins by source in a game, what was paid for lots not deducted. Tied games are in the first bar only.",
        ),
        Picture(
            "balance-figures", "balance", "table", "balance", figures, "The game in figures",
            "Each figure with its 95 % interval. A round that ends with a full fleet and an empty bag counts as the first.",
            x="figure",
        ),
    ]  # fmt: skip


def _prices(say: Narrator, tables: Tables) -> list[Picture]:
    by_size = (
        Figure("share_of_level", "share of the lots", "share"),
        PRICE,
        *(Figure(name, f"{round(100 * level)} % cost less than", "amount") for name, level in PRICE_QUANTILES.items()),
        FAIR,
        BUYER,
    )
    figures = (Figure("share", "share of the lots", "share"), PRICE, FAIR, BUYER)
    drawn = [
        Picture(
            "prices-by-size", "prices", "table", "prices", by_size, "Lots in figures",
            "Each figure with its 95 % interval. The fair price is estimated: half of what changes hands with the lot.",
            {"by": ALL}, x="tiles", x_label="tiles of the lot",
        ),
        Picture(
            "prices-by-round", "prices", "lines", "prices", (PRICE,), "What lots cost, round by round",
            "Mean price by the number of tiles in the lot.",
            {"by": "round"}, x="level", series="tiles", series_levels=SIZES, x_label="round",
        ),
        Picture(
            "prices-by-value", "prices", "lines", "prices", (PRICE,), "What lots cost, by their face value",
            "Mean price by the number of tiles in the lot and by their face values added up. At 0 lie the value-0 tiles "
            "with their two steps.",
            {"by": "value"}, x="level", series="tiles", series_levels=SIZES, x_label=BY_LABELS["value"],
        ),
        Picture(
            "prices-spread", "prices", "lines", "prices", (Figure("share", "share of the lots", "share"),),
            "How prices are spread", "Share of the lots with that number of tiles, by price.",
            {"by": "price"}, x="level", series="tiles", series_levels=SIZES, x_label=BY_LABELS["price"],
        ),
        Picture(
            "prices-and-fair", "prices", "lines", "prices", (PRICE, FAIR), "Prices and estimated fair prices",
            "Mean price named for lots by their estimated fair price.",
            {"by": "fair", "tiles": ALL}, x="level", series="figure", x_label=BY_LABELS["fair"],
        ),
        Picture(
            "buyers-by-price", "prices", "lines", "prices", (BUYER,), "Who buys, by price",
            "Share of lots that the responder buys. The line is one half.",
            {"by": "price"}, x="level", series="tiles", series_levels=SIZES, x_label=BY_LABELS["price"], equal=True,
        ),
        Picture(
            "buyers-by-gap", "prices", "lines", "prices", (BUYER,), "Who buys, by how dear the lot is",
            "Share of lots that the responder buys, by the price less the estimated fair price. The line is one half.",
            {"by": "gap", "tiles": ALL}, x="level", x_label=BY_LABELS["gap"], equal=True,
        ),
    ]  # fmt: skip
    tables_by = (
        ("zeros", "Lots by their value-0 tiles"), ("gold", "Lots by their gold tiles"),
        ("order", "Lots as the round goes on"), ("proposer", "Lots by who names the price"),
        ("room", "Lots by who could load them"),
    )  # fmt: skip
    whole = partial(Picture, page="prices", kind="table", table="prices", caption="All sizes together.", x="level")
    return drawn + [
        whole(f"prices-by-{by}", figures=figures, title=title, where={"by": by, "tiles": ALL}, x_label=BY_LABELS[by])
        for by, title in tables_by
    ]


def _tiles(say: Narrator, tables: Tables) -> list[Picture]:
    figures = (
        Figure("loaded_share", "loaded when shown", "share"),
        Figure("traded_share", "loaded where traded", "share"),
        Figure("steps_mean", "steps for each loaded", "number"),
        PRICE,
        Figure("fair_mean", "fair price", "amount"),
        Figure("value_0_price_minus_this_mean", "price of a 0 less its own", "amount"),
        BUYER,
    )
    return [
        Picture(
            "tile-prices", "tiles", "intervals", "tiles", (PRICE, FAIR), "What a tile costs that is a lot alone",
            "Mean price and mean estimated fair price of lots of one tile, by its face value. A tile of value 0 moves a "
            "marker two steps instead of one, gold none.",
            x="tile", series="figure", x_label="face value of the tile",
        ),
        Picture(
            "tiles-table", "tiles", "table", "tiles", figures, "Tiles in figures",
            "Prices are those of lots of one tile. Traded means that its goods have a track at the harbor it went to.",
            x="tile", x_label="face value",
        ),
    ]  # fmt: skip


def _harbors(say: Narrator, tables: Tables) -> list[Picture]:
    won = Figure("won_share", "share of ships that win their harbor", "share")
    harbors = say.table["harbor"].unique()
    own = tuple(name for name in harbors if name != ALL)
    outcomes = (
        Figure("decided_share", "won against a rival", "share"), Figure("tie_share", "tied", "share"),
        Figure("unopposed_share", "won by a lone ship", "share"),
        Figure("unopposed_unpaid_share", "lone ship without value", "share"),
        Figure("empty_share", "no ship", "share"),
    )  # fmt: skip
    ships = (
        Figure("moored_share", "used in a round", "share"), Figure("tiles_mean", "tiles", "number"),
        Figure("full_share", "full", "share"), Figure("load_mean", "face value", "number"),
        Figure("won_share", "wins its harbor", "share"), Figure("tied_share", "tied", "share"),
        Figure("alone_share", "without a rival", "share"),
    )  # fmt: skip
    return [
        Picture(
            "harbor-outcomes", "harbors", "table", "harbors", outcomes, "How harbors are decided",
            "Share of the scorings of a harbor.", {"by": ALL}, x="harbor", x_label="harbor",
        ),
        Picture(
            "harbor-coins", "harbors", "bars", "harbors", _income(), "What a harbor pays a player in a game",
            "Mean coins of a player from the better load, from monopolies on the harbor's tracks, and from bonus spaces.",
            {"by": ALL}, x="harbor", levels=own,
        ),
        Picture(
            "harbor-ships", "harbors", "intervals", "harbors", (won,), "Which ship wins a harbor",
            "Share of moored ships that are paid for the better load. Ties and rivals that stay away keep the mean off "
            "one half.",
            {"by": "ship"}, x="level", series="harbor", series_levels=own, x_label="spaces of the ship",
        ),
        Picture(
            "harbor-loads", "harbors", "lines", "harbors", (won,), "What load wins a harbor",
            "Share of ships with that total face value that win their harbor.",
            {"by": "load", "harbor": ALL}, x="level", x_label="total face value of the ship's tiles",
        ),
        Picture(
            "ships-table", "harbors", "table", "harbors", ships, "Ships in figures", "All harbors together.",
            {"by": "ship", "harbor": ALL}, x="level", x_label="spaces of the ship",
        ),
    ]  # fmt: skip


def _monopolies(say: Narrator, tables: Tables) -> list[Picture]:
    names = tuple(name for name in say.table["track"].unique() if name != ALL)
    figures = (
        Figure("off_centre_share", "off the centre", "share"), Figure("distance_mean", "spaces from it", "number"),
        Figure("bonus_share", "on a bonus space", "share"), Figure("swapped_share", "changed sides", "share"),
        Figure("coins_mean", "coins paid", "amount"), Figure("steps_mean", "steps made", "number"),
        Figure("effective_share", "of them moved it", "share"),
    )  # fmt: skip
    return [
        Picture(
            "markers-by-round", "monopolies", "table", "monopolies", figures, "The markers, round by round",
            "All tracks together. Steps are those of both players; what does not move the marker cancelled out or went "
            "beyond the end.",
            {"by": "round", "track": ALL}, x="level", x_label="after round",
        ),
        Picture(
            "markers-end", "monopolies", "lines", "monopolies", (Figure("share", "share of the markers", "share"),),
            "Where the markers end", "Share of all markers by their last space; positive spaces are Medici's.",
            {"by": "space", "track": ALL}, x="level", x_label="space; 0 is the centre",
        ),
        Picture(
            "tracks", "monopolies", "table", "monopolies", figures, "The tracks", "All rounds together.",
            {"by": ALL}, x="track", levels=names, x_label="track",
        ),
        Picture(
            "wins-by-markers", "monopolies", "lines", "monopolies", (WON,), "Who wins, by markers on their side",
            "Share of games won by players with that number of markers on their side at the end. The line is an equal chance.",
            {"by": "held", "track": ALL}, x="level", x_label="markers on their side at the end", equal=True,
        ),
    ]  # fmt: skip


def _rounds(say: Narrator, tables: Tables) -> list[Picture]:
    names = tuple(name for name in say.table["round"].unique() if name != ALL)
    course = (
        Figure("lots_mean", "lots", "number"), Figure("tiles_mean", "tiles shown", "number"),
        Figure("price_mean", "mean price", "amount"), Figure("full_fleet_share", "end with a full fleet", "share"),
        Figure("left_mean", "tiles left in the bag", "number"), Figure("loaded_mean", "tiles loaded", "number"),
        Figure("full_ships_share", "players with a full fleet", "share"),
    )  # fmt: skip
    money = tuple(
        Figure(f"{who}{name}_mean", f"{words}{label}", "amount")
        for who, words in (("", "a player "), ("winner_", "winner "), ("loser_", "loser "))
        for name, label in (("payout", "earns"), ("paid", "pays"))
    )
    return [
        Picture(
            "rounds-course", "rounds", "table", "rounds", course, "How rounds go and end",
            "Tiles loaded are those of one player.", x="round", levels=names, x_label="round",
        ),
        Picture(
            "rounds-income", "rounds", "bars", "rounds", _income(), "What a round brings a player",
            "Mean coins from harbors, from monopolies and from bonus spaces; what was paid for lots is not deducted.",
            x="round", levels=names,
        ),
        Picture(
            "rounds-money", "rounds", "table", "rounds", money, "Earned and paid, round by round",
            "Winner and loser are those of the whole game; ties are left out of their columns.",
            x="round", levels=(*names, ALL), x_label="round",
        ),
    ]  # fmt: skip


def _discards(say: Narrator, tables: Tables) -> list[Picture]:
    figures = (
        Figure("discard_share", "of these lots are discarded", "share"),
        Figure("forced_share", "of the discards for want of room", "share"),
        Figure("share", "share of all discards", "share"),
    )
    paid = Figure("price_mean", "mean price paid", "amount")
    return [
        Picture(
            "discards-by-tiles", "discards", "table", "discards", figures, "Discards by size of the lot", "",
            {"by": "tiles"}, x="level", x_label="tiles of the lot",
        ),
        Picture(
            "discards-by-buyer", "discards", "table", "discards", (*figures, paid), "Discards by who bought the lot",
            "The price is that of the lots discarded.",
            {"by": "buyer"}, x="level", levels=ROLES, x_label="bought by",
        ),
        Picture(
            "discards-by-round", "discards", "table", "discards", figures, "Discards by round", "",
            {"by": "round"}, x="level", x_label="round",
        ),
        Picture(
            "discards-why", "discards", "table", "discards", (figures[2], paid), "Why lots are discarded",
            "What a buyer meant is not recorded; told apart is who had room for the lot.",
            {"by": "why"}, x="level", levels=WHY, x_label="discarded because",
        ),
    ]  # fmt: skip


PICTURES = {
    "balance": _balance, "prices": _prices, "tiles": _tiles, "harbors": _harbors, "monopolies": _monopolies,
    "rounds": _rounds, "discards": _discards,
}  # fmt: skip

"""The pictures and tables that a Strozzi report shows, page by page."""

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.pages import ALL, leaders, score_pictures
from strozzi_sim.game.reporting import Picture, Tables
from strozzi_sim.games.strozzi.report.labels import BY_LABELS
from strozzi_sim.games.strozzi.state import CATEGORIES, CITY_NAMES, FLAG_NAMES, PORT_NAMES, SEATS

_MAX_PATTERNS = 9
_PLACES = tuple(str(place + 1) for place in range(SEATS))

WON = Figure("win_share", "games won", "share")
PRIZE = Figure("ship_prize_mean", "coins a ship earns in its port", "amount")
STEPS = Figure("steps_mean", "spaces its marker moves", "number")

_ORDERS = (
    Figure("share", "share of player-rounds", "share"),
    Figure("round_coins_mean", "coins in that round", "amount"),
    WON,
)


def _balance(tables: Tables) -> list[Picture]:
    sources = (("ships", "ships"), ("markers", "markers"), ("bonus", "bonus spaces"), ("promotion", "promotion tiles"))
    parts = tuple(Figure(f"coins_{name}_mean", label, "amount") for name, label in sources)
    winners = tuple(Figure(f"winner_{part.name}", part.label, "amount") for part in parts)
    winner = Figure("winner_score_mean", "mean of the winners", "amount")
    rest = (
        Figure("seat_gap", "win share of the best seat minus that of the worst", "share"),
        Figure("seat_gap_by_chance", "by chance alone at most, in 19 of 20 studies", "share"),
        Figure("seat_fairness_p", "p-value of equal seats", "number"),
        Figure("score_mean", "coins of a player", "amount"),
        winner,
        Figure("margin_mean", "coins of the winner less the second's", "amount"),
        Figure("florence_tie_share", "games decided by the Florence tie-break", "share"),
        Figure("lead_changes_mean", "changes of the leader", "number"),
        Figure("decisions_mean", "decisions in a game", "count"),
        Figure("set_aside_mean", "ships set aside in a game", "number"),
        Figure("unused_flags_mean", "flags never used in a game", "number"),
        Figure("tiles_left_mean", "promotion tiles left", "number"),
        Figure("payout_mean", "coins paid out in a game", "amount"),
        Figure("over_990_share", "games that pay more than the box holds", "share"),
    )
    return [
        *score_pictures(
            "coins",
            "Thin line: 5 % to 95 % of all players' scores. Thick line: the middle half. Dot: the median. Diamond: the mean "
            "score of the winners.",
            {"a player": parts, "the winner": winners}, "Mean coins of a player and of the winner, by source.",
        ),
        Picture(
            "leaders", "balance", "intervals", "balance",
            leaders(tables, "leader after round {}"),
            "How often the leader stays ahead",
            "Share of games won by the leader after the round, ties decided at Florence. The line is an equal "
            "chance.",
            x="players", series="figure", x_label="players", equal=True,
        ),
        Picture(
            "balance-figures", "balance", "table", "balance", rest, "The game in figures",
            "Each figure with its 95 % interval. Chance alone makes a larger gap between seats in one of 20 studies.",
            x="figure",
        ),
    ]  # fmt: skip


def _flags(tables: Tables) -> list[Picture]:
    whole = (
        Figure("uses_mean", "ships taken with it in a game", "number"),
        Figure("unused_share", "left unused at the end of a round", "share"),
        Figure("claims_mean", "first claims in a game", "number"),
        Figure("pirated_share", "its claims taken over by a pirate", "share"),
        Figure("takeover_share", "its uses that take over a claimed ship", "share"),
        Figure("sail_mean", "sail number of its ships", "number"),
        Figure("cargo_mean", "wares on its ships", "number"),
        Figure("order_mean", "which of the player's ships in the round: 1, 2 or 3", "number"),
        PRIZE,
        STEPS,
    )
    of_level = Figure("share_of_level", "share of the ships taken", "share")
    share = Figure("share", "share of the flag's uses", "share")
    robbed = Figure("pirated_share", "share of claims taken over", "share")
    return [
        Picture(
            "flags-table", "flags", "table", "flags", whole, "The three flags in figures",
            "Each figure with its 95 % interval. A first claim is one on an unclaimed card.",
            {"by": ALL}, x="flag", levels=FLAG_NAMES,
        ),
        Picture(
            "flags-by-sail", "flags", "lines", "flags", (of_level,), "Which flag takes which ships",
            "Of all ships with a sail number that were taken, the share taken with each flag. Without any preference all "
            "the lines would be at a third.",
            {"by": "sail"}, x="level", series="flag", series_levels=FLAG_NAMES, x_label=BY_LABELS["sail"],
        ),
        Picture(
            "flags-by-order", "flags", "lines", "flags", (share,), "When in a round each flag is used",
            "Share of the flag's uses on a player's first, second and third ship of the round.",
            {"by": "order"}, x="level", series="flag", series_levels=FLAG_NAMES, x_label="a player's ship in the round",
        ),
        Picture(
            "flags-by-lap", "flags", "lines", "flags", (share,), "From which seat each flag is used",
            "Share of the flag's uses by the seat it comes from, counted clockwise from the player who turned the "
            "card over.",
            {"by": "lap"}, x="level", series="flag", series_levels=FLAG_NAMES,
            x_label="seats after the active player (0 = that player)",
        ),
        Picture(
            "flags-pirated", "flags", "lines", "flags", (robbed,), "How often a claim is taken over by a pirate",
            "Share of first claims, by the flag they were laid with and the sail number of the ship.",
            {"by": "claim_sail"}, x="level", series="flag", series_levels=FLAG_NAMES, x_label=BY_LABELS["sail"],
        ),
        Picture(
            "flags-prizes", "flags", "intervals", "flags", (PRIZE, STEPS),
            "What a ship brings, by the flag that took it",
            "Left: coins from its rank in the port. Right: spaces its owner's marker moves there, the ware flag's "
            "step included.",
            {"by": ALL}, x="players", series="flag", series_levels=FLAG_NAMES, x_label="players",
        ),
        Picture(
            "flag-orders", "flags", "table", "flags",
            _ORDERS,
            "In which order players use their flags",
            f"The {_MAX_PATTERNS} commonest orders. Flags missing at the end of an order were not used. Who takes the "
            "flags in which order also depends on the ships that come, so a row is not advice.",
            {"by": "pattern", "flag": ALL}, x="level", sort="share", most=_MAX_PATTERNS, x_label="order of flags",
        ),
    ]  # fmt: skip


def _ports(tables: Tables) -> list[Picture]:
    ships, markers = (
        Figure("coins_ships_mean", "ships", "amount"),
        Figure("coins_markers_mean", "markers with bonus", "amount"),
    )
    whole = (
        Figure("share", "share of the ships placed", "share"),
        PRIZE,
        STEPS,
        Figure("coins_ships_mean", "coins of a player from its ships", "amount"),
        Figure("coins_markers_mean", "coins of a player from its markers", "amount"),
        WON,
    )
    rows = (Figure("share", "share", "share"), Figure("score_mean", "final score", "amount"), WON)
    return [
        Picture(
            "ports-table", "ports", "table", "ports", whole, "The cities in figures",
            "Each figure with its 95 % interval. Florence is not a port: no ship lands there.",
            {"by": ALL}, x="port", levels=CITY_NAMES,
        ),
        Picture(
            "city-coins", "ports", "bars", "ports", (ships, markers), "What a city pays a player in a game",
            "Mean coins of a player from ships and from markers.", {"by": ALL}, x="port", levels=CITY_NAMES,
        ),
        Picture(
            "prize-by-sail", "ports", "lines", "ports", (PRIZE,), "What speed pays",
            "Mean coins from a ship's rank in its port.",
            {"by": "sail"}, x="level", series="port", series_levels=PORT_NAMES, x_label=BY_LABELS["sail"],
        ),
        Picture(
            "last-spaces", "ports", "lines", "ports", (Figure("share", "share of players", "share"),),
            "Where the markers end",
            "Share of players whose marker ends on the space; 0 is the start space.",
            {"by": "space"}, x="level", series="port", series_levels=CITY_NAMES, x_label="space at the end",
        ),
        Picture(
            "wins-by-space", "ports", "lines", "ports", (WON,), "Who wins, by where the markers end",
            "Share of games won by players whose marker ends on the space. The line is an equal chance. Good players do "
            "several things well, so not all of this is the marker's doing.",
            {"by": "space"}, x="level", series="port", series_levels=CITY_NAMES, x_label="space at the end", equal=True,
        ),
        Picture(
            "port-pairs", "ports", "table", "ports", rows, "Which two ports paid a player best",
            "Players whose two best-paying ports are clear.", {"by": "pair"}, x="level", x_label="pair",
        ),
        Picture(
            "port-orders", "ports", "table", "ports",
            _ORDERS,
            "In which order players send ships to the ports", "The 6 commonest orders of a player's ships in a round.",
            {"by": "pattern", "port": ALL}, x="level", sort="share", most=6, x_label="order of ports",
        ),
    ]  # fmt: skip


def _promotion(tables: Tables) -> list[Picture]:
    prize = Figure("prize_mean", "prize in coins", "amount")
    by_place = (
        Figure("total_mean", "value of the tiles", "number"),
        Figure("tiles_mean", "tiles", "number"),
        prize,
        WON,
    )
    worth = (
        Figure("tiles_mean", "tiles of a player", "number"),
        Figure("prize_mean", "prize of a player in coins", "amount"),
        Figure("prize_per_tile", "coins for a tile", "amount"),
        Figure("prize_per_value", "coins for a point of value", "amount"),
    )
    return [
        Picture(
            "promotion-wins", "promotion", "intervals", "promotion", (WON,),
            "Who wins, by place in the promotion categories",
            "Share of games won by players in that place of a category; ties are decided at Florence. The line is "
            "an equal chance.",
            x="place", series="category", levels=_PLACES, series_levels=CATEGORIES,
            x_label="place in the category", equal=True,
        ),
        Picture(
            "promotion-places", "promotion", "table", "promotion", by_place, "Places in a category",
            "The three categories together.", {"category": ALL}, x="place", levels=_PLACES, x_label="place",
        ),
        Picture(
            "promotion-worth", "promotion", "table", "promotion", worth, "What a tile is worth",
            "A player's tiles and prize are those in one category. Coins for a tile are all prizes by all tiles taken.",
            {"category": ALL, "place": ALL}, x="figure",
        ),
    ]  # fmt: skip


def _ships(tables: Tables) -> list[Picture]:
    brought = Figure("coins_brought_mean", "coins it brings", "amount")
    figures = (Figure("taken_share", "taken when turned over", "share"), brought)
    parts = (
        brought,
        Figure(PRIZE.name, "for its rank in port", "amount"),
        Figure("coins_track_mean", "for spaces", "amount"),
    )
    table = (
        Figure("pirated_share", "claims taken over by a pirate", "share"),
        Figure("set_aside_share", "set aside", "share"),
        Figure("win_share", "games won by its takers", "share"),
    )
    return [
        Picture(
            "ships", "ships", "dots", "ships", figures, "Every ship: how often it is taken, and what it brings",
            "What it brings its taker: coins for its rank in the port, for the spaces it moves markers, in its round and later "
            "ones, and for its promotion tile. Each scoring's coins of a marker are divided among the spaces that it has moved, the "
            "ware flag's among them; those of a category among the tiles by value. V, R, N are wares for Venice, Rome and "
            "Naples; a scroll moves the marker at Florence; a tile is a promotion tile. Whiskers are 95 % intervals.",
            x="ship", series="players", sort=brought.name,
        ),
        Picture(
            "ships-coins", "ships", "table", "ships", parts, "What every ship brings in coins",
            "Each figure with its 95 % interval. What is left of the whole is paid for the promotion tile.",
            x="ship", x_label="ship", sort=brought.name,
        ),
        Picture(
            "ships-table", "ships", "table", "ships", table, "What becomes of every ship",
            "Each figure with its 95 % interval; `tables/ships.csv` has the rest.", x="ship", x_label="ship",
        ),
    ]  # fmt: skip


PICTURES = {"balance": _balance, "flags": _flags, "ports": _ports, "promotion": _promotion, "ships": _ships}

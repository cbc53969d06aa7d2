"""Facts of Strozzi recounted in plain Python from the lines of records."""

from collections import Counter

import numpy as np
import pytest

from recount import assert_recounted, counter
from strozzi_games import STROZZI, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation.match import Match

FLAGS, PORTS = ("pirate", "plus_one", "ware"), ("venice", "rome", "naples")
CITIES, CATEGORIES = (*PORTS, "florence"), ("art", "science", "architecture")


def told(lines):
    """The counts of one record, from its lines."""
    count, add = counter()
    header, *events = lines
    data, players = header["components"], header["players"]
    ships = {ship["id"]: ship for ship in data["ships"]}
    tiles = {tile["id"]: tile for tile in data["promotion_tiles"]}
    winner = next(line["ranking"][0] for line in events if line["type"] == "score_end")
    space = {(seat, city): 0 for seat in range(players) for city in CITIES}
    mine = {(seat, category): [] for seat in range(players) for category in CATEGORIES}
    order, active, claims = Counter(), 0, []

    def move(seat, city, steps):
        before = space[seat, city]
        space[seat, city] = min(before + steps, data["tracks"]["top_index"])
        return space[seat, city] - before

    for line in events:
        kind, seat = line["type"], line.get("player")
        if kind == "round":
            round_, order = line["round"], Counter()
            left = len(ships) - data["setup"]["cards_removed"][str(players)]
            used = {(who, what): [] for who in range(players) for what in ("flag", "port")}
        elif kind == "reveal":
            active, claims, card = seat, [], line["ship"]
            left -= 1
        elif kind == "claim" and line["flag"]:
            claims.append((seat, line["flag"]))
        elif kind == "place":
            flag, port = line["flag"], line["port"]
            order[seat] += 1
            steps = ships[card][port]
            if flag == "ware" and (steps > 0 or not data["rules"]["ware_flag_needs_match"]):
                steps += data["flags"]["ware_steps"]
            moved = move(seat, port, steps)
            move(seat, "florence", ships[card]["scrolls"])
            lap = (seat - active) % players
            wares = sum(ships[card][port] for port in PORTS)
            used[seat, "flag"].append(flag)
            used[seat, "port"].append(port)
            sums = (moved, wares, 60 * (seat == winner), len(claims) > 1)
            add(SHIPS, (flag, port, ships[card]["sail"], lap, order[seat]), *sums)
            add(LEFT, (round_, left), moved)
            first = claims[0][1]
            add(CARDS, (card, first, "yes" if len(claims) > 1 else "no"), 1)
        elif kind == "set_aside":
            add(CARDS, (card, "none", "no"), 0)
        elif kind == "take_tile" and line["tile"]:
            mine[seat, tiles[line["tile"]]["category"]].append(tiles[line["tile"]]["value"])
            if tiles[line["tile"]]["ware"]:
                move(seat, tiles[line["tile"]]["ware"], 1)
        elif kind == "score_round":
            for who in range(players):
                for city in CITIES:
                    add(SPACES, (city, round_), space[who, city])
                coins = line["ships"][who] + line["markers"][who] + line["bonus"][who]
                names = [">".join(used[who, what]) or "none" for what in ("flag", "port")]
                add(ROUNDS, names, coins, 60 * (who == winner))
        elif kind == "score_end":
            for who, total in enumerate(line["total"]):
                add(SEATS, (who,), total, line["promotion"][who], 2 * (line["ranking"].index(who) + 1))
                for category in CATEGORIES:
                    add(TILES, (category, sum(mine[who, category])), len(mine[who, category]))
            best = sorted(line["total"])[::-1]
            add(GAMES, (), best[0] - best[1], best[0] == best[1])
    return count


SHIPS = Crosstab("ship", ("flag", "port", "sail", "lap", "order"), ("steps", "cargo", "win", "takes_over"))
LEFT = Crosstab("ship", ("round", "cards_left"), ("steps",))
CARDS = Crosstab("card", ("card", "claimed_by", "taken_over"), ("taken",))
SPACES = Crosstab("marker", ("city", "round"), ("space",))
ROUNDS = Crosstab("round", ("flags", "ports"), ("coins", "win"))
SEATS = Crosstab("seat", ("seat",), ("total", "promotion", "place"))
TILES = Crosstab("category", ("category", "total"), ("tiles",))
GAMES = Crosstab("game", (), ("margin", "florence_tie"))
EVERY = (SHIPS, LEFT, CARDS, SPACES, ROUNDS, SEATS, TILES, GAMES)


@pytest.mark.slow_for("3-base-random")
@pytest.mark.parametrize(
    ("players", "name", "agents"),
    [(3, "base", "random"), (4, "base", "heuristic,random"), (6, "long-tracks", "greedy")],
)
def test_facts_recounted_from_records(players, name, agents):
    lineup = tuple(load_agent(agent) for agent in agents.split(","))
    match = Match(STROZZI, players, lineup, variant(name), 17, "one")
    assert_recounted(match, EVERY, told, deals=6)


PAID = Crosstab("marker", ("seat", "round", "city"), ("prize", "bonus"))
BROUGHT = Crosstab("ship", ("seat", "round", "card"), ("prize", "track", "promotion", "brought"))
PRIZES = Crosstab("category", ("seat", "category"), ("coins",))
TOTALS = Crosstab("seat", ("seat",), ("total",))


def moves(lines):
    """What each ship of a game moved and which tile it brought: (seat, round, card) -> spaces by city, tile; and the spaces at scorings."""
    header, *events = lines
    data, found, at = header["components"], {}, {}
    ships = {ship["id"]: ship for ship in data["ships"]}
    tiles = {tile["id"]: tile for tile in data["promotion_tiles"]}
    space = {(seat, city): 0 for seat in range(header["players"]) for city in CITIES}

    def move(key, city, steps):
        before = space[key[0], city]
        space[key[0], city] = min(before + steps, data["tracks"]["top_index"])
        found[key][0][city] += space[key[0], city] - before

    for line in events:
        if line["type"] == "round":
            number = line["round"]
        elif line["type"] == "place":
            key, card = (line["player"], number, line["ship"]), ships[line["ship"]]
            found[key] = Counter(), []
            extra = data["flags"]["ware_steps"] if line["flag"] == "ware" else 0
            move(key, line["port"], card[line["port"]] + extra)
            move(key, "florence", card["scrolls"])
        elif line["type"] == "take_tile":
            found[key][1].append(tiles[line["tile"]])
            if tiles[line["tile"]]["ware"]:
                move(key, tiles[line["tile"]]["ware"], 1)
        elif line["type"] == "score_round":
            at |= {(seat, number, city): spaces for (seat, city), spaces in space.items()}
    return found, at


@pytest.mark.parametrize(("players", "agents"), [(4, "heuristic,random"), (6, "greedy")])
def test_what_ships_brought_adds_up_to_what_players_got(players, agents):
    """Each ship has its part of what markers and categories paid, worked out from the lines of a record."""
    lineup = tuple(load_agent(agent) for agent in agents.split(","))
    match = Match(STROZZI, players, lineup, variant("base"), 17, "one")
    plan = match.plan((PAID, BROUGHT, PRIZES, TOTALS))
    for deal in range(2):
        counts = match.play(deal, deal + 1, plan=plan).counts[None]
        paid, brought, prizes, totals = (plan.read(each, counts)[0] for each in (PAID, BROUGHT, PRIZES, TOTALS))
        np.testing.assert_allclose(brought[..., 4].sum(axis=(1, 2)) / 100, totals[:, 1], rtol=2e-3)
        found, at = moves(record_game(match, deal, 0))
        cards = plan.levels("ship", "card").names
        for (seat, number, card), (spaces, tiles) in found.items():
            track = promotion = 0.0
            for city, later in ((city, later) for city in spaces for later in range(number, 4) if spaces[city]):
                track += spaces[city] * paid[seat, later - 1, CITIES.index(city), 1:].sum() / at[seat, later, city]
            for tile in tiles:
                mine = [t for (who, *_), (_, own) in found.items() if who == seat for t in own]
                total = sum(t["value"] for t in mine if t["category"] == tile["category"])
                promotion += prizes[seat, CATEGORIES.index(tile["category"]), 1] * tile["value"] / total
            _, prize, *coins = brought[seat, number - 1, cards.index(card)]
            assert coins[0] / 100 == pytest.approx(track, abs=0.15)
            assert coins[1] / 100 == pytest.approx(promotion, abs=0.01)
            assert coins[2] == 100 * prize + coins[0] + coins[1]

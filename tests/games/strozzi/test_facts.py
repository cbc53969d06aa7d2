"""Facts of Strozzi recounted in plain Python from the lines of records."""

from collections import Counter

import numpy as np
import pytest

from recount import assert_recounted
from strozzi_games import STROZZI, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation.match import Match

FLAGS, PORTS = ("pirate", "plus_one", "ware"), ("venice", "rome", "naples")
CITIES, CATEGORIES = (*PORTS, "florence"), ("art", "science", "architecture")


def told(lines, add):
    """Tell the rows of one record, from its lines."""
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
            flag, port, ship = line["flag"], line["port"], ships[card]
            order[seat] += 1
            steps = ship[port]
            if flag == "ware" and (steps > 0 or not data["rules"]["ware_flag_needs_match"]):
                steps += data["flags"]["ware_steps"]
            moved = move(seat, port, steps)
            move(seat, "florence", ship["scrolls"])
            used[seat, "flag"].append(flag)
            used[seat, "port"].append(port)
            add(
                "ship", seat=seat, round=round_, card=card, flag=flag, port=port, sail=ship["sail"], steps=moved, cards_left=left,
                lap=(seat - active) % players, order=order[seat], cargo=sum(ship[each] for each in PORTS),
                win=seat == winner, takes_over=len(claims) > 1,
            )  # fmt: skip
            add("card", card=card, claimed_by=claims[0][1], taken_over=len(claims) > 1, taken=True)
        elif kind == "set_aside":
            add("card", card=card, claimed_by="none", taken_over=False, taken=False)
        elif kind == "take_tile" and line["tile"]:
            mine[seat, tiles[line["tile"]]["category"]].append(tiles[line["tile"]]["value"])
            if tiles[line["tile"]]["ware"]:
                move(seat, tiles[line["tile"]]["ware"], 1)
        elif kind == "score_round":
            for who in range(players):
                for city in CITIES:
                    add("marker", seat=who, city=city, round=round_, space=space[who, city])
                coins = line["ships"][who] + line["markers"][who] + line["bonus"][who]
                flags, ports = (">".join(used[who, what]) or "none" for what in ("flag", "port"))
                add("round", seat=who, round=round_, flags=flags, ports=ports, coins=coins, win=who == winner)
        elif kind == "score_end":
            for who, total in enumerate(line["total"]):
                place = line["ranking"].index(who) + 1
                add("seat", seat=who, total=total, promotion=line["promotion"][who], place=place)
                for category in CATEGORIES:
                    own = mine[who, category]
                    add("category", seat=who, category=category, total=sum(own), tiles=len(own))
            best = sorted(line["total"])[::-1]
            add("game", margin=best[0] - best[1], florence_tie=best[0] == best[1])


@pytest.mark.slow_for("3-base-random")
@pytest.mark.parametrize(
    ("players", "name", "agents"),
    [(3, "base", "random"), (4, "base", "heuristic,random"), (6, "long-tracks", "greedy")],
)
def test_facts_recounted_from_records(players, name, agents):
    assert_recounted(told, "strozzi", players, agents, 6, variant=name)


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

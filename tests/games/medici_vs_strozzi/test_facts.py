"""Facts recounted in plain Python from the lines of records, row by row; fair prices from positions played again."""

from collections import Counter

import numpy as np
import pytest

from recount import assert_recounted
from strozzi_sim.agent import load_agent
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import from_changes, resolve_variant
from strozzi_sim.games.medici_vs_strozzi import fact_tables as f
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.worth import DEFAULT, MEMORY, fair_price, fill_round
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

GAME = load_game("medici_vs_strozzi")
FLIPPED = {
    "switches": {
        "round_ends_when": "moored", "lone_worthless_ship_wins": True, "net_marker_movement": False,
        "buy_without_room": False,
    },
    "tracks": {"half_length": 3, "bonus": {"2": 5, "3": 25}},
    "scoring": {"harbor_majority": 15, "monopoly": 8},
    "rounds": {"reveal_max": 4},
    "price_space": {"action_space_cap": 40},
}  # fmt: skip
VARIANTS = {"base": resolve_variant(GAME, "base"), "flipped": from_changes(GAME, "flipped", FLIPPED, "tests flipped")}


class Recount:
    """The rows of every table but that of estimates.

    Args:
        components: of the games.
        tell: function of a table and its columns, which is called for every row.
    """

    def __init__(self, components, tell):
        self.data, self.tell = components, tell
        self.tiles = {name: (kind, value) for name, kind, value in tile_ids(components)}
        self.faces = {value for kind, value in self.tiles.values() if kind != s.GOLD}
        self.types = [kind["key"] for kind in components["type"]]
        self.goods = {**dict(enumerate(self.types)), s.GOLD: components["gold"]["key"]}
        self.tracks = {harbor["id"]: harbor["tracks"] for harbor in components["harbor"]}
        self.ships = components["ships"]["capacities"]

    def steps(self, kind, value):
        zero, other = (self.data["marker_steps"][key] for key in ("value_zero_tile", "other_tile"))
        return 0 if kind == s.GOLD else zero if value == 0 else other

    def add(self, table, seat=None, **columns):
        if seat is not None:
            ahead = self.total[seat] - self.total[1 - seat]
            columns |= {
                "seat": s.PLAYER_NAMES[seat], "position": seat, "score": self.total[seat], "win": (np.sign(ahead) + 1) / 2,
                "place": (3 - np.sign(ahead)) / 2,
            }  # fmt: skip
        self.tell(table, **columns)

    def game(self, lines):
        end, start = lines[-1], self.data["money"]["start_cash"]
        self.total = end["total"]
        self.cash, self.poor, self.leader, self.lead_changes = [start, start], [0, 0], None, 0
        self.before = {(harbor, kind): 0 for harbor, kinds in self.tracks.items() for kind in kinds}
        self.sums = [Counter(), Counter()]
        for line in lines[1:]:
            getattr(self, "on_" + line["type"])(line)
        assert end["total"] == self.cash
        ahead = self.cash[0] - self.cash[1]
        self.add("game", tie=ahead == 0, margin=abs(ahead), medici_margin=ahead, lead_changes=self.lead_changes)
        for seat in (0, 1):
            own = {name: self.sums[seat][name] for name in ("harbors", "monopolies", "bonus", "paid")}
            self.add("seat", seat, total=self.cash[seat], below_zero=self.poor[seat],
                     below_zero_at_end=self.cash[seat] < 0, **own)  # fmt: skip

    def on_round(self, line):
        self.round, self.order = line["round"], 0
        self.last = self.round == self.data["rounds"]["count"]
        self.lot, self.left = [], len(self.tiles)
        self.hold = [{}, {}]  # ship -> tiles
        self.moored = [{}, {}]  # harbor -> ship
        self.paid = [0, 0]

    def on_reveal(self, line):
        self.lot.append(line["tile"])
        self.left -= 1
        self.proposer = line["player"]

    def room(self, seat):
        return max(ship - len(self.hold[seat].get(ship, [])) for ship in self.ships)

    def on_price(self, line):
        self.price = line["price"]

    def on_answer(self, line):
        self.bought = line["buy"]
        self.buyer = line["player"] if line["buy"] else 1 - line["player"]
        self.cash[self.buyer] -= self.price
        self.paid[self.buyer] += self.price
        self.poor[self.buyer] |= int(self.cash[self.buyer] < 0)

    def settle(self, line, harbor):
        lot, buyer, size = [self.tiles[name] for name in self.lot], self.buyer, len(self.lot)
        assert line["tiles"] == self.lot
        assert line["player"] == buyer
        self.order += 1
        discarded = harbor == "none"
        forced = discarded and size > self.room(buyer)
        rival_fits = size <= self.room(1 - buyer)
        fate = "loaded" if not discarded else "no_room" if forced else "denied" if rival_fits else "unwanted"
        responder_fits = size <= self.room(1 - self.proposer)
        value, gold = sum(value for _, value in lot), sum(kind == s.GOLD for kind, _ in lot)
        self.add(
            "lot", buyer, round=self.round, order=self.order, tiles=size, value=value, gold=gold,
            zeros=sum(kind != s.GOLD and value == 0 for kind, value in lot), proposer=s.PLAYER_NAMES[self.proposer],
            room="both" if responder_fits else "proposer", price=self.price,
            asked=self.data["switches"]["buy_without_room"] or responder_fits, bought=self.bought, discarded=discarded,
            forced=forced, price_band=self.price, capped=self.price == self.data["price_space"]["action_space_cap"],
            face="gold" if gold else max(face for face in self.faces if face <= value), fate=fate, rival_fits=rival_fits,
            buyer=("proposer", "responder")[self.bought],
        )  # fmt: skip
        for name, (kind, value) in zip(self.lot, lot, strict=True):
            traded = not discarded and self.goods[kind] in self.tracks[harbor]
            self.add(
                "tile", buyer, round=self.round, tile=name, value="gold" if kind == s.GOLD else value,
                goods=self.goods[kind], tiles=size, harbor=harbor, alone=size == 1, loaded=not discarded, traded=traded,
                steps=self.steps(kind, value) * traded,
            )  # fmt: skip
        if not discarded:
            self.hold[buyer].setdefault(line["ship"], []).extend(lot)
            self.moored[buyer][harbor] = line["ship"]
        self.lot = []

    def on_load(self, line):
        self.settle(line, line["harbor"])

    def on_discard(self, line):
        self.settle(line, "none")

    def value(self, seat, ship):
        return sum(value for _, value in self.hold[seat].get(ship, []))

    def winner(self, harbor):
        there = [seat for seat in (0, 1) if harbor in self.moored[seat]]
        values = [self.value(seat, self.moored[seat].get(harbor)) for seat in (0, 1)]
        if len(there) == 2:
            return None if values[0] == values[1] else int(values[1] > values[0])
        worthless = self.data["switches"]["lone_worthless_ship_wins"]
        return there[0] if there and (values[there[0]] or worthless) else None

    def on_score_round(self, line):
        loaded = [sum(len(tiles) for tiles in self.hold[seat].values()) for seat in (0, 1)]
        moored = self.data["switches"]["round_ends_when"] == "moored"
        full = any(
            len(self.hold[seat]) == len(self.ships) if moored else loaded[seat] == sum(self.ships) for seat in (0, 1)
        )
        assert full or self.left == 0
        self.add("round_end", round=self.round, lots=self.order, tiles=len(self.tiles) - self.left, left=self.left,
                 full_fleet=full, empty_bag=not full)  # fmt: skip
        paid = {harbor: self.count_harbor(harbor) for harbor in self.tracks}
        for harbor, kinds in self.tracks.items():
            for kind in kinds:
                monopoly, bonus = self.count_marker(harbor, kind, line["markers"][harbor][kind])
                paid[harbor]["monopolies"] += monopoly
                paid[harbor]["bonus"] += bonus
        for harbor, coins in paid.items():
            self.add("harbor", harbor=harbor, round=self.round, **coins)
        for seat in (0, 1):
            coins = {name: line[name][seat] for name in ("harbors", "monopolies", "bonus")}
            self.cash[seat] += sum(coins.values())
            self.sums[seat] += Counter(coins, paid=self.paid[seat])
        assert line["cash"] == self.cash
        ahead = self.cash[0] - self.cash[1]
        leader = None if ahead == 0 else int(ahead < 0)
        if leader is not None:
            self.lead_changes += self.leader not in (None, leader)
            self.leader = leader
        for seat in (0, 1):
            coins = {name: line[name][seat] for name in ("harbors", "monopolies", "bonus")}
            held = sum((place > 0) if seat == 0 else (place < 0) for place in self.before.values())
            self.add("round", seat, round=self.round, last=self.last, paid=self.paid[seat], loaded=loaded[seat], held=held,
                     leader=leader == seat, full=loaded[seat] == sum(self.ships), **coins)  # fmt: skip
            self.count_ships(seat)

    def count_harbor(self, harbor):
        winner = self.winner(harbor)
        there = [seat for seat in (0, 1) if harbor in self.moored[seat]]
        outcome = "empty"
        if there:
            names = ("decided", "tie") if len(there) == 2 else ("unopposed", "unopposed_unpaid")
            outcome = names[winner is None]
        coins = self.data["scoring"]["harbor_majority"] if winner is not None else 0
        return {"outcome": outcome, "harbors": coins, "monopolies": 0, "bonus": 0, "tied": outcome == "tie"}

    def count_ships(self, seat):
        for ship in self.ships:
            harbor = next((harbor for harbor, own in self.moored[seat].items() if own == ship), "none")
            rival = self.moored[1 - seat].get(harbor)
            moored, winner = harbor != "none", self.winner(harbor) if harbor != "none" else None
            won, alone, tiles = moored and winner == seat, moored and rival is None, len(self.hold[seat].get(ship, []))
            self.add(
                "ship", seat, round=self.round, ship=str(ship), harbor=harbor, rival="none" if rival is None else str(rival),
                load=self.value(seat, ship), tiles=tiles, won=won, tied=rival is not None and winner is None, moored=moored,
                alone=alone, alone_won=alone and won, full=tiles == ship,
            )  # fmt: skip

    def count_marker(self, harbor, kind, after):
        before, tracks = self.before[harbor, kind], self.data["tracks"]
        here = [self.hold[seat][self.moored[seat][harbor]] for seat in (0, 1) if harbor in self.moored[seat]]
        made = sum(self.steps(*tile) for tiles in here for tile in tiles if self.goods[tile[0]] == kind)
        bonus = tracks["bonus"].get(str(abs(after)), 0)
        monopoly = self.data["scoring"]["monopoly"] if after else 0
        self.add(
            "marker", harbor=harbor, goods=kind, track=f"{harbor}.{kind}", round=self.round, last=self.last, place=after,
            steps=made, moved=abs(after - before), swapped=before * after < 0, off_centre=after != 0, distance=abs(after),
            on_bonus=bonus > 0, monopoly=monopoly, bonus=bonus,
        )  # fmt: skip
        self.before[harbor, kind] = after
        return monopoly, bonus

    def on_score_end(self, line):
        assert line["total"] == self.cash


@pytest.mark.slow_for("base-random-12", "long", "fair-price")
@pytest.mark.parametrize(
    ("variant", "agent", "deals"),
    [
        ("base", "random", 4),
        ("flipped", "random", 4),
        ("base", "random", 12),
        ("base", "fair-price", 8),
        ("long", "random", 8),
    ],
)
def test_facts_recounted_from_records(variant, agent, deals):
    def told(lines, tell):
        Recount(lines[0]["components"], tell).game(lines)

    changes = FLIPPED if variant == "flipped" else None
    assert_recounted(told, GAME.name, 2, agent, deals, variant=variant, changes=changes, seed=1475)


def action_of(line, components):
    """The action that a line of a record stands for, or None if it was no decision."""
    kinds = {"price": lambda: s.NAME_PRICE + line["price"], "answer": lambda: s.BUY if line["buy"] else s.DECLINE}
    if line["type"] == "load":
        harbors = [harbor["id"] for harbor in components["harbor"]]
        ship = components["ships"]["capacities"].index(line["ship"])
        return s.LOAD + ship * s.MAX_HARBORS + harbors.index(line["harbor"])
    if line["type"] == "discard":
        return s.DISCARD
    return kinds[line["type"]]() if line["type"] in kinds else None


def lots_played_again(match, deal):
    """(price, number of tiles, fair price in tenths) of every lot, from the positions of a game played again."""
    lines = record_game(match, deal, 0)
    table = Position(GAME, 2, seed=match.seed, deal=deal, variant=match.variant)
    memory = np.zeros(1, MEMORY)
    shown = 0
    for line in lines[1:]:
        if line["type"] == "reveal":
            if shown and not table.over and table.state[0]["phase"] == s.REVEAL:
                table.play(s.REVEAL_MORE)
            shown += 1
            continue
        if line["type"] == "price":
            if table.state[0]["phase"] == s.REVEAL:
                table.play(s.STOP)
            memory[0]["filled"] = 0
            fill_round(table.state[0], match.variant.rules[0], DEFAULT, memory[0])
            fair = fair_price(table.state[0], match.variant.rules[0], DEFAULT, memory[0])
            yield line["price"], shown, int(f.TENTHS * fair + 0.5)
            shown = 0
        action = action_of(line, match.variant.components)
        if action is not None and not table.over and action in table.legal:
            table.play(action)
    assert table.over


@pytest.mark.parametrize(("variant", "agent"), [("base", "random"), ("flipped", "random")])
def test_fair_prices_are_those_of_the_positions_in_one_deal_of_many(variant, agent):
    agents = (load_agent(agent), load_agent(agent))
    match, games = Match(GAME, 2, agents, VARIANTS[variant], 1475, "one"), 3 * f.SAMPLED
    sums = ("fair", "gap", "miss", "price")
    by = {name: Crosstab("price_estimate", ("tiles", name), sums) for name in ("fair", "gap")}
    plan = match.plan(list(by.values()))
    counts = match.play(0, games, plan=plan).counts[None]
    levels = {name: plan.levels("price_estimate", name) for name in by}
    found = {name: plan.read(crosstab, counts)[0] for name, crosstab in by.items()}
    expected = {name: np.zeros_like(found[name]) for name in by}
    for deal in range(0, games, f.SAMPLED):
        for price, tiles, fair in lots_played_again(match, deal):
            gap = f.TENTHS * price - fair
            for name, value in (("fair", fair), ("gap", gap)):
                expected[name][tiles - 1, int(levels[name].of(np.array([value]))[0])] += 1, fair, gap, abs(gap), price
    for name in by:
        assert (found[name] == expected[name]).all(), f"{name}: {variant}, {agent}, seed 1475"
    assert found["fair"][..., 1].sum() > 0

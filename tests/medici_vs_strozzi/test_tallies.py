"""Tallies recounted in plain Python from the lines of records, sum by sum; fair prices from positions played again."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strozzi_sim.agent import load_agent
from strozzi_sim.games import load_game
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi import tallies as t
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.retrace import follow
from strozzi_sim.games.medici_vs_strozzi.worth import DEFAULT, MEMORY, fair_price, fill_round
from strozzi_sim.games.variants import from_changes, resolve_variant
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import record_game
from strozzi_sim.selfplay.match import Match

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
VARIANTS = {
    "base": resolve_variant(GAME, "base"),
    "long": resolve_variant(GAME, "long"),
    "flipped": from_changes(GAME, "flipped", FLIPPED, "tests flipped"),
}
CASES = [("base", "random", 40), ("base", "fair-price", 15), ("long", "random", 15), ("flipped", "random", 40)]


class Count:
    """What the tallies should hold, as Counters whose keys are indices; everything but fair prices."""

    def __init__(self, components):
        self.data = components
        self.sums = defaultdict(Counter)
        self.tiles = {name: (kind, value) for name, kind, value in tile_ids(components)}
        self.types = [kind["key"] for kind in components["type"]]
        self.harbors = {harbor["id"]: k for k, harbor in enumerate(components["harbor"])}
        self.tracks = {harbor["id"]: harbor["tracks"] for harbor in components["harbor"]}
        self.ships = components["ships"]["capacities"]

    def add(self, field, *index, by=1):
        self.sums[field][index] += by

    def steps(self, kind, value):
        zero, other = (self.data["marker_steps"][key] for key in ("value_zero_tile", "other_tile"))
        return 0 if kind == s.GOLD else zero if value == 0 else other

    def game(self, lines):
        end = lines[-1]
        self.win = [60 // len(end["winners"]) if seat in end["winners"] else 0 for seat in (0, 1)]
        start = self.data["money"]["start_cash"]
        self.cash, self.poor, self.leader = [start, start], [False, False], None
        self.before = {(harbor, kind): 0 for harbor, kinds in self.tracks.items() for kind in kinds}
        for line in lines[1:]:
            getattr(self, "on_" + line["type"])(line)
        ahead = end["total"][0] - end["total"][1]
        assert end["total"] == self.cash
        self.add("games")
        self.add("ties", by=int(ahead == 0))
        self.add("medici_margin", by=ahead)
        self.add("margin", by=abs(ahead))
        for seat in (0, 1):
            self.add("start_cash", by=start)
            self.add("score", self.cash[seat] - start + t.LOWEST)
            self.add("below_zero", 0, by=int(self.poor[seat]))
            self.add("below_zero", 1, by=int(self.cash[seat] < 0))

    def on_round(self, line):
        self.round, self.order = line["round"] - 1, 0
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
        self.poor[self.buyer] |= self.cash[self.buyer] < 0

    def settle(self, line, discarded):
        lot, buyer, size = [self.tiles[name] for name in self.lot], self.buyer, len(self.lot)
        assert line["tiles"] == self.lot
        assert line["player"] == buyer
        forced = discarded and size > self.room(buyer)
        rival_fits = size <= self.room(1 - self.proposer)
        asked = self.data["switches"]["buy_without_room"] or rival_fits
        levels = {
            t.BY_ROUND: self.round, t.BY_ORDER: self.order, t.BY_VALUE: sum(value for _, value in lot),
            t.BY_ZEROS: sum(kind != s.GOLD and value == 0 for kind, value in lot),
            t.BY_GOLD: sum(kind == s.GOLD for kind, _ in lot), t.BY_PROPOSER: self.proposer,
            t.BY_ROOM: int(not rival_fits), t.BY_PRICE: self.price // 5,
        }  # fmt: skip
        parts = {
            t.LOTS: 1, t.PRICE: self.price, t.ASKED: int(asked), t.BOUGHT: int(self.bought),
            t.DISCARDED: int(discarded), t.FORCED: int(forced), t.WON: self.win[buyer],
        }  # fmt: skip
        for by, level in levels.items():
            for part, number in parts.items():
                self.add("lot", by, min(level, 15), size - 1, part, by=number)
        self.add("price", size - 1, self.price)
        self.add("capped", by=int(self.price == self.data["price_space"]["action_space_cap"]))
        if discarded:
            where = int(buyer == self.proposer), int(not forced), int(size <= self.room(1 - buyer))
            self.add("why", *where, 0)
            self.add("why", *where, 1, by=self.price)
        for kind, value in lot:
            row = t.GOLD_VALUE if kind == s.GOLD else value
            self.add("tile", row, t.SHOWN)
            if not discarded:
                traded = kind != s.GOLD and self.types[kind] in self.tracks[line["harbor"]]
                self.add("tile", row, t.LOADED)
                self.add("tile", row, t.TRADED, by=int(traded))
                self.add("tile", row, t.STEPS, by=self.steps(kind, value) * traded)
                self.add("tile", row, t.TILE_WON, by=self.win[buyer])
                self.add("cargo", kind, self.harbors[line["harbor"]])
            if size == 1:
                self.add("tile", row, t.ALONE)
                self.add("tile", row, t.ALONE_PRICE, by=self.price)
                self.add("tile", row, t.ALONE_BOUGHT, by=int(self.bought))
        if not discarded:
            self.hold[buyer].setdefault(line["ship"], []).extend(lot)
            self.moored[buyer][line["harbor"]] = line["ship"]
        self.lot = []
        self.order += 1

    def on_load(self, line):
        self.settle(line, discarded=False)

    def on_discard(self, line):
        self.settle(line, discarded=True)

    def value(self, seat, harbor):
        return sum(value for _, value in self.hold[seat][self.moored[seat][harbor]])

    def winner(self, harbor):
        there = [seat for seat in (0, 1) if harbor in self.moored[seat]]
        if len(there) == 2:
            first, second = (self.value(seat, harbor) for seat in (0, 1))
            return None if first == second else int(second > first)
        if len(there) == 1 and (self.value(there[0], harbor) or self.data["switches"]["lone_worthless_ship_wins"]):
            return there[0]
        return None

    def on_score_round(self, line):
        loaded = [sum(len(tiles) for tiles in self.hold[seat].values()) for seat in (0, 1)]
        moored = self.data["switches"]["round_ends_when"] == "moored"
        full = any(
            len(self.hold[seat]) == len(self.ships) if moored else loaded[seat] == sum(self.ships) for seat in (0, 1)
        )
        assert full or self.left == 0
        for part, number in (
            (t.ROUNDS, 1), (t.ROUND_LOTS, self.order), (t.ROUND_TILES, len(self.tiles) - self.left),
            (t.FULL_FLEET, int(full)), (t.LEFT, self.left),
        ):  # fmt: skip
            self.add("round", self.round, part, by=number)
        for seat in (0, 1):
            self.add("loaded", self.round, loaded[seat])
            for k, ship in enumerate(self.ships):
                self.add("at_sea", k, by=int(ship not in self.hold[seat]))
        for harbor in self.harbors:
            self.count_harbor(harbor)
        for harbor, kinds in self.tracks.items():
            for kind in kinds:
                self.count_marker(harbor, kind, line["markers"][harbor][kind])
        for seat in (0, 1):
            self.cash[seat] += line["harbors"][seat] + line["monopolies"][seat] + line["bonus"][seat]
            held = sum((place > 0) if seat == 0 else (place < 0) for place in self.before.values())
            self.add("held", self.round, held, 0)
            self.add("held", self.round, held, 1, by=self.win[seat])
            for k, coins in enumerate((line["harbors"][seat], line["monopolies"][seat], line["bonus"][seat])):
                self.count_income(seat, k, coins)
            self.count_income(seat, t.PAID, self.paid[seat])
        assert line["cash"] == self.cash
        if self.cash[0] != self.cash[1]:
            leader = int(self.cash[1] > self.cash[0])
            self.add("leader", self.round, 0)
            self.add("leader", self.round, 1, by=self.win[leader])
            self.add("lead_changes", by=int(self.leader not in (None, leader)))
            self.leader = leader

    def count_income(self, seat, source, coins):
        self.add("income", self.round, seat, source, by=coins)
        if self.win[0] != self.win[1]:
            self.add("decided_income", self.round, int(self.win[seat] == 0), source, by=coins)

    def count_harbor(self, harbor):
        h, winner = self.harbors[harbor], self.winner(harbor)
        there = [seat for seat in (0, 1) if harbor in self.moored[seat]]
        for seat in there:
            ship, rival = self.moored[seat][harbor], self.moored[1 - seat].get(harbor)
            k, tiles, value = self.ships.index(ship), len(self.hold[seat][ship]), self.value(seat, harbor)
            tied = rival is not None and winner is None
            parts = {
                t.MOORED: 1, t.LOAD: value, t.TILES: tiles, t.FULL: int(tiles == ship), t.MAJORITY: winner == seat,
                t.TIED: tied, t.UNOPPOSED: rival is None, t.UNOPPOSED_PAID: rival is None and winner == seat,
                t.SHIP_WON: self.win[seat],
            }  # fmt: skip
            for part, number in parts.items():
                self.add("berth", h, k, part, by=int(number))
            other = s.MAX_SHIPS if rival is None else self.ships.index(rival)
            for part, number in enumerate((1, winner == seat, tied)):
                self.add("load", h, min(value, t.LOADS - 1), part, by=int(number))
                self.add("duel", k, other, part, by=int(number))
        outcome = t.EMPTY
        if there:
            outcome = (t.TIE if winner is None else t.DECIDED) if len(there) == 2 else t.LONE + (winner is None)
        self.add("harbor", h, self.round, outcome)
        if winner is not None:
            self.add("harbor_coins", h, self.round, t.HARBORS, by=self.data["scoring"]["harbor_majority"])

    def count_marker(self, harbor, kind, after):
        before, tracks = self.before[harbor, kind], self.data["tracks"]
        number = self.types.index(kind)
        made = sum(
            self.steps(*tile)
            for seat in (0, 1)
            if harbor in self.moored[seat]
            for tile in self.hold[seat][self.moored[seat][harbor]]
            if tile[0] == number
        )
        bonus = tracks["bonus"].get(str(abs(after)), 0)
        monopoly = self.data["scoring"]["monopoly"] if after else 0
        parts = {
            t.MARKERS: 1, t.OFF_CENTRE: after != 0, t.DISTANCE: abs(after), t.ON_BONUS: bonus > 0,
            t.SWAPPED: before * after < 0, t.COINS: monopoly + bonus, t.STEPS_MADE: made, t.MOVED: abs(after - before),
        }  # fmt: skip
        for part, count in parts.items():
            self.add("track", self.harbors[harbor], number, self.round, part, by=int(count))
        self.add("space", self.round, after + s.MAX_HALF_LENGTH)
        self.add("harbor_coins", self.harbors[harbor], self.round, t.MONOPOLIES, by=monopoly)
        self.add("harbor_coins", self.harbors[harbor], self.round, t.BONUS, by=bonus)
        self.before[harbor, kind] = after

    def on_score_end(self, line):
        assert [seat for seat in (0, 1) if self.win[seat]] == line["winners"]


def match_of(variant, agent):
    return Match(GAME, 2, (load_agent(agent), load_agent(agent)), VARIANTS[variant], 1475, "one")


def assert_recounted(variant, agent, first, last):
    """The tallies of these deals are what their records come to."""
    match = match_of(variant, agent)
    tallies = match.play(first, last).tallies[0]
    count = Count(VARIANTS[variant].components)
    for deal in range(first, last):
        count.game(record_game(match, deal, 0))
    for field in sorted(set(t.TALLIES.names) - set(t.NOTES)):
        expected = np.zeros_like(tallies[field])
        for index, number in count.sums[field].items():
            expected[index] += number
        found = tallies[field].copy()
        if field == "lot":
            found[[t.BY_FAIR, t.BY_GAP]] = 0
            found[..., [t.FAIR, t.MISS]] = 0
        elif field == "tile":
            found[:, t.ALONE_FAIR] = 0
        assert (found == expected).all(), f"{field}: {variant}, {agent}, seed 1475, deals {first} to {last - 1}"
    return count


@pytest.mark.parametrize(("variant", "agent", "games"), CASES)
def test_tallies_recounted_from_records(variant, agent, games):
    count = assert_recounted(variant, agent, 0, games)
    counted = {field for field, sums in count.sums.items() if any(sums.values())}
    rare = {"why", "ties", "capped", "below_zero", "at_sea"}  # may well not happen in a few games
    assert counted | rare == set(t.TALLIES.names) - set(t.NOTES)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(list(VARIANTS)), st.integers(0, 10**9))
def test_any_game_recounted(variant, deal):
    assert_recounted(variant, "random", deal, deal + 1)


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
    """(price, tiles, fair price in tenths) of every lot, from the positions of a game played again."""
    lines = record_game(match, deal, 0)
    table = Position(GAME, match.variant, 2, seed=match.seed, deal=deal)
    memory = np.zeros(1, MEMORY)
    shown = []
    for line in lines[1:]:
        if line["type"] == "reveal":
            if shown and not table.over and table.state[0]["phase"] == s.REVEAL:
                table.play(s.REVEAL_MORE)
            shown.append(line["tile"])
            continue
        if line["type"] == "price":
            if table.state[0]["phase"] == s.REVEAL:
                table.play(s.STOP)
            memory[0]["filled"] = 0
            fill_round(table.state[0], match.variant.rules[0], DEFAULT, memory[0])
            fair = fair_price(table.state[0], match.variant.rules[0], DEFAULT, memory[0])
            yield line["price"], list(shown), int(t.FAIRTH * fair + 0.5)
            shown = []
        action = action_of(line, match.variant.components)
        if action is not None and not table.over and action in table.legal:
            table.play(action)
    assert table.over


@pytest.mark.parametrize(("variant", "agent", "games"), [("base", "random", 6), ("flipped", "random", 6)])
def test_fair_prices_are_those_of_the_positions(variant, agent, games):
    match = match_of(variant, agent)
    tallies = match.play(0, games).tallies[0]
    by_fair, by_gap = np.zeros((2, t.LEVELS, s.MAX_REVEAL, 3), np.int64)
    starts = [t.FAIRTH * start for start in t.GAPS]
    for deal in range(games):
        for price, tiles, fair in lots_played_again(match, deal):
            gap = t.FAIRTH * price - fair
            sums = 1, fair, abs(gap)
            by_fair[min(fair // 50, 15), len(tiles) - 1] += sums
            by_gap[sum(gap >= start for start in starts), len(tiles) - 1] += sums
    for by, expected in ((t.BY_FAIR, by_fair), (t.BY_GAP, by_gap)):
        found = tallies["lot"][by][..., [t.LOTS, t.FAIR, t.MISS]]
        assert (found == expected).all(), f"{t.BY[by]}: {variant}, {agent}, seed 1475"
    assert tallies["lot"][t.BY_ROUND, ..., t.FAIR].sum() == by_fair[..., 1].sum() > 0


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_the_journal_followed_ends_in_the_final_position(variant):
    match = match_of(variant, "random")
    for deal in range(10):
        journal = match.play(deal, deal + 1).journal[0]
        state = np.zeros(1, s.STATE)
        rows = journal["rows"][: int(journal["count"])]
        for row in range(len(rows)):
            follow(state[0], match.variant.rules[0], journal, row)
            assert int(state[0]["cash"].sum()) == expected_cash(rows[: row + 1], match.variant.components)
        lines = record_game(match, deal, 0)
        assert state[0]["cash"].tolist() == lines[-1]["total"]
        for h, harbor in enumerate(match.variant.components["harbor"]):
            for kind in harbor["tracks"]:
                k = [each["key"] for each in match.variant.components["type"]].index(kind)
                assert state[0]["position"][h, k] == lines[-2]["markers"][harbor["id"]][kind]


def expected_cash(rows, components):
    """Coins of both players after the last of these rows: what they began with, less prices, more payouts."""
    total, price = 2 * components["money"]["start_cash"], 0
    for kind, _, b, _, d, e in rows.tolist():
        if kind == 3:
            price = b
        elif kind == 4:
            total -= price
        elif (kind == 7 and d >= 0) or kind == 8:
            total += e
    return total


def test_sums_agree():
    played = match_of("base", "random").play(0, 200)
    tallies, games = played.tallies[0], 200
    lots = tallies["lot"][..., t.LOTS].sum(axis=(1, 2))
    assert (lots == lots[0]).all()
    for part in (t.PRICE, t.ASKED, t.BOUGHT, t.FAIR, t.MISS, t.DISCARDED, t.FORCED, t.WON):
        sums = tallies["lot"][..., part].sum(axis=1)
        assert (sums == sums[0]).all()
    assert tallies["round"][:, t.ROUND_LOTS].sum() == lots[0] == tallies["price"].sum()
    prices = tallies["lot"][0, ..., t.PRICE].sum()
    assert (tallies["price"] * np.arange(s.MAX_PRICE + 1)).sum() == prices == tallies["income"][..., t.PAID].sum()
    assert tallies["tile"][:, t.SHOWN].sum() == tallies["round"][:, t.ROUND_TILES].sum()
    assert tallies["tile"][:, t.LOADED].sum() == (tallies["loaded"] * np.arange(t.FLEET)).sum()
    assert tallies["cargo"].sum() == tallies["tile"][:, t.LOADED].sum() == tallies["berth"][..., t.TILES].sum()
    assert tallies["tile"][:, t.STEPS].sum() == tallies["track"][..., t.STEPS_MADE].sum()
    assert (tallies["round"][:3, t.ROUND_TILES] + tallies["round"][:3, t.LEFT] == 26 * games).all()
    assert tallies["why"][..., 0].sum() == tallies["lot"][0, ..., t.DISCARDED].sum()
    assert tallies["why"][:, 0, :, 0].sum() == tallies["lot"][0, ..., t.FORCED].sum()
    assert (tallies["harbor"][:3, :3].sum(axis=2) == games).all()
    assert tallies["income"][..., : t.PAID].sum() == tallies["harbor_coins"].sum()
    assert tallies["score"].sum() == 2 * games
    gains = (tallies["score"] * (np.arange(t.SCORES) - t.LOWEST)).sum()
    assert gains == tallies["income"][..., : t.PAID].sum() - tallies["income"][..., t.PAID].sum()
    assert gains + tallies["start_cash"] == played.outcome["scores"].sum()
    assert (tallies["space"][:3].sum(axis=1) == 8 * games).all()
    assert (tallies["held"][:3, :, 0].sum(axis=1) == 2 * games).all()
    assert (tallies["held"][:3, :, 1].sum(axis=1) == 60 * games).all()
    assert tallies["berth"][..., t.MOORED].sum() + tallies["at_sea"].sum() == 3 * 3 * 2 * games


def test_the_chunks_of_a_match_add_up():
    match = match_of("base", "random")
    whole, parts = match.play(0, 60).tallies[0], [match.play(k, k + 20).tallies[0] for k in (0, 20, 40)]
    for field in set(t.TALLIES.names) - set(t.NOTES):
        assert (whole[field] == sum(part[field] for part in parts)).all(), field

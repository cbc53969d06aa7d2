"""The agents of Medici vs Strozzi: legal everywhere, pure, repeatable, true to what they say, and strong enough."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numba import types

from medici_games import BASE, KIT, MEDICI_VS_STROZZI, SHIPPED, variant
from strozzi_agents.learned.learned import LEVELS
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi import worth
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.view import view_of
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.record_types import record_type
from strozzi_sim.play.position import Position


def decisions(*names, played=BASE, deals=10):
    """(table, name) before every decision of games between two agents, and what is then chosen."""
    specs = [load_agent(name) for name in names]
    for deal in range(deals):
        table = Position(MEDICI_VS_STROZZI, 2, seed=8, deal=deal, variant=played)
        while not table.over:
            seat = table.actor
            action = table.ask(specs[seat])
            yield table, names[seat], action
            table.play(action)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0, 9, 30])
@pytest.mark.parametrize("tiles", [1, 2, 3])
def test_fixed_price_names_its_price_and_pays_no_more(value, tiles):
    name, answers = f"fixed-price:value={value},tiles={tiles}", set()
    for changes in ("base", "no-room-no-buy"):
        for table, who, action in decisions("fair-price", name, played=variant(changes), deals=6):
            if who != name:
                continue
            state, phase = table.state[0], int(table.state["phase"][0])
            if phase == s.PRICE:
                assert action == s.NAME_PRICE + value
                assert state["shown"] == tiles or state["shown"] == state["room"][1] or state["unseen"] == 0
            elif phase == s.ANSWER:
                assert action == (s.BUY if int(state["price"]) <= value else s.DECLINE)
                answers.add((action, int(np.sign(int(state["price"]) - value))))
            elif phase == s.REVEAL:
                assert action == (s.REVEAL_MORE if state["shown"] < tiles else s.STOP)
    assert answers >= {0: {(s.DECLINE, 1)}, 9: {(s.BUY, -1), (s.DECLINE, 1)}, 30: {(s.BUY, -1)}}[value]


@pytest.mark.parametrize(("rival", "answer"), [(11, s.BUY), (12, s.BUY), (13, s.DECLINE)])
def test_fixed_price_pays_its_price_and_not_a_coin_more(rival, answer):
    own = "fixed-price:value=12"
    for table, _, action in decisions(own, f"fixed-price:tiles=2,value={rival}", deals=3):
        if table.actor == 0 and table.state["phase"][0] == s.ANSWER:
            assert int(table.state["price"][0]) == rival
            assert action == answer


def lead_now(view, loads):
    """Medici's payout less Strozzi's if the round were scored with these loads: seat -> harbor -> tiles."""
    worth_of = {tile: (kind, value) for tile, kind, value in tile_ids(view.components)}
    types = [kind["key"] for kind in view.components["type"]]
    tracks, total = view.components["tracks"], 0
    for harbor, markers in view.markers.items():
        sums = [sum(worth_of[tile][1] for tile in loads[seat].get(harbor, ())) for seat in (0, 1)]
        total += 20 * ((sums[0] > sums[1]) - (sums[1] > sums[0]))
        for kind, place in markers.items():
            for seat, side in ((0, 1), (1, -1)):
                mine = [worth_of[tile] for tile in loads[seat].get(harbor, ())]
                place += side * sum(1 if value else 2 for each, value in mine if each == types.index(kind))
            place = max(-tracks["half_length"], min(tracks["half_length"], place))
            if place:
                total += (1 if place > 0 else -1) * (10 + tracks["bonus"].get(str(abs(place)), 0))
    return total


def test_fixed_price_loads_where_it_pays_most_now():
    loaded = 0
    for table, _, action in decisions("fixed-price", "fixed-price:value=15,tiles=3", deals=20):
        if table.state["phase"][0] != s.PLACE:
            continue
        view, seat = view_of(table.state[0], BASE.components, table.actor), table.actor
        pays = {}
        for option in table.legal:
            loads = [{harbor: list(load) for harbor, load in fleet.values() if harbor} for fleet in view.ships]
            if option >= s.LOAD:
                harbor = BASE.components["harbor"][(option - s.LOAD) % s.MAX_HARBORS]["id"]
                loads[seat][harbor] = [*loads[seat].get(harbor, ()), *view.lot]
            pays[option] = lead_now(view, loads) * (1 if seat == s.MEDICI else -1)
        assert pays[action] == max(pays.values())
        assert (action == s.DISCARD) == all(pays[option] < pays[s.DISCARD] for option in pays if option != s.DISCARD)
        loaded += action != s.DISCARD
    assert loaded > 200


@jit
def estimate(state, rules, weights, memory, out):
    worth.fill_round(state, rules, weights, memory)
    out[0], out[1] = worth.kept_and_sold(state, rules, weights, memory)
    out[2] = worth.fair_price(state, rules, weights, memory)
    out[3] = worth.margin(state, rules, weights, memory, state.proposer, False)
    out[4] = worth.margin(state, rules, weights, memory, state.proposer, True)
    out[5] = worth.another_tile(state, rules, weights, memory) if state.unseen > 0 else 0.0


@cache
def estimator():
    """The compiled estimate, from the cache of compiled code if it is there, and the weights of `fair-price`."""
    weights = compile_agent(load_agent("fair-price"), MEDICI_VS_STROZZI).params
    dtypes = (MEDICI_VS_STROZZI.state, MEDICI_VS_STROZZI.rules, weights.dtype, worth.MEMORY)
    signature = types.void(*map(record_type, dtypes), types.float64[::1])
    return entry(estimate, signature, MEDICI_VS_STROZZI.name), weights[0]


def estimates(state, rules):
    """W_P, W_R, the fair price, Medici's margin before and after the end of the round, the worth of another tile."""
    out, (kernel, weights) = np.zeros(6), estimator()
    kernel(state[0], rules[0], weights, np.zeros(1, worth.MEMORY)[0], out)
    return out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "factor"), [("fair-price", 1.0), ("shader", 0.8), ("shader:factor=0.5", 0.5), ("shader:factor=1.3", 1.3)]
)
def test_prices_are_the_said_share_of_the_fair_price(name, factor):
    named, bought = [], set()
    for table, _, action in decisions(name, name, deals=20):
        state = table.state[0]
        fair = estimates(table.state, BASE.rules)[2]
        if state["phase"] == s.PRICE:
            named.append(action - s.NAME_PRICE)
            assert abs(named[-1] - min(factor * fair, 120)) <= 0.5 + 1e-9
        elif state["phase"] == s.ANSWER:  # whatever it names itself
            assert action == (s.BUY if int(state["price"]) < fair else s.DECLINE)
            bought.add(action)
    assert len(named) > 100
    assert max(named) > 10 * factor
    assert bought == {s.BUY, s.DECLINE} or factor >= 1


def other_side(state):
    """The same position with the players' sides changed."""
    other = state.copy()
    for name in ("room", "loaded", "moored", "berths", "free", "harbor", "value", "steps", "cash"):
        other[name] = state[name][:, ::-1]
    other["position"] = -state["position"]
    for name in ("actor", "proposer", "buyer", "start_player"):
        other[name] = 1 - state[name]
    aboard = state["location"] < s.SEATS * s.MAX_SHIPS
    other["location"] = np.where(aboard, (state["location"] + s.MAX_SHIPS) % (s.SEATS * s.MAX_SHIPS), state["location"])
    return other


@pytest.mark.slow
@pytest.mark.parametrize("changes", [*SHIPPED, "moored", "worthless-wins", "no-room-no-buy"])
def test_item_57_changing_sides_changes_signs_and_nothing_else(changes):
    played, prices = variant(changes), 0
    for table, _, _ in decisions("fair-price", "shader", played=played, deals=2):
        mirrored = Position(MEDICI_VS_STROZZI, 2, seed=8, deal=0, variant=played)
        mirrored.state[:] = other_side(table.state)
        mirrored.actor = int(mirrored.state["actor"][0])
        mine, theirs = estimates(table.state, played.rules), estimates(mirrored.state, played.rules)
        assert theirs == pytest.approx(mine * [1, 1, 1, -1, -1, 1], abs=1e-9)
        if table.state["phase"][0] == s.PRICE and abs(mine[2] % 1 - 0.5) > 1e-6:
            assert mirrored.ask(load_agent("fair-price")) == s.NAME_PRICE + int(min(mine[2], 120) + 0.5)
            prices += 1
    assert prices > 20


@cache
def win_share(name, opponent, deals):
    """Win share over `deals` deals, each played from both sides."""
    played = KIT.match(name, opponent, seatings="rotate").play(0, deals)
    return played.outcome[0]["wins"][0].sum() / WIN_UNITS / played.games


def test_fair_price_beats_random():
    assert win_share("fair-price", "random", 400) >= 0.99


@pytest.mark.slow
def test_fair_price_beats_every_fixed_price():
    scanned = {}
    for value in range(3, 13):
        for tiles in (1, 2, 3):
            name = f"fixed-price:tiles={tiles},value={value}"
            scanned[name] = win_share("fair-price", name, 50)
    hardest = sorted(scanned, key=scanned.__getitem__)[:3]
    assert all(win_share("fair-price", name, 500) >= 0.80 for name in hardest)


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["margin", "win"])
def test_search_beats_fair_price(utility):
    assert win_share(f"appraiser:lots=3,playouts=20,utility={utility}", "fair-price", 40) > 0.6


@pytest.mark.slow
def test_every_three_levels_are_ahead_and_err_less():
    """Each level is ahead of the one below it in 0.6 of all games, so three in about 0.77."""
    for level in (0, 3, 6):
        assert win_share(f"learned:level={level + 3}", f"learned:level={level}", 150) > 0.65
    rates = load_agent("learned", MEDICI_VS_STROZZI).agent.error_rates[2]
    assert len(rates) == LEVELS + 1
    assert all(low < high for high, low in pairwise(rates))

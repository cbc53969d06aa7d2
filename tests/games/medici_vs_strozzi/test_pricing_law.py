"""The pricing law of facts: a price node is worth the mean of both outcomes, and mispricing costs what it must."""

import pytest

from exact_medici import Exact
from medici_games import MEDICI_VS_STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.play.position import Position

FAIR = load_agent("fair-price")
SMALL = from_changes(MEDICI_VS_STROZZI, "small-cap", {"price_space": {"action_space_cap": 60}}, "tests small-cap")


def end_positions(bag, count, players=(FAIR, FAIR)):
    """PRICE nodes of the last round with `bag` tiles in the bag, one for each of `count` deals that has one."""
    found = []
    deal = 0
    while len(found) < count:
        table = Position(MEDICI_VS_STROZZI, 2, seed=21, deal=deal, variant=SMALL)
        deal += 1
        while not table.over:
            state = table.state[0]
            if state["round"] == 2 and state["phase"] == s.PRICE and state["unseen"] == bag:
                found.append(table)
                break
            table.play(table.ask(players[table.actor]))
    return found


def outcomes(exact, state):
    """(W_P, W_R) for the proposer: the expected margin to come if the proposer, or the rival, gets the lot for nothing."""
    side = 1 if state["proposer"][0] == s.MEDICI else -1
    (asked,) = exact.after(state, s.NAME_PRICE)
    return side, side * exact.play(asked, s.DECLINE), side * exact.play(asked, s.BUY)


@pytest.mark.slow_for("2")
@pytest.mark.parametrize("bag", [0, 1, 2])
def test_a_price_node_is_worth_the_mean_of_both_outcomes(bag):
    for table in end_positions(bag, 6):
        exact, state = Exact(table), table.state
        side, mine, yours = outcomes(exact, state)
        value = side * exact.value(state)  # by trying every price, not by the closed form
        half = 0.5 * (mine - yours)
        expected = 0.5 * (mine + yours) if half >= 0 else mine
        assert abs(value - expected) <= 0.5 + 1e-9
        for price in range(0, 61):
            (asked,) = exact.after(state, s.NAME_PRICE + price)
            decline, buy = (side * exact.play(asked, answer) for answer in (s.DECLINE, s.BUY))
            assert min(decline, buy) == pytest.approx(side * exact.play(state, s.NAME_PRICE + price))
            assert abs(decline - buy) == pytest.approx(2 * abs(price - half))  # what a wrong answer costs
            assert min(decline, buy) == pytest.approx(0.5 * (mine + yours) - abs(price - half))  # off by d costs d


@pytest.mark.slow
def test_fair_price_is_exact_where_its_estimate_is():
    """With an empty bag in the last round the lot in question decides the game, and the estimate is no estimate."""
    asked = bought = 0
    for table in end_positions(0, 40):
        exact = Exact(table)
        _, mine, yours = outcomes(exact, table.state)
        half = max(0.5 * (mine - yours), 0.0)
        named = table.ask(FAIR) - s.NAME_PRICE
        assert abs(named - min(half, 60)) <= 0.5 + 1e-9
        for price in {0, 3, int(half), int(half) + 1, named, 60}:
            replayed = Exact(table)
            (state,) = replayed.after(table.state, s.NAME_PRICE + price)
            table_at = _seated(table, state)
            answer = table_at.ask(FAIR)
            options = {action: replayed.play(state, action) for action in (s.BUY, s.DECLINE)}
            side = 1 if table_at.actor == s.MEDICI else -1
            assert side * options[answer] == max(side * value for value in options.values())
            asked, bought = asked + 1, bought + (answer == s.BUY)
            (state,) = replayed.after(state, answer)
            seat, legal = replayed.legal(state)
            if len(legal) > 1:
                side = 1 if seat == s.MEDICI else -1
                placed = _seated(table, state).ask(FAIR)
                values = {action: side * replayed.play(state, action) for action in legal}
                assert values[placed] == max(values.values())
    assert 0 < bought < asked


def _seated(table, state):
    """A table at another position of the same deal."""
    other = Position(MEDICI_VS_STROZZI, 2, seed=21, deal=0, variant=SMALL)
    other.state[:] = state
    other.actor = int(state["actor"][0])
    return other


@pytest.mark.nightly
def test_search_prices_closer_than_the_estimate():
    searching = load_agent("appraiser:playouts=300,options=10,window=1000")
    missed = {"fair-price": 0.0, "appraiser": 0.0}
    positions = end_positions(2, 12)
    for table in positions:
        _, mine, yours = outcomes(Exact(table), table.state)
        half = max(0.5 * (mine - yours), 0.0)
        for name, spec in (("fair-price", FAIR), ("appraiser", searching)):
            missed[name] += abs(_seated(table, table.state).ask(spec) - s.NAME_PRICE - half) / len(positions)
    print(missed)
    assert missed["appraiser"] < missed["fair-price"]

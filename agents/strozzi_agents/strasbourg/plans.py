"""Plans of Strasbourg: kinds of events that a player may prefer to what the values of `learned` say."""

from numba import float64

from strozzi_agents.learned.verbs import plan_events
from strozzi_sim.games.strasbourg.state import (
    APPRENTICE,
    BID,
    BUILD_CHAPEL,
    BUILD_EDIFICE,
    CHAPEL,
    DEFER,
    EDIFICE,
    GOOD,
    KEEP,
    PASS,
    PLACE_ON,
    REVEAL,
    STATE,
)
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import jit, register_overload

# plan -> the event, once or as often as is said
PLANS = {
    "few-tasks": "gives tasks back: each",
    "bidder": "turns stacks over",
    "thrifty": "passes in auctions",
    "waiting": "defers bids",
    "goods": "takes a good with its apprentice",
    "members": "puts members into the city with its apprentice",
    "chapels": "builds chapels beside its members: each member",
    "edifices": "builds edifices beside its members: each member",
}
(
    _FEW_TASKS,
    _BIDDER,
    _THRIFTY,
    _WAITING,
    _GOODS,
    _MEMBERS,
    _CHAPELS,
    _EDIFICES,
) = range(1, len(PLANS) + 1)


@jit
def _plan_events(state, rules, plan, action):
    phase = state.phase
    if phase == KEEP:
        return -float64(count_bits(action)) if plan == _FEW_TASKS else 0.0
    if phase == BID:
        is_event = (plan == _BIDDER and action >= REVEAL) or (plan == _THRIFTY and action == PASS)
        return float64(is_event or (plan == _WAITING and action == DEFER))
    if phase == APPRENTICE:
        return float64((plan == _GOODS and action == GOOD) or (plan == _MEMBERS and action >= PLACE_ON))
    members = state.members[state.actor]
    if phase == BUILD_CHAPEL and plan == _CHAPELS and action >= CHAPEL:
        return float64(count_bits(members & rules.chapel_spaces[action - CHAPEL]))
    if phase == BUILD_EDIFICE and plan == _EDIFICES and action >= EDIFICE:
        return float64(count_bits(members & rules.site_spaces[action - EDIFICE]))
    return 0.0


register_overload(plan_events, STATE, _plan_events)

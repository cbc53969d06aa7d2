"""Plans of Medici vs Strozzi: kinds of events that a player may prefer to what the values of `learned` say."""

from numba import float64

from strozzi_agents.learned.verbs import plan_events
from strozzi_sim.games.medici_vs_strozzi.state import BUY, GOLD, LOAD, MAX_HARBORS, NO_HARBOR, STATE
from strozzi_sim.kernel.jit import jit, register_overload

# plan -> the event, once or as often as is said
PLANS = {
    "buyer": "gets lots",
    "seller": "leaves lots to the rival",
    "big-lots": "gets lots of three tiles or more",
    "small-lots": "gets lots of one tile",
    "gold": "gets gold: each tile",
    "new-ships": "loads lots on ships that are not moored yet",
    "full-ships": "fills ships to the last space",
    "ahead": "loads where its tiles are already worth more than the rival's",
    "behind": "loads where its tiles are worth less than the rival's",
}
_BUYER, _SELLER, _BIG_LOTS, _SMALL_LOTS, _GOLD, _NEW_SHIPS, _FULL_SHIPS, _AHEAD, _BEHIND = range(1, len(PLANS) + 1)
_BIG = 3  # tiles


@jit
def _events_of_lot(state, rules, plan):
    """Return the events of a plan in getting the lot."""
    if plan == _BUYER:
        return 1.0
    if plan == _SELLER:
        return -1.0
    if plan == _BIG_LOTS:
        return float64(state.shown >= _BIG)
    if plan == _SMALL_LOTS:
        return float64(state.shown == 1)
    gold = 0
    for k in range(state.shown):
        gold += rules.tile_type[state.lot[k]] == GOLD
    return float64(gold) if plan == _GOLD else 0.0


@jit
def _plan_events(state, rules, plan, action):
    if action == BUY:
        return _events_of_lot(state, rules, plan)
    place = action - LOAD
    if place < 0 or place >= len(state.free[0]) * MAX_HARBORS:
        return 0.0
    seat, ship, harbor = state.actor, place // MAX_HARBORS, place % MAX_HARBORS
    if plan == _NEW_SHIPS:
        return float64(state.harbor[seat, ship] == NO_HARBOR)
    if plan == _FULL_SHIPS:
        return float64(state.free[seat, ship] == state.shown)
    lead = int(state.value[seat, harbor]) - int(state.value[1 - seat, harbor])
    return float64((plan == _AHEAD and lead > 0) or (plan == _BEHIND and lead < 0))


register_overload(plan_events, STATE, _plan_events)

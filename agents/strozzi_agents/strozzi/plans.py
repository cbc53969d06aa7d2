"""Plans of Strozzi: kinds of events that a player may prefer to what the values of `learned` say."""

from numba import float64

from strozzi_agents.learned.verbs import plan_events
from strozzi_sim.games.strozzi.state import (
    CATEGORIES,
    CLAIM_WITH,
    DECLINE_TILE,
    PIRACY,
    PIRATE_FLAG,
    PLACE_AT,
    PORT,
    PORTS,
    STATE,
    TAKE_TILE,
    TILE,
    WARE_FLAG,
)
from strozzi_sim.kernel.jit import jit, register_overload

# plan -> the event, once or as often as is said
PLANS = {
    "pirate-early": "claims with the pirate flag among the first three cards of a round",
    "pirate-late": "claims with the pirate flag in the second half of a round",
    "snatcher": "takes ships that others have claimed",
    "early": "claims among the first three cards of a round",
    "patient": "lets ships pass in the first half of a round",
    "fast": "claims ships with sail 6 or more",
    "wares": "puts ships where their wares go, each of them, and claims with the ware flag",
    "promoter": "claims ships with a promotion symbol",
    "scholar": "claims ships with scrolls: each scroll",
    "one-city": "puts ships where its marker is highest",
    "all-cities": "puts ships where its marker is lowest",
    "one-category": "takes tiles of the category of which it has most",
    "all-categories": "takes tiles of the category of which it has least",
}
(
    _PIRATE_EARLY,
    _PIRATE_LATE,
    _SNATCHER,
    _EARLY,
    _PATIENT,
    _FAST,
    _WARES,
    _PROMOTER,
    _SCHOLAR,
    _ONE_CITY,
    _ALL_CITIES,
    _ONE_CATEGORY,
    _ALL_CATEGORIES,
) = range(1, len(PLANS) + 1)
_EARLY_CARDS = 3  # of a round
_FAST_SAIL = 6


@jit
def _events_of_claim(state, rules, plan, flag):
    """Return the events of a plan in a claim with `flag`, or in a pass, -1."""
    ship, cards = state.ship, rules.cards[state.players]
    is_early, is_late = cards - state.deck <= _EARLY_CARDS, 2 * state.deck < cards
    if flag < 0:
        return float64(plan == _PATIENT and not is_late)
    if plan == _PIRATE_EARLY:
        return float64(flag == PIRATE_FLAG and is_early)
    if plan == _PIRATE_LATE:
        return float64(flag == PIRATE_FLAG and is_late)
    if plan == _SNATCHER:
        return float64(state.phase == PIRACY)
    if plan == _EARLY:
        return float64(is_early)
    if plan == _FAST:
        return float64(rules.sail[ship] >= _FAST_SAIL)
    if plan == _PROMOTER:
        return float64(rules.promotion[ship])
    if plan == _SCHOLAR:
        return float64(rules.scrolls[ship])
    if plan == _WARES:
        return float64(flag == WARE_FLAG)
    return 0.0


@jit
def _own_rank(state, seat, port):
    """Return how many ports with a free berth have a higher marker of `seat`, and how many have a lower one."""
    higher = lower = 0
    for other in range(PORTS):
        if (state.berths[seat] >> other) & 1 == 1:
            higher += state.position[other, seat] > state.position[port, seat]
            lower += state.position[other, seat] < state.position[port, seat]
    return higher, lower


@jit
def _events_of_tile(state, rules, plan, seat, slot):
    """Return the events of a plan in taking the tile in a slot of the display."""
    category = rules.tile_category[state.display[slot]]
    more = less = 0
    for other in range(len(CATEGORIES)):
        more += state.tile_total[other, seat] > state.tile_total[category, seat]
        less += state.tile_total[other, seat] < state.tile_total[category, seat]
    if plan == _ONE_CATEGORY:
        return float64(more == 0)
    return float64(plan == _ALL_CATEGORIES and less == 0)


@jit
def _plan_events(state, rules, plan, action):
    phase, seat = state.phase, state.actor
    if phase == TILE:
        if action == DECLINE_TILE:
            return 0.0
        return _events_of_tile(state, rules, plan, seat, action - TAKE_TILE)
    if phase == PORT:
        port = action - PLACE_AT
        higher, lower = _own_rank(state, seat, port)
        if plan == _WARES:
            return float64(rules.cargo[state.ship, port])
        return float64((plan == _ONE_CITY and higher == 0) or (plan == _ALL_CITIES and lower == 0))
    return _events_of_claim(state, rules, plan, action - CLAIM_WITH)


register_overload(plan_events, STATE, _plan_events)

"""The immediate value of a load: the lead in payouts if the round were scored now."""

from strozzi_sim.games.medici_vs_strozzi.core import placements
from strozzi_sim.games.medici_vs_strozzi.scoring import harbor_lead, marker_ends, track_pay
from strozzi_sim.games.medici_vs_strozzi.state import DISCARD, LOAD, MEDICI
from strozzi_sim.games.medici_vs_strozzi.worth import place_lot
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import clone


@jit
def lead_now(state, rules):
    """Return Medici's payout less Strozzi's if the round were scored now, in coins."""
    total = 0
    for harbor in range(rules.harbors):
        total += rules.majority * harbor_lead(state, rules, harbor)
        for kind in range(rules.types):
            if rules.half_length[harbor, kind] > 0:
                total += track_pay(rules, harbor, kind, marker_ends(state, rules, harbor, kind))
    return total


@jit
def best_load_now(state, rules, seat):
    """Return the load with the largest `lead_now` for `seat`, or DISCARD if no load is allowed or all lower it."""
    sign = 1 if seat == MEDICI else -1
    after = clone(state)
    best, chosen = sign * lead_now(after, rules), DISCARD
    places = placements(state, rules, seat)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        place_lot(after, state, rules, seat, place)
        pay = sign * lead_now(after, rules)
        if pay > best or (pay == best and chosen == DISCARD):
            best, chosen = pay, LOAD + place
    return chosen

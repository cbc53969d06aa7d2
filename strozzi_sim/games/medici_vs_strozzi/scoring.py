"""Scoring a round: harbors, then all markers, then monopolies from their new places (41)."""

from numba import int64

from strozzi_sim.games.medici_vs_strozzi.events import HARBOR, MARKER, SCORE
from strozzi_sim.games.medici_vs_strozzi.state import MEDICI, STROZZI
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.journal import write_event


@force_inline
def present(state, seat, harbor):
    """Return 1 if a ship of `seat` is moored at `harbor`, else 0."""
    return 1 - ((state.berths[seat] >> harbor) & 1)


@force_inline
def leader(rules, lead, more_ships):
    """Return 1 if Medici wins a harbor, -1 if Strozzi, 0 if neither (37), by Medici's lead in value and in ships."""
    if lead == 0 and rules.worthless_wins:
        lead = more_ships
    return int64(lead > 0) - int64(lead < 0)


@force_inline
def harbor_lead(state, rules, harbor):
    """Return the winner of a harbor with the current loads: 1 Medici, -1 Strozzi, 0 neither."""
    more_ships = present(state, MEDICI, harbor) - present(state, STROZZI, harbor)
    return leader(rules, state.value[MEDICI, harbor] - state.value[STROZZI, harbor], more_ships)


@force_inline
def marker_moves(rules, place, half_length, medici, strozzi):
    """Return where a marker at `place` ends after `medici` and `strozzi` steps to either side (38, 39)."""
    if rules.net_movement:
        return min(max(place + medici - strozzi, -half_length), half_length)
    return max(min(place + medici, half_length) - strozzi, -half_length)


@force_inline
def marker_ends(state, rules, harbor, kind):
    """Return the position of a marker after the round is scored with the current loads."""
    place, half_length, steps = state.position[harbor, kind], rules.half_length[harbor, kind], state.steps
    return marker_moves(rules, place, half_length, steps[MEDICI, harbor, kind], steps[STROZZI, harbor, kind])


@force_inline
def track_pay(rules, harbor, kind, position):
    """Return the coins for a marker at `position`, bonus included; Strozzi's are negative (42, 43)."""
    if position > 0:
        return rules.monopoly + rules.bonus[harbor, kind, position]
    return -rules.monopoly - rules.bonus[harbor, kind, -position] if position < 0 else 0


@jit
def score_round(state, rules, journal):
    """Pay the harbors, move all markers, and pay the monopolies."""
    majority = rules.majority
    medici_cash, strozzi_cash = state.cash[MEDICI], state.cash[STROZZI]
    for harbor in range(rules.harbors):
        lead = harbor_lead(state, rules, harbor)
        medici_cash += majority * int64(lead > 0)
        strozzi_cash += majority * int64(lead < 0)
        winner = -1 if lead == 0 else MEDICI if lead > 0 else STROZZI
        medici = state.value[MEDICI, harbor] if present(state, MEDICI, harbor) else -1
        strozzi = state.value[STROZZI, harbor] if present(state, STROZZI, harbor) else -1
        write_event(journal, HARBOR, harbor, medici, strozzi, winner, majority)
    for harbor in range(rules.harbors):
        for kind in range(rules.types):
            if rules.half_length[harbor, kind] == 0:
                continue
            after = marker_ends(state, rules, harbor, kind)
            state.position[harbor, kind] = after
            coins = track_pay(rules, harbor, kind, after)
            medici_cash += max(coins, 0)
            strozzi_cash += max(-coins, 0)
            steps = state.steps[MEDICI, harbor, kind] + state.steps[STROZZI, harbor, kind]
            write_event(journal, MARKER, harbor, kind, after, steps, abs(coins))
    state.cash[MEDICI], state.cash[STROZZI] = medici_cash, strozzi_cash
    write_event(journal, SCORE, medici_cash, strozzi_cash, 0, 0, 0)

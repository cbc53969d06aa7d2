"""Scoring after every round and at the end, the order of players, and the ports and tiles that a seat can choose."""

from strozzi_sim.games.strozzi.events import END, MARKER, SCORE, SHIP_PRIZE
from strozzi_sim.games.strozzi.state import CITIES, FLORENCE, PORTS
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.journal import write_event


@force_inline
def space_bonus(rules, city, space):
    """Return the bonus coins of a marker on `space` (66, 67)."""
    return rules.bonus[space] if city != FLORENCE or rules.florence_bonus else 0


@jit
def category_coins(state, rules, seat, category, total):
    """Return the prize of `seat` in `category` with tiles worth `total`, their value now or more (61, 62)."""
    return rank_coins(rules, rank_in_category(state, seat, category, total), total)


@force_inline
def rank_coins(rules, rank, total):
    """Return the prize of a seat of this rank (0 = best) in a category, with tiles worth `total`."""
    return rules.category_prize[rank] if total > 0 or rules.zero_total_scores else 0


@jit
def rank_in_category(state, seat, category, total):
    """Return the number of seats better in `category` than `seat` with tiles worth `total`, their value now or more."""
    return _seats_above(state, state.tile_total[category], seat, total)


@force_inline
def _seats_above(state, amounts, seat, amount):
    """Return the number of seats above `seat` if it had `amount`, at least its own; ties by the order at Florence."""
    above = 0
    ahead = 1  # at Florence
    for rank in range(state.players):
        other = state.order[FLORENCE, rank]
        ahead &= other != seat
        above += amounts[other] + ahead > amount
    return above


@jit
def score_round(state, rules, journal):
    """Pay ships, then markers with their bonuses (64-69)."""
    players = state.players
    for port in range(PORTS):
        for rank in range(state.ships_at[port]):
            seat = state.berth_seat[port, rank]
            prize = rules.ship_prize[rank]
            state.coins[seat] += prize
            write_event(journal, SHIP_PRIZE, seat, state.berth_ship[port, rank], port, rank, prize)
    for city in range(CITIES):
        for rank in range(players):
            seat = state.order[city, rank]
            space = state.position[city, seat]
            if space == 0 and journal is None:
                break  # markers on the start space do not score (65)
            prize = rules.marker_prize[rank] if space > 0 else 0
            bonus = space_bonus(rules, city, space)
            state.coins[seat] = state.coins[seat] + prize + bonus
            write_event(journal, MARKER, seat, city, space, prize, bonus)
    for seat in range(players):
        write_event(journal, SCORE, seat, state.coins[seat], 0, 0, 0)


@jit
def score_tiles(state, rules, journal):
    """Pay the category prizes, and write the events of the end of the game."""
    players = state.players
    for category in range(3):
        for seat in range(players):
            state.coins[seat] += category_coins(state, rules, seat, category, state.tile_total[category, seat])
    for seat in range(players):
        write_event(journal, END, seat, state.coins[seat], better_seats(state, seat), 0, 0)


@jit
def better_seats(state, seat):
    """Return the number of seats with more coins, or as many and a better marker at Florence (70)."""
    return _seats_above(state, state.coins, seat, state.coins[seat])


@force_inline
def has_power(rules, seat, flag):
    """Return whether a flag of `seat` has its power; one that a restriction makes powerless only claims a ship."""
    return (rules.powerless[seat] >> flag) & 1 == 0


@jit
def forbidden_slots(state, rules, seat):
    """Return the set of display slots whose tiles a restriction forbids to `seat`."""
    slots = 0
    for slot in range(state.display_size):
        tile = state.display[slot]
        forbidden = rules.no_category[seat] >> rules.tile_category[tile] | rules.no_tile[seat] >> tile
        if forbidden & 1:
            slots |= 1 << slot
    return slots


@force_inline
def free_ports(state, rules, seat):
    """Return the set of ports where `seat` can place its next ship; a restriction that would leave none is void."""
    free = state.berths[seat] & ~rules.no_port[seat]
    return free if free != 0 else state.berths[seat]


@force_inline
def open_slots(state, rules, seat):
    """Return the set of display slots that `seat` can take; empty without tiles, or if optional and all forbidden."""
    slots = (1 << state.display_size) - 1
    if rules.restricted:
        allowed = slots & ~forbidden_slots(state, rules, seat)
        return allowed if allowed != 0 or rules.tile_optional else slots
    return slots

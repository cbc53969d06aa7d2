"""Immediate values: exact coins if the round and the categories were scored now."""

from numba import int64

from strozzi_sim.games.strozzi.scoring import category_coins, free_ports, has_power, open_slots, space_bonus
from strozzi_sim.games.strozzi.state import NO_WARE, PLUS_ONE_FLAG, PORTS, WARE_FLAG
from strozzi_sim.kernel.jit import force_inline, jit


@force_inline
def speed_of(rules, seat, ship, flag):
    """Return the speed of `ship` under a flag of `seat`."""
    sail = rules.sail[ship]
    return sail + rules.plus_one_speed if flag == PLUS_ONE_FLAG and has_power(rules, seat, flag) else sail


@force_inline
def steps_of(rules, seat, ship, flag, port):
    """Return the steps that `ship` brings at `port` if it is placed there under a flag of `seat`."""
    steps = rules.cargo[ship, port]
    if flag == WARE_FLAG and (steps > 0 or not rules.ware_flag_needs_match):
        steps += rules.ware_steps * has_power(rules, seat, flag)
    return steps


@force_inline
def ships_ahead(state, port, speed):
    """Return the number of ships at `port` that stay ahead of a new ship of this speed: those at least as fast."""
    ahead = 0
    while ahead < state.ships_at[port] and state.berth_speed[port, ahead] >= speed:
        ahead += 1
    return ahead


@force_inline
def reached_space(state, rules, seat, city, steps):
    """Return the space of the marker of `seat` in `city` after `steps`, at most the highest one."""
    return min(state.position[city, seat] + steps, rules.top)


@jit
def marker_pay(state, rules, seat, city, space):
    """Return prize and bonus of the marker of `seat` in `city` if it is on `space`: its own space or a higher one."""
    if space == 0:
        return 0
    moved = space > state.position[city, seat]
    ahead = 0
    for rank in range(state.players):
        other = state.order[city, rank]
        if other == seat:
            if not moved:
                break
        elif state.position[city, other] >= space:
            ahead += 1
        else:
            break
    return rules.marker_prize[ahead] + space_bonus(rules, city, space)


@jit
def step_pay(state, rules, seat, city, steps):
    """Return the additional coins for `steps` in `city`."""
    start = state.position[city, seat]
    end = reached_space(state, rules, seat, city, steps)
    if end == start:
        return 0
    return marker_pay(state, rules, seat, city, end) - marker_pay(state, rules, seat, city, start)


@jit
def tile_pay(state, rules, seat, tile):
    """Return the additional coins for taking `tile`: its category, and one step of its ware."""
    category = rules.tile_category[tile]
    total = state.tile_total[category, seat]
    value = rules.tile_value[tile]
    pay = category_coins(state, rules, seat, category, total + value)
    pay -= category_coins(state, rules, seat, category, total)
    ware = rules.tile_ware[tile]
    if ware != NO_WARE:
        pay += step_pay(state, rules, seat, ware, int64(1))
    return pay


@jit
def best_tile_pay(state, rules, seat):
    """Return (slot, coins) of the best tile that `seat` can take from the display, or (-1, 0) without one."""
    best, slot, slots = 0, -1, open_slots(state, rules, seat)
    for k in range(state.display_size):
        if (slots >> k) & 1 == 0:
            continue
        pay = tile_pay(state, rules, seat, state.display[k])
        if slot < 0 or pay > best:
            best, slot = pay, int64(k)
    return slot, best


@jit
def port_pay(state, rules, seat, ship, flag, port):
    """Return the coins for placing `ship` at `port` under `flag`: its prize there and the steps."""
    rank = ships_ahead(state, port, speed_of(rules, seat, ship, flag))
    return rules.ship_prize[rank] + step_pay(state, rules, seat, port, steps_of(rules, seat, ship, flag, port))


@jit
def best_port_pay(state, rules, seat, ship, flag):
    """Return (port, coins) of the best free port for `ship` under `flag`."""
    free = free_ports(state, rules, seat)
    best, chosen = 0, -1
    for port in range(PORTS):
        if (free >> port) & 1 == 1:
            pay = port_pay(state, rules, seat, ship, flag, port)
            if chosen < 0 or pay > best:
                best, chosen = pay, int64(port)
    return chosen, best

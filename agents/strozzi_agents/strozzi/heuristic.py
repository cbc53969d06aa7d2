"""The hand-written evaluator: a claim is worth its expected coins less what its berth and flag could bring later."""

from typing import Any

from numba import int64

from strozzi_agents.strozzi.immediate_value import ships_ahead, speed_of, steps_of
from strozzi_agents.strozzi.value import (
    MEMORY,
    SHIP,
    best_tile_value,
    clip,
    fill_decision,
    florence_gains,
    port_gains,
    prize_at,
    rivals_faster,
    speed_value,
)
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.games.strozzi.scoring import free_ports, has_power
from strozzi_sim.games.strozzi.state import (
    CLAIM,
    CLAIM_WITH,
    DECLINE_TILE,
    NOBODY,
    PASS,
    PIRACY,
    PIRATE_FLAG,
    PLACE_AT,
    PLUS_ONE_FLAG,
    PORT,
    PORTS,
    TAKE_TILE,
    WARE_FLAG,
)
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import force_inline, jit

# All parameters. Those of flags are shares of the reference ship's worth, so that they fit any prizes.
_PARAMS: dict[str, Any] = {
    # What a ship brings.
    "speed": Param(0.633, 0.0, 5.0, "weight of ship prizes"),
    "ware": Param(1.067, 0.0, 5.0, "weight of steps at ports"),
    "scroll": Param(1.294, 0.0, 5.0, "weight of steps at Florence"),
    "promotion": Param(1.094, 0.0, 5.0, "weight of category prizes"),
    "bonus": Param(1.135, 0.0, 5.0, "weight of bonus spaces"),
    "deny": Param(0.483, 0.0, 2.0, "weight of ship prizes that rivals lose"),
    # How open the ranks still are.
    "rival_speed": Param(
        1.555, 0.0, 3.0, "probability that a rival's later ship is faster, divided by the share of faster ships"
    ),
    "plus_share": Param(0.569, 0.0, 1.0, "share of the rivals' later ships under a plus_one flag"),
    "florence_lead": Param(0.425, 0.0, 2.0, "worth of leading at Florence (first turn, ties), in first marker prizes"),
    "now_spread": Param(1.592, 0.0, 10.0, "lead in spaces that is safe this round, with all cards to come"),
    "berth_spread": Param(1.494, 0.0, 10.0, "added to now_spread against a rival with a berth left at the port"),
    "berth_drift": Param(1.776, 0.0, 4.0, "steps that a berth left at a port is expected to bring"),
    "florence_spread": Param(0.478, 0.0, 10.0, "lead that is safe at Florence, for each ship the two may still place"),
    "florence_drift": Param(0.349, 0.0, 3.0, "scrolls that a ship to come is expected to have"),
    "later_spread": Param(1.993, 0.1, 20.0, "lead in spaces that lasts in later rounds with probability 3/4"),
    "later": Param(0.47, 0.0, 2.0, "weight of marker prizes of later rounds"),
    "ware_climb": Param(2.591, 0.0, 6.0, "steps per round at a port"),
    "scroll_climb": Param(2.877, 0.0, 6.0, "steps per round at Florence"),
    "tile_spread": Param(1.852, 0.0, 10.0, "lead in tile value that is safe, for each round left"),
    "none_yet": Param(0.378, 0.0, 1.0, "share of a category's worth without a tile, for each round left"),
    # The reference ship: what a later card may bring instead.
    "ref_sail": Param(0.632, -5.0, 5.0, "sail of the reference ship above the mean"),
    "ref_faster": Param(0.742, 0.0, 1.0, "probability that a rival's later ship is faster than the reference ship"),
    "ref_ware": Param(1.478, 0.0, 5.0, "steps of the reference ship at its port"),
    "ref_scroll": Param(1.012, 0.0, 3.0, "scrolls of the reference ship, divided by the mean"),
    "ref_tile": Param(0.727, 0.0, 2.0, "worth of the reference ship's tile, in first category prizes"),
    # How much of the reference ship a claim must beat.
    "patience": Param(1.097, -1.0, 3.0, "share of the reference ship to beat with one card to come per flag"),
    "patience_scarce": Param(0.593, -2.0, 3.0, "patience with half a card to come per flag; 0 with no card"),
    "patience_plenty": Param(1.098, -2.0, 4.0, "patience with two cards to come per flag, extrapolated up to three"),
    "patience_players": Param(0.038, -1.0, 1.0, "added to patience for each player beyond four"),
    "patience_own": Param(0.037, -1.0, 1.0, "subtracted for each own flag above the mean of seats with flags"),
    "patience_last": Param(0.184, -1.0, 2.0, "subtracted for the last seat to decide on an unclaimed ship"),
    # Flags, as shares of the reference ship.
    "keep_pirate": Param(0.343, -9.0, 9.0, "additional worth that a claim with the pirate flag needs"),
    "keep_pirate_early": Param(0.322, -9.0, 9.0, "added to keep_pirate with all cards still to come"),
    "keep_plus_one": Param(-0.146, -9.0, 9.0, "as keep_pirate, for the plus_one flag"),
    "keep_ware": Param(0.073, -9.0, 9.0, "as keep_pirate, for the ware flag"),
    "piracy": Param(-0.036, -9.0, 9.0, "additional worth that is needed to take a claimed ship"),
    "risk": Param(0.091, 0.0, 1.0, "probability that a rival's pirate takes a ship like the reference ship"),
    "risk_more": Param(1.046, 0.0, 5.0, "added to risk for a ship worth twice as much"),
    "deny_ship": Param(0.335, 0.0, 1.0, "weight of what a rival would gain from the ship, above the reference ship"),
}


@force_inline
def _patience(state, params, seat):
    """Return (share of the reference ship that a claim must beat, cards to come per flag).

    The share grows with the cards to come, from 0 without any; it is lower for the last seat that can claim the ship.
    """
    players, waiting, holder = state.players, state.waiting, state.holder
    flags = 0
    for other in range(players):
        flags += count_bits(state.berths[other])  # as many as its flags, until a ship taken is placed
    mean = flags / max(count_bits(state.with_flag), 1)
    if holder not in (NOBODY, seat):
        flags -= 1  # of the holder, if it keeps the ship
    cards = state.deck / max(flags, 1)
    if cards < 0.5:
        patience = params.patience_scarce * 2.0 * cards
    elif cards < 1.0:
        patience = params.patience_scarce + (params.patience - params.patience_scarce) * (2.0 * cards - 1.0)
    else:
        patience = params.patience + (params.patience_plenty - params.patience) * min(cards - 1.0, 2.0)
    if waiting == 0 and holder == NOBODY:
        patience -= params.patience_last
    if cards > 0.0:
        patience += params.patience_players * (players - 4)
        patience -= params.patience_own * (count_bits(state.berths[seat]) - mean)
    return patience, cards


@jit
def _value_ports(state, rules, params, memory, seat, ship, flags):
    """Write the worth of `ship` and of the reference ship by port into `memory`; return the reference ship's mean."""
    berths = free_ports(state, rules, seat)
    sail = rules.sail[ship]
    faster, faster_plus = rivals_faster(state, rules, params, sail)
    with_plus, with_ware = (flags >> PLUS_ONE_FLAG) & 1 == 1, (flags >> WARE_FLAG) & 1 == 1
    fast = speed_of(rules, seat, ship, PLUS_ONE_FLAG)
    faster_plus = faster if fast == sail else faster_plus
    ref_speed = int64(memory.sail + params.ref_sail + 1.0)  # ships at least as fast as this are ahead of it
    to_come = 0  # rivals with a berth left at each port, 8 bits per port
    for other in range(state.players):
        if other != seat:
            berths_left = state.berths[other]
            to_come += (berths_left & 1) | (berths_left & 2) << 7 | (berths_left & 4) << 14
    total = steps = 0.0
    for port in range(PORTS):
        rivals = (to_come >> (8 * port)) & 255
        memory.prize_at[port] = speed_value(state, params, memory, port, rivals, sail, faster)
        if (berths >> port) & 1 == 0:
            continue  # the rivals' interest needs only the prize
        if with_plus:
            memory.prize_plus[port] = speed_value(state, params, memory, port, rivals, fast, faster_plus)
        cargo_steps = rules.cargo[ship, port]
        ware_steps = steps_of(rules, seat, ship, WARE_FLAG, port) if with_ware else cargo_steps
        two_steps, cargo, cargo_ware = port_gains(
            state, rules, params, memory, seat, port, int64(0), int64(2), cargo_steps, ware_steps
        )
        memory.cargo[port] = params.ware * cargo
        memory.cargo_ware[port] = params.ware * cargo_ware
        steps += params.ware * 0.5 * two_steps
        ahead = ships_ahead(state, port, ref_speed) + rivals * params.ref_faster
        memory.berth[port] = (
            params.speed * prize_at(memory, SHIP, ahead) + params.ware * params.ref_ware * 0.5 * two_steps
        )
        total += memory.berth[port]
    free = max(count_bits(berths), 1)
    memory.ware_step = steps / free
    return total / free


@jit
def _value_anywhere(state, rules, params, memory, seat, ship):
    """Return (worth of the scrolls and tile of `ship`, the same for the reference ship); fill `scroll_step`."""
    ships_left = count_bits(state.berths[seat]) - 1
    step, worth = florence_gains(state, rules, params, memory, seat, ships_left, rules.scrolls[ship])
    worth *= params.scroll
    memory.scroll_step = params.scroll * step
    if rules.promotion[ship]:
        worth += best_tile_value(state, rules, params, memory, seat)[1]
    tile = params.promotion * params.ref_tile * rules.category_prize[0]
    return worth, params.ref_scroll * params.scroll * memory.scrolls * step + memory.promotion * tile


@jit
def _best_use(memory, berths, flag, patience):
    """Return (best free port, worth of the ship there under `flag` above `patience` times the reference ship)."""
    best, chosen = -1e30, -1
    for port in range(PORTS):
        if (berths >> port) & 1 == 1:
            worth = memory.prize_plus[port] if flag == PLUS_ONE_FLAG else memory.prize_at[port]
            worth += memory.cargo_ware[port] if flag == WARE_FLAG else memory.cargo[port]
            worth -= patience * memory.berth[port]
            if chosen < 0 or worth > best:
                best, chosen = worth, int64(port)
    return chosen, best


@force_inline
def _interest(state, rules, params, memory, other, ship, anywhere):
    """Return a rough estimate of the worth of `ship` to another seat; `anywhere`: worth of its scrolls and tile."""
    berths = state.berths[other]
    best = 0.0
    for port in range(PORTS):
        if (berths >> port) & 1 == 1:
            best = max(best, memory.prize_at[port] + memory.ware_step * rules.cargo[ship, port])
    return best + anywhere


@jit
def _claim(state, rules, params, memory):
    """Return the claim that promises the largest gain above the reference ship, or PASS."""
    seat, ship = state.actor, state.ship
    pirate = 1 << PIRATE_FLAG
    hand = state.hand[seat]
    piracy = state.phase == PIRACY
    flags = pirate if piracy else state.legal >> 1  # bit 0 of `legal` is PASS
    berths = free_ports(state, rules, seat)
    reference = _value_ports(state, rules, params, memory, seat, ship, flags)
    anywhere, ref_anywhere = _value_anywhere(state, rules, params, memory, seat, ship)
    patience, cards = _patience(state, params, seat)
    reference += ref_anywhere
    common = anywhere - patience * ref_anywhere

    # What the ship is worth to the rivals.
    waiting, holder = state.waiting, state.holder
    pirates = (state.with_flag if rules.second_lap else waiting) & state.with_pirate
    tile = params.promotion * params.ref_tile * rules.category_prize[0] * rules.promotion[ship]
    rival_anywhere = memory.scroll_step * rules.scrolls[ship] + tile
    kept_chance, envy = 1.0, 0.0
    for other in range(state.players):
        if other == seat or (((waiting | pirates) >> other) & 1 == 0 and other != holder):
            continue
        above = _interest(state, rules, params, memory, other, ship, rival_anywhere) - reference
        envy = max(envy, above)
        if (pirates >> other) & 1 == 1:
            kept_chance *= 1.0 - clip(params.risk + params.risk_more * above / max(reference, 1.0), 0.0, 0.95)
    common += params.deny_ship * envy

    # Keeping a flag is worth nothing to a seat with one flag, and little with few cards to come.
    scale = 0.0 if hand & (hand - 1) == 0 else reference * min(cards, 1.0)
    best, chosen = 0.0, PASS
    for flag in range(3):
        if (flags >> flag) & 1 == 0:
            continue
        gain = common + _best_use(memory, berths, flag, patience)[1]
        if flag == PIRATE_FLAG and has_power(rules, seat, flag):
            if piracy:
                gain -= params.piracy * reference * min(cards, 1.0)
            gain -= (params.keep_pirate + params.keep_pirate_early * memory.open) * scale
        else:  # a rival's pirate may take the ship
            gain -= (params.keep_plus_one if flag == PLUS_ONE_FLAG else params.keep_ware) * scale
            gain *= kept_chance
        if gain > best:
            best, chosen = gain, CLAIM_WITH + flag
    return chosen


@compiled_agent(name="heuristic", games=("strozzi",), memory=MEMORY, **_PARAMS)
def heuristic(state, rules, params, memory, rng):
    """Weighs the expected coins of ship, cargo, scrolls and tile against a flag's later use."""
    fill_decision(state, rules, params, memory)
    phase = state.phase
    if phase in (CLAIM, PIRACY):
        return _claim(state, rules, params, memory)
    seat = state.actor
    if phase == PORT:
        flag = state.holder_flag
        _value_ports(state, rules, params, memory, seat, state.ship, int64(1) << flag)
        return PLACE_AT + _best_use(memory, free_ports(state, rules, seat), flag, _patience(state, params, seat)[0])[0]
    slot, worth = best_tile_value(state, rules, params, memory, seat)
    if slot < 0 or (worth < 0.0 and rules.tile_optional):
        return DECLINE_TILE
    return TAKE_TILE + slot

"""Actions in the steps (R6 to R10): council seats, goods, members in the city, sales, chapels, edifices.

Goods and spaces that `restrictions.py` forbids are not offered. If that leaves a master or journeyman without a good
or a space, or an apprentice without either, the journal records a decline.
"""

from numba import int64

from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg import legal_actions as la
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.auction import acting_ranks
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, inline_source, jit
from strozzi_sim.kernel.journal import write_event


@jit
def act_next(state, rules, journal):
    """Let the next rank act (R5.6); after the last one, go on to the returned cards."""
    step, guild = state.step, state.guild
    while state.rank < min(acting_ranks(state), state.bidders):
        rank = state.rank
        seat = state.ranking[rank]
        if step & 1:
            if rank == 0:
                if rules.seat_optional:
                    return la.ask(state, s.TAKE_SEAT, seat, int64(la.TWO))  # NONE, SEAT
                _take_chair(state, seat, s.GUILD_SEAT + guild, journal)  # (A58)
            if rank == 2 or (rank == 1 and state.players == 3):
                legal = la.apprentice_choices(state, rules, seat, guild)
                if legal != 1:
                    return la.ask(state, s.APPRENTICE, seat, legal)
                state.declined = 1
                return _end_turn(state, seat, journal)
            return _ask_good(state, rules, seat, journal)
        if step == s.STEP_A:
            _take_chair(state, seat, int64(s.NOBILITY if rank == 0 else s.CHURCH), journal)
            state.rank = rank + 1
            continue
        if step == s.STEP_G:  # even if nothing is sold (A25)
            _take_chair(state, seat, int64(s.MERCHANTS), journal)
        state.proceeds = 0
        if _offer_sale(state, rules, seat, int64(0)):
            state.declined = 1  # until something is sold
            return la.ASKED
        state.rank = rank + 1
    state.rank = 0
    return la.RETURNING


@inline_source
def _take_chair(state, seat, chair, journal):
    """Give a council seat to `seat`; the former holder's member returns to its owner (R6.1)."""
    write_event(journal, e.CHAIR, seat, chair, state.council[chair], 0, 0)
    state.council[chair] = seat
    state.idle &= ~(1 << seat)


@inline_source
def take_seat(state, rules, action, journal):
    """Apply the master's decision about the guild's seat, and ask about a good."""
    seat = state.actor
    if action == s.SEAT:
        _take_chair(state, seat, s.GUILD_SEAT + state.guild, journal)
    else:
        state.declined = 1
    return _ask_good(state, rules, seat, journal)


@inline_source
def _ask_good(state, rules, seat, journal):
    if la.may_take_good(rules, seat, state.guild):
        return la.ask(state, s.TAKE_GOOD, seat, int64(la.GOOD_OR_NONE))
    state.declined = 1
    return _ask_space(state, rules, seat, journal)


@jit
def _ask_space(state, rules, seat, journal):
    """Ask master or journeyman about a space, if there is one that it can pay for and may take."""
    spaces = la.payable(state, rules, seat, state.guild)
    if spaces != 0:
        spaces &= ~rules.no_space[seat]
        if spaces != 0:
            return la.ask(state, s.PLACE, seat, 1 | spaces << s.PLACE_BIT)
        state.declined = 1
    return _end_turn(state, seat, journal)


@inline_source
def take_good(state, rules, action, journal):
    """Apply the decision of master or journeyman about a good, and ask about a space."""
    seat = state.actor
    if action == s.GOOD:
        _get_good(state, seat, state.guild, journal)
    else:
        state.declined = 1
    return _ask_space(state, rules, seat, journal)


@inline_source
def _get_good(state, seat, guild, journal):
    state.goods[seat, guild] += 1
    state.idle &= ~(1 << seat)
    write_event(journal, e.GOOD, seat, guild, 0, 0, 0)


@inline_source
def place(state, rules, action, journal):
    """Apply the decision about a member in the city; an apprentice may have taken a good instead."""
    seat = state.actor
    if action == s.NONE:
        state.declined = 1
    elif action == s.GOOD:
        _get_good(state, seat, state.guild, journal)
    else:
        cell = action - s.PLACE_ON
        price, space = rules.price[cell], int64(1) << cell
        state.coins[seat] -= price
        state.empty &= ~space
        state.members[seat] |= space
        state.idle &= ~(1 << seat)
        write_event(journal, e.PLACED, seat, cell, price, 0, 0)
    return _end_turn(state, seat, journal)


@inline_source
def _end_turn(state, seat, journal):
    """End the seat's turn, and record a decline if it left a usable right unused (F5.8)."""
    if state.declined:
        state.declined = 0
        write_event(journal, e.DECLINE, seat, 0, 0, 0, 0)
    state.rank += 1
    return la.ACTING


@force_inline
def _offer_sale(state, rules, seat, first):
    """Ask about the next guild, from `first`, whose goods the seat has (F6.7); return 1, or 0 without such a guild."""
    for guild in range(first, rules.guilds):
        count = state.goods[seat, guild]
        if count > 0:
            state.guild = guild
            la.ask(state, s.SELL, seat, (int64(2) << count) - 1)
            return 1
    return 0


@jit
def sell(state, rules, action, journal):
    """Sell goods of one guild for their printed value (R8.1)."""
    seat, guild, number = state.actor, state.guild, action - s.SELL_GOODS
    if number > 0:
        coins = number * rules.good_value[guild]
        state.goods[seat, guild] -= number
        state.coins[seat] += coins
        state.proceeds += coins
        state.declined = 0
        state.idle &= ~(1 << seat)
        write_event(journal, e.SOLD, seat, guild, number, coins, 0)
    if _offer_sale(state, rules, seat, guild + 1):
        return la.ASKED
    state.guild = s.NOBODY
    if not state.declined:
        write_event(journal, e.SALE, seat, state.proceeds, 0, 0, 0)
    return _end_turn(state, seat, journal)


@jit
def begin_building(state, rules, journal):
    """Begin step H or I: the holder of the church seat may build a chapel, of the nobility seat the edifice."""
    step = state.step
    write_event(journal, e.STEP, step, state.start_player, s.NOBODY, 0, 0)
    if step == s.STEP_H:
        phase, seat, legal = s.BUILD_CHAPEL, state.council[s.CHURCH], la.building_choices(state, rules, True)
    else:
        phase, seat, legal = s.BUILD_EDIFICE, state.council[s.NOBILITY], la.building_choices(state, rules, False)
    if legal > 1 and not la.may_build(state, rules, seat, lowest_bit(legal >> 1), step == s.STEP_H):
        state.voids[seat] += 1  # all sites are forbidden, so all are legal
    if legal & (legal - 1):
        return la.ask(state, phase, seat, legal)
    site = lowest_bit(legal) - 1 if legal != 0 else int64(-1)
    return _build(state, seat, step, site, journal)


@inline_source
def build(state, action, journal):
    """Build on the site that the actor has chosen, if any."""
    step = state.step
    site = int64(-1) if action == s.NONE else action - (s.CHAPEL if step == s.STEP_H else s.EDIFICE)
    return _build(state, state.actor, step, site, journal)


@inline_source
def _build(state, seat, step, site, journal):
    if step == s.STEP_H:
        if site >= 0:
            state.chapels -= 1
            state.free_chapel_sites &= ~(int64(1) << site)
        write_event(journal, e.CHAPEL, seat, site, 0, 0, 0)
    else:
        edifice = state.round_edifice[state.round]
        if site >= 0:
            state.free_sites &= ~(1 << site)
            state.edifice_site[edifice] = site
        write_event(journal, e.EDIFICE, seat, edifice, site, 0, 0)
    state.step = step + 1
    return la.STEPPING

"""Strasbourg's kernels: deal, legal actions, apply.

`apply` requires a legal action and runs on to the next seat with a choice. The phases are in `planning.py`,
`auction.py`, `step_actions.py` and `scoring.py`. Letters and numbers in parentheses are items of the rules' documents
(see state.py).
"""

from numba import int64

from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.auction import begin_auction, bid, bid_next, return_card, return_next
from strozzi_sim.games.strasbourg.cards import kth_member, select_members
from strozzi_sim.games.strasbourg.legal_actions import ACTING, ASKED, BIDDING, PLANNING, RETURNING, ask, keep_choices
from strozzi_sim.games.strasbourg.planning import begin_round, clear_stacks, draw_or_stop, plan_next, split
from strozzi_sim.games.strasbourg.scoring import hold_council, score_game
from strozzi_sim.games.strasbourg.scoring import placing as placing
from strozzi_sim.games.strasbourg.step_actions import act_next, begin_building, build, place, sell, take_good, take_seat
from strozzi_sim.kernel.bits import WIDTH, count_bits, kth_bit, lowest_bit
from strozzi_sim.kernel.jit import force_inline, inline_source, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.pointers import address_of, zero_at
from strozzi_sim.kernel.streams import draw, reset_source

_SIZE = s.STATE.itemsize


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Deal a game (R2) and run on to the first choice; `chance` must be seeded, `start_player` has the marker."""
    set_up(state, rules, players, start_player)
    reset_source(chance, s.ROUND_SOURCE)
    reset_source(chance, s.EDIFICE_SOURCE)
    reset_source(chance, s.TASK_SOURCE)
    for seat in range(players):
        reset_source(chance, s.CARD_SOURCE + seat)
    _lay_out_rounds(state, rules, chance, journal)
    undealt = (int64(1) << rules.tasks) - 1
    undealt_count = rules.tasks
    for seat in range(players):
        dealt = int64(0)
        for _ in range(rules.dealt):
            dealt |= int64(1) << kth_member(undealt & ~dealt, draw(chance, s.TASK_SOURCE, undealt_count))
            undealt_count -= 1
        undealt &= ~dealt
        state.dealt[seat] = dealt
    _ask_keep(state, rules, int64(0))
    if state.legal & (state.legal - 1) == 0:  # nothing to choose
        run_on(state, rules, _keep_in_turn(state, rules, lowest_bit(state.legal), journal), chance, journal)


@jit
def set_up(state, rules, players, start_player):
    """Set up all but the first decision, and round cards, edifices and tasks, which are random."""
    zero_at(address_of(state), _SIZE)
    state.players = players
    state.start_player = start_player
    state.guild = s.NOBODY
    state.empty = rules.spaces
    state.free_chapel_sites = (int64(1) << rules.chapel_sites) - 1
    state.free_sites = (1 << rules.sites) - 1
    state.chapels = rules.chapels
    for chair in range(s.MAX_CHAIRS):
        state.council[chair] = s.NOBODY
    state.council[s.NOBILITY] = start_player  # (A1)
    state.council[s.CHURCH] = start_player + 1 if start_player + 1 < players else 0
    for edifice in range(s.MAX_EDIFICES):
        state.edifice_site[edifice] = s.NO_SITE
    for seat in range(s.SEATS):
        state.coins[seat] = rules.start_coins
        state.privileges[seat] = rules.start_privileges
        state.deck[seat] = rules.all_cards
        state.deck_left[seat] = rules.cards


@inline_source
def _lay_out_rounds(state, rules, chance, journal):
    """Lay out round cards and edifices in random order (R2.1, R2.2)."""
    cards, edifices = (1 << rules.rounds) - 1, (1 << rules.edifices) - 1
    for number in range(rules.rounds):
        card = kth_member(cards, draw(chance, s.ROUND_SOURCE, rules.rounds - number))
        edifice = kth_member(edifices, draw(chance, s.EDIFICE_SOURCE, rules.edifices - number))
        cards &= ~(1 << card)
        edifices &= ~(1 << edifice)
        state.round_card[number] = card
        state.round_edifice[number] = edifice
        write_event(journal, e.LAID, number, card, edifice, 0, 0)
    write_event(journal, e.SETUP, state.start_player, 0, 0, 0, 0)


@jit
def _ask_keep(state, rules, seat):
    """Ask a seat which tasks it keeps; if it cannot avoid those forbidden to it, count its restriction as void."""
    legal = keep_choices(state, rules, seat)
    # if one choice keeps a forbidden task, all do: `keep_choices` leaves them only then
    if select_members(state.dealt[seat], lowest_bit(legal)) & rules.no_task[seat]:
        state.voids[seat] += 1
    return ask(state, s.KEEP, seat, legal)


@jit
def _keep(state, seat, choice, journal):
    """Let a seat keep the tasks dealt to it that `choice` selects (R2.7)."""
    dealt = state.dealt[seat]
    kept = select_members(dealt, choice)
    state.kept[seat] = kept
    if journal is not None:
        while dealt != 0:
            task = lowest_bit(dealt)
            dealt &= dealt - 1
            write_event(journal, e.TASK, seat, task, (kept >> task) & 1, 0, 0)
        write_event(journal, e.KEPT, seat, 0, 0, 0, 0)


@jit
def _keep_in_turn(state, rules, choice, journal):
    """Apply the actor's choice of tasks; go on to the next seat with a choice, or begin round 1."""
    seat = state.actor
    _keep(state, seat, choice, journal)
    for other in range(seat + 1, state.players):
        _ask_keep(state, rules, other)
        if state.legal & (state.legal - 1):
            return ASKED
        _keep(state, other, lowest_bit(state.legal), journal)
    return begin_round(state, rules, journal)


@jit
def apply(state, rules, action, chance, journal):
    """Play a legal action and run on to the next seat with a choice, or to the end."""
    phase = state.phase
    if phase == s.BID:
        stage = bid(state, rules, action, journal)
    elif phase == s.DRAW:
        stage = draw_or_stop(state, rules, action, chance, journal)
    elif phase == s.SPLIT:
        stage = split(state, rules, action, journal)
    else:
        stage = _act(state, rules, phase, action, journal)
    run_on(state, rules, stage, chance, journal)


@inline_source
def _act(state, rules, phase, action, journal):
    """Play an action of the remaining phases; return the next stage, see `run_on`."""
    if phase == s.TAKE_GOOD:
        return take_good(state, rules, action, journal)
    if phase in (s.PLACE, s.APPRENTICE):
        return place(state, rules, action, journal)
    if phase == s.TAKE_SEAT:
        return take_seat(state, rules, action, journal)
    if phase == s.SELL:
        return sell(state, rules, action, journal)
    if phase == s.RETURN:
        return return_card(state, action, journal)
    if phase != s.KEEP:
        return build(state, action, journal)
    return _keep_in_turn(state, rules, action, journal)


@force_inline
def run_on(state, rules, stage, chance, journal):
    """Go from stage to stage until a seat must decide or the game is over."""
    while stage != ASKED:
        if stage == BIDDING:
            stage = bid_next(state, rules, journal)
        elif stage == PLANNING:
            stage = plan_next(state, rules, chance, journal)
        elif stage == ACTING:
            stage = act_next(state, rules, journal)
        elif stage == RETURNING:
            stage = return_next(state, rules, journal)
        elif state.step < s.AUCTIONS:  # STEPPING: begin the step
            stage = begin_auction(state, rules, journal)
        elif state.step <= s.STEP_I:
            stage = begin_building(state, rules, journal)
        else:
            stage = _end_round(state, rules, journal)


@inline_source
def _end_round(state, rules, journal):
    """Hold the council phase, then begin the next round or end the game."""
    hold_council(state, rules, journal)
    for seat in range(state.players):
        clear_stacks(state, seat)
    if state.round + 1 < rules.rounds:
        state.round += 1
        return begin_round(state, rules, journal)
    score_game(state, rules, journal)
    return ask(state, s.OVER, 0, 0)


@jit
def count_legal(state, rules):
    """Return the number of legal actions."""
    return count_bits(state.legal)


@jit
def kth_legal(state, rules, k):
    """Return the k-th legal action in ascending order, k from 0."""
    legal, phase = state.legal, state.phase
    bit = kth_bit(legal, k) if legal < 1 << WIDTH else kth_member(legal, k)
    if bit == 0 and phase >= s.BUILD_CHAPEL:
        return int64(s.NONE)
    return s.FIRST_ACTION[phase] + bit


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal."""
    phase = state.phase
    bit = action - s.FIRST_ACTION[phase]
    if phase >= s.BUILD_CHAPEL:  # bit 0 is NONE
        if action == s.NONE:
            bit = int64(0)
        elif bit <= 0:
            bit = int64(-1)
    return 0 <= bit < 63 and (state.legal >> bit) & 1 == 1


# verbs inlined into every caller
FORCE_INLINE = (count_legal, kth_legal, is_legal)

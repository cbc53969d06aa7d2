"""A model of rivals in Strasbourg: they keep tasks, draw cards and divide them as an agent would.

`determinize` treats a rival's choices as independent of its cards and tasks. `imagine` starts from that sample:

- Tasks: the rival keeps what the agent would keep of the same tasks at the start of a game that seat 0 begins. The
  number kept is secret (A3), so any choice is consistent with public information.
- Cards: unseen cards are dealt again, uniformly as before. The agent draws the rival's cards of this round, in random
  order, and divides the face-down ones. If it stops drawing where the rival did, and its stacks have the sizes on the
  table, they become the rival's. After TRIES deals without agreement the sample is kept.

Where a try agrees, hidden cards are thus distributed as if the rival were the agent. The state lacks the city at the
time of planning, and which cards were turned over together. So the agent divides the face-down cards in the present
position, for the auctions left to the rival; before the rival bids or passes in a round that is the whole plan.
"""

from numba import int64

from strozzi_sim.games.strasbourg.cards import count_cards, kth_card, one_card, select_members
from strozzi_sim.games.strasbourg.core import is_legal, set_up
from strozzi_sim.games.strasbourg.knowledge import deal_cards, hide_stacks, is_planning
from strozzi_sim.games.strasbourg.legal_actions import ASKED, ask, keep_choices, legal_set
from strozzi_sim.games.strasbourg.planning import clear_stacks, continue_splitting, finish_stacks, split
from strozzi_sim.games.strasbourg.state import AUCTIONS, DRAW, DRAW_CARD, KEEP, MAX_ROUNDS, OVER, STOP, UNKNOWN_STACK
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, call_at, clone
from strozzi_sim.kernel.streams import randbelow

TRIES = 12


@jit
def imagine(state, rules, seat, policy, rng):
    """Resample, in place, the rivals' secret choices in a state determinized for `seat`, with the agent `policy`.

    policy : (address, parameters, memory) of the agent
    """
    if state.phase == OVER:
        return
    players = state.players
    plan = clone(state)
    if rules.keep & (rules.keep - 1) != 0:
        set_up(plan, rules, players, int64(0))
        for number in range(MAX_ROUNDS):  # the orders of round cards and edifices are known from the start (A2)
            plan.round_card[number] = state.round_card[number]
            plan.round_edifice[number] = state.round_edifice[number]
        for other in range(players):
            if other != seat and state.kept[other] != 0:
                _keep_tasks(state, plan, rules, other, policy, rng)
    public = clone(state)
    for other in range(players):
        hide_stacks(public, other)
        public.deck[other] = 0
        public.dealt[other] = 0
        public.kept[other] = 0
    for other in range(players):
        first = state.step + int64(not is_planning(state) and (state.undecided >> other) & 1 == 0)
        if other != seat and state.unused[other] != 0 and first < AUCTIONS:
            _plan_round(state, public, plan, rules, other, first, policy, rng)
    if state.actor != seat:
        state.legal = legal_set(state, rules)


@jit
def _keep_tasks(state, opening, rules, seat, policy, rng):
    """Let a rival keep the tasks that the agent would in `opening`, a start position."""
    opening.dealt[seat] = state.dealt[seat]
    ask(opening, KEEP, seat, keep_choices(opening, rules, seat))
    action = call_at(policy[0], opening, rules, policy[1], policy[2], rng)
    if is_legal(opening, rules, action):
        state.kept[seat] = select_members(state.dealt[seat], action)
    opening.dealt[seat] = 0


@jit
def _plan_round(state, public, plan, rules, seat, first, policy, rng):
    """Let a rival plan as the agent would for auctions from `first` on; `public` lacks its cards, `plan` is scratch."""
    for _ in range(TRIES):
        assign(plan, public)
        plan.dealt[seat] = state.dealt[seat]
        plan.kept[seat] = state.kept[seat]
        deal_cards(plan, rules, seat, rng)
        cards = int64(0)
        for k in range(plan.stack_count[seat]):
            cards += plan.stacks[seat, k]
        plan.planned &= ~(1 << seat)
        if not _draws_as_many(plan, rules, seat, cards, policy, rng):
            continue
        deck = plan.deck[seat]
        if _divide(plan, rules, seat, cards, first, policy, rng) and _same_sizes(plan, public, seat):
            for k in range(plan.stack_count[seat]):
                state.stacks[seat, k] = plan.stacks[seat, k]
            finish_stacks(state, seat)
            state.deck[seat] = deck
            return


@jit
def _draws_as_many(plan, rules, seat, hidden, policy, rng):
    """Return whether the agent draws as many cards as the rival did, if the face-down ones are `hidden`.

    With cards from under the deck, whose order the state lacks, the result is True. If the first shuffle is used up
    or the rival's limit is reached, the agent need not stop, since the rival had no choice.
    """
    if plan.known[seat] != 0:
        return True
    cards = hidden + plan.shown[seat]
    deck, deck_left, drawn = plan.deck[seat], plan.deck_left[seat], int64(0)
    total = count_cards(cards)
    clear_stacks(plan, seat)
    plan.step = rules.skip_first_step & int64(plan.round == 0)
    plan.hand = 0
    plan.last_value = 0
    plan.deck[seat] = deck + cards
    plan.deck_left[seat] = deck_left + total
    agrees = True
    while drawn < total:
        if drawn >= rules.min_draw:
            agrees = _choose_draw(plan, rules, seat, policy, rng) == DRAW_CARD
            if not agrees:
                break
        card = one_card(kth_card(cards, randbelow(rng, total - drawn)))
        cards -= card
        drawn += 1
        plan.hand += card
        plan.deck[seat] -= card
        plan.deck_left[seat] -= 1
        plan.drawn[seat] = drawn
    if agrees and deck_left > 0 and total < rules.most_drawn[seat]:
        agrees = _choose_draw(plan, rules, seat, policy, rng) == STOP
    plan.deck[seat] = deck
    plan.deck_left[seat] = deck_left
    plan.drawn[seat] = total
    return agrees


@jit
def _choose_draw(plan, rules, seat, policy, rng):
    plan.actor = seat
    plan.phase = DRAW
    plan.legal = legal_set(plan, rules)
    return call_at(policy[0], plan, rules, policy[1], policy[2], rng)


@jit
def _divide(plan, rules, seat, cards, first, policy, rng):
    """Divide the cards, in `plan`, as the agent does for auctions from `first` on; return whether it plays legally."""
    clear_stacks(plan, seat)
    plan.step = first
    plan.actor = seat
    plan.hand = cards
    plan.last_value = 0
    stage = continue_splitting(plan, rules, seat, None)
    while stage == ASKED:
        action = call_at(policy[0], plan, rules, policy[1], policy[2], rng)
        if not is_legal(plan, rules, action):
            return False
        stage = split(plan, rules, action, None)
    return True


@jit
def _same_sizes(plan, public, seat):
    """Return whether the planned stacks have the public sizes, in any order."""
    count = plan.stack_count[seat]
    if count != public.stack_count[seat]:
        return False
    for k in range(count):
        size, surplus = count_cards(plan.stacks[seat, k]), int64(0)
        for j in range(count):
            surplus += int64(count_cards(plan.stacks[seat, j]) == size)
            surplus -= int64(public.stacks[seat, j] & (UNKNOWN_STACK - 1) == size)
        if surplus != 0:
            return False
    return True

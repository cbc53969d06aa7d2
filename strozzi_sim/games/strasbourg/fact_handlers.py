"""Fact handlers of Strasbourg: they write fact rows from the events of the core during a game.

`sink_dtype` makes a field of rows and a field for each column, such as `bid_rows` and `bid_sum`, of every table in
`fact_tables`.
"""

from numba import int64

from strozzi_sim.facts.sink import row_writer, sink_dtype
from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg import fact_tables as t
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.auction import acting_ranks
from strozzi_sim.games.strasbourg.cards import count_cards, sum_values
from strozzi_sim.games.strasbourg.fact_tables import AGREEMENTS, TABLES
from strozzi_sim.games.strasbourg.scoring import is_fulfilled, placing
from strozzi_sim.kernel.bits import best_two, seats_after
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "begin_match", "close_game", "note", "open_game"]

SINK = sink_dtype(TABLES, [  # shape              meaning, of the match
    ("players", "i8"),
    ("guilds", "i8"),
    ("sites", "i8"),
    ("corners", "i8"),
    ("seat_points", "i8"),
    #                                             of the game
    ("first_task", "i8"),  #                     first row of the game in the table; so are the next three
    ("first_placement", "i8"),
    ("first_edifice", "i8"),
    ("first_chapel", "i8"),
    ("kept", "i8", (s.SEATS,)),  #                 [P] tasks
    ("row_of", "i8", (s.SEATS, s.MAX_TASKS)),  #     [P, task] row
    ("taken", "i8", (s.SEATS, s.MAX_GUILDS)),  #     [P, guild] goods taken
    ("sold", "i8", (s.SEATS, s.MAX_GUILDS)),  #      [P, guild] goods sold: those taken first
    ("good_row", "i8", (s.SEATS, s.MAX_GUILDS, s.MAX_GOODS)),  # [P, guild, k] row of the turn that took the k-th
    ("council", "i8", (s.MAX_CHAIRS,)),  #         [chair] player, or NOBODY
    ("before", "i8", (s.MAX_CHAIRS,)),  #          [chair] player in the previous council phase, or NOBODY
    #                                             of the round or step being played
    ("round", "i8"),  #                          from 1
    ("first_round", "i8"),  #                    row of seat 0
    ("step", "i8"),
    ("guild", "i8"),
    ("start_player", "i8"),
    ("answered", "i8"),  #                       seats that have passed or turned over a stack
    ("first_bid", "i8"),  #                      row of the step's first
    ("bid_row", "i8", (s.SEATS,)),  #              [P] row of the step's bid
    ("act_row", "i8", (s.SEATS,)),  #              [P] row of the step's turn
    ("waited", "i8", (s.SEATS,)),  #               [P] privileges paid in this step
])  # fmt: skip

_BUILT = ("members", "points", "own_points", "beside_own")  # known at the end of the game
_add_chapel, _add_edifice = row_writer(t.CHAPELS, later=_BUILT), row_writer(t.EDIFICES, later=_BUILT)
_add_round = row_writer(
    t.ROUNDS, zero=("drawn", "influence", "used", "bid", "waited"), later=("stacks", "prestige", "privilege")
)
_add_bid = row_writer(t.BIDS, zero=("returned",), later=("cards", "rank", "waited"))
_ACTED = ("good", "good_sold", "good_coins", "placed", "price", "sold", "coins", "declined")
_write_act = row_writer(t.ACTS, zero=_ACTED, append=False)
_add_placement = row_writer(t.PLACEMENTS, zero=("chapels", "edifices"))
_add_task = row_writer(t.TASKS, zero=("fulfilled",), later=("done",))
_write_seat = row_writer(t.PLAYER, later=("total", "privileges", "tasks", "kept", "coins"), append=False)
_add_council, _add_game = map(row_writer, (t.COUNCIL, t.GAME))


@jit
def begin_match(facts, rules, players):
    """Note the numbers that are the same in all games of a match."""
    facts.players = players
    facts.guilds = rules.guilds
    facts.sites = rules.sites
    facts.corners = rules.chapel_sites
    facts.seat_points = rules.seat_points


@jit
def open_game(facts, number):
    """Reset the notes for a game of deal `number`, before it is dealt."""
    facts.first_task = facts.task_rows
    facts.first_placement = facts.placement_rows
    facts.first_edifice = facts.edifice_rows
    facts.first_chapel = facts.chapel_rows
    for chair in range(s.GUILD_SEAT + facts.guilds):
        facts.council[chair] = s.NOBODY
        facts.before[chair] = s.NOBODY
    for seat in range(facts.players):
        facts.kept[seat] = 0
        for guild in range(facts.guilds):
            facts.taken[seat, guild] = 0
            facts.sold[seat, guild] = 0


@force_inline
def note(facts, kind, a, b, c, d, e_):
    """Handle an event of the core, whose fields in `EVENTS` are `a` to `e_`.

    The kind is a compile-time constant where this is inlined.
    """
    if kind == e.DRAWN:
        row = facts.first_round + a
        facts.round_drawn[row] += 1
        facts.round_influence[row] += b
    elif kind == e.BID:
        _on_bid(facts, a, b)
    elif kind == e.STEP:
        _on_step(facts, a, b, c)
    elif kind == e.PLAN:
        facts.round_stacks[facts.first_round + a] = b
    elif kind == e.DEFER:
        facts.waited[a] += 1
        facts.round_waited[facts.first_round + a] += 1
    elif kind == e.CHAIR:
        facts.council[b] = a
    elif kind == e.GOOD:
        row, k = facts.act_row[a], facts.taken[a, b]
        facts.act_good[row] = 1
        facts.good_row[a, b, k] = row
        facts.taken[a, b] = k + 1
    elif kind == e.PLACED:
        _on_placed(facts, a, b, c)
    elif kind == e.SOLD:
        _on_sold(facts, a, b, c, d)
    elif kind == e.DECLINE:
        facts.act_declined[facts.act_row[a]] = 1
    elif kind == e.RETURNED:
        facts.bid_returned[facts.bid_row[a]] = b
    elif kind == e.ROUND:
        _on_round(facts, a, b)
    elif kind == e.PRESTIGE:
        row = facts.first_round + a
        facts.round_prestige[row] = b
        facts.round_privilege[row] = c
        if a == 0:
            _on_council(facts)
    elif kind == e.CHAPEL:
        _add_chapel(facts, seat=a, round=facts.round, site=b if b >= 0 else facts.corners)
    elif kind == e.EDIFICE:
        _add_edifice(facts, seat=a, round=facts.round, edifice=b, site=c if c >= 0 else facts.sites)
    elif kind == e.TASK:
        _on_task(facts, a, b, c)
    elif kind == e.FULFILLED:
        facts.task_fulfilled[facts.row_of[a, b]] = 1
    elif kind == e.POINTS:
        _write_seat(facts, facts.seat_rows + a, seat=a, council=b, city=c, chapels=d, edifices=e_)
    elif kind == e.TOTAL:
        row = facts.seat_rows + a
        facts.seat_privileges[row] = b
        facts.seat_tasks[row] = c
        facts.seat_total[row] = d
    elif kind == e.SETUP:  # the start player has the seat of the nobility, the next one that of the church (A1)
        facts.council[s.NOBILITY] = a
        facts.council[s.CHURCH] = a + 1 if a + 1 < facts.players else 0


@jit
def _on_round(facts, number, start_player):
    facts.round = number + 1
    facts.first_round = facts.round_rows
    for seat in range(facts.players):
        _add_round(facts, seat=seat, round=number + 1, starts=seat == start_player)


@jit
def _on_step(facts, step, start_player, guild):
    facts.step = step
    facts.start_player = start_player
    facts.guild = facts.guilds if guild == s.NOBODY else guild
    facts.answered = 0
    facts.first_bid = facts.bid_rows
    for seat in range(facts.players):
        facts.waited[seat] = 0


@jit
def _on_bid(facts, seat, stack):
    if stack != 0:
        total, round_row = sum_values(stack), facts.first_round + seat
        lap = seats_after(facts.start_player, seat, facts.players)
        row = _add_bid(facts, seat=seat, round=facts.round, step=facts.step, guild=facts.guild, lap=lap, sum=total)
        facts.bid_cards[row] = count_cards(stack)
        facts.bid_waited[row] = facts.waited[seat] > 0
        facts.bid_row[seat] = row
        facts.round_used[round_row] += 1
        facts.round_bid[round_row] += total
    facts.answered += 1
    if facts.answered == facts.players:
        _rank_bids(facts)


@jit
def _rank_bids(facts):
    """Rank the bids, ties by nearness to the start player (R5.3), and open a turn for each rank that may act."""
    first, end = facts.first_bid, int64(facts.bid_rows)
    turns = int64(facts.act_rows)
    acting = acting_ranks(facts)  # which reads only fields that `facts` has too
    for row in range(first, end):
        total, lap, rank = facts.bid_sum[row], facts.bid_lap[row], 1
        for other in range(first, end):
            higher = facts.bid_sum[other] > total or (facts.bid_sum[other] == total and facts.bid_lap[other] < lap)
            rank += int64(higher)
        facts.bid_rank[row] = rank
        if rank <= acting:
            seat, turn = facts.bid_seat[row], turns + rank - 1
            facts.act_row[seat] = turn
            _write_act(
                facts, turn, seat=seat, round=facts.round, step=facts.step, guild=facts.guild, rank=rank, bid=total
            )
    facts.act_rows = turns + min(acting, end - first)


@jit
def _on_placed(facts, seat, cell, price):
    turn = facts.act_row[seat]
    facts.act_placed[turn] = 1
    facts.act_price[turn] = price
    _add_placement(facts, seat=seat, round=facts.round, rank=facts.act_rank[turn], space=cell, points=1)


@jit
def _on_sold(facts, seat, guild, number, coins):
    """Record a sale; goods of a guild count as sold in the order in which they were taken."""
    turn, first = facts.act_row[seat], facts.sold[seat, guild]
    facts.act_sold[turn] += number
    facts.act_coins[turn] += coins
    for k in range(first, first + number):
        row = facts.good_row[seat, guild, k]
        facts.act_good_sold[row] = 1
        facts.act_good_coins[row] = coins // number
    facts.sold[seat, guild] = first + number


@jit
def _on_council(facts):
    for chair in range(s.GUILD_SEAT + facts.guilds):
        seat = facts.council[chair]
        if seat != s.NOBODY:
            changed = seat != facts.before[chair]
            _add_council(facts, seat=seat, round=facts.round, chair=chair, changed=changed, points=facts.seat_points)
        facts.before[chair] = seat


@jit
def _on_task(facts, seat, task, kept):
    facts.row_of[seat, task] = _add_task(facts, seat=seat, task=task, kept=kept)
    facts.kept[seat] += kept


@jit
def close_game(facts, state, rules):
    """Write the remaining facts at the end of the game."""
    winners = 0
    for seat in range(facts.players):
        better, _ = placing(state, seat)
        winners += better == 0
        row = facts.seat_rows + seat
        facts.seat_kept[row] = facts.kept[seat]
        facts.seat_coins[row] = state.coins[seat]
    facts.seat_rows += facts.players
    best, second = best_two(state.score, facts.players)
    _add_game(facts, margin=best - second, tie=best == second, shared=winners > 1)
    for row in range(facts.first_task, facts.task_rows):
        facts.task_done[row] = is_fulfilled(state, rules, facts.task_seat[row], facts.task_task[row])
    _close_city(facts, rules)


@jit
def _close_city(facts, rules):
    for row in range(facts.first_chapel, facts.chapel_rows):
        site, points = facts.chapel_site[row], rules.chapel_points
        beside = rules.chapel_spaces[site] if site < facts.corners else int64(0)
        builder, built_in = facts.chapel_seat[row], facts.chapel_round[row]
        members, own_members, earlier = _pay(facts, facts.placement_chapels, beside, points, builder, built_in)
        facts.chapel_members[row] = members
        facts.chapel_points[row] = members * points
        facts.chapel_own_points[row] = own_members * points
        facts.chapel_beside_own[row] = earlier > 0
    for row in range(facts.first_edifice, facts.edifice_rows):
        site, points = facts.edifice_site[row], rules.edifice_points[facts.edifice_edifice[row]]
        beside = rules.site_spaces[site] if site < facts.sites else int64(0)
        builder, built_in = facts.edifice_seat[row], facts.edifice_round[row]
        members, own_members, earlier = _pay(facts, facts.placement_edifices, beside, points, builder, built_in)
        facts.edifice_members[row] = members
        facts.edifice_points[row] = members * points
        facts.edifice_own_points[row] = own_members * points
        facts.edifice_beside_own[row] = earlier > 0


@force_inline
def _pay(facts, paid, beside, points, builder, built_in):
    """Pay the members on the spaces `beside`; return the numbers of (all, the builder's, the builder's earlier ones).

    A member placed in the round `built_in` is earlier: buildings come after all placements of a round.
    """
    members = own_members = earlier = int64(0)
    for row in range(facts.first_placement, facts.placement_rows):
        if (beside >> facts.placement_space[row]) & 1:
            members += 1
            is_own = int64(facts.placement_seat[row] == builder)
            own_members += is_own
            earlier += is_own & int64(facts.placement_round[row] <= built_in)
            paid[row] += points
            facts.placement_points[row] += points
    return members, own_members, earlier

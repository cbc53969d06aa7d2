"""Strasbourg's state record, rules record, phases, action numbers and limits.

Cards of one value are interchangeable, so a shuffled deck, a hand or a stack is a bag: one number with five bits for
each value, those of the highest value on top. A greater bag comes first in a record (F5.4). A set of city spaces,
sites, tasks or seats is a number, too: bit k is member k. Letters and numbers in parentheses are items of the rules'
documents: R the rules, A the ambiguities, F the record (docs/rules/strasbourg.md).
"""

import numpy as np

# Limits: a component set beyond them is refused; action numbers depend on them (F6.1).
SEATS = 5  # P
MAX_VALUE = 6  # of an influence card
MAX_CARDS = 24  # in the deck of a player
MIN_CARDS = 2  # one card, if it must be drawn, leaves no choice in planning
MAX_STACKS = MAX_CARDS
MAX_DEALT = 5  # tasks
MAX_TASKS = 60
MAX_CELLS = 54
MAX_CHAPEL_SITES = 40
MAX_SITES = 16  # building sites
MAX_EDIFICES = 12
MAX_GUILDS = 8
MAX_GOODS = 15  # of one guild
MAX_PRICE = 30
MAX_ROUNDS = 8
MAX_POINTS = 50  # of a task, an edifice, a chapel, a privilege, a council seat
MAX_COINS = 1_000  # at the start
MAX_GOOD_VALUE = 100
MAX_PRIVILEGES = 100  # at the start
ANY_NUMBER = 255  # no limit on the cards that a seat may draw in a round

PLAYER_COUNTS = (3, 4, 5)
NOBODY = 255
NO_SITE = 255
UNKNOWN_COINS = 2**16 - 1  # others' coins, with `hide_money`
UNKNOWN_AMOUNT = 255  # others' privileges and goods, with `hide_money`
UNKNOWN_STACK = 1 << 31  # + size: a stack whose cards a seat does not know

# Bags of cards.
CARD_BITS = 5
ONE_EACH = sum(1 << CARD_BITS * value for value in range(MAX_VALUE))  # a card of every value
TOP_SHIFT = CARD_BITS * (MAX_VALUE - 1)
CARD_MASK = (1 << CARD_BITS) - 1

# Seats of the council, first those without a guild.
LORDS = ("nobility", "church", "merchants")
NOBILITY, CHURCH, MERCHANTS, GUILD_SEAT = 0, 1, 2, 3  # GUILD_SEAT + guild
MAX_CHAIRS = GUILD_SEAT + MAX_GUILDS

# Steps of a round: A to G are auctions.
STEPS = "ABCDEFGHI"
STEP_A, STEP_G, STEP_H, STEP_I = 0, 6, 7, 8
AUCTIONS = 7

# Where a seat may not build, as bits.
BESIDE_OWN, ANYWHERE = 1, 2

# Phases: what the actor decides.
KEEP = 0  # tasks
DRAW = 1  # another card, or stop
SPLIT = 2  # a card for the stack under construction, or close it
BID = 3  # pass, defer, or turn over a stack
TAKE_SEAT = 4  # the master: the guild's seat, with the switch `seat_optional`
TAKE_GOOD = 5  # master or journeyman: a good
PLACE = 6  # master or journeyman: a space in the city
APPRENTICE = 7  # a good, or a space
SELL = 8  # how many goods of one guild
RETURN = 9  # a card of the stack
BUILD_CHAPEL = 10
BUILD_EDIFICE = 11
OVER = 12

# Actions (F6.1). 0 is never legal.
STOP = 32  # 1..31 KEEP: the tasks to keep; bit i is the i-th task dealt, i from 0
DRAW_CARD = 33
CLOSE = 34
ADD = CLOSE  # + value
PASS = 41
DEFER = 42
REVEAL = 43  # + stack
NONE = 67
SEAT = 68
GOOD = 69
PLACE_ON = 70  # + cell
SELL_GOODS = 124  # + number
RETURN_CARD = 139  # + value
CHAPEL = 146  # + chapel site
EDIFICE = 186  # + building site
ACTIONS = EDIFICE + MAX_SITES

# Bits of the set of legal actions, counted from the phase's first action (see legal_actions.py).
FIRST_ACTION = (0, STOP, CLOSE, PASS, NONE, NONE, NONE, NONE, SELL_GOODS, RETURN_CARD, CHAPEL - 1, EDIFICE - 1, 0)
REVEAL_BIT = REVEAL - PASS
PLACE_BIT = PLACE_ON - NONE

# Chance.
ROUND_SOURCE, EDIFICE_SOURCE, TASK_SOURCE, CARD_SOURCE = 0, 1, 2, 3  # CARD_SOURCE + seat

# Texts of the kinds of tasks (F7), with keys of the task in braces; {seats} is its `min_by_players`.
TASK_WORDS = {
    "adjacent_to_edifice": "{min} beside {edifice}",
    "members_in_guild": "{min} {guild} spaces",
    "same_edifice": "{min} beside one edifice",
    "orthogonal_line": "row of {min}",
    "diagonal_line": "diagonal of {min}",
    "square_2x2": "square of 4",
    "council_members": "{seats} council seats",
    "distinct_edifices": "beside {min} edifices",
    "most_members_in_city": "most members",
    "most_coins": "most coins",
    "distinct_guilds": "members in {min} guilds",
    "guilds_with_pairs": "{min} members in {guilds} guilds",
    "distinct_chapels": "beside {min} chapels",
    "same_chapel": "{min} beside one chapel",
    "connected_group": "group of {min}",
    "border_members": "{min} on the border",
    "nobility_or_church": "nobility or church",
}
TASK_KINDS = tuple(TASK_WORDS)
ADJACENT_TO_EDIFICE, MEMBERS_IN_GUILD, SAME_EDIFICE, ORTHOGONAL_LINE, DIAGONAL_LINE, SQUARE_2X2 = range(6)
COUNCIL_MEMBERS, DISTINCT_EDIFICES, MOST_MEMBERS_IN_CITY, MOST_COINS, DISTINCT_GUILDS, GUILDS_WITH_PAIRS = range(6, 12)
DISTINCT_CHAPELS, SAME_CHAPEL, CONNECTED_GROUP, BORDER_MEMBERS, NOBILITY_OR_CHURCH = range(12, 17)

STATE = np.dtype([  # shape                      unit / meaning
    ("legal", "i8"),  #                          set of legal actions, counted from the phase's FIRST_ACTION
    ("empty", "i8"),  #                          set of city spaces without a member
    ("free_chapel_sites", "i8"),  #              set
    ("members", "i8", (SEATS,)),  #             [P] set of city spaces with an own member
    ("dealt", "i8", (SEATS,)),  #               [P] set of tasks; empty if hidden
    ("kept", "i8", (SEATS,)),  #                [P] set of tasks; empty before the choice or if hidden
    ("phase", "u1"),
    ("actor", "u1"),  #                          seat that must decide
    ("players", "u1"),
    ("round", "u1"),  #                          0 = round 1
    ("step", "u1"),  #                           0 = A; while planning the round's first step
    ("start_player", "u1"),
    ("planned", "u1"),  #                        set of seats that have planned this round; all after planning
    ("drawn", "u1", (SEATS,)),  #               [P] cards drawn this round
    ("last_value", "u1"),  #                     while SPLIT: the card last put on the stack under construction
    ("undecided", "u1"),  #                      set of seats that have not decided in this auction
    ("queue", "u4"),  #                          seats that bid after the actor: four bits per seat, next one lowest
    ("with_stacks", "u1"),  #                    in steps A to I: set of seats that have a stack left
    ("bidders", "u1"),  #                        number of seats that have turned over a stack in this auction
    ("rank", "u1"),  #                           rank that acts or returns a card; 0 = rank 1
    ("ranking", "u1", (SEATS,)),  #             [rank] seat
    ("idle", "u1"),  #                           set of acting seats that have not taken or sold anything in this step
    ("declined", "u1"),  #                       1 = the actor has left a right unused; while SELL: sold nothing yet
    ("guild", "u1"),  #                          guild of the step, while SELL the guild of the goods, or NOBODY
    ("proceeds", "u2"),  #                       while SELL: coins received in this step
    ("hand", "u4"),  #                           bag: the actor's cards drawn and not yet on a stack
    ("free_sites", "u4"),  #                     set of building sites without an edifice
    ("chapels", "u1"),  #                        left in the pool
    ("council", "u1", (MAX_CHAIRS,)),  #        [chair] player, or NOBODY
    ("edifice_site", "u1", (MAX_EDIFICES,)),  # [edifice] its site, or NO_SITE
    ("round_card", "u1", (MAX_ROUNDS,)),  #     [round]
    ("round_edifice", "u1", (MAX_ROUNDS,)),  #  [round]
    ("prestige", "u2", (SEATS,)),  #            [P] of the council phases
    ("score", "i2", (SEATS,)),  #               [P] total; prestige until the game is over
    ("voids", "u2", (SEATS,)),  #               [P] times that a restriction left no action and was void; 0 if hidden
    ("coins", "u2", (SEATS,)),  #               [P] or UNKNOWN_COINS
    ("privileges", "u1", (SEATS,)),  #          [P] or UNKNOWN_AMOUNT
    ("goods", "u1", (SEATS, MAX_GUILDS)),  #    [P, guild] or UNKNOWN_AMOUNT
    ("deck", "u4", (SEATS,)),  #                [P] bag: cards of the first shuffle left in the deck, 0 if hidden
    ("deck_left", "u1", (SEATS,)),  #           [P] number of those cards
    ("under", "u1", (SEATS, MAX_CARDS)),  #     [P, k] value of the k-th card put under the deck, the next one first
    ("under_left", "u1", (SEATS,)),  #          [P] number of those cards, `under_taken` included
    ("under_taken", "u1", (SEATS,)),  #         [P] number of those drawn in this planning phase: the first ones
    ("known", "u4", (SEATS,)),  #               [P] bag: cards drawn this round from under the deck, once public
    ("shown", "u4", (SEATS,)),  #               [P] bag: cards turned over this round
    ("lost", "u4", (SEATS,)),  #                [P] bag: cards that were turned over and have left the game
    ("bid", "u4", (SEATS,)),  #                 [P] bag: the stack turned over in this step; 0 = none, or it is gone
    ("stack_count", "u1", (SEATS,)),  #         [P] stacks planned this round; if hidden, those still face down
    ("unused", "u4", (SEATS,)),  #              [P] set of own stacks that are still face down
    ("repeated", "u4", (SEATS,)),  #            [P] set of stacks equal to the previous one
    ("stacks", "u4", (SEATS, MAX_STACKS)),  #   [P, k] bag, greatest first; 0 = used or none; or UNKNOWN_STACK + size
], align=True)  # fmt: skip

RULES = np.dtype([  # shape                      unit / meaning
    ("rounds", "u1"),
    ("guilds", "u1"),
    ("edifices", "u1"),
    ("tasks", "u1"),
    ("dealt", "u1"),  #                          tasks dealt to each player
    ("keep", "i8"),  #                           set of KEEP actions
    ("all_cards", "u4"),  #                      bag: cards of a player
    ("cards", "u1"),  #                          number of those cards
    ("start_coins", "u2"),
    ("start_privileges", "u1"),
    ("privilege_points", "u1"),
    ("good_value", "u2", (MAX_GUILDS,)),  #     [guild] coins
    ("chapels", "u1"),
    ("chapel_points", "u1"),
    ("edifice_points", "u1", (MAX_EDIFICES,)),
    ("seat_points", "u1"),  #                    prestige for a council seat in each council phase
    ("card_guild", "u1", (MAX_ROUNDS, 3)),  #   [card, k] of the steps B, D and F
    ("columns", "u1"),
    ("chapel_sites", "u1"),
    ("sites", "u1"),
    ("spaces", "i8"),  #                         set of city spaces
    ("guild_spaces", "i8", (MAX_GUILDS,)),  #   [guild] set of city spaces
    ("price", "u1", (MAX_CELLS,)),  #           [cell] coins
    ("affordable", "i8", (MAX_PRICE + 1,)),  #  [coins] set of city spaces that cost no more
    ("site_spaces", "i8", (MAX_SITES,)),  #     [building site] set of city spaces orthogonally adjacent
    ("chapel_spaces", "i8", (MAX_CHAPEL_SITES,)),  # [chapel site] set of city spaces that meet there
    ("not_first_column", "i8"),  #               set of cells
    ("not_last_column", "i8"),  #                set of cells
    ("border", "i8"),  #                         set of cells
    ("penalty", "u1"),  #                        for a task that is not fulfilled
    ("task_kind", "u1", (MAX_TASKS,)),
    ("task_points", "u1", (MAX_TASKS,)),
    ("task_subject", "u1", (MAX_TASKS,)),  #    [task] the edifice or guild, or the number of guilds
    ("task_minimum", "u1", (MAX_TASKS, SEATS + 1)),  # [task, players]
    ("skip_first_step", "u1"),  #                switches (F8), 0 or 1: skip_A_round1
    ("min_draw", "u1"),
    ("sequential", "u1"),  #                     `planning` is sequential
    ("return_if_unused", "u1"),
    ("building_optional", "u1"),
    ("hide_money", "u1"),
    ("tie_fulfils", "u1"),
    ("seat_optional", "u1"),
    ("restricted", "u1"),  #                     1 = a seat has one of these restrictions
    ("no_bid", "u1", (SEATS, MAX_ROUNDS)),  #   [P, card] set of steps in which the seat may not turn over a stack
    ("no_defer", "u1", (SEATS,)),  #            [P] 1 = it may not defer
    ("most_drawn", "u1", (SEATS,)),  #          [P] most cards that it may draw in a round, or ANY_NUMBER
    ("no_space", "i8", (SEATS,)),  #            [P] set of city spaces that it may not take
    ("no_good", "u1", (SEATS,)),  #             [P] set of guilds of which it may not take a good
    ("no_keep", "i8", (SEATS,)),  #             [P] set of KEEP actions: those with more tasks than it may keep
    ("no_task", "i8", (SEATS,)),  #             [P] set of tasks that it may not keep
    ("no_chapel", "u1", (SEATS,)),  #           [P] BESIDE_OWN, ANYWHERE: where it may not build a chapel
    ("no_edifice", "u1", (SEATS,)),  #          [P] BESIDE_OWN, ANYWHERE: where it may not build an edifice
], align=True)  # fmt: skip
RESTRICTIONS = ("restricted", *(name for name in RULES.names or () if name.startswith("no_")))  # 0 if there are none

# Upper bound of journal rows: setup and tasks; each round all cards drawn again, each as a separate stack, bids, defers
# (one per council), four rows for each of three ranks, a sale of every guild, returns, building, council; the end.
# Defers for privileges held at the start fit too: a seat cannot draw all its cards again in every round.
_ROWS_OF_AUCTION = 2 * SEATS + 4 * 3 + MAX_GUILDS + 3
_ROWS_OF_ROUND = SEATS * (2 * MAX_CARDS + 4) + AUCTIONS * _ROWS_OF_AUCTION + SEATS * MAX_ROUNDS + 12
JOURNAL_ROWS = 2 * MAX_ROUNDS + SEATS * (MAX_TASKS + 4) + 8 + MAX_ROUNDS * _ROWS_OF_ROUND

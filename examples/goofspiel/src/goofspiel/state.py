"""Goofspiel's state record, phases, action numbers and limits."""

import numpy as np

SEATS = 3  # P
PLAYER_COUNTS = (3,)
MIN_CARDS = 2  # with one card there is no decision
MAX_CARDS = 13
ACTIONS = MAX_CARDS + 1  # an action is the card laid, 1 .. 13; 0 is never legal

BID, OVER = 0, 1  # phases
NO_BID = 0
UNKNOWN = 255  # a face-down bid

PRIZE_SOURCE = 0  # source of chance: the order of the prizes

# A set of cards is an integer: bit c is card c.
STATE = np.dtype([  # shape             meaning
    ("players", "u1"),
    ("phase", "u1"),  #                 BID or OVER
    ("actor", "u1"),  #                 seat that must bid
    ("start_player", "u1"),  #          seat that bids first
    ("prize", "u1"),  #                 card bid for
    ("unseen", "u2"),  #                set of prizes to come
    ("hand", "u2", (SEATS,)),  #        [P] set of cards, without the one laid
    ("bid", "u1", (SEATS,)),  #         [P] card laid this round, NO_BID or UNKNOWN
    ("score", "u1", (SEATS,)),  #       [P] value of the prizes won
], align=True)  # fmt: skip

JOURNAL_ROWS = MAX_CARDS * (SEATS + 2) + SEATS  # per round: prize, bids, award; at the end a row per seat

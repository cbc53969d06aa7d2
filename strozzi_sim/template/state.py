"""The state record, phases, action numbers and limits."""

import numpy as np

PLAYER_COUNTS = (2, 3, 4)
SEATS = PLAYER_COUNTS[-1]  # P
VALUES = 5  # values of tokens are 1 to VALUES
MAX_COPIES, MAX_FACE_UP, MAX_TURNS = 20, 10, 20
ACTIONS = VALUES + 1  # an action is the value taken; 0 is never legal

TAKE, OVER = 0, 1  # phases
SACK_SOURCE = 0  # source of chance: the order of the tokens

STATE = np.dtype([  # shape            meaning
    ("players", "u1"),
    ("phase", "u1"),  #                TAKE or OVER
    ("actor", "u1"),  #                seat that takes a token
    ("turns_left", "u1"),  #           turns of all seats
    ("face_up", "u1", (VALUES,)),  #   [value - 1] tokens face up
    ("sack", "u1", (VALUES,)),  #      [value - 1] tokens in the sack
    ("score", "u1", (SEATS,)),  #      [P] value of the tokens taken
], align=True)  # fmt: skip

JOURNAL_ROWS = 1 + VALUES * MAX_COPIES + SEATS * MAX_TURNS + SEATS  # one to spare, revealed, taken, scores

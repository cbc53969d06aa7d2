"""The state and rules records, phases, action numbers and limits."""

import numpy as np

PLAYER_COUNTS = (2, 3, 4)
SEATS = PLAYER_COUNTS[-1]  # P
MAX_ROLLS, MAX_FACES, IDLE = 30, 100, 100
LEFT, RIGHT = 1, 2  # actions
ACTIONS = 3
ROLL, OVER = 0, 1  # phases
DICE, FATE = 0, 1  # sources of chance

STATE = np.dtype([  #           meaning
    ("players", "u1"),
    ("phase", "u1"),  #         ROLL or OVER
    ("actor", "u1"),  #         seat that rolls
    ("turn", "u1"),  #          turns taken, of all seats
    ("score", "i4", (SEATS,)),
], align=True)  # fmt: skip

RULES = np.dtype([  # fields of components.toml, `salt`, a number of all idle ones, and restrictions
    ("rolls", "u1"),
    ("faces", "u1"),
    ("spin", "u1"),
    ("head", "i4", (SEATS,)),
    ("prize", "i4"),
    ("crown", "i4"),
    ("debt", "i4"),
    ("salt", "u4"),
    ("no_right", "u1", (SEATS,)),  # restriction of a seat
], align=True)  # fmt: skip

JOURNAL_ROWS = 1 + SEATS * MAX_ROLLS + SEATS

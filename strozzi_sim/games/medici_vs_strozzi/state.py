"""Medici vs Strozzi's state record, rules record, phases, action numbers and limits."""

import numpy as np

# Limits: a component set beyond them is refused.
SEATS = 2  # P
MAX_SHIPS = 4  # of a player
MAX_CAPACITY = 15
MAX_HARBORS = 4
MAX_TYPES = 6
MAX_TILES = 64
MAX_VALUE = 15  # of a tile
MAX_STEPS = 8  # of a marker for one tile
MAX_REVEAL = 6  # tiles of a lot
MAX_HALF_LENGTH = 15
MAX_ROUNDS = 8
MAX_PRICE = 250  # that an agent can name
MAX_PRIZE = 1_000

PLAYER_COUNTS = (2,)
PLAYER_NAMES = ("Medici", "Strozzi")
MEDICI, STROZZI = 0, 1
NO_HARBOR = 255
GOLD = MAX_TYPES  # the type of a gold tile
UNKNOWN_CASH = -(2**31)  # the rival's cash in a concealed state, if it is hidden

# Phases: what the actor decides.
REVEAL = 0  # the proposer: another tile, or stop
PRICE = 1  # the proposer: the price of the lot
ANSWER = 2  # the responder: buy, or leave the lot to the proposer
PLACE = 3  # the buyer: which ship, and where to moor it, or discard
OVER = 4

# Actions. 0 is never legal.
REVEAL_MORE = 1
STOP = 2
BUY = 3
DECLINE = 4
DISCARD = 5
LOAD = 6  # + ship * MAX_HARBORS + harbor: 6 .. 21
NAME_PRICE = LOAD + MAX_SHIPS * MAX_HARBORS  # + price: 22 .. 272
ACTIONS = NAME_PRICE + MAX_PRICE + 1

# Locations of a tile other than on a ship, which is seat * MAX_SHIPS + ship.
IN_BAG, IN_LOT, DISCARDED = 255, 254, 253

STATE = np.dtype([  # shape                      unit / meaning
    ("phase", "u1"),  #                          REVEAL, PRICE, ANSWER, PLACE or OVER
    ("actor", "u1"),  #                          seat that must decide
    ("players", "u1"),
    ("round", "u1"),  #                          0 = round 1
    ("start_player", "u1"),  #                   seat that led this round
    ("proposer", "u1"),  #                       seat that shows tiles and names the price
    ("buyer", "u1"),  #                          while PLACE: seat that bought the lot
    ("first_action", "u1"),  #                   smallest action of the phase
    ("shown", "u1"),  #                          tiles of the lot on the table
    ("choices", "u2"),  #                        number of legal actions
    ("price", "u2"),  #                          while ANSWER and PLACE: coins
    ("legal", "u4"),  #                          set of legal actions, counted from first_action; not while PRICE
    ("lot", "u1", (MAX_REVEAL,)),  #            [k] index of the tile
    ("room", "u1", (SEATS,)),  #                 [P] largest free space on one ship
    ("loaded", "u1", (SEATS,)),  #               [P] tiles on own ships
    ("moored", "u1", (SEATS,)),  #               [P] ships with a tile
    ("berths", "u1", (SEATS,)),  #               [P] set of harbors without an own ship
    ("free", "u1", (SEATS, MAX_SHIPS)),  #      [P, ship] free spaces, 0 where there is no ship
    ("harbor", "u1", (SEATS, MAX_SHIPS)),  #    [P, ship] where it is moored, or NO_HARBOR
    ("value", "u1", (SEATS, MAX_HARBORS)),  #   [P, harbor] total face value of own ship there
    ("steps", "u1", (SEATS, MAX_HARBORS, MAX_TYPES)),  # [P, harbor, type] steps of its tiles for the marker, if any
    ("position", "i1", (MAX_HARBORS, MAX_TYPES)),  # [harbor, type] of the marker, positive = Medici's side
    ("cash", "i4", (SEATS,)),  #                 [P] coins, negative = owed to the bank
    ("unseen", "u1"),  #                         tiles in the bag
    ("unseen_tile", "u1", (MAX_TILES,)),  #     [k] indices of these tiles, in an arbitrary order
    ("location", "u1", (MAX_TILES,)),  #            [tile] IN_BAG, IN_LOT, DISCARDED or its ship
], align=True)  # fmt: skip

RULES = np.dtype([  # shape                      unit / meaning
    ("ships", "u1"),  #                          of a player
    ("harbors", "u1"),
    ("types", "u1"),
    ("tiles", "u1"),
    ("rounds", "u1"),
    ("reveal_max", "u1"),
    ("capacity", "u1", (MAX_SHIPS,)),  #        [ship] tiles, 0 where there is no ship
    ("capacity_total", "u1"),
    ("starter", "u1", (MAX_ROUNDS,)),  #        [round] seat that leads it
    ("tile_type", "u1", (MAX_TILES,)),  #       [tile] type, or GOLD
    ("tile_value", "u1", (MAX_TILES,)),  #      [tile] face value
    ("tile_steps", "u1", (MAX_TILES,)),  #      [tile] steps where its type has a track
    ("half_length", "u1", (MAX_HARBORS, MAX_TYPES)),  # [harbor, type] spaces a side, 0 = no track
    ("bonus", "u2", (MAX_HARBORS, MAX_TYPES, MAX_HALF_LENGTH + 1)),  # [harbor, type, |position|] coins
    ("majority", "u2"),  #                       coins for the better load of a harbor
    ("monopoly", "u2"),  #                       coins for a marker off the centre
    ("start_cash", "i4"),
    ("top_price", "u2"),  #                      highest price that an agent can name
    ("ends_moored", "u1"),  #                    switches, 0 or 1
    ("worthless_wins", "u1"),
    ("net_movement", "u1"),
    ("buy_without_room", "u1"),
    ("hidden_cash", "u1"),
    ("most", "u1", (SEATS,)),  #                 [P] restrictions: tiles that the seat may show for one lot
    ("price_cap", "u2", (SEATS,)),  #            [P] highest price that it may name
    ("no_buy", "u1", (SEATS,)),  #               [P] 1 = it may not buy from its rival
    ("no_place", "u2", (SEATS,)),  #             [P] set of ship * MAX_HARBORS + harbor where it may not load
], align=True)  # fmt: skip

# Most rows of a journal: each tile is a lot, and each track and harbor is scored.
JOURNAL_ROWS = MAX_ROUNDS * (5 * MAX_TILES + MAX_HARBORS * (MAX_TYPES + 1) + 8) + 8

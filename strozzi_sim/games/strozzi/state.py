"""Strozzi's state and rules records, phases, action numbers and limits."""

import numpy as np

# Limits: a component set beyond them is refused.
SEATS = 6  # P
PORTS = 3  # venice, rome, naples
CITIES = 4  # the ports, and florence
MAX_SHIPS = 64
MAX_TILES = 64
MAX_SPACES = 32  # of a track, the start space included
MAX_ROUNDS = 8
MAX_FACE_UP = 6
MAX_SYMBOLS = 9  # of one ware or of scrolls on a ship; also steps and speed of a flag, value of a tile
MAX_SAIL = 99  # sail number, the plus_one flag included
MAX_PRIZE = 1_000

PLAYER_COUNTS = (3, 4, 5, 6)
PORT_NAMES = ("venice", "rome", "naples")
CITY_NAMES = (*PORT_NAMES, "florence")
FLORENCE = 3
FLAG_NAMES = ("pirate", "plus_one", "ware")
PIRATE_FLAG, PLUS_ONE_FLAG, WARE_FLAG = 0, 1, 2
ALL_FLAGS = 0b111
ALL_PORTS = 0b111
CATEGORIES = ("art", "science", "architecture")
NOBODY = 255
NO_WARE = 255

# Phases: the decision of the actor.
CLAIM = 0  # pass, or claim the card with one of its flags
PIRACY = 1  # another seat claims the card: pass, or take it with the pirate flag
PORT = 2  # where to place the ship
TILE = 3  # which promotion tile to take
OVER = 4

# Actions. 0 is never legal.
PASS = 1
CLAIM_WITH = 2  # + flag: 2 pirate, 3 plus_one, 4 ware
PLACE_AT = 5  # + port: 5 venice, 6 rome, 7 naples
TAKE_TILE = 8  # + slot of the display: 8 .. 13
DECLINE_TILE = TAKE_TILE + MAX_FACE_UP  # 14, only with rules.tile_optional
ACTIONS = 15

# Chance sources.
TILE_SOURCE = 0
SHIP_SOURCE = 1  # + index of the round (0 = round 1)

STATE = np.dtype([  # shape               unit / meaning
    ("phase", "u1"),  #                   CLAIM, PIRACY, PORT, TILE or OVER
    ("actor", "u1"),  #                   seat that must decide
    ("legal", "u1"),  #                   set of legal actions, counted from first_action
    ("first_action", "u1"),  #            smallest action of the phase
    ("players", "u1"),
    ("round", "u1"),  #                   0 = round 1
    ("start_player", "u1"),  #            of this round
    ("active", "u1"),  #                  seat that turned the card over
    ("ship", "u1"),  #                    index of the card turned over last
    ("holder", "u1"),  #                  seat whose flag is on the card, or NOBODY
    ("holder_flag", "u1"),  #             that flag
    ("waiting", "u1"),  #                 set of seats that may decide on the card after the actor; for CLAIM and PIRACY
    ("with_flag", "u1"),  #               set of seats that have a flag
    ("with_pirate", "u1"),  #             set of seats that have their pirate flag
    ("deck", "u1"),  #                    cards left in the round's deck
    ("hand", "u1", (SEATS,)),  #          [P] set of unused flags; a flag on the card is used once the card is taken
    ("berths", "u1", (SEATS,)),  #        [P] set of ports where the seat has no ship
    ("position", "u1", (CITIES, SEATS)),  # [city, P] space of the marker, 0 = start
    ("order", "u1", (CITIES, SEATS)),  #  [city, rank] seat of the marker there, best first
    ("ships_at", "u1", (PORTS,)),  #      [port] ships there
    ("berth_seat", "u1", (PORTS, SEATS)),  #  [port, rank] owner, fastest first
    ("berth_speed", "u1", (PORTS, SEATS)),  # [port, rank] sail number, the flag included
    ("berth_ship", "u1", (PORTS, SEATS)),  #  [port, rank] index of the card
    ("berth_flag", "u1", (PORTS, SEATS)),  #  [port, rank] flag on it
    ("display_size", "u1"),
    ("display", "u1", (MAX_FACE_UP,)),  # [slot] index of the tile
    ("tile_total", "u2", (3, SEATS)),  #  [category, P] value of the seat's tiles
    ("coins", "u4", (SEATS,)),  #         [P] coins
    ("voids", "u2", (SEATS,)),  #         [P] ports or tiles taken where a restriction would have left none and was void
    ("tile_owner", "u1", (MAX_TILES,)),  # [tile] seat that took it, or NOBODY
    ("ships_unseen", "u1"),  #            cards not turned over this round, the removed ones included
    ("unseen_ship", "u1", (MAX_SHIPS,)),  # [k] their indices, in an arbitrary order
    ("tiles_unseen", "u1"),
    ("unseen_tile", "u1", (MAX_TILES,)),  # [k] tiles never shown
], align=True)  # fmt: skip

RULES = np.dtype([  # shape               unit / meaning
    ("ships", "u1"),
    ("tiles", "u1"),
    ("rounds", "u1"),
    ("face_up", "u1"),
    ("top", "u1"),  #                     highest space
    ("cards", "u1", (SEATS + 1,)),  #     [players] cards in a round's deck, 0 = not playable
    ("sail", "u1", (MAX_SHIPS,)),
    ("cargo", "u1", (MAX_SHIPS, PORTS)),  # [ship, port] symbols
    ("scrolls", "u1", (MAX_SHIPS,)),
    ("promotion", "u1", (MAX_SHIPS,)),
    ("tile_category", "u1", (MAX_TILES,)),
    ("tile_value", "u1", (MAX_TILES,)),
    ("tile_ware", "u1", (MAX_TILES,)),  # port, or NO_WARE
    ("plus_one_speed", "u1"),
    ("ware_steps", "u1"),
    ("ship_prize", "u2", (SEATS,)),  #    [rank] coins
    ("marker_prize", "u2", (SEATS,)),
    ("category_prize", "u2", (SEATS,)),
    ("bonus", "u2", (MAX_SPACES,)),  #   [space] coins
    ("box_coins", "u4"),  #               value of all coins in the box
    ("reverse_start", "u1"),  #           switches of [rules], 0 or 1
    ("second_lap", "u1"),
    ("ware_flag_needs_match", "u1"),
    ("tile_optional", "u1"),
    ("zero_total_scores", "u1"),
    ("florence_bonus", "u1"),
    ("restricted", "u1"),  #              1 = a seat has one of these restrictions
    ("no_flag", "u1", (SEATS,)),  #       [P] set of flags that the seat may not use
    ("powerless", "u1", (SEATS,)),  #     [P] set of flags that only claim a ship for the seat, see `scoring.has_power`
    ("no_port", "u1", (SEATS,)),  #       [P] set of ports where it may not place
    ("no_category", "u1", (SEATS,)),  #   [P] set of categories of tiles that it may not take
    ("first_claim", "u1", (SEATS,)),  #   [P] number of the first card of a round on which it may use a flag, or 0
    ("no_card", "u8", (SEATS,)),  #       [P] set of ship cards on which it may not use a flag
    ("no_tile", "u8", (SEATS,)),  #       [P] set of tiles that it may not take
], align=True)  # fmt: skip
# The fields of RULES that restrictions set, 0 without any.
RESTRICTIONS = ("restricted", "no_flag", "powerless", "no_port", "no_category", "first_claim", "no_card", "no_tile")

# Most journal rows: in each round all ships revealed, answered twice by every seat, placed, with 3 moves and a tile.
JOURNAL_ROWS = MAX_ROUNDS * (MAX_SHIPS * (2 * SEATS + 8) + PORTS * SEATS + CITIES * SEATS + SEATS + 4) + 64

"""Goofspiel's events: their fields, their visibility, and their text."""

from strozzi_sim.game.events import SCORE_END, Event, Events, number


def award(rows, components):
    """Return the line of an award, of the rows since the last one: the prize, all bids, and the seat that takes it."""
    winner, prize = rows["award"][0][:2]
    bids = {seat: card for seat, card, *_ in rows["bid"]}
    return {"prize": prize, "bids": [bids[seat] for seat in sorted(bids)], "player": None if winner < 0 else winner}


EVENTS = Events(
    Event("prize", ("prize",), "The prize is {prize}."),
    Event("bid", ("player", number("card", secret="a card face down")), "{player:bids} {card}."),
    Event("award", ("player", "prize"), "The bids are {bids}: {player:takes} the {prize}.", make=award),
    SCORE_END,
)
PRIZE, LAY, AWARD, END = EVENTS.kinds

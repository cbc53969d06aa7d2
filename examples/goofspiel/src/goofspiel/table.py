"""The table of goofspiel: holdings, zones and a track as data, which every page can draw."""

from strozzi_sim.game.table import GameTable


class GoofspielTable(GameTable):
    """The prize, the prizes to come, the bids, and the viewer's hand."""

    columns = (("Cards in hand", "cards"), ("Points", "points"))

    def set_up(self):
        """Begin the view: all cards in all hands."""
        self.deck = list(range(1, self.components["deck"]["cards"] + 1))
        self.hands = [list(self.deck) for _ in range(self.players)]
        self.to_come, self.bids = list(self.deck), [None] * self.players
        self.view |= {"prize": None, "points": [0] * self.players}

    def on_prize(self, line):
        """Turn up a prize."""
        self.to_come.remove(line["prize"])
        self.bids = [None] * self.players
        self.view |= {"prize": line["prize"], "round": self.view["round"] + 1, "actor": None}
        self.marks = ["prize"]
        return f"The prize is {line['prize']}."

    def on_bid(self, line):
        """Lay a card; that of another seat is None."""
        seat, card = line["player"], line["card"]
        self.bids[seat] = card or "?"
        self.view["actor"] = seat
        self.marks = [f"bid:{seat}"]
        if card is None:
            return self.says(seat, "lays a card face down.")
        self.hands[seat].remove(card)
        return self.says(seat, f"lays the {card}.")

    def on_award(self, line):
        """Turn over all bids, and give the prize to the highest."""
        for seat, card in enumerate(line["bids"]):
            if card in self.hands[seat]:
                self.hands[seat].remove(card)
        self.bids = list(line["bids"])
        self.marks = [f"bid:{seat}" for seat in range(self.players)]
        cards = ", ".join(f"{card} by {self.named(seat)}" for seat, card in enumerate(line["bids"]))
        winner, shown = line["player"], f"The cards are {cards}."
        if winner is None:
            return f"{shown} Two are highest: the {line['prize']} is lost."
        self.view["points"][winner] += line["prize"]
        return f"{shown} {self.says(winner, 'takes')} the {line['prize']}."

    def standing(self):
        """Return the points."""
        return list(self.view["points"])

    def lay_out(self):
        """Write the zones, the track and the holdings into the view, after `set_up` and after every line."""
        bids = [
            {"seat": seat, "text": card, "back": card == "?", "at": f"bid:{seat}"}
            for seat, card in enumerate(self.bids)
            if card
        ]
        prize = [{"text": self.view["prize"], "at": "prize"}] if self.view["prize"] else []
        zones = [
            {"name": "The prize", "items": prize},
            {"name": "Prizes to come", "items": [{"text": card} for card in self.to_come]},
            {"name": "Cards laid", "items": bids},
        ]
        if self.viewer is not None:
            hand = [{"text": card, "at": f"card:{card}"} for card in self.hands[self.viewer]]
            zones.append({"name": "Your hand", "items": hand})
        pieces = [[seat, points] for seat, points in enumerate(self.view["points"])]
        self.view |= {
            "zones": zones,
            "tracks": [{"name": "Points", "spaces": [str(n) for n in range(sum(self.deck) + 1)], "pieces": pieces}],
            "cards": [len(hand) for hand in self.hands],
        }

    def choice(self, action, name, position):
        """Return a card of the hand."""
        return {"label": f"Bid {name}", "at": f"card:{name}"}

    def agreements(self, seen):
        """Yield what must be equal in the fold and in the View; `check_game` compares them."""
        yield "points", self.view["points"], [int(points) for points in seen.score]
        if not seen.over:
            yield "prize", self.view["prize"], int(seen.prize)
            own = int(seen.hand[seen.seat])
            yield "hand", self.hands[seen.seat], [card for card in self.deck if own >> card & 1]


TABLE = GoofspielTable

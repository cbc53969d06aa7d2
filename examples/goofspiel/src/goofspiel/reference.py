"""The rules of goofspiel, in plain Python.

Every seat has the cards 1 to n, and n prizes of these values come up in random order. For each prize all seats lay a
card face down, then turn them over. The highest card takes the prize; if several seats lay it, the prize is lost. The
cards laid are out of the game. The seat with the highest sum of prizes wins.
"""

from strozzi_sim.game.record_checking import Drawn, ReferenceGame, replayer


class Game(ReferenceGame):
    """One game of goofspiel."""

    @property
    def hand(self):
        """The hands as sets of bits, for `render`."""
        return [sum(1 << card for card in hand) for hand in self.hands]

    def course(self):
        """Play the whole game; `prizes` are the values in the order of their appearance."""
        cards = self.components["deck"]["cards"]
        turns = [(self.start_player + k) % self.players for k in range(self.players)]
        self.hands = [list(range(1, cards + 1)) for _ in range(self.players)]
        self.score = [0] * self.players
        for number, prize in enumerate(self.prizes):
            self.prize = prize
            self.unseen = sum(1 << later for later in self.prizes[number + 1 :])
            self.bid = [0] * self.players
            self.write("prize", prize=prize)
            for seat in turns:
                card = yield from self.ask("bid", seat, list(self.hands[seat]))
                self.hands[seat].remove(card)
                self.bid[seat] = card
                self.write("bid", player=seat, card=card)
            self.award()
        self.write_scores(self.score)

    def award(self):
        """Give the prize to the highest bid; if several are highest, the prize is lost."""
        highest = [seat for seat, bid in enumerate(self.bid) if bid == max(self.bid)]
        winner = highest[0] if len(highest) == 1 else None
        if winner is not None:
            self.score[winner] += self.prize
        self.write("award", prize=self.prize, bids=list(self.bid), player=winner)


def prizes(components):
    """Return all prizes."""
    return list(range(1, components["deck"]["cards"] + 1))


REPLAY = replayer(Game, [Drawn("prizes", "prize", "prize", prizes)], {"bid": "card"})
